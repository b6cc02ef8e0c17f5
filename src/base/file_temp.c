/* file_temp.c: what is to be removed at the end.
 *
 * Temporary files belong to the process that made them: it removes them at exit, and a forked child that exits leaves
 * its parent's files alone. A child that ends by itself calls file_exit_child, since _exit runs no atexit function; its
 * directory lies in its parent's where there is one.
 *
 * The paths stand in a table that a command and the processes it forks share, each with its owner. So what a killed
 * child leaves is removed by the process that made the table, at its exit; and a command that has to end at once forks a
 * process that removes everything, after those that might still write there are gone (file_temp_abandon).
 *
 * Signal handlers remove files with a forked rm, which is async-signal-safe, and which ignores the signals that a
 * terminal sends to the whole group. The process then dies by the same signal, so that the caller sees the true cause.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TEMPS 1024	/* of all processes of a command; a page of memory for each that is used */
#define ABANDON_LOOKS 60 /* at what is left of an abandoned command, so often */
#define ABANDON_MS 50	/* and so far apart */

struct temp {
	_Atomic pid_t owner; /* 0: free; TAKEN: its path is being written */
	char path[4092];
};

enum { TAKEN = -1 };

/* Fixed places, so that a signal handler finds them whole. */
static struct table {
	pid_t maker;
	_Atomic int used; /* places at the start that were ever taken: the others are not looked at */
	struct temp temps[TEMPS];
} *table;

static pid_t temp_claimed; /* the process that temp_dir and the signal handlers are of */
static const char *temp_dir;
static char temp_above[4096]; /* the temporary directory of the process that forked this one, or "" */
static unsigned temp_serial;

static void temp_cleanup(void);

/* By the command, before it forks; a program without file_temp_settle has it from the first process that asks. */
static void open_table(void)
{
	void *p;

	if (table)
		return;
	p = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return; /* nothing is removed; file_temp_dir has the words */
	table = p;
	table->maker = getpid();
	atexit(temp_cleanup);
}

static int used(void)
{
	return table ? table->used : 0;
}

static int is_gone(pid_t owner)
{
	return owner > 0 && kill(owner, 0) && errno == ESRCH;
}

static void remove_one(struct temp *t, pid_t owner)
{
	if (!atomic_compare_exchange_strong(&t->owner, &owner, TAKEN))
		return; /* another process was faster */
	file_remove_tree(t->path);
	t->owner = 0;
}

static void remove_orphans(void)
{
	for (int i = 0; i < used(); i++) {
		pid_t owner = table->temps[i].owner;

		if (is_gone(owner))
			remove_one(&table->temps[i], owner);
	}
}

static void temp_cleanup(void)
{
	pid_t self = getpid();

	for (int i = 0; i < used(); i++)
		if (table->temps[i].owner == self)
			remove_one(&table->temps[i], self);
	if (table && table->maker == self)
		remove_orphans();
}

/* For signal handlers: removes what one owner has (0: all of them). Gives how much of it was there. */
static int remove_with_rm(pid_t owner)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP};
	char *argv[TEMPS + 4] = {"rm", "-rf", "--"};
	int n = 3;
	pid_t pid;

	for (int i = 0; i < used(); i++)
		if (table->temps[i].owner > 0 && (!owner || table->temps[i].owner == owner) && !access(table->temps[i].path, F_OK))
			argv[n++] = table->temps[i].path;
	if (n == 3)
		return 0;
	pid = _Fork(); /* fork would wait for the allocator, in which the signal may have come */
	if (!pid) {
		for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
			signal(ignored[i], SIG_IGN);
		execv("/bin/rm", argv);
		_exit(127);
	}
	if (pid > 0)
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	return n - 3;
}

static void temp_signal(int sig)
{
	remove_with_rm(getpid());
	raise(sig); /* the default action: SA_RESETHAND */
}

/* Nobody waits for this process, and whoever reads the command's output does not wait for it either. */
static void detach(void)
{
	setsid();
	syscall(SYS_close_range, 0, ~0u, 0);
	for (int i = 0; i < 3; i++)
		if (open("/dev/null", O_RDWR) < 0)
			_exit(1);
}

void file_temp_abandon(void)
{
	static const struct timespec pause = {0, ABANDON_MS * 1000000l};
	pid_t self = getpid();
	int quiet = 0;

	if (!table || table->maker != self || _Fork())
		return;
	detach();
	/* Those that the command forked die after it, and may make something meanwhile: nothing there twice in a row is the end. */
	for (int i = 0; i < ABANDON_LOOKS && quiet < 2; i++) {
		nanosleep(&pause, NULL);
		if (getppid() != self)
			quiet = remove_with_rm(0) ? 0 : quiet + 1;
	}
	_exit(0);
}

/* The first time in this process: a child has a directory of its own. */
static void temp_claim(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	if (temp_claimed == getpid())
		return;
	open_table();
	snprintf(temp_above, sizeof temp_above, "%s", temp_dir ? temp_dir : "");
	temp_dir = NULL;
	temp_claimed = getpid();
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		struct sigaction sa = {.sa_handler = temp_signal, .sa_flags = SA_RESETHAND}, old;

		/* A signal that our parent ignores (nohup) stays ignored. */
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &sa, NULL);
	}
}

static void note_used(int count)
{
	int old = table->used;

	while (old < count && !atomic_compare_exchange_weak(&table->used, &old, count))
		;
}

static const char *take_place(const char *path)
{
	for (int i = 0; i < TEMPS; i++) {
		struct temp *t = &table->temps[i];
		pid_t none = 0;

		if (!atomic_compare_exchange_strong(&t->owner, &none, TAKEN))
			continue;
		strcpy(t->path, path);
		t->owner = getpid();
		note_used(i + 1);
		return t->path;
	}
	return NULL;
}

static const char *temp_add(const char *path)
{
	const char *place;

	temp_claim();
	if (!table || strlen(path) >= sizeof table->temps[0].path)
		return NULL;
	place = take_place(path);
	if (!place) {
		remove_orphans();
		place = take_place(path);
	}
	return place;
}

void file_temp_add(const char *path)
{
	temp_add(path); /* without a place for it, it stays behind: better than to fail */
}

void file_temp_done(const char *path)
{
	pid_t self = getpid();

	for (int i = 0; i < used(); i++)
		if (table->temps[i].owner == self && !strcmp(table->temps[i].path, path))
			table->temps[i].owner = 0;
}

/* clang puts random digits in place of a %, and an option of the sanitizers that has both quotes cannot be
 * written. */
static int temp_unusable(const char *path)
{
	return strpbrk(path, "%\n\r") || (strchr(path, '"') && strchr(path, '\''));
}

void file_temp_settle(void)
{
	const char *base = getenv("TMPDIR");
	char *path;

	table = NULL; /* that of a program that this process was forked from is not ours */
	open_table();
	if (!base || !*base)
		return;
	path = file_absolute(base);
	if (temp_unusable(path)) {
		log_warn("TMPDIR has a character that compilers or sanitizers do not take as it stands (%%, a "
			 "line's end, or both kinds of quotes): /tmp is used instead");
		setenv("TMPDIR", "/tmp", 1);
	} else {
		setenv("TMPDIR", path, 1); /* runs have directories of their own */
	}
	free(path);
}

const char *file_temp_dir(void)
{
	const char *base = getenv("TMPDIR");
	char *path;

	temp_claim();
	if (temp_dir)
		return temp_dir;
	if (*temp_above && file_is_dir(temp_above))
		base = temp_above;
	path = mem_printf("%s/muster-XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(path))
		error_errno("cannot make a temporary directory '%s' (set TMPDIR?)", path);
	else if (!(temp_dir = temp_add(path))) {
		error_set("cannot note that the temporary directory '%s' is to be removed (no memory, or a TMPDIR that is too long)", path);
		rmdir(path);
	}
	free(path);
	return temp_dir;
}

char *file_temp(const char *name)
{
	const char *dir = file_temp_dir();

	if (!dir)
		return NULL;
	return mem_printf("%s/%u-%s", dir, __atomic_fetch_add(&temp_serial, 1, __ATOMIC_RELAXED),
			  name);
}

void file_exit_child(int status)
{
	temp_cleanup();
	_exit(status);
}

long file_temp_pid(const char *name)
{
	size_t n = strlen(name);
	long last = 0, before = 0;
	char copy[256], *dot;

	if (n < 5 || n >= sizeof copy || strcmp(name + n - 4, ".tmp"))
		return 0;
	memcpy(copy, name, n + 1);
	copy[n - 4] = 0;
	if ((dot = strrchr(copy, '.'))) {
		last = strtol(dot + 1, NULL, 10);
		*dot = 0;
		dot = strrchr(copy, '.');
		before = dot ? strtol(dot + 1, NULL, 10) : 0;
	}
	return before > 0 ? before : last;
}

void file_sweep_temps(const char *dir)
{
	DIR *d = opendir(dir);

	for (struct dirent *e; d && (e = readdir(d));) {
		long pid = file_temp_pid(e->d_name);

		if (pid > 0 && kill((pid_t)pid, 0) && errno == ESRCH)
			unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		closedir(d);
}
