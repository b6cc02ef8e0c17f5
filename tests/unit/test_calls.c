/* test_calls.c: the tree of calls, from events made by hand. */
#include "base/error.h"
#include "run/calls.h"
#include "tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define CALL(f, depth) {.kind = MUSTER_EV_CALL, .unit = 1, .index = (f), .more = (depth)}
#define FROM(at) {.kind = MUSTER_EV_CALLER, .unit = 2, .index = (at)}
#define ARGUMENT(f, n, l) {.kind = MUSTER_EV_ARGUMENT, .unit = 1, .index = (f), .arg = (n), .label = (l)}
#define RESULT(f, l) {.kind = MUSTER_EV_RESULT, .unit = 1, .index = (f), .label = (l)}
#define RETURN(f, how) {.kind = MUSTER_EV_RETURN, .unit = 1, .index = (f), .arg = MUSTER_LEFT_##how}
#define OTHER {.kind = MUSTER_EV_THREAD}

static void fill(struct tables *t, const struct muster_event *events, size_t n)
{
	tables_init(t, 64, 64, 1);
	tables_input(t, 0, 0);
	memcpy(t->events, events, n * sizeof *events);
	t->shm.header->event_count = n;
}

static void test_tree(void **unused)
{
	(void)unused;
	static const struct muster_event events[] = {
	    CALL(10, 0), OTHER,	      CALL(20, 1),	   FROM(5),  ARGUMENT(20, 0, 1), ARGUMENT(20, 1, 0), OTHER, RESULT(20, 1), RETURN(20, RETURNED),
	    CALL(20, 1), CALL(30, 2), RETURN(30, UNWOUND), RETURN(20, UNWOUND), CALL(40, 1), RETURN(40, TAIL), CALL(50, 1), OTHER,
	};
	struct tables tables;
	struct trace t;
	struct calls c;

	fill(&tables, events, sizeof events / sizeof *events);
	assert_int_equal(trace_open(&t, &tables.shm, 0), 0);
	assert_int_equal(calls_read(&c, &t), 0);
	assert_int_equal(c.list.size, 6);
	static const struct {
		uint32_t parent, depth, index;
		uint64_t begin, end;
		unsigned left;
	} want[] = {{CALLS_NONE, 0, 10, 0, CALLS_OPEN, 0},	{0, 1, 20, 2, 8, MUSTER_LEFT_RETURNED},	 {0, 1, 20, 9, 12, MUSTER_LEFT_UNWOUND},
		    {2, 2, 30, 10, 11, MUSTER_LEFT_UNWOUND}, {0, 1, 40, 13, 14, MUSTER_LEFT_TAIL}, {0, 1, 50, 15, CALLS_OPEN, 0}};
	for (size_t i = 0; i < c.list.size; i++) {
		const struct call *x = &c.list.data[i];
		assert_int_equal(x->parent, want[i].parent);
		assert_int_equal(x->depth, want[i].depth);
		assert_int_equal(x->index, want[i].index);
		assert_int_equal(x->begin, want[i].begin);
		assert_int_equal(x->end, want[i].end);
		assert_int_equal(x->left, want[i].left);
		assert_ptr_equal(calls_at(&c, x->begin), x);
		if (x->end != CALLS_OPEN)
			assert_ptr_equal(calls_at(&c, x->end), x);
	}
	assert_int_equal(c.list.data[1].from_unit, 2);
	assert_int_equal(c.list.data[1].from_index, 5);
	assert_int_equal(c.list.data[1].arguments, 2);
	assert_int_equal(c.list.data[1].first_argument, 4);
	assert_int_equal(c.list.data[1].results, 1);
	assert_int_equal(c.list.data[1].first_result, 7);
	assert_int_equal(c.list.data[2].from_unit, 0);
	assert_false(c.lost);
	assert_null(calls_at(&c, 1));
	assert_null(calls_at(&c, 4));
	calls_release(&c);
	trace_release(&t);
	tables_release(&tables);
}

static void test_lost(void **unused)
{
	(void)unused;
	static const struct muster_event events[] = {CALL(10, 0), CALL(20, 1), RETURN(20, LOST), RETURN(10, LOST), CALL(30, 0)};
	struct tables tables;
	struct trace t;
	struct calls c;

	fill(&tables, events, sizeof events / sizeof *events);
	assert_int_equal(trace_open(&t, &tables.shm, 0), 0);
	assert_int_equal(calls_read(&c, &t), 0);
	assert_true(c.lost);
	assert_int_equal(c.list.data[2].parent, CALLS_NONE);
	calls_release(&c);
	trace_release(&t);
	tables_release(&tables);
}

/* Events that are no stack: the target wrote over them. */
static void test_no_stack(void **unused)
{
	(void)unused;
	static const struct {
		struct muster_event events[4];
		size_t n;
		const char *words;
	} rows[] = {
	    {{RETURN(10, RETURNED)}, 1, "not the innermost"},
	    {{CALL(10, 0), CALL(20, 1), RETURN(10, RETURNED)}, 3, "not the innermost"},
	    {{CALL(10, 1)}, 1, "another depth"},
	    {{FROM(5)}, 1, "none is open"},
	    {{CALL(10, 0), RESULT(20, 0)}, 2, "not the innermost"},
	    {{CALL(10, 0), ARGUMENT(10, 0, 0), OTHER, ARGUMENT(10, 1, 0)}, 4, "do not follow"},
	    {{CALL(10, 0), RESULT(10, 0), OTHER, RESULT(10, 0)}, 4, "do not follow"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct tables tables;
		struct trace t;
		struct calls c;
		fill(&tables, rows[i].events, rows[i].n);
		assert_int_equal(trace_open(&t, &tables.shm, 0), 0);
		/* At the end of a trace it may be what an earlier run left. */
		assert_int_equal(calls_read(&c, &t), 0);
		calls_release(&c);
		trace_release(&t);
		tables.events[rows[i].n] = (struct muster_event)OTHER;
		tables.shm.header->event_count = rows[i].n + 1;
		assert_int_equal(trace_open(&t, &tables.shm, 0), 0);
		assert_int_equal(calls_read(&c, &t), -1);
		assert_non_null(strstr(error_text(), rows[i].words));
		assert_null(c.list.data);
		trace_release(&t);
		tables_release(&tables);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_tree), cmocka_unit_test(test_lost), cmocka_unit_test(test_no_stack)};

	return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
