/* inspect.c: goes through the records of a program and the closures of its links,
 * and through what the machine must offer. Every input of a link is either a unit
 * with a record or in the list of those without: nothing is left out in silence.
 */
#include "build/inspect.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/proc.h"
#include "build/home.h"
#include "build/symbols.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

static const char *text(struct inspect *in, const char *s)
{
	return arena_strdup(&in->arena, s);
}

static const char *take(struct inspect *in, char *allocated)
{
	const char *s = text(in, allocated);

	free(allocated);
	return s;
}

void inspect_problem(struct inspect *in, int fatal, const char *words, const char *remedy)
{
	vec_push(&in->problems, (struct inspect_problem){fatal, text(in, words), text(in, remedy)});
}

static const char *field(struct inspect *in, const struct record *r, enum record_tag tag)
{
	struct record_value v;

	return record_find(r->payload, r->size, tag, &v) ? take(in, record_text(&v)) : "";
}

static size_t field_size(const struct record *r, enum record_tag tag)
{
	struct record_value v;

	return record_find(r->payload, r->size, tag, &v) ? v.size : 0;
}

static void add_units(struct inspect *in, const struct image *im)
{
	for (size_t i = 0; i < im->records.frames.size; i++) {
		const struct record *r = &im->records.frames.data[i];
		struct inspect_part p = {.image = text(in, im->path)};

		if (r->kind == RECORD_LINK)
			continue;
		p.name = field(in, r, TAG_NAME);
		p.dir = field(in, r, TAG_DIR);
		p.bitcode = field_size(r, TAG_BITCODE);
		p.source = field_size(r, TAG_SOURCE);
		p.why = field(in, r, TAG_WHY);
		if (r->kind == RECORD_UNIT)
			vec_push(&in->units, p);
		else
			vec_push(&in->unrecorded, p);
	}
}

static void add_unrecorded(struct inspect *in, const struct image *im, const char *name,
			   const char *why)
{
	vec_push(&in->unrecorded,
		 (struct inspect_part){
		     .image = text(in, im->path),
		     .name = text(in, name),
		     .dir = "",
		     .why = text(in, why && *why ? why : "assembly, or made by another compiler")});
}

static void add_closure(struct inspect *in, const struct image *im, const struct closure *c)
{
	for (size_t i = 0; i < c->items.size; i++) {
		const struct closure_item *item = &c->items.data[i];

		if (item->kind == ITEM_OBJECT && !item->units.size && !hash_is_none(item->blob))
			add_unrecorded(in, im, item->text, item->why);
		for (size_t k = 0; k < item->members.size; k++) {
			const struct closure_member *m = &item->members.data[k];
			char *name = mem_printf("%s(%s)", item->text, m->name);

			if (!m->units.size)
				add_unrecorded(in, im, name, NULL);
			free(name);
		}
	}
}

static void inspect_image(struct inspect *in, const struct image *im)
{
	add_units(in, im);
	add_closure(in, im, &im->closure);
	for (size_t i = 0; i < im->nested.size; i++)
		add_closure(in, im, &im->nested.data[i]);
	if (im->records.damaged) {
		char *words =
		    mem_printf("%s: %zu damaged record%s: %s", im->path, im->records.damaged,
			       im->records.damaged == 1 ? "" : "s", im->records.words);

		inspect_problem(in, 1, words, "build it again with muster cc");
		free(words);
	}
}

static void inspect_binary(struct inspect *in, const char *binary)
{
	struct program p;
	struct image im;

	if (!program_load(&p, binary)) {
		in->linked = 1;
		for (size_t i = 0; i < p.images.size; i++) {
			inspect_image(in, &p.images.data[i]);
			if (i)
				vec_push(&in->libraries, text(in, p.images.data[i].path));
		}
		for (size_t i = 0; i < p.foreign_libraries.size; i++)
			vec_push(&in->foreign, text(in, p.foreign_libraries.data[i]));
		program_release(&p);
		return;
	}
	inspect_problem(in, 1, error_text(), "");
	/* What there is of records is worth seeing even so. */
	if (!image_load(&im, binary))
		inspect_image(in, &im);
	image_release(&im);
}

/* ------------------------------------------------------------- the machine */

static void check_tool(struct inspect *in, const char *name, const char *package)
{
	char *path = proc_which(name), *words = mem_printf("'%s' is not installed", name);
	char *remedy = mem_printf("apt-get install %s", package);

	if (!path)
		inspect_problem(in, 1, words, remedy);
	free(path);
	free(words);
	free(remedy);
}

/* The shadow of a traced program is a reservation of address space. */
static void check_address_space(struct inspect *in)
{
	size_t want = (size_t)20 << 40;
	struct rlimit l;
	void *p;

	if (!getrlimit(RLIMIT_AS, &l) && l.rlim_cur != RLIM_INFINITY) {
		inspect_problem(in, 1,
			"the address space is limited (ulimit -v): traced programs reserve 20 TiB "
			"of it",
			"run 'ulimit -v unlimited' first");
		return;
	}
	p = mmap(NULL, want, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		inspect_problem(in, 1, "20 TiB of address space cannot be reserved",
			"see 'sysctl vm.overcommit_memory' (2 forbids it) and container limits");
	else
		munmap(p, want);
}

static void check_memfd(struct inspect *in)
{
	int fd = memfd_create("muster", MFD_CLOEXEC);

	if (fd < 0)
		inspect_problem(in, 1, "memfd_create does not work: the trace has nowhere to go",
			"a kernel from 3.17 on is needed, and a sandbox that allows it");
	else
		close(fd);
}

/* Traced programs run at the same addresses each time; some sandboxes forbid that. */
static void check_randomisation(struct inspect *in)
{
	int old = personality(0xffffffff);

	if (old < 0 || personality(old | ADDR_NO_RANDOMIZE) < 0)
		inspect_problem(
		    in, 0,
		    "address randomisation cannot be switched off: runs will differ in addresses",
		    "allow the personality system call (docker: --security-opt "
		    "seccomp=unconfined)");
	else
		personality(old);
}

/* The sanitizers' runtime is a package of its own. */
static void check_sanitizers(struct inspect *in)
{
	char *argv[] = {(char *)home_clang(), "-print-file-name=libclang_rt.asan-x86_64.a", NULL};
	struct proc_opts opts = {.capture_out = 1, .capture_err = 1, .null_input = 1};
	struct proc_result r;

	if (proc_run(argv, &opts, &r))
		return; /* no clang: said already */
	if (!r.status && !memchr(r.out.data ? r.out.data : "", '/', r.out.size))
		inspect_problem(in, 0, "clang-19 has no sanitizers: the san variant cannot be linked",
			"apt-get install libclang-rt-19-dev");
	proc_release(&r);
}

static void check_machine(struct inspect *in)
{
	check_tool(in, home_clang(), "clang-19");
	check_tool(in, "ld", "binutils");
	check_tool(in, "ar", "binutils");
	check_tool(in, "objcopy", "binutils");
	if (!home_dir())
		inspect_problem(in, 1, error_text(), "");
	check_address_space(in);
	check_memfd(in);
	check_randomisation(in);
	check_sanitizers(in);
	if (access("/proc/self/exe", F_OK))
		inspect_problem(in, 1, "/proc is not mounted", "mount -t proc proc /proc");
}

void inspect_run(struct inspect *in, const char *binary)
{
	*in = (struct inspect){0};
	check_machine(in);
	if (binary)
		inspect_binary(in, binary);
}

int inspect_fatal(const struct inspect *in)
{
	for (size_t i = 0; i < in->problems.size; i++)
		if (in->problems.data[i].fatal)
			return 1;
	return 0;
}

void inspect_release(struct inspect *in)
{
	vec_release(&in->units);
	vec_release(&in->unrecorded);
	vec_release(&in->libraries);
	vec_release(&in->foreign);
	vec_release(&in->problems);
	arena_release(&in->arena);
}
