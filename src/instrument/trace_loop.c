/* trace_loop.c: events that say what functions and outermost loops are entered with.
 *
 * Which entries and values is ir/entry.h's to say, from the unit before anything is edited. Before functions are instrumented, a
 * call of a function without a definition, with the values as arguments, is put where each entry is: after the stack objects of
 * a function, at the end of the block in front of a loop. Like a check that goes on, it does nothing: copies of functions that have no labels
 * keep it until all are erased, and where labels are at hand it becomes a call of the runtime for each value. So whatever the pass
 * does to move values between its copies it does for these. A load that the loop begins with is made once more in front of it, under the
 * same ordinal.
 */
#include "instrument/tracer.h"

#include "instrument/trace_loop.h"

#include <stdlib.h>
#include <string.h>

#define MARK "__muster_entry_mark"
#define LOAD_STEPS 4

void trace_entries_find(struct trace_entries *t, struct unit *u)
{
	struct code *c = code_new(u);

	memset(t, 0, sizeof *t);
	if (!c)
		return; /* no events: the search does without */
	struct entries e = {0};
	entries_find(&e, c);
	for (size_t i = 0; i < e.list.size; i++) {
		const struct entry *x = &e.list.data[i];
		const struct code_function *f = &c->functions[x->function];
		struct trace_entry n = {.ordinal = x->ordinal, .loop = x->loop != CODE_NONE, .count = x->count + x->loads};
		n.first = (uint32_t)t->values.size;
		for (uint32_t k = 0; k < x->count; k++) {
			uint32_t v = e.values.data[x->first + k];
			vec_push(&t->values, v < f->parameters ? TRACE_PARAMETER | v : f->values[v].index);
		}
		for (uint32_t k = 0; k < x->loads; k++)
			vec_push(&t->values, TRACE_LOAD | f->values[e.loads.data[x->first_load + k]].index);
		n.first_end = (uint32_t)t->ends.size;
		n.ends = x->edges;
		for (uint32_t k = 0; k < x->edges; k++) {
			uint32_t from = f->edges[e.edges.data[x->first_edge + k]].from;
			vec_push(&t->ends, f->values[code_last(f, from)].index);
		}
		vec_push(&t->list, n);
	}
	entries_release(&e);
	code_free(c);
}

void trace_entries_release(struct trace_entries *t)
{
	vec_release(&t->list);
	vec_release(&t->values);
	vec_release(&t->ends);
}

/* ---------------------------------------------------------------- marks */

static LLVMValueRef mark_function(struct tracer *t)
{
	LLVMValueRef f = LLVMGetNamedFunction(t->module, MARK);

	return f ? f : LLVMAddFunction(t->module, MARK, LLVMFunctionType(t->nothing, NULL, 0, 1));
}

int trace_is_entry(LLVMValueRef call)
{
	LLVMValueRef f = LLVMIsACallInst(call) ? LLVMIsAFunction(LLVMGetCalledValue(call)) : NULL;
	size_t n;

	return f && !strcmp(LLVMGetValueName2(f, &n), MARK);
}

static LLVMValueRef repeat(struct tracer *t, LLVMValueRef inst)
{
	LLVMValueRef copy = LLVMInstructionClone(inst);
	uint64_t ordinal = 0;

	LLVMInsertIntoBuilder(t->b, copy);
	map_get(&t->ordinals, (uint64_t)(uintptr_t)inst, &ordinal);
	map_set(&t->ordinals, (uint64_t)(uintptr_t)copy, ordinal);
	return copy;
}

/* The load, and constant steps to its address, once more where the builder stands; NULL: it is gone, or none of these. */
static LLVMValueRef repeat_load(struct tracer *t, LLVMValueRef load)
{
	LLVMValueRef steps[LOAD_STEPS], at;
	unsigned n = 0;

	if (!load || !LLVMIsALoadInst(load))
		return NULL;
	for (at = LLVMGetOperand(load, 0); LLVMIsAGetElementPtrInst(at); at = LLVMGetOperand(at, 0)) {
		for (int k = 1; k < LLVMGetNumOperands(at); k++)
			if (!LLVMIsAConstantInt(LLVMGetOperand(at, (unsigned)k)))
				return NULL;
		if (n == LOAD_STEPS)
			return NULL;
		steps[n++] = at;
	}
	if (!LLVMIsAArgument(at) && !LLVMIsAConstant(at) && !LLVMIsAAllocaInst(at))
		return NULL;
	while (n-- > 0) {
		LLVMValueRef step = repeat(t, steps[n]);
		LLVMSetOperand(step, 0, at);
		at = step;
	}
	load = repeat(t, load);
	LLVMSetOperand(load, 0, at);
	return load;
}

/* In front of inst. A value that the folding of checks deleted is reported as zero without a label; the search asks for an entry's values by
 * position, and one that is no longer used decides nothing. */
static void put_mark(struct tracer *t, const struct trace_entries *e, const struct trace_entry *x, LLVMValueRef inst)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)), args[ENTRY_VALUES];

	tracer_before(t, inst);
	for (uint32_t k = 0; k < x->count; k++) {
		uint32_t v = e->values.data[x->first + k];
		args[k] = v & TRACE_PARAMETER ? LLVMGetParam(fn, v & ~TRACE_PARAMETER)
			  : v & TRACE_LOAD    ? repeat_load(t, t->u->instructions[v & ~TRACE_LOAD])
					      : t->u->instructions[v];
		if (!args[k] || LLVMGetTypeKind(LLVMTypeOf(args[k])) != LLVMIntegerTypeKind)
			args[k] = LLVMConstNull(t->i64);
	}
	LLVMValueRef f = mark_function(t);
	LLVMValueRef call = LLVMBuildCall2(t->b, LLVMGlobalGetValueType(f), f, args, x->count, "");
	map_set(&t->ordinals, (uint64_t)(uintptr_t)call, (uint64_t)x->ordinal + 1);
}

/* Where a function begins: after its stack objects. The first instruction may have been deleted; any of the entry block says which function. */
static LLVMValueRef beginning(struct tracer *t, uint32_t ordinal)
{
	LLVMValueRef i = t->u->instructions[ordinal];

	while (i && (LLVMIsAAllocaInst(i) || LLVMIsAPHINode(i)))
		i = LLVMGetNextInstruction(i);
	return i;
}

void trace_put_entries(struct tracer *t, const struct trace_entries *e)
{
	for (size_t i = 0; e && i < e->list.size; i++) {
		const struct trace_entry *x = &e->list.data[i];
		if (!x->loop && beginning(t, x->ordinal))
			put_mark(t, e, x, beginning(t, x->ordinal));
		for (uint32_t k = 0; k < x->ends; k++) {
			LLVMValueRef end = t->u->instructions[e->ends.data[x->first_end + k]];
			if (end && LLVMIsABranchInst(end) && !LLVMIsConditional(end))
				put_mark(t, e, x, end);
		}
	}
}

void trace_entry(struct tracer *t, LLVMValueRef call)
{
	unsigned n = LLVMGetNumArgOperands(call);
	LLVMValueRef labels[ENTRY_VALUES], any = t->zero;

	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef v = LLVMGetOperand(call, i);
		labels[i] = LLVMIsAConstant(v) ? t->zero : tracer_get1(t, v);
		if (labels[i] != t->zero)
			any = any == t->zero ? labels[i] : LLVMBuildOr(t->b, any, labels[i], "");
	}
	if (any == t->zero)
		return;
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef v = LLVMGetOperand(call, i);
		uint32_t what = i | LLVMGetIntTypeWidth(LLVMTypeOf(v)) << 8;
		tracer_call(t, "__muster_entry", "vwwqws", any, labels[i], tracer_word(t, v), tracer_w(t, what));
	}
}

void trace_forget_entries(struct tracer *t)
{
	LLVMValueRef mark = LLVMGetNamedFunction(t->module, MARK);

	if (!mark)
		return;
	for (LLVMUseRef use; (use = LLVMGetFirstUse(mark));)
		LLVMInstructionEraseFromParent(LLVMGetUser(use));
	LLVMDeleteFunction(mark);
}
