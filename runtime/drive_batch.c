/* drive_batch.c: many inputs in one process, each in a child of its own; and what a call left
 * behind.
 *
 * The child says that the function returned, and what it left, in a shared mapping: no descriptor
 * that it could close or write to is in between. The sanitizers' reports go to a file without a name, which is emptied for each child
 * (a location is reported once for a process, so each child reports all it meets). Standard input, output and error of a child go
 * nowhere. It has a process group of its own, and this process is the parent of whatever outlives
 * its own: when a child is done or out of time, all that is left of it is killed before the next
 * begins.
 */
#include "drive_inside.h"

#include <muster/abi.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel.h" /* after unistd.h */

#define ROOM (16ull << 20) /* for one observation */
#define INPUT_MAX (64u << 20)
#define LOOK_MS 10     /* between two looks at a call whose time is over by the clock */
#define STARVED 10     /* times its limit, by the clock, on a machine that has no time for it */
#define MEMORY (1ull << 30) /* what a child may take beyond what there is */
#define REPORTS (1u << 20)  /* bytes of one child's reports that are passed on */

/* There in programs with AddressSanitizer: the first byte of these that may not be accessed. */
void *__asan_region_is_poisoned(void *p, size_t n) __attribute__((weak));

/* There in the san variant (report.c). */
void __muster_report_to(int fd) __attribute__((weak));
static int reports = -1;

static struct shared {
	uint64_t size;
	uint32_t done;
	uint8_t bytes[];
} * shared;

static const struct drive_run *const run = &__muster_drive_run;

/* -------------------------------------------------------------- observation */

struct out {
	uint8_t *at, *end;
	uint64_t size; /* of what there was to write */
};

static void put(struct out *o, const void *p, uint64_t n)
{
	if (n <= (uint64_t)(o->end - o->at)) {
		drive_copy(o->at, p, n);
		o->at += n;
	} else {
		o->end = o->at; /* a part of it is of no use */
	}
	o->size += n;
}

/* A pointer as a parameter's image would have it. */
static void put_pointer(struct out *o, uint32_t type, uint64_t value)
{
	const struct drive_type *t = &run->table->types[type];
	uint8_t image[8] = {0};
	struct drive_object *objects;
	uint32_t n;

	image[7] = value ? 2 : 0;
	if (t->kind == DRIVE_FUNCTION) {
		for (uint32_t k = 0; k < t->count && value && image[7] == 2; k++)
			if ((uint64_t)run->table->targets[t->a + k] == value && k < 255) {
				image[0] = (uint8_t)(k + 1);
				image[7] = 1;
			}
	} else if (t->kind == DRIVE_POINTER) {
		objects = __muster_drive_pool(type, &n);
		for (uint32_t k = 0; k < n && value && image[7] == 2; k++) {
			uint64_t offset = value - (uint64_t)objects[k].base, e = objects[k].element;

			if (!objects[k].made || offset > objects[k].size || !e || offset % e ||
			    offset / e > 255)
				continue;
			image[0] = (uint8_t)(k + 1);
			image[1] = (uint8_t)(offset / e);
			image[7] = 1;
		}
	}
	put(o, image, sizeof image);
}

static void put_image(struct out *o, uint32_t type, const uint8_t *p)
{
	const struct drive_type *t = &run->table->types[type];
	uint64_t value, done = 0;

	switch (t->kind) {
	case DRIVE_POINTER:
	case DRIVE_FUNCTION:
	case DRIVE_OPAQUE:
		drive_copy(&value, p, sizeof value);
		put_pointer(o, type, value);
		break;
	case DRIVE_ARRAY:
		for (uint32_t i = 0; i < t->count; i++)
			put_image(o, t->a, p + (uint64_t)i * run->table->types[t->a].size);
		break;
	case DRIVE_STRUCT:
		for (uint32_t i = 0; i < t->count; i++) {
			const struct drive_member *m = &run->table->members[t->a + i];

			if (m->offset < done)
				continue; /* it was there as part of another */
			put(o, p + done, m->offset - done);
			put_image(o, m->type, p + m->offset);
			done = m->offset + run->table->types[m->type].size;
		}
		put(o, p + done, t->size - done);
		break;
	default:
		put(o, p, t->size);
		break;
	}
}

static void put_object(struct out *o, struct drive_object *d)
{
	struct drive_seen seen = {d->pool, d->number, d->elements, d->freed};

	/* Bytes of it that the program made inaccessible by itself count as freed, too. */
	if (__asan_region_is_poisoned && d->size && __asan_region_is_poisoned(d->base, d->size))
		seen.freed = 1;
	put(o, &seen, sizeof seen);
	for (uint32_t i = 0; i < d->elements && !seen.freed; i++)
		put_image(o, d->type, (const uint8_t *)d->base + (uint64_t)i * d->element);
}

uint64_t __muster_drive_observe(uint8_t *to, uint64_t room)
{
	const struct drive_function *f = run->function;
	const struct drive_root *r = run->table->roots + f->first_root + f->parameters;
	struct out o = {to, to + room, 0};

	if (f->result_size)
		put_image(&o, f->result_type, run->returned);
	for (uint32_t i = 0; i < f->globals; i++)
		put_image(&o, r[i].type, r[i].address);
	for (uint32_t i = 0; i < run->objects.count; i++)
		if (run->objects.all[i].made)
			put_object(&o, &run->objects.all[i]);
	return o.size;
}

/* -------------------------------------------------------------------- child */

/* Bytes of private memory now, with what sanitizers have mapped. */
static uint64_t data_now(void)
{
	char text[4096], *p;
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	p = strstr(text, "VmData:");
	return p ? strtoull(p + 7, NULL, 10) << 10 : 0;
}

static _Noreturn void child(const uint8_t *input, uint32_t size, uint64_t data, pid_t parent)
{
	struct rlimit none = {0, 0}, memory = {data + MEMORY, data + MEMORY};
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	for (int fd = 0; fd < 3; fd++)
		if (nowhere < 0 || dup2(nowhere, fd) != fd)
			_exit(127);
	close(nowhere);
	setrlimit(RLIMIT_CORE, &none);
	if (data)
		setrlimit(RLIMIT_DATA, &memory);
	if (!__muster_drive_find(input, size))
		_exit(2);
	__muster_drive_output();
	if (reports >= 0)
		__muster_report_to(reports);
	__muster_drive_call();
	shared->size = __muster_drive_observe(shared->bytes, ROOM);
	__atomic_store_n(&shared->done, 1, __ATOMIC_RELEASE);
	_exit(0);
}

/* ------------------------------------------------------------------- parent */

static int64_t milliseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

/* Kills every child there is: those that made a session of their own and lost their parent are ours
 * now. */
static void kill_children(void)
{
	char text[4096];
	int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	for (char *p = text, *end; (fd = (int)strtol(p, &end, 10)) > 0; p = end)
		kill(fd, SIGKILL);
}

static void sweep(pid_t group)
{
	pid_t pid;

	kill(-group, SIGKILL);
	for (int i = 0; i < 1000; i++) {
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0)
			return;
		kill_children();
		usleep(i < 10 ? 100 : 1000);
	}
}

/* Milliseconds that a process was on a processor; with its threads, without its children. */
static int64_t on_processor(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

/* Milliseconds that it could have been there, but others were. */
static int64_t kept_from_it(pid_t pid)
{
	char path[40] = "/proc/", number[16], text[128], *end;
	size_t at = strlen(path), digits = 0;
	int fd;
	ssize_t n;

	for (unsigned left = (unsigned)pid; left; left /= 10)
		number[digits++] = (char)('0' + left % 10);
	while (digits)
		path[at++] = number[--digits];
	strcpy(path + at, "/schedstat");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	strtoull(text, &end, 10); /* nanoseconds on a processor, then those of waiting for one */
	return (int64_t)(strtoull(end, NULL, 10) / 1000000);
}

/* A call that used its time on a processor hangs; one that used none of it waits. Where others had the processor, it gets
 * more time by the clock, but not without end. */
static enum drive_timed out_of_time(pid_t pid, int64_t begun, int64_t limit)
{
	int64_t wall = milliseconds() - begun, used = on_processor(pid);

	if (wall < limit)
		return DRIVE_IN_TIME;
	if (used >= limit)
		return DRIVE_HANGS;
	return wall - used - kept_from_it(pid) >= limit || wall >= STARVED * limit ? DRIVE_WAITS : DRIVE_IN_TIME;
}

static enum drive_timed wait_for(pid_t pid, int64_t limit, int *status)
{
	int64_t begun = milliseconds(), left;
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	enum drive_timed timed = DRIVE_IN_TIME;
	struct pollfd p = {.fd = fd, .events = POLLIN};

	while (!timed) {
		left = begun + limit - milliseconds();
		if (fd < 0) { /* an old kernel */
			if (waitpid(pid, status, WNOHANG) == pid)
				return DRIVE_IN_TIME;
			usleep(500);
		} else if (poll(&p, 1, left > LOOK_MS ? (int)left : LOOK_MS) > 0) {
			break;
		}
		timed = out_of_time(pid, begun, limit);
	}
	if (timed) {
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
	}
	if (fd >= 0)
		close(fd);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	return timed;
}

static int transfer(int fd, void *p, uint64_t n, int out)
{
	while (n) {
		ssize_t k = out ? write(fd, p, n) : read(fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return -1;
		p = (char *)p + k;
		n -= (uint64_t)k;
	}
	return 0;
}

/* ------------------------------------------------------------------ reports */

static void open_reports(void)
{
	int fd = __muster_report_to ? memfd_create("reports", MFD_CLOEXEC) : -1;

	if (fd < 0)
		return;
	reports = dup3(fd, MUSTER_REPORT_FD, O_CLOEXEC); /* out of the way of what a function opens */
	close(fd);
	if (reports >= 0)
		fcntl(reports, F_SETFL, O_APPEND); /* several processes may write */
}

static uint32_t reported(void)
{
	struct stat s;

	if (reports < 0 || fstat(reports, &s))
		return 0;
	return s.st_size < REPORTS ? (uint32_t)s.st_size : REPORTS;
}

/* To standard output; the file is empty then. */
static int send_report(uint32_t size)
{
	static char text[REPORTS];
	ssize_t n = pread(reports, text, size, 0);

	return n != (ssize_t)size || ftruncate(reports, 0) || transfer(1, text, size, 1) ? -1 : 0;
}

static int one(const uint8_t *input, uint32_t size, int64_t limit, uint64_t data)
{
	struct drive_outcome o = {0};
	pid_t self = getpid(), pid;
	int status = 0;

	shared->done = 0;
	shared->size = 0;
	pid = _Fork(); /* not fork(): AddressSanitizer's handlers write to megabytes of locks, which no thread holds */
	if (pid == 0)
		child(input, size, data, self);
	if (pid < 0)
		__muster_drive_die("cannot fork", "");
	setpgid(pid, pid);
	o.timed = wait_for(pid, limit, &status);
	sweep(pid);
	o.status = status;
	o.report = reported();
	if (__atomic_load_n(&shared->done, __ATOMIC_ACQUIRE) == 1 && !o.timed &&
	    WIFEXITED(status) && shared->size <= ROOM)
		o.size = (uint32_t)shared->size;
	if (transfer(1, &o, sizeof o, 1))
		return -1;
	return (o.size && transfer(1, shared->bytes, o.size, 1)) || (o.report && send_report(o.report)) ? -1 : 0;
}

int __muster_drive_batch(const char *seconds)
{
	double limit = strtod(seconds, NULL);
	uint64_t data = data_now();
	uint8_t *input = NULL;
	uint32_t size, room = 0;

	if (!(limit > 0 && limit < 1e6))
		__muster_drive_die("not a time limit in seconds: ", seconds);
	shared = mmap(NULL, sizeof *shared + ROOM, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (shared == MAP_FAILED)
		__muster_drive_die("cannot map memory", "");
	open_reports();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	while (!transfer(0, &size, sizeof size, 0)) {
		if (size > INPUT_MAX)
			__muster_drive_die("an input is too large", "");
		if (size > room) {
			room = size < 65536 ? 65536 : size;
			input = mmap(NULL, room, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			if (input == MAP_FAILED)
				__muster_drive_die("cannot map memory", "");
		}
		if (transfer(0, input, size, 0) || one(input, size, (int64_t)(limit * 1000), data))
			return 2;
	}
	return 0;
}
