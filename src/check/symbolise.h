/* symbolise.h: from a place in a binary to function and source line.
 *
 * Ask for all places of a report first, then resolve them in one start of
 * llvm-symbolizer; what was resolved once is remembered, so that a crash seen a
 * thousand times costs one start. */
#ifndef MUSTER_CHECK_SYMBOLISE_H
#define MUSTER_CHECK_SYMBOLISE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

struct symbol {
	const char *function; /* NULL: not known */
	const char *file;     /* NULL: not known */
	uint32_t line, column;
	uint32_t start_line; /* of the function; 0: not known */
};
/* A place, innermost inlined function first. */
struct symbol_place {
	const char *key;
	struct symbol *symbols;
	uint32_t count;
};

struct symboliser {
	struct strmap index; /* key to place */
	VEC(struct symbol_place) places;
	size_t resolved; /* places before this one */
	struct strmap links; /* module whose name the tool does not take, to its place in link_names */
	VEC(const char *) link_names; /* NULL: it has none */
	struct arena arena;
};

void symboliser_release(struct symboliser *s); /* all zero is an empty one */
void symboliser_want(struct symboliser *s, const char *module, uint64_t offset);
/* -1 with words if there is no llvm-symbolizer: the places are then known as unknown. */
int symboliser_resolve(struct symboliser *s);
/* NULL if it was never wanted; a place with count 0 is one that nothing is known of. */
const struct symbol_place *symboliser_get(const struct symboliser *s, const char *module, uint64_t offset);

#endif
