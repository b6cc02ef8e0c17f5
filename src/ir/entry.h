/* entry.h: where a traced run says what values it enters a function or a loop with, and which.
 *
 * Two parties need the same list: the trace pass, which writes an event for each value, and the search, which reads them. Both make it from
 * the unit's bitcode in normal form, so an entry is known by (unit, ordinal) and a value by its position.
 *
 * Entries are those of functions that have a loop, or call (in this unit, over any number of calls) one that has, and those of outermost loops.
 * The values are integers of at most 64 bits: parameters; for a loop all that are made before it and used in it or after it. Of a loop also what its
 * first test loads from memory that has a name (`while (i < p->n)`): as it is when the loop is entered. The load is certain to happen, so nothing is read
 * that the program would not read.
 */
#ifndef MUSTER_IR_ENTRY_H
#define MUSTER_IR_ENTRY_H

#include "base/vec.h"
#include "ir/code.h"

#define ENTRY_VALUES 64 /* of one entry, loads too, at most: the first ones */
#define ENTRY_LOADS 8

struct entry {
	uint32_t function; /* number in the code */
	uint32_t loop;	   /* in the function, or CODE_NONE: the function's own entry */
	uint32_t ordinal;  /* of the first instruction of the loop's header, or of the function */
	uint32_t first, count; /* in values: ids of code.h */
	uint32_t first_load, loads; /* in loads: values that are loads of a cell; their events come after those of values */
	uint32_t first_edge, edges; /* in edges: those into the loop that have a block of their own to end (nothing else leaves it) */
};

struct entries {
	VEC(struct entry) list;
	VEC(uint32_t) values, loads, edges;
	VEC(uint8_t) looping; /* by function: it has a loop or leads to one */
};

void entries_find(struct entries *e, const struct code *c);
void entries_release(struct entries *e);

#endif
