/* merge_replay.c: follows a traced run through the code (loop_merge.h).
 *
 * A run's trace has the decisions that depend on the input, in order, and no others. src/vc follows
 * the code beside it, one path, since every decision has its outcome from here: a decision that depends on labels is the next one in the trace; one whose
 * operands are known is computed; of one that is neither, nothing is known but that the run came to
 * the next decision of the trace, so the outcome that is nearer to it is taken (after the last
 * one: that which leaves loops). A decision that contradicts what was computed shows that code and
 * trace do not belong together: the replay is given up.
 *
 * What stays: for each decision and each leaf in its context (calls and iterations around it) what
 * the trace said, and how often loops went around.
 */
#include "loops/merge_inside.h"

#include "base/hash.h"
#include "base/mem.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- events */

/* The decision that an event is about; 0: of none that is followed. */
static int is_decision(const struct merge *m, const struct muster_event *e,
		       const struct code_function **f, uint32_t *block)
{
	uint32_t value;
	if ((e->kind != MUSTER_EV_BRANCH && e->kind != MUSTER_EV_SWITCH) ||
	    e->unit != m->s.code->unit || !e->label)
		return 0;
	*f = code_find_ordinal(m->s.code, e->index, &value);
	if (!*f || !m->follow[(*f)->number])
		return 0;
	*block = (*f)->values[value].block;
	return value == code_last(*f, *block) && merge_passing(*f, *block) == CODE_NONE;
}

static int is_end(const struct merge *m, const struct muster_event *e)
{
	uint32_t value;
	if (e->kind == MUSTER_EV_FULL)
		return 1;
	if (e->kind != MUSTER_EV_CAP || e->unit != m->s.code->unit)
		return 0;
	const struct code_function *f = code_find_ordinal(m->s.code, e->index, &value);
	return f && m->follow[f->number];
}

/* Moves to the next decision; 0: there is none. *capped: there were more than the trace has. */
static int next_event(struct merge *m, const struct code_function **f, uint32_t *block, int *capped)
{
	const struct trace *t = m->s.import->trace;
	for (; m->at < t->event_count; m->at++) {
		const struct muster_event *e = &t->events[m->at];
		if (is_decision(m, e, f, block))
			return 1;
		if (is_end(m, e)) {
			*capped = 1;
			return 0;
		}
	}
	return 0;
}

/* ---------------------------------------------------------------- decisions */

/* Edges to the block on the shortest path from one of the outcomes; UINT32_MAX: there is none. */
static uint32_t steps_to(const struct code_function *f, uint32_t from, uint32_t to)
{
	uint32_t *distance = mem_alloc(f->block_count * sizeof *distance),
		 *queue = mem_alloc(f->block_count * sizeof *queue), head = 0, tail = 0;
	memset(distance, 0xff, f->block_count * sizeof *distance);
	distance[from] = 0;
	queue[tail++] = from;
	while (head < tail && distance[to] == UINT32_MAX) {
		uint32_t b = queue[head++];
		for (uint32_t e = f->blocks[b].first_edge;
		     e < f->blocks[b].first_edge + f->blocks[b].edges; e++)
			if (distance[f->edges[e].to] == UINT32_MAX &&
			    !(f->edges[e].flags & CODE_EDGE_REPORT)) {
				distance[f->edges[e].to] = distance[b] + 1;
				queue[tail++] = f->edges[e].to;
			}
	}
	uint32_t d = distance[to];
	free(distance);
	free(queue);
	return d;
}

/* Where a function that is followed has to be called from to come to a decision of it: some block
 * with a call of it. */
static uint32_t way_to(const struct merge *m, const struct code_function *in, uint32_t from,
		       const struct code_function *f, uint32_t block)
{
	uint32_t best = UINT32_MAX;
	if (f == in)
		return steps_to(f, from, block);
	for (uint32_t b = 0; b < in->block_count; b++)
		for (uint32_t v = in->blocks[b].first; v < in->blocks[b].first + in->blocks[b].count; v++)
			if (merge_callee(m, in, v)) {
				uint32_t d = steps_to(in, from, b);
				best = d < best ? d : best;
			}
	return best;
}

static uint32_t guess(struct merge *m, const struct code_function *f, uint32_t block)
{
	const struct code_function *next;
	const struct code_block *b = &f->blocks[block];
	uint32_t at, best = 0, least = UINT32_MAX;
	int capped = 0, more = next_event(m, &next, &at, &capped);
	for (uint32_t k = 0; k < b->edges; k++) {
		uint32_t to = f->edges[b->first_edge + k].to, d;
		if (f->blocks[to].flags & CODE_BLOCK_REPORT)
			continue;
		if (more)
			d = way_to(m, f, to, next, at);
		else /* out of the loop, if this is an exit */
			d = b->loop != CODE_NONE && code_in_loop(f, b->loop, to);
		if (d < least) {
			least = d;
			best = k;
		}
	}
	return best;
}

/* The decision is the trace's next event: its outcome; c is what the code says that it is made on, or EXPR_NONE. CODE_NONE: code and trace disagree. */
static uint32_t decide_by_event(struct merge *m, const struct vc_point *at, uint32_t block, expr_t c)
{
	const struct trace *t = m->s.import->trace;
	const struct muster_event *e = &t->events[m->at++];
	expr_t label = import_label(m->s.import, e->label);
	uint32_t outcome = e->kind == MUSTER_EV_BRANCH ? e->arg : merge_outcome(at->f, block, trace_value(t, e->label));
	u128 known;
	if (c != EXPR_NONE && merge_known(m, c, &known) && merge_outcome(at->f, block, known) != outcome)
		return CODE_NONE;
	if (m->s.foreign(m->s.ctx, label)) {
		map_set(&m->forced, merge_decision(at), (uint64_t)outcome + 1);
		return outcome;
	}
	m->found++;
	map_set(&m->labels, merge_decision(at), label);
	if (c != EXPR_NONE)
		merge_unify(m, c, label);
	return outcome;
}

/* The outcome in the run. CODE_NONE: the trace says no more, what was learned so far holds; or code and trace disagree: m->failed. */
static uint32_t decide(struct merge *m, const struct vc_point *at, uint32_t block, expr_t c)
{
	const struct code_function *f = at->f, *next;
	uint32_t there, outcome;
	int capped = 0, decides = f->values[at->at].op == CODE_BRANCH || f->values[at->at].op == CODE_SWITCH;
	u128 known;
	if (decides && !(c != EXPR_NONE && expr_is_const(m->pool, c, NULL)) && next_event(m, &next, &there, &capped) && next == f && there == block) {
		outcome = decide_by_event(m, at, block, c);
		m->failed |= outcome == CODE_NONE;
		return outcome;
	}
	if (c != EXPR_NONE && merge_known(m, c, &known))
		return merge_outcome(f, block, known);
	if (capped)
		return CODE_NONE;
	outcome = guess(m, f, block);
	map_set(&m->forced, merge_decision(at), (uint64_t)outcome + 1);
	return outcome;
}

/* ---------------------------------------------------------------- the path */

static expr_t settle(void *ctx, struct vc_point *at, expr_t e)
{
	struct merge *m = ctx;
	uint32_t block = at->f->values[at->at].block;
	if (!at->decides)
		return merge_settle(m, at, e);
	at->outcome = merge_passing(at->f, block);
	if (at->outcome == CODE_NONE && at->f->blocks[block].edges)
		at->outcome = decide(m, at, block, e);
	if (at->outcome == CODE_NONE || at->outcome >= at->f->blocks[block].edges)
		vc_stop(at->vc);
	return e;
}

static enum vc_loop_how unroll(void *ctx, struct vc_loop *l)
{
	(void)ctx;
	l->most = UINT_MAX;
	return VC_LOOP_UNROLL;
}

static int count_visit(void *ctx, const struct vc_loop *l, unsigned k, int after)
{
	struct merge *m = ctx;
	uint64_t any = hash_join(l->f->number, l->loop), most = 0;
	if (after)
		return 1;
	map_set(&m->visits, hash_join(l->context, l->loop), k + 1);
	map_get(&m->visits, any, &most);
	if (k + 1 > most)
		map_set(&m->visits, any, k + 1);
	return 1;
}

/* Which roots are the input? */
static void find_inputs(struct merge *m)
{
	for (size_t i = 0; i < m->leaves.size; i++) {
		const struct merge_leaf *l = &m->leaves.data[i];
		uint64_t known = 0, from = 0;
		unsigned width = expr_width(m->pool, l->name);
		if (!l->root || l->bound == EXPR_NONE || width % 8)
			continue;
		const struct expr_node *low =
		    expr_get(m->pool, expr_extract(m->pool, l->bound, 0, 8));
		if (low->op == MUSTER_OP_INPUT && !low->a && (int64_t)low->k >= l->offset) {
			from = low->k - (uint64_t)l->offset + 1;
			for (uint32_t b = 1; b < width / 8 && from; b++)
				if (expr_extract(m->pool, l->bound, 8 * b, 8) !=
				    expr_input(m->pool, 0, from - 1 + (uint64_t)l->offset + b))
					from = 0;
		}
		if (map_get(&m->inputs, l->root, &known) && known != from)
			from = 0;
		map_set(&m->inputs, l->root, from);
	}
}

int64_t merge_replay(struct merge *m)
{
	struct vc_options o = merge_options(m);
	o.settle = settle;
	o.loop = unroll;
	o.iteration = count_visit;
	if (m->failed)
		return -1;
	m->replaying = 1;
	m->at = m->s.event;
	merge_evaluate(m, &o, NULL);
	find_inputs(m);
	m->replaying = 0;
	return m->failed ? -1 : m->found;
}
