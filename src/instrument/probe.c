/* probe.c: puts probes into the san variant's bitcode.
 *
 * The front end has made UndefinedBehaviorSanitizer's checks by then; AddressSanitizer's come when code is generated, after us.
 * Probes are calls of the runtime before or after the instruction that they are about, and change no value of the program.
 * What the harness wrote (thunks, stubs) gets none: muster's own driver is no caller.
 */
#include "instrument/probe.h"

#include "base/error.h"
#include "instrument/probe_inside.h"
#include "ir/guard.h"
#include "muster/abi.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/DebugInfo.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

const char *probe_name(LLVMValueRef value)
{
	size_t length;

	return value ? LLVMGetValueName2(value, &length) : "";
}

LLVMValueRef probe_callee(LLVMValueRef call)
{
	return LLVMIsAFunction(LLVMGetCalledValue(call));
}

int probe_in_libc(const char *name)
{
	static void *libs[2];
	static int opened;

	if (!opened) {
		libs[0] = dlopen("libc.so.6", RTLD_LAZY);
		libs[1] = dlopen("libm.so.6", RTLD_LAZY);
		opened = 1;
	}
	for (int i = 0; i < 2; i++)
		if (libs[i] && dlsym(libs[i], name))
			return 1;
	return 0;
}

int probe_is_own(LLVMValueRef function)
{
	const char *name = probe_name(function);

	return LLVMGetFirstBasicBlock(function) && strncmp(name, "muster_", 7) && strncmp(name, "__muster_", 9);
}

void probe_walk(struct probe *p, LLVMValueRef function, probe_visitor *visit)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
			next = LLVMGetNextInstruction(i);
			visit(p, i);
		}
}

/* ------------------------------------------------------------------- calls */

void probe_before(struct probe *p, LLVMValueRef inst)
{
	LLVMPositionBuilderBefore(p->b, inst);
	LLVMSetCurrentDebugLocation2(p->b, LLVMInstructionGetDebugLoc(inst));
}

void probe_after(struct probe *p, LLVMValueRef inst)
{
	LLVMPositionBuilderBefore(p->b, LLVMGetNextInstruction(inst));
	LLVMSetCurrentDebugLocation2(p->b, LLVMInstructionGetDebugLoc(inst));
}

LLVMValueRef probe_number(const struct probe *p, int n)
{
	return LLVMConstInt(p->i32, (unsigned long long)n, 0);
}

LLVMValueRef probe_text(struct probe *p, const char *text)
{
	return LLVMBuildGlobalStringPtr(p->b, text, "probe.text");
}

#define FIXED_MAX 8

LLVMValueRef probe_call(struct probe *p, const char *name, int returns_pointer, const char *types, LLVMValueRef *arguments, unsigned count)
{
	LLVMTypeRef fixed[FIXED_MAX];
	unsigned n = 0;

	for (; types[n] && types[n] != '.'; n++)
		fixed[n] = types[n] == 'p' ? p->ptr : types[n] == 'l' ? LLVMInt64TypeInContext(p->context) : p->i32;
	LLVMTypeRef type = LLVMFunctionType(returns_pointer ? p->ptr : LLVMVoidTypeInContext(p->context), fixed, n, types[n] == '.');
	LLVMValueRef f = LLVMGetNamedFunction(p->module, name);
	return LLVMBuildCall2(p->b, type, f ? f : LLVMAddFunction(p->module, name, type), arguments, count, "");
}

/* -------------------------------------------------------------------- units */

struct job {
	const void *bitcode;
	size_t size;
	checker_set checks;
	struct probe p;
	const unsigned char *compatible;
	struct buf *out, *questions;
	size_t question_count;
};

static int parse(struct job *j)
{
	LLVMMemoryBufferRef memory = LLVMCreateMemoryBufferWithMemoryRangeCopy(j->bitcode, j->size, "unit");
	int bad = LLVMParseBitcodeInContext2(j->p.context, memory, &j->p.module);

	LLVMDisposeMemoryBuffer(memory);
	return bad ? error_set("this is not bitcode that LLVM 19 can read") : 0;
}

static int insert(void *ctx)
{
	struct job *j = ctx;
	struct probe *p = &j->p;

	if (parse(j))
		return -1;
	if (j->questions) {
		j->question_count = probe_write_questions(p->module, j->questions);
		LLVMDisposeModule(p->module);
		return 0;
	}
	p->b = LLVMCreateBuilderInContext(p->context);
	p->i32 = LLVMInt32TypeInContext(p->context);
	p->ptr = LLVMPointerTypeInContext(p->context, 0);
	/* First: other probes take addresses of functions, and the answers are about those that the unit itself takes. */
	probe_types(p, j->checks & CHECKER_BIT(MUSTER_CHECK_OTHER) ? j->compatible : NULL);
	if (j->checks & CHECKER_BIT(MUSTER_CHECK_PAIR))
		probe_pairs(p);
	if (j->checks & CHECKER_BIT(MUSTER_CHECK_FORMAT))
		probe_formats(p);
	if (j->checks & CHECKER_BIT(MUSTER_CHECK_RETURN))
		probe_returns(p);
	if (j->checks & CHECKER_BIT(MUSTER_CHECK_ASSERT))
		probe_promises(p);
	if (j->checks & CHECKER_BIT(MUSTER_CHECK_NULL))
		probe_targets(p);
	if (j->out) {
		LLVMMemoryBufferRef memory = LLVMWriteBitcodeToMemoryBuffer(p->module);
		buf_add(j->out, LLVMGetBufferStart(memory), LLVMGetBufferSize(memory));
		LLVMDisposeMemoryBuffer(memory);
	}
	LLVMDisposeBuilder(p->b);
	LLVMDisposeModule(p->module);
	return 0;
}

/* After a fatal error LLVM's objects are left alone. */
static int run(struct job *j)
{
	int fatal = 0;

	j->p.context = LLVMContextCreate();
	int e = guard_call(insert, j, &fatal);
	if (!fatal)
		LLVMContextDispose(j->p.context);
	return e;
}

int probe_wanted(const void *bitcode, size_t size, checker_set checks, struct strmap *constants)
{
	struct job j = {.bitcode = bitcode, .size = size, .checks = checks, .p = {.look = 1, .constants = constants}};

	return run(&j) ? -1 : j.p.places != 0;
}

size_t probe_questions(const void *bitcode, size_t size, struct buf *out)
{
	struct job j = {.bitcode = bitcode, .size = size, .questions = out};

	return run(&j) ? 0 : j.question_count;
}

int probe_unit(const void *bitcode, size_t size, checker_set checks, struct strmap *constants, const unsigned char *compatible, struct buf *out)
{
	struct job j = {.bitcode = bitcode, .size = size, .checks = checks, .p = {.constants = constants}, .compatible = compatible, .out = out};

	buf_clear(out);
	return run(&j);
}
