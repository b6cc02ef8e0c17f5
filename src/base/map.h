/* map.h: hash maps to 64-bit values. All zero is an empty map. */
#ifndef MUSTER_MAP_H
#define MUSTER_MAP_H

#include <stddef.h>
#include <stdint.h>

/* From 64-bit keys (any value, 0 too). */
struct map {
	struct map_entry {
		uint64_t key, value;
	} * entries;
	uint8_t *used;
	size_t size, cap; /* cap is 0 or a power of two */
};
void map_release(struct map *m);
void map_clear(struct map *m);
int map_get(const struct map *m, uint64_t key, uint64_t *value); /* 1 if there; value may be NULL */
int map_set(struct map *m, uint64_t key, uint64_t value);	 /* 1 if the key is new */
/* Iterates in no certain order: size_t at = 0; while (map_next(&m, &at, &k, &v)) ... */
int map_next(const struct map *m, size_t *at, uint64_t *key, uint64_t *value);

/* From strings, which the map copies. */
struct strmap {
	struct strmap_entry {
		char *key; /* NULL: free slot */
		uint64_t hash, value;
	} * entries;
	size_t size, cap;
};
void strmap_release(struct strmap *m);
int strmap_get(const struct strmap *m, const char *key, uint64_t *value);
int strmap_set(struct strmap *m, const char *key, uint64_t value); /* 1 if the key is new */
/* The key as the map keeps it (valid until release), or NULL. */
const char *strmap_key(const struct strmap *m, const char *key);
int strmap_next(const struct strmap *m, size_t *at, const char **key, uint64_t *value);

#endif
