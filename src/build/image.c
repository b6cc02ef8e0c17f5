/* image.c: loads a program and finds its libraries.
 *
 * Libraries are found as the dynamic linker would find them (DT_RPATH, then
 * LD_LIBRARY_PATH, then DT_RUNPATH) and, since a program is often looked at before
 * it is installed, also where the link found them. A library that has no record
 * is only counted: it is the system's, or `muster doctor` tells the user.
 */
#include "build/image.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "build/seal.h"
#include "build/capture.h"
#include "build/home.h"
#include "build/symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* A harness without a main gets one, from an archive: one of its own comes first. */
static int add_driver(struct image *im)
{
	struct closure_item item = {.kind = ITEM_ARCHIVE};
	struct closure_member m = {.name = "driver.o"};
	struct record_list l = {0};
	struct record_value v;
	char *path = home_file("driver.o");
	int e = path ? file_read(path, &im->driver) : -1;

	free(path);
	if (!e)
		e = record_read(im->driver.data, im->driver.size, &l);
	for (size_t i = 0; i < l.frames.size; i++) {
		const struct record *r = &l.frames.data[i];

		if (r->kind != RECORD_UNIT || !record_find(r->payload, r->size, TAG_HASH, &v))
			continue;
		vec_push(&im->records.frames, *r);
		vec_push(&m.units, record_id(&v));
	}
	record_list_release(&l);
	item.text = "libmuster_driver.a";
	vec_push(&item.members, m);
	vec_push(&im->closure.items, item);
	return e;
}

static int is_harness(const void *data, size_t size)
{
	static const char entry[] = "LLVMFuzzerTestOneInput";

	return memmem(data, size, entry, sizeof entry - 1) != NULL;
}

/* Linked with libFuzzer, which variants are linked without. */
static int uses_libfuzzer(const struct closure *c)
{
	for (size_t i = 0; i < c->items.size; i++)
		if (c->items.data[i].kind == ITEM_WORD &&
		    !strncmp(c->items.data[i].text, "-fsanitize", 10) &&
		    strstr(c->items.data[i].text, "fuzzer"))
			return 1;
	return 0;
}

/* The records of a C file by itself, with the link that `cc FILE.c` would be. */
static int load_source(struct image *im, const char *path, const char *const *cflags, enum capture_what what)
{
	struct closure_item item = {.kind = ITEM_UNIT};
	struct record_value v;
	struct record r;
	struct buf text = BUF_EMPTY;
	int harness;

	if (capture_file(path, cflags, what, &im->file))
		return -1;
	/* The buffer is the frame itself: a header of 48 bytes, then the payload. */
	r = (struct record){.kind = RECORD_UNIT,
			    .id = hash128(im->file.data + 48, im->file.size - 48),
			    .payload = im->file.data + 48,
			    .size = im->file.size - 48};
	vec_push(&im->records.frames, r);
	if (!record_find(r.payload, r.size, TAG_HASH, &v))
		return error_set("'%s' could not be recorded", path);
	vec_push(&item.units, record_id(&v));
	item.text = arena_strdup(&im->closure.arena, path);
	vec_push(&im->closure.items, item);
	vec_push(&im->closure.items, (struct closure_item){.kind = ITEM_WORD, .text = "-lm"});
	vec_push(&im->closure.items, (struct closure_item){.kind = ITEM_WORD, .text = "-pthread"});
	im->closure.output = item.text;
	im->closure.dir = ".";
	im->linked = im->by_itself = 1;
	harness = !file_read(path, &text) && is_harness(text.data, text.size);
	buf_release(&text);
	return harness ? add_driver(im) : 0;
}

/* An object file is linked as `cc FILE.o` would do it. */
static int link_of_object(struct image *im)
{
	struct closure_item item = {.kind = ITEM_OBJECT, .text = im->path};
	struct record_value v;

	for (size_t i = 0; i < im->records.frames.size; i++) {
		const struct record *r = &im->records.frames.data[i];

		if (r->kind == RECORD_UNIT && record_find(r->payload, r->size, TAG_HASH, &v))
			vec_push(&item.units, record_id(&v));
	}
	vec_push(&im->closure.items, item);
	im->closure.output = im->path;
	im->closure.dir = ".";
	im->linked = item.units.size > 0;
	im->by_itself = 1;
	return im->linked && is_harness(im->file.data, im->file.size) ? add_driver(im) : 0;
}

/* Link records: the last one made the file, those before it went into it. */
static int read_closures(struct image *im)
{
	const struct record_list *l = &im->records;
	size_t last = (size_t)-1;

	for (size_t i = 0; i < l->frames.size; i++)
		if (l->frames.data[i].kind == RECORD_LINK)
			last = i;
	for (size_t i = 0; i < l->frames.size; i++) {
		struct closure c;

		if (l->frames.data[i].kind != RECORD_LINK)
			continue;
		if (closure_read(&c, &l->frames.data[i]))
			return error_wrap("'%s'", im->path);
		if (i == last && !(c.flags & CLOSURE_RELOCATABLE)) {
			im->closure = c;
			im->linked = 1;
		} else {
			vec_push(&im->nested, c);
			vec_push(&im->nested_ids, l->frames.data[i].id);
		}
	}
	return 0;
}

static void note_soname(void *ctx, long tag, const char *text)
{
	struct image *im = ctx;

	if (tag == DT_SONAME)
		im->soname = text;
}

static int no_type(const struct buf *file, const char *path)
{
	Elf64_Ehdr h;

	if (file->size < SELFMAG || memcmp(file->data, ELFMAG, SELFMAG))
		return error_set("'%s' is neither an ELF file nor a C source file (.c, .i)", path);
	if (file->size < sizeof h)
		return error_set("'%s' is an ELF file that is cut off", path);
	memcpy(&h, file->data, sizeof h);
	if (h.e_ident[EI_CLASS] == ELFCLASS64 && h.e_machine == EM_X86_64)
		return error_set("'%s' is an ELF file that is cut off or damaged", path);
	return error_set("'%s' is not for x86-64 (64 bits): muster has no variants for it", path);
}

int image_load(struct image *im, const char *path)
{
	int type;

	*im = (struct image){.path = file_absolute(path), .soname = ""};
	if (file_is_dir(path))
		return error_set("'%s' is a directory", path);
	if (!file_is_regular(path)) /* a device or a pipe may never end */
		return error_set("'%s' is not a regular file", path);
	if (file_read(path, &im->file))
		return -1;
	type = symbols_type(im->file.data, im->file.size);
	if (!type)
		return no_type(&im->file, path);
	if (record_read(im->file.data, im->file.size, &im->records))
		return error_wrap("'%s'", path);
	symbols_dynamic(im->file.data, im->file.size, note_soname, im);
	if (type == ET_REL)
		return link_of_object(im);
	if (read_closures(im))
		return -1;
	return im->linked && uses_libfuzzer(&im->closure) ? add_driver(im) : 0;
}

void image_release(struct image *im)
{
	for (size_t i = 0; i < im->nested.size; i++)
		closure_release(&im->nested.data[i]);
	vec_release(&im->nested);
	vec_release(&im->nested_ids);
	closure_release(&im->closure);
	record_list_release(&im->records);
	buf_release(&im->file);
	buf_release(&im->driver);
	free(im->path);
	*im = (struct image){0};
}

/* ------------------------------------------------------------ libraries */

struct needs {
	VEC(const char *) needed;
	const char *rpath, *runpath;
};

static void note_need(void *ctx, long tag, const char *text)
{
	struct needs *n = ctx;

	if (tag == DT_NEEDED)
		vec_push(&n->needed, text);
	else if (tag == DT_RPATH)
		n->rpath = text;
	else if (tag == DT_RUNPATH)
		n->runpath = text;
}

/* The file in one of the directories of a colon-separated list; allocated. */
static char *find_in(const char *list, const char *name, const char *origin)
{
	for (const char *p = list; p && *p;) {
		size_t n = strcspn(p, ":");
		char *dir, *file;

		if (!strncmp(p, "$ORIGIN", 7))
			dir = mem_printf("%s%.*s", origin, (int)n - 7, p + 7);
		else if (!strncmp(p, "${ORIGIN}", 9))
			dir = mem_printf("%s%.*s", origin, (int)n - 9, p + 9);
		else
			dir = mem_strndup(n ? p : ".", n ? n : 1);
		file = file_join(dir, name);
		free(dir);
		if (file_exists(file))
			return file;
		free(file);
		p += n + (p[n] == ':');
	}
	return NULL;
}

/* Where the link itself found it: by its name, or by a file whose soname it is. */
static char *find_in_link(const struct image *im, const char *name)
{
	for (size_t i = 0; i < im->closure.items.size; i++) {
		const struct closure_item *item = &im->closure.items.data[i];
		struct image lib = {.soname = ""};
		char *dir, *beside;
		int match;

		if (item->kind != ITEM_SHARED)
			continue;
		dir = file_dir(item->text);
		beside = file_join(dir, name);
		free(dir);
		if (file_exists(beside))
			return beside;
		free(beside);
		if (file_read(item->text, &lib.file))
			continue;
		symbols_dynamic(lib.file.data, lib.file.size, note_soname, &lib);
		match = !strcmp(lib.soname, name);
		buf_release(&lib.file);
		if (match || !strcmp(file_base(item->text), name))
			return mem_strdup(item->text);
	}
	return NULL;
}

static char *find_library(const struct image *im, const struct needs *n, const char *name)
{
	char *origin = file_dir(im->path), *found = NULL;

	if (strchr(name, '/'))
		found = file_exists(name) ? mem_strdup(name) : NULL;
	if (!found && n->rpath && !n->runpath)
		found = find_in(n->rpath, name, origin);
	if (!found)
		found = find_in(getenv("LD_LIBRARY_PATH"), name, origin);
	if (!found)
		found = find_in(n->runpath, name, origin);
	if (!found)
		found = find_in_link(im, name);
	free(origin);
	return found;
}

static int known(const struct program *p, const char *path)
{
	for (size_t i = 0; i < p->images.size; i++) {
		char *a = realpath(p->images.data[i].path, NULL), *b = realpath(path, NULL);
		int same = a && b && !strcmp(a, b);

		free(a);
		free(b);
		if (same)
			return 1;
	}
	return 0;
}

/* Images are appended while this walks over them: libraries of libraries come too. */
static int load_libraries(struct program *p)
{
	for (size_t i = 0; i < p->images.size; i++) {
		struct needs n = {0};

		symbols_dynamic(p->images.data[i].file.data, p->images.data[i].file.size, note_need,
				&n);
		for (size_t k = 0; k < n.needed.size; k++) {
			char *path = find_library(&p->images.data[i], &n, n.needed.data[k]);
			struct image im;
			int e;

			if (!path || known(p, path)) {
				free(path);
				continue;
			}
			e = image_load(&im, path);
			if (!e && im.linked) {
				vec_push(&p->images, im);
			} else {
				vec_push(&p->foreign_libraries, mem_strdup(path));
				image_release(&im);
			}
			free(path);
		}
		vec_release(&n.needed);
	}
	return 0;
}

/* libtool builds programs in .libs and leaves a script in their place. */
static char *behind_script(const char *path)
{
	struct buf b = BUF_EMPTY;
	char *dir, *lt = NULL, *real = NULL;

	if (file_is_regular(path) && !file_read(path, &b) && b.size > 2 && !memcmp(b.data, "#!", 2) &&
	    memmem(b.data, b.size < 4096 ? b.size : 4096, "libtool", 7)) {
		dir = file_dir(path);
		lt = mem_printf("%s/.libs/lt-%s", dir, file_base(path));
		real = mem_printf("%s/.libs/%s", dir, file_base(path));
		if (!file_exists(real) && file_exists(lt)) {
			free(real);
			real = mem_strdup(lt);
		}
		free(dir);
		free(lt);
	}
	buf_release(&b);
	return real ? real : mem_strdup(path);
}

static int load(struct program *p, const char *path, const char *const *cflags, enum capture_what what)
{
	static const char *const beside[] = {"lib", "work", SEAL_FILE, NULL}; /* in a variant's directory */
	struct image im = {.soname = ""};
	char *real;
	int e;

	*p = (struct program){0};
	if (!file_exists(path))
		return error_set("there is no file '%s'", path);
	real = behind_script(path);
	if (file_is_c(path)) {
		im.path = file_absolute(path);
		e = load_source(&im, path, cflags, what);
	} else {
		e = image_load(&im, real);
	}
	free(real);
	p->name = file_tame(im.path, beside);
	vec_push(&p->images, im);
	if (!e && !im.linked && im.records.damaged)
		e = error_set("'%s': %s", path, im.records.words);
	else if (!e && !im.records.frames.size)
		e = error_set(
		    "'%s' has no record of how it was made: build it with 'muster cc' in place "
		    "of cc, or with 'muster build -- make'",
		    path);
	else if (!e && !im.linked)
		e = error_set(
		    "'%s' has no record of its link: link it with 'muster cc' too ('muster "
		    "doctor %s' says more)",
		    path, path);
	if (!e)
		e = load_libraries(p);
	if (e)
		program_release(p);
	return e;
}

int program_load(struct program *p, const char *path)
{
	return load(p, path, NULL, CAPTURE_ALL);
}

int program_load_bitcode(struct program *p, const char *path, const char *const *cflags)
{
	return load(p, path, cflags, CAPTURE_BITCODE);
}

void program_release(struct program *p)
{
	for (size_t i = 0; i < p->images.size; i++)
		image_release(&p->images.data[i]);
	for (size_t i = 0; i < p->foreign_libraries.size; i++)
		free(p->foreign_libraries.data[i]);
	vec_release(&p->images);
	vec_release(&p->foreign_libraries);
	free(p->name);
	*p = (struct program){0};
}
