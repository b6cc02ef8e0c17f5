/* called_segment.c: what a segment begins and ends with: values of the code by the variables that hold them.
 *
 * At a cut a variable of the source holds a value, or lives in memory (its home). A place of a segment is the variable: lNAME, lNAME#N for the N-th of that name in its function; a value that no variable holds is
 * sN, N the number of its instruction. P is over what is there where the segment begins, Q says what variables hold where it ends. A variable that holds there what it held at the beginning, by the term, is
 * not named; neither is one of which debug info says nothing there: nobody reads it any more.
 */
#include "summary/called_inside.h"

#include <string.h>

static const struct segment_cut *cut_of(const struct called_maker *m, int at_end)
{
	return m->f->cuts ? segment_cut_at(m->f->cuts, at_end ? m->a->stop : m->a->start) : NULL;
}

/* ---------------------------------------------------------------- names */

void called_variable_path(const struct code_function *f, uint32_t variable, struct buf *out)
{
	unsigned same = 1;

	for (uint32_t i = 0; i < variable; i++)
		same += !strcmp(f->variables[i].name, f->variables[variable].name);
	buf_adds(out, f->variables[variable].name);
	if (same > 1)
		buf_addf(out, "#%u", same);
}

static void variable_path(const struct code_function *f, uint32_t variable, struct buf *out)
{
	buf_addc(out, 'l');
	called_variable_path(f, variable, out);
}

/* As C writes it; a variable that has the name of a global one is told from it. */
static void variable_text(const struct called_maker *m, uint32_t variable, struct buf *out)
{
	const char *name = m->f->code->variables[variable].name;
	uint64_t i;

	buf_addf(out, m->f->front && strmap_get(&m->f->front->global_numbers, name, &i) ? "local(%s)" : "%s", name);
}

static uint32_t target_type(const struct called_maker *m, const struct code_function *f, uint32_t variable)
{
	return variable == CODE_NONE ? TYPED_NONE : typed_target(&m->types, typed_from_code(f->variables[variable].type));
}

/* How a value of so many bits is written if this variable of f holds it. */
struct typed_scalar called_scalar(const struct called_maker *m, const struct code_function *f, uint32_t variable, int pointer, unsigned bits)
{
	uint32_t type = variable == CODE_NONE ? CODE_NONE : f->variables[variable].type;
	const struct code_type *t = type == CODE_NONE ? NULL : &f->code->types[type];
	struct typed_scalar s = {.type = PLACE_UNSIGNED, .width = bits, .bytes = bits / 8, .of = TYPED_NONE};

	if (pointer) {
		s.type = PLACE_POINTER;
		s.size = typed_form(&m->types, target_type(m, f, variable)).size;
	} else if (t && t->kind == CODE_TYPE_INT && !t->is_unsigned && t->bytes * 8 == bits) {
		s.type = PLACE_SIGNED;
	}
	return s;
}

/* Floating point and wide numbers are none. */
static int has_place(const struct code_value *v)
{
	return v->is_pointer || (v->width && v->width <= 64);
}

/* The place that is a variable, or a value that none holds (CODE_NONE). */
static expr_t place_of_value(struct called_maker *m, uint32_t value, uint32_t variable, int after, struct typed_scalar *s)
{
	const struct code_function *f = m->f->code;
	const struct code_value *v = &f->values[value];
	unsigned bits = v->is_pointer ? 64 : v->width;
	struct buf path = BUF_EMPTY, text = BUF_EMPTY;

	*s = called_scalar(m, f, variable, v->is_pointer, bits);
	if (variable == CODE_NONE) {
		buf_addf(&path, "s%u", value < f->parameters ? value : f->values[value].index - f->first_ordinal);
		buf_addf(&text, "value%u", value);
	} else {
		variable_path(f, variable, &path);
		variable_text(m, variable, &text);
	}
	expr_t e = place_variable(m->p, bits, s->type, s->size, after, buf_str(&path), buf_str(&text));
	buf_release(&path);
	buf_release(&text);
	return e;
}

/* ---------------------------------------------------------------- the beginning */

static void hold(struct called_maker *m, const struct segment_cut *cut, uint32_t value, expr_t e)
{
	for (uint32_t k = 0; k < cut->held; k++) {
		const struct segment_held *h = &m->f->cuts->held.data[cut->first_held + k];
		if (h->value == value)
			map_set(&m->before, h->variable + 1, e);
	}
}

void called_take_value(struct called_maker *m, const struct activation_input *in)
{
	const struct segment_cut *cut = cut_of(m, 0);
	struct typed_scalar s;

	if (!cut || in->parameter >= cut->count) {
		called_missing(m, "a value has no name");
		return;
	}
	const struct segment_value *v = &m->f->cuts->values.data[cut->first + in->parameter];
	expr_t e = place_of_value(m, v->value, v->variable, 0, &s);
	called_note_value(m, e, in->value, 0);
	called_note_spot(m, e, s.type, 0, in->parameter, 8);
	map_set(&m->leaves, in->leaf, e);
	hold(m, cut, v->value, e);
	if (in->followed && s.type == PLACE_POINTER)
		called_follow(m, in, e, target_type(m, m->f->code, v->variable));
	else if (in->followed)
		called_missing(m, "a number is used as an address");
}

void called_take_held(struct called_maker *m)
{
	const struct code_function *f = m->f->code;
	const struct segment_cut *cut = m->a->start == m->a->index ? NULL : cut_of(m, 0);

	for (uint32_t k = 0; cut && k < cut->held; k++) { /* constants: the others have leaves */
		const struct segment_held *h = &m->f->cuts->held.data[cut->first_held + k];
		const struct code_value *v = &f->values[h->value];
		if ((v->kind == CODE_CONSTANT || v->kind == CODE_NULL) && has_place(v))
			map_set(&m->before, h->variable + 1, expr_const(m->p, v->is_pointer ? 64 : v->width, v->kind == CODE_NULL ? 0 : v->bits[0]));
	}
	if (cut)
		return;

	for (uint32_t k = 0; f && k < f->variable_count; k++)
		for (size_t i = 0; i < m->a->inputs.size; i++) {
			const struct activation_input *in = &m->a->inputs.data[i];
			uint64_t e;
			if (in->kind == ACTIVATION_PARAMETER && !in->part && in->parameter == f->variables[k].parameter && map_get(&m->leaves, in->leaf, &e))
				map_set(&m->before, k + 1, e);
		}
}

/* ---------------------------------------------------------------- memory */

static const struct segment_value *home_value(const struct called_maker *m, const struct activation_home *h)
{
	const struct segment_cut *cut = cut_of(m, h->at_end);

	return cut && h->number < cut->count ? &m->f->cuts->values.data[cut->first + h->number] : NULL;
}

static const struct segment_value *home_at(const struct called_maker *m, uint64_t address, uint64_t *base)
{
	for (size_t i = 0; i < m->a->homes.size; i++) {
		const struct segment_value *v = home_value(m, &m->a->homes.data[i]);
		*base = m->a->homes.data[i].address;
		if (v && v->home && address - *base < m->f->code->values[v->value].bytes)
			return v;
	}
	return NULL;
}

int called_is_home(const struct called_maker *m, uint64_t address)
{
	uint64_t base;

	return home_at(m, address, &base) != NULL;
}

uint32_t called_home(struct called_maker *m, uint64_t address)
{
	struct buf path = BUF_EMPTY, text = BUF_EMPTY;
	uint64_t base;
	const struct segment_value *v = home_at(m, address, &base);

	if (!v)
		return CALLED_NO_REGION;
	for (uint32_t i = 0; i < m->regions.size; i++)
		if (!m->regions.data[i].element && m->regions.data[i].base == base)
			return i;
	const struct code_function *f = m->f->code;
	buf_addc(&path, '&');
	variable_path(f, v->variable, &path);
	buf_addc(&text, '&');
	variable_text(m, v->variable, &text);
	struct called_region r = {.path = arena_strdup(&m->arena, buf_str(&path) + 1), .text = arena_strdup(&m->arena, buf_str(&text) + 1),
				  .type = typed_from_code(f->variables[v->variable].type), .base = base, .room = f->values[v->value].bytes,
				  .address = place_variable(m->p, 64, PLACE_POINTER, f->values[v->value].bytes, 0, buf_str(&path), buf_str(&text))};
	called_note_value(m, r.address, base, 0);
	buf_release(&path);
	buf_release(&text);
	vec_push(&m->regions, r);
	return (uint32_t)m->regions.size - 1;
}

/* ---------------------------------------------------------------- the end */

static const struct activation_live *live_of(const struct called_maker *m, const struct segment_cut *cut, uint32_t value)
{
	for (size_t i = 0; i < m->a->lives.size; i++) {
		const struct activation_live *x = &m->a->lives.data[i];
		if (x->number < cut->count && m->f->cuts->values.data[cut->first + x->number].value == value)
			return x;
	}
	return NULL;
}

/* The variable, or the value if there is none, holds this there. */
static void leave_one(struct called_maker *m, const struct segment_cut *cut, uint32_t value, uint32_t variable)
{
	const struct code_value *v = &m->f->code->values[value];
	struct typed_scalar s;
	uint64_t before = EXPR_NONE;
	expr_t after, term;
	uint64_t bits;

	if (!has_place(v)) {
		called_missing(m, "a local variable is floating point, or has more than 64 bits");
		return;
	}
	after = place_of_value(m, value, variable, 1, &s);
	if (variable != CODE_NONE)
		map_get(&m->before, variable + 1, &before);
	else
		before = place_of_value(m, value, CODE_NONE, 0, &s); /* the same value at the beginning, if it was there */
	if (v->kind == CODE_CONSTANT || v->kind == CODE_NULL) {
		bits = v->kind == CODE_NULL ? 0 : v->bits[0];
		term = expr_const(m->p, expr_width(m->p, after), bits);
	} else {
		const struct activation_live *x = live_of(m, cut, value);
		if (!x || x->value == EXPR_NONE)
			return;
		bits = (uint64_t)trace_value(m->r->t, x->label);
		term = called_term(m, x->value);
	}
	called_leave(m, &s, after, (expr_t)before, term, bits);
}

void called_leave_values(struct called_maker *m)
{
	const struct segment_cut *cut = cut_of(m, 1);

	if (!cut) {
		called_missing(m, "where it ends has no name");
		return;
	}
	for (uint32_t k = 0; k < cut->held; k++)
		leave_one(m, cut, m->f->cuts->held.data[cut->first_held + k].value, m->f->cuts->held.data[cut->first_held + k].variable);
	for (uint32_t k = 0; k < cut->count; k++) {
		const struct segment_value *v = &m->f->cuts->values.data[cut->first + k];
		if (v->variable == CODE_NONE && v->bits)
			leave_one(m, cut, v->value, CODE_NONE);
	}
}

void called_locate(const struct called_maker *m, struct summary *s)
{
	const struct code_function *f = m->f->code;
	const struct segment_cut *from = m->a->start == m->a->index ? NULL : cut_of(m, 0), *to = m->a->cut == MUSTER_CUT_NEXT ? cut_of(m, 1) : NULL;

	s->kind = SUMMARY_SEGMENT;
	if (from) {
		s->lp.ordinal = m->f->position[f->blocks[from->block].first - f->first_instruction];
		s->line = from->line;
	}
	if (to) {
		s->lq.ordinal = m->f->position[f->blocks[to->block].first - f->first_instruction];
		s->end_line = to->line;
	}
}
