/* check.c: muster check, which says of each obligation of a file's refinement types what became of it, and writes the file with the
 * checks that are left. Exit code 0: nothing is certainly wrong; 1: an obligation was rejected; 2: the file, or a refinement, cannot be used.
 *
 * muster refine-source does the same to preprocessed text, without words: muster cc calls it for units that have
 * refinements, so that the wrapper itself stays small.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/option.h"
#include "build/args.h"
#include "build/capture.h"
#include "cmd/cmd.h"
#include "refine/refine.h"
#include "report/result_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Looks at the refinement types of a file (muster/muster.h: MUSTER_REFINE, MUSTER_OPERATOR) and prints each place that must keep\n"
    "one, with what could be shown without running anything:\n"
    "  proved     every value that can come there satisfies it; no check is made\n"
    "  rejected   no value that can come there satisfies it: whoever gets there is wrong\n"
    "  run-time   neither: a check of every run, which muster test and muster fuzz look for inputs of\n"
    "--emit writes the file, preprocessed, with its checks, for any compiler with GNU's statement expressions.";

/* The preprocessed text of a file, and the flags that shape it. */
static int preprocess(const char *file, char **cflags, int count, struct buf *text, struct args *a, struct capture *c)
{
	VEC(char *) words = {0};
	struct proc_job jobs[CAPTURE_JOBS];
	struct buf none = BUF_EMPTY;
	const struct arg *in = NULL;
	int e;

	vec_push(&words, "cc");
	vec_push(&words, "-c");
	for (int i = 0; i < count; i++)
		vec_push(&words, cflags[i]);
	vec_push(&words, (char *)file);
	e = args_parse(a, (int)words.size, words.data);
	vec_release(&words);
	if (e)
		return e;
	for (size_t i = 0; i < a->list.size; i++)
		if (a->list.data[i].class == ARG_INPUT && !strcmp(a->list.data[i].text, file))
			in = &a->list.data[i];
	if (!in || !args_is_c(in))
		return error_set("'%s' is not a C source file (.c or .i)", file);
	capture_plan(c, &a->arena, a, in, &none, NULL, jobs);
	e = proc_run(jobs[1].argv, &jobs[1].opts, &jobs[1].result);
	if (!e && jobs[1].result.status)
		e = error_set("'%s' does not compile:\n%s", file, buf_str(&jobs[1].result.err));
	if (!e)
		buf_add(text, jobs[1].result.out.data, jobs[1].result.out.size);
	proc_release(&jobs[1].result);
	return e;
}

static void fill(const struct refine *from, struct result *r)
{
	unsigned counts[REFINE_OUTCOME_COUNT] = {0};
	*r = (struct result){0};
	for (size_t i = 0; i < from->obligations.size; i++) {
		const struct refine_obligation *o = &from->obligations.data[i];
		counts[o->outcome]++;
		vec_push(&r->obligations, (struct result_obligation){.file = o->file,
								     .function = o->function,
								     .line = o->line,
								     .subject = o->subject,
								     .text = o->text,
								     .place = refine_place_key(o->place),
								     .outcome = refine_outcome_key(o->outcome),
								     .reason = o->reason});
	}
	for (size_t i = 0; i < from->notes.size; i++)
		vec_push(&r->notes, (struct result_note){.kind = "not followed", .words = from->notes.data[i]});
	result_count(r, from->refinements, "counts.refinements");
	result_count(r, from->obligations.size, "counts.total");
	for (int i = 0; i < REFINE_OUTCOME_COUNT; i++)
		result_count(r, counts[i], "counts.%s", refine_outcome_key(i));
}

static void print_words(const struct result *r)
{
	uint64_t refinements = result_figure(r, "counts.refinements")->count;
	for (size_t i = 0; i < r->obligations.size; i++) {
		const struct result_obligation *o = &r->obligations.data[i];
		printf("%s:%" PRIu64 ": %-8s  %s  (%s, %s)", o->file, o->line, o->outcome, o->text, o->subject, o->place);
		printf(*o->reason ? ": %s\n" : "\n", o->reason);
	}
	for (size_t i = 0; i < r->notes.size; i++)
		printf("%s\n", r->notes.data[i].words);
	printf("%" PRIu64 " refinement%s, %zu obligation%s:", refinements, refinements == 1 ? "" : "s", r->obligations.size, r->obligations.size == 1 ? "" : "s");
	for (size_t i = 2; i < r->figures.size; i++) /* the outcomes are the last ones */
		printf("%s %" PRIu64 " %s", i > 2 ? "," : "", r->figures.data[i].count, strchr(r->figures.data[i].key, '.') + 1);
	printf("\n");
}

static void print_json(const struct result *r, const char *file)
{
	struct buf out = BUF_EMPTY;
	struct json j;
	json_begin(&j, &out);
	j.indent = 2;
	json_object_open(&j);
	json_key(&j, "command"), json_str(&j, "check");
	json_key(&j, "status"), json_str(&j, "complete");
	json_key(&j, "file"), json_str(&j, file);
	result_json(&j, r, RESULT_OBLIGATIONS | RESULT_FIGURES);
	json_object_close(&j);
	buf_addc(&out, '\n');
	fwrite(out.data, 1, out.size, stdout);
	buf_release(&out);
}

/* The text for other compilers: glibc's headers, read by clang, name types that gcc has built in. */
static void add_portable(struct buf *out, const char *text, size_t size)
{
	const char *end = text + size, *line;

	for (; text < end; text = line) {
		line = memchr(text, '\n', (size_t)(end - text));
		line = line ? line + 1 : end;
		int guarded = !strncmp(text, "typedef ", 8) && memmem(text, (size_t)(line - text), " _Float", 7);

		buf_adds(out, guarded ? "#ifdef __clang__\n" : "");
		buf_add(out, text, (size_t)(line - text));
		buf_adds(out, guarded ? "#endif\n" : "");
	}
}

static int emit(struct refine *r, const char *path)
{
	struct buf out = BUF_EMPTY;
	int e;

	refine_strip(&r->text);
	add_portable(&out, buf_str(&r->text), r->text.size);
	if (r->refinements)
		buf_adds(&out, refine_definition);
	e = file_write_atomic(path, out.data, out.size);
	buf_release(&out);
	return e;
}

int cmd_check(int argc, char **argv)
{
	int json = 0, every = 0, at = 0;
	const char *output = NULL, *file = NULL;
	const struct option_row rows[] = {
	    OPTION_STR("emit", 0, "OUT.c", &output, "write the file with the checks that are left"),
	    OPTION_FLAG("every", 0, &every, "there, checks for what was proved as well"),
	    OPTION_FLAG("json", 0, &json, "print the result as JSON"), OPTION_END};
	const struct option_spec spec = {"check", "[options] FILE.c [-- CFLAGS]", about, rows};
	struct refine r;
	struct buf text = BUF_EMPTY;
	struct args a = {0};
	struct capture c = {0};
	struct result result;

	for (;;) {
		at += option_parse(&spec, argc - at, argv + at);
		if (at >= argc || !strcmp(argv[at - 1], "--"))
			break;
		if (file)
			option_usage(&spec, "wants one file");
		file = argv[at];
	}
	if (!file)
		option_usage(&spec, "which file? muster check FILE.c");
	if (!file_is_regular(file))
		die(EXIT_USAGE, file_exists(file) ? "'%s' is no plain file: name a .c file" : "there is no file '%s'", file);
	if (preprocess(file, argv + at, argc - at, &text, &a, &c))
		die(EXIT_USAGE, "%s", error_text());
	if (refine_source(&r, text.data, text.size, c.shape.data, (int)c.shape.size, every ? REFINE_EVERY : 0))
		die(EXIT_USAGE, "%s", error_text());
	if (output && emit(&r, output))
		die(EXIT_USAGE, "%s", error_text());
	fill(&r, &result);
	if (json)
		print_json(&result, file);
	else
		print_words(&result);
	uint64_t rejected = result_figure(&result, "counts.rejected")->count;
	result_release(&result);
	refine_release(&r);
	buf_release(&text);
	capture_release(&c);
	args_release(&a);
	return rejected ? EXIT_FOUND : EXIT_OK;
}

int cmd_refine_source(int argc, char **argv)
{
	static const struct option_row rows[] = {OPTION_END};
	static const struct option_spec spec = {"refine-source", "IN.i OUT.i [CFLAGS]",
						"Writes preprocessed source with the checks of its refinement types.", rows};
	struct refine r;
	struct buf text = BUF_EMPTY;

	if (argc < 3)
		option_usage(&spec, "wants two files");
	if (file_read(argv[1], &text) || refine_source(&r, text.data, text.size, (const char *const *)argv + 3, argc - 3, 0) ||
	    file_write_atomic(argv[2], r.text.data, r.text.size))
		die(EXIT_USAGE, "%s", error_text());
	refine_release(&r);
	buf_release(&text);
	return EXIT_OK;
}
