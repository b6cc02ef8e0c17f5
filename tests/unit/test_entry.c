/* test_entry.c: which entries of functions and loops are told of, and which values come in there.
 *
 * Random functions made of gotos are compared with the definition: of an outermost loop all
 * integers of at most 64 bits that were made outside it, before every edge that is told of (there
 * is no way to the edge without them), and that some instruction uses that can be reached from the
 * loop's header.
 */
#include "code_unit.h"
#include "ir/entry.h"

#include <stdlib.h>

static const struct entry *find(const struct entries *e, const struct code_function *f,
				uint32_t loop)
{
	for (size_t i = 0; i < e->list.size; i++)
		if (e->list.data[i].function == f->number && e->list.data[i].loop == loop)
			return &e->list.data[i];
	return NULL;
}

static int has(const struct entries *e, const struct entry *x, uint32_t value)
{
	for (uint32_t i = 0; i < x->count; i++)
		if (e->values.data[x->first + i] == value)
			return 1;
	return 0;
}

static unsigned entries_of(const struct entries *e, const struct code_function *f)
{
	unsigned n = 0;

	for (size_t i = 0; i < e->list.size; i++)
		n += e->list.data[i].function == f->number;
	return n;
}

/* ------------------------------------------------------------------ the definition */

/* Blocks that are reached from a block, itself among them, without passing `closed`. */
static uint64_t reach(const struct code_function *f, uint32_t from, uint32_t closed)
{
	uint64_t seen = from == closed ? 0 : (uint64_t)1 << from, before;

	do {
		before = seen;
		for (uint32_t k = 0; k < f->edge_count; k++)
			if (seen >> f->edges[k].from & 1 && f->edges[k].to != closed)
				seen |= (uint64_t)1 << f->edges[k].to;
	} while (seen != before);
	return seen;
}

static int is_input(const struct code_function *f, const struct entries *e, const struct entry *x,
		    uint32_t value, uint64_t behind)
{
	const struct code_value *v = &f->values[value];
	int used = 0;

	if ((v->kind != CODE_PARAMETER && v->kind != CODE_INSTRUCTION) || !v->width ||
	    v->width > 64 || v->is_pointer)
		return 0;
	if (v->kind == CODE_INSTRUCTION && code_in_loop(f, x->loop, v->block))
		return 0;
	for (uint32_t u = f->first_instruction; u < f->first_instruction + f->instructions; u++)
		for (uint32_t k = 0; k < f->values[u].operands; k++)
			used |= code_operand(f, u, k) == value && behind >> f->values[u].block & 1;
	for (uint32_t k = 0; v->kind == CODE_INSTRUCTION && k < x->edges; k++)
		if (reach(f, 0, v->block) >> f->edges[e->edges.data[x->first_edge + k]].from & 1)
			return 0;
	return used;
}

/* Every edge that is told of enters the loop, from a block that only goes there. */
static void check_edges(const struct code_function *f, const struct entries *e,
			const struct entry *x)
{
	const struct code_loop *l = &f->loops[x->loop];
	uint32_t n = 0;

	for (uint32_t k = 0; k < l->entries; k++) {
		uint32_t edge = f->loop_edges[l->first_entry + k];
		const struct code_block *from = &f->blocks[f->edges[edge].from];

		if (from->edges != 1 || !(reach(f, 0, CODE_NONE) >> f->edges[edge].from & 1))
			continue;
		assert_true(n < x->edges);
		assert_int_equal(e->edges.data[x->first_edge + n], edge);
		assert_int_equal(code_last(f, f->edges[edge].from), from->first + from->count - 1);
		n++;
	}
	assert_int_equal(n, x->edges);
	assert_true(n > 0);
}

static unsigned check_loop_entry(const struct code_function *f, const struct entries *e,
				 const struct entry *x)
{
	uint64_t behind = reach(f, f->loops[x->loop].header, CODE_NONE);
	uint32_t n = 0;

	assert_int_equal(f->loops[x->loop].parent, CODE_NONE);
	assert_int_equal(x->ordinal, f->values[f->blocks[f->loops[x->loop].header].first].index);
	check_edges(f, e, x);
	for (uint32_t v = 0; v < f->first_instruction + f->instructions && n < ENTRY_VALUES; v++) {
		if (!is_input(f, e, x, v, behind))
			continue;
		if (n >= x->count || e->values.data[x->first + n] != v)
			fail_msg("%s, loop %u: value %u is missing", f->name, x->loop, v);
		n++;
	}
	assert_int_equal(n, x->count);
	return n;
}

/* An outermost loop that is not told of has no edge that could be, or no value for all of them. */
static void check_left_out(const struct code_function *f, uint32_t loop)
{
	struct entries e = {0};
	struct entry x = {.loop = loop};

	for (uint32_t k = 0; k < f->loops[loop].entries; k++) {
		uint32_t edge = f->loop_edges[f->loops[loop].first_entry + k],
			 from = f->edges[edge].from;

		if (f->blocks[from].edges != 1 || !(reach(f, 0, CODE_NONE) >> from & 1))
			continue;
		vec_push(&e.edges, edge);
		x.edges++;
	}
	for (uint32_t v = 0; x.edges && v < f->first_instruction + f->instructions; v++)
		assert_false(is_input(f, &e, &x, v, reach(f, f->loops[loop].header, CODE_NONE)));
	entries_release(&e);
}

static unsigned state = 1;
static unsigned roll(unsigned n)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % n;
}

static void random_function(struct buf *text, unsigned number)
{
	static const char *const names[] = {"a", "b", "c", "x", "y", "z"};
	unsigned n = 3 + roll(10);

	buf_addf(text, "int f%u(int a, short b, unsigned char c) { int x = a ^ %u, y = b, z = 0;\n",
		 number, number);
	buf_adds(text, "void *to[] = {");
	for (unsigned k = 0; k < n; k++)
		buf_addf(text, "&&L%u,", k);
	buf_adds(text, "};\n");
	for (unsigned k = 0; k < n; k++) {
		unsigned to = roll(3) ? roll(n) : (k + n - roll(3)) % n;

		buf_addf(text, "L%u: %s = %s * %u + g(%s);", k, names[roll(6)], names[roll(6)],
			 2 + roll(5), names[roll(6)]);
		switch (roll(9)) {
		case 0:
			buf_addf(text, " return %s;\n", names[roll(6)]);
			break;
		case 1:
			buf_addf(text, " goto L%u;\n", to);
			break;
		case 2:
			buf_adds(text, " goto *to[x & 1];\n");
			break;
		case 3:
			buf_addf(text, " switch (%s) { case 1: goto L%u; case 2: %s++; }\n",
				 names[roll(6)], to, names[roll(6)]);
			break;
		default:
			buf_addf(text, " if (%s < %s) goto L%u;\n", names[roll(6)], names[roll(6)],
				 to);
			break;
		}
	}
	buf_adds(text, "return x; }\n");
}

static void test_random(void **unused)
{
	struct buf text = {0};
	struct entries e = {0};
	struct code *c;
	unsigned loops = 0, values = 0, computed = 0, several = 0, conditional = 0;

	(void)unused;
	buf_adds(&text, "int g(int);\n");
	for (unsigned i = 0; i < 300; i++)
		random_function(&text, i);
	c = load_with(buf_str(&text), "-g0");
	entries_find(&e, c);
	for (size_t i = 0; i < e.list.size; i++) {
		const struct entry *x = &e.list.data[i];
		const struct code_function *f = &c->functions[x->function];

		if (x->loop == CODE_NONE || f->block_count > 64)
			continue;
		loops++;
		values += check_loop_entry(f, &e, x);
		several += x->edges > 1;
		conditional += x->edges < f->loops[x->loop].entries;
		for (uint32_t k = 0; k < x->count; k++)
			computed += f->values[e.values.data[x->first + k]].kind == CODE_INSTRUCTION;
	}
	assert_true(loops > 100 && values > 200 && computed > 20 && several > 10 &&
		    conditional > 5);
	for (uint32_t i = 0; i < c->function_count; i++)
		for (uint32_t l = 0; l < c->functions[i].loop_count; l++)
			if (c->functions[i].block_count <= 64 &&
			    c->functions[i].loops[l].parent == CODE_NONE &&
			    !find(&e, &c->functions[i], l))
				check_left_out(&c->functions[i], l);
	entries_release(&e);
	code_free(c);
	buf_release(&text);
}

/* ------------------------------------------------------------------ functions */

static void test_functions(void **unused)
{
	struct code *c =
	    load("int out(int); int below(int), lower(int);\n"
		 "int high(int a) { return below(a); } int below(int a) { return lower(a); }\n"
		 "static int loops(int n, char *s, long k) { int r = 0; while (n-- > 0) r += s[k]; "
		 "return r; }\n"
		 "int calls(int a, unsigned char b, double d, float s, char *p) { return loops(a + "
		 "b, p, 3); }\n"
		 "int above(short a) { return out(a) + calls(a, 1, 0, 0, 0); }\n"
		 "int lower(int a) { return above(a); }\n"
		 "int nothing(int a) { return out(a) * 2; }\n"
		 "int without(void) { return loops(7, \"text\", 0); }\n"
		 "int even(int a); int odd(int a) { return a ? even(a - 1) : 0; }\n"
		 "int even(int a) { return a ? odd(a - 1) : 1; }\n"
		 "int pong(int a); int ping(int a) { return a ? pong(a - 1) : loops(a, 0, 0); }\n"
		 "int pong(int a) { return a ? ping(a - 1) : 1; }\n"
		 "int through(int a, int (*p)(int)) { return p(a); }\n");
	struct entries e = {0};
	const struct entry *x;

	(void)unused;
	entries_find(&e, c);
	x = find(&e, function(c, "loops"), CODE_NONE);
	assert_non_null(x);
	assert_int_equal(x->ordinal, function(c, "loops")->first_ordinal);
	assert_int_equal(x->count, 2); /* n and k */
	assert_true(has(&e, x, 0) && has(&e, x, 2));
	assert_int_equal(x->edges, 0);
	assert_int_equal(entries_of(&e, function(c, "loops")), 2);
	x = find(&e, function(c, "calls"), CODE_NONE); /* two integers: no double, no pointer */
	assert_non_null(x);
	assert_int_equal(x->count, 2);
	assert_true(has(&e, x, 0) && has(&e, x, 1));
	assert_int_equal(entries_of(&e, function(c, "calls")), 1);
	assert_non_null(find(&e, function(c, "above"), CODE_NONE));
	assert_non_null(find(&e, function(c, "high"), CODE_NONE)); /* callees that come later */
	assert_non_null(find(&e, function(c, "ping"), CODE_NONE));
	assert_non_null(find(&e, function(c, "pong"), CODE_NONE));
	assert_int_equal(entries_of(&e, function(c, "nothing")), 0);
	assert_int_equal(entries_of(&e, function(c, "without")), 0); /* no value comes in */
	assert_int_equal(entries_of(&e, function(c, "even")) + entries_of(&e, function(c, "odd")),
			 0);
	assert_int_equal(entries_of(&e, function(c, "through")), 0);
	assert_true(e.looping.data[function(c, "without")->number] &&
		    e.looping.data[function(c, "pong")->number]);
	assert_false(e.looping.data[function(c, "odd")->number] ||
		     e.looping.data[function(c, "nothing")->number]);
	entries_release(&e);
	code_free(c);
}

/* ------------------------------------------------------------------ loops */

static void test_values(void **unused)
{
	struct code *c = load(
	    "int g(int);\n"
	    "int f(int n, int before, int after, char *p) {\n"
	    "  int start = g(before), inside = g(1); __int128 large = (__int128)start * before;\n"
	    "  for (int i = start; i < n; i++)\n"
	    "    for (int k = 0; k < i; k++)\n"
	    "      inside += (int)large + *p;\n"
	    "  int late = g(inside);\n"
	    "  while (n > after) n -= late;\n"
	    "  return late + n; }\n");
	const struct code_function *f = function(c, "f");
	struct entries e = {0};
	const struct entry *first, *second;
	uint32_t start = nth(f, CODE_CALL, 0), large = nth(f, CODE_MUL, 0),
		 late = nth(f, CODE_CALL, 2);

	(void)unused;
	entries_find(&e, c);
	assert_int_equal(f->loop_count, 3);
	assert_int_equal(entries_of(&e, f),
			 3); /* the function's and two loops': the inner one has none */
	first = find(&e, f, f->loops[0].line == 4 ? 0 : f->loops[1].line == 4 ? 1 : 2);
	second = find(&e, f, f->loops[0].line == 8 ? 0 : f->loops[1].line == 8 ? 1 : 2);
	assert_true(first && second && first != second);
	check_loop_entry(f, &e, first);
	check_loop_entry(f, &e, second);
	assert_true(has(&e, first, 0));	    /* n: the loop's condition */
	assert_false(has(&e, first, 1));    /* only used before */
	assert_true(has(&e, first, 2));	    /* used behind the loop */
	assert_false(has(&e, first, 3));    /* a pointer */
	assert_true(has(&e, first, start)); /* used by the header's phi */
	assert_false(has(&e, first, late)); /* made behind the loop, though outside it */
	assert_int_equal(f->values[large].width, 128);
	assert_false(has(&e, first, large));
	assert_true(has(&e, second, 0) && has(&e, second, 2) && has(&e, second, late));
	assert_false(has(&e, second, start));
	entries_release(&e);
	code_free(c);
}

/* Edges that leave a block with others cannot be told of; a loop that has only such ones is not
 * told of at all. */
static void test_conditional(void **unused)
{
	struct code *c = load("int g(int);\n"
			      "int only(int x, int n) { asm goto(\"\" :::: head); return x;\n"
			      "  head: n -= g(n); if (n > x) goto head;\n"
			      "  return n; }\n"
			      "int both(int x, int n, int m) {\n"
			      "  if (x < 0) { int k = g(x); n = k; goto head; }\n"
			      "  switch (x) { case 1: return 0; case 2: m = g(m); goto middle; }\n"
			      "  head: n = n * 3 + m;\n"
			      "  middle: n -= g(n); if (n > m) goto head;\n"
			      "  return n; }\n");
	const struct code_function *only = function(c, "only"), *both = function(c, "both");
	struct entries e = {0};
	const struct entry *x;

	(void)unused;
	entries_find(&e, c);
	assert_int_equal(only->loop_count, 1);
	assert_int_equal(both->loop_count, 1);
	assert_null(find(&e, only, 0));
	check_left_out(only, 0);
	assert_int_equal(entries_of(&e, only), 1); /* its parameters are told of */
	x = find(&e, both, 0);
	assert_non_null(x);
	check_loop_entry(both, &e, x);
	assert_true(both->loops[0].irreducible);
	assert_true(x->edges >= 2);
	assert_false(has(&e, x, nth(both, CODE_CALL, 0)) ||
		     has(&e, x, nth(both, CODE_CALL, 1))); /* made on one of the ways */
	entries_release(&e);
	code_free(c);
}

/* What the first test of a loop is certain to load, by the name of its cell, or "" where nothing is
 * told. */
static void check_load(const char *text, const char *flags, const char *name)
{
	struct code *c = load_with(text, flags);
	const struct code_function *f = function(c, "f");
	struct entries e = {0};
	const struct entry *x;

	entries_find(&e, c);
	x = find(&e, f, 0);
	if (!*name ? x && x->loads : !x || x->loads != 1)
		fail_msg("%s: %u loads", text, x ? x->loads : 0);
	if (*name) {
		const struct code_value *v = &f->values[e.loads.data[x->first_load]];

		assert_int_equal(v->op, CODE_LOAD);
		assert_string_equal(f->cells[v->cell].name, name);
		assert_true(code_in_loop(f, 0, v->block));
	}
	entries_release(&e);
	code_free(c);
}

static void test_loads(void **unused)
{
#define HEAD "struct s { int a, n; }; int g; int out(int); volatile int v;\n"
	static const struct {
		const char *text, *name;
	} cases[] = {
	    {HEAD "int f(struct s *p) { int i = 0; while (i < p->n) i++; return i; }", "p->n"},
	    {HEAD "int f(int k) { int i = k; while (i < g) { out(i); i++; } return i; }", "g"},
	    {HEAD "int f(struct s *p) { int i = 0; while (i < p->n && p->n > 3) i++; return i; }",
	     "p->n"},
	    {HEAD "int f(struct s *p) { int i = 0; while (i < p->n * p->n) i++; return i; }",
	     "p->n"},
	    /* Not certain: another test comes first. */
	    {HEAD "int f(struct s *p) { int i = 0; while (p && i < p->n) i++; return i; }", ""},
	    {HEAD
	     "int f(struct s *p, int k) { int i = 0; while (i < k && i < p->n) i++; return i; }",
	     ""},
	    /* A call or a store comes first; or it is no value for long. */
	    {HEAD "int f(struct s *p) { int i = 0; while (out(i) + i < p->n) i++; return i; }", ""},
	    {HEAD
	     "int f(struct s *p) { int i = 0; do { g = i; i++; } while (i < p->n); return i; }",
	     ""},
	    {HEAD "int f(int k) { int i = k; while (i < v) i++; return i; }", ""},
	    /* Somewhere else in each iteration, or nowhere before the loop. */
	    {HEAD "int f(int *p) { int i = 0; while (p[i]) i++; return i; }", ""},
	    {HEAD "int f(struct s *p) { int i = 0; while (i < p++->n) i++; return i; }", ""},
	    {HEAD "int f(struct s **p) { int i = 0; while (i < p[0]->n) i++; return i; }", ""},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		check_load(cases[i].text, NULL, cases[i].name);
		if (i < 2 || !*cases[i].name) /* checks are passed on the way to a load */
			check_load(cases[i].text, CHECKS, cases[i].name);
	}
}

static void test_many_loads(void **unused)
{
	struct code *c = load("int a, b, c, d, e, g, h, i, j, k;\n"
			      "int f(int n) { while (n < a + b + c + d + e + g + h + i + j + k) n "
			      "+= 2; return n; }\n");
	struct entries e = {0};
	const struct entry *x;

	(void)unused;
	entries_find(&e, c);
	x = find(&e, function(c, "f"), 0);
	assert_non_null(x);
	assert_int_equal(x->count, 1);
	assert_int_equal(x->loads, ENTRY_LOADS);
	entries_release(&e);
	code_free(c);
}

/* The first ones, no more. */
static void test_many(void **unused)
{
	struct buf text = {0};
	struct entries e = {0};
	struct code *c;
	const struct code_function *f;

	(void)unused;
	buf_adds(&text, "int f(char *s");
	for (unsigned i = 0; i < 70; i++)
		buf_addf(&text, ", int p%u", i);
	buf_adds(&text, ") { int r = 0; while (*s++) { r ^= 1");
	for (unsigned i = 0; i < 70; i++)
		buf_addf(&text, " + p%u", i);
	buf_adds(&text, "; } return r; }\n");
	c = load(buf_str(&text));
	f = function(c, "f");
	entries_find(&e, c);
	assert_int_equal(e.list.size, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(e.list.data[i].count, ENTRY_VALUES);
		for (uint32_t k = 0; k < ENTRY_VALUES; k++)
			assert_int_equal(e.values.data[e.list.data[i].first + k], k + 1);
	}
	check_loop_entry(f, &e, &e.list.data[1]);
	assert_true(e.list.data[0].first + e.list.data[0].count <= e.list.data[1].first);
	entries_release(&e);
	code_free(c);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_functions),	cmocka_unit_test(test_values),
	    cmocka_unit_test(test_conditional), cmocka_unit_test(test_loads),
	    cmocka_unit_test(test_many_loads),	cmocka_unit_test(test_many),
	    cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
