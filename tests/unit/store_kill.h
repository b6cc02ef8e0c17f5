/* store_kill.h: writers of a store that are killed with -9 at random moments. Two processes write
 * the same store and tell through a pipe what was committed; both are killed; then the store must
 * be clean and have everything that was told. Used by test_store.c (a few kills) and by tests/kill
 * (many). */
#ifndef MUSTER_TESTS_STORE_KILL_H
#define MUSTER_TESTS_STORE_KILL_H

#include "base/error.h"
#include "base/vec.h"
#include "store/store.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct kill_ack {
	uint64_t id, seed; /* the test's number, and what its content is made from */
};

struct kill_state {
	const char *path;
	uint64_t random;
	VEC(struct kill_ack) acks;
	unsigned empty; /* kills before anything was committed */
};

static inline uint64_t kill_random(uint64_t *x)
{
	*x += 0x9e3779b97f4a7c15ull;
	return hash_mix(*x);
}

static inline void kill_content(uint64_t seed, struct buf *b)
{
	uint64_t x = seed, size = kill_random(&x) % 3000;

	if (kill_random(&x) % 40 == 0)
		size *= 30;
	buf_clear(b);
	buf_add64(b, seed);
	while (b->size < size)
		buf_add64(b, kill_random(&x));
}

static inline int kill_transaction(struct store *s, uint64_t campaign, uint64_t *x, struct buf *b,
				   int acks)
{
	struct kill_ack done[20];
	int n = 1 + kill_random(x) % 20;
	struct result_bug bug = {.kind = "abort", .bucket = *x % 50, .data = "x", .size = 1};
	struct store_test t;
	int e;

	if (store_begin(s))
		return -1;
	for (int i = 0; i < n; i++) {
		uint64_t seed = kill_random(x);

		kill_content(seed, b);
		t = (struct store_test){
		    .data = b->data, .size = b->size, .rank = seed % 100, .stage = seed % 3};
		if (store_test_add(s, campaign, &t) < 0 ||
		    store_cover_add(s, campaign, 1, seed % 1000, 1, t.id))
			return -1;
		done[i] = (struct kill_ack){t.id, seed};
	}
	e = store_frontier_take(s, campaign, getpid(), 1000, 3, &t, NULL);
	if (e > 0)
		e = store_test_update(s, campaign, t.id, t.stage + 1, t.rank, 0);
	bug.test = done[0].id;
	if (e < 0 || store_bug_add(s, campaign, &bug) < 0 ||
	    store_query_put(s, hash128(x, sizeof *x), 1, "model", 5) || store_commit(s))
		return -1;
	return write(acks, done, n * sizeof done[0]) == (ssize_t)(n * sizeof done[0]) ? 0 : -1;
}

static inline void kill_writer(const char *path, uint64_t random, int acks)
{
	struct buf b = BUF_EMPTY;
	struct store *s;
	uint64_t campaign;
	int fresh;

	if (store_open(&s, path, STORE_CREATE) ||
	    store_campaign(s, hash128_str("kill"), "prog", "prog @@", &campaign, &fresh)) {
		fprintf(stderr, "writer: %s\n", error_text());
		_exit(1);
	}
	while (!kill_transaction(s, campaign, &random, &b, acks))
		;
	fprintf(stderr, "writer: %s\n", error_text());
	_exit(1);
}

/* Every acknowledged test from `from` on is there with its content; -1 with words on standard
 * error. */
static inline int kill_verify(struct kill_state *k, struct store *s, uint64_t campaign, size_t from)
{
	struct buf want = BUF_EMPTY, have = BUF_EMPTY;
	struct store_test t;
	int bad = 0;

	for (size_t i = from; i < k->acks.size; i++) {
		kill_content(k->acks.data[i].seed, &want);
		if (store_test_get(s, campaign, k->acks.data[i].id, &t, &have) != 1 ||
		    have.size != want.size || memcmp(have.data, want.data, want.size)) {
			fprintf(stderr, "test %llu was acknowledged and is lost\n",
				(unsigned long long)k->acks.data[i].id);
			bad = -1;
		}
	}
	buf_release(&want);
	buf_release(&have);
	return bad;
}

static inline int kill_check(struct kill_state *k, size_t from)
{
	struct buf problems = BUF_EMPTY;
	struct store *s;
	uint64_t campaign;
	int fresh, e;

	if (store_open(&s, k->path, STORE_CREATE)) {
		fprintf(stderr, "after a kill: %s\n", error_text());
		return -1;
	}
	e = store_campaign(s, hash128_str("kill"), "prog", "prog @@", &campaign, &fresh);
	if (!e && (e = store_check(s, &problems)))
		fprintf(stderr, "after a kill: %s%s\n", buf_str(&problems),
			e < 0 ? error_text() : "");
	if (!e)
		e = kill_verify(k, s, campaign, from);
	store_close(s);
	buf_release(&problems);
	return e ? -1 : 0;
}

/* One kill of two writers, and the check behind it. */
static inline int kill_round(struct kill_state *k)
{
	size_t before = k->acks.size;
	struct kill_ack a;
	int p[2], status, bad = 0;
	pid_t pid[2];

	if (pipe(p))
		return -1;
	for (int i = 0; i < 2; i++) {
		uint64_t random = kill_random(&k->random);

		pid[i] = fork();
		if (!pid[i]) {
			close(p[0]);
			kill_writer(k->path, random, p[1]);
		}
	}
	close(p[1]);
	usleep(kill_random(&k->random) % 60000);
	for (int i = 0; i < 2; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], &status, 0);
		if (!WIFSIGNALED(status))
			bad = -1;
	}
	/* Writes of up to PIPE_BUF bytes are whole or absent. */
	while (read(p[0], &a, sizeof a) == sizeof a)
		vec_push(&k->acks, a);
	close(p[0]);
	k->empty += k->acks.size == before;
	return bad ? bad : kill_check(k, before);
}

#endif
