/* located.c: reads "0x602000000020 is located 0 bytes after 16-byte region [0x...".
 *
 * AddressSanitizer names the block that is nearest to the address. Its allocator puts a red zone before each block, 16 bytes for small ones and up to 2048 for large ones, and rounds sizes up by at most a quarter. What lies
 * further away than that belongs to nobody, or to a block that is gone.
 */
#include "check/located.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int located_read(const char *report, struct located *l)
{
	const char *p = report ? strstr(report, " is located ") : NULL;
	char where[16];
	if (!p || (sscanf(p, " is located %" SCNu64 " bytes %15s of %" SCNu64 "-byte region", &l->distance, where, &l->size) != 3 &&
		   sscanf(p, " is located %" SCNu64 " bytes %15s %" SCNu64 "-byte region", &l->distance, where, &l->size) != 3))
		return 0;
	l->where = !strcmp(where, "inside") ? LOCATED_INSIDE : !strcmp(where, "before") ? LOCATED_BEFORE : LOCATED_AFTER;
	return l->where != LOCATED_AFTER || !strcmp(where, "after");
}

int located_is_far(const struct located *l)
{
	static const struct {
		uint64_t most, zone;
	} zones[] = {{48, 16}, {96, 32}, {448, 64}, {3968, 128}, {16128, 256}, {32256, 512}, {64512, 1024}, {UINT64_MAX, 2048}};
	size_t i = 0;
	while (l->size > zones[i].most)
		i++;
	return l->where != LOCATED_INSIDE && l->distance > 2 * zones[i].zone + l->size / 4;
}
