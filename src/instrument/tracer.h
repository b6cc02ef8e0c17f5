/* tracer.h: what the parts of the trace pass share.
 *
 * A value of the program has one label for each leaf: an integer or pointer is
 * one leaf, a vector or structure as many as it has elements, in order. Labels
 * are i32 values of the module; t->zero stands for "certainly concrete" and is
 * never tested, so code on constants and counters costs nothing.
 */
#ifndef MUSTER_INSTRUMENT_TRACER_H
#define MUSTER_INSTRUMENT_TRACER_H

#include "instrument/pass.h"
#include "base/map.h"
#include "base/vec.h"
#include "muster/abi.h"

#include <llvm-c/Target.h>

#define TRACER_LEAVES 64 /* a value with more leaves has no labels */
#define TRACER_SLOTS 32  /* RT_ARGS */
#define TRACER_RESULTS 8 /* RT_RETS */
#define TRACER_STUB ".at" /* after the name of a hook: its stub in the unit (tracer_call) */

struct leaf {
	LLVMTypeRef type;
	uint64_t offset;   /* in bytes, where the value is in memory */
	unsigned path[6];  /* indices that lead to it, outermost first */
	unsigned depth;
	unsigned bits;     /* of an integer or pointer; 0: floating point, which has no label */
	unsigned lane : 1; /* the last index is a vector's */
};

/* A comparison that only a branch of its block uses: made by the branch's hook, with the event. */
struct comparison {
	LLVMValueRef inst;
	unsigned opw; /* as in runtime/hooks.h */
	LLVMValueRef la, lb, va, vb;
};

/* A value that a hook may have changed, and what it is then. */
struct trace_settable {
	LLVMValueRef value, set;
};

struct tracer {
	struct unit *u;
	const struct instrument_options *options;
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef b;
	LLVMTargetDataRef layout;
	LLVMTypeRef i1, i8, i32, i64, i128, ptr, nothing;
	LLVMValueRef zero;
	LLVMValueRef own_memory; /* metadata: the scope of what only the runtime writes */

	struct map ordinals; /* instruction -> ordinal + 1 */
	struct map plain;    /* function -> its copy without instrumentation (trace_plain.c) */
	struct map jumps;    /* switches that were computed gotos (trace_jump.c) */
	struct map may;      /* values of this function that can have a label at all */
	struct map labels;   /* value -> index of its first label in pool, + 1 */
	struct map slots;    /* value of this function -> where its label is, if a cut may change it */
	struct map rooms;    /* call + operand -> bytes of the member that the pointer is to (trace_member.c) */
	VEC(LLVMValueRef) pool;

	/* The function at hand. */
	LLVMValueRef function;
	struct comparison decided; /* the last one met */
	LLVMValueRef own;        /* did the caller leave word for us? */
	LLVMValueRef labelled;   /* is a label among it? */
	LLVMValueRef va_save;    /* labels of variable arguments, until va_start */
	LLVMValueRef values_out; /* room for the arguments of calls without labels */
	LLVMValueRef labels_out;
	VEC(LLVMValueRef) objects; /* stack objects whose bounds are registered */
	LLVMValueRef token;	/* of this call in the stack of calls; NULL: it is not asked for (trace_activation.c) */
	LLVMValueRef call_record;		/* struct rt_function */
	LLVMValueRef call_values, call_labels;	/* room for its arguments and results */
	LLVMValueRef cut_values, cut_labels;	/* room for the values of a cut */
	unsigned cut_flags;			/* of the function's record */
	VEC(struct trace_settable) settable;	/* of the function at hand */
	int dynamic_stack;
	int driven;		 /* the unit has a drive table: most of what it touches has labels */
	int small;		 /* it has the slow copy alone: everything that hooks can do is left to them */
	int results_elsewhere;   /* the caller of trace_call takes care of the result's labels */
	uint64_t site;           /* of the instruction at hand */
};

/* trace_label.c */
unsigned tracer_leaves(struct tracer *t, LLVMTypeRef type, struct leaf *out); /* count, or 0 if it has no labels */
void tracer_get(struct tracer *t, LLVMValueRef v, LLVMValueRef *labels, unsigned n);
LLVMValueRef tracer_get1(struct tracer *t, LLVMValueRef v);
void tracer_set(struct tracer *t, LLVMValueRef v, const LLVMValueRef *labels, unsigned n);
void tracer_set1(struct tracer *t, LLVMValueRef v, LLVMValueRef label);
int tracer_all_zero(struct tracer *t, const LLVMValueRef *labels, unsigned n);
LLVMValueRef tracer_leaf_value(struct tracer *t, LLVMValueRef v, const struct leaf *leaf);

/* Finds the values of a function that can have a label: loads, results, parameters and what
 * is computed from them. A counter that starts at a constant never has one. */
void trace_find_labelled(struct tracer *t, LLVMValueRef fn);
int tracer_may_have(struct tracer *t, LLVMValueRef v);

/* Emitting. Signature letters: w i32, q i64, p pointer, v nothing, s the site at hand, which is no argument here; the first is the result. */
LLVMValueRef tracer_call(struct tracer *t, const char *name, const char *signature, ...);
LLVMValueRef tracer_w(struct tracer *t, uint64_t v);
LLVMValueRef tracer_q(struct tracer *t, uint64_t v);
LLVMValueRef tracer_word(struct tracer *t, LLVMValueRef v);                 /* integer of at most 64 bits, or pointer, as i64 */
void tracer_wide(struct tracer *t, LLVMValueRef v, LLVMValueRef *low, LLVMValueRef *high);
LLVMValueRef tracer_at(struct tracer *t, LLVMValueRef pointer, uint64_t offset);
void tracer_before(struct tracer *t, LLVMValueRef inst);
void tracer_after(struct tracer *t, LLVMValueRef inst);
LLVMValueRef tracer_entry_alloca(struct tracer *t, LLVMTypeRef type, const char *name);
unsigned tracer_bits(struct tracer *t, LLVMTypeRef type);                   /* of an integer or pointer, else 0 */

/* Label of a binary operation on leaves of `bits` bits. */
LLVMValueRef tracer_binary(struct tracer *t, unsigned op, unsigned bits, LLVMValueRef la, LLVMValueRef lb, LLVMValueRef va,
			   LLVMValueRef vb);
/* The same of inst, which computes it: its own value spares the runtime computing it again. Leaves the builder after inst. */
LLVMValueRef tracer_computed(struct tracer *t, unsigned op, unsigned bits, LLVMValueRef la, LLVMValueRef lb, LLVMValueRef va,
			     LLVMValueRef vb, LLVMValueRef inst);
LLVMValueRef tracer_extract(struct tracer *t, LLVMValueRef label, unsigned low, unsigned bits);
LLVMValueRef tracer_zext(struct tracer *t, LLVMValueRef label, unsigned bits);
LLVMValueRef tracer_sext(struct tracer *t, LLVMValueRef label, unsigned bits);
LLVMValueRef tracer_ite(struct tracer *t, LLVMValueRef lc, LLVMValueRef vc, LLVMValueRef la, LLVMValueRef lb, LLVMValueRef va,
			LLVMValueRef vb, unsigned bits);
void tracer_concrete(struct tracer *t, LLVMValueRef label, enum muster_reason why);
/* n bytes are read or written there: fixes where, if the address has a label. */
void trace_access(struct tracer *t, LLVMValueRef label, LLVMValueRef pointer, LLVMValueRef size, enum muster_reason why);
void tracer_concrete_all(struct tracer *t, LLVMValueRef v, enum muster_reason why);
void tracer_decision(struct tracer *t, LLVMValueRef label, LLVMValueRef condition);

/* Has any memory of this process ever held a label? A word that the optimiser may
 * keep in a register across everything but calls. */
LLVMValueRef tracer_any_label(struct tracer *t);
/* Tells the optimiser that inst, which writes memory, does not write that word. */
void tracer_leaves_alone(struct tracer *t, LLVMValueRef inst);

/* Splits the block of inst in front of it; everything before moves to a new
 * block, which is returned, without a terminator. */
LLVMBasicBlockRef tracer_split(struct tracer *t, LLVMValueRef inst);

/* One file for each family of instructions. Each finds the builder in front of
 * inst and t->site set, and sets inst's labels if it has any. */
void trace_operation(struct tracer *t, LLVMValueRef inst);   /* trace_op.c: arithmetic, casts, comparisons, vectors */
void trace_address(struct tracer *t, LLVMValueRef inst);     /* trace_op.c: getelementptr */
int trace_constant_offset(struct tracer *t, LLVMValueRef inst, int64_t *offset); /* is it its first operand and so many bytes? */
void trace_memory(struct tracer *t, LLVMValueRef inst);      /* trace_mem.c: loads, stores, atomics, stack objects */
void trace_stack_object(struct tracer *t, LLVMValueRef inst, int here);
void trace_instruction(struct tracer *t, LLVMValueRef inst, uint32_t ordinal); /* trace.c: any of them */
void trace_expand_jumps(struct tracer *t, LLVMValueRef fn);   /* trace_jump.c */
void trace_make_plain(struct tracer *t);
LLVMValueRef trace_plain_of(struct tracer *t, LLVMValueRef fn); /* or NULL */
int trace_is_pure_intrinsic(LLVMValueRef call);
/* trace_loop.c: marks where entries are, made before functions are instrumented; one of them; and the end of all. */
struct trace_entries;
void trace_put_entries(struct tracer *t, const struct trace_entries *e);
int trace_is_entry(LLVMValueRef call);
void trace_entry(struct tracer *t, LLVMValueRef call);
void trace_forget_entries(struct tracer *t);
/* trace_segment.c: marks where cuts are, before functions are instrumented; the slots of a function's labels; one of the cuts; and the end of all. */
struct trace_cuts;
void trace_find_cuts(struct tracer *t);
int trace_is_cut(LLVMValueRef call);
unsigned trace_cut_slots(struct tracer *t, LLVMValueRef fn);	  /* flags of the function's record */
LLVMValueRef trace_cut_slot(struct tracer *t, LLVMValueRef v); /* or NULL */
void trace_cut(struct tracer *t, LLVMValueRef call);
/* Behind a hook, with the builder there: word `number` of the room is what the value is from here on. When the function is done: so it is. */
void trace_may_be_set(struct tracer *t, LLVMValueRef v, LLVMValueRef room, unsigned number);
void trace_set_values(struct tracer *t);
void trace_forget_cuts(struct tracer *t);
int trace_fast_eligible(struct tracer *t, LLVMValueRef fn);  /* trace_fast.c: two copies of a function */
void trace_fast_function(struct tracer *t, LLVMValueRef fn, LLVMBasicBlockRef *order, size_t count);
LLVMValueRef trace_load_leaf(struct tracer *t, LLVMValueRef pointer, LLVMValueRef address, const struct leaf *leaf);
void trace_call(struct tracer *t, LLVMValueRef inst);        /* trace_call.c */
void trace_find_members(struct tracer *t, LLVMValueRef fn);  /* trace_member.c; before the function is edited */
void trace_members(struct tracer *t, LLVMValueRef inst);     /* before trace_call, which may fix the size */
void trace_return(struct tracer *t, LLVMValueRef inst);
/* With `here` at the builder, which stands at the end of the entry block, and without the parameters' labels. */
void trace_prologue(struct tracer *t, int here);
void trace_parameter(struct tracer *t, unsigned index, LLVMValueRef *labels); /* what the caller left for it */
void trace_enter(struct tracer *t);                          /* trace_activation.c; after the prologue */
void trace_leave(struct tracer *t, LLVMValueRef result, LLVMValueRef *labels);
void trace_landed(struct tracer *t, LLVMValueRef call);
void trace_from(struct tracer *t, LLVMValueRef call, LLVMValueRef callee, const char *name);
int trace_intrinsic(struct tracer *t, LLVMValueRef inst, const char *name); /* trace_intrinsic.c */
void trace_globals(struct tracer *t);                        /* trace_unit.c */
void trace_marks(struct unit *u);

#endif
