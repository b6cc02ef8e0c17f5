/* impact.c: Phase 1: what may execute something modified.
 *
 * A function is *dirty* if it has something modified (match.h) or may call a dirty function, over any number of calls. Whatever a call of a clean function executes is, instruction by instruction, in
 * the new version too, with the same successors, so an execution of it in the old version is one in the new version.
 *
 * Calls out of the program: the function outside is the same one if both versions leave its name to the same libraries (the versions are built on this machine), unless the user says otherwise. One that is not
 * known to keep to itself (ir/known.c) may call back every function whose address is taken; so may a pointer that nothing fits, and assembly. The driver's own functions (thunks) are called by no code.
 */
#include "validate/inside.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static int is_driver(const char *name)
{
	return !strncmp(name, "muster_thunk_", 13);
}

uint32_t impact_symbol(const struct impact *im, const struct code_function *f)
{
	uint64_t symbol;
	return map_get(&im->symbol_of, (uint64_t)(uintptr_t)f, &symbol) ? (uint32_t)symbol : CODE_NONE;
}

static int is_call(unsigned op)
{
	return op == CODE_CALL || op == CODE_INVOKE;
}

/* A call of something that may call back whatever it can reach. */
static int is_wild(const struct impact *im, uint32_t symbol, uint32_t value)
{
	const struct whole *w = im->m->old;
	const struct whole_symbol *s = &w->symbols.data[symbol];
	const struct whole_unit *u = &w->units.data[s->unit];
	const struct content_instruction *i = content_of(u->content, s->function, value);
	uint32_t callee = content_callee(u->content, i), number = callee & CONTENT_NUMBER, count;
	if ((callee & CONTENT_KIND) != CONTENT_SYMBOL) {
		if ((callee & CONTENT_KIND) == CONTENT_CONSTANT && u->content->constants[number].assembly)
			return 1;
		whole_targets(w, i->signature, &count);
		return !count;
	}
	const struct whole_symbol *called = &w->symbols.data[u->symbols[number]];
	if (called->function || called->intrinsic)
		return 0;
	return im->o->externals_unknown || number >= u->code->function_count || !code_function_keeps_to_itself(&u->code->functions[number]);
}

int impact_call(const struct impact *im, uint32_t symbol, uint32_t value)
{
	const struct whole *w = im->m->old;
	const struct whole_symbol *s = &w->symbols.data[symbol];
	const struct whole_unit *u = &w->units.data[s->unit];
	const struct content_instruction *i = content_of(u->content, s->function, value);
	uint32_t callee, count;
	if (!is_call(s->function->values[value].op) || !i->operands)
		return 0;
	if (is_wild(im, symbol, value) && (im->taken_dirty || im->o->externals_unknown))
		return 1;
	callee = content_callee(u->content, i);
	if ((callee & CONTENT_KIND) == CONTENT_SYMBOL)
		return im->dirty[u->symbols[callee & CONTENT_NUMBER]];
	const uint32_t *targets = whole_targets(w, i->signature, &count);
	for (uint32_t k = 0; k < count; k++)
		if (im->dirty[targets[k]])
			return 1;
	return 0;
}

int impact_may_call(const struct impact *im, uint32_t symbol, uint32_t value, uint32_t callee)
{
	const struct whole *w = im->m->old;
	const struct whole_symbol *s = &w->symbols.data[symbol];
	const struct whole_unit *u = &w->units.data[s->unit];
	const struct content_instruction *i = content_of(u->content, s->function, value);
	uint32_t count = 0;
	if (!is_call(s->function->values[value].op) || !i->operands)
		return 0;
	if (is_wild(im, symbol, value))
		return 1;
	uint32_t called = content_callee(u->content, i);
	if ((called & CONTENT_KIND) == CONTENT_SYMBOL)
		return u->symbols[called & CONTENT_NUMBER] == callee;
	const uint32_t *targets = whole_targets(w, i->signature, &count);
	for (uint32_t k = 0; k < count; k++)
		if (targets[k] == callee)
			return 1;
	return 0;
}

int impact_modified(const struct impact *im, uint32_t symbol, uint32_t value)
{
	return match_modified(im->m, symbol, value) != 0;
}

/* Has the function itself something modified, or is it gone? */
static int is_changed(const struct impact *im, uint32_t i)
{
	const struct whole_symbol *s = &im->m->old->symbols.data[i];
	uint32_t now = im->m->to_new[i];
	if (im->o->is_stub && s->function && im->o->is_stub(im->o->ctx, s->name))
		return im->o->externals_unknown;
	if (s->function)
		return now == CODE_NONE || im->m->classes[i] & MATCH_M;
	if (s->kind != WHOLE_FUNCTION || s->intrinsic)
		return 0;
	return now == CODE_NONE ? 0 : im->m->new->symbols.data[now].function != NULL; /* one that nothing calls any more is named by modified code only */
}

static int calls_dirty(const struct impact *im, uint32_t i)
{
	const struct code_function *f = im->m->old->symbols.data[i].function;
	for (uint32_t b = 0; b < f->order_count; b++) {
		const struct code_block *block = &f->blocks[f->order[b]];
		for (uint32_t v = block->first; v < block->first + block->count; v++)
			if (is_call(f->values[v].op) && impact_call(im, i, v))
				return 1;
	}
	return 0;
}

/* From callees to callers, until nothing changes: components of the call graph come callees first, so that few rounds are needed. */
static void spread(struct impact *im)
{
	const struct whole *w = im->m->old;
	for (int more = 1; more;) {
		more = 0;
		for (uint32_t i = 0; i < w->symbols.size; i++) {
			const struct whole_symbol *s = &w->symbols.data[i];
			if (!im->dirty[i] && s->function && !(im->o->is_stub && im->o->is_stub(im->o->ctx, s->name)) && calls_dirty(im, i))
				more = im->dirty[i] = 1;
			if (im->dirty[i] && s->function && s->taken && !is_driver(s->name) && !im->taken_dirty)
				more = im->taken_dirty = 1;
		}
	}
}

void impact_init(struct impact *im, const struct match *m, const struct validate_options *o)
{
	*im = (struct impact){.m = m, .o = o, .dirty = mem_zalloc(m->old->symbols.size + 1)};
	im->cuts[0] = mem_zalloc((m->old->symbols.size + 1) * sizeof *im->cuts[0]);
	im->cuts[1] = mem_zalloc((m->new->symbols.size + 1) * sizeof *im->cuts[1]);
	for (uint32_t i = 0; i < m->old->symbols.size; i++) {
		if (m->old->symbols.data[i].function)
			map_set(&im->symbol_of, (uint64_t)(uintptr_t)m->old->symbols.data[i].function, i);
		im->dirty[i] = (uint8_t)is_changed(im, i);
	}
	spread(im);
}

const struct segment_cuts *impact_cuts(const struct impact *im, int version, uint32_t symbol)
{
	struct segment_cuts **at = &im->cuts[version][symbol];
	if (!*at) {
		*at = mem_zalloc(sizeof **at);
		segment_cuts_find(*at, (version ? im->m->new : im->m->old)->symbols.data[symbol].function);
	}
	return *at;
}

void impact_release(struct impact *im)
{
	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; i < (k ? im->m->new : im->m->old)->symbols.size; i++) {
			if (im->cuts[k][i])
				segment_cuts_release(im->cuts[k][i]);
			free(im->cuts[k][i]);
		}
		free(im->cuts[k]);
	}
	free(im->dirty);
	map_release(&im->symbol_of);
}

const char *impact_function(const struct impact *im, uint32_t symbol)
{
	if (im->m->to_new[symbol] == CODE_NONE || !im->m->functions[symbol])
		return "the new version does not have the function";
	if (im->m->classes[symbol] & MATCH_M)
		return "the function was modified";
	return im->dirty[symbol] ? "it may call a function that was modified" : NULL;
}

uint8_t *impact_blocks(const struct impact *im, uint32_t symbol)
{
	const struct code_function *f = im->m->old->symbols.data[symbol].function;
	const struct match_function *mf = im->m->functions[symbol];
	uint8_t *can = mem_zalloc(f->block_count + 1);
	for (uint32_t b = 0; b < f->block_count; b++) {
		for (uint32_t v = f->blocks[b].first; v < f->blocks[b].first + f->blocks[b].count; v++)
			can[b] |= !mf || impact_modified(im, symbol, v) || impact_call(im, symbol, v);
		for (uint32_t e = f->blocks[b].first_edge; e < f->blocks[b].first_edge + f->blocks[b].edges; e++)
			can[b] |= !mf || mf->edges[e];
	}
	for (int more = 1; more;) {
		more = 0;
		for (uint32_t e = 0; e < f->edge_count; e++)
			if (can[f->edges[e].to] && !can[f->edges[e].from])
				more = can[f->edges[e].from] = 1;
	}
	return can;
}
