/* phase.c: Phases 2 and 3: what the code does from a state that satisfies P.
 *
 * The function is evaluated (src/vc) with P's places bound to it. Each decision is asked of the solver first: with P, and on the paths so far, one outcome is often impossible, and then the other one alone is
 * followed. P is what a path through the old version says, so the evaluation is close to that one path, loops included: they are unrolled as often as P allows.
 *
 * Phase 2 evaluates the old code. A path ends where it comes to something modified (an instruction, an edge on which a phi was modified, a call that cannot be followed into a dirty function), and all of these ends must be
 * impossible. The summary is valid in the old version: from each state of P the execution ends at lq with Q, so it has not come there, and each of its instructions is in the new version. What is
 * not modelled, or a bound, counts as modified, unless nothing modified can follow. Clean functions are followed where that is possible, and may do anything that mod/ref allows where not: a superset of the executions.
 * Undefined behaviour must be impossible, too, but for the failure that Q names: where the evaluation sees some that the runs did not, nothing is known of what follows.
 *
 * Phase 3 evaluates the new code. Every end but a return must be impossible; after the return Q must hold, and what Q does not name must be as it was. Loops are unrolled to their end and calls followed, nothing is
 * havocked: so every execution ends. If Q is a failure, every end must be a check of that name.
 *
 * A partial summary that Phase 3 does not prove is evaluated once more with the places that the code reads and P does not name, for a condition R on them with which it is proved (missing.c).
 *
 * An unsatisfiable P proves nothing: the solver has to find a state first.
 */
#include "validate/inside.h"

#include "base/deadline.h"
#include "base/mem.h"
#include "base/limit.h"
#include "ir/checker.h"

#include <stdlib.h>
#include <string.h>

#define UNROLL LIMIT(600, 2)	 /* iterations of a loop | by hand */
#define DEPTH LIMIT(24, 2)	 /* of calls | by hand */
#define STEPS LIMIT(100000, 200) /* instructions of an evaluation | by hand */
#define NODES LIMIT(1000000, 20000) /* terms of one | by hand */
#define FORKS LIMIT(4000, 10)	 /* decisions that are asked of the solver | by hand */

/* ------------------------------------------------------------ decisions */

int phase_is_over(const struct phase *x)
{
	return deadline_processor() > x->budget->end || deadline_clock() > x->budget->clock_end || deadline_over();
}

static enum verdict ask(struct phase *x, expr_t guard, expr_t e)
{
	struct solve_model m = {0};
	expr_t all[2] = {guard, e};
	if (phase_is_over(x) || x->asked++ > FORKS) {
		vc_stop(x->vc);
		return VERDICT_UNKNOWN;
	}
	enum verdict v = solve_context_check(x->context, all, 2, &m);
	solve_model_release(&m);
	return v;
}

/* Is it among what is assumed? */
static int is_assumed(const struct phase *x, expr_t e)
{
	for (size_t i = 0; i < x->bind.pre.size; i++)
		if (x->bind.pre.data[i] == e)
			return 1;
	return 0;
}

static void decide(struct phase *x, struct vc_point *at, expr_t e)
{
	expr_t no = expr_not(x->p, e), guard;
	if (is_assumed(x, e) || is_assumed(x, no)) {
		at->outcome = is_assumed(x, e);
		return;
	}
	guard = vc_point_guard(at);
	if (ask(x, guard, e) == VERDICT_UNSAT)
		at->outcome = 0;
	else if (ask(x, guard, no) == VERDICT_UNSAT)
		at->outcome = 1;
}

/* Of a switch: the value that a state of P has there, if all have it. */
static expr_t decide_value(struct phase *x, struct vc_point *at, expr_t e)
{
	struct solve_model m = {0};
	expr_t guard = vc_point_guard(at), one = e;
	if (!phase_is_over(x) && solve_context_check(x->context, &guard, 1, &m) == VERDICT_SAT) {
		expr_t value = expr_const(x->p, expr_width(x->p, e), solve_model_eval(x->p, &m, e));
		if (ask(x, guard, expr_not(x->p, expr_eq(x->p, e, value))) == VERDICT_UNSAT)
			one = value;
	}
	solve_model_release(&m);
	return one;
}

static expr_t settle(void *ctx, struct vc_point *at, expr_t e)
{
	struct phase *x = ctx;
	if (!at->decides)
		return e;
	if (e == EXPR_NONE) /* something that is not modelled decides: in a superset of the executions it is anything */
		return x->im && at->width ? vc_fresh(at->vc, at->width, "any") : e;
	if (expr_is_const(x->p, e, NULL))
		return e;
	if (expr_width(x->p, e) > 1)
		return decide_value(x, at, e);
	decide(x, at, e);
	return e;
}

/* ------------------------------------------------------------ calls */

int phase_can_follow(const struct phase *x, const struct vc_call *c)
{
	const struct code_function *f = c->target;
	if (!f || !f->defined || f->replaceable || f->variadic || f->returns_twice || f->parameters != c->arg_count || c->depth + 1 >= DEPTH)
		return 0;
	for (uint32_t i = 0; i < f->parameters; i++) {
		unsigned width = f->values[i].is_pointer ? 64 : f->values[i].width;
		if (f->values[i].flags & CODE_BYVAL || (c->args[i] != EXPR_NONE && expr_width(x->p, c->args[i]) != width))
			return 0;
	}
	return 1;
}

static enum vc_call_how on_call(void *ctx, struct vc_call *c)
{
	struct phase *x = ctx;
	int follow = phase_can_follow(x, c);
	if (!x->im && stubs_stands_in(x, c)) {
		if (!x->stubs)
			return VC_CALL_UNKNOWN;
		x->rests = 1;
	}
	if (x->stubs && stubs_call(x, c))
		return VC_CALL_DONE;
	if (c->target && c->target->returns_twice)
		return VC_CALL_UNKNOWN;
	if (c->target && !c->target->defined && c->target->noreturn)
		return VC_CALL_EXIT;
	if (x->landing && landing_is_call(x->landing, c)) {
		if (!x->im)
			landing_note_call(x->landing, c);
		vc_state_end(c, x->im ? VC_EXIT : VC_REACHED, expr_true(x->p), NULL);
		return VC_CALL_HAVOC;
	}
	if (x->landing && !x->im)
		landing_follow_call(x->landing, c);
	x->again |= follow && c->target == x->bind.f;
	if (follow)
		return VC_CALL_INLINE;
	if (!x->im)
		return VC_CALL_UNKNOWN;
	uint32_t caller = impact_symbol(x->im, c->f);
	if (caller == CODE_NONE || impact_call(x->im, caller, c->at)) {
		vc_state_end(c, VC_REACHED, expr_true(x->p), "a call of a function that was modified");
		return VC_CALL_HAVOC;
	}
	return VC_CALL_HAVOC;
}

/* ------------------------------------------------------------ something modified */

/* Does the edge end the segment that is evaluated: is it one into a loop? */
static int leads_to_cut(const struct phase *x, const struct vc_point *at, uint32_t edge)
{
	return x->local && !at->depth && edge != CODE_NONE && local_is_cut(x->local, at->f->edges[edge].to);
}

static enum vc_end_kind on_point(void *ctx, const struct vc_point *at, uint32_t edge)
{
	struct phase *x = ctx;
	uint32_t symbol = impact_symbol(x->im, at->f);
	const struct code_function *f = at->f;
	const struct match_function *mf = symbol == CODE_NONE ? NULL : x->im->m->functions[symbol];
	if (x->im->o->is_stub && x->im->o->is_stub(x->im->o->ctx, f->name))
		return VC_END_COUNT;
	if (!mf)
		return VC_REACHED;
	if (x->landing && landing_is_point(x->landing, at, edge))
		return VC_EXIT;
	if (edge != CODE_NONE)
		return mf->edges[edge] ? VC_REACHED : leads_to_cut(x, at, edge) ? VC_EXIT : VC_END_COUNT;
	if (mf->entry && at->at == f->blocks[0].first && !(x->local && x->local->from && !at->depth))
		return VC_REACHED;
	if (!at->depth && !x->can[f->values[at->at].block])
		return VC_EXIT; /* nothing modified can follow */
	return impact_modified(x->im, symbol, at->at) ? VC_REACHED : VC_END_COUNT;
}

/* What is read at an offset that is a number may be something that P leaves unsaid. */
static enum vc_end_kind on_load(void *ctx, const struct vc_point *at, uint32_t edge)
{
	struct phase *x = ctx;
	if (edge != CODE_NONE || at->f->values[at->at].kind != CODE_INSTRUCTION || at->f->values[at->at].op != CODE_LOAD)
		return VC_END_COUNT;
	expr_t address = vc_point_value(at, code_operand(at->f, at->at, 0)), offset;
	uint32_t object = address != EXPR_NONE && !expr_is_const(x->p, address, NULL) ? vc_object_at(x->vc, address, &offset) : VC_NO_OBJECT;
	u128 number;
	if (object != VC_NO_OBJECT && expr_is_const(x->p, offset, &number))
		missing_load(x->missing, object, (uint64_t)number);
	return VC_END_COUNT;
}

/* Phase 3 of a segment, or of one that ends in another function: another loop than the one it ends at. */
static enum vc_end_kind on_cut(void *ctx, const struct vc_point *at, uint32_t edge)
{
	struct phase *x = ctx;
	if (x->landing && landing_is_point(x->landing, at, edge)) {
		landing_note_point(x->landing, at);
		return VC_REACHED;
	}
	if (x->landing && landing_is_other(x->landing, at, edge))
		return VC_CUT;
	return leads_to_cut(x, at, edge) && !(x->local->to && at->f->edges[edge].to == x->local->to->block) ? VC_CUT : VC_END_COUNT;
}

/* ------------------------------------------------------------ ends */

/* The failure that Q names, or NULL. */
static const char *failure_of(const struct exprs *p, const struct summary *s)
{
	struct place pl;
	return s->post.size == 1 && place_of(p, s->post.data[0], &pl) && pl.type == PLACE_FAILURE ? pl.text : NULL;
}

/* Is the end a check of this name that fails? */
static int is_check(const struct vc_end *e, const char *name)
{
	if (e->kind != VC_UNDEFINED || e->at >= e->f->value_count || e->f->values[e->at].kind != CODE_INSTRUCTION)
		return 0;
	if (!strcmp(name, BIND_OUTSIDE) && e->why && !strcmp(e->why, VC_OUTSIDE))
		return 1;
	const struct code_block *b = &e->f->blocks[e->f->values[e->at].block];
	if (!b->check || e->at != b->first + b->count - 1)
		return 0;
	/* The compiler checks null and alignment by one branch, which a run knows as the one that it reports: the other. */
	return !strcmp(checker_get(b->check)->name, name) || (b->check == MUSTER_CHECK_NULL && !strcmp(checker_get(MUSTER_CHECK_OTHER)->name, name));
}

/* Does the end stand against the summary? Something modified may follow it, or it is undefined behaviour, which under P there is only as the failure that Q names: then P's states are not those that were thought of. */
static int is_against(const struct phase *x, const struct vc_end *e, const char *failure)
{
	switch (e->kind) {
	case VC_REACHED:
	case VC_UNREACHABLE:
		return 1;
	case VC_UNDEFINED:
		return !failure || !is_check(e, failure);
	case VC_UNKNOWN:
	case VC_BOUND:
		return e->f != x->bind.f || x->again || e->at >= e->f->value_count || e->f->values[e->at].kind != CODE_INSTRUCTION || x->can[e->f->values[e->at].block];
	default:
		return 0;
	}
}

/* ------------------------------------------------------------ an evaluation */

int phase_open(struct phase *x, const struct code_function *f, const struct code_function *old, struct summaries *l, const struct summary *s)
{
	struct vc_options o = {.prefix = x->im ? "old" : "new", .unroll = UNROLL, .depth = DEPTH + 1, .steps = STEPS, .nodes = NODES, .checks = 1, .varies = 1, .call = on_call, .settle = settle, .ctx = x};
	struct solve_model m = {0};
	if (x->beside)
		beside_options(&o);
	else if (x->im)
		o.ends = on_point;
	else if (x->local)
		o.ends = on_cut;
	else if (x->missing)
		o.ends = on_load;
	x->p = l->pool;
	x->vc = vc_new(x->p, f->code, &o);
	int shared = x->context != NULL;
	if (!shared)
		x->context = solve_context_new(x->budget->solver, x->p);
	if (bind_open(&x->bind, x->vc, x->p, f, old, s, x->local, x->more, x->more_count)) {
		x->why = x->bind.why;
		return -1;
	}
	for (size_t i = 0; i < x->bind.pre.size; i++)
		solve_context_assert(x->context, x->bind.pre.data[i]);
	solve_context_assert(x->context, vc_facts(x->vc));
	enum verdict v = shared ? VERDICT_SAT : solve_context_check(x->context, NULL, 0, &m); /* the other's was asked */
	solve_model_release(&m);
	if (v != VERDICT_SAT) {
		x->why = v == VERDICT_UNSAT ? "no state satisfies the precondition" : "no state that satisfies the precondition was found";
		return -1;
	}
	if (x->beside)
		beside_bound(x);
	if (x->local)
		local_run(x->local, &x->bind, x->im != NULL, &x->out);
	else
		vc_run(x->vc, f, x->bind.args, &x->out);
	if (phase_is_over(x)) {
		x->why = "the time was over";
		return -1;
	}
	solve_context_assert(x->context, vc_facts(x->vc));
	return 0;
}

void phase_close(struct phase *x)
{
	solve_context_free(x->context);
	bind_release(&x->bind);
	vc_free(x->vc);
	solve_model_release(&x->model);
	free(x->can);
	if (x->local)
		local_close(x->local);
}

/* Is the condition false in all states of P? */
int phase_is_impossible(struct phase *x, expr_t e, const char *why)
{
	struct solve_model m = {0};
	enum verdict v = e == expr_false(x->p) ? VERDICT_UNSAT : phase_is_over(x) ? VERDICT_UNKNOWN : solve_context_check(x->context, &e, 1, &m);
	if (v == VERDICT_UNSAT) {
		solve_model_release(&m);
		return 1;
	}
	x->why = v == VERDICT_SAT ? why : phase_is_over(x) ? "the time was over" : "the solver does not know";
	if (v == VERDICT_SAT && !x->has_model) {
		x->model = m;
		x->has_model = 1;
	} else {
		solve_model_release(&m);
	}
	return 0;
}

const char *phase_end_words(const struct vc_end *e)
{
	return e->why ? e->why : vc_end_words(e->kind);
}

/* Does no execution of the old function from states of P come to something modified? */
static int stays_clear(struct phase *x, const struct code_function *f, struct summaries *l, const struct summary *s, const char **why)
{
	size_t count;
	int ok = 0;
	if (!phase_open(x, f, f, l, s)) {
		const struct vc_end *ends = vc_ends(x->vc, &count);
		ok = !bind_check_apart(&x->bind);
		if (!ok)
			x->why = x->bind.why;
		for (size_t i = 0; i < count && ok; i++)
			if (is_against(x, &ends[i], failure_of(x->p, s)))
				ok = phase_is_impossible(x, ends[i].guard, ends[i].kind == VC_REACHED ? "it may come to something that was modified" : phase_end_words(&ends[i]));
	}
	*why = ok || !x->why ? NULL : arena_strdup(x->budget->words, x->why);
	phase_close(x);
	return ok;
}

int phase_2(const struct impact *im, uint32_t symbol, struct summaries *l, const struct summary *s, const struct phase_budget *budget, const char **why)
{
	struct phase x = {.im = im, .budget = budget};
	if (!im->m->functions[symbol]) {
		*why = "the new version does not have the function";
		return 0;
	}
	x.can = impact_blocks(im, symbol);
	return stays_clear(&x, im->m->old->symbols.data[symbol].function, l, s, why);
}

int phase_2_across(struct phase *x, const struct code_function *f, struct summaries *l, const struct summary *s, const char **why)
{
	return stays_clear(x, f, l, s, why);
}

int phase_2_segment(struct segment_part *part, struct summaries *l, const struct summary *s, const struct phase_budget *budget, const char **why)
{
	struct local local = {.f = part->old, .old = part->old, .m = part->im->m, .symbol = part->symbol, .cuts = part->old_cuts, .from = part->from, .to = part->to};
	struct phase x = {.im = part->im, .budget = budget, .local = &local};
	if (!segment_same_ends(part)) {
		*why = "other variables, or other values, are there where it begins or ends";
		return 0;
	}
	x.can = segment_blocks(part);
	return stays_clear(&x, part->old, l, s, why);
}

/* ------------------------------------------------------------ Phase 3 */

/* What has to hold in every state of P, in the order in which it is asked. */
struct obligation {
	expr_t condition; /* EXPR_NONE: there is no term for it */
	const char *why;  /* that stands against the summary where it does not hold */
};
typedef VEC(struct obligation) obligations;

static void oblige_ends(struct phase *x, const char *failure, obligations *out)
{
	size_t count;
	const struct vc_end *ends = vc_ends(x->vc, &count);
	enum vc_end_kind right = x->landing || (x->local && x->local->to) ? VC_REACHED : VC_RETURN;
	for (size_t i = 0; i < count; i++)
		if (ends[i].kind != right && !(failure && is_check(&ends[i], failure)))
			vec_push(out, ((struct obligation){expr_not(x->p, ends[i].guard), ends[i].kind == VC_CUT ? "it may come to another loop" : phase_end_words(&ends[i])}));
	if (failure)
		vec_push(out, ((struct obligation){expr_not(x->p, x->out.returns), "it may return"}));
	else if (!x->landing)
		vec_push(out, ((struct obligation){x->out.returns, "it may not return"}));
}

static void oblige_post(struct phase *x, obligations *out)
{
	struct bind *b = &x->bind;
	for (size_t i = 0; i < b->s->post.size; i++) {
		expr_t q = bind_post(b, &x->out, b->s->post.data[i]);
		vec_push(out, ((struct obligation){q, q == EXPR_NONE ? b->why : "the postcondition may not hold"}));
		if (q == EXPR_NONE)
			return;
	}
	expr_t frame = bind_frame(b, &x->out);
	vec_push(out, ((struct obligation){frame, frame == EXPR_NONE ? b->why : "it may change something that the postcondition does not name"}));
}

/* Q at each visit of the other function. */
static void oblige_landed(struct phase *x, obligations *out)
{
	struct bind *b = &x->bind;
	b->landing = x->landing;
	if (bind_check_apart(b) || !x->landing->count)
		vec_push(out, ((struct obligation){EXPR_NONE, b->why ? b->why : "it does not come to the call"}));
	for (size_t k = 0; k < x->landing->count && !b->why; k++)
		for (size_t i = 0; i < b->s->post.size && !b->why; i++) {
			b->landed = &x->landing->all[k];
			expr_t q = bind_post(b, &x->out, b->s->post.data[i]);
			vec_push(out, ((struct obligation){q == EXPR_NONE ? q : expr_or(x->p, expr_not(x->p, b->landed->guard), q), q == EXPR_NONE ? b->why : "the postcondition may not hold"}));
		}
}

static void oblige(struct phase *x, obligations *out)
{
	const char *failure = failure_of(x->p, x->bind.s);
	oblige_ends(x, failure, out);
	if (x->landing)
		oblige_landed(x, out);
	else if (!failure)
		oblige_post(x, out);
}

static int all_hold(struct phase *x, const obligations *all)
{
	for (size_t i = 0; i < all->size; i++) {
		if (all->data[i].condition == EXPR_NONE) {
			x->why = all->data[i].why;
			return 0;
		}
		if (!phase_is_impossible(x, expr_not(x->p, all->data[i].condition), all->data[i].why))
			return 0;
	}
	return 1;
}

/* What the object is called by those who make states: a global, or what a pointer of P leads to. 0: it has no such name. */
static int object_base(const struct phase *x, uint32_t object, struct buf *out)
{
	const struct code *code = x->bind.f->code;
	uint32_t g = vc_object_global(x->vc, object);
	if (g != CODE_NONE) {
		buf_addf(out, "g%s", code->globals[g].name);
		return !code->globals[g].constant;
	}
	for (size_t i = 0; i < x->bind.pointers.size; i++) {
		const struct bind_pointer *p = &x->bind.pointers.data[i];
		if (p->is != BIND_OWN || p->object != object)
			continue;
		buf_add(out, p->place.path, p->place.path_size);
		buf_addc(out, '*');
		return 1;
	}
	return 0;
}

static void note_memory(struct phase *x, struct validate_result *out)
{
	for (uint32_t i = 0; i < vc_objects(x->vc) && x->has_model; i++) {
		struct buf base = BUF_EMPTY;
		expr_t start = vc_object_start(x->vc, i);
		if (!object_base(x, i, &base) || expr_get(x->p, start)->op != MUSTER_OP_DATA) {
			buf_release(&base);
			continue;
		}
		struct validate_memory m = {.size = expr_data_count(x->p, start)};
		m.bytes = mem_zalloc(m.size + 1);
		for (uint64_t k = 0; k < m.size; k++)
			m.bytes[k] = (uint8_t)solve_model_eval(x->p, &x->model, expr_data_byte(x->p, start, k));
		m.base = buf_take(&base);
		vec_push(&out->memory, m);
	}
}

/* What the places have in the state that stands against it. */
static void note_state(struct phase *x, struct validate_result *out)
{
	for (size_t i = 0; i < x->bind.variables.size && x->has_model; i++) {
		struct place pl;
		expr_t v = x->bind.variables.data[i];
		uint64_t known;
		if (!place_of(x->p, v, &pl) || pl.after || pl.type == PLACE_POINTER || pl.type == PLACE_FAILURE)
			continue;
		expr_t e = map_get(&x->bind.terms, v, &known) ? (expr_t)known : v;
		vec_push(&out->state, ((struct validate_value){v, (uint64_t)solve_model_eval(x->p, &x->model, e)}));
	}
}

static int is_late(void *ctx)
{
	return phase_is_over(ctx);
}

/* Once more, with what the code reads as places: is there an R? It goes into out, over the list's pool. */
static int find_missing(const struct code_function *f, const struct code_function *old, struct summaries *l, const struct summary *s, const struct phase_budget *budget, struct missing *m, const char **why, struct validate_result *out)
{
	struct phase x = {.budget = budget, .more = m->places.data, .more_count = m->places.size, .stubs = m};
	obligations all = {0};
	int ok = 0;
	if (!phase_open(&x, f, old, l, s)) {
		expr_t holds = expr_true(x.p), r = EXPR_NONE;
		oblige(&x, &all);
		for (size_t i = 0; i < all.size && holds != EXPR_NONE; i++)
			holds = all.data[i].condition == EXPR_NONE ? EXPR_NONE : expr_and(x.p, holds, all.data[i].condition);
		m->b = &x.bind;
		ok = holds != EXPR_NONE && missing_find(m, x.context, holds, is_late, &x, &r, why);
		if (ok)
			out->missing = r;
	}
	vec_release(&all);
	phase_close(&x);
	return ok;
}

int phase_3(const struct code_function *f, const struct code_function *old, struct summaries *l, const struct summary *s, const struct phase_budget *budget, const char **why, struct validate_result *out)
{
	struct missing m = {0};
	struct phase x = {.budget = budget, .missing = s->why ? &m : NULL, .stubs = s->why ? &m : NULL};
	const char *unsaid = NULL;
	obligations all = {0};
	int ok = 0, opened;
	m.b = &x.bind;
	opened = !phase_open(&x, f, old, l, s);
	if (opened) {
		oblige(&x, &all);
		ok = all_hold(&x, &all);
		if (!ok) {
			note_state(&x, out);
			note_memory(&x, out);
		}
	}
	*why = ok || !x.why ? NULL : arena_strdup(budget->words, x.why);
	vec_release(&all);
	phase_close(&x);
	out->rests = x.rests;
	if (opened && !ok && (m.places.size || m.results.size))
		find_missing(f, old, l, s, budget, &m, &unsaid, out);
	missing_release(&m);
	return ok;
}

int phase_3_across(struct phase *x, const struct code_function *f, const struct code_function *old, struct summaries *l, const struct summary *s, const char **why)
{
	obligations all = {0};
	int ok = 0;
	if (!phase_open(x, f, old, l, s)) {
		oblige(x, &all);
		ok = all_hold(x, &all);
	}
	*why = ok || !x->why ? NULL : arena_strdup(x->budget->words, x->why);
	vec_release(&all);
	phase_close(x);
	return ok;
}

int phase_3_segment(struct segment_part *part, struct summaries *l, const struct summary *s, const struct phase_budget *budget, const char **why)
{
	const struct segment_cut *from = part->from ? segment_cut_now(part, part->from) : NULL, *to = part->to ? segment_cut_now(part, part->to) : NULL;
	struct local local = {.f = part->new, .old = part->old, .m = part->im->m, .symbol = part->symbol, .cuts = part->new_cuts, .from = from, .to = to};
	struct phase x = {.budget = budget, .local = &local};
	obligations all = {0};
	int ok = 0;
	if ((part->from && !from) || (part->to && !to) || (from && from->more) || (to && to->more)) {
		*why = "where it begins or ends is no loop any more, or has values that are not modelled";
		return 0;
	}
	if (!phase_open(&x, part->new, part->old, l, s)) {
		oblige(&x, &all);
		ok = all_hold(&x, &all);
	}
	*why = ok || !x.why ? NULL : arena_strdup(budget->words, x.why);
	vec_release(&all);
	phase_close(&x);
	return ok;
}
