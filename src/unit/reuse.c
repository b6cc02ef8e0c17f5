/* reuse.c: what earlier runs found out about functions that have not changed since.
 *
 * When a run ends, the campaign keeps for each function a *key* and how its search ended. The key is a hash of all that this depends on: the support of the function (ir/support.h), what its inputs mean
 * (harness_digest), the options that say what is searched for, and muster itself. A later run, of whatever version, that finds the key again does not search the function: it
 * takes the tests, runs them in the cov variant (coverage is counted, not believed), and takes over how the search had ended and what the checks found out (carry.c). The input of each bug is run in the san variant: findings are seen again, or not.
 *
 * A search that ended for want of budget is taken over by a run with the same budget; one that came to its end, by any. Functions with findings that only the traced runs of a search show (conversions, the checkers' own tests) are searched again.
 * A function that did change, but takes inputs of the same meaning, begins with the tests it had.
 *
 * The bugs of the newest earlier version are run on this one: fixed if the input passes, still there if it fails in the same function with the same kind, unknown otherwise. Their inputs come before all other
 * tests, and are small already: what fails in the same place later is the same bug, and is neither shrunk nor confirmed again.
 */
#include "report/bug.h"
#include "unit/carry.h"
#include "unit/reuse.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "build/home.h"
#include "build/join.h"
#include "build/units.h"
#include "ir/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VALUE "searched" /* of a campaign */
#define CAMPAIGNS 16 /* of the same file that are looked at, newest first */

/* A function of an earlier run, as the value has it: one after another, each with its name after it, and then what its checks found out. */
struct row {
	struct hash128 key, inputs;
	uint64_t budget;
	uint32_t name; /* its length */
	uint32_t verdict;
	uint32_t traced; /* as test_function has it */
	uint32_t carried; /* bytes of carry.h, after the name */
	struct test_searched result;
};

#define FORMAT (uint32_t)(4u << 16 | sizeof(struct row)) /* the first four bytes */
#define HEAD 12						 /* these, and a hash of what follows: the rows */

/* --------------------------------------------------------------------- keys */

static int add_file(const char *path, struct buf *out)
{
	struct buf b = {0};
	int r = file_read(path, &b);
	if (!r) {
		struct hash128 h = hash128(b.data, b.size);
		buf_add(out, &h, sizeof h);
	}
	buf_release(&b);
	return r;
}

/* muster itself: what it claims is that build's. */
static int add_tool(struct buf *out)
{
	static const char *const parts[] = {"libmuster_rt.a", "libmuster_san.a", "libmuster_drive.a"};
	struct hash128 tool = units_tool();
	if (hash_is_none(tool))
		return -1;
	buf_add(out, &tool, sizeof tool);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		char *path = home_file(parts[i]);
		int r = path ? add_file(path, out) : -1;
		free(path);
		if (r)
			return -1;
	}
	return 0;
}

int reuse_tool(struct hash128 *tool)
{
	struct buf b = {0};
	int r = add_tool(&b);
	*tool = hash128(b.data, b.size);
	buf_release(&b);
	return r;
}

/* What is searched for, beside the code. */
static int scope_key(const struct test_session *s, struct hash128 *key)
{
	const struct harness_options *h = &s->driven.harness->options;
	struct buf b = {0};
	buf_addf(&b, "%u %u %u %u %d %d %d %d %d %.17g %d ", FORMAT, h->elements, h->characters, h->objects, h->globals_initial, s->o->no_grow, s->o->no_invariants, s->o->combine, (int)s->o->kind, s->o->run_time,
		 s->o->entry != NULL);
	buf_add(&b, &s->o->checks, sizeof s->o->checks);
	for (const char *const *p = h->requires; p && *p; p++)
		buf_addf(&b, "%s\n", *p);
	for (const char *const *p = s->o->cflags; p && *p; p++)
		buf_addf(&b, "%s%c", *p, 0);
	int r = add_tool(&b);
	for (const char *const *p = s->o->cflags; p && *p && !r; p++) /* code of which only the linker knows: objects, libraries */
		if (**p != '-' && file_is_regular(*p) && !file_is_c(*p))
			r = add_file(*p, &b);
	*key = hash128(b.data, b.size);
	buf_release(&b);
	return r;
}

uint64_t reuse_budget(const struct test_options *o)
{
	double limits[] = {o->seconds, o->function_time, (double)o->runs, o->path_time, (double)o->path_runs};
	return hash64(limits, sizeof limits, FORMAT);
}

/* What no function names and still takes part in its runs: what goes before them (constructors), what is found by its section, refinements, and what stands in
 * the place of a symbol of the C library, whose functions use it then. */
static int is_everywhere(const struct whole *w, const struct whole_symbol *s)
{
	if (s->unit == CODE_NONE || !strcmp(s->name, "llvm.used") || !strcmp(s->name, "llvm.compiler.used"))
		return 0;
	if (!strncmp(s->name, "muster_", 7)) /* the harness's own */
		return 0;
	if (!strcmp(s->name, "llvm.global_ctors") || !strcmp(s->name, "llvm.global_dtors") || w->units.data[s->unit].content->symbols[s->number].placed)
		return 1;
	return !s->local && harness_library_has(s->name);
}

struct hash128 reuse_around(const struct whole *w, const struct hash128 *support)
{
	struct hash128 all = {0};
	for (uint32_t i = 0; i < w->symbols.size; i++)
		if (is_everywhere(w, &w->symbols.data[i]))
			all = hash128_join(all, support[i]);
	return all;
}

static void key_functions(struct test_session *s, const struct whole *w, struct hash128 scope)
{
	struct hash128 *support = support_digests(w, HARNESS_TABLE);
	struct strmap symbols = {0};
	uint64_t at;
	scope = hash128_join(scope, reuse_around(w, support));
	uint32_t table = whole_find_any(w, HARNESS_TABLE);
	for (uint32_t i = 0; i < w->symbols.size && table != CODE_NONE; i++)
		if (w->symbols.data[i].function && w->symbols.data[i].unit == w->symbols.data[table].unit)
			strmap_set(&symbols, w->symbols.data[i].name, i);
	for (size_t i = 0; i < s->functions.size; i++) {
		struct test_function *f = &s->functions.data[i];
		const char *symbol = f->front->symbol ? f->front->symbol : f->name;
		if (f->harness->number == UINT32_MAX || !strmap_get(&symbols, symbol, &at))
			continue;
		f->reuse.inputs = hash128_join(hash128_str(f->name), harness_digest(s->driven.harness, f->harness));
		f->reuse.key = hash128_join(hash128_join(scope, f->reuse.inputs), support[at]);
		if (f->accepted)
			f->reuse.key = hash128_join(f->reuse.key, hash128_str(f->accepted));
		f->reuse.keyed = 1;
	}
	strmap_release(&symbols);
	free(support);
}

/* 0, -1 with words. */
static int make_keys(struct test_session *s)
{
	struct hash128 scope;
	struct whole *w = join_load(s->driven.program);
	if (!w)
		return -1;
	int r = scope_key(s, &scope);
	if (!r)
		key_functions(s, w, scope);
	whole_free(w);
	return r;
}

/* ------------------------------------------------------------- earlier runs */

struct earlier {
	uint64_t campaign;
	struct buf rows;
	int wanted; /* some function takes tests of it */
};
typedef VEC(struct earlier) earlier_list;

static int add_campaign(void *ctx, uint64_t id, struct hash128 key, const char *program, const char *command)
{
	earlier_list *list = ctx;
	(void)key, (void)program, (void)command;
	vec_push(list, (struct earlier){.campaign = id});
	return 0;
}

/* Is it what a run wrote? The rows decide what is not searched: nothing is taken of a value that is damaged. */
static int is_whole(const struct buf *rows)
{
	uint64_t hash;
	if (rows->size < HEAD || memcmp(rows->data, &(uint32_t){FORMAT}, 4))
		return 0;
	memcpy(&hash, rows->data + 4, sizeof hash);
	return hash == hash64(rows->data + HEAD, rows->size - HEAD, FORMAT);
}

/* Is it a run of this file, by a muster that kept what is needed? */
static int read_rows(struct test_session *s, const char *file, struct earlier *e)
{
	struct buf named = {0};
	int r = store_value_get(s->records.store, e->campaign, "file", &named);
	if (r > 0 && !strcmp(buf_str(&named), file))
		r = store_value_get(s->records.store, e->campaign, VALUE, &e->rows);
	else
		r = r < 0 ? -1 : 0;
	buf_release(&named);
	if (r > 0 && !is_whole(&e->rows))
		buf_clear(&e->rows);
	return r < 0 ? -1 : 0;
}

/* Newest first, this campaign itself before all others. */
static int list_earlier(struct test_session *s, earlier_list *out)
{
	char *file = test_identity(s);
	earlier_list all = {0};
	int r = store_campaign_each(s->records.store, add_campaign, &all);
	for (size_t i = 0; i < all.size; i++)
		if (all.data[i].campaign == s->records.campaign) {
			vec_push(&all, all.data[i]);
			break;
		}
	for (size_t i = all.size; i-- && !r && out->size < CAMPAIGNS;) {
		struct earlier *e = &all.data[i];
		if (e->campaign == s->records.campaign && i + 1 < all.size)
			continue;
		r = read_rows(s, file, e);
		if (!r && e->rows.size)
			vec_push(out, *e);
		else
			buf_release(&e->rows);
	}
	vec_release(&all);
	free(file);
	return r;
}

/* The next row at *at, its name after it, and the rest after that; 0: there is none, or it is no row. */
static int next_row(const struct buf *rows, size_t *at, struct row *r, const char **name)
{
	if (rows->size - *at < sizeof *r)
		return 0;
	memcpy(r, rows->data + *at, sizeof *r);
	if (rows->size - *at - sizeof *r < (uint64_t)r->name + r->carried)
		return 0;
	*name = rows->data + *at + sizeof *r;
	*at += sizeof *r + r->name + r->carried;
	return 1;
}

static int same_hash(struct hash128 a, struct hash128 b)
{
	return a.a == b.a && a.b == b.b;
}

/* What this earlier run knows of the function is taken, if it is better than what there is. */
static void take_row(struct test_session *s, struct test_function *f, const struct row *r, const char *carried, uint64_t campaign)
{
	struct test_reused *u = &f->reuse;
	int done = !r->result.more && !r->result.stopped;
	if (u->how == TEST_REUSE_NONE && same_hash(u->inputs, r->inputs)) {
		u->how = TEST_REUSE_TESTS;
		u->campaign = campaign;
	}
	if (r->result.composed) /* its verdict rests on those of others */
		return;
	if (u->how == TEST_REUSE_ALL || !same_hash(u->key, r->key) || r->traced || r->verdict >= TEST_VERDICT_COUNT || !(done || (r->budget == reuse_budget(s->o) && !r->result.stopped)))
		return;
	u->how = TEST_REUSE_ALL;
	u->campaign = campaign;
	u->verdict = (enum test_verdict)r->verdict;
	u->result = r->result;
	u->carry = carry_read(carried, r->carried);
}

static void take_rows(struct test_session *s, const struct strmap *index, const struct earlier *e)
{
	struct row r;
	const char *name;
	for (size_t at = HEAD; next_row(&e->rows, &at, &r, &name);) {
		char *text = mem_strndup(name, r.name);
		uint64_t number;
		if (strmap_get(index, text, &number) && s->functions.data[number].reuse.keyed)
			take_row(s, &s->functions.data[number], &r, name + r.name, e->campaign);
		free(text);
	}
}

/* -------------------------------------------------------------------- tests */

struct loader {
	struct test_session *s;
	struct map functions; /* id of inputs to function */
	struct map seen;      /* inputs that there are, by hash */
	uint64_t campaign;
	const struct buf *rows; /* of that campaign */
	struct buf owed;	/* its value BUG_OWED */
};

static struct test_function *function_of(const struct loader *l, const void *data, size_t size)
{
	uint32_t id;
	uint64_t number;
	if (size < sizeof id)
		return NULL;
	memcpy(&id, data, sizeof id);
	return map_get(&l->functions, id, &number) ? &l->s->functions.data[number] : NULL;
}

/* Bytes that an input lacks are 0. */
static size_t meant(const uint8_t *data, size_t size)
{
	while (size && !data[size - 1])
		size--;
	return size;
}

uint64_t reuse_input_hash(const void *data, size_t size)
{
	return hash64(data, meant(data, size), 0);
}

static void add_test(struct loader *l, struct test_function *f, const struct store_test *t)
{
	uint64_t hash = reuse_input_hash(t->data, t->size);
	if (map_get(&l->seen, hash, NULL))
		return;
	map_set(&l->seen, hash, 1);
	struct test_case c = {
	    .id = f->tests.size + 1,
	    .data = arena_copy(&f->arena, t->data, t->size),
	    .size = t->size,
	    .origin = t->origin,
	    .flags = t->flags,
	    .new_outcomes = t->new_outcomes,
	    .path = t->path,
	    .run = t->run,
	    .found = t->found,
	};
	if (f->reuse.how == TEST_REUSE_ALL) {
		vec_push(&f->tests, c);
	} else {
		vec_push(&f->reuse.seeds, c);
	}
}

static int load_test(void *ctx, const struct store_test *t)
{
	struct loader *l = ctx;
	struct test_function *f = function_of(l, t->data, t->size);
	if (f && f->reuse.how != TEST_REUSE_NONE && f->reuse.campaign == l->campaign)
		add_test(l, f, t);
	return 0;
}

/* ---------------------------------------------------------------- old bugs */

/* Did the function take inputs of the same meaning in that run? Some other earlier run that it takes tests of says nothing about this one. */
static int same_inputs(const struct loader *l, const struct test_function *f)
{
	struct row r;
	const char *name;
	int same = 0;
	for (size_t at = HEAD; f->reuse.keyed && next_row(l->rows, &at, &r, &name);)
		if (r.name == strlen(f->name) && !memcmp(name, f->name, r.name))
			same = same_hash(r.inputs, f->reuse.inputs);
	return same;
}

/* It was a contract there, and no bug. */
static int was_owed(struct loader *l, const struct result_bug *b)
{
	char line[20];
	snprintf(line, sizeof line, "%016llx\n", (unsigned long long)b->bucket);
	return l->owed.size && strstr(buf_str(&l->owed), line);
}

/* It is a test of the function's, and is not made smaller. */
static void add_small(struct loader *l, struct test_function *f, const struct result_bug *b)
{
	struct test_session *s = l->s;
	struct store_test t = {.data = b->data, .size = b->size};
	uint64_t kind = 0;
	if (f->reuse.how == TEST_REUSE_ALL && f->reuse.campaign == l->campaign) {
		vec_push(&s->reuse.kinds, arena_strdup(&s->arena, b->kind ? b->kind : ""));
		kind = s->reuse.kinds.size;
	}
	if (kind || !map_get(&s->reuse.small, reuse_input_hash(b->data, b->size), NULL))
		map_set(&s->reuse.small, reuse_input_hash(b->data, b->size), kind);
	add_test(l, f, &t);
}

static int load_bug(void *ctx, const struct result_bug *b)
{
	struct loader *l = ctx;
	struct test_session *s = l->s;
	struct test_function *f = function_of(l, b->data, b->size);
	if (!b->confirmed || (!f && (s->function || s->o->entry))) /* of a function that was not asked for */
		return 0;
	struct test_old_bug old = {
	    .kind = arena_strdup(&s->arena, b->kind ? b->kind : ""),
	    .function = arena_strdup(&s->arena, b->function ? b->function : ""),
	    .line = b->line,
	    .data = arena_copy(&s->arena, b->data, b->size),
	    .size = b->size,
	    .entry = f && same_inputs(l, f) ? (uint32_t)(f - s->functions.data) : UINT32_MAX,
	};
	if (!was_owed(l, b))
		vec_push(&s->reuse.bugs, old);
	if (old.entry == UINT32_MAX)
		return 0;
	add_small(l, f, b);
	return 0;
}

/* The input by which a bug of a function that is not searched was reported. */
static int load_reported(void *ctx, const struct result_bug *b)
{
	struct loader *l = ctx;
	struct test_function *f = function_of(l, b->data, b->size);
	if (f && f->reuse.how == TEST_REUSE_ALL && f->reuse.campaign == l->campaign)
		add_small(l, f, b);
	return 0;
}

static int load_tests(struct test_session *s, const earlier_list *list)
{
	struct loader l = {.s = s};
	int r = 0;
	for (size_t i = 0; i < s->functions.size; i++)
		if (s->functions.data[i].harness->number != UINT32_MAX)
			map_set(&l.functions, s->driven.harness->calls.data[s->functions.data[i].harness->number].id, i);
	for (size_t i = 0; i < list->size && !r; i++) {
		l.campaign = list->data[i].campaign;
		if (list->data[i].wanted)
			r = store_test_each(s->records.store, l.campaign, 0, 1, load_test, &l) || store_bug_each(s->records.store, l.campaign, load_reported, &l) ? -1 : 0;
	}
	/* Of the newest other version, or the one that is named. */
	for (size_t i = 0; i < list->size && !r; i++)
		if (s->standing.bugs_of ? list->data[i].campaign == s->standing.bugs_of : list->data[i].campaign != s->records.campaign) {
			l.rows = &list->data[i].rows;
			if (store_value_get(s->records.store, list->data[i].campaign, BUG_OWED, &l.owed) < 0)
				r = -1;
			else if (s->standing.bugs_of || list->data[0].campaign != s->records.campaign)
				r = store_bug_each(s->records.store, list->data[i].campaign, load_bug, &l);
			break;
		}
	map_release(&l.functions);
	map_release(&l.seen);
	buf_release(&l.owed);
	return r;
}

int test_reuse_is_small(const struct test_session *s, const struct test_case *t)
{
	return s->reuse.small.size && map_get(&s->reuse.small, reuse_input_hash(t->data, t->size), NULL);
}

const char *test_reuse_kind(const struct test_session *s, uint32_t function, const void *data, size_t size)
{
	uint64_t kind;
	if (s->functions.data[function].reuse.how != TEST_REUSE_ALL || !map_get(&s->reuse.small, reuse_input_hash(data, size), &kind) || !kind)
		return NULL;
	return s->reuse.kinds.data[kind - 1];
}

static const struct test_case *find_test(const struct test_function *f, const struct test_old_bug *b)
{
	size_t size = meant(b->data, b->size);
	for (size_t i = f->tests.size; i--;)
		if (meant(f->tests.data[i].data, f->tests.data[i].size) == size && !memcmp(f->tests.data[i].data, b->data, size))
			return &f->tests.data[i];
	return NULL;
}

static enum test_old_bug_now judge_bug(const struct test_session *s, const struct test_old_bug *b)
{
	const struct test_case *t = b->entry == UINT32_MAX ? NULL : find_test(&s->functions.data[b->entry], b);
	if (!t || t->hidden || (!t->passed && !t->failed))
		return TEST_OLD_BUG_UNKNOWN;
	if (!t->failed)
		return TEST_OLD_BUG_FIXED;
	for (size_t i = 0; i < s->bugs.size; i++) {
		const struct test_bug *x = &s->bugs.data[i];
		const char *function = x->finding.bug.function[0] ? x->finding.bug.function : s->functions.data[x->function].name;
		int ours = x->function == b->entry;
		for (size_t k = 0; k < x->also.size; k++)
			ours |= x->also.data[k] == b->entry;
		if (ours && x->finding.bug.confirmed && !strcmp(x->finding.bug.kind, b->kind) && (!b->function[0] || !strcmp(function, b->function)))
			return TEST_OLD_BUG_THERE;
	}
	return TEST_OLD_BUG_UNKNOWN;
}

void test_reuse_judge(struct test_session *s)
{
	for (size_t i = 0; i < s->reuse.bugs.size; i++)
		s->reuse.bugs.data[i].now = judge_bug(s, &s->reuse.bugs.data[i]);
}

/* -------------------------------------------------------------------- whole */

static void count(struct test_session *s)
{
	for (size_t i = 0; i < s->functions.size; i++) {
		const struct test_function *f = &s->functions.data[i];
		s->reuse.functions += f->reuse.how == TEST_REUSE_ALL;
		s->reuse.tests += f->tests.size + f->reuse.seeds.size;
		if (f->reuse.how == TEST_REUSE_ALL)
			s->reuse.saved += f->reuse.result.seconds;
	}
}

static int take_all(struct test_session *s)
{
	earlier_list list = {0};
	struct strmap index = {0};
	for (size_t i = 0; i < s->functions.size; i++)
		strmap_set(&index, s->functions.data[i].name, i);
	int r = list_earlier(s, &list);
	for (size_t i = 0; i < list.size && !r; i++)
		take_rows(s, &index, &list.data[i]);
	for (size_t i = 0; i < list.size && !r; i++)
		for (size_t k = 0; k < s->functions.size; k++)
			list.data[i].wanted |= s->functions.data[k].reuse.how != TEST_REUSE_NONE && s->functions.data[k].reuse.campaign == list.data[i].campaign;
	if (!r)
		r = load_tests(s, &list);
	if (!r)
		count(s);
	for (size_t i = 0; i < list.size; i++)
		buf_release(&list.data[i].rows);
	vec_release(&list);
	strmap_release(&index);
	return r;
}

int test_reuse(struct test_session *s)
{
	if (make_keys(s)) { /* nothing is taken, and nothing is kept for later runs */
		log_info("nothing is reused: %s", error_text());
		return 0;
	}
	/* A run that can be repeated depends on nothing that an earlier one left. */
	return s->o->fresh || s->o->repeatable || search_kind_composes(s->o->kind) ? 0 : take_all(s); /* what was verified with summaries rests on verdicts of others */
}

/* Rows of functions that this run had nothing to do with stay. */
static int keep_others(struct test_session *s, struct buf *out)
{
	struct buf old = {0};
	struct strmap mine = {0};
	struct row r;
	const char *name;
	int e = store_value_get(s->records.store, s->records.campaign, VALUE, &old);
	for (size_t i = 0; i < s->functions.size; i++)
		if (s->functions.data[i].searched)
			strmap_set(&mine, s->functions.data[i].name, i);
	int known = e > 0 && is_whole(&old);
	for (size_t at = HEAD; known && next_row(&old, &at, &r, &name);) {
		char *text = mem_strndup(name, r.name);
		uint64_t number;
		if (!strmap_get(&mine, text, &number)) {
			buf_add(out, &r, sizeof r);
			buf_add(out, name, (size_t)r.name + r.carried);
		}
		free(text);
	}
	strmap_release(&mine);
	buf_release(&old);
	return e < 0 ? -1 : 0;
}

int test_reuse_note(struct test_session *s)
{
	struct buf out = {0}, carried = {0};
	uint64_t hash = 0;
	buf_add32(&out, FORMAT);
	buf_add(&out, &hash, sizeof hash);
	int e = keep_others(s, &out);
	for (size_t i = 0; i < s->functions.size && !e; i++) {
		const struct test_function *f = &s->functions.data[i];
		if (!f->searched || !f->reuse.keyed || f->helper)
			continue;
		struct row r;
		memset(&r, 0, sizeof r);
		r.key = f->reuse.key;
		r.inputs = f->reuse.inputs;
		r.budget = reuse_budget(s->o);
		r.name = (uint32_t)strlen(f->name);
		r.verdict = f->verdict;
		r.traced = f->traced;
		r.result = f->result;
		if (f->reuse.how == TEST_REUSE_ALL) /* what the search itself took */
			r.result.seconds = f->reuse.result.seconds;
		carried.size = 0;
		carry_write(s, (uint32_t)i, &carried);
		r.carried = (uint32_t)carried.size;
		buf_add(&out, &r, sizeof r);
		buf_add(&out, f->name, r.name);
		buf_add(&out, carried.data, carried.size);
	}
	hash = hash64(out.data + HEAD, out.size - HEAD, FORMAT);
	memcpy(out.data + 4, &hash, sizeof hash);
	if (!e)
		e = store_value_set(s->records.store, s->records.campaign, VALUE, out.data, out.size);
	buf_release(&out);
	buf_release(&carried);
	return e;
}
