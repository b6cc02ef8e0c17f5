/* Computed goto: the table's index decides; the target is recorded.
 *
 * INPUT \x01\x02\x00
 * ALLOW target address
 * PATH *concrete: target:*
 */
#include "case.h"

int main(void) {
	load();
	static void *const labels[] = {&&stop, &&add, &&twice};
	int x = 3, at = 0;
	goto *labels[in[at]];
add:
	x++;
	at++;
	goto *labels[in[at]];
twice:
	x *= 2;
	at++;
	goto *labels[in[at]];
stop:
	IF(x == 8);         // nobranch
	IF(in[2] == 0);
	return 0;
}
