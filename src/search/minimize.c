/* minimize.c: delta debugging by blocks, then plainer bytes.
 *
 * Removal goes from large blocks to single bytes and from the end to the front (ends are
 * most often superfluous, and what is removed there moves nothing). After a success the
 * next block is twice as large, so that a long superfluous stretch costs a logarithm of
 * its length. Then bytes are made '0', else ' ', else 0: whole blocks first, then every byte of
 * a value, then byte by byte. Since plainer bytes may allow more to be removed, all of it is
 * repeated until nothing changes.
 *
 * Invariant: `data` is always an input that the callback accepted. Inputs it refused are
 * remembered by hash, so that a repeated round asks only what is new; a collision
 * can only cost size, never a wrong result.
 */
#include "search/minimize.h"

#include "base/hash.h"
#include "base/map.h"

#include <string.h>

struct work {
	struct minimize *m;
	struct buf *data; /* accepted */
	struct buf next;  /* candidate */
	struct map refused;
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
	if (w->m->runs >= w->m->max_runs) {
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
		return 1;
	}
	if (answer < 0) {
		w->end = -1;
		w->stopped = 1;
	}
	map_set(&w->refused, h, 1);
	return 0;
}

/* -------------------------------------------------------------- removal */

static int try_without(struct work *w, size_t from, size_t to)
{
	buf_clear(&w->next);
	buf_add(&w->next, w->data->data, from);
	buf_add(&w->next, w->data->data + to, w->data->size - to);
	if (!try_next(w))
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
	if (!changed || !try_next(w))
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

int minimize_input(struct minimize *m, struct buf *data)
{
	struct work w = {.m = m, .data = data, .end = MINIMIZE_DONE};
	int first;

	if (!m->max_runs)
		m->max_runs = MINIMIZE_RUNS;
	m->runs = 1;
	m->removed = m->changed = 0;
	first = m->keeps(m->ctx, buf_str(data), data->size);
	if (first <= 0)
		return first < 0 ? -1 : MINIMIZE_NOT;
	while (!w.stopped) {
		int any = remove_all(&w);

		any |= plain_all(&w);
		if (!any)
			break;
	}
	buf_release(&w.next);
	map_release(&w.refused);
	return w.end;
}
