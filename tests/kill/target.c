/* target.c: a program whose search comes to an end by itself: a few hundred paths over eight bytes, no loop over the input's
 * length, and outcomes that only a combination of decisions reaches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int step(int state, int ch)
{
	switch (ch) {
	case 'a': return state + 1;
	case 'b': return state * 2;
	case 'c': return state ^ 5;
	case 'd': return state > 3 ? 0 : state + 7;
	default: return state;
	}
}

int main(int argc, char **argv)
{
	unsigned char in[8] = {0};
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : stdin;
	int state = 1;

	if (!f || fread(in, 1, sizeof in, f) != sizeof in)
		return 1;
	for (int i = 0; i < 2; i++)
		state = step(state, in[i]);
	if (state > 8)
		puts("far");
	else if (state == 5 && in[4] == 'x')
		puts("five");
	if ((in[5] ^ in[4]) == 0x3c) {
		puts("mixed");
		if (in[6] * 3 + in[7] == 500)
			puts("sum");
		else if (in[6] > in[7] && in[7] > 0x60)
			puts("order");
	}
	if (!memcmp(in + 4, "last", 4))
		puts("word");
	return 0;
}
