/* emit.c: linking helpers, optimising, generating code.
 *
 * The inline helpers are C functions marked always_inline; linking them into each
 * unit and letting the always-inliner place them spares the passes all surgery on
 * blocks. Constructors are moved from llvm.global_ctors into .init_array by hand:
 * the code generator that the C interface gives would write .ctors, which linkers
 * each treat differently.
 */
#include "instrument/emit.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "instrument/settle.h"
#include "ir/guard.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Error.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ helpers */
struct names {
	VEC(char *) list;
};

static void collect_definitions(LLVMModuleRef module, struct names *names)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			vec_push(&names->list, mem_strdup(LLVMGetValueName(f)));
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
		if (!LLVMIsDeclaration(g) && LLVMGetLinkage(g) == LLVMExternalLinkage)
			vec_push(&names->list, mem_strdup(LLVMGetValueName(g)));
}

static void make_internal(LLVMModuleRef module, struct names *names)
{
	for (size_t i = 0; i < names->list.size; i++) {
		LLVMValueRef v = LLVMGetNamedFunction(module, names->list.data[i]);

		if (!v)
			v = LLVMGetNamedGlobal(module, names->list.data[i]);
		if (v && !LLVMIsDeclaration(v)) {
			LLVMSetLinkage(v, LLVMInternalLinkage);
			LLVMSetVisibility(v, LLVMDefaultVisibility);
		}
		free(names->list.data[i]);
	}
	vec_release(&names->list);
}

/* Marked as used so that the compiler wrote them; a body that was inlined wherever it is called need not be in the object as well. */
static void forget_used(LLVMModuleRef helpers)
{
	LLVMValueRef used = LLVMGetNamedGlobal(helpers, "llvm.compiler.used");

	if (used)
		LLVMDeleteGlobal(used);
}

struct link {
	struct unit *u;
	LLVMMemoryBufferRef memory;
};

static int link_helpers(void *ctx)
{
	struct link *l = ctx;
	LLVMModuleRef helpers;
	struct names names = {0};

	if (LLVMParseBitcodeInContext2(l->u->context, l->memory, &helpers))
		return error_set("the inline helpers cannot be read: %s",
				 l->u->words ? l->u->words : "no reason given");
	collect_definitions(helpers, &names);
	forget_used(helpers);
	if (LLVMLinkModules2(l->u->module, helpers)) {
		make_internal(l->u->module, &names);
		return error_set("the inline helpers cannot be linked: %s",
				 l->u->words ? l->u->words : "no reason given");
	}
	make_internal(l->u->module, &names);
	return 0;
}

int emit_link_helpers(struct unit *u, const void *bitcode, size_t size)
{
	struct link l = {u, LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode, size, "helpers")};
	int result = guard_call(link_helpers, &l, &u->broken);

	LLVMDisposeMemoryBuffer(l.memory);
	return result;
}

/* ------------------------------------------------------------- constructors */
static void place_pointer(LLVMModuleRef module, LLVMValueRef function, const char *section,
			  uint64_t priority, LLVMValueRef *used, unsigned *n)
{
	LLVMValueRef slot = LLVMAddGlobal(module, LLVMTypeOf(function), "__muster_array_slot");
	char name[48];

	if (priority == 65535)
		snprintf(name, sizeof name, "%s", section);
	else
		snprintf(name, sizeof name, "%s.%05u", section, (unsigned)priority);
	LLVMSetInitializer(slot, function);
	LLVMSetSection(slot, name);
	LLVMSetLinkage(slot, LLVMPrivateLinkage);
	LLVMSetAlignment(slot, 8);
	used[(*n)++] = slot;
}

/* Appends values to llvm.used, which keeps the optimiser from dropping them. */
static void keep(LLVMModuleRef module, LLVMValueRef *values, unsigned n)
{
	LLVMValueRef old = LLVMGetNamedGlobal(module, "llvm.used"), list;
	LLVMTypeRef pointer = LLVMPointerTypeInContext(LLVMGetModuleContext(module), 0);
	VEC(LLVMValueRef) all = {0};

	if (old) {
		LLVMValueRef values_before = LLVMGetInitializer(old);
		int count = LLVMGetNumOperands(values_before);

		for (int i = 0; i < count; i++)
			vec_push(&all, LLVMGetOperand(values_before, (unsigned)i));
		LLVMDeleteGlobal(old);
	}
	for (unsigned i = 0; i < n; i++)
		vec_push(&all, values[i]);
	list = LLVMAddGlobal(module, LLVMArrayType2(pointer, all.size), "llvm.used");
	LLVMSetInitializer(list, LLVMConstArray2(pointer, all.data, all.size));
	LLVMSetLinkage(list, LLVMAppendingLinkage);
	LLVMSetSection(list, "llvm.metadata");
	vec_release(&all);
}

static void place_array(LLVMModuleRef module, const char *list_name, const char *section)
{
	LLVMValueRef list = LLVMGetNamedGlobal(module, list_name), value;
	LLVMValueRef *used;
	unsigned n = 0;
	int count;

	if (!list)
		return;
	value = LLVMGetInitializer(list);
	count = value && LLVMIsAConstantArray(value) ? LLVMGetNumOperands(value) : 0;
	used = mem_alloc(((size_t)count + 1) * sizeof *used);
	for (int i = 0; i < count; i++) {
		LLVMValueRef entry = LLVMGetOperand(value, (unsigned)i);
		LLVMValueRef function = LLVMGetOperand(entry, 1);

		if (!LLVMIsNull(function))
			place_pointer(module, function, section,
				      LLVMConstIntGetZExtValue(LLVMGetOperand(entry, 0)), used, &n);
	}
	LLVMDeleteGlobal(list);
	if (n)
		keep(module, used, n);
	free(used);
}

void emit_constructor(LLVMModuleRef module, LLVMValueRef function)
{
	LLVMValueRef slot;
	unsigned n = 0;

	place_pointer(module, function, ".init_array", 0, &slot, &n);
	keep(module, &slot, n);
}

/* ------------------------------------------------------------------- object */
static int module_flag(LLVMModuleRef module, const char *name, uint64_t *value)
{
	LLVMMetadataRef flag = LLVMGetModuleFlag(module, name, strlen(name));
	LLVMValueRef constant;

	if (!flag)
		return 0;
	constant = LLVMMetadataAsValue(LLVMGetModuleContext(module), flag);
	if (LLVMGetNumOperands(constant) > 0 && LLVMIsAConstantInt(LLVMGetOperand(constant, 0)))
		constant = LLVMGetOperand(constant, 0);
	if (!LLVMIsAConstantInt(constant))
		return 0;
	*value = LLVMConstIntGetZExtValue(constant);
	return 1;
}

static LLVMRelocMode reloc_mode(LLVMModuleRef module, enum instrument_reloc reloc)
{
	uint64_t level = 0;

	if (reloc == INSTRUMENT_RELOC_AUTO)
		reloc = module_flag(module, "PIC Level", &level) && level ? INSTRUMENT_RELOC_PIC
									  : INSTRUMENT_RELOC_STATIC;
	return reloc == INSTRUMENT_RELOC_PIC ? LLVMRelocPIC : LLVMRelocStatic;
}

static LLVMCodeModel code_model(LLVMModuleRef module)
{
	static const LLVMCodeModel models[] = {LLVMCodeModelTiny, LLVMCodeModelSmall,
					       LLVMCodeModelKernel, LLVMCodeModelMedium,
					       LLVMCodeModelLarge};
	uint64_t model;

	if (!module_flag(module, "Code Model", &model) || model >= sizeof models / sizeof *models)
		return LLVMCodeModelDefault;
	return models[model];
}

static LLVMTargetMachineRef make_machine(LLVMModuleRef module,
					 const struct instrument_options *options, LLVMCodeGenOptLevel level)
{
	static int initialised;
	LLVMTargetRef target;
	char *text = NULL;
	LLVMTargetMachineRef machine;

	if (!initialised) {
		LLVMInitializeX86TargetInfo();
		LLVMInitializeX86Target();
		LLVMInitializeX86TargetMC();
		LLVMInitializeX86AsmPrinter();
		LLVMInitializeX86AsmParser();
		initialised = 1;
	}
	if (LLVMGetTargetFromTriple(LLVMGetTarget(module), &target, &text)) {
		error_set("the unit is for \"%s\", which is not supported: %s",
			  LLVMGetTarget(module), text);
		LLVMDisposeMessage(text);
		return NULL;
	}
	machine = LLVMCreateTargetMachine(target, LLVMGetTarget(module), "x86-64", "",
					  level,
					  reloc_mode(module, options->reloc), code_model(module));
	if (!machine)
		error_set("no code generator for \"%s\"", LLVMGetTarget(module));
	return machine;
}

/* The plain generator keeps no value in a register across a call, and gives each its own place in a frame that is soon larger than a short
 * displacement reaches: in small code, which is all calls, half of the bytes are such moves. An allocator that looks at the whole function
 * saves a third of the code of cmark and zlib. The simplest of LLVM's does as well as the others here, and what LLVM runs around it to make
 * code faster takes a fifth of the time and changes a thousandth of the bytes: it is left out. Not for a unit so large that it is made in
 * parts, whose user waits for it: sqlite3.c takes half as long again with it. Only LLVM's command line has words for this, and only once: it stays so for the process, which makes one object. */
static void choose_allocator(void)
{
	static const char *const words[] = {"muster", "-optimize-regalloc", "-regalloc=basic", "-enable-misched=0", "-disable-copyprop"};
	static int chosen;

	if (!chosen)
		LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, "");
	chosen = 1;
}

struct emission {
	struct unit *u;
	const struct instrument_options *options;
	struct buf *object;
	LLVMTargetMachineRef machine;
};

/* Our own choice of passes. It leaves out `inferattrs`, which would promise of library functions that
 * they touch nothing but their arguments, where our bodies also touch labels; and it costs half the time of
 * default<O2> for the same speed of the result. */
#define START "function(mem2reg),always-inline,globaldce,"
#define CLEAN "function(lower-expect,simplifycfg,sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,sccp,simplifycfg)"
#define SPEED                                                                                      \
	",cgscc(inline),function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"   \
	"loop-simplify,lcssa,loop-mssa(loop-rotate,licm),simplifycfg,gvn,sccp,instcombine<no-verify-fixpoint>,dse,adce,"  \
	"simplifycfg),globaldce"

static int optimise(struct emission *e)
{
	const char *pipeline = e->options->plain ? "globaldce" : e->options->fast_compile ? START CLEAN : START CLEAN SPEED;
	LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
	LLVMErrorRef error;
	char *text;

	LLVMPassBuilderOptionsSetVerifyEach(o, 0);
	error = LLVMRunPasses(e->u->module, pipeline, e->machine, o);
	LLVMDisposePassBuilderOptions(o);
	if (!error)
		return 0;
	text = LLVMGetErrorMessage(error);
	error_set("optimising: %s", text);
	LLVMDisposeErrorMessage(text);
	return -1;
}

/* The code generator joins the registers of phis one after the other and looks at a function's live ranges each time. Instrumentation
 * makes tens of thousands of phis of a large function with a switch, and code for it then takes minutes. A unit with such a function gets
 * the plain generator: bzip2's decompress.c takes 4 s instead of 40, lua's lvm.c 5 instead of 18, and traced runs in them 1.5 and 1.25
 * times as long. */
#define MANY_PHIS 10000

static unsigned most_phis(LLVMModuleRef module)
{
	unsigned most = 0;

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		unsigned n = 0;

		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
				n++;
		most = n > most ? n : most;
	}
	return most;
}

static int use_plain_generator(struct emission *e)
{
	LLVMTargetMachineRef plain;

	if (e->options->fast_compile || most_phis(e->u->module) < MANY_PHIS)
		return 0;
	plain = make_machine(e->u->module, e->options, LLVMCodeGenLevelNone);
	if (!plain)
		return -1;
	LLVMDisposeTargetMachine(e->machine);
	e->machine = plain;
	return 0;
}

static int emit(void *ctx)
{
	struct emission *e = ctx;
	LLVMMemoryBufferRef out = NULL;
	char *text = NULL;

	if (optimise(e) || use_plain_generator(e))
		return -1;
	place_array(e->u->module, "llvm.global_ctors", ".init_array");
	place_array(e->u->module, "llvm.global_dtors", ".fini_array");
	if (e->options->verify && unit_verify(e->u))
		return -1;
	if (LLVMTargetMachineEmitToMemoryBuffer(e->machine, e->u->module, LLVMObjectFile, &text,
						&out)) {
		error_set("code generation: %s", text ? text : "no reason given");
		LLVMDisposeMessage(text);
		return -1;
	}
	if (e->u->words) {
		LLVMDisposeMemoryBuffer(out);
		return error_set("code generation: %s", e->u->words);
	}
	buf_add(e->object, LLVMGetBufferStart(out), LLVMGetBufferSize(out));
	LLVMDisposeMemoryBuffer(out);
	return 0;
}

int emit_object(struct unit *u, const struct instrument_options *options, struct buf *object)
{
	struct emission e = {u, options, object, make_machine(u->module, options, options->fast_compile ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault)};
	int result;

	if (options->fast_compile && options->small && !options->part)
		choose_allocator();
	if (!e.machine)
		return -1;
	result = guard_call(emit, &e, &u->broken);
	if (!u->broken)
		LLVMDisposeTargetMachine(e.machine);
	return result;
}
