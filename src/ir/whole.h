/* whole.h: a whole program: its units joined by symbols, as the linker joined them.
 *
 *	struct whole *w = whole_new();
 *	whole_add(w, &(struct whole_source){...});      one call a unit, in the order of the link
 *	whole_foreign(w, image, name);                  symbols that files without a record define
 *	whole_join(w);
 *	uint32_t f = whole_find(w, "main");
 *	whole_free(w);
 *
 * A *symbol* of the program is one function or one piece of data, however many units name it: a static is its unit's own; a strong definition comes before a common one,
 * and that before a weak one; of several weak ones the first in the order of the link; of common ones the largest. An image (the program, then its shared
 * libraries in the order of search) binds what is hidden or static to itself, everything else to the first image that defines it. A symbol that nobody
 * here defines is there too, without a unit: it is outside the program. So is a weak one that a file without a record defines as well, for which of the two
 * was linked is not known.
 *
 * A *location* is (digest of the unit, key of the symbol, ordinal of the instruction in the function's normal order). It means the same on another machine and
 * in every build in which the unit says the same; no path, line, address, or number of a record is in it.
 *
 * The normal order of a function's instructions: reached blocks in reverse postorder from the entry, following successors in their order; allocas of constant size in the entry
 * block are left out there and stand where an instruction first names them (declarations may be reordered); those that are never named are left out.
 *
 * *Calls*: direct ones through the symbol; those through a pointer may reach every function of the same type (as LLVM has types) whose address is taken
 * somewhere in the program.
 */
#ifndef MUSTER_IR_WHOLE_H
#define MUSTER_IR_WHOLE_H

#include "base/hash.h"
#include "base/vec.h"
#include "ir/code.h"
#include "ir/content.h"

struct buf;

struct whole_source {
	const char *name; /* of its source file, as the compiler was given it */
	const void *bitcode;
	size_t size;
	struct hash128 hash; /* of the bitcode: what the unit is called elsewhere in muster */
	uint32_t image;
	int unset; /* a local without a value is a value of its own (unit_load_unset) */
};

struct whole_unit {
	const char *name;
	struct hash128 hash;
	struct hash128 digest; /* of what it says, without debug info and whatever else has no meaning */
	uint32_t image;
	struct code *code;
	struct content *content;
	uint32_t *symbols;    /* its symbols' numbers in the program */
	const char **keys;    /* what its symbols are called in digests and locations */
	struct hash128 *data; /* digests of its data, by symbol */
};

enum whole_kind { WHOLE_FUNCTION, WHOLE_DATA, WHOLE_OTHER };

struct whole_symbol {
	const char *name;
	const char *key;   /* of a static: the name without the compiler's suffix, #n if its unit has several of that name */
	uint8_t kind;	   /* enum whole_kind; OTHER: an alias into something, an ifunc */
	uint8_t local;	   /* static */
	uint8_t taken;	   /* functions: the address is used by more than calls */
	uint8_t intrinsic; /* of the compiler's */
	uint32_t unit;	   /* that defines it; CODE_NONE: no unit here does */
	uint32_t number;   /* in that unit's content.symbols */
	uint64_t signature;
	struct hash128 digest; /* functions and data with a definition */
	/* Functions with a body: */
	const struct code_function *function; /* NULL: none */
	uint32_t first_callee, callees;	      /* in w->callees: symbols, direct and through pointers, ascending, each once */
	uint32_t unknown_calls;		      /* calls of what is outside, of assembly, or through a pointer that nothing fits */
	uint32_t component;		      /* as in code.h, for the whole program, calls through pointers included */
	uint8_t recursive;
	uint32_t *order; /* values in normal order */
	uint32_t order_count;
	uint32_t *position; /* by instruction of the function: its place in order, or CODE_NONE */
};

struct whole {
	VEC(struct whole_unit) units;
	VEC(struct whole_symbol) symbols;
	VEC(uint32_t) callees;
	struct whole_inside *inside;
};

struct whole_location {
	struct hash128 unit;
	const char *key;
	uint32_t ordinal;
};

struct whole *whole_new(void);
/* -1 with words; the program is as it was. */
int whole_add(struct whole *w, const struct whole_source *s);
void whole_foreign(struct whole *w, uint32_t image, const char *name);
/* Once, when all is added. Afterwards effects of the units' functions (code.h) are those of the whole program. */
int whole_join(struct whole *w);
void whole_free(struct whole *w);
/* May the function itself read a local that has no value? The normal form takes it for the value that it has elsewhere. 1 also if that cannot be found out; 0 where the program was joined with such values as values of their own. */
int whole_reads_unset(const struct whole *w, uint32_t symbol);
/* The program joined with such values as values of their own; symbols have the same numbers. It is w's. NULL: it cannot be made. */
const struct whole *whole_unset(const struct whole *w);

/* A symbol that is not static, by name; CODE_NONE. */
uint32_t whole_find(const struct whole *w, const char *name);
/* A function or data by name, static ones too: the first in the order of units; CODE_NONE. */
uint32_t whole_find_any(const struct whole *w, const char *name);
/* What a symbol of a unit is in the program. */
static inline uint32_t whole_resolve(const struct whole *w, uint32_t unit, uint32_t symbol)
{
	return w->units.data[unit].symbols[symbol];
}
/* Functions with a body that a call through a pointer to this type of function may reach, ascending. */
const uint32_t *whole_targets(const struct whole *w, uint64_t signature, uint32_t *count);

/* Of an instruction of a function with a body; 0 if it has none (it is never reached, or an alloca that is never named). */
int whole_location(const struct whole *w, uint32_t symbol, uint32_t value, struct whole_location *out);
/* 1 if the program has it. Units that say the same share locations: the first of them. */
int whole_locate(const struct whole *w, const struct whole_location *l, uint32_t *symbol, uint32_t *value);
/* "digest:key:ordinal". */
void whole_location_text(const struct whole_location *l, struct buf *out);

#endif
