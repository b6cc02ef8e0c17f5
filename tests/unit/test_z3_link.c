/* The process in which Z3 runs: whatever happens to it, an answer is right or UNKNOWN, and the next query has one again. */
#include "solve/backend.h"
#include "base/budget.h"
#include "base/file.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const struct backend_limits none = {0};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* x == 7 */
static enum verdict easy(const struct backend_limits *l)
{
	struct exprs *p = exprs_new();
	struct backend *b = backend_z3.open(&backend_z3, p);
	expr_t x = expr_named(p, 40, "x");
	enum verdict v;

	v = b->check(b, expr_eq(p, x, expr_const(p, 40, 7)), l);
	if (v == VERDICT_SAT)
		assert_int_equal((uint64_t)b->value(b, x), 7);
	b->close(b);
	exprs_free(p);
	return v;
}

/* Two factors of 32 bits: not in our time. */
static enum verdict hard(const struct backend_limits *l)
{
	struct exprs *p = exprs_new();
	struct backend *b = backend_z3.open(&backend_z3, p);
	expr_t x = expr_named(p, 40, "x"), y = expr_named(p, 40, "y"), one = expr_const(p, 40, 1);
	enum verdict v;

	b->assert_term(b, expr_binary(p, MUSTER_OP_ULT, one, x));
	b->assert_term(b, expr_binary(p, MUSTER_OP_ULT, one, y));
	v = b->check(b, expr_eq(p, expr_binary(p, MUSTER_OP_MUL, expr_zext(p, x, 80), expr_zext(p, y, 80)),
				expr_const(p, 80, (u128)4294967291u * 4294967279u)), l);
	b->close(b);
	exprs_free(p);
	return v;
}

/* Our only child. */
static pid_t solver(void)
{
	struct buf text = BUF_EMPTY;
	char *path = mem_printf("/proc/self/task/%d/children", (int)getpid());
	pid_t pid = file_read(path, &text) ? 0 : (pid_t)atol(buf_str(&text));

	free(path);
	buf_release(&text);
	return pid;
}

static void started_when_needed(void **state)
{
	(void)state;
	assert_int_equal(solver(), 0);
	assert_int_equal(easy(&none), VERDICT_SAT);
	assert_int_not_equal(solver(), 0);
	assert_int_equal(z3_usage().started, 1);
	assert_int_equal(easy(&none), VERDICT_SAT);
	assert_int_equal(z3_usage().started, 1);
}

/* Between two queries: nothing is lost. */
static void killed(void **state)
{
	uint64_t before = z3_usage().killed;

	(void)state;
	kill(solver(), SIGKILL);
	while (waitid(P_PID, (id_t)solver(), &(siginfo_t){0}, WEXITED | WNOWAIT))
		;
	assert_int_equal(easy(&none), VERDICT_SAT);
	assert_int_equal(z3_usage().killed, before);
	assert_int_equal(z3_usage().started, 2);
}

/* A process that does not even look at its clock: stopped, it is like a Z3 that hangs. */
static void hangs(void **state)
{
	static const struct backend_limits timed = {.seconds = 0.2};
	uint64_t before = z3_usage().killed;
	double start = now();

	(void)state;
	assert_int_equal(easy(&none), VERDICT_SAT);
	kill(solver(), SIGSTOP);
	assert_int_equal(easy(&timed), VERDICT_UNKNOWN);
	assert_true(now() - start >= 0.2);
	assert_int_equal(z3_usage().killed, before + 1);
	assert_int_equal(solver(), 0);
	assert_int_equal(easy(&none), VERDICT_SAT);
}

static volatile int stop;

static void on_alarm(int sig)
{
	(void)sig;
	stop = 1;
}

/* No limit at all, but the user says stop. */
static void stopped(void **state)
{
	struct backend_limits l = {.stop = &stop};
	uint64_t before = z3_usage().killed;

	(void)state;
	signal(SIGALRM, on_alarm);
	alarm(1);
	assert_int_equal(hard(&l), VERDICT_UNKNOWN);
	assert_int_equal(z3_usage().killed, before + 1);
	stop = 0;
	assert_int_equal(easy(&l), VERDICT_SAT);
}

/* A forked process has its own; ours still answers us and not it. */
static void forked(void **state)
{
	uint64_t before = z3_usage().started;
	int status = 1;
	pid_t pid;

	(void)state;
	assert_int_equal(easy(&none), VERDICT_SAT);
	pid = fork();
	if (!pid)
		_exit(easy(&none) == VERDICT_SAT && z3_usage().started == before + 1 ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(easy(&none), VERDICT_SAT);
	assert_int_equal(z3_usage().started, before);
}

/* Until the process is no more, or a zombie. */
static void wait_gone(pid_t pid)
{
	for (int i = 0; i < 1000 && !kill(pid, 0); i++) {
		struct buf text = BUF_EMPTY;
		char *path = mem_printf("/proc/%d/stat", (int)pid);
		int gone = file_read(path, &text) || strstr(buf_str(&text), ") Z ");

		free(path);
		buf_release(&text);
		if (gone)
			break;
		usleep(10000);
		assert_true(i < 999);
	}
}

/* It ends with the process that started it, also in the middle of a query. */
static void orphan(void **state)
{
	int ends[2];
	pid_t parent, its = 0;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	parent = fork();
	if (!parent) {
		pid_t mine;

		if (easy(&none) != VERDICT_SAT)
			_exit(1);
		mine = solver();
		if (write(ends[1], &mine, sizeof mine) != sizeof mine)
			_exit(1);
		hard(&none);
		_exit(0);
	}
	assert_int_equal(read(ends[0], &its, sizeof its), sizeof its);
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	wait_gone(its);
	close(ends[0]);
	close(ends[1]);
}

/* One that has grown past its share of the budget is replaced. */
static void grown(void **state)
{
	struct z3_usage before = z3_usage(), after;

	(void)state;
	assert_int_equal(budget_set(BUDGET_LEAST, 1), 0);
	pid_t old = solver();
	kill(old, SIGKILL); /* the next has the new limits */
	wait_gone(old);
	assert_int_equal(easy(&none), VERDICT_SAT);
	assert_int_equal(easy(&none), VERDICT_SAT);
	after = z3_usage();
	assert_int_equal(after.started, before.started + 2); /* libz3 alone is larger than a tenth of the least budget */
	assert_int_equal(after.replaced, before.replaced + 2);
	assert_true(after.peak > budget_share(BUDGET_Z3_IDLE));
}

static void budgets(void **state)
{
	(void)state;
	assert_int_equal(budget_set(1 << 20, 1), -1);
	assert_int_equal(budget_set(BUDGET_LEAST * 3, 4), -1);
	assert_int_equal(budget_set(BUDGET_LEAST * 4, 4), 0);
	assert_int_equal(budget_total(), BUDGET_LEAST);
	assert_int_equal(budget_set(0, 1), 0);
	assert_true(budget_total() >= BUDGET_LEAST);
	for (enum budget_part part = 0; part < BUDGET_PART_COUNT; part++)
		assert_true(budget_share(part) > 0 && budget_share(part) < budget_total());
	assert_true(budget_peak() >= budget_resident() / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(started_when_needed), cmocka_unit_test(killed), cmocka_unit_test(hangs),
	    cmocka_unit_test(stopped),		   cmocka_unit_test(forked), cmocka_unit_test(orphan),
	    cmocka_unit_test(grown),		   cmocka_unit_test(budgets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
