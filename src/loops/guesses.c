/* guesses.c: what was guessed about the loops of functions, for points after them.
 *
 * What holds at every visit of a header holds, with the values of the last visit, wherever the
 * header dominates: its phis have these values until the next visit. A point that is reached around
 * the loop, too, or whose loop is entered beside its header, is after a block D that all paths
 * from the header to the point pass. There one of D's edges was taken: D's phis are what that edge
 * brought, and what holds after the header holds at the edge, or nothing is known of it. Values
 * must still be those of that time: whatever an edge brings is named only if nothing that it is
 * made of can be computed again on a path from D to the point.
 */
#include "loops/guesses.h"

#include "base/clock.h"
#include "base/limit.h"
#include "base/map.h"
#include "vc/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LOOPS LIMIT(8, 1) /* nests of loops in a function that guesses are made for | time: each nest is simulated RUNS times */
#define MOST_PHIS LIMIT(8, 1) /* variables of a loop head that guesses relate | pairs and triples of them are guessed: 84 with 8 */
#define LEAVES LIMIT(16, 2) /* values in one guard that are put into guesses; one with more gets none | a guard with more values is seldom a relation; bounds the proofs */
#define DEEPEST LIMIT(2, 1) /* dominating decisions that a guess takes along | each one doubles what has to be proved */

struct nest {
	const struct code_function *f;
	uint32_t loop;
	struct loop_guesses found;
};

struct guesses {
	struct map known; /* function and loop to place in list, + 1 */
	VEC(struct nest *) list;
};

struct guesses *guesses_new(void)
{
	return mem_zalloc(sizeof(struct guesses));
}

void guesses_free(struct guesses *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->list.size; i++) {
		loop_guesses_release(&g->list.data[i]->found);
		free(g->list.data[i]);
	}
	vec_release(&g->list);
	map_release(&g->known);
	free(g);
}

static const struct nest *find(const struct guesses *g, const struct code_function *f,
			       uint32_t loop)
{
	uint64_t at = 0;
	return map_get(&g->known, (uintptr_t)&f->loops[loop], &at) ? g->list.data[at - 1] : NULL;
}

/* Loops that matter: outermost ones that come before the block, or have it. */
static int matters(const struct code_function *f, uint32_t loop, uint32_t block)
{
	return f->loops[loop].parent == CODE_NONE &&
	       f->blocks[f->loops[loop].header].order <= f->blocks[block].order;
}

size_t guesses_make(struct guesses *g, const struct code_function *f, uint32_t block,
		    const struct loop_run_options *run, double seconds)
{
	double began = clock_processor();
	unsigned n = 0;
	for (uint32_t l = f->loop_count; l-- > 0 && n < MOST_LOOPS;) { /* the latest first */
		double left = seconds - (clock_processor() - began);
		if (!matters(f, l, block))
			continue;
		n++;
		if (find(g, f, l) || (seconds > 0 && left <= 0))
			continue;
		struct nest *nest = mem_zalloc(sizeof *nest);
		struct loop_guess_options o = {.run = *run, .seconds = seconds > 0 ? left : 0};
		nest->f = f;
		nest->loop = l;
		loop_guesses_make(&nest->found, f, l, &o);
		vec_push(&g->list, nest);
		map_set(&g->known, (uintptr_t)&f->loops[l], g->list.size);
	}
	return guesses_count(g, f, block, 0);
}

size_t guesses_count(const struct guesses *g, const struct code_function *f, uint32_t block,
		     int unproved)
{
	size_t n = 0;
	for (uint32_t l = 0; l < f->loop_count; l++) {
		const struct nest *nest = matters(f, l, block) ? find(g, f, l) : NULL;
		for (size_t i = 0; nest && i < nest->found.loops.size; i++)
			for (size_t k = 0; k < nest->found.loops.data[i].list.size; k++)
				n += nest->found.loops.data[i].list.data[k].proved != unproved;
	}
	return n;
}

/* ---------------------------------------------------------------- points */

struct point {
	struct exprs *pool;
	const struct code_function *f;
	const struct loop_guessed *loop;
	size_t inner; /* so many loops after it may be inside it */
	int unproved;
	expr_t (*symbol)(void *ctx, const struct loop_symbol *s);
	void *ctx;
	uint32_t target,
	    via; /* of the outer block that an edge was taken into; via CODE_NONE: none */
	const struct point *outer; /* where the edge was taken from, if one was: this is the time before it */
	uint32_t passed;	   /* the block that was passed since */
};

/* Is there a path from the end of `from` to the block that does not pass `without`? */
static int reaches(const struct code_function *f, uint32_t from, uint32_t block, uint32_t without)
{
	uint8_t *seen = mem_zalloc(f->block_count);
	VEC(uint32_t) work = {0};
	vec_push(&work, from);
	while (work.size && !seen[block]) {
		const struct code_block *b = &f->blocks[vec_pop(&work)];
		for (uint32_t k = 0; k < b->edges; k++) {
			uint32_t to = f->edges[b->first_edge + k].to;
			if (to != without && !seen[to]) {
				seen[to] = 1;
				vec_push(&work, to);
			}
		}
	}
	int found = seen[block];
	vec_release(&work);
	free(seen);
	return found;
}

/* Could the value have been made anew since D was passed on the way to the block? */
static int is_stale(const struct code_function *f, uint32_t value, uint32_t d, uint32_t block)
{
	uint32_t leaves[LEAVES];
	const struct code_value *v = &f->values[value];
	size_t n = 0;
	if (v->kind != CODE_INSTRUCTION)
		return 0;
	n = vc_leaves(f, value, leaves, LEAVES);
	if (n == LEAVES)
		return 1;
	if (n < LEAVES)
		leaves[n++] = value;
	for (size_t i = 0; i < n; i++) {
		uint32_t at = f->values[leaves[i]].block;
		if (at == d || at == block || reaches(f, at, block, d))
			return 1;
	}
	return 0;
}

/* What a symbol was then: one that may have been made anew since is another variable. */
static expr_t symbol_then(void *ctx, const struct loop_symbol *s)
{
	const struct point *x = ctx;
	for (const struct point *now = x; s->kind == LOOP_VALUE && now->outer; now = now->outer)
		if (is_stale(x->f, s->id, now->passed, x->target)) {
			char name[48];
			snprintf(name, sizeof name, "then.%u.%u", now->passed, s->id);
			return expr_named(x->pool, s->width, name);
		}
	return x->symbol(x->ctx, s);
}

static expr_t value_of(const struct point *x, uint32_t value)
{
	struct loop_symbol s = {.kind = LOOP_VALUE,
				.width = (uint8_t)x->f->values[value].width,
				.id = value,
				.start = CODE_NONE};
	return x->symbol(x->ctx, &s);
}

/* The block's phis are what its k-th edge brings. */
static expr_t brought(const struct point *x, uint32_t d, uint32_t k, uint32_t block)
{
	const struct code_function *f = x->f;
	const struct code_block *b = &f->blocks[d];
	expr_t all = expr_true(x->pool);
	for (uint32_t v = b->first, n = 0;
	     v < b->first + b->count && f->values[v].op == CODE_PHI && n < MOST_PHIS; v++) {
		uint32_t from = code_operand(f, v, k);
		int kind = f->values[from].kind;
		if (!f->values[v].width || f->values[v].width > 64 ||
		    (kind != CODE_INSTRUCTION && kind != CODE_CONSTANT && kind != CODE_PARAMETER) ||
		    is_stale(f, from, d, block))
			continue;
		n++;
		all = expr_and(x->pool, all, expr_eq(x->pool, value_of(x, v), value_of(x, from)));
	}
	return all;
}

static expr_t at(const struct point *x, uint32_t block, unsigned depth)
{
	const struct code_function *f = x->f;
	uint32_t header = f->loops[x->loop->rows->loop].header;
	expr_t all = expr_true(x->pool), any = expr_false(x->pool);
	if (code_dominates(f, header, block)) {
		for (size_t k = 0; k < x->loop->list.size; k++)
			if (x->loop->list.data[k].proved || x->unproved)
				all = expr_and(x->pool, all,
					       loop_guess_term(x->pool, x->loop->rows,
							       &x->loop->list.data[k], symbol_then,
							       (void *)x));
		return expr_and(
		    x->pool, all,
		    loop_last_round(x->pool, f, x->loop, x->loop + 1, x->inner, symbol_then, (void *)x));
	}
	uint32_t d = block;
	while (d != CODE_NONE &&
	       (f->blocks[d].preds < 2 || (d != block && reaches(f, header, block, d))))
		d = f->blocks[d].dominator;
	if (!depth || d == CODE_NONE || !reaches(f, header, block, CODE_NONE) ||
	    (x->via != CODE_NONE && reaches(f, d, x->target, x->via)))
		return all;
	struct point inner = *x;
	inner.target = x->via == CODE_NONE ? block : x->target;
	inner.via = x->via == CODE_NONE ? d : x->via;
	inner.outer = x;
	inner.passed = d;
	for (uint32_t k = 0; k < f->blocks[d].preds; k++) {
		const struct code_edge *e = code_pred(f, d, k);
		if (!(f->blocks[e->from].flags & CODE_BLOCK_REACHED))
			continue;
		any = expr_or(x->pool, any,
			      expr_and(x->pool, brought(x, d, k, inner.target),
				       at(&inner, e->from, depth - 1)));
	}
	return any;
}

expr_t guesses_at(struct guesses *g, struct exprs *p, const struct code_function *f, uint32_t block,
		  int unproved, expr_t (*symbol)(void *ctx, const struct loop_symbol *s), void *ctx)
{
	expr_t all = expr_true(p);
	for (uint32_t l = 0; l < f->loop_count; l++) {
		const struct nest *nest = matters(f, l, block) ? find(g, f, l) : NULL;
		for (size_t i = 0; nest && i < nest->found.loops.size; i++) {
			struct point x = {.pool = p,
					  .f = f,
					  .loop = &nest->found.loops.data[i],
					  .unproved = unproved,
					  .symbol = symbol,
					  .ctx = ctx,
					  .via = CODE_NONE,
					  .inner = nest->found.loops.size - i - 1};
			if (x.loop->list.size)
				all = expr_and(p, all, at(&x, block, DEEPEST));
		}
	}
	return all;
}
