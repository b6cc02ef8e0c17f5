/* Whether an allocation succeeds depends on its size: a small one is bounded, one that fails is given up.
 *
 * INPUT \x00\x20
 */
#include "case.h"

int main(void) {
	load();
	char *p = malloc(((size_t)in[0] << 50) + 10);
	IF(p != NULL);                                // nobranch
	char *q = malloc((size_t)in[1] << 57);        // concrete: allocation
	IF(q != NULL);                                // nobranch
	p = realloc(p, ((size_t)in[0] << 52) + 20);
	IF(p != NULL);                                // nobranch
	p = realloc(p, (size_t)in[1] - 2);
	IF(p != NULL);                                // nobranch
	free(p);
	p = calloc(((size_t)in[0] << 60) + 4, (size_t)in[1] << 1);
	IF(p != NULL);                                // nobranch
	return 0;
}
