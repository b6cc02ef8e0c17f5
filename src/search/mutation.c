/* mutation.c: the mutation stage's place in a search. Its runs are the search's, and so are its limits; it looks at no path, so it never comes
 * to an end. */
#include "search/mutation.h"

#include "base/limit.h"
#include "base/mem.h"
#include "search/havoc.h"
#include "search/stage.h"
#include "search/strategy.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MUTATE_SHARE 0.3 /* least part of the time for mutation | by hand (share) */
#define WORDS_TRIED LIMIT(64, 2) /* words that are tried for one comparison of a test | libxml2 has 30 with each letter */
#define ENDLESS (1ull << 40) /* runs: no limit | cannot be reached */

struct mutation {
	struct search *s;
	struct havoc havoc;
	struct stage *stage;
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

void mutation_offer(struct mutation *m, uint64_t test, const void *data, size_t size)
{
	stage_offer(m->stage, test, data, size);
}

int mutation_takes_offers(const struct mutation *m)
{
	return stage_takes_offers(m->stage);
}

void mutation_words_from(struct mutation *m, uint8_t first, int either_case, size_t at, void (*use)(void *ctx, size_t at, const void *word, size_t size),
			 void *ctx)
{
	size_t count = m->havoc.words.size, start = havoc_random(&m->havoc, count);
	unsigned used = 0;
	for (size_t i = 0; i < count && used < WORDS_TRIED; i++) {
		const struct havoc_word *w = &m->havoc.words.data[(start + i) % count];
		if (w->size < 2 || (w->data[0] != first && (!either_case || tolower(w->data[0]) != tolower(first))))
			continue;
		use(ctx, at, w->data, w->size);
		used++;
	}
}

int mutation_slice(struct mutation *m)
{
	int r = stage_run(m->stage, ENDLESS);
	count_runs(m);
	return r;
}

static int is_ready(const struct search *s)
{
	return mutation_count(s->next.mutation) > 0;
}

static int run_slice(struct search *s)
{
	return mutation_slice(s->next.mutation);
}

const struct strategy strategy_mutate = {.name = "mutate", .ready = is_ready, .slice = run_slice, .least = MUTATE_SHARE, .blind = 1};
