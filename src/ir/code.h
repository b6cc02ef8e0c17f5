/* code.h: our own view of a unit in normal form; what is static reads this and never sees LLVM.
 *
 *	struct code *c = code_load(bitcode, size, unit_id);      or code_new(&unit)
 *	const struct code_function *f = code_find(c, "f");
 *	for each block b by f->order: for each instruction v in [b->first, b->first + b->count): f->values[v] ...
 *	code_free(c);
 *
 * Everything is arrays and 32-bit ids; CODE_NONE is "there is none". Nothing changes after code_new, so it may be read by
 * several threads. All memory belongs to struct code, names too.
 *
 * *Values* of a function are one array: parameters first (value n is parameter n), then the instructions in order (so
 * those of a block are consecutive, and every instruction of the unit in the function has one: value - first_instruction
 * + the function's first ordinal is its ordinal), then constants, addresses of globals and functions, and undefined values, each once.
 *
 * *Edges*: edge e = block's first_edge + outcome. The order of outcomes is that of unit_outcomes: of a conditional branch 0 is
 * "false" and 1 "true"; of a switch 0 is the default, i its case i. A block's predecessors are edges (two of them may come from
 * one switch); operand k of a phi belongs to the k-th of them.
 *
 * *Checks* that the compiler made for undefined behaviour are branches like any other here, marked: block.check is whose it is, and
 * edges have flags. Integers wrap, and a program without the sanitizer goes on after a check that fails: an edge with
 * CODE_EDGE_PASS may be taken WHATEVER the condition says. If the checked behaviour is undefined in C (CODE_EDGE_UB beside it), an analysis
 * may decide to look only at runs that pass; if not (unsigned arithmetic, conversions), the condition must be ignored. An edge with
 * CODE_EDGE_REPORT leads to the report (the program ends there). The same holds for nsw, nuw, exact: the flags say what C promised; the machine
 * wraps.
 */
#ifndef MUSTER_IR_CODE_H
#define MUSTER_IR_CODE_H

#include <stddef.h>
#include <stdint.h>

struct unit;
struct buf;

#define CODE_NONE UINT32_MAX

enum code_kind {
	CODE_PARAMETER,	  /* index: which */
	CODE_INSTRUCTION, /* index: ordinal in the unit */
	CODE_CONSTANT,	  /* integer: bits */
	CODE_NULL,	  /* pointer */
	CODE_ADDRESS,	  /* of global number index, plus offset bytes */
	CODE_FUNCTION,	  /* address of function number index */
	CODE_UNDEF,	  /* any value of its type, another at each use */
	CODE_OPAQUE,	  /* some fixed constant that nothing is known about: float, vector, aggregate, inline assembly */
};

/* X(NAME, text, operands) */
#define CODE_OPS(X)                                                                                           \
	/* a, b: integers of the same width (flags NSW, NUW, EXACT) */                                         \
	X(ADD, "add")                                                                                         \
	X(SUB, "sub")                                                                                         \
	X(MUL, "mul")                                                                                         \
	X(UDIV, "udiv")                                                                                       \
	X(SDIV, "sdiv")                                                                                       \
	X(UREM, "urem")                                                                                       \
	X(SREM, "srem")                                                                                       \
	X(SHL, "shl")                                                                                         \
	X(LSHR, "lshr")                                                                                       \
	X(ASHR, "ashr")                                                                                       \
	X(AND, "and")                                                                                         \
	X(OR, "or")                                                                                           \
	X(XOR, "xor")                                                                                         \
	X(SMIN, "smin")                                                                                       \
	X(SMAX, "smax")                                                                                       \
	X(UMIN, "umin")                                                                                       \
	X(UMAX, "umax")                                                                                       \
	/* a, b -> one bit: does the operation overflow? (the flag of x.with.overflow; its value is a plain ADD, SUB, MUL) */ \
	X(SADD_OVER, "sadd.over")                                                                             \
	X(UADD_OVER, "uadd.over")                                                                             \
	X(SSUB_OVER, "ssub.over")                                                                             \
	X(USUB_OVER, "usub.over")                                                                             \
	X(SMUL_OVER, "smul.over")                                                                             \
	X(UMUL_OVER, "umul.over")                                                                             \
	/* a, b -> one bit; integers, or pointers (then the operands have width 0) */                          \
	X(EQ, "eq")                                                                                           \
	X(NE, "ne")                                                                                           \
	X(ULT, "ult")                                                                                         \
	X(ULE, "ule")                                                                                         \
	X(UGT, "ugt")                                                                                         \
	X(UGE, "uge")                                                                                         \
	X(SLT, "slt")                                                                                         \
	X(SLE, "sle")                                                                                         \
	X(SGT, "sgt")                                                                                         \
	X(SGE, "sge")                                                                                         \
	/* a */                                                                                               \
	X(TRUNC, "trunc")                                                                                     \
	X(ZEXT, "zext")                                                                                       \
	X(SEXT, "sext")                                                                                       \
	X(PTRTOINT, "ptrtoint")                                                                               \
	X(INTTOPTR, "inttoptr")                                                                               \
	X(COPY, "copy") /* freeze, llvm.expect, casts of pointers: the same value */                           \
	X(SELECT, "select") /* one bit, value if true, value if false */                                       \
	X(PHI, "phi")	    /* one for each predecessor of its block */                                        \
	/* memory; bytes: size of the access */                                                               \
	X(LOAD, "load")	    /* address */                                                                      \
	X(STORE, "store")   /* value, address */                                                              \
	X(GEP, "gep")	    /* base, indices; the address is base + offset + sum of index (signed) * scale */  \
	X(ALLOCA, "alloca") /* bytes: its size, 0 if not constant; operand: number of elements if not */       \
	X(FILL, "fill")	    /* memset: address, byte, length */                                                \
	X(MOVE, "move")	    /* memcpy, memmove: to, from, length */                                            \
	X(ATOMIC, "atomic") /* cmpxchg, atomicrmw: reads and writes operand 0 */                              \
	X(CALL, "call")	    /* callee, arguments; target: function number or CODE_NONE */                      \
	X(ASSUME, "assume") /* one bit */                                                                      \
	X(PAIR, "pair")	    /* an x.with.overflow: a, b; only its two halves are used */                       \
	X(NOP, "nop")	    /* lifetime markers and the like: no value, no effect */                           \
	X(ANY, "any")	    /* a result about which nothing is said, no effect on memory: floats, vectors, objectsize ... */ \
	/* the last of a block */                                                                             \
	X(JUMP, "jump")                                                                                       \
	X(BRANCH, "branch")	      /* one bit */                                                            \
	X(SWITCH, "switch")	      /* value, then the constant of case i as operand i */                     \
	X(INDIRECT, "indirect")	      /* computed goto: address; outcome i is its i-th label */                \
	X(RETURN, "return")	      /* value, or nothing */                                                   \
	X(INVOKE, "invoke")	      /* a call that ends its block, also assembly with labels: callee, arguments */ \
	X(UNREACHABLE, "unreachable") /* after a report, or a call that does not return */

enum code_op {
#define X(name, text) CODE_##name,
	CODE_OPS(X)
#undef X
	    CODE_OP_COUNT
};
const char *code_op_text(enum code_op op);

/* Flags of values. */
#define CODE_NSW 1u
#define CODE_NUW 2u
#define CODE_EXACT 4u
#define CODE_VOLATILE 8u  /* or atomic: the memory may change between two accesses */
#define CODE_MARKED 16u	  /* the compiler made it for a check */
#define CODE_UNSIGNED 32u /* parameters that C says are unsigned */
#define CODE_APART 128u	  /* moves of memory: what is read and what is written may not overlap, or are the same */
#define CODE_BYVAL 64u	  /* parameters: the address of a copy, which the call makes; what is written there the caller does not see */

struct code_value {
	uint8_t kind;		   /* enum code_kind */
	uint8_t op;		   /* enum code_op, of instructions */
	uint8_t flags;
	uint8_t is_pointer;
	uint32_t width;		   /* bits of an integer up to 128; 0: it is none */
	uint32_t index;		   /* see enum code_kind */
	uint32_t block;		   /* of an instruction */
	uint32_t first, operands;  /* in f->operands; use code_operand() */
	uint32_t first_use, uses;  /* in f->uses: the instructions that have it as an operand, ascending, each once */
	uint32_t line, column;	   /* 0: unknown, or in another file than the function */
	uint32_t scope;		   /* in c->scopes, or CODE_NONE */
	uint32_t cell;		   /* loads and stores: the cell in f->cells that is the whole access, or CODE_NONE */
	uint32_t target;	   /* calls: function number, or CODE_NONE (through a pointer, assembly) */
	uint64_t bytes;		   /* size of an access or an alloca */
	int64_t offset;		   /* GEP and ADDRESS: constant part */
	uint64_t bits[2];	   /* constants, low half first, zero above the width */
};

#define CODE_EDGE_BACK 1u   /* to the header of a loop, from inside it */
#define CODE_EDGE_REPORT 2u /* to the report of a check */
#define CODE_EDGE_PASS 4u   /* of a check: it may be taken whatever the condition is */
#define CODE_EDGE_UB 8u	    /* beside REPORT and PASS: what the check looks for is undefined in C */

struct code_edge {
	uint32_t from, to; /* blocks */
	uint32_t outcome;
	uint32_t flags;
};

#define CODE_BLOCK_REPORT 1u	/* it reports a failed check, and ends there */
#define CODE_BLOCK_REACHED 2u	/* there is a path from the entry */

struct code_block {
	uint32_t first, count;	    /* values: its instructions, the last one ends it */
	uint32_t first_edge, edges; /* in f->edges, by outcome */
	uint32_t first_pred, preds; /* in f->preds: numbers of edges */
	uint32_t order;		    /* position in f->order (reverse postorder); CODE_NONE if not reached */
	uint32_t dominator;	    /* immediate; CODE_NONE: entry, or not reached */
	uint32_t dom_in, dom_out;   /* interval in the dominator tree: code_dominates() */
	uint32_t loop;		    /* innermost, in f->loops, or CODE_NONE */
	uint32_t flags;
	uint32_t check;		    /* enum muster_checker of the check (or part of one) at its end; 0: no check */
};

/* A loop has one header: the first of its blocks in f->order, and every cycle of the function passes the header of some loop through
 * a back edge of it. A loop whose blocks are entered at others than the header too is irreducible (entries of more than
 * one block); its nest depends on the order of the walk, its set of blocks does not at the outermost level. */
struct code_loop {
	uint32_t header;
	uint32_t parent; /* CODE_NONE: outermost */
	uint32_t depth;	 /* 1: outermost */
	uint32_t first_child, next; /* loops: nest as lists */
	int irreducible;
	/* In f->loop_blocks and f->loop_edges: */
	uint32_t first_block, blocks;	/* all blocks, those of inner loops too, in order of f->order */
	uint32_t first_entry, entries;	/* edges from outside, not only to the header */
	uint32_t first_latch, latches;	/* edges from inside to the header */
	uint32_t first_exit, exits;	/* edges to outside, reports too */
	uint32_t line, column;		/* of the source's loop statement; where debug info has none, of the header */
	uint32_t end_line;		/* its last line, 0: unknown */
};

/* ------------------------------------------------------------------ types and names */
enum code_type_kind { CODE_TYPE_OTHER, CODE_TYPE_INT, CODE_TYPE_POINTER, CODE_TYPE_ARRAY, CODE_TYPE_STRUCT, CODE_TYPE_UNION, CODE_TYPE_FLOAT };

struct code_type {
	uint8_t kind;
	uint8_t is_unsigned; /* integers: char as the target has it, bool, enumerations too */
	uint8_t is_bool;
	uint64_t bytes;
	const char *name;    /* without const and volatile, typedefs resolved: "unsigned int", "struct s"; "" if it has none */
	uint32_t base;	     /* of pointer, array; CODE_NONE for void */
	uint64_t count;	     /* elements of an array, 0: unknown */
	uint32_t first_member, members; /* in c->members */
};

struct code_member {
	const char *name; /* "": anonymous */
	uint32_t type;
	uint64_t offset;  /* bytes */
	uint32_t bits;	  /* of a bit-field, else 0 */
	uint8_t bit;	  /* a bit-field: its first one in the byte at the offset */
};

struct code_scope {
	uint32_t parent; /* CODE_NONE: the function's outermost */
};

/* A variable of the source: of a function, or a global. */
struct code_variable {
	const char *name;
	uint32_t type;	    /* in c->types, or CODE_NONE */
	uint32_t line;
	uint32_t scope;	    /* CODE_NONE: global */
	uint32_t parameter; /* number, or CODE_NONE */
	uint32_t home;	    /* value: the alloca it lives in, or CODE_NONE: its values are in bindings */
};

/* From this point on (before instruction `before`, a value id), the variable has this value; CODE_NONE: unknown. By ascending point. */
struct code_binding {
	uint32_t before, variable, value;
};

/* ------------------------------------------------------------------ memory */
/* A piece of memory that an access names: at a constant offset in a global, an alloca of the function, or what a pointer
 * parameter points to. Two of them may overlap; code_may_write() knows. */
struct code_cell {
	uint32_t root;	 /* value: an ALLOCA, a PARAMETER, or an ADDRESS with offset 0 */
	int64_t offset;
	uint32_t bytes;	 /* 1, 2, 4, 8, 16 */
	uint32_t width;	 /* bits of the integer that lives there; 0: not accessed as an integer of always the same width */
	uint8_t is_unsigned;
	uint8_t escapes; /* others may know its address: calls may write it */
	const char *name; /* in C, at every point of the function where the root's variable is visible: "g", "p->n", "*p", "a[3].x"; NULL if
			     debug info does not say, or the parameter is a variable that is changed */
	uint32_t variable; /* the root's, in f->variables; CODE_NONE: of a global, or none */
};

/* What a pointer was made from by address arithmetic, copies, selects and phis: root plus offset. */
struct code_root {
	uint32_t root;	/* value: ALLOCA, PARAMETER, ADDRESS with offset 0, or a CALL that returns new memory; CODE_NONE: unknown */
	uint8_t exact;	/* the offset is known */
	int64_t offset;
};

struct code_global {
	const char *name;
	uint64_t bytes;
	uint32_t type;	   /* or CODE_NONE */
	uint8_t internal, constant, thread_local;
	uint8_t optional;  /* declared weak: its address is null if no unit defines it */
	const uint8_t *initial; /* of a constant defined here: its bytes; NULL: it has addresses in it, or is no plain number, or is large */
	uint8_t escapes;   /* its address is stored, passed on or visible outside: pointers of unknown origin may point to it */
};

struct code_function {
	const char *name;
	const char *file, *directory; /* as the compiler was given it, and where it ran; "" if unknown */
	uint32_t number;	    /* in c->functions */
	uint32_t first_instruction; /* value id of the first: the number of parameters */
	uint32_t instructions;
	uint32_t first_ordinal;
	uint32_t parameters, value_count, block_count, edge_count, loop_count, cell_count, variable_count, binding_count;
	uint32_t line;
	uint64_t pointers; /* a bit for each of the first 64 parameters that is one; of declarations too */
	uint8_t nothrow; /* declared so, as headers of the C library do */
	uint32_t result_width;
	uint8_t result_unsigned; /* as the source has it */
	uint8_t result_type;	 /* the same: CODE_TYPE_INT, CODE_TYPE_POINTER; CODE_TYPE_OTHER: another, none, or not known */
	uint8_t defined;       /* it has blocks */
	uint8_t internal;
	uint8_t address_taken; /* or visible outside: unknown code may call it */
	uint8_t variadic, noreturn;
	uint8_t replaceable;   /* weak: a call may end up elsewhere */
	uint8_t optional;      /* declared weak: its address is null if no unit defines it */
	uint8_t quiet;	       /* the source promises the compiler that it writes nothing (pure, const) */
	uint8_t returns_twice; /* setjmp: what happened until it returns again is in memory then */
	struct code_value *values;
	uint32_t *operands;    /* value ids */
	int64_t *scales;       /* beside operands: of a GEP's indices */
	uint32_t *uses;
	struct code_block *blocks; /* 0 is the entry */
	struct code_edge *edges;
	uint32_t *preds;
	uint32_t *order;       /* reached blocks in reverse postorder */
	uint32_t order_count;
	struct code_loop *loops; /* an outer loop before its inner ones */
	uint32_t *loop_blocks, *loop_edges;
	struct code_root *roots; /* by value; of what is no pointer: CODE_NONE */
	struct code_cell *cells;
	struct code_variable *variables;
	struct code_binding *bindings;
	uint32_t *callees;     /* function numbers that it calls directly, ascending, each once */
	uint32_t callee_count;
	uint8_t calls_unknown; /* it calls through a pointer, or assembly */
	uint32_t component;    /* in the call graph: callees outside a cycle have smaller numbers; members of a cycle share one */
	uint8_t recursive;     /* it is in a cycle of direct calls */
	struct code_effect *effect; /* modref.c's */
	struct code_hint *hints;    /* loop.c's */
	uint32_t hint_count;
	const struct code *code;
};

struct code {
	uint32_t unit;
	const char *source;
	struct code_function *functions;
	uint32_t function_count;
	struct code_global *globals;
	uint32_t global_count;
	struct code_variable *global_variables; /* beside globals; name NULL: no debug info */
	struct code_type *types;
	uint32_t type_count;
	struct code_member *members;
	struct code_scope *scopes;
	uint32_t scope_count;
	struct code_inside *inside;
};

/* NULL with words. The unit may be released afterwards (code_new leaves it as it was). */
struct code *code_new(struct unit *u);
struct code *code_load(const void *bitcode, size_t size, uint32_t unit);
void code_free(struct code *c);

/* By name; NULL if there is none with blocks. */
const struct code_function *code_find(const struct code *c, const char *name);
/* The function that has an instruction of the unit, or NULL; *value is its id. */
const struct code_function *code_find_ordinal(const struct code *c, uint32_t ordinal, uint32_t *value);

static inline uint32_t code_operand(const struct code_function *f, uint32_t value, uint32_t k)
{
	return f->operands[f->values[value].first + k];
}
/* `freeze undef`: what a local has without a value (unit_load_unset). */
static inline int code_is_unset(const struct code_function *f, uint32_t value)
{
	return f->values[value].kind == CODE_INSTRUCTION && f->values[value].op == CODE_COPY && f->values[code_operand(f, value, 0)].kind == CODE_UNDEF;
}
static inline const struct code_value *code_operand_value(const struct code_function *f, uint32_t value, uint32_t k)
{
	return &f->values[code_operand(f, value, k)];
}
static inline int64_t code_scale(const struct code_function *f, uint32_t value, uint32_t k)
{
	return f->scales[f->values[value].first + k];
}
static inline const struct code_edge *code_pred(const struct code_function *f, uint32_t block, uint32_t k)
{
	return &f->edges[f->preds[f->blocks[block].first_pred + k]];
}
static inline uint32_t code_last(const struct code_function *f, uint32_t block) /* the instruction that ends it */
{
	return f->blocks[block].first + f->blocks[block].count - 1;
}
/* A constant's value as C reads it: signed or unsigned. */
__int128 code_signed(const struct code_value *v);
unsigned __int128 code_unsigned(const struct code_value *v);

/* Of reached blocks: a block dominates itself. */
static inline int code_dominates(const struct code_function *f, uint32_t a, uint32_t b)
{
	return f->blocks[a].dom_in <= f->blocks[b].dom_in && f->blocks[b].dom_out <= f->blocks[a].dom_out;
}
/* Is the value there at the entry of the block (after its phis)? */
int code_available(const struct code_function *f, uint32_t value, uint32_t block);
/* For each block, 1 if it is reached from `from` (which is) without entering `but`; CODE_NONE: all that are reached. The caller frees it. */
uint8_t *code_reached(const struct code_function *f, uint32_t from, uint32_t but);
/* Is the block in the loop? Constant time in practice: it climbs the nest. */
int code_in_loop(const struct code_function *f, uint32_t loop, uint32_t block);
/* Is the value computed inside the loop? */
int code_varies(const struct code_function *f, uint32_t loop, uint32_t value);
/* Does every iteration that comes back to the header pass the block? */
int code_in_each(const struct code_function *f, uint32_t loop, uint32_t block);
/* Values from outside that instructions of the loop use (phis of the header by their entry edges, too): integers and pointers, no constants, ascending.
 * The caller frees. */
uint32_t *code_live_in(const struct code_function *f, uint32_t loop, uint32_t *count);

/* ------------------------------------------------------------------ names at points (code_names.c) */
struct code_names;
/* What the variables hold at the entry of each block, after its phis and the bindings that stand right after them. Where paths
 * disagree a variable has no value there. */
struct code_names *code_names_new(const struct code_function *f);
void code_names_free(struct code_names *n);
/* The value of the variable at the entry of the block, or CODE_NONE. */
uint32_t code_names_value(const struct code_names *n, uint32_t block, uint32_t variable);
/* The same right before an instruction. */
uint32_t code_names_before(const struct code_names *n, uint32_t instruction, uint32_t variable);
/* Does the variable's name mean it in this scope (declared there or around it, no other variable of the same name further in)? line: where;
 * a variable that is declared further down is not visible. Line 0: any. Statics and globals are not looked at. */
int code_visible(const struct code_function *f, uint32_t variable, uint32_t scope, uint32_t line);
/* May a variable of the function bear the name in this scope? */
int code_hides(const struct code_function *f, const char *name, size_t length, uint32_t scope);
/* The scope of the function that a scope is in. */
uint32_t code_outermost(const struct code *c, uint32_t scope);

/* ------------------------------------------------------------------ effects (modref.c) */
/* Sound for runs without accesses outside of objects: p[i] with p at an array stays in the array. Pointer parameters may overlap
 * each other and every global that escapes, never an alloca of this function. */

/* May the instruction change, or depend on, what is in the cell? A store to the cell itself may, too. */
int code_may_write(const struct code_function *f, uint32_t instruction, uint32_t cell);
int code_may_read(const struct code_function *f, uint32_t instruction, uint32_t cell);
/* Cells that may be written in a loop (in the whole function: CODE_NONE), as a list; the caller frees. */
uint32_t *code_written(const struct code_function *f, uint32_t loop, uint32_t *count);
uint32_t *code_read(const struct code_function *f, uint32_t loop, uint32_t *count);
/* A name for a string literal, by what it says and which of those that say so it is: one for both versions of a unit. 1; 0: the global is none. */
int code_literal_name(const struct code *code, uint32_t global, struct buf *out);
/* May a call of the function write, or read, the global (by its number), or what its parameter points to through that parameter? For
 * a call and a cell of its caller ask code_may_write(), which knows the other ways, too. */
int code_function_writes(const struct code_function *f, uint32_t global);
int code_function_reads(const struct code_function *f, uint32_t global);
int code_function_writes_parameter(const struct code_function *f, uint32_t parameter);
/* May a call of the function write through pointers of unknown origin, or is nothing known about it? */
int code_function_writes_any(const struct code_function *f);
/* Has it what a local is that has no value (unit_load_unset)? */
int code_function_reads_unset(const struct code_function *f);
/* A function of the C library that calls nothing of the program: known.c lists them. */
int code_function_keeps_to_itself(const struct code_function *f);
int code_library_has(const char *name); /* is it one of the names there? */
int code_function_frees(const struct code_function *f); /* one of those that gives memory back */
int code_function_reads_parameter(const struct code_function *f, uint32_t parameter);

/* For people and tests: the function as text. */
void code_print(const struct code_function *f, struct buf *out);

#endif
