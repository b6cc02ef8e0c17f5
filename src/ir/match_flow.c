/* match_flow.c: pairs of what an alignment of instructions in order leaves out (step 5 of match_align.c). */
#include "ir/match_aligner.h"

#include "base/error.h"

#define VOTE_ROUNDS 6
#define BLOCK_PHIS 64 /* of a block that are compared with each of the other's */

/* ------------------------------------------------------------------ flow */

int aligner_set_apart(const struct code_function *f, uint32_t v)
{
	return f->values[v].op == CODE_JUMP || f->values[v].op == CODE_UNREACHABLE || f->blocks[f->values[v].block].flags & CODE_BLOCK_REPORT;
}

static uint32_t start_of(const struct code_function *f, uint32_t block)
{
	uint32_t v = f->blocks[block].first;

	while (f->values[v].op == CODE_PHI || (f->values[v].op == CODE_ALLOCA && !f->values[v].operands && !block))
		v++;
	return v;
}

/* Do jumps lead to the same? */
static int leads_alike(const struct aligner *al, uint32_t v, uint32_t w)
{
	const struct code_function *f = aligner_function(al, 0), *g = aligner_function(al, 1);

	return al->out->to_new[start_of(f, f->edges[f->blocks[f->values[v].block].first_edge].to)] == start_of(g, g->edges[g->blocks[g->values[w].block].first_edge].to);
}

/* Both come after instructions that are a pair. strict: jumps must lead to a pair, too. */
static void follow(struct aligner *al, uint32_t v, uint32_t w, int strict)
{
	const struct code_function *f = aligner_function(al, 0), *g = aligner_function(al, 1);
	uint32_t a = v - f->first_instruction, b = w - g->first_instruction;
	enum match_level level = aligner_set_apart(f, v) ? LABEL_PLAIN : LABEL_CONTEXT;

	if (aligner_is_paired(al, 0, a) || aligner_is_paired(al, 1, b) || aligner_set_apart(f, v) != aligner_set_apart(g, w) || aligner_label(al, 0, level, a) != aligner_label(al, 1, level, b))
		return;
	if (!strict || f->values[v].op != CODE_JUMP || leads_alike(al, v, w))
		aligner_pair(al, a, b);
}

static void follow_pair(struct aligner *al, uint32_t v, uint32_t w, int strict)
{
	const struct code_function *f = aligner_function(al, 0), *g = aligner_function(al, 1);
	const struct code_block *x = &f->blocks[f->values[v].block], *y = &g->blocks[g->values[w].block];
	int last = v == x->first + x->count - 1;

	if (f->values[v].op == CODE_PHI || f->values[v].op == CODE_ALLOCA || last != (w == y->first + y->count - 1))
		return;
	if (!last)
		follow(al, v + 1, w + 1, strict);
	for (uint32_t k = 0; last && x->edges == y->edges && k < x->edges; k++)
		follow(al, start_of(f, f->edges[x->first_edge + k].to), start_of(g, g->edges[y->first_edge + k].to), strict);
}

/* From the entry and from every pair to what comes next. */
static void follow_all(struct aligner *al, int strict)
{
	const struct code_function *f = aligner_function(al, 0), *g = aligner_function(al, 1);

	vec_clear(&al->fresh);
	for (uint32_t k = 0; k < f->instructions; k++)
		if (aligner_is_paired(al, 0, k))
			vec_push(&al->fresh, k);
	follow(al, start_of(f, 0), start_of(g, 0), strict);
	while (al->fresh.size) {
		uint32_t v = f->first_instruction + vec_pop(&al->fresh);

		follow_pair(al, v, al->out->to_new[v], strict);
	}
}

static void list_jumps(const struct aligner *al, int side, uint32_t block, place_vec *out)
{
	const struct code_function *f = aligner_function(al, side);

	vec_clear(out);
	for (uint32_t k = 0; k < f->blocks[block].preds; k++) {
		uint32_t last = code_last(f, code_pred(f, block, k)->from) - f->first_instruction;

		if (f->values[f->first_instruction + last].op == CODE_JUMP && !aligner_is_paired(al, side, last))
			vec_push(out, last);
	}
}

/* Jumps to blocks that start with a pair, if as many are left on both sides. */
static void lead_back(struct aligner *al)
{
	const struct code_function *f = aligner_function(al, 0), *g = aligner_function(al, 1);
	place_vec a = {0}, b = {0};

	for (uint32_t k = 0; k < f->order_count; k++) {
		uint32_t new = al->out->to_new[start_of(f, f->order[k])];

		if (new == CODE_NONE || start_of(g, g->values[new].block) != new)
			continue;
		list_jumps(al, 0, f->order[k], &a);
		list_jumps(al, 1, g->values[new].block, &b);
		for (size_t i = 0; a.size == b.size && i < a.size; i++)
			aligner_pair(al, a.data[i], b.data[i]);
	}
	vec_release(&a);
	vec_release(&b);
}

void aligner_flow(struct aligner *al)
{
	follow_all(al, 1);
	follow_all(al, 0);
	lead_back(al);
}

/* ------------------------------------------------------------------ votes */

struct vote {
	uint32_t a, b; /* values */
	uint32_t count;
};

struct ballot {
	struct map counts;
	VEC(struct vote) list;
};

static void add_vote(struct ballot *v, uint32_t a, uint32_t b, uint32_t count)
{
	uint64_t key = (uint64_t)a << 32 | b, at;

	if (!map_get(&v->counts, key, &at)) {
		at = v->list.size;
		map_set(&v->counts, key, at);
		vec_push(&v->list, (struct vote){a, b, 0});
	}
	if (at >= v->list.size)
		BUG("a vote that is not in the list");
	v->list.data[at].count += count;
}

static int by_count(const void *x, const void *y)
{
	const struct vote *a = x, *b = y;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return a->b < b->b ? -1 : a->b > b->b;
}

/* Could they be one? Values that are set apart: parameters, phis, variables. */
static int may_be_one(const struct aligner *al, uint32_t a, uint32_t b)
{
	const struct code_value *x, *y;

	if (a & CONTENT_KIND || b & CONTENT_KIND || al->out->to_new[a] != CODE_NONE || al->out->to_old[b] != CODE_NONE)
		return 0;
	x = &aligner_function(al, 0)->values[a];
	y = &aligner_function(al, 1)->values[b];
	if (x->kind != y->kind || x->width != y->width || x->is_pointer != y->is_pointer)
		return 0;
	if (x->kind == CODE_PARAMETER)
		return 1;
	return x->op == y->op && (x->op == CODE_PHI || x->op == CODE_ALLOCA);
}

static void vote_operands(struct aligner *al, struct ballot *v)
{
	const struct code_function *f = aligner_function(al, 0), *g = aligner_function(al, 1);

	for (uint32_t k = 0; k < f->instructions; k++) {
		uint32_t other = al->out->to_new[f->first_instruction + k];
		const struct content_instruction *i = aligner_content(al, 0, k), *j;

		if (other == CODE_NONE || f->values[f->first_instruction + k].op == CODE_PHI)
			continue;
		j = aligner_content(al, 1, other - g->first_instruction);
		for (uint32_t n = 0; i->operands == j->operands && n < i->operands; n++) {
			uint32_t a = content_operand(al->side[0]->u->content, i, n), b = content_operand(al->side[1]->u->content, j, n);

			if (may_be_one(al, a, b))
				add_vote(v, a, b, 2);
		}
	}
}

/* For each predecessor of the old block the one of the new block that corresponds: the same outcome of the counterpart; or CODE_NONE. The caller frees. */
static uint32_t *same_preds(const struct aligner *al, uint32_t block, uint32_t other)
{
	const struct code_function *f = aligner_function(al, 0), *g = aligner_function(al, 1);
	uint32_t *preds = mem_alloc((f->blocks[block].preds + 1) * sizeof *preds);
	struct map known = {0};

	for (uint32_t n = 0; n < g->blocks[other].preds; n++) {
		const struct code_edge *d = code_pred(g, other, n);

		map_set(&known, (uint64_t)code_last(g, d->from) << 32 | d->outcome, n);
	}
	for (uint32_t k = 0; k < f->blocks[block].preds; k++) {
		const struct code_edge *e = code_pred(f, block, k);
		uint64_t n;

		preds[k] = map_get(&known, (uint64_t)al->out->to_new[code_last(f, e->from)] << 32 | e->outcome, &n) ? (uint32_t)n : CODE_NONE;
	}
	map_release(&known);
	return preds;
}

/* How many edges bring the same. */
static uint32_t same_incoming(const struct aligner *al, uint32_t a, uint32_t b, const uint32_t *preds)
{
	const struct code_function *f = aligner_function(al, 0), *g = aligner_function(al, 1);
	const struct content *t = al->side[0]->u->content, *u = al->side[1]->u->content;
	const struct content_instruction *i = content_of(t, f, a), *j = content_of(u, g, b);
	uint32_t n = 0;

	for (uint32_t k = 0; k < i->operands; k++) {
		uint32_t x, y;

		if (preds[k] == CODE_NONE)
			continue;
		x = content_operand(t, i, k);
		y = content_operand(u, j, preds[k]);
		if (!(x & CONTENT_KIND))
			n += al->out->to_new[x] == y;
		else if ((x & CONTENT_KIND) == CONTENT_CONSTANT && (y & CONTENT_KIND) == CONTENT_CONSTANT)
			n += t->constants[x & CONTENT_NUMBER].hash == u->constants[y & CONTENT_NUMBER].hash;
	}
	return n;
}

/* Phis of blocks that start with the same instruction. */
static void vote_block(struct aligner *al, uint32_t block, struct ballot *v)
{
	const struct code_function *f = aligner_function(al, 0), *g = aligner_function(al, 1);
	uint32_t start = start_of(f, block), new = al->out->to_new[start], other, *preds;

	if (new == CODE_NONE || f->values[f->blocks[block].first].op != CODE_PHI)
		return;
	other = g->values[new].block;
	if (start_of(g, other) != new || g->values[g->blocks[other].first].op != CODE_PHI || start - f->blocks[block].first > BLOCK_PHIS || new - g->blocks[other].first > BLOCK_PHIS)
		return;
	preds = same_preds(al, block, other);
	for (uint32_t a = f->blocks[block].first; a < start; a++)
		for (uint32_t b = g->blocks[other].first; b < new; b++)
			if (may_be_one(al, a, b))
				add_vote(v, a, b, same_incoming(al, a, b, preds) + (start - a == new - b));
	free(preds);
}

static int count_votes(struct aligner *al, struct ballot *v)
{
	int accepted = 0;

	if (v->list.size)
		qsort(v->list.data, v->list.size, sizeof *v->list.data, by_count);
	for (size_t i = 0; i < v->list.size; i++) {
		struct vote *x = &v->list.data[i];

		if (!x->count || !may_be_one(al, x->a, x->b))
			continue;
		al->out->to_new[x->a] = x->b;
		al->out->to_old[x->b] = x->a;
		accepted = 1;
	}
	return accepted;
}

void aligner_votes(struct aligner *al)
{
	int again = 1;

	for (int round = 0; round < VOTE_ROUNDS && again; round++) {
		struct ballot v = {0};

		vote_operands(al, &v);
		for (uint32_t k = 0; k < aligner_function(al, 0)->order_count; k++)
			vote_block(al, aligner_function(al, 0)->order[k], &v);
		again = count_votes(al, &v);
		map_release(&v.counts);
		vec_release(&v.list);
	}
}
