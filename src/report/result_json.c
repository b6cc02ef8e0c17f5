/* result_json.c: a result as JSON, the only place that writes it: each list of it by the table of its fields, which is in result.h. */
#include "report/result_json.h"

#include "base/error.h"
#include "report/bug.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- texts that are lists */

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

/* ------------------------------------------------------------------ records */

enum how { WORD, COUNT, NUMBER, REAL, FLAG, ID, LISTED, COUNTED, OUTCOMES, INPUT, RAW };

struct field {
	const char *key;
	enum how how;
	size_t offset, size;
};
#define ROW(type, key, how, member) {key, how, offsetof(struct type, member), sizeof(((struct type *)0)->member)},
#define X(name, key, how, member) ROW(result_function, key, how, member)
static const struct field function_fields[] = {RESULT_FUNCTION_FIELDS(X)};
#undef X
#define X(name, key, how, member) ROW(result_test, key, how, member)
static const struct field test_fields[] = {RESULT_TEST_FIELDS(X)};
#undef X
#define X(name, key, how, member) ROW(result_contract, key, how, member)
static const struct field contract_fields[] = {RESULT_CONTRACT_FIELDS(X)};
#undef X
#define X(name, key, how, member) ROW(result_uncalled, key, how, member)
static const struct field uncalled_fields[] = {RESULT_UNCALLED_FIELDS(X)};
#undef X
#define X(name, key, how, member) ROW(result_old_bug, key, how, member)
static const struct field old_bug_fields[] = {RESULT_OLD_BUG_FIELDS(X)};
#undef X
#define X(name, key, how, member) ROW(result_obligation, key, how, member)
static const struct field obligation_fields[] = {RESULT_OBLIGATION_FIELDS(X)};
#undef X
#define X(name, key, how, member) ROW(result_point, key, how, member)
static const struct field point_fields[] = {RESULT_POINT_FIELDS(X)};
#undef X
#define X(name, key, how, member) ROW(result_note, key, how, member)
static const struct field note_fields[] = {RESULT_NOTE_FIELDS(X)};
#undef X

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

/* From one key to the next; "": none. */
static void go_on(struct json *j, const char *before, const char *key)
{
	int open = common_groups(before, key);
	for (int n = groups(before); n > open; n--)
		json_object_close(j);
	if (*key)
		open_groups(j, key, open);
}

static void outcomes_json(struct json *j, const struct result_function *f)
{
	json_array_open(j);
	for (size_t i = 0; i < f->uncovered_count; i++)
		json_str(j, f->uncovered[i]);
	json_array_close(j);
}

static void field_json(struct json *j, const void *record, const struct field *f)
{
	const void *at = (const char *)record + f->offset;
	switch (f->how) {
	case WORD: json_str(j, *(const char *const *)at); break;
	case COUNT: json_u64(j, f->size == sizeof(uint32_t) ? *(const uint32_t *)at : *(const uint64_t *)at); break;
	case REAL: json_double(j, *(const double *)at); break;
	case FLAG: json_bool(j, *(const int *)at); break;
	case ID: json_id(j, *(const uint64_t *)at); break;
	case OUTCOMES: outcomes_json(j, record); break;
	case NUMBER:
		if (*(const uint64_t *)at)
			json_u64(j, *(const uint64_t *)at);
		else
			json_null(j);
		break;
	case LISTED:
		json_array_open(j);
		each_part(j, *(const char *const *)at, "; ", put_limit);
		json_array_close(j);
		break;
	case COUNTED:
		json_object_open(j);
		each_part(j, *(const char *const *)at, ", ", put_loss);
		json_object_close(j);
		break;
	case RAW: {
		const char *text = *(const char *const *)at;
		json_raw(j, text, strlen(text));
		break;
	}
	case INPUT: BUG("an input has its key with it");
	}
}

static void input_json(struct json *j, const struct result_test *t)
{
	if (t->inputs)
		json_key(j, "inputs"), json_raw(j, t->inputs, strlen(t->inputs));
	else
		bug_json_input(j, t->data, t->size);
}

/* mask: by row, which ones. */
static void record_json(struct json *j, const void *record, const struct field *rows, size_t count, uint64_t mask)
{
	const char *before = "";
	json_object_open(j);
	for (size_t i = 0; i < count; i++) {
		if (!(mask & 1ull << i))
			continue;
		if (rows[i].how == INPUT) {
			input_json(j, record);
			continue;
		}
		go_on(j, before, rows[i].key);
		field_json(j, record, &rows[i]);
		before = rows[i].key;
	}
	go_on(j, before, "");
	json_object_close(j);
}

#define ROWS(rows) rows, sizeof(rows) / sizeof *(rows)

void result_test_json(struct json *j, const struct result_test *t, uint64_t fields)
{
	record_json(j, t, ROWS(test_fields), fields);
}

void result_function_json(struct json *j, const struct result_function *f, uint64_t fields)
{
	record_json(j, f, ROWS(function_fields), fields);
}

/* A list of records of one size. */
static void list_json(struct json *j, const char *key, const void *records, size_t size, size_t count, const struct field *rows, size_t row_count, uint64_t mask)
{
	json_key(j, key), json_array_open(j);
	for (size_t i = 0; i < count; i++)
		record_json(j, (const char *)records + i * size, rows, row_count, mask);
	json_array_close(j);
}

/* --------------------------------------------------------------- statistics */

static void figures_json(struct json *j, const struct result *r)
{
	const char *before = "";
	for (size_t i = 0; i < r->figures.size; i++) {
		const struct result_figure *f = &r->figures.data[i];
		go_on(j, before, f->key);
		if (f->is_word)
			json_str(j, f->word);
		else if (f->is_real)
			json_double(j, f->real);
		else
			json_u64(j, f->count);
		before = f->key;
	}
	go_on(j, before, "");
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

void result_json(struct json *j, const struct result *r, unsigned parts)
{
#define LIST(name) r->name.data, sizeof *r->name.data, r->name.size
	if (parts & RESULT_POINTS)
		list_json(j, "points", LIST(points), ROWS(point_fields), ~0ull);
	if (parts & RESULT_FUNCTIONS)
		list_json(j, "functions", LIST(functions), ROWS(function_fields), r->function_fields);
	if (parts & RESULT_TESTS)
		list_json(j, "tests", LIST(tests), ROWS(test_fields), r->test_fields);
	if (parts & RESULT_BUGS) {
		json_key(j, "bugs"), json_array_open(j);
		for (size_t i = 0; i < r->bugs.size; i++)
			bug_json(j, &r->bugs.data[i]);
		json_array_close(j);
	}
	if (parts & RESULT_CONTRACTS)
		list_json(j, "contracts", LIST(contracts), ROWS(contract_fields), ~0u), list_json(j, "no_caller", LIST(uncalled), ROWS(uncalled_fields), ~0u);
	if (parts & RESULT_OLD_BUGS)
		list_json(j, "old_bugs", LIST(old_bugs), ROWS(old_bug_fields), ~0ull);
	if (parts & RESULT_OBLIGATIONS)
		list_json(j, "obligations", LIST(obligations), ROWS(obligation_fields), ~0ull);
	if (parts & RESULT_FIGURES)
		figures_json(j, r);
	if (parts & RESULT_NOTES)
		list_json(j, "notes", LIST(notes), ROWS(note_fields), ~0ull);
	if (!(parts & RESULT_STATS) || !r->figures.size)
		return;
	json_key(j, "stats"), json_object_open(j);
	figures_json(j, r);
	if (r->combine)
		checkers_json(j, r);
	json_object_close(j);
#undef LIST
}
