/* bug_json.c: a bug as one JSON object. */
#include "cmd/bug_json.h"

#include "base/file.h"
#include "cmd/bug_words.h"

#include <stdlib.h>

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

void bug_json(struct json *j, const struct store_bug *b, const char *dir, const char *replay, int with_report)
{
	char *file = *b->input_file ? file_join(dir ? dir : "", b->input_file) : NULL;

	json_object_open(j);
	json_key(j, "id"), json_id(j, b->id);
	json_key(j, "kind"), json_str(j, b->kind);
	json_key(j, "function"), json_str(j, b->function);
	json_key(j, "file"), json_str(j, b->file);
	json_key(j, "line"), json_u64(j, b->line);
	json_key(j, "confirmed"), json_bool(j, b->confirmed);
	json_key(j, "checker"), json_str(j, bug_checker(b->kind, b->summary));
	json_key(j, "description"), json_str(j, bug_description(b->kind, b->summary));
	json_key(j, "summary"), json_str(j, b->summary);
	bug_json_input(j, b->data, b->size);
	json_key(j, "input_file"), json_str(j, file);
	json_key(j, "replay"), json_str(j, replay);
	json_key(j, "count"), json_u64(j, b->count);
	json_key(j, "test"), json_id(j, b->test);
	if (with_report)
		json_key(j, "report"), json_str(j, b->report);
	json_object_close(j);
	free(file);
}
