/* relink_items.c: the inputs and options of a link, as a variant has them.
 *
 * Inputs with records become the variant's objects, copies become files, libraries
 * of the project become their variants. An archive stays an archive, so that the
 * linker takes members from it in its own order and for its own reasons. Options
 * that would write beside the output, strip it, forbid undefined symbols or bring in
 * other people's instrumentation are dropped.
 */
#include "build/relink_items.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/proc.h"
#include "build/archive.h"
#include "build/home.h"
#include "build/symbols.h"

#include <stdlib.h>
#include <string.h>

const char *link_keep(struct link *l, char *allocated)
{
	const char *s = arena_strdup(&l->arena, allocated);

	free(allocated);
	return s;
}

void link_word(struct link *l, const char *s)
{
	vec_push(&l->w, s);
}

void link_option(struct link *l, const char *s)
{
	link_word(l, "-Xlinker");
	link_word(l, s);
}

char *link_file(struct link *l, const char *name)
{
	return mem_printf("%s/%d-%s", l->r->work_dir, l->r->serial++, file_base(name));
}

/* Writes a copy out; NULL with words. */
static const char *blob_file(struct link *l, struct hash128 id, const char *name)
{
	struct buf b = BUF_EMPTY;
	char *path = link_file(l, name);

	if (closure_blob(l->c, id, &b) || file_write_atomic(path, b.data, b.size)) {
		buf_release(&b);
		free(path);
		return NULL;
	}
	buf_release(&b);
	return link_keep(l, path);
}

const char *link_renamed(struct link *l, const char *file)
{
	const char *copy;
	char *list, *argv[5];
	struct proc_result r;

	if (!file || !l->renames)
		return file;
	copy = link_keep(l, link_file(l, file));
	list = mem_printf("--redefine-syms=%s", l->renames);
	argv[0] = "objcopy";
	argv[1] = list;
	argv[2] = (char *)file;
	argv[3] = (char *)copy;
	argv[4] = NULL;
	if (proc_run(argv, NULL, &r)) {
		copy = NULL;
	} else if (r.status) {
		error_set("objcopy failed on '%s'", file);
		copy = NULL;
	}
	free(list);
	return copy;
}

static const char *unit_object(struct link *l, struct hash128 unit, const char *where)
{
	const struct unit_object *o = units_find(l->r->units, unit);

	if (!o || !o->object) {
		error_set("'%s' has no record of a unit of '%s' (was it stripped by another tool?)",
			  l->image->path, where);
		return NULL;
	}
	return link_renamed(l, link_keep(l, file_absolute(o->object)));
}

/* ---------------------------------------------------------------- objects */

/* What a plain ld -r made of units and something else: the units' variants come
 * first, and the rest of the copy serves what they do not define. */
static int add_rest(struct link *l, const struct hash_vec *units, struct hash128 blob,
		    const char *name)
{
	struct strmap ours = {0}, all = {0};
	struct buf b = BUF_EMPTY;
	struct proc_result r;
	const char *copy = blob_file(l, blob, name), *key;
	char *argv[] = {"objcopy",
			"--weaken",
			"--remove-section=.init_array*",
			"--remove-section=.fini_array*",
			"--remove-section=.ctors*",
			"--remove-section=.muster*",
			(char *)copy,
			NULL};
	uint64_t v;
	size_t at = 0;
	int more = 0, e = copy ? 0 : -1;

	for (size_t i = 0; i < units->size && !e; i++) {
		const struct unit_object *o = units_find(l->r->units, units->data[i]);

		buf_clear(&b);
		e = o && o->object ? file_read(o->object, &b) : 0;
		symbols_defined(b.data, b.size, &ours);
	}
	buf_clear(&b);
	if (!e)
		e = closure_blob(l->c, blob, &b);
	if (!e)
		symbols_defined(b.data, b.size, &all);
	while (strmap_next(&all, &at, &key, &v))
		more |= !strmap_get(&ours, key, NULL);
	if (!e && more) {
		e = proc_run(argv, NULL, &r);
		if (!e && r.status)
			e = error_set("objcopy failed on a copy of '%s'", name);
		link_word(l, copy);
	}
	strmap_release(&ours);
	strmap_release(&all);
	buf_release(&b);
	return e;
}

/* An object that a recorded ld -r made is made again alike. */
static int add_nested(struct link *l, const struct closure_item *item)
{
	for (size_t i = 0; i < l->image->nested_ids.size; i++) {
		struct link inner = {.r = l->r,
				     .image = l->image,
				     .c = &l->image->nested.data[i],
				     .renames = l->renames};
		const char *output;
		int e;

		if (!hash_equal(l->image->nested_ids.data[i], item->link))
			continue;
		output = link_keep(l, link_file(l, item->text));
		link_word(&inner, home_clang());
		e = link_items(&inner);
		if (!e)
			e = link_run(&inner, output);
		vec_release(&inner.w);
		arena_release(&inner.arena);
		link_word(l, output);
		return e;
	}
	return error_set("'%s' has no record of how '%s' was linked", l->image->path, item->text);
}

static int add_object(struct link *l, const struct closure_item *item)
{
	const char *o;

	if (!hash_is_none(item->link))
		return add_nested(l, item);
	for (size_t i = 0; i < item->units.size; i++) {
		o = unit_object(l, item->units.data[i], item->text);
		if (!o)
			return -1;
		link_word(l, o);
	}
	if (hash_is_none(item->blob))
		return 0;
	if (item->units.size)
		return add_rest(l, &item->units, item->blob, item->text);
	o = link_renamed(l, blob_file(l, item->blob, item->text));
	if (o)
		link_word(l, o);
	return o ? 0 : -1;
}

/* --------------------------------------------------------------- archives */

struct original {
	struct link *l;
	const struct closure_item *item;
	size_t index; /* of the member, as archive_members walks */
	struct words *files;
};

/* A member that the link did not take from the archive is not in the program; but
 * the variant's less optimised code may name it in places that never run. */
static int add_unused_member(void *ctx, const char *name, const void *data, size_t size)
{
	struct original *o = ctx;
	const struct closure_member *m;
	char *path;

	if (o->index >= o->item->members.size)
		return 0;
	m = &o->item->members.data[o->index++];
	if (!m->units.size || units_find(o->l->r->units, m->units.data[0]))
		return 0;
	path = link_file(o->l, name);
	if (file_write_atomic(path, data, size)) {
		free(path);
		return -1;
	}
	vec_push(o->files, link_keep(o->l, path));
	return 0;
}

/* If the archive is gone, names of its unused members are left to add_missing. */
static void add_unused(struct link *l, const struct closure_item *item, struct words *files)
{
	struct original o = {l, item, 0, files};
	struct buf b = BUF_EMPTY;
	int missing = 0;

	for (size_t i = 0; i < item->members.size; i++) {
		const struct closure_member *m = &item->members.data[i];

		missing |= m->units.size && !units_find(l->r->units, m->units.data[0]);
	}
	if (missing && !file_read(item->text, &b))
		archive_members(item->text, b.data, b.size, add_unused_member, &o);
	buf_release(&b);
}

static int member_files(struct link *l, const struct closure_item *item, struct words *files)
{
	for (size_t i = 0; i < item->members.size; i++) {
		const struct closure_member *m = &item->members.data[i];
		const char *file;

		if (m->units.size == 1 && units_find(l->r->units, m->units.data[0])) {
			const char *object = unit_object(l, m->units.data[0], item->text);
			char *copy = link_file(l, m->name);
			int e = object ? file_copy(object, copy) : -1;

			file = link_keep(l, copy);
			if (e)
				return -1;
		} else if (!hash_is_none(m->blob)) {
			file = link_renamed(l, blob_file(l, m->blob, m->name));
			if (!file)
				return -1;
		} else {
			continue;
		}
		vec_push(files, file);
	}
	add_unused(l, item, files);
	return 0;
}

static int add_archive(struct link *l, const struct closure_item *item)
{
	struct words argv = {0};
	struct proc_result r;
	const char *output = link_keep(l, link_file(l, item->text));
	int e;

	vec_push(&argv, "ar");
	vec_push(&argv, "qcsD");
	vec_push(&argv, output);
	e = member_files(l, item, &argv);
	vec_push(&argv, NULL);
	if (!e)
		e = proc_run((char *const *)argv.data, NULL, &r);
	if (!e && r.status)
		e = error_set("ar failed on a copy of '%s'", item->text);
	link_word(l, output);
	vec_release(&argv);
	return e;
}

/* -------------------------------------------------------- options, scripts */

int link_starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* Driver options that a variant must not have. */
static int drop_word(const struct link *l, const struct closure_item *item)
{
	const char *t = item->text;

	if (link_starts(t, "-fsanitize") || link_starts(t, "-fno-sanitize") || !strcmp(t, "-s") ||
	    !strcmp(t, "-pg") || link_starts(t, "-fprofile") || link_starts(t, "-fcoverage") ||
	    !strcmp(t, "--coverage") || !strcmp(t, "-coverage") || link_starts(t, "-fxray"))
		return 1;
	if (!strcmp(t, "-z") && item->value && !strcmp(item->value, "defs"))
		return 1;
	if (!strcmp(t, "-zdefs"))
		return 1;
	/* The sanitizers' runtime needs the dynamic linker. */
	if (l->r->units->kind == VARIANT_SAN &&
	    (!strcmp(t, "-static") || !strcmp(t, "-static-pie") || link_starts(t, "-fuse-ld=gold")))
		return 1;
	return 0;
}

static int drop_linker(const struct closure_item *item)
{
	static const char *const names[] = {
	    "no-undefined",
	    "Map",
	    "M",
	    "print-map",
	    "cref",
	    "dependency-file",
	    "t",
	    "trace",
	    "o",
	    "output",
	    "s",
	    "strip-all",
	    "S",
	    "strip-debug",
	    "fatal-warnings",
	    "no-allow-shlib-undefined",
	    "exclude-libs",
	    "print-gc-sections",
	    "stats",
	    "verbose",
	};
	const char *name = item->text + 1 + (item->text[1] == '-'), *equals = strchr(name, '=');
	size_t n = equals ? (size_t)(equals - name) : strlen(name);

	if (item->text[0] != '-')
		return 0;
	if (!strcmp(name, "z") && item->value && !strcmp(item->value, "defs"))
		return 1;
	if (!strcmp(name, "zdefs"))
		return 1;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strlen(names[i]) == n && !memcmp(names[i], name, n))
			return 1;
	return 0;
}

static void add_linker(struct link *l, const struct closure_item *item)
{
	const char *name = item->text + 1 + (item->text[1] == '-');

	if (drop_linker(item))
		return;
	l->user_wraps |= link_starts(name, "wrap");
	link_option(l, item->text);
	if (item->value)
		link_option(l, item->value);
}

static int add_script(struct link *l, const struct closure_item *item)
{
	const char *file = blob_file(l, item->blob, item->text);

	if (!file)
		return -1;
	if (!item->value || !*item->value) {
		link_word(l, file);
	} else {
		link_option(l, item->value);
		link_option(l, file);
	}
	return 0;
}

static int add_shared(struct link *l, const struct closure_item *item)
{
	const struct program *p = l->r->program;
	char *real = realpath(item->text, NULL);
	int done = 0;

	for (size_t i = 1; i < p->images.size && !done; i++) {
		const struct image *im = &p->images.data[i];
		char *other = realpath(im->path, NULL);

		done = (real && other && !strcmp(real, other)) ||
		       (*im->soname && !strcmp(im->soname, file_base(item->text)));
		if (done)
			link_word(l, link_keep(l, file_join(l->r->lib_dir, relink_name(p, i))));
		free(other);
	}
	if (!done && real)
		link_word(l, item->text);
	else if (!done)
		link_word(l, link_keep(l, mem_printf("-l:%s", file_base(item->text))));
	free(real);
	return 0;
}

static int add_unit(struct link *l, const struct closure_item *item)
{
	const char *o;

	if (!item->units.size)
		return error_set("'%s' has no record: %s", item->text,
				 item->why ? item->why : "unknown");
	o = unit_object(l, item->units.data[0], item->text);
	if (o)
		link_word(l, o);
	return o ? 0 : -1;
}

static int add_item(struct link *l, const struct closure_item *item)
{
	switch (item->kind) {
	case ITEM_WORD:
		if (!drop_word(l, item)) {
			link_word(l, item->text);
			if (item->value)
				link_word(l, item->value);
		}
		return 0;
	case ITEM_LINKER:
		add_linker(l, item);
		return 0;
	case ITEM_UNIT:
		return add_unit(l, item);
	case ITEM_OBJECT:
		return add_object(l, item);
	case ITEM_ARCHIVE:
		return add_archive(l, item);
	case ITEM_SHARED:
		return add_shared(l, item);
	case ITEM_FILE:
		return add_script(l, item);
	}
	return error_set("'%s': its link record is damaged (item of kind %d)", l->image->path,
			 item->kind);
}

int link_items(struct link *l)
{
	int e = 0;

	for (size_t i = 0; i < l->c->items.size && !e; i++)
		e = add_item(l, &l->c->items.data[i]);
	return e;
}
