/* trace_activation.c: hooks at the begin and end of calls, in the calls variant.
 *
 * A function reports to the runtime (runtime/calls.c) that it is entered, with the values and labels of its arguments, and that it is left, with
 * those of its result. A caller leaves word where its call stands, and whom it calls: a function that finds another one's address there was called by
 * code without instrumentation.
 *
 * Where the engine names the function (runtime/activation.c), the labels that it passes in come back as those of its leaves, and the labels of
 * its result as what they are for the caller: both are read again after the hooks.
 *
 * The runtime gives a token for each call, its place in the stack of calls. The token is a value of the entry block, so after a longjmp the
 * function that is landed in has its own, and everything above it on the stack is gone. A call that has to be a tail call
 * (musttail) ends its caller's before it is made. Functions that are inlined whatever happens (outline.c) have no call of their own.
 */
#include "instrument/tracer.h"

#include <string.h>

#define RT_FUNCTION_MORE 1 /* as in runtime/hooks.h */
#define LEAVES_MAX TRACER_SLOTS /* of all arguments that are reported; those after have no label slots either */

static int is_hooked(struct tracer *t)
{
	unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);

	return t->options->calls && !LLVMGetEnumAttributeAtIndex(t->function, LLVMAttributeFunctionIndex, always);
}

/* What the leaves of a type are, after those of `out` that are there. */
static unsigned describe_leaves(struct tracer *t, LLVMTypeRef type, unsigned parameter, uint8_t *out, unsigned n)
{
	struct leaf leaves[TRACER_LEAVES];
	unsigned m = tracer_leaves(t, type, leaves);

	for (unsigned k = 0; k < m && n < LEAVES_MAX; k++, n++) {
		out[2 * n] = leaves[k].bits > 255 ? 0 : (uint8_t)leaves[k].bits;
		out[2 * n + 1] = parameter > 255 ? 255 : (uint8_t)parameter;
	}
	return n;
}

/* Has each part of a parameter a leaf, with n there already? */
static int has_all_leaves(struct tracer *t, LLVMTypeRef type, unsigned n)
{
	struct leaf leaves[TRACER_LEAVES];
	unsigned m = tracer_leaves(t, type, leaves);

	return m && n + m <= LEAVES_MAX;
}

/* struct rt_function (runtime/hooks.h). */
static LLVMValueRef function_record(struct tracer *t, LLVMTypeRef result, unsigned *arguments, unsigned *room)
{
	uint8_t text[2 * (LEAVES_MAX + LEAVES_MAX)];
	unsigned n = 0, results, more = LLVMIsFunctionVarArg(LLVMGlobalGetValueType(t->function)) ? RT_FUNCTION_MORE : 0;

	for (unsigned i = 0; i < LLVMCountParams(t->function); i++)
		if (!has_all_leaves(t, LLVMTypeOf(LLVMGetParam(t->function, i)), n))
			more = RT_FUNCTION_MORE;
		else
			n = describe_leaves(t, LLVMTypeOf(LLVMGetParam(t->function, i)), i, text, n);
	results = LLVMGetTypeKind(result) == LLVMVoidTypeKind ? 0 : describe_leaves(t, result, 0, text + 2 * n, 0);
	if (results > TRACER_RESULTS)
		results = TRACER_RESULTS;
	LLVMValueRef bytes = LLVMConstStringInContext2(t->context, (const char *)text, 2 * (n + results), 1);
	LLVMValueRef list = LLVMAddGlobal(t->module, LLVMTypeOf(bytes), ".muster.leaves");
	LLVMSetInitializer(list, bytes);
	LLVMSetGlobalConstant(list, 1);
	LLVMSetLinkage(list, LLVMPrivateLinkage);
	LLVMValueRef fields[] = {tracer_q(t, t->site), tracer_w(t, n), tracer_w(t, results), list, tracer_q(t, more | t->cut_flags)};
	LLVMValueRef s = LLVMConstStructInContext(t->context, fields, 5, 0);
	LLVMValueRef g = LLVMAddGlobal(t->module, LLVMTypeOf(s), ".muster.function");
	LLVMSetInitializer(g, s);
	LLVMSetGlobalConstant(g, 1);
	LLVMSetLinkage(g, LLVMPrivateLinkage);
	*arguments = n;
	*room = n > results ? n : results;
	return g;
}

static void put_leaves(struct tracer *t, LLVMValueRef v, const LLVMValueRef *labels, unsigned first, unsigned most)
{
	struct leaf leaves[TRACER_LEAVES];
	unsigned m = tracer_leaves(t, LLVMTypeOf(v), leaves);

	for (unsigned k = 0; k < m && first + k < most; k++) {
		LLVMValueRef word = tracer_q(t, 0);
		if (leaves[k].bits && leaves[k].bits <= 128) {
			LLVMValueRef leaf = tracer_leaf_value(t, v, &leaves[k]);
			word = leaves[k].bits > 64 ? LLVMBuildTrunc(t->b, leaf, t->i64, "") : tracer_word(t, leaf);
		}
		LLVMBuildStore(t->b, word, tracer_at(t, t->call_values, (first + k) * 8));
		LLVMBuildStore(t->b, labels[k], tracer_at(t, t->call_labels, (first + k) * 4));
	}
}

/* The labels that the runtime left there. */
static void get_leaves(struct tracer *t, LLVMTypeRef type, LLVMValueRef *labels, unsigned first, unsigned most)
{
	struct leaf leaves[TRACER_LEAVES];
	unsigned m = tracer_leaves(t, type, leaves);

	for (unsigned k = 0; k < m && first + k < most; k++)
		if (leaves[k].bits)
			labels[k] = LLVMBuildLoad2(t->b, t->i32, tracer_at(t, t->call_labels, (first + k) * 4), "");
}

/* The first instruction of the program's own that is no stack object. */
static LLVMValueRef beginning(struct tracer *t, uint64_t *first)
{
	LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(t->function));
	uint64_t ordinal = 0;

	*first = 0;
	for (;; i = LLVMGetNextInstruction(i)) {
		if (!map_get(&t->ordinals, (uint64_t)(uintptr_t)i, &ordinal) || !ordinal)
			continue;
		if (!*first || ordinal < *first)
			*first = ordinal;
		if (!LLVMIsAAllocaInst(i))
			return i;
	}
}

static LLVMValueRef frame_address(struct tracer *t)
{
	LLVMTypeRef type = LLVMFunctionType(t->ptr, &t->i32, 1, 0);
	LLVMValueRef level = tracer_w(t, 0);
	unsigned id = LLVMLookupIntrinsicID("llvm.frameaddress", 17);

	return LLVMBuildCall2(t->b, type, LLVMGetIntrinsicDeclaration(t->module, id, &t->ptr, 1), &level, 1, "");
}

void trace_enter(struct tracer *t)
{
	LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(t->function));
	unsigned n, room, slot = 0;
	uint64_t first;

	t->token = NULL;
	if (!is_hooked(t))
		return;
	LLVMValueRef here = beginning(t, &first);
	t->site = (uint64_t)t->u->id << 32 | (uint32_t)(first - 1);
	t->call_record = function_record(t, result, &n, &room);
	t->call_values = tracer_entry_alloca(t, LLVMArrayType2(t->i64, room), "muster.call"); /* no more: recursion may be deep */
	t->call_labels = tracer_entry_alloca(t, LLVMArrayType2(t->i32, room), "muster.call");
	tracer_before(t, here);
	for (unsigned i = 0; i < LLVMCountParams(t->function); i++) {
		LLVMValueRef p = LLVMGetParam(t->function, i), labels[TRACER_LEAVES];
		struct leaf leaves[TRACER_LEAVES];
		unsigned m = tracer_leaves(t, LLVMTypeOf(p), leaves);
		if (!has_all_leaves(t, LLVMTypeOf(p), slot))
			continue;
		tracer_get(t, p, labels, m);
		put_leaves(t, p, labels, slot, n);
		slot += m;
	}
	t->token = tracer_call(t, "__muster_enter", "wppppp", t->call_record, t->function, frame_address(t), t->call_values, t->call_labels);
	for (unsigned i = 0, at = 0; i < LLVMCountParams(t->function); i++) {
		LLVMValueRef p = LLVMGetParam(t->function, i), labels[TRACER_LEAVES];
		struct leaf leaves[TRACER_LEAVES];
		unsigned m = tracer_leaves(t, LLVMTypeOf(p), leaves);
		if (!has_all_leaves(t, LLVMTypeOf(p), at))
			continue;
		tracer_get(t, p, labels, m);
		get_leaves(t, LLVMTypeOf(p), labels, at, n);
		tracer_set(t, p, labels, m);
		if (m == 1)
			trace_may_be_set(t, p, t->call_values, at);
		at += m;
	}
}

/* Before a return, with the builder there. result NULL: there is none. */
void trace_leave(struct tracer *t, LLVMValueRef result, LLVMValueRef *labels)
{
	if (!t->token)
		return;
	if (result)
		put_leaves(t, result, labels, 0, TRACER_RESULTS);
	tracer_call(t, "__muster_leave", "vpwpp", t->call_record, t->token, t->call_values, t->call_labels);
	if (result)
		get_leaves(t, LLVMTypeOf(result), labels, 0, TRACER_RESULTS);
}

/* After a call that may return twice. */
void trace_landed(struct tracer *t, LLVMValueRef call)
{
	if (!t->token)
		return;
	tracer_after(t, call);
	tracer_call(t, "__muster_landed", "vpw", t->call_record, t->token);
}

/* Before a call, with the builder there. */
void trace_from(struct tracer *t, LLVMValueRef call, LLVMValueRef callee, const char *name)
{
	static const char *const stacks[] = {"swapcontext", "setcontext", "makecontext"};

	if (!t->options->calls)
		return;
	for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++)
		if (!strcmp(name, stacks[i]))
			tracer_call(t, "__muster_other_stack", "v");
	if (t->token && LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail)
		tracer_call(t, "__muster_leave_tail", "vpw", t->call_record, t->token);
	tracer_call(t, "__muster_i_from", "vpq", callee, tracer_q(t, t->site));
}
