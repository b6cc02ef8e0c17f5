/* written.c: the constants that a unit puts into members of structures and into globals.
 *
 * A store through an address that is made of members of named structures, each at a constant place: `s->x.pos = 0` writes the member pos of x's type, and what lies there in s's. The value is a constant, or a choice
 * between values some of which are, or one that is computed from a parameter, or from what stood there, and compared with nothing. What is not listed may be written all the same: by a value that is computed, by a copy, through a pointer to the member. So a list says what members do get, never what they
 * do not.
 */
#include "ir/written.h"

#include "base/mem.h"
#include "ir/unit.h"

#include <llvm-c/Target.h>

#include <stdlib.h>
#include <string.h>

#define CHOICES 4 /* selects and phis above a constant that are looked through */

struct looking {
	struct written *w;
	LLVMTargetDataRef layout;
};

/* A comparison that the program makes (those of checks are the compiler's) and that may keep a range: one with a number other than 0 alone tells nothing of the others. */
static int is_check(LLVMValueRef x)
{
	if (LLVMIsASwitchInst(x))
		return 1;
	if (!LLVMIsAICmpInst(x) || LLVMGetMetadata(x, LLVMGetMDKindID("nosanitize", 10)))
		return 0;
	if (LLVMGetICmpPredicate(x) != LLVMIntEQ && LLVMGetICmpPredicate(x) != LLVMIntNE)
		return 1;
	for (unsigned i = 0; i < 2; i++) {
		LLVMValueRef with = LLVMGetOperand(x, i);
		if (LLVMIsAConstantInt(with) && !LLVMIsNull(with))
			return 0;
	}
	return 1;
}

/* Does something compare the value, or a cast of it? */
static int is_compared(LLVMValueRef value, unsigned depth)
{
	for (LLVMUseRef u = LLVMGetFirstUse(value); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef x = LLVMGetUser(u);
		if (is_check(x) || (depth && (LLVMIsACastInst(x) || LLVMIsABinaryOperator(x)) && is_compared(x, depth - 1)))
			return 1;
	}
	return 0;
}

static int is_same_address(LLVMValueRef a, LLVMValueRef b)
{
	if (a == b)
		return 1;
	if (!LLVMIsAGetElementPtrInst(a) || !LLVMIsAGetElementPtrInst(b) || LLVMGetNumOperands(a) != LLVMGetNumOperands(b) || LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b))
		return 0;
	for (int i = 1; i < LLVMGetNumOperands(a); i++)
		if (LLVMGetOperand(a, (unsigned)i) != LLVMGetOperand(b, (unsigned)i))
			return 0;
	return is_same_address(LLVMGetOperand(a, 0), LLVMGetOperand(b, 0));
}

/* Does the function compare what stands there? */
static int looks_there(LLVMValueRef function, LLVMValueRef at)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (LLVMIsALoadInst(i) && is_same_address(LLVMGetOperand(i, 0), at) && is_compared(i, CHOICES))
				return 1;
	return 0;
}

/* Is it computed from an argument of a function that strangers call, or from what stood there (a count that goes up), and compared with nothing? */
static int may_be_any(LLVMValueRef value, LLVMValueRef at, unsigned depth)
{
	if (is_compared(value, CHOICES))
		return 0;
	if (LLVMIsAArgument(value)) {
		LLVMLinkage linkage = LLVMGetLinkage(LLVMGetParamParent(value));
		return linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage;
	}
	if (LLVMIsALoadInst(value))
		return is_same_address(LLVMGetOperand(value, 0), at) && !looks_there(LLVMGetBasicBlockParent(LLVMGetInstructionParent(value)), at);
	if (!depth || !(LLVMIsACastInst(value) || LLVMIsABinaryOperator(value) || LLVMIsAExtractValueInst(value) || LLVMIsAIntrinsicInst(value)))
		return 0;
	for (int i = 0; i < LLVMGetNumOperands(value); i++)
		if (may_be_any(LLVMGetOperand(value, (unsigned)i), at, depth - 1))
			return 1;
	return 0;
}

/* A value that is masked, or a rest, goes up to this number: 1; 0: it is neither. */
static int bound_of(LLVMValueRef value, uint64_t *most)
{
	LLVMValueRef b = LLVMIsABinaryOperator(value) ? LLVMGetOperand(value, 1) : NULL;
	LLVMOpcode op = b ? LLVMGetInstructionOpcode(value) : 0;
	if (!b || !LLVMIsAConstantInt(b) || LLVMGetIntTypeWidth(LLVMTypeOf(b)) > 64 || (op != LLVMAnd && op != LLVMURem))
		return 0;
	*most = LLVMConstIntGetZExtValue(b) - (op == LLVMURem);
	return 1;
}

static void add_one(struct looking *l, const char *type, uint64_t offset, LLVMTypeRef t, uint64_t value, int any)
{
	vec_push(&l->w->all, ((struct written_member){arena_strdup(&l->w->arena, type), offset, (LLVMGetIntTypeWidth(t) + 7) / 8, value, any}));
}

/* at: the address that it is stored to. */
static void add(struct looking *l, const char *type, uint64_t offset, LLVMValueRef value, LLVMValueRef at, unsigned depth)
{
	LLVMTypeRef t = LLVMTypeOf(value);
	uint64_t most;
	if (LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(t) <= 64) {
		add_one(l, type, offset, t, LLVMConstIntGetZExtValue(value), 0);
	} else if (bound_of(value, &most)) {
		add_one(l, type, offset, t, 0, 0);
		add_one(l, type, offset, t, most, 0);
	} else if (depth && LLVMIsASelectInst(value)) {
		add(l, type, offset, LLVMGetOperand(value, 1), at, depth - 1);
		add(l, type, offset, LLVMGetOperand(value, 2), at, depth - 1);
	} else if (depth && LLVMIsAPHINode(value)) {
		for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
			add(l, type, offset, LLVMGetIncomingValue(value, i), at, depth - 1);
	} else if (may_be_any(value, at, CHOICES)) {
		add_one(l, type, offset, t, 0, 1);
	}
}

/* The constant distance of a GEP's indices inside of its source type: 1; 0: it is none. */
static int distance(const struct looking *l, LLVMValueRef gep, uint64_t *out)
{
	LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
	*out = 0;
	for (int i = 1; i < LLVMGetNumOperands(gep); i++) {
		LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
		if (!LLVMIsAConstantInt(index))
			return 0;
		uint64_t n = LLVMConstIntGetZExtValue(index);
		if (i == 1 && n)
			return 0; /* another element: the member is the same, but nothing needs it */
		if (i == 1)
			continue;
		if (LLVMGetTypeKind(t) != LLVMStructTypeKind)
			return 0;
		*out += LLVMOffsetOfElement(l->layout, t, (unsigned)n);
		t = LLVMStructGetTypeAtIndex(t, (unsigned)n);
	}
	return 1;
}

static void look(void *ctx, LLVMValueRef inst, uint32_t ordinal)
{
	struct looking *l = ctx;
	uint64_t offset = 0, more;
	(void)ordinal;
	LLVMValueRef called = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
	size_t n = 0;
	const char *name = called && LLVMIsAFunction(called) ? LLVMGetValueName2(called, &n) : NULL;
	l->w->clears |= name && (!strcmp(name, "calloc") || !strcmp(name, "memset") || !strncmp(name, "llvm.memset", 11));
	if (!LLVMIsAStoreInst(inst) || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(inst, 0))) != LLVMIntegerTypeKind)
		return;
	LLVMValueRef at = LLVMGetOperand(inst, 1), whole = at;
	for (; (LLVMIsAGetElementPtrInst(at) || (LLVMIsAConstantExpr(at) && LLVMGetConstOpcode(at) == LLVMGetElementPtr)) && distance(l, at, &more); at = LLVMGetOperand(at, 0)) {
		LLVMTypeRef t = LLVMGetGEPSourceElementType(at);
		const char *type = LLVMGetTypeKind(t) == LLVMStructTypeKind ? LLVMGetStructName(t) : NULL;
		offset += more;
		if (type)
			add(l, strncmp(type, "struct.", 7) ? type : type + 7, offset, LLVMGetOperand(inst, 0), whole, CHOICES);
	}
	if (LLVMIsAGlobalVariable(at)) {
		char *type = mem_printf("@%s", LLVMGetValueName2(at, &n));
		add(l, type, offset, LLVMGetOperand(inst, 0), whole, CHOICES);
		free(type);
	}
}

int written_load(struct written *w, const void *bitcode, size_t size)
{
	struct unit *u = unit_read(bitcode, size, 0);
	memset(w, 0, sizeof *w);
	if (!u)
		return -1;
	struct looking l = {w, LLVMGetModuleDataLayout(u->module)};
	unit_walk(u, look, &l);
	unit_read_end();
	return 0;
}

void written_release(struct written *w)
{
	vec_release(&w->all);
	arena_release(&w->arena);
}
