/* text_smt.c: terms as an SMT-LIB query.
 *
 * Every term that is no leaf becomes a function without parameters, in an order in which operands
 * come first: the text is linear in the DAG and nothing nests. Booleans stay bit-vectors of
 * width 1. A table is a function of its offset, a balanced tree of choices; reads join its bytes
 * and give 0 outside. Operators that SMT-LIB does not have are spelt out.
 *
 * Arrays without a size are those of SMT-LIB, from 64 bits to bytes. A fill of a range has no counterpart and is not below any byte that is
 * read (array.c), so it is never met.
 *
 * Names: in0_3 is byte 3 of source 0, len0 its length, |$x:8| the named value x, |@x| the named array x, t12 the term with id
 * 12, tbl7 the table of term 7, |f/8,8| the function f of two bytes.
 */
#include "expr/text.h"

#include "base/error.h"
#include "expr/pool.h"

#include <inttypes.h>

static void put_const(struct buf *out, u128 value, unsigned width)
{
	unsigned step = width % 4 ? 1 : 4;
	buf_adds(out, step == 4 ? "#x" : "#b");
	for (unsigned i = width; i > 0; i -= step)
		buf_addc(
		    out,
		    "0123456789abcdef"[(unsigned)(value >> (i - step)) & (step == 4 ? 15 : 1)]);
}

/* Between bars; bars and backslashes cannot stand there. */
static void put_symbol(struct buf *out, const char *name)
{
	for (; *name; name++)
		if (*name == '|' || *name == '\\' || (unsigned char)*name < ' ')
			buf_addf(out, "%%%02x", (unsigned char)*name);
		else
			buf_addc(out, *name);
}

static void put_term(const struct exprs *p, struct buf *out, expr_t e)
{
	const struct expr_node *n = node(p, e);
	switch (n->op) {
	case MUSTER_OP_CONST:
		put_const(out, node_value(n), n->width);
		return;
	case MUSTER_OP_INPUT:
		buf_addf(out, "in%u_%" PRIu64, n->a, n->k);
		return;
	case MUSTER_OP_LENGTH:
		buf_addf(out, "len%u", n->a);
		return;
	case EXPR_OP_NAMED:
		buf_adds(out, "|$");
		put_symbol(out, p->name_list.data[n->k]);
		buf_addf(out, ":%u|", n->width);
		return;
	case EXPR_OP_ARRAY:
		buf_adds(out, "|@");
		put_symbol(out, p->name_list.data[n->k]);
		buf_addc(out, '|');
		return;
	default:
		buf_addf(out, "t%u", e);
	}
}

static void put_call(const struct exprs *p, struct buf *out, const char *name, expr_t a, expr_t b)
{
	buf_addf(out, "(%s ", name);
	put_term(p, out, a);
	if (b) {
		buf_addc(out, ' ');
		put_term(p, out, b);
	}
	buf_addc(out, ')');
}

/* ---------------------------------------------------------------- tables */

static void put_tree(const struct exprs *p, struct buf *out, expr_t data, uint64_t from,
		     uint64_t count)
{
	if (count == 1) {
		put_term(p, out, expr_data_byte(p, data, from));
		return;
	}
	uint64_t half = count / 2;
	buf_adds(out, "(ite (bvult i ");
	put_const(out, from + half, 64);
	buf_adds(out, ") ");
	put_tree(p, out, data, from, half);
	buf_addc(out, ' ');
	put_tree(p, out, data, from + half, count - half);
	buf_addc(out, ')');
}

static void put_table(const struct exprs *p, struct buf *out, expr_t data)
{
	uint64_t count = expr_data_count(p, data);
	if (!count)
		return;
	buf_addf(out, "(define-fun tbl%u ((i (_ BitVec 64))) (_ BitVec 8) ", data);
	put_tree(p, out, data, 0, count);
	buf_adds(out, ")\n");
}

static void put_read(const struct exprs *p, struct buf *out, const struct expr_node *n)
{
	uint64_t count = expr_data_count(p, n->b);
	unsigned bytes = n->width / 8;
	if (bytes > count) {
		put_const(out, 0, n->width);
		return;
	}
	buf_adds(out, "(ite (bvule ");
	put_term(p, out, n->a);
	buf_addc(out, ' ');
	put_const(out, count - bytes, 64);
	buf_adds(out, ") ");
	for (unsigned i = bytes; i-- > 0;) {
		buf_addf(out, "%s(tbl%u ", i ? "(concat " : "", n->b);
		if (i) {
			buf_adds(out, "(bvadd ");
			put_term(p, out, n->a);
			buf_addc(out, ' ');
			put_const(out, i, 64);
			buf_addc(out, ')');
		} else {
			put_term(p, out, n->a);
		}
		buf_adds(out, ") ");
	}
	for (unsigned i = 1; i < bytes; i++)
		buf_addc(out, ')');
	buf_addc(out, ' ');
	put_const(out, 0, n->width);
	buf_addc(out, ')');
}

/* ------------------------------------------------------------- operators */

static const char *plain_name(unsigned op)
{
	switch (op) {
	case MUSTER_OP_ADD:
		return "bvadd";
	case MUSTER_OP_SUB:
		return "bvsub";
	case MUSTER_OP_MUL:
		return "bvmul";
	case MUSTER_OP_UDIV:
		return "bvudiv";
	case MUSTER_OP_SDIV:
		return "bvsdiv";
	case MUSTER_OP_UREM:
		return "bvurem";
	case MUSTER_OP_SREM:
		return "bvsrem";
	case MUSTER_OP_AND:
		return "bvand";
	case MUSTER_OP_OR:
		return "bvor";
	case MUSTER_OP_XOR:
		return "bvxor";
	case MUSTER_OP_SHL:
		return "bvshl";
	case MUSTER_OP_LSHR:
		return "bvlshr";
	case MUSTER_OP_ASHR:
		return "bvashr";
	case MUSTER_OP_CONCAT:
		return "concat";
	default:
		return NULL;
	}
}

static const char *test_name(unsigned op)
{
	switch (op) {
	case MUSTER_OP_EQ:
		return "=";
	case MUSTER_OP_ULT:
		return "bvult";
	case MUSTER_OP_ULE:
		return "bvule";
	case MUSTER_OP_SLT:
		return "bvslt";
	case MUSTER_OP_SLE:
		return "bvsle";
	default:
		return NULL;
	}
}

static void put_extended(const struct exprs *p, struct buf *out, const char *how, unsigned by,
			 expr_t e)
{
	buf_addf(out, "((_ %s_extend %u) ", how, by);
	put_term(p, out, e);
	buf_addc(out, ')');
}

/* In more bits, where nothing is lost; then: does it fit? */
static void put_overflow(const struct exprs *p, struct buf *out, const struct expr_node *n)
{
	unsigned width = node(p, n->a)->width;
	int product = n->op == MUSTER_OP_SMULO || n->op == MUSTER_OP_UMULO;
	int sign = n->op != MUSTER_OP_UADDO && n->op != MUSTER_OP_UMULO;
	const char *how = sign ? "sign" : "zero";
	unsigned by = product ? width : 1;
	buf_addf(out, "(let ((s (%s ",
		 product		    ? "bvmul"
		 : n->op == MUSTER_OP_SSUBO ? "bvsub"
					    : "bvadd");
	put_extended(p, out, how, by, n->a);
	buf_addc(out, ' ');
	put_extended(p, out, how, by, n->b);
	buf_addf(out, "))) (ite (= s ((_ %s_extend %u) ((_ extract %u 0) s))) #b0 #b1))", how, by,
		 width - 1);
}

static void put_bit(const struct exprs *p, struct buf *out, expr_t e, unsigned i)
{
	buf_addf(out, "((_ extract %u %u) ", i, i);
	put_term(p, out, e);
	buf_addc(out, ')');
}

/* Parts of `size` bits in the opposite order. */
static void put_reversed(const struct exprs *p, struct buf *out, const struct expr_node *n,
			 unsigned size)
{
	for (unsigned i = 0; i < n->width; i += size) {
		int last = i + size >= n->width;
		buf_addf(out, "%s((_ extract %u %u) ", last ? "" : "(concat ", i + size - 1, i);
		put_term(p, out, n->a);
		buf_adds(out, last ? ")" : ") ");
	}
	for (unsigned i = size; i < n->width; i += size)
		buf_addc(out, ')');
}

static void put_popcount(const struct exprs *p, struct buf *out, const struct expr_node *n)
{
	for (unsigned i = 0; i < n->width; i++) {
		buf_adds(out, i + 1 < n->width ? "(bvadd " : "");
		if (n->width > 1)
			buf_addf(out, "((_ zero_extend %u) ", n->width - 1u);
		put_bit(p, out, n->a, i);
		buf_adds(out, n->width > 1 ? ") " : "");
	}
	for (unsigned i = 1; i < n->width; i++)
		buf_addc(out, ')');
}

/* The number of zeros before the first one, from the top or from the bottom. */
static void put_zeros(const struct exprs *p, struct buf *out, const struct expr_node *n)
{
	for (unsigned i = 0; i < n->width; i++) {
		buf_adds(out, "(ite (= #b1 ");
		put_bit(p, out, n->a, n->op == MUSTER_OP_CTLZ ? n->width - 1 - i : i);
		buf_adds(out, ") ");
		put_const(out, i, n->width);
		buf_addc(out, ' ');
	}
	put_const(out, n->width, n->width);
	for (unsigned i = 0; i < n->width; i++)
		buf_addc(out, ')');
}

/* The arguments of an application; the caller frees. */
static expr_t *arguments(const struct exprs *p, expr_t e, unsigned *count)
{
	*count = expr_arguments(p, e, NULL, 0);
	expr_t *list = mem_realloc(NULL, *count + 1, sizeof *list);
	expr_arguments(p, e, list, *count);
	return list;
}

static void put_function(const struct exprs *p, struct buf *out, expr_t e)
{
	unsigned count;
	expr_t *operands = arguments(p, e, &count);
	buf_addc(out, '|');
	put_symbol(out, expr_name(p, e));
	for (unsigned i = 0; i < count; i++)
		buf_addf(out, "%c%u", i ? ',' : '/', expr_width(p, operands[i]));
	buf_addf(out, ":%u|", expr_width(p, e));
	free(operands);
}

static void put_apply(const struct exprs *p, struct buf *out, expr_t e)
{
	unsigned count;
	expr_t *operands = arguments(p, e, &count);
	buf_adds(out, count ? "(" : "");
	put_function(p, out, e);
	for (unsigned i = 0; i < count; i++) {
		buf_addc(out, ' ');
		put_term(p, out, operands[i]);
	}
	buf_adds(out, count ? ")" : "");
	free(operands);
}

static void put_body(const struct exprs *p, struct buf *out, expr_t e)
{
	const struct expr_node *n = node(p, e);
	unsigned from = n->a ? node(p, n->a)->width : 0;
	if (plain_name(n->op)) {
		put_call(p, out, plain_name(n->op), n->a, n->b);
		return;
	}
	if (test_name(n->op)) {
		buf_adds(out, "(ite ");
		put_call(p, out, test_name(n->op), n->a, n->b);
		buf_adds(out, " #b1 #b0)");
		return;
	}
	switch (n->op) {
	case MUSTER_OP_EXTRACT:
		buf_addf(out, "((_ extract %" PRIu64 " %" PRIu64 ") ", n->k + n->width - 1, n->k);
		put_term(p, out, n->a);
		buf_addc(out, ')');
		return;
	case MUSTER_OP_ZEXT:
	case MUSTER_OP_SEXT:
		put_extended(p, out, n->op == MUSTER_OP_ZEXT ? "zero" : "sign", n->width - from,
			     n->a);
		return;
	case MUSTER_OP_ITE:
		buf_adds(out, "(ite ");
		buf_adds(out, "(= #b1 ");
		put_term(p, out, n->a);
		buf_adds(out, ") ");
		put_term(p, out, n->b);
		buf_addc(out, ' ');
		put_term(p, out, n->c);
		buf_addc(out, ')');
		return;
	case MUSTER_OP_BSWAP:
	case MUSTER_OP_BITREVERSE:
		put_reversed(p, out, n, n->op == MUSTER_OP_BSWAP ? 8 : 1);
		return;
	case MUSTER_OP_CTPOP:
		put_popcount(p, out, n);
		return;
	case MUSTER_OP_CTLZ:
	case MUSTER_OP_CTTZ:
		put_zeros(p, out, n);
		return;
	case MUSTER_OP_READ:
		put_read(p, out, n);
		return;
	case EXPR_OP_APPLY:
		put_apply(p, out, e);
		return;
	case EXPR_OP_SELECT:
		put_call(p, out, "select", n->a, n->b);
		return;
	case EXPR_OP_WRITE:
		buf_adds(out, "(store ");
		put_term(p, out, n->a);
		buf_addc(out, ' ');
		put_term(p, out, n->b);
		buf_addc(out, ' ');
		put_term(p, out, n->c);
		buf_addc(out, ')');
		return;
	default:
		if (n->op >= MUSTER_OP_COUNT)
			BUG("operator %u in a formula", n->op);
		put_overflow(p, out, n);
	}
}

/* A bit-vector, or an array of bytes. */
static void put_sort(const struct exprs *p, struct buf *out, expr_t e)
{
	if (expr_width(p, e))
		buf_addf(out, "(_ BitVec %u)", expr_width(p, e));
	else
		buf_adds(out, "(Array (_ BitVec 64) (_ BitVec 8))");
}

static void put_declaration(const struct exprs *p, struct buf *out, expr_t e)
{
	buf_adds(out, "(declare-fun ");
	put_term(p, out, e);
	buf_adds(out, " () ");
	put_sort(p, out, e);
	buf_adds(out, ")\n");
}

static void declare_function(const struct exprs *p, struct buf *out, struct strmap *seen, expr_t e)
{
	struct buf name = {0};
	unsigned count;
	expr_t *operands = arguments(p, e, &count);
	put_function(p, &name, e);
	if (strmap_set(seen, buf_str(&name), 1)) {
		buf_addf(out, "(declare-fun %s (", buf_str(&name));
		for (unsigned i = 0; i < count; i++)
			buf_addf(out, "%s(_ BitVec %u)", i ? " " : "", expr_width(p, operands[i]));
		buf_addf(out, ") (_ BitVec %u))\n", expr_width(p, e));
	}
	buf_release(&name);
	free(operands);
}

void expr_smtlib(struct exprs *p, const expr_t *assertions, unsigned count, struct buf *out)
{
	struct expr_order order = {0};
	struct strmap functions = {0};
	int applies = 0, arrays = 0;
	expr_walk(p, assertions, count, &order);
	for (size_t i = 0; i < order.size; i++) {
		applies |= is_op(p, order.data[i], EXPR_OP_APPLY);
		arrays |= is_op(p, order.data[i], EXPR_OP_SELECT);
	}
	buf_addf(out, "(set-logic QF_%s%sBV)\n", arrays ? "A" : "", applies ? "UF" : "");
	for (size_t i = 0; i < order.size; i++) {
		expr_t e = order.data[i];
		switch (node(p, e)->op) {
		case MUSTER_OP_CONST:
			continue;
		case MUSTER_OP_INPUT:
		case MUSTER_OP_LENGTH:
		case EXPR_OP_NAMED:
		case EXPR_OP_ARRAY:
			put_declaration(p, out, e);
			continue;
		case EXPR_OP_LIST:
			continue;
		case MUSTER_OP_DATA:
			put_table(p, out, e);
			continue;
		case EXPR_OP_APPLY:
			declare_function(p, out, &functions, e);
			break;
		default:
			break;
		}
		buf_addf(out, "(define-fun t%u () ", e);
		put_sort(p, out, e);
		buf_addc(out, ' ');
		put_body(p, out, e);
		buf_adds(out, ")\n");
	}
	for (unsigned i = 0; i < count; i++) {
		buf_adds(out, "(assert (= #b1 ");
		put_term(p, out, assertions[i]);
		buf_adds(out, "))\n");
	}
	buf_adds(out, "(check-sat)\n");
	strmap_release(&functions);
	vec_release(&order);
}
