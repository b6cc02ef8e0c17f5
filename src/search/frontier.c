/* frontier.c: tests of a search in memory.
 *
 * A binary heap of the tests that are not done: greater rank first, and of equal ones the older, so that a search
 * can be repeated. take removes the test from the heap; update puts it back unless it is done.
 *
 * Invariant: no test comes before its parent in the heap's order.
 */
#include "search/frontier.h"

#include "base/hash.h"

#include <string.h>

void frontier_init(struct frontier *f)
{
	memset(f, 0, sizeof *f);
}

void frontier_release(struct frontier *f)
{
	vec_release(&f->tests);
	vec_release(&f->heap);
	map_release(&f->contents);
	arena_release(&f->bytes);
}

void frontier_clear(struct frontier *f)
{
	frontier_release(f);
	frontier_init(f);
}

void frontier_drop(struct frontier *f)
{
	vec_clear(&f->heap);
}

void frontier_reopen(struct frontier *f)
{
	frontier_drop(f);
	map_clear(&f->contents);
}

static int before(const struct frontier *f, uint32_t a, uint32_t b)
{
	double x = f->tests.data[a].rank, y = f->tests.data[b].rank;

	return x > y || (x == y && a < b);
}

static void push(struct frontier *f, uint32_t test)
{
	size_t i = f->heap.size;

	vec_push(&f->heap, test);
	for (; i && before(f, test, f->heap.data[(i - 1) / 2]); i = (i - 1) / 2)
		f->heap.data[i] = f->heap.data[(i - 1) / 2];
	f->heap.data[i] = test;
}

static uint32_t pop(struct frontier *f)
{
	uint32_t best = f->heap.data[0], last = vec_pop(&f->heap);
	size_t i = 0, n = f->heap.size;

	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && before(f, f->heap.data[child + 1], f->heap.data[child]))
			child++;
		if (!before(f, f->heap.data[child], last))
			break;
		f->heap.data[i] = f->heap.data[child];
	}
	if (n)
		f->heap.data[i] = last;
	return best;
}

int frontier_add(void *ctx, struct search_test *t, const struct search_cover *cover, size_t count)
{
	struct frontier *f = ctx;
	struct hash128 h = hash128(t->data, t->size);
	uint8_t *copy;

	(void)cover, (void)count;
	if (!map_set(&f->contents, h.a, f->tests.size + 1))
		return 0;
	copy = arena_alloc(&f->bytes, t->size + 1);
	if (t->size)
		memcpy(copy, t->data, t->size);
	t->id = f->tests.size + 1;
	vec_push(&f->tests, *t);
	vec_last(&f->tests).data = copy;
	if (t->stage < STAGE_DONE)
		push(f, (uint32_t)f->tests.size - 1);
	return 1;
}

int frontier_take(void *ctx, struct search_test *t, struct buf *data)
{
	struct frontier *f = ctx;

	if (!f->heap.size)
		return 0;
	*t = f->tests.data[pop(f)];
	buf_add(data, t->data, t->size);
	return 1;
}

int frontier_update(void *ctx, const struct search_test *t)
{
	struct frontier *f = ctx;
	struct search_test *mine = &f->tests.data[t->id - 1];
	const uint8_t *data = mine->data;

	*mine = *t;
	mine->data = data;
	if (t->stage < STAGE_DONE)
		push(f, (uint32_t)t->id - 1);
	return 0;
}
