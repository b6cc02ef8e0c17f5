/* test.c: muster test: tests, bugs and verdicts for the functions of a C file, with no harness.
 *
 * Reads the command line, runs a session for each file that is named (sessions.h), prints the result.
 */
#include "unit/unit.h"

#include "base/budget.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "campaign/suite.h"
#include "cmd/check_options.h"
#include "cmd/cmd.h"
#include "cmd/confine.h"
#include "cmd/sessions.h"
#include "cmd/targets.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ------------------------------------------------------------------- suite */

static int make_suite(const struct test_options *o, const char *property, const char *file)
{
	struct suite_options s = {.property = property,
				  .file = file,
				  .dir = o->out ? o->out : "test-suite",
				  .cflags = o->cflags,
				  .seconds = o->seconds,
				  .run_time = o->run_time,
				  .workers = o->workers,
				  .seed = o->seed,
				  .checks = o->checks,
				  .combine = o->combine,
				  .stop = o->stop};
	struct suite_result r;
	if (suite_make(&s, &r))
		die(r.code, "%s", error_text());
	if (!o->quiet)
		printf("%u tests in %s%s\n", r.tests, s.dir, !r.of_call ? "" : r.errors ? ", one reaches the call" : ", none reaches the call");
	if (r.code == EXIT_USAGE || r.code == EXIT_INTERNAL)
		return r.code;
	return r.errors ? EXIT_FOUND : r.of_call ? EXIT_INCONCLUSIVE : EXIT_OK;
}

/* ----------------------------------------------------------------- command */

static const char about[] =
    "Calls each function of a C file with values for its parameters, what they point to and the "
    "globals it reads, until every path was\n"
    "run or a budget ends, and says what it found: tests, bugs with the call that shows them, "
    "functions without any. No harness, no\n"
    "main is needed. Without FUNCTION all functions of the file are driven, those that call no "
    "others first. Arguments after -- go to the\n"
    "compiler.\n\n"
    "  muster test list.c                      every function of list.c\n"
    "  muster test list.c:insert -- -Iinclude  one function\n"
    "  muster test ./prog:parse_header         a function of a program built with muster cc\n"
    "  muster test src                         all files that src/compile_commands.json names; without one all .c files below src\n"
    "  muster test buf.c --requires \"n <= len(p)\"     what callers promise\n\n"
    "verdicts: verified (every path was run and none fails, within the printed bounds), verified given (the same of calls that keep the contract), explored "
    "(every branch was covered), partial,\n"
    "unreached. What fails only for calls that break what callers owe (null, a length beyond the object) is a contract: a line for each cause, no\n"
    "bug. A bug of a function is reported with its scope: a caller may never pass such values. If there is a main, muster looks for an\n"
    "input of the whole program that fails there too.\n"
    "exit codes: 0 nothing found, 1 bugs found, 2 wrong usage or it does not compile, 3 nothing "
    "found, but a function was not reached or\n"
    "its budget ended before all its branches were covered";

static void print(struct test_session *const *all, size_t count, struct sessions_end *end, void *ctx)
{
	(void)ctx;
	if (all[0]->o->json)
		test_print_json(all, count, end->status, end->seconds);
	else if (!end->failed)
		test_print(all, count, end->seconds);
}

/* What the options mean together. */
static void settle(const struct option_spec *spec, struct test_options *o, const struct check_options *check, const char *strategy, const char *report)
{
	sessions_requires(o);
	o->checks = check->set;
	o->combine = check->combine;
	o->stats = check->stats;
	if (strcmp(report, "contracts") && strcmp(report, "all"))
		option_usage(spec, "--report, or MUSTER_TEST_REPORT, takes contracts or all");
	o->report_all = !strcmp(report, "all");
	if (search_kind_parse(strategy, &o->kind))
		option_usage(spec, "--strategy: %s", error_text());
	if (o->kind == KIND_IC_CUT)
		option_usage(spec, "--strategy ic-cut explores whole programs: use muster fuzz");
	sessions_budgets(o);
	sessions_check_numbers(spec, o);
}

int cmd_test(int argc, char **argv)
{
	static struct check_options check;
	static const char *property, *strategy = "auto", *report;
	static struct test_options o = {.globals = "symbolic",
					.function_time = -1,
					.runs = UINT64_MAX,
					.path_time = 0.3,
					.path_runs = 300,
					.run_time = 0.25,
					.main_time = 2};
	report = getenv("MUSTER_TEST_REPORT") ? getenv("MUSTER_TEST_REPORT") : "contracts";
	const struct option_row rows[] = {
	    OPTION_STR("entry", 'e', "F", &o.entry,
		       "drive F only, as the program's own start: no caller restricts it"),
	    OPTION_STR("globals", 0, "HOW", &o.globals,
		       "symbolic: any values (the default); initial: as initialised"),
	    OPTION_LIST("requires", 'r', "EXPR", &o.requires,
			"a precondition in C, \"n <= len(buf)\", for every function that has the "
			"names; \"F: EXPR\" for one"),
	    OPTION_U64("elements", 0, "N", &o.elements,
		       "elements of an object that a pointer points to, at most (8)"),
	    OPTION_U64("characters", 0, "N", &o.characters, "room of a string (16)"),
	    OPTION_U64("objects", 0, "N", &o.objects, "objects of one type (3)"),
	    OPTION_DOUBLE("time", 't', "S", &o.seconds, "end after S seconds, building included; functions share them (0: no limit)"),
	    OPTION_DOUBLE("function-time", 0, "S", &o.function_time,
			  "seconds for one function (2)"),
	    OPTION_U64("runs", 0, "N", &o.runs, "inputs of one function (2000)"),
	    OPTION_DOUBLE("path-time", 0, "S", &o.path_time,
			  "seconds for the remaining paths of a function whose branches are all "
			  "covered (0.3)"),
	    OPTION_U64("path-runs", 0, "N", &o.path_runs, "inputs likewise (300)"),
	    OPTION_DOUBLE("run-time", 0, "S", &o.run_time, "seconds of processor time that one call may take, or wait (0.25)"),
	    OPTION_DOUBLE("main-time", 0, "S", &o.main_time,
			  "seconds to look for an input of the whole program that shows a function's bug (2; 0: do not)"),
	    OPTION_STR("strategy", 0, "NAME", &strategy, "how paths are searched: auto (the default), generational, compositional"),
	    OPTION_STR("report", 0, "WHAT", &report,
		       "contracts: what only calls fail on that break what callers owe is one line for each cause (the default); all: every finding is a bug"),
	    OPTION_STR("contracts", 0, "FILE", &o.contracts, "accepted contracts (muster.contracts beside the source); none: do without"),
	    CHECK_ROWS(&check),
	    OPTION_U64("workers", 'j', "N", &o.workers,
		       "processes that search (as many as there are processors)"),
	    OPTION_U64(
		"seed", 0, "N", &o.seed,
		"of all random choices; with -j1 a run is repeatable, and no time limits it"),
	    MEMORY_ROW(&o.memory),
	    OPTION_STR("output", 'o', "DIR", &o.out, "where inputs of bugs go (.muster/test/FILE)"),
	    OPTION_STR("store", 0, "FILE", &o.store, "the store (.muster/store.db)"),
	    OPTION_STR("testcomp", 0, "PROPERTY", &property,
		       "a whole program with __VERIFIER_nondet functions: write a suite of "
		       "Test-Comp to test-suite/ (-o)"),
	    OPTION_FLAG("fresh", 0, &o.fresh, "search every function, also those that rest on nothing that changed since an earlier run"),
	    OPTION_FLAG("no-grow", 0, &o.no_grow, "keep to --elements and --characters where branches are left beyond them"),
	    OPTION_FLAG("no-invariants", 0, &o.no_invariants, "ask for nothing by the invariants of loops"),
	    OPTION_FLAG("summaries", 0, &o.summaries, "make must summaries of the functions (a third of --time): see muster show summaries"),
	    OPTION_FLAG("segments", 0, &o.segments, "make summaries of their segments, too: from each loop to the next (with --summaries)"),
	    OPTION_U64("sample", 0, "N", &o.sample, "run N random states of each summary; a violated one is reported (with --summaries)"),
	    OPTION_FLAG("verbose", 'v', &o.verbose,
			"say of each function why its verdict is no better"),
	    OPTION_FLAG("json", 0, &o.json, "print the result as JSON"),
	    OPTION_FLAG("quiet", 'q', &o.quiet, "no progress"),
	    CONFINE_ROWS,
	    OPTION_END};
	const struct option_spec spec = {"test", "[options] FILE.c[:FUNCTION]|DIRECTORY... [-- CFLAGS]",
					 about, rows};
	struct sessions_operands list = {0};
	int at = 0;
	for (;;) {
		at += option_parse(&spec, argc - at, argv + at);
		if (at >= argc || !strcmp(argv[at - 1], "--"))
			break;
		sessions_operand(&list, argv[at]);
	}
	confine_apply(&spec);
	check_options_apply(&spec, &check);
	o.cflags = (const char *const *)argv + at;
	settle(&spec, &o, &check, strategy, report);
	sessions_check(&list, &spec, &o);
	if (budget_set(o.memory, test_workers(&o)))
		option_usage(&spec, "%s", error_text());
	sessions_begin(&o, "test");
	if (property && (list.all.size != 1 || list.all.data[0].functions || !file_is_c(list.all.data[0].file)))
		option_usage(&spec, "--testcomp takes one .c file");
	int code = property ? make_suite(&o, property, list.all.data[0].file) : sessions_run(&o, &list, print, NULL);
	sessions_operands_release(&list);
	return code;
}
