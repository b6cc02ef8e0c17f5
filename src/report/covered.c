/* covered.c: outcomes of the store are (unit, number): the site tables of the version's records say where each stands. */
#include "report/covered.h"

#include "base/file.h"
#include "base/map.h"
#include "build/tables.h"

#include <stdlib.h>
#include <string.h>

static int add_record(void *ctx, const struct store_record *s)
{
	struct record r = {.id = s->hash, .payload = s->data, .size = s->size};

	return tables_add(ctx, &r);
}

/* ------------------------------------------------------------ collecting */

struct collect {
	struct covered *to;
	const struct site_tables *sites;
	struct map taken;    /* unit and outcome, to the first test */
	struct strmap files; /* number in the list */
	struct map known;    /* of a decision's place in its function: its number in the file */
	struct map functions; /* of a function's place: likewise */
};

static int note_taken(void *ctx, uint32_t unit, uint32_t outcome, uint8_t mask, uint64_t test)
{
	struct collect *c = ctx;

	(void)mask;
	map_set(&c->taken, (uint64_t)unit << 32 | outcome, test);
	return 0;
}

/* Harnesses and what the compiler made have no file that a person could open. */
static int is_source(const char *file)
{
	return *file && *file_base(file) != '<';
}

static size_t file_number(struct collect *c, const char *directory, const char *file)
{
	char *joined = file_join(directory, file), *path = file_absolute(joined);
	uint64_t at;

	if (!strmap_get(&c->files, path, &at)) {
		at = c->to->files.size;
		strmap_set(&c->files, path, at);
		vec_push(&c->to->files, (struct covered_file){.path = arena_strdup(&c->to->strings, path)});
	}
	free(joined);
	free(path);
	return at;
}

static uint64_t place_key(const struct site *s, size_t file, uint32_t number)
{
	uint64_t words[4] = {hash64(s->function, strlen(s->function), file), number, (uint64_t)s->line << 32 | s->column, s->outcomes};

	return hash64(words, sizeof words, 0);
}

static void add_decision(struct collect *c, const struct site_table *t, const struct site_decision *d, uint32_t number, int *entered)
{
	struct site s;
	uint64_t at;

	if (!site_find(c->sites, t->unit, d->index, &s) || !s.line || !is_source(s.file))
		return;
	size_t file = file_number(c, s.directory, s.file);
	struct covered_file *f = &c->to->files.data[file];
	uint64_t key = place_key(&s, file, number);

	if (!map_get(&c->known, key, &at)) {
		at = f->decisions.size;
		map_set(&c->known, key, at);
		vec_push(&f->decisions, (struct covered_decision){s.line, s.column, d->outcomes, (uint32_t)c->to->taken.size, (uint32_t)at});
		for (uint32_t i = 0; i < d->outcomes; i++) {
			vec_push(&c->to->taken, 0);
			vec_push(&c->to->tests, 0);
		}
	}
	uint64_t test;
	for (uint32_t i = 0; i < d->outcomes; i++)
		if (map_get(&c->taken, (uint64_t)t->unit << 32 | (d->first_outcome + i), &test)) {
			uint32_t place = f->decisions.data[at].first + i;
			c->to->taken.data[place] = 1;
			if (!c->to->tests.data[place] || (test && test < c->to->tests.data[place])) /* a decision of a header is in several units */
				c->to->tests.data[place] = test;
			*entered = 1;
		}
}

static void add_function(struct collect *c, const struct site_table *t, const struct site_function *f)
{
	struct site_decision d;
	int entered = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->decisions; i++)
		if (site_table_decision(t, f->first_decision + i, &d) && !d.check)
			add_decision(c, t, &d, count++, &entered);
	if (!count || !f->line || !is_source(f->file))
		return;
	size_t file = file_number(c, f->directory, f->file);
	struct covered_file *to = &c->to->files.data[file];
	uint64_t key = hash64(f->name, strlen(f->name), (uint64_t)file << 32 | f->line), at;

	if (!map_get(&c->functions, key, &at)) {
		at = to->functions.size;
		map_set(&c->functions, key, at);
		vec_push(&to->functions, (struct covered_function){arena_strdup(&c->to->strings, f->name), f->line, 0});
	}
	to->functions.data[at].entered |= entered;
}

/* ------------------------------------------------------------ order */

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct covered_file *)a)->path, ((const struct covered_file *)b)->path);
}

static int by_line(const void *a, const void *b)
{
	const struct covered_function *x = a, *y = b;

	return x->line != y->line ? (x->line > y->line) - (x->line < y->line) : strcmp(x->name, y->name);
}

static int by_place(const void *a, const void *b)
{
	const struct covered_decision *x = a, *y = b;

	if (x->line != y->line)
		return (x->line > y->line) - (x->line < y->line);
	if (x->column != y->column)
		return (x->column > y->column) - (x->column < y->column);
	return (x->order > y->order) - (x->order < y->order);
}

static void sort(struct covered *c)
{
	if (c->files.size)
		qsort(c->files.data, c->files.size, sizeof *c->files.data, by_path);
	for (size_t i = 0; i < c->files.size; i++) {
		struct covered_file *f = &c->files.data[i];
		if (f->functions.size)
			qsort(f->functions.data, f->functions.size, sizeof *f->functions.data, by_line);
		if (f->decisions.size)
			qsort(f->decisions.data, f->decisions.size, sizeof *f->decisions.data, by_place);
	}
}

/* ------------------------------------------------------------ all of it */

int covered_load(struct covered *c, struct store *s, uint64_t campaign, uint64_t version)
{
	struct tables t = {0};
	struct collect k = {.to = c, .sites = &t.sites};
	struct site_function f;

	*c = (struct covered){0};
	int e = store_version_records(s, version, add_record, &t) || tables_end(&t) || store_cover_each(s, campaign, note_taken, &k) ? -1 : 0;

	for (size_t i = 0; !e && i < t.sites.count; i++)
		for (uint32_t n = 0; n < t.sites.tables[i].functions; n++)
			if (site_table_function(&t.sites.tables[i], n, &f))
				add_function(&k, &t.sites.tables[i], &f);
	if (!e)
		sort(c);
	map_release(&k.taken);
	map_release(&k.known);
	map_release(&k.functions);
	strmap_release(&k.files);
	tables_release(&t);
	return e;
}

uint32_t covered_count(const struct covered *c, const struct covered_decision *d)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->outcomes; i++)
		n += c->taken.data[d->first + i];
	return n;
}

void covered_release(struct covered *c)
{
	for (size_t i = 0; i < c->files.size; i++) {
		vec_release(&c->files.data[i].functions);
		vec_release(&c->files.data[i].decisions);
	}
	vec_release(&c->files);
	vec_release(&c->taken);
	vec_release(&c->tests);
	arena_release(&c->strings);
}
