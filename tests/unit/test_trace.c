/* test_trace.c: the validating reader and the evaluator, on tables made by hand. */
#include "base/error.h"
#include "run/eval.h"
#include "run/trace.h"
#include "tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

static void expect_refused(struct tables *t, const char *words)
{
	struct trace view;
	if (trace_open(&view, &t->shm, 0) == 0)
		fail_msg("a table that should be refused (%s) was accepted", words);
	if (!strstr(error_text(), words) || !strstr(error_text(), "wrote over the trace"))
		fail_msg("refused with \"%s\", expected \"%s\"", error_text(), words);
}

static void expect_accepted(struct tables *t)
{
	struct trace view;
	if (trace_open(&view, &t->shm, 0))
		fail_msg("refused: %s", error_text());
	trace_release(&view);
}

/* Each row breaks one field of one node of a small good table. */
static void test_bad_nodes(void **unused)
{
	(void)unused;
	enum {
		BYTE0 = 1,
		BYTE1,
		WORD,
		SUM,
		TEST,
		BYTES,
		ITE,
		DATA,
		DATA1,
		OFFSET,
		READ,
		CAT,
		HALF,
		SWAP
	};
	struct row {
		uint32_t node;
		size_t field;
		unsigned size;
		uint64_t value;
		const char *words;
	};
#define FIELD(name) offsetof(struct muster_node, name), sizeof((struct muster_node *)0)->name
	static const struct row rows[] = {
	    {BYTE0, FIELD(op), MUSTER_OP_COUNT, "unknown operator"},
	    {BYTE0, FIELD(op), 255, "unknown operator"},
	    {BYTE0, FIELD(op), MUSTER_OP_NONE, "not a node"},
	    {BYTE0, FIELD(width), 0, "no such width"},
	    {BYTE0, FIELD(width), 129, "no such width"},
	    {BYTE0, FIELD(width), 16, "wrong width"},
	    {BYTE0, FIELD(a), 2, "no such source"},
	    {BYTE0, FIELD(value64), 256, "does not fit its width"},
	    {WORD, FIELD(a), WORD, "no older node"},
	    {WORD, FIELD(a), 0, "no older node"},
	    {WORD, FIELD(width), 4, "extends to fewer bits"},
	    {SUM, FIELD(a), SUM, "no older node"},
	    {SUM, FIELD(a), 4000000000u, "no older node"},
	    {SUM, FIELD(a), BYTE0, "not that of its operands"},
	    {SUM, FIELD(a), 0, "no operand has a label"},
	    {SUM, FIELD(b), BYTE1, "differ in width"},
	    {SUM, FIELD(k), 1ull << 32, "does not fit the width"},
	    {TEST, FIELD(width), 8, "not that of its operands"},
	    {BYTES, FIELD(width), 24, "not older bytes"},
	    {BYTES, FIELD(width), 15, "no number of bytes"},
	    {ITE, FIELD(a), BYTE0, "not that of its operands"},
	    {ITE, FIELD(b), BYTE0, "not that of its operands"},
	    {ITE, FIELD(c), ITE, "no older node"},
	    {DATA, FIELD(k), 0, "past the table"},
	    {DATA, FIELD(k), 1ull << 40, "past the table"},
	    {DATA, FIELD(k), ~0ull, "past the table"},
	    {DATA, FIELD(aux), 2, "unknown kind"},
	    {OFFSET, FIELD(a), DATA1, "no older node"},
	    {OFFSET, FIELD(a), DATA, "no older node"},
	    {READ, FIELD(b), BYTE0, "no data"},
	    {READ, FIELD(b), DATA1, "no data"},
	    {READ, FIELD(a), WORD, "not 64 bits wide"},
	    {READ, FIELD(width), 128, "more than the data has"},
	    {CAT, FIELD(width), 48, "not the sum"},
	    {HALF, FIELD(k), 25, "bits that its operand does not have"},
	    {HALF, FIELD(k), ~0ull, "bits that its operand does not have"},
	    {SWAP, FIELD(width), 40, "not that of its operand"},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct tables t;
		tables_init(&t, 64, 8, 1);
		t.input[0][0] = t.input[0][1] = 1;
		assert_int_equal(tables_input(&t, 0, 0), BYTE0);
		assert_int_equal(tables_input(&t, 0, 1), BYTE1);
		assert_int_equal(tables_node(&t, MUSTER_OP_ZEXT, 32, BYTE0, 0, 0, 0), WORD);
		assert_int_equal(tables_node(&t, MUSTER_OP_ADD, 32, WORD, 0, 0, 5), SUM);
		assert_int_equal(tables_node(&t, MUSTER_OP_SLT, 1, SUM, 0, 0, 9), TEST);
		assert_int_equal(tables_node(&t, MUSTER_OP_BYTES, 16, BYTE0, 0, 0, 0), BYTES);
		assert_int_equal(tables_node(&t, MUSTER_OP_ITE, 32, TEST, WORD, SUM, 0), ITE);
		assert_int_equal(tables_data(&t, (const uint8_t *)"abcdefgh", 8, NULL), DATA);
		assert_int_equal(tables_node(&t, MUSTER_OP_ZEXT, 64, BYTE0, 0, 0, 0), OFFSET);
		assert_int_equal(tables_node(&t, MUSTER_OP_READ, 16, OFFSET, DATA, 0, 0), READ);
		assert_int_equal(tables_node(&t, MUSTER_OP_CONCAT, 40, BYTE1, SUM, 0, 0), CAT);
		assert_int_equal(tables_node(&t, MUSTER_OP_EXTRACT, 8, SUM, 0, 0, 8), HALF);
		assert_int_equal(tables_node(&t, MUSTER_OP_BSWAP, 32, SUM, 0, 0, 0), SWAP);
		expect_accepted(&t);
		memcpy((char *)&t.nodes[rows[i].node] + rows[i].field, &rows[i].value,
		       rows[i].size);
		expect_refused(&t, rows[i].words);
		tables_release(&t);
	}
}

static void test_bad_cells(void **unused)
{
	(void)unused;
	static const uint32_t bad[] = {MUSTER_CELL(2, 0), MUSTER_CELL(1, 1), MUSTER_CELL(500, 0)};
	for (unsigned i = 0; i < 4; i++) {
		struct tables t;
		tables_init(&t, 64, 8, 1);
		tables_input(&t, 0, 0);
		uint32_t cells[4] = {0, MUSTER_CELL(1, 0), i < 3 ? bad[i] : 0, 0};
		tables_data(&t, (const uint8_t *)"abcd", 4, cells);
		if (i < 3)
			expect_refused(&t, "a cell of its contents");
		else
			expect_accepted(&t);
		tables_release(&t);
	}
}

static void test_bad_events(void **unused)
{
	(void)unused;
	struct row {
		struct muster_event event;
		const char *words;
	};
	static const struct row rows[] = {
	    {{.kind = MUSTER_EV_NONE, .arg = 0, .label = 0}, "not an event"},
	    {{.kind = MUSTER_EV_BRANCH, .arg = 2, .label = 2}, "taken"},
	    {{.kind = MUSTER_EV_BRANCH, .arg = 1, .label = 1}, "no node of one bit"},
	    {{.kind = MUSTER_EV_BRANCH, .arg = 1, .label = 99}, "no node of one bit"},
	    {{.kind = MUSTER_EV_BOUND, .arg = 1, .label = 0}, "no node of one bit"},
	    {{.kind = MUSTER_EV_GIVEN, .arg = 1, .label = 1}, "no node of one bit"},
	    {{.kind = MUSTER_EV_GIVEN, .arg = 2, .label = 2}, "no node of one bit"},
	    {{.kind = MUSTER_EV_GIVEN, .arg = 0, .label = 2}, NULL},
	    {{.kind = MUSTER_EV_SWITCH, .arg = 0, .label = 3}, "no node"},
	    {{.kind = MUSTER_EV_CONCRETE, .arg = MUSTER_REASON_COUNT, .label = 1}, "unknown reason"},
	    {{.kind = MUSTER_EV_CONCRETE, .arg = 1, .label = 0}, "no node"},
	    {{.kind = MUSTER_EV_BRANCH, .arg = 1, .label = 2}, NULL},
	    {{.kind = MUSTER_EV_BRANCH, .arg = 1, .label = 0}, NULL},
	    {{.kind = MUSTER_EV_SWITCH, .arg = 7, .label = 1}, NULL},
	    {{.kind = MUSTER_EV_CONCRETE, .arg = 1, .label = 1}, NULL},
	    {{.kind = MUSTER_EV_END, .arg = 1, .label = 77}, NULL},
	    {{.kind = MUSTER_EV_ARGUMENT, .arg = 0, .label = 99}, "no node"},
	    {{.kind = MUSTER_EV_RESULT, .arg = 0, .label = 99}, "no node"},
	    {{.kind = MUSTER_EV_ARGUMENT, .arg = 9, .label = 1}, NULL},
	    {{.kind = MUSTER_EV_RETURN, .arg = MUSTER_LEFT_COUNT, .label = 0}, "no such end of a call"},
	    {{.kind = MUSTER_EV_COUNT, .arg = 0, .label = 0}, "there is no such kind"},
	    {{.kind = 255, .arg = 0, .label = 0}, "there is no such kind"},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct tables t;
		tables_init(&t, 64, 8, 1);
		tables_node(&t, MUSTER_OP_EQ, 1, tables_input(&t, 0, 0), 0, 0, 7);
		t.events[0] = rows[i].event;
		t.shm.header->event_count = 1;
		if (rows[i].words)
			expect_refused(&t, rows[i].words);
		else
			expect_accepted(&t);
		tables_release(&t);
	}
}

static void test_bad_header(void **unused)
{
	(void)unused;
	struct tables t;
	tables_init(&t, 64, 8, 1);
	struct muster_header good = *t.shm.header;
#define BREAK(field, bad, words)   \
	t.shm.header->field = bad; \
	expect_refused(&t, words); \
	*t.shm.header = good
	BREAK(magic, 7, "header is gone");
	BREAK(version, 99, "trace format 99");
	BREAK(version, 0, "trace format 0");
	BREAK(node_count, 0, "0 nodes");
	BREAK(node_count, 65, "65 nodes in a table for 64");
	BREAK(node_count, ~0ull, "nodes in a table for 64");
	BREAK(event_count, 10, "10 events in a table for 8");
	BREAK(object_count, MUSTER_MAX_OBJECTS + 1, "objects");
	BREAK(cap_count, MUSTER_MAX_CAPS + 1, "caps");
	BREAK(missing, 0x2a00000007ull, "missing unit 0000002a");
	BREAK(not_missing, ~0ull, "it is no trace");
	expect_accepted(&t);
	tables_release(&t);
}

/* An older format is no damage: the words say what to do. */
static void test_older_format(void **unused)
{
	(void)unused;
	struct tables t;
	struct trace view;
	tables_init(&t, 64, 8, 1);
	t.shm.header->version = MUSTER_ABI_VERSION - 1;
	assert_int_equal(trace_open(&view, &t.shm, 0), -1);
	assert_non_null(strstr(error_text(), "has format 7, and this muster reads format 8 only: make the variant again"));
	assert_null(strstr(error_text(), "wrote over the trace"));
	tables_release(&t);
}

/* A run that was killed may leave its newest node and event half written. */
static void test_killed(void **unused)
{
	(void)unused;
	struct tables t;
	struct trace view;
	tables_init(&t, 64, 8, 1);
	tables_input(&t, 0, 0);
	tables_raw(&t, (struct muster_node){.op = 200});
	t.events[0] = (struct muster_event){.kind = MUSTER_EV_THREAD};
	t.events[1] = (struct muster_event){0};
	t.shm.header->event_count = 2;
	assert_int_equal(trace_open(&view, &t.shm, 0), -1);
	assert_int_equal(trace_open(&view, &t.shm, 1), 0);
	assert_int_equal(view.node_count, 2);
	assert_int_equal(view.event_count, 1);
	trace_release(&view);
	tables_release(&t);
}

/* Random bytes over a good table: refused or accepted, never a wild access (run under
 * AddressSanitizer too). */
static void test_scribble(void **unused)
{
	(void)unused;
	static struct tables_labels real;
	unsigned refused = 0;
	for (unsigned i = 0; i < 400; i++) {
		struct tables t;
		struct trace view;
		struct eval e;
		tables_init(&t, 2048, 8, i + 1);
		tables_random(&t, 200, &real);
		for (unsigned j = 0; j <= i % 8; j++) {
			size_t at = tables_next(&t) % (t.shm.header->node_count * 32);
			((uint8_t *)t.nodes)[at] = (uint8_t)tables_next(&t);
		}
		if (trace_open(&view, &t.shm, 0)) {
			refused++;
			tables_release(&t);
			continue;
		}
		struct eval_input in[2] = {{t.input[0], 64}, {t.input[1], 40}};
		eval_init(&e, &view);
		eval_run(&e, in);
		eval_release(&e);
		eval_self_check(&view, in, NULL, 0);
		trace_release(&view);
		tables_release(&t);
	}
	assert_true(refused > 100);
}

/* Evaluated from the same input, every node has the value it was made with. */
static void test_eval_same(void **unused)
{
	(void)unused;
	static struct tables_labels real;
	for (unsigned seed = 1; seed <= 200; seed++) {
		struct tables t;
		struct trace view;
		struct eval e;
		tables_init(&t, 16384, 8, seed);
		tables_random(&t, 1000, &real);
		if (trace_open(&view, &t.shm, 0))
			fail_msg("seed %u: %s", seed, error_text());
		struct eval_input in[2] = {{t.input[0], 64}, {t.input[1], 40}};
		struct eval_mismatch first;
		struct eval_check check = eval_self_check(&view, in, &first, 1);
		if (check.mismatches)
			fail_msg("seed %u: node %u (%s)", seed, first.label,
				 op_table[t.nodes[first.label].op].name);
		eval_init(&e, &view);
		eval_run(&e, in);
		for (unsigned i = 0; i < real.count; i++)
			if (t.nodes[real.all[i]].op != MUSTER_OP_DATA)
				assert_true(eval_value(&e, real.all[i]) ==
					    tables_value(&t, real.all[i]));
		assert_false(e.any_undefined);
		eval_release(&e);
		trace_release(&view);
		tables_release(&t);
	}
}

/* A wrong value is found, once, where it stands. */
static void test_self_check(void **unused)
{
	(void)unused;
	struct tables t;
	struct trace view;
	struct eval_mismatch first[2];
	tables_init(&t, 64, 8, 1);
	uint32_t a = tables_input(&t, 0, 3);
	uint32_t b = tables_node(&t, MUSTER_OP_ADD, 8, a, 0, 0, 1);
	t.nodes[b].low ^= 0x40;
	uint32_t c = tables_node(&t, MUSTER_OP_ADD, 8, b, 0, 0, 1);
	struct eval_input in[2] = {{t.input[0], 64}, {t.input[1], 40}};
	assert_int_equal(trace_open(&view, &t.shm, 0), 0);
	struct eval_check check = eval_self_check(&view, in, first, 2);
	assert_int_equal(check.mismatches, 1);
	assert_int_equal(check.nodes, 3);
	assert_int_equal(first[0].label, b);
	assert_true(first[0].computed == (first[0].recorded ^ 0x40));
	(void)c;
	t.nodes[a].flags = MUSTER_NODE_UNREAD;
	t.nodes[a].low ^= 1;
	assert_int_equal(eval_self_check(&view, in, first, 2).nodes, 2);
	trace_release(&view);
	tables_release(&t);
}

static void test_undefined(void **unused)
{
	(void)unused;
	struct tables t;
	struct trace view;
	struct eval e;
	tables_init(&t, 64, 8, 1);
	t.input[0][0] = 5;
	t.input[0][1] = 3;
	uint32_t a = tables_input(&t, 0, 0), b = tables_input(&t, 0, 1);
	uint32_t div = tables_node(&t, MUSTER_OP_UDIV, 8, a, b, 0, 0);
	uint32_t sum = tables_node(&t, MUSTER_OP_ADD, 8, div, 0, 0, 1);
	uint32_t zero = tables_node(&t, MUSTER_OP_EQ, 1, b, 0, 0, 0);
	uint32_t ite = tables_node(&t, MUSTER_OP_ITE, 8, zero, a, div, 0);
	uint32_t beyond = tables_raw(
	    &t, (struct muster_node){.op = MUSTER_OP_INPUT, .width = 8, .k = 100, .value64 = 9});
	uint32_t length = tables_length(&t, 0);
	assert_int_equal(trace_open(&view, &t.shm, 0), 0);
	eval_init(&e, &view);
	uint8_t other[2] = {5, 0};
	struct eval_input in[2] = {{other, 2}, {t.input[1], 40}};
	eval_run(&e, in);
	assert_false(eval_defined(&e, div));
	assert_false(eval_defined(&e, sum));
	assert_true(eval_defined(&e, ite));
	assert_true(eval_value(&e, ite) == 5);
	assert_true(eval_value(&e, beyond) ==
		    9); /* the run's input had no such byte: the program's own value */
	assert_true(eval_value(&e, length) == 2);
	in[0].size = 1;
	eval_run(&e, in);
	assert_false(eval_defined(&e, b));
	assert_false(eval_defined(&e, ite));
	assert_true(eval_defined(&e, a));
	in[0] = (struct eval_input){t.input[0], 64};
	eval_run(&e, in);
	assert_true(eval_defined(&e, sum));
	assert_true(eval_value(&e, sum) == 2);
	eval_release(&e);
	trace_release(&view);
	tables_release(&t);
}

/* Two million nodes like those of a checksum: the pass must not cost more than a tenth of a
 * microsecond a node. */
static void test_speed(void **unused)
{
	(void)unused;
	enum { N = 2000000 };
	struct tables t;
	struct trace view;
	struct eval e;
	tables_init(&t, N + 8, 8, 1);
	uint32_t sum = tables_node(&t, MUSTER_OP_ZEXT, 32, tables_input(&t, 0, 0), 0, 0, 0);
	while (t.shm.header->node_count < N)
		sum = tables_node(&t, MUSTER_OP_ADD, 32, sum, 0, 0, 7);
	struct eval_input in[2] = {{t.input[0], 64}, {t.input[1], 40}};
	clock_t start = clock();
	assert_int_equal(trace_open(&view, &t.shm, 0), 0);
	clock_t opened = clock();
	eval_init(&e, &view);
	eval_run(&e, in);
	clock_t run = clock();
	assert_int_equal(eval_self_check(&view, in, NULL, 0).mismatches, 0);
	clock_t end = clock();
	print_message("ns a node: open %.1f, eval %.1f, self-check %.1f\n",
		      (opened - start) * 1e9 / CLOCKS_PER_SEC / N,
		      (run - opened) * 1e9 / CLOCKS_PER_SEC / N,
		      (end - run) * 1e9 / CLOCKS_PER_SEC / N);
	assert_true(end - start < CLOCKS_PER_SEC);
	eval_release(&e);
	trace_release(&view);
	tables_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bad_nodes),  cmocka_unit_test(test_bad_cells),
	    cmocka_unit_test(test_bad_events), cmocka_unit_test(test_bad_header), cmocka_unit_test(test_older_format),
	    cmocka_unit_test(test_killed),     cmocka_unit_test(test_scribble),
	    cmocka_unit_test(test_eval_same),  cmocka_unit_test(test_self_check),
	    cmocka_unit_test(test_undefined),  cmocka_unit_test(test_speed),
	};
	return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
