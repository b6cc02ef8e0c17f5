/* store.c: what `muster test` leaves: a campaign in the store, a directory with the
 * bugs' inputs.
 *
 * A session is one campaign, whose key is a hash of the harness's file: the same file with the same
 * options is the same campaign, a changed one is another. Inputs begin with the function's id, so
 * tests of all functions can stand in one campaign. A function's tests and what they cover are
 * written in one transaction.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/shell.h"
#include "build/home.h"
#include "report/bug.h"
#include "report/history.h"
#include "unit/reuse.h"
#include "campaign/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DIR_PART 200 /* of a directory's name, which has 255 bytes; the end of the path tells files apart, and a hash the rest */

/* a/b.c becomes a-b. */
static char *dir_name(const char *file)
{
	struct buf b = {0};
	char hex[HASH_HEX_SIZE];
	hash_hex(hash128_str(file), hex);
	while (!strncmp(file, "./", 2) || !strncmp(file, "../", 3) || *file == '/')
		file += *file == '/' ? 1 : file[1] == '/' ? 2 : 3;
	for (; *file; file++)
		buf_addc(&b, *file == '/' ? '-' : *file);
	if (b.size > 2 && !memcmp(b.data + b.size - 2, ".c", 2))
		b.size -= 2;
	char *name = b.size > DIR_PART ? mem_printf("%.8s%s", hex, buf_str(&b) + b.size - DIR_PART)
				       : mem_strndup(b.data ? b.data : "", b.size);
	buf_release(&b);
	return name;
}

char *test_identity(const struct test_session *s)
{
	return s->standing.for_file ? mem_strdup(s->standing.for_file) : file_absolute(s->file);
}

static int make_dir(struct test_session *s, struct hash128 key)
{
	char *name = dir_name(s->file), hex[HASH_HEX_SIZE + 1];
	char *below = mem_printf("test/%s", *name ? name : "unit");
	s->records.dir = s->o->out ? mem_strdup(s->o->out) : file_join(home_project(), below);
	char *bugs = file_join(s->records.dir, "bugs"), *mark = file_join(s->records.dir, "campaign");
	if (!s->o->out) /* ours alone: what is fixed does not stay */
		file_remove_tree(bugs);
	hash_hex(key, hex);
	strcat(hex, "\n");
	int r = file_mkdirs(bugs) || file_write_atomic(mark, hex, strlen(hex)) ? -1 : 0;
	free(name);
	free(below);
	free(bugs);
	free(mark);
	return r;
}

static int set(struct test_session *s, const char *name, const char *text)
{
	return store_value_set(s->records.store, s->records.campaign, name, text, strlen(text));
}

static int note_options(struct test_session *s)
{
	const struct harness_options *h = &s->driven.harness->options;
	struct buf cflags = {0}, requires = {0}, accepted = {0};
	for (const char *const *p = s->o->cflags; p && *p; p++) {
		if (cflags.size)
			buf_addc(&cflags, ' ');
		shell_word(&cflags, *p);
	}
	for (const char *const *p = h->requires; p && *p; p++)
		buf_addf(&requires, "%s\n", *p);
	for (const char *const *p = h->accepted; p && *p; p++)
		buf_addf(&accepted, "%s\n", *p);
	char *options =
	    mem_printf("elements=%u characters=%u objects=%u globals=%s", h->elements,
		       h->characters, h->objects, h->globals_initial ? "initial" : "symbolic");
	char *here = file_absolute(".");
	char *dir = file_absolute(s->records.dir), *file = test_identity(s);
	int r = set(s, "kind", "test") || set(s, "named", s->standing.for_file ? file : s->file) || set(s, "directory", here) ||
		set(s, "file", file) || set(s, "cflags", buf_str(&cflags)) ||
		set(s, "options", options) || set(s, "requires", buf_str(&requires)) || set(s, "accepted", buf_str(&accepted)) ||
		set(s, "output", dir) || set(s, "function", s->function ? s->function : "");
	buf_release(&cflags);
	buf_release(&requires);
	buf_release(&accepted);
	free(options);
	free(here);
	free(dir);
	free(file);
	return r ? -1 : 0;
}

static int program_hash(struct test_session *s, struct hash128 *key)
{
	struct buf b = {0};
	if (file_read(s->driven.program, &b))
		return -1;
	char *file = test_identity(s);
	*key = hash128_join(hash128(b.data, b.size), hash128_str(file));
	free(file);
	buf_release(&b);
	return 0;
}

int test_store_open(struct test_session *s)
{
	char *path = s->o->store ? mem_strdup(s->o->store) : file_join(home_project(), "store.db");
	struct buf command = {0};
	struct hash128 key;
	int fresh;
	shell_word(&command, s->driven.program);
	int r = program_hash(s, &key) || make_dir(s, key) ||
		store_open(&s->records.store, path, STORE_CREATE) || store_begin(s->records.store);
	if (!r) {
		r = store_campaign(s->records.store, key, s->driven.program, buf_str(&command), &s->records.campaign,
				   &fresh) ||
		    note_options(s) || version_note(s->records.store, s->driven.program, &s->records.version);
		if (r)
			store_rollback(s->records.store);
		else
			r = store_commit(s->records.store);
	}
	buf_release(&command);
	free(path);
	return r ? -1 : 0;
}

static int add_tests(struct test_session *s, struct test_function *f)
{
	for (size_t i = f->done_tests; i < f->tests.size; i++) {
		struct test_case *t = &f->tests.data[i];
		if (t->flags & TEST_ASSUMED) { /* the function was not called */
			t->id = 0;
			continue;
		}
		struct store_test row = {
		    .data = t->data,
		    .size = t->size,
		    .parent = t->parent ? f->tests.data[t->parent - 1].id : 0,
		    .origin = t->origin,
		    .path = t->path,
		    .run = t->run,
		    .found = t->found,
		    .new_outcomes = t->new_outcomes,
		    .flags = t->flags | (t->failed ? TEST_CRASH : 0),
		    .stage = STAGE_DONE,
		};
		if (store_test_add(s->records.store, s->records.campaign, &row) < 0)
			return -1;
		t->id = row.id;
	}
	for (size_t i = f->done_covers; i < f->covers.size; i++) {
		const struct test_cover *c = &f->covers.data[i];
		uint64_t test =
		    c->test && c->test <= f->tests.size ? f->tests.data[c->test - 1].id : 0;
		if (store_cover_add(s->records.store, s->records.campaign, c->unit, c->outcome, c->mask, test))
			return -1;
	}
	return 0;
}

int test_store_function(struct test_session *s, struct test_function *f)
{
	if (s->o->unstored) {
		f->done_tests = f->tests.size;
		f->done_covers = f->covers.size;
		f->done_violations = f->violations.size;
		return 0;
	}
	if (store_begin(s->records.store))
		return -1;
	if (add_tests(s, f)) {
		store_rollback(s->records.store);
		return -1;
	}
	f->done_tests = f->tests.size;
	f->done_covers = f->covers.size;
	f->done_violations = f->violations.size;
	return store_commit(s->records.store);
}

static int write_input(struct test_session *s, struct test_bug *b)
{
	char *bugs = file_join(s->records.dir, "bugs"), *file = file_join(bugs, b->finding.bug.name);
	b->finding.bug.input_file = finding_text(&b->finding, "%s", file);
	free(bugs);
	free(file);
	return file_write_atomic(b->finding.bug.input_file, b->data.data ? b->data.data : "", b->data.size);
}

uint64_t test_stored_id(const struct test_session *s, const struct test_bug *b)
{
	const struct test_function *f = &s->functions.data[b->first];
	return b->test && b->test <= f->tests.size ? f->tests.data[b->test - 1].id : 0;
}

static int add_bug(struct test_session *s, struct test_bug *b)
{
	char *below = mem_printf("bugs/%s", b->finding.bug.name);
	struct result_bug row = b->finding.bug;
	row.test = test_stored_id(s, b);
	row.input_file = below;
	row.data = b->data.data;
	row.size = b->data.size;
	struct buf call = {0};
	harness_print_inline(s->driven.harness, s->functions.data[b->function].harness->number, b->data.data, b->data.size, &call);
	row.call = call.size ? buf_str(&call) : NULL;
	int r = store_bug_add(s->records.store, s->records.campaign, &row);
	if (!r)
		r = store_bug_update(s->records.store, s->records.campaign, &row);
	buf_release(&call);
	free(below);
	return r < 0 ? -1 : 0;
}

int test_store_bugs(struct test_session *s)
{
	int r = 0;
	if (!s->records.store)
		return 0;
	if (store_begin(s->records.store))
		return -1;
	struct buf owed = BUF_EMPTY;
	for (size_t i = 0; i < s->bugs.size && !r; i++) {
		r = write_input(s, &s->bugs.data[i]) || add_bug(s, &s->bugs.data[i]);
		if (s->bugs.data[i].owed)
			buf_addf(&owed, "%016llx\n", (unsigned long long)s->bugs.data[i].finding.bug.bucket);
	}
	if (!r)
		r = set(s, BUG_OWED, buf_str(&owed));
	buf_release(&owed);
	if (r) {
		store_rollback(s->records.store);
		return -1;
	}
	return store_commit(s->records.store);
}

static int put_function(struct test_session *s, struct test_function *f, const struct store_result *run)
{
	struct result strings = {0};
	struct result_function r = test_result_function(s, f, &strings);
	r.machine = run->machine;
	r.run = run->number;
	int e = store_function_put(s->records.store, s->records.version, &r);
	result_release(&strings);
	return e;
}

/* The time was over before it was its turn: what an earlier run found out of it stays. */
static int was_skipped(const struct test_function *f)
{
	return !f->searched && !f->lost && f->harness->number != UINT32_MAX;
}

/* Tests that covered something first or failed, as calls, for pages that name them. */
static int put_calls(struct test_session *s)
{
	struct buf lines = {0}, call = {0};
	for (size_t i = 0; i < s->functions.size; i++) {
		const struct test_function *f = &s->functions.data[i];
		for (size_t k = 0; k < f->tests.size; k++) {
			const struct test_case *t = &f->tests.data[k];
			if (!t->id || (!t->new_outcomes && !t->failed))
				continue;
			buf_clear(&call);
			harness_print_inline(s->driven.harness, f->harness->number, t->data, t->size, &call);
			buf_addf(&lines, "%llu\t%s: %s\n", (unsigned long long)t->id, f->name, buf_str(&call));
		}
	}
	int e = lines.size ? set(s, BUG_CALLS, buf_str(&lines)) : 0;
	buf_release(&lines);
	buf_release(&call);
	return e;
}

/* The result itself, what the report says of how it was found, then what it says of functions. */
static int put_result(struct test_session *s, struct store_result *r)
{
	char reused[64];
	snprintf(reused, sizeof reused, "%llu %llu", (unsigned long long)s->reuse.functions, (unsigned long long)s->reuse.tests);
	int e = store_result_add(s->records.store, r) || set(s, HISTORY_REUSED, reused) || history_keep(s->records.store, s->records.campaign, &s->costs.solve, !s->o->repeatable) || put_calls(s);
	for (size_t i = 0; i < s->functions.size && !e; i++)
		if (!was_skipped(&s->functions.data[i]) && !s->functions.data[i].helper)
			e = put_function(s, &s->functions.data[i], r);
	return e;
}

int test_store_result(struct test_session *s, const char *status)
{
	struct buf scope = {0};
	struct store_result r = {.version = s->records.version, .campaign = s->records.campaign, .command = "test", .status = status, .time = time(NULL),
				 .seconds = s->o->repeatable ? 0 : test_clock() - s->costs.started};
	if (!s->records.store || !s->records.version)
		return 0;
	if (store_begin(s->records.store))
		return -1;
	for (size_t i = 0; i < s->functions.size; i++) {
		if (s->functions.data[i].helper)
			continue;
		r.covered += s->functions.data[i].covered;
		r.total += s->functions.data[i].outcomes;
		r.tests += test_count(&s->functions.data[i]);
	}
	for (size_t i = 0; i < s->bugs.size; i++)
		*(s->bugs.data[i].finding.bug.confirmed ? &r.bugs : &r.suspected) += (uint64_t)!s->bugs.data[i].owed;
	for (size_t i = 0; i < s->whole.bugs.size; i++)
		r.bugs += (uint64_t)test_program_only(s, i);
	test_scope(s, &scope);
	r.scope = buf_str(&scope);
	int e = put_result(s, &r) || test_reuse_note(s) || test_growth_note(s);
	buf_release(&scope);
	if (e) {
		store_rollback(s->records.store);
		return -1;
	}
	return store_commit(s->records.store);
}
