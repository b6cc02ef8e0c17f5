/* test_depend.c: the oracle's verdicts, and the changes it makes to inputs. The whole oracle
 * runs in every case of tests/cases. */
#include "run/depend.h"
#include "run/mutate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define NO DEPEND_NOWHERE

static void test_verdicts(void **unused)
{
	(void)unused;
	static const struct {
		struct depend_facts
		    facts; /* broken, decision, undefined, differs, known, cut, length */
		enum depend_verdict want;
	} rows[] = {
	    {{NO, 0, 0, NO, NO, 0, 9}, DEPEND_SAME},
	    {{NO, 0, 0, 5, NO, 0, 9}, DEPEND_BEFORE},
	    {{NO, 0, 0, 5, 5, 0, 9}, DEPEND_SAME}, /* the trace ended there */
	    {{NO, 0, 0, 4, 5, 0, 9}, DEPEND_BEFORE},
	    {{NO, 0, 0, NO, NO, 1, 9}, DEPEND_LIMIT},
	    {{5, 1, 0, 5, NO, 0, 9}, DEPEND_TURNED},
	    {{5, 1, 0, 4, NO, 0, 9}, DEPEND_BEFORE},
	    {{5, 1, 0, 6, NO, 0, 9}, DEPEND_MISSED},
	    {{5, 1, 0, NO, NO, 0, 9}, DEPEND_MISSED},
	    {{5, 1, 0, NO, NO, 1, 5}, DEPEND_LIMIT},
	    {{5, 1, 0, NO, NO, 1, 6}, DEPEND_MISSED},
	    {{5, 0, 0, 5, NO, 0, 9}, DEPEND_FREED},
	    {{5, 0, 0, NO, NO, 0, 9}, DEPEND_FREED},
	    {{5, 0, 0, 4, NO, 0, 9}, DEPEND_BEFORE},
	    {{5, 1, 1, 5, NO, 0, 9}, DEPEND_UNDEFINED},
	    {{5, 1, 1, 2, NO, 0, 9}, DEPEND_BEFORE},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		if (depend_judge(&rows[i].facts) != rows[i].want)
			fail_msg("row %u: %s", i, depend_key(depend_judge(&rows[i].facts)));
}

static void test_changes(void **unused)
{
	(void)unused;
	uint8_t from[40];
	struct buf a = {0}, b = {0};
	char words[96], again[96];
	unsigned same = 0, resized = 0;
	for (unsigned i = 0; i < sizeof from; i++)
		from[i] = (uint8_t)(i + 1);
	for (uint64_t seed = 0; seed < 3000; seed++) {
		uint64_t s = seed, t = seed;
		uint64_t size = seed % 41;
		words[0] = again[0] = 0;
		mutate(&a, from, size, size / 2, 0, &s, words, sizeof words);
		mutate(&b, from, size, size / 2, 0, &t, again, sizeof again);
		assert_int_equal(a.size, b.size);
		assert_int_equal(s, t);
		assert_true(a.size == 0 || !memcmp(a.data, b.data, a.size));
		assert_string_equal(words, again);
		assert_true(words[0]);
		resized += a.size != size;
		same += a.size == size && (size == 0 || !memcmp(a.data, from, size));
	}
	assert_true(same < 300);
	assert_true(resized > 300 && resized < 2000);
	buf_release(&a);
	buf_release(&b);
}

static void test_fixed(void **unused)
{
	(void)unused;
	static const char argument[] = "--level=7";
	struct buf b = {0};
	char words[96];
	uint64_t state = 5;
	for (unsigned i = 0; i < 2000; i++) {
		uint64_t size = i % sizeof argument;
		mutate(&b, (const uint8_t *)argument, size, size, 1, &state, words, sizeof words);
		assert_int_equal(b.size, size);
		assert_true(size == 0 || !memchr(b.data, 0, size));
	}
	buf_release(&b);
}

/* ------------------------------------------------------------- two traces */

static const struct muster_node nodes[] = {
    {0}, {.op = MUSTER_OP_INPUT, .width = 8, .low = 7}, {.op = MUSTER_OP_NE, .width = 1, .low = 1, .a = 1}, {.op = MUSTER_OP_ULT, .width = 1, .low = 1, .a = 1}};

static struct trace trace_of(const struct muster_event *events, uint64_t n)
{
	return (struct trace){.nodes = nodes, .node_count = 4, .events = events, .event_count = n};
}

#define DECISION(where, l) {.kind = MUSTER_EV_BRANCH, .arg = 1, .unit = 1, .index = where, .label = l}
#define BOUND(where, l) {.kind = MUSTER_EV_BOUND, .arg = 1, .unit = 1, .index = where, .label = l}
#define FIXED(where, l) {.kind = MUSTER_EV_CONCRETE, .arg = MUSTER_REASON_SIZE, .unit = 1, .index = where, .label = l}
#define COUNT(x) (sizeof(x) / sizeof *(x))

/* One variant tells a constraint again that the other does not: they are still of the same path. */
static void test_repeated(void **unused)
{
	static const struct muster_event some[] = {DECISION(1, 2), BOUND(2, 3), FIXED(2, 1), DECISION(5, 2), BOUND(6, 3), FIXED(6, 1), DECISION(7, 2)};
	static const struct muster_event all[] = {DECISION(1, 2), BOUND(2, 3), DECISION(4, 0), FIXED(2, 1), DECISION(5, 2), DECISION(7, 0)};
	static const uint64_t want[] = {0, 1, 1, 2, 3, 3, 3};
	struct trace x = trace_of(some, COUNT(some)), y = trace_of(all, COUNT(all));
	struct trace_places p;

	(void)unused;
	trace_compare(&p, &x, &y);
	assert_true(p.whole && !p.apart);
	assert_int_equal(p.decisions, 4);
	for (size_t i = 0; i < COUNT(want); i++)
		assert_int_equal(p.position[i], want[i]);
	trace_places_release(&p);
}

/* A decision with a label that the other lacks is a difference, unless a table was full. */
static void test_apart(void **unused)
{
	static const struct muster_event some[] = {DECISION(1, 2), DECISION(5, 2)};
	static const struct muster_event more[] = {DECISION(1, 2), DECISION(3, 2), DECISION(5, 2)};
	static const struct muster_event full[] = {DECISION(1, 2), {.kind = MUSTER_EV_FULL, .arg = 1}};
	struct trace x = trace_of(some, COUNT(some)), y = trace_of(more, COUNT(more)), z = trace_of(full, COUNT(full));
	struct trace_places p;

	(void)unused;
	trace_compare(&p, &x, &y);
	assert_true(p.apart && !p.whole);
	assert_int_equal(p.placed, 1);
	assert_int_equal(p.there, 1);
	trace_places_release(&p);
	trace_compare(&p, &y, &x);
	assert_true(p.apart);
	trace_places_release(&p);
	trace_compare(&p, &x, &z);
	assert_true(!p.apart && !p.whole && p.placed == 1);
	trace_places_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_verdicts),
	    cmocka_unit_test(test_changes),
	    cmocka_unit_test(test_fixed),
	    cmocka_unit_test(test_repeated),
	    cmocka_unit_test(test_apart),
	};
	return cmocka_run_group_tests_name("depend", tests, NULL, NULL);
}
