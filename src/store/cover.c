/* cover.c: which outcomes of which decisions a campaign has covered, and by which test first. Masks
 * only gain bits. */
#include "store/sqlite.h"

int store_cover_add(struct store *s, uint64_t campaign, uint32_t unit, uint32_t outcome,
		    uint8_t mask, uint64_t test)
{
	return sql_run(s, SQL_COVER_ADD, "iiiii", SQL_INT(campaign), SQL_INT(unit),
		       SQL_INT(outcome), SQL_INT(mask), SQL_INT(test));
}

int store_cover_clear(struct store *s, uint64_t campaign)
{
	return sql_run(s, SQL_COVER_CLEAR, "i", SQL_INT(campaign));
}

int store_cover_each(struct store *s, uint64_t campaign,
		     int (*f)(void *ctx, uint32_t unit, uint32_t outcome, uint8_t mask,
			      uint64_t first_test),
		     void *ctx)
{
	sqlite3_stmt *st = sql_walk(s, SQL_COVER_EACH, "i", SQL_INT(campaign));
	uint32_t unit, outcome, mask;
	int e, stop = 0;

	if (!st)
		return -1;
	while (!stop && (e = sql_step(s, st)) > 0) {
		if (sql_u32(s, st, 0, &unit) || sql_u32(s, st, 1, &outcome) || sql_u32(s, st, 2, &mask)) {
			e = -1;
			break;
		}
		stop = f(ctx, unit, outcome, (uint8_t)mask, sqlite3_column_int64(st, 3));
	}
	sql_finish(st);
	return e < 0 || stop < 0 ? -1 : 0;
}
