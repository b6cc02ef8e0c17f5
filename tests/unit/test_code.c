/* test_code.c: our view of a unit: values, ordinals, checks, call graph. */
#include "code_unit.h"
#include "ir/unit.h"
#include "muster/abi.h"

static void test_values(void **unused)
{
	struct code *c = load("int f(int a, unsigned char b, long z) {\n"
			      "  int s = a + b;\n"
			      "  if (s < 7) s = s * 3; else s = (unsigned)s >> 2;\n"
			      "  switch (z) { case 5: return 1; case -9: case 6: return s; }\n"
			      "  return s / 4; }\n");
	const struct code_function *f = function(c, "f");
	uint32_t add = nth(f, CODE_ADD, 0), branch = nth(f, CODE_BRANCH, 0), phi = nth(f, CODE_PHI, 0), sw = nth(f, CODE_SWITCH, 0);
	const struct code_block *b = &f->blocks[f->values[branch].block];

	(void)unused;
	assert_int_equal(c->unit, 7);
	assert_int_equal(f->parameters, 3);
	assert_int_equal(f->values[0].width, 32);
	assert_int_equal(f->values[1].width, 8);
	assert_int_equal(f->values[2].width, 64);
	assert_int_equal(f->values[add].width, 32);
	assert_true(f->values[add].flags & CODE_NSW);
	assert_int_equal(code_operand(f, add, 0), 0);
	assert_int_equal(code_operand_value(f, add, 1)->op, CODE_ZEXT);
	assert_int_equal(f->values[add].line, 2);
	/* Outcome 1 is "true": the block with the multiplication. */
	assert_int_equal(b->edges, 2);
	assert_int_equal(f->edges[b->first_edge + 1].to, f->values[nth(f, CODE_MUL, 0)].block);
	assert_int_equal(f->edges[b->first_edge].to, f->values[nth(f, CODE_LSHR, 0)].block);
	/* Operands of a phi go with the predecessors. */
	assert_int_equal(f->values[phi].operands, 2);
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t from = code_pred(f, f->values[phi].block, k)->from;

		assert_int_equal(f->values[code_operand(f, phi, k)].block, from);
	}
	/* Case i is outcome i. */
	assert_int_equal(f->values[sw].operands, 4);
	assert_true(code_signed(code_operand_value(f, sw, 1)) == 5);
	assert_true(code_signed(code_operand_value(f, sw, 2)) == -9);
	assert_true(code_unsigned(code_operand_value(f, sw, 2)) == (uint64_t)-9);
	b = &f->blocks[f->values[sw].block];
	assert_int_equal(b->edges, 4);
	assert_int_equal(f->edges[b->first_edge + 2].to, f->edges[b->first_edge + 3].to);
	assert_int_not_equal(f->edges[b->first_edge + 1].to, f->edges[b->first_edge + 2].to);
	assert_int_equal(f->edges[b->first_edge].to, f->values[nth(f, CODE_SDIV, 0)].block);
	/* Users: s is used by the comparison, the product and the shift. */
	assert_int_equal(f->values[add].uses, 3);
	for (uint32_t k = 0; k < 3; k++)
		assert_true(f->uses[f->values[add].first_use + k] > add);
	assert_true(code_available(f, 0, 2));
	assert_true(code_available(f, phi, f->values[phi].block));
	assert_false(code_available(f, add, 0));
	code_free(c);
}

static void test_wide_constants(void **unused)
{
	struct code *c = load("unsigned __int128 f(unsigned __int128 x) { return x + (((unsigned __int128)0x123 << 64) | 0x456); }\n"
			      "__int128 g(__int128 x) { return x + -3; }\n");
	const struct code_function *f = function(c, "f"), *g = function(c, "g");
	const struct code_value *k = code_operand_value(f, nth(f, CODE_ADD, 0), 1);

	(void)unused;
	assert_int_equal(k->width, 128);
	assert_int_equal(k->bits[0], 0x456);
	assert_int_equal(k->bits[1], 0x123);
	assert_true(code_signed(code_operand_value(g, nth(g, CODE_ADD, 0), 1)) == -3);
	code_free(c);
}

static void test_addresses(void **unused)
{
	struct code *c = load("struct s { char c; int a[5]; struct { short x, y; } t[3]; };\n"
			      "int f(struct s *p, long i, int j) { return p->t[i].y + p[2].a[j]; }\n");
	const struct code_function *f = function(c, "f");
	int64_t offset = 0, scale_i = 0, scale_j = 0;

	(void)unused;
	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++)
		for (uint32_t k = 1; f->values[v].op == CODE_GEP && k < f->values[v].operands; k++) {
			if (code_operand(f, v, k) == 1)
				scale_i = code_scale(f, v, k);
			else
				scale_j = code_scale(f, v, k);
		}
	for (uint32_t v = code_operand(f, nth(f, CODE_LOAD, 1), 0); f->values[v].op == CODE_GEP; v = code_operand(f, v, 0))
		offset += f->values[v].offset;
	assert_int_equal(scale_i, 4);
	assert_int_equal(scale_j, 4);
	assert_int_equal(offset, 2 * 36 + 4);
	assert_int_equal(f->roots[code_operand(f, nth(f, CODE_LOAD, 1), 0)].root, 0);
	assert_false(f->roots[code_operand(f, nth(f, CODE_LOAD, 1), 0)].exact);
	code_free(c);
}

/* Ordinals are those of the unit, with checks and without debug info as well. */
static void test_ordinals(void **unused)
{
	static const char text[] = "int g(int); static int h(int x) { return x / 3; }\n"
				   "int f(int a, unsigned b) { int s = 0; for (unsigned i = 0; i < b; i++) s += g(a) << h(i); return s; }\n";
	const char *const flags[] = {"", "-g0", CHECKS};

	(void)unused;
	for (size_t i = 0; i < 3; i++) {
		struct buf b = {0};
		struct unit u;
		struct code *c;

		compile_with(text, flags[i], &b);
		assert_int_equal(unit_load(&u, b.data, b.size, 7), 0);
		c = code_new(&u);
		assert_non_null(c);
		for (uint32_t k = 0; k < u.count; k++) {
			uint32_t v;
			const struct code_function *f = code_find_ordinal(c, k, &v);

			assert_non_null(f);
			assert_int_equal(f->values[v].index, k);
			assert_int_equal(f->values[v].op == CODE_PHI, LLVMIsAPHINode(u.instructions[k]) != NULL);
			assert_int_equal(f->values[v].op == CODE_RETURN, LLVMIsAReturnInst(u.instructions[k]) != NULL);
			assert_int_equal(f->values[v].op == CODE_SHL, LLVMGetInstructionOpcode(u.instructions[k]) == LLVMShl);
		}
		uint32_t v;

		assert_null(code_find_ordinal(c, u.count, &v));
		assert_int_equal(unit_verify(&u), 0);
		code_free(c);
		unit_release(&u);
		buf_release(&b);
	}
}

/* Wrapping arithmetic has no meaning of its own; only a check of what is undefined may be believed. */
static void test_checks(void **unused)
{
	struct code *c = load_with("unsigned f(unsigned a, int b) {\n  unsigned x = a + 1;\n  int y = b + 1;\n  unsigned char z = y; return x + z; }\n", CHECKS);
	const struct code_function *f = function(c, "f");
	unsigned undefined = 0, defined = 0, reports = 0;

	(void)unused;
	assert_int_equal(code_operand(f, nth(f, CODE_UADD_OVER, 0), 0), 0);
	assert_int_equal(code_operand(f, nth(f, CODE_SADD_OVER, 0), 0), 1);
	assert_int_equal(f->values[nth(f, CODE_ADD, 0)].flags & (CODE_NSW | CODE_NUW), 0);
	assert_int_equal(code_operand(f, nth(f, CODE_ADD, 1), 0), 1);
	for (uint32_t e = 0; e < f->edge_count; e++) {
		const struct code_edge *edge = &f->edges[e];

		if (edge->flags & CODE_EDGE_REPORT) {
			assert_true(f->blocks[edge->to].flags & CODE_BLOCK_REPORT);
			assert_int_equal(f->blocks[edge->to].edges, 0);
			reports++;
		}
		if (!(edge->flags & CODE_EDGE_PASS))
			continue;
		if (edge->flags & CODE_EDGE_UB) {
			assert_int_equal(f->blocks[edge->from].check, MUSTER_CHECK_INT_OVER);
			undefined++;
		} else {
			defined++;
		}
	}
	assert_int_equal(undefined, 1);
	assert_true(defined >= 3);
	assert_int_equal(reports, undefined + defined);
	code_free(c);
}

/* ------------------------------------------------------------------ calls */

static void test_call_graph(void **unused)
{
	struct code *c = load("int out(int);\n"
			      "static int leaf(int x) { return x + 1; }\n"
			      "static int odd(int);\n"
			      "static int even(int x) { return x ? odd(x - 1) : leaf(1); }\n"
			      "static int odd(int x) { return x ? even(x - 1) : 0; }\n"
			      "static int self(int x) { return x ? self(x - 1) : out(x); }\n"
			      "static int taken(int x) { return x; }\n"
			      "int (*table[])(int) = {taken};\n"
			      "int top(int x) { return even(x) + self(x) + table[0](x) + even(2); }\n");
	const struct code_function *top = function(c, "top"), *even = function(c, "even"), *odd = function(c, "odd");

	(void)unused;
	assert_int_equal(top->callee_count, 2);
	assert_true(top->calls_unknown && !even->calls_unknown);
	assert_int_equal(even->component, odd->component);
	assert_true(even->recursive && odd->recursive && function(c, "self")->recursive);
	assert_false(top->recursive || function(c, "leaf")->recursive);
	assert_true(function(c, "leaf")->component < even->component && even->component < top->component);
	assert_true(function(c, "taken")->address_taken && top->address_taken);
	assert_false(even->address_taken || function(c, "leaf")->address_taken);
	code_free(c);
}

static void test_text(void **unused)
{
	struct code *c = load("int g; int f(int a) { while (a < 5) a += g; return a; }\n");
	struct buf out = {0};

	(void)unused;
	code_print(function(c, "f"), &out);
	assert_non_null(strstr(buf_str(&out), "loop 0: header 1"));
	assert_non_null(strstr(buf_str(&out), "back"));
	buf_release(&out);
	code_free(c);
	assert_null(code_load("int", 3, 1));
	assert_non_null(strstr(error_text(), "bitcode"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_values),
	    cmocka_unit_test(test_wide_constants),
	    cmocka_unit_test(test_addresses),
	    cmocka_unit_test(test_ordinals),
	    cmocka_unit_test(test_checks),
	    cmocka_unit_test(test_call_graph),
	    cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
