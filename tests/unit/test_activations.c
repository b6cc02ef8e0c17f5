/* test_activations.c: activations from nodes and events made by hand: whose leaves are variables, what marks do, what is refused. */
#include "base/error.h"
#include "run/activations_check.h"
#include "tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define F 10
#define G 20
#define AT 0x5000

struct run {
	struct tables tables;
	uint32_t x, a0, a1, less, b0, more, is, size;
	struct trace t;
	struct calls c;
	struct activations a;
	struct exprs *pool;
};

static uint32_t leaf(struct tables *t, uint32_t bound, uint32_t activation, uint64_t parameter)
{
	return tables_raw(t, (struct muster_node){.op = MUSTER_OP_LEAF, .width = 8, .a = bound, .c = activation, .k = parameter,
						  .value64 = muster_value(&t->nodes[bound])});
}

static uint32_t add(struct run *r, enum muster_op op, unsigned width, uint32_t a, uint32_t b, uint64_t k, uint64_t value)
{
	return tables_raw(&r->tables, (struct muster_node){.op = op, .width = (uint8_t)width, .a = a, .b = b, .k = k, .value64 = value});
}

/* f(x, x) tests a < b and calls g(a), which tests a + 1 and writes it. */
static void nodes(struct run *r)
{
	memset(r, 0, sizeof *r);
	tables_init(&r->tables, 64, 64, 1);
	r->tables.input[0][0] = 7;
	r->x = tables_input(&r->tables, 0, 0);
	r->a0 = leaf(&r->tables, r->x, 1, 0);
	r->a1 = leaf(&r->tables, r->x, 1, 1);
	r->less = add(r, MUSTER_OP_ULT, 1, r->a0, r->a1, 0, 0);
	r->b0 = leaf(&r->tables, r->a0, 2, 0);
	r->more = add(r, MUSTER_OP_ADD, 8, r->b0, 0, 1, 8);
	r->is = add(r, MUSTER_OP_EQ, 1, r->more, 0, 8, 1);
	r->size = add(r, MUSTER_OP_CONST, 64, 0, 0, 4, 4);
}

static void event(struct run *r, unsigned kind, unsigned arg, unsigned more, uint64_t site, uint32_t label)
{
	r->tables.events[r->tables.shm.header->event_count++] = (struct muster_event){
	    .kind = (uint8_t)kind, .arg = (uint8_t)arg, .more = (uint16_t)more, .unit = (uint32_t)(site >> 32), .index = (uint32_t)site, .label = label};
}

static void begin_f(struct run *r)
{
	event(r, MUSTER_EV_CALL, 0, 0, F, 0);
	event(r, MUSTER_EV_ACTIVATION, 0, 0, 1, 0);
	event(r, MUSTER_EV_BIND, 0, 0, F, r->a0);
	event(r, MUSTER_EV_BIND, 0, 0, F, r->a1);
	event(r, MUSTER_EV_BRANCH, 0, 0, F + 1, r->less);
}

static void begin_g(struct run *r)
{
	event(r, MUSTER_EV_CALL, 0, 1, G, 0);
	event(r, MUSTER_EV_ACTIVATION, 0, 0, 2, 0);
	event(r, MUSTER_EV_BIND, 0, 0, G, r->b0);
	event(r, MUSTER_EV_BRANCH, 1, 0, G + 1, r->is);
}

static void wrote(struct run *r)
{
	event(r, MUSTER_EV_OBJECT, 2, 0, AT - 1, r->size);
	event(r, MUSTER_EV_WRITE, 1, 0, AT, r->more);
}

static void whole(struct run *r)
{
	begin_f(r);
	begin_g(r);
	wrote(r);
	event(r, MUSTER_EV_RETURN, MUSTER_LEFT_RETURNED, 1, G, 0);
	event(r, MUSTER_EV_WRITE, 1, 0, AT, r->more);
	event(r, MUSTER_EV_RESULT, 0, 0, F, r->more);
	event(r, MUSTER_EV_RETURN, MUSTER_LEFT_RETURNED, 0, F, 0);
}

static int reads(struct run *r)
{
	assert_int_equal(trace_open(&r->t, &r->tables.shm, 0), 0);
	assert_int_equal(calls_read(&r->c, &r->t), 0);
	r->pool = exprs_new();
	return activations_read(&r->a, &r->t, &r->c, r->pool, 64);
}

static void release(struct run *r)
{
	activations_release(&r->a);
	exprs_free(r->pool);
	calls_release(&r->c);
	trace_release(&r->t);
	tables_release(&r->tables);
}

static void test_whole(void **unused)
{
	(void)unused;
	struct run r;

	nodes(&r);
	whole(&r);
	assert_int_equal(reads(&r), 0);
	assert_int_equal(r.a.list.size, 2);
	const struct activation *f = &r.a.list.data[0], *g = &r.a.list.data[1];
	struct exprs *p = r.pool;
	assert_int_equal(f->caller, ACTIVATION_NONE);
	assert_int_equal(g->caller, 0);
	assert_int_equal(f->marks | g->marks, 0);
	assert_int_equal(f->inputs.size, 2);
	expr_t a0 = f->inputs.data[0].leaf, a1 = f->inputs.data[1].leaf, b0 = g->inputs.data[0].leaf, one = expr_const(p, 8, 1);
	assert_int_not_equal(a0, a1); /* though both are x */
	assert_int_equal(f->inputs.data[0].bound, expr_input(p, 0, 0));
	assert_int_equal(f->inputs.data[1].bound, expr_input(p, 0, 0));
	assert_int_equal(f->inputs.data[1].parameter, 1);
	assert_int_equal(g->inputs.data[0].bound, a0);
	assert_int_equal(f->steps.size, 2);
	assert_int_equal(f->steps.data[0].term, expr_binary(p, MUSTER_OP_ULT, a0, a1));
	assert_int_equal(f->steps.data[0].holds, expr_not(p, expr_binary(p, MUSTER_OP_ULT, a0, a1)));
	assert_true(f->steps.data[0].own && !f->steps.data[1].own && !f->steps.data[1].outer);
	assert_int_equal(f->steps.data[1].term, expr_eq(p, expr_binary(p, MUSTER_OP_ADD, a0, one), expr_const(p, 8, 8)));
	assert_int_equal(g->steps.size, 1);
	assert_int_equal(g->steps.data[0].term, expr_eq(p, expr_binary(p, MUSTER_OP_ADD, b0, one), expr_const(p, 8, 8)));
	assert_int_equal(f->writes.size, 1);
	assert_int_equal(f->writes.data[0].value, expr_binary(p, MUSTER_OP_ADD, a0, one));
	assert_int_equal(g->writes.data[0].value, expr_binary(p, MUSTER_OP_ADD, b0, one));
	assert_int_equal(g->writes.data[0].offset, 1);
	assert_int_equal(r.a.objects.data[g->writes.data[0].object].born, 1);
	assert_int_equal(f->results.size, 1);
	assert_int_equal(f->results.data[0], f->writes.data[0].value);
	release(&r);
}

/* The oracle sees a value that is not what the leaves give, and a leaf that hides what it is bound to. */
static void test_oracle(void **unused)
{
	(void)unused;
	struct run r, plain;
	struct activations_check check = {0};

	nodes(&r);
	whole(&r);
	assert_int_equal(reads(&r), 0);
	struct eval_input in[2] = {{r.tables.input[0], 64}, {r.tables.input[1], 40}};
	activations_values(&r.a, &r.t, r.pool, in, &check);
	assert_int_equal(check.wrong, 0);
	assert_true(check.terms > 8);
	r.tables.nodes[r.b0].value64 = 9; /* 9 + 1 is not 8 */
	activations_values(&r.a, &r.t, r.pool, in, &check);
	assert_true(check.wrong > 0);
	assert_non_null(strstr(check.first, "activation"));
	r.tables.nodes[r.b0].value64 = 7;

	nodes(&plain);
	event(&plain, MUSTER_EV_BRANCH, 1, 0, G + 1, add(&plain, MUSTER_OP_EQ, 1, add(&plain, MUSTER_OP_ADD, 8, plain.x, 0, 1, 8), 0, 8, 1));
	assert_int_equal(reads(&plain), 0);
	memset(&check, 0, sizeof check);
	activations_compare(&plain.t, &r.t, in, 50, 1, &check);
	assert_int_equal(check.changed, 50);
	assert_int_equal(check.different, 0);
	r.tables.nodes[r.a0].a = 0; /* as if the caller's value had been a constant */
	activations_compare(&plain.t, &r.t, in, 2000, 1, &check);
	assert_true(check.different > 0);
	release(&plain);
	release(&r);
}

static void test_marks(void **unused)
{
	(void)unused;
	struct run r;

	nodes(&r);
	begin_f(&r);
	event(&r, MUSTER_EV_MARK, MUSTER_MARK_EXTERN, 0, F, 0);
	begin_g(&r);
	event(&r, MUSTER_EV_MARK, MUSTER_MARK_FREED, 1, G, 0);
	wrote(&r);
	event(&r, MUSTER_EV_RETURN, MUSTER_LEFT_TAIL, 1, G, 0);
	assert_int_equal(reads(&r), 0);
	assert_int_equal(r.a.list.data[0].marks, ACTIVATION_MARKED(EXTERN) | ACTIVATION_MARK(ENDED));
	assert_int_equal(r.a.list.data[1].marks, ACTIVATION_MARKED(FREED) | ACTIVATION_MARK(TAIL));
	assert_string_equal(activation_mark_key(MUSTER_MARK_FREED), "freed");
	assert_string_equal(activation_mark_key(MUSTER_MARK_COUNT + ACTIVATION_MARK_ENDED), "ended");
	release(&r);

	nodes(&r);
	begin_f(&r);
	event(&r, MUSTER_EV_FULL, 0, 0, 0, 0);
	assert_int_equal(reads(&r), 0);
	assert_int_equal(r.a.list.data[0].marks, ACTIVATION_MARK(TRUNCATED));
	release(&r);
}

/* what: a way to break the events; each is refused with words. */
static void broken(int what, const char *words)
{
	struct run r;

	nodes(&r);
	if (what == 0)
		event(&r, MUSTER_EV_ACTIVATION, 0, 0, 1, 0);
	begin_f(&r);
	if (what == 1)
		event(&r, MUSTER_EV_ACTIVATION, 0, 0, 2, 0);
	if (what == 2)
		event(&r, MUSTER_EV_BIND, 0, 0, F, r.b0);
	event(&r, MUSTER_EV_RETURN, MUSTER_LEFT_RETURNED, 0, F, 0);
	if (what == 3)
		event(&r, MUSTER_EV_BIND, 0, 0, F, r.a0);
	if (what == 4)
		wrote(&r);
	event(&r, MUSTER_EV_THREAD, 0, 0, 0, 0);
	assert_int_equal(reads(&r), -1);
	assert_non_null(strstr(error_text(), words));
	assert_int_equal(r.a.list.size, 0);
	release(&r);
}

static void test_broken(void **unused)
{
	(void)unused;
	broken(0, "no call is open");
	broken(1, "two activations of one call");
	broken(2, "not open");
	broken(3, "not open");
	broken(4, "none is open");
}

/* Leaves that are none are refused when the trace is opened. */
static void test_nodes(void **unused)
{
	(void)unused;
	static const struct muster_node bad[] = {{.op = MUSTER_OP_LEAF, .width = 8, .k = 0},
						 {.op = MUSTER_OP_LEAF, .width = 16, .a = 1, .c = 1},
						 {.op = MUSTER_OP_LEAF, .width = 8, .a = 9, .c = 1},
						 {.op = MUSTER_OP_LEAF, .width = 8, .b = 1, .c = 1, .aux = 1},
						 {.op = MUSTER_OP_LEAF, .width = 128, .c = 1}};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct tables tables;
		struct trace t;
		tables_init(&tables, 16, 16, 1);
		tables_input(&tables, 0, 0);
		tables_raw(&tables, bad[i]);
		tables_raw(&tables, (struct muster_node){.op = MUSTER_OP_CONST, .width = 8});
		assert_int_equal(trace_open(&t, &tables.shm, 0), -1);
		tables_release(&tables);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_oracle), cmocka_unit_test(test_marks),
					   cmocka_unit_test(test_broken), cmocka_unit_test(test_nodes)};

	return cmocka_run_group_tests_name("activations", tests, NULL, NULL);
}
