/* report.c: sends what the sanitizers of the san variant report to muster alone.
 *
 * muster passes a descriptor and names it in the environment. The sanitizers are pointed to it before the first constructor
 * of the program or of a library of its runs, and in each child that fork makes, since they forget it there. A
 * line at its beginning says that they came up: what they write before that (that they cannot start) goes to standard
 * error. The descriptor is not the program's: closing all there are leaves it open, or the report of what
 * comes afterwards would be lost and the run would seem to pass.
 *
 * Without the variable nothing is changed.
 */
#include <muster/abi.h>

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WEAK __attribute__((weak, visibility("default")))

void __sanitizer_set_report_fd(void *fd) __attribute__((weak));
void __asan_init(void) __attribute__((weak));

static int report = -1;

void __muster_report_to(int fd);
void __muster_report_to(int fd)
{
	report = fd;
	if (fd >= 0 && __sanitizer_set_report_fd)
		__sanitizer_set_report_fd((void *)(uintptr_t)fd);
}

static void in_child(void)
{
	__muster_report_to(report);
}

/* Before libc is set up: only the kernel may be asked. */
static void begin(int argc, char **argv, char **envp)
{
	static const char name[] = MUSTER_REPORT_ENV "=", hello[] = MUSTER_REPORT_HELLO;
	long fd = -1;

	(void)argc;
	(void)argv;
	for (; envp && *envp && fd < 0; envp++) {
		const char *p = *envp, *n = name;

		while (*n && *p == *n)
			p++, n++;
		if (*n)
			continue;
		for (fd = 0; *p >= '0' && *p <= '9' && fd < 100000; p++)
			fd = 10 * fd + (*p - '0');
	}
	if (fd < 0 || !__sanitizer_set_report_fd)
		return;
	if (__asan_init)
		__asan_init(); /* it sets where reports go: not after us */
	__muster_report_to((int)fd);
	if (syscall(SYS_write, fd, hello, sizeof hello - 1) < 0)
		__muster_report_to(-1);
}

__attribute__((section(".preinit_array"), used)) static void (*const early)(int, char **, char **) = begin;

__attribute__((constructor(101))) static void later(void)
{
	if (report >= 0)
		pthread_atfork(NULL, NULL, in_child);
}

/* ----------------------------------------------------------- the descriptor */

static int refuse(void)
{
	errno = EBADF;
	return -1;
}

WEAK int close(int fd)
{
	return fd >= 0 && fd == report ? refuse() : (int)syscall(SYS_close, fd);
}

WEAK int close_range(unsigned first, unsigned last, int flags)
{
	unsigned mine = (unsigned)report;

	if (report < 0 || mine < first || mine > last)
		return (int)syscall(SYS_close_range, first, last, flags);
	if (mine > first && syscall(SYS_close_range, first, mine - 1, flags))
		return -1;
	return mine < last ? (int)syscall(SYS_close_range, mine + 1, last, flags) : 0;
}

WEAK void closefrom(int first)
{
	if (close_range(first < 0 ? 0 : (unsigned)first, ~0u, 0))
		for (int fd = first < 0 ? 0 : first; fd < 65536; fd++)
			close(fd);
}
