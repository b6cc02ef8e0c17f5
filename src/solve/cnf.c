/* cnf.c: Tseitin's encoding with polarity, lazily, onto CaDiCaL.
 *
 * A gate's clauses come in two halves: gate implies function, function implies gate. A half
 * is made when a clause has the gate's literal of that polarity; making it asks for
 * halves of the operands. A tree of ANDs that nothing else uses is one
 * gate with many operands; an asserted conjunction is asserted part by part, an asserted
 * disjunction is one clause, an asserted XOR two.
 *
 * Invariant between calls: for every literal that stands in a clause or an assumption, the half
 * that this polarity needs is there, and conditions of definitions in use are asserted. So a
 * model of the clauses, cut down to free gates, is a model of the gates asserted and assumed.
 */
#include "solve/cnf.h"

#include "base/deadline.h"
#include "base/limit.h"

#include <ccadical.h>
#include <limits.h>
#include <string.h>

void cnf_init(struct cnf *c, struct gates *g)
{
	memset(c, 0, sizeof *c);
	c->gates = g;
}

void cnf_release(struct cnf *c)
{
	if (c->sat)
		ccadical_release(c->sat);
	vec_release(&c->hard);
	vec_release(&c->work);
	vec_release(&c->asserted);
	vec_release(&c->units);
	vec_release(&c->assumed);
	vec_release(&c->leaves);
	vec_release(&c->stack);
	vec_release(&c->defined);
}

static void cnf_start(struct cnf *c)
{
	if (c->sat)
		return;
	c->sat = ccadical_init();
	ccadical_set_option(c->sat, "quiet", 1);
	ccadical_set_option(c->sat, "lucky", 0); /* looks at every clause, in every call */
	ccadical_set_option(c->sat, "phase", 0); /* small values first */
}

/* ----------------------------------------------------------------- clauses */
static inline struct gate *cnf_gate(struct cnf *c, lit_t x)
{
	return &c->gates->v.data[lit_gate(x)];
}

/* Conditions of the definition that a free gate belongs to hold from now on. */
static void cnf_define(struct cnf *c, uint32_t d)
{
	const lit_t *x;
	uint32_t count;

	while (c->defined.size <= d)
		vec_push(&c->defined, 0);
	if (c->defined.data[d])
		return;
	c->defined.data[d] = 1;
	x = gate_conditions(c->gates, d, &count);
	for (uint32_t i = 0; i < count; i++)
		vec_push(&c->asserted, x[i]);
}

/* The SAT solver's literal for x; asks for the half that its polarity needs. x is not constant. */
static int cnf_lit(struct cnf *c, lit_t x)
{
	struct gate *y = cnf_gate(c, x);
	unsigned half = lit_sign(x) ? GATE_IMPLIED : GATE_IMPLIES;

	if (!y->var) {
		y->var = ++c->vars;
		if (y->op == GATE_FREE && y->a)
			cnf_define(c, y->a - 1);
		if (y->emitted & (GATE_HOLDS | GATE_HOLDS_NOT))
			vec_push(&c->units, x);
	}
	if (!(y->emitted & half)) {
		y->emitted |= (uint8_t)half;
		if (y->op != GATE_FREE)
			vec_push(&c->work, x);
	}
	return lit_sign(x) ? -y->var : y->var;
}

static void cnf_clause2(struct cnf *c, lit_t x, lit_t y)
{
	ccadical_add(c->sat, cnf_lit(c, x));
	ccadical_add(c->sat, cnf_lit(c, y));
	ccadical_add(c->sat, 0);
}

/* Clauses of x's half begin with the negation of x, which asks for nothing. */
static void cnf_begin(struct cnf *c, lit_t x)
{
	int32_t var = cnf_gate(c, x)->var;

	ccadical_add(c->sat, lit_sign(x) ? var : -var);
}

static void cnf_imply2(struct cnf *c, lit_t x, lit_t a, lit_t b)
{
	cnf_begin(c, x);
	cnf_clause2(c, a, b);
}

static void cnf_imply3(struct cnf *c, lit_t x, lit_t a, lit_t b, lit_t d)
{
	cnf_begin(c, x);
	ccadical_add(c->sat, cnf_lit(c, a));
	cnf_clause2(c, b, d);
}

/* Can the AND gate x be taken apart into its operands where it is used? */
static int cnf_opens(struct cnf *c, lit_t x)
{
	const struct gate *y = cnf_gate(c, x);

	return !lit_sign(x) && y->op == GATE_AND && !y->shared && !y->emitted;
}

/* The operands of the tree of ANDs at gate x into c->leaves. Only x itself may be shared. */
static void cnf_leaves(struct cnf *c, const struct gate *x)
{
	vec_clear(&c->leaves);
	vec_clear(&c->stack);
	vec_push(&c->stack, x->b);
	vec_push(&c->stack, x->a);
	while (c->stack.size) {
		lit_t y = vec_pop(&c->stack);

		if (cnf_opens(c, y)) {
			vec_push(&c->stack, cnf_gate(c, y)->b);
			vec_push(&c->stack, cnf_gate(c, y)->a);
		} else {
			vec_push(&c->leaves, y);
		}
	}
}

static void cnf_and(struct cnf *c, lit_t x, const struct gate *y)
{
	cnf_leaves(c, y);
	if (!lit_sign(x)) {
		for (size_t i = 0; i < c->leaves.size; i++) {
			cnf_begin(c, x);
			ccadical_add(c->sat, cnf_lit(c, c->leaves.data[i]));
			ccadical_add(c->sat, 0);
		}
		return;
	}
	cnf_begin(c, x);
	for (size_t i = 0; i < c->leaves.size; i++)
		ccadical_add(c->sat, cnf_lit(c, lit_not(c->leaves.data[i])));
	ccadical_add(c->sat, 0);
}

/* The half of x's gate that says: where x holds, so does its function (of the gate, or its
 * negation). */
static void cnf_half(struct cnf *c, lit_t x)
{
	struct gate y = *cnf_gate(c, x);
	lit_t s = x & 1, a = y.a, b = y.b, d = y.c;

	switch (y.op) {
	case GATE_AND:
		cnf_and(c, x, &y);
		break;
	case GATE_XOR:
		cnf_imply2(c, x, a, b ^ s);
		cnf_imply2(c, x, a ^ 1, b ^ 1 ^ s);
		break;
	case GATE_XOR3:
		cnf_imply3(c, x, a, b, d ^ s);
		cnf_imply3(c, x, a, b ^ 1, d ^ 1 ^ s);
		cnf_imply3(c, x, a ^ 1, b, d ^ 1 ^ s);
		cnf_imply3(c, x, a ^ 1, b ^ 1, d ^ s);
		break;
	case GATE_MAJ:
		cnf_imply2(c, x, a ^ s, b ^ s);
		cnf_imply2(c, x, a ^ s, d ^ s);
		cnf_imply2(c, x, b ^ s, d ^ s);
		break;
	case GATE_ITE:
		cnf_imply2(c, x, a ^ 1, b ^ s);
		cnf_imply2(c, x, a, d ^ s);
		cnf_imply2(c, x, b ^ s, d ^ s); /* implied; for propagation */
		break;
	default:
		break;
	}
}

/* --------------------------------------------------------------- assertions */
static void cnf_unit(struct cnf *c, lit_t x)
{
	ccadical_add(c->sat, cnf_lit(c, x));
	ccadical_add(c->sat, 0);
}

/* x is asserted: parts of a conjunction one by one, a disjunction as a clause. A gate that has a
 * variable already is passed on, too, for the clauses it stands in. */
static void cnf_root(struct cnf *c, lit_t x)
{
	struct gate *y = cnf_gate(c, x);
	uint8_t mark = lit_sign(x) ? GATE_HOLDS_NOT : GATE_HOLDS;

	if (lit_is_const(x)) {
		c->broken |= x == LIT_FALSE;
		return;
	}
	if (y->emitted & mark)
		return;
	y->emitted |= mark;
	if (y->emitted & (mark ^ GATE_HOLDS ^ GATE_HOLDS_NOT))
		c->broken = 1;
	if (y->op == GATE_AND && !lit_sign(x)) {
		vec_push(&c->asserted, y->b);
		vec_push(&c->asserted, y->a);
		if (y->var)
			cnf_unit(c, x);
	} else if (y->op == GATE_AND && !y->var) {
		cnf_leaves(c, y);
		for (size_t i = 0; i < c->leaves.size; i++)
			ccadical_add(c->sat, cnf_lit(c, lit_not(c->leaves.data[i])));
		ccadical_add(c->sat, 0);
	} else if (y->op == GATE_XOR && !y->var) {
		cnf_clause2(c, y->a, y->b ^ (x & 1));
		cnf_clause2(c, y->a ^ 1, y->b ^ 1 ^ (x & 1));
	} else {
		cnf_unit(c, x);
	}
}

/* The gate was asserted before it had a variable. */
static void cnf_told(struct cnf *c, lit_t x)
{
	const struct gate *y = cnf_gate(c, x);

	if (y->emitted & GATE_HOLDS)
		cnf_unit(c, x & ~1u);
	if (y->emitted & GATE_HOLDS_NOT)
		cnf_unit(c, x | 1);
}

static void cnf_settle(struct cnf *c)
{
	for (;;) {
		if (c->work.size)
			cnf_half(c, vec_pop(&c->work));
		else if (c->units.size)
			cnf_told(c, vec_pop(&c->units));
		else if (c->asserted.size)
			cnf_root(c, vec_pop(&c->asserted));
		else
			return;
	}
}

#define PASSING_MAX LIMIT(20000, 1) /* variables of old queries before a solver is made anew | propagation goes over them; a new solver has none */
#define PARTS_MAX LIMIT(512, 2) /* parts that a conjunction is taken apart into | bounds one clause list */

/* Every query has to give a value to every variable, those of earlier queries' assumptions too.
 * When they have become many, or were too hard, a new solver begins with what is asserted. */
static void cnf_renew(struct cnf *c)
{
	if (!c->spent && (c->passing < PASSING_MAX || c->passing / 2 < c->vars - c->passing))
		return;
	if (!c->passing)
		return;
	ccadical_release(c->sat);
	c->sat = NULL;
	c->vars = c->passing = c->spent = c->watched = 0;
	vec_clear(&c->defined);
	for (size_t i = 0; i < c->gates->v.size; i++)
		c->gates->v.data[i].emitted = 0, c->gates->v.data[i].var = 0;
	cnf_start(c);
	for (size_t i = 0; i < c->hard.size; i++)
		vec_push(&c->asserted, c->hard.data[i]);
	cnf_settle(c);
}

void cnf_assert(struct cnf *c, lit_t x)
{
	cnf_start(c);
	if (lit_gate(x) == lit_gate(c->latest_root)) {
		c->passing -= c->latest;
		c->latest = 0;
	}
	vec_push(&c->hard, x);
	vec_push(&c->asserted, x);
	cnf_settle(c);
}

/* The parts of the conjunction x into c->leaves; past PARTS_MAX conjunctions stay whole. */
static void cnf_parts(struct cnf *c, lit_t x)
{
	vec_clear(&c->leaves);
	vec_push(&c->leaves, x);
	for (size_t i = 0; i < c->leaves.size;) {
		const struct gate *y = cnf_gate(c, c->leaves.data[i]);

		if (y->op == GATE_AND && !lit_sign(c->leaves.data[i]) &&
		    c->leaves.size < PARTS_MAX) {
			c->leaves.data[i] = y->a;
			vec_push(&c->leaves, y->b);
		} else {
			i++;
		}
	}
}

void cnf_assume(struct cnf *c, lit_t x)
{
	int32_t before;

	cnf_start(c);
	vec_clear(&c->assumed);
	c->refused = x == LIT_FALSE;
	if (lit_is_const(x))
		return;
	cnf_renew(c);
	before = c->vars;
	cnf_parts(c, x);
	for (size_t i = 0; i < c->leaves.size; i++)
		vec_push(&c->assumed, cnf_lit(c, c->leaves.data[i]));
	cnf_settle(c);
	c->latest_root = x;
	c->latest = c->vars - before;
	c->passing += c->latest;
}

/* ----------------------------------------------------------------- solving */
static int cnf_late(void *ctx)
{
	const struct cnf *c = ctx;

	return deadline_cut() || (c->deadline != 0 && deadline_processor() > c->deadline);
}

enum verdict cnf_solve(struct cnf *c, uint64_t conflicts, double deadline)
{
	c->refuted = 0;
	if (c->refused || c->broken)
		return VERDICT_UNSAT;
	cnf_start(c);
	for (size_t i = 0; i < c->assumed.size; i++)
		ccadical_assume(c->sat, c->assumed.data[i]);
	c->spent = 0;
	c->deadline = deadline;
	if (deadline != 0 && !c->watched) {
		ccadical_set_terminate(c->sat, c, cnf_late);
		c->watched = 1;
	}
	if (conflicts)
		ccadical_limit(c->sat, "conflicts", conflicts > INT_MAX ? INT_MAX : (int)conflicts);
	switch (ccadical_solve(c->sat)) {
	case 10:
		return VERDICT_SAT;
	case 20:
		c->refuted = 1;
		return VERDICT_UNSAT;
	default:
		c->spent = 1;
		return VERDICT_UNKNOWN;
	}
}

static int cnf_is_assumed(const struct cnf *c, int literal)
{
	for (size_t i = 0; i < c->assumed.size; i++)
		if (c->assumed.data[i] == literal)
			return 1;
	return 0;
}

int cnf_needed(struct cnf *c, lit_t x)
{
	if (!c->refuted)
		return 1;
	if (lit_is_const(x))
		return x == LIT_FALSE;
	cnf_parts(c, x);
	for (size_t i = 0; i < c->leaves.size; i++) {
		int32_t var = cnf_gate(c, c->leaves.data[i])->var;
		int literal = lit_sign(c->leaves.data[i]) ? -var : var;

		if (!var || !cnf_is_assumed(c, literal) || ccadical_failed(c->sat, literal))
			return 1;
	}
	return 0;
}

int cnf_value(const struct cnf *c, lit_t x)
{
	int32_t var = c->gates->v.data[lit_gate(x)].var;
	int value;

	if (lit_is_const(x))
		return (int)x;
	value = var ? ccadical_val(c->sat, var) > 0 : 0;
	return value ^ lit_sign(x);
}
