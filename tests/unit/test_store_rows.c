/* test_store_rows.c: what a store gives back is validated. Every column of every table gets what no muster writes (text,
 * other lengths, numbers out of range); every reader must come to an end, and say that the store is damaged wherever it
 * met a value of another type. */
#include "base/error.h"
#include "base/file.h"
#include "store/store.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ROWS_MAX 100 /* a walk that gives more than this of the few rows goes round */

static char *path;

/* Hundreds of stores are made and damaged: nobody waits for the disk. SQLite calls these. */
int fsync(int fd) { return fd < 0; }
int fdatasync(int fd) { return fd < 0; }

static struct store_summary summary(void)
{
	struct store_summary m = {.pre = "p", .pre_size = 1, .post = "q", .post_size = 1, .support = "s", .support_size = 1, .partial = "", .end = 3};

	m.function = m.end_function = 1;
	m.test = hash128_str("a");
	return m;
}

static const struct store_record *unit(void)
{
	static struct store_record r = {.data = "unit", .size = 4};

	r.hash = hash128(r.data, r.size);
	return &r;
}

static void fill_versions(struct store *s)
{
	struct result_function f = {.name = "f", .file = "a.c", .line = 3, .verdict = "explored"};
	struct store_result r = {.version = 1, .command = "fuzz", .status = "complete"};
	struct store_summary m = summary();
	uint64_t id;

	assert_int_equal(store_version_add(s, "prog", unit(), 1, &id), 1);
	assert_int_equal(store_function_put(s, 1, &f), 0);
	assert_int_equal(store_result_add(s, &r), 0);
	assert_int_equal(store_symbol(s, hash128_str("unit"), "f", &id), 0);
	assert_int_equal(store_summary_add(s, &m), 0);
	assert_int_equal(store_edge_add(s, hash128_str("a"), m.key), 0);
}

static void fill(struct store *s)
{
	uint64_t c;
	int fresh;

	assert_int_equal(store_campaign(s, hash128_str("a"), "prog", "prog @@", &c, &fresh), 0);
	for (int i = 0; i < 5; i++) {
		char text[] = {(char)('a' + i), 0};
		struct store_test t = {.data = text, .size = 1, .stage = (uint32_t)i % 3, .rank = i};
		struct result_bug b = {.bucket = (uint64_t)i + 7, .kind = "abort", .function = "main", .file = "a.c", .line = 3,
				      .test = (uint64_t)i + 1, .data = text, .size = 1};

		assert_int_equal(store_test_add(s, c, &t), 1);
		assert_int_equal(store_bug_add(s, c, &b), 1);
		assert_int_equal(store_cover_add(s, c, 1, (uint32_t)i, 1, t.id), 0);
		assert_int_equal(store_query_put(s, hash128_str(text), 1, text, 1), 0);
		assert_int_equal(store_value_set(s, c, text, text, 1), 0);
	}
	struct store_test t;
	assert_int_equal(store_frontier_take(s, c, 9, 1000, 3, &t, NULL), 1);
	fill_versions(s);
}

static int count_row(unsigned *n)
{
	if (++*n > ROWS_MAX)
		fail_msg("a walk over rows does not end");
	return 0;
}

static int count_test(void *ctx, const struct store_test *t)
{
	assert_true(t->id > 0);
	return count_row(ctx);
}

static int count_bug(void *ctx, const struct result_bug *b)
{
	(void)b;
	return count_row(ctx);
}

static int count_cover(void *ctx, uint32_t unit, uint32_t outcome, uint8_t mask, uint64_t test)
{
	(void)unit, (void)outcome, (void)mask, (void)test;
	return count_row(ctx);
}

static int count_campaign(void *ctx, uint64_t id, struct hash128 key, const char *program, const char *command)
{
	(void)id, (void)key, (void)program, (void)command;
	return count_row(ctx);
}

static int count_version(void *ctx, const struct store_version *v)
{
	(void)v;
	return count_row(ctx);
}

static int count_record(void *ctx, const struct store_record *r)
{
	assert_true(r->size == 4);
	return count_row(ctx);
}

static int count_function(void *ctx, const struct result_function *f)
{
	(void)f;
	return count_row(ctx);
}

static int count_result(void *ctx, const struct store_result *r)
{
	(void)r;
	return count_row(ctx);
}

static int count_summary(void *ctx, const struct store_summary *m)
{
	(void)m;
	return count_row(ctx);
}

static int count_edge(void *ctx, struct hash128 after)
{
	(void)after;
	return count_row(ctx);
}

/* Those of versions and summaries: how many there are, in r. */
static int read_versions(struct store *s, int *r)
{
	struct store_result result = {.version = 1, .command = "test", .status = "complete"};
	struct store_summary m = summary();
	unsigned n[6] = {0};
	int count = 0;

	r[count++] = store_version_each(s, count_version, &n[0]);
	r[count++] = store_version_records(s, 1, count_record, &n[1]);
	r[count++] = store_function_each(s, 1, count_function, &n[2]);
	r[count++] = store_result_each(s, 1, count_result, &n[3]);
	r[count++] = store_summary_each(s, 1, count_summary, &n[4]);
	r[count++] = store_edge_each(s, hash128_str("a"), count_edge, &n[5]);
	r[count++] = store_result_add(s, &result);
	r[count++] = store_summary_add(s, &m);
	return count;
}

/* All that reads; the number of readers that failed, each with words. */
static unsigned read_all(struct store *s)
{
	struct buf data = BUF_EMPTY;
	struct store_test t;
	struct result_bug b = {.bucket = 99, .kind = "x", .function = "", .file = ""};
	unsigned failed = 0, n[5] = {0};
	int verdict, fresh, r[21], count = 0;
	uint64_t id;

	r[count++] = store_campaign(s, hash128_str("a"), "prog", "prog @@", &id, &fresh);
	r[count++] = store_campaign_each(s, count_campaign, &n[0]);
	r[count++] = store_test_each(s, 1, 0, 0, count_test, &n[1]);
	r[count++] = store_test_each(s, 1, 0, 1, count_test, &n[2]);
	r[count++] = store_bug_each(s, 1, count_bug, &n[3]);
	r[count++] = store_cover_each(s, 1, count_cover, &n[4]);
	r[count++] = store_query_get(s, hash128_str("e"), &verdict, &data);
	r[count++] = store_value_get(s, 1, "e", &data);
	r[count++] = store_test_get(s, 1, 2, &t, &data);
	r[count++] = store_bug_add(s, 1, &b);
	for (uint32_t i = 1; i < 9; i++) {
		int e = store_frontier_take(s, 1, i, 1000, 3, &t, &data);

		if (e < 0)
			r[count++] = e;
		if (e <= 0)
			break;
	}
	count += read_versions(s, r + count);
	for (int i = 0; i < count; i++)
		failed += r[i] < 0;
	if (failed && !strstr(error_text(), "damaged"))
		fail_msg("no word of damage in: %s", error_text());
	buf_release(&data);
	return failed;
}

/* The declared type that text is none of: SQLite then keeps the text. */
static int takes_no_text(const char *type)
{
	return strcmp(type, "TEXT") != 0;
}

static void one_damage(const struct buf *whole, const char *table, const char *column, const char *type, const char *value)
{
	struct store *s;
	sqlite3 *db;
	char sql[500];
	int changed;

	assert_int_equal(file_write_atomic(path, whole->data, whole->size), 0);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	snprintf(sql, sizeof sql, "UPDATE OR IGNORE %s SET %s = %s WHERE %s = (SELECT max(%s) FROM %s)", table, column, value,
		 column, column, table);
	changed = sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK && sqlite3_changes(db);
	sqlite3_close(db);
	if (!changed)
		return;
	error_set("none");
	if (store_open(&s, path, STORE_EXISTING))
		fail_msg("%s", error_text());
	unsigned failed = read_all(s);
	/* These are only compared, never read: a row with another value is not found. */
	int read = strcmp(table, "lease") && strcmp(table, "bug_test") && strcmp(column, "campaign") && strcmp(column, "key") &&
		   strcmp(column, "name") && strcmp(table, "version_record") && strcmp(column, "version") && strcmp(column, "before") &&
		   strcmp(column, "function");

	if (read && takes_no_text(type) && value[0] == '\'' && !failed)
		fail_msg("%s.%s = %s is not noticed", table, column, value);
	store_close(s);
}

static void each_column(const struct buf *whole, void (*f)(const struct buf *, const char *, const char *, const char *, const char *))
{
	static const char *const values[] = {"'x'", "''", "-1", "0", "9223372036854775807", "-9223372036854775808", "1e300",
					     "x'00'", "zeroblob(70000)"};
	sqlite3_stmt *st;
	sqlite3 *db;
	unsigned columns = 0;

	assert_int_equal(file_write_atomic(path, whole->data, whole->size), 0);
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	char *attach = sqlite3_mprintf("ATTACH %Q AS f", path);
	assert_int_equal(sqlite3_exec(db, attach, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_free(attach);
	assert_int_equal(sqlite3_prepare_v2(db,
					    "SELECT m.name, c.name, c.type FROM f.sqlite_master m, pragma_table_info(m.name, 'f') c "
					    "WHERE m.type = 'table'",
					    -1, &st, NULL),
			 SQLITE_OK);
	struct buf list = BUF_EMPTY;
	while (sqlite3_step(st) == SQLITE_ROW) {
		buf_addf(&list, "%s %s %s\n", sqlite3_column_text(st, 0), sqlite3_column_text(st, 1), sqlite3_column_text(st, 2));
		columns++;
	}
	sqlite3_finalize(st);
	sqlite3_close(db);
	assert_true(columns > 40);
	for (char *line = strtok(buf_str(&list), "\n"); line; line = strtok(NULL, "\n")) {
		char table[50], column[50], type[50];

		assert_int_equal(sscanf(line, "%49s %49s %49s", table, column, type), 3);
		for (size_t i = 0; i < sizeof values / sizeof *values; i++)
			f(whole, table, column, type, values[i]);
	}
	buf_release(&list);
}

static void every_column_is_validated(void **state)
{
	struct buf whole = BUF_EMPTY;
	struct store *s;
	sqlite3 *db;

	(void)state;
	if (store_open(&s, path, STORE_CREATE))
		fail_msg("%s", error_text());
	fill(s);
	assert_int_equal(read_all(s), 0);
	store_close(s);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK); /* everything in the file, none in the log */
	assert_int_equal(sqlite3_exec(db, "PRAGMA journal_mode=DELETE; PRAGMA synchronous=OFF", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(file_read(path, &whole), 0);
	each_column(&whole, one_damage);
	buf_release(&whole);
}

static void an_emptied_store_is_told(void **state)
{
	char *wal = file_join(file_temp_dir(), "rows.db-wal");
	struct store *s;

	(void)state;
	assert_int_equal(file_write_atomic(path, "", 0), 0);
	unlink(wal);
	assert_int_equal(store_open(&s, path, STORE_CREATE), 0); /* with a warning */
	store_close(s);
	assert_int_equal(file_write_atomic(path, "", 0), 0);
	assert_int_equal(file_write_atomic(wal, "log", 3), 0);
	assert_int_equal(store_open(&s, path, STORE_CREATE), -1);
	assert_non_null(strstr(error_text(), "cut to 0 bytes"));
	assert_true(file_exists(wal));
	free(wal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_column_is_validated),
	    cmocka_unit_test(an_emptied_store_is_told),
	};

	if (!file_temp_dir())
		return 1;
	path = file_join(file_temp_dir(), "rows.db");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
