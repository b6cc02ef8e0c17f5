/* cov.c: the passes of the cov and the path variant.
 *
 * path puts a call of the runtime in front of each decision and changes nothing else. The
 * outcome is computed from the same operand that the decision uses: the condition
 * itself, or, for a switch, the result of a small function with a switch over the
 * same cases that returns their numbers (inlined later), so no block is split.
 *
 * cov: a unit has one array of 8-bit counters, one for each outcome, in the order
 * of the site table's decisions; a counter stops at 255, so that it never comes
 * back to "not seen". It is raised on the edge that the decision took, in a block of its own, by two instructions; for a select, which has
 * no edges, in front of it. On cmark this is 8.3 million instructions where a counter chosen by the condition took 14.0 (native code 6.1,
 * AFL++ 9.4). Functions reach the array through a pointer that they load
 * on entry. It points to an array of the unit's own until a constructor, first of
 * all, hands it to the runtime, which may point it into the shared mapping.
 *
 * Checks for undefined behaviour that the compiler made are no branches of the program's and have
 * no counters.
 *
 * path: the call has the site and the outcome.
 *
 * Naked functions and resolvers of ifuncs (they run before the runtime can) are
 * left alone.
 */
#include "base/error.h"
#include "base/map.h"
#include "base/vec.h"
#include "instrument/emit.h"
#include "instrument/fold.h"
#include "instrument/pass.h"
#include "muster/abi.h"

#include <string.h>

struct pass {
	struct unit *u;
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMTypeRef i8, i32, i64, pointer, nothing;
	LLVMValueRef function; /* that is being worked on */
	int skip;	       /* it is left alone */
	uint32_t outcomes;     /* of all decisions so far */
	int path;
	/* cov */
	LLVMValueRef cursor; /* the unit's pointer to its counters */
	LLVMValueRef base;   /* its value in this function */
	struct map phis; /* to their ordinals */
	LLVMTypeRef raise_type;
	LLVMValueRef raise; /* a counter, in two instructions */
	LLVMAttributeRef element;
	/* path */
	LLVMValueRef hook;
	LLVMTypeRef hook_type;
};

static int is_resolver(struct pass *p, LLVMValueRef function)
{
	for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(p->module); i; i = LLVMGetNextGlobalIFunc(i))
		if (LLVMGetGlobalIFuncResolver(i) == function)
			return 1;
	return 0;
}

static int has_attribute(LLVMValueRef function, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind) != NULL;
}

/* The builder stands at the first place of the function where code can be. */
static void begin_function(struct pass *p, LLVMValueRef function)
{
	LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));

	p->function = function;
	p->base = NULL;
	p->skip = has_attribute(function, "naked") || is_resolver(p, function);
	if (p->skip || p->path)
		return;
	while (LLVMIsAAllocaInst(first))
		first = LLVMGetNextInstruction(first);
	LLVMPositionBuilderBefore(p->builder, first);
	p->base = LLVMBuildLoad2(p->builder, p->pointer, p->cursor, "");
}

/* A function from the value switched on to the number of the outcome. */
static LLVMValueRef make_case_number(struct pass *p, LLVMValueRef inst, uint32_t outcomes)
{
	LLVMTypeRef value_type = LLVMTypeOf(LLVMGetOperand(inst, 0));
	LLVMTypeRef type = LLVMFunctionType(p->i32, &value_type, 1, 0);
	LLVMValueRef f = LLVMAddFunction(p->module, "__muster_case_number", type), sw;
	LLVMBuilderRef b = LLVMCreateBuilderInContext(p->u->context);
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(p->u->context, f, "");
	LLVMBasicBlockRef other = LLVMAppendBasicBlockInContext(p->u->context, f, "");

	LLVMSetLinkage(f, LLVMInternalLinkage);
	LLVMPositionBuilderAtEnd(b, other);
	LLVMBuildRet(b, LLVMConstInt(p->i32, 0, 0));
	LLVMPositionBuilderAtEnd(b, entry);
	sw = LLVMBuildSwitch(b, LLVMGetParam(f, 0), other, outcomes - 1);
	for (uint32_t i = 1; i < outcomes; i++) {
		LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(p->u->context, f, "");

		LLVMAddCase(sw, LLVMGetOperand(inst, 2 * i), block);
		LLVMPositionBuilderAtEnd(b, block);
		LLVMBuildRet(b, LLVMConstInt(p->i32, i, 0));
	}
	LLVMDisposeBuilder(b);
	return f;
}

static LLVMValueRef outcome_of(struct pass *p, LLVMValueRef inst, uint32_t outcomes)
{
	LLVMValueRef value, f;

	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMBr:
		value = LLVMGetCondition(inst);
		break;
	case LLVMSelect:
	case LLVMCall: /* a check that goes on */
		value = LLVMGetOperand(inst, 0);
		break;
	default:
		value = LLVMGetOperand(inst, 0);
		f = make_case_number(p, inst, outcomes);
		return LLVMBuildCall2(p->builder, LLVMGlobalGetValueType(f), f, &value, 1, "");
	}
	return LLVMBuildZExt(p->builder, value, p->i32, "");
}

struct edge {
	LLVMBasicBlockRef to, on; /* where it led; the block that stands on it now */
};

static int has_incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
		if (LLVMGetIncomingBlock(phi, i) == from)
			return 1;
	return 0;
}

/* Raises the counter of an outcome, which may be a constant. */
static void count(struct pass *p, LLVMValueRef outcome)
{
	LLVMBuilderRef b = p->builder;
	LLVMValueRef at = LLVMBuildAdd(b, LLVMBuildZExt(b, outcome, p->i64, ""),
				       LLVMConstInt(p->i64, p->outcomes, 0), "");
	LLVMValueRef place = LLVMBuildGEP2(b, p->i8, p->base, &at, 1, "");
	LLVMValueRef arguments[] = {place, place}, call;

	call = LLVMBuildCall2(b, p->raise_type, p->raise, arguments, 2, "");
	for (unsigned i = 1; i <= 2; i++)
		LLVMAddCallSiteAttribute(call, i, p->element);
}

/* The phi of `to` with the new blocks as predecessors in the place of `from`, for the edges of a decision that lead there. */
static void move_phi(struct pass *p, LLVMValueRef phi, LLVMBasicBlockRef from, LLVMBasicBlockRef to, const struct edge *edges, uint32_t count)
{
	LLVMValueRef new, value = NULL;
	uint64_t ordinal;

	LLVMPositionBuilderBefore(p->builder, phi);
	new = LLVMBuildPhi(p->builder, LLVMTypeOf(phi), "");
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
		LLVMValueRef incoming = LLVMGetIncomingValue(phi, i);

		if (block == from)
			value = incoming; /* the same for all edges from there */
		else
			LLVMAddIncoming(new, &incoming, &block, 1);
	}
	for (uint32_t i = 0; i < count; i++)
		if (edges[i].to == to) {
			LLVMBasicBlockRef block = edges[i].on;

			LLVMAddIncoming(new, &value, &block, 1);
		}
	LLVMReplaceAllUsesWith(phi, new);
	if (map_get(&p->phis, (uintptr_t)phi, &ordinal)) {
		p->u->instructions[ordinal] = new;
		map_set(&p->phis, (uintptr_t)new, ordinal);
	}
	LLVMInstructionEraseFromParent(phi);
}

/* A counter on each edge of a branch or switch: what was decided is known there, and nothing need be computed. */
static void count_edges(struct pass *p, LLVMValueRef inst, uint32_t outcomes)
{
	LLVMBasicBlockRef from = LLVMGetInstructionParent(inst);
	VEC(struct edge) edges = {0};

	for (uint32_t i = 0; i < outcomes; i++) {
		/* Successor 0 of a branch is that of outcome 1. */
		unsigned successor = LLVMGetInstructionOpcode(inst) == LLVMBr ? 1 - i : i;
		struct edge e = {LLVMGetSuccessor(inst, successor), LLVMInsertBasicBlockInContext(p->u->context, LLVMGetSuccessor(inst, successor), "")};

		LLVMPositionBuilderAtEnd(p->builder, e.on);
		count(p, LLVMConstInt(p->i32, i, 0));
		LLVMBuildBr(p->builder, e.to);
		LLVMSetSuccessor(inst, successor, e.on);
		vec_push(&edges, e);
	}
	for (uint32_t i = 0; i < outcomes; i++) {
		LLVMBasicBlockRef to = edges.data[i].to;
		LLVMValueRef phi = LLVMGetFirstInstruction(to), next;

		for (; phi && LLVMIsAPHINode(phi); phi = next) {
			next = LLVMGetNextInstruction(phi);
			if (has_incoming(phi, from))
				move_phi(p, phi, from, to, edges.data, outcomes);
		}
	}
	vec_release(&edges);
}

static void report(struct pass *p, LLVMValueRef inst, uint32_t ordinal, LLVMValueRef outcome)
{
	int is_switch = LLVMGetInstructionOpcode(inst) == LLVMSwitch;
	LLVMValueRef arguments[] = {
	    LLVMConstInt(p->i64, (uint64_t)p->u->id << 32 | ordinal, 0),
	    outcome,
	    LLVMConstInt(p->i32, is_switch ? MUSTER_EV_SWITCH : MUSTER_EV_BRANCH, 0),
	};

	LLVMBuildCall2(p->builder, p->hook_type, p->hook, arguments, 3, "");
}

static void visit(void *ctx, LLVMValueRef inst, uint32_t ordinal)
{
	struct pass *p = ctx;
	uint32_t outcomes = !p->path ? unit_counted(inst) : fold_condition(inst) ? 2 : unit_outcomes(inst);
	LLVMValueRef function, outcome;

	if (!outcomes)
		return;
	function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
	if (function != p->function)
		begin_function(p, function);
	if (!p->skip) {
		LLVMPositionBuilderBefore(p->builder, inst);
		if (!p->path && LLVMIsATerminatorInst(inst)) {
			count_edges(p, inst, outcomes);
		} else {
			outcome = outcome_of(p, inst, outcomes);
			if (p->path)
				report(p, inst, ordinal, outcome);
			else
				count(p, outcome);
		}
	}
	p->outcomes += outcomes;
}

static void pass_init(struct pass *p, struct unit *u, int path)
{
	memset(p, 0, sizeof *p);
	p->u = u;
	p->module = u->module;
	p->path = path;
	p->builder = LLVMCreateBuilderInContext(u->context);
	p->i8 = LLVMInt8TypeInContext(u->context);
	p->i32 = LLVMInt32TypeInContext(u->context);
	p->i64 = LLVMInt64TypeInContext(u->context);
	p->pointer = LLVMPointerTypeInContext(u->context, 0);
	p->nothing = LLVMVoidTypeInContext(u->context);
}

static LLVMValueRef internal_global(struct pass *p, LLVMTypeRef type, const char *name)
{
	LLVMValueRef g = LLVMAddGlobal(p->module, type, name);

	LLVMSetLinkage(g, LLVMInternalLinkage);
	return g;
}

/* void __muster_cov_unit(u32 unit, u32 counters, u8 *own, u8 **pointer) in a constructor. */
static void register_counters(struct pass *p, LLVMValueRef own)
{
	LLVMTypeRef types[] = {p->i32, p->i32, p->pointer, p->pointer};
	LLVMTypeRef type = LLVMFunctionType(p->nothing, types, 4, 0);
	LLVMValueRef arguments[] = {LLVMConstInt(p->i32, p->u->id, 0),
				    LLVMConstInt(p->i32, p->outcomes, 0), own, p->cursor};
	LLVMTypeRef starter_type = LLVMFunctionType(p->nothing, NULL, 0, 0);
	LLVMValueRef hook = LLVMAddFunction(p->module, "__muster_cov_unit", type);
	LLVMValueRef starter = LLVMAddFunction(p->module, "__muster_cov_start", starter_type);

	LLVMSetLinkage(starter, LLVMInternalLinkage);
	LLVMPositionBuilderAtEnd(p->builder,
				 LLVMAppendBasicBlockInContext(p->u->context, starter, ""));
	LLVMBuildCall2(p->builder, type, hook, arguments, 4, "");
	LLVMBuildRetVoid(p->builder);
	emit_constructor(p->module, starter);
}

/* The comparison's carry is what is added: 1 below 255. A counter is raised where it stands: kept in a register for the length of a loop, as the
 * optimiser likes, it would be lost with a run that ends there. */
static void make_raise(struct pass *p)
{
	static const char code[] = "cmpb $$-1, $0\n\tadcb $$0, $0", operands[] = "=*m,*m,~{dirflag},~{fpsr},~{flags}";
	LLVMTypeRef types[] = {p->pointer, p->pointer};

	p->raise_type = LLVMFunctionType(p->nothing, types, 2, 0);
	p->raise = LLVMGetInlineAsm(p->raise_type, code, sizeof code - 1, operands, sizeof operands - 1, 1, 0, LLVMInlineAsmDialectATT, 0);
	p->element = LLVMCreateTypeAttribute(p->u->context, LLVMGetEnumAttributeKindForName("elementtype", 11), p->i8);
}

int cov_instrument(struct unit *u, const struct instrument_options *options)
{
	struct pass p;
	uint64_t total = 0;
	LLVMValueRef own;
	LLVMTypeRef array;

	(void)options;
	for (uint32_t i = 0; i < u->count; i++)
		total += u->instructions[i] ? unit_counted(u->instructions[i]) : 0;
	if (total >= UINT32_MAX)
		return error_set("the unit has more outcomes than can be counted");
	if (!total)
		return 0;
	pass_init(&p, u, 0);
	array = LLVMArrayType2(p.i8, total);
	own = internal_global(&p, array, "__muster_cov_own");
	LLVMSetInitializer(own, LLVMConstNull(array));
	p.cursor = internal_global(&p, p.pointer, "__muster_cov_at");
	LLVMSetInitializer(p.cursor, own);
	make_raise(&p);
	for (uint32_t i = 0; i < u->count; i++)
		if (u->instructions[i] && LLVMIsAPHINode(u->instructions[i]))
			map_set(&p.phis, (uintptr_t)u->instructions[i], i);
	unit_walk(u, visit, &p);
	register_counters(&p, own);
	map_release(&p.phis);
	LLVMDisposeBuilder(p.builder);
	return 0;
}

int path_instrument(struct unit *u, const struct instrument_options *options)
{
	struct pass p;

	(void)options;
	pass_init(&p, u, 1);
	p.hook_type = LLVMFunctionType(p.nothing, (LLVMTypeRef[]){p.i64, p.i32, p.i32}, 3, 0);
	p.hook = LLVMGetNamedFunction(p.module, "__muster_path");
	if (!p.hook)
		p.hook = LLVMAddFunction(p.module, "__muster_path", p.hook_type);
	unit_walk(u, visit, &p);
	LLVMDisposeBuilder(p.builder);
	return 0;
}
