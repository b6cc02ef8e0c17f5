/* confined.h: programs that were made outside of muster (exported tests, compiled by gcc) contain target code too: they run in the sandbox,
 * as timeout(1) would run them without. */
#ifndef MUSTER_RUN_CONFINED_H
#define MUSTER_RUN_CONFINED_H

/* For proc_opts.call (base/proc.h), with its ctx: the seconds that it may take. Standard output and error go where those of the process
 * go; the exit code is the program's, 128 and its number for a signal, 124 when the time is over, 125 with words if it cannot be run. */
int confined_call(char *const argv[], const void *seconds);

#endif
