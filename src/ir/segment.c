/* segment.c: the cuts of functions at the headers of their loops.
 *
 * For each header: the blocks that can be reached from it, the values that are there and that one of these blocks uses, then those that variables hold there. A loop that is entered beside its
 * header has no cut: its header is not passed on each way round by choice of the walk alone.
 */
#include "ir/segment.h"

#include "base/mem.h"

#include <stdlib.h>

/* A phi uses it at the end of the blocks that it comes from. */
static int phi_uses(const struct code_function *f, uint32_t phi, uint32_t value, const uint8_t *reached)
{
	uint32_t block = f->values[phi].block;

	for (uint32_t k = 0; k < f->blocks[block].preds && k < f->values[phi].operands; k++)
		if (code_operand(f, phi, k) == value && reached[code_pred(f, block, k)->from])
			return 1;
	return 0;
}

static int is_used(const struct code_function *f, uint32_t value, const uint8_t *reached)
{
	const struct code_value *v = &f->values[value];

	for (uint32_t i = 0; i < v->uses; i++) {
		uint32_t user = f->uses[v->first_use + i];
		if (f->values[user].kind == CODE_INSTRUCTION && (f->values[user].op == CODE_PHI ? phi_uses(f, user, value, reached) : reached[f->values[user].block]))
			return 1;
	}
	return 0;
}

/* Is it read behind the header before it is made again? */
static int is_live(const struct code_function *f, uint32_t value, uint32_t header, const uint8_t *reached)
{
	if (!is_used(f, value, reached))
		return 0;
	if (f->values[value].kind != CODE_INSTRUCTION || !reached[f->values[value].block])
		return 1;
	uint8_t *before = code_reached(f, header, f->values[value].block);
	int live = is_used(f, value, before);
	free(before);
	return live;
}

static int is_home(const struct code_function *f, uint32_t value, uint32_t *variable)
{
	if (f->values[value].kind != CODE_INSTRUCTION || f->values[value].op != CODE_ALLOCA)
		return 0;
	for (*variable = 0; *variable < f->variable_count; ++*variable)
		if (f->variables[*variable].home == value)
			return f->values[value].bytes != 0;
	return 0;
}

static uint8_t bits_of(const struct code_value *v)
{
	if (v->kind == CODE_INSTRUCTION && v->op == CODE_ALLOCA)
		return 0;
	return v->is_pointer ? 64 : v->width <= 64 ? (uint8_t)v->width : 0;
}

/* Is it a value of the program that exists at the header? */
static int is_there(const struct code_function *f, uint32_t value, uint32_t header)
{
	return value < f->first_instruction + f->instructions && code_available(f, value, header);
}

static void find_held(struct segment_cuts *s, const struct code_function *f, const struct code_names *names, struct segment_cut *x)
{
	uint32_t scope = f->values[code_last(f, x->block)].scope;

	x->first_held = (uint32_t)s->held.size;
	for (uint32_t k = 0; k < f->variable_count; k++) {
		uint32_t value = f->variables[k].home == CODE_NONE ? code_names_value(names, x->block, k) : CODE_NONE;

		if (value == CODE_NONE || !code_visible(f, k, scope, 0) || !code_available(f, value, x->block))
			continue;
		if (f->values[value].kind <= CODE_CONSTANT || f->values[value].kind == CODE_NULL)
			vec_push(&s->held, ((struct segment_held){k, value}));
	}
	x->held = (uint32_t)s->held.size - x->first_held;
}

static uint32_t holder(const struct segment_cuts *s, const struct segment_cut *x, uint32_t value)
{
	for (uint32_t k = 0; k < x->held; k++)
		if (s->held.data[x->first_held + k].value == value)
			return s->held.data[x->first_held + k].variable;
	return CODE_NONE;
}

static void find_cut(struct segment_cuts *s, const struct code_function *f, const struct code_names *names, uint32_t loop)
{
	uint32_t header = f->loops[loop].header;
	struct segment_cut x = {.function = f->number, .loop = loop, .block = header, .ordinal = f->values[f->blocks[header].first].index, .line = f->loops[loop].line,
				.first = (uint32_t)s->values.size};
	uint8_t *reached = code_reached(f, header, CODE_NONE);

	find_held(s, f, names, &x);
	for (uint32_t v = 0; v < f->first_instruction + f->instructions; v++) {
		struct segment_value y = {.value = v, .variable = CODE_NONE, .bits = bits_of(&f->values[v])};

		if (!is_there(f, v, header))
			continue;
		y.home = (uint8_t)is_home(f, v, &y.variable);
		if (!y.home)
			y.variable = holder(s, &x, v);
		int used = y.home ? is_used(f, v, reached) : is_live(f, v, header, reached);
		x.more |= (uint8_t)(used && !y.bits && f->values[v].op != CODE_ALLOCA && f->values[v].op != CODE_NOP);
		if (y.home ? used : y.bits && (used || y.variable != CODE_NONE))
			vec_push(&s->values, y);
	}
	free(reached);
	x.count = (uint32_t)s->values.size - x.first;
	if (x.count <= SEGMENT_VALUES)
		vec_push(&s->list, x);
	else
		s->values.size = x.first, s->held.size = x.first_held;
}

/* A second return goes back behind cuts. */
static int calls_setjmp(const struct code_function *f)
{
	for (uint32_t i = 0; i < f->callee_count; i++)
		if (f->code->functions[f->callees[i]].returns_twice)
			return 1;
	return 0;
}

void segment_cuts_find(struct segment_cuts *s, const struct code_function *f)
{
	struct code_names *names = f->loop_count ? code_names_new(f) : NULL;

	for (uint32_t i = 0; i < f->loop_count && !calls_setjmp(f); i++)
		if (!f->loops[i].irreducible)
			find_cut(s, f, names, i);
	if (names)
		code_names_free(names);
}

void segment_cuts_release(struct segment_cuts *s)
{
	vec_release(&s->list);
	vec_release(&s->values);
	vec_release(&s->held);
}

const struct segment_cut *segment_cut_at(const struct segment_cuts *s, uint32_t ordinal)
{
	for (size_t i = 0; i < s->list.size; i++)
		if (s->list.data[i].ordinal == ordinal)
			return &s->list.data[i];
	return NULL;
}
