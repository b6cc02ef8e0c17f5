/* fuzz.c: muster fuzz: from a seed to inputs that reach new code.
 *
 * Reads the command line, makes the variants once, starts the workers and shows how
 * they are doing. The workers' finds are in the store and the output directory at every moment;
 * the same command goes on where an earlier one stopped, for whatever reason it did.
 */
#include "campaign/campaign.h"

#include "base/budget.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/shell.h"
#include "base/stop.h"
#include "cmd/check_options.h"
#include "cmd/cmd.h"
#include "cmd/confine.h"
#include "cmd/status.h"
#include "cmd/targets.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct fuzz_shared *shared;
static double limit; /* seconds of the command, for the display */

/* ------------------------------------------------------------------ status */

/* What the workers do: in words if it is one and the same, else how many do what. */
static void put_stage(char *out, size_t size, unsigned workers)
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

static void fill_status(struct status *s, unsigned workers)
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
	put_stage(s->stage, sizeof s->stage, workers);
	s->limit = limit;
	s->seconds = now - shared->started;
	s->since_new = now - last;
}

/* ----------------------------------------------------------------- workers */

static int work(struct fuzz *f)
{
	int r = (f->o->workers > 1 && fuzz_open_targets(f)) || fuzz_open(f) ? -1 : 0;
	f->figures->opened = !r;
	if (!r)
		r = fuzz_seed(f);
	if (!r)
		r = fuzz_loop(f);
	if (r)
		snprintf(f->figures->error, sizeof f->figures->error, "%s", error_text());
	return r;
}

/* Even one worker is a process of its own: whatever it computes when the time is over, the supervisor is there to end it and to report.
 * Where a screen is shown, the supervisor prints what workers say. */
static pid_t start_worker(struct fuzz *f, unsigned number, const int words[2])
{
	pid_t parent = getpid(), pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_INTERNAL);
	if (words[1] >= 0)
		dup2(words[1], 2);
	log_aside = NULL;
	f->number = number;
	f->figures = &shared->workers[number];
	int r = work(f);
	fuzz_close(f);
	file_exit_child(r ? EXIT_INTERNAL : EXIT_OK);
}

static int all_ended(unsigned workers)
{
	for (unsigned i = 0; i < workers; i++)
		if (!shared->workers[i].ended)
			return 0;
	return 1;
}

struct crew {
	unsigned count, alive;
	pid_t pids[FUZZ_WORKERS];
	int words[2]; /* a pipe: what they say on standard error; -1 without a screen */
};

static void start_all(struct fuzz *f, struct crew *c)
{
	c->words[0] = c->words[1] = -1;
	if (isatty(2) && pipe2(c->words, O_CLOEXEC | O_NONBLOCK))
		die(EXIT_INTERNAL, "cannot make a pipe: %s", strerror(errno));
	fflush(NULL);
	for (unsigned i = 0; i < c->count; i++, c->alive++)
		if ((c->pids[i] = start_worker(f, i, c->words)) < 0)
			die(EXIT_INTERNAL, "cannot start a worker: %s", strerror(errno));
}

static void pass_words(const struct crew *c)
{
	char text[4096];
	ssize_t n;
	while (c->words[0] >= 0 && (n = read(c->words[0], text, sizeof text)) > 0) {
		if (log_aside)
			log_aside();
		fwrite(text, 1, (size_t)n, stderr);
	}
}

/* Gives whether somebody went. A worker that fails ends the search: its words are the result. One that the deadline ended lost nothing that
 * it told. */
static int reap(struct crew *c, int killed)
{
	int any = 0;
	for (unsigned i = 0; i < c->count; i++) {
		int status;
		if (c->pids[i] <= 0 || waitpid(c->pids[i], &status, WNOHANG) <= 0)
			continue;
		c->pids[i] = 0;
		c->alive--;
		any = 1;
		if (WIFSIGNALED(status) && !shared->stop && !killed)
			snprintf(shared->workers[0].error, sizeof shared->workers[0].error,
				 "a worker was killed by signal %d (no memory left?): the same command goes on",
				 WTERMSIG(status));
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			shared->stop = 1;
	}
	return any;
}

/* Until every worker is gone. */
static void supervise(struct crew *c)
{
	double next = 0, idle_since = 0;
	int killed = 0;
	while (c->alive) {
		struct pollfd p = {c->words[0], POLLIN, 0};
		struct status s;
		poll(&p, 1, 10);
		pass_words(c);
		if (!killed && deadline_killed()) {
			killed = 1;
			for (unsigned i = 0; i < c->count; i++)
				if (c->pids[i] > 0) {
					kill(c->pids[i], SIGKILL);
					shared->workers[i].ended = shared->workers[i].exhausted = 0;
				}
		}
		if (reap(c, killed))
			continue;
		double now = fuzz_clock();
		idle_since = !all_ended(c->count) ? 0 : idle_since > 0 ? idle_since : now;
		if (c->count > 1 && idle_since > 0 && now - idle_since > 0.5)
			shared->stop = 1;
		if (now < next)
			continue;
		next = now + 0.1;
		fill_status(&s, c->count);
		status_update(&s);
	}
	pass_words(c);
}

static const char *first_error(unsigned workers)
{
	for (unsigned i = 0; i < workers; i++)
		if (shared->workers[i].error[0])
			return shared->workers[i].error;
	return NULL;
}

/* -------------------------------------------------------------- the result */

static const char *outcome(const struct fuzz_options *o, unsigned workers)
{
	int exhausted = 1;
	for (unsigned i = 0; i < workers; i++)
		exhausted &= shared->workers[i].ended;
	if (exhausted)
		return "complete";
	uint64_t runs = 0, bugs = 0;
	for (unsigned i = 0; i < workers; i++) {
		runs += shared->workers[i].search.runs;
		bugs += shared->workers[i].bugs;
	}
	if (deadline_stopped())
		return "interrupted";
	if ((o->until_bug && bugs) || deadline_over() || (o->runs && runs + workers >= o->runs))
		return "budget";
	return "interrupted";
}

/* What has to be there once, before several ask for it at once: variants in the cache, the campaign in the store; what workers of a search
 * that was killed hold is free again. */
static void prepare(struct fuzz *f)
{
	if (fuzz_try_files(f))
		stop_give_up(error_text());
	if (f->o->workers == 1) {
		if (fuzz_open_targets(f))
			stop_give_up(error_text());
		return;
	}
	static const enum variant_kind kinds[] = {VARIANT_COV, VARIANT_TRACE};
	for (unsigned i = 0; i < 2; i++) {
		struct variant v;
		if (variant_make(f->program, kinds[i], &v))
			stop_give_up(error_text());
		variant_release(&v);
	}
	struct fuzz first = *f;
	if (fuzz_open_store(&first) || store_frontier_release(first.store, first.campaign, 0) || fuzz_count_pending(&first))
		die(EXIT_USAGE, "%s", error_text());
	fuzz_close(&first);
}

/* Only a search that lost nothing makes the claim that this is about. */
static void fill(struct fuzz *f)
{
	struct store *store;
	char *path = fuzz_store_path(f->o);
	int claims = shared->campaign != 0;
	for (uint64_t i = 0; i < f->o->workers; i++)
		claims &= shared->workers[i].ended && shared->workers[i].exhausted;
	if (claims && !store_open(&store, path, STORE_READ_ONLY)) {
		fuzz_fill(f, store, &shared->filled);
		store_close(store);
	}
	free(path);
}

/* The result stands in the store; there may be no room to write any more. */
static int report(struct fuzz *f, const char *error)
{
	unsigned workers = (unsigned)f->o->workers;
	struct store *store;
	char *path = fuzz_store_path(f->o);
	int code = EXIT_INTERNAL;
	if (!shared->workers[0].opened && (error || deadline_over()))
		stop_give_up(error ? error : "");
	if (!shared->campaign)
		error = error ? error : "the search did not begin"; /* and who was to begin it has said why */
	const char *status = error ? "failed" : outcome(f->o, workers);
	if (!error)
		fuzz_store_result(f->o, shared, workers, status);
	if (shared->campaign && !store_open(&store, path, STORE_READ_ONLY)) {
		code = fuzz_report(f->o, store, shared->campaign, shared, workers, status, f->command, f->program);
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

static int run(struct fuzz *f)
{
	struct crew c = {.count = (unsigned)f->o->workers};
	prepare(f);
	start_all(f, &c);
	supervise(&c);
	status_end();
	if (!first_error(c.count))
		fill(f);
	deadline_phase(DEADLINE_REPORT);
	int code = report(f, first_error(c.count));
	fuzz_release_targets(f);
	return code;
}

static char *command_line(char *const *argv)
{
	struct buf b = {0};
	for (int i = 0; argv[i]; i++) {
		if (i)
			buf_addc(&b, ' ');
		shell_word(&b, argv[i]);
	}
	return buf_take(&b);
}

static const char about[] =
    "Runs a program on inputs and finds new ones: branches of each run are negated and solved for "
    "inputs that go the other\n"
    "way, and inputs are mutated, whichever pays. PROGRAM is built with muster cc (or is a single "
    ".c file); @@ in its arguments\n"
    "stands for the input's file, without it the input comes on standard input. A program with "
    "LLVMFuzzerTestOneInput\n"
    "needs no arguments. What is found is in DIR: queue/ (inputs that cover something new), "
    "crashes/, hangs/, as plain\n"
    "files. The same command goes on where it stopped. Ctrl-C ends it and loses nothing.\n\n"
    "  muster fuzz -i seeds -o out -- ./prog @@\n"
    "  muster fuzz --time 60 -j 2 -- ./harness\n"
    "  muster fuzz -o sync -S muster1 -- ./prog @@        beside afl-fuzz -o sync -M main ...";

int cmd_fuzz(int argc, char **argv)
{
	static struct fuzz_options o = {
	    .out = "muster-out", .workers = 1, .run_time = 1, .target = TARGET_DEFAULTS};
	static struct check_options check;
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
	    OPTION_FLAG("until-bug", 0, &o.until_bug, "end with the first bug that is confirmed"),
	    OPTION_FLAG("no-mutate", 0, &o.no_mutate, "negate and solve only"),
	    OPTION_FLAG("no-invariants", 0, &o.search.no_invariants, "ask for nothing by the invariants of loops"),
	    OPTION_FLAG("one-generation", 0, &o.search.one_generation, "negate the paths of the seeds, not those of their children"),
	    OPTION_FLAG("no-shrink", 0, &o.no_shrink, "keep inputs of bugs as they were found"),
	    OPTION_DOUBLE("run-time", 0, "S", &o.run_time,
			  "seconds of processor time that one run may take, or wait (1)"),
	    TARGET_MEM_ROW(&o.target),
	    MEMORY_ROW(&o.memory),
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
	if (!o.workers || o.workers > FUZZ_WORKERS)
		option_usage(&spec, "-j takes 1 to %d", FUZZ_WORKERS);
	if (o.seeds && !file_exists(o.seeds))
		option_usage(&spec, "there are no seeds '%s': name a directory or a file with -i, or leave it out", o.seeds);
	if (o.seeds && !file_is_dir(o.seeds) && !file_is_regular(o.seeds))
		option_usage(&spec, "the seeds '%s' are neither a directory nor a plain file", o.seeds);
	if (o.run_time <= 0) /* a run without a limit could hang for ever, and the search with it */
		option_usage(&spec, "--run-time takes more than 0 seconds");
	if (recheck < 0 || recheck > 1 || (recheck > 0 && no_z3))
		option_usage(&spec, recheck > 0 && no_z3 ? "--recheck asks Z3, which --no-z3 leaves out" : "--recheck takes a share between 0 and 1");
	if (o.dictionary && !file_exists(o.dictionary))
		option_usage(&spec, "there is no dictionary '%s'", o.dictionary);
	if (budget_set(o.memory, (unsigned)o.workers))
		option_usage(&spec, "%s", error_text());
	check_options_apply(&spec, &check);
	o.search.checks = check.set;
	o.search.combine = check.combine;
	o.stats = check.stats;
	o.search.repeatable = o.seed && o.runs && o.workers == 1;
	o.search.function_limit = function_limit;
	o.search.solve.no_optimistic = no_optimistic;
	o.search.solve.no_z3 = no_z3;
	o.search.solve.recheck = recheck;
	if (!o.search.max_input)
		o.search.max_input = 1 << 20;
	if (!o.search.repeatable)
		o.search.solve.seconds = 0.5;
	if (!o.seed)
		o.seed = (uint64_t)time(NULL) ^ (uint64_t)getpid() << 32;
	shared =
	    mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die(EXIT_INTERNAL, "no memory for the workers' figures: %s", strerror(errno));
	struct fuzz f = {.o = &o, .argv = argv + at, .shared = shared};
	f.program = targets_program(argv[at]);
	f.command = command_line(argv + at);
	shared->started = fuzz_clock();
	limit = o.seconds;
	o.search.solve.stop = &shared->stop;
	if (deadline_open(o.seconds))
		die(EXIT_INTERNAL, "%s", error_text());
	stop_catch(&shared->stop);
	log_still = o.quiet;
	if (o.json)
		stop_json("fuzz");
	char *folder = o.secondary ? file_join(o.out, o.secondary) : mem_strdup(o.out);
	status_begin(o.quiet || o.json ? STATUS_QUIET : STATUS_AUTO, f.command, folder);
	free(folder);
	int code = run(&f);
	free(f.program);
	free(f.command);
	return code;
}
