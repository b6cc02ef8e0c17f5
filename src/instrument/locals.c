/* locals.c: a unit whose local variables are filled before the program sees them.
 *
 * What a program does with memory that it never wrote depends on what stood there, which no trace has. A variant of its own fills
 * every local variable where its life begins (and again where the front end marks the begin of a scope) by a call of
 * __muster_fill, whose pattern is chosen from outside. This happens before the normal form: there a variable that is never written
 * would have become an undefined value already, which the code generator replaces by whatever suits it. A variable whose address is
 * given to a call stays in memory, and is read from there.
 */
#include "instrument/locals.h"

#include "base/error.h"
#include "base/vec.h"
#include "instrument/places.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <string.h>

struct filler {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef b;
	LLVMTypeRef i64, type; /* of a size; of the function */
	LLVMValueRef function;
};

static LLVMValueRef size_of(struct filler *f, LLVMValueRef variable)
{
	LLVMTypeRef type = LLVMGetAllocatedType(variable);
	LLVMValueRef one = LLVMConstInt(f->i64, LLVMABISizeOfType(LLVMGetModuleDataLayout(f->module), type), 0);
	LLVMValueRef count = LLVMGetOperand(variable, 0);

	return LLVMBuildMul(f->b, one, LLVMBuildIntCast2(f->b, count, f->i64, 0, ""), "");
}

/* After `at`: the variable gets the pattern. A call without a place in the source is not allowed in a function that has one. */
static void fill_after(struct filler *f, LLVMValueRef at, LLVMValueRef variable)
{
	LLVMValueRef next = LLVMGetNextInstruction(at), args[2];
	LLVMMetadataRef where = NULL;

	for (LLVMValueRef i = next; i && !where; i = LLVMGetNextInstruction(i))
		where = LLVMInstructionGetDebugLoc(i);
	LLVMPositionBuilderBefore(f->b, next);
	LLVMSetCurrentDebugLocation2(f->b, where);
	args[0] = variable;
	args[1] = size_of(f, variable);
	LLVMBuildCall2(f->b, f->type, f->function, args, 2, "");
}

/* The variable that a marker says is alive from here on, or NULL. */
static LLVMValueRef begins(LLVMValueRef inst)
{
	LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
	size_t n;

	if (!callee || !LLVMIsAFunction(callee) || strncmp(LLVMGetValueName2(callee, &n), "llvm.lifetime.start", 19))
		return NULL;
	return LLVMIsAAllocaInst(LLVMGetOperand(inst, 1));
}

static void fill_function(struct filler *f, LLVMValueRef function)
{
	VEC(LLVMValueRef) found = {0};

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (LLVMIsAAllocaInst(i) || begins(i))
				vec_push(&found, i);
	for (size_t i = 0; i < found.size; i++)
		fill_after(f, found.data[i], LLVMIsAAllocaInst(found.data[i]) ? found.data[i] : begins(found.data[i]));
	vec_release(&found);
}

int locals_fill(const void *bitcode, size_t size, struct buf *out)
{
	struct filler f = {.context = LLVMContextCreate()};
	LLVMMemoryBufferRef in = LLVMCreateMemoryBufferWithMemoryRange(bitcode, size, "unit", 0), text;

	if (LLVMParseBitcodeInContext2(f.context, in, &f.module)) {
		LLVMDisposeMemoryBuffer(in);
		LLVMContextDispose(f.context);
		return error_set("its bitcode cannot be read");
	}
	f.b = LLVMCreateBuilderInContext(f.context);
	f.i64 = LLVMInt64TypeInContext(f.context);
	f.type = LLVMFunctionType(LLVMVoidTypeInContext(f.context), (LLVMTypeRef[]){LLVMPointerTypeInContext(f.context, 0), f.i64}, 2, 0);
	f.function = LLVMAddFunction(f.module, "__muster_fill", f.type);
	for (LLVMValueRef i = LLVMGetFirstFunction(f.module); i; i = LLVMGetNextFunction(i))
		fill_function(&f, i);
	places_watch(f.module);
	text = LLVMWriteBitcodeToMemoryBuffer(f.module);
	buf_add(out, LLVMGetBufferStart(text), LLVMGetBufferSize(text));
	LLVMDisposeMemoryBuffer(text);
	LLVMDisposeMemoryBuffer(in);
	LLVMDisposeBuilder(f.b);
	LLVMDisposeModule(f.module);
	LLVMContextDispose(f.context);
	return 0;
}
