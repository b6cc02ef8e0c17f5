/* hash.c: XXH3 from libxxhash (its output is frozen by its specification). */
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdio.h>
#include <string.h>

uint64_t hash64(const void *p, size_t n, uint64_t seed)
{
	return XXH3_64bits_withSeed(p, n, seed);
}

uint64_t hash_join(uint64_t a, uint64_t b)
{
	return hash_mix(a * 0x9e3779b97f4a7c15ull + b + 1);
}

uint64_t hash_mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdull;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ull;
	x ^= x >> 33;
	return x;
}

struct hash128 hash128(const void *p, size_t n)
{
	XXH128_hash_t h = XXH3_128bits(p, n);

	return (struct hash128){h.high64, h.low64};
}

struct hash128 hash128_join(struct hash128 x, struct hash128 y)
{
	uint64_t both[4] = {x.a, x.b, y.a, y.b};

	return hash128(both, sizeof both);
}

struct hash128 hash128_str(const char *s)
{
	return hash128(s, strlen(s));
}

char *hash_hex(struct hash128 h, char out[HASH_HEX_SIZE])
{
	snprintf(out, HASH_HEX_SIZE, "%016llx%016llx", (unsigned long long)h.a,
		 (unsigned long long)h.b);
	return out;
}
