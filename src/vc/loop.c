/* loop.c: loops: unrolled, or cut.
 *
 * Unrolled: a pass for each iteration, as long as a path comes back to the header. What leaves the loop is collected by exit: the condition counts from the entry of the
 * loop, the memory is that of the iteration. A value of the loop that is used after it is a choice by the iteration that left. Paths that are still inside after the last
 * iteration end as BOUND.
 *
 * Cut: the header's phis become new variables, and so do the contents of all objects that the loop may write; one pass with the invariant assumed is any
 * iteration, the last one too. Paths that come back to the header end as CUT: they go on in a state that the pass has begun with, if the
 * invariant holds, which is left to be proved. So what leaves the loop is a superset of what does in any run, and nothing is said about whether
 * the loop ends.
 *
 * A loop that is entered beside its header has a first pass, exact in both cases, from these entries to the header or out of the loop; what enters at the header joins what comes to it
 * from there. Every cycle passes the header of a loop through a back edge of it, so from then on all iterations begin at the header. A region that begins in the loop is such an entry, too.
 */
#include "vc/inside.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"


struct exits {
	expr_t *taken; /* by exit, from the entry of the loop on; EXPR_NONE: never */
	const struct vc_memory **memory;
	uint32_t *live; /* values that are used after the loop */
	size_t live_count;
	VEC(expr_t) left;   /* by iteration that may leave the loop: it does, if it began */
	VEC(expr_t) values; /* by iteration: of these */
};

static void find_live(const struct code_function *f, uint32_t loop, struct exits *x)
{
	VEC(uint32_t) list = {0};
	const struct code_loop *l = &f->loops[loop];
	for (uint32_t i = 0; i < l->blocks; i++) {
		const struct code_block *b = &f->blocks[f->loop_blocks[l->first_block + i]];
		for (uint32_t v = b->first; v < b->first + b->count; v++)
			for (uint32_t k = 0; k < f->values[v].uses; k++) {
				uint32_t user = f->uses[f->values[v].first_use + k];
				if (!code_in_loop(f, loop, f->values[user].block)) {
					vec_push(&list, v);
					break;
				}
			}
	}
	x->live = list.data;
	x->live_count = list.size;
}

/* What has left the loop in this pass. alive: it began, from the entry of the loop on. */
static void note_exits(struct exits *x, struct vc_pass *ps, const struct code_loop *l, expr_t alive)
{
	struct exprs *p = ps->v->p;
	const struct code_function *f = ps->fr->f;
	expr_t any = expr_false(p);
	for (uint32_t k = 0; k < l->exits; k++) {
		uint32_t e = f->loop_edges[l->first_exit + k];
		expr_t leaves = vc_edge_whole(ps, e), taken = expr_and(p, alive, leaves);
		if (taken == expr_false(p))
			continue;
		any = vc_or(p, any, leaves);
		x->memory[k] = x->taken[k] ? vc_memory_ite(ps->v, taken, ps->flows[e].memory, x->memory[k]) : ps->flows[e].memory;
		x->taken[k] = x->taken[k] ? vc_or(p, x->taken[k], taken) : taken;
	}
	if (any == expr_false(p))
		return;
	vec_push(&x->left, any);
	for (size_t i = 0; i < x->live_count; i++)
		vec_push(&x->values, ps->fr->values[x->live[i]]);
}

/* A value as it is after the loop: that of the first iteration that left it. EXPR_NONE in one: its path does not come to where it is used. */
static expr_t left_with(struct exits *x, struct vc_pass *outer, struct vc_state *s, size_t i)
{
	expr_t is = EXPR_NONE;
	for (size_t k = x->left.size; k-- > 0;) {
		expr_t now = x->values.data[k * x->live_count + i];
		if (now == VC_LOST || is == VC_LOST)
			is = VC_LOST;
		else if (is == EXPR_NONE || now == EXPR_NONE)
			is = now != EXPR_NONE ? now : is;
		else
			is = vc_choice(outer->v, outer->fr, s, x->live[i], x->left.data[k], now, is);
	}
	return is;
}

static void close_loop(struct exits *x, struct vc_pass *outer, struct vc_state *s, const struct code_loop *l)
{
	const struct code_function *f = outer->fr->f;
	for (uint32_t k = 0; k < l->exits; k++)
		outer->flows[f->loop_edges[l->first_exit + k]] = (struct vc_flow){x->taken[k], x->memory[k]};
	for (size_t i = 0; i < x->live_count; i++)
		outer->fr->values[x->live[i]] = left_with(x, outer, s, i);
}

expr_t vc_go_back(struct vc_pass *ps, const struct code_loop *l, const struct vc_memory **memory)
{
	struct exprs *p = ps->v->p;
	const struct code_function *f = ps->fr->f;
	VEC(uint32_t) edges = {0};
	VEC(expr_t) selectors = {0};
	VEC(const struct vc_memory *) memories = {0};
	expr_t any = expr_false(p);
	for (uint32_t k = 0; k < l->latches + l->entries; k++) { /* those from outside have a flow in the first pass only */
		uint32_t e = k < l->latches ? f->loop_edges[l->first_latch + k] : f->loop_edges[l->first_entry + k - l->latches];
		expr_t taken = f->edges[e].to == l->header ? vc_edge_whole(ps, e) : expr_false(p);
		if (taken == expr_false(p))
			continue;
		any = vc_or(p, any, taken);
		vec_push(&edges, e);
		vec_push(&selectors, taken);
		vec_push(&memories, vc_edge_flow(ps, e)->memory);
	}
	if (edges.size)
		*memory = vc_join(ps->v, ps->fr, l->header, edges.data, selectors.data, memories.data, edges.size);
	vec_release(&edges);
	vec_release(&selectors);
	vec_release(&memories);
	return any;
}

/* Is the next visit of the header like the last one, so that every later one is? phis: of the last visit. A new variable in the iteration might be another in the next. */
static int is_repeated(struct vc_pass *ps, const struct code_loop *l, const expr_t *phis, const struct vc_memory *before, const struct vc_memory *after, uint32_t fresh)
{
	const struct vc *v = ps->v;
	const struct code_block *header = &ps->fr->f->blocks[l->header];
	if (v->fresh != fresh || v->o.value) /* a callback may say something else then */
		return 0;
	for (uint32_t n = 0; n < header->count && ps->fr->f->values[header->first + n].op == CODE_PHI; n++)
		if (phis[n] == VC_LOST || ps->fr->values[header->first + n] != phis[n])
			return 0;
	for (uint32_t i = 0; i < v->things.size && before != after; i++) {
		struct vc_place x = vc_place_of(v, before, i), y = vc_place_of(v, after, i);
		if (x.contents != y.contents || x.live != y.live)
			return 0;
	}
	return 1;
}

static void unroll(struct vc_pass *outer, struct vc_loop *at, const struct vc_state *s, expr_t alive, struct exits *x)
{
	struct vc *v = outer->v;
	struct exprs *p = v->p;
	struct vc_frame *fr = outer->fr;
	const struct code_loop *l = &fr->f->loops[at->loop];
	const struct vc_memory *memory = at->memory;
	const struct code_block *header = &fr->f->blocks[l->header];
	expr_t guard = vc_guard(v, s), *phis = mem_zalloc((header->count + 1) * sizeof *phis);
	for (unsigned k = 0; alive != expr_false(p) && !v->stopped; k++) {
		struct vc_pass ps;
		const struct vc_memory *before = memory;
		uint32_t fresh = v->fresh;
		int begins = k < at->most;
		memcpy(phis, &fr->values[header->first], header->count * sizeof *phis);
		fr->context = hash_join(hash_join(at->context, at->loop), k + 1);
		if (begins && (!v->o.iteration || v->o.iteration(v->o.ctx, at, k, 0))) {
			vc_limit(v); /* an iteration without instructions costs, too */
			vc_pass_init(&ps, v, fr, at->loop, l->header, expr_and(p, guard, alive));
			vc_pass_run(&ps, memory);
			begins = !v->o.iteration || v->o.iteration(v->o.ctx, at, k, 1);
		} else {
			begins = 0;
		}
		if (!begins) {
			struct vc_state rest = {.base = guard, .here = alive};
			vc_stop_here(v, &rest, VC_BOUND, fr->f, header->first, "iterations of a loop");
			break;
		}
		note_exits(x, &ps, l, alive);
		alive = expr_and(p, alive, vc_go_back(&ps, l, &memory));
		if (alive != expr_false(p) && !v->stopped && is_repeated(&ps, l, phis, before, memory, fresh)) {
			struct vc_state rest = {.base = guard, .here = alive};
			vc_stop_here(v, &rest, VC_ENDLESS, fr->f, header->first, NULL);
			break;
		}
	}
	free(phis);
	fr->context = at->context;
}

/* ------------------------------------------------------------ cuts */

static void havoc_all(struct vc *v, struct vc_state *s)
{
	vc_all_globals(v);
	for (uint32_t i = 0; i < vc_objects(v); i++)
		vc_memory_havoc(v, s, i);
}

/* What a pointer leads to. Its root is looked at: the pointer itself may change in the loop. */
static void havoc_pointer(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t loop, uint32_t pointer)
{
	uint32_t root = fr->f->roots[pointer].root, targets[VC_TARGETS];
	int all = 1;
	size_t count = 0;
	if (root != CODE_NONE && !code_varies(fr->f, loop, root)) {
		expr_t e = vc_value(v, fr, root);
		if (e != EXPR_NONE)
			count = vc_targets(v, e, targets, VC_TARGETS, &all);
	}
	if (all)
		havoc_all(v, s);
	for (size_t i = 0; i < count; i++)
		if (targets[i] != VC_NO_OBJECT)
			vc_memory_havoc(v, s, targets[i]);
}

static void havoc_loop(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t loop)
{
	const struct code_function *f = fr->f;
	const struct code_loop *l = &f->loops[loop];
	if (v->o.bare)
		return;
	for (uint32_t i = 0; i < vc_objects(v); i++) { /* what it stored where is not in the contents any more */
		v->things.data[i].escaped |= vc_place_of(v, s->memory, i).live != expr_false(v->p);
		v->things.data[i].was_seen = 1;
	}
	for (uint32_t i = 0; i < l->blocks; i++) {
		const struct code_block *b = &f->blocks[f->loop_blocks[l->first_block + i]];
		for (uint32_t at = b->first; at < b->first + b->count; at++) {
			unsigned op = f->values[at].op;
			if (op == CODE_STORE)
				havoc_pointer(v, fr, s, loop, code_operand(f, at, 1));
			else if (op == CODE_FILL || op == CODE_MOVE)
				havoc_pointer(v, fr, s, loop, code_operand(f, at, 0));
			else if (op == CODE_ATOMIC || op == CODE_INVOKE ||
				 (op == CODE_CALL && (f->values[at].target == CODE_NONE || !v->code->functions[f->values[at].target].quiet)))
				havoc_all(v, s);
		}
	}
}

static expr_t invariant(struct vc_loop *l, enum vc_visit visit, const struct vc_memory *memory)
{
	struct vc *v = l->vc;
	l->visit = visit;
	l->memory = memory;
	return v->o.invariant ? v->o.invariant(v->o.ctx, l) : expr_true(v->p);
}

static void cut(struct vc_pass *outer, struct vc_loop *at, const struct vc_state *s, expr_t alive, struct exits *x)
{
	struct vc *v = outer->v;
	struct vc_frame *fr = outer->fr;
	const struct code_function *f = fr->f;
	const struct code_loop *l = &f->loops[at->loop];
	const struct code_block *header = &f->blocks[l->header];
	struct vc_state any = *s;
	struct vc_pass ps;
	const struct vc_memory *next = NULL;
	expr_t guard = expr_and(v->p, vc_guard(v, s), alive), assumed = invariant(at, VC_VISIT_ENTRY, at->memory);
	vec_push(&v->obligations, (struct vc_obligation){f, at->loop, 1, guard, assumed});
	any.memory = at->memory;
	any.shared = 1;
	havoc_loop(v, fr, &any, at->loop);
	for (uint32_t n = header->first; n < header->first + header->count && f->values[n].op == CODE_PHI; n++)
		fr->values[n] = EXPR_NONE;
	vc_ask_phis(v, fr, l->header);
	for (uint32_t n = header->first; n < header->first + header->count && f->values[n].op == CODE_PHI; n++)
		if (fr->values[n] == EXPR_NONE)
			fr->values[n] = vc_width(&f->values[n]) ? vc_fresh(v, vc_width(&f->values[n]), "phi") : VC_LOST;
	assumed = invariant(at, VC_VISIT_ANY, any.memory);
	vc_pass_init(&ps, v, fr, at->loop, l->header, expr_and(v->p, guard, assumed));
	vc_pass_run(&ps, any.memory);
	note_exits(x, &ps, l, expr_and(v->p, alive, assumed));
	struct vc_state back = {.base = ps.base, .here = vc_go_back(&ps, l, &next)};
	if (!vc_dead(v, &back)) {
		vec_push(&v->obligations, (struct vc_obligation){f, at->loop, 0, vc_guard(v, &back), invariant(at, VC_VISIT_NEXT, next)});
		vc_stop_here(v, &back, VC_CUT, f, header->first, NULL);
	}
}

/* ------------------------------------------------------------ either */

/* From where the evaluation begins in the loop to its header: gives the condition for that, from the loop's entry on. */
static expr_t rest_of_iteration(struct vc_pass *outer, struct vc_loop *at, const struct vc_state *s, struct exits *x)
{
	struct vc_frame *fr = outer->fr;
	const struct code_loop *l = &fr->f->loops[at->loop];
	struct vc_pass ps;
	vc_pass_init(&ps, outer->v, fr, at->loop, l->header, vc_guard(outer->v, s));
	vc_pass_run(&ps, s->memory);
	for (size_t i = 0; i < x->live_count; i++) /* those from before; without a term where nothing says */
		if (fr->values[x->live[i]] == EXPR_NONE && vc_value(outer->v, fr, x->live[i]) == EXPR_NONE)
			fr->values[x->live[i]] = VC_LOST;
	note_exits(x, &ps, l, expr_true(outer->v->p));
	return vc_go_back(&ps, l, &at->memory);
}

/* The same from the entries beside the header, with what enters at the header. */
static expr_t first_pass(struct vc_pass *outer, struct vc_loop *at, const struct vc_state *s, struct exits *x)
{
	struct vc_frame *fr = outer->fr;
	const struct code_loop *l = &fr->f->loops[at->loop];
	struct vc_pass ps;
	fr->context = hash_join(hash_join(at->context, at->loop), 0);
	for (size_t i = 0; i < x->live_count; i++) /* not all of the loop is passed: what an earlier run of it left does not count */
		fr->values[x->live[i]] = EXPR_NONE;
	vc_pass_init(&ps, outer->v, fr, at->loop, fr->f->block_count, vc_guard(outer->v, s));
	vc_pass_run(&ps, s->memory);
	note_exits(x, &ps, l, expr_true(outer->v->p));
	fr->context = at->context;
	return vc_go_back(&ps, l, &at->memory);
}

void vc_loop_run(struct vc_pass *outer, uint32_t loop, struct vc_state *s, int beside)
{
	struct vc *v = outer->v;
	const struct code_loop *l = &outer->fr->f->loops[loop];
	struct vc_loop at = {.vc = v, .f = outer->fr->f, .loop = loop, .guard = vc_guard(v, s), .depth = outer->fr->depth, .context = outer->fr->context, .most = v->o.unroll,
			     .values = outer->fr->values, .memory = s->memory};
	enum vc_loop_how how = v->o.loop ? v->o.loop(v->o.ctx, &at) : VC_LOOP_UNROLL;
	struct exits x = {0};
	struct vc_node here = outer->nodes[l->header]; /* the loop's passes use its header's for themselves */
	if (how == VC_LOOP_UNKNOWN) {
		vc_stop_here(v, s, VC_UNKNOWN, at.f, at.f->blocks[l->header].first, "a loop");
		return;
	}
	find_live(at.f, loop, &x);
	x.taken = mem_zalloc((l->exits + 1) * sizeof *x.taken);
	x.memory = mem_zalloc((l->exits + 1) * sizeof *x.memory);
	expr_t alive = expr_true(v->p);
	if (beside)
		alive = first_pass(outer, &at, s, &x);
	else if (outer->fr->begin != CODE_NONE)
		alive = rest_of_iteration(outer, &at, s, &x);
	if (how == VC_LOOP_UNROLL)
		unroll(outer, &at, s, alive, &x);
	else if (alive != expr_false(v->p))
		cut(outer, &at, s, alive, &x);
	outer->nodes[l->header] = here;
	close_loop(&x, outer, s, l);
	free(x.taken);
	free(x.memory);
	free(x.live);
	vec_release(&x.left);
	vec_release(&x.values);
}
