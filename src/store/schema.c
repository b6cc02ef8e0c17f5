/* schema.c: recognises a store, makes the tables of a new one, brings an older one up, checks a whole one.
 *
 * Order matters at opening: the file's header is read first (application id, version); only a file
 * that is ours or empty is switched to WAL and written to. Tables, application id and version are
 * made in one transaction, so that a kill leaves either an empty file, which the next opening
 * fills, or a store. Two processes that create at once: the second finds the tables made once it
 * has the lock. An older store is brought up the same way: its version is read again under the lock, and the steps and the new number are one
 * transaction. Steps only add tables, so a reader that may not write reads an older store as it is.
 */
#include "store/sqlite.h"

#include "base/budget.h"
#include "base/error.h"
#include "base/log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STRING_(x) #x
#define STRING(x) STRING_(x)

static int exec(struct store *s, const char *text)
{
	int rc = sqlite3_exec(s->db, text, NULL, NULL, NULL);

	return rc ? sql_fail(s, rc) : 0;
}

static int pragma(struct store *s, const char *text, int64_t *out)
{
	sqlite3_stmt *st;
	int rc = sqlite3_prepare_v2(s->db, text, -1, &st, NULL), e;

	if (rc)
		return sql_fail(s, rc);
	e = sql_step(s, st);
	*out = e > 0 ? sqlite3_column_int64(st, 0) : 0;
	sqlite3_finalize(st);
	return e < 0 ? -1 : 0;
}

enum { FILE_OURS, FILE_EMPTY };

/* Whose file it is: one of the enum, or -1 with words. */
static int identify(struct store *s)
{
	int64_t application, version, tables;

	if (pragma(s, "PRAGMA application_id", &application) ||
	    pragma(s, "PRAGMA user_version", &version) ||
	    pragma(s, "SELECT count(*) FROM sqlite_master", &tables))
		return -1;
	s->version = 0;
	if (!application && !version && !tables)
		return FILE_EMPTY;
	if (application != STORE_APPLICATION)
		return error_set(
		    "'%s' is an SQLite file of another program, not a store: name another file "
		    "with --store",
		    s->path);
	if (version > STORE_VERSION)
		return error_set(
		    "the store '%s' was written by a newer muster (schema %lld, this one knows "
		    "%d): use that muster, or name another file with --store",
		    s->path, (long long)version, STORE_VERSION);
	s->version = (int)version;
	if (version < 1)
		return error_set(
		    "the store '%s' has schema %lld, which no muster wrote: it is damaged; move "
		    "it away and begin anew",
		    s->path, (long long)version);
	return FILE_OURS;
}

/* The same outside of a transaction: all that is read is of one moment, or a file that another process is just making a store of is half empty. */
static int identify_at_once(struct store *s)
{
	if (exec(s, "BEGIN"))
		return -1;
	int what = identify(s);
	sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
	return what;
}

/* Switching needs the file alone for a moment, and SQLite does not wait for that by itself. */
static int switch_to_wal(struct store *s)
{
	for (int tries = 0;; tries++) {
		int rc = sqlite3_exec(s->db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);

		if (!rc)
			return 0;
		if ((rc & 0xff) != SQLITE_BUSY || tries == 300)
			return sql_fail(s, rc);
		usleep(20000);
	}
}

/* What each version adds to the one before it: a new store gets all of them. */
static const char *const steps[STORE_VERSION] = {STORE_SCHEMA, STORE_SCHEMA_2};

static int bring_up(struct store *s)
{
	while (s->version < STORE_VERSION)
		if (exec(s, steps[s->version++]))
			return -1;
	return exec(s, "PRAGMA application_id=" STRING(STORE_APPLICATION) "; PRAGMA user_version=" STRING(STORE_VERSION));
}

/* Makes the tables that the file has not. */
static int create(struct store *s)
{
	int what;

	if (store_begin(s))
		return -1;
	what = identify(s);
	if (what == FILE_EMPTY && s->emptied)
		log_warn("the store '%s' had no bytes: it begins anew, and knows nothing of earlier searches", s->path);
	if (what >= 0 && s->version < STORE_VERSION && bring_up(s))
		what = -1;
	if (what < 0) {
		store_rollback(s);
		return -1;
	}
	return store_commit(s);
}

static int limit_cache(struct store *s)
{
	char text[64];

	snprintf(text, sizeof text, "PRAGMA cache_size=-%llu", (unsigned long long)budget_share(BUDGET_STORE) / 1024);
	return exec(s, text);
}

int schema_open(struct store *s, enum store_mode mode)
{
	int what = identify_at_once(s);

	if (what < 0)
		return -1;
	if (mode == STORE_READ_ONLY || mode == STORE_EXISTING) {
		if (what == FILE_EMPTY)
			return error_set(
			    "'%s' is empty, not a store yet: 'muster fuzz' makes it one", s->path);
		if (mode == STORE_READ_ONLY)
			return limit_cache(s) || exec(s, "PRAGMA query_only=1; PRAGMA cell_size_check=1") ? -1 : 0;
	}
	if (switch_to_wal(s))
		return -1;
	/* A larger cache and a longer log: random places of test_digest are written many times
	 * before they go to the file. */
	if (limit_cache(s) ||
	    exec(s, "PRAGMA synchronous=NORMAL;"
		    "PRAGMA wal_autocheckpoint=16000; PRAGMA journal_size_limit=67108864;"
		    "PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=1"))
		return -1;
	return s->version < STORE_VERSION ? create(s) : 0;
}

/* ------------------------------------------------------------------- checking */

/* Adds a line for each row: fmt gets up to three numbers. */
static int check_rows(struct store *s, enum sql id, const char *fmt, struct buf *problems)
{
	sqlite3_stmt *st = sql_walk(s, id, "");
	int e;

	if (!st)
		return -1;
	while ((e = sql_step(s, st)) > 0)
		buf_addf(problems, fmt, (long long)sqlite3_column_int64(st, 0),
			 (long long)sqlite3_column_int64(st, 1),
			 (long long)sqlite3_column_int64(st, 2));
	sql_finish(st);
	return e;
}

static int check_file(struct store *s, struct buf *problems)
{
	sqlite3_stmt *st = sql_walk(s, SQL_CHECK_FILE, "");
	int e;

	if (!st)
		return -1;
	while ((e = sql_step(s, st)) > 0)
		if (strcmp(sql_text(st, 0), "ok"))
			buf_addf(problems, "%s\n", sql_text(st, 0));
	sql_finish(st);
	return e;
}

static int check_inputs(struct store *s, struct buf *problems)
{
	sqlite3_stmt *st = sql_walk(s, SQL_CHECK_INPUTS, "");
	int e;

	if (!st)
		return -1;
	while ((e = sql_step(s, st)) > 0) {
		int64_t key = sqlite3_column_int64(st, 0);
		size_t size = sqlite3_column_bytes(st, 3);
		struct hash128 want, have = hash128(size ? sqlite3_column_blob(st, 3) : "", size);

		if (sql_hash(s, st, 1, &want)) {
			e = -1;
			break;
		}
		if (sqlite3_column_type(st, 3) == SQLITE_NULL)
			buf_addf(problems, "campaign %lld, test %lld: its input is missing\n",
				 (long long)(key >> 32), (long long)(key & 0xffffffff));
		else if ((int64_t)size != sqlite3_column_int64(st, 2) || want.a != have.a ||
			 want.b != have.b)
			buf_addf(problems, "campaign %lld, test %lld: its input has changed\n",
				 (long long)(key >> 32), (long long)(key & 0xffffffff));
	}
	sql_finish(st);
	return e;
}

int store_check(struct store *s, struct buf *problems)
{
	size_t before = problems->size;
	int64_t orphans;

	if (check_file(s, problems))
		return -1;
	if (problems->size > before) /* other answers from a damaged file mean nothing */
		return 1;
	if (check_inputs(s, problems) ||
	    check_rows(s, SQL_CHECK_IDS, "campaign %lld: %lld tests, the last is %lld\n",
		       problems) ||
	    check_rows(s, SQL_CHECK_TALLY,
		       "campaign %lld, stage %lld: the count is wrong by %lld\n", problems) ||
	    sql_number(s, &orphans, SQL_CHECK_ORPHANS, "") < 0)
		return -1;
	if (orphans)
		buf_addf(problems, "%lld inputs without a test\n", (long long)orphans);
	return problems->size > before;
}
