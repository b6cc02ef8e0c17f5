/* trace_plain.c: plain copies of functions that touch no memory.
 *
 * A function of this unit that only computes (no loads, stores, calls but of its
 * own kind) can neither meet a label nor make one if its arguments have none. So
 * the fast copies of its callers call a copy of it that is not instrumented at
 * all, and which the optimiser inlines as it would have done without us.
 */
#include "instrument/tracer.h"

#include <string.h>

#define PLAIN_MAX 200  /* instructions */
#define INLINE_MAX 60  /* inlined at every call up to this many */

static int is_candidate(LLVMValueRef fn)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(fn);

	return !LLVMIsDeclaration(fn) && LLVMGetLinkage(fn) == LLVMInternalLinkage && !LLVMIsFunctionVarArg(type) &&
	       LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMVoidTypeKind;
}

static uint64_t state_of(struct tracer *t, LLVMValueRef fn)
{
	uint64_t v = 0;

	map_get(&t->plain, (uint64_t)(uintptr_t)fn, &v);
	return v;
}

static int is_plain_instruction(struct tracer *t, LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad:
	case LLVMStore:
	case LLVMAlloca:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMFence:
	case LLVMVAArg:
	case LLVMIndirectBr:
	case LLVMInvoke:
	case LLVMCallBr:
	case LLVMLandingPad:
	case LLVMResume:
	case LLVMUnreachable:
		return 0;
	case LLVMCall: {
		LLVMValueRef f = LLVMIsAFunction(LLVMGetCalledValue(inst));
		return trace_is_pure_intrinsic(inst) || (f && state_of(t, f));
	}
	default:
		return 1;
	}
}

/* How many instructions; 0 if it does more than compute. */
static unsigned plain_size(struct tracer *t, LLVMValueRef fn)
{
	unsigned n = 0;

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (!is_plain_instruction(t, i) || (n += !unit_is_marked(i)) > PLAIN_MAX)
				return 0;
	return n;
}

static LLVMValueRef declare_plain(struct tracer *t, LLVMValueRef fn, unsigned size)
{
	LLVMValueRef p = LLVMAddFunction(t->module, "__muster_plain", LLVMGlobalGetValueType(fn));
	unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);

	LLVMSetLinkage(p, LLVMInternalLinkage);
	if (size <= INLINE_MAX)
		LLVMAddAttributeAtIndex(p, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(t->context, always, 0));
	return p;
}

static LLVMValueRef renamed(struct map *names, LLVMValueRef v)
{
	uint64_t to;

	return map_get(names, (uint64_t)(uintptr_t)v, &to) ? (LLVMValueRef)(uintptr_t)to : v;
}

static void rename_to(struct map *names, LLVMValueRef from, LLVMValueRef to)
{
	map_set(names, (uint64_t)(uintptr_t)from, (uint64_t)(uintptr_t)to);
}

static LLVMBasicBlockRef block_of(struct map *names, LLVMBasicBlockRef b)
{
	return LLVMValueAsBasicBlock(renamed(names, LLVMBasicBlockAsValue(b)));
}

static void copy_operands(struct tracer *t, struct map *names, LLVMValueRef from, LLVMValueRef to)
{
	for (int k = 0; k < LLVMGetNumOperands(from); k++) {
		LLVMValueRef v = LLVMGetOperand(from, (unsigned)k), plain = LLVMIsAFunction(v);
		if (LLVMValueIsBasicBlock(v))
			continue;
		plain = plain ? trace_plain_of(t, plain) : NULL;
		LLVMSetOperand(to, (unsigned)k, plain ? plain : renamed(names, v));
	}
	if (LLVMIsATerminatorInst(from))
		for (unsigned k = 0; k < LLVMGetNumSuccessors(from); k++)
			LLVMSetSuccessor(to, k, block_of(names, LLVMGetSuccessor(from, k)));
}

static void copy_body(struct tracer *t, LLVMValueRef from, LLVMValueRef to)
{
	struct map names = {0};

	for (unsigned i = 0; i < LLVMCountParams(from); i++)
		rename_to(&names, LLVMGetParam(from, i), LLVMGetParam(to, i));
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(from); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMBasicBlockRef copy = LLVMAppendBasicBlockInContext(t->context, to, "");
		rename_to(&names, LLVMBasicBlockAsValue(b), LLVMBasicBlockAsValue(copy));
		LLVMPositionBuilderAtEnd(t->b, copy);
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef c;
			if (LLVMIsAPHINode(i)) {
				c = LLVMBuildPhi(t->b, LLVMTypeOf(i), "");
			} else {
				c = LLVMInstructionClone(i);
				LLVMInsertIntoBuilder(t->b, c);
			}
			rename_to(&names, i, c);
		}
	}
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(from); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef c = renamed(&names, i);
			if (!LLVMIsAPHINode(i)) {
				copy_operands(t, &names, i, c);
				continue;
			}
			for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
				LLVMValueRef v = renamed(&names, LLVMGetIncomingValue(i, k));
				LLVMBasicBlockRef at = block_of(&names, LLVMGetIncomingBlock(i, k));
				LLVMAddIncoming(c, &v, &at, 1);
			}
		}
	map_release(&names);
}

void trace_make_plain(struct tracer *t)
{
	VEC(LLVMValueRef) found = {0};
	size_t before;

	/* Callees first, however the functions are ordered. */
	do {
		before = found.size;
		for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f)) {
			unsigned size;
			if (is_candidate(f) && !state_of(t, f) && (size = plain_size(t, f))) {
				map_set(&t->plain, (uint64_t)(uintptr_t)f, (uint64_t)(uintptr_t)declare_plain(t, f, size));
				vec_push(&found, f);
			}
		}
	} while (found.size != before);
	for (size_t i = 0; i < found.size; i++)
		copy_body(t, found.data[i], trace_plain_of(t, found.data[i]));
	vec_release(&found);
}

LLVMValueRef trace_plain_of(struct tracer *t, LLVMValueRef fn)
{
	return (LLVMValueRef)(uintptr_t)state_of(t, fn);
}
