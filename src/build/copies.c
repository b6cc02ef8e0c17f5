/* copies.c: small programs get fast copies at once, large ones do not.
 *
 * Making fast copies is most of the cost of a trace variant: both copies are one function, in which code generation takes far longer than in two of
 * half the size. What a run gains by them depends on how much of it has no labels: runs over symbolic input take little longer without (1.0 to 1.3
 * times the time, on cJSON, zlib and sqlite3), loops over concrete data take ten times as long. So a program gets them when nobody
 * notices what they cost. The estimate needs nothing but the size of the bodies as bitcode, and the state of a variant is part of its name
 * in the cache.
 */
#include "build/copies.h"

#include "base/buf.h"
#include "base/error.h"
#include "build/record.h"
#include "ir/weight.h"

#include <stdlib.h>
#include <string.h>

/* Microseconds of CPU for 1000 words of bodies: the fast copies of eleven units (bench kernels, zlib, cJSON, expat, lz4) cost 20,000 to 47,000, most of
 * them about 30,000. Nanoseconds for the square of the largest body's words: from one unit, inflate.c, 67,552 words, 44,994 of them in one body, 5.9 s. */
#define US_FOR_1000_WORDS 30000
#define NS_FOR_SQUARE 2
/* CPU seconds of fast copies that a program is not asked about. It buys concrete code at native speed from the first run on. */
#define SECONDS_AT_ONCE 1.0
/* Packed bitcode beyond which nothing is unpacked to look at it, and the program counts as large. Not measured: 33,000 words are 132 KB unpacked. */
#define PACKED_MAX (1u << 20)

static const char *const names[] = {
#define X(id, name) [COPIES_##id] = name,
    COPIES(X)
#undef X
};

const char *copies_name(enum copies c)
{
	return names[c];
}

int copies_forced(void)
{
	const char *s = getenv(COPIES_VARIABLE);

	return s && *s;
}

/* What the environment says: 1, 0 if nothing, -1 with words. */
static int forced(enum copies *out)
{
	const char *s = getenv(COPIES_VARIABLE);

	if (!copies_forced())
		return 0;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(s, names[i])) {
			*out = (enum copies)i;
			return 1;
		}
	return error_set("the environment variable " COPIES_VARIABLE " is '%s': set it to both or slow, or not at all", s);
}

static double seconds_of(const struct weight *w)
{
	double largest = (double)w->largest;

	return (double)w->words * US_FOR_1000_WORDS * 1e-9 + largest * largest * NS_FOR_SQUARE * 1e-9;
}

/* Of the unit's fast copies; more than anybody waits for if its bitcode cannot be read. */
static double unit_seconds(const struct record_value *bitcode)
{
	struct buf b = BUF_EMPTY;
	struct weight w;
	double s = SECONDS_AT_ONCE;

	if (!record_unpack(bitcode, &b) && !weight_of_bitcode(b.data, b.size, &w))
		s = seconds_of(&w);
	buf_release(&b);
	return s;
}

static int is_small(const struct program *p)
{
	double seconds = 0;
	uint64_t packed = 0;

	for (size_t i = 0; i < p->images.size; i++)
		for (size_t k = 0; k < p->images.data[i].records.frames.size; k++) {
			const struct record *r = &p->images.data[i].records.frames.data[k];
			struct record_value v;

			if (r->kind != RECORD_UNIT || !record_find(r->payload, r->size, TAG_BITCODE, &v))
				continue;
			packed += v.size;
			if (packed <= PACKED_MAX)
				seconds += unit_seconds(&v);
			if (packed > PACKED_MAX || seconds >= SECONDS_AT_ONCE)
				return 0;
		}
	return 1;
}

int copies_choose(const struct program *p, enum variant_kind kind, enum copies *out)
{
	*out = COPIES_BOTH;
	if (kind != VARIANT_TRACE)
		return 0;
	int r = forced(out);
	if (!r)
		*out = is_small(p) ? COPIES_BOTH : COPIES_SLOW;
	return r < 0 ? -1 : 0;
}
