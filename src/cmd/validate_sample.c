/* validate_sample.c: muster validate --sample FILE.c: do the summaries in the store hold?
 *
 * The store has how `muster test` was called, so the harness is built as it was then; if that gives another program, the summaries are of another version, and nothing is said. Each summary is read
 * back from its bytes, and random states of its precondition are run (unit/sample.h).
 */
#include "cmd/validate.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/shell.h"
#include "build/home.h"
#include "cmd/confine.h"
#include "cmd/show.h"
#include "solve/solve.h"
#include "unit/sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN_SECONDS 2.5 /* of a call in the san variant: as muster test has it */

struct validating {
	const struct validate_sample *o;
	struct store *store;
	char *file;	  /* absolute */
	uint64_t campaign;
	char *program; /* of the campaign */
	struct front *front;
	struct harness *h;
	struct batch *batch;
	struct solver *solver;
	struct summaries *list; /* of the function that is read */
	struct sampling all;	/* sums */
	uint64_t summaries;
};

static char *value(struct validating *v, uint64_t campaign, const char *name)
{
	struct buf b = {0};

	if (store_value_get(v->store, campaign, name, &b) < 0)
		die(EXIT_USAGE, "%s", error_text());
	return buf_take(&b);
}

/* The newest campaign of the file. */
static int choose(void *ctx, uint64_t id, struct hash128 key, const char *program, const char *command)
{
	struct validating *v = ctx;
	char *file = value(v, id, "file");

	(void)key, (void)command;
	if (file && !strcmp(file, v->file)) {
		v->campaign = id;
		free(v->program);
		v->program = mem_strdup(program);
	}
	free(file);
	return 0;
}

static int build(struct validating *v)
{
	struct harness_options o = {.elements = 8, .characters = 16, .objects = 3, .global_limit = 256};
	char globals[16] = "symbolic", *options = value(v, v->campaign, "options"), *requires = value(v, v->campaign, "requires");
	char *cflags = value(v, v->campaign, "cflags"), *named = value(v, v->campaign, "named"), *program = NULL;
	struct shell_line words = {0};
	VEC(const char *) lines = {0};

	sscanf(options, "elements=%u characters=%u objects=%u globals=%15s", &o.elements, &o.characters, &o.objects, globals);
	o.globals_initial = !strcmp(globals, "initial");
	for (char *line = strtok(requires, "\n"); line; line = strtok(NULL, "\n"))
		vec_push(&lines, line);
	vec_push(&lines, NULL);
	o.requires = lines.size > 1 ? lines.data : NULL;
	shell_split(&words, cflags);
	if (!words.argv.size || vec_last(&words.argv))
		vec_push(&words.argv, NULL);
	int e = harness_build(named, (const char *const *)words.argv.data, &o, &v->front, &v->h, &program);
	if (!e && strcmp(program, v->program))
		e = error_set("'%s' has changed since 'muster test' saw it, or muster has: run 'muster test --summaries %s' again", named, named);
	e = e || harness_initial(v->h, program) || batch_open(&v->batch, program, VARIANT_SAN, RUN_SECONDS, NULL) ? -1 : 0;
	shell_line_release(&words);
	vec_release(&lines);
	free(options), free(requires), free(cflags), free(named), free(program);
	return e;
}

static int take(void *ctx, const struct store_summary *m)
{
	struct validating *v = ctx;
	struct summary s = {.key = m->key, .kind = m->kind == STORE_SUMMARY_FUNCTION ? SUMMARY_FUNCTION : SUMMARY_SEGMENT, .function = v->all.name};

	if (summary_read(v->list, m->pre, m->pre_size, &s) ||
	    summary_read_support(v->list, m->support, m->support_size, &s)) {
		summary_release(&s);
		return -1;
	}
	s.why = *m->partial ? arena_strdup(&v->list->arena, m->partial) : NULL;
	vec_push(&v->list->all, s);
	return 0;
}

static int input_of(void *ctx, uint64_t test, struct buf *out)
{
	struct validating *v = ctx;
	struct store_test t;

	return store_test_get(v->store, v->campaign, test, &t, out);
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

static int of_function(struct validating *v, const struct named *n)
{
	const struct harness_function *f = harness_find(v->h, n->name);
	struct summaries l;
	int e;

	if (!f || f->number == UINT32_MAX)
		return 0;
	summaries_init(&l);
	v->list = v->all.l = &l;
	v->all.name = n->name;
	v->all.number = f->number;
	e = store_summary_each(v->store, n->symbol, take, v);
	v->summaries += l.all.size;
	if (!e)
		e = sampling_run(&v->all);
	summaries_release(&l);
	return e;
}

static int run(struct validating *v)
{
	struct hash128 unit;
	names list = {0};
	int e = summaries_unit(v->store, v->campaign, &unit);

	if (!e)
		e = error_set("there are no summaries of '%s': 'muster test --summaries' makes them", v->file);
	else
		e = e < 0 || build(v) || store_symbol_each(v->store, unit, remember, &list) ? -1 : 0;
	v->all = (struct sampling){.h = v->h, .batch = v->batch, .solver = v->solver, .states = v->o->states, .seed = v->o->seed, .input = input_of, .ctx = v};
	for (size_t i = 0; i < list.size; i++) {
		if (!e)
			e = of_function(v, &list.data[i]);
		free(list.data[i].name);
	}
	vec_release(&list);
	return e;
}

static void print(const struct validating *v, int json)
{
	struct buf out = BUF_EMPTY;
	struct json j;

	if (!json) {
		printf("%llu summaries: %llu states were run, %llu did not end as the postcondition says; %llu summaries were not sampled\n", (unsigned long long)v->summaries,
		       (unsigned long long)v->all.ran, (unsigned long long)v->all.violated, (unsigned long long)v->all.without);
		return;
	}
	json_begin(&j, &out);
	j.indent = 1;
	json_object_open(&j);
	json_key(&j, "command"), json_str(&j, "validate");
	json_key(&j, "status"), json_str(&j, "complete");
	confine_json(&j);
	json_key(&j, "sample"), json_object_open(&j);
	json_key(&j, "summaries"), json_u64(&j, v->summaries);
	json_key(&j, "states"), json_u64(&j, v->all.ran);
	json_key(&j, "violated"), json_u64(&j, v->all.violated);
	json_key(&j, "not_sampled"), json_u64(&j, v->all.without);
	json_object_close(&j);
	json_object_close(&j);
	printf("%s\n", buf_str(&out));
	buf_release(&out);
}

int validate_sample(const struct validate_sample *o, const char *file, int json)
{
	struct validating v = {.o = o, .file = file_absolute(file)};
	struct solve_options so = {.conflicts = 2000, .no_cache = 1};
	char *path = o->store ? mem_strdup(o->store) : file_join(home_project(), "store.db");

	if (store_open(&v.store, path, STORE_READ_ONLY) || store_campaign_each(v.store, choose, &v))
		die(EXIT_USAGE, "%s", error_text());
	if (!v.campaign)
		die(EXIT_USAGE, "the store '%s' knows nothing of '%s': run 'muster test --summaries %s' first", path, file, file);
	v.solver = solver_new(&so);
	int e = run(&v);
	if (e)
		fprintf(stderr, "muster validate: %s\n", error_text());
	else
		print(&v, json);
	batch_close(v.batch);
	solver_free(v.solver);
	store_close(v.store);
	harness_free(v.h);
	front_close(v.front);
	free(v.file), free(v.program), free(path);
	return e ? EXIT_USAGE : v.all.violated ? EXIT_INTERNAL : EXIT_OK;
}
