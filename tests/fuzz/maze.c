/* maze: six doors, one behind the other, in a program with a main of its own: a magic number, a checksum that is accumulated
 * over eight bytes, a table, a 64-bit product, nested lengths, a word for libc. The bottom is abort(). */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int magic(const uint8_t *p)
{
	return p[0] == 'M' && p[1] == 0xa5 && p[2] == 'z' && p[3] == 0 && p[4] == 'e' && p[5] == 0xff && p[6] == '\n' && p[7] == 0x1a;
}

static int checksum(const uint8_t *p)
{
	uint32_t sum = 0xffffffff;
	for (int i = 0; i < 8; i++) {
		sum ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (0x82f63b78 & -(sum & 1));
	}
	return sum == 0x5ca1ab1e;
}

static uint8_t table[256];

static int looked_up(const uint8_t *p)
{
	static const uint8_t want[4] = {0x3c, 0xf1, 0x07, 0x9e};
	for (int i = 0; i < 4; i++)
		if (table[p[i]] != want[i])
			return 0;
	return table[table[p[4]]] == 0x42;
}

static int product(const uint8_t *p)
{
	uint64_t x;
	memcpy(&x, p, sizeof x);
	return x * 0x9e3779b97f4a7c15 == 0x0123456789abcdef;
}

/* A block of two bytes of length, in it a record with a byte of length, in that a field: each must fill the one around it
 * but for its own header and end. Where the field starts, or NULL. */
static const uint8_t *nested(const uint8_t *p, size_t size)
{
	size_t outer = size >= 2 ? (size_t)p[0] << 8 | p[1] : 0;
	if (outer < 16 || outer > size - 2)
		return NULL;
	const uint8_t *record = p + 2;
	if (record[0] != 'R' || record[1] + 3u != outer || record[2 + record[1]] != 0xee)
		return NULL;
	const uint8_t *field = record + 2;
	if (field[0] != 'F' || field[1] + 2u != record[1])
		return NULL;
	return field + 2;
}

static int word(const uint8_t *p)
{
	char text[9];
	memcpy(text, p, 8);
	text[8] = 0;
	return !strcmp(text, "opensea");
}

int main(int argc, char **argv)
{
	uint8_t in[256] = {0};
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : 0;
	ssize_t size = fd < 0 ? -1 : read(fd, in, sizeof in);

	for (unsigned i = 0; i < 256; i++)
		table[i] = (uint8_t)(i * 167 + 13);
	if (size < 48 || !magic(in))
		return puts("door 1"), 0;
	if (!checksum(in + 8))
		return puts("door 2"), 0;
	if (!looked_up(in + 16))
		return puts("door 3"), 0;
	if (!product(in + 21))
		return puts("door 4"), 0;
	const uint8_t *field = nested(in + 29, (size_t)size - 29);
	if (!field)
		return puts("door 5"), 0;
	if (!word(field))
		return puts("door 6"), 0;
	abort();
}
