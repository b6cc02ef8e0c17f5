/* test_store_migrate.c: stores of older versions are brought up with all that is in them; what version 2 added. */
#include "store/store.h"
#include "summary/summary.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "timing.h"

#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define OLD "tests/store/v1.db" /* tests/store/make */
#define SUMMARIES 100000
#define FUNCTIONS 2000

static char *dir;

static char *copy_old(const char *name)
{
	struct buf b = {0};
	char *path = file_join(dir, name);

	if (file_read(OLD, &b) || file_write_atomic(path, b.data, b.size))
		fail_msg("%s", error_text());
	buf_release(&b);
	return path;
}

static struct store *open_as(const char *path, enum store_mode mode)
{
	struct store *s;

	if (store_open(&s, path, mode))
		fail_msg("%s", error_text());
	return s;
}

/* All rows of the tables of version 1, as one number. */
static uint64_t contents(const char *path)
{
	static const char *const tables[] = {"campaign", "test", "input", "tally", "lease", "cover", "bug", "bug_test", "query", "value"};
	uint64_t h = 0;
	sqlite3 *db;
	sqlite3_stmt *st;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		char text[64];

		snprintf(text, sizeof text, "SELECT * FROM %s", tables[i]);
		assert_int_equal(sqlite3_prepare_v2(db, text, -1, &st, NULL), SQLITE_OK);
		while (sqlite3_step(st) == SQLITE_ROW)
			for (int k = 0; k < sqlite3_column_count(st); k++)
				h = hash64(sqlite3_column_text(st, k), (size_t)sqlite3_column_bytes(st, k), h + 1);
		sqlite3_finalize(st);
	}
	sqlite3_close(db);
	return h;
}

static int64_t version_of(const char *path)
{
	sqlite3 *db;
	sqlite3_stmt *st;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	int64_t v = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return v;
}

static void assert_clean(struct store *s)
{
	struct buf problems = {0};

	if (store_check(s, &problems))
		fail_msg("%s", buf_str(&problems));
	buf_release(&problems);
}

static int count_campaign(void *ctx, uint64_t id, struct hash128 key, const char *program, const char *command)
{
	(void)id, (void)key, (void)program, (void)command;
	++*(int *)ctx;
	return 0;
}

static int count_bug(void *ctx, const struct result_bug *b)
{
	++*(int *)ctx;
	return !*b->kind ? -1 : 0;
}

static int count_version(void *ctx, const struct store_version *v)
{
	(void)v;
	++*(int *)ctx;
	return 0;
}

/* What tests/store/make printed when it made the file. */
static void assert_old_rows(struct store *s)
{
	int campaigns = 0, bugs = 0;

	assert_int_equal(store_campaign_each(s, count_campaign, &campaigns), 0);
	assert_int_equal(campaigns, 2);
	assert_int_equal(store_test_count(s, 1) + store_test_count(s, 2), 19);
	assert_int_equal(store_bug_each(s, 1, count_bug, &bugs) || store_bug_each(s, 2, count_bug, &bugs), 0);
	assert_int_equal(bugs, 2);
}

static void an_old_store_is_brought_up(void **state)
{
	static const enum store_mode modes[] = {STORE_CREATE, STORE_EXISTING};

	(void)state;
	for (int i = 0; i < 2; i++) {
		char *path = copy_old(i ? "existing.db" : "create.db");
		uint64_t before = contents(path);
		struct store *s = open_as(path, modes[i]);
		uint64_t id;

		assert_old_rows(s);
		assert_clean(s);
		assert_int_equal(store_version_add(s, "prog", NULL, 0, &id), 1);
		store_close(s);
		assert_int_equal(version_of(path), STORE_VERSION);
		assert_int_equal(contents(path), before);
		store_close(open_as(path, modes[i])); /* and once more */
		free(path);
	}
}

static void an_old_store_is_read_as_it_is(void **state)
{
	char *path = copy_old("read.db");
	struct store *s = open_as(path, STORE_READ_ONLY);
	int versions = 0;

	(void)state;
	assert_old_rows(s);
	assert_int_equal(store_version_each(s, count_version, &versions), 0);
	assert_int_equal(versions, 0);
	store_close(s);
	assert_int_equal(version_of(path), 1);
	free(path);
}

/* A kill at any moment leaves the old store or the new one. */
static void a_kill_loses_nothing(void **state)
{
	int old = 0, new = 0;

	(void)state;
	for (int round = 0; round < 40; round++) {
		char *path = copy_old("killed.db"), *log = mem_printf("%s-wal", path), *index = mem_printf("%s-shm", path);
		uint64_t before = contents(path);
		pid_t pid = fork();

		if (!pid) {
			struct store *s;

			_exit(store_open(&s, path, STORE_CREATE) ? 1 : 0);
		}
		usleep((useconds_t)(round * round) * 20);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		*(version_of(path) == 1 ? &old : &new) += 1;
		struct store *s = open_as(path, STORE_CREATE);
		assert_clean(s);
		assert_old_rows(s);
		store_close(s);
		assert_int_equal(version_of(path), STORE_VERSION);
		assert_int_equal(contents(path), before);
		unlink(log);
		unlink(index);
		free(path);
		free(log);
		free(index);
	}
	print_message("killed before the commit %d times, after it %d times\n", old, new);
}

/* ------------------------------------------------------------------ version 2 */

static int note_version(void *ctx, const struct store_version *v)
{
	*(struct store_version *)ctx = *v;
	return 0;
}

static int same_record(void *ctx, const struct store_record *r)
{
	const struct store_record **next = ctx, *want = (*next)++;

	assert_int_equal(r->size, want->size);
	assert_memory_equal(r->data, want->data, r->size);
	return 0;
}

static int note_function(void *ctx, const struct result_function *f)
{
	assert_string_equal(f->name, "parse");
	assert_string_equal(f->verdict, "explored");
	assert_string_equal(f->losses, "cut 1");
	assert_int_equal(f->line, 7);
	assert_null(f->why);
	++*(int *)ctx;
	return 0;
}

static int note_result(void *ctx, const struct store_result *r)
{
	assert_int_equal(r->number, ++*(uint64_t *)ctx);
	assert_string_equal(r->command, "fuzz");
	assert_int_equal(r->bugs, 3);
	return 0;
}

static void versions_share_records(void **state)
{
	char *path = file_join(dir, "versions.db");
	static char large[100000];
	struct store_record a[] = {{.data = "unit one", .size = 8}, {.data = large, .size = sizeof large}}, b[] = {a[0], a[1]};
	struct store *s = open_as(path, STORE_CREATE);
	struct store_version seen;
	struct result_function f = {.name = "parse", .file = "p.c", .line = 7, .verdict = "explored", .losses = "cut 1"};
	uint64_t first, second, again, results = 0;
	int functions = 0;

	(void)state;
	b[0].data = "unit two";
	for (int i = 0; i < 2; i++) {
		a[i].hash = hash128(a[i].data, a[i].size);
		b[i].hash = hash128(b[i].data, b[i].size);
	}
	assert_int_equal(store_version_add(s, "prog", a, 2, &first), 1);
	assert_int_equal(store_version_add(s, "prog", b, 2, &second), 1);
	assert_int_equal(store_version_add(s, "moved/prog", a, 2, &again), 0);
	assert_int_equal(first, again);
	assert_int_equal(store_version_each(s, note_version, &seen), 0);
	assert_int_equal(seen.id, second);
	assert_int_equal(seen.records, 2);
	assert_true(seen.bytes < 1000); /* compressed */
	const struct store_record *next = a;
	assert_int_equal(store_version_records(s, first, same_record, &next), 0);
	assert_ptr_equal(next, a + 2);
	assert_int_equal(store_function_put(s, first, &f) || store_function_put(s, first, &f), 0);
	assert_int_equal(store_function_each(s, first, note_function, &functions), 0);
	assert_int_equal(functions, 1);
	for (int i = 0; i < 2; i++)
		assert_int_equal(store_result_add(s, &(struct store_result){.version = first, .command = "fuzz", .status = "complete", .bugs = 3}), 0);
	assert_int_equal(store_result_each(s, first, note_result, &results), 0);
	assert_int_equal(results, 2);
	store_close(s);
	free(path);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int count_summary(void *ctx, const struct store_summary *m)
{
	struct summaries l;
	struct summary x = {.function = "f"};

	if (++*(int *)ctx % 50 == 1) { /* it is what was written */
		summaries_init(&l);
		assert_int_equal(summary_read(&l, m->pre, m->pre_size, &x), 0);
		assert_int_equal(summary_read_support(&l, m->support, m->support_size, &x), 0);
		assert_int_equal(x.pre.size, 3);
		assert_int_equal(x.post.size, 2);
		assert_int_equal(x.functions.size, 2);
		summary_release(&x);
		summaries_release(&l);
	}
	assert_string_equal(m->partial, "");
	return 0;
}

/* A summary as programs give them: places of the function's parameters, numbers that differ. */
static void some_summary(struct summaries *l, uint64_t function, uint64_t i, struct summary *x)
{
	static const char *const members[] = {"next", "length", "flags", "value", "offset", "count"};
	struct exprs *p = l->pool;
	struct hash128 n = hash128(&i, sizeof i);
	char path[32], text[64];
	expr_t place[4];

	for (unsigned k = 0; k < 4; k++) {
		snprintf(path, sizeof path, "%u*%llu", k & 1, (unsigned long long)(8 * ((function + k) % 6)));
		snprintf(text, sizeof text, "%s%llu->%s", k & 1 ? "other" : "node", (unsigned long long)(function % 40), members[(function + k) % 6]);
		place[k] = place_variable(p, 32, PLACE_SIGNED, 0, k == 3, path, text);
	}
	snprintf(text, sizeof text, "node%llu", (unsigned long long)(function % 40));
	expr_t pointer = place_variable(p, 64, PLACE_POINTER, 48, 0, "0", text);
	*x = (struct summary){.function = "f", .line = (uint32_t)function, .end_line = (uint32_t)function + 20, .paths = 1, .test = i};
	vec_push(&x->pre, expr_not(p, expr_eq(p, pointer, expr_const(p, 64, 0))));
	vec_push(&x->pre, expr_binary(p, MUSTER_OP_ULE, place[0], expr_const(p, 32, (uint32_t)n.a % 1000)));
	vec_push(&x->pre, expr_eq(p, expr_binary(p, MUSTER_OP_AND, place[1], expr_const(p, 32, (uint32_t)n.b | 1)), expr_const(p, 32, (uint32_t)(n.a >> 32) & ((uint32_t)n.b | 1))));
	vec_push(&x->post, expr_eq(p, place_variable(p, 32, PLACE_SIGNED, 0, 1, "r", "result"), expr_binary(p, MUSTER_OP_ADD, place[2], expr_const(p, 32, (uint32_t)i))));
	vec_push(&x->post, expr_eq(p, place[3], place[0]));
	vec_push(&x->functions, "f");
	vec_push(&x->functions, "helper");
}

static int note_edge(void *ctx, struct hash128 after)
{
	*(struct hash128 *)ctx = after;
	return 0;
}

/* 50 of each function, with the next one as its successor: bytes each, and how long one function takes to look up. */
static void many_summaries(void **state)
{
	char *path = file_join(dir, "summaries.db");
	struct store *s = open_as(path, STORE_CREATE);
	struct hash128 last = {0}, first = {0}, after = {0};
	uint64_t symbol = 0;
	struct summaries l;
	struct stat st;
	uint64_t raw = 0;
	int seen = 0;

	(void)state;
	assert_int_equal(store_begin(s), 0);
	for (uint64_t i = 0; i < SUMMARIES; i++) {
		char name[32];
		struct hash128 n = hash128(&i, sizeof i);
		struct buf pre = BUF_EMPTY, support = BUF_EMPTY;
		struct summary x;

		if (i % (SUMMARIES / FUNCTIONS) == 0) {
			snprintf(name, sizeof name, "function_%llu", (unsigned long long)i);
			assert_int_equal(store_symbol(s, hash128_str("unit"), name, &symbol), 0);
			if (i)
				summaries_release(&l);
			summaries_init(&l);
		}
		some_summary(&l, i / (SUMMARIES / FUNCTIONS), i, &x);
		summary_write(l.pool, &x, &pre);
		summary_write_support(&x, &support);
		raw += pre.size + support.size;
		summary_release(&x);
		struct store_summary m = {.function = symbol, .end_function = symbol, .end = 40, .pre = pre.data, .pre_size = pre.size, .post = "",
					  .support = support.data, .support_size = support.size, .partial = "", .test = n};
		assert_int_equal(store_summary_add(s, &m), 0);
		if (i)
			assert_int_equal(store_edge_add(s, last, m.key), 0);
		first = i ? first : m.key;
		last = m.key;
		if (i == 1) { /* the same again is the same one */
			assert_int_equal(store_summary_add(s, &m), 0);
			assert_int_equal(store_edge_each(s, first, note_edge, &after), 0);
			assert_true(after.a == m.key.a && after.b == m.key.b);
		}
		buf_release(&pre);
		buf_release(&support);
	}
	summaries_release(&l);
	assert_int_equal(store_commit(s), 0);
	store_close(s);
	assert_int_equal(stat(path, &st), 0);
	print_message("%.1f bytes a summary, of which formulas and support had %.1f\n", (double)st.st_size / SUMMARIES, (double)raw / SUMMARIES);
	assert_true((double)raw / SUMMARIES > 200);
	assert_true((double)st.st_size / SUMMARIES < 200);
	s = open_as(path, STORE_READ_ONLY);
	double start = now();
	for (uint64_t f = 1; f <= 1000; f++)
		assert_int_equal(store_summary_each(s, f, count_summary, &seen), 0);
	double each = (now() - start) / 1000;
	assert_int_equal(seen, 1000 * (SUMMARIES / FUNCTIONS));
	print_message("%.3f ms a function\n", each * 1000);
	assert_quick(each < 0.001);
	store_close(s);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_old_store_is_brought_up), cmocka_unit_test(an_old_store_is_read_as_it_is), cmocka_unit_test(a_kill_loses_nothing),
	    cmocka_unit_test(versions_share_records),	  cmocka_unit_test(many_summaries),
	};

	char where[] = "/tmp/store-migrate.XXXXXX";

	dir = mkdtemp(where);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	file_remove_tree(dir);
	return failed;
}
