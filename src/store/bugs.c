/* bugs.c: bugs, one for each bucket of a campaign.
 *
 * bug_test remembers which tests fell into a bucket: a search that is resumed after a kill and
 * tells the same crash again does not count it twice.
 */
#include "store/sqlite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STORE_BUG_DETAIL "%s %016" PRIx64

static const char *text(const char *s)
{
	return s ? s : "";
}

/* What only a report shows: values of the campaign, by the bucket. */
static int detail(struct store *s, uint64_t campaign, const char *what, uint64_t bucket, const char *value)
{
	char name[40];

	if (!value)
		return 0;
	snprintf(name, sizeof name, STORE_BUG_DETAIL, what, bucket);
	return store_value_set(s, campaign, name, value, strlen(value));
}

static int details(struct store *s, uint64_t campaign, const struct result_bug *b)
{
	return detail(s, campaign, "path", b->bucket, b->path) || detail(s, campaign, "call", b->bucket, b->call) ? -1 : 0;
}

int store_bug_detail(struct store *s, uint64_t campaign, const char *what, uint64_t bucket, struct buf *out)
{
	char name[40];

	snprintf(name, sizeof name, STORE_BUG_DETAIL, what, bucket);
	return store_value_get(s, campaign, name, out);
}

/* Inside a transaction. */
static int insert(struct store *s, uint64_t campaign, struct result_bug *b)
{
	int64_t last = 0;

	if (sql_number(s, &last, SQL_BUG_LAST, "i", SQL_INT(campaign)) < 0)
		return -1;
	if (last < 0 || last == INT64_MAX)
		return sql_damaged(s, "the last bug has the number %lld", (long long)last);
	b->id = last + 1;
	b->count = 1;
	if (sql_run(s, SQL_BUG_ADD, "iiisssiiisssb", SQL_INT(campaign), SQL_INT(b->id),
		    SQL_INT(b->bucket), text(b->kind), text(b->function), text(b->file),
		    SQL_INT(b->line), SQL_INT(b->confirmed), SQL_INT(b->test), text(b->summary),
		    text(b->report), text(b->input_file), b->data, b->size) ||
	    details(s, campaign, b))
		return -1;
	return 1;
}

static int add(struct store *s, uint64_t campaign, struct result_bug *b)
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

int store_bug_add(struct store *s, uint64_t campaign, struct result_bug *b)
{
	int e;

	if (store_begin(s))
		return -1;
	e = add(s, campaign, b);
	return store_commit(s) ? -1 : e;
}

int store_bug_update(struct store *s, uint64_t campaign, const struct result_bug *b)
{
	return sql_run(s, SQL_BUG_UPDATE, "iiisssB", SQL_INT(campaign), SQL_INT(b->bucket),
		       SQL_INT(b->confirmed), b->summary, b->report, b->input_file, b->data,
		       b->size) ||
			       details(s, campaign, b)
		   ? -1
		   : 0;
}

/* The bug of a row, with all that it points to copied into b: a callback may write (see tests.c).
 */
static int row_to_bug(struct store *s, sqlite3_stmt *st, struct buf *b, struct result_bug *out)
{
	static const int texts[] = {2, 3, 4, 8, 9, 10};
	size_t at[6];

	buf_clear(b);
	for (int i = 0; i < 6; i++) {
		at[i] = b->size;
		buf_adds(b, sql_text(st, texts[i]));
		buf_addc(b, 0);
	}
	size_t size = sqlite3_column_bytes(st, 12), data = b->size;

	if (size)
		buf_add(b, sqlite3_column_blob(st, 12), size);
	*out = (struct result_bug){
	    .id = sqlite3_column_int64(st, 0),
	    .bucket = sqlite3_column_int64(st, 1),
	    .kind = b->data + at[0],
	    .function = b->data + at[1],
	    .file = b->data + at[2],
	    .confirmed = sqlite3_column_int(st, 6),
	    .test = sqlite3_column_int64(st, 7),
	    .summary = b->data + at[3],
	    .report = b->data + at[4],
	    .input_file = b->data + at[5],
	    .count = sqlite3_column_int64(st, 11),
	    .data = b->data + data,
	    .size = size,
	};
	return sql_u32(s, st, 5, &out->line);
}

int store_bug_each(struct store *s, uint64_t campaign,
		   int (*f)(void *ctx, const struct result_bug *b), void *ctx)
{
	struct buf copy = BUF_EMPTY;
	struct result_bug b = {0};
	uint64_t last = 0;
	int e, stop = 0;

	do {
		sqlite3_stmt *st = sql_query(s, SQL_BUG_NEXT, "ii", SQL_INT(campaign), SQL_INT(last));

		e = st ? sql_step(s, st) : -1;
		if (e <= 0)
			break;
		if (row_to_bug(s, st, &copy, &b))
			e = -1;
		else if ((int64_t)b.id <= (int64_t)last) /* or the walk would go round for ever */
			e = sql_damaged(s, "bug %llu comes after bug %llu", (unsigned long long)b.id,
					(unsigned long long)last);
		last = b.id;
		sql_end(st);
		if (e > 0)
			stop = f(ctx, &b);
	} while (e > 0 && !stop);
	buf_release(&copy);
	return e < 0 || stop < 0 ? -1 : 0;
}
