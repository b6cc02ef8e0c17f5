/* The system's random numbers are the same in every run: paths that depend on them can be walked again.
 *
 * INPUT abc
 * SKIP native
 */
#define _GNU_SOURCE
#include "case.h"
#include <fcntl.h>
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
	int fd = open("/dev/urandom", O_RDONLY);
	IF(read(fd, salt, 8) == 8);               // nobranch
	IF(salt[3] & 1);                          // nobranch
	close(fd);
	FILE *f = fopen("/dev/random", "rb");
	IF(getc(f) & 1);                          // nobranch
	fclose(f);
	f = fopen("written", "w");
	IF(f && fputs("x", f) >= 0);              // nobranch
	fclose(f);
	fd = openat(AT_FDCWD, "made", O_CREAT | O_RDWR, 0600);
	IF(fd >= 0);                              // nobranch
	return 0;
}
