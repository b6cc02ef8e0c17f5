/* fold_repeat.c: checks for null that the path has made already.
 *
 * Clang asks of every access whether its pointer is null: a function that gets a structure asks some hundred times for one value. Where a block that
 * asked for the same value dominates another, the second question has the answer of the first, in every run: between the two the value
 * was not made anew, or a path from the entry would go round the first. Its event would be a condition that the path has, of the same outcome, and cannot be
 * negated. Such checks were a third of the code of trace variants.
 *
 * Dominators as Cooper, Harvey and Kennedy compute them ("A Simple, Fast Dominance Algorithm"), for the functions that have such checks.
 */
#include "instrument/fold.h"

#include "muster/abi.h"

#define KEPT 64 /* checks for one value that are compared with; more would only cost time */
#define NONE UINT32_MAX

static uint64_t key(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/* -------------------------------------------------------------- dominators */

struct frame {
	LLVMBasicBlockRef block;
	unsigned next;
};

/* Numbers blocks in post-order and notes who leads to whom. */
static void number_blocks(struct fold_repeats *r, LLVMValueRef function)
{
	VEC(struct frame) stack = {0};
	struct map seen = {0};
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);

	map_set(&seen, key(entry), 1);
	vec_push(&stack, (struct frame){entry, 0});
	while (stack.size) {
		struct frame *f = &vec_last(&stack);
		LLVMValueRef last = LLVMGetBasicBlockTerminator(f->block);

		if (f->next < LLVMGetNumSuccessors(last)) {
			LLVMBasicBlockRef to = LLVMGetSuccessor(last, f->next++);

			if (map_set(&seen, key(to), 1))
				vec_push(&stack, (struct frame){to, 0});
			continue;
		}
		map_set(&r->number, key(f->block), r->blocks.size);
		vec_push(&r->blocks, f->block);
		vec_push(&r->above, NONE);
		stack.size--;
	}
	vec_release(&stack);
	map_release(&seen);
}

static uint32_t meet(const struct fold_repeats *r, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (a < b)
			a = r->above.data[a];
		while (b < a)
			b = r->above.data[b];
	}
	return a;
}

/* One round over all edges, entry first; 1 if something changed. */
static int improve(struct fold_repeats *r)
{
	int changed = 0;

	for (size_t i = r->blocks.size; i-- > 0;) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(r->blocks.data[i]);

		for (unsigned k = 0; r->above.data[i] != NONE && k < LLVMGetNumSuccessors(last); k++) {
			uint64_t to;
			uint32_t now;

			map_get(&r->number, key(LLVMGetSuccessor(last, k)), &to);
			now = r->above.data[to] == NONE ? (uint32_t)i : meet(r, (uint32_t)i, r->above.data[to]);
			changed |= now != r->above.data[to];
			r->above.data[to] = now;
		}
	}
	return changed;
}

static void enter(struct fold_repeats *r, LLVMValueRef function)
{
	r->function = function;
	vec_clear(&r->blocks);
	vec_clear(&r->above);
	vec_clear(&r->kept);
	map_clear(&r->number);
	map_clear(&r->last);
	number_blocks(r, function);
	r->above.data[r->blocks.size - 1] = (uint32_t)r->blocks.size - 1; /* the entry */
	while (improve(r))
		;
}

static int dominates(const struct fold_repeats *r, uint32_t a, uint32_t b)
{
	while (b < a && r->above.data[b] != b)
		b = r->above.data[b];
	return a == b;
}

/* ------------------------------------------------------------------ checks */

int fold_is_repeated(struct fold_repeats *r, LLVMValueRef check)
{
	LLVMValueRef null = unit_checker(check) == MUSTER_CHECK_NULL && unit_check_fails(check) >= 0 ? unit_check_null(check) : NULL, root;
	LLVMBasicBlockRef block = LLVMGetInstructionParent(check);
	uint64_t at, before = 0;

	if (!null)
		return 0;
	if (LLVMGetBasicBlockParent(block) != r->function)
		enter(r, LLVMGetBasicBlockParent(block));
	if (!map_get(&r->number, key(block), &at))
		return 0; /* nothing leads there */
	root = unit_pointer_root(LLVMGetOperand(null, 0));
	map_get(&r->last, key(root), &before);
	for (unsigned n = 0; before && n < KEPT; n++) {
		const struct fold_kept *k = &r->kept.data[before - 1];

		if (k->block != at && dominates(r, k->block, (uint32_t)at))
			return 1;
		before = k->before;
	}
	map_get(&r->last, key(root), &before);
	vec_push(&r->kept, ((struct fold_kept){(uint32_t)at, (uint32_t)before}));
	map_set(&r->last, key(root), r->kept.size);
	return 0;
}

void fold_repeats_release(struct fold_repeats *r)
{
	vec_release(&r->blocks);
	vec_release(&r->above);
	vec_release(&r->kept);
	map_release(&r->number);
	map_release(&r->last);
}
