/* trace_fast.c: two versions of a function in one, so that code without labels
 * runs almost as if it were not instrumented.
 *
 * Blocks are cut into regions: operations without side effects, then at most one
 * instruction with one (a store, a call, the terminator). Each region exists
 * twice. The slow copy is the original, instrumented in full. The fast copy
 * assumes that every label is zero; it only looks at the shadow of what it loads,
 * adds up what it saw, and before its side effect jumps to the start of the slow
 * copy of the same region if that was not zero: what was done so far is simply
 * done again. A call that returns a label continues in the slow copy of the next
 * region. A function is entered in its slow copy if the caller passed labels;
 * from the slow copy nothing goes back before the function returns.
 *
 * So that each copy may go on where the other left, values that live from one
 * region to another, phis and labels are kept in stack slots that both copies
 * use; the optimiser turns them back into registers. The invariant: whenever a
 * region is entered, in either copy, the slots of all live values hold them, and
 * in the fast copy every label slot of a live value holds zero.
 */
#include "instrument/trace_region.h"

#include <string.h>

/* What v is called in a fast region: its copy, or a reload at the builder. */
static LLVMValueRef fast_name(struct fast *f, struct map *names, LLVMValueRef v)
{
	uint64_t known;
	struct slot *s;

	if (map_get(names, (uint64_t)(uintptr_t)v, &known))
		return (LLVMValueRef)(uintptr_t)known;
	if (!LLVMIsAInstruction(v) || !(s = trace_slot_of(f, v)) || !s->room)
		return v; /* a constant, a parameter, a stack object */
	LLVMValueRef l = trace_reload(f->t, LLVMTypeOf(v), s->room);
	map_set(names, (uint64_t)(uintptr_t)v, (uint64_t)(uintptr_t)l);
	return l;
}

/* Before a terminator: what the successors' phis will be. All are read before any is written. */
static void fast_phis(struct fast *f, struct region *r, struct map *names)
{
	struct tracer *t = f->t;
	VEC(LLVMValueRef) values = {0};
	VEC(struct slot *) to = {0};

	for (size_t k = 0; k < r->next.size; k++) {
		struct region *next = r->next.data[k];
		for (size_t q = 0; q < next->list.size && LLVMIsAPHINode(next->list.data[q]); q++) {
			LLVMValueRef p = next->list.data[q], v = trace_incoming_from(p, r->slow);
			if (!v)
				continue;
			vec_push(&values, fast_name(f, names, v));
			vec_push(&to, trace_slot_of(f, p));
		}
	}
	for (size_t i = 0; i < to.size; i++) {
		LLVMBuildStore(t->b, values.data[i], to.data[i]->in);
		trace_store_labels(t, to.data[i]->in_labels, NULL, to.data[i]->n);
	}
	vec_release(&values);
	vec_release(&to);
}

static LLVMValueRef fast_copy(struct fast *f, struct region *r, struct map *names, LLVMValueRef inst)
{
	struct tracer *t = f->t;
	LLVMValueRef names_of[64], copy;
	int n = LLVMGetNumOperands(inst);

	/* Reloads have to stand before the copy. */
	for (int k = 0; k < n && k < 64; k++) {
		LLVMValueRef v = LLVMGetOperand(inst, (unsigned)k);
		names_of[k] = LLVMValueIsBasicBlock(v) ? NULL : fast_name(f, names, v);
	}
	copy = LLVMInstructionClone(inst);
	for (int k = 0; k < n; k++) {
		LLVMValueRef v = LLVMGetOperand(inst, (unsigned)k);
		if (!LLVMValueIsBasicBlock(v))
			LLVMSetOperand(copy, (unsigned)k, k < 64 ? names_of[k] : fast_name(f, names, v));
	}
	if (LLVMIsATerminatorInst(inst))
		for (unsigned k = 0; k < r->next.size; k++)
			LLVMSetSuccessor(copy, k, r->next.data[k]->fast);
	if (trace_plain_callee(t, inst))
		LLVMSetOperand(copy, (unsigned)n - 1, trace_plain_callee(t, inst));
	LLVMInsertIntoBuilder(t->b, copy);
	map_set(names, (uint64_t)(uintptr_t)inst, (uint64_t)(uintptr_t)copy);
	return copy;
}

/* Copies the region; the copies of interest are instrumented when all exist. */
struct fast_region {
	VEC(LLVMValueRef) loads;
	LLVMValueRef effect, original; /* the instruction with a side effect */
	LLVMValueRef check;            /* the last chance to leave: nothing from here on may be done twice */
	struct slot *result;           /* slot of the effect's value */
};

static void copy_region(struct fast *f, struct region *r, struct fast_region *out)
{
	struct tracer *t = f->t;
	struct map names = {0};

	LLVMPositionBuilderAtEnd(t->b, r->fast);
	for (size_t i = 0; i < r->list.size; i++) {
		LLVMValueRef inst = r->list.data[i], copy;
		struct slot *s = trace_slot_of(f, inst);
		if (LLVMIsAPHINode(inst)) {
			copy = trace_reload(t, LLVMTypeOf(inst), s->in);
			map_set(&names, (uint64_t)(uintptr_t)inst, (uint64_t)(uintptr_t)copy);
		} else {
			LLVMValueRef before = LLVMGetLastInstruction(r->fast);
			if (LLVMIsATerminatorInst(inst))
				fast_phis(f, r, &names);
			copy = fast_copy(f, r, &names, inst);
			if (trace_has_effect(t, inst) && !out->check)
				out->check = before ? LLVMGetNextInstruction(before) : LLVMGetFirstInstruction(r->fast);
		}
		if (trace_is_plain_load(inst))
			vec_push(&out->loads, copy);
		else if (trace_has_effect(t, inst) && !(LLVMIsABranchInst(inst) && out->effect)) {
			out->effect = copy;
			out->original = inst;
			out->result = s;
		}
		if (s && s->room) {
			LLVMBuildStore(t->b, copy, s->room);
			trace_store_labels(t, s->labels, NULL, s->n);
		}
	}
	map_release(&names);
}

/* A memory access whose shadow decides whether the fast copy may go on. */
struct access {
	LLVMValueRef pointer, inst;
	uint64_t size;
};

/* The cells themselves. */
static LLVMValueRef look_at(struct tracer *t, LLVMValueRef seen, const struct access *a)
{
	LLVMValueRef word;

	if (a->size <= 16) {
		char name[] = "__muster_i_seen00";
		name[15] = (char)('0' + a->size / 10);
		name[16] = (char)('0' + a->size % 10);
		word = tracer_call(t, name, "qp", a->pointer);
	} else {
		word = tracer_call(t, "__muster_any", "qpq", a->pointer, tracer_q(t, a->size));
	}
	return seen ? LLVMBuildOr(t->b, seen, word, "") : word;
}

static LLVMValueRef unlikely(struct tracer *t, LLVMValueRef word)
{
	LLVMValueRef args[] = {LLVMBuildICmp(t->b, LLVMIntNE, word, tracer_q(t, 0), ""), LLVMConstInt(t->i1, 0, 0)};
	LLVMTypeRef types[] = {t->i1, t->i1};
	LLVMTypeRef expect = LLVMFunctionType(t->i1, types, 2, 0);
	unsigned id = LLVMLookupIntrinsicID("llvm.expect", 11);

	return LLVMBuildCall2(t->b, expect, LLVMGetIntrinsicDeclaration(t->module, id, &t->i1, 1), args, 2, "");
}

/* In front of inst: leave if word is not zero. */
static void leave_if(struct tracer *t, LLVMValueRef word, LLVMValueRef inst, LLVMBasicBlockRef landing)
{
	LLVMBasicBlockRef head = tracer_split(t, inst);

	LLVMPositionBuilderAtEnd(t->b, head);
	LLVMBuildCondBr(t->b, unlikely(t, word), landing, LLVMGetInstructionParent(inst));
}

/* In front of inst: leave for the slow copy if one of the accesses meets a label.
 * While no memory has one, that is a test of one word. */
static void leave_if_labelled(struct tracer *t, const struct access *all, size_t n, LLVMValueRef inst, LLVMBasicBlockRef landing)
{
	LLVMBasicBlockRef closer = LLVMAppendBasicBlockInContext(t->context, t->function, "");
	LLVMValueRef seen = NULL;

	tracer_before(t, inst);
	leave_if(t, tracer_any_label(t), inst, closer);
	LLVMPositionBuilderAtEnd(t->b, closer);
	for (size_t i = 0; i < n; i++)
		seen = look_at(t, seen, &all[i]);
	LLVMBuildCondBr(t->b, unlikely(t, seen), landing, LLVMGetInstructionParent(inst));
}

/* After a call whose result may have labels: they are put where the slow copy of
 * the next region finds them. */
static void leave_with_result(struct tracer *t, LLVMValueRef call, const struct slot *s, LLVMBasicBlockRef landing)
{
	struct leaf leaves[TRACER_LEAVES];
	unsigned n = tracer_leaves(t, LLVMTypeOf(call), leaves);
	LLVMValueRef seen = NULL, last = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(call));
	LLVMBasicBlockRef stub = LLVMAppendBasicBlockInContext(t->context, t->function, "");

	tracer_before(t, last);
	for (unsigned i = 0; i < n && i < TRACER_RESULTS; i++) {
		if (!leaves[i].bits)
			continue;
		LLVMValueRef word = tracer_call(t, "__muster_i_pending", "qpw", LLVMGetCalledValue(call), tracer_w(t, i));
		seen = seen ? LLVMBuildOr(t->b, seen, word, "") : word;
	}
	if (seen)
		leave_if(t, seen, last, stub);
	LLVMPositionBuilderAtEnd(t->b, stub);
	for (unsigned i = 0; i < n && i < TRACER_RESULTS; i++)
		if (leaves[i].bits && s->labels[i])
			LLVMBuildStore(t->b, tracer_call(t, "__muster_result", "wpw", LLVMGetCalledValue(call), tracer_w(t, i)),
				       s->labels[i]);
	LLVMBuildBr(t->b, landing);
	if (!seen)
		LLVMDeleteBasicBlock(stub);
}

static struct access access_of(struct tracer *t, LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMIsALoadInst(inst) ? LLVMTypeOf(inst) : LLVMTypeOf(LLVMGetOperand(inst, 1));

	return (struct access){LLVMGetOperand(inst, 0), inst, LLVMStoreSizeOfType(t->layout, type)};
}

/* Assembly and intrinsics (stacksave, va_arg's kin) give nothing labelled. */
static int may_return_label(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t n;

	return !LLVMIsAInlineAsm(callee) && strncmp(LLVMGetValueName2(callee, &n), "llvm.", 5) != 0;
}

static void instrument_fast(struct fast *f, struct region *r, struct fast_region *x)
{
	struct tracer *t = f->t;
	LLVMValueRef effect = x->effect;
	int reads = LLVMIsALoadInst(effect) || LLVMIsAAtomicRMWInst(effect) || LLVMIsAAtomicCmpXchgInst(effect);
	int call = LLVMIsACallInst(effect) != NULL;
	LLVMBasicBlockRef next = call ? r->next.data[0]->landing : NULL;
	VEC(struct access) accesses = {0};

	for (size_t i = 0; i < x->loads.size; i++)
		vec_push(&accesses, access_of(t, x->loads.data[i]));
	if (reads)
		vec_push(&accesses, access_of(t, effect));
	if (accesses.size)
		leave_if_labelled(t, accesses.data, accesses.size, reads ? effect : x->check, r->landing);
	vec_release(&accesses);
	if (reads)
		return; /* nothing labelled was there: a plain access */
	t->site = (uint64_t)t->u->id << 32 | (uint32_t)(trace_ordinal_of(t, x->original) - 1);
	tracer_before(t, effect);
	if (call) {
		t->results_elsewhere = 1;
		trace_call(t, effect);
		t->results_elsewhere = 0;
		if (x->result && x->result->room && may_return_label(effect))
			leave_with_result(t, effect, x->result, next);
	} else if (LLVMIsAReturnInst(effect)) {
		trace_return(t, effect);
	} else if (!LLVMIsATerminatorInst(effect)) {
		trace_memory(t, effect);
	}
}

static void make_fast(struct fast *f)
{
	struct fast_region *all = mem_alloc(f->regions.size * sizeof *all);

	memset(all, 0, f->regions.size * sizeof *all);
	for (size_t i = 0; i < f->regions.size; i++)
		copy_region(f, f->regions.data[i], &all[i]);
	for (size_t i = 0; i < f->regions.size; i++) {
		instrument_fast(f, f->regions.data[i], &all[i]);
		vec_release(&all[i].loads);
	}
	free(all);
}

/* ------------------------------------------------------------ both copies */

/* Ends the entry block: into the slow copy with the caller's labels, or into the fast one. */
static void join_entry(struct fast *f, struct region *first)
{
	struct tracer *t = f->t;

	LLVMPositionBuilderAtEnd(t->b, f->entry);
	if (!t->own) {
		LLVMBuildBr(t->b, first->fast);
		return;
	}
	LLVMBasicBlockRef stub = LLVMAppendBasicBlockInContext(t->context, f->function, "");
	LLVMValueRef own = LLVMBuildICmp(t->b, LLVMIntNE, t->labelled, tracer_w(t, 0), "");
	for (unsigned i = 0; i < LLVMCountParams(f->function); i++) {
		struct slot *s = trace_slot_of(f, LLVMGetParam(f->function, i));
		if (s)
			trace_store_labels(t, s->labels, NULL, s->n);
	}
	LLVMBuildCondBr(t->b, own, stub, first->fast);
	LLVMPositionBuilderAtEnd(t->b, stub);
	for (unsigned i = 0; i < LLVMCountParams(f->function); i++) {
		LLVMValueRef p = LLVMGetParam(f->function, i), labels[TRACER_LEAVES];
		struct slot *s = trace_slot_of(f, p);
		if (!s)
			continue;
		trace_parameter(t, i, labels);
		trace_store_labels(t, s->labels, labels, s->n);
	}
	LLVMBuildBr(t->b, first->landing);
}

void trace_fast_function(struct tracer *t, LLVMValueRef fn, LLVMBasicBlockRef *order, size_t count)
{
	struct fast f = {.t = t, .function = fn};

	trace_collect_regions(&f, order, count);
	trace_make_slots(&f);
	for (LLVMValueRef i = LLVMGetFirstInstruction(f.entry), next; i; i = next) {
		uint64_t ordinal = trace_ordinal_of(t, i);
		next = LLVMGetNextInstruction(i);
		if (!ordinal)
			continue;
		/* The entry block has no end yet, so the builder is put after the objects by hand. */
		LLVMPositionBuilderAtEnd(t->b, f.entry);
		t->site = (uint64_t)t->u->id << 32 | (uint32_t)(ordinal - 1);
		trace_stack_object(t, i, 1);
	}
	LLVMPositionBuilderAtEnd(t->b, f.entry);
	trace_prologue(t, 1);
	join_entry(&f, f.regions.data[0]);
	make_fast(&f);
	for (size_t i = 0; i < f.regions.size; i++)
		trace_make_slow(&f, f.regions.data[i]);
	trace_drop_phis(&f);
	for (size_t i = 0; i < f.regions.size; i++) {
		vec_release(&f.regions.data[i]->list);
		vec_release(&f.regions.data[i]->next);
		free(f.regions.data[i]);
	}
	for (size_t i = 0; i < f.slots.size; i++)
		free(f.slots.data[i]);
	vec_release(&f.regions);
	vec_release(&f.slots);
	map_release(&f.region_of);
	map_release(&f.slot_of);
}
