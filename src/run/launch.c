/* launch.c: one run of a target, from input bytes to result.
 *
 * A run: place the input (a private file for @@, or the memfd that is the
 * target's standard input), describe it in the shared mapping, write the job on
 * the keeper's board, wait while reading what the target prints, take the reply.
 *
 * The input is always a copy: a target may delete, rename or overwrite what it
 * is given, and the user's own file must not change. The copy is made anew for
 * each run, so a run finds the same state whatever the one before did to it.
 *
 * Nothing a target does can make this wait forever: the keeper enforces the
 * limits, and a keeper that does not answer in time is itself ended, together
 * with all that was below it.
 */
#include "run/launch.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "run/link.h"
#include "run/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MEMORY_FREE (512ull << 20) /* room that must be in memory files for inputs to go there */
#define GRACE_SECONDS 30	   /* for a keeper to end a run that is over its limit */

struct stream {
	int read, write; /* of the pipe, when captured; write is also what the keeper gets */
	struct buf text;
	int cut;
};

struct launcher {
	struct launch_options o;
	char *program; /* absolute */
	int uses_path; /* an argument contains @@ */
	struct link link;
	int in; /* memfd: standard input */
	struct stream out, err;
	char *base;	  /* a directory of this launcher */
	char *dir, *path; /* the input's directory in it, as new for each run, and file */
	int file;	  /* the input, if it stays from run to run; -1: not */
	ino_t dir_inode;
	mode_t dir_mode, file_mode;
	struct buf blob;  /* the job's strings of the last run */
	char *const *blob_argv; /* the arguments in them, if they are the launcher's own */
	uint32_t config;
	unsigned servers_before; /* started by keepers that are gone */
};

/* ------------------------------------------------------------- set-up */

static int stream_open(struct stream *s, enum launch_output to, int inherited)
{
	int ends[2];

	s->read = s->write = -1;
	if (to == LAUNCH_CAPTURE) {
		if (pipe2(ends, O_CLOEXEC))
			return error_errno("cannot make a pipe");
		s->read = ends[0];
		s->write = ends[1];
		fcntl(s->read, F_SETFL, O_NONBLOCK);
		fcntl(s->read, F_SETPIPE_SZ, 1 << 20);
		return 0;
	}
	if (to == LAUNCH_INHERIT)
		s->write = fcntl(inherited, F_DUPFD_CLOEXEC, 3);
	if (s->write < 0)
		s->write = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return s->write < 0 ? error_errno("cannot open /dev/null") : 0;
}

static void stream_close(struct stream *s)
{
	if (s->read >= 0)
		close(s->read);
	if (s->write >= 0)
		close(s->write);
	buf_release(&s->text);
}

/* Reads what is there; what is beyond the limit is read and dropped, so that the target never
 * waits. */
static void stream_drain(struct stream *s, size_t limit)
{
	char chunk[65536];
	ssize_t n;

	while (s->read >= 0 && (n = read(s->read, chunk, sizeof chunk)) > 0) {
		size_t room = limit - s->text.size, take = (size_t)n < room ? (size_t)n : room;

		buf_add(&s->text, chunk, take);
		if (take < (size_t)n)
			s->cut = 1;
	}
}

static int keeper_start(struct launcher *l)
{
	int fds[4] = {l->in, l->out.write, l->err.write, l->o.shm ? l->o.shm->fd : -1};
	const char *temp = file_temp_dir();

	if (!temp)
		return -1;
	snprintf(l->link.board->temp_dir[0], sizeof l->link.board->temp_dir[0], "%s", temp);
	snprintf(l->link.board->temp_dir[1], sizeof l->link.board->temp_dir[1], "%s", l->base);
	return link_start(&l->link, fds);
}

/* In memory where possible: making and removing a file on a disk can take longer
 * than the run. TMPDIR, if set, is where the user wants such files. The target
 * may be somebody else by the time it opens its input, so others may pass. */
static int make_base(struct launcher *l)
{
	static const char memory[] = "/dev/shm";
	struct statvfs v;
	const char *chosen = getenv("TMPDIR");

	if (l->o.base) {
		l->base = mem_strdup(l->o.base);
		l->dir = file_join(l->base, "run");
		return 0;
	}

	if ((!chosen || !*chosen) && !access(memory, W_OK) && !statvfs(memory, &v) &&
	    (uint64_t)v.f_bavail * v.f_bsize > MEMORY_FREE) {
		l->base = mem_printf("%s/muster-XXXXXX", memory);
	} else {
		chosen = file_temp_dir();
		if (!chosen)
			return -1;
		l->base = mem_printf("%s/run-XXXXXX", chosen);
	}
	if (!mkdtemp(l->base))
		return error_errno("cannot make a directory for inputs, '%s'", l->base);
	chmod(l->base, 0711);
	l->dir = file_join(l->base, "run");
	return 0;
}

static int open_all(struct launcher *l)
{
	char *found;

	found = program_find(l->o.program ? l->o.program : l->o.argv[0]);
	if (!found)
		return -1;
	l->program = file_absolute(found);
	free(found);
	if (program_check(l->program))
		return -1;
	if (l->o.directory && !file_is_dir(l->o.directory))
		return error_set("there is no directory '%s' to run the program in",
				 l->o.directory);
	for (char *const *a = l->o.argv; *a; a++)
		if (strstr(*a, "@@"))
			l->uses_path = 1;
	l->in = memfd_create("stdin", MFD_CLOEXEC);
	if (l->in < 0)
		return error_errno("cannot make the target's standard input");
	if (stream_open(&l->out, l->o.out, 1) || stream_open(&l->err, l->o.err, 2))
		return -1;
	if (make_base(l) || link_init(&l->link, l->o.no_namespace))
		return -1;
	return keeper_start(l);
}

struct launcher *launcher_new(const struct launch_options *options)
{
	struct launcher *l = mem_zalloc(sizeof *l);

	l->o = *options;
	l->file = l->in = l->out.read = l->out.write = l->err.read = l->err.write = -1;
	l->link.board_fd = l->link.socket = -1;
	if (!l->o.argv || !l->o.argv[0]) {
		error_set("no program is given");
	} else if (!open_all(l)) {
		return l;
	}
	launcher_free(l);
	return NULL;
}

static void remove_input(struct launcher *l)
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

void launcher_free(struct launcher *l)
{
	if (!l)
		return;
	link_release(&l->link);
	remove_input(l);
	if (l->base && !l->o.base && rmdir(l->base))
		file_remove_tree(l->base);
	stream_close(&l->out);
	stream_close(&l->err);
	if (l->in >= 0)
		close(l->in);
	buf_release(&l->blob);
	free(l->program);
	free(l->base);
	free(l->dir);
	free(l->path);
	free(l);
}

/* -------------------------------------------------------------- input */

struct bytes {
	const void *data;
	size_t size;
	int present;
	struct buf own; /* when read from a file */
};

static int input_load(const struct launcher *l, const struct launch_input *in, struct bytes *b)
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
	remove_input(l);
	if (!l->path || !l->o.server) { /* a server's arguments stay */
		extension_of(in->path ? in->path : in->name, extension);
		free(l->path);
		l->path = mem_printf("%s/input%s", l->dir, extension);
	}
	if (mkdir(l->dir, 0777))
		return error_errno("cannot make the directory '%s' for the input", l->dir);
	fd = open(l->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return error_errno("cannot write the input to '%s'", l->path);
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

static int input_place(struct launcher *l, const struct launch_input *in, const struct bytes *b)
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

static int describe(struct launcher *l, const struct launch_input *in, const struct bytes *b,
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

/* ----------------------------------------------------------------- job */

static void add_string(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s) + 1);
}

static void add_argument(struct buf *b, const char *a, const char *path)
{
	const char *at;

	for (; path && (at = strstr(a, "@@")); a = at + 2) {
		buf_add(b, a, (size_t)(at - a));
		buf_adds(b, path);
	}
	add_string(b, a);
}

static int same_name(const char *variable, const char *change)
{
	size_t n = strcspn(change, "=");

	return !strncmp(variable, change, n) && variable[n] == '=';
}

static uint32_t add_environment(struct buf *b, const char *const *changes)
{
	extern char **environ;
	uint32_t n = 0;

	for (char **v = environ; *v; v++) {
		int keep = !same_name(*v, MUSTER_FD_ENV);

		for (const char *const *c = changes; c && *c && keep; c++)
			keep = !same_name(*v, *c);
		if (keep) {
			add_string(b, *v);
			n++;
		}
	}
	for (const char *const *c = changes; c && *c; c++)
		if (strchr(*c, '=')) {
			add_string(b, *c);
			n++;
		}
	return n;
}

/* The job's strings. Those of a server stay as they are while the arguments do. */
static int write_strings(struct launcher *l, char *const *argv)
{
	struct keeper_job *j = &l->link.board->job;
	struct buf b = BUF_EMPTY;

	if (l->o.server && l->blob_argv == argv && l->blob.size)
		return 0;
	j->argc = 0;
	add_string(&b, l->program);
	add_string(&b, l->o.directory ? l->o.directory : "");
	for (; argv[j->argc]; j->argc++)
		add_argument(&b, argv[j->argc], l->uses_path ? l->path : NULL);
	j->envc = add_environment(&b, l->o.env);
	if (b.size > KEEPER_BLOB) {
		buf_release(&b);
		return error_set("arguments and environment have more than %u bytes", KEEPER_BLOB);
	}
	if (b.size != l->blob.size || memcmp(b.data, l->blob.data, b.size)) {
		buf_release(&l->blob);
		l->blob = b;
		l->config++;
	} else {
		buf_release(&b);
	}
	memcpy(l->link.board->blob, l->blob.data, l->blob.size);
	j->blob_size = (uint32_t)l->blob.size;
	/* An argument list of one run may be another's place later. */
	l->blob_argv = argv == l->o.argv ? argv : NULL;
	return 0;
}

static int write_job(struct launcher *l, const struct launch_input *in, char *const *argv)
{
	struct keeper_job *j = &l->link.board->job;

	if (write_strings(l, argv))
		return -1;
	j->config = l->config;
	j->server = (uint32_t)l->o.server;
	j->bind_now = (uint32_t)l->o.bind_now;
	j->wall_ns = in->untimed ? 0 : (uint64_t)(l->o.wall_seconds * 1e9);
	j->cpu_ns = in->untimed ? 0 : (uint64_t)(l->o.cpu_seconds * 1e9);
	j->cpu = (uint32_t)l->o.cpu;
	j->end_offset = in->end_offset;
	j->memory = l->o.memory_limit;
	j->file_size = l->o.file_limit;
	j->processes = l->o.process_limit;
	return 0;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Reads output until the keeper has replied. -1: it is gone or silent. */
static int wait_reply(struct launcher *l)
{
	double limit = l->o.wall_seconds > 0 ? seconds() + l->o.wall_seconds + GRACE_SECONDS : 0;

	for (;;) {
		struct pollfd p[3] = {{l->link.socket, POLLIN, 0},
				      {l->out.read, POLLIN, 0},
				      {l->err.read, POLLIN, 0}};
		int n = poll(p, 3, 1000);

		if (n < 0 && errno != EINTR)
			return -1;
		if (!n) /* a target without a namespace could have stopped the keeper */
			kill(l->link.pid, SIGCONT);
		if (limit && seconds() > limit)
			return -1;
		stream_drain(&l->out, l->o.output_limit);
		stream_drain(&l->err, l->o.output_limit);
		if (p[0].revents) {
			enum link_event e = link_read(&l->link);

			if (e == LINK_LOST)
				return -1;
			if (e == LINK_DONE)
				break;
		}
	}
	stream_drain(&l->out, l->o.output_limit);
	stream_drain(&l->err, l->o.output_limit);
	return 0;
}

/* -------------------------------------------------------------- result */

static void failed(struct run_result *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void failed(struct run_result *r, const char *fmt, ...)
{
	va_list ap;

	r->end = RUN_FAILED;
	va_start(ap, fmt);
	vsnprintf(r->message, sizeof r->message, fmt, ap);
	va_end(ap);
}

static void take_status(struct run_result *r, int status)
{
	if (WIFSIGNALED(status)) {
		r->end = RUN_SIGNAL;
		r->signal = WTERMSIG(status);
	} else {
		r->end = RUN_EXIT;
		r->code = WEXITSTATUS(status);
	}
}

static void no_start(const struct launcher *l, const struct keeper_reply *k, struct run_result *r)
{
	switch (k->step) {
	case STEP_FORK:
		failed(r,
		       "cannot make a process for the target: %s; too many processes (ulimit -u)?",
		       strerror(k->error));
		break;
	case STEP_DESCRIPTORS:
		failed(r,
		       "cannot set up the target's descriptors: %s; is /proc mounted, is `ulimit "
		       "-n` below 256?",
		       strerror(k->error));
		break;
	case STEP_DIRECTORY:
		failed(r, "cannot enter the directory '%s': %s", l->o.directory,
		       strerror(k->error));
		break;
	case STEP_EXEC:
		failed(r, "cannot execute '%s': %s%s", l->program, strerror(k->error),
		       k->error == E2BIG ? "; arguments and environment are too large" : "");
		break;
	default:
		failed(
		    r,
		    "the target's parent process was killed before the target started; try again");
	}
}

static void take_reply(const struct launcher *l, const struct keeper_reply *k, struct run_result *r)
{
	static const enum run_end ends[] = {
	    [KEPT_TIME] = RUN_TIME,
	    [KEPT_MEMORY] = RUN_MEMORY,
	    [KEPT_PROCESSES] = RUN_PROCESSES,
	    [KEPT_STOPPED] = RUN_STOPPED,
	};

	r->wall_seconds = (double)k->wall_ns * 1e-9;
	r->user_seconds = (double)k->served.user_us * 1e-6;
	r->system_seconds = (double)k->served.system_us * 1e-6;
	r->peak_kib = k->served.peak_kib;
	r->faults = k->served.faults;
	r->left = k->left;
	r->killed_parent = k->killed_parent != 0;
	take_status(r, k->served.status);
	switch ((enum keeper_verdict)k->verdict) {
	case KEPT_ENDED:
		break;
	case KEPT_NO_START:
		no_start(l, k, r);
		break;
	case KEPT_NO_SERVER:
		if (r->end == RUN_EXIT)
			failed(r,
			       "the program ended (exit code %d) before its fork server started: "
			       "it is no variant made by "
			       "muster, or a shared library is missing (try: ldd %s)",
			       r->code, l->program);
		break;
	default:
		r->end = ends[k->verdict];
	}
}

/* What the runtime said, where the target was to have one. */
static void take_counts(struct launcher *l, struct run_result *r)
{
	shm_counts(l->o.shm, &r->counts);
	if (r->counts.state == MUSTER_STATE_FAILED && r->counts.message[0])
		failed(r, "%s", r->counts.message);
	else if (r->counts.state == MUSTER_STATE_NEW && r->end == RUN_EXIT &&
		 r->counts.nodes == 1 && !r->counts.scribbled)
		failed(r,
		       "the program ended (exit code %d) before its runtime started: it is no "
		       "variant made by muster, or a "
		       "shared library is missing (try: ldd %s)",
		       r->code, l->program);
}

int launcher_begin(struct launcher *l, const struct launch_input *in)
{
	static const struct launch_input nothing;
	char *const *argv;
	struct bytes b;
	int e;

	if (!in)
		in = &nothing;
	argv = in->argv ? in->argv : l->o.argv;
	e = input_load(l, in, &b) || input_place(l, in, &b) ||
	    (l->o.shm && describe(l, in, &b, argv)) || write_job(l, in, argv);
	buf_release(&b.own);
	if (e)
		return -1;
	buf_clear(&l->out.text);
	buf_clear(&l->err.text);
	l->out.cut = l->err.cut = 0;
	if (l->o.out == LAUNCH_CAPTURE) /* the run before may have changed it */
		fcntl(l->out.write, F_SETFL, 0);
	if (l->o.err == LAUNCH_CAPTURE)
		fcntl(l->err.write, F_SETFL, 0);
	if (link_ask(&l->link)) {
		l->servers_before += l->link.board->reply.servers;
		link_lost(&l->link);
		if (keeper_start(l) || link_ask(&l->link))
			return error_wrap(
			    "the process that watches targets died and cannot be started again");
	}
	return 0;
}

void launcher_stop(struct launcher *l)
{
	link_stop(&l->link);
}

int launcher_over(struct launcher *l)
{
	struct pollfd p = {l->link.socket, POLLIN, 0};

	return poll(&p, 1, 0) != 0;
}

void launcher_end(struct launcher *l, struct run_result *r)
{
	memset(r, 0, sizeof *r);
	if (wait_reply(l)) {
		l->servers_before += l->link.board->reply.servers;
		link_lost(&l->link);
		failed(r, "the process that watches the target was killed, by the target or for "
			  "lack of memory; the target was "
			  "stopped");
	} else {
		take_reply(l, &l->link.board->reply, r);
	}
	if (l->o.shm)
		take_counts(l, r);
	if (l->file < 0)
		remove_input(l);
	r->out = l->out.text;
	r->err = l->err.text;
	r->out_cut = l->out.cut;
	r->err_cut = l->err.cut;
}

int launcher_run(struct launcher *l, const struct launch_input *in, struct run_result *r)
{
	memset(r, 0, sizeof *r);
	if (launcher_begin(l, in))
		return -1;
	launcher_end(l, r);
	return 0;
}

void launcher_set_cpu(struct launcher *l, int cpu)
{
	l->o.cpu = cpu;
}

const char *launcher_base(const struct launcher *l)
{
	return l->base;
}

const char *launcher_input_path(const struct launcher *l)
{
	return l->uses_path ? l->path : NULL;
}

unsigned launcher_restarts(const struct launcher *l)
{
	unsigned keepers = l->link.starts > 1 ? l->link.starts - 1 : 0;
	unsigned servers = l->servers_before + (l->link.board ? l->link.board->reply.servers : 0);

	return keepers + (servers > 1 ? servers - 1 : 0);
}

int launcher_namespace(const struct launcher *l)
{
	return l->link.board && l->link.board->is_namespace;
}

const char *run_end_key(enum run_end e)
{
	static const char *const keys[] = {
#define X(name, key) key,
	    RUN_ENDS(X)
#undef X
	};

	return keys[e];
}

void run_result_words(const struct run_result *r, char *out, size_t size)
{
	const char *abbreviation = sigabbrev_np(r->signal);

	switch (r->end) {
	case RUN_EXIT:
		snprintf(out, size, "exited with code %d", r->code);
		break;
	case RUN_SIGNAL:
		snprintf(out, size, "killed by signal %d (%s%s)%s", r->signal,
			 abbreviation ? "SIG" : "", abbreviation ? abbreviation : "real-time",
			 r->killed_parent && r->signal == SIGKILL
			     ? ", after it killed its parent process"
			     : "");
		break;
	case RUN_TIME:
		snprintf(out, size, "stopped at the time limit");
		break;
	case RUN_MEMORY:
		snprintf(out, size, "stopped at the memory limit");
		break;
	case RUN_PROCESSES:
		snprintf(out, size, "stopped because it made too many processes");
		break;
	case RUN_STOPPED:
		snprintf(out, size, "stopped itself and was killed");
		break;
	case RUN_FAILED:
		snprintf(out, size, "did not run: %s", r->message);
		break;
	}
}
