/* serial.c: terms as bytes, and back; docs/expr-format.md says what stands where.
 *
 * Terms are written operands first, so a term names its operands by how far back they are. Reading
 * gives each to its constructor after checking all that the constructor takes for granted: a file
 * is input like any other.
 *
 * Invariant: whatever the bytes are, reading ends, uses memory in proportion to their number,
 * and leaves a pool in order.
 */
#include "expr/text.h"

#include "base/error.h"
#include "expr/pool.h"

#include <inttypes.h>
#include <string.h>

#define MAGIC "MXPR"
#define HEADER 16 /* magic, version, terms, roots: 4 bytes each */
#define CHECK 8	  /* a hash at the end */
#define MAX_NAME 4096

/* --------------------------------------------------------------- writing */

static void put_number(struct buf *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_addc(out, (char)(v | 0x80));
	buf_addc(out, (char)v);
}

static void put_back(const struct exprs *p, struct buf *out, size_t at, expr_t operand)
{
	put_number(out, at - p->place[operand]);
}

static void put_name(struct buf *out, const char *name)
{
	put_number(out, strlen(name));
	buf_adds(out, name);
}

static void put_data(const struct exprs *p, struct buf *out, size_t at, expr_t e)
{
	const struct expr_table *t = expr_table_of(p, e);
	put_number(out, t->term ? 1 : 0);
	put_number(out, t->count);
	if (!t->term)
		buf_add(out, t->value, t->count);
	for (uint64_t i = 0; t->term && i < t->count; i++)
		put_back(p, out, at, t->term[i]);
}

static void put_node(const struct exprs *p, struct buf *out, size_t at, expr_t e)
{
	const struct expr_node *n = node(p, e);
	expr_t operands[3];
	unsigned count = expr_operands(p, e, operands);
	buf_addc(out, (char)expr_code(n->op));
	buf_addc(out, (char)n->width);
	switch (n->op) {
	case MUSTER_OP_CONST:
		for (unsigned i = 0; i < n->width; i += 8)
			buf_addc(out, (char)(node_value(n) >> i));
		return;
	case MUSTER_OP_INPUT:
		put_number(out, n->a);
		put_number(out, n->k);
		return;
	case MUSTER_OP_LENGTH:
		put_number(out, n->a);
		return;
	case MUSTER_OP_DATA:
		put_data(p, out, at, e);
		return;
	case EXPR_OP_NAMED:
	case EXPR_OP_ARRAY:
		put_name(out, expr_name(p, e));
		return;
	case EXPR_OP_APPLY:
		put_name(out, expr_name(p, e));
		put_number(out, count);
		break;
	case EXPR_OP_LIST:
		put_number(out, count);
		break;
	case MUSTER_OP_EXTRACT:
		put_number(out, n->k);
		break;
	default:
		break;
	}
	for (unsigned i = 0; i < count; i++)
		put_back(p, out, at, operands[i]);
}

void expr_write(const struct exprs *p, const expr_t *roots, unsigned count, struct buf *out)
{
	struct expr_order order = {0};
	size_t start = out->size;
	expr_walk(p, roots, count, &order);
	buf_adds(out, MAGIC);
	buf_add32(out, EXPR_SERIAL_VERSION);
	buf_add32(out, (uint32_t)order.size);
	buf_add32(out, count);
	for (size_t i = 0; i < order.size; i++)
		put_node(p, out, i, order.data[i]);
	for (unsigned i = 0; i < count; i++)
		put_back(p, out, order.size, roots[i]);
	buf_add64(out, hash64(out->data + start, out->size - start, EXPR_SERIAL_VERSION));
	vec_release(&order);
}

/* --------------------------------------------------------------- reading */

struct reader {
	struct exprs *p;
	const uint8_t *data;
	size_t size, at;
	expr_t *terms; /* read so far */
	uint32_t count;
};

static int short_of(const struct reader *r)
{
	return error_set("expression data ends within term %u", r->count);
}

static int get_number(struct reader *r, uint64_t *out)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (r->at >= r->size)
			return short_of(r);
		uint8_t c = r->data[r->at++];
		if (shift == 63 && c > 1)
			break;
		v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80)) {
			*out = v;
			return 0;
		}
	}
	return error_set("expression term %u has a number beyond 64 bits", r->count);
}

enum term_kind { TERM_VALUE, TERM_DATA, TERM_ARRAY, TERM_LIST };

static enum term_kind kind_of(const struct exprs *p, expr_t e)
{
	if (is_op(p, e, MUSTER_OP_DATA))
		return TERM_DATA;
	return node(p, e)->width ? TERM_VALUE : is_op(p, e, EXPR_OP_LIST) ? TERM_LIST : TERM_ARRAY;
}

/* An operand. What is no value may be named by a few operators only. */
static int get_term(struct reader *r, enum term_kind kind, expr_t *out)
{
	static const char *const words[] = {"a value", "a table", "an array", "a list"};
	uint64_t back;
	if (get_number(r, &back))
		return -1;
	if (back < 1 || back > r->count)
		return error_set("expression term %u names one that is not before it", r->count);
	*out = r->terms[r->count - back];
	if (kind_of(r->p, *out) != kind)
		return error_set("expression term %u has %s for an operand instead of %s", r->count,
				 words[kind_of(r->p, *out)], words[kind]);
	return 0;
}

static int get_name(struct reader *r, char name[MAX_NAME])
{
	uint64_t size;
	if (get_number(r, &size))
		return -1;
	if (size >= MAX_NAME || size > r->size - r->at)
		return error_set("expression term %u has a name of %" PRIu64 " bytes", r->count,
				 size);
	memcpy(name, r->data + r->at, size);
	name[size] = 0;
	if (strlen(name) != size)
		return error_set("expression term %u has a name with a zero byte", r->count);
	r->at += size;
	return 0;
}

static int get_const(struct reader *r, unsigned width, expr_t *out)
{
	u128 v = 0;
	if (r->size - r->at < (width + 7) / 8)
		return short_of(r);
	for (unsigned i = 0; i < width; i += 8)
		v |= (u128)r->data[r->at++] << i;
	if (v != op_mask(v, width))
		return error_set("expression term %u is a constant beyond its width", r->count);
	*out = expr_const(r->p, width, v);
	return 0;
}

static int get_data(struct reader *r, expr_t *out)
{
	uint64_t kind, count;
	if (get_number(r, &kind) || get_number(r, &count))
		return -1;
	if (kind > 1 || count > r->size - r->at)
		return error_set("expression term %u is a table of %" PRIu64 " bytes", r->count,
				 count);
	if (!kind) {
		*out = expr_data_const(r->p, r->data + r->at, count);
		r->at += count;
		return 0;
	}
	expr_t *bytes = mem_realloc(NULL, count + 1, sizeof *bytes);
	int bad = 0;
	for (uint64_t i = 0; i < count && !bad; i++) {
		bad = get_term(r, TERM_VALUE, &bytes[i]);
		if (!bad && expr_width(r->p, bytes[i]) != 8)
			bad = error_set("expression term %u is a table of other than bytes",
					r->count);
	}
	if (!bad)
		*out = expr_data(r->p, bytes, count);
	free(bytes);
	return bad;
}

static int get_leaf(struct reader *r, unsigned op, unsigned width, expr_t *out)
{
	uint64_t source, offset = 0;
	if (get_number(r, &source) || (op == MUSTER_OP_INPUT && get_number(r, &offset)))
		return -1;
	if (source > UINT32_MAX || width != (op == MUSTER_OP_INPUT ? 8 : 64))
		return error_set("expression term %u is no variable of an input", r->count);
	*out = op == MUSTER_OP_INPUT ? expr_input(r->p, (uint32_t)source, offset)
				     : expr_length(r->p, (uint32_t)source);
	return 0;
}

static int wrong_width(const struct reader *r, unsigned op)
{
	return error_set("expression term %u (%s) has a width that does not fit its operands",
			 r->count, op_table[op].name);
}

/* Operands of an application or a list: the third may be the list of those that follow. */
static int get_operands(struct reader *r, expr_t args[3])
{
	uint64_t count;
	if (get_number(r, &count))
		return -1;
	if (count > 3)
		return error_set("expression term %u has %" PRIu64 " operands", r->count, count);
	for (unsigned i = 0; i < count; i++) {
		size_t at = r->at;
		if (!get_term(r, TERM_VALUE, &args[i]))
			continue;
		r->at = at;
		if (i < 2 || get_term(r, TERM_LIST, &args[i]))
			return -1;
	}
	return 0;
}

static int get_apply(struct reader *r, unsigned width, expr_t *out)
{
	char name[MAX_NAME];
	expr_t a[3] = {0};
	if (get_name(r, name) || get_operands(r, a))
		return -1;
	*out = expr_make(r->p, (struct expr_node){.op = EXPR_OP_APPLY,
						  .width = (uint8_t)width,
						  .a = a[0],
						  .b = a[1],
						  .c = a[2],
						  .k = expr_name_number(r->p, name)});
	return 0;
}

/* Arrays and lists, which have no width; SELECT, which has 8. */
static int get_array(struct reader *r, unsigned code, unsigned width, expr_t *out)
{
	char name[MAX_NAME];
	struct exprs *p = r->p;
	expr_t a[3] = {0}, b, c;
	if (width != (code == EXPR_CODE_SELECT ? 8 : 0))
		return error_set("expression term %u has %u bits", r->count, width);
	if (code == EXPR_CODE_ARRAY) {
		if (get_name(r, name))
			return -1;
		*out = expr_array(p, name);
		return 0;
	}
	if (code == EXPR_CODE_LIST) {
		if (get_operands(r, a))
			return -1;
		*out = expr_make3(p, EXPR_OP_LIST, 0, a[0], a[1], a[2]);
		return 0;
	}
	if (code == MUSTER_OP_ITE) {
		if (get_term(r, TERM_VALUE, &a[0]) || get_term(r, TERM_ARRAY, &b) || get_term(r, TERM_ARRAY, &c))
			return -1;
		if (expr_width(p, a[0]) != 1)
			return wrong_width(r, code);
		*out = expr_array_ite(p, a[0], b, c);
		return 0;
	}
	if (get_term(r, TERM_ARRAY, &a[0]) || get_term(r, TERM_VALUE, &b) ||
	    (code != EXPR_CODE_SELECT && get_term(r, code == EXPR_CODE_FILL ? TERM_LIST : TERM_VALUE, &c)))
		return -1;
	struct expr_node list = *node(p, code == EXPR_CODE_FILL ? c : b);
	if (expr_width(p, b) != 64 || (code == EXPR_CODE_WRITE && expr_width(p, c) != 8) ||
	    (code == EXPR_CODE_FILL && (!list.a || !list.b || list.c || expr_width(p, list.a) != 64 || expr_width(p, list.b) != 8)))
		return error_set("expression term %u is an array whose operands have the wrong widths", r->count);
	*out = code == EXPR_CODE_SELECT	 ? expr_array_select(p, a[0], b)
	       : code == EXPR_CODE_WRITE ? expr_array_write(p, a[0], b, c)
					 : expr_array_fill(p, a[0], b, list.a, list.b);
	return 0;
}

/* Operators whose operands have other widths than they. */
static int get_special(struct reader *r, unsigned op, unsigned width, expr_t *out)
{
	struct exprs *p = r->p;
	expr_t a, b, c;
	uint64_t low = 0;
	if ((op == MUSTER_OP_EXTRACT && get_number(r, &low)) || get_term(r, TERM_VALUE, &a))
		return -1;
	unsigned from = expr_width(p, a);
	switch (op) {
	case MUSTER_OP_EXTRACT:
		if (low >= from || width > from - low)
			return wrong_width(r, op);
		*out = expr_extract(p, a, (unsigned)low, width);
		return 0;
	case MUSTER_OP_ZEXT:
	case MUSTER_OP_SEXT:
		if (from > width)
			return wrong_width(r, op);
		*out = op == MUSTER_OP_ZEXT ? expr_zext(p, a, width) : expr_sext(p, a, width);
		return 0;
	case MUSTER_OP_CONCAT:
		if (get_term(r, TERM_VALUE, &b))
			return -1;
		if (from + expr_width(p, b) != width)
			return wrong_width(r, op);
		*out = expr_concat(p, a, b);
		return 0;
	case MUSTER_OP_ITE:
		if (get_term(r, TERM_VALUE, &b) || get_term(r, TERM_VALUE, &c))
			return -1;
		if (from != 1 || expr_width(p, b) != width || expr_width(p, c) != width)
			return wrong_width(r, op);
		*out = expr_ite(p, a, b, c);
		return 0;
	default: /* READ */
		if (get_term(r, TERM_DATA, &b))
			return -1;
		if (from != 64 || width % 8)
			return wrong_width(r, op);
		*out = expr_read(p, b, a, width);
		return 0;
	}
}

static int get_operator(struct reader *r, unsigned op, unsigned width, expr_t *out)
{
	expr_t a, b;
	int test = op_table[op].shape == OP_TEST;
	switch (op_table[op].shape) {
	case OP_SAME:
	case OP_TEST:
		if (get_term(r, TERM_VALUE, &a) || get_term(r, TERM_VALUE, &b))
			return -1;
		if (expr_width(r->p, a) != expr_width(r->p, b) ||
		    width != (test ? 1 : expr_width(r->p, a)))
			return wrong_width(r, op);
		*out = expr_binary(r->p, (enum muster_op)op, a, b);
		return 0;
	case OP_UNARY:
		if (get_term(r, TERM_VALUE, &a))
			return -1;
		if (expr_width(r->p, a) != width || (op == MUSTER_OP_BSWAP && width % 8))
			return wrong_width(r, op);
		*out = expr_unary(r->p, (enum muster_op)op, a);
		return 0;
	default:
		return get_special(r, op, width, out);
	}
}

static int get_node(struct reader *r, expr_t *out)
{
	char name[MAX_NAME];
	if (r->size - r->at < 2)
		return short_of(r);
	unsigned op = r->data[r->at++], width = r->data[r->at++];
	if ((op >= EXPR_CODE_LIST && op <= EXPR_CODE_FILL) || (op == MUSTER_OP_ITE && !width))
		return get_array(r, op, width, out);
	if (width < 1 || width > 128)
		return error_set("expression term %u has %u bits", r->count, width);
	switch (op) {
	case MUSTER_OP_CONST:
		return get_const(r, width, out);
	case MUSTER_OP_INPUT:
	case MUSTER_OP_LENGTH:
		return get_leaf(r, op, width, out);
	case MUSTER_OP_DATA:
		return get_data(r, out);
	case EXPR_CODE_NAMED:
		if (get_name(r, name))
			return -1;
		*out = expr_named(r->p, width, name);
		return 0;
	case EXPR_CODE_APPLY:
		return get_apply(r, width, out);
	default:
		if (op >= MUSTER_OP_COUNT || op == MUSTER_OP_NONE || op == MUSTER_OP_BYTES)
			return error_set("expression term %u has operator %u, which is none",
					 r->count, op);
		return get_operator(r, op, width, out);
	}
}

static uint64_t get_fixed(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;
	while (bytes--)
		v = v << 8 | p[bytes];
	return v;
}

static int check_frame(const uint8_t *data, size_t size)
{
	if (size < HEADER + CHECK || memcmp(data, MAGIC, 4))
		return error_set("this is no expression data");
	uint64_t version = get_fixed(data + 4, 4);
	if (version != EXPR_SERIAL_VERSION)
		return error_set("expression data of version %" PRIu64 "; this muster reads %u",
				 version, EXPR_SERIAL_VERSION);
	if (hash64(data, size - CHECK, EXPR_SERIAL_VERSION) != get_fixed(data + size - CHECK, 8))
		return error_set("expression data is damaged: its hash is another");
	return 0;
}

/* A value or an array without a size. */
static int get_root(struct reader *r, expr_t *out)
{
	size_t at = r->at;
	if (!get_term(r, TERM_ARRAY, out))
		return 0;
	r->at = at;
	return get_term(r, TERM_VALUE, out);
}

int expr_read_serial(struct exprs *p, const void *bytes, size_t size, expr_t *roots, unsigned room,
		     unsigned *count)
{
	const uint8_t *data = bytes;
	struct reader r = {.p = p, .data = data, .size = size - CHECK, .at = HEADER};
	if (check_frame(data, size))
		return -1;
	uint64_t terms = get_fixed(data + 8, 4), wanted = get_fixed(data + 12, 4);
	if (terms > (size - HEADER) / 2 || wanted > size)
		return error_set("expression data of %zu bytes cannot hold %" PRIu64 " terms", size,
				 terms);
	if (wanted > room)
		return error_set("expression data has %" PRIu64 " roots; %u were expected", wanted,
				 room);
	r.terms = mem_realloc(NULL, terms + 1, sizeof *r.terms);
	int bad = 0;
	for (; r.count < terms && !bad; r.count += !bad)
		bad = get_node(&r, &r.terms[r.count]);
	for (uint64_t i = 0; i < wanted && !bad; i++)
		bad = get_root(&r, &roots[i]);
	if (!bad && r.at != r.size)
		bad = error_set("expression data has %zu bytes too many", r.size - r.at);
	*count = bad ? 0 : (unsigned)wanted;
	free(r.terms);
	return bad;
}
