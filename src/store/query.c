/* query.c: the global query cache, bounded: rows are numbered as they come, and when there are more
 * than QUERY_ROWS the oldest numbers go. Numbers have no gaps (a known key keeps its own), so the
 * bound is an addition, not a count. Very large models are not kept: solving again is cheaper than
 * what they push out.
 */
#include "store/sqlite.h"

#define QUERY_ROWS (1 << 18)
#define QUERY_MODEL (1 << 20)

int store_query_get(struct store *s, struct hash128 key, int *verdict, struct buf *model)
{
	sqlite3_stmt *st = sql_query(s, SQL_QUERY_GET, "h", key);
	int e = st ? sql_step(s, st) : -1;

	if (model)
		buf_clear(model);
	if (e > 0) {
		*verdict = sqlite3_column_int(st, 0);
		if (model && sqlite3_column_bytes(st, 1))
			buf_add(model, sqlite3_column_blob(st, 1), sqlite3_column_bytes(st, 1));
		sql_end(st);
	}
	return e;
}

int store_query_put(struct store *s, struct hash128 key, int verdict, const void *model,
		    size_t size)
{
	int64_t last = 0;

	if (size > QUERY_MODEL)
		return 0;
	if (store_begin(s))
		return -1;
	if (!sql_run(s, SQL_QUERY_PUT, "hib", key, SQL_INT(verdict), model, size) &&
	    sql_number(s, &last, SQL_QUERY_LAST, "") > 0 && last > QUERY_ROWS)
		sql_run(s, SQL_QUERY_TRIM, "i", last - QUERY_ROWS);
	return store_commit(s);
}
