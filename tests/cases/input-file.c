/* The file in place of @@: open, openat, fopen, fdopen; relative and absolute names, a symbolic link.
 *
 * INPUT abcdef
 * ARGS @@
 * TRACE --writable .
 */
#define _GNU_SOURCE
#include "case.h"
#include <fcntl.h>

int main(int argc, char **argv) {
	char b[8];
	if (argc < 2)
		return 2;
	int fd = open(argv[1], O_RDONLY);
	IF(read(fd, b, 2) == 2);
	IF(b[1] == 'b');                          // branch
	FILE *f = fdopen(fd, "r");
	IF(getc(f) == 'c');                       // branch
	fclose(f);
	f = fopen(argv[1], "rb");
	IF(fread(b, 1, 6, f) == 6);
	IF(b[5] == 'f');                          // branch
	fclose(f);
	char *full = realpath(argv[1], NULL);
	fd = openat(AT_FDCWD, full, O_RDONLY | O_CLOEXEC);
	IF(read(fd, b, 8) == 6);                  // branch
	IF(b[2] == 'c');                          // branch
	close(fd);
	free(full);
	unlink("another-name");
	if (symlink(argv[1], "another-name") == 0) {
		f = fopen("another-name", "r");
		IF(fgetc(f) == 'a');              // branch
		fclose(f);
		unlink("another-name");
	}
	fd = open("/dev/zero", O_RDONLY);
	IF(read(fd, b, 1) == 1);                  // nobranch
	IF(b[0] == 0);                            // nobranch
	return 0;
}
