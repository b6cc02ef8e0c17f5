/* entered.c: a search of a large program begins with the functions that its seeds enter.
 *
 * The trace variant of a large program takes long to make, and most of its functions are entered late or never. So before it is made, the seeds are run in the cov
 * variant, whose counters say which functions make decisions; these, and functions without decisions that nobody could count, are made first (COPIES_PART, build/copies.h).
 * A traced run that comes to another function ends there and is no run: the worker makes that function, with more that are likely to follow, and runs the input again
 * (fuzz_missing, run/target.h). Neither the search nor the store ever hears of it. The workers take turns at making, and the second finds what the first has made.
 *
 * Only where the environment asks for it (COPIES_PART_VARIABLE): docs/instrumentation.md has what was measured. Not where a search can be repeated to the byte: that one has all functions from the start, and addresses of its code that depend on nothing but the program.
 */
#include "base/deadline.h"
#include "base/error.h"
#include "base/log.h"
#include "build/copies.h"
#include "campaign/campaign.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SEEDS 200    /* that are run first, at most */
#define SECONDS 1.0  /* for them */

int fuzz_may_part(const struct fuzz *f)
{
	return !f->o->search.repeatable && !search_kind_calls(f->o->search.kind) && !getenv(COPIES_VARIABLE);
}

struct entered {
	struct fuzz *f;
	struct target cov;
	struct exec *exec;
	struct copies_list list;
	unsigned runs;
	double until;
};

int fuzz_entered(const struct site_table *t, const struct site_function *f, const uint8_t *counters, uint32_t count)
{
	for (uint32_t i = 0; i < f->decisions; i++) {
		struct site_decision d;

		if (!site_table_decision(t, f->first_decision + i, &d) || d.check)
			continue;
		for (uint32_t k = 0; k < d.outcomes && d.first_outcome + k < count; k++)
			if (counters[d.first_outcome + k])
				return 1;
	}
	return 0;
}

static void take_unit(struct entered *e, const struct site_table *t, const uint8_t *counters, uint32_t count)
{
	struct site_function f;

	for (uint32_t i = 0; i < t->functions; i++)
		if (site_table_function(t, i, &f) && fuzz_entered(t, &f, counters, count))
			copies_list_add(&e->list, f.unit, f.name);
}

static int run(void *ctx, const void *data, size_t size, const char *name)
{
	struct entered *e = ctx;
	struct exec_result r;
	uint32_t count;

	(void)name;
	if (exec_run(e->exec, data, size, &r))
		return -1;
	const struct exec_unit *units = exec_units(e->exec, &count);
	for (uint32_t i = 0; r.end != RUN_CUT && i < count; i++) {
		const struct site_table *t = site_tables_find(&e->cov.sites, units[i].unit);

		if (t && units[i].first + units[i].count <= r.count)
			take_unit(e, t, r.counters + units[i].first, units[i].count);
	}
	return ++e->runs >= SEEDS || deadline_clock() > e->until || deadline_over() || e->f->shared->stop;
}

/* Those that the search would begin with. */
static int run_seeds(struct entered *e)
{
	static const char small[] = "0000000000000000";

	e->until = deadline_clock() + SECONDS;
	if (e->f->o->seeds && outdir_seeds(e->f->o->seeds, e->f->o->search.max_input, run, e) < 0)
		return -1;
	if (e->runs)
		return 0;
	return run(e, "", 0, NULL) < 0 || run(e, small, sizeof small - 1, NULL) < 0 ? -1 : 0;
}

static int make_list(struct entered *e)
{
	struct variant v;

	if (exec_open(&e->exec, &e->cov.options, 0) || run_seeds(e))
		return -1;
	if (copies_complete(&e->list, &e->cov.sites) < copies_part_least() || !e->list.lines.size)
		return 0;
	log_progress("making the trace variant of %s", e->f->program);
	if (variant_make_part(e->f->program, &e->list, &v)) /* a whole one may be possible: whoever opens it says what is wrong */
		return deadline_over() ? -1 : 0;
	variant_release(&v);
	return 0;
}

int fuzz_make_entered(struct fuzz *f)
{
	struct entered e = {.f = f};
	struct target_options t = f->o->target;
	uint64_t instructions = 0;
	int r;

	if (!fuzz_may_part(f) || copies_part_least() == UINT64_MAX)
		return 0;
	t.time = f->o->run_time;
	log_progress("making the cov variant of %s", f->program);
	if (target_make(&e.cov, f->program, f->argv, VARIANT_COV, &t))
		return -1;
	e.cov.options.server = 1;
	for (size_t i = 0; i < e.cov.sites.count; i++)
		instructions += e.cov.sites.tables[i].instructions;
	r = instructions < copies_part_least() ? 0 : make_list(&e);
	exec_close(e.exec);
	target_release(&e.cov);
	copies_list_release(&e.list);
	return r;
}

/* ------------------------------------------------------------------ missing */

/* Workers take turns. One that died has had its turn. */
static int take_turn(struct fuzz *f)
{
	struct timespec pause = {0, 10000000};
	int mine = getpid();

	for (;;) {
		int other = 0;

		if (__atomic_compare_exchange_n(&f->shared->making, &other, mine, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) || other == mine)
			return 1;
		if (kill(other, 0) && errno == ESRCH)
			__atomic_compare_exchange_n(&f->shared->making, &other, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
		if (deadline_over() || f->shared->stop)
			return 0;
		nanosleep(&pause, NULL);
	}
}

int fuzz_missing(void *ctx, struct launcher *l, uint64_t site)
{
	struct fuzz_part *p = ctx;
	struct fuzz *f = p->f;
	enum fuzz_stage stage = f->figures->stage;
	int r = 1, still = log_still;

	fuzz_stage(f, FUZZ_STAGE_MAKE);
	if (take_turn(f)) {
		log_still = 1; /* the search has the screen */
		r = target_more(p->target, l, site);
		log_still = still;
		__atomic_store_n(&f->shared->making, 0, __ATOMIC_RELEASE);
	}
	if (!r)
		f->shared->parts_made++;
	f->shared->copies = p->target->variant.copies;
	fuzz_stage(f, stage);
	return r;
}
