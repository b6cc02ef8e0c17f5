/* merge_replay.c: follows a traced run through the code (loop_merge.h).
 *
 * A run's trace has the decisions that depend on the input, in order, and no others. The code is
 * executed beside it: a decision that depends on labels is the next one in the trace; one whose
 * operands are known is computed; of one that is neither, nothing is known but that the run came to
 * the next decision of the trace, so the outcome that is nearer to it is taken (behind the last
 * one: that which leaves loops). A decision that contradicts what was computed shows that code and
 * trace do not belong together: the replay is given up.
 *
 * What stays: for each decision and each leaf in its context (calls and iterations around it) what
 * the trace said, and how often loops went around.
 */
#include "loops/merge_inside.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct round {
	uint32_t loop;
	uint64_t outside; /* context around the loop */
	uint64_t visits;
};

/* The way through one activation. */
struct walk {
	struct merge *m;
	struct merge_frame *fr;
	VEC(struct round) rounds;
	int stopped; /* the trace says no more: what was learned so far holds */
};

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

/* Edges to the block on the shortest way from one of the outcomes; UINT32_MAX: there is none. */
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
static uint32_t way_to(const struct merge *m, const struct merge_frame *fr, uint32_t from,
		       const struct code_function *f, uint32_t block)
{
	uint32_t best = UINT32_MAX;
	if (f == fr->f)
		return steps_to(f, from, block);
	for (uint32_t b = 0; b < fr->f->block_count; b++)
		for (uint32_t v = fr->f->blocks[b].first;
		     v < fr->f->blocks[b].first + fr->f->blocks[b].count; v++)
			if (fr->f->values[v].op == CODE_CALL && merge_callee(m, fr, v)) {
				uint32_t d = steps_to(fr->f, from, b);
				best = d < best ? d : best;
			}
	return best;
}

static uint32_t guess(struct walk *w, uint32_t block)
{
	const struct code_function *f = w->fr->f, *next;
	const struct code_block *b = &f->blocks[block];
	uint32_t at, best = 0, least = UINT32_MAX;
	int capped = 0, more = next_event(w->m, &next, &at, &capped);
	for (uint32_t k = 0; k < b->edges; k++) {
		uint32_t to = f->edges[b->first_edge + k].to, d;
		if (f->blocks[to].flags & CODE_BLOCK_REPORT)
			continue;
		if (more)
			d = way_to(w->m, w->fr, to, next, at);
		else /* out of the loop, if this is a way out */
			d = b->loop != CODE_NONE && code_in_loop(f, b->loop, to);
		if (d < least) {
			least = d;
			best = k;
		}
	}
	return best;
}

/* The outcome in the run. CODE_NONE: it cannot be told, or code and trace disagree. */
static uint32_t decide(struct walk *w, uint32_t block)
{
	struct merge *m = w->m;
	struct merge_frame *fr = w->fr;
	const struct code_function *f = fr->f, *next;
	uint32_t last = code_last(f, block), at, outcome;
	uint64_t key = merge_decision(fr, block);
	int capped = 0,
	    decides = f->values[last].op == CODE_BRANCH || f->values[last].op == CODE_SWITCH;
	struct merged c =
	    decides ? merge_value(m, fr, code_operand(f, last, 0)) : (struct merged){0};
	int fixed = c.term != EXPR_NONE && expr_is_const(m->pool, c.term, NULL);
	if (!fixed && decides && next_event(m, &next, &at, &capped) && next == f && at == block) {
		const struct muster_event *e = &m->s.import->trace->events[m->at++];
		expr_t label = import_label(m->s.import, e->label);
		outcome =
		    e->kind == MUSTER_EV_BRANCH
			? e->arg
			: merge_outcome(m, f, block,
					expr_const(m->pool, expr_width(m->pool, label),
						   trace_value(m->s.import->trace, e->label)));
		if (c.known != EXPR_NONE && merge_outcome(m, f, block, c.known) != outcome)
			return CODE_NONE;
		if (m->s.foreign(m->s.ctx, label)) {
			map_set(&m->forced, key, (uint64_t)outcome + 1);
			return outcome;
		}
		m->found++;
		map_set(&m->labels, key, label);
		if (c.term != EXPR_NONE)
			merge_unify(m, c.term, label);
		return outcome;
	}
	if (c.known != EXPR_NONE)
		return merge_outcome(m, f, block, c.known);
	if (c.term != EXPR_NONE) {
		expr_t e = merge_bind(m, c.term);
		if (!merge_unknown(m, e))
			return merge_outcome(
			    m, f, block,
			    expr_const(m->pool, expr_width(m->pool, e),
				       expr_eval(m->pool, e, m->s.value, m->s.ctx)));
	}
	if (capped) {
		w->stopped = 1;
		return CODE_NONE;
	}
	outcome = guess(w, block);
	map_set(&m->forced, key, (uint64_t)outcome + 1);
	return outcome;
}

/* ---------------------------------------------------------------- the way */

static void leave_rounds(struct walk *w, uint32_t block)
{
	while (w->rounds.size && !code_in_loop(w->fr->f, vec_last(&w->rounds).loop, block)) {
		struct round r = vec_pop(&w->rounds);
		w->fr->context = r.outside;
	}
}

static void count_visit(struct merge *m, const struct merge_frame *fr, const struct round *r)
{
	uint64_t any = merge_key(fr->f->number, r->loop), most = 0;
	map_set(&m->visits, merge_key(r->outside, r->loop), r->visits);
	map_get(&m->visits, any, &most);
	if (r->visits > most)
		map_set(&m->visits, any, r->visits);
}

/* Contexts are the same as those of loop_merge.c. */
static void enter_block(struct walk *w, uint32_t block)
{
	const struct code_function *f = w->fr->f;
	uint32_t loop = f->blocks[block].loop;
	leave_rounds(w, block);
	if (loop == CODE_NONE || f->loops[loop].header != block)
		return;
	if (w->rounds.size && vec_last(&w->rounds).loop == loop)
		vec_last(&w->rounds).visits++;
	else
		vec_push(&w->rounds,
			 (struct round){.loop = loop, .outside = w->fr->context, .visits = 1});
	struct round *r = &vec_last(&w->rounds);
	w->fr->context = merge_key(merge_key(r->outside, loop), r->visits);
	count_visit(w->m, w->fr, r);
}

/* Phis take their values at once. edge: by which the block is entered, or CODE_NONE: by one of
 * those from outside its loop. */
static void take_phis(struct walk *w, uint32_t block, uint32_t edge)
{
	const struct code_function *f = w->fr->f;
	const struct code_block *b = &f->blocks[block];
	VEC(struct merged) news = {0};
	uint32_t v = b->first;
	for (; v < b->first + b->count && f->values[v].op == CODE_PHI; v++) {
		struct merged is = {0};
		for (uint32_t k = 0; k < b->preds; k++) {
			uint32_t e = f->preds[b->first_pred + k];
			if (edge == CODE_NONE ? f->edges[e].flags & CODE_EDGE_BACK : e != edge)
				continue;
			struct merged now = merge_value(w->m, w->fr, code_operand(f, v, k));
			is = is.term == EXPR_NONE || (is.term == now.term && is.root == now.root)
				 ? now
				 : (struct merged){0};
		}
		vec_push(&news, is);
	}
	for (size_t i = 0; i < news.size; i++)
		w->fr->values[b->first + i] =
		    news.data[i].term != EXPR_NONE
			? news.data[i]
			: merge_leaf_here(w->m, w->fr, b->first + (uint32_t)i);
	vec_release(&news);
}

static struct merged follow(struct merge *m, struct merge_frame *fr, uint32_t block, int *stopped);

static void call(struct walk *w, uint32_t value, const struct code_function *callee)
{
	struct merge *m = w->m;
	struct merge_frame *in =
	    merge_frame_new(callee, merge_key(w->fr->context, value), w->fr->depth + 1);
	m->steps += callee->value_count / 16; /* a frame costs, too */
	for (uint32_t i = 0; i < callee->parameters && i + 1 < w->fr->f->values[value].operands;
	     i++)
		in->values[i] = merge_value(m, w->fr, code_operand(w->fr->f, value, i + 1));
	w->fr->values[value] = follow(m, in, 0, &w->stopped);
	merge_frame_free(in);
}

/* The instructions of a block but for its phis and its end. */
static void take_block(struct walk *w, uint32_t block)
{
	const struct code_function *f = w->fr->f;
	uint32_t last = code_last(f, block);
	for (uint32_t v = f->blocks[block].first; v < last && !w->stopped && !w->m->failed; v++) {
		const struct code_function *callee =
		    f->values[v].op == CODE_CALL ? merge_callee(w->m, w->fr, v) : NULL;
		if (f->values[v].op == CODE_PHI)
			continue;
		if (callee)
			call(w, v, callee);
		else
			merge_instruction(w->m, w->fr, v, expr_true(w->m->pool));
		if (++w->m->steps > MERGE_STEPS ||
		    exprs_count(w->m->pool) - w->m->nodes > MERGE_NODES)
			w->stopped = 1;
	}
}

/* The edge by which the run left the block; CODE_NONE: it did not. */
static uint32_t leave_block(struct walk *w, uint32_t block)
{
	const struct code_function *f = w->fr->f;
	const struct code_block *b = &f->blocks[block];
	uint32_t passing = merge_passing(f, block);
	if (!b->edges)
		return CODE_NONE;
	if (passing != CODE_NONE)
		return passing;
	if (b->edges == 1 || f->values[code_last(f, block)].op == CODE_INVOKE)
		return b->first_edge;
	uint32_t outcome = decide(w, block);
	if (outcome == CODE_NONE || outcome >= b->edges) {
		w->m->failed |= !w->stopped;
		return CODE_NONE;
	}
	return b->first_edge + outcome;
}

/* From the block to the function's end. Returns what it returned. */
static struct merged follow(struct merge *m, struct merge_frame *fr, uint32_t block, int *stopped)
{
	struct walk w = {.m = m, .fr = fr};
	struct merged result = {0};
	uint32_t edge = CODE_NONE;
	for (;;) {
		enter_block(&w, block);
		take_phis(&w, block, edge);
		take_block(&w, block);
		if (w.stopped || m->failed)
			break;
		uint32_t last = code_last(fr->f, block);
		if (fr->f->values[last].op == CODE_RETURN) {
			if (fr->f->values[last].operands)
				result = merge_value(m, fr, code_operand(fr->f, last, 0));
			break;
		}
		edge = leave_block(&w, block);
		if (edge == CODE_NONE) {
			w.stopped = 1; /* the run ended there */
			break;
		}
		block = fr->f->edges[edge].to;
	}
	*stopped |= w.stopped;
	vec_release(&w.rounds);
	return result;
}

/* Which roots are the input? */
static void find_inputs(struct merge *m)
{
	for (size_t i = 0; i < m->leaves.size; i++) {
		const struct merge_leaf *l = &m->leaves.data[i];
		uint64_t known = 0, from = 0;
		if (!l->root || l->bound == EXPR_NONE ||
		    expr_width(m->pool, l->bound) != 8 * l->bytes)
			continue;
		const struct expr_node *low =
		    expr_get(m->pool, expr_extract(m->pool, l->bound, 0, 8));
		if (low->op == MUSTER_OP_INPUT && !low->a && (int64_t)low->k >= l->offset) {
			from = low->k - (uint64_t)l->offset + 1;
			for (uint32_t b = 1; b < l->bytes && from; b++)
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
	struct merge_frame *fr = merge_frame_new(m->s.f, 0, 0);
	int stopped = 0;
	m->replaying = 1;
	m->nodes = exprs_count(m->pool);
	m->steps = 0;
	m->at = m->s.event;
	merge_frame_enter(m, fr);
	follow(m, fr, m->s.loop == CODE_NONE ? 0 : m->s.f->loops[m->s.loop].header, &stopped);
	merge_frame_free(fr);
	find_inputs(m);
	merge_clobber(m);
	m->replaying = 0;
	return m->failed ? -1 : m->found;
}
