/* test_report.c: the result of `muster test` for a person: a table of functions, then the bugs.
 *
 * A bug has what happened, where, the call in C that shows it, whether a caller is known to allow
 * it, and a line to paste.
 */
#include "check/suppress.h"
#include "unit/unit.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/shell.h"
#include "report/bug.h"
#include "report/checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_WIDTH 40
#define PROGRAM_WIDTH 64 /* bytes of an input of the whole program, likewise */
#define INPUT_WIDTH 1000 /* characters of an input that a person is shown */

static const char *color(const char *sequence)
{
	const char *no = getenv("NO_COLOR");
	return isatty(1) && !(no && *no) ? sequence : "";
}

static const char *keep(struct test_session *s, struct buf *text)
{
	const char *kept = arena_strdup(&s->arena, buf_str(text));
	buf_clear(text);
	return kept;
}

static void add_replay(const struct test_session *s, const struct test_bug *b, struct buf *out)
{
	buf_adds(out, "muster replay ");
	check_option_word(out, s->o->checks, b->finding.bug.kind);
	shell_paste_path(out, b->finding.bug.input_file);
	/* Where all is in its usual place, the store knows the program: its name is a hash. */
	if (s->o->out || s->o->store || getenv("MUSTER_DIR")) {
		buf_adds(out, " -- ");
		shell_paste(out, s->program);
	}
}

static void add_scope(const struct test_session *s, const struct test_bug *b, struct buf *out)
{
	if (s->o->entry) {
		buf_adds(out, "program level: the entry that was named");
	} else if (b->program) {
		buf_adds(out, "program level: an input of the whole program leads there");
	} else if (test_is_program_level(b)) {
		buf_adds(out, "program level: main itself leads there");
	} else {
		buf_adds(out, "function level: the caller is not proven to allow this");
		test_program_scope(s, out);
	}
}

static const char *const *also_names(struct test_session *s, const struct test_bug *b)
{
	const char **names = arena_alloc(&s->arena, b->also.size * sizeof *names + 1);
	for (size_t i = 0; i < b->also.size; i++)
		names[i] = s->functions.data[b->also.data[i]].name;
	return names;
}

struct result_bug test_result_bug(struct test_session *s, const struct test_bug *b)
{
	const struct result_bug *x = &b->finding.bug;
	const struct test_function *f = &s->functions.data[b->function];
	struct buf text = {0};
	struct result_bug r = *x;
	r.function = x->function[0] ? x->function : f->name;
	r.file = x->file[0] ? x->file : f->front->file;
	r.signal = 0;
	r.test = test_stored_id(s, b);
	r.report = NULL; /* it has addresses, which differ between runs that are the same otherwise */
	r.data = b->data.data;
	r.size = b->data.size;
	r.entry = f->name;
	r.also = also_names(s, b);
	r.also_count = b->also.size;
	r.program = b->program ? &s->program_bugs.data[b->program - 1] : NULL;
	harness_print_json(s->harness, f->harness->number, b->data.data, b->data.size, &text);
	r.inputs = text.size ? keep(s, &text) : "null";
	add_replay(s, b, &text);
	r.replay = keep(s, &text);
	add_scope(s, b, &text);
	r.scope = keep(s, &text);
	buf_release(&text);
	return r;
}

/* ------------------------------------------------------------------- table */

static void print_seconds(double seconds)
{
	if (seconds < 1)
		printf("%6.0f ms", seconds * 1000);
	else
		printf("%7.1f s", seconds);
}

static void print_row(const struct test_session *s, const struct test_function *f, int width)
{
	static const char *const colors[] = {"\033[33m", "", "", "\033[32m"};
	char branches[40];
	(void)s;
	snprintf(branches, sizeof branches, "%" PRIu64 "/%" PRIu32, f->covered, f->outcomes);
	printf("%-*s  %s%-9s%s %9s %6zu ", width, f->name, color(colors[f->verdict]),
	       test_verdict_word(f->verdict), color("\033[0m"), branches, (size_t)test_count(f));
	if (f->bugs)
		printf(" %s%4u%s  ", color("\033[1;31m"), f->bugs, color("\033[0m"));
	else
		printf(" %4s  ", "-");
	print_seconds(f->result.seconds);
	putchar('\n');
	if (f->why.size && (s->o->verbose || f->verdict == TEST_UNREACHED))
		printf("%*s  %s%.*s%s\n", 2, "", color("\033[2m"), (int)f->why.size, f->why.data,
		       color("\033[0m"));
}

static int name_width(const struct test_session *s)
{
	size_t width = 8;
	for (size_t i = 0; i < s->functions.size; i++) {
		size_t n = strlen(s->functions.data[i].name);
		width = n > width ? n : width;
	}
	return width > NAME_WIDTH ? NAME_WIDTH : (int)width;
}

struct totals {
	uint64_t covered, outcomes, tests, verdicts[TEST_VERDICT_COUNT], bugs, suspected, inputs, late;
};

static void add_up(const struct test_session *s, struct totals *t)
{
	for (size_t i = 0; i < s->functions.size; i++) {
		const struct test_function *f = &s->functions.data[i];
		t->covered += f->covered;
		t->outcomes += f->outcomes;
		t->tests += test_count(f);
		t->inputs += f->result.inputs;
		t->verdicts[f->verdict]++;
	}
	t->late += s->late;
	for (size_t i = 0; i < s->bugs.size; i++) {
		t->bugs += (uint64_t)s->bugs.data[i].finding.bug.confirmed;
		t->suspected += !s->bugs.data[i].finding.bug.confirmed;
	}
	for (size_t i = 0; i < s->program_bugs.size; i++)
		t->bugs += (uint64_t)test_program_only(s, i);
}

/* -------------------------------------------------------------------- bugs */

static void print_input(const struct test_session *s, const struct test_bug *b)
{
	const struct test_function *f = &s->functions.data[b->function];
	struct buf text = {0};
	harness_print_inline(s->harness, f->harness->number, b->data.data, b->data.size, &text);
	int cut = text.size > INPUT_WIDTH;
	printf("    %s: %.*s%s\n", f->name, cut ? INPUT_WIDTH : (int)text.size,
	       text.size ? text.data : "",
	       cut	   ? " ..."
	       : text.size ? ""
			   : "(no input)");
	buf_release(&text);
}

/* The input of the whole program as C would write it, and how to run it. */
static void print_program_input(const struct result_bug *b)
{
	size_t n = b->size > PROGRAM_WIDTH ? PROGRAM_WIDTH : b->size;
	printf("    %s: \"", !strcmp(b->by, "file") ? "file named by the first argument" : "standard input");
	for (size_t i = 0; i < n; i++) {
		unsigned char c = ((const unsigned char *)b->data)[i];
		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c >= ' ' && c < 127)
			putchar(c);
		else
			printf("\\%03o", c);
	}
	printf("\"%s (%zu bytes)\n    %s\n", n < b->size ? "..." : "", b->size, b->replay);
}

static void print_program_bug(const struct result_bug *b)
{
	printf("\n%sbug%s %s\n    %s\n", color("\033[1;31m"), color("\033[0m"), b->summary, b->scope);
	print_program_input(b);
}

static void print_bug(struct test_session *s, struct test_bug *own)
{
	struct result_bug r = test_result_bug(s, own), *b = &r;
	printf("\n%s%s%s %s\n", color(b->confirmed ? "\033[1;31m" : "\033[33m"), b->confirmed ? "bug" : "suspected", color("\033[0m"), b->summary);
	struct buf source = {0};
	bug_source(own->finding.bug.file, b->line, NULL, "   ", &source);
	fputs(buf_str(&source), stdout);
	buf_release(&source);
	print_input(s, own);
	for (size_t i = 0; i < b->also_count && i < 8; i++)
		printf("%s %s", i ? "," : "    also from", b->also[i]);
	if (b->also_count > 8)
		printf(" and %zu more", b->also_count - 8);
	printf("%s    %s\n", b->also_count ? "\n" : "", b->scope);
	if (b->program)
		print_program_input(b->program);
	if (b->hint && strcmp(b->level, RESULT_PROGRAM))
		printf("    if callers never do this: %s\n", b->hint);
	printf("    %s\n", b->replay);
}

static void print_session(struct test_session *s)
{
	int width = name_width(s);
	if (!s->functions.size)
		return;
	printf("%s%-*s  %-9s %9s %6s  %4s  %9s%s\n", color("\033[1m"), width, "function", "verdict",
	       "branches", "tests", "bugs", "time", color("\033[0m"));
	for (size_t i = 0; i < s->functions.size; i++)
		print_row(s, &s->functions.data[i], width);
}

static void print_totals(const struct totals *t, double seconds)
{
	const char *sep = ": ";
	uint64_t functions = 0;
	for (int i = 0; i < TEST_VERDICT_COUNT; i++)
		functions += t->verdicts[i];
	printf("%" PRIu64 " function%s", functions, functions == 1 ? "" : "s");
	for (int i = TEST_VERDICT_COUNT - 1; i >= 0; i--)
		if (t->verdicts[i]) {
			printf("%s%" PRIu64 " %s", sep, t->verdicts[i],
			       test_verdict_word((enum test_verdict)i));
			sep = ", ";
		}
	printf("; branches %" PRIu64 "/%" PRIu64, t->covered, t->outcomes);
	if (t->outcomes)
		printf(" (%.1f %%)", 100.0 * (double)t->covered / (double)t->outcomes);
	printf(", %" PRIu64 " tests, %" PRIu64 " bug%s", t->tests, t->bugs,
	       t->bugs == 1 ? "" : "s");
	if (t->suspected)
		printf(", %" PRIu64 " suspected", t->suspected);
	if (suppress_count())
		printf(", %" PRIu64 " suppressed", suppress_count());
	printf(", %.1f s\n", seconds);
	if (t->late)
		printf("%" PRIu64 " tests were not looked at in the san variant: the time was over\n", t->late);
}

/* Runs that were ended, or whose record cannot be used: no test comes of them, and no verdict says why. */
static void print_odd_runs(struct test_session *const *sessions, size_t count)
{
	struct search_stats t = {0};
	for (size_t i = 0; i < count; i++)
		search_stats_add(&t, &sessions[i]->stats);
	if (t.waiting)
		printf("waiting: %" PRIu64 " call%s used no processor time for %g s and were ended by the clock: no bug, and no whole path\n", t.waiting, t.waiting == 1 ? "" : "s",
		       sessions[0]->o->run_time);
	if (t.stopped)
		printf("stopped: %" PRIu64 " call%s stopped the process (SIGSTOP or its kind) and were ended: no bug, and no whole path\n", t.stopped,
		       t.stopped == 1 ? "" : "s");
	if (t.scribbled)
		printf("scribbled: %" PRIu64 " call%s wrote over the memory in which the runtime records what they do: a wild write; look for it with "
		       "-fsanitize=address\n",
		       t.scribbled, t.scribbled == 1 ? "" : "s");
}

static void print_stats(struct test_session *const *sessions, size_t count)
{
	struct search_stats search = {0};
	struct solve_stats solve = {0};
	for (size_t i = 0; i < count; i++) {
		search_stats_add(&search, &sessions[i]->stats);
		solve_stats_add(&solve, &sessions[i]->solve);
	}
	checks_stats_print(&search, &solve, sessions[0]->o->checks, sessions[0]->o->combine);
}

/* The bounds that a reader must know at once; with -v all that it depends on, a line each. */
static void print_scope(const struct test_session *s)
{
	const struct harness_options *o = &s->harness->options;
	struct buf scope = {0};
	if (!s->o->verbose) {
		printf("%sverified: no defect on any path within %u objects a type, %u elements, %u characters; whole scope: -v%s\n",
		       color("\033[2m"), o->objects, o->elements, o->characters ? o->characters - 1 : 0, color("\033[0m"));
		return;
	}
	test_scope(s, &scope);
	printf("%sverified: no defect for\n", color("\033[2m"));
	for (char *at = buf_str(&scope), *end; at; at = end ? end + 2 : NULL) {
		end = strstr(at, "; ");
		printf("    %.*s\n", end ? (int)(end - at) : (int)strlen(at), at);
	}
	printf("%s", color("\033[0m"));
	buf_release(&scope);
}

void test_print(struct test_session *const *sessions, size_t count, double seconds)
{
	struct totals t = {0};
	for (size_t i = 0; i < count; i++) {
		if (count > 1)
			printf("%s%s:\n", i ? "\n" : "", sessions[i]->file);
		print_session(sessions[i]);
		add_up(sessions[i], &t);
	}
	print_totals(&t, seconds);
	print_odd_runs(sessions, count);
	if (t.verdicts[TEST_VERIFIED] && count)
		print_scope(sessions[0]);
	if (count && sessions[0]->o->stats)
		print_stats(sessions, count);
	for (int confirmed = 1; confirmed >= 0; confirmed--)
		for (size_t i = 0; i < count; i++)
			for (size_t k = 0; k < sessions[i]->bugs.size; k++)
				if (sessions[i]->bugs.data[k].finding.bug.confirmed == confirmed)
					print_bug(sessions[i], &sessions[i]->bugs.data[k]);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < sessions[i]->program_bugs.size; k++)
			if (test_program_only(sessions[i], k))
				print_program_bug(&sessions[i]->program_bugs.data[k]);
}
