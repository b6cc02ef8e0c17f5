/* content.h: what a unit consists of, read from LLVM in full, so that two versions can be compared.
 *
 * code.h says what analyses need and leaves the rest open (floats, vectors, attributes); whoever decides that nothing changed must have seen everything. Here
 * each instruction is a *shape* (one number for operator, types, flags, alignment, attributes: all that is in it but its operands) and a list of operands: values of
 * its function, symbols, constants. A constant is one number for its content and the symbols it names. Debug info, names of values and other
 * metadata are left out, except the mark of checks, which code.h reads.
 *
 * Shapes and constants are 64-bit hashes: equal numbers are taken as equal contents. They are comparable between units that were read by the
 * same CONTENT_VERSION of this module.
 */
#ifndef MUSTER_IR_CONTENT_H
#define MUSTER_IR_CONTENT_H

#include "base/hash.h"
#include "ir/code.h"

#define CONTENT_VERSION 2u

/* An operand: a value of the function (as in code.h: parameter or instruction), a symbol, or a constant. */
#define CONTENT_SYMBOL 0x80000000u   /* | its number */
#define CONTENT_CONSTANT 0xc0000000u /* | its number */
#define CONTENT_KIND 0xc0000000u
#define CONTENT_NUMBER 0x3fffffffu

struct content_instruction {
	uint64_t shape;
	uint64_t signature;	  /* of a call: the type of function it calls; 0: no call */
	uint32_t first, operands; /* in content.operands; of a call the last one is the callee; of a phi in the order of code.h */
};

struct content_constant {
	uint64_t hash;
	uint32_t first, refs; /* in content.refs: the symbols that it names, in order */
	uint8_t label;	      /* it has the address of a block in it */
	uint8_t assembly;     /* inline assembly */
};

enum content_kind { CONTENT_FUNCTION, CONTENT_DATA, CONTENT_ALIAS, CONTENT_IFUNC };

/* What the linker makes of a symbol. */
enum content_binding {
	CONTENT_LOCAL,
	CONTENT_STRONG,
	CONTENT_WEAK,
	CONTENT_COMMON,
	CONTENT_UNDEFINED, /* declared; also an inline function of C99, whose body here is not what is called */
	CONTENT_OPTIONAL,  /* declared, and null if no unit defines it */
};

struct content_symbol {
	const char *name;
	uint8_t kind;	 /* enum content_kind */
	uint8_t binding; /* enum content_binding */
	uint8_t hidden;	 /* bound inside its linked file */
	uint8_t taken;	 /* its address is used here by more than calls */
	uint8_t unnamed; /* data that is known by its content only: string literals */
	uint8_t placed;	 /* data in a section of its own, which others may find by the section */
	uint8_t intrinsic;
	uint32_t number;	/* in code.functions or code.globals; CODE_NONE: alias, ifunc */
	uint64_t bytes;		/* of data */
	uint64_t signature;	/* of functions: their type */
	uint64_t head;		/* of functions: type, attributes; of data: size, alignment, kind of storage */
	uint32_t initial;	/* in content.constants: initial value, aliasee, resolver; CODE_NONE: none here */
};

struct content {
	struct content_instruction *instructions; /* by ordinal in the unit */
	uint32_t instruction_count;
	uint32_t *operands;
	struct content_constant *constants;
	uint32_t constant_count;
	uint32_t *refs; /* symbols */
	struct content_symbol *symbols; /* functions first, with the numbers of code.h; then globals, in its order; then the rest */
	uint32_t symbol_count, function_count;
	uint64_t assembly; /* of the unit */
	struct content_inside *inside;
};

struct unit;
/* c: made from the same unit, which is still in normal form. Needs neither of them afterwards. */
struct content *content_new(struct unit *u, const struct code *c);
void content_free(struct content *t);

static inline const struct content_instruction *content_of(const struct content *t, const struct code_function *f, uint32_t value)
{
	return &t->instructions[f->first_ordinal + value - f->first_instruction];
}
static inline uint32_t content_operand(const struct content *t, const struct content_instruction *i, uint32_t k)
{
	return t->operands[i->first + k];
}
static inline uint32_t content_callee(const struct content *t, const struct content_instruction *i)
{
	return t->operands[i->first + i->operands - 1];
}

/* Adds x to a hash of a sequence. */
static inline uint64_t content_fold(uint64_t h, uint64_t x)
{
	return hash_mix(h * 0x9e3779b97f4a7c15u + hash_mix(x + 0x632be59bd9b4e019u));
}

#endif
