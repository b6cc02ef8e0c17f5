/* fold.c: checks of the compiler that a variant does not have, and those that do not end a run.
 *
 * First it is decided for every check what becomes of it, while the module is as the compiler made
 * it. Then the branches go in the order of their ordinals, each block that only the branch led to
 * is joined to the one before (so a chain of checks becomes one block again, each instruction moved
 * once), and at last, from the end to the start, what was only computed for checks that are gone:
 * marked instructions without users, and the overflow bit of additions and their kin.
 *
 * Only instructions that the compiler marked as a check's are ever deleted. Invariant: the program
 * computes what it computes without the checks; ordinals keep their meaning; no counted decision is
 * deleted.
 */
#include "instrument/fold.h"

#include "base/map.h"
#include "base/vec.h"
#include "muster/abi.h"

#include <string.h>

enum fate {
	FATE_KEEP, /* a branch to a trap, as it is */
	FATE_GO,   /* a branch both sides of which lead on */
	FATE_MARK, /* goes on */
	FATE_FOLD, /* gone */
};

struct check {
	uint32_t ordinal;
	enum fate fate;
	int fails; /* outcome; -1: a part of a check */
};

struct fold {
	struct unit *u;
	LLVMBuilderRef b;
	LLVMValueRef mark;
	LLVMTypeRef mark_type;
	struct map ordinals; /* marked instruction -> ordinal + 1 */
	VEC(struct check) checks;
	VEC(LLVMBasicBlockRef) reports; /* blocks that a check no longer leads to, each once */
	struct map reported;
	VEC(uint32_t) marked;
	struct fold_repeats repeats;
};

static int starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static const char *callee_name(LLVMValueRef inst)
{
	LLVMValueRef f =
	    inst && LLVMIsACallInst(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;
	size_t length;

	return f ? LLVMGetValueName2(f, &length) : "";
}

LLVMValueRef fold_condition(LLVMValueRef inst)
{
	return !strcmp(callee_name(inst), FOLD_MARK) ? LLVMGetOperand(inst, 0) : NULL;
}

/* ------------------------------------------------------------- what becomes of them */

#define TRAP_ATTRIBUTE "trap-func-name"

/* Does the call of a trap name this function? */
static int traps_by(LLVMValueRef call, const char *function)
{
	LLVMAttributeRef a = LLVMGetCallSiteStringAttribute(call, LLVMAttributeFunctionIndex, TRAP_ATTRIBUTE, sizeof TRAP_ATTRIBUTE - 1);
	unsigned length;
	const char *name = a ? LLVMGetStringAttributeValue(a, &length) : NULL;

	return name && length == strlen(function) && !memcmp(name, function, length);
}

/* What C defines ends no run: what comes after it is the program's too. */
#define DEFINED                                                                                     \
	(CHECKER_BIT(MUSTER_CHECK_UINT_UNDER) | CHECKER_BIT(MUSTER_CHECK_UINT_OVER) |               \
	 CHECKER_BIT(MUSTER_CHECK_CONVERT_LOW) | CHECKER_BIT(MUSTER_CHECK_CONVERT_HIGH))

static int loads_number(LLVMValueRef inst)
{
	return LLVMIsALoadInst(inst) && LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMPointerTypeKind;
}

/* Is nothing but numbers read at this address? What other checks do with it does not count. */
static int is_only_read(LLVMValueRef address)
{
	for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		int moves = LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == address;

		if (!loads_number(user) && !unit_is_marked(user) && !(moves && is_only_read(user)))
			return 0;
	}
	return 1;
}

static int is_extended(LLVMValueRef v)
{
	return LLVMIsASExtInst(v) || LLVMIsAZExtInst(v);
}

/* 1: addresses that are computed with this index are only read; 0: there are none; -1: one of them is not. */
static int reads_by(LLVMValueRef index, int extended)
{
	int found = 0;

	for (LLVMUseRef use = LLVMGetFirstUse(index); use && found >= 0; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		int here = 0;

		if (LLVMIsAGetElementPtrInst(user))
			here = is_only_read(user) ? 1 : -1;
		else if (!extended && is_extended(user))
			here = reads_by(user, 1);
		found = here < 0 ? -1 : found | here;
	}
	return found;
}

/* An index out of bounds: are numbers read there and nothing else (a pointer from there may lead anywhere)? The check has an extension of the index of its own. */
static int reads_element(LLVMValueRef branch)
{
	LLVMValueRef compare = LLVMGetCondition(branch), index = LLVMIsAICmpInst(compare) ? LLVMGetOperand(compare, 0) : NULL;

	if (index && is_extended(index))
		index = LLVMGetOperand(index, 0);
	return index && !LLVMIsConstant(index) && reads_by(index, 0) > 0;
}

/* Does the machine go on where this check fails? A division traps, nothing stands after what cannot be reached, an array of a negative
 * size takes the stack away, and what is written out of bounds may be anything, muster's counters too. The san variant goes on after
 * the same checks (build/units.c), where AddressSanitizer watches what is written: what comes there is searched as well. */
static int can_go_on(LLVMValueRef branch, LLVMValueRef report)
{
	switch (unit_check_handler(report)) {
	case UNIT_HANDLER_DIVIDE:
	case UNIT_HANDLER_UNREACHABLE:
	case UNIT_HANDLER_MISSING_RETURN:
	case UNIT_HANDLER_VLA:
		return 0;
	case UNIT_HANDLER_BOUNDS:
		return reads_element(branch);
	default:
		return 1;
	}
}

static enum fate fate_of(LLVMValueRef inst, checker_set checks, int marks)
{
	LLVMValueRef report = unit_check_whole(inst);

	report = report ? unit_check_report(report) : NULL;
	if (!report || !starts_with(callee_name(report), "llvm.ubsantrap"))
		return FATE_KEEP; /* not one of ours */
	if (traps_by(report, FOLD_OWN))
		return FATE_KEEP;
	if (!(checker_pair(unit_checker(inst)) & checks))
		return FATE_FOLD;
	if (traps_by(report, FOLD_ENDS) && !(CHECKER_BIT(unit_checker(inst)) & DEFINED))
		return !can_go_on(inst, report) ? FATE_KEEP : marks ? FATE_GO : FATE_FOLD;
	return marks && !fold_is_idle(inst) ? FATE_MARK : FATE_FOLD;
}

static void decide(struct fold *f, checker_set checks, int marks)
{
	struct unit *u = f->u;

	for (uint32_t i = 0; i < u->count; i++) {
		LLVMValueRef inst = u->instructions[i];

		if (!inst || !unit_is_marked(inst))
			continue;
		map_set(&f->ordinals, (uint64_t)(uintptr_t)inst, (uint64_t)i + 1);
		vec_push(&f->marked, i);
		if (LLVMGetInstructionOpcode(inst) == LLVMBr && LLVMIsConditional(inst)) {
			struct check c = {i, fate_of(inst, checks, marks), unit_check_fails(inst)};

			if (c.fate == FATE_MARK && fold_is_repeated(&f->repeats, inst))
				c.fate = FATE_FOLD;
			if (c.fate != FATE_KEEP && (c.fate != FATE_GO || c.fails >= 0))
				vec_push(&f->checks, c);
		}
	}
}

/* ------------------------------------------------------------------- blocks */

static void forget(struct fold *f, LLVMValueRef inst)
{
	uint64_t at;

	if (map_get(&f->ordinals, (uint64_t)(uintptr_t)inst, &at) && at) {
		f->u->instructions[at - 1] = NULL;
		map_set(&f->ordinals, (uint64_t)(uintptr_t)inst, 0);
	}
}

static void erase(struct fold *f, LLVMValueRef inst)
{
	forget(f, inst);
	LLVMInstructionEraseFromParent(inst);
}

static void replace(struct fold *f, LLVMValueRef inst, LLVMValueRef by)
{
	uint64_t at;

	if (map_get(&f->ordinals, (uint64_t)(uintptr_t)inst, &at) && at && LLVMIsAInstruction(by)) {
		f->u->instructions[at - 1] = by;
		map_set(&f->ordinals, (uint64_t)(uintptr_t)by, at);
		map_set(&f->ordinals, (uint64_t)(uintptr_t)inst, 0);
	}
	if (LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMVoidTypeKind)
		LLVMReplaceAllUsesWith(inst, by);
	erase(f, inst);
}

/* Does nothing but one jump lead to the block? */
static int has_one_use(LLVMBasicBlockRef block)
{
	LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));

	return use && !LLVMGetNextUse(use) && LLVMIsAInstruction(LLVMGetUser(use));
}

/* If the block ends in a jump to one that nothing else leads to, they become one. */
static void join_next(struct fold *f, LLVMBasicBlockRef block)
{
	LLVMValueRef jump = LLVMGetBasicBlockTerminator(block), next;
	LLVMBasicBlockRef to;

	if (!LLVMIsABranchInst(jump) || LLVMIsConditional(jump))
		return;
	to = LLVMGetSuccessor(jump, 0);
	if (to == block || !has_one_use(to) || LLVMIsAPHINode(LLVMGetFirstInstruction(to)))
		return;
	erase(f, jump);
	/* The phis after `to` name it; LLVM renames that, too. */
	LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(to), LLVMBasicBlockAsValue(block));
	LLVMPositionBuilderAtEnd(f->b, block);
	for (LLVMValueRef i = LLVMGetFirstInstruction(to); i; i = next) {
		next = LLVMGetNextInstruction(i);
		LLVMInstructionRemoveFromParent(i);
		LLVMInsertIntoBuilder(f->b, i);
	}
	LLVMDeleteBasicBlock(to);
}

/* A block of marked instructions to which nothing leads any more. */
static void delete_block(struct fold *f, LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
		forget(f, i);
	LLVMDeleteBasicBlock(block);
}

static void set_mark(struct fold *f, LLVMValueRef branch)
{
	LLVMValueRef condition = fold_part(branch), call;

	if (!f->mark)
		f->mark = LLVMAddFunction(f->u->module, FOLD_MARK, f->mark_type);
	LLVMPositionBuilderBefore(f->b, branch);
	call = LLVMBuildCall2(f->b, f->mark_type, f->mark, &condition, 1, "");
	replace(f, branch, call);
}

/* The failing side of a check becomes a block of its own that leads to the passing side. */
static void go_on(struct fold *f, const struct check *c)
{
	LLVMValueRef branch = f->u->instructions[c->ordinal];
	LLVMBasicBlockRef block = LLVMGetInstructionParent(branch), on = LLVMGetSuccessor(branch, c->fails ? 1 : 0),
			  off = LLVMGetSuccessor(branch, c->fails ? 0 : 1), way = LLVMInsertBasicBlockInContext(f->u->context, on, "");

	LLVMPositionBuilderAtEnd(f->b, way);
	LLVMBuildBr(f->b, on);
	for (LLVMValueRef phi = LLVMGetFirstInstruction(on); phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
		for (unsigned i = 0, n = LLVMCountIncoming(phi); i < n; i++)
			if (LLVMGetIncomingBlock(phi, i) == block) {
				LLVMValueRef value = LLVMGetIncomingValue(phi, i);

				LLVMAddIncoming(phi, &value, &way, 1);
			}
	LLVMSetSuccessor(branch, c->fails ? 0 : 1, way);
	if (map_set(&f->reported, (uint64_t)(uintptr_t)off, 1))
		vec_push(&f->reports, off);
}

/* The branch of a check becomes a jump to its passing side. */
static void pass(struct fold *f, const struct check *c)
{
	LLVMValueRef branch = f->u->instructions[c->ordinal];
	LLVMBasicBlockRef block = LLVMGetInstructionParent(branch);
	LLVMBasicBlockRef on = LLVMGetSuccessor(branch, c->fails ? 1 : 0),
			  off = LLVMGetSuccessor(branch, c->fails ? 0 : 1);

	if (c->fate == FATE_MARK)
		set_mark(f, branch);
	else
		erase(f, branch);
	LLVMPositionBuilderAtEnd(f->b, block);
	LLVMBuildBr(f->b, on);
	if (map_set(&f->reported, (uint64_t)(uintptr_t)off, 1))
		vec_push(&f->reports, off);
	join_next(f, block);
}

/* ------------------------------------------------------------ parts of checks */

static int all_marked(LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
		if (!unit_is_marked(i) && !LLVMIsATerminatorInst(i))
			return 0;
	return 1;
}

static LLVMBasicBlockRef jumps_to(LLVMBasicBlockRef block)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(block);

	return LLVMIsABranchInst(last) && !LLVMIsConditional(last) ? LLVMGetSuccessor(last, 0)
								   : NULL;
}

/* The value of `phi` if the branch in `from` is not taken is "true", and it only matters where the
 * branch's condition holds: what it is on the path through `side`. NULL if it is another kind of phi. */
static LLVMValueRef value_of_part(LLVMValueRef phi, LLVMBasicBlockRef side, LLVMValueRef condition)
{
	LLVMUseRef use = LLVMGetFirstUse(phi);
	LLVMValueRef user = use ? LLVMGetUser(use) : NULL, value = NULL;

	if (!user || LLVMGetNextUse(use) || !LLVMIsAInstruction(user) ||
	    LLVMGetInstructionOpcode(user) != LLVMAnd ||
	    (LLVMGetOperand(user, 0) != condition && LLVMGetOperand(user, 1) != condition))
		return NULL;
	for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
		if (LLVMGetIncomingBlock(phi, k) == side)
			value = LLVMGetIncomingValue(phi, k);
	return LLVMCountIncoming(phi) == 2 ? value : NULL;
}

/* The amount counts modulo the width, which changes nothing where the result matters; the ordinal
 * is taken from the phi that goes. */
static void limit_shift(struct fold *f, LLVMValueRef shift, LLVMValueRef phi)
{
	LLVMTypeRef type = LLVMTypeOf(shift);
	unsigned width = LLVMGetIntTypeWidth(type);
	LLVMBuilderRef b;
	LLVMValueRef limited;
	uint64_t at;

	if (width & (width - 1))
		return;
	b = LLVMCreateBuilderInContext(f->u->context);
	LLVMPositionBuilderBefore(b, shift);
	limited = LLVMBuildAnd(b, LLVMGetOperand(shift, 1), LLVMConstInt(type, width - 1, 0), "");
	LLVMDisposeBuilder(b);
	LLVMSetOperand(shift, 1, limited);
	if (LLVMIsAInstruction(limited) && map_get(&f->ordinals, (uint64_t)(uintptr_t)phi, &at) &&
	    at) {
		f->u->instructions[at - 1] = limited;
		map_set(&f->ordinals, (uint64_t)(uintptr_t)limited, at);
		map_set(&f->ordinals, (uint64_t)(uintptr_t)phi, 0);
	}
}

/* if (c) v = more; safe = c && v; in one block: all of it can be computed at any time, and is
 * settled to mean something. */
static int flatten(struct fold *f, LLVMValueRef branch, LLVMBasicBlockRef side,
		   LLVMBasicBlockRef end)
{
	LLVMValueRef phi = LLVMGetFirstInstruction(end), value, next;

	if (!LLVMIsAPHINode(phi))
		return 0;
	value = unit_is_marked(phi) ? value_of_part(phi, side, LLVMGetCondition(branch)) : NULL;
	if (!value || LLVMIsAPHINode(LLVMGetNextInstruction(phi)))
		return 0;
	LLVMPositionBuilderBefore(f->b, branch);
	for (LLVMValueRef i = LLVMGetFirstInstruction(side); i && !LLVMIsATerminatorInst(i);
	     i = next) {
		next = LLVMGetNextInstruction(i);
		LLVMInstructionRemoveFromParent(i);
		LLVMInsertIntoBuilder(f->b, i);
		if (LLVMGetInstructionOpcode(i) == LLVMLShr)
			limit_shift(f, i, phi);
	}
	LLVMReplaceAllUsesWith(phi, value);
	erase(f, phi);
	return 1;
}

/* A branch over a part of a check: gone with it, or made one expression. */
static void pass_part(struct fold *f, const struct check *c)
{
	LLVMValueRef branch = f->u->instructions[c->ordinal];
	LLVMBasicBlockRef block = LLVMGetInstructionParent(branch),
			  side = LLVMGetSuccessor(branch, 0), end = LLVMGetSuccessor(branch, 1);

	if (side == end || !has_one_use(side) || jumps_to(side) != end || !all_marked(side))
		return;
	if (c->fate == FATE_MARK) {
		if (!flatten(f, branch, side, end))
			return;
	} else if (LLVMIsAPHINode(LLVMGetFirstInstruction(end))) {
		LLVMValueRef phi = LLVMGetFirstInstruction(end);

		if (LLVMGetFirstUse(phi) || LLVMIsAPHINode(LLVMGetNextInstruction(phi)))
			return;
		erase(f, phi);
	}
	erase(f, branch);
	LLVMPositionBuilderAtEnd(f->b, block);
	LLVMBuildBr(f->b, end);
	delete_block(f, side);
	join_next(f, block);
}

/* ------------------------------------------------------- what is not needed now */

static int only_computes(LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad:
	case LLVMStore:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMFence:
	case LLVMAlloca:
	case LLVMInvoke:
	case LLVMCallBr:
		return 0;
	case LLVMCall:
		return strstr(callee_name(inst), ".with.overflow.") != NULL;
	default:
		return !LLVMIsATerminatorInst(inst);
	}
}

static int is_first_part(LLVMValueRef user)
{
	return LLVMIsAExtractValueInst(user) && LLVMGetNumIndices(user) == 1 &&
	       !LLVMGetIndices(user)[0];
}

/* x.with.overflow of which only x is used. */
static void simplify(struct fold *f, LLVMValueRef call)
{
	const char *name = callee_name(call);
	LLVMValueRef x = LLVMGetOperand(call, 0), y = LLVMGetOperand(call, 1), sum;

	if (!starts_with(name, "llvm.") || !strstr(name, ".with.overflow."))
		return;
	for (LLVMUseRef use = LLVMGetFirstUse(call); use; use = LLVMGetNextUse(use))
		if (!is_first_part(LLVMGetUser(use)))
			return;
	LLVMPositionBuilderBefore(f->b, call);
	sum = !strncmp(name + 6, "add", 3)   ? LLVMBuildAdd(f->b, x, y, "")
	      : !strncmp(name + 6, "sub", 3) ? LLVMBuildSub(f->b, x, y, "")
					     : LLVMBuildMul(f->b, x, y, "");
	for (LLVMUseRef use; (use = LLVMGetFirstUse(call));) {
		LLVMValueRef part = LLVMGetUser(use);

		LLVMReplaceAllUsesWith(part, sum);
		erase(f, part);
	}
	/* The sum has no users through the call: only its ordinal is handed on. */
	uint64_t at;
	if (LLVMIsAInstruction(sum) && map_get(&f->ordinals, (uint64_t)(uintptr_t)call, &at) &&
	    at) {
		map_set(&f->ordinals, (uint64_t)(uintptr_t)call, 0);
		map_set(&f->ordinals, (uint64_t)(uintptr_t)sum, at);
		f->u->instructions[at - 1] = sum;
	}
	erase(f, call);
}

/* Operands stand before their users, with few exceptions (blocks are not always in the order they
 * run): again until nothing more goes. */
static void clean(struct fold *f)
{
	for (int again = 1; again;) {
		again = 0;
		for (size_t n = f->marked.size; n-- > 0;) {
			LLVMValueRef inst = f->u->instructions[f->marked.data[n]];

			if (inst && !LLVMGetFirstUse(inst) && only_computes(inst) &&
			    !fold_condition(inst)) {
				erase(f, inst);
				again = 1;
			}
		}
	}
	for (size_t n = 0; n < f->marked.size; n++) {
		LLVMValueRef inst = f->u->instructions[f->marked.data[n]];

		if (inst && LLVMIsACallInst(inst))
			simplify(f, inst);
	}
}

/* Where a pointer wraps: "does the offset's sign say x, and is it so?" is a choice between a
 * comparison and its opposite. A decision it is not. */
static void flatten_select(struct fold *f, LLVMValueRef select)
{
	LLVMValueRef c = LLVMGetOperand(select, 0), x = LLVMGetOperand(select, 1),
		     y = LLVMGetOperand(select, 2);

	if (!LLVMIsAICmpInst(x) || !LLVMIsAICmpInst(y) || LLVMGetICmpPredicate(x) != LLVMIntUGE ||
	    LLVMGetICmpPredicate(y) != LLVMIntULT || LLVMGetOperand(x, 0) != LLVMGetOperand(y, 0) ||
	    LLVMGetOperand(x, 1) != LLVMGetOperand(y, 1))
		return;
	LLVMPositionBuilderBefore(f->b, select);
	replace(f, select, LLVMBuildXor(f->b, c, y, ""));
}

/* The names were for us: the functions have no definition. */
static void drop_trap_function(LLVMModuleRef module)
{
	static const char *const names[] = {"llvm.trap", "llvm.ubsantrap", "llvm.debugtrap"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		LLVMValueRef trap = LLVMGetNamedFunction(module, names[i]);

		for (LLVMUseRef use = trap ? LLVMGetFirstUse(trap) : NULL; use;
		     use = LLVMGetNextUse(use)) {
			LLVMValueRef call = LLVMGetUser(use);

			if (LLVMIsACallInst(call) && (traps_by(call, FOLD_ENDS) || traps_by(call, FOLD_OWN)))
				LLVMRemoveCallSiteStringAttribute(call, LLVMAttributeFunctionIndex,
								  TRAP_ATTRIBUTE,
								  sizeof TRAP_ATTRIBUTE - 1);
		}
	}
}

void fold_checks(struct unit *u, checker_set checks, int marks)
{
	struct fold f = {.u = u, .b = LLVMCreateBuilderInContext(u->context)};
	LLVMTypeRef i1 = LLVMInt1TypeInContext(u->context);
	int mark = 0;

	f.mark_type = LLVMFunctionType(LLVMVoidTypeInContext(u->context), &i1, 1, 0);
	decide(&f, checks, marks);
	drop_trap_function(u->module);
	for (size_t i = 0; i < f.checks.size; i++) {
		mark |= f.checks.data[i].fate == FATE_MARK;
		if (f.checks.data[i].fate == FATE_GO)
			go_on(&f, &f.checks.data[i]);
		else if (f.checks.data[i].fails >= 0)
			pass(&f, &f.checks.data[i]);
	}
	for (size_t i = 0; i < f.reports.size; i++)
		if (!LLVMGetFirstUse(LLVMBasicBlockAsValue(f.reports.data[i])))
			delete_block(&f, f.reports.data[i]);
	clean(&f);
	for (size_t i = 0; i < f.checks.size; i++)
		if (f.checks.data[i].fails < 0)
			pass_part(&f, &f.checks.data[i]);
	for (size_t n = 0; mark && n < f.marked.size; n++) {
		LLVMValueRef inst = u->instructions[f.marked.data[n]];

		if (inst && LLVMIsASelectInst(inst))
			flatten_select(&f, inst);
	}
	clean(&f);
	LLVMDisposeBuilder(f.b);
	map_release(&f.ordinals);
	map_release(&f.reported);
	vec_release(&f.checks);
	vec_release(&f.reports);
	vec_release(&f.marked);
	fold_repeats_release(&f.repeats);
}

void fold_forget(LLVMModuleRef module)
{
	LLVMValueRef mark = LLVMGetNamedFunction(module, FOLD_MARK);

	if (!mark)
		return;
	for (LLVMUseRef use; (use = LLVMGetFirstUse(mark));)
		LLVMInstructionEraseFromParent(LLVMGetUser(use));
	LLVMDeleteFunction(mark);
}
