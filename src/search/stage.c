/* stage.c: which input is changed next, how often, and what becomes of the mutants.
 *
 * Work is done in rounds: an input is drawn from the queue and some hundred mutants of it are
 * run, some of them its next deterministic changes until these are used up.
 *
 * Drawing: every input has a weight, and a Fenwick tree of the weights gives one in O(log n). The
 * weight is high for inputs that are the cheapest one known for some outcome ("tops"), that take
 * outcomes which few inputs of the queue take, that gave rise to others, and that were not drawn
 * often; low for long and slow ones. Weights are computed when an input is added, after each round
 * of it, and when it gains or loses its last top; never for the whole queue.
 *
 * Rare outcomes: users[o] is the number of inputs in the queue that take o. An input
 * remembers the RARE outcomes that were rarest when it was added; since counts only grow, these
 * are looked up again whenever its weight is.
 *
 * Mutants that were run before are not run again, as far as a table of hashes remembers. They are made and run in batches, and only the runs that show
 * something new are looked at (exec_batch); what one of them shows helps from the next batch on.
 *
 * Invariant: top[o] is an input that takes o, or NONE; tops of an input is the number of
 * entries of top that name it.
 */
#include "search/stage.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define RARE LIMIT(32, 1) /* rarest outcomes that an input remembers | memory of an input */
#define HOT LIMIT(64, 2) /* offsets of an input that are worth changing | memory of an input */
#define ROUND LIMIT(256, 2) /* mutants of a round; twice as many for inputs that were never drawn | by hand (tries) */
#define TRIM_SHARE 0.2 /* runs of trimming for each other run of the stage | early on every few runs find something, and at 256 runs each nine of ten were for trimming (cmark, 20 CPU s: 5,500 to 7,000 outcomes; 7,400 to 7,700 with this share) */
#define TRIM_FIRST LIMIT(8192, 8) /* runs of trimming that need no others | a small program has found most by then */
#define DEAR LIMIT(16, 2) /* times the average that a run may cost before a round of that input has fewer mutants | less, and programs whose long inputs matter lose (calc: 423 to 406 outcomes) */
#define ROUND_LEAST LIMIT(4, 1) /* mutants that it has in any case | by hand (tries) */
#define STEP_LIMIT LIMIT(4096, 8) /* bytes of an input that gets deterministic changes | bounds the runs of one stage */
#define REMEMBERED LIMIT((1u << 16), 2) /* mutants that are not run again soon; a power of two | memory: half a megabyte */
#define BATCH LIMIT(64, 2) /* mutants that are made before they are run | a round trip to the harness costs as much as a run of some */
#define BATCH_TIME LIMIT(0.02, 0.001) /* seconds that a batch may take, by its parent's run | a look at the clock comes soon enough */
#define TRIAL_BYTES LIMIT((256u << 10), 64) /* bytes of shorter inputs that are made before they are run | a batch of short ones fits */
#define PAUSE_RUNS LIMIT(16, 1) /* runs between two looks whether to pause | a look costs less than a run */
#define OFFERS LIMIT(16384, 2) /* inputs that wait for being run | half a second of runs */
#define OFFERS_BYTES LIMIT((8u << 20), 4096) /* of these | memory of the stage */
#define OFFERS_FIRST LIMIT(4096, 2) /* runs of offers before their yield counts | enough to tell one in a thousand */
#define OFFERS_SHARE 0.5 /* of all runs that offers may have while they find more than mutants | mutants find what offers begin with */
#define OFFERS_LEAST 0.05 /* the same where they find less | what they are worth may change */
#define WEIGHT_ONE 1024.0 /* scale of the weights | fixed point */

struct entry {
	uint8_t *data;
	size_t size;
	uint64_t id;
	double seconds;
	uint64_t signature;
	uint64_t step; /* the next deterministic change; UINT64_MAX: no more */
	uint64_t runs, found;
	uint32_t rounds;
	uint64_t cycle; /* the last one it had a round in; they count from 1 */
	uint32_t tops;
	uint32_t weight;
	uint8_t known; /* its run was seen */
	uint8_t rare_count, hot_count;
	uint32_t rare[RARE], hot[HOT];
};

/* A mutant that waits for its run. */
struct made {
	size_t at, size; /* in st->made */
	enum { MADE_RANDOM, MADE_STEP, MADE_PARENT, MADE_OFFER } kind;
};

/* One that somebody else made of an input of the queue. */
struct offered {
	uint64_t parent;
	size_t at, size; /* in st->offers.bytes */
};

struct stage {
	struct stage_options o;
	struct exec *exec;
	const struct cover *cover;
	struct havoc *havoc;
	struct stage_hooks hooks;
	size_t had_round; /* inputs, in this cycle */
	struct stage_stats stats;
	VEC(struct entry) entries;
	VEC(uint64_t) tree; /* Fenwick; tree.data[0] is not used */
	uint32_t *users, *top;
	uint32_t outcomes; /* of these two */
	double size_sum, seconds_sum;
	uint64_t known; /* entries in the sums */
	struct buf mutant, trial;
	struct buf made; /* the bytes of the batch's mutants */
	VEC(struct made) batch;
	VEC(struct exec_input) inputs;
	uint64_t reference; /* signature of the parent's own run in this round; 0: none yet */
	uint64_t *seen;
	unsigned until_pause;
	int paused;
	uint64_t offering; /* the input of the queue that what is run now was made of by somebody else; 0: by us */
	struct offers {
		struct buf bytes;
		VEC(struct offered) list;
		size_t next;
	} offers; /* inputs that others made, to be run */
};

struct stage *stage_new(const struct stage_options *o, struct exec *e, const struct cover *c,
			struct havoc *h, const struct stage_hooks *hooks)
{
	struct stage *st = mem_zalloc(sizeof *st);

	st->o = *o;
	if (!st->o.trim_runs)
		st->o.trim_runs = 256;
	st->exec = e;
	exec_set_patient(e, o->repeatable);
	st->cover = c;
	st->havoc = h;
	st->hooks = *hooks;
	st->seen = mem_zalloc(REMEMBERED * sizeof *st->seen);
	vec_push(&st->tree, 0);
	return st;
}

void stage_free(struct stage *st)
{
	if (!st)
		return;
	for (size_t i = 0; i < st->entries.size; i++)
		free(st->entries.data[i].data);
	vec_release(&st->entries);
	vec_release(&st->tree);
	buf_release(&st->mutant);
	buf_release(&st->trial);
	buf_release(&st->made);
	vec_release(&st->batch);
	vec_release(&st->inputs);
	buf_release(&st->offers.bytes);
	vec_release(&st->offers.list);
	free(st->users);
	free(st->top);
	free(st->seen);
	free(st);
}

size_t stage_count(const struct stage *st)
{
	return st->entries.size;
}

const struct stage_stats *stage_stats(const struct stage *st)
{
	return &st->stats;
}

/* ------------------------------------------------------------- weights */

static void tree_add(struct stage *st, size_t index, int64_t by)
{
	for (size_t i = index + 1; i < st->tree.size; i += i & -i)
		st->tree.data[i] += (uint64_t)by;
}

/* A new last element: its node sums the nodes below it. */
static void tree_append(struct stage *st)
{
	size_t i = st->tree.size;
	uint64_t sum = 0;

	for (size_t j = i - 1; j > i - (i & -i); j -= j & -j)
		sum += st->tree.data[j];
	vec_push(&st->tree, sum);
}

static uint64_t tree_sum(const struct stage *st)
{
	uint64_t sum = 0;

	for (size_t i = st->tree.size - 1; i; i -= i & -i)
		sum += st->tree.data[i];
	return sum;
}

/* The element in whose share of the sum `at` lies. */
static size_t tree_find(const struct stage *st, uint64_t at)
{
	size_t i = 0, bit = 1;

	while (bit * 2 < st->tree.size)
		bit *= 2;
	for (; bit; bit /= 2)
		if (i + bit < st->tree.size && st->tree.data[i + bit] <= at) {
			i += bit;
			at -= st->tree.data[i];
		}
	return i < st->entries.size ? i : st->entries.size - 1;
}

static double clamp(double x, double least, double most)
{
	return x < least ? least : x > most ? most : x;
}

/* Cheaper than the average: up to 2; dearer: down to a fifth. */
static double thrift(double cost, double sum, uint64_t count)
{
	return cost <= 0 || !count ? 1 : clamp(sum / (double)count / cost, 0.2, 2);
}

static uint32_t weight_of(const struct stage *st, const struct entry *e)
{
	double w = e->tops ? 1 : 0.05, rarity = 0;

	for (unsigned i = 0; i < e->rare_count; i++)
		rarity += 1.0 / st->users[e->rare[i]];
	w *= 1 + clamp(rarity, 0, 8);
	w *= thrift((double)e->size + 16, st->size_sum + 16 * (double)st->known, st->known);
	if (!st->o.repeatable)
		w *= thrift(e->seconds, st->seconds_sum, st->known);
	w *= clamp((1 + 4 * (double)e->found) / (1 + (double)e->runs / 4096), 0.2, 4);
	w /= 1 + e->rounds / 2.0;
	return (uint32_t)clamp(w * WEIGHT_ONE, 1, 1u << 20);
}

static void weigh(struct stage *st, size_t index)
{
	struct entry *e = &st->entries.data[index];
	uint32_t w = weight_of(st, e);

	tree_add(st, index, (int64_t)w - e->weight);
	e->weight = w;
}

/* --------------------------------------------------------------- queue */

static void grow_outcomes(struct stage *st, uint32_t count)
{
	if (count <= st->outcomes)
		return;
	st->users = mem_realloc(st->users, count, sizeof *st->users);
	st->top = mem_realloc(st->top, count, sizeof *st->top);
	for (uint32_t i = st->outcomes; i < count; i++) {
		st->users[i] = 0;
		st->top[i] = NONE;
	}
	st->outcomes = count;
}

static double cost_of(const struct stage *st, const struct entry *e)
{
	return ((double)e->size + 16) * (st->o.repeatable ? 1 : e->seconds + 20e-6);
}

static void take_top(struct stage *st, uint32_t outcome, uint32_t index)
{
	uint32_t old = st->top[outcome];
	const struct entry *e = &st->entries.data[index];

	if (old != NONE && cost_of(st, &st->entries.data[old]) <= cost_of(st, e))
		return;
	st->top[outcome] = index;
	st->entries.data[index].tops++;
	if (old != NONE && !--st->entries.data[old].tops)
		weigh(st, old);
}

/* Keeps the rarest: a list of RARE, of which the commonest gives way. */
static void note_rare(struct stage *st, struct entry *e, uint32_t outcome, uint32_t *most)
{
	if (e->rare_count < RARE) {
		e->rare[e->rare_count++] = outcome;
		if (e->rare_count < RARE)
			return;
	} else if (st->users[outcome] < st->users[e->rare[*most]]) {
		e->rare[*most] = outcome;
	} else {
		return;
	}
	*most = 0;
	for (uint32_t i = 1; i < RARE; i++)
		if (st->users[e->rare[i]] > st->users[e->rare[*most]])
			*most = i;
}

/* The input's run: what it takes, how long it lasts. */
static void learn(struct stage *st, uint32_t index, const struct exec_result *r)
{
	struct entry *e = &st->entries.data[index];
	uint32_t most = 0;

	grow_outcomes(st, r->count);
	e->known = 1;
	e->seconds = r->seconds;
	e->signature = cover_signature(r);
	st->size_sum += (double)e->size;
	st->seconds_sum += r->seconds;
	st->known++;
	for (uint32_t i = 0; i < r->count; i++)
		if (r->counters[i]) {
			st->users[i]++;
			take_top(st, i, index);
			note_rare(st, e, i, &most);
		}
	weigh(st, index);
}

void stage_add(struct stage *st, uint64_t id, const void *data, size_t size,
	       const struct exec_result *r)
{
	struct entry e = {.size = size, .id = id};
	uint32_t index = (uint32_t)st->entries.size;

	e.data = mem_alloc(size + 1);
	if (size)
		memcpy(e.data, data, size);
	if (size > STEP_LIMIT || st->o.no_steps)
		e.step = UINT64_MAX;
	vec_push(&st->entries, e);
	tree_append(st);
	if (r)
		learn(st, index, r);
	else
		weigh(st, index);
}

/* ---------------------------------------------------------------- runs */

static int failed(const struct exec_result *r)
{
	return r->end != RUN_EXIT && r->end != RUN_FAILED && r->end != RUN_WAITING && r->end != RUN_CUT;
}

static void look_whether_to_pause(struct stage *st, uint32_t runs)
{
	st->until_pause += runs;
	if (!st->hooks.pause || st->until_pause < PAUSE_RUNS)
		return;
	st->until_pause = 0;
	st->paused |= st->hooks.pause(st->hooks.ctx) != 0;
}

static void count_runs(struct stage *st, uint32_t runs, const struct exec_result *last)
{
	st->stats.runs += runs;
	look_whether_to_pause(st, runs);
	st->paused |= last->end == RUN_CUT;
}

static int run(struct stage *st, const struct buf *input, struct exec_result *r)
{
	if (exec_run(st->exec, input->data, input->size, r))
		return -1;
	count_runs(st, 1, r);
	return 0;
}

/* Inputs with one block less each, from the one that ends at `end` down: the first of them that does the same is taken. */
struct trial {
	struct exec_input inputs[BATCH];
	size_t from[BATCH]; /* where the block began */
	uint32_t count;
};

static void make_trials(struct stage *st, const struct buf *data, size_t end, size_t block, uint32_t most, struct trial *t)
{
	size_t room = TRIAL_BYTES;

	buf_clear(&st->trial);
	for (t->count = 0; end && t->count < most && t->count < BATCH && (!t->count || room >= data->size); t->count++) {
		size_t from = end > block ? end - block : 0;

		buf_add(&st->trial, data->data, from);
		buf_add(&st->trial, data->data + end, data->size - end);
		t->inputs[t->count] = (struct exec_input){.size = data->size - (end - from)};
		t->from[t->count] = end = from;
		room -= room < data->size ? room : data->size;
	}
	/* The buffer stays where it is from now on. */
	for (size_t i = 0, at = 0; i < t->count; at += t->inputs[i++].size)
		t->inputs[i].data = st->trial.data + at;
}

static int run_trials(struct stage *st, struct trial *t, uint64_t looped, uint32_t *done, struct exec_result *r)
{
	static const struct exec_seen nothing; /* so that whatever the one run takes is new */

	if (looped ? exec_until(st->exec, t->inputs, t->count, looped, done, r) : exec_batch(st->exec, t->inputs, t->count, &nothing, done, r))
		return -1;
	count_runs(st, *done, r);
	return 0;
}

int stage_trim(struct stage *st, struct buf *data, struct exec_result *r, uint32_t max_runs)
{
	uint64_t signature = cover_signature(r), looped = r->signature;
	size_t before = data->size, block = 1;
	uint32_t runs = 0, done;
	int current = 1; /* *r is the run of *data */

	while (block * 2 < data->size)
		block *= 2;
	/* From the end, since what stands there has least after it that refers to it. */
	for (; block && runs < max_runs; block /= 2)
		for (size_t end = data->size; end > 0 && runs < max_runs && !st->paused;) {
			struct trial t;

			make_trials(st, data, end, block, looped ? max_runs - runs : 1, &t);
			if (run_trials(st, &t, looped, &done, r))
				return -1;
			runs += done;
			current = !r->quiet && r->end == RUN_EXIT && cover_signature(r) == signature;
			if (current) {
				buf_clear(data);
				buf_add(data, t.inputs[done - 1].data, t.inputs[done - 1].size);
			}
			end = t.from[done - 1];
		}
	st->stats.trim_runs += runs + !current;
	st->stats.trimmed_bytes += before - data->size;
	if (!current && run(st, data, r))
		return -1;
	return data->size < before;
}

/* Runs that trimming one find may take. What is found early is not trimmed: it is soon replaced by what is found of it. */
static uint32_t trim_runs(const struct stage *st)
{
	double allowed = TRIM_FIRST + TRIM_SHARE * (double)(st->stats.runs - st->stats.trim_runs) - (double)st->stats.trim_runs;

	return (uint32_t)clamp(allowed, 0, st->o.trim_runs);
}

/* Something new: shortened, if it does the same again, and handed over. */
static int hand_over(struct stage *st, uint32_t index, struct exec_result *r,
		     struct cover_news news)
{
	struct buf found = BUF_EMPTY;
	int e = 0;

	uint32_t trim = st->o.no_trim || failed(r) || st->mutant.size <= 4 ? 0 : trim_runs(st);

	buf_add(&found, st->mutant.data, st->mutant.size);
	if (trim) {
		uint64_t signature = cover_signature(r);

		e = run(st, &found, r);
		if (!e && cover_signature(r) == signature && r->end == RUN_EXIT) {
			e = stage_trim(st, &found, r, trim) < 0 ? -1 : 0;
			if (!e)
				news = cover_look((struct cover *)st->cover, r, 0, NULL, NULL);
		}
	}
	if (!e && (failed(r) || news.outcomes || news.classes)) {
		struct entry *parent = &st->entries.data[index];

		if (st->offering) {
			st->stats.offers_found++;
		} else {
			st->stats.found++;
			parent->found += !failed(r);
		}
		e = st->hooks.found(st->hooks.ctx, st->offering ? st->offering : parent->id, (uint8_t *)found.data, found.size, r,
				    news);
	}
	buf_release(&found);
	return e;
}

/* 1 if the mutant was run lately. */
static int remembered(struct stage *st)
{
	uint64_t hash = hash64(st->mutant.data, st->mutant.size, 1) | 1;
	uint64_t *slot = &st->seen[(hash >> 20) % REMEMBERED];

	if (*slot == hash)
		return 1;
	*slot = hash;
	return 0;
}

/* A deterministic change made a difference: its place is worth more changes. */
static void note_hot(struct entry *e, const struct buf *mutant)
{
	const uint8_t *p = (const uint8_t *)mutant->data;
	uint32_t at = 0;

	if (e->hot_count == HOT || mutant->size != e->size)
		return;
	while (at < e->size && p[at] == e->data[at])
		at++;
	if (at < e->size && (!e->hot_count || e->hot[e->hot_count - 1] != at))
		e->hot[e->hot_count++] = at;
}

/* A change that does not show in the counters is at a place that does not matter, as far as we can see. Where runs have processes of their
 * own the counters are at hand, and in a loop the runtime's signatures. */
static void note_difference(struct stage *st, uint32_t index, const struct made *m, const struct exec_input *input, const struct exec_result *r)
{
	struct buf mutant = {(char *)input->data, input->size, input->size};
	uint64_t own = st->entries.data[index].signature, other;

	if (m->kind == MADE_PARENT) {
		st->reference = input->signature;
		return;
	}
	if (m->kind != MADE_STEP)
		return;
	if (input->signature) {
		own = st->reference;
		other = input->signature;
	} else if (r && !r->quiet && !failed(r)) {
		other = cover_signature(r);
	} else {
		return;
	}
	if (own && own != other)
		note_hot(&st->entries.data[index], &mutant);
}

/* What came of inputs [from, from + done) of the batch, of which the last has r. */
static int take_results(struct stage *st, uint32_t index, uint32_t from, uint32_t done, struct exec_result *r)
{
	const struct exec_input *last = &st->inputs.data[from + done - 1];
	struct cover_news news;

	st->stats.runs += done;
	st->paused |= r->end == RUN_CUT;
	for (uint32_t i = from; i < from + done; i++) {
		const struct made *m = &st->batch.data[i];

		st->stats.mutants += m->kind != MADE_PARENT;
		st->stats.offers += m->kind == MADE_OFFER;
		st->entries.data[index].runs += m->kind == MADE_RANDOM || m->kind == MADE_STEP;
		note_difference(st, index, m, &st->inputs.data[i], i + 1 == from + done ? r : NULL);
	}
	if (r->quiet)
		return 0;
	news = cover_look((struct cover *)st->cover, r, 0, NULL, NULL);
	if (!failed(r) && !news.outcomes && !news.classes)
		return 0;
	buf_clear(&st->mutant);
	buf_add(&st->mutant, last->data, last->size);
	return hand_over(st, index, r, news);
}

/* Runs the mutants that were made. A pause is looked for before and after: what is left of them is the next slice's loss, and in
 * repeatable mode there is nothing left. */
static int run_batch(struct stage *st, uint32_t index)
{
	uint32_t count = (uint32_t)st->batch.size, done = 0;

	st->inputs.size = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct exec_input input = {.data = st->made.data + st->batch.data[i].at, .size = st->batch.data[i].size};

		vec_push(&st->inputs, input);
	}
	for (uint32_t from = 0; from < count; from += done) {
		struct exec_seen seen = {st->cover->seen, st->cover->count, st->cover->version};
		struct exec_result r;

		if (exec_batch(st->exec, st->inputs.data + from, count - from, &seen, &done, &r))
			return -1;
		if (take_results(st, index, from, done, &r))
			return -1;
		if (st->o.repeatable)
			continue;
		look_whether_to_pause(st, done);
		if (st->paused)
			break;
	}
	if (st->o.repeatable)
		look_whether_to_pause(st, count);
	st->batch.size = 0;
	buf_clear(&st->made);
	return 0;
}

static void put_in_batch(struct stage *st, const void *data, size_t size, int kind)
{
	struct made m = {.at = st->made.size, .size = size, .kind = kind};

	buf_add(&st->made, data, size);
	vec_push(&st->batch, m);
}

static uint32_t batch_size(const struct stage *st, const struct entry *e)
{
	if (st->o.repeatable || e->seconds <= 0)
		return BATCH;
	return (uint32_t)clamp(BATCH_TIME / e->seconds, 1, BATCH);
}

/* --------------------------------------------------------------- rounds */

static int has_steps(const struct entry *e)
{
	return e->step != UINT64_MAX && e->tops;
}

/* Makes the next mutant. 1 if it is a deterministic change. */
static int next_mutant(struct stage *st, uint32_t index, unsigned number)
{
	struct entry *e = &st->entries.data[index];
	const struct entry *other;
	/* Hot offsets steer where most of a long input does not matter, and no further. */
	int steer = e->step == UINT64_MAX && e->hot_count && e->hot_count < HOT &&
		    e->size > 4u * e->hot_count;

	if (has_steps(e) && number % 4 == 0) {
		if (havoc_step(st->havoc, e->data, e->size, e->step++, &st->mutant)) {
			st->stats.steps++;
			return 1;
		}
		e->step = UINT64_MAX;
	}
	other = &st->entries.data[havoc_random(st->havoc, st->entries.size)];
	havoc_stack(st->havoc, e->data, e->size, other->data, other->size, steer ? e->hot : NULL,
		    e->hot_count, &st->mutant);
	return 0;
}

/* A cycle ends when every input had a round in it, those too that came while it lasted. */
static void count_cycle(struct stage *st, struct entry *e)
{
	if (e->cycle > st->stats.cycles)
		return;
	e->cycle = st->stats.cycles + 1;
	if (++st->had_round < st->entries.size)
		return;
	st->stats.cycles++;
	st->had_round = 0;
}

/* How many mutants a round of this input has. The weight knows of costs, but not of those that are a thousand times the average: the solver makes inputs of
 * many kilobytes, and one of these had half of all the time for mutation. */
static unsigned round_of(const struct stage *st, const struct entry *e)
{
	unsigned mutants = e->rounds ? ROUND : 2 * ROUND;
	double cost = st->o.repeatable ? (double)e->size + 16 : e->seconds;
	double sum = st->o.repeatable ? st->size_sum + 16 * (double)st->known : st->seconds_sum;
	double dear = e->known && sum > 0 ? cost * (double)st->known / sum / DEAR : 0;

	return dear > 1 ? (unsigned)clamp(mutants / dear, ROUND_LEAST, mutants) : mutants;
}

static int run_round(struct stage *st, uint32_t index, uint64_t end)
{
	if (!st->entries.data[index].known) {
		struct entry *e = &st->entries.data[index];
		struct buf input = {(char *)e->data, e->size, e->size + 1};
		struct exec_result r;

		if (run(st, &input, &r))
			return -1;
		learn(st, index, &r);
	}
	unsigned mutants = round_of(st, &st->entries.data[index]);
	st->reference = 0;
	if (has_steps(&st->entries.data[index]))
		put_in_batch(st, st->entries.data[index].data, st->entries.data[index].size, MADE_PARENT);
	for (unsigned i = 0; i < mutants && !st->paused && st->stats.runs + st->batch.size < end; i++) {
		int step = next_mutant(st, index, i);

		if (remembered(st))
			st->stats.repeated++;
		else
			put_in_batch(st, st->mutant.data, st->mutant.size, step ? MADE_STEP : MADE_RANDOM);
		if (st->batch.size >= batch_size(st, &st->entries.data[index]) && run_batch(st, index))
			return -1;
	}
	if (st->batch.size && !st->paused && run_batch(st, index))
		return -1;
	st->batch.size = 0;
	buf_clear(&st->made);
	st->stats.rounds++;
	st->entries.data[index].rounds++;
	count_cycle(st, &st->entries.data[index]);
	weigh(st, index);
	return 0;
}

/* -------------------------------------------------------------- offers */

int stage_takes_offers(const struct stage *st)
{
	return st->offers.list.size < OFFERS && st->offers.bytes.size < OFFERS_BYTES;
}

void stage_offer(struct stage *st, uint64_t parent, const void *data, size_t size)
{
	struct offered o = {parent, st->offers.bytes.size, size};

	if (!stage_takes_offers(st))
		return;
	buf_add(&st->offers.bytes, data, size);
	vec_push(&st->offers.list, o);
}

/* Are they due? They have half of the runs while they find more than mutants do, else a small part. */
static int offers_due(const struct stage *st)
{
	const struct stage_stats *s = &st->stats;
	double offered = (double)s->offers, others = (double)(s->runs - s->trim_runs - s->offers);
	double rate = (double)s->offers_found / (offered + 1), other = (double)s->found / (others + 1);

	if (st->offers.next == st->offers.list.size)
		return 0;
	return offered < OFFERS_FIRST + (rate >= other ? OFFERS_SHARE : OFFERS_LEAST) * (others + offered);
}

/* The next of them that have one parent. */
static int run_offers(struct stage *st)
{
	uint64_t parent = st->offers.list.data[st->offers.next].parent;
	int e;

	for (; st->offers.next < st->offers.list.size && st->batch.size < BATCH; st->offers.next++) {
		const struct offered *o = &st->offers.list.data[st->offers.next];

		if (o->parent != parent)
			break;
		buf_clear(&st->mutant);
		buf_add(&st->mutant, st->offers.bytes.data + o->at, o->size);
		if (remembered(st))
			st->stats.repeated++;
		else
			put_in_batch(st, st->mutant.data, st->mutant.size, MADE_OFFER);
	}
	if (st->offers.next == st->offers.list.size) {
		st->offers.next = 0;
		vec_clear(&st->offers.list);
		buf_clear(&st->offers.bytes);
	}
	st->offering = parent;
	e = st->batch.size ? run_batch(st, 0) : 0; /* no input of the queue has these runs on its account */
	st->offering = 0;
	return e;
}

int stage_run(struct stage *st, uint64_t runs)
{
	uint64_t end = st->stats.runs + runs, tries = 0;
	int e = 0;

	st->paused = 0;
	if (!st->entries.size)
		return 0;
	exec_burst(st->exec, 1);
	/* An input of a byte may have no mutant left that was not run: rounds are bounded too. */
	while (!e && !st->paused && st->stats.runs < end && tries++ < runs) {
		if (offers_due(st)) {
			e = run_offers(st);
		} else {
			size_t index = tree_find(st, havoc_random(st->havoc, tree_sum(st)));

			e = run_round(st, (uint32_t)index, end);
		}
	}
	exec_burst(st->exec, 0);
	return e;
}
