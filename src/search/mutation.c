/* mutation.c: the mutation stage's place in a search, and its share of the time.
 *
 * Shares: what covered something new is negated at once, within a share of the time. The rest of
 * the frontier and mutation each have a decaying sum of the outcomes found and of what that cost;
 * the next slice goes to the one with the better rate, unless the other has fallen behind its least
 * share: a way that never runs cannot show that it would pay now.
 */
#include "search/mutation.h"

#include "base/mem.h"
#include "search/havoc.h"
#include "search/inside.h"
#include "search/stage.h"

#include <stdlib.h>
#include <string.h>

#define DECAY 0.9 /* what is left of earned and spent at each slice | half-life of 7 slices */
/* Shares of the cost: the most for what is urgent, while it pays and when it does not; the least for the others. */
#define URGENT_SHARE 0.6 /* part of the time for tests that cannot wait, where they pay | by hand */
#define URGENT_LEAST 0.2 /* the same where they do not pay | by hand */
#define MUTATE_SHARE 0.3 /* least part of the time for mutation | by hand */
#define LAZY_SHARE 0.1 /* least part of the time for the rest | by hand */
#define ENDLESS (1ull << 40) /* runs: no limit | cannot be reached */

struct mutation {
	struct search *s;
	struct havoc havoc;
	struct stage *stage;
	double earned[WAY_COUNT], spent[WAY_COUNT], total[WAY_COUNT];
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
	m->s->stats.cycles = stage_stats(m->stage)->cycles;
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

size_t mutation_count(const struct mutation *m)
{
	return m ? stage_count(m->stage) : 0;
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

void mutation_book(struct mutation *m, enum way w, double cost, uint64_t outcomes)
{
	if (!m)
		return;
	for (int i = 0; i < WAY_COUNT; i++) {
		m->earned[i] *= DECAY;
		m->spent[i] *= DECAY;
	}
	m->earned[w] += (double)outcomes;
	m->spent[w] += cost;
	m->total[w] += cost;
}

static double rate(const struct mutation *m, enum way w)
{
	return (m->earned[w] + 0.1) / (m->spent[w] + 1e-3);
}

enum way mutation_next(struct mutation *m)
{
	double all = m->total[WAY_URGENT] + m->total[WAY_LAZY] + m->total[WAY_MUTATE];
	if (!stage_count(m->stage))
		return WAY_LAZY;
	double share = rate(m, WAY_URGENT) >= rate(m, WAY_MUTATE) / 2 ? URGENT_SHARE : URGENT_LEAST;
	if (m->s->next.urgent && m->total[WAY_URGENT] <= share * all)
		return WAY_URGENT;
	if (m->total[WAY_MUTATE] < MUTATE_SHARE * all)
		return WAY_MUTATE;
	if (m->total[WAY_LAZY] < LAZY_SHARE * all)
		return WAY_LAZY;
	return rate(m, WAY_MUTATE) >= rate(m, WAY_LAZY) ? WAY_MUTATE : WAY_LAZY;
}
