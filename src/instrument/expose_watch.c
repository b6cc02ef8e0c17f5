/* expose_watch.c: blocks count, and locals have guards.
 *
 * A search for inputs wants to know where a run came to: each block adds 1 to a byte of its own (it may wrap). Which block is which the reader of the names knows by its function and the source lines of its instructions, since the code is not in the normal form that everything static reads.
 *
 * An access beyond a local finds what the compiler has put there, which is the same each time and another thing in another version. So that no difference rests on it, locals of more than a word lie between two guards, which have the bytes of the
 * run: what is read there is not the same each time, and what is written there is seen when the function returns. Variables of the program and constants have sections of their own, which are linked with gaps for one of the runs.
 */
#include "instrument/expose_watch.h"

#include "base/buf.h"
#include "instrument/expose.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <stdio.h>
#include <string.h>

#define LINES 200 /* of a block */
#define SPREAD 65536 /* bytes of a variable that gets a section of its own */
#define GUARD 256 /* bytes on each side of a local; a multiple of what any type asks for */

/* ------------------------------------------------------------ blocks */

static void read_block(LLVMBasicBlockRef b, struct expose_lines *out)
{
	size_t start = out->lines.size;

	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
		unsigned line = LLVMGetDebugLocLine(i);
		if (line && out->lines.size - start < LINES && (out->lines.size == start || vec_last(&out->lines) != line))
			vec_push(&out->lines, line);
	}
	vec_push(&out->lines, 0);
	map_set(&out->first, (uint64_t)(uintptr_t)b, start);
}

void expose_lines_read(LLVMModuleRef module, struct expose_lines *out)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			read_block(b, out);
}

void expose_lines_release(struct expose_lines *l)
{
	map_release(&l->first);
	vec_release(&l->lines);
}

static void say_block(const struct expose_lines *l, LLVMValueRef f, LLVMBasicBlockRef b, struct buf *names)
{
	size_t size;
	uint64_t first;

	buf_addf(names, "B%s:", LLVMGetValueName2(f, &size));
	if (map_get(&l->first, (uint64_t)(uintptr_t)b, &first))
		for (; l->lines.data[first]; first++)
			buf_addf(names, "%u,", l->lines.data[first]);
	buf_addc(names, 0);
}

static void count_block(LLVMBuilderRef builder, LLVMTypeRef byte, LLVMTypeRef word, LLVMValueRef counters, uint64_t number, LLVMBasicBlockRef b)
{
	LLVMValueRef at = LLVMGetFirstInstruction(b), index = LLVMConstInt(word, number, 0);

	while (LLVMIsAPHINode(at) || LLVMIsAAllocaInst(at))
		at = LLVMGetNextInstruction(at);
	LLVMPositionBuilderBefore(builder, at);
	LLVMValueRef place = LLVMBuildGEP2(builder, byte, counters, &index, 1, ""), now = LLVMBuildLoad2(builder, byte, place, "");
	LLVMBuildStore(builder, LLVMBuildAdd(builder, now, LLVMConstInt(byte, 1, 0), ""), place);
}

void expose_cover(LLVMModuleRef module, const struct expose_lines *lines, int (*kept)(void *ctx, LLVMValueRef f), void *ctx, struct buf *names)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMTypeRef byte = LLVMInt8TypeInContext(context), word = LLVMInt64TypeInContext(context);
	VEC(LLVMBasicBlockRef) blocks = {0};

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = kept(ctx, f) ? LLVMGetFirstBasicBlock(f) : NULL; b; b = LLVMGetNextBasicBlock(b)) {
			say_block(lines, f, b, names);
			vec_push(&blocks, b);
		}
	LLVMTypeRef array = LLVMArrayType2(byte, blocks.size + 1);
	LLVMValueRef counters = LLVMAddGlobal(module, array, EXPOSE_COVER);
	LLVMSetInitializer(counters, LLVMConstNull(array));
	LLVMTypeRef number = LLVMInt32TypeInContext(context);
	LLVMValueRef count = LLVMAddGlobal(module, number, EXPOSE_BLOCKS);
	LLVMSetInitializer(count, LLVMConstInt(number, blocks.size, 0));
	for (size_t i = 0; i < blocks.size; i++)
		count_block(builder, byte, word, counters, i, blocks.data[i]);
	LLVMDisposeBuilder(builder);
	vec_release(&blocks);
}

/* ------------------------------------------------------------ locals */

struct guarder {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTypeRef word, pointer;
};

static void call_on(struct guarder *g, const char *name, LLVMValueRef at, uint64_t bytes)
{
	LLVMTypeRef types[2] = {g->pointer, g->word}, type = LLVMFunctionType(LLVMVoidTypeInContext(g->context), types, 2, 0);
	LLVMValueRef callee = LLVMGetNamedFunction(g->module, name), arguments[2] = {at, LLVMConstInt(g->word, bytes, 0)};

	LLVMBuildCall2(g->builder, type, callee ? callee : LLVMAddFunction(g->module, name, type), arguments, 2, "");
}

static uint64_t size_of(const struct guarder *g, LLVMTypeRef t)
{
	return LLVMABISizeOfType(LLVMGetModuleDataLayout(g->module), t);
}

/* The local in the middle of a larger one: its address in the place of the old one. */
static LLVMValueRef widen(struct guarder *g, LLVMValueRef local, LLVMValueRef next)
{
	LLVMTypeRef guard = LLVMArrayType2(LLVMInt8TypeInContext(g->context), GUARD), parts[3] = {guard, LLVMGetAllocatedType(local), guard}, whole = LLVMStructTypeInContext(g->context, parts, 3, 0);
	LLVMValueRef wide, middle;

	LLVMPositionBuilderBefore(g->builder, next);
	wide = LLVMBuildAlloca(g->builder, whole, "");
	LLVMSetAlignment(wide, LLVMGetAlignment(local));
	middle = LLVMBuildStructGEP2(g->builder, whole, wide, 1, "");
	LLVMReplaceAllUsesWith(local, middle);
	LLVMInstructionEraseFromParent(local);
	call_on(g, "muster_fill", wide, size_of(g, whole));
	return wide;
}

static int has_parts(LLVMTypeRef t)
{
	LLVMTypeKind kind = LLVMGetTypeKind(t);
	return kind == LLVMArrayTypeKind || kind == LLVMStructTypeKind;
}

static void check_at_ends(struct guarder *g, LLVMValueRef f, LLVMValueRef wide)
{
	LLVMTypeRef whole = LLVMGetAllocatedType(wide), byte = LLVMInt8TypeInContext(g->context);
	LLVMValueRef after = LLVMConstInt(g->word, size_of(g, whole) - GUARD, 0);

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
		if (!last || !LLVMIsAReturnInst(last))
			continue;
		LLVMPositionBuilderBefore(g->builder, last);
		call_on(g, "muster_guard", wide, GUARD);
		call_on(g, "muster_guard", LLVMBuildGEP2(g->builder, byte, wide, &after, 1, ""), GUARD);
	}
}

void expose_guard_locals(LLVMModuleRef module, LLVMValueRef f)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	struct guarder g = {module, context, LLVMCreateBuilderInContext(context), LLVMInt64TypeInContext(context), LLVMPointerTypeInContext(context, 0)};

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
			next = LLVMGetNextInstruction(i);
			if (!LLVMIsAAllocaInst(i) || !LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
				continue;
			uint64_t count = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)), inner = size_of(&g, LLVMGetAllocatedType(i));
			if (count == 1 && has_parts(LLVMGetAllocatedType(i)) && LLVMGetAlignment(i) <= GUARD && b == LLVMGetEntryBasicBlock(f)) {
				check_at_ends(&g, f, widen(&g, i, next));
				continue;
			}
			LLVMPositionBuilderBefore(g.builder, next);
			call_on(&g, "muster_fill", i, inner * count);
		}
	LLVMDisposeBuilder(g.builder);
}

/* ------------------------------------------------------------ shifts */

static int is_shift(LLVMValueRef i)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);

	return (op == LLVMShl || op == LLVMLShr || op == LLVMAShr) && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind && !LLVMIsAConstant(LLVMGetOperand(i, 1));
}

static void watch_shift(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef shift)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef word = LLVMInt64TypeInContext(context), type = LLVMFunctionType(LLVMVoidTypeInContext(context), &word, 1, 0);
	LLVMValueRef callee = LLVMGetNamedFunction(module, "muster_shift"), amount = LLVMGetOperand(shift, 1);

	LLVMPositionBuilderBefore(builder, shift);
	LLVMValueRef far = LLVMBuildICmp(builder, LLVMIntUGE, amount, LLVMConstInt(LLVMTypeOf(amount), LLVMGetIntTypeWidth(LLVMTypeOf(amount)), 0), ""), argument = LLVMBuildZExt(builder, far, word, "");
	LLVMBuildCall2(builder, type, callee ? callee : LLVMAddFunction(module, "muster_shift", type), &argument, 1, "");
}

void expose_watch_shifts(LLVMModuleRef module)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				if (is_shift(i))
					watch_shift(module, builder, i);
	LLVMDisposeBuilder(builder);
}

/* ------------------------------------------------------------ copies */

static int is_memcpy(LLVMValueRef i)
{
	LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	size_t size;

	return f && LLVMIsAFunction(f) && !strncmp(LLVMGetValueName2(f, &size), "llvm.memcpy.", 12);
}

void expose_check_copies(LLVMModuleRef module, LLVMValueRef f)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMTypeRef word = LLVMInt64TypeInContext(context), pointer = LLVMPointerTypeInContext(context, 0), types[3] = {pointer, pointer, word};
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), types, 3, 0);

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee = LLVMGetNamedFunction(module, "muster_apart");
			if (!is_memcpy(i))
				continue;
			LLVMPositionBuilderBefore(builder, i);
			LLVMValueRef arguments[3] = {LLVMGetOperand(i, 0), LLVMGetOperand(i, 1), LLVMBuildIntCast2(builder, LLVMGetOperand(i, 2), word, 0, "")};
			LLVMBuildCall2(builder, type, callee ? callee : LLVMAddFunction(module, "muster_apart", type), arguments, 3, "");
		}
	LLVMDisposeBuilder(builder);
}

/* ------------------------------------------------------------ variables */

static int has_addresses(LLVMTypeRef t)
{
	LLVMTypeKind kind = LLVMGetTypeKind(t);
	int some = kind == LLVMPointerTypeKind;

	if (kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind)
		return has_addresses(LLVMGetElementType(t));
	for (unsigned i = 0; kind == LLVMStructTypeKind && i < LLVMCountStructElementTypes(t) && !some; i++)
		some = has_addresses(LLVMStructGetTypeAtIndex(t, i));
	return some;
}

void expose_spread(LLVMModuleRef module)
{
	unsigned count = 0;

	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
		int constant = LLVMIsGlobalConstant(g);
		uint64_t bytes = LLVMIsDeclaration(g) ? 0 : LLVMABISizeOfType(LLVMGetModuleDataLayout(module), LLVMGlobalGetValueType(g));
		if (!bytes || bytes > SPREAD || (LLVMGetSection(g) && *LLVMGetSection(g)) || LLVMGetLinkage(g) == LLVMAppendingLinkage || (constant && has_addresses(LLVMGlobalGetValueType(g))))
			continue;
		char name[40];
		snprintf(name, sizeof name, "%s.v%u", constant ? ".rodata" : ".data", count++);
		LLVMSetSection(g, name);
	}
}
