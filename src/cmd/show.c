/* show.c: muster show tests|bugs|campaigns|versions|summaries|checkers: what the store remembers, at a glance or as JSON.
 *
 * A store may have a million tests: nothing is collected, rows go out as they are read, and a person is shown the newest ones.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/option.h"
#include "base/vec.h"
#include "report/bug.h"
#include "report/result_json.h"
#include "report/checks.h"
#include "cmd/cmd.h"
#include "cmd/show.h"
#include "cmd/stored.h"
#include "search/search.h"
#include "store/outdir.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NEWEST 40 /* tests a person is shown */

struct show {
	struct stored of;
	const char *function; /* summaries: of this one only */
	int json, all, full, smt2;
	struct map files;		  /* test id to index + 1 in names */
	VEC(char *) names;
	/* JSON */
	struct json j;
	struct buf out;
};

static void fail(void)
{
	die(EXIT_USAGE, "%s", error_text());
}

/* Text from outside, for a terminal: one line, no control characters. */
static void print_text(const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < ' ' || *s == 127)
			printf("\\x%02x", (unsigned char)*s);
		else
			putchar(*s);
	}
}

/* ---------------------------------------------------------------------- JSON */

/* Out with what is there: the writer only appends. */
static void flush(struct show *s, size_t above)
{
	if (s->out.size <= above)
		return;
	fwrite(s->out.data, 1, s->out.size, stdout);
	buf_clear(&s->out);
}

static void json_campaign(struct show *s, uint64_t id, const char *program, const char *command,
			  const char *output)
{
	struct json *j = &s->j;

	json_key(j, "id"), json_id(j, id);
	json_key(j, "program"), json_str(j, program);
	json_key(j, "arguments"), json_str(j, command);
	json_key(j, "output"), json_str(j, output);
}

static void json_open(struct show *s, const char *what)
{
	json_begin(&s->j, &s->out);
	s->j.indent = 1;
	json_object_open(&s->j);
	json_key(&s->j, "command"), json_str(&s->j, "show");
	json_key(&s->j, "status"), json_str(&s->j, "complete");
	if (s->of.id) {
		json_key(&s->j, "campaign"), json_object_open(&s->j);
		json_campaign(s, s->of.id, s->of.program, s->of.command, s->of.output);
		json_object_close(&s->j);
	}
	json_key(&s->j, what), json_array_open(&s->j);
}

static void json_close(struct show *s)
{
	json_array_close(&s->j);
	json_object_close(&s->j);
	buf_addc(&s->out, '\n');
	flush(s, 0);
}

/* --------------------------------------------------------------------- tests */

static int know_file(void *ctx, uint64_t test, const char *name)
{
	struct show *s = ctx;

	vec_push(&s->names, mem_strdup(name));
	map_set(&s->files, test, s->names.size);
	return 0;
}

static const char *file_of(const struct show *s, uint64_t id)
{
	uint64_t at;

	return map_get(&s->files, id, &at) ? s->names.data[at - 1] : NULL;
}

static const char *notes(const struct store_test *t)
{
	return t->flags & TEST_CRASH	  ? "crash"
	       : t->flags & TEST_HANG	  ? "hang"
	       : t->flags & TEST_WAITS	  ? "waiting"
	       : t->flags & TEST_DIVERGED ? "diverged"
					  : "";
}

static int print_test(void *ctx, const struct store_test *t)
{
	struct show *s = ctx;
	const char *file = file_of(s, t->id);
	char parent[24] = "-";

	if (t->parent)
		snprintf(parent, sizeof parent, "%" PRIu64, t->parent);
	printf("%8" PRIu64 " %8s  %-6s %8zu %8" PRIu32 " %9.1f  %-9s", t->id, parent,
	       search_origin_key(t->origin), t->size, t->new_outcomes, t->found, notes(t));
	if (file) {
		printf("queue/");
		print_text(file);
	}
	putchar('\n');
	return 0;
}

static int json_test(void *ctx, const struct store_test *t)
{
	struct show *s = ctx;
	const char *name = file_of(s, t->id);
	char *file = name ? mem_printf("%s/queue/%s", s->of.output, name) : NULL;

	struct result_test r = {
	    .id = t->id,
	    .parent = t->parent,
	    .data = t->data,
	    .size = t->size,
	    .file = file,
	    .origin = search_origin_key(t->origin),
	    .new_branches = t->new_outcomes,
	    .found = t->found,
	    .diverged = !!(t->flags & TEST_DIVERGED),
	    .explored = t->stage >= STAGE_DONE,
	    .crash = !!(t->flags & TEST_CRASH),
	    .hang = !!(t->flags & TEST_HANG),
	};
	result_test_json(&s->j, &r,
			 RESULT_TEST(ID) | RESULT_TEST(FUNCTION) | RESULT_TEST(INPUTS) | RESULT_TEST(FILE) | RESULT_TEST(DIVERGED) | RESULT_TEST(PARENT) |
			     RESULT_TEST(ORIGIN) | RESULT_TEST(SIZE) | RESULT_TEST(NEW_BRANCHES) | RESULT_TEST(FOUND) | RESULT_TEST(EXPLORED) |
			     RESULT_TEST(CRASH) | RESULT_TEST(HANG));
	free(file);
	flush(s, 1 << 16);
	return 0;
}

static void print_heading(struct show *s)
{
	print_text(s->of.command);
	if (s->of.output) {
		printf("  (in ");
		print_text(s->of.output);
		putchar(')');
	}
	putchar('\n');
}

static int show_tests(struct show *s)
{
	uint64_t count, after;

	stored_choose(&s->of);
	if (s->of.output)
		outdir_files(s->of.output, know_file, s); /* it may be gone: then there are no names */
	if (s->json) {
		json_open(s, "tests");
		if (store_test_each(s->of.store, s->of.id, 0, 1, json_test, s))
			fail();
		json_close(s);
		return EXIT_OK;
	}
	count = store_test_count(s->of.store, s->of.id);
	after = s->all || count <= NEWEST ? 0 : count - NEWEST;
	print_heading(s);
	printf("%" PRIu64 " tests, %" PRIu64 " of them to be explored further\n", count,
	       store_frontier_count(s->of.store, s->of.id, STAGE_DONE));
	if (count)
		printf("%8s %8s  %-6s %8s %8s %9s\n", "test", "from", "by", "bytes", "new br.",
		       "second");
	if (after)
		printf("%8s %" PRIu64 " older ones: --all\n", "...", after);
	if (store_test_each(s->of.store, s->of.id, after, 0, print_test, s))
		fail();
	return EXIT_OK;
}

/* ---------------------------------------------------------------------- bugs */

static void print_place(const struct result_bug *b)
{
	print_text(*b->function ? b->function : "?");
	if (*b->file) {
		printf(" at ");
		print_text(b->file);
		if (b->line)
			printf(":%" PRIu32, b->line);
	}
}

static int print_bug(void *ctx, const struct result_bug *b)
{
	struct show *s = ctx;
	struct buf replay = {0}, input = {0}, source = {0};

	printf("%5" PRIu64 "  %-9s  ", b->id, b->confirmed ? "confirmed" : "suspected");
	print_text(b->kind);
	printf("%*s ", strlen(b->kind) < 24 ? (int)(24 - strlen(b->kind)) : 0, "");
	print_place(b);
	printf("\n       %s", *b->summary ? "" : "no summary");
	print_text(bug_description(b->kind, b->summary));
	bug_source(b->file, b->line, s->of.program, "      ", &source);
	bug_input(b->data, b->size, &input);
	printf("\n%s       %zu byte%s, shown by %" PRIu64 " input%s", buf_str(&source), b->size,
	       b->size == 1 ? "" : "s", b->count, b->count == 1 ? "" : "s");
	if (*b->input_file) {
		printf(": ");
		print_text(b->input_file);
	}
	printf("\n       %s\n", buf_str(&input));
	stored_replay(&s->of, b, &replay);
	if (replay.size) {
		printf("       ");
		print_text(buf_str(&replay));
		putchar('\n');
	}
	if (s->full && *b->report)
		printf("%s%s", b->report, b->report[strlen(b->report) - 1] == '\n' ? "" : "\n");
	buf_release(&replay);
	buf_release(&input);
	buf_release(&source);
	return 0;
}

static int json_bug(void *ctx, const struct result_bug *b)
{
	struct show *s = ctx;
	struct result_bug shown = *b;
	struct buf replay = {0};
	char *file = *b->input_file ? file_join(s->of.output ? s->of.output : "", b->input_file) : NULL;

	stored_replay(&s->of, b, &replay);
	shown.replay = replay.size ? buf_str(&replay) : NULL;
	shown.input_file = file;
	bug_json(&s->j, &shown);
	free(file);
	buf_release(&replay);
	flush(s, 1 << 16);
	return 0;
}

static int show_bugs(struct show *s)
{
	struct bug_counts n;

	stored_choose(&s->of);
	if (s->json) {
		json_open(s, "bugs");
		if (bug_each(s->of.store, s->of.id, &n, json_bug, s))
			fail();
		json_close(s);
		return n.confirmed ? EXIT_FOUND : EXIT_OK;
	}
	if (bug_each(s->of.store, s->of.id, &n, NULL, NULL))
		fail();
	print_heading(s);
	if (n.confirmed + n.suspected)
		printf("%" PRIu64 " bug%s confirmed, %" PRIu64 " suspected\n", n.confirmed,
		       n.confirmed == 1 ? "" : "s", n.suspected);
	else
		printf("no bugs found\n");
	if (n.owed)
		printf("%" PRIu64 " finding%s of calls that break what callers owe %s left out: 'muster test --report all'\n", n.owed, n.owed == 1 ? "" : "s", n.owed == 1 ? "is" : "are");
	if (bug_each(s->of.store, s->of.id, &n, print_bug, s))
		fail();
	return n.confirmed ? EXIT_FOUND : EXIT_OK;
}

/* ----------------------------------------------------------------- campaigns */

static int count_cover(void *ctx, uint32_t unit, uint32_t outcome, uint8_t mask, uint64_t test)
{
	(void)unit, (void)outcome, (void)mask, (void)test;
	++*(uint64_t *)ctx;
	return 0;
}

static int each_campaign(void *ctx, uint64_t id, struct hash128 key, const char *program,
			 const char *command)
{
	struct show *s = ctx;
	struct json *j = &s->j;
	uint64_t tests = store_test_count(s->of.store, id), branches = 0;
	uint64_t open = store_frontier_count(s->of.store, id, STAGE_DONE);
	struct bug_counts bugs;
	char *output = stored_output(&s->of, id), hex[HASH_HEX_SIZE];

	if (store_cover_each(s->of.store, id, count_cover, &branches) ||
	    bug_each(s->of.store, id, &bugs, NULL, NULL))
		fail();
	if (s->json) {
		json_object_open(j);
		json_campaign(s, id, program, command, output);
		json_key(j, "key"), json_str(j, hash_hex(key, hex));
		json_key(j, "tests"), json_u64(j, tests);
		json_key(j, "unexplored"), json_u64(j, open);
		json_key(j, "branches"), json_u64(j, branches);
		json_key(j, "bugs"), json_u64(j, bugs.confirmed);
		json_key(j, "suspected"), json_u64(j, bugs.suspected);
		json_object_close(j);
	} else {
		printf("%8" PRIu64 " %8" PRIu64 " %10" PRIu64 " %8" PRIu64 " %5" PRIu64 "  ", id,
		       tests, open, branches, bugs.confirmed + bugs.suspected);
		print_text(command);
		if (output) {
			printf("  (in ");
			print_text(output);
			putchar(')');
		}
		putchar('\n');
	}
	free(output);
	return 0;
}

static int show_campaigns(struct show *s)
{
	if (s->json)
		json_open(s, "campaigns");
	else
		printf("%8s %8s %10s %8s %5s  %s\n", "campaign", "tests", "unexplored", "branches",
		       "bugs", "command");
	if (store_campaign_each(s->of.store, each_campaign, s))
		fail();
	if (s->json)
		json_close(s);
	return EXIT_OK;
}

/* ----------------------------------------------------------------- summaries */

static int summaries(struct show *s)
{
	stored_choose(&s->of);
	if (s->json)
		json_open(s, "summaries");
	if (show_summaries(s->of.store, s->of.id, s->function, s->smt2, s->json ? &s->j : NULL))
		fail();
	if (s->json)
		json_close(s);
	return EXIT_OK;
}

/* ------------------------------------------------------------------ versions */

static void print_time(int64_t seconds)
{
	time_t t = (time_t)seconds;
	struct tm tm;
	char text[32] = "?";

	if (localtime_r(&t, &tm))
		strftime(text, sizeof text, "%Y-%m-%d %H:%M", &tm);
	printf("%-16s", text);
}

static int each_result(void *ctx, const struct store_result *r)
{
	struct show *s = ctx;
	struct json *j = &s->j;

	if (!s->json) {
		printf("%8s ", "");
		print_time(r->time);
		printf("  %-5s %-11s %8.1f s  branches %" PRIu64 "/%" PRIu64 ", %" PRIu64 " tests, %" PRIu64 " bug%s", r->command, r->status, r->seconds,
		       r->covered, r->total, r->tests, r->bugs, r->bugs == 1 ? "" : "s");
		if (r->suspected)
			printf(", %" PRIu64 " suspected", r->suspected);
		putchar('\n');
		return 0;
	}
	json_object_open(j);
	json_key(j, "machine"), json_id(j, r->machine);
	json_key(j, "number"), json_u64(j, r->number);
	json_key(j, "campaign"), json_id(j, r->campaign);
	json_key(j, "command"), json_str(j, r->command);
	json_key(j, "status"), json_str(j, r->status);
	json_key(j, "time"), json_int(j, r->time);
	json_key(j, "seconds"), json_double(j, r->seconds);
	json_key(j, "branches"), json_object_open(j);
	json_key(j, "covered"), json_u64(j, r->covered);
	json_key(j, "total"), json_u64(j, r->total);
	json_object_close(j);
	json_key(j, "tests"), json_u64(j, r->tests);
	json_key(j, "bugs"), json_u64(j, r->bugs);
	json_key(j, "suspected"), json_u64(j, r->suspected);
	json_key(j, "scope"), json_str(j, *r->scope ? r->scope : NULL);
	json_object_close(j);
	return 0;
}

static int each_function(void *ctx, const struct result_function *f)
{
	struct show *s = ctx;

	if (!s->json) {
		printf("%8s %s: ", "", f->verdict);
		print_text(f->name);
		printf(", branches %" PRIu64 "/%" PRIu64 "\n", f->covered, f->total);
		return 0;
	}
	result_function_json(&s->j, f,
			     RESULT_FIELD(FUNCTION, NAME) | RESULT_FIELD(FUNCTION, FILE) | RESULT_FIELD(FUNCTION, LINE) | RESULT_FIELD(FUNCTION, VERDICT) | RESULT_FIELD(FUNCTION, WHY) |
				 RESULT_FIELD(FUNCTION, COVERED) | RESULT_FIELD(FUNCTION, TOTAL) | RESULT_FIELD(FUNCTION, TESTS) | RESULT_FIELD(FUNCTION, BUGS) |
				 RESULT_FIELD(FUNCTION, LOSSES_WORDS) | RESULT_FIELD(FUNCTION, LIMITS_WORDS) | RESULT_FIELD(FUNCTION, MACHINE) | RESULT_FIELD(FUNCTION, RUN));
	return 0;
}

static int each_version(void *ctx, const struct store_version *v)
{
	struct show *s = ctx;
	struct json *j = &s->j;
	char hex[HASH_HEX_SIZE];

	if (s->json) {
		json_object_open(j);
		json_key(j, "id"), json_id(j, v->id);
		json_key(j, "key"), json_str(j, hash_hex(v->key, hex));
		json_key(j, "program"), json_str(j, v->program);
		json_key(j, "time"), json_int(j, v->seen);
		json_key(j, "records"), json_u64(j, v->records);
		json_key(j, "bytes"), json_u64(j, v->bytes);
		json_key(j, "functions"), json_array_open(j);
		if (store_function_each(s->of.store, v->id, each_function, s))
			return -1;
		json_array_close(j);
		json_key(j, "runs"), json_array_open(j);
		if (store_result_each(s->of.store, v->id, each_result, s))
			return -1;
		json_array_close(j);
		json_object_close(j);
		flush(s, 1 << 16);
		return 0;
	}
	printf("%8" PRIu64 " ", v->id);
	print_time(v->seen);
	printf(" %8" PRIu64 " %9" PRIu64 "  ", v->records, v->bytes);
	print_text(v->program);
	putchar('\n');
	return store_result_each(s->of.store, v->id, each_result, s) || (s->full && store_function_each(s->of.store, v->id, each_function, s)) ? -1 : 0;
}

static int show_versions(struct show *s)
{
	if (s->json)
		json_open(s, "versions");
	else
		printf("%8s %-16s %8s %9s  %s\n", "version", "first seen", "records", "bytes", "program");
	if (store_version_each(s->of.store, each_version, s))
		fail();
	if (s->json)
		json_close(s);
	return EXIT_OK;
}

/* ------------------------------------------------------------------- command */

static const struct {
	const char *name;
	int (*show)(struct show *s); /* the exit code */
} subjects[] = {{"tests", show_tests}, {"bugs", show_bugs}, {"campaigns", show_campaigns}, {"versions", show_versions}, {"summaries", summaries}};

static void release(struct show *s)
{
	for (size_t i = 0; i < s->names.size; i++)
		free(s->names.data[i]);
	vec_release(&s->names);
	map_release(&s->files);
	buf_release(&s->out);
	stored_release(&s->of);
}

int cmd_show(int argc, char **argv)
{
	struct show s = {0};
	const struct option_row rows[] = {
	    STORED_ROWS(&s.of),
	    OPTION_FLAG("all", 'a', &s.all, "all tests, not only the newest"),
	    OPTION_FLAG("full", 0, &s.full, "bugs with the sanitizer's report, versions with their functions"),
	    OPTION_FLAG("smt2", 0, &s.smt2, "summaries as SMT-LIB: the assertions of P, then those of Q"),
	    OPTION_FLAG("json", 0, &s.json, "print JSON (always everything)"),
	    OPTION_END};
	const struct option_spec spec = {"show", "tests|bugs|campaigns|versions|summaries [F]|checkers [options]",
					 "Shows what searches found: tests (inputs, how they were "
					 "found, what was new in them), bugs (kind, place,\n"
					 "the input and the command that runs it again), the "
					 "searches themselves (a running one too), the versions of\n"
					 "programs that were searched (with --full also the verdicts of functions), must summaries (of\n"
					 "function F, or of all) as pre- and postconditions in C, or the\n"
					 "table of checkers that --check of fuzz and test chooses from.\n\n"
					 "  muster show bugs -o out\n\n"
					 "Exit code: 1 if bugs are shown that were confirmed, 0 otherwise.",
					 rows};
	const char *what;
	int i = option_parse(&spec, argc, argv), code;

	if (i >= argc)
		option_usage(&spec, "wants to know what: tests, bugs, campaigns, versions, summaries or checkers");
	what = argv[i];
	i += option_parse(&spec, argc - i, argv + i); /* options may follow */
	if (i < argc && !strcmp(what, "summaries")) {
		s.function = argv[i];
		i += option_parse(&spec, argc - i, argv + i);
	}
	if (i < argc)
		option_usage(&spec, "'%s' is one too many", argv[i]);
	if (!strcmp(what, "checkers")) {
		s.json ? checks_print_json() : checks_print();
		return EXIT_OK;
	}
	for (size_t k = 0; k < sizeof subjects / sizeof subjects[0]; k++) {
		if (strcmp(what, subjects[k].name))
			continue;
		stored_open(&s.of);
		code = subjects[k].show(&s);
		release(&s);
		return code;
	}
	option_usage(&spec, "cannot show '%s': tests, bugs, campaigns, versions, summaries or checkers", what);
}
