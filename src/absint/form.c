/* form.c: SSA values as linear expressions over symbols.
 *
 * A value's reading (signed or unsigned) is fixed; form_own() is its mathematical value in that
 * reading, form() in either. form_operator() is the claim that "exact" stands for: val(v) = sum of
 * val(operands) in readings that depend on v alone, so that the claim means the same in every
 * state, however the operands' own expressions are found there. Reading a value the other way round
 * is the identity only if its bounds say so.
 */
#include "absint/inside.h"

#include "base/error.h"

/* Expressions are DAGs: a limit to the nodes one question may visit. */
#define FUEL 256
static int fuel;

static int own(struct absint *a, const struct state *s, uint32_t value, struct linear *out);
static int operator_form(struct absint *a, const struct state *s, uint32_t value,
			 struct linear *out);

int form_fits(struct absint *a, const struct state *s, const struct linear *e, unsigned width,
	      int is_signed)
{
	struct absint_symbol type = {ABSINT_VALUE, 0, width, is_signed};
	struct domain_bounds b = state_type_bounds(a, e);
	if (b.has_min && b.has_max && b.min >= symbol_min(&type) && b.max <= symbol_max(&type))
		return 1;
	b = state_bounds(a, s, e);
	return !domain_failed() && b.has_min && b.has_max && b.min >= symbol_min(&type) &&
	       b.max <= symbol_max(&type);
}

static wide constant(const struct code_value *v, int is_signed)
{
	return is_signed ? (wide)code_signed(v) : (wide)code_unsigned(v);
}

/* The other reading of an expression: itself, or moved by 2^width, if the bounds leave one choice.
 */
static int reread(struct absint *a, const struct state *s, struct linear *e, unsigned width,
		  int is_signed)
{
	struct domain_bounds b = state_bounds(a, s, e);
	wide half = (wide)1 << (width - 1), move = 0;
	if (domain_failed() || !b.has_min || !b.has_max)
		return 0;
	if (b.min >= 0 && b.max < half)
		move = 0;
	else if (is_signed && b.min >= half)
		move = -2 * half;
	else if (!is_signed && b.max < 0)
		move = 2 * half;
	else
		return 0;
	struct linear by = linear_constant(move);
	linear_add(e, &by, 1);
	return 1;
}

static int either(struct absint *a, const struct state *s, uint32_t value, int is_signed,
		  struct linear *out)
{
	const struct code_value *v = &a->f->values[value];
	if (!tracked(v))
		return 0;
	if (v->kind == CODE_CONSTANT) {
		*out = linear_constant(constant(v, is_signed));
		return 1;
	}
	if (!own(a, s, value, out))
		return 0;
	if (!s || a->is_signed[value] == is_signed || reread(a, s, out, v->width, is_signed))
		return 1;
	linear_release(out);
	return 0;
}

static int own(struct absint *a, const struct state *s, uint32_t value, struct linear *out)
{
	const struct code_value *v = &a->f->values[value];
	if (!tracked(v) || --fuel <= 0)
		return 0;
	if (v->kind == CODE_CONSTANT)
		return either(a, s, value, a->is_signed[value], out);
	if (a->value_symbol[value] != NONE) {
		*out = linear_dim(a->value_symbol[value]);
		return 1;
	}
	if (v->kind != CODE_INSTRUCTION || (s && !state_exact(a, s, value)))
		return 0;
	return operator_form(a, s, value, out);
}

static int is_constant(const struct absint *a, uint32_t value)
{
	return a->f->values[value].kind == CODE_CONSTANT && tracked(&a->f->values[value]);
}

/* The constant factor of a multiplication or a shift; 0 if there is none that could be used. */
static wide factor(const struct absint *a, uint32_t value, uint32_t *other)
{
	const struct code_value *v = &a->f->values[value];
	uint32_t x = code_operand(a->f, value, 0), y = code_operand(a->f, value, 1);
	if (v->op == CODE_SHL) {
		*other = x;
		if (!is_constant(a, y) || code_unsigned(&a->f->values[y]) >= v->width ||
		    code_unsigned(&a->f->values[y]) > 54)
			return 0;
		return (wide)1 << (unsigned)code_unsigned(&a->f->values[y]);
	}
	if (!is_constant(a, y)) {
		uint32_t t = x;
		x = y;
		y = t;
	}
	*other = x;
	return is_constant(a, y) ? (wide)code_signed(&a->f->values[y]) : 0;
}

static int is_not(const struct absint *a, uint32_t value)
{
	uint32_t y = code_operand(a->f, value, 1);
	return is_constant(a, y) && (wide)code_signed(&a->f->values[y]) == -1;
}

int form_linear(const struct absint *a, uint32_t value)
{
	const struct code_value *v = &a->f->values[value];
	uint32_t other;
	if (v->kind != CODE_INSTRUCTION || !tracked(v))
		return 0;
	switch (v->op) {
	case CODE_ADD:
	case CODE_SUB:
		return 1;
	case CODE_MUL:
	case CODE_SHL:
		return factor(a, value, &other) != 0;
	case CODE_XOR:
		return is_not(a, value);
	case CODE_ZEXT:
	case CODE_SEXT:
	case CODE_TRUNC:
	case CODE_COPY:
		return tracked(code_operand_value(a->f, value, 0));
	default:
		return 0;
	}
}

int form_always(const struct absint *a, uint32_t value)
{
	switch (a->f->values[value].op) {
	case CODE_ZEXT:
	case CODE_COPY:
	case CODE_XOR:
		return form_linear(a, value);
	case CODE_SEXT:
		return a->is_signed[value] && form_linear(a, value);
	default:
		return 0;
	}
}

/* Constants of sums are read signed, whatever the sum is: x + 0xffffffff means x - 1. */
static int sum(struct absint *a, const struct state *s, uint32_t value, int sign,
	       struct linear *out)
{
	struct linear right;
	uint32_t x = code_operand(a->f, value, 0), y = code_operand(a->f, value, 1);
	int r = a->is_signed[value];
	if (!either(a, s, x, r || (is_constant(a, x) && sign > 0), out))
		return 0;
	if (!either(a, s, y, r || is_constant(a, y), &right)) {
		linear_release(out);
		return 0;
	}
	linear_add(out, &right, sign);
	linear_release(&right);
	return 1;
}

static int operator_form(struct absint *a, const struct state *s, uint32_t value,
			 struct linear *out)
{
	const struct code_value *v = &a->f->values[value];
	uint32_t x = v->operands ? code_operand(a->f, value, 0) : NONE;
	int r = a->is_signed[value], ok = 0;
	if (!form_linear(a, value))
		return 0;
	switch (v->op) {
	case CODE_ADD:
		ok = sum(a, s, value, 1, out);
		break;
	case CODE_SUB:
		ok = sum(a, s, value, -1, out);
		break;
	case CODE_MUL:
	case CODE_SHL: {
		wide by = factor(a, value, &x);
		ok = either(a, s, x, r, out);
		if (ok)
			linear_scale(out, by);
		break;
	}
	case CODE_XOR:
		ok = either(a, s, x, r, out);
		if (ok) {
			struct linear top = linear_constant(r ? -1 : ((wide)1 << v->width) - 1);
			linear_scale(out, -1);
			linear_add(out, &top, 1);
		}
		break;
	case CODE_ZEXT:
		ok = either(a, s, x, 0, out);
		break;
	case CODE_SEXT:
		ok = either(a, s, x, 1, out);
		break;
	case CODE_TRUNC:
		ok = own(a, s, x, out);
		break;
	case CODE_COPY:
		ok = either(a, s, x, r, out);
		break;
	}
	if (ok && out->overflow) {
		linear_release(out);
		return 0;
	}
	return ok;
}

int form(struct absint *a, const struct state *s, uint32_t value, int is_signed, struct linear *out)
{
	fuel = FUEL;
	return either(a, s, value, is_signed, out);
}

int form_own(struct absint *a, const struct state *s, uint32_t value, struct linear *out)
{
	fuel = FUEL;
	return own(a, s, value, out);
}

int form_operator(struct absint *a, const struct state *s, uint32_t value, struct linear *out)
{
	fuel = FUEL;
	return operator_form(a, s, value, out);
}
