/* trace_member.c: memory functions on a member of a structure (the checker sub-object).
 *
 * A pointer that was computed as the address of a member, or of an element of it at a constant index, has the rest of the member
 * for room, whatever the object has after it. Where the size has a label, the runtime gets it. The last member of a
 * structure is left alone: arrays that are longer than declared stand there.
 *
 * Rooms are found before anything is edited: in a slow copy an address from another region is a reload.
 */
#include "instrument/tracer.h"

#include <string.h>

/* A member, and where in it. */
struct place {
	LLVMTypeRef member;
	uint64_t at;
	int last;
};

static int is_address(LLVMValueRef v)
{
	return LLVMIsAGetElementPtrInst(v) || (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr);
}

static uint64_t small_constant(LLVMValueRef v)
{
	return LLVMIsAConstantInt(v) ? LLVMConstIntGetZExtValue(v) : UINT64_MAX;
}

/* Follows the indices of one address. 0: one of them is not known. */
static int follow(struct tracer *t, LLVMValueRef v, struct place *p)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(v);

	for (unsigned i = 2; i < (unsigned)LLVMGetNumOperands(v); i++) {
		uint64_t k = small_constant(LLVMGetOperand(v, i));
		if (k > INT32_MAX)
			return 0;
		if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			type = LLVMStructGetTypeAtIndex(type, (unsigned)k);
			*p = (struct place){type, 0, k + 1 == LLVMCountStructElementTypes(LLVMGetGEPSourceElementType(v)) || i != 2};
		} else if (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
			type = LLVMGetElementType(type);
			p->at += k * LLVMABISizeOfType(t->layout, type);
		} else {
			return 0;
		}
	}
	return 1;
}

/* Bytes from there to the end of the member; 0: it is none, or one that does not count. */
static uint64_t room_at(struct tracer *t, LLVMValueRef pointer)
{
	uint64_t behind = 0; /* what later steps add */

	for (LLVMValueRef v = pointer; is_address(v); v = LLVMGetOperand(v, 0)) {
		LLVMTypeRef type = LLVMGetGEPSourceElementType(v);
		struct place p = {0};
		uint64_t first = small_constant(LLVMGetOperand(v, 1));
		if (!LLVMTypeIsSized(type) || !follow(t, v, &p))
			return 0;
		if (p.member) {
			uint64_t size = LLVMABISizeOfType(t->layout, p.member);
			return !p.last && p.at + behind < size ? size - p.at - behind : 0;
		}
		if (first > INT32_MAX)
			return 0;
		behind += p.at + first * LLVMABISizeOfType(t->layout, type);
	}
	return 0;
}

/* Functions that touch as many bytes as they are asked to, at their first pointers. */
static const struct row {
	const char *name;
	unsigned pointers, size; /* how many, and the operand that says it */
} rows[] = {
    {"llvm.memcpy.", 2, 2}, {"llvm.memmove.", 2, 2}, {"llvm.memset.", 1, 2}, {"memcpy", 2, 2},  {"memmove", 2, 2},
    {"memset", 1, 2},	    {"mempcpy", 2, 2},	     {"strncpy", 1, 2},	     {"bzero", 1, 1},
};

static const struct row *row_of(LLVMValueRef inst)
{
	LLVMValueRef f = LLVMIsACallInst(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;
	size_t length;
	const char *name = f ? LLVMGetValueName2(f, &length) : "";

	if (!f || !LLVMIsDeclaration(f))
		return NULL;
	if (strncmp(name, "__wrap_", 7) == 0)
		name += 7;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *r = &rows[i];
		size_t n = strlen(r->name);
		if ((r->name[n - 1] == '.' ? strncmp(name, r->name, n) : strcmp(name, r->name)) == 0)
			return LLVMGetNumArgOperands(inst) > r->size ? r : NULL;
	}
	return NULL;
}

void trace_find_members(struct tracer *t, LLVMValueRef fn)
{
	map_clear(&t->rooms);
	if (!(t->options->checks & CHECKER_BIT(MUSTER_CHECK_SUB_OBJECT)) || t->options->library)
		return;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			const struct row *r = row_of(i);
			for (unsigned k = 0; r && k < r->pointers; k++) {
				uint64_t room = room_at(t, LLVMGetOperand(i, k));
				if (room)
					map_set(&t->rooms, (uint64_t)(uintptr_t)i + k, room);
			}
		}
}

void trace_members(struct tracer *t, LLVMValueRef inst)
{
	const struct row *r = t->rooms.size ? row_of(inst) : NULL;
	uint64_t room;

	for (unsigned k = 0; r && k < r->pointers; k++) {
		LLVMValueRef n = LLVMGetOperand(inst, r->size), label = tracer_get1(t, n);
		if (label == t->zero || !map_get(&t->rooms, (uint64_t)(uintptr_t)inst + k, &room))
			continue;
		if (LLVMTypeOf(n) != t->i64)
			label = tracer_zext(t, label, 64);
		tracer_call(t, "__muster_member", "vwpqqs", label, LLVMGetOperand(inst, k), tracer_word(t, n), tracer_q(t, room));
	}
}
