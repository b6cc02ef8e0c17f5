/* klee_make_symbolic: the object's bytes come from the input.
 *
 * INPUT \x05\x00\x00\x00ab
 * SKIP native
 */
#include <stdio.h>
#include <stddef.h>

extern void klee_make_symbolic(void *p, size_t n, const char *name);

int main(void) {
	int x;
	char name[2];
	klee_make_symbolic(&x, sizeof x, "x");
	klee_make_symbolic(name, sizeof name, "name");
	if (x == 5) // branch
		puts("five");
	if (name[1] == 'b') // branch
		puts("b");
	return 0;
}
