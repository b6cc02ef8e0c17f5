/* campaign.c: the campaigns of a store and the small values that a resumed search needs. */
#include "store/sqlite.h"

#include "base/error.h"

#include <stdio.h>
#include <time.h>

/* Somebody who goes back to an older version of a program wants to see what is found in that one: the newest campaign is the one used last. */
int store_campaign_use(struct store *s, uint64_t campaign)
{
	struct timespec now;
	char text[24];

	clock_gettime(CLOCK_REALTIME, &now);
	int n = snprintf(text, sizeof text, "%lld", (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
	return store_value_set(s, campaign, "used", text, (size_t)n);
}

int store_campaign(struct store *s, struct hash128 key, const char *program, const char *command,
		   uint64_t *id, int *fresh)
{
	int64_t found = 0;
	int e = sql_number(s, &found, SQL_CAMPAIGN_FIND, "h", key);

	*fresh = 0;
	if (!e) { /* again, where no other process can make it at the same time */
		if (store_begin(s))
			return -1;
		e = sql_number(s, &found, SQL_CAMPAIGN_FIND, "h", key);
		if (!e && !sql_run(s, SQL_CAMPAIGN_ADD, "hss", key, program ? program : "",
				   command ? command : "")) {
			found = sqlite3_last_insert_rowid(s->db);
			*fresh = 1;
		}
		if (store_commit(s))
			return -1;
	}
	*id = found;
	return e < 0 || store_campaign_use(s, *id) || tests_are_counted(s, *id) ? -1 : 0;
}

int store_campaign_each(struct store *s,
			int (*f)(void *ctx, uint64_t id, struct hash128 key, const char *program,
				 const char *command),
			void *ctx)
{
	sqlite3_stmt *st = sql_walk(s, SQL_CAMPAIGN_EACH, "");
	struct hash128 key;
	int e, stop = 0;

	if (!st)
		return -1;
	while (!stop && (e = sql_step(s, st)) > 0) {
		if (sql_hash(s, st, 1, &key)) {
			e = -1;
			break;
		}
		stop = f(ctx, sqlite3_column_int64(st, 0), key, sql_text(st, 2), sql_text(st, 3));
	}
	sql_finish(st);
	return e < 0 || stop < 0 ? -1 : 0;
}

int store_value_set(struct store *s, uint64_t campaign, const char *name, const void *data,
		    size_t size)
{
	return sql_run(s, SQL_VALUE_SET, "isb", SQL_INT(campaign), name, data, size);
}

int store_value_get(struct store *s, uint64_t campaign, const char *name, struct buf *out)
{
	sqlite3_stmt *st = sql_query(s, SQL_VALUE_GET, "is", SQL_INT(campaign), name);
	int e = st ? sql_step(s, st) : -1;

	buf_clear(out);
	if (e > 0) {
		const void *p = sqlite3_column_blob(st, 0);

		if (p)
			buf_add(out, p, sqlite3_column_bytes(st, 0));
		sql_end(st);
	}
	return e;
}
