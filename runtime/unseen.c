/* unseen.c: data that leave the labelled world, and may come back.
 *
 * Output keeps its labels to itself: nothing depends on it, and to fix what is written would cost every program that converts a
 * file its precision. But a file that was written can be read. So the labels of what goes to regular files are kept here, by the
 * file's device and inode, and when the program reads, maps or measures such a file, they are given up there and then: the
 * constraints say what the file had (reason "returned"). Most programs never do, and pay a word for each labelled byte.
 * Files that are open for reading too, pipes, sockets and streams in memory are given up at once (output.c).
 *
 * Where nothing can be fixed, since it is not known what came, the trace says so with an event (enum muster_loss), once for each
 * kind, and its path is not called complete: raw system calls, copies that the kernel makes, libc's functions that read a stream that no
 * wrapper follows, shared mappings, what lies too far away from a pointer (extern.c). The functions below are not marked as
 * wrappers, so the instrumented caller treats them as functions without a body; each says the event and goes on to the real one.
 */
#include "hooks.h"
#include "node.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

int __real_fstat(int fd, struct stat *st);

/* -------------------------------------------------------------------- losses */

static uint32_t said; /* kinds of loss that this run reported */

void rt_lost(enum muster_loss what)
{
	if (!RT_ON() || said & 1u << what)
		return;
	said |= 1u << what;
	rt_event(MUSTER_EV_LOST, what, 0);
}

/* ------------------------------------------------------------ files written */

#define FILES 64
#define LEFT (1u << 18) /* labels that are kept; 2 MiB, touched as they come */

static struct file {
	uint64_t dev, ino;
	int mapped;   /* shared: what is written later is seen there at once */
	int overflow; /* there was no room for all labels */
} files[FILES];
static unsigned file_count, left_count;
static struct left {
	uint32_t file;
	label label;
} *left;

static struct file *find_file(uint64_t dev, uint64_t ino)
{
	for (unsigned i = 0; i < file_count; i++)
		if (files[i].dev == dev && files[i].ino == ino)
			return &files[i];
	return NULL;
}

/* The regular file that a descriptor stands for, new in the table if need be. NULL: none, or no room, which is a loss. */
static struct file *file_of(int fd)
{
	struct stat st;
	struct file *f;
	int kept = errno, regular = __real_fstat(fd, &st) == 0 && S_ISREG(st.st_mode);

	errno = kept;
	if (!regular)
		return NULL;
	f = find_file(st.st_dev, st.st_ino);
	if (!f && file_count < FILES)
		*(f = &files[file_count++]) = (struct file){.dev = st.st_dev, .ino = st.st_ino};
	if (!f)
		rt_lost(MUSTER_LOST_FILE);
	return f;
}

static int make_room(void)
{
	if (!left) {
		void *p = mmap(NULL, LEFT * sizeof *left, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (p == MAP_FAILED)
			return 0;
		left = p;
	}
	return left_count < LEFT;
}

static void keep(void *ctx, label l)
{
	struct file *f = ctx;

	if (f->mapped)
		rt_lost(MUSTER_LOST_SHARED);
	if (left_count && left[left_count - 1].label == l && left[left_count - 1].file == (uint32_t)(f - files))
		return;
	if (make_room())
		left[left_count++] = (struct left){(uint32_t)(f - files), l};
	else
		f->overflow = 1;
}

/* Of standard output and standard error, which most output goes to: 1 a regular file, -1 not, 0 not known. */
static signed char standard[3];

int rt_leaves(int fd)
{
	struct stat st;
	int kept = errno, regular;

	if (fd > 0 && fd < 3 && standard[fd])
		return standard[fd] > 0;
	regular = __real_fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	if (fd > 0 && fd < 3)
		standard[fd] = regular ? 1 : -1;
	errno = kept;
	return regular;
}

void rt_leaves_changed(int fd)
{
	if (fd > 0 && fd < 3)
		standard[fd] = 0;
}

void rt_left(int fd, const void *from, size_t n)
{
	struct file *f;

	if (RT_ON() && rt_any(from, n) && rt_leaves(fd) && (f = file_of(fd)))
		rt_each_label(from, n, keep, f);
}

void rt_left_label(int fd, label l)
{
	struct file *f;

	if (l && RT_ON() && rt_leaves(fd) && (f = file_of(fd)))
		keep(f, l);
}

void rt_returned_inode(uint64_t dev, uint64_t ino)
{
	struct file *f = file_count && RT_ON() ? find_file(dev, ino) : NULL;
	unsigned kept = 0;

	if (!f)
		return;
	for (unsigned i = 0; i < left_count; i++)
		if (left[i].file == (uint32_t)(f - files))
			rt_concrete(left[i].label, MUSTER_REASON_RETURNED);
		else
			left[kept++] = left[i];
	left_count = kept;
	if (f->overflow)
		rt_lost(MUSTER_LOST_FILE);
}

void rt_returned(int fd)
{
	struct stat st;
	int kept = errno;

	if (file_count && RT_ON() && __real_fstat(fd, &st) == 0)
		rt_returned_inode(st.st_dev, st.st_ino);
	errno = kept;
}

void rt_shared(int fd, int writable)
{
	struct file *f;

	if (!RT_ON())
		return;
	rt_returned(fd);
	if (writable)
		rt_lost(MUSTER_LOST_SHARED);
	else if ((f = file_of(fd)))
		f->mapped = 1;
}

/* ------------------------------------------------------- calls with unseen data */

__attribute__((used)) RT_HIDDEN void rt_lost_call(unsigned what)
{
	int kept = errno;

	rt_lost((enum muster_loss)what);
	errno = kept;
}

/* For code that is not called but stands in the program: system calls in inline assembly. */
void __muster_lost(uint32_t what)
{
	rt_lost_call(what);
}

/* X(name, kind): whatever their parameters are, they reach the real function as they came. */
#define UNSEEN(X)                                                                                                            \
	X(syscall, SYSCALL)                                                                                                  \
	X(fgetwc, WIDE) X(getwc, WIDE) X(getwchar, WIDE) X(fgetwc_unlocked, WIDE) X(getwc_unlocked, WIDE)                    \
	X(getwchar_unlocked, WIDE) X(fgetws, WIDE) X(fgetws_unlocked, WIDE) X(__fgetws_chk, WIDE)                            \
	X(__fgetws_unlocked_chk, WIDE) X(wscanf, WIDE) X(fwscanf, WIDE) X(vwscanf, WIDE) X(vfwscanf, WIDE)                   \
	X(__isoc99_wscanf, WIDE) X(__isoc99_fwscanf, WIDE) X(__isoc99_vwscanf, WIDE) X(__isoc99_vfwscanf, WIDE)              \
	X(sendfile, KERNEL) X(sendfile64, KERNEL) X(splice, KERNEL) X(tee, KERNEL) X(vmsplice, KERNEL)                       \
	X(copy_file_range, KERNEL) X(process_vm_readv, KERNEL) X(process_vm_writev, KERNEL) X(preadv2, KERNEL)               \
	X(preadv64v2, KERNEL) X(aio_read, KERNEL) X(aio_read64, KERNEL) X(lio_listio, KERNEL) X(lio_listio64, KERNEL)        \
	X(fopencookie, STREAM) X(fgetpwent, STREAM) X(fgetpwent_r, STREAM) X(fgetgrent, STREAM)              \
	X(fgetgrent_r, STREAM) X(fgetspent, STREAM) X(fgetspent_r, STREAM) X(getmntent, STREAM) X(getmntent_r, STREAM)       \
	X(shmat, SHARED) X(remap_file_pages, SHARED)

/* The registers of parameters, and al, in which a variadic call says how many vector registers it uses, are kept. Seven
 * registers and the return address: 64 bytes; with 128 of the vector registers and 8 the stack is aligned. */
#define X(name, kind)                                                                                                        \
	__attribute__((naked)) RT_EXPORT void __wrap_##name(void);                                                           \
	__attribute__((naked)) void __wrap_##name(void)                                                                      \
	{                                                                                                                    \
		__asm__("push %%rdi; push %%rsi; push %%rdx; push %%rcx; push %%r8; push %%r9; push %%rax; sub $128, %%rsp\n"   \
			"movups %%xmm0, (%%rsp); movups %%xmm1, 16(%%rsp); movups %%xmm2, 32(%%rsp); movups %%xmm3, 48(%%rsp)\n" \
			"movups %%xmm4, 64(%%rsp); movups %%xmm5, 80(%%rsp); movups %%xmm6, 96(%%rsp); movups %%xmm7, 112(%%rsp)\n" \
			"mov %0, %%edi; call rt_lost_call\n"                                                                 \
			"movups (%%rsp), %%xmm0; movups 16(%%rsp), %%xmm1; movups 32(%%rsp), %%xmm2; movups 48(%%rsp), %%xmm3\n" \
			"movups 64(%%rsp), %%xmm4; movups 80(%%rsp), %%xmm5; movups 96(%%rsp), %%xmm6; movups 112(%%rsp), %%xmm7\n" \
			"add $128, %%rsp; pop %%rax; pop %%r9; pop %%r8; pop %%rcx; pop %%rdx; pop %%rsi; pop %%rdi\n"           \
			"jmp __real_" #name "@PLT" ::"i"(MUSTER_LOST_##kind));                                               \
	}
UNSEEN(X)
#undef X
