/* relink.c: from a closure to a link of variant objects.
 *
 * The command line is the saved one, item by item (relink_items.c), with the runtime
 * added to the executable. Shared libraries take the runtime from there.
 *
 * References to libc go to the runtime's __wrap_NAME through --wrap, for the names
 * that no part of the program defines. Where the program has its own NAME the
 * runtime's __real_NAME means that one. In a static link --wrap would reach into
 * libc as well, which calls itself long before the runtime can serve it; there the
 * references are renamed in copies of the objects instead.
 */
#include "build/relink_items.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/proc.h"
#include "build/home.h"
#include "build/symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

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
		/* Calls that only muster knows are defined nowhere. */
		if (strncmp(name, "__VERIFIER_", 11) == 0 || strncmp(name, "klee_", 5) == 0 ||
		    strncmp(name, "muster_", 7) == 0 || strcmp(name, "reach_error") == 0)
			buf_addf(&b, ".weak %s\n", name);
	}
	if (b.size) {
		path = link_file(l, "real.s");
		buf_adds(&b, ".section .note.GNU-stack,\"\",@progbits\n");
		e = file_write_atomic(path, b.data, b.size);
		link_word(l, link_keep(l, path));
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
	path = link_file(l, "renames");
	e = file_write_atomic(path, b.data, b.size);
	l->renames = link_keep(l, path);
	buf_release(&b);
	return e;
}

static void add_wraps(struct link *l)
{
	for (size_t i = 0; i < l->r->wraps.size && !l->renames; i++)
		if (!strmap_get(&l->r->defined, l->r->wraps.data[i], NULL))
			link_option(l, link_keep(l, mem_printf("--wrap=%s", l->r->wraps.data[i])));
}

static const char *const archives[] = {
#define X(id, name, archive, wraps) archive,
    VARIANTS(X)
#undef X
};

/* Whole: muster.h's names are weak, and a weak name takes nothing from an archive. */
static int add_archive_of_ours(struct link *l, const char *name)
{
	char *found = home_file(name);
	const char *path = found ? link_renamed(l, link_keep(l, found)) : NULL;

	if (!path)
		return -1;
	link_option(l, "--whole-archive");
	link_word(l, path);
	link_option(l, "--no-whole-archive");
	return 0;
}

static int add_runtime(struct link *l)
{
	enum variant_kind kind = l->r->units->kind;
	int e = add_shim(l);

	if (!e)
		e = add_archive_of_ours(l, archives[kind]);
	/* The project's shared libraries take the runtime from here. */
	if (l->r->lib_dir && kind != VARIANT_SAN)
		link_option(l, "--export-dynamic-symbol=__muster_*");
	if (l->r->lib_dir)
		link_option(l, "--export-dynamic-symbol=__wrap_*");
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
				if (link_starts(name, ours[i]))
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
		const char *path = link_keep(l, link_file(l, "dead.s"));

		buf_adds(&b, "\tud2\n\t.section .note.GNU-stack,\"\",@progbits\n");
		found = !file_write_atomic(path, b.data, b.size);
		link_word(l, path);
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
	link_word(l, NULL);
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

int link_run(struct link *l, const char *output)
{
	struct buf words = BUF_EMPTY;
	int e;

	link_word(l, "-Qunused-arguments");
	link_word(l, "-w");
	link_word(l, "-o");
	link_word(l, output);
	e = try_link(l, &words);
	if (e && !l->image->by_itself && add_missing(l, buf_str(&words)))
		e = try_link(l, &words);
	buf_release(&words);
	return e;
}

const char *relink_name(const struct program *p, size_t index)
{
	const struct image *im = &p->images.data[index];

	return !index ? p->name : *im->soname ? file_base(im->soname) : file_base(im->path);
}

/* In a program that is no PIE a function of a library has the address of its entry in the program's linkage table, but for a
 * library that is linked with -Bsymbolic: there labels of arguments find no owner. */
static int has_symbolic_library(const struct program *p)
{
	const struct buf *file = &p->images.data[0].file;
	Elf64_Ehdr h;

	if (file->size < sizeof h || memcmp(file->data, ELFMAG, SELFMAG))
		return 0;
	memcpy(&h, file->data, sizeof h);
	for (size_t i = 1; i < p->images.size && h.e_type == ET_EXEC; i++) {
		const struct closure *c = &p->images.data[i].closure;

		for (size_t k = 0; k < c->items.size; k++)
			if (c->items.data[k].text && strstr(c->items.data[k].text, "-Bsymbolic"))
				return 1;
	}
	return 0;
}

int relink_image(struct relink *r, size_t index)
{
	const struct image *im = &r->program->images.data[index];
	struct link l = {.r = r, .image = im, .c = &im->closure};
	char *output;
	int e;

	output = file_join(index ? r->lib_dir : r->out_dir, relink_name(r->program, index));
	link_word(&l, home_clang());
	if (r->units->kind == VARIANT_SAN)
		link_word(&l, "-fsanitize=address,undefined");
	/* Before the program's own: its libraries are the variant's, whoever runs it. */
	if (r->lib_dir) {
		link_option(&l, "--disable-new-dtags");
		link_option(&l, index ? "-rpath=$ORIGIN" : "-rpath=$ORIGIN/lib");
		link_option(&l, link_keep(&l, mem_printf("-rpath-link=%s", r->lib_dir)));
	}
	if (index && !*im->soname)
		link_option(
		    &l, link_keep(&l, mem_printf("-soname=%s", relink_name(r->program, index))));
	e = plan_wraps(&l);
	if (!e)
		e = link_items(&l);
	if (!e)
		add_wraps(&l);
	if (!e && !index)
		e = add_runtime(&l);
	if (!index && has_symbolic_library(r->program))
		link_option(&l, "--defsym=__muster_symbolic_library=1");
	if (l.user_wraps) {
		link_option(&l, "-z");
		link_option(&l, "muldefs");
	}
	/* Names are resolved once, in the fork server, and not again in each run. */
	if (r->units->kind == VARIANT_COV && !index) {
		link_option(&l, "-z");
		link_option(&l, "now");
	}
	if (!e)
		e = link_run(&l, output);
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
