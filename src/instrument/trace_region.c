/* trace_region.c: regions and slots of a function that gets two copies.
 *
 * A region is operations without side effects, then at most one instruction with
 * one. Everything that outlives its region has a slot, in which both copies keep it.
 */
#include "instrument/trace_region.h"

#include "instrument/fold.h"

#include <string.h>

#define MAX_INSTRUCTIONS 30000 /* beyond this a function has its slow version only */

/* ------------------------------------------------------------ eligibility */
static int has_address(LLVMValueRef fn)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u))
			if (!LLVMIsAInstruction(LLVMGetUser(u)) && LLVMGetFirstUse(LLVMGetUser(u)))
				return 1;
	return 0;
}

static int is_odd(LLVMValueRef inst)
{
	unsigned twice = LLVMGetEnumAttributeKindForName("returns_twice", 13);

	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMIndirectBr:
	case LLVMInvoke:
	case LLVMCallBr:
	case LLVMLandingPad:
	case LLVMResume:
	case LLVMCleanupPad:
	case LLVMCatchPad:
		return 1;
	case LLVMCall: {
		LLVMValueRef f = LLVMIsAFunction(LLVMGetCalledValue(inst));
		return LLVMGetTailCallKind(inst) == LLVMTailCallKindMustTail ||
		       LLVMGetCallSiteEnumAttribute(inst, LLVMAttributeFunctionIndex, twice) ||
		       (f && LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, twice));
	}
	default:
		return LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMTokenTypeKind;
	}
}

int trace_fast_eligible(struct tracer *t, LLVMValueRef fn)
{
	unsigned n = 0;

	/* A fast copy would follow a null pointer of the driver's before anything says that it was one. */
	if (t->options->all_decisions || t->options->calls || !instrument_wants_fast(t->options, fn) || t->driven || has_address(fn))
		return 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (is_odd(i) || (n += !unit_is_marked(i)) > MAX_INSTRUCTIONS)
				return 0;
	return 1;
}

/* --------------------------------------------------------------- regions */

/* Intrinsics that neither read nor write anything a region cares about. */
int trace_is_pure_intrinsic(LLVMValueRef call)
{
	static const char *const impure[] = {"llvm.mem", "llvm.va_", "llvm.stack", "llvm.trap", "llvm.ubsantrap",
					     "llvm.eh.", "llvm.debugtrap", "llvm.lifetime"};
	LLVMValueRef f = LLVMIsAFunction(LLVMGetCalledValue(call));
	size_t n;
	const char *name = f ? LLVMGetValueName2(f, &n) : "";

	if (!strcmp(name, FOLD_MARK) || trace_is_entry(call))
		return 1; /* an event, of labels only */
	if (strncmp(name, "llvm.", 5) != 0 || strncmp(name, "llvm.x86.", 9) == 0)
		return 0;
	for (size_t i = 0; i < sizeof impure / sizeof *impure; i++)
		if (strncmp(name, impure[i], strlen(impure[i])) == 0)
			return 0;
	return 1;
}

int trace_is_plain_load(LLVMValueRef inst)
{
	return LLVMIsALoadInst(inst) && !LLVMGetVolatile(inst) && LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic;
}

/* A call of something that only computes. */
LLVMValueRef trace_plain_callee(struct tracer *t, LLVMValueRef inst)
{
	LLVMValueRef f = LLVMIsACallInst(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;

	return f ? trace_plain_of(t, f) : NULL;
}

int trace_has_effect(struct tracer *t, LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMStore:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMFence:
	case LLVMAlloca:
	case LLVMVAArg:
		return 1;
	case LLVMLoad:
		return !trace_is_plain_load(inst);
	case LLVMCall:
		return !trace_is_pure_intrinsic(inst) && !trace_plain_callee(t, inst);
	default:
		return LLVMIsATerminatorInst(inst) != NULL;
	}
}

static void add_region(struct fast *f, LLVMBasicBlockRef b)
{
	struct region *r = mem_alloc(sizeof *r);

	memset(r, 0, sizeof *r);
	r->slow = b;
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
		vec_push(&r->list, i);
	vec_push(&f->regions, r);
	map_set(&f->region_of, (uint64_t)(uintptr_t)b, f->regions.size);
}

static void cut_block(struct fast *f, LLVMBasicBlockRef block)
{
	struct tracer *t = f->t;
	VEC(LLVMValueRef) cuts = {0};

	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
		if (trace_has_effect(t, i) && !LLVMIsATerminatorInst(i))
			vec_push(&cuts, LLVMGetNextInstruction(i));
	for (size_t i = 0; i < cuts.size; i++) {
		LLVMBasicBlockRef head = tracer_split(t, cuts.data[i]);
		LLVMPositionBuilderAtEnd(t->b, head);
		LLVMBuildBr(t->b, block);
		add_region(f, head);
	}
	add_region(f, block);
	vec_release(&cuts);
}

/* The first instruction that is not one of the stack objects at the top. */
static LLVMValueRef after_objects(LLVMValueRef fn)
{
	LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn));

	while (LLVMIsAAllocaInst(i) && LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
		i = LLVMGetNextInstruction(i);
	return i;
}

struct region *trace_region_of(struct fast *f, LLVMBasicBlockRef b)
{
	uint64_t at;

	return map_get(&f->region_of, (uint64_t)(uintptr_t)b, &at) ? f->regions.data[at - 1] : NULL;
}

/* order: reachable blocks in post-order; the entry is the last. */
void trace_collect_regions(struct fast *f, LLVMBasicBlockRef *order, size_t count)
{
	struct tracer *t = f->t;

	f->entry = tracer_split(t, after_objects(f->function)); /* gets its end in join_entry */
	for (size_t i = count; i-- > 0;)
		cut_block(f, order[i]);
	for (size_t i = 0; i < f->regions.size; i++) {
		struct region *r = f->regions.data[i];
		LLVMValueRef last = LLVMGetBasicBlockTerminator(r->slow);
		for (unsigned k = 0; k < LLVMGetNumSuccessors(last); k++)
			vec_push(&r->next, trace_region_of(f, LLVMGetSuccessor(last, k)));
		r->fast = LLVMAppendBasicBlockInContext(t->context, f->function, "");
		r->landing = LLVMAppendBasicBlockInContext(t->context, f->function, "");
		LLVMPositionBuilderAtEnd(t->b, r->landing);
		LLVMBuildBr(t->b, r->slow);
	}
}

/* ----------------------------------------------------------------- slots */

struct slot *trace_slot_of(struct fast *f, LLVMValueRef v)
{
	uint64_t at;

	return map_get(&f->slot_of, (uint64_t)(uintptr_t)v, &at) ? f->slots.data[at - 1] : NULL;
}

static LLVMValueRef room(struct fast *f, LLVMTypeRef type)
{
	return tracer_entry_alloca(f->t, type, "muster.slot");
}

static struct slot *add_slot(struct fast *f, LLVMValueRef v)
{
	struct leaf leaves[TRACER_LEAVES];
	struct slot *s = mem_alloc(sizeof *s);

	memset(s, 0, sizeof *s);
	s->value = v;
	s->n = tracer_leaves(f->t, LLVMTypeOf(v), leaves);
	for (unsigned i = 0; i < s->n; i++)
		if (leaves[i].bits && tracer_may_have(f->t, v))
			s->labels[i] = room(f, f->t->i32);
	vec_push(&f->slots, s);
	map_set(&f->slot_of, (uint64_t)(uintptr_t)v, f->slots.size);
	return s;
}

/* Is v used where its own region has ended? */
static int outlives(LLVMValueRef v, LLVMBasicBlockRef home)
{
	for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (!LLVMIsAPHINode(user)) {
			if (LLVMGetInstructionParent(user) != home)
				return 1;
			continue;
		}
		for (unsigned k = 0; k < LLVMCountIncoming(user); k++)
			if (LLVMGetIncomingValue(user, k) == v && LLVMGetIncomingBlock(user, k) != home)
				return 1;
	}
	return 0;
}

void trace_make_slots(struct fast *f)
{
	for (unsigned i = 0; i < LLVMCountParams(f->function); i++)
		if (LLVMGetFirstUse(LLVMGetParam(f->function, i)))
			add_slot(f, LLVMGetParam(f->function, i));
	for (size_t i = 0; i < f->regions.size; i++) {
		struct region *r = f->regions.data[i];
		for (size_t k = 0; k < r->list.size; k++) {
			LLVMValueRef v = r->list.data[k];
			int phi = LLVMIsAPHINode(v) != NULL, lives = outlives(v, r->slow);
			if (!phi && !lives)
				continue;
			struct slot *s = add_slot(f, v);
			if (lives)
				s->room = room(f, LLVMTypeOf(v));
			if (!phi)
				continue;
			s->in = room(f, LLVMTypeOf(v));
			for (unsigned n = 0; n < s->n; n++)
				if (s->labels[n])
					s->in_labels[n] = room(f, f->t->i32);
		}
	}
}

LLVMValueRef trace_reload(struct tracer *t, LLVMTypeRef type, LLVMValueRef from)
{
	return LLVMBuildLoad2(t->b, type, from, "");
}

void trace_store_labels(struct tracer *t, LLVMValueRef *to, const LLVMValueRef *labels, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (to[i])
			LLVMBuildStore(t->b, labels ? labels[i] : t->zero, to[i]);
}

LLVMValueRef trace_incoming_from(LLVMValueRef phi, LLVMBasicBlockRef block)
{
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
		if (LLVMGetIncomingBlock(phi, i) == block)
			return LLVMGetIncomingValue(phi, i);
	return NULL;
}

uint64_t trace_ordinal_of(struct tracer *t, LLVMValueRef inst)
{
	uint64_t at = 0;

	map_get(&t->ordinals, (uint64_t)(uintptr_t)inst, &at);
	return at;
}
