/* beside.c: the old and the new code, evaluated beside each other from states of P: where both do the same, what is valid of the one is valid of the other.
 *
 * This is Phase 2 for summaries that do come to something modified, which has the same effect. Both evaluations are in one pool: parameters, objects of P and data with the same name have the same terms at the start. A function outside of the program, a stub of the harness, and a call through a pointer are one uninterpreted function in both versions, of the arguments, the memory
 * that they may reach and the world, which changes with each call (vc_state_abstract). A call that may execute something modified is not one of these, unless it is followed. Proved is, for every interpretation of them: where the old code returns, the new code returns, too, and result, memory and world are the same: so both make the same calls, and return the same. The old execution is the summary's, which returns with Q; so the new one does. That the evaluation of the old
 * code ends otherwise must be impossible, but where a check of the compiler's fails: a run would have seen that, with what functions outside did there.
 *
 * Where P does not say that its objects lie apart from the variables, one of them may be a variable that others know the address of: then neither code may use one. What only functions outside use does not matter: they are the same functions of the same memory.
 *
 * The world counts calls of functions that write nothing, too: strlen() of what is no string does not return.
 *
 * Memory that malloc returns is an object, named by the call that gave it, so both versions have the same one if they make the same call. What a call may have given back may not be used after it by the new code, unless the old code, in every state of P, uses it after its last such call: the calls are the same, so it
 * is still there.
 *
 * With --externals=unknown nothing is proved here.
 */
#include "validate/inside.h"

#include "base/log.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TARGETS 8 /* objects that one address may be in; with more it is not known which */
#define BLOCK_MOST ((uint64_t)1 << 47) /* bytes of new memory that is an object; with more, where it lies would be a condition on the states of P */
#define POINTER "*" /* stands for all functions that are called through pointers: none has this name */

struct access { /* of the old code */
	const char *object;
	expr_t guard;
	unsigned calls; /* that may give memory back, so far */
};

struct side {
	uint32_t world; /* object */
	unsigned calls; /* that may give memory back */
};

struct beside {
	const struct impact *im;
	const struct code *code[2];
	struct phase x[2];
	struct side side[2];
	VEC(struct access) accesses;
	VEC(const char *) live; /* objects that no call gives back */
	int mixes; /* an object of P's may be a variable that the code uses */
};

static int number_of(const struct beside *b, const struct phase *x)
{
	return x == &b->x[1];
}

/* ------------------------------------------------------------ names */

static const struct code_global *find_global(const struct code *c, const char *name)
{
	for (uint32_t i = 0; i < c->global_count; i++)
		if (!strcmp(c->globals[i].name, name))
			return &c->globals[i];
	return NULL;
}

/* Is all data of this name, which may be in several units, there in the new version, with the initial value that it had? A partial summary speaks of states that come of it. */
static int is_kept(const struct match *m, const char *name)
{
	int some = 0;
	for (uint32_t i = 0; i < m->old->symbols.size; i++) {
		if (!m->old->symbols.data[i].name || strcmp(m->old->symbols.data[i].name, name))
			continue;
		some = 1;
		if (m->to_new[i] == CODE_NONE || m->changed[i] || strcmp(m->new->symbols.data[m->to_new[i]].name, name))
			return 0;
	}
	return some;
}

/* Data that both have starts with the same contents. */
static void global_name(void *ctx, uint32_t global, struct buf *out)
{
	struct phase *x = ctx;
	struct beside *b = x->beside;
	int new = number_of(b, x);
	const struct code_global *g = &b->code[new]->globals[global], *h = find_global(b->code[!new], g->name);
	int same = h && g->name[0] && g->bytes && g->bytes == h->bytes && g->constant == h->constant && !g->thread_local && !h->thread_local && find_global(b->code[new], g->name) == g && is_kept(b->im->m, g->name);
	if (same && g->constant)
		same = g->initial && h->initial && !memcmp(g->initial, h->initial, g->bytes);
	if (code_literal_name(b->code[new], global, out))
		return;
	if (same)
		buf_addf(out, "data@%s", g->name);
	else
		buf_addf(out, "%s@%s#%u", new ? "new" : "old", g->name, global);
}

/* ------------------------------------------------------------ calls */

static int is_outside(const struct whole *w, const char *name)
{
	uint32_t symbol = whole_find_any(w, name);
	return symbol == CODE_NONE || !w->symbols.data[symbol].function;
}

static int is_stub(const struct beside *b, const struct code_function *f)
{
	return f && b->im->o->is_stub && b->im->o->is_stub(b->im->o->ctx, f->name);
}

/* Is it one function in both versions, which executes nothing modified? */
static int is_common(const struct beside *b, const struct vc_call *c)
{
	const struct code_function *f = c->target;
	if (!f)
		return c->callee != EXPR_NONE && !b->im->taken_dirty;
	if (f->returns_twice || f->replaceable || f->noreturn)
		return 0;
	if (is_stub(b, f))
		return 1;
	if (f->defined || !is_outside(b->im->m->old, f->name) || !is_outside(b->im->m->new, f->name))
		return 0;
	return code_function_keeps_to_itself(f) || !b->im->taken_dirty;
}

/* May the call give memory back that is not its own? */
static int may_free(const struct beside *b, const struct code_function *f)
{
	return !is_stub(b, f) && (!f || !code_function_keeps_to_itself(f) || code_function_frees(f));
}

/* New memory as an object, that of this very call. After memory was given back it may lie where other objects were: then it is just an address. */
static void make_block(struct phase *x, const struct side *s, struct vc_call *c)
{
	struct exprs *p = x->p;
	char name[32];
	if (!c->target || strcmp(c->target->name, "malloc") || is_stub(x->beside, c->target) || s->calls || c->arg_count != 1 || c->args[0] == EXPR_NONE || expr_width(p, c->args[0]) != 64 || c->width != 64)
		return;
	expr_t none = expr_const(p, 64, 0), fits = expr_binary(p, MUSTER_OP_ULT, c->args[0], expr_const(p, 64, BLOCK_MOST));
	if (!phase_is_impossible(x, expr_and(p, c->guard, expr_not(p, fits)), "much memory"))
		return;
	snprintf(name, sizeof name, "block%u", c->result);
	uint32_t object = vc_object_sized(c->vc, name, expr_ite(p, fits, c->args[0], none)); /* facts about it count on all paths */
	c->result = expr_ite(p, expr_eq(p, c->result, none), none, vc_address(c->vc, object));
}

static enum vc_call_how on_call(void *ctx, struct vc_call *c)
{
	struct phase *x = ctx;
	struct beside *b = x->beside;
	struct side *s = &b->side[number_of(b, x)];
	if (c->target && !c->target->defined && c->target->noreturn)
		return VC_CALL_EXIT;
	if (!is_stub(b, c->target) && phase_can_follow(x, c))
		return VC_CALL_INLINE;
	if (!is_common(b, c))
		return VC_CALL_UNKNOWN;
	vc_state_abstract(c, c->target ? c->target->name : POINTER, s->world, 1);
	make_block(x, s, c);
	s->calls += (unsigned)may_free(b, c->target);
	return VC_CALL_DONE;
}

/* ------------------------------------------------------------ what is still there */

static int is_live(const struct beside *b, const char *object)
{
	for (size_t i = 0; i < b->live.size; i++)
		if (!strcmp(b->live.data[i], object))
			return 1;
	return 0;
}

/* One object that an access may be of, or the only one. 0: it may be gone. */
static int use_object(struct beside *b, struct phase *x, const struct vc_point *at, uint32_t object, int only)
{
	struct side *s = &b->side[number_of(b, x)];
	uint32_t global = vc_object_global(x->vc, object);
	if (global != CODE_NONE && !b->code[number_of(b, x)]->globals[global].constant)
		b->mixes |= !bind_is_apart(&x->bind, global);
	if (!s->calls || global != CODE_NONE || !vc_object_lasts(x->vc, object))
		return 1;
	if (number_of(b, x))
		return is_live(b, vc_object_name(x->vc, object));
	if (only)
		vec_push(&b->accesses, ((struct access){vc_object_name(x->vc, object), vc_point_guard(at), s->calls}));
	return 1;
}

static enum vc_end_kind on_access(void *ctx, const struct vc_point *at, uint32_t edge)
{
	struct phase *x = ctx;
	struct beside *b = x->beside;
	const struct code_value *v = &at->f->values[at->at];
	uint32_t objects[TARGETS];
	if (edge != CODE_NONE || v->kind != CODE_INSTRUCTION || (v->op != CODE_LOAD && v->op != CODE_STORE && v->op != CODE_FILL && v->op != CODE_MOVE && v->op != CODE_ATOMIC))
		return VC_END_COUNT;
	for (uint32_t k = 0; k < v->operands; k++) {
		uint32_t operand = code_operand(at->f, at->at, k);
		expr_t address = at->f->values[operand].is_pointer ? vc_point_value(at, operand) : EXPR_NONE;
		int unknown;
		if (address == EXPR_NONE || expr_is_const(x->p, address, NULL))
			continue;
		size_t count = vc_targets(x->vc, address, objects, TARGETS, &unknown);
		if (unknown && number_of(b, x) && b->side[1].calls)
			return VC_UNKNOWN;
		b->mixes |= unknown && x->bind.objects && !x->bind.apart;
		for (size_t i = 0; i < count; i++)
			if (objects[i] != VC_NO_OBJECT && !use_object(b, x, at, objects[i], count == 1))
				return VC_UNKNOWN;
	}
	return VC_END_COUNT;
}

/* What the old code uses after its last call, in all states of P. */
static void find_live(struct beside *b)
{
	for (size_t i = 0; i < b->accesses.size; i++) {
		const struct access *a = &b->accesses.data[i];
		if (a->calls == b->side[0].calls && !is_live(b, a->object) && phase_is_impossible(&b->x[0], expr_not(b->x[0].p, a->guard), ""))
			vec_push(&b->live, a->object);
	}
}

/* ------------------------------------------------------------ evaluation */

void beside_options(struct vc_options *o)
{
	o->prefix = "both";
	o->call = on_call;
	o->ends = on_access;
	o->global_name = global_name;
}

void beside_bound(struct phase *x)
{
	struct beside *b = x->beside;
	int new = number_of(b, x);
	vc_set_prefix(x->vc, new ? "new" : "old");
	b->side[new].world = vc_object(x->vc, "the world", 8);
}

/* Does a check of the compiler's fail there? */
static int is_check(const struct vc_end *e)
{
	if (e->kind != VC_UNDEFINED || e->at >= e->f->value_count || e->f->values[e->at].kind != CODE_INSTRUCTION)
		return 0;
	const struct code_block *b = &e->f->blocks[e->f->values[e->at].block];
	return b->check && e->at == b->first + b->count - 1;
}

/* From here on only states count in which the old code returns; there must be one. */
static int returns_somewhere(struct phase *x)
{
	struct solve_model m = {0};
	enum verdict v = phase_is_over(x) ? VERDICT_UNKNOWN : solve_context_check(x->context, &x->out.returns, 1, &m);
	solve_model_release(&m);
	solve_context_assert(x->context, x->out.returns);
	return v == VERDICT_SAT;
}

/* Every path of the old code returns, or fails a check; every one of the new code returns where the old one does. */
static int returns(struct phase *x, int old)
{
	size_t count;
	const struct vc_end *ends = vc_ends(x->vc, &count);
	for (size_t i = 0; i < count; i++)
		if (ends[i].kind != VC_RETURN && !(old && is_check(&ends[i])) && !phase_is_impossible(x, ends[i].guard, phase_end_words(&ends[i])))
			return 0;
	if (x->beside->mixes) {
		x->why = "an object of the summary may be a variable that the function uses";
		return 0;
	}
	return phase_is_impossible(x, expr_not(x->p, x->out.returns), "it may not return") || (old && returns_somewhere(x));
}

/* ------------------------------------------------------------ comparison */

static uint32_t object_of(const struct vc *v, const char *name)
{
	for (uint32_t i = 0; i < vc_objects(v); i++)
		if (!strcmp(vc_object_name(v, i), name))
			return i;
	return VC_NO_OBJECT;
}

static expr_t same_contents(struct phase *x, expr_t a, expr_t c)
{
	struct exprs *p = x->p;
	expr_t all = expr_true(p);
	if (a == c)
		return all;
	int tables = expr_get(p, a)->op == MUSTER_OP_DATA;
	if (tables != (expr_get(p, c)->op == MUSTER_OP_DATA) || (tables && expr_data_count(p, a) != expr_data_count(p, c)))
		return expr_false(p);
	if (!tables) {
		expr_t at = vc_fresh(x->vc, 64, "offset");
		return expr_eq(p, expr_array_select(p, a, at), expr_array_select(p, c, at));
	}
	for (uint64_t k = 0; k < expr_data_count(p, a); k++)
		all = expr_and(p, all, expr_eq(p, expr_data_byte(p, a, k), expr_data_byte(p, c, k)));
	return all;
}

/* What one version leaves in its objects is what the other does; in objects that only one has, what was there. */
static expr_t same_memory(struct beside *b, int which)
{
	struct phase *x = &b->x[which], *y = &b->x[!which];
	expr_t all = expr_true(x->p);
	for (uint32_t i = 0; i < vc_objects(x->vc); i++) {
		uint32_t k = vc_object_lasts(x->vc, i) ? object_of(y->vc, vc_object_name(x->vc, i)) : VC_NO_OBJECT;
		if (vc_object_lasts(x->vc, i))
			all = expr_and(x->p, all, same_contents(x, vc_contents(x->vc, x->out.memory, i), k == VC_NO_OBJECT ? vc_object_start(x->vc, i) : vc_contents(y->vc, y->out.memory, k)));
	}
	return all;
}

static int has_result(const struct code_function *f)
{
	for (uint32_t i = 0; i < f->order_count; i++) {
		const struct code_value *v = &f->values[code_last(f, f->order[i])];
		if (v->op == CODE_RETURN && v->operands)
			return 1;
	}
	return 0;
}

/* Without a state everything would be proved. */
static int has_state(struct phase *x)
{
	struct solve_model m = {0};
	enum verdict v = phase_is_over(x) ? VERDICT_UNKNOWN : solve_context_check(x->context, NULL, 0, &m);
	solve_model_release(&m);
	return v != VERDICT_UNSAT;
}

static int do_the_same(struct beside *b)
{
	struct phase *x = &b->x[1];
	expr_t v = b->x[0].out.value, w = x->out.value;
	if (!has_state(x)) {
		x->why = "no state is left";
		return 0;
	}
	if (has_result(x->bind.f) && (v == EXPR_NONE || w == EXPR_NONE || expr_width(x->p, v) != expr_width(x->p, w))) {
		x->why = "the result is not modelled";
		return 0;
	}
	if (v != EXPR_NONE && w != EXPR_NONE && !phase_is_impossible(x, expr_not(x->p, expr_eq(x->p, v, w)), "it may return something else"))
		return 0;
	return phase_is_impossible(x, expr_not(x->p, same_memory(b, 0)), "it may leave something else, or make other calls") && phase_is_impossible(x, expr_not(x->p, same_memory(b, 1)), "it may leave something else, or make other calls");
}

/* MUSTER_LOG=verbose: the phases before have said why the summary is unknown. */
static void say_why(const struct beside *b, const struct code_function *f)
{
	for (int k = 0; k < 2; k++)
		if (b->x[k].why)
			log_info("validate: %s, both versions beside each other: %s: %s", f->name, k ? "new" : "old", b->x[k].why);
}

static int compare(struct beside *b, const struct code_function *f[2], struct summaries *l, const struct summary *s)
{
	for (int k = 0; k < 2; k++) {
		struct phase *x = &b->x[k];
		x->context = k ? b->x[0].context : NULL;
		if (phase_open(x, f[k], f[0], l, s) || !returns(x, !k))
			return 0;
		if (!k)
			find_live(b);
	}
	return do_the_same(b);
}

int phase_beside(const struct impact *im, uint32_t symbol, struct summaries *l, const struct summary *s, const struct phase_budget *budget)
{
	struct beside b = {.im = im};
	struct place pl;
	uint32_t now = im->m->to_new[symbol];
	const struct code_function *f[2] = {im->m->old->symbols.data[symbol].function, now == CODE_NONE ? NULL : im->m->new->symbols.data[now].function};
	if (!f[1] || im->o->externals_unknown || (s->post.size == 1 && place_of(l->pool, s->post.data[0], &pl) && pl.type == PLACE_FAILURE))
		return 0;
	for (int k = 0; k < 2; k++) {
		b.x[k] = (struct phase){.budget = budget, .beside = &b};
		b.code[k] = f[k]->code;
	}
	int ok = compare(&b, f, l, s);
	if (!ok)
		say_why(&b, f[0]);
	b.x[1].context = NULL; /* it is the other's */
	for (int k = 0; k < 2; k++)
		if (b.x[k].vc)
			phase_close(&b.x[k]);
	vec_release(&b.accesses);
	vec_release(&b.live);
	return ok;
}
