/* result_json.c: functions, tests, bugs and statistics of a result as JSON, the only place that writes them. */
#include "report/result_json.h"

#include "report/bug.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- functions */

/* A list of texts with something between them. f is given each one. */
static void each_part(struct json *j, const char *list, const char *between, void (*f)(struct json *j, const char *part, size_t size))
{
	while (list && *list) {
		const char *end = strstr(list, between);
		f(j, list, end ? (size_t)(end - list) : strlen(list));
		list = end ? end + strlen(between) : NULL;
	}
}

static void put_limit(struct json *j, const char *part, size_t size)
{
	json_strn(j, part, size);
}

/* "concretised 144" */
static void put_loss(struct json *j, const char *part, size_t size)
{
	const char *space = memchr(part, ' ', size);
	char key[64] = "";
	if (!space || (size_t)(space - part) >= sizeof key)
		return;
	memcpy(key, part, (size_t)(space - part));
	json_key(j, key), json_u64(j, strtoull(space + 1, NULL, 10));
}

static void function_json(struct json *j, const struct result_function *f)
{
	json_object_open(j);
	json_key(j, "name"), json_str(j, f->name);
	json_key(j, "file"), json_str(j, f->file);
	json_key(j, "line"), json_u64(j, f->line);
	json_key(j, "verdict"), json_str(j, f->verdict);
	json_key(j, "why"), json_str(j, f->why);
	json_key(j, "branches"), json_object_open(j);
	json_key(j, "covered"), json_u64(j, f->covered);
	json_key(j, "total"), json_u64(j, f->total);
	json_object_close(j);
	json_key(j, "uncovered"), json_array_open(j);
	for (size_t i = 0; i < f->uncovered_count; i++)
		json_str(j, f->uncovered[i]);
	json_array_close(j);
	json_key(j, "paths"), json_u64(j, f->paths);
	json_key(j, "summaries"), json_u64(j, f->summaries);
	json_key(j, "tests"), json_u64(j, f->tests);
	json_key(j, "bugs"), json_u64(j, f->bugs);
	json_key(j, "suspected"), json_u64(j, f->suspected);
	json_key(j, "runs"), json_u64(j, f->runs);
	json_key(j, "most_elements"), json_u64(j, f->most_elements);
	json_key(j, "most_characters"), json_u64(j, f->most_characters);
	json_key(j, "runs_to_coverage"), json_u64(j, f->runs_to_coverage);
	json_key(j, "seconds_to_coverage"), json_double(j, f->seconds_to_coverage);
	json_key(j, "running_to_coverage"), json_double(j, f->running_to_coverage);
	json_key(j, "exhausted"), json_bool(j, f->exhausted);
	json_key(j, "seconds"), json_double(j, f->seconds);
	json_key(j, "limits"), json_array_open(j);
	each_part(j, f->limits, "; ", put_limit);
	json_array_close(j);
	json_key(j, "losses"), json_object_open(j);
	each_part(j, f->losses, ", ", put_loss);
	json_object_close(j);
	json_object_close(j);
}

/* -------------------------------------------------------------------- tests */

static void inputs_json(struct json *j, const struct result_test *t)
{
	if (t->inputs)
		json_key(j, "inputs"), json_raw(j, t->inputs, strlen(t->inputs));
	else
		bug_json_input(j, t->data, t->size);
}

static void field_json(struct json *j, const struct result_test *t, enum result_test_field field)
{
	static const char *const keys[] = {
#define X(name, key) key,
	    RESULT_TEST_FIELDS(X)
#undef X
	};
	if (field == RESULT_TEST_INPUTS) {
		inputs_json(j, t);
		return;
	}
	json_key(j, keys[field]);
	switch (field) {
	case RESULT_TEST_ID: json_id(j, t->id); break;
	case RESULT_TEST_PARENT: json_id(j, t->parent); break;
	case RESULT_TEST_FUNCTION: json_str(j, t->function); break;
	case RESULT_TEST_FILE: json_str(j, t->file); break;
	case RESULT_TEST_ORIGIN: json_str(j, t->origin); break;
	case RESULT_TEST_VERDICT: json_str(j, t->verdict); break;
	case RESULT_TEST_SUMMARY: json_str(j, t->summary); break;
	case RESULT_TEST_SIZE: json_u64(j, t->size); break;
	case RESULT_TEST_NEW_BRANCHES: json_u64(j, t->new_branches); break;
	case RESULT_TEST_FOUND: json_double(j, t->found); break;
	case RESULT_TEST_DIVERGED: json_bool(j, t->diverged); break;
	case RESULT_TEST_COVERS: json_bool(j, t->covers); break;
	case RESULT_TEST_FAILED: json_bool(j, t->failed); break;
	case RESULT_TEST_EXPLORED: json_bool(j, t->explored); break;
	case RESULT_TEST_CRASH: json_bool(j, t->crash); break;
	case RESULT_TEST_HANG: json_bool(j, t->hang); break;
	case RESULT_TEST_INPUTS:
	case RESULT_TEST_FIELD_COUNT: json_null(j); break;
	}
}

void result_test_json(struct json *j, const struct result_test *t, unsigned fields)
{
	json_object_open(j);
	for (int i = 0; i < RESULT_TEST_FIELD_COUNT; i++)
		if (fields & 1u << i)
			field_json(j, t, (enum result_test_field)i);
	json_object_close(j);
}

/* --------------------------------------------------------------- statistics */

/* How many groups of a key are those of the one before. */
static int common_groups(const char *a, const char *b)
{
	int n = 0;
	for (; *a && *a == *b; a++, b++)
		n += *a == '.';
	return n;
}

static int groups(const char *key)
{
	int n = 0;
	for (; *key; key++)
		n += *key == '.';
	return n;
}

/* The key's name in the groups that are open; those that are not yet are opened. */
static void open_groups(struct json *j, const char *key, int open)
{
	char name[64];
	for (int at = 0;; at++) {
		size_t n = strcspn(key, ".");
		int last = !key[n];
		n = n < sizeof name ? n : sizeof name - 1;
		memcpy(name, key, n);
		name[n] = 0;
		if (at >= open || last)
			json_key(j, name);
		if (last)
			return;
		if (at >= open)
			json_object_open(j);
		key += strcspn(key, ".") + 1;
	}
}

static void figures_json(struct json *j, const struct result *r)
{
	const char *before = "";
	for (size_t i = 0; i < r->figures.size; i++) {
		const struct result_figure *f = &r->figures.data[i];
		int open = common_groups(before, f->key);
		for (int n = groups(before); n > open; n--)
			json_object_close(j);
		open_groups(j, f->key, open);
		if (f->word)
			json_str(j, f->word);
		else if (f->is_real)
			json_double(j, f->real);
		else
			json_u64(j, f->count);
		before = f->key;
	}
	for (int n = groups(before); n > 0; n--)
		json_object_close(j);
}

static void checkers_json(struct json *j, const struct result *r)
{
	json_key(j, "checkers"), json_array_open(j);
	for (size_t i = 0; i < r->checkers.size; i++) {
		const struct result_checker *c = &r->checkers.data[i];
		json_object_open(j);
		json_key(j, "name"), json_str(j, c->name);
		json_key(j, "injected"), json_u64(j, c->injected);
		json_key(j, "solved"), json_u64(j, c->solved);
		json_key(j, "violated"), json_u64(j, c->violated);
		json_key(j, "failed"), json_u64(j, c->failed);
		json_key(j, "yield"), json_double(j, c->solved ? 100.0 * ((double)c->failed / (double)c->solved) : NAN);
		json_object_close(j);
	}
	json_array_close(j);
	json_key(j, "combine"), json_str(j, r->combine);
}

/* -------------------------------------------------------------------- whole */

void result_json(struct json *j, const struct result *r, int functions)
{
	if (functions) {
		json_key(j, "functions"), json_array_open(j);
		for (size_t i = 0; i < r->functions.size; i++)
			function_json(j, &r->functions.data[i]);
		json_array_close(j);
	}
	json_key(j, "tests"), json_array_open(j);
	for (size_t i = 0; i < r->tests.size; i++)
		result_test_json(j, &r->tests.data[i], r->test_fields);
	json_array_close(j);
	json_key(j, "bugs"), json_array_open(j);
	for (size_t i = 0; i < r->bugs.size; i++)
		bug_json(j, &r->bugs.data[i]);
	json_array_close(j);
	if (!r->figures.size)
		return;
	json_key(j, "stats"), json_object_open(j);
	figures_json(j, r);
	if (r->combine)
		checkers_json(j, r);
	json_object_close(j);
}
