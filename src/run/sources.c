/* sources.c: bytes of a trace's sources.
 *
 * The launcher adds sources in a fixed order: the input, named files, arguments, variables, memory
 * of marked objects. Each kind is recognised by what struct muster_source says of it. Objects that
 * took more bytes than there were have the seed values that the trace recorded; eval.h takes those
 * from the nodes themselves.
 */
#include "run/sources.h"

#include "base/error.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

static const char *variable(const struct launch_options *o, const char *name)
{
	size_t n = strlen(name);
	for (const char *const *e = o->env; e && *e; e++)
		if (!strncmp(*e, name, n) && (*e)[n] == '=')
			return *e + n + 1;
	return getenv(name);
}

static int load_file(struct buf *b, const struct launch_options *o, unsigned number)
{
	for (unsigned i = 0; o->files && o->files[i]; i++)
		if (i == number) {
			char *path = o->directory ? file_join(o->directory, o->files[i])
						  : file_join(".", o->files[i]);
			int failed = file_read(path, b);
			free(path);
			return failed;
		}
	return error_set("the trace has more files than the run was given");
}

static int load(struct buf *b, const struct muster_source *s, const struct launch_options *o,
		const struct launch_input *in, int *input_done, unsigned *files)
{
	const char *text = NULL;
	int is_input = !*input_done && !strcmp(s->name, "in") && (in->data || in->present);
	switch (s->kind) {
	case MUSTER_SOURCE_FILE:
		if (!is_input)
			return load_file(b, o, (*files)++);
		*input_done = 1;
		buf_add(b, in->data, in->size);
		return 0;
	case MUSTER_SOURCE_MEMORY:
		if (is_input && o->to == LAUNCH_MEMORY) {
			*input_done = 1;
			buf_add(b, in->data, in->size);
		} else {
			buf_add(b, in->memory, in->memory_size);
		}
		return 0;
	case MUSTER_SOURCE_ARG: {
		char *const *argv = in->argv ? in->argv : o->argv;
		for (uint64_t i = 0; argv[i]; i++)
			if (i == s->dev)
				text = argv[i];
		break;
	}
	default:
		text = variable(o, strncmp(s->name, "env.", 4) ? s->name : s->name + 4);
		break;
	}
	buf_adds(b, text ? text : "");
	return 0;
}

int sources_load(struct sources *s, const struct trace *t, const struct launch_options *o,
		 const struct launch_input *in)
{
	int input_done = 0;
	unsigned files = 0;
	memset(s, 0, sizeof *s);
	s->count = t->source_count;
	for (unsigned i = 0; i < s->count; i++)
		if (load(&s->bytes[i], &t->sources[i], o, in, &input_done, &files)) {
			sources_release(s);
			return -1;
		}
	sources_refresh(s);
	return 0;
}

void sources_refresh(struct sources *s)
{
	for (unsigned i = 0; i < s->count; i++)
		s->inputs[i] =
		    (struct eval_input){(const uint8_t *)s->bytes[i].data, s->bytes[i].size};
}

void sources_release(struct sources *s)
{
	for (unsigned i = 0; i < s->count; i++)
		buf_release(&s->bytes[i]);
	memset(s, 0, sizeof *s);
}
