/* recall.c: a version of a program and its summaries, from the store.
 *
 * The store has how `muster test` was called, so the harness is built as it was then, from the file, or from the preprocessed source that a stored version's record has. If that gives a unit of another content than the summaries were made of,
 * they are of another version, and nothing is said. A program that was built by the user has other units (no harness stands in them): there a summary belongs to each function whose support, the code and data that
 * it rests on, is the one that it had when it was summarised.
 *
 * Summaries are read back from their bytes, a list for each function.
 */
#include "unit/recall.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/shell.h"
#include "build/join.h"
#include "build/record.h"
#include "ir/support.h"
#include "unit/reuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int recall_unit(struct store *s, uint64_t campaign, struct hash128 *unit)
{
	struct buf b = {0};
	char half[17] = {0};
	int there = store_value_get(s, campaign, "unit", &b);

	if (there > 0 && b.size == 32) {
		memcpy(half, b.data, 16);
		unit->a = strtoull(half, NULL, 16);
		memcpy(half, b.data + 16, 16);
		unit->b = strtoull(half, NULL, 16);
	} else if (there > 0) {
		there = 0;
	}
	buf_release(&b);
	return there;
}

static char *value(struct store *s, uint64_t campaign, const char *name)
{
	struct buf b = {0};

	return store_value_get(s, campaign, name, &b) < 0 ? NULL : buf_take(&b);
}

/* ------------------------------------------------------------ the program */

void driven_release(struct driven *d)
{
	whole_free(d->whole);
	harness_free(d->h);
	front_close(d->front);
	free(d->file);
	free(d->program);
}

/* Drives the source as the campaign did. name: what the user calls it. */
static int build(struct store *s, uint64_t campaign, const char *source, const struct revision *rev, const char *name, struct driven *out)
{
	struct harness_options o = {.elements = 8, .characters = 16, .objects = 3, .global_limit = 256};
	char globals[16] = "symbolic", *options = value(s, campaign, "options"), *requires = value(s, campaign, "requires"), *accepted = value(s, campaign, "accepted");
	char *cflags = value(s, campaign, "cflags");
	struct shell_line words = {0};
	struct arena arena = {0};
	VEC(const char *) lines = {0}, contracts = {0};
	int e = options && requires && cflags ? 0 : -1;

	*out = (struct driven){.file = mem_strdup(name)};
	if (!e) {
		sscanf(options, "elements=%u characters=%u objects=%u globals=%15s", &o.elements, &o.characters, &o.objects, globals);
		o.globals_initial = !strcmp(globals, "initial");
		for (char *line = strtok(requires, "\n"); line; line = strtok(NULL, "\n"))
			vec_push(&lines, line);
		vec_push(&lines, NULL);
		o.requires = lines.size > 1 ? lines.data : NULL;
		for (char *line = accepted ? strtok(accepted, "\n") : NULL; line; line = strtok(NULL, "\n"))
			vec_push(&contracts, line);
		vec_push(&contracts, NULL);
		o.accepted = contracts.size > 1 ? contracts.data : NULL;
		shell_split(&words, cflags);
		if (!words.argv.size || vec_last(&words.argv))
			vec_push(&words.argv, NULL);
		const char *const *arguments = (const char *const *)words.argv.data;
		if (rev)
			arguments = revision_arguments(rev, arguments, &arena);
		e = harness_build(source, arguments, &o, &out->front, &out->h, &out->program) || harness_initial(out->h, out->program) ? -1 : 0;
	}
	if (!e)
		e = (out->whole = join_load(out->program)) ? 0 : -1;
	shell_line_release(&words);
	vec_release(&lines);
	vec_release(&contracts);
	arena_release(&arena);
	free(options), free(requires), free(accepted), free(cflags);
	return e;
}

/* The content of the unit that is driven. */
static int driven_unit(const struct driven *d, struct hash128 *unit)
{
	uint32_t table = whole_find_any(d->whole, HARNESS_TABLE);

	if (table == CODE_NONE || d->whole->symbols.data[table].unit == CODE_NONE)
		return 0;
	*unit = d->whole->units.data[d->whole->symbols.data[table].unit].digest;
	return 1;
}

/* ------------------------------------------------------------ campaigns */

struct campaign {
	uint64_t id;
	struct hash128 unit; /* 0: it made no summaries */
	int other;  /* another muster made them */
	char *file; /* absolute */
};
typedef VEC(struct campaign) campaigns;

struct listing {
	struct store *store;
	campaigns *out;
};

static int list_campaign(void *ctx, uint64_t id, struct hash128 key, const char *program, const char *command)
{
	struct listing *l = ctx;

	(void)key, (void)program, (void)command;
	vec_push(l->out, (struct campaign){.id = id});
	return 0;
}

static void campaigns_release(campaigns *l)
{
	for (size_t i = 0; i < l->size; i++)
		free(l->data[i].file);
	vec_release(l);
}

/* Were the summaries of the campaign made by another muster than this one? What it claims is that one's. */
static int is_other(struct store *s, uint64_t campaign, int *other)
{
	struct buf b = {0};
	char hex[HASH_HEX_SIZE];
	struct hash128 tool;
	int there = store_value_get(s, campaign, REUSE_MAKER, &b);

	if (there < 0 || reuse_tool(&tool)) {
		buf_release(&b);
		return -1;
	}
	*other = strcmp(buf_str(&b), hash_hex(tool, hex)) != 0;
	buf_release(&b);
	return 0;
}

/* Those that tested a file, oldest first. */
static int list_campaigns(struct store *s, campaigns *out)
{
	struct listing l = {s, out};
	size_t n = 0;
	int e = store_campaign_each(s, list_campaign, &l);

	for (size_t i = 0; i < out->size && !e; i++) {
		struct campaign c = out->data[i];
		struct buf b = {0};
		int there = store_value_get(s, c.id, "file", &b);
		if (there > 0)
			c.file = buf_take(&b);
		buf_release(&b);
		e = there < 0 || recall_unit(s, c.id, &c.unit) < 0 ? -1 : 0;
		if (!e && (c.unit.a || c.unit.b))
			e = is_other(s, c.id, &c.other);
		if (e || !there)
			free(c.file);
		else
			out->data[n++] = c;
	}
	out->size = n;
	return e;
}

static int same(struct hash128 a, struct hash128 b)
{
	return a.a == b.a && a.b == b.b;
}

static int has_unit(const struct campaign *c)
{
	return (c->unit.a || c->unit.b) && !c->other;
}

static int complain_other(const char *name)
{
	return error_set("the summaries of '%s' were made by another build of muster: run 'muster test --summaries' again", name);
}

/* ------------------------------------------------------------ functions */

static void add_function(struct recall *r, uint64_t symbol, uint64_t campaign, const char *name)
{
	vec_push(&r->functions, ((struct recall_function){symbol, campaign, mem_strdup(name)}));
}

struct adding {
	struct recall *r;
	uint64_t campaign;
	/* Of a program: */
	const struct whole *whole, *stored;
	const struct hash128 *support, *stored_support;
};

static int add_symbol(void *ctx, uint64_t symbol, const char *name)
{
	struct adding *a = ctx;

	add_function(a->r, symbol, a->campaign, name);
	return 0;
}

static int add_units_functions(struct recall *r, const struct campaign *c)
{
	struct adding a = {.r = r, .campaign = c->id};

	r->campaign = c->id;
	return store_symbol_each(r->store, c->unit, add_symbol, &a);
}

/* ------------------------------------------------------------ a C file */

static int open_file(struct recall *r, const campaigns *all, const struct version *v, const char *name)
{
	const struct campaign *newest = NULL, *found = NULL;
	struct hash128 unit = {0};

	for (size_t i = 0; i < all->size; i++)
		if (!strcmp(all->data[i].file, v->file))
			newest = &all->data[i];
	if (!newest)
		return error_set("the store knows nothing of '%s': run 'muster test --summaries %s' first", name, name);
	if (build(r->store, newest->id, v->path, &v->revision, name, &r->was))
		return -1;
	if (!driven_unit(&r->was, &unit))
		return error_set("the harness of '%s' has no table: a defect of muster's", name);
	int some = 0, other = 0;
	for (size_t i = 0; i < all->size; i++) {
		const struct campaign *c = &all->data[i];
		if (strcmp(c->file, v->file))
			continue;
		some |= has_unit(c);
		other |= c->other;
		if (has_unit(c) && same(c->unit, unit))
			found = c;
	}
	if (!some && other)
		return complain_other(name);
	if (!some)
		return error_set("there are no summaries of '%s': run 'muster test --summaries %s' again", name, name);
	if (!found)
		return error_set("'%s' has changed since 'muster test' saw it, or its headers have: run 'muster test --summaries %s' again, or name the version that it saw ('muster show versions', store:N)", name, name);
	return add_units_functions(r, found);
}

/* ------------------------------------------------------------ a version of the store */

struct finding_result {
	uint64_t campaign;
};

static int take_result(void *ctx, const struct store_result *x)
{
	struct finding_result *f = ctx;

	if (!strcmp(x->command, "test"))
		f->campaign = x->campaign;
	return 0;
}

struct source {
	struct buf text;
	struct arena arena;
	const char *name;
};

/* The unit with a harness: its text without that. */
static int take_source(void *ctx, const struct store_record *x)
{
	static const char mark[] = "\n# 1 \"<muster>\"\n"; /* where the harness begins (harness/source.c) */
	struct source *s = ctx;
	struct record_value v;
	struct buf text = BUF_EMPTY;

	if (s->text.size || !record_find(x->data, x->size, TAG_SOURCE, &v) || record_unpack(&v, &text))
		return 0;
	const char *all = buf_str(&text), *end = strstr(all, mark), *begin = *all == '#' ? all : strstr(all, "\n#");
	if (end && begin && begin < end) {
		begin += *begin == '\n';
		buf_add(&s->text, begin, (size_t)(end - begin) + 1);
		if (record_find(x->data, x->size, TAG_NAME, &v))
			s->name = arena_strndup(&s->arena, v.data, v.size);
	}
	buf_release(&text);
	return 0;
}

/* 1: driven again; 0: there is no source; -1. */
static int build_stored(struct store *s, uint64_t campaign, uint64_t version, const char *name, struct driven *out)
{
	struct source x = {0};
	int e = store_version_records(s, version, take_source, &x);
	char *dir = !e && x.text.size ? file_temp("stored") : NULL;
	char *base = dir ? file_tame(x.name ? x.name : "unit", (const char *const[]){NULL}) : NULL, *path = NULL;

	if (base) {
		char *dot = strrchr(base, '.');
		path = mem_printf("%s/%.*s.i", dir, dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
		e = file_mkdirs(dir) || file_write_atomic(path, x.text.data, x.text.size) || build(s, campaign, path, NULL, name, out) ? -1 : 1;
		file_remove_tree(dir);
	}
	free(dir), free(base), free(path);
	buf_release(&x.text);
	arena_release(&x.arena);
	return e;
}

static int open_stored(struct recall *r, const campaigns *all, const struct version *v, const char *name)
{
	struct finding_result x = {0};
	const struct campaign *found = NULL;
	struct hash128 unit = {0};

	if (store_result_each(r->store, v->stored, take_result, &x))
		return -1;
	for (size_t i = 0; i < all->size; i++)
		if (all->data[i].id == x.campaign && has_unit(&all->data[i]))
			found = &all->data[i];
	if (!found) {
		struct whole *w = version_stored(r->store, v->stored, r->o->store, NULL);
		if (!w)
			return -1;
		whole_free(w);
		return error_set("there are no summaries of '%s': it is no version that 'muster test --summaries FILE.c' made any of", name);
	}
	int built = build_stored(r->store, found->id, v->stored, name, &r->was);
	if (built < 0)
		return -1;
	if (!built || !driven_unit(&r->was, &unit) || !same(unit, found->unit)) { /* its code is what it was, but it cannot be run */
		driven_release(&r->was);
		r->was = (struct driven){.file = mem_strdup(name), .whole = version_stored(r->store, v->stored, r->o->store, NULL)};
		if (!r->was.whole)
			return -1;
	}
	return add_units_functions(r, found);
}

/* ------------------------------------------------------------ a program */

static int is_there(const struct recall *r, const char *name)
{
	for (size_t i = 0; i < r->functions.size; i++)
		if (!strcmp(r->functions.data[i].name, name))
			return 1;
	return 0;
}

static int add_if_same(void *ctx, uint64_t symbol, const char *name)
{
	struct adding *a = ctx;
	uint32_t is = whole_find_any(a->whole, name), was = whole_find_any(a->stored, name);

	if (is != CODE_NONE && was != CODE_NONE && a->whole->symbols.data[is].function && same(a->support[is], a->stored_support[was]) && !is_there(a->r, name))
		add_function(a->r, symbol, a->campaign, name);
	return 0;
}

struct version_of {
	struct store *store;
	uint64_t campaign, version;
	VEC(uint64_t) versions;
};

static int list_version(void *ctx, const struct store_version *v)
{
	struct version_of *x = ctx;

	vec_push(&x->versions, v->id);
	return 0;
}

static int note_version(void *ctx, const struct store_result *r)
{
	struct version_of *x = ctx;

	if (r->campaign == x->campaign)
		x->version = r->version;
	return 0;
}

static int version_of(struct store *s, uint64_t campaign, uint64_t *version)
{
	struct version_of x = {.store = s, .campaign = campaign};
	int e = store_version_each(s, list_version, &x);

	for (size_t i = 0; i < x.versions.size && !e && !x.version; i++)
		e = store_result_each(s, x.versions.data[i], note_version, &x);
	*version = x.version;
	vec_release(&x.versions);
	return e;
}

/* Functions of the program that are what they were when the campaign summarised them. */
static int add_same_functions(struct recall *r, const struct campaign *c, const struct hash128 *support)
{
	struct adding a = {.r = r, .campaign = c->id, .whole = r->was.whole, .support = support};
	uint64_t version;

	if (version_of(r->store, c->id, &version))
		return -1;
	struct whole *stored = version ? version_stored(r->store, version, r->o->store, NULL) : NULL;
	if (!stored)
		return version ? -1 : 0;
	struct hash128 *digests = support_digests(stored, HARNESS_TABLE);
	a.stored = stored;
	a.stored_support = digests;
	int e = same(reuse_around(r->was.whole, support), reuse_around(stored, digests)) ? store_symbol_each(r->store, c->unit, add_if_same, &a) : 0;
	free(digests);
	whole_free(stored);
	return e;
}

static int open_program(struct recall *r, const campaigns *all, const struct version *v, const char *name)
{
	r->was = (struct driven){.file = mem_strdup(name), .whole = join_load(v->path)};
	if (!r->was.whole)
		return -1;
	struct hash128 *support = support_digests(r->was.whole, HARNESS_TABLE);
	int e = 0;
	for (size_t i = all->size; i-- && !e;)
		if (has_unit(&all->data[i]))
			e = add_same_functions(r, &all->data[i], support);
	free(support);
	if (!e && !r->functions.size)
		e = error_set("the store has summaries of no function that is as it is in '%s': run 'muster test --summaries FILE.c' for its sources first", name);
	return e;
}

/* ------------------------------------------------------------ any of them */

/* What is not found may have been overwritten: that is another message than that there is nothing. */
static int check_store(struct recall *r)
{
	struct buf problems = BUF_EMPTY, words = BUF_EMPTY;

	buf_adds(&words, error_text());
	int e = store_check(r->store, &problems);
	if (e > 0)
		error_set("the store '%s' is damaged (%.*s): move it away and run 'muster test' again", r->o->store, (int)strcspn(buf_str(&problems), "\n"), buf_str(&problems));
	else
		error_set("%s", buf_str(&words));
	buf_release(&problems);
	buf_release(&words);
	return -1;
}

int recall_open(struct recall *r, struct store *s, const struct versions_options *o, const struct version *v, const char *name)
{
	campaigns all = {0};

	*r = (struct recall){.store = s, .o = o};
	int e = list_campaigns(s, &all);
	if (!e)
		e = v->file ? open_file(r, &all, v, name) : v->stored ? open_stored(r, &all, v, name) : open_program(r, &all, v, name);
	campaigns_release(&all);
	return e && !r->functions.size ? check_store(r) : e;
}

int recall_earlier(struct recall *r, struct store *s, const struct versions_options *o, const char *file, uint64_t campaign)
{
	campaigns all = {0};
	struct version v = {0};

	*r = (struct recall){.store = s, .o = o};
	int e = list_campaigns(s, &all);
	for (size_t i = all.size; i-- && !e && !v.stored;)
		if (has_unit(&all.data[i]) && all.data[i].id != campaign && !strcmp(all.data[i].file, file))
			e = version_of(s, all.data[i].id, &v.stored);
	if (!e && v.stored)
		e = open_stored(r, &all, &v, file);
	campaigns_release(&all);
	return e ? -1 : v.stored != 0;
}

void recall_release(struct recall *r)
{
	for (size_t i = 0; i < r->functions.size; i++)
		free(r->functions.data[i].name);
	vec_release(&r->functions);
	driven_release(&r->was);
}

int recall_build(const struct recall *r, const struct version *v, const char *name, struct driven *out)
{
	int built = 0;

	*out = (struct driven){0};
	if (v->file && r->campaign)
		return build(r->store, r->campaign, v->path, &v->revision, name, out);
	if (v->stored && r->campaign)
		built = build_stored(r->store, r->campaign, v->stored, name, out);
	if (built)
		return built < 0 ? -1 : 0;
	*out = (struct driven){.file = mem_strdup(name), .whole = v->stored ? version_stored(r->store, v->stored, r->o->store, NULL) : join_load_merged(v->path, r->o->cflags, NULL)};
	return out->whole ? 0 : -1;
}

int recall_input(struct recall *r, const struct recall_function *f, uint64_t test, struct buf *out)
{
	struct store_test t;

	return store_test_get(r->store, f->campaign, test, &t, out);
}

/* ------------------------------------------------------------ summaries */

struct reading {
	struct summaries *l;
	const char *function;
};

static int take(void *ctx, const struct store_summary *m)
{
	struct reading *r = ctx;
	struct summary s = {.key = m->key, .kind = m->kind == STORE_SUMMARY_FUNCTION ? SUMMARY_FUNCTION : SUMMARY_SEGMENT, .function = r->function,
			    .lp = {.ordinal = m->start}, .lq = {.ordinal = m->end}, .input = m->test};

	if (summary_read(r->l, m->pre, m->pre_size, &s) || summary_read_support(r->l, m->support, m->support_size, &s)) {
		summary_release(&s);
		return -1;
	}
	s.why = *m->partial ? arena_strdup(&r->l->arena, m->partial) : NULL;
	vec_push(&r->l->all, s);
	return 0;
}

int recall_each(struct recall *r, int (*f)(void *ctx, const struct recall_function *function, struct summaries *l), void *ctx)
{
	int e = 0;

	for (size_t i = 0; i < r->functions.size && !e; i++) {
		struct summaries l;
		struct reading x = {&l, r->functions.data[i].name};

		summaries_init(&l);
		e = store_summary_each(r->store, r->functions.data[i].symbol, take, &x);
		if (!e && l.all.size)
			e = f(ctx, &r->functions.data[i], &l);
		summaries_release(&l);
	}
	return e;
}
