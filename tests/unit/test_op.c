/* test_op.c: operator semantics against the compiler's own arithmetic.
 *
 * For each width there is a C type of exactly that many bits: the standard ones,
 * and _BitInt for the odd ones. The expected values below are computed in those
 * types by the compiler, independent of op_body.h's masks.
 */
#include "expr/op.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static uint64_t state = 88172645463325252ull;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Half of the values stand near a corner: 0, the largest, the sign bit. */
static u128 sample(unsigned width)
{
	u128 r = (u128)next() << 64 | next();
	u128 near = (s128)(next() % 5) - 2;
	switch (next() % 6) {
	case 0:
		r = near;
		break;
	case 1:
		r = ((u128)1 << (width - 1)) + near;
		break;
	case 2:
		r = ((u128)1 << next() % width) + near;
		break;
	default:
		break;
	}
	return op_mask(r, width);
}

static void expect(enum muster_op op, unsigned width, unsigned from, unsigned low, u128 a, u128 b,
		   u128 c, enum op_status status, u128 value)
{
	u128 got = 0;
	enum op_status s = op_apply(op, width, from, low, a, b, c, &got);
	if (s != status || (status == OP_OK && got != value))
		fail_msg("%s width %u from %u low %u: a %llx:%llx b %llx:%llx gave %d %llx:%llx, "
			 "not %d %llx:%llx",
			 op_table[op].name, width, from, low, (unsigned long long)(a >> 64),
			 (unsigned long long)a, (unsigned long long)(b >> 64),
			 (unsigned long long)b, s, (unsigned long long)(got >> 64),
			 (unsigned long long)got, status, (unsigned long long)(value >> 64),
			 (unsigned long long)value);
	if (width > 64 || from > 64)
		return;
	uint64_t got64 = 0;
	s = op_apply64(op, width, from, low, (uint64_t)a, (uint64_t)b, (uint64_t)c, &got64);
	assert_int_equal(s, status);
	if (status == OP_OK)
		assert_true(got64 == (uint64_t)value);
}

#define OK(op, width, value) expect(MUSTER_OP_##op, width, W, 0, a, b, 0, OP_OK, (u128)(value))
#define OR_UNDEFINED(op, width, bad, value)                                            \
	do {                                                                           \
		if (bad)                                                               \
			expect(MUSTER_OP_##op, width, W, 0, a, b, 0, OP_UNDEFINED, 0); \
		else                                                                   \
			OK(op, width, value);                                          \
	} while (0)

/* U and S: unsigned and signed C types of exactly W bits. */
#define WIDTH_TEST(NAME, WIDTH, U, S)                                                       \
	static void NAME(void **unused)                                                     \
	{                                                                                   \
		(void)unused;                                                               \
		enum { W = WIDTH };                                                         \
		const U top = (U)((U)1 << (W - 1));                                         \
		for (int i = 0; i < 3000; i++) {                                            \
			u128 a = sample(W), b = i % 3 ? sample(W) : op_mask(next() % W, W); \
			U x = (U)a, y = (U)b, ur;                                           \
			S p = (S)x, q = (S)y, sr;                                           \
			OK(ADD, W, (U)(x + y));                                             \
			OK(SUB, W, (U)(x - y));                                             \
			__builtin_mul_overflow(x, y, &ur);                                  \
			OK(MUL, W, ur);                                                     \
			OR_UNDEFINED(UDIV, W, y == 0, (U)(x / y));                          \
			OR_UNDEFINED(UREM, W, y == 0, (U)(x % y));                          \
			OR_UNDEFINED(SDIV, W, q == 0 || (q == -1 && x == top), (U)(p / q)); \
			OR_UNDEFINED(SREM, W, q == 0 || (q == -1 && x == top), (U)(p % q)); \
			OK(AND, W, (U)(x & y));                                             \
			OK(OR, W, (U)(x | y));                                              \
			OK(XOR, W, (U)(x ^ y));                                             \
			OR_UNDEFINED(SHL, W, b >= W, (U)(x << y));                          \
			OR_UNDEFINED(LSHR, W, b >= W, (U)(x >> y));                         \
			OR_UNDEFINED(ASHR, W, b >= W, (U)(p >> y));                         \
			OK(EQ, 1, x == y);                                                  \
			OK(NE, 1, x != y);                                                  \
			OK(ULT, 1, x < y);                                                  \
			OK(ULE, 1, x <= y);                                                 \
			OK(SLT, 1, p < q);                                                  \
			OK(SLE, 1, p <= q);                                                 \
			OK(SADDO, 1, __builtin_add_overflow(p, q, &sr));                    \
			OK(SSUBO, 1, __builtin_sub_overflow(p, q, &sr));                    \
			OK(SMULO, 1, __builtin_mul_overflow(p, q, &sr));                    \
			OK(UADDO, 1, __builtin_add_overflow(x, y, &ur));                    \
			OK(USUBO, 1, __builtin_sub_overflow(x, y, &ur));                    \
			OK(UMULO, 1, __builtin_mul_overflow(x, y, &ur));                    \
			expect(MUSTER_OP_ITE, W, 1, 0, 1, a, b, OP_OK, a);                  \
			expect(MUSTER_OP_ITE, W, 1, 0, 0, a, b, OP_OK, b);                  \
		}                                                                           \
	}

WIDTH_TEST(test_8, 8, uint8_t, int8_t)
WIDTH_TEST(test_16, 16, uint16_t, int16_t)
WIDTH_TEST(test_32, 32, uint32_t, int32_t)
WIDTH_TEST(test_64, 64, uint64_t, int64_t)
WIDTH_TEST(test_128, 128, u128, s128)
#ifdef __BITINT_MAXWIDTH__
#define BITINT_TEST(W) WIDTH_TEST(test_bits_##W, W, unsigned _BitInt(W), signed _BitInt(W))
#pragma clang diagnostic ignored "-Wbit-int-extension"
BITINT_TEST(2)
BITINT_TEST(3)
BITINT_TEST(7)
BITINT_TEST(13)
BITINT_TEST(24)
BITINT_TEST(31)
BITINT_TEST(33)
BITINT_TEST(63)
BITINT_TEST(65)
BITINT_TEST(80)
BITINT_TEST(96)
BITINT_TEST(127)
#endif

/* Conversions and concatenation, for all pairs of widths. */
static void test_resize(void **unused)
{
	(void)unused;
	for (unsigned from = 1; from <= 128; from++)
		for (unsigned to = 1; to <= 128; to++) {
			u128 a = sample(from), b = sample(to);
			if (to >= from) {
				u128 high = a >> (from - 1)
						? op_mask(~(u128)0, to) ^ op_mask(~(u128)0, from)
						: 0;
				expect(MUSTER_OP_ZEXT, to, from, 0, a, 0, 0, OP_OK, a);
				expect(MUSTER_OP_SEXT, to, from, 0, a, 0, 0, OP_OK, a | high);
			} else {
				for (unsigned low = 0; low + to <= from; low++)
					expect(MUSTER_OP_EXTRACT, to, from, low, a, 0, 0, OP_OK,
					       op_mask(a >> low, to));
			}
			if (from + to <= 128)
				expect(MUSTER_OP_CONCAT, from + to, from, to, a, b, 0, OP_OK,
				       a << to | b);
		}
}

static void test_bits(void **unused)
{
	(void)unused;
	for (int i = 0; i < 2000; i++) {
		uint64_t x = (uint64_t)sample(64);
		uint32_t w = (uint32_t)x;
		expect(MUSTER_OP_BSWAP, 64, 64, 0, x, 0, 0, OP_OK, __builtin_bswap64(x));
		expect(MUSTER_OP_BSWAP, 32, 32, 0, w, 0, 0, OP_OK, __builtin_bswap32(w));
		expect(MUSTER_OP_BSWAP, 16, 16, 0, (uint16_t)x, 0, 0, OP_OK,
		       __builtin_bswap16((uint16_t)x));
		expect(MUSTER_OP_BSWAP, 128, 128, 0, (u128)x << 64 | w, 0, 0, OP_OK,
		       (u128)__builtin_bswap64(w) << 64 | __builtin_bswap64(x));
		expect(MUSTER_OP_CTPOP, 64, 64, 0, x, 0, 0, OP_OK,
		       (unsigned)__builtin_popcountll(x));
		expect(MUSTER_OP_CTPOP, 128, 128, 0, (u128)x << 64 | w, 0, 0, OP_OK,
		       (unsigned)(__builtin_popcountll(x) + __builtin_popcount(w)));
		expect(MUSTER_OP_CTLZ, 64, 64, 0, x, 0, 0, OP_OK,
		       x ? (unsigned)__builtin_clzll(x) : 64u);
		expect(MUSTER_OP_CTTZ, 64, 64, 0, x, 0, 0, OP_OK,
		       x ? (unsigned)__builtin_ctzll(x) : 64u);
		expect(MUSTER_OP_CTLZ, 32, 32, 0, w, 0, 0, OP_OK,
		       w ? (unsigned)__builtin_clz(w) : 32u);
		expect(MUSTER_OP_CTTZ, 32, 32, 0, w, 0, 0, OP_OK,
		       w ? (unsigned)__builtin_ctz(w) : 32u);
		uint64_t reversed = 0;
		for (unsigned bit = 0; bit < 64; bit++)
			reversed |= (x >> bit & 1) << (63 - bit);
		expect(MUSTER_OP_BITREVERSE, 64, 64, 0, x, 0, 0, OP_OK, reversed);
		expect(MUSTER_OP_BITREVERSE, 8, 8, 0, x & 0xff, 0, 0, OP_OK,
		       op_mask(reversed >> 56, 8));
	}
}

/* Width 1: no signed C type has it. */
static void test_one(void **unused)
{
	(void)unused;
	for (unsigned a = 0; a < 2; a++)
		for (unsigned b = 0; b < 2; b++) {
			expect(MUSTER_OP_ADD, 1, 1, 0, a, b, 0, OP_OK, a ^ b);
			expect(MUSTER_OP_MUL, 1, 1, 0, a, b, 0, OP_OK, a & b);
			expect(MUSTER_OP_SLT, 1, 1, 0, a, b, 0, OP_OK, a > b);
			expect(MUSTER_OP_ULT, 1, 1, 0, a, b, 0, OP_OK, a < b);
			expect(MUSTER_OP_SHL, 1, 1, 0, a, b, 0, b ? OP_UNDEFINED : OP_OK, a);
			expect(MUSTER_OP_SDIV, 1, 1, 0, a, b, 0, b == 0 || a ? OP_UNDEFINED : OP_OK,
			       0);
		}
}

static void test_table(void **unused)
{
	(void)unused;
	u128 out;
	for (unsigned op = 0; op < MUSTER_OP_COUNT; op++) {
		int leaf = op_table[op].arity == 0 || op == MUSTER_OP_BYTES || op == MUSTER_OP_READ || op == MUSTER_OP_LEAF;
		assert_int_equal(op_apply(op, 8, 8, 0, 1, 1, 1, &out) == OP_NO_VALUE, leaf);
		assert_int_equal(op_table[op].shape == OP_LEAF, op_table[op].arity == 0);
	}
	assert_int_equal(op_apply(MUSTER_OP_COUNT, 8, 8, 0, 1, 1, 1, &out), OP_NO_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_8),	    cmocka_unit_test(test_16),
	    cmocka_unit_test(test_32),	    cmocka_unit_test(test_64),
	    cmocka_unit_test(test_128),
#ifdef __BITINT_MAXWIDTH__
	    cmocka_unit_test(test_bits_2),  cmocka_unit_test(test_bits_3),
	    cmocka_unit_test(test_bits_7),  cmocka_unit_test(test_bits_13),
	    cmocka_unit_test(test_bits_24), cmocka_unit_test(test_bits_31),
	    cmocka_unit_test(test_bits_33), cmocka_unit_test(test_bits_63),
	    cmocka_unit_test(test_bits_65), cmocka_unit_test(test_bits_80),
	    cmocka_unit_test(test_bits_96), cmocka_unit_test(test_bits_127),
#endif
	    cmocka_unit_test(test_resize),  cmocka_unit_test(test_bits),
	    cmocka_unit_test(test_one),	    cmocka_unit_test(test_table),
	};
	return cmocka_run_group_tests_name("op", tests, NULL, NULL);
}
