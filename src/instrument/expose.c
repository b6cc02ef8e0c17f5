/* expose.c: a unit becomes an object whose functions and variables are reached through tables.
 *
 *   load (locals in memory, so that one without a value has what stood there) - drop checks, settle what is undefined - mark what the wanted functions reach - wrappers with one type for all functions, tables - stubs for what is defined nowhere - everything internal - code.
 *
 * Only functions of integers and pointers can be called: a wrapper takes its arguments as words of 64 bits. Only variables that are reached are in the table, or the table itself would keep all of a large unit.
 */
#include "instrument/expose.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"
#include "base/vec.h"
#include "instrument/emit.h"
#include "instrument/expose_watch.h"
#include "instrument/fold.h"
#include "instrument/settle.h"

#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#define PARAMETERS 60	 /* of a function that is called */
#define DATA_BYTES 65536 /* of a variable in the table */

struct exposer {
	struct unit *u;
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTypeRef word, pointer;
	struct map reached; /* functions and variables */
	struct map promises; /* of parameters, and of functions about what they return, before attributes go */
	VEC(LLVMValueRef) work;
	VEC(LLVMValueRef) calls, data; /* rows of the tables */
	struct buf *names;
};

static const char *name_of(LLVMValueRef v)
{
	size_t n;

	return LLVMGetValueName2(v, &n);
}

/* ------------------------------------------------------------ what is reached */

static void reach(struct exposer *x, LLVMValueRef v)
{
	if (!LLVMIsAConstant(v) || !map_set(&x->reached, (uint64_t)(uintptr_t)v, 1))
		return;
	vec_push(&x->work, v);
}

static void reach_from(struct exposer *x, LLVMValueRef v)
{
	if (LLVMIsAFunction(v)) {
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(v); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				for (int k = 0; k < LLVMGetNumOperands(i); k++)
					if (LLVMGetOperand(i, (unsigned)k))
						reach(x, LLVMGetOperand(i, (unsigned)k));
	} else if (LLVMIsAGlobalVariable(v)) {
		if (LLVMGetInitializer(v))
			reach(x, LLVMGetInitializer(v));
	} else {
		for (int k = 0; k < LLVMGetNumOperands(v); k++)
			if (LLVMGetOperand(v, (unsigned)k))
				reach(x, LLVMGetOperand(v, (unsigned)k));
	}
}

static void reach_all(struct exposer *x)
{
	while (x->work.size)
		reach_from(x, x->work.data[--x->work.size]);
}

static int is_reached(const struct exposer *x, LLVMValueRef v)
{
	return map_get(&x->reached, (uint64_t)(uintptr_t)v, NULL);
}

/* ------------------------------------------------------------ wrappers */

static int is_plain(LLVMTypeRef t)
{
	return LLVMGetTypeKind(t) == LLVMPointerTypeKind || (LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) <= 64);
}

static int can_call(LLVMValueRef f)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(f), parameters[PARAMETERS];
	unsigned n = LLVMCountParamTypes(type), by_value = LLVMGetEnumAttributeKindForName("byval", 5);

	if (LLVMIsDeclaration(f) || LLVMIsFunctionVarArg(type) || n > PARAMETERS)
		return 0;
	LLVMTypeRef result = LLVMGetReturnType(type);
	if (LLVMGetTypeKind(result) != LLVMVoidTypeKind && !is_plain(result))
		return 0;
	LLVMGetParamTypes(type, parameters);
	for (unsigned i = 0; i < n; i++)
		if (!is_plain(parameters[i]) || LLVMGetEnumAttributeAtIndex(f, i + 1, by_value))
			return 0;
	return 1;
}

static LLVMValueRef as_word(struct exposer *x, LLVMValueRef v)
{
	LLVMTypeRef t = LLVMTypeOf(v);

	if (LLVMGetTypeKind(t) == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(x->builder, v, x->word, "");
	if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(t) > 64)
		return LLVMConstInt(x->word, 0, 0);
	return LLVMBuildIntCast2(x->builder, v, x->word, 0, "");
}

enum { APART = 1, NOT_NULL = 2 };

static uint64_t promises_at(LLVMValueRef f, unsigned index)
{
	unsigned alias = LLVMGetEnumAttributeKindForName("noalias", 7), null = LLVMGetEnumAttributeKindForName("nonnull", 7);

	return (LLVMGetEnumAttributeAtIndex(f, index, alias) ? APART : 0) | (LLVMGetEnumAttributeAtIndex(f, index, null) ? NOT_NULL : 0);
}

static void find_promises(struct exposer *x)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(x->module); f; f = LLVMGetNextFunction(f)) {
		map_set(&x->promises, (uint64_t)(uintptr_t)f, promises_at(f, LLVMAttributeReturnIndex));
		for (unsigned i = 0; i < LLVMCountParams(f); i++)
			map_set(&x->promises, (uint64_t)(uintptr_t)LLVMGetParam(f, i), promises_at(f, i + 1));
	}
}

static uint64_t promises(const struct exposer *x, LLVMValueRef v)
{
	uint64_t some = 0;

	map_get(&x->promises, (uint64_t)(uintptr_t)v, &some);
	return some;
}

/* count: of the pointers that the check gets. */
static void check_pointers(struct exposer *x, const char *check, LLVMValueRef *pointers, unsigned count)
{
	LLVMTypeRef types[2] = {x->pointer, x->pointer}, type = LLVMFunctionType(LLVMVoidTypeInContext(x->context), types, count, 0);
	LLVMValueRef callee = LLVMGetNamedFunction(x->module, check);

	LLVMBuildCall2(x->builder, type, callee ? callee : LLVMAddFunction(x->module, check, type), pointers, count, "");
}

/* A call in which a `restrict` pointer and another one may lead to the same memory, or one is null that is declared never to be. */
static void check_promises(struct exposer *x, LLVMValueRef f, LLVMValueRef *arguments, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t some = promises(x, LLVMGetParam(f, i));
		if (some & NOT_NULL)
			check_pointers(x, "muster_set", &arguments[i], 1);
		for (unsigned k = 0; k < n && some & APART; k++)
			if (i != k && LLVMGetTypeKind(LLVMTypeOf(arguments[k])) == LLVMPointerTypeKind)
				check_pointers(x, "muster_restricted", (LLVMValueRef[]){arguments[i], arguments[k]}, 2);
	}
}

static LLVMValueRef make_wrapper(struct exposer *x, LLVMValueRef f)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(f), own = LLVMFunctionType(x->word, &x->pointer, 1, 0), parameters[PARAMETERS];
	LLVMValueRef wrapper = LLVMAddFunction(x->module, "muster_call", own), arguments[PARAMETERS];
	unsigned n = LLVMCountParamTypes(type);

	LLVMPositionBuilderAtEnd(x->builder, LLVMAppendBasicBlockInContext(x->context, wrapper, ""));
	LLVMGetParamTypes(type, parameters);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef index = LLVMConstInt(x->word, i, 0), at = LLVMBuildGEP2(x->builder, x->word, LLVMGetParam(wrapper, 0), &index, 1, "");
		LLVMValueRef v = LLVMBuildLoad2(x->builder, x->word, at, "");
		arguments[i] = LLVMGetTypeKind(parameters[i]) == LLVMPointerTypeKind ? LLVMBuildIntToPtr(x->builder, v, parameters[i], "") : LLVMBuildIntCast2(x->builder, v, parameters[i], 0, "");
	}
	check_promises(x, f, arguments, n);
	LLVMValueRef call = LLVMBuildCall2(x->builder, type, f, arguments, n, "");
	LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(f));
	LLVMBuildRet(x->builder, LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind ? LLVMConstInt(x->word, 0, 0) : as_word(x, call));
	LLVMSetLinkage(wrapper, LLVMInternalLinkage);
	return wrapper;
}

static LLVMValueRef make_text(struct exposer *x, const char *text)
{
	LLVMValueRef bytes = LLVMConstStringInContext(x->context, text, (unsigned)strlen(text), 0);
	LLVMValueRef v = LLVMAddGlobal(x->module, LLVMTypeOf(bytes), "");

	LLVMSetInitializer(v, bytes);
	LLVMSetLinkage(v, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(v, 1);
	return v;
}

static void note_name(struct exposer *x, char kind, const char *name)
{
	buf_addc(x->names, kind);
	buf_add(x->names, name, strlen(name) + 1);
}

static void add_call(struct exposer *x, LLVMValueRef f)
{
	note_name(x, 'F', name_of(f));
	LLVMValueRef row[2] = {make_text(x, name_of(f)), make_wrapper(x, f)};

	vec_push(&x->calls, LLVMConstStructInContext(x->context, row, 2, 0));
}

static void add_data(struct exposer *x, LLVMValueRef g)
{
	uint64_t bytes = LLVMABISizeOfType(LLVMGetModuleDataLayout(x->module), LLVMGlobalGetValueType(g));
	LLVMValueRef row[3] = {make_text(x, name_of(g)), g, LLVMConstInt(x->word, bytes, 0)};

	if (!bytes || bytes > DATA_BYTES)
		return;
	note_name(x, 'D', name_of(g));
	vec_push(&x->data, LLVMConstStructInContext(x->context, row, 3, 0));
}

static void make_table(struct exposer *x, const char *name, LLVMTypeRef row, LLVMValueRef *rows, size_t count)
{
	LLVMValueRef array = LLVMConstArray2(row, rows, count), table = LLVMAddGlobal(x->module, LLVMTypeOf(array), name);

	LLVMSetInitializer(table, array);
	LLVMSetLinkage(table, LLVMExternalLinkage);
}

static void make_tables(struct exposer *x)
{
	LLVMTypeRef call[2] = {x->pointer, x->pointer}, data[3] = {x->pointer, x->pointer, x->word};
	LLVMTypeRef calls = LLVMStructTypeInContext(x->context, call, 2, 0), datas = LLVMStructTypeInContext(x->context, data, 3, 0);

	vec_push(&x->calls, LLVMConstNull(calls));
	vec_push(&x->data, LLVMConstNull(datas));
	make_table(x, "muster_calls", calls, x->calls.data, x->calls.size);
	make_table(x, "muster_data", datas, x->data.data, x->data.size);
}

/* ------------------------------------------------------------ what is defined nowhere */

int expose_library_has(const char *name)
{
	static void *libraries[2];
	static int opened;

	if (!opened) {
		libraries[0] = dlopen("libc.so.6", RTLD_LAZY);
		libraries[1] = dlopen("libm.so.6", RTLD_LAZY);
		opened = 1;
	}
	return (libraries[0] && dlsym(libraries[0], name)) || (libraries[1] && dlsym(libraries[1], name));
}

int expose_is_allocator(const char *name)
{
	static const char *const names[] = {"calloc", "free", "malloc", "realloc"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return 1;
	return 0;
}

/* Is it declared not to return? Where the compiler checks that, the attribute is not there, but nothing comes after its calls. */
static int never_returns(LLVMValueRef f)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("noreturn", 8);
	int some = 0;

	if (LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kind))
		return 1;
	for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef call = LLVMGetUser(u), next = LLVMIsACallInst(call) ? LLVMGetNextInstruction(call) : NULL;
		if (!next || LLVMGetCalledValue(call) != f || LLVMGetInstructionOpcode(next) != LLVMUnreachable)
			return 0;
		some = 1;
	}
	return some;
}

static LLVMValueRef as_result(struct exposer *x, LLVMValueRef word, LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return LLVMBuildIntToPtr(x->builder, word, type, "");
	if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
		return LLVMBuildIntCast2(x->builder, word, type, 0, "");
	return LLVMConstNull(type);
}

/* The function says how it was called, under this name. rooms: by argument, bytes of the local that it is the address of, or 0; NULL: not known. flags: EXPOSE_ENDS, EXPOSE_QUIET. */
static void define_stub(struct exposer *x, LLVMValueRef f, const char *name, uint64_t flags, LLVMValueRef rooms)
{
	LLVMTypeRef types[4] = {x->pointer, x->word, x->pointer, x->pointer}, type = LLVMFunctionType(x->word, types, 4, 0), result = LLVMGetReturnType(LLVMGlobalGetValueType(f));
	LLVMValueRef said = LLVMGetNamedFunction(x->module, "muster_stub");
	unsigned n = LLVMCountParams(f);

	if (!said)
		said = LLVMAddFunction(x->module, "muster_stub", type);
	LLVMPositionBuilderAtEnd(x->builder, LLVMAppendBasicBlockInContext(x->context, f, ""));
	LLVMValueRef list = LLVMBuildArrayAlloca(x->builder, x->word, LLVMConstInt(x->word, n + 1, 0), "");
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef index = LLVMConstInt(x->word, i, 0);
		LLVMBuildStore(x->builder, as_word(x, LLVMGetParam(f, i)), LLVMBuildGEP2(x->builder, x->word, list, &index, 1, ""));
	}
	LLVMValueRef arguments[4] = {make_text(x, name), LLVMConstInt(x->word, flags | n, 0), list, rooms ? rooms : LLVMConstNull(x->pointer)};
	LLVMValueRef value = LLVMBuildCall2(x->builder, type, said, arguments, 4, "");
	if (LLVMGetTypeKind(result) == LLVMVoidTypeKind)
		LLVMBuildRetVoid(x->builder);
	else
		LLVMBuildRet(x->builder, as_result(x, value, result));
}

/* ------------------------------------------------------------ calls that need a stub of their own */

static int is_argument(LLVMTypeRef t)
{
	return is_plain(t) || LLVMGetTypeKind(t) == LLVMDoubleTypeKind;
}

/* The address of something's first member or element, which is that of the whole. */
static int is_start(LLVMValueRef v)
{
	for (int k = 1; LLVMIsAGetElementPtrInst(v) && k < LLVMGetNumOperands(v); k++)
		if (!LLVMIsAConstantInt(LLVMGetOperand(v, (unsigned)k)) || LLVMConstIntGetZExtValue(LLVMGetOperand(v, (unsigned)k)))
			return 0;
	return LLVMIsAGetElementPtrInst(v) != NULL;
}

/* Bytes of the local whose address the value is; 0: it is something else. */
static uint64_t room_of(const struct exposer *x, LLVMValueRef v)
{
	while (is_start(v))
		v = LLVMGetOperand(v, 0);
	if (!LLVMIsAAllocaInst(v) || !LLVMIsAConstantInt(LLVMGetOperand(v, 0)) || LLVMConstIntGetZExtValue(LLVMGetOperand(v, 0)) != 1)
		return 0;
	return LLVMABISizeOfType(LLVMGetModuleDataLayout(x->module), LLVMGetAllocatedType(v));
}

static LLVMValueRef make_rooms(struct exposer *x, LLVMValueRef *rooms, unsigned n)
{
	LLVMValueRef array = LLVMConstArray2(x->word, rooms, n), v = LLVMAddGlobal(x->module, LLVMTypeOf(array), "");

	LLVMSetInitializer(v, array);
	LLVMSetLinkage(v, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(v, 1);
	return v;
}

/* A call with variable arguments, or with addresses of locals: of a stub that sees all of them, and knows what room there is. Others stay as they are. */
static void settle_call(struct exposer *x, LLVMValueRef call, LLVMValueRef f, uint64_t flags)
{
	unsigned n = LLVMGetNumArgOperands(call), by_value = LLVMGetEnumAttributeKindForName("byval", 5), some = LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f)) != 0;
	LLVMTypeRef types[PARAMETERS];
	LLVMValueRef arguments[PARAMETERS], rooms[PARAMETERS];

	if (n > PARAMETERS || LLVMGetCalledFunctionType(call) != LLVMGlobalGetValueType(f))
		return;
	for (unsigned i = 0; i < n; i++) {
		arguments[i] = LLVMGetOperand(call, i);
		types[i] = LLVMTypeOf(arguments[i]);
		if (!is_argument(types[i]) || LLVMGetCallSiteEnumAttribute(call, i + 1, by_value))
			return;
		rooms[i] = LLVMConstInt(x->word, room_of(x, arguments[i]), 0);
		some |= room_of(x, arguments[i]) != 0;
	}
	if (!some)
		return;
	LLVMTypeRef type = LLVMFunctionType(LLVMGetReturnType(LLVMGlobalGetValueType(f)), types, n, 0);
	LLVMValueRef stub = LLVMAddFunction(x->module, "muster_call_stub", type);
	define_stub(x, stub, name_of(f), flags, make_rooms(x, rooms, n));
	LLVMSetLinkage(stub, LLVMInternalLinkage);
	LLVMPositionBuilderBefore(x->builder, call);
	LLVMValueRef now = LLVMBuildCall2(x->builder, type, stub, arguments, n, "");
	LLVMReplaceAllUsesWith(call, now);
	LLVMInstructionEraseFromParent(call);
}

static void settle_calls(struct exposer *x, LLVMValueRef f, uint64_t flags)
{
	VEC(LLVMValueRef) calls = {0};

	for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u))
		if (LLVMIsACallInst(LLVMGetUser(u)) && LLVMGetCalledValue(LLVMGetUser(u)) == f)
			vec_push(&calls, LLVMGetUser(u));
	for (size_t i = 0; i < calls.size; i++)
		settle_call(x, calls.data[i], f, flags);
	vec_release(&calls);
}

static int is_callers(LLVMValueRef f)
{
	return !strcmp(name_of(f), "muster_undefined") || !strcmp(name_of(f), "muster_shift");
}

static int is_missing(const struct exposer *x, LLVMValueRef f)
{
	return LLVMIsDeclaration(f) && !LLVMGetIntrinsicID(f) && is_reached(x, f) && strncmp(name_of(f), "llvm.", 5) && !is_callers(f) && LLVMGetLinkage(f) != LLVMExternalWeakLinkage && (!expose_library_has(name_of(f)) || expose_is_allocator(name_of(f)));
}

static void define_missing(struct exposer *x)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(x->module); f; f = LLVMGetNextFunction(f))
		if (is_missing(x, f)) {
			uint64_t flags = never_returns(f) ? EXPOSE_ENDS : unit_is_quiet(f) ? EXPOSE_QUIET : 0, some = promises(x, f);
			flags |= (some & APART ? EXPOSE_FRESH : 0) | (some & NOT_NULL ? EXPOSE_SET : 0);
			settle_calls(x, f, flags);
			define_stub(x, f, name_of(f), flags, NULL);
		}
	for (LLVMValueRef g = LLVMGetFirstGlobal(x->module); g; g = LLVMGetNextGlobal(g))
		if (LLVMIsDeclaration(g) && is_reached(x, g) && LLVMGetLinkage(g) != LLVMExternalWeakLinkage && LLVMTypeIsSized(LLVMGlobalGetValueType(g)) && !expose_library_has(name_of(g)))
			LLVMSetInitializer(g, LLVMConstNull(LLVMGlobalGetValueType(g)));
}

/* ------------------------------------------------------------ the unit */

static void make_internal(LLVMValueRef v)
{
	if (LLVMIsDeclaration(v) || LLVMGetLinkage(v) == LLVMPrivateLinkage || LLVMGetLinkage(v) == LLVMAppendingLinkage || !strcmp(name_of(v), EXPOSE_COVER) || !strcmp(name_of(v), EXPOSE_BLOCKS))
		return;
	LLVMSetVisibility(v, LLVMDefaultVisibility);
	LLVMSetDLLStorageClass(v, LLVMDefaultStorageClass);
	if (LLVMIsAGlobalObject(v)) /* an alias has none */
		LLVMSetComdat(v, NULL);
	LLVMSetLinkage(v, LLVMInternalLinkage);
}

static void drop_used(LLVMModuleRef module, const char *name)
{
	LLVMValueRef used = LLVMGetNamedGlobal(module, name);

	if (used)
		LLVMDeleteGlobal(used);
}

static int is_variable(LLVMValueRef g)
{
	return !LLVMIsDeclaration(g) && !LLVMIsGlobalConstant(g) && LLVMGetLinkage(g) != LLVMPrivateLinkage && LLVMGetLinkage(g) != LLVMAppendingLinkage &&
	       strncmp(name_of(g), "llvm.", 5);
}

/* The program's own traps: __builtin_trap. */
static void settle_traps(struct exposer *x, const char *name)
{
	LLVMValueRef f = LLVMGetNamedFunction(x->module, name);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(x->context), NULL, 0, 0);

	for (LLVMUseRef u = f ? LLVMGetFirstUse(f) : NULL; u; u = LLVMGetFirstUse(f)) {
		LLVMValueRef call = LLVMGetUser(u), trap = LLVMGetNamedFunction(x->module, "muster_trap");
		LLVMPositionBuilderBefore(x->builder, call);
		LLVMBuildCall2(x->builder, type, trap ? trap : LLVMAddFunction(x->module, "muster_trap", type), NULL, 0, "");
		LLVMInstructionEraseFromParent(call);
	}
}

/* A run has one thread: its variables are like others. */
static void settle_thread_locals(struct exposer *x)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(x->module); g; g = LLVMGetNextGlobal(g)) {
		if (!LLVMIsThreadLocal(g))
			continue;
		for (LLVMUseRef u = LLVMGetFirstUse(g), next; u; u = next) {
			LLVMValueRef call = LLVMGetUser(u), callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
			next = LLVMGetNextUse(u);
			if (callee && LLVMIsAFunction(callee) && !strncmp(name_of(callee), "llvm.threadlocal.address", 24)) {
				LLVMReplaceAllUsesWith(call, g);
				LLVMInstructionEraseFromParent(call);
			}
		}
		LLVMSetThreadLocal(g, 0);
	}
}

/* A check for undefined behaviour, or a part of one: from now on a branch like others, to the end of the run where it fails. */
static void keep_check(struct exposer *x, LLVMValueRef branch, LLVMBasicBlockRef *end)
{
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(x->context), NULL, 0, 0);
	LLVMValueRef undefined = LLVMGetNamedFunction(x->module, "muster_undefined");
	int fails = unit_check_fails(branch);

	LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(x->context, "nosanitize", 10), NULL);
	if (fails < 0)
		return;
	if (!*end) {
		*end = LLVMAppendBasicBlockInContext(x->context, LLVMGetBasicBlockParent(LLVMGetInstructionParent(branch)), "");
		LLVMPositionBuilderAtEnd(x->builder, *end);
		LLVMBuildCall2(x->builder, type, undefined ? undefined : LLVMAddFunction(x->module, "muster_undefined", type), NULL, 0, "");
		LLVMBuildUnreachable(x->builder);
	}
	LLVMSetSuccessor(branch, (unsigned)!fails, *end); /* outcome 1 is LLVM's successor 0 */
}

static void keep_checks(struct exposer *x)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(x->module); f; f = LLVMGetNextFunction(f)) {
		VEC(LLVMValueRef) checks = {0};
		LLVMBasicBlockRef end = NULL;
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
			LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
			if (LLVMIsABranchInst(last) && LLVMIsConditional(last) && unit_is_check(last) && unit_checker_is_undefined(unit_checker(last)))
				vec_push(&checks, last);
		}
		for (size_t i = checks.size; i > 0; i--) /* parts stand before what they are a part of */
			keep_check(x, checks.data[i - 1], &end);
		vec_release(&checks);
	}
}

static int is_kept(void *ctx, LLVMValueRef f)
{
	return !LLVMIsDeclaration(f) && is_reached(ctx, f);
}

static void expose(struct exposer *x, const struct expose_request *request, const struct expose_lines *lines)
{
	VEC(LLVMValueRef) wanted = {0};

	drop_used(x->module, "llvm.used");
	drop_used(x->module, "llvm.compiler.used");
	settle_thread_locals(x);
	for (LLVMValueRef f = LLVMGetFirstFunction(x->module); f; f = LLVMGetNextFunction(f))
		if (can_call(f) && (!request->function || !strcmp(request->function, name_of(f)))) {
			vec_push(&wanted, f);
			reach(x, f);
		}
	reach_all(x);
	for (LLVMValueRef g = LLVMGetFirstGlobal(x->module); g; g = LLVMGetNextGlobal(g))
		if (is_variable(g) && (!request->function || is_reached(x, g))) /* the other version may use it */
			add_data(x, g);
	expose_cover(x->module, lines, is_kept, x, x->names);
	define_missing(x);
	settle_traps(x, "llvm.trap");
	settle_traps(x, "llvm.debugtrap");
	for (LLVMValueRef f = LLVMGetFirstFunction(x->module); f; f = LLVMGetNextFunction(f)) {
		expose_guard_locals(x->module, f);
		expose_check_copies(x->module, f);
	}
	for (LLVMValueRef f = LLVMGetFirstFunction(x->module); f; f = LLVMGetNextFunction(f))
		make_internal(f);
	for (LLVMValueRef g = LLVMGetFirstGlobal(x->module); g; g = LLVMGetNextGlobal(g))
		make_internal(g);
	for (LLVMValueRef a = LLVMGetFirstGlobalAlias(x->module); a; a = LLVMGetNextGlobalAlias(a))
		make_internal(a);
	expose_spread(x->module);
	for (size_t i = 0; i < wanted.size; i++)
		add_call(x, wanted.data[i]);
	make_tables(x);
	vec_release(&wanted);
}

int expose_unit(const void *bitcode, size_t size, const struct expose_request *request, struct buf *object, struct buf *names)
{
	struct instrument_options options = {.reloc = INSTRUMENT_RELOC_PIC, .fast_compile = 1, .plain = 1};
	struct expose_lines lines = {0};
	struct unit u;

	if (unit_load_locals(&u, bitcode, size))
		return -1;
	struct exposer x = {.u = &u, .module = u.module, .context = u.context, .names = names};
	x.builder = LLVMCreateBuilderInContext(x.context);
	x.word = LLVMInt64TypeInContext(x.context);
	x.pointer = LLVMPointerTypeInContext(x.context, 0);
	expose_lines_read(u.module, &lines);
	LLVMStripModuleDebugInfo(u.module);
	if (request->overflow)
		keep_checks(&x);
	fold_checks(&u, 0, 0);
	expose_watch_shifts(u.module);
	find_promises(&x);
	settle_inline(u.module, NULL);
	settle_constants(&u);
	settle_undefined(&u);
	fold_forget(u.module);
	settle_behaviour(u.module);
	expose(&x, request, &lines);
	expose_lines_release(&lines);
	settle_functions(u.module);
	buf_clear(object);
	LLVMDisposeBuilder(x.builder);
	int e = unit_verify(&u) ? -1 : emit_object(&u, &options, object);
	map_release(&x.reached);
	map_release(&x.promises);
	vec_release(&x.work);
	vec_release(&x.calls);
	vec_release(&x.data);
	unit_release(&u);
	return e;
}
