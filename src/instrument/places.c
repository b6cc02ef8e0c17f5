/* places.c: where a program looks at addresses.
 *
 * For the fill variant, whose heap (runtime/places.c) judges what the calls report:
 *   - a pointer that becomes a number, other than for a difference, a test of alignment that every block passes alike, or on its way back to a pointer;
 *   - two pointers that are compared or subtracted, neither of them a constant;
 *   - integers that are loaded, whose bytes may be those of a pointer (a union, a copy); memory that memcmp looks at;
 *   - pointers that a function prints into memory or a file where the format is known and has %p.
 * Integer variables, which hold what the program put there as a number, are no such memory. What clang's checks do is not the program's.
 */
#include "instrument/places.h"

#include "base/vec.h"
#include "ir/unit.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <string.h>

#define ALIGNED 15 /* the bits of an address that are the same wherever a block stands */

struct places {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef b;
	LLVMTypeRef i64;
};

static void tell(struct places *p, LLVMValueRef before, const char *name, LLVMValueRef x, LLVMValueRef y)
{
	LLVMTypeRef first = LLVMTypeOf(x), type = LLVMFunctionType(LLVMVoidTypeInContext(p->context), (LLVMTypeRef[]){first, p->i64}, y ? 2 : 1, 0);
	LLVMValueRef f = LLVMGetNamedFunction(p->module, name);
	LLVMMetadataRef where = NULL;

	for (LLVMValueRef i = before; i && !where; i = LLVMGetNextInstruction(i))
		where = LLVMInstructionGetDebugLoc(i);
	LLVMPositionBuilderBefore(p->b, before);
	LLVMSetCurrentDebugLocation2(p->b, where);
	if (!f)
		f = LLVMAddFunction(p->module, name, type);
	LLVMBuildCall2(p->b, type, f, (LLVMValueRef[]){x, y}, y ? 2 : 1, "");
}

static LLVMValueRef number(struct places *p, LLVMValueRef before, LLVMValueRef v)
{
	LLVMPositionBuilderBefore(p->b, before);
	return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind ? LLVMBuildPtrToInt(p->b, v, p->i64, "") : LLVMBuildIntCast2(p->b, v, p->i64, 0, "");
}

static int is_pointer(LLVMValueRef v)
{
	return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

static int is_named(LLVMValueRef v, const char *prefix)
{
	size_t n;
	const char *name = LLVMGetValueName2(v, &n);

	return !strncmp(name, prefix, strlen(prefix));
}

/* Does this use of a number that was a pointer say nothing about where the block stands? */
static int is_harmless(LLVMValueRef number, LLVMValueRef user)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(user);
	LLVMValueRef other = LLVMGetNumOperands(user) == 2 ? LLVMGetOperand(user, LLVMGetOperand(user, 0) == number) : NULL;
	uint64_t k = other && LLVMIsAConstantInt(other) ? LLVMConstIntGetZExtValue(other) : UINT64_MAX;

	/* maskedptr: clang assumes an alignment, of memalign for example */
	if (op == LLVMIntToPtr || unit_is_marked(user) || (op == LLVMSub && is_named(user, "sub.ptr.sub")) || (op == LLVMAnd && is_named(user, "maskedptr")))
		return 1;
	if (op == LLVMICmp)
		return k == 0;
	if (op == LLVMURem || op == LLVMSRem)
		return k <= ALIGNED + 1 && k && !(k & (k - 1)) && LLVMGetOperand(user, 0) == number;
	return op == LLVMAnd && k <= ALIGNED;
}

static int becomes_number(LLVMValueRef inst)
{
	if (unit_is_marked(inst))
		return 0;
	for (LLVMUseRef u = LLVMGetFirstUse(inst); u; u = LLVMGetNextUse(u))
		if (!is_harmless(inst, LLVMGetUser(u)))
			return 1;
	return 0;
}

static int is_variable_number(LLVMValueRef inst)
{
	LLVMValueRef from = LLVMGetOperand(inst, 0);

	return LLVMIsAAllocaInst(from) && LLVMGetTypeKind(LLVMGetAllocatedType(from)) == LLVMIntegerTypeKind;
}

/* ------------------------------------------------------------------ formats */

/* Bit i: the argument i after the format is printed as an address. A number for a width takes one, too. */
static uint64_t addresses_in(const char *s, size_t n)
{
	uint64_t found = 0;
	unsigned i = 0;

	for (size_t k = 0; k < n && i < 64; k++) {
		if (s[k] != '%')
			continue;
		for (k++; k < n && strchr("-+ #0123456789.*'hljztLq", s[k]) && s[k]; k++)
			i += s[k] == '*';
		if (k == n || s[k] == '%')
			continue;
		if (s[k] == 'p' && i < 64)
			found |= 1ull << i;
		i++;
	}
	return found;
}

static void visit_format(struct places *p, LLVMValueRef call, unsigned format)
{
	unsigned n = LLVMGetNumArgOperands(call);
	LLVMValueRef text = n > format ? LLVMIsAGlobalVariable(LLVMGetOperand(call, format)) : NULL;
	LLVMValueRef value = text && LLVMIsGlobalConstant(text) ? LLVMGetInitializer(text) : NULL;
	uint64_t addresses = 0;
	size_t length;

	if (value && LLVMIsAConstantDataSequential(value) && LLVMIsConstantString(value)) {
		const char *s = LLVMGetAsString(value, &length);
		addresses = addresses_in(s, length);
	}
	for (unsigned i = format + 1; i < n && i - format - 1 < 64; i++)
		if (addresses >> (i - format - 1) & 1 && is_pointer(LLVMGetOperand(call, i)))
			tell(p, call, "__muster_place_number", number(p, call, LLVMGetOperand(call, i)), NULL);
}

static void visit_call(struct places *p, LLVMValueRef call)
{
	static const struct {
		const char *name;
		unsigned format;
	} printing[] = {{"sprintf", 1}, {"snprintf", 2}, {"asprintf", 1}, {"fprintf", 1}, {"dprintf", 1}, {"__sprintf_chk", 3}, {"__snprintf_chk", 4}, {"__asprintf_chk", 2}, {"__fprintf_chk", 2}, {"__dprintf_chk", 2}};
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t length;
	const char *name = callee && LLVMIsAFunction(callee) && LLVMIsDeclaration(callee) ? LLVMGetValueName2(callee, &length) : "";

	if ((!strcmp(name, "memcmp") || !strcmp(name, "bcmp")) && LLVMGetNumArgOperands(call) == 3) {
		LLVMValueRef n = number(p, call, LLVMGetOperand(call, 2));
		tell(p, call, "__muster_place_bytes", LLVMGetOperand(call, 0), n);
		tell(p, call, "__muster_place_bytes", LLVMGetOperand(call, 1), n);
		return;
	}
	for (size_t i = 0; i < sizeof printing / sizeof *printing; i++)
		if (!strcmp(name, printing[i].name))
			visit_format(p, call, printing[i].format);
}

/* ------------------------------------------------------------- instructions */

static void visit_comparison(struct places *p, LLVMValueRef inst, const char *name)
{
	LLVMValueRef x = LLVMGetOperand(inst, 0), y = LLVMGetOperand(inst, 1);

	if (!is_pointer(x) || LLVMIsConstant(x) || LLVMIsConstant(y) || LLVMIsAAllocaInst(x) || LLVMIsAAllocaInst(y))
		return;
	tell(p, inst, name, number(p, inst, x), number(p, inst, y));
}

static void visit(struct places *p, LLVMValueRef inst)
{
	LLVMIntPredicate how;

	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMPtrToInt:
		if (becomes_number(inst))
			tell(p, inst, "__muster_place_number", number(p, inst, LLVMGetOperand(inst, 0)), NULL);
		break;
	case LLVMICmp:
		how = LLVMGetICmpPredicate(inst);
		visit_comparison(p, inst, how == LLVMIntEQ || how == LLVMIntNE ? "__muster_place_same" : "__muster_place_pair");
		break;
	case LLVMSub:
		if (is_named(inst, "sub.ptr.sub"))
			tell(p, inst, "__muster_place_pair", number(p, inst, LLVMGetOperand(inst, 0)), number(p, inst, LLVMGetOperand(inst, 1)));
		break;
	case LLVMLoad:
		if (LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMIntegerTypeKind && !is_variable_number(inst))
			tell(p, inst, "__muster_place_bytes", LLVMGetOperand(inst, 0),
			     LLVMConstInt(p->i64, LLVMABISizeOfType(LLVMGetModuleDataLayout(p->module), LLVMTypeOf(inst)), 0));
		break;
	case LLVMCall:
		visit_call(p, inst);
		break;
	default:
		break;
	}
}

void places_watch(LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	struct places p = {.module = module, .context = context, .b = LLVMCreateBuilderInContext(context), .i64 = LLVMInt64TypeInContext(context)};
	VEC(LLVMValueRef) found = {0};

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				if (!unit_is_marked(i))
					vec_push(&found, i);
	for (size_t i = 0; i < found.size; i++)
		visit(&p, found.data[i]);
	vec_release(&found);
	LLVMDisposeBuilder(p.b);
}
