/* deadline.h: when the command has to end, for everything that waits.
 *
 *	deadline_open(o.seconds);         // in the command, once: 0 is no limit
 *	...
 *	while (... && !deadline_cut())    // whoever waits, or works for long
 *		poll(fds, n, deadline_ms(-1));
 *	...
 *	deadline_phase(DEADLINE_FINISH);  // the work is over: what was found is looked at
 *
 * A command of S seconds works until S, then finishes until S + 5 % + 0.4 s: what runs then is ended. What is left up
 * to the promise, S + 10 % + 1 s, is for the report. A signal (deadline_stop) ends the work at once and leaves FINISH a
 * fraction of a second. Nothing waits beyond deadline_cut(): launchers end their runs, helper programs are killed, solvers
 * get the time that is left. What computes without asking does so in a child, which its parent kills at deadline_killed().
 *
 * The state is shared by the processes that the command forks; the phase is each one's own. Without deadline_open nothing
 * is ever over.
 */
#ifndef MUSTER_DEADLINE_H
#define MUSTER_DEADLINE_H

#include <sys/types.h>

enum deadline_phase { DEADLINE_WORK, DEADLINE_FINISH, DEADLINE_REPORT };

double deadline_clock(void); /* seconds, monotonic; safe in a signal handler */
/* Processor time of this thread, in seconds, some milliseconds old at most: budgets of work by it mean the same on a busy machine. Nothing that
 * waits may be limited by it alone. */
double deadline_processor(void);
int deadline_open(double seconds); /* 0, -1 with words */
/* Everything ends so many seconds earlier, until this is said again with another number: for work that comes last and must not be left without time. */
void deadline_reserve(double seconds);
int deadline_is_open(void);
void deadline_stop(void);    /* the user wants it to end; for signal handlers */
int deadline_stopped(void);  /* the user did */
void deadline_phase(enum deadline_phase p); /* of this process */
int deadline_over(void);     /* the time for work is over, or the user wants it to end */
int deadline_cut(void);	     /* and so is that of the present phase: end what runs */
double deadline_left(void);  /* seconds until then; INFINITY: no limit */
double deadline_least(double seconds); /* of `seconds` (0: no limit) what is left, never 0; 0 if neither has a limit */
int deadline_ms(int most);   /* for poll: until then, at most `most` (-1: no limit), and never long, since signals are looked for */
int deadline_killed(void);   /* a child that is still there has not asked: kill it */

/* In a process that was forked to help (to compile, to make a variant): it leads a group, with all that it starts, and
 * signals end it. Its parent ends it with deadline_end_child, and needs to wait for it. */
void deadline_child(void);
/* fork for such a process, and for helpers that become other programs: no signal finds the command's handlers in the child, where it would end the whole command. A child that is forked when the time is over is ended at once. */
pid_t deadline_fork(void);
/* The parts of it around a vfork: before it in the parent; after it in both, the child first. */
void deadline_hold(sigset_t *before);
void deadline_let(const sigset_t *before, int child);
void deadline_end_child(pid_t pid);
/* Waits for such a child: 0 with *status; -1: it was ended, since the phase was over. */
int deadline_wait(pid_t pid, int *status);
/* For proc.c: is a new helper to lead a group of its own? */
int deadline_groups(void);

#endif
