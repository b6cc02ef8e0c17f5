/* process.c: wrappers of what makes, ends or interrupts a thread of control.
 *
 * Children and further threads run concretely (the state page is wiped in
 * children; only the first thread has its flag set): here they are only
 * reported. A signal handler must not disturb labels that are on their way
 * between a caller and its callee, so it runs behind a guard that keeps them.
 */
#include "io.h"
#include "node.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pid_t __real_fork(void);
int __real_pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*f)(void *), void *arg);
void (*__real_signal(int sig, void (*handler)(int)))(int);
int __real_sigaction(int sig, const struct sigaction *act, struct sigaction *old);
void __real_exit(int status) __attribute__((noreturn));
void __real__exit(int status) __attribute__((noreturn));
void __real_abort(void) __attribute__((noreturn));
int __real_execve(const char *path, char *const argv[], char *const envp[]);
int __real_execvpe(const char *path, char *const argv[], char *const envp[]);

extern char **environ;

RT_EXPORT pid_t __wrap_fork(void)
{
	pid_t pid = __real_fork();
	if (pid > 0 && RT_ON()) {
		RT_STATE->header->forks++;
		rt_event(MUSTER_EV_FORK, 0, 0);
	}
	rt_return(__wrap_fork, 0);
	return pid;
}

/* A child that shares our memory until it execs would write into the tables;
 * POSIX lets vfork be fork. */
RT_EXPORT pid_t __wrap_vfork(void)
{
	pid_t pid = __wrap_fork();
	rt_return(__wrap_vfork, 0);
	return pid;
}

RT_EXPORT int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*f)(void *), void *arg)
{
	label a[4];
	rt_enter(__wrap_pthread_create, a, 4);
	rt_concrete(a[3], MUSTER_REASON_EXTERN);
	if (RT_ON()) {
		RT_STATE->header->threads++;
		rt_event(MUSTER_EV_THREAD, 0, 0);
	}
	int r = __real_pthread_create(t, attr, f, arg);
	rt_store(t, sizeof *t, 0);
	rt_return(__wrap_pthread_create, 0);
	return r;
}

/* ---------------------------------------------------------------- signals */

#define SIGNALS 65
static union {
	void (*plain)(int);
	void (*full)(int, siginfo_t *, void *);
} handlers[SIGNALS];

static void guarded(int sig, siginfo_t *info, void *context)
{
	struct rt_tls kept = __muster_tls;
	uint32_t floor = rt_calls_interrupted();
	__muster_tls.owner = __muster_tls.call_to = 0;
	handlers[sig].full(sig, info, context);
	rt_calls_resumed(floor);
	__muster_tls = kept;
}

static void guarded_plain(int sig)
{
	struct rt_tls kept = __muster_tls;
	uint32_t floor = rt_calls_interrupted();
	__muster_tls.owner = __muster_tls.call_to = 0;
	handlers[sig].plain(sig);
	rt_calls_resumed(floor);
	__muster_tls = kept;
}

static int is_function(void (*f)(int))
{
	return f != SIG_DFL && f != SIG_IGN && f != SIG_ERR;
}

RT_EXPORT int __wrap_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	label a[3];
	rt_enter(__wrap_sigaction, a, 3);
	rt_concrete(a[0], MUSTER_REASON_EXTERN);
	struct sigaction mine;
	void (*before)(int) = NULL;
	int r;
	if (sig > 0 && sig < SIGNALS)
		before = handlers[sig].plain;
	if (act && sig > 0 && sig < SIGNALS && is_function(act->sa_handler)) {
		mine = *act;
		if (act->sa_flags & SA_SIGINFO)
			mine.sa_sigaction = guarded;
		else
			mine.sa_handler = guarded_plain;
		handlers[sig].plain = act->sa_handler;
		r = __real_sigaction(sig, &mine, old);
		if (r != 0)
			handlers[sig].plain = before;
	} else {
		r = __real_sigaction(sig, act, old);
	}
	if (r == 0 && old) {
		if (old->sa_handler == guarded_plain || old->sa_sigaction == guarded)
			old->sa_handler = before;
		rt_clear(old, sizeof *old);
	}
	rt_return(__wrap_sigaction, 0);
	return r;
}

RT_EXPORT void (*__wrap_signal(int sig, void (*handler)(int)))(int)
{
	label a[2];
	rt_enter(__wrap_signal, a, 2);
	rt_concrete(a[0], MUSTER_REASON_EXTERN);
	void (*before)(int) = sig > 0 && sig < SIGNALS ? handlers[sig].plain : NULL;
	void (*r)(int);
	if (sig > 0 && sig < SIGNALS && is_function(handler)) {
		handlers[sig].plain = handler;
		r = __real_signal(sig, guarded_plain);
		if (r == SIG_ERR)
			handlers[sig].plain = before;
	} else {
		r = __real_signal(sig, handler);
	}
	if (r == guarded_plain || (void *)r == (void *)guarded)
		r = before;
	rt_return(__wrap_signal, 0);
	return r;
}

/* -------------------------------------------------------------------- end */

static void end(enum muster_end how, label status)
{
	if (!RT_ON())
		return;
	rt_io_end_of_run();
	rt_event(MUSTER_EV_END, how, status);
}

RT_EXPORT void __wrap_exit(int status)
{
	label a[1];
	rt_enter(__wrap_exit, a, 1);
	__real_exit(status);
}

RT_EXPORT void __wrap__exit(int status)
{
	label a[1];
	rt_enter(__wrap__exit, a, 1);
	end(MUSTER_END_EXIT, a[0]);
	__real__exit(status);
}

RT_EXPORT void __wrap__Exit(int status)
{
	__wrap__exit(status);
}

RT_EXPORT void __wrap_abort(void)
{
	end(MUSTER_END_ABORT, 0);
	__real_abort();
}

/* After the program's own exit handlers and destructors have run, since they are
 * part of the path. */
__attribute__((destructor(101))) static void at_end(void)
{
	end(MUSTER_END_EXIT, 0);
}

/* ------------------------------------------------------------------- exec
 * If it succeeds nothing comes after; if not, the program goes on. */

static int exec(int search, const char *path, char *const argv[], char *const envp[])
{
	struct muster_header *h = RT_STATE->header;
	int on = RT_ON();
	uint64_t before = on ? h->event_count : 0;
	end(MUSTER_END_EXEC, 0);
	int r = search ? __real_execvpe(path, argv, envp) : __real_execve(path, argv, envp);
	if (on && RT_STATE->active && h->event_count == before + 1)
		h->event_count = before;
	return r;
}

RT_EXPORT int __wrap_execve(const char *path, char *const argv[], char *const envp[])
{
	return exec(0, path, argv, envp);
}

RT_EXPORT int __wrap_execv(const char *path, char *const argv[])
{
	return exec(0, path, argv, environ);
}

RT_EXPORT int __wrap_execvp(const char *path, char *const argv[])
{
	return exec(1, path, argv, environ);
}

RT_EXPORT int __wrap_execvpe(const char *path, char *const argv[], char *const envp[])
{
	return exec(1, path, argv, envp);
}

#define EXEC_ARGS 1024

#define EXEC_LIST(name, search, envp_last)                                                         \
	RT_EXPORT int __wrap_##name(const char *path, const char *arg, ...)                        \
	{                                                                                          \
		char *argv[EXEC_ARGS];                                                             \
		char **envp = environ;                                                             \
		int n = 0;                                                                         \
		va_list ap;                                                                        \
		va_start(ap, arg);                                                                 \
		for (argv[n++] = (char *)arg; argv[n - 1] && n < EXEC_ARGS; n++)                   \
			argv[n] = va_arg(ap, char *);                                              \
		argv[EXEC_ARGS - 1] = NULL;                                                        \
		if (envp_last)                                                                     \
			envp = va_arg(ap, char **);                                                \
		va_end(ap);                                                                        \
		return exec(search, path, argv, envp);                                             \
	}
EXEC_LIST(execl, 0, 0)
EXEC_LIST(execlp, 1, 0)
EXEC_LIST(execle, 0, 1)
