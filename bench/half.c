/* Records of a file into a table: half of the operations are on bytes of the input, half on counters, positions and a
 * table of the program's own (bench/summary-cost). Small functions that pass pointers to structs, as parsers do. */
#include "kernel.h"

enum { RECORD = 16, SLOTS = 256 };

struct record {
	uint16_t tag, length;
	uint32_t value;
	uint8_t flags, level;
	uint16_t check;
};

struct totals {
	uint32_t records, bad, bytes, deepest;
	uint32_t used[SLOTS];
	uint32_t next;
};

static uint32_t weights[SLOTS];

static uint32_t get16(const unsigned char *p)
{
	return (uint32_t)(p[0] | p[1] << 8);
}

static uint32_t get32(const unsigned char *p)
{
	return get16(p) | get16(p + 2) << 16;
}

static void parse(struct record *r, const unsigned char *p)
{
	r->tag = (uint16_t)get16(p);
	r->length = (uint16_t)get16(p + 2);
	r->value = get32(p + 4);
	r->flags = p[8];
	r->level = p[9];
	r->check = (uint16_t)get16(p + 10);
}

static int is_good(const struct record *r)
{
	if (r->tag == 0 || r->length > 0xfff0)
		return 0;
	if ((r->flags & 3) == 3 && r->level > 200)
		return 0;
	return (uint16_t)(r->tag + r->length) != r->check;
}

/* Nothing of the input: where the record stands, and how often each slot was used. */
static uint32_t place(struct totals *t, uint32_t at)
{
	uint32_t slot = (at * 2654435761u >> 24) % SLOTS, sum = 0;

	for (uint32_t i = 0; i < 4; i++) {
		uint32_t near = (slot + i) % SLOTS;
		sum += t->used[near] * weights[near];
		if (t->used[near] < t->used[slot])
			slot = near;
	}
	t->used[slot]++;
	t->next = (t->next + sum) % SLOTS;
	return slot;
}

static void count(struct totals *t, const struct record *r, uint32_t slot)
{
	t->records++;
	t->bytes += r->length;
	if (r->level > 100 && r->value > 1000)
		t->bad++;
	if (slot > t->deepest)
		t->deepest = slot;
}

static uint32_t kernel(const unsigned char *p, size_t n)
{
	static struct totals t;
	struct record r;

	for (uint32_t i = 0; i < SLOTS; i++)
		weights[i] = i * 7 + 1;
	memset(&t, 0, sizeof t);
	for (size_t at = 0; at + RECORD <= n; at += RECORD) {
		uint32_t slot = place(&t, (uint32_t)at);
		parse(&r, p + at);
		if (is_good(&r))
			count(&t, &r, slot);
		else
			t.bad++;
	}
	return t.records * 31 + t.bad + t.bytes + t.deepest + t.next;
}
