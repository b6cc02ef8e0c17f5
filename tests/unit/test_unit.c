/* test_unit.c: loading of bitcode, the normal form, the numbering. */
#include "bitcode.h"
#include "ir/guard.h"
#include "ir/unit.h"

#include <stdlib.h>

static const char program[] =
    "int twice(int x) { return x + x; }\n"
    "extern int other(int);\n"
    "int pick(int a, int b) { int m = a; if (b > a) m = b; return twice(m) + other(m); }\n";

static void load(struct unit *u, const char *text)
{
	struct buf b = {0};

	compile(text, &b);
	if (unit_load(u, b.data, b.size, 7))
		fail_msg("%s", error_text());
	buf_release(&b);
}

struct seen {
	uint32_t next;
	int allocas, loads, branches;
};

static void look(void *ctx, LLVMValueRef inst, uint32_t ordinal)
{
	struct seen *s = ctx;

	assert_int_equal(ordinal, s->next);
	s->next++;
	s->allocas += LLVMIsAAllocaInst(inst) != NULL;
	s->loads += LLVMIsALoadInst(inst) != NULL;
	s->branches += unit_outcomes(inst) != 0;
}

static void test_normal_form(void **unused)
{
	struct unit u;
	struct seen s = {0};

	(void)unused;
	load(&u, program);
	assert_int_equal(u.id, 7);
	unit_walk(&u, look, &s);
	assert_int_equal(s.next, u.count);
	/* Variables live in registers, and nothing else was changed. */
	assert_int_equal(s.allocas, 0);
	assert_int_equal(s.loads, 0);
	assert_int_equal(s.branches, 1);
	unit_release(&u);
}

static void look_at_switch(void *ctx, LLVMValueRef inst, uint32_t ordinal)
{
	uint32_t *cases = ctx;

	(void)ordinal;
	if (!LLVMIsASwitchInst(inst))
		return;
	assert_int_equal(LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(inst, 0))), 64);
	assert_int_equal(unit_outcomes(inst), 4);
	for (*cases = 0; *cases < 3; ++*cases) /* told apart, and the default is none of them */
		assert_int_equal(LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 2 * *cases + 2)), *cases + 1);
}

static void test_wide_switch(void **unused)
{
	struct unit u;
	uint32_t cases = 0;

	(void)unused;
	load(&u, "int f(__int128 n) { switch (n) { case 5: return 1; case ((__int128)1 << 64) + 5: case -1: return 2; } return 0; }\n");
	unit_walk(&u, look_at_switch, &cases);
	assert_int_equal(cases, 3);
	assert_int_equal(unit_verify(&u), 0);
	unit_release(&u);
}

/* The numbers are those of the text, whatever debug info there is. */
static void test_debug_info_does_not_count(void **unused)
{
	struct unit with, without;
	struct buf b = {0};

	(void)unused;
	load(&with, program);
	compile_with(program, "-g0", &b);
	assert_int_equal(unit_load(&without, b.data, b.size, 7), 0);
	assert_int_equal(with.count, without.count);
	for (uint32_t i = 0; i < with.count; i++)
		assert_int_equal(LLVMGetInstructionOpcode(with.instructions[i]),
				 LLVMGetInstructionOpcode(without.instructions[i]));
	unit_release(&with);
	unit_release(&without);
	buf_release(&b);
}

static void insert_before(void *ctx, LLVMValueRef inst, uint32_t ordinal)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(inst)));
	uint32_t *next = ctx;

	assert_int_equal(ordinal, (*next)++);
	if (!LLVMIsAPHINode(inst)) {
		LLVMPositionBuilderBefore(builder, inst);
		LLVMBuildAlloca(builder,
				LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(inst))), "");
	}
	LLVMDisposeBuilder(builder);
}

static void test_walk_survives_edits(void **unused)
{
	struct unit u;
	uint32_t first = 0, second = 0;

	(void)unused;
	load(&u, program);
	unit_walk(&u, insert_before, &first);
	unit_walk(&u, insert_before, &second);
	assert_int_equal(first, u.count);
	assert_int_equal(second, u.count);
	assert_int_equal(unit_verify(&u), 0);
	unit_release(&u);
}

static void test_outcomes(void **unused)
{
	struct unit u;
	uint32_t total = 0;

	(void)unused;
	load(&u, "int f(int x) { switch (x) { case 1: case 5: return 2; case 9: return 3; } return "
		 "x; }");
	for (uint32_t i = 0; i < u.count; i++)
		total += unit_outcomes(u.instructions[i]);
	assert_int_equal(total, 4); /* three cases and the default */
	unit_release(&u);
}

static void test_optnone_is_normalised_too(void **unused)
{
	struct unit u;
	struct seen s = {0};

	(void)unused;
	load(&u, "__attribute__((optnone,noinline)) int f(int x) { int y = x; return y; }");
	unit_walk(&u, look, &s);
	assert_int_equal(s.allocas, 0);
	unit_release(&u);
}

/* Bitcode that is cut off gives words, not an abort. (Changed bytes can crash the
 * reader: records carry a hash, which is checked before.) */
static void test_damaged(void **unused)
{
	struct unit u;
	struct buf b = {0};
	char *copy;

	(void)unused;
	compile(program, &b);
	assert_int_equal(unit_load(&u, "int main;", 9, 1), -1);
	assert_non_null(strstr(error_text(), "bitcode"));
	assert_int_equal(unit_load(&u, "", 0, 1), -1);
	copy = malloc(b.size);
	for (size_t n = 4; n < b.size; n += 61) {
		memcpy(copy, b.data, n);
		assert_int_equal(unit_load(&u, copy, n, 1), -1);
		assert_true(strlen(error_text()) > 10);
	}
	free(copy);
	buf_release(&b);
}

static int succeed(void *ctx)
{
	*(int *)ctx += 1;
	return 5;
}

static void test_guard(void **unused)
{
	int calls = 0, fatal = 0;

	(void)unused;
	assert_int_equal(guard_call(succeed, &calls, &fatal), 5);
	assert_int_equal(calls, 1);
	assert_int_equal(fatal, 0);
}

static void test_bad_pipeline(void **unused)
{
	struct unit u;

	(void)unused;
	load(&u, program);
	assert_int_equal(unit_passes(&u, "no-such-pass"), -1);
	assert_non_null(strstr(error_text(), "no-such-pass"));
	unit_release(&u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_normal_form),
	    cmocka_unit_test(test_wide_switch),
	    cmocka_unit_test(test_debug_info_does_not_count),
	    cmocka_unit_test(test_walk_survives_edits),
	    cmocka_unit_test(test_outcomes),
	    cmocka_unit_test(test_optnone_is_normalised_too),
	    cmocka_unit_test(test_damaged),
	    cmocka_unit_test(test_guard),
	    cmocka_unit_test(test_bad_pipeline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
