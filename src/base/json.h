/* json.h: a writer of JSON text. Commas and nesting are its business; a misuse
 * (a key in an array, two values for a key) is a BUG. Strings that are not UTF-8
 * come out with each bad byte as U+FFFD's escape. */
#ifndef MUSTER_JSON_H
#define MUSTER_JSON_H

#include "base/buf.h"

#include <stdint.h>

#define JSON_DEPTH 32

struct json {
	struct buf *out;
	int depth;
	char kind[JSON_DEPTH];	/* '{' or '[' */
	char first[JSON_DEPTH]; /* nothing written yet at this level */
	char have_key;
	int indent; /* spaces a level; 0: all in one line */
};

void json_begin(struct json *j, struct buf *out);
void json_object_open(struct json *j);
void json_object_close(struct json *j);
void json_array_open(struct json *j);
void json_array_close(struct json *j);
void json_key(struct json *j, const char *key);
void json_str(struct json *j, const char *s); /* NULL gives null */
void json_strn(struct json *j, const char *s, size_t n);
void json_int(struct json *j, int64_t v);
void json_u64(struct json *j, uint64_t v);
/* An id or a reference to one: always a string, whoever made it, since some are names and some numbers. 0 gives null. */
void json_id(struct json *j, uint64_t id);
void json_bool(struct json *j, int v);
void json_double(struct json *j, double v); /* not finite gives null */
void json_hex(struct json *j, uint64_t v);  /* a string "0x..." */
void json_null(struct json *j);
void json_raw(struct json *j, const char *s, size_t n); /* a value that is JSON already */

#endif
