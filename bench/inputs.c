/* inputs: writes the benchmark's input files: inputs KIND BYTES >FILE, KIND one of text, base64, lz,
 * json, xml. A fixed generator: the same file each time. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252ull;

static uint32_t next(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20) % below;
}

static void word(void)
{
	static const char *const words[] = {"the", "buffer", "length", "of", "parse", "token", "is", "node",
					    "a", "value", "state", "read", "index", "for", "string", "map"};
	fputs(words[next(16)], stdout);
}

static size_t text(size_t limit)
{
	size_t n = 0;
	char line[128];
	while (n < limit) {
		int k;
		switch (next(8)) {
		case 0: k = snprintf(line, sizeof line, "\"a string %u\\\" x\" ", next(1000)); break;
		case 1: k = snprintf(line, sizeof line, "%u + %u;\n", next(100000), next(100)); break;
		case 2: k = snprintf(line, sizeof line, "# note %u\n", next(10)); break;
		default: {
			static const char *const words[] = {"the", "buffer", "length", "of", "parse", "token", "is",
							    "node_a", "a", "value", "state", "read", "index", "For"};
			k = snprintf(line, sizeof line, "%s %s= ", words[next(14)], next(3) ? "" : "=");
		}
		}
		if (n + (size_t)k > limit)
			k = (int)(limit - n);
		fwrite(line, 1, (size_t)k, stdout);
		n += (size_t)k;
	}
	return n;
}

static void base64(size_t limit)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 1; i <= limit; i++)
		putchar(i % 77 == 0 ? '\n' : digits[next(64)]);
}

/* Literals of a small alphabet, short matches; the sizes that lz.c expects. */
static void lz(size_t limit)
{
	size_t in = 0, out = 0;
	while (in + 32 < limit) {
		unsigned literals = 3 + next(10), match = next(15);
		putchar((int)(literals << 4 | match));
		for (unsigned i = 0; i < literals; i++)
			putchar("abcdefghijklmnop \n"[next(18)]);
		out += literals;
		unsigned distance = 1 + next(out < 60000 ? (uint32_t)out : 60000);
		putchar((int)(distance & 255));
		putchar((int)(distance >> 8));
		out += match + 4;
		in += literals + 3;
	}
}

static void json(size_t limit)
{
	size_t n = printf("{\"items\": [");
	for (int i = 0; n + 80 < limit; i++)
		n += (size_t)printf("%s{\"id\": %u, \"name\": \"n\\u00e9%u\", \"on\": %s, \"v\": [%u, null]}", i ? ", " : "",
				    next(100000), next(1000), next(2) ? "true" : "false", next(100));
	printf("]}\n");
}

static void xml(size_t limit)
{
	size_t n = (size_t)printf("<?xml version=\"1.0\"?>\n<list>\n");
	while (n + 100 < limit) {
		n += (size_t)printf(" <item id=\"%u\" kind='k%u'>text &amp; %u <b/>", next(100000), next(10), next(1000));
		word();
		n += 4 + (size_t)printf("</item>\n");
	}
	printf("</list>\n");
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	size_t n = strtoul(argv[2], NULL, 10);
	switch (argv[1][0]) {
	case 't': text(n); return 0;
	case 'b': base64(n); return 0;
	case 'l': lz(n); return 0;
	case 'j': json(n); return 0;
	case 'x': xml(n); return 0;
	}
	return 2;
}
