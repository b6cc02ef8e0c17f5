/* test_frames.c: frames of a path, from events made by hand; and the names of --strategy. */
#include "base/error.h"
#include "search/frames.h"
#include "search/kind.h"
#include "tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define CALL(f, depth) {.kind = MUSTER_EV_CALL, .unit = 1, .index = (f), .more = (depth)}
#define FROM(at) {.kind = MUSTER_EV_CALLER, .unit = 2, .index = (at)}
#define ARGUMENT(f, n, p, l) {.kind = MUSTER_EV_ARGUMENT, .unit = 1, .index = (f), .arg = (n), .more = (p), .label = (l)}
#define RESULT(f, l) {.kind = MUSTER_EV_RESULT, .unit = 1, .index = (f), .label = (l)}
#define RETURN(f) {.kind = MUSTER_EV_RETURN, .unit = 1, .index = (f), .arg = MUSTER_LEFT_RETURNED}
#define OTHER {.kind = MUSTER_EV_THREAD}

/* A path whose steps are the OTHER events. */
static void read_all(struct frames *f, struct path *p, struct trace *t, struct tables *tables, const struct muster_event *events, size_t n)
{
	tables_init(tables, 64, 64, 1);
	tables_input(tables, 0, 0);
	memcpy(tables->events, events, n * sizeof *events);
	tables->shm.header->event_count = n;
	assert_int_equal(trace_open(t, &tables->shm, 0), 0);
	for (size_t i = 0; i < n; i++)
		if (events[i].kind == MUSTER_EV_THREAD)
			vec_push(&p->steps, (struct path_step){.event = i});
	assert_int_equal(frames_read(f, t, p), 0);
}

static void release_all(struct frames *f, struct path *p, struct trace *t, struct tables *tables)
{
	frames_release(f);
	path_release(p);
	trace_release(t);
	tables_release(tables);
}

static void test_tree(void **unused)
{
	(void)unused;
	static const struct muster_event events[] = {
	    OTHER,										    /* step 0: outside */
	    CALL(10, 0), OTHER,									    /* 1: the function that is driven */
	    CALL(20, 1), FROM(5), ARGUMENT(20, 0, 0, 1), ARGUMENT(20, 1, 3, 0), OTHER, CALL(30, 2), /* 2 */
	    OTHER,										    /* 3: in the callee's callee */
	    RETURN(30), OTHER,									    /* 4 */
	    RESULT(20, 1), RETURN(20), CALL(40, 1), RETURN(40), OTHER,				    /* 5: behind a callee without steps */
	    CALL(50, 1), OTHER,									    /* 6: a callee that does not end */
	};
	static const uint32_t of_step[] = {0, 1, 2, 3, 2, 1, 5};
	static const struct frame want[] = {
	    {.caller = FRAME_NONE, .first = 0, .end = 7, .callees = 5, .open = 1},
	    {.caller = 0, .depth = 0, .index = 10, .first = 1, .end = 7, .callees = 4, .open = 1},
	    {.caller = 1, .depth = 1, .index = 20, .first = 2, .end = 5, .callees = 1},
	    {.caller = 2, .depth = 2, .index = 30, .first = 3, .end = 4},
	    {.caller = 1, .depth = 1, .index = 40, .first = 5, .end = 5},
	    {.caller = 1, .depth = 1, .index = 50, .first = 6, .end = 7, .open = 1},
	};
	struct frames f = {0};
	struct path p = {0};
	struct tables tables;
	struct trace t;
	uint32_t parameter = 9;

	read_all(&f, &p, &t, &tables, events, sizeof events / sizeof *events);
	assert_int_equal(f.of_step.size, 7);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(f.of_step.data[i], of_step[i]);
	assert_int_equal(f.list.size, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct frame *x = &f.list.data[i], *y = &want[i];
		assert_int_equal(x->caller, y->caller);
		assert_int_equal(x->depth, y->depth);
		assert_int_equal(x->index, y->index);
		assert_int_equal(x->first, y->first);
		assert_int_equal(x->end, y->end);
		assert_int_equal(x->callees, y->callees);
		assert_int_equal(x->open, y->open);
	}
	assert_int_equal(f.list.data[2].from_index, 5);
	for (uint32_t i = 0; i < 6; i++) /* frames_within agrees with going up by callers */
		for (uint32_t outer = 0; outer < 6; outer++) {
			uint32_t up = i;
			while (up != FRAME_NONE && up != outer)
				up = f.list.data[up].caller;
			assert_int_equal(frames_within(&f, i, outer), up == outer);
		}
	assert_int_equal(frames_arguments(&f, 2), 2);
	assert_int_equal(frames_argument(&f, &t, 2, 0, NULL), 1);
	assert_int_equal(frames_argument(&f, &t, 2, 1, &parameter), 0);
	assert_int_equal(parameter, 3);
	assert_int_equal(frames_results(&f, 2), 1);
	assert_int_equal(frames_result(&f, &t, 2, 0), 1);
	assert_int_equal(frames_results(&f, 5), 0);
	release_all(&f, &p, &t, &tables);
}

/* A path that was cut has fewer steps than the trace has events. */
static void test_cut(void **unused)
{
	(void)unused;
	static const struct muster_event events[] = {CALL(10, 0), OTHER, CALL(20, 1), RETURN(20), RETURN(10)};
	struct frames f = {0};
	struct path p = {0};
	struct tables tables;
	struct trace t;

	read_all(&f, &p, &t, &tables, events, 5);
	assert_int_equal(f.list.size, 3);
	assert_int_equal(f.list.data[1].end, 1);
	assert_int_equal(f.list.data[2].first, 1);
	assert_int_equal(f.list.data[2].end, 1);
	assert_true(frames_within(&f, 2, 1));
	assert_false(frames_within(&f, 1, 2));
	release_all(&f, &p, &t, &tables);
}

static void test_no_stack(void **unused)
{
	(void)unused;
	static const struct muster_event events[] = {CALL(10, 0), CALL(20, 1), RETURN(10), OTHER};
	struct frames f = {0};
	struct path p = {0};
	struct tables tables;
	struct trace t;

	tables_init(&tables, 64, 64, 1);
	tables_input(&tables, 0, 0);
	memcpy(tables.events, events, sizeof events);
	tables.shm.header->event_count = 4;
	assert_int_equal(trace_open(&t, &tables.shm, 0), 0);
	assert_int_equal(frames_read(&f, &t, &p), -1);
	assert_non_null(strstr(error_text(), "not the innermost"));
	release_all(&f, &p, &t, &tables);
}

static void test_names(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < KIND_COUNT; i++) {
		enum search_kind k = KIND_COUNT;
		assert_int_equal(search_kind_parse(search_kind_word((enum search_kind)i), &k), 0);
		assert_int_equal(k, i);
	}
	enum search_kind k = KIND_AUTO;
	assert_int_equal(search_kind_parse("breadth", &k), -1);
	assert_non_null(strstr(error_text(), "generational"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_tree), cmocka_unit_test(test_cut), cmocka_unit_test(test_no_stack), cmocka_unit_test(test_names)};

	return cmocka_run_group_tests_name("frames", tests, NULL, NULL);
}
