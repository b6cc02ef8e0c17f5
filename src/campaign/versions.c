/* versions.c: from what the command line says to two whole programs.
 *
 * What exists as a file is that file; `store:` is the store; the rest is git's. Names of files in a revision's tree lose that tree's place: a reader knows them from the top.
 */
#include "campaign/versions.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "build/home.h"
#include "build/join.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ the store */

static int add_record(void *ctx, const struct store_record *s)
{
	struct record r = {.id = s->hash, .payload = s->data, .size = s->size};

	return join_record(ctx, &r, 0);
}

struct whole *version_stored(struct store *s, uint64_t id, const char *path, struct buf *bitcode)
{
	struct join j;

	join_begin(&j, bitcode);
	int e = store_version_records(s, id, add_record, &j);
	if (!e && !j.seen.size)
		e = error_set("the store '%s' has no version %llu: 'muster show versions' lists them", path, (unsigned long long)id);
	return join_end(&j, e);
}

static int load_stored(struct version *v, const struct versions_options *o)
{
	char *path = o->store ? mem_strdup(o->store) : file_join(home_project(), "store.db");
	struct store *s = NULL;

	if (!store_open(&s, path, STORE_READ_ONLY)) {
		v->whole = version_stored(s, v->stored, path, o->merged ? &v->bitcode : NULL);
		store_close(s);
	}
	free(path);
	return v->whole ? 0 : -1;
}

static int read_number(struct version *v, const char *number)
{
	char *end;

	v->stored = strtoull(number, &end, 10);
	if (!*number || *end || number[0] < '0' || number[0] > '9' || !v->stored)
		return error_set("'store:%s' should be store:N, with a number that 'muster show versions' prints", number);
	return 0;
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

int version_load(struct version *v, const struct versions_options *o)
{
	if (v->stored)
		return load_stored(v, o);
	struct arena arena = {0};
	const char *const *cflags = v->revision.tree ? revision_arguments(&v->revision, o->cflags, &arena) : o->cflags;
	v->whole = join_load_merged(v->path, cflags, o->merged ? &v->bitcode : NULL);
	arena_release(&arena);
	if (v->whole && v->revision.tree)
		name_units(v->whole, v->revision.tree);
	return v->whole ? 0 : -1;
}

static int open_built(struct version *v, const char *name, const char *other, const struct versions_options *o)
{
	struct strmap touched = {0};
	struct revision_choice choice = {.like = o->like, .touched = &touched};
	if (revision_open(&v->revision, name))
		return -1;
	if (!o->build)
		return error_set("'%s' is a git revision: say how it is built with --build COMMAND, or name a C file: %s:FILE.c", name, name);
	if (!o->program && o->choose)
		revision_touched(name, other, &touched);
	v->path = revision_build(&v->revision, o->build, o->program, &choice);
	strmap_release(&touched);
	return v->path ? 0 : -1;
}

/* The file in the work tree that the revision's is a version of. */
static int name_file(struct version *v)
{
	size_t n = v->path ? strlen(v->revision.tree) : 0;

	if (!v->path)
		return -1;
	v->file = mem_printf("%s%s", v->revision.top, v->path + n);
	return 0;
}

int version_open(struct version *v, const char *text, const char *other, const struct versions_options *o)
{
	const char *colon = text ? strchr(text, ':') : NULL;

	*v = (struct version){0};
	if (text && file_exists(text) && !file_is_dir(text)) { /* a branch may have a directory's name */
		while (text[0] == '.' && text[1] == '/' && text[2] && text[2] != '/') /* __FILE__ has none in a revision */
			text += 2;
		v->path = mem_strdup(text);
		v->file = file_is_c(text) ? file_absolute(text) : NULL;
		return 0;
	}
	if (text && file_is_c(text) && !colon)
		return error_set("there is no file '%s'", text);
	if (text && !strncmp(text, "store:", 6))
		return read_number(v, text + 6);
	if (colon && colon > text) {
		char *name = mem_strndup(text, (size_t)(colon - text));
		if (!revision_open(&v->revision, name))
			v->path = revision_file(&v->revision, colon + 1);
		v->revision.name = NULL; /* it was ours */
		free(name);
		return name_file(v);
	}
	if (text && other && file_exists(other) && file_is_c(other)) {
		if (!revision_open(&v->revision, text))
			v->path = revision_same_file(&v->revision, other);
		return name_file(v);
	}
	return open_built(v, text, other, o);
}

void version_release(struct version *v)
{
	whole_free(v->whole);
	free(v->path);
	free(v->file);
	buf_release(&v->bitcode);
	revision_release(&v->revision);
	*v = (struct version){0};
}

/* ------------------------------------------------------------ both */

int versions_load(struct versions *v, const char *old, const char *new, const struct versions_options *o)
{
	*v = (struct versions){0};
	if (!new && !o->build)
		return error_set("'%s' and what? Give NEW as well, or --build COMMAND to compare a git revision with the work tree", old);
	struct versions_options mine = *o;
	mine.choose = 1;
	int e = version_open(&v->old, old, new, &mine) || version_load(&v->old, o);
	if (!e && v->old.path && v->old.revision.tree) /* the same of the new version, if there is one */
		mine.like = v->old.path + strlen(v->old.revision.tree) + 1 + strlen(v->old.revision.prefix);
	if (!e && !version_open(&v->new, new, old, &mine) && !version_load(&v->new, o))
		return 0;
	versions_release(v);
	return -1;
}

void versions_release(struct versions *v)
{
	version_release(&v->old);
	version_release(&v->new);
}
