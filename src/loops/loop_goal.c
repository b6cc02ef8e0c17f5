/* loop_goal.c: linear facts about what a loop is entered with, as bit-vector terms over input bytes.
 *
 * A fact is about mathematical integers. Its terms are made so wide that nothing wraps: 64 bits where the largest coefficient times the
 * largest value stays far below, else 128 (linear.h bounds facts so that this suffices). Each symbol is extended as it is read, with or
 * without its sign. Counters, and values that the run did not tell of, are variables that no input byte decides.
 */
#include "loops/loop_goal.h"

#include "base/limit.h"
#include "vc/value.h"

#include <stdio.h>
#include <string.h>

#define SIMPLE LIMIT(1024, 1) /* largest coefficient of an inequality that is tried as an equation | element sizes and strides are below it */
#define SPREAD LIMIT(4, 1) /* how many times larger than asked for values may be | two bits above what is asked for: room for an inequality */
#define COUNTER_BITS 40 /* bits of a loop's counter: longer loops end no run in time | 2^40 iterations are a quarter of an hour of the fastest loop */
#define UNSEEN_BITS 24 /* bits of a counter that is not asked to be small | 2^24 iterations are hundredths of a second */

/* A value that the analysis or a decision speaks of and that did not come in: a variable, of its own in the iteration before if the loop
 * changes it. */
static expr_t unknown(const struct loop_goal *g, enum absint_kind kind, uint32_t id, unsigned width)
{
	char name[64];
	if (kind == ABSINT_VALUE && g->before != CODE_NONE && code_varies(g->f, g->before, id))
		snprintf(name, sizeof name, "loop.%u.before.%u", g->before, id);
	else
		snprintf(name, sizeof name, "loop.%d.%u", (int)kind, id);
	return expr_named(g->pool, width ? width : COUNTER_BITS, name);
}

static int counts(const struct absint_symbol *s)
{
	return s->kind == ABSINT_COUNTER || s->kind == ABSINT_TOTAL;
}

static void init(struct loop_goal *g, struct exprs *pool, const struct code_function *f, const struct absint_reach *r, uint32_t before)
{
	memset(g, 0, sizeof *g);
	g->pool = pool;
	g->f = f;
	g->reach = r;
	g->counters = 0;
	while (g->counters < r->symbols.size && !counts(&r->symbols.data[g->counters]))
		g->counters++;
	g->before = before;
	g->also = expr_true(pool);
}

void loop_goal_init(struct loop_goal *g, struct exprs *pool, const struct code_function *f, const struct absint_reach *r,
		    expr_t (*term)(void *ctx, const struct absint_symbol *symbol), void *ctx)
{
	init(g, pool, f, r, CODE_NONE);
	for (size_t i = 0; i < r->symbols.size; i++) {
		const struct absint_symbol *s = &r->symbols.data[i];
		expr_t e = counts(s) ? EXPR_NONE : term(ctx, s);
		vec_push(&g->bound, (uint8_t)(e != EXPR_NONE && !expr_is_const(pool, e, NULL)));
		vec_push(&g->terms, e == EXPR_NONE ? unknown(g, s->kind, s->id, s->width) : e);
	}
}

void loop_goal_release(struct loop_goal *g)
{
	vec_release(&g->terms);
	vec_release(&g->bound);
}

static unsigned width_of(const struct loop_goal *g, size_t dim)
{
	unsigned w = g->reach->symbols.data[dim].width;
	return w ? w : COUNTER_BITS;
}

static expr_t extended(struct loop_goal *g, size_t dim, unsigned width)
{
	expr_t e = g->terms.data[dim];
	if (width_of(g, dim) >= width)
		return e;
	return g->reach->symbols.data[dim].is_signed && g->reach->symbols.data[dim].width ? expr_sext(g->pool, e, width)
											  : expr_zext(g->pool, e, width);
}

static unsigned room_for(const struct loop_goal *g, const struct linear *l)
{
	__float128 most = l->constant < 0 ? -(__float128)l->constant : (__float128)l->constant;
	for (size_t i = 0; i < l->terms.size; i++) {
		__float128 c = l->terms.data[i].coef < 0 ? -(__float128)l->terms.data[i].coef : (__float128)l->terms.data[i].coef;
		for (unsigned b = width_of(g, l->terms.data[i].dim); b; b--)
			c *= 2;
		most += c;
	}
	return most < (__float128)(1ull << 62) ? 64 : 128;
}

static expr_t fact(struct loop_goal *g, const struct linear *l)
{
	struct exprs *p = g->pool;
	unsigned w = room_for(g, l);
	expr_t sum = expr_const(p, w, (u128)l->constant);
	for (size_t i = 0; i < l->terms.size; i++) {
		expr_t e = extended(g, l->terms.data[i].dim, w);
		expr_t c = expr_const(p, w, (u128)(wide)l->terms.data[i].coef);
		sum = expr_binary(p, MUSTER_OP_ADD, expr_binary(p, MUSTER_OP_MUL, e, c), sum);
	}
	if (l->kind == LINEAR_GE)
		return expr_binary(p, MUSTER_OP_SLE, expr_const(p, w, 0), sum);
	if (l->kind == LINEAR_MODULO && l->bits < w) {
		if (!l->bits)
			return expr_true(p);
		sum = expr_extract(p, sum, 0, l->bits);
		w = l->bits;
	}
	return expr_eq(p, sum, expr_const(p, w, 0));
}

/* ---------------------------------------------------------------- conditions */

static expr_t term_of(const struct loop_goal *g, enum absint_kind kind, uint32_t id)
{
	for (size_t i = 0; i < g->reach->symbols.size; i++)
		if (g->reach->symbols.data[i].kind == kind && g->reach->symbols.data[i].id == id)
			return g->terms.data[i];
	return EXPR_NONE;
}

/* What came in has its term; what the facts speak of, too; the rest of what cannot be computed is a variable of its own. */
static expr_t leaf_of(void *ctx, uint32_t value)
{
	struct loop_goal *g = ctx;
	const struct code_value *v = &g->f->values[value];
	expr_t e = term_of(g, ABSINT_VALUE, value);
	if (e != EXPR_NONE && expr_width(g->pool, e) == v->width)
		return e;
	if (vc_computes(g->f, value) || !v->width || v->width > 128)
		return EXPR_NONE;
	return unknown(g, ABSINT_VALUE, value, v->width);
}

static expr_t value_term(struct loop_goal *g, uint32_t value)
{
	return vc_term(g->pool, g->f, value, leaf_of, g);
}

void loop_goal_decide(struct loop_goal *g, uint32_t block, uint32_t outcome)
{
	struct exprs *p = g->pool;
	uint32_t last = code_last(g->f, block);
	const struct code_value *v = &g->f->values[last];
	if ((v->op != CODE_BRANCH && v->op != CODE_SWITCH) || !v->operands || !code_operand_value(g->f, last, 0)->width ||
	    code_operand_value(g->f, last, 0)->width > 128)
		return;
	expr_t c = value_term(g, code_operand(g->f, last, 0));
	if (c == EXPR_NONE)
		return;
	if (v->op == CODE_BRANCH) {
		g->also = expr_and(p, g->also, outcome ? c : expr_not(p, c));
		return;
	}
	for (uint32_t i = 1; i < v->operands; i++) {
		expr_t is = expr_eq(p, c, value_term(g, code_operand(g->f, last, i)));
		if (i == outcome)
			g->also = expr_and(p, g->also, is);
		else if (!outcome)
			g->also = expr_and(p, g->also, expr_not(p, is));
	}
}

/* Nothing is said if the counter of the loop is no symbol. */
void loop_goal_before(struct loop_goal *g, const struct loop_before *b)
{
	struct exprs *p = g->pool;
	struct loop_goal then;
	expr_t count = term_of(g, ABSINT_COUNTER, b->loop);
	if (count == EXPR_NONE)
		return;
	unsigned width = expr_width(p, count);
	init(&then, p, g->f, &b->facts.reach, b->loop);
	for (size_t i = 0; i < b->facts.reach.symbols.size; i++) {
		const struct absint_symbol *s = &b->facts.reach.symbols.data[i];
		int same = s->kind != ABSINT_VALUE || !code_varies(g->f, b->loop, s->id);
		expr_t e = counts(s) ? expr_binary(p, MUSTER_OP_SUB, count, expr_const(p, width, 1)) : same ? term_of(g, s->kind, s->id) : EXPR_NONE;
		vec_push(&then.terms, e == EXPR_NONE ? unknown(&then, s->kind, s->id, s->width) : e);
	}
	for (size_t i = 0; i < b->facts.decided.size; i++)
		loop_goal_decide(&then, b->facts.decided.data[i].block, b->facts.decided.data[i].outcome);
	expr_t none = expr_eq(p, count, expr_const(p, width, 0));
	g->also = expr_and(p, g->also, expr_or(p, none, loop_goal_facts(&then)));
	loop_goal_release(&then);
}

/* A symbol of guesses where the goal is. */
static expr_t symbol_of(void *ctx, const struct loop_symbol *s)
{
	struct loop_goal *g = ctx;
	char name[48];
	expr_t e;
	if (s->kind == LOOP_VALUE) {
		e = value_term(g, s->id);
		return e == EXPR_NONE ? unknown(g, ABSINT_VALUE, s->id, s->width) : e;
	}
	e = s->kind == LOOP_COUNTER ? term_of(g, ABSINT_COUNTER, s->id) : EXPR_NONE;
	snprintf(name, sizeof name, "loop.%s.%u", s->kind == LOOP_COUNTER ? "count" : "taken", s->id);
	return expr_zext(g->pool, e == EXPR_NONE ? expr_named(g->pool, s->kind == LOOP_COUNTER ? UNSEEN_BITS : COUNTER_BITS, name) : e, 64);
}

void loop_goal_guessed(struct loop_goal *g, struct guesses *guesses, uint32_t block, int unproved)
{
	g->also = expr_and(g->pool, g->also, guesses_at(guesses, g->pool, g->f, block, unproved, symbol_of, g));
}

expr_t loop_goal_case(struct loop_goal *g, size_t number)
{
	const linear_list *facts = &g->reach->cases.data[number].facts;
	expr_t all = g->also;
	for (size_t k = 0; k < facts->size; k++)
		if (!facts->data[k].overflow)
			all = expr_and(g->pool, all, fact(g, &facts->data[k]));
	return all;
}

/* What a loop's own condition looks like: not the hull of something. */
static int is_simple(const struct linear *l)
{
	for (size_t i = 0; i < l->terms.size; i++)
		if (l->terms.data[i].coef > SIMPLE || l->terms.data[i].coef < -SIMPLE)
			return 0;
	return 1;
}

/* Relations first; then limits of what comes in. */
size_t loop_goal_edges(struct loop_goal *g, size_t number, expr_t *out, size_t most)
{
	const linear_list *facts = &g->reach->cases.data[number].facts;
	size_t n = 0;
	for (size_t i = 0; i < 2 * facts->size && n < most; i++) {
		struct linear l = facts->data[i % facts->size];
		int alone = i >= facts->size;
		if (l.overflow || l.kind != LINEAR_GE || !is_simple(&l) || (l.terms.size < 2) != alone || !l.terms.size ||
		    (alone && !g->bound.data[l.terms.data[0].dim]))
			continue;
		l.kind = LINEAR_EQ;
		out[n++] = fact(g, &l);
	}
	return n;
}

expr_t loop_goal_facts(struct loop_goal *g)
{
	expr_t any = expr_false(g->pool);
	for (size_t i = 0; i < g->reach->cases.size; i++)
		any = expr_or(g->pool, any, loop_goal_case(g, i));
	return any;
}

expr_t loop_goal_sum(struct loop_goal *g, uint64_t least, uint64_t most)
{
	struct exprs *p = g->pool;
	expr_t sum = expr_const(p, 64, 0);
	for (size_t i = g->counters; i < g->terms.size; i++)
		sum = expr_binary(p, MUSTER_OP_ADD, sum, expr_zext(p, g->terms.data[i], 64));
	return expr_and(p, expr_binary(p, MUSTER_OP_ULE, expr_const(p, 64, least), sum),
			expr_binary(p, MUSTER_OP_ULE, sum, expr_const(p, 64, most)));
}

expr_t loop_goal_large(struct loop_goal *g, uint64_t least, unsigned what)
{
	struct exprs *p = g->pool;
	expr_t all = expr_true(p);
	for (size_t i = 0; i < g->terms.size; i++) {
		const struct absint_symbol *s = &g->reach->symbols.data[i];
		unsigned w = width_of(g, i);
		enum muster_op below = s->is_signed && i < g->counters ? MUSTER_OP_SLE : MUSTER_OP_ULE;
		if (i >= g->counters ? !(what & LARGE_COUNTS) : !(what & LARGE_INPUTS) || !g->bound.data[i] || (least >> (w - 1)) != 0)
			continue;
		all = expr_and(p, all, expr_binary(p, below, expr_const(p, w, least), g->terms.data[i]));
		uint64_t most = least < SPREAD ? least : least * SPREAD;
		if (most >> (w - 1) == 0)
			all = expr_and(p, all, expr_binary(p, below, g->terms.data[i], expr_const(p, w, most)));
	}
	return all;
}

uint64_t loop_goal_root(const struct loop_goal *g)
{
	wide most = 0, root = 1;
	for (size_t i = 0; i < g->reach->cases.size; i++)
		for (size_t k = 0; k < g->reach->cases.data[i].counters.size; k++) {
			const struct domain_bounds *b = &g->reach->cases.data[i].counters.data[k];
			if (g->counters + k < g->reach->symbols.size && g->reach->symbols.data[g->counters + k].kind == ABSINT_TOTAL && b->has_min &&
			    b->min > most && b->min < (wide)1 << 60)
				most = b->min;
		}
	if (most < 1)
		return 0;
	while (root * root < (most < 16 ? most : 2 * most)) /* a triangle has half of the square */
		root += root / 64 + 1;
	return (uint64_t)root;
}

uint64_t loop_goal_least(const struct loop_goal *g)
{
	uint64_t least = UINT64_MAX;
	for (size_t i = 0; i < g->reach->cases.size; i++) {
		wide sum = 0;
		for (size_t k = 0; k < g->reach->cases.data[i].counters.size; k++) {
			const struct domain_bounds *b = &g->reach->cases.data[i].counters.data[k];
			sum += b->has_min && b->min > 0 ? b->min : 0;
		}
		if (sum < (wide)least)
			least = (uint64_t)sum;
	}
	return least == UINT64_MAX ? 0 : least;
}
