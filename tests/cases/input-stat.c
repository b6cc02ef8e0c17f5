/* The sizes that stat, fstat, lstat, fstatat and statx give are the length.
 *
 * INPUT abcdefgh
 * ARGS @@
 */
#define _GNU_SOURCE
#include "case.h"
#include <fcntl.h>
#include <sys/stat.h>

int main(int argc, char **argv) {
	(void)argc;
	struct stat s;
	struct statx x;
	stat(argv[1], &s);
	IF(s.st_size == 8);      // branch
	lstat(argv[1], &s);
	IF(s.st_size > 7);
	int fd = open(argv[1], O_RDONLY);
	fstat(fd, &s);
	IF(s.st_size % 4 == 0);  // branch
	fstatat(AT_FDCWD, argv[1], &s, 0);
	IF(s.st_size < 100);     // branch
	statx(AT_FDCWD, argv[1], 0, STATX_SIZE, &x);
	IF(x.stx_size == 9);     // branch
	stat("/", &s);
	IF(s.st_size == 5);      // nobranch
	return 0;
}
