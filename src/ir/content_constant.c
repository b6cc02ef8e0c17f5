/* content_constant.c: types and constants as numbers.
 *
 * Types count by structure: the name of a struct says nothing about its layout. A constant's number is folded from its type and parts, top down and in order; where
 * a symbol stands, only that one stands there, and the symbol goes to the constant's list, for what a symbol is depends on the program. An address in a
 * global is its offset in bytes, however it was written.
 */
#include "ir/code_parts.h"
#include "ir/content_parts.h"

#include <llvm-c/Core.h>

#include <string.h>

static uint64_t hash_text(const char *s, size_t n)
{
	return hash64(s ? s : "", s ? n : 0, 17);
}

/* ------------------------------------------------------------------ types */

static uint64_t struct_type(struct content_maker *m, LLVMTypeRef type, uint64_t h)
{
	unsigned n = LLVMCountStructElementTypes(type);

	if (LLVMIsOpaqueStruct(type)) {
		const char *name = LLVMGetStructName(type);

		return content_fold(h, hash_text(name, name ? strlen(name) : 0));
	}
	h = content_fold(h, (uint64_t)LLVMIsPackedStruct(type));
	h = content_fold(h, n);
	for (unsigned k = 0; k < n; k++)
		h = content_fold(h, content_type(m, LLVMStructGetTypeAtIndex(type, k)));
	return h;
}

static uint64_t function_type(struct content_maker *m, LLVMTypeRef type, uint64_t h)
{
	unsigned n = LLVMCountParamTypes(type);
	LLVMTypeRef *list = mem_alloc((n + 1) * sizeof *list);

	LLVMGetParamTypes(type, list);
	h = content_fold(h, content_type(m, LLVMGetReturnType(type)));
	h = content_fold(h, (uint64_t)LLVMIsFunctionVarArg(type));
	for (unsigned k = 0; k < n; k++)
		h = content_fold(h, content_type(m, list[k]));
	free(list);
	return h;
}

static uint64_t make_type(struct content_maker *m, LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	uint64_t h = content_fold(1, kind);

	switch (kind) {
	case LLVMIntegerTypeKind:
		return content_fold(h, LLVMGetIntTypeWidth(type));
	case LLVMPointerTypeKind:
		return content_fold(h, LLVMGetPointerAddressSpace(type));
	case LLVMArrayTypeKind:
		return content_fold(content_fold(h, LLVMGetArrayLength2(type)), content_type(m, LLVMGetElementType(type)));
	case LLVMVectorTypeKind:
	case LLVMScalableVectorTypeKind:
		return content_fold(content_fold(h, LLVMGetVectorSize(type)), content_type(m, LLVMGetElementType(type)));
	case LLVMStructTypeKind:
		return struct_type(m, type, h);
	case LLVMFunctionTypeKind:
		return function_type(m, type, h);
	default:
		return h;
	}
}

uint64_t content_type(struct content_maker *m, LLVMTypeRef type)
{
	uint64_t h;

	if (!map_get(&m->types, (uintptr_t)type, &h)) {
		h = make_type(m, type);
		map_set(&m->types, (uintptr_t)type, h);
	}
	return h;
}

/* ------------------------------------------------------------------ constants */

static uint64_t add_constant(struct content_maker *m, LLVMValueRef v, struct content_constant *out);

static uint64_t printed(LLVMValueRef v)
{
	char *text = LLVMPrintValueToString(v);
	uint64_t h = hash_text(text, strlen(text));

	LLVMDisposeMessage(text);
	return h;
}

static uint64_t parts_count(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMArrayTypeKind:
		return LLVMGetArrayLength2(type);
	case LLVMVectorTypeKind:
		return LLVMGetVectorSize(type);
	case LLVMStructTypeKind:
		return LLVMCountStructElementTypes(type);
	default:
		return 0;
	}
}

static uint64_t add_parts(struct content_maker *m, LLVMValueRef v, uint64_t h, struct content_constant *out)
{
	uint64_t n = parts_count(LLVMTypeOf(v));
	size_t length;

	if (LLVMIsAConstantDataArray(v) && LLVMIsConstantString(v)) {
		const char *bytes = LLVMGetAsString(v, &length);

		return content_fold(h, hash_text(bytes, length));
	}
	for (uint64_t k = 0; k < n; k++)
		h = content_fold(h, add_constant(m, LLVMGetAggregateElement(v, (unsigned)k), out));
	return h;
}

static uint64_t add_expression(struct content_maker *m, LLVMValueRef v, uint64_t h, struct content_constant *out)
{
	LLVMOpcode op = LLVMGetConstOpcode(v);
	int64_t offset = 0;

	h = content_fold(h, op);
	if (op == LLVMGetElementPtr && LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind && !code_gep(m->layout, v, &offset, NULL, NULL))
		return content_fold(content_fold(h, (uint64_t)offset), add_constant(m, LLVMGetOperand(v, 0), out));
	if (op == LLVMGetElementPtr)
		h = content_fold(h, content_type(m, LLVMGetGEPSourceElementType(v)));
	for (int k = 0; k < LLVMGetNumOperands(v); k++)
		h = content_fold(h, add_constant(m, LLVMGetOperand(v, (unsigned)k), out));
	return h;
}

/* Where the block stands in its function's order; the address of a block counts for more than that in match.c. */
static uint64_t add_label(struct content_maker *m, LLVMValueRef v, uint64_t h, struct content_constant *out)
{
	LLVMValueRef f = LLVMGetBlockAddressFunction(v);
	LLVMBasicBlockRef block = LLVMGetBlockAddressBasicBlock(v);
	uint64_t number = 0, at = 0;

	out->label = 1;
	h = content_fold(h, add_constant(m, f, out));
	if (!map_get(&m->symbols, (uintptr_t)f, &number))
		return h;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b && b != block; b = LLVMGetNextBasicBlock(b))
		at++;
	return content_fold(h, m->c->functions[number].blocks[at].order);
}

static uint64_t add_assembly(struct content_maker *m, LLVMValueRef v, uint64_t h, struct content_constant *out)
{
	size_t n;
	const char *text;

	out->assembly = 1;
	text = LLVMGetInlineAsmAsmString(v, &n);
	h = content_fold(h, hash_text(text, n));
	text = LLVMGetInlineAsmConstraintString(v, &n);
	h = content_fold(h, hash_text(text, n));
	h = content_fold(h, (uint64_t)LLVMGetInlineAsmDialect(v));
	h = content_fold(h, (uint64_t)(LLVMGetInlineAsmHasSideEffects(v) * 4 + LLVMGetInlineAsmNeedsAlignedStack(v) * 2 + LLVMGetInlineAsmCanUnwind(v)));
	return content_fold(h, content_type(m, LLVMGetInlineAsmFunctionType(v)));
}

/* An operand that is metadata: the name of a register. */
static uint64_t add_metadata(LLVMValueRef v)
{
	unsigned n = 0;
	const char *text = LLVMGetMDString(v, &n);
	uint64_t h = content_fold(3, hash_text(text, n));
	LLVMValueRef *list;

	if (text || !LLVMIsAMDNode(v))
		return h;
	n = LLVMGetMDNodeNumOperands(v);
	list = mem_alloc((n + 1) * sizeof *list);
	LLVMGetMDNodeOperands(v, list);
	for (unsigned k = 0; k < n; k++) {
		unsigned length = 0;

		text = list[k] ? LLVMGetMDString(list[k], &length) : NULL;
		h = content_fold(h, hash_text(text, length));
	}
	free(list);
	return h;
}

static uint64_t add_constant(struct content_maker *m, LLVMValueRef v, struct content_constant *out)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	uint64_t h, number;

	if (map_get(&m->symbols, (uintptr_t)v, &number)) {
		vec_push(&m->refs, (uint32_t)number);
		out->refs++;
		return content_fold(2, 0);
	}
	if (LLVMGetTypeKind(type) == LLVMMetadataTypeKind)
		return add_metadata(v);
	h = content_fold(LLVMGetValueKind(v), content_type(m, type));
	if (LLVMIsAInlineAsm(v))
		return add_assembly(m, v, h, out);
	if (LLVMIsPoison(v))
		return content_fold(h, 1);
	if (LLVMIsUndef(v))
		return content_fold(h, 2);
	if (LLVMIsNull(v))
		return content_fold(content_type(m, type), 3); /* however it is written: a zero is an aggregate of zeros */
	if (LLVMIsAConstantInt(v) && LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64)
		return content_fold(h, LLVMConstIntGetZExtValue(v));
	if (LLVMIsAConstantInt(v) || LLVMIsAConstantFP(v))
		return content_fold(h, printed(v));
	if (LLVMGetValueKind(v) == LLVMBlockAddressValueKind)
		return add_label(m, v, h, out);
	if (LLVMIsAConstantExpr(v))
		return add_expression(m, v, h, out);
	if (parts_count(type))
		return add_parts(m, v, h, out);
	return content_fold(h, printed(v));
}

uint32_t content_constant(struct content_maker *m, LLVMValueRef v)
{
	struct content_constant c = {.first = (uint32_t)m->refs.size};
	uint64_t number;

	if (map_get(&m->constants, (uintptr_t)v, &number))
		return (uint32_t)number;
	c.hash = add_constant(m, v, &c);
	number = m->constant_list.size;
	vec_push(&m->constant_list, c);
	map_set(&m->constants, (uintptr_t)v, number);
	return (uint32_t)number;
}
