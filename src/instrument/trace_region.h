/* trace_region.h: what the two copies of a function share (trace_fast.c has the idea). */
#ifndef MUSTER_INSTRUMENT_TRACE_REGION_H
#define MUSTER_INSTRUMENT_TRACE_REGION_H

#include "instrument/tracer.h"

struct slot {
	LLVMValueRef value; /* the instruction or parameter kept */
	LLVMValueRef room;  /* where its value is; NULL for a parameter, which needs none */
	unsigned n;
	LLVMValueRef labels[TRACER_LEAVES]; /* where its labels are; NULL where a leaf has none */
	/* A phi is written at the end of its predecessors, while its old value may still be in use. */
	LLVMValueRef in, in_labels[TRACER_LEAVES];
};

struct region {
	LLVMBasicBlockRef slow, fast;
	LLVMBasicBlockRef landing; /* leads to slow; stays the same when slow is split */
	VEC(LLVMValueRef) list;    /* the instructions, phis first */
	VEC(struct region *) next; /* by successor number */
};

struct fast {
	struct tracer *t;
	LLVMValueRef function;
	LLVMBasicBlockRef entry; /* stack objects, prologue */
	VEC(struct region *) regions;
	VEC(struct slot *) slots;
	struct map region_of; /* block -> region + 1 */
	struct map slot_of;   /* value -> slot + 1 */
};

/* Cuts a function's blocks into regions, each with an empty block for its fast copy. order: reachable
 * blocks in post-order; the entry is the last. */
void trace_collect_regions(struct fast *f, LLVMBasicBlockRef *order, size_t count);
struct region *trace_region_of(struct fast *f, LLVMBasicBlockRef b);
/* Gives a slot to each value that outlives its region, to each phi and each parameter. */
void trace_make_slots(struct fast *f);
struct slot *trace_slot_of(struct fast *f, LLVMValueRef v); /* or NULL */

int trace_has_effect(struct tracer *t, LLVMValueRef inst);
int trace_is_plain_load(LLVMValueRef inst);
LLVMValueRef trace_plain_callee(struct tracer *t, LLVMValueRef inst); /* of a call of something that only computes */
uint64_t trace_ordinal_of(struct tracer *t, LLVMValueRef inst);        /* + 1; 0: it has none */
LLVMValueRef trace_incoming_from(LLVMValueRef phi, LLVMBasicBlockRef block);
LLVMValueRef trace_reload(struct tracer *t, LLVMTypeRef type, LLVMValueRef from);
void trace_store_labels(struct tracer *t, LLVMValueRef *to, const LLVMValueRef *labels, unsigned n); /* NULL: zeros */

/* trace_slow.c: instruments the original of a region; then, when all are done, removes what is left of phis. */
void trace_make_slow(struct fast *f, struct region *r);
void trace_drop_phis(struct fast *f);

#endif
