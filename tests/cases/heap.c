/* realloc keeps labels where the block moves and where it does not; calloc and reuse start concrete.
 *
 * INPUT abcdefgh
 */
#define _GNU_SOURCE
#include "case.h"

int main(void) {
	load();
	char *p = malloc(8);
	memcpy(p, in, 8);
	char *wall = malloc(64);
	p = realloc(p, 100000);
	IF(p[7] == 'h');              // branch
	p = realloc(p, 4);
	IF(p[3] == 'd');              // branch
	free(p);
	char *again = malloc(8);
	memset(again, 'x', 8);
	IF(again[3] == 'x');          // nobranch
	char *zero = calloc(4, 4);
	IF(zero[5] == 0);             // nobranch
	char *copy = strdup((char *)in);
	IF(copy[1] == 'b');           // branch
	char *array = reallocarray(NULL, 4, 4);
	array[0] = (char)in[2];
	IF(array[0] == 'c');          // branch
	free(array);
	free(copy);
	free(zero);
	free(again);
	free(wall);
	return 0;
}
