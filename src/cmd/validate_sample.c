/* validate_sample.c: muster validate --sample FILE.c: do the summaries in the store hold?
 *
 * The store has how `muster test` was called, so the harness is built as it was then; if that gives another program, the summaries are of another version, and nothing is said. Each summary is read
 * back from its bytes, and random states of its precondition are run (unit/sample.h; of segments unit/sample_segments.h).
 */
#include "cmd/validate.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "build/home.h"
#include "cmd/confine.h"
#include "solve/solve.h"
#include "unit/recall.h"
#include "unit/sample.h"
#include "unit/sample_segments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN_SECONDS 2.5 /* of a call in the san variant: as muster test has it */

struct validating {
	const struct validate_sample *o;
	struct recall recall;
	const struct recall_function *now; /* that is sampled */
	struct batch *batch;
	struct solver *solver;
	struct sampling all; /* sums */
	struct segment_runs *segments; /* NULL: none were sampled yet */
	uint64_t summaries;
};

static int input_of(void *ctx, uint64_t test, struct buf *out)
{
	struct validating *v = ctx;

	return recall_input(&v->recall, v->now, test, out);
}

static int input_of_segment(void *ctx, const struct summary *x, struct buf *out)
{
	struct validating *v = ctx;

	return recall_input(&v->recall, v->now, x->test, out);
}

static int sample_segments(struct validating *v, const char *name, struct summaries *l)
{
	size_t count = 0;

	for (size_t i = 0; i < l->all.size; i++)
		count += l->all.data[i].kind == SUMMARY_SEGMENT;
	if (!count)
		return 0;
	if (!v->segments) {
		v->segments = mem_zalloc(sizeof *v->segments);
		if (segment_runs_open(v->segments, v->recall.was.program, v->recall.was.front, v->recall.was.whole, RUN_SECONDS))
			return -1;
	}
	struct segment_sampling g = {.c = &v->segments->c, .f = segment_runs_find(v->segments, name), .l = l, .solver = v->solver, .sites = &v->segments->sites, .checks = checker_default(),
				     .states = v->o->states, .seed = v->o->seed, .input = input_of_segment, .ctx = v};
	int e = g.f ? segment_sampling_run(&g) : 0;
	v->all.ran += g.ran;
	v->all.without += g.f ? g.without : count;
	v->all.violated += g.violated;
	return e;
}

static int of_function(void *ctx, const struct recall_function *function, struct summaries *l)
{
	struct validating *v = ctx;
	const struct harness_function *f = harness_find(v->recall.was.h, function->name);

	if (!f || f->number == UINT32_MAX)
		return 0;
	v->all.l = l;
	v->all.name = function->name;
	v->now = function;
	v->all.number = f->number;
	v->summaries += l->all.size;
	return sampling_run(&v->all) || sample_segments(v, function->name, l) ? -1 : 0;
}

static int run(struct validating *v, struct store *s, const struct versions_options *o, const struct version *version, const char *file)
{
	if (recall_open(&v->recall, s, o, version, file))
		return -1;
	if (!v->recall.was.h)
		return error_set("'%s' cannot be run function by function: name the C file, or its version in the store", file);
	if (batch_open(&v->batch, v->recall.was.program, VARIANT_SAN, RUN_SECONDS, NULL))
		return -1;
	v->all = (struct sampling){.h = v->recall.was.h, .batch = v->batch, .solver = v->solver, .states = v->o->states, .seed = v->o->seed, .input = input_of, .ctx = v};
	return recall_each(&v->recall, of_function, v);
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
	struct validating v = {.o = o};
	struct solve_options so = {.conflicts = 2000, .no_cache = 1};
	char *path = o->store ? mem_strdup(o->store) : file_join(home_project(), "store.db");
	struct versions_options vo = {.store = path};
	struct version version;
	struct store *store;

	if (version_open(&version, file, NULL, &vo) || store_open(&store, path, STORE_READ_ONLY))
		die(EXIT_USAGE, "%s", error_text());
	v.solver = solver_new(&so);
	int e = run(&v, store, &vo, &version, file);
	if (e)
		fprintf(stderr, "muster validate: %s\n", error_text());
	else
		print(&v, json);
	batch_close(v.batch);
	if (v.segments)
		segment_runs_close(v.segments);
	free(v.segments);
	solver_free(v.solver);
	recall_release(&v.recall);
	version_release(&version);
	store_close(store);
	free(path);
	return e ? EXIT_USAGE : v.all.violated ? EXIT_INTERNAL : EXIT_OK;
}
