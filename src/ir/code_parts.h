/* code_parts.h: what the files that make a struct code share. Not for others. */
#ifndef MUSTER_IR_CODE_PARTS_H
#define MUSTER_IR_CODE_PARTS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/code.h"
#include "ir/unit.h"

#include <llvm-c/Target.h>

struct code_inside {
	struct arena arena;
	struct strmap names; /* of functions with blocks -> number */
	/* What a call of a function runs, by its number: itself, or in a joined program a function of another unit; NULL: not known. */
	struct code_function **definitions;
	/* Globals as effects count them, by number; in a joined program several units have numbers for one of them. */
	uint32_t *ids;
	uint32_t id_count; /* of all that are joined */
	/* Effects of everything that unknown code may call (modref.c). */
	struct code_effect *outside;
};

/* One unit under construction. */
struct code_maker {
	struct unit *u;
	struct code *c;
	struct arena *arena;
	LLVMTargetDataRef layout;
	LLVMMetadataRef plain; /* the empty DIExpression */
	struct map functions, globals; /* LLVMValueRef -> number */
	VEC(LLVMValueRef) global_list;
	struct map escaped;	       /* constants that were looked at: mark_escapes() */
	struct map type_ids, scope_ids; /* LLVMMetadataRef -> number */
	VEC(struct code_type) types;
	VEC(struct code_member) members;
	VEC(struct code_scope) scopes;
};

/* Where the loop that this branch closes is in the source. */
struct code_hint {
	uint32_t branch; /* value */
	uint32_t line, column, end_line;
};

/* One function under construction. */
struct code_draft {
	struct code_maker *m;
	struct code_function *f;
	LLVMValueRef llvm;
	LLVMMetadataRef file;
	struct map ids;	   /* LLVMValueRef -> value */
	struct map blocks; /* LLVMBasicBlockRef -> block */
	struct map variable_ids; /* LLVMMetadataRef -> variable */
	VEC(struct code_value) values;
	VEC(uint32_t) operands;
	VEC(int64_t) scales;
	VEC(uint32_t) incoming; /* scratch: block -> value, for phis */
	VEC(struct code_variable) variables;
	VEC(struct code_binding) bindings;
	VEC(struct code_hint) hints;
};

/* code_build.c: the id of an operand; constants get one on their first use. */
uint32_t code_draft_value(struct code_draft *d, LLVMValueRef v);
/* code_build.c: everything but flow, loops and effects. */
int code_build(struct code_maker *m);
/* code_value.c: fills in instruction `id` (its kind, index and block are set). */
void code_draft_instruction(struct code_draft *d, LLVMValueRef inst, uint32_t id);
/* code_value.c: adds the constant part of a GEP to *offset, and calls f for each index that is not constant (NULL: there must be none). -1
 * if it is beyond us. */
int code_gep(LLVMTargetDataRef layout, LLVMValueRef gep, int64_t *offset, void (*f)(void *ctx, LLVMValueRef index, int64_t scale), void *ctx);

/* code_debug.c. All of them cope with what is missing. */
uint32_t code_debug_type(struct code_maker *m, LLVMMetadataRef type);
uint32_t code_debug_scope(struct code_maker *m, LLVMMetadataRef scope);
void code_debug_function(struct code_draft *d);
void code_debug_location(struct code_draft *d, LLVMValueRef inst, struct code_value *v);
/* A call of llvm.dbg.*, which stands before instruction `before`. */
void code_debug_record(struct code_draft *d, LLVMValueRef call, uint32_t before);
void code_debug_global(struct code_maker *m, LLVMValueRef global, uint32_t number);
/* What a branch says about the loop that it closes. */
void code_debug_hint(struct code_draft *d, LLVMValueRef branch, uint32_t id);
/* When all records were seen: which variables are parameters. */
void code_debug_variables(struct code_draft *d);

/* code_flow.c: order, dominators; then loop.c: loops. The depth-first walk that both are made from: */
struct code_walk {
	uint32_t count;	  /* reached blocks */
	uint32_t *vertex; /* by preorder number */
	uint32_t *pre;	  /* by block; CODE_NONE: not reached */
	uint32_t *last;	  /* by preorder number: the largest number below it in the tree */
	uint32_t *parent; /* by preorder number, numbers */
	uint32_t *post;	  /* numbers in postorder */
};
void code_flow(struct code_function *f, struct arena *arena);
void code_loops(struct code_function *f, const struct code_walk *w, struct arena *arena);

/* callgraph.c: callees, address-taken functions, components. */
void code_call_graph(struct code *c, struct arena *arena);
/* The components of any graph of calls: callees of f are callees[first[f]] to callees[first[f + 1] - 1]. */
struct code_graph {
	uint32_t count;
	uint32_t *first, *callees;
	uint32_t *component; /* out: as in code_function */
	uint8_t *recursive;  /* out */
};
void code_components(struct code_graph *g);
/* known.c: what functions of the C library do, by name. */
#define KNOWN_PARAMETERS 4 /* those after are like the last */
struct code_known {
	uint8_t parameter[KNOWN_PARAMETERS]; /* CODE_READS, CODE_WRITES, CODE_KEEPS, CODE_FREES */
	uint8_t fresh;			     /* it returns memory that is not known */
	uint8_t streams;		     /* buffers of streams, which may lie in the program's memory */
};
#define CODE_READS 1u	/* what it points to */
#define CODE_WRITES 2u
#define CODE_KEEPS 4u	/* stores or returns it: afterwards pointers of unknown origin may point there */
#define CODE_FREES 8u	/* functions of the C library: gives the memory back */
int code_known(const struct code_function *f, struct code_known *out); /* 0: no idea, or it has a body here */

/* cells.c: what pointers were made from, and cells. */
void code_roots(struct code_function *f, struct arena *arena);
void code_cells(struct code_function *f, struct arena *arena);
/* modref.c; wants everything else */
void code_effects(struct code *c, struct arena *arena);
/* The same for units that were joined: definitions, ids and id_count are set in each, and components are those of all of them together. Replaces
 * what was known of each alone. */
void code_effects_joined(struct code **list, size_t n);

#endif
