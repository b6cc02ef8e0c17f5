/* versions.c: from what the command line says to two whole programs.
 *
 * What exists as a file is that file; `store:` is the store; the rest is git's. Names of files in a revision's tree lose that tree's place: a reader knows them from the top.
 */
#include "campaign/versions.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "build/home.h"
#include "build/join.h"
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ the store */

static int add_record(void *ctx, const struct store_record *s)
{
	struct record r = {.id = s->hash, .payload = s->data, .size = s->size};

	return join_record(ctx, &r, 0);
}

static struct whole *load_stored(const char *number, const char *store, struct buf *bitcode)
{
	char *path = store ? mem_strdup(store) : file_join(home_project(), "store.db"), *end;
	unsigned long long id = strtoull(number, &end, 10);
	struct store *s = NULL;
	struct whole *w = NULL;
	struct join j;

	if (!*number || *end || number[0] < '0' || number[0] > '9')
		error_set("'store:%s' should be store:N, with a number that 'muster show versions' prints", number);
	else if (!store_open(&s, path, STORE_READ_ONLY)) {
		join_begin(&j, bitcode);
		int e = store_version_records(s, id, add_record, &j);
		if (!e && !j.seen.size)
			e = error_set("the store '%s' has no version %s: 'muster show versions' lists them", path, number);
		w = join_end(&j, e);
		store_close(s);
	}
	free(path);
	return w;
}

/* ------------------------------------------------------------ one version */

/* Files of a revision are named from its top. */
static const char *below(const char *path, const char *tree)
{
	char *dir = file_dir(tree), *tail = mem_printf("%s/%s/", file_base(dir), file_base(tree)); /* the compiler may name it from its own directory */
	const char *at = path ? strstr(path, tail) : NULL;

	if (at)
		path = at + strlen(tail);
	free(dir);
	free(tail);
	return path;
}

static void name_units(struct whole *w, const char *tree)
{
	for (size_t i = 0; i < w->units.size; i++) {
		struct whole_unit *u = &w->units.data[i];
		u->name = below(u->name, tree);
		for (uint32_t k = 0; k < u->code->function_count; k++)
			u->code->functions[k].file = below(u->code->functions[k].file, tree);
	}
}

static int load_path(struct version *v, const struct versions_options *o)
{
	if (!v->path)
		return -1;
	v->whole = join_load_merged(v->path, o->cflags, o->merged ? &v->bitcode : NULL);
	if (v->whole && v->revision.tree)
		name_units(v->whole, v->revision.tree);
	return v->whole ? 0 : -1;
}

static int load_built(struct version *v, const char *name, const struct versions_options *o)
{
	if (revision_open(&v->revision, name))
		return -1;
	if (!o->build)
		return error_set("'%s' is a git revision: say how it is built with --build COMMAND, or name a C file: %s:FILE.c", name, name);
	v->path = revision_build(&v->revision, o->build, o->program);
	return load_path(v, o);
}

/* other: the version beside it; NULL: the work tree. */
static int load(struct version *v, const char *text, const char *other, const struct versions_options *o)
{
	const char *colon = text ? strchr(text, ':') : NULL;

	if (text && file_exists(text) && !file_is_dir(text)) { /* a branch may have a directory's name */
		v->path = mem_strdup(text);
		return load_path(v, o);
	}
	if (text && file_is_c(text) && !colon)
		return error_set("there is no file '%s'", text);
	if (text && !strncmp(text, "store:", 6)) {
		v->whole = load_stored(text + 6, o->store, o->merged ? &v->bitcode : NULL);
		return v->whole ? 0 : -1;
	}
	if (colon && colon > text) {
		char *name = mem_strndup(text, (size_t)(colon - text));
		if (!revision_open(&v->revision, name))
			v->path = revision_file(&v->revision, colon + 1);
		int e = load_path(v, o);
		v->revision.name = NULL; /* it was ours */
		free(name);
		return e;
	}
	if (text && other && file_exists(other) && file_is_c(other)) {
		if (!revision_open(&v->revision, text))
			v->path = revision_same_file(&v->revision, other);
		return load_path(v, o);
	}
	return load_built(v, text, o);
}

/* ------------------------------------------------------------ both */

int versions_load(struct versions *v, const char *old, const char *new, const struct versions_options *o)
{
	*v = (struct versions){0};
	if (!new && !o->build)
		return error_set("'%s' and what? Give NEW as well, or --build COMMAND to compare a git revision with the work tree", old);
	if (!load(&v->old, old, new, o) && !load(&v->new, new, old, o))
		return 0;
	versions_release(v);
	return -1;
}

void versions_release(struct versions *v)
{
	struct version *list[2] = {&v->old, &v->new};

	for (int k = 0; k < 2; k++) {
		whole_free(list[k]->whole);
		free(list[k]->path);
		buf_release(&list[k]->bitcode);
		revision_release(&list[k]->revision);
	}
	*v = (struct versions){0};
}
