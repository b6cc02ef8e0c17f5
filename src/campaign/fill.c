/* fill.c: does the program look at memory that was never written?
 *
 * A search is exhaustive if every negation was answered and nothing was lost. What stood in local variables and heap blocks before
 * the program wrote them is no input and in no constraint, but may decide: so before the claim is made, every test is run again in
 * the fill variant with three patterns in that memory. Another outcome, or other counts of branches, in one of them takes the claim
 * back. That they are equal is a test and no proof: other contents might still make a difference.
 *
 * Where heap blocks stand is no input either. It depends on the input where the size of a block does: after a search that saw such a size the runs have their
 * blocks at other places, too, and in one of them a program that looks at addresses is ended, which is a difference.
 */
#include "base/deadline.h"
#include "base/hash.h"
#include "base/mem.h"
#include "campaign/campaign.h"

#include <stdlib.h>
#include <string.h>

#define PATTERNS 3
#define SETTINGS 12

static const char *const patterns[PATTERNS] = {"MUSTER_FILL=0", "MUSTER_FILL=1", "MUSTER_FILL=2"}; /* runtime/fill.c, runtime/places.c */

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

/* The target's own environment, and the pattern; sized: the places of heap blocks follow it, too. */
static void set_pattern(struct launch_options *o, const char *pattern, int sized, const char **env)
{
	int n = 0;

	for (; o->env && o->env[n] && n < SETTINGS - 3; n++)
		env[n] = o->env[n];
	env[n++] = pattern;
	if (sized)
		env[n++] = "MUSTER_PLACES=1";
	env[n] = NULL;
	o->env = env;
}

void fuzz_fill(const struct fuzz *f, struct store *store, struct fuzz_filled *result)
{
	struct target_options t = f->o->target;
	struct target target[PATTERNS];
	const char *env[PATTERNS][SETTINGS];
	struct filling fill = {.result = result};
	struct buf note = BUF_EMPTY;
	int ready = 1, sized = store_value_get(store, f->shared->campaign, "sized", &note) != 0; /* an error counts as yes */

	buf_release(&note);
	for (uint64_t i = 0; i < f->o->workers; i++)
		sized |= f->shared->workers[i].losses.sized != 0;
	*result = (struct fuzz_filled){.asked = 1};
	t.time = f->o->run_time;
	for (int i = 0; i < PATTERNS; i++) {
		if (target_make(&target[i], f->program, f->argv, VARIANT_FILL, &t)) {
			ready = 0;
			continue;
		}
		set_pattern(&target[i].options, patterns[i], sized, env[i]);
		target[i].options.server = 1;
		ready &= !exec_open(&fill.exec[i], &target[i].options, 1);
	}
	result->done = ready && store_test_each(store, f->shared->campaign, 0, 1, each_test, &fill) >= 0 && !fill.cut;
	for (int i = 0; i < PATTERNS; i++) {
		exec_close(fill.exec[i]);
		target_release(&target[i]);
	}
}
