/* sort.c: lists of numbers in order, by the library's qsort. */
#include "base/sort.h"

#include <stdlib.h>

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void sort_u32(uint32_t *list, size_t count)
{
	if (count)
		qsort(list, count, sizeof *list, by_number);
}

size_t sort_u32_once(uint32_t *list, size_t count)
{
	size_t n = 0;

	sort_u32(list, count);
	for (size_t k = 0; k < count; k++)
		if (!n || list[n - 1] != list[k])
			list[n++] = list[k];
	return n;
}
