/* test_loop_guess.c: relations of a loop's variables: what the interpreter sees is what the machine does, what is proved holds for all inputs, and
 * what only seems so is not proved. */
#include "bitcode.h"
#include "loops/guesses.h"
#include "loops/loop_sum.h"

#include <stdint.h>
#include <stdlib.h>

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;

/* Native runs tell of each visit of a loop's head what its variables are; in the bitcode the call's operands say which values these are. */
static struct {
	uint16_t x[4];
} seen[70000];
static size_t seen_count;

static void visit(u16 a, u16 b, u16 c, u16 d)
{
	if (seen_count < sizeof seen / sizeof *seen)
		seen[seen_count].x[0] = a, seen[seen_count].x[1] = b, seen[seen_count].x[2] = c, seen[seen_count].x[3] = d;
	seen_count++;
}

/* Each of these is compiled twice: here, and as text. */
#define PROGRAMS(X)                                                                                                            \
	X(even, { /* one of two adds */                                                                                        \
		u8 c = 0;                                                                                                      \
		for (u8 i = 0;; i++) {                                                                                         \
			visit(i, c, n, m);                                                                                     \
			if (i >= n)                                                                                            \
				break;                                                                                         \
			if (i % 2)                                                                                             \
				c++;                                                                                           \
		}                                                                                                              \
	})                                                                                                                     \
	X(alternate, {                                                                                                         \
		u8 s = m;                                                                                                      \
		for (u8 i = 0;; i++) {                                                                                         \
			visit(i, s, n, m);                                                                                     \
			if (i == n)                                                                                            \
				break;                                                                                         \
			s += i & 1 ? 3 : 5;                                                                                    \
		}                                                                                                              \
	})                                                                                                                     \
	X(down, { /* two that end in each other */                                                                             \
		u8 half = 0;                                                                                                   \
		for (;;) {                                                                                                     \
			visit(half, n, m, 0);                                                                                  \
			if (n <= 1)                                                                                            \
				break;                                                                                         \
			n -= 2;                                                                                                \
			half++;                                                                                                \
		}                                                                                                              \
	})                                                                                                                     \
	X(reset, {                                                                                                             \
		u8 k = 0;                                                                                                      \
		u8 rounds = 0;                                                                                                 \
		for (u8 i = 0;; i++) {                                                                                         \
			visit(i, k, rounds, n);                                                                                \
			if (i >= n)                                                                                            \
				break;                                                                                         \
			if (++k == 10) {                                                                                       \
				k = 0;                                                                                         \
				rounds++;                                                                                      \
			}                                                                                                      \
		}                                                                                                              \
	})                                                                                                                     \
	X(swap, {                                                                                                              \
		u8 x = n;                                                                                                      \
		u8 y = m;                                                                                                      \
		for (u8 i = 0;; i++) {                                                                                         \
			visit(i, x, y, n);                                                                                     \
			if (i == 200)                                                                                          \
				break;                                                                                         \
			u8 t = x;                                                                                              \
			x = y;                                                                                                 \
			y = t;                                                                                                 \
		}                                                                                                              \
	})                                                                                                                     \
	X(masked, {                                                                                                            \
		u8 at = 0;                                                                                                     \
		for (u8 i = 0;; i++) {                                                                                         \
			visit(i, at, n, m);                                                                                    \
			if (i >= n)                                                                                            \
				break;                                                                                         \
			at = (at + 1) & 15;                                                                                    \
		}                                                                                                              \
	})                                                                                                                     \
	X(entered, { /* at two places */                                                                                       \
		u8 c = 0;                                                                                                      \
		if (m & 1)                                                                                                     \
			goto middle;                                                                                           \
	head:                                                                                                                  \
		if (n == 0)                                                                                                    \
			return;                                                                                                \
		c++;                                                                                                           \
	middle:                                                                                                                \
		visit(c, n, m, 0);                                                                                             \
		c++;                                                                                                           \
		n--;                                                                                                           \
		goto head;                                                                                                     \
	})                                                                                                                     \
	X(wrapping, { /* seems to be 2 * i in more bits than it has */                                                         \
		u8 x = 0;                                                                                                      \
		for (u8 i = 0;; i++) {                                                                                         \
			visit(i, x, n, m);                                                                                     \
			if (i == n)                                                                                            \
				break;                                                                                         \
			x = x < 100 ? x + 2 : x + 1;                                                                           \
		}                                                                                                              \
	})                                                                                                                     \
	X(parity, { /* equal only from even starts */                                                                          \
		u8 x = m;                                                                                                      \
		for (u8 i = 0;; i++) {                                                                                         \
			visit(i, x, n, m);                                                                                     \
			if (i == n)                                                                                            \
				break;                                                                                         \
			x = (x & 0xfe) + 2;                                                                                    \
		}                                                                                                              \
	})

#define NATIVE(name, ...) \
	static void name(u8 n, __attribute__((unused)) u8 m) __VA_ARGS__
PROGRAMS(NATIVE)
#undef NATIVE

static const struct {
	const char *name;
	void (*run)(u8 n, u8 m);
} programs[] = {
#define ENTRY(name, ...) {#name, name},
    PROGRAMS(ENTRY)
#undef ENTRY
};
#define COUNT (sizeof programs / sizeof *programs)

static const char text[] = "typedef unsigned char u8; typedef unsigned short u16; void visit(u8 a, u8 b, u8 c, u8 d);\n"
#define TEXT(name, ...) "void " #name "(u8 n, u8 m) " #__VA_ARGS__ "\n"
    PROGRAMS(TEXT)
#undef TEXT
    /* Relations that break late: no sample sees it. */
    "int late(u16 n) { u16 x = 0; for (u16 i = 0; i < n; i++) x += i == 50000 ? 2 : 1; return x; }\n"
    "int wraps(u16 n) { u16 c = 0; unsigned s = 0; for (u16 i = 0; i != n; i++) { c++; s += 3; } return c + s; }\n"
    "int g(int); int nest(int n, int m) { int a = 0, b = 0; for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) if (g(j)) a++; b += 2; } return a + b; }\n"
    "int product(unsigned n, unsigned m) { unsigned c = 5; for (unsigned i = 0; i < n; i++) { for (unsigned j = 0; j < m; j++) c += 3; c++; } return c; }\n"
    "int narrow(unsigned short n, unsigned short m) { unsigned c = 5; for (unsigned i = 0; i < n; i++) { for (unsigned j = 0; j < m; j++) c += 3; c++; } return c; }\n"
    "int third(unsigned n) { unsigned c = 0; for (unsigned i = 0; i < n; i++) if (i % 3 == 0) c++; return c; }\n"
    "int read(const int *p, int n) { int c = 0, d = 0; for (int i = 0; i < n; i++) if (p[i] > 7) c++; else d += 3; return c + d; }\n";

static struct code *load(void)
{
	struct buf bitcode = {0};
	compile(text, &bitcode);
	struct code *code = code_load(bitcode.data, bitcode.size, 1);
	assert_non_null(code);
	buf_release(&bitcode);
	return code;
}

static uint64_t inputs[2];

static int input_value(void *ctx, uint32_t value, uint64_t *out)
{
	(void)ctx;
	if (value < 2)
		*out = inputs[value];
	return value < 2;
}

static void run_once(struct loop_runs *r, const struct code_function *f, uint64_t n, uint64_t m, unsigned visits)
{
	struct loop_run_options o = {.seed = 7, .runs = 1, .visits = visits, .steps = 40 * visits, .value = input_value};
	inputs[0] = n;
	inputs[1] = m;
	loop_runs_make(r, f, 0, &o);
}

/* The value that is the k-th operand of visit(), and its symbol; -1: it is none. */
static int told(const struct code_function *f, const struct loop_rows *rows, unsigned k)
{
	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++)
		if (f->values[v].op == CODE_CALL)
			for (size_t i = 0; i < rows->symbols.size; i++)
				if (rows->symbols.data[i].kind == LOOP_VALUE && rows->symbols.data[i].id == code_operand(f, v, 1 + k))
					return (int)i;
	return -1;
}

static void test_interpreter(void **unused)
{
	struct code *code = load();
	(void)unused;
	for (size_t p = 0; p < COUNT; p++) {
		const struct code_function *f = code_find(code, programs[p].name);
		int several = f->loops[0].entries > 1; /* the interpreter chooses one */
		for (unsigned n = 0; n < 256; n += 5)
			for (unsigned m = 0; m < 256 && !several; m += 51) {
				struct loop_runs r;
				seen_count = 0;
				programs[p].run((u8)n, (u8)m);
				run_once(&r, f, n, m, 1000);
				const struct loop_rows *rows = &r.loops.data[0];
				assert_int_equal(rows->rows, seen_count);
				for (unsigned k = 0; k < 4; k++)
					for (size_t i = 0; told(f, rows, k) >= 0 && i < seen_count; i += 1 + seen_count / 50)
						assert_int_equal(loop_row(rows, i)[told(f, rows, k)], seen[i].x[k]);
				assert_true(told(f, rows, 0) >= 0 && told(f, rows, 1) >= 0);
				loop_runs_release(&r);
			}
	}
	code_free(code);
}

static void guess(struct loop_guesses *g, const struct code_function *f, unsigned visits)
{
	struct loop_guess_options o = {.run = {.seed = 1, .visits = visits}};
	loop_guesses_make(g, f, 0, &o);
}

/* How many relations of two or more variables are proved (not proved). */
static size_t relations(const struct loop_guessed *g, int proved)
{
	size_t n = 0;
	for (size_t i = 0; i < g->list.size; i++) {
		unsigned vary = 0;
		for (unsigned k = 0; k < g->list.data[i].count; k++)
			vary += g->rows->symbols.data[g->list.data[i].terms[k].symbol].varies;
		n += vary > 1 && g->list.data[i].proved == proved;
	}
	return n;
}

static void expect_holds(const struct loop_guessed *g, const struct loop_rows *rows, const char *name)
{
	for (size_t i = 0; i < g->list.size; i++)
		for (size_t row = 0; row < rows->rows && g->list.data[i].proved; row++)
			if (!loop_guess_holds(rows, row, &g->list.data[i])) {
				struct buf b = {0};
				loop_guess_print(&b, g->rows, &g->list.data[i]);
				fail_msg("%s: %.*s is proved, but wrong in row %zu", name, (int)b.size, (char *)b.data, row);
			}
}

/* All inputs of 8-bit programs. */
static void test_sound(void **unused)
{
	struct code *code = load();
	size_t all = 0;
	(void)unused;
	for (size_t p = 0; p < COUNT; p++) {
		const struct code_function *f = code_find(code, programs[p].name);
		struct loop_guesses g;
		guess(&g, f, 0);
		for (unsigned n = 0; n < 256; n++)
			for (unsigned m = 0; m < 256; m += n % 16 ? 85 : 5) {
				struct loop_runs r;
				run_once(&r, f, n, m, 600);
				expect_holds(&g.loops.data[0], &r.loops.data[0], programs[p].name);
				loop_runs_release(&r);
			}
		all += relations(&g.loops.data[0], 1);
		if (strcmp(programs[p].name, "wrapping") && strcmp(programs[p].name, "parity"))
			assert_true(relations(&g.loops.data[0], 1) > 0);
		loop_guesses_release(&g);
	}
	assert_true(all >= 15);
	code_free(code);
}

/* coefficients in the order of the symbols */
static int is_proved(const struct loop_guessed *g, unsigned width, int64_t low, uint64_t range, const int64_t *coefs)
{
	for (size_t i = 0; i < g->list.size; i++) {
		const struct loop_guess *x = &g->list.data[i];
		int same = x->width == width && x->range == range && !x->period && x->low == (width < 64 ? (uint64_t)low & ((1ull << width) - 1) : (uint64_t)low);
		for (size_t s = 0; s < g->rows->symbols.size && same; s++) {
			int64_t c = 0;
			for (unsigned k = 0; k < x->count; k++)
				c = x->terms[k].symbol == s ? x->terms[k].coef : c;
			same = c == coefs[s];
		}
		if (same)
			return x->proved;
	}
	return -1; /* nobody guessed it */
}

static void test_late(void **unused)
{
	struct code *code = load();
	struct loop_guesses g;
	(void)unused;
	/* x (or i) == counter in all samples; of x it is wrong after 50000 */
	guess(&g, code_find(code, "late"), 0);
	const struct loop_guessed *l = &g.loops.data[0];
	const struct code_function *f = g.runs.f;
	int proved = 0, refused = 0;
	for (size_t i = 0; i < l->list.size; i++) {
		struct loop_runs r;
		struct loop_guess x = l->list.data[i];
		int breaks = 0;
		run_once(&r, f, 60000, 0, 70000);
		assert_true(r.loops.data[0].rows == 60001);
		for (size_t row = 0; row < r.loops.data[0].rows; row++)
			breaks |= !loop_guess_holds(&r.loops.data[0], row, &x);
		assert_false(breaks && x.proved);
		refused += breaks;
		proved += x.proved;
		loop_runs_release(&r);
	}
	assert_true(proved > 0 && refused > 0);
	loop_guesses_release(&g);
	code_free(code);
}

/* c - 5 == 3 * counter * m + counter, by the inner loop's j <= m. */
static void expect_product(const struct code *code, const char *name)
{
	struct loop_guesses g;
	struct loop_runs r;
	int proved = 0;
	guess(&g, code_find(code, name), 0);
	const loop_guess_list *list = &g.loops.data[0].list;
	for (size_t i = 0; i < list->size; i++)
		for (unsigned k = 0; k < list->data[i].count; k++)
			proved |= list->data[i].proved && list->data[i].terms[k].by != CODE_NONE && list->data[i].terms[k].coef == -3;
	assert_true(proved);
	for (unsigned n = 0; n < 40; n++) {
		run_once(&r, g.runs.f, n, n * 7 % 64, 5000);
		expect_holds(&g.loops.data[0], &r.loops.data[0], name);
		loop_runs_release(&r);
	}
	loop_guesses_release(&g);
}

static void test_product(void **unused)
{
	struct code *code = load();
	(void)unused;
	expect_product(code, "product");
	expect_product(code, "narrow");
	code_free(code);
}

/* A 16-bit counter that wraps is the counter modulo 2^16, not more. */
static void test_wraps(void **unused)
{
	struct code *code = load();
	struct loop_guesses g;
	struct loop_runs r;
	(void)unused;
	guess(&g, code_find(code, "wraps"), 100);
	assert_true(relations(&g.loops.data[0], 1) >= 3);
	run_once(&r, g.runs.f, 65535, 0, 66000);
	expect_holds(&g.loops.data[0], &r.loops.data[0], "wraps");
	loop_runs_release(&r);
	loop_guesses_release(&g);
	code_free(code);
}

static void test_nest(void **unused)
{
	struct code *code = load();
	struct loop_guesses g;
	(void)unused;
	guess(&g, code_find(code, "nest"), 0);
	assert_int_equal(g.loops.size, 2);
	assert_true(relations(&g.loops.data[0], 1) >= 2); /* i and b by the counter; a is anything */
	assert_true(relations(&g.loops.data[1], 1) >= 2); /* j, and a by the edge that is taken */
	loop_guesses_release(&g);
	guess(&g, code_find(code, "read"), 0); /* i, c and d by the counter and the edge; c + d / 3 == i follows */
	assert_true(relations(&g.loops.data[0], 1) >= 3);
	loop_guesses_release(&g);
	guess(&g, code_find(code, "third"), 0);
	int64_t thrice[] = {0, 0, 0, 1, -3};
	assert_true(is_proved(&g.loops.data[0], 64, -2, 2, thrice) >= 0); /* guessed at least */
	loop_guesses_release(&g);
	code_free(code);
}

/* ---------------------------------------------------------------- random loops */

#define RANDOM 40

static void random_statement(struct buf *b, uint64_t *seed, unsigned depth)
{
	static const char *const conditions[] = {"i & 1", "i % 3 == 0", "x < 7", "x == y", "y & 2", "m > 100", "(u8)(x + i) & 4", "k"};
	static const char *const steps[] = {"x++;", "y += 3;", "x += 2; y--;", "k = !k;", "x = (x + 1) & 31;", "{ u8 t = x; x = y; y = t; }", "y = x;", "x ^= 1;", "k++; if (k == 5) k = 0;", "y = y / 2 * 2;", "x -= y;"};
	uint64_t r = hash_mix(++*seed);
	if (depth && r % 3 == 0) {
		buf_addf(b, "if (%s) { ", conditions[(r >> 8) % 8]);
		random_statement(b, seed, depth - 1);
		buf_addf(b, "} else { ");
		random_statement(b, seed, depth - 1);
		buf_addf(b, "} ");
	} else {
		buf_addf(b, "%s ", steps[(r >> 8) % 11]);
	}
	if (r >> 40 & 1 && depth)
		random_statement(b, seed, depth - 1);
}

static void test_random(void **unused)
{
	struct buf b = {0}, bitcode = {0};
	uint64_t seed = 3;
	size_t proved = 0;
	(void)unused;
	buf_addf(&b, "typedef unsigned char u8;\n");
	for (unsigned k = 0; k < RANDOM; k++) {
		buf_addf(&b, "int f%u(u8 n, u8 m) { u8 x = %s, y = %s, k = 0; for (u8 i = 0; i %s n; i++) { ", k, k & 1 ? "0" : "m", k & 2 ? "m" : "0", k & 4 ? "!=" : "<");
		random_statement(&b, &seed, 3);
		if (k & 8)
			buf_addf(&b, "for (u8 j = 0; j < (m & 7); j++) { if (j & 1) continue; x += 2; } ");
		buf_addf(&b, "} return x + 2 * y + 3 * k; }\n");
	}
	buf_add(&b, "", 1);
	compile((const char *)b.data, &bitcode);
	struct code *code = code_load(bitcode.data, bitcode.size, 1);
	assert_non_null(code);
	for (unsigned k = 0; k < RANDOM; k++) {
		struct loop_guesses g;
		char name[16];
		snprintf(name, sizeof name, "f%u", k);
		const struct code_function *f = code_find(code, name);
		guess(&g, f, 0);
		for (unsigned n = 0; n < 256; n += n < 16 || n > 240 ? 1 : 37)
			for (unsigned m = 0; m < 256; m += m < 8 ? 1 : 31) {
				struct loop_runs r;
				run_once(&r, f, n, m, 2500);
				for (size_t i = 0; i < g.loops.size; i++)
					expect_holds(&g.loops.data[i], &r.loops.data[i], name);
				loop_runs_release(&r);
			}
		for (size_t i = 0; i < g.loops.size; i++)
			proved += relations(&g.loops.data[i], 1);
		loop_guesses_release(&g);
	}
	assert_true(proved >= RANDOM);
	code_free(code);
	buf_release(&b);
	buf_release(&bitcode);
}

/* ---------------------------------------------------------------- sums */

static u128 variable_value(void *ctx, expr_t e)
{
	return hash_mix(*(uint64_t *)ctx + e);
}

static expr_t random_term(struct exprs *p, uint64_t *seed, unsigned width, unsigned depth)
{
	uint64_t r = hash_mix(++*seed);
	char name[16];
	if (!depth || r % 8 == 0) {
		snprintf(name, sizeof name, "x%u.%u", (unsigned)(r >> 8) % 4, width);
		return r % 3 ? expr_named(p, width, name) : expr_const(p, width, op_mask(r >> 20, width));
	}
	expr_t a = random_term(p, seed, width, depth - 1), b = random_term(p, seed, width, depth - 1);
	switch (r >> 8 & 7) {
	case 0:
		return expr_binary(p, MUSTER_OP_SUB, a, b);
	case 1:
		return expr_binary(p, MUSTER_OP_MUL, a, expr_const(p, width, op_mask(r >> 20 & 15, width)));
	case 2:
		return expr_ite(p, expr_binary(p, MUSTER_OP_ULT, a, b), random_term(p, seed, width, depth - 1), b);
	case 3:
		return width < 60 ? expr_extract(p, random_term(p, seed, width + 4, depth - 1), 0, width) : a;
	case 4:
		return width > 9 ? expr_concat(p, random_term(p, seed, width - 3, depth - 1), random_term(p, seed, 3, 0)) : b;
	case 5:
		return width > 9 ? expr_zext(p, random_term(p, seed, width - 5, depth - 1), width) : a;
	default:
		return expr_binary(p, MUSTER_OP_ADD, a, b);
	}
}

static void test_sums(void **unused)
{
	uint64_t seed = 1;
	size_t smaller = 0, gone = 0;
	(void)unused;
	for (unsigned n = 0; n < 3000; n++) {
		struct exprs *p = exprs_new();
		expr_t e = random_term(p, &seed, 8 + n % 57, 4), s = loop_sum(p, e);
		for (uint64_t k = 0; k < 5; k++)
			assert_true(expr_eval(p, e, variable_value, &k) == expr_eval(p, s, variable_value, &k));
		smaller += s != e;
		gone += loop_sum(p, expr_binary(p, MUSTER_OP_SUB, s, e)) == expr_const(p, 8 + n % 57, 0);
		exprs_free(p);
	}
	assert_true(smaller > 500 && gone > 2500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sums), cmocka_unit_test(test_interpreter), cmocka_unit_test(test_sound),
	    cmocka_unit_test(test_late),
	    cmocka_unit_test(test_product), cmocka_unit_test(test_wraps),	     cmocka_unit_test(test_nest),
	    cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
