/* trace_segment.c: cuts of functions at the headers of loops, in the segments variant.
 *
 * Which headers and values is ir/segment.h's to say, from the unit before anything is edited. A call of a function that nobody defines, with the values as
 * arguments, is put behind the phis of each header, before anything else is edited, so that whatever takes the place of a value does so there; it becomes a call of the runtime (__muster_cut) that gives every value the label of a leaf.
 *
 * So a value of the program has another label behind a cut than before it, and labels are no SSA values any more: those of values that are at some cut of their function have a slot on the stack, written where the
 * value is made and at each cut, and read at each use (tracer_get, tracer_set). A slot is cleared where its value is made, since what has no label says nothing.
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
	}
}
