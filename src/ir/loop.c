/* loop.c: loops and their nest, irreducible ones included.
 *
 * A loop belongs to each block w that an edge from a descendant of w in the depth-first tree leads back to: w is its header, and its blocks are those
 * descendants of w from which w can be reached over descendants of w only. For a reducible function these are the natural loops,
 * merged by header; elsewhere they are loops with entries beside the header. Every cycle has an edge back to an ancestor, so
 * every cycle passes the header of a loop through a back edge of it.
 *
 * The algorithm is Havlak's in Ramalingam's near-linear form: headers in descending preorder, inner loops melt into their headers in
 * a union-find forest, and an edge that is neither in the tree nor leads back takes part from the nearest common ancestor of its ends on
 * (before that, one of its ends is no descendant). The common ancestors come from Tarjan's off-line algorithm over the postorder.
 */
#include "ir/code_parts.h"

#include <string.h>

/* Everything by preorder number. */
struct nest {
	struct code_function *f;
	const struct code_walk *w;
	uint32_t *set;		/* union-find: towards the header that it melted into */
	uint32_t *header;	/* innermost loop around it, by its header; CODE_NONE */
	uint8_t *is_header;
	uint32_t *first_late, *next_late; /* edges by common ancestor */
	uint32_t *first_pred, *next_pred; /* edges that joined, by the end they lead to, melted */
	uint32_t *from;		/* of an edge that joined */
	uint32_t *seen;		/* the header whose body was entered last */
	VEC(uint32_t) work;
};

static uint32_t find(uint32_t *set, uint32_t v)
{
	uint32_t root = v, up;

	while (set[root] != root)
		root = set[root];
	for (; set[v] != root; v = up) {
		up = set[v];
		set[v] = root;
	}
	return root;
}

static int is_ancestor(const struct code_walk *w, uint32_t a, uint32_t b)
{
	return a <= b && b <= w->last[a];
}

static uint32_t *filled(uint32_t n, int identity)
{
	uint32_t *a = mem_alloc((n + 1) * sizeof *a);

	for (uint32_t i = 0; i <= n; i++)
		a[i] = identity ? i : CODE_NONE;
	return a;
}

/* Sorts the forward and cross edges by the nearest common ancestor of their ends. At the time a number is left in postorder, the other end of such
 * an edge was left before it, and stands for the lowest ancestor of its own that is still open. */
static void late_edges(struct nest *n)
{
	const struct code_walk *w = n->w;
	uint32_t *open = filled(w->count, 1);

	for (uint32_t k = 0; k < w->count; k++) {
		uint32_t v = w->post[k];
		const struct code_block *b = &n->f->blocks[w->vertex[v]];

		for (uint32_t e = b->first_edge; e < b->first_edge + b->edges; e++) {
			uint32_t to = w->pre[n->f->edges[e].to], common;

			if (is_ancestor(w, to, v) || w->parent[to] == v)
				continue;
			common = find(open, to);
			n->next_late[e] = n->first_late[common];
			n->first_late[common] = e;
		}
		if (v)
			open[v] = w->parent[v];
	}
	free(open);
}

static void join_edges(struct nest *n, uint32_t v)
{
	for (uint32_t e = n->first_late[v]; e != CODE_NONE; e = n->next_late[e]) {
		uint32_t to = find(n->set, n->w->pre[n->f->edges[e].to]);

		n->from[e] = n->w->pre[n->f->edges[e].from];
		n->next_pred[e] = n->first_pred[to];
		n->first_pred[to] = e;
	}
}

static void enter_body(struct nest *n, uint32_t header, uint32_t v)
{
	v = find(n->set, v);
	if (v == header || n->seen[v] == header)
		return;
	n->seen[v] = header;
	vec_push(&n->work, v);
}

static void find_loop(struct nest *n, uint32_t h)
{
	const struct code_block *b = &n->f->blocks[n->w->vertex[h]];

	vec_clear(&n->work);
	for (uint32_t k = 0; k < b->preds; k++) {
		uint32_t from = n->w->pre[n->f->edges[n->f->preds[b->first_pred + k]].from];

		if (from == CODE_NONE || !is_ancestor(n->w, h, from))
			continue;
		n->is_header[h] = 1;
		enter_body(n, h, from);
	}
	for (size_t i = 0; i < n->work.size; i++) {
		uint32_t v = n->work.data[i];

		enter_body(n, h, n->w->parent[v]);
		for (uint32_t e = n->first_pred[v]; e != CODE_NONE; e = n->next_pred[e])
			enter_body(n, h, n->from[e]);
	}
	for (size_t i = 0; i < n->work.size; i++) {
		n->header[n->work.data[i]] = h;
		n->set[n->work.data[i]] = h;
	}
}

/* ------------------------------------------------------------------ the result */

static void number_loops(struct nest *n, struct arena *arena)
{
	struct code_function *f = n->f;
	const struct code_walk *w = n->w;
	uint32_t *number = filled(w->count, 0), *last_child, last_top = CODE_NONE;

	for (uint32_t v = 0; v < w->count; v++)
		f->loop_count += n->is_header[v];
	f->loops = arena_alloc(arena, (f->loop_count + 1) * sizeof *f->loops);
	last_child = filled(f->loop_count, 0);
	f->loop_count = 0;
	for (uint32_t k = 0; k < f->order_count; k++) { /* a header stands before its body */
		uint32_t v = w->pre[f->order[k]], id, up = n->header[v] == CODE_NONE ? CODE_NONE : number[n->header[v]];
		struct code_loop *l;

		f->blocks[f->order[k]].loop = up;
		if (!n->is_header[v])
			continue;
		id = number[v] = f->loop_count++;
		l = &f->loops[id];
		*l = (struct code_loop){.header = f->order[k], .parent = up, .first_child = CODE_NONE, .next = CODE_NONE};
		l->depth = up == CODE_NONE ? 1 : f->loops[up].depth + 1;
		f->blocks[f->order[k]].loop = id;
		if (up == CODE_NONE) {
			if (last_top != CODE_NONE)
				f->loops[last_top].next = id;
			last_top = id;
			continue;
		}
		if (last_child[up] == CODE_NONE)
			f->loops[up].first_child = id;
		else
			f->loops[last_child[up]].next = id;
		last_child[up] = id;
	}
	free(number);
	free(last_child);
}

static void list_blocks(struct code_function *f, struct arena *arena)
{
	uint32_t at = 0;

	for (uint32_t k = 0; k < f->order_count; k++)
		for (uint32_t l = f->blocks[f->order[k]].loop; l != CODE_NONE; l = f->loops[l].parent)
			f->loops[l].blocks++;
	for (uint32_t l = 0; l < f->loop_count; l++) {
		f->loops[l].first_block = at;
		at += f->loops[l].blocks;
		f->loops[l].blocks = 0;
	}
	f->loop_blocks = arena_alloc(arena, (at + 1) * sizeof *f->loop_blocks);
	for (uint32_t k = 0; k < f->order_count; k++)
		for (uint32_t l = f->blocks[f->order[k]].loop; l != CODE_NONE; l = f->loops[l].parent)
			f->loop_blocks[f->loops[l].first_block + f->loops[l].blocks++] = f->order[k];
}

enum { ENTRY, LATCH, EXIT, EDGE_LISTS };

static uint32_t *list_count(struct code_loop *l, int list)
{
	return list == ENTRY ? &l->entries : list == LATCH ? &l->latches : &l->exits;
}

static uint32_t *list_first(struct code_loop *l, int list)
{
	return list == ENTRY ? &l->first_entry : list == LATCH ? &l->first_latch : &l->first_exit;
}

/* Counts an edge in a list of a loop, and puts it there when the places are known. */
static void put_edge(struct code_function *f, uint32_t loop, int list, uint32_t edge, int store)
{
	struct code_loop *l = &f->loops[loop];

	if (store)
		f->loop_edges[*list_first(l, list) + *list_count(l, list)] = edge;
	++*list_count(l, list);
	if (list == ENTRY && f->edges[edge].to != l->header)
		l->irreducible = 1;
}

static void place_edge(struct code_function *f, uint32_t e, int store)
{
	uint32_t from = f->blocks[f->edges[e].from].loop, to = f->blocks[f->edges[e].to].loop;
	uint32_t inner = to;

	while (from != to) {
		uint32_t a = from == CODE_NONE ? 0 : f->loops[from].depth, b = to == CODE_NONE ? 0 : f->loops[to].depth;

		if (a >= b) {
			put_edge(f, from, EXIT, e, store);
			from = f->loops[from].parent;
		} else {
			put_edge(f, to, ENTRY, e, store);
			to = f->loops[to].parent;
		}
	}
	/* The loop of the target is around the source too, and the target is its header. */
	if (inner != CODE_NONE && inner == to && f->loops[inner].header == f->edges[e].to) {
		put_edge(f, inner, LATCH, e, store);
		f->edges[e].flags |= CODE_EDGE_BACK;
	}
}

static void list_edges(struct code_function *f, struct arena *arena)
{
	for (int store = 0; store < 2; store++) {
		uint32_t at = 0;

		for (uint32_t e = 0; e < f->edge_count; e++)
			if (f->blocks[f->edges[e].from].order != CODE_NONE)
				place_edge(f, e, store);
		for (uint32_t l = 0; !store && l < f->loop_count; l++)
			for (int list = 0; list < EDGE_LISTS; list++) {
				*list_first(&f->loops[l], list) = at;
				at += *list_count(&f->loops[l], list);
				*list_count(&f->loops[l], list) = 0;
			}
		if (!store)
			f->loop_edges = arena_alloc(arena, (at + 1) * sizeof *f->loop_edges);
	}
}

/* The statement by what debug info says at a latch; else the first line that the header has. */
static void set_lines(struct code_function *f)
{
	uint32_t *hint = filled(f->instructions, 0);

	for (uint32_t i = 0; i < f->hint_count; i++)
		hint[f->hints[i].branch - f->first_instruction] = i;
	for (uint32_t k = 0; k < f->loop_count; k++) {
		struct code_loop *l = &f->loops[k];
		const struct code_block *h = &f->blocks[l->header];

		for (uint32_t i = 0; !l->line && i < l->latches; i++) {
			uint32_t last = code_last(f, f->edges[f->loop_edges[l->first_latch + i]].from), at = hint[last - f->first_instruction];

			if (at == CODE_NONE)
				continue;
			l->line = f->hints[at].line;
			l->column = f->hints[at].column;
			l->end_line = f->hints[at].end_line;
		}
		for (uint32_t v = h->first; !l->line && v < h->first + h->count; v++)
			if (f->values[v].op != CODE_PHI) { /* a phi has the place of its variable */
				l->line = f->values[v].line;
				l->column = f->values[v].column;
			}
	}
	free(hint);
}

void code_loops(struct code_function *f, const struct code_walk *w, struct arena *arena)
{
	uint32_t count = w->count;
	struct nest n = {.f = f, .w = w};

	n.set = filled(count, 1);
	n.header = filled(count, 0);
	n.is_header = mem_zalloc(count + 1);
	n.first_late = filled(count, 0);
	n.first_pred = filled(count, 0);
	n.seen = filled(count, 0);
	n.next_late = filled(f->edge_count, 0);
	n.next_pred = filled(f->edge_count, 0);
	n.from = filled(f->edge_count, 0);
	late_edges(&n);
	for (uint32_t v = count; v-- > 0;) {
		join_edges(&n, v);
		find_loop(&n, v);
	}
	number_loops(&n, arena);
	list_blocks(f, arena);
	list_edges(f, arena);
	set_lines(f);
	free(n.set);
	free(n.header);
	free(n.is_header);
	free(n.first_late);
	free(n.first_pred);
	free(n.seen);
	free(n.next_late);
	free(n.next_pred);
	free(n.from);
	vec_release(&n.work);
}

/* ------------------------------------------------------------------ questions */

int code_in_loop(const struct code_function *f, uint32_t loop, uint32_t block)
{
	uint32_t l = f->blocks[block].loop;

	while (l != CODE_NONE && f->loops[l].depth > f->loops[loop].depth)
		l = f->loops[l].parent;
	return l == loop;
}

int code_varies(const struct code_function *f, uint32_t loop, uint32_t value)
{
	return f->values[value].kind == CODE_INSTRUCTION && code_in_loop(f, loop, f->values[value].block);
}

int code_in_each(const struct code_function *f, uint32_t loop, uint32_t block)
{
	const struct code_loop *l = &f->loops[loop];
	for (uint32_t k = 0; k < l->latches; k++)
		if (!code_dominates(f, block, f->edges[f->loop_edges[l->first_latch + k]].from))
			return 0;
	return 1;
}

uint32_t *code_live_in(const struct code_function *f, uint32_t loop, uint32_t *count)
{
	const struct code_loop *l = &f->loops[loop];
	uint8_t *used = mem_zalloc(f->value_count + 1);
	VEC(uint32_t) list = {0};

	for (uint32_t k = 0; k < l->blocks; k++) {
		const struct code_block *b = &f->blocks[f->loop_blocks[l->first_block + k]];

		for (uint32_t v = b->first; v < b->first + b->count; v++)
			for (uint32_t i = 0; i < f->values[v].operands; i++)
				used[code_operand(f, v, i)] = 1;
	}
	for (uint32_t v = 0; v < f->first_instruction + f->instructions; v++)
		if (used[v] && (f->values[v].width || f->values[v].is_pointer) && !code_varies(f, loop, v))
			vec_push(&list, v);
	free(used);
	*count = (uint32_t)list.size;
	if (!list.data)
		list.data = mem_alloc(sizeof *list.data);
	return list.data;
}
