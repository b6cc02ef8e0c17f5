/* build.c: constructors of structure: parts, joins, choices, reads, one-operand operators.
 *
 * Words are normally put together from input bytes and taken apart again. The normal form makes
 * both visible: a concatenation is a list of parts to the right (its left part is no
 * concatenation), adjacent parts of one term and adjacent constants are joined, zeros at the top
 * are a ZEXT, and an EXTRACT reaches through all of these. The constructors call each other only
 * with smaller widths or operands; the few that go down a chain of unknown length stop at
 * MAX_DEPTH.
 *
 * Invariant: every term keeps its value for all values of the variables; and the constructor of
 * a term's operator gives the term back (idempotence), chains beyond MAX_DEPTH excepted.
 */
#include "expr/pool.h"
#include "expr/pieces.h"

#include "base/error.h"

#define MAX_DEPTH 64
#define MAX_PART 4096 /* bytes of a table that are copied to make it smaller */

static expr_t bit_of(struct exprs *p, expr_t a, unsigned i)
{
	return expr_extract(p, a, i, 1);
}

static void check_width(unsigned width, const char *what)
{
	if (width < 1 || width > 128)
		BUG("%s of %u bits", what, width);
}

/* ----------------------------------------------------------------- parts */

/* Does the low part of a sum come from the low parts of its operands for free? */
static int truncates(const struct exprs *p, expr_t e, unsigned width)
{
	const struct expr_node *n = node(p, e);
	if (n->op == MUSTER_OP_CONST)
		return 1;
	return (n->op == MUSTER_OP_ZEXT || n->op == MUSTER_OP_SEXT) &&
	       node(p, n->a)->width <= width;
}

static expr_t extract_sext(struct exprs *p, expr_t x, unsigned low, unsigned width)
{
	unsigned from = expr_width(p, x);
	if (low >= from)
		return expr_sext(p, bit_of(p, x, from - 1), width);
	return expr_sext(p, expr_extract(p, x, low, from - low), width);
}

/* Operators that work on parts: bitwise ones by a constant, choices between constants, low parts of
 * sums. EXPR_NONE if a is none of these. */
static expr_t extract_through(struct exprs *p, expr_t a, unsigned low, unsigned width)
{
	struct expr_node n = *node(p, a);
	expr_t r = EXPR_NONE;
	if (p->depth >= MAX_DEPTH)
		return r;
	p->depth++;
	switch (n.op) {
	case MUSTER_OP_AND:
	case MUSTER_OP_OR:
	case MUSTER_OP_XOR:
		if (is_op(p, n.b, MUSTER_OP_CONST)) {
			expr_t x = expr_extract(p, n.a, low, width);
			r = expr_binary(p, n.op, x, expr_extract(p, n.b, low, width));
		}
		break;
	case MUSTER_OP_ADD:
	case MUSTER_OP_SUB:
	case MUSTER_OP_MUL:
		if (low == 0 && truncates(p, n.a, width) && truncates(p, n.b, width)) {
			expr_t x = expr_extract(p, n.a, 0, width);
			r = expr_binary(p, n.op, x, expr_extract(p, n.b, 0, width));
		}
		break;
	case MUSTER_OP_ITE:
		if (is_op(p, n.b, MUSTER_OP_CONST) && is_op(p, n.c, MUSTER_OP_CONST)) {
			expr_t x = expr_extract(p, n.b, low, width);
			r = expr_ite(p, n.a, x, expr_extract(p, n.c, low, width));
		}
		break;
	default:
		break;
	}
	p->depth--;
	return r;
}

expr_t expr_extract(struct exprs *p, expr_t a, unsigned low, unsigned width)
{
	check_width(width, "a part");
	if (low + width > expr_width(p, a))
		BUG("bits %u to %u of %u", low, low + width - 1, expr_width(p, a));
	for (;;) {
		const struct expr_node *n = node(p, a);
		if (n->width == width)
			return a;
		if (n->op == MUSTER_OP_CONST)
			return expr_const(p, width, node_value(n) >> low);
		unsigned from = n->a ? node(p, n->a)->width : 0;
		switch (n->op) {
		case MUSTER_OP_EXTRACT:
			low += (unsigned)n->k;
			a = n->a;
			continue;
		case MUSTER_OP_ZEXT:
			if (low >= from)
				return expr_const(p, width, 0);
			a = n->a;
			if (low + width <= from)
				continue;
			return expr_zext(p, expr_extract(p, a, low, from - low), width);
		case MUSTER_OP_SEXT:
			a = n->a;
			if (low + width <= from)
				continue;
			return extract_sext(p, a, low, width);
		case MUSTER_OP_CONCAT: {
			expr_t high = n->a, rest = n->b;
			unsigned cut = node(p, rest)->width;
			if (low >= cut) {
				low -= cut;
				a = high;
				continue;
			}
			if (low + width <= cut) {
				a = rest;
				continue;
			}
			rest = expr_extract(p, rest, low, cut - low);
			return expr_concat(p, expr_extract(p, high, 0, low + width - cut), rest);
		}
		default: {
			expr_t r = extract_through(p, a, low, width);
			if (r)
				return r;
			return expr_make(p, (struct expr_node){.op = MUSTER_OP_EXTRACT,
							       .width = (uint8_t)width,
							       .a = a,
							       .k = low});
		}
		}
	}
}

expr_t expr_zext(struct exprs *p, expr_t a, unsigned width)
{
	const struct expr_node *n = node(p, a);
	check_width(width, "an extension");
	if (n->width > width)
		BUG("%u bits extended to %u", n->width, width);
	if (n->width == width)
		return a;
	if (n->op == MUSTER_OP_CONST)
		return expr_const(p, width, node_value(n));
	if (n->op == MUSTER_OP_ZEXT)
		a = n->a;
	return expr_make3(p, MUSTER_OP_ZEXT, width, a, 0, 0);
}

expr_t expr_sext(struct exprs *p, expr_t a, unsigned width)
{
	const struct expr_node *n = node(p, a);
	check_width(width, "an extension");
	if (n->width > width)
		BUG("%u bits extended to %u", n->width, width);
	if (n->width == width)
		return a;
	switch (n->op) {
	case MUSTER_OP_CONST:
		return expr_const(p, width, (u128)op_signed(node_value(n), n->width));
	case MUSTER_OP_ZEXT: /* its top bit is zero */
		return expr_zext(p, n->a, width);
	case MUSTER_OP_SEXT:
		a = n->a;
		break;
	case MUSTER_OP_CONCAT:
		if (is_op(p, n->a, MUSTER_OP_CONST)) {
			expr_t rest = n->b;
			expr_t top = expr_sext(p, n->a, width - node(p, rest)->width);
			return expr_concat(p, top, rest);
		}
		break;
	default:
		break;
	}
	return expr_make3(p, MUSTER_OP_SEXT, width, a, 0, 0);
}

/* ----------------------------------------------------------------- joins */

/* Two neighbours as one term that is no concatenation, or EXPR_NONE. */
static expr_t fuse(struct exprs *p, expr_t high, expr_t low)
{
	const struct expr_node *h = node(p, high), *l = node(p, low);
	unsigned width = h->width + l->width;
	if (h->op == MUSTER_OP_CONST && l->op == MUSTER_OP_CONST)
		return expr_const(p, width, node_value(h) << l->width | node_value(l));
	if (h->op != MUSTER_OP_EXTRACT)
		return EXPR_NONE;
	if (l->op == MUSTER_OP_EXTRACT && h->a == l->a && h->k == l->k + l->width)
		return expr_extract(p, h->a, (unsigned)l->k, width);
	return EXPR_NONE;
}

/* Copies of the top bit of low above low: a sign extension. */
static expr_t fuse_sign(struct exprs *p, expr_t high, expr_t low)
{
	const struct expr_node *h = node(p, high), *l = node(p, low);
	unsigned width = h->width + l->width;
	expr_t bit = h->op == MUSTER_OP_SEXT ? h->a : high;
	if (node(p, bit)->width != 1)
		return EXPR_NONE;
	if (l->op == MUSTER_OP_SEXT && l->a == bit)
		return expr_sext(p, bit, width);
	if (is_op(p, bit, MUSTER_OP_EXTRACT) && node(p, bit)->a == low &&
	    node(p, bit)->k == l->width - 1u)
		return expr_sext(p, low, width);
	return EXPR_NONE;
}

expr_t expr_concat(struct exprs *p, expr_t high, expr_t low)
{
	const struct expr_node *h = node(p, high), *l = node(p, low);
	unsigned width = h->width + l->width;
	check_width(width, "a concatenation");
	if (h->op == MUSTER_OP_CONCAT) {
		expr_t top = h->a;
		return expr_concat(p, top, expr_concat(p, h->b, low));
	}
	if (h->op == MUSTER_OP_ZEXT)
		return expr_zext(p, expr_concat(p, h->a, low), width);
	if (h->op == MUSTER_OP_CONST && node_value(h) == 0)
		return expr_zext(p, low, width);
	expr_t r = fuse(p, high, low);
	if (!r)
		r = fuse_sign(p, high, low);
	if (r)
		return r;
	l = node(p, low);
	if (l->op == MUSTER_OP_CONCAT) {
		expr_t rest = l->b;
		r = fuse(p, high, l->a);
		if (r)
			return expr_concat(p, r, rest);
	} else if (l->op == MUSTER_OP_ZEXT && is_op(p, high, MUSTER_OP_CONST)) {
		expr_t rest = l->a;
		unsigned zeros = l->width - node(p, rest)->width;
		u128 value = node_value(node(p, high)) << zeros;
		return expr_concat(p, expr_const(p, width - node(p, rest)->width, value), rest);
	}
	return expr_make3(p, MUSTER_OP_CONCAT, width, high, low, 0);
}

void expr_pieces(const struct exprs *p, expr_t e, struct pieces *out)
{
	out->count = 0;
	for (;;) {
		const struct expr_node *n = node(p, e);
		if (n->op == MUSTER_OP_CONCAT) {
			out->at[out->count++] = (struct piece){n->a, node(p, n->a)->width};
			e = n->b;
		} else if (n->op == MUSTER_OP_ZEXT) {
			out->at[out->count++] =
			    (struct piece){EXPR_NONE, n->width - node(p, n->a)->width};
			e = n->a;
		} else {
			out->at[out->count++] = (struct piece){e, n->width};
			return;
		}
	}
}

expr_t expr_pieces_join(struct exprs *p, const struct pieces *in)
{
	expr_t r = EXPR_NONE;
	for (unsigned i = in->count; i-- > 0;) {
		expr_t e = in->at[i].e;
		if (!e)
			e = expr_const(p, in->at[i].width, 0);
		r = r ? expr_concat(p, e, r) : e;
	}
	return r;
}

/* --------------------------------------------------------------- choices */

static expr_t ite_bool(struct exprs *p, expr_t c, expr_t a, expr_t b)
{
	if (a == expr_true(p))
		return expr_or(p, c, b);
	if (a == expr_false(p))
		return expr_and(p, expr_not(p, c), b);
	if (b == expr_true(p))
		return expr_or(p, expr_not(p, c), a);
	if (b == expr_false(p))
		return expr_and(p, c, a);
	return EXPR_NONE;
}

/* Both arms are extensions of narrower terms, or constants that are. */
static expr_t ite_narrow(struct exprs *p, expr_t c, expr_t a, expr_t b)
{
	const struct expr_node *x = node(p, a), *y = node(p, b);
	unsigned width = x->width;
	u128 va = node_value(x), vb = node_value(y);
	if (x->op == MUSTER_OP_CONST && y->op == MUSTER_OP_CONST) {
		if (va == 1 && vb == 0)
			return expr_zext(p, c, width);
		if (va == 0 && vb == 1)
			return expr_zext(p, expr_not(p, c), width);
		if (va == ones(width) && vb == 0)
			return expr_sext(p, c, width);
		if (va == 0 && vb == ones(width))
			return expr_sext(p, expr_not(p, c), width);
		return EXPR_NONE;
	}
	unsigned wa = x->op == MUSTER_OP_ZEXT ? node(p, x->a)->width : 0,
		 wb = y->op == MUSTER_OP_ZEXT ? node(p, y->a)->width : 0;
	unsigned narrow = wa > wb ? wa : wb;
	if (!narrow || (!wa && !(x->op == MUSTER_OP_CONST && va <= ones(narrow))) ||
	    (!wb && !(y->op == MUSTER_OP_CONST && vb <= ones(narrow))))
		return EXPR_NONE;
	a = expr_extract(p, a, 0, narrow);
	return expr_zext(p, expr_ite(p, c, a, expr_extract(p, b, 0, narrow)), width);
}

expr_t expr_ite(struct exprs *p, expr_t c, expr_t a, expr_t b)
{
	expr_t r;
	if (expr_width(p, c) != 1 || expr_width(p, a) != expr_width(p, b))
		BUG("a choice of widths %u, %u, %u", expr_width(p, c), expr_width(p, a),
		    expr_width(p, b));
	if (c == expr_true(p) || a == b)
		return a;
	if (c == expr_false(p))
		return b;
	const struct expr_node *n = node(p, c);
	if (n->op == MUSTER_OP_XOR && n->b == expr_true(p)) {
		expr_t swap = a;
		c = n->a;
		a = b;
		b = swap;
	}
	if (is_op(p, a, MUSTER_OP_ITE) && node(p, a)->a == c)
		a = node(p, a)->b;
	if (is_op(p, b, MUSTER_OP_ITE) && node(p, b)->a == c)
		b = node(p, b)->c;
	if (a == b)
		return a;
	r = expr_width(p, a) == 1 ? ite_bool(p, c, a, b) : ite_narrow(p, c, a, b);
	if (r)
		return r;
	return expr_make3(p, MUSTER_OP_ITE, expr_width(p, a), c, a, b);
}

/* ---------------------------------------------------- one-operand operators */

static expr_t bswap_pieces(struct exprs *p, expr_t a)
{
	struct pieces in, out;
	expr_pieces(p, a, &in);
	if (in.count < 2)
		return EXPR_NONE;
	for (unsigned i = 0; i < in.count; i++)
		if (in.at[i].width % 8)
			return EXPR_NONE;
	out.count = in.count;
	for (unsigned i = 0; i < in.count; i++) {
		struct piece *to = &out.at[in.count - 1 - i];
		*to = in.at[i];
		if (to->e)
			to->e = expr_unary(p, MUSTER_OP_BSWAP, to->e);
	}
	return expr_pieces_join(p, &out);
}

static expr_t unary_bool(struct exprs *p, enum muster_op op, expr_t a)
{
	return op == MUSTER_OP_CTLZ || op == MUSTER_OP_CTTZ ? expr_not(p, a) : a;
}

expr_t expr_unary(struct exprs *p, enum muster_op op, expr_t a)
{
	const struct expr_node *n = node(p, a);
	unsigned width = n->width;
	if (op >= MUSTER_OP_COUNT || op_table[op].shape != OP_UNARY ||
	    (op == MUSTER_OP_BSWAP && width % 8))
		BUG("operator %u of one operand of %u bits", op, width);
	if (n->op == MUSTER_OP_CONST)
		return expr_const(p, width, expr_total(op, width, width, 0, node_value(n), 0, 0));
	if (width == 1)
		return unary_bool(p, op, a);
	if ((op == MUSTER_OP_BSWAP || op == MUSTER_OP_BITREVERSE) && n->op == op)
		return n->a;
	if (op == MUSTER_OP_BSWAP) {
		expr_t r = width == 8 ? a : bswap_pieces(p, a);
		if (r)
			return r;
	}
	if (op == MUSTER_OP_CTPOP && n->op == MUSTER_OP_ZEXT)
		return expr_zext(p, expr_unary(p, op, n->a), width);
	return expr_make3(p, op, width, a, 0, 0);
}

/* ----------------------------------------------------------------- reads */

/* An upper bound of the unsigned value. */
static u128 upper_bound(const struct exprs *p, expr_t e)
{
	const struct expr_node *n = node(p, e);
	if (n->op == MUSTER_OP_ZEXT)
		n = node(p, n->a);
	if (n->op == MUSTER_OP_CONST)
		return node_value(n);
	if (n->op == MUSTER_OP_CONCAT && is_op(p, n->b, MUSTER_OP_CONST)) {
		const struct expr_node *low = node(p, n->b);
		return ones(node(p, n->a)->width) << low->width | node_value(low);
	}
	return ones(n->width);
}

/* Bytes from .. from+count-1 of a table as a table. */
static expr_t table_part(struct exprs *p, expr_t data, uint64_t from, uint64_t count)
{
	uint64_t at, key = hash_mix(hash_mix(from * 31 + data) + count);
	for (; map_get(&p->slice_index, key, &at); key++) {
		const struct expr_slice *s = &p->slices.data[at];
		if (s->data == data && s->from == from && s->count == count)
			return s->part;
	}
	const struct expr_table *t = expr_table_of(p, data);
	expr_t part;
	if (t->term) {
		expr_t *copy = mem_realloc(NULL, count + 1, sizeof *copy);
		for (uint64_t i = 0; i < count; i++)
			copy[i] = t->term[from + i];
		part = expr_data(p, copy, count);
		free(copy);
	} else {
		part = expr_data_const(p, t->value + from, count);
	}
	map_set(&p->slice_index, key, p->slices.size);
	vec_push(&p->slices, (struct expr_slice){data, part, from, count});
	return part;
}

/* The part of the table that the index can reach, so that a byte's index costs 256 cases at most.
 * Only small parts are cut out: each is a copy. */
static void read_narrow(struct exprs *p, expr_t *data, expr_t *at, unsigned bytes)
{
	const struct expr_node *n = node(p, *at);
	uint64_t count = expr_data_count(p, *data), from = 0;
	expr_t index = *at;
	u128 most = upper_bound(p, index);
	if (n->op == MUSTER_OP_ADD && is_op(p, n->b, MUSTER_OP_CONST)) {
		index = n->a;
		from = node(p, n->b)->k;
		most = upper_bound(p, index);
		if (from > count || (most + from) >> 64)
			return;
	}
	if (most >= MAX_PART)
		return;
	if (most + bytes < count - from)
		count = (uint64_t)most + bytes;
	else
		count -= from;
	if (from || count < expr_data_count(p, *data))
		*data = table_part(p, *data, from, count);
	*at = index;
}

expr_t expr_read(struct exprs *p, expr_t data, expr_t at, unsigned width)
{
	if (!is_op(p, data, MUSTER_OP_DATA) || expr_width(p, at) != 64 || width % 8 || !width ||
	    width > 128)
		BUG("a read of %u bits at an offset of %u bits", width, expr_width(p, at));
	unsigned bytes = width / 8;
	uint64_t count = expr_data_count(p, data);
	u128 offset;
	if (expr_is_const(p, at, &offset)) {
		/* One outside the table stays a READ, so that expr_defined can tell. */
		if (bytes <= count && offset <= count - bytes) {
			expr_t r = expr_data_byte(p, data, (uint64_t)offset);
			for (unsigned i = 1; i < bytes; i++)
				r = expr_concat(p, expr_data_byte(p, data, (uint64_t)offset + i),
						r);
			return r;
		}
	} else {
		read_narrow(p, &data, &at, bytes);
	}
	return expr_make3(p, MUSTER_OP_READ, width, at, data, 0);
}

/* ------------------------------------------------------------ rebuilding */

expr_t expr_rebuild(struct exprs *p, const struct expr_node *n, expr_t a, expr_t b, expr_t c)
{
	switch (n->op) {
	case MUSTER_OP_CONST:
		return expr_const(p, n->width, node_value(n));
	case MUSTER_OP_INPUT:
		return expr_input(p, n->a, n->k);
	case MUSTER_OP_LENGTH:
		return expr_length(p, n->a);
	case MUSTER_OP_EXTRACT:
		return expr_extract(p, a, (unsigned)n->k, n->width);
	case MUSTER_OP_ZEXT:
		return expr_zext(p, a, n->width);
	case MUSTER_OP_SEXT:
		return expr_sext(p, a, n->width);
	case MUSTER_OP_CONCAT:
		return expr_concat(p, a, b);
	case MUSTER_OP_ITE:
		return n->width ? expr_ite(p, a, b, c) : expr_array_ite(p, a, b, c);
	case MUSTER_OP_READ:
		return expr_read(p, b, a, n->width);
	case EXPR_OP_SELECT:
		return expr_array_select(p, a, b);
	case EXPR_OP_WRITE:
		return expr_array_write(p, a, b, c);
	case EXPR_OP_FILL: {
		struct expr_node list = *node(p, c);
		return expr_array_fill(p, a, b, list.a, list.b);
	}
	case EXPR_OP_NAMED:
	case EXPR_OP_ARRAY:
	case EXPR_OP_LIST:
	case EXPR_OP_APPLY: {
		struct expr_node other = *n;
		other.a = a;
		other.b = b;
		other.c = c;
		return expr_make(p, other);
	}
	default:
		if (op_table[n->op].shape == OP_UNARY)
			return expr_unary(p, (enum muster_op)n->op, a);
		return expr_binary(p, (enum muster_op)n->op, a, b);
	}
}
