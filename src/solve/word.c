/* word.c: adders, comparisons, shifts, counts, selection.
 *
 * Sums are full adders of a three-input XOR and a majority; comparisons are a chain of
 * majorities without a sum. The gates fold constants, so an operand that is constant
 * makes each of these circuits the narrow one that one would write for it by hand.
 * Multiplication and division are in product.c.
 */
#include "solve/word.h"
#include "solve/product.h"
#include "base/error.h"

#include <string.h>

lit_t word_add(struct gates *g, unsigned width, const lit_t *a, const lit_t *b, lit_t carry,
	       lit_t *out)
{
	for (unsigned i = 0; i < width; i++) {
		lit_t x = a[i], y = b[i];

		out[i] = gate_xor3(g, x, y, carry);
		carry = gate_maj(g, x, y, carry);
	}
	return carry;
}

void word_sub(struct gates *g, unsigned width, const lit_t *a, const lit_t *b, lit_t *out)
{
	lit_t carry = LIT_TRUE;

	for (unsigned i = 0; i < width; i++) {
		lit_t x = a[i], y = lit_not(b[i]);

		out[i] = gate_xor3(g, x, y, carry);
		carry = gate_maj(g, x, y, carry);
	}
}

void word_negate_if(struct gates *g, unsigned width, lit_t condition, const lit_t *a, lit_t *out)
{
	lit_t carry = condition;

	for (unsigned i = 0; i < width; i++) {
		lit_t x = gate_xor(g, a[i], condition);

		out[i] = gate_xor(g, x, carry);
		carry = gate_and(g, x, carry);
	}
}

void word_ite(struct gates *g, unsigned width, lit_t condition, const lit_t *a, const lit_t *b,
	      lit_t *out)
{
	for (unsigned i = 0; i < width; i++)
		out[i] = gate_ite(g, condition, a[i], b[i]);
}

lit_t word_or_all(struct gates *g, unsigned count, const lit_t *a)
{
	lit_t r = LIT_FALSE;

	for (unsigned i = 0; i < count; i++)
		r = gate_or(g, r, a[i]);
	return r;
}

int word_const(unsigned width, const lit_t *a, u128 *value)
{
	u128 v = 0;

	for (unsigned i = 0; i < width; i++) {
		if (!lit_is_const(a[i]))
			return 0;
		v |= (u128)a[i] << i;
	}
	*value = v;
	return 1;
}

/* ------------------------------------------------------------------ shifts */
/* One stage a bit of the amount; the other bits of the amount, whose value is not below the width,
 * empty it. */
static void word_shift(struct gates *g, enum muster_op op, unsigned width, const lit_t *a,
		       const lit_t *b, lit_t *out)
{
	lit_t fill = op == MUSTER_OP_ASHR ? a[width - 1] : LIT_FALSE, over;
	lit_t x[WORD_MAX], y[WORD_MAX];
	unsigned k;

	memcpy(x, a, width * sizeof *x);
	for (k = 0; k < width && (1u << k) < width; k++) {
		unsigned step = 1u << k;

		for (unsigned i = 0; i < width; i++) {
			lit_t moved;

			if (op == MUSTER_OP_SHL)
				moved = i >= step ? x[i - step] : fill;
			else
				moved = i + step < width ? x[i + step] : fill;
			y[i] = gate_ite(g, b[k], moved, x[i]);
		}
		memcpy(x, y, width * sizeof *x);
	}
	over = word_or_all(g, width - k, b + k);
	for (unsigned i = 0; i < width; i++)
		out[i] = gate_ite(g, over, fill, x[i]);
}

void word_binary(struct gates *g, enum muster_op op, unsigned width, const lit_t *a, const lit_t *b,
		 lit_t *out)
{
	switch (op) {
	case MUSTER_OP_ADD:
		word_add(g, width, a, b, LIT_FALSE, out);
		break;
	case MUSTER_OP_SUB:
		word_sub(g, width, a, b, out);
		break;
	case MUSTER_OP_MUL:
		product_word(g, width, a, b, out);
		break;
	case MUSTER_OP_AND:
		for (unsigned i = 0; i < width; i++)
			out[i] = gate_and(g, a[i], b[i]);
		break;
	case MUSTER_OP_OR:
		for (unsigned i = 0; i < width; i++)
			out[i] = gate_or(g, a[i], b[i]);
		break;
	case MUSTER_OP_XOR:
		for (unsigned i = 0; i < width; i++)
			out[i] = gate_xor(g, a[i], b[i]);
		break;
	case MUSTER_OP_SHL:
	case MUSTER_OP_LSHR:
	case MUSTER_OP_ASHR:
		word_shift(g, op, width, a, b, out);
		break;
	default:
		BUG("operator %d has no circuit of two words", op);
	}
}

/* ------------------------------------------------------------------- tests */
static lit_t word_equal(struct gates *g, unsigned width, const lit_t *a, const lit_t *b)
{
	lit_t r = LIT_TRUE;

	for (unsigned i = 0; i < width && r != LIT_FALSE; i++)
		r = gate_and(g, r, lit_not(gate_xor(g, a[i], b[i])));
	return r;
}

/* a < b, or with `less` true a <= b; signed: the highest bits count the other way round. */
static lit_t word_less(struct gates *g, int is_signed, lit_t less, unsigned width, const lit_t *a,
		       const lit_t *b)
{
	for (unsigned i = 0; i < width; i++) {
		int swap = is_signed && i == width - 1;

		less = swap ? gate_maj(g, a[i], lit_not(b[i]), less)
			    : gate_maj(g, lit_not(a[i]), b[i], less);
	}
	return less;
}

/* Signed overflow of a + b or a - b: the carry into the highest bit is not the carry out of it. */
static lit_t word_signed_overflow(struct gates *g, int minus, unsigned width, const lit_t *a,
				  const lit_t *b)
{
	lit_t carry = minus ? LIT_TRUE : LIT_FALSE, into = carry;

	for (unsigned i = 0; i < width; i++) {
		into = carry;
		carry = gate_maj(g, a[i], b[i] ^ (lit_t)minus, carry);
	}
	return gate_xor(g, into, carry);
}

lit_t word_test(struct gates *g, enum muster_op op, unsigned width, const lit_t *a, const lit_t *b)
{
	lit_t carry = LIT_FALSE;

	switch (op) {
	case MUSTER_OP_EQ:
		return word_equal(g, width, a, b);
	case MUSTER_OP_NE:
		return lit_not(word_equal(g, width, a, b));
	case MUSTER_OP_ULT:
	case MUSTER_OP_USUBO:
		return word_less(g, 0, LIT_FALSE, width, a, b);
	case MUSTER_OP_ULE:
		return word_less(g, 0, LIT_TRUE, width, a, b);
	case MUSTER_OP_SLT:
		return word_less(g, 1, LIT_FALSE, width, a, b);
	case MUSTER_OP_SLE:
		return word_less(g, 1, LIT_TRUE, width, a, b);
	case MUSTER_OP_SADDO:
		return word_signed_overflow(g, 0, width, a, b);
	case MUSTER_OP_SSUBO:
		return word_signed_overflow(g, 1, width, a, b);
	case MUSTER_OP_UADDO:
		for (unsigned i = 0; i < width; i++)
			carry = gate_maj(g, a[i], b[i], carry);
		return carry;
	case MUSTER_OP_SMULO:
		return product_signed_overflow(g, width, a, b);
	case MUSTER_OP_UMULO:
		return product_overflow(g, width, a, b);
	default:
		BUG("operator %d has no circuit for a test", op);
	}
}

/* ------------------------------------------------------------------- counts */
/* Zeros below the lowest one of a (a's width if there is none): a[step * i + from] is looked at in
 * order of i. */
static void word_zeros(struct gates *g, unsigned width, const lit_t *a, int from_top, lit_t *out)
{
	lit_t none = LIT_TRUE; /* no one so far */

	for (unsigned i = 0; i < width; i++)
		out[i] = LIT_FALSE;
	for (unsigned i = 0; i <= width; i++) {
		lit_t bit = i == width ? LIT_TRUE : a[from_top ? width - 1 - i : i];
		lit_t here = gate_and(g, none, bit);

		for (unsigned k = 0; k < width && k < 8; k++)
			if (i >> k & 1)
				out[k] = gate_or(g, out[k], here);
		none = gate_and(g, none, lit_not(bit));
	}
}

static void word_popcount(struct gates *g, unsigned width, const lit_t *a, lit_t *out)
{
	struct columns c;

	columns_init(&c, width);
	for (unsigned i = 0; i < width; i++)
		columns_add(&c, 0, a[i]);
	columns_sum(g, &c, out, NULL);
	columns_release(&c);
}

void word_unary(struct gates *g, enum muster_op op, unsigned width, const lit_t *a, lit_t *out)
{
	switch (op) {
	case MUSTER_OP_BSWAP:
		for (unsigned i = 0; i < width; i++)
			out[i] = a[(width / 8 - 1 - i / 8) * 8 + i % 8];
		break;
	case MUSTER_OP_BITREVERSE:
		for (unsigned i = 0; i < width; i++)
			out[i] = a[width - 1 - i];
		break;
	case MUSTER_OP_CTPOP:
		word_popcount(g, width, a, out);
		break;
	case MUSTER_OP_CTLZ:
		word_zeros(g, width, a, 1, out);
		break;
	case MUSTER_OP_CTTZ:
		word_zeros(g, width, a, 0, out);
		break;
	default:
		BUG("operator %d has no circuit of one word", op);
	}
}

/* ---------------------------------------------------------------- selection */
/* A tree of multiplexers a bit, from the leaves up; equal halves fold and equal trees are one gate,
 * so this is a decision diagram of the table. */
void word_select(struct gates *g, unsigned n, const lit_t *index, unsigned width, lit_t *table,
		 lit_t *out)
{
	for (unsigned k = 0; k < n; k++) {
		size_t half = (size_t)1 << (n - 1 - k);

		for (size_t v = 0; v < half; v++)
			for (unsigned i = 0; i < width; i++)
				table[v * width + i] =
				    gate_ite(g, index[k], table[(2 * v + 1) * width + i],
					     table[2 * v * width + i]);
	}
	memcpy(out, table, width * sizeof *out);
}
