/* sqlite.c: the store's handle on SQLite: opening, statements, transactions, and what went wrong in
 * words.
 *
 * The file is in WAL mode with synchronous=NORMAL: a commit is a write to the log, which outlives
 * the process, and the log is brought to the disk before pages of the file are replaced. So a kill
 * loses nothing committed, and a power cut at most the last moments.
 *
 * Invariant: inside a transaction the first failure is final. SQLite may have undone the whole of
 * it (disk full) or one statement of several (a test without its input), so nothing of it may be
 * committed: store_commit rolls back and repeats the words of the failure.
 *
 * A file is not touched before it is known to be ours: what is no store stays as it was.
 */
#include "store/sqlite.h"
#include "store/pack.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUSY_SECONDS 30

static const char *const texts[] = {
#define X(name, text) text,
    SQL_STATEMENTS(X)
#undef X
};

/* --------------------------------------------------------------------- words */

/* SQLite forgets it where a commit fails, so errno (which sql_step clears before) is asked as well.
 */
static int system_error(struct store *s)
{
	return sqlite3_system_errno(s->db) ? sqlite3_system_errno(s->db) : errno;
}

static int no_space(struct store *s, int rc)
{
	int e = system_error(s);

	if ((rc & 0xff) == SQLITE_FULL)
		return 1;
	if ((rc & 0xff) != SQLITE_IOERR)
		return 0;
	return e == ENOSPC || e == EDQUOT || e == EFBIG;
}

static void damaged_words(struct store *s, const char *what)
{
	error_set("the store '%s' is damaged (%s): move it away and begin anew (-i with the old queue directory keeps "
		  "its inputs), or try \"sqlite3 '%s' .recover\"",
		  s->path, what, s->path);
}

static void words(struct store *s, int rc)
{
	const char *p = s->path;

	if (no_space(s, rc)) {
		error_set(
		    "no space left for the store '%s': free some space there (or name another "
		    "place "
		    "with --store) and run the same command again; what was committed is safe",
		    p);
		return;
	}
	switch (rc & 0xff) {
	case SQLITE_READONLY:
	case SQLITE_PERM:
		error_set(
		    "the store '%s' cannot be written: make it and its directory writable, or "
		    "name another place with --store",
		    p);
		break;
	case SQLITE_CANTOPEN:
		error_set(
		    "the store '%s' cannot be opened: files beside it (its log, %s-wal) cannot be "
		    "made or read; make its directory writable or name another place with --store",
		    p, file_base(p));
		break;
	case SQLITE_NOTADB:
		error_set(
		    "'%s' is not a store (it is no SQLite file): name another file with --store",
		    p);
		break;
	case SQLITE_CORRUPT:
		damaged_words(s, sqlite3_errmsg(s->db));
		break;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		error_set(
		    "another process has kept the store '%s' busy for %d seconds: wait for it or "
		    "end it, then run the same command again",
		    p, BUSY_SECONDS);
		break;
	case SQLITE_TOOBIG:
		error_set("an input is too large for the store '%s' (1,000,000,000 bytes at most)",
			  p);
		break;
	case SQLITE_IOERR:
		error_set("the store '%s' cannot be read or written (%s): check its disk", p,
			  system_error(s) ? strerror(system_error(s)) : sqlite3_errmsg(s->db));
		break;
	default:
		error_set("the store '%s': %s", p, sqlite3_errmsg(s->db));
	}
}

int sql_fail(struct store *s, int rc)
{
	words(s, sqlite3_extended_errcode(s->db) ? sqlite3_extended_errcode(s->db) : rc);
	if (s->depth && !s->failed)
		s->failed = mem_strdup(error_text());
	return -1;
}

int sql_damaged(struct store *s, const char *fmt, ...)
{
	char what[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	damaged_words(s, what);
	if (s->depth && !s->failed)
		s->failed = mem_strdup(error_text());
	return -1;
}

/* ---------------------------------------------------------------- statements */

static int bind_one(sqlite3_stmt *st, int at, char kind, va_list *ap)
{
	struct hash128 h;
	const void *p;

	switch (kind) {
	case 'i':
		return sqlite3_bind_int64(st, at, va_arg(*ap, int64_t));
	case 'd':
		return sqlite3_bind_double(st, at, va_arg(*ap, double));
	case 's':
		return sqlite3_bind_text(st, at, va_arg(*ap, const char *), -1, SQLITE_STATIC);
	case 'b':
	case 'B':
		p = va_arg(*ap, const void *);
		if (!p && kind == 'b')
			p = "";
		return sqlite3_bind_blob64(st, at, p, va_arg(*ap, size_t), SQLITE_STATIC);
	case 'h':
		h = va_arg(*ap, struct hash128);
		return sqlite3_bind_blob(st, at, &h, sizeof h, SQLITE_TRANSIENT);
	}
	BUG("no kind of argument: %c", kind);
}

static int bind_all(struct store *s, sqlite3_stmt *st, const char *fmt, va_list *ap)
{
	for (int i = 0; fmt[i]; i++) {
		int rc = bind_one(st, i + 1, fmt[i], ap);

		if (rc)
			return sql_fail(s, rc);
	}
	return 0;
}

static sqlite3_stmt *query(struct store *s, enum sql id, const char *fmt, va_list *ap)
{
	sqlite3_stmt *st = s->kept[id];
	int rc;

	if (!st) {
		rc = sqlite3_prepare_v3(s->db, texts[id], -1, SQLITE_PREPARE_PERSISTENT, &st, NULL);
		if (rc) {
			sql_fail(s, rc);
			return NULL;
		}
		s->kept[id] = st;
	}
	sqlite3_reset(st);
	return bind_all(s, st, fmt, ap) ? NULL : st;
}

sqlite3_stmt *sql_query(struct store *s, enum sql id, const char *fmt, ...)
{
	sqlite3_stmt *st;
	va_list ap;

	va_start(ap, fmt);
	st = query(s, id, fmt, &ap);
	va_end(ap);
	return st;
}

sqlite3_stmt *sql_walk(struct store *s, enum sql id, const char *fmt, ...)
{
	sqlite3_stmt *st;
	va_list ap;
	int rc = sqlite3_prepare_v2(s->db, texts[id], -1, &st, NULL);

	if (rc) {
		sql_fail(s, rc);
		return NULL;
	}
	va_start(ap, fmt);
	rc = bind_all(s, st, fmt, &ap);
	va_end(ap);
	if (rc) {
		sqlite3_finalize(st);
		return NULL;
	}
	return st;
}

int sql_finish(sqlite3_stmt *st)
{
	return sqlite3_finalize(st) ? -1 : 0;
}

/* SQLite keeps text in a column of integers if a writer puts it there, and makes a number of it when asked: what is
 * read has the type that the schema declares. A column that is computed has none, and is an integer or NULL. */
static int column_is_sound(sqlite3_stmt *st, int column)
{
	const char *declared = sqlite3_column_decltype(st, column);
	int type = sqlite3_column_type(st, column);

	switch (declared ? *declared : 0) {
	case 'I':
		return type == SQLITE_INTEGER;
	case 'R':
		return type == SQLITE_FLOAT;
	case 'T':
		return type == SQLITE_TEXT;
	case 'B':
		return type == SQLITE_BLOB;
	}
	return 1;
}

static int row_is_sound(struct store *s, sqlite3_stmt *st)
{
	for (int i = 0; i < sqlite3_column_count(st); i++)
		if (!column_is_sound(st, i)) {
			sql_damaged(s, "a row has something else than %s in the column '%s'",
				    sqlite3_column_decltype(st, i), sqlite3_column_name(st, i));
			return 0;
		}
	return 1;
}

int sql_step(struct store *s, sqlite3_stmt *st)
{
	int rc;

	errno = 0;
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW) {
		if (row_is_sound(s, st))
			return 1;
		sqlite3_reset(st);
		return -1;
	}
	if (rc == SQLITE_DONE) {
		sqlite3_reset(st);
		return 0;
	}
	sql_fail(s, rc);
	sqlite3_reset(st);
	return -1;
}

void sql_end(sqlite3_stmt *st)
{
	sqlite3_reset(st);
}

int sql_run(struct store *s, enum sql id, const char *fmt, ...)
{
	sqlite3_stmt *st;
	va_list ap;
	int e;

	va_start(ap, fmt);
	st = query(s, id, fmt, &ap);
	va_end(ap);
	if (!st)
		return -1;
	while ((e = sql_step(s, st)) > 0)
		;
	return e;
}

int sql_number(struct store *s, int64_t *out, enum sql id, const char *fmt, ...)
{
	sqlite3_stmt *st;
	va_list ap;
	int e;

	va_start(ap, fmt);
	st = query(s, id, fmt, &ap);
	va_end(ap);
	if (!st)
		return -1;
	e = sql_step(s, st);
	if (e <= 0)
		return e;
	int type = sqlite3_column_type(st, 0);
	*out = sqlite3_column_int64(st, 0);
	sql_end(st);
	if (type != SQLITE_INTEGER && type != SQLITE_NULL)
		return sql_damaged(s, "a number is none");
	return type != SQLITE_NULL;
}

int sql_u32(struct store *s, sqlite3_stmt *st, int column, uint32_t *out)
{
	int64_t n = sqlite3_column_int64(st, column);

	if (n < 0 || n > UINT32_MAX)
		return sql_damaged(s, "a row has %lld in the column '%s'", (long long)n, sqlite3_column_name(st, column));
	*out = (uint32_t)n;
	return 0;
}

int sql_hash(struct store *s, sqlite3_stmt *st, int column, struct hash128 *out)
{
	const void *p = sqlite3_column_blob(st, column);

	if (!p || sqlite3_column_bytes(st, column) != sizeof *out)
		return sql_damaged(s, "the hash in the column '%s' has %d bytes", sqlite3_column_name(st, column),
				   sqlite3_column_bytes(st, column));
	memcpy(out, p, sizeof *out);
	return 0;
}

const char *sql_text(sqlite3_stmt *st, int column)
{
	const char *p = (const char *)sqlite3_column_text(st, column);

	return p ? p : "";
}

/* -------------------------------------------------------------- transactions */

int store_begin(struct store *s)
{
	if (s->depth) {
		s->depth++;
		return 0;
	}
	if (sql_run(s, SQL_BEGIN, ""))
		return -1;
	s->depth = 1;
	return 0;
}

/* Words outlive it: the failure that led here is the one to tell. */
static void undo(struct store *s)
{
	char *keep = mem_strdup(error_text());

	if (!sqlite3_get_autocommit(s->db))
		sql_run(s, SQL_ROLLBACK, "");
	error_set("%s", keep);
	free(keep);
	free(s->failed);
	s->failed = NULL;
	s->depth = 0;
}

int store_commit(struct store *s)
{
	if (!s->depth)
		BUG("store_commit without store_begin");
	if (s->depth > 1) {
		s->depth--;
		return s->failed ? error_set("%s", s->failed) : 0;
	}
	if (!s->failed && !sql_run(s, SQL_COMMIT, "")) {
		s->depth = 0;
		return 0;
	}
	error_set("%s", s->failed);
	undo(s);
	return -1;
}

void store_rollback(struct store *s)
{
	if (s->depth > 1) {
		if (!s->failed)
			s->failed = mem_strdup("a part of the transaction was given up");
		s->depth--;
	} else if (s->depth) {
		undo(s);
	}
}

/* ------------------------------------------------------------------- opening */

/* A file of 0 bytes: SQLite takes it for a new one and removes its log, which may hold what the file had. */
static int look_empty(const char *path)
{
	char *wal = mem_printf("%s-wal", path);
	struct stat st;
	int e = 0;

	if (!stat(wal, &st) && st.st_size)
		e = error_set("the store '%s' was cut to 0 bytes; its log '%s' is still there: bring the store back from a copy, "
			      "or move both away and begin anew (-i with the old queue directory keeps its inputs)",
			      path, wal);
	free(wal);
	return e;
}

/* Everything that can be known without SQLite, which would wait at a pipe and make what is not
 * there. */
static int look(const char *path, enum store_mode mode, int *emptied)
{
	struct stat st;

	if (!stat(path, &st)) {
		if (S_ISDIR(st.st_mode))
			return error_set("'%s' is a directory: --store wants the name of a file",
					 path);
		if (!S_ISREG(st.st_mode))
			return error_set("'%s' is no plain file: --store wants the name of a file",
					 path);
		if (mode != STORE_READ_ONLY && access(path, W_OK))
			return error_errno(
			    "the store '%s' cannot be written (--store names another place)", path);
		*emptied = !st.st_size;
		return *emptied ? look_empty(path) : 0;
	}
	if (errno != ENOENT)
		return error_errno("cannot open the store '%s'", path);
	if (mode != STORE_CREATE)
		return error_set(
		    "there is no store '%s': 'muster test' and 'muster fuzz' make one; --store or -o names "
		    "another",
		    path);
	char *dir = file_dir(path);
	int e = file_mkdirs(dir);

	if (!e && access(dir, W_OK))
		e = error_errno("cannot make a store in '%s' (--store names another place)", dir);
	free(dir);
	return e;
}

/* A file in a directory that cannot be written has no place for the log. Where there is no
 * log (or an empty one) everything is in the file, and it can be read as it is. */
static char *frozen(const char *path)
{
	char *dir = file_dir(path), *wal = mem_printf("%s-wal", path);
	struct stat st;
	struct buf uri = BUF_EMPTY;

	if (access(dir, W_OK) && (stat(wal, &st) || !st.st_size)) {
		buf_adds(&uri, "file:");
		for (const unsigned char *p = (const unsigned char *)path; *p; p++)
			buf_addf(&uri, *p <= ' ' || *p > '~' || strchr("%?#", *p) ? "%%%02x" : "%c",
				 *p);
		buf_adds(&uri, "?immutable=1");
	}
	free(dir);
	free(wal);
	return uri.size ? buf_take(&uri) : NULL;
}

static int connect_file(struct store *s, enum store_mode mode)
{
	int flags = mode == STORE_CREATE     ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
		    : mode == STORE_EXISTING ? SQLITE_OPEN_READWRITE
					     : SQLITE_OPEN_READONLY;
	char *uri = mode == STORE_READ_ONLY ? frozen(s->path) : NULL;
	int rc =
	    sqlite3_open_v2(uri ? uri : s->path, &s->db, flags | (uri ? SQLITE_OPEN_URI : 0), NULL);

	free(uri);
	if (rc)
		return s->db ? sql_fail(s, rc) : error_set("no memory for the store '%s'", s->path);
	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_busy_timeout(s->db, BUSY_SECONDS * 1000);
	/* The file may come from another user: its schema must not run code of its own. */
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	return 0;
}

int store_open(struct store **out, const char *path, enum store_mode mode)
{
	struct store *s;
	int emptied = 0;

	*out = NULL;
	if (!*path)
		return error_set("the name of the store is empty");
	if (look(path, mode, &emptied))
		return -1;
	s = mem_zalloc(sizeof *s);
	s->emptied = emptied;
	/* Absolute: it outlives a change of directory, and no name has a meaning of its own
	 * (":memory:"). */
	s->path = file_absolute(path);
	if (connect_file(s, mode) || schema_open(s, mode)) {
		store_close(s);
		return -1;
	}
	*out = s;
	return 0;
}

void store_close(struct store *s)
{
	char *keep;

	if (!s)
		return;
	keep = mem_strdup(error_text());
	if (s->depth)
		undo(s);
	for (int i = 0; i < SQL_COUNT; i++)
		sqlite3_finalize(s->kept[i]);
	packing_free(s->packing);
	sqlite3_close(s->db);
	error_set("%s", keep);
	free(keep);
	free(s->failed);
	free(s->path);
	free(s);
}

const char *store_library(void)
{
	return "SQLite " SQLITE_VERSION;
}
