/* summaries.c: must summaries of the functions that a campaign's tests run through.
 *
 * The tests that were kept are run once more, each first in the san variant, then in the calls variant in summary mode; every call of a function that the program defines gives a summary (summary/gather.h).
 * Nothing is made of a test that fails in either: what a function does after something undefined is not the program's. Names and types come from debug info. Summaries of a function replace those that the
 * store had of it; the campaign's value `units` names the units that have some.
 */
#include "campaign/summaries.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "campaign/campaign.h"
#include "campaign/gathering.h"
#include "solve/solve.h"

#include <stdlib.h>
#include <string.h>

#define MOST_TESTS 512 /* of a campaign: the first ones, which cover most */

int summaries_put(struct store *store, uint64_t symbol, uint64_t end, const struct summaries *l, struct summary *x)
{
	struct buf formulas = BUF_EMPTY, support = BUF_EMPTY;

	summary_write(l->pool, x, &formulas);
	summary_write_support(x, &support);
	struct store_summary row = {.kind = x->kind == SUMMARY_SEGMENT ? STORE_SUMMARY_SEGMENT : STORE_SUMMARY_FUNCTION, .function = symbol, .end_function = end, .start = x->lp.ordinal,
				    .end = x->lq.ordinal, .pre = formulas.data, .pre_size = formulas.size, .post = "", .support = support.data,
				    .support_size = support.size, .partial = x->why ? x->why : "", .test = x->input};
	int e = store_summary_add(store, &row);
	x->key = row.key;
	buf_release(&formulas);
	buf_release(&support);
	return e;
}

struct summarising {
	struct fuzz *f;
	struct campaign_summarised *out;
	struct gathering g;
	struct confirm *confirm;
	struct solver *solver;
	struct store *store;
	struct buf units; /* digests of units that have summaries, in hexadecimal */
};

/* ------------------------------------------------------------- one test */

/* Does it fail in the san variant? -1 with words. */
static int fails(struct summarising *m, const struct store_test *t)
{
	struct finding found = FINDING_NONE;

	if (confirm_run(m->confirm, t->size ? t->data : "", t->size, &found))
		return -1;
	int bad = found.bug.confirmed || found.cut || *found.bug.kind;
	finding_release(&found);
	return bad;
}

static int each_test(void *ctx, const struct store_test *t)
{
	struct summarising *m = ctx;

	if (deadline_over() || m->out->tests >= MOST_TESTS)
		return 1;
	m->out->tests++;
	int bad = fails(m, t);
	if (bad) {
		m->out->failing += bad > 0;
		return bad < 0 ? -1 : 0;
	}
	return gather_name(&m->g.calls) || gather_run(&m->g.calls, t->size ? t->data : "", t->size, t->id) ? -1 : 0;
}

/* ------------------------------------------------------------- the store */

static void note_unit(struct summarising *m, struct hash128 unit)
{
	char hex[HASH_HEX_SIZE];

	hash_hex(unit, hex);
	if (!strstr(buf_str(&m->units), hex))
		buf_addf(&m->units, "%s%s", m->units.size ? " " : "", hex);
}

static int keep(struct summarising *m, struct gather_function *f)
{
	struct whole_location at;
	uint64_t symbol;
	uint32_t number = (uint32_t)-1;

	for (uint32_t i = 0; i < m->g.whole->symbols.size; i++)
		if (m->g.whole->symbols.data[i].function == f->f.code)
			number = i;
	if (number == (uint32_t)-1 || !f->list.all.size)
		return 0;
	at.unit = m->g.whole->units.data[m->g.whole->symbols.data[number].unit].digest;
	for (size_t i = 0; i < f->list.all.size; i++)
		summary_simplify(&f->list, &f->list.all.data[i], m->solver);
	summaries_join(&f->list, m->solver, NULL);
	note_unit(m, at.unit);
	if (store_begin(m->store))
		return -1;
	int e = store_symbol(m->store, at.unit, f->f.name, &symbol) || store_summary_clear(m->store, symbol);
	for (size_t i = 0; i < f->list.all.size && !e; i++) {
		e = summaries_put(m->store, symbol, symbol, &f->list, &f->list.all.data[i]);
		m->out->partial += f->list.all.data[i].why != NULL;
	}
	if (e) {
		store_rollback(m->store);
		return -1;
	}
	m->out->functions++;
	m->out->summaries += f->list.all.size;
	return store_commit(m->store);
}

/* ------------------------------------------------------------- the whole */

static int open_all(struct summarising *m)
{
	if (gathering_open(&m->g, m->f))
		return -1;
	struct launch_options san = m->g.calls.target.options;
	san.shm = NULL;
	san.server = 0;
	return confirm_open(&m->confirm, m->f->program, &san);
}

int campaign_summarise(struct fuzz *f, struct campaign_summarised *out)
{
	struct solve_options so = {.conflicts = 2000, .no_cache = 1};
	struct summarising m = {.f = f, .out = out};
	char *path = fuzz_store_path(f->o);

	*out = (struct campaign_summarised){0};
	int e = store_open(&m.store, path, 0) ? -1 : 0;
	if (!e && !(e = open_all(&m))) {
		m.solver = solver_new(&so);
		e = store_test_each(m.store, f->shared->campaign, 0, 1, each_test, &m) < 0 ? -1 : 0;
		for (size_t i = 0; i < m.g.calls.functions.size && !e; i++)
			e = keep(&m, &m.g.calls.functions.data[i]);
		if (!e && m.units.size)
			e = store_value_set(m.store, f->shared->campaign, "units", m.units.data, m.units.size);
		solver_free(m.solver);
		out->failing += m.g.broken;
	}
	gathering_close(&m.g);
	confirm_close(m.confirm);
	buf_release(&m.units);
	if (m.store)
		store_close(m.store);
	free(path);
	return e;
}
