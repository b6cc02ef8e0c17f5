/* minimize.c: delta debugging by blocks, then plainer bytes.
 *
 * Removal goes from large blocks to single bytes and from the end to the front (ends are
 * most often superfluous, and what is removed there moves nothing). After a success the
 * next block is twice as large, so that a long superfluous stretch costs a logarithm of
 * its length. Then bytes are made '0', else ' ', else 0: whole blocks first, then every byte of
 * a value, then byte by byte. Since plainer bytes may allow more to be removed, all of it is
 * repeated until nothing changes.
 *
 * Then, where the caller has means for it (repair.h), the same once more for all that was refused: a candidate that breaks a length or a checksum is
 * led back to what the accepted input does, and asked about again. What it costs counts as runs. A repaired candidate
 * must be smaller, or as long and plainer, so this ends too.
 *
 * Invariant: `data` is always an input that the callback accepted. Inputs it refused are
 * remembered by hash, so that a repeated round asks only what is new; a collision
 * can only cost size, never a wrong result.
 */
#include "search/minimize.h"

#include "base/hash.h"
#include "base/map.h"
#include "search/repair.h"

#include <string.h>

struct work {
	struct minimize *m;
	struct buf *data; /* accepted */
	struct buf next;  /* candidate */
	struct map refused;
	struct repair *repair;
	int repairing;	    /* what is refused is repaired */
	int learned;	    /* repair was asked about the accepted input: */
	int known;	    /* and knows what it does */
	uint64_t traced;    /* by others with it */
	struct map hopeless; /* candidates that were not repaired */
	int end; /* negative: failed; else enum minimize_end once stopped */
	int stopped;
};

/* Takes the candidate if the callback does. */
static int try_next(struct work *w)
{
	uint64_t h = hash64(w->next.data, w->next.size, w->next.size);
	int answer;

	if (w->stopped || map_get(&w->refused, h, NULL))
		return 0;
	if (w->m->runs + w->m->traces >= w->m->max_runs) {
		w->end = MINIMIZE_BUDGET;
		w->stopped = 1;
		return 0;
	}
	w->m->runs++;
	answer = w->m->keeps(w->m->ctx, buf_str(&w->next), w->next.size);
	if (answer > 0) {
		struct buf old = *w->data;

		*w->data = w->next;
		w->next = old;
		w->learned = 0;
		return 1;
	}
	if (answer < 0) {
		w->end = -1;
		w->stopped = 1;
	}
	map_set(&w->refused, h, 1);
	return 0;
}

/* -------------------------------------------------------- plainer bytes */

static const char plain[] = {'0', ' ', 0};
#define PLAIN ((unsigned)sizeof plain)

/* Smaller is plainer. Every change lowers a byte's rank, so changing ends. */
static unsigned rank(char c)
{
	unsigned i = 0;

	while (i < PLAIN && plain[i] != c)
		i++;
	return i;
}

static size_t ranks(const struct buf *b)
{
	size_t sum = 0;

	for (size_t i = 0; i < b->size; i++)
		sum += rank(b->data[i]);
	return sum;
}

/* -------------------------------------------------------------- repairs */

/* What was used of max_runs, and what is left of it for the repair. */
static void count_traces(struct work *w)
{
	struct minimize *m = w->m;

	m->traces = repair_traces(w->repair) - w->traced;
	repair_limit(w->repair, w->traced + m->max_runs - (m->runs < m->max_runs ? m->runs : m->max_runs));
}

static int try_repaired(void *ctx)
{
	struct work *w = ctx;
	int smaller = w->next.size < w->data->size || ranks(&w->next) < ranks(w->data);

	count_traces(w);
	int took = smaller && try_next(w);
	count_traces(w);
	return w->stopped ? -1 : took;
}

static int fail(struct work *w)
{
	w->end = -1;
	w->stopped = 1;
	return 0;
}

/* Is there something to repair? The candidate was refused. */
static int may_repair(struct work *w)
{
	uint64_t h = hash64(w->next.data, w->next.size, ~w->next.size);

	if (!w->repairing || w->stopped || !map_set(&w->hopeless, h, 1))
		return 0;
	if (!w->learned && (w->known = repair_learn(w->repair, buf_str(w->data), w->data->size)) < 0)
		return fail(w);
	w->learned = 1;
	count_traces(w);
	return w->known;
}

static int try_repairs(struct work *w)
{
	count_traces(w);
	int got = repair_input(w->repair, &w->next, try_repaired, w);
	count_traces(w);
	if (got < 0 && !w->stopped)
		return fail(w);
	w->m->repaired += got > 0;
	return got > 0;
}

/* -------------------------------------------------------------- removal */

static void without(struct work *w, size_t from, size_t to)
{
	buf_clear(&w->next);
	buf_add(&w->next, w->data->data, from);
	buf_add(&w->next, w->data->data + to, w->data->size - to);
}

/* The fields that say how long it is are lowered first: what is still wrong then is a checksum, and the rest stays in its place. */
static int try_shorter(struct work *w, size_t from, size_t to)
{
	if (!may_repair(w))
		return 0;
	if (repair_lengths(w->repair, w->data, from, to, &w->next)) {
		int got = try_next(w);

		w->m->repaired += got;
		if (got || try_repairs(w))
			return 1;
		without(w, from, to);
	}
	return !w->stopped && try_repairs(w);
}

static int try_without(struct work *w, size_t from, size_t to)
{
	without(w, from, to);
	if (!try_next(w) && !try_shorter(w, from, to))
		return 0;
	w->m->removed += to - from;
	return 1;
}

static int remove_blocks(struct work *w, size_t block)
{
	size_t end = w->data->size, size = block;
	int any = 0;

	while (end > 0 && !w->stopped) {
		size_t from = end > size ? end - size : 0;

		if (try_without(w, from, end)) {
			any = 1;
			end = from;
			size *= 2;
		} else if (size > block) {
			size = block; /* a part of it may still go */
		} else {
			end = from;
		}
	}
	return any;
}

static size_t largest_block(size_t size)
{
	size_t block = 1;

	while (block < size)
		block *= 2;
	return block;
}

static int remove_all(struct work *w)
{
	int any = 0;

	for (size_t block = largest_block(w->data->size); block && w->data->size; block /= 2)
		any |= remove_blocks(w, block);
	return any;
}

/* ------------------------------------------------- bytes made plainer */

/* In [from, to): bytes of this value (or of any worse rank, if value is negative) become `to_char`.
 */
static int try_plain(struct work *w, size_t from, size_t to, int value, char to_char)
{
	size_t changed = 0;

	buf_clear(&w->next);
	buf_add(&w->next, w->data->data, w->data->size);
	for (size_t i = from; i < to; i++) {
		char *c = &w->next.data[i];

		if (rank(*c) > rank(to_char) && (value < 0 || (unsigned char)*c == value)) {
			*c = to_char;
			changed++;
		}
	}
	if (!changed || (!try_next(w) && !(may_repair(w) && try_repairs(w))))
		return 0;
	w->m->changed += changed;
	return 1;
}

static int plain_values(struct work *w)
{
	int any = 0;

	for (int value = 0; value < 256; value++)
		for (unsigned k = 0; k < rank((char)value) && !w->stopped; k++)
			if (try_plain(w, 0, w->data->size, value, plain[k])) {
				any = 1;
				break;
			}
	return any;
}

static int plain_all(struct work *w)
{
	size_t size = w->data->size; /* stays as it is */
	int any = 0;

	for (size_t block = largest_block(size); block > 1; block /= 2)
		for (size_t at = 0; at < size && !w->stopped; at += block)
			any |=
			    try_plain(w, at, at + block < size ? at + block : size, -1, plain[0]);
	any |= plain_values(w);
	for (size_t at = 0; at < size; at++)
		for (unsigned k = 0; k < rank(w->data->data[at]) && !w->stopped; k++)
			any |= try_plain(w, at, at + 1, -1, plain[k]);
	return any;
}

/* Everything once more, with repairs. */
static int all_repaired(struct work *w)
{
	int any;

	if (w->stopped || !w->m->repair)
		return 0;
	if (!w->repair && (w->repair = w->m->repair(w->m->ctx)))
		w->traced = repair_traces(w->repair);
	if (!w->repair)
		return 0;
	w->repairing = 1;
	any = remove_all(w);
	if (!any)
		any = plain_all(w);
	w->repairing = 0;
	return any;
}

int minimize_input(struct minimize *m, struct buf *data)
{
	struct work w = {.m = m, .data = data, .end = MINIMIZE_DONE};
	int first;

	if (!m->max_runs)
		m->max_runs = MINIMIZE_RUNS;
	m->runs = 1;
	m->removed = m->changed = 0;
	m->traces = m->repaired = 0;
	first = m->keeps(m->ctx, buf_str(data), data->size);
	if (first <= 0)
		return first < 0 ? -1 : MINIMIZE_NOT;
	while (!w.stopped) {
		int any = remove_all(&w);

		any |= plain_all(&w);
		if (!any && !all_repaired(&w))
			break;
	}
	buf_release(&w.next);
	map_release(&w.refused);
	map_release(&w.hopeless);
	return w.end;
}
