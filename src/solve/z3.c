/* z3.c: backend_z3: asks the process muster-solver, and ends it when it is too slow or too large.
 *
 * The process is started by the first query and serves all backends of this process, one query at a time; a query sends everything that was
 * asserted, and the goal, in the serial form of terms. Serial and not SMT-LIB text: it is a fifth of the bytes and Z3's parser
 * is not needed. Starting does not copy this process, however large it is (posix_spawn).
 *
 * Invariants: an answer is one only if it came whole and in time; a process that did not answer so is never asked again. So whatever
 * Z3 does (crash, run out of memory, ignore its clock) is UNKNOWN. A process that was forked from us has our socket,
 * but is not its owner: it starts its own.
 */
#include "solve/backend.h"

#include "base/budget.h"
#include "base/deadline.h"
#include "base/file.h"
#include "base/log.h"
#include "base/map.h"
#include "expr/text.h"
#include "solve/cnf.h"
#include "solve/z3_link.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE 0.1 /* seconds beyond a query's own, for Z3 to end by itself | another process costs 20 ms */
#define STARVED 10 /* times a query's own seconds that it has by the clock, on a machine that is busy | a tenth of a processor is what a busy machine gives */
#define STEP_MS 200 /* milliseconds between two looks whether the answer is still wanted | a person does not notice it */
#define FRUITLESS 3 /* processes in a row that ended without any answer, after which none is started | one may have been killed from outside, three were not */

struct z3_remote {
	struct backend backend;
	struct exprs *pool;
	VEC(expr_t) asserted;
	VEC(expr_t) wanted;
	VEC(expr_t) variables; /* of the query, and what is wanted besides; */
	VEC(u128) values;      /* theirs, after SAT */
	struct map place;      /* of a variable in both */
	struct buf request;
};

static struct {
	pid_t pid, owner; /* the process, and which process started it; 0: none */
	int fd;
	int useless; /* it cannot be started, which was said */
	unsigned fruitless;
	struct z3_usage usage;
} solver;

struct z3_usage z3_usage(void)
{
	return solver.usage;
}

static struct z3_remote *remote_of(struct backend *b)
{
	return (struct z3_remote *)b;
}

/* ------------------------------------------------------------- the process */
static void solver_end(void)
{
	if (solver.owner)
		close(solver.fd);
	if (solver.owner == getpid()) {
		kill(solver.pid, SIGKILL);
		while (waitpid(solver.pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	solver.owner = solver.pid = 0;
}

static void give_up(const char *why)
{
	solver.useless = 1;
	log_warn("%s: Z3 is left out (run 'make', or 'make install' again; --no-z3 leaves it out without these words)", why);
}

static int spawn(const char *path, int socket)
{
	char parent[24], memory[24];
	char *argv[] = {"muster-solver", parent, memory, NULL};
	extern char **environ;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none;
	int e;

	snprintf(parent, sizeof parent, "%ld", (long)getpid());
	snprintf(memory, sizeof memory, "%llu", (unsigned long long)budget_share(BUDGET_Z3));
	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, socket, Z3_LINK_FD);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	e = posix_spawn(&solver.pid, path, &files, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return e;
}

static int solver_start(void)
{
	char *path = file_part("muster-solver");
	int ends[2], high, e;

	if (!path) {
		give_up("the program muster-solver is not beside muster");
		return -1;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		free(path);
		return -1;
	}
	high = fcntl(ends[1], F_DUPFD_CLOEXEC, Z3_LINK_FD + 1); /* dup2 to itself would leave it closed on exec */
	close(ends[1]);
	e = high < 0 ? errno : spawn(path, high);
	close(high);
	if (e) {
		close(ends[0]);
		give_up("muster-solver cannot be started");
	} else {
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
		solver.fd = ends[0];
		solver.owner = getpid();
		solver.usage.started++;
	}
	free(path);
	return e ? -1 : 0;
}

/* One that takes a query now. One that ended between two queries is replaced without a word. */
static int solver_ready(void)
{
	struct pollfd p = {solver.fd, POLLIN, 0};

	if (solver.owner && (solver.owner != getpid() || poll(&p, 1, 0) != 0))
		solver_end();
	return solver.useless ? -1 : solver.owner ? 0 : solver_start();
}

/* ----------------------------------------------------------------- transfer */
/* When a query ends: by the processor time of the process that works on it, and, should that not get on, by the clock. 0: never. */
struct until {
	double processor, clock;
};

static double solver_processor(void)
{
	struct timespec t;
	clockid_t id;

	if (clock_getcpuclockid(solver.pid, &id) || clock_gettime(id, &t))
		return INFINITY; /* it is gone */
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct until until_from_now(double seconds)
{
	struct until u = {0, 0};

	if (seconds > 0) {
		u.processor = solver_processor() + seconds + GRACE;
		u.clock = deadline_clock() + STARVED * seconds + GRACE;
	}
	return u;
}

/* Milliseconds that the query has at least. */
static double left_ms(const struct backend_limits *l, const struct until *u)
{
	if ((l->stop && *l->stop) || deadline_cut())
		return 0;
	return u->clock == 0 ? STEP_MS : 1000 * fmin(u->processor - solver_processor(), u->clock - deadline_clock());
}

static int wait_for(short events, const struct backend_limits *l, const struct until *u)
{
	struct pollfd p = {solver.fd, events, 0};
	double left;

	while ((left = left_ms(l, u)) > 0) {
		int n = poll(&p, 1, left < STEP_MS ? (int)left + 1 : STEP_MS);

		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -1;
	}
	return -1;
}

/* Sends or receives all of it. -1: not in time, or the process is gone. */
static int transfer(int sending, void *data, size_t size, const struct backend_limits *l, const struct until *u)
{
	char *p = data;

	while (size) {
		ssize_t n = sending ? send(solver.fd, p, size, MSG_NOSIGNAL) : recv(solver.fd, p, size, 0);

		if (n > 0) {
			p += n;
			size -= (size_t)n;
		} else if (n == 0 || (errno != EAGAIN && errno != EINTR) ||
			   wait_for(sending ? POLLOUT : POLLIN, l, u)) {
			return -1;
		}
	}
	return 0;
}

/* ---------------------------------------------------------------- the query */
static void note_term(struct z3_remote *z, expr_t e)
{
	if (map_set(&z->place, e, z->variables.size))
		vec_push(&z->variables, e);
}

static void note_variables(struct z3_remote *z, expr_t e)
{
	uint32_t count;
	const expr_t *vars = expr_vars(z->pool, e, &count);

	for (uint32_t i = 0; i < count; i++)
		if (!map_get(&z->place, vars[i], NULL) && expr_width(z->pool, vars[i]))
			note_term(z, vars[i]);
}

static void write_request(struct z3_remote *z, expr_t goal, const struct backend_limits *l)
{
	struct z3_request q = {.version = Z3_LINK_VERSION,
			       .constraints = (uint32_t)z->asserted.size,
			       .rlimit = l->rlimit,
			       .seconds = l->seconds};
	VEC(expr_t) roots = {0};

	map_clear(&z->place);
	vec_clear(&z->variables);
	for (size_t i = 0; i < z->asserted.size; i++) {
		note_variables(z, z->asserted.data[i]);
		vec_push(&roots, z->asserted.data[i]);
	}
	note_variables(z, goal);
	for (size_t i = 0; i < z->wanted.size; i++)
		if (!map_get(&z->place, z->wanted.data[i], NULL))
			note_term(z, z->wanted.data[i]);
	vec_push(&roots, goal);
	for (size_t i = 0; i < z->variables.size; i++)
		vec_push(&roots, z->variables.data[i]);
	q.variables = (uint32_t)z->variables.size;
	buf_clear(&z->request);
	buf_add(&z->request, &q, sizeof q);
	expr_write(z->pool, roots.data, (unsigned)roots.size, &z->request);
	q.size = (uint32_t)(z->request.size - sizeof q);
	memcpy(z->request.data, &q, sizeof q);
	vec_release(&roots);
}

static int exchange(struct z3_remote *z, const struct backend_limits *l, struct z3_reply *r)
{
	struct until u = until_from_now(l->seconds);

	if (transfer(1, z->request.data, z->request.size, l, &u) || transfer(0, r, sizeof *r, l, &u) ||
	    r->version != Z3_LINK_VERSION || r->verdict > VERDICT_UNSAT)
		return -1;
	if (r->verdict != VERDICT_SAT)
		return 0;
	vec_reserve(&z->values, z->variables.size);
	z->values.size = z->variables.size;
	return transfer(0, z->values.data, z->values.size * sizeof *z->values.data, l, &u);
}

static enum verdict remote_check(struct backend *backend, expr_t assumption, const struct backend_limits *l)
{
	struct z3_remote *z = remote_of(backend);
	struct z3_reply r = {0};

	vec_clear(&z->values);
	if (solver_ready())
		return VERDICT_UNKNOWN;
	write_request(z, assumption != EXPR_NONE ? assumption : expr_true(z->pool), l);
	if (z->request.size > Z3_LINK_MOST)
		return VERDICT_UNKNOWN;
	if (exchange(z, l, &r)) {
		vec_clear(&z->values);
		solver.usage.killed++;
		solver_end();
		if (solver.fruitless < FRUITLESS && ++solver.fruitless == FRUITLESS)
			give_up("muster-solver ends without an answer");
		return VERDICT_UNKNOWN;
	}
	solver.fruitless = FRUITLESS + 1; /* it works */
	if (r.resident > solver.usage.peak)
		solver.usage.peak = r.resident;
	if (r.resident > budget_share(BUDGET_Z3_IDLE)) {
		solver.usage.replaced++;
		solver_end();
	}
	return (enum verdict)r.verdict;
}

static u128 remote_value(struct backend *backend, expr_t e)
{
	struct z3_remote *z = remote_of(backend);
	uint64_t place;

	return z->values.size && map_get(&z->place, e, &place) ? z->values.data[place] : 0;
}

static uint64_t remote_bytes(const struct backend *backend)
{
	return ((const struct z3_remote *)backend)->request.cap;
}

/* --------------------------------------------------------------------- life */
static struct backend *remote_open(const struct backend *kind, struct exprs *p)
{
	struct z3_remote *z = mem_zalloc(sizeof *z);

	z->backend = *kind;
	z->pool = p;
	return &z->backend;
}

static void remote_close(struct backend *backend)
{
	struct z3_remote *z = remote_of(backend);

	vec_release(&z->asserted);
	vec_release(&z->wanted);
	vec_release(&z->variables);
	vec_release(&z->values);
	map_release(&z->place);
	buf_release(&z->request);
	free(z);
}

static void remote_assert(struct backend *backend, expr_t constraint)
{
	vec_push(&remote_of(backend)->asserted, constraint);
}

static void remote_want(struct backend *backend, expr_t e)
{
	vec_push(&remote_of(backend)->wanted, e);
}

const struct backend backend_z3 = {
    .name = "z3",
    .open = remote_open,
    .close = remote_close,
    .assert_term = remote_assert,
    .want = remote_want,
    .check = remote_check,
    .value = remote_value,
    .bytes = remote_bytes,
};
