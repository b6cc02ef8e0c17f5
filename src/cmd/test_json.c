/* test_json.c: the result of `muster test` as one JSON object (docs/unit-tests.md has the keys). */
#include "cmd/confine.h"
#include "report/checks.h"
#include "report/result_json.h"
#include "unit/unit.h"

#include <stdio.h>

static void json_scope(struct json *j, struct test_session *const *sessions, size_t count)
{
	struct buf scope = {0};
	if (count && sessions[0]->driven.harness)
		test_scope(sessions[0], &scope);
	json_key(j, "scope"), json_str(j, buf_str(&scope));
	if (count)
		json_key(j, "checkers"), check_names_json(j, sessions[0]->o->checks);
	buf_release(&scope);
}

void test_print_json(struct test_session *const *sessions, size_t count, const char *status,
		     double seconds)
{
	struct buf out = {0};
	struct result r;
	struct json j;
	test_result(sessions, count, 1, &r);
	json_begin(&j, &out);
	j.indent = 1;
	json_object_open(&j);
	json_key(&j, "command"), json_str(&j, "test");
	json_key(&j, "status"), json_str(&j, status);
	confine_json(&j);
	json_key(&j, "seconds"), json_double(&j, seconds);
	json_scope(&j, sessions, count);
	result_json(&j, &r, RESULT_FUNCTIONS | RESULT_TESTS | RESULT_BUGS | RESULT_CONTRACTS | RESULT_OLD_BUGS | RESULT_STATS);
	json_object_close(&j);
	fwrite(out.data, 1, out.size, stdout);
	putchar('\n');
	buf_release(&out);
	result_release(&r);
}
