/* build.c: a unit with its harness, compiled and linked into a program with records.
 *
 * The unit is preprocessed with the user's flags and read by the front; the plan's text goes after
 * it. Two runs of clang side by side make the program itself, not optimised and without checks, and
 * the bitcode of the record, in which each check for undefined behaviour is a branch; everything
 * else (trace, cov, san) is made from the record, as for any program.
 *
 * Functions and globals that are not defined are found by the linker: those it names get stubs, and
 * the plan is made again. Most are known before: what is in neither libc nor libm is a stub from
 * the start, if the user names no libraries.
 *
 * The result lies in test/HASH below the project's directory, HASH being all it depends on. The
 * program appears by renaming and last, so whoever finds it finds all.
 *
 * A main of the unit keeps its name but not its linkage: it is declared static before the unit
 * begins. Functions of the harness have names that the instrumentation does not take for its own
 * (__muster_...): what stubs return must keep its labels.
 */
#include "harness/build.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "build/capture.h"
#include "build/closure.h"
#include "build/home.h"
#include "build/record.h"
#include "build/seal.h"
#include "build/units.h"
#include "front/asm_text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 4 /* of linking, each with more stubs */

/* ---------------------------------------------------------- the unit's text */

static void add_words(struct words *out, const char *const *more)
{
	for (; *more; more++)
		vec_push(out, *more);
}

/* The user's words as a command line of cc with FILE as its input. */
static int parse_flags(struct harness_job *j)
{
	struct words w = {0};
	int e;

	vec_push(&w, "cc");
	for (const char *const *f = j->cflags; f && *f; f++)
		vec_push(&w, *f);
	vec_push(&w, "-c");
	vec_push(&w, j->file);
	e = args_parse(&j->args, (int)w.size, (char **)w.data);
	vec_release(&w);
	return e;
}

static const struct arg *input_of(const struct args *a, const char *file)
{
	for (size_t i = a->list.size; i--;)
		if (a->list.data[i].class == ARG_INPUT && !strcmp(a->list.data[i].text, file))
			return &a->list.data[i];
	return NULL;
}

static int run_preprocessor(struct harness_job *j, const struct arg *in, struct proc_job *job, int sanitized)
{
	struct words w = {0};
	int e;

	vec_push(&w, job->argv[0]);
	if (!strcmp(in->lang, "c"))
		vec_push(&w, "-DMUSTER_LINKED");
	if (sanitized)
		vec_push(&w, "-fsanitize=address");
	add_words(&w, (const char *const *)job->argv + 1);
	vec_push(&w, NULL);
	e = proc_run((char *const *)w.data, &job->opts, &job->result);
	vec_release(&w);
	if (!e && job->result.status)
		e = error_set("'%s' does not compile:\n%s", j->file, buf_str(&job->result.err));
	return e;
}

/* The text as for AddressSanitizer in place of the other one, if it suits. */
static void take_sanitized(struct harness_job *j, const struct arg *in, struct proc_job *job)
{
	struct buf other = job->result.out;

	buf_init(&job->result.out);
	proc_release(&job->result);
	if (!run_preprocessor(j, in, job, 1) && sanitized_suits(&job->result.out)) {
		j->sanitized = sanitized_compare(&job->result.out, &other);
		buf_release(&other);
		return;
	}
	buf_release(&job->result.out);
	job->result.out = other;
}

static int preprocess(struct harness_job *j)
{
	const struct arg *in = input_of(&j->args, j->file);
	struct proc_job jobs[CAPTURE_JOBS];
	struct buf none = BUF_EMPTY;
	struct capture c;
	int e;

	if (!in || !args_is_c(in))
		return error_set("'%s' is not a C source file (.c or .i)", j->file);
	capture_plan(&c, &j->args.arena, &j->args, in, &none, NULL, jobs);
	e = run_preprocessor(j, in, &jobs[1], 0);
	if (!e && !strcmp(in->lang, "c"))
		take_sanitized(j, in, &jobs[1]);
	if (!e) {
		j->text = jobs[1].result.out;
		buf_init(&jobs[1].result.out);
		for (size_t i = 0; i < c.shape.size; i++)
			vec_push(&j->shape, arena_strdup(&j->args.arena, c.shape.data[i]));
		if (!j->text.size || j->text.data[0] != '#') { /* no line of it says whose it is */
			struct buf b = BUF_EMPTY;

			buf_addf(&b, "# 1 \"%s\"\n", j->file);
			j->sanitized.from += b.size;
			j->sanitized.to += b.size;
			buf_add(&b, j->text.data, j->text.size);
			buf_release(&j->text);
			j->text = b;
		}
	}
	proc_release(&jobs[1].result);
	capture_release(&c);
	return e;
}

int harness_read(struct harness_job *j)
{
	char *path = file_temp("unit.i");
	int e = path ? file_write_atomic(path, j->text.data, j->text.size) : -1;

	if (!e)
		e = front_open(&j->front, path, j->shape.data, (int)j->shape.size);
	if (path)
		unlink(path);
	free(path);
	return e;
}

/* Declared before the unit's own declaration, with the same type. */
void harness_hide_main(const struct front *f, struct buf *out)
{
	int number = front_function(f, "main");
	const struct front_function *fn;

	if (number < 0 || !f->functions.data[number].defined)
		return;
	fn = &f->functions.data[number];
	if (f->types.data[fn->result].name)
		buf_addf(out, "static __typeof__(%s) main(", f->types.data[fn->result].name);
	else
		buf_adds(out, "static int main(");
	for (size_t i = 0; i < fn->parameters.size; i++) {
		const struct front_type *t = &f->types.data[fn->parameters.data[i].type];
		const char *name = t->kind == FRONT_ARRAY ? f->types.data[t->to].name : t->name;

		buf_addf(out, "%s__typeof__(%s)%s", i ? ", " : "", name ? name : "char **",
			 t->kind == FRONT_ARRAY ? " *" : "");
	}
	buf_adds(out, ");\n");
}

/* ------------------------------------------------------------------- stubs */

static int is_new(const struct harness_job *j, const char *name)
{
	for (size_t i = 0; i < j->stubs.size; i++)
		if (j->stubs.data[i] && !strcmp(j->stubs.data[i], name))
			return 0;
	return 1;
}

static void add_stub_name(struct harness_job *j, const char *name)
{
	vec_push(&j->stubs, arena_strdup(&j->args.arena, name));
}

/* Other files and libraries on the command line may define anything. */
static int brings_libraries(const struct harness_job *j)
{
	for (size_t i = 0; i < j->args.list.size; i++) {
		const struct arg *g = &j->args.list.data[i];

		if (g->class == ARG_LIB || g->class == ARG_LINKER ||
		    (g->class == ARG_INPUT && strcmp(g->text, j->file)))
			return 1;
	}
	return 0;
}

int harness_library_has(const char *name)
{
	static void *libs[2];
	static const char *const names[] = {"libc.so.6", "libm.so.6"};

	for (int i = 0; i < 2; i++) {
		if (!libs[i])
			libs[i] = dlopen(names[i], RTLD_LAZY);
		if (!libs[i] || dlsym(libs[i], name))
			return 1;
	}
	return 0;
}

static int in_libc(const char *name)
{
	/* In the part of libc that is linked statically, and what muster's own archives have. */
	static const char *const others[] = {"atexit", "at_quick_exit", "pthread_atfork", "main", "reach_error"};
	static const char *const prefixes[] = {"__", "muster_", "klee_"};

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (!strcmp(name, others[i]))
			return 1;
	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return 1;
	return harness_library_has(name);
}

/* Assembly of the unit may define it: then only the linker can say that none does. */
static int asm_may_define(struct buf *words, const char *symbol, const char *name)
{
	char *line = mem_printf("\n%s\n", symbol ? symbol : name);
	int found = strstr(buf_str(words), line) != NULL;

	free(line);
	return found;
}

static void guess_stubs(struct harness_job *j)
{
	const struct front *f = j->front;

	struct buf words = BUF_EMPTY;

	if (brings_libraries(j))
		return;
	asm_text_words(buf_str(&j->text), &words);
	for (size_t i = 0; i < f->functions.size; i++) {
		const struct front_function *fn = &f->functions.data[i];

		if (!fn->defined && !fn->is_other_name && !in_libc(fn->symbol ? fn->symbol : fn->name) &&
		    !asm_may_define(&words, fn->symbol, fn->name))
			add_stub_name(j, fn->name);
	}
	for (size_t i = 0; i < f->globals.size; i++)
		if (!f->globals.data[i].defined && f->types.data[f->globals.data[i].type].name &&
		    !in_libc(f->globals.data[i].symbol ? f->globals.data[i].symbol : f->globals.data[i].name) &&
		    !asm_may_define(&words, f->globals.data[i].symbol, f->globals.data[i].name))
			add_stub_name(j, f->globals.data[i].name);
	buf_release(&words);
}

/* What the unit calls the symbol that the harness can define; NULL: nothing. */
static const char *can_define(const struct front *f, const char *symbol)
{
	uint64_t n;

	for (size_t i = 0; i < f->functions.size; i++)
		if (f->functions.data[i].symbol && !strcmp(f->functions.data[i].symbol, symbol))
			return f->functions.data[i].name;
	for (size_t i = 0; i < f->globals.size; i++)
		if (f->globals.data[i].symbol && !strcmp(f->globals.data[i].symbol, symbol))
			return f->globals.data[i].name;
	if (strmap_get(&f->function_numbers, symbol, &n) ||
	    (strmap_get(&f->global_numbers, symbol, &n) && !f->globals.data[n].defined))
		return symbol;
	return NULL;
}

/* From the linker's words: the names that the harness can define. How many are new; -1: there is
 * one it cannot. */
static int take_undefined(struct harness_job *j, const char *words)
{
	static const char *const marks[] = {"undefined reference to `", "undefined reference to '",
					    "undefined symbol: "};
	int count = 0;

	for (const char *p = words; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		size_t line = strcspn(p, "\n");

		for (size_t m = 0; m < sizeof marks / sizeof marks[0]; m++) {
			const char *at = memmem(p, line, marks[m], strlen(marks[m]));
			const char *name;
			char *symbol;

			if (!at)
				continue;
			at += strlen(marks[m]);
			symbol = mem_strndup(at, strcspn(at, "'`\n "));
			name = can_define(j->front, symbol);
			if (is_new(j, name ? name : symbol)) {
				if (!name) {
					free(symbol);
					return -1;
				}
				add_stub_name(j, name);
				count++;
			}
			free(symbol);
			break;
		}
	}
	return count;
}

/* ------------------------------------------------------------ compiling it */

struct compile {
	struct harness_job *j;
	struct args args;	      /* of the command that is recorded */
	struct words plain;	      /* the command that is run */
	VEC(struct capture) captures; /* the unit first */
	VEC(struct proc_job)
	jobs; /* the command, then CAPTURE_JOBS for each capture but the unit's second */
	char *unit, *temp; /* files */
};

/* The command line of the link, as the record will have it. */
static int plan_link(struct compile *c)
{
	static const char *const after[] = {"-lm", "-pthread", "-o"};
	struct harness_job *j = c->j;
	struct words w = {0};
	char *driver = home_file(HARNESS_DRIVER);
	int e;

	if (!driver)
		return -1;
	vec_push(&w, "cc");
	for (size_t i = 0; i < j->shape.size; i++)
		vec_push(&w, j->shape.data[i]);
	vec_push(&w, "-x");
	vec_push(&w, "cpp-output");
	vec_push(&w, c->unit);
	vec_push(&w, "-x");
	vec_push(&w, "none");
	for (size_t i = 0; i < j->args.list.size; i++) {
		const struct arg *g = &j->args.list.data[i];

		if (g->class == ARG_LIB || g->class == ARG_LIBDIR || g->class == ARG_LINKER ||
		    g->class == ARG_LINK || (g->class == ARG_INPUT && strcmp(g->text, j->file)))
			args_words(g, &w, &j->args.arena);
	}
	vec_push(&w, arena_strdup(&j->args.arena, driver));
	for (size_t i = 0; i < sizeof after / sizeof after[0]; i++)
		vec_push(&w, after[i]);
	vec_push(&w, j->program);
	e = args_parse(&c->args, (int)w.size, (char **)w.data);
	vec_release(&w);
	free(driver);
	return e;
}

/* The same as it is run: into a temporary file, and with what programs may call that no library
 * has. */
static int plan_plain(struct compile *c)
{
	static const char *const front[] = {"-w", "-Qunused-arguments", "-O0", NULL};
	char *native = home_file("libmuster_native.a");

	if (!native)
		return -1;
	vec_push(&c->plain, home_clang());
	add_words(&c->plain, front);
	for (size_t i = 0; i < c->args.list.size; i++) {
		const struct arg *g = &c->args.list.data[i];

		if (g->class == ARG_INPUT && g->lang) {
			vec_push(&c->plain, "-x");
			vec_push(&c->plain, g->lang);
			vec_push(&c->plain, g->text);
			vec_push(&c->plain, "-x");
			vec_push(&c->plain, "none");
		} else if (g->class != ARG_OUTPUT && g->class != ARG_LANG) {
			args_words(g, &c->plain, &c->args.arena);
		}
	}
	vec_push(&c->plain, arena_strdup(&c->args.arena, native));
	vec_push(&c->plain, "-o");
	vec_push(&c->plain, c->temp);
	vec_push(&c->plain, NULL);
	free(native);
	return 0;
}

static void plan_captures(struct compile *c)
{
	struct buf none = BUF_EMPTY;

	vec_push(&c->jobs, (struct proc_job){.argv = (char *const *)c->plain.data,
					     .opts = {.capture_err = 1, .null_input = 1}});
	for (size_t i = 0; i < c->args.list.size; i++) {
		const struct arg *g = &c->args.list.data[i];
		struct proc_job jobs[CAPTURE_JOBS];
		struct capture one;

		if (!args_is_c(g))
			continue;
		capture_plan(&one, &c->args.arena, &c->args, g, &none, capture_ends, jobs);
		for (int n = 0; n < CAPTURE_JOBS; n++)
			if (c->captures.size || !n) /* the unit's text is here already */
				vec_push(&c->jobs, jobs[n]);
		if (!c->captures.size)
			one.name = c->j->name;
		vec_push(&c->captures, one);
	}
}

/* The driver's objects in place of its archive: all of them are needed, and nobody has to make an
 * archive of them again. */
void harness_take_apart(struct closure *c, size_t index)
{
	struct closure_item archive = c->items.data[index];

	for (size_t i = index; i + 1 < c->items.size; i++)
		c->items.data[i] = c->items.data[i + 1];
	c->items.size--;
	for (size_t i = 0; i < archive.members.size; i++) {
		struct closure_item o = {.kind = ITEM_OBJECT,
					 .text = archive.members.data[i].name,
					 .blob = archive.members.data[i].blob};

		vec_push(&c->items, o);
		vec_release(&archive.members.data[i].units);
	}
	vec_release(&archive.members);
}

/* Makes the frames of the program; the unit's source is what was compiled. */
static int record(struct compile *c, const struct buf *source)
{
	struct buf frames = BUF_EMPTY;
	struct closure closure;
	size_t at = 1;
	int e;

	for (size_t i = 0; i < c->captures.size; i++) {
		struct proc_job jobs[CAPTURE_JOBS] = {c->jobs.data[at]};

		if (!i)
			jobs[1].result.out = *source;
		else
			jobs[1] = c->jobs.data[at + 1];
		capture_record(&c->captures.data[i], jobs, &frames);
		at += i ? CAPTURE_JOBS : 1;
	}
	e = closure_collect(&closure, &c->args, c->captures.data, NULL);
	for (size_t i = 0; i < closure.items.size && !e; i++)
		if (closure.items.data[i].kind == ITEM_ARCHIVE &&
		    !strcmp(file_base(closure.items.data[i].text), HARNESS_DRIVER))
			harness_take_apart(&closure, i);
	if (!e)
		closure_write(&closure, &frames);
	closure_release(&closure);
	if (!e)
		e = record_append(c->temp, &frames);
	buf_release(&frames);
	return e;
}

/* A precondition stands in a file of that name for clang (source.c): the user wrote it, but in no
 * file. */
int harness_complain(const char *name, struct buf *words)
{
	const char *text = buf_str(words), *at = strstr(text, "precondition '"), *end, *what;

	end = at ? strstr(at, "':1:") : NULL;
	what = end ? strstr(end, "error: ") : NULL;
	if (!what)
		return error_set("'%s' does not compile:\n%s", name, text);
	return error_set("the %.*s' does not compile: %.*s", (int)(end - at), at,
			 (int)strcspn(what + 7, "\n"), what + 7);
}

/* 0; -1 with words; 1 if there are more stubs to be made. */
static int compile(struct harness_job *j, const struct buf *source)
{
	struct compile c = {.j = j};
	int e;

	c.unit = file_join(j->dir, "unit.i");
	c.temp = mem_printf("%s.%ld.tmp", j->program, (long)getpid());
	file_temp_add(c.temp);
	e = file_write_atomic(c.unit, source->data, source->size);
	if (!e)
		e = plan_link(&c);
	if (!e)
		e = plan_plain(&c);
	if (!e) {
		plan_captures(&c);
		e = proc_run_many(c.jobs.data, (int)c.jobs.size);
	}
	for (size_t i = 1; i < c.jobs.size && !e; i++)
		if (c.jobs.data[i].result.status)
			e = harness_complain(j->name, &c.jobs.data[i].result.err);
	if (!e && c.jobs.data[0].result.status) {
		e = take_undefined(j, buf_str(&c.jobs.data[0].result.err)) > 0;
		if (!e)
			e = error_set("'%s' does not link:\n%s", j->name,
				      buf_str(&c.jobs.data[0].result.err));
	}
	if (!e)
		e = record(&c, source);
	if (!e && rename(c.temp, j->program))
		e = error_errno("cannot write '%s'", j->program);
	unlink(c.temp);
	file_temp_done(c.temp);
	for (size_t i = 0; i < c.jobs.size; i++)
		proc_release(&c.jobs.data[i].result);
	for (size_t i = 0; i < c.captures.size; i++)
		capture_release(&c.captures.data[i]);
	vec_release(&c.captures);
	vec_release(&c.jobs);
	vec_release(&c.plain);
	args_release(&c.args);
	free(c.unit);
	free(c.temp);
	return e;
}

/* ---------------------------------------------------------------- the whole */

int harness_plan_again(struct harness_job *j)
{
	int e;

	harness_free(j->h);
	j->h = NULL;
	vec_push(&j->stubs, NULL);
	e = harness_plan(&j->h, j->front, j->options, j->stubs.data);
	j->stubs.size--;
	if (!e)
		sanitized_limit(j->h, j->front, &j->text, &j->sanitized);
	return e;
}

static int build(struct harness_job *j)
{
	int e = 1;

	for (int round = 0; round < ROUNDS && e > 0; round++) {
		struct buf source = BUF_EMPTY;

		e = harness_plan_again(j);
		if (!e) {
			harness_hide_main(j->front, &source);
			harness_unit_text(j->h, &j->text, &source);
			harness_source(j->h, &source);
			e = compile(j, &source);
		}
		buf_release(&source);
	}
	if (e > 0)
		e = error_set("'%s' does not link: more and more names are not defined", j->name);
	return e;
}

static void hash_words(struct hash128 *h, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		*h = hash128_join(*h, hash128_str(words[i] ? words[i] : ""));
}

int harness_hash_file(struct hash128 *h, const char *path)
{
	struct buf b = BUF_EMPTY;
	int e = file_read(path, &b);

	*h = hash128_join(*h, hash128(b.data, b.size));
	buf_release(&b);
	return e;
}

int harness_key(const struct harness_job *j, struct hash128 *key)
{
	const struct harness_options *o = j->options;
	uint64_t numbers[] = {o->elements, o->characters, o->objects, (uint64_t)o->globals_initial,
			      o->global_limit, j->sanitized.from, j->sanitized.to};
	char *driver = home_file(HARNESS_DRIVER);
	struct hash128 h = hash128_join(units_tool(), hash128(j->text.data, j->text.size));
	int e = driver ? harness_hash_file(&h, driver) : -1;

	free(driver);
	h = hash128_join(h, hash128(numbers, sizeof numbers));
	hash_words(&h, j->shape.data, j->shape.size);
	for (const char *const *r = o->requires; r && *r; r++)
		hash_words(&h, r, 1);
	for (const char *const *r = o->accepted; r && *r; r++)
		hash_words(&h, r, 1), hash_words(&h, (const char *const[]){"accepted"}, 1);
	for (size_t i = 0; i < j->args.list.size && !e; i++) {
		const struct arg *g = &j->args.list.data[i];

		hash_words(&h, &g->text, 1);
		hash_words(&h, &g->value, 1);
		if (g->class == ARG_INPUT && strcmp(g->text, j->file))
			e = harness_hash_file(&h, g->text);
	}
	*key = h;
	return e;
}

/* Directory and program, named by their contents; the directory is made. */
int harness_place(struct harness_job *j, struct hash128 key, const char *name)
{
	static const char *const beside[] = {"stubs", "unit.i", SEAL_FILE, NULL};
	char hex[HASH_HEX_SIZE], *relative, *base = mem_strdup(file_base(name)), *dot = strrchr(base, '.'), *tame;

	if (dot && dot > base)
		*dot = 0;
	tame = file_tame(base, beside);

	relative = mem_printf("%s/test/%s", home_project(), hash_hex(key, hex));
	j->dir = file_absolute(relative);
	free(relative);
	j->program = file_join(j->dir, tame);
	free(tame);
	free(base);
	if (file_mkdirs(j->dir))
		return error_set("%s; name another place for it with MUSTER_DIR", error_text());
	file_sweep_temps(j->dir);
	return 0;
}

int harness_save_stubs(const struct harness_job *j)
{
	char *path = file_join(j->dir, "stubs");
	struct buf b = BUF_EMPTY;
	int e;

	for (size_t i = 0; i < j->stubs.size; i++)
		buf_addf(&b, "%s\n", j->stubs.data[i]);
	e = file_write_atomic(path, b.data ? b.data : "", b.size);
	if (!e)
		e = seal_write(j->dir);
	buf_release(&b);
	free(path);
	return e;
}

/* The directory has all that a build leaves, unchanged. A build that was stopped leaves no sums, and is no damage. */
static int is_whole(const struct harness_job *j)
{
	char *sums = file_join(j->dir, SEAL_FILE);
	int sealed = file_exists(sums), whole = sealed && seal_check(j->dir);

	if (sealed && !whole) {
		log_warn("the harness is compiled again: %s", error_text());
		unlink(sums);
	}
	free(sums);
	return whole;
}

/* 1: the program is there, and so are the names of its stubs. */
int harness_cached(struct harness_job *j)
{
	char *path = file_join(j->dir, "stubs");
	struct buf b = BUF_EMPTY;
	int found = is_whole(j) && file_exists(j->program) && file_exists(path) && !file_read(path, &b);

	if (found) {
		vec_clear(&j->stubs);
		for (char *s = strtok(buf_str(&b), "\n"); s; s = strtok(NULL, "\n"))
			add_stub_name(j, s);
	}
	buf_release(&b);
	free(path);
	return found;
}

void harness_job_release(struct harness_job *j)
{
	args_release(&j->args);
	vec_release(&j->shape);
	vec_release(&j->stubs);
	buf_release(&j->text);
	free(j->dir);
	free(j->program);
}

int harness_job_done(struct harness_job *j, int e, struct front **front, struct harness **h,
		     char **program)
{
	if (e) {
		harness_free(j->h);
		front_close(j->front);
		j->h = NULL;
		j->front = NULL;
	} else {
		*program = j->program;
		j->program = NULL;
	}
	*front = j->front;
	*h = j->h;
	harness_job_release(j);
	return e;
}

int harness_build(const char *file, const char *const *cflags, const struct harness_options *o,
		  struct front **front, struct harness **h, char **program)
{
	struct harness_options none = {0};
	struct harness_job j = {
	    .file = file, .name = file, .cflags = cflags, .options = o ? o : &none};
	struct hash128 key;
	int e;

	*program = NULL;
	if (!file_exists(file))
		return harness_job_done(&j, error_set("there is no file '%s'", file), front, h,
					program);
	e = parse_flags(&j);
	if (!e)
		e = preprocess(&j);
	if (!e)
		e = harness_read(&j);
	if (!e)
		e = harness_key(&j, &key);
	if (!e)
		e = harness_place(&j, key, file);
	if (!e && harness_cached(&j)) {
		e = harness_plan_again(&j);
	} else if (!e) {
		guess_stubs(&j);
		e = build(&j);
		if (!e)
			e = harness_save_stubs(&j);
	}
	return harness_job_done(&j, e, front, h, program);
}
