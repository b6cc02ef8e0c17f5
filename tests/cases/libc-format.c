/* Integer and string conversions of snprintf: the text depends on the numbers.
 *
 * INPUT \x2a\x00abc\x00
 */
#include "case.h"

int main(void) {
	load();
	char b[64];
	int n = snprintf(b, sizeof b, "%d", u16(0));
	IF(n == 2);
	IF(b[0] == '4');                 // branch
	snprintf(b, sizeof b, "<%04x>", u16(0));
	IF(strcmp(b, "<002a>") == 0);
	snprintf(b, sizeof b, "%5s|%-5.2s|", (char *)in + 2, (char *)in + 2);
	IF(b[2] == 'a');                 // branch
	IF(b[7] == 'b');                 // branch
	sprintf(b, "%c%%%o", in[3], in[0]);
	IF(b[0] == 'b');                 // branch
	snprintf(b, sizeof b, "%s %d", "constant", 7);
	IF(b[9] == '7');                 // nobranch
	return 0;
}
