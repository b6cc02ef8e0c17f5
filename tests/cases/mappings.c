/* mmap, mremap and munmap: labels move with the pages, a new mapping in the old place is concrete.
 *
 * INPUT abcdefgh
 */
#define _GNU_SOURCE
#include "case.h"
#include <sys/mman.h>

#define ANON MAP_PRIVATE | MAP_ANONYMOUS

int main(void) {
	load();
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, ANON, -1, 0);
	memcpy(p + 4000, in, 8);
	IF(p[4001] == 'b');                            // branch
	char *away = mmap(NULL, 65536, PROT_READ | PROT_WRITE, ANON, -1, 0);
	char *q = mremap(p, 8192, 32768, MREMAP_MAYMOVE | MREMAP_FIXED, away);
	IF(q[4002] == 'c');                            // branch
	char *fresh = mmap(p, 8192, PROT_READ | PROT_WRITE, ANON | MAP_FIXED, -1, 0);
	IF(fresh[4001] == 0);                          // nobranch
	munmap(q, 32768);
	q = mmap(q, 4096, PROT_READ | PROT_WRITE, ANON | MAP_FIXED, -1, 0);
	IF(q[4002] == 0);                              // nobranch
	memcpy(fresh, in, 8);
	madvise(fresh, 4096, MADV_DONTNEED);
	IF(fresh[3] == 0);
	return 0;
}
