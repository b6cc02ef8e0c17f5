/* cover.c: what is new in a run's counters.
 *
 * A count is put into one of eight classes, and for each outcome the classes seen so far
 * are the bits of one byte. Most runs bring nothing new, so that case is the fast one:
 * sixteen counters are classified and compared at a time with vector operations (muster/cov.h; in the loop of a harness the runtime does the
 * same, and most runs never come here), and only a group that has news is looked at byte by byte.
 *
 * Invariant: covered is the number of bytes of seen that are not zero; bytes of seen from
 * count to cap are zero.
 */
#include "search/cover.h"

#include "base/hash.h"
#include "base/mem.h"
#include "muster/cov.h"

#include <stdlib.h>
#include <string.h>

#define GROUP MUSTER_COV_GROUP

typedef muster_cov_group group;

void cover_init(struct cover *c)
{
	memset(c, 0, sizeof *c);
}

void cover_release(struct cover *c)
{
	free(c->seen);
	cover_init(c);
}

void cover_forget(struct cover *c)
{
	if (c->count)
		memset(c->seen, 0, c->count);
	c->covered = 0;
	c->version++;
}

static void grow(struct cover *c, uint32_t count)
{
	if (count <= c->count)
		return;
	if (count > c->cap) {
		uint32_t cap = count > c->cap * 2 ? count : c->cap * 2;

		cap = (cap + GROUP - 1) / GROUP * GROUP;
		c->seen = mem_realloc(c->seen, cap, 1);
		memset(c->seen + c->cap, 0, cap - c->cap);
		c->cap = cap;
	}
	c->count = count;
}

static inline uint8_t class_of(uint8_t n)
{
	uint8_t class = n != 0;

#define X(from, bit)   \
	if (n >= from) \
		class = bit;
	MUSTER_COV_CLASSES(X)
#undef X
	return class;
}

/* The same for counters one by one, where there is news or the end is near. */
struct walk {
	struct cover *c;
	const uint8_t *counters;
	int add;
	void (*changed)(void *ctx, uint32_t index, uint8_t mask);
	void *ctx;
	struct cover_news news;
};

static void look_closely(struct walk *w, uint32_t from, uint32_t to)
{
	struct cover *c = w->c;

	for (uint32_t i = from; i < to; i++) {
		uint8_t class = class_of(w->counters[i]), old = i < c->count ? c->seen[i] : 0;

		if (!(class & ~old))
			continue;
		if (old)
			w->news.classes++;
		else
			w->news.outcomes++;
		if (w->add) {
			c->covered += !old;
			c->seen[i] = old | class;
			c->version++;
		}
		if (w->changed)
			w->changed(w->ctx, i, old | class);
	}
}

static inline int any(group g)
{
	uint64_t half[2];

	memcpy(half, &g, sizeof half);
	return (half[0] | half[1]) != 0;
}

struct cover_news cover_look(struct cover *c, const struct exec_result *r, int add,
			     void (*changed)(void *ctx, uint32_t index, uint8_t mask), void *ctx)
{
	struct walk w = {c, r->counters, add, changed, ctx, {0, 0}};
	uint32_t i, whole;

	if (add)
		grow(c, r->count);
	whole = (r->count < c->count ? r->count : c->count) / GROUP * GROUP;
	for (i = 0; i < whole; i += GROUP) {
		group n, seen;

		memcpy(&n, r->counters + i, GROUP);
		if (!any(n))
			continue;
		memcpy(&seen, c->seen + i, GROUP);
		if (any(muster_cov_classes(n) & ~seen))
			look_closely(&w, i, i + GROUP);
	}
	look_closely(&w, whole, r->count);
	return w.news;
}

uint64_t cover_signature(const struct exec_result *r)
{
	uint64_t hash = 0x9e3779b97f4a7c15ull;
	uint32_t i, whole = r->count / GROUP * GROUP;

	for (i = 0; i < r->count; i += GROUP) {
		uint8_t rest[GROUP] = {0};
		uint64_t half[2];
		group n;

		/* Groups of zeros leave the hash alone, so that a library that registers later does
		 * not change it. */
		if (i == whole)
			memcpy(rest, r->counters + i, r->count - whole);
		memcpy(&n, i == whole ? rest : r->counters + i, GROUP);
		if (!any(n))
			continue;
		n = muster_cov_classes(n);
		memcpy(half, &n, sizeof half);
		hash = hash_mix(hash ^ half[0] ^ i) + hash_mix(half[1] + hash);
	}
	return hash;
}

void cover_set(struct cover *c, uint32_t index, uint8_t mask)
{
	grow(c, index + 1);
	c->covered += mask && !c->seen[index];
	c->seen[index] |= mask;
	c->version++;
}
