/* The program that other engines were measured with: the input goes through a tokenizer (it
 * counts words, numbers and operators), a base64 decoder (its alphabet's bytes are decoded, others
 * are skipped) and an Adler checksum over the whole of it. */
#include "kernel.h"

static unsigned char decoded[KERNEL_INPUT];

static uint32_t tokens(const unsigned char *p, size_t n)
{
	uint32_t words = 0, numbers = 0, operators = 0;
	for (size_t i = 0; i < n;) {
		unsigned char c = p[i];
		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_') {
			words++;
			do
				i++;
			while (i < n && ((p[i] >= 'a' && p[i] <= 'z') || (p[i] >= 'A' && p[i] <= 'Z') || p[i] == '_'));
		} else if (c >= '0' && c <= '9') {
			numbers++;
			do
				i++;
			while (i < n && p[i] >= '0' && p[i] <= '9');
		} else {
			operators += c != ' ' && c != '\n';
			i++;
		}
	}
	return words * 31 + numbers * 7 + operators;
}

static int digit(unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static size_t decode(const unsigned char *p, size_t n)
{
	uint32_t bits = 0, have = 0;
	size_t out = 0;
	for (size_t i = 0; i < n; i++) {
		int d = digit(p[i]);
		if (d < 0)
			continue;
		bits = bits << 6 | (uint32_t)d;
		have += 6;
		if (have >= 8) {
			have -= 8;
			decoded[out++] = (unsigned char)(bits >> have);
		}
	}
	return out;
}

static uint32_t adler(const unsigned char *p, size_t n)
{
	uint32_t a = 1, b = 0;
	for (size_t i = 0; i < n; i++) {
		a = (a + p[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

static uint32_t kernel(const unsigned char *p, size_t n)
{
	uint32_t result = tokens(p, n) + (uint32_t)decode(p, n);
	if (adler(p, n) == 0x12345678)
		result++;
	return result;
}
