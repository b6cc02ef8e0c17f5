/* session.c: one file from source to verdicts.
 *
 * Build, make the variants, start workers, gather what they send, check it in batches while they go
 * on, judge. The san variant is made by a process of its own meanwhile. Nothing of a function
 * depends on what other functions gave, so the order in which messages come does not matter:
 * results stand where the function stands.
 */
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "unit/carry.h"
#include "unit/composing.h"
#include "unit/reuse.h"

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

#define BATCH_TESTS 1500   /* that wait before the san variant is started */
#define BATCH_SECONDS 10.0 /* or so long */
#define PIPE_SIZE (1 << 20)
#define LEAST_REST 0.3	  /* seconds that are worth another round */
#define LEAST_ROUND 0.1	  /* that a round takes which has something to do */
#define WORKERS_LEAVE 0.2 /* seconds for workers to send what they have when the time is over */
#define PROGRESS_AFTER 2.0

double test_clock(void)
{
	return deadline_clock();
}

static double contract_share(const struct test_options *o)
{
	return test_has_contracts(o) ? CONTRACT_SHARE : 0;
}

/* What is kept of the time for what comes later: other files; causes while functions are searched, calls that keep a contract while causes are looked for, and summaries all the while. */
static void reserve(const struct test_options *o, double contracts)
{
	double summaries = o->summaries ? SUMMARY_SHARE : 0;
	deadline_reserve(o->later + o->seconds * (summaries + contracts * contract_share(o) * (1 - summaries)));
}

double test_search_seconds(const struct test_options *o)
{
	return o->seconds * (SEARCH_SHARE - contract_share(o)) * (o->summaries ? 1 - SUMMARY_SHARE : 1);
}

int test_late(const struct test_session *s)
{
	(void)s;
	return deadline_cut();
}

/* ------------------------------------------------------------------- build */

static void harness_options(const struct test_session *s, struct harness_options *h)
{
	const struct test_options *o = s->o;
	*h = (struct harness_options){
	    .elements = o->elements ? (uint32_t)o->elements : 8,
	    .characters = o->characters ? (uint32_t)o->characters : 16,
	    .objects = o->objects ? (uint32_t)o->objects : 3,
	    .globals_initial = !strcmp(o->globals, "initial"),
	    .global_limit = 256,
	    .requires = o->requires.size ? o->requires.data : NULL,
	    .accepted = s->accepted.size ? s->accepted.data : NULL,
	};
}

const char *test_shown_name(const struct test_session *s)
{
	return s->standing.name ? s->standing.name : s->file;
}

const char *const *test_cflags(const struct test_session *s)
{
	return s->standing.cflags ? s->standing.cflags : s->o->cflags;
}

static int build(struct test_session *s)
{
	struct harness_options h;
	if (test_accepted_open(s))
		return -1;
	harness_options(s, &h);
	if (!s->o->quiet)
		log_progress("compiling %s", test_shown_name(s));
	int r;
	if (file_is_c(s->file))
		r = harness_build(s->file, test_cflags(s), &h, &s->driven.front, &s->driven.harness, &s->driven.program);
	else
		r = harness_build_from(s->file, s->function, &h, &s->driven.front, &s->driven.harness,
				       &s->driven.program);
	log_progress(NULL);
	if (!r && harness_initial(s->driven.harness, s->driven.program))
		log_info("%s", error_text()); /* globals are then printed as changes */
	s->driven.argv[0] = s->driven.program;
	s->costs.built = test_clock();
	return r;
}

/* --------------------------------------------------------------- functions */

static int add_function(struct test_session *s, uint32_t front)
{
	for (size_t i = 0; i < s->driven.harness->functions.size; i++) {
		const struct harness_function *h = &s->driven.harness->functions.data[i];
		if (h->front != front)
			continue;
		struct test_function f = {.harness = h, .front = &s->driven.front->functions.data[front]};
		f.name = f.front->name;
		f.accepted = test_accepted_text(s, f.name);
		vec_push(&s->functions, f);
		return 0;
	}
	return -1;
}

static int no_such(struct test_session *s, const char *name)
{
	struct buf near = {0};
	front_nearest(s->driven.front, name, &near);
	if (near.size)
		error_set("'%s' has no function '%s'; the nearest: %s", s->file, name,
			  buf_str(&near));
	else
		error_set("'%s' defines no function '%s'; without ':%s' all of its functions are driven", s->file, name, name);
	buf_release(&near);
	return -1;
}

static int choose_named(struct test_session *s, const char *names)
{
	char *all = mem_strdup(names), *rest = all, *name;
	int r = 0;
	while (!r && (name = strsep(&rest, ","))) {
		int number = *name ? front_function(s->driven.front, name) : -1;
		if (number < 0 || !s->driven.front->functions.data[number].defined ||
		    add_function(s, (uint32_t)number))
			r = s->standing.optional ? 0 : no_such(s, name);
	}
	free(all);
	return r || s->functions.size ? r : error_set("'%s' defines none of the functions", s->file);
}

/* Callees before callers; functions of headers only if they are named. */
static int choose_all(struct test_session *s)
{
	uint32_t count = 0, *order = mem_alloc((s->driven.front->functions.size + 1) * sizeof *order);
	front_bottom_up(s->driven.front, order, &count);
	for (uint32_t i = 0; i < count; i++)
		if (!s->driven.front->functions.data[order[i]].in_header)
			add_function(s, order[i]);
	free(order);
	return s->functions.size ? 0 : error_set("'%s' defines no function", s->file);
}

static int is_chosen(const struct test_session *s, uint32_t front)
{
	for (size_t i = 0; i < s->functions.size; i++)
		if (s->functions.data[i].front == &s->driven.front->functions.data[front])
			return 1;
	return 0;
}

/* Where summaries stand for calls: what the functions that were named call. */
static void choose_helpers(struct test_session *s)
{
	size_t named = s->functions.size;
	for (size_t i = 0; i < named; i++) {
		struct front_reach reach = {0};
		front_reach(s->driven.front, (uint32_t)(s->functions.data[i].front - s->driven.front->functions.data), &reach);
		for (size_t k = 0; k < reach.functions.size; k++)
			if (!is_chosen(s, reach.functions.data[k]) && !add_function(s, reach.functions.data[k]))
				vec_last(&s->functions).helper = 1;
		vec_release(&reach.functions);
		vec_release(&reach.globals);
	}
}

static int choose(struct test_session *s)
{
	const char *named = s->o->entry ? s->o->entry : s->function;
	int r = named ? choose_named(s, named) : choose_all(s);
	if (!r && named && search_kind_composes(s->o->kind))
		choose_helpers(s);
	return r;
}

/* All functions, callees before callers. */
static void first_turns(struct test_session *s)
{
	uint32_t count = 0, *order = mem_alloc((s->driven.front->functions.size + 1) * sizeof *order);
	front_bottom_up(s->driven.front, order, &count);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < s->functions.size; k++)
			if (s->functions.data[k].front == &s->driven.front->functions.data[order[i]])
				vec_push(&s->round.turns, k);
	free(order);
}

/* ---------------------------------------------------------------- variants */

pid_t test_make_in_child(const char *program, enum variant_kind kind)
{
	pid_t parent = getpid(), pid = deadline_fork();
	if (pid)
		return pid;
	deadline_child();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	struct variant v;
	file_exit_child(variant_make(program, kind, &v) ? 1 : 0); /* the parent asks again, and gets the words */
}

static void wait_for(pid_t pid)
{
	int status;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
}

/* It was not waited for before, and is left so. */
static int is_running(pid_t pid)
{
	siginfo_t info = {0};
	return pid > 0 && !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && !info.si_pid;
}


/* 0; -1: the time is over; a program that cannot be made is *code = EXIT_USAGE. */
static int make_variants(struct test_session *s, int *code)
{
	struct target_options t = TARGET_DEFAULTS;
	int status;
	if (!s->o->quiet)
		log_progress("making the variants of %s", test_shown_name(s));
	pid_t trace = test_make_in_child(s->driven.program, search_kind_calls(s->o->kind) ? VARIANT_CALLS : VARIANT_TRACE);
	t.time = s->o->run_time;
	t.mem_mb = 2048;
	if (target_make(&s->driven.cov, s->driven.program, s->driven.argv, VARIANT_COV, &t))
		*code = EXIT_USAGE;
	s->driven.cov.options.directory = s->driven.scratch;
	deadline_wait(trace, &status);
	log_progress(NULL);
	if (*code == EXIT_USAGE)
		return -1;
	return deadline_cut() ? error_set("the time is over") : 0;
}

/* ----------------------------------------------------------------- workers */

struct worker {
	pid_t pid;
	int fd; /* -1: gone */
	struct buf in;
};

struct gathering {
	struct test_session *s;
	struct worker workers[TEST_WORKERS];
	unsigned count, alive;
	VEC(uint32_t) waiting; /* functions that were searched and not checked */
	size_t waiting_tests;
	double round_began;
	double waiting_since;
	unsigned done;
	int failed;
	int checked; /* old bugs were */
	VEC(uint32_t) aside; /* functions whose learning phase asked for summaries */
	int composed, inlined; /* their rounds were begun */
};

static int start_worker(struct gathering *g, unsigned number)
{
	int fds[2];
	if (pipe2(fds, O_CLOEXEC))
		return error_errno("cannot make a pipe");
	fcntl(fds[1], F_SETPIPE_SZ, PIPE_SIZE);
	pid_t parent = getpid(), pid = fork();
	if (pid < 0)
		return error_errno("cannot start a worker");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(EXIT_INTERNAL);
		for (unsigned i = 0; i < g->count; i++)
			if (g->workers[i].fd >= 0)
				close(g->workers[i].fd);
		close(fds[0]);
		test_worker(g->s, number, fds[1]);
	}
	close(fds[1]);
	g->workers[number] = (struct worker){.pid = pid, .fd = fds[0]};
	if (number >= g->count)
		g->count = number + 1;
	g->alive++;
	return 0;
}

static int check_waiting(struct gathering *g)
{
	struct test_session *s = g->s;
	if (!g->waiting.size)
		return 0;
	if (!g->checked++ && !s->o->unstored && test_check_old(s))
		return -1;
	if (test_check(s, g->waiting.data, g->waiting.size))
		return -1;
	for (size_t i = 0; i < g->waiting.size; i++)
		if (!s->functions.data[g->waiting.data[i]].helper && test_store_function(s, &s->functions.data[g->waiting.data[i]]))
			return -1;
	vec_clear(&g->waiting);
	g->waiting_tests = 0;
	return 0;
}

static void take_function(struct gathering *g, const char *data, size_t size)
{
	struct test_searched r;
	if (test_unpack(g->s, data, size))
		return;
	memcpy(&r, data, sizeof r);
	if (!g->waiting.size)
		g->waiting_since = test_clock();
	size_t i = 0;
	while (i < g->waiting.size && g->waiting.data[i] != r.function)
		i++;
	if (i == g->waiting.size)
		vec_push(&g->waiting, r.function);
	g->waiting_tests += g->s->functions.data[r.function].tests.size - g->s->functions.data[r.function].done_tests;
	g->done += !r.part && !g->s->round.again;
}

/* Whole messages of what a worker sent so far. */
static void take_messages(struct gathering *g, struct worker *w)
{
	size_t at = 0;
	while (w->in.size - at >= 8) {
		uint32_t head[2];
		memcpy(head, w->in.data + at, sizeof head);
		if (w->in.size - at - 8 < head[1])
			break;
		if (head[0] == TEST_MESSAGE_FUNCTION)
			take_function(g, w->in.data + at + 8, head[1]);
		else
			test_unpack_stats(g->s, w->in.data + at + 8, head[1]);
		at += 8 + head[1];
	}
	if (at) {
		memmove(w->in.data, w->in.data + at, w->in.size - at);
		w->in.size -= at;
	}
}

/* The time was over before a search could say how it ended: what it sent counts. */
static void close_part(struct test_session *s, uint32_t function)
{
	struct test_function *f = &s->functions.data[function];
	if (!f->partial || s->round.again) {
		f->result.stopped |= (uint32_t)f->searched;
		return;
	}
	f->searched = 1;
	f->result = (struct test_searched){.function = function, .ran = 1, .stopped = 1, .inputs = f->tests.size, .frontier = 1};
	f->result.losses.count[LOSS_ENDED] = 1;
}

/* A worker is gone. One that died took a function with it; another one goes on with the rest. */
static int worker_gone(struct gathering *g, unsigned number)
{
	struct worker *w = &g->workers[number];
	struct test_shared *shared = g->s->round.shared;
	int status = 0;
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	close(w->fd);
	w->fd = -1;
	buf_release(&w->in);
	g->alive--;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_OK)
		return 0;
	if (shared->workers[number].busy && WIFSIGNALED(status) && deadline_stopped()) { /* the signal was for all of us */
		close_part(g->s, shared->workers[number].function);
		shared->workers[number].busy = 0;
	} else if (shared->workers[number].busy) {
		struct test_function *f = &g->s->functions.data[shared->workers[number].function];
		if (!f->searched)
			f->lost = 1;
		log_warn(
		    "the search of '%s' failed inside muster (%s %d): it goes on with the next",
		    f->name, WIFSIGNALED(status) ? "signal" : "status",
		    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		shared->workers[number].busy = 0;
	} else if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_USAGE) {
		return error_set("the harness of '%s' cannot be run", g->s->file);
	}
	if (shared->next < g->s->round.turns.size && !shared->stop && !deadline_over())
		return start_worker(g, number);
	return 0;
}

static void show_progress(struct gathering *g)
{
	const struct test_session *s = g->s;
	double now = test_clock();
	if (s->o->quiet || now - s->costs.started < PROGRESS_AFTER)
		return;
	char place[32] = "";
	if (s->number)
		snprintf(place, sizeof place, "[%u/%u] ", s->number, s->of);
	log_progress("%s%s: %u of %zu functions, %zu bugs, %.0f s", place, test_shown_name(s), g->done,
		     s->functions.size, s->bugs.size, now - s->costs.started);
}

static int read_workers(struct gathering *g)
{
	struct pollfd fds[TEST_WORKERS];
	unsigned numbers[TEST_WORKERS], n = 0;
	for (unsigned i = 0; i < g->count; i++)
		if (g->workers[i].fd >= 0) {
			fds[n] = (struct pollfd){.fd = g->workers[i].fd, .events = POLLIN};
			numbers[n++] = i;
		}
	if (poll(fds, n, deadline_ms(200)) < 0 && errno != EINTR)
		return error_errno("poll");
	for (unsigned i = 0; i < n; i++) {
		struct worker *w = &g->workers[numbers[i]];
		if (!fds[i].revents)
			continue;
		buf_reserve(&w->in, 1 << 16);
		ssize_t got = read(w->fd, w->in.data + w->in.size, 1 << 16);
		if (got > 0) {
			w->in.size += (size_t)got;
			take_messages(g, w);
		} else if (!got || errno != EINTR) {
			if (worker_gone(g, numbers[i]))
				return -1;
		}
	}
	return 0;
}

static void end_workers(struct gathering *g)
{
	for (unsigned i = 0; i < g->count; i++)
		if (g->workers[i].fd >= 0) {
			if (g->s->round.shared->workers[i].busy)
				close_part(g->s, g->s->round.shared->workers[i].function);
			kill(g->workers[i].pid, SIGKILL);
			wait_for(g->workers[i].pid);
			close(g->workers[i].fd);
			buf_release(&g->workers[i].in);
		}
}

unsigned test_workers(const struct test_options *o)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t n = o->workers ? o->workers : cpus > 0 ? (uint64_t)cpus : 1;
	return (unsigned)(n > TEST_WORKERS ? TEST_WORKERS : n);
}

static unsigned worker_count(const struct test_session *s)
{
	unsigned n = test_workers(s->o);
	return n > s->round.turns.size ? (unsigned)s->round.turns.size : n;
}

/* Is it time for a batch? Where --time limits everything, soon: what is found early is looked at in any case. */
static int batch_due(const struct gathering *g)
{
	double limit = g->s->o->seconds, patience = BATCH_SECONDS;
	if (limit > 0 && limit / 10 < patience)
		patience = limit / 10;
	return g->waiting_tests >= BATCH_TESTS ||
	       (g->waiting.size && test_clock() - g->waiting_since >= patience);
}

/* ------------------------------------------------------------------ rounds */

static void begin_round(struct gathering *g, enum search_kind kind)
{
	struct test_round *r = &g->s->round;
	r->again = 1;
	r->kind = kind;
	r->shared->next = 0;
	vec_clear(&r->turns);
	g->round_began = test_clock();
}

/* A directory in which workers find the tests of functions, and the variant that shows calls. 0; -1: there will be no summaries. */
static int prepare_composing(struct gathering *g)
{
	struct test_session *s = g->s;
	int status, r = 0;
	if (!s->driven.shared_tests && (!(s->driven.shared_tests = file_temp("tests")) || file_mkdirs(s->driven.shared_tests)))
		return -1;
	for (uint32_t i = 0; i < s->functions.size && !r; i++)
		if (!s->functions.data[i].result.aside && s->functions.data[i].searched)
			r = composing_publish(s, i);
	deadline_wait(test_make_in_child(s->driven.program, VARIANT_CALLS), &status);
	return r || deadline_over() ? -1 : 0;
}

/* Functions that were put aside, with summaries in the place of calls; then, if that came to no end, without. 1: there are such. */
static int search_aside(struct gathering *g)
{
	struct test_session *s = g->s;
	if (!g->composed++) {
		for (uint32_t i = 0; i < s->functions.size; i++)
			if (s->functions.data[i].result.aside)
				vec_push(&g->aside, i);
		if (g->aside.size && !s->round.shared->stop && !prepare_composing(g)) {
			begin_round(g, KIND_COMPOSITIONAL);
			for (size_t i = 0; i < g->aside.size; i++)
				vec_push(&s->round.turns, g->aside.data[i]);
			return 1;
		}
	}
	if (g->inlined++ || !g->aside.size || s->round.shared->stop || deadline_over())
		return 0;
	begin_round(g, KIND_GENERATIONAL);
	for (size_t i = 0; i < g->aside.size; i++)
		if (!s->functions.data[g->aside.data[i]].result.exhausted)
			vec_push(&s->round.turns, g->aside.data[i]);
	return s->round.turns.size > 0;
}

/* Who is searched once more with the rest of the time: whom a budget of its own ended. */
static int share_rest(struct gathering *g)
{
	struct test_session *s = g->s;
	double left = test_search_seconds(s->o) - (test_clock() - s->round.shared->started);
	int spun = s->round.rest && test_clock() - g->round_began < LEAST_ROUND; /* nothing is left to be done */
	if (spun || s->o->seconds <= 0 || s->o->repeatable || s->o->function_time_given || s->round.shared->stop || left < LEAST_REST)
		return 0;
	begin_round(g, s->o->kind == KIND_AUTO ? KIND_GENERATIONAL : s->o->kind);
	for (size_t i = 0; i < s->functions.size; i++) {
		const struct test_function *f = &s->functions.data[i];
		if (f->searched && f->result.ran && f->result.more && !f->lost && !f->helper)
			vec_push(&s->round.turns, (uint32_t)i);
	}
	s->round.rest |= s->round.turns.size > 0;
	return s->round.turns.size > 0;
}

static int start_workers(struct gathering *g)
{
	int r = 0;
	for (unsigned i = 0, n = worker_count(g->s); i < n && !r; i++)
		r = start_worker(g, i);
	return r;
}

static int search_all(struct test_session *s)
{
	struct gathering g = {.s = s};
	double over_since = 0;
	int r, status;
	if (search_kind_composes(s->o->kind))
		first_turns(s);
	else
		for (size_t i = 0; i < s->functions.size; i++)
			vec_push(&s->round.turns, (uint32_t)i);
	s->round.kind = s->o->kind;
	memset((void *)s->round.shared->complete, 0, sizeof s->round.shared->complete);
	r = start_workers(&g);
	pid_t san = test_make_in_child(s->driven.program, VARIANT_SAN); /* it is not needed yet */
	while (!r && (g.alive || search_aside(&g) || share_rest(&g))) {
		if (!g.alive && (r = start_workers(&g)))
			break;
		r = read_workers(&g);
		show_progress(&g);
		if (!over_since && deadline_over())
			over_since = test_clock();
		if (over_since && test_clock() - over_since > WORKERS_LEAVE) /* what they did not send is lost */
			break;
		if (r || !batch_due(&g) || (s->o->seconds > 0 && is_running(san)))
			continue;
		deadline_wait(san, &status);
		san = 0;
		r = check_waiting(&g);
	}
	s->costs.searched = test_clock();
	end_workers(&g);
	if (san > 0)
		deadline_wait(san, &status);
	if (!r)
		r = check_waiting(&g);
	vec_release(&g.waiting);
	vec_release(&g.aside);
	log_progress(NULL);
	return r;
}

/* ------------------------------------------------------------------- whole */

static int open_scratch(struct test_session *s)
{
	s->driven.scratch = file_temp("calls");
	if (!s->driven.scratch || file_mkdirs(s->driven.scratch))
		return -1;
	if (!search_kind_composes(s->o->kind))
		return 0;
	s->driven.shared_tests = file_temp("tests");
	return s->driven.shared_tests ? file_mkdirs(s->driven.shared_tests) : -1;
}

static int bug_order(const void *x, const void *y)
{
	const struct test_bug *a = x, *b = y;
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->finding.bug.line != b->finding.bug.line)
		return a->finding.bug.line < b->finding.bug.line ? -1 : 1;
	return strcmp(a->finding.bug.name, b->finding.bug.name);
}

static int run_functions(struct test_session *s, int *code)
{
	if (open_scratch(s) || test_store_open(s))
		return -1;
	reserve(s->o, 1);
	if (make_variants(s, code)) {
		test_judge(s);
		return -1;
	}
	test_find_outcomes(s);
	if (test_reuse(s) || test_recompute(s))
		return -1;
	deadline_phase(DEADLINE_FINISH); /* workers search, this process checks what they found, up to the last */
	if (search_all(s))
		return -1;
	if (s->bugs.size) /* whichever worker was first */
		qsort(s->bugs.data, s->bugs.size, sizeof *s->bugs.data, bug_order);
	if (test_program(s))
		return -1;
	reserve(s->o, GIVEN_SHARE);
	if (test_contracts(s))
		return -1;
	reserve(s->o, 0);
	if (test_given(s))
		return -1;
	test_judge(s);
	if (test_callers(s) || test_growth(s) || test_store_bugs(s))
		return -1;
	test_reuse_judge(s);
	deadline_reserve(s->o->later);
	return test_summaries(s);
}

int test_session_again(struct test_session *s)
{
	int code = EXIT_INTERNAL;
	s->costs.started = test_clock();
	stop_watch();
	int built = build(s) || choose(s);
	stop_unwatch();
	if (built || open_scratch(s) || make_variants(s, &code))
		return -1;
	test_find_outcomes(s);
	if (search_all(s))
		return -1;
	if (s->bugs.size)
		qsort(s->bugs.data, s->bugs.size, sizeof *s->bugs.data, bug_order);
	if (test_contracts(s))
		return -1;
	test_judge(s);
	return 0;
}

int test_session_run(struct test_session *s, int *code)
{
	*code = EXIT_USAGE;
	s->costs.started = test_clock();
	stop_watch();
	int built = build(s) || choose(s);
	stop_unwatch();
	if (built)
		return -1;
	*code = EXIT_INTERNAL;
	int r = run_functions(s, code);
	s->costs.seconds = test_clock() - s->costs.started;
	return r;
}

struct test_shared *test_shared_new(void)
{
	struct test_shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		error_errno("no memory that workers share");
		return NULL;
	}
	shared->started = test_clock();
	return shared;
}

void test_session_rest(struct test_session *s)
{
	batch_close(s->check.batch);
	confirm_close(s->check.confirm);
	launcher_free(s->check.tracer);
	s->check.batch = NULL;
	s->check.confirm = NULL;
	s->check.tracer = NULL;
}

void test_session_release(struct test_session *s)
{
	for (size_t i = 0; i < s->functions.size; i++) {
		struct test_function *f = &s->functions.data[i];
		vec_release(&f->tests);
		vec_release(&f->covers);
		vec_release(&f->violations);
		vec_release(&f->shown);
		vec_release(&f->owing);
		carry_free(f->reuse.carry);
		vec_release(&f->reuse.seeds);
		arena_release(&f->arena);
		map_release(&f->buckets);
		buf_release(&f->why);
	}
	for (size_t i = 0; i < s->bugs.size; i++)
		test_bug_release(&s->bugs.data[i]);
	vec_release(&s->whole.bugs);
	arena_release(&s->arena);
	vec_release(&s->functions);
	vec_release(&s->round.turns);
	vec_release(&s->bugs);
	vec_release(&s->contracts);
	vec_release(&s->accepted);
	vec_release(&s->reuse.bugs);
	vec_release(&s->reuse.kinds);
	buf_release(&s->reuse.source);
	map_release(&s->reuse.small);
	map_release(&s->covered);
	map_release(&s->check.hidden);
	batch_close(s->check.batch);
	confirm_close(s->check.confirm);
	store_close(s->records.store);
	launcher_free(s->check.tracer);
	if (s->check.trace.options.program)
		target_release(&s->check.trace);
	if (s->driven.cov.options.program)
		target_release(&s->driven.cov);
	harness_free(s->driven.harness);
	front_close(s->driven.front);
	free(s->driven.program);
	free(s->whole.program);
	free(s->records.dir);
	free(s->driven.scratch);
	free(s->driven.shared_tests);
}
