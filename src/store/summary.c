/* summary.c: must summaries, each with its function, and the graph of consecutive ones.
 *
 * A summary's key is a hash of what it says (not of the test that witnesses it): the same summary from two machines, or found twice, is one.
 */
#include "store/pack.h"
#include "store/sqlite.h"

int store_symbol(struct store *s, struct hash128 unit, const char *name, uint64_t *id)
{
	int64_t found = 0;
	int e = sql_number(s, &found, SQL_SYMBOL_FIND, "hs", unit, name);

	if (!e) { /* again, where no other process can make it at the same time */
		if (store_begin(s))
			return -1;
		e = sql_number(s, &found, SQL_SYMBOL_FIND, "hs", unit, name);
		if (!e && !sql_run(s, SQL_SYMBOL_ADD, "hs", unit, name))
			found = sqlite3_last_insert_rowid(s->db);
		if (store_commit(s))
			return -1;
	}
	*id = (uint64_t)found;
	return e < 0 ? -1 : 0;
}

/* Symbols' numbers are of this store alone, so their names count. */
static int key_of(struct store *s, const struct store_summary *m, struct hash128 *key, struct hash128 *start_unit)
{
	const uint64_t symbols[] = {m->function, m->end_function};
	const uint64_t numbers[] = {(uint64_t)m->kind, m->start, m->end};
	struct hash128 unit;

	*key = hash128(numbers, sizeof numbers);
	for (int i = 0; i < 2; i++) {
		sqlite3_stmt *st = sql_query(s, SQL_SYMBOL_GET, "i", SQL_INT(symbols[i]));
		int e = st ? sql_step(s, st) : -1;

		if (!e)
			return sql_damaged(s, "there is no symbol %llu", (unsigned long long)symbols[i]);
		if (e < 0 || sql_hash(s, st, 0, &unit))
			return -1;
		*key = hash128_join(hash128_join(*key, unit), hash128_str(sql_text(st, 1)));
		sql_end(st);
		if (!i)
			*start_unit = unit;
	}
	*key = hash128_join(hash128_join(*key, hash128(m->pre, m->pre_size)), hash128(m->post, m->post_size));
	*key = hash128_join(hash128_join(*key, hash128(m->support, m->support_size)), hash128_str(m->partial));
	return 0;
}

int store_summary_add(struct store *s, struct store_summary *m)
{
	struct buf packed = BUF_EMPTY;
	struct hash128 unit = {0};
	int base = 0;

	if (key_of(s, m, &m->key, &unit) || store_begin(s))
		return -1;
	int how = pack_summary(s, unit, m, &packed, &base), kind = (int)m->kind | (base ? BASE_KIND : 0);
	int e = how < 0 ? -1
		: how ? sql_run(s, SQL_SUMMARY_ADD, "ihiiiibbshb", SQL_INT(m->function), m->key, SQL_INT(kind | PACK_KIND), SQL_INT(m->start), SQL_INT(m->end_function),
				SQL_INT(m->end), packed.data, packed.size, "", (size_t)0, m->partial, m->test, "", (size_t)0)
		      : sql_run(s, SQL_SUMMARY_ADD, "ihiiiibbshb", SQL_INT(m->function), m->key, SQL_INT(kind), SQL_INT(m->start), SQL_INT(m->end_function),
				SQL_INT(m->end), m->pre, m->pre_size, m->post, m->post_size, m->partial, m->test, m->support, m->support_size);
	buf_release(&packed);
	if (e) {
		pack_forget(s);
		store_rollback(s);
		return -1;
	}
	return store_commit(s);
}

int store_summary_clear(struct store *s, uint64_t function)
{
	pack_forget(s);
	return sql_run(s, SQL_SUMMARY_CLEAR, "i", SQL_INT(function));
}

int store_symbol_each(struct store *s, struct hash128 unit, int (*f)(void *ctx, uint64_t id, const char *name), void *ctx)
{
	sqlite3_stmt *st = s->version < 2 ? NULL : sql_walk(s, SQL_SYMBOL_EACH, "h", unit);
	int e = 0, stop = 0;

	if (!st)
		return s->version < 2 ? 0 : -1;
	while (!stop && (e = sql_step(s, st)) > 0)
		stop = f(ctx, (uint64_t)sqlite3_column_int64(st, 0), sql_text(st, 1));
	sql_finish(st);
	return e < 0 || stop < 0 ? -1 : 0;
}

/* 1; 0: there is no such symbol; -1. */
static int unit_of_symbol(struct store *s, uint64_t symbol, struct hash128 *unit)
{
	sqlite3_stmt *st = sql_query(s, SQL_SYMBOL_GET, "i", SQL_INT(symbol));
	int e = st ? sql_step(s, st) : -1;

	if (e > 0) {
		e = sql_hash(s, st, 0, unit) ? -1 : 1;
		sql_end(st);
	}
	return e;
}

static const void *blob(sqlite3_stmt *st, int column, size_t *size)
{
	*size = (size_t)sqlite3_column_bytes(st, column);
	return *size ? sqlite3_column_blob(st, column) : "";
}

static int row_to_summary(struct store *s, sqlite3_stmt *st, struct hash128 unit, struct store_summary *m, struct buf *unpacked)
{
	int64_t kind = sqlite3_column_int64(st, 1);
	int bits = kind >= 0 && kind < 8 ? (int)kind & (PACK_KIND | BASE_KIND) : 0;

	kind -= bits;
	if (kind != STORE_SUMMARY_FUNCTION && kind != STORE_SUMMARY_SEGMENT)
		return sql_damaged(s, "a summary has the kind %lld", (long long)kind);
	m->kind = (enum store_summary_kind)kind;
	m->end_function = (uint64_t)sqlite3_column_int64(st, 3);
	m->pre = blob(st, 5, &m->pre_size);
	m->post = blob(st, 6, &m->post_size);
	m->partial = sql_text(st, 7);
	m->support = blob(st, 9, &m->support_size);
	if (bits & PACK_KIND && unpack_summary(s, unit, bits & BASE_KIND, m, unpacked))
		return -1;
	return sql_hash(s, st, 0, &m->key) || sql_u32(s, st, 2, &m->start) || sql_u32(s, st, 4, &m->end) || sql_hash(s, st, 8, &m->test) ? -1 : 0;
}

int store_summary_each(struct store *s, uint64_t function, int (*f)(void *ctx, const struct store_summary *m), void *ctx)
{
	sqlite3_stmt *st = s->version < 2 ? NULL : sql_walk(s, SQL_SUMMARY_EACH, "i", SQL_INT(function));
	struct buf unpacked = BUF_EMPTY;
	struct hash128 unit = {0};
	int e = 0, stop = 0;

	if (!st)
		return s->version < 2 ? 0 : -1;
	pack_forget(s); /* another process may have written */
	if (unit_of_symbol(s, function, &unit) < 0) {
		sql_finish(st);
		return -1;
	}
	while (!stop && (e = sql_step(s, st)) > 0) {
		struct store_summary m = {.function = function};

		if (row_to_summary(s, st, unit, &m, &unpacked)) {
			e = -1;
			break;
		}
		stop = f(ctx, &m);
	}
	buf_release(&unpacked);
	sql_finish(st);
	return e < 0 || stop < 0 ? -1 : 0;
}

int store_edge_add(struct store *s, struct hash128 before, struct hash128 after)
{
	return sql_run(s, SQL_EDGE_ADD, "hh", before, after);
}

int store_edge_each(struct store *s, struct hash128 before, int (*f)(void *ctx, struct hash128 after), void *ctx)
{
	sqlite3_stmt *st = s->version < 2 ? NULL : sql_walk(s, SQL_EDGE_EACH, "h", before);
	struct hash128 after;
	int e = 0, stop = 0;

	if (!st)
		return s->version < 2 ? 0 : -1;
	while (!stop && (e = sql_step(s, st)) > 0) {
		if (sql_hash(s, st, 0, &after)) {
			e = -1;
			break;
		}
		stop = f(ctx, after);
	}
	sql_finish(st);
	return e < 0 || stop < 0 ? -1 : 0;
}
