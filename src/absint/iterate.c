/* iterate.c: the fixpoint.
 *
 * Blocks are visited from a list of work, inner loops first, else in reverse postorder. What is
 * known at the header of a loop only grows, and is widened after a few visits; every cycle passes
 * a header, so it ends. Other blocks are what their predecessors make of them. When a header's
 * state grew, everything inside its loop starts again from nothing: inner loops are then widened
 * from their real first values. When nothing changes any more the states include all runs; sweeps
 * without widening then make them smaller, and stay above what really happens because each state is
 * computed from states that are.
 *
 * A limit of work (PPL's own count, the same on every machine, and a clock after it) ends the
 * attempt; the next one uses a weaker domain. Boxes get all the time they need up to a last limit;
 * after it nothing is known of the function, and that is said.
 *
 * Each side of each case split is a run of its own under an assumption about the inputs, which
 * never change: one of the runs speaks about every execution.
 */
#include "absint/inside.h"

#include "base/deadline.h"
#include "base/error.h"

#include <string.h>

#define SWEEPS 2

static int stopped(struct absint *a)
{
	if (!a->late && deadline_processor() > a->deadline)
		a->late = 1;
	return a->late || domain_failed();
}

static int is_header(const struct absint *a, uint32_t block)
{
	uint32_t l = a->f->blocks[block].loop;
	return l != CODE_NONE && a->f->loops[l].header == block;
}

static void queue(struct absint *a, uint32_t block)
{
	if (a->run->queued[block] || !a->region[block])
		return;
	a->run->queued[block] = 1;
	vec_push(&a->work, block);
}

/* The first of the waiting blocks in a loop (NONE: all), or SIZE_MAX. */
static size_t first_in(const struct absint *a, uint32_t loop)
{
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < a->work.size; i++) {
		uint32_t b = a->work.data[i];
		if ((loop == CODE_NONE || code_in_loop(a->f, loop, b)) &&
		    (best == SIZE_MAX ||
		     a->f->blocks[b].order < a->f->blocks[a->work.data[best]].order))
			best = i;
	}
	return best;
}

/* A loop is left only when nothing in it is waiting any more: what comes after it would be done
 * again and again. */
static uint32_t next(struct absint *a, uint32_t last)
{
	size_t best = SIZE_MAX;
	for (uint32_t l = last == NONE ? CODE_NONE : a->f->blocks[last].loop;
	     l != CODE_NONE && best == SIZE_MAX; l = a->f->loops[l].parent)
		best = first_in(a, l);
	if (best == SIZE_MAX)
		best = first_in(a, CODE_NONE);
	uint32_t b = a->work.data[best];
	a->work.data[best] = vec_last(&a->work);
	(void)vec_pop(&a->work);
	a->run->queued[b] = 0;
	return b;
}

/* The state that the analysis starts from. */
static struct state *initial(struct absint *a)
{
	struct state *s = state_new(a);
	for (size_t i = 0; i < a->cells.size; i++) {
		struct linear same = linear_dim(a->cell_symbol[a->cells.data[i]]);
		linear_add_dim(&same, a->old_symbol[a->cells.data[i]], -1);
		same.kind = LINEAR_EQ;
		state_add(a, s, &same);
		linear_release(&same);
	}
	for (size_t i = 0; i < a->run->assumed.size; i++)
		state_add(a, s, &a->run->assumed.data[i]);
	if (!state_is_empty(a, s))
		return s;
	state_free(a, s);
	return NULL;
}

/* Through one edge, to after the phis; NULL: the edge is not taken. */
static struct state *through(struct absint *a, uint32_t edge)
{
	struct state *s = state_copy(a, a->run->edge[edge]);
	if (s)
		transfer_enter(a, s, edge);
	return s;
}

static struct state *gather(struct absint *a, uint32_t block)
{
	const struct code_block *b = &a->f->blocks[block];
	struct state *s = NULL;
	if (block == 0 && a->loop == NONE)
		s = initial(a);
	for (uint32_t k = 0; k < b->preds; k++) {
		struct state *in = through(a, a->f->preds[b->first_pred + k]);
		state_join(a, &s, in);
		state_free(a, in);
	}
	return s;
}

static void set_edge(struct absint *a, uint32_t edge, struct state *s)
{
	if (s && state_is_empty(a, s)) {
		state_free(a, s);
		s = NULL;
	}
	state_free(a, a->run->edge[edge]);
	a->run->edge[edge] = s;
	if (!(a->f->blocks[a->f->edges[edge].to].flags & CODE_BLOCK_REPORT))
		queue(a, a->f->edges[edge].to);
}

/* The branch is decided by a phi of the block: each entry has its own outcomes. */
static void leave_by_phi(struct absint *a, uint32_t block)
{
	const struct code_function *f = a->f;
	const struct code_block *b = &f->blocks[block];
	int negated;
	uint32_t phi = condition_phi(a, block, &negated);
	for (uint32_t i = 0; i < b->edges; i++) {
		const struct code_edge *e = &f->edges[b->first_edge + i];
		struct state *out = NULL;
		for (uint32_t k = 0; k < b->preds; k++) {
			uint32_t in = f->preds[b->first_pred + k];
			struct state *s = state_copy(a, a->run->edge[in]);
			if (!s)
				continue;
			if (!(e->flags & CODE_EDGE_PASS))
				condition_assume(a, s, code_operand(f, phi, k),
						 (int)e->outcome ^ negated);
			transfer_enter(a, s, in);
			transfer_block(a, s, block);
			if (!state_is_empty(a, s))
				state_join(a, &out, s);
			state_free(a, s);
		}
		set_edge(a, b->first_edge + i, out);
	}
}

static void leave(struct absint *a, uint32_t block)
{
	const struct code_block *b = &a->f->blocks[block];
	if (a->partition[block]) {
		leave_by_phi(a, block);
		return;
	}
	struct state *s = state_copy(a, a->run->entry[block]);
	if (s)
		transfer_block(a, s, block);
	for (uint32_t i = 0; i < b->edges; i++) {
		const struct code_edge *e = &a->f->edges[b->first_edge + i];
		struct state *out = state_copy(a, s);
		if (out && !(e->flags & CODE_EDGE_REPORT))
			condition_edge(a, out, e);
		set_edge(a, b->first_edge + i, out);
	}
	state_free(a, s);
}

/* Blocks that report a failed check end there: what holds in them is found when it is asked for. */
struct state *iterate_report(struct absint *a, struct run *r, uint32_t block)
{
	a->run = r;
	return gather(a, block);
}

static void clear_block(struct absint *a, uint32_t block)
{
	const struct code_block *b = &a->f->blocks[block];
	state_free(a, a->run->entry[block]);
	a->run->entry[block] = NULL;
	a->run->visits[block] = 0;
	for (uint32_t i = 0; i < b->edges; i++) {
		state_free(a, a->run->edge[b->first_edge + i]);
		a->run->edge[b->first_edge + i] = NULL;
	}
}

/* All blocks of the header's loop but the header itself. */
static void restart_inside(struct absint *a, uint32_t header)
{
	const struct code_loop *l = &a->f->loops[a->f->blocks[header].loop];
	for (uint32_t i = 0; i < l->blocks; i++) {
		uint32_t b = a->f->loop_blocks[l->first_block + i];
		if (b == header || !a->region[b])
			continue;
		clear_block(a, b);
		queue(a, b);
	}
}

static void visit(struct absint *a, uint32_t block)
{
	struct run *r = a->run;
	struct state *in = gather(a, block), *old = r->entry[block];
	int header = is_header(a, block);
	if (!in || (header && state_includes(a, old, in))) {
		state_free(a, in);
		return;
	}
	unsigned delay = a->options.delay ? a->options.delay : 3;
	if (old && header) {
		state_join(a, &in, old);
		if (r->visits[block] >= delay)
			state_widen(a, in, old);
	}
	if (domain_failed()) {
		state_free(a, in);
		return;
	}
	state_free(a, old);
	r->entry[block] = in;
	r->visits[block]++;
	if (header)
		restart_inside(a, block);
	leave(a, block);
}

static void sweep(struct absint *a)
{
	for (uint32_t i = 0; i < a->f->order_count && !stopped(a); i++) {
		uint32_t b = a->f->order[i];
		if (!a->region[b] || !a->run->entry[b])
			continue;
		struct state *in = gather(a, b);
		if (in && is_header(a, b))
			state_meet(a, in, a->run->entry[b]);
		if (in && state_is_empty(a, in)) {
			state_free(a, in);
			in = NULL;
		}
		if (domain_failed()) {
			state_free(a, in);
			return;
		}
		state_free(a, a->run->entry[b]);
		a->run->entry[b] = in;
		leave(a, b);
	}
}

static void start(struct absint *a)
{
	if (a->loop == NONE) {
		queue(a, 0);
		return;
	}
	const struct code_loop *l = &a->f->loops[a->loop];
	for (uint32_t i = 0; i < l->entries; i++)
		set_edge(a, a->f->loop_edges[l->first_entry + i], initial(a));
}

/* 0: it did not come to an end. */
static int run(struct absint *a)
{
	vec_clear(&a->work);
	start(a);
	for (uint32_t last = NONE; a->work.size && !stopped(a);) {
		last = next(a, last);
		visit(a, last);
	}
	for (int i = 0; i < SWEEPS && !stopped(a); i++) {
		a->recording = i == SWEEPS - 1;
		sweep(a);
	}
	a->recording = 0;
	vec_clear(&a->work);
	return !stopped(a);
}

static void release_runs(struct absint *a)
{
	for (size_t i = 0; i < a->runs.size; i++) {
		struct run *r = &a->runs.data[i];
		for (uint32_t b = 0; b < a->f->block_count; b++)
			state_free(a, r->entry[b]);
		for (uint32_t e = 0; e < a->f->edge_count; e++)
			state_free(a, r->edge[e]);
		free(r->entry);
		free(r->edge);
		free(r->visits);
		free(r->queued);
		linear_list_release(&r->assumed);
	}
	vec_release(&a->runs);
}

void iterate_release(struct absint *a)
{
	release_runs(a);
	vec_release(&a->work);
}

/* Side `sides` of the splits: bit i is set where split i does not hold. */
static void add_run(struct absint *a, unsigned sides)
{
	struct run r = {0};
	for (size_t i = 0; i < a->splits.size; i++) {
		struct linear l = linear_copy(&a->splits.data[i]);
		if (sides >> i & 1) {
			linear_scale(&l, -1);
			struct linear less = linear_constant(-1);
			linear_add(&l, &less, 1);
		}
		vec_push(&r.assumed, l);
	}
	r.entry = mem_zalloc((a->f->block_count + 1) * sizeof *r.entry);
	r.edge = mem_zalloc((a->f->edge_count + 1) * sizeof *r.edge);
	r.visits = mem_zalloc((a->f->block_count + 1) * sizeof *r.visits);
	r.queued = mem_zalloc(a->f->block_count + 1);
	vec_push(&a->runs, r);
}

static int attempt(struct absint *a, enum domain_kind kind, double seconds)
{
	release_runs(a);
	a->kind = kind;
	a->late = 0;
	/* Processor time: a busy machine should not change results. Boxes are the last that can
	 * answer. */
	a->deadline = deadline_processor() + (kind == DOMAIN_BOXES ? 4 : 1) * seconds;
	domain_budget(kind == DOMAIN_BOXES ? 0 : (unsigned long)(seconds * 1000) + 1);
	for (unsigned i = 0; i < 1u << a->splits.size; i++)
		add_run(a, i);
	int ok = 1;
	for (size_t i = 0; i < a->runs.size && ok; i++) {
		a->run = &a->runs.data[i];
		ok = run(a);
	}
	return ok;
}

/* Nothing is known. */
static void give_up(struct absint *a)
{
	release_runs(a);
	linear_list_release(&a->splits);
	domain_budget(0);
	add_run(a, 0);
	a->run = &a->runs.data[0];
	struct state *s = state_new(a);
	for (uint32_t b = 0; b < a->f->block_count; b++) {
		if (!a->region[b])
			continue;
		a->run->entry[b] = state_copy(a, s);
		for (uint32_t i = 0; i < a->f->blocks[b].edges; i++)
			a->run->edge[a->f->blocks[b].first_edge + i] = state_copy(a, s);
	}
	state_free(a, s);
}

void iterate(struct absint *a)
{
	double seconds = a->options.seconds > 0 ? a->options.seconds : 2;
	double share[] = {seconds * 0.6, seconds * 0.3, seconds};
	for (enum domain_kind k = a->options.domain; k <= DOMAIN_BOXES; k++) {
		if (attempt(a, k, share[k]))
			return;
		a->weakened = 1;
	}
	give_up(a);
}
