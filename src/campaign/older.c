/* older.c: what a search knows of the version of the program before this one.
 *
 * The store has the records of every version that was searched. Both are joined and matched (ir/match.h), and the functions that the change reaches are those with modified code and those that are
 * new; where such a function makes no decision of its own, so that no counter says whether a run enters it, its callers stand for it. Tests whose runs enter one are explored first. This is an order and no more:
 * nothing is left out because of it, so a poor matching costs time and no finding.
 *
 * What is said of an old bug is what runs of its input showed: `fixed` only if three of them in a row ended without a failure.
 */
#include "campaign/older.h"

#include "base/error.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "build/join.h"
#include "campaign/campaign.h"
#include "campaign/versions.h"
#include "ir/match.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIXED_RUNS 3 /* that must pass: what depends on addresses or on time often fails in one of them */

/* ------------------------------------------------------------ which version */

struct searched {
	struct store *store;
	uint64_t campaign, version, number;
	double seconds;
};

static int take_result(void *ctx, const struct store_result *r)
{
	struct searched *s = ctx;

	if (r->campaign != s->campaign)
		return 0;
	s->seconds += r->seconds;
	if (r->number >= s->number) {
		s->number = r->number;
		s->version = r->version;
	}
	return 0;
}

struct ids {
	VEC(uint64_t) list;
};

static int take_id(void *ctx, const struct store_version *v)
{
	struct ids *ids = ctx;

	vec_push(&ids->list, v->id);
	return 0;
}

/* A search that was killed has no result: what it noted at its start comes first. */
int older_version(struct store *store, uint64_t campaign, uint64_t *version, double *seconds)
{
	struct searched s = {.store = store, .campaign = campaign};
	struct ids ids = {0};
	struct buf noted = {0};
	int e = store_version_each(store, take_id, &ids) < 0 ? -1 : 0;

	for (size_t i = 0; i < ids.list.size && !e; i++)
		e = store_result_each(store, ids.list.data[i], take_result, &s) < 0 ? -1 : 0;
	if (!e && store_value_get(store, campaign, "version", &noted) > 0)
		s.version = strtoull(buf_str(&noted), NULL, 10);
	*version = s.version;
	*seconds = s.seconds;
	buf_release(&noted);
	vec_release(&ids.list);
	return e;
}

int older_note_version(struct fuzz *f)
{
	char text[24];
	int size = snprintf(text, sizeof text, "%" PRIu64, f->shared->version);

	return store_value_set(f->records.store, f->records.campaign, "version", text, (size_t)size);
}

struct other {
	struct fuzz *f;
	VEC(uint64_t) found; /* the one that was used last at the end */
};

static int take_campaign(void *ctx, uint64_t id, struct hash128 key, const char *program, const char *command)
{
	struct other *o = ctx;

	(void)key;
	if (id != o->f->records.campaign && !strcmp(program, o->f->program) && !strcmp(command, o->f->command))
		vec_push(&o->found, id);
	return 0;
}

int older_campaign(struct fuzz *f, uint64_t *campaign)
{
	struct other o = {.f = f};
	uint64_t version = 0;
	double seconds;
	int r = store_campaign_each(f->records.store, take_campaign, &o) < 0 ? -1 : 0;

	if (!r && o.found.size) {
		*campaign = o.found.data[o.found.size - 1];
		r = older_version(f->records.store, *campaign, &version, &seconds);
		if (!r)
			r = version && version != f->shared->version && store_test_count(f->records.store, *campaign);
	}
	vec_release(&o.found);
	return r;
}

/* ------------------------------------------------------ what a change reaches */

struct reached_function {
	const struct site_table *table;
	struct site_function function;
};

struct older_reach {
	VEC(struct reached_function) functions;
};

/* Functions of a unit's table that have counters, by name. */
static void note_counted(const struct site_tables *sites, struct strmap *out)
{
	for (size_t i = 0; i < sites->count; i++) {
		const struct site_table *t = &sites->tables[i];
		struct site_function f;

		for (uint32_t k = 0; k < t->functions; k++)
			if (site_table_function(t, k, &f) && f.decisions)
				strmap_set(out, f.name, 1);
	}
}

static int is_counted(const struct strmap *counted, const char *name)
{
	uint64_t value;

	return strmap_get(counted, name, &value);
}

/* By symbol of the new version: its own code is another one, or it is new. */
static uint8_t *mark_changed(const struct match *m, struct older *o)
{
	const struct whole *w = m->new;
	uint8_t *mark = mem_zalloc(w->symbols.size + 1);

	o->functions = o->changed = 0;
	for (uint32_t i = 0; i < w->symbols.size; i++) {
		uint32_t old = m->to_old[i];

		if (!w->symbols.data[i].function)
			continue;
		o->functions++;
		mark[i] = old == CODE_NONE || !m->functions[old] || m->classes[old] & MATCH_M;
		o->changed += mark[i];
	}
	return mark;
}

/* Until every one that is marked has counters, or a caller of it does. */
static void mark_callers(const struct whole *w, const struct strmap *counted, uint8_t *mark)
{
	for (int again = 1; again;) {
		again = 0;
		for (uint32_t i = 0; i < w->symbols.size; i++) {
			const struct whole_symbol *s = &w->symbols.data[i];

			for (uint32_t k = 0; k < s->callees && !mark[i]; k++) {
				uint32_t callee = w->callees.data[s->first_callee + k];

				if (mark[callee] && !is_counted(counted, w->symbols.data[callee].name))
					again = mark[i] = 1;
			}
		}
	}
}

/* A static of the same name in another unit is taken along. */
static void take_marked(struct older_reach *r, const struct site_tables *sites, const struct strmap *names)
{
	for (size_t i = 0; i < sites->count; i++) {
		struct reached_function e = {.table = &sites->tables[i]};

		for (uint32_t k = 0; k < e.table->functions; k++)
			if (site_table_function(e.table, k, &e.function) && e.function.decisions && is_counted(names, e.function.name))
				vec_push(&r->functions, e);
	}
}

static void fill_reach(struct older_reach *r, struct fuzz *f, const struct match *m)
{
	const struct whole *w = m->new;
	const struct site_tables *sites = &f->run.cov.sites;
	struct strmap counted = {0}, names = {0};
	uint8_t *mark = mark_changed(m, &f->shared->older);

	note_counted(sites, &counted);
	mark_callers(w, &counted, mark);
	for (uint32_t i = 0; i < w->symbols.size; i++)
		if (mark[i])
			strmap_set(&names, w->symbols.data[i].name, 1);
	take_marked(r, sites, &names);
	free(mark);
	strmap_release(&counted);
	strmap_release(&names);
}

struct older_reach *older_reach_new(struct fuzz *f, uint64_t version)
{
	struct older_reach *r = NULL;
	char *path = fuzz_store_path(f->o);
	struct whole *old = version_stored(f->records.store, version, path, NULL);
	struct whole *new = old ? version_stored(f->records.store, f->shared->version, path, NULL) : NULL;

	if (new) {
		struct match *m = match_new(old, new);

		r = mem_zalloc(sizeof *r);
		fill_reach(r, f, m);
		match_free(m);
	} else {
		log_info("which functions changed is not known: %s", error_text());
	}
	whole_free(old);
	whole_free(new);
	free(path);
	return r;
}

void older_reach_free(struct older_reach *r)
{
	if (!r)
		return;
	vec_release(&r->functions);
	free(r);
}

int older_reaches(const struct older_reach *r, struct fuzz *f, const void *data, size_t size)
{
	struct exec_result run;
	uint32_t count;

	if (!r || !r->functions.size)
		return 0;
	if (exec_run(f->run.exec, data, size, &run))
		return -1;
	const struct exec_unit *units = exec_units(f->run.exec, &count);
	for (size_t i = 0; i < r->functions.size && run.end != RUN_CUT; i++) {
		const struct reached_function *e = &r->functions.data[i];

		for (uint32_t k = 0; k < count; k++)
			if (units[k].unit == e->table->unit && units[k].first + units[k].count <= run.count &&
			    fuzz_entered(e->table, &e->function, run.counters + units[k].first, units[k].count))
				return 1;
	}
	return 0;
}

/* ------------------------------------------------------------------ old bugs */

const char *older_fate_words(enum older_fate fate)
{
	static const char *const words[] = {
#define X(name, words) words,
	    OLDER_FATES(X)
#undef X
	};
	return words[fate];
}

int older_judge(struct fuzz *f, const struct result_bug *b, struct finding *x, enum older_fate *fate)
{
	*fate = OLDER_FIXED;
	for (int i = 0; i < FIXED_RUNS && *fate == OLDER_FIXED; i++) {
		finding_release(x);
		*x = FINDING_NONE;
		if (fuzz_fails_still(f, b, x))
			return -1;
		if (x->bug.confirmed)
			*fate = finding_with(x, b->bucket) || (!strcmp(x->bug.kind, b->kind) && !strcmp(x->bug.function, b->function)) ? OLDER_STILL : OLDER_UNKNOWN;
		else if (x->cut || fuzz_leaving(f))
			*fate = OLDER_UNKNOWN;
	}
	return 0;
}

void older_fate_add(struct buf *list, const struct result_bug *b, enum older_fate fate)
{
	buf_addf(list, "%016" PRIx64 " %d ", b->bucket, (int)fate);
	for (const char *at = b->summary; *at; at++)
		buf_addc(list, *at == '\n' ? ' ' : *at);
	buf_addc(list, '\n');
}

int older_fates_set(struct fuzz *f, const struct buf *list)
{
	return store_value_set(f->records.store, f->records.campaign, "fates", list->size ? list->data : (const void *)"", list->size);
}

int older_fates_each(struct store *s, uint64_t campaign, int (*f)(void *ctx, uint64_t bucket, enum older_fate fate, const char *words), void *ctx)
{
	struct buf list = {0};
	int r = store_value_get(s, campaign, "fates", &list) < 0 ? -1 : 0;
	char *at = buf_str(&list), *line;

	while (!r && (line = strsep(&at, "\n"))) {
		uint64_t bucket;
		int fate, words = 0;

		if (sscanf(line, "%16" SCNx64 " %d %n", &bucket, &fate, &words) == 2 && words && fate >= 0 && fate < OLDER_FATE_COUNT)
			r = f(ctx, bucket, (enum older_fate)fate, line + words);
	}
	buf_release(&list);
	return r;
}
