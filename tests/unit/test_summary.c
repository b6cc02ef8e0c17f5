/* test_summary.c: summaries as data: names of places, text, bytes and back, what is implied, what is joined. How they come from runs is in tests/cases/summaries.case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solve/solve.h"
#include "summary/summary.h"

#include <string.h>

static struct summaries l;
static struct solver *solver;

static expr_t place(unsigned width, enum place_type type, const char *path, const char *text)
{
	return place_variable(l.pool, width, type, type == PLACE_POINTER ? 4 : 0, 0, path, text);
}

static expr_t number(unsigned width, int64_t v)
{
	return expr_const(l.pool, width, (u128)(uint64_t)v & (((u128)1 << width) - 1));
}

static struct summary *add(expr_t pre, expr_t post)
{
	struct summary s = {.function = "f", .lp = {.symbol = ""}, .lq = {.symbol = "", .ordinal = SUMMARY_EXIT}, .paths = 1};

	vec_push(&s.pre, pre);
	vec_push(&s.post, post);
	assert_true(summary_normalise(&l, &s));
	vec_push(&l.all, s);
	return &vec_last(&l.all);
}

static void expect(const expr_t *list, size_t count, const char *text)
{
	struct buf b = BUF_EMPTY;

	summary_c(&l, list, count, &b);
	assert_string_equal(buf_str(&b), text);
	buf_release(&b);
}

static int begin(void **state)
{
	struct solve_options o = {.conflicts = 2000, .no_cache = 1};

	(void)state;
	summaries_init(&l);
	solver = solver_new(&o);
	return 0;
}

static int end(void **state)
{
	(void)state;
	summaries_release(&l);
	solver_free(solver);
	return 0;
}

static void names_are_taken_apart(void **state)
{
	struct place p;

	(void)state;
	assert_true(place_of(l.pool, place_variable(l.pool, 64, PLACE_POINTER, 12, 1, "0*8*4", "p->next->v"), &p));
	assert_int_equal(p.type, PLACE_POINTER);
	assert_int_equal(p.size, 12);
	assert_true(p.after);
	assert_int_equal(p.path_size, 5);
	assert_string_equal(p.text, "p->next->v");
	assert_false(place_parse("x", &p));
	assert_false(place_parse("i0|x", &p));
	assert_false(place_parse("q:0|x", &p));
	assert_false(place_parse("i:0", &p));
}

static void text_is_what_people_write(void **state)
{
	expr_t x = place(32, PLACE_SIGNED, "0", "x"), p = place(64, PLACE_POINTER, "1", "p"), q = place(64, PLACE_POINTER, "2", "q");
	expr_t both[2] = {p, q};
	expr_t list[] = {
	    expr_eq(l.pool, x, number(32, -1)),
	    expr_not(l.pool, expr_eq(l.pool, p, number(64, 0))),
	    expr_eq(l.pool, place_variable(l.pool, 64, PLACE_POINTER, 4, 1, "2", "q"), expr_binary(l.pool, MUSTER_OP_ADD, p, number(64, 8))),
	    expr_binary(l.pool, MUSTER_OP_SLT, x, number(32, 5)),
	    expr_apply(l.pool, PLACE_APART, 1, both, 2),
	};

	(void)state;
	expect(list, 5, "x == -1 && p != NULL && after(q) == p + 2 && x < 5 && apart(p, q)");
	expect(list, 0, "1");
}

static void as_many_as_are_read_are_written(void **state)
{
	struct summaries to;
	struct summary s = {.function = "f"}, r = {.function = "f"};
	struct buf b = BUF_EMPTY;
	expr_t x = place(32, PLACE_UNSIGNED, "0", "x");

	(void)state;
	for (unsigned i = 0; i < SUMMARY_CONJUNCTS; i++)
		vec_push(&s.pre, expr_not(l.pool, expr_eq(l.pool, x, number(32, i))));
	assert_true(summary_fits(&s));
	summary_write(l.pool, &s, &b);
	summaries_init(&to);
	assert_int_equal(summary_read(&to, b.data, b.size, &r), 0);
	assert_int_equal(r.pre.size, SUMMARY_CONJUNCTS);
	vec_push(&s.post, expr_eq(l.pool, x, number(32, 0)));
	assert_false(summary_fits(&s));
	summary_release(&r);
	summary_release(&s);
	summaries_release(&to);
	buf_release(&b);
}

static void bytes_and_back(void **state)
{
	expr_t x = place(32, PLACE_SIGNED, "0", "x");
	struct summary *s = add(expr_binary(l.pool, MUSTER_OP_SLT, x, number(32, 5)), expr_eq(l.pool, place_variable(l.pool, 32, PLACE_SIGNED, 0, 1, "r", "result"), x));
	struct summary back = {.function = "f"};
	struct summaries other;
	struct buf pre = BUF_EMPTY, support = BUF_EMPTY, text = BUF_EMPTY;

	(void)state;
	s->line = 3, s->end_line = 9, s->test = 77;
	vec_push(&s->functions, "f");
	vec_push(&s->functions, "callee");
	summary_write(l.pool, s, &pre);
	summary_write_support(s, &support);
	summaries_init(&other);
	assert_int_equal(summary_read(&other, pre.data, pre.size, &back), 0);
	assert_int_equal(back.pre.size, 1);
	assert_int_equal(back.post.size, 1);
	assert_int_equal(summary_read_support(&other, support.data, support.size, &back), 0);
	assert_int_equal(back.line, 3);
	assert_int_equal(back.test, 77);
	assert_int_equal(back.functions.size, 2);
	assert_string_equal(back.functions.data[1], "callee");
	summary_c(&other, back.post.data, back.post.size, &text);
	assert_string_equal(buf_str(&text), "result == x");
	print_message("%zu bytes for P, Q and what they rest on\n", pre.size + support.size);
	/* Damaged: words, never a formula. */
	assert_int_equal(summary_read(&other, pre.data, pre.size / 2, &back), -1);
	assert_int_equal(summary_read(&other, pre.data, 2, &back), -1);
	pre.data[1] = 3;
	assert_int_equal(summary_read(&other, pre.data, pre.size, &back), -1);
	pre.data[1] = 1;
	pre.data[0] = 9;
	assert_int_equal(summary_read(&other, pre.data, pre.size, &back), -1);
	assert_int_equal(summary_read_support(&other, "?", 1, &back), -1);
	summary_release(&back);
	summaries_release(&other);
	buf_release(&pre);
	buf_release(&support);
	buf_release(&text);
}

static void what_is_implied_goes(void **state)
{
	expr_t x = place(32, PLACE_SIGNED, "0", "x");
	expr_t less = expr_binary(l.pool, MUSTER_OP_SLT, x, number(32, 5)), less_still = expr_binary(l.pool, MUSTER_OP_SLT, x, number(32, 3));
	struct summary *s = add(expr_and(l.pool, less_still, less), expr_true(l.pool));

	(void)state;
	assert_int_equal(s->pre.size, 2);
	summary_simplify(&l, s, solver);
	expect(s->pre.data, s->pre.size, "x < 3");
}

static void joins_are_exact(void **state)
{
	expr_t a = place(32, PLACE_SIGNED, "0", "a"), b = place(32, PLACE_SIGNED, "1", "b");
	expr_t more = expr_binary(l.pool, MUSTER_OP_SLT, b, a), zero = expr_eq(l.pool, place(8, PLACE_UNSIGNED, "2", "c"), number(8, 0));
	expr_t one = expr_eq(l.pool, place_variable(l.pool, 32, PLACE_SIGNED, 0, 1, "r", "result"), number(32, 1));
	expr_t two = expr_eq(l.pool, place_variable(l.pool, 32, PLACE_SIGNED, 0, 1, "r", "result"), number(32, 2));

	(void)state;
	/* The same Q: what they have in common. */
	add(expr_and(l.pool, zero, more), one);
	add(expr_and(l.pool, zero, expr_not(l.pool, more)), one);
	/* Another Q stays alone; so does what another reason makes partial. */
	add(more, two);
	add(expr_not(l.pool, more), two)->why = "something is missing";
	summaries_join(&l, solver, NULL);
	assert_int_equal(l.all.size, 3);
	expect(l.all.data[0].pre.data, l.all.data[0].pre.size, "c == 0");
	assert_int_equal(l.all.data[0].paths, 2);
	expect(l.all.data[1].pre.data, l.all.data[1].pre.size, "b < a");
	/* Two conjuncts each that are no opposites: their disjunction is none of the two, and nothing is joined. */
	summaries_release(&l);
	summaries_init(&l);
	a = place(32, PLACE_SIGNED, "0", "a");
	one = expr_eq(l.pool, place_variable(l.pool, 32, PLACE_SIGNED, 0, 1, "r", "result"), number(32, 1));
	expr_t c = place(8, PLACE_UNSIGNED, "2", "c");
	add(expr_and(l.pool, expr_eq(l.pool, a, number(32, 1)), expr_eq(l.pool, c, number(8, 1))), one);
	add(expr_and(l.pool, expr_eq(l.pool, a, number(32, 2)), expr_eq(l.pool, c, number(8, 2))), one);
	summaries_join(&l, solver, NULL);
	assert_int_equal(l.all.size, 2);
}

static void what_cannot_be_is_none(void **state)
{
	expr_t x = place(8, PLACE_UNSIGNED, "0", "x");
	struct summary s = {.function = "f"};

	(void)state;
	vec_push(&s.pre, expr_eq(l.pool, x, number(8, 1)));
	vec_push(&s.pre, expr_not(l.pool, expr_eq(l.pool, x, number(8, 1))));
	assert_false(summary_normalise(&l, &s));
	summary_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(names_are_taken_apart, begin, end), cmocka_unit_test_setup_teardown(text_is_what_people_write, begin, end),
	    cmocka_unit_test_setup_teardown(bytes_and_back, begin, end), cmocka_unit_test_setup_teardown(as_many_as_are_read_are_written, begin, end),	cmocka_unit_test_setup_teardown(what_is_implied_goes, begin, end),
	    cmocka_unit_test_setup_teardown(joins_are_exact, begin, end),	cmocka_unit_test_setup_teardown(what_cannot_be_is_none, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
