/* probe.h: tests of our own in the san variant, for what clang's sanitizers do not look at in C (muster/probe.h).
 *
 *	return         a result is used that its function never returned
 *	format         arguments of printf and its kin that do not fit their conversions
 *	null           the pointer by which a function is called is null
 *	pointer-pair   difference or order of pointers to different objects
 */
#ifndef MUSTER_INSTRUMENT_PROBE_H
#define MUSTER_INSTRUMENT_PROBE_H

#include "base/buf.h"
#include "base/map.h"
#include "ir/checker.h"

#include <stddef.h>

/* Would a unit with this recorded bitcode get any probe of these checkers? 1, 0, or -1 with words. The san variant of one that would not is
 * compiled in one step. *constants gets the names of functions that subtract addresses of variables, which the compiler has made a constant of. The
 * record's checks keep that apart from numbers that were made of addresses and subtracted (`(uintptr_t)a - (uintptr_t)b`); the san variant's
 * bitcode does not. */
int probe_wanted(const void *bitcode, size_t size, checker_set checks, struct strmap *constants);
/* The bitcode of a unit as the front end made it for the san variant, with names of values, becomes that with probes. -1 with words. */
int probe_unit(const void *bitcode, size_t size, checker_set checks, struct strmap *constants, struct buf *out);

#endif
