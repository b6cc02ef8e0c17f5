/* test_path.c: paths of tables made by hand: what is a decision, what is in the digest, what constrains. */
#include "bitcode.h"
#include "tables.h"
#include "ir/unit.h"
#include "search/path.h"

#define UNIT 77

/* A decision, a check and a load: the kinds of sites that branch events may come from. */
static const char source[] = "int f(int *p, int a) { if (a > 3) return a + 1; return *p; }\n";

struct fixture {
	struct buf bitcode, table;
	struct site_tables set;
	struct tables t;
	struct sites sites;
	uint32_t branch, check, load; /* ordinals */
	uint32_t condition, other;    /* labels of width 1 */
};

static void fixture_init(struct fixture *f)
{
	struct unit u;
	struct site s;
	const struct site_table *table;

	memset(f, 0, sizeof *f);
	compile_with(source, "-fsanitize=undefined -fsanitize-trap=all", &f->bitcode);
	if (unit_load(&u, f->bitcode.data, f->bitcode.size, UNIT) || site_table_write(&u, &f->table))
		fail_msg("%s", error_text());
	unit_release(&u);
	site_tables_add(&f->set, f->table.data, f->table.size);
	table = site_tables_find(&f->set, UNIT);
	for (uint32_t i = table->sites; i-- > 0;) {
		site_table_site(table, i, &s);
		if (s.kind == SITE_LOAD)
			f->load = s.index;
		if (s.kind == SITE_BRANCH && s.check)
			f->check = s.index;
		if (s.kind == SITE_BRANCH && !s.check)
			f->branch = s.index;
	}
	sites_init(&f->sites, &f->set);
	tables_init(&f->t, 64, 16, 1);
	f->condition = tables_node(&f->t, MUSTER_OP_ULT, 1, tables_input(&f->t, 0, 0), 0, 0, 200);
	f->other = tables_node(&f->t, MUSTER_OP_EQ, 1, tables_input(&f->t, 0, 1), 0, 0,
			       f->t.input[0][1]);
}

static void fixture_release(struct fixture *f)
{
	sites_release(&f->sites);
	site_tables_release(&f->set);
	tables_release(&f->t);
	buf_release(&f->table);
	buf_release(&f->bitcode);
}

static void add_event(struct fixture *f, enum muster_event_kind kind, uint32_t label, uint32_t index,
		      unsigned arg)
{
	f->t.events[f->t.shm.header->event_count++] = (struct muster_event){
	    .label = label, .kind = kind, .unit = UNIT, .index = index, .arg = (uint8_t)arg};
}

static void read_path(struct fixture *f, struct path *p, struct trace *t)
{
	if (trace_open(t, &f->t.shm, 0))
		fail_msg("%s", error_text());
	path_read(p, t, &f->sites, NULL, 0);
}

/* Pins are decisions of two outcomes at a site that the table lists as none. */
static void test_pins(void **unused)
{
	struct path p = {.exact = 1}, q = {.exact = 1};
	struct fixture f;
	struct trace t;

	(void)unused;
	fixture_init(&f);
	add_event(&f, MUSTER_EV_BRANCH, f.condition, f.branch, 1);
	add_event(&f, MUSTER_EV_BRANCH, f.other, f.load, 1);
	add_event(&f, MUSTER_EV_BRANCH, f.condition, f.check, 1);
	read_path(&f, &p, &t);
	trace_release(&t);
	assert_int_equal(p.decisions, 3);
	assert_int_equal(f.sites.decisions.data[p.steps.data[0].site].kind, SITES_LIBRARY);
	assert_int_equal(f.sites.decisions.data[p.steps.data[1].site].kind, SITES_PIN);
	assert_int_equal(f.sites.decisions.data[p.steps.data[2].site].kind, SITES_CHECK);
	assert_int_equal(f.sites.decisions.data[p.steps.data[2].site].fails, 0);
	assert_true(path_decides(&p.steps.data[1]));
	f.t.events[1].arg = 0; /* another object */
	read_path(&f, &q, &t);
	trace_release(&t);
	assert_int_equal(q.decisions, 3);
	assert_true(p.digest != q.digest);
	assert_int_equal(path_compare(&p.steps.data[1], 0, &q, NULL), PATH_REACHED);
	assert_int_equal(path_compare(&p.steps.data[2], 0, &q, NULL), PATH_EARLIER);
	path_release(&p);
	path_release(&q);
	fixture_release(&f);
}

/* What is given constrains, and is neither decision nor loss. */
static void test_given(void **unused)
{
	struct path p = {0}, q = {0};
	struct fixture f;
	struct import im;
	struct exprs *pool = exprs_new();
	struct trace t;
	expr_t e;

	(void)unused;
	fixture_init(&f);
	add_event(&f, MUSTER_EV_BRANCH, f.condition, f.branch, 1);
	read_path(&f, &q, &t);
	trace_release(&t);
	add_event(&f, MUSTER_EV_GIVEN, f.other, f.load, 1);
	read_path(&f, &p, &t);
	assert_int_equal(p.steps.size, 2);
	assert_int_equal(p.steps.data[1].kind, MUSTER_EV_GIVEN);
	assert_true(MUSTER_EV_GIVEN != PATH_READ);
	assert_int_equal(p.decisions, 1);
	assert_true(p.digest == q.digest && p.reads == q.reads);
	assert_int_equal(p.concretisations + p.stale + p.pins, 0);
	import_init(&im, &t, pool, 64);
	e = path_constraint(&p.steps.data[1], &im, &f.sites);
	assert_true(e == import_label(&im, f.other));
	import_release(&im);
	trace_release(&t);
	exprs_free(pool);
	path_release(&p);
	path_release(&q);
	fixture_release(&f);
}

/* A copy of a trace is the trace, when the tables have long been used for another run. */
static void test_copy(void **unused)
{
	struct path p = {0}, q = {0};
	struct fixture f;
	struct trace t, copy;

	(void)unused;
	fixture_init(&f);
	tables_data(&f.t, (const uint8_t *)"abcdefgh", 8, NULL);
	add_event(&f, MUSTER_EV_BRANCH, f.condition, f.branch, 1);
	add_event(&f, MUSTER_EV_BRANCH, f.other, f.load, 1);
	read_path(&f, &p, &t);
	trace_copy(&copy, &t);
	trace_release(&t);
	memset(f.t.nodes, 0xff, 32 * 32);
	memset(f.t.events, 0xff, 16);
	path_read(&q, &copy, &f.sites, NULL, 0);
	assert_true(p.digest == q.digest && q.steps.size == 2);
	assert_int_equal(copy.nodes[f.condition].op, MUSTER_OP_ULT);
	assert_false(trace_is_node(&copy, copy.node_count - 1)); /* contents of the data */
	trace_release(&copy);
	path_release(&p);
	path_release(&q);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pins),
	    cmocka_unit_test(test_given),
	    cmocka_unit_test(test_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
