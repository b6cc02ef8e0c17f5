/* test_vc.c: code as terms: ends of paths, memory, callbacks of calls and loops.
 *
 * tests/vc compares thousands of runs with the compiled code; here are the things that a run does not show: what ends a path and why, summaries,
 * havoc, cuts with invariants that a solver proves, arrays without a size, limits.
 */
#include "code_unit.h"

#include "base/mem.h"
#include "solve/solve.h"
#include "vc/vc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct exprs *p;
static struct code *c;
static struct vc *v;
static struct solver *s;
static struct vc_outcome out;

static void begin(const char *text, const struct vc_options *o)
{
	c = load(text);
	p = exprs_new();
	v = vc_new(p, c, o);
	s = solver_new(&(struct solve_options){.z3_rlimit = 20000000});
}

static void end(void)
{
	solver_free(s);
	vc_free(v);
	exprs_free(p);
	code_free(c);
}

static expr_t number(unsigned width, u128 value)
{
	return expr_const(p, width, value);
}

static expr_t named(const char *name)
{
	return expr_named(p, 32, name);
}

/* Is it true for all values of the variables, given what is known about addresses? */
static int valid(expr_t e)
{
	expr_t f[2] = {vc_facts(v), expr_not(p, e)};
	struct solve_model m;
	enum verdict answer = solve_formula(s, p, f, 2, &m);
	solve_model_release(&m);
	assert_int_not_equal(answer, VERDICT_UNKNOWN);
	return answer == VERDICT_UNSAT;
}

static int possible(expr_t e)
{
	return !valid(expr_not(p, e));
}

static const struct vc_end *the_end(enum vc_end_kind kind)
{
	size_t n;
	const struct vc_end *e = vc_ends(v, &n), *found = NULL;
	for (size_t i = 0; i < n; i++)
		if (e[i].kind == kind) {
			assert_null(found);
			found = &e[i];
		}
	assert_non_null(found);
	return found;
}

static expr_t implies(expr_t a, expr_t b)
{
	return expr_or(p, expr_not(p, a), b);
}

/* ------------------------------------------------------------ ends */
static void test_ends(void **unused)
{
	(void)unused;
	begin("void abort(void) __attribute__((noreturn)); int other(int);\n"
	      "int f(int x, int y) { if (x == 1) abort(); if (x == 2) return 7 / y; if (x == 3) return other(y); if (x == 4) __builtin_unreachable();\n"
	      " int n = 0; while (x > 100) { x--; n++; } return n; }\n",
	      &(struct vc_options){.unroll = 5});
	expr_t x = named("x"), y = named("y"), args[2] = {x, y}, any = expr_false(p), zero = number(32, 0);
	size_t n;
	vc_run(v, function(c, "f"), args, &out);
	const struct vc_end *e = vc_ends(v, &n);
	for (size_t i = 0; i < n; i++) { /* one end for each start */
		any = expr_or(p, any, e[i].guard);
		for (size_t k = 0; k < i; k++)
			assert_true(valid(expr_not(p, expr_and(p, e[i].guard, e[k].guard))));
	}
	assert_true(valid(any));
	assert_true(valid(expr_eq(p, vc_ends_by(v, VC_EXIT), expr_eq(p, x, number(32, 1)))));
	assert_true(valid(expr_eq(p, vc_ends_by(v, VC_UNDEFINED), expr_and(p, expr_eq(p, x, number(32, 2)), expr_eq(p, y, zero)))));
	assert_true(valid(expr_eq(p, vc_ends_by(v, VC_UNKNOWN), expr_eq(p, x, number(32, 3)))));
	assert_true(valid(expr_eq(p, vc_ends_by(v, VC_UNREACHABLE), expr_eq(p, x, number(32, 4)))));
	assert_true(valid(expr_eq(p, vc_ends_by(v, VC_BOUND), expr_binary(p, MUSTER_OP_SLT, number(32, 104), x))));
	assert_string_equal(the_end(VC_EXIT)->why, "abort");
	assert_string_equal(the_end(VC_UNKNOWN)->why, "a call of a function without a body");
	assert_int_equal(the_end(VC_UNKNOWN)->f->values[the_end(VC_UNKNOWN)->at].op, CODE_CALL);
	end();
	/* what is not modelled is no guess: it ends the path where it matters, and only there */
	begin("int f(double d, int x) { int k = (int)d; if (x > 3) return x; return k; }\n"
	      "int g(volatile int *q) { return *q; }\n"
	      "int h(int n) { int a[n + 1]; a[n] = 3; return a[n]; }\n"
	      "int i(int **q) { return **q; }\n"
	      "float j(float *q, float x) { *q = x; return x; }\n",
	      NULL);
	expr_t a2[2] = {EXPR_NONE, named("x")};
	vc_run(v, function(c, "f"), a2, &out);
	assert_int_equal(out.value, EXPR_NONE);
	assert_int_equal(out.returns, expr_true(p));
	uint32_t q = vc_object(v, "q", 16);
	expr_t at = vc_address(v, q);
	for (unsigned i = 0; i < 4; i++) {
		static const char *const names[] = {"g", "h", "i", "j"};
		expr_t a3[2] = {i == 1 ? named("n") : at, EXPR_NONE};
		vc_run(v, function(c, names[i]), a3, &out);
		assert_int_equal(vc_ends_by(v, VC_UNKNOWN), expr_true(p));
		assert_int_equal(out.returns, expr_false(p));
	}
	end();
}

static void test_limits(void **unused)
{
	(void)unused;
	begin("int f(int x) { int n = 0; for (int i = 0; i < x; i++) n += i; return n; } int g(int x) { return x ? g(x - 1) : 0; }", &(struct vc_options){.steps = 40, .depth = 3});
	expr_t x = named("x");
	size_t n;
	vc_run(v, function(c, "f"), &x, &out);
	const struct vc_end *e = vc_ends(v, &n);
	assert_int_equal(n, 1); /* one end stands for all */
	assert_true(e->kind == VC_UNKNOWN && e->guard == expr_true(p) && out.returns == expr_false(p));
	end();
	begin("int g(int x) { return x ? g(x - 1) : 0; }", &(struct vc_options){.depth = 3});
	x = named("x");
	vc_run(v, function(c, "g"), &x, &out);
	assert_true(valid(expr_eq(p, vc_ends_by(v, VC_BOUND), expr_binary(p, MUSTER_OP_ULT, number(32, 3), x))));
	end();
}

/* ------------------------------------------------------------ memory */
static void test_memory(void **unused)
{
	(void)unused;
	begin("int f(int *a, int *b, int c) { int *t = c ? a : b; *t = 5; return *a; }\n"
	      "int dead(void) { int *keep; { int x = 3; keep = &x; } return *keep; } int *local(void) { int x = 1; int *r = &x; return r; } int use(void) { return *local(); }\n"
	      "int bounds(unsigned i) { int a[4]; a[0] = 1; a[1] = 2; a[2] = 3; a[3] = 4; return a[i]; }\n"
	      "const struct { char c; int a[2]; } table = {1, {2, 3}}; int look(unsigned i) { return table.a[i & 1] + table.c; } void write(int *a) { *a = 1; }\n"
	      "_Bool same(char *a, char *b) { return a == b; }\n",
	      NULL);
	uint32_t a = vc_object(v, "a", 4), b = vc_object(v, "b", 4);
	expr_t cond = named("c"), zero = number(64, 0), args[3] = {vc_address(v, a), vc_address(v, b), cond};
	expr_t before = expr_array_read(p, vc_object_start(v, a), zero, 32);
	vc_run(v, function(c, "f"), args, &out);
	expr_t is = expr_not(p, expr_eq(p, cond, number(32, 0)));
	assert_int_equal(out.returns, expr_true(p));
	assert_true(valid(expr_eq(p, out.value, expr_ite(p, is, number(32, 5), before))));
	assert_true(valid(expr_eq(p, vc_read(v, out.memory, b, zero, 32),
				  expr_ite(p, is, expr_array_read(p, vc_object_start(v, b), zero, 32), number(32, 5)))));
	args[1] = args[0]; /* aliases */
	vc_run(v, function(c, "f"), args, &out);
	assert_true(valid(expr_eq(p, out.value, number(32, 5))));
	args[0] = zero; /* null */
	vc_run(v, function(c, "f"), args, &out);
	assert_int_equal(vc_ends_by(v, VC_UNDEFINED), expr_true(p));
	vc_run(v, function(c, "use"), NULL, &out);
	assert_string_equal(the_end(VC_UNDEFINED)->why, "an access to an object that is no longer there");
	expr_t i = named("i");
	vc_run(v, function(c, "bounds"), &i, &out);
	assert_true(valid(expr_eq(p, vc_ends_by(v, VC_UNDEFINED), expr_binary(p, MUSTER_OP_ULE, number(32, 4), i))));
	assert_true(valid(implies(out.returns, expr_eq(p, out.value, expr_binary(p, MUSTER_OP_ADD, i, number(32, 1))))));
	for (uint32_t g = 0; g < c->global_count; g++)
		if (!strcmp(c->globals[g].name, "table")) {
			expr_t to = vc_address(v, vc_global(v, g));
			vc_run(v, function(c, "write"), &to, &out);
			assert_string_equal(the_end(VC_UNDEFINED)->why, "a write to a constant");
			vc_run(v, function(c, "look"), &i, &out);
			assert_true(valid(expr_eq(p, out.value, expr_binary(p, MUSTER_OP_ADD, expr_binary(p, MUSTER_OP_AND, i, number(32, 1)), number(32, 3)))));
		}
	/* one past the end of an object may be where another begins */
	expr_t ends[2] = {expr_binary(p, MUSTER_OP_ADD, vc_address(v, a), number(64, 4)), vc_address(v, b)};
	vc_run(v, function(c, "same"), ends, &out);
	assert_true(possible(out.value) && possible(expr_not(p, out.value)));
	ends[0] = vc_address(v, a);
	vc_run(v, function(c, "same"), ends, &out);
	assert_int_equal(out.value, expr_false(p));
	end();
}

/* Objects without a constant size are arrays that Z3 reads. */
static void test_unbounded(void **unused)
{
	(void)unused;
	begin("unsigned char f(unsigned char *a, unsigned long i, unsigned long j) { a[i] = 1; a[j] = 2; return a[i]; }\n"
	      "unsigned char g(unsigned char *a, unsigned long n) { __builtin_memset(a, 7, n); return a[3]; }\n"
	      "int h(unsigned char *a, unsigned char *b) { __builtin_memcpy(a, b, 4); int x; __builtin_memcpy(&x, a, 4); return x; }\n",
	      NULL);
	expr_t size = expr_named(p, 64, "size"), i = expr_named(p, 64, "i"), j = expr_named(p, 64, "j");
	uint32_t a = vc_object_sized(v, "A", size), b = vc_object_sized(v, "B", EXPR_NONE);
	expr_t args[3] = {vc_address(v, a), i, j};
	vc_run(v, function(c, "f"), args, &out);
	assert_true(valid(expr_eq(p, out.returns, expr_and(p, expr_binary(p, MUSTER_OP_ULT, i, size), expr_binary(p, MUSTER_OP_ULT, j, size)))));
	assert_true(valid(implies(out.returns, expr_eq(p, out.value, expr_ite(p, expr_eq(p, i, j), number(8, 2), number(8, 1))))));
	vc_run(v, function(c, "g"), args, &out);
	expr_t three = number(64, 3), old = expr_array_select(p, vc_object_start(v, a), three);
	assert_true(valid(implies(out.returns, expr_eq(p, out.value, expr_ite(p, expr_binary(p, MUSTER_OP_ULT, three, i), number(8, 7), old)))));
	assert_true(possible(out.returns));
	args[1] = vc_address(v, b);
	vc_run(v, function(c, "h"), args, &out);
	assert_true(valid(expr_eq(p, out.value, expr_array_read(p, vc_object_start(v, b), number(64, 0), 32))) ||
		    valid(implies(out.returns, expr_eq(p, out.value, expr_array_read(p, vc_object_start(v, b), number(64, 0), 32)))));
	end();
}

/* ------------------------------------------------------------ calls */
static enum vc_call_how by_name(void *ctx, struct vc_call *call)
{
	unsigned *seen = ctx;
	(*seen)++;
	if (!call->target)
		return VC_CALL_HAVOC;
	if (!strcmp(call->target->name, "summary")) { /* writes 9 to what it is given, returns the double, fails for 13 */
		vc_state_store(call, call->args[1], number(32, 9));
		vc_state_end(call, VC_EXIT, expr_eq(p, call->args[0], number(32, 13)), "thirteen");
		call->result = expr_binary(p, MUSTER_OP_ADD, call->args[0], call->args[0]);
		return VC_CALL_DONE;
	}
	return strcmp(call->target->name, "inlined") ? VC_CALL_HAVOC : VC_CALL_INLINE;
}

static void test_calls(void **unused)
{
	(void)unused;
	unsigned seen = 0;
	begin("int summary(int x, int *to); int unknown(int *); int (*pointer)(int);\n"
	      "int g, untouched; static int hidden;\n"
	      "static int inlined(int x) { return x + 1; }\n"
	      "__attribute__((noinline)) int known(int x, int *to) { g = x; *to = x; return x; }\n"
	      "int f(int x) { int y = 0, z = 0; int r = summary(x, &y); return r + y + inlined(z); }\n"
	      "int h(int x) { int mine = 5, theirs = 6; g = 1; untouched = 2; known(x, &theirs); return mine + untouched; }\n"
	      "int later(int x) { int mine = 5; unknown(&mine); mine = 6; unknown(0); return mine; }\n"
	      "extern int weak(void) __attribute__((weak)); int has(void) { return weak != 0; }\n"
	      "int k(int x) { int mine = 5, theirs = 6; hidden = 3; unknown(&theirs); return mine + hidden * 0 + theirs; }\n",
	      &(struct vc_options){.call = by_name, .ctx = &seen});
	expr_t x = named("x"), ten = number(32, 10);
	vc_run(v, function(c, "f"), &x, &out);
	assert_int_equal(seen, 2);
	assert_true(valid(expr_eq(p, out.returns, expr_not(p, expr_eq(p, x, number(32, 13))))));
	assert_true(valid(implies(out.returns, expr_eq(p, out.value, expr_binary(p, MUSTER_OP_ADD, expr_binary(p, MUSTER_OP_ADD, x, x), ten)))));
	/* mod/ref: what the callee does not touch keeps its value, the rest may be anything */
	vc_run(v, function(c, "h"), &x, &out);
	assert_true(valid(expr_eq(p, out.value, number(32, 7))));
	for (uint32_t g = 0; g < c->global_count; g++)
		if (!strcmp(c->globals[g].name, "g"))
			assert_true(possible(expr_eq(p, vc_read(v, out.memory, vc_global(v, g), number(64, 0), 32), ten)));
	vc_run(v, function(c, "k"), &x, &out);
	assert_true(possible(expr_eq(p, out.value, ten)) && possible(expr_eq(p, out.value, number(32, 11))));
	/* a callee that is not followed may have kept the address */
	vc_run(v, function(c, "later"), &x, &out);
	assert_true(possible(expr_eq(p, out.value, ten)) && possible(expr_eq(p, out.value, number(32, 6))));
	/* nobody may have defined it */
	vc_run(v, function(c, "has"), NULL, &out);
	assert_true(possible(expr_eq(p, out.value, number(32, 0))) && possible(expr_eq(p, out.value, number(32, 1))));
	end();
}

/* ------------------------------------------------------------ loops */
struct cutting {
	int wrong; /* an invariant that does not hold */
};

static enum vc_loop_how cut(void *ctx, struct vc_loop *l)
{
	(void)ctx, (void)l;
	return VC_LOOP_CUT;
}

/* Of sum(): 2 * s == i * (i - 1), i <= n; by the phis' order in the code. */
static expr_t invariant(void *ctx, const struct vc_loop *l)
{
	const struct cutting *x = ctx;
	const struct code_block *b = &l->f->blocks[l->f->loops[l->loop].header];
	expr_t phi[2];
	unsigned n = 0;
	for (uint32_t i = b->first; l->f->values[i].op == CODE_PHI; i++)
		phi[n++] = l->values[i];
	assert_int_equal(n, 2);
	expr_t sum = phi[0], i = phi[1], bound = expr_binary(p, MUSTER_OP_ULE, i, named("n"));
	if (expr_get(p, sum)->op == MUSTER_OP_CONST && x->wrong)
		return expr_true(p);
	expr_t is = expr_eq(p, sum, expr_binary(p, MUSTER_OP_MUL, i, number(32, x->wrong ? 4 : 3)));
	return expr_and(p, is, bound);
}

static void test_cut(void **unused)
{
	(void)unused;
	for (int wrong = 0; wrong < 2; wrong++) {
		struct cutting x = {wrong};
		begin("int g; unsigned sum(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; i++) { s += 3; g = (int)i; } return s; }",
		      &(struct vc_options){.loop = cut, .invariant = invariant, .ctx = &x});
		expr_t n = named("n");
		size_t count;
		int proved = 1;
		vc_run(v, function(c, "sum"), &n, &out);
		const struct vc_obligation *o = vc_obligations(v, &count);
		assert_int_equal(count, 2);
		for (size_t i = 0; i < count; i++)
			proved &= valid(implies(o[i].guard, o[i].condition));
		assert_int_equal(proved, !wrong);
		if (!wrong)
			assert_true(valid(implies(out.returns, expr_eq(p, out.value, expr_binary(p, MUSTER_OP_MUL, n, number(32, 3))))));
		the_end(VC_CUT);
		/* what the loop writes may be anything after it */
		uint32_t g = vc_global(v, 0);
		assert_true(possible(expr_and(p, out.returns, expr_eq(p, vc_read(v, out.memory, g, number(64, 0), 32), number(32, 77)))));
		end();
	}
}

/* Of beside(): s == times * i at each visit of the header. */
static expr_t three_each(void *ctx, const struct vc_loop *l)
{
	const struct code_function *f = l->f;
	const struct code_block *b = &f->blocks[f->loops[l->loop].header];
	uint32_t i = code_operand(f, nth(f, CODE_ULT, 0), 0), after = code_operand(f, nth(f, CODE_ADD, 1), 0);
	uint32_t phi = f->values[i].block == f->loops[l->loop].header ? i : after, sum = b->first == phi ? phi + 1 : b->first;
	assert_int_equal(f->values[phi].op, CODE_PHI);
	assert_int_equal(f->values[sum].op, CODE_PHI);
	return expr_eq(p, l->values[sum], expr_binary(p, MUSTER_OP_MUL, l->values[phi], number(32, *(unsigned *)ctx)));
}

/* A loop that is entered at its header and beside it, cut: the invariant is to hold at the first visit of the header by either. */
static void test_cut_beside(void **unused)
{
	(void)unused;
	for (unsigned times = 3; times < 5; times++) {
		begin("unsigned g; unsigned beside(unsigned n, unsigned k) { unsigned s = 0, i = 0; if (k) goto in; while (i < n) { g = i; in: s += 3; i++; } return s - 3 * i; }",
		      &(struct vc_options){.loop = cut, .invariant = three_each, .ctx = &times});
		expr_t args[2] = {named("n"), named("k")};
		size_t count;
		int proved = 1;
		assert_true(function(c, "beside")->loops[0].irreducible);
		vc_run(v, function(c, "beside"), args, &out);
		const struct vc_obligation *o = vc_obligations(v, &count);
		assert_int_equal(count, 2);
		for (size_t i = 0; i < count; i++)
			proved &= valid(implies(o[i].guard, o[i].condition));
		assert_int_equal(proved, times == 3);
		assert_int_equal(valid(implies(out.returns, expr_eq(p, out.value, number(32, 0)))), times == 3);
		assert_int_equal(vc_ends_by(v, VC_UNKNOWN), expr_false(p));
		the_end(VC_CUT);
		for (unsigned k = 0; k < 2; k++) /* by either entry it comes to the end, and what the loop writes may be anything then */
			for (unsigned is = 76; is < 78; is++)
				assert_true(possible(expr_and(p, expr_and(p, out.returns, expr_eq(p, args[1], number(32, k))),
							      expr_eq(p, vc_read(v, out.memory, vc_global(v, 0), number(64, 0), 32), number(32, is)))));
		end();
	}
}

/* ------------------------------------------------------------ one iteration */
static expr_t by_number(void *unused, struct vc_point *at)
{
	char name[32];
	const struct code_value *is = &at->f->values[at->at];
	(void)unused;
	if (is->kind == CODE_INSTRUCTION && is->op != CODE_PHI && is->op != CODE_LOAD && !at->decides)
		return is->op == CODE_GEP ? VC_LOST : EXPR_NONE; /* as the code says */
	snprintf(name, sizeof name, "v%u", at->at);
	return at->width ? expr_named(p, at->width, name) : VC_LOST;
}

static expr_t numbered(uint32_t value)
{
	char name[32];
	snprintf(name, sizeof name, "v%u", value);
	return named(name);
}

/* n + 1 is from before the loop, a load is what the callback says, and where nothing but the way to the header is in question no condition is left. */
static void test_iteration(void **unused)
{
	(void)unused;
	begin("unsigned f(unsigned n, unsigned *a) { unsigned s = 0; n = n + 1; for (unsigned i = 0; i < n; i++) if (a[i] == 7) s += i; return s; }"
	      "unsigned g(unsigned n, unsigned k) { unsigned i = 0; if (k) goto in; while (i < n) { i += 5; in: i += k; } return i; }",
	      &(struct vc_options){.bare = 1, .value = by_number});
	const struct code_function *f = function(c, "f"), *g = function(c, "g");
	expr_t *values = mem_zalloc((f->value_count + g->value_count) * sizeof *values), *taken = mem_zalloc((f->edge_count + g->edge_count) * sizeof *taken);
	uint32_t is_less = nth(f, CODE_ULT, 0), i = code_operand(f, is_less, 0), phi = f->blocks[f->loops[0].header].first, sum = phi == i ? i + 1 : phi;
	uint32_t is_seven = nth(f, CODE_EQ, 0), yes = f->blocks[f->values[is_seven].block].first_edge + 1;
	expr_t seven = expr_eq(p, numbered(nth(f, CODE_LOAD, 0)), number(32, 7)), more = expr_binary(p, MUSTER_OP_ADD, numbered(sum), numbered(i));
	expr_t again = vc_iteration(v, f, 0, CODE_NONE, values, taken);
	assert_int_equal(again, expr_binary(p, MUSTER_OP_ULT, numbered(i), expr_binary(p, MUSTER_OP_ADD, numbered(0), number(32, 1))));
	assert_int_equal(taken[yes], seven);
	assert_int_equal(values[i], expr_binary(p, MUSTER_OP_ADD, numbered(i), number(32, 1)));
	assert_int_equal(values[sum], expr_ite(p, seven, more, numbered(sum)));
	/* beside the header: i is 0 there, and the header is reached in any case */
	const struct code_loop *l = &g->loops[0];
	uint32_t beside = CODE_NONE, compared = code_operand(g, nth(g, CODE_ULT, 0), 0);
	assert_true(l->irreducible);
	for (uint32_t k = 0; k < l->entries; k++)
		if (g->edges[g->loop_edges[l->first_entry + k]].to != l->header)
			beside = g->loop_edges[l->first_entry + k];
	memset(values, 0, g->value_count * sizeof *values);
	again = vc_iteration(v, g, 0, beside, values, NULL);
	if (g->values[compared].block == l->header) {
		assert_int_equal(again, expr_true(p));
		assert_int_equal(values[compared], numbered(1));
	} else { /* the other entry is the header */
		assert_int_equal(again, expr_binary(p, MUSTER_OP_ULT, number(32, 0), numbered(0)));
	}
	free(values);
	free(taken);
	end();
}

/* ------------------------------------------------------------ regions */
static expr_t as_at_start(void *unused, struct vc_point *at)
{
	char name[32];
	(void)unused;
	snprintf(name, sizeof name, "v%u", at->at);
	return at->outside && at->width ? expr_named(p, at->width, name) : EXPR_NONE;
}

/* The same code, begun at the comparison: in one loop, and in the inner one of two. */
static unsigned one(unsigned n, unsigned k, unsigned i, unsigned s)
{
	goto in;
	for (; i < n; i++) {
		s += i;
	in:
		if (s == k)
			s ^= 5;
	}
	return s * 3;
}

static unsigned two(unsigned n, unsigned k, unsigned i, unsigned s, unsigned j)
{
	goto in;
	for (; i < n; i++) {
		for (; j < n; j++) {
			s += j;
		in:
			if (s == k)
				s ^= 5;
		}
		s += 7 * i;
		j = 0;
	}
	return s * 3;
}

struct start {
	uint32_t i, s, j;
	unsigned is[5]; /* n, k, i, s, j */
};

static u128 of_start(void *ctx, expr_t e)
{
	const struct start *x = ctx;
	uint32_t ids[5] = {0, 1, x->i, x->s, x->j};
	for (unsigned k = 0; k < 5; k++)
		if (e == numbered(ids[k]))
			return x->is[k];
	fail_msg("another variable than those at the start");
	return 0;
}

static void check_region(const struct code_function *f, struct start x, int is_two)
{
	uint32_t from = nth(f, CODE_EQ, 0), to = code_operand(f, nth(f, CODE_RETURN, 0), 0);
	expr_t *values = mem_zalloc((f->value_count + 1) * sizeof *values), pre = expr_binary(p, MUSTER_OP_ULT, numbered(0), number(32, 5));
	x.s = code_operand(f, from, 0);
	assert_int_equal(f->values[to].op, CODE_MUL);
	assert_int_equal(vc_run_region(v, f, &(struct vc_region){from, to, pre}, values, &out), 0);
	the_end(VC_REACHED);
	expr_t s_at_end = values[code_operand(f, to, 0)];
	for (unsigned n = 0; n < 7; n++)
		for (unsigned rest = 0; rest < 4 * 4 * 12 * 8; rest++) {
			unsigned is[5] = {n, rest & 7, rest >> 3 & 3, rest >> 5 & 15, rest / 96 & 3};
			memcpy(x.is, is, sizeof is);
			int reached = expr_eval(p, out.returns, of_start, &x) != 0;
			assert_int_equal(reached, n < 5);
			if (reached)
				assert_int_equal((unsigned)expr_eval(p, s_at_end, of_start, &x) * 3, is_two ? two(n, is[1], is[2], is[3], is[4]) : one(n, is[1], is[2], is[3]));
		}
	free(values);
}

/* A cut loop, begun inside: what the header's invariant needs is no more than the precondition says. */
static void test_region_cut(void **unused)
{
	struct cutting x = {0};
	(void)unused;
	begin("unsigned sum(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; i++) { s += 3; } return s * 5; }",
	      &(struct vc_options){.loop = cut, .invariant = invariant, .ctx = &x});
	const struct code_function *f = function(c, "sum");
	uint32_t phi = f->blocks[f->loops[0].header].first, from = nth(f, CODE_ADD, 0), to = nth(f, CODE_MUL, 0);
	expr_t *values = mem_zalloc((f->value_count + 1) * sizeof *values), sum = named("s"), i = named("i"), n = named("n");
	expr_t pre = expr_and(p, expr_eq(p, sum, expr_binary(p, MUSTER_OP_MUL, i, number(32, 3))), expr_binary(p, MUSTER_OP_ULT, i, n));
	for (int with = 0; with < 2; with++) {
		size_t count;
		values[0] = n;
		values[phi] = sum;
		values[phi + 1] = i;
		assert_int_equal(vc_run_region(v, f, &(struct vc_region){from, to, with ? pre : expr_true(p)}, values, &out), 0);
		const struct vc_obligation *o = vc_obligations(v, &count);
		assert_int_equal(count, 2);
		assert_int_equal(valid(implies(o[0].guard, o[0].condition)), with);
		assert_true(valid(implies(o[1].guard, o[1].condition)));
		assert_true(valid(implies(out.returns, expr_eq(p, values[code_operand(f, to, 0)], expr_binary(p, MUSTER_OP_MUL, n, number(32, 3))))));
		assert_true(possible(out.returns));
		memset(values, 0, f->value_count * sizeof *values);
	}
	free(values);
	end();
}

static void test_region(void **unused)
{
	(void)unused;
	begin("unsigned one(unsigned n, unsigned k) { unsigned s = 0; for (unsigned i = 0; i < n; i++) { s += i; if (s == k) s ^= 5; } return s * 3; }"
	      "unsigned two(unsigned n, unsigned k) { unsigned s = 0; for (unsigned i = 0; i < n; i++) { for (unsigned j = 0; j < n; j++) { s += j; if (s == k) s ^= 5; } s += 7 * i; }"
	      " return s * 3; }"
	      "unsigned beside(unsigned n, unsigned k) { unsigned s = 9, i = 1; if (k > n) goto in; for (; i < n; i++) { s += i; in: if (s == k) s ^= 5; } return s * 3; }"
	      "unsigned alias(unsigned *a, unsigned *b) { *a = 3; *b = 5; return *a + 1; }",
	      &(struct vc_options){.value = as_at_start, .flat = 1, .unroll = 7});
	const struct code_function *f = function(c, "one"), *g = function(c, "two"), *h = function(c, "alias"), *beside = function(c, "beside");
	check_region(f, (struct start){.i = code_operand(f, nth(f, CODE_ULT, 0), 0)}, 0);
	check_region(g, (struct start){.i = code_operand(g, nth(g, CODE_ULT, 0), 0), .j = code_operand(g, nth(g, CODE_ULT, 1), 0)}, 1);
	assert_true(beside->loops[0].irreducible);
	uint32_t is_k = nth(beside, CODE_EQ, 0), first = beside->blocks[beside->values[is_k].block].first;
	check_region(beside, (struct start){.i = first + (code_operand(beside, is_k, 0) == first)}, 0);
	/* What two pointers point to may overlap, and only what is written after the start is known. */
	expr_t *values = mem_zalloc((h->value_count + 1) * sizeof *values), a = expr_named(p, 64, "v0"), b = expr_named(p, 64, "v1");
	uint32_t load = nth(h, CODE_LOAD, 0);
	for (unsigned k = 0; k < 2; k++) {
		memset(values, 0, h->value_count * sizeof *values);
		vc_run_region(v, h, &(struct vc_region){nth(h, CODE_STORE, k), nth(h, CODE_ADD, 0), expr_true(p)}, values, &out);
		expr_t same = expr_eq(p, a, b), distance = expr_binary(p, MUSTER_OP_SUB, b, a);
		expr_t apart = expr_and(p, expr_binary(p, MUSTER_OP_ULE, number(64, 4), distance), expr_binary(p, MUSTER_OP_ULE, distance, number(64, (uint64_t)-4)));
		assert_true(valid(implies(expr_and(p, out.returns, same), expr_eq(p, values[load], number(32, 5)))));
		assert_int_equal(valid(implies(expr_and(p, out.returns, apart), expr_eq(p, values[load], number(32, 3)))), k == 0);
		assert_true(possible(out.returns));
	}
	free(values);
	end();
}

/* ------------------------------------------------------------ checks */
static void test_checks(void **unused)
{
	(void)unused;
	for (int checks = 0; checks < 2; checks++) {
		c = load_with("int f(int x, int y) { return x + y; } unsigned g(unsigned x) { return x * 3u; }", CHECKS);
		p = exprs_new();
		v = vc_new(p, c, &(struct vc_options){.checks = checks});
		s = solver_new(NULL);
		expr_t args[2] = {named("x"), named("y")};
		vc_run(v, function(c, "f"), args, &out);
		expr_t over = expr_binary(p, MUSTER_OP_SADDO, args[0], args[1]);
		assert_true(valid(expr_eq(p, out.returns, checks ? expr_not(p, over) : expr_true(p))));
		assert_true(valid(expr_eq(p, out.value, expr_binary(p, MUSTER_OP_ADD, args[0], args[1]))));
		vc_run(v, function(c, "g"), args, &out); /* defined in C: never an end */
		assert_int_equal(out.returns, expr_true(p));
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ends),  cmocka_unit_test(test_limits), cmocka_unit_test(test_memory), cmocka_unit_test(test_unbounded),
	    cmocka_unit_test(test_calls), cmocka_unit_test(test_cut), cmocka_unit_test(test_cut_beside), cmocka_unit_test(test_iteration), cmocka_unit_test(test_region), cmocka_unit_test(test_region_cut), cmocka_unit_test(test_checks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
