/* shrink.c: from inputs that fail to the plainest that fail in the same places.
 *
 * Starting the san variant costs more than a hundred calls in it, so all inputs are made small
 * together: in each round every one of them has some dozens of changes tried, each on the best form
 * so far, all in one batch. Of an input, the changes that keep the failure are then put together;
 * if all of them at once keep it as well (a second batch) that is the new best, else the first of
 * them is.
 *
 * Rounds: the canonical form; groups of bytes become 0; words become small numbers; bytes become 1
 * or half of what they were; the canonical form again.
 *
 * What fails, fails soon: a call has only the limit of the search here, and an input whose changes
 * make it run on and on stays as it is.
 */
#include "base/error.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define CHANGES 32 /* of one input in a round */
#define ZERO_ROUNDS 3
#define WAVE 8  /* of these in one batch */
#define HANGS 4 /* of one input's changes: then it is left alone */

struct change {
	size_t at[8]; /* bytes */
	unsigned count;
	uint8_t value; /* of the first; the others become 0 */
};

/* An input that is tried: one of a job's. */
struct attempt {
	size_t job;
	struct buf input;
	struct change change;
	unsigned order; /* among the changes of its job */
	int keeps;
};
typedef VEC(struct attempt) attempt_list;

static void apply(struct buf *b, const struct change *c)
{
	for (unsigned i = 0; i < c->count; i++)
		b->data[c->at[i]] = (char)(i ? 0 : c->value);
}

static void release(attempt_list *list)
{
	for (size_t i = 0; i < list->size; i++)
		buf_release(&list->data[i].input);
	vec_release(list);
}

/* Runs those of the wave and says which keep their job's failure. */
static int try_wave(struct test_session *s, struct test_shrink_job *jobs, attempt_list *list, unsigned wave)
{
	struct batch_item *items = mem_zalloc((list->size + 1) * sizeof *items);
	size_t *which = mem_zalloc((list->size + 1) * sizeof *which), n = 0;
	for (size_t i = 0; i < list->size; i++) {
		const struct attempt *a = &list->data[i];
		if (a->order / WAVE != wave || (wave && jobs[a->job].hangs >= HANGS))
			continue;
		which[n] = i;
		items[n++] = (struct batch_item){.data = a->input.data, .size = a->input.size};
	}
	int r = n ? batch_run(s->check.batch, items, n) : 0;
	for (size_t k = 0; k < n && !r; k++) {
		struct attempt *a = &list->data[which[k]];
		a->keeps = items[k].ran && batch_item_shows(&items[k], jobs[a->job].bucket);
		jobs[a->job].hangs += items[k].timed != 0;
	}
	s->costs.checks += n;
	batch_items_release(items, n);
	free(items);
	free(which);
	return r;
}

static int try_all(struct test_session *s, struct test_shrink_job *jobs, attempt_list *list)
{
	int r = 0;
	for (unsigned wave = 0; wave <= CHANGES / WAVE && !r; wave++)
		r = try_wave(s, jobs, list, wave);
	return r;
}

/* ----------------------------------------------------------------- changes */

/* Groups of bytes that are not 0, as small as they may be. */
static size_t zeros(const struct test_session *s, const struct test_shrink_job *j, struct change *out)
{
	const struct buf *b = &j->data;
	size_t used = 0, count = 0;
	(void)s;
	for (size_t i = DRIVE_PREFIX; i < b->size; i++)
		used += b->data[i] != 0;
	unsigned group = used > CHANGES ? (unsigned)((used + CHANGES - 1) / CHANGES) : 1;
	group = group > 8 ? 8 : group;
	for (size_t i = DRIVE_PREFIX; i < b->size; i++) {
		if (!b->data[i])
			continue;
		if (!count || out[count - 1].count == group) {
			if (count == CHANGES)
				break;
			out[count++] = (struct change){.value = 0};
		}
		out[count - 1].at[out[count - 1].count++] = i;
	}
	return count;
}

/* Numbers that are small as numbers: 0x3000000 fails like 3. */
static size_t words(const struct test_session *s, const struct test_shrink_job *j, struct change *out)
{
	static const uint8_t values[] = {1, 2, 4, 8, 16, 32, 64, 127, 255};
	const struct buf *b = &j->data;
	size_t count = 0, n = sizeof values;
	(void)s;
	for (size_t i = DRIVE_PREFIX; i + 4 <= b->size && count + n <= CHANGES; i += 4) {
		uint32_t v;
		memcpy(&v, b->data + i, sizeof v);
		for (size_t k = 0; k < n && v > 255; k++)
			out[count++] = (struct change){{i, i + 1, i + 2, i + 3}, 4, values[k]};
	}
	return count;
}

/* A pointer to another object is not a smaller one, and may close a circle. */
static size_t smaller(const struct test_session *s, const struct test_shrink_job *j, struct change *out)
{
	const struct buf *b = &j->data;
	size_t count = 0;
	for (size_t i = DRIVE_PREFIX; i < b->size && count + 2 <= CHANGES; i++) {
		uint8_t v = (uint8_t)b->data[i];
		if (v > 1 && v <= DRIVE_OBJECTS + 1 && harness_taken(s->driven.harness, j->number, b->data, b->size, i))
			continue;
		if (v > 1)
			out[count++] = (struct change){{i}, 1, 1};
		if (v > 3)
			out[count++] = (struct change){{i}, 1, v / 2};
	}
	return count;
}

/* ------------------------------------------------------------------ rounds */

static void add(attempt_list *list, size_t job, unsigned order, const struct buf *from, const struct change *c)
{
	struct attempt a = {.job = job, .order = order, .change = *c};
	buf_add(&a.input, from->data, from->size);
	apply(&a.input, c);
	vec_push(list, a);
}

/* For each job with several changes that keep the failure: all of them at once. */
static void put_together(const struct test_shrink_job *jobs, const attempt_list *list,
			 attempt_list *merged)
{
	for (size_t i = 0, end; i < list->size; i = end) {
		size_t kept = 0;
		struct attempt a = {.job = list->data[i].job};
		for (end = i; end < list->size && list->data[end].job == a.job; end++)
			kept += (size_t)list->data[end].keeps;
		if (kept < 2)
			continue;
		buf_add(&a.input, jobs[a.job].data.data, jobs[a.job].data.size);
		for (size_t k = end;
		     k-- > i;) /* the first of those that change the same bytes counts */
			if (list->data[k].keeps)
				apply(&a.input, &list->data[k].change);
		vec_push(merged, a);
	}
}

static void take_best(struct test_shrink_job *jobs, attempt_list *list, attempt_list *merged)
{
	for (size_t i = list->size; i-- > 0;) /* the first that keeps it stays */
		if (list->data[i].keeps) {
			jobs[list->data[i].job].better = 1;
			jobs[list->data[i].job].first = i;
		}
	for (size_t i = 0; i < merged->size; i++)
		if (merged->data[i].keeps) {
			struct test_shrink_job *j = &jobs[merged->data[i].job];
			struct buf old = j->data;
			j->data = merged->data[i].input;
			merged->data[i].input = old;
			j->first = SIZE_MAX;
		}
}

/* One round for all jobs that are still getting better (or all). */
static int round_of(struct test_session *s, struct test_shrink_job *jobs, size_t count,
		    int only_better,
		    size_t (*changes)(const struct test_session *s, const struct test_shrink_job *j, struct change *out))
{
	attempt_list list = {0}, merged = {0};
	struct change c[CHANGES];
	for (size_t i = 0; i < count; i++) {
		size_t n = (only_better && !jobs[i].better) || jobs[i].hangs >= HANGS ? 0 : changes(s, &jobs[i], c);
		jobs[i].better = 0;
		for (unsigned k = 0; k < n; k++)
			add(&list, i, k, &jobs[i].data, &c[k]);
	}
	int r = list.size ? try_all(s, jobs, &list) : 0;
	if (!r)
		put_together(jobs, &list, &merged);
	if (!r && merged.size)
		r = try_all(s, jobs, &merged);
	if (!r) {
		take_best(jobs, &list, &merged);
		for (size_t i = 0; i < count; i++)
			if (jobs[i].better && jobs[i].first != SIZE_MAX)
				apply(&jobs[i].data, &list.data[jobs[i].first].change);
	}
	release(&list);
	release(&merged);
	return r;
}

static int canonical(struct test_session *s, struct test_shrink_job *jobs, size_t count)
{
	attempt_list list = {0};
	for (size_t i = 0; i < count; i++) {
		struct attempt a = {.job = i};
		buf_add(&a.input, jobs[i].data.data, jobs[i].data.size);
		harness_canonical(s->driven.harness, jobs[i].number, &a.input);
		vec_push(&list, a);
	}
	int r = try_all(s, jobs, &list);
	for (size_t i = 0; i < list.size && !r; i++)
		if (list.data[i].keeps) {
			struct buf old = jobs[i].data;
			jobs[i].data = list.data[i].input;
			list.data[i].input = old;
		}
	release(&list);
	return r;
}

static int all_rounds(struct test_session *s, struct test_shrink_job *jobs, size_t count, int quick)
{
	int r = count ? canonical(s, jobs, count) : 0;
	for (int i = 0; i < (quick ? 1 : ZERO_ROUNDS) && !r && count && !test_late(s); i++)
		r = round_of(s, jobs, count, i > 0, zeros);
	if (r || !count || quick || test_late(s))
		return r;
	return round_of(s, jobs, count, 0, words) || round_of(s, jobs, count, 0, smaller) ||
		       canonical(s, jobs, count)
		   ? -1
		   : 0;
}

int test_shrink(struct test_session *s, struct test_shrink_job *jobs, size_t count, int quick)
{
	batch_set_time(s->check.batch, s->o->run_time);
	int r = all_rounds(s, jobs, count, quick);
	batch_set_time(s->check.batch, s->o->run_time * TEST_SAN_SLOWER);
	return r;
}
