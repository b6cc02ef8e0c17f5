/* fill.c: what stands in memory that was never written, chosen by MUSTER_FILL: 0 zeros, 1 the byte 0xaa, 2 bytes that depend on their
 * addresses. Called for local variables of the fill variant; blocks of the heap are filled by libc, which the engine asks for with
 * MALLOC_PERTURB_.
 */
#include "muster/abi.h"

#include <stdlib.h>

#define HIDDEN __attribute__((visibility("default")))

HIDDEN void __muster_fill(void *p, uint64_t n);
void __muster_fill(void *p, uint64_t n)
{
	static int pattern = -1;
	unsigned char *c = p;

	if (pattern < 0) {
		const char *text = getenv("MUSTER_FILL");

		pattern = text ? text[0] - '0' : 0;
	}
	for (uint64_t i = 0; i < n; i++)
		c[i] = pattern == 0 ? 0 : pattern == 1 ? 0xaa : (unsigned char)(((uint64_t)(c + i) * 0x9e3779b97f4a7c15ull) >> 56);
}
