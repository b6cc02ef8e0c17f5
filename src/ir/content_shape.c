/* content_shape.c: an instruction without its operands, and the head of a function, as one number each.
 *
 * All that LLVM keeps in an instruction goes in, with three exceptions. The type that an address is computed with is replaced by the offset and the scales it
 * means, so that a member added at the end of a struct changes nothing that does not depend on its size. An alloca is its size and alignment. Attributes that only tell the
 * optimizer or the code generator how to work (the list below) are left out; every other attribute counts, known here or not.
 */
#include "ir/code_parts.h"
#include "ir/content_parts.h"

#include <llvm-c/Core.h>

#include <string.h>

/* ------------------------------------------------------------------ attributes */

static const char *const neutral_kinds[] = {
    "alwaysinline", "cold",	"hot",	    "inlinehint", "minsize", "mustprogress", "nocallback", "noinline", "norecurse", "nosync", "nounwind",
    "optnone",	    "optsize",	"ssp",	    "sspreq",	  "sspstrong", "uwtable",    "willreturn",
};
static const char *const neutral_texts[] = {
    "frame-pointer", "min-legal-vector-width", "stack-protector-buffer-size", "target-cpu", "target-features", "tune-cpu",
};

void content_neutral(struct content_maker *m)
{
	for (size_t i = 0; i < sizeof neutral_kinds / sizeof *neutral_kinds; i++)
		map_set(&m->neutral, LLVMGetEnumAttributeKindForName(neutral_kinds[i], strlen(neutral_kinds[i])), 1);
}

static int is_neutral_text(const char *text, unsigned length)
{
	for (size_t i = 0; i < sizeof neutral_texts / sizeof *neutral_texts; i++)
		if (strlen(neutral_texts[i]) == length && !memcmp(neutral_texts[i], text, length))
			return 1;
	return 0;
}

static uint64_t text_attribute(LLVMAttributeRef a)
{
	unsigned n, m;
	const char *kind = LLVMGetStringAttributeKind(a, &n), *value = LLVMGetStringAttributeValue(a, &m);

	if (is_neutral_text(kind, n))
		return 0;
	return content_fold(hash64(kind, n, 5), hash64(value ? value : "", value ? m : 0, 6));
}

/* Their order does not count: a sum. */
static uint64_t add_attributes(struct content_maker *m, LLVMAttributeRef *list, unsigned n)
{
	uint64_t sum = 0;

	for (unsigned k = 0; k < n; k++) {
		if (LLVMIsStringAttribute(list[k])) {
			sum += text_attribute(list[k]);
		} else if (LLVMIsTypeAttribute(list[k])) {
			LLVMTypeRef type = LLVMGetTypeAttributeValue(list[k]);

			sum += content_fold(LLVMGetEnumAttributeKind(list[k]), type ? content_type(m, type) : 0);
		} else if (LLVMIsEnumAttribute(list[k])) {
			unsigned kind = LLVMGetEnumAttributeKind(list[k]);

			if (!map_get(&m->neutral, kind, NULL))
				sum += content_fold(kind, LLVMGetEnumAttributeValue(list[k]));
		}
	}
	return sum;
}

/* Of a function or a call, at the function, its result and its parameters. */
static uint64_t all_attributes(struct content_maker *m, LLVMValueRef v, unsigned parameters, int call)
{
	uint64_t h = 7;
	VEC(LLVMAttributeRef) list = {0};

	for (unsigned k = 0; k <= parameters + 1; k++) {
		LLVMAttributeIndex at = k > parameters ? (LLVMAttributeIndex)LLVMAttributeFunctionIndex : k;
		unsigned n = call ? LLVMGetCallSiteAttributeCount(v, at) : LLVMGetAttributeCountAtIndex(v, at);

		vec_reserve(&list, n + 1);
		if (n && call)
			LLVMGetCallSiteAttributes(v, at, list.data);
		else if (n)
			LLVMGetAttributesAtIndex(v, at, list.data);
		h = content_fold(h, add_attributes(m, list.data, n));
	}
	vec_release(&list);
	return h;
}

uint64_t content_function(struct content_maker *m, LLVMValueRef f)
{
	uint64_t h = content_type(m, LLVMGlobalGetValueType(f));

	h = content_fold(h, LLVMGetFunctionCallConv(f));
	return content_fold(h, all_attributes(m, f, LLVMCountParams(f), 0));
}

/* ------------------------------------------------------------------ instructions */

struct gep_fold {
	uint64_t hash;
	void (*f)(void *ctx, LLVMValueRef index, int64_t scale);
	void *ctx;
};

static void on_index(void *ctx, LLVMValueRef index, int64_t scale)
{
	struct gep_fold *g = ctx;

	g->hash = content_fold(g->hash, (uint64_t)scale);
	if (g->f)
		g->f(g->ctx, index, scale);
}

int content_gep(struct content_maker *m, LLVMValueRef gep, uint64_t *hash, void (*f)(void *ctx, LLVMValueRef index, int64_t scale), void *ctx)
{
	struct gep_fold g = {*hash, f, ctx};
	int64_t offset = 0;

	if (LLVMGetTypeKind(LLVMTypeOf(gep)) != LLVMPointerTypeKind || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(gep, 0))) != LLVMPointerTypeKind ||
	    code_gep(m->layout, gep, &offset, on_index, &g))
		return -1;
	*hash = content_fold(g.hash, (uint64_t)offset);
	return 0;
}

static uint64_t gep_shape(struct content_maker *m, LLVMValueRef inst, uint64_t h)
{
	h = content_fold(h, LLVMGEPGetNoWrapFlags(inst));
	if (content_gep(m, inst, &h, NULL, NULL))
		h = content_fold(h, content_type(m, LLVMGetGEPSourceElementType(inst)));
	return h;
}

static uint64_t call_shape(struct content_maker *m, LLVMValueRef inst, uint64_t h)
{
	h = content_fold(h, content_type(m, LLVMGetCalledFunctionType(inst)));
	h = content_fold(h, LLVMGetInstructionCallConv(inst));
	h = content_fold(h, all_attributes(m, inst, LLVMGetNumArgOperands(inst), 1));
	for (unsigned k = 0; k < LLVMGetNumOperandBundles(inst); k++) {
		LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(inst, k);
		size_t n;
		const char *tag = LLVMGetOperandBundleTag(bundle, &n);

		h = content_fold(content_fold(h, hash64(tag, n, 8)), LLVMGetNumOperandBundleArgs(bundle));
		LLVMDisposeOperandBundle(bundle);
	}
	return h;
}

static uint64_t atomic_shape(LLVMValueRef inst, uint64_t h)
{
	h = content_fold(h, (uint64_t)LLVMIsAtomicSingleThread(inst));
	if (LLVMGetInstructionOpcode(inst) == LLVMAtomicCmpXchg) {
		h = content_fold(h, LLVMGetCmpXchgSuccessOrdering(inst));
		h = content_fold(h, LLVMGetCmpXchgFailureOrdering(inst));
		return content_fold(h, (uint64_t)LLVMGetWeak(inst));
	}
	h = content_fold(h, LLVMGetOrdering(inst));
	return LLVMGetInstructionOpcode(inst) == LLVMAtomicRMW ? content_fold(h, LLVMGetAtomicRMWBinOp(inst)) : h;
}

static uint64_t memory_shape(LLVMValueRef inst, uint64_t h)
{
	h = content_fold(h, LLVMGetAlignment(inst));
	h = content_fold(h, (uint64_t)LLVMGetVolatile(inst));
	if (LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst))
		return content_fold(h, LLVMGetOrdering(inst));
	return atomic_shape(inst, h);
}

static uint64_t list_shape(LLVMValueRef inst, uint64_t h)
{
	if (LLVMGetInstructionOpcode(inst) == LLVMShuffleVector) {
		for (unsigned k = 0; k < LLVMGetNumMaskElements(inst); k++)
			h = content_fold(h, (uint64_t)(int64_t)LLVMGetMaskValue(inst, k));
		return h;
	}
	for (unsigned k = 0; k < LLVMGetNumIndices(inst); k++)
		h = content_fold(h, LLVMGetIndices(inst)[k]);
	return h;
}

static uint64_t flags_shape(LLVMValueRef inst, uint64_t h)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMShl:
		return content_fold(h, (uint64_t)(LLVMGetNSW(inst) * 2 + LLVMGetNUW(inst)));
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMLShr:
	case LLVMAShr:
		return content_fold(h, (uint64_t)LLVMGetExact(inst));
	case LLVMOr:
		return content_fold(h, (uint64_t)LLVMGetIsDisjoint(inst));
	case LLVMZExt:
		return content_fold(h, (uint64_t)LLVMGetNNeg(inst));
	case LLVMICmp:
		return content_fold(h, LLVMGetICmpPredicate(inst));
	case LLVMFCmp:
		return content_fold(h, LLVMGetFCmpPredicate(inst));
	default:
		return h;
	}
}

static uint64_t special_shape(struct content_maker *m, LLVMValueRef inst, uint64_t h)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad:
	case LLVMStore:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		return memory_shape(inst, h);
	case LLVMFence:
		return atomic_shape(inst, h);
	case LLVMAlloca:
		return content_fold(content_fold(h, LLVMABISizeOfType(m->layout, LLVMGetAllocatedType(inst))), LLVMGetAlignment(inst));
	case LLVMGetElementPtr:
		return gep_shape(m, inst, h);
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		return call_shape(m, inst, h);
	case LLVMExtractValue:
	case LLVMInsertValue:
	case LLVMShuffleVector:
		return list_shape(inst, h);
	default:
		return flags_shape(inst, h);
	}
}

uint64_t content_shape(struct content_maker *m, LLVMValueRef inst)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	uint64_t h = content_fold(content_fold(9, op), content_type(m, LLVMTypeOf(inst)));

	h = content_fold(h, (uint64_t)unit_is_marked(inst));
	if (op != LLVMPHI && op != LLVMGetElementPtr && op != LLVMCall)
		for (int k = 0; k < LLVMGetNumOperands(inst); k++)
			h = content_fold(h, content_type(m, LLVMTypeOf(LLVMGetOperand(inst, (unsigned)k))));
	if (LLVMCanValueUseFastMathFlags(inst))
		h = content_fold(h, LLVMGetFastMathFlags(inst));
	return special_shape(m, inst, h);
}
