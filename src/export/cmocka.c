/* cmocka.c: muster export --cmocka: a C file of tests for a file that was tested.
 *
 * The harness is built again as the campaign's values say; if its program is not the campaign's,
 * the file has changed and its tests mean something else: that is refused. Every input runs twice
 * in the san variant; what differs between the observations is not asserted. Then the file is
 * compiled and run without muster (check.c). Every confirmed bug has a test of its own, or a
 * note says which has none and why; so it is with every test that asserts nothing or is left out.
 *
 * Names are those of functions with a hash of the input's canonical form, and tests are sorted by
 * them.
 */
#include "export/unit.h"

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/shell.h"
#include "build/home.h"
#include "check/batch.h"
#include "claim/claim.h"
#include "search/search.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME_MAX_PART 150 /* of a file's name, which has 255 bytes with all that is added */

/* ------------------------------------------------------------------ harness */

/* A line for each; ends in NULL. */
static const char **lines(char *text)
{
	VEC(const char *) v = {0};

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		vec_push(&v, line);
	vec_push(&v, NULL);
	return v.data;
}

/* How 'muster test' was called. */
struct called {
	char *options, *requires, *accepted, *cflags, *function, *named;
};

static int read_called(const struct export_campaign *c, struct called *v)
{
	int e = export_value(c, "options", &v->options);

	e |= export_value(c, "requires", &v->requires);
	e |= export_value(c, "accepted", &v->accepted);
	e |= export_value(c, "cflags", &v->cflags);
	e |= export_value(c, "function", &v->function);
	return e | export_value(c, "named", &v->named);
}

static void release_called(struct called *v)
{
	free(v->options);
	free(v->requires);
	free(v->accepted);
	free(v->cflags);
	free(v->function);
	free(v->named);
}

static int build_as(struct unit *u, const struct called *v)
{
	struct harness_options o = {
	    .elements = 8, .characters = 16, .objects = 3, .global_limit = 256};
	char globals[16] = "symbolic";
	const char **list = lines(v->requires), **accepted = lines(v->accepted);
	int e;

	sscanf(v->options, "elements=%u characters=%u objects=%u globals=%15s", &o.elements,
	       &o.characters, &o.objects, globals);
	o.globals_initial = !strcmp(globals, "initial");
	o.requires = list[0] ? list : NULL;
	o.accepted = accepted[0] ? accepted : NULL;
	shell_split(&u->cflags, v->cflags);
	buf_adds(&u->flags, v->cflags);
	if (!u->cflags.argv.size || vec_last(&u->cflags.argv))
		vec_push(&u->cflags.argv, NULL);
	if (!u->o->quiet)
		log_progress("compiling %s", u->c->file);
	if (file_is_c(u->c->file))
		e = harness_build(v->named, (const char *const *)u->cflags.argv.data, &o, &u->front,
				  &u->h, &u->program);
	else
		e = harness_build_from(v->named, v->function, &o, &u->front, &u->h, &u->program);
	log_progress(NULL);
	if (!e && strcmp(u->program, u->c->program))
		e = error_set(
		    "'%s' has changed since 'muster test' saw it, or muster has: run that again",
		    u->c->file);
	if (!e && harness_initial(u->h, u->program))
		log_info("%s", error_text()); /* variables are then changed by exclusive or */
	free(list);
	free(accepted);
	return e;
}

static int build(struct unit *u)
{
	struct called v;
	int e = read_called(u->c, &v) ? -1 : build_as(u, &v);

	release_called(&v);
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

/* A name that no other has: two bugs may come of one input. */
static char *test_name(struct unit *u, const struct input *in, const struct result_bug *bug)
{
	const char *function = u->h->calls.data[in->number].name;
	char hex[HASH_HEX_SIZE], *name;
	struct buf b = {0};

	hash_hex(hash128(in->data.data, in->data.size), hex);
	hex[8] = 0;
	buf_addf(&b, "%s_%.*s_%s", bug ? "bug" : "test", NAME_MAX_PART, function, hex); /* a file may have it */
	if (bug && strmap_get(&u->names, buf_str(&b), NULL)) {
		buf_addc(&b, '_');
		for (const char *p = bug->kind; *p; p++)
			buf_addc(&b, isalnum((unsigned char)*p) ? *p : '_');
		buf_addf(&b, "_%u", bug->line);
	}
	while (bug && strmap_get(&u->names, buf_str(&b), NULL))
		buf_addc(&b, '_');
	name = buf_take(&b);
	if (strmap_set(&u->names, name, 1))
		return name;
	free(name); /* a test that calls the function as another does */
	return NULL;
}

/* What an assertion of it takes. */
static void read_claim(struct export_place *p, const struct result_bug *bug)
{
	struct buf message = {0};
	struct claim c;

	if (!strcmp(p->kind, "refinement"))
		p->message = mem_strdup(bug->summary);
	else if (claim_read(&c, p->kind, p->file, p->line, bug->report, &message))
		p->column = c.column, p->message = buf_take(&message);
	buf_release(&message);
}

/* 1: it is there; 0: it is another's twin, or not wanted; -1: the function is not in the harness.
 */
static int add_input(struct unit *u, const void *data, size_t size, const struct result_bug *bug)
{
	struct input in = {0};
	uint32_t id = 0;
	uint64_t number;

	memcpy(&id, data, size < sizeof id ? size : sizeof id);
	if (!map_get(&u->ids, id, &number))
		return -1;
	if (!is_wanted(u, u->h->calls.data[number].name))
		return 0;
	in.number = (uint32_t)number;
	buf_add(&in.data, data, size);
	harness_canonical(u->h, in.number, &in.data);
	in.name = test_name(u, &in, bug);
	if (!in.name) {
		buf_release(&in.data);
		return 0;
	}
	if (bug) {
		in.place = (struct export_place){mem_strdup(bug->kind), mem_strdup(bug->function),
						 mem_strdup(bug->file), bug->line, 0, NULL, bug->bucket};
		read_claim(&in.place, bug);
		in.bug = mem_printf("%s in %s", bug->kind, *bug->function ? bug->function : "?");
	}
	vec_push(&u->inputs, in);
	return 1;
}

/* Of a function with thousands of paths the first tests that only take known branches in another order are enough for most. */
static int is_enough(struct unit *u, const struct store_test *t, uint64_t number)
{
	uint64_t n = 0;

	if (!u->o->tests || t->flags & TEST_COVERS)
		return 0;
	map_get(&u->plain, number, &n);
	map_set(&u->plain, number, n + 1);
	return n >= u->o->tests;
}

static int each_test(void *ctx, const struct store_test *t)
{
	struct unit *u = ctx;
	uint32_t id = 0;
	uint64_t number;

	memcpy(&id, t->data, t->size < sizeof id ? t->size : sizeof id);
	if (t->flags & TEST_ASSUMED) /* the function was not called */
		return 0;
	if (!map_get(&u->ids, id, &number) || !is_wanted(u, u->h->calls.data[number].name))
		return 0;
	if (t->flags & (TEST_CRASH | TEST_HANG))
		u->counts->failing++; /* there as a bug, in a smaller form */
	else if (is_enough(u, t, number))
		u->counts->beyond++;
	else
		add_input(u, t->data, t->size, NULL);
	return 0;
}

static int each_bug(void *ctx, const struct result_bug *b)
{
	struct unit *u = ctx;
	const char *name = file_base(b->input_file);

	if (!b->confirmed)
		export_note(u->counts, EXPORT_SUSPECTED, name, NULL);
	else if (add_input(u, b->data, b->size, b) < 0)
		export_note(u->counts, EXPORT_BUG_LOST, name,
			    "its function is not in the harness any more");
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct input *)a)->name, ((const struct input *)b)->name);
}

/* Every function that was named must be one of the unit. */
static int check_functions(const struct unit *u)
{
	for (const char *p = u->c->functions; p && *p; p += strcspn(p, ","), p += *p == ',') {
		char *name = mem_strndup(p, strcspn(p, ","));
		const struct harness_function *f = harness_find(u->h, name);
		int e = f ? 0
			  : error_set("'%s' has no function '%s' that could have been tested",
				      u->c->file, name);
		free(name);
		if (e)
			return e;
	}
	return 0;
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

/* Runs what is no bug; failures are left out, since it is not known what they should do. */
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
		in->dropped = !it->ran || it->failed || it->timed || it->waits || !WIFEXITED(it->status);
		if (in->dropped)
			in->note = EXPORT_FAILING;
		else
			in->exit_code = WEXITSTATUS(it->status);
		buf_add(again ? &in->again : &in->seen, it->observation.data, it->observation.size);
		/* It returned, or ended the process, or something else, as the case may be. */
		if (!again || in->dropped)
			continue;
		in->unsteady = in->again.size != in->seen.size;
		in->varies = in->unsteady || (in->seen.size &&
					      memcmp(in->seen.data, in->again.data, in->seen.size));
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

/* A command in a comment, which it must not end: what has a * is in quotes, and these end and begin again. */
static void add_commented(struct buf *out, const char *command)
{
	for (const char *p = command; *p; p++)
		buf_addf(out, *p == '*' && p[1] == '/' ? "%c''" : "%c", *p);
}

static void add_about(const struct unit *u, struct buf *out)
{
	struct buf from = {0}, to = {0}, command = {0};
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
	shell_paste(&from, u->from_dir);
	shell_paste(&to, u->to_dir);
	buf_addf(&command, "cd %s && cc -g -o %s %s/%s.c %s%s-lcmocka -lm && ./%s", buf_str(&from), u->base, buf_str(&to),
		 u->base, buf_str((struct buf *)&u->flags), u->flags.size ? " " : "", u->base);
	buf_adds(out, " *\n *\t");
	add_commented(out, buf_str(&command));
	buf_adds(out, "\n");
	buf_release(&command);
	buf_release(&from);
	buf_release(&to);
	if (bugs)
		buf_addf(out,
			 " *\n * With -g -DMUSTER_BUGS -fsanitize=address,undefined "
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

int export_unit_write(struct unit *u)
{
	struct buf out = {0};
	char *name = mem_printf("%s.c", u->base);
	int e;

	make_text(u, &out);
	e = file_update(u->o->dir, name, out.data, out.size);
	buf_release(&out);
	free(name);
	return e;
}

/* ----------------------------------------------------------------- makefile */

static const char makefile[] =
    "# Tests made by 'muster export --cmocka'. They need cmocka, and nothing of muster.\n"
    "#\tmake check   runs the tests\n"
    "#\tmake bugs    runs those that show a bug, with sanitizers: each must fail\n"
    "all: check\n"
    "BUGS_CC ?= %s\n"
    "ASSERTS_CC ?= gcc\n" /* for those that no sanitizer of gcc's shows */
    "SANITIZE = -O0 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls "
    "-fsanitize=address,undefined \\\n"
    "\t-fno-sanitize-recover=all\n"
    "tests =\n"
    "bugs =\n"
    "include $(sort $(wildcard test_*.mk))\n"
    "check: $(tests)\n"
    "\t@set -e; for t in $(tests); do ./$$t; done\n"
    "bugs: $(sort $(foreach b,$(bugs),$(word 1,$(subst :, ,$(b)))))\n"
    "\t@for b in $(bugs); do if timeout 10 ./$${b%%%%:*} $${b#*:} >/dev/null 2>&1; \\\n"
    "\t\tthen echo \"passes:  $$b\"; exit 1; else echo \"fails:   $$b\"; fi; done\n"
    "clean:\n"
    "\trm -f $(tests) $(foreach b,$(bugs),$(word 1,$(subst :, ,$(b))))\n"
    "FORCE: # the unit may have changed, or what it includes\n"
    ".PHONY: all check bugs clean FORCE\n";

/* A word for the shell in a line of a makefile. */
static void add_word(struct buf *out, const char *s)
{
	struct buf b = {0};

	shell_word(&b, s);
	for (const char *p = buf_str(&b); *p; p++)
		buf_adds(out, *p == '$' ? "$$" : (char[]){*p, 0});
	buf_release(&b);
}

/* The rule of one program, made of base.c or base.i. */
static void add_rule_of(const struct unit *u, const char *base, const char *dot, const char *suffix,
			const char *cc, const char *more, struct buf *out)
{
	char *in = mem_printf("%s/%s%s", u->to_dir, base, dot),
	     *to = mem_printf("%s/%s%s", u->to_dir, base, suffix);

	buf_addf(out, "%s%s: %s%s FORCE\n\tcd ", base, suffix, base, dot);
	add_word(out, u->from_dir);
	buf_addf(out, " && %s $(CFLAGS) -w -g -o ", cc);
	add_word(out, to);
	buf_addc(out, ' ');
	add_word(out, in);
	for (size_t i = 0; i < u->cflags.argv.size && u->cflags.argv.data[i]; i++) {
		buf_addc(out, ' ');
		add_word(out, u->cflags.argv.data[i]);
	}
	buf_addf(out, "%s -lcmocka -lm\n", more);
	free(in);
	free(to);
}

static void add_rule(const struct unit *u, const char *suffix, const char *cc, const char *more,
		     struct buf *out)
{
	add_rule_of(u, u->base, ".c", suffix, cc, more, out);
}

static int write_makefile(const struct unit *u)
{
	struct buf out = {0};
	char *name = mem_printf("%s.mk", u->base), *path = file_join(u->o->dir, "Makefile");
	int e;

	buf_addf(&out, "tests += %s\n", u->base);
	add_rule(u, "", "$(CC)", "", &out);
	for (size_t i = 0; i < u->inputs.size; i++)
		if (u->inputs.data[i].stated) {
			add_rule_of(u, u->inputs.data[i].name, ".i", "", "$(ASSERTS_CC)", "", &out);
			buf_addf(&out, "bugs += %s:%s\n", u->inputs.data[i].name, u->inputs.data[i].name);
		}
	for (size_t i = 0, first = 1; i < u->inputs.size; i++) {
		if (!u->inputs.data[i].bug || export_is_claim(u->inputs.data[i].place.kind))
			continue;
		if (first)
			add_rule(u, "_bugs", "$(BUGS_CC)", " $(SANITIZE) -DMUSTER_BUGS", &out);
		first = 0;
		buf_addf(&out, "bugs += %s_bugs:%s\n", u->base, u->inputs.data[i].name);
	}
	e = file_update(u->o->dir, name, out.data, out.size);
	if (!e && !file_exists(path)) {
		buf_clear(&out);
		buf_addf(&out, makefile, file_base(home_clang()));
		e = file_update(u->o->dir, "Makefile", out.data, out.size);
	}
	buf_release(&out);
	free(name);
	free(path);
	return e;
}

/* --------------------------------------------------------------------- unit */

/* test_dir_unit for dir/unit.c, as seen from here. */
static int set_names(struct unit *u)
{
	const char *file = u->c->file;
	struct buf b = {0};
	char *from_here, *unit_file = NULL; /* of a program */
	int strange = 0;

	if (!file_is_c(file) && export_unit_program(u, &unit_file))
		return -1;
	file = unit_file ? unit_file : file;
	u->here = export_absolute(".");
	u->from_dir = export_relative(u->o->dir, u->here);
	u->to_dir = export_relative(u->here, u->o->dir);
	file = export_absolute(file);
	u->source = export_relative(u->o->dir, file);
	from_here = export_relative(u->here, file);
	if (strpbrk(u->source, "\"\n") || strpbrk(u->to_dir, "\n") || strpbrk(u->from_dir, "\n")) {
		int e = error_set("no #include or Makefile can name '%s' from '%s', because of a quote or a line feed: "
				  "rename the file or directory",
				  u->source, u->o->dir);
		free(from_here);
		free((char *)file);
		free(unit_file);
		return e;
	}
	buf_adds(&b, "test_");
	for (const char *p = from_here; *p; p++) {
		if (!strcmp(p, ".c") || !strcmp(p, ".i"))
			break;
		if (*p == '.' || *p == '/') {
			if (b.data[b.size - 1] != '_')
				buf_addc(&b, '_');
		} else {
			buf_addc(&b, isalnum((unsigned char)*p) ? *p : '_');
			strange |= !isalnum((unsigned char)*p) && !strchr("_- ", *p);
		}
	}
	if (b.size > NAME_MAX_PART) {
		b.size = NAME_MAX_PART;
		strange = 1;
	}
	if (strange || !strmap_set(&u->counts->bases, buf_str(&b), 1)) {
		char hex[HASH_HEX_SIZE]; /* another file may have this name */
		hash_hex(hash128_str(from_here), hex);
		buf_addf(&b, "_%.8s", hex);
	}
	u->base = buf_take(&b);
	free(from_here);
	free((char *)file);
	free(unit_file);
	return 0;
}

static void unit_release(struct unit *u)
{
	for (size_t i = 0; i < u->inputs.size; i++) {
		struct input *in = &u->inputs.data[i];
		free(in->name);
		free(in->bug);
		free(in->place.kind);
		free(in->place.function);
		free(in->place.file);
		free(in->place.message);
		buf_release(&in->data);
		buf_release(&in->seen);
		buf_release(&in->again);
	}
	vec_release(&u->inputs);
	map_release(&u->ids);
	map_release(&u->plain);
	strmap_release(&u->names);
	shell_line_release(&u->cflags);
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
	struct unit u = {.c = c, .o = o, .counts = counts};
	char *directory;
	int e = export_value(c, "directory", &directory);

	/* Flags name files as seen from there. */
	if (!e && *directory && chdir(directory))
		e = error_errno("cannot go to '%s', where 'muster test' ran", directory);
	free(directory);
	e = e || build(&u) || check_functions(&u) || read_inputs(&u);

	if (!e && u.inputs.size) {
		e = observe_twice(&u) || set_names(&u) || export_unit_write(&u) ||
		    (!o->no_check && export_unit_check(&u)) || export_unit_claims(&u) ||
		    write_makefile(&u);
		counts->files++;
	}
	for (size_t i = 0; i < u.inputs.size && !e; i++) {
		const struct input *in = &u.inputs.data[i];
		counts->bugs += in->bug != NULL;
		counts->tests += !in->bug && !in->dropped;
		if (!in->bug && (in->dropped || (in->unsteady && !in->varies)))
			export_note(counts, in->note, in->name, NULL);
		else if (in->varies)
			export_note(counts, EXPORT_VARIES, in->name, NULL);
	}
	unit_release(&u);
	return e ? -1 : 0;
}
