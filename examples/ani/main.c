/* main.c: says what is in an animated cursor: ani FILE, or standard input. */
#include "ani.h"

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

static void print(const struct ani_file *f, const struct ani_summary *s)
{
	printf("%u frames, %u steps, %ux%u\n", (unsigned)f->frame_count, ani_steps(f), (unsigned)s->width, (unsigned)s->height);
	printf("%u ms in all, %u to %u a step, %u on average\n", (unsigned)s->total, (unsigned)s->shortest, (unsigned)s->longest,
	       (unsigned)s->average);
	printf("%u frames are shown, %u colours at most, checksum %08x\n", (unsigned)s->used, (unsigned)s->colours, (unsigned)s->checksum);
	if (f->title[0])
		printf("title: %s\n", f->title);
	if (f->author[0])
		printf("author: %s\n", f->author);
	printf("after one second: step %u\n", ani_step_at(f, 1000));
}

int main(int argc, char **argv)
{
	FILE *in = argc > 1 ? fopen(argv[1], "rb") : stdin;
	enum ani_status status = ANI_OK;
	struct ani_summary summary;
	size_t size = 0;
	uint8_t *data = in ? read_all(in, &size) : NULL;

	if (!data) {
		fprintf(stderr, "ani: cannot read %s\n", argc > 1 ? argv[1] : "standard input");
		return 2;
	}
	struct ani_file *f = ani_open(data, size, &status);
	if (f && !ani_summarise(f, &summary))
		print(f, &summary);
	else
		printf("%s\n", ani_status_words(status));
	ani_close(f);
	free(data);
	if (in != stdin)
		fclose(in);
	return f ? 0 : 1;
}
