/* arena.c: chunks in a list, filled from the front of the newest one. A request
 * larger than a chunk gets one of its own, so each chunk is contiguous memory.
 * Chunks grow from a small one, and what is handed out is zeroed, not the chunk:
 * many arenas hold a few names for the time of one run. */
#include "base/arena.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_FIRST ((size_t)1 << 10)
#define CHUNK_SIZE ((size_t)64 << 10) /* the most, but for one large request */

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	_Alignas(16) char data[];
};

static size_t next_size(const struct arena *a, size_t n)
{
	size_t size = !a->chunks ? CHUNK_FIRST : a->chunks->size < CHUNK_SIZE / 2 ? a->chunks->size * 2 : CHUNK_SIZE;
	return size < n ? n : size;
}

/* Not zeroed, aligned to 16. */
static void *take(struct arena *a, size_t n)
{
	struct arena_chunk *c = a->chunks;
	void *p;

	n = (n + 15) & ~(size_t)15;
	if (!c || c->size - a->used < n) {
		size_t size = next_size(a, n);

		c = mem_alloc(sizeof *c + size);
		c->size = size;
		c->next = a->chunks;
		a->chunks = c;
		a->used = 0;
	}
	p = c->data + a->used;
	a->used += n;
	return p;
}

void *arena_alloc(struct arena *a, size_t n)
{
	return memset(take(a, n), 0, n);
}

void *arena_copy(struct arena *a, const void *p, size_t n)
{
	void *q = take(a, n);

	if (n)
		memcpy(q, p, n);
	return q;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = take(a, n + 1);

	memcpy(p, s, n);
	p[n] = 0;
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
