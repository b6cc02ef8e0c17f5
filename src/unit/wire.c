/* wire.c: what workers of `muster test` send to their parent.
 *
 * A message is two words (kind, size) and a body. Both ends are one program, so plain structures
 * travel as they are; the counts are checked against the size nevertheless, because a worker may
 * die in the middle of a message.
 */
#include "base/file.h"
#include "unit/unit.h"

#include <string.h>

int test_send(int fd, enum test_message kind, const struct buf *body)
{
	struct buf out = {0};
	buf_add32(&out, kind);
	buf_add32(&out, (uint32_t)body->size);
	buf_add(&out, body->data, body->size);
	int r = file_write_all(fd, out.data, out.size);
	buf_release(&out);
	return r;
}

struct packed_counts {
	uint64_t tests, covers, violations;
};

void test_pack(struct buf *out, const struct test_searched *r, const struct test_function *f, const struct test_sent *from)
{
	struct packed_counts n = {f->tests.size - from->tests, f->covers.size - from->covers, f->violations.size - from->violations};
	buf_add(out, r, sizeof *r);
	buf_add(out, &n, sizeof n);
	for (size_t i = from->tests; i < f->tests.size; i++) {
		buf_add(out, &f->tests.data[i], sizeof f->tests.data[i]);
		buf_add(out, f->tests.data[i].data, f->tests.data[i].size);
	}
	if (n.covers)
		buf_add(out, f->covers.data + from->covers, n.covers * sizeof *f->covers.data);
	for (size_t i = from->violations; i < f->violations.size; i++) {
		buf_add(out, &f->violations.data[i], sizeof f->violations.data[i]);
		buf_add(out, f->violations.data[i].data, f->violations.data[i].size);
	}
}

struct reader {
	const char *at;
	size_t left;
};

static const void *next(struct reader *r, size_t size)
{
	const char *p = r->at;
	if (size > r->left)
		return NULL;
	r->at += size;
	r->left -= size;
	return p;
}

static int read_tests(struct reader *r, struct test_function *f, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		struct test_case t;
		const void *p = next(r, sizeof t), *data;
		if (!p)
			return -1;
		memcpy(&t, p, sizeof t);
		if (!(data = next(r, t.size)) || t.id != f->tests.size + 1 || t.parent > f->tests.size)
			return -1;
		t.data = arena_copy(&f->arena, data, t.size);
		vec_push(&f->tests, t);
	}
	return 0;
}

static int read_violations(struct reader *r, struct test_function *f, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		struct test_violation v;
		const void *p = next(r, sizeof v), *data;
		if (!p)
			return -1;
		memcpy(&v, p, sizeof v);
		if (!(data = next(r, v.size)) || v.test > f->tests.size)
			return -1;
		v.data = arena_copy(&f->arena, data, v.size);
		vec_push(&f->violations, v);
	}
	return 0;
}

int test_unpack(struct test_session *s, const char *data, size_t size)
{
	struct reader r = {data, size};
	struct test_searched result;
	struct packed_counts n;
	const void *p = next(&r, sizeof result), *q = next(&r, sizeof n);
	if (!p || !q)
		return -1;
	memcpy(&result, p, sizeof result);
	memcpy(&n, q, sizeof n);
	if (result.function >= s->functions.size)
		return -1;
	struct test_function *f = &s->functions.data[result.function];
	if ((f->searched && !s->round.again) || read_tests(&r, f, n.tests))
		return -1;
	for (uint64_t i = 0; i < n.covers; i++) {
		struct test_cover c;
		if (!(p = next(&r, sizeof c)))
			return -1;
		memcpy(&c, p, sizeof c);
		vec_push(&f->covers, c);
	}
	if (read_violations(&r, f, n.violations))
		return -1;
	if (result.part) {
		f->partial = 1;
		return 0;
	}
	if (s->round.again && f->searched) { /* the search began anew, with what there was */
		if (f->reuse.how == TEST_REUSE_ALL)
			f->reuse.how = TEST_REUSE_TESTS;
		result.inputs += f->result.inputs;
		result.seconds += f->result.seconds;
		result.growth = result.growth > f->result.growth ? result.growth : f->result.growth;
	}
	if (s->round.again && f->result.ended && !result.ended) { /* what an earlier one has shown of all paths stands, and so does what that rests on */
		result.ended = 1;
		result.kind = f->result.kind;
		result.composed = f->result.composed;
		result.exhausted = f->result.exhausted;
		result.stopped = 0;
		result.frontier = f->result.frontier;
		result.losses = f->result.losses;
	}
	if (!result.aside)
		result.learned = f->result.learned;
	f->result = result;
	f->searched = 1;
	f->partial = 0;
	return 0;
}

void test_pack_stats(struct buf *out, const struct search_stats *a, const struct solve_stats *b)
{
	buf_add(out, a, sizeof *a);
	buf_add(out, b, sizeof *b);
}

int test_unpack_stats(struct test_session *s, const char *data, size_t size)
{
	struct search_stats a;
	struct solve_stats b;
	if (size != sizeof a + sizeof b)
		return -1;
	memcpy(&a, data, sizeof a);
	memcpy(&b, data + sizeof a, sizeof b);
	search_stats_add(&s->costs.search, &a);
	solve_stats_add(&s->costs.solve, &b);
	return 0;
}
