/* capture.c: the front end once more, for the record.
 *
 * The user's own command is run as it is, so its code is what clang-19 makes by
 * itself; bitcode and preprocessed source come from two further runs of the front
 * end beside it. Both see the user's arguments less those that only concern
 * output, diagnostics, optimisation, linking and other people's instrumentation.
 * The bitcode is made as -O1 makes it (so that no function is marked optnone) but
 * with the macros that the user's own level defines.
 */
#include "build/capture.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "build/home.h"
#include "build/refined.h"
#include "instrument/fold.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Arguments that turn default errors into none must stay, or old code does not
 * compile; those that turn warnings into errors must go. */
static int keep_warning(const char *w)
{
	return strncmp(w, "-Werror", 7) && strcmp(w, "-pedantic-errors");
}

static int keep(const struct arg *g)
{
	switch (g->class) {
	case ARG_OTHER:
		return 1;
	case ARG_WARN:
		return keep_warning(g->text);
	default:
		return 0;
	}
}

static void add(struct words *w, const char *s)
{
	vec_push(w, s);
}

static void add_all(struct words *w, const struct words *more)
{
	for (size_t i = 0; i < more->size; i++)
		vec_push(w, more->data[i]);
}

/* The level's own macros, since the record is always made at -O1. */
static void level_macros(struct words *w, const char *level)
{
	if (!strcmp(level, "-O0")) {
		add(w, "-U__OPTIMIZE__");
		add(w, "-D__NO_INLINE__=1");
	} else if (!strcmp(level, "-Os") || !strcmp(level, "-Oz")) {
		add(w, "-D__OPTIMIZE_SIZE__=1");
	} else if (!strcmp(level, "-Ofast")) {
		add(w, "-ffast-math");
	}
}

static const char *header_dir(struct arena *arena)
{
	char *dir = home_dir() ? file_join(home_dir(), "include") : NULL;
	const char *kept = dir ? arena_strdup(arena, dir) : NULL;

	free(dir);
	return kept;
}

/* Everything that a variant of any set of checkers may want; the rest is folded when it is made (instrument/fold.h). Left out are calls
 * through pointers of another type and virtual tables, which have no such branch in C, and sizes of objects, which -O0 does not
 * check. */
const char *const capture_checks[] = {"-fsanitize=undefined,unsigned-integer-overflow,implicit-conversion,nullability",
				      "-fno-sanitize=function,vptr,object-size", "-fsanitize-trap=all", NULL};
const char *const capture_ends[] = {"-ftrap-function=" FOLD_ENDS, NULL};

/* The user's own checks (-ftrapv) end the run, and ours would take their place. */
static const char *const own_checks[] = {"-ftrap-function=" FOLD_OWN, NULL};

static int has_own_checks(const struct args *a)
{
	for (size_t i = 0; i < a->list.size; i++)
		if (!strcmp(a->list.data[i].text, "-ftrapv"))
			return 1;
	return 0;
}

void capture_plan(struct capture *c, struct arena *arena, const struct args *a,
		  const struct arg *in, const struct buf *input, const char *const *more,
		  struct proc_job jobs[CAPTURE_JOBS])
{
	static const char *const front[] = {"-w",
					    "-Qunused-arguments",
					    "-g",
					    "-O1",
					    "-Xclang",
					    "-disable-llvm-passes",
					    "-fno-discard-value-names",
					    "-emit-llvm",
					    "-c",
					    "-o",
					    "-",
					    "-x"};
	const char *level = "-O0", *include = header_dir(arena);

	*c = (struct capture){.in = in, .name = in->text};
	for (size_t i = 0; i < a->list.size; i++) {
		const struct arg *g = &a->list.data[i];

		if (keep(g))
			args_words(g, &c->shape, arena);
		if (g->class == ARG_OPT)
			level = g->text;
	}
	level_macros(&c->shape, level);
	add(&c->front, home_clang());
	add_all(&c->front, &c->shape);
	if (include) {
		add(&c->front, "-idirafter");
		add(&c->front, include);
	}
	add_all(&c->preprocess, &c->front);
	for (const char *const *check = has_own_checks(a) ? own_checks : capture_checks; *check; check++)
		add(&c->front, *check);
	for (; more && *more; more++)
		add(&c->front, *more);
	for (size_t i = 0; i < sizeof front / sizeof front[0]; i++)
		add(&c->front, front[i]);
	add(&c->front, in->lang);
	add(&c->front, in->text);
	add(&c->front, NULL);
	add(&c->preprocess, "-w");
	add(&c->preprocess, "-Qunused-arguments");
	add(&c->preprocess, level);
	add(&c->preprocess, "-E");
	add(&c->preprocess, "-x");
	add(&c->preprocess, in->lang);
	add(&c->preprocess, in->text);
	add(&c->preprocess, NULL);
	if (!strcmp(in->lang, "cpp-output")) { /* there is nothing left to do */
		vec_clear(&c->preprocess);
		add(&c->preprocess, "cat");
		add(&c->preprocess, in->text);
		add(&c->preprocess, NULL);
	}
	jobs[0] = (struct proc_job){.argv = (char *const *)c->front.data};
	jobs[1] = (struct proc_job){.argv = (char *const *)c->preprocess.data};
	for (int i = 0; i < CAPTURE_JOBS; i++) {
		jobs[i].opts.capture_out = jobs[i].opts.capture_err = 1;
		jobs[i].opts.null_input = 1;
		if (!strcmp(in->text, "-")) {
			jobs[i].opts.input = input->data ? input->data : "";
			jobs[i].opts.input_size = input->size;
		}
	}
}

static void record_why(struct capture *c, const char *what, const struct buf *words,
		       struct buf *payload)
{
	struct buf why = BUF_EMPTY;
	size_t n = words->size < 2000 ? words->size : 2000;

	buf_addf(&why, "%s: ", what);
	buf_add(&why, words->data, n);
	while (why.size && why.data[why.size - 1] == '\n')
		why.size--;
	buf_clear(payload);
	record_string(payload, TAG_NAME, c->name);
	record_field(payload, TAG_WHY, why.data, why.size);
	buf_release(&why);
	c->failed = 1;
}

void capture_record(struct capture *c, struct proc_job jobs[CAPTURE_JOBS], struct buf *out)
{
	struct buf payload = BUF_EMPTY, refined[CAPTURE_JOBS] = {0};
	int is_refined = refined_unit(c, jobs, &refined[0], &refined[1]);
	const struct buf *bitcode = is_refined ? &refined[0] : &jobs[0].result.out;
	const struct buf *source = is_refined ? &refined[1] : &jobs[1].result.out;
	char *dir = getcwd(NULL, 0);

	if (jobs[0].result.status || jobs[1].result.status) {
		record_why(c, "clang-19 could not make bitcode of it",
			   jobs[0].result.status ? &jobs[0].result.err : &jobs[1].result.err, &payload);
	} else {
		c->unit = hash128(bitcode->data, bitcode->size);
		record_string(&payload, TAG_NAME, c->name);
		record_string(&payload, TAG_DIR, c->dir ? c->dir : dir ? dir : ".");
		record_hash(&payload, TAG_HASH, c->unit);
		for (size_t i = 0; i < c->shape.size; i++)
			record_string(&payload, TAG_ARG, c->shape.data[i]);
		if (record_packed(&payload, TAG_BITCODE, bitcode->data, bitcode->size) ||
		    record_packed(&payload, TAG_SOURCE, source->data, source->size))
			record_why(c, error_text(), &BUF_EMPTY, &payload);
	}
	record_frame(out, c->failed ? RECORD_FAILED : RECORD_UNIT, &payload);
	buf_release(&payload);
	buf_release(&refined[0]);
	buf_release(&refined[1]);
	free(dir);
}

void capture_release(struct capture *c)
{
	vec_release(&c->shape);
	vec_release(&c->front);
	vec_release(&c->preprocess);
}

/* Does one of the files that the rule of make names speak of refinements? They stand behind the colon, with a backslash before spaces and ends of lines. */
static int names_marked(const struct buf *rule)
{
	const char *s = rule->size ? memchr(rule->data, ':', rule->size) : NULL, *end = rule->data + rule->size;
	struct buf name = BUF_EMPTY, text = BUF_EMPTY;
	int marked = !s; /* not known */

	for (s = s ? s + 1 : end; s < end && !marked; s++) {
		if (*s == '\\' && s + 1 < end && s[1] != '\n') {
			buf_addc(&name, *++s);
		} else if (*s != ' ' && *s != '\n' && *s != '\\') {
			buf_addc(&name, *s);
		} else if (name.size) {
			buf_clear(&text);
			marked = file_read(buf_str(&name), &text) || refined_may_be(&text);
			buf_clear(&name);
		}
	}
	buf_release(&name);
	buf_release(&text);
	return marked;
}

/* The bitcode first; the preprocessed text only if refinements may be in it. */
static int run_sparingly(struct proc_job jobs[CAPTURE_JOBS], const char *rule)
{
	struct buf files = BUF_EMPTY;
	int e = proc_run_many(jobs, 1);

	if (!e && !jobs[0].result.status && (file_read(rule, &files) || names_marked(&files)))
		e = proc_run_many(jobs + 1, 1);
	buf_release(&files);
	return e;
}

int capture_file(const char *path, const char *const *cflags, enum capture_what what, struct buf *out)
{
	static char *const fixed[] = {"cc", "-c", "-O2", "-g"};
	VEC(char *) argv = {0};
	struct args a;
	struct capture c;
	struct proc_job jobs[CAPTURE_JOBS];
	struct buf none = BUF_EMPTY;
	char *rule = what == CAPTURE_BITCODE ? file_temp("rule") : NULL;
	const char *const more[] = {"-MD", "-MF", rule, NULL};
	int e;

	/* It is read twice. */
	if (file_exists(path) && !file_is_regular(path)) {
		free(rule);
		return error_set("'%s' is no plain file: name a .c file", path);
	}
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		vec_push(&argv, fixed[i]);
	for (; cflags && *cflags; cflags++)
		vec_push(&argv, (char *)*cflags);
	vec_push(&argv, (char *)path);
	e = args_parse(&a, (int)argv.size, argv.data);
	if (!e) {
		capture_plan(&c, &a.arena, &a, &vec_last(&a.list), &none, rule ? more : NULL, jobs);
		/* The user waits for this one: the user sees what is wrong, warnings and all. */
		e = rule ? run_sparingly(jobs, rule) : proc_run_many(jobs, CAPTURE_JOBS);
		if (!e && jobs[0].result.status) {
			e = error_set("'%s' does not compile:\n%s", path,
				      buf_str(&jobs[0].result.err));
		} else if (!e) {
			capture_record(&c, jobs, out);
		}
		for (int i = 0; i < CAPTURE_JOBS; i++)
			proc_release(&jobs[i].result);
		capture_release(&c);
	}
	args_release(&a);
	vec_release(&argv);
	if (rule)
		unlink(rule);
	free(rule);
	return e;
}
