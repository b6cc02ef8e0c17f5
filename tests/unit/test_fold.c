/* test_fold.c: checks of the compiler that a variant does not have leave nothing behind, the others
 * stay, each on its own. */
#include "bitcode.h"
#include "instrument/fold.h"
#include "instrument/instrument.h"
#include "muster/abi.h"

#include <llvm-c/DebugInfo.h>

#define FLAGS                                                                                     \
	"-fsanitize=undefined,unsigned-integer-overflow,implicit-conversion -fsanitize-trap=all " \
	"-fno-sanitize=object-size,function"
static const char flags[] = FLAGS, ends_flags[] = FLAGS " -ftrap-function=" FOLD_ENDS;
#define BIT(name) CHECKER_BIT(MUSTER_CHECK_##name)

static const struct {
	const char *text;
	checker_set set; /* one of its checks is a checker's of this set */
	int more; /* marked branches of a check that do not go even if no event is worth it */
} all[] = {
    {"int f(int a, int b) { return a + b; }", BIT(INT_OVER), 0},
    {"int f(int a, int b) { return a * b - a; }", BIT(INT_UNDER), 0},
    {"unsigned f(unsigned a, unsigned b) { return a + b; }", BIT(UINT_OVER), 0},
    {"unsigned f(unsigned a, unsigned b) { return a - b; }", BIT(UINT_UNDER), 0},
    {"int f(int a, int b) { return a / b; }", BIT(DIVIDE), 0},
    {"int f(int a, int b) { return a << b; }", BIT(SHIFT), 0},
    {"unsigned f(unsigned a, int b) { return a >> b; }", BIT(SHIFT), 0},
    {"int f(int *p) { return *p; }", BIT(NULL), 0},
    {"struct s { int a, b; }; int f(struct s *p) { return p->b; }", BIT(NULL), 0},
    {"int a[9]; int f(int i) { return a[i]; }", BIT(ARRAY_OVER), 0},
    {"int a[9]; int f(int i) { return a[i]; }", BIT(ARRAY_UNDER), 0},
    {"char *f(char *p, long i) { return p + i; }", BIT(OTHER), 0},
    {"void g(void *) __attribute__((nonnull)); void f(void *p) { g(p); }", BIT(NONNULL), 0},
    {"__attribute__((returns_nonnull)) void *f(void *p) { return p; }", BIT(NONNULL), 1},
    {"unsigned char f(int a) { return a; }", BIT(CONVERT_HIGH), 0},
    {"unsigned f(int a) { return a; }", BIT(CONVERT_LOW), 0},
    {"void g(void *); void f(int n) { char a[n]; g(a); }", BIT(ALLOC), 0},
    {"int f(double d) { return d; }", BIT(OTHER), 0},
    {"char b[9]; int f(unsigned char i) { return *(int *)(b + i); }", BIT(OTHER), 0},
};

struct counts {
	unsigned instructions, marked_branches, traps, marks, overflow, listed;
};

static void count(struct unit *u, struct counts *c)
{
	memset(c, 0, sizeof *c);
	for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i)) {
				LLVMValueRef callee =
				    LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
				size_t n;
				const char *name = callee ? LLVMGetValueName2(callee, &n) : "";
				c->instructions++;
				c->marked_branches += LLVMGetInstructionOpcode(i) == LLVMBr &&
						      LLVMIsConditional(i) && unit_is_check(i);
				c->traps += !strcmp(name, "llvm.ubsantrap");
				c->marks += fold_condition(i) != NULL;
				c->overflow += strstr(name, ".with.overflow") != NULL;
			}
	for (uint32_t i = 0; i < u->count; i++)
		c->listed += u->instructions[i] != NULL;
}

/* Compiled once each. */
static const struct buf *bitcode_of(const char *text, const char *how)
{
	static struct {
		const char *text, *flags;
		struct buf b;
	} known[128];
	size_t i = 0;

	while (known[i].text && (known[i].text != text || known[i].flags != how))
		assert_true(++i < sizeof known / sizeof *known);
	if (!known[i].text) {
		known[i].text = text, known[i].flags = how;
		compile_with(text, how, &known[i].b);
	}
	return &known[i].b;
}

static void folded(const char *text, const char *how, checker_set set, int marks, struct counts *c)
{
	const struct buf *b = bitcode_of(text, how);
	struct unit u;

	if (unit_load(&u, b->data, b->size, 1))
		fail_msg("%s", error_text());
	LLVMStripModuleDebugInfo(u.module);
	fold_checks(&u, set, marks);
	if (unit_verify(&u))
		fail_msg("%s: %s", text, error_text());
	count(&u, c);
	/* What is listed is there: each entry is an instruction of a function. */
	for (uint32_t i = 0; i < u.count; i++)
		assert_true(!u.instructions[i] || LLVMGetInstructionParent(u.instructions[i]));
	fold_forget(u.module);
	assert_null(LLVMGetNamedFunction(u.module, FOLD_MARK));
	assert_int_equal(unit_verify(&u), 0);
	unit_release(&u);
}

/* Without its checker a check is as if it had never been. */
static void test_off(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (int marks = 0; marks < 2; marks++) {
			struct counts plain, c;
			folded(all[i].text, NULL, 0, marks, &plain);
			folded(all[i].text, flags, marks ? 0 : checker_all(), marks, &c);
			assert_int_equal(c.marked_branches + c.traps + c.marks + c.overflow, 0);
			if (c.instructions != plain.instructions)
				fail_msg("%s: %u instructions are left, not %u", all[i].text,
					 c.instructions, plain.instructions);
			assert_int_equal(c.listed, plain.listed);
		}
}

static void test_on(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct counts c;
		folded(all[i].text, flags, all[i].set, 1, &c);
		if (!c.marks || c.traps || c.marked_branches != (unsigned)all[i].more)
			fail_msg("%s: %u marks, %u traps, %u branches", all[i].text, c.marks,
				 c.traps, c.marked_branches);
		folded(all[i].text, flags,
		       checker_all() & ~checker_pair((unsigned)__builtin_ctz(all[i].set)), 1, &c);
		assert_true(c.marks <= 2); /* of others in the same function */
	}
}

/* In a unit of the harness a check is a branch: to the trap that the compiler made where the machine ends too, in every variant; else one both
 * sides of which lead on, where there are events, and nothing where there are none. */
static void test_ends(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (int marks = 0; marks < 2; marks++) {
			struct counts plain, c;
			folded(all[i].text, NULL, 0, marks, &plain);
			folded(all[i].text, ends_flags, all[i].set, marks, &c);
			if (all[i].set & (BIT(UINT_OVER) | BIT(UINT_UNDER) | BIT(CONVERT_LOW) | BIT(CONVERT_HIGH)))
				assert_true(!c.traps && c.marks == (unsigned)marks); /* C defines it */
			else if (all[i].set & (BIT(DIVIDE) | BIT(ASSERT) | BIT(ALLOC)))
				assert_true(c.traps && c.marked_branches && !c.marks);
			else
				assert_true(!c.traps && !c.marks && !c.marked_branches == !marks);
			folded(all[i].text, ends_flags, 0, marks, &c);
			assert_int_equal(c.instructions, plain.instructions);
		}
	/* What is written out of bounds may be anything, so the run ends there. */
	for (int marks = 0; marks < 2; marks++) {
		struct counts c;
		folded("int a[9]; int f(int i) { return a[i] = 1; }", ends_flags, BIT(ARRAY_OVER), marks, &c);
		assert_true(c.traps && c.marked_branches);
	}
}

/* What ranges decide makes no event; what they almost decide does. */
static void test_ranges(void **state)
{
	static const struct {
		const char *text;
		checker_set set;
		int stays;
	} of[] = {
	    {"int f(unsigned char c) { return c - 'a' + 26; }", BIT(INT_OVER), 0},
	    {"int f(unsigned char c) { return c * 8421504; }", BIT(INT_OVER), 0}, /* 255 * 8421504 = 2^31 - 128 */
	    {"int f(unsigned char c) { return c * 8421505; }", BIT(INT_OVER), 1},
	    {"int f(short a) { return a * a; }", BIT(INT_OVER), 0},
	    {"int f(unsigned short a) { return a * a; }", BIT(INT_OVER), 1},
	    {"int f(int a) { return (a >> 1) + (a >> 1); }", BIT(INT_OVER), 0},
	    {"int f(int a) { return (a >> 1) + (a >> 1) + 1; }", BIT(INT_OVER), 0},
	    {"int f(int a) { return (a >> 1) + (a >> 1) + 2; }", BIT(INT_OVER), 1},
	    {"int f(int a) { return (a % 10) - 2147483639; }", BIT(INT_OVER), 0},
	    {"int f(int a) { return (a % 10) - 2147483640; }", BIT(INT_OVER), 1},
	    {"int f(int c, short a, char b) { return (c ? a : b) + 2147450880; }", BIT(INT_OVER), 0},
	    {"int f(int c, short a, int b) { return (c ? a : b) + 1; }", BIT(INT_OVER), 1},
	    {"int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += 3; return s; }", BIT(INT_OVER), 1},
	    {"unsigned f(unsigned char a, unsigned char b) { return (unsigned)a + b; }", BIT(UINT_OVER), 0},
	    {"unsigned f(unsigned char a, unsigned char b) { return (unsigned)a - b; }", BIT(UINT_UNDER), 1},
	    {"unsigned f(unsigned a) { return (a >> 1) * 2; }", BIT(UINT_OVER), 0},
	    {"unsigned f(unsigned a) { return (a >> 1) * 3; }", BIT(UINT_OVER), 1},
	    {"int f(int a, int b) { return a / ((b & 3) + 1); }", BIT(DIVIDE), 0},
	    {"int f(int a, int b) { return a / (b & 3); }", BIT(DIVIDE), 1},
	    {"int f(unsigned char a, int b) { return a << (b & 15); }", BIT(SHIFT), 0},
	    {"int f(unsigned char a, int b) { return a << (b & 31); }", BIT(SHIFT), 1},
	    {"int f(signed char a, int b) { return a << (b & 1); }", BIT(SHIFT), 1},
	    {"unsigned f(unsigned a, int b) { return a >> (b & 31); }", BIT(SHIFT), 0},
	    {"unsigned f(unsigned a, int b) { return a >> (b & 32); }", BIT(SHIFT), 1},
	    {"int a[16]; int f(int i) { return a[i & 15]; }", BIT(ARRAY_OVER), 0},
	    {"int a[16]; int f(int i) { return a[i & 16]; }", BIT(ARRAY_OVER), 1},
	    {"int a[256]; int f(unsigned char i) { return a[i]; }", BIT(ARRAY_OVER), 0},
	    {"int a[255]; int f(unsigned char i) { return a[i]; }", BIT(ARRAY_OVER), 1},
	    {"int a[128]; int f(signed char i) { return a[i]; }", BIT(ARRAY_OVER), 1},
	    {"unsigned char f(int a) { return a & 255; }", BIT(CONVERT_HIGH), 0},
	    {"unsigned char f(int a) { return a & 256; }", BIT(CONVERT_HIGH), 1},
	    {"signed char f(int a) { return a & 127; }", BIT(CONVERT_HIGH), 0},
	    {"signed char f(int a) { return a & 255; }", BIT(CONVERT_HIGH), 1},
	    {"unsigned f(short a) { return a; }", BIT(CONVERT_HIGH), 1},
	    {"unsigned f(unsigned short a) { return (int)a; }", BIT(CONVERT_HIGH), 0},
	    {"char *f(char *p, int i) { return p + i; }", BIT(OTHER), 0},
	    {"char *f(char *p, unsigned long i) { return p + i; }", BIT(OTHER), 1},
	    {"char f(char *p, unsigned long i) { return p[i]; }", BIT(OTHER), 0},
	    {"char f(char *p, unsigned long i, char *end) { return p + i > end; }", BIT(OTHER), 1},
	    {"struct s { int a, b; }; void f(struct s *p, unsigned long i) { p[i].b = 1; }", BIT(OTHER), 0},
	    {"void f(char **p, char *q, unsigned long i) { *p = &q[i]; }", BIT(OTHER), 1},
	    {"char s[64]; int f(unsigned char i) { return *(int *)(s + i); }", BIT(OTHER), 1},
	    {"short s[64]; int f(unsigned char i) { return *(int *)(s + i); }", BIT(OTHER), 1},
	    {"int s[64]; int f(unsigned char i) { return *(s + i); }", BIT(OTHER), 0},
	    {"long s[64]; int f(unsigned char i) { return *(int *)(s + i); }", BIT(OTHER), 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct counts c;
		folded(of[i].text, flags, of[i].set, 1, &c);
		if ((c.marks != 0) != of[i].stays)
			fail_msg("%s: %u events", of[i].text, c.marks);
	}
}

/* Two checks of one expression go by themselves. */
static void test_apart(void **state)
{
	static const char text[] = "int f(int a, int b) { return a / b + (a << b); }";
	static const checker_set sets[] = {BIT(DIVIDE), BIT(INT_OVER), BIT(SHIFT),
					   BIT(DIVIDE) | BIT(SHIFT)};
	static const unsigned expect[] = {1, 1, 1, 2};
	(void)state;
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
		struct counts c;
		folded(text, flags, sets[i], 1, &c);
		assert_int_equal(c.marks, expect[i]);
		assert_int_equal(c.overflow, sets[i] == BIT(INT_OVER));
		folded(text, ends_flags, sets[i], 1, &c);
		assert_int_equal(c.traps, (sets[i] & BIT(DIVIDE)) != 0);
	}
}

/* All of it goes through every pass, and the traps of the program itself stay the machine's. */
static void test_passes(void **state)
{
	static const enum instrument_kind kinds[] = {INSTRUMENT_TRACE, INSTRUMENT_COV,
						     INSTRUMENT_PATH};
	static const char loop[] =
	    "int t[4]; int h(const char *p, int n) { int s = 0; for (int i = 0; i < n; i++) { s = "
	    "s * 31 + p[i];"
	    " t[s & 3] += s << (i & 7); if (s < 0) __builtin_trap(); } return s / n; }";
	(void)state;
	for (size_t i = 0; i <= sizeof all / sizeof *all; i++)
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
			for (int ends = 0; ends < 2; ends++) {
				struct instrument_options o = {
				    .verify = 1, .checks = checker_all(), .all_decisions = ends};
				struct buf object = {0};
				const struct buf *b =
				    bitcode_of(i < sizeof all / sizeof *all ? all[i].text : loop,
					       ends ? ends_flags : flags);
				if (instrument_unit(b->data, b->size, 7, kinds[k], &o, &object))
					fail_msg("%s", error_text());
				assert_null(memmem(object.data, object.size, FOLD_ENDS,
						   sizeof FOLD_ENDS - 1));
				buf_release(&object);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_off),	   cmocka_unit_test(test_on),
	    cmocka_unit_test(test_ends),   cmocka_unit_test(test_ranges), cmocka_unit_test(test_apart),
	    cmocka_unit_test(test_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
