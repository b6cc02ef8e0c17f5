/* readv, pread, preadv, lseek, and a duplicated descriptor.
 *
 * INPUT abcdefghijklmnopqrst
 */
#define _GNU_SOURCE
#include "case.h"
#include <fcntl.h>
#include <sys/uio.h>

int main(void) {
	char a[4], b[6];
	struct iovec v[2] = {{a, 4}, {b, 6}};
	IF(readv(0, v, 2) == 10);
	IF(a[3] == 'd');                     // branch
	IF(b[5] == 'j');                     // branch
	IF(pread(0, a, 4, 2) == 4);
	IF(a[0] == 'c');                     // branch
	IF(preadv(0, v, 2, 5) == 10);
	IF(b[0] == 'j');                     // branch
	IF(lseek(0, 12, SEEK_SET) == 12);
	IF(read(0, a, 1) == 1);
	IF(a[0] == 'm');                     // branch
	int d = dup(0), e = dup2(0, 77), f = fcntl(0, F_DUPFD, 50);
	IF(read(d, a, 1) == 1);
	IF(a[0] == 'n');                     // branch
	IF(read(e, a, 1) == 1);
	IF(a[0] == 'o');                     // branch
	IF(read(f, a, 1) == 1);
	IF(a[0] == 'p');                     // branch
	off_t end = lseek(0, 0, SEEK_END);
	IF(end == 20);                       // branch
	return 0;
}
