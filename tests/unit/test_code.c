/* test_code.c: our view of a unit: values, flow, loops, names, call graph, effects.
 *
 * Dominators and loops are compared with their definitions on random graphs, which are C functions made of gotos: a block dominates another if the other
 * cannot be reached without it; loops are the strongly connected parts, and the strongly connected parts of these without
 * the edges to the header, and so on.
 */
#include "bitcode.h"
#include "ir/code.h"
#include "ir/unit.h"
#include "muster/abi.h"

#include <stdlib.h>
#include <time.h>

#define CHECKS "-fsanitize=undefined,unsigned-integer-overflow,implicit-conversion -fsanitize-trap=all"

static struct code *load_with(const char *text, const char *extra)
{
	struct buf b = {0};
	struct code *c;

	compile_with(text, extra, &b);
	c = code_load(b.data, b.size, 7);
	if (!c)
		fail_msg("%s", error_text());
	buf_release(&b);
	return c;
}

static struct code *load(const char *text)
{
	return load_with(text, NULL);
}

static const struct code_function *function(const struct code *c, const char *name)
{
	const struct code_function *f = code_find(c, name);

	if (!f)
		fail_msg("no function %s", name);
	return f;
}

/* The n-th instruction with this operator. */
static uint32_t nth(const struct code_function *f, enum code_op op, unsigned n)
{
	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++)
		if (f->values[v].op == op && !n--)
			return v;
	fail_msg("%s: no such %s", f->name, code_op_text(op));
	return 0;
}

/* ------------------------------------------------------------------ values */

static void test_values(void **unused)
{
	struct code *c = load("int f(int a, unsigned char b, long z) {\n"
			      "  int s = a + b;\n"
			      "  if (s < 7) s = s * 3; else s = (unsigned)s >> 2;\n"
			      "  switch (z) { case 5: return 1; case -9: case 6: return s; }\n"
			      "  return s / 4; }\n");
	const struct code_function *f = function(c, "f");
	uint32_t add = nth(f, CODE_ADD, 0), branch = nth(f, CODE_BRANCH, 0), phi = nth(f, CODE_PHI, 0), sw = nth(f, CODE_SWITCH, 0);
	const struct code_block *b = &f->blocks[f->values[branch].block];

	(void)unused;
	assert_int_equal(c->unit, 7);
	assert_int_equal(f->parameters, 3);
	assert_int_equal(f->values[0].width, 32);
	assert_int_equal(f->values[1].width, 8);
	assert_int_equal(f->values[2].width, 64);
	assert_int_equal(f->values[add].width, 32);
	assert_true(f->values[add].flags & CODE_NSW);
	assert_int_equal(code_operand(f, add, 0), 0);
	assert_int_equal(code_operand_value(f, add, 1)->op, CODE_ZEXT);
	assert_int_equal(f->values[add].line, 2);
	/* Outcome 1 is "true": the block with the multiplication. */
	assert_int_equal(b->edges, 2);
	assert_int_equal(f->edges[b->first_edge + 1].to, f->values[nth(f, CODE_MUL, 0)].block);
	assert_int_equal(f->edges[b->first_edge].to, f->values[nth(f, CODE_LSHR, 0)].block);
	/* Operands of a phi go with the predecessors. */
	assert_int_equal(f->values[phi].operands, 2);
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t from = code_pred(f, f->values[phi].block, k)->from;

		assert_int_equal(f->values[code_operand(f, phi, k)].block, from);
	}
	/* Case i is outcome i. */
	assert_int_equal(f->values[sw].operands, 4);
	assert_true(code_signed(code_operand_value(f, sw, 1)) == 5);
	assert_true(code_signed(code_operand_value(f, sw, 2)) == -9);
	assert_true(code_unsigned(code_operand_value(f, sw, 2)) == (uint64_t)-9);
	b = &f->blocks[f->values[sw].block];
	assert_int_equal(b->edges, 4);
	assert_int_equal(f->edges[b->first_edge + 2].to, f->edges[b->first_edge + 3].to);
	assert_int_not_equal(f->edges[b->first_edge + 1].to, f->edges[b->first_edge + 2].to);
	assert_int_equal(f->edges[b->first_edge].to, f->values[nth(f, CODE_SDIV, 0)].block);
	/* Users: s is used by the comparison, the product and the shift. */
	assert_int_equal(f->values[add].uses, 3);
	for (uint32_t k = 0; k < 3; k++)
		assert_true(f->uses[f->values[add].first_use + k] > add);
	assert_true(code_available(f, 0, 2));
	assert_true(code_available(f, phi, f->values[phi].block));
	assert_false(code_available(f, add, 0));
	code_free(c);
}

static void test_wide_constants(void **unused)
{
	struct code *c = load("unsigned __int128 f(unsigned __int128 x) { return x + (((unsigned __int128)0x123 << 64) | 0x456); }\n"
			      "__int128 g(__int128 x) { return x + -3; }\n");
	const struct code_function *f = function(c, "f"), *g = function(c, "g");
	const struct code_value *k = code_operand_value(f, nth(f, CODE_ADD, 0), 1);

	(void)unused;
	assert_int_equal(k->width, 128);
	assert_int_equal(k->bits[0], 0x456);
	assert_int_equal(k->bits[1], 0x123);
	assert_true(code_signed(code_operand_value(g, nth(g, CODE_ADD, 0), 1)) == -3);
	code_free(c);
}

static void test_addresses(void **unused)
{
	struct code *c = load("struct s { char c; int a[5]; struct { short x, y; } t[3]; };\n"
			      "int f(struct s *p, long i, int j) { return p->t[i].y + p[2].a[j]; }\n");
	const struct code_function *f = function(c, "f");
	int64_t offset = 0, scale_i = 0, scale_j = 0;

	(void)unused;
	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++)
		for (uint32_t k = 1; f->values[v].op == CODE_GEP && k < f->values[v].operands; k++) {
			if (code_operand(f, v, k) == 1)
				scale_i = code_scale(f, v, k);
			else
				scale_j = code_scale(f, v, k);
		}
	for (uint32_t v = code_operand(f, nth(f, CODE_LOAD, 1), 0); f->values[v].op == CODE_GEP; v = code_operand(f, v, 0))
		offset += f->values[v].offset;
	assert_int_equal(scale_i, 4);
	assert_int_equal(scale_j, 4);
	assert_int_equal(offset, 2 * 36 + 4);
	assert_int_equal(f->roots[code_operand(f, nth(f, CODE_LOAD, 1), 0)].root, 0);
	assert_false(f->roots[code_operand(f, nth(f, CODE_LOAD, 1), 0)].exact);
	code_free(c);
}

/* Ordinals are those of the unit, with checks and without debug info as well. */
static void test_ordinals(void **unused)
{
	static const char text[] = "int g(int); static int h(int x) { return x / 3; }\n"
				   "int f(int a, unsigned b) { int s = 0; for (unsigned i = 0; i < b; i++) s += g(a) << h(i); return s; }\n";
	const char *const flags[] = {"", "-g0", CHECKS};

	(void)unused;
	for (size_t i = 0; i < 3; i++) {
		struct buf b = {0};
		struct unit u;
		struct code *c;

		compile_with(text, flags[i], &b);
		assert_int_equal(unit_load(&u, b.data, b.size, 7), 0);
		c = code_new(&u);
		assert_non_null(c);
		for (uint32_t k = 0; k < u.count; k++) {
			uint32_t v;
			const struct code_function *f = code_find_ordinal(c, k, &v);

			assert_non_null(f);
			assert_int_equal(f->values[v].index, k);
			assert_int_equal(f->values[v].op == CODE_PHI, LLVMIsAPHINode(u.instructions[k]) != NULL);
			assert_int_equal(f->values[v].op == CODE_RETURN, LLVMIsAReturnInst(u.instructions[k]) != NULL);
			assert_int_equal(f->values[v].op == CODE_SHL, LLVMGetInstructionOpcode(u.instructions[k]) == LLVMShl);
		}
		uint32_t v;

		assert_null(code_find_ordinal(c, u.count, &v));
		assert_int_equal(unit_verify(&u), 0);
		code_free(c);
		unit_release(&u);
		buf_release(&b);
	}
}

/* Wrapping arithmetic has no meaning of its own; only a check of what is undefined may be believed. */
static void test_checks(void **unused)
{
	struct code *c = load_with("unsigned f(unsigned a, int b) {\n  unsigned x = a + 1;\n  int y = b + 1;\n  unsigned char z = y; return x + z; }\n", CHECKS);
	const struct code_function *f = function(c, "f");
	unsigned undefined = 0, defined = 0, reports = 0;

	(void)unused;
	assert_int_equal(code_operand(f, nth(f, CODE_UADD_OVER, 0), 0), 0);
	assert_int_equal(code_operand(f, nth(f, CODE_SADD_OVER, 0), 0), 1);
	assert_int_equal(f->values[nth(f, CODE_ADD, 0)].flags & (CODE_NSW | CODE_NUW), 0);
	assert_int_equal(code_operand(f, nth(f, CODE_ADD, 1), 0), 1);
	for (uint32_t e = 0; e < f->edge_count; e++) {
		const struct code_edge *edge = &f->edges[e];

		if (edge->flags & CODE_EDGE_REPORT) {
			assert_true(f->blocks[edge->to].flags & CODE_BLOCK_REPORT);
			assert_int_equal(f->blocks[edge->to].edges, 0);
			reports++;
		}
		if (!(edge->flags & CODE_EDGE_PASS))
			continue;
		if (edge->flags & CODE_EDGE_UB) {
			assert_int_equal(f->blocks[edge->from].check, MUSTER_CHECK_INT_OVER);
			undefined++;
		} else {
			defined++;
		}
	}
	assert_int_equal(undefined, 1);
	assert_true(defined >= 3);
	assert_int_equal(reports, undefined + defined);
	code_free(c);
}

/* ------------------------------------------------------------------ flow */

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
	assert_true(now() - start < 3);
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

/* ------------------------------------------------------------------ names */

static uint32_t variable(const struct code_function *f, const char *name, unsigned n)
{
	for (uint32_t k = 0; k < f->variable_count; k++)
		if (!strcmp(f->variables[k].name, name) && !n--)
			return k;
	fail_msg("%s: no variable %s", f->name, name);
	return 0;
}

static void test_names(void **unused)
{
	struct code *c = load("int g(int);\n"
			      "int f(int n, unsigned char k) {\n"
			      "  int s = 0, dead = 1, moved = n;\n"
			      "  for (int i = 0; i < n; i++) {\n"
			      "    if (k) dead = 5;\n"
			      "    s += g(moved);\n"
			      "  }\n"
			      "  return s; }\n");
	const struct code_function *f = function(c, "f");
	struct code_names *names = code_names_new(f);
	uint32_t head = f->loops[0].header, s, i, v, join;

	(void)unused;
	assert_string_equal(f->file, "<stdin>");
	assert_int_equal(f->variables[variable(f, "n", 0)].parameter, 0);
	assert_int_equal(f->variables[variable(f, "k", 0)].parameter, 1);
	assert_int_equal(f->variables[variable(f, "moved", 0)].parameter, CODE_NONE);
	assert_true(f->values[1].flags & CODE_UNSIGNED && !(f->values[0].flags & CODE_UNSIGNED));
	assert_int_equal(c->types[f->variables[variable(f, "k", 0)].type].is_unsigned, 1);
	assert_int_equal(c->types[f->variables[variable(f, "k", 0)].type].bytes, 1);
	assert_string_equal(c->types[f->variables[variable(f, "k", 0)].type].name, "unsigned char");
	assert_int_equal(c->types[f->variables[variable(f, "s", 0)].type].is_unsigned, 0);
	s = code_names_value(names, head, variable(f, "s", 0));
	i = code_names_value(names, head, variable(f, "i", 0));
	assert_int_equal(f->values[s].op, CODE_PHI);
	assert_int_equal(f->values[i].op, CODE_PHI);
	assert_int_not_equal(s, i);
	assert_int_equal(code_names_value(names, head, variable(f, "n", 0)), 0);
	assert_int_equal(code_names_value(names, head, variable(f, "moved", 0)), 0);
	/* Nobody reads it, so there is no phi, and after the branch it is 1 or 5. */
	assert_int_equal(code_names_value(names, head, variable(f, "dead", 0)), CODE_NONE);
	join = f->values[nth(f, CODE_CALL, 0)].block;
	assert_int_equal(code_names_value(names, join, variable(f, "dead", 0)), CODE_NONE);
	v = code_names_value(names, f->values[nth(f, CODE_RETURN, 0)].block, variable(f, "s", 0));
	assert_int_equal(v, s);
	code_names_free(names);
	code_free(c);
}

/* At the entry of a block its own first assignments have not happened, even if they leave no instruction. */
static void test_names_at_entry(void **unused)
{
	struct code *c = load("int g(int, int);\n"
			      "int f(int n) {\n"
			      "  int i = 5, x = 3;\n"
			      " again:\n"
			      "  x = n;\n"
			      "  i = 0;\n"
			      "  n = g(i, x);\n"
			      "  if (n) goto again;\n"
			      "  return i; }\n");
	const struct code_function *f = function(c, "f");
	struct code_names *names = code_names_new(f);
	uint32_t head = f->loops[0].header, call = nth(f, CODE_CALL, 0), value;

	(void)unused;
	value = code_names_value(names, head, variable(f, "n", 0));
	assert_int_equal(f->values[value].op, CODE_PHI);
	assert_int_equal(code_names_value(names, head, variable(f, "i", 0)), CODE_NONE); /* 5 or 0 */
	assert_int_equal(code_names_value(names, head, variable(f, "x", 0)), CODE_NONE); /* not n: 3, or the last n */
	assert_int_equal(code_names_before(names, call, variable(f, "x", 0)), value);
	value = code_names_before(names, call, variable(f, "i", 0));
	assert_true(f->values[value].kind == CODE_CONSTANT && code_signed(&f->values[value]) == 0);
	code_names_free(names);
	code_free(c);
}

static void test_visible(void **unused)
{
	struct code *c = load("int g(int);\n"
			      "int f(int x) {\n"
			      "  int r = g(1);\n"
			      "  for (int i = 0; i < x; i++) {\n"
			      "    int x = g(2);\n"
			      "    r += g(x);\n"
			      "  }\n"
			      "  r += g(4);\n"
			      "  return r; }\n");
	const struct code_function *f = function(c, "f");
	uint32_t inner = nth(f, CODE_CALL, 2), last = nth(f, CODE_CALL, 3), i = variable(f, "i", 0), r = variable(f, "r", 0);
	uint32_t parameter = variable(f, "x", 0), shadow = variable(f, "x", 1);

	(void)unused;
	if (f->variables[parameter].parameter == CODE_NONE) {
		parameter = shadow;
		shadow = variable(f, "x", 0);
	}
	assert_int_equal(f->values[inner].line, 6);
	assert_true(code_visible(f, i, f->values[inner].scope, 6));
	assert_true(code_visible(f, r, f->values[inner].scope, 6));
	assert_true(code_visible(f, shadow, f->values[inner].scope, 6));
	assert_false(code_visible(f, parameter, f->values[inner].scope, 6));
	assert_false(code_visible(f, i, f->values[last].scope, 8));
	assert_false(code_visible(f, shadow, f->values[last].scope, 8));
	assert_true(code_visible(f, parameter, f->values[last].scope, 8));
	assert_true(code_visible(f, r, f->values[last].scope, 8));
	code_free(c);
}

/* ------------------------------------------------------------------ calls */

static void test_call_graph(void **unused)
{
	struct code *c = load("int out(int);\n"
			      "static int leaf(int x) { return x + 1; }\n"
			      "static int odd(int);\n"
			      "static int even(int x) { return x ? odd(x - 1) : leaf(1); }\n"
			      "static int odd(int x) { return x ? even(x - 1) : 0; }\n"
			      "static int self(int x) { return x ? self(x - 1) : out(x); }\n"
			      "static int taken(int x) { return x; }\n"
			      "int (*table[])(int) = {taken};\n"
			      "int top(int x) { return even(x) + self(x) + table[0](x) + even(2); }\n");
	const struct code_function *top = function(c, "top"), *even = function(c, "even"), *odd = function(c, "odd");

	(void)unused;
	assert_int_equal(top->callee_count, 2);
	assert_true(top->calls_unknown && !even->calls_unknown);
	assert_int_equal(even->component, odd->component);
	assert_true(even->recursive && odd->recursive && function(c, "self")->recursive);
	assert_false(top->recursive || function(c, "leaf")->recursive);
	assert_true(function(c, "leaf")->component < even->component && even->component < top->component);
	assert_true(function(c, "taken")->address_taken && top->address_taken);
	assert_false(even->address_taken || function(c, "leaf")->address_taken);
	code_free(c);
}

/* ------------------------------------------------------------------ memory */

static uint32_t cell(const struct code_function *f, const char *name)
{
	for (uint32_t k = 0; k < f->cell_count; k++)
		if (f->cells[k].name && !strcmp(f->cells[k].name, name))
			return k;
	fail_msg("%s: no cell %s", f->name, name);
	return 0;
}

/* The n-th store or call that has the line. */
static uint32_t at_line(const struct code_function *f, enum code_op op, uint32_t line)
{
	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++)
		if (f->values[v].op == op && f->values[v].line == line)
			return v;
	fail_msg("%s: no %s in line %u", f->name, code_op_text(op), line);
	return 0;
}

static const char memory[] =
    "struct s { int n; unsigned char m; struct { short q; } t[3]; struct s *next; };\n"
    "static int hidden, counted; int seen; static int given; static unsigned table[4];\n" /* 2 */
    "void out(void); void take(int *);\n"
    "static void set(int *p) { *p = 1; }\n"
    "static void keep(struct s *p) { p->next = p; }\n"
    "static void bump(void) { counted++; }\n"
    "void entry(void) { hidden = 1; }\n"
    "int f(struct s *p, struct s *q, int *r, int i) {\n"
    "  int local = 0, escaped = 0, a[4] = {0}, passed = 0;\n"
    "  p->n = 1;\n"	     /* 10 */
    "  p->t[1].q = 2;\n"     /* 11 */
    "  q->n = 3;\n"	     /* 12 */
    "  *r = 4;\n"	     /* 13 */
    "  seen = 5;\n"	     /* 14 */
    "  hidden = 6;\n"	     /* 15 */
    "  table[3] = 7;\n"	     /* 16 */
    "  table[i & 3] = 8;\n"  /* 17 */
    "  a[2] = 9;\n"	     /* 18 */
    "  a[i & 3] = 10;\n"     /* 19 */
    "  take(&escaped);\n"    /* 20 */
    "  set(&passed);\n"	     /* 21 */
    "  out();\n"	     /* 22 */
    "  bump();\n"	     /* 23 */
    "  q->next->n = 11;\n"   /* 24 */
    "  set(&given);\n"	     /* 25 */
    "  escaped++; local += a[1] + a[2];\n"
    "  return local + escaped + passed + given + hidden + counted + table[2] + table[3] + p->m; }\n";

static void expect(const struct code_function *f, uint32_t v, const char *name, int yes)
{
	if (code_may_write(f, v, cell(f, name)) != yes)
		fail_msg("line %u, %s", f->values[v].line, name);
}

static void check_effects(const char *flags)
{
	struct code *c = load_with(memory, flags);
	const struct code_function *f = function(c, "f");
	uint32_t store;

	assert_int_equal(f->cells[cell(f, "p->m")].is_unsigned, 1);
	assert_int_equal(f->cells[cell(f, "p->m")].width, 8);
	assert_int_equal(f->cells[cell(f, "p->t[1].q")].offset, 8);
	assert_int_equal(f->values[at_line(f, CODE_STORE, 10)].cell, cell(f, "p->n"));
	store = at_line(f, CODE_STORE, 10);
	expect(f, store, "p->n", 1);
	expect(f, store, "p->m", 0); /* beside it */
	expect(f, store, "p->t[1].q", 0);
	expect(f, store, "q->n", 1); /* p and q may be the same */
	expect(f, store, "*r", 1);
	expect(f, store, "seen", 1);
	expect(f, store, "hidden", 0); /* nobody has its address */
	expect(f, store, "escaped", 0); /* it is younger than p */
	store = at_line(f, CODE_STORE, 14);
	expect(f, store, "seen", 1);
	expect(f, store, "p->n", 1);
	expect(f, store, "hidden", 0);
	store = at_line(f, CODE_STORE, 15);
	expect(f, store, "p->n", 0);
	expect(f, store, "hidden", 1);
	store = at_line(f, CODE_STORE, 16);
	expect(f, store, "table[3]", 1);
	expect(f, store, "table[2]", 0);
	expect(f, at_line(f, CODE_STORE, 17), "table[2]", 1);
	expect(f, at_line(f, CODE_STORE, 17), "seen", 0);
	expect(f, at_line(f, CODE_STORE, 18), "a[2]", 1);
	expect(f, at_line(f, CODE_STORE, 18), "a[1]", 0);
	expect(f, at_line(f, CODE_STORE, 19), "a[1]", 1);
	expect(f, at_line(f, CODE_STORE, 19), "escaped", 0);
	store = at_line(f, CODE_CALL, 20); /* take(&escaped) */
	expect(f, store, "escaped", 1);
	expect(f, store, "passed", 0);
	expect(f, store, "a[2]", 0);
	expect(f, store, "seen", 1);
	expect(f, store, "p->n", 1);
	expect(f, store, "hidden", 1); /* it may call entry() */
	expect(f, store, "counted", 1); /* it may call f(), which calls bump() */
	store = at_line(f, CODE_CALL, 21); /* set(&passed) */
	expect(f, store, "passed", 1);
	expect(f, store, "escaped", 0);
	expect(f, store, "p->n", 0);
	expect(f, store, "seen", 0);
	store = at_line(f, CODE_CALL, 22);
	expect(f, store, "escaped", 1);
	expect(f, store, "passed", 0);
	store = at_line(f, CODE_CALL, 23);
	expect(f, store, "counted", 1);
	expect(f, store, "hidden", 0);
	expect(f, store, "seen", 0);
	expect(f, store, "p->n", 0);
	store = at_line(f, CODE_STORE, 24); /* somewhere */
	expect(f, store, "escaped", 1);
	expect(f, store, "passed", 0);
	expect(f, store, "p->n", 1);
	expect(f, store, "seen", 1);
	expect(f, store, "given", 1); /* a callee may see it as *p */
	expect(f, store, "hidden", 0);
	expect(f, at_line(f, CODE_CALL, 25), "given", 1);
	expect(f, at_line(f, CODE_CALL, 25), "hidden", 0);
	code_free(c);
}

static void test_effects(void **unused)
{
	(void)unused;
	check_effects(NULL);
	check_effects(CHECKS);
}

static void test_loop_effects(void **unused)
{
	struct code *c = load("static int g, h; int strlen(const char *); int puts(const char *); int any(const char *);\n"
			      "static int down(int n) { g++; return n ? down(n - 1) : 0; }\n"
			      "int f(char *s, int n) { h = 0; g = 0;\n"
			      "  for (int i = 0; i < n; i++) down(i);\n"
			      "  for (int i = 0; i < n; i++) { h++; puts(s); }\n"
			      "  for (int i = 0; i < n; i++) any(s);\n"
			      "  return g + h; }\n"
			      "static int alone(int n) { int x[2]; x[0] = n; while (n--) x[1] = 3; return x[0] + g; }\n"
			      "int use(int n) { return alone(n); }\n");
	const struct code_function *f = function(c, "f"), *alone = function(c, "alone");
	uint32_t n, *list;

	(void)unused;
	list = code_written(f, 0, &n);
	assert_int_equal(n, 1);
	assert_int_equal(list[0], cell(f, "g"));
	free(list);
	list = code_written(f, 1, &n); /* puts calls nobody back */
	assert_int_equal(n, 1);
	assert_int_equal(list[0], cell(f, "h"));
	free(list);
	list = code_written(f, 2, &n); /* any() may call f() */
	assert_int_equal(n, 2);
	free(list);
	list = code_written(alone, 0, &n);
	assert_int_equal(n, 1);
	assert_string_equal(alone->cells[list[0]].name, "x[1]");
	free(list);
	list = code_read(alone, CODE_NONE, &n);
	assert_int_equal(n, 2); /* x[0], g */
	free(list);
	for (uint32_t k = 0; k < c->global_count; k++) {
		if (strcmp(c->globals[k].name, "g"))
			continue;
		assert_false(c->globals[k].escapes);
		assert_true(code_function_writes(function(c, "down"), k));
		assert_false(code_function_writes(alone, k));
		assert_true(code_function_reads(alone, k));
	}
	code_free(c);
}

/* A pointer that came back, was stored, or met another one: what it points to is out of sight. */
static void test_escapes(void **unused)
{
	struct code *c = load("int *id(int *p) { return p; } int *where; void out(void); void same(int *p, int *q);\n"
			      "int f(int n, int *z) {\n"
			      "  int a = 1, b = 2, d = 3, e = 4;\n"
			      "  int *p = id(&a);\n"
			      "  where = &b;\n"
			      "  int *q = n ? &d : z;\n"
			      "  int *r = n ? &e : 0;\n"
			      "  *q = 7;\n" /* 8 */
			      "  *p = 8;\n"
			      "  out();\n" /* 10 */
			      "  if (r) *r = 9;\n"
			      "  return a + b + d + e; }\n"
			      "int walk(int *p, int n) { int s = 0; for (; n; n--) s += *p++; return s; }\n");
	const struct code_function *f = function(c, "f"), *walk = function(c, "walk");

	(void)unused;
	expect(f, at_line(f, CODE_STORE, 9), "a", 1);
	expect(f, at_line(f, CODE_STORE, 8), "d", 1);
	expect(f, at_line(f, CODE_STORE, 8), "e", 0);
	expect(f, at_line(f, CODE_CALL, 10), "b", 1);
	expect(f, at_line(f, CODE_CALL, 10), "e", 0);
	expect(f, at_line(f, CODE_STORE, 11), "e", 1);
	expect(f, at_line(f, CODE_STORE, 11), "a", 0);
	for (uint32_t k = 0; k < walk->cell_count; k++) /* p moves: *p is no name for what it was */
		assert_null(walk->cells[k].name);
	code_free(c);
}

static void test_text(void **unused)
{
	struct code *c = load("int g; int f(int a) { while (a < 5) a += g; return a; }\n");
	struct buf out = {0};

	(void)unused;
	code_print(function(c, "f"), &out);
	assert_non_null(strstr(buf_str(&out), "loop 0: header 1"));
	assert_non_null(strstr(buf_str(&out), "back"));
	buf_release(&out);
	code_free(c);
	assert_null(code_load("int", 3, 1));
	assert_non_null(strstr(error_text(), "bitcode"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_values),
	    cmocka_unit_test(test_wide_constants),
	    cmocka_unit_test(test_addresses),
	    cmocka_unit_test(test_ordinals),
	    cmocka_unit_test(test_checks),
	    cmocka_unit_test(test_random_graphs),
	    cmocka_unit_test(test_large),
	    cmocka_unit_test(test_loop_lines),
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_names_at_entry),
	    cmocka_unit_test(test_visible),
	    cmocka_unit_test(test_call_graph),
	    cmocka_unit_test(test_effects),
	    cmocka_unit_test(test_loop_effects),
	    cmocka_unit_test(test_escapes),
	    cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
