/* trace_call.c: labels across calls.
 *
 * Arguments' labels go through thread-local slots, a slot for each leaf of each
 * argument, with the callee's address as owner (runtime/rt.h). Whether a callee
 * takes them is known before the call: a function of this unit does; any other
 * has the marker symbol __muster_def.NAME if it is instrumented anywhere in the
 * program, and an indirect callee has a magic word in front of its code. Where
 * there is neither, the runtime gets everything about the call and gives up
 * the labels that the callee may look at (runtime/extern.c).
 */
#include "instrument/tracer.h"

#include "base/buf.h"

#include <stdio.h>
#include <string.h>

static uint64_t align_up(uint64_t v, uint64_t a)
{
	return (v + a - 1) / a * a;
}

static unsigned kind_of(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

/* The type of a byval parameter or argument, or NULL. Index 1 is the first. */
static LLVMTypeRef byval_type(LLVMAttributeRef a)
{
	return a ? LLVMGetTypeAttributeValue(a) : NULL;
}

static LLVMTypeRef argument_byval(LLVMValueRef call, unsigned i)
{
	return byval_type(LLVMGetCallSiteEnumAttribute(call, i + 1, kind_of("byval")));
}

static LLVMTypeRef parameter_byval(LLVMValueRef fn, unsigned i)
{
	return byval_type(LLVMGetEnumAttributeAtIndex(fn, i + 1, kind_of("byval")));
}

/* ------------------------------------------------------------- prologue */

static int calls_va_start(LLVMValueRef fn)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef f = LLVMIsACallInst(i) ? LLVMIsAFunction(LLVMGetCalledValue(i)) : NULL;
			size_t n;
			if (f && strncmp(LLVMGetValueName2(f, &n), "llvm.va_start", 13) == 0)
				return 1;
		}
	return 0;
}

/* How much room the entries of struct rt_va_save take. */
#define VA_SAVE_BYTES (8 + 64 * 12)

/* Slot of the first leaf of parameter `index`. */
static unsigned first_slot(struct tracer *t, unsigned index)
{
	struct leaf leaves[TRACER_LEAVES];
	unsigned slot = 0;

	for (unsigned i = 0; i < index; i++)
		slot += tracer_leaves(t, LLVMTypeOf(LLVMGetParam(t->function, i)), leaves);
	return slot;
}

void trace_parameter(struct tracer *t, unsigned index, LLVMValueRef *labels)
{
	LLVMValueRef p = LLVMGetParam(t->function, index);
	struct leaf leaves[TRACER_LEAVES];
	unsigned n = tracer_leaves(t, LLVMTypeOf(p), leaves), slot = first_slot(t, index);
	int byval = parameter_byval(t->function, index) != NULL;

	for (unsigned k = 0; k < n; k++, slot++) {
		labels[k] = t->zero;
		if (leaves[k].bits && slot < TRACER_SLOTS && LLVMGetFirstUse(p) && !byval)
			labels[k] = tracer_call(t, "__muster_i_argument", "www", t->own, tracer_w(t, slot));
	}
}

static void take_structures(struct tracer *t)
{
	uint32_t at = 0;

	for (unsigned i = 0; i < LLVMCountParams(t->function); i++) {
		LLVMTypeRef byval = parameter_byval(t->function, i);
		if (!byval)
			continue;
		uint64_t size = LLVMABISizeOfType(t->layout, byval);
		tracer_call(t, "__muster_byval_get", "vwpqw", tracer_w(t, at), LLVMGetParam(t->function, i), tracer_q(t, size),
			    t->own);
		at += (uint32_t)size;
	}
}

void trace_prologue(struct tracer *t, int here)
{
	unsigned count = LLVMCountParams(t->function);
	int variadic = LLVMIsFunctionVarArg(LLVMGlobalGetValueType(t->function)) && calls_va_start(t->function);

	if (count == 0 && !variadic)
		return;
	if (!here) {
		LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(t->function));
		while (LLVMIsAAllocaInst(first))
			first = LLVMGetNextInstruction(first);
		tracer_before(t, first);
	}
	t->own = tracer_call(t, "__muster_i_enter", "wp", t->function);
	t->labelled = tracer_call(t, "__muster_i_labelled", "ww", t->own);
	for (unsigned i = 0; i < count && !here; i++) {
		struct leaf leaves[TRACER_LEAVES];
		LLVMValueRef labels[TRACER_LEAVES], p = LLVMGetParam(t->function, i);
		trace_parameter(t, i, labels);
		tracer_set(t, p, labels, tracer_leaves(t, LLVMTypeOf(p), leaves));
	}
	take_structures(t);
	if (variadic) {
		t->va_save = tracer_entry_alloca(t, LLVMArrayType2(t->i8, VA_SAVE_BYTES), "muster.va");
		LLVMSetAlignment(t->va_save, 8);
		tracer_call(t, "__muster_i_va_enter", "vwp", t->own, t->va_save);
	}
}

/* Forget this frame's objects: others will live there. */
static void leave_frame(struct tracer *t)
{
	for (size_t i = 0; i < t->objects.size; i++) {
		if (t->small)
			tracer_call(t, "__muster_left", "vp", t->objects.data[i]);
		else
			tracer_call(t, "__muster_i_object", "vpq", t->objects.data[i], tracer_q(t, 0));
	}
	if (t->dynamic_stack) {
		LLVMValueRef level = tracer_w(t, 0);
		LLVMTypeRef type = LLVMFunctionType(t->ptr, &t->i32, 1, 0), none = LLVMFunctionType(t->ptr, NULL, 0, 0);
		unsigned frame = LLVMLookupIntrinsicID("llvm.frameaddress", 17), save = LLVMLookupIntrinsicID("llvm.stacksave", 14);
		LLVMValueRef high = LLVMBuildCall2(t->b, type, LLVMGetIntrinsicDeclaration(t->module, frame, &t->ptr, 1), &level, 1, "");
		LLVMValueRef low = LLVMBuildCall2(t->b, none, LLVMGetIntrinsicDeclaration(t->module, save, &t->ptr, 1), NULL, 0, "");
		tracer_call(t, "__muster_leave_dynamic", "vpp", low, high);
	}
}

void trace_return(struct tracer *t, LLVMValueRef inst)
{
	LLVMValueRef before = LLVMGetPreviousInstruction(inst);
	struct leaf leaves[TRACER_LEAVES];
	LLVMValueRef labels[TRACER_LEAVES];
	unsigned n = 0;

	if (before && LLVMIsACallInst(before) && LLVMGetTailCallKind(before) == LLVMTailCallKindMustTail)
		return; /* nothing may stand between the two; the callee's own result stays */
	leave_frame(t);
	if (LLVMGetNumOperands(inst) == 0) {
		trace_leave(t, NULL, NULL);
		return;
	}
	LLVMValueRef v = LLVMGetOperand(inst, 0);
	n = tracer_leaves(t, LLVMTypeOf(v), leaves);
	tracer_get(t, v, labels, n);
	trace_leave(t, v, labels);
	for (unsigned i = 0; i < n; i++) {
		if (i >= TRACER_RESULTS)
			tracer_concrete(t, labels[i], MUSTER_REASON_ARGUMENT);
		else if (leaves[i].bits)
			tracer_call(t, "__muster_i_return", "vww", tracer_w(t, i), labels[i]);
	}
	if (!tracer_all_zero(t, labels, n))
		tracer_call(t, "__muster_i_return_owner", "vp", t->function);
}

/* -------------------------------------------- callees without labels */

static LLVMValueRef text_constant(struct tracer *t, const char *text)
{
	LLVMValueRef s = LLVMConstStringInContext2(t->context, text, strlen(text), 0);
	LLVMValueRef g = LLVMAddGlobal(t->module, LLVMTypeOf(s), ".muster.text");

	LLVMSetInitializer(g, s);
	LLVMSetGlobalConstant(g, 1);
	LLVMSetLinkage(g, LLVMPrivateLinkage);
	LLVMSetUnnamedAddress(g, LLVMGlobalUnnamedAddr);
	return g;
}

static char kind_letter(LLVMTypeRef type, LLVMTypeRef byval)
{
	if (byval)
		return 's';
	switch (LLVMGetTypeKind(type)) {
	case LLVMPointerTypeKind:
		return 'p';
	case LLVMIntegerTypeKind:
		return 'i';
	default:
		return 'f';
	}
}

#define EXTERN_MAX 32
#define USED 1u
#define ASSEMBLY 2u

/* struct rt_extern beside the call. */
static LLVMValueRef describe(struct tracer *t, LLVMValueRef call, const char *name, unsigned n, unsigned flags)
{
	char kinds[EXTERN_MAX + 1];
	for (unsigned i = 0; i < n; i++)
		kinds[i] = kind_letter(LLVMTypeOf(LLVMGetOperand(call, i)), argument_byval(call, i));
	kinds[n] = 0;
	LLVMValueRef fields[] = {text_constant(t, name), tracer_q(t, t->site), tracer_w(t, n), tracer_w(t, flags),
				 text_constant(t, kinds)};
	LLVMValueRef s = LLVMConstStructInContext(t->context, fields, 5, 0);
	LLVMValueRef g = LLVMAddGlobal(t->module, LLVMTypeOf(s), ".muster.extern");
	LLVMSetInitializer(g, s);
	LLVMSetGlobalConstant(g, 1);
	LLVMSetLinkage(g, LLVMPrivateLinkage);
	return g;
}

static void out_arrays(struct tracer *t)
{
	if (t->values_out)
		return;
	t->values_out = tracer_entry_alloca(t, LLVMArrayType2(t->i64, EXTERN_MAX), "muster.values");
	t->labels_out = tracer_entry_alloca(t, LLVMArrayType2(t->i32, EXTERN_MAX), "muster.labels");
}

/* At the builder: report a call to the runtime: to something without labels. */
static void tell_extern(struct tracer *t, LLVMValueRef call, const char *name, unsigned flags)
{
	unsigned n = LLVMGetNumArgOperands(call);

	for (; n > EXTERN_MAX; n--)
		tracer_concrete_all(t, LLVMGetOperand(call, n - 1), MUSTER_REASON_EXTERN);
	out_arrays(t);
	if (LLVMGetFirstUse(call))
		flags |= USED;
	LLVMValueRef what = describe(t, call, name, n, flags);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef v = LLVMGetOperand(call, i), word = tracer_q(t, 0);
		LLVMValueRef labels[TRACER_LEAVES];
		struct leaf leaves[TRACER_LEAVES];
		unsigned bits = tracer_bits(t, LLVMTypeOf(v)), m = tracer_leaves(t, LLVMTypeOf(v), leaves);
		if (bits)
			word = bits > 64 ? LLVMBuildTrunc(t->b, v, t->i64, "") : tracer_word(t, v);
		tracer_get(t, v, labels, m);
		for (unsigned k = 1; k < m; k++)
			tracer_concrete(t, labels[k], MUSTER_REASON_EXTERN);
		LLVMBuildStore(t->b, word, tracer_at(t, t->values_out, i * 8));
		LLVMBuildStore(t->b, m ? labels[0] : t->zero, tracer_at(t, t->labels_out, i * 4));
	}
	tracer_call(t, "__muster_extern", "vppp", what, t->values_out, t->labels_out);
}

static LLVMValueRef marker_of(struct tracer *t, const char *name)
{
	char text[512];

	if (strncmp(name, "__wrap_", 7) == 0)
		name += 7;
	snprintf(text, sizeof text, "__muster_def.%s", name);
	LLVMValueRef g = LLVMGetNamedGlobal(t->module, text);
	if (!g) {
		g = LLVMAddGlobal(t->module, t->i8, text);
		LLVMSetLinkage(g, LLVMExternalWeakLinkage);
	}
	return g;
}

static void guard_extern(struct tracer *t, LLVMValueRef call, LLVMValueRef callee, LLVMValueRef direct)
{
	size_t n;
	const char *name = direct ? LLVMGetValueName2(direct, &n) : "";
	LLVMBasicBlockRef head = tracer_split(t, call), slow = LLVMInsertBasicBlockInContext(t->context, LLVMGetInstructionParent(call), "");
	LLVMValueRef known;

	LLVMPositionBuilderAtEnd(t->b, head);
	if (direct)
		known = LLVMBuildICmp(t->b, LLVMIntNE, marker_of(t, name), LLVMConstNull(t->ptr), "");
	else
		known = LLVMBuildICmp(t->b, LLVMIntNE, tracer_call(t, "__muster_i_known", "wp", callee), tracer_w(t, 0), "");
	LLVMBuildCondBr(t->b, known, LLVMGetInstructionParent(call), slow);
	LLVMPositionBuilderAtEnd(t->b, slow);
	tell_extern(t, call, name, 0);
	LLVMBuildBr(t->b, LLVMGetInstructionParent(call));
	tracer_before(t, call);
}

/* ------------------------------------------------------------- the call */

struct va_layout {
	uint64_t gp, fp, overflow; /* as the psABI assigns registers and stack */
};

/* Where the callee's va_arg will find an argument of this type. */
static uint64_t va_place(struct tracer *t, struct va_layout *l, LLVMTypeRef type, LLVMTypeRef byval, uint64_t align)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	unsigned bits = tracer_bits(t, type);
	uint64_t at;

	if (byval) {
		l->overflow = align_up(l->overflow, align > 8 ? align : 8);
		at = 176 + l->overflow;
		l->overflow += align_up(LLVMABISizeOfType(t->layout, byval), 8);
		return at;
	}
	if (bits && bits <= 64 && l->gp + 8 <= 48) {
		at = l->gp;
		l->gp += 8;
		return at;
	}
	if (bits > 64 && bits <= 128 && l->gp + 16 <= 48) {
		at = l->gp;
		l->gp += 16;
		return at;
	}
	if (!bits && kind != LLVMX86_FP80TypeKind && l->fp + 16 <= 176) {
		at = l->fp;
		l->fp += 16;
		return at;
	}
	uint64_t size = align_up(LLVMABISizeOfType(t->layout, type), 8);
	l->overflow = align_up(l->overflow, size > 8 ? 16 : 8);
	at = 176 + l->overflow;
	l->overflow += size;
	return at;
}

/* The labels of one call, put together with `or`: whether there is any is known at run time. */
static void add_any(struct tracer *t, LLVMValueRef *any, LLVMValueRef label)
{
	if (label == t->zero)
		return;
	*any = *any == t->zero ? label : LLVMBuildOr(t->b, *any, label, "");
}

static void pass_variable(struct tracer *t, LLVMValueRef call, unsigned fixed, LLVMValueRef *any)
{
	struct va_layout l = {0, 48, 0};
	unsigned n = LLVMGetNumArgOperands(call);
	uint64_t named = 0; /* bytes on the stack before the area that va_start gives */

	tracer_call(t, "__muster_i_va_begin", "v");
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef v = LLVMGetOperand(call, i);
		LLVMTypeRef byval = argument_byval(call, i), type = LLVMTypeOf(v);
		LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(call, i + 1, kind_of("align"));
		uint64_t at = va_place(t, &l, type, byval, align ? LLVMGetEnumAttributeValue(align) : 8);
		if (i < fixed) {
			named = l.overflow;
			continue;
		}
		if (at >= 176)
			at -= named;
		if (byval) {
			add_any(t, any, tracer_call(t, "__muster_va_struct", "wwpq", tracer_w(t, at), v,
						    tracer_q(t, LLVMABISizeOfType(t->layout, byval))));
			continue;
		}
		LLVMValueRef label = tracer_get1(t, v);
		if (label == t->zero)
			continue;
		if (tracer_bits(t, type))
			tracer_call(t, "__muster_i_va_put", "vwww", tracer_w(t, at),
				    tracer_w(t, LLVMStoreSizeOfType(t->layout, type)), label);
		else
			tracer_concrete_all(t, v, MUSTER_REASON_VARARG);
	}
	tracer_call(t, "__muster_i_va_size", "vw", tracer_w(t, l.overflow - named));
}

/* Is there anything that the callee has to be given? */
static int has_message(struct tracer *t, LLVMValueRef call)
{
	if (LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(call)))
		return 1; /* where its arguments end */
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		struct leaf leaves[TRACER_LEAVES];
		LLVMValueRef labels[TRACER_LEAVES];
		unsigned m = tracer_leaves(t, LLVMTypeOf(LLVMGetOperand(call, i)), leaves);
		tracer_get(t, LLVMGetOperand(call, i), labels, m);
		if (!tracer_all_zero(t, labels, m) || argument_byval(call, i))
			return 1;
	}
	return 0;
}

static void pass_arguments(struct tracer *t, LLVMValueRef call, LLVMValueRef callee)
{
	LLVMTypeRef type = LLVMGetCalledFunctionType(call);
	unsigned n = LLVMGetNumArgOperands(call), fixed = LLVMCountParamTypes(type), slot = 0;
	uint32_t byval_at = 0;
	int variadic = LLVMIsFunctionVarArg(type);
	LLVMValueRef any = t->zero;

	if (!has_message(t, call))
		return;
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef v = LLVMGetOperand(call, i);
		LLVMTypeRef byval = argument_byval(call, i);
		struct leaf leaves[TRACER_LEAVES];
		LLVMValueRef labels[TRACER_LEAVES];
		unsigned m = tracer_leaves(t, LLVMTypeOf(v), leaves);

		tracer_get(t, v, labels, m);
		for (unsigned k = 0; k < m; k++, slot++) {
			add_any(t, &any, labels[k]);
			if (slot >= TRACER_SLOTS)
				tracer_concrete(t, labels[k], MUSTER_REASON_ARGUMENT);
			else if (leaves[k].bits)
				tracer_call(t, "__muster_i_pass", "vww", tracer_w(t, slot), labels[k]);
		}
		if (byval && (i < fixed || !variadic)) {
			uint64_t size = LLVMABISizeOfType(t->layout, byval);
			add_any(t, &any, tracer_call(t, "__muster_byval_put", "wwpqs", tracer_w(t, byval_at), v,
						     tracer_q(t, size)));
			byval_at += (uint32_t)size;
		}
	}
	if (variadic)
		pass_variable(t, call, fixed, &any);
	tracer_call(t, "__muster_i_call", "vpw", callee, any);
}

/* The first place after the call where its result may be used. */
static int after_call(struct tracer *t, LLVMValueRef call)
{
	if (!LLVMIsAInvokeInst(call)) {
		tracer_after(t, call);
		return 1;
	}
	LLVMBasicBlockRef next = LLVMGetNormalDest(call);
	LLVMValueRef first = LLVMGetFirstInstruction(next);
	while (LLVMIsAPHINode(first))
		first = LLVMGetNextInstruction(first);
	tracer_before(t, first);
	/* With another edge into that block the result's label cannot be read there. */
	unsigned uses = 0;
	for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(next)); u; u = LLVMGetNextUse(u))
		uses++;
	return uses == 1;
}

static void take_result(struct tracer *t, LLVMValueRef call, LLVMValueRef callee)
{
	struct leaf leaves[TRACER_LEAVES];
	LLVMValueRef labels[TRACER_LEAVES];
	unsigned n = tracer_leaves(t, LLVMTypeOf(call), leaves);

	if (n == 0 || !LLVMGetFirstUse(call) || LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail)
		return;
	if (!after_call(t, call))
		return;
	for (unsigned i = 0; i < n; i++)
		labels[i] = i < TRACER_RESULTS && leaves[i].bits
				? tracer_call(t, t->small ? "__muster_result" : "__muster_i_result", "wpw", callee, tracer_w(t, i))
				: t->zero;
	tracer_set(t, call, labels, n);
}

static void trace_assembly(struct tracer *t, LLVMValueRef call)
{
	unsigned n = LLVMGetNumArgOperands(call), element = kind_of("elementtype");

	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef v = LLVMGetOperand(call, i);
		LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, i + 1, element);
		tracer_concrete_all(t, v, MUSTER_REASON_ASM);
		if (a) {
			LLVMValueRef size = tracer_q(t, LLVMABISizeOfType(t->layout, LLVMGetTypeAttributeValue(a)));
			tracer_call(t, "__muster_concrete_memory", "vpqws", v, size, tracer_w(t, MUSTER_REASON_ASM));
			tracer_call(t, "__muster_clear", "vpq", v, size);
		}
	}
	/* A pointer in a register: the object that it leads to may be read and written. */
	if (n)
		tell_extern(t, call, "inline assembly", ASSEMBLY);
}

static int returns_twice(LLVMValueRef call, LLVMValueRef direct)
{
	unsigned kind = kind_of("returns_twice");
	return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind) ||
	       (direct && LLVMGetEnumAttributeAtIndex(direct, LLVMAttributeFunctionIndex, kind));
}

void trace_call(struct tracer *t, LLVMValueRef inst)
{
	LLVMValueRef callee = LLVMGetCalledValue(inst), direct = LLVMIsAFunction(callee);
	size_t n;

	if (LLVMIsAInlineAsm(callee)) {
		trace_assembly(t, inst);
		return;
	}
	if (LLVMIsAGlobalAlias(callee) && LLVMIsAFunction(LLVMAliasGetAliasee(callee)))
		direct = LLVMAliasGetAliasee(callee);
	const char *name = direct ? LLVMGetValueName2(direct, &n) : "";
	if (strncmp(name, "llvm.", 5) == 0) {
		if (!trace_intrinsic(t, inst, name))
			for (unsigned i = 0; i < LLVMGetNumArgOperands(inst); i++)
				tracer_concrete_all(t, LLVMGetOperand(inst, i), MUSTER_REASON_INTRINSIC);
		return;
	}
	if (strncmp(name, "__muster_", 9) == 0)
		return;
	if (returns_twice(inst, direct)) {
		trace_landed(t, inst);
		return;
	}
	if (!direct)
		tracer_concrete(t, tracer_get1(t, callee), MUSTER_REASON_TARGET);
	if (!direct || LLVMIsDeclaration(direct)) {
		if (!t->options->library)
			tracer_call(t, "__muster_i_site", "vq", tracer_q(t, t->site));
		guard_extern(t, inst, callee, direct);
	}
	trace_from(t, inst, callee, name);
	if (LLVMIsACallInst(inst) && LLVMGetTailCallKind(inst) == LLVMTailCallKindMustTail)
		tracer_call(t, "__muster_i_tail", "v");
	pass_arguments(t, inst, callee);
	if (!t->results_elsewhere)
		take_result(t, inst, callee);
}
