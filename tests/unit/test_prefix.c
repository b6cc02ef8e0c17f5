/* test_prefix.c: summaries of segments put together: the condition at the entry is true of exactly those inputs that pass them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "summary/prefix.h"

#include <string.h>

static struct summaries l;
static struct code_type types[] = {{.kind = CODE_TYPE_INT, .bytes = 1}, {.kind = CODE_TYPE_POINTER, .bytes = 8, .base = 0}};
static struct code code = {.types = types, .type_count = 2};
/* int f(unsigned n, const char *s) with i and sum */
static struct code_variable variables[] = {{.name = "n", .type = CODE_NONE, .scope = 0, .parameter = 0}, {.name = "s", .type = 1, .parameter = 1}, {.name = "i", .type = CODE_NONE, .parameter = CODE_NONE}, {.name = "sum", .type = CODE_NONE, .parameter = CODE_NONE}};
static const struct code_function f = {.name = "f", .variables = variables, .variable_count = 4, .parameters = 2, .code = &code};

static expr_t local(const char *name, int after)
{
	char path[16] = "l";
	return place_variable(l.pool, 32, PLACE_UNSIGNED, 0, after, strcat(path, name), name);
}

static expr_t number(uint64_t v)
{
	return expr_const(l.pool, 32, v);
}

static struct summary *add(void)
{
	vec_push(&l.all, ((struct summary){.function = "f", .kind = SUMMARY_SEGMENT}));
	return &vec_last(&l.all);
}

static u128 first;
static uint8_t text[8];
static u128 value(void *ctx, expr_t v)
{
	struct place pl;
	(void)ctx;
	assert_true(place_of(l.pool, v, &pl));
	if (pl.type == PLACE_LENGTH)
		return sizeof text;
	if (pl.path_size == 1 && pl.path[0] == '0')
		return first;
	if (pl.path_size > 2 && !memcmp(pl.path, "1*", 2))
		return text[pl.path[2] - '0'];
	fail_msg("the condition is over '%s'", expr_name(l.pool, v));
	return 0;
}

static int holds(const struct summary *x)
{
	return summary_all_hold(l.pool, x->pre.data, x->pre.size, value, NULL);
}

/* i = sum = 0; while (i < n) { sum += 3; i++; } and then sum == 9. */
static void counts(void **state)
{
	struct summary last = {0}, out = {0};
	(void)state;
	summaries_init(&l);
	struct summary *x = add();
	vec_push(&x->post, expr_eq(l.pool, local("i", 1), number(0)));
	vec_push(&x->post, expr_eq(l.pool, local("sum", 1), number(0)));
	x = add();
	vec_push(&x->pre, expr_binary(l.pool, MUSTER_OP_ULT, local("i", 0), local("n", 0)));
	vec_push(&x->post, expr_eq(l.pool, local("i", 1), expr_binary(l.pool, MUSTER_OP_ADD, local("i", 0), number(1))));
	vec_push(&x->post, expr_eq(l.pool, local("sum", 1), expr_binary(l.pool, MUSTER_OP_ADD, local("sum", 0), number(3))));
	vec_push(&last.pre, expr_binary(l.pool, MUSTER_OP_ULE, local("n", 0), local("i", 0)));
	vec_push(&last.pre, expr_eq(l.pool, local("sum", 0), number(9)));
	for (size_t passes = 0; passes < 6; passes++) {
		uint32_t before[] = {0, 1, 1, 1, 1, 1};
		out.pre.size = 0;
		if (!summary_prefix(&l, &f, before, passes + 1, &last, &out)) {
			assert_int_not_equal(passes, 3);
			continue;
		}
		for (first = 0; first < 10; first++)
			assert_int_equal(holds(&out), passes == 3 && first == 3);
	}
	vec_release(&last.pre);
	vec_release(&out.pre);
	summaries_release(&l);
}

/* while (*s != 'x') s++; and then s[1] == 'y': the pointer moves, and what lies behind it with it. */
static void moves(void **state)
{
	struct summary last = {0}, out = {0};
	uint32_t before[] = {0, 1, 1};
	(void)state;
	summaries_init(&l);
	expr_t s = place_variable(l.pool, 64, PLACE_POINTER, 1, 0, "ls", "s"), s0 = place_variable(l.pool, 8, PLACE_SIGNED, 0, 0, "ls*0", "s[0]"), s1 = place_variable(l.pool, 8, PLACE_SIGNED, 0, 0, "ls*1", "s[1]");
	add();
	struct summary *x = add();
	vec_push(&x->pre, expr_not(l.pool, expr_eq(l.pool, s0, expr_const(l.pool, 8, 'x'))));
	vec_push(&x->post, expr_eq(l.pool, place_variable(l.pool, 64, PLACE_POINTER, 1, 1, "ls", "s"), expr_binary(l.pool, MUSTER_OP_ADD, s, expr_const(l.pool, 64, 1))));
	vec_push(&last.pre, expr_eq(l.pool, s0, expr_const(l.pool, 8, 'x')));
	vec_push(&last.pre, expr_eq(l.pool, s1, expr_const(l.pool, 8, 'y')));
	vec_push(&last.pre, expr_eq(l.pool, place_variable(l.pool, 64, PLACE_LENGTH, 0, 0, "ls", "s"), expr_const(l.pool, 64, sizeof text - 2)));
	assert_true(summary_prefix(&l, &f, before, 3, &last, &out));
	memcpy(text, "abxy", 5);
	assert_true(holds(&out));
	memcpy(text, "axxy", 5);
	assert_false(holds(&out));
	memcpy(text, "abxz", 5);
	assert_false(holds(&out));
	vec_release(&last.pre);
	vec_release(&out.pre);
	summaries_release(&l);
}

/* What is no equation says nothing. */
static void refuses(void **state)
{
	struct summary last = {0}, out = {0};
	uint32_t before[] = {0};
	(void)state;
	summaries_init(&l);
	struct summary *x = add();
	vec_push(&x->post, expr_binary(l.pool, MUSTER_OP_ULT, local("i", 1), number(7)));
	vec_push(&last.pre, expr_eq(l.pool, local("i", 0), number(5)));
	assert_false(summary_prefix(&l, &f, before, 1, &last, &out));
	assert_int_equal(out.pre.size, 0);
	vec_release(&last.pre);
	vec_release(&out.pre);
	summaries_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(counts), cmocka_unit_test(moves), cmocka_unit_test(refuses)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
