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
 * from the slow copy there is no way back before the function returns.
 *
 * So that each copy may go on where the other left, values that live from one
 * region to another, phis and labels are kept in stack slots that both copies
 * use; the optimiser turns them back into registers. The invariant: whenever a
 * region is entered, in either copy, the slots of all live values hold them, and
 * in the fast copy every label slot of a live value holds zero.
 */
#include "instrument/tracer.h"

#include <string.h>

#define MAX_INSTRUCTIONS 30000 /* beyond this a function has its slow version only */

struct slot {
	LLVMValueRef value; /* the instruction or parameter kept */
	LLVMValueRef room;  /* where its value is; NULL for a parameter, which needs none */
	unsigned n;
	LLVMValueRef labels[TRACER_LEAVES]; /* where its labels are; NULL where a leaf has none */
	/* A phi is written at the end of its predecessors, while its old value may still be in use. */
	LLVMValueRef in, in_labels[TRACER_LEAVES];
};

struct region {
	LLVMBasicBlockRef slow, fast;
	LLVMBasicBlockRef landing; /* leads to slow; stays the same when slow is split */
	VEC(LLVMValueRef) list;    /* the instructions, phis first */
	VEC(struct region *) next; /* by successor number */
};

struct fast {
	struct tracer *t;
	LLVMValueRef function;
	LLVMBasicBlockRef entry; /* stack objects, prologue */
	VEC(struct region *) regions;
	VEC(struct slot *) slots;
	struct map region_of; /* block -> region + 1 */
	struct map slot_of;   /* value -> slot + 1 */
};

/* ------------------------------------------------------------ eligibility */

static int has_address(LLVMValueRef fn)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u))
			if (!LLVMIsAInstruction(LLVMGetUser(u)) && LLVMGetFirstUse(LLVMGetUser(u)))
				return 1;
	return 0;
}

static int is_odd(LLVMValueRef inst)
{
	unsigned twice = LLVMGetEnumAttributeKindForName("returns_twice", 13);

	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMIndirectBr:
	case LLVMInvoke:
	case LLVMCallBr:
	case LLVMLandingPad:
	case LLVMResume:
	case LLVMCleanupPad:
	case LLVMCatchPad:
		return 1;
	case LLVMCall: {
		LLVMValueRef f = LLVMIsAFunction(LLVMGetCalledValue(inst));
		return LLVMGetTailCallKind(inst) == LLVMTailCallKindMustTail ||
		       LLVMGetCallSiteEnumAttribute(inst, LLVMAttributeFunctionIndex, twice) ||
		       (f && LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, twice));
	}
	default:
		return LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMTokenTypeKind;
	}
}

int trace_fast_eligible(struct tracer *t, LLVMValueRef fn)
{
	unsigned n = 0;

	if (t->options->all_decisions || has_address(fn))
		return 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (is_odd(i) || ++n > MAX_INSTRUCTIONS)
				return 0;
	return 1;
}

/* --------------------------------------------------------------- regions */

/* Intrinsics that neither read nor write anything a region cares about. */
int trace_is_pure_intrinsic(LLVMValueRef call)
{
	static const char *const impure[] = {"llvm.mem", "llvm.va_", "llvm.stack", "llvm.trap", "llvm.ubsantrap",
					     "llvm.eh.", "llvm.debugtrap", "llvm.lifetime"};
	LLVMValueRef f = LLVMIsAFunction(LLVMGetCalledValue(call));
	size_t n;
	const char *name = f ? LLVMGetValueName2(f, &n) : "";

	if (strncmp(name, "llvm.", 5) != 0 || strncmp(name, "llvm.x86.", 9) == 0)
		return 0;
	for (size_t i = 0; i < sizeof impure / sizeof *impure; i++)
		if (strncmp(name, impure[i], strlen(impure[i])) == 0)
			return 0;
	return 1;
}

static int is_plain_load(LLVMValueRef inst)
{
	return LLVMIsALoadInst(inst) && !LLVMGetVolatile(inst) && LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic;
}

/* A call of something that only computes. */
static LLVMValueRef plain_callee(struct tracer *t, LLVMValueRef inst)
{
	LLVMValueRef f = LLVMIsACallInst(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;

	return f ? trace_plain_of(t, f) : NULL;
}

static int has_effect(struct tracer *t, LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMStore:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMFence:
	case LLVMAlloca:
	case LLVMVAArg:
		return 1;
	case LLVMLoad:
		return !is_plain_load(inst);
	case LLVMCall:
		return !trace_is_pure_intrinsic(inst) && !plain_callee(t, inst);
	default:
		return LLVMIsATerminatorInst(inst) != NULL;
	}
}

static void add_region(struct fast *f, LLVMBasicBlockRef b)
{
	struct region *r = mem_alloc(sizeof *r);

	memset(r, 0, sizeof *r);
	r->slow = b;
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
		vec_push(&r->list, i);
	vec_push(&f->regions, r);
	map_set(&f->region_of, (uint64_t)(uintptr_t)b, f->regions.size);
}

static void cut_block(struct fast *f, LLVMBasicBlockRef block)
{
	struct tracer *t = f->t;
	VEC(LLVMValueRef) cuts = {0};

	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
		if (has_effect(t, i) && !LLVMIsATerminatorInst(i))
			vec_push(&cuts, LLVMGetNextInstruction(i));
	for (size_t i = 0; i < cuts.size; i++) {
		LLVMBasicBlockRef head = tracer_split(t, cuts.data[i]);
		LLVMPositionBuilderAtEnd(t->b, head);
		LLVMBuildBr(t->b, block);
		add_region(f, head);
	}
	add_region(f, block);
	vec_release(&cuts);
}

/* The first instruction that is not one of the stack objects at the top. */
static LLVMValueRef after_objects(LLVMValueRef fn)
{
	LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn));

	while (LLVMIsAAllocaInst(i) && LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
		i = LLVMGetNextInstruction(i);
	return i;
}

static struct region *region_of(struct fast *f, LLVMBasicBlockRef b)
{
	uint64_t at;

	return map_get(&f->region_of, (uint64_t)(uintptr_t)b, &at) ? f->regions.data[at - 1] : NULL;
}

/* order: reachable blocks in post-order; the entry is the last. */
static void collect_regions(struct fast *f, LLVMBasicBlockRef *order, size_t count)
{
	struct tracer *t = f->t;

	f->entry = tracer_split(t, after_objects(f->function)); /* gets its end in join_entry */
	for (size_t i = count; i-- > 0;)
		cut_block(f, order[i]);
	for (size_t i = 0; i < f->regions.size; i++) {
		struct region *r = f->regions.data[i];
		LLVMValueRef last = LLVMGetBasicBlockTerminator(r->slow);
		for (unsigned k = 0; k < LLVMGetNumSuccessors(last); k++)
			vec_push(&r->next, region_of(f, LLVMGetSuccessor(last, k)));
		r->fast = LLVMAppendBasicBlockInContext(t->context, f->function, "");
		r->landing = LLVMAppendBasicBlockInContext(t->context, f->function, "");
		LLVMPositionBuilderAtEnd(t->b, r->landing);
		LLVMBuildBr(t->b, r->slow);
	}
}

/* ----------------------------------------------------------------- slots */

static struct slot *slot_of(struct fast *f, LLVMValueRef v)
{
	uint64_t at;

	return map_get(&f->slot_of, (uint64_t)(uintptr_t)v, &at) ? f->slots.data[at - 1] : NULL;
}

static LLVMValueRef room(struct fast *f, LLVMTypeRef type)
{
	return tracer_entry_alloca(f->t, type, "muster.slot");
}

static struct slot *add_slot(struct fast *f, LLVMValueRef v)
{
	struct leaf leaves[TRACER_LEAVES];
	struct slot *s = mem_alloc(sizeof *s);

	memset(s, 0, sizeof *s);
	s->value = v;
	s->n = tracer_leaves(f->t, LLVMTypeOf(v), leaves);
	for (unsigned i = 0; i < s->n; i++)
		if (leaves[i].bits && tracer_may_have(f->t, v))
			s->labels[i] = room(f, f->t->i32);
	vec_push(&f->slots, s);
	map_set(&f->slot_of, (uint64_t)(uintptr_t)v, f->slots.size);
	return s;
}

/* Is v used where its own region has ended? */
static int outlives(LLVMValueRef v, LLVMBasicBlockRef home)
{
	for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (!LLVMIsAPHINode(user)) {
			if (LLVMGetInstructionParent(user) != home)
				return 1;
			continue;
		}
		for (unsigned k = 0; k < LLVMCountIncoming(user); k++)
			if (LLVMGetIncomingValue(user, k) == v && LLVMGetIncomingBlock(user, k) != home)
				return 1;
	}
	return 0;
}

static void make_slots(struct fast *f)
{
	for (unsigned i = 0; i < LLVMCountParams(f->function); i++)
		if (LLVMGetFirstUse(LLVMGetParam(f->function, i)))
			add_slot(f, LLVMGetParam(f->function, i));
	for (size_t i = 0; i < f->regions.size; i++) {
		struct region *r = f->regions.data[i];
		for (size_t k = 0; k < r->list.size; k++) {
			LLVMValueRef v = r->list.data[k];
			int phi = LLVMIsAPHINode(v) != NULL, lives = outlives(v, r->slow);
			if (!phi && !lives)
				continue;
			struct slot *s = add_slot(f, v);
			if (lives)
				s->room = room(f, LLVMTypeOf(v));
			if (!phi)
				continue;
			s->in = room(f, LLVMTypeOf(v));
			for (unsigned n = 0; n < s->n; n++)
				if (s->labels[n])
					s->in_labels[n] = room(f, f->t->i32);
		}
	}
}

static LLVMValueRef reload(struct tracer *t, LLVMTypeRef type, LLVMValueRef from)
{
	return LLVMBuildLoad2(t->b, type, from, "");
}

static void store_labels(struct tracer *t, LLVMValueRef *to, const LLVMValueRef *labels, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (to[i])
			LLVMBuildStore(t->b, labels ? labels[i] : t->zero, to[i]);
}

/* ------------------------------------------------------ the fast copy */

/* What v is called in a fast region: its copy, or a reload at the builder. */
static LLVMValueRef fast_name(struct fast *f, struct map *names, LLVMValueRef v)
{
	uint64_t known;
	struct slot *s;

	if (map_get(names, (uint64_t)(uintptr_t)v, &known))
		return (LLVMValueRef)(uintptr_t)known;
	if (!LLVMIsAInstruction(v) || !(s = slot_of(f, v)) || !s->room)
		return v; /* a constant, a parameter, a stack object */
	LLVMValueRef l = reload(f->t, LLVMTypeOf(v), s->room);
	map_set(names, (uint64_t)(uintptr_t)v, (uint64_t)(uintptr_t)l);
	return l;
}

static LLVMValueRef incoming_from(LLVMValueRef phi, LLVMBasicBlockRef block)
{
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
		if (LLVMGetIncomingBlock(phi, i) == block)
			return LLVMGetIncomingValue(phi, i);
	return NULL;
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
			LLVMValueRef p = next->list.data[q], v = incoming_from(p, r->slow);
			if (!v)
				continue;
			vec_push(&values, fast_name(f, names, v));
			vec_push(&to, slot_of(f, p));
		}
	}
	for (size_t i = 0; i < to.size; i++) {
		LLVMBuildStore(t->b, values.data[i], to.data[i]->in);
		store_labels(t, to.data[i]->in_labels, NULL, to.data[i]->n);
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
	if (plain_callee(t, inst))
		LLVMSetOperand(copy, (unsigned)n - 1, plain_callee(t, inst));
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
		struct slot *s = slot_of(f, inst);
		if (LLVMIsAPHINode(inst)) {
			copy = reload(t, LLVMTypeOf(inst), s->in);
			map_set(&names, (uint64_t)(uintptr_t)inst, (uint64_t)(uintptr_t)copy);
		} else {
			LLVMValueRef before = LLVMGetLastInstruction(r->fast);
			if (LLVMIsATerminatorInst(inst))
				fast_phis(f, r, &names);
			copy = fast_copy(f, r, &names, inst);
			if (has_effect(t, inst) && !out->check)
				out->check = before ? LLVMGetNextInstruction(before) : LLVMGetFirstInstruction(r->fast);
		}
		if (is_plain_load(inst))
			vec_push(&out->loads, copy);
		else if (has_effect(t, inst) && !(LLVMIsABranchInst(inst) && out->effect)) {
			out->effect = copy;
			out->original = inst;
			out->result = s;
		}
		if (s && s->room) {
			LLVMBuildStore(t->b, copy, s->room);
			store_labels(t, s->labels, NULL, s->n);
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

static uint64_t ordinal_of(struct tracer *t, LLVMValueRef inst)
{
	uint64_t at = 0;

	map_get(&t->ordinals, (uint64_t)(uintptr_t)inst, &at);
	return at;
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
	t->site = (uint64_t)t->u->id << 32 | (uint32_t)(ordinal_of(t, x->original) - 1);
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

/* ------------------------------------------------------ the slow copy */

/* At the start of a slow region: names and labels of everything it uses that
 * comes from elsewhere. */
static void slow_names(struct fast *f, struct region *r, struct map *names)
{
	struct tracer *t = f->t;

	for (size_t i = 0; i < r->list.size; i++) {
		LLVMValueRef inst = r->list.data[i];
		int n = LLVMGetNumOperands(inst);
		if (LLVMIsAPHINode(inst))
			continue;
		for (int k = 0; k < n; k++) {
			LLVMValueRef v = LLVMGetOperand(inst, (unsigned)k), labels[TRACER_LEAVES], name = v;
			struct slot *s = LLVMValueIsBasicBlock(v) ? NULL : slot_of(f, v);
			uint64_t known;
			if (!s || (LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == r->slow && !LLVMIsAPHINode(v)))
				continue;
			if (LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == r->slow)
				continue; /* named by slow_phis */
			if (!map_get(names, (uint64_t)(uintptr_t)v, &known)) {
				if (s->room)
					name = reload(t, LLVMTypeOf(v), s->room);
				for (unsigned j = 0; j < s->n; j++)
					labels[j] = s->labels[j] ? reload(t, t->i32, s->labels[j]) : t->zero;
				tracer_set(t, name, labels, s->n);
				known = (uint64_t)(uintptr_t)name;
				map_set(names, (uint64_t)(uintptr_t)v, known);
			}
			LLVMSetOperand(inst, (unsigned)k, (LLVMValueRef)(uintptr_t)known);
		}
	}
}

/* A phi becomes a reload of what the predecessor left. */
static void slow_phis(struct fast *f, struct region *r, struct map *names)
{
	struct tracer *t = f->t;

	for (size_t i = 0; i < r->list.size && LLVMIsAPHINode(r->list.data[i]); i++) {
		LLVMValueRef p = r->list.data[i], labels[TRACER_LEAVES];
		struct slot *s = slot_of(f, p);
		LLVMValueRef v = reload(t, LLVMTypeOf(p), s->in);
		for (unsigned j = 0; j < s->n; j++)
			labels[j] = s->in_labels[j] ? reload(t, t->i32, s->in_labels[j]) : t->zero;
		tracer_set(t, v, labels, s->n);
		if (s->room) {
			LLVMBuildStore(t->b, v, s->room);
			store_labels(t, s->labels, labels, s->n);
		}
		map_set(names, (uint64_t)(uintptr_t)p, (uint64_t)(uintptr_t)v);
	}
}

static void rename_phis(struct region *r, struct map *names)
{
	uint64_t v;

	for (size_t i = 0; i < r->list.size; i++) {
		LLVMValueRef inst = r->list.data[i];
		if (LLVMIsAPHINode(inst))
			continue;
		for (int k = 0; k < LLVMGetNumOperands(inst); k++) {
			LLVMValueRef op = LLVMGetOperand(inst, (unsigned)k);
			if (LLVMIsAPHINode(op) && map_get(names, (uint64_t)(uintptr_t)op, &v))
				LLVMSetOperand(inst, (unsigned)k, (LLVMValueRef)(uintptr_t)v);
		}
	}
}

/* An incoming value of a successor's phi, with its labels, at the end of r. */
struct incoming {
	LLVMValueRef value, labels[TRACER_LEAVES];
	struct slot *to;
};

static void slow_incoming(struct fast *f, struct region *r, struct map *names, LLVMValueRef v, struct incoming *in)
{
	struct tracer *t = f->t;
	struct slot *s = slot_of(f, v);
	uint64_t known;

	in->value = v;
	if (map_get(names, (uint64_t)(uintptr_t)v, &known)) {
		in->value = (LLVMValueRef)(uintptr_t)known;
		tracer_get(t, in->value, in->labels, in->to->n);
		return;
	}
	if (s && !(LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == r->slow)) {
		if (s->room)
			in->value = reload(t, LLVMTypeOf(v), s->room);
		for (unsigned j = 0; j < s->n; j++)
			in->labels[j] = s->labels[j] ? reload(t, t->i32, s->labels[j]) : t->zero;
		return;
	}
	tracer_get(t, v, in->labels, in->to->n);
}

static void slow_successors(struct fast *f, struct region *r, struct map *names)
{
	struct tracer *t = f->t;
	VEC(struct incoming) all = {0};

	for (size_t k = 0; k < r->next.size; k++) {
		struct region *to = r->next.data[k];
		for (size_t q = 0; q < to->list.size && LLVMIsAPHINode(to->list.data[q]); q++) {
			LLVMValueRef p = to->list.data[q], v = incoming_from(p, r->slow);
			struct incoming in = {.to = slot_of(f, p)};
			if (!v)
				continue;
			slow_incoming(f, r, names, v, &in);
			vec_push(&all, in);
		}
	}
	for (size_t i = 0; i < all.size; i++) {
		LLVMBuildStore(t->b, all.data[i].value, all.data[i].to->in);
		store_labels(t, all.data[i].to->in_labels, all.data[i].labels, all.data[i].to->n);
	}
	vec_release(&all);
}

static void make_slow(struct fast *f, struct region *r)
{
	struct tracer *t = f->t;
	struct map names = {0};
	LLVMValueRef last = LLVMGetBasicBlockTerminator(r->slow), first = NULL;

	for (size_t i = 0; i < r->list.size && !first; i++)
		if (!LLVMIsAPHINode(r->list.data[i]))
			first = r->list.data[i];
	tracer_before(t, first);
	slow_phis(f, r, &names);
	rename_phis(r, &names);
	slow_names(f, r, &names);
	for (size_t i = 0; i < r->list.size; i++) {
		LLVMValueRef inst = r->list.data[i], labels[TRACER_LEAVES];
		uint64_t ordinal = ordinal_of(t, inst);
		struct slot *s = slot_of(f, inst);
		if (LLVMIsAPHINode(inst))
			continue;
		if (inst == last) {
			tracer_before(t, inst);
			slow_successors(f, r, &names);
		}
		tracer_before(t, inst);
		if (ordinal)
			trace_instruction(t, inst, (uint32_t)(ordinal - 1));
		if (s && s->room) { /* the builder stands where the labels were made */
			tracer_get(t, inst, labels, s->n);
			store_labels(t, s->labels, labels, s->n);
			tracer_after(t, inst);
			LLVMBuildStore(t->b, inst, s->room);
		}
	}
	map_release(&names);
}

/* The phis are all reloads now; what is left of them goes. */
static void drop_phis(struct fast *f)
{
	for (size_t i = 0; i < f->regions.size; i++) {
		struct region *r = f->regions.data[i];
		for (size_t k = 0; k < r->list.size; k++)
			if (LLVMIsAPHINode(r->list.data[k]))
				LLVMReplaceAllUsesWith(r->list.data[k], LLVMGetUndef(LLVMTypeOf(r->list.data[k])));
	}
	for (size_t i = 0; i < f->regions.size; i++) {
		struct region *r = f->regions.data[i];
		for (size_t k = 0; k < r->list.size; k++)
			if (LLVMIsAPHINode(r->list.data[k])) {
				map_set(&f->t->ordinals, (uint64_t)(uintptr_t)r->list.data[k], 0);
				LLVMInstructionEraseFromParent(r->list.data[k]);
			}
	}
}

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
		struct slot *s = slot_of(f, LLVMGetParam(f->function, i));
		if (s)
			store_labels(t, s->labels, NULL, s->n);
	}
	LLVMBuildCondBr(t->b, own, stub, first->fast);
	LLVMPositionBuilderAtEnd(t->b, stub);
	for (unsigned i = 0; i < LLVMCountParams(f->function); i++) {
		LLVMValueRef p = LLVMGetParam(f->function, i), labels[TRACER_LEAVES];
		struct slot *s = slot_of(f, p);
		if (!s)
			continue;
		trace_parameter(t, i, labels);
		store_labels(t, s->labels, labels, s->n);
	}
	LLVMBuildBr(t->b, first->landing);
}

void trace_fast_function(struct tracer *t, LLVMValueRef fn, LLVMBasicBlockRef *order, size_t count)
{
	struct fast f = {.t = t, .function = fn};

	collect_regions(&f, order, count);
	make_slots(&f);
	for (LLVMValueRef i = LLVMGetFirstInstruction(f.entry), next; i; i = next) {
		uint64_t ordinal = ordinal_of(t, i);
		next = LLVMGetNextInstruction(i);
		if (!ordinal)
			continue;
		/* The entry block has no end yet, so the builder is put behind the objects by hand. */
		LLVMPositionBuilderAtEnd(t->b, f.entry);
		t->site = (uint64_t)t->u->id << 32 | (uint32_t)(ordinal - 1);
		trace_stack_object(t, i, 1);
	}
	LLVMPositionBuilderAtEnd(t->b, f.entry);
	trace_prologue(t, 1);
	join_entry(&f, f.regions.data[0]);
	make_fast(&f);
	for (size_t i = 0; i < f.regions.size; i++)
		make_slow(&f, f.regions.data[i]);
	drop_phis(&f);
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
