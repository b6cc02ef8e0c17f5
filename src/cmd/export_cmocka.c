/* export_cmocka.c: muster export --cmocka: a C file of tests for a file that was tested.
 *
 * The harness is built again as the campaign's values say; if its program is not the campaign's,
 * the file has changed and its tests mean something else: that is refused. Every input runs twice
 * in the san variant; what differs between the observations is not asserted. Then the file is
 * compiled and run without muster: one that does not compile is written once more without names of
 * members, and tests that fail there (they depend on something that the driver cannot know:
 * addresses, what memory had in it) keep their call and lose their assertions.
 *
 * Names are those of functions with a hash of the input's canonical form, and tests are sorted by
 * them.
 */
#include "cmd/export.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/proc.h"
#include "build/home.h"
#include "check/batch.h"
#include "cmd/operands.h"
#include "search/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct input {
	uint32_t number; /* of the function in the table */
	char *name;	 /* of the test */
	char *bug;	 /* NULL: none */
	struct buf data; /* canonical */
	struct buf seen, again;
	int exit_code, unsteady, dropped;
};

struct unit {
	const struct export_campaign *c;
	const struct export_options *o;
	struct front *front;
	struct harness *h;
	char *program;
	struct operands cflags; /* argv: the words */
	struct buf flags;	/* the same as a shell reads them */
	VEC(struct input) inputs;
	struct map ids;		 /* of functions: to number */
	struct strmap names;	 /* of tests */
	char *base;		 /* test_UNIT */
	char *here;		 /* the directory where muster test ran, and where we are now */
	char *from_dir, *to_dir; /* here as DIR names it, and DIR as it is named here */
	char *source;		 /* of the unit, as the file includes it */
	int raw;
};

/* ------------------------------------------------------------------ harness */

static int is_source(const char *file)
{
	size_t n = strlen(file);

	return n > 2 && (!strcmp(file + n - 2, ".c") || !strcmp(file + n - 2, ".i"));
}

/* A line for each; ends in NULL. */
static const char **lines(char *text)
{
	VEC(const char *) v = {0};

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		vec_push(&v, line);
	vec_push(&v, NULL);
	return v.data;
}

static int build(struct unit *u)
{
	struct harness_options o = {
	    .elements = 8, .characters = 16, .objects = 3, .global_limit = 256};
	char *options = export_value(u->c, "options"), *requires = export_value(u->c, "requires");
	char *cflags = export_value(u->c, "cflags"), *function = export_value(u->c, "function"),
	     globals[16] = "symbolic";
	char *named = export_value(u->c, "named");
	const char **list = lines(requires);
	int e;

	sscanf(options, "elements=%u characters=%u objects=%u globals=%15s", &o.elements,
	       &o.characters, &o.objects, globals);
	o.globals_initial = !strcmp(globals, "initial");
	o.requires = list[0] ? list : NULL;
	operands_split(&u->cflags, cflags);
	buf_adds(&u->flags, cflags);
	if (!u->cflags.argv.size || vec_last(&u->cflags.argv))
		vec_push(&u->cflags.argv, NULL);
	if (!u->o->quiet)
		log_progress("compiling %s", u->c->file);
	if (is_source(u->c->file))
		e = harness_build(named, (const char *const *)u->cflags.argv.data, &o, &u->front,
				  &u->h, &u->program);
	else
		e = harness_build_from(named, function, &o, &u->front, &u->h, &u->program);
	log_progress(NULL);
	if (!e && strcmp(u->program, u->c->program))
		e = error_set(
		    "'%s' has changed since 'muster test' saw it, or muster has: run that again",
		    u->c->file);
	if (!e && harness_initial(u->h, u->program))
		log_info("%s", error_text()); /* variables are then changed by exclusive or */
	free(list);
	free(named);
	free(options);
	free(requires);
	free(cflags);
	free(function);
	return e;
}

/* ------------------------------------------------------------------- inputs */

static int is_wanted(const struct unit *u, const char *function)
{
	size_t n = strlen(function);

	for (const char *p = u->c->functions; p && *p; p += strcspn(p, ","), p += *p == ',')
		if (strcspn(p, ",") == n && !strncmp(p, function, n))
			return 1;
	return !u->c->functions;
}

static void add_input(struct unit *u, const void *data, size_t size, const char *bug)
{
	struct input in = {.bug = bug ? mem_strdup(bug) : NULL};
	char hex[HASH_HEX_SIZE];
	uint32_t id = 0;
	uint64_t number;

	memcpy(&id, data, size < sizeof id ? size : sizeof id);
	if (!map_get(&u->ids, id, &number) || !is_wanted(u, u->h->calls.data[number].name)) {
		free(in.bug);
		return;
	}
	in.number = (uint32_t)number;
	buf_add(&in.data, data, size);
	harness_canonical(u->h, in.number, &in.data);
	hash_hex(hash128(in.data.data, in.data.size), hex);
	hex[8] = 0;
	in.name = mem_printf("%s_%s_%s", bug ? "bug" : "test", u->h->calls.data[number].name, hex);
	if (strmap_set(&u->names, in.name, 1)) {
		vec_push(&u->inputs, in);
		return;
	}
	free(in.name);
	free(in.bug);
	buf_release(&in.data);
}

static int each_test(void *ctx, const struct store_test *t)
{
	/* What fails is there as a bug, in a smaller form. */
	if (!(t->flags & (TEST_CRASH | TEST_HANG | TEST_ASSUMED)))
		add_input(ctx, t->data, t->size, NULL);
	return 0;
}

static int each_bug(void *ctx, const struct store_bug *b)
{
	char *words;

	if (!b->confirmed)
		return 0;
	words = mem_printf("%s in %s", b->kind, b->function && *b->function ? b->function : "?");
	add_input(ctx, b->data, b->size, words);
	free(words);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct input *)a)->name, ((const struct input *)b)->name);
}

static int read_inputs(struct unit *u)
{
	for (size_t i = 0; i < u->h->calls.size; i++)
		map_set(&u->ids, u->h->calls.data[i].id, i);
	if (store_bug_each(u->c->store, u->c->id, each_bug, u) ||
	    store_test_each(u->c->store, u->c->id, 0, 1, each_test, u))
		return -1;
	if (u->inputs.size)
		qsort(u->inputs.data, u->inputs.size, sizeof *u->inputs.data, by_name);
	return 0;
}

/* ------------------------------------------------------------- observations */

/* Runs what is no bug; failures are left out, since nobody can say what they should do. */
static int observe(struct unit *u, struct batch *b, int again)
{
	struct batch_item *items = mem_zalloc((u->inputs.size + 1) * sizeof *items);
	size_t n = 0, k = 0;
	int e;

	for (size_t i = 0; i < u->inputs.size; i++)
		if (!u->inputs.data[i].bug && !u->inputs.data[i].dropped)
			items[n++] = (struct batch_item){.data = u->inputs.data[i].data.data,
							 .size = u->inputs.data[i].data.size,
							 .keep = 1};
	e = batch_run(b, items, n);
	for (size_t i = 0; i < u->inputs.size && !e; i++) {
		struct input *in = &u->inputs.data[i];
		const struct batch_item *it;

		if (in->bug || in->dropped)
			continue;
		it = &items[k++];
		in->dropped = !it->ran || it->failed || it->timed || !WIFEXITED(it->status);
		if (!in->dropped)
			in->exit_code = WEXITSTATUS(it->status);
		buf_add(again ? &in->again : &in->seen, it->observation.data, it->observation.size);
		/* It returned, or ended the process, or something else, as the case may be. */
		if (again && in->again.size != in->seen.size)
			in->unsteady = 1;
	}
	batch_items_release(items, n);
	free(items);
	return e;
}

static int observe_twice(struct unit *u)
{
	struct batch *b = NULL;
	char *scratch = file_temp("run");
	int e = file_mkdirs(scratch);

	if (!u->o->quiet)
		log_progress("running %zu tests of %s", u->inputs.size, u->c->file);
	e = e || batch_open(&b, u->program, VARIANT_SAN, u->o->time, scratch) || observe(u, b, 0) ||
	    observe(u, b, 1);
	log_progress(NULL);
	batch_close(b);
	file_remove_tree(scratch);
	free(scratch);
	return e ? -1 : 0;
}

/* --------------------------------------------------------------------- file */

static void add_about(const struct unit *u, struct buf *out)
{
	size_t bugs = 0, first = 0;

	for (size_t i = u->inputs.size; i--;)
		if (u->inputs.data[i].bug) {
			bugs++;
			first = i;
		}
	buf_addf(out,
		 "/* %s.c: tests made by 'muster export --cmocka'; they need cmocka, and nothing "
		 "of muster.\n",
		 u->base);
	buf_addf(out, " *\n *\tcd %s && cc -g -o %s %s/%s.c %s%s-lcmocka -lm && ./%s\n",
		 u->from_dir, u->base, u->to_dir, u->base, buf_str((struct buf *)&u->flags),
		 u->flags.size ? " " : "", u->base);
	if (bugs)
		buf_addf(out,
			 " *\n * With -DMUSTER_BUGS -fsanitize=address,undefined "
			 "-fno-sanitize-recover=all there are those that show "
			 "a bug,\n * to be run one at a time: ./%s %s\n",
			 u->base, u->inputs.data[first].name);
	buf_adds(out, " */\n");
}

static void make_text(const struct unit *u, struct buf *out)
{
	struct harness_case *cases = mem_zalloc((u->inputs.size + 1) * sizeof *cases);
	struct buf about = {0};
	size_t n = 0;

	for (size_t i = 0; i < u->inputs.size; i++) {
		const struct input *in = &u->inputs.data[i];

		if (in->dropped)
			continue;
		cases[n] = (struct harness_case){.number = in->number,
						 .name = in->name,
						 .input = in->data.data,
						 .input_size = in->data.size,
						 .observation = in->seen.data,
						 .observation_size = in->seen.size,
						 .again = in->unsteady ? NULL : in->again.data,
						 .unsteady = in->unsteady,
						 .bug = in->bug,
						 .exit_code = in->exit_code};
		if (!in->seen.size) /* it ended the process, or there is nothing to be seen */
			cases[n].observation = NULL;
		n++;
	}
	add_about(u, &about);
	harness_cmocka(u->h, u->source, buf_str(&about), u->raw, cases, n, out);
	buf_release(&about);
	free(cases);
}

static int write_file(struct unit *u)
{
	struct buf out = {0};
	char *name = mem_printf("%s.c", u->base);
	int e;

	make_text(u, &out);
	e = export_write(u->o->dir, name, out.data, out.size);
	buf_release(&out);
	free(name);
	return e;
}

/* -------------------------------------------------------------------- check */

/* Compiles the file; -1: the compiler cannot be run, 0: it compiles, 1: it does not (words). */
static int compile(const struct unit *u, int bugs, const char *program, struct buf *words)
{
	char *source = mem_printf("%s/%s.c", u->o->dir, u->base);
	char *front[] = {bugs ? (char *)home_clang() : "cc", "-w", "-o", (char *)program, source};
	char *sanitizers[] = {"-DMUSTER_BUGS", "-fsanitize=address,undefined",
			      "-fno-sanitize-recover=all"};
	VEC(char *) argv = {0};
	struct proc_opts opts = {.capture_err = 1, .capture_out = 1, .null_input = 1};
	struct proc_result r = {0};
	int e;

	for (size_t i = 0; i < sizeof front / sizeof *front; i++)
		vec_push(&argv, front[i]);
	for (size_t i = 0; bugs && i < sizeof sanitizers / sizeof *sanitizers; i++)
		vec_push(&argv, sanitizers[i]);
	for (size_t i = 0; i < u->cflags.argv.size && u->cflags.argv.data[i]; i++)
		vec_push(&argv, u->cflags.argv.data[i]);
	vec_push(&argv, "-lcmocka");
	vec_push(&argv, "-lm");
	vec_push(&argv, NULL);
	e = proc_run(argv.data, &opts, &r);
	if (!e) {
		e = r.status != 0;
		buf_clear(words);
		buf_add(words, r.err.data, r.err.size);
	}
	proc_release(&r);
	vec_release(&argv);
	free(source);
	return e;
}

static struct input *find(struct unit *u, const char *name, size_t n)
{
	for (size_t i = 0; i < u->inputs.size; i++)
		if (!strncmp(u->inputs.data[i].name, name, n) && !u->inputs.data[i].name[n])
			return &u->inputs.data[i];
	return NULL;
}

/* First its assertions go, then the test. */
static int weaken(struct unit *u, const char *line, const char *mark)
{
	const char *name = line + strlen(mark);
	struct input *in;

	if (strncmp(line, mark, strlen(mark)))
		return 0;
	in = find(u, name, strcspn(name, " \r\n"));
	if (!in || in->dropped)
		return 0;
	if (in->unsteady || !in->seen.size)
		in->dropped = 1;
	in->unsteady = 1;
	return 1;
}

/* Runs the tests; how many were changed because they fail outside of the driver. */
static int run_tests(struct unit *u, const char *program)
{
	char *argv[] = {"timeout", "300", (char *)program, NULL};
	char *scratch = file_temp("run");
	struct proc_opts opts = {
	    .capture_err = 1, .capture_out = 1, .null_input = 1, .dir = scratch};
	struct proc_result r = {0};
	int changed = 0;

	if (file_mkdirs(scratch) || proc_run(argv, &opts, &r)) {
		free(scratch);
		return 0;
	}
	if (r.status) {
		char *last = NULL;
		struct buf *outs[] = {&r.out, &r.err};

		for (int k = 0; k < 2; k++)
			for (char *p = buf_str(outs[k]); *p;
			     p += strcspn(p, "\n"), p += *p == '\n') {
				changed += weaken(u, p, "[  FAILED  ] ");
				if (!strncmp(p, "[ RUN      ] ", 13))
					last = p;
			}
		if (!changed && last) /* it took the others with it */
			changed = weaken(u, last, "[ RUN      ] ");
	}
	proc_release(&r);
	file_remove_tree(scratch);
	free(scratch);
	return changed;
}

/* Does each bug fail as a test of its own? */
static void run_bugs(struct unit *u, const char *program)
{
	struct buf words = {0};
	size_t bugs = 0;

	for (size_t i = 0; i < u->inputs.size; i++)
		bugs += u->inputs.data[i].bug != NULL;
	if (!bugs)
		return;
	if (compile(u, 1, program, &words)) {
		log_warn("%s.c does not compile with -DMUSTER_BUGS: %s", u->base, buf_str(&words));
		buf_release(&words);
		return;
	}
	for (size_t i = 0; i < u->inputs.size; i++) {
		char *argv[] = {"timeout", "10", (char *)program, u->inputs.data[i].name, NULL};
		struct proc_opts opts = {.capture_err = 1, .capture_out = 1, .null_input = 1};
		struct proc_result r = {0};

		if (u->inputs.data[i].bug && !proc_run(argv, &opts, &r) && !r.status)
			log_warn("%s (%s) does not fail outside of the driver",
				 u->inputs.data[i].name, u->inputs.data[i].bug);
		proc_release(&r);
	}
	buf_release(&words);
}

#define ROUNDS 8

static int check(struct unit *u)
{
	char *program = file_temp("tests");
	struct buf words = {0};
	int e;

	if (!u->o->quiet)
		log_progress("compiling and running %s.c", u->base);
	e = compile(u, 0, program, &words);
	if (e > 0 && strstr(buf_str(&words), "cmocka")) {
		log_warn("cmocka is not installed here: %s.c is written unseen", u->base);
		goto done;
	}
	if (e > 0) {
		struct buf plain = {0};
		u->raw = 1;
		if (write_file(u)) {
			buf_release(&plain);
			goto done;
		}
		e = compile(u, 0, program, &plain);
		buf_release(&plain);
	}
	if (e > 0) {
		u->raw = 0;
		write_file(u);
		log_warn("%s.c does not compile:\n%s", u->base, buf_str(&words));
	}
	for (int round = 0; !e && round < ROUNDS && run_tests(u, program); round++) {
		e = write_file(u);
		if (!e)
			e = compile(u, 0, program, &words);
	}
	if (!e)
		run_bugs(u, program);
done:
	log_progress(NULL);
	unlink(program);
	free(program);
	buf_release(&words);
	return e < 0 ? -1 : 0;
}

/* ----------------------------------------------------------------- makefile */

static const char makefile[] =
    "# Tests made by 'muster export --cmocka'. They need cmocka, and nothing of muster.\n"
    "#\tmake check   runs the tests\n"
    "#\tmake bugs    runs those that show a bug, with sanitizers: each must fail\n"
    "all: check\n"
    "BUGS_CC ?= %s\n"
    "SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all\n"
    "tests =\n"
    "bugs =\n"
    "include $(sort $(wildcard test_*.mk))\n"
    "check: $(tests)\n"
    "\t@set -e; for t in $(tests); do ./$$t; done\n"
    "bugs: $(sort $(foreach b,$(bugs),$(word 1,$(subst :, ,$(b)))))\n"
    "\t@for b in $(bugs); do if timeout 10 ./$${b%%%%:*} $${b#*:} >/dev/null 2>&1; \\\n"
    "\t\tthen echo \"passes:  $$b\"; exit 1; else echo \"fails:   $$b\"; fi; done\n"
    "clean:\n"
    "\trm -f $(tests) $(tests:%%=%%_bugs)\n"
    ".PHONY: all check bugs clean\n";

static int write_makefile(const struct unit *u)
{
	struct buf out = {0};
	char *name = mem_printf("%s.mk", u->base), *path = file_join(u->o->dir, "Makefile");
	const char *flags = buf_str((struct buf *)&u->flags);
	int e;

	buf_addf(&out,
		 "tests += %s\n%s: %s.c\n\tcd %s && $(CC) $(CFLAGS) -w -g -o %s/$@ %s/$< %s "
		 "-lcmocka -lm\n",
		 u->base, u->base, u->base, u->from_dir, u->to_dir, u->to_dir, flags);
	for (size_t i = 0, first = 1; i < u->inputs.size; i++) {
		if (!u->inputs.data[i].bug)
			continue;
		if (first)
			buf_addf(&out,
				 "%s_bugs: %s.c\n\tcd %s && $(BUGS_CC) $(CFLAGS) -w -g "
				 "-DMUSTER_BUGS $(SANITIZE) -o %s/$@ "
				 "%s/$< %s -lcmocka -lm\n",
				 u->base, u->base, u->from_dir, u->to_dir, u->to_dir, flags);
		first = 0;
		buf_addf(&out, "bugs += %s_bugs:%s\n", u->base, u->inputs.data[i].name);
	}
	e = export_write(u->o->dir, name, out.data, out.size);
	if (!e && !file_exists(path)) {
		buf_clear(&out);
		buf_addf(&out, makefile, file_base(home_clang()));
		e = export_write(u->o->dir, "Makefile", out.data, out.size);
	}
	buf_release(&out);
	free(name);
	free(path);
	return e;
}

/* --------------------------------------------------------------------- unit */

/* test_dir_unit for dir/unit.c, as seen from here. */
static void set_names(struct unit *u)
{
	const char *file = u->c->file;
	struct buf b = {0};
	char *from_here;

	if (!is_source(file)) /* the unit of a program is known by the function's file */
		file = u->front->functions.data[u->h->functions.data[0].front].file;
	u->here = export_absolute(".");
	u->from_dir = export_relative(u->o->dir, u->here);
	u->to_dir = export_relative(u->here, u->o->dir);
	file = export_absolute(file);
	u->source = export_relative(u->o->dir, file);
	from_here = export_relative(u->here, file);
	buf_adds(&b, "test_");
	for (const char *p = from_here; *p; p++) {
		if (!strcmp(p, ".c") || !strcmp(p, ".i"))
			break;
		if (*p != '.' && *p != '/')
			buf_addc(&b, *p == '-' || *p == ' ' ? '_' : *p);
		else if (b.data[b.size - 1] != '_')
			buf_addc(&b, '_');
	}
	u->base = buf_take(&b);
	free(from_here);
	free((char *)file);
}

static void unit_release(struct unit *u)
{
	for (size_t i = 0; i < u->inputs.size; i++) {
		struct input *in = &u->inputs.data[i];
		free(in->name);
		free(in->bug);
		buf_release(&in->data);
		buf_release(&in->seen);
		buf_release(&in->again);
	}
	vec_release(&u->inputs);
	map_release(&u->ids);
	strmap_release(&u->names);
	operands_release(&u->cflags);
	buf_release(&u->flags);
	harness_free(u->h);
	front_close(u->front);
	free(u->program);
	free(u->base);
	free(u->here);
	free(u->from_dir);
	free(u->to_dir);
	free(u->source);
}

int export_cmocka(const struct export_campaign *c, const struct export_options *o,
		  struct export_counts *counts)
{
	struct unit u = {.c = c, .o = o};
	char *directory = export_value(c, "directory");
	int e = 0;

	/* Flags name files as seen from there. */
	if (*directory && chdir(directory))
		e = error_errno("cannot go to '%s', where 'muster test' ran", directory);
	free(directory);
	e = e || build(&u) || read_inputs(&u);

	if (!e && u.inputs.size) {
		set_names(&u);
		e = observe_twice(&u) || write_file(&u) || (!o->no_check && check(&u)) ||
		    write_makefile(&u);
		counts->files++;
	}
	for (size_t i = 0; i < u.inputs.size && !e; i++) {
		const struct input *in = &u.inputs.data[i];
		counts->bugs += in->bug != NULL;
		counts->tests += !in->bug && !in->dropped;
		counts->unsteady += !in->bug && !in->dropped && in->unsteady;
	}
	unit_release(&u);
	return e ? -1 : 0;
}
