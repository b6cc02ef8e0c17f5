/* trace_jump.c: computed gotos become switches.
 *
 * The two copies of a function (trace_fast.c) need a jump that leads into the copy
 * it stands in; an address of a label leads into one block only. So labels whose
 * address is taken are numbered from 1, their addresses replaced by the numbers, and
 * each indirect jump by a switch over them. A program can do nothing with such
 * an address but jump to it or compare it with another, which both still work.
 */
#include "instrument/tracer.h"

/* The block's address, if anybody uses it. */
static LLVMValueRef address_of(LLVMBasicBlockRef b)
{
	for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u))
		if (LLVMIsABlockAddress(LLVMGetUser(u)) && LLVMGetFirstUse(LLVMGetUser(u)))
			return LLVMGetUser(u);
	return NULL;
}

static int leads_to(LLVMValueRef jump, LLVMBasicBlockRef b)
{
	for (unsigned i = 0; i < LLVMGetNumSuccessors(jump); i++)
		if (LLVMGetSuccessor(jump, i) == b)
			return 1;
	return 0;
}

/* Every destination must be listed once, or its phis would not fit the switch. */
static int is_plain_jump(LLVMValueRef jump)
{
	for (unsigned i = 0; i < LLVMGetNumSuccessors(jump); i++)
		for (unsigned k = 0; k < i; k++)
			if (LLVMGetSuccessor(jump, i) == LLVMGetSuccessor(jump, k))
				return 0;
	return 1;
}

static void replace_jump(struct tracer *t, LLVMValueRef jump, LLVMBasicBlockRef *blocks, size_t count, LLVMBasicBlockRef nowhere)
{
	uint64_t ordinal = 0;

	tracer_before(t, jump);
	LLVMValueRef number = LLVMBuildPtrToInt(t->b, LLVMGetOperand(jump, 0), t->i64, "");
	LLVMValueRef s = LLVMBuildSwitch(t->b, number, nowhere, (unsigned)count);
	for (size_t i = 0; i < count; i++)
		if (leads_to(jump, blocks[i]))
			LLVMAddCase(s, tracer_q(t, i + 1), blocks[i]);
	map_get(&t->ordinals, (uint64_t)(uintptr_t)jump, &ordinal);
	map_set(&t->ordinals, (uint64_t)(uintptr_t)jump, 0);
	map_set(&t->ordinals, (uint64_t)(uintptr_t)s, ordinal);
	map_set(&t->jumps, (uint64_t)(uintptr_t)s, 1);
	LLVMInstructionEraseFromParent(jump);
}

void trace_expand_jumps(struct tracer *t, LLVMValueRef fn)
{
	VEC(LLVMBasicBlockRef) blocks = {0};
	VEC(LLVMValueRef) jumps = {0};
	int plain = 1;

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
		if (address_of(b))
			vec_push(&blocks, b);
		if (LLVMGetInstructionOpcode(last) == LLVMIndirectBr) {
			vec_push(&jumps, last);
			plain &= is_plain_jump(last);
		}
	}
	if (jumps.size && plain) {
		LLVMBasicBlockRef nowhere = LLVMAppendBasicBlockInContext(t->context, fn, "");
		LLVMPositionBuilderAtEnd(t->b, nowhere);
		LLVMBuildUnreachable(t->b);
		for (size_t i = 0; i < jumps.size; i++)
			replace_jump(t, jumps.data[i], blocks.data, blocks.size, nowhere);
		for (size_t i = 0; i < blocks.size; i++)
			LLVMReplaceAllUsesWith(address_of(blocks.data[i]), LLVMConstIntToPtr(tracer_q(t, i + 1), t->ptr));
	}
	vec_release(&blocks);
	vec_release(&jumps);
}
