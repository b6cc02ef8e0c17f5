/* covering.c: summaries that cover all states of a function that was verified with summaries of its callees.
 *
 * Compositional search has a test for each path of the function itself, not for each path through its callees, so summaries of whole traces leave states out. But the paths that the search did look at are known: a
 * test is run once more in the mode in which the search saw it, with summaries in the place of calls, and P is what its caller decided, over choices between what the summaries give; Q likewise. This is a must summary if each of
 * the calls is exact (search/compose.h: the summaries are all there, and say all that the caller sees) and none of the summaries fails: what they say about their function is true in every state. That the search left no such
 * path out is what verified means; so these summaries hold together in every state, as those of an ordinary search do.
 *
 * Of them only those are kept that have states which no summary of a whole trace has, for the latter are easier to read.
 */
#include "unit/composing.h"
#include "unit/summarise_inside.h"

#include "base/log.h"
#include "base/mem.h"

#include <stdlib.h>

struct covering {
	struct target target;
	struct launcher *launcher;
	struct composing *composing;
	struct compose_run calls;
};

static struct covering *open_covering(struct making *m)
{
	struct test_session *s = m->s;
	struct covering *c = m->covering = mem_zalloc(sizeof *c);
	struct target_options o = TARGET_DEFAULTS;

	o.time = s->o->run_time * 4;
	o.mem_mb = 4096;
	o.shm.events = 1 << 20;
	o.shm.nodes = 1 << 22;
	o.shm.table_limit = 4096;
	o.shm.flags = MUSTER_FLAG_MEMORY | MUSTER_FLAG_CALLS | MUSTER_FLAG_SUMMARIES | MUSTER_FLAG_OUTPUTS | MUSTER_FLAG_COMPOSE;
	if (target_make(&c->target, s->driven.program, s->driven.argv, VARIANT_CALLS, &o))
		return NULL;
	c->target.options.directory = s->driven.scratch;
	c->target.options.server = 1;
	c->launcher = launcher_new(&c->target.options);
	c->composing = c->launcher ? composing_new(s, c->target.variant.path) : NULL;
	return c->composing ? c : NULL;
}

void covering_close(struct making *m)
{
	struct covering *c = m->covering;

	if (!c)
		return;
	compose_run_release(&c->calls);
	composing_free(c->composing);
	launcher_free(c->launcher);
	target_release(&c->target);
	free(c);
	m->covering = NULL;
}

void covering_read(struct making *m, const struct trace *t)
{
	m->inexact = 0;
	m->path.skip = NULL;
	if (!m->composed)
		return;
	compose_read(composing_compose(m->covering->composing), &m->covering->calls, t);
	m->path.skip = compose_skips;
	m->path.skip_ctx = &m->covering->calls;
}

/* Does the call do what its summaries say, in every state? */
static int is_exact(const struct compose_call *k)
{
	return k->exact && !k->unfolded && k->holds == EXPR_NONE && k->fails == EXPR_NONE && k->escapes == EXPR_NONE;
}

void covering_bind(struct making *m)
{
	if (!m->composed)
		return;
	struct compose_run *r = &m->covering->calls;
	compose_bind(composing_compose(m->covering->composing), r, &m->import);
	for (size_t i = 0; i < r->replaced.size; i++)
		m->inexact |= !is_exact(&r->calls.data[r->replaced.data[i]]);
}

static int run_composed(struct making *m)
{
	struct covering *c = m->covering;
	size_t count;
	int e = 0;

	if (composing_prepare(c->composing, (uint32_t)(m->f - m->s->functions.data), &c->target.sites) < 0)
		return -1;
	const struct muster_function *list = compose_functions(composing_compose(c->composing), &count);
	if (shm_set_functions(&c->target.shm, list, count))
		return -1;
	for (size_t i = 0; i < m->f->tests.size && !e && !test_late(m->s); i++)
		e = making_run(m, &m->f->tests.data[i]);
	return e;
}

/* Those from `first` on that have no state of their own are dropped. */
static void drop_covered(struct making *m, size_t first)
{
	struct summaries *l = m->l;
	size_t kept = first;

	for (size_t i = first; i < l->all.size; i++)
		if (summary_is_covered(l, &l->all.data[i], kept, m->solver))
			summary_release(&l->all.data[i]);
		else
			l->all.data[kept++] = l->all.data[i];
	l->all.size = kept;
}

int covering_run(struct making *m)
{
	struct sites sites = m->sites;
	struct target *target = m->target;
	struct launcher *launcher = m->launcher;
	size_t first = m->l->all.size;

	if (!m->f->result.composed || m->f->verdict != TEST_VERIFIED)
		return 0;
	if (!m->covering && !open_covering(m))
		return -1;
	m->target = &m->covering->target;
	m->launcher = m->covering->launcher;
	sites_init(&m->sites, &m->target->sites);
	m->composed = 1;
	int e = run_composed(m);
	m->composed = 0;
	m->inexact = 0;
	m->path.skip = NULL;
	sites_release(&m->sites);
	m->sites = sites, m->target = target, m->launcher = launcher;
	if (!e)
		drop_covered(m, first);
	if (!e && m->l->all.size > first)
		log_info("%s: %zu summaries in which those of callees stand for calls", m->f->name, m->l->all.size - first);
	return e;
}
