/* product.c: multiplication and division.
 *
 * A product is a sum of many bits, kept in columns by weight and compressed with full
 * adders from the lowest column up; a carry goes to the next column. A constant factor is
 * recoded into digits -1, 0, 1 with no two neighbours that are not 0, which halves the rows.
 *
 * The product of a and b overflows if a partial product of weight 2^width or more is set,
 * or a carry leaves the highest column: both are sums of what is lost.
 *
 * A division by a constant chooses quotient q and remainder r with q * k + r = a without
 * overflow and r < k, which solvers find easier than the long division's rows. By
 * a variable it is the long division: with known operands it needs no search, and it gives what
 * expr.h wants for a divisor of 0 by itself.
 */
#include "solve/product.h"

#include <string.h>

/* ----------------------------------------------------------------- columns */
void columns_init(struct columns *c, unsigned width)
{
	memset(c, 0, sizeof *c);
	c->width = width;
}

void columns_release(struct columns *c)
{
	for (unsigned i = 0; i <= WORD_MAX; i++)
		vec_release(&c->bits[i]);
}

/* Adds or subtracts 2^column. */
static void columns_constant(struct columns *c, unsigned column, int minus)
{
	u128 old = c->low, one = column < 128 ? (u128)1 << column : 0;

	c->low = minus ? old - one : old + one;
	if (minus ? c->low > old : c->low < old)
		c->high ^= 1;
	if (column == 128)
		c->high ^= 1;
}

void columns_add(struct columns *c, unsigned column, lit_t x)
{
	if (x == LIT_TRUE)
		columns_constant(c, column, 0);
	else if (x != LIT_FALSE && column < c->width)
		vec_push(&c->bits[column], x);
}

void columns_sum(struct gates *g, struct columns *c, lit_t *out, lit_t *overflow)
{
	lit_t lost = LIT_FALSE;

	for (unsigned k = 0; k < c->width; k++) {
		size_t at = 0; /* bits before it are used up */

		if (k < 128 ? c->low >> k & 1 : c->high)
			vec_push(&c->bits[k], LIT_TRUE);
		while (c->bits[k].size - at > 1) {
			const lit_t *x = c->bits[k].data + at;
			lit_t y = x[0], z = x[1], last = LIT_FALSE, carry, sum;

			if (c->bits[k].size - at > 2)
				last = x[2], at++;
			at += 2;
			sum = gate_xor3(g, y, z, last);
			carry = gate_maj(g, y, z, last);
			vec_push(&c->bits[k], sum);
			if (k + 1 < c->width && carry != LIT_FALSE)
				vec_push(&c->bits[k + 1], carry);
			if (k + 1 == c->width && overflow)
				lost = gate_or(g, lost, carry);
		}
		out[k] = c->bits[k].size > at ? c->bits[k].data[at] : LIT_FALSE;
	}
	if (overflow)
		*overflow = gate_or(g, *overflow, lost);
}

/* --------------------------------------------------------------- constants */
/* Adds a * 2^shift or its negation, which is ~a + 1 with ~a's ones without end above. */
static void columns_row(struct columns *c, unsigned width, const lit_t *a, unsigned shift,
			int minus)
{
	for (unsigned i = 0; i < width && i + shift < c->width; i++)
		columns_add(c, i + shift, a[i] ^ (lit_t)minus);
	if (minus) {
		columns_constant(c, shift, 0);
		columns_constant(c, shift + width, 1);
	}
}

/* Adds a * k, where a has `width` bits. Digits: k = sum of d_i 2^i, d_i in -1, 0, 1. */
static void columns_scale(struct columns *c, unsigned width, const lit_t *a, u128 k)
{
	for (unsigned i = 0; k && i < c->width; i++, k >>= 1) {
		int minus;

		if (!(k & 1))
			continue;
		minus = (k & 2) != 0;
		columns_row(c, width, a, i, minus);
		k = minus ? k + 1 : k - 1;
		if (minus && !k) /* only for i = 0: k was 2^128 - 1 */
			columns_row(c, width, a, 128, 0);
	}
}

/* ----------------------------------------------------------- multiplication */
static void columns_products(struct gates *g, struct columns *c, unsigned width, const lit_t *a,
			     const lit_t *b)
{
	for (unsigned i = 0; i < width; i++)
		for (unsigned j = 0; j < width && i + j < c->width; j++)
			columns_add(c, i + j, gate_and(g, a[i], b[j]));
}

void product_word(struct gates *g, unsigned width, const lit_t *a, const lit_t *b, lit_t *out)
{
	struct columns c;
	u128 k;

	columns_init(&c, width);
	if (word_const(width, b, &k))
		columns_scale(&c, width, a, k);
	else if (word_const(width, a, &k))
		columns_scale(&c, width, b, k);
	else
		columns_products(g, &c, width, a, b);
	columns_sum(g, &c, out, NULL);
	columns_release(&c);
}

/* out = a * b modulo 2^width, and whether that is not a * b. */
static lit_t product_exact(struct gates *g, unsigned width, const lit_t *a, const lit_t *b,
			   lit_t *out)
{
	struct columns c;
	lit_t lost = LIT_FALSE,
	      above = LIT_FALSE; /* above: some bit of b from width - i on is set */

	columns_init(&c, width);
	for (unsigned i = 1; i < width; i++) {
		above = gate_or(g, above, b[width - i]);
		lost = gate_or(g, lost, gate_and(g, a[i], above));
	}
	columns_products(g, &c, width, a, b);
	columns_sum(g, &c, out, &lost);
	columns_release(&c);
	return lost;
}

lit_t product_overflow(struct gates *g, unsigned width, const lit_t *a, const lit_t *b)
{
	lit_t out[WORD_MAX];

	return product_exact(g, width, a, b, out);
}

/* |a| * |b| fits in width bits and is below 2^(width-1), or equal to it where the result is
 * negative. */
lit_t product_signed_overflow(struct gates *g, unsigned width, const lit_t *a, const lit_t *b)
{
	lit_t x[WORD_MAX], y[WORD_MAX], out[WORD_MAX], lost, least, minus;

	minus = gate_xor(g, a[width - 1], b[width - 1]);
	word_negate_if(g, width, a[width - 1], a, x);
	word_negate_if(g, width, b[width - 1], b, y);
	lost = product_exact(g, width, x, y, out);
	least = gate_and(g, minus, lit_not(word_or_all(g, width - 1, out)));
	return gate_or(g, lost, gate_and(g, out[width - 1], lit_not(least)));
}

/* ----------------------------------------------------------------- division */
static unsigned bit_length(u128 x)
{
	unsigned n = 0;

	for (; x; x >>= 1)
		n++;
	return n;
}

static void require_equal(struct gates *g, unsigned width, const lit_t *a, const lit_t *b)
{
	for (unsigned i = 0; i < width; i++)
		gate_require(g, lit_not(gate_xor(g, a[i], b[i])));
}

/* By a constant k > 0 of n bits: q has width - n + 1 bits and r has n; then q * k + r < 2^(width +
 * 1), so that one more bit makes the equation exact. */
static void divide_constant(struct gates *g, unsigned width, const lit_t *a, u128 k, lit_t *q,
			    lit_t *r)
{
	unsigned n = bit_length(k), high = width - n + 1;
	lit_t bound[WORD_MAX], sum[WORD_MAX + 1], wide[WORD_MAX + 1];
	struct columns c;
	uint32_t d;

	for (unsigned i = 0; i < width; i++) {
		q[i] = r[i] = LIT_FALSE;
		bound[i] = (lit_t)(k >> i & 1);
	}
	if (!(k & (k - 1))) { /* a power of two */
		memcpy(q, a + n - 1, high * sizeof *q);
		memcpy(r, a, (n - 1) * sizeof *r);
		return;
	}
	d = gate_define(g);
	for (unsigned i = 0; i < high; i++)
		q[i] = gate_free_in(g, d);
	for (unsigned i = 0; i < n; i++)
		r[i] = gate_free_in(g, d);
	columns_init(&c, width + 1);
	for (unsigned i = 0; i < n; i++)
		columns_add(&c, i, r[i]);
	columns_scale(&c, high, q, k);
	columns_sum(g, &c, sum, NULL);
	columns_release(&c);
	memcpy(wide, a, width * sizeof *a);
	wide[width] = LIT_FALSE;
	require_equal(g, width + 1, sum, wide);
	gate_require(g, word_test(g, MUSTER_OP_ULT, n, r, bound));
}

/* Long division. After k steps r has k bits; where b has a bit above these, b is not below r and
 * nothing changes. A divisor of 0 can always be subtracted: the quotient is all ones and a remains,
 * as it should be. */
static void divide_long(struct gates *g, unsigned width, const lit_t *a, const lit_t *b, lit_t *q,
			lit_t *r)
{
	lit_t above[WORD_MAX], rest[WORD_MAX]; /* above[k]: a bit of b from k on is set */

	for (unsigned i = width; i-- > 0;)
		above[i] = i + 1 < width ? gate_or(g, above[i + 1], b[i]) : b[i];
	for (unsigned k = 1; k <= width; k++) {
		lit_t carry = LIT_TRUE, yes;

		memmove(r + 1, r, (k - 1) * sizeof *r);
		r[0] = a[width - k];
		for (unsigned i = 0; i < k; i++) {
			rest[i] = gate_xor3(g, r[i], lit_not(b[i]), carry);
			carry = gate_maj(g, r[i], lit_not(b[i]), carry);
		}
		yes = k < width ? gate_and(g, carry, lit_not(above[k])) : carry;
		word_ite(g, k, yes, rest, r, r);
		q[width - k] = yes;
	}
}

static void divide_unsigned(struct gates *g, unsigned width, const lit_t *a, const lit_t *b,
			    lit_t *q, lit_t *r)
{
	u128 k;

	if (word_const(width, b, &k) && k)
		divide_constant(g, width, a, k, q, r);
	else
		divide_long(g, width, a, b, q, r);
}

void word_divide(struct gates *g, int is_signed, unsigned width, const lit_t *a, const lit_t *b,
		 lit_t *quotient, lit_t *remainder)
{
	lit_t x[WORD_MAX], y[WORD_MAX];

	if (!is_signed) {
		divide_unsigned(g, width, a, b, quotient, remainder);
		return;
	}
	word_negate_if(g, width, a[width - 1], a, x);
	word_negate_if(g, width, b[width - 1], b, y);
	divide_unsigned(g, width, x, y, quotient, remainder);
	word_negate_if(g, width, gate_xor(g, a[width - 1], b[width - 1]), quotient, quotient);
	word_negate_if(g, width, a[width - 1], remainder, remainder);
}
