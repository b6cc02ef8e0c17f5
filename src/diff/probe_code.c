/* probe_code.c: what a function's code says of inputs that would take it further.
 *
 * The numbers that values are compared with, texts, offsets of members, variables that are named, and the types that pointers to nothing in particular are taken for: of both versions' functions and what they call, a few calls deep.
 */
#include "diff/probe.h"

#include <string.h>

#define DEPTH 3	       /* calls */
#define FUNCTIONS 80   /* that are looked at */
#define NUMBERS 600
#define TEXTS 300
#define VARIABLE 65536 /* bytes of a variable that runs can set */

/* ------------------------------------------------------------ values */

static void add_number(struct probe_code *c, uint64_t n)
{
	for (size_t i = 0; i < c->numbers.size; i++)
		if (c->numbers.data[i] == n)
			return;
	if (c->numbers.size < NUMBERS)
		vec_push(&c->numbers, n);
}

static void add_text(struct probe_code *c, const struct code_global *g)
{
	if (!g->constant || !g->initial || g->bytes < 2 || g->bytes > 64 || c->texts.size >= TEXTS || memchr(g->initial, 0, g->bytes) != g->initial + g->bytes - 1)
		return;
	for (size_t i = 0; i < c->texts.size; i++)
		if (c->texts.data[i].size == g->bytes && !memcmp(c->texts.data[i].data, g->initial, g->bytes))
			return;
	vec_push(&c->texts, ((struct probe_text){g->initial, g->bytes}));
}

/* Has the old version it, too, and under this name? */
static int is_shared(const struct diff_pair *x, const struct code *code, uint32_t global)
{
	const struct code *old = x->side[OLD].f->code;
	struct buf name = BUF_EMPTY, other = BUF_EMPTY;
	int shared = 0;
	if (differ_data_name(x->d, NEW, code, global, &name))
		for (uint32_t g = 0; g < old->global_count && !shared; g++)
			shared = !strcmp(old->globals[g].name, code->globals[global].name) && differ_data_name(x->d, OLD, old, g, &other) && !strcmp(buf_str(&name), buf_str(&other));
	buf_release(&name);
	buf_release(&other);
	return shared;
}

/* Variables of the new version that the old one has, too. */
static void add_global(struct probe_code *c, const struct diff_pair *x, int which, const struct code *code, uint32_t global)
{
	const struct code_global *g = &code->globals[global];
	add_text(c, g);
	if (which == NEW && !g->constant && g->type != CODE_NONE && g->bytes <= VARIABLE && map_set(&c->seen, (uint64_t)(uintptr_t)g, 1) && is_shared(x, code, global))
		vec_push(&c->globals, global);
}

static void look_at_value(struct probe_code *c, const struct diff_pair *x, int which, const struct code_function *f, const struct code_value *v)
{
	if (v->kind == CODE_CONSTANT && v->width > 1 && v->width <= 64 && v->bits[0])
		add_number(c, v->bits[0]);
	if (v->kind == CODE_ADDRESS)
		add_global(c, x, which, f->code, v->index);
}

static void look_at_call(struct probe_code *c, int which, const struct code_function *f, uint32_t at)
{
	const struct code_value *v = &f->values[at];
	if (which != NEW || v->target == CODE_NONE || f->code->functions[v->target].defined)
		return;
	const char *name = f->code->functions[v->target].name;
	for (uint32_t k = 1; k < v->operands; k++) {
		const struct code_value *a = code_operand_value(f, at, k);
		if (a->kind == CODE_INSTRUCTION && a->op == CODE_ALLOCA && a->bytes && a->bytes <= 8)
			vec_push(&c->outs, ((struct probe_out){name, k - 1, a->bytes}));
	}
	for (uint32_t i = 0; i < f->binding_count; i++)
		if (f->bindings[i].value == at && f->variables[f->bindings[i].variable].type != CODE_NONE)
			strmap_set(&c->results, name, f->variables[f->bindings[i].variable].type);
}

static void look_at(struct probe_code *c, const struct diff_pair *x, int which, const struct code_function *f, unsigned depth)
{
	if (!f->defined || c->seen.size > FUNCTIONS + c->globals.size || !map_set(&c->seen, (uint64_t)(uintptr_t)f, 1))
		return;
	for (uint32_t i = 0; i < f->value_count; i++) {
		const struct code_value *v = &f->values[i];
		look_at_value(c, x, which, f, v);
		if (v->kind != CODE_INSTRUCTION)
			continue;
		if (v->op == CODE_GEP && v->offset > 0)
			map_set(&c->offsets, (uint64_t)v->offset, 1);
		if (v->op == CODE_CALL)
			look_at_call(c, which, f, i);
	}
	for (uint32_t i = 0; i < f->callee_count && depth; i++)
		look_at(c, x, which, &f->code->functions[f->callees[i]], depth - 1);
}

/* ------------------------------------------------------------ parameters */

static int is_vague(const struct code *c, uint32_t type)
{
	return type == CODE_NONE || c->types[type].kind != CODE_TYPE_POINTER || c->types[type].base == CODE_NONE || !c->types[c->types[type].base].bytes;
}

/* The type of the variable that it is; where that is a pointer to anything, of one that it is copied to. */
static uint32_t type_of_parameter(const struct code_function *f, uint32_t parameter)
{
	uint32_t type = CODE_NONE;
	for (uint32_t k = 0; k < f->variable_count; k++)
		if (f->variables[k].parameter == parameter)
			type = f->variables[k].type;
	for (uint32_t i = 0; i < f->binding_count && f->values[parameter].is_pointer && is_vague(f->code, type); i++)
		if (f->bindings[i].value == parameter && !is_vague(f->code, f->variables[f->bindings[i].variable].type))
			type = f->variables[f->bindings[i].variable].type;
	return type;
}

void probe_code_init(struct probe_code *c, const struct diff_pair *x)
{
	const struct code_function *f = x->side[NEW].f;
	*c = (struct probe_code){.f = f, .code = f->code};
	for (int k = NEW; k >= OLD; k--)
		look_at(c, x, k, x->side[k].f, DEPTH);
	for (uint32_t i = 0; i < f->parameters; i++) {
		uint32_t type = type_of_parameter(f, i);
		if (type != CODE_NONE)
			map_set(&c->parameters, i, type);
	}
}

void probe_code_release(struct probe_code *c)
{
	vec_release(&c->numbers);
	vec_release(&c->texts);
	vec_release(&c->globals);
	vec_release(&c->outs);
	map_release(&c->offsets);
	map_release(&c->parameters);
	strmap_release(&c->results);
	map_release(&c->seen);
}
