/* test_store.c: the store: contents, frontier, transactions, and every way a file can be wrong. */
#include "store/store.h"
#include "base/file.h"
#include "base/log.h"
#include "store_kill.h"
#include "timing.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

static char *dir;

static char *place(const char *name)
{
	return file_join(dir, name);
}

static struct store *open_new(const char *name)
{
	char *path = place(name);
	struct store *s;

	if (store_open(&s, path, STORE_CREATE))
		fail_msg("%s", error_text());
	free(path);
	return s;
}

static uint64_t campaign_of(struct store *s, const char *name)
{
	uint64_t id;
	int fresh;

	assert_int_equal(store_campaign(s, hash128_str(name), "prog", "prog @@", &id, &fresh), 0);
	return id;
}

static int add(struct store *s, uint64_t c, const char *text, uint32_t stage, double rank,
	       uint64_t *id)
{
	struct store_test t = {.data = text, .size = strlen(text), .stage = stage, .rank = rank};
	int e = store_test_add(s, c, &t);

	if (id)
		*id = t.id;
	return e;
}

static void assert_clean(struct store *s)
{
	struct buf problems = BUF_EMPTY;
	int e = store_check(s, &problems);

	if (e)
		fail_msg("%d %s", e, e < 0 ? error_text() : buf_str(&problems));
	buf_release(&problems);
}

static void assert_words(const char *part)
{
	if (!strstr(error_text(), part))
		fail_msg("no '%s' in: %s", part, error_text());
}

/* Opening must fail with these words and leave the file as it was. */
static void refused(const char *path, enum store_mode mode, const char *part)
{
	struct buf before = BUF_EMPTY, after = BUF_EMPTY;
	int regular = file_is_regular(path);
	struct store *s = (void *)1;

	if (regular && !access(path, R_OK))
		assert_int_equal(file_read(path, &before), 0);
	assert_int_equal(store_open(&s, path, mode), -1);
	assert_null(s);
	assert_words(part);
	assert_words(path);
	if (regular && !access(path, R_OK))
		assert_int_equal(file_read(path, &after), 0);
	assert_int_equal(before.size, after.size);
	if (before.size)
		assert_memory_equal(before.data, after.data, after.size);
	buf_release(&before);
	buf_release(&after);
}

/* ------------------------------------------------------------------ contents */

static void tests_are_kept_once(void **state)
{
	struct store *s = open_new("once.db");
	uint64_t c = campaign_of(s, "a"), other = campaign_of(s, "b"), id;
	struct store_test t = {.data = "a\0b",
			       .size = 3,
			       .parent = 0,
			       .origin = 2,
			       .path = ~0ull,
			       .run = 1ull << 63,
			       .found = 1.5,
			       .new_outcomes = 7,
			       .flags = ~0u,
			       .stage = 1,
			       .rank = 2.5,
			       .bound = ~0ull - 1},
			  u;
	struct buf b = BUF_EMPTY;

	(void)state;
	assert_true(c != other);
	assert_int_equal(campaign_of(s, "a"), c);
	assert_int_equal(store_test_add(s, c, &t), 1);
	assert_int_equal(t.id, 1);
	assert_int_equal(store_test_add(s, c, &t), 0);
	assert_int_equal(add(s, c, "", 0, 0, &id), 1);
	assert_int_equal(id, 2);
	assert_int_equal(add(s, c, "a", 0, NAN, &id), 1);
	assert_int_equal(id, 3);
	assert_int_equal(add(s, c, "", 0, 0, &id), 0);
	assert_int_equal(id, 2);
	assert_int_equal(add(s, other, "a", 0, 0, &id), 1);
	assert_int_equal(id, 1);
	assert_int_equal(store_test_count(s, c), 3);
	assert_int_equal(store_test_count(s, other), 1);
	assert_int_equal(store_test_count(s, 99), 0);
	store_close(s);

	s = open_new("once.db");
	assert_int_equal(store_test_get(s, c, 1, &u, &b), 1);
	assert_int_equal(u.size, 3);
	assert_memory_equal(u.data, "a\0b", 3);
	t.data = u.data; /* the rest must be equal to the byte */
	assert_memory_equal(&t, &u, sizeof t);
	assert_int_equal(store_test_get(s, c, 2, &u, &b), 1);
	assert_int_equal(u.size, 0);
	assert_int_equal(store_test_get(s, c, 4, &u, &b), 0);
	assert_int_equal(store_test_get(s, c, (1ull << 32) + 1, &u, &b), 0);
	assert_int_equal(store_test_update(s, c, 4, 0, 0, 0), -1);
	assert_words("no test 4");
	buf_release(&b);
	assert_clean(s);
	store_close(s);
}

static int count_tests(void *ctx, const struct store_test *t)
{
	uint64_t *at = ctx;

	assert_int_equal(t->id, ++*at);
	assert_true(!t->data || t->size == strlen("content 00"));
	return t->id == 40;
}

struct nested {
	struct store *s;
	uint64_t campaign, seen;
};

static int update_inside(void *ctx, const struct store_test *t)
{
	struct nested *n = ctx;
	uint64_t at = 0;

	n->seen++;
	assert_int_equal(store_test_each(n->s, n->campaign, 0, 1, count_tests, &at), 0);
	return store_test_update(n->s, n->campaign, t->id, 5, 0, 0);
}

static void walks_in_order(void **state)
{
	struct store *s = open_new("walk.db");
	uint64_t c = campaign_of(s, "a"), at = 0;
	struct nested n = {s, c, 0};
	char text[32];

	(void)state;
	for (int i = 0; i < 50; i++) {
		snprintf(text, sizeof text, "content %02d", i);
		assert_int_equal(add(s, c, text, 0, 0, NULL), 1);
	}
	add(s, campaign_of(s, "b"), "other", 0, 0, NULL);
	assert_int_equal(store_test_each(s, c, 0, 0, count_tests, &at), 0);
	assert_int_equal(at, 40);
	assert_int_equal(store_test_each(s, c, 40, 1, count_tests, &at), 0);
	assert_int_equal(at, 50);
	assert_int_equal(store_test_each(s, c, 50, 1, count_tests, &at), 0);
	assert_int_equal(at, 50);
	assert_int_equal(store_test_each(s, c, 0, 1, update_inside, &n), 0);
	assert_int_equal(n.seen, 50);
	assert_int_equal(store_frontier_count(s, c, 5), 0);
	assert_clean(s);
	store_close(s);
}

static uint64_t take(struct store *s, uint64_t c, uint32_t holder, double seconds)
{
	struct store_test t;
	int e = store_frontier_take(s, c, holder, seconds, 3, &t, NULL);

	assert_true(e >= 0);
	return e ? t.id : 0;
}

static void frontier_gives_the_best(void **state)
{
	struct store *s = open_new("frontier.db");
	uint64_t c = campaign_of(s, "a");

	(void)state;
	add(s, c, "1", 0, 1, NULL);
	add(s, c, "2", 2, 5, NULL);
	add(s, c, "3", 1, 5, NULL);
	add(s, c, "4", 3, 100, NULL); /* done */
	add(s, c, "5", 0, NAN, NULL);
	assert_int_equal(store_frontier_count(s, c, 3), 4);
	assert_int_equal(take(s, c, 1, 100), 2); /* of equal ones the oldest */
	assert_int_equal(take(s, c, 2, 100), 3);
	assert_int_equal(take(s, c, 1, 100), 2); /* gave it back, and got it again */
	assert_int_equal(store_test_update(s, c, 2, 3, 5, 0), 0);
	assert_int_equal(take(s, c, 1, 100), 1);
	assert_int_equal(take(s, c, 3, 0.05), 5);
	assert_int_equal(take(s, c, 4, 100), 0); /* all are held */
	usleep(60000);
	assert_int_equal(take(s, c, 4, 100), 5); /* the lease ran out */
	assert_int_equal(store_frontier_release(s, c, 2), 0);
	assert_int_equal(take(s, c, 5, 100), 3);
	assert_int_equal(take(s, c, 6, 100), 0);
	assert_int_equal(store_frontier_release(s, c, 0), 0); /* everybody's */
	assert_int_equal(take(s, c, 6, 100), 3);
	assert_int_equal(store_frontier_count(s, c, 3), 3);
	assert_clean(s);
	store_close(s);
}

static int sum_cover(void *ctx, uint32_t unit, uint32_t outcome, uint8_t mask, uint64_t first)
{
	*(uint64_t *)ctx = *(uint64_t *)ctx * 1000 + unit + outcome + mask + first;
	return 0;
}

static void coverage_only_grows(void **state)
{
	struct store *s = open_new("cover.db");
	uint64_t c = campaign_of(s, "a"), sum = 0;

	(void)state;
	assert_int_equal(store_cover_add(s, c, 2, 3, 128, 7), 0);
	assert_int_equal(store_cover_add(s, c, 1, 0, 1, 1), 0);
	assert_int_equal(store_cover_add(s, c, 1, 0, 2, 9), 0);
	assert_int_equal(store_cover_add(s, c, 1, 0, 1, 10), 0);
	assert_int_equal(store_cover_each(s, c, sum_cover, &sum), 0);
	assert_int_equal(sum, (1 + 0 + 3 + 1) * 1000 + 2 + 3 + 128 + 7);
	store_close(s);
}

static int one_bug(void *ctx, const struct result_bug *b)
{
	const struct result_bug *want = ctx;

	assert_int_equal(b->bucket, want->bucket);
	assert_string_equal(b->kind, "abort");
	assert_string_equal(b->function, "");
	assert_string_equal(b->file, "a.c");
	assert_string_equal(b->summary, want->summary);
	assert_string_equal(b->input_file, "crashes/x");
	assert_int_equal(b->count, want->count);
	assert_int_equal(b->confirmed, want->confirmed);
	assert_int_equal(b->size, want->size);
	assert_memory_equal(b->data, want->data, want->size);
	return 0;
}

static void bugs_are_counted_by_test(void **state)
{
	struct store *s = open_new("bugs.db");
	uint64_t c = campaign_of(s, "a");
	struct result_bug b = {.bucket = ~0ull,
			      .kind = "abort",
			      .file = "a.c",
			      .line = 3,
			      .test = 4,
			      .summary = "one",
			      .input_file = "crashes/x",
			      .data = "input",
			      .size = 5};

	(void)state;
	assert_int_equal(store_bug_add(s, c, &b), 1);
	assert_int_equal(store_bug_add(s, c, &b), 0); /* the same test again: after a kill */
	b.test = 5;
	assert_int_equal(store_bug_add(s, c, &b), 0);
	assert_int_equal(b.id, 1);
	b.count = 2;
	assert_int_equal(store_bug_each(s, c, one_bug, &b), 0);
	b.summary = "two";
	b.input_file = NULL; /* stays */
	b.data = "in";
	b.size = 2;
	b.confirmed = 1;
	assert_int_equal(store_bug_update(s, c, &b), 0);
	assert_int_equal(store_bug_each(s, c, one_bug, &b), 0);
	store_close(s);
}

static void query_cache_is_bounded(void **state)
{
	struct store *s = open_new("query.db");
	struct buf b = BUF_EMPTY;
	int verdict, n = (1 << 18) + 1000;
	char *big = mem_zalloc(2 << 20);

	(void)state;
	assert_int_equal(store_begin(s), 0);
	for (int i = 0; i < n; i++)
		assert_int_equal(store_query_put(s, hash128(&i, sizeof i), i % 3, &i, sizeof i), 0);
	assert_int_equal(store_commit(s), 0);
	for (int i = 0; i < n; i += 500) {
		assert_int_equal(store_query_get(s, hash128(&i, sizeof i), &verdict, &b),
				 i >= 1000);
		if (i >= 1000) {
			assert_int_equal(verdict, i % 3);
			assert_memory_equal(b.data, &i, sizeof i);
		}
	}
	n--;
	assert_int_equal(store_query_put(s, hash128(&n, sizeof n), 1, "new", 3), 0);
	assert_int_equal(store_query_get(s, hash128(&n, sizeof n), &verdict, &b), 1);
	assert_int_equal(verdict, 1);
	assert_int_equal(b.size, 3);
	assert_int_equal(store_query_put(s, hash128_str("big"), 1, big, 2 << 20), 0);
	assert_int_equal(store_query_get(s, hash128_str("big"), &verdict, &b), 0);
	free(big);
	buf_release(&b);
	store_close(s);
}

static void values_are_replaced(void **state)
{
	struct store *s = open_new("values.db");
	uint64_t c = campaign_of(s, "a");
	struct buf b = BUF_EMPTY;

	(void)state;
	assert_int_equal(store_value_get(s, c, "x", &b), 0);
	assert_int_equal(store_value_set(s, c, "x", "one", 3), 0);
	assert_int_equal(store_value_set(s, c, "x", NULL, 0), 0);
	assert_int_equal(store_value_get(s, c, "x", &b), 1);
	assert_int_equal(b.size, 0);
	assert_int_equal(store_value_set(s, c, "x\n'\"\xff", "three", 5), 0);
	assert_int_equal(store_value_get(s, c, "x\n'\"\xff", &b), 1);
	assert_int_equal(b.size, 5);
	buf_release(&b);
	store_close(s);
}

/* -------------------------------------------------------------- transactions */

static void transactions_nest(void **state)
{
	struct store *s = open_new("nest.db");
	uint64_t c = campaign_of(s, "a");

	(void)state;
	assert_int_equal(store_begin(s), 0);
	assert_int_equal(store_begin(s), 0);
	add(s, c, "1", 0, 0, NULL);
	assert_int_equal(store_commit(s), 0);
	store_rollback(s);
	assert_int_equal(store_test_count(s, c), 0);
	/* An inner part that is given up takes the whole with it. */
	assert_int_equal(store_begin(s), 0);
	add(s, c, "1", 0, 0, NULL);
	assert_int_equal(store_begin(s), 0);
	store_rollback(s);
	assert_int_equal(store_commit(s), -1);
	assert_int_equal(store_test_count(s, c), 0);
	assert_int_equal(add(s, c, "1", 0, 0, NULL), 1);
	/* A store that is closed in the middle keeps what was committed. */
	assert_int_equal(store_begin(s), 0);
	add(s, c, "2", 0, 0, NULL);
	store_close(s);
	s = open_new("nest.db");
	assert_int_equal(store_test_count(s, c), 1);
	assert_clean(s);
	store_close(s);
}

/* Two connections, as two processes have them. */
static void two_writers_share_ids(void **state)
{
	struct store *a = open_new("two.db"), *b = open_new("two.db");
	uint64_t c = campaign_of(a, "a"), id;
	char text[32];

	(void)state;
	assert_int_equal(campaign_of(b, "a"), c);
	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof text, "%d", i);
		assert_int_equal(add(i % 2 ? a : b, c, text, 0, 0, &id), 1);
		assert_int_equal(id, i + 1);
		assert_int_equal(add(i % 2 ? b : a, c, text, 0, 0, &id), 0);
		assert_int_equal(id, i + 1);
	}
	assert_int_equal(take(a, c, 1, 100), 1);
	assert_int_equal(take(b, c, 2, 100), 2);
	assert_clean(b);
	store_close(a);
	store_close(b);
}

struct shared {
	struct store *own, *other;
	uint64_t campaign, seen;
};

static int both_write_test(void *ctx, const struct store_test *t)
{
	struct shared *x = ctx;
	char text[32];

	snprintf(text, sizeof text, "made from %d", (int)t->id);
	assert_memory_equal(t->data, "seed", 4);
	x->seen++;
	return add(x->other, x->campaign, text, 0, 0, NULL) != 1 ||
	       store_test_update(x->own, x->campaign, t->id, 1, 0, 0) || t->id == 300;
}

static int both_write_bug(void *ctx, const struct result_bug *b)
{
	struct shared *x = ctx;
	struct result_bug other = *b;

	x->seen++;
	return store_bug_update(x->other, x->campaign, &other) ||
	       store_bug_update(x->own, x->campaign, b);
}

/* Another process writes during a walk, and so does its callback. */
static void walks_do_not_hinder_writers(void **state)
{
	struct shared x = {.own = open_new("hinder.db"), .other = open_new("hinder.db")};
	char text[32];

	(void)state;
	x.campaign = campaign_of(x.own, "a");
	for (int i = 0; i < 300; i++) {
		struct result_bug b = {.bucket = i, .kind = "abort"};

		snprintf(text, sizeof text, "seed%d", i);
		assert_int_equal(add(x.own, x.campaign, text, 0, 0, NULL), 1);
		assert_int_equal(store_bug_add(x.own, x.campaign, &b), 1);
	}
	assert_int_equal(store_test_each(x.own, x.campaign, 0, 1, both_write_test, &x), 0);
	assert_int_equal(x.seen, 300);
	assert_int_equal(store_bug_each(x.own, x.campaign, both_write_bug, &x), 0);
	assert_int_equal(x.seen, 600);
	assert_int_equal(store_test_count(x.own, x.campaign), 600);
	assert_clean(x.own);
	store_close(x.own);
	store_close(x.other);
}

/* ------------------------------------------------------------ files gone wrong */

static void what_is_no_store_is_refused(void **state)
{
	char *missing = place("missing.db"), *other = place("other.db"), *text = place("text.db"),
	     *empty = place("empty.db"), *fifo = place("fifo.db");
	struct store *s;
	sqlite3 *db;

	(void)state;
	refused(missing, STORE_EXISTING, "there is no store");
	refused(missing, STORE_READ_ONLY, "there is no store");
	assert_false(file_exists(missing));
	refused(dir, STORE_CREATE, "is a directory");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	refused(fifo, STORE_CREATE, "no plain file");
	file_write_atomic(text,
			  "This is a text, and a rather long one, longer than a header. "
			  "This is a text, and a rather long one, longer than a header.",
			  121);
	refused(text, STORE_CREATE, "not a store");
	refused(text, STORE_READ_ONLY, "not a store");
	assert_int_equal(sqlite3_open(other, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE t(x)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	refused(other, STORE_CREATE, "another program");
	file_write_atomic(empty, "", 0);
	refused(empty, STORE_READ_ONLY, "is empty");
	refused(empty, STORE_EXISTING, "is empty");
	assert_int_equal(store_open(&s, empty, STORE_CREATE), 0); /* as a kill may leave it */
	assert_clean(s);
	store_close(s);
	free(missing);
	free(other);
	free(text);
	free(empty);
	free(fifo);
}

static void newer_versions_are_refused(void **state)
{
	char *path = place("newer.db");
	sqlite3 *db;

	(void)state;
	store_close(open_new("newer.db"));
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA user_version=99", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	refused(path, STORE_CREATE, "newer muster (schema 99");
	refused(path, STORE_READ_ONLY, "newer muster");
	free(path);
}

/* Every byte of a page in turn would take long: many random damages. Never a crash, never a hang.
 */
static void damage_is_told(void **state)
{
	struct store *s = open_new("damage.db");
	uint64_t c = campaign_of(s, "a"), x = 1, told = 0;
	struct buf whole = BUF_EMPTY, b = BUF_EMPTY, problems = BUF_EMPTY;
	char *path = place("damage.db"), *copy = place("damaged.db"),
	     *wal = place("damaged.db-wal");
	struct store_test t;

	(void)state;
	for (int i = 0; i < 300; i++) {
		kill_content(i, &b);
		t = (struct store_test){.data = b.data, .size = b.size};
		assert_int_equal(store_test_add(s, c, &t), 1);
	}
	store_close(s);
	assert_int_equal(file_read(path, &whole), 0);
	for (int i = 0; i < 60; i++) {
		size_t at = kill_random(&x) % whole.size, n = 1 + kill_random(&x) % 3000;

		buf_clear(&b);
		buf_add(&b, whole.data, i % 3 ? whole.size : at);
		for (size_t j = at; i % 3 && j < at + n && j < b.size; j++)
			b.data[j] = kill_random(&x);
		file_write_atomic(copy, b.data, b.size);
		unlink(wal);
		buf_clear(&problems);
		error_set("none");
		if (store_open(&s, copy, STORE_EXISTING)) {
			assert_words(copy);
			told++;
			continue;
		}
		if (store_check(s, &problems))
			told++;
		add(s, c, "one more", 0, 0, NULL);
		store_frontier_take(s, c, 1, 100, 3, &t, &b);
		store_close(s);
	}
	/* Damage in unused space or in a value that nothing cross-checks may pass. */
	assert_true(told > 50);
	buf_release(&whole);
	buf_release(&b);
	buf_release(&problems);
	free(path);
	free(copy);
	free(wal);
}

/* Runs f in a child without root's rights, since nothing is read-only for root. */
static void unprivileged(void (*f)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (!getuid() && (setgid(65534) || setuid(65534)))
			_exit(3);
		f();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

#define child_assert(x)                                                                   \
	do {                                                                              \
		if (!(x)) {                                                               \
			fprintf(stderr, "line %d: %s: %s\n", __LINE__, #x, error_text()); \
			_exit(1);                                                         \
		}                                                                         \
	} while (0)

static void in_read_only_directory(void)
{
	char *path = place("ro/store.db"), *fresh = place("ro/new.db"), *below = place("ro/x/y.db");
	struct store *s;
	uint64_t c;
	int n;

	child_assert(store_open(&s, fresh, STORE_CREATE) == -1 && strstr(error_text(), "ro"));
	child_assert(store_open(&s, below, STORE_CREATE) == -1 && strstr(error_text(), "ro/x"));
	child_assert(store_open(&s, path, STORE_CREATE) == -1 && strstr(error_text(), "writ"));
	child_assert(store_open(&s, path, STORE_READ_ONLY) == 0);
	child_assert(store_test_count(s, 1) == 1);
	child_assert(add(s, 1, "x", 0, 0, NULL) == -1 && strstr(error_text(), "cannot be written"));
	child_assert(store_campaign(s, hash128_str("new"), "", "", &c, &n) == -1);
	store_close(s);
}

static void read_only_directories_are_told(void **state)
{
	char *d = place("ro"), *path = place("ro/store.db");
	struct store *s;

	(void)state;
	assert_int_equal(mkdir(d, 0755), 0);
	assert_int_equal(store_open(&s, path, STORE_CREATE), 0);
	assert_int_equal(add(s, campaign_of(s, "a"), "1", 0, 0, NULL), 1);
	store_close(s);
	chmod(path, 0444);
	chmod(d, 0555);
	unprivileged(in_read_only_directory);
	chmod(path, 0666); /* the file alone can be written, its directory not */
	unprivileged(in_read_only_directory);
	chmod(d, 0755);
	free(d);
	free(path);
}

/* The largest size of a file stands for the size of the disk. */
static void in_full_disk(void)
{
	struct rlimit limit = {2 << 20, 2 << 20};
	struct store *s = open_new("full/store.db");
	uint64_t c = campaign_of(s, "a");
	char *big = mem_zalloc(100000);
	struct store_test t = {.data = big, .size = 100000};
	uint64_t before = 0;
	int e = 0;

	signal(SIGXFSZ, SIG_IGN);
	child_assert(!setrlimit(RLIMIT_FSIZE, &limit));
	for (int i = 0; i < 1000 && !e; i++) {
		before = store_test_count(s, c);
		child_assert(!store_begin(s));
		for (int j = 0; j < 3; j++) {
			snprintf(big, 100, "%d %d", i, j);
			store_test_add(s, c, &t);
		}
		e = store_commit(s);
	}
	child_assert(e == -1 && strstr(error_text(), "no space left"));
	child_assert(before && store_test_count(s, c) == before); /* all of it or nothing */
	child_assert(store_begin(s) == 0);
	store_rollback(s);
	store_close(s);
	s = open_new("full/store.db");
	child_assert(store_test_count(s, c) == before);
	assert_clean(s);
	store_close(s);
	free(big);
}

static void full_disks_are_told(void **state)
{
	char *d = place("full");

	(void)state;
	assert_int_equal(mkdir(d, 0777), 0);
	chmod(d, 0777);
	unprivileged(in_full_disk);
	free(d);
}

/* ---------------------------------------------------------------------- speed */

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void inserts_are_fast(void **state)
{
	struct store *s = open_new("speed.db");
	uint64_t c = campaign_of(s, "a");
	double start = seconds(), added, took;
	char text[64];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		if (i % 100 == 0)
			assert_int_equal(store_begin(s), 0);
		snprintf(text, sizeof text, "input number %d", i);
		add(s, c, text, i % 3, i * 7919 % 1000, NULL);
		if (i % 100 == 99)
			assert_int_equal(store_commit(s), 0);
	}
	added = 20000 / (seconds() - start);
	start = seconds();
	for (int i = 0; i < 200; i++)
		take(s, c, 1, 100);
	took = (seconds() - start) / 200;
	print_message("%.0f inserts a second, %.3f ms for taking\n", added, took * 1000);
	assert_quick(added > 3000);
	assert_quick(took < 0.005);
	store_close(s);
}

/* Several processes make one new store: each finds either nothing or all of it. */
static void new_stores_are_opened_at_once(void **state)
{
	(void)state;
	for (int round = 0; round < 40; round++) {
		char name[32];
		snprintf(name, sizeof name, "once-%d.db", round);
		char *path = place(name);
		pid_t children[3];
		for (int i = 0; i < 3; i++) {
			children[i] = fork();
			if (!children[i]) {
				struct store *s;
				int failed = store_open(&s, path, STORE_CREATE) != 0;
				if (failed)
					fprintf(stderr, "%s\n", error_text());
				_exit(failed);
			}
		}
		for (int i = 0; i < 3; i++) {
			int status;
			assert_int_equal(waitpid(children[i], &status, 0), children[i]);
			assert_int_equal(status, 0);
		}
		free(path);
	}
}

static void kills_lose_nothing(void **state)
{
	char *path = place("kill.db");
	struct kill_state k = {.path = path, .random = 7};

	(void)state;
	for (int i = 0; i < 10; i++)
		assert_int_equal(kill_round(&k), 0);
	assert_int_equal(kill_check(&k, 0), 0);
	assert_true(k.acks.size > 20);
	vec_release(&k.acks);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(tests_are_kept_once),
	    cmocka_unit_test(walks_in_order),
	    cmocka_unit_test(frontier_gives_the_best),
	    cmocka_unit_test(coverage_only_grows),
	    cmocka_unit_test(bugs_are_counted_by_test),
	    cmocka_unit_test(query_cache_is_bounded),
	    cmocka_unit_test(values_are_replaced),
	    cmocka_unit_test(transactions_nest),
	    cmocka_unit_test(two_writers_share_ids),
	    cmocka_unit_test(walks_do_not_hinder_writers),
	    cmocka_unit_test(what_is_no_store_is_refused),
	    cmocka_unit_test(newer_versions_are_refused),
	    cmocka_unit_test(damage_is_told),
	    cmocka_unit_test(read_only_directories_are_told),
	    cmocka_unit_test(full_disks_are_told),
	    cmocka_unit_test(inserts_are_fast),
	    cmocka_unit_test(new_stores_are_opened_at_once),
	    cmocka_unit_test(kills_lose_nothing),
	};
	const char *temp = file_temp_dir();

	if (!temp)
		return 1;
	chmod(temp, 0755);
	dir = file_join(temp, "stores");
	mkdir(dir, 0755);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
