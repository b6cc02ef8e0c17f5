/* packet: reads a small packet from standard input and says what it is.
 *
 *	bytes 0-1   "PK"
 *	byte 2      kind: 1 text, 2 rate, 3 list
 *	byte 3      length of the body
 *	byte 4      the sum of the body's bytes
 *	body
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char sum(const unsigned char *body, int n)
{
	unsigned char s = 0;
	for (int i = 0; i < n; i++)
		s += body[i];
	return s;
}

int main(void)
{
	unsigned char p[64];
	size_t n = fread(p, 1, sizeof p - 1, stdin);
	if (n < 6 || memcmp(p, "PK", 2) != 0) {
		puts("no packet");
		return 1;
	}
	int kind = p[2], length = p[3];
	if ((size_t)length + 5 > n) {
		puts("cut short");
		return 1;
	}
	if (sum(p + 5, length) != p[4]) {
		puts("wrong sum");
		return 1;
	}
	p[5 + length] = 0;
	switch (kind) {
	case 1:
		puts(isupper(p[5]) ? "a text, with a capital" : "a text");
		break;
	case 2:
		printf("a rate: one every %d ms\n", 1000 / atoi((char *)p + 5));
		break;
	case 3:
		puts("a list");
		break;
	default:
		puts("unknown kind");
		return 1;
	}
	return 0;
}
