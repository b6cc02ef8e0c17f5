/* program.c: what it takes to compile tests of one unit of a program that was built with
 * muster cc.
 *
 * The records have it: each unit's source, directory and flags, and the words of the link. One
 * command compiles the file with the tests, which includes the unit, together with the sources of
 * the other units; their main gets another name (the file with the tests undefines it for itself).
 * That needs one directory and one set of flags for all of them, and nothing in the link that is
 * no recorded unit of the program itself; else words say what stands in the way.
 */
#include "export/unit.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/shell.h"
#include "build/image.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INSTEAD "; test the file itself: muster test FILE.c -- FLAGS"

static void add_flag(struct unit *u, const char *word)
{
	if (u->cflags.argv.size) /* the NULL at the end */
		u->cflags.argv.size--;
	vec_push(&u->cflags.argv, arena_strdup(&u->cflags.arena, word));
	vec_push(&u->cflags.argv, NULL);
	if (u->flags.size)
		buf_addc(&u->flags, ' ');
	shell_word(&u->flags, word);
}

static char *field(const struct record *r, enum record_tag tag)
{
	struct record_value v;

	return record_find(r->payload, r->size, tag, &v) ? record_text(&v) : mem_strdup("");
}

/* Directory and arguments as one text, to be compared. */
static void shape(const struct record *r, struct buf *out)
{
	struct record_value v;
	size_t at = 0;

	while (record_next(r->payload, r->size, &at, &v) > 0)
		if (v.tag == TAG_ARG || v.tag == TAG_DIR) {
			buf_add(out, v.data, v.size);
			buf_addc(out, 0);
		}
}

/* A file as a unit names it; allocated. */
static char *path_of(const struct record *r, const char *name)
{
	char *dir = field(r, TAG_DIR);
	char *path = *name == '/' ? mem_strdup(name) : file_join(dir, name);
	char *plain = export_absolute(path);

	free(path);
	free(dir);
	return plain;
}

static char *source_of(const struct record *r)
{
	char *name = field(r, TAG_NAME), *path = path_of(r, name);

	free(name);
	return path;
}

/* Is this the unit whose functions were tested? It defines them, by file. */
static int is_unit(const struct unit *u, const struct record *r, const char *source)
{
	char *own = path_of(r, u->front->functions.data[u->h->functions.data[0].front].file);
	int is = !strcmp(source, own);

	free(own);
	return is;
}

/* Words of the link that a compiler takes as they are; what else there is stands in the way. */
static int add_link(struct unit *u, const struct image *im, struct buf *link)
{
	for (size_t i = 0; i < im->closure.items.size; i++) {
		const struct closure_item *item = &im->closure.items.data[i];

		if (item->kind == ITEM_WORD || item->kind == ITEM_SHARED) {
			if (!strncmp(item->text, "-l", 2) || !strncmp(item->text, "-L", 2) ||
			    item->kind == ITEM_SHARED || !strcmp(item->text, "-pthread")) {
				buf_add(link, item->text, strlen(item->text) + 1);
				if (item->value)
					buf_add(link, item->value, strlen(item->value) + 1);
			}
		} else if (item->kind != ITEM_UNIT && item->kind != ITEM_LINKER &&
			   !(item->kind == ITEM_OBJECT && item->units.size)) {
			return error_set("tests of '%s' cannot be exported: its link has '%s', "
					 "which is no object of the program's own" INSTEAD,
					 u->c->file, item->text);
		}
	}
	return 0;
}

/* As it is named in the directory where all are compiled. */
static void add_source(struct unit *u, const struct record *r, const char *source)
{
	char *dir = path_of(r, "."), *name = export_relative(dir, source);

	add_flag(u, name);
	free(dir);
	free(name);
}

static int add_units(struct unit *u, const struct image *im, char **own)
{
	struct buf first = {0}, other = {0};
	int e = 0;

	*own = NULL;
	for (size_t i = 0; i < im->records.frames.size && !e; i++) {
		const struct record *r = &im->records.frames.data[i];
		char *source;

		if (r->kind != RECORD_UNIT)
			continue;
		source = source_of(r);
		buf_clear(&other);
		shape(r, &other);
		if (!first.size)
			buf_add(&first, other.data, other.size);
		if (first.size != other.size || memcmp(first.data, other.data, first.size))
			e = error_set("tests of '%s' cannot be exported: its units were compiled "
				      "in several directories, or with different flags" INSTEAD,
				      u->c->file);
		else if (!file_exists(source))
			e = error_set("tests of '%s' cannot be exported: '%s' is gone", u->c->file,
				      source);
		else if (!*own && is_unit(u, r, source))
			*own = source, source = NULL;
		else
			add_source(u, r, source);
		free(source);
	}
	if (!e && !*own)
		e = error_set("tests of '%s' cannot be exported: the source of the function's unit "
			      "is not known" INSTEAD,
			      u->c->file);
	buf_release(&first);
	buf_release(&other);
	return e;
}

int export_unit_program(struct unit *u, char **source)
{
	struct program p;
	struct buf link = {0};
	char *dir = NULL;
	int e = program_load(&p, u->c->file);

	if (e)
		return -1;
	const struct image *im = &p.images.data[0];

	*source = NULL;
	for (size_t i = 0; i < im->records.frames.size && !dir; i++)
		if (im->records.frames.data[i].kind == RECORD_UNIT) {
			const struct record *r = &im->records.frames.data[i];
			struct record_value v;
			size_t at = 0;

			dir = field(r, TAG_DIR);
			while (record_next(r->payload, r->size, &at, &v) > 0)
				if (v.tag == TAG_ARG) {
					char *word = record_text(&v);
					add_flag(u, word);
					free(word);
				}
		}
	add_flag(u, "-Dmain=muster_main_of_another_unit");
	e = add_units(u, im, source) || add_link(u, im, &link);
	for (size_t at = 0; at < link.size && !e; at += strlen(link.data + at) + 1)
		add_flag(u, link.data + at);
	if (!e && dir && *dir && chdir(dir)) /* flags name files as seen from there */
		e = error_errno("cannot go to '%s', where the program was compiled", dir);
	free(dir);
	buf_release(&link);
	program_release(&p);
	if (e) {
		free(*source);
		*source = NULL;
	}
	return e ? -1 : 0;
}
