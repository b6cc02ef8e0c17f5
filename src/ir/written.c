/* written.c: the constants that a unit puts into members of structures and into globals.
 *
 * A store through an address that is made of members of named structures, each at a constant place: `s->x.pos = 0` writes the member pos of x's type, and what lies there in s's. The value is a constant, or a choice
 * between values some of which are, or a parameter that is taken as it is. What is not listed may be written all the same: by a value that is computed, by a copy, through a pointer to the member. So a list says what members do get, never what they
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

/* Does something compare the value, or a cast of it? */
static int is_compared(LLVMValueRef value, unsigned depth)
{
	for (LLVMUseRef u = LLVMGetFirstUse(value); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef x = LLVMGetUser(u);
		if (LLVMIsAICmpInst(x) || LLVMIsASwitchInst(x) || (depth && (LLVMIsACastInst(x) || LLVMIsABinaryOperator(x)) && is_compared(x, depth - 1)))
			return 1;
	}
	return 0;
}

static int is_passed(LLVMValueRef value)
{
	while (LLVMIsACastInst(value))
		value = LLVMGetOperand(value, 0);
	if (!LLVMIsAArgument(value))
		return 0;
	LLVMLinkage linkage = LLVMGetLinkage(LLVMGetParamParent(value));
	return linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage && !is_compared(value, CHOICES);
}

static void add(struct looking *l, const char *type, uint64_t offset, LLVMValueRef value, unsigned depth)
{
	LLVMTypeRef t = LLVMTypeOf(value);
	if (is_passed(value))
		vec_push(&l->w->all, ((struct written_member){arena_strdup(&l->w->arena, type), offset, (LLVMGetIntTypeWidth(t) + 7) / 8, 0, 1}));
	else if (LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(t) <= 64) {
		vec_push(&l->w->all, ((struct written_member){arena_strdup(&l->w->arena, type), offset, (LLVMGetIntTypeWidth(t) + 7) / 8, LLVMConstIntGetZExtValue(value), 0}));
	} else if (depth && LLVMIsASelectInst(value)) {
		add(l, type, offset, LLVMGetOperand(value, 1), depth - 1);
		add(l, type, offset, LLVMGetOperand(value, 2), depth - 1);
	} else if (depth && LLVMIsAPHINode(value)) {
		for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
			add(l, type, offset, LLVMGetIncomingValue(value, i), depth - 1);
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
	LLVMValueRef at = LLVMGetOperand(inst, 1);
	for (; (LLVMIsAGetElementPtrInst(at) || (LLVMIsAConstantExpr(at) && LLVMGetConstOpcode(at) == LLVMGetElementPtr)) && distance(l, at, &more); at = LLVMGetOperand(at, 0)) {
		LLVMTypeRef t = LLVMGetGEPSourceElementType(at);
		const char *type = LLVMGetTypeKind(t) == LLVMStructTypeKind ? LLVMGetStructName(t) : NULL;
		offset += more;
		if (type)
			add(l, strncmp(type, "struct.", 7) ? type : type + 7, offset, LLVMGetOperand(inst, 0), CHOICES);
	}
	if (LLVMIsAGlobalVariable(at)) {
		char *type = mem_printf("@%s", LLVMGetValueName2(at, &n));
		add(l, type, offset, LLVMGetOperand(inst, 0), CHOICES);
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
