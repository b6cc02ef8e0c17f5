/* content_parts.h: what the files that make a struct content share. Not for others. */
#ifndef MUSTER_IR_CONTENT_PARTS_H
#define MUSTER_IR_CONTENT_PARTS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/content.h"
#include "ir/unit.h"

#include <llvm-c/Target.h>

struct content_inside {
	struct arena arena;
};

struct content_maker {
	struct unit *u;
	const struct code *c;
	struct content *t;
	LLVMTargetDataRef layout;
	struct map symbols;   /* LLVMValueRef -> number */
	struct map constants; /* LLVMValueRef -> number */
	struct map types;     /* LLVMTypeRef -> hash */
	struct map neutral;   /* kinds of attributes that say nothing about what is computed */
	VEC(uint32_t) operands;
	VEC(struct content_constant) constant_list;
	VEC(uint32_t) refs;
};

/* content_constant.c */
uint64_t content_type(struct content_maker *m, LLVMTypeRef type);
/* Its number. */
uint32_t content_constant(struct content_maker *m, LLVMValueRef v);
/* content_shape.c: everything of the instruction but its operands. */
uint64_t content_shape(struct content_maker *m, LLVMValueRef inst);
/* The head of a function, see content_symbol. */
uint64_t content_function(struct content_maker *m, LLVMValueRef f);
void content_neutral(struct content_maker *m);
/* A GEP's offset and scales; -1: it is beyond us, and its operands are all that there are. */
int content_gep(struct content_maker *m, LLVMValueRef gep, uint64_t *hash, void (*f)(void *ctx, LLVMValueRef index, int64_t scale), void *ctx);

#endif
