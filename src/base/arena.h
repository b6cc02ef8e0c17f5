/* arena.h: memory that is freed all at once. All zero is an empty arena. */
#ifndef MUSTER_ARENA_H
#define MUSTER_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_chunk *chunks;
	size_t used; /* of the newest chunk */
};

void *arena_alloc(struct arena *a, size_t n); /* zeroed, aligned to 16 */
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
void *arena_copy(struct arena *a, const void *p, size_t n);
void arena_release(struct arena *a); /* frees all; the arena is empty and usable again */

#endif
