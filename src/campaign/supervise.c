/* supervise.c: a campaign from its options to its result, without a command line.
 *
 * Makes the variants once, starts the workers and watches them. Even one worker is a process of its own: whatever it computes when the
 * time is over, the supervisor is there to end it and to report. A worker that fails ends the search: its words are the result. What the
 * workers found is in the store and the output directory at every moment; the same campaign goes on where an earlier one stopped, for
 * whatever reason it did.
 *
 * campaign_alone is all of this in a process of its own, for others who need a search beside what they do: LLVM may abort, and a search
 * has a deadline, signals and memory of its own.
 */
#include "base/budget.h"
#include "base/deadline.h"
#include "base/elf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/shell.h"
#include "base/stop.h"
#include "build/cache.h"
#include "build/home.h"
#include "build/record.h"
#include "campaign/campaign.h"

#include <errno.h>
#include <fcntl.h>
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

struct crew {
	struct fuzz *f;
	const struct campaign_screen *screen; /* NULL: none */
	unsigned count, alive;
	pid_t pids[FUZZ_WORKERS];
	int words[2]; /* a pipe: what they say on standard error; -1 without a screen */
};

/* Where a screen is shown, the supervisor prints what workers say. */
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
	f->figures = &f->shared->workers[number];
	int r = work(f);
	fuzz_close(f);
	file_exit_child(r ? EXIT_INTERNAL : EXIT_OK);
}

static void start_all(struct crew *c)
{
	struct fuzz_shared *shared = c->f->shared;
	c->words[0] = c->words[1] = -1;
	if (c->screen && c->screen->words && pipe2(c->words, O_CLOEXEC | O_NONBLOCK))
		c->words[0] = c->words[1] = -1; /* then they print for themselves */
	fflush(NULL);
	for (unsigned i = 0; i < c->count; i++, c->alive++)
		if ((c->pids[i] = start_worker(c->f, i, c->words)) < 0) {
			snprintf(shared->workers[i].error, sizeof shared->workers[i].error, "cannot start a worker: %s", strerror(errno));
			shared->stop = 1;
			return;
		}
}

static int all_ended(const struct crew *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (!c->f->shared->workers[i].ended)
			return 0;
	return 1;
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

/* Gives whether a worker ended. One that the deadline ended lost nothing that it published. */
static int reap(struct crew *c, int killed)
{
	struct fuzz_shared *shared = c->f->shared;
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

static void kill_all(struct crew *c)
{
	struct fuzz_figures *workers = c->f->shared->workers;
	for (unsigned i = 0; i < c->count; i++)
		if (c->pids[i] > 0) {
			kill(c->pids[i], SIGKILL);
			workers[i].ended = workers[i].exhausted = 0;
		}
}

/* Until every worker is gone. */
static void supervise(struct crew *c)
{
	struct fuzz_shared *shared = c->f->shared;
	double next = 0, idle_since = 0;
	int killed = 0;
	while (c->alive) {
		struct pollfd p = {c->words[0], POLLIN, 0};
		poll(&p, 1, 10);
		pass_words(c);
		if (!killed && deadline_killed()) {
			killed = 1;
			kill_all(c);
		}
		if (reap(c, killed))
			continue;
		double now = fuzz_clock();
		idle_since = !all_ended(c) ? 0 : idle_since > 0 ? idle_since : now;
		if (c->count > 1 && idle_since > 0 && now - idle_since > 0.5)
			shared->stop = 1;
		if (now < next || !c->screen)
			continue;
		next = now + 0.1;
		c->screen->show(c->screen->ctx, shared, c->count);
	}
	pass_words(c);
	for (int i = 0; i < 2; i++)
		if (c->words[i] >= 0)
			close(c->words[i]);
	if (c->screen)
		c->screen->end(c->screen->ctx);
}

static const char *first_error(const struct fuzz *f)
{
	for (unsigned i = 0; i < f->o->workers; i++)
		if (f->shared->workers[i].error[0])
			return f->shared->workers[i].error;
	return NULL;
}

/* ---------------------------------------------------------------- campaign */

/* What has to be there once, before several ask for it at once: variants in the cache, the campaign in the store; what workers of a search
 * that was killed hold is free again. */
static int prepare(struct fuzz *f)
{
	const enum variant_kind kinds[] = {VARIANT_COV, search_kind_calls(f->o->search.kind) ? VARIANT_CALLS : VARIANT_TRACE};
	if (fuzz_try_files(f))
		return -1;
	if (fuzz_make_entered(f))
		return -1;
	if (f->o->workers == 1)
		return fuzz_open_targets(f);
	for (unsigned i = 0; i < 2; i++) {
		struct variant v;
		int part = kinds[i] == VARIANT_TRACE && fuzz_may_part(f);
		if (part ? variant_make_part(f->program, NULL, &v) : variant_make(f->program, kinds[i], &v))
			return -1;
		variant_release(&v);
	}
	struct fuzz first = *f;
	int r = fuzz_open_store(&first) || store_frontier_release(first.records.store, first.records.campaign, 0) || fuzz_count_pending(&first);
	fuzz_close(&first);
	return r ? -1 : 0;
}

/* Only a search that lost nothing makes the claim that this is about. */
static void fill(struct fuzz *f)
{
	struct fuzz_shared *shared = f->shared;
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

const char *campaign_status(const struct fuzz *f)
{
	const struct fuzz_options *o = f->o;
	uint64_t runs = 0, bugs = 0;
	int ended = 1;
	for (unsigned i = 0; i < o->workers; i++) {
		ended &= f->shared->workers[i].ended;
		runs += f->shared->workers[i].search.runs;
		bugs += f->shared->workers[i].bugs;
	}
	if (ended)
		return "complete";
	if (deadline_stopped())
		return "interrupted";
	if ((o->until_bug && bugs) || deadline_over() || (o->runs && runs + o->workers >= o->runs))
		return "budget";
	return "interrupted";
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

void campaign_complete(struct fuzz_options *o)
{
	o->search.repeatable = o->seed && o->runs && o->workers == 1;
	if (!o->search.max_input)
		o->search.max_input = 1 << 20;
	if (!o->search.repeatable)
		o->search.solve.seconds = 0.5;
	if (!o->seed)
		o->seed = (uint64_t)time(NULL) ^ (uint64_t)getpid() << 32;
}

static int add_records(void *ctx, const char *name, const void *contents, size_t size)
{
	uint64_t *bytes = ctx;
	(void)contents;
	*bytes += strcmp(name, RECORD_SECTION) ? 0 : size;
	return 0;
}

uint64_t campaign_records(const struct fuzz *f)
{
	struct buf b = {0};
	uint64_t bytes = 0;
	if (!file_read(f->program, &b))
		elf_sections(b.data, b.size, add_records, &bytes);
	buf_release(&b);
	return bytes;
}

int campaign_open(struct fuzz *f, const struct fuzz_options *o, char *const *argv)
{
	*f = (struct fuzz){.o = o, .argv = argv};
	f->shared = mmap(NULL, sizeof *f->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (f->shared == MAP_FAILED) {
		f->shared = NULL;
		return error_errno("no memory for the workers' figures");
	}
	f->shared->started = fuzz_clock();
	f->command = command_line(argv);
	f->program = target_program(argv[0]);
	return f->program ? 0 : -1;
}

void campaign_close(struct fuzz *f)
{
	fuzz_release_targets(f);
	free(f->program);
	free(f->command);
	/* f->shared stays: a signal may come after the end, and set its stop. */
}

int campaign_run(struct fuzz *f, const struct campaign_screen *screen)
{
	struct crew c = {.f = f, .screen = screen, .count = (unsigned)f->o->workers};
	if (prepare(f)) {
		if (screen)
			screen->end(screen->ctx);
		return -1;
	}
	start_all(&c);
	supervise(&c);
	const char *error = first_error(f);
	if (!error)
		fill(f);
	deadline_phase(DEADLINE_REPORT);
	if (!error && !f->shared->campaign)
		error = "the search did not begin"; /* and who was to begin it has said why */
	if (error)
		return error_set("%s", error);
	campaign_store_result(f);
	return 0;
}

/* ------------------------------------------------------------------- alone */

/* Another directory, with the caller's project and cache. */
static int move_to(const char *directory)
{
	char *project = file_absolute(home_project());
	int e = setenv("MUSTER_DIR", project, 1) || (cache_dir() && setenv(CACHE_VARIABLE, cache_dir(), 1)) || chdir(directory);
	free(project);
	return e;
}

/* In the child. Not one of the caller's descriptors for output is ours. */
static int begin_alone(const struct campaign_alone *a)
{
	int null = open("/dev/null", O_RDWR), words = a->log ? open(a->log, O_WRONLY | O_CREAT | O_TRUNC, 0644) : null;
	if (null < 0 || words < 0 || (a->directory && move_to(a->directory)))
		return -1;
	dup2(null, 0);
	dup2(null, 1);
	dup2(words, 2);
	log_aside = NULL;
	log_still = 1;
	return budget_set(a->o->memory, (unsigned)a->o->workers) || deadline_open(a->o->seconds) ? -1 : 0;
}

static int run_alone(const struct campaign_alone *a)
{
	struct fuzz f;
	if (begin_alone(a) || campaign_open(&f, a->o, a->argv))
		return EXIT_USAGE;
	stop_catch(&f.shared->stop);
	int failed = campaign_run(&f, NULL);
	if (failed)
		log_warn("%s", error_text());
	if (!f.shared->workers[0].opened && (failed || deadline_over()))
		return deadline_over() ? EXIT_INCONCLUSIVE : EXIT_USAGE;
	return failed ? EXIT_INTERNAL : EXIT_OK;
}

pid_t campaign_start(const struct campaign_alone *a)
{
	fflush(NULL);
	pid_t parent = getpid(), pid = fork();
	if (pid)
		return pid < 0 ? error_errno("cannot start a search") : pid;
	prctl(PR_SET_PDEATHSIG, a->orphan);
	if (getppid() != parent)
		_exit(EXIT_INTERNAL);
	file_exit_child(run_alone(a));
}
