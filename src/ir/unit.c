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
#include "base/vec.h"
#include "ir/guard.h"
#include "ir/position.h"
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

static int calls_named(LLVMValueRef inst, const char *start)
{
	LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
	size_t length;

	return callee && LLVMIsAFunction(callee) && !strncmp(LLVMGetValueName2(callee, &length), start, strlen(start));
}

static int is_debug_intrinsic(LLVMValueRef inst)
{
	return calls_named(inst, "llvm.dbg.");
}

static int is_lifetime(LLVMValueRef inst)
{
	return calls_named(inst, "llvm.lifetime.");
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

/* ------------------------------------------------------------ locals without a value */

/* Does mem2reg make values of it: is it one number or pointer, and nothing but loaded and stored? */
static int becomes_values(LLVMValueRef local)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetAllocatedType(local));

	if ((kind != LLVMIntegerTypeKind && kind != LLVMPointerTypeKind) || !LLVMIsAConstantInt(LLVMGetOperand(local, 0)) || LLVMConstIntGetZExtValue(LLVMGetOperand(local, 0)) != 1)
		return 0;
	for (LLVMUseRef use = LLVMGetFirstUse(local); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef i = LLVMGetUser(use);
		if (LLVMIsALoadInst(i) ? LLVMGetVolatile(i) : LLVMIsAStoreInst(i) ? LLVMGetVolatile(i) || LLVMGetOperand(i, 0) == local : !is_lifetime(i))
			return 0;
	}
	return 1;
}

struct unset {
	LLVMBuilderRef builder;
	VEC(LLVMValueRef) values;
};

static void unset_after(struct unset *x, LLVMValueRef at, LLVMValueRef local)
{
	LLVMPositionBuilderBefore(x->builder, LLVMGetNextInstruction(at));
	LLVMValueRef value = LLVMBuildFreeze(x->builder, LLVMGetUndef(LLVMGetAllocatedType(local)), "");
	LLVMBuildStore(x->builder, value, local);
	vec_push(&x->values, value);
}

/* A value of its own wherever the local begins to live. */
static void unset_local(struct unset *x, LLVMValueRef local)
{
	VEC(LLVMValueRef) begins = {0};

	for (LLVMUseRef use = LLVMGetFirstUse(local); use; use = LLVMGetNextUse(use))
		if (calls_named(LLVMGetUser(use), "llvm.lifetime.start"))
			vec_push(&begins, LLVMGetUser(use));
	unset_after(x, local, local);
	for (size_t i = 0; i < begins.size; i++)
		unset_after(x, begins.data[i], local);
	vec_release(&begins);
}

static void unset_function(struct unset *x, LLVMValueRef f)
{
	VEC(LLVMValueRef) locals = {0};

	for (LLVMValueRef i = LLVMCountBasicBlocks(f) ? LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)) : NULL; i; i = LLVMGetNextInstruction(i))
		if (LLVMIsAAllocaInst(i) && becomes_values(i))
			vec_push(&locals, i);
	for (size_t i = 0; i < locals.size; i++)
		unset_local(x, locals.data[i]);
	vec_release(&locals);
}

/* mem2reg, but what a local has that nobody has written is a value: freeze undef. Only those that are in use stay. */
static int unset_passes(struct unit *u)
{
	struct unset x = {.builder = LLVMCreateBuilderInContext(u->context)};

	for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f; f = LLVMGetNextFunction(f))
		unset_function(&x, f);
	int e = unit_passes(u, "mem2reg");
	for (size_t i = 0; !e && i < x.values.size; i++)
		if (!LLVMGetFirstUse(x.values.data[i]))
			LLVMInstructionEraseFromParent(x.values.data[i]);
	vec_release(&x.values);
	LLVMDisposeBuilder(x.builder);
	return e;
}

enum form { LOCALS, NORMAL, UNSET, READ };

static int bring_into(struct unit *u, enum form form, const struct strmap *elsewhere)
{
	int e = form == NORMAL || form == READ ? unit_passes(u, "mem2reg") : form == UNSET ? unset_passes(u) : 0;

	if (!e && form != NORMAL)
		position_forget(u->module, elsewhere, &u->relied);
	return e;
}

static int load(struct unit *u, const void *bitcode, size_t size, uint32_t id, enum form form, const struct strmap *elsewhere)
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
		result = bring_into(u, form, elsewhere);
	}
	if (!result)
		result = number(u);
	if (result)
		unit_release(u);
	return result;
}

int unit_load(struct unit *u, const void *bitcode, size_t size, uint32_t id)
{
	return load(u, bitcode, size, id, NORMAL, NULL);
}

int unit_load_locals(struct unit *u, const void *bitcode, size_t size)
{
	return load(u, bitcode, size, 0, LOCALS, NULL);
}

int unit_load_unset(struct unit *u, const void *bitcode, size_t size, uint32_t id, const struct strmap *elsewhere)
{
	return load(u, bitcode, size, id, UNSET, elsewhere);
}

int unit_load_read(struct unit *u, const void *bitcode, size_t size, uint32_t id, const struct strmap *elsewhere)
{
	return load(u, bitcode, size, id, READ, elsewhere);
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
	strmap_release(&u->relied);
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
		if (unit_load_read(&last, bitcode, size, id, NULL))
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

/* Does an attribute say that it writes nothing? Two bits for each kind of memory: read, written. */
int unit_is_quiet(LLVMValueRef f)
{
	LLVMAttributeRef memory = LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
							      LLVMGetEnumAttributeKindForName("memory", 6));

	return memory && !(LLVMGetEnumAttributeValue(memory) & 0xaaaaaaaaaaaaaaaau);
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
