/* code_flow.c: reverse postorder, dominators, what is reached from a block.
 *
 * One depth-first walk from the entry numbers the blocks (an explicit stack: functions of 10,000 blocks are real). Immediate dominators come from Lengauer
 * and Tarjan's algorithm in its simple form, O(edges * log blocks): in descending preorder, the semidominator of a block is the least
 * that its predecessors can reach over numbers above it, found in a forest with path compression. A second walk over the
 * dominator tree gives each block an interval, so that "a dominates b" is two comparisons.
 *
 * Blocks that the entry does not lead to have no order, no dominator and are in no loop.
 */
#include "ir/code_parts.h"

#include "base/vec.h"

#include <string.h>

static uint32_t *array(uint32_t n)
{
	uint32_t *a = mem_alloc((n + 1) * sizeof *a);

	memset(a, 0xff, (n + 1) * sizeof *a);
	return a;
}

/* Successors are visited from the last outcome to the first: in reverse postorder "false" then stands before "true". */
static void walk(struct code_function *f, struct code_walk *w)
{
	uint32_t *stack = array(f->block_count), *next = array(f->block_count), depth = 0, posts = 0;

	w->pre[0] = 0;
	w->vertex[0] = 0;
	w->parent[0] = CODE_NONE;
	w->count = 1;
	stack[depth++] = 0;
	next[0] = f->blocks[0].edges;
	while (depth) {
		uint32_t b = stack[depth - 1], to;

		if (!next[b]) {
			w->last[w->pre[b]] = w->count - 1;
			w->post[posts++] = w->pre[b];
			depth--;
			continue;
		}
		to = f->edges[f->blocks[b].first_edge + --next[b]].to;
		if (w->pre[to] != CODE_NONE)
			continue;
		w->pre[to] = w->count;
		w->vertex[w->count] = to;
		w->parent[w->count++] = w->pre[b];
		next[to] = f->blocks[to].edges;
		stack[depth++] = to;
	}
	free(stack);
	free(next);
}

static void set_order(struct code_function *f, const struct code_walk *w, struct arena *arena)
{
	f->order = arena_alloc(arena, (w->count + 1) * sizeof *f->order);
	f->order_count = w->count;
	for (uint32_t k = 0; k < w->count; k++) {
		uint32_t b = w->vertex[w->post[w->count - 1 - k]];

		f->order[k] = b;
		f->blocks[b].order = k;
		f->blocks[b].flags |= CODE_BLOCK_REACHED;
	}
}

/* ------------------------------------------------------------------ dominators; everything by preorder number */
struct forest {
	uint32_t *ancestor, *label, *semi, *path;
};

/* The number with the least semidominator between v and the root of its tree, the root left out. */
static uint32_t forest_least(struct forest *t, uint32_t v)
{
	uint32_t n = 0;

	if (t->ancestor[v] == CODE_NONE)
		return v;
	for (uint32_t u = v; t->ancestor[t->ancestor[u]] != CODE_NONE; u = t->ancestor[u])
		t->path[n++] = u;
	while (n--) {
		uint32_t u = t->path[n], up = t->ancestor[u];

		if (t->semi[t->label[up]] < t->semi[t->label[u]])
			t->label[u] = t->label[up];
		t->ancestor[u] = t->ancestor[up];
	}
	return t->label[v];
}

static void semidominator(const struct code_function *f, const struct code_walk *w, struct forest *t, uint32_t v)
{
	const struct code_block *b = &f->blocks[w->vertex[v]];

	for (uint32_t k = 0; k < b->preds; k++) {
		uint32_t from = w->pre[f->edges[f->preds[b->first_pred + k]].from], u;

		if (from == CODE_NONE)
			continue;
		u = forest_least(t, from);
		if (t->semi[u] < t->semi[v])
			t->semi[v] = t->semi[u];
	}
}

static void dominators(struct code_function *f, const struct code_walk *w)
{
	uint32_t n = w->count, *bucket = array(n), *next = array(n), *idom = array(n);
	struct forest t = {array(n), array(n), array(n), array(n)};

	for (uint32_t v = 0; v < n; v++)
		t.semi[v] = t.label[v] = v;
	for (uint32_t v = n; v-- > 1;) {
		uint32_t p = w->parent[v];

		semidominator(f, w, &t, v);
		next[v] = bucket[t.semi[v]];
		bucket[t.semi[v]] = v;
		t.ancestor[v] = p;
		for (uint32_t x = bucket[p]; x != CODE_NONE; x = next[x]) {
			uint32_t u = forest_least(&t, x);

			idom[x] = t.semi[u] < t.semi[x] ? u : p;
		}
		bucket[p] = CODE_NONE;
	}
	for (uint32_t v = 1; v < n; v++) {
		if (idom[v] != t.semi[v])
			idom[v] = idom[idom[v]];
		f->blocks[w->vertex[v]].dominator = w->vertex[idom[v]];
	}
	free(t.ancestor);
	free(t.label);
	free(t.semi);
	free(t.path);
	free(bucket);
	free(next);
	free(idom);
}

/* A block's interval is its place in a preorder of the dominator tree, and the last place below it. In f->order a dominator
 * stands before what it dominates, so that sizes add up from the end and places are handed out from the start. */
static void dominator_intervals(struct code_function *f)
{
	uint32_t *size = mem_zalloc((f->block_count + 1) * sizeof *size), *used = mem_zalloc((f->block_count + 1) * sizeof *used);

	for (uint32_t k = f->order_count; k-- > 0;) {
		uint32_t b = f->order[k];

		size[b]++;
		if (k)
			size[f->blocks[b].dominator] += size[b];
	}
	for (uint32_t k = 0; k < f->order_count; k++) {
		struct code_block *b = &f->blocks[f->order[k]];

		if (k) {
			b->dom_in = f->blocks[b->dominator].dom_in + 1 + used[b->dominator];
			used[b->dominator] += size[f->order[k]];
		}
		b->dom_out = b->dom_in + size[f->order[k]] - 1;
	}
	for (uint32_t b = 0; b < f->block_count; b++) /* they dominate nothing, and nothing dominates them */
		if (f->blocks[b].order == CODE_NONE) {
			f->blocks[b].dom_in = CODE_NONE;
			f->blocks[b].dom_out = 0;
		}
	free(size);
	free(used);
}

void code_flow(struct code_function *f, struct arena *arena)
{
	uint32_t n = f->block_count;
	struct code_walk w = {0, array(n), array(n), array(n), array(n), array(n)};

	walk(f, &w);
	set_order(f, &w, arena);
	dominators(f, &w);
	dominator_intervals(f);
	code_loops(f, &w, arena);
	free(w.vertex);
	free(w.pre);
	free(w.last);
	free(w.parent);
	free(w.post);
}

uint8_t *code_reached(const struct code_function *f, uint32_t from, uint32_t but)
{
	uint8_t *seen = mem_zalloc(f->block_count);
	VEC(uint32_t) work = {0};

	seen[from] = 1;
	vec_push(&work, from);
	while (work.size) {
		const struct code_block *b = &f->blocks[vec_pop(&work)];
		for (uint32_t k = 0; k < b->edges; k++) {
			uint32_t to = f->edges[b->first_edge + k].to;
			if (!seen[to] && to != but) {
				seen[to] = 1;
				vec_push(&work, to);
			}
		}
	}
	vec_release(&work);
	return seen;
}
