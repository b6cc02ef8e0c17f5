/* One-bit values: _Bool stored and reloaded, && and ||, ! and !!, as array indices and sums.
 *
 * INPUT ab
 */
#include "case.h"

int main(void) {
	load();
	_Bool flags[3] = {in[0] == 'a', in[1] == 'a', in[0] < in[1]};
	IF(flags[0]);                               // branch
	IF(!flags[1]);                              // branch
	IF(flags[0] + flags[1] + flags[2] == 2);    // branch
	_Bool both = flags[0] && flags[2];          // branch
	IF(both);
	_Bool converted = in[0];
	IF(converted);                              // branch
	IF(!!in[1] == 1);                           // branch
	return 0;
}
