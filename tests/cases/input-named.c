/* A file that the program opens by a given name.
 *
 * INPUT abc
 * TRACE --file config.txt
 * SETUP cp in config.txt
 */
#include "case.h"

int main(void) {
	FILE *f = fopen("config.txt", "r");
	if (!f)
		return 1;
	IF(getc(f) == 'a'); // branch
	fclose(f);
	return 0;
}
