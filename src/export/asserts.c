/* asserts.c: muster export --asserts: bugs of a program that gcc's sanitizers do not know, each as an assertion that fails.
 *
 * The program is written as it was recorded: a preprocessed text for each unit, which gcc compiles without headers, flags or anything of
 * muster's. Each bug has a directory with its input and the unit where it is, in which the operation in question asserts what the bug
 * says is broken (src/claim). A Makefile compiles and runs them. What was written is tried: a bug counts as shown if its program
 * aborts at that assertion. A bug that cannot be stated so, or that does not fail there, is named with the reason.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/shell.h"
#include "build/image.h"
#include "claim/claim.h"
#include "export/export.h"
#include "run/confined.h"
#include "run/target.h"
#include "refine/refine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 20 /* of a run */
#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)

struct source {
	char *name; /* of its file, unique: "parse" for parse.i */
	char *base; /* of the source file: "parse.c" */
	struct buf text;
	VEC(const char *) args; /* what shapes the unit, for libclang */
	struct buf flags;	/* those of them that gcc has */
	int driver;		/* a main for harnesses without one */
};

struct asserting {
	const struct export_campaign *c;
	const struct export_options *o;
	struct export_counts *counts;
	struct program program;
	struct shell_line command;
	VEC(struct source) sources;
	struct strmap names;
	struct buf link;     /* words after all objects */
	struct buf makefile; /* a rule for each bug */
	struct buf bugs;     /* their names */
	int failed;
};

/* -------------------------------------------------------------------- units */

/* Flags that change what preprocessed text means, and that gcc has too. */
static int is_gcc_flag(const char *flag)
{
	static const char *const kept[] = {"-std=", "-ansi", "-funsigned-char", "-fsigned-char", "-fwrapv", "-fno-strict-aliasing",
					   "-fcommon", "-fno-common", "-fshort-enums", "-pthread", "-fno-builtin", "-fgnu89-inline",
					   "-fms-extensions", "-fplan9-extensions", "-m64", "-march=", "-msse", "-mavx"};

	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		if (!strncmp(flag, kept[i], strlen(kept[i])))
			return 1;
	return 0;
}

static char *unique_name(struct asserting *a, const char *base)
{
	size_t n = strcspn(base, ".");
	struct buf b = {0};

	for (size_t i = 0; i < n; i++)
		buf_addc(&b, isalnum((unsigned char)base[i]) || base[i] == '-' ? base[i] : '_');
	size_t plain = b.size;
	for (unsigned k = 2; !strmap_set(&a->names, buf_str(&b), 1); k++) {
		b.size = plain;
		buf_addf(&b, "_%u", k);
	}
	return buf_take(&b);
}

static int add_unit(struct asserting *a, const struct record *r, int driver)
{
	struct source s = {.driver = driver};
	struct record_value v;
	size_t at = 0;
	int has_text = 0, e = 0;

	while (!e && record_next(r->payload, r->size, &at, &v) > 0) {
		if (v.tag == TAG_NAME) {
			char *name = record_text(&v);

			s.base = mem_strdup(file_base(name));
			free(name);
		} else if (v.tag == TAG_ARG) {
			char *flag = record_text(&v);

			vec_push(&s.args, flag);
			if (is_gcc_flag(flag)) {
				buf_addc(&s.flags, ' ');
				shell_word(&s.flags, flag);
			}
		} else if (v.tag == TAG_SOURCE) {
			e = record_unpack(&v, &s.text);
			has_text = 1;
		}
	}
	if (!s.base)
		s.base = mem_strdup("unit.c");
	if (!e && !has_text)
		e = error_set("the record of '%s' has no source", s.base);
	s.name = unique_name(a, s.base);
	vec_push(&a->sources, s);
	return e;
}

static int is_driver(const struct image *im, const struct record *r)
{
	return im->driver.size && r->payload >= im->driver.data && r->payload < im->driver.data + im->driver.size;
}

/* Words of the link that gcc takes; and what went into it without a record. */
static void add_link(struct asserting *a, const struct image *im)
{
	for (size_t i = 0; i < im->closure.items.size; i++) {
		const struct closure_item *item = &im->closure.items.data[i];
		int foreign = item->kind == ITEM_OBJECT && !item->units.size && hash_is_none(item->link);

		for (size_t k = 0; k < item->members.size; k++)
			foreign |= item->kind == ITEM_ARCHIVE && !item->members.data[k].units.size;
		if ((item->kind == ITEM_WORD &&
		     (!strncmp(item->text, "-l", 2) || !strncmp(item->text, "-L", 2) || !strcmp(item->text, "-pthread"))) ||
		    foreign) {
			buf_addc(&a->link, ' ');
			shell_word(&a->link, item->text);
			if (item->value && item->kind == ITEM_WORD) {
				buf_addc(&a->link, ' ');
				shell_word(&a->link, item->value);
			}
		}
	}
}

static int load(struct asserting *a)
{
	char *path;
	int e;

	shell_split(&a->command, a->c->command);
	if (!a->command.argv.size || vec_last(&a->command.argv))
		vec_push(&a->command.argv, NULL);
	if (!a->command.argv.data[0])
		return error_set("the search has no program");
	path = target_program(a->command.argv.data[0]);
	if (!path)
		return -1;
	e = program_load(&a->program, path);
	free(path);
	for (size_t i = 0; !e && i < a->program.images.size; i++) {
		const struct image *im = &a->program.images.data[i];

		for (size_t k = 0; !e && k < im->records.frames.size; k++)
			if (im->records.frames.data[k].kind == RECORD_UNIT)
				e = add_unit(a, &im->records.frames.data[k], is_driver(im, &im->records.frames.data[k]));
		add_link(a, im);
	}
	return e;
}

/* ------------------------------------------------------------------- claims */

/* The unit with the assertion, in *out. 1: this unit has the place and states it; 0: not here; -1 with words: it has the place, but ... */
static int state(const struct source *s, const struct claim *c, struct buf *out)
{
	if (!memmem(s->text.data, s->text.size, file_base(c->file), strlen(file_base(c->file))))
		return 0;
	return claim_source(c, s->text.data, s->text.size, s->args.data, (int)s->args.size, out) ? -1 : 1;
}

static int write_file(const struct asserting *a, const char *dir, const char *name, const void *data, size_t size)
{
	char *to = file_join(a->o->dir, dir);
	int e = file_mkdirs(to) || file_update(to, name, size ? data : "", size);

	free(to);
	return e ? -1 : 0;
}

/* A script that runs it as it was run when it was found. */
static int write_script(const struct asserting *a, const char *dir, const struct result_bug *b)
{
	struct buf out = {0};
	int named = target_has_path(a->command.argv.data);

	buf_addf(&out, "#!/bin/sh\n# %s\n# It must abort at the assertion; 'make -C .. %s/program' compiles it.\n", b->summary, dir);
	buf_adds(&out, "here=$(cd \"$(dirname \"$0\")\" && pwd)\nexec \"$here/program\"");
	for (size_t i = 1; i < a->command.argv.size && a->command.argv.data[i]; i++) {
		const char *word = a->command.argv.data[i], *at = strstr(word, "@@");

		buf_addc(&out, ' ');
		if (at) {
			char *before = mem_strndup(word, (size_t)(at - word));

			shell_word(&out, before);
			buf_adds(&out, "\"$here/input\"");
			if (at[2])
				shell_word(&out, at + 2);
			free(before);
		} else {
			shell_word(&out, word);
		}
	}
	buf_adds(&out, named ? "\n" : " <\"$here/input\"\n");
	char *path = mem_printf("%s/%s/run", a->o->dir, dir);
	int e = file_write_mode(path, out.data, out.size, 0755);

	free(path);
	buf_release(&out);
	return e;
}

/* bug_1/program: its own units, and those of all. */
static void add_rule(struct asserting *a, const char *dir, const char *stated)
{
	struct buf objects = {0};

	for (size_t i = 0; i < a->sources.size; i++) {
		const struct source *s = &a->sources.data[i];

		buf_addf(&objects, " %s/%s.%s", stated[i] ? dir : "units", s->name, s->driver ? "a" : "o");
	}
	buf_addf(&a->makefile, "%s/program:%s\n\t$(CC) -o $@%s%s\n", dir, buf_str(&objects), buf_str(&objects), buf_str(&a->link));
	for (size_t i = 0; i < a->sources.size; i++)
		if (stated[i])
			buf_addf(&a->makefile, "%s/%s.o: %s/%s.i\n\t$(CC) $(FLAGS)%s -c -o $@ $<\n", dir, a->sources.data[i].name, dir,
				 a->sources.data[i].name, buf_str(&a->sources.data[i].flags));
	buf_release(&objects);
}

/* Every unit that has the place gets the assertion: a header's function may be in several. */
static int state_all(struct asserting *a, const struct result_bug *b, const struct claim *c, const char *dir, char *stated)
{
	int found = 0, e = 0;
	char *why = NULL;

	for (size_t i = 0; i < a->sources.size && !e; i++) {
		struct buf out = {0};
		int r = state(&a->sources.data[i], c, &out);

		if (r > 0) {
			char *name = mem_printf("%s.i", a->sources.data[i].name);

			e = write_file(a, dir, name, out.data, out.size);
			stated[i] = 1, found = 1;
			free(name);
		} else if (r < 0 && !why) {
			why = mem_strdup(error_text());
		}
		buf_release(&out);
	}
	if (!e && !found)
		export_note(a->counts, EXPORT_BUG_LOST, file_base(b->input_file), "%s: %s", b->summary,
			    why ? why : "no unit of the program has its place");
	free(why);
	return e ? -1 : found;
}

/* ------------------------------------------------------------------- trying */

/* Makes and runs it: 1 it aborts there; 0, with words; -1 there is nothing to try it with. */
static int try(const struct asserting *a, const struct claim *c, const char *dir, struct buf *words)
{
	char *program = mem_printf("%s/program", dir), *script = mem_printf("%s/%s/run", a->o->dir, dir);
	char *make[] = {"make", "-s", "-C", (char *)a->o->dir, program, NULL}, *run[] = {script, NULL};
	static const double seconds = SECONDS;
	struct proc_opts opts = {.capture_err = 1, .capture_out = 1, .null_input = 1};
	struct proc_result r = {0};
	int shown = 0;

	if (proc_run(make, &opts, &r)) {
		shown = -1;
		buf_adds(words, error_text());
	} else if (r.status) {
		buf_addf(words, "it does not compile with gcc: %.*s", (int)strcspn(buf_str(&r.err), "\n"), buf_str(&r.err));
	} else {
		proc_release(&r);
		r = (struct proc_result){0};
		opts.call = confined_call;
		opts.ctx = &seconds;
		if (proc_run(run, &opts, &r)) {
			shown = -1;
			buf_adds(words, error_text());
		} else {
			shown = claim_failed(c, buf_str(&r.err));
			if (!shown)
				buf_addf(words, "compiled by gcc it does not fail there (status %d)", r.status);
		}
	}
	proc_release(&r);
	free(program);
	free(script);
	return shown;
}

static const char head[] = "# Bugs that gcc's sanitizers do not know, as assertions: made by 'muster export --asserts'.\n"
			   "# Nothing of muster is needed.\n"
			   "#\tmake bugs    compiles and runs each: it must abort at its assertion\n"
			   "CC = gcc\n"
			   "FLAGS = -w -g -O0\n"
			   "all: bugs\n";
static const char tail[] = "bugs: $(BUGS:%=%/program)\n"
			   "\t@s=0; for b in $(BUGS); do if timeout " TEXT_OF(SECONDS) " $$b/run >/dev/null 2>$$b/said; then echo \"passes: $$b\"; s=1; \\\n"
			   "\t\telse echo \"$$b: $$(grep -m1 -e 'Assertion `' -e 'refinement violated' $$b/said)\"; fi; done; exit $$s\n"
			   ".PHONY: all bugs\n";

static int write_makefile(const struct asserting *a)
{
	struct buf out = {0};
	int e;

	buf_adds(&out, head);
	buf_addf(&out, "BUGS =%s\n", buf_str((struct buf *)&a->bugs));
	buf_adds(&out, tail);
	for (size_t i = 0; i < a->sources.size; i++) {
		const struct source *s = &a->sources.data[i];

		buf_addf(&out, "units/%s.o: units/%s.i\n\t$(CC) $(FLAGS)%s -c -o $@ $<\n", s->name, s->name, buf_str((struct buf *)&s->flags));
		if (s->driver)
			buf_addf(&out, "units/%s.a: units/%s.o\n\t$(AR) rc $@ $<\n", s->name, s->name);
	}
	buf_add(&out, a->makefile.data, a->makefile.size);
	e = write_file(a, ".", "Makefile", out.data, out.size);
	buf_release(&out);
	return e;
}

static int write_units(struct asserting *a)
{
	int e = 0;

	for (size_t i = 0; i < a->sources.size && !e; i++) {
		struct source *s = &a->sources.data[i];
		struct buf out = {0};
		char *name = mem_printf("%s.i", s->name);

		claim_portable(s->text.data, s->text.size, &out);
		if (memmem(s->text.data, s->text.size, "muster_refine_holds", 19)) {
			refine_strip(&out);
			buf_adds(&out, refine_definition);
		}
		e = write_file(a, "units", name, out.data, out.size);
		a->counts->files++;
		free(name);
		buf_release(&out);
	}
	return e;
}

/* --------------------------------------------------------------------- bugs */

static int export_bug(struct asserting *a, const struct result_bug *b, const struct claim *c)
{
	char *dir = mem_printf("bug_%llu", (unsigned long long)b->id), *stated = mem_zalloc(a->sources.size + 1);
	const char *name = file_base(b->input_file);
	struct buf words = {0};
	int e = strcmp(b->kind, "refinement") ? state_all(a, b, c, dir, stated) : 1;

	if (e > 0) {
		a->counts->bugs++;
		add_rule(a, dir, stated);
		e = write_file(a, dir, "input", b->data, b->size) || write_script(a, dir, b) || write_makefile(a) ? -1 : 0;
		int shown = e || a->o->no_check ? -1 : try(a, c, dir, &words);

		if (shown) /* what is known to pass is left out of make bugs */
			buf_addf(&a->bugs, " %s", dir);
		if (shown > 0) {
			a->counts->reproduced++;
			export_note(a->counts, EXPORT_SHOWN, name, "%s: %s", dir, b->summary);
		} else if (!e && !shown) {
			export_note(a->counts, EXPORT_BUG_PASSES, name, "%s: %s: %s", dir, b->summary, buf_str(&words));
		} else if (!e && !a->o->no_check) {
			export_note(a->counts, EXPORT_UNSEEN, name, "%s", buf_str(&words));
		}
	}
	buf_release(&words);
	free(stated);
	free(dir);
	return e < 0 ? -1 : 0;
}

/* A refinement is an assertion in the unit's text already. */
static int read_claim(const struct result_bug *b, struct claim *c, struct buf *message)
{
	if (strcmp(b->kind, "refinement"))
		return claim_read(c, b->kind, b->file, b->line, b->report, message);
	*c = (struct claim){.kind = b->kind, .file = b->file, .line = b->line, .message = b->summary};
	return 1;
}

static int each_bug(void *ctx, const struct result_bug *b)
{
	struct asserting *a = ctx;
	const char *name = file_base(b->input_file);
	struct buf message = {0};
	struct claim c;

	if (!b->confirmed) {
		export_note(a->counts, EXPORT_SUSPECTED, name, NULL);
	} else if (!export_is_claim(b->kind)) {
		export_note(a->counts, EXPORT_SANITIZED, name, "%s", b->summary);
	} else if (!read_claim(b, &c, &message)) {
		export_note(a->counts, EXPORT_BUG_LOST, name, "%s: its report does not name a column", b->summary);
	} else {
		if (!a->o->quiet)
			log_progress("compiling and running %s", name);
		a->failed |= export_bug(a, b, &c) != 0;
		log_progress(NULL);
	}
	buf_release(&message);
	return a->failed;
}

int export_asserts(const struct export_campaign *c, const struct export_options *o, struct export_counts *counts)
{
	struct asserting a = {.c = c, .o = o, .counts = counts};
	int e = load(&a) || write_units(&a);

	e = e || store_bug_each(c->store, c->id, each_bug, &a) < 0 || a.failed || write_makefile(&a);
	for (size_t i = 0; i < a.sources.size; i++) {
		struct source *s = &a.sources.data[i];

		for (size_t k = 0; k < s->args.size; k++)
			free((char *)s->args.data[k]);
		vec_release(&s->args);
		buf_release(&s->text);
		buf_release(&s->flags);
		free(s->name);
		free(s->base);
	}
	vec_release(&a.sources);
	strmap_release(&a.names);
	buf_release(&a.link);
	buf_release(&a.makefile);
	buf_release(&a.bugs);
	shell_line_release(&a.command);
	program_release(&a.program);
	return e ? -1 : 0;
}
