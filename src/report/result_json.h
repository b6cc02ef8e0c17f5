/* result_json.h: a result as JSON; docs/unit-tests.md and docs/bugs.md have the keys. */
#ifndef MUSTER_REPORT_RESULT_JSON_H
#define MUSTER_REPORT_RESULT_JSON_H

#include "base/json.h"
#include "result/result.h"

/* Members of the object that is open, in this order. Lists are there even if they are empty; statistics are members themselves, or in "stats" if there are any. */
enum {
	RESULT_POINTS = 1,
	RESULT_FUNCTIONS = 2,
	RESULT_TESTS = 4,
	RESULT_BUGS = 8,
	RESULT_OBLIGATIONS = 16,
	RESULT_FIGURES = 32,
	RESULT_NOTES = 64,
	RESULT_STATS = 128,
	RESULT_OLD_BUGS = 256,
	RESULT_CONTRACTS = 512,
};
void result_json(struct json *j, const struct result *r, unsigned parts);
/* One test, with these fields (RESULT_TEST). */
void result_test_json(struct json *j, const struct result_test *t, uint64_t fields);
void result_function_json(struct json *j, const struct result_function *f, uint64_t fields);

#endif
