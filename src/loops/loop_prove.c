/* loop_prove.c: which guesses about a loop are inductive.
 *
 * One round through the loop is one iteration of src/vc: the header's phis, the counter and the edges'
 * counts are variables, and at the back edges stands what the next visit of the header sees. What is
 * read from memory or returned by calls is a new variable each. An inner loop is cut: its header's
 * phis are new variables of which what is proved about the inner loop holds. A loop that is entered
 * beside its header is entered by the round that begins at that edge; an inner one of that kind is
 * not looked at.
 *
 * A guess must hold when the loop is entered, and at the next visit if all others hold at this one.
 * Models tell which do not: they go, the question is asked again, until there is no model
 * (Houdini); so what remains is inductive together. Where the solver has no answer, the guesses are
 * asked for one by one, and those without an answer go.
 *
 * Arithmetic wraps as the machine does, a check of the compiler's passes whatever its condition is.
 * Division by zero ends a run, so what it gives does not matter; a shift by the width or more is
 * undefined in C, and what the term says then is of no run that C knows.
 */
#include "loops/loop_guess.h"

#include "base/clock.h"
#include "base/limit.h"
#include "base/map.h"
#include "loops/loop_sum.h"
#include "vc/value.h"
#include "vc/vc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BLOCKS LIMIT(300, 2) /* blocks of a loop that is proved about | larger loops come to MOST_NODES */
#define FEW_BLOCKS LIMIT(40, 1) /* blocks of a loop whose last iteration is asked for | fewer: it is asked at every exit */
#define MOST_NODES LIMIT(40000u, 40u) /* terms of one proof, which is given up beyond them: bounds its time | time: a third of what a merge may take */
#define FEW_NODES LIMIT(4000u, 40u) /* terms for the last iteration | a tenth of MOST_NODES: it is asked at every exit */
#define MOST_MODELS LIMIT(60, 1) /* counterexamples that weaken the guesses | one and a half for each guess (MOST 40) */
#define MOST_CONJUNCTS LIMIT(64u, 2u) /* comparisons that are given which are looked at in pairs | 40 guesses, and decisions */
#define MOST_SILENT LIMIT(6, 1) /* queries without an answer, after which no more are asked | each costs the query's whole time */

struct round {
	struct exprs *pool;
	struct vc *vc;
	const struct code_function *f;
	uint32_t loop;
	const struct loop_guessed *inner;
	size_t inner_count;
	expr_t *values;	      /* by value of the loop: EXPR_NONE: not yet */
	expr_t *taken;	      /* by edge: see vc_iteration() */
	expr_t given;	      /* what is known besides */
	int broken;	      /* it cannot be said */
	uint32_t first, most; /* terms when it began, and how many there may be */
	/* Values from outside; NULL: variables, or computed from some. */
	expr_t (*symbol)(void *ctx, const struct loop_symbol *s);
	void *ctx;
};

/* The symbols at one visit of the header. */
struct visit {
	struct round *round;
	const struct loop_rows *rows;
	expr_t when;   /* under what condition there is such a visit */
	expr_t *terms; /* by symbol */
};

static expr_t variable(const struct round *r, const char *what, uint32_t id, unsigned width)
{
	char name[48];
	snprintf(name, sizeof name, "round.%u.%s.%u", r->loop, what, id);
	return expr_named(r->pool, width, name);
}

static int is_bits(const struct code_value *v)
{
	return v->width >= 1 && v->width <= 128 && !v->is_pointer;
}

static expr_t value_of(struct round *r, uint32_t value);

static expr_t symbol_inside(void *ctx, const struct loop_symbol *s)
{
	struct round *r = ctx;
	if (s->kind == LOOP_VALUE)
		return value_of(r, s->id);
	return variable(r, s->kind == LOOP_COUNTER ? "count" : "taken", s->id, 64);
}

/* Of what else than this phi of an inner loop is the guess: not of another phi of it, which may be said by this one. */
static int defines(const struct loop_rows *rows, const struct loop_guess *g, unsigned term)
{
	const struct loop_symbol *s = &rows->symbols.data[g->terms[term].symbol];
	int fits = g->proved && !g->period && !g->range && s->width == g->width && g->terms[term].by == CODE_NONE && (g->terms[term].coef == 1 || g->terms[term].coef == -1);
	for (unsigned k = 0; k < g->count && fits; k++) {
		const struct loop_symbol *x = &rows->symbols.data[g->terms[k].symbol];
		const struct loop_symbol *by = g->terms[k].by == CODE_NONE ? x : &rows->symbols.data[g->terms[k].by];
		fits = k == term || ((x->kind != LOOP_VALUE || !x->varies) && (by->kind != LOOP_VALUE || !by->varies));
	}
	return fits;
}

/* A phi of an inner loop's header that what is proved says in all its bits: as that sum, so that the same sums look the same (define()). EXPR_NONE: none does. */
static expr_t said_inside(struct round *r, uint32_t value)
{
	struct exprs *p = r->pool;
	for (size_t i = 0; i < r->inner_count; i++) {
		const struct loop_rows *rows = r->inner[i].rows;
		if (r->f->values[value].op != CODE_PHI || r->f->values[value].block != r->f->loops[rows->loop].header || r->symbol)
			continue;
		for (size_t n = 0; n < r->inner[i].list.size; n++) {
			struct loop_guess g = r->inner[i].list.data[n];
			unsigned k = 0;
			while (k < g.count && (rows->symbols.data[g.terms[k].symbol].kind != LOOP_VALUE || rows->symbols.data[g.terms[k].symbol].id != value))
				k++;
			if (k == g.count || !defines(rows, &g, k))
				continue;
			int64_t coef = g.terms[k].coef;
			expr_t low = expr_const(p, g.width, g.low);
			g.terms[k] = g.terms[--g.count];
			expr_t sum = loop_guess_sum(p, rows, &g, symbol_inside, r);
			return loop_sum(p, coef == 1 ? expr_binary(p, MUSTER_OP_SUB, low, sum) : expr_binary(p, MUSTER_OP_SUB, sum, low));
		}
	}
	return EXPR_NONE;
}

/* What the code does not say: a variable, or what the caller's symbols say. No term: for what is no integer, and for accesses. */
static expr_t unsaid(void *ctx, struct vc_point *at)
{
	struct round *r = ctx;
	const struct code_value *v = &at->f->values[at->at];
	if (at->decides)
		return variable(r, "outcome", v->block, at->width ? at->width : 32);
	if (r->symbol && is_bits(v) && v->width <= 64 && (v->kind == CODE_PARAMETER || v->kind == CODE_INSTRUCTION) && !code_varies(r->f, r->loop, at->at)) {
		struct loop_symbol s = {.kind = LOOP_VALUE, .width = (uint8_t)v->width, .id = at->at, .start = CODE_NONE};
		return r->symbol(r->ctx, &s);
	}
	if (!is_bits(v))
		return VC_LOST;
	expr_t said = v->kind == CODE_INSTRUCTION ? said_inside(r, at->at) : EXPR_NONE;
	if (said != EXPR_NONE)
		return said;
	return vc_computes(at->f, at->at) ? EXPR_NONE : variable(r, "v", at->at, v->width);
}

static expr_t leaf(void *ctx, uint32_t value)
{
	struct round *r = ctx;
	if (r->values[value] == EXPR_NONE)
		r->values[value] = unsaid(r, &(struct vc_point){.f = r->f, .at = value});
	return r->values[value] == VC_LOST ? EXPR_NONE : r->values[value];
}

static expr_t value_of(struct round *r, uint32_t value)
{
	expr_t e = vc_term(r->pool, r->f, value, leaf, r);
	if (e == EXPR_NONE) { /* no bits, or deeper than anybody looks */
		if (is_bits(&r->f->values[value]))
			r->broken = 1;
		e = expr_true(r->pool);
	}
	return e;
}

static expr_t symbol_in_visit(void *ctx, const struct loop_symbol *s)
{
	const struct visit *v = ctx;
	return v->terms[s - v->rows->symbols.data];
}

/* ---------------------------------------------------------------- a round */

static enum vc_loop_how cut(void *ctx, struct vc_loop *l)
{
	struct round *r = ctx;
	r->broken |= l->f->loops[l->loop].irreducible;
	return VC_LOOP_CUT;
}

/* Of any round of an inner loop: what is proved goes to what is given, where it stays out of the terms. */
static expr_t invariant(void *ctx, const struct vc_loop *l)
{
	struct round *r = ctx;
	struct exprs *p = r->pool;
	expr_t otherwise = code_in_each(r->f, r->loop, l->f->loops[l->loop].header) ? expr_false(p) : expr_not(p, l->guard);
	for (size_t i = 0; i < r->inner_count && l->visit == VC_VISIT_ANY; i++) {
		const struct loop_guessed *g = &r->inner[i];
		for (size_t k = 0; g->rows->loop == l->loop && k < g->list.size; k++)
			if (g->list.data[k].proved)
				r->given = expr_and(p, r->given, expr_or(p, otherwise, loop_guess_term(p, g->rows, &g->list.data[k], symbol_inside, r)));
	}
	return expr_true(p);
}

static void round_open(struct round *r)
{
	struct vc_options o = {.bare = 1, .nodes = r->most, .value = unsaid, .loop = cut, .invariant = invariant, .ctx = r};
	r->vc = vc_new(r->pool, r->f->code, &o);
	r->first = exprs_count(r->pool);
	r->values = mem_zalloc(r->f->value_count * sizeof *r->values);
	r->taken = mem_zalloc(r->f->edge_count * sizeof *r->taken);
}

static void round_close(struct round *r)
{
	vc_free(r->vc);
	free(r->values);
	free(r->taken);
}

static void forget(struct round *r)
{
	memset(r->values, 0, r->f->value_count * sizeof *r->values);
	memset(r->taken, 0, r->f->edge_count * sizeof *r->taken);
}

/* Through the loop once, from the header or from an edge beside it: the symbols at the header's next visit. `before` are those of the visit that it
 * began with, NULL: it began outside, where counts are 0. */
static void go_round(struct round *r, uint32_t edge, const struct visit *before, struct visit *v)
{
	struct exprs *p = r->pool;
	v->when = vc_iteration(r->vc, r->f, r->loop, edge, r->values, r->taken);
	if (v->when == EXPR_NONE) {
		r->broken = 1;
		v->when = expr_false(p);
	}
	r->broken |= exprs_count(p) - r->first > r->most;
	for (size_t i = 0; i < v->rows->symbols.size; i++) {
		const struct loop_symbol *s = &v->rows->symbols.data[i];
		expr_t old = before ? before->terms[i] : expr_const(p, s->width, 0);
		if (s->kind == LOOP_COUNTER)
			v->terms[i] = expr_binary(p, MUSTER_OP_ADD, old, expr_const(p, 64, 1));
		else if (s->kind == LOOP_TAKEN)
			v->terms[i] = r->taken[s->id] == EXPR_NONE ? old : expr_binary(p, MUSTER_OP_ADD, old, expr_zext(p, r->taken[s->id], 64));
		else
			v->terms[i] = value_of(r, s->id);
	}
}

/* ---------------------------------------------------------------- visits */

/* Any visit: its symbols are variables. What comes in is what it is. */
static void any_visit(struct round *r, struct visit *v)
{
	v->when = expr_true(r->pool);
	for (size_t i = 0; i < v->rows->symbols.size; i++) {
		const struct loop_symbol *s = &v->rows->symbols.data[i];
		if (s->kind != LOOP_VALUE)
			v->terms[i] =
			    variable(r, s->kind == LOOP_COUNTER ? "count" : "taken", s->id, 64);
		else
			v->terms[i] =
			    s->varies ? variable(r, "v", s->id, s->width) : value_of(r, s->id);
	}
}

struct replacement {
	expr_t variable, by;
};

static expr_t replace(void *ctx, expr_t variable)
{
	const struct replacement *r = ctx;
	return variable == r->variable ? r->by : EXPR_NONE;
}

static int has_variable(struct exprs *p, expr_t e, expr_t variable)
{
	uint32_t n;
	const expr_t *vars = expr_vars(p, e, &n);
	for (uint32_t i = 0; i < n; i++)
		if (vars[i] == variable)
			return 1;
	return 0;
}

/* A guess that defines one of its symbols (by a factor of 1 or -1, in all its bits) is put into its
 * place: sums that are the same then look the same, which a solver for bits would have to find out.
 * What an interval leaves open is a new small number. 1: done; the guess needs not be given
 * besides. */
static int define(struct round *r, struct visit *v, const struct loop_guess *g, size_t number)
{
	struct exprs *p = r->pool;
	for (unsigned k = 0; k < g->count && !g->period; k++) {
		uint32_t x = g->terms[k].symbol;
		const struct loop_symbol *s = &v->rows->symbols.data[x];
		struct replacement by = {.variable = v->terms[x],
					 .by = expr_const(p, g->width, g->low)};
		struct loop_guess rest = *g;
		if ((g->terms[k].coef != 1 && g->terms[k].coef != -1) || s->width != g->width ||
		    !s->varies || expr_get(p, v->terms[x])->op != EXPR_OP_NAMED)
			continue;
		rest.terms[k] = rest.terms[--rest.count];
		expr_t sum = loop_guess_sum(p, v->rows, &rest, symbol_in_visit, v);
		if (has_variable(p, sum, by.variable))
			continue;
		if (g->range) {
			unsigned bits = 64 - (unsigned)__builtin_clzll(g->range);
			expr_t open = variable(r, "open", (uint32_t)number, bits);
			by.by = expr_binary(p, MUSTER_OP_ADD, by.by, expr_zext(p, open, g->width));
			r->given = expr_and(
			    p, r->given,
			    expr_binary(p, MUSTER_OP_ULE, open, expr_const(p, bits, g->range)));
		}
		by.by = g->terms[k].coef == 1 ? expr_binary(p, MUSTER_OP_SUB, by.by, sum)
					      : expr_binary(p, MUSTER_OP_SUB, sum, by.by);
		by.by = loop_sum(p, by.by);
		for (size_t i = 0; i < v->rows->symbols.size; i++)
			v->terms[i] = expr_substitute(p, v->terms[i], replace, &by);
		return 1;
	}
	return 0;
}

/* The first visit, by an edge from outside. */
static void first_visit(struct round *r, uint32_t edge, struct visit *v)
{
	const struct code_function *f = r->f;
	forget(r);
	if (f->edges[edge].to != f->loops[r->loop].header) {
		go_round(r, edge, NULL, v);
		return;
	}
	v->when = expr_true(r->pool);
	const struct code_block *b = &f->blocks[f->edges[edge].to];
	uint32_t k = 0;
	while (f->preds[b->first_pred + k] != edge)
		k++;
	for (size_t i = 0; i < v->rows->symbols.size; i++) {
		const struct loop_symbol *s = &v->rows->symbols.data[i];
		if (s->kind != LOOP_VALUE)
			v->terms[i] = expr_const(r->pool, 64, 0);
		else
			v->terms[i] = value_of(r, s->varies ? code_operand(f, s->id, k) : s->id);
	}
}

/* ---------------------------------------------------------------- guesses that go */

struct houdini {
	struct round *round;
	struct loop_guessed *g;
	struct solver *solver;
	unsigned models, silent;
	double until;
	struct map values; /* of the model, by term */
};

static u128 model_value(void *ctx, expr_t e)
{
	const struct houdini *h = ctx;
	uint64_t at = 0;
	return map_get(&h->values, e, &at) ? *(const u128 *)(uintptr_t)at : 0;
}

/* Candidates that the model breaks go. Returns how many. */
static unsigned drop(struct houdini *h, const expr_t *broken, const struct solve_model *m)
{
	unsigned n = 0;
	map_clear(&h->values);
	for (size_t i = 0; i < m->values.size; i++)
		map_set(&h->values, m->values.data[i].source, (uintptr_t)&m->values.data[i].value);
	for (size_t i = 0; i < h->g->list.size; i++)
		if (h->g->list.data[i].candidate &&
		    expr_eval(h->round->pool, broken[i], model_value, h)) {
			h->g->list.data[i].candidate = 0;
			n++;
		}
	return n;
}

static enum verdict ask(struct houdini *h, expr_t question, const expr_t *broken)
{
	struct solve_model m = {0};
	enum verdict v = VERDICT_UNKNOWN;
	if (h->silent < MOST_SILENT && h->models < MOST_MODELS &&
	    (h->until == 0 || clock_processor() < h->until))
		v = solve_formula(h->solver, h->round->pool, &question, 1, &m);
	if (v == VERDICT_SAT) {
		h->models++;
		if (!drop(h, broken, &m))
			v = VERDICT_UNKNOWN; /* cannot be; if so, it is no answer */
	}
	h->silent += v == VERDICT_UNKNOWN;
	solve_model_release(&m);
	return v;
}

/* What is given has a <= b and b <= a: an inner loop that was left at j >= m, of which j <= m is proved. Bits find that hard to see through a product, so b takes the place of a, a variable or the lower part of one. */
struct conjuncts {
	expr_t list[MOST_CONJUNCTS];
	unsigned count;
};

static void find_conjuncts(const struct exprs *p, expr_t e, struct conjuncts *c, unsigned depth)
{
	struct expr_node n = *expr_get(p, e);
	if (n.op == MUSTER_OP_AND && n.width == 1 && depth) {
		find_conjuncts(p, n.a, c, depth - 1);
		find_conjuncts(p, n.b, c, depth - 1);
	} else if ((n.op == MUSTER_OP_ULE || n.op == MUSTER_OP_SLE) && c->count < MOST_CONJUNCTS) {
		c->list[c->count++] = e;
	}
}

static int takes_place(struct round *r, expr_t a, expr_t b, struct replacement *by)
{
	struct exprs *p = r->pool;
	struct expr_node n = *expr_get(p, a);
	by->variable = n.op == MUSTER_OP_EXTRACT && !n.k ? n.a : a;
	unsigned width = expr_width(p, by->variable);
	if (expr_get(p, by->variable)->op != EXPR_OP_NAMED || has_variable(p, b, by->variable))
		return 0;
	by->by = width == n.width ? b : expr_concat(p, variable(r, "above", by->variable, width - n.width), b);
	return 1;
}

static void meet(struct round *r, expr_t given, struct visit *then)
{
	struct exprs *p = r->pool;
	struct conjuncts c = {.count = 0};
	find_conjuncts(p, given, &c, MOST_CONJUNCTS);
	for (unsigned i = 0; i < c.count; i++)
		for (unsigned k = 0; k < i; k++) {
			struct expr_node x = *expr_get(p, c.list[i]), y = *expr_get(p, c.list[k]);
			struct replacement by;
			if (x.op != y.op || x.a != y.b || x.b != y.a || (!takes_place(r, x.a, x.b, &by) && !takes_place(r, x.b, x.a, &by)))
				continue;
			for (size_t n = 0; n < then->rows->symbols.size; n++)
				then->terms[n] = expr_substitute(p, then->terms[n], replace, &by);
		}
}

/* Drops candidates that may fail at the visit: one question for each, since together they are much
 * harder. Returns 1 if there were some: then the others were asked with too much given, and have to
 * be again. */
static int weed(struct houdini *h, struct visit *then)
{
	struct exprs *p = h->round->pool;
	size_t n = h->g->list.size;
	expr_t *broken = mem_zalloc((n + 1) * sizeof *broken);
	expr_t given = expr_and(p, h->round->given, then->when);
	int changed = 0;
	meet(h->round, given, then);
	for (size_t i = 0; i < n; i++)
		if (h->g->list.data[i].candidate)
			broken[i] = expr_not(p, loop_guess_term(p, then->rows, &h->g->list.data[i],
								symbol_in_visit, then));
	for (size_t i = 0; i < n; i++) {
		struct loop_guess *g = &h->g->list.data[i];
		if (!g->candidate || broken[i] == expr_false(p) ||
		    ask(h, expr_and(p, given, broken[i]), broken) == VERDICT_UNSAT)
			continue;
		g->candidate = 0;
		changed = 1;
	}
	free(broken);
	return changed;
}

/* The visit that a round begins with: everything that is left holds there. Guesses in many bits
 * define first: the others follow from them. */
static void suppose(struct houdini *h, struct visit *v)
{
	struct round *r = h->round;
	const loop_guess_list *list = &h->g->list;
	uint8_t *defined = mem_zalloc(list->size + 1);
	forget(r);
	r->given = expr_true(r->pool);
	any_visit(r, v);
	for (unsigned w = 64; w > 0; w--)
		for (size_t i = 0; i < list->size; i++)
			if (list->data[i].width == w &&
			    (list->data[i].candidate || list->data[i].proved))
				defined[i] = (uint8_t)define(r, v, &list->data[i], i);
	for (size_t i = 0; i < list->size; i++)
		if (!defined[i] && (list->data[i].candidate || list->data[i].proved))
			r->given = expr_and(
			    r->pool, r->given,
			    loop_guess_term(r->pool, v->rows, &list->data[i], symbol_in_visit, v));
	for (size_t i = 0; i < v->rows->symbols.size; i++)
		if (v->rows->symbols.data[i].kind == LOOP_VALUE && v->rows->symbols.data[i].varies)
			r->values[v->rows->symbols.data[i].id] = v->terms[i];
	free(defined);
}

static void induct(struct houdini *h)
{
	struct round *r = h->round;
	const struct code_loop *l = &r->f->loops[r->loop];
	size_t n = h->g->rows->symbols.size;
	struct visit before = {
	    .round = r, .rows = h->g->rows, .terms = mem_zalloc(n * sizeof(expr_t))};
	struct visit then = {
	    .round = r, .rows = h->g->rows, .terms = mem_zalloc(n * sizeof(expr_t))};
	int changed = 1;
	for (uint32_t k = 0; k < l->entries && !r->broken; k++) {
		r->given = expr_true(r->pool);
		first_visit(r, r->f->loop_edges[l->first_entry + k], &then);
		while (!r->broken && weed(h, &then))
			;
	}
	while (!r->broken && changed) {
		suppose(h, &before);
		go_round(r, CODE_NONE, &before, &then);
		changed = !r->broken && weed(h, &then);
		if (changed && h->until > 0 && clock_processor() >= h->until)
			r->broken = 1; /* nothing is proved */
	}
	free(before.terms);
	free(then.terms);
}

void loop_prove(const struct code_function *f, struct loop_guessed *g,
		const struct loop_guessed *inner, size_t count, struct solver *solver, double until)
{
	struct round r = {.f = f, .loop = g->rows->loop, .inner = inner, .inner_count = count, .most = MOST_NODES};
	struct houdini h = {.round = &r, .g = g, .solver = solver, .until = until};
	if (f->loops[r.loop].blocks > MOST_BLOCKS || !g->list.size)
		return;
	r.pool = exprs_new();
	round_open(&r);
	induct(&h);
	for (size_t i = 0; i < g->list.size; i++) {
		g->list.data[i].proved |= g->list.data[i].candidate && !r.broken;
		g->list.data[i].candidate = 0;
	}
	map_release(&h.values);
	round_close(&r);
	exprs_free(r.pool);
}

/* ---------------------------------------------------------------- the last round */

/* The visit is the one that the caller's symbols tell of. */
static expr_t is_now(struct round *r, const struct visit *v)
{
	expr_t all = expr_and(r->pool, r->given, v->when);
	for (size_t i = 0; i < v->rows->symbols.size; i++)
		if (v->rows->symbols.data[i].varies)
			all =
			    expr_and(r->pool, all,
				     expr_eq(r->pool, r->symbol(r->ctx, &v->rows->symbols.data[i]),
					     v->terms[i]));
	return all;
}

expr_t loop_last_round(struct exprs *p, const struct code_function *f, const struct loop_guessed *g,
		       const struct loop_guessed *inner, size_t count,
		       expr_t (*symbol)(void *ctx, const struct loop_symbol *s), void *ctx)
{
	struct round r = {.pool = p,
			  .f = f,
			  .loop = g->rows->loop,
			  .symbol = symbol,
			  .ctx = ctx,
			  .inner = inner,
			  .inner_count = count,
			  .most = FEW_NODES};
	const struct code_loop *l = &f->loops[r.loop];
	struct visit before = {.round = &r,
			       .rows = g->rows,
			       .terms = mem_zalloc(g->rows->symbols.size * sizeof(expr_t))};
	struct visit then = {.round = &r,
			     .rows = g->rows,
			     .terms = mem_zalloc(g->rows->symbols.size * sizeof(expr_t))};
	expr_t any = expr_false(p);
	if (l->blocks > FEW_BLOCKS)
		r.broken = 1;
	round_open(&r);
	for (uint32_t k = 0; k < l->entries && !r.broken; k++) {
		r.given = expr_true(p);
		first_visit(&r, f->loop_edges[l->first_entry + k], &then);
		any = expr_or(p, any, is_now(&r, &then));
	}
	if (!r.broken) {
		forget(&r);
		r.given = expr_true(p);
		any_visit(&r, &before);
		for (size_t i = 0; i < g->rows->symbols.size; i++)
			if (g->rows->symbols.data[i].kind == LOOP_VALUE &&
			    g->rows->symbols.data[i].varies)
				r.values[g->rows->symbols.data[i].id] = before.terms[i];
		for (size_t i = 0; i < g->list.size; i++)
			if (g->list.data[i].proved)
				r.given = expr_and(p, r.given,
						   loop_guess_term(p, g->rows, &g->list.data[i],
								   symbol_in_visit, &before));
		go_round(&r, CODE_NONE, &before, &then);
		any = expr_or(p, any, is_now(&r, &then));
	}
	free(before.terms);
	free(then.terms);
	round_close(&r);
	return r.broken ? expr_true(p) : any;
}
