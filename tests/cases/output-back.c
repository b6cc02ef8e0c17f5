/* Output that the program reads again, or whose length it looks at, is given up where it is written; output that
 * goes nowhere else keeps its labels.
 *
 * INPUT abcdefgh
 * TRACE --writable /tmp
 */
#define _GNU_SOURCE
#include "case.h"
#include <stdarg.h>

static int say(const char *format, ...) {
	va_list list;
	va_start(list, format);
	int n = vprintf(format, list); // concrete: extern
	va_end(list);
	return n;
}

int main(void) {
	load();
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	fputc(in[0], memory);                      // concrete: extern
	fprintf(memory, "%d", in[1]);              // concrete: extern
	fclose(memory);
	IF(text[0] == 'a');                        // nobranch
	IF(size == 3);                             // nobranch
	int ends[2];
	unsigned char back[2] = {0};
	IF(pipe(ends) == 0);                       // nobranch
	IF(write(ends[1], in + 2, 1) == 1);        // concrete: extern
	IF(read(ends[0], back, 1) == 1);           // nobranch
	IF(back[0] == 'c');                        // nobranch
	FILE *file = tmpfile();
	fwrite(in + 3, 1, 1, file);                // concrete: extern
	rewind(file);
	IF(getc(file) == 'd');                     // nobranch
	IF(say("%d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, in[4]) == 16); // nobranch
	printf("%c\n", in[7]);
	putchar(in[7]);
	IF(in[7] == 'h');                          // branch
	IF(say("%f %.*s\n", 0.5, 2, (char *)in + 5) == 12);  // nobranch
	return 0;
}
