/* candidates.c: which clauses may be the cause of failing calls, by values (candidates.h).
 *
 * Literals are made of the places that the failing calls looked at: pointers that are set, numbers beside each other, beside lengths and beside the constants that the paths
 * compare with. A literal that some failing call breaks and that not every passing call breaks is a candidate, alone or with a guard. Nothing is proved here: cause.c asks about
 * the best ones.
 */
#include "contract/candidates.h"

#include "contract/every.h"
#include "contract/terms.h"

#define CONSTANTS 4	 /* numbers of one comparison that are tried as bounds */
#define BOUNDS_MOST 24	 /* such bounds of one place */
#define AREAS_MOST 40	 /* the same about products */
#define SENTINELS_MOST 12 /* numbers that mean none, of a function */
#define SUMS_MOST 60	 /* literals about an offset and a number: in a structure of many numbers few are such */
#define LONG_MOST 16	 /* elements that len(p) >= k may ask for: more is what the driver's objects have, not what a function needs */
#define LONGEST_LITERALS 4000 /* literals of a function */
/* What a candidate costs beside its length (clause.h): a guard, which takes the contrary away, is worth its 5. */
#define LEFT_COST 10.0	  /* it explains nothing; in part: a part of it */
#define CONTRARY_COST 6.0 /* some passing call breaks it */
#define EXCLUDED_COST 12.0 /* all of them do; in part likewise */

/* ---------------------------------------------------------------- literals */

static void add_literal(struct cause_search *f, enum clause_op op, uint32_t a, uint32_t b, uint64_t k)
{
	if (f->literals.size < LONGEST_LITERALS)
		vec_push(&f->literals, (struct clause_literal){op, a, b, k});
}

/* The numbers of LONG and MOST that the failing calls which are left suggest. */
static void add_bounds(struct cause_search *f, const struct entry *e, uint32_t a)
{
	const struct entry_place *x = &e->places.data[a];
	uint64_t longest = 0, least = UINT64_MAX;
	int is_set = 0;
	int64_t least_signed = INT64_MAX;
	for (size_t i = 0; i < f->calls; i++) {
		const struct clause_value *v = &f->values[i * f->places + a];
		if (!f->left[i] || !v->there)
			continue;
		longest = x->length && v->set && v->length > longest ? v->length : longest;
		is_set |= v->set;
		least = v->value < least ? v->value : least;
		least_signed = (int64_t)v->value < least_signed ? (int64_t)v->value : least_signed;
	}
	if (x->kind == ENTRY_POINTER && x->length && is_set && longest < (uint64_t)LONG_MOST * x->unit)
		add_literal(f, CLAUSE_LONG, a, a, longest + x->unit);
	if (x->kind == ENTRY_NUMBER && !x->is_bool && !x->is_signed && least && least != UINT64_MAX)
		add_literal(f, CLAUSE_MOST, a, a, least - 1);
	if (x->kind == ENTRY_NUMBER && x->is_signed && least_signed > 0 && least_signed != INT64_MAX)
		add_literal(f, CLAUSE_MOST, a, a, (uint64_t)(least_signed - 1));
}

static int has_guard(const struct cause_search *f, const struct clause_literal *l)
{
	for (size_t i = 0; i < f->guards.size; i++)
		if (f->guards.data[i].op == l->op && f->guards.data[i].a == l->a && f->guards.data[i].k == l->k)
			return 1;
	return 0;
}

static int has_literal(const struct cause_search *f, enum clause_op op, uint32_t a, uint64_t k)
{
	for (size_t i = f->literals.size; i-- > 0 && f->literals.data[i].a == a;)
		if (f->literals.data[i].op == op && f->literals.data[i].k == k)
			return 1;
	return 0;
}

/* What lies in front of its start: the least that some call needed. */
static void add_before(struct cause_search *f, const struct entry *e, uint32_t a)
{
	uint64_t least = 0;
	for (size_t i = 0; i < f->calls; i++) {
		uint64_t n = f->left[i] ? f->c->calls.data[i].before : 0;
		least = n && (!least || n < least) ? n : least;
	}
	if (least && e->places.data[a].kind == ENTRY_POINTER && e->places.data[a].length)
		add_literal(f, CLAUSE_BEFORE, a, a, least);
}

/* The same from what the failing calls were compared with last. */
static void add_compared(struct cause_search *f, const struct entry *e, uint32_t a)
{
	uint64_t found[CONSTANTS];
	unsigned literals = 0;
	for (size_t i = 0; i < f->calls && e->places.data[a].kind == ENTRY_NUMBER && !e->places.data[a].is_bool && literals < BOUNDS_MOST; i++) {
		const struct cause_call *x = &f->c->calls.data[i];
		size_t n = f->left[i] && x->traced && x->conditions.size ? terms_constants(f->c->pool, vec_last(&x->conditions), found, CONSTANTS) : 0;
		for (size_t k = 0; k < n; k++)
			for (int d = -1; d <= 1; d++)
				for (int op = 0; op < 2; op++)
					if (!has_literal(f, op ? CLAUSE_LEAST : CLAUSE_MOST, a, found[k] + (uint64_t)d) && literals < BOUNDS_MOST) {
						add_literal(f, op ? CLAUSE_LEAST : CLAUSE_MOST, a, a, found[k] + (uint64_t)d);
						literals++;
					}
	}
}

static void add_pair(struct cause_search *f, const struct entry *e, uint32_t a, uint32_t b)
{
	const struct entry_place *x = &e->places.data[a], *y = &e->places.data[b];
	if (f->looked[b] && a != b && x->object && y->object && x->length && y->length && x->pool == y->pool && y->interior && x->index == y->index && (x->parent == y->parent || (x->depth == 1 && y->depth == 1 && !x->in_struct && !y->in_struct)))
		add_literal(f, CLAUSE_ORDERED, a, b, 0);
	if (!f->looked[b] || x->kind != ENTRY_NUMBER || !x->counts || (x->depth && x->in_struct && (x->parent != y->parent || x->index != y->index) && !(y->depth == 0 && y->kind == ENTRY_NUMBER)) || x->parent == b)
		return;
	if (y->kind == ENTRY_POINTER && y->length) {
		add_literal(f, CLAUSE_WITHIN, a, b, 0);
		add_literal(f, CLAUSE_BELOW, a, b, 0);
	} else if (y->kind == ENTRY_NUMBER && y->counts && x->is_signed == y->is_signed && a != b) {
		add_literal(f, CLAUSE_LE, a, b, 0);
		add_literal(f, CLAUSE_LT, a, b, 0);
		if (a < b)
			add_literal(f, CLAUSE_NE, a, b, 0);
		if (a < b && x->type && y->type && x->is_signed && x->bits == 64 && y->bits == 64)
			add_literal(f, CLAUSE_FITS, a, b, 0);
	}
}

/* Which pointers lead to one object, where some call fails by that. */
static void add_shapes(struct cause_search *f, const struct entry *e)
{
	int wanted = 0;
	for (size_t i = 0; i < f->calls; i++)
		wanted |= f->left[i] && f->c->calls.data[i].by != CAUSE_BY_OTHERS;
	for (uint32_t a = 0; a < e->places.size && wanted; a++) {
		const struct entry_place *x = &e->places.data[a];
		if (x->kind == ENTRY_SHAPE && f->looked[e->shapes.data[x->shape].start])
			add_literal(f, CLAUSE_TREE, a, a, e->shapes.data[x->shape].members);
		for (uint32_t b = 0; b < a && x->object && !x->interior && f->looked[a]; b++)
			if (f->looked[b] && e->places.data[b].object && !e->places.data[b].interior && e->places.data[b].pool == x->pool)
				add_literal(f, CLAUSE_DISTINCT, b, a, 0);
	}
}

/* May the place be in an array? What a parameter leads to is one structure, if no call looked at another one after it. */
static int is_element(struct cause_search *f, uint32_t place)
{
	const struct entry *e = causes_entry(f->c, 0);
	if (e->places.data[place].index == ENTRY_NONE || e->places.data[e->places.data[place].parent].depth)
		return 1;
	for (size_t i = 0; i < f->calls; i++) {
		const struct cause_call *x = &f->c->calls.data[i];
		expr_t others = cause_entry_of(f->c, x)->places.data[place].others;
		for (size_t k = 0; k < x->conditions.size && others; k++)
			if (terms_meet(f->c->pool, others, x->conditions.data[k]))
				return 1;
	}
	return 0;
}

/* Which places the failing calls looked at. A structure has many members, and few of them matter. */
void candidates_looked(struct cause_search *f)
{
	VEC(expr_t) all = {0};
	for (size_t i = 0; i < f->calls; i++)
		for (size_t k = 0; f->c->calls.data[i].failed && k < f->c->calls.data[i].conditions.size; k++)
			vec_push(&all, f->c->calls.data[i].conditions.data[k]);
	for (uint32_t g = 0; g < ENTRY_GROWTHS; g++)
		terms_looked(causes_entry(f->c, g), all.data, all.size, f->looked);
	vec_release(&all);
	for (uint32_t i = 0; i < f->places; i++)
		f->looked[i] &= is_element(f, i);
}

/* A member counts nothing in what a parameter points to. */
static int may_count(const struct entry_place *number, const struct entry_place *pointer)
{
	return !number->depth || !number->in_struct || pointer->depth;
}

/* An offset and a number of elements, both integers of the call, beside what is left of an object. */
static void add_sums(struct cause_search *f, const struct entry *e)
{
	unsigned count = 0;
	for (uint32_t a = 0; a < e->places.size; a++)
		for (uint32_t c = a + 1; c < e->places.size; c++) {
			const struct entry_place *x = &e->places.data[a], *y = &e->places.data[c];
			if (!f->looked[a] || !f->looked[c] || x->kind != ENTRY_NUMBER || y->kind != ENTRY_NUMBER || !x->counts || !y->counts || x->bits < 32 || y->bits < 32)
				continue;
			for (uint32_t b = 0; b < e->places.size && count < SUMS_MOST; b++)
				if (f->looked[b] && e->places.data[b].kind == ENTRY_POINTER && e->places.data[b].length && may_count(x, &e->places.data[b]) && may_count(y, &e->places.data[b])) {
					add_literal(f, CLAUSE_SUM, a, b, c);
					count++;
				}
		}
}

/* Does some failing call that is left look at their product? */
static int are_multiplied(struct cause_search *f, const struct entry_place *x, const struct entry_place *y)
{
	for (size_t i = 0; i < f->calls; i++) {
		const struct cause_call *c = &f->c->calls.data[i];
		for (size_t k = 0; f->left[i] && k < c->conditions.size; k++)
			if (terms_multiply(f->c->pool, x->value, y->value, c->conditions.data[k]))
				return 1;
	}
	return 0;
}

static int is_countable(const struct cause_search *f, const struct entry *e, uint32_t place)
{
	const struct entry_place *x = &e->places.data[place];
	return f->looked[place] && x->kind == ENTRY_NUMBER && x->counts && !x->is_bool;
}

/* Rows and columns, beside each other, of what a pointer leads to. */
static void add_products(struct cause_search *f, const struct entry *e)
{
	unsigned count = 0;
	for (uint32_t b = 0; b < e->places.size; b++) {
		const struct entry_place *p = &e->places.data[b];
		if (!f->looked[b] || p->kind != ENTRY_POINTER || !p->length || p->most > CLAUSE_AREA_MOST)
			continue;
		for (uint32_t a = 0; a < e->places.size; a++) {
			const struct entry_place *x = &e->places.data[a];
			if (!is_countable(f, e, a) || !may_count(x, p))
				continue;
			for (uint32_t c = a + 1; c < e->places.size && count < AREAS_MOST; c++)
				if (is_countable(f, e, c) && e->places.data[c].parent == x->parent && may_count(&e->places.data[c], p) && are_multiplied(f, x, &e->places.data[c])) {
					add_literal(f, CLAUSE_AREA, a, b, c);
					count++;
				}
		}
	}
}

/* A number for which calls pass, and that the program compared with just that one: fd == -1. */
static void add_sentinels(struct cause_search *f, const struct entry *e)
{
	unsigned count = 0;
	for (size_t i = 0; i < f->calls; i++) {
		const struct cause_call *x = &f->c->calls.data[i];
		const struct entry *own = cause_entry_of(f->c, x);
		uint64_t found[CONSTANTS];
		for (size_t k = 0; !x->failed && x->traced && k < x->decided.size && count < SENTINELS_MOST; k++) {
			size_t n = terms_constants(f->c->pool, x->decided.data[k], found, CONSTANTS);
			for (uint32_t a = 0; n && a < e->places.size; a++)
				for (size_t m = 0; m < n && count < SENTINELS_MOST; m++) {
					struct clause_literal l = {CLAUSE_EQUAL, a, a, found[m]};
					const struct clause_value *v = &f->values[i * f->places + a];
					if (!is_countable(f, e, a) || !v->there || v->value != found[m] || !found[m] || !terms_meet_own(f->c->pool, own->places.data[a].value, own->places.data[a].there, x->decided.data[k]) || has_guard(f, &l))
						continue;
					vec_push(&f->guards, l);
					count++;
				}
		}
	}
}

/* What holds of all structures of a type, where a failing call that is left bears on it: there are many. */
static void add_every(struct cause_search *f, const struct entry *e)
{
	for (uint32_t a = 0; a < e->places.size && f->every; a++) {
		if (e->places.data[a].kind != ENTRY_EVERY)
			continue;
		int wanted = 0;
		for (size_t i = 0; i < f->calls && !wanted; i++) {
			const struct cause_call *x = &f->c->calls.data[i];
			const struct entry *own = f->left[i] && x->traced ? cause_entry_of(f->c, x) : NULL;
			expr_t about = own ? every_about(own, &own->places.data[a]) : EXPR_NONE;
			for (size_t k = 0; own && k < x->conditions.size && !wanted; k++)
				wanted = terms_meet(f->c->pool, about, x->conditions.data[k]);
		}
		if (wanted)
			add_literal(f, every_is_apart(e, &e->places.data[a]) ? CLAUSE_APART : CLAUSE_EVERY, a, a, 0);
	}
}

static void list_literals(struct cause_search *f)
{
	const struct entry *e = causes_entry(f->c, 0);
	vec_clear(&f->literals);
	vec_clear(&f->guards);
	f->asserts = 0;
	for (size_t i = 0; i < f->calls; i++)
		f->asserts |= f->left[i] && f->c->calls.data[i].assertion;
	for (uint32_t a = 0; a < e->places.size; a++) {
		const struct entry_place *x = &e->places.data[a];
		if (!f->looked[a] || x->kind == ENTRY_SHAPE || x->kind == ENTRY_EVERY)
			continue;
		if (x->set) {
			add_literal(f, CLAUSE_SET, a, a, 0);
			if (f->asserts)
				add_literal(f, CLAUSE_CLEAR, a, a, 0);
			vec_push(&f->guards, (struct clause_literal){CLAUSE_CLEAR, a, a, 0});
			if (x->ended)
				add_literal(f, CLAUSE_ENDED, a, a, 0);
		} else {
			add_literal(f, CLAUSE_NONZERO, a, a, 0);
			vec_push(&f->guards, (struct clause_literal){CLAUSE_ZERO, a, a, 0});
			if (x->is_bool)
				vec_push(&f->guards, (struct clause_literal){CLAUSE_NONZERO, a, a, 0});
		}
		if (x->is_signed) {
			add_literal(f, CLAUSE_POSITIVE, a, a, 0);
			add_literal(f, CLAUSE_NATURAL, a, a, 0);
			vec_push(&f->guards, (struct clause_literal){CLAUSE_NOTABOVE, a, a, 0});
		}
		add_bounds(f, e, a);
		add_before(f, e, a);
		add_compared(f, e, a);
		for (uint32_t b = 0; b < e->places.size; b++)
			add_pair(f, e, a, b);
	}
	add_sums(f, e);
	add_products(f, e);
	add_sentinels(f, e);
	add_shapes(f, e);
	add_every(f, e);
}


/* -------------------------------------------------------------- candidates */

int candidate_looks(struct cause_search *f, uint32_t place, size_t call)
{
	const struct cause_call *x = &f->c->calls.data[call];
	expr_t set = cause_entry_of(f->c, x)->places.data[place].set;
	for (size_t i = 0; i < x->conditions.size; i++)
		if (terms_meet(f->c->pool, set, x->conditions.data[i]))
			return 1;
	return !x->traced;
}

int candidate_holds(struct cause_search *f, const struct clause *c, size_t call)
{
	return clause_holds(causes_entry(f->c, 0), c, f->values + call * f->places);
}

/* Shorter is better, and so is what explains more of what is left, and what excludes fewer calls that pass. */
double candidate_score(const struct cause_search *f, const struct candidate *x)
{
	double left = f->left_count ? 1 - (double)x->breaks / (double)f->left_count : 0;
	double excluded = f->passing ? (double)x->contrary / (double)f->passing : 0;
	return clause_cost(&x->clause) + LEFT_COST * left + (x->contrary ? CONTRARY_COST + EXCLUDED_COST * (excluded > 1 ? 1 : excluded) : 0);
}

struct candidate candidate_judge(struct cause_search *f, const struct clause *c)
{
	struct candidate x = {.clause = *c};
	for (size_t i = 0; i < f->calls; i++) {
		int failed = f->c->calls.data[i].failed, kept = candidate_holds(f, c, i);
		x.kept += (!failed || !f->scalars) && kept && f->values[i * f->places + c->part[0].a].there;
		if ((failed && !f->left[i]) || kept || (!failed && c->part[0].op == CLAUSE_BEFORE && !candidate_looks(f, c->part[0].a, i)))
			continue;
		x.breaks += (uint64_t)failed;
		x.contrary += !failed;
	}
	x.score = candidate_score(f, &x);
	return x;
}

int candidate_suits_all(const struct clause *c)
{
	return c->part[0].op == CLAUSE_BEFORE || c->part[0].op == CLAUSE_CLEAR;
}

/* It excludes something, and not everything that is known to pass. Where every call that is known has null there, nobody knows. */
static int is_candidate(const struct cause_search *f, const struct candidate *x)
{
	enum clause_op op = x->clause.part[0].op;
	if (op == CLAUSE_CLEAR && x->contrary) /* the assertion asked for something else */
		return 0;
	if (op == CLAUSE_BEFORE) /* that is a header, which no call does without: where some pass, the function looks too far */
		return x->breaks && !x->contrary && x->clause.count == 1;
	return (x->breaks || f->unbroken) && (x->kept || (op == CLAUSE_SET && !x->contrary));
}

/* The literal with a guard: any, where a passing call breaks it; else one about the number that it is about, which asks less of callers and may be what is meant. */
static void add_guarded(struct cause_search *f, const struct candidate *x)
{
	const struct clause_literal *l = &x->clause.part[0];
	int has_number = l->op == CLAUSE_WITHIN || l->op == CLAUSE_BELOW;
	for (size_t k = 0; k < f->guards.size; k++) {
		const struct clause_literal *g = &f->guards.data[k];
		struct candidate y;
		if ((!x->contrary && !(has_number && g->a == l->a)) || (g->a == l->a && g->op == CLAUSE_CLEAR && l->op == CLAUSE_SET))
			continue;
		y = candidate_judge(f, &(struct clause){.part = {*l, *g}, .count = 2});
		if (is_candidate(f, &y) && !y.contrary)
			vec_push(&f->candidates, y);
	}
}

/* Those of other functions that the pairs do not have: a place may be one that no failing call looked at. */
static void add_offered(struct cause_search *f)
{
	for (size_t i = 0; i < f->c->offered.size; i++) {
		struct candidate x = candidate_judge(f, &f->c->offered.data[i]);
		if (is_candidate(f, &x))
			vec_push(&f->candidates, x);
	}
}

void candidates_list(struct cause_search *f)
{
	list_literals(f);
	vec_clear(&f->candidates);
	if (!f->scalars)
		add_offered(f);
	for (size_t i = 0; i < f->literals.size; i++) {
		struct clause c = {.part = {f->literals.data[i]}, .count = 1};
		if ((clause_class(causes_entry(f->c, 0), &c) == CLAUSE_SCALAR) != f->scalars)
			continue;
		struct candidate x = candidate_judge(f, &c);
		int taken = is_candidate(f, &x);
		if (taken)
			vec_push(&f->candidates, x);
		if (!f->scalars && (taken || ((c.part[0].op == CLAUSE_SET || c.part[0].op == CLAUSE_CLEAR) && x.breaks))) /* where a pointer was never set, calls that pass by a guard are all that is known of it */
			add_guarded(f, &x);
	}
}

int candidate_better(const struct candidate *a, const struct candidate *b)
{
	return a->score < b->score;
}
