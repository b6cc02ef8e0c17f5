/* trace_unit.c: what a unit says to the runtime about itself.
 *
 * Marks: a magic word before each function (for indirect callers) and a marker
 * symbol beside each external one (for direct callers in other units). Globals: a
 * table of addresses and sizes, registered by a constructor.
 */
#include "instrument/tracer.h"

#include <stdio.h>
#include <string.h>

static void define_mark(struct unit *u, const char *name, LLVMVisibility visibility)
{
	LLVMTypeRef i8 = LLVMInt8TypeInContext(u->context);
	char text[512];

	snprintf(text, sizeof text, "__muster_def.%s", name);
	LLVMValueRef g = LLVMGetNamedGlobal(u->module, text);
	if (!g)
		g = LLVMAddGlobal(u->module, i8, text);
	LLVMSetInitializer(g, LLVMConstInt(i8, 1, 0));
	LLVMSetGlobalConstant(g, 1);
	LLVMSetLinkage(g, LLVMWeakAnyLinkage); /* a program may have its own malloc beside the wrapper */
	LLVMSetVisibility(g, visibility);
}

/* A wrapper is called by two names: its own, and the one that the linker sends to it. */
static void mark_symbol(struct unit *u, LLVMValueRef symbol)
{
	LLVMLinkage linkage = LLVMGetLinkage(symbol);
	LLVMVisibility visibility = LLVMGetVisibility(symbol);
	size_t n;
	const char *name = LLVMGetValueName2(symbol, &n);

	if (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage)
		return;
	define_mark(u, name, visibility);
	if (strncmp(name, "__wrap_", 7) == 0)
		define_mark(u, name + 7, visibility);
}

void trace_marks(struct unit *u)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(u->context);

	for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f; f = LLVMGetNextFunction(f)) {
		size_t n;
		if (LLVMIsDeclaration(f) || strncmp(LLVMGetValueName2(f, &n), "__muster_", 9) == 0)
			continue;
		LLVMSetPrefixData(f, LLVMConstInt(i64, MUSTER_FUNCTION_MAGIC, 0));
		mark_symbol(u, f);
	}
	for (LLVMValueRef a = LLVMGetFirstGlobalAlias(u->module); a; a = LLVMGetNextGlobalAlias(a))
		if (LLVMIsAFunction(LLVMAliasGetAliasee(a)))
			mark_symbol(u, a);
}

int trace_mark(struct unit *u, const struct instrument_options *options)
{
	(void)options;
	trace_marks(u);
	return 0;
}

static void add_attribute(struct unit *u, LLVMValueRef fn, const char *name, uint64_t value)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(u->context, kind, value));
}

#define NOTHING 0u	   /* LLVM's MemoryEffects: two bits a place */
#define INACCESSIBLE (3u << 2)

static void describe(struct unit *u, const char *hook, unsigned memory)
{
	LLVMValueRef fn = LLVMGetNamedFunction(u->module, hook);

	if (!fn)
		return;
	add_attribute(u, fn, "memory", memory);
	add_attribute(u, fn, "nounwind", 0);
	add_attribute(u, fn, "willreturn", 0);
}

/* The label of an operation is a function of the labels and values of its operands: equal ones are asked for once, unused
 * ones not at all. An event touches no memory of the program. */
void trace_describe_hooks(struct unit *u)
{
	static const struct {
		const char *name;
		unsigned memory;
	} hooks[] = {
	    {"__muster_binary", NOTHING},  {"__muster_computed", NOTHING}, {"__muster_computed_left", NOTHING},
	    {"__muster_zext", NOTHING},        {"__muster_sext", NOTHING},
	    {"__muster_extract", NOTHING}, {"__muster_decide", INACCESSIBLE}, {"__muster_branch", INACCESSIBLE},
	    {"__muster_decide_left", INACCESSIBLE}, {"__muster_decide_right", INACCESSIBLE},
	};

	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
		char stub[64];

		snprintf(stub, sizeof stub, "%s" TRACER_STUB, hooks[i].name);
		describe(u, hooks[i].name, hooks[i].memory);
		describe(u, stub, hooks[i].memory);
	}
}

#define CONSTANT (1ull << 63)

static int has_object(LLVMValueRef g)
{
	size_t n;
	const char *name = LLVMGetValueName2(g, &n), *section = LLVMGetSection(g);

	/* Annotations and the like are never emitted. */
	if (section && !strcmp(section, "llvm.metadata"))
		return 0;
	return !LLVMIsDeclaration(g) && !LLVMIsThreadLocal(g) && LLVMTypeIsSized(LLVMGlobalGetValueType(g)) &&
	       LLVMGetLinkage(g) != LLVMAvailableExternallyLinkage && LLVMGetLinkage(g) != LLVMAppendingLinkage &&
	       strncmp(name, "llvm.", 5) != 0 && strncmp(name, "__muster_", 9) != 0 && strncmp(name, ".muster", 7) != 0;
}

/* void ctor(void) { __muster_unit(&unit); } */
static LLVMValueRef constructor(struct tracer *t, LLVMValueRef record)
{
	LLVMTypeRef type = LLVMFunctionType(t->nothing, NULL, 0, 0);
	LLVMValueRef f = LLVMAddFunction(t->module, "__muster_ctor", type);
	LLVMBasicBlockRef b = LLVMAppendBasicBlockInContext(t->context, f, "");

	LLVMSetLinkage(f, LLVMInternalLinkage);
	LLVMPositionBuilderAtEnd(t->b, b);
	tracer_call(t, "__muster_unit", "vp", record);
	LLVMBuildRetVoid(t->b);
	return f;
}

/* Appends to llvm.global_ctors, which has to be made anew for that. */
static void add_constructor(struct tracer *t, LLVMValueRef f)
{
	LLVMTypeRef fields[] = {t->i32, t->ptr, t->ptr};
	LLVMTypeRef entry = LLVMStructTypeInContext(t->context, fields, 3, 0);
	LLVMValueRef old = LLVMGetNamedGlobal(t->module, "llvm.global_ctors");
	VEC(LLVMValueRef) all = {0};
	LLVMValueRef mine[] = {tracer_w(t, 0), f, LLVMConstNull(t->ptr)};

	vec_push(&all, LLVMConstStructInContext(t->context, mine, 3, 0));
	if (old) {
		LLVMValueRef init = LLVMGetInitializer(old);
		uint64_t n = LLVMGetArrayLength2(LLVMTypeOf(init));
		for (uint64_t i = 0; i < n; i++)
			vec_push(&all, LLVMGetAggregateElement(init, (unsigned)i));
		LLVMDeleteGlobal(old);
	}
	LLVMValueRef array = LLVMConstArray2(entry, all.data, all.size);
	LLVMValueRef g = LLVMAddGlobal(t->module, LLVMTypeOf(array), "llvm.global_ctors");
	LLVMSetInitializer(g, array);
	LLVMSetLinkage(g, LLVMAppendingLinkage);
	vec_release(&all);
}

/* The program's calls of these go to the runtime by name: the linker cannot distinguish them from the calls
 * that the code generator makes of copies whose labels have moved already. */
static void name_block_moves(LLVMModuleRef module)
{
	static const char *const names[] = {"memcpy", "memmove", "memset"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		LLVMValueRef f = LLVMGetNamedFunction(module, names[i]);
		char text[32];

		if (!f || !LLVMIsDeclaration(f))
			continue;
		snprintf(text, sizeof text, "__wrap_%s", names[i]);
		LLVMValueRef there = LLVMGetNamedFunction(module, text);
		if (there)
			LLVMReplaceAllUsesWith(f, there);
		else
			LLVMSetValueName2(f, text, strlen(text));
	}
}

static int is_static(LLVMValueRef g)
{
	return LLVMGetLinkage(g) == LLVMInternalLinkage || LLVMGetLinkage(g) == LLVMPrivateLinkage;
}

static LLVMValueRef symbol_text(struct tracer *t, LLVMValueRef of)
{
	size_t n;
	const char *name = LLVMGetValueName2(of, &n);
	LLVMValueRef text = LLVMConstStringInContext2(t->context, name, n, 0), g = LLVMAddGlobal(t->module, LLVMTypeOf(text), ".muster.symbol");

	LLVMSetInitializer(g, text);
	LLVMSetGlobalConstant(g, 1);
	LLVMSetLinkage(g, LLVMPrivateLinkage);
	return g;
}

void trace_globals(struct tracer *t)
{
	name_block_moves(t->module);
	LLVMTypeRef fields[] = {t->ptr, t->i64, t->ptr, t->i64};
	unsigned count = t->options->calls ? 4 : 2; /* struct rt_global (runtime/hooks.h) */
	LLVMTypeRef entry = LLVMStructTypeInContext(t->context, fields, count, 0);
	VEC(LLVMValueRef) rows = {0};

	for (LLVMValueRef g = LLVMGetFirstGlobal(t->module); g; g = LLVMGetNextGlobal(g)) {
		if (!has_object(g))
			continue;
		uint64_t size = LLVMABISizeOfType(t->layout, LLVMGlobalGetValueType(g));
		if (!size)
			continue;
		LLVMValueRef row[] = {g, tracer_q(t, size | (LLVMIsGlobalConstant(g) ? CONSTANT : 0)), count > 2 ? symbol_text(t, g) : NULL,
				      tracer_q(t, (uint64_t)t->u->id << 32 | is_static(g))};
		vec_push(&rows, LLVMConstStructInContext(t->context, row, count, 0));
	}
	if (rows.size) {
		LLVMValueRef array = LLVMConstArray2(entry, rows.data, rows.size);
		LLVMValueRef table = LLVMAddGlobal(t->module, LLVMTypeOf(array), "__muster_globals");
		LLVMSetInitializer(table, array);
		LLVMSetGlobalConstant(table, 1);
		LLVMSetLinkage(table, LLVMInternalLinkage);
		LLVMValueRef parts[] = {LLVMConstNull(t->ptr), table, tracer_q(t, rows.size)};
		LLVMValueRef record = LLVMConstStructInContext(t->context, parts, 3, 0);
		LLVMValueRef g = LLVMAddGlobal(t->module, LLVMTypeOf(record), "__muster_unit_record");
		LLVMSetInitializer(g, record);
		LLVMSetLinkage(g, LLVMInternalLinkage);
		add_constructor(t, constructor(t, g));
	}
	vec_release(&rows);
}
