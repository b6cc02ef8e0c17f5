/* launch_result.c: from the keeper's reply and the runtime's counts to the result of a run, and its words. */
#include "run/launch_parts.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

void result_failed(struct run_result *r, const char *fmt, ...)
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
		result_failed(r,
		       "cannot make a process for the target: %s; too many processes (ulimit -u)?",
		       strerror(k->error));
		break;
	case STEP_DESCRIPTORS:
		result_failed(r,
		       "cannot set up the target's descriptors: %s; is /proc mounted, is `ulimit "
		       "-n` below 256?",
		       strerror(k->error));
		break;
	case STEP_SANDBOX:
		result_failed(r, "cannot confine the target: %s; --sandbox off runs it without a sandbox", strerror(k->error));
		break;
	case STEP_DIRECTORY:
		result_failed(r, "cannot enter the directory '%s': %s", l->o.directory,
		       strerror(k->error));
		break;
	case STEP_EXEC:
		result_failed(r, "cannot execute '%s': %s%s", l->program, strerror(k->error),
		       k->error == E2BIG ? "; arguments and environment are too large" : "");
		break;
	default:
		result_failed(r,
		    "the target's parent process was killed before the target started; try again");
	}
}

void result_take(const struct launcher *l, const struct keeper_reply *k, struct run_result *r)
{
	static const enum run_end ends[] = {
	    [KEPT_TIME] = RUN_TIME,
	    [KEPT_WAITING] = RUN_WAITING,
	    [KEPT_CUT] = RUN_CUT,
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
			result_failed(r,
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
void result_counts(struct launcher *l, struct run_result *r)
{
	shm_counts(l->o.shm, &r->counts);
	if (r->end == RUN_CUT || r->counts.missing)
		return;
	if (r->counts.state == MUSTER_STATE_FAILED && r->counts.message[0])
		result_failed(r, "%s", r->counts.message);
	else if (r->counts.state == MUSTER_STATE_NEW && r->end == RUN_EXIT &&
		 r->counts.nodes == 1 && !r->counts.scribbled)
		result_failed(r,
		       "the program ended (exit code %d) before its runtime started: it is no "
		       "variant made by muster, or a "
		       "shared library is missing (try: ldd %s)",
		       r->code, l->program);
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
	case RUN_WAITING:
		snprintf(out, size, "waited without using the processor and was ended by the clock");
		break;
	case RUN_CUT:
		snprintf(out, size, "was ended because the time of the whole command was over");
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
