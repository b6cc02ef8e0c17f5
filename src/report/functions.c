/* functions.c: the result of `muster test` for a person: a table of functions, then the bugs.
 *
 * A bug has what happened, where, the call in C that shows it, whether a caller is known to allow
 * it, and a line to paste.
 */
#include "report/functions.h"

#include "base/map.h"
#include "report/bug.h"
#include "report/checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WITHIN_NAMES 6 /* functions that are listed with what is asked of their calls */

#define NAME_WIDTH 40
#define PROGRAM_WIDTH 64 /* bytes of an input of the whole program that a person is shown */
#define CONTRACT_WIDTH 120 /* the same of a call that breaks a contract */
#define NULL_CONTRACTS 6 /* pointers that must not be null, from which on they are told together | a screen has room for fewer */
#define INPUT_WIDTH 1000 /* characters of a call, likewise */

enum functions_verdict {
#define X(name, word) VERDICT_##name,
	RESULT_VERDICTS(X)
#undef X
	    VERDICT_COUNT
};
static const char *const verdict_words[] = {
#define X(name, word) word,
    RESULT_VERDICTS(X)
#undef X
};

static const char *color(const char *sequence)
{
	const char *no = getenv("NO_COLOR");
	return isatty(1) && !(no && *no) ? sequence : "";
}

/* ------------------------------------------------------------------- table */

static void print_seconds(double seconds)
{
	if (seconds < 1)
		printf("%6.0f ms", seconds * 1000);
	else
		printf("%7.1f s", seconds);
}

static enum functions_verdict verdict_of(const struct result_function *f)
{
	int i = 0;
	while (i < VERDICT_COUNT - 1 && strcmp(f->verdict, verdict_words[i]))
		i++;
	return (enum functions_verdict)i;
}

static void print_row(const struct result_function *f, int width, int verdict, int verbose)
{
	static const char *const colors[VERDICT_COUNT] = {[VERDICT_UNREACHED] = "\033[33m", [VERDICT_GIVEN] = "\033[32m", [VERDICT_VERIFIED] = "\033[32m"};
	const char *shade = colors[verdict_of(f)];
	char branches[48];
	snprintf(branches, sizeof branches, "%" PRIu64 "/%" PRIu64, f->covered, f->total);
	printf("%-*s  %s%-*s%s %9s %6" PRIu64 " ", width, f->name, color(shade ? shade : ""), verdict, f->verdict, color("\033[0m"), branches, f->tests);
	if (f->bugs)
		printf(" %s%4" PRIu64 "%s  ", color("\033[1;31m"), f->bugs, color("\033[0m"));
	else
		printf(" %4s  ", "-");
	print_seconds(f->seconds);
	putchar('\n');
	if (f->why && (verbose || verdict_of(f) == VERDICT_UNREACHED))
		printf("%*s  %s%s%s\n", 2, "", color("\033[2m"), f->why, color("\033[0m"));
	if (f->conditions && verbose)
		printf("%*s  %schecked: %s%s\n", 2, "", color("\033[2m"), f->conditions, color("\033[0m"));
	if (f->choice && verbose)
		printf("%*s  %s%s: %s%s\n", 2, "", color("\033[2m"), f->strategy, f->choice, color("\033[0m"));
}

static void print_table(const struct result_function *functions, size_t count, int verbose)
{
	size_t width = 8;
	int verdict = 9;
	for (size_t i = 0; i < count; i++) {
		size_t n = strlen(functions[i].name), v = strlen(functions[i].verdict);
		width = n > width ? n : width;
		verdict = (int)v > verdict ? (int)v : verdict;
	}
	width = width > NAME_WIDTH ? NAME_WIDTH : width;
	if (!count)
		return;
	printf("%s%-*s  %-*s %9s %6s  %4s  %9s%s\n", color("\033[1m"), (int)width, "function", verdict, "verdict",
	       "branches", "tests", "bugs", "time", color("\033[0m"));
	for (size_t i = 0; i < count; i++)
		print_row(&functions[i], (int)width, verdict, verbose);
}

/* --------------------------------------------------------- many files */

#define MANY_FILES 4 /* from which on a file has a row, and its functions are behind -v | their tables would fill screens */

static int is_many(const struct functions_view *v)
{
	return v->file_count >= MANY_FILES && !v->verbose;
}

struct file_row {
	uint64_t verdicts[VERDICT_COUNT], covered, outcomes, tests, bugs, contracts;
	double seconds;
};

/* Names of a file's functions are the result's own, so that bugs and contracts are told by them, also where two files have a function of one name. */
static struct file_row add_up_file(const struct result *r, size_t from, size_t count)
{
	struct file_row row = {0};
	struct map names = {0};
	for (size_t i = from; i < from + count; i++) {
		const struct result_function *f = &r->functions.data[i];
		row.verdicts[verdict_of(f)]++;
		row.covered += f->covered, row.outcomes += f->total, row.tests += f->tests, row.seconds += f->seconds;
		map_set(&names, (uint64_t)(uintptr_t)f->name, 1);
	}
	for (size_t i = 0; i < r->bugs.size; i++)
		row.bugs += (uint64_t)(r->bugs.data[i].confirmed && map_get(&names, (uint64_t)(uintptr_t)r->bugs.data[i].entry, NULL));
	for (size_t i = 0; i < r->contracts.size; i++)
		row.contracts += (uint64_t)(!r->contracts.data[i].accepted && map_get(&names, (uint64_t)(uintptr_t)r->contracts.data[i].function, NULL));
	map_release(&names);
	return row;
}

/* One table: a file a row. */
static void print_files(const struct result *r, const struct functions_view *v)
{
	size_t width = 4;
	for (size_t i = 0; i < v->file_count; i++)
		width = strlen(v->files[i]) > width ? strlen(v->files[i]) : width;
	width = width > NAME_WIDTH ? NAME_WIDTH : width;
	printf("%s%-*s %9s %8s %5s %8s %7s %9s %11s %6s %5s %9s %9s%s\n", color("\033[1m"), (int)width, "file", "functions", "verified", "given", "explored", "partial", "unreached", "branches", "tests", "bugs", "contracts",
	       "time", color("\033[0m"));
	for (size_t i = 0, at = 0; i < v->file_count; at += v->counts[i++]) {
		struct file_row x = add_up_file(r, at, v->counts[i]);
		char branches[48];
		snprintf(branches, sizeof branches, "%" PRIu64 "/%" PRIu64, x.covered, x.outcomes);
		printf("%-*s %9zu %8" PRIu64 " %5" PRIu64 " %8" PRIu64 " %7" PRIu64 " %9" PRIu64 " %11s %6" PRIu64 " %s%5" PRIu64 "%s %9" PRIu64 "  ", (int)width, v->files[i], v->counts[i], x.verdicts[VERDICT_VERIFIED],
		       x.verdicts[VERDICT_GIVEN], x.verdicts[VERDICT_EXPLORED], x.verdicts[VERDICT_PARTIAL], x.verdicts[VERDICT_UNREACHED], branches, x.tests, color(x.bugs ? "\033[1;31m" : ""), x.bugs, color("\033[0m"),
		       x.contracts);
		print_seconds(x.seconds);
		putchar('\n');
	}
	printf("%seach function: -v%s\n", color("\033[2m"), color("\033[0m"));
}

/* ------------------------------------------------------------------- totals */

struct totals {
	uint64_t covered, outcomes, tests, verdicts[VERDICT_COUNT], bugs, suspected;
};

static struct totals add_up(const struct result *r)
{
	struct totals t = {0};
	for (size_t i = 0; i < r->functions.size; i++) {
		const struct result_function *f = &r->functions.data[i];
		t.covered += f->covered;
		t.outcomes += f->total;
		t.tests += f->tests;
		t.verdicts[verdict_of(f)]++;
	}
	for (size_t i = 0; i < r->bugs.size; i++)
		*(r->bugs.data[i].confirmed ? &t.bugs : &t.suspected) += 1;
	return t;
}

static size_t count_accepted(const struct result *r)
{
	size_t n = 0;
	for (size_t i = 0; i < r->contracts.size; i++)
		n += (size_t)(r->contracts.data[i].accepted != 0);
	return n;
}

static void print_totals(const struct result *r, const struct totals *t, double seconds)
{
	const char *sep = ": ";
	uint64_t hidden = result_figure(r, "suppressed")->count, late = result_figure(r, "unchecked")->count;
	printf("%zu function%s", r->functions.size, r->functions.size == 1 ? "" : "s");
	for (int i = VERDICT_COUNT - 1; i >= 0; i--)
		if (t->verdicts[i]) {
			printf("%s%" PRIu64 " %s", sep, t->verdicts[i], verdict_words[i]);
			sep = ", ";
		}
	printf("; branches %" PRIu64 "/%" PRIu64, t->covered, t->outcomes);
	if (t->outcomes)
		printf(" (%.1f %%)", 100.0 * (double)t->covered / (double)t->outcomes);
	printf(", %" PRIu64 " tests, %" PRIu64 " bug%s", t->tests, t->bugs,
	       t->bugs == 1 ? "" : "s");
	size_t accepted = count_accepted(r), inferred = r->contracts.size - accepted;
	if (inferred)
		printf(", %zu contract%s", inferred, inferred == 1 ? "" : "s");
	if (r->uncalled.size)
		printf(", %zu finding%s without a caller", r->uncalled.size, r->uncalled.size == 1 ? "" : "s");
	if (accepted)
		printf(", %zu accepted contract%s", accepted, accepted == 1 ? "" : "s");
	if (t->suspected)
		printf(", %" PRIu64 " suspected", t->suspected);
	if (hidden)
		printf(", %" PRIu64 " suppressed", hidden);
	printf(", %.1f s\n", seconds);
	if (late)
		printf("%" PRIu64 " tests were not looked at in the san variant: the time was over\n", late);
	uint64_t unexplained = result_figure(r, "unexplained")->count;
	if (unexplained)
		printf("%" PRIu64 " bug%s may be what callers owe: no time was left to look for causes (a larger --time, or fewer functions)\n", unexplained, unexplained == 1 ? "" : "s");
}

static void print_old_bugs(const struct result *r)
{
	static const char *const words[] = {RESULT_FIXED, RESULT_STILL_THERE, RESULT_UNKNOWN};
	const char *sep = "bugs of the last version: ";
	for (size_t k = 0; k < sizeof words / sizeof *words && r->old_bugs.size; k++) {
		uint64_t n = 0;
		for (size_t i = 0; i < r->old_bugs.size; i++)
			n += !strcmp(r->old_bugs.data[i].now, words[k]);
		if (n)
			printf("%s%" PRIu64 " %s", sep, n, words[k]), sep = ", ";
	}
	if (r->old_bugs.size)
		printf("\n");
	for (size_t i = 0; i < r->old_bugs.size; i++) {
		const struct result_old_bug *b = &r->old_bugs.data[i];
		if (strcmp(b->now, RESULT_STILL_THERE)) /* those are reported below */
			printf("    %s: %s in %s, line %u there\n", b->now, b->kind, b->function[0] ? b->function : "an unknown function", b->line);
	}
}

/* Summaries of changed functions in the version before. */
static void print_before(const struct result *r)
{
	uint64_t hold = result_figure(r, "summaries_before.hold")->count, again = result_figure(r, "summaries_before.recomputed")->count, unreached = result_figure(r, "summaries_before.unreached")->count,
		 unseen = result_figure(r, "summaries_before.not_looked_at")->count;
	if (!(hold || again || unreached || unseen))
		return;
	printf("summaries of functions that changed: %" PRIu64 " still hold, %" PRIu64 " were made anew from states of their preconditions, %" PRIu64 " are unreached", hold, again, unreached);
	if (unseen)
		printf(", %" PRIu64 " were not looked at: the time was over", unseen);
	printf("\n");
}

/* What earlier runs gave. */
static void print_reuse(const struct result *r)
{
	uint64_t functions = result_figure(r, "reused.functions")->count, tests = result_figure(r, "reused.tests")->count;
	if (functions || tests)
		printf("reused: %" PRIu64 " of %zu functions rest on nothing that changed and were not searched again; %" PRIu64 " tests of earlier runs were run; %.1f s saved (--fresh: from nothing)\n",
		       functions, r->functions.size, tests, result_figure(r, "reused.seconds")->real);
	print_before(r);
	print_old_bugs(r);
}

/* Runs that were ended, or whose record cannot be used: no test comes of them, and no verdict says why. */
static void print_odd_runs(const struct result *r, double run_time)
{
	uint64_t waiting = result_figure(r, "waiting")->count, stopped = result_figure(r, "stopped")->count,
		 scribbled = result_figure(r, "scribbled")->count;
	if (waiting)
		printf("waiting: %" PRIu64 " call%s used no processor time for %g s and were ended by the clock: no bug, and no whole path\n", waiting,
		       waiting == 1 ? "" : "s", run_time);
	if (stopped)
		printf("stopped: %" PRIu64 " call%s stopped the process (SIGSTOP or its kind) and were ended: no bug, and no whole path\n", stopped,
		       stopped == 1 ? "" : "s");
	if (scribbled)
		printf("scribbled: %" PRIu64 " call%s wrote over the memory in which the runtime records what they do: a wild write; look for it with "
		       "-fsanitize=address\n",
		       scribbled, scribbled == 1 ? "" : "s");
}

/* The bounds that a reader must know at once; with -v all that it depends on, a line each. */
static void print_scope(const struct functions_view *v)
{
	if (!v->verbose) {
		printf("%sverified: no defect on any path within %s; whole scope: -v%s\n", color("\033[2m"), v->bounds, color("\033[0m"));
		return;
	}
	printf("%sverified: no defect for\n", color("\033[2m"));
	for (const char *at = v->scope, *end; at; at = end ? end + 2 : NULL) {
		end = strstr(at, "; ");
		printf("    %.*s\n", end ? (int)(end - at) : (int)strlen(at), at);
	}
	printf("%s", color("\033[0m"));
}

/* -------------------------------------------------------------------- bugs */

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

/* What it is, the call, and how to see it again: of many files the rest is behind -v. */
static void print_bug_short(const struct result_bug *b)
{
	size_t size = strlen(b->call);
	printf("\n%s%s%s %s\n", color(b->confirmed ? "\033[1;31m" : "\033[33m"), b->confirmed ? "bug" : "suspected", color("\033[0m"), b->summary);
	printf("    %s: %.*s%s\n", b->entry, size > CONTRACT_WIDTH ? CONTRACT_WIDTH : (int)size, b->call, size > CONTRACT_WIDTH ? " ..." : size ? "" : "(no input)");
	printf("    %s\n", b->replay);
}

static void print_bug(const struct result_bug *b)
{
	size_t size = strlen(b->call);
	struct buf source = {0};
	printf("\n%s%s%s %s\n", color(b->confirmed ? "\033[1;31m" : "\033[33m"), b->confirmed ? "bug" : "suspected", color("\033[0m"), b->summary);
	bug_source(b->file, b->line, NULL, "   ", &source);
	fputs(buf_str(&source), stdout);
	buf_release(&source);
	printf("    %s: %.*s%s\n", b->entry, size > INPUT_WIDTH ? INPUT_WIDTH : (int)size, b->call, size > INPUT_WIDTH ? " ..." : size ? "" : "(no input)");
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

/* "PLACE != NULL", of which a file has dozens; the length of PLACE, else 0. */
static size_t null_place(const struct result_contract *c)
{
	size_t n = strcspn(c->requires, " ");
	return c->before || c->accepted || strcmp(c->requires + n, " != NULL") ? 0 : n;
}

/* These together, by function: they are what one expects, and would hide the others. 1; 0: they are few, and are told as the others are. */
static int print_null_contracts(const struct result *r)
{
	size_t count = 0, column = CONTRACT_WIDTH;
	const char *of = "";
	for (size_t i = 0; i < r->contracts.size; i++)
		count += null_place(&r->contracts.data[i]) > 0;
	if (count < NULL_CONTRACTS)
		return 0;
	printf("    %zu pointers must not be null (each with its call: -v):", count);
	for (size_t i = 0; i < r->contracts.size; i++) {
		const struct result_contract *c = &r->contracts.data[i];
		size_t n = null_place(c);
		if (!n)
			continue;
		int same = !strcmp(of, c->function);
		if (!same && column + strlen(c->function) + n > CONTRACT_WIDTH)
			column = (size_t)printf("%s\n       ", *of ? ";" : "");
		else if (!same)
			column += (size_t)printf(";");
		if (same)
			column += (size_t)printf(", %s%.*s%s", color("\033[1m"), (int)n, c->requires, color("\033[0m"));
		else
			column += (size_t)printf(" %s %s%.*s%s", c->function, color("\033[1m"), (int)n, c->requires, color("\033[0m"));
		of = c->function;
	}
	printf("\n");
	return 1;
}

/* One line for each cause, and the call that shows it. */
static void print_contracts(const struct result *r, int verbose)
{
	int folded = 0;
	if (r->contracts.size > count_accepted(r)) {
		printf("\ncontracts: what callers owe, each with a call that breaks it and fails (every finding: --report all)\n");
		folded = !verbose && print_null_contracts(r);
	}
	for (size_t i = 0; i < r->contracts.size; i++) {
		const struct result_contract *c = &r->contracts.data[i];
		size_t size = strlen(c->call);
		if (c->accepted || (folded && null_place(c)))
			continue;
		printf("    %s requires %s%s%s (%" PRIu64 " place%s)\n", c->function, color("\033[1m"), c->requires, color("\033[0m"), c->places, c->places == 1 ? "" : "s");
		if (c->before)
			printf("        stronger than in the last version, which required %s: this call was allowed\n", strcmp(c->before, "true") ? c->before : "nothing");
		printf("        %.*s%s\n", size > CONTRACT_WIDTH ? CONTRACT_WIDTH : (int)size, c->call, size > CONTRACT_WIDTH ? " ..." : "");
	}
}

/* Static functions in contexts that nobody was seen to give them. */
static void print_uncalled(const struct result *r)
{
	if (r->uncalled.size)
		printf("\nno caller found: calls of static functions that fail, and that none of their callers was seen to make (no bug; the callers were not searched to their end)\n");
	for (size_t i = 0; i < r->uncalled.size; i++) {
		const struct result_uncalled *u = &r->uncalled.data[i];
		size_t size = strlen(u->call);
		printf("    %s: %s%s%s\n        %.*s%s\n", u->function, u->summary, u->cause ? "; requires " : "", u->cause ? u->cause : "", size > CONTRACT_WIDTH ? CONTRACT_WIDTH : (int)size, u->call,
		       size > CONTRACT_WIDTH ? " ..." : "");
	}
}

/* Those that only the whole program shows come last. */
static void print_bugs(const struct result *r, int brief)
{
	for (int confirmed = 1; confirmed >= 0; confirmed--)
		for (size_t i = 0; i < r->bugs.size; i++)
			if (!r->bugs.data[i].by && !!r->bugs.data[i].confirmed == confirmed)
				brief ? print_bug_short(&r->bugs.data[i]) : print_bug(&r->bugs.data[i]);
	for (size_t i = 0; i < r->bugs.size; i++)
		if (r->bugs.data[i].by)
			print_program_bug(&r->bugs.data[i]);
}

/* Of many files: that there are contracts, and where they are told. */
static void print_counts(const struct result *r)
{
	size_t contracts = r->contracts.size - count_accepted(r);
	if (contracts)
		printf("\n%zu contract%s: what callers owe, each with a call that breaks it and fails (all of them: -v; of a file: muster contracts FILE.c)\n", contracts, contracts == 1 ? "" : "s");
	if (r->uncalled.size)
		printf("%zu call%s of static functions that fail, and that none of their callers was seen to make: -v\n", r->uncalled.size, r->uncalled.size == 1 ? "" : "s");
}

/* What is asked of calls beside the contract, each with the functions of which it is. */
static void print_within(const struct result *r)
{
	for (size_t i = 0; i < r->functions.size; i++) {
		const char *within = r->functions.data[i].within;
		size_t first = 0, count = 0;
		while (within && first < i && (!r->functions.data[first].within || strcmp(r->functions.data[first].within, within)))
			first++;
		if (!within || first < i)
			continue;
		printf("    %s%s:%s", color("\033[2m"), within, color("\033[0m"));
		for (size_t k = i; k < r->functions.size; k++)
			if (r->functions.data[k].within && !strcmp(r->functions.data[k].within, within) && count++ < WITHIN_NAMES)
				printf("%s %s", count > 1 ? "," : "", r->functions.data[k].name);
		if (count > WITHIN_NAMES)
			printf(" and %zu more", count - WITHIN_NAMES);
		printf("\n");
	}
}

void functions_print(const struct result *r, const struct functions_view *v)
{
	struct totals t = add_up(r);
	if (is_many(v))
		print_files(r, v);
	for (size_t i = 0, at = 0; i < v->file_count && !is_many(v); at += v->counts[i++]) {
		if (v->file_count > 1)
			printf("%s%s:\n", i ? "\n" : "", v->files[i]);
		print_table(r->functions.data + at, v->counts[i], v->verbose);
	}
	print_totals(r, &t, v->seconds);
	print_reuse(r);
	print_odd_runs(r, v->run_time);
	if ((t.verdicts[VERDICT_VERIFIED] || t.verdicts[VERDICT_GIVEN]) && v->file_count)
		print_scope(v);
	if (t.verdicts[VERDICT_GIVEN])
		printf("%sverified given: the same of all calls that keep the function's contract, and of no others%s\n", color("\033[2m"), color("\033[0m"));
	print_within(r);
	if (v->stats)
		checks_stats_print(r);
	print_bugs(r, is_many(v));
	if (is_many(v)) {
		print_counts(r);
		return;
	}
	print_contracts(r, v->verbose);
	print_uncalled(r);
}
