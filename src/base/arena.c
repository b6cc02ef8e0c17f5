/* arena.c: chunks in a list, filled from the front of the newest one. A request
 * larger than a chunk gets one of its own, so each chunk is contiguous memory. */
#include "base/arena.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE ((size_t)64 << 10)

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	_Alignas(16) char data[];
};

void *arena_alloc(struct arena *a, size_t n)
{
	struct arena_chunk *c = a->chunks;
	void *p;

	n = (n + 15) & ~(size_t)15;
	if (!c || c->size - a->used < n) {
		size_t size = n > CHUNK_SIZE ? n : CHUNK_SIZE;

		c = mem_zalloc(sizeof *c + size);
		c->size = size;
		c->next = a->chunks;
		a->chunks = c;
		a->used = 0;
	}
	p = c->data + a->used;
	a->used += n;
	return p;
}

void *arena_copy(struct arena *a, const void *p, size_t n)
{
	void *q = arena_alloc(a, n);

	if (n)
		memcpy(q, p, n);
	return q;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	memcpy(p, s, n);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

void arena_release(struct arena *a)
{
	struct arena_chunk *next;

	for (struct arena_chunk *c = a->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	*a = (struct arena){0};
}
