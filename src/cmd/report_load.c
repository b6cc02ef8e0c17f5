/* report_load.c: annotations of places, tests and bugs, read from the store: contracts and summaries at functions, invariants at loops, tests that were the first somewhere, when bugs appeared. */
#include "cmd/report_load.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "cmd/keep.h"
#include "cmd/show.h"
#include "report/bug.h"
#include "search/search.h"
#include "summary/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUMMARIES_SHOWN 50 /* of a function | a page stays readable; muster show summaries has all */

struct loading {
	struct annotations *a;
	const struct stored *of;
	const struct result *result;
	const struct covered *covered;
	const char *file;     /* that the search is about; NULL: a whole program */
	const char *function; /* whose summaries come, and how many came */
	size_t shown;
	struct strmap calls; /* of tests: the id in decimal to an offset in texts */
	struct map results;  /* campaign: number in runs */
	VEC(struct annotation_since) runs; /* of campaigns: the first run */
	uint64_t version;
	const uint64_t *earlier;
	size_t earlier_count;
};

static const char *kept(struct loading *l, const char *text)
{
	return arena_strdup(&l->a->strings, text);
}

/* ------------------------------------------------------------ places */

/* Where a function stands: 1; 0: nobody knows. near: a line of it. */
static int find_function(const struct loading *l, const char *name, uint32_t near, const char **file, uint32_t *line)
{
	int found = 0;

	for (size_t i = 0; i < l->covered->files.size; i++) {
		const struct covered_file *f = &l->covered->files.data[i];
		for (size_t k = 0; k < f->functions.size; k++) {
			const struct covered_function *x = &f->functions.data[k];
			if (strcmp(x->name, name) || (found && (!near || labs((long)x->line - (long)near) >= labs((long)*line - (long)near))))
				continue;
			*file = f->path, *line = x->line;
			found = 1;
		}
	}
	for (size_t i = 0; !found && l->file && i < l->result->functions.size; i++)
		if (!strcmp(l->result->functions.data[i].name, name)) {
			*file = l->file, *line = l->result->functions.data[i].line;
			found = 1;
		}
	return found;
}

static int add_contracts(struct loading *l, const char *value)
{
	struct buf lines = {0};
	int e = store_value_get(l->of->store, l->of->id, value, &lines);
	char *rest = buf_str(&lines), *line;

	while (e > 0 && (line = strsep(&rest, "\n"))) {
		char *clause = strchr(line, '\t');
		struct annotation x = {.kind = ANNOTATION_REQUIRES};
		if (!clause || !clause[1])
			continue;
		*clause++ = 0;
		x.text = kept(l, clause);
		if (find_function(l, line, 0, &x.file, &x.line))
			vec_push(&l->a->places, x);
	}
	buf_release(&lines);
	return e < 0 ? -1 : 0;
}

static int add_summary(void *ctx, const struct summary *s, const char *pre, const char *post, const char *why)
{
	struct loading *l = ctx;
	struct annotation x = {.kind = ANNOTATION_SUMMARY, .test = s->test};

	if (!l->function || strcmp(l->function, s->function))
		l->function = kept(l, s->function), l->shown = 0;
	if (l->shown++ >= SUMMARIES_SHOWN || !find_function(l, s->function, s->line, &x.file, &x.line))
		return 0;
	if (s->kind == SUMMARY_SEGMENT && s->line)
		x.line = s->line;
	x.text = kept(l, pre);
	x.post = kept(l, post);
	x.where = why ? kept(l, why) : NULL;
	vec_push(&l->a->places, x);
	return 0;
}

/* LINE, outcome, text. */
static void add_invariant(struct loading *l, const char *file, char *line)
{
	char *outcome = strchr(line, '\t'), *text = outcome ? strchr(outcome + 1, '\t') : NULL;

	if (!text)
		return;
	*outcome++ = 0, *text++ = 0;
	vec_push(&l->a->places, (struct annotation){.kind = ANNOTATION_INVARIANT, .file = file, .line = (uint32_t)strtoul(line, NULL, 10), .text = kept(l, text), .where = *outcome ? kept(l, outcome) : NULL});
}

/* Those that muster invariants left, if the text is still the one that they are of. */
static int add_invariants(struct loading *l, const char *file)
{
	char *name = mem_printf(KEEP_INVARIANTS "%s", file), hex[HASH_HEX_SIZE];
	struct buf lines = {0}, source = {0};
	int e = store_value_get(l->of->store, 0, name, &lines);

	if (e > 0 && file_is_regular(file) && !file_read(file, &source)) {
		char *rest = buf_str(&lines), *line = strsep(&rest, "\n");
		if (strcmp(line, hash_hex(hash128(source.data, source.size), hex)))
			vec_push(&l->a->stale, file);
		else
			while ((line = strsep(&rest, "\n")))
				add_invariant(l, file, line);
	}
	free(name);
	buf_release(&lines);
	buf_release(&source);
	return e < 0 ? -1 : 0;
}

/* ------------------------------------------------------------ tests */

static int read_calls(struct loading *l, struct buf *texts)
{
	int e = store_value_get(l->of->store, l->of->id, BUG_CALLS, texts);
	char *start = buf_str(texts), *rest = start, *line;

	while (e > 0 && (line = strsep(&rest, "\n"))) {
		char *call = strchr(line, '\t');
		if (call)
			*call = 0, strmap_set(&l->calls, line, (uint64_t)(call + 1 - start));
	}
	return e < 0 ? -1 : 0;
}

struct test_walk {
	struct loading *l;
	const struct buf *texts;
	struct map wanted; /* tests that show bugs */
};

static int add_test(void *ctx, const struct store_test *t)
{
	struct test_walk *w = ctx;
	struct annotations *a = w->l->a;
	char id[24];
	uint64_t at;

	a->all_tests++;
	if (!t->new_outcomes && !map_get(&w->wanted, t->id, NULL))
		return 0;
	snprintf(id, sizeof id, "%" PRIu64, t->id);
	struct annotation_test x = {.id = t->id, .size = t->size, .found = t->found, .outcomes = t->new_outcomes, .origin = search_origin_key(t->origin)};
	x.data = t->size ? arena_copy(&a->strings, t->data, t->size) : NULL;
	x.call = strmap_get(&w->l->calls, id, &at) ? kept(w->l, w->texts->data + at) : NULL;
	map_set(&a->by_id, t->id, a->tests.size);
	vec_push(&a->tests, x);
	return 0;
}

static int add_tests(struct loading *l)
{
	struct buf texts = {0};
	struct test_walk w = {.l = l, .texts = &texts};

	for (size_t i = 0; i < l->result->bugs.size; i++)
		map_set(&w.wanted, l->result->bugs.data[i].test, 1);
	int e = read_calls(l, &texts) || store_test_each(l->of->store, l->of->id, 0, 1, add_test, &w) < 0 ? -1 : 0;
	map_release(&w.wanted);
	buf_release(&texts);
	return e;
}

/* ------------------------------------------------------------ when */

static int see_result(void *ctx, const struct store_result *r)
{
	struct loading *l = ctx;
	uint64_t at;

	if (!map_get(&l->results, r->campaign, &at)) {
		map_set(&l->results, r->campaign, l->runs.size);
		vec_push(&l->runs, (struct annotation_since){.time = r->time, .version = l->version});
	} else if (r->time < l->runs.data[at].time) {
		l->runs.data[at] = (struct annotation_since){.time = r->time, .version = l->version};
	}
	return 0;
}

static int see_version(void *ctx, const struct store_version *v)
{
	struct loading *l = ctx;

	l->version = v->id;
	return store_result_each(l->of->store, v->id, see_result, l);
}

struct since_walk {
	struct loading *l;
	uint64_t campaign;
};

static int see_bug(void *ctx, const struct result_bug *b)
{
	struct since_walk *w = ctx;
	struct loading *l = w->l;
	uint64_t at;

	for (size_t i = 0; i < l->a->since.size; i++) {
		struct annotation_since *x = &l->a->since.data[i];
		if (x->bucket == b->bucket && !x->time && map_get(&l->results, w->campaign, &at))
			x->time = l->runs.data[at].time, x->version = l->runs.data[at].version;
	}
	return 0;
}

/* The oldest campaign that has a bug says when. */
static int add_since(struct loading *l)
{
	int e = store_version_each(l->of->store, see_version, l);

	for (size_t i = 0; i < l->result->bugs.size; i++) {
		const struct result_bug *b = &l->result->bugs.data[i];
		uint64_t at;
		struct annotation_since x = {.bucket = b->bucket, .found = -1, .test = b->test};
		if (map_get(&l->a->by_id, b->test, &at))
			x.found = l->a->tests.data[at].found;
		vec_push(&l->a->since, x);
	}
	for (size_t i = 0; i <= l->earlier_count && !e; i++) {
		struct since_walk w = {l, i < l->earlier_count ? l->earlier[i] : l->of->id};
		e = store_bug_each(l->of->store, w.campaign, see_bug, &w);
	}
	return e ? -1 : 0;
}

int report_load(struct annotations *a, const struct stored *of, const uint64_t *earlier, size_t earlier_count, const struct result *r, const struct covered *covered)
{
	struct loading l = {.a = a, .of = of, .result = r, .covered = covered, .earlier = earlier, .earlier_count = earlier_count};
	struct buf file = {0};
	int e = store_value_get(of->store, of->id, "file", &file) < 0;

	if (file.size)
		l.file = kept(&l, buf_str(&file));
	buf_release(&file);
	e = e || add_contracts(&l, BUG_CONTRACTS) || add_contracts(&l, BUG_CONTRACTS_WEAK) || show_summaries_each(of->store, of->id, add_summary, &l);
	for (size_t i = 0; i < covered->files.size && !e; i++)
		e = add_invariants(&l, covered->files.data[i].path);
	e = e || add_tests(&l) || add_since(&l);
	annotations_sort(a);
	strmap_release(&l.calls);
	map_release(&l.results);
	vec_release(&l.runs);
	return e ? -1 : 0;
}
