/* test_code_flow.c: dominators and loops.
 *
 * They are compared with their definitions on random graphs, which are C functions made of gotos: a block dominates another if the other
 * cannot be reached without it; loops are the strongly connected parts, and the strongly connected parts of these without
 * the edges to the header, and so on.
 */
#include "code_unit.h"
#include "ir/unit.h"
#include "timing.h"

#include <stdlib.h>
#include <time.h>

#define MAX 40

static uint64_t state = 1;
static unsigned roll(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

/* Blocks a reached from block 0 (or from `from`) among those allowed, over edges that are allowed. */
static uint64_t reach(const struct code_function *f, uint32_t from, uint64_t blocks, uint32_t closed)
{
	uint64_t seen = blocks >> from & 1 ? (uint64_t)1 << from : 0, before;

	do {
		before = seen;
		for (uint32_t e = 0; e < f->edge_count; e++)
			if (seen >> f->edges[e].from & 1 && blocks >> f->edges[e].to & 1 && f->edges[e].to != closed)
				seen |= (uint64_t)1 << f->edges[e].to;
	} while (seen != before);
	return seen;
}

static uint64_t body(const struct code_function *f, uint32_t loop)
{
	uint64_t set = 0;

	for (uint32_t k = 0; k < f->loops[loop].blocks; k++)
		set |= (uint64_t)1 << f->loop_blocks[f->loops[loop].first_block + k];
	return set;
}

static int has_edge(const struct code_function *f, uint32_t first, uint32_t count, uint32_t edge)
{
	for (uint32_t k = 0; k < count; k++)
		if (f->loop_edges[first + k] == edge)
			return 1;
	return 0;
}

static void check_edges(const struct code_function *f, uint32_t loop, uint64_t set, uint64_t reached)
{
	const struct code_loop *l = &f->loops[loop];
	int irreducible = 0;

	for (uint32_t e = 0; e < f->edge_count; e++) {
		int from = set >> f->edges[e].from & 1, to = set >> f->edges[e].to & 1;

		if (!(reached >> f->edges[e].from & 1))
			continue;
		assert_int_equal(has_edge(f, l->first_entry, l->entries, e), !from && to);
		assert_int_equal(has_edge(f, l->first_exit, l->exits, e), from && !to);
		assert_int_equal(has_edge(f, l->first_latch, l->latches, e), from && f->edges[e].to == l->header);
		if (from && f->edges[e].to == l->header)
			assert_true(f->edges[e].flags & CODE_EDGE_BACK);
		irreducible |= !from && to && f->edges[e].to != l->header;
	}
	assert_int_equal(l->irreducible, irreducible);
	assert_true(l->latches > 0);
}

/* The loops among `blocks`, whose parent is `parent`, when no edge may lead to `closed`. Returns how many, with those inside. */
static uint32_t check_loops(const struct code_function *f, uint64_t blocks, uint32_t closed, uint32_t parent, uint64_t reached)
{
	uint64_t left = blocks;
	uint32_t count = 0;

	while (left) {
		uint32_t first = CODE_NONE, loop;
		uint64_t part = 0;

		for (uint32_t k = 0; k < f->order_count && first == CODE_NONE; k++)
			if (left >> f->order[k] & 1)
				first = f->order[k];
		for (uint32_t b = 0; b < f->block_count; b++)
			if (blocks >> b & 1 && reach(f, first, blocks, closed) >> b & 1 && reach(f, b, blocks, closed) >> first & 1)
				part |= (uint64_t)1 << b;
		left &= ~part;
		if (part == (uint64_t)1 << first) {
			int again = 0;

			for (uint32_t e = 0; e < f->edge_count; e++)
				again |= f->edges[e].from == first && f->edges[e].to == first && first != closed;
			if (!again) {
				assert_int_equal(f->blocks[first].loop, parent);
				continue;
			}
		}
		loop = f->blocks[first].loop; /* the first block in order is the header */
		assert_int_not_equal(loop, CODE_NONE);
		assert_int_equal(f->loops[loop].header, first);
		assert_int_equal(f->loops[loop].parent, parent);
		assert_int_equal(f->loops[loop].depth, parent == CODE_NONE ? 1 : f->loops[parent].depth + 1);
		assert_true(parent == CODE_NONE || parent < loop);
		assert_true(body(f, loop) == part);
		check_edges(f, loop, part, reached);
		for (uint32_t b = 0; b < f->block_count; b++)
			if (reached >> b & 1)
				assert_int_equal(code_in_loop(f, loop, b), part >> b & 1);
		count += 1 + check_loops(f, part & ~((uint64_t)1 << first), first, loop, reached);
	}
	return count;
}

static void check_graph(const struct code_function *f, unsigned *irreducible)
{
	uint64_t all = f->block_count == 64 ? UINT64_MAX : ((uint64_t)1 << f->block_count) - 1, reached = reach(f, 0, all, CODE_NONE);

	assert_true(f->block_count <= 64);
	assert_int_equal(f->order_count, __builtin_popcountll(reached));
	for (uint32_t a = 0; a < f->block_count; a++) {
		uint64_t without = a ? reach(f, 0, all & ~((uint64_t)1 << a), CODE_NONE) : 0;
		uint32_t up = f->blocks[a].dominator;

		assert_int_equal(f->blocks[a].order != CODE_NONE, reached >> a & 1);
		for (uint32_t b = 0; b < f->block_count; b++)
			if (reached >> a & 1 && reached >> b & 1)
				assert_int_equal(code_dominates(f, a, b), !(without >> b & 1));
		if (!(reached >> a & 1) || !a) {
			assert_int_equal(up, CODE_NONE);
			continue;
		}
		assert_true(up != a && code_dominates(f, up, a)); /* the immediate one: all others dominate it */
		for (uint32_t b = 0; b < f->block_count; b++)
			if (b != a && reached >> b & 1 && code_dominates(f, b, a))
				assert_true(code_dominates(f, b, up));
	}
	assert_int_equal(check_loops(f, reached, CODE_NONE, CODE_NONE, reached), f->loop_count);
	for (uint32_t k = 0; k < f->loop_count; k++)
		*irreducible += (unsigned)f->loops[k].irreducible;
}

static void random_function(struct buf *text, unsigned number)
{
	unsigned n = 2 + roll(number % 3 ? 9 : 20), span = 1 + roll(n);

	buf_addf(text, "void f%u(void) {\n", number);
	for (unsigned k = 0; k < n; k++) {
		/* Mostly near, so that there is a nest to find. */
		unsigned a = roll(4) ? (k + 1 + roll(span + 1) + n - roll(span + 1)) % n : roll(n);

		buf_addf(text, "L%u: x++;", k);
		switch (roll(6)) {
		case 0:
			buf_addf(text, " return;\n");
			break;
		case 1:
			buf_addf(text, " goto L%u;\n", a);
			break;
		case 2:
			buf_addf(text, " switch (c()) { case 1: goto L%u; case 2: goto L%u; case 3: goto L%u; }\n", a, roll(n), a);
			break;
		default:
			buf_addf(text, " if (c()) goto L%u;\n", a);
			break;
		}
	}
	buf_adds(text, "}\n");
}

static void test_random_graphs(void **unused)
{
	struct buf text = {0};
	struct code *c;
	unsigned loops = 0, irreducible = 0, deepest = 0;

	(void)unused;
	buf_adds(&text, "int c(void); extern int x;\n");
	for (unsigned i = 0; i < 600; i++)
		random_function(&text, i);
	c = load_with(buf_str(&text), "-g0");
	for (uint32_t i = 0; i < c->function_count; i++) {
		const struct code_function *f = &c->functions[i];

		if (!f->defined || f->block_count > 64)
			continue;
		check_graph(f, &irreducible);
		loops += f->loop_count;
		for (uint32_t k = 0; k < f->loop_count; k++)
			deepest = f->loops[k].depth > deepest ? f->loops[k].depth : deepest;
	}
	assert_true(loops > 500 && irreducible > 50 && deepest >= 4);
	code_free(c);
	buf_release(&text);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* the machine may be busy */
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* 10,000 blocks in a loop, a state machine with every state a target of every other, and a deep nest. */
static void test_large(void **unused)
{
	struct buf text = {0}, b = {0};
	struct unit u;
	struct code *c;
	double start;

	(void)unused;
	buf_adds(&text, "int f(int x) { int y = 0; while (x--) {\n");
	for (unsigned i = 0; i < 4000; i++)
		buf_addf(&text, "if (x == %u) y += %u;\n", i, i * 7);
	buf_adds(&text, "} return y; }\nint g(int x) { void *l[] = {");
	for (unsigned i = 0; i < 300; i++)
		buf_addf(&text, "&&L%u,", i);
	buf_adds(&text, "}; goto *l[x];\n");
	for (unsigned i = 0; i < 300; i++)
		buf_addf(&text, "L%u: x = x * %u %% 300; if (!x) return 1; goto *l[x];\n", i, i + 2);
	buf_adds(&text, "}\nint h(int x) { int y = 0;\n");
	for (unsigned i = 0; i < 100; i++)
		buf_addf(&text, "for (int i%u = 0; i%u < x; i%u++)\n", i, i, i);
	buf_adds(&text, "y++; return y; }\n");
	compile_with(buf_str(&text), "-fbracket-depth=4096", &b);
	assert_int_equal(unit_load(&u, b.data, b.size, 1), 0);
	start = now();
	c = code_new(&u);
	assert_quick(now() - start < 3);
	assert_true(function(c, "f")->block_count > 8000);
	assert_int_equal(function(c, "f")->loop_count, 1);
	assert_int_equal(function(c, "h")->loop_count, 100);
	assert_int_equal(function(c, "h")->loops[99].depth, 100);
	code_free(c);
	unit_release(&u);
	buf_release(&text);
	buf_release(&b);
}

static void test_loop_lines(void **unused)
{
	struct code *c = load("int f(int n) {\n  int s = 0;\n  for (int i = 0;\n       i < n;\n       i++) {\n    s += i;\n  }\n"
			      "  do { s--; }\n  while (s > n);\n again:\n  if (s & 4) {\n    s++;\n    goto again;\n  }\n  return s; }\n");
	const struct code_function *f = function(c, "f");
	uint32_t n, *live;

	(void)unused;
	assert_int_equal(f->loop_count, 3);
	assert_int_equal(f->loops[0].line, 3);
	assert_int_equal(f->loops[0].end_line, 7);
	assert_int_equal(f->loops[1].line, 8);
	assert_int_equal(f->loops[2].line, 11);
	live = code_live_in(f, 0, &n);
	assert_int_equal(n, 1); /* n */
	assert_int_equal(live[0], 0);
	free(live);
	live = code_live_in(f, 1, &n);
	assert_int_equal(n, 2); /* n, and the s of the first loop */
	assert_int_equal(f->values[live[1]].op, CODE_PHI);
	assert_true(code_varies(f, 0, live[1]));
	assert_false(code_varies(f, 1, live[1]));
	free(live);
	code_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_graphs),
	    cmocka_unit_test(test_large),
	    cmocka_unit_test(test_loop_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
