/* version.c: versions of programs with their records, what is known of their functions, and the results of commands.
 *
 * A version's key is the hash of its records' hashes, so the same build is the same version wherever it lies. A record is kept once,
 * compressed, however many versions have it: of a program that changes in one unit, only that unit is new. A store of an older schema that is
 * only read has none of this.
 */
#include "store/sqlite.h"

#include "base/error.h"

#include <time.h>
#include <zstd.h>

#define COMPRESSION_LEVEL 3	  /* bitcode and source in a record are compressed already */
#define RECORD_LIMIT (1ull << 31) /* bytes: a larger record is no record of muster's */

static const char *text(const char *s)
{
	return s ? s : "";
}

static struct hash128 key_of(const struct store_record *records, size_t count)
{
	struct hash128 key = hash128_str("version");

	for (size_t i = 0; i < count; i++)
		key = hash128_join(key, records[i].hash);
	return key;
}

/* Inside a transaction: its number. 0, -1. */
static int keep_record(struct store *s, const struct store_record *r, int64_t *id)
{
	int known = sql_number(s, id, SQL_RECORD_FIND, "h", r->hash);

	if (known)
		return known < 0 ? -1 : 0;
	struct buf packed = BUF_EMPTY;
	buf_reserve(&packed, ZSTD_compressBound(r->size));
	size_t n = ZSTD_compress(packed.data, packed.cap, r->data, r->size, COMPRESSION_LEVEL);
	int e = ZSTD_isError(n) ? error_set("cannot compress: %s", ZSTD_getErrorName(n))
				: sql_run(s, SQL_RECORD_ADD, "hib", r->hash, SQL_INT(r->size), packed.data, n);
	*id = sqlite3_last_insert_rowid(s->db);
	buf_release(&packed);
	return e;
}

static int add(struct store *s, struct hash128 key, const char *program, const struct store_record *records, size_t count, int64_t *id)
{
	if (sql_run(s, SQL_VERSION_ADD, "hsi", key, program, SQL_INT(time(NULL))))
		return -1;
	*id = sqlite3_last_insert_rowid(s->db);
	for (size_t i = 0; i < count; i++) {
		int64_t record;

		if (keep_record(s, &records[i], &record) ||
		    sql_run(s, SQL_VERSION_RECORD_ADD, "iii", *id, SQL_INT(i), record))
			return -1;
	}
	return 1;
}

int store_version_add(struct store *s, const char *program, const struct store_record *records, size_t count, uint64_t *id)
{
	struct hash128 key = key_of(records, count);
	int64_t found = 0;

	if (store_begin(s))
		return -1;
	int e = sql_number(s, &found, SQL_VERSION_FIND, "h", key);
	e = e < 0 ? -1 : e ? 0 : add(s, key, text(program), records, count, &found);
	if (e < 0) {
		store_rollback(s);
		return -1;
	}
	*id = (uint64_t)found;
	return store_commit(s) ? -1 : e;
}

static int measure(struct store *s, struct store_version *v)
{
	sqlite3_stmt *st = sql_query(s, SQL_VERSION_SIZE, "i", SQL_INT(v->id));
	int e = st ? sql_step(s, st) : -1;

	if (e <= 0)
		return -1;
	v->records = (uint64_t)sqlite3_column_int64(st, 0);
	v->bytes = (uint64_t)sqlite3_column_int64(st, 1);
	sql_end(st);
	return 0;
}

int store_version_each(struct store *s, int (*f)(void *ctx, const struct store_version *v), void *ctx)
{
	sqlite3_stmt *st = s->version < 2 ? NULL : sql_walk(s, SQL_VERSION_EACH, "");
	int e = 0, stop = 0;

	if (!st)
		return s->version < 2 ? 0 : -1;
	while (!stop && (e = sql_step(s, st)) > 0) {
		struct store_version v = {.id = (uint64_t)sqlite3_column_int64(st, 0), .program = sql_text(st, 2), .seen = sqlite3_column_int64(st, 3)};

		if (sql_hash(s, st, 1, &v.key) || measure(s, &v)) {
			e = -1;
			break;
		}
		stop = f(ctx, &v);
	}
	sql_finish(st);
	return e < 0 || stop < 0 ? -1 : 0;
}

/* A record's bytes, whose hash says that they are what was kept. */
static int unpack(struct store *s, sqlite3_stmt *st, struct buf *out, struct store_record *r)
{
	int64_t size = sqlite3_column_int64(st, 1);

	if (sql_hash(s, st, 0, &r->hash))
		return -1;
	if (size < 0 || size > (int64_t)RECORD_LIMIT ||
	    ZSTD_getFrameContentSize(sqlite3_column_blob(st, 2), (size_t)sqlite3_column_bytes(st, 2)) != (unsigned long long)size)
		return sql_damaged(s, "a record has not %lld bytes", (long long)size);
	buf_clear(out);
	buf_reserve(out, (size_t)size + 1);
	size_t n = ZSTD_decompress(out->data, (size_t)size, sqlite3_column_blob(st, 2), (size_t)sqlite3_column_bytes(st, 2));
	if (ZSTD_isError(n) || n != (size_t)size)
		return sql_damaged(s, "a record cannot be unpacked");
	struct hash128 have = hash128(out->data, n);
	if (have.a != r->hash.a || have.b != r->hash.b)
		return sql_damaged(s, "a record has changed");
	r->data = out->data;
	r->size = n;
	return 0;
}

int store_version_records(struct store *s, uint64_t version, int (*f)(void *ctx, const struct store_record *r), void *ctx)
{
	sqlite3_stmt *st = s->version < 2 ? NULL : sql_walk(s, SQL_VERSION_RECORDS, "i", SQL_INT(version));
	struct buf bytes = BUF_EMPTY;
	int e = 0, stop = 0;

	if (!st)
		return s->version < 2 ? 0 : -1;
	while (!stop && (e = sql_step(s, st)) > 0) {
		struct store_record r;

		if (unpack(s, st, &bytes, &r)) {
			e = -1;
			break;
		}
		stop = f(ctx, &r);
	}
	sql_finish(st);
	buf_release(&bytes);
	return e < 0 || stop < 0 ? -1 : 0;
}

/* ---------------------------------------------------------------- functions */

int store_function_put(struct store *s, uint64_t version, const struct result_function *f)
{
	return sql_run(s, SQL_FUNCTION_PUT, "ississiiiissii", SQL_INT(version), text(f->file), text(f->name), SQL_INT(f->line), text(f->verdict),
		       text(f->why), SQL_INT(f->covered), SQL_INT(f->total), SQL_INT(f->tests), SQL_INT(f->bugs), text(f->losses), text(f->limits), SQL_INT(f->machine), SQL_INT(f->run));
}

int store_function_each(struct store *s, uint64_t version, int (*f)(void *ctx, const struct result_function *r), void *ctx)
{
	sqlite3_stmt *st = s->version < 2 ? NULL : sql_walk(s, SQL_FUNCTION_EACH, "i", SQL_INT(version));
	int e = 0, stop = 0;

	if (!st)
		return s->version < 2 ? 0 : -1;
	while (!stop && (e = sql_step(s, st)) > 0) {
		struct result_function r = {.file = sql_text(st, 0), .name = sql_text(st, 1), .verdict = sql_text(st, 3),
					    .covered = (uint64_t)sqlite3_column_int64(st, 5), .total = (uint64_t)sqlite3_column_int64(st, 6),
					    .tests = (uint64_t)sqlite3_column_int64(st, 7), .bugs = (uint64_t)sqlite3_column_int64(st, 8),
					    .losses = sql_text(st, 9), .limits = sql_text(st, 10),
					    .machine = (uint64_t)sqlite3_column_int64(st, 11), .run = (uint64_t)sqlite3_column_int64(st, 12)};

		r.why = *sql_text(st, 4) ? sql_text(st, 4) : NULL;
		if (sql_u32(s, st, 2, &r.line)) {
			e = -1;
			break;
		}
		stop = f(ctx, &r);
	}
	sql_finish(st);
	return e < 0 || stop < 0 ? -1 : 0;
}

/* ------------------------------------------------------------------ results */

int store_result_add(struct store *s, struct store_result *r)
{
	int64_t machine = 0, last = 0;

	if (store_begin(s))
		return -1;
	int e = sql_number(s, &machine, SQL_MACHINE, "");
	if (!e)
		e = sql_damaged(s, "it has no number of its machine");
	if (e > 0)
		e = sql_number(s, &last, SQL_RESULT_LAST, "i", machine);
	if (e >= 0 && last == INT64_MAX)
		e = sql_damaged(s, "no result can follow the last one");
	r->machine = (uint64_t)machine;
	r->number = (uint64_t)last + 1;
	if (e < 0 || sql_run(s, SQL_RESULT_ADD, "iiiissidiiiiis", machine, last + 1, SQL_INT(r->version), SQL_INT(r->campaign), text(r->command),
			     text(r->status), SQL_INT(r->time), r->seconds, SQL_INT(r->covered), SQL_INT(r->total), SQL_INT(r->tests),
			     SQL_INT(r->bugs), SQL_INT(r->suspected), text(r->scope))) {
		store_rollback(s);
		return -1;
	}
	return store_commit(s);
}

int store_result_each(struct store *s, uint64_t version, int (*f)(void *ctx, const struct store_result *r), void *ctx)
{
	sqlite3_stmt *st = s->version < 2 ? NULL : sql_walk(s, SQL_RESULT_EACH, "i", SQL_INT(version));
	int e = 0, stop = 0;

	if (!st)
		return s->version < 2 ? 0 : -1;
	while (!stop && (e = sql_step(s, st)) > 0) {
		struct store_result r = {.command = sql_text(st, 4), .status = sql_text(st, 5), .time = sqlite3_column_int64(st, 6), .seconds = sqlite3_column_double(st, 7), .scope = sql_text(st, 13)};
		uint64_t *const numbers[] = {&r.machine, &r.number, &r.version, &r.campaign, NULL, NULL, NULL, NULL, &r.covered, &r.total, &r.tests, &r.bugs, &r.suspected};

		for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++)
			if (numbers[i])
				*numbers[i] = (uint64_t)sqlite3_column_int64(st, i);
		stop = f(ctx, &r);
	}
	sql_finish(st);
	return e < 0 || stop < 0 ? -1 : 0;
}
