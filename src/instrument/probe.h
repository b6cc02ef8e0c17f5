/* probe.h: tests of our own in the san variant, for what clang's sanitizers do not look at in C (muster/probe.h).
 *
 *	return         a result is used that its function never returned
 *	format         arguments of printf and its kin that do not fit their conversions
 *	null           the pointer by which a function is called is null
 *	pointer-pair   difference or order of pointers to different objects
 *	other          a call of a function by a pointer to another type of function
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
/* Which functions of the unit are compatible with the types of pointers that functions are called by is asked of the front end: out gets assertions, to stand after the unit's
 * source, each with its number as the line of a file with the name below. Those that fail, for whatever reason, are marked in an array of bytes for
 * probe_unit. Gives the size of that, 0 where there is nothing to ask. bitcode: as for probe_unit. */
#define PROBE_QUESTIONS "muster-types"
size_t probe_questions(const void *bitcode, size_t size, struct buf *out);
/* The bitcode of a unit as the front end made it for the san variant, with names of values, becomes that with probes. compatible: the answers, or NULL. -1 with words. */
int probe_unit(const void *bitcode, size_t size, checker_set checks, struct strmap *constants, const unsigned char *compatible, struct buf *out);

#endif
