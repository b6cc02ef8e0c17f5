/* fold_range.c: conditions of checks that hold whatever the program's input is.
 *
 * A value has a range: what its type and the operations right before it leave possible (a byte that was widened, a mask, a sum of
 * two small numbers), as a mathematical integer of its signed reading. A condition is known if the ranges of its
 * operands say so. No memory, no loops: where the chain of operations is long or comes round in a phi, everything is
 * possible. Arithmetic counts modulo the width, so a result is known only if it cannot wrap.
 */
#include "instrument/fold.h"

#include <string.h>

typedef __int128 wide;

struct range {
	wide low, high;
};

#define DEPTH 8

static unsigned width_of(LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);

	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

static struct range all_of(unsigned width)
{
	return (struct range){-((wide)1 << (width - 1)), ((wide)1 << (width - 1)) - 1};
}

static int inside(struct range a, struct range b)
{
	return a.low >= b.low && a.high <= b.high;
}

/* As an unsigned number of that width. */
static int is_positive(struct range a, unsigned width)
{
	return a.low >= 0 && a.high < (wide)1 << width;
}

static struct range either(struct range a, struct range b)
{
	return (struct range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static struct range product(struct range a, struct range b)
{
	wide p[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
	struct range r = {p[0], p[0]};

	for (int i = 1; i < 4; i++)
		r = either(r, (struct range){p[i], p[i]});
	return r;
}

/* Up to 64 bits each, so that nothing here overflows. */
static struct range arithmetic(LLVMOpcode op, struct range a, struct range b)
{
	switch (op) {
	case LLVMAdd:
		return (struct range){a.low + b.low, a.high + b.high};
	case LLVMSub:
		return (struct range){a.low - b.high, a.high - b.low};
	default:
		return product(a, b);
	}
}

static const char *overflow_name(LLVMValueRef v)
{
	LLVMValueRef f = LLVMIsACallInst(v) ? LLVMIsAFunction(LLVMGetCalledValue(v)) : NULL;
	size_t length;
	const char *name = f ? LLVMGetValueName2(f, &length) : "";

	return !strncmp(name, "llvm.", 5) && strstr(name, ".with.overflow.") ? name : NULL;
}

static LLVMOpcode overflow_op(const char *name)
{
	return !strncmp(name + 6, "add", 3) ? LLVMAdd : !strncmp(name + 6, "sub", 3) ? LLVMSub : LLVMMul;
}

static struct range range_of(LLVMValueRef v, int depth);

/* Of an operation on two numbers, before it wraps. */
static struct range unwrapped(LLVMOpcode op, LLVMValueRef inst, int depth)
{
	return arithmetic(op, range_of(LLVMGetOperand(inst, 0), depth), range_of(LLVMGetOperand(inst, 1), depth));
}

static struct range masked(struct range a, struct range b, struct range all)
{
	/* Of a negative number and a positive one, the positive one is the limit. */
	if (a.low >= 0 && b.low >= 0)
		return (struct range){0, a.high < b.high ? a.high : b.high};
	if (a.low >= 0)
		return (struct range){0, a.high};
	if (b.low >= 0)
		return (struct range){0, b.high};
	return all;
}

static struct range shifted(LLVMValueRef v, LLVMOpcode op, struct range all, int depth)
{
	struct range a = range_of(LLVMGetOperand(v, 0), depth), by = range_of(LLVMGetOperand(v, 1), depth);
	unsigned width = width_of(v);

	if (by.low < 0 || by.high >= width)
		return all;
	if (op == LLVMShl)
		return product(a, (struct range){(wide)1 << by.low, (wide)1 << by.high});
	if (op == LLVMLShr && a.low < 0)
		return by.low ? (struct range){0, ((wide)1 << (width - (unsigned)by.low)) - 1} : all;
	return (struct range){a.low >> (a.low < 0 ? by.low : by.high), a.high >> (a.high < 0 ? by.high : by.low)};
}

static struct range remainder_of(LLVMValueRef v, LLVMOpcode op, struct range all, int depth)
{
	struct range a = range_of(LLVMGetOperand(v, 0), depth), by = range_of(LLVMGetOperand(v, 1), depth);

	if (by.low <= 0)
		return all;
	if (op == LLVMURem || a.low >= 0)
		return (struct range){0, by.high - 1};
	return (struct range){-(by.high - 1), by.high - 1};
}

static struct range of_phi(LLVMValueRef v, struct range all, int depth)
{
	struct range r = all;

	if (LLVMCountIncoming(v) > 4)
		return all;
	for (unsigned k = 0; k < LLVMCountIncoming(v); k++) {
		struct range one = range_of(LLVMGetIncomingValue(v, k), depth / 2);

		r = k ? either(r, one) : one;
	}
	return r;
}

static struct range of_extract(LLVMValueRef v, struct range all, int depth)
{
	LLVMValueRef call = LLVMGetOperand(v, 0);
	const char *name = overflow_name(call);

	return name && !LLVMGetIndices(v)[0] ? unwrapped(overflow_op(name), call, depth) : all;
}

static struct range of_instruction(LLVMValueRef v, unsigned width, int depth)
{
	struct range all = all_of(width), a;
	LLVMOpcode op = LLVMGetInstructionOpcode(v);
	unsigned narrow;

	switch (op) {
	case LLVMZExt:
		narrow = width_of(LLVMGetOperand(v, 0));
		a = range_of(LLVMGetOperand(v, 0), depth);
		return a.low >= 0 && narrow > 1 ? a : (struct range){0, ((wide)1 << narrow) - 1};
	case LLVMSExt:
	case LLVMTrunc:
		return range_of(LLVMGetOperand(v, 0), depth);
	case LLVMAnd:
		return masked(range_of(LLVMGetOperand(v, 0), depth), range_of(LLVMGetOperand(v, 1), depth), all);
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
		return shifted(v, op, all, depth);
	case LLVMURem:
	case LLVMSRem:
		return remainder_of(v, op, all, depth);
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
		return unwrapped(op, v, depth);
	case LLVMSelect:
		return either(range_of(LLVMGetOperand(v, 1), depth), range_of(LLVMGetOperand(v, 2), depth));
	case LLVMPHI:
		return of_phi(v, all, depth);
	case LLVMExtractValue:
		return of_extract(v, all, depth);
	default:
		return all;
	}
}

/* Of an integer of 2 to 64 bits: its signed reading. */
static struct range range_of(LLVMValueRef v, int depth)
{
	unsigned width = width_of(v);
	struct range all, r;

	if (!width || width > 64)
		return all_of(64 + 1); /* not asked for where it would be believed */
	all = all_of(width);
	if (LLVMIsAConstantInt(v)) {
		wide value = LLVMConstIntGetSExtValue(v);

		return (struct range){value, value};
	}
	if (!depth || !LLVMIsAInstruction(v))
		return all;
	r = of_instruction(v, width, depth - 1);
	return inside(r, all) ? r : all;
}

/* ------------------------------------------------------------- conditions */

static int known(LLVMValueRef v, int depth);

static int less(struct range a, struct range b, int or_equal)
{
	if (or_equal ? a.high <= b.low : a.high < b.low)
		return 1;
	return (or_equal ? a.low > b.high : a.low >= b.high) ? 0 : -1;
}

/* x == extended(truncated x) */
static int survives(LLVMValueRef x, LLVMValueRef y, int depth)
{
	LLVMValueRef narrow;
	unsigned width;

	if (!LLVMIsAZExtInst(y) && !LLVMIsASExtInst(y))
		return -1;
	narrow = LLVMGetOperand(y, 0);
	if (!LLVMIsATruncInst(narrow) || LLVMGetOperand(narrow, 0) != x)
		return -1;
	width = width_of(narrow);
	return (LLVMIsAZExtInst(y) ? is_positive(range_of(x, depth), width) : inside(range_of(x, depth), all_of(width))) ? 1 : -1;
}

static int equal(LLVMValueRef x, LLVMValueRef y, int depth)
{
	struct range a = range_of(x, depth), b = range_of(y, depth);

	if (a.high < b.low || b.high < a.low)
		return 0;
	if (a.low == a.high && b.low == b.high)
		return 1;
	return survives(x, y, depth) > 0 || survives(y, x, depth) > 0 ? 1 : -1;
}

static int opposite(int k)
{
	return k < 0 ? k : !k;
}

static int compared(LLVMValueRef v, int depth)
{
	LLVMValueRef x = LLVMGetOperand(v, 0), y = LLVMGetOperand(v, 1);
	LLVMIntPredicate p = LLVMGetICmpPredicate(v);
	unsigned width = width_of(x);
	struct range a, b;

	if (width == 1 && LLVMIsAConstantInt(y) && (p == LLVMIntEQ || p == LLVMIntNE)) {
		int k = known(x, depth);

		return k < 0 ? k : (k == (int)LLVMConstIntGetZExtValue(y)) == (p == LLVMIntEQ);
	}
	if (width < 2 || width > 64)
		return -1;
	a = range_of(x, depth), b = range_of(y, depth);
	if (p >= LLVMIntUGT && p <= LLVMIntULE && (a.low < 0 || b.low < 0))
		return -1; /* the two readings differ */
	switch (p) {
	case LLVMIntEQ:
		return equal(x, y, depth);
	case LLVMIntNE:
		return opposite(equal(x, y, depth));
	case LLVMIntULT:
	case LLVMIntSLT:
		return less(a, b, 0);
	case LLVMIntULE:
	case LLVMIntSLE:
		return less(a, b, 1);
	case LLVMIntUGT:
	case LLVMIntSGT:
		return less(b, a, 0);
	default:
		return less(b, a, 1);
	}
}

/* The overflow bit: 0, or not known. */
static int overflows(LLVMValueRef call, int depth)
{
	const char *name = overflow_name(call);
	unsigned width = name ? width_of(LLVMGetOperand(call, 0)) : 0;
	struct range x, y, r;

	if (width < 2 || width > 64)
		return -1;
	x = range_of(LLVMGetOperand(call, 0), depth), y = range_of(LLVMGetOperand(call, 1), depth);
	r = arithmetic(overflow_op(name), x, y);
	if (name[5] == 's')
		return inside(r, all_of(width)) ? 0 : -1;
	return x.low >= 0 && y.low >= 0 && is_positive(r, width) ? 0 : -1;
}

static int both(int a, int b)
{
	return a == 0 || b == 0 ? 0 : a == 1 && b == 1 ? 1 : -1;
}

static int known(LLVMValueRef v, int depth)
{
	int k = -1;

	if (LLVMIsAConstantInt(v))
		return LLVMConstIntGetZExtValue(v) != 0;
	if (!depth || !LLVMIsAInstruction(v) || width_of(v) != 1)
		return -1;
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMICmp:
		return compared(v, depth - 1);
	case LLVMAnd:
		return both(known(LLVMGetOperand(v, 0), depth - 1), known(LLVMGetOperand(v, 1), depth - 1));
	case LLVMOr:
		return opposite(both(opposite(known(LLVMGetOperand(v, 0), depth - 1)), opposite(known(LLVMGetOperand(v, 1), depth - 1))));
	case LLVMXor:
		return known(LLVMGetOperand(v, 1), 0) == 1 ? opposite(known(LLVMGetOperand(v, 0), depth - 1)) : -1;
	case LLVMExtractValue:
		return LLVMGetIndices(v)[0] == 1 ? overflows(LLVMGetOperand(v, 0), depth - 1) : -1;
	case LLVMPHI:
		for (unsigned i = 0; i < LLVMCountIncoming(v); i++) {
			int one = known(LLVMGetIncomingValue(v, i), depth - 1);

			if (one < 0 || (i && one != k))
				return -1;
			k = one;
		}
		return k;
	default:
		return -1;
	}
}

int fold_always_holds(LLVMValueRef condition)
{
	return known(condition, DEPTH) == 1;
}
