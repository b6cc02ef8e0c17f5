/* test_hint_budget.c: what a share of a search still has. */
#include "search/inside.h"
#include "search/hint_budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define START 0.2
#define SHARE 0.1

static void is_about(double is, double wanted)
{
	assert_true(is > wanted - 0.1 && is < wanted + 0.1);
}

/* It has searched for so long. */
static void begin(struct search *s, double seconds)
{
	s->solver = solver_new(&(struct solve_options){0});
	s->budget.restarted = clock_seconds() - seconds;
	s->budget.restart_used = search_used(s) - seconds;
}

static void test_earns(void **state)
{
	(void)state;
	static struct search s;
	struct hint_budget t = {0};
	begin(&s, 100);
	is_about(hint_budget_left(&t, &s, START, SHARE), 10.2);
	t.used = 1; /* for nothing: a third is left of its share */
	is_about(hint_budget_left(&t, &s, START, SHARE), 0.2 + 10.0 / 3 - 1);
	t.hits = 9;
	is_about(hint_budget_left(&t, &s, START, SHARE), 0.2 + 10.0 * 10 / 12 - 1);
	t.used = 3, t.hits = 0;
	assert_true(hint_budget_left(&t, &s, START, SHARE) < 0);
	solver_free(s.solver);
}

static void test_restarts(void **state)
{
	(void)state;
	static struct search s;
	struct hint_budget t = {0};
	begin(&s, 0);
	is_about(hint_budget_left(&t, &s, START, SHARE), START);
	t.used = 5, t.hits = 2;
	s.budget.restarted = clock_seconds() + 1e-9;
	is_about(hint_budget_left(&t, &s, START, SHARE), START);
	assert_int_equal(t.hits, 0);
	solver_free(s.solver);
}

static void test_counts_what_is_under_way(void **state)
{
	(void)state;
	static struct search s;
	struct hint_budget t = {0};
	begin(&s, 0);
	double before = hint_budget_left(&t, &s, START, 0);
	hint_budget_begin(&t, &s);
	volatile unsigned n = 0;
	while (clock_processor() - t.began < 0.02)
		n++;
	assert_true(hint_budget_left(&t, &s, START, 0) < before - 0.019);
	hint_budget_end(&t, &s);
	assert_true(t.used > 0.019);
	hint_budget_work(&t, &s, 1); /* of a search that cannot be repeated: it was in the time */
	assert_true(t.used < 1);
	solver_free(s.solver);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_earns),
	    cmocka_unit_test(test_restarts),
	    cmocka_unit_test(test_counts_what_is_under_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
