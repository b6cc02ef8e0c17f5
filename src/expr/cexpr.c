/* cexpr.c: C text with its type and range.
 *
 * Each constructor asks what C would compute: it finds the common type by the
 * usual arithmetic conversions, works out the range of the exact result, and
 * where that range leaves the type (signed overflow, a lost sign, bits beyond
 * the type) puts in the one cast that mends it.
 *
 * Invariant: (C value) == (bit-vector value) modulo 2^width, no operation of the
 * text overflows a signed type, and -neg <= C value <= pos.
 */
#include "expr/cexpr.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static u128 ones(unsigned width)
{
	return op_mask(~(u128)0, width);
}

/* Bits of the smallest C type that holds `width` and is not promoted. */
static unsigned type_bits(unsigned width)
{
	return width <= 32 ? 32 : width <= 64 ? 64 : 128;
}

static const char *type_name(unsigned bits, int is_signed)
{
	switch (bits) {
	case 8:
		return is_signed ? "int8_t" : "uint8_t";
	case 16:
		return is_signed ? "int16_t" : "uint16_t";
	case 32:
		return is_signed ? "int32_t" : "uint32_t";
	case 64:
		return is_signed ? "int64_t" : "uint64_t";
	default:
		return is_signed ? "int128_t" : "uint128_t";
	}
}

static int fits(const struct cx *x, unsigned bits, int is_signed)
{
	if (is_signed)
		return x->neg <= (u128)1 << (bits - 1) && x->pos <= ones(bits - 1);
	return x->neg == 0 && x->pos <= ones(bits);
}

static struct cx make(struct arena *a, unsigned prec, unsigned bits, int is_signed, u128 neg,
		      u128 pos, const char *fmt, ...) __attribute__((format(printf, 7, 8)));

static struct cx make(struct arena *a, unsigned prec, unsigned bits, int is_signed, u128 neg,
		      u128 pos, const char *fmt, ...)
{
	struct buf b = {0};
	va_list ap;
	va_start(ap, fmt);
	buf_addv(&b, fmt, ap);
	va_end(ap);
	struct cx x = {.prec = (uint8_t)prec,
		       .bits = (uint8_t)bits,
		       .is_signed = (uint8_t)is_signed,
		       .neg = neg,
		       .pos = pos};
	x.text = arena_strndup(a, buf_str(&b), b.size);
	x.size = (uint32_t)b.size;
	buf_release(&b);
	return x;
}

/* ------------------------------------------------------------- constants */

struct cx cx_const(u128 value, unsigned width)
{
	return (struct cx){.value = op_mask(value, width)};
}

static int is_const(const struct cx *x)
{
	return x->text == NULL;
}

enum { PLAIN, HEX };

/* A literal for a magnitude, with C's type for it. */
static struct cx literal(struct arena *a, u128 v, int negative, int style)
{
	u128 neg = negative ? v : 0, pos = negative ? 0 : v;
	unsigned prec = negative ? CX_UNARY : CX_PRIMARY;
	if (v == (u128)1 << 63 && negative)
		return make(a, CX_PRIMARY, 64, 1, neg, pos, "INT64_MIN");
	if (v >> 64 || (negative && v >> 63)) {
		u128 whole = negative ? -v : v;
		return make(a, negative ? CX_UNARY : CX_PRIMARY, 128, negative, neg, pos,
			    "%sU128(0x%" PRIx64 ", 0x%" PRIx64 ")", negative ? "(int128_t)" : "",
			    (uint64_t)(whole >> 64), (uint64_t)whole);
	}
	uint64_t low = (uint64_t)v;
	if (negative)
		return make(a, prec, low >> 31 ? 64 : 32, 1, neg, pos, "-%" PRIu64, low);
	if (style == PLAIN && low < 1000000)
		return make(a, prec, 32, 1, neg, pos, "%" PRIu64, low);
	if (style == HEX && low < 10)
		return make(a, prec, 32, 1, neg, pos, "%" PRIu64, low);
	/* In hexadecimal the type is int, unsigned, long, unsigned long: the first that fits. */
	return make(a, prec, low >> 32 ? 64 : 32, !(low >> 31 == 1 || low >> 63), neg, pos,
		    "0x%" PRIx64, low);
}

static struct cx literal_unsigned(struct arena *a, struct cx x, int style)
{
	return literal(a, x.value, 0, style);
}

static struct cx literal_signed(struct arena *a, struct cx x, unsigned width)
{
	s128 v = op_signed(x.value, width);
	return literal(a, v < 0 ? -(u128)v : (u128)v, v < 0, PLAIN);
}

/* Anything congruent will do: the shorter of the two readings. */
static struct cx literal_any(struct arena *a, struct cx x, unsigned width)
{
	u128 minus = op_mask(-x.value, width);
	return minus && minus < 0x10000 && minus < x.value ? literal(a, minus, 1, PLAIN)
							   : literal_unsigned(a, x, PLAIN);
}

void cx_char(struct buf *out, unsigned value)
{
	switch (value) {
	case '\n':
		buf_adds(out, "'\\n'");
		return;
	case '\r':
		buf_adds(out, "'\\r'");
		return;
	case '\t':
		buf_adds(out, "'\\t'");
		return;
	case '\'':
		buf_adds(out, "'\\''");
		return;
	case '\\':
		buf_adds(out, "'\\\\'");
		return;
	default:
		if (value >= ' ' && value < 127)
			buf_addf(out, "'%c'", (int)value);
		else
			buf_addf(out, "%u", value);
	}
}

static struct cx literal_char(struct arena *a, unsigned value)
{
	struct buf b = {0};
	cx_char(&b, value);
	struct cx x = make(a, CX_PRIMARY, 32, 1, 0, value, "%s", buf_str(&b));
	buf_release(&b);
	return x;
}

static int reads_as_char(u128 value)
{
	return (value >= ' ' && value < 127) || value == '\n' || value == '\r' || value == '\t';
}

struct cx cx_text(struct arena *a, unsigned width, enum cx_prec prec, const char *fmt, ...)
{
	struct buf b = {0};
	va_list ap;
	va_start(ap, fmt);
	buf_addv(&b, fmt, ap);
	va_end(ap);
	struct cx x =
	    make(a, prec, type_bits(width), width < 32, 0, ones(width), "%s", buf_str(&b));
	buf_release(&b);
	return x;
}

/* ----------------------------------------------------------- conversions */

/* The text, in parentheses if it binds weaker than its place asks for. */
static const char *in_place(struct arena *a, const struct cx *x, unsigned prec)
{
	if (x->prec >= prec)
		return x->text;
	char *s = arena_alloc(a, x->size + 3);
	s[0] = '(';
	memcpy(s + 1, x->text, x->size);
	s[x->size + 1] = ')';
	return s;
}

/* A cast to a type of 8 to 128 bits; the result has the promoted type. */
static struct cx cast(struct arena *a, struct cx x, unsigned bits, int is_signed)
{
	u128 neg = is_signed ? (u128)1 << (bits - 1) : 0,
	     pos = is_signed ? ones(bits - 1) : ones(bits);
	if (fits(&x, bits, is_signed)) {
		neg = x.neg;
		pos = x.pos;
	}
	struct cx r = make(a, CX_UNARY, bits < 32 ? 32 : bits, bits < 32 || is_signed, neg, pos,
			   "(%s)%s", type_name(bits, is_signed), in_place(a, &x, CX_UNARY));
	r.is_char = x.is_char && bits == 8;
	return r;
}

static int standard(unsigned width)
{
	return width == 8 || width == 16 || width == 32 || width == 64 || width == 128;
}

struct cx cx_unsigned(struct arena *a, struct cx x, unsigned width)
{
	if (is_const(&x))
		return literal_unsigned(a, x, PLAIN);
	if (fits(&x, width, 0))
		return x;
	if (standard(width))
		return cast(a, x, width, 0);
	struct cx mask = literal(a, ones(width), 0, HEX);
	unsigned bits = x.bits > mask.bits ? x.bits : mask.bits;
	int is_signed = x.bits > mask.bits   ? x.is_signed
			: mask.bits > x.bits ? mask.is_signed
					     : x.is_signed && mask.is_signed;
	return make(a, CX_AND, bits, is_signed, 0, ones(width), "%s & %s", in_place(a, &x, CX_AND),
		    mask.text);
}

struct cx cx_sign(struct arena *a, struct cx x, unsigned width)
{
	if (is_const(&x))
		return literal_signed(a, x, width);
	if (fits(&x, width, 1))
		return x;
	if (standard(width))
		return cast(a, x, width, 1);
	if (width == 1) {
		x = cx_unsigned(a, x, 1);
		if (!x.is_signed)
			x = cast(a, x, 32, 1);
		return make(a, CX_UNARY, x.bits, 1, 1, 0, "-%s", in_place(a, &x, CX_PRIMARY));
	}
	return make(a, CX_PRIMARY, width <= 64 ? 64 : 128, 1, (u128)1 << (width - 1),
		    ones(width - 1), "%s(%s, %u)", width <= 64 ? "sx" : "sx128", x.text, width);
}

/* The type that both operands are converted to. */
static void common(const struct cx *x, const struct cx *y, unsigned *bits, int *is_signed)
{
	*bits = x->bits > y->bits ? x->bits : y->bits;
	if (x->bits == y->bits)
		*is_signed = x->is_signed && y->is_signed;
	else
		*is_signed = x->bits > y->bits ? x->is_signed : y->is_signed;
}

/* Before an operator that only needs congruence: is the conversion to the common type harmless? */
static void settle_ring(struct arena *a, unsigned width, struct cx *x, struct cx *y)
{
	unsigned bits;
	int is_signed;
	common(x, y, &bits, &is_signed);
	if (bits < width && !is_signed && (!fits(x, bits, 0) || !fits(y, bits, 0)))
		*x = cast(a, *x, type_bits(width), 0);
}

/* Do both values survive the conversion to their common type? */
static int agree(const struct cx *x, const struct cx *y)
{
	unsigned bits;
	int is_signed;
	common(x, y, &bits, &is_signed);
	return fits(x, bits, is_signed) && fits(y, bits, is_signed);
}

/* Before an operator that looks at the values: where one may be negative and the other has an
 * unsigned type, the unsigned one is cast to a signed type that holds both. */
static void settle_exact(struct arena *a, struct cx *x, struct cx *y)
{
	unsigned bits = 32;
	if (agree(x, y))
		return;
	while (bits < 128 && !(fits(x, bits, 1) && fits(y, bits, 1)))
		bits *= 2;
	if (!x->is_signed)
		*x = cast(a, *x, bits, 1);
	if (!agree(x, y))
		*y = cast(a, *y, bits, 1);
}

/* ------------------------------------------------------------- operators */

static int same_type(const struct cx *x, const struct cx *y)
{
	return x->bits == y->bits && x->is_signed == y->is_signed;
}

/* x SIGN y, already settled. Right operands of equal precedence get parentheses, except where
 * the operator is associative and no conversion lies between. */
static struct cx join(struct arena *a, const char *sign, unsigned prec, int associative,
		      struct cx x, struct cx y, u128 neg, u128 pos)
{
	unsigned bits;
	int is_signed;
	common(&x, &y, &bits, &is_signed);
	unsigned right = associative && same_type(&x, &y) ? prec : prec + 1;
	return make(a, prec, bits, is_signed, neg, pos, "%s %s %s", in_place(a, &x, prec), sign,
		    in_place(a, &y, right));
}

static u128 bigger(u128 x, u128 y)
{
	return x > y ? x : y;
}

/* The exact range of x OP y; 0 if it passes 128 bits. */
static int ring_range(enum muster_op op, const struct cx *x, const struct cx *y, u128 *neg,
		      u128 *pos)
{
	u128 p, q, r, s;
	int over;
	switch (op) {
	case MUSTER_OP_ADD:
		over = __builtin_add_overflow(x->neg, y->neg, neg);
		return !__builtin_add_overflow(x->pos, y->pos, pos) && !over;
	case MUSTER_OP_SUB:
		over = __builtin_add_overflow(x->neg, y->pos, neg);
		return !__builtin_add_overflow(x->pos, y->neg, pos) && !over;
	default:
		over = __builtin_mul_overflow(x->pos, y->pos, &p);
		over += __builtin_mul_overflow(x->neg, y->neg, &q);
		over += __builtin_mul_overflow(x->pos, y->neg, &r);
		over += __builtin_mul_overflow(x->neg, y->pos, &s);
		*pos = bigger(p, q);
		*neg = bigger(r, s);
		return !over;
	}
}

static struct cx ring(struct arena *a, enum muster_op op, unsigned width, struct cx x, struct cx y)
{
	unsigned bits;
	int is_signed, known;
	u128 neg, pos;
	struct cx r = {0};

	settle_ring(a, width, &x, &y);
	for (int tries = 0;; tries++) {
		common(&x, &y, &bits, &is_signed);
		known = ring_range(op, &x, &y, &neg, &pos);
		struct cx exact = {.neg = neg, .pos = pos};
		int whole = known && fits(&x, bits, is_signed) && fits(&y, bits, is_signed) &&
			    fits(&exact, bits, is_signed);
		if (whole)
			break;
		if (!is_signed && bits >= width) { /* wraps, as it should */
			neg = 0;
			pos = ones(bits);
			break;
		}
		if (tries)
			BUG("no type for an operator of width %u", width);
		x = cast(a, x, bits > type_bits(width) ? bits : type_bits(width), 0);
	}
	if (op == MUSTER_OP_ADD && y.text[0] == '-' && y.prec == CX_UNARY && y.pos == 0 &&
	    y.size < 8) {
		y.text++; /* x + -1 reads x - 1 */
		y.prec = CX_PRIMARY;
		r = join(a, "-", CX_SUM, 0, x, y, neg, pos);
	} else {
		r = join(a, op_table[op].text, op == MUSTER_OP_MUL ? CX_PRODUCT : CX_SUM, 0, x, y,
			 neg, pos);
	}
	return r;
}

static u128 fill(u128 x) /* the least 2^n - 1 that is not below x */
{
	for (unsigned shift = 1; shift < 128; shift *= 2)
		x |= x >> shift;
	return x;
}

static struct cx bitwise(struct arena *a, enum muster_op op, unsigned width, struct cx x,
			 struct cx y)
{
	settle_ring(a, width, &x, &y);
	unsigned bits;
	int is_signed;
	common(&x, &y, &bits, &is_signed);
	u128 neg = 0, pos;
	if (x.neg == 0 && y.neg == 0) {
		pos = op == MUSTER_OP_AND ? (x.pos < y.pos ? x.pos : y.pos) : fill(x.pos | y.pos);
	} else if (is_signed) { /* both are sign extensions of at most this many bits */
		pos = fill(bigger(bigger(x.pos, y.pos), bigger(x.neg, y.neg) - 1));
		neg = pos + 1;
		if (op == MUSTER_OP_AND && x.neg == 0)
			neg = 0, pos = x.pos;
		else if (op == MUSTER_OP_AND && y.neg == 0)
			neg = 0, pos = y.pos;
	} else {
		pos = ones(bits);
	}
	unsigned prec = op == MUSTER_OP_AND ? CX_AND : op == MUSTER_OP_OR ? CX_OR : CX_XOR;
	return join(a, op_table[op].text, prec, 1, x, y, neg, pos);
}

static struct cx shift_left(struct arena *a, unsigned width, struct cx x, struct cx y)
{
	unsigned most = y.pos < width - 1 ? (unsigned)y.pos : width - 1;
	u128 pos = x.pos << most;
	int exact = x.neg == 0 && pos >> most == x.pos;
	struct cx r = {.pos = pos};
	if (!(exact && most < x.bits && fits(&r, x.bits, x.is_signed))) {
		if (x.is_signed || x.bits < width)
			x = cast(a, x, type_bits(width) > x.bits ? type_bits(width) : x.bits, 0);
		if (!(exact && pos <= ones(x.bits)))
			pos = ones(x.bits);
	}
	r = join(a, "<<", CX_SHIFT, 0, x, y, 0, pos);
	r.bits = x.bits;
	r.is_signed = x.is_signed;
	return r;
}

/* width: of x, or the bits of it that the amount can pass */
static struct cx shift_right(struct arena *a, unsigned width, struct cx x, struct cx y,
			     int constant)
{
	if (y.pos >= x.bits && x.bits < width)
		x = cast(a, x, type_bits(width), x.is_signed);
	unsigned by = constant && y.pos < 128 ? (unsigned)y.pos : 0;
	u128 neg = x.neg >> by;
	if (x.neg && neg << by != x.neg)
		neg++;
	struct cx r = join(a, ">>", CX_SHIFT, 0, x, y, neg, x.pos >> by);
	r.bits = x.bits;
	r.is_signed = x.is_signed;
	return r;
}

static struct cx divide(struct arena *a, enum muster_op op, unsigned width, struct cx x,
			struct cx y)
{
	int is_signed = op == MUSTER_OP_SDIV || op == MUSTER_OP_SREM;
	int rest = op == MUSTER_OP_UREM || op == MUSTER_OP_SREM;
	x = is_signed ? cx_sign(a, x, width) : cx_unsigned(a, x, width);
	y = is_signed ? cx_sign(a, y, width) : cx_unsigned(a, y, width);
	settle_exact(a, &x, &y);
	u128 neg = x.neg, pos = x.pos;
	if (op == MUSTER_OP_SDIV)
		neg = bigger(neg, y.neg ? x.pos : 0), pos = bigger(pos, y.neg ? x.neg : 0);
	struct cx r = join(a, rest ? "%" : "/", CX_PRODUCT, 0, x, y, neg, pos);
	/* The least value by -1 is not a value; the range must not say it is. */
	if (is_signed && r.pos > ones(width - 1))
		r.pos = ones(width - 1);
	return r;
}

struct cx cx_not(struct arena *a, struct cx x)
{
	if (is_const(&x))
		return cx_const(!x.value, 1);
	x = cx_unsigned(a, x, 1);
	return make(a, CX_UNARY, 32, 1, 0, 1, "!%s", in_place(a, &x, CX_UNARY));
}

/* Width 1: the logical operators say it better. */
static struct cx logical(struct arena *a, enum muster_op op, struct cx x, struct cx y)
{
	if (op == MUSTER_OP_XOR && is_const(&y))
		return y.value ? cx_not(a, x) : x;
	x = cx_unsigned(a, x, 1);
	y = cx_unsigned(a, y, 1);
	if (op == MUSTER_OP_XOR)
		return make(a, CX_EQUAL, 32, 1, 0, 1, "%s != %s", in_place(a, &x, CX_EQUAL + 1),
			    in_place(a, &y, CX_EQUAL + 1));
	unsigned prec = op == MUSTER_OP_AND ? CX_ANDAND : CX_OROR;
	/* && within || is put in parentheses, as compilers ask for. */
	unsigned inner = prec == CX_OROR ? CX_OR : prec;
	const char *left = in_place(a, &x, x.prec == prec ? prec : inner);
	const char *right = in_place(a, &y, y.prec == prec ? prec : inner);
	return make(a, prec, 32, 1, 0, 1, "%s %s %s", left, op == MUSTER_OP_AND ? "&&" : "||",
		    right);
}

static struct cx overflow(struct arena *a, enum muster_op op, unsigned width, struct cx x,
			  struct cx y)
{
	int is_signed = op == MUSTER_OP_SADDO || op == MUSTER_OP_SSUBO || op == MUSTER_OP_SMULO;
	x = is_signed ? cx_sign(a, x, width) : cx_unsigned(a, x, width);
	y = is_signed ? cx_sign(a, y, width) : cx_unsigned(a, y, width);
	return make(a, CX_PRIMARY, 32, 1, 0, 1, "%s(%s, %s, %u)", op_table[op].text, x.text, y.text,
		    width);
}

/* Constants next to characters: in[0] - '0', in[0] == 'a'. */
static struct cx near_char(struct arena *a, const struct cx *other, struct cx c, unsigned width,
			   int sum)
{
	if (other->is_char && reads_as_char(c.value) &&
	    (!sum || c.value == '0' || c.value == 'a' || c.value == 'A'))
		return literal_char(a, (unsigned)c.value);
	return sum ? literal_any(a, c, width) : cx_unsigned(a, c, width);
}

static int commutes(enum muster_op op)
{
	return op == MUSTER_OP_ADD || op == MUSTER_OP_MUL || op == MUSTER_OP_AND ||
	       op == MUSTER_OP_OR || op == MUSTER_OP_XOR;
}

struct cx cx_binary(struct arena *a, enum muster_op op, unsigned width, struct cx x, struct cx y)
{
	if (is_const(&x) && !is_const(&y) && commutes(op)) { /* constants to the right */
		struct cx swap = x;
		x = y;
		y = swap;
	}
	if (is_const(&y) && y.value == 0 &&
	    (op == MUSTER_OP_ADD || op == MUSTER_OP_SUB || op == MUSTER_OP_OR ||
	     op == MUSTER_OP_XOR) &&
	    !is_const(&x))
		return x;
	switch (op) {
	case MUSTER_OP_ADD:
	case MUSTER_OP_SUB:
	case MUSTER_OP_MUL:
		if (op == MUSTER_OP_ADD && is_const(&y) &&
		    x.is_char) { /* in[0] + -48 reads in[0] - '0' */
			struct cx minus = cx_const(-y.value, width);
			struct cx c = near_char(a, &x, minus, width, 1);
			if (c.text[0] == '\'')
				return ring(a, MUSTER_OP_SUB, width, x, c);
		}
		if (is_const(&x))
			x = near_char(a, &y, x, width, 1);
		if (is_const(&y))
			y = op == MUSTER_OP_SUB ? near_char(a, &x, y, width, 1)
						: literal_any(a, y, width);
		return ring(a, op, width, x, y);
	case MUSTER_OP_AND:
	case MUSTER_OP_OR:
	case MUSTER_OP_XOR:
		if (width == 1)
			return logical(a, op, x, y);
		if (is_const(&x))
			x = literal_unsigned(a, x, HEX);
		if (is_const(&y))
			y = literal_unsigned(a, y, HEX);
		return bitwise(a, op, width, x, y);
	case MUSTER_OP_SHL:
		if (is_const(&x))
			x = literal_any(a, x, width);
		return shift_left(a, width, x, cx_unsigned(a, y, width));
	case MUSTER_OP_LSHR:
	case MUSTER_OP_ASHR: {
		int constant = is_const(&y);
		x = op == MUSTER_OP_LSHR ? cx_unsigned(a, x, width) : cx_sign(a, x, width);
		return shift_right(a, width, x, cx_unsigned(a, y, width), constant);
	}
	case MUSTER_OP_UDIV:
	case MUSTER_OP_SDIV:
	case MUSTER_OP_UREM:
	case MUSTER_OP_SREM:
		return divide(a, op, width, x, y);
	case MUSTER_OP_EQ:
	case MUSTER_OP_NE:
	case MUSTER_OP_ULT:
	case MUSTER_OP_ULE:
	case MUSTER_OP_SLT:
	case MUSTER_OP_SLE:
		return cx_compare(a, op, 0, width, x, y);
	default:
		return overflow(a, op, width, x, y);
	}
}

/* Both operands in one reading. For equality any will do: the one that needs no cast. */
static void same_form(struct arena *a, enum muster_op op, unsigned width, struct cx *x,
		      struct cx *y)
{
	int is_signed = op == MUSTER_OP_SLT || op == MUSTER_OP_SLE;
	if (op == MUSTER_OP_EQ || op == MUSTER_OP_NE) {
		int u = (is_const(x) || fits(x, width, 0)) && (is_const(y) || fits(y, width, 0));
		int s = (is_const(x) || fits(x, width, 1)) && (is_const(y) || fits(y, width, 1));
		/* -1 reads better than 0xffffffff. */
		const struct cx *c = is_const(x) ? x : is_const(y) ? y : NULL;
		is_signed = s && (!u || (c && op_signed(c->value, width) < 0));
	}
	if (is_const(y) && x->is_char && reads_as_char(y->value))
		*y = literal_char(a, (unsigned)y->value);
	if (is_const(x) && y->is_char && reads_as_char(x->value))
		*x = literal_char(a, (unsigned)x->value);
	*x = is_signed ? cx_sign(a, *x, width) : cx_unsigned(a, *x, width);
	*y = is_signed ? cx_sign(a, *y, width) : cx_unsigned(a, *y, width);
}

struct cx cx_compare(struct arena *a, enum muster_op op, int negate, unsigned width, struct cx x,
		     struct cx y)
{
	int equal = op == MUSTER_OP_EQ || op == MUSTER_OP_NE,
	    or_equal = op == MUSTER_OP_ULE || op == MUSTER_OP_SLE;
	int left = is_const(&x) && !is_const(&y); /* the constant goes to the right */
	if (equal && width == 1 && is_const(left ? &x : &y)) {
		u128 c = left ? x.value : y.value;
		struct cx truth = cx_unsigned(a, left ? y : x, 1);
		return (c == 1) == ((op == MUSTER_OP_EQ) == !negate) ? truth : cx_not(a, truth);
	}
	same_form(a, op, width, &x, &y);
	settle_exact(a, &x, &y);
	static const char *const signs[2][2] = {{"<", "<="}, {">", ">="}};
	const char *sign = equal ? ((op == MUSTER_OP_EQ) == !negate ? "==" : "!=")
				 : signs[left ^ negate][or_equal ^ negate];
	unsigned prec = equal ? CX_EQUAL : CX_LESS;
	/* Bitwise operators bind weaker, so they come in parentheses by themselves; comparisons of
	 * comparisons too. */
	struct cx *first = left ? &y : &x, *second = left ? &x : &y;
	return make(a, prec, 32, 1, 0, 1, "%s %s %s", in_place(a, first, CX_LESS + 1), sign,
		    in_place(a, second, CX_LESS + 1));
}

/* A call of one of the prologue's functions: with the suffix 128 where 64 bits are too few. */
struct cx cx_unary(struct arena *a, enum muster_op op, unsigned width, struct cx x)
{
	x = cx_unsigned(a, x, width);
	const char *name = op_table[op].text;
	int wide = width > 64;
	switch (op) {
	case MUSTER_OP_BSWAP:
		if (width == 16 || width == 32 || width == 64)
			return cx_text(a, width, CX_PRIMARY, "%s%u(%s)", name, width, x.text);
		/* fall through */
	case MUSTER_OP_BITREVERSE: {
		struct cx r = cx_text(a, wide ? 128 : 64, CX_PRIMARY, "%s%s(%s, %u)", name,
				      wide ? "128n" : "n", x.text, width);
		r.pos = ones(width);
		return r;
	}
	case MUSTER_OP_CTPOP:
		return make(a, CX_PRIMARY, 32, 1, 0, width, "%s%s(%s)", name, wide ? "128" : "",
			    x.text);
	default:
		return make(a, CX_PRIMARY, 32, 1, 0, width, "%s%s(%s, %u)", name, wide ? "128" : "",
			    x.text, width);
	}
}

struct cx cx_extract(struct arena *a, unsigned from, unsigned low, unsigned width, struct cx x)
{
	if (is_const(&x))
		return cx_const(x.value >> low, width);
	if (low == 0)
		return x;
	/* Bits below low are dropped, bits from low + width on do not matter: any congruent value
	 * serves. */
	return shift_right(a, from, x, literal(a, low, 0, PLAIN), 1);
}

struct cx cx_concat(struct arena *a, unsigned high_width, unsigned low_width, struct cx high,
		    struct cx low)
{
	unsigned width = high_width + low_width;
	if (is_const(&high) && is_const(&low))
		return cx_const(high.value << low_width | low.value, width);
	if (is_const(&high) && high.value == 0)
		return cx_unsigned(a, low, low_width);
	if (is_const(&high))
		high = literal(a, high.value << low_width, 0, HEX);
	else
		high = shift_left(a, width, cx_unsigned(a, high, high_width),
				  literal(a, low_width, 0, PLAIN));
	if (is_const(&low) && low.value == 0)
		return high;
	return bitwise(a, MUSTER_OP_OR, width, high, cx_unsigned(a, low, low_width));
}

struct cx cx_ite(struct arena *a, unsigned width, struct cx condition, struct cx x, struct cx y)
{
	condition = cx_unsigned(a, condition, 1);
	same_form(a, MUSTER_OP_EQ, width, &x, &y);
	settle_exact(a, &x, &y);
	unsigned bits;
	int is_signed;
	common(&x, &y, &bits, &is_signed);
	return make(a, CX_TERNARY, bits, is_signed, bigger(x.neg, y.neg), bigger(x.pos, y.pos),
		    "%s ? %s : %s", in_place(a, &condition, CX_OROR), in_place(a, &x, CX_OROR),
		    in_place(a, &y, CX_TERNARY));
}

struct cx cx_bind(struct arena *a, struct cx x, unsigned width, const char *name,
		  const char **definition)
{
	if (is_const(&x))
		x = literal_any(a, x, width);
	struct cx r = make(a, CX_PRIMARY, x.bits, x.is_signed, x.neg, x.pos, "%s", name);
	*definition = make(a, CX_PRIMARY, 32, 1, 0, 0, "%s %s = %s;",
			   type_name(x.bits, x.is_signed), name, x.text)
			  .text;
	r.is_char = x.is_char;
	return r;
}
