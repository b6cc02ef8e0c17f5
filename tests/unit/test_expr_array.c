/* test_expr_array.c: arrays of bytes and functions of many operands.
 *
 * Random histories of arrays (variables, tables, writes, fills, choices) are kept a second time as a plain list of what was done; a byte of
 * one is found there by going back through the list. Every read that the library makes is evaluated and compared with it, as it was built, expanded,
 * copied to another pool, and written and read back. MUSTER_TEST_ROUNDS makes it longer.
 */
#include "base/error.h"
#include "base/mem.h"
#include "expr/pool.h"
#include "expr/tape.h"
#include "expr/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define POINTS 6
#define ITEMS 40
#define TABLE 7

static unsigned rounds(unsigned usual)
{
	const char *s = getenv("MUSTER_TEST_ROUNDS");
	return s ? usual * (unsigned)atoi(s) : usual;
}

static uint64_t state;
static uint64_t random64(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dull >> 7;
}

/* Variables: i0..i3 (64 bits, small or at the end), v0..v3 (32 bits), c0..c3 (1 bit). */
static unsigned point;
static u128 named_value(const char *name)
{
	uint64_t h = hash64(name, strlen(name), point);
	if (name[0] == 'i')
		return h % 5 == 0 ? (uint64_t)-1 - h / 8 % 3 : h / 8 % 6;
	return h;
}

static struct exprs *pool;
static u128 value_of(void *ctx, expr_t e)
{
	return named_value(expr_name(ctx ? ctx : pool, e));
}
static uint8_t base_byte(const char *name, uint64_t at)
{
	return (uint8_t)hash64(&at, sizeof at, hash64(name, strlen(name), point));
}
static uint8_t byte_of(void *ctx, expr_t array, uint64_t at)
{
	return base_byte(expr_name(ctx ? ctx : pool, array), at);
}
static u128 evaluate(struct exprs *p, expr_t e)
{
	return expr_evaluate(p, e, &(struct expr_values){.value = value_of, .byte = byte_of, .ctx = p});
}

/* ------------------------------------------------------------ the second history */
struct item {
	enum { BASE, START, WRITE, FILL, CHOICE } what;
	char name[8];
	unsigned from, other; /* items */
	expr_t at, value, length, array;
	uint64_t count; /* 0: without a size */
};
static struct item items[ITEMS];
static unsigned item_count;

static uint8_t byte_in(unsigned i, uint64_t at)
{
	const struct item *x = &items[i];
	uint64_t from, k;
	switch (x->what) {
	case BASE:
		return base_byte(x->name, at);
	case START:
		return (uint8_t)(at * 7 + 1);
	case WRITE:
		k = at - (uint64_t)evaluate(pool, x->at);
		if (k < expr_width(pool, x->value) / 8)
			return (uint8_t)(evaluate(pool, x->value) >> (8 * k));
		return byte_in(x->from, at);
	case FILL:
		from = (uint64_t)evaluate(pool, x->at);
		if (at - from < (uint64_t)evaluate(pool, x->length))
			return (uint8_t)evaluate(pool, x->value);
		return byte_in(x->from, at);
	default:
		return byte_in(evaluate(pool, x->value) ? x->from : x->other, at);
	}
}

static expr_t offset(void)
{
	char name[8];
	uint64_t r = random64();
	snprintf(name, sizeof name, "i%u", (unsigned)(r % 4));
	if (r >> 8 & 1)
		return expr_const(pool, 64, r >> 16 & 15 ? r >> 20 & 7 : (uint64_t)-1);
	expr_t e = expr_named(pool, 64, name);
	return r >> 9 & 1 ? expr_binary(pool, MUSTER_OP_ADD, e, expr_const(pool, 64, r >> 20 & 3)) : e;
}

static expr_t some_value(unsigned width)
{
	char name[8];
	snprintf(name, sizeof name, "%c%u", width == 1 ? 'c' : 'v', (unsigned)(random64() % 4));
	expr_t e = expr_named(pool, width == 1 ? 1 : 32, name);
	return width >= 32 || width == 1 ? e : expr_extract(pool, e, 0, width);
}

static unsigned earlier(uint64_t count) /* of the same kind */
{
	for (;;) {
		unsigned i = (unsigned)(random64() % item_count);
		if (items[i].count == count)
			return i;
	}
}

static void add(struct item x)
{
	items[item_count++] = x;
}

static void start(unsigned seed)
{
	uint8_t bytes[TABLE];
	state = seed * 0x9e3779b97f4a7c15ull | 1;
	pool = exprs_new();
	item_count = 0;
	for (unsigned i = 0; i < TABLE; i++)
		bytes[i] = (uint8_t)(i * 7 + 1);
	add((struct item){.what = BASE, .name = "A", .array = expr_array(pool, "A")});
	add((struct item){.what = BASE, .name = "B", .array = expr_array(pool, "B")});
	add((struct item){.what = START, .count = TABLE, .array = expr_data_const(pool, bytes, TABLE)});
	while (item_count < ITEMS) {
		uint64_t r = random64();
		struct item x = {.count = r & 1 ? TABLE : 0, .at = offset()};
		x.from = earlier(x.count);
		expr_t from = items[x.from].array;
		if (r >> 4 & 3) {
			x.what = WRITE;
			x.value = some_value(r >> 8 & 1 ? 8 : r >> 9 & 1 ? 16 : 32);
			x.array = expr_array_write(pool, from, x.at, x.value);
		} else if (r >> 10 & 1) {
			x.what = FILL;
			x.value = some_value(8);
			x.length = r >> 11 & 1 ? expr_const(pool, 64, r >> 12 & 3) : expr_named(pool, 64, "i0");
			x.array = expr_array_fill(pool, from, x.at, x.length, x.value);
		} else {
			x.what = CHOICE;
			x.value = some_value(1);
			x.other = earlier(x.count);
			x.array = expr_array_ite(pool, x.value, from, items[x.other].array);
		}
		assert_true(expr_is_array(pool, x.array));
		add(x);
	}
}

static void check_word(struct exprs *p, expr_t e, unsigned item, expr_t at, unsigned bytes)
{
	uint64_t first = (uint64_t)evaluate(pool, at);
	u128 want = 0;
	if (!items[item].count || (first <= TABLE - bytes))
		for (unsigned k = bytes; k-- > 0;)
			want = want << 8 | byte_in(item, first + k);
	assert_true(evaluate(p, e) == want);
}

static int has_op(struct exprs *p, expr_t e, unsigned op)
{
	struct expr_order order = {0};
	int has = 0;
	expr_walk(p, &e, 1, &order);
	for (size_t i = 0; i < order.size; i++)
		has |= node(p, order.data[i])->op == op;
	vec_release(&order);
	return has;
}

static void test_histories(void **unused)
{
	(void)unused;
	for (unsigned seed = 1; seed <= rounds(60); seed++) {
		start(seed);
		struct exprs *other = exprs_new();
		struct expr_import memo = {0};
		for (unsigned i = 0; i < 60; i++) {
			unsigned item = (unsigned)(random64() % item_count), bytes = 1u << random64() % 3, n;
			expr_t at = offset(), e = expr_array_read(pool, items[item].array, at, 8 * bytes);
			expr_t flat = expr_expand_arrays(pool, e), copy = expr_import(other, pool, e, &memo), back[2], roots[2] = {e, items[0].array};
			struct buf b = {0};
			expr_write(pool, roots, 2, &b);
			struct exprs *third = exprs_new();
			if (expr_read_serial(third, b.data, b.size, back, 2, &n))
				fail_msg("%s", error_text());
			assert_true(!has_op(pool, e, EXPR_OP_FILL));
			assert_true(!has_op(pool, flat, EXPR_OP_WRITE));
			if (items[item].count)
				assert_true(!has_op(pool, e, EXPR_OP_SELECT));
			struct hash128 d = expr_digest(pool, e), d2 = expr_digest(other, copy), d3 = expr_digest(third, back[0]);
			assert_true(d.a == d2.a && d.b == d2.b && d.a == d3.a && d.b == d3.b);
			for (point = 0; point < POINTS; point++) {
				check_word(pool, e, item, at, bytes);
				check_word(pool, flat, item, at, bytes);
				check_word(other, copy, item, at, bytes);
				check_word(third, back[0], item, at, bytes);
			}
			buf_release(&b);
			exprs_free(third);
		}
		for (expr_t e = 1; e < exprs_count(pool); e++) { /* constructors give their own terms back */
			struct expr_node n = *node(pool, e);
			if (n.op == EXPR_OP_SELECT || n.op == EXPR_OP_FILL || (n.op == EXPR_OP_WRITE && !n.width))
				assert_int_equal(expr_rebuild(pool, &n, n.a, n.b, n.c), e);
		}
		expr_import_release(&memo);
		exprs_free(other);
		exprs_free(pool);
	}
}

static expr_t array_b(void *ctx, expr_t e)
{
	(void)ctx;
	return expr_get(pool, e)->op == EXPR_OP_ARRAY ? expr_array_write(pool, expr_array(pool, "B"), expr_const(pool, 64, 3), expr_const(pool, 8, 9)) : EXPR_NONE;
}

static void test_forms(void **unused)
{
	(void)unused;
	pool = exprs_new();
	expr_t a = expr_array(pool, "A"), i = expr_named(pool, 64, "i1"), j = expr_named(pool, 64, "i2"), v = expr_named(pool, 8, "v1");
	expr_t three = expr_const(pool, 64, 3), i1 = expr_binary(pool, MUSTER_OP_ADD, i, expr_const(pool, 64, 1));
	uint32_t n;
	assert_int_equal(expr_array_select(pool, expr_array_write(pool, a, i, v), i), v);
	assert_int_equal(expr_array_select(pool, expr_array_write(pool, a, i, v), i1), expr_array_select(pool, a, i1));
	assert_int_equal(expr_array_write(pool, a, i, expr_array_select(pool, a, i)), a);
	assert_int_equal(expr_array_fill(pool, a, i, expr_const(pool, 64, 0), v), a);
	expr_t e = expr_array_select(pool, expr_array_write(pool, a, i, v), j);
	assert_int_equal(expr_get(pool, e)->op, EXPR_OP_SELECT);
	assert_int_equal(expr_expand_arrays(pool, e), expr_ite(pool, expr_eq(pool, i, j), v, expr_array_select(pool, a, j)));
	const expr_t *vars = expr_vars(pool, e, &n);
	assert_int_equal(n, 4);
	assert_int_equal(vars[0], a);
	/* another array in its place: what became known is used */
	e = expr_substitute(pool, expr_array_select(pool, a, three), array_b, NULL);
	assert_int_equal(e, expr_const(pool, 8, 9));
	struct buf text = {0}, smt = {0};
	expr_t is = expr_eq(pool, expr_array_select(pool, expr_array_write(pool, a, i, v), j), v);
	expr_c(pool, is, &text, NULL, NULL, NULL);
	assert_non_null(strstr(buf_str(&text), "A[i2]"));
	expr_smtlib(pool, &is, 1, &smt);
	assert_non_null(strstr(buf_str(&smt), "(set-logic QF_ABV)"));
	assert_non_null(strstr(buf_str(&smt), "(store |@A| |$i1:64| |$v1:8|)"));
	buf_release(&text);
	buf_release(&smt);
	exprs_free(pool);
}

/* ------------------------------------------------------------ functions */
static u128 weighted(void *ctx, expr_t e, const u128 *args, unsigned count)
{
	u128 r = count;
	(void)ctx, (void)e;
	for (unsigned i = 0; i < count; i++)
		r = r * 31 + args[i];
	return r;
}

static void test_functions(void **unused)
{
	(void)unused;
	pool = exprs_new();
	expr_t args[40], got[40], before = EXPR_NONE;
	for (unsigned count = 0; count <= 40; count += count < 8 ? 1 : 8) {
		u128 want = count;
		for (unsigned i = 0; i < count; i++) {
			args[i] = expr_const(pool, 8 + i % 3, i * 5 + 1);
			want = want * 31 + (i * 5 + 1);
		}
		expr_t e = expr_apply(pool, "f", 64, args, count), back;
		unsigned n;
		struct buf b = {0}, text = {0};
		assert_int_equal(expr_arguments(pool, e, got, 40), count);
		assert_memory_equal(got, args, count * sizeof *args);
		assert_true(expr_evaluate(pool, e, &(struct expr_values){.value = value_of, .apply = weighted}) == (uint64_t)want);
		assert_true(e != before);
		assert_int_equal(expr_apply(pool, "f", 64, args, count), e);
		struct exprs *other = exprs_new();
		expr_write(pool, &e, 1, &b);
		assert_int_equal(expr_read_serial(other, b.data, b.size, &back, 1, &n), 0);
		assert_true(expr_eval(other, back, value_of, other) == expr_eval(pool, e, value_of, NULL));
		assert_int_equal(expr_arguments(other, back, got, 40), count);
		expr_c(pool, e, &text, NULL, NULL, NULL);
		n = 0;
		for (const char *s = buf_str(&text); (s = strchr(s, ',')); s++)
			n++;
		assert_int_equal(n, count ? count - 1 : 0);
		buf_release(&text);
		buf_release(&b);
		exprs_free(other);
		before = e;
	}
	exprs_free(pool);
}

/* Damaged bytes give words or terms in order, never anything else. */
static void test_damaged(void **unused)
{
	(void)unused;
	struct buf b = {0};
	start(5);
	expr_t e = expr_array_read(pool, items[ITEMS - 1].array, offset(), 16);
	for (unsigned i = ITEMS; i-- > 0 && !has_op(pool, e, EXPR_OP_WRITE);)
		e = expr_array_read(pool, items[i].array, expr_named(pool, 64, "j"), 16);
	assert_true(has_op(pool, e, EXPR_OP_WRITE));
	expr_write(pool, &e, 1, &b);
	for (size_t i = 16; i < b.size - 8; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			struct exprs *other = exprs_new();
			expr_t back;
			unsigned n;
			b.data[i] ^= (char)(1 << bit);
			uint64_t hash = hash64(b.data, b.size - 8, EXPR_SERIAL_VERSION);
			memcpy(b.data + b.size - 8, &hash, 8);
			if (!expr_read_serial(other, b.data, b.size, &back, 1, &n) && expr_width(other, back))
				evaluate(other, back);
			b.data[i] ^= (char)(1 << bit);
			exprs_free(other);
		}
	buf_release(&b);
	exprs_free(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_histories),
	    cmocka_unit_test(test_forms),
	    cmocka_unit_test(test_functions),
	    cmocka_unit_test(test_damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
