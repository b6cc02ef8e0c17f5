/* fill.c: does the program look at memory that nobody wrote?
 *
 * A search is exhaustive if every negation was answered and nothing was lost. What stood in local variables and heap blocks before
 * the program wrote them is no input and in no constraint, but may decide: so before the claim is made, every test is run again in
 * the fill variant with three patterns in that memory. Another outcome, or other counts of branches, in one of them takes the claim
 * back. That they are equal is a test and no proof: other contents might still be told apart.
 */
#include "base/deadline.h"
#include "base/hash.h"
#include "base/mem.h"
#include "campaign/campaign.h"

#include <stdlib.h>
#include <string.h>

#define PATTERNS 3
#define SETTINGS 12

/* What libc fills a block with is the complement of the number; 0 would be no filling at all. */
static const struct pattern {
	const char *locals, *heap;
} patterns[PATTERNS] = {{"MUSTER_FILL=0", "MALLOC_PERTURB_=255"}, {"MUSTER_FILL=1", "MALLOC_PERTURB_=85"}, {"MUSTER_FILL=2", "MALLOC_PERTURB_=60"}};

struct filling {
	struct exec *exec[PATTERNS];
	struct fuzz_filled *result;
	int cut; /* not all tests were run */
};

static uint64_t what_it_did(const struct exec_result *r)
{
	uint64_t end[3] = {(uint64_t)r->end, (uint64_t)r->signal, (uint64_t)r->code};

	return hash64(r->counters, r->count, hash64(end, sizeof end, 0));
}

static int each_test(void *ctx, const struct store_test *t)
{
	struct filling *f = ctx;
	uint64_t did[PATTERNS];

	for (int i = 0; i < PATTERNS; i++) {
		struct exec_result r;

		if (deadline_over() || exec_fresh(f->exec[i], t->size ? t->data : "", t->size, &r))
			return f->cut = 1;
		did[i] = what_it_did(&r);
	}
	f->result->tests++;
	f->result->differ += did[0] != did[1] || did[0] != did[2];
	return 0;
}

/* The target's own environment, and the pattern. */
static void set_pattern(struct launch_options *o, const struct pattern *p, const char **env)
{
	int n = 0;

	for (; o->env && o->env[n] && n < SETTINGS - 3; n++)
		env[n] = o->env[n];
	env[n] = p->locals;
	env[n + 1] = p->heap;
	env[n + 2] = NULL;
	o->env = env;
}

void fuzz_fill(const struct fuzz *f, struct store *store, struct fuzz_filled *result)
{
	struct target_options t = f->o->target;
	struct target target[PATTERNS];
	const char *env[PATTERNS][SETTINGS];
	struct filling fill = {.result = result};
	int ready = 1;

	*result = (struct fuzz_filled){.asked = 1};
	t.time = f->o->run_time;
	for (int i = 0; i < PATTERNS; i++) {
		if (target_make(&target[i], f->program, f->argv, VARIANT_FILL, &t)) {
			ready = 0;
			continue;
		}
		set_pattern(&target[i].options, &patterns[i], env[i]);
		target[i].options.server = 1;
		ready &= !exec_open(&fill.exec[i], &target[i].options, 1);
	}
	result->done = ready && store_test_each(store, f->shared->campaign, 0, 1, each_test, &fill) >= 0 && !fill.cut;
	for (int i = 0; i < PATTERNS; i++) {
		exec_close(fill.exec[i]);
		target_release(&target[i]);
	}
}
