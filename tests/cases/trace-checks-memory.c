/* Memory functions whose size is symbolic: what their operands have from there on. Sizes of allocations, and what is freed.
 *
 * INPUT \x05\x01\x02\x01\x03\x00\x00\x00\x07\x00\x00\x00\x01\x05\x00\x01abcdefg\x00\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01
 * PATH *:34:*: bound: range: holds: in\[0\] <= ' '
 * PATH *:34:*: bound: range: holds: in\[0\] <= '@'
 * PATH *:35:*: bound: range: holds: in\[2\] <= ' ' && in\[1\] <= *(32 - in\[2\])
 * PATH *:36:*: bound: range: holds: in\[3\] <= 16
 * PATH *:37:*: bound: alloc-size: holds: !umul_overflow(u32le(in, 4), 4, 32)
 * PATH *:37:*: bound: alloc-size: holds: u32le(in, 4) \* 4 <= 0x80000000
 * PATH *:38:*: bound: alloc-size: holds: !sadd_overflow(*u32le(in, 8), 1, 32)
 * PATH *:39:*: bound: alloc-size: holds: *u32le(in, 4) \* 8 <= 0x80000000
 * PATH *:40:*: bound: alloc-size: holds: !uadd_overflow(u32le(in, 4), 10, 32)
 * PATH *:41:*: bound: alloc-size: holds: in\[12\] \* 100000 <= 0x800000
 * PATH *stpcpy: bound: range: holds: *in\[31\] == 0
 * PATH *stpncpy: bound: range: holds: *(in\[13\] - 5) <= 11
 * PATH *:46:*: bound: bad-free: holds: in\[14\] == 0
 * PATH *:50:*: bound: assert: holds: in\[15\] < 'd'
 * PATH *:51:*: bound: range: holds: len(in) <= 36
 * ALLOW size allocation address store-address
 */
#include "case.h"

#include <muster/muster.h>
#include <alloca.h>

static char to[32], from[64];

int main(void) {
	char big[16], few[8];
	int fd = dup(0);

	few[0] = 0;
	load();
	memcpy(to, from, in[0]);
	memcpy(to + in[1], from, in[2]);
	memset(big, 0, in[3]);
	char *p = malloc(u32(4) * 4);
	char *q = malloc((int)u32(8) + 1);
	char *r = calloc(u32(4), sizeof(long));
	char *t = realloc(r, u32(4) + 10);
	char *u = alloca(in[12] * 100000);
	u[0] = 1;
	memcpy(from, in + 16, 16);
	strcpy(big, from);
	strncpy(big, from, in[13]);
	free(p + in[14]);
	free(q);
	free(t);
	lseek(fd, 0, SEEK_SET);
	muster_assert(in[15] < 100);
	if (pread(fd, few, 100, 28) < 0)
		return 1;
	puts(big);
	return 0;
}
