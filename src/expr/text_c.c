/* text_c.c: terms as C.
 *
 * The walk gives an order in which operands come first. Going through it backwards finds
 * what the text needs (a word of input bytes needs none of its parts) and how often; going
 * through it forwards makes the C text of each by cexpr.h, which knows types and ranges. Text that
 * would grow long, or is used again, gets a name, which keeps the whole linear though the DAG
 * shares.
 *
 * Invariant: as in cexpr.h; and no operation of the text is undefined for any values of the
 * variables.
 */
#include "expr/text.h"

#include "expr/cexpr.h"
#include "expr/pieces.h"
#include "expr/pool.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BIND_ALWAYS 100 /* text of this size gets a name */
#define BIND_SHARED 24	/* the same where it is used again */

struct printer {
	struct exprs *p;
	struct arena arena;
	void (*name)(void *ctx, expr_t variable, struct buf *out);
	void *ctx;
	struct cx *x;	/* by place */
	uint32_t *uses; /* by place; 0: not needed */
	struct buf lets;
	unsigned names, tables;
	char **table_name; /* by place */
	int alone; /* no function of the prologue is called */
};

/* ---------------------------------------------------------------- leaves */

static const char *source_name(char out[16], uint32_t source)
{
	if (source == 0)
		return "in";
	snprintf(out, 16, "in%" PRIu64, (uint64_t)source + 1);
	return out;
}

/* A variable of the smallest unsigned type: below int it is promoted to int. */
static struct cx typed_text(struct printer *c, unsigned width, const char *text)
{
	struct cx x = cx_text(&c->arena, width, CX_PRIMARY, "%s", text);
	if (width > 16)
		x.is_signed = 0;
	return x;
}

static struct cx variable_text(struct printer *c, expr_t e)
{
	const struct expr_node *n = node(c->p, e);
	struct buf b = {0};
	char source[16];
	if (c->name)
		c->name(c->ctx, e, &b);
	else if (n->op == MUSTER_OP_INPUT)
		buf_addf(&b, "%s[%" PRIu64 "]", source_name(source, n->a), n->k);
	else if (n->op == MUSTER_OP_LENGTH)
		buf_addf(&b, "len(%s)", source_name(source, n->a));
	else
		buf_adds(&b, expr_name(c->p, e));
	struct cx x = typed_text(c, n->width ? n->width : 8, buf_str(&b));
	x.is_char = n->op == MUSTER_OP_INPUT;
	buf_release(&b);
	return x;
}

/* A value that a function of the prologue returns in 128 bits. */
static struct cx call_text(struct printer *c, unsigned width, const char *text)
{
	unsigned type = width <= 32 ? 32 : width <= 64 ? 64 : 128;
	struct cx x = type < 128 ? cx_text(&c->arena, type, CX_UNARY, "(uint%u_t)%s", type, text)
				 : cx_text(&c->arena, type, CX_PRIMARY, "%s", text);
	x.pos = ones(width);
	return x;
}

/* ----------------------------------------------------------------- words */

/* Is it a word of neighbouring input bytes? Gives the first one's offset, and 1 for little endian,
 * -1 for big. */
static int word_of(const struct printer *c, expr_t e, uint32_t *source, uint64_t *offset)
{
	struct pieces in;
	const struct exprs *p = c->p;
	if (c->name || !is_op(p, e, MUSTER_OP_CONCAT))
		return 0;
	expr_pieces(p, e, &in);
	int up = 1, down = 1; /* the highest part is the first */
	for (unsigned i = 0; i < in.count; i++) {
		const struct expr_node *n = in.at[i].e ? node(p, in.at[i].e) : NULL;
		if (!n || n->op != MUSTER_OP_INPUT)
			return 0;
		const struct expr_node *first = node(p, in.at[0].e);
		if (n->a != first->a)
			return 0;
		up &= n->k + i == first->k;
		down &= n->k == first->k + i;
	}
	*source = node(p, in.at[0].e)->a;
	*offset = node(p, in.at[up ? in.count - 1 : 0].e)->k;
	return up ? 1 : down ? -1 : 0;
}

static struct cx word_text(struct printer *c, unsigned bytes, int little, const char *array,
			   const char *at)
{
	const char *end = little ? "le" : "be";
	struct arena *a = &c->arena;
	if (bytes == 2 || bytes == 4 || bytes == 8)
		return cx_text(a, bytes * 8, CX_PRIMARY, "u%u%s(%s, %s)", bytes * 8, end, array,
			       at);
	struct cx x = cx_text(a, bytes < 8 ? 64 : 128, CX_PRIMARY, "%s%sn(%s, %s, %u)",
			      bytes < 8 ? "u" : "u128", end, array, at, bytes);
	x.pos = ones(bytes * 8);
	return x;
}

/* ---------------------------------------------------------------- needed */

/* NOT of an equality is written as one comparison. */
static expr_t negated(const struct exprs *p, expr_t e)
{
	const struct expr_node *n = node(p, e);
	if (n->op == MUSTER_OP_XOR && n->width == 1 && n->b == 2 && is_op(p, n->a, MUSTER_OP_EQ))
		return n->a;
	return EXPR_NONE;
}

static void need(struct printer *c, expr_t e)
{
	c->uses[c->p->place[e]]++;
}

static void need_operands(struct printer *c, expr_t e)
{
	const struct exprs *p = c->p;
	expr_t operands[3], inner = negated(p, e);
	uint32_t source;
	uint64_t offset;
	if (word_of(c, e, &source, &offset))
		return;
	if (is_op(p, e, MUSTER_OP_DATA)) {
		const struct expr_table *t = expr_table_of(p, e);
		for (uint64_t i = 0; t->term && i < t->count; i++)
			need(c, t->term[i]);
		return;
	}
	unsigned n = expr_operands(p, inner ? inner : e, operands);
	for (unsigned i = 0; i < n; i++)
		need(c, operands[i]);
}

/* ------------------------------------------------------------ conversion */

static struct cx operand(const struct printer *c, expr_t e)
{
	return c->x[c->p->place[e]];
}

static const char *unsigned_text(struct printer *c, expr_t e)
{
	return cx_unsigned(&c->arena, operand(c, e), expr_width(c->p, e)).text;
}

static void table_let(struct printer *c, expr_t data)
{
	const struct expr_table *t = expr_table_of(c->p, data);
	char name[16];
	snprintf(name, sizeof name, "tbl%u", ++c->tables);
	c->table_name[c->p->place[data]] = arena_strdup(&c->arena, name);
	buf_addf(&c->lets, "const uint8_t %s[%" PRIu64 "] = {", name, t->count ? t->count : 1);
	for (uint64_t i = 0; i < t->count; i++) {
		buf_adds(&c->lets, i ? ", " : "");
		if (t->term)
			buf_adds(&c->lets, unsigned_text(c, t->term[i]));
		else
			buf_addf(&c->lets, "%u", t->value[i]);
	}
	buf_adds(&c->lets, t->count ? "};\n" : "0};\n");
}

/* Bytes of a table in little endian. */
static struct cx bytes_text(struct printer *c, unsigned bytes, const char *table, const char *at)
{
	struct arena *a = &c->arena;
	struct cx x = cx_text(a, 8, CX_PRIMARY, "%s[%s]", table, at);
	for (unsigned i = 1; i < bytes; i++)
		x = cx_concat(a, 8, i * 8, cx_text(a, 8, CX_PRIMARY, "%s[(%s) + %u]", table, at, i), x);
	return x;
}

/* The same, or 0 where there are not so many from there on. */
static struct cx bytes_alone(struct printer *c, struct cx at, unsigned bytes, uint64_t count, const char *table)
{
	struct arena *a = &c->arena;
	if (bytes > count)
		return cx_const(0, bytes * 8);
	struct cx in = cx_compare(a, MUSTER_OP_ULE, 0, 64, at, cx_const(count - bytes, 64));
	return cx_ite(a, bytes * 8, in, bytes_text(c, bytes, table, at.text), cx_const(0, bytes * 8));
}

static struct cx read_text(struct printer *c, const struct expr_node *n)
{
	uint64_t count = expr_data_count(c->p, n->b);
	unsigned bytes = n->width / 8;
	const char *table = c->table_name[c->p->place[n->b]];
	struct cx at = operand(c, n->a);
	at = cx_unsigned(&c->arena, at, 64);
	if (bytes > count || at.pos > count - bytes) {
		if (c->alone)
			return bytes_alone(c, at, bytes, count, table);
		struct buf b = {0};
		buf_addf(&b, "readn(%s, %" PRIu64 ", %s, %u)", table, count, at.text, bytes);
		struct cx x = call_text(c, n->width, buf_str(&b));
		buf_release(&b);
		return x;
	}
	if (bytes == 1)
		return cx_text(&c->arena, 8, CX_PRIMARY, "%s[%s]", table, at.text);
	return c->alone ? bytes_text(c, bytes, table, at.text) : word_text(c, bytes, 1, table, at.text);
}

/* Is the operation defined for all values that its right operand can have? */
static int is_safe(struct printer *c, const struct expr_node *n)
{
	u128 v;
	int constant = expr_is_const(c->p, n->b, &v);
	switch (n->op) {
	case MUSTER_OP_UDIV:
	case MUSTER_OP_UREM:
		return constant && v;
	case MUSTER_OP_SDIV:
	case MUSTER_OP_SREM:
		return constant && v && v != ones(n->width);
	case MUSTER_OP_SHL:
	case MUSTER_OP_LSHR:
	case MUSTER_OP_ASHR:
		return cx_unsigned(&c->arena, operand(c, n->b), n->width).pos < n->width;
	default:
		return 1;
	}
}

/* With a test of the right operand for which it is not defined; values as eval.c has them. */
static struct cx divide_alone(struct printer *c, const struct expr_node *n, struct cx x, struct cx y)
{
	struct arena *a = &c->arena;
	unsigned w = n->width;
	struct cx zero = cx_const(0, w), minus = cx_const(ones(w), w), defined = cx_binary(a, (enum muster_op)n->op, w, x, y), by_zero = x;
	struct cx negative = cx_compare(a, MUSTER_OP_SLT, 0, w, x, zero);
	if (n->op == MUSTER_OP_UDIV)
		by_zero = minus;
	if (n->op == MUSTER_OP_SDIV)
		by_zero = cx_ite(a, w, negative, cx_const(1, w), minus);
	if (n->op == MUSTER_OP_SDIV || n->op == MUSTER_OP_SREM) /* the least value by -1 */
		defined = cx_ite(a, w, cx_compare(a, MUSTER_OP_EQ, 0, w, y, minus), n->op == MUSTER_OP_SDIV ? cx_binary(a, MUSTER_OP_SUB, w, zero, x) : zero, defined);
	return cx_ite(a, w, cx_compare(a, MUSTER_OP_EQ, 0, w, y, zero), by_zero, defined);
}

static struct cx shift_alone(struct printer *c, const struct expr_node *n, struct cx x, struct cx y)
{
	struct arena *a = &c->arena;
	unsigned w = n->width;
	struct cx far = cx_const(0, w);
	if (n->op == MUSTER_OP_ASHR)
		far = cx_ite(a, w, cx_compare(a, MUSTER_OP_SLT, 0, w, x, far), cx_const(ones(w), w), far);
	return cx_ite(a, w, cx_compare(a, MUSTER_OP_ULT, 0, w, y, cx_const(w, w)), cx_binary(a, (enum muster_op)n->op, w, x, y), far);
}

static struct cx total_text(struct printer *c, const struct expr_node *n)
{
	static const char *const names[MUSTER_OP_COUNT] = {
	    [MUSTER_OP_UDIV] = "udiv", [MUSTER_OP_UREM] = "urem", [MUSTER_OP_SDIV] = "sdiv",
	    [MUSTER_OP_SREM] = "srem", [MUSTER_OP_SHL] = "shl",	  [MUSTER_OP_LSHR] = "lshr",
	    [MUSTER_OP_ASHR] = "ashr"};
	int divides = n->op == MUSTER_OP_SDIV || n->op == MUSTER_OP_SREM;
	struct arena *a = &c->arena;
	struct cx x = operand(c, n->a), y = operand(c, n->b);
	if (c->alone)
		return n->op == MUSTER_OP_SHL || n->op == MUSTER_OP_LSHR || n->op == MUSTER_OP_ASHR ? shift_alone(c, n, x, y) : divide_alone(c, n, x, y);
	x = divides || n->op == MUSTER_OP_ASHR ? cx_sign(a, x, n->width)
					       : cx_unsigned(a, x, n->width);
	y = divides ? cx_sign(a, y, n->width) : cx_unsigned(a, y, n->width);
	struct buf b = {0};
	buf_addf(&b, "%s(%s, %s, %u)", names[n->op], x.text, y.text, n->width);
	x = call_text(c, n->width, buf_str(&b));
	buf_release(&b);
	return x;
}

static struct cx apply_text(struct printer *c, expr_t e)
{
	unsigned count = expr_arguments(c->p, e, NULL, 0);
	expr_t *operands = arena_alloc(&c->arena, (count + 1) * sizeof *operands);
	expr_arguments(c->p, e, operands, count);
	struct buf b = {0};
	buf_addf(&b, "%s(", expr_name(c->p, e));
	for (unsigned i = 0; i < count; i++)
		buf_addf(&b, "%s%s", i ? ", " : "", unsigned_text(c, operands[i]));
	buf_addc(&b, ')');
	struct cx x = typed_text(c, expr_width(c->p, e), buf_str(&b));
	buf_release(&b);
	return x;
}

/* A byte of a named array: all that is left of arrays here. */
static struct cx select_text(struct printer *c, const struct expr_node *n)
{
	return cx_text(&c->arena, 8, CX_PRIMARY, "%s[%s]", operand(c, n->a).text, unsigned_text(c, n->b));
}

static struct cx special_text(struct printer *c, const struct expr_node *n)
{
	struct arena *a = &c->arena;
	unsigned from = n->a ? node(c->p, n->a)->width : 0;
	switch (n->op) {
	case MUSTER_OP_EXTRACT:
		return cx_extract(a, from, (unsigned)n->k, n->width, operand(c, n->a));
	case MUSTER_OP_ZEXT:
		return cx_unsigned(a, operand(c, n->a), from);
	case MUSTER_OP_SEXT:
		return cx_sign(a, operand(c, n->a), from);
	case MUSTER_OP_CONCAT:
		return cx_concat(a, from, node(c->p, n->b)->width, operand(c, n->a),
				 operand(c, n->b));
	case MUSTER_OP_ITE:
		return cx_ite(a, n->width, operand(c, n->a), operand(c, n->b), operand(c, n->c));
	case MUSTER_OP_READ:
		return read_text(c, n);
	default:
		return cx_unary(a, (enum muster_op)n->op, n->width, operand(c, n->a));
	}
}

static struct cx convert(struct printer *c, expr_t e)
{
	struct exprs *p = c->p;
	const struct expr_node *n = node(p, e);
	uint32_t source;
	uint64_t offset;
	char at[24], name[16];
	int order = word_of(c, e, &source, &offset);
	if (order) {
		snprintf(at, sizeof at, "%" PRIu64, offset);
		return word_text(c, n->width / 8, order > 0, source_name(name, source), at);
	}
	expr_t inner = negated(p, e);
	if (inner) {
		n = node(p, inner);
		return cx_compare(&c->arena, MUSTER_OP_EQ, 1, node(p, n->a)->width,
				  operand(c, n->a), operand(c, n->b));
	}
	if (n->op == MUSTER_OP_CONST)
		return cx_const(node_value(n), n->width);
	if (n->op == EXPR_OP_APPLY)
		return apply_text(c, e);
	if (n->op == EXPR_OP_SELECT)
		return select_text(c, n);
	if (op_table[n->op].shape != OP_SAME && op_table[n->op].shape != OP_TEST)
		return special_text(c, n);
	if (!is_safe(c, n))
		return total_text(c, n);
	return cx_binary(&c->arena, (enum muster_op)n->op, node(p, n->a)->width, operand(c, n->a),
			 operand(c, n->b));
}

/* A name for what is long or used again. */
static struct cx bind(struct printer *c, struct cx x, unsigned width, unsigned uses)
{
	const char *definition;
	char name[16];
	if (!x.text || (x.size < BIND_ALWAYS && (uses < 2 || x.size < BIND_SHARED)))
		return x;
	snprintf(name, sizeof name, "t%u", ++c->names);
	x = cx_bind(&c->arena, x, width, name, &definition);
	buf_addf(&c->lets, "%s\n", definition);
	return x;
}

static void finish(struct printer *c, struct cx x, unsigned width, struct buf *text,
		   struct buf *lets)
{
	x = cx_unsigned(&c->arena, x, width);
	if (lets) {
		buf_add(lets, c->lets.data, c->lets.size);
		buf_adds(text, x.text);
	} else if (c->lets.size) {
		for (size_t i = 0; i < c->lets.size; i++)
			if (c->lets.data[i] == '\n')
				c->lets.data[i] = ' ';
		buf_addf(text, "({ %s%s; })", buf_str(&c->lets), x.text);
	} else {
		buf_adds(text, x.text);
	}
}

static void print(struct exprs *p, expr_t e, struct buf *text, struct buf *lets, struct printer c)
{
	struct expr_order order = {0};
	expr_walk(p, &e, 1, &order);
	for (size_t i = 0; i < order.size; i++)
		if (is_op(p, order.data[i], EXPR_OP_SELECT)) {
			e = expr_expand_arrays(p, e);
			expr_walk(p, &e, 1, &order);
			break;
		}
	c.x = mem_realloc(NULL, order.size, sizeof *c.x);
	c.uses = mem_zalloc(order.size * sizeof *c.uses);
	c.table_name = mem_zalloc(order.size * sizeof *c.table_name);
	for (size_t i = 0; i < order.size; i++)
		if (is_variable(p, order.data[i]))
			c.x[i] = variable_text(&c, order.data[i]);
	expr_walk(p, &e, 1,
		  &order); /* again, since the callback may have walked; in the same order */
	need(&c, e);
	for (size_t i = order.size; i-- > 0;)
		if (c.uses[i])
			need_operands(&c, order.data[i]);
	for (size_t i = 0; i < order.size; i++) {
		expr_t x = order.data[i];
		if (!c.uses[i] || is_variable(p, x))
			continue;
		if (is_op(p, x, EXPR_OP_LIST))
			continue;
		if (is_op(p, x, MUSTER_OP_DATA))
			table_let(&c, x);
		else
			c.x[i] = bind(&c, convert(&c, x), expr_width(p, x), x == e ? 0 : c.uses[i]);
	}
	finish(&c, operand(&c, e), expr_width(p, e), text, lets);
	arena_release(&c.arena);
	buf_release(&c.lets);
	free(c.x);
	free(c.uses);
	free(c.table_name);
	vec_release(&order);
}

void expr_c(struct exprs *p, expr_t e, struct buf *text, struct buf *lets,
	    void (*name)(void *ctx, expr_t variable, struct buf *out), void *ctx)
{
	print(p, e, text, lets, (struct printer){.p = p, .name = name, .ctx = ctx});
}

void expr_c_alone(struct exprs *p, expr_t e, struct buf *text, void (*name)(void *ctx, expr_t variable, struct buf *out), void *ctx)
{
	print(p, e, text, NULL, (struct printer){.p = p, .name = name, .ctx = ctx, .alone = 1});
}
