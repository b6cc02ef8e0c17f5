/* test_expr_text.c: terms as C, as SMT-LIB and as bytes mean what the terms mean.
 *
 * C is compiled (undefined behaviour traps) and run, SMT-LIB is given to Z3, bytes are read back,
 * whole and damaged. MUSTER_TEST_ROUNDS makes it longer.
 */
#include "test_expr.h"
#include "base/error.h"
#include "expr/cexpr.h"
#include "expr/text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <z3.h>

#include <cmocka.h>

static unsigned rounds(unsigned usual)
{
	const char *s = getenv("MUSTER_TEST_ROUNDS");
	return s ? usual * (unsigned)atoi(s) : usual;
}

/* --------------------------------------------------------------------- C */

static struct exprs *p;

static void expect_c(expr_t e, const char *wanted)
{
	struct buf text = {0}, lets = {0};
	expr_c(p, e, &text, &lets, NULL, NULL);
	buf_add(&lets, text.data, text.size);
	assert_string_equal(buf_str(&lets), wanted);
	buf_release(&text);
	buf_release(&lets);
}

static expr_t number(unsigned width, uint64_t v)
{
	return expr_const(p, width, v);
}

static void test_c_examples(void **unused)
{
	(void)unused;
	p = exprs_new();
	expr_t in[8];
	for (unsigned i = 0; i < 8; i++)
		in[i] = expr_input(p, 0, i);
	expect_c(expr_eq(p, in[3], number(8, 'a')), "in[3] == 'a'");
	expect_c(expr_not(p, expr_eq(p, expr_zext(p, in[3], 32), number(32, '\n'))),
		 "in[3] != '\\n'");
	/* put together by shifts and ORs, as C programs do it */
	expr_t word = expr_zext(p, in[0], 32);
	for (unsigned i = 1; i < 4; i++)
		word = expr_binary(
		    p, MUSTER_OP_OR, word,
		    expr_binary(p, MUSTER_OP_SHL, expr_zext(p, in[i], 32), number(32, 8 * i)));
	expect_c(expr_binary(p, MUSTER_OP_ULT, word, number(32, 300)), "u32le(in, 0) < 300");
	expect_c(expr_unary(p, MUSTER_OP_BSWAP, word), "u32be(in, 0)");
	expect_c(expr_eq(p, expr_binary(p, MUSTER_OP_ADD, word, number(32, 3)), number(32, 5)),
		 "u32le(in, 0) == 2");
	expr_t lower = expr_binary(p, MUSTER_OP_ADD, expr_zext(p, in[0], 32), number(32, -48));
	expect_c(expr_binary(p, MUSTER_OP_ULT, lower, number(32, 10)),
		 "(uint32_t)(in[0] - '0') < 10");
	expect_c(expr_binary(p, MUSTER_OP_ULT, expr_length(p, 1), number(64, 10)), "len(in2) < 10");
	expect_c(expr_binary(p, MUSTER_OP_UDIV, in[0], in[1]), "(uint32_t)udiv(in[0], in[1], 8)");
	exprs_free(p);
}

/* A DAG of 2^200 paths and a chain of 100,000 terms come out linear. */
static void test_c_linear(void **unused)
{
	(void)unused;
	p = exprs_new();
	expr_t e = expr_zext(p, expr_input(p, 0, 0), 32);
	for (unsigned i = 0; i < 200; i++)
		e = expr_binary(p, MUSTER_OP_MUL, e, e);
	for (unsigned i = 0; i < 100000; i++)
		e = expr_binary(p, i % 2 ? MUSTER_OP_MUL : MUSTER_OP_ADD, e,
				i % 2 ? number(32, i) : expr_zext(p, expr_input(p, 0, i), 32));
	struct buf text = {0}, lets = {0};
	expr_c(p, e, &text, &lets, NULL, NULL);
	assert_true(text.size < 1000);
	assert_true(lets.size > 100000 && lets.size < 20000000);
	buf_clear(&text);
	expr_c(p, e, &text, NULL, NULL, NULL);
	assert_true(text.size < 20000000);
	buf_clear(&text);
	expr_smtlib(p, &e, 1, &text);
	assert_true(text.size < 20000000);
	buf_release(&text);
	buf_release(&lets);
	exprs_free(p);
}

static void put_value(struct buf *b, u128 v)
{
	buf_addf(b, "U128(0x%" PRIx64 "ull, 0x%" PRIx64 "ull)", (uint64_t)(v >> 64), (uint64_t)v);
}

/* Arguments of a term's function: sources, lengths and named values. */
#define PARAMETERS                                                                         \
	"const uint8_t *in, const uint8_t *in2, uint64_t len_in, uint8_t vj, uint8_t vk, " \
	"uint32_t vl, uint64_t vm, uint128_t vn"

static void put_arguments(struct soup *s, struct buf *b)
{
	buf_adds(b, "(const uint8_t[]){");
	for (unsigned i = 0; i < 8; i++)
		buf_addf(b, "%u%s", (unsigned)s->items[i].at[s->point],
			 i == 5 ? "}, (const uint8_t[]){" : ", ");
	buf_addf(b, "}, ");
	for (unsigned i = 8; i < SOUP_VARS; i++) {
		put_value(b, s->items[i].at[s->point]);
		buf_adds(b, i + 1 < SOUP_VARS ? ", " : "");
	}
}

static void put_name(void *ctx, expr_t variable, struct buf *out)
{
	expr_c(ctx, variable, out, NULL, NULL, NULL);
}

static void put_checks(struct soup *s, struct buf *code, struct buf *main, unsigned first,
		       unsigned step, unsigned *number)
{
	for (unsigned i = SOUP_VARS + first; i < s->count; i += step) {
		struct soup_item *x = &s->items[i];
		struct buf text = {0}, lets = {0};
		if (expr_is_const(s->p, x->e, NULL))
			continue;
		if (*number % 5 < 2)
			expr_c_alone(s->p, x->e, &text, put_name, s->p);
		else
			expr_c(s->p, x->e, &text, *number % 3 ? &lets : NULL, NULL, NULL);
		buf_addf(code, "static uint128_t f%u(" PARAMETERS ")\n{\n%sreturn %s;\n}\n",
			 *number, buf_str(&lets), buf_str(&text));
		for (s->point = 0; s->point < POINTS; s->point += 3) {
			buf_addf(main, "	check(%u, f%u(", *number, *number);
			put_arguments(s, main);
			buf_adds(main, "), ");
			put_value(main, x->at[s->point]);
			buf_adds(main, ");\n");
		}
		++*number;
		buf_release(&text);
		buf_release(&lets);
	}
}

static void run_c(struct buf *code)
{
	char dir[] = "/tmp/test_expr.XXXXXX", command[400];
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof command, "%s/t.c", dir);
	FILE *f = fopen(command, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(code->data, 1, code->size, f), code->size);
	assert_int_equal(fclose(f), 0);
	snprintf(command, sizeof command,
		 "clang-19 -w -fsanitize=undefined,bounds -fsanitize-trap=all "
		 "-fno-sanitize=unsigned-integer-overflow -o %s/t %s/t.c && %s/t",
		 dir, dir, dir);
	int status = system(command);
	snprintf(command, sizeof command, "rm -r %s", dir);
	if (status)
		print_error("the program stays in %s\n", dir);
	else if (system(command))
		print_error("%s is left\n", dir);
	assert_int_equal(status, 0);
}

static void test_c_values(void **unused)
{
	(void)unused;
	static struct soup s;
	struct buf code = {0}, main = {0};
	unsigned number = 0;
	buf_addf(&code, "%s#include <stdio.h>\n#define len(x) len_##x\nstatic int bad;\n",
		 cx_prologue);
	buf_adds(&code, "static void check(int i, uint128_t x, uint128_t y)\n"
			"{ if (x != y) bad = 1, printf(\"term %d\\n\", i); }\n");
	for (unsigned seed = 1; number < rounds(500); seed++) {
		soup_init(&s, seed * 7919, 150, seed % 2 ? 64 : 128);
		put_checks(&s, &code, &main, seed % 5, 8, &number);
		soup_release(&s);
	}
	buf_addf(&code, "int main(void)\n{\n%s	return bad;\n}\n", buf_str(&main));
	run_c(&code);
	buf_release(&code);
	buf_release(&main);
}

/* --------------------------------------------------------------- SMT-LIB */

static int answer_is(Z3_context z3, const char *text, const char *wanted)
{
	const char *answer = Z3_eval_smtlib2_string(z3, text);
	int right = !strncmp(answer, wanted, strlen(wanted));
	if (!right)
		print_error("Z3 says %.400s\nof %.30000s\n", answer, text);
	return right;
}

static int verdict_is(Z3_context z3, struct exprs *pool, const expr_t *terms, unsigned count,
		      const char *wanted)
{
	struct buf text = {0};
	buf_adds(&text, "(reset)\n");
	expr_smtlib(pool, terms, count, &text);
	int right = answer_is(z3, buf_str(&text), wanted);
	buf_release(&text);
	return right;
}

static void smt_name(struct soup *s, unsigned i, char out[32])
{
	const struct expr_node *n = expr_get(s->p, s->items[i].e);
	if (n->op == MUSTER_OP_INPUT)
		snprintf(out, 32, "in%u_%u", n->a, (unsigned)n->k);
	else if (n->op == MUSTER_OP_LENGTH)
		snprintf(out, 32, "len%u", n->a);
	else
		snprintf(out, 32, "|$%s:%u|", expr_name(s->p, s->items[i].e), n->width);
}

/* The query with each variable's declaration replaced by its value. Left to a solver, 128-bit
 * divisions take seconds; like this it is only evaluation. */
static void define_variables(struct soup *s, struct buf *query, struct buf *out)
{
	char *at = buf_str(query), *line;
	for (; (line = strsep(&at, "\n"));) {
		unsigned i = 0;
		for (; i < SOUP_VARS; i++) {
			char name[32], start[64];
			smt_name(s, i, name);
			snprintf(start, sizeof start, "(declare-fun %s () ", name);
			if (!strncmp(line, start, strlen(start)))
				break;
		}
		if (i == SOUP_VARS) {
			buf_addf(out, "%s\n", line);
			continue;
		}
		u128 v = s->items[i].at[s->point];
		buf_addf(out, "(define-fun %.*s #b", (int)strlen(line) - 14, line + 13);
		for (unsigned bit = s->items[i].width; bit-- > 0;)
			buf_addc(out, v >> bit & 1 ? '1' : '0');
		buf_adds(out, ")\n");
	}
}

static void expect_true(Z3_context z3, struct soup *s, const expr_t *claims, unsigned count)
{
	struct buf query = {0}, text = {0};
	expr_smtlib(s->p, claims, count, &query);
	define_variables(s, &query, &text);
	Z3_ast_vector parsed = Z3_parse_smtlib2_string(z3, buf_str(&text), 0, 0, 0, 0, 0, 0);
	if (Z3_get_error_code(z3) != Z3_OK)
		fail_msg("Z3: %s", Z3_get_error_msg(z3, Z3_get_error_code(z3)));
	Z3_ast_vector_inc_ref(z3, parsed);
	assert_int_equal(Z3_ast_vector_size(z3, parsed), count);
	for (unsigned i = 0; i < count; i++) {
		Z3_ast value = Z3_simplify(z3, Z3_ast_vector_get(z3, parsed, i));
		if (Z3_get_bool_value(z3, value) != Z3_L_TRUE)
			fail_msg("claim %u: Z3 gives %.300s for\n%.20000s", i,
				 Z3_ast_to_string(z3, value), buf_str(&text));
	}
	Z3_ast_vector_dec_ref(z3, parsed);
	buf_release(&query);
	buf_release(&text);
}

/* Where the variables have their values, the terms have theirs. */
static void test_smtlib(void **unused)
{
	(void)unused;
	static struct soup s;
	Z3_config config = Z3_mk_config();
	Z3_context z3 = Z3_mk_context(config);
	Z3_set_error_handler(z3, NULL);
	for (unsigned seed = 1; seed <= rounds(14); seed++) {
		soup_init(&s, seed * 31, 80, seed % 2 ? 64 : 128);
		s.point = seed % POINTS;
		expr_t claims[SOUP_MAX];
		unsigned count = 0;
		for (unsigned i = seed % 3; i < s.count; i += 3) {
			expr_t value = expr_const(s.p, s.items[i].width, s.items[i].at[s.point]);
			claims[count++] = expr_eq(s.p, s.items[i].e, value);
		}
		expect_true(z3, &s, claims, count);
		soup_release(&s);
	}
	/* functions: equal arguments give equal values */
	struct exprs *pool = exprs_new();
	expr_t x = expr_named(pool, 8, "a|b"), y = expr_named(pool, 8, "y");
	expr_t fx = expr_apply(pool, "f", 16, &x, 1), fy = expr_apply(pool, "f", 16, &y, 1);
	expr_t both[2] = {expr_eq(pool, x, y), expr_not(pool, expr_eq(pool, fx, fy))};
	assert_true(verdict_is(z3, pool, both, 2, "unsat"));
	assert_true(verdict_is(z3, pool, both + 1, 1, "sat"));
	exprs_free(pool);
	Z3_del_context(z3);
	Z3_del_config(config);
}

/* ----------------------------------------------------------------- bytes */

struct twin {
	struct soup *s;
	struct exprs *other;
};

static u128 twin_value(void *ctx, expr_t variable)
{
	struct twin *t = ctx;
	struct hash128 x = expr_digest(t->other, variable), y;
	for (unsigned i = 0; i < SOUP_VARS; i++) {
		y = expr_digest(t->s->p, t->s->items[i].e);
		if (x.a == y.a && x.b == y.b)
			return t->s->items[i].at[t->s->point];
	}
	fail_msg("a variable without a twin");
	return 0;
}

static unsigned soup_roots(struct soup *s, expr_t roots[SOUP_MAX])
{
	for (unsigned i = 0; i < s->count; i++)
		roots[i] = s->items[i].e;
	expr_t args[2] = {s->items[0].e, s->items[11].e};
	roots[s->count] = expr_apply(s->p, "f", 16, args, 2);
	return s->count + 1;
}

static void test_serial(void **unused)
{
	(void)unused;
	static struct soup s;
	for (unsigned seed = 1; seed <= rounds(200); seed++) {
		expr_t roots[SOUP_MAX], back[SOUP_MAX];
		unsigned count;
		struct buf b = {0};
		soup_init(&s, seed * 101, 150, 128);
		unsigned n = soup_roots(&s, roots);
		expr_write(s.p, roots, n, &b);
		struct twin t = {&s, exprs_new()};
		if (expr_read_serial(t.other, b.data, b.size, back, SOUP_MAX, &count))
			fail_msg("%s", error_text());
		assert_int_equal(count, n);
		for (unsigned i = 0; i < s.count; i++) {
			s.point = i % POINTS;
			assert_true(expr_eval(t.other, back[i], twin_value, &t) ==
				    s.items[i].at[s.point]);
		}
		/* into the same pool: the same terms */
		assert_int_equal(expr_read_serial(s.p, b.data, b.size, back, SOUP_MAX, &count), 0);
		assert_memory_equal(back, roots, n * sizeof *back);
		assert_int_equal(expr_read_serial(t.other, b.data, b.size, back, n - 1, &count),
				 -1);
		exprs_free(t.other);
		buf_release(&b);
		soup_release(&s);
	}
}

static void seal(struct buf *b)
{
	uint64_t h = hash64(b->data, b->size - 8, EXPR_SERIAL_VERSION);
	memcpy(b->data + b->size - 8, &h, 8);
}

/* Bytes changed, cut off or put in, with the hash made right again: it is refused with words, or it
 * is another DAG. */
static void test_damage(void **unused)
{
	(void)unused;
	static struct soup s;
	unsigned refused = 0, accepted = 0;
	for (unsigned seed = 1; seed <= rounds(3000); seed++) {
		expr_t roots[SOUP_MAX], back[SOUP_MAX];
		unsigned count, n;
		struct buf b = {0};
		soup_init(&s, seed, 8, 128);
		n = soup_roots(&s, roots);
		expr_write(s.p, roots, n, &b);
		b.data[b.size / 2] ^= 1;
		struct exprs *other = exprs_new();
		assert_int_equal(expr_read_serial(other, b.data, b.size, back, SOUP_MAX, &count),
				 -1);
		b.data[b.size / 2] ^= 1;
		for (unsigned i = 0; i <= seed % 3; i++) {
			size_t at = 8 + soup_random(&s) % (b.size - 16);
			b.data[at] = (char)(soup_random(&s) % 3 ? soup_random(&s)
								: (unsigned)b.data[at] + 1);
		}
		if (seed % 7 == 0)
			b.size -= soup_random(&s) % (b.size - 20);
		if (b.size > 8)
			seal(&b);
		if (expr_read_serial(other, b.data, b.size, back, SOUP_MAX, &count)) {
			assert_true(strlen(error_text()) > 10);
			refused++;
		} else {
			for (unsigned i = 0; i < count; i++)
				assert_in_range(back[i], 1, exprs_count(other) - 1);
			accepted++;
		}
		exprs_free(other);
		buf_release(&b);
		soup_release(&s);
	}
	assert_true(refused > rounds(1000) && accepted > rounds(20));
	struct exprs *other = exprs_new();
	expr_t root;
	unsigned count;
	for (size_t size = 0; size < 40; size++)
		assert_int_equal(expr_read_serial(other,
						  "MXPR\1\0\0\0\1\0\0\0\1\0\0\0xxxxxxxxxxxxxxxx"
						  "xxxxxxxxxx",
						  size, &root, 1, &count),
				 -1);
	exprs_free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_c_examples), cmocka_unit_test(test_c_linear),
	    cmocka_unit_test(test_c_values),   cmocka_unit_test(test_smtlib),
	    cmocka_unit_test(test_serial),     cmocka_unit_test(test_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
