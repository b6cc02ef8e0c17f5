/* The system's random numbers are the same in every run: paths that depend on them can be walked again.
 *
 * INPUT abc
 * SKIP native
 */
#define _GNU_SOURCE
#include "case.h"
#include <sys/random.h>

int main(void) {
	load();
	unsigned char salt[8];
	IF(getrandom(salt, sizeof salt, 0) == 8); // nobranch
	for (int i = 0; i < 8; i++)
		IF((salt[i] ^ in[i % 3]) & 1);    // branch
	IF(arc4random() & 1);                     // nobranch
	IF(arc4random_uniform(10) < 5);           // nobranch
	arc4random_buf(salt, 4);
	IF(salt[0] & 1);                          // nobranch
	IF(getentropy(salt, 8) == 0);             // nobranch
	memcpy(salt, in, 3);
	getrandom(salt, 2, 0);
	IF(salt[0] & 1);                          // nobranch
	IF(salt[2] == 'c');                       // branch
	return 0;
}
