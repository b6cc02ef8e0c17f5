/* probe.h: run-time tests of muster's own in the san variant, for what clang's sanitizers do not look at in C.
 *
 * src/instrument/probe.c puts the calls into the bitcode of the san variant; runtime/probe*.c has the functions. A probe reports as
 * UndefinedBehaviorSanitizer does, through its runtime's own printer, so that the report goes where the others go.
 */
#ifndef MUSTER_PROBE_H
#define MUSTER_PROBE_H

#include <stdarg.h>

/* Before any call of a function that may be one of those below. */
void muster_probe_caller(const void *function);
/* Around a call of a function of libc that uses what it is given returns: 1 before, -1 after. */
void muster_probe_library(int more);
/* A function that can reach its closing brace begins; gives what its end is to be given: NULL if libc has called it. */
const void *muster_probe_begin(const void *function);
/* It ended: by a return statement, or at the brace. */
void muster_probe_end(const void *function, int returned, const void *called, const char *name);
/* A function that promised not to return is about to. */
void muster_probe_noreturn(const char *name);
/* Its caller uses what it returned. name: how the caller calls it. */
void muster_probe_used(const void *function, const char *name);

/* Two pointers are subtracted or ordered. Each is what address arithmetic started from. */
enum probe_pair {
	PROBE_DIFFERENCE = 1,
	PROBE_DISTINCT = 2, /* the compiler sees two variables */
};
void muster_probe_pair(const void *a, const void *b, int flags);

/* A call of printf or one of its kin. types: a letter for each argument, see probe_format.c. */
enum probe_format {
	PROBE_WATCHED = 1, /* AddressSanitizer looks at what the conversions read and write */
	PROBE_NO_FORMAT = 2, /* a null pointer is no format at all, and allowed (err.h) */
};
/* to: where it writes what it prints, if into memory. */
void muster_probe_format(const char *name, int flags, const char *to, const char *format, const char *types, ...);
void muster_probe_format_list(const char *name, int flags, const char *to, const char *format, va_list list);
/* After a call that wrote to `to`, at most `size` bytes. */
void muster_probe_printed(const char *name, const char *to, unsigned long size, int result);

/* Before a call of another function with variable arguments; where such a function begins (gives the types that its caller
 * said, or NULL); after va_start, before va_end, va_copy and va_arg. */
void muster_probe_call(const void *function, const char *types);
const char *muster_probe_enter(const void *function);
void muster_probe_list(va_list list, const char *types);
void muster_probe_list_end(va_list list);
void muster_probe_list_take(va_list list);
void muster_probe_list_copy(va_list to, va_list from);
/* A function was given a list, of which `before` gets a copy; it ends. */
#define PROBE_LIST_WORDS 3 /* of 64 bits */
void muster_probe_list_given(va_list list, void *before);
void muster_probe_list_back(va_list list, const void *before);

/* Before a call of what a pointer points to. */
void muster_probe_target(const void *function);
/* The same; others: the functions that a pointer of this type may not call, and NULL. */
void muster_probe_type(const void *function, const void *const *others, const char *type);

#endif
