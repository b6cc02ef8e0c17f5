/* trace_label.c: labels of values, and the small words that passes emit with.
 *
 * The map from values to labels lives for one function. A value that is not in it
 * (a constant, a global, something without leaves) is concrete.
 */
#include "instrument/tracer.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

unsigned tracer_bits(struct tracer *t, LLVMTypeRef type)
{
	(void)t;
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type);
	case LLVMPointerTypeKind:
		return 64;
	default:
		return 0;
	}
}

struct walk {
	struct tracer *t;
	struct leaf *out;
	unsigned n, depth, path[6];
	int failed;
};

static void add_leaf(struct walk *w, LLVMTypeRef type, uint64_t offset, int lane)
{
	if (w->n == TRACER_LEAVES) {
		w->failed = 1;
		return;
	}
	struct leaf *l = &w->out[w->n++];
	memset(l, 0, sizeof *l);
	l->type = type;
	l->offset = offset;
	l->bits = tracer_bits(w->t, type);
	l->depth = w->depth;
	l->lane = lane;
	memcpy(l->path, w->path, sizeof l->path);
}

static void walk_type(struct walk *w, LLVMTypeRef type, uint64_t offset, int lane)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	unsigned n = 0;

	if (w->failed)
		return;
	if (kind == LLVMStructTypeKind)
		n = LLVMCountStructElementTypes(type);
	else if (kind == LLVMArrayTypeKind)
		n = LLVMGetArrayLength2(type) > TRACER_LEAVES ? TRACER_LEAVES + 1 : (unsigned)LLVMGetArrayLength2(type);
	else if (kind == LLVMVectorTypeKind)
		n = LLVMGetVectorSize(type);
	else {
		add_leaf(w, type, offset, lane);
		return;
	}
	if (w->depth == 6 || n > TRACER_LEAVES) {
		w->failed = 1;
		return;
	}
	w->depth++;
	for (unsigned i = 0; i < n && !w->failed; i++) {
		LLVMTypeRef element = kind == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, i) : LLVMGetElementType(type);
		uint64_t at = kind == LLVMStructTypeKind ? LLVMOffsetOfElement(w->t->layout, type, i)
			      : kind == LLVMArrayTypeKind
				  ? i * LLVMABISizeOfType(w->t->layout, element)
				  : i * LLVMSizeOfTypeInBits(w->t->layout, element) / 8;
		w->path[w->depth - 1] = i;
		walk_type(w, element, offset + at, kind == LLVMVectorTypeKind);
	}
	w->depth--;
}

unsigned tracer_leaves(struct tracer *t, LLVMTypeRef type, struct leaf *out)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	struct walk w = {.t = t, .out = out};

	if (kind == LLVMVoidTypeKind || kind == LLVMLabelTypeKind || kind == LLVMMetadataTypeKind ||
	    kind == LLVMTokenTypeKind || kind == LLVMScalableVectorTypeKind || !LLVMTypeIsSized(type))
		return 0;
	walk_type(&w, type, 0, 0);
	return w.failed ? 0 : w.n;
}

void tracer_get(struct tracer *t, LLVMValueRef v, LLVMValueRef *labels, unsigned n)
{
	uint64_t at;

	for (unsigned i = 0; i < n; i++)
		labels[i] = t->zero;
	LLVMValueRef slot = n ? trace_cut_slot(t, v) : NULL;
	if (slot) {
		labels[0] = LLVMBuildLoad2(t->b, t->i32, slot, "");
		return;
	}
	if (!map_get(&t->labels, (uint64_t)(uintptr_t)v, &at))
		return;
	for (unsigned i = 0; i < n; i++)
		labels[i] = t->pool.data[at - 1 + i];
}

LLVMValueRef tracer_get1(struct tracer *t, LLVMValueRef v)
{
	LLVMValueRef l;

	tracer_get(t, v, &l, 1);
	return l;
}

void tracer_set(struct tracer *t, LLVMValueRef v, const LLVMValueRef *labels, unsigned n)
{
	LLVMValueRef slot = n ? trace_cut_slot(t, v) : NULL;
	if (slot) {
		LLVMBuildStore(t->b, labels[0], slot);
		return;
	}
	if (n == 0 || tracer_all_zero(t, labels, n))
		return;
	map_set(&t->labels, (uint64_t)(uintptr_t)v, t->pool.size + 1);
	for (unsigned i = 0; i < n; i++)
		vec_push(&t->pool, labels[i]);
}

void tracer_set1(struct tracer *t, LLVMValueRef v, LLVMValueRef label)
{
	tracer_set(t, v, &label, 1);
}

int tracer_all_zero(struct tracer *t, const LLVMValueRef *labels, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (labels[i] != t->zero)
			return 0;
	return 1;
}

LLVMValueRef tracer_leaf_value(struct tracer *t, LLVMValueRef v, const struct leaf *leaf)
{
	for (unsigned i = 0; i < leaf->depth; i++) {
		if (leaf->lane && i == leaf->depth - 1)
			v = LLVMBuildExtractElement(t->b, v, tracer_w(t, leaf->path[i]), "");
		else
			v = LLVMBuildExtractValue(t->b, v, leaf->path[i], "");
	}
	return v;
}

/* ------------------------------------------------- which can have one */

static int is_source(LLVMValueRef inst)
{
	LLVMValueRef callee;
	size_t n;

	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMInvoke:
		return 1;
	case LLVMCall: /* intrinsics compute; anything else may return a label */
		callee = LLVMIsAFunction(LLVMGetCalledValue(inst));
		return !callee || strncmp(LLVMGetValueName2(callee, &n), "llvm.", 5) != 0;
	default:
		return 0;
	}
}

typedef VEC(LLVMValueRef) values;

static void may_have(struct tracer *t, LLVMValueRef v, values *todo)
{
	if (map_set(&t->may, (uint64_t)(uintptr_t)v, 1))
		vec_push(todo, v);
}

void trace_find_labelled(struct tracer *t, LLVMValueRef fn)
{
	values todo = {0};

	map_clear(&t->may);
	for (unsigned i = 0; i < LLVMCountParams(fn); i++)
		may_have(t, LLVMGetParam(fn, i), &todo);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (is_source(i) || trace_cut_slot(t, i))
				may_have(t, i, &todo);
	while (todo.size) {
		LLVMValueRef v = vec_pop(&todo);
		for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
			may_have(t, LLVMGetUser(u), &todo);
	}
	vec_release(&todo);
}

int tracer_may_have(struct tracer *t, LLVMValueRef v)
{
	return map_get(&t->may, (uint64_t)(uintptr_t)v, NULL);
}

/* -------------------------------------------------------------- emitting */

LLVMValueRef tracer_w(struct tracer *t, uint64_t v)
{
	return LLVMConstInt(t->i32, v, 0);
}

LLVMValueRef tracer_q(struct tracer *t, uint64_t v)
{
	return LLVMConstInt(t->i64, v, 0);
}

static LLVMTypeRef letter_type(struct tracer *t, char letter)
{
	switch (letter) {
	case 'w':
		return t->i32;
	case 's':
	case 'q':
		return t->i64;
	case 'p':
		return t->ptr;
	case 'v':
		return t->nothing;
	}
	BUG("no type for letter '%c'", letter);
}

/* In small code a call names the site by its ordinal, which takes five bytes instead of ten, and a stub of the unit puts the whole together. */
static LLVMValueRef stub_of(struct tracer *t, LLVMValueRef hook, LLVMTypeRef type, unsigned n)
{
	LLVMValueRef args[16];
	char name[64];
	size_t length;

	snprintf(name, sizeof name, "%s" TRACER_STUB, LLVMGetValueName2(hook, &length));
	LLVMValueRef fn = LLVMGetNamedFunction(t->module, name);
	if (fn)
		return fn;
	fn = LLVMAddFunction(t->module, name, type);
	LLVMSetLinkage(fn, LLVMInternalLinkage);
	unsigned kind = LLVMGetEnumAttributeKindForName("noinline", 8);
	LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(t->context, kind, 0));
	LLVMBuilderRef b = LLVMCreateBuilderInContext(t->context);
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(t->context, fn, ""));
	for (unsigned i = 0; i + 1 < n; i++)
		args[i] = LLVMGetParam(fn, i);
	args[n - 1] = LLVMBuildOr(b, LLVMGetParam(fn, n - 1), tracer_q(t, (uint64_t)t->u->id << 32), "");
	LLVMValueRef call = LLVMBuildCall2(b, type, hook, args, n, "");
	LLVMSetTailCallKind(call, LLVMTailCallKindMustTail);
	if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
		LLVMBuildRetVoid(b);
	else
		LLVMBuildRet(b, call);
	LLVMDisposeBuilder(b);
	return fn;
}

LLVMValueRef tracer_call(struct tracer *t, const char *name, const char *signature, ...)
{
	LLVMTypeRef types[16];
	LLVMValueRef args[16];
	unsigned n = (unsigned)strlen(signature) - 1;
	va_list ap;

	int sited = signature[n] == 's' && t->small;
	va_start(ap, signature);
	for (unsigned i = 0; i < n; i++) {
		types[i] = letter_type(t, signature[i + 1]);
		args[i] = signature[i + 1] == 's' ? tracer_q(t, sited ? (uint32_t)t->site : t->site) : va_arg(ap, LLVMValueRef);
	}
	va_end(ap);
	LLVMTypeRef type = LLVMFunctionType(letter_type(t, signature[0]), types, n, 0);
	LLVMValueRef fn = LLVMGetNamedFunction(t->module, name);
	if (!fn)
		fn = LLVMAddFunction(t->module, name, type);
	if (sited)
		fn = stub_of(t, fn, type, n);
	return LLVMBuildCall2(t->b, type, fn, args, n, "");
}

LLVMValueRef tracer_word(struct tracer *t, LLVMValueRef v)
{
	if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(t->b, v, t->i64, "");
	return LLVMBuildZExtOrBitCast(t->b, v, t->i64, "");
}

void tracer_wide(struct tracer *t, LLVMValueRef v, LLVMValueRef *low, LLVMValueRef *high)
{
	LLVMValueRef x = LLVMBuildZExtOrBitCast(t->b, v, t->i128, "");

	*low = LLVMBuildTrunc(t->b, x, t->i64, "");
	x = LLVMBuildLShr(t->b, x, LLVMConstInt(t->i128, 64, 0), "");
	*high = LLVMBuildTrunc(t->b, x, t->i64, "");
}

LLVMValueRef tracer_at(struct tracer *t, LLVMValueRef pointer, uint64_t offset)
{
	LLVMValueRef at = tracer_q(t, offset);

	return offset ? LLVMBuildGEP2(t->b, t->i8, pointer, &at, 1, "") : pointer;
}

void tracer_before(struct tracer *t, LLVMValueRef inst)
{
	LLVMPositionBuilderBefore(t->b, inst);
}

void tracer_after(struct tracer *t, LLVMValueRef inst)
{
	LLVMPositionBuilderBefore(t->b, LLVMGetNextInstruction(inst));
}

LLVMValueRef tracer_entry_alloca(struct tracer *t, LLVMTypeRef type, const char *name)
{
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(t->function);
	LLVMValueRef first = LLVMGetFirstInstruction(entry);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(t->context);

	if (first)
		LLVMPositionBuilderBefore(b, first);
	else
		LLVMPositionBuilderAtEnd(b, entry);
	LLVMValueRef v = LLVMBuildAlloca(b, type, name);
	LLVMDisposeBuilder(b);
	return v;
}

/* x & constant is at most the constant. */
static int is_below(LLVMValueRef v, unsigned bits)
{
	if (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMAnd)
		v = LLVMGetOperand(v, 1);
	return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) < bits;
}

/* Divisions that could trap and shifts that could be too far put a bound on the path. With an operand that can do neither they
 * are like any other operation. */
static int needs_guard(unsigned op, unsigned bits, LLVMValueRef vb)
{
	if (op >= MUSTER_OP_UDIV && op <= MUSTER_OP_SREM)
		return !LLVMIsAConstantInt(vb) || LLVMIsNull(vb) || LLVMConstIntGetSExtValue(vb) == -1;
	if (op >= MUSTER_OP_SHL && op <= MUSTER_OP_ASHR)
		return !is_below(vb, bits);
	return 0;
}

LLVMValueRef tracer_binary(struct tracer *t, unsigned op, unsigned bits, LLVMValueRef la, LLVMValueRef lb, LLVMValueRef va,
			   LLVMValueRef vb)
{
	LLVMValueRef opw = tracer_w(t, op | bits << 8);

	if (la == t->zero && lb == t->zero)
		return t->zero;
	if (bits > 128) {
		tracer_concrete(t, la, MUSTER_REASON_WIDTH);
		tracer_concrete(t, lb, MUSTER_REASON_WIDTH);
		return t->zero;
	}
	if (bits > 64) {
		LLVMValueRef alow, ahigh, blow, bhigh;
		tracer_wide(t, va, &alow, &ahigh);
		tracer_wide(t, vb, &blow, &bhigh);
		return tracer_call(t, "__muster_wide", "wwwwqqqqs", opw, la, lb, alow, ahigh, blow, bhigh);
	}
	if (needs_guard(op, bits, vb))
		return tracer_call(t, "__muster_guarded", "wwwwqqs", opw, la, lb, tracer_word(t, va), tracer_word(t, vb));
	return tracer_call(t, "__muster_binary", "wwwwqq", opw, la, lb, tracer_word(t, va), tracer_word(t, vb));
}

LLVMValueRef tracer_computed(struct tracer *t, unsigned op, unsigned bits, LLVMValueRef la, LLVMValueRef lb, LLVMValueRef va,
			     LLVMValueRef vb, LLVMValueRef inst)
{
	if ((la == t->zero && lb == t->zero) || bits > 64 || needs_guard(op, bits, vb))
		return tracer_binary(t, op, bits, la, lb, va, vb);
	LLVMValueRef opw = tracer_w(t, op | tracer_bits(t, LLVMTypeOf(inst)) << 8), wa = tracer_word(t, va), wb = tracer_word(t, vb);
	tracer_after(t, inst);
	LLVMValueRef value = tracer_word(t, inst);
	if (lb == t->zero)
		return tracer_call(t, "__muster_computed_left", "wwwqqq", opw, la, wa, wb, value);
	return tracer_call(t, "__muster_computed", "wwwwqqq", opw, la, lb, wa, wb, value);
}

LLVMValueRef tracer_extract(struct tracer *t, LLVMValueRef label, unsigned low, unsigned bits)
{
	if (label == t->zero)
		return label;
	return tracer_call(t, "__muster_extract", "wwww", label, tracer_w(t, low), tracer_w(t, bits));
}

LLVMValueRef tracer_zext(struct tracer *t, LLVMValueRef label, unsigned bits)
{
	if (label == t->zero)
		return label;
	return tracer_call(t, "__muster_zext", "www", label, tracer_w(t, bits));
}

LLVMValueRef tracer_sext(struct tracer *t, LLVMValueRef label, unsigned bits)
{
	if (label == t->zero)
		return label;
	return tracer_call(t, "__muster_sext", "www", label, tracer_w(t, bits));
}

LLVMValueRef tracer_ite(struct tracer *t, LLVMValueRef lc, LLVMValueRef vc, LLVMValueRef la, LLVMValueRef lb, LLVMValueRef va,
			LLVMValueRef vb, unsigned bits)
{
	if (lc == t->zero && la == t->zero && lb == t->zero)
		return t->zero;
	if (bits > 64) {
		tracer_concrete(t, lc, MUSTER_REASON_WIDTH);
		return LLVMBuildSelect(t->b, vc, la, lb, "");
	}
	return tracer_call(t, "__muster_ite", "wwwwwqqw", lc, la, lb, tracer_w(t, bits), tracer_word(t, va), tracer_word(t, vb),
			   LLVMBuildZExt(t->b, vc, t->i32, ""));
}

void tracer_concrete(struct tracer *t, LLVMValueRef label, enum muster_reason why)
{
	if (label != t->zero)
		tracer_call(t, "__muster_concrete", "vwws", label, tracer_w(t, why));
}

void tracer_concrete_all(struct tracer *t, LLVMValueRef v, enum muster_reason why)
{
	struct leaf leaves[TRACER_LEAVES];
	LLVMValueRef labels[TRACER_LEAVES];
	unsigned n = tracer_leaves(t, LLVMTypeOf(v), leaves);

	tracer_get(t, v, labels, n);
	for (unsigned i = 0; i < n; i++)
		tracer_concrete(t, labels[i], why);
}

void tracer_decision(struct tracer *t, LLVMValueRef label, LLVMValueRef condition)
{
	int all = t->options->all_decisions;

	if (label == t->zero && !all)
		return;
	tracer_call(t, all ? "__muster_branch_all" : "__muster_branch", "vwws", label,
		    LLVMBuildZExt(t->b, condition, t->i32, ""));
}

static void set_metadata(struct tracer *t, LLVMValueRef inst, const char *kind)
{
	LLVMSetMetadata(inst, LLVMGetMDKindIDInContext(t->context, kind, (unsigned)strlen(kind)), t->own_memory);
}

LLVMValueRef tracer_any_label(struct tracer *t)
{
	if (!t->own_memory) {
		LLVMMetadataRef domain = LLVMMDStringInContext2(t->context, "muster", 6), scope, list;
		domain = LLVMMDNodeInContext2(t->context, &domain, 1);
		LLVMMetadataRef parts[] = {LLVMMDStringInContext2(t->context, "state", 5), domain};
		scope = LLVMMDNodeInContext2(t->context, parts, 2);
		list = LLVMMDNodeInContext2(t->context, &scope, 1);
		t->own_memory = LLVMMetadataAsValue(t->context, list);
	}
	LLVMValueRef at = LLVMConstIntToPtr(tracer_q(t, MUSTER_ANY_LABEL), t->ptr);
	LLVMValueRef word = LLVMBuildLoad2(t->b, t->i64, at, "");
	LLVMSetAlignment(word, 8);
	set_metadata(t, word, "alias.scope");
	return word;
}

void tracer_leaves_alone(struct tracer *t, LLVMValueRef inst)
{
	if (t->own_memory)
		set_metadata(t, inst, "noalias");
}

LLVMBasicBlockRef tracer_split(struct tracer *t, LLVMValueRef inst)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(inst);
	LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(t->context, block, "");
	LLVMValueRef last = LLVMGetBasicBlockTerminator(block);

	/* Branches to the block (and its address) must lead to the head; the phis of
	 * its successors must go on naming the block, whose end stays where it is. LLVM
	 * rewrites both unless the block has no end at that moment. */
	LLVMInstructionRemoveFromParent(last);
	LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(block), LLVMBasicBlockAsValue(head));
	LLVMPositionBuilderAtEnd(t->b, block);
	LLVMInsertIntoBuilder(t->b, last);

	LLVMPositionBuilderAtEnd(t->b, head);
	for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i != inst; i = next) {
		next = LLVMGetNextInstruction(i);
		LLVMInstructionRemoveFromParent(i);
		LLVMInsertIntoBuilder(t->b, i);
	}
	return head;
}
