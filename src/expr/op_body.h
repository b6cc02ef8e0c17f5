/* op_body.h: the meaning of each operator, written once for any machine integer.
 *
 * Included by op.c with OP_U (unsigned type), OP_S (its signed twin), OP_BITS and
 * OP_NAME(x) defined, once for 64 bits and once for 128. Every value is kept
 * masked to its width; signed readings are made by op_sign where one is needed,
 * so no operator depends on bits above the width. There is no include guard: the
 * second inclusion is the point.
 */

static inline OP_U OP_NAME(mask)(unsigned width)
{
	return width >= OP_BITS ? ~(OP_U)0 : ((OP_U)1 << width) - 1;
}

static inline OP_S OP_NAME(sign)(OP_U x, unsigned width)
{
	unsigned up = OP_BITS - width;
	return (OP_S)(x << up) >> up;
}

/* Does a signed result need more than width bits? */
static inline int OP_NAME(escapes)(OP_S x, unsigned width)
{
	return OP_NAME(sign)((OP_U)x, width) != x;
}

static inline OP_U OP_NAME(swap)(OP_U x, unsigned width)
{
	OP_U r = 0;
	for (unsigned i = 0; i < width; i += 8)
		r = r << 8 | (x >> i & 0xff);
	return r;
}

static inline OP_U OP_NAME(reverse)(OP_U x, unsigned width)
{
	OP_U r = 0;
	for (unsigned i = 0; i < width; i++)
		r = r << 1 | (x >> i & 1);
	return r;
}

static inline unsigned OP_NAME(popcount)(OP_U x)
{
	unsigned n = 0;
	for (; x; x &= x - 1)
		n++;
	return n;
}

static inline unsigned OP_NAME(length)(OP_U x) /* bits up to the highest one */
{
	unsigned n = 0;
	for (; x; x >>= 1)
		n++;
	return n;
}

/* width: of the result; from: of the operands (of a, where they differ). Returns
 * OP_OK, OP_UNDEFINED, or OP_NO_VALUE for operators that are not functions of their operands. */
static inline enum op_status OP_NAME(apply)(enum muster_op op, unsigned width, unsigned from,
					    unsigned low, OP_U a, OP_U b, OP_U c, OP_U *out)
{
	OP_S sa = OP_NAME(sign)(a, from), sb = OP_NAME(sign)(b, from), s;
	OP_U r, u;

	switch (op) {
	case MUSTER_OP_ADD: r = a + b; break;
	case MUSTER_OP_SUB: r = a - b; break;
	case MUSTER_OP_MUL: r = a * b; break;
	case MUSTER_OP_UDIV:
	case MUSTER_OP_UREM:
		if (b == 0)
			return OP_UNDEFINED;
		r = op == MUSTER_OP_UDIV ? a / b : a % b;
		break;
	case MUSTER_OP_SDIV:
	case MUSTER_OP_SREM:
		if (b == 0 || (sb == -1 && a == (OP_U)1 << (from - 1)))
			return OP_UNDEFINED;
		r = (OP_U)(op == MUSTER_OP_SDIV ? sa / sb : sa % sb);
		break;
	case MUSTER_OP_AND: r = a & b; break;
	case MUSTER_OP_OR: r = a | b; break;
	case MUSTER_OP_XOR: r = a ^ b; break;
	case MUSTER_OP_SHL:
	case MUSTER_OP_LSHR:
	case MUSTER_OP_ASHR:
		if (b >= width)
			return OP_UNDEFINED;
		r = op == MUSTER_OP_SHL    ? a << (unsigned)b
		    : op == MUSTER_OP_LSHR ? a >> (unsigned)b
					   : (OP_U)(sa >> (unsigned)b);
		break;
	case MUSTER_OP_EQ: r = a == b; break;
	case MUSTER_OP_NE: r = a != b; break;
	case MUSTER_OP_ULT: r = a < b; break;
	case MUSTER_OP_ULE: r = a <= b; break;
	case MUSTER_OP_SLT: r = sa < sb; break;
	case MUSTER_OP_SLE: r = sa <= sb; break;
	case MUSTER_OP_SADDO: r = __builtin_add_overflow(sa, sb, &s) || OP_NAME(escapes)(s, from); break;
	case MUSTER_OP_SSUBO: r = __builtin_sub_overflow(sa, sb, &s) || OP_NAME(escapes)(s, from); break;
	case MUSTER_OP_SMULO: r = __builtin_mul_overflow(sa, sb, &s) || OP_NAME(escapes)(s, from); break;
	case MUSTER_OP_UADDO: r = __builtin_add_overflow(a, b, &u) || u > OP_NAME(mask)(from); break;
	case MUSTER_OP_USUBO: r = a < b; break;
	case MUSTER_OP_UMULO: r = __builtin_mul_overflow(a, b, &u) || u > OP_NAME(mask)(from); break;
	case MUSTER_OP_EXTRACT: r = a >> low; break;
	case MUSTER_OP_ZEXT: r = a; break;
	case MUSTER_OP_SEXT: r = (OP_U)sa; break;
	/* low is the width of b, the low part; only a result of full width could shift it out of range. */
	case MUSTER_OP_CONCAT: r = a << low | b; break;
	case MUSTER_OP_ITE: r = a ? b : c; break;
	case MUSTER_OP_BSWAP: r = OP_NAME(swap)(a, width); break;
	case MUSTER_OP_BITREVERSE: r = OP_NAME(reverse)(a, width); break;
	case MUSTER_OP_CTPOP: r = OP_NAME(popcount)(a); break;
	case MUSTER_OP_CTLZ: r = from - OP_NAME(length)(a); break;
	case MUSTER_OP_CTTZ: r = a ? OP_NAME(popcount)((a & -a) - 1) : from; break;
	case MUSTER_OP_NONE:
	case MUSTER_OP_INPUT:
	case MUSTER_OP_LENGTH:
	case MUSTER_OP_CONST:
	case MUSTER_OP_BYTES:
	case MUSTER_OP_READ:
	case MUSTER_OP_DATA:
	case MUSTER_OP_LEAF:
	case MUSTER_OP_COUNT:
	default: return OP_NO_VALUE;
	}
	*out = r & OP_NAME(mask)(width);
	return OP_OK;
}
