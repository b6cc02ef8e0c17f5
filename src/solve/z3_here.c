/* z3_here.c: backend_z3_here: terms as formulas of libz3, in this process.
 *
 * Terms of width 1 are Booleans of Z3, wider ones bit-vectors; each term is converted once, after
 * its operands, with an explicit stack. Reads of tables are trees of choices on bits of the offset. Arrays without a size are Z3's arrays from 64 bits to bytes.
 * A query is first put to the incremental solver (the goal is assumed by a name of its own); what
 * that one leaves open gets a new solver with the tactics for bit-vectors, and the other half of
 * the limits.
 *
 * A context is expensive to make, so each thread keeps one and all backends of the thread use it.
 * Every object is counted by hand; a backend lets go of its own when it is closed. An error of Z3
 * makes the backend useless, never wrong: it answers UNKNOWN from there on.
 */
#include "solve/backend.h"
#include "base/deadline.h"
#include "solve/cnf.h"
#include "base/limit.h"
#include "base/map.h"

#include <string.h>
#include <z3.h>

/* Symbols and caches of a context only grow: one is made anew after so many uses, or when Z3 has so much (its own count, which does
 * not depend on the machine, so that a search can be repeated). Making one takes 2 ms. */
#define CONTEXT_USES LIMIT(4096, 1) /* queries of one Z3 context, which is then made anew | its memory grows */
#define CONTEXT_BYTES (24ull << 20) /* bytes of a context, after which it is replaced | its memory grows */

static _Thread_local struct {
	Z3_context c;
	unsigned open, uses;
} z3_thread;

struct z3_backend {
	struct backend backend;
	struct exprs *pool;
	Z3_context c;
	Z3_solver solver;
	Z3_model model;
	struct map terms;    /* term to its place in objects */
	VEC(Z3_ast) objects; /* all that we hold */
	VEC(expr_t) stack;
	VEC(expr_t) asserted;
	size_t asserted_done; /* of asserted, in solver */
	int functions;	      /* some term has an uninterpreted one */
	int arrays;	      /* some term has one */
	int failed;
};

static struct z3_backend *z3_of(struct backend *b)
{
	return (struct z3_backend *)b;
}

/* Errors are looked at after each query: the default handler would end the process. */
static void z3_error(Z3_context c, Z3_error_code e)
{
	(void)c;
	(void)e;
}

static Z3_context z3_context(void)
{
	if (z3_thread.c && !z3_thread.open &&
	    (z3_thread.uses > CONTEXT_USES || Z3_get_estimated_alloc_size() > CONTEXT_BYTES)) {
		Z3_del_context(z3_thread.c);
		z3_thread.c = NULL;
	}
	if (!z3_thread.c) {
		Z3_config config = Z3_mk_config();

		z3_thread.c = Z3_mk_context_rc(config);
		Z3_del_config(config);
		Z3_set_error_handler(z3_thread.c, z3_error);
		z3_thread.uses = 0;
	}
	z3_thread.open++;
	z3_thread.uses++;
	return z3_thread.c;
}

/* ----------------------------------------------------------------- objects */
static Z3_ast keep(struct z3_backend *z, Z3_ast x)
{
	if (!x || Z3_get_error_code(z->c) != Z3_OK) {
		z->failed = 1;
		x = Z3_mk_false(z->c);
	}
	Z3_inc_ref(z->c, x);
	vec_push(&z->objects, x);
	return x;
}

static Z3_ast number64(struct z3_backend *z, unsigned width, uint64_t v)
{
	return keep(z, Z3_mk_unsigned_int64(z->c, v, Z3_mk_bv_sort(z->c, width)));
}

static Z3_ast number(struct z3_backend *z, unsigned width, u128 v)
{
	if (width <= 64)
		return number64(z, width, (uint64_t)v);
	return keep(z, Z3_mk_concat(z->c, number64(z, width - 64, (uint64_t)(v >> 64)),
				    number64(z, 64, (uint64_t)v)));
}

static Z3_ast extract(struct z3_backend *z, Z3_ast x, unsigned low, unsigned width)
{
	return keep(z, Z3_mk_extract(z->c, low + width - 1, low, x));
}

static Z3_ast equal(struct z3_backend *z, Z3_ast x, Z3_ast y)
{
	return keep(z, Z3_mk_eq(z->c, x, y));
}

static Z3_ast negate(struct z3_backend *z, Z3_ast x)
{
	return keep(z, Z3_mk_not(z->c, x));
}

static Z3_ast choose(struct z3_backend *z, Z3_ast s, Z3_ast x, Z3_ast y)
{
	return x == y ? x : keep(z, Z3_mk_ite(z->c, s, x, y));
}

/* The converted term as it is: a Boolean if its width is 1. */
static Z3_ast term(struct z3_backend *z, expr_t e)
{
	uint64_t place = 0;

	map_get(&z->terms, e, &place);
	return z->objects.data[place];
}

static Z3_ast bit_vector(struct z3_backend *z, expr_t e)
{
	if (expr_width(z->pool, e) > 1)
		return term(z, e);
	return choose(z, term(z, e), number64(z, 1, 1), number64(z, 1, 0));
}

/* --------------------------------------------------------------- operators */
static Z3_ast overflow(struct z3_backend *z, enum muster_op op, unsigned width, Z3_ast x, Z3_ast y)
{
	Z3_context c = z->c;
	int is_signed = op == MUSTER_OP_SADDO || op == MUSTER_OP_SSUBO || op == MUSTER_OP_SMULO;
	unsigned more = op == MUSTER_OP_SMULO || op == MUSTER_OP_UMULO ? width : 1;
	Z3_ast (*widen)(Z3_context, unsigned, Z3_ast) = is_signed ? Z3_mk_sign_ext : Z3_mk_zero_ext;
	Z3_ast a = keep(z, widen(c, more, x)), b = keep(z, widen(c, more, y)), full, part;

	if (op == MUSTER_OP_SADDO || op == MUSTER_OP_UADDO)
		full = keep(z, Z3_mk_bvadd(c, a, b));
	else if (op == MUSTER_OP_SSUBO || op == MUSTER_OP_USUBO)
		full = keep(z, Z3_mk_bvsub(c, a, b));
	else
		full = keep(z, Z3_mk_bvmul(c, a, b));
	part = keep(z, widen(c, more, extract(z, full, 0, width)));
	return negate(z, equal(z, full, part));
}

/* Two operands; tests give a Boolean, the others a bit-vector. */
static Z3_ast binary(struct z3_backend *z, enum muster_op op, unsigned width, Z3_ast x, Z3_ast y)
{
	Z3_context c = z->c;

	switch (op) {
	case MUSTER_OP_ADD:
		return keep(z, Z3_mk_bvadd(c, x, y));
	case MUSTER_OP_SUB:
		return keep(z, Z3_mk_bvsub(c, x, y));
	case MUSTER_OP_MUL:
		return keep(z, Z3_mk_bvmul(c, x, y));
	case MUSTER_OP_UDIV:
		return keep(z, Z3_mk_bvudiv(c, x, y));
	case MUSTER_OP_SDIV:
		return keep(z, Z3_mk_bvsdiv(c, x, y));
	case MUSTER_OP_UREM:
		return keep(z, Z3_mk_bvurem(c, x, y));
	case MUSTER_OP_SREM:
		return keep(z, Z3_mk_bvsrem(c, x, y));
	case MUSTER_OP_AND:
		return keep(z, Z3_mk_bvand(c, x, y));
	case MUSTER_OP_OR:
		return keep(z, Z3_mk_bvor(c, x, y));
	case MUSTER_OP_XOR:
		return keep(z, Z3_mk_bvxor(c, x, y));
	case MUSTER_OP_SHL:
		return keep(z, Z3_mk_bvshl(c, x, y));
	case MUSTER_OP_LSHR:
		return keep(z, Z3_mk_bvlshr(c, x, y));
	case MUSTER_OP_ASHR:
		return keep(z, Z3_mk_bvashr(c, x, y));
	case MUSTER_OP_EQ:
		return equal(z, x, y);
	case MUSTER_OP_NE:
		return negate(z, equal(z, x, y));
	case MUSTER_OP_ULT:
		return keep(z, Z3_mk_bvult(c, x, y));
	case MUSTER_OP_ULE:
		return keep(z, Z3_mk_bvule(c, x, y));
	case MUSTER_OP_SLT:
		return keep(z, Z3_mk_bvslt(c, x, y));
	case MUSTER_OP_SLE:
		return keep(z, Z3_mk_bvsle(c, x, y));
	default:
		return overflow(z, op, width, x, y);
	}
}

/* Both operands of width 1. NULL: there is no Boolean operator for it. */
static Z3_ast boolean(struct z3_backend *z, enum muster_op op, Z3_ast x, Z3_ast y)
{
	Z3_ast both[2] = {x, y};

	switch (op) {
	case MUSTER_OP_MUL:
	case MUSTER_OP_AND:
		return keep(z, Z3_mk_and(z->c, 2, both));
	case MUSTER_OP_OR:
		return keep(z, Z3_mk_or(z->c, 2, both));
	case MUSTER_OP_ADD:
	case MUSTER_OP_SUB:
	case MUSTER_OP_NE:
	case MUSTER_OP_XOR:
		return keep(z, Z3_mk_xor(z->c, x, y));
	case MUSTER_OP_EQ:
		return keep(z, Z3_mk_iff(z->c, x, y));
	default:
		return NULL;
	}
}

static Z3_ast reorder(struct z3_backend *z, unsigned width, unsigned unit, Z3_ast x)
{
	Z3_ast r = extract(z, x, 0, unit);

	for (unsigned i = unit; i < width; i += unit)
		r = keep(z, Z3_mk_concat(z->c, r, extract(z, x, i, unit)));
	return r;
}

static Z3_ast unary(struct z3_backend *z, enum muster_op op, unsigned width, Z3_ast x)
{
	Z3_ast r, one = number64(z, 1, 1);

	if (op == MUSTER_OP_BSWAP)
		return reorder(z, width, 8, x);
	if (op == MUSTER_OP_BITREVERSE)
		return reorder(z, width, 1, x);
	if (op == MUSTER_OP_CTPOP) {
		r = number(z, width, 0);
		for (unsigned i = 0; i < width; i++) {
			Z3_ast bit = extract(z, x, i, 1);

			if (width > 1)
				bit = keep(z, Z3_mk_zero_ext(z->c, width - 1, bit));
			r = keep(z, Z3_mk_bvadd(z->c, r, bit));
		}
		return r;
	}
	r = number(z, width, op_mask(width, width));
	for (unsigned i = width; i-- > 0;) {
		unsigned bit = op == MUSTER_OP_CTLZ ? width - 1 - i : i;

		r = choose(z, equal(z, extract(z, x, bit, 1), one),
			   number(z, width, op_mask(i, width)), r);
	}
	return r;
}

/* ------------------------------------------------------------------- reads */
static Z3_ast table_entry(struct z3_backend *z, expr_t data, uint64_t at, unsigned bytes)
{
	Z3_ast r;
	u128 value = 0, v;
	unsigned i;

	if (bytes > expr_data_count(z->pool, data) || at > expr_data_count(z->pool, data) - bytes)
		return number(z, 8 * bytes, 0);
	for (i = 0; i < bytes && expr_is_const(z->pool, expr_data_byte(z->pool, data, at + i), &v);
	     i++)
		value |= v << 8 * i;
	if (i == bytes)
		return number(z, 8 * bytes, value);
	r = term(z, expr_data_byte(z->pool, data, at));
	for (i = 1; i < bytes; i++)
		r = keep(z, Z3_mk_concat(z->c, term(z, expr_data_byte(z->pool, data, at + i)), r));
	return r;
}

/* A tree over the offset's low bits; bits that Z3 finds constant cut their half off. */
static Z3_ast table_read(struct z3_backend *z, expr_t data, Z3_ast at, unsigned width)
{
	uint64_t count = expr_data_count(z->pool, data), sure = 0, ones = 0;
	Z3_ast bits[64], high, r;
	unsigned low = 0;
	Z3_ast *entry;

	for (; low < 63 && count >> low; low++) {
		Z3_ast bit = keep(z, Z3_simplify(z->c, extract(z, at, low, 1)));

		bits[low] = equal(z, bit, number64(z, 1, 1));
		if (Z3_is_numeral_ast(z->c, bit)) {
			uint64_t v = 0;

			Z3_get_numeral_uint64(z->c, bit, &v);
			sure |= (uint64_t)1 << low;
			ones |= v << low;
		}
	}
	entry = mem_realloc(NULL, (size_t)1 << low, sizeof *entry);
	for (uint64_t v = 0; v < (uint64_t)1 << low; v++)
		entry[v] = (v & sure) == ones ? table_entry(z, data, v, width / 8) : NULL;
	for (unsigned k = 0; k < low; k++) {
		uint64_t half = (uint64_t)1 << (low - 1 - k);

		for (uint64_t v = 0; v < half; v++) {
			Z3_ast no = entry[2 * v], yes = entry[2 * v + 1];

			entry[v] = !no ? yes : !yes ? no : choose(z, bits[k], yes, no);
		}
	}
	r = entry[0];
	free(entry);
	high = extract(z, at, low, 64 - low);
	return choose(z, equal(z, high, number64(z, 64 - low, 0)), r, number(z, width, 0));
}

/* -------------------------------------------------------------- conversion */
static Z3_ast variable(struct z3_backend *z, expr_t e, unsigned width)
{
	Z3_sort sort = width == 1 ? Z3_mk_bool_sort(z->c) : Z3_mk_bv_sort(z->c, width);

	return keep(z, Z3_mk_const(z->c, Z3_mk_int_symbol(z->c, (int)(e & 0x3fffffff)), sort));
}

/* An application; functions are told apart by name, result and number and widths of arguments. */
static Z3_ast apply(struct z3_backend *z, expr_t e, const struct expr_node *n)
{
	unsigned count = expr_arguments(z->pool, e, NULL, 0);
	expr_t *operand = mem_realloc(NULL, count + 1, sizeof *operand);
	Z3_sort *domain = mem_realloc(NULL, count + 1, sizeof *domain), range = Z3_mk_bv_sort(z->c, n->width);
	Z3_ast *arg = mem_realloc(NULL, count + 1, sizeof *arg), r;
	Z3_func_decl f;

	z->functions = 1;
	expr_arguments(z->pool, e, operand, count);
	for (unsigned i = 0; i < count; i++)
		arg[i] = bit_vector(z, operand[i]);
	for (unsigned i = 0; i < count; i++)
		domain[i] = Z3_get_sort(z->c, arg[i]);
	f = Z3_mk_func_decl(z->c, Z3_mk_string_symbol(z->c, expr_name(z->pool, e)), count, domain,
			    range);
	keep(z, Z3_func_decl_to_ast(z->c, f));
	r = keep(z, Z3_mk_app(z->c, f, count, arg));
	free(operand);
	free(domain);
	free(arg);
	return n->width == 1 ? equal(z, r, number64(z, 1, 1)) : r;
}

static Z3_ast special(struct z3_backend *z, const struct expr_node *n)
{
	Z3_ast x = bit_vector(z, n->a);
	unsigned more = n->width - expr_width(z->pool, n->a);

	switch (n->op) {
	case MUSTER_OP_EXTRACT:
		return extract(z, x, (unsigned)n->k, n->width);
	case MUSTER_OP_ZEXT:
		return keep(z, Z3_mk_zero_ext(z->c, more, x));
	case MUSTER_OP_SEXT:
		return keep(z, Z3_mk_sign_ext(z->c, more, x));
	case MUSTER_OP_CONCAT:
		return keep(z, Z3_mk_concat(z->c, x, bit_vector(z, n->b)));
	case MUSTER_OP_READ:
		return table_read(z, n->b, x, n->width);
	default:
		return unary(z, n->op, n->width, x);
	}
}

static Z3_ast array(struct z3_backend *z, expr_t e, const struct expr_node *n)
{
	z->arrays = 1;
	switch (n->op) {
	case EXPR_OP_ARRAY:
		return keep(z, Z3_mk_const(z->c, Z3_mk_int_symbol(z->c, (int)(e & 0x3fffffff)),
					   Z3_mk_array_sort(z->c, Z3_mk_bv_sort(z->c, 64), Z3_mk_bv_sort(z->c, 8))));
	case EXPR_OP_WRITE:
		return keep(z, Z3_mk_store(z->c, term(z, n->a), term(z, n->b), term(z, n->c)));
	case EXPR_OP_SELECT:
		return keep(z, Z3_mk_select(z->c, term(z, n->a), term(z, n->b)));
	default: /* a FILL is below no byte that is read */
		z->failed = 1;
		return keep(z, Z3_mk_false(z->c));
	}
}

static Z3_ast convert(struct z3_backend *z, expr_t e)
{
	const struct expr_node *n = expr_get(z->pool, e);
	unsigned from;
	Z3_ast r;

	switch (n->op) {
	case MUSTER_OP_INPUT:
	case MUSTER_OP_LENGTH:
	case EXPR_OP_NAMED:
		return variable(z, e, n->width);
	case EXPR_OP_APPLY:
		return apply(z, e, n);
	case MUSTER_OP_CONST:
		if (n->width == 1)
			return keep(z, n->k ? Z3_mk_true(z->c) : Z3_mk_false(z->c));
		return number(z, n->width, (u128)n->high << 64 | n->k);
	case MUSTER_OP_DATA:
	case EXPR_OP_LIST:
		return keep(z, Z3_mk_true(z->c)); /* not looked at */
	case EXPR_OP_ARRAY:
	case EXPR_OP_SELECT:
	case EXPR_OP_WRITE:
	case EXPR_OP_FILL:
		return array(z, e, n);
	case MUSTER_OP_ITE:
		return choose(z, term(z, n->a), term(z, n->b), term(z, n->c));
	}
	from = expr_width(z->pool, n->a);
	if (op_table[n->op].shape == OP_SAME || op_table[n->op].shape == OP_TEST) {
		r = from == 1 ? boolean(z, n->op, term(z, n->a), term(z, n->b)) : NULL;
		if (r)
			return r;
		r = binary(z, n->op, from, bit_vector(z, n->a), bit_vector(z, n->b));
		if (op_table[n->op].shape == OP_TEST)
			return r;
	} else {
		r = special(z, n);
	}
	return n->width == 1 ? equal(z, r, number64(z, 1, 1)) : r;
}

/* Puts those operands on the stack that are not converted yet; 0 if all are. */
static int wants(struct z3_backend *z, expr_t e)
{
	size_t before = z->stack.size;
	expr_t operand[3];
	unsigned count = expr_operands(z->pool, e, operand);

	for (unsigned i = 0; i < count; i++)
		if (!map_get(&z->terms, operand[i], NULL))
			vec_push(&z->stack, operand[i]);
	if (expr_get(z->pool, e)->op == MUSTER_OP_DATA)
		for (uint64_t i = 0; i < expr_data_count(z->pool, e); i++) {
			expr_t x = expr_data_byte(z->pool, e, i);

			if (!map_get(&z->terms, x, NULL))
				vec_push(&z->stack, x);
		}
	return z->stack.size > before;
}

/* NULL: the time is over; a later call goes on from here. */
static Z3_ast z3_term(struct z3_backend *z, expr_t e, double deadline)
{
	unsigned steps = 0;

	vec_clear(&z->stack);
	vec_push(&z->stack, e);
	while (z->stack.size) {
		expr_t x = vec_last(&z->stack);

		if (deadline != 0 && ++steps % 64 == 0 && deadline_processor() > deadline)
			return NULL;
		if (map_get(&z->terms, x, NULL)) {
			z->stack.size--;
		} else if (!wants(z, x)) {
			/* What convert() gives is held already; hold it once more, at a place of
			 * its own. */
			keep(z, convert(z, x));
			map_set(&z->terms, x, z->objects.size - 1);
			z->stack.size--;
		}
	}
	return term(z, e);
}

/* ----------------------------------------------------------------- solving */
static void z3_limit(struct z3_backend *z, Z3_solver s, const struct backend_limits *l,
		     double deadline)
{
	Z3_params params = Z3_mk_params(z->c);
	double left = deadline != 0 ? (deadline - deadline_processor()) / 2 * 1000 : 0;
	uint64_t rlimit = l->rlimit / 2 > UINT32_MAX ? UINT32_MAX : l->rlimit / 2;

	Z3_params_inc_ref(z->c, params);
	Z3_params_set_bool(z->c, params, Z3_mk_string_symbol(z->c, "ctrl_c"), 0);
	if (deadline != 0)
		Z3_params_set_uint(z->c, params, Z3_mk_string_symbol(z->c, "timeout"),
				   left < 1 ? 1 : (unsigned)left);
	if (rlimit)
		Z3_params_set_uint(z->c, params, Z3_mk_string_symbol(z->c, "rlimit"),
				   (unsigned)rlimit);
	Z3_solver_set_params(z->c, s, params);
	Z3_params_dec_ref(z->c, params);
}

static enum verdict z3_ask(struct z3_backend *z, Z3_solver s, Z3_ast assumption)
{
	switch (Z3_solver_check_assumptions(z->c, s, assumption != NULL, &assumption)) {
	case Z3_L_FALSE:
		return VERDICT_UNSAT;
	case Z3_L_TRUE:
		z->model = Z3_solver_get_model(z->c, s);
		if (!z->model)
			return VERDICT_UNKNOWN;
		Z3_model_inc_ref(z->c, z->model);
		return VERDICT_SAT;
	default:
		return VERDICT_UNKNOWN;
	}
}

/* The goal under a name that is assumed for this query: Z3 takes up what was asserted when it checks, and looks at its limits then. At
 * a push it does so, too, for seconds if terms are deep, and looks at nothing. */
static enum verdict z3_incremental(struct z3_backend *z, Z3_ast goal,
				   const struct backend_limits *l, double deadline)
{
	Z3_ast name = NULL;

	z3_limit(z, z->solver, l, deadline);
	if (goal) {
		name = keep(z, Z3_mk_fresh_const(z->c, "goal", Z3_mk_bool_sort(z->c)));
		Z3_solver_assert(z->c, z->solver, keep(z, Z3_mk_implies(z->c, name, goal)));
	}
	return z3_ask(z, z->solver, name);
}

static enum verdict z3_fresh(struct z3_backend *z, Z3_ast goal, const struct backend_limits *l,
			     double deadline)
{
	const char *logic = z->arrays ? "QF_AUFBV" : z->functions ? "QF_UFBV" : "QF_BV";
	Z3_solver s = Z3_mk_solver_for_logic(z->c, Z3_mk_string_symbol(z->c, logic));
	enum verdict v;

	Z3_solver_inc_ref(z->c, s);
	z3_limit(z, s, l, deadline);
	for (size_t i = 0; i < z->asserted.size; i++)
		Z3_solver_assert(z->c, s, term(z, z->asserted.data[i]));
	if (goal)
		Z3_solver_assert(z->c, s, goal);
	v = z3_ask(z, s, NULL);
	Z3_solver_dec_ref(z->c, s);
	return v;
}

static void z3_forget_model(struct z3_backend *z)
{
	if (z->model)
		Z3_model_dec_ref(z->c, z->model);
	z->model = NULL;
}

static enum verdict z3_check(struct backend *backend, expr_t assumption,
			     const struct backend_limits *l)
{
	struct z3_backend *z = z3_of(backend);
	double deadline = l->seconds > 0 ? deadline_processor() + l->seconds : 0;
	Z3_ast goal = NULL;
	enum verdict v;

	z3_forget_model(z);
	for (; z->asserted_done < z->asserted.size; z->asserted_done++) {
		Z3_ast x = z3_term(z, z->asserted.data[z->asserted_done], deadline);

		if (!x)
			return VERDICT_UNKNOWN;
		Z3_solver_assert(z->c, z->solver, x);
	}
	if (assumption != EXPR_NONE) {
		goal = z3_term(z, assumption, deadline);
		if (!goal)
			return VERDICT_UNKNOWN;
	}
	if (z->failed)
		return VERDICT_UNKNOWN;
	v = z3_incremental(z, goal, l, deadline);
	if (v == VERDICT_UNKNOWN && (deadline == 0 || deadline_processor() < deadline))
		v = z3_fresh(z, goal, l, deadline);
	return v;
}

static uint64_t z3_value64(struct z3_backend *z, Z3_ast x)
{
	Z3_ast value = NULL;
	uint64_t v = 0;

	if (!Z3_model_eval(z->c, z->model, x, 1, &value) || !value)
		return 0;
	value = keep(z, value);
	if (Z3_is_numeral_ast(z->c, value))
		Z3_get_numeral_uint64(z->c, value, &v);
	return v;
}

static u128 z3_value(struct backend *backend, expr_t e)
{
	struct z3_backend *z = z3_of(backend);
	unsigned width = expr_width(z->pool, e);
	Z3_ast x;

	if (!z->model || (!map_get(&z->terms, e, NULL) && !z3_term(z, e, 0)))
		return 0;
	x = bit_vector(z, e);
	if (width <= 64)
		return z3_value64(z, x);
	return (u128)z3_value64(z, extract(z, x, 64, width - 64)) << 64 |
	       z3_value64(z, extract(z, x, 0, 64));
}

/* ------------------------------------------------------------------- life */
static struct backend *z3_open(const struct backend *kind, struct exprs *p)
{
	struct z3_backend *z = mem_zalloc(sizeof *z);

	z->backend = *kind;
	z->pool = p;
	z->c = z3_context();
	z->solver = Z3_mk_simple_solver(z->c);
	Z3_solver_inc_ref(z->c, z->solver);
	return &z->backend;
}

static void z3_close(struct backend *backend)
{
	struct z3_backend *z = z3_of(backend);

	z3_forget_model(z);
	Z3_solver_dec_ref(z->c, z->solver);
	for (size_t i = z->objects.size; i-- > 0;)
		Z3_dec_ref(z->c, z->objects.data[i]);
	z3_thread.open--;
	map_release(&z->terms);
	vec_release(&z->objects);
	vec_release(&z->stack);
	vec_release(&z->asserted);
	free(z);
}

static void z3_assert(struct backend *backend, expr_t constraint)
{
	vec_push(&z3_of(backend)->asserted, constraint);
}

static void z3_want(struct backend *backend, expr_t e)
{
	(void)backend;
	(void)e;
}

static uint64_t z3_bytes(const struct backend *backend)
{
	(void)backend;
	return Z3_get_estimated_alloc_size(); /* of all together */
}

const struct backend backend_z3_here = {
    .name = "z3 in this process",
    .open = z3_open,
    .close = z3_close,
    .assert_term = z3_assert,
    .want = z3_want,
    .check = z3_check,
    .value = z3_value,
    .bytes = z3_bytes,
};
