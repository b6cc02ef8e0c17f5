/* guard.h: calls into LLVM that come back.
 *
 * LLVM ends the process on what it takes for a fatal error (an unknown
 * relocation, an operand it cannot select). guard_call runs a function with that
 * turned into an ordinary error with words. After such an error the LLVM objects
 * that were being worked on are in no known state: they must be forgotten, not
 * disposed of, which is what unit_release does with a unit marked broken.
 */
#ifndef MUSTER_IR_GUARD_H
#define MUSTER_IR_GUARD_H

/* Returns what f returns, or -1 with error_text() set if LLVM gave up; *fatal
 * (may be NULL) then becomes 1. May be nested; not for several threads at once. */
int guard_call(int (*f)(void *ctx), void *ctx, int *fatal);

#endif
