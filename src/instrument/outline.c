/* outline.c: what the user wants inlined becomes a function like any other.
 *
 * Instrumented code is ten times as large as the code it is made from, in two copies. A body that is inlined twenty times, with all its own
 * callees in it, multiplies that: one file of lz4 had 29 MB of code and took a minute. Inlining is no part of what a C program
 * means, so the attributes are dropped, except where a call would not do the same:
 *
 *   - a vector that is passed or returned: how depends on the features of the target that caller and callee were compiled for;
 *   - the frame itself is asked for (__builtin_frame_address and the like), and the answer is about the caller's.
 *
 * Small bodies stay: a call costs more than they do. Sites are numbered before, so a site means the same instruction either way.
 */
#include "instrument/outline.h"

#include <string.h>

/* Instructions of a body that is inlined all the same: about what passing its arguments and labels costs. */
#define SMALL_BODY 30

static unsigned kind_of(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static int holds_vector(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMVectorTypeKind:
	case LLVMScalableVectorTypeKind:
	case LLVMX86_AMXTypeKind:
		return 1;
	case LLVMArrayTypeKind:
		return holds_vector(LLVMGetElementType(type));
	case LLVMStructTypeKind:
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
			if (holds_vector(LLVMStructGetTypeAtIndex(type, i)))
				return 1;
		return 0;
	default:
		return 0;
	}
}

static int passes_vector(LLVMValueRef fn)
{
	if (holds_vector(LLVMGetReturnType(LLVMGlobalGetValueType(fn))))
		return 1;
	for (LLVMValueRef p = LLVMGetFirstParam(fn); p; p = LLVMGetNextParam(p))
		if (holds_vector(LLVMTypeOf(p)))
			return 1;
	return 0;
}

/* A call whose answer is about the frame that it is made from. */
static int asks_for_frame(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName(callee) : "";

	return strncmp(name, "llvm.frameaddress", 17) == 0 || strcmp(name, "llvm.returnaddress") == 0 ||
	       strncmp(name, "llvm.addressofreturnaddress", 27) == 0;
}

/* Larger than `small` instructions, and nothing in it needs the caller's frame. */
static int can_be_called(LLVMValueRef fn, unsigned small)
{
	unsigned n = 0;

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			if (LLVMIsACallInst(i) && asks_for_frame(i))
				return 0;
			n++;
		}
	return n > small;
}

void outline_functions(LLVMModuleRef module, int calls)
{
	unsigned always = kind_of("alwaysinline"), hint = kind_of("inlinehint"), never = kind_of("noinline");

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f) || passes_vector(f) || !can_be_called(f, calls ? 0 : SMALL_BODY))
			continue;
		LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, always);
		LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, hint);
		if (calls)
			LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(LLVMGetModuleContext(module), never, 0));
	}
}
