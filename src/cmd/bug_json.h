/* bug_json.h: a bug as JSON, with the same keys in the result of a search and in `muster show bugs`. */
#ifndef MUSTER_CMD_BUG_JSON_H
#define MUSTER_CMD_BUG_JSON_H

#include "base/json.h"
#include "store/store.h"

/* One object. dir: where the bug's input_file lies, NULL if that is not known; replay: the command that shows it again, or NULL.
 * with_report adds the sanitizer's text, which has addresses: it differs between runs that are the same otherwise. */
void bug_json(struct json *j, const struct store_bug *b, const char *dir, const char *replay, int with_report);
/* "inputs": {"in": HEX}, as tests and bugs have it. */
void bug_json_input(struct json *j, const void *data, size_t size);

#endif
