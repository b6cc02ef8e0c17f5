/* program.c: the whole program that a build makes, in the base and in the work tree, compared: what a change in one unit does to functions of another.
 *
 * It stands among the files as one more, which is not tested. What it says of a function that the comparison of its file says as well is not said twice: same file, same name, same verdict. Where the two
 * differ, both are said. */
#include "ci/ci.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#include <string.h>

void ci_program(struct ci *c, const struct ci_options *o, const struct diff_options *how)
{
	struct versions_options v = {.build = o->build, .program = o->program, .cflags = o->test.cflags, .merged = 1};
	struct versions both;
	struct diff_options d = *how;
	struct ci_file f = {.name = "the program", .program = 1};

	log_progress("building both versions");
	if (deadline_over() || versions_load(&both, c->base, NULL, &v)) {
		f.words = mem_strdup(deadline_over() ? "there was no time to build it" : error_text());
	} else {
		f.old = both.old, f.new = both.new;
		d.bitcode[0] = (struct diff_bitcode){f.old.bitcode.data, f.old.bitcode.size};
		d.bitcode[1] = (struct diff_bitcode){f.new.bitcode.data, f.new.bitcode.size};
		f.diff = diff_run(f.old.whole, f.new.whole, &d);
		if (!f.diff)
			f.words = mem_strdup(error_text());
	}
	log_progress(NULL);
	for (size_t n = f.words ? strlen(f.words) : 0; n && strchr(":\n", f.words[n - 1]);)
		f.words[--n] = 0;
	f.open = !f.diff;
	vec_push(&c->files, f);
}

int ci_says(const struct ci *c, const struct ci_file *f, const struct diff_function *x)
{
	const char *name = x->now ? x->now : x->name;

	for (size_t i = 0; f->program && i < c->files.size; i++) {
		const struct ci_file *g = &c->files.data[i];
		if (g->program || !g->diff || strcmp(file_base(g->name), file_base(x->file ? x->file : "")))
			continue;
		for (size_t k = 0; k < g->diff->functions.size; k++) {
			const struct diff_function *y = &g->diff->functions.data[k];
			if (y->verdict == x->verdict && !strcmp(y->now ? y->now : y->name, name))
				return 0;
		}
	}
	return 1;
}
