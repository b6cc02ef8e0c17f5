/* across.c: summaries that begin in a function f and end in a function g that it calls: at g's entry, or at the first loop that this call of g comes to.
 *
 * The summary says (summary/called_across.c): from P at lp, f itself comes to a call of g, before it passes another loop of its own or ends, and Q holds at lq of the first such call. So between lp and lq there execute
 *
 *	instructions of f from lp to a direct call of g: with edges and phis between them. Behind the last one that can be reached nothing of f executes;
 *	whole calls that f makes on the way, of g too if another call of it can follow. They return before lq, so nothing that they may call may be modified;
 *	of g, if lq is a loop, what lies between its entry and that loop (a segment of g).
 *
 * Phase 1 asks that none of these was modified. Code of f behind the call, code of g behind lq, and callers of f do not count, for none of it executes before lq. A call that is no direct one of g but could lead to it (through a pointer, a library that
 * calls back) may be the one that came to g, so what leads to it counts, too, and all that it may call must be clean.
 *
 * Phases 2 and 3 evaluate f from lp and follow calls, with the frame of g inside of that of f; a path is over where f calls g, or where that call comes to the loop. Calls of g from deeper frames are none of these. In Phase 2 nothing modified is
 * met before; in Phase 3 every path ends there, before another loop of g, and Q holds of the variables of g: in the first call of g, so one that comes back must have no other behind it. Q names no memory, so nothing is asked of it.
 *
 * What Q speaks of must be in the new version what it was: g has a counterpart with the same parameters by the same names; at the loop the same variables hold counterparts of the same values (Phases 1, 2) or variables of that name are there (3).
 */
#include "validate/inside.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ both functions */

struct across {
	struct segment_part f, g; /* lp to anywhere; the entry of g to lq, if that is a loop */
	int loop, g_open;
	uint32_t symbol, now; /* of g */
	const struct code_function *old, *new; /* g */
};

/* Parameters have the names that they had: lq is the entry. */
static int same_names(const struct code_function *f, const struct code_function *g)
{
	for (uint32_t k = 0; k < f->variable_count; k++) {
		uint32_t i = 0;
		if (f->variables[k].parameter == CODE_NONE)
			continue;
		while (i < g->variable_count && (g->variables[i].parameter != f->variables[k].parameter || strcmp(g->variables[i].name, f->variables[k].name)))
			i++;
		if (i == g->variable_count)
			return 0;
	}
	return 1;
}

/* setjmp: what follows a call in f may be behind another one that longjmp has left, and no edge says so. */
static int returns_twice(const struct code_function *f)
{
	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++)
		if ((f->values[v].op == CODE_CALL || f->values[v].op == CODE_INVOKE) && f->values[v].target != CODE_NONE && f->code->functions[f->values[v].target].returns_twice)
			return 1;
	return 0;
}

static const char *open_both(struct across *x, const struct impact *im, uint32_t symbol, const struct summaries *l, const struct summary *s)
{
	struct summary inside = {.lp = {.ordinal = SUMMARY_ENTRY}, .lq = s->lq};
	*x = (struct across){.loop = s->lq.ordinal != SUMMARY_ENTRY, .symbol = whole_find_any(im->m->old, s->end_function)};
	const char *why = segment_part_open(&x->f, im, symbol, l, s);
	if (why)
		return why;
	if (x->symbol == CODE_NONE || !(x->old = im->m->old->symbols.data[x->symbol].function) || (x->now = im->m->to_new[x->symbol]) == CODE_NONE ||
	    !(x->new = im->m->new->symbols.data[x->now].function))
		return "a version does not have the function where it ends";
	if (returns_twice(x->f.old) || returns_twice(x->f.new) || returns_twice(x->old) || returns_twice(x->new))
		return "a call in it returns twice";
	if (!validate_same_signature(x->old, x->new) || !same_names(x->old, x->new))
		return "the function where it ends has other parameters";
	if (x->loop) {
		x->g_open = 1;
		why = segment_part_open(&x->g, im, x->symbol, l, &inside);
	}
	return why;
}

static void close_both(struct across *x)
{
	segment_part_release(&x->f);
	if (x->g_open)
		segment_part_release(&x->g);
}

/* ------------------------------------------------------------ Phase 1 */

struct region {
	const struct across *x;
	uint32_t *last;	/* by block: its last direct call of g; CODE_NONE */
	uint8_t *on;	/* by block: one can be reached from its end, before the next cut; or it has a call that could lead to g otherwise */
};

static int is_call_of(const struct across *x, uint32_t value)
{
	const struct code_function *f = x->f.old;
	const struct code_value *v = &f->values[value];
	return (v->op == CODE_CALL || v->op == CODE_INVOKE) && v->target != CODE_NONE && &f->code->functions[v->target] == x->old;
}

static void find_calls(struct region *r)
{
	const struct segment_part *p = &r->x->f;
	const struct code_function *f = p->old;
	for (uint32_t b = 0; b < f->block_count; b++) {
		r->last[b] = CODE_NONE;
		for (uint32_t v = f->blocks[b].first; v < f->blocks[b].first + f->blocks[b].count && p->ahead[b]; v++)
			if (is_call_of(r->x, v))
				r->last[b] = v;
			else if (impact_may_call(p->im, p->symbol, v, r->x->symbol))
				r->on[b] = 1; /* it may be this one that came to g: all of the block counts, and what leads to it */
	}
	for (int more = 1; more;) {
		more = 0;
		for (uint32_t e = 0; e < f->edge_count; e++) {
			uint32_t from = f->edges[e].from, to = f->edges[e].to;
			if (p->ahead[from] && !r->on[from] && !segment_is_cut(p, to) && (r->on[to] || r->last[to] != CODE_NONE))
				more = r->on[from] = 1;
		}
	}
}

static const char *check_block(const struct region *r, uint32_t b)
{
	const struct segment_part *p = &r->x->f;
	const struct code_function *f = p->old;
	for (uint32_t v = f->blocks[b].first; v < f->blocks[b].first + f->blocks[b].count; v++) {
		if (f->values[v].op != CODE_PHI && impact_modified(p->im, p->symbol, v))
			return "something between its ends was modified";
		if (!r->on[b] && v == r->last[b])
			return NULL; /* it does not come back from there */
		if (impact_call(p->im, p->symbol, v))
			return "it may call a function that was modified";
	}
	for (uint32_t e = f->blocks[b].first_edge; e < f->blocks[b].first_edge + f->blocks[b].edges; e++)
		if (p->mf->edges[e] && (r->on[f->edges[e].to] || r->last[f->edges[e].to] != CODE_NONE))
			return "something between its ends was modified";
	return NULL;
}

static const char *check_caller(struct across *x)
{
	const struct code_function *f = x->f.old;
	struct region r = {x, mem_alloc((f->block_count + 1) * sizeof *r.last), mem_zalloc(f->block_count + 1)};
	const char *why = !x->f.from && x->f.mf->entry ? "the function's entry was modified" : NULL;
	int some = 0;
	segment_find_ahead(&x->f);
	find_calls(&r);
	for (uint32_t b = 0; b < f->block_count && !why; b++)
		if (x->f.ahead[b] && (r.on[b] || r.last[b] != CODE_NONE)) {
			some = 1;
			why = check_block(&r, b);
		}
	free(r.last);
	free(r.on);
	return why ? why : some ? NULL : "it does not call the function where it ends";
}

const char *across_impact(const struct impact *im, uint32_t symbol, const struct summaries *l, const struct summary *s)
{
	struct across x;
	const char *why = open_both(&x, im, symbol, l, s);
	if (!why)
		why = check_caller(&x);
	if (!why && x.loop)
		why = segment_check(&x.g);
	if (!why && (!segment_same_ends(&x.f) || (x.loop && !segment_same_ends(&x.g))))
		why = "other variables, or other values, are there where it begins or ends";
	close_both(&x);
	return why;
}

/* ------------------------------------------------------------ visits of lq */

int landing_is_call(const struct landing *x, const struct vc_call *c)
{
	return !x->to && !c->depth && c->target == x->g;
}

int landing_is_point(const struct landing *x, const struct vc_point *at, uint32_t edge)
{
	return x->to && edge == CODE_NONE && at->depth == 1 && at->f == x->g && at->at == local_first(x->g, x->to);
}

int landing_is_other(const struct landing *x, const struct vc_point *at, uint32_t edge)
{
	if (!x->to || edge == CODE_NONE || at->depth != 1 || at->f != x->g)
		return 0;
	for (size_t i = 0; i < x->cuts->list.size; i++)
		if (x->cuts->list.data[i].block == x->g->edges[edge].to)
			return x->g->edges[edge].to != x->to->block;
	return 0;
}

static expr_t *note(struct landing *x, expr_t guard)
{
	VEC(struct landed) v = {x->all, x->count, x->cap};
	vec_push(&v, ((struct landed){guard, mem_zalloc((x->g->variable_count + 1) * sizeof(expr_t))}));
	x->all = v.data, x->count = v.size, x->cap = v.cap;
	return vec_last(&v).values;
}

void landing_follow_call(struct landing *x, struct vc_call *c)
{
	expr_t guard = c->guard, before = x->called;
	if (!x->to || c->depth || c->target != x->g)
		return;
	x->called = before == EXPR_NONE ? guard : expr_or(x->p, before, guard);
	if (before != EXPR_NONE)
		vc_state_end(c, VC_UNKNOWN, before, "an earlier call of the function where it ends comes back");
}

void landing_note_call(struct landing *x, const struct vc_call *c)
{
	expr_t *values = note(x, c->guard);
	for (uint32_t k = 0; k < x->g->variable_count; k++) {
		uint32_t p = x->g->variables[k].parameter;
		values[k] = p < c->arg_count ? c->args[p] : EXPR_NONE;
	}
}

void landing_note_point(struct landing *x, const struct vc_point *at)
{
	expr_t *values = note(x, vc_point_guard(at));
	for (uint32_t i = 0; i < x->to->held; i++) {
		const struct segment_held *h = &x->cuts->held.data[x->to->first_held + i];
		values[h->variable] = vc_point_value(at, h->value);
	}
}

static void forget(struct landing *x)
{
	for (size_t i = 0; i < x->count; i++)
		free(x->all[i].values);
	free(x->all);
}

/* ------------------------------------------------------------ Phases 2 and 3 */

static int old_code(struct across *x, struct summaries *l, const struct summary *s, const struct phase_budget *budget, const char **why)
{
	struct local local = {.f = x->f.old, .old = x->f.old, .m = x->f.im->m, .symbol = x->f.symbol, .cuts = x->f.old_cuts, .from = x->f.from};
	struct landing landing = {.g = x->old, .to = x->loop ? x->g.to : NULL, .cuts = x->g.old_cuts};
	struct phase p = {.im = x->f.im, .budget = budget, .local = &local, .landing = &landing};
	if (!segment_same_ends(&x->f) || (x->loop && !segment_same_ends(&x->g))) {
		*why = "other variables, or other values, are there where it begins or ends";
		return 0;
	}
	p.can = segment_blocks(&x->f);
	int ok = phase_2_across(&p, x->f.old, l, s, why);
	forget(&landing);
	return ok;
}

static int new_code(struct across *x, struct summaries *l, const struct summary *s, const struct phase_budget *budget, const char **why)
{
	const struct segment_cut *from = x->f.from ? segment_cut_now(&x->f, x->f.from) : NULL, *to = x->loop ? segment_cut_now(&x->g, x->g.to) : NULL;
	struct local local = {.f = x->f.new, .old = x->f.old, .m = x->f.im->m, .symbol = x->f.symbol, .cuts = x->f.new_cuts, .from = from};
	struct landing landing = {.g = x->new, .to = to, .cuts = x->g.new_cuts, .p = l->pool};
	struct phase p = {.budget = budget, .local = &local, .landing = &landing};
	if ((x->f.from && !from) || (x->loop && !to) || (from && from->more)) {
		*why = "where it begins or ends is no loop any more, or has values that are not modelled";
		return 0;
	}
	int ok = phase_3_across(&p, x->f.new, x->f.old, l, s, why);
	forget(&landing);
	return ok;
}

int across_phase(const struct impact *im, uint32_t symbol, unsigned phase, struct summaries *l, const struct summary *s, const struct phase_budget *budget, const char **why)
{
	struct across x;
	*why = open_both(&x, im, symbol, l, s);
	int ok = !*why && (phase == 2 ? old_code : new_code)(&x, l, s, budget, why);
	close_both(&x);
	return ok;
}
