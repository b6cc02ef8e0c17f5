/* segment.c: segments in two versions, and Phase 1 for their summaries: from the entry or a loop's header to the next header, or to the end of the function. Those that end in another function: across.c.
 *
 * What such a segment may execute are the blocks on paths from lp to lq that pass no other cut (ir/segment.h), and the copies of phis on the edges between them and into lq. If none of that was modified, and no call there may execute something modified, every execution from lp to lq in
 * the old version is one in the new version. What the summary says must also mean the same there: the counterparts of lp and lq are cuts, and at both the same variables hold counterparts of the same values, all of them: a variable that only the new version has may be set on an edge, without
 * an instruction, and the summary would say that it is as it was.
 */
#include "validate/inside.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ the region */

int segment_is_cut(const struct segment_part *x, uint32_t block)
{
	for (size_t i = 0; i < x->old_cuts->list.size; i++)
		if (x->old_cuts->list.data[i].block == block)
			return 1;
	return 0;
}

void segment_find_ahead(struct segment_part *x)
{
	const struct code_function *f = x->old;
	x->ahead[x->from ? x->from->block : 0] = 1;
	for (int more = 1; more;) {
		more = 0;
		for (uint32_t e = 0; e < f->edge_count; e++)
			if (x->ahead[f->edges[e].from] && !x->ahead[f->edges[e].to] && !segment_is_cut(x, f->edges[e].to))
				more = x->ahead[f->edges[e].to] = 1;
	}
}

static int is_last(const struct segment_part *x, uint32_t block)
{
	const struct code_function *f = x->old;
	if (x->fails)
		return 1;
	if (!x->to)
		return f->values[code_last(f, block)].op == CODE_RETURN;
	for (uint32_t e = f->blocks[block].first_edge; e < f->blocks[block].first_edge + f->blocks[block].edges; e++)
		if (f->edges[e].to == x->to->block)
			return 1;
	return 0;
}

static void find_region(struct segment_part *x)
{
	const struct code_function *f = x->old;
	segment_find_ahead(x);
	for (uint32_t b = 0; b < f->block_count; b++)
		x->on[b] = x->ahead[b] && is_last(x, b);
	for (int more = 1; more;) {
		more = 0;
		for (uint32_t e = 0; e < f->edge_count; e++)
			if (x->on[f->edges[e].to] && x->ahead[f->edges[e].from] && !x->on[f->edges[e].from] && !segment_is_cut(x, f->edges[e].to))
				more = x->on[f->edges[e].from] = 1;
	}
}

static const char *check_region(const struct segment_part *x)
{
	const struct code_function *f = x->old;
	if (!x->from && x->mf->entry)
		return "the function's entry was modified";
	for (uint32_t b = 0; b < f->block_count; b++) {
		if (!x->on[b])
			continue;
		for (uint32_t v = f->blocks[b].first; v < f->blocks[b].first + f->blocks[b].count; v++) {
			if (f->values[v].op != CODE_PHI && impact_modified(x->im, x->symbol, v))
				return "something between its ends was modified";
			if (impact_call(x->im, x->symbol, v))
				return "it may call a function that was modified";
		}
		for (uint32_t e = f->blocks[b].first_edge; e < f->blocks[b].first_edge + f->blocks[b].edges; e++)
			if (x->mf->edges[e] && (x->fails || x->on[f->edges[e].to] || (x->to && f->edges[e].to == x->to->block)))
				return "something between its ends was modified";
	}
	return NULL;
}

/* ------------------------------------------------------------ its ends in the new version */

static const struct segment_cut *cut_of_block(const struct segment_cuts *s, uint32_t block)
{
	for (size_t i = 0; i < s->list.size; i++)
		if (s->list.data[i].block == block)
			return &s->list.data[i];
	return NULL;
}

/* The cut at the counterpart of the first instruction after a cut's phis. */
static const struct segment_cut *cut_now(const struct segment_part *x, const struct segment_cut *c)
{
	uint32_t now = match_value(x->im->m, x->symbol, local_first(x->old, c));
	return now == CODE_NONE ? NULL : cut_of_block(x->new_cuts, x->new->values[now].block);
}

/* Which one it is said to be is a matter of taste; of those that some instruction of the header stands in now, the first. */
const struct segment_cut *segment_cut_now(const struct segment_part *x, const struct segment_cut *c)
{
	const struct code_block *b = &x->old->blocks[c->block];
	const struct segment_cut *now = NULL;
	for (uint32_t v = local_first(x->old, c); v < b->first + b->count && !now; v++) {
		uint32_t w = match_value(x->im->m, x->symbol, v);
		now = w == CODE_NONE ? NULL : cut_of_block(x->new_cuts, x->new->values[w].block);
	}
	return now;
}

static int same_value(const struct segment_part *x, uint32_t old, uint32_t new)
{
	const struct code_value *v = &x->old->values[old], *w = &x->new->values[new];
	if (v->kind == CODE_CONSTANT || v->kind == CODE_NULL)
		return v->kind == w->kind && v->width == w->width && (v->kind == CODE_NULL || (v->bits[0] == w->bits[0] && v->bits[1] == w->bits[1]));
	return old < x->old->first_instruction + x->old->instructions && match_value(x->im->m, x->symbol, old) == new;
}

/* Variables of one name are told apart by their number among those of the function. */
static int same_variable(const struct segment_part *x, uint32_t old, uint32_t new)
{
	if (old == CODE_NONE || new == CODE_NONE)
		return old == new;
	return old == new && !strcmp(x->old->variables[old].name, x->new->variables[new].name);
}

static int same_slot(const struct segment_part *x, const struct segment_value *v, const struct segment_value *w)
{
	return same_value(x, v->value, w->value) && same_variable(x, v->variable, w->variable) && v->home == w->home && v->bits == w->bits &&
	       (!v->home || (x->old->values[v->value].bytes == x->new->values[w->value].bytes && !impact_modified(x->im, x->symbol, v->value)));
}

/* The same variables hold the same, and nothing else is there. */
static int same_cut(const struct segment_part *x, const struct segment_cut *c, const struct segment_cut *d)
{
	if (!d || c->count != d->count || c->held != d->held || c->more || d->more)
		return 0;
	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t k = 0;
		while (k < d->count && !same_slot(x, &x->old_cuts->values.data[c->first + i], &x->new_cuts->values.data[d->first + k]))
			k++;
		if (k == d->count)
			return 0;
	}
	for (uint32_t i = 0; i < c->held; i++) {
		const struct segment_held *h = &x->old_cuts->held.data[c->first_held + i], *g = &x->new_cuts->held.data[d->first_held + i];
		if (!same_variable(x, h->variable, g->variable) || !same_value(x, h->value, g->value))
			return 0;
	}
	return 1;
}

/* ------------------------------------------------------------ a summary */

/* The cut whose header has this ordinal; NULL: there is none. */
static const struct segment_cut *cut_at(const struct segment_part *x, uint32_t ordinal)
{
	const struct whole_symbol *s = &x->im->m->old->symbols.data[x->symbol];
	for (size_t i = 0; i < x->old_cuts->list.size && ordinal < s->order_count; i++)
		if (x->old->blocks[x->old_cuts->list.data[i].block].first == s->order[ordinal])
			return &x->old_cuts->list.data[i];
	return NULL;
}

const char *segment_part_open(struct segment_part *x, const struct impact *im, uint32_t symbol, const struct summaries *l, const struct summary *s)
{
	struct place pl;
	*x = (struct segment_part){.im = im, .symbol = symbol, .old = im->m->old->symbols.data[symbol].function, .mf = im->m->functions[symbol]};
	if (im->m->to_new[symbol] == CODE_NONE || !x->mf)
		return "the new version does not have the function";
	x->new = im->m->new->symbols.data[im->m->to_new[symbol]].function;
	x->fails = s->post.size == 1 && place_of(l->pool, s->post.data[0], &pl) && pl.type == PLACE_FAILURE;
	x->ahead = mem_zalloc(x->old->block_count + 1);
	x->on = mem_zalloc(x->old->block_count + 1);
	x->old_cuts = impact_cuts(im, 0, symbol);
	x->new_cuts = impact_cuts(im, 1, im->m->to_new[symbol]);
	x->from = s->lp.ordinal == SUMMARY_ENTRY ? NULL : cut_at(x, s->lp.ordinal);
	int here = s->lq.ordinal != SUMMARY_EXIT && !s->end_function;
	x->to = here ? cut_at(x, s->lq.ordinal) : NULL;
	if ((s->lp.ordinal != SUMMARY_ENTRY && !x->from) || (here && !x->to))
		return "the old version has no loop where the summary begins or ends";
	return NULL;
}

void segment_part_release(struct segment_part *x)
{
	free(x->ahead);
	free(x->on);
}

int segment_same_ends(const struct segment_part *x)
{
	return (!x->from || same_cut(x, x->from, cut_now(x, x->from))) && (!x->to || same_cut(x, x->to, cut_now(x, x->to)));
}

uint8_t *segment_blocks(const struct segment_part *x)
{
	const struct code_function *f = x->old;
	uint8_t *can = mem_zalloc(f->block_count + 1);
	for (uint32_t b = 0; b < f->block_count; b++) {
		for (uint32_t v = f->blocks[b].first; v < f->blocks[b].first + f->blocks[b].count; v++)
			can[b] |= (uint8_t)((f->values[v].op != CODE_PHI && impact_modified(x->im, x->symbol, v)) || impact_call(x->im, x->symbol, v));
		for (uint32_t e = f->blocks[b].first_edge; e < f->blocks[b].first_edge + f->blocks[b].edges; e++)
			can[b] |= x->mf->edges[e];
	}
	for (int more = 1; more;) {
		more = 0;
		for (uint32_t e = 0; e < f->edge_count; e++)
			if (can[f->edges[e].to] && !can[f->edges[e].from] && !segment_is_cut(x, f->edges[e].to))
				more = can[f->edges[e].from] = 1;
	}
	return can;
}

const char *segment_check(struct segment_part *x)
{
	find_region(x);
	return check_region(x);
}

const char *segment_impact(const struct impact *im, uint32_t symbol, const struct summaries *l, const struct summary *s)
{
	struct segment_part x;
	const char *why = segment_part_open(&x, im, symbol, l, s);
	if (!why)
		why = segment_check(&x);
	if (!why && !segment_same_ends(&x))
		why = "other variables, or other values, are there where it begins or ends";
	segment_part_release(&x);
	return why;
}
