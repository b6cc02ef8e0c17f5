/* file_temp.c: what is to be removed at the end.
 *
 * Temporary files belong to the process that made them: cleanup compares
 * process ids, so that a forked child that exits leaves its parent's files alone. A child's
 * directory lies in its parent's where there is one, so that what a killed child leaves goes with the
 * parent's; a child that ends by itself calls file_exit_child, since _exit runs no atexit function.
 * The signal handler removes them with a forked rm (async-signal-safe),
 * then dies by the same signal, so that the caller sees the true cause.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEMPS 16

/* Fixed places, so that the signal handler finds them whole. */
static char temps[TEMPS][4096];
static pid_t temp_owner; /* of what stands in them */
static const char *temp_dir;
static char temp_above[4096]; /* the temporary directory of the process that forked this one, or "" */
static unsigned temp_serial;

static void temp_cleanup(void)
{
	for (int i = 0; i < TEMPS; i++)
		if (temps[i][0] && temp_owner == getpid())
			file_remove_tree(temps[i]);
}

static void temp_signal(int sig)
{
	char *argv[TEMPS + 4] = {"rm", "-rf", "--"};
	int n = 3;

	for (int i = 0; i < TEMPS; i++)
		if (temps[i][0])
			argv[n++] = temps[i];
	if (n > 3 && temp_owner == getpid()) {
		pid_t pid = _Fork(); /* fork would wait for the allocator, in which the signal may have come */

		if (!pid) {
			execv("/bin/rm", argv);
			_exit(127);
		}
		if (pid > 0)
			while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
				;
	}
	raise(sig); /* the default action: SA_RESETHAND */
}

/* The first time in this process: a child starts without its parent's files. */
static void temp_claim(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	if (temp_owner == getpid())
		return;
	if (!temp_owner)
		atexit(temp_cleanup);
	snprintf(temp_above, sizeof temp_above, "%s", temp_dir ? temp_dir : "");
	memset(temps, 0, sizeof temps);
	temp_dir = NULL;
	temp_owner = getpid();
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		struct sigaction sa = {.sa_handler = temp_signal, .sa_flags = SA_RESETHAND}, old;

		/* A signal that our parent ignores (nohup) stays ignored. */
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &sa, NULL);
	}
}

static const char *temp_add(const char *path)
{
	temp_claim();
	for (int i = 0; i < TEMPS; i++) {
		if (!temps[i][0] && strlen(path) < sizeof temps[i]) {
			strcpy(temps[i], path);
			return temps[i];
		}
	}
	return NULL; /* it stays behind; better than to fail */
}

void file_temp_add(const char *path)
{
	temp_add(path);
}

void file_temp_done(const char *path)
{
	for (int i = 0; i < TEMPS; i++)
		if (!strcmp(temps[i], path))
			temps[i][0] = 0;
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
	if (mkdtemp(path))
		temp_dir = temp_add(path);
	else
		error_errno("cannot make a temporary directory '%s' (set TMPDIR?)", path);
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
