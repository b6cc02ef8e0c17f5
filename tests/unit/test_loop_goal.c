/* test_loop_goal.c: what an analysis knows, as terms.
 *
 * Random facts over symbols of 1 to 64 bits, coefficients up to the limits of linear.h: their
 * terms, evaluated, against the same sums in 128-bit integers, at points of which many lie on or
 * right beside the fact's border. Then whole goals (loop_known.c, loop_goal.c) of functions that
 * this program has, too: a goal is what is needed, so for each input that takes the outcome there
 * must be values of its variables.
 */
#include "absint/callee.h"
#include "code_unit.h"
#include "loops/loop_goal.h"
#include "solve/solve.h"

#include <stdlib.h>

#define SYMBOLS 8
#define POINTS 12

static uint64_t state = 88172645463325252u;
static uint64_t random64(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1du;
}
static unsigned roll(unsigned n)
{
	return (unsigned)(random64() >> 33) % n;
}

/* Symbols with values, and what is known of each. */
struct world {
	struct exprs *pool;
	struct absint_reach reach;
	enum { KNOWN, CONSTANT, UNKNOWN } how[SYMBOLS];
	wide values[SYMBOLS];
	struct loop_goal goal;
};

static wide random_value(const struct absint_symbol *s)
{
	unsigned w = s->width ? s->width : 40;
	uint64_t all = w == 64 ? UINT64_MAX : ((uint64_t)1 << w) - 1, bits = random64();
	switch (roll(5)) {
	case 0:
		bits = 0;
		break;
	case 1:
		bits = all;
		break;
	case 2:
		bits = (uint64_t)1 << (w - 1);
		break;
	case 3:
		bits = ((uint64_t)1 << (w - 1)) - 1;
		break;
	}
	bits &= all;
	return s->width && s->is_signed && bits >> (w - 1) ? (wide)bits - ((wide)all + 1)
							   : (wide)bits;
}

static expr_t known_term(void *ctx, const struct absint_symbol *s)
{
	struct world *x = ctx;
	char name[16];
	if (x->how[s->id] == UNKNOWN)
		return EXPR_NONE;
	if (x->how[s->id] == CONSTANT)
		return expr_const(x->pool, s->width, (u128)x->values[s->id]);
	snprintf(name, sizeof name, "in.%u", s->id);
	return expr_named(x->pool, s->width, name);
}

static void open_world(struct world *x, unsigned values, unsigned counters, unsigned totals)
{
	memset(x, 0, sizeof *x);
	x->pool = exprs_new();
	for (unsigned i = 0; i < values + counters + totals; i++) {
		struct absint_symbol s = {.kind = ABSINT_VALUE,
					  .id = i,
					  .width = 1 + roll(64),
					  .is_signed = (int)roll(2)};
		if (i >= values)
			s = (struct absint_symbol){.kind = i < values + counters ? ABSINT_COUNTER
										 : ABSINT_TOTAL,
						   .id = i,
						   .is_signed = 1};
		vec_push(&x->reach.symbols, s);
		x->how[i] = roll(4) ? KNOWN : roll(2) ? CONSTANT : UNKNOWN;
		x->values[i] = random_value(&s);
	}
}

static void begin_goal(struct world *x)
{
	loop_goal_init(&x->goal, x->pool, NULL, &x->reach, known_term, x);
}

static void close_world(struct world *x)
{
	loop_goal_release(&x->goal);
	absint_reach_release(&x->reach);
	exprs_free(x->pool);
}

/* Other values, but for constants. */
static void move(struct world *x)
{
	for (size_t i = 0; i < x->reach.symbols.size; i++)
		if (x->how[i] != CONSTANT || !x->reach.symbols.data[i].width)
			x->values[i] = random_value(&x->reach.symbols.data[i]);
}

static u128 value_of(void *ctx, expr_t variable)
{
	struct world *x = ctx;
	for (size_t i = 0; i < x->goal.terms.size; i++)
		if (x->goal.terms.data[i] == variable)
			return op_mask((u128)x->values[i], expr_width(x->pool, variable));
	fail_msg("a variable that is no symbol");
	return 0;
}

static int holds(struct world *x, expr_t e)
{
	assert_int_equal(expr_width(x->pool, e), 1);
	return (int)expr_eval(x->pool, e, value_of, x);
}

/* ------------------------------------------------------------------ facts */

static wide sum_at(const struct world *x, const struct linear *l)
{
	wide sum = l->constant;
	for (size_t i = 0; i < l->terms.size; i++)
		sum += (wide)l->terms.data[i].coef * x->values[l->terms.data[i].dim];
	return sum;
}

static int is_true(const struct world *x, const struct linear *l)
{
	wide sum = sum_at(x, l);
	if (l->kind == LINEAR_MODULO)
		return l->bits >= 128 ? sum == 0 : !((u128)sum & (((u128)1 << l->bits) - 1));
	return l->kind == LINEAR_EQ ? sum == 0 : sum >= 0;
}

static int64_t random_coefficient(void)
{
	int64_t c;
	switch (roll(4)) {
	case 0:
		c = LINEAR_COEFFICIENT_MAX - 1;
		break;
	case 1:
		c = (int64_t)1 << roll(55);
		break;
	case 2:
		c = (int64_t)(random64() >> (9 + roll(54)));
		break;
	default:
		c = 1 + roll(5);
	}
	c = c ? c : 1;
	return roll(2) ? -c : c;
}

/* On the border where the world is now, or beside it, or anywhere. */
static struct linear random_fact(const struct world *x)
{
	struct linear l = {.kind = roll(3) ? (roll(2) ? LINEAR_GE : LINEAR_EQ) : LINEAR_MODULO};
	if (l.kind == LINEAR_MODULO)
		l.bits = roll(8) ? 1 + roll(64) : roll(129);
	for (uint32_t d = 0; d < x->reach.symbols.size; d++)
		if (roll(2))
			vec_push(&l.terms, ((struct linear_term){d, random_coefficient()}));
	if (roll(8) == 0) {
		l.constant = roll(2) ? LINEAR_CONSTANT_MAX - 1 : 1 - LINEAR_CONSTANT_MAX;
		return l;
	}
	wide sum = sum_at(x, &l);
	if (sum >= LINEAR_CONSTANT_MAX / 2 || sum <= -LINEAR_CONSTANT_MAX / 2)
		return l;
	l.constant = (wide)roll(3) - 1 - sum;
	if (l.kind == LINEAR_MODULO && roll(2) && l.bits < 100)
		l.constant += (wide)1 << l.bits;
	return l;
}

static void add_case(struct world *x, unsigned facts)
{
	struct absint_reach_case c = {0};
	for (unsigned i = 0; i < facts; i++)
		vec_push(&c.facts, random_fact(x));
	vec_push(&x->reach.cases, c);
}

static int case_is_true(const struct world *x, size_t number)
{
	const linear_list *facts = &x->reach.cases.data[number].facts;
	for (size_t i = 0; i < facts->size; i++)
		if (!facts->data[i].overflow && !is_true(x, &facts->data[i]))
			return 0;
	return 1;
}

static void test_facts(void **unused)
{
	unsigned yes[3] = {0}, no[3] = {0};
	(void)unused;
	for (unsigned round = 0; round < 2000; round++) {
		struct world x;
		open_world(&x, 1 + roll(4), roll(3), roll(2));
		add_case(&x, 1);
		begin_goal(&x);
		const struct linear *l = &x.reach.cases.data[0].facts.data[0];
		expr_t e = loop_goal_facts(&x.goal);
		for (unsigned k = 0; k < POINTS; k++) {
			int want = is_true(&x, l);
			if (holds(&x, e) != want)
				fail_msg("round %u, point %u: kind %d, %u bits, the fact is %s",
					 round, k, (int)l->kind, l->bits, want ? "true" : "false");
			(want ? yes : no)[l->kind]++;
			move(&x);
		}
		close_world(&x);
	}
	for (unsigned k = 0; k < 3; k++)
		assert_true(yes[k] > 200 && no[k] > 200);
}

/* All facts of a case, one of the cases; a fact that did not fit says nothing; no case: not
 * reached. */
static void test_cases(void **unused)
{
	unsigned yes = 0, no = 0;
	(void)unused;
	for (unsigned round = 0; round < 1500; round++) {
		struct world x;
		unsigned cases = roll(4);
		open_world(&x, 1 + roll(4), roll(3), 0);
		for (unsigned i = 0; i < cases; i++)
			add_case(&x, roll(4));
		if (cases && x.reach.cases.data[0].facts.size && !roll(4))
			x.reach.cases.data[0].facts.data[0].overflow = 1;
		begin_goal(&x);
		for (unsigned k = 0; k < POINTS; k++) {
			int any = 0;
			for (size_t i = 0; i < cases; i++) {
				assert_int_equal(holds(&x, loop_goal_case(&x.goal, i)),
						 case_is_true(&x, i));
				any |= case_is_true(&x, i);
			}
			assert_int_equal(holds(&x, loop_goal_facts(&x.goal)), any);
			yes += (unsigned)any;
			no += (unsigned)!any;
			move(&x);
		}
		close_world(&x);
	}
	assert_true(yes > 1000 && no > 1000);
}

/* Values whose extreme sums need every bit that there is. */
static void test_limits(void **unused)
{
	struct world x;
	struct absint_reach_case c = {0};
	struct linear l = {.kind = LINEAR_GE, .constant = LINEAR_CONSTANT_MAX - 1};
	(void)unused;
	memset(&x, 0, sizeof x);
	x.pool = exprs_new();
	for (unsigned i = 0; i < SYMBOLS; i++) {
		vec_push(&x.reach.symbols,
			 ((struct absint_symbol){
			     .kind = ABSINT_VALUE, .id = i, .width = 64, .is_signed = i & 1}));
		vec_push(&l.terms, ((struct linear_term){i, i & 2 ? LINEAR_COEFFICIENT_MAX - 1
								  : 1 - LINEAR_COEFFICIENT_MAX}));
	}
	vec_push(&c.facts, l);
	vec_push(&x.reach.cases, c);
	begin_goal(&x);
	expr_t e = loop_goal_case(&x.goal, 0);
	for (unsigned round = 0; round < 500; round++) {
		move(&x);
		if (round < 2) /* all that makes it large; all that makes it small */
			for (unsigned i = 0; i < SYMBOLS; i++)
				x.values[i] = (i >> 1 & 1) == (round == 0)
						  ? (i & 1 ? INT64_MAX : (wide)UINT64_MAX)
					      : i & 1 ? INT64_MIN
						      : 0;
		assert_int_equal(holds(&x, e), is_true(&x, &x.reach.cases.data[0].facts.data[0]));
		assert_true(round >= 2 || holds(&x, e) == (round == 0));
	}
	close_world(&x);
}

/* ------------------------------------------------------------------ edges, sums, sizes */

static int is_edge(const struct world *x, const struct linear *l, int alone)
{
	for (size_t i = 0; i < l->terms.size; i++)
		if (llabs(l->terms.data[i].coef) > 1024)
			return 0;
	if (l->overflow || l->kind != LINEAR_GE || !l->terms.size || (l->terms.size == 1) != alone)
		return 0;
	return !alone || (x->how[l->terms.data[0].dim] == KNOWN &&
			  x->reach.symbols.data[l->terms.data[0].dim].width);
}

/* Relations come first, then limits of single inputs; each is the inequality as an equation. */
static void test_edges(void **unused)
{
	unsigned seen = 0, alone = 0;
	(void)unused;
	for (unsigned round = 0; round < 2000; round++) {
		struct world x;
		expr_t out[4];
		open_world(&x, 1 + roll(2), roll(2), 0);
		add_case(&x, 1 + roll(4));
		if (!roll(8))
			x.reach.cases.data[0].facts.data[0].overflow = 1;
		begin_goal(&x);
		const linear_list *facts = &x.reach.cases.data[0].facts;
		size_t most = roll(5), n = loop_goal_edges(&x.goal, 0, out, most), at = 0;
		for (int single = 0; single < 2; single++)
			for (size_t i = 0; i < facts->size; i++) {
				if (!is_edge(&x, &facts->data[i], single) || at == most)
					continue;
				assert_true(at < n);
				for (unsigned k = 0; k < POINTS; k++, move(&x))
					assert_int_equal(holds(&x, out[at]),
							 sum_at(&x, &facts->data[i]) == 0);
				at++;
				seen++;
				alone += (unsigned)single;
			}
		assert_int_equal(at, n);
		close_world(&x);
	}
	assert_true(seen > 100 && alone > 20);
}

static void test_sum(void **unused)
{
	(void)unused;
	for (unsigned round = 0; round < 500; round++) {
		struct world x;
		open_world(&x, roll(3), roll(3), roll(3));
		begin_goal(&x);
		for (unsigned k = 0; k < POINTS; k++, move(&x)) {
			wide sum = 0;
			for (size_t i = x.goal.counters; i < x.reach.symbols.size; i++)
				sum += x.values[i];
			uint64_t least = (uint64_t)sum + roll(3) - 1,
				 most = roll(2) ? UINT64_MAX : least + roll(3);
			if (!sum && least)
				least = 0;
			assert_int_equal(holds(&x, loop_goal_sum(&x.goal, least, most)),
					 sum >= (wide)least && sum <= (wide)most);
		}
		close_world(&x);
	}
}

/* Does the request speak of the symbol? Values must depend on the input and have room for the
 * number in both readings. */
static int is_asked(const struct world *x, size_t i, uint64_t least, unsigned what)
{
	unsigned w = x->reach.symbols.data[i].width;
	if (!w)
		return (what & LARGE_COUNTS) != 0;
	return what & LARGE_INPUTS && x->how[i] == KNOWN &&
	       (w - 1 >= 64 || least < (uint64_t)1 << (w - 1));
}

static void test_large(void **unused)
{
	static const uint64_t sizes[] = {1, 3, 16, 200, 4096, 65536};
	(void)unused;
	for (unsigned round = 0; round < 1000; round++) {
		struct world x;
		uint64_t least = sizes[roll(6)];
		unsigned what = 1 + roll(3), asked = 0;
		open_world(&x, 1 + roll(4), roll(3), roll(2));
		begin_goal(&x);
		expr_t e = loop_goal_large(&x.goal, least, what);
		for (size_t i = 0; i < x.reach.symbols.size; i++)
			asked += (unsigned)is_asked(&x, i, least, what);
		for (unsigned k = 0; k < POINTS; k++, move(&x)) {
			int below = 0, far = 0; /* values in some reading: a sign bit is neither
						   here nor there */
			for (size_t i = 0; i < x.reach.symbols.size; i++) {
				unsigned w = x.reach.symbols.data[i].width
						 ? x.reach.symbols.data[i].width
						 : 40;
				int room = 4 * least < (uint64_t)1 << (w - 1);
				if (is_asked(&x, i, least, what)) {
					below |= x.values[i] < (wide)least;
					far |= room && x.values[i] > 4 * (wide)least;
				}
			}
			assert_true(!holds(&x, e) || (!below && !far));
		}
		for (size_t i = 0; i < x.reach.symbols.size; i++)
			if (is_asked(&x, i, least, what))
				x.values[i] = (wide)least;
		assert_true(holds(&x, e)); /* whatever the others have */
		if (asked && least)
			for (size_t i = 0; i < x.reach.symbols.size; i++)
				if (is_asked(&x, i, least, what))
					x.values[i] = (wide)least - 1;
		assert_int_equal(holds(&x, e), !asked);
		close_world(&x);
	}
}

static void add_bounds(struct world *x, const wide *least, unsigned n)
{
	struct absint_reach_case c = {0};
	for (unsigned i = 0; i < n; i++)
		vec_push(&c.counters,
			 ((struct domain_bounds){.has_min = least[i] != -1, .min = least[i]}));
	vec_push(&x->reach.cases, c);
}

/* Bounds of one counter and one total, by case; -1: none. */
static void test_bounds(void **unused)
{
	struct world x;
	(void)unused;
	open_world(&x, 2, 1, 1);
	begin_goal(&x);
	assert_int_equal(x.goal.counters, 2);
	assert_int_equal(loop_goal_least(&x.goal), 0);
	assert_int_equal(loop_goal_root(&x.goal), 0);
	add_bounds(&x, (wide[]){100, 7}, 2);
	assert_int_equal(loop_goal_least(&x.goal), 107);
	assert_int_equal(loop_goal_root(&x.goal), 3);
	add_bounds(&x, (wide[]){-1, 50}, 2);
	assert_int_equal(loop_goal_least(&x.goal), 50);
	add_bounds(&x, (wide[]){-20, -1}, 2); /* nothing, and less than nothing */
	assert_int_equal(loop_goal_least(&x.goal), 0);
	close_world(&x);
	for (wide total = 1; total < (wide)1 << 62; total = total * 3 + (wide)roll(7)) {
		open_world(&x, 1, 1, 1);
		begin_goal(&x);
		add_bounds(&x, (wide[]){(wide)1 << 80, total}, 2);
		wide root = (wide)loop_goal_root(&x.goal);
		/* One trip count of a square, or of a triangle, is not above it. */
		if (total < (wide)1 << 60)
			assert_true(root * root >= total &&
				    (total < 16 || root * root >= 2 * total) &&
				    (root - 1) * (root - 1) < 3 * total + 16);
		else
			assert_int_equal((uint64_t)root, 0);
		assert_int_equal(loop_goal_least(&x.goal), 0); /* 2^80 iterations: nobody waits */
		close_world(&x);
	}
}

/* ------------------------------------------------------------------ goals of functions */

#define BOTH(name, ...) \
	static int name __VA_ARGS__ static const char name##_text[] = "int f" #__VA_ARGS__;
typedef unsigned char byte;

/* Each returns 1 where its last branch is true, and nowhere else. */
BOTH(
    strides, (unsigned char a, unsigned char b) {
	    int i = 0;
	    while (i < a)
		    i += 3;
	    if (i == 99 + (b & 1))
		    return 1;
	    return 0;
    })
BOTH(
    product, (unsigned char a, unsigned char b) {
	    unsigned i = 0;
	    if (!b)
		    return 0;
	    while (i * b < a)
		    i++;
	    if (i == 7)
		    return 1;
	    return 0;
    })
BOTH(
    wraps, (unsigned char a, unsigned char b) {
	    unsigned char i = a;
	    int n = 0;
	    do {
		    i += 7;
		    n++;
	    } while (i > b);
	    if (n == 9)
		    return 1;
	    return 0;
    })
BOTH(
    masks, (unsigned char a, unsigned char b) {
	    int i = 0, at = b;
	    while (i < a) {
		    at = (at + 5) & 63;
		    i++;
	    }
	    if (at == 17)
		    return 1;
	    return 0;
    })
BOTH(
    sequence, (unsigned char a, unsigned char b) {
	    int i = 0, k = 0;
	    while (i < a)
		    i += 2;
	    while (k < i)
		    k += b | 1;
	    if (k - i == 3)
		    return 1;
	    return 0;
    })
BOTH(
    nested, (unsigned char a, unsigned char b) {
	    int n = 0;
	    for (int i = 0; i < (a & 15); i++)
		    for (int k = i; k < (b & 15); k++)
			    n++;
	    if (n == 30)
		    return 1;
	    return 0;
    })
BOTH(
    inside, (unsigned char a, unsigned char b) {
	    for (int i = 0; i < a; i++) {
		    if (i % 3 == 1)
			    continue;
		    if (i * 2 == b + 20)
			    return 1;
	    }
	    return 0;
    })
BOTH(
    down, (signed char a, unsigned char b) {
	    int n = 0;
	    while (a > -50) {
		    a -= 1;
		    n += 2;
		    if (n > b)
			    break;
	    }
	    if (n == 100)
		    return 1;
	    return 0;
    })
BOTH(
    choice, (unsigned char a, unsigned char b) {
	    int n = 0;
	    if (a > 200)
		    return 0;
	    for (unsigned char i = b; i != a; i++)
		    n++;
	    if (n > 250)
		    return 1;
	    return 0;
    })

BOTH(
    none, (unsigned char a, unsigned char b) {
	    int i = a;
	    while (i * 3 < b)
		    i += 4;
	    if (i == 77)
		    return 1;
	    return 0;
    })

static const struct subject {
	const char *name, *text;
	int (*run)(byte, byte);
	int (*run_signed)(signed char, byte);
} subjects[] = {
    {"none", none_text, none, NULL},	      {"strides", strides_text, strides, NULL},
    {"product", product_text, product, NULL}, {"wraps", wraps_text, wraps, NULL},
    {"masks", masks_text, masks, NULL},	      {"sequence", sequence_text, sequence, NULL},
    {"nested", nested_text, nested, NULL},    {"inside", inside_text, inside, NULL},
    {"down", down_text, NULL, down},	      {"choice", choice_text, choice, NULL}};

struct inputs {
	struct exprs *pool;
	const struct code_function *f;
	uint64_t values[2];
};

static expr_t parameter(void *ctx, const struct absint_symbol *s)
{
	struct inputs *in = ctx;
	return s->kind == ABSINT_VALUE && s->id < 2
		   ? expr_const(in->pool, s->width, in->values[s->id])
		   : EXPR_NONE;
}

/* May the outcome be reached with these inputs, as far as the goal says? */
static int may_reach(struct solver *solver, const struct code_function *f,
		     const struct loop_known *known, byte a, byte b, uint64_t *unknown)
{
	struct inputs in = {exprs_new(), f, {a, b}};
	struct loop_goal g;
	struct solve_model m = {0};
	loop_goal_init(&g, in.pool, f, &known->here.reach, parameter, &in);
	for (size_t i = 0; i < known->here.decided.size; i++)
		loop_goal_decide(&g, known->here.decided.data[i].block,
				 known->here.decided.data[i].outcome);
	for (size_t i = 0; i < known->before.size; i++)
		loop_goal_before(&g, &known->before.data[i]);
	expr_t goal = loop_goal_facts(&g);
	enum verdict v = solve_formula(solver, in.pool, &goal, 1, &m);
	*unknown += v == VERDICT_UNKNOWN;
	solve_model_release(&m);
	loop_goal_release(&g);
	exprs_free(in.pool);
	return v != VERDICT_UNSAT;
}

/* The last branch of the text that has two outcomes in the source. */
static struct loop_decision last_decision(const struct code_function *f)
{
	struct loop_decision d = {CODE_NONE, 1};
	uint32_t line = 0, column = 0;
	for (uint32_t b = 0; b < f->block_count; b++) {
		const struct code_value *v = &f->values[code_last(f, b)];
		if (v->op == CODE_BRANCH &&
		    (v->line > line || (v->line == line && v->column > column))) {
			d.block = b;
			line = v->line, column = v->column;
		}
	}
	assert_int_not_equal(d.block, CODE_NONE);
	return d;
}

static void check_subject(struct solver *solver, const struct subject *s, unsigned *kept_out)
{
	struct code *c = load(s->text);
	const struct code_function *f = function(c, "f");
	struct callees *callees = callees_new(c);
	struct absint *a = absint_new(c, f, &(struct absint_options){.callees = callees});
	struct loop_known known;
	uint64_t unknown = 0, taken = 0;
	loop_known_find(&known, a, f, CODE_NONE, last_decision(f));
	assert_true(known.here.reach.cases.size > 0);
	for (unsigned i = 0; i < 65536; i++) {
		byte x = (byte)i, y = (byte)(i >> 8);
		int takes = s->run ? s->run(x, y) : s->run_signed((signed char)x, y);
		taken += (unsigned)takes;
		if (takes ? roll(4) && taken > 20 : roll(1200))
			continue; /* some of them will do */
		int may = may_reach(solver, f, &known, x, y, &unknown);
		if (takes && !may)
			fail_msg("%s(%u, %u) takes the outcome, but the goal says that it cannot",
				 s->name, x, y);
		*kept_out += (unsigned)!may;
		if (takes && taken > 200)
			i += roll(256);
	}
	assert_true(taken > 0);
	assert_true(unknown < 20);
	loop_known_release(&known);
	absint_free(a);
	callees_free(callees);
	code_free(c);
}

static void test_necessary(void **unused)
{
	struct solver *solver = solver_new(&(struct solve_options){.conflicts = 2000, .no_z3 = 1});
	unsigned kept_out = 0;
	(void)unused;
	for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
		check_subject(solver, &subjects[i], &kept_out);
	assert_true(kept_out > 150);
	solver_free(solver);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_facts),  cmocka_unit_test(test_cases),
	    cmocka_unit_test(test_limits), cmocka_unit_test(test_edges),
	    cmocka_unit_test(test_sum),	   cmocka_unit_test(test_large),
	    cmocka_unit_test(test_bounds), cmocka_unit_test(test_necessary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
