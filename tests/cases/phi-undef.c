/* A variable that only some paths set: its phi has an undefined operand, which is concrete.
 *
 * INPUT abcab
 */
#include "case.h"

static int find(const unsigned char *s, int n, int c, int *where) {
	int found = 0, at;
	for (int i = 0; i < n; i++)
		if (s[i] == c && !found) { // branch
			at = i;
			found = 1;
		}
	if (found)
		*where = at;
	return found;
}

int main(void) {
	load();
	int where = -1;
	IF(find(in, 5, 'c', &where));
	IF(where == 2);
	IF(find(in, 5, 'z', &where));
	return 0;
}
