/* A program's own function with a libc name is the program's, not the runtime's body.
 *
 * INPUT ab
 */
#include "case.h"

size_t strnlen(const char *s, size_t n) {
	(void)s;
	return n + 40;
}

static char *duplicate(const char *s, size_t n) {
	char *p = malloc(n + 1);
	memcpy(p, s, n);
	p[n] = 0;
	return p;
}

int main(void) {
	load();
	IF(strnlen((char *)in, 2) == 42); // nobranch
	char *p = duplicate((char *)in, 2);
	IF(p[1] == 'b');                  // branch
	free(p);
	return 0;
}
