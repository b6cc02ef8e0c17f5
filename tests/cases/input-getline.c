/* getline and getdelim: each line's length is a matter of branches.
 *
 * INPUT ab\nlonger line\n\nlast
 */
#define _GNU_SOURCE
#include "case.h"

int main(void) {
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	int lines = 0, total = 0;
	while ((n = getline(&line, &size, stdin)) > 0) {
		lines++;
		total += (int)n;
		IF(line[0] == 'l'); // branch
	}
	IF(lines == 4);
	IF(total == 20);
	rewind(stdin);
	n = getdelim(&line, &size, 'e', stdin);
	IF(n == 8);
	IF(line[6] == 'g');         // branch
	free(line);
	return 0;
}
