/* mutation.c: the mutation stage's place in a search, and its share of the time.
 *
 * Shares: each of the two ways (negating, mutating) has a decaying sum of the outcomes it
 * found and of what that cost. The next slice goes to the one with the better rate,
 * unless the other has fallen behind its least share of the cost so far: a way that
 * never runs cannot show that it would pay now.
 */
#include "search/mutation.h"

#include "base/mem.h"
#include "search/havoc.h"
#include "search/inside.h"
#include "search/stage.h"

#include <stdlib.h>
#include <string.h>

#define DECAY 0.9	 /* of what was earned and spent, at each slice */
#define LEAST_SHARE 0.15 /* of the cost, for the way that earns less */
#define ENDLESS (1ull << 40)

struct mutation {
	struct search *s;
	struct havoc havoc;
	struct stage *stage;
	double earned[2], spent[2], total[2]; /* 0: negating, 1: mutating */
};

static int found(void *ctx, uint64_t parent, const uint8_t *data, size_t size,
		 const struct exec_result *r, struct cover_news news)
{
	struct search *s = ((struct mutation *)ctx)->s;
	struct search_test t = {
	    .parent = parent, .origin = ORIGIN_MUTATED, .data = data, .size = size};
	(void)news; /* search_keep looks for itself, and takes it over */
	return search_keep(s, &t, r, 0) < 0 ? -1 : 0;
}

/* The runs of the stage join the search's figures here, so that limits on runs hold. */
static void count_runs(struct mutation *m)
{
	uint64_t runs = stage_stats(m->stage)->runs;
	m->s->stats.runs += runs - m->s->stats.mutant_runs;
	m->s->stats.mutant_runs = runs;
}

static int pause(void *ctx)
{
	struct mutation *m = ctx;
	count_runs(m);
	return search_paused(m->s);
}

struct mutation *mutation_new(struct search *s)
{
	struct mutation *m = mem_zalloc(sizeof *m);
	struct stage_options o = {.repeatable = s->o.repeatable};
	struct stage_hooks hooks = {m, found, pause};
	m->s = s;
	havoc_init(&m->havoc, s->o.seed, s->o.max_input);
	if (s->o.dictionary && havoc_dictionary(&m->havoc, s->o.dictionary)) {
		mutation_free(m);
		return NULL;
	}
	m->stage = stage_new(&o, s->t.exec, &s->cover, &m->havoc, &hooks);
	return m;
}

void mutation_free(struct mutation *m)
{
	if (!m)
		return;
	stage_free(m->stage);
	havoc_release(&m->havoc);
	free(m);
}

void mutation_add(struct mutation *m, const struct search_test *t, const struct exec_result *r)
{
	if (!(t->flags & (TEST_CRASH | TEST_HANG)))
		stage_add(m->stage, t->id, t->data, t->size, r);
}

void mutation_word(struct mutation *m, const void *data, size_t size)
{
	havoc_word(&m->havoc, data, size);
}

int mutation_slice(struct mutation *m)
{
	int r = stage_run(m->stage, ENDLESS);
	count_runs(m);
	return r;
}

void mutation_book(struct mutation *m, int mutate, double cost, uint64_t outcomes)
{
	if (!m)
		return;
	for (int i = 0; i < 2; i++) {
		m->earned[i] *= DECAY;
		m->spent[i] *= DECAY;
	}
	m->earned[mutate] += (double)outcomes;
	m->spent[mutate] += cost;
	m->total[mutate] += cost;
}

int mutation_next(struct mutation *m)
{
	double all = m->total[0] + m->total[1];
	double rate[2];
	if (!stage_count(m->stage))
		return 0;
	for (int i = 0; i < 2; i++) {
		if (m->total[i] < LEAST_SHARE * all)
			return i;
		rate[i] = (m->earned[i] + 0.1) / (m->spent[i] + 1e-3);
	}
	return rate[1] > rate[0];
}
