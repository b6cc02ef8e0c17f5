/* unit.c: bitcode in, normal form out.
 *
 * The module is parsed into a context of its own whose diagnostics are kept as
 * words, verified (what follows trusts its input), relieved of optnone and of wide
 * switches, and put through mem2reg. Then the instructions are numbered into an array once: the
 * numbers stay right while passes edit the module, because the array is what they
 * walk.
 */
#include "ir/unit.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "ir/guard.h"
#include "ir/wide_switch.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *ctx)
{
	struct unit *u = ctx;
	char *text;

	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || u->words)
		return;
	text = LLVMGetDiagInfoDescription(info);
	u->words = mem_strdup(text);
	LLVMDisposeMessage(text);
}

const char *unit_words(const struct unit *u)
{
	return u->words;
}

int unit_verify(struct unit *u)
{
	char *text = NULL;
	int bad = LLVMVerifyModule(u->module, LLVMReturnStatusAction, &text);

	if (bad)
		error_set("the module is not well-formed: %.300s", text ? text : "");
	LLVMDisposeMessage(text);
	return bad ? -1 : 0;
}

struct pass_run {
	struct unit *u;
	const char *pipeline;
};

static int run_passes(void *ctx)
{
	struct pass_run *r = ctx;
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef e = LLVMRunPasses(r->u->module, r->pipeline, NULL, options);

	LLVMDisposePassBuilderOptions(options);
	if (e) {
		char *text = LLVMGetErrorMessage(e);

		error_set("passes \"%s\": %s", r->pipeline, text);
		LLVMDisposeErrorMessage(text);
		return -1;
	}
	return 0;
}

int unit_passes(struct unit *u, const char *pipeline)
{
	struct pass_run r = {u, pipeline};

	return guard_call(run_passes, &r, &u->broken);
}

static int is_debug_intrinsic(LLVMValueRef inst)
{
	LLVMValueRef callee;
	size_t length;
	const char *name;

	if (!LLVMIsACallInst(inst))
		return 0;
	callee = LLVMGetCalledValue(inst);
	if (!LLVMIsAFunction(callee))
		return 0;
	name = LLVMGetValueName2(callee, &length);
	return length > 9 && !memcmp(name, "llvm.dbg.", 9);
}

/* Counts the instructions, and writes them to out if it is given. */
static size_t list_instructions(LLVMModuleRef module, LLVMValueRef *out)
{
	size_t n = 0;

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i)) {
				if (is_debug_intrinsic(i))
					continue;
				if (out)
					out[n] = i;
				n++;
			}
	return n;
}

/* The pass manager skips functions marked optnone; the normal form does not. */
static void drop_optnone(LLVMModuleRef module)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("optnone", 7);

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kind);
}

struct load {
	struct unit *u;
	LLVMMemoryBufferRef memory;
};

static int parse(void *ctx)
{
	struct load *l = ctx;
	struct unit *u = l->u;

	if (LLVMParseBitcodeInContext2(u->context, l->memory, &u->module)) {
		u->module = NULL;
		return error_set("this is not bitcode that LLVM 19 can read: %s",
				 u->words ? u->words : "no reason given");
	}
	return unit_verify(u);
}

static int number(struct unit *u)
{
	size_t n = list_instructions(u->module, NULL);

	if (n >= UINT32_MAX)
		return error_set("the unit has %zu instructions, more than can be numbered", n);
	u->instructions = mem_alloc((n ? n : 1) * sizeof *u->instructions);
	list_instructions(u->module, u->instructions);
	u->count = (uint32_t)n;
	return 0;
}

static int load(struct unit *u, const void *bitcode, size_t size, uint32_t id, const char *passes)
{
	struct load l = {u, NULL};
	int result;

	memset(u, 0, sizeof *u);
	u->id = id;
	u->context = LLVMContextCreate();
	LLVMContextSetDiagnosticHandler(u->context, on_diagnostic, u);
	l.memory = LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode, size, "unit");
	result = guard_call(parse, &l, &u->broken);
	if (!u->broken)
		LLVMDisposeMemoryBuffer(l.memory);
	if (!result) {
		drop_optnone(u->module);
		wide_switch_narrow(u->module);
		result = passes ? unit_passes(u, passes) : 0;
	}
	if (!result)
		result = number(u);
	if (result)
		unit_release(u);
	return result;
}

int unit_load(struct unit *u, const void *bitcode, size_t size, uint32_t id)
{
	return load(u, bitcode, size, id, "mem2reg");
}

int unit_load_locals(struct unit *u, const void *bitcode, size_t size)
{
	return load(u, bitcode, size, 0, NULL);
}

void unit_release(struct unit *u)
{
	if (!u->broken) {
		if (u->module)
			LLVMDisposeModule(u->module);
		if (u->context)
			LLVMContextDispose(u->context);
	}
	free(u->instructions);
	free(u->words);
	memset(u, 0, sizeof *u);
}

#define KEPT (1u << 20) /* bytes of bitcode: larger units are rare, and a parsed one takes up to twenty times as much */

static struct unit last;
static struct hash128 last_hash;
static size_t last_size;

static void drop_last(void)
{
	if (last_size)
		unit_release(&last);
	last_size = 0;
}

struct unit *unit_read(const void *bitcode, size_t size, uint32_t id)
{
	struct hash128 hash = hash128(bitcode, size);

	if (!last_size || last_size != size || hash.a != last_hash.a || hash.b != last_hash.b) {
		drop_last();
		if (unit_load(&last, bitcode, size, id))
			return NULL;
		last_hash = hash;
		last_size = size;
	}
	last.id = id;
	return &last;
}

void unit_read_end(void)
{
	if (last_size > KEPT || last.broken)
		drop_last();
}

void unit_walk(struct unit *u, void (*f)(void *ctx, LLVMValueRef inst, uint32_t ordinal), void *ctx)
{
	for (uint32_t i = 0; i < u->count; i++)
		if (u->instructions[i])
			f(ctx, u->instructions[i], i);
}

uint32_t unit_outcomes(LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMBr:
		return LLVMIsConditional(inst) ? 2 : 0;
	case LLVMSwitch:
		return LLVMGetNumSuccessors(inst);
	case LLVMSelect: {
		LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, 0));

		return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? 2 : 0;
	}
	default:
		return 0;
	}
}

const char *unit_library(void)
{
	static char text[48];
	unsigned major, minor, patch;

	LLVMGetVersion(&major, &minor, &patch);
	snprintf(text, sizeof text, "LLVM %u.%u.%u", major, minor, patch);
	return text;
}
/* Does an attribute say that it writes nothing? Two bits for each kind of memory: read, written. */
int unit_is_quiet(LLVMValueRef f)
{
	LLVMAttributeRef memory = LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
							      LLVMGetEnumAttributeKindForName("memory", 6));

	return memory && !(LLVMGetEnumAttributeValue(memory) & 0xaaaaaaaaaaaaaaaau);
}

