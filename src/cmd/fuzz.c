/* fuzz.c: muster fuzz: from a seed to inputs that reach new code.
 *
 * Reads the command line, runs the campaign (src/campaign), shows how it is doing and prints what it found.
 */
#include "cmd/fuzz.h"

#include "base/budget.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "campaign/summaries.h"
#include "cmd/check_options.h"
#include "cmd/cmd.h"
#include "cmd/confine.h"
#include "cmd/status.h"
#include "cmd/targets.h"
#include "search/ic_cut.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUMMARY_SHARE (1.0 / 3) /* of the time, with --summaries */

/* ------------------------------------------------------------------ status */

/* What the workers do: in words if it is one and the same, else how many do what. */
static void put_stage(char *out, size_t size, const struct fuzz_shared *shared, unsigned workers)
{
	static const char *const words[] = {
#define X(name, words, word) words,
	    FUZZ_STAGES(X)
#undef X
	};
	static const char *const word[] = {
#define X(name, words, word) word,
	    FUZZ_STAGES(X)
#undef X
	};
	unsigned count[FUZZ_STAGE_COUNT] = {0};
	size_t at = 0;
	for (unsigned i = 0; i < workers; i++)
		count[shared->workers[i].stage % FUZZ_STAGE_COUNT]++;
	out[0] = 0;
	for (unsigned k = 0; k < FUZZ_STAGE_COUNT && at < size; k++) {
		if (count[k] == workers)
			at += (size_t)snprintf(out + at, size - at, "%s", words[k]);
		else if (count[k])
			at += (size_t)snprintf(out + at, size - at, "%s%u %s", at ? ", " : "", count[k], word[k]);
	}
}

static void fill_status(struct status *s, const struct fuzz_shared *shared, unsigned workers, double limit)
{
	double now = fuzz_clock(), last = shared->started;
	memset(s, 0, sizeof *s);
	for (unsigned i = 0; i < workers; i++) {
		const struct fuzz_figures *w = &shared->workers[i];
		s->runs += w->search.runs;
		s->tests += w->tests + w->before.tests;
		s->bugs += w->bugs + w->before.bugs;
		s->hangs += w->hangs + w->before.hangs;
		s->suspected += w->suspected + w->before.suspected;
		s->frontier += w->frontier;
		s->covered = w->covered > s->covered ? w->covered : s->covered;
		s->total = w->total > s->total ? w->total : s->total;
		s->files += w->files;
		s->cycles += w->search.cycles;
		s->rerun += w->search.rerun;
		s->unstable += w->search.unstable;
		last = w->last_new > last ? w->last_new : last;
	}
	s->workers = workers;
	put_stage(s->stage, sizeof s->stage, shared, workers);
	s->limit = limit;
	s->seconds = now - shared->started;
	s->since_new = now - last;
}

static void show(void *ctx, const struct fuzz_shared *shared, unsigned workers)
{
	const struct fuzz_options *o = ctx;
	struct status s;
	fill_status(&s, shared, workers, o->seconds);
	status_update(&s);
}

static void end_show(void *ctx)
{
	(void)ctx;
	status_end();
}

/* -------------------------------------------------------------- the result */

/* The result stands in the store; there may be no room to write any more. error: or NULL. */
static int report(const struct fuzz *f, const char *error)
{
	struct store *store;
	char *path = fuzz_store_path(f->o);
	int code = EXIT_INTERNAL;
	if (f->shared->campaign && !store_open(&store, path, STORE_READ_ONLY)) {
		code = fuzz_report(f, store, error ? "failed" : campaign_status(f));
		store_close(store);
	} else if (!error) {
		error = error_text();
	}
	if (error) {
		log_warn("%s", error);
		code = EXIT_INTERNAL;
	}
	free(path);
	return code;
}

/* When the search is over, unless the user ended it. */
static void summarise(struct fuzz *f)
{
	struct campaign_summarised s;

	if (!f->o->summaries || !f->shared->campaign || deadline_stopped())
		return;
	if (deadline_open(f->o->seconds * SUMMARY_SHARE) || campaign_summarise(f, &s))
		log_warn("no summaries: %s", error_text());
	else
		log_info("%llu summaries of %llu functions, %llu of them partial, from %llu tests; nothing was made of %llu that fail", (unsigned long long)s.summaries, (unsigned long long)s.functions,
			 (unsigned long long)s.partial, (unsigned long long)s.tests, (unsigned long long)s.failing);
}

static int run(struct fuzz *f)
{
	struct campaign_screen screen = {.ctx = (void *)f->o, .show = show, .end = end_show, .words = isatty(2)};
	char *error = campaign_run(f, &screen) ? mem_strdup(error_text()) : NULL;
	if (!f->shared->workers[0].opened && (error || deadline_over()))
		stop_give_up(error ? error : "");
	if (!error)
		summarise(f);
	int code = report(f, error);
	free(error);
	return code;
}

static const char about[] =
    "Runs a program on inputs and finds new ones: branches of each run are negated and solved for "
    "inputs that take the other\n"
    "direction, and inputs are mutated, whichever pays. PROGRAM is built with muster cc (or is a single "
    ".c file); @@ in its arguments\n"
    "stands for the input's file, without it the input comes on standard input. A program with "
    "LLVMFuzzerTestOneInput\n"
    "needs no arguments. What is found is in DIR: queue/ (inputs that cover something new), "
    "crashes/, hangs/, as plain\n"
    "files. The same command goes on where it stopped. Ctrl-C ends it and loses nothing.\n\n"
    "  muster fuzz -i seeds -o out -- ./prog @@\n"
    "  muster fuzz --time 60 -j 2 -- ./harness\n"
    "  muster fuzz -o sync -S muster1 -- ./prog @@        beside afl-fuzz -o sync -M main ...";

/* What is wrong with a single option. */
static void check_given(const struct option_spec *spec, const struct fuzz_options *o)
{
	if (!o->workers || o->workers > FUZZ_WORKERS)
		option_usage(spec, "-j takes 1 to %d", FUZZ_WORKERS);
	if (o->seeds && !file_exists(o->seeds))
		option_usage(spec, "there are no seeds '%s': name a directory or a file with -i, or leave it out", o->seeds);
	if (o->seeds && !file_is_dir(o->seeds) && !file_is_regular(o->seeds))
		option_usage(spec, "the seeds '%s' are neither a directory nor a plain file", o->seeds);
	if (o->run_time <= 0) /* a run without a limit could hang for ever, and the search with it */
		option_usage(spec, "--run-time takes more than 0 seconds");
	if (o->dictionary && !file_exists(o->dictionary))
		option_usage(spec, "there is no dictionary '%s'", o->dictionary);
}

int cmd_fuzz(int argc, char **argv)
{
	static struct fuzz_options o = FUZZ_DEFAULTS;
	static struct fuzz f;
	static struct check_options check;
	static const char *strategy = "auto", *ic_config;
	static double ic_seconds;
	static double function_limit, recheck;
	static int no_optimistic, no_z3;
	const struct option_row rows[] = {
	    OPTION_STR("input", 'i', "SEEDS", &o.seeds,
		       "a directory of inputs to start from, or one file"),
	    OPTION_STR("output", 'o', "DIR", &o.out, "where to put what is found (muster-out)"),
	    OPTION_DOUBLE("time", 't', "S", &o.seconds, "end after S seconds, building included (0: never)"),
	    OPTION_U64("runs", 0, "N", &o.runs, "stop after N executions (0: never)"),
	    OPTION_U64("workers", 'j', "N", &o.workers, "processes that search (1)"),
	    OPTION_U64(
		"seed", 0, "N", &o.seed,
		"of all random choices; with --runs and -j1 a search is repeatable to the byte"),
	    OPTION_STR("dict", 'x', "FILE", &o.dictionary,
		       "words to try, in AFL's and libFuzzer's format"),
	    OPTION_STR("secondary", 'S', "NAME", &o.secondary,
		       "join the AFL++ campaign whose sync directory is DIR"),
	    OPTION_FLAG("fresh", 0, &o.fresh, "in a new directory: take nothing over from a search of another build of the program"),
	    OPTION_FLAG("until-bug", 0, &o.until_bug, "end with the first bug that is confirmed"),
	    OPTION_FLAG("no-mutate", 0, &o.no_mutate, "negate and solve only"),
	    OPTION_FLAG("no-invariants", 0, &o.search.no_invariants, "ask for nothing by the invariants of loops"),
	    OPTION_FLAG("one-generation", 0, &o.search.one_generation, "negate the paths of the seeds, not those of their children"),
	    OPTION_FLAG("summaries", 0, &o.summaries, "then make must summaries of the functions that its tests call (a third of the time): see muster show summaries"),
	    OPTION_FLAG("no-shrink", 0, &o.no_shrink, "keep inputs of bugs as they were found"),
	    OPTION_DOUBLE("run-time", 0, "S", &o.run_time,
			  "seconds of processor time that one run may take, or wait (1)"),
	    TARGET_MEM_ROW(&o.target),
	    MEMORY_ROW(&o.memory),
	    OPTION_STR("strategy", 0, "NAME", &strategy, "how paths are searched: auto (the default: generational, and IC-Cut beside it where functions that are called decide something), generational, compositional, ic-cut"),
	    OPTION_STR("ic-cut-config", 0, "LETTER", &ic_config, "IC-Cut as one of the configurations A to G (E); F is generational search"),
	    OPTION_DOUBLE("ic-cut-time", 0, "S", &ic_seconds, "seconds of processor time that IC-Cut explores one function (10; beside generational search 2)"),
	    CHECK_ROWS(&check),
	    OPTION_U64("max-input", 0, "BYTES", &o.search.max_input, "largest input to make (1M)"),
	    OPTION_U64("flip-limit", 0, "N", &o.search.flip_limit,
		       "negate a branch instruction at most N times"),
	    OPTION_FLAG(
		"subsume", 0, &o.search.subsume,
		"of constraints of a loop that imply each other, negate the strongest only"),
	    OPTION_FLAG("skip", 0, &o.search.skip, "with --subsume: negate none of them"),
	    OPTION_DOUBLE("function-time", 0, "S", &function_limit,
			  "spend at most S seconds on the branches of one function"),
	    OPTION_FLAG("no-optimistic", 0, &no_optimistic,
			"never try answers that leave constraints out"),
	    OPTION_FLAG("no-z3", 0, &no_z3, "leave Z3 out"),
	    OPTION_DOUBLE("recheck", 0, "SHARE", &recheck,
			  "ask Z3 for a second opinion on this share (0 to 1) of the answers 'no'"),
	    OPTION_STR("dump-queries", 0, "DIR", &o.dump_queries,
		       "write each distinct query there as SMT-LIB"),
	    OPTION_STR("store", 0, "FILE", &o.store, "the store (.muster/store.db)"),
	    OPTION_FLAG("json", 0, &o.json, "print the result as JSON"),
	    OPTION_FLAG("quiet", 'q', &o.quiet, "no progress"),
	    CONFINE_ROWS,
	    OPTION_END};
	const struct option_spec spec = {"fuzz", "[options] -- PROGRAM [ARGUMENTS]", about, rows};
	int at = option_parse(&spec, argc, argv);
	confine_apply(&spec);
	if (at >= argc)
		option_usage(&spec, "which program? Name it after --");
	check_given(&spec, &o);
	if (recheck < 0 || recheck > 1 || (recheck > 0 && no_z3))
		option_usage(&spec, recheck > 0 && no_z3 ? "--recheck asks Z3, which --no-z3 leaves out" : "--recheck takes a share between 0 and 1");
	if (budget_set(o.memory, (unsigned)o.workers))
		option_usage(&spec, "%s", error_text());
	check_options_apply(&spec, &check);
	o.search.checks = check.set;
	o.search.combine = check.combine;
	if (search_kind_parse(strategy, &o.search.kind))
		option_usage(&spec, "--strategy: %s", error_text());
	if ((ic_config || o.search.kind == KIND_IC_CUT) && ic_config_apply(ic_config ? ic_config : "E", ic_seconds, &o.search))
		option_usage(&spec, "--ic-cut-config: %s", error_text());
	if (o.search.kind == KIND_AUTO)
		ic_auto_apply(ic_seconds, &o.search);
	o.stats = check.stats;
	o.search.function_limit = function_limit;
	o.search.solve.no_optimistic = no_optimistic;
	o.search.solve.no_z3 = no_z3;
	o.search.solve.recheck = recheck;
	campaign_complete(&o);
	if (campaign_open(&f, &o, argv + at))
		stop_give_up(error_text());
	if (o.search.ic_shares)
		ic_auto_fit(campaign_records(&f), &o.search);
	if (deadline_open(o.summaries ? o.seconds - o.seconds * SUMMARY_SHARE : o.seconds))
		die(EXIT_INTERNAL, "%s", error_text());
	stop_catch(&f.shared->stop);
	log_still = o.quiet;
	if (o.json)
		stop_json("fuzz");
	char *folder = o.secondary ? file_join(o.out, o.secondary) : mem_strdup(o.out);
	status_begin(o.quiet || o.json ? STATUS_QUIET : STATUS_AUTO, f.command, folder);
	free(folder);
	int code = run(&f);
	campaign_close(&f);
	return code;
}
