/* vc.c: the evaluator's state: variables, values, ends of paths; vc_run.
 *
 * A state has two conditions: `base`, the guard of the path to some earlier point, and `here`, which counts from there. So conditions stay
 * small where it does not matter how the path came there. Ends are kept with the whole guard.
 *
 * Invariant: the guards of all ends, and of the states that are still alive, exclude each other, and together are true. No state is dropped without an end, and an end takes
 * its condition out of the state.
 */
#include "vc/inside.h"
#include "vc/value.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE LIMIT(256, 2) /* bytes of an object whose contents are a table and no array | the option's default */
#define ASKED LIMIT(64, 1) /* instructions between two questions whether the time is over | an instruction takes microseconds, a look at the clock a tenth of one */
#define UNROLL LIMIT(64, 1) /* iterations of a loop that become terms | the option's default */
#define DEPTH LIMIT(16, 1) /* calls inside each other that are followed | the option's default */
#define STEPS LIMIT(200000, 100) /* instructions of one evaluation: ends regions whose paths multiply | the option's default */
#define NODES LIMIT(2000000, 1000) /* terms of one evaluation: bounds its memory | the option's default */

const char *vc_end_words(enum vc_end_kind kind)
{
	static const char *const words[] = {
#define X(name, words) words,
	    VC_ENDS(X)
#undef X
	};
	return words[kind];
}

struct vc *vc_new(struct exprs *p, const struct code *c, const struct vc_options *o)
{
	struct vc *v = mem_zalloc(sizeof *v);
	v->p = p;
	v->code = c;
	if (o)
		v->o = *o;
	v->o.prefix = v->o.prefix ? v->o.prefix : "vc";
	v->o.table = v->o.table ? v->o.table : TABLE;
	v->o.unroll = v->o.unroll ? v->o.unroll : UNROLL;
	v->o.depth = v->o.depth ? v->o.depth : DEPTH;
	v->o.steps = v->o.steps ? v->o.steps : STEPS;
	v->o.nodes = v->o.nodes ? v->o.nodes : NODES;
	v->flat = VC_NO_OBJECT;
	if (v->o.flat) {
		v->flat = 0;
		vec_push(&v->things, (struct vc_thing){.name = VC_FLAT, .base = expr_const(p, 64, 0), .start = expr_array(p, VC_FLAT), .global = CODE_NONE, .function = CODE_NONE});
	}
	return v;
}

void vc_free(struct vc *v)
{
	if (!v)
		return;
	vec_release(&v->things);
	vec_release(&v->ends);
	vec_release(&v->obligations);
	vec_release(&v->links);
	map_release(&v->chosen);
	map_release(&v->by_base);
	map_release(&v->by_global);
	map_release(&v->by_function);
	map_release(&v->there);
	strmap_release(&v->locals);
	arena_release(&v->arena);
	free(v);
}

void vc_set_prefix(struct vc *v, const char *prefix)
{
	v->o.prefix = prefix;
}

expr_t vc_fresh(struct vc *v, unsigned width, const char *what)
{
	char name[256];
	snprintf(name, sizeof name, "%s.%s.%u", v->o.prefix, what, v->fresh++);
	return expr_named(v->p, width, name);
}

int vc_too_many(const struct vc *v)
{
	return exprs_count(v->p) - v->first_node > v->o.nodes;
}

int vc_limit(struct vc *v)
{
	if (++v->steps > v->o.steps || vc_too_many(v) || (v->o.over && v->steps % ASKED == 0 && v->o.over(v->o.ctx)))
		v->stopped = 1;
	return v->stopped;
}

/* ------------------------------------------------------------ paths */

static int is_and(const struct exprs *p, expr_t e)
{
	return expr_get(p, e)->op == MUSTER_OP_AND;
}

expr_t vc_or(struct exprs *p, expr_t a, expr_t b)
{
	if (expr_not(p, a) == b)
		return expr_true(p);
	if (is_and(p, a) && is_and(p, b)) {
		expr_t x[2] = {expr_get(p, a)->a, expr_get(p, a)->b}, y[2] = {expr_get(p, b)->a, expr_get(p, b)->b};
		for (unsigned i = 0; i < 4; i++)
			if (x[i & 1] == y[i >> 1] && expr_not(p, x[~i & 1]) == y[!(i >> 1)])
				return x[i & 1];
	}
	return expr_or(p, a, b);
}

expr_t vc_guard(struct vc *v, const struct vc_state *s)
{
	return expr_and(v->p, s->base, s->here);
}

int vc_dead(struct vc *v, const struct vc_state *s)
{
	return v->stopped || s->here == expr_false(v->p) || s->base == expr_false(v->p);
}

void vc_end_here(struct vc *v, struct vc_state *s, enum vc_end_kind kind, expr_t condition, const struct code_function *f, uint32_t at, const char *why)
{
	expr_t guard = expr_and(v->p, vc_guard(v, s), condition);
	if (v->stopped || condition == expr_false(v->p))
		return;
	if (guard != expr_false(v->p))
		vec_push(&v->ends, (struct vc_end){kind, guard, f, at, why});
	s->here = expr_and(v->p, s->here, expr_not(v->p, condition));
}

void vc_stop_here(struct vc *v, struct vc_state *s, enum vc_end_kind kind, const struct code_function *f, uint32_t at, const char *why)
{
	vc_end_here(v, s, kind, expr_true(v->p), f, at, why);
}

/* ------------------------------------------------------------ values */

unsigned vc_width(const struct code_value *v)
{
	return v->is_pointer ? 64 : v->width <= 128 ? v->width : 0;
}

struct vc_point vc_point_at(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at)
{
	return (struct vc_point){.vc = v, .frame = fr, .state = s, .f = fr->f, .at = at, .width = vc_width(&fr->f->values[at]), .depth = fr->depth,
				 .call = fr->call, .context = fr->context, .outcome = CODE_NONE};
}

expr_t vc_asked(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at)
{
	if (!v->o.value)
		return EXPR_NONE;
	struct vc_point point = vc_point_at(v, fr, s, at);
	return v->o.value(v->o.ctx, &point);
}

expr_t vc_settled(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at, expr_t e)
{
	if (!v->o.settle)
		return e;
	struct vc_point point = vc_point_at(v, fr, s, at);
	return v->o.settle(v->o.ctx, &point, e == VC_LOST ? EXPR_NONE : e);
}

expr_t vc_point_value(const struct vc_point *at, uint32_t value)
{
	return vc_value(at->vc, at->frame, value);
}

expr_t vc_point_guard(const struct vc_point *at)
{
	return vc_guard(at->vc, at->state);
}

void vc_stop(struct vc *v)
{
	v->stopped = 1;
}

struct outside {
	struct vc *v;
	struct vc_frame *fr;
};

static expr_t known_outside(void *ctx, uint32_t value)
{
	struct outside *o = ctx;
	expr_t e = o->fr->values[value];
	if (e == EXPR_NONE && o->v->o.value) {
		struct vc_point point = vc_point_at(o->v, o->fr, NULL, value);
		point.outside = 1;
		e = o->v->o.value(o->v->o.ctx, &point);
	}
	return e == VC_LOST ? EXPR_NONE : e;
}

/* A value that was there before: as options.value says, or by its operands. */
static expr_t from_outside(struct vc *v, struct vc_frame *fr, uint32_t value)
{
	struct outside o = {v, fr};
	expr_t e = vc_term(v->p, fr->f, value, known_outside, &o);
	fr->values[value] = e != EXPR_NONE ? e : VC_LOST;
	return e;
}

/* What a local in memory holds at first is one, too: an array, or its bytes. */
static int is_unset_variable(struct vc *v, expr_t variable)
{
	unsigned op = expr_get(v->p, variable)->op;
	return (op == EXPR_OP_NAMED || op == EXPR_OP_ARRAY) && !strncmp(expr_name(v->p, variable), VC_UNSET, strlen(VC_UNSET));
}

static expr_t another(void *ctx, expr_t variable)
{
	struct vc *v = ctx;
	char name[96];
	if (!is_unset_variable(v, variable))
		return EXPR_NONE;
	snprintf(name, sizeof name, "%s%.60s.%u", VC_UNSET, v->o.prefix ? v->o.prefix : "vc", v->fresh++);
	return expr_get(v->p, variable)->op == EXPR_OP_ARRAY ? expr_array(v->p, name) : expr_named(v->p, expr_width(v->p, variable), name);
}

expr_t vc_varied(struct vc *v, expr_t e)
{
	uint32_t count = 0;
	const expr_t *vars = v->o.varies && v->some_unset && e != EXPR_NONE ? expr_vars(v->p, e, &count) : NULL;
	for (uint32_t i = 0; i < count; i++)
		if (is_unset_variable(v, vars[i]))
			return expr_substitute(v->p, e, another, v);
	return e;
}

expr_t vc_value(struct vc *v, struct vc_frame *fr, uint32_t value)
{
	const struct code_value *c = &fr->f->values[value];
	unsigned width = vc_width(c);
	expr_t e = c->kind >= CODE_ADDRESS ? vc_asked(v, fr, NULL, value) : EXPR_NONE;
	if (e != EXPR_NONE)
		return e == VC_LOST ? EXPR_NONE : e;
	switch ((enum code_kind)c->kind) {
	case CODE_CONSTANT:
		return width && !c->is_pointer ? expr_const(v->p, width, code_unsigned(c)) : EXPR_NONE;
	case CODE_NULL:
		return expr_const(v->p, 64, 0);
	case CODE_ADDRESS:
		return expr_binary(v->p, MUSTER_OP_ADD, vc_address(v, vc_global(v, c->index)), expr_const(v->p, 64, (u128)(uint64_t)c->offset));
	case CODE_FUNCTION:
		return vc_address(v, vc_function_object(v, c->index));
	case CODE_UNDEF: /* another one at each use */
		return width ? vc_fresh(v, width, "undef") : EXPR_NONE;
	case CODE_OPAQUE:
		return EXPR_NONE;
	case CODE_PARAMETER:
	case CODE_INSTRUCTION:
		if (fr->values[value] == EXPR_NONE && v->o.value)
			return from_outside(v, fr, value);
		return fr->values[value] == VC_LOST ? EXPR_NONE : vc_varied(v, fr->values[value]);
	}
	return EXPR_NONE;
}

/* ------------------------------------------------------------ a run */

/* One end stands for everything where a limit was reached: what was made until then is not all. */
static void give_up(struct vc *v, const struct code_function *f, struct vc_outcome *out)
{
	vec_clear(&v->ends);
	vec_clear(&v->obligations);
	vec_push(&v->ends, (struct vc_end){VC_UNKNOWN, expr_true(v->p), f, f->first_instruction, "more instructions or terms than the limit"});
	*out = (struct vc_outcome){.returns = expr_false(v->p), .memory = arena_alloc(&v->arena, sizeof(struct vc_memory))};
}

static void begin(struct vc *v)
{
	vec_clear(&v->ends);
	vec_clear(&v->obligations);
	v->steps = 0;
	v->stopped = 0;
	v->first_node = exprs_count(v->p);
}

int vc_run_frame(struct vc *v, const struct code_function *f, uint32_t block, const struct vc_region *region, expr_t *values, struct vc_reached *reached, struct vc_outcome *out)
{
	struct vc_state s = {.base = expr_true(v->p), .here = region ? region->pre : expr_true(v->p), .memory = arena_alloc(&v->arena, sizeof(struct vc_memory)), .shared = 1};
	struct vc_frame fr;
	begin(v);
	vc_frame_init(&fr, f, values);
	fr.reached = reached;
	if (region) {
		fr.begin = region->from;
		fr.end = region->to;
	}
	expr_t value = vc_body(v, &fr, block == CODE_NONE ? 0 : block, &s);
	vc_frame_release(&fr);
	if (v->stopped) {
		give_up(v, f, out);
		return -1;
	}
	*out = (struct vc_outcome){.returns = vc_guard(v, &s), .value = value, .memory = s.memory};
	if (!vc_dead(v, &s))
		vec_push(&v->ends, (struct vc_end){VC_RETURN, out->returns, f, CODE_NONE, NULL});
	return 0;
}

int vc_run_from(struct vc *v, const struct code_function *f, uint32_t block, expr_t *values, struct vc_outcome *out)
{
	return vc_run_frame(v, f, block, NULL, values, NULL, out);
}

void vc_run(struct vc *v, const struct code_function *f, const expr_t *args, struct vc_outcome *out)
{
	expr_t *values = mem_zalloc((f->value_count + 1) * sizeof *values);
	for (uint32_t i = 0; i < f->parameters; i++) {
		if (vc_width(&f->values[i]) && args[i] != EXPR_NONE && expr_width(v->p, args[i]) != vc_width(&f->values[i]))
			BUG("parameter %u of %s has %u bits, not %u", i, f->name, vc_width(&f->values[i]), expr_width(v->p, args[i]));
		values[i] = args[i] != EXPR_NONE ? args[i] : VC_LOST;
	}
	vc_run_from(v, f, 0, values, out);
	free(values);
}

static void note_taken(struct vc_pass *ps, const struct code_loop *l, expr_t *taken)
{
	const struct code_function *f = ps->fr->f;
	for (uint32_t i = 0; i < l->blocks; i++) {
		uint32_t block = f->loop_blocks[l->first_block + i], from = block;
		const struct code_block *b = &f->blocks[block];
		if (b->loop != ps->loop || ps->nodes[block].out == EXPR_NONE)
			continue;
		while (from != ps->start && !code_in_each(f, ps->loop, from))
			from = ps->nodes[from].dominator;
		expr_t path = vc_path_down(ps, from, block);
		for (uint32_t e = b->first_edge; e < b->first_edge + b->edges; e++)
			if (ps->flows[e].taken != EXPR_NONE)
				taken[e] = expr_and(ps->v->p, path, ps->flows[e].taken);
	}
}

expr_t vc_iteration(struct vc *v, const struct code_function *f, uint32_t loop, uint32_t edge, expr_t *values, expr_t *taken)
{
	const struct code_loop *l = &f->loops[loop];
	struct vc_frame fr;
	const struct vc_memory *memory = arena_alloc(&v->arena, sizeof *memory);
	uint32_t start = edge == CODE_NONE ? l->header : f->edges[edge].to;
	expr_t always = expr_true(v->p);
	struct vc_pass ps;
	begin(v);
	vc_frame_init(&fr, f, values);
	if (edge != CODE_NONE)
		vc_join(v, &fr, start, &edge, &always, &memory, 1);
	vc_ask_phis(v, &fr, start);
	vc_pass_init(&ps, v, &fr, loop, start, always);
	vc_pass_run(&ps, memory);
	if (taken)
		note_taken(&ps, l, taken);
	expr_t again = vc_go_back(&ps, l, &memory);
	vc_frame_release(&fr);
	return v->stopped ? EXPR_NONE : again;
}

const struct vc_end *vc_ends(const struct vc *v, size_t *count)
{
	*count = v->ends.size;
	return v->ends.data;
}

const struct vc_obligation *vc_obligations(const struct vc *v, size_t *count)
{
	*count = v->obligations.size;
	return v->obligations.data;
}

expr_t vc_ends_by(struct vc *v, enum vc_end_kind kind)
{
	expr_t any = expr_false(v->p);
	for (size_t i = 0; i < v->ends.size; i++)
		if (v->ends.data[i].kind == kind)
			any = vc_or(v->p, any, v->ends.data[i].guard);
	return any;
}
