/* launch.c: one run of a target, from input bytes to result.
 *
 * A run: place the input (a private file for @@, or the memfd that is the
 * target's standard input), describe it in the shared mapping, write the job on
 * the keeper's board, wait while reading what the target prints, take the reply.
 *
 * launch_input.c places and describes the input, launch_result.c reads the reply.
 *
 * Nothing a target does can make this wait forever: the keeper enforces the
 * limits, and a keeper that does not answer in time is itself ended, together
 * with all that was below it. At the command's deadline the run is ended, whatever
 * its limits.
 */
#include "run/launch_parts.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "run/program.h"
#include "run/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
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
#define CUT_SECONDS 0.2		   /* the same when the command's time is over */
#define STARVED_SECONDS 3 /* and */
#define STARVED 10 /* times the time of a run: by then even a busy machine should have found it */

/* ------------------------------------------------------------- set-up */

static int stream_open(struct stream *s, enum launch_output to, int inherited)
{
	int ends[2];

	s->read = s->write = s->onward = -1;
	/* A file that the user's shell opened would be writable whatever the sandbox says: it gets a copy. */
	if (to == LAUNCH_INHERIT)
		s->onward = fcntl(inherited, F_DUPFD_CLOEXEC, 3);
	if (to == LAUNCH_CAPTURE || s->onward >= 0) {
		if (pipe2(ends, O_CLOEXEC))
			return error_errno("cannot make a pipe");
		s->read = ends[0];
		s->write = ends[1];
		/* In the sandbox root's targets are somebody else, who may open /dev/stdout. */
		if (!geteuid() && fchown(s->write, SANDBOX_UID, SANDBOX_UID))
			errno = 0;
		fcntl(s->read, F_SETFL, O_NONBLOCK);
		fcntl(s->read, F_SETPIPE_SZ, 1 << 20);
		return 0;
	}
	s->write = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return s->write < 0 ? error_errno("cannot open /dev/null") : 0;
}

static void stream_close(struct stream *s)
{
	if (s->read >= 0)
		close(s->read);
	if (s->write >= 0)
		close(s->write);
	if (s->onward >= 0)
		close(s->onward);
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

		if (s->onward >= 0) {
			(void)file_write_all(s->onward, chunk, (size_t)n);
			continue;
		}
		buf_add(&s->text, chunk, take);
		if (take < (size_t)n)
			s->cut = 1;
	}
}

static int keeper_start(struct launcher *l)
{
	int fds[LINK_FDS] = {l->in, l->out.write, l->err.write, l->o.shm ? l->o.shm->fd : -1, l->report.write};
	const char *temp = file_temp_dir();

	if (!temp)
		return -1;
	snprintf(l->link.board->temp_dir[0], sizeof l->link.board->temp_dir[0], "%s", temp);
	snprintf(l->link.board->temp_dir[1], sizeof l->link.board->temp_dir[1], "%s", l->base);
	if (sandbox_request(l) || link_start(&l->link, fds))
		return -1;
	sandbox_started(l);
	return 0;
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
	file_temp_add(l->base);
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
	if (l->o.report && stream_open(&l->report, LAUNCH_CAPTURE, -1))
		return -1;
	if (make_base(l) || sandbox_make_temp(l) || link_init(&l->link, l->o.no_namespace))
		return -1;
	return keeper_start(l);
}

struct launcher *launcher_new(const struct launch_options *options)
{
	struct launcher *l = mem_zalloc(sizeof *l);

	l->o = *options;
	l->file = l->in = l->out.read = l->out.write = l->err.read = l->err.write = l->out.onward = l->err.onward = -1;
	l->report.read = l->report.write = l->report.onward = -1;
	l->link.board_fd = l->link.socket = -1;
	if (!l->o.argv || !l->o.argv[0]) {
		error_set("no program is given");
	} else if (!open_all(l)) {
		return l;
	}
	launcher_free(l);
	return NULL;
}

void launcher_free(struct launcher *l)
{
	if (!l)
		return;
	link_release(&l->link);
	input_remove(l);
	if (l->temp)
		rmdir(l->temp);
	if (l->base && !l->o.base) {
		if (rmdir(l->base))
			file_remove_tree(l->base);
		file_temp_done(l->base);
	}
	stream_close(&l->out);
	stream_close(&l->err);
	stream_close(&l->report);
	if (l->in >= 0)
		close(l->in);
	buf_release(&l->blob);
	free(l->program);
	free(l->base);
	free(l->dir);
	free(l->path);
	free(l->temp);
	free(l);
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
		int keep = !same_name(*v, MUSTER_FD_ENV) && !same_name(*v, MUSTER_REPORT_ENV);

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

/* By its name: what is mounted there is seen only by those who enter it anew. */
static void add_directory(const struct launcher *l, struct buf *b)
{
	char *real = l->link.board->sandbox.want ? realpath(l->o.directory ? l->o.directory : ".", NULL) : NULL;

	add_string(b, real ? real : l->o.directory ? l->o.directory : "");
	free(real);
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
	add_directory(l, &b);
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
	j->idle_ns = in->untimed ? 0 : (uint64_t)(l->o.idle_seconds * 1e9);
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
	int cut = 0;

	for (;;) {
		struct pollfd p[4] = {{l->link.socket, POLLIN, 0},
				      {l->out.read, POLLIN, 0},
				      {l->err.read, POLLIN, 0},
				      {l->report.read, POLLIN, 0}};
		int n = poll(p, 4, deadline_ms(1000));

		if (n < 0 && errno != EINTR)
			return -1;
		if (!cut && deadline_cut()) {
			link_stop(&l->link, KEEPER_STOP_CUT);
			limit = seconds() + CUT_SECONDS;
			cut = 1;
		}
		if (!n) /* a target without a namespace could have stopped the keeper */
			kill(l->link.pid, SIGCONT);
		if (limit && seconds() > limit)
			return -1;
		stream_drain(&l->out, l->o.output_limit);
		stream_drain(&l->err, l->o.output_limit);
		stream_drain(&l->report, l->o.output_limit);
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
	stream_drain(&l->report, l->o.output_limit);
	return 0;
}

/* The last run changed files that the sandbox cannot make as they were, or it is to see others. */
static int renew_keeper(struct launcher *l)
{
	l->servers_before += l->link.board->reply.servers;
	l->link.board->reply.used_up = 0;
	l->renewals++;
	link_quit(&l->link);
	return keeper_start(l);
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
	    (l->o.shm && input_describe(l, in, &b, argv)) || write_job(l, in, argv);
	buf_release(&b.own);
	if (e)
		return -1;
	buf_clear(&l->out.text);
	buf_clear(&l->err.text);
	buf_clear(&l->report.text);
	l->out.cut = l->err.cut = 0;
	if (l->out.read >= 0) /* the run before may have changed it */
		fcntl(l->out.write, F_SETFL, 0);
	if (l->err.read >= 0)
		fcntl(l->err.write, F_SETFL, 0);
	if (l->link.board->reply.used_up && renew_keeper(l))
		return -1;
	if (link_ask(&l->link)) {
		l->servers_before += l->link.board->reply.servers;
		link_lost(&l->link);
		if (keeper_start(l) || link_ask(&l->link))
			return error_wrap(
			    "the process that watches targets died and cannot be started again");
	}
	return 0;
}

void launcher_stop(struct launcher *l, enum run_end why)
{
	link_stop(&l->link, why == RUN_TIME	? KEEPER_STOP_TIME
			    : why == RUN_WAITING ? KEEPER_STOP_WAITING
						 : KEEPER_STOP_CUT);
}

void launcher_usage(const struct launcher *l, uint64_t *cpu, uint64_t *idle)
{
	*cpu = __atomic_load_n(&l->link.board->live_cpu_ns, __ATOMIC_RELAXED);
	*idle = __atomic_load_n(&l->link.board->live_idle_ns, __ATOMIC_RELAXED);
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
		if (deadline_cut())
			r->end = RUN_CUT;
		else
			result_failed(r, "the process that watches the target was killed, by the target or for "
					 "lack of memory; the target was "
					 "stopped");
	} else {
		result_take(l, &l->link.board->reply, r);
	}
	if (l->o.shm)
		result_counts(l, r);
	sandbox_after_run(l);
	sandbox_clear_temp(l);
	if (l->file < 0)
		input_remove(l);
	r->out = l->out.text;
	r->err = l->err.text;
	r->report = l->report.text;
	r->out_cut = l->out.cut;
	r->err_cut = l->err.cut;
}

int launcher_run(struct launcher *l, const struct launch_input *in, struct run_result *r)
{
	double making = 0;
	int made;

	do {
		memset(r, 0, sizeof *r);
		if (deadline_cut()) {
			r->end = RUN_CUT;
			return 0;
		}
		if (launcher_begin(l, in))
			return -1;
		launcher_end(l, r);
		r->making_seconds = making;
		if (!r->counts.missing || !l->o.missing || r->end == RUN_CUT)
			return 0;
		making -= seconds();
		made = l->o.missing(l->o.missing_ctx, l, r->counts.missing);
		making += seconds();
	} while (!made);
	r->making_seconds = making;
	if (made > 0 && deadline_over())
		r->end = RUN_CUT;
	return made < 0 ? -1 : 0; /* trace_open refuses what it left */
}

void launch_limit(struct launch_options *o, double seconds)
{
	o->cpu_seconds = o->idle_seconds = seconds;
	o->wall_seconds = seconds > 0 ? seconds * STARVED + STARVED_SECONDS : 0;
}

void launcher_set_time(struct launcher *l, double seconds)
{
	launch_limit(&l->o, seconds);
}

void launcher_set_wall(struct launcher *l, double seconds)
{
	l->o.cpu_seconds = l->o.idle_seconds = 0;
	l->o.wall_seconds = seconds;
}

int launcher_set_program(struct launcher *l, const char *program, const char *const *env)
{
	if (program_check(program))
		return -1;
	free(l->program);
	l->program = file_absolute(program);
	l->o.program = program;
	l->o.env = env;
	buf_clear(&l->blob); /* written again */
	l->blob_argv = NULL;
	return renew_keeper(l);
}

void launcher_set_cpu(struct launcher *l, int cpu)
{
	l->o.cpu = cpu;
}

const char *launcher_base(const struct launcher *l)
{
	return l->base;
}

char *launcher_outbox(const struct launcher *l)
{
	char *path = file_join(l->base, "out");

	if (!mkdir(path, 0777) && !chmod(path, 0777))
		return path;
	error_errno("cannot make the directory '%s'", path);
	free(path);
	return NULL;
}

const char *launcher_input_path(const struct launcher *l)
{
	return l->uses_path ? l->path : NULL;
}

unsigned launcher_restarts(const struct launcher *l)
{
	unsigned keepers = l->link.starts > 1 + l->renewals ? l->link.starts - 1 - l->renewals : 0;
	unsigned servers = l->servers_before + (l->link.board ? l->link.board->reply.servers : 0);

	return keepers + (servers > 1 + l->renewals ? servers - 1 - l->renewals : 0);
}

int launcher_namespace(const struct launcher *l)
{
	return l->link.board && l->link.board->is_namespace;
}

