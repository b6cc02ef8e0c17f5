/* relink.c: from a closure to a link of variant objects.
 *
 * The command line is the saved one, item by item, with these differences: inputs
 * with records become the variant's objects, copies become files, libraries of the
 * project become their variants; options that would write beside the output, strip
 * it, forbid undefined symbols or bring in other people's instrumentation are
 * dropped; and the runtime is added to the executable. Shared libraries take the
 * runtime from there.
 *
 * References to libc go to the runtime's __wrap_NAME through --wrap, for the names
 * that no part of the program defines. Where the program has its own NAME the
 * runtime's __real_NAME means that one. In a static link --wrap would reach into
 * libc as well, which calls itself long before the runtime can serve it; there the
 * references are renamed in copies of the objects instead.
 */
#include "build/relink.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/proc.h"
#include "build/archive.h"
#include "build/home.h"
#include "build/symbols.h"

#include <stdlib.h>
#include <string.h>

struct link {
	struct relink *r;
	const struct image *image;
	const struct closure *c;
	struct arena arena;
	struct words w;
	int is_static;	     /* libc is part of this link */
	const char *renames; /* then: objcopy's list of NAME __wrap_NAME */
	int user_wraps;	     /* the program uses --wrap itself */
};

static const char *keep(struct link *l, char *allocated)
{
	const char *s = arena_strdup(&l->arena, allocated);

	free(allocated);
	return s;
}

static void word(struct link *l, const char *s)
{
	vec_push(&l->w, s);
}

static void linker(struct link *l, const char *s)
{
	word(l, "-Xlinker");
	word(l, s);
}

static char *work_file(struct link *l, const char *name)
{
	return mem_printf("%s/%d-%s", l->r->work_dir, l->r->serial++, file_base(name));
}

/* Writes a copy out; NULL with words. */
static const char *blob_file(struct link *l, struct hash128 id, const char *name)
{
	struct buf b = BUF_EMPTY;
	char *path = work_file(l, name);

	if (closure_blob(l->c, id, &b) || file_write_atomic(path, b.data, b.size)) {
		buf_release(&b);
		free(path);
		return NULL;
	}
	buf_release(&b);
	return keep(l, path);
}

/* In a static link: a copy of the object or archive whose references are renamed. */
static const char *renamed(struct link *l, const char *file)
{
	const char *copy;
	char *list, *argv[5];
	struct proc_result r;

	if (!file || !l->renames)
		return file;
	copy = keep(l, work_file(l, file));
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
	return renamed(l, keep(l, file_absolute(o->object)));
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
		word(l, copy);
	}
	strmap_release(&ours);
	strmap_release(&all);
	buf_release(&b);
	return e;
}

static int run_link(struct link *l, const char *output);
static int add_items(struct link *l);

/* An object that a recorded ld -r made is made again the same way. */
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
		output = keep(l, work_file(l, item->text));
		word(&inner, home_clang());
		e = add_items(&inner);
		if (!e)
			e = run_link(&inner, output);
		vec_release(&inner.w);
		arena_release(&inner.arena);
		word(l, output);
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
		word(l, o);
	}
	if (hash_is_none(item->blob))
		return 0;
	if (item->units.size)
		return add_rest(l, &item->units, item->blob, item->text);
	o = renamed(l, blob_file(l, item->blob, item->text));
	if (o)
		word(l, o);
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
	path = work_file(o->l, name);
	if (file_write_atomic(path, data, size)) {
		free(path);
		return -1;
	}
	vec_push(o->files, keep(o->l, path));
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
			char *copy = work_file(l, m->name);
			int e = object ? file_copy(object, copy) : -1;

			file = keep(l, copy);
			if (e)
				return -1;
		} else if (!hash_is_none(m->blob)) {
			file = renamed(l, blob_file(l, m->blob, m->name));
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
	const char *output = keep(l, work_file(l, item->text));
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
	word(l, output);
	vec_release(&argv);
	return e;
}

/* -------------------------------------------------------- options, scripts */

static int starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* Driver options that a variant must not have. */
static int drop_word(const struct link *l, const struct closure_item *item)
{
	const char *t = item->text;

	if (starts(t, "-fsanitize") || starts(t, "-fno-sanitize") || !strcmp(t, "-s") ||
	    !strcmp(t, "-pg") || starts(t, "-fprofile") || starts(t, "-fcoverage") ||
	    !strcmp(t, "--coverage") || !strcmp(t, "-coverage") || starts(t, "-fxray"))
		return 1;
	if (!strcmp(t, "-z") && item->value && !strcmp(item->value, "defs"))
		return 1;
	if (!strcmp(t, "-zdefs"))
		return 1;
	/* The sanitizers' runtime needs the dynamic linker. */
	if (l->r->units->kind == VARIANT_SAN &&
	    (!strcmp(t, "-static") || !strcmp(t, "-static-pie") || starts(t, "-fuse-ld=gold")))
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
	l->user_wraps |= starts(name, "wrap");
	linker(l, item->text);
	if (item->value)
		linker(l, item->value);
}

static int add_script(struct link *l, const struct closure_item *item)
{
	const char *file = blob_file(l, item->blob, item->text);

	if (!file)
		return -1;
	if (!item->value || !*item->value) {
		word(l, file);
	} else {
		linker(l, item->value);
		linker(l, file);
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
			word(l, keep(l, file_join(l->r->lib_dir, relink_name(p, i))));
		free(other);
	}
	if (!done && real)
		word(l, item->text);
	else if (!done)
		word(l, keep(l, mem_printf("-l:%s", file_base(item->text))));
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
		word(l, o);
	return o ? 0 : -1;
}

static int add_item(struct link *l, const struct closure_item *item)
{
	switch (item->kind) {
	case ITEM_WORD:
		if (!drop_word(l, item)) {
			word(l, item->text);
			if (item->value)
				word(l, item->value);
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

static int add_items(struct link *l)
{
	int e = 0;

	for (size_t i = 0; i < l->c->items.size && !e; i++)
		e = add_item(l, &l->c->items.data[i]);
	return e;
}

/* ---------------------------------------------------------------- runtime */

/* __real_NAME for the names that stay the program's own and, in a static link, for
 * all of them. */
static int add_shim(struct link *l)
{
	struct buf b = BUF_EMPTY;
	char *path = NULL;
	int e = 0;

	for (size_t i = 0; i < l->r->wraps.size; i++) {
		const char *name = l->r->wraps.data[i];

		if (!l->renames && !strmap_get(&l->r->defined, name, NULL))
			continue;
		buf_addf(&b, ".globl __real_%s\n.hidden __real_%s\n__real_%s: jmp %s@PLT\n", name,
			 name, name, name);
		/* Calls that only muster knows are defined by nobody. */
		if (strncmp(name, "__VERIFIER_", 11) == 0 || strncmp(name, "klee_", 5) == 0 ||
		    strncmp(name, "muster_", 7) == 0)
			buf_addf(&b, ".weak %s\n", name);
	}
	if (b.size) {
		path = work_file(l, "real.s");
		buf_adds(&b, ".section .note.GNU-stack,\"\",@progbits\n");
		e = file_write_atomic(path, b.data, b.size);
		word(l, keep(l, path));
	}
	buf_release(&b);
	return e;
}

/* How references reach the wrappers: by the linker, or in a static link by name. */
static int plan_wraps(struct link *l)
{
	struct buf b = BUF_EMPTY;
	char *path;
	int e;

	for (size_t i = 0; i < l->c->items.size; i++)
		if (l->c->items.data[i].kind == ITEM_WORD)
			l->is_static |= !strcmp(l->c->items.data[i].text, "-static") ||
					!strcmp(l->c->items.data[i].text, "-static-pie");
	if (!l->is_static || !l->r->wraps.size)
		return 0;
	for (size_t i = 0; i < l->r->wraps.size; i++)
		if (!strmap_get(&l->r->defined, l->r->wraps.data[i], NULL))
			buf_addf(&b, "%s __wrap_%s\n", l->r->wraps.data[i], l->r->wraps.data[i]);
	path = work_file(l, "renames");
	e = file_write_atomic(path, b.data, b.size);
	l->renames = keep(l, path);
	buf_release(&b);
	return e;
}

static void add_wraps(struct link *l)
{
	for (size_t i = 0; i < l->r->wraps.size && !l->renames; i++)
		if (!strmap_get(&l->r->defined, l->r->wraps.data[i], NULL))
			linker(l, keep(l, mem_printf("--wrap=%s", l->r->wraps.data[i])));
}

static const char *const archives[] = {
#define X(id, name, archive, wraps) archive,
    VARIANTS(X)
#undef X
};

static int add_archive_of_ours(struct link *l, const char *name, int whole)
{
	char *found = home_file(name);
	const char *path = found ? renamed(l, keep(l, found)) : NULL;

	if (!path)
		return -1;
	if (whole)
		linker(l, "--whole-archive");
	word(l, path);
	if (whole)
		linker(l, "--no-whole-archive");
	return 0;
}

static int add_runtime(struct link *l)
{
	enum variant_kind kind = l->r->units->kind;
	int e = add_shim(l);

	if (!e)
		e = add_archive_of_ours(l, archives[kind], kind != VARIANT_SAN);
	/* The project's shared libraries take the runtime from here. */
	if (l->r->lib_dir && kind != VARIANT_SAN) {
		linker(l, "--export-dynamic-symbol=__muster_*");
		linker(l, "--export-dynamic-symbol=__wrap_*");
	}
	return e;
}

/* Names that no input defines. The program was linked without them: the optimiser
 * had removed all that names them, as code that never runs, and here it did not. They
 * become addresses of an instruction that traps. Returns how many there are; -1 if a
 * part of muster's own is missing, which is no matter of dead code. */
static int missing_names(const char *words, struct buf *out)
{
	static const char *const marks[] = {"undefined reference to `", "undefined reference to '",
					    "undefined symbol: "};
	static const char *const ours[] = {"__muster_", "__wrap_", "__real_", "rt_", "llvm."};
	struct strmap seen = {0};
	int count = 0;

	for (const char *p = words; count >= 0 && *p; p += strcspn(p, "\n"), p += *p == '\n') {
		size_t line = strcspn(p, "\n");

		for (size_t m = 0; m < sizeof marks / sizeof marks[0]; m++) {
			const char *at = memmem(p, line, marks[m], strlen(marks[m]));
			char *name;

			if (!at)
				continue;
			at += strlen(marks[m]);
			name = mem_strndup(at, strcspn(at, "'\n"));
			for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
				if (starts(name, ours[i]))
					count = -1;
			if (count >= 0 && strmap_set(&seen, name, 1)) {
				buf_addf(out, ".weak %s\n%s:\n", name, name);
				count++;
			}
			free(name);
		}
	}
	strmap_release(&seen);
	return count;
}

static int add_missing(struct link *l, const char *words)
{
	struct buf b = BUF_EMPTY;
	int found;

	buf_adds(&b, "\t.text\n");
	found = missing_names(words, &b) > 0;
	if (found) {
		const char *path = keep(l, work_file(l, "dead.s"));

		buf_adds(&b, "\tud2\n\t.section .note.GNU-stack,\"\",@progbits\n");
		found = !file_write_atomic(path, b.data, b.size);
		word(l, path);
	}
	buf_release(&b);
	return found;
}

static void log_command(const struct link *l)
{
	struct buf b = BUF_EMPTY;

	for (size_t i = 0; l->w.data[i]; i++)
		buf_addf(&b, " %s", l->w.data[i]);
	log_info("link:%s", buf_str(&b));
	buf_release(&b);
}

/* Runs the command; what the linker said is in words. */
static int try_link(struct link *l, struct buf *words)
{
	struct proc_opts opts = {.capture_err = 1, .capture_out = 1, .null_input = 1};
	struct proc_result r;
	int e;

	opts.dir = file_is_dir(l->c->dir) ? l->c->dir : NULL;
	word(l, NULL);
	if (log_level == LOG_VERBOSE)
		log_command(l);
	e = proc_run((char *const *)l->w.data, &opts, &r);
	l->w.size--;
	if (!e && r.status)
		e = error_set("cannot link the %s variant of '%s':\n%s",
			      variant_name(l->r->units->kind), l->image->path, buf_str(&r.err));
	buf_release(words);
	*words = r.err;
	buf_release(&r.out);
	return e;
}

static int run_link(struct link *l, const char *output)
{
	struct buf words = BUF_EMPTY;
	int e;

	word(l, "-Qunused-arguments");
	word(l, "-w");
	word(l, "-o");
	word(l, output);
	e = try_link(l, &words);
	if (e && !l->image->by_itself && add_missing(l, buf_str(&words)))
		e = try_link(l, &words);
	buf_release(&words);
	return e;
}

const char *relink_name(const struct program *p, size_t index)
{
	const struct image *im = &p->images.data[index];

	return index && *im->soname ? file_base(im->soname) : file_base(im->path);
}

int relink_image(struct relink *r, size_t index)
{
	const struct image *im = &r->program->images.data[index];
	struct link l = {.r = r, .image = im, .c = &im->closure};
	char *output;
	int e;

	output = file_join(index ? r->lib_dir : r->out_dir, relink_name(r->program, index));
	word(&l, home_clang());
	if (r->units->kind == VARIANT_SAN)
		word(&l, "-fsanitize=address,undefined");
	/* Before the program's own: its libraries are the variant's, whoever runs it. */
	if (r->lib_dir) {
		linker(&l, "--disable-new-dtags");
		linker(&l, index ? "-rpath=$ORIGIN" : "-rpath=$ORIGIN/lib");
		linker(&l, keep(&l, mem_printf("-rpath-link=%s", r->lib_dir)));
	}
	if (index && !*im->soname)
		linker(&l, keep(&l, mem_printf("-soname=%s", relink_name(r->program, index))));
	e = plan_wraps(&l);
	if (!e)
		e = add_items(&l);
	if (!e)
		add_wraps(&l);
	if (!e && !index)
		e = add_runtime(&l);
	if (l.user_wraps) {
		linker(&l, "-z");
		linker(&l, "muldefs");
	}
	if (!e)
		e = run_link(&l, output);
	vec_release(&l.w);
	arena_release(&l.arena);
	free(output);
	return e;
}

/* ------------------------------------------------------------------ names */

static int names_of_closure(struct relink *r, const struct closure *c)
{
	for (size_t i = 0; i < c->blobs.size; i++) {
		struct buf b = BUF_EMPTY;

		if (closure_blob(c, c->blobs.data[i].id, &b))
			return -1;
		symbols_defined(b.data, b.size, &r->defined);
		buf_release(&b);
	}
	return 0;
}

int relink_names(struct relink *r)
{
	int e = 0;

	for (size_t i = 0; i < r->units->list.size && !e; i++) {
		struct buf b = BUF_EMPTY;

		e = file_read(r->units->list.data[i].object, &b);
		symbols_defined(b.data, b.size, &r->defined);
		buf_release(&b);
	}
	for (size_t i = 0; i < r->program->images.size && !e; i++) {
		const struct image *im = &r->program->images.data[i];

		e = names_of_closure(r, &im->closure);
		for (size_t k = 0; k < im->nested.size && !e; k++)
			e = names_of_closure(r, &im->nested.data[k]);
	}
	return e;
}
