/* negate: what it costs to negate every decision of one path, without running what comes out:
 *
 *	negate INPUT PROGRAM [ARGUMENTS]
 *
 * Traces PROGRAM on INPUT and goes over its path as a search does: each constraint joins the solver's prefix, before that the
 * decision's other outcome is asked for. Prints "DECISIONS NEGATED SAT UNSAT UNKNOWN SECONDS", the CPU seconds from the finished
 * trace on. Linked with libmuster.a; built by bench/growth. */
#include "base/error.h"
#include "base/file.h"
#include "cmd/targets.h"
#include "search/path.h"
#include "solve/solve.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct run {
	struct buf input;
	struct trace trace;
	struct import import;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(void)
{
	fprintf(stderr, "negate: %s\n", error_text());
	exit(2);
}

static u128 value_in_run(void *ctx, expr_t variable)
{
	const struct run *r = ctx;
	const struct expr_node *n = expr_get(r->import.pool, variable);

	if (n->op == MUSTER_OP_LENGTH)
		return r->input.size;
	return n->op == MUSTER_OP_INPUT && n->k < r->input.size ? (uint8_t)r->input.data[n->k] : 0;
}

static void negate_all(struct run *r, struct path *p, struct sites *sites)
{
	struct solve_options o = {.seconds = 2};
	struct solver *solver = solver_new(&o);
	uint64_t verdicts[3] = {0}, negated = 0;
	double start = now();
	struct exprs *pool = exprs_new();

	import_init(&r->import, &r->trace, pool, r->input.size);
	struct solve_path *path = solve_path_new(solver, pool, value_in_run, r);
	for (size_t i = 0; i < p->steps.size; i++) {
		const struct path_step *step = &p->steps.data[i];
		if (step->kind == MUSTER_EV_BRANCH) {
			struct solve_model m = {0};
			expr_t goal = path_goal(step, !step->outcome, &r->import, sites);
			verdicts[solve_path_query(path, goal, &m)]++;
			solve_model_release(&m);
			negated++;
		}
		if (solve_path_add(path, path_constraint(step, &r->import, sites)) < 0)
			fail();
	}
	printf("%u %llu %llu %llu %llu %.6f\n", p->decisions, (unsigned long long)negated, (unsigned long long)verdicts[VERDICT_SAT],
	       (unsigned long long)verdicts[VERDICT_UNSAT], (unsigned long long)verdicts[VERDICT_UNKNOWN], now() - start);
	solve_path_free(path);
	import_release(&r->import);
	exprs_free(pool);
	solver_free(solver);
}

int main(int argc, char **argv)
{
	struct target_options o = TARGET_DEFAULTS;
	static struct target cov, trace;
	struct run r = {0};
	struct exec *exec = NULL;
	struct path path = {0};
	struct sites sites;
	struct run_result result;

	if (argc < 3) {
		fprintf(stderr, "usage: negate INPUT PROGRAM [ARGUMENTS]\n");
		return 2;
	}
	if (file_read(argv[1], &r.input))
		fail();
	o.shm.events = 1 << 22;
	o.shm.nodes = 1 << 24;
	targets_make(&cov, argv[2], argv + 2, VARIANT_COV, &o);
	targets_make(&trace, argv[2], argv + 2, VARIANT_TRACE, &o);
	struct launcher *launcher = launcher_new(&trace.options);
	if (!launcher || exec_open(&exec, &cov.options, 0))
		fail();
	struct launch_input in = target_input(argv + 2, r.input.data, r.input.size, NULL);
	if (launcher_run(launcher, &in, &result))
		fail();
	targets_check_started(&result);
	if (trace_open(&r.trace, &trace.shm, result.end != RUN_EXIT))
		fail();
	sites_init(&sites, &trace.sites);
	path_read(&path, &r.trace, &sites, exec, 0);
	negate_all(&r, &path, &sites);
	path_release(&path);
	sites_release(&sites);
	trace_release(&r.trace);
	exec_close(exec);
	launcher_free(launcher);
	target_release(&cov);
	target_release(&trace);
	buf_release(&r.input);
	return 0;
}
