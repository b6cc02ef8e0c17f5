/* cmin.c: muster cmin: the few inputs of many that together do what all of them do.
 *
 * Each input is run on the cov variant and reduced to the set of things it covers: branch
 * outcomes, or with --classes outcomes and about how often. Then the greedy
 * cover: again and again the input that adds most is taken, of equals the smallest, then
 * the first by name. Since what an input adds only ever shrinks, a heap with old figures
 * is enough: the top is counted again, and goes back unless it is still the best. At the end inputs
 * that later ones made superfluous are dropped, the largest first.
 *
 * Invariant: the union of what is kept is the union of all.
 */
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/confine.h"
#include "cmd/targets.h"
#include "report/result_json.h"
#include "run/exec.h"
#include "store/outdir.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_LIMIT (64u << 20)
#define CLASSES 8

struct corpus_file {
	char *name;
	size_t size;
	uint32_t first, count; /* its elements */
	uint32_t gain;	       /* elements that were not covered when it was last counted */
	int kept;
};

struct cmin {
	const char *input, *output;
	int json, classes;
	struct target_options target;
	struct target cov;
	struct exec *exec;
	VEC(struct corpus_file) files;
	VEC(uint32_t) elements; /* of all files, one after the other */
	VEC(uint32_t) covered;	/* by element: kept files that have it */
	VEC(uint32_t) heap;	/* files, best first */
	uint64_t runs, failing, covered_count;
	uint64_t kept, kept_bytes, all_bytes;
};

/* ------------------------------------------------------------------ running */

static unsigned hit_class(uint8_t n)
{
	return n < 4 ? n - 1u : n < 8 ? 3 : n < 16 ? 4 : n < 32 ? 5 : n < 128 ? 6 : 7;
}

static void add_elements(struct cmin *c, const struct exec_result *r)
{
	for (uint32_t i = 0; i < r->count; i++) {
		if (!r->counters[i])
			continue;
		uint32_t element = c->classes ? i * CLASSES + hit_class(r->counters[i]) : i;
		vec_push(&c->elements, element);
	}
}

static int run_file(void *ctx, const void *data, size_t size, const char *name)
{
	struct cmin *c = ctx;
	struct exec_result r;
	uint32_t first = (uint32_t)c->elements.size;

	if (exec_run(c->exec, data, size, &r))
		return -1;
	if (++c->runs % 64 == 0)
		log_progress("%" PRIu64 " inputs", c->runs);
	c->all_bytes += size;
	if (r.end != RUN_EXIT) {
		c->failing++;
		return 0;
	}
	add_elements(c, &r);
	vec_push(&c->files, (struct corpus_file){.name = mem_strdup(name),
						 .size = size,
						 .first = first,
						 .count = (uint32_t)c->elements.size - first,
						 .gain = (uint32_t)c->elements.size - first});
	return 0;
}

/* ----------------------------------------------------------------- choosing */

/* Is a better than b? A total order: names differ. */
static int better(const struct cmin *c, uint32_t a, uint32_t b)
{
	const struct corpus_file *x = &c->files.data[a], *y = &c->files.data[b];

	if (x->gain != y->gain)
		return x->gain > y->gain;
	if (x->size != y->size)
		return x->size < y->size;
	return strcmp(x->name, y->name) < 0;
}

static void heap_swap(struct cmin *c, size_t i, size_t k)
{
	uint32_t x = c->heap.data[i];

	c->heap.data[i] = c->heap.data[k];
	c->heap.data[k] = x;
}

static void heap_down(struct cmin *c, size_t i)
{
	for (;;) {
		size_t best = i, left = 2 * i + 1;

		for (size_t k = left; k < left + 2 && k < c->heap.size; k++)
			if (better(c, c->heap.data[k], c->heap.data[best]))
				best = k;
		if (best == i)
			return;
		heap_swap(c, i, best);
		i = best;
	}
}

static uint32_t count_gain(const struct cmin *c, const struct corpus_file *f)
{
	uint32_t gain = 0;

	for (uint32_t i = 0; i < f->count; i++)
		gain += !c->covered.data[c->elements.data[f->first + i]];
	return gain;
}

static void keep(struct cmin *c, struct corpus_file *f)
{
	f->kept = 1;
	for (uint32_t i = 0; i < f->count; i++) {
		uint32_t *n = &c->covered.data[c->elements.data[f->first + i]];

		c->covered_count += !*n;
		++*n;
	}
}

static void choose(struct cmin *c)
{
	for (uint32_t i = 0; i < c->files.size; i++)
		vec_push(&c->heap, i);
	for (size_t i = c->heap.size / 2; i-- > 0;)
		heap_down(c, i);
	while (c->heap.size) {
		struct corpus_file *f = &c->files.data[c->heap.data[0]];
		uint32_t gain = count_gain(c, f);

		if (gain == f->gain && gain) {
			keep(c, f);
			gain = 0;
		}
		f->gain = gain;
		if (!gain) { /* kept, or superfluous from now on */
			c->heap.data[0] = vec_last(&c->heap);
			c->heap.size--;
		}
		heap_down(c, 0);
	}
}

static int superfluous(const struct cmin *c, const struct corpus_file *f)
{
	for (uint32_t i = 0; i < f->count; i++)
		if (c->covered.data[c->elements.data[f->first + i]] < 2)
			return 0;
	return 1;
}

static int larger_first(const void *x, const void *y)
{
	const struct corpus_file *a = x, *b = y;

	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return strcmp(b->name, a->name);
}

static void drop_superfluous(struct cmin *c)
{
	if (c->files.size)
		qsort(c->files.data, c->files.size, sizeof *c->files.data, larger_first);
	for (size_t k = 0; k < c->files.size; k++) {
		struct corpus_file *f = &c->files.data[k];

		if (!f->kept || !superfluous(c, f))
			continue;
		f->kept = 0;
		for (uint32_t i = 0; i < f->count; i++)
			c->covered.data[c->elements.data[f->first + i]]--;
	}
}

static void reduce(struct cmin *c)
{
	uint32_t most = 0;

	for (size_t i = 0; i < c->elements.size; i++)
		if (c->elements.data[i] >= most)
			most = c->elements.data[i] + 1;
	for (uint32_t i = 0; i < most; i++)
		vec_push(&c->covered, 0);
	choose(c);
	drop_superfluous(c);
}

/* ------------------------------------------------------------------ writing */

static char *path_of(const struct cmin *c, const struct corpus_file *f)
{
	return file_is_dir(c->input) ? file_join(c->input, f->name) : mem_strdup(c->input);
}

/* Files of one name in different folders get a number. */
static char *name_in_output(struct strmap *taken, const char *name)
{
	char *out = mem_strdup(file_base(name));

	for (unsigned n = 1; strmap_get(taken, out, NULL); n++) {
		free(out);
		out = mem_printf("%s.%u", file_base(name), n);
	}
	strmap_set(taken, out, 1);
	return out;
}

static void write_kept(struct cmin *c)
{
	struct strmap taken = {0};

	if (file_mkdirs(c->output))
		die(EXIT_USAGE, "%s", error_text());
	for (size_t i = c->files.size; i-- > 0;) { /* small ones first */
		struct corpus_file *f = &c->files.data[i];
		if (!f->kept)
			continue;
		char *from = path_of(c, f), *name = name_in_output(&taken, f->name),
		     *to = file_join(c->output, name);
		if (file_copy(from, to))
			die(EXIT_USAGE, "%s", error_text());
		c->kept++;
		c->kept_bytes += f->size;
		free(from);
		free(name);
		free(to);
	}
	strmap_release(&taken);
}

static int has_files(const char *path)
{
	DIR *dir = opendir(path);
	int any = 0;

	for (struct dirent *e; dir && (e = readdir(dir));)
		any |= e->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return any;
}

static void fill(const struct cmin *c, struct result *r)
{
	*r = (struct result){0};
	result_count(r, c->runs, "inputs");
	result_count(r, c->kept, "kept");
	result_count(r, c->failing, "left_out");
	result_count(r, c->all_bytes, "bytes.before");
	result_count(r, c->kept_bytes, "bytes.after");
	result_count(r, c->covered_count, c->classes ? "classes" : "outcomes");
}

static void show_json(const struct result *r, double seconds)
{
	struct buf out = {0};
	struct json j;
	json_begin(&j, &out);
	json_object_open(&j);
	json_key(&j, "command"), json_str(&j, "cmin");
	json_key(&j, "status"), json_str(&j, "complete");
	confine_json(&j);
	json_key(&j, "seconds"), json_double(&j, seconds);
	result_json(&j, r, RESULT_FIGURES);
	json_object_close(&j);
	puts(buf_str(&out));
	buf_release(&out);
}

static void show_text(const struct result *r, const char *output, int classes, double seconds)
{
	uint64_t failing = result_figure(r, "left_out")->count;
	printf("%s: %" PRIu64 " of %" PRIu64 " inputs, %" PRIu64 " of %" PRIu64 " bytes, cover the same %" PRIu64 " %s; %.1f s\n", output,
	       result_figure(r, "kept")->count, result_figure(r, "inputs")->count, result_figure(r, "bytes.after")->count,
	       result_figure(r, "bytes.before")->count, result_figure(r, classes ? "classes" : "outcomes")->count,
	       classes ? "branch outcomes and hit classes" : "branch outcomes", seconds);
	if (failing)
		printf("%" PRIu64 " that crash, hang or exceed a limit were left out\n", failing);
}

static void show(const struct cmin *c, double seconds)
{
	struct result r;
	fill(c, &r);
	if (c->json)
		show_json(&r, seconds);
	else
		show_text(&r, c->output, c->classes, seconds);
	result_release(&r);
}

static void cmin_release(struct cmin *c)
{
	for (size_t i = 0; i < c->files.size; i++)
		free(c->files.data[i].name);
	vec_release(&c->files);
	vec_release(&c->elements);
	vec_release(&c->covered);
	vec_release(&c->heap);
	exec_close(c->exec);
	target_release(&c->cov);
}

static const char about[] =
    "Chooses few of many inputs that take the same branch outcomes, small ones first, and copies\n"
    "them. Inputs that crash, hang or exceed a limit are left out and counted.\n"
    "\n"
    "  muster cmin -i corpus -o small -- ./prog @@\n"
    "  muster cmin --classes -i muster-out/queue -o seeds -- ./prog @@";

int cmd_cmin(int argc, char **argv)
{
	struct cmin c = {.target = TARGET_DEFAULTS};
	const struct option_row rows[] = {
	    OPTION_STR("input", 'i', "DIR", &c.input, "the inputs: every file below it"),
	    OPTION_STR("output", 'o', "DIR", &c.output, "where the chosen ones go; new or empty"),
	    OPTION_FLAG(
		"classes", 0, &c.classes,
		"keep about how often an outcome is taken as well (1, 2, 3, 4-7, ... 128+)"),
	    OPTION_DOUBLE("time", 't', "S", &c.target.time, "time limit of a run in seconds (5)"),
	    TARGET_MEM_ROW(&c.target),
	    OPTION_FLAG("json", 0, &c.json, "print the result as JSON"),
	    CONFINE_ROWS,
	    OPTION_END};
	const struct option_spec spec = {
	    "cmin", "-i DIR -o DIR [options] -- PROGRAM [ARGUMENTS with @@]", about, rows};
	double start = clock_seconds();
	int i;

	c.target.time = 5;
	i = option_parse(&spec, argc, argv);
	confine_apply(&spec);
	if (!c.input || !c.output)
		option_usage(&spec, "wants -i DIR and -o DIR");
	if (i >= argc)
		option_usage(&spec, "which program? Name it after --");
	if (has_files(c.output))
		option_usage(&spec, "'%s' is not empty: name a new directory with -o", c.output);
	char *program = targets_program(argv[i]);
	targets_make(&c.cov, program, argv + i, VARIANT_COV, &c.target);
	if (exec_open(&c.exec, &c.cov.options, 1) ||
	    outdir_seeds(c.input, FILE_LIMIT, run_file, &c) < 0)
		die(EXIT_USAGE, "%s", error_text());
	log_progress(NULL);
	if (!c.runs)
		die(EXIT_USAGE, "there are no inputs in '%s'", c.input);
	reduce(&c);
	write_kept(&c);
	show(&c, clock_seconds() - start);
	cmin_release(&c);
	free(program);
	return EXIT_OK;
}
