/* test_print.c: conditions in C.
 *
 * First what people see, by example. Then a property: random DAGs are printed, the
 * text is compiled with a C compiler (undefined behaviour traps) and must compute the recorded
 * values. MUSTER_TEST_ROUNDS makes it longer.
 */
#include "base/error.h"
#include "run/print.h"
#include "run/trace.h"
#include "tables.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

static struct tables t;

static int setup(void **unused)
{
	(void)unused;
	tables_init(&t, 60000, 8, 1);
	for (unsigned i = 0; i < 64; i++)
		tables_input(&t, 0, i); /* label 1 + i */
	return 0;
}

static int teardown(void **unused)
{
	(void)unused;
	tables_release(&t);
	return 0;
}

static uint32_t zext(uint32_t a, unsigned width)
{
	return tables_node(&t, MUSTER_OP_ZEXT, width, a, 0, 0, 0);
}

static uint32_t with_k(enum muster_op op, uint32_t a, uint64_t k)
{
	return tables_node(&t, op, op_table[op].shape == OP_TEST ? 1 : t.nodes[a].width, a, 0, 0,
			   k);
}

static uint32_t binary(enum muster_op op, uint32_t a, uint32_t b)
{
	return tables_node(&t, op, op_table[op].shape == OP_TEST ? 1 : t.nodes[a].width, a, b, 0,
			   0);
}

static void expect(uint32_t label, const char *text)
{
	struct trace view;
	struct print p;
	struct buf out = {0}, lets = {0};
	if (trace_open(&view, &t.shm, 0))
		fail_msg("%s", error_text());
	print_init(&p, &view);
	print_expr(&p, label, &out, &lets);
	buf_add(&lets, buf_str(&out), out.size);
	assert_string_equal(buf_str(&lets), text);
	print_release(&p);
	buf_release(&out);
	buf_release(&lets);
	trace_release(&view);
}

#define IN(i) ((uint32_t)(1 + (i)))

static void test_characters(void **unused)
{
	(void)unused;
	expect(with_k(MUSTER_OP_EQ, IN(3), 'a'), "in[3] == 'a'");
	expect(with_k(MUSTER_OP_EQ, zext(IN(3), 32), '\n'), "in[3] == '\\n'");
	expect(with_k(MUSTER_OP_NE, IN(3), 0), "in[3] != 0");
	expect(with_k(MUSTER_OP_EQ, IN(3), 0x89), "in[3] == 137");
	uint32_t sext = tables_node(&t, MUSTER_OP_SEXT, 32, IN(3), 0, 0, 0);
	expect(with_k(MUSTER_OP_EQ, sext, 'a'), "in[3] == 'a'");
	expect(with_k(MUSTER_OP_SLT, sext, 5), "(int8_t)in[3] < 5");
	uint32_t digit = with_k(MUSTER_OP_ADD, zext(IN(0), 32), (uint32_t)-48);
	expect(with_k(MUSTER_OP_ULT, digit, 10), "(uint32_t)(in[0] - '0') < 10");
	expect(with_k(MUSTER_OP_SLE, with_k(MUSTER_OP_SUB, zext(IN(0), 32), '0'), 9),
	       "in[0] - '0' <= 9");
}

static void test_words(void **unused)
{
	(void)unused;
	uint32_t low = zext(IN(0), 32), high = with_k(MUSTER_OP_SHL, zext(IN(1), 32), 8);
	uint32_t word = binary(MUSTER_OP_OR, low, high);
	expect(tables_node(&t, MUSTER_OP_SLT, 1, 0, word, 0, 300), "(in[0] | in[1] << 8) > 300");
	uint32_t top = with_k(MUSTER_OP_SHL, zext(IN(3), 32), 24);
	expect(with_k(MUSTER_OP_EQ, binary(MUSTER_OP_OR, word, top), 7),
	       "(in[0] | in[1] << 8 | (uint32_t)in[3] << 24) == 7");
	uint32_t le = tables_node(&t, MUSTER_OP_BYTES, 32, IN(4), 0, 0, 0);
	expect(with_k(MUSTER_OP_ULT, le, 5), "u32le(in, 4) < 5");
	expect(with_k(MUSTER_OP_SLT, le, 5), "(int32_t)u32le(in, 4) < 5");
	expect(with_k(MUSTER_OP_SLT, le, (uint32_t)-5), "(int32_t)u32le(in, 4) < -5");
	expect(with_k(MUSTER_OP_EQ, tables_node(&t, MUSTER_OP_BSWAP, 32, le, 0, 0, 0), 0x89504e47),
	       "u32be(in, 4) == 0x89504e47");
	uint32_t be = tables_node(&t, MUSTER_OP_CONCAT, 16, IN(8), IN(9), 0, 0);
	expect(with_k(MUSTER_OP_EQ, be, 0xffd8), "u16be(in, 8) == 65496");
	uint32_t end = with_k(MUSTER_OP_ADD, zext(le, 64), 8);
	expect(binary(MUSTER_OP_ULT, tables_length(&t, 0), end),
	       "len(in) < (uint64_t)u32le(in, 4) + 8");
	uint32_t sum = with_k(MUSTER_OP_ADD, le, 8);
	expect(with_k(MUSTER_OP_ULT, sum, 9), "u32le(in, 4) + 8 < 9");
}

static void test_logic(void **unused)
{
	(void)unused;
	uint32_t a = with_k(MUSTER_OP_EQ, IN(0), 'x'), b = with_k(MUSTER_OP_ULT, IN(1), 7);
	expect(binary(MUSTER_OP_AND, a, b), "in[0] == 'x' && in[1] < 7");
	expect(binary(MUSTER_OP_OR, a, b), "in[0] == 'x' || in[1] < 7");
	expect(with_k(MUSTER_OP_XOR, a, 1), "in[0] != 'x'");
	expect(with_k(MUSTER_OP_XOR, b, 1), "in[1] >= 7");
	expect(with_k(MUSTER_OP_XOR, binary(MUSTER_OP_AND, a, b), 1),
	       "!(in[0] == 'x' && in[1] < 7)");
	expect(with_k(MUSTER_OP_NE, with_k(MUSTER_OP_AND, IN(2), 0x80), 0), "(in[2] & 0x80) != 0");
	expect(with_k(MUSTER_OP_EQ, tables_node(&t, MUSTER_OP_ITE, 8, a, IN(4), IN(5), 0), 3),
	       "(in[0] == 'x' ? in[4] : in[5]) == 3");
}

static void test_tables(void **unused)
{
	(void)unused;
	static const uint8_t hex[20] = {1, 2, 3};
	uint32_t index = with_k(MUSTER_OP_AND, zext(IN(0), 64), 15);
	uint32_t data = tables_data(&t, hex, sizeof hex, NULL);
	expect(with_k(MUSTER_OP_EQ, tables_node(&t, MUSTER_OP_READ, 8, index, data, 0, 0), 9),
	       "const uint8_t tbl1[20] = {1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
	       "…};\ntbl1[in[0] & 0xf] == 9");
	expect(with_k(MUSTER_OP_EQ, tables_node(&t, MUSTER_OP_READ, 32, index, data, 0, 0), 9),
	       "const uint8_t tbl1[20] = {1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
	       "…};\nu32le(tbl1, in[0] & 0xf) == 9");
}

/* A chain of ten thousand nodes, and a DAG of 2^30 paths, come out short. */
static void test_bounds(void **unused)
{
	(void)unused;
	struct trace view;
	struct print p;
	struct buf out = {0}, lets = {0};
	uint32_t chain = zext(IN(0), 32), dag = zext(IN(1), 32);
	for (unsigned i = 0; i < 10000; i++)
		chain = tables_node(&t, MUSTER_OP_XOR, 32, with_k(MUSTER_OP_MUL, chain, 31),
				    zext(IN(i % 64), 32), 0, 0);
	for (unsigned i = 0; i < 30; i++)
		dag = binary(MUSTER_OP_MUL, dag, with_k(MUSTER_OP_ADD, dag, i));
	chain = with_k(MUSTER_OP_EQ, chain, 5);
	dag = with_k(MUSTER_OP_EQ, dag, 5);
	assert_int_equal(trace_open(&view, &t.shm, 0), 0);
	print_init(&p, &view);
	assert_int_equal(print_expr(&p, chain, &out, &lets), 0);
	assert_non_null(strstr(buf_str(&lets), "…(over 1000 nodes, "));
	assert_true(out.size + lets.size < 8000);
	buf_clear(&out);
	buf_clear(&lets);
	assert_int_equal(print_expr(&p, dag, &out, &lets), 1);
	assert_true(out.size + lets.size < 8000);
	print_release(&p);
	buf_release(&out);
	buf_release(&lets);
	trace_release(&view);
}

static void write_dag(FILE *f, unsigned number, unsigned *functions)
{
	static struct tables_labels real;
	struct tables r;
	struct trace view;
	struct print p;
	tables_init(&r, 8192, 8, number + 1000);
	tables_random(&r, 400, &real);
	if (trace_open(&view, &r.shm, 0))
		fail_msg("DAG %u: %s", number, error_text());
	print_init(&p, &view);
	p.node_limit = 100000;
	p.whole_tables = 1;
	for (unsigned source = 0; source < 2; source++) {
		fprintf(f, "static const uint8_t %s%u[64] = {", source ? "cfg" : "in", number);
		for (unsigned i = 0; i < 64; i++)
			fprintf(f, "%u,", r.input[source][i]);
		fprintf(f, "};\n#undef %s\n#define %s %s%u\n", source ? "cfg" : "in",
			source ? "cfg" : "in", source ? "cfg" : "in", number);
	}
	for (unsigned i = real.count * 2 / 3; i < real.count; i++) {
		struct buf out = {0}, lets = {0};
		uint32_t l = real.all[i];
		if (r.nodes[l].op == MUSTER_OP_DATA)
			continue;
		int whole = print_expr(&p, l, &out, &lets);
		assert_int_equal(whole, 1);
		u128 v = tables_value(&r, l);
		fprintf(f,
			"static void f%u(void)\n{\n%suint128_t r = (uint128_t)(%s);\n"
			"if (r != U128(0x%" PRIx64 "u, 0x%" PRIx64 "u)) bad(%u, %u, r);\n}\n",
			(*functions)++, buf_str(&lets), buf_str(&out), (uint64_t)(v >> 64),
			(uint64_t)v, number, l);
		buf_release(&out);
		buf_release(&lets);
	}
	print_release(&p);
	trace_release(&view);
	tables_release(&r);
}

static void test_compiled(void **unused)
{
	(void)unused;
	const char *rounds = getenv("MUSTER_TEST_ROUNDS");
	unsigned batches = rounds ? (unsigned)atoi(rounds) : 1;
	char dir[] = "/tmp/muster-print-XXXXXX", path[64], command[400];
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/t.c", dir);
	for (unsigned batch = 0; batch < batches; batch++) {
		unsigned functions = 0;
		FILE *f = fopen(path, "w");
		assert_non_null(f);
		fprintf(f,
			"%s#include <stdio.h>\n#define len(x) ((uint64_t)64)\nstatic int failed;\n"
			"static void bad(int dag, int label, uint128_t r)\n"
			"{ printf(\"DAG %%d, node %%d: %%llx:%%llx\\n\", dag, label, (unsigned "
			"long long)(r >> 64), "
			"(unsigned long long)r); failed = 1; }\n",
			cx_prologue);
		for (unsigned i = 0; i < 3; i++)
			write_dag(f, batch * 3 + i, &functions);
		fprintf(f, "int main(void)\n{\n");
		for (unsigned i = 0; i < functions; i++)
			fprintf(f, "f%u();\n", i);
		fprintf(f, "return failed;\n}\n");
		fclose(f);
		snprintf(command, sizeof command,
			 "cd %s && ${CC:-clang-19} -std=gnu11 -w -O0 -fsanitize=undefined "
			 "-fsanitize-trap=undefined t.c -o t && ./t",
			 dir);
		if (system(command) != 0)
			fail_msg("batch %u: see %s", batch, path);
	}
	snprintf(command, sizeof command, "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_characters, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_words, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_logic, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_tables, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_bounds, setup, teardown),
	    cmocka_unit_test(test_compiled),
	};
	return cmocka_run_group_tests_name("print", tests, NULL, NULL);
}
