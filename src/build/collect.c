/* collect.c: from a linking command line to a closure.
 *
 * Each word becomes an item at its place. Files are opened and looked at: what
 * they are is decided by their contents, never by their names. -l is resolved as
 * the linker does it (directories in order, the shared library before the archive
 * unless -static or -Bstatic rules); a library found only in the system's own
 * directories stays -l.
 */
#include "build/closure.h"

#include "base/elf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "build/archive.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct collect {
	struct closure *c;
	const struct args *args;
	struct words dirs;    /* of -L, absolute */
	int link_static;      /* now, at this place of the command line */
	VEC(struct buf) kept; /* contents of the blobs until they are written */
};

/* Linker options with a value in the next word; their names without dashes. */
static const char *const linker_values[] = {
    "rpath",
    "rpath-link",
    "soname",
    "h",
    "T",
    "script",
    "version-script",
    "dynamic-list",
    "Map",
    "o",
    "z",
    "u",
    "undefined",
    "e",
    "entry",
    "m",
    "L",
    "l",
    "library",
    "library-path",
    "defsym",
    "init",
    "fini",
    "Y",
    "y",
    "trace-symbol",
    "b",
    "format",
    "R",
    "just-symbols",
    "wrap",
    "dynamic-linker",
    "I",
    "plugin",
    "plugin-opt",
    "retain-symbols-file",
    "dependency-file",
    "sort-section",
    "section-start",
    "Ttext",
    "Tdata",
    "Tbss",
    "exclude-libs",
    "export-dynamic-symbol",
    "export-dynamic-symbol-list",
    "F",
    "filter",
    "f",
    "auxiliary",
    "a",
    "A",
    "G",
    "c",
    "oformat",
    "assert",
    "hash-size",
    "symbol-ordering-file",
    "default-script",
    "dT",
};

/* Those of them that name a file the linker reads. */
static const char *const linker_files[] = {
    "T",
    "script",
    "version-script",
    "dynamic-list",
    "R",
    "just-symbols",
    "retain-symbols-file",
    "export-dynamic-symbol-list",
    "symbol-ordering-file",
    "default-script",
    "dT",
};

static int in_list(const char *const *list, size_t count, const char *s, size_t n)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(list[i]) == n && !memcmp(list[i], s, n))
			return 1;
	return 0;
}
#define IN_LIST(list, s, n) in_list(list, sizeof(list) / sizeof *(list), s, n)

static const char *keep_text(struct collect *k, char *allocated)
{
	const char *s = arena_strdup(&k->c->arena, allocated);

	free(allocated);
	return s;
}

static const char *absolute(struct collect *k, const char *path)
{
	return keep_text(k, file_absolute(path));
}

/* Takes the contents over. */
static struct hash128 add_blob(struct collect *k, struct buf *contents)
{
	struct hash128 id = hash128(contents->data, contents->size);

	for (size_t i = 0; i < k->c->blobs.size; i++) {
		if (hash_equal(k->c->blobs.data[i].id, id)) {
			buf_release(contents);
			return id;
		}
	}
	vec_push(&k->kept, *contents);
	vec_push(&k->c->blobs, (struct closure_blob){id, contents->data, contents->size});
	buf_init(contents);
	return id;
}

static struct hash128 add_blob_copy(struct collect *k, const void *data, size_t size)
{
	struct buf b = BUF_EMPTY;

	buf_add(&b, data, size);
	return add_blob(k, &b);
}

/* What an object's records say. */
struct object_info {
	struct hash_vec units;
	struct hash128 link;
	char *why;	/* no record, and why; allocated */
	int needs_copy; /* not all of it can be made from records */
};

static void look_at_record(struct object_info *o, const struct record *r)
{
	struct record_value v;
	struct closure nested;

	if (r->kind == RECORD_UNIT && record_find(r->payload, r->size, TAG_HASH, &v)) {
		vec_push(&o->units, record_id(&v));
	} else if (r->kind == RECORD_FAILED) {
		o->needs_copy = 1;
		if (record_find(r->payload, r->size, TAG_WHY, &v) && !o->why)
			o->why = record_text(&v);
	} else if (r->kind == RECORD_LINK && !closure_read(&nested, r)) {
		if (nested.flags & CLOSURE_RELOCATABLE)
			o->link = r->id;
		closure_release(&nested);
	}
}

static int note_section(void *ctx, const char *name, const void *contents, size_t size)
{
	(void)contents, (void)size;
	*(const char **)ctx = name;
	return 0;
}

/* The wrapper appends its section after all others; ld -r, and whoever else writes
 * the object again, sorts it in. */
static int is_fresh(const void *data, size_t size)
{
	const char *last = "";

	return !elf_sections(data, size, note_section, &last) && !strcmp(last, RECORD_SECTION);
}

static void look_at_object(struct object_info *o, const void *data, size_t size)
{
	struct record_list l = {0};

	*o = (struct object_info){0};
	if (size >= 4 && !memcmp(data, "BC\xc0\xde", 4)) {
		o->why = mem_strdup("compiled with -flto");
	} else if (record_read(data, size, &l)) {
		o->why = mem_strdup(error_text());
	} else {
		for (size_t i = 0; i < l.frames.size; i++)
			look_at_record(o, &l.frames.data[i]);
		if (l.damaged) {
			free(o->why);
			o->why = mem_strdup(l.words);
		}
		/* From a plain ld -r there may be more in it than the units. */
		if (l.damaged || (hash_is_none(o->link) && !is_fresh(data, size)))
			o->needs_copy = 1;
		record_list_release(&l);
	}
	if (!o->units.size && hash_is_none(o->link))
		o->needs_copy = 1;
}

static void push(struct collect *k, struct closure_item item)
{
	vec_push(&k->c->items, item);
}

static void push_word(struct collect *k, enum item_kind kind, const char *text, const char *value)
{
	push(k, (struct closure_item){.kind = kind, .text = text, .value = value});
}

static void add_object(struct collect *k, const char *path, struct buf *contents)
{
	struct closure_item item = {.kind = ITEM_OBJECT, .text = path};
	struct object_info o;

	look_at_object(&o, contents->data, contents->size);
	item.units.data = o.units.data;
	item.units.size = o.units.size;
	item.units.cap = o.units.cap;
	item.link = o.link;
	if (o.why)
		item.why = keep_text(k, o.why);
	if (o.needs_copy)
		item.blob = add_blob(k, contents);
	push(k, item);
}

struct archive_scan {
	struct collect *k;
	struct closure_item *item;
};

static int add_member(void *ctx, const char *name, const void *data, size_t size)
{
	struct archive_scan *s = ctx;
	struct closure_member m = {.name = arena_strdup(&s->k->c->arena, file_base(name))};
	struct object_info o;

	look_at_object(&o, data, size);
	m.units = o.units;
	if (o.needs_copy || !hash_is_none(o.link))
		m.blob = add_blob_copy(s->k, data, size);
	free(o.why);
	vec_push(&s->item->members, m);
	return 0;
}

/* The system's own libraries need no copy. */
static int is_system(const char *path)
{
	static const char *const prefixes[] = {"/usr/lib/", "/lib/",	   "/usr/lib64/",
					       "/lib64/",   "/usr/lib32/", "/usr/libx32/"};
	char *real = realpath(path, NULL);
	int is = 0;

	for (size_t i = 0; real && i < sizeof prefixes / sizeof prefixes[0]; i++)
		is |= !strncmp(real, prefixes[i], strlen(prefixes[i]));
	free(real);
	return is;
}

static int is_shared(const struct buf *b)
{
	return b->size >= sizeof(Elf64_Ehdr) && !memcmp(b->data, ELFMAG, SELFMAG) &&
	       ((const Elf64_Ehdr *)(const void *)b->data)->e_type == ET_DYN;
}

static int is_object(const struct buf *b)
{
	return b->size >= 4 &&
	       (!memcmp(b->data, ELFMAG, SELFMAG) || !memcmp(b->data, "BC\xc0\xde", 4));
}

/* A file operand, whatever it is. option is "" or the linker option it is the value of. */
static int add_file(struct collect *k, const char *path, const char *option)
{
	const char *full = absolute(k, path);
	struct buf b = BUF_EMPTY;

	if (!*option && is_system(path)) {
		push_word(k, ITEM_WORD, full, NULL);
		return 0;
	}
	if (file_read(path, &b))
		return -1;
	if (*option || (!is_object(&b) && !archive_is(b.data, b.size))) {
		push(k, (struct closure_item){.kind = ITEM_FILE,
					      .text = full,
					      .value = option,
					      .blob = add_blob(k, &b)});
	} else if (is_shared(&b)) {
		push_word(k, ITEM_SHARED, full, NULL);
	} else if (archive_is(b.data, b.size)) {
		struct closure_item item = {.kind = ITEM_ARCHIVE, .text = full};
		struct archive_scan s = {k, &item};

		if (archive_members(path, b.data, b.size, add_member, &s)) {
			buf_release(&b);
			return -1;
		}
		push(k, item);
	} else {
		add_object(k, full, &b);
	}
	buf_release(&b);
	return 0;
}

static int add_library(struct collect *k, const char *name)
{
	for (size_t i = 0; i < k->dirs.size; i++) {
		char *candidates[2] = {NULL, NULL}, *found = NULL;
		int e;

		if (name[0] == ':') {
			candidates[0] = file_join(k->dirs.data[i], name + 1);
		} else {
			if (!k->link_static)
				candidates[0] = mem_printf("%s/lib%s.so", k->dirs.data[i], name);
			candidates[1] = mem_printf("%s/lib%s.a", k->dirs.data[i], name);
		}
		for (int n = 0; n < 2 && !found; n++)
			if (candidates[n] && file_exists(candidates[n]))
				found = candidates[n];
		e = found && !is_system(found) ? add_file(k, found, "") : 1;
		free(candidates[0]);
		free(candidates[1]);
		if (e <= 0)
			return e;
		if (found)
			break;
	}
	push_word(k, ITEM_WORD, keep_text(k, mem_printf("-l%s", name)), NULL);
	return 0;
}

static void add_dir(struct collect *k, const char *dir)
{
	const char *full = absolute(k, dir[0] == '=' ? dir + 1 : dir);

	if (dir[0] == '=') /* below the sysroot */
		full = keep_text(k, mem_strdup(dir));
	push_word(k, ITEM_WORD, keep_text(k, mem_printf("-L%s", full)), NULL);
}

static int linker_file(struct collect *k, const char *option, const char *file)
{
	const char *o = keep_text(k, mem_strdup(option));

	/* Scripts are also looked for in the library directories. */
	if (!file_exists(file)) {
		for (size_t i = 0; i < k->dirs.size; i++) {
			char *p = file_join(k->dirs.data[i], file);
			int e = file_exists(p) ? add_file(k, p, o) : 1;

			free(p);
			if (e <= 0)
				return e;
		}
		push_word(k, ITEM_LINKER, o, arena_strdup(&k->c->arena, file));
		return 0;
	}
	return add_file(k, file, o);
}

/* One option of the linker, with its value if that was a word of its own. */
static int linker_option(struct collect *k, const char *w, const char *value)
{
	const char *name = w + 1 + (w[1] == '-'), *equals = strchr(name, '=');
	size_t n = equals ? (size_t)(equals - name) : strlen(name);

	if (!strcmp(w, "-Bstatic") || !strcmp(w, "-dn") || !strcmp(w, "-non_shared"))
		k->link_static = 1;
	if (!strcmp(w, "-Bdynamic") || !strcmp(w, "-dy") || !strcmp(w, "-call_shared"))
		k->link_static = 0;
	if (IN_LIST(linker_files, name, n) && (equals || value))
		return linker_file(k, keep_text(k, mem_printf("%.*s", (int)(name - w + n), w)),
				   equals ? equals + 1 : value);
	if (w[1] == 'l' && w[2])
		return add_library(k, w + 2);
	if (value && (!strcmp(name, "l") || !strcmp(name, "library")))
		return add_library(k, value);
	if (equals && n == 7 && !memcmp(name, "library", 7))
		return add_library(k, equals + 1);
	if (w[1] == 'L' && (w[2] || value))
		add_dir(k, w[2] ? w + 2 : value);
	else
		push_word(k, ITEM_LINKER, w, value);
	return 0;
}

/* All words that reach the linker through -Wl, and -Xlinker, as one stream: an
 * option and its value may come in two arguments. */
static int linker_words(struct collect *k, const struct words *w, size_t *i)
{
	const char *word = w->data[*i], *value = NULL;
	const char *name = word + 1 + (word[0] == '-' && word[1] == '-');

	if (word[0] != '-' || !word[1])
		return add_file(k, word, "");
	if (IN_LIST(linker_values, name, strlen(name)) && *i + 1 < w->size)
		value = w->data[++*i];
	return linker_option(k, word, value);
}

static void split_commas(struct collect *k, const struct arg *g, struct words *out)
{
	const char *p = g->value ? g->value : "";

	if (!strcmp(g->text, "-Xlinker")) {
		vec_push(out, p);
		return;
	}
	while (*p) {
		size_t n = strcspn(p, ",");

		if (n)
			vec_push(out, arena_strndup(&k->c->arena, p, n));
		p += n + (p[n] == ',');
	}
}

static int add_linker_args(struct collect *k, size_t *i)
{
	const struct args *a = k->args;
	struct words w = {0};
	int e = 0;

	/* Consecutive ones belong together; *i ends at the last. */
	for (size_t n = *i; n < a->list.size && a->list.data[n].class == ARG_LINKER; n++) {
		split_commas(k, &a->list.data[n], &w);
		*i = n;
	}
	for (size_t n = 0; n < w.size && !e; n++)
		e = linker_words(k, &w, &n);
	vec_release(&w);
	return e;
}

static void add_option(struct collect *k, const struct arg *g)
{
	struct words w = {0};

	args_words(g, &w, &k->c->arena);
	push_word(k, ITEM_WORD, arena_strdup(&k->c->arena, w.data[0]),
		  w.size > 1 ? arena_strdup(&k->c->arena, w.data[1]) : NULL);
	vec_release(&w);
}

static int add_arg(struct collect *k, size_t *i, const struct capture **captures,
		   char *const **foreign)
{
	const struct arg *g = &k->args->list.data[*i];

	switch (g->class) {
	case ARG_INPUT:
		if (args_is_c(g)) {
			struct closure_item item = {.kind = ITEM_UNIT,
						    .text = absolute(k, g->text)};

			if ((*captures)->failed) {
				item.why = "clang-19 could not make bitcode of it";
			} else {
				vec_push(&item.units, (*captures)->unit);
			}
			++*captures;
			push(k, item);
			return 0;
		}
		if (g->lang)
			return *(*foreign)++ ? add_file(k, (*foreign)[-1], "") : 0;
		return add_file(k, g->text, "");
	case ARG_LINKER:
		return add_linker_args(k, i);
	case ARG_LIB:
		return g->value ? add_library(k, g->value) : 0;
	case ARG_LIBDIR:
		if (g->value)
			add_dir(k, g->value);
		return 0;
	case ARG_LINK:
		if (!strcmp(g->text, "-T") && g->value)
			return linker_file(k, "--script", g->value);
		add_option(k, g);
		return 0;
	case ARG_OTHER:
	case ARG_OPT:
	case ARG_SANITIZE:
	case ARG_LTO:
		add_option(k, g);
		return 0;
	default:
		return 0;
	}
}

/* -L holds for every -l, wherever it stands. */
static void gather_dirs(struct collect *k)
{
	for (size_t i = 0; i < k->args->list.size; i++) {
		const struct arg *g = &k->args->list.data[i];
		struct words w = {0};

		if (g->class == ARG_LIBDIR && g->value)
			vec_push(&k->dirs, absolute(k, g->value));
		if (g->class == ARG_OTHER && !strcmp(g->text, "-static"))
			k->link_static = 1;
		if (g->class == ARG_LINKER)
			split_commas(k, g, &w);
		for (size_t n = 0; n < w.size; n++) {
			if (!strncmp(w.data[n], "-L", 2) && w.data[n][2])
				vec_push(&k->dirs, absolute(k, w.data[n] + 2));
			else if (!strcmp(w.data[n], "-L") && n + 1 < w.size)
				vec_push(&k->dirs, absolute(k, w.data[n + 1]));
			else if (!strcmp(w.data[n], "-static"))
				k->link_static = 1;
		}
		vec_release(&w);
	}
}

int closure_collect(struct closure *c, const struct args *a, const struct capture *captures,
		    char *const *foreign)
{
	struct collect k = {.c = c, .args = a};
	char *cwd = getcwd(NULL, 0);
	int e = 0;

	*c = (struct closure){0};
	c->dir = keep_text(&k, cwd ? cwd : mem_strdup("."));
	c->output = absolute(&k, a->output ? a->output : "a.out");
	c->flags = (a->shared ? CLOSURE_SHARED : 0) | (a->relocatable ? CLOSURE_RELOCATABLE : 0) |
		   (a->lto ? CLOSURE_LTO : 0);
	gather_dirs(&k);
	for (size_t i = 0; i < a->list.size && !e; i++)
		e = add_arg(&k, &i, &captures, &foreign);
	vec_release(&k.dirs);
	/* Blobs live in the closure's arena from here on. */
	for (size_t i = 0; i < k.kept.size; i++) {
		c->blobs.data[i].data =
		    arena_copy(&c->arena, k.kept.data[i].data, k.kept.data[i].size);
		buf_release(&k.kept.data[i]);
	}
	vec_release(&k.kept);
	return e;
}
