/* domain.c: polyhedra, octagons and boxes of the Parma Polyhedra Library.
 *
 * The three kinds have the same operations under different names; a table of them (X-macro over the
 * operations) is the whole difference. What PPL does not offer for all kinds, or offers with
 * restrictions (wrapping to any width, widening up to facts), is built here from the others, once.
 *
 * Soundness: PPL's elements are sets of rational points that contain the integer points meant.
 * Facts are tightened to the integers before they are added; facts read back that do not fit into
 * struct linear are left out. A budget that is used up makes PPL leave its objects in no usable
 * state: `failed` stays set and every operation becomes nothing until the owner has thrown
 * everything away and called domain_budget.
 */
#include "absint/domain.h"

#include "base/error.h"

#include <gmp.h>
#include <ppl_c.h>
#include <stdio.h>
#include <string.h>

/* Operations on the same arguments for each kind: result is PPL's error code or truth value. */
#define OPERATIONS(X)                                                                           \
	X(is_empty, (const void *))                                                             \
	X(refine_with_constraint, (void *, ppl_const_Constraint_t))                             \
	X(intersection_assign, (void *, const void *))                                          \
	X(upper_bound_assign, (void *, const void *))                                           \
	X(widening_assign, (void *, const void *))                                              \
	X(unconstrain_space_dimension, (void *, ppl_dimension_type))                            \
	X(affine_image,                                                                         \
	  (void *, ppl_dimension_type, ppl_const_Linear_Expression_t, ppl_const_Coefficient_t)) \
	X(add_space_dimensions_and_embed, (void *, ppl_dimension_type))                         \
	X(remove_higher_space_dimensions, (void *, ppl_dimension_type))                         \
	X(map_space_dimensions, (void *, ppl_dimension_type *, size_t))                         \
	X(relation_with_Constraint, (const void *, ppl_const_Constraint_t))                     \
	X(maximize, (const void *, ppl_const_Linear_Expression_t, ppl_Coefficient_t,            \
		     ppl_Coefficient_t, int *))                                                 \
	X(minimize, (const void *, ppl_const_Linear_Expression_t, ppl_Coefficient_t,            \
		     ppl_Coefficient_t, int *))

struct operations {
	const char *name;
	int (*make)(void **, ppl_dimension_type, int);
	int (*copy)(void **, const void *);
	int (*drop)(const void *);
	int (*includes)(const void *, const void *);
	int (*to_polyhedron)(void **, const void *);
	int (*from_polyhedron)(void **, const void *);
#define FIELD(name, parameters) int(*name) parameters;
	OPERATIONS(FIELD)
#undef FIELD
};

/* The casts change only which opaque pointer a parameter is. */
#define ENTRY(name, parameters) .name = (int(*) parameters)CLASS(name),
#define MEMBERS(CLASS_NAME, make_, copy_, from_)                                                   \
	.make = (int (*)(void **, ppl_dimension_type, int))make_,                                  \
	.copy = (int (*)(void **, const void *))copy_,                                             \
	.drop = (int (*)(const void *))ppl_delete_##CLASS_NAME,                                    \
	.includes = (int (*)(const void *, const void *))ppl_##CLASS_NAME##_contains_##CLASS_NAME, \
	.from_polyhedron = (int (*)(void **, const void *))from_

static const struct operations kinds[] = {
    [DOMAIN_POLYHEDRA] = {.name = "polyhedra",
			  MEMBERS(Polyhedron, ppl_new_C_Polyhedron_from_space_dimension,
				  ppl_new_C_Polyhedron_from_C_Polyhedron,
				  ppl_new_C_Polyhedron_from_C_Polyhedron),
			  .to_polyhedron = (int (*)(
			      void **, const void *))ppl_new_C_Polyhedron_from_C_Polyhedron,
#define CLASS(name) ppl_Polyhedron_##name
			  OPERATIONS(ENTRY)
#undef CLASS
    },
    [DOMAIN_OCTAGONS] = {.name = "octagons",
			 MEMBERS(Octagonal_Shape_mpz_class,
				 ppl_new_Octagonal_Shape_mpz_class_from_space_dimension,
				 ppl_new_Octagonal_Shape_mpz_class_from_Octagonal_Shape_mpz_class,
				 ppl_new_Octagonal_Shape_mpz_class_from_C_Polyhedron),
			 .to_polyhedron = (int (*)(void **, const void *))
			     ppl_new_C_Polyhedron_from_Octagonal_Shape_mpz_class,
#define CLASS(name) ppl_Octagonal_Shape_mpz_class_##name
			 OPERATIONS(ENTRY)
#undef CLASS
    },
    [DOMAIN_BOXES] = {.name = "boxes",
		      MEMBERS(Rational_Box, ppl_new_Rational_Box_from_space_dimension,
			      ppl_new_Rational_Box_from_Rational_Box,
			      ppl_new_Rational_Box_from_C_Polyhedron),
		      .to_polyhedron =
			  (int (*)(void **, const void *))ppl_new_C_Polyhedron_from_Rational_Box,
#define CLASS(name) ppl_Rational_Box_##name
		      OPERATIONS(ENTRY)
#undef CLASS
    },
};

struct domain {
	enum domain_kind kind;
	unsigned dims;
	void *ppl;
};

static int failed;
static int initialised;
/* Scratch numbers, made once. */
static mpz_t number, divisor;
static ppl_Coefficient_t coefficient, numerator, denominator, one;

/* PPL's rounding mode is for floating point shapes, which are not used here; the caller keeps its
 * own. */
static void initialise(void)
{
	if (initialised)
		return;
	initialised = 1;
	if (ppl_initialize() < 0 || ppl_restore_pre_PPL_rounding() < 0)
		BUG("PPL does not start");
	mpz_init(number);
	mpz_init(divisor);
	mpz_set_si(number, 1);
	if (ppl_new_Coefficient(&coefficient) < 0 || ppl_new_Coefficient(&numerator) < 0 ||
	    ppl_new_Coefficient(&denominator) < 0 ||
	    ppl_new_Coefficient_from_mpz_t(&one, number) < 0)
		BUG("PPL makes no coefficients");
}

/* Takes a result of PPL: the truth value, or 0 and a failure if the budget is used up. */
static int check(int result)
{
	if (result >= 0)
		return result;
	if (result != PPL_TIMEOUT_EXCEPTION && result != PPL_ERROR_OUT_OF_MEMORY)
		BUG("PPL: error %d", result);
	failed = 1;
	return 0;
}

const char *domain_name(enum domain_kind k)
{
	return kinds[k].name;
}

int domain_parse(const char *name, enum domain_kind *k)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(name, kinds[i].name)) {
			*k = (enum domain_kind)i;
			return 0;
		}
	return error_set("no domain is called %s: polyhedra, octagons or boxes", name);
}

/* A unit is 2^20 of what PPL counts; one of those was measured to be about a nanosecond. */
#define UNIT_SHIFT 20

void domain_budget(unsigned long units)
{
	initialise();
	failed = 0;
	ppl_reset_deterministic_timeout();
	if (units && ppl_set_deterministic_timeout(units, UNIT_SHIFT) < 0)
		BUG("PPL takes no limit of %lu", units);
}

int domain_failed(void)
{
	return failed;
}

/* ------------------------------------------------------------------ numbers */
static void set_wide(mpz_t z, wide v)
{
	unsigned __int128 u = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
	uint64_t parts[2] = {(uint64_t)u, (uint64_t)(u >> 64)};
	mpz_import(z, 2, -1, sizeof *parts, 0, 0, parts);
	if (v < 0)
		mpz_neg(z, z);
}

/* 0: it does not fit. */
static int get_wide(const mpz_t z, wide limit, wide *v)
{
	if (mpz_sizeinbase(z, 2) > 126)
		return 0;
	uint64_t parts[2] = {0, 0};
	mpz_export(parts, NULL, -1, sizeof *parts, 0, 0, z);
	*v = (wide)((unsigned __int128)parts[1] << 64 | parts[0]);
	if (mpz_sgn(z) < 0)
		*v = -*v;
	return *v<limit && * v> - limit;
}

static ppl_Coefficient_t to_coefficient(wide v)
{
	set_wide(number, v);
	check(ppl_assign_Coefficient_from_mpz_t(coefficient, number));
	return coefficient;
}

/* The caller deletes it. */
static ppl_Linear_Expression_t to_expression(const struct linear *l, unsigned dims)
{
	ppl_Linear_Expression_t e;
	if (l->overflow)
		BUG("an expression that overflowed is used");
	check(ppl_new_Linear_Expression_with_dimension(&e, dims));
	for (size_t i = 0; i < l->terms.size; i++) {
		if (l->terms.data[i].dim >= dims)
			BUG("dimension %u of %u", l->terms.data[i].dim, dims);
		check(ppl_Linear_Expression_add_to_coefficient(
		    e, l->terms.data[i].dim, to_coefficient(l->terms.data[i].coef)));
	}
	check(ppl_Linear_Expression_add_to_inhomogeneous(e, to_coefficient(l->constant)));
	return e;
}

static ppl_Constraint_t to_constraint(const struct linear *fact, unsigned dims)
{
	ppl_Constraint_t c;
	ppl_Linear_Expression_t e = to_expression(fact, dims);
	check(ppl_new_Constraint(&c, e,
				 fact->kind == LINEAR_EQ ? PPL_CONSTRAINT_TYPE_EQUAL
							 : PPL_CONSTRAINT_TYPE_GREATER_OR_EQUAL));
	ppl_delete_Linear_Expression(e);
	return c;
}

/* ----------------------------------------------------------------- elements */
static struct domain *element(enum domain_kind k, unsigned dims)
{
	struct domain *d = mem_alloc(sizeof *d);
	d->kind = k;
	d->dims = dims;
	d->ppl = NULL;
	return d;
}

static struct domain *make(enum domain_kind k, unsigned dims, int empty)
{
	initialise();
	struct domain *d = element(k, dims);
	if (!failed)
		check(kinds[k].make(&d->ppl, dims, empty));
	return d;
}

struct domain *domain_new(enum domain_kind k, unsigned dims)
{
	return make(k, dims, 0);
}

struct domain *domain_new_empty(enum domain_kind k, unsigned dims)
{
	return make(k, dims, 1);
}

struct domain *domain_copy(const struct domain *d)
{
	struct domain *r = element(d->kind, d->dims);
	if (!failed)
		check(kinds[d->kind].copy(&r->ppl, d->ppl));
	return r;
}

void domain_free(struct domain *d)
{
	if (!d)
		return;
	if (d->ppl)
		kinds[d->kind].drop(d->ppl);
	free(d);
}

enum domain_kind domain_kind(const struct domain *d)
{
	return d->kind;
}

unsigned domain_dims(const struct domain *d)
{
	return d->dims;
}

struct domain *domain_convert(const struct domain *d, enum domain_kind k)
{
	if (d->kind == k)
		return domain_copy(d);
	struct domain *r = element(k, d->dims);
	void *p = NULL;
	if (!failed)
		check(kinds[d->kind].to_polyhedron(&p, d->ppl));
	if (!failed)
		check(kinds[k].from_polyhedron(&r->ppl, p));
	if (p)
		kinds[DOMAIN_POLYHEDRA].drop(p);
	return r;
}

int domain_is_empty(const struct domain *d)
{
	return !failed && check(kinds[d->kind].is_empty(d->ppl));
}

static void same(const struct domain *a, const struct domain *b)
{
	if (a->kind != b->kind || a->dims != b->dims)
		BUG("%s of %u dimensions with %s of %u", kinds[a->kind].name, a->dims,
		    kinds[b->kind].name, b->dims);
}

int domain_includes(const struct domain *d, const struct domain *smaller)
{
	same(d, smaller);
	return !failed && check(kinds[d->kind].includes(d->ppl, smaller->ppl));
}

void domain_join(struct domain *d, const struct domain *other)
{
	same(d, other);
	if (!failed)
		check(kinds[d->kind].upper_bound_assign(d->ppl, other->ppl));
}

void domain_meet(struct domain *d, const struct domain *other)
{
	same(d, other);
	if (!failed)
		check(kinds[d->kind].intersection_assign(d->ppl, other->ppl));
}

void domain_widen(struct domain *d, const struct domain *old, const struct linear *upto, size_t n)
{
	same(d, old);
	if (failed)
		return;
	/* d includes old: what holds in d holds in both. */
	uint8_t *keep = mem_zalloc(n + 1);
	for (size_t i = 0; i < n; i++)
		keep[i] = (uint8_t)domain_implies(d, &upto[i]);
	if (!failed)
		check(kinds[d->kind].widening_assign(d->ppl, old->ppl));
	for (size_t i = 0; i < n; i++)
		if (keep[i])
			domain_add(d, &upto[i]);
	free(keep);
}

void domain_add(struct domain *d, const struct linear *fact)
{
	if (failed || fact->overflow || fact->kind == LINEAR_MODULO)
		return;
	struct linear tight = linear_copy(fact);
	linear_normalise(&tight);
	ppl_Constraint_t c = to_constraint(&tight, d->dims);
	if (!failed)
		check(kinds[d->kind].refine_with_constraint(d->ppl, c));
	ppl_delete_Constraint(c);
	linear_release(&tight);
}

void domain_assign(struct domain *d, uint32_t dim, const struct linear *expression)
{
	if (failed)
		return;
	if (expression->overflow) {
		domain_forget(d, dim);
		return;
	}
	ppl_Linear_Expression_t e = to_expression(expression, d->dims);
	if (!failed)
		check(kinds[d->kind].affine_image(d->ppl, dim, e, one));
	ppl_delete_Linear_Expression(e);
}

void domain_forget(struct domain *d, uint32_t dim)
{
	if (!failed)
		check(kinds[d->kind].unconstrain_space_dimension(d->ppl, dim));
}

void domain_extend(struct domain *d, unsigned count)
{
	d->dims += count;
	if (!failed)
		check(kinds[d->kind].add_space_dimensions_and_embed(d->ppl, count));
}

void domain_shrink(struct domain *d, unsigned dims)
{
	d->dims = dims;
	if (!failed)
		check(kinds[d->kind].remove_higher_space_dimensions(d->ppl, dims));
}

void domain_project(struct domain *d, const uint32_t *keep, unsigned n)
{
	ppl_dimension_type *map = mem_zalloc((d->dims + 1) * sizeof *map);
	ppl_dimension_type none;
	ppl_not_a_dimension(&none);
	for (unsigned i = 0; i < d->dims; i++)
		map[i] = none;
	for (unsigned i = 0; i < n; i++)
		map[keep[i]] = i;
	if (!failed)
		check(kinds[d->kind].map_space_dimensions(d->ppl, map, d->dims));
	d->dims = n;
	free(map);
}

/* ---------------------------------------------------------------- wrapping */
/* More parts than this of a range, each wrapped by itself, say too little for their price. */
#define WRAP_PARTS 4

static void add_range(struct domain *d, uint32_t dim, wide min, wide max)
{
	struct linear low = linear_dim(dim), high = {.kind = LINEAR_GE};
	low.kind = LINEAR_GE;
	low.constant = -min;
	linear_add_dim(&high, dim, -1);
	high.constant = max;
	domain_add(d, &low);
	domain_add(d, &high);
	linear_release(&low);
	linear_release(&high);
}

static wide floor_quotient(wide a, wide b)
{
	wide q = a / b;
	return a % b < 0 ? q - 1 : q;
}

/* Splits the range of the dimension at multiples of 2^width, moves each part into the type's range,
 * joins. */
void domain_wrap(struct domain *d, uint32_t dim, unsigned width, int is_signed)
{
	if (width == 0 || width > 64)
		BUG("wrap to %u bits", width);
	if (failed)
		return;
	wide size = (wide)1 << width, min = is_signed ? -(size / 2) : 0;
	struct linear x = linear_dim(dim);
	struct domain_bounds b = domain_bounds(d, &x);
	linear_release(&x);
	if (failed || (b.has_min && b.has_max && b.min > b.max))
		return;
	wide first = 0, last = WRAP_PARTS;
	if (b.has_min && b.has_max) {
		first = floor_quotient(b.min - min, size);
		last = floor_quotient(b.max - min, size);
	}
	if (last - first >= WRAP_PARTS) {
		domain_forget(d, dim);
		add_range(d, dim, min, min + size - 1);
		return;
	}
	if (!first && !last)
		return;
	struct domain *whole = domain_new_empty(d->kind, d->dims);
	for (wide part = first; part <= last; part++) {
		struct domain *piece = domain_copy(d);
		add_range(piece, dim, min + part * size, min + part * size + size - 1);
		struct linear moved = linear_dim(dim);
		moved.constant = -part * size;
		domain_assign(piece, dim, &moved);
		linear_release(&moved);
		domain_join(whole, piece);
		domain_free(piece);
	}
	void *swap = d->ppl;
	d->ppl = whole->ppl;
	whole->ppl = swap;
	domain_free(whole);
}

/* ---------------------------------------------------------------- questions */
/* numerator / denominator, rounded to the integers inside; 0: it does not fit. */
static int rounded(int max, wide *v)
{
	check(ppl_Coefficient_to_mpz_t(numerator, number));
	check(ppl_Coefficient_to_mpz_t(denominator, divisor));
	if (max)
		mpz_fdiv_q(number, number, divisor);
	else
		mpz_cdiv_q(number, number, divisor);
	return get_wide(number, LINEAR_CONSTANT_MAX, v);
}

void domain_limit(struct domain *d, uint32_t dim, const struct domain_bounds *b)
{
	struct linear l = {.kind = LINEAR_GE};
	if (b->has_min) {
		linear_add_dim(&l, dim, 1);
		l.constant = -b->min;
		domain_add(d, &l);
		linear_add_dim(&l, dim, -1);
	}
	if (b->has_max) {
		linear_add_dim(&l, dim, -1);
		l.constant = b->max;
		domain_add(d, &l);
	}
	linear_release(&l);
}

static int bound(const struct domain *d, ppl_Linear_Expression_t e, int max, wide *v)
{
	int optimum;
	int (*f)(const void *, ppl_const_Linear_Expression_t, ppl_Coefficient_t, ppl_Coefficient_t,
		 int *) = max ? kinds[d->kind].maximize : kinds[d->kind].minimize;
	if (failed || !check(f(d->ppl, e, numerator, denominator, &optimum)))
		return 0;
	return rounded(max, v);
}

struct domain_bounds domain_bounds(const struct domain *d, const struct linear *expression)
{
	struct domain_bounds b = {0};
	if (failed || expression->overflow)
		return b;
	if (domain_is_empty(d))
		return (struct domain_bounds){1, 1, 1, 0};
	ppl_Linear_Expression_t e = to_expression(expression, d->dims);
	b.has_min = bound(d, e, 0, &b.min);
	b.has_max = bound(d, e, 1, &b.max);
	ppl_delete_Linear_Expression(e);
	return b;
}

static void limit(ppl_MIP_Problem_t m, uint32_t dim, wide factor, wide constant, unsigned dims)
{
	struct linear l = linear_constant(constant);
	l.kind = LINEAR_GE;
	linear_add_dim(&l, dim, factor);
	ppl_Constraint_t c = to_constraint(&l, dims);
	check(ppl_MIP_Problem_add_constraint(m, c));
	ppl_delete_Constraint(c);
	linear_release(&l);
}

/* 1: there is a bound; -1: no point at all. */
static int optimum(ppl_MIP_Problem_t m, int max, wide *v)
{
	if (failed)
		return 0;
	check(ppl_MIP_Problem_set_optimization_mode(m, max ? PPL_OPTIMIZATION_MODE_MAXIMIZATION
							   : PPL_OPTIMIZATION_MODE_MINIMIZATION));
	int status = ppl_MIP_Problem_solve(m);
	if (status < 0)
		check(status);
	if (failed || status == PPL_MIP_PROBLEM_STATUS_UNBOUNDED)
		return 0;
	if (status == PPL_MIP_PROBLEM_STATUS_UNFEASIBLE)
		return -1;
	check(ppl_MIP_Problem_optimal_value(m, numerator, denominator));
	return rounded(max, v);
}

/* A linear program: its cost does not depend on the number of corners. */
struct domain_bounds domain_bounds_within(const struct domain *d, const struct linear *expression,
					  const struct domain_bounds *ranges)
{
	struct domain_bounds b = {0};
	ppl_const_Constraint_System_t system;
	if (failed || expression->overflow)
		return b;
	if (!ranges)
		return domain_bounds(d, expression);
	if (d->kind != DOMAIN_POLYHEDRA) {
		struct domain *part = domain_copy(d);
		for (unsigned i = 0; i < d->dims; i++)
			domain_limit(part, i, &ranges[i]);
		b = domain_bounds(part, expression);
		domain_free(part);
		return b;
	}
	if (!check(ppl_Polyhedron_get_constraints(d->ppl, &system)) && failed)
		return b;
	ppl_MIP_Problem_t m;
	check(ppl_new_MIP_Problem_from_space_dimension(&m, d->dims));
	check(ppl_MIP_Problem_add_constraints(m, system));
	for (unsigned i = 0; i < d->dims; i++) {
		if (ranges[i].has_min)
			limit(m, i, 1, -ranges[i].min, d->dims);
		if (ranges[i].has_max)
			limit(m, i, -1, ranges[i].max, d->dims);
	}
	ppl_Linear_Expression_t e = to_expression(expression, d->dims);
	check(ppl_MIP_Problem_set_objective_function(m, e));
	ppl_delete_Linear_Expression(e);
	b.has_min = optimum(m, 0, &b.min);
	b.has_max = b.has_min < 0 ? -1 : optimum(m, 1, &b.max);
	if (b.has_min < 0 || b.has_max < 0)
		b = (struct domain_bounds){1, 1, 1, 0};
	ppl_delete_MIP_Problem(m);
	return b;
}

int domain_implies(const struct domain *d, const struct linear *fact)
{
	if (failed || fact->overflow || fact->kind == LINEAR_MODULO)
		return 0;
	ppl_Constraint_t c = to_constraint(fact, d->dims);
	int relation = failed ? 0 : check(kinds[d->kind].relation_with_Constraint(d->ppl, c));
	ppl_delete_Constraint(c);
	return !failed && (relation & PPL_POLY_CON_RELATION_IS_INCLUDED);
}

/* 0: some number does not fit. */
static int from_constraint(ppl_const_Constraint_t c, unsigned dims, struct linear *l)
{
	*l = (struct linear){0};
	wide v;
	l->kind = ppl_Constraint_type(c) == PPL_CONSTRAINT_TYPE_EQUAL ? LINEAR_EQ : LINEAR_GE;
	for (unsigned i = 0; i < dims; i++) {
		check(ppl_Constraint_coefficient(c, i, numerator));
		check(ppl_Coefficient_to_mpz_t(numerator, number));
		if (!get_wide(number, LINEAR_COEFFICIENT_MAX, &v))
			return 0;
		linear_add_dim(l, i, v);
	}
	check(ppl_Constraint_inhomogeneous_term(c, numerator));
	check(ppl_Coefficient_to_mpz_t(numerator, number));
	if (!get_wide(number, LINEAR_CONSTANT_MAX, &v) || l->overflow)
		return 0;
	l->constant = v;
	linear_normalise(l);
	return 1;
}

static void read_facts(ppl_const_Constraint_System_t system, unsigned dims, linear_list *out)
{
	ppl_Constraint_System_const_iterator_t at, end;
	check(ppl_new_Constraint_System_const_iterator(&at));
	check(ppl_new_Constraint_System_const_iterator(&end));
	check(ppl_Constraint_System_begin(system, at));
	check(ppl_Constraint_System_end(system, end));
	while (!ppl_Constraint_System_const_iterator_equal_test(at, end)) {
		ppl_const_Constraint_t c;
		struct linear l;
		check(ppl_Constraint_System_const_iterator_dereference(at, &c));
		if (from_constraint(c, dims, &l) && !(l.terms.size == 0 && l.constant >= 0 &&
						      (l.kind == LINEAR_GE || l.constant == 0)))
			vec_push(out, l);
		else
			linear_release(&l);
		check(ppl_Constraint_System_const_iterator_increment(at));
	}
	ppl_delete_Constraint_System_const_iterator(at);
	ppl_delete_Constraint_System_const_iterator(end);
}

void domain_facts(const struct domain *d, linear_list *out)
{
	if (failed)
		return;
	if (domain_is_empty(d)) {
		struct linear no = linear_constant(-1);
		no.kind = LINEAR_GE;
		vec_push(out, no);
		return;
	}
	/* The system that octagons hand out does not live long enough; a polyhedron's does. */
	void *p = NULL;
	ppl_const_Constraint_System_t system;
	check(kinds[d->kind].to_polyhedron(&p, d->ppl));
	if (!failed)
		check(ppl_Polyhedron_get_minimized_constraints(p, &system));
	if (!failed)
		read_facts(system, d->dims, out);
	if (p)
		kinds[DOMAIN_POLYHEDRA].drop(p);
}

int domain_contains(const struct domain *d, const wide *point)
{
	struct domain *p = domain_copy(d);
	for (unsigned i = 0; i < d->dims; i++)
		add_range(p, i, point[i], point[i]);
	int r = !domain_is_empty(p);
	domain_free(p);
	return r;
}

const char *domain_library(void)
{
	static char text[48];
	const char *version = "";

	ppl_version(&version);
	snprintf(text, sizeof text, "PPL %s", version);
	return text;
}
