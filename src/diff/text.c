/* text.c: conditions on inputs as C that a person reads.
 *
 * A comparison of words, of what C makes of narrow words (they become int), and of constants is written as a programmer would: `x < 10`, `a * 3 - b == c`. What is written has the meaning of
 * the term when the names have the types that the source gives them: an operand is asked for in its signed or its unsigned reading, and gets a cast where its type has the other
 * one; sums are written only where their range shows that int holds them. What is none of this is written in full by expr's own printer, with parameters cast to unsigned types, if it is short.
 */
#include "diff/inside.h"

#include "expr/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SHORT 160 /* letters of a literal in full */
#define EXACT 4000 /* letters of a set as one formula: what follows the conditions that a person reads, for programs and -v */
#define DEPTH 6	  /* operators inside each other */

typedef __int128 i128;

enum reading { SIGNED, UNSIGNED };

static const char *type_name(unsigned width, enum reading r)
{
	switch (width) {
	case 8:
		return r == SIGNED ? "signed char" : "unsigned char";
	case 16:
		return r == SIGNED ? "short" : "unsigned short";
	case 32:
		return r == SIGNED ? "int" : "unsigned";
	case 64:
		return r == SIGNED ? "long" : "unsigned long";
	default:
		return NULL;
	}
}

static i128 signed_value(unsigned width, u128 value)
{
	return width < 128 && value >> (width - 1) & 1 ? (i128)value - ((i128)1 << width) : (i128)value;
}

static void add_number(struct buf *out, unsigned width, u128 value, enum reading r)
{
	i128 v = r == SIGNED && width > 1 ? signed_value(width, value) : (i128)value;
	if (v == -((i128)1 << 63))
		buf_adds(out, "(-9223372036854775807l - 1)");
	else if (v == -((i128)1 << 31) && width <= 32)
		buf_adds(out, "(-2147483647 - 1)");
	else if (v < 0)
		buf_addf(out, "%lld%s", (long long)v, v < -((i128)1 << 31) ? "l" : "");
	else
		buf_addf(out, "%llu%s", (unsigned long long)v, v >> 63 ? "ul" : v >> 32 ? "l" : v >> 31 ? "u" : "");
}

static void add_mask(struct buf *out, u128 mask)
{
	buf_addf(out, mask < 10 ? " & %llu" : " & %#llx", (unsigned long long)mask);
}

void diff_text_constant(const struct diff_word *in, unsigned width, u128 value, struct buf *out)
{
	if (in->is_pointer && value)
		buf_addf(out, "%#llx", (unsigned long long)value);
	else
		add_number(out, width, value, in->is_unsigned || in->is_pointer ? UNSIGNED : SIGNED);
}

/* ------------------------------------------------------------ sums of narrow words: int in C */

struct natural {
	i128 low, high;
	int sum; /* needs parentheses in a product: a quotient and a remainder, too */
};

static int natural(struct diff_pair *x, expr_t e, unsigned depth, struct buf *out, struct natural *v);

static int natural_operator(struct diff_pair *x, struct expr_node n, unsigned depth, struct buf *out, struct natural *v)
{
	struct natural a, b;
	struct buf left = BUF_EMPTY, right = BUF_EMPTY;
	u128 value;
	int ok = natural(x, n.a, depth - 1, &left, &a) && natural(x, n.b, depth - 1, &right, &b), product = n.op == MUSTER_OP_MUL, minus = n.op == MUSTER_OP_SUB;
	if (ok && n.op == MUSTER_OP_ADD && expr_is_const(x->p, n.b, &value) && b.high < 0) {
		minus = 1;
		buf_clear(&right);
		buf_addf(&right, "%lld", (long long)-b.low);
		b = (struct natural){-b.high, -b.low, 0};
	}
	if (ok) {
		i128 c[4] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
		*v = minus ? (struct natural){a.low - b.high, a.high - b.low, 1} : (struct natural){a.low + b.low, a.high + b.high, 1};
		for (int i = 0; product && i < 4; i++) {
			v->low = !i || c[i] < v->low ? c[i] : v->low;
			v->high = !i || c[i] > v->high ? c[i] : v->high;
			v->sum = 0;
		}
		ok = v->low >= -((i128)1 << 31) && v->high < (i128)1 << 31;
		int round_left = product && a.sum, round_right = (product || minus) && b.sum;
		buf_addf(out, "%s%s%s %s %s%s%s", round_left ? "(" : "", buf_str(&left), round_left ? ")" : "", product ? "*" : minus ? "-" : "+", round_right ? "(" : "", buf_str(&right),
			 round_right ? ")" : "");
	}
	buf_release(&left);
	buf_release(&right);
	return ok;
}

/* A quotient or remainder by a positive constant. */
static int natural_quotient(struct diff_pair *x, struct expr_node n, unsigned depth, struct buf *out, struct natural *v)
{
	struct natural a;
	struct buf left = BUF_EMPTY;
	u128 value;
	int ok = expr_is_const(x->p, n.b, &value) && signed_value(32, value) > 0 && natural(x, n.a, depth - 1, &left, &a);
	if (ok) {
		i128 d = signed_value(32, value), most = d - 1;
		*v = n.op == MUSTER_OP_SDIV ? (struct natural){a.low / d, a.high / d, 1} : (struct natural){a.low < 0 ? -most : 0, a.high > 0 ? most : 0, 1};
		buf_addf(out, "%s%s%s %c %lld", a.sum ? "(" : "", buf_str(&left), a.sum ? ")" : "", n.op == MUSTER_OP_SDIV ? '/' : '%', (long long)d);
	}
	buf_release(&left);
	return ok;
}

/* The word, read so. 0: C has no cast for it. */
static int word_name(const struct diff_word *in, unsigned width, enum reading r, struct buf *out)
{
	int cast = !in->is_pointer && in->is_unsigned != (r == UNSIGNED);
	if (in->is_field ? cast : !type_name(width, r))
		return 0;
	if (cast)
		buf_addf(out, "(%s)", type_name(width, r));
	buf_adds(out, in->name);
	return 1;
}

/* Bits of a word as a number that is not negative. */
static int natural_part(struct diff_pair *x, expr_t e, struct buf *out, struct natural *v)
{
	struct diff_part part;
	if (!diff_part_find(x, e, &part) || part.width > 31)
		return 0;
	*v = (struct natural){0, ((i128)1 << part.width) - 1, 0};
	buf_addf(out, "(%s", part.in->name);
	if (part.low)
		buf_addf(out, " >> %u", part.low);
	add_mask(out, ((u128)1 << part.width) - 1);
	buf_addc(out, ')');
	return 1;
}

/* The term's signed reading at 32 bits, as an expression of type int whose operations stay in it. */
static int natural(struct diff_pair *x, expr_t e, unsigned depth, struct buf *out, struct natural *v)
{
	struct expr_node n = *expr_get(x->p, e);
	u128 value;
	if (!depth || n.width != 32)
		return 0;
	if (expr_is_const(x->p, e, &value)) {
		v->low = v->high = signed_value(32, value);
		v->sum = v->low < 0;
		add_number(out, 32, value, SIGNED);
		return 1;
	}
	if (n.op == MUSTER_OP_ZEXT || n.op == MUSTER_OP_SEXT) {
		const struct diff_word *in = diff_word_find(x, n.a);
		unsigned width = in ? expr_width(x->p, n.a) : 0;
		enum reading r = n.op == MUSTER_OP_SEXT ? SIGNED : UNSIGNED;
		if (!in)
			return r == UNSIGNED && natural_part(x, n.a, out, v);
		if (in->is_pointer || !word_name(in, width, r, out))
			return 0;
		*v = r == SIGNED ? (struct natural){-((i128)1 << (width - 1)), ((i128)1 << (width - 1)) - 1, 0} : (struct natural){0, ((i128)1 << width) - 1, 0};
		return 1;
	}
	if (n.op == MUSTER_OP_ADD || n.op == MUSTER_OP_SUB || n.op == MUSTER_OP_MUL)
		return natural_operator(x, n, depth, out, v);
	if (n.op == MUSTER_OP_SDIV || n.op == MUSTER_OP_SREM)
		return natural_quotient(x, n, depth, out, v);
	const struct diff_word *in = diff_word_find(x, e);
	if (!in || in->is_pointer || in->is_unsigned)
		return 0;
	*v = (struct natural){-((i128)1 << 31), ((i128)1 << 31) - 1, 0};
	return word_name(in, 32, SIGNED, out);
}

/* ------------------------------------------------------------ sums that wrap: unsigned in C */

static int wrapped(struct diff_pair *x, expr_t e, unsigned depth, struct buf *out, int *sum);

static int wrapped_operator(struct diff_pair *x, struct expr_node n, unsigned depth, struct buf *out, int *sum)
{
	struct buf left = BUF_EMPTY, right = BUF_EMPTY;
	int product = n.op == MUSTER_OP_MUL, minus = n.op == MUSTER_OP_SUB, left_sum = 0, right_sum = 0;
	u128 value;
	int ok = wrapped(x, n.a, depth - 1, &left, &left_sum);
	if (n.op == MUSTER_OP_ADD && expr_is_const(x->p, n.b, &value) && value >> (n.width - 1)) { /* x + 4294967295 is x - 1 */
		minus = 1;
		add_number(&right, n.width, ((u128)1 << n.width) - value, UNSIGNED);
	} else {
		ok = ok && wrapped(x, n.b, depth - 1, &right, &right_sum);
	}
	int round_left = product && left_sum, round_right = (product || minus) && right_sum;
	if (ok)
		buf_addf(out, "%s%s%s %s %s%s%s", round_left ? "(" : "", buf_str(&left), round_left ? ")" : "", product ? "*" : minus ? "-" : "+", round_right ? "(" : "", buf_str(&right),
			 round_right ? ")" : "");
	*sum = !product;
	buf_release(&left);
	buf_release(&right);
	return ok;
}

/* The term of 32 or 64 bits as an expression of the unsigned type of that width, or a constant beside one. */
static int wrapped(struct diff_pair *x, expr_t e, unsigned depth, struct buf *out, int *sum)
{
	struct expr_node n = *expr_get(x->p, e);
	const struct diff_word *in = diff_word_find(x, e);
	u128 value;
	*sum = 0;
	if (!depth || (n.width != 32 && n.width != 64))
		return 0;
	if (expr_is_const(x->p, e, &value)) {
		add_number(out, n.width, value, UNSIGNED);
		return 1;
	}
	if (in)
		return !in->is_pointer && word_name(in, n.width, UNSIGNED, out);
	if (n.op == MUSTER_OP_ADD || n.op == MUSTER_OP_SUB || n.op == MUSTER_OP_MUL)
		return wrapped_operator(x, n, depth, out, sum);
	in = n.op == MUSTER_OP_ZEXT || n.op == MUSTER_OP_SEXT ? diff_word_find(x, n.a) : NULL;
	if (!in || in->is_pointer)
		return 0;
	buf_addf(out, "(%s)", type_name(n.width, UNSIGNED));
	return word_name(in, expr_width(x->p, n.a), n.op == MUSTER_OP_SEXT ? SIGNED : UNSIGNED, out);
}

static int wrapped_operand(struct diff_pair *x, expr_t e, enum reading r, struct buf *out)
{
	struct expr_node n = *expr_get(x->p, e);
	struct buf text = BUF_EMPTY;
	int sum, ok = (n.op == MUSTER_OP_ADD || n.op == MUSTER_OP_SUB || n.op == MUSTER_OP_MUL) && wrapped(x, e, DEPTH, &text, &sum) && text.size < SHORT;
	if (ok && r == SIGNED)
		buf_addf(out, "(%s)(%s)", type_name(n.width, SIGNED), buf_str(&text));
	else if (ok)
		buf_adds(out, buf_str(&text));
	buf_release(&text);
	return ok;
}

/* ------------------------------------------------------------ operands of comparisons */

static int operand(struct diff_pair *x, expr_t e, enum reading r, struct buf *out)
{
	struct expr_node n = *expr_get(x->p, e);
	const struct diff_word *in = diff_word_find(x, e);
	struct natural v;
	struct buf text = BUF_EMPTY;
	u128 value;
	if (expr_is_const(x->p, e, &value)) {
		add_number(out, n.width, value, r);
		return 1;
	}
	if (in)
		return word_name(in, n.width, r, out);
	if (r == UNSIGNED && natural_part(x, e, out, &v))
		return 1;
	if (natural(x, e, DEPTH, &text, &v) && (r == SIGNED || v.low >= 0)) {
		buf_adds(out, buf_str(&text));
		buf_release(&text);
		return 1;
	}
	buf_release(&text);
	if ((n.op == MUSTER_OP_ZEXT || n.op == MUSTER_OP_SEXT) && (in = diff_word_find(x, n.a)) && !in->is_pointer) {
		enum reading inner = n.op == MUSTER_OP_SEXT ? SIGNED : UNSIGNED;
		unsigned width = expr_width(x->p, n.a);
		if (!type_name(n.width, r))
			return 0;
		buf_addf(out, "(%s)", type_name(n.width, r));
		return word_name(in, width, inner, out);
	}
	return wrapped_operand(x, e, r, out);
}

/* Bits of a word beside a constant: under a mask, where they are. */
static int masked(struct diff_pair *x, expr_t e, expr_t to, int positive, struct buf *out)
{
	struct diff_part part;
	u128 value;
	if (!expr_is_const(x->p, to, &value) || diff_word_find(x, e) || !diff_part_find(x, e, &part))
		return 0;
	if (part.width == 1 && value) { /* one bit is set, or not */
		value = 0;
		positive = !positive;
	}
	buf_addf(out, "(%s", part.in->name);
	add_mask(out, (((u128)1 << part.width) - 1) << part.low);
	value <<= part.low;
	buf_addf(out, value < 10 ? ") %s %llu" : ") %s %#llx", positive ? "==" : "!=", (unsigned long long)value);
	return 1;
}

/* The reading in which an equality is written: that of the word in it. */
static enum reading reading_of(struct diff_pair *x, expr_t a, expr_t b)
{
	const struct diff_word *in = diff_word_find(x, a);
	in = in ? in : diff_word_find(x, b);
	return in && (in->is_unsigned || in->is_pointer) ? UNSIGNED : SIGNED;
}

static int comparison(struct diff_pair *x, struct expr_node n, int positive, struct buf *out)
{
	struct buf a = BUF_EMPTY, b = BUF_EMPTY;
	expr_t left = n.a, right = n.b;
	const char *op;
	enum reading r = n.op == MUSTER_OP_SLT || n.op == MUSTER_OP_SLE ? SIGNED : UNSIGNED;
	switch (n.op) {
	case MUSTER_OP_EQ:
		op = positive ? "==" : "!=";
		r = reading_of(x, n.a, n.b);
		break;
	case MUSTER_OP_ULT:
	case MUSTER_OP_SLT:
		op = positive ? "<" : ">=";
		break;
	case MUSTER_OP_ULE:
	case MUSTER_OP_SLE:
		op = positive ? "<=" : ">";
		break;
	default:
		return 0;
	}
	if (expr_is_const(x->p, left, NULL) && strcmp(op, "==") && strcmp(op, "!=")) { /* 3 < x is x > 3 */
		left = n.b;
		right = n.a;
		op = *op == '<' ? (op[1] ? ">=" : ">") : (op[1] ? "<=" : "<");
	}
	int mask = n.op == MUSTER_OP_EQ && (masked(x, left, right, positive, out) || masked(x, right, left, positive, out));
	int ok = mask || (operand(x, left, r, &a) && operand(x, right, r, &b));
	if (ok && !mask)
		buf_addf(out, "%s %s %s", buf_str(&a), op, buf_str(&b));
	buf_release(&a);
	buf_release(&b);
	return ok;
}

/* ------------------------------------------------------------ in full */

static void full_name(void *ctx, expr_t variable, struct buf *out)
{
	struct diff_pair *x = ctx;
	const struct diff_word *in = diff_word_find(x, variable);
	unsigned width = expr_width(x->p, variable);
	if (in && width > 1)
		buf_addf(out, "((%s)%s)", type_name(width, UNSIGNED), in->name);
	else if (in || !diff_word_byte_text(x, variable, out))
		buf_adds(out, in ? in->name : expr_name(x->p, variable));
}

/* Only parameters of the usual widths are in it. */
static int is_plain(struct diff_pair *x, expr_t e)
{
	uint32_t count;
	const expr_t *vars = expr_vars(x->p, e, &count);
	for (uint32_t i = 0; i < count; i++) {
		const struct diff_word *in = diff_word_find(x, vars[i]);
		unsigned width = expr_width(x->p, vars[i]);
		if (!in || !in->is_parameter || in->is_pointer || (width != 1 && !type_name(width, SIGNED)))
			return 0;
	}
	return 1;
}

/* Does it call a function, or use a type of the printer's own? */
static int has_helpers(const char *s)
{
	if (strstr(s, "uint128_t"))
		return 1;
	for (size_t i = 1; s[0] && s[i]; i++)
		if (s[i] == '(' && (isalnum((unsigned char)s[i - 1]) || s[i - 1] == '_'))
			return 1;
	return 0;
}

static int are_integers(struct diff_pair *x, expr_t e)
{
	uint32_t count;
	const expr_t *vars = expr_vars(x->p, e, &count);
	struct buf text = BUF_EMPTY;
	int ok = 1;
	for (uint32_t i = 0; i < count && ok; i++) {
		const struct diff_word *in = diff_word_find(x, vars[i]);
		unsigned width = expr_width(x->p, vars[i]);
		ok = in && in->is_parameter ? !in->is_pointer && (width == 1 || type_name(width, SIGNED)) : diff_word_byte_text(x, vars[i], &text);
	}
	buf_release(&text);
	return ok;
}

int diff_text_exact(struct diff_pair *x, expr_t e, struct buf *out)
{
	struct buf text = BUF_EMPTY;
	int ok = diff_pair_is_input_only(x, e) && are_integers(x, e);
	if (ok)
		expr_c_alone(x->p, e, &text, full_name, x);
	ok = ok && text.size && text.size < EXACT && !has_helpers(buf_str(&text));
	if (ok)
		buf_adds(out, buf_str(&text));
	buf_release(&text);
	return ok;
}

/* A bit of a word is a condition by itself. */
static int one_bit(struct diff_pair *x, expr_t atom, int positive, struct buf *out)
{
	struct diff_part part;
	if (expr_width(x->p, atom) != 1 || !diff_part_find(x, atom, &part))
		return 0;
	if (!part.in->is_bool)
		return masked(x, atom, expr_true(x->p), positive, out);
	if (!part.low)
		buf_addf(out, "%s%s", positive ? "" : "!", part.in->name);
	return !part.low;
}

int diff_text_literal(struct diff_pair *x, expr_t atom, int positive, struct buf *out)
{
	struct expr_node n = *expr_get(x->p, atom);
	const struct diff_word *in = diff_word_find(x, atom);
	struct buf text = BUF_EMPTY;
	int ok;
	if (n.op == MUSTER_OP_XOR && n.width == 1 && expr_is_const(x->p, n.b, NULL))
		return diff_text_literal(x, n.a, !positive, out);
	if (in) {
		buf_addf(out, "%s%s", positive ? "" : "!", in->name);
		return 1;
	}
	if (one_bit(x, atom, positive, out))
		return 1;
	if (comparison(x, n, positive, &text)) {
		buf_adds(out, buf_str(&text));
		buf_release(&text);
		return 1;
	}
	buf_clear(&text);
	ok = is_plain(x, atom);
	if (ok)
		expr_c_alone(x->p, atom, &text, full_name, x);
	ok = ok && text.size && text.size < SHORT && !strpbrk(buf_str(&text), "{;") && !has_helpers(buf_str(&text));
	if (ok)
		buf_addf(out, "%s(%s)", positive ? "" : "!", buf_str(&text));
	buf_release(&text);
	return ok;
}
