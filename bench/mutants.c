/* mutants: how many mutants a CPU second the mutation stage runs, and what it finds:
 *
 *	mutants RUNS PROGRAM SEED...
 *
 * The stage alone, with the cov variant of PROGRAM (a harness), no solver and no store; repeatable, so that two builds of muster do the same
 * work. Prints "MUTANTS FOUND OUTCOMES DIGEST CPU OWN": DIGEST is a hash of all inputs that were found, in their order; CPU the processor
 * seconds of everything, OWN those of this process alone. Linked with libmuster.a; built by bench/mutants. */
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "cmd/targets.h"
#include "search/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

struct bench {
	struct cover cover;
	struct stage *stage;
	uint64_t found, digest;
};

static void fail(void)
{
	fprintf(stderr, "mutants: %s\n", error_text());
	exit(2);
}

static double used(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static int found(void *ctx, uint64_t parent, const uint8_t *data, size_t size, const struct exec_result *r, struct cover_news news)
{
	struct bench *b = ctx;

	(void)parent, (void)news;
	b->found++;
	b->digest = hash64(data, size, b->digest);
	cover_look(&b->cover, r, 1, NULL, NULL);
	if (r->end == RUN_EXIT)
		stage_add(b->stage, b->found, data, size, r);
	return 0;
}

int main(int argc, char **argv)
{
	struct target_options t = TARGET_DEFAULTS;
	struct stage_options o = {.repeatable = 1};
	struct stage_hooks hooks = {.found = found};
	struct bench b = {0};
	static struct target cov;
	struct exec *exec = NULL;
	struct havoc havoc;
	double own, before, children;
	char *program[] = {argc > 2 ? argv[2] : NULL, NULL};

	if (argc < 4) {
		fprintf(stderr, "usage: mutants RUNS PROGRAM SEED...\n");
		return 2;
	}
	t.time = 1;
	targets_make(&cov, program[0], program, VARIANT_COV, &t);
	before = used(RUSAGE_SELF);
	children = used(RUSAGE_CHILDREN);
	if (exec_open(&exec, &cov.options, 0))
		fail();
	cover_init(&b.cover);
	havoc_init(&havoc, 1, 1 << 20);
	hooks.ctx = &b;
	b.stage = stage_new(&o, exec, &b.cover, &havoc, &hooks);
	for (int i = 3; i < argc; i++) {
		struct buf seed = BUF_EMPTY;
		struct exec_result r;

		if (file_read(argv[i], &seed) || exec_run(exec, seed.data, seed.size, &r))
			fail();
		cover_look(&b.cover, &r, 1, NULL, NULL);
		stage_add(b.stage, b.found, seed.data, seed.size, &r);
		buf_release(&seed);
	}
	if (stage_run(b.stage, strtoull(argv[1], NULL, 10)))
		fail();
	uint64_t mutants = stage_stats(b.stage)->runs;
	stage_free(b.stage);
	exec_close(exec); /* its processes are waited for, and then count */
	own = used(RUSAGE_SELF) - before;
	printf("%llu %llu %llu %016llx %.2f %.2f\n", (unsigned long long)mutants, (unsigned long long)b.found, (unsigned long long)b.cover.covered,
	       (unsigned long long)b.digest, own + used(RUSAGE_CHILDREN) - children, own);
	havoc_release(&havoc);
	cover_release(&b.cover);
	target_release(&cov);
	return 0;
}
