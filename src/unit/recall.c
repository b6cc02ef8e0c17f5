/* recall.c: the driven program and the summaries of a file, from the store.
 *
 * The store has how `muster test` was called, so the harness is built as it was then; if that gives another program, the summaries are of another version, and nothing is said. Summaries are read
 * back from their bytes, a list for each function.
 */
#include "unit/recall.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	harness_free(d->h);
	front_close(d->front);
	free(d->file);
	free(d->program);
}

/* file: NULL: the one that was named then. */
static int build(struct store *s, uint64_t campaign, const char *file, struct driven *out)
{
	struct harness_options o = {.elements = 8, .characters = 16, .objects = 3, .global_limit = 256};
	char globals[16] = "symbolic", *options = value(s, campaign, "options"), *requires = value(s, campaign, "requires");
	char *cflags = value(s, campaign, "cflags"), *named = value(s, campaign, "named");
	struct shell_line words = {0};
	VEC(const char *) lines = {0};
	int e = options && requires && cflags && named ? 0 : -1;

	*out = (struct driven){.file = mem_strdup(file ? file : named ? named : "")};
	if (!e) {
		sscanf(options, "elements=%u characters=%u objects=%u globals=%15s", &o.elements, &o.characters, &o.objects, globals);
		o.globals_initial = !strcmp(globals, "initial");
		for (char *line = strtok(requires, "\n"); line; line = strtok(NULL, "\n"))
			vec_push(&lines, line);
		vec_push(&lines, NULL);
		o.requires = lines.size > 1 ? lines.data : NULL;
		shell_split(&words, cflags);
		if (!words.argv.size || vec_last(&words.argv))
			vec_push(&words.argv, NULL);
		e = harness_build(out->file, (const char *const *)words.argv.data, &o, &out->front, &out->h, &out->program) || harness_initial(out->h, out->program) ? -1 : 0;
	}
	shell_line_release(&words);
	vec_release(&lines);
	free(options), free(requires), free(cflags), free(named);
	return e;
}

/* ------------------------------------------------------------ the campaign */

struct choosing {
	struct store *store;
	char *file; /* absolute */
	uint64_t campaign;
	char *program;
};

static int choose(void *ctx, uint64_t id, struct hash128 key, const char *program, const char *command)
{
	struct choosing *c = ctx;
	char *file = value(c->store, id, "file");

	(void)key, (void)command;
	if (file && !strcmp(file, c->file)) {
		c->campaign = id;
		free(c->program);
		c->program = mem_strdup(program);
	}
	free(file);
	return 0;
}

static int check_unchanged(struct recall *r, const char *program)
{
	if (strcmp(r->was.program, program))
		return error_set("'%s' has changed since 'muster test' saw it, or muster has: run 'muster test --summaries %s' again", r->was.file, r->was.file);
	return 0;
}

int recall_open(struct recall *r, struct store *s, const char *file)
{
	struct choosing c = {.store = s, .file = file_absolute(file)};
	int e;

	*r = (struct recall){.store = s};
	e = store_campaign_each(s, choose, &c);
	if (!e && !c.campaign)
		e = error_set("the store knows nothing of '%s': run 'muster test --summaries %s' first", file, file);
	r->campaign = c.campaign;
	if (!e && !(e = recall_unit(s, r->campaign, &r->unit)))
		e = error_set("there are no summaries of '%s': 'muster test --summaries' makes them", file);
	else
		e = e < 0 || build(s, r->campaign, NULL, &r->was) || check_unchanged(r, c.program) ? -1 : 0;
	free(c.file), free(c.program);
	return e;
}

void recall_release(struct recall *r)
{
	driven_release(&r->was);
}

int recall_build(const struct recall *r, const char *file, struct driven *out)
{
	return build(r->store, r->campaign, file, out);
}

int recall_input(struct recall *r, uint64_t test, struct buf *out)
{
	struct store_test t;

	return store_test_get(r->store, r->campaign, test, &t, out);
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

/* Names and numbers first: the walk may not be disturbed by reads of tests. */
struct named {
	uint64_t symbol;
	char *name;
};
typedef VEC(struct named) names;

static int remember(void *ctx, uint64_t symbol, const char *name)
{
	vec_push((names *)ctx, ((struct named){symbol, mem_strdup(name)}));
	return 0;
}

int recall_each(struct recall *r, int (*f)(void *ctx, const char *function, struct summaries *l), void *ctx)
{
	names list = {0};
	int e = store_symbol_each(r->store, r->unit, remember, &list);

	for (size_t i = 0; i < list.size; i++) {
		struct summaries l;
		struct reading x = {&l, list.data[i].name};

		summaries_init(&l);
		if (!e)
			e = store_summary_each(r->store, list.data[i].symbol, take, &x);
		if (!e && l.all.size)
			e = f(ctx, list.data[i].name, &l);
		summaries_release(&l);
		free(list.data[i].name);
	}
	vec_release(&list);
	return e;
}
