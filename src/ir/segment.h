/* segment.h: where a function is cut into segments, and which values are there.
 *
 * A segment goes from the entry of a function or the header of a loop to the next header that is reached, or to the end of the function. Two parties need the same list: the
 * trace pass, whose segments variant tells the values at each header, and whoever reads them. Both make it from the unit's bitcode in normal form, so a cut is known by
 * (unit, ordinal) and a value by its position.
 *
 * The values of a cut are those that are live at the header, after its phis, and those that variables of the source hold there, used or not. Stack objects that are variables are among them by their address (home): what they hold is memory.
 */
#ifndef MUSTER_IR_SEGMENT_H
#define MUSTER_IR_SEGMENT_H

#include "base/vec.h"
#include "ir/code.h"

#define SEGMENT_VALUES 64 /* of one cut: a header with more is none */

struct segment_value {
	uint32_t value;	   /* id of code.h: an instruction or a parameter */
	uint32_t variable; /* visible there, that holds it, the first if there are several; CODE_NONE: none does */
	uint8_t home;	   /* an alloca, whose variable lives there */
	uint8_t bits;	   /* of its label: 64 for a pointer; 0: it has none (home, floating point, more than 64 bits) */
};

struct segment_cut {
	uint32_t function; /* number in the code */
	uint32_t loop;	   /* in the function */
	uint32_t block, ordinal; /* the header, and its first instruction */
	uint32_t line;
	uint32_t first, count; /* in values */
	uint32_t first_held, held; /* in held */
	uint8_t more;	   /* values without a label are used behind it: floating point, structures */
};

/* A variable that is visible at a cut, and what it holds there: a value of the cut, or a constant. */
struct segment_held {
	uint32_t variable, value;
};

struct segment_cuts {
	VEC(struct segment_cut) list; /* by function, then as code.h has the loops */
	VEC(struct segment_value) values;
	VEC(struct segment_held) held;
};

/* Of one function, behind those that are there. */
void segment_cuts_find(struct segment_cuts *s, const struct code_function *f);
void segment_cuts_release(struct segment_cuts *s);
/* The cut of the list at this ordinal; NULL. */
const struct segment_cut *segment_cut_at(const struct segment_cuts *s, uint32_t ordinal);

#endif
