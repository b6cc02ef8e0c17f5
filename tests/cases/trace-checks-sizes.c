/* Heap blocks whose size is symbolic: accesses at constant offsets have to lie in it too; each end is asked about once.
 *
 * INPUT \x14\x05\x18\x06\x14\x07\x03\x28
 * PATH *:22:*: bound: array-overflow: holds: in\[0\] >= 11
 * NOT *:23:*: bound:*
 * PATH *:26:*: bound: array-overflow: holds: in\[1\] \* 4 >= 12
 * PATH *:28:*: bound: array-overflow: holds: in\[2\]* >= 8
 * PATH *:29:*: bound: range: holds: in\[2\]* >= 16
 * PATH *:31:*: bound: range: holds: in\[5\] <= in\[4\] + 1
 * PATH *:32:*: bound: array-overflow: holds: in\[6\] + 1 <= in\[4\] + 1
 * PATH *:34:*: bound: array-overflow: holds: in\[7\] >= 21
 * ALLOW size store-address
 */
#include "case.h"

struct s { int a, b; char name[8]; };
static char src[256];

int main(void) {
	load();
	char *p = malloc(in[0]);
	p[10] = 1;
	p[9] = 1;
	char *q = malloc(in[1] * 4);
	memset(q, 0, in[1] * 4);
	int x = ((int *)q)[2];
	struct s *s = calloc(1, in[2]);
	x += s->b;
	memcpy(s->name, src, 8);
	char *u = malloc(in[4] + 1);
	memcpy(u, src, in[5]);
	u[in[6]] = 3;
	p = realloc(p, in[7]);
	p[20] = 4;
	printf("%d\n", x);
	free(p), free(q), free(s), free(u);
	return 0;
}
