/* report_bucket.c: which failures are one bug.
 *
 * Two failures are taken for one if they are of one kind and the innermost functions of the
 * program are the same, each failing at or calling from the same line of that
 * function. Lines count from the function's start, so that an edit elsewhere
 * changes no bucket; addresses, directories and inputs never count. A function is
 * taken once, at its innermost frame: how deep a recursion went is the input's business.
 *
 * A stack overflow ends wherever the stack happened to be used up. There the functions that
 * occur at least RECURRENCES times are taken, in order of name and without lines.
 */
#include "check/report.h"

#include "base/file.h"
#include "base/hash.h"

#include <string.h>

#define BUCKET_FRAMES 4
#define RECURRENCES 3

static uint64_t hash_text(uint64_t h, const char *s)
{
	return hash64(s, strlen(s) + 1, h);
}

static int same_function(const struct symbol *a, const struct symbol *b)
{
	return !strcmp(a->function, b->function) && !strcmp(a->file, b->file);
}

static uint64_t innermost(uint64_t h, const struct symbol *frames, size_t count)
{
	const struct symbol *taken[BUCKET_FRAMES];
	size_t n = 0;

	for (size_t i = 0; i < count && n < BUCKET_FRAMES; i++) {
		size_t k = 0;

		while (k < n && !same_function(taken[k], &frames[i]))
			k++;
		if (k < n)
			continue;
		taken[n++] = &frames[i];
		uint32_t line = frames[i].line - frames[i].start_line;

		h = hash_text(h, frames[i].function);
		h = hash_text(h, file_base(frames[i].file));
		h = hash64(&line, sizeof line, h);
	}
	return h;
}

static int by_name(const void *x, const void *y)
{
	const struct symbol *a = x, *b = y;
	int order = strcmp(a->function, b->function);

	return order ? order : strcmp(a->file, b->file);
}

static uint64_t recurring(uint64_t h, const struct symbol *frames, size_t count)
{
	VEC(struct symbol) sorted = {0};

	for (size_t i = 0; i < count; i++)
		vec_push(&sorted, frames[i]);
	if (count)
		qsort(sorted.data, count, sizeof *sorted.data, by_name);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && same_function(&sorted.data[i], &sorted.data[end]);)
			end++;
		if (end - i < RECURRENCES)
			continue;
		h = hash_text(h, sorted.data[i].function);
		h = hash_text(h, file_base(sorted.data[i].file));
	}
	vec_release(&sorted);
	return h;
}

uint64_t report_bucket(const char *kind, const struct symbol *frames, size_t count)
{
	uint64_t h = hash_text(0x6d7573746572, kind);

	return strcmp(kind, "stack-overflow") ? innermost(h, frames, count)
					      : recurring(h, frames, count);
}
