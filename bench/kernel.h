/* kernel.h: what the benchmark kernels share.
 *
 *	kernel FILE [REPEAT]
 *
 * reads the whole FILE ("-" is standard input) and runs the kernel over it REPEAT times, so that a
 * native run can be made long enough to be measured. A kernel returns a number that every byte
 * has a part in; main tests it, so that nothing is optimised away and nothing is printed that would
 * have to be concretised. Each file defines `static uint32_t kernel(const unsigned char *, size_t)`. */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KERNEL_INPUT (8u << 20)
#ifdef WHOLE
#define KERNEL_BLOCK KERNEL_INPUT
#else
#define KERNEL_BLOCK 65536u
#endif

static unsigned char kernel_input[KERNEL_INPUT + KERNEL_BLOCK];
static uint32_t kernel(const unsigned char *p, size_t n);
/* Through a volatile pointer: no repetition can be merged with another. */
static uint32_t (*volatile kernel_run)(const unsigned char *, size_t) = kernel;

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	int fd = strcmp(argv[1], "-") ? open(argv[1], O_RDONLY) : 0;
	long repeat = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
	size_t n = 0;
	ssize_t got;
	if (fd < 0)
		return 2;
	/* Block by block: a block that was read in full has a length that is no matter of the input's. With
	 * -DWHOLE one read asks for all, and every test of the end is a branch on the length. */
	while (n < KERNEL_INPUT && (got = read(fd, kernel_input + n, KERNEL_BLOCK)) > 0)
		n += (size_t)got;
	int hits = 0;
	for (long i = 0; i < repeat; i++)
		if (kernel_run(kernel_input, n) == 0x12345678)
			hits++;
	puts(hits ? "magic" : "done");
	return 0;
}

#endif
