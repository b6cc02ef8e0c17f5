/* caller.h: what muster and muster-caller (caller_main.c) agree on. */
#ifndef MUSTER_DIFF_CALLER_H
#define MUSTER_DIFF_CALLER_H

#define CALLER_ARENA 0x600000000ull /* where pointers of the input lead to */
#define CALLER_ARENA_BYTES 65536ull
#define CALLER_ARGUMENTS 64
#define CALLER_FAILED 99 /* exit status: the input cannot be set up */
#define CALLER_MARK "\n\1muster-diff\n" /* after the function's own output */

#endif
