/* result_json.h: a result as JSON; docs/unit-tests.md and docs/bugs.md have the keys. */
#ifndef MUSTER_REPORT_RESULT_JSON_H
#define MUSTER_REPORT_RESULT_JSON_H

#include "base/json.h"
#include "result/result.h"

/* Members of the object that is open: "functions", "tests", "bugs", "stats". The lists of tests and bugs are there even if they are empty;
 * the other two are if the command has any (functions: ask for them). */
void result_json(struct json *j, const struct result *r, int functions);
/* One test, with these fields (RESULT_TEST). */
void result_test_json(struct json *j, const struct result_test *t, unsigned fields);

#endif
