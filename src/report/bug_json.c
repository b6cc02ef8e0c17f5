/* bug_json.c: a bug as one JSON object, the only place that writes one. */
#include "report/bug.h"

#include <string.h>

void bug_json_input(struct json *j, const void *data, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *bytes = data;
	struct buf hex = {0};

	buf_reserve(&hex, 2 * size);
	for (size_t i = 0; i < size; i++) {
		buf_addc(&hex, digits[bytes[i] >> 4]);
		buf_addc(&hex, digits[bytes[i] & 15]);
	}
	json_key(j, "inputs"), json_object_open(j);
	json_key(j, "in"), json_strn(j, hex.size ? hex.data : "", hex.size);
	json_object_close(j);
	buf_release(&hex);
}

static void input(struct json *j, const struct result_bug *b)
{
	if (b->inputs)
		json_key(j, "inputs"), json_raw(j, b->inputs, strlen(b->inputs));
	else
		bug_json_input(j, b->data, b->size);
}

/* What only a bug of a driven function has: who calls it so, and the whole program's input that does. */
static void driven(struct json *j, const struct result_bug *b)
{
	const struct result_bug *p = b->program;

	json_key(j, "entry"), json_str(j, b->entry);
	json_key(j, "also"), json_array_open(j);
	for (size_t i = 0; i < b->also_count; i++)
		json_str(j, b->also[i]);
	json_array_close(j);
	json_key(j, "scope"), json_str(j, b->scope);
	json_key(j, "level"), json_str(j, b->level);
	json_key(j, "hint"), json_str(j, b->hint);
	json_key(j, "cause"), json_str(j, b->cause);
	json_key(j, "program");
	if (!p) {
		json_null(j);
		return;
	}
	json_object_open(j);
	input(j, p);
	json_key(j, "by"), json_str(j, p->by);
	json_key(j, "input_file"), json_str(j, p->input_file);
	json_key(j, "replay"), json_str(j, p->replay);
	json_object_close(j);
}

void bug_json(struct json *j, const struct result_bug *b)
{
	json_object_open(j);
	json_key(j, "id"), b->name ? json_str(j, b->name) : json_id(j, b->id);
	json_key(j, "kind"), json_str(j, b->kind);
	json_key(j, "function"), json_str(j, b->function);
	json_key(j, "file"), json_str(j, b->file);
	json_key(j, "line"), json_u64(j, b->line);
	json_key(j, "confirmed"), json_bool(j, b->confirmed);
	if (b->entry)
		driven(j, b);
	json_key(j, "checker"), json_str(j, bug_checker(b->kind, b->summary));
	json_key(j, "description"), json_str(j, bug_description(b->kind, b->summary));
	json_key(j, "summary"), json_str(j, b->summary);
	input(j, b);
	json_key(j, "input_file"), json_str(j, b->input_file);
	json_key(j, "replay"), json_str(j, b->replay);
	json_key(j, "count"), json_u64(j, b->count);
	json_key(j, "test"), json_id(j, b->test);
	if (b->signal)
		json_key(j, "signal"), json_int(j, b->signal);
	if (b->report)
		json_key(j, "report"), json_str(j, b->report);
	json_object_close(j);
}
