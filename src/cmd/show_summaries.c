/* show_summaries.c: muster show summaries [F]: what functions do, as pre- and postconditions in C.
 *
 * A function's summaries are read from the store and written by src/summary; nothing is built or run. They are of the unit that the campaign was about.
 */
#include "cmd/show.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "summary/summary.h"
#include "unit/recall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One summary as it is shown; those of a function are shown in the order of their tests. */
#define CONJUNCTS_SHOWN 24 /* conditions of a summary on a page of the report | a screen; a path through a loop of 4096 rounds has 32,772 */
#define TEXT_SHOWN 2000	   /* letters of them | likewise; one value may have a megabyte */

struct shown {
	struct summary s;
	char *pre, *post, *smt;
	char *why;
	char *end; /* summary.end_function */
	VEC(char *) functions; /* whose code it rests on */
};

struct showing {
	struct store *store;
	struct json *json; /* NULL: for people */
	const char *function; /* or NULL */
	int smt2;
	uint64_t campaign;
	const char *name; /* of the function that is shown */
	struct buf graph; /* of its segments */
	VEC(struct shown) list; /* its summaries */
	uint64_t count;
	int (*each)(void *ctx, const struct summary *s, const char *pre, const char *post, const char *why); /* NULL: they are printed */
	void *ctx;
};

/* The number of a key in the first line of the graph; -1. */
static long number_of(const char *graph, const char *id)
{
	const char *end = graph + strcspn(graph, "\n"), *at = strstr(graph, id);

	return at && at < end ? (at - graph) / HASH_HEX_SIZE : -1;
}

/* Those that follow a segment, each once, with the first test in which it does. The graph: a line of keys, then a line for each path: its test, and numbers of keys. */
static void print_next(struct showing *x, const char *id)
{
	struct json *j = x->json;
	const char *graph = buf_str(&x->graph), *keys = graph;
	long own = number_of(graph, id);
	struct map seen = {0};

	json_key(j, "next"), json_array_open(j);
	for (const char *line = strchr(graph, '\n'); line && own >= 0; line = strchr(line + 1, '\n')) {
		char *p;
		unsigned long long test = strtoull(line + 1, &p, 10);
		for (long last = -1; *p == ' ';) {
			long now = p[1] == '-' ? (p += 2, -1) : strtol(p + 1, &p, 10);
			if (last == own && now >= 0 && (size_t)now * HASH_HEX_SIZE + HASH_HEX_SIZE - 1 <= strcspn(keys, "\n") && map_set(&seen, (uint64_t)now, 1)) {
				char *key = mem_strndup(keys + now * HASH_HEX_SIZE, HASH_HEX_SIZE - 1);
				json_object_open(j);
				json_key(j, "id"), json_str(j, key);
				json_key(j, "test"), json_id(j, test);
				json_object_close(j);
				free(key);
			}
			last = now;
		}
	}
	json_array_close(j);
	map_release(&seen);
}

static void print_json(struct showing *x, const struct shown *o)
{
	struct json *j = x->json;
	const struct summary *s = &o->s;
	char hex[HASH_HEX_SIZE];

	json_object_open(j);
	json_key(j, "id"), json_str(j, hash_hex(s->key, hex));
	json_key(j, "function"), json_str(j, x->name);
	json_key(j, "kind"), json_str(j, s->kind == SUMMARY_FUNCTION ? "function" : s->end_function ? "across" : "segment");
	if (s->end_function)
		json_key(j, "end_function"), json_str(j, s->end_function), json_key(j, "begins"), json_str(j, s->lp.ordinal == SUMMARY_ENTRY ? "entry" : "loop");
	json_key(j, "pre"), json_str(j, o->pre);
	json_key(j, "post"), json_str(j, o->post);
	json_key(j, "partial"), json_bool(j, o->why != NULL);
	json_key(j, "why"), json_str(j, o->why);
	json_key(j, "test"), json_id(j, s->test);
	json_key(j, "line"), json_u64(j, s->line);
	json_key(j, "end_line"), json_u64(j, s->end_line);
	json_key(j, "paths"), json_u64(j, s->paths);
	json_key(j, "called"), json_bool(j, s->called);
	json_key(j, "functions"), json_array_open(j);
	for (size_t i = 0; i < o->functions.size; i++)
		json_str(j, o->functions.data[i]);
	json_array_close(j);
	if (s->kind == SUMMARY_SEGMENT)
		print_next(x, hex);
	if (x->smt2)
		json_key(j, "smt2"), json_str(j, o->smt);
	json_object_close(j);
}

static void print_words(const struct showing *x, const struct shown *o)
{
	if (x->smt2) {
		printf("%s", o->smt);
		return;
	}
	if (o->s.kind == SUMMARY_SEGMENT) {
		const char *from = o->s.lp.ordinal == SUMMARY_ENTRY ? "the entry" : "the loop in line";
		const char *to = o->s.lq.ordinal == SUMMARY_EXIT ? "the end" : o->s.lq.ordinal == SUMMARY_ENTRY ? "the entry" : "the loop in line";
		printf("  from %s", from);
		if (o->s.lp.ordinal != SUMMARY_ENTRY)
			printf(" %u", o->s.line);
		printf(" to %s", to);
		if (o->s.lq.ordinal != SUMMARY_EXIT && o->s.lq.ordinal != SUMMARY_ENTRY)
			printf(" %u", o->s.end_line);
		if (o->s.end_function)
			printf(" of %s, which it calls", o->s.end_function);
		printf("\n");
	}
	printf("  pre   %s\n  post  %s\n", o->pre, o->post);
	if (o->why)
		printf("  partial: %s\n", o->why);
	printf("  test %llu", (unsigned long long)o->s.test);
	if (o->s.paths > 1)
		printf(", %llu paths", (unsigned long long)o->s.paths);
	if (o->s.called && o->s.kind == SUMMARY_FUNCTION)
		printf(", from a call");
	printf("\n\n");
}

/* For a page, some of them: a path through a long loop has thousands. */
static void conjuncts_text(const struct showing *x, struct summaries *l, const expr_t *conjuncts, size_t count, struct buf *out)
{
	size_t shown = x->each && count > CONJUNCTS_SHOWN ? CONJUNCTS_SHOWN : count;

	summary_c(l, conjuncts, shown, out);
	if (x->each && out->size > TEXT_SHOWN) {
		size_t all = out->size;
		out->size = TEXT_SHOWN;
		buf_addf(out, " ... %zu more letters ('muster show summaries %s' has all)", all - TEXT_SHOWN, x->name);
	} else if (shown < count) {
		buf_addf(out, " && ... %zu more ('muster show summaries %s' has all)", count - shown, x->name);
	}
}

static int take(void *ctx, const struct store_summary *m)
{
	struct showing *x = ctx;
	struct summaries l;
	struct shown o = {.s = {.key = m->key, .kind = m->kind == STORE_SUMMARY_FUNCTION ? SUMMARY_FUNCTION : SUMMARY_SEGMENT, .function = x->name, .lp = {.ordinal = m->start},
			     .lq = {.ordinal = m->end}}};
	struct buf pre = BUF_EMPTY, post = BUF_EMPTY, smt = BUF_EMPTY;

	summaries_init(&l);
	int e = summary_read(&l, m->pre, m->pre_size, &o.s) ||
		summary_read_support(&l, m->support, m->support_size, &o.s);
	if (!e) {
		conjuncts_text(x, &l, o.s.pre.data, o.s.pre.size, &pre);
		conjuncts_text(x, &l, o.s.post.data, o.s.post.size, &post);
		if (x->smt2)
			summary_smtlib(&l, &o.s, &smt);
		for (size_t i = 0; i < o.s.functions.size; i++)
			vec_push(&o.functions, mem_strdup(o.s.functions.data[i]));
	}
	o.s.end_function = o.end = o.s.end_function ? mem_strdup(o.s.end_function) : NULL;
	summary_release(&o.s);
	memset(&o.s.pre, 0, sizeof o.s.pre);
	summaries_release(&l);
	o.pre = buf_take(&pre), o.post = buf_take(&post), o.smt = buf_take(&smt);
	o.why = *m->partial ? mem_strdup(m->partial) : NULL;
	vec_push(&x->list, o);
	return e ? -1 : 0;
}

static int by_test(const void *a, const void *b)
{
	const struct shown *x = a, *y = b;

	if (x->s.kind != y->s.kind)
		return x->s.kind == SUMMARY_FUNCTION ? -1 : 1;
	if (x->s.kind == SUMMARY_SEGMENT && x->s.lp.ordinal != y->s.lp.ordinal)
		return x->s.lp.ordinal < y->s.lp.ordinal ? -1 : 1;
	return x->s.test != y->s.test ? (x->s.test < y->s.test ? -1 : 1) : strcmp(x->pre, y->pre);
}

static int show_function(void *ctx, uint64_t symbol, const char *name)
{
	struct showing *x = ctx;

	if (x->function && strcmp(x->function, name))
		return 0;
	x->name = name;
	vec_clear(&x->list);
	struct buf key = BUF_EMPTY;
	buf_addf(&key, "graph %s", name);
	buf_clear(&x->graph);
	int e = store_value_get(x->store, x->campaign, buf_str(&key), &x->graph) < 0 || store_summary_each(x->store, symbol, take, x) ? -1 : 0;
	buf_release(&key);
	if (x->list.size)
		qsort(x->list.data, x->list.size, sizeof *x->list.data, by_test);
	if (x->list.size && !e && !x->json && !x->smt2 && !x->each)
		printf(x->list.data[0].s.kind == SUMMARY_FUNCTION ? "%s, line %u\n" : "%s\n", name, x->list.data[0].s.line);
	for (size_t i = 0; i < x->list.size; i++) {
		struct shown *o = &x->list.data[i];
		if (!e && x->each)
			e = x->each(x->ctx, &o->s, o->pre, o->post, o->why);
		else if (!e && x->json)
			print_json(x, o);
		else if (!e)
			print_words(x, o);
		free(o->end), free(o->pre), free(o->post), free(o->smt), free(o->why);
		for (size_t k = 0; k < o->functions.size; k++)
			free(o->functions.data[k]);
		vec_release(&o->functions);
	}
	x->count += x->list.size;
	return e;
}

/* Of a campaign over a whole program: its units, one after the other. */
static int show_units(struct showing *x, int *there)
{
	struct buf units = BUF_EMPTY;
	int e = store_value_get(x->store, x->campaign, "units", &units) < 0;
	char half[17] = {0};

	for (size_t at = 0; at + 32 <= units.size && !e; at += 33) {
		struct hash128 unit;
		memcpy(half, units.data + at, 16);
		unit.a = strtoull(half, NULL, 16);
		memcpy(half, units.data + at + 16, 16);
		unit.b = strtoull(half, NULL, 16);
		*there = 1;
		e = store_symbol_each(x->store, unit, show_function, x);
	}
	buf_release(&units);
	return e ? -1 : 0;
}

/* Of the campaign's file, or of its units. there: it made some. */
static int show_all(struct showing *x, int *there)
{
	struct hash128 unit = {0};
	*there = recall_unit(x->store, x->campaign, &unit);

	int e = *there < 0 || (*there > 0 && store_symbol_each(x->store, unit, show_function, x)) || (!*there && show_units(x, there));
	vec_release(&x->list);
	buf_release(&x->graph);
	return e ? -1 : 0;
}

int show_summaries_each(struct store *s, uint64_t campaign, int (*f)(void *ctx, const struct summary *s, const char *pre, const char *post, const char *why), void *ctx)
{
	struct showing x = {.store = s, .campaign = campaign, .each = f, .ctx = ctx};
	int there;

	return show_all(&x, &there);
}

int show_summaries(struct store *s, uint64_t campaign, const char *function, int smt2, struct json *j)
{
	struct showing x = {.store = s, .json = j, .function = function, .smt2 = smt2, .campaign = campaign};
	int there;

	if (show_all(&x, &there))
		return -1;
	if (!x.count && !j)
		printf(function && there ? "there is no summary of '%s'\n" : "there are no summaries: 'muster test --summaries FILE.c' or 'muster fuzz --summaries' makes them\n", function);
	return 0;
}
