/* fscanf and sscanf: numbers and words from the input.
 *
 * INPUT 42 -17 word 0x1f rest
 */
#include "case.h"

int main(void) {
	int a = 0, b = 0;
	unsigned x = 0;
	char word[16] = "";
	IF(scanf("%d %d %15s %x", &a, &b, word, &x) == 4);
	IF(a == 42);          // branch
	IF(b == -17);         // branch
	IF(word[0] == 'w');   // branch
	IF(x == 31);          // branch
	int v = 0;
	char copy[32] = "";
	IF(fgets(copy, sizeof copy, stdin) != NULL);
	IF(sscanf(copy, " %4[a-z]", word) == 1);
	IF(word[3] == 't');   // branch
	IF(sscanf("99", "%d", &v) == 1); // nobranch
	IF(v == 99);          // nobranch
	return 0;
}
