/* driver.c: a main for LLVMFuzzerTestOneInput.
 *
 * Reads the file named by the first argument, or standard input, into heap memory
 * of exactly its size, so that a sanitizer sees every access beyond it, and calls
 * the harness once. In the traced variant the harness's size is the symbolic length
 * of the input. So nothing here may decide on it: the size of the allocation is
 * asked of the kernel directly, which gives a number without a label, and the read
 * asks for exactly the length, which holds whatever the length is. It stands in an
 * archive of its own: a program with a main never gets it.
 *
 * The cov variant's runtime has a loop that calls the harness many times in one
 * process, if the engine wants that; elsewhere the weak name is null.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel.h" /* after unistd.h */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
int __muster_loop(int (*harness)(const uint8_t *, size_t)) __attribute__((weak));

/* Of a pipe the size is known only at its end. */
static uint8_t *read_stream(int fd, size_t *size)
{
	uint8_t *all = NULL, *exact;
	size_t n = 0;

	for (;;) {
		ssize_t got;

		all = realloc(all, n + 65536);
		got = all ? read(fd, all + n, 65536) : -1;
		if (got < 0 && all && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += got;
	}
	exact = malloc(n);
	if (exact && n)
		memcpy(exact, all, n);
	free(all);
	*size = n;
	return exact;
}

static uint8_t *read_file(int fd, size_t *size)
{
	long room = syscall(SYS_lseek, fd, 0L, SEEK_END);
	uint8_t *data = malloc(room);

	syscall(SYS_lseek, fd, 0L, SEEK_SET);
	/* The result is the length once more: to test it would be to decide on it. */
	if (data)
		(void)!read(fd, data, *size);
	return data;
}

int main(int argc, char **argv)
{
	struct stat st;
	uint8_t *data;
	size_t size;
	int fd;

	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	if (__muster_loop && __muster_loop(LLVMFuzzerTestOneInput))
		return 0;
	fd = argc > 1 ? open(argv[1], O_RDONLY) : 0;
	if (fd < 0 || fstat(fd, &st)) {
		fprintf(stderr, "cannot open '%s': %s\n", argc > 1 ? argv[1] : "standard input",
			strerror(errno));
		return 1;
	}
	if (S_ISREG(st.st_mode)) {
		size = st.st_size;
		data = read_file(fd, &size);
	} else {
		data = read_stream(fd, &size);
	}
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}
