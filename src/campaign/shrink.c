/* shrink.c: inputs of bugs made smaller, beside the search.
 *
 * A bug is reported with the input that showed it, and its input waits here to be shrunk: some hundred runs of the san variant, which may
 * take longer than all other looks together. So that neither the search nor looks at other inputs wait for it, it is done in pieces of a
 * fraction of a second that have a share of the time, and at the end of the search. A bug whose input
 * became smaller is described once more and written over the old one.
 *
 * A piece begins with the input as it was found and asks the same questions as the one before, whose answers are remembered: so it comes without
 * a run to where that one stopped, and the result is what shrinking in one piece gives.
 */
#include "base/hash.h"
#include "campaign/campaign.h"
#include "search/minimize.h"

#include <stdlib.h>
#include <string.h>

#define SHRINK_RUNS 400 /* of one bug */
#define PIECE 0.2	/* seconds */

void fuzz_shrink_later(struct fuzz *f, const struct waiting_input *p, const struct result_bug *b, int own)
{
	struct fuzz_shrink s = {.p = *p, .id = b->id, .bucket = b->bucket, .own = own};
	if (p->hang || f->o->no_shrink)
		return;
	buf_init(&s.p.data);
	buf_add(&s.p.data, p->data.data, p->data.size);
	vec_push(&f->bugs.shrinks, s);
}

struct piece {
	struct fuzz *f;
	struct fuzz_shrink *s;
	double until; /* 0: however long it takes */
	int paused;
};

static int same_bug(void *ctx, const void *data, size_t size)
{
	struct piece *c = ctx;
	uint64_t h = hash64(data, size, size), answer;
	if (map_get(&c->s->answers, h, &answer))
		return (int)answer;
	c->paused = c->until > 0 && fuzz_clock() >= c->until;
	if (c->paused)
		return -1;
	int same = fuzz_shows_bug(c->f, &c->s->p, c->s->bucket, c->s->own, data, size);
	if (same >= 0)
		map_set(&c->s->answers, h, (uint64_t)same);
	return same;
}

/* The input of a job as small as it comes until then: *data. 1: there is more to try; 0. */
static int work(struct fuzz *f, struct fuzz_shrink *s, double until, struct buf *data)
{
	struct piece c = {f, s, until, 0};
	struct minimize m = {.keeps = same_bug, .ctx = &c, .max_runs = SHRINK_RUNS};
	buf_add(data, s->p.data.data, s->p.data.size);
	minimize_input(&m, data); /* at worst it is as it was */
	return c.paused;
}

static void drop_first(struct fuzz *f)
{
	buf_release(&f->bugs.shrinks.data[0].p.data);
	map_release(&f->bugs.shrinks.data[0].answers);
	memmove(f->bugs.shrinks.data, f->bugs.shrinks.data + 1, (f->bugs.shrinks.size - 1) * sizeof *f->bugs.shrinks.data);
	f->bugs.shrinks.size--;
}

/* The others have their turn first: most of an input goes in the first piece. */
static void to_the_end(struct fuzz *f)
{
	struct fuzz_shrink first = f->bugs.shrinks.data[0];
	memmove(f->bugs.shrinks.data, f->bugs.shrinks.data + 1, (f->bugs.shrinks.size - 1) * sizeof first);
	vec_last(&f->bugs.shrinks) = first;
}

/* The first job until then. last: what it has come to by then is its result. 0, -1. */
static int shrink_first(struct fuzz *f, double until, int last)
{
	double start = fuzz_clock();
	struct fuzz_shrink *s = &f->bugs.shrinks.data[0];
	struct buf data = {0};
	int r = 0;
	if (!work(f, s, until, &data) || last) {
		if (data.size != s->p.data.size || memcmp(data.data, s->p.data.data, data.size))
			r = fuzz_bug_smaller(f, &s->p, s->id, s->bucket, s->own, &data);
		drop_first(f);
	} else {
		to_the_end(f);
	}
	buf_release(&data);
	f->bugs.shrink_seconds += fuzz_clock() - start;
	return r;
}

int fuzz_shrink_some(struct fuzz *f)
{
	if (f->bugs.shrinks.size)
		fuzz_stage(f, FUZZ_STAGE_SHRINK);
	return f->bugs.shrinks.size ? shrink_first(f, f->o->search.repeatable ? 0 : fuzz_clock() + PIECE, 0) : 0;
}

int fuzz_shrink_rest(struct fuzz *f, double until)
{
	int r = 0;
	while (!r && f->bugs.shrinks.size && (f->o->search.repeatable || fuzz_clock() < until))
		r = fuzz_shrink_some(f);
	while (!r && f->bugs.shrinks.size)
		r = shrink_first(f, until, 1);
	return r;
}

void fuzz_shrink_release(struct fuzz *f)
{
	while (f->bugs.shrinks.size)
		drop_first(f);
	vec_release(&f->bugs.shrinks);
}
