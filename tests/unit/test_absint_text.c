/* test_absint_text.c: facts printed as C have, compiled, the truth of the facts, for operands of all types at the ends of their ranges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "absint/text.h"
#include "base/file.h"
#include "base/proc.h"

#include <stdio.h>
#include <string.h>

#define NAMES 9 /* the last one is a count */
#define FACTS 400
#define POINTS 12

static const struct {
	const char *type;
	unsigned bits;
	int is_signed;
} types[NAMES] = {{"signed char", 8, 1}, {"unsigned char", 8, 0}, {"short", 16, 1}, {"unsigned short", 16, 0}, {"int", 32, 1},
		  {"unsigned", 32, 0},	 {"long", 64, 1},	  {"unsigned long", 64, 0}, {"long", 0, 1}};
static struct text_name names[NAMES];
static uint64_t seed = 88172645463325252u;

static uint64_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static void make_names(void)
{
	static char texts[NAMES][3];

	for (int i = 0; i < NAMES; i++) {
		snprintf(texts[i], sizeof texts[i], "v%d", i);
		names[i] = (struct text_name){texts[i], types[i].bits, types[i].is_signed};
	}
}

/* Small, or at an end of the type's range. */
static wide value(int i)
{
	unsigned bits = types[i].bits;
	wide low = bits && types[i].is_signed ? -((wide)1 << (bits - 1)) : 0;
	wide high = ((wide)1 << (!bits ? 50 : types[i].is_signed ? bits - 1 : bits)) - 1;
	wide v = (wide)(next() % 5) - 2;

	switch (next() % 4) {
	case 0:
		v = low + (wide)(next() % 3);
		break;
	case 1:
		v = high - (wide)(next() % 3);
		break;
	}
	return v < low ? low : v > high ? high : v;
}

static struct linear fact(void)
{
	static const int64_t coefs[] = {1, 1, 1, -1, -1, -1, 2, -2, 3, -5, 100, -70000, 3000000000};
	static const wide constants[] = {0, 0, 0, 1, -1, 2, -3, 255, -65536, INT32_MAX, -(wide)INT32_MAX - 2, (wide)1 << 40, -((wide)1 << 64)};
	struct linear l = {.kind = next() % 3 ? LINEAR_GE : LINEAR_EQ};
	unsigned terms = 1 + (unsigned)(next() % 3);

	for (unsigned i = 0; i < terms; i++)
		linear_add_dim(&l, (uint32_t)(next() % NAMES), coefs[next() % (sizeof coefs / sizeof coefs[0])]);
	l.constant = constants[next() % (sizeof constants / sizeof constants[0])];
	if (next() % 8 == 0) {
		l.kind = LINEAR_MODULO;
		l.bits = 1 + (unsigned)(next() % 20);
	}
	return l;
}

static void print_value(struct buf *b, wide v)
{
	if (v < 0) /* the lowest value has no literal of its own */
		buf_addf(b, "(-%llu - 1)", (unsigned long long)-(v + 1));
	else
		buf_addf(b, "%llu%s", (unsigned long long)v, v > INT64_MAX ? "u" : "");
}

/* A fact at some points: a line for each, with what it should be. */
static void add_lines(struct buf *program, const struct linear *l, int number)
{
	buf_addf(program, "static int f%d(", number);
	for (int i = 0; i < NAMES; i++)
		buf_addf(program, "%s%s v%d", i ? ", " : "", types[i].type, i);
	buf_adds(program, ") { return ");
	text_fact(program, l, names);
	buf_adds(program, "; }\n");
}

static void add_calls(struct buf *program, const struct linear *l, int number)
{
	for (int k = 0; k < POINTS; k++) {
		wide values[NAMES];

		for (int i = 0; i < NAMES; i++)
			values[i] = value(i);
		if (l->kind == LINEAR_EQ && k % 2 && l->terms.size && (l->terms.data[0].coef == 1 || l->terms.data[0].coef == -1)) {
			/* A point where it holds, if the first operand can do that. */
			uint32_t d = l->terms.data[0].dim;
			wide rest = linear_value(l, values) - l->terms.data[0].coef * values[d], wanted = -rest * l->terms.data[0].coef;

			if (types[d].bits == 64 && types[d].is_signed && wanted >= INT64_MIN && wanted <= INT64_MAX)
				values[d] = wanted;
		}
		buf_addf(program, "\tif (f%d(", number);
		for (int i = 0; i < NAMES; i++) {
			buf_adds(program, i ? ", " : "");
			print_value(program, values[i]);
		}
		buf_addf(program, ") != %d)\n\t\tprintf(\"fact %d\\n\"), bad++;\n", linear_holds(l, values), number);
	}
}

static void compiled_facts(void **state)
{
	struct buf functions = BUF_EMPTY, calls = BUF_EMPTY;
	char *source = file_temp("facts.c"), *program = file_temp("facts");
	char *compile[] = {"clang-19", "-w", "-fsanitize=undefined", "-fno-sanitize-recover=all", source, "-o", program, NULL}, *run[] = {program, NULL};
	struct proc_opts opts = {.capture_out = 1, .merge_err = 1};
	struct proc_result r = {0};

	(void)state;
	make_names();
	buf_adds(&functions, "#include <stdio.h>\n");
	buf_adds(&calls, "int main(void)\n{\n\tint bad = 0;\n");
	for (int i = 0; i < FACTS; i++) {
		struct linear l = fact();

		if (l.terms.size) {
			add_lines(&functions, &l, i);
			add_calls(&calls, &l, i);
		}
		linear_release(&l);
	}
	buf_adds(&calls, "\treturn bad != 0;\n}\n");
	buf_add(&functions, calls.data, calls.size);
	assert_int_equal(file_write_atomic(source, functions.data, functions.size), 0);
	assert_int_equal(proc_run(compile, &opts, &r), 0);
	if (r.status)
		printf("%s\n", buf_str(&r.out));
	assert_int_equal(r.status, 0);
	proc_release(&r);
	assert_int_equal(proc_run(run, &opts, &r), 0);
	if (r.status)
		printf("%s\n", buf_str(&r.out));
	assert_int_equal(r.status, 0);
	proc_release(&r);
	buf_release(&functions);
	buf_release(&calls);
	free(source);
	free(program);
}

static void assert_text(const char *wanted, struct linear l)
{
	struct buf b = BUF_EMPTY;

	text_fact(&b, &l, names);
	assert_string_equal(buf_str(&b), wanted);
	buf_release(&b);
	linear_release(&l);
}

/* kind, constant, then pairs (dimension, coefficient) up to -1. */
static struct linear build(enum linear_kind kind, long constant, ...)
{
	struct linear l = {.kind = kind, .constant = constant};
	va_list ap;

	va_start(ap, constant);
	for (int d; (d = va_arg(ap, int)) >= 0;)
		linear_add_dim(&l, (uint32_t)d, va_arg(ap, int));
	va_end(ap);
	return l;
}

static void texts(void **state)
{
	(void)state;
	make_names();
	assert_text("v4 <= 10", build(LINEAR_GE, 10, 4, -1, -1));
	assert_text("v0 < v2", build(LINEAR_GE, -1, 0, -1, 2, 1, -1));
	assert_text("v4 == 2 * v8 + 3", build(LINEAR_EQ, -3, 4, 1, 8, -2, -1));
	assert_text("(long)v4 < v5", build(LINEAR_GE, -1, 4, -1, 5, 1, -1));	    /* int and unsigned */
	assert_text("v5 < v7", build(LINEAR_GE, -1, 5, -1, 7, 1, -1));	    /* both unsigned */
	assert_text("v7 == v8", build(LINEAR_EQ, 0, 7, 1, 8, -1, -1));	    /* a count is not negative */
	assert_text("(__int128)v4 < v7", build(LINEAR_GE, -1, 4, -1, 7, 1, -1)); /* int and unsigned long */
	assert_text("(long)v4 + 1 >= v5", build(LINEAR_GE, 1, 4, 1, 5, -1, -1));
	assert_text("v4 >= -5", build(LINEAR_GE, 5, 4, 1, -1));
	assert_text("v0 + v1 >= v2 + 7", build(LINEAR_GE, -7, 0, 1, 1, 1, 2, -1, -1));
}

static void cases(void **state)
{
	struct absint_facts facts = {0};
	linear_list more = {0};
	struct buf b = BUF_EMPTY;
	struct absint_case one = {0}, two = {0};

	(void)state;
	make_names();
	text_facts(&b, &facts, &more, names, 0);
	assert_string_equal(buf_str(&b), "false");
	vec_push(&one.facts, build(LINEAR_GE, 0, 4, 1, -1));
	vec_push(&one.facts, build(LINEAR_EQ, -2, 0, 1, -1));
	vec_push(&two.facts, build(LINEAR_GE, -5, 4, -1, -1));
	vec_push(&facts.cases, one);
	vec_push(&facts.cases, two);
	buf_clear(&b);
	text_facts(&b, &facts, &more, names, 0);
	assert_string_equal(buf_str(&b), "(v0 == 2 && v4 >= 0) || v4 <= -5");
	vec_push(&more, build(LINEAR_EQ, -1, 1, 1, -1));
	buf_clear(&b);
	text_facts(&b, &facts, &more, names, 0);
	assert_string_equal(buf_str(&b), "v1 == 1 && ((v0 == 2 && v4 >= 0) || v4 <= -5)");
	vec_push(&facts.cases, (struct absint_case){0});
	buf_clear(&b);
	text_facts(&b, &facts, &more, names, 0);
	assert_string_equal(buf_str(&b), "v1 == 1");
	linear_list_release(&more);
	buf_clear(&b);
	text_facts(&b, &facts, &more, names, 0);
	assert_string_equal(buf_str(&b), "true");
	absint_facts_release(&facts);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(texts), cmocka_unit_test(cases), cmocka_unit_test(compiled_facts)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
