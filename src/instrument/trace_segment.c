/* trace_segment.c: cuts of functions at the headers of loops, in the segments variant.
 *
 * Which headers and values is ir/segment.h's to say, from the unit before anything is edited. A call of a function that nobody defines, with the values as
 * arguments, is put behind the phis of each header, before anything else is edited, so that whatever takes the place of a value does so there; it becomes a call of the runtime (__muster_cut) that gives every value the label of a leaf.
 *
 * So a value of the program has another label behind a cut than before it, and labels are no SSA values any more: those of values that are at some cut of their function have a slot on the stack, written where the
 * value is made and at each cut, and read at each use (tracer_get, tracer_set). A slot is cleared where its value is made, since what has no label says nothing.
 *
 * The runtime may give the values themselves others, too: a run then goes on from there in a state that the engine has chosen (MUSTER_SETS). So when a function is done, each value of a cut that has a label, and each
 * parameter, goes to a slot of its own: written where it is made and behind the hook with what the hook left, read at each use. Where nobody sets anything the program computes what it did.
 */
#include "instrument/tracer.h"

#include "instrument/trace_segment.h"

#include <stdlib.h>
#include <string.h>

#define MARK "__muster_cut_mark"
#define RT_FUNCTION_CUTS 2 /* as in runtime/hooks.h */

void trace_cuts_find(struct trace_cuts *t, struct unit *u)
{
	struct code *c = code_new(u);
	struct segment_cuts s = {0};

	memset(t, 0, sizeof *t);
	if (!c)
		return; /* no segments: nothing else is lost */
	for (uint32_t i = 0; i < c->function_count; i++)
		if (c->functions[i].defined)
			segment_cuts_find(&s, &c->functions[i]);
	for (size_t i = 0; i < s.list.size; i++) {
		const struct segment_cut *x = &s.list.data[i];
		const struct code_function *f = &c->functions[x->function];
		vec_push(&t->list, ((struct trace_cut){x->ordinal, (uint32_t)t->values.size, x->count, x->more}));
		for (uint32_t k = 0; k < x->count; k++) {
			const struct segment_value *v = &s.values.data[x->first + k];
			uint32_t what = v->value < f->parameters ? TRACE_CUT_PARAMETER | v->value : f->values[v->value].index;
			vec_push(&t->values, ((struct trace_cut_value){what, v->bits}));
		}
	}
	segment_cuts_release(&s);
	code_free(c);
}

void trace_cuts_release(struct trace_cuts *t)
{
	vec_release(&t->list);
	vec_release(&t->values);
}

/* ---------------------------------------------------------------- marks */

int trace_is_cut(LLVMValueRef call)
{
	LLVMValueRef f = LLVMIsACallInst(call) ? LLVMIsAFunction(LLVMGetCalledValue(call)) : NULL;
	size_t n;

	return f && !strcmp(LLVMGetValueName2(f, &n), MARK);
}

static LLVMValueRef behind_phis(LLVMBasicBlockRef b)
{
	LLVMValueRef i = LLVMGetFirstInstruction(b);

	while (LLVMIsAPHINode(i))
		i = LLVMGetNextInstruction(i);
	return i;
}

static void put_mark(struct unit *u, LLVMBuilderRef b, LLVMValueRef mark, const struct trace_cuts *c, uint32_t number)
{
	const struct trace_cut *x = &c->list.data[number];
	LLVMBasicBlockRef block = LLVMGetInstructionParent(u->instructions[x->ordinal]);
	LLVMValueRef args[SEGMENT_VALUES + 1] = {LLVMConstInt(LLVMInt32TypeInContext(u->context), number, 0)}, fn = LLVMGetBasicBlockParent(block);

	for (uint32_t k = 0; k < x->count; k++) {
		uint32_t what = c->values.data[x->first + k].what;
		args[k + 1] = what & TRACE_CUT_PARAMETER ? LLVMGetParam(fn, what & ~TRACE_CUT_PARAMETER) : u->instructions[what];
	}
	LLVMPositionBuilderBefore(b, behind_phis(block));
	LLVMBuildCall2(b, LLVMGlobalGetValueType(mark), mark, args, x->count + 1, "");
}

void trace_cuts_put(const struct trace_cuts *c, struct unit *u)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(u->context);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(u->context), NULL, 0, 1);
	LLVMValueRef mark = c->list.size ? LLVMAddFunction(u->module, MARK, type) : NULL;

	for (uint32_t i = 0; i < c->list.size; i++)
		put_mark(u, b, mark, c, i);
	LLVMDisposeBuilder(b);
}

static uint32_t number_of(LLVMValueRef call)
{
	return (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0));
}

void trace_find_cuts(struct tracer *t)
{
	LLVMValueRef mark = LLVMGetNamedFunction(t->module, MARK);

	for (LLVMUseRef use = mark ? LLVMGetFirstUse(mark) : NULL; use; use = LLVMGetNextUse(use)) {
		LLVMValueRef call = LLVMGetUser(use);
		map_set(&t->ordinals, (uint64_t)(uintptr_t)call, (uint64_t)t->options->cuts->list.data[number_of(call)].ordinal + 1);
	}
}

void trace_forget_cuts(struct tracer *t)
{
	LLVMValueRef mark = LLVMGetNamedFunction(t->module, MARK);

	if (!mark)
		return;
	for (LLVMUseRef use; (use = LLVMGetFirstUse(mark));)
		LLVMInstructionEraseFromParent(LLVMGetUser(use));
	LLVMDeleteFunction(mark);
}

/* ---------------------------------------------------------------- slots */

static int has_label(LLVMValueRef v)
{
	return (LLVMIsAInstruction(v) && !LLVMIsAAllocaInst(v)) || LLVMIsAArgument(v);
}

unsigned trace_cut_slots(struct tracer *t, LLVMValueRef fn)
{
	unsigned flags = 0, most = 0;

	map_clear(&t->slots);
	t->cut_values = t->cut_labels = NULL;
	if (!t->options->cuts)
		return 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef i = behind_phis(b);
		if (!trace_is_cut(i))
			continue;
		unsigned n = LLVMGetNumArgOperands(i);
		flags = RT_FUNCTION_CUTS;
		most = n > most ? n : most;
		for (unsigned k = 1; k < n; k++) {
			LLVMValueRef v = LLVMGetOperand(i, k);
			if (has_label(v) && !map_get(&t->slots, (uint64_t)(uintptr_t)v, NULL))
				map_set(&t->slots, (uint64_t)(uintptr_t)v, (uint64_t)(uintptr_t)tracer_entry_alloca(t, t->i32, "muster.slot"));
		}
	}
	if (most) {
		t->cut_values = tracer_entry_alloca(t, LLVMArrayType2(t->i64, most), "muster.cut");
		t->cut_labels = tracer_entry_alloca(t, LLVMArrayType2(t->i32, most), "muster.cut");
	}
	return flags;
}

LLVMValueRef trace_cut_slot(struct tracer *t, LLVMValueRef v)
{
	uint64_t slot;

	return map_get(&t->slots, (uint64_t)(uintptr_t)v, &slot) ? (LLVMValueRef)(uintptr_t)slot : NULL;
}

/* ---------------------------------------------------------------- values that may be set */

void trace_may_be_set(struct tracer *t, LLVMValueRef v, LLVMValueRef room, unsigned number)
{
	unsigned bits = tracer_bits(t, LLVMTypeOf(v));

	if (!t->cut_flags || !has_label(v) || !bits || bits > 64)
		return;
	LLVMValueRef word = LLVMBuildLoad2(t->b, t->i64, tracer_at(t, room, number * 8), "");
	LLVMTypeRef type = LLVMTypeOf(v);
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		word = LLVMBuildIntToPtr(t->b, word, type, "");
	else if (bits < 64)
		word = LLVMBuildTrunc(t->b, word, type, "");
	vec_push(&t->settable, ((struct trace_settable){v, word}));
}

struct use {
	LLVMValueRef user;
	unsigned operand;
};

/* All uses, each operand of a user once. */
static void find_uses(LLVMValueRef v, struct use **list, size_t *count)
{
	VEC(struct use) all = {0};
	struct map seen = {0};

	for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAInstruction(user) || !map_set(&seen, (uint64_t)(uintptr_t)user, 1))
			continue;
		for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(user); k++)
			if (LLVMGetOperand(user, k) == v)
				vec_push(&all, ((struct use){user, k}));
	}
	map_release(&seen);
	*list = all.data, *count = all.size;
}

/* A phi has the value at the end of the block that it comes from; of one block there is one. */
static LLVMValueRef load_for(struct tracer *t, LLVMValueRef slot, LLVMTypeRef type, const struct use *u)
{
	if (!LLVMIsAPHINode(u->user)) {
		tracer_before(t, u->user);
		return LLVMBuildLoad2(t->b, type, slot, "");
	}
	LLVMBasicBlockRef from = LLVMGetIncomingBlock(u->user, u->operand);
	for (unsigned k = 0; k < u->operand; k++)
		if (LLVMGetIncomingBlock(u->user, k) == from)
			return LLVMGetIncomingValue(u->user, k);
	tracer_before(t, LLVMGetBasicBlockTerminator(from));
	return LLVMBuildLoad2(t->b, type, slot, "");
}

static LLVMValueRef to_slot(struct tracer *t, LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	struct use *uses;
	size_t count;

	find_uses(v, &uses, &count);
	LLVMValueRef slot = tracer_entry_alloca(t, type, "muster.value");
	for (size_t i = 0; i < count; i++)
		LLVMSetOperand(uses[i].user, uses[i].operand, load_for(t, slot, type, &uses[i]));
	free(uses);
	if (LLVMIsAArgument(v))
		tracer_after(t, slot);
	else if (LLVMIsAPHINode(v))
		tracer_before(t, behind_phis(LLVMGetInstructionParent(v)));
	else
		tracer_after(t, v);
	LLVMBuildStore(t->b, v, slot);
	return slot;
}

void trace_set_values(struct tracer *t)
{
	struct map slots = {0};
	uint64_t slot;

	for (size_t i = 0; i < t->settable.size; i++) {
		const struct trace_settable *x = &t->settable.data[i];
		if (!map_get(&slots, (uint64_t)(uintptr_t)x->value, &slot))
			map_set(&slots, (uint64_t)(uintptr_t)x->value, slot = (uint64_t)(uintptr_t)to_slot(t, x->value));
		tracer_after(t, x->set);
		LLVMBuildStore(t->b, x->set, (LLVMValueRef)(uintptr_t)slot);
	}
	vec_clear(&t->settable);
	map_release(&slots);
}

/* ---------------------------------------------------------------- the cut */

/* struct rt_cut (runtime/hooks.h). */
static LLVMValueRef cut_record(struct tracer *t, const struct trace_cut *x)
{
	uint8_t bits[SEGMENT_VALUES];

	for (uint32_t k = 0; k < x->count; k++)
		bits[k] = t->options->cuts->values.data[x->first + k].bits;
	LLVMValueRef bytes = LLVMConstStringInContext2(t->context, (const char *)bits, x->count, 1);
	LLVMValueRef list = LLVMAddGlobal(t->module, LLVMTypeOf(bytes), ".muster.bits");
	LLVMSetInitializer(list, bytes);
	LLVMSetGlobalConstant(list, 1);
	LLVMSetLinkage(list, LLVMPrivateLinkage);
	LLVMValueRef fields[] = {tracer_q(t, t->site), tracer_w(t, x->count), tracer_w(t, x->more), list};
	LLVMValueRef s = LLVMConstStructInContext(t->context, fields, 4, 0);
	LLVMValueRef g = LLVMAddGlobal(t->module, LLVMTypeOf(s), ".muster.cut");
	LLVMSetInitializer(g, s);
	LLVMSetGlobalConstant(g, 1);
	LLVMSetLinkage(g, LLVMPrivateLinkage);
	return g;
}

void trace_cut(struct tracer *t, LLVMValueRef call)
{
	const struct trace_cut *x = &t->options->cuts->list.data[number_of(call)];

	if (!t->token)
		return;
	LLVMValueRef record = cut_record(t, x);
	for (unsigned k = 0; k < x->count; k++) {
		LLVMValueRef v = LLVMGetOperand(call, k + 1), slot = trace_cut_slot(t, v);
		LLVMBuildStore(t->b, tracer_word(t, v), tracer_at(t, t->cut_values, k * 8));
		LLVMBuildStore(t->b, slot ? LLVMBuildLoad2(t->b, t->i32, slot, "") : t->zero, tracer_at(t, t->cut_labels, k * 4));
	}
	tracer_call(t, "__muster_cut", "vpwppp", t->call_record, t->token, record, t->cut_values, t->cut_labels);
	for (unsigned k = 0; k < x->count; k++) {
		LLVMValueRef slot = trace_cut_slot(t, LLVMGetOperand(call, k + 1));
		if (slot)
			LLVMBuildStore(t->b, LLVMBuildLoad2(t->b, t->i32, tracer_at(t, t->cut_labels, k * 4), ""), slot);
		if (t->options->cuts->values.data[x->first + k].bits)
			trace_may_be_set(t, LLVMGetOperand(call, k + 1), t->cut_values, k);
	}
}
