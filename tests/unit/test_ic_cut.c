/* test_ic_cut.c: IC-Cut's parts: the order of functions, contexts, bytes of values, interfaces from traces made by hand, configurations. */
#include "base/error.h"
#include "search/ic_context.h"
#include "search/ic_cut.h"
#include "search/ic_graph.h"
#include "search/ic_lanes.h"
#include "search/ic_probe.h"
#include "tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ------------------------------------------------------------------- order */

static size_t place(const ic_numbers *order, uint32_t n)
{
	for (size_t i = 0; i < order->size; i++)
		if (order->data[i] == n)
			return i;
	fail();
	return 0;
}

static void test_order(void **unused)
{
	(void)unused;
	struct ic_graph g = {0};
	ic_numbers order = {0};
	enum { MAIN, A, B, C, EVEN, ODD, LEAF };
	/* main calls a and c; a calls b, b calls c: on paper main comes before b, since a leaf's callers are taken. even and odd call each other. */
	static const uint32_t calls[][2] = {{MAIN, A}, {MAIN, C}, {A, B}, {B, C}, {MAIN, EVEN}, {EVEN, ODD}, {ODD, EVEN}, {ODD, LEAF}, {C, C}};
	for (uint64_t i = MAIN; i <= LEAF; i++)
		assert_int_equal(ic_graph_function(&g, i << 32 | 7), i);
	assert_int_equal(ic_graph_function(&g, (uint64_t)B << 32 | 7), B);
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		assert_int_equal(ic_graph_call(&g, calls[i][0], calls[i][1]), 1);
	assert_int_equal(ic_graph_call(&g, MAIN, A), 0);
	ic_graph_order(&g, &order);
	assert_int_equal(order.size, 7);
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		uint32_t f = calls[i][0], to = calls[i][1];
		if (f != to && !(f == EVEN && to == ODD) && !(f == ODD && to == EVEN))
			assert_true(place(&order, to) < place(&order, f));
	}
	assert_true(place(&order, LEAF) < place(&order, EVEN));
	assert_true(place(&order, EVEN) == place(&order, ODD) + 1 || place(&order, ODD) == place(&order, EVEN) + 1);
	assert_int_equal(order.data[6], MAIN);
	vec_release(&order);
	ic_graph_release(&g);
}

/* ---------------------------------------------------------------- contexts */

static enum ic_match match(const struct ic_context *c, struct ic_input in)
{
	ic_inputs now = {0};
	vec_push(&now, in);
	enum ic_match m = ic_context_match(c, &now);
	vec_release(&now);
	return m;
}

static void test_context(void **unused)
{
	(void)unused;
	struct ic_context c = {0};
	const struct ic_input concrete = {.key = 1, .kind = IC_CONCRETE, .width = 32, .value = 5}, whole = {.key = 2, .kind = IC_FREE, .width = 32, .lanes = 15, .value = 9},
			      byte = {.key = 3, .kind = IC_FREE, .width = 32, .lanes = 1, .value = 7},
			      pointer = {.key = 4, .kind = IC_CONCRETE, .width = 64, .pointer = 1, .value = 0x5000},
			      null = {.key = 5, .kind = IC_CONCRETE, .width = 64, .value = 0};
	assert_int_equal(ic_context_add(&c, &concrete), 0);
	assert_int_equal(ic_context_add(&c, &whole), 0);
	assert_int_equal(ic_context_add(&c, &byte), 0);
	assert_false(ic_context_has_pointer(&c));
	assert_int_equal(ic_context_add(&c, &pointer), 0);
	assert_int_equal(ic_context_add(&c, &null), 0);
	assert_true(ic_context_has_pointer(&c));
	assert_true(ic_context_has(&c, IC_FREE) && !ic_context_has(&c, IC_TIED) && !ic_context_has_length(&c));

	/* Concrete ones are equal, or it is no match. */
	assert_int_equal(match(&c, concrete), IC_AS_SPECIFIC);
	assert_int_equal(match(&c, (struct ic_input){.key = 1, .kind = IC_CONCRETE, .width = 32, .value = 6}), IC_MISMATCH);
	assert_int_equal(match(&c, (struct ic_input){.key = 1, .kind = IC_FREE, .width = 32, .lanes = 15, .value = 5}), IC_MISMATCH);
	/* Free ones of all bytes cover anything; of one byte, what fits into it. */
	assert_int_equal(match(&c, whole), IC_AS_SPECIFIC);
	assert_int_equal(match(&c, (struct ic_input){.key = 2, .kind = IC_TIED, .width = 32, .value = 1}), IC_MORE_SPECIFIC);
	assert_int_equal(match(&c, (struct ic_input){.key = 2, .kind = IC_CONCRETE, .width = 32, .value = 77777}), IC_MORE_SPECIFIC);
	assert_int_equal(match(&c, (struct ic_input){.key = 2, .kind = IC_CONCRETE, .width = 16, .value = 7}), IC_MISMATCH);
	assert_int_equal(match(&c, byte), IC_AS_SPECIFIC);
	assert_int_equal(match(&c, (struct ic_input){.key = 3, .kind = IC_CONCRETE, .width = 32, .value = 255}), IC_MORE_SPECIFIC);
	assert_int_equal(match(&c, (struct ic_input){.key = 3, .kind = IC_CONCRETE, .width = 32, .value = 256}), IC_MISMATCH);
	assert_int_equal(match(&c, (struct ic_input){.key = 3, .kind = IC_FREE, .width = 32, .lanes = 15}), IC_MISMATCH);
	assert_int_equal(match(&c, (struct ic_input){.key = 3, .kind = IC_TIED, .width = 32}), IC_MISMATCH);
	assert_int_equal(match(&c, (struct ic_input){.key = 3, .kind = IC_TIED, .width = 32, .lanes = 1}), IC_MORE_SPECIFIC);
	/* Pointers may differ, but not in being null. */
	assert_int_equal(match(&c, (struct ic_input){.key = 4, .kind = IC_CONCRETE, .width = 64, .pointer = 1, .value = 0x6000}), IC_AS_SPECIFIC);
	assert_int_equal(match(&c, (struct ic_input){.key = 4, .kind = IC_CONCRETE, .width = 64, .value = 0}), IC_MISMATCH);
	assert_int_equal(match(&c, (struct ic_input){.key = 5, .kind = IC_CONCRETE, .width = 64, .pointer = 1, .value = 0x6000}), IC_MISMATCH);
	/* What no path of the summary read. */
	assert_int_equal(match(&c, (struct ic_input){.key = 6, .kind = IC_TIED, .width = 8}), IC_MISMATCH);
	c.partial = 1;
	assert_int_equal(match(&c, (struct ic_input){.key = 6, .kind = IC_TIED, .width = 8}), IC_AS_SPECIFIC);
	assert_int_equal(match(&c, (struct ic_input){.key = 6, .kind = IC_CONCRETE, .width = 8}), IC_MISMATCH);
	/* Another value is another call's context; another kind is a path that shows more of this one. */
	ic_inputs now = {0};
	vec_push(&now, (struct ic_input){.key = 1, .kind = IC_CONCRETE, .width = 32, .value = 6});
	assert_int_equal(ic_context_differs(&c, &now), 1);
	vec_push(&now, (struct ic_input){.key = 9, .kind = IC_FREE, .width = 8, .lanes = 1});
	assert_int_equal(ic_context_differs(&c, &now), 1);
	vec_push(&now, (struct ic_input){.key = 2, .kind = IC_TIED, .width = 32, .lanes = 15});
	assert_int_equal(ic_context_differs(&c, &now), 0);
	vec_release(&now);
	/* Paths of one call agree. */
	assert_int_equal(ic_context_add(&c, &concrete), 0);
	assert_int_equal(ic_context_add(&c, &(struct ic_input){.key = 1, .kind = IC_CONCRETE, .width = 32, .value = 6}), -1);
	assert_int_equal(ic_context_add(&c, &(struct ic_input){.key = 2, .kind = IC_TIED, .width = 32, .lanes = 15}), -1);
	ic_context_release(&c);
}

/* A tied input that is held has one value, whatever it is in the new call. */
static void test_held(void **unused)
{
	(void)unused;
	struct ic_context c = {0};
	const struct ic_input tied = {.key = 1, .kind = IC_TIED, .width = 32, .value = 5};
	assert_int_equal(ic_context_add(&c, &tied), 0);
	assert_int_equal(ic_context_add(&c, &(struct ic_input){.key = 1, .kind = IC_TIED, .width = 32, .value = 6}), -1);
	assert_int_equal(match(&c, tied), IC_MORE_SPECIFIC);
	assert_int_equal(match(&c, (struct ic_input){.key = 1, .kind = IC_CONCRETE, .width = 32, .value = 5}), IC_MORE_SPECIFIC);
	assert_int_equal(match(&c, (struct ic_input){.key = 1, .kind = IC_TIED, .width = 32, .value = 6}), IC_MISMATCH);
	assert_int_equal(ic_context_find(&c, 1)->kind, IC_TIED);
	assert_null(ic_context_find(&c, 2));
	ic_context_release(&c);
}

/* ------------------------------------------------------------------ traces */

/* A run of f, which is called from main with two arguments; nodes and events are added one by one. */
struct run {
	struct tables tables;
	struct trace trace;
	struct calls calls;
	uint32_t node;
	size_t event;
};

static uint32_t add_node(struct run *r, struct muster_node n)
{
	r->tables.nodes[r->node] = n;
	return r->node++;
}

static void add_event(struct run *r, struct muster_event e)
{
	r->tables.events[r->event++] = e;
}

static void begin(struct run *r)
{
	memset(r, 0, sizeof *r);
	tables_init(&r->tables, 64, 64, 1);
	r->node = 1;
}

static uint32_t byte(struct run *r, uint64_t k)
{
	return add_node(r, (struct muster_node){.op = MUSTER_OP_INPUT, .width = 8, .k = k});
}

static uint32_t leaf(struct run *r, unsigned activation, uint32_t bound, unsigned aux, uint64_t k)
{
	uint32_t l = add_node(r, (struct muster_node){.op = MUSTER_OP_LEAF, .width = 8, .a = bound, .c = activation, .aux = (uint8_t)aux, .k = k});
	if (aux < 2)
		add_event(r, (struct muster_event){.kind = MUSTER_EV_BIND, .label = l});
	return l;
}

static uint32_t test_of(struct run *r, uint32_t label, uint32_t index)
{
	uint32_t l = add_node(r, (struct muster_node){.op = MUSTER_OP_EQ, .width = 1, .a = label, .k = 1});
	add_event(r, (struct muster_event){.kind = MUSTER_EV_BRANCH, .unit = 1, .index = index, .label = l});
	return l;
}

static void call(struct run *r, uint32_t function, unsigned depth, uint32_t activation)
{
	add_event(r, (struct muster_event){.kind = MUSTER_EV_CALL, .unit = 1, .index = function, .more = (uint16_t)depth});
	if (activation)
		add_event(r, (struct muster_event){.kind = MUSTER_EV_ACTIVATION, .index = activation});
}

static void leave(struct run *r, uint32_t function)
{
	add_event(r, (struct muster_event){.kind = MUSTER_EV_RETURN, .unit = 1, .index = function, .arg = MUSTER_LEFT_RETURNED});
}

static int yes(void *ctx, struct ic_call *c)
{
	++*(unsigned *)ctx;
	assert_true(c->inputs.size <= 2);
	return 1;
}

static int no(void *ctx, struct ic_call *c)
{
	(void)ctx, (void)c;
	return 0;
}

static void end(struct run *r, struct ic_probe *p, uint32_t unit_call, ic_decide decide, void *ctx)
{
	r->tables.shm.header->node_count = r->node;
	r->tables.shm.header->event_count = r->event;
	if (trace_open(&r->trace, &r->tables.shm, 0))
		fail_msg("%s", error_text());
	assert_int_equal(calls_read(&r->calls, &r->trace), 0);
	assert_int_equal(ic_probe_read(p, &r->trace, &r->calls, unit_call, decide, ctx), 0);
}

static void release(struct run *r, struct ic_probe *p)
{
	ic_probe_release(p);
	calls_release(&r->calls);
	trace_release(&r->trace);
	tables_release(&r->tables);
}

/* f is called with two arguments and tests both. before: a label is tested before the call. */
static void expect_kinds(unsigned what, enum ic_input_kind first, enum ic_input_kind second)
{
	struct run r;
	struct ic_probe p = {0};
	begin(&r);
	uint32_t b0 = byte(&r, 0), b1 = byte(&r, 1);
	uint32_t one = b0, other = b1;
	if (what == 1) /* f(a, a) */
		other = b0;
	if (what == 2) /* f(a & 1, b) */
		one = add_node(&r, (struct muster_node){.op = MUSTER_OP_AND, .width = 8, .a = b0, .k = 1});
	if (what == 3) /* if (b == 1) f(a, b) */
		test_of(&r, b1, 50);
	if (what == 4) /* f(a, 0) */
		other = 0;
	call(&r, 10, 0, 0);
	call(&r, 20, 1, 1);
	uint32_t x = leaf(&r, 1, one, 0, 0), y = leaf(&r, 1, other, 0, 1);
	leaf(&r, 1, b1, 1, 0x1000); /* memory that is read and never tested */
	test_of(&r, x, 21);
	test_of(&r, y, 22);
	leave(&r, 20);
	leave(&r, 10);
	end(&r, &p, 1, no, NULL);
	const struct ic_call *c = ic_probe_call(&p, 1);
	assert_non_null(c);
	assert_int_equal(c->inputs.size, 2);
	assert_int_equal(c->inputs.data[0].kind, first);
	assert_int_equal(c->inputs.data[1].kind, second);
	assert_int_not_equal(c->inputs.data[0].key, c->inputs.data[1].key);
	release(&r, &p);
}

static void test_inputs(void **unused)
{
	(void)unused;
	expect_kinds(0, IC_FREE, IC_FREE);
	expect_kinds(1, IC_TIED, IC_TIED);
	expect_kinds(2, IC_TIED, IC_FREE);
	expect_kinds(3, IC_FREE, IC_TIED);
	expect_kinds(4, IC_FREE, IC_CONCRETE);
}

/* main, the unit, calls f, which has a summary and leaves three outputs: how many main tests. */
static void expect_outputs(unsigned tested, int reuse, int handed)
{
	struct run r;
	struct ic_probe p = {0};
	unsigned asked = 0;
	begin(&r);
	uint32_t b0 = byte(&r, 0), b1 = byte(&r, 1);
	call(&r, 10, 0, 1);
	call(&r, 20, 1, 2);
	uint32_t x = leaf(&r, 2, b0, 0, 0);
	test_of(&r, x, 21);
	leave(&r, 20);
	uint32_t sum = add_node(&r, (struct muster_node){.op = MUSTER_OP_ADD, .width = 8, .a = b0, .b = b0});
	uint32_t out[3] = {leaf(&r, 2, handed ? b0 : sum, 3, 0), leaf(&r, 2, 0, 2, 0x2000), leaf(&r, 2, 0, 2, 0x2008)};
	for (unsigned i = 0; i < tested; i++)
		test_of(&r, out[i], 30 + i);
	uint32_t both = add_node(&r, (struct muster_node){.op = MUSTER_OP_ADD, .width = 8, .a = out[0], .b = b1});
	test_of(&r, both, 40);
	leave(&r, 10);
	test_of(&r, out[2], 50); /* nobody looks at what is tested after the unit */
	end(&r, &p, 0, reuse ? yes : no, &asked);
	const struct ic_call *c = ic_probe_call(&p, 1);
	assert_non_null(c);
	assert_int_equal(asked, reuse ? 1 : 0);
	assert_int_equal(c->reused, reuse);
	assert_int_equal(c->outputs.size, (tested ? tested : 1) - (unsigned)handed); /* `both` tests the result, which is none if it is a byte of the input as it is */
	assert_int_equal(c->values.size, c->outputs.size);
	/* The decision in f, the result's, which depends on the input without the summary, and `both`; constants are none. */
	assert_int_equal(p.decisions.size, tested ? 3 : 2);
	assert_int_equal(p.decisions.data[0].index, 21);
	assert_int_equal(p.decisions.data[0].fresh, 0);
	if (tested) {
		assert_int_equal(p.decisions.data[1].index, 30);
		assert_int_equal(p.decisions.data[1].fresh, reuse && !handed);
	}
	assert_int_equal(p.decisions.data[p.decisions.size - 1].index, 40);
	assert_int_equal(p.decisions.data[p.decisions.size - 1].fresh, 0);
	release(&r, &p);
}

static int hold_all(void *ctx, struct ic_call *c)
{
	(void)ctx;
	for (size_t i = 0; i < c->inputs.size; i++)
		c->inputs.data[i].held = 1;
	return 1;
}

/* A decision in a reused call over an input that is held is one of the caller's; over the unit's tied input it is left to the unit's caller. */
static void test_bonds(void **unused)
{
	(void)unused;
	for (int reuse = 0; reuse <= 1; reuse++) {
		struct run r;
		struct ic_probe p = {0};
		begin(&r);
		uint32_t b0 = byte(&r, 0), b1 = byte(&r, 1);
		test_of(&r, b1, 50); /* before the unit: its input over this byte is tied */
		call(&r, 10, 0, 1);
		uint32_t u0 = leaf(&r, 1, b0, 0, 0), u1 = leaf(&r, 1, b1, 0, 1);
		test_of(&r, u0, 11);
		test_of(&r, u1, 12);
		call(&r, 20, 1, 2);
		uint32_t x = leaf(&r, 2, u0, 0, 0);
		test_of(&r, x, 21);
		leave(&r, 20);
		leave(&r, 10);
		end(&r, &p, 0, reuse ? hold_all : no, NULL);
		static const uint32_t index[] = {50, 11, 12, 21};
		assert_int_equal(p.decisions.size, 4);
		for (size_t i = 0; i < 4; i++) {
			assert_int_equal(p.decisions.data[i].index, index[i]);
			assert_int_equal(p.decisions.data[i].tied, index[i] == 12);
			assert_int_equal(p.decisions.data[i].held, reuse && index[i] == 21);
		}
		release(&r, &p);
	}
}

static void test_outputs(void **unused)
{
	(void)unused;
	for (unsigned tested = 0; tested <= 2; tested++)
		for (int handed = 0; handed <= 1; handed++) {
			expect_outputs(tested, 1, handed);
			expect_outputs(tested, 0, handed);
		}
}

static void test_lanes(void **unused)
{
	(void)unused;
	struct run r;
	struct ic_probe p = {0};
	begin(&r);
	uint32_t b0 = byte(&r, 0), b1 = byte(&r, 1);
	uint32_t low = add_node(&r, (struct muster_node){.op = MUSTER_OP_ZEXT, .width = 32, .a = b0});
	uint32_t high = add_node(&r, (struct muster_node){.op = MUSTER_OP_ZEXT, .width = 32, .a = b1});
	uint32_t up = add_node(&r, (struct muster_node){.op = MUSTER_OP_SHL, .width = 32, .a = high, .k = 8});
	uint32_t number = add_node(&r, (struct muster_node){.op = MUSTER_OP_OR, .width = 32, .a = low, .b = up});
	uint32_t twice = add_node(&r, (struct muster_node){.op = MUSTER_OP_CONCAT, .width = 16, .a = b0, .b = b0});
	uint32_t sum = add_node(&r, (struct muster_node){.op = MUSTER_OP_ADD, .width = 32, .a = low, .b = high});
	uint32_t odd = add_node(&r, (struct muster_node){.op = MUSTER_OP_SHL, .width = 32, .a = low, .k = 4});
	uint32_t masked = add_node(&r, (struct muster_node){.op = MUSTER_OP_AND, .width = 32, .a = number, .k = 0xff00});
	uint32_t part = add_node(&r, (struct muster_node){.op = MUSTER_OP_EXTRACT, .width = 16, .a = number, .k = 8});
	call(&r, 10, 0, 0);
	leave(&r, 10);
	end(&r, &p, 0, no, NULL);
	const struct {
		uint32_t label;
		uint8_t bytes;
	} want[] = {{b0, 1}, {low, 1}, {up, 2}, {number, 3}, {twice, 0}, {sum, 0}, {odd, 0}, {masked, 2}, {part, 1}};
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		struct ic_lanes l = ic_lanes_of(&r.trace, want[i].label);
		assert_int_equal(ic_lanes_bytes(&l), want[i].bytes);
	}
	release(&r, &p);
}

static void test_configs(void **unused)
{
	(void)unused;
	static const struct {
		const char *name;
		int cut, summarise, subsume, skip, flips, hold;
	} table[] = {{"A", 1, 0, 1, 1, 0, 0}, {"B", 1, 0, 1, 1, 1, 0}, {"C", 1, 1, 1, 1, 0, 0}, {"D", 1, 0, 1, 0, 0, 0},
		     {"E", 1, 1, 1, 0, 0, 0}, {"F", 0, 0, 1, 0, 1, 0}, {"G", 1, 1, 0, 0, 0, 1}};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct search_options o = {0};
		assert_int_equal(ic_config_apply(table[i].name, 3, &o), 0);
		assert_int_equal(o.kind, table[i].cut ? KIND_IC_CUT : KIND_GENERATIONAL);
		assert_int_equal(o.ic_summarise, table[i].summarise);
		assert_int_equal(o.subsume, table[i].subsume);
		assert_int_equal(o.skip, table[i].skip);
		assert_int_equal(o.ic_hold, table[i].hold);
		assert_int_equal(o.flip_limit != 0, table[i].flips);
		assert_true(o.ic_seconds == 3);
	}
	struct search_options o = {0};
	assert_int_equal(ic_config_apply("X", 0, &o), -1);
	assert_int_equal(ic_config_apply("AB", 0, &o), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order),   cmocka_unit_test(test_context), cmocka_unit_test(test_inputs),
	    cmocka_unit_test(test_held),    cmocka_unit_test(test_bonds),
	    cmocka_unit_test(test_outputs), cmocka_unit_test(test_lanes),   cmocka_unit_test(test_configs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
