/* test_shrink.c: from an input that fails to the plainest that fails in the same place.
 *
 * First the canonical form. Then rounds: each round tries some dozens of changes at once, in one
 * batch, each on the best input so far; those that keep the failure are put together, and if all of
 * them at once keep it as well that is the new best, else the first of them is. Changes are, in
 * this order: a group of bytes becomes 0; a byte becomes 1, half of what it was, or one less. A
 * batch costs one start of the program, so a bug costs some tenths of a second.
 */
#include "base/error.h"
#include "cmd/test.h"

#include <stdlib.h>
#include <string.h>

#define CHANGES 48
#define ROUNDS 6

struct shrink {
	struct test_session *s;
	uint64_t bucket;
	struct buf best;
};

struct change {
	size_t at[8]; /* bytes */
	unsigned count;
	uint8_t value;
};

/* The first byte gets the value, in a word the others become 0. */
static void apply(struct buf *b, const struct change *c)
{
	for (unsigned i = 0; i < c->count; i++)
		b->data[c->at[i]] = (char)(i ? 0 : c->value);
}

/* Which of the inputs fail in the same place: keeps[i]. */
static int try_all(struct shrink *k, struct buf *inputs, size_t count, int *keeps)
{
	struct batch_item *items = mem_zalloc(count * sizeof *items);
	for (size_t i = 0; i < count; i++)
		items[i] = (struct batch_item){.data = inputs[i].data, .size = inputs[i].size};
	int r = batch_run(k->s->batch, items, count);
	for (size_t i = 0; i < count && !r; i++)
		keeps[i] = items[i].ran && items[i].failed && items[i].bucket == k->bucket;
	k->s->checks += count;
	free(items);
	return r;
}

/* 1 if the input keeps the failure, and is the best then; -1. */
static int accept(struct shrink *k, struct buf *input)
{
	int keeps = 0;
	if (try_all(k, input, 1, &keeps))
		return -1;
	if (keeps) {
		struct buf old = k->best;
		k->best = *input;
		*input = old;
	}
	return keeps;
}

static int merge(struct shrink *k, const struct change *changes, size_t count, const int *keeps)
{
	struct buf all = {0};
	size_t first = count, kept = 0;
	buf_add(&all, k->best.data, k->best.size);
	for (size_t i = count; i-- > 0;) /* the first of those that change the same bytes counts */
		if (keeps[i]) {
			apply(&all, &changes[i]);
			first = i;
			kept++;
		}
	int r = kept > 1 ? accept(k, &all) : 0;
	if (!r && kept) {
		apply(&k->best, &changes[first]);
		r = 1;
	}
	buf_release(&all);
	return r;
}

/* 1: the best became better; 0; -1. */
static int round_of(struct shrink *k, const struct change *changes, size_t count)
{
	struct buf inputs[CHANGES] = {{0}};
	int keeps[CHANGES] = {0}, r;
	if (!count)
		return 0;
	for (size_t i = 0; i < count; i++) {
		buf_add(&inputs[i], k->best.data, k->best.size);
		apply(&inputs[i], &changes[i]);
	}
	r = try_all(k, inputs, count, keeps);
	for (size_t i = 0; i < count; i++)
		buf_release(&inputs[i]);
	return r ? -1 : merge(k, changes, count, keeps);
}

/* Groups of bytes that are not 0, as few as they may be. */
static size_t zeros(const struct buf *b, struct change *out)
{
	size_t used = 0, count = 0;
	for (size_t i = DRIVE_PREFIX; i < b->size; i++)
		used += b->data[i] != 0;
	unsigned group = used > CHANGES ? (unsigned)((used + CHANGES - 1) / CHANGES) : 1;
	group = group > 8 ? 8 : group;
	for (size_t i = DRIVE_PREFIX; i < b->size && count < CHANGES; i++) {
		if (!b->data[i])
			continue;
		if (!count || out[count - 1].count == group)
			out[count++] = (struct change){.value = 0};
		out[count - 1].at[out[count - 1].count++] = i;
	}
	return count;
}

/* Numbers that are small as numbers: 0x3000000 fails like 3. */
static size_t words(const struct buf *b, struct change *out)
{
	static const uint8_t values[] = {1, 2, 4, 8, 16, 32, 64, 127, 255};
	size_t count = 0, n = sizeof values;
	for (size_t i = DRIVE_PREFIX; i + 4 <= b->size && count + n <= CHANGES; i += 4) {
		uint32_t v;
		memcpy(&v, b->data + i, sizeof v);
		for (size_t k = 0; k < n && v > 255; k++)
			out[count++] = (struct change){{i, i + 1, i + 2, i + 3}, 4, values[k]};
	}
	return count;
}

static size_t smaller(const struct buf *b, struct change *out)
{
	size_t count = 0;
	for (size_t i = DRIVE_PREFIX; i < b->size && count + 3 <= CHANGES; i++) {
		uint8_t v = (uint8_t)b->data[i];
		if (v > 1)
			out[count++] = (struct change){{i}, 1, 1};
		if (v > 3)
			out[count++] = (struct change){{i}, 1, v / 2};
	}
	return count;
}

static int canonical(struct shrink *k, uint32_t number)
{
	struct buf form = {0};
	buf_add(&form, k->best.data, k->best.size);
	harness_canonical(k->s->harness, number, &form);
	int r = accept(k, &form);
	buf_release(&form);
	return r < 0 ? -1 : 0;
}

int test_shrink(struct test_session *s, uint32_t number, uint64_t bucket, struct buf *data)
{
	struct shrink k = {.s = s, .bucket = bucket};
	struct change changes[CHANGES];
	int r, rounds = 0;
	buf_add(&k.best, data->data, data->size);
	r = canonical(&k, number);
	for (int more = 1; !r && more > 0 && rounds < ROUNDS; rounds++)
		if ((more = round_of(&k, changes, zeros(&k.best, changes))) < 0)
			r = -1;
	if (!r && round_of(&k, changes, words(&k.best, changes)) < 0)
		r = -1;
	for (int more = 1; !r && more > 0 && rounds < ROUNDS + 2; rounds++)
		if ((more = round_of(&k, changes, smaller(&k.best, changes))) < 0)
			r = -1;
	if (!r)
		r = canonical(&k, number);
	buf_release(data);
	*data = k.best;
	return r;
}
