/* mmap of the input: the pages carry its bytes' labels, beyond the end it is concrete.
 *
 * INPUT abcdefgh
 * ARGS @@
 * ALLOW size
 */
#include "case.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(int argc, char **argv) {
	(void)argc;
	int fd = open(argv[1], O_RDONLY);
	struct stat s;
	fstat(fd, &s);
	IF(s.st_size == 8);    // branch
	char *p = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	IF(p[2] == 'c');       // branch
	IF(p[7] == 'h');       // branch
	IF(p[8] == 0);
	munmap(p, 8);
	return 0;
}
