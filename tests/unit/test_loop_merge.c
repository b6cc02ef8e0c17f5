/* test_loop_merge.c: terms of all ways through a loop, compared with what the same C does.
 *
 * Each program is here twice: compiled into the test, and as text for the trace variant. One run of that is followed, all ways are merged,
 * and the condition under which f() returns 1 is evaluated for many other inputs, of letters that the program decides on. */
#include "search_program.h"

#include "loops/loop_merge.h"

#include <stdio.h>

#define SIZE 24
#define INPUTS 3000

struct program {
	const char *helpers, *text;
	int (*run)(const unsigned char *a);
	const char *letters; /* that inputs are made of */
};

#define HELPERS(name, ...) __VA_ARGS__ static const char name[] = #__VA_ARGS__

#define DEFINE(name, letters_, helpers_, ...)                    \
	static int name##_f(const unsigned char *a) __VA_ARGS__  \
	static const struct program name = {.helpers = helpers_, .text = #__VA_ARGS__, .run = name##_f, .letters = letters_}

DEFINE(matches, "xxab", "", {
	int count = 0;
	for (int i = 0; i < 24; i++)
		if (a[i] == 'x')
			count++;
	if (count == 12)
		return 1;
	return 0;
});

DEFINE(balance, "()()a", "", {
	int depth = 0, deepest = 0;
	for (int i = 0; i < 12; i++) {
		if (a[i] == '(')
			depth++;
		else if (a[i] == ')')
			depth--;
		if (depth < 0)
			return -1;
		if (depth > deepest)
			deepest = depth;
	}
	if (depth == 0 && deepest == 2)
		return 1;
	return 0;
});

DEFINE(kinds, ",;a", "", {
	int commas = 0, semis = 0;
	for (int i = 0; i < 24; i++) {
		if (a[i] == ',')
			commas++;
		if (a[i] == ';')
			semis++;
	}
	if (commas == semis)
		return 1;
	return 0;
});

DEFINE(sums, "\x10\x70\xf0", "", {
	unsigned char sum = 0;
	for (int i = 0; i < 24; i++)
		if (a[i] > 100)
			sum += a[i];
		else
			sum ^= 3;
	if (sum % 16 == 3)
		return 1;
	return 0;
});

DEFINE(machine, "aabbc", "", {
	int state = 0, found = 0;
	for (int i = 0; i < 24; i++)
		switch (state) {
		case 0:
			if (a[i] == 'a')
				state = 1;
			break;
		case 1:
			if (a[i] == 'b')
				state = 2;
			else if (a[i] != 'a')
				state = 0;
			break;
		default:
			if (a[i] == 'c')
				found++;
			state = 0;
			break;
		}
	if (found == 1)
		return 1;
	return 0;
});

DEFINE(runs, "ab", "", {
	int run = 1, best = 1;
	for (int i = 1; i < 24; i++) {
		if (a[i] == a[i - 1])
			run++;
		else
			run = 1;
		if (run > best)
			best = run;
	}
	if (best == 5)
		return 1;
	return 0;
});

/* Ways out by break, continue, and from a loop inside a loop. */
DEFINE(nest, "abcx", "", {
	int words = 0, stops = 0;
	for (int i = 0; i < 6; i++) {
		if (a[4 * i] == 'x')
			continue;
		for (int k = 0; k < 4; k++) {
			if (a[4 * i + k] == 'b') {
				stops += k;
				break;
			}
			if (a[4 * i + k] == 'c' && stops > 7)
				goto out;
			words++;
		}
	}
out:
	if (words == 7 || stops == 5)
		return 1;
	return 0;
});

/* An index that depends on the input. */
DEFINE(escapes, "\\\\ab", "", {
	int n = 0, i = 0;
	while (i < 20) {
		if (a[i] == '\\') {
			i += 2;
			n++;
		} else
			i++;
	}
	if (n == 6)
		return 1;
	return 0;
});

HELPERS(callee_helpers, static int callee_count(const unsigned char *s, int n, int c)
{
	const unsigned char *end = s + n;
	int k = 0;
	for (; s < end; s++)
		if (*s == c)
			k++;
	return k;
});
DEFINE(callee, "xyz", callee_helpers, {
	if (callee_count(a, 16, 'x') == 5 && callee_count(a + 4, 20, 'y') == 6)
		return 1;
	return 0;
});

/* Counters in memory. */
HELPERS(fields_helpers, struct fields_state { int depth; int deepest; };
static void fields_step(struct fields_state *s, int c)
{
	if (c == '{')
		s->depth++;
	else if (c == '}')
		s->depth--;
	if (s->depth > s->deepest)
		s->deepest = s->depth;
});
DEFINE(fields, "{}a", fields_helpers, {
	struct fields_state s = {0, 0};
	for (int i = 0; i < 20; i++)
		fields_step(&s, a[i]);
	if (s.deepest == 3)
		return 1;
	return 0;
});

/* ---------------------------------------------------------------- one run */

struct traced {
	struct shm shm;
	struct launcher *launcher;
	struct trace trace;
	struct code *code;
	struct exprs *pool;
	struct import import;
	const unsigned char *input;
};

static u128 value_of(void *ctx, expr_t e)
{
	struct traced *t = ctx;
	const struct expr_node *n = expr_get(t->pool, e);
	return n->op == MUSTER_OP_INPUT && n->k < SIZE ? t->input[n->k] : n->op == MUSTER_OP_LENGTH ? SIZE : 0;
}

static int nothing_foreign(void *ctx, expr_t e)
{
	(void)ctx, (void)e;
	return 0;
}

static void traced_open(struct traced *t, const struct program *p, const unsigned char *input)
{
	static const char rest[] = "\n#include <unistd.h>\nint main(void)\n{\n\tunsigned char a[24] = {0};\n\tif (read(0, a, 24) != 24)\n"
				   "\t\treturn 2;\n\treturn f(a);\n}\n";
	struct shm_options tables = {.table_limit = 4096, .nodes = 1 << 18, .events = 1 << 16};
	struct launch_options l = LAUNCH_DEFAULTS;
	struct launch_input in = {.data = input, .size = SIZE, .present = 1};
	struct run_result r;
	struct buf text = BUF_EMPTY, bitcode = BUF_EMPTY;
	char *argv[] = {"program", NULL};

	buf_adds(&text, p->helpers);
	buf_adds(&text, "\nint f(const unsigned char *a)\n");
	buf_adds(&text, p->text);
	buf_adds(&text, rest);
	memset(t, 0, sizeof *t);
	t->input = input;
	char *path = variant_of(buf_str(&text), NULL, INSTRUMENT_TRACE, 0);
	compile_with(buf_str(&text), NULL, &bitcode);
	t->code = code_load(bitcode.data, bitcode.size, UNIT);
	assert_non_null(t->code);
	l.argv = argv;
	l.out = l.err = LAUNCH_NULL;
	l.wall_seconds = 5;
	l.program = path;
	l.shm = &t->shm;
	if (shm_init(&t->shm, &tables) || !(t->launcher = launcher_new(&l)) || launcher_run(t->launcher, &in, &r) || trace_open(&t->trace, &t->shm, 0))
		fail_msg("%s", error_text());
	assert_int_equal(r.end, RUN_EXIT);
	t->pool = exprs_new();
	import_init(&t->import, &t->trace, t->pool, SIZE);
	buf_release(&text);
	buf_release(&bitcode);
	free(path);
}

static void traced_close(struct traced *t)
{
	import_release(&t->import);
	exprs_free(t->pool);
	trace_release(&t->trace);
	launcher_free(t->launcher);
	shm_release(&t->shm);
	code_free(t->code);
}

static struct merge *merge_open(struct traced *t, uint32_t loop)
{
	struct merge_start s = {.code = t->code,
				.f = code_find(t->code, "f"),
				.loop = loop,
				.import = &t->import,
				.value = value_of,
				.foreign = nothing_foreign,
				.ctx = t};
	assert_non_null(s.f);
	return merge_new(&s);
}

/* f() returns 1: the edges into blocks from which only that is left. */
static expr_t returns_one(struct traced *t, const struct merge *m)
{
	const struct code_function *f = code_find(t->code, "f");
	expr_t any = EXPR_NONE;
	uint32_t ret = CODE_NONE, value = CODE_NONE;

	for (uint32_t b = 0; b < f->block_count; b++)
		if (f->values[code_last(f, b)].op == CODE_RETURN)
			ret = b;
	assert_true(ret != CODE_NONE);
	value = code_operand(f, code_last(f, ret), 0);
	assert_int_equal(f->values[value].op, CODE_PHI);
	for (uint32_t k = 0; k < f->blocks[ret].preds; k++) {
		const struct code_value *is = code_operand_value(f, value, k);
		uint32_t block = code_pred(f, ret, k)->from;
		if (is->kind != CODE_CONSTANT || code_signed(is) != 1)
			continue;
		for (uint32_t i = 0; i < f->blocks[block].preds; i++) {
			expr_t goal = merge_goal(m, f, f->preds[f->blocks[block].first_pred + i]);
			if (goal != EXPR_NONE)
				any = any == EXPR_NONE ? goal : expr_or(t->pool, any, goal);
		}
	}
	return any;
}

static uint64_t state = 88172645463325252ull;

static void random_input(unsigned char *to, const char *letters)
{
	for (unsigned i = 0; i < SIZE; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		to[i] = (unsigned char)letters[(state >> 20) % strlen(letters)];
	}
}

/* From the function's beginning (CODE_NONE), or from its first loop; plainly, or by cases. */
static void check(const struct program *p, uint32_t loop, int cases)
{
	struct traced t;
	unsigned char first[SIZE], other[SIZE];
	unsigned ones = 0;
	uint32_t n;

	memset(first, 'q', SIZE);
	traced_open(&t, p, first);
	struct merge *m = merge_open(&t, loop);
	assert_true(merge_replay(m) > 0);
	assert_int_equal(merge_run(m, 8, cases), 0);
	expr_t goal = returns_one(&t, m);
	assert_true(goal != EXPR_NONE);
	const expr_t *vars = expr_vars(t.pool, goal, &n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(expr_get(t.pool, vars[i])->op, MUSTER_OP_INPUT);
	t.input = other;
	for (unsigned i = 0; i < INPUTS; i++) {
		random_input(other, p->letters);
		int is = p->run(other) == 1, says = expr_eval(t.pool, goal, value_of, &t) != 0;
		if (is != says)
			fail_msg("\"%.24s\" returns %d, the term says %d, in\n%s", other, is, says, p->text);
		ones += (unsigned)is;
	}
	assert_true(ones > 0 && ones < INPUTS);
	merge_free(m);
	traced_close(&t);
}

static void test_from_function(void **unused)
{
	const struct program *all[] = {&matches, &balance, &kinds, &sums, &machine, &runs, &nest, &escapes, &callee, &fields};

	(void)unused;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		check(all[i], CODE_NONE, 0), check(all[i], CODE_NONE, 1);
}

static void test_from_loop(void **unused)
{
	const struct program *all[] = {&matches, &balance, &machine};

	(void)unused;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		check(all[i], 0, 0);
}

/* ---------------------------------------------------------------- what must not work */

/* A loop that nobody enters through its head only, and a function that calls itself, are not followed. */
DEFINE(goes_in, "xy", "", {
	int n = 0, i = 0;
	if (a[0] == 'x')
		goto middle;
	while (i < 10) {
		n++;
	middle:
		if (a[++i] == 'y')
			n++;
	}
	if (n == 13)
		return 1;
	return 0;
});

HELPERS(itself_helpers, static int itself_count(const unsigned char *a, int n)
{
	int k = 0;
	for (int i = 0; i < 2; i++)
		if (a[n] == 'x')
			k++;
	return n ? k + itself_count(a, n - 1) : k;
});
DEFINE(itself, "xy", itself_helpers, {
	if (itself_count(a, 20) == 7)
		return 1;
	return 0;
});

static void test_refused(void **unused)
{
	struct traced t;
	unsigned char first[SIZE];

	(void)unused;
	memset(first, 'q', SIZE);
	traced_open(&t, &goes_in, first);
	struct merge *m = merge_open(&t, CODE_NONE);
	assert_int_equal(merge_replay(m), -1);
	merge_free(m);
	traced_close(&t);
	traced_open(&t, &itself, first);
	m = merge_open(&t, CODE_NONE);
	assert_true(!merge_follows(m, code_find(t.code, "itself_count")));
	merge_replay(m);
	if (merge_run(m, 8, 0) == 0) { /* the result of the call is not known: no goal that is true or false by the input alone */
		expr_t goal = returns_one(&t, m);
		assert_true(goal == EXPR_NONE || !expr_is_const(t.pool, goal, NULL));
	}
	merge_free(m);
	traced_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_from_function),
	    cmocka_unit_test(test_from_loop),
	    cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
