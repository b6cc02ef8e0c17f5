/* tests.c: tests and the frontier.
 *
 * A test is found by content (test_digest) before it is added, inside the same transaction, so that
 * several processes give each content one id. Ids of a campaign have no gaps: the number of tests
 * is the last id.
 *
 * The frontier is an order, not a list: for each stage that occurs (tally), the first free entry of
 * the index (campaign, stage, rank descending); the best of these is taken. Who holds what is a row
 * in lease, one for each holder, so taking writes one small row, giving back is removing it, and a
 * walk over the index passes at most as many held tests as there are holders. A test that is
 * updated to `done` leaves the frontier by its stage alone. Cost: stages * log(tests).
 */
#include "store/sqlite.h"

#include "base/error.h"
#include "base/vec.h"

#include <math.h>
#include <time.h>

#define KEY(campaign, id) SQL_INT((uint64_t)(campaign) << 32 | (uint32_t)(id))
#define ID_MAX UINT32_MAX
#define BATCH_TESTS 256
#define BATCH_BYTES (1 << 20)

/* SQLite keeps no NaN. What has no rank is last. */
static double rank_of(double rank)
{
	return isnan(rank) ? -INFINITY : rank;
}

static int insert(struct store *s, uint64_t campaign, int64_t key, const struct store_test *t)
{
	if (sql_run(s, SQL_TEST_ADD, "iihiiiiidiiidi", SQL_INT(campaign), key, t->digest,
		    SQL_INT(t->size), SQL_INT(t->parent), SQL_INT(t->origin), SQL_INT(t->path),
		    SQL_INT(t->run), isnan(t->found) ? 0.0 : t->found, SQL_INT(t->new_outcomes),
		    SQL_INT(t->flags), SQL_INT(t->stage), rank_of(t->rank), SQL_INT(t->bound)))
		return -1;
	if (sql_run(s, SQL_INPUT_ADD, "ib", key, t->data, t->size))
		return -1;
	return sql_run(s, SQL_TALLY_ADD, "iii", SQL_INT(campaign), SQL_INT(t->stage), SQL_INT(1));
}

/* Inside a transaction. */
static int add(struct store *s, uint64_t campaign, struct store_test *t)
{
	int64_t key = 0, last = 0;
	int known = sql_number(s, &key, SQL_TEST_FIND, "ih", SQL_INT(campaign), t->digest);

	if (known < 0)
		return -1;
	if (known) {
		t->id = key & ID_MAX;
		return 0;
	}
	if (sql_number(s, &last, SQL_TEST_LAST, "ii", KEY(campaign, 0), KEY(campaign, ID_MAX)) < 0)
		return -1;
	if ((last & ID_MAX) == ID_MAX)
		return error_set("the campaign has as many tests as the store can number");
	key = KEY(campaign, (last & ID_MAX) + 1);
	if (insert(s, campaign, key, t))
		return -1;
	t->id = key & ID_MAX;
	return 1;
}

int store_test_add(struct store *s, uint64_t campaign, struct store_test *t)
{
	int e;

	t->digest = hash128(t->size ? t->data : "", t->size);
	if (store_begin(s))
		return -1;
	e = add(s, campaign, t);
	return store_commit(s) ? -1 : e;
}

/* 0, or -1 with words: what no muster writes is not given to a search. */
static int row_to_test(struct store *s, sqlite3_stmt *st, struct store_test *t)
{
	*t = (struct store_test){
	    .id = sqlite3_column_int64(st, 0) & ID_MAX,
	    .size = sqlite3_column_int64(st, 2),
	    .parent = sqlite3_column_int64(st, 3),
	    .path = sqlite3_column_int64(st, 5),
	    .run = sqlite3_column_int64(st, 6),
	    .found = sqlite3_column_double(st, 7),
	    .rank = sqlite3_column_double(st, 11),
	    .bound = sqlite3_column_int64(st, 12),
	};
	if (!t->id || sqlite3_column_int64(st, 2) < 0)
		return sql_damaged(s, "a test has the number %llu and %lld bytes", (unsigned long long)t->id,
				   (long long)sqlite3_column_int64(st, 2));
	return sql_hash(s, st, 1, &t->digest) || sql_u32(s, st, 4, &t->origin) ||
		       sql_u32(s, st, 8, &t->new_outcomes) || sql_u32(s, st, 9, &t->flags) ||
		       sql_u32(s, st, 10, &t->stage)
		   ? -1
		   : 0;
}

static int get(struct store *s, int64_t key, struct store_test *t, struct buf *data)
{
	sqlite3_stmt *st = sql_query(s, SQL_TEST_GET, "i", key);
	int e = st ? sql_step(s, st) : -1;

	if (e <= 0)
		return e;
	e = row_to_test(s, st, t);
	sql_end(st);
	if (e)
		return -1;
	if (!data)
		return 1;
	buf_clear(data);
	st = sql_query(s, SQL_INPUT_GET, "i", key);
	e = st ? sql_step(s, st) : -1;
	if (e < 0)
		return -1;
	if (!e)
		return error_set(
		    "the input of test %llu is missing in the store '%s': it is damaged; move "
		    "it away and begin anew",
		    (unsigned long long)t->id, s->path);
	buf_add(data, sqlite3_column_bytes(st, 0) ? sqlite3_column_blob(st, 0) : "",
		sqlite3_column_bytes(st, 0));
	sql_end(st);
	t->data = buf_str(data);
	t->size = data->size;
	return 1;
}

int store_test_get(struct store *s, uint64_t campaign, uint64_t id, struct store_test *t,
		   struct buf *data)
{
	return id > ID_MAX ? 0 : get(s, KEY(campaign, id), t, data);
}

/* Inside a transaction. */
static int update(struct store *s, uint64_t campaign, uint64_t id, uint32_t stage, double rank,
		  uint32_t flags)
{
	int64_t old = 0;
	int e = id > ID_MAX ? 0 : sql_number(s, &old, SQL_TEST_STAGE, "i", KEY(campaign, id));

	if (e < 0)
		return -1;
	if (!e)
		return error_set("there is no test %llu in this campaign of the store '%s'",
				 (unsigned long long)id, s->path);
	if (sql_run(s, SQL_TEST_UPDATE, "iidi", KEY(campaign, id), SQL_INT(stage), rank_of(rank),
		    SQL_INT(flags)))
		return -1;
	if (old == stage)
		return 0;
	if (sql_run(s, SQL_TALLY_ADD, "iii", SQL_INT(campaign), old, SQL_INT(-1)))
		return -1;
	return sql_run(s, SQL_TALLY_ADD, "iii", SQL_INT(campaign), SQL_INT(stage), SQL_INT(1));
}

int store_test_update(struct store *s, uint64_t campaign, uint64_t id, uint32_t stage, double rank,
		      uint32_t flags)
{
	int e;

	if (store_begin(s))
		return -1;
	e = update(s, campaign, id, stage, rank, flags);
	return store_commit(s) ? -1 : e;
}

uint64_t store_test_count(struct store *s, uint64_t campaign)
{
	int64_t last = 0;

	sql_number(s, &last, SQL_TEST_LAST, "ii", KEY(campaign, 0), KEY(campaign, ID_MAX));
	return last & ID_MAX;
}

/* A test that no stage counts would be in no frontier, and a search would seem complete. */
int tests_are_counted(struct store *s, uint64_t campaign)
{
	int64_t wrong = 0;

	if (sql_number(s, &wrong, SQL_TALLY_WRONG, "iii", SQL_INT(campaign), KEY(campaign, 0), KEY(campaign, ID_MAX)) < 0)
		return -1;
	return wrong ? sql_damaged(s, "the number of tests is wrong by %lld", (long long)wrong) : 0;
}

/* Tests of a walk, copied out of the store: a callback may write, which a connection that is
 * reading at the same time cannot once another process has written. */
struct batch {
	VEC(struct store_test) tests;
	struct buf data; /* of all of them, one after the other */
};

static int fill(struct store *s, struct batch *b, int64_t after, int64_t last, int with_data)
{
	sqlite3_stmt *st =
	    sql_walk(s, with_data ? SQL_TEST_EACH_DATA : SQL_TEST_EACH, "ii", after, last);
	struct store_test t;
	int e;

	if (!st)
		return -1;
	vec_clear(&b->tests);
	buf_clear(&b->data);
	while ((e = sql_step(s, st)) > 0) {
		if ((e = row_to_test(s, st, &t)))
			break;
		if (with_data) {
			t.size = sqlite3_column_bytes(st, 13);
			if (t.size)
				buf_add(&b->data, sqlite3_column_blob(st, 13), t.size);
		}
		vec_push(&b->tests, t);
		if (b->tests.size == BATCH_TESTS || b->data.size > BATCH_BYTES)
			break;
	}
	sql_finish(st);
	return e < 0 ? -1 : 0;
}

int store_test_each(struct store *s, uint64_t campaign, uint64_t after, int with_data,
		    int (*f)(void *ctx, const struct store_test *t), void *ctx)
{
	struct batch b = {0};
	int e = 0, stop = 0;

	while (after < ID_MAX && !stop) {
		size_t at = 0;

		e = fill(s, &b, KEY(campaign, after), KEY(campaign, ID_MAX), with_data);
		if (e || !b.tests.size)
			break;
		if (vec_last(&b.tests).id <= after) { /* an index out of order would send the walk round for ever */
			e = sql_damaged(s, "test %llu comes after test %llu",
					(unsigned long long)vec_last(&b.tests).id, (unsigned long long)after);
			break;
		}
		after = vec_last(&b.tests).id;
		for (size_t i = 0; i < b.tests.size && !stop; i++) {
			struct store_test *t = &b.tests.data[i];

			if (with_data) {
				t->data = b.data.data ? b.data.data + at : "";
				at += t->size;
			}
			stop = f(ctx, t);
		}
	}
	vec_release(&b.tests);
	buf_release(&b.data);
	return stop < 0 ? -1 : e;
}

/* ------------------------------------------------------------------- frontier */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t); /* leases outlive processes and are read by others */
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* The best free test of all stages below done; 1, 0: none, -1. */
static int best(struct store *s, uint64_t campaign, uint32_t done, int64_t *key)
{
	int64_t stage = 0, last = 0;
	double rank = 0;
	int found = 0, e;

	for (;; stage++) {
		sqlite3_stmt *st;

		e = sql_number(s, &stage, SQL_TALLY_STAGES, "iii", SQL_INT(campaign), SQL_INT(done),
			       stage);
		if (e <= 0)
			return e < 0 ? -1 : found;
		if (stage < last) /* stages ascend, so the walk over them ends */
			return sql_damaged(s, "stage %lld comes after %lld", (long long)stage, (long long)last);
		last = stage;
		st = sql_query(s, SQL_FRONTIER_BEST, "ii", SQL_INT(campaign), stage);
		e = st ? sql_step(s, st) : -1;
		if (e < 0)
			return -1;
		if (!e)
			continue;
		int64_t k = sqlite3_column_int64(st, 0);
		double r = sqlite3_column_double(st, 1);

		if (!found || r > rank || (r == rank && k < *key)) {
			*key = k;
			rank = r;
			found = 1;
		}
		sql_end(st);
	}
}

static int take(struct store *s, uint64_t campaign, uint32_t holder, double seconds, uint32_t done,
		struct store_test *t, struct buf *data)
{
	double time = now();
	int64_t key;
	int e;

	if (sql_run(s, SQL_LEASE_EXPIRE, "iid", SQL_INT(campaign), SQL_INT(holder), time))
		return -1;
	e = best(s, campaign, done, &key);
	if (e <= 0)
		return e;
	if (sql_run(s, SQL_LEASE_ADD, "iiid", SQL_INT(campaign), SQL_INT(holder), key,
		    time + seconds))
		return -1;
	return get(s, key, t, data);
}

int store_frontier_take(struct store *s, uint64_t campaign, uint32_t holder, double seconds,
			uint32_t done, struct store_test *t, struct buf *data)
{
	int e;

	if (store_begin(s))
		return -1;
	e = take(s, campaign, holder, seconds, done, t, data);
	return store_commit(s) ? -1 : e;
}

int store_frontier_release(struct store *s, uint64_t campaign, uint32_t holder)
{
	return sql_run(s, SQL_LEASE_DROP, "ii", SQL_INT(campaign), SQL_INT(holder));
}

uint64_t store_frontier_count(struct store *s, uint64_t campaign, uint32_t done)
{
	int64_t n = 0;

	sql_number(s, &n, SQL_TALLY_SUM, "ii", SQL_INT(campaign), SQL_INT(done));
	return n;
}
