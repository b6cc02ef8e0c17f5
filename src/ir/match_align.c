/* match_align.c: the instructions of two versions of a function, aligned.
 *
 * The instructions of each side stand in the order of the module, which is that of the source. Phis, variables' allocas, jumps and reports of checks are set apart: many are alike, and their
 * order says little.
 *  1. Anchors: labels that occur once on each side, the widest first; the longest increasing sequence of them stays in order, and the parts between are done again.
 *     Among what is left, labels that occur once on each side are pairs wherever they stand: moved code. Operands of a pair are a pair if their shapes are equal, and so is the one user of each.
 *  2. Neighbours of pairs that look alike are pairs.
 *  3. Gaps between pairs are filled by an alignment with scores, wider labels counting more; large gaps are left open.
 *  4. The same with narrow labels, for what an edit changed.
 *  5. Jumps and reports are paired by what leads to them; phis, allocas and, if the type changed, parameters by votes of the pairs that use them.
 * Then all is done once more, with labels that tell by these votes which variable an instruction works on.
 * All steps are linear in the size of the function but for sorting: the alignment of a gap has at most GAP_CELLS cells.
 *
 * Whatever comes out is a partial one-to-one map that keeps phis with phis and operators with operators; match_modified.c trusts nothing beyond that.
 */
#include "ir/match_aligner.h"

#include <string.h>

#define GAP_CELLS (1u << 16)
#define ANCHOR_DEPTH 64 /* parts of parts that are searched for anchors again */

static int same_label(const struct aligner *al, enum match_level level, uint32_t i, uint32_t j)
{
	return aligner_label(al, 0, level, al->list[0].data[i]) == aligner_label(al, 1, level, al->list[1].data[j]);
}

static int is_open(const struct aligner *al, int side, uint32_t place)
{
	return place < al->list[side].size && !aligner_is_paired(al, side, al->list[side].data[place]);
}

/* ------------------------------------------------------------------ labels that occur once */

struct entry {
	uint64_t label;
	uint32_t place;
	uint32_t side;
};

struct anchor {
	uint32_t a, b; /* places */
};

struct part {
	uint32_t first[2], end[2];
};

typedef VEC(struct anchor) anchor_vec;

static int by_label(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;

	if (a->label != b->label)
		return a->label < b->label ? -1 : 1;
	if (a->side != b->side)
		return a->side < b->side ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static int by_place(const void *x, const void *y)
{
	const struct anchor *a = x, *b = y;

	return a->a < b->a ? -1 : a->a > b->a;
}

/* Pairs of what is open in the part and has a label that nothing else open there has; by place on the old side. */
static void find_single(struct aligner *al, const struct part *p, enum match_level level, anchor_vec *out)
{
	VEC(struct entry) list = {0};

	vec_clear(out);
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t i = p->first[side]; i < p->end[side]; i++)
			if (is_open(al, (int)side, i))
				vec_push(&list, (struct entry){aligner_label(al, (int)side, level, al->list[side].data[i]), i, side});
	if (list.size)
		qsort(list.data, list.size, sizeof *list.data, by_label);
	for (size_t at = 0, end; at < list.size; at = end) {
		for (end = at; end < list.size && list.data[end].label == list.data[at].label;)
			end++;
		if (end - at == 2 && list.data[at].side != list.data[at + 1].side)
			vec_push(out, (struct anchor){list.data[at].place, list.data[at + 1].place});
	}
	if (out->size)
		qsort(out->data, out->size, sizeof *out->data, by_place);
	vec_release(&list);
}

/* Keeps the longest sequence that increases on both sides. */
static void keep_increasing(anchor_vec *v)
{
	uint32_t *tail = mem_alloc((v->size + 1) * sizeof *tail), *before = mem_alloc((v->size + 1) * sizeof *before), length = 0, at;
	struct anchor *kept;

	for (uint32_t i = 0; i < v->size; i++) {
		uint32_t low = 0, high = length;

		while (low < high) {
			uint32_t middle = low + (high - low) / 2;

			if (v->data[tail[middle]].b < v->data[i].b)
				low = middle + 1;
			else
				high = middle;
		}
		before[i] = low ? tail[low - 1] : CODE_NONE;
		tail[low] = i;
		if (low == length)
			length++;
	}
	kept = mem_alloc((length + 1) * sizeof *kept);
	at = length ? tail[length - 1] : CODE_NONE;
	for (uint32_t k = length; k-- > 0; at = before[at])
		kept[k] = v->data[at];
	for (uint32_t k = 0; k < length; k++)
		v->data[k] = kept[k];
	v->size = length;
	free(kept);
	free(tail);
	free(before);
}

/* ------------------------------------------------------------------ anchors */

static void anchor_part(struct aligner *al, struct part p, enum match_level level, int depth)
{
	anchor_vec found = {0};

	if (p.first[0] >= p.end[0] || p.first[1] >= p.end[1] || depth > ANCHOR_DEPTH)
		return;
	find_single(al, &p, level, &found);
	keep_increasing(&found);
	for (size_t i = 0; i < found.size; i++)
		aligner_pair(al, al->list[0].data[found.data[i].a], al->list[1].data[found.data[i].b]);
	for (size_t i = 0; i <= found.size && found.size; i++) {
		struct part between = p;

		if (i < found.size) {
			between.end[0] = found.data[i].a;
			between.end[1] = found.data[i].b;
			p.first[0] = found.data[i].a + 1;
			p.first[1] = found.data[i].b + 1;
		}
		anchor_part(al, between, level, depth + 1);
	}
	vec_release(&found);
}

static struct part everything(const struct aligner *al)
{
	return (struct part){.end = {(uint32_t)al->list[0].size, (uint32_t)al->list[1].size}};
}

static uint32_t partner_place(const struct aligner *al, uint32_t place)
{
	uint32_t value = al->out->to_new[aligner_function(al, 0)->first_instruction + al->list[0].data[place]];

	return al->place[1][value - aligner_function(al, 1)->first_instruction];
}

/* In the parts between the pairs that are in order. */
static void anchor(struct aligner *al, enum match_level level)
{
	struct part rest = everything(al), between;
	anchor_vec fixed = {0};

	for (uint32_t i = 0; i < al->list[0].size; i++)
		if (!is_open(al, 0, i))
			vec_push(&fixed, (struct anchor){i, partner_place(al, i)});
	keep_increasing(&fixed);
	for (size_t i = 0; i < fixed.size; i++) {
		between = rest;
		between.end[0] = fixed.data[i].a;
		between.end[1] = fixed.data[i].b;
		rest.first[0] = fixed.data[i].a + 1;
		rest.first[1] = fixed.data[i].b + 1;
		anchor_part(al, between, level, 0);
	}
	anchor_part(al, rest, level, 0);
	vec_release(&fixed);
}

/* ------------------------------------------------------------------ moves */

/* Neighbours of pairs that look alike: first those before them, since what a statement computes it uses at its end. */
static void extend_all(struct aligner *al, enum match_level level)
{
	for (uint32_t i = (uint32_t)al->list[0].size; i-- > 1;) {
		uint32_t j = is_open(al, 0, i) || !is_open(al, 0, i - 1) ? 0 : partner_place(al, i);

		if (j && is_open(al, 1, j - 1) && same_label(al, level, i - 1, j - 1))
			aligner_pair(al, al->list[0].data[i - 1], al->list[1].data[j - 1]);
	}
	for (uint32_t i = 0; i + 1 < al->list[0].size; i++) {
		uint32_t j;

		if (is_open(al, 0, i) || !is_open(al, 0, i + 1))
			continue;
		j = partner_place(al, i);
		if (is_open(al, 1, j + 1) && same_label(al, level, i + 1, j + 1))
			aligner_pair(al, al->list[0].data[i + 1], al->list[1].data[j + 1]);
	}
}

static void pair_moved(struct aligner *al, enum match_level level)
{
	struct part all = everything(al);
	anchor_vec found = {0};

	find_single(al, &all, level, &found);
	for (size_t i = 0; i < found.size; i++)
		aligner_pair(al, al->list[0].data[found.data[i].a], al->list[1].data[found.data[i].b]);
	vec_release(&found);
}

/* ------------------------------------------------------------------ operands */

/* The operand as an index of an instruction, or CODE_NONE. */
static uint32_t operand_at(const struct aligner *al, int side, uint32_t instruction, uint32_t k)
{
	const struct match_side *d = al->side[side];
	uint32_t operand = content_operand(d->u->content, aligner_content(al, side, instruction), k);

	return operand & CONTENT_KIND || operand < d->f->first_instruction ? CODE_NONE : operand - d->f->first_instruction;
}

/* The function that a call names, as a symbol of the old version, or CODE_NONE. */
static uint32_t callee_at(const struct aligner *al, int side, uint32_t instruction)
{
	const struct match_side *d = al->side[side];
	const struct content_instruction *i = aligner_content(al, side, instruction);
	uint32_t callee = i->signature ? content_callee(d->u->content, i) : 0;

	return i->signature && (callee & CONTENT_KIND) == CONTENT_SYMBOL ? d->pairs[d->u->symbols[callee & CONTENT_NUMBER]] : CODE_NONE;
}

/* Calls of two functions that both versions have? */
static int calls_others(const struct aligner *al, uint32_t a, uint32_t b)
{
	uint32_t old = callee_at(al, 0, a), new = callee_at(al, 1, b);

	return old != CODE_NONE && new != CODE_NONE && old != new;
}

static void pair_alike(struct aligner *al, uint32_t a, uint32_t b)
{
	if (a == CODE_NONE || b == CODE_NONE || al->place[0][a] == CODE_NONE || al->place[1][b] == CODE_NONE)
		return;
	if (!aligner_is_paired(al, 0, a) && !aligner_is_paired(al, 1, b) && aligner_label(al, 0, LABEL_SHAPE, a) == aligner_label(al, 1, LABEL_SHAPE, b) && !calls_others(al, a, b))
		aligner_pair(al, a, b);
}

/* The one user of a value, or CODE_NONE. */
static uint32_t only_user(const struct aligner *al, int side, uint32_t instruction)
{
	const struct code_function *f = aligner_function(al, side);
	const struct code_value *v = aligner_value(al, side, instruction);

	return v->uses == 1 ? f->uses[v->first_use] - f->first_instruction : CODE_NONE;
}

/* Operands of pairs, and the user of a pair if each has one. */
static void pair_operands(struct aligner *al)
{
	while (al->fresh.size) {
		uint32_t old = vec_pop(&al->fresh), new = al->out->to_new[aligner_function(al, 0)->first_instruction + old] - aligner_function(al, 1)->first_instruction;
		const struct content_instruction *i = aligner_content(al, 0, old);

		if (i->shape != aligner_content(al, 1, new)->shape || i->operands != aligner_content(al, 1, new)->operands || aligner_value(al, 0, old)->op == CODE_PHI)
			continue;
		for (uint32_t k = 0; k < i->operands; k++)
			pair_alike(al, operand_at(al, 0, old, k), operand_at(al, 1, new, k));
		pair_alike(al, only_user(al, 0, old), only_user(al, 1, new));
	}
}

/* ------------------------------------------------------------------ gaps */

static int score(const struct aligner *al, uint32_t i, uint32_t j)
{
	static const int worth[LABEL_COUNT] = {2, 7, 9, 11, 13, 16, 18}; /* one that is alike outweighs two of the same shape */

	for (int level = LABEL_COUNT; level-- > 0;)
		if (same_label(al, (enum match_level)level, i, j))
			return worth[level];
	return aligner_value(al, 0, al->list[0].data[i])->op == aligner_value(al, 1, al->list[1].data[j])->op ? 1 : -1;
}

/* Pairs the open places of two lists, in order, for the greatest sum of scores; one more for each pair that follows another. */
static void fill_gap(struct aligner *al, const place_vec *a, const place_vec *b)
{
	size_t n = a->size, m = b->size, width = m + 1, cells = (n + 1) * (m + 1);
	int32_t *best;
	uint8_t *from; /* 0: neither, 1: without the last of a, 2: of b, 3: they are a pair */

	if (!n || !m || cells > GAP_CELLS)
		return;
	best = mem_zalloc(cells * sizeof *best);
	from = mem_zalloc(cells);
	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++) {
			int32_t s = score(al, a->data[i - 1], b->data[j - 1]), diagonal = best[(i - 1) * width + j - 1] + s + (from[(i - 1) * width + j - 1] == 3);
			int32_t up = best[(i - 1) * width + j], left = best[i * width + j - 1];

			from[i * width + j] = s > 0 && diagonal >= up && diagonal >= left ? 3 : up >= left ? 1 : 2;
			best[i * width + j] = from[i * width + j] == 3 ? diagonal : up >= left ? up : left;
		}
	for (size_t i = n, j = m; i && j;) {
		uint8_t step = from[i * width + j];

		if (step == 3)
			aligner_pair(al, al->list[0].data[a->data[i - 1]], al->list[1].data[b->data[j - 1]]);
		i -= step != 2;
		j -= step != 1;
	}
	free(best);
	free(from);
}

static void list_open(const struct aligner *al, int side, uint32_t first, uint32_t end, place_vec *out)
{
	vec_clear(out);
	for (uint32_t i = first; i < end; i++)
		if (is_open(al, side, i))
			vec_push(out, i);
}

/* What is open on the old side from first to end, with what is open after the partner of the one before, and before the partner of the one after. */
static void fill_run(struct aligner *al, uint32_t first, uint32_t end, place_vec *a, place_vec *b)
{
	uint32_t after = first ? partner_place(al, first - 1) + 1 : 0, before = end < al->list[0].size ? partner_place(al, end) : (uint32_t)al->list[1].size;
	uint32_t stop = after, start = before;

	while (is_open(al, 1, stop))
		stop++;
	list_open(al, 0, first, end, a);
	list_open(al, 1, after, stop, b);
	fill_gap(al, a, b);
	if (stop >= before && after <= before)
		return;
	while (start && is_open(al, 1, start - 1))
		start--;
	list_open(al, 0, first, end, a);
	list_open(al, 1, start, before, b);
	fill_gap(al, a, b);
}

static void fill_gaps(struct aligner *al)
{
	place_vec a = {0}, b = {0};

	for (uint32_t i = 0, end; i < al->list[0].size; i = end + 1) {
		for (end = i; is_open(al, 0, end);)
			end++;
		if (end > i)
			fill_run(al, i, end, &a, &b);
	}
	vec_release(&a);
	vec_release(&b);
}

/* ------------------------------------------------------------------ all of it */

static void start(struct aligner *al, int side, int same_parameters, const uint32_t *known)
{
	const struct code_function *f = aligner_function(al, side);
	const struct whole_symbol *s = al->side[side]->s;

	match_labels_init(&al->labels[side], al->side[side], same_parameters, known);
	al->place[side] = mem_alloc((f->instructions + 1) * sizeof *al->place[side]);
	for (uint32_t k = 0; k < f->instructions; k++) {
		const struct code_value *v = &f->values[f->first_instruction + k];

		al->place[side][k] = CODE_NONE;
		if (s->position[k] == CODE_NONE || v->op == CODE_PHI || (v->op == CODE_ALLOCA && !v->operands && !v->block) ||
		    aligner_set_apart(f, f->first_instruction + k))
			continue;
		al->place[side][k] = (uint32_t)al->list[side].size;
		vec_push(&al->list[side], k);
	}
}

/* Digests are equal: so are the normal orders. */
static void pair_in_order(struct match_function *out, const struct match_side *old, const struct match_side *new)
{
	for (uint32_t k = 0; k < old->s->order_count; k++) {
		out->to_new[old->s->order[k]] = new->s->order[k];
		out->to_old[new->s->order[k]] = old->s->order[k];
	}
	for (uint32_t k = 0; k < old->f->parameters; k++)
		out->to_new[k] = out->to_old[k] = k;
}

/* One alignment. known: phis and allocas that are pairs, by side and instruction; or NULL. */
static void align_once(struct match_function *out, const struct match_side *old, const struct match_side *new, uint32_t *const *known)
{
	struct aligner al = {.side = {old, new}, .out = out};
	int same_parameters = old->s->signature == new->s->signature;

	for (uint32_t k = 0; same_parameters && k < old->f->parameters; k++)
		out->to_new[k] = out->to_old[k] = k;
	for (int side = 0; side < 2; side++)
		start(&al, side, same_parameters, known ? known[side] : NULL);
	for (enum match_level level = LABEL_WIDE; level >= LABEL_MIDDLE; level--) {
		anchor(&al, level);
		pair_moved(&al, level);
		pair_operands(&al);
	}
	extend_all(&al, LABEL_WIDE);
	extend_all(&al, LABEL_CONTEXT);
	pair_operands(&al);
	fill_gaps(&al);
	extend_all(&al, LABEL_NEAR);
	for (int level = LABEL_NEAR; level >= LABEL_SHAPE; level--) {
		pair_moved(&al, (enum match_level)level);
		pair_operands(&al);
	}
	fill_gaps(&al);
	aligner_flow(&al);
	aligner_votes(&al);
	for (int side = 0; side < 2; side++) {
		match_labels_release(&al.labels[side]);
		free(al.place[side]);
		vec_release(&al.list[side]);
	}
	vec_release(&al.fresh);
}

static void forget(uint32_t *list, const struct code_function *f)
{
	memset(list, 0xff, ((size_t)f->first_instruction + f->instructions) * sizeof *list);
}

/* The phis and allocas that are pairs; everything is open again. The caller frees both lists. */
static void keep_variables(struct match_function *out, const struct match_side *old, const struct match_side *new, uint32_t **known)
{
	const struct code_function *f = old->f, *g = new->f;

	known[0] = mem_alloc((f->instructions + 1) * sizeof *known[0]);
	known[1] = mem_alloc((g->instructions + 1) * sizeof *known[1]);
	memset(known[0], 0xff, f->instructions * sizeof *known[0]);
	memset(known[1], 0xff, g->instructions * sizeof *known[1]);
	for (uint32_t k = 0; k < f->instructions; k++) {
		uint32_t v = f->first_instruction + k, w = out->to_new[v];

		if (w != CODE_NONE && (f->values[v].op == CODE_PHI || f->values[v].op == CODE_ALLOCA))
			known[0][k] = known[1][w - g->first_instruction] = k;
	}
	forget(out->to_new, f);
	forget(out->to_old, g);
}

void match_align(struct match_function *out, const struct match_side *old, const struct match_side *new)
{
	uint32_t *known[2];

	if (out->same) {
		pair_in_order(out, old, new);
		return;
	}
	align_once(out, old, new, NULL);
	keep_variables(out, old, new, known);
	align_once(out, old, new, known);
	free(known[0]);
	free(known[1]);
}
