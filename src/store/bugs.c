/* bugs.c: bugs, one for each bucket of a campaign.
 *
 * bug_test remembers which tests fell into a bucket: a search that is resumed after a kill and
 * tells the same crash again does not count it twice.
 */
#include "store/sqlite.h"

static const char *text(const char *s)
{
	return s ? s : "";
}

/* Inside a transaction. */
static int insert(struct store *s, uint64_t campaign, struct store_bug *b)
{
	int64_t last = 0;

	if (sql_number(s, &last, SQL_BUG_LAST, "i", SQL_INT(campaign)) < 0)
		return -1;
	b->id = last + 1;
	b->count = 1;
	if (sql_run(s, SQL_BUG_ADD, "iiisssiiisssb", SQL_INT(campaign), SQL_INT(b->id),
		    SQL_INT(b->bucket), text(b->kind), text(b->function), text(b->file),
		    SQL_INT(b->line), SQL_INT(b->confirmed), SQL_INT(b->test), text(b->summary),
		    text(b->report), text(b->input_file), b->data, b->size))
		return -1;
	return 1;
}

static int add(struct store *s, uint64_t campaign, struct store_bug *b)
{
	int64_t id = 0;
	int known = sql_number(s, &id, SQL_BUG_FIND, "ii", SQL_INT(campaign), SQL_INT(b->bucket)),
	    fresh = 1;

	if (known < 0)
		return -1;
	if (b->test) { /* 0: not known which, so it always counts */
		if (sql_run(s, SQL_BUG_HIT, "iii", SQL_INT(campaign), SQL_INT(b->bucket),
			    SQL_INT(b->test)))
			return -1;
		fresh = sqlite3_changes(s->db);
	}
	if (!known)
		return insert(s, campaign, b);
	b->id = id;
	if (fresh && sql_run(s, SQL_BUG_COUNT, "ii", SQL_INT(campaign), SQL_INT(b->bucket)))
		return -1;
	return 0;
}

int store_bug_add(struct store *s, uint64_t campaign, struct store_bug *b)
{
	int e;

	if (store_begin(s))
		return -1;
	e = add(s, campaign, b);
	return store_commit(s) ? -1 : e;
}

int store_bug_update(struct store *s, uint64_t campaign, const struct store_bug *b)
{
	return sql_run(s, SQL_BUG_UPDATE, "iiisssB", SQL_INT(campaign), SQL_INT(b->bucket),
		       SQL_INT(b->confirmed), b->summary, b->report, b->input_file, b->data,
		       b->size);
}

int store_bug_each(struct store *s, uint64_t campaign,
		   int (*f)(void *ctx, const struct store_bug *b), void *ctx)
{
	sqlite3_stmt *st = sql_walk(s, SQL_BUG_EACH, "i", SQL_INT(campaign));
	int e;

	if (!st)
		return -1;
	while ((e = sql_step(s, st)) > 0) {
		struct store_bug b = {
		    .id = sqlite3_column_int64(st, 0),
		    .bucket = sqlite3_column_int64(st, 1),
		    .kind = sql_text(st, 2),
		    .function = sql_text(st, 3),
		    .file = sql_text(st, 4),
		    .line = sqlite3_column_int64(st, 5),
		    .confirmed = sqlite3_column_int(st, 6),
		    .test = sqlite3_column_int64(st, 7),
		    .summary = sql_text(st, 8),
		    .report = sql_text(st, 9),
		    .input_file = sql_text(st, 10),
		    .count = sqlite3_column_int64(st, 11),
		    .size = sqlite3_column_bytes(st, 12),
		};

		b.data = b.size ? sqlite3_column_blob(st, 12) : "";
		if (f(ctx, &b))
			break;
	}
	sql_finish(st);
	return e < 0 ? -1 : 0;
}
