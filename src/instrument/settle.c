/* settle.c: taking undefined behaviour out of a module's promises.
 *
 * Everything here removes a promise (a flag, an attribute, a piece of metadata) or
 * replaces an undefined operand by zero, so the module only ever gets fewer
 * possible behaviours, and the one that is left is one of those it had.
 */
#include "instrument/settle.h"

#include <stdio.h>
#include <string.h>

static unsigned attribute(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

void settle_undefined(struct unit *u)
{
	for (uint32_t i = 0; i < u->count; i++) {
		LLVMValueRef inst = u->instructions[i];
		int n = inst ? LLVMGetNumOperands(inst) : 0;

		for (int k = 0; k < n; k++) {
			LLVMValueRef operand = LLVMGetOperand(inst, (unsigned)k);

			/* Poison is undef's subclass. */
			if (operand && LLVMIsUndef(operand))
				LLVMSetOperand(inst, (unsigned)k,
					       LLVMConstNull(LLVMTypeOf(operand)));
		}
	}
}

#define MEMORY_ATTRIBUTES(X) \
	X("memory")          \
	X("readnone")        \
	X("readonly")        \
	X("writeonly")       \
	X("speculatable")    \
	X("nosync")          \
	X("nofree")          \
	X("willreturn")      \
	X("norecurse")       \
	X("nocallback")      \
	X("nocapture")       \
	X("returned")        \
	X("initializes")

#define PROMISE_ATTRIBUTES(X)        \
	X("nonnull")                 \
	X("noundef")                 \
	X("noalias")                 \
	X("dereferenceable")         \
	X("dereferenceable_or_null") \
	X("range")                   \
	X("mustprogress")            \
	X("allockind")               \
	X("allocsize")

#define MAX_KINDS 16

/* Removes attributes from a function and its parameters, or from a call. */
static void drop_attributes(LLVMValueRef value, const unsigned *kinds, int is_call)
{
	unsigned parameters = is_call ? LLVMGetNumArgOperands(value) : LLVMCountParams(value);

	/* Index 0 is the result; the function itself is the index before it. */
	for (LLVMAttributeIndex i = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	     i == (LLVMAttributeIndex)LLVMAttributeFunctionIndex || i <= parameters; i++) {
		unsigned present = is_call ? LLVMGetCallSiteAttributeCount(value, i)
					   : LLVMGetAttributeCountAtIndex(value, i);

		for (const unsigned *k = kinds; present && *k; k++) {
			if (is_call)
				LLVMRemoveCallSiteEnumAttribute(value, i, *k);
			else
				LLVMRemoveEnumAttributeAtIndex(value, i, *k);
		}
	}
}

static void each_instruction(LLVMModuleRef module, void (*f)(void *ctx, LLVMValueRef inst),
			     void *ctx)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(module); fn; fn = LLVMGetNextFunction(fn))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i))
				f(ctx, i);
}

static int is_intrinsic(LLVMValueRef f)
{
	return LLVMIsAFunction(f) && LLVMGetIntrinsicID(f);
}

static void drop_from_call(void *ctx, LLVMValueRef inst)
{
	if (LLVMIsACallInst(inst) || LLVMIsAInvokeInst(inst))
		drop_attributes(inst, ctx, 1);
}

/* Kinds this version of LLVM does not know come out as 0 and end nothing: they are skipped. */
static void drop_everywhere(LLVMModuleRef module, const unsigned *all, size_t n)
{
	unsigned kinds[MAX_KINDS + 1], used = 0;

	for (size_t i = 0; i < n; i++)
		if (all[i])
			kinds[used++] = all[i];
	kinds[used] = 0;
	/* Intrinsics keep theirs: LLVM owns them and restores nothing. */
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (!is_intrinsic(f))
			drop_attributes(f, kinds, 0);
	each_instruction(module, drop_from_call, kinds);
}

#define X(name) attribute(name),

void instrument_drop_memory_attributes(LLVMModuleRef module)
{
	const unsigned all[] = {MEMORY_ATTRIBUTES(X)};

	_Static_assert(sizeof all / sizeof *all <= MAX_KINDS, "MAX_KINDS");
	drop_everywhere(module, all, sizeof all / sizeof *all);
}

static void drop_promise_attributes(LLVMModuleRef module)
{
	const unsigned all[] = {PROMISE_ATTRIBUTES(X)};

	_Static_assert(sizeof all / sizeof *all <= MAX_KINDS, "MAX_KINDS");
	drop_everywhere(module, all, sizeof all / sizeof *all);
}
#undef X

/* Scopes of aliasing are not among them: the front end makes none, and those of the trace pass are
 * about its own memory. */
#define PROMISE_METADATA(X)          \
	X("tbaa")                    \
	X("tbaa.struct")             \
	X("range")                   \
	X("nonnull")                 \
	X("noundef")                 \
	X("align")                   \
	X("dereferenceable")         \
	X("dereferenceable_or_null") \
	X("invariant.load")          \
	X("llvm.loop")

struct metadata_kinds {
	unsigned kinds[16];
	size_t count;
};

/* Shift amounts count modulo the width, as the machine counts them. */
static void settle_shift(LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMTypeOf(inst);
	LLVMValueRef amount = LLVMGetOperand(inst, 1);
	LLVMBuilderRef builder;
	unsigned width;

	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
		return;
	width = LLVMGetIntTypeWidth(type);
	if (width > 64 || width & (width - 1) ||
	    (LLVMIsAConstantInt(amount) && LLVMConstIntGetZExtValue(amount) < width))
		return;
	builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(type));
	LLVMPositionBuilderBefore(builder, inst);
	LLVMSetOperand(inst, 1,
		       LLVMBuildAnd(builder, amount, LLVMConstInt(type, width - 1, 0), ""));
	LLVMDisposeBuilder(builder);
}

static void settle_instruction(void *ctx, LLVMValueRef inst)
{
	const struct metadata_kinds *m = ctx;

	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMShl:
		LLVMSetNSW(inst, 0);
		LLVMSetNUW(inst, 0);
		if (LLVMGetInstructionOpcode(inst) == LLVMShl)
			settle_shift(inst);
		break;
	case LLVMUDiv:
	case LLVMSDiv:
		LLVMSetExact(inst, 0);
		break;
	case LLVMLShr:
	case LLVMAShr:
		LLVMSetExact(inst, 0);
		settle_shift(inst);
		break;
	case LLVMOr:
		LLVMSetIsDisjoint(inst, 0);
		break;
	case LLVMZExt:
	case LLVMUIToFP:
		LLVMSetNNeg(inst, 0);
		break;
	case LLVMGetElementPtr:
		LLVMSetIsInBounds(inst, 0);
		break;
	default:
		break;
	}
	if (LLVMHasMetadata(inst))
		for (size_t i = 0; i < m->count; i++)
			LLVMSetMetadata(inst, m->kinds[i], NULL);
}

/* "no-builtins" on the caller is not enough: the code generator's expansion of memcmp asks the call
 * alone. */
static void settle_call(void *ctx, LLVMValueRef inst)
{
	if ((LLVMIsACallInst(inst) || LLVMIsAInvokeInst(inst)) &&
	    !is_intrinsic(LLVMGetCalledValue(inst)) && !LLVMIsAInlineAsm(LLVMGetCalledValue(inst)))
		LLVMAddCallSiteAttribute(inst, LLVMAttributeFunctionIndex,
					 LLVMCreateEnumAttribute(ctx, attribute("nobuiltin"), 0));
}

static void settle_function(LLVMContextRef context, LLVMValueRef f)
{
	LLVMAttributeRef null_is_valid =
	    LLVMCreateEnumAttribute(context, attribute("null_pointer_is_valid"), 0);
	LLVMAttributeRef no_builtins = LLVMCreateStringAttribute(context, "no-builtins", 11, "", 0);

	LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, null_is_valid);
	LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, no_builtins);
}

void settle_behaviour(LLVMModuleRef module)
{
	static const char *const names[] = {
#define X(name) name,
	    PROMISE_METADATA(X)
#undef X
	};
	LLVMContextRef context = LLVMGetModuleContext(module);
	struct metadata_kinds m = {.count = sizeof names / sizeof *names};

	for (size_t i = 0; i < m.count; i++)
		m.kinds[i] =
		    LLVMGetMDKindIDInContext(context, names[i], (unsigned)strlen(names[i]));
	drop_promise_attributes(module);
	each_instruction(module, settle_instruction, &m);
}

void settle_functions(LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (!is_intrinsic(f))
			settle_function(context, f);
	each_instruction(module, settle_call, context);
}

static int is_wrapped(const char *name, const char *const *wrapped)
{
	for (; wrapped && *wrapped; wrapped++)
		if (!strcmp(*wrapped, name))
			return 1;
	return 0;
}

static void copy_attributes(LLVMValueRef to, LLVMValueRef from)
{
	unsigned parameters = LLVMCountParams(from);

	for (LLVMAttributeIndex i = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	     i == (LLVMAttributeIndex)LLVMAttributeFunctionIndex || i <= parameters; i++) {
		LLVMAttributeRef list[64];
		unsigned n = LLVMGetAttributeCountAtIndex(from, i);

		if (n > sizeof list / sizeof *list)
			continue;
		LLVMGetAttributesAtIndex(from, i, list);
		for (unsigned k = 0; k < n; k++)
			LLVMAddAttributeAtIndex(to, i, list[k]);
	}
}

/* Callers reach the function of that name elsewhere; the body stays behind, unused. */
static void cut_off(LLVMModuleRef module, LLVMValueRef f)
{
	LLVMValueRef declared = LLVMAddFunction(module, "", LLVMGlobalGetValueType(f));
	size_t length;
	char name[256];

	snprintf(name, sizeof name, "%s", LLVMGetValueName2(f, &length));
	copy_attributes(declared, f);
	LLVMSetFunctionCallConv(declared, LLVMGetFunctionCallConv(f));
	LLVMReplaceAllUsesWith(f, declared);
	LLVMSetValueName2(f, "", 0);
	LLVMSetValueName2(declared, name, strlen(name));
}

/* LLVM turns calls of the fortified functions (__memcpy_chk ...) into plain moves whatever it is asked
 * about builtins. So they go by the runtime's name for them at once, as the linker would have it. */
void settle_fortified(LLVMModuleRef module, const char *const *wrapped)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		size_t n;
		const char *name = LLVMGetValueName2(f, &n);
		char text[256];

		if (!LLVMIsDeclaration(f) || n < 6 || strcmp(name + n - 4, "_chk") != 0 || !is_wrapped(name, wrapped))
			continue;
		snprintf(text, sizeof text, "__wrap_%s", name);
		LLVMSetValueName2(f, text, strlen(text));
	}
}

static LLVMValueRef settled_constant(LLVMValueRef call)
{
	LLVMValueRef f = LLVMIsACallInst(call) ? LLVMIsAFunction(LLVMGetCalledValue(call)) : NULL;
	size_t n;
	const char *name = f ? LLVMGetValueName2(f, &n) : "";

	if (strncmp(name, "llvm.is.constant.", 17) == 0)
		return LLVMConstNull(LLVMTypeOf(call));
	if (strncmp(name, "llvm.objectsize.", 16) == 0) /* unknown is the largest or the smallest, as asked for */
		return LLVMIsNull(LLVMGetOperand(call, 1)) ? LLVMConstAllOnes(LLVMTypeOf(call)) : LLVMConstNull(LLVMTypeOf(call));
	return NULL;
}

void settle_constants(struct unit *u)
{
	for (uint32_t i = 0; i < u->count; i++) {
		LLVMValueRef v = u->instructions[i] ? settled_constant(u->instructions[i]) : NULL;
		if (v)
			LLVMReplaceAllUsesWith(u->instructions[i], v);
	}
}

void settle_inline(LLVMModuleRef module, const char *const *wrapped)
{
	unsigned always = attribute("alwaysinline");

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) != LLVMAvailableExternallyLinkage)
			continue;
		if (!LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, always) &&
		    is_wrapped(LLVMGetValueName(f), wrapped))
			cut_off(module, f);
		LLVMSetLinkage(f, LLVMInternalLinkage);
		LLVMSetVisibility(f, LLVMDefaultVisibility);
	}
}
