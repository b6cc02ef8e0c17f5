/* An LZ4-like decompressor: a token byte with literal and match lengths, then literals, then a
 * two-byte distance. What it copies keeps its labels; the distances become concretisations. */
#include "kernel.h"

static unsigned char window[KERNEL_INPUT + 65536];

static size_t length_of(const unsigned char **p, const unsigned char *end, size_t n)
{
	unsigned char c = 255;
	if (n == 15)
		while (*p < end && c == 255) {
			c = *(*p)++;
			n += c;
		}
	return n;
}

static uint32_t kernel(const unsigned char *p, size_t n)
{
	const unsigned char *end = p + n;
	size_t out = 0;
	while (p < end) {
		unsigned char t = *p++;
		size_t literals = length_of(&p, end, t >> 4);
		if (literals > (size_t)(end - p) || out + literals > sizeof window)
			break;
		for (size_t i = 0; i < literals; i++)
			window[out++] = *p++;
		if (end - p < 2)
			break;
		size_t distance = (size_t)p[0] | (size_t)p[1] << 8;
		p += 2;
		size_t match = length_of(&p, end, t & 15) + 4;
		if (distance == 0 || distance > out || out + match > sizeof window)
			break;
		for (; match > 0; match--, out++)
			window[out] = window[out - distance];
	}
	uint32_t sum = 0;
	for (size_t i = 0; i < out; i += 64)
		sum = sum * 31 + window[i];
	return sum + (uint32_t)out;
}
