/* cc.c: clang-19, and a record of what it did.
 *
 * The user's command is run unchanged (but for a directory at the end of the
 * header search, for <muster/muster.h>), so code, diagnostics and side files are
 * clang's own. Beside it run the captures of the C sources on the command line.
 * When all is done the records are appended: to each object after -c, or, with the
 * link closure, to the linked file. A record that cannot be made never fails the
 * build: it leaves a frame that says why, which `muster doctor` shows.
 */
#include "build/cc.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/proc.h"
#include "build/args.h"
#include "build/capture.h"
#include "build/closure.h"
#include "build/home.h"
#include "build/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct run {
	struct args args;
	struct words plain;	      /* the user's command */
	VEC(struct capture) captures; /* of the C sources, in order */
	VEC(struct words) foreign_commands;
	VEC(char *) foreign;	   /* objects of other sources; NULL while compiling only */
	VEC(struct proc_job) jobs; /* plain, captures, foreign */
	struct buf input;	   /* standard input, if "-" is an input */
	int from_stdin;
};

/* Programs that configure scripts compile by the hundred to see whether they
 * compile. They go into no product; recording them would only cost time. */
static int is_probe(const char *source)
{
	static const char *const marks[] = {"CMakeFiles/CMakeTmp", "CMakeFiles/CMakeScratch",
					    "CompilerIdC/", "meson-private/"};
	char *full;
	int is = !strcmp(file_base(source), "conftest.c");

	if (is)
		return 1;
	full = file_absolute(source);
	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
		is |= strstr(full, marks[i]) != NULL;
	free(full);
	return is;
}

/* Something else than a file that stays: /dev/null, a pipe, standard output. */
static int goes_nowhere(const char *output)
{
	struct stat st;

	return output && (!strcmp(output, "-") || (!stat(output, &st) && !S_ISREG(st.st_mode)));
}

static int worth_recording(const struct args *a)
{
	int sources = 0;

	if (a->stage != STAGE_COMPILE && a->stage != STAGE_LINK)
		return 0;
	if (goes_nowhere(a->output) || a->emit_llvm)
		return 0;
	for (size_t i = 0; i < a->list.size; i++) {
		const struct arg *g = &a->list.data[i];

		if (g->class == ARG_INPUT && g->lang && is_probe(g->text))
			return 0;
		sources += args_is_c(g);
	}
	return a->stage == STAGE_LINK || (sources && !a->lto);
}

/* Where the public header is, for the front end to look last. */
static void add_header_dir(struct run *r, struct words *out)
{
	const char *home = home_dir();
	char *dir;
	int c = 0;

	for (size_t i = 0; i < r->args.list.size; i++) {
		const struct arg *g = &r->args.list.data[i];

		c |= g->class == ARG_INPUT && g->lang && strcmp(g->lang, "assembler") &&
		     strcmp(g->lang, "ir") && strcmp(g->lang, "cpp-output");
		/* Build systems ask which directories the compiler knows: say clang's. */
		if (g->class == ARG_NOISE && !strcmp(g->text, "-v"))
			return;
	}
	if (!home || !c)
		return;
	dir = file_join(home, "include");
	vec_push(out, "-idirafter");
	vec_push(out, arena_strdup(&r->args.arena, dir));
	free(dir);
}

/* What a program may call that only muster's archives define: it links without
 * them elsewhere. A definition of the program's own comes first. */
static const struct {
	const char *name, *archive;
	int recorded; /* variants link it as well */
} helpers[] = {
    {"LLVMFuzzerTestOneInput", "libmuster_driver.a", 1},
    {"muster_drive", "libmuster_drive.a", 1},
    {"__VERIFIER_", "libmuster_native.a", 0},
    {"klee_", "libmuster_native.a", 0},
    {"reach_error", "libmuster_native.a", 0},
};

static void add_helper(struct run *r, const char *name, int recorded)
{
	char *archive = home_file(name);
	const char *text = archive ? arena_strdup(&r->args.arena, archive) : NULL;

	free(archive);
	if (!text)
		return;
	vec_push(&r->plain, text);
	if (recorded)
		vec_push(&r->args.list, (struct arg){.class = ARG_INPUT, .text = text});
}

static void add_helpers(struct run *r)
{
	enum { COUNT = sizeof helpers / sizeof helpers[0] };
	struct args *a = &r->args;
	int wanted[COUNT] = {0};

	if (a->stage != STAGE_LINK || a->shared || a->relocatable)
		return;
	for (size_t i = 0; i < a->list.size; i++) {
		const struct arg *g = &a->list.data[i];
		struct buf b = BUF_EMPTY;

		if (g->class == ARG_SANITIZE && strstr(g->text, "fuzzer"))
			return;
		if (g->class != ARG_INPUT || !strcmp(g->text, "-") || file_read(g->text, &b)) {
			buf_release(&b);
			continue;
		}
		for (int n = 0; n < COUNT; n++)
			wanted[n] |= memmem(b.data, b.size, helpers[n].name,
					    strlen(helpers[n].name)) != NULL;
		buf_release(&b);
	}
	for (int n = 0, same; n < COUNT; n++) {
		for (same = 0; same < n && !(wanted[same] && !strcmp(helpers[n].archive, helpers[same].archive));)
			same++;
		if (wanted[n] && same == n)
			add_helper(r, helpers[n].archive, helpers[n].recorded);
	}
}

static void plan_plain(struct run *r, int argc, char **argv)
{
	vec_push(&r->plain, home_clang());
	add_header_dir(r, &r->plain);
	for (int i = 1; i < argc; i++)
		vec_push(&r->plain, argv[i]);
	add_helpers(r);
	vec_push(&r->plain, NULL);
}

/* A source that is not C, compiled and linked in one go: its object is needed again. */
static int plan_foreign(struct run *r, const struct arg *in)
{
	const struct args *a = &r->args;
	char *object = file_temp("foreign.o");
	struct words w = {0};

	if (!object)
		return -1;
	vec_push(&w, home_clang());
	for (size_t i = 0; i < a->list.size; i++) {
		const struct arg *g = &a->list.data[i];

		if (g->class == ARG_OTHER || g->class == ARG_OPT || g->class == ARG_LTO ||
		    (g->class == ARG_WARN && strncmp(g->text, "-Werror", 7)))
			args_words(g, &w, &r->args.arena);
	}
	vec_push(&w, "-w");
	vec_push(&w, "-Qunused-arguments");
	vec_push(&w, "-c");
	vec_push(&w, "-o");
	vec_push(&w, object);
	vec_push(&w, "-x");
	vec_push(&w, in->lang);
	vec_push(&w, in->text);
	vec_push(&w, NULL);
	vec_push(&r->foreign_commands, w);
	vec_push(&r->foreign, object);
	return 0;
}

static int plan(struct run *r, int argc, char **argv)
{
	const struct args *a = &r->args;
	size_t at = 1;

	plan_plain(r, argc, argv);
	for (size_t i = 0; i < a->list.size; i++)
		r->from_stdin |=
		    a->list.data[i].class == ARG_INPUT && !strcmp(a->list.data[i].text, "-");
	if (r->from_stdin && file_read_fd(0, &r->input))
		return -1;
	vec_reserve(&r->jobs, 1 + a->list.size * CAPTURE_JOBS);
	vec_push(&r->jobs, (struct proc_job){.argv = (char *const *)r->plain.data});
	if (r->from_stdin) {
		r->jobs.data[0].opts.input = r->input.data ? r->input.data : "";
		r->jobs.data[0].opts.input_size = r->input.size;
	}
	for (size_t i = 0; i < a->list.size; i++) {
		const struct arg *g = &a->list.data[i];

		if (args_is_c(g)) {
			struct capture c;

			capture_plan(&c, &r->args.arena, a, g, &r->input, NULL,
				     r->jobs.data + at);
			at += CAPTURE_JOBS;
			vec_push(&r->captures, c);
		} else if (g->class == ARG_INPUT && g->lang && a->stage == STAGE_LINK &&
			   strcmp(g->text, "-")) {
			if (plan_foreign(r, g))
				return -1;
		}
	}
	for (size_t i = 0; i < r->foreign_commands.size; i++) {
		struct proc_job j = {.argv = (char *const *)r->foreign_commands.data[i].data};

		j.opts.null_input = j.opts.capture_err = 1;
		r->jobs.data[at++] = j;
	}
	r->jobs.size = at;
	return 0;
}

static int is_elf64(const char *path)
{
	char start[5] = "";
	FILE *f = fopen(path, "rb");

	if (f) {
		if (fread(start, 1, 5, f) != 5)
			start[0] = 0;
		fclose(f);
	}
	return !memcmp(start, "\177ELF\2", 5);
}

static void fail_frame(const char *name, const char *why, struct buf *frames)
{
	struct buf payload = BUF_EMPTY;

	record_string(&payload, TAG_NAME, name);
	record_string(&payload, TAG_WHY, why);
	record_frame(frames, RECORD_FAILED, &payload);
	buf_release(&payload);
}

/* What cannot be recorded is said, once, and the build goes on. Files for other
 * machines have no variants, so they need no record. */
static void append(const char *path, const struct buf *frames)
{
	if (is_elf64(path) && record_append(path, frames))
		fprintf(stderr, "muster-cc: warning: %s\n", error_text());
}

static void record_objects(struct run *r)
{
	for (size_t i = 0; i < r->captures.size; i++) {
		struct capture *c = &r->captures.data[i];
		char *object = args_object_name(&r->args, c->in);
		struct buf frames = BUF_EMPTY;

		capture_record(c, r->jobs.data + 1 + i * CAPTURE_JOBS, &frames);
		append(object, &frames);
		buf_release(&frames);
		free(object);
	}
}

static void record_link(struct run *r)
{
	const char *output = r->args.output ? r->args.output : "a.out";
	struct buf frames = BUF_EMPTY;
	struct closure c;

	for (size_t i = 0; i < r->captures.size; i++)
		capture_record(&r->captures.data[i], r->jobs.data + 1 + i * CAPTURE_JOBS, &frames);
	if (closure_collect(&c, &r->args, r->captures.data, r->foreign.data))
		fail_frame(output, error_text(), &frames);
	else
		closure_write(&c, &frames);
	closure_release(&c);
	append(output, &frames);
	buf_release(&frames);
}

static void release(struct run *r)
{
	for (size_t i = 0; i < r->jobs.size; i++)
		proc_release(&r->jobs.data[i].result);
	for (size_t i = 0; i < r->captures.size; i++)
		capture_release(&r->captures.data[i]);
	for (size_t i = 0; i < r->foreign.size; i++) {
		vec_release(&r->foreign_commands.data[i]);
		free(r->foreign.data[i]);
	}
	vec_release(&r->foreign_commands);
	vec_release(&r->foreign);
	vec_release(&r->captures);
	vec_release(&r->jobs);
	vec_release(&r->plain);
	buf_release(&r->input);
	args_release(&r->args);
}

static int exec_plain(struct run *r, int argc, char **argv)
{
	if (!r->plain.size)
		plan_plain(r, argc, argv);
	execvp(r->plain.data[0], (char *const *)r->plain.data);
	fprintf(stderr, "muster-cc: cannot run '%s': %s (install it with 'make deps')\n",
		r->plain.data[0], strerror(errno));
	return 127;
}

int cc_run(int argc, char **argv)
{
	struct run r = {0};
	int status;

	if (args_parse(&r.args, argc, argv) || !worth_recording(&r.args))
		return exec_plain(&r, argc, argv);
	if (plan(&r, argc, argv)) {
		fprintf(stderr, "muster-cc: %s\n", error_text());
		return 1;
	}
	proc_run_many(r.jobs.data, r.jobs.size);
	status = r.jobs.data[0].result.status;
	if (status == 127)
		fprintf(stderr, "muster-cc: %s (install clang-19 with 'make deps')\n",
			error_text());
	if (!status && r.args.stage == STAGE_COMPILE)
		record_objects(&r);
	else if (!status)
		record_link(&r);
	release(&r);
	return status;
}

int cc_call(char *const argv[], const void *ctx)
{
	int argc = 0;

	(void)ctx;
	while (argv[argc])
		argc++;
	return cc_run(argc, (char **)argv);
}
