/* test_site.c: site tables are written, found again, and survive being damaged. */
#include "bitcode.h"
#include "base/elf.h"
#include "base/file.h"
#include "base/hash.h"
#include "ir/checker.h"
#include "ir/site.h"
#include "ir/site_format.h"
#include "ir/unit.h"
#include "muster/abi.h"

#include <stdlib.h>

/* clang-format off */
static const char program[] =
    "extern void act(int);\n"                            /* 1 */
    "static int pick(int x)\n"                           /* 2 */
    "{\n"                                                /* 3 */
    "	switch (x) {\n"                                  /* 4 */
    "	case 10: return 1;\n"                            /* 5 */
    "	case -1: return 2;\n"                            /* 6 */
    "	}\n"                                             /* 7 */
    "	return 0;\n"                                     /* 8 */
    "}\n"                                                /* 9 */
    "int run(int x, double d)\n"                         /* 10 */
    "{\n"                                                /* 11 */
    "	if (x > 3)\n"                                    /* 12 */
    "		act(pick(x));\n"                         /* 13 */
    "	return (int)(d * 2);\n"                          /* 14 */
    "}\n";                                               /* 15 */
/* clang-format on */

static void make_table(const char *text, uint32_t id, struct buf *out, uint32_t *instructions)
{
	struct buf b = {0};
	struct unit u;

	compile(text, &b);
	if (unit_load(&u, b.data, b.size, id) || site_table_write(&u, out))
		fail_msg("%s", error_text());
	if (instructions)
		*instructions = u.count;
	unit_release(&u);
	buf_release(&b);
}

/* The first site of a kind whose `what` is as given. */
static struct site first_of(const struct site_table *t, enum site_kind kind, const char *what)
{
	struct site s;

	for (uint32_t i = 0; i < t->sites; i++)
		if (site_table_site(t, i, &s) && s.kind == kind && !strcmp(s.what, what))
			return s;
	fail_msg("no %s %s", site_kind_text(kind), what);
	return s;
}

static void test_contents(void **unused)
{
	struct buf b = {0};
	struct site_tables set = {0};
	const struct site_table *t;
	struct site s, again;
	struct site_function f;
	uint32_t count;

	(void)unused;
	make_table(program, 42, &b, &count);
	assert_int_equal(site_tables_add(&set, b.data, b.size), 1);
	t = site_tables_find(&set, 42);
	assert_non_null(t);
	assert_int_equal(t->instructions, count);
	assert_int_equal(t->functions, 2);
	assert_int_equal(t->decisions, 2);
	assert_int_equal(t->outcomes, 5);
	s = first_of(t, SITE_CALL, "act");
	assert_int_equal(s.line, 13);
	assert_string_equal(s.function, "run");
	assert_int_equal(s.outcomes, 0);
	assert_int_equal(site_find(&set, 42, s.index, &again), 1);
	assert_int_equal(again.line, 13);
	assert_string_equal(again.what, "act");
	s = first_of(t, SITE_BRANCH, "br");
	assert_int_equal(s.line, 12);
	assert_int_equal(s.outcomes, 2);
	s = first_of(t, SITE_FLOAT, "fmul");
	assert_int_equal(s.line, 14);
	s = first_of(t, SITE_FLOAT, "fptosi");
	assert_int_equal(s.column, 9);
	for (uint32_t i = 0; i < t->functions; i++) {
		assert_true(site_table_function(t, i, &f));
		assert_int_equal(f.internal, !strcmp(f.name, "pick"));
		assert_int_equal(f.line, f.internal ? 2 : 10);
		assert_int_equal(f.decisions, 1);
	}
	site_tables_release(&set);
	buf_release(&b);
}

static void test_switch_cases(void **unused)
{
	struct buf b = {0};
	struct site_tables set = {0};
	const struct site_table *t;
	struct site s;
	int64_t d;
	uint64_t value;

	(void)unused;
	make_table(program, 42, &b, NULL);
	site_tables_add(&set, b.data, b.size);
	t = site_tables_find(&set, 42);
	s = first_of(t, SITE_SWITCH, "switch");
	assert_int_equal(s.outcomes, 3);
	d = site_table_decision_at(t, s.index);
	assert_true(d >= 0);
	assert_false(site_table_case(t, (uint32_t)d, 0, &value));
	assert_true(site_table_case(t, (uint32_t)d, 1, &value));
	assert_int_equal(value, 10);
	assert_true(site_table_case(t, (uint32_t)d, 2, &value));
	assert_int_equal(value, 0xffffffff);
	assert_false(site_table_case(t, (uint32_t)d, 3, &value));
	assert_int_equal(site_table_decision_at(t, s.index + 1), -1);
	site_tables_release(&set);
	buf_release(&b);
}

/* What -fsanitize=undefined adds is marked, with the side that reports; the program's own decisions are not, and only
 * they are counted. */
static const char checked[] = "struct s { int a; struct s *n; };\n"
			      "int nul(struct s *p) { return p->a && p->n->a; }\n"
			      "int shift(int a, int b) { return a << b; }\n"
			      "char *move(char *p, long i) { return p + i; }\n"
			      "int both(int a, int b) { if (a > 3 && b + 1 > 2) return a / b; return a ? b : 2; }\n"
			      "void never(int a) { if (a) __builtin_unreachable(); }\n";

static void check_marks(const char *flags, unsigned *reporting)
{
	static const uint32_t own[] = {0, 1, 0, 0, 3, 1}; /* decisions of the program by line */
	uint32_t found[7] = {0}, checks = 0, outcomes = 0;
	struct buf b = {0}, table = {0};
	struct site_tables set = {0};
	const struct site_table *t;
	struct unit u;

	compile_with(checked, flags, &b);
	if (unit_load(&u, b.data, b.size, 5) || site_table_write(&u, &table))
		fail_msg("%s", error_text());
	site_tables_add(&set, table.data, table.size);
	t = site_tables_find(&set, 5);
	for (uint32_t i = 0; i < t->decisions; i++) {
		struct site_decision d;
		struct site s;

		assert_true(site_table_decision(t, i, &d));
		site_find(&set, 5, d.index, &s);
		assert_int_equal(d.check, s.check);
		assert_int_equal(d.check, unit_is_check(u.instructions[d.index]));
		assert_int_equal(d.first_outcome, outcomes);
		checks += d.check != 0;
		*reporting += d.fails != SITE_NO_OUTCOME;
		if (!d.check) {
			assert_in_range(s.line, 1, 6);
			found[s.line]++;
			outcomes += d.outcomes;
		}
	}
	for (unsigned line = 1; line <= 6; line++)
		assert_int_equal(found[line], own[line - 1]);
	assert_int_equal(t->outcomes, outcomes);
	assert_int_equal(checks != 0, flags != NULL);
	unit_release(&u);
	site_tables_release(&set);
	buf_release(&table);
	buf_release(&b);
}

static void test_checks(void **unused)
{
	unsigned none = 0, trap = 0, call = 0;

	(void)unused;
	check_marks(NULL, &none);
	check_marks("-fsanitize=undefined -fsanitize-trap=all", &trap);
	check_marks("-fsanitize=undefined", &call);
	assert_int_equal(none, 0);
	assert_true(trap >= 10); /* one for each check, not for their parts */
	assert_int_equal(call, trap);
}

/* One function for each kind of check: the checkers that its checks belong to, in order of their numbers. */
static const struct {
	const char *text;
	checker_set set;
} of_checker[] = {
    {"int f(int a, int b) { return a + b; }", CHECKER_BIT(MUSTER_CHECK_INT_OVER)},
    {"int f(int a, int b) { return a * b - a; }", CHECKER_BIT(MUSTER_CHECK_INT_OVER)},
    {"int f(int a) { return -a; }", CHECKER_BIT(MUSTER_CHECK_INT_OVER)},
    {"unsigned f(unsigned a, unsigned b) { return a + b; }", CHECKER_BIT(MUSTER_CHECK_UINT_OVER)},
    {"unsigned f(unsigned a, unsigned b) { return a * b; }", CHECKER_BIT(MUSTER_CHECK_UINT_OVER)},
    {"unsigned f(unsigned a, unsigned b) { return a - b; }", CHECKER_BIT(MUSTER_CHECK_UINT_UNDER)},
    {"int f(int a, int b) { return a / b; }", CHECKER_BIT(MUSTER_CHECK_DIVIDE)},
    {"unsigned f(unsigned a, unsigned b) { return a % b; }", CHECKER_BIT(MUSTER_CHECK_DIVIDE)},
    {"int f(int a, int b) { return a << b; }", CHECKER_BIT(MUSTER_CHECK_SHIFT)},
    {"unsigned f(unsigned a, int b) { return a >> b; }", CHECKER_BIT(MUSTER_CHECK_SHIFT)},
    {"int f(int *p) { return *p; }", CHECKER_BIT(MUSTER_CHECK_NULL)},
    {"int a[9]; int f(int i) { return a[i]; }",
     CHECKER_BIT(MUSTER_CHECK_ARRAY_OVER) | CHECKER_BIT(MUSTER_CHECK_OTHER)},
    {"int f(int *p, int i) { return p[i]; }", CHECKER_BIT(MUSTER_CHECK_OTHER) | CHECKER_BIT(MUSTER_CHECK_NULL)},
    {"char *f(char *p, long i) { return p + i; }", CHECKER_BIT(MUSTER_CHECK_OTHER)},
    {"void g(void *) __attribute__((nonnull)); void f(void *p) { g(p); }", CHECKER_BIT(MUSTER_CHECK_NONNULL)},
    {"__attribute__((returns_nonnull)) void *f(void *p) { return p; }", CHECKER_BIT(MUSTER_CHECK_NONNULL)},
    {"unsigned char f(int a) { return a; }", CHECKER_BIT(MUSTER_CHECK_CONVERT_HIGH)},
    {"unsigned f(int a) { return a; }", CHECKER_BIT(MUSTER_CHECK_CONVERT_HIGH)},
    {"void g(void *); void f(int n) { char a[n]; g(a); }", CHECKER_BIT(MUSTER_CHECK_ALLOC)},
    {"int f(double d) { return d; }", CHECKER_BIT(MUSTER_CHECK_OTHER)},
    {"void f(int a) { if (a) __builtin_unreachable(); }", CHECKER_BIT(MUSTER_CHECK_ASSERT)},
};

static void test_checkers(void **unused)
{
	(void)unused;
	for (size_t n = 0; n < sizeof of_checker / sizeof *of_checker; n++) {
		struct buf b = {0}, table = {0};
		struct site_tables set = {0};
		checker_set found = 0;
		struct unit u;

		compile_with(of_checker[n].text,
			     "-fsanitize=undefined,unsigned-integer-overflow,implicit-conversion -fsanitize-trap=all "
			     "-fno-sanitize=object-size,function",
			     &b);
		if (unit_load(&u, b.data, b.size, 5) || site_table_write(&u, &table))
			fail_msg("%s", error_text());
		site_tables_add(&set, table.data, table.size);
		for (uint32_t i = 0; i < set.tables[0].decisions; i++) {
			struct site_decision d;

			assert_true(site_table_decision(&set.tables[0], i, &d));
			assert_int_equal(d.check, d.checker != MUSTER_CHECK_NONE);
			if (d.check)
				found |= CHECKER_BIT(d.checker);
		}
		if (found != of_checker[n].set)
			fail_msg("%s: checkers %x, not %x", of_checker[n].text, found, of_checker[n].set);
		unit_release(&u);
		site_tables_release(&set);
		buf_release(&table);
		buf_release(&b);
	}
}

/* Frames of several units, with the padding that a linker may put between them. */
static void test_concatenated(void **unused)
{
	struct buf b = {0};
	struct site_tables set = {0};
	struct site s;

	(void)unused;
	make_table(program, 9, &b, NULL);
	buf_add(&b, "\0\0\0\0\0\0\0\0\0\0\0", 11);
	make_table("int one(void) { return 1; }", 3, &b, NULL);
	make_table("int two(int x) { return x / 2; }", 0xfffffff0, &b, NULL);
	make_table(program, 9, &b, NULL); /* linked twice */
	assert_int_equal(site_tables_add(&set, b.data, b.size), 4);
	assert_int_equal(set.count, 3);
	assert_int_equal(site_find(&set, 0xfffffff0, 0, &s), 1);
	assert_string_equal(s.function, "two");
	assert_int_equal(s.kind, SITE_ARITHMETIC);
	assert_int_equal(site_find(&set, 3, 0, &s), 1);
	assert_int_equal(s.kind, SITE_RETURN);
	assert_int_equal(site_find(&set, 4, 0, &s), 0);
	assert_int_equal(site_find(&set, 3, 1, &s), 0);
	assert_string_equal(s.function, "");
	site_tables_release(&set);
	buf_release(&b);
}

/* Reads everything a table offers; the sanitisers see whether it stays inside. */
static void read_all(const struct site_tables *set)
{
	for (size_t k = 0; k < set->count; k++) {
		const struct site_table *t = &set->tables[k];
		struct site s;
		struct site_function f;
		struct site_decision d;
		uint64_t value;
		size_t length = strlen(t->source);

		for (uint32_t i = 0; i < t->sites; i++)
			if (site_table_site(t, i, &s))
				length += strlen(s.what) + strlen(s.file) + strlen(s.function);
		for (uint32_t i = 0; i < t->functions; i++)
			if (site_table_function(t, i, &f))
				length += strlen(f.name);
		for (uint32_t i = 0; i < t->decisions; i++)
			if (site_table_decision(t, i, &d))
				length += (size_t)site_table_case(t, i, 1, &value);
		for (uint32_t i = 0; i < t->instructions && i < 1000; i++)
			length += (size_t)site_find(set, t->unit, i, &s);
		assert_true(length < 1 << 24);
	}
}

static void test_damaged(void **unused)
{
	struct buf b = {0};
	unsigned char *copy;

	(void)unused;
	make_table(program, 9, &b, NULL);
	/* Cut anywhere: refused, or (cut before the magic ends) no table. */
	for (size_t n = 0; n < b.size; n++) {
		struct site_tables set = {0};

		copy = malloc(n ? n : 1);
		memcpy(copy, b.data, n);
		assert_int_equal(site_tables_add(&set, copy, n), n < 8 ? 0 : -1);
		site_tables_release(&set);
		free(copy);
	}
	/* Any byte changed: refused, except in the header's fields that say nothing wrong. */
	copy = malloc(b.size);
	for (size_t i = 0; i < b.size; i++) {
		struct site_tables set = {0};

		memcpy(copy, b.data, b.size);
		copy[i] ^= 0xff;
		if (i >= sizeof(struct site_header))
			assert_int_equal(site_tables_add(&set, copy, b.size), -1);
		else if (site_tables_add(&set, copy, b.size) > 0)
			read_all(&set);
		site_tables_release(&set);
	}
	free(copy);
	buf_release(&b);
}

/* Contents that are wrong in spite of a right hash must not lead outside. */
static void test_hostile(void **unused)
{
	struct buf b = {0};
	unsigned char *copy;
	unsigned seed = 1;

	(void)unused;
	make_table(program, 9, &b, NULL);
	copy = malloc(b.size);
	for (int round = 0; round < 3000; round++) {
		struct site_tables set = {0};
		struct site_header h;

		memcpy(copy, b.data, b.size);
		for (int k = 0; k < 4; k++) {
			size_t at = sizeof h + (size_t)rand_r(&seed) % (b.size - sizeof h - 1);

			copy[at] = (unsigned char)rand_r(&seed);
		}
		memcpy(&h, copy, sizeof h);
		h.hash = hash64(copy + sizeof h, b.size - sizeof h, h.unit);
		memcpy(copy, &h, sizeof h);
		if (site_tables_add(&set, copy, b.size) > 0)
			read_all(&set);
		site_tables_release(&set);
	}
	free(copy);
	buf_release(&b);
}

/* A section added to an object is found in it, and in what is linked from it. */
static void test_elf(void **unused)
{
	static const char text[] = "int main(void) { return 0; }";
	char *object = file_temp("a.o"), *program_path = file_temp("a"), *bad = file_temp("bad");
	char *compile_line[] = {"clang-19", "-c", "-x", "c", "-", "-o", object, NULL};
	char *link_line[] = {"clang-19", "-Wl,--gc-sections", "-s", object,
			     "-o",	 program_path,	      NULL};
	struct proc_opts o = {.input = text, .input_size = sizeof text - 1};
	struct proc_result r = {0};
	struct site_tables set = {0};
	struct buf b = {0}, table = {0};
	struct site s;

	(void)unused;
	assert_int_equal(proc_run(compile_line, &o, &r), 0);
	assert_int_equal(r.status, 0);
	proc_release(&r);
	assert_int_equal(file_read(object, &b), 0);
	make_table(program, 77, &table, NULL);
	assert_int_equal(elf_add_section(&b, MUSTER_SITES_SECTION, table.data, table.size, 8), 0);
	assert_int_equal(file_write_atomic(object, b.data, b.size), 0);
	assert_int_equal(proc_run(link_line, NULL, &r), 0);
	assert_int_equal(r.status, 0);
	proc_release(&r);
	assert_int_equal(site_tables_add_elf(&set, object), 1);
	assert_int_equal(site_tables_add_elf(&set, program_path), 1);
	assert_int_equal(set.count, 1);
	assert_int_equal(site_find(&set, 77, 0, &s), 1);
	assert_int_equal(site_tables_add_elf(&set, "/dev/null"), -1);
	assert_int_equal(site_tables_add_elf(&set, "no such file"), -1);
	for (size_t n = 1; n < b.size; n += 37) {
		assert_int_equal(file_write_atomic(bad, b.data, n), 0);
		assert_int_equal(site_tables_add_elf(&set, bad), -1);
	}
	site_tables_release(&set);
	buf_release(&b);
	buf_release(&table);
	free(object);
	free(program_path);
	free(bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_contents),	 cmocka_unit_test(test_switch_cases),
	    cmocka_unit_test(test_concatenated), cmocka_unit_test(test_damaged),
	    cmocka_unit_test(test_hostile),	 cmocka_unit_test(test_elf),
	    cmocka_unit_test(test_checks),	 cmocka_unit_test(test_checkers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
