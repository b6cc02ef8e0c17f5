/* stdio: getc in all its forms, ungetc, fgets, fread, fseek, ftell, rewind, feof.
 *
 * INPUT abcdef\nsecond line\nxyz
 * ALLOW offset
 */
#define _GNU_SOURCE
#include "case.h"

int main(void) {
	char b[32];
	IF(getc(stdin) == 'a');             // branch
	IF(fgetc(stdin) == 'b');            // branch
	IF(getchar() == 'c');               // branch
	IF(getc_unlocked(stdin) == 'd');    // branch
	IF(getchar_unlocked() == 'e');      // branch
	int c = getc(stdin);
	ungetc(c, stdin);
	IF(getc(stdin) == 'f');             // branch
	ungetc('Q', stdin);
	IF(getc(stdin) == 'Q');
	IF(getc(stdin) == '\n');            // branch
	IF(fgets(b, sizeof b, stdin) != NULL);
	IF(b[0] == 's');                    // branch
	IF(strlen(b) == 12);
	IF(ftell(stdin) == 19);
	fseek(stdin, 2, SEEK_SET);
	IF(fread(b, 1, 3, stdin) == 3);
	IF(b[0] == 'c');                    // branch
	IF(fread(b, 4, 2, stdin) == 2);
	IF(b[7] == 'o');
	rewind(stdin);
	IF(getc(stdin) == 'a');             // branch
	fseek(stdin, -1, SEEK_END);
	IF(getc(stdin) == 'z');             // branch
	IF(getc(stdin) == EOF);
	IF(feof(stdin));
	return 0;
}
