/* caller.h: what muster and muster-caller (caller_main.c) agree on. */
#ifndef MUSTER_DIFF_CALLER_H
#define MUSTER_DIFF_CALLER_H

#define CALLER_ARENA 0x600000000ull /* where pointers of the input lead to */
#define CALLER_ARENA_BYTES 262144ull
#define CALLER_ARGUMENTS 64
#define CALLER_HEAP 0x610000000ull /* what the allocator gives: a slot for each call of a stub */
#define CALLER_SLOT_BYTES 16384ull
#define CALLER_CALLS 40 /* of stubs that the input says something about */
#define CALLER_WRITES 32 /* bytes that one writes to a local, for each argument */
#define CALLER_CODE 0x620000000ull /* functions that pointers of the input may lead to */
#define CALLER_CODE_BYTES 32ull	   /* of one */
#define CALLER_QUIET 255 /* number of all calls of a function that only computes (pure, const) */
#define CALLER_POINTERS 8
#define CALLER_POINTER "(*pointer)" /* their name among stubs */
#define CALLER_NEAR 4096ull /* below this address is what null points to */
#define CALLER_ENDED 98 /* exit status: a stub of a function that does not return was called */
#define CALLER_WILD 97 /* exit status: an access to memory that a run does not have, and not near null */
#define CALLER_TRAPPED 96 /* exit status: the program's own trap, which is no undefined behaviour */
#define CALLER_FAILED 99 /* exit status: the input cannot be set up */
#define CALLER_UNDEFINED 94 /* exit status: a check of the compiler's for undefined behaviour failed (--overflow=ub) */
#define CALLER_UNSTEADY 95 /* exit status: a version does not leave the same each time */
#define CALLER_FILLS 3 /* calls of a version */
#define CALLER_MOVED ".moved" /* after an object's path: what is loaded for the last of them, with everything elsewhere */
#define CALLER_MILLISECONDS 500 /* of processor time for one */
#define CALLER_END "\n\3muster-diff\n" /* after a call */
#define CALLER_MARK "\n\1muster-diff\n" /* after the function's own output */

#endif
