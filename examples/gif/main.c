/* main.c: says what is in a GIF: gif FILE, or standard input. */
#include "gif.h"

#include <stdio.h>
#include <stdlib.h>

#define FILE_MOST (1u << 20)

static uint8_t *read_all(FILE *in, size_t *size)
{
	uint8_t *data = malloc(FILE_MOST);

	if (data)
		*size = fread(data, 1, FILE_MOST, in);
	return data;
}

static void print(const struct gif *g, const struct gif_report *r)
{
	printf("GIF%da, %ux%u, %u frames, %llu ms", g->version, g->width, g->height, r->frames, (unsigned long long)r->duration);
	if (g->has_loops && g->loops)
		printf(", shown %u times", g->loops);
	else if (g->has_loops)
		printf(", shown for ever");
	printf("\n%u colours, pixels are %u:%u, checksum %08x, %u pixels changed\n", r->colours, r->pixel_width, r->pixel_height,
	       (unsigned)r->checksum, r->changed);
	if (g->comment)
		printf("comment: %s\n", g->comment);
	for (unsigned i = 0; i < ADVICE_COUNT; i++)
		if (r->advice >> i & 1)
			printf("advice: %s\n", gif_advice_words((enum gif_advice)i));
}

int main(int argc, char **argv)
{
	FILE *in = argc > 1 ? fopen(argv[1], "rb") : stdin;
	enum gif_status status = GIF_OK;
	struct gif_report report;
	size_t size = 0;
	uint8_t *data = in ? read_all(in, &size) : NULL;
	struct gif *g;
	int bad = 1;

	if (!data) {
		fprintf(stderr, "gif: cannot read %s\n", argc > 1 ? argv[1] : "standard input");
		return 2;
	}
	g = gif_open(data, size, &status);
	if (g) {
		bad = gif_describe(g, &report) != 0;
		status = g->status;
		print(g, &report);
	}
	if (bad)
		printf("%s\n", gif_status_words(status));
	gif_close(g);
	free(data);
	if (in != stdin)
		fclose(in);
	return bad;
}
