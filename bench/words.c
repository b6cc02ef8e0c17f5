/* A word count in an open-addressing hash table; the table's addresses depend on the input. */
#include "kernel.h"

#define SLOTS 4096

struct slot {
	const unsigned char *word;
	uint32_t length, count;
};

static struct slot slots[SLOTS];

static void count(const unsigned char *word, uint32_t length)
{
	uint32_t h = 2166136261u;
	for (uint32_t i = 0; i < length; i++)
		h = (h ^ word[i]) * 16777619u;
	for (uint32_t at = h % SLOTS;; at = (at + 1) % SLOTS) {
		struct slot *s = &slots[at];
		if (!s->word) {
			*s = (struct slot){word, length, 1};
			return;
		}
		if (s->length == length && memcmp(s->word, word, length) == 0) {
			s->count++;
			return;
		}
	}
}

static uint32_t kernel(const unsigned char *p, size_t n)
{
	const unsigned char *end = p + n;
	uint32_t most = 0, distinct = 0;
	memset(slots, 0, sizeof slots);
	while (p < end) {
		const unsigned char *start = p;
		while (p < end && ((*p | 32) >= 'a' && (*p | 32) <= 'z'))
			p++;
		if (p > start)
			count(start, (uint32_t)(p - start));
		else
			p++;
	}
	for (int i = 0; i < SLOTS; i++) {
		distinct += slots[i].word != NULL;
		if (slots[i].count > most)
			most = slots[i].count;
	}
	return most * 65536 + distinct;
}
