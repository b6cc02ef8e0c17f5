/* library.c: calls of strlen and its kin as calls of bodies.
 *
 * What such a function returns follows from memory that the analysis knows, so a call of it need be no unknown function: `strlen(s) > 10` holds for strings that can be named. The bodies are
 * those of the runtime (runtime/library.c), as static functions. All of them are added where the unit declares one, so that two versions mostly have the same ones; they are equal in both, and for whoever
 * does not follow calls still one function.
 */
#include "build/library.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ir/guard.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <stdlib.h>
#include <string.h>

#define BODY_PREFIX "muster_" /* in runtime/library.c */

extern const char muster_library_bc[], muster_library_bc_end[];

/* Functions that read memory and compute, in any locale, whose names C reserves: an `index` or `bcmp` that the unit declares may be the user's own, of another file. */
static const char *const names[] = {"strlen", "strnlen", "strcmp", "strncmp", "strchr", "strchrnul", "strrchr", "strstr", "strspn", "strcspn", "strpbrk",
				    "memcmp", "memchr", "memrchr", "memmem"};

struct library {
	LLVMContextRef context;
	struct buf *bitcode;
	LLVMModuleRef unit;
};

static LLVMModuleRef parse(struct library *l, const char *bytes, size_t size)
{
	LLVMMemoryBufferRef memory = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, size, "unit");
	LLVMModuleRef module = NULL;
	int e = LLVMParseBitcodeInContext2(l->context, memory, &module);

	LLVMDisposeMemoryBuffer(memory);
	return e ? NULL : module;
}

static LLVMValueRef body_of(LLVMModuleRef module, const char *name)
{
	char *own = mem_printf(BODY_PREFIX "%s", name);
	LLVMValueRef f = LLVMGetNamedFunction(module, own);

	free(own);
	return f;
}

static void call_it(LLVMValueRef f, const char *name)
{
	char *own = mem_printf(LIBRARY_PREFIX "%s", name);

	LLVMSetValueName2(f, own, strlen(own));
	free(own);
}

/* What none of the names leads to goes. */
static int trim(LLVMModuleRef bodies)
{
	LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
	LLVMErrorRef e;

	for (LLVMValueRef f = LLVMGetFirstFunction(bodies); f; f = LLVMGetNextFunction(f)) {
		size_t length;
		const char *name = LLVMGetValueName2(f, &length);
		if (LLVMIsDeclaration(f))
			continue;
		if (strncmp(name, BODY_PREFIX, strlen(BODY_PREFIX)) != 0)
			call_it(f, name);
		LLVMSetLinkage(f, LLVMInternalLinkage);
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		LLVMSetLinkage(body_of(bodies, names[i]), LLVMExternalLinkage);
	e = LLVMRunPasses(bodies, "globaldce", NULL, o);
	LLVMDisposePassBuilderOptions(o);
	if (!e)
		return 0;
	char *words = LLVMGetErrorMessage(e);
	error_set("the bodies of the C library: %s", words);
	LLVMDisposeErrorMessage(words);
	return -1;
}

/* Calls of the function go to the body. */
static void direct(LLVMValueRef function, LLVMValueRef body)
{
	VEC(LLVMValueRef) calls = {0};

	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == function && LLVMGetCalledFunctionType(user) == LLVMGlobalGetValueType(body))
			vec_push(&calls, user);
	}
	for (size_t i = 0; i < calls.size; i++)
		LLVMSetOperand(calls.data[i], (unsigned)LLVMGetNumOperands(calls.data[i]) - 1, body);
	vec_release(&calls);
}

static int declares_some(LLVMModuleRef unit)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		LLVMValueRef f = LLVMGetNamedFunction(unit, names[i]);
		if (f && LLVMIsDeclaration(f))
			return 1;
	}
	return 0;
}

static int add(void *ctx)
{
	struct library *l = ctx;
	LLVMModuleRef bodies;

	l->unit = parse(l, l->bitcode->data, l->bitcode->size);
	if (l->unit && !declares_some(l->unit))
		return 0;
	bodies = parse(l, muster_library_bc, (size_t)(muster_library_bc_end - muster_library_bc));
	if (!l->unit || !bodies)
		return error_set("the unit's bitcode cannot be read");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (body_of(l->unit, names[i]))
			return 0; /* somebody's own functions have these names */
	if (trim(bodies))
		return -1;
	LLVMSetTarget(bodies, LLVMGetTarget(l->unit));
	LLVMSetDataLayout(bodies, LLVMGetDataLayoutStr(l->unit));
	if (LLVMLinkModules2(l->unit, bodies))
		return error_set("the bodies of the C library cannot be joined with the unit");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		LLVMValueRef body = body_of(l->unit, names[i]), function = LLVMGetNamedFunction(l->unit, names[i]);

		LLVMSetLinkage(body, LLVMInternalLinkage);
		call_it(body, names[i]);
		if (function && LLVMIsDeclaration(function) && LLVMGlobalGetValueType(function) == LLVMGlobalGetValueType(body))
			direct(function, body);
	}
	LLVMMemoryBufferRef text = LLVMWriteBitcodeToMemoryBuffer(l->unit);
	buf_clear(l->bitcode);
	buf_add(l->bitcode, LLVMGetBufferStart(text), LLVMGetBufferSize(text));
	LLVMDisposeMemoryBuffer(text);
	return 0;
}

int library_add(struct buf *bitcode)
{
	struct library l = {.context = LLVMContextCreate(), .bitcode = bitcode};
	int fatal = 0, e = guard_call(add, &l, &fatal);

	if (!fatal && !e)
		LLVMContextDispose(l.context); /* with its modules; after an error it is left alone */
	return e;
}
