/* test.c: muster test: tests, bugs and verdicts for the functions of a C file, with no harness.
 *
 * Reads the command line, runs a session for each file that is named, prints the result. The exit
 * code is 1 if there are confirmed bugs. Without one it is 3 where something was left unlooked at:
 * a function that was not reached, or one whose budget ended before every branch was covered; else
 * 0.
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
#include "cmd/targets.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define FUNCTION_SECONDS 2 /* budget of a function, where --time leaves no more */
#define FUNCTION_RUNS 2000

static struct test_shared *shared;

/* ---------------------------------------------------------------- operands */

struct operand {
	char *file, *functions; /* functions: separated by commas, or NULL */
};
typedef VEC(struct operand) operand_list;

/* FILE or FILE:FUNCTION; several of one file are one session. */
static void add_operand(operand_list *list, const char *text)
{
	const char *colon = file_exists(text) ? NULL : strrchr(text, ':');
	char *file = colon ? mem_strndup(text, (size_t)(colon - text)) : mem_strdup(text);
	for (size_t i = 0; i < list->size; i++) {
		struct operand *o = &list->data[i];
		if (strcmp(o->file, file))
			continue;
		if (colon && o->functions) {
			char *more = mem_printf("%s,%s", o->functions, colon + 1);
			free(o->functions);
			o->functions = more;
		} else { /* the whole file */
			free(o->functions);
			o->functions = NULL;
		}
		free(file);
		return;
	}
	vec_push(list, (struct operand){file, colon ? mem_strdup(colon + 1) : NULL});
}

static void check_operands(const operand_list *list, const struct option_spec *spec,
			   const struct test_options *o)
{
	if (!list->size)
		option_usage(spec, "which file? muster test FILE.c");
	for (size_t i = 0; i < list->size; i++) {
		const struct operand *p = &list->data[i];
		if (!file_exists(p->file))
			die(EXIT_USAGE, "there is no file '%s'", p->file);
		if (file_is_dir(p->file))
			die(EXIT_USAGE,
			    "'%s' is a directory: name a .c file, or a program and one of its "
			    "functions",
			    p->file);
		if (!file_is_regular(p->file))
			die(EXIT_USAGE, "'%s' is no plain file: name a .c file", p->file);
		if (!file_is_c(p->file) && !p->functions && !o->entry)
			option_usage(spec, "which function of '%s'? Name it: %s:FUNCTION", p->file,
				     p->file);
	}
	if (o->out && list->size > 1)
		option_usage(spec, "-o takes what one file gives: name one file");
}

/* ------------------------------------------------------------------ results */

static int over(const struct test_options *o)
{
	(void)o;
	return shared->stop || deadline_over();
}

struct outcome {
	int bugs, inconclusive, cut;
};

static void look(const struct test_session *s, struct outcome *r)
{
	for (size_t i = 0; i < s->bugs.size; i++)
		r->bugs |= s->bugs.data[i].finding.bug.confirmed && !s->bugs.data[i].owed;
	r->bugs |= s->whole.bugs.size > 0;
	r->cut |= s->costs.late > 0;
	for (size_t i = 0; i < s->functions.size; i++) {
		const struct test_function *f = &s->functions.data[i];
		if (f->helper)
			continue;
		r->inconclusive |= f->verdict == TEST_UNREACHED ||
				   (f->verdict == TEST_PARTIAL && !f->result.ended);
		r->cut |= !f->searched && f->harness->number != UINT32_MAX && !f->lost;
		r->cut |= f->searched && f->result.stopped;
	}
}

static int run(const struct test_options *o, const operand_list *list)
{
	struct test_session **sessions = mem_zalloc((list->size + 1) * sizeof *sessions);
	size_t done = 0;
	struct outcome r = {0};
	int code = EXIT_OK, failed = 0;
	for (size_t i = 0; i < list->size && !failed && (!i || !over(o)); i++) {
		struct test_session *s = mem_zalloc(sizeof *s);
		sessions[done++] = s;
		s->o = o;
		s->file = list->data[i].file;
		s->function = list->data[i].functions;
		s->round.shared = shared;
		shared->next = 0;
		memset(shared->workers, 0, sizeof shared->workers);
		failed = test_session_run(s, &code);
		if (failed && code == EXIT_USAGE && !i)
			stop_give_up(error_text());
		if (failed && deadline_over()) { /* of a file that is not the first: what the others gave is reported */
			failed = 0;
			r.cut = 1;
		}
		if (failed && code == EXIT_USAGE)
			die(EXIT_USAGE, "%s", error_text());
		look(s, &r);
		r.cut |= i + 1 < list->size && over(o);
	}
	char *words = failed ? mem_strdup(error_text()) : NULL;
	double seconds = o->repeatable ? 0 : test_clock() - shared->started;
	const char *status = failed	    ? "failed"
			     : shared->stop ? "interrupted"
			     : r.cut	    ? "budget"
					    : "complete";
	for (size_t i = 0; i < done && !failed; i++)
		if (test_store_result(sessions[i], status))
			log_warn("the verdicts are not stored: %s", error_text());
	if (o->json)
		test_print_json(sessions, done, status, seconds);
	else if (!failed)
		test_print(sessions, done, seconds);
	if (failed)
		log_warn("%s", words);
	free(words);
	for (size_t i = 0; i < done; i++) {
		test_session_release(sessions[i]);
		free(sessions[i]);
	}
	free(sessions);
	return failed			 ? EXIT_INTERNAL
	       : r.bugs			 ? EXIT_FOUND
	       : r.inconclusive || r.cut ? EXIT_INCONCLUSIVE
					 : EXIT_OK;
}

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
    "  muster test buf.c --requires \"n <= len(p)\"     what callers promise\n\n"
    "verdicts: verified (every path was run and none fails, within the printed bounds), verified given (the same of calls that keep the contract), explored "
    "(every branch was covered), partial,\n"
    "unreached. What fails only for calls that break what callers owe (null, a length beyond the object) is a contract: a line for each cause, no\n"
    "bug. A bug of a function is reported with its scope: a caller may never pass such values. If there is a main, muster looks for an\n"
    "input of the whole program that fails there too.\n"
    "exit codes: 0 nothing found, 1 bugs found, 2 wrong usage or it does not compile, 3 nothing "
    "found, but a function was not reached or\n"
    "its budget ended before all its branches were covered";

static void check_numbers(const struct option_spec *spec, const struct test_options *o)
{
	if (strcmp(o->globals, "symbolic") && strcmp(o->globals, "initial"))
		option_usage(spec, "--globals takes symbolic or initial");
	if (o->workers > TEST_WORKERS)
		option_usage(spec, "-j takes 1 to %d", TEST_WORKERS);
	if (o->objects > DRIVE_OBJECTS)
		option_usage(spec, "--objects takes 1 to %d", DRIVE_OBJECTS);
	if (o->elements > 256 || o->characters > 256)
		option_usage(spec, "--elements and --characters take 1 to 256");
	if (o->run_time <= 0)
		option_usage(spec, "--run-time takes more than 0 seconds");
	if (o->function_time < 0 || o->seconds < 0 || o->path_time < 0 || o->main_time < 0)
		option_usage(spec, "a time is not negative");
}

static void release_operands(operand_list *list)
{
	for (size_t i = 0; i < list->size; i++) {
		free(list->data[i].file);
		free(list->data[i].functions);
	}
	vec_release(list);
}

/* What workers share, the deadline, and what a signal does. */
static void begin(struct test_options *o)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die(EXIT_INTERNAL, "no memory that workers share: %s", strerror(errno));
	shared->started = test_clock();
	if (deadline_open(o->seconds))
		die(EXIT_INTERNAL, "%s", error_text());
	stop_catch(&shared->stop);
	if (o->json)
		stop_json("test");
	signal(SIGPIPE, SIG_IGN);
	log_still = o->quiet;
	o->stop = &shared->stop;
}

/* What the options mean together. */
static void settle(const struct option_spec *spec, struct test_options *o, const struct check_options *check, const char *strategy, const char *report)
{
	if (o->requires.size) { /* a list that ends in NULL */
		const char **data = mem_zalloc(((size_t)o->requires.size + 1) * sizeof *data);
		memcpy(data, o->requires.data, (size_t)o->requires.size * sizeof *data);
		o->requires.data = data;
	}
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
	o->repeatable = o->seed && o->workers == 1;
	o->runs_given = o->runs != UINT64_MAX;
	o->function_time_given = o->function_time != -1;
	o->runs = o->runs_given ? o->runs : FUNCTION_RUNS;
	o->function_time = o->function_time_given ? o->function_time : FUNCTION_SECONDS;
	check_numbers(spec, o);
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
	    OPTION_FLAG("summaries", 0, &o.summaries, "make must summaries of the functions: see muster show summaries"),
	    OPTION_FLAG("segments", 0, &o.segments, "make summaries of their segments, too: from each loop to the next (with --summaries)"),
	    OPTION_U64("sample", 0, "N", &o.sample, "run N random states of each summary; a violated one is reported (with --summaries)"),
	    OPTION_FLAG("verbose", 'v', &o.verbose,
			"say of each function why its verdict is no better"),
	    OPTION_FLAG("json", 0, &o.json, "print the result as JSON"),
	    OPTION_FLAG("quiet", 'q', &o.quiet, "no progress"),
	    CONFINE_ROWS,
	    OPTION_END};
	const struct option_spec spec = {"test", "[options] FILE.c[:FUNCTION]... [-- CFLAGS]",
					 about, rows};
	operand_list list = {0};
	int at = 0;
	for (;;) {
		at += option_parse(&spec, argc - at, argv + at);
		if (at >= argc || !strcmp(argv[at - 1], "--"))
			break;
		add_operand(&list, argv[at]);
	}
	confine_apply(&spec);
	check_options_apply(&spec, &check);
	o.cflags = (const char *const *)argv + at;
	settle(&spec, &o, &check, strategy, report);
	check_operands(&list, &spec, &o);
	if (budget_set(o.memory, test_workers(&o)))
		option_usage(&spec, "%s", error_text());
	begin(&o);
	if (property && (list.size != 1 || list.data[0].functions || !file_is_c(list.data[0].file)))
		option_usage(&spec, "--testcomp takes one .c file");
	int code = property ? make_suite(&o, property, list.data[0].file) : run(&o, &list);
	release_operands(&list);
	return code;
}
