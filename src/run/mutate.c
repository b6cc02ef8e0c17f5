/* mutate.c: random changes of an input.
 *
 * A table of kinds of change; each takes a place and a random number. Nothing
 * here looks at the program: the oracle needs changes that are blind to what the trace says.
 */
#include "run/mutate.h"

#include <stdio.h>
#include <string.h>

static uint64_t next(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ull;
	uint64_t z = *state;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

enum change { BIT, BYTE, SMALL, WORD, SWAP, TEXT, CUT, EXTEND, REMOVE, REPEAT, CHANGES };

static const uint32_t interesting[] = {
    0,	   1,	  7,	 8,	     16,	 31,	     32,	64,   100,
    127,   128,	  255,	 256,	     512,	 1000,	     1024,	4096, 32767,
    32768, 65535, 65536, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
static const char text[] = "0123456789abcdefxyzAFZ \n\t\"'<>[]{}(),.;:-+*/=%#\\";

static void change_length(struct buf *b, enum change kind, uint64_t at, uint64_t r, char *words,
			  unsigned room)
{
	uint64_t n = 1 + r % 8;
	uint8_t more[8];
	switch (kind) {
	case CUT:
		if (r % 4 == 0)
			n = b->size - at;
		n = n < b->size ? n : b->size;
		snprintf(words, room, "%llu bytes cut off at the end", (unsigned long long)n);
		b->size -= n;
		return;
	case EXTEND:
		for (unsigned i = 0; i < 8; i++)
			more[i] = (uint8_t)(r >> i * 7);
		snprintf(words, room, "%llu bytes added at the end", (unsigned long long)n);
		buf_add(b, more, n);
		return;
	case REMOVE:
		n = n < b->size - at ? n : b->size - at;
		snprintf(words, room, "%llu bytes removed at %llu", (unsigned long long)n,
			 (unsigned long long)at);
		memmove(b->data + at, b->data + at + n, b->size - at - n);
		b->size -= n;
		return;
	default: /* REPEAT */
		n = n < b->size - at ? n : b->size - at;
		snprintf(words, room, "%llu bytes repeated at %llu", (unsigned long long)n,
			 (unsigned long long)at);
		buf_reserve(b, n);
		memmove(b->data + at + n, b->data + at, b->size - at);
		b->size += n;
		return;
	}
}

static void change_bytes(struct buf *b, enum change kind, uint64_t at, uint64_t r, char *words,
			 unsigned room)
{
	uint8_t *p = (uint8_t *)b->data, old = p[at];
	uint64_t other = (r >> 8) % b->size;
	uint32_t value = interesting[(r >> 8) % (sizeof interesting / sizeof *interesting)];
	switch (kind) {
	case BIT:
		p[at] ^= (uint8_t)(1u << r % 8);
		break;
	case BYTE:
		p[at] = (uint8_t)r;
		break;
	case SMALL:
		p[at] = (uint8_t)(r % 2 ? old + 1 + r % 3 : old - 1 - r % 3);
		break;
	case TEXT:
		p[at] = (uint8_t)text[r % (sizeof text - 1)];
		break;
	case SWAP:
		p[at] = p[other];
		p[other] = old;
		snprintf(words, room, "bytes %llu and %llu exchanged", (unsigned long long)at,
			 (unsigned long long)other);
		return;
	default: { /* WORD */
		unsigned n = 1u << r % 3, big = r >> 4 & 1;
		for (unsigned i = 0; i < n && at + i < b->size; i++)
			p[at + i] = (uint8_t)(value >> 8 * (big ? n - 1 - i : i));
		snprintf(words, room, "bytes %llu-%llu: 0x%x", (unsigned long long)at,
			 (unsigned long long)(at + n - 1), value);
		return;
	}
	}
	snprintf(words, room, "byte %llu: 0x%02x -> 0x%02x", (unsigned long long)at, old, p[at]);
}

void mutate(struct buf *to, const uint8_t *from, uint64_t size, uint64_t used, int fixed,
	    uint64_t *state, char *words, unsigned room)
{
	/* Most inputs get one change; lengths are changed in every fourth or so. */
	static const uint8_t kinds[] = {BIT,  BYTE, BYTE, SMALL, SMALL,	 WORD,	 WORD,
					SWAP, TEXT, TEXT, CUT,	 EXTEND, REMOVE, REPEAT};
	unsigned changes = 1 + (next(state) % 3 == 0) + (next(state) % 9 == 0) * 2;
	buf_clear(to);
	buf_add(to, from, size);
	for (unsigned i = 0; i < changes; i++) {
		enum change kind = kinds[next(state) % sizeof kinds];
		uint64_t span = next(state) % 8 && used && used < to->size ? used : to->size;
		uint64_t at = span ? next(state) % span : 0, r = next(state);
		if (fixed && (kind >= CUT || kind == WORD))
			kind = BYTE;
		if (to->size == 0 && fixed)
			break;
		if (to->size == 0)
			kind = EXTEND;
		if (kind >= CUT)
			change_length(to, kind, at, r, words, room);
		else
			change_bytes(to, kind, at, r, words, room);
		if (fixed && to->data[at] == 0)
			to->data[at] = 1;
	}
	if (changes > 1) {
		size_t n = strlen(words);
		snprintf(words + n, room - n, ", and %u changes before it", changes - 1);
	}
}
