/* Ends a command in good order when the user asks for it by a signal: the first one
 * sets a flag, a second one that comes later ends at once, and what is temporary is removed after it. */
#ifndef MUSTER_BASE_STOP_H
#define MUSTER_BASE_STOP_H

/* From now on SIGINT, SIGTERM and SIGHUP (unless nohup ignores it) set *stop. */
void stop_catch(volatile int *stop);

/* Before there is anything to report: ends the process with these words (exit code 2), or, if the command's time is over or
 * somebody interrupted it, which ends compilers and linkers too, says that (exit code 3, status "budget" or "interrupted"). */
_Noreturn void stop_give_up(const char *why);

/* Between these two the process computes what asks for no deadline (a parser of C does not), and there is nothing to report yet: a thread
 * ends it likewise when its time is over. */
void stop_watch(void);
void stop_unwatch(void);
/* That end is printed as JSON as well. */
void stop_json(const char *command);

#endif
