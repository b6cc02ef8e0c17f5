/* map.c: memory that is mapped, moved and unmapped.
 *
 * A mapping of an input has its bytes at once, with their labels. Its length may
 * depend on the input's and is not fixed by that: which bytes the program reads is
 * for its own tests to say. Sizes of memory without a file are fixed: where the next mapping stands, and what is there no more, hangs on them. Every other new mapping is concrete, whatever stood at
 * its addresses before; one that is shared may be written through another name, which the trace says (unseen.c).
 */
#include "io.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>

void *__real_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *p, size_t n);
void *__real_mremap(void *p, size_t old, size_t new, int flags, ...);

static void label_map(char *p, size_t n, int source, uint64_t offset)
{
	uint64_t size = rt_source_size((unsigned)source), left = size - offset;
	if (offset >= size)
		return;
	rt_label_input(p, (unsigned)source, offset, n < left ? n : left);
	if (n > left && left & 4095) { /* zeros up to the end of the page, for this length */
		uint64_t rest = 4096 - (left & 4095);
		rt_io_past(source, p + left, n - left < rest ? n - left : rest, 1);
	}
}

static void *do_mmap(const void *fn, void *at, size_t n, int protection, int flags, int fd,
		     off_t offset)
{
	label a[6];
	rt_enter(fn, a, 6);
	for (int i = 0; i < 6; i++)
		if (i != 1 || flags & MAP_ANONYMOUS)
			rt_concrete(a[i], i == 1 ? MUSTER_REASON_SIZE : i == 5 ? MUSTER_REASON_OFFSET : MUSTER_REASON_EXTERN);
	void *p = __real_mmap(at, n, protection, flags, fd, offset);
	if (p != MAP_FAILED) {
		rt_clear(p, n);
		int source = flags & MAP_ANONYMOUS ? -1 : rt_source_of_fd(fd);
		if (!(flags & MAP_ANONYMOUS) && (flags & MAP_TYPE) != MAP_PRIVATE)
			rt_shared(fd, protection & PROT_WRITE || (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR);
		else if (!(flags & MAP_ANONYMOUS))
			rt_returned(fd);
		if (source >= 0 && protection & PROT_READ)
			label_map(p, n, source, (uint64_t)offset);
	}
	rt_return(fn, 0);
	return p;
}

RT_EXPORT void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	return do_mmap(__wrap_mmap, at, n, protection, flags, fd, offset);
}

RT_EXPORT void *__wrap_mmap64(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	return do_mmap(__wrap_mmap64, at, n, protection, flags, fd, offset);
}

RT_EXPORT int __wrap_munmap(void *p, size_t n)
{
	label a[2];
	rt_enter(__wrap_munmap, a, 2);
	rt_concrete(a[0], MUSTER_REASON_EXTERN);
	rt_concrete(a[1], MUSTER_REASON_SIZE);
	int result = __real_munmap(p, n);
	if (result == 0)
		rt_clear(p, n);
	return result;
}

RT_EXPORT void *__wrap_mremap(void *p, size_t old, size_t new, int flags, ...)
{
	label a[4];
	va_list args;
	va_start(args, flags);
	void *wish = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
	va_end(args);
	rt_enter(__wrap_mremap, a, 4);
	rt_concrete(a[0], MUSTER_REASON_EXTERN);
	rt_concrete(a[1], MUSTER_REASON_SIZE);
	rt_concrete(a[2], MUSTER_REASON_SIZE);
	if (old == 0) /* a second view of the same pages */
		rt_lost(MUSTER_LOST_SHARED);
	void *moved = __real_mremap(p, old, new, flags, wish);
	if (moved != MAP_FAILED) {
		size_t kept = old < new ? old : new;
		if (moved != p) {
			rt_copy(moved, p, kept);
			rt_clear(p, old);
		} else if (new < old) {
			rt_clear((char *)p + new, old - new);
		}
		if (new > old)
			rt_clear((char *)moved + old, new - old);
	}
	rt_return(__wrap_mremap, 0);
	return moved;
}
