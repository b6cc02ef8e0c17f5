/* nonlinear.c: operators that no linear expression is equal to: division and remainder by
 * constants, masks, shifts to the right, selection, products.
 *
 * The symbol of the result is forgotten first; then facts that hold for all values of the operands,
 * in the reading of the result, are added. Each rule states what it needs of the operands and is
 * left out if that is not known.
 */
#include "absint/inside.h"

#include "base/error.h"

struct result {
	struct absint *a;
	struct state *s;
	uint32_t value, symbol;
	unsigned width;
	int is_signed;
};

/* factor * result + by * e + constant >= 0 */
static void fact(struct result *r, wide factor, const struct linear *e, wide by, wide constant)
{
	struct linear l = linear_constant(constant);
	l.kind = LINEAR_GE;
	linear_add_dim(&l, r->symbol, factor);
	if (e)
		linear_add(&l, e, by);
	state_add(r->a, r->s, &l);
	linear_release(&l);
}

static void between(struct result *r, wide min, wide max)
{
	fact(r, 1, NULL, 0, -min);
	fact(r, -1, NULL, 0, max);
}

/* The constant operand, read without sign; 0 if it is none. */
static wide constant(const struct result *r, uint32_t k, int is_signed)
{
	const struct code_value *v = code_operand_value(r->a->f, r->value, k);
	if (v->kind != CODE_CONSTANT || !tracked(v))
		return 0;
	return is_signed ? (wide)code_signed(v) : (wide)code_unsigned(v);
}

static int operand(struct result *r, uint32_t k, int is_signed, struct linear *e,
		   struct domain_bounds *b)
{
	*e = (struct linear){0};
	if (!form(r->a, r->s, code_operand(r->a->f, r->value, k), is_signed, e))
		return 0;
	*b = state_bounds(r->a, r->s, e);
	return 1;
}

/* result = floor(e / k), which both readings agree on or the result is signed. */
static void floor_quotient(struct result *r, const struct linear *e, wide k)
{
	fact(r, -k, e, 1, 0);
	fact(r, k, e, -1, k - 1);
}

static void divide_unsigned(struct result *r, wide k)
{
	struct linear e;
	struct domain_bounds b;
	/* Below k = 2 a result could be negative in the signed reading. */
	if (k < 2)
		return;
	between(r, 0, (((wide)1 << r->width) - 1) / k);
	if (operand(r, 0, 0, &e, &b))
		floor_quotient(r, &e, k);
	linear_release(&e);
}

static void divide_signed(struct result *r, wide k)
{
	struct linear e;
	struct domain_bounds b;
	if (k >= 1 && operand(r, 0, 1, &e, &b)) {
		if (b.has_min && b.min >= 0) {
			floor_quotient(r, &e, k);
		} else if (r->is_signed) {
			/* Towards zero: at most k - 1 away on either side. */
			fact(r, -k, &e, 1, k - 1);
			fact(r, k, &e, -1, k - 1);
		}
		linear_release(&e);
	}
}

static void shift_signed(struct result *r, wide k)
{
	struct linear e;
	struct domain_bounds b;
	if (k >= 1 && operand(r, 0, 1, &e, &b)) {
		if (r->is_signed || (b.has_min && b.min >= 0))
			floor_quotient(r, &e, k);
		linear_release(&e);
	}
}

/* 0 <= result < k, and the operand itself where that is so small. */
static void remainder_from(struct result *r, const struct linear *e, struct domain_bounds b, wide k)
{
	fact(r, -1, e, 1, 0);
	if (b.has_max && b.max < k)
		fact(r, 1, e, -1, 0);
}

static void remainder_unsigned(struct result *r, wide k)
{
	struct linear e;
	struct domain_bounds b;
	if (k < 1 || (r->is_signed && k > (wide)1 << (r->width - 1)))
		return;
	between(r, 0, k - 1);
	if (operand(r, 0, 0, &e, &b))
		remainder_from(r, &e, b, k);
	linear_release(&e);
}

static void remainder_signed(struct result *r, wide k)
{
	struct linear e;
	struct domain_bounds b;
	int known = operand(r, 0, 1, &e, &b);
	k = k < 0 ? -k : k;
	if (k && known && b.has_min && b.min >= 0) {
		between(r, 0, k - 1);
		remainder_from(r, &e, b, k);
	} else if (k && r->is_signed) {
		between(r, -(k - 1), k - 1);
	}
	linear_release(&e);
}

/* Neither operand has the sign bit, or the result is read without sign: then a & b <= a, a | b >=
 * a. */
static void mask(struct result *r)
{
	struct linear e;
	struct domain_bounds b;
	wide sign = (wide)1 << (r->width - 1);
	for (uint32_t k = 0; k < 2; k++) {
		wide m = constant(r, k, 0);
		if (m && (m < sign || !r->is_signed)) {
			between(r, 0, m);
			/* All low bits: the other operand itself if it is no larger. */
			if (!(m & (m + 1)) && operand(r, !k, 0, &e, &b)) {
				remainder_from(r, &e, b, m + 1);
				linear_release(&e);
			}
			continue;
		}
		if (operand(r, k, r->is_signed, &e, &b)) {
			if (b.has_min && b.min >= 0) {
				fact(r, 1, NULL, 0, 0);
				fact(r, -1, &e, 1, 0);
			}
			linear_release(&e);
		}
	}
}

/* Of a | b and a ^ b. */
static void combine(struct result *r, int is_or)
{
	struct linear x, y;
	struct domain_bounds b, c;
	int known = operand(r, 0, r->is_signed, &x, &b);
	known &= operand(r, 1, r->is_signed, &y, &c);
	if (known && b.has_min && b.min >= 0 && c.has_min && c.min >= 0) {
		fact(r, 1, NULL, 0, 0);
		if (is_or) {
			fact(r, 1, &x, -1, 0);
			fact(r, 1, &y, -1, 0);
		}
		linear_add(&x, &y, 1);
		if (!x.overflow)
			fact(r, -1, &x, 1, 0);
	}
	linear_release(&x);
	linear_release(&y);
}

static void product(struct result *r)
{
	struct linear x, y;
	struct domain_bounds b, c;
	struct absint_symbol type = {ABSINT_VALUE, 0, r->width, r->is_signed};
	int known = operand(r, 0, r->is_signed, &x, &b);
	known &= operand(r, 1, r->is_signed, &y, &c);
	if (known && b.has_min && b.has_max && c.has_min && c.has_max) {
		wide p[4], min, max;
		int over = __builtin_mul_overflow(b.min, c.min, &p[0]);
		over |= __builtin_mul_overflow(b.min, c.max, &p[1]);
		over |= __builtin_mul_overflow(b.max, c.min, &p[2]);
		over |= __builtin_mul_overflow(b.max, c.max, &p[3]);
		min = max = p[0];
		for (int i = 1; i < 4; i++) {
			min = p[i] < min ? p[i] : min;
			max = p[i] > max ? p[i] : max;
		}
		if (!over && min >= symbol_min(&type) && max <= symbol_max(&type))
			between(r, min, max);
	}
	linear_release(&x);
	linear_release(&y);
}

/* sign 1: result >= both operands; -1: <= both. */
static void extreme(struct result *r, int sign, int is_signed)
{
	struct linear e;
	struct domain_bounds b;
	for (uint32_t k = 0; k < 2 && is_signed == r->is_signed; k++)
		if (operand(r, k, is_signed, &e, &b)) {
			fact(r, sign, &e, -sign, 0);
			linear_release(&e);
		}
}

/* One side of a selection; NULL if the condition cannot be so. e NULL: unknown. */
static struct state *choice(struct result *r, uint32_t condition, int truth, const struct linear *e)
{
	struct state *s = state_copy(r->a, r->s);
	condition_assume(r->a, s, condition, truth);
	state_assign(r->a, s, r->symbol, e);
	if (state_is_empty(r->a, s)) {
		state_free(r->a, s);
		return NULL;
	}
	return s;
}

static void selection(struct result *r, uint32_t condition, const struct linear *yes,
		      const struct linear *no)
{
	struct state *joined = choice(r, condition, 1, yes);
	struct state *other = choice(r, condition, 0, no);
	state_join(r->a, &joined, other);
	state_free(r->a, other);
	if (!joined)
		joined = state_copy(r->a, r->s); /* empty already */
	struct state old = *r->s;
	*r->s = *joined;
	*joined = old;
	state_free(r->a, joined);
}

static void from_bit(struct result *r, wide one)
{
	struct linear yes = linear_constant(one), no = linear_constant(0);
	selection(r, code_operand(r->a->f, r->value, 0), &yes, &no);
}

static void select_value(struct result *r)
{
	struct linear yes, no;
	const struct code_function *f = r->a->f;
	int y = form(r->a, r->s, code_operand(f, r->value, 1), r->is_signed, &yes);
	int n = form(r->a, r->s, code_operand(f, r->value, 2), r->is_signed, &no);
	if (y || n)
		selection(r, code_operand(f, r->value, 0), y ? &yes : NULL, n ? &no : NULL);
	if (y)
		linear_release(&yes);
	if (n)
		linear_release(&no);
}

void nonlinear_define(struct absint *a, struct state *s, uint32_t value)
{
	const struct code_value *v = &a->f->values[value];
	struct result r = {a, s, value, a->value_symbol[value], v->width, a->is_signed[value]};
	state_forget(a, s, r.symbol);
	wide shift = v->operands == 2 ? constant(&r, 1, 0) : 0;
	switch (v->op) {
	case CODE_UDIV:
		divide_unsigned(&r, constant(&r, 1, 0));
		break;
	case CODE_SDIV:
		divide_signed(&r, constant(&r, 1, 1));
		break;
	case CODE_LSHR:
		if (shift > 0 && shift < v->width && shift < 54)
			divide_unsigned(&r, (wide)1 << shift);
		break;
	case CODE_ASHR:
		if (shift > 0 && shift < v->width && shift < 54)
			shift_signed(&r, (wide)1 << shift);
		break;
	case CODE_UREM:
		remainder_unsigned(&r, constant(&r, 1, 0));
		break;
	case CODE_SREM:
		remainder_signed(&r, constant(&r, 1, 1));
		break;
	case CODE_AND:
		mask(&r);
		break;
	case CODE_OR:
	case CODE_XOR:
		combine(&r, v->op == CODE_OR);
		break;
	case CODE_MUL:
		product(&r);
		break;
	case CODE_SMIN:
	case CODE_UMIN:
		extreme(&r, -1, v->op == CODE_SMIN);
		break;
	case CODE_SMAX:
	case CODE_UMAX:
		extreme(&r, 1, v->op == CODE_SMAX);
		break;
	case CODE_SELECT:
		select_value(&r);
		break;
	case CODE_ZEXT:
		from_bit(&r, 1);
		break;
	case CODE_SEXT:
		from_bit(&r, r.is_signed ? -1 : ((wide)1 << r.width) - 1);
		break;
	default:
		break;
	}
}
