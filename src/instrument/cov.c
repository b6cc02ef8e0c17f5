/* cov.c: the passes of the cov and the path variant.
 *
 * Both put something in front of each decision and change nothing else. The
 * outcome is computed from the same operand that the decision uses: the condition
 * itself, or, for a switch, the result of a small function with a switch over the
 * same cases that returns their numbers (inlined later), so no block is split.
 *
 * cov: a unit has one array of 8-bit counters, one for each outcome, in the order
 * of the site table's decisions; a counter stops at 255, so that it never comes
 * back to "not seen". Functions reach the array through a pointer that they load
 * on entry. It points to an array of the unit's own until a constructor, first of
 * all, hands it to the runtime, which may point it into the shared mapping.
 *
 * Checks for undefined behaviour that the compiler made are no branches of the program's and have
 * no counters.
 *
 * path: a call of the runtime with the site and the outcome.
 *
 * Naked functions and resolvers of ifuncs (they run before the runtime can) are
 * left alone.
 */
#include "base/error.h"
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

static void count(struct pass *p, LLVMValueRef outcome)
{
	LLVMBuilderRef b = p->builder;
	LLVMValueRef at = LLVMBuildAdd(b, LLVMBuildZExt(b, outcome, p->i64, ""),
				       LLVMConstInt(p->i64, p->outcomes, 0), "");
	LLVMValueRef place = LLVMBuildGEP2(b, p->i8, p->base, &at, 1, "");
	LLVMValueRef old = LLVMBuildLoad2(b, p->i8, place, "");
	LLVMValueRef room = LLVMBuildICmp(b, LLVMIntNE, old, LLVMConstInt(p->i8, 255, 0), "");

	LLVMBuildStore(b, LLVMBuildAdd(b, old, LLVMBuildZExt(b, room, p->i8, ""), ""), place);
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
		outcome = outcome_of(p, inst, outcomes);
		if (p->path)
			report(p, inst, ordinal, outcome);
		else
			count(p, outcome);
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
	unit_walk(u, visit, &p);
	register_counters(&p, own);
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
