/* names.c: functions by name, names that are near, parameters that look like a pair.
 *
 * Nearness is the number of letters changed, added, left out or swapped with their neighbour, on
 * names without regard to case; a name that contains the other is nearer than its length says. Of
 * thousands of names each costs one small table.
 */
#include "base/buf.h"
#include "front/front.h"

#include <ctype.h>
#include <string.h>

enum { NEAREST = 4, NAME_LIMIT = 128 };

int front_function(const struct front *f, const char *name)
{
	uint64_t number;

	return strmap_get(&f->function_numbers, name, &number) ? (int)number : -1;
}

static unsigned min2(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Letters to change in order to make one name of the other. */
static unsigned distance(const char *a, const char *b)
{
	size_t m = strlen(a), n = strlen(b);
	unsigned rows[3][NAME_LIMIT + 1];

	if (m > NAME_LIMIT || n > NAME_LIMIT)
		return strcmp(a, b) ? NAME_LIMIT : 0;
	for (size_t j = 0; j <= n; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= m; i++) {
		unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3],
			 *above2 = rows[(i + 1) % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n; j++) {
			int x = tolower((unsigned char)a[i - 1]),
			    y = tolower((unsigned char)b[j - 1]);

			row[j] = min2(above[j - 1] + (x != y), min2(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				row[j] = min2(row[j], above2[j - 2] + 1);
		}
	}
	return rows[m % 3][n];
}

/* How far a name is from what was asked for; UINT32_MAX: it is not what was meant. */
static unsigned farness(const char *asked, const char *name)
{
	unsigned d = distance(asked, name);
	size_t longer = strlen(asked) > strlen(name) ? strlen(asked) : strlen(name);

	if (strlen(asked) >= 3 && strlen(name) >= 3 &&
	    (strcasestr(name, asked) || strcasestr(asked, name)))
		return d < 2 ? d : 2;
	return d <= 1 + longer / 3 ? d : UINT32_MAX;
}

void front_nearest(const struct front *f, const char *name, struct buf *words)
{
	struct {
		unsigned far;
		const char *name;
	} best[NEAREST];
	size_t n = 0;

	for (size_t i = 0; i < f->functions.size; i++) {
		const struct front_function *x = &f->functions.data[i];
		unsigned far = x->defined ? farness(name, x->name) : UINT32_MAX;
		size_t at;

		if (far == UINT32_MAX || (n == NEAREST && far >= best[n - 1].far))
			continue;
		if (n < NEAREST)
			n++;
		for (at = n - 1; at > 0 && best[at - 1].far > far; at--)
			best[at] = best[at - 1];
		best[at].far = far;
		best[at].name = x->name;
	}
	for (size_t i = 0; i < n; i++)
		buf_addf(words, "%s%s", i ? ", " : "", best[i].name);
}

/* ------------------------------------------------------------------- pairs */
static const char *const length_words[] = {
    "len",   "length", "size",	"sz",	 "n",	    "num",    "count",	 "cnt",	    "nr",
    "bytes", "nbytes", "nelem", "nmemb", "n_bytes", "buflen", "bufsize", "buf_len", "buf_size"};

static int is_length_word(const char *s)
{
	for (size_t i = 0; i < sizeof length_words / sizeof *length_words; i++)
		if (!strcasecmp(s, length_words[i]))
			return 1;
	return 0;
}

/* buffer_length, data_sz, dictLength */
static int ends_in_length_word(const char *s)
{
	const char *word = s;

	for (const char *p = s; *p; p++)
		if (*p == '_')
			word = p + 1;
		else if (p > s && isupper((unsigned char)*p) && islower((unsigned char)p[-1]))
			word = p;
	return is_length_word(word);
}

/* Whether `length` names the length of `pointer` by itself: buf_len, buflen, nbuf, num_items. */
static int names_length_of(const char *pointer, const char *length)
{
	size_t n = strlen(pointer), m = strlen(length);

	if (!n || m <= n)
		return 0;
	if (!strncasecmp(length, pointer, n)) {
		const char *rest = length + n;

		return is_length_word(*rest == '_' ? rest + 1 : rest);
	}
	if (!strcasecmp(length + m - n, pointer)) {
		char start[NAME_LIMIT];
		size_t k = m - n;

		if (k > 1 && length[k - 1] == '_')
			k--;
		if (k >= sizeof start)
			return 0;
		memcpy(start, length, k);
		start[k] = 0;
		return is_length_word(start);
	}
	return 0;
}

static int is_integer(const struct front *f, uint32_t type)
{
	const struct front_type *t = &f->types.data[type];

	return t->kind == FRONT_INT && !t->is_enum;
}

/* To elements of a known size, or to bytes. */
static int is_sequence(const struct front *f, uint32_t type)
{
	const struct front_type *t = &f->types.data[type];

	if (t->kind == FRONT_ARRAY)
		return t->count == 0;
	return t->kind == FRONT_POINTER && f->types.data[t->to].kind != FRONT_FUNCTION;
}

size_t front_length_of(const struct front *f, const struct front_function *x, size_t i)
{
	const struct front_parameter *p = x->parameters.data;
	size_t length = x->parameters.size;

	if (!*p[i].name || !is_sequence(f, p[i].type))
		return length;
	/* By name anywhere; else a word for lengths just after it. */
	for (size_t k = 0; k < x->parameters.size; k++)
		if (is_integer(f, p[k].type) && names_length_of(p[i].name, p[k].name))
			length = k;
	if (length == x->parameters.size && i + 1 < x->parameters.size &&
	    is_integer(f, p[i + 1].type) && ends_in_length_word(p[i + 1].name))
		length = i + 1;
	return length;
}

void front_pairs(const struct front *f, uint32_t function, struct buf *words)
{
	const struct front_function *x = &f->functions.data[function];
	const struct front_parameter *p = x->parameters.data;
	int any = 0;

	for (size_t i = 0; i < x->parameters.size; i++) {
		size_t length = front_length_of(f, x, i);

		if (length == x->parameters.size)
			continue;
		buf_addf(words, "%s%s <= len(%s)", any ? " && " : "", p[length].name, p[i].name);
		any = 1;
	}
}
