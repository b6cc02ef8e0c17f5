/* havoc.c: mutants of an input: the deterministic ones by number, and random stacks.
 *
 * Deterministic changes come in stages; a stage has a number of values to put at
 * each place, and places every `stride` bytes, where the stride grows with the input
 * so that a stage never has more than PLACES of them. Step s is found by going through the
 * stages, which are few, so no state is kept between steps. Dictionary words come last,
 * the word counting before the place: a word that is learnt later adds steps at the end and
 * moves none.
 *
 * A stack is 1 to 16 single changes (havoc_ops.c) one on the other, drawn with
 * weights that depend on whether the input looks like text.
 */
#include "search/havoc_ops.h"

#include "base/hash.h"
#include "base/limit.h"

#include <string.h>

#define PLACES LIMIT(1024, 8) /* places of an input that one deterministic stage changes | bounds the runs of one stage */
#define WORD_PLACES LIMIT(128, 2) /* places at which each dictionary word is tried | with HAVOC_WORDS 65,536 runs at most */
#define STEP_WORDS LIMIT(512, 2) /* words that are tried at each place one after the other; the others are drawn at random | with WORD_PLACES 65,536 runs at most */
#define ARITHMETIC LIMIT(16, 1) /* largest number that is added or subtracted one after the other | AFL++ has 35 */
#define CUTS LIMIT(32, 1) /* shorter inputs that are tried | bounds the runs of one stage */

void havoc_init(struct havoc *h, uint64_t seed, uint64_t limit)
{
	memset(h, 0, sizeof *h);
	h->state = hash_mix(seed + 0x9e3779b97f4a7c15ull);
	h->limit = limit ? limit : 1;
}

void havoc_release(struct havoc *h)
{
	vec_release(&h->words);
	map_release(&h->hashes);
}

uint64_t havoc_random(struct havoc *h, uint64_t below)
{
	uint64_t x = h->state += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	x ^= x >> 31;
	return below ? (uint64_t)((unsigned __int128)x * below >> 64) : 0;
}

/* --------------------------------------------------------------- words */

static int same_word(const struct havoc_word *w, const void *data, size_t size)
{
	return w->size == size && !memcmp(w->data, data, size);
}

/* Of words that gave way, too, the hashes are kept, but not for ever. */
static int is_met(struct havoc *h, const void *data, size_t size)
{
	if (h->hashes.size > 4 * HAVOC_WORDS) {
		map_clear(&h->hashes);
		for (size_t i = 0; i < h->words.size; i++)
			map_set(&h->hashes, hash64(h->words.data[i].data, h->words.data[i].size, 0), 1);
	}
	return !map_set(&h->hashes, hash64(data, size, 0), 1);
}

void havoc_word(struct havoc *h, const void *data, size_t size)
{
	struct havoc_word w = {.size = (uint8_t)size};

	if (!size || size > sizeof w.data)
		return;
	int met = is_met(h, data, size);
	for (size_t i = 0; met && i < h->words.size; i++)
		if (same_word(&h->words.data[i], data, size))
			return;
	memcpy(w.data, data, size);
	if (h->words.size < HAVOC_WORDS) {
		vec_push(&h->words, w);
	} else if (h->user_words < HAVOC_WORDS) {
		/* The oldest automatic one goes; the others keep their order. */
		memmove(h->words.data + h->user_words, h->words.data + h->user_words + 1,
			(HAVOC_WORDS - 1 - h->user_words) * sizeof w);
		h->words.data[HAVOC_WORDS - 1] = w;
	}
}

/* -------------------------------------------------------------- stages */

struct stage {
	unsigned width;	 /* bytes that a change covers */
	uint64_t values; /* changes at each place */
	void (*change)(struct havoc *h, uint8_t *p, unsigned width, uint64_t value);
};

static void change_bit(struct havoc *h, uint8_t *p, unsigned width, uint64_t value)
{
	(void)h, (void)width;
	*p ^= (uint8_t)(1u << value);
}

static void change_flip(struct havoc *h, uint8_t *p, unsigned width, uint64_t value)
{
	(void)h, (void)value;
	for (unsigned i = 0; i < width; i++)
		p[i] ^= 0xff;
}

/* The value's lowest bit is the direction, the next the byte order. */
static void change_add(struct havoc *h, uint8_t *p, unsigned width, uint64_t value)
{
	uint64_t by = 1 + (value >> 1) % ARITHMETIC;
	int big = (value >> 1) / ARITHMETIC != 0;

	(void)h;
	havoc_store(p, width, big, havoc_load(p, width, big) + (value & 1 ? by : 0 - by));
}

static void change_edge(struct havoc *h, uint8_t *p, unsigned width, uint64_t value)
{
	int big = value & 1;
	int64_t v;

	(void)h;
	if (width == 1)
		v = havoc_edges8[value];
	else if (width == 2)
		v = havoc_edges16[value >> 1];
	else
		v = havoc_edges32[value >> 1];
	havoc_store(p, width, width > 1 && big, (uint64_t)v);
}

static uint64_t places(size_t size, unsigned width, size_t most, size_t *stride)
{
	size_t all = size < width ? 0 : size - width + 1;

	*stride = all ? (all + most - 1) / most : 1;
	return (all + *stride - 1) / *stride;
}

/* Words over the input, then words put into it. */
static int word_step(struct havoc *h, size_t size, uint64_t step, struct buf *out)
{
	size_t stride;
	uint64_t at_each = places(size, 0, WORD_PLACES, &stride), place = step % at_each;
	uint64_t word = step / at_each;
	const struct havoc_word *w;

	if (word / 2 >= h->words.size || word / 2 >= STEP_WORDS)
		return 0;
	w = &h->words.data[word / 2];
	place *= stride;
	if (word & 1)
		havoc_insert(h, out, place, w->data, w->size);
	else if (place + w->size <= size)
		memcpy(out->data + place, w->data, w->size);
	return 1;
}

/* Shorter inputs, and single bytes taken out. */
static int cut_step(struct buf *out, size_t size, uint64_t *step)
{
	size_t stride;
	uint64_t deletions = places(size, 1, PLACES / 4, &stride), cuts = size < CUTS ? size : CUTS;

	if (*step < cuts) {
		out->size = size * *step / cuts;
		return 1;
	}
	*step -= cuts;
	if (*step < deletions) {
		havoc_delete(out, *step * stride, 1);
		return 1;
	}
	*step -= deletions;
	return 0;
}

int havoc_step(struct havoc *h, const uint8_t *data, size_t size, uint64_t step, struct buf *out)
{
	const struct stage stages[] = {
	    {1, 8, change_bit},
	    {1, 1, change_flip},
	    {1, havoc_edges8_count, change_edge},
	    {2, 1, change_flip},
	    {4, 1, change_flip},
	    {1, 2 * ARITHMETIC, change_add},
	    {2, 2 * havoc_edges16_count, change_edge},
	    {4, 2 * havoc_edges32_count, change_edge},
	    {2, 4 * ARITHMETIC, change_add},
	    {4, 4 * ARITHMETIC, change_add},
	};

	buf_clear(out);
	buf_add(out, data, size < h->limit ? size : h->limit);
	size = out->size;
	if (cut_step(out, size, &step))
		return 1;
	for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
		const struct stage *s = &stages[i];
		size_t stride;
		uint64_t steps = places(size, s->width, PLACES, &stride) * s->values;

		if (step < steps) {
			s->change(h, (uint8_t *)out->data + step / s->values * stride, s->width,
				  step % s->values);
			return 1;
		}
		step -= steps;
	}
	return word_step(h, size, step, out);
}

/* --------------------------------------------------------------- stacks */

#define X(name, binary, text) +binary
enum { BINARY_WEIGHT = 0 HAVOC_OPS(X) };
#undef X
#define X(name, binary, text) +text
enum { TEXT_WEIGHT = 0 HAVOC_OPS(X) };
#undef X

static enum havoc_op draw(struct havoc *h, int text)
{
	static const uint8_t weights[2][HAVOC_OPS_COUNT] = {{
#define X(name, binary, text) binary,
								HAVOC_OPS(X)
#undef X
							    },
							    {
#define X(name, binary, text) text,
								HAVOC_OPS(X)
#undef X
							    }};
	uint64_t at = havoc_random(h, text ? TEXT_WEIGHT : BINARY_WEIGHT);
	unsigned op = 0;

	while (at >= weights[text][op])
		at -= weights[text][op++];
	return (enum havoc_op)op;
}

void havoc_stack(struct havoc *h, const uint8_t *data, size_t size, const uint8_t *other,
		 size_t other_size, const uint32_t *hot, uint32_t hot_count, struct buf *out)
{
	struct havoc_task t = {h, out, other, other ? other_size : 0, hot, hot ? hot_count : 0};
	int text = havoc_is_text(data, size);
	unsigned changes = 1u << havoc_random(h, 5);

	/* Text has few places where a change keeps it well formed, but a wrong guess costs one run
	 * only. */
	if (!havoc_random(h, 8))
		text = !text;
	buf_clear(out);
	buf_add(out, data, size < h->limit ? size : h->limit);
	for (unsigned i = 0; i < changes; i++)
		havoc_apply(&t, draw(h, text));
	/* Several changes may undo each other. */
	if (out->size == size && size && !memcmp(out->data, data, size))
		out->data[havoc_random(h, size)] ^= (char)(1u << havoc_random(h, 8));
}
