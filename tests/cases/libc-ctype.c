/* ctype.h, as functions and as the macros of glibc's header.
 *
 * INPUT aB3 \x01,f\x0a
 * FLAGS -O2
 */
#include "case.h"
#include <ctype.h>

int main(void) {
	load();
	IF(isalpha(in[0]));        // branch
	IF(isupper(in[1]));        // branch
	IF(islower(in[0]));        // branch
	IF(isdigit(in[2]));        // branch
	IF(isspace(in[3]));        // branch
	IF(iscntrl(in[4]));        // branch
	IF(ispunct(in[5]));        // branch
	IF(isxdigit(in[6]));       // branch
	IF(isalnum(in[2]));        // branch
	IF(isprint(in[7]));        // branch
	IF(isgraph(in[3]));        // branch
	IF(isblank(in[3]));        // branch
	IF(toupper(in[0]) == 'A'); // branch
	IF(tolower(in[1]) == 'b'); // branch
	IF((isdigit)(in[2]) != 0); // branch
	IF((toupper)(in[6]) == 'F'); // branch
	return 0;
}
