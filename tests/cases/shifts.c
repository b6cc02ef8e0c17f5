/* Shifts by input amounts at every width, and an amount that is out of range, which is recorded.
 *
 * INPUT \x03\x9c\x11\x21
 */
#include "case.h"

int main(void) {
	load();
	IF((uint8_t)(in[1] << in[0]) == 0xe0);       // branch
	IF((int8_t)in[1] >> in[0] == -13);           // branch
	IF((1u << in[0]) == 8);                      // branch
	IF((u32(0) >> in[0]) == 0x4223380);          // branch
	IF((int64_t)(u64(0) << in[2]) > 0);          // branch
	IF(((unsigned __int128)u64(0) << in[3] << in[2]) == 1); // branch
	IF(((__int128)-5 >> in[3]) == -1);           // branch
	return 0;
}
