/* code_value.c: one LLVM instruction as one value of code.h.
 *
 * Scalar integers up to 128 bits and pointers are described in full; floats, vectors and aggregates become ANY, which promises
 * nothing. Intrinsics that say something about integers or memory have operators of their own, those that touch no memory are ANY or NOP, and any
 * other is a call like a call of a function without a body. Whatever is not known here falls on that side: an unknown result, an
 * unknown effect.
 */
#include "ir/code_parts.h"
#include "ir/unit.h"

#include <string.h>

static uint32_t integer_width(LLVMTypeRef type)
{
	unsigned width = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;

	return width <= 128 ? width : 0;
}

static void add_operand(struct code_draft *d, uint32_t id, LLVMValueRef operand)
{
	uint32_t value = code_draft_value(d, operand); /* may move the values */
	struct code_value *v = &d->values.data[id];

	if (!v->operands)
		v->first = (uint32_t)d->operands.size;
	v->operands++;
	vec_push(&d->operands, value);
	vec_push(&d->scales, 0);
}

/* Those that are values: no blocks, no metadata. */
static void add_operands(struct code_draft *d, LLVMValueRef inst, uint32_t id)
{
	for (int k = 0; k < LLVMGetNumOperands(inst); k++) {
		LLVMValueRef operand = LLVMGetOperand(inst, (unsigned)k);

		if (operand && !LLVMValueIsBasicBlock(operand) && LLVMGetTypeKind(LLVMTypeOf(operand)) != LLVMMetadataTypeKind)
			add_operand(d, id, operand);
	}
}

/* ------------------------------------------------------------------ addresses */

static int64_t constant_index(LLVMValueRef index)
{
	return LLVMConstIntGetSExtValue(index);
}

static int add_index(LLVMValueRef index, int64_t scale, int64_t *offset, void (*f)(void *ctx, LLVMValueRef index, int64_t scale), void *ctx)
{
	int64_t part;

	if (LLVMIsAConstantInt(index) && LLVMGetIntTypeWidth(LLVMTypeOf(index)) <= 64)
		return __builtin_mul_overflow(constant_index(index), scale, &part) || __builtin_add_overflow(*offset, part, offset) ? -1 : 0;
	if (!f || !integer_width(LLVMTypeOf(index)))
		return -1;
	f(ctx, index, scale);
	return 0;
}

int code_gep(LLVMTargetDataRef layout, LLVMValueRef gep, int64_t *offset, void (*f)(void *ctx, LLVMValueRef index, int64_t scale), void *ctx)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);

	for (int k = 1; k < LLVMGetNumOperands(gep); k++) {
		LLVMValueRef index = LLVMGetOperand(gep, (unsigned)k);

		if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);

			*offset += (int64_t)LLVMOffsetOfElement(layout, type, field);
			type = LLVMStructGetTypeAtIndex(type, field);
			continue;
		}
		if (k > 1) {
			if (LLVMGetTypeKind(type) != LLVMArrayTypeKind)
				return -1;
			type = LLVMGetElementType(type);
		}
		if (!LLVMTypeIsSized(type) || add_index(index, (int64_t)LLVMABISizeOfType(layout, type), offset, f, ctx))
			return -1;
	}
	return 0;
}

struct gep_context {
	struct code_draft *d;
	uint32_t id;
};

static void add_gep_index(void *ctx, LLVMValueRef index, int64_t scale)
{
	struct gep_context *g = ctx;

	add_operand(g->d, g->id, index);
	vec_last(&g->d->scales) = scale;
}

static void convert_gep(struct code_draft *d, LLVMValueRef inst, uint32_t id)
{
	struct gep_context g = {d, id};
	int64_t offset = 0;

	add_operand(d, id, LLVMGetOperand(inst, 0));
	d->values.data[id].op = CODE_GEP;
	if (LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMPointerTypeKind || code_gep(d->m->layout, inst, &offset, add_gep_index, &g))
		d->values.data[id].op = CODE_ANY;
	d->values.data[id].offset = offset;
}

/* ------------------------------------------------------------------ intrinsics */

/* X(start of the name after "llvm.", operator) : all operands, in order. The first that fits. */
#define INTRINSICS(X)             \
	X("lifetime.", NOP)       \
	X("invariant.", NOP)      \
	X("ubsantrap", NOP)       \
	X("prefetch", NOP)        \
	X("donothing", NOP)       \
	X("stackrestore", NOP)    \
	X("experimental.noalias", NOP) \
	X("assume", ASSUME)       \
	X("expect", COPY)         \
	X("threadlocal.address", COPY) \
	X("sadd.with.overflow.", PAIR) \
	X("uadd.with.overflow.", PAIR) \
	X("ssub.with.overflow.", PAIR) \
	X("usub.with.overflow.", PAIR) \
	X("smul.with.overflow.", PAIR) \
	X("umul.with.overflow.", PAIR) \
	X("smin.", SMIN)          \
	X("smax.", SMAX)          \
	X("umin.", UMIN)          \
	X("umax.", UMAX)          \
	X("memcpy.", MOVE)        \
	X("memmove.", MOVE)       \
	X("memset.", FILL)        \
	X("va_start", ATOMIC)     \
	X("va_end", ATOMIC)       \
	X("va_copy", MOVE)        \
	X("objectsize.", ANY)     \
	X("is.constant.", ANY)    \
	X("is.fpclass.", ANY)     \
	X("ctlz.", ANY)           \
	X("cttz.", ANY)           \
	X("ctpop.", ANY)          \
	X("bswap.", ANY)          \
	X("bitreverse.", ANY)     \
	X("abs.", ANY)            \
	X("fshl.", ANY)           \
	X("fshr.", ANY)           \
	X("sadd.sat.", ANY)       \
	X("uadd.sat.", ANY)       \
	X("ssub.sat.", ANY)       \
	X("usub.sat.", ANY)       \
	X("stacksave", ANY)       \
	X("returnaddress", ANY)   \
	X("frameaddress", ANY)    \
	X("fabs.", ANY)           \
	X("fma.", ANY)            \
	X("fmuladd.", ANY)        \
	X("sqrt.", ANY)           \
	X("floor.", ANY)          \
	X("ceil.", ANY)           \
	X("trunc.", ANY)          \
	X("rint.", ANY)           \
	X("nearbyint.", ANY)      \
	X("round.", ANY)          \
	X("roundeven.", ANY)      \
	X("lround.", ANY)         \
	X("llround.", ANY)        \
	X("copysign.", ANY)       \
	X("minnum.", ANY)         \
	X("maxnum.", ANY)         \
	X("pow.", ANY)            \
	X("powi.", ANY)           \
	X("exp.", ANY)            \
	X("exp2.", ANY)           \
	X("exp10.", ANY)          \
	X("log.", ANY)            \
	X("log2.", ANY)           \
	X("log10.", ANY)          \
	X("sin.", ANY)            \
	X("cos.", ANY)            \
	X("ldexp.", ANY)          \
	X("vector.reduce.", ANY)

/* The operator, or -1: it is a call. */
static int intrinsic_op(LLVMValueRef callee)
{
	static const struct {
		const char *start;
		int op;
	} table[] = {
#define X(start, op) {start, CODE_##op},
	    INTRINSICS(X)
#undef X
	};
	size_t length;
	const char *name;

	if (!callee || !LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee))
		return -1;
	name = LLVMGetValueName2(callee, &length);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strncmp(name + 5, table[i].start, strlen(table[i].start)))
			return table[i].op;
	return -1;
}

static int is_scalar(LLVMTypeRef type)
{
	return integer_width(type) || LLVMGetTypeKind(type) == LLVMPointerTypeKind;
}

static int is_memcpy(LLVMValueRef intrinsic)
{
	size_t length;

	return !strncmp(LLVMGetValueName2(intrinsic, &length), "llvm.memcpy.", 12);
}

static void convert_intrinsic(struct code_draft *d, LLVMValueRef inst, uint32_t id, int op)
{
	unsigned n = LLVMGetNumArgOperands(inst);

	if (op == CODE_COPY)
		n = 1;
	if (op == CODE_NOP)
		n = 0;
	if (op == CODE_MOVE || op == CODE_FILL) {
		if (!LLVMIsNull(LLVMGetOperand(inst, n - 1)))
			d->values.data[id].flags |= CODE_VOLATILE;
		if (is_memcpy(LLVMGetCalledValue(inst)))
			d->values.data[id].flags |= CODE_APART;
		n = 3;
	}
	for (unsigned k = 0; k < n; k++)
		add_operand(d, id, LLVMGetOperand(inst, k));
	if ((op == CODE_COPY || (op >= CODE_SMIN && op <= CODE_UMAX)) && !is_scalar(LLVMTypeOf(inst)))
		op = CODE_ANY;
	d->values.data[id].op = (uint8_t)op;
}

/* Does the call pass and take what the function says? Where no prototype stood between them, or a cast, it may not: such a call can do
 * anything, for what a parameter's effect is said to be depends on its type. */
static int is_as_declared(LLVMValueRef inst, LLVMValueRef function)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(function);
	unsigned n = LLVMCountParamTypes(type);

	if (LLVMGetReturnType(type) != LLVMTypeOf(inst) || LLVMGetNumArgOperands(inst) < n)
		return 0;
	for (unsigned k = 0; k < n; k++)
		if (LLVMTypeOf(LLVMGetParam(function, k)) != LLVMTypeOf(LLVMGetOperand(inst, k)))
			return 0;
	return 1;
}

static int is_trap(LLVMValueRef callee)
{
	size_t length;
	const char *name = LLVMGetValueName2(callee, &length);

	return !strncmp(name, "llvm.trap", 9) || !strncmp(name, "llvm.debugtrap", 14);
}

static void convert_call(struct code_draft *d, LLVMValueRef inst, uint32_t id, enum code_op op)
{
	LLVMValueRef callee = LLVMGetCalledValue(inst);
	int known = intrinsic_op(callee);
	uint64_t number;

	/* One of the program's own ends it, or stops it for a debugger; one of a check stands before an `unreachable`. */
	if (known == CODE_NOP && is_trap(callee) && !unit_is_marked(inst))
		known = -1;

	/* va_copy has no length: what it writes is one object, all of it. */
	if (known == CODE_MOVE && LLVMGetNumArgOperands(inst) < 4)
		known = CODE_ATOMIC;
	if (op == CODE_CALL && known >= 0) {
		convert_intrinsic(d, inst, id, known);
		return;
	}
	add_operand(d, id, callee);
	for (unsigned k = 0; k < LLVMGetNumArgOperands(inst); k++) {
		LLVMValueRef argument = LLVMGetOperand(inst, k);

		if (LLVMGetTypeKind(LLVMTypeOf(argument)) != LLVMMetadataTypeKind)
			add_operand(d, id, argument);
	}
	d->values.data[id].op = (uint8_t)op;
	if (map_get(&d->m->functions, (uintptr_t)callee, &number) && is_as_declared(inst, callee))
		d->values.data[id].target = (uint32_t)number;
}

/* ------------------------------------------------------------------ the rest */

/* Half `index` of an x.with.overflow. */
static void convert_extract(struct code_draft *d, LLVMValueRef inst, uint32_t id)
{
	static const struct {
		const char *name;
		uint8_t value, flag;
	} table[] = {
	    {"sadd", CODE_ADD, CODE_SADD_OVER}, {"uadd", CODE_ADD, CODE_UADD_OVER}, {"ssub", CODE_SUB, CODE_SSUB_OVER},
	    {"usub", CODE_SUB, CODE_USUB_OVER}, {"smul", CODE_MUL, CODE_SMUL_OVER}, {"umul", CODE_MUL, CODE_UMUL_OVER},
	};
	LLVMValueRef pair = LLVMGetOperand(inst, 0);
	size_t length;

	d->values.data[id].op = CODE_ANY;
	if (!LLVMIsACallInst(pair) || intrinsic_op(LLVMGetCalledValue(pair)) != CODE_PAIR || !integer_width(LLVMTypeOf(inst)) ||
	    !integer_width(LLVMTypeOf(LLVMGetOperand(pair, 0)))) {
		add_operands(d, inst, id);
		return;
	}
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strncmp(LLVMGetValueName2(LLVMGetCalledValue(pair), &length) + 5, table[i].name, 4))
			d->values.data[id].op = *LLVMGetIndices(inst) ? table[i].flag : table[i].value;
	add_operand(d, id, LLVMGetOperand(pair, 0));
	add_operand(d, id, LLVMGetOperand(pair, 1));
}

static void convert_phi(struct code_draft *d, LLVMValueRef inst, uint32_t id)
{
	struct code_function *f = d->f;
	const struct code_block *b = &f->blocks[d->values.data[id].block];

	while (d->incoming.size < f->block_count)
		vec_push(&d->incoming, CODE_NONE);
	for (unsigned k = 0; k < LLVMCountIncoming(inst); k++) {
		uint64_t from = 0;

		map_get(&d->blocks, (uintptr_t)LLVMGetIncomingBlock(inst, k), &from);
		d->incoming.data[from] = code_draft_value(d, LLVMGetIncomingValue(inst, k));
	}
	d->values.data[id].op = CODE_PHI;
	d->values.data[id].first = (uint32_t)d->operands.size;
	d->values.data[id].operands = b->preds;
	for (uint32_t k = 0; k < b->preds; k++) {
		vec_push(&d->operands, d->incoming.data[f->edges[f->preds[b->first_pred + k]].from]);
		vec_push(&d->scales, 0);
	}
}

static void convert_alloca(struct code_draft *d, LLVMValueRef inst, uint32_t id)
{
	LLVMValueRef count = LLVMGetOperand(inst, 0);
	uint64_t size = LLVMABISizeOfType(d->m->layout, LLVMGetAllocatedType(inst));

	d->values.data[id].op = CODE_ALLOCA;
	if (LLVMIsAConstantInt(count) && integer_width(LLVMTypeOf(count)) <= 64)
		d->values.data[id].bytes = size * LLVMConstIntGetZExtValue(count);
	else
		add_operand(d, id, count);
}

static void convert_switch(struct code_draft *d, LLVMValueRef inst, uint32_t id)
{
	add_operand(d, id, LLVMGetOperand(inst, 0));
	for (int k = 2; k < LLVMGetNumOperands(inst); k += 2)
		add_operand(d, id, LLVMGetOperand(inst, (unsigned)k));
	d->values.data[id].op = CODE_SWITCH;
}

static enum code_op compare_op(LLVMValueRef inst)
{
	switch (LLVMGetICmpPredicate(inst)) {
	case LLVMIntEQ:
		return CODE_EQ;
	case LLVMIntNE:
		return CODE_NE;
	case LLVMIntUGT:
		return CODE_UGT;
	case LLVMIntUGE:
		return CODE_UGE;
	case LLVMIntULT:
		return CODE_ULT;
	case LLVMIntULE:
		return CODE_ULE;
	case LLVMIntSGT:
		return CODE_SGT;
	case LLVMIntSGE:
		return CODE_SGE;
	case LLVMIntSLT:
		return CODE_SLT;
	default:
		return CODE_SLE;
	}
}

/* X(opcode, operator): all operands as they are, if the types of the first operand and the result are scalar; else ANY. */
#define PLAIN(X)                     \
	X(LLVMAdd, ADD)              \
	X(LLVMSub, SUB)              \
	X(LLVMMul, MUL)              \
	X(LLVMUDiv, UDIV)            \
	X(LLVMSDiv, SDIV)            \
	X(LLVMURem, UREM)            \
	X(LLVMSRem, SREM)            \
	X(LLVMShl, SHL)              \
	X(LLVMLShr, LSHR)            \
	X(LLVMAShr, ASHR)            \
	X(LLVMAnd, AND)              \
	X(LLVMOr, OR)                \
	X(LLVMXor, XOR)              \
	X(LLVMTrunc, TRUNC)          \
	X(LLVMZExt, ZEXT)            \
	X(LLVMSExt, SEXT)            \
	X(LLVMPtrToInt, PTRTOINT)    \
	X(LLVMIntToPtr, INTTOPTR)    \
	X(LLVMSelect, SELECT)        \
	X(LLVMFreeze, COPY)

/* X(opcode, operator): all operands as they are. */
#define ALWAYS(X)                    \
	X(LLVMLoad, LOAD)            \
	X(LLVMStore, STORE)          \
	X(LLVMAtomicCmpXchg, ATOMIC) \
	X(LLVMAtomicRMW, ATOMIC)     \
	X(LLVMVAArg, ATOMIC)         \
	X(LLVMFence, NOP)            \
	X(LLVMIndirectBr, INDIRECT)  \
	X(LLVMRet, RETURN)           \
	X(LLVMResume, UNREACHABLE)   \
	X(LLVMUnreachable, UNREACHABLE)

static void convert_plain(struct code_draft *d, LLVMValueRef inst, uint32_t id)
{
	int op = CODE_ANY;

	switch (LLVMGetInstructionOpcode(inst)) {
#define X(opcode, name)                                                                                   \
	case opcode:                                                                                      \
		if (is_scalar(LLVMTypeOf(inst)) && is_scalar(LLVMTypeOf(LLVMGetOperand(inst, 0))))         \
			op = CODE_##name;                                                                 \
		break;
		PLAIN(X)
#undef X
#define X(opcode, name)            \
	case opcode:               \
		op = CODE_##name;  \
		break;
		ALWAYS(X)
#undef X
	case LLVMBitCast:
		if (LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMPointerTypeKind)
			op = CODE_COPY;
		break;
	case LLVMICmp:
		if (is_scalar(LLVMTypeOf(LLVMGetOperand(inst, 0))))
			op = (int)compare_op(inst);
		break;
	case LLVMBr:
		op = LLVMIsConditional(inst) ? CODE_BRANCH : CODE_JUMP;
		break;
	default:
		break;
	}
	add_operands(d, inst, id);
	d->values.data[id].op = (uint8_t)op;
}

static void add_flags(LLVMValueRef inst, struct code_value *v)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMShl:
		v->flags |= (LLVMGetNSW(inst) ? CODE_NSW : 0) | (LLVMGetNUW(inst) ? CODE_NUW : 0);
		break;
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMLShr:
	case LLVMAShr:
		v->flags |= LLVMGetExact(inst) ? CODE_EXACT : 0;
		break;
	case LLVMLoad:
	case LLVMStore:
		if (LLVMGetVolatile(inst) || LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic)
			v->flags |= CODE_VOLATILE;
		break;
	default:
		break;
	}
	if (unit_is_marked(inst))
		v->flags |= CODE_MARKED;
}

static uint64_t access_size(struct code_draft *d, LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMIsAStoreInst(inst) ? LLVMTypeOf(LLVMGetOperand(inst, 0)) : LLVMTypeOf(inst);

	return LLVMTypeIsSized(type) ? LLVMStoreSizeOfType(d->m->layout, type) : 0;
}

void code_draft_instruction(struct code_draft *d, LLVMValueRef inst, uint32_t id)
{
	struct code_value *v = &d->values.data[id];
	LLVMTypeRef type = LLVMTypeOf(inst);

	v->width = integer_width(type);
	v->is_pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
	add_flags(inst, v);
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMGetElementPtr:
		convert_gep(d, inst, id);
		break;
	case LLVMCall:
		convert_call(d, inst, id, CODE_CALL);
		break;
	case LLVMInvoke:
	case LLVMCallBr:
		convert_call(d, inst, id, CODE_INVOKE);
		break;
	case LLVMExtractValue:
		convert_extract(d, inst, id);
		break;
	case LLVMPHI:
		convert_phi(d, inst, id);
		break;
	case LLVMAlloca:
		convert_alloca(d, inst, id);
		break;
	case LLVMSwitch:
		convert_switch(d, inst, id);
		break;
	default:
		convert_plain(d, inst, id);
		break;
	}
	v = &d->values.data[id];
	if (v->op == CODE_LOAD || v->op == CODE_STORE || v->op == CODE_ATOMIC)
		v->bytes = access_size(d, inst);
}
