/* invariants.c: muster invariants: what holds at the loops of a C file and at the branches in and after them, whatever the input is.
 *
 * Compiles the file as muster cc does (without checks for undefined behaviour, unless --checks: the machine's integers wrap either way), analyses each function
 * that has a loop (src/absint), and prints the points, as JSON if asked, or a copy of the source with comments.
 * Exit code 0, also if a time limit made a weaker domain answer: what is printed holds all the same.
 */
#include "cmd/invariants.h"

#include "absint/callee.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/option.h"
#include "build/args.h"
#include "build/capture.h"
#include "base/hash.h"
#include "cmd/cmd.h"
#include "cmd/keep.h"
#include "ir/code.h"
#include "report/result_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Prints what holds at each loop of a C file, where the loop is left, and at the branches in and after loops: conditions in C that are true\n"
    "whenever execution is there, whatever the function was called with; integers wrap as the machine's do. Names are those of the source;\n"
    "  old(x)            what a parameter, a global, *p or p->n was when the function was called\n"
    "  iterations(LINE)  how often the loop of this line has come back to its head since it was last entered\n"
    "  total(LINE)       of an inner loop: since the outermost loop around it was entered\n"
    "`true`: nothing is known. `false`: execution does not come there. Arguments after -- go to the compiler.\n\n"
    "  muster invariants list.c                 every function with a loop\n"
    "  muster invariants list.c:insert          one of them\n"
    "  muster invariants --annotate list.c      the source, with the invariants as comments";

struct operand {
	char *file, *function; /* function NULL: all */
};

struct session {
	int json, annotate, checks, everything;
	const char *domain, *output, *store;
	double seconds;
	char **cflags;
	int cflag_count;
	VEC(struct operand) operands;
	struct absint_options absint;
	struct buf out;
	struct result result;
};

/* -------------------------------------------------------------- compiling */
static int compile(const struct session *s, const char *file, struct buf *bitcode)
{
	static const char *const plain[] = {"-fno-sanitize=all", NULL};
	VEC(char *) words = {0};
	struct args a = {0};
	struct capture c = {0};
	struct proc_job jobs[CAPTURE_JOBS];
	struct buf none = BUF_EMPTY;
	int e;

	vec_push(&words, "cc");
	vec_push(&words, "-c");
	for (int i = 0; i < s->cflag_count; i++)
		vec_push(&words, s->cflags[i]);
	vec_push(&words, (char *)file);
	e = args_parse(&a, (int)words.size, words.data);
	vec_release(&words);
	if (!e && (vec_last(&a.list).class != ARG_INPUT || !args_is_c(&vec_last(&a.list))))
		e = error_set("'%s' is not a C source file (.c or .i)", file);
	if (!e) {
		capture_plan(&c, &a.arena, &a, &vec_last(&a.list), &none, s->checks ? NULL : plain, jobs);
		e = proc_run(jobs[0].argv, &jobs[0].opts, &jobs[0].result);
		if (!e && jobs[0].result.status)
			e = error_set("'%s' does not compile:\n%s", file, buf_str(&jobs[0].result.err));
		if (!e)
			buf_add(bitcode, jobs[0].result.out.data, jobs[0].result.out.size);
		proc_release(&jobs[0].result);
		capture_release(&c);
	}
	args_release(&a);
	return e;
}

/* ----------------------------------------------------------------- results */
static const char *kept(struct result *r, const char *text)
{
	return text ? arena_strdup(&r->strings, text) : NULL;
}

static void fill(struct result *r, const struct invariants *all, const char *file)
{
	size_t first = r->functions.size;
	for (size_t i = 0; i < all->functions.size; i++) {
		const struct invariant_function *f = &all->functions.data[i];
		vec_push(&r->functions, (struct result_function){.file = file,
								 .name = kept(r, f->name),
								 .line = f->line,
								 .loops = f->loops,
								 .domain = domain_name(f->domain),
								 .weakened = f->weakened,
								 .seconds = f->seconds});
	}
	for (size_t i = 0; i < all->points.size; i++) {
		const struct invariant *p = &all->points.data[i];
		const struct result_function *f = &r->functions.data[first + p->function];
		vec_push(&r->points, (struct result_point){.file = file,
							   .function = f->name,
							   .line = p->line,
							   .column = p->column,
							   .kind = p->place == INVARIANT_HEAD || p->place == INVARIANT_EXIT ? "loop" : "branch",
							   .where = invariant_place_key(p->place),
							   .outcome = kept(r, p->outcome),
							   .loop = p->loop,
							   .domain = f->domain,
							   .invariant = kept(r, p->text),
							   .in = first + p->function});
	}
}

static void add_figures(struct result *r)
{
	uint64_t trivial = 0, weakened = 0;
	for (size_t i = 0; i < r->points.size; i++)
		trivial += !strcmp(r->points.data[i].invariant, "true");
	for (size_t i = 0; i < r->functions.size; i++)
		weakened += (uint64_t)r->functions.data[i].weakened;
	result_count(r, r->functions.size, "functions");
	result_count(r, r->points.size, "points");
	result_count(r, trivial, "true");
	result_count(r, weakened, "weakened");
}

static void add_point(struct buf *lines, const struct invariant *p)
{
	buf_addf(lines, "%u\t", p->line);
	if (p->outcome)
		buf_addf(lines, "%s%s at column %u", p->place == INVARIANT_EXIT ? "after the loop, left by " : "after ", p->outcome, p->column);
	buf_addf(lines, "\t%s\n", p->text);
}

/* For the pages of muster report. Of a file of which some functions were named, these alone are known. */
static void keep(const struct session *s, const struct invariants *all, const char *file)
{
	struct buf source = BUF_EMPTY, lines = BUF_EMPTY;
	char hex[HASH_HEX_SIZE], *path = file_absolute(file), *name = mem_printf(KEEP_INVARIANTS "%s", path);
	int e = file_read(file, &source);

	buf_addf(&lines, "%s\n", hash_hex(hash128(source.data, source.size), hex));
	for (size_t i = 0; i < all->points.size; i++) {
		const struct invariant *p = &all->points.data[i];
		if (strcmp(p->text, "true") && !strchr(p->text, '\n'))
			add_point(&lines, p);
	}
	if (!e)
		keep_value(s->store, name, &lines);
	free(path);
	free(name);
	buf_release(&source);
	buf_release(&lines);
}

/* ---------------------------------------------------------------- printing */
static void print_json(struct session *s, double seconds)
{
	struct json j;
	json_begin(&j, &s->out);
	j.indent = 2;
	json_object_open(&j);
	json_key(&j, "command"), json_str(&j, "invariants");
	json_key(&j, "status"), json_str(&j, "complete");
	json_key(&j, "seconds"), json_double(&j, seconds);
	result_json(&j, &s->result, RESULT_POINTS | RESULT_FUNCTIONS | RESULT_STATS);
	json_object_close(&j);
	buf_addc(&s->out, '\n');
}

static void print_words(struct session *s)
{
	const struct result *r = &s->result;
	uint64_t functions = result_figure(r, "functions")->count, weakened = result_figure(r, "weakened")->count;
	size_t function = SIZE_MAX;
	for (size_t i = 0; i < r->points.size; i++) {
		const struct result_point *p = &r->points.data[i];
		const struct result_function *f = &r->functions.data[p->in];

		if (p->in != function)
			buf_addf(&s->out, "%s:%u: %s%s%s\n", f->file, f->line, f->name, f->weakened ? ": time ran out; answered by " : "",
				 f->weakened ? f->domain : "");
		function = p->in;
		buf_addf(&s->out, "  %4" PRIu64 ":%-3" PRIu64 " ", p->line, p->column);
		if (!p->outcome)
			buf_adds(&s->out, "loop            ");
		else
			buf_addf(&s->out, "%-6s %-8s ", !strcmp(p->kind, "loop") ? "exit" : "branch", p->outcome);
		buf_addf(&s->out, "%s\n", p->invariant);
	}
	buf_addf(&s->out, "%" PRIu64 " function%s with loops, %" PRIu64 " points, %" PRIu64 " of them `true`", functions, functions == 1 ? "" : "s",
		 result_figure(r, "points")->count, result_figure(r, "true")->count);
	if (weakened)
		buf_addf(&s->out, "; %" PRIu64 " answered by a weaker domain, --time gives more", weakened);
	buf_addc(&s->out, '\n');
}

static int print_annotated(struct session *s, const struct invariants *all, const char *file)
{
	struct buf source = BUF_EMPTY;
	int e = file_read(file, &source);

	if (!e)
		invariants_annotate(all, source.data, source.size, &s->out);
	buf_release(&source);
	return e;
}

/* ------------------------------------------------------------------- files */
static int is_wanted(const struct session *s, const char *file, const char *name)
{
	for (size_t i = 0; i < s->operands.size; i++) {
		const struct operand *o = &s->operands.data[i];

		if (!strcmp(o->file, file) && (!o->function || !strcmp(o->function, name)))
			return 1;
	}
	return 0;
}

static int is_first(const struct session *s, size_t k)
{
	for (size_t i = 0; i < k; i++)
		if (!strcmp(s->operands.data[i].file, s->operands.data[k].file))
			return 0;
	return 1;
}

/* Is the function's text in the file itself? Those of headers have no line there. */
static int is_inside(const struct code_function *f, const char *file)
{
	return f->defined && (!*f->file || !strcmp(file_base(f->file), file_base(file)));
}

static int run_file(struct session *s, const char *file)
{
	struct buf bitcode = BUF_EMPTY;
	struct code *c = NULL;
	struct invariants all = {0};
	int e = compile(s, file, &bitcode);

	if (!e && !(c = code_load(bitcode.data, bitcode.size, 1)))
		e = -1;
	for (size_t i = 0; !e && i < s->operands.size; i++) {
		const struct operand *o = &s->operands.data[i];

		if (!strcmp(o->file, file) && o->function && !code_find(c, o->function))
			e = error_set("'%s' has no function '%s'", file, o->function);
	}
	s->absint.callees = e ? NULL : callees_new(c);
	for (uint32_t i = 0; !e && i < c->function_count; i++)
		if (is_inside(&c->functions[i], file) && is_wanted(s, file, c->functions[i].name))
			invariants_add(&all, c, &c->functions[i], &s->absint, s->everything);
	if (!e)
		keep(s, &all, file);
	if (!e && s->annotate)
		e = print_annotated(s, &all, file);
	else if (!e)
		fill(&s->result, &all, file);
	invariants_release(&all);
	callees_free(s->absint.callees);
	code_free(c);
	buf_release(&bitcode);
	return e;
}

static void add_operand(struct session *s, const char *text)
{
	const char *colon = file_exists(text) ? NULL : strrchr(text, ':');
	struct operand o = {colon ? mem_strndup(text, (size_t)(colon - text)) : mem_strdup(text), colon ? mem_strdup(colon + 1) : NULL};

	if (!file_exists(o.file))
		die(EXIT_USAGE, "there is no file '%s'", o.file);
	if (!file_is_regular(o.file))
		die(EXIT_USAGE, "'%s' is no file: name a .c file", o.file);
	vec_push(&s->operands, o);
}

static void write_out(struct session *s)
{
	if (s->output ? file_write_atomic(s->output, s->out.data, s->out.size) : file_write_all(1, s->out.data, s->out.size))
		die(EXIT_USAGE, "%s", error_text());
}

static void run(struct session *s)
{
	double started = clock_seconds();
	s->result.function_fields = RESULT_FIELD(FUNCTION, FILE) | RESULT_FIELD(FUNCTION, NAME) | RESULT_FIELD(FUNCTION, LINE) | RESULT_FIELD(FUNCTION, LOOPS) |
				    RESULT_FIELD(FUNCTION, DOMAIN) | RESULT_FIELD(FUNCTION, WEAKENED) | RESULT_FIELD(FUNCTION, SECONDS);
	for (size_t i = 0; i < s->operands.size; i++)
		if (is_first(s, i) && run_file(s, s->operands.data[i].file))
			die(EXIT_USAGE, "%s", error_text());
	add_figures(&s->result);
	if (s->json)
		print_json(s, clock_seconds() - started);
	else if (!s->annotate)
		print_words(s);
	write_out(s);
}

int cmd_invariants(int argc, char **argv)
{
	struct session s = {.domain = "polyhedra"};
	int at = 0;
	const struct option_row rows[] = {
	    OPTION_STR("domain", 'd', "NAME", &s.domain, "the strongest one to use: polyhedra (the default), octagons, boxes"),
	    OPTION_DOUBLE("time", 't', "S", &s.seconds, "seconds for one function (2); then a weaker domain answers"),
	    OPTION_FLAG("annotate", 'a', &s.annotate, "the source with the invariants as comments"),
	    OPTION_STR("output", 'o', "FILE", &s.output, "write there instead of to standard output"),
	    OPTION_FLAG("all", 0, &s.everything, "inequalities with large coefficients as well, which are right and say little"),
	    OPTION_FLAG("checks", 0, &s.checks, "analyse the code with its checks for undefined behaviour, as the search does"),
	    OPTION_STR("store", 0, "FILE", &s.store, "where they are kept for muster report (.muster/store.db)"),
	    OPTION_FLAG("json", 0, &s.json, "print the result as JSON"), OPTION_END};
	const struct option_spec spec = {"invariants", "[options] FILE.c[:FUNCTION]... [-- CFLAGS]", about, rows};

	for (;;) {
		at += option_parse(&spec, argc - at, argv + at);
		if (at >= argc || !strcmp(argv[at - 1], "--"))
			break;
		add_operand(&s, argv[at]);
	}
	s.cflags = argv + at;
	s.cflag_count = argc - at;
	if (!s.operands.size)
		option_usage(&spec, "which file? muster invariants FILE.c");
	if (s.seconds < 0)
		option_usage(&spec, "a time is not negative");
	if (domain_parse(s.domain, &s.absint.domain))
		option_usage(&spec, "--domain: %s", error_text());
	for (size_t i = 1; s.annotate && i < s.operands.size; i++)
		if (strcmp(s.operands.data[i].file, s.operands.data[0].file))
			option_usage(&spec, "--annotate takes one file");
	if (s.annotate && s.json)
		option_usage(&spec, "--annotate or --json, not both");
	s.absint.seconds = s.seconds;
	run(&s);
	buf_release(&s.out);
	result_release(&s.result);
	for (size_t i = 0; i < s.operands.size; i++) {
		free(s.operands.data[i].file);
		free(s.operands.data[i].function);
	}
	vec_release(&s.operands);
	return EXIT_OK;
}
