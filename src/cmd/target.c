/* target.c: from the program that the user named to options a launcher can run.
 *
 * Makes the variant, reads its site tables (those of the project's shared libraries too), maps the
 * tables that its runtime writes, and lets the loader find variants of libraries before the
 * originals.
 */
#include "cmd/target.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/stop.h"
#include "run/program.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *target_program(const char *name)
{
	if (strchr(name, '/') || file_exists(name))
		return mem_strdup(name);
	char *found = program_find(name);
	if (!found)
		stop_give_up(error_text());
	return found;
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

static void make_variant(struct target *t, const char *program)
{
	double start = clock_seconds();
	if (t->kind != TARGET_PLAIN) {
		if (variant_make(program, (enum variant_kind)t->kind, &t->variant))
			stop_give_up(error_text());
	} else {
		if (file_is_c(program))
			die(EXIT_USAGE,
			    "'%s' is source code: build it to run it as it is, or name a variant",
			    program);
		t->variant.path = file_absolute(program);
	}
	t->seconds = clock_seconds() - start;
}

/* The tables of a variant with a runtime: the san variant and the program itself have none. */
static void make_tables(struct target *t, const struct target_options *o)
{
	struct shm_options sizes = o->shm;
	if (t->kind == TARGET_PLAIN || t->kind == VARIANT_SAN)
		return;
	add_sites(t);
	if (t->kind == VARIANT_TRACE_ALL)
		sizes.flags |= MUSTER_FLAG_PATH;
	if (shm_init(&t->shm, &sizes))
		stop_give_up(error_text());
	t->options.shm = &t->shm;
}

static void set_environment(struct target *t)
{
	const char *old = getenv("LD_LIBRARY_PATH");
	int count = 0;
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

void target_make(struct target *t, const char *program, char *const *argv, int kind,
		 const struct target_options *o)
{
	memset(t, 0, sizeof *t);
	t->kind = kind;
	make_variant(t, program);
	t->options = (struct launch_options)LAUNCH_DEFAULTS;
	make_tables(t, o);
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
	if (o->by_clock)
		t->options.wall_seconds = o->time;
	else
		launch_limit(&t->options, o->time);
	t->options.memory_limit = o->mem_mb << 20;
	set_environment(t);
}

void target_release(struct target *t)
{
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

void target_check_started(const struct run_result *r)
{
	if (r->end == RUN_FAILED)
		die(EXIT_USAGE, "the program did not run: %s", r->message);
	if (r->counts.state == MUSTER_STATE_FAILED)
		die(EXIT_USAGE, "the runtime in the program could not start: %s",
		    r->counts.message);
}
