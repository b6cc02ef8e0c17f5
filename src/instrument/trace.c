/* trace.c: the pass that makes the trace variant.
 *
 * Most functions become two in one (trace_fast.c). The others, here: blocks in reverse post-order so that a definition comes
 * before its uses. Every phi gets a phi of labels first; their operands are put
 * in when the whole function is done. Each instruction is handed to the file for
 * its family, which inserts calls of hooks (runtime/hooks.h) and helpers around it
 * and never changes what the program computes.
 */
#include "instrument/tracer.h"

#include "instrument/fold.h"
#include "instrument/missing.h"
#include "muster/drive.h"

#include <llvm-c/Analysis.h>
#include <string.h>

/* ------------------------------------------------------ reverse post-order */

typedef VEC(LLVMBasicBlockRef) blocks;

struct frame {
	LLVMBasicBlockRef block;
	unsigned next;
};

static void post_order(LLVMValueRef fn, blocks *out)
{
	struct map seen = {0};
	VEC(struct frame) stack = {0};
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn);

	map_set(&seen, (uint64_t)(uintptr_t)entry, 1);
	vec_push(&stack, (struct frame){entry, 0});
	while (stack.size) {
		struct frame *f = &vec_last(&stack);
		LLVMValueRef last = LLVMGetBasicBlockTerminator(f->block);
		if (f->next < LLVMGetNumSuccessors(last)) {
			LLVMBasicBlockRef s = LLVMGetSuccessor(last, f->next++);
			if (map_set(&seen, (uint64_t)(uintptr_t)s, 1))
				vec_push(&stack, (struct frame){s, 0});
			continue;
		}
		vec_push(out, f->block);
		stack.size--;
	}
	vec_release(&stack);
	map_release(&seen);
}

/* ------------------------------------------------------------------- phis */

struct phi {
	LLVMValueRef phi;
	unsigned n;
	LLVMValueRef labels[TRACER_LEAVES];
};

typedef VEC(struct phi *) phis;

static void begin_phi(struct tracer *t, LLVMValueRef inst, phis *all)
{
	struct leaf leaves[TRACER_LEAVES];
	unsigned n = tracer_leaves(t, LLVMTypeOf(inst), leaves);
	int any = 0;

	if (n == 0 || !tracer_may_have(t, inst))
		return;
	struct phi *p = mem_alloc(sizeof *p);
	p->phi = inst;
	p->n = n;
	tracer_before(t, inst);
	for (unsigned i = 0; i < n; i++) {
		p->labels[i] = leaves[i].bits ? LLVMBuildPhi(t->b, t->i32, "") : t->zero;
		any |= leaves[i].bits != 0;
	}
	if (!any) {
		free(p);
		return;
	}
	if (!trace_cut_slot(t, inst)) /* else it is written behind all phis */
		tracer_set(t, inst, p->labels, n);
	vec_push(all, p);
}

static void end_phi(struct tracer *t, struct phi *p)
{
	unsigned count = LLVMCountIncoming(p->phi);

	for (unsigned k = 0; k < count; k++) {
		LLVMBasicBlockRef from = LLVMGetIncomingBlock(p->phi, k);
		LLVMValueRef labels[TRACER_LEAVES];
		tracer_before(t, LLVMGetBasicBlockTerminator(from));
		tracer_get(t, LLVMGetIncomingValue(p->phi, k), labels, p->n);
		for (unsigned i = 0; i < p->n; i++)
			if (p->labels[i] != t->zero)
				LLVMAddIncoming(p->labels[i], &labels[i], &from, 1);
	}
}

/* ----------------------------------------------------------- instructions */

static void trace_condition(struct tracer *t, LLVMValueRef c)
{
	struct comparison *d = &t->decided;
	if (d->inst != c) {
		tracer_decision(t, tracer_get1(t, c), c);
		return;
	}
	LLVMValueRef opw = tracer_w(t, d->opw), va = tracer_word(t, d->va), vb = tracer_word(t, d->vb);
	if (d->lb == t->zero)
		tracer_call(t, "__muster_decide_left", "vwwqqs", opw, d->la, va, vb);
	else if (d->la == t->zero)
		tracer_call(t, "__muster_decide_right", "vwwqqs", opw, d->lb, va, vb);
	else
		tracer_call(t, "__muster_decide", "vwwwqqs", opw, d->la, d->lb, va, vb);
	d->inst = NULL;
}

static void trace_switch(struct tracer *t, LLVMValueRef inst)
{
	LLVMValueRef v = LLVMGetOperand(inst, 0), label = tracer_get1(t, v);
	int all = t->options->all_decisions;

	if (map_get(&t->jumps, (uint64_t)(uintptr_t)inst, NULL)) {
		/* v is the address as a number; the label is the address's. */
		tracer_concrete(t, tracer_get1(t, LLVMGetOperand(v, 0)), MUSTER_REASON_TARGET);
		return;
	}
	if (label == t->zero && !all)
		return;
	LLVMValueRef word = LLVMBuildIntCast2(t->b, v, t->i64, 0, "");
	tracer_call(t, all ? "__muster_switch_all" : "__muster_switch", "vwqs", label, word);
}

void trace_instruction(struct tracer *t, LLVMValueRef inst, uint32_t ordinal)
{
	t->site = (uint64_t)t->u->id << 32 | ordinal;
	tracer_before(t, inst);
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMBr:
		if (LLVMIsConditional(inst))
			trace_condition(t, LLVMGetCondition(inst));
		break;
	case LLVMSwitch:
		trace_switch(t, inst);
		break;
	case LLVMIndirectBr:
		tracer_concrete(t, tracer_get1(t, LLVMGetOperand(inst, 0)), MUSTER_REASON_TARGET);
		break;
	case LLVMRet:
		trace_return(t, inst);
		break;
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		if (fold_condition(inst))
			trace_condition(t, fold_condition(inst));
		else if (trace_is_entry(inst))
			trace_entry(t, inst);
		else if (trace_is_cut(inst))
			trace_cut(t, inst);
		else {
			trace_members(t, inst);
			trace_call(t, inst);
		}
		break;
	case LLVMLoad:
	case LLVMStore:
	case LLVMAlloca:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		trace_memory(t, inst);
		break;
	case LLVMGetElementPtr:
		trace_address(t, inst);
		break;
	default:
		trace_operation(t, inst);
		break;
	}
}

/* -------------------------------------------------------------- functions */

static int has_dynamic_stack(LLVMValueRef fn)
{
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn);

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (LLVMIsAAllocaInst(i) && (b != entry || !LLVMIsAConstantInt(LLVMGetOperand(i, 0))))
				return 1;
	return 0;
}

/* Labels of phis that cuts may change, from number `first` on. */
static void store_phis(struct tracer *t, const phis *all, size_t first, LLVMValueRef behind)
{
	tracer_before(t, behind);
	for (size_t i = first; i < all->size; i++) {
		LLVMValueRef slot = trace_cut_slot(t, all->data[i]->phi);
		if (slot)
			LLVMBuildStore(t->b, all->data[i]->labels[0], slot);
	}
}

/* What it will have is said when it is made; until then it has no label, whatever it had the last time. */
static void clear_slot(struct tracer *t, LLVMValueRef inst)
{
	LLVMValueRef slot = trace_cut_slot(t, inst);

	if (!slot)
		return;
	tracer_before(t, inst);
	LLVMBuildStore(t->b, t->zero, slot);
}

static void trace_block(struct tracer *t, LLVMBasicBlockRef block, phis *all)
{
	VEC(LLVMValueRef) list = {0};
	size_t first = all->size, k = 0;

	/* A snapshot: what we insert is not visited. */
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
		vec_push(&list, i);
	for (size_t i = 0; i < list.size; i++)
		if (LLVMIsAPHINode(list.data[i]))
			begin_phi(t, list.data[i], all);
	while (LLVMIsAPHINode(list.data[k]))
		k++;
	store_phis(t, all, first, list.data[k]);
	for (size_t i = 0; i < list.size; i++) {
		uint64_t ordinal;
		if (!LLVMIsAPHINode(list.data[i]))
			clear_slot(t, list.data[i]);
		if (!LLVMIsAPHINode(list.data[i]) && map_get(&t->ordinals, (uint64_t)(uintptr_t)list.data[i], &ordinal) && ordinal)
			trace_instruction(t, list.data[i], (uint32_t)(ordinal - 1));
	}
	vec_release(&list);
}

static void trace_function(struct tracer *t, LLVMValueRef fn)
{
	blocks order = {0};
	phis all = {0};

	t->function = fn;
	t->decided.inst = NULL;
	t->token = NULL;
	t->small = t->options->small && !t->driven && !instrument_wants_fast(t->options, fn);
	t->own = t->labelled = t->va_save = t->values_out = t->labels_out = NULL;
	t->dynamic_stack = has_dynamic_stack(fn);
	vec_clear(&t->objects);
	vec_clear(&t->pool);
	map_clear(&t->labels);
	trace_expand_jumps(t, fn);
	post_order(fn, &order);
	t->cut_flags = trace_cut_slots(t, fn);
	trace_find_labelled(t, fn);
	trace_find_members(t, fn);
	if (trace_fast_eligible(t, fn)) {
		trace_fast_function(t, fn, order.data, order.size);
		vec_release(&order);
		return;
	}
	trace_prologue(t, 0);
	trace_enter(t);
	for (size_t i = order.size; i-- > 0;)
		trace_block(t, order.data[i], &all);
	for (size_t i = 0; i < all.size; i++) {
		end_phi(t, all.data[i]);
		free(all.data[i]);
	}
	trace_set_values(t);
	vec_release(&all);
	vec_release(&order);
}

/* Resolvers run before there is a shadow; naked functions have no frame of ours; a placeholder does nothing but say what it is. */
static int is_left_alone(struct unit *u, LLVMValueRef fn)
{
	unsigned naked = LLVMGetEnumAttributeKindForName("naked", 5);

	if (LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, naked) || missing_is(fn))
		return 1;
	for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(u->module); i; i = LLVMGetNextGlobalIFunc(i))
		if (LLVMGetGlobalIFuncResolver(i) == fn)
			return 1;
	return 0;
}

static int has_drive_table(LLVMModuleRef m)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g)) {
		const char *section = LLVMGetSection(g);

		if (section && !strcmp(section, DRIVE_SECTION))
			return 1;
	}
	return 0;
}

static void tracer_init(struct tracer *t, struct unit *u, const struct instrument_options *options)
{
	memset(t, 0, sizeof *t);
	t->u = u;
	t->options = options;
	t->module = u->module;
	t->context = u->context;
	t->b = LLVMCreateBuilderInContext(u->context);
	t->layout = LLVMGetModuleDataLayout(u->module);
	t->i1 = LLVMInt1TypeInContext(u->context);
	t->i8 = LLVMInt8TypeInContext(u->context);
	t->i32 = LLVMInt32TypeInContext(u->context);
	t->i64 = LLVMInt64TypeInContext(u->context);
	t->i128 = LLVMInt128TypeInContext(u->context);
	t->ptr = LLVMPointerTypeInContext(u->context, 0);
	t->nothing = LLVMVoidTypeInContext(u->context);
	t->zero = LLVMConstInt(t->i32, 0, 0);
	t->driven = has_drive_table(u->module);
	for (uint32_t i = 0; i < u->count; i++)
		if (u->instructions[i])
			map_set(&t->ordinals, (uint64_t)(uintptr_t)u->instructions[i], (uint64_t)i + 1);
}

static void tracer_release(struct tracer *t)
{
	LLVMDisposeBuilder(t->b);
	map_release(&t->ordinals);
	map_release(&t->labels);
	map_release(&t->plain);
	map_release(&t->jumps);
	map_release(&t->slots);
	map_release(&t->may);
	map_release(&t->rooms);
	vec_release(&t->pool);
	vec_release(&t->objects);
	vec_release(&t->settable);
}

/* ------------------------------------------------------------ system calls */

static int calls_system(LLVMValueRef inst)
{
	static const char *const words[] = {"syscall", "sysenter", "int $$0x80", "int $$128"};
	LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
	size_t n;

	if (!callee || !LLVMIsAInlineAsm(callee))
		return 0;
	const char *text = LLVMGetInlineAsmAsmString(callee, &n);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (memmem(text, n, words[i], strlen(words[i])))
			return 1;
	return 0;
}

/* Of the drivers (runtime/kernel.h). */
static int is_own(const char *name)
{
	return !strncmp(name, "__muster_", 9);
}

/* What a system call in inline assembly reads or writes no label follows: in every copy of a function it is said before. */
static void tell_system_calls(struct tracer *t)
{
	size_t n;

	for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = is_own(LLVMGetValueName2(f, &n)) ? NULL : LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				if (calls_system(i)) {
					tracer_before(t, i);
					tracer_call(t, "__muster_lost", "vw", tracer_w(t, MUSTER_LOST_SYSCALL));
				}
}

int trace_instrument(struct unit *u, const struct instrument_options *options)
{
	struct tracer t;
	VEC(LLVMValueRef) functions = {0};

	tracer_init(&t, u, options);
	for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) && !is_left_alone(u, f))
			vec_push(&functions, f);
	if (!options->all_decisions && !options->calls && (!options->slow_only || options->fast) && !t.driven)
		trace_make_plain(&t);
	trace_put_entries(&t, options->entries);
	trace_find_cuts(&t);
	trace_globals(&t);
	trace_marks(u);
	for (size_t i = 0; i < functions.size; i++)
		trace_function(&t, functions.data[i]);
	trace_forget_entries(&t);
	trace_forget_cuts(&t);
	tell_system_calls(&t);
	vec_release(&functions);
	tracer_release(&t);
	return 0;
}
