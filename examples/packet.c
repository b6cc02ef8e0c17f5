/* packet: reads a small packet from standard input and says what it is.
 *
 *	bytes 0-1   "PK"
 *	byte 2      kind: 1 text, 2 number, 3 list
 *	byte 3      length of the body
 *	body
 *	last byte   the sum of the body's bytes
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int sum_is_right(const unsigned char *body, int n)
{
	unsigned char sum = 0;
	for (int i = 0; i < n; i++)
		sum += body[i];
	return sum == body[n];
}

int main(void)
{
	unsigned char p[64];
	size_t n = fread(p, 1, sizeof p, stdin);
	if (n < 5 || memcmp(p, "PK", 2) != 0) {
		puts("no packet");
		return 1;
	}
	int kind = p[2], length = p[3];
	if ((size_t)length + 5 > n) {
		puts("cut short");
		return 1;
	}
	if (!sum_is_right(p + 4, length)) {
		puts("wrong sum");
		return 1;
	}
	p[4 + length] = 0;
	switch (kind) {
	case 1:
		puts(isupper(p[4]) ? "a text, with a capital" : "a text");
		break;
	case 2:
		puts(strtol((char *)p + 4, NULL, 10) > 1000 ? "a large number" : "a number");
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
