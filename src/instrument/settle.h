/* settle.h: the optimiser must not know better than the trace.
 *
 * C leaves some behaviour undefined, and the optimiser uses that freedom. Two
 * variants of one unit would use it differently, and the expressions of a trace
 * (in which integers wrap) would not describe what the machine did. So before a
 * variant is optimised, the freedom is taken away: wherever the normal form could
 * mean anything, it means the plain machine's answer.
 */
#ifndef MUSTER_INSTRUMENT_SETTLE_H
#define MUSTER_INSTRUMENT_SETTLE_H

#include "ir/unit.h"

/* C's inline functions may be taken from the unit or from elsewhere, as the optimiser
 * likes; libc's headers are full of them. Here it is decided: a function in the list
 * `wrapped` (NULL-terminated, or NULL), for which the runtime has a body, is taken
 * from there, and any other from the unit. So all variants of a unit make the same
 * decisions, and nothing is missing when a program has only the inline one. */
void settle_inline(LLVMModuleRef module, const char *const *wrapped);

/* Fortified functions with a body in the runtime are called by the body's name. */
void settle_fortified(LLVMModuleRef module, const char *const *wrapped);

/* What the optimiser may or may not find out (is it a constant? how large is the
 * object?) is unknown, in every variant alike. */
void settle_constants(struct unit *u);

/* Variables that are read before they are written have one value in all variants:
 * zero, where mem2reg has not already chosen. */
void settle_undefined(struct unit *u);

/* Integers wrap, shift amounts too, pointers may point anywhere, types do not distinguish
 * pointers, loops may run for ever. Call it after the pass: the flags say of a
 * pass what C promised. */
void settle_behaviour(LLVMModuleRef module);
/* Null may be an address and library functions are calls like any other, in every
 * function there is (so: after helpers were linked in, or they would not inline). */
void settle_functions(LLVMModuleRef module);

/* Removes what ceases to be true of functions and calls when instrumentation
 * reads and writes memory in them: memory effects, willreturn and the like. */
void instrument_drop_memory_attributes(LLVMModuleRef module);

#endif
