/* launch_input.c: the input of one run: its bytes, the place where the target finds them, and what the tables say of
 * it.
 *
 * The input is always a copy: a target may delete, rename or overwrite what it
 * is given, and the user's own file must not change. The copy is as new for
 * each run, so a run finds the same state whatever the one before did to it; writing over the
 * old file is enough where nothing happened to it.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "run/launch_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void input_remove(struct launcher *l)
{
	if (!l->uses_path)
		return;
	if (l->file >= 0)
		close(l->file);
	l->file = -1;
	/* Usually the file is all there is; a target may have put others beside it. */
	if (l->path)
		unlink(l->path);
	if (l->dir && rmdir(l->dir) && errno != ENOENT)
		file_remove_tree(l->dir);
}

int input_load(const struct launcher *l, const struct launch_input *in, struct bytes *b)
{
	uint64_t limit = l->o.shm ? l->o.shm->options.input_limit : UINT64_MAX;
	struct stat st;

	memset(b, 0, sizeof *b);
	b->data = in->data;
	b->size = in->size;
	b->present = in->present || in->data || in->path;
	if (in->path) {
		if (stat(in->path, &st))
			return errno == ENOENT
				   ? error_set("there is no input file '%s'", in->path)
				   : error_errno("cannot read the input '%s'", in->path);
		if (S_ISDIR(st.st_mode))
			return error_set("the input '%s' is a directory; give one file", in->path);
		if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > limit)
			return error_set("the input '%s' has %llu bytes, and symbolic input is "
					 "limited to %llu; use a smaller "
					 "input or raise the limit",
					 in->path, (unsigned long long)st.st_size,
					 (unsigned long long)limit);
		if (file_read_limited(in->path, limit, &b->own))
			return -1;
		b->data = b->own.data;
		b->size = b->own.size;
	}
	if (b->size > limit)
		return error_set("the input has %zu bytes, and symbolic input is limited to %llu; "
				 "use a smaller input or raise "
				 "the limit",
				 b->size, (unsigned long long)limit);
	return 0;
}

/* ".gif" of "x/a.gif"; "" where there is none or a strange one. */
static void extension_of(const char *name, char out[16])
{
	const char *dot = name ? strrchr(file_base(name), '.') : NULL;

	out[0] = 0;
	if (dot && dot != file_base(name) && strlen(dot) < 16)
		snprintf(out, 16, "%s", dot);
}

/* The directory's time as no change leaves it: a target that puts something there is noticed. */
static const struct timespec untouched = {1, 0};

/* The file of the run before can be used again if nothing happened to it and to its directory but
 * that its contents changed: it is then written over, which takes a third of the time. */
static int input_again(struct launcher *l, const struct bytes *b)
{
	struct stat dir, file;

	if (l->file < 0 || stat(l->dir, &dir) || fstat(l->file, &file) ||
	    dir.st_mtim.tv_sec != untouched.tv_sec || dir.st_mtim.tv_nsec != untouched.tv_nsec ||
	    dir.st_ino != l->dir_inode || (dir.st_mode & 07777) != l->dir_mode ||
	    (file.st_mode & 07777) != l->file_mode || file.st_nlink != 1)
		return -1;
	if ((uint64_t)file.st_size > b->size && ftruncate(l->file, (off_t)b->size))
		return -1;
	return b->size && pwrite(l->file, b->data, b->size, 0) != (ssize_t)b->size ? -1 : 0;
}

/* From here on input_again may be used. */
static void input_stays(struct launcher *l, int fd)
{
	struct timespec times[2] = {untouched, untouched};
	struct stat dir, file;

	if (!l->o.server || utimensat(AT_FDCWD, l->dir, times, 0) || stat(l->dir, &dir) || fstat(fd, &file)) {
		close(fd);
		return;
	}
	l->file = fd;
	l->dir_inode = dir.st_ino;
	l->dir_mode = dir.st_mode & 07777;
	l->file_mode = file.st_mode & 07777;
}

static int input_file(struct launcher *l, const struct launch_input *in, const struct bytes *b)
{
	char extension[16];
	int fd, e;

	if (!input_again(l, b))
		return 0;
	input_remove(l);
	if (!l->path || !l->o.server) { /* a server's arguments stay */
		extension_of(in->path ? in->path : in->name, extension);
		free(l->path);
		l->path = mem_printf("%s/input%s", l->dir, extension);
	}
	if (mkdir(l->dir, 0777))
		return error_errno("cannot make the directory '%s' for the input", l->dir);
	/* Whoever the target is: files beside the input, and the input itself, can be written. */
	if (l->link.board->sandbox.uid && chmod(l->dir, 0777))
		return error_errno("cannot open the directory '%s' to the target", l->dir);
	fd = open(l->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return error_errno("cannot write the input to '%s'", l->path);
	if (l->link.board->sandbox.uid && fchmod(fd, 0666))
		log_info("the target cannot write to its input '%s'", l->path);
	e = file_write_all(fd, b->data, b->size);
	if (e) {
		close(fd);
		return error_wrap("the input's copy '%s'", l->path);
	}
	input_stays(l, fd);
	return 0;
}

static int input_stdin(struct launcher *l, const struct bytes *b)
{
	size_t size = b ? b->size : 0;

	/* The target has a description of its own, and a position of its own. */
	if ((size_t)lseek(l->in, 0, SEEK_END) != size && ftruncate(l->in, (off_t)size))
		return error_errno("cannot write the target's standard input");
	if (!size || pwrite(l->in, b->data, size, 0) == (ssize_t)size)
		return 0;
	return lseek(l->in, 0, SEEK_SET) ? error_errno("cannot write the target's standard input")
					 : file_write_all(l->in, b->data, size);
}

int input_place(struct launcher *l, const struct launch_input *in, const struct bytes *b)
{
	int to_file = l->o.to == LAUNCH_AUTO && l->uses_path,
	    to_stdin = !to_file && l->o.to != LAUNCH_MEMORY;

	if (l->uses_path && !to_file)
		return error_set(
		    "@@ stands for the input's file, but the input goes elsewhere; leave @@ out");
	if (to_file && !b->present)
		return error_set("@@ stands for the input's file, but there is no input; give one, "
				 "or leave @@ out");
	if (to_file && input_file(l, in, b))
		return -1;
	return input_stdin(l, to_stdin && b->present ? b : NULL);
}

/* ------------------------------------------------------------- sources */

static const char *variable_value(const struct launch_options *o, const char *name)
{
	size_t n = strlen(name);

	for (const char *const *e = o->env; e && *e; e++)
		if (!strncmp(*e, name, n) && (*e)[n] == '=')
			return *e + n + 1;
	return getenv(name);
}

static int add_others(struct launcher *l, char *const *argv)
{
	struct shm *s = l->o.shm;

	for (const char *const *f = l->o.files; f && *f; f++) {
		char *path = l->o.directory ? file_join(l->o.directory, *f) : mem_strdup(*f);
		int e = shm_add_file(s, file_base(*f), path);

		free(path);
		if (e < 0)
			return -1;
	}
	for (unsigned i = 1; l->o.args_input && argv[0] && argv[i]; i++)
		if (!strstr(argv[i], "@@") && shm_add_arg(s, i, argv[i]) < 0)
			return -1;
	for (const char *const *e = l->o.env_input; e && *e; e++) {
		const char *value = variable_value(&l->o, *e);

		if (!value)
			return error_set("the environment has no variable '%s' to be input", *e);
		if (shm_add_env(s, *e, value) < 0)
			return -1;
	}
	return 0;
}

int input_describe(struct launcher *l, const struct launch_input *in, const struct bytes *b,
		    char *const *argv)
{
	struct shm *s = l->o.shm;
	int objects = -1, e = 0;

	shm_reset(s, (l->o.server ? MUSTER_FLAG_FORKSERVER : 0u) |
			 (l->o.args_input ? MUSTER_FLAG_ARGS : 0u));
	if (b->present && l->o.to == LAUNCH_MEMORY)
		e = objects = shm_add_memory(s, "in", b->data, b->size);
	else if (b->present && l->uses_path)
		e = shm_add_file(s, "in", l->path);
	else if (b->present)
		e = shm_add_fd(s, "in", l->in);
	if (e < 0 || add_others(l, argv))
		return -1;
	if (objects < 0)
		objects = shm_add_memory(s, "objects", in->memory, in->memory_size);
	if (objects < 0)
		return -1;
	shm_set_object_source(s, objects);
	return 0;
}
