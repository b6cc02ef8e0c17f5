/* list-next.c: the next version of list.c, for `muster validate` and `muster diff`: digit takes capitals, and the defect of percent is mended. */
#include <stddef.h>
#include <stdlib.h>

struct item {
	struct item *next;
	unsigned char key;
	int value;
};

/* A digit's value, or -1. */
int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The number of items up to one with the key, at most three. */
int distance(const struct item *list, unsigned char key)
{
	int n = 0;
	for (; list && n < 3; list = list->next, n++)
		if (list->key == key)
			return n;
	return -1;
}

/* A version "MAJOR.MINOR" of one digit each, or -1. */
int version(const char *text)
{
	if (!text || digit(text[0]) < 0 || text[1] != '.' || digit(text[2]) < 0)
		return -1;
	return digit(text[0]) * 16 + digit(text[2]);
}

/* What a share of the total is, in percent. */
int percent(int share, int total)
{
	if (total == 0 || share > total)
		return 100;
	return (int)((long)share * 100 / total);
}
