/* A loop bound from the input: every test of it is a branch; variable-length arrays give up the size,
 * blocks of the heap do not.
 *
 * INPUT \x05\x06
 * ALLOW size
 */
#include "case.h"

int main(void) {
	load();
	int sum = 0;
	for (int i = 0; i < in[0]; i++) // branch
		sum += i;
	IF(sum == 10);                  // nobranch
	char array[in[0]];              // concrete: allocation
	memset(array, 1, sizeof array);
	IF(array[4] == 1);              // nobranch
	char *p = malloc(in[1]);        // nobranch
	p[0] = 2;
	IF(p[0] == 2);                  // nobranch
	free(p);
	return 0;
}
