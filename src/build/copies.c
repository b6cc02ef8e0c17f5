/* copies.c: small programs get fast copies at once, large ones do not.
 *
 * Making fast copies is most of the cost of a trace variant: both copies are one function, in which code generation takes far longer than in two of
 * half the size. What a run gains by them depends on how much of it has no labels: runs over symbolic input take little longer without (1.0 to 1.3
 * times the time, on cJSON, zlib and sqlite3), loops over concrete data take ten times as long. So a program gets them at once when nobody
 * notices what they cost. The estimate needs nothing but the size of the bodies as bitcode, and the state of a variant is part of its name
 * in the cache. A large program gets those of the functions that a search finds to pay (campaign/copies.c), named in a list.
 *
 * Of a program so large that even slow copies take long, a search has only those functions made that runs enter (COPIES_PART): campaign/entered.c chooses the
 * first ones, copies_grow.c what is made when a run comes to one that is missing.
 */
#include "build/copies.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "build/record.h"
#include "ir/weight.h"

#include <stdio.h>
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

/* -------------------------------------------------------------------- lists */

#define PREFIX 9 /* "1a2b3c4d " */

void copies_list_release(struct copies_list *l)
{
	for (size_t i = 0; i < l->lines.size; i++)
		free(l->lines.data[i]);
	vec_release(&l->lines);
}

/* Where the line is, or where it belongs. */
static int find_line(const struct copies_list *l, const char *line, size_t *at)
{
	size_t low = 0, high = l->lines.size;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(line, l->lines.data[middle]);

		if (!order) {
			*at = middle;
			return 1;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	*at = low;
	return 0;
}

static int add_line(struct copies_list *l, const char *line)
{
	size_t at;

	if (find_line(l, line, &at))
		return 0;
	vec_push(&l->lines, NULL);
	memmove(l->lines.data + at + 1, l->lines.data + at, (l->lines.size - at - 1) * sizeof *l->lines.data);
	l->lines.data[at] = mem_strdup(line);
	return 1;
}

int copies_list_add(struct copies_list *l, uint32_t unit, const char *name)
{
	char *line = unit ? mem_printf("%08x %s", unit, name) : mem_printf("* %s", name);
	int r = add_line(l, line);

	free(line);
	return r;
}

int copies_list_join(struct copies_list *to, const struct copies_list *from)
{
	int n = 0;

	for (size_t i = 0; i < from->lines.size; i++)
		n += add_line(to, from->lines.data[i]);
	return n;
}

int copies_list_has(const struct copies_list *l, const struct copies_list *all)
{
	size_t at;

	for (size_t i = 0; i < all->lines.size; i++)
		if (!find_line(l, all->lines.data[i], &at))
			return 0;
	return 1;
}

int copies_list_write(const struct copies_list *l, const char *path)
{
	struct buf b = BUF_EMPTY;
	int e;

	for (size_t i = 0; i < l->lines.size; i++)
		buf_addf(&b, "%s\n", l->lines.data[i]);
	e = file_write_atomic(path, b.data, b.size);
	buf_release(&b);
	return e;
}

int copies_list_read(struct copies_list *l, const char *path)
{
	struct buf b = BUF_EMPTY;
	int e = file_read(path, &b);

	for (char *s = e ? NULL : strtok(buf_str(&b), "\n"); s; s = strtok(NULL, "\n"))
		add_line(l, s);
	buf_release(&b);
	return e;
}

/* The name in a line that concerns the unit, or NULL. */
static const char *name_for(const char *line, uint32_t unit)
{
	char prefix[PREFIX + 1];

	if (line[0] == '*')
		return line + 2;
	snprintf(prefix, sizeof prefix, "%08x ", unit);
	return strncmp(line, prefix, PREFIX) ? NULL : line + PREFIX;
}

void copies_list_of(const struct copies_list *l, uint32_t unit, struct strmap *out)
{
	for (size_t i = 0; i < l->lines.size; i++)
		if (name_for(l->lines.data[i], unit))
			strmap_set(out, name_for(l->lines.data[i], unit), 1);
}

struct hash128 copies_list_hash(const struct copies_list *l, uint32_t unit)
{
	struct hash128 h = {0, 0};

	for (size_t i = 0; i < l->lines.size; i++)
		if (name_for(l->lines.data[i], unit))
			h = hash128_join(h, hash128_str(name_for(l->lines.data[i], unit)));
	return h;
}

/* ------------------------------------------------------------------- choice */

#define ONLY "only:" /* before the names of functions */

static void add_names(struct copies_list *l, const char *s)
{
	char *text = mem_strdup(s);

	for (char *at = strtok(text, ","); at; at = strtok(NULL, ","))
		copies_list_add(l, 0, at);
	free(text);
}

/* What the environment says: 1, 0 if nothing, -1 with words. */
static int forced(struct copies_choice *c)
{
	const char *s = getenv(COPIES_VARIABLE);

	if (!s || !*s)
		return 0;
	c->forced = 1;
	if (!strcmp(s, names[COPIES_BOTH]) || !strcmp(s, names[COPIES_SLOW])) {
		c->state = strcmp(s, names[COPIES_BOTH]) ? COPIES_SLOW : COPIES_BOTH;
		return 1;
	}
	c->state = COPIES_SOME;
	if (!strncmp(s, ONLY, strlen(ONLY)))
		add_names(&c->list, s + strlen(ONLY));
	if (c->list.lines.size)
		return 1;
	return error_set("the environment variable " COPIES_VARIABLE " is '%s': set it to both, slow or " ONLY "FUNCTION,..., or not at all", s);
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

int copies_choose(const struct program *p, enum variant_kind kind, struct copies_choice *out)
{
	int r;

	*out = (struct copies_choice){.state = COPIES_BOTH};
	if (kind != VARIANT_TRACE)
		return 0;
	r = forced(out);
	if (!r)
		out->state = is_small(p) ? COPIES_BOTH : COPIES_SLOW;
	return r < 0 ? -1 : 0;
}

void copies_choice_release(struct copies_choice *c)
{
	copies_list_release(&c->list);
	copies_list_release(&c->before);
}
