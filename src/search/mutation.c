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

#include <stdlib.h>
#include <string.h>

#define DECAY 0.9	 /* of what was earned and spent, at each slice */
#define LEAST_SHARE 0.15 /* of the cost, for the way that earns less */
#define ROUND 256	 /* mutants of an entry before another is picked */

struct entry {
	uint8_t *data;
	size_t size;
	uint64_t id;
	uint64_t step; /* next deterministic change; UINT64_MAX: no more */
	uint64_t rounds;
};

struct mutation {
	struct search *s;
	struct havoc havoc;
	VEC(struct entry) entries;
	struct buf mutant;
	double earned[2], spent[2], total[2]; /* 0: negating, 1: mutating */
};

struct mutation *mutation_new(struct search *s)
{
	struct mutation *m = mem_zalloc(sizeof *m);
	m->s = s;
	havoc_init(&m->havoc, s->o.seed, s->o.max_input);
	if (s->o.dictionary && havoc_dictionary(&m->havoc, s->o.dictionary)) {
		mutation_free(m);
		return NULL;
	}
	return m;
}

void mutation_free(struct mutation *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->entries.size; i++)
		free(m->entries.data[i].data);
	vec_release(&m->entries);
	havoc_release(&m->havoc);
	buf_release(&m->mutant);
	free(m);
}

void mutation_add(struct mutation *m, const struct search_test *t)
{
	struct entry e = {.size = t->size, .id = t->id};
	if (t->flags & (TEST_CRASH | TEST_HANG))
		return;
	e.data = mem_alloc(t->size + 1);
	memcpy(e.data, t->data, t->size);
	vec_push(&m->entries, e);
}

void mutation_word(struct mutation *m, const void *data, size_t size)
{
	havoc_word(&m->havoc, data, size);
}

/* Runs a mutant and keeps it for what it covers. */
static int try_mutant(struct mutation *m, uint64_t parent)
{
	struct search *s = m->s;
	struct exec_result r;
	s->stats.runs++;
	s->stats.mutant_runs++;
	if (exec_run(s->t.exec, m->mutant.data, m->mutant.size, &r))
		return -1;
	int failed = r.end == RUN_SIGNAL || r.end == RUN_TIME || r.end == RUN_MEMORY;
	struct cover_news news = cover_look(&s->cover, &r, 0, NULL, NULL);
	if (!failed && !news.outcomes && !news.classes)
		return 0;
	struct search_test t = {.parent = parent,
				.origin = ORIGIN_MUTATED,
				.data = (const uint8_t *)m->mutant.data,
				.size = m->mutant.size,
				.flags = !failed	       ? 0
					 : r.end == RUN_SIGNAL ? TEST_CRASH
							       : TEST_HANG};
	if (failed && s->h.failed(s->h.ctx, &t, &r))
		return -1;
	return search_keep(s, &t, &r, 0) < 0 ? -1 : 0;
}

/* The newest entries and those that were picked least come first; small steps back, never the whole
 * queue. */
static size_t pick(struct mutation *m)
{
	size_t best = havoc_random(&m->havoc, m->entries.size);
	for (int i = 0; i < 7; i++) {
		size_t other = havoc_random(&m->havoc, m->entries.size);
		const struct entry *a = &m->entries.data[best], *b = &m->entries.data[other];
		if (b->rounds < a->rounds || (b->rounds == a->rounds && b->size < a->size))
			best = other;
	}
	return best;
}

static int round_of(struct mutation *m, size_t at)
{
	m->entries.data[at].rounds++;
	for (int i = 0; i < ROUND && !search_paused(m->s); i++) {
		struct entry *e = &m->entries.data[at]; /* the list may have grown */
		if (e->step != UINT64_MAX && (i & 1 || e->rounds < 2)) {
			if (havoc_step(&m->havoc, e->data, e->size, e->step, &m->mutant)) {
				e->step++;
				if (try_mutant(m, e->id))
					return -1;
				continue;
			}
			e->step = UINT64_MAX;
		}
		struct entry *other = &m->entries.data[havoc_random(&m->havoc, m->entries.size)];
		havoc_stack(&m->havoc, e->data, e->size, other->data, other->size, NULL, 0,
			    &m->mutant);
		if (try_mutant(m, e->id))
			return -1;
	}
	return 0;
}

int mutation_slice(struct mutation *m)
{
	while (m->entries.size && !search_paused(m->s))
		if (round_of(m, pick(m)))
			return -1;
	return 0;
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
	if (!m->entries.size)
		return 0;
	for (int i = 0; i < 2; i++) {
		if (m->total[i] < LEAST_SHARE * all)
			return i;
		rate[i] = (m->earned[i] + 0.1) / (m->spent[i] + 1e-3);
	}
	return rate[1] > rate[0];
}
