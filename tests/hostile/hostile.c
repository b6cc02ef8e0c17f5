/* hostile.c: a program that misbehaves in the way its first argument names.
 * test_hostile runs each behaviour and checks what muster makes of it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *path; /* second argument */

static void do_exit3(void)
{
	exit(3);
}

static void do_crash(void)
{
	*(volatile int *)16 = 1;
}

static void do_abort(void)
{
	abort();
}

static void do_spin(void)
{
	for (volatile unsigned long i = 0;; i++)
		;
}

static void do_sleep(void)
{
	for (;;)
		pause();
}

/* Nothing that can be ignored or blocked is let through. */
static void do_deaf(void)
{
	sigset_t all;

	for (int i = 1; i < 65; i++)
		signal(i, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	do_sleep();
}

static void do_children(void)
{
	for (int i = 0; i < 1000; i++)
		if (!fork()) {
			sleep(1000);
			_exit(0);
		}
	sleep(1000);
}

/* A thousand, one after the other: that is allowed. */
static void do_many(void)
{
	for (int i = 0; i < 1000; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	exit(0);
}

/* Doubles at each step, each process in a session of its own; bounded, so that a
 * test that fails takes no machine down. */
static void do_bomb(void)
{
	int *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	while (__atomic_fetch_add(made, 1, __ATOMIC_RELAXED) < 4000)
		if (!fork()) {
			setsid();
			alarm(60);
		}
	do_spin();
}

/* The chain never stops, and each link has left the session of the one before. */
static void do_runner(void)
{
	for (;;) {
		if (fork())
			_exit(0);
		setsid();
	}
}

static void touch(int flags)
{
	for (int i = 0; i < 100; i++) {
		size_t n = 1 << 30;
		char *p = mmap(NULL, n, PROT_READ | PROT_WRITE,
			       flags | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (p == MAP_FAILED)
			exit(9);
		memset(p, 1, n);
	}
	exit(0);
}

static void do_memory(void)
{
	touch(MAP_PRIVATE);
}

static void do_shared_memory(void)
{
	touch(MAP_SHARED);
}

static void do_close(void)
{
	for (int i = 0; i < 4096; i++)
		close(i);
	_exit(5);
}

static void do_daemon(void)
{
	if (!fork()) {
		setsid();
		if (!fork()) {
			chdir("/");
			for (int i = 0; i < 4096; i++)
				close(i);
			do_deaf();
		}
		_exit(0);
	}
	usleep(20000);
	exit(0);
}

/* Its own subreaper, with orphans of its own. */
static void do_nest(void)
{
	if (!fork()) {
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		setsid();
		for (int i = 0; i < 3; i++)
			if (!fork()) {
				if (!fork())
					do_deaf();
				_exit(0);
			}
		do_deaf();
	}
	usleep(20000);
	exit(0);
}

static void do_kill_parent(void)
{
	kill(getppid(), SIGKILL);
	usleep(20000);
	exit(7);
}

static void do_kill_parents(void)
{
	for (int i = 0; i < 100; i++) {
		kill(getppid(), SIGKILL);
		kill(getppid(), SIGSTOP);
		usleep(1000);
	}
	exit(8);
}

static void do_stop_parent(void)
{
	kill(getppid(), SIGSTOP);
	exit(4);
}

/* Only where nobody but the test is in reach. */
static void do_kill_all(void)
{
	char name[32] = "";
	int fd = open("/proc/1/comm", O_RDONLY);

	if (fd < 0 || read(fd, name, sizeof name - 1) < 0 || strcmp(name, "muster-keeper\n"))
		exit(99);
	kill(-1, SIGKILL);
	usleep(20000);
	exit(6);
}

static void do_stop(void)
{
	raise(SIGSTOP);
	exit(0);
}

static void do_delete(void)
{
	exit(unlink(path) || chdir("/") ? 1 : 2);
}

static void do_litter(void)
{
	char name[4096];

	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof name, "%s.%d", path, i);
		close(open(name, O_WRONLY | O_CREAT, 0));
	}
	snprintf(name, sizeof name, "%s.d", path);
	mkdir(name, 0700);
	rename(path, strcat(name, "/x"));
	exit(0);
}

static void do_limits(void)
{
	struct rlimit r = {RLIM_INFINITY, RLIM_INFINITY};

	for (int i = 0; i < RLIM_NLIMITS; i++)
		setrlimit((__rlimit_resource_t)i, &r);
	do_spin();
}

static void do_output(void)
{
	static char chunk[1 << 20];

	memset(chunk, 'x', sizeof chunk);
	for (int i = 0; i < 64; i++)
		if (write(1, chunk, sizeof chunk) < 0)
			exit(1);
	exit(0);
}

static void do_file(void)
{
	static char chunk[1 << 20];
	int fd = open(path, O_WRONLY);

	for (int i = 0; i < 100000; i++)
		if (write(fd, chunk, sizeof chunk) < 0)
			exit(1);
	exit(0);
}

/* As root: becomes somebody whom an ordinary user's muster could not signal. */
static void do_other_user(void)
{
	if (setuid(65534))
		exit(1);
	do_daemon();
}

/* The trace tables, wherever a runtime has mapped them. */
static void do_scribble(void)
{
	memset((char *)0x100000000000, 0xff, 256 << 10);
	exit(0);
}

static void do_count(void)
{
	char c;
	int n = 0;

	while (read(0, &c, 1) == 1)
		n++;
	fcntl(0, F_SETFL, O_NONBLOCK);
	exit(n);
}

static const struct {
	const char *name;
	void (*run)(void);
} behaviours[] = {
    {"exit3", do_exit3},
    {"crash", do_crash},
    {"abort", do_abort},
    {"spin", do_spin},
    {"sleep", do_sleep},
    {"deaf", do_deaf},
    {"children", do_children},
    {"many", do_many},
    {"bomb", do_bomb},
    {"runner", do_runner},
    {"memory", do_memory},
    {"shared-memory", do_shared_memory},
    {"close", do_close},
    {"daemon", do_daemon},
    {"nest", do_nest},
    {"kill-parent", do_kill_parent},
    {"kill-parents", do_kill_parents},
    {"stop-parent", do_stop_parent},
    {"kill-all", do_kill_all},
    {"stop", do_stop},
    {"delete", do_delete},
    {"litter", do_litter},
    {"limits", do_limits},
    {"output", do_output},
    {"file", do_file},
    {"other-user", do_other_user},
    {"scribble", do_scribble},
    {"count", do_count},
};

int main(int argc, char **argv)
{
	path = argc > 2 ? argv[2] : NULL;
	for (size_t i = 0; argc > 1 && i < sizeof behaviours / sizeof behaviours[0]; i++)
		if (!strcmp(argv[1], behaviours[i].name))
			behaviours[i].run();
	return 98;
}
