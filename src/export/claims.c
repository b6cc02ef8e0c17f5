/* claims.c: bugs of functions that gcc's sanitizers do not know, beside the exported tests: each a file of its own, in which
 * what the bug says is broken is asserted (src/claim).
 *
 * The file is the file of tests, preprocessed, with the assertion in the unit it includes; run with the name of the bug's test it must
 * abort there. Refinements are checks that the text gets in the same way. What was written is tried with gcc; what cannot be
 * stated, or does not fail, is named with the reason.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/proc.h"
#include "build/home.h"
#include "claim/claim.h"
#include "export/unit.h"
#include "refine/refine.h"
#include "run/confined.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 10

int export_is_claim(const char *kind)
{
	return claim_is_wanted(kind) || !strcmp(kind, "refinement");
}

/* A source of another unit, among the flags. */
static int is_source(const char *word)
{
	return *word != '-' && file_is_c(word) && file_is_regular(word);
}

/* The file of tests as clang preprocesses it, and the flags that shape it. */
static int preprocess(const struct unit *u, struct buf *text, struct shell_line *shape)
{
	char *source = mem_printf("%s/%s.c", u->o->dir, u->base);
	struct proc_opts opts = {.capture_err = 1, .capture_out = 1, .null_input = 1};
	struct proc_result r = {0};
	VEC(char *) argv = {0};
	int e;

	vec_push(&argv, (char *)home_clang());
	vec_push(&argv, "-E");
	vec_push(&argv, "-w");
	vec_push(&argv, "-DMUSTER_BUGS");
	for (size_t i = 0; i < u->cflags.argv.size && u->cflags.argv.data[i]; i++)
		if (!is_source(u->cflags.argv.data[i])) {
			vec_push(&argv, u->cflags.argv.data[i]);
			vec_push(&shape->argv, u->cflags.argv.data[i]);
		}
	vec_push(&argv, source);
	vec_push(&argv, NULL);
	e = proc_run(argv.data, &opts, &r);
	if (!e && r.status)
		e = error_set("'%s' does not compile:\n%s", source, buf_str(&r.err));
	if (!e)
		buf_add(text, r.out.data, r.out.size);
	proc_release(&r);
	vec_release(&argv);
	free(source);
	return e;
}

/* The text with the assertion. -1 with words. */
static int state(const struct input *in, const struct buf *text, const struct shell_line *shape, struct buf *out)
{
	const struct export_place *p = &in->place;
	const char *const *argv = (const char *const *)shape->argv.data;
	struct claim c = {p->kind, p->file, p->line, p->column, p->message};
	struct refine r;

	if (!strcmp(p->kind, "refinement")) {
		if (refine_source(&r, text->data, text->size, argv, (int)shape->argv.size, 0))
			return -1;
		refine_strip(&r.text);
		claim_portable(buf_str(&r.text), r.text.size, out);
		buf_adds(out, refine_definition);
		refine_release(&r);
		return 0;
	}
	if (!p->column)
		return error_set("its report does not name a column");
	return claim_source(&c, text->data, text->size, argv, (int)shape->argv.size, out);
}

/* Compiled by gcc and run: 1 it aborts there; 0 with words; -1. */
static int try(const struct unit *u, const struct input *in, struct buf *words)
{
	char *dir = file_temp("claim"), *program = file_join(dir, in->name), *source = mem_printf("%s/%s.i", u->o->dir, in->name);
	static const double seconds = SECONDS;
	char *run[] = {program, in->name, NULL};
	struct proc_opts opts = {.capture_err = 1, .capture_out = 1, .null_input = 1};
	struct proc_result r = {0};
	struct claim c = {in->place.kind, in->place.file, in->place.line, in->place.column, in->place.message};
	VEC(char *) argv = {0};
	int shown = 0;

	vec_push(&argv, "gcc");
	vec_push(&argv, "-w");
	vec_push(&argv, "-g");
	vec_push(&argv, "-o");
	vec_push(&argv, program);
	vec_push(&argv, source);
	for (size_t i = 0; i < u->cflags.argv.size && u->cflags.argv.data[i]; i++)
		vec_push(&argv, u->cflags.argv.data[i]);
	vec_push(&argv, "-lcmocka");
	vec_push(&argv, "-lm");
	vec_push(&argv, NULL);
	if (file_mkdirs(dir) || proc_run(argv.data, &opts, &r)) {
		shown = -1;
	} else if (r.status) {
		buf_addf(words, "it does not compile with gcc: %.*s", (int)strcspn(buf_str(&r.err), "\n"), buf_str(&r.err));
	} else {
		proc_release(&r);
		r = (struct proc_result){0};
		opts.dir = dir;
		opts.call = confined_call;
		opts.ctx = &seconds;
		shown = proc_run(run, &opts, &r) ? -1 : claim_failed(&c, buf_str(&r.err));
		if (!shown)
			buf_addf(words, "compiled by gcc it does not fail there (status %d)", r.status);
	}
	if (shown < 0)
		buf_adds(words, error_text());
	proc_release(&r);
	vec_release(&argv);
	file_remove_tree(dir);
	free(dir);
	free(program);
	free(source);
	return shown;
}

static int export_one(struct unit *u, struct input *in, const struct buf *text, const struct shell_line *shape)
{
	struct buf out = {0}, words = {0};
	char *name = mem_printf("%s.i", in->name);
	int e = 0;

	if (state(in, text, shape, &out)) {
		export_note(u->counts, EXPORT_BUG_LOST, in->name, "%s: %s", in->bug, error_text());
	} else if (!(e = file_update(u->o->dir, name, out.data, out.size))) {
		int shown = u->o->no_check ? 1 : try(u, in, &words);

		in->stated = shown > 0;
		u->counts->reproduced += !u->o->no_check && shown > 0;
		if (!shown)
			export_note(u->counts, EXPORT_BUG_PASSES, in->name, "%s: %s", in->bug, buf_str(&words));
		else if (shown < 0)
			export_note(u->counts, EXPORT_UNSEEN, in->name, "%s", buf_str(&words));
	}
	free(name);
	buf_release(&out);
	buf_release(&words);
	return e;
}

int export_unit_claims(struct unit *u)
{
	struct buf text = {0};
	struct shell_line shape = {0};
	int e = 0, read = 0;

	for (size_t i = 0; i < u->inputs.size && !e; i++) {
		struct input *in = &u->inputs.data[i];

		if (!in->bug || !export_is_claim(in->place.kind))
			continue;
		if (!read && preprocess(u, &text, &shape)) {
			export_note(u->counts, EXPORT_BUG_LOST, in->name, "%s: %s", in->bug, error_text());
			continue;
		}
		read = 1;
		e = export_one(u, in, &text, &shape);
	}
	vec_release(&shape.argv);
	buf_release(&text);
	return e;
}
