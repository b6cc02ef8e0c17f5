/* target.c: from the program that the user named to options a launcher can run.
 *
 * Makes the variant, reads its site tables (those of the project's shared libraries too), maps the
 * tables that its runtime writes, and lets the loader find variants of libraries before the
 * originals.
 */
#include "run/target.h"

#include "base/clock.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "build/copies.h"
#include "run/program.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *target_program(const char *name)
{
	if (strchr(name, '/') || file_exists(name))
		return mem_strdup(name);
	return program_find(name);
}

int target_has_path(char *const *argv)
{
	for (unsigned i = 1; argv[i]; i++)
		if (strstr(argv[i], "@@"))
			return 1;
	return 0;
}

static void add_sites(struct target *t)
{
	if (site_tables_add_elf(&t->sites, t->variant.path) < 0)
		log_warn("no source lines: %s", error_text());
	DIR *dir = t->variant.lib_dir ? opendir(t->variant.lib_dir) : NULL;
	for (struct dirent *e; dir && (e = readdir(dir));) {
		char *path = file_join(t->variant.lib_dir, e->d_name);
		struct stat st;
		if (!stat(path, &st) && S_ISREG(st.st_mode))
			site_tables_add_elf(&t->sites, path);
		free(path);
	}
	if (dir)
		closedir(dir);
}

static int make_variant(struct target *t, const char *program, int part)
{
	double start = clock_seconds();
	if (part && t->kind == VARIANT_TRACE) {
		if (variant_make_part(program, NULL, &t->variant))
			return -1;
		t->name = mem_strdup(program);
	} else if (t->kind != TARGET_PLAIN) {
		if (variant_make(program, (enum variant_kind)t->kind, &t->variant))
			return -1;
	} else {
		if (file_is_c(program))
			return error_set("'%s' is source code: build it to run it as it is, or name a variant", program);
		t->variant.path = file_absolute(program);
	}
	t->seconds = clock_seconds() - start;
	return 0;
}

/* The tables of a variant with a runtime: the san variant and the program itself have none. */
static int make_tables(struct target *t, const struct target_options *o)
{
	struct shm_options sizes = o->shm;
	if (t->kind == TARGET_PLAIN || t->kind == VARIANT_SAN)
		return 0;
	add_sites(t);
	if (t->kind == VARIANT_TRACE_ALL)
		sizes.flags |= MUSTER_FLAG_PATH;
	if (shm_init(&t->shm, &sizes))
		return -1;
	t->options.shm = &t->shm;
	return 0;
}

static void set_environment(struct target *t)
{
	const char *old = getenv("LD_LIBRARY_PATH");
	int count = 0;
	memset(t->env, 0, sizeof t->env);
	if (t->variant.lib_dir) {
		t->library_path = mem_printf("LD_LIBRARY_PATH=%s%s%s", t->variant.lib_dir,
					     old ? ":" : "", old ? old : "");
		t->env[count++] = t->library_path;
	}
	/* Without a runtime, marked objects take their bytes from standard input, which is a file.
	 */
	if (!t->options.shm && !target_has_path(t->options.argv))
		t->env[count++] = "MUSTER_INPUT=/proc/self/fd/0";
	if (count)
		t->options.env = t->env;
}

int target_make(struct target *t, const char *program, char *const *argv, int kind, const struct target_options *o)
{
	memset(t, 0, sizeof *t);
	t->kind = kind;
	if (make_variant(t, program, o->part)) {
		memset(t, 0, sizeof *t);
		return -1;
	}
	t->options = (struct launch_options)LAUNCH_DEFAULTS;
	if (make_tables(t, o)) {
		target_release(t);
		memset(t, 0, sizeof *t);
		return -1;
	}
	for (int i = 0; i < o->files.size; i++)
		vec_push(&t->files, o->files.data[i]);
	vec_push(&t->files, NULL);
	for (int i = 0; i < o->env.size; i++)
		vec_push(&t->env_input, o->env.data[i]);
	vec_push(&t->env_input, NULL);
	t->options.argv = argv;
	t->options.program = t->variant.path;
	t->options.files = t->files.data;
	t->options.env_input = t->env_input.data;
	t->options.args_input = o->args;
	t->options.out = t->options.err = LAUNCH_NULL;
	if (t->name) {
		t->options.missing = target_more;
		t->options.missing_ctx = t;
	}
	if (o->by_clock)
		t->options.wall_seconds = o->time;
	else
		launch_limit(&t->options, o->time);
	t->options.memory_limit = o->mem_mb << 20;
	set_environment(t);
	return 0;
}

void target_replace(struct target *t, struct variant *v)
{
	variant_release(&t->variant);
	t->variant = *v;
	t->options.program = t->variant.path;
	free(t->library_path);
	t->library_path = NULL;
	t->options.env = NULL;
	set_environment(t);
}

/* The newest variant that there is, if it has the function; another process may have made it. 1: it has not, and *made is what it has. */
static int take_newest(struct target *t, struct launcher *l, uint64_t site, struct copies_list *made)
{
	struct copies_list one = {0};
	struct site_function f;
	struct variant v;
	if (!site_find_function(&t->sites, (uint32_t)(site >> 32), (uint32_t)site, &f) || variant_make_part(t->name, NULL, &v))
		return -1;
	copies_list_add(&one, f.unit, f.name);
	int lacks = v.copies == COPIES_PART && !copies_list_has(v.made, &one);
	copies_list_release(&one);
	if (lacks) {
		copies_list_join(made, v.made);
		variant_release(&v);
		return 1;
	}
	target_replace(t, &v);
	return launcher_set_program(l, t->options.program, t->options.env);
}

int target_more(void *target, struct launcher *l, uint64_t site)
{
	struct target *t = target;
	struct copies_list made = {0};
	struct variant v;
	if (t->variant.copies != COPIES_PART || deadline_over())
		return 1;
	copies_list_join(&made, t->variant.made);
	int r = copies_grow(&made, &t->sites, site); /* one that it has: the run wrote over the tables */
	copies_list_release(&made);
	if (r)
		return 1;
	r = take_newest(t, l, site, &made);
	if (r > 0) {
		copies_grow(&made, &t->sites, site);
		r = variant_make_part(t->name, &made, &v);
		if (r && !deadline_over()) /* all of it may be possible */
			r = variant_make(t->name, VARIANT_TRACE, &v);
		if (!r) {
			target_replace(t, &v);
			r = launcher_set_program(l, t->options.program, t->options.env);
		}
	}
	copies_list_release(&made);
	return r && deadline_over() ? 1 : r;
}

void target_release(struct target *t)
{
	free(t->name);
	variant_release(&t->variant);
	site_tables_release(&t->sites);
	if (t->options.shm)
		shm_release(&t->shm);
	free(t->library_path);
	vec_release(&t->files);
	vec_release(&t->env_input);
}

struct launch_input target_input(char *const *argv, const void *data, size_t size, const char *name)
{
	struct launch_input in = {.data = data, .size = size, .name = name, .present = 1};
	if (!target_has_path(argv)) { /* marked objects read the same bytes */
		in.memory = data;
		in.memory_size = size;
	}
	return in;
}

int target_started(const struct run_result *r)
{
	if (r->end == RUN_FAILED)
		return error_set("the program did not run: %s", r->message);
	if (r->counts.state == MUSTER_STATE_FAILED)
		return error_set("the runtime in the program could not start: %s", r->counts.message);
	return 0;
}
