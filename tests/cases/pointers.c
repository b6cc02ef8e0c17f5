/* Pointers: arithmetic, differences, comparison, a pointer stored and reloaded, null tests
 * of concrete pointers (no branch), pointers made of input bytes.
 *
 * INPUT \x02\x01xyz\x00\x00\x00\x00\x00\x00\x00
 */
#include "case.h"

struct item {
	int pad, value;
	struct item *next;
};

static const char *skip(const char *p, char c) {
	while (*p == c) // branch
		p++;
	return p;
}

int main(void) {
	load();
	const char *text = (const char *)in + 2;
	const char *end = skip(text, 'x');
	IF(end - text == 1);
	IF(end == text); // nobranch
	struct item a = {1, in[0], NULL}, b = {2, in[1], &a}, *list = &b;
	int sum = 0;
	for (struct item *p = list; p; p = p->next) // nobranch
		sum += p->value;
	IF(sum == 3);                        // branch
	char *made = (char *)(uintptr_t)u64(4);
	IF(made == NULL);                    // branch
	IF(((uintptr_t)made & 7) == 0);      // branch
	char *into = (char *)in + in[0];
	IF(into > (char *)in + 1);           // branch
	IF(into - (char *)in == 2);          // branch
	int numbers[4] = {10, 20, 30, 40};
	int *q = numbers + in[1];
	IF(q - numbers == 1);                // branch
	return 0;
}
