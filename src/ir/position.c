/* position.c: calls that name their place in the source.
 *
 * A line alone is a number like any other (`exit(5)` in line 5), so it counts only beside the name of the file. And the program may compute with what it passes to
 * itself: each use of the parameter must be an argument that is passed on, until it leaves the program. What a module only declares may be defined in another unit,
 * and what it defines may be bound to another one's definition: who joins units says of which names that is so.
 * A function outside may compute with the line, too. So nothing may come back: no result that is used, and no argument that it could write to. A function of the C library may be known to
 * the rest of muster by its arguments (memcpy), so of these only those count that print.
 */
#include "ir/position.h"

#include "base/mem.h"
#include "ir/code.h"

#include <llvm-c/DebugInfo.h>

#include <stdlib.h>
#include <string.h>

struct forgetter {
	LLVMModuleRef module;
	LLVMValueRef no_name; /* "", made when it is needed */
	struct map told;      /* parameters: TOLD_ */
	const struct strmap *elsewhere;
	struct strmap *relied;
};

enum { TOLD_ONLY = 1, TOLD_NOT, TOLD_OPEN };

/* ------------------------------------------------------------ functions outside */

static const char *name_of(LLVMValueRef f)
{
	size_t length;

	return LLVMGetValueName2(f, &length);
}

static int is_one_of(const char *name, const char *const *list)
{
	while (*list && strcmp(*list, name) != 0)
		list++;
	return *list != NULL;
}

static int fails_assertion(LLVMValueRef f)
{
	static const char *const names[] = {"__assert_fail", "__assert_perror_fail", "__assert", NULL};

	return LLVMIsDeclaration(f) && is_one_of(name_of(f), names);
}

static int prints(LLVMValueRef f)
{
	static const char *const names[] = {"printf", "fprintf", "dprintf", "syslog", "error_at_line", "__printf_chk", "__fprintf_chk", "__dprintf_chk", "__syslog_chk", NULL};

	return fails_assertion(f) || is_one_of(name_of(f), names);
}

static int is_elsewhere(struct forgetter *x, LLVMValueRef f)
{
	LLVMLinkage linkage = LLVMGetLinkage(f);

	if (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage)
		return 0;
	if (x->elsewhere && strmap_get(x->elsewhere, name_of(f), NULL))
		return 1;
	strmap_set(x->relied, name_of(f), !LLVMIsDeclaration(f));
	return 0;
}

static int is_outside(struct forgetter *x, LLVMValueRef f)
{
	return LLVMIsDeclaration(f) && !LLVMGetIntrinsicID(f) && (prints(f) || !code_library_has(name_of(f))) && !is_elsewhere(x, f);
}

/* ------------------------------------------------------------ what comes back from there */

enum { TAG_POINTER = 0x0f, TAG_TYPEDEF = 0x16, TAG_BASE = 0x24, TAG_CONST = 0x26 };
enum { BASE = 3, TYPES = 3, TYPE_OF_FUNCTION = 4 }; /* operands of nodes, as in code_debug.c */

static LLVMMetadataRef operand(struct forgetter *x, LLVMMetadataRef node, unsigned k)
{
	LLVMValueRef value = node ? LLVMMetadataAsValue(LLVMGetModuleContext(x->module), node) : NULL;
	unsigned n = value ? LLVMGetMDNodeNumOperands(value) : 0;
	LLVMValueRef *all = mem_zalloc((n + 1) * sizeof *all);

	if (n)
		LLVMGetMDNodeOperands(value, all);
	LLVMMetadataRef found = k < n && all[k] ? LLVMValueAsMetadata(all[k]) : NULL;
	free(all);
	return found;
}

static unsigned tag(LLVMMetadataRef type)
{
	return type ? LLVMGetDINodeTag(type) : 0;
}

static LLVMMetadataRef without_names(struct forgetter *x, LLVMMetadataRef type)
{
	while (tag(type) == TAG_TYPEDEF)
		type = operand(x, type, BASE);
	return type;
}

/* Is parameter k of a declared function a pointer to constant numbers? What they are may then not lead to anything else, either. */
static int reads_numbers(struct forgetter *x, LLVMValueRef f, unsigned k)
{
	LLVMMetadataRef types = operand(x, operand(x, LLVMGetSubprogram(f), TYPE_OF_FUNCTION), TYPES);
	LLVMMetadataRef type = types && k < LLVMCountParams(f) ? without_names(x, operand(x, types, k + 1)) : NULL;

	type = tag(type) == TAG_POINTER ? without_names(x, operand(x, type, BASE)) : NULL;
	return tag(type) == TAG_CONST && tag(without_names(x, operand(x, type, BASE))) == TAG_BASE;
}

static int is_constant_data(LLVMValueRef value)
{
	return LLVMIsAConstantPointerNull(value) || (LLVMIsAGlobalVariable(value) && LLVMIsGlobalConstant(value));
}

/* Has a format that is a constant no %n? */
static int only_reads(LLVMValueRef format)
{
	LLVMValueRef text = LLVMIsAGlobalVariable(format) && LLVMIsGlobalConstant(format) ? LLVMGetInitializer(format) : NULL;
	size_t length;

	if (!text || !LLVMIsAConstantDataSequential(text) || !LLVMIsConstantString(text))
		return 0;
	for (const char *s = LLVMGetAsString(text, &length), *end = s + length; s < end; s++) {
		if (*s != '%')
			continue;
		while (++s < end && !strchr("%diouxXeEfFgGaAcsCSpmn", *s)) /* flags, widths and sizes, also those that only some libraries know */
			;
		if (s < end && *s == 'n')
			return 0;
	}
	return 1;
}

/* Does a call of a function that prints write to nothing that an argument leads to? Its last parameter is the format. */
static int writes_nothing(LLVMValueRef call, LLVMValueRef f)
{
	unsigned named = LLVMCountParams(f);

	if (fails_assertion(f) || (named && named <= LLVMGetNumArgOperands(call) && only_reads(LLVMGetOperand(call, named - 1))))
		return 1;
	for (unsigned k = named; k < LLVMGetNumArgOperands(call); k++)
		if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, k))) == LLVMPointerTypeKind && !is_constant_data(LLVMGetOperand(call, k)))
			return 0;
	return 1;
}

/* Nothing comes back from this call of a function outside: neither a result nor what it may write. */
static int is_silent(struct forgetter *x, LLVMValueRef call, LLVMValueRef f)
{
	if (LLVMGetFirstUse(call))
		return 0;
	if (prints(f))
		return writes_nothing(call, f);
	for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++) {
		LLVMValueRef value = LLVMGetOperand(call, k);

		if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind && !is_constant_data(value) && !reads_numbers(x, f, k))
			return 0;
	}
	return 1;
}

/* ------------------------------------------------------------ where a parameter goes */

static int is_told(struct forgetter *x, LLVMValueRef f, unsigned k);

static LLVMValueRef callee_of(LLVMValueRef inst)
{
	LLVMValueRef f = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;

	return f && LLVMIsAFunction(f) ? f : NULL;
}

/* Wherever the value is an argument of this call. */
static int is_passed_on(struct forgetter *x, LLVMValueRef call, LLVMValueRef value)
{
	LLVMValueRef f = callee_of(call);

	for (unsigned k = 0; f && k < LLVMGetNumArgOperands(call); k++)
		if (LLVMGetOperand(call, k) == value && !is_told(x, f, k))
			return 0;
	return f && (!LLVMIsDeclaration(f) || is_silent(x, call, f));
}

static int is_only_passed_on(struct forgetter *x, LLVMValueRef value);

/* A parameter's place in memory, as it is before mem2reg: written there and read again. */
static int is_home(struct forgetter *x, LLVMValueRef local)
{
	for (LLVMUseRef use = LLVMGetFirstUse(local); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		LLVMValueRef f = callee_of(user);

		if (LLVMIsALoadInst(user) ? !is_only_passed_on(x, user) : LLVMIsAStoreInst(user) ? LLVMGetOperand(user, 0) == local : !f || strncmp(name_of(f), "llvm.lifetime.", 14) != 0)
			return 0;
	}
	return 1;
}

static int is_only_passed_on(struct forgetter *x, LLVMValueRef value)
{
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		int stored = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == value && LLVMIsAAllocaInst(LLVMGetOperand(user, 1));

		if (stored ? !is_home(x, LLVMGetOperand(user, 1)) : !is_passed_on(x, user, value))
			return 0;
	}
	return 1;
}

static int is_replaceable(LLVMLinkage l)
{
	return l == LLVMWeakAnyLinkage || l == LLVMLinkOnceAnyLinkage || l == LLVMAvailableExternallyLinkage;
}

/* Does nothing become of argument k of f but that functions outside get it? */
static int is_told(struct forgetter *x, LLVMValueRef f, unsigned k)
{
	uint64_t known = 0;

	if (LLVMIsDeclaration(f))
		return is_outside(x, f);
	if (k >= LLVMCountParams(f) || is_replaceable(LLVMGetLinkage(f)) || is_elsewhere(x, f))
		return 0;
	LLVMValueRef parameter = LLVMGetParam(f, k);
	if (!map_get(&x->told, (uintptr_t)parameter, &known)) {
		map_set(&x->told, (uintptr_t)parameter, TOLD_OPEN);
		known = is_only_passed_on(x, parameter) ? TOLD_ONLY : TOLD_NOT;
		map_set(&x->told, (uintptr_t)parameter, known);
	}
	return known == TOLD_ONLY;
}

/* ------------------------------------------------------------ calls */

static const char *after_slash(const char *path, size_t *length)
{
	size_t at = *length;

	while (at && path[at - 1] != '/')
		at--;
	*length -= at;
	return path + at;
}

/* The name of the file that the call stands in, whatever the directory? */
static int is_file_name(LLVMValueRef call, LLVMValueRef value)
{
	LLVMValueRef text = LLVMIsAGlobalVariable(value) && LLVMIsGlobalConstant(value) ? LLVMGetInitializer(value) : NULL;
	unsigned debug_length = 0;
	const char *file = LLVMGetDebugLocFilename(call, &debug_length);
	size_t length, file_length = debug_length;

	if (!text || !file || !LLVMIsAConstantDataSequential(text) || !LLVMIsConstantString(text))
		return 0;
	const char *name = LLVMGetAsString(text, &length);
	if (!length || name[--length])
		return 0;
	name = after_slash(name, &length);
	file = after_slash(file, &file_length);
	return length && length == file_length && !memcmp(name, file, length);
}

static int is_line(LLVMValueRef call, LLVMValueRef f, LLVMValueRef value)
{
	return LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64 && (fails_assertion(f) || LLVMConstIntGetZExtValue(value) == LLVMGetDebugLocLine(call));
}

static LLVMValueRef no_name(struct forgetter *x)
{
	LLVMContextRef context = LLVMGetModuleContext(x->module);

	if (!x->no_name) {
		LLVMValueRef text = LLVMConstStringInContext2(context, "", 0, 0);

		x->no_name = LLVMAddGlobal(x->module, LLVMTypeOf(text), ".no_position");
		LLVMSetInitializer(x->no_name, text);
		LLVMSetLinkage(x->no_name, LLVMPrivateLinkage);
		LLVMSetGlobalConstant(x->no_name, 1);
		LLVMSetUnnamedAddress(x->no_name, LLVMGlobalUnnamedAddr);
		LLVMSetAlignment(x->no_name, 1);
	}
	return x->no_name;
}

static int forget(struct forgetter *x, LLVMValueRef call, LLVMValueRef f, unsigned file, unsigned line)
{
	LLVMValueRef number = LLVMGetOperand(call, line);

	if (!is_line(call, f, number) || !is_told(x, f, file) || !is_told(x, f, line) || (LLVMIsDeclaration(f) && !is_silent(x, call, f)))
		return 0;
	LLVMSetOperand(call, file, no_name(x));
	LLVMSetOperand(call, line, LLVMConstInt(LLVMTypeOf(number), 0, 0));
	return 1;
}

static void forget_in_call(struct forgetter *x, LLVMValueRef call)
{
	LLVMValueRef f = callee_of(call);
	unsigned n = f && LLVMGetDebugLocLine(call) ? LLVMGetNumArgOperands(call) : 0;

	for (unsigned k = 0; k < n; k++)
		if (is_file_name(call, LLVMGetOperand(call, k)) && !(k + 1 < n && forget(x, call, f, k, k + 1)) && k)
			forget(x, call, f, k, k - 1);
}

void position_forget(LLVMModuleRef module, const struct strmap *elsewhere, struct strmap *relied)
{
	struct forgetter x = {.module = module, .elsewhere = elsewhere, .relied = relied};

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				if (LLVMIsACallInst(i))
					forget_in_call(&x, i);
	map_release(&x.told);
}
