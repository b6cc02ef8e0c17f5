/* sort.c: sorting and searching with the caller's comparison.
 *
 * Sorting is a stable merge sort that compares in glibc's order: halves of n/2 and
 * the rest, the first half's element kept where the comparison says equal. A
 * comparison function that is not an order thus gives glibc's result too.
 * Elements move by memcpy, so their labels do. Like glibc, large elements are
 * sorted through pointers and then permuted; where there is no memory for the
 * second array, libc's own function does the work, and labels are lost with it.
 */
#include "libc.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

typedef int (*compare_fn)(const void *, const void *, void *);

struct sort {
	size_t size; /* of an element */
	compare_fn compare;
	void *context;
	char *space;  /* room for a merged range */
	int indirect; /* elements are pointers to what is compared */
};

static int sort_less_equal(const struct sort *s, const char *a, const char *b)
{
	if (s->indirect)
		return s->compare(*(void *const *)a, *(void *const *)b, s->context) <= 0;
	return s->compare(a, b, s->context) <= 0;
}

/* The usual sizes move without a call. */
static void move_element(char *to, const char *from, size_t size)
{
	if (size == 4)
		__builtin_memcpy(to, from, 4);
	else if (size == 8)
		__builtin_memcpy(to, from, 8);
	else
		BODY(memcpy)(to, from, size);
}

static void sort_range(const struct sort *s, char *base, size_t n)
{
	if (n <= 1)
		return;
	size_t left = n / 2, right = n - left, size = s->size;
	char *a = base, *b = base + left * size, *out = s->space;

	sort_range(s, a, left);
	sort_range(s, b, right);
	while (left > 0 && right > 0) {
		if (sort_less_equal(s, a, b)) {
			move_element(out, a, size);
			a += size;
			left--;
		} else {
			move_element(out, b, size);
			b += size;
			right--;
		}
		out += size;
	}
	if (left > 0)
		BODY(memcpy)(out, a, left * size);
	BODY(memcpy)(base, s->space, (n - right) * size);
}

/* Sorts pointers to the elements, then puts each element in its place. */
static int sort_indirect(struct sort *s, char *base, size_t n)
{
	size_t size = s->size;
	char **pointers = malloc(2 * n * sizeof *pointers);
	char *copy = malloc(n * size);
	if (!pointers || !copy) {
		free(pointers);
		free(copy);
		return -1;
	}
	BODY(memcpy)(copy, base, n * size);
	for (size_t i = 0; i < n; i++)
		pointers[i] = base + i * size;
	s->size = sizeof *pointers;
	s->space = (char *)(pointers + n);
	s->indirect = 1;
	sort_range(s, (char *)pointers, n);
	for (size_t i = 0; i < n; i++)
		BODY(memcpy)(base + i * size, copy + (pointers[i] - base), size);
	free(pointers);
	free(copy);
	return 0;
}

#ifndef MUSTER_NATIVE_BODIES
void REAL(qsort_r)(void *base, size_t n, size_t size, compare_fn compare, void *context);
#endif

void BODY(qsort_r)(void *base, size_t n, size_t size, compare_fn compare, void *context)
{
	struct sort s = {.size = size, .compare = compare, .context = context};
	char small[1024];
	int failed = 0, saved = errno;

	if (n <= 1)
		return;
	if (size > 32) {
		failed = sort_indirect(&s, base, n);
	} else if (n * size <= sizeof small) {
		s.space = small;
		sort_range(&s, base, n);
	} else {
		s.space = malloc(n * size);
		failed = !s.space;
		if (!failed)
			sort_range(&s, base, n);
		free(s.space);
	}
	errno = saved;
	if (failed)
		REAL(qsort_r)(base, n, size, compare, context);
}

/* The context is the comparison itself. A struct, since C has no cast between the two kinds of
 * pointer. */
struct plain_compare {
	int (*compare)(const void *, const void *);
};

static int call_plain(const void *a, const void *b, void *context)
{
	return ((struct plain_compare *)context)->compare(a, b);
}

void BODY(qsort)(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	struct plain_compare plain = {compare};
	BODY(qsort_r)(base, n, size, call_plain, &plain);
}

void *BODY(bsearch)(const void *key, const void *base, size_t n, size_t size,
		    int (*compare)(const void *, const void *))
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		const char *p = (const char *)base + middle * size;
		int order = compare(key, p);
		if (order == 0)
			return (void *)p;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

void *BODY(lfind)(const void *key, const void *base, size_t *n, size_t size,
		  int (*compare)(const void *, const void *))
{
	const char *p = base;
	for (size_t i = 0; i < *n; i++, p += size)
		if (compare(key, p) == 0)
			return (void *)p;
	return NULL;
}

void *BODY(lsearch)(const void *key, void *base, size_t *n, size_t size,
		    int (*compare)(const void *, const void *))
{
	void *found = BODY(lfind)(key, base, n, size, compare);
	if (found)
		return found;
	found = BODY(memcpy)((char *)base + *n * size, key, size);
	++*n;
	return found;
}
