/* call.c: calls: inlined, done by a summary, or anything that mod/ref allows.
 *
 * An inlined call is a pass over the callee's blocks from the caller's state on: its returns are joined, its allocas are no longer there afterwards, and
 * the caller's path goes on where it returns. A call that is havocked gives a new variable, and new contents to every object that the callee may write: globals and
 * parameters' objects by the effects of code.h, and everything that others may know the address of if the callee goes through pointers of unknown origin. An alloca
 * is known to others if its base occurs in an argument or in the contents of an object that is known, and from then on: what a callee that is not followed keeps
 * does not show in the contents.
 */
#include "vc/inside.h"

#include "base/error.h"
#include "base/hash.h"

#include <stdio.h>


/* ------------------------------------------------------------ bodies */

static void end_of_life(struct vc *v, struct vc_frame *fr, struct vc_state *s)
{
	for (size_t i = 0; i < fr->own.size; i++) {
		struct vc_place place = vc_place_of(v, s->memory, fr->own.data[i]);
		place.live = expr_false(v->p);
		vc_put(v, s, fr->own.data[i], place);
		v->things.data[fr->own.data[i]].escaped = 0; /* nobody may follow its address any more */
	}
}

expr_t vc_body(struct vc *v, struct vc_frame *fr, uint32_t start, struct vc_state *s)
{
	const struct code_function *f = fr->f;
	struct vc_pass ps;
	if (!f->defined) {
		vc_stop_here(v, s, VC_UNKNOWN, f, f->first_instruction, "a function without a body");
		return EXPR_NONE;
	}
	vc_ask_phis(v, fr, start);
	vc_pass_init(&ps, v, fr, CODE_NONE, start, vc_guard(v, s));
	vc_pass_run(&ps, s->memory);
	s->here = fr->some_return ? expr_and(v->p, s->here, fr->returns) : expr_false(v->p);
	if (fr->some_return) {
		s->memory = fr->memory;
		s->shared = 1;
		end_of_life(v, fr, s);
	}
	return fr->value_lost ? EXPR_NONE : fr->value;
}

/* Why the callee cannot be inlined, or NULL. */
static const char *not_inlined(const struct vc *v, const struct vc_call *c)
{
	const struct code_function *f = c->target;
	if (!f)
		return "a call of a function that is not known";
	if (!f->defined)
		return "a call of a function without a body";
	if (f->replaceable)
		return "a call of a function that the linker may replace";
	if (f->variadic)
		return "a call of a function with variable arguments";
	if (f->returns_twice)
		return "a call that returns twice";
	if (f->parameters != c->arg_count)
		return "a call with other arguments than the function has parameters";
	for (uint32_t i = 0; i < f->parameters; i++) {
		if (f->values[i].flags & CODE_BYVAL && !v->o.bare)
			return "a structure that is passed by value";
		if (c->args[i] != EXPR_NONE && expr_width(v->p, c->args[i]) != vc_width(&f->values[i]))
			return "a call with other arguments than the function has parameters";
	}
	return NULL;
}

static void inline_call(struct vc_call *c, const struct vc_frame *outer)
{
	struct vc *v = c->vc;
	const struct code_function *f = c->target;
	const char *why = not_inlined(v, c);
	if (why) {
		vc_stop_here(v, c->state, VC_UNKNOWN, c->f, c->at, why);
		return;
	}
	if (c->depth >= v->o.depth) {
		vc_stop_here(v, c->state, VC_BOUND, c->f, c->at, "nested calls");
		return;
	}
	struct vc_state in = {.base = vc_guard(v, c->state), .here = expr_true(v->p), .memory = c->state->memory, .shared = 1};
	struct vc_frame fr;
	expr_t *values = mem_zalloc((f->value_count + 1) * sizeof *values);
	for (uint32_t i = 0; i < f->parameters; i++)
		values[i] = c->args[i] != EXPR_NONE || v->o.value ? c->args[i] : VC_LOST;
	vc_frame_init(&fr, f, values);
	fr.depth = c->depth + 1;
	fr.call = fr.context = hash_join(outer->context, c->at);
	v->steps += f->value_count / 16; /* a frame costs, too */
	c->result = vc_body(v, &fr, 0, &in);
	vc_frame_release(&fr);
	free(values);
	if (!v->o.bare || in.here == expr_false(v->p))
		c->state->here = expr_and(v->p, c->state->here, in.here);
	c->state->memory = in.memory;
	c->state->shared = 1;
	if (c->result != EXPR_NONE && expr_width(v->p, c->result) != c->width)
		c->result = EXPR_NONE;
}

/* ------------------------------------------------------------ havoc */

/* Objects whose base is among the term's variables become known. 1 if there were some that were not. */
static int learn_bases(struct vc *v, expr_t e, uint8_t *known)
{
	uint32_t count;
	uint64_t object;
	int more = 0;
	const expr_t *vars = expr_vars(v->p, e, &count);
	for (uint32_t i = 0; i < count; i++)
		if (map_get(&v->by_base, vars[i], &object) && !known[object])
			more = known[object] = 1;
	return more;
}

static int learn_contents(struct vc *v, expr_t array, uint8_t *known)
{
	int more = 0;
	if (expr_get(v->p, array)->op != MUSTER_OP_DATA)
		return learn_bases(v, array, known);
	for (uint64_t i = 0; i < expr_data_count(v->p, array); i++)
		more |= learn_bases(v, expr_data_byte(v->p, array, i), known);
	return more;
}

void vc_find_known(struct vc *v, const struct vc_call *c, uint8_t *known)
{
	uint32_t count = vc_objects(v);
	int more = 1;
	for (uint32_t i = 0; i < count; i++)
		known[i] = !v->things.data[i].own || v->things.data[i].escaped;
	for (uint32_t i = 0; i < c->arg_count; i++)
		if (c->args[i] != EXPR_NONE)
			learn_bases(v, c->args[i], known);
	while (more) {
		more = 0;
		for (uint32_t i = 0; i < count; i++)
			if (known[i])
				more |= learn_contents(v, vc_contents(v, c->state->memory, i), known);
	}
	for (uint32_t i = 0; i < count; i++) {
		v->things.data[i].escaped |= known[i];
		v->things.data[i].was_seen |= known[i];
	}
}

/* Objects that argument k may point to are written, if the callee writes through it. 1: it is not known which. */
static int havoc_argument(struct vc_call *c, uint32_t k)
{
	uint32_t targets[VC_TARGETS];
	int all;
	if (k >= c->target->parameters || !c->target->values[k].is_pointer || !code_function_writes_parameter(c->target, k))
		return k >= c->target->parameters;
	if (c->args[k] == EXPR_NONE)
		return 1;
	size_t n = vc_targets(c->vc, c->args[k], targets, VC_TARGETS, &all);
	for (size_t i = 0; i < n; i++)
		if (targets[i] != VC_NO_OBJECT)
			vc_memory_havoc(c->vc, c->state, targets[i]);
	return all;
}

static void havoc_call(struct vc_call *c)
{
	struct vc *v = c->vc;
	const struct code_function *f = c->target;
	int all = !f || (f->defined ? f->replaceable || code_function_writes_any(f) : !f->quiet);
	uint8_t *known;
	vc_all_globals(v);
	known = mem_zalloc(vc_objects(v) + 1);
	vc_find_known(v, c, known); /* before anything is forgotten */
	if (f && f->defined && !all) {
		for (uint32_t i = 0; i < c->arg_count; i++)
			all |= havoc_argument(c, i);
		for (uint32_t g = 0; g < v->code->global_count; g++)
			if (code_function_writes(f, g))
				vc_memory_havoc(v, c->state, vc_global(v, g));
	}
	if (all) {
		for (uint32_t i = 0; i < vc_objects(v); i++)
			if (known[i])
				vc_memory_havoc(v, c->state, i);
	}
	free(known);
	c->result = c->width ? vc_fresh(v, c->width, "result") : EXPR_NONE;
}

/* ------------------------------------------------------------ calls */

static enum vc_call_how usual(const struct vc_call *c)
{
	if (c->target && c->target->noreturn && !c->target->defined)
		return VC_CALL_EXIT;
	return VC_CALL_INLINE;
}

/* What people have to look at, where a call is not followed. */
static const char *call_words(struct vc *v, const struct code_function *target)
{
	char text[128];
	if (!target)
		return "a call through a pointer";
	snprintf(text, sizeof text, "a call of %.100s", target->name);
	return arena_strdup(&v->arena, text);
}

void vc_call_run(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at)
{
	const struct code_function *f = fr->f;
	const struct code_value *call = &f->values[at];
	struct vc_call c = {.vc = v, .state = s, .f = f, .at = at, .depth = fr->depth, .guard = vc_guard(v, s), .width = vc_width(call)};
	expr_t *args = mem_zalloc((call->operands + 1) * sizeof *args);
	c.args = args;
	c.arg_count = call->operands - 1;
	for (uint32_t k = 1; k < call->operands; k++)
		args[k - 1] = vc_value(v, fr, code_operand(f, at, k));
	if (call->target != CODE_NONE) {
		c.target = &v->code->functions[call->target];
	} else {
		c.callee = vc_value(v, fr, code_operand(f, at, 0));
		c.target = c.callee != EXPR_NONE ? vc_function_at(v, c.callee) : NULL;
	}
	switch (v->o.call ? v->o.call(v->o.ctx, &c) : usual(&c)) {
	case VC_CALL_INLINE:
		inline_call(&c, fr);
		break;
	case VC_CALL_DONE:
		if (c.result != EXPR_NONE && expr_width(v->p, c.result) != c.width)
			BUG("a result of %u bits for a call of %u", expr_width(v->p, c.result), c.width);
		break;
	case VC_CALL_HAVOC:
		havoc_call(&c);
		break;
	case VC_CALL_EXIT:
		vc_stop_here(v, s, VC_EXIT, f, at, c.target ? c.target->name : "");
		break;
	case VC_CALL_UNKNOWN:
		vc_stop_here(v, s, VC_UNKNOWN, f, at, call_words(v, c.target));
		break;
	}
	fr->values[at] = c.result != EXPR_NONE ? c.result : VC_LOST;
	free(args);
}

/* ------------------------------------------------------------ for callbacks */

expr_t vc_state_load(struct vc_call *c, expr_t address, unsigned width)
{
	if (!width || width % 8 || width > 128)
		BUG("a load of %u bits", width);
	return vc_load(c->vc, c->state, (struct vc_where){c->f, c->at}, address, width, width / 8);
}

void vc_state_store(struct vc_call *c, expr_t address, expr_t value)
{
	vc_store(c->vc, c->state, (struct vc_where){c->f, c->at}, address, value);
}

const struct vc_memory *vc_state_memory(struct vc_call *c)
{
	c->state->shared = 1;
	return c->state->memory;
}

int vc_object_seen(const struct vc *v, const struct vc_memory *m, uint32_t object)
{
	const struct vc_thing *t = &v->things.data[object];
	return t->own && t->was_seen && vc_place_of(v, m, object).live != expr_false(v->p);
}

void vc_state_end(struct vc_call *c, enum vc_end_kind kind, expr_t condition, const char *why)
{
	vc_end_here(c->vc, c->state, kind, condition, c->f, c->at, why);
}
