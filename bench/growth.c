/* growth.c: a path of as many branches as the input has bytes, for bench/growth.
 *
 *	growth-each FILE     one branch a byte, each of its own byte alone
 *	growth-sum FILE      (-DSUM) one branch a byte, each of the sum of all bytes so far
 *	growth-mix FILE      (-DMIX) one branch a byte, each of upper bits of a product in which all bytes so far are mixed
 *	growth-chain FILE    (-DCHAIN) one branch a byte, each of it and the byte before it
 *
 * The branches do not depend on each other's outcome: a path has n of them whatever the input is. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static unsigned char in[1 << 16];

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : 0;
	ssize_t size = fd < 0 ? 0 : read(fd, in, BYTES);
	volatile unsigned hits = 0;

	if (size != BYTES)
		return 1;
#ifdef SUM
	uint32_t sum = 0;
	for (int i = 0; i < BYTES; i++) {
		sum = sum * 31 + in[i];
		if ((sum & 0xff) == 0x41)
			hits++;
	}
#elif defined MIX
	uint32_t mix = 1;
	for (int i = 0; i < BYTES; i++) {
		mix = (mix ^ in[i]) * 0x01000193;
		if ((mix >> 16 & 0xff) == 0x41)
			hits++;
	}
#elif defined CHAIN
	for (int i = 1; i < BYTES; i++)
		if (in[i] < in[i - 1])
			hits++;
#else
	for (int i = 0; i < BYTES; i++)
		if (in[i] == 'A')
			hits++;
#endif
	return 0;
}
