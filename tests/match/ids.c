/* ids.c: matches two bitcode files and prints what became of each instruction, by line numbers.
 *
 *	ids OLD.bc NEW.bc
 *
 *	function OLD NEW M|-          each function of the old version with its counterpart (- if none); M: modified
 *	i LINE OP LINE NUMBER         its instructions, in order: line, operator, line and number of the counterpart (- - if none); then * if modified
 *	new FUNCTION                  each function of the new version
 *	n LINE OP NUMBER              its instructions
 *	seconds S                     for loading and joining, and for matching
 *
 * The matcher does not see lines: whoever made the files can number them as it likes and so know which instruction is which. Phis and variables' allocas, which have no line of
 * their own, are left out.
 */
#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "ir/match.h"

#include <stdio.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct whole *load(const char *path)
{
	struct buf b = BUF_EMPTY;
	struct whole *w = whole_new();
	struct whole_source s = {.name = "unit.c"};

	if (file_read(path, &b))
		return NULL;
	s.bitcode = b.data;
	s.size = b.size;
	if (whole_add(w, &s) || whole_join(w))
		return NULL;
	buf_release(&b);
	return w;
}

static int is_shown(const struct whole_symbol *s, uint32_t k)
{
	const struct code_value *v = &s->function->values[s->function->first_instruction + k];

	return s->position[k] != CODE_NONE && v->op != CODE_PHI && v->op != CODE_ALLOCA;
}

static void print_old(const struct match *m, uint32_t i)
{
	const struct whole_symbol *s = &m->old->symbols.data[i], *t = m->functions[i] ? &m->new->symbols.data[m->to_new[i]] : NULL;
	const struct code_function *f = s->function;

	printf("function %s %s %s\n", s->name, t ? t->name : "-", m->classes[i] & MATCH_M ? "M" : "-");
	for (uint32_t k = 0; k < f->instructions; k++) {
		uint32_t v = f->first_instruction + k, w = match_value(m, i, v);

		if (!is_shown(s, k))
			continue;
		printf("i %u %s ", f->values[v].line, code_op_text(f->values[v].op));
		if (w == CODE_NONE)
			printf("- -");
		else
			printf("%u %u", t->function->values[w].line, w - t->function->first_instruction);
		printf("%s\n", match_modified(m, i, v) ? " *" : "");
	}
}

static void print_new(const struct whole_symbol *s)
{
	printf("new %s\n", s->name);
	for (uint32_t k = 0; k < s->function->instructions; k++)
		if (is_shown(s, k)) {
			const struct code_value *v = &s->function->values[s->function->first_instruction + k];

			printf("n %u %s %u\n", v->line, code_op_text(v->op), k);
		}
}

int main(int argc, char **argv)
{
	struct whole *old, *new;
	struct match *m;
	double start = now(), loaded;

	if (argc != 3) {
		fprintf(stderr, "usage: ids OLD.bc NEW.bc\n");
		return 2;
	}
	old = load(argv[1]);
	new = old ? load(argv[2]) : NULL;
	if (!new) {
		fprintf(stderr, "ids: %s\n", error_text());
		return 4;
	}
	loaded = now();
	m = match_new(old, new);
	printf("seconds %.3f %.3f\n", loaded - start, now() - loaded);
	for (uint32_t i = 0; i < old->symbols.size; i++)
		if (old->symbols.data[i].function)
			print_old(m, i);
	for (uint32_t i = 0; i < new->symbols.size; i++)
		if (new->symbols.data[i].function)
			print_new(&new->symbols.data[i]);
	match_free(m);
	whole_free(old);
	whole_free(new);
	return 0;
}
