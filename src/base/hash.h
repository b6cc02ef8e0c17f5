/* hash.h: hashes of bytes. hash64 is for tables; hash128 identifies contents
 * (units, cached files): equal hashes are taken as equal contents. Both are
 * stable between versions of muster, since they name files on disk. */
#ifndef MUSTER_HASH_H
#define MUSTER_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash64(const void *p, size_t n, uint64_t seed);
uint64_t hash_mix(uint64_t x); /* a permutation that spreads every bit */
uint64_t hash_join(uint64_t a, uint64_t b); /* of both, in this order */

struct hash128 {
	uint64_t a, b;
};
struct hash128 hash128(const void *p, size_t n);
/* The hash of both, in this order. */
struct hash128 hash128_join(struct hash128 x, struct hash128 y);
struct hash128 hash128_str(const char *s);

#define HASH_HEX_SIZE 33
/* 32 lower-case digits and a NUL. Returns out. */
char *hash_hex(struct hash128 h, char out[HASH_HEX_SIZE]);

#endif
