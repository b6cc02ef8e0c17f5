/* refined.c: has a unit's refinements made into checks by another process, so that the wrapper does without libclang and the solver;
 * only units that have refinements pay for it. The user's own object is not concerned. */
#include "build/refined.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int has_word(const struct buf *text, const char *const *words)
{
	for (; *words; words++)
		if (text->size && memmem(text->data, text->size, *words, strlen(*words)))
			return 1;
	return 0;
}

static int is_marked(const struct buf *text)
{
	static const char *const marks[] = {"\"muster.refine:", "\"muster.operator:", NULL};

	return has_word(text, marks);
}

int refined_may_be(const struct buf *text)
{
	static const char *const parts[] = {"muster.refine", "muster.operator", NULL};

	return has_word(text, parts);
}

static char *tool(void)
{
	char *self = file_self(), *dir = self ? file_dir(self) : NULL, *path = dir ? file_join(dir, "muster") : NULL;

	free(self);
	free(dir);
	return path;
}

/* Runs it; what it says on standard error is the reason if it fails. */
static int run(char *const *argv, const struct buf *input, struct proc_result *r)
{
	struct proc_opts o = {.capture_out = input != NULL, .capture_err = 1, .null_input = !input};

	if (input) {
		o.input = input->data;
		o.input_size = input->size;
	}

	if (proc_run(argv, &o, r))
		return -1;
	if (!r->status)
		return 0;
	while (r->err.size && r->err.data[r->err.size - 1] == '\n')
		r->err.size--;
	return error_set("%s", buf_str(&r->err));
}

static int refine(const struct capture *c, const char *in, const char *out)
{
	struct proc_result r = {0};
	struct words w = {0};
	char *program = tool();
	int e;

	vec_push(&w, program ? program : "muster");
	vec_push(&w, "refine-source");
	vec_push(&w, in);
	vec_push(&w, out);
	for (size_t i = 0; i < c->shape.size; i++)
		vec_push(&w, c->shape.data[i]);
	vec_push(&w, NULL);
	e = run((char *const *)w.data, NULL, &r);
	proc_release(&r);
	vec_release(&w);
	free(program);
	return e;
}

/* The command that made the bitcode, for this text: its last words are -x LANGUAGE FILE. Standard input has the same name everywhere. */
static int compile(const struct capture *c, const struct buf *text, struct proc_result *r)
{
	struct words w = {0};
	int e;

	for (size_t i = 0; i + 3 < c->front.size; i++)
		vec_push(&w, c->front.data[i]);
	vec_push(&w, "cpp-output");
	vec_push(&w, "-");
	vec_push(&w, NULL);
	e = run((char *const *)w.data, text, r);
	vec_release(&w);
	return e;
}

int refined_unit(const struct capture *c, const struct proc_job jobs[CAPTURE_JOBS], struct buf *bitcode, struct buf *source)
{
	struct proc_result r = {0};
	const struct buf *text = &jobs[1].result.out;
	char *in, *out;
	int e;

	if (jobs[0].result.status || jobs[1].result.status || !is_marked(text) ||
	    (strcmp(c->in->lang, "c") && strcmp(c->in->lang, "cpp-output")))
		return 0;
	in = file_temp("plain.i");
	out = file_temp("refined.i");
	e = in && out ? 0 : -1;
	if (!e)
		e = file_write_atomic(in, text->data, text->size);
	if (!e)
		e = refine(c, in, out);
	if (!e)
		e = file_read(out, source);
	if (!e)
		e = compile(c, source, &r);
	if (e) {
		char *words = mem_printf("%s", error_text());

		fprintf(stderr, "muster: refinements of %s are not checked: %s\n", c->name,
			strncmp(words, "muster: ", 8) ? words : words + 8);
		free(words);
		buf_release(source);
	} else {
		*bitcode = r.out;
		buf_init(&r.out);
	}
	proc_release(&r);
	if (in)
		unlink(in);
	if (out)
		unlink(out);
	free(in);
	free(out);
	return !e;
}
