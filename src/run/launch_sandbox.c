/* launch_sandbox.c: what a launcher asks of the sandbox, and what it tells the user about it.
 *
 * The paths on the board are absolute and without symbolic links, since they become places to mount at. What was refused is told
 * once for a command, however many processes it forks: the numbers are in memory that they share.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "run/launch_parts.h"
#include "run/sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DISK (1ull << 30) /* what a run may write into memory, if files have no limit of their own */

static struct {
	int off;
	const char *const *writable;
	int count;
} choice;

static struct told {
	uint64_t refused;
	uint32_t level, said, said_level;
} * told;

static struct told *common(void)
{
	static struct told alone;

	if (!told) {
		told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (told == MAP_FAILED)
			told = &alone;
	}
	return told;
}

void sandbox_choose(int on, const char *const *writable, int count)
{
	choice.off = !on;
	choice.writable = writable;
	choice.count = count;
	common();
}

enum sandbox_level sandbox_level(void)
{
	return (enum sandbox_level)common()->level;
}

uint64_t sandbox_refusals(void)
{
	return __atomic_load_n(&common()->refused, __ATOMIC_RELAXED);
}

/* ----------------------------------------------------------------- request */

static int add(struct keeper_sandbox *s, enum sandbox_path kind, const char *path)
{
	char *real = realpath(path, NULL);
	size_t n;

	if (!real)
		return kind == SANDBOX_WRITABLE ? error_errno("--writable '%s'", path) : 0;
	n = strlen(real);
	if (s->size + n + 2 > sizeof s->paths) {
		free(real);
		return error_set("the paths of the sandbox take more than %zu bytes", sizeof s->paths);
	}
	s->paths[s->size] = (char)kind;
	memcpy(s->paths + s->size + 1, real, n + 1);
	s->size += (uint32_t)n + 2;
	free(real);
	return 0;
}

int sandbox_request(struct launcher *l)
{
	struct keeper_sandbox *s = &l->link.board->sandbox;
	const char *tmp = getenv("TMPDIR");
	int e = 0;

	memset(s, 0, offsetof(struct keeper_sandbox, paths));
	s->want = !choice.off && !l->o.no_sandbox;
	if (!s->want)
		return 0;
	s->disk = l->o.file_limit ? l->o.file_limit : DISK;
	e |= add(s, SANDBOX_PROGRAM, l->program);
	e |= add(s, SANDBOX_DIRECTORY, l->o.directory ? l->o.directory : ".");
	e |= add(s, SANDBOX_TEMP, "/tmp");
	if (tmp && *tmp)
		e |= add(s, SANDBOX_TEMP, tmp);
	e |= add(s, SANDBOX_SCRATCH, l->base);
	for (int i = 0; i < choice.count; i++)
		e |= add(s, SANDBOX_WRITABLE, choice.writable[i]);
	for (const char *const *f = l->o.files; f && *f; f++) {
		char *path = l->o.directory ? file_join(l->o.directory, *f) : mem_strdup(*f);

		e |= add(s, SANDBOX_FILE, path);
		free(path);
	}
	return e ? -1 : 0;
}

/* --------------------------------------------------------------- directory */

int sandbox_make_temp(struct launcher *l)
{
	if (l->o.base)
		return 0;
	l->temp = file_join(l->base, "tmp");
	if (mkdir(l->temp, 01777) || chmod(l->temp, 01777))
		return error_errno("cannot make the directory '%s'", l->temp);
	return 0;
}

void sandbox_clear_temp(struct launcher *l)
{
	struct stat st;

	if (!l->temp || !l->link.board || !l->link.board->sandbox.own_tmpdir || stat(l->temp, &st) ||
	    (st.st_mtim.tv_sec == l->temp_time.tv_sec && st.st_mtim.tv_nsec == l->temp_time.tv_nsec))
		return;
	if (l->temp_time.tv_sec) {
		file_remove_tree(l->temp);
		if (mkdir(l->temp, 01777) || chmod(l->temp, 01777) || stat(l->temp, &st))
			return;
	}
	l->temp_time = st.st_mtim;
}

/* ------------------------------------------------------------------- words */

static int is_socket(int call)
{
	return call == SYS_socket || call == SYS_socketpair;
}

static void tell_refusal(const struct keeper_sandbox *s)
{
	if (s->path[0]) {
		char *dir = file_dir(s->path);

		log_warn("the program tried to change '%s', which the sandbox refuses; --writable '%s' allows it, "
			 "--sandbox off everything",
			 s->path, dir);
		free(dir);
	} else if (is_socket(s->call)) {
		log_warn("the program asked for a socket that leads out of the sandbox, which refuses it; --sandbox off allows it");
	} else {
		log_warn("the program tried to signal a process that is not its own, which the sandbox refuses; --sandbox "
			 "off allows it");
	}
}

static void tell_level(enum sandbox_level level)
{
	if (level == SANDBOX_FILTER)
		log_warn("this system has neither namespaces nor Landlock for muster: the sandbox looks at each call of the program "
			 "that writes, which a program made to deceive it can evade; run such programs elsewhere");
	else if (level == SANDBOX_NOTHING)
		log_warn("there is no sandbox here: this system has neither namespaces nor Landlock nor filters of system calls for "
			 "muster. The program can do whatever you can");
}

void sandbox_started(struct launcher *l)
{
	struct told *t = common();
	enum sandbox_level level = (enum sandbox_level)l->link.board->sandbox.level;

	t->level = level;
	l->refused = 0;
	if (!__atomic_exchange_n(&t->said_level, 1, __ATOMIC_RELAXED))
		tell_level(level);
}

void sandbox_after_run(struct launcher *l)
{
	const struct keeper_sandbox *s = &l->link.board->sandbox;
	struct told *t = common();

	if (s->refused == l->refused)
		return;
	__atomic_fetch_add(&t->refused, s->refused - l->refused, __ATOMIC_RELAXED);
	l->refused = s->refused;
	if (!__atomic_exchange_n(&t->said, 1, __ATOMIC_RELAXED))
		tell_refusal(s);
}
