/* What another input of the path could break at an access: before and behind the object, null, outside a local variable; and what
 * cannot happen is not asked for.
 *
 * INPUT \x05\x01\x02\x01\x03\x04\x05\x06
 * PATH *:29:*: bound: array-underflow: holds: (in\[0\] - 3) \* 4 >= 0
 * PATH *:29:*: bound: array-overflow: holds: (in\[0\] - 3) \* 4 <= 76
 * PATH *:30:*: bound: stack-smash: holds: (in\[1\] + 1) \* 4 <= 28
 * PATH *:32:*: bound: array-overflow: holds: (in\[0\] - 3) \* 4 <= 36
 * NOT *:33:*: bound:*
 * PATH *:35:*: bound: null: holds: u64le(tbl*, in\[3\] \* 8) != 0
 * NOT *:35:*: bound: array-overflow*
 * PATH *:37:*: bound: array-overflow: holds: *(in\[4\] - 2) \* 4 + 12* <= 36
 * PATH *:39:*: bound: array-underflow: holds: in\[5\] \* 4 - 4 >= 0
 * NOT *:40:*: bound:*
 * ALLOW store-address
 */
#include "case.h"

static int table[20];
static const char *names[4] = {"one", "two", NULL, "four"};
static unsigned char all[256];

int main(void) {
	int local[8] = {0};
	load();
	int *h = malloc(40), x = 0;
	int i = in[0] - 3;
	memset(h, 0, 40);
	x += table[i];
	local[in[1] + 1] = 4;
	x += local[2];
	h[i] = 3;
	x += all[in[2]];
	const char *n = names[in[3]];
	x += n[0];
	int *p = h + 3;
	x += p[in[4] - 2];
	int *q = &table[in[5]];
	x += q[-1];
	table[in[6] & 15] = 1;
	free(h);
	printf("%d\n", x);
	return 0;
}
