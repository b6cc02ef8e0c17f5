/* print.c: from nodes to C.
 *
 * An expression's nodes are collected breadth-first from its root up to the
 * limit, so that what is left out is what lies deepest. Operands are older than
 * their node; sorted by label the collection is therefore in an order in which each
 * node's operands come first, and one pass turns all of them into text without
 * recursion, however deep the DAG. Each text that would grow too long becomes a
 * binding, which keeps the whole linear in the number of nodes though the DAG
 * shares.
 *
 * Invariant: an item's cx obeys the rule of cexpr.h for its node's width.
 */
#include "run/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIND_ALWAYS 100 /* text of this size gets a name */
#define BIND_SHARED 24	/* the same where it is used again */
#define COUNT_LIMIT 1000
#define TABLE_SHOWN 16

void print_init(struct print *p, const struct trace *t)
{
	memset(p, 0, sizeof *p);
	p->trace = t;
	p->node_limit = PRINT_NODES;
}

void print_release(struct print *p)
{
	arena_release(&p->arena);
	map_release(&p->index);
	map_release(&p->tables);
	vec_release(&p->items);
	vec_release(&p->lets);
	vec_release(&p->seen);
}

/* ------------------------------------------------- runs of input bytes */

struct run {
	unsigned count; /* bytes */
	struct {
		uint32_t source;
		uint64_t offset;
	} byte[16]; /* the lowest of the value first */
};

static int gather(const struct trace *t, uint32_t label, struct run *r);

static int gather_concat(const struct trace *t, const struct muster_node *n, struct run *r)
{
	struct run low, high;
	if (t->nodes[n->a].width % 8 || t->nodes[n->b].width % 8 || !gather(t, n->b, &low) ||
	    !gather(t, n->a, &high))
		return 0;
	*r = low;
	memcpy(&r->byte[low.count], high.byte, high.count * sizeof high.byte[0]);
	r->count += high.count;
	return 1;
}

static int gather_extract(const struct trace *t, const struct muster_node *n, struct run *r)
{
	unsigned low = trace_extract_low(n);
	if (low % 8 || n->width % 8 || !gather(t, n->a, r))
		return 0;
	memmove(r->byte, &r->byte[low / 8], n->width / 8 * sizeof r->byte[0]);
	r->count = n->width / 8;
	return 1;
}

/* Is the node made of whole input bytes and nothing else? */
static int gather(const struct trace *t, uint32_t label, struct run *r)
{
	const struct muster_node *n = &t->nodes[label];
	struct run other;
	switch (n->op) {
	case MUSTER_OP_INPUT:
		r->count = 1;
		r->byte[0].source = n->a;
		r->byte[0].offset = n->k;
		return 1;
	case MUSTER_OP_BYTES:
		r->count = n->width / 8;
		for (unsigned i = 0; i < r->count; i++) {
			if (!gather(t, n->a + i, &other) || other.count != 1)
				return 0;
			r->byte[i] = other.byte[0];
		}
		return 1;
	case MUSTER_OP_LEAF:
		return n->a && gather(t, n->a, r);
	case MUSTER_OP_CONCAT:
		return gather_concat(t, n, r);
	case MUSTER_OP_EXTRACT:
		return gather_extract(t, n, r);
	case MUSTER_OP_BSWAP:
		if (!gather(t, n->a, &other))
			return 0;
		r->count = other.count;
		for (unsigned i = 0; i < r->count; i++)
			r->byte[i] = other.byte[r->count - 1 - i];
		return 1;
	default:
		return 0;
	}
}

/* 1 if the run ascends (little endian), -1 if it descends, 0 if neither. */
static int direction(const struct run *r)
{
	int up = 1, down = 1;
	for (unsigned i = 1; i < r->count; i++) {
		if (r->byte[i].source != r->byte[0].source)
			return 0;
		up &= r->byte[i].offset == r->byte[0].offset + i;
		down &= r->byte[i].offset + i == r->byte[0].offset;
	}
	return up ? 1 : down ? -1 : 0;
}

static const char *source_name(const struct trace *t, uint32_t source)
{
	return t->sources[source].name[0] ? t->sources[source].name : "in";
}

/* A file's size is an off_t: bit 63 is never set, and sums with addresses do not wrap. */
static struct cx length_text(struct print *p, uint32_t source)
{
	struct cx x = cx_text(&p->arena, 64, CX_PRIMARY, "len(%s)", source_name(p->trace, source));
	x.pos = INT64_MAX >> 1;
	return x;
}

static struct cx byte_text(struct print *p, uint32_t source, uint64_t offset)
{
	struct cx x = cx_text(&p->arena, 8, CX_PRIMARY, "%s[%" PRIu64 "]",
			      source_name(p->trace, source), offset);
	x.is_char = 1;
	return x;
}

/* count bytes at `at` of an array, least significant first or last. */
static struct cx word_text(struct print *p, unsigned count, int little, const char *array,
			   const char *at)
{
	const char *end = little ? "le" : "be";
	if (count == 2 || count == 4 || count == 8)
		return cx_text(&p->arena, count * 8, CX_PRIMARY, "u%u%s(%s, %s)", count * 8, end,
			       array, at);
	struct cx x = cx_text(&p->arena, count < 8 ? 64 : 128, CX_PRIMARY, "%s%sn(%s, %s, %u)",
			      count < 8 ? "u" : "u128", end, array, at, count);
	x.pos = op_mask(~(u128)0, count * 8);
	return x;
}

static struct cx run_text(struct print *p, const struct run *r)
{
	int order = direction(r);
	if (r->count == 1)
		return byte_text(p, r->byte[0].source, r->byte[0].offset);
	if (order) {
		char at[24];
		snprintf(at, sizeof at, "%" PRIu64, r->byte[order > 0 ? 0 : r->count - 1].offset);
		return word_text(p, r->count, order > 0, source_name(p->trace, r->byte[0].source),
				 at);
	}
	struct cx x = byte_text(p, r->byte[0].source, r->byte[0].offset);
	for (unsigned i = 1; i < r->count; i++)
		x = cx_concat(&p->arena, 8, i * 8,
			      byte_text(p, r->byte[i].source, r->byte[i].offset), x);
	return x;
}

/* --------------------------------------------------------- collecting */

static uint32_t add_item(struct print *p, uint32_t label)
{
	uint64_t at;
	if (map_get(&p->index, label, &at)) {
		p->items.data[at].uses++;
		return 0;
	}
	if (p->items.size >= p->node_limit)
		return 0;
	map_set(&p->index, label, p->items.size);
	vec_push(&p->items, (struct print_item){.label = label, .uses = 1});
	return 1;
}

/* Calls f for each operand of a node that its text needs. */
static void operands(const struct trace *t, uint32_t label, void (*f)(struct print *, uint32_t),
		     struct print *p)
{
	const struct muster_node *n = &t->nodes[label];
	struct run r;
	if (op_table[n->op].arity == 0 || gather(t, label, &r))
		return;
	if (n->op == MUSTER_OP_BYTES) {
		for (unsigned i = 0; i < n->width / 8u; i++)
			f(p, n->a + i);
		return;
	}
	if (n->a)
		f(p, n->a);
	if (n->op == MUSTER_OP_READ) {
		const uint32_t *cells = trace_data_cells(t, n->b);
		for (uint64_t i = 0; cells && i < t->nodes[n->b].k; i++)
			if (MUSTER_CELL_LABEL(cells[i]))
				f(p, MUSTER_CELL_LABEL(cells[i]));
		return;
	}
	if (op_table[n->op].arity > 1 && n->b)
		f(p, n->b);
	if (op_table[n->op].arity > 2 && n->c)
		f(p, n->c);
}

static void collect_one(struct print *p, uint32_t label)
{
	add_item(p, label);
}

static int by_label(const void *x, const void *y)
{
	uint32_t a = ((const struct print_item *)x)->label,
		 b = ((const struct print_item *)y)->label;
	return a < b ? -1 : a > b;
}

static void collect(struct print *p, uint32_t root)
{
	map_clear(&p->index);
	vec_clear(&p->items);
	add_item(p, root);
	for (size_t i = 0; i < p->items.size; i++)
		operands(p->trace, p->items.data[i].label, collect_one, p);
	qsort(p->items.data, p->items.size, sizeof *p->items.data, by_label);
	for (size_t i = 0; i < p->items.size; i++)
		map_set(&p->index, p->items.data[i].label, i);
}

static void count_one(struct print *p, uint32_t label)
{
	for (size_t i = 0; i < p->seen.size; i++)
		if (p->seen.data[i] == label)
			return;
	if (p->seen.size < COUNT_LIMIT)
		vec_push(&p->seen, label);
}

/* A part that is left out. */
static struct cx left_out(struct print *p, uint32_t label)
{
	struct buf value = {0};
	vec_clear(&p->seen);
	vec_push(&p->seen, label);
	for (size_t i = 0; i < p->seen.size && p->seen.size < COUNT_LIMIT; i++)
		operands(p->trace, p->seen.data[i], count_one, p);
	print_value(p->trace, label, &value);
	struct cx x =
	    cx_text(&p->arena, p->trace->nodes[label].width, CX_PRIMARY, "…(%s%zu nodes, %s here)",
		    p->seen.size >= COUNT_LIMIT ? "over " : "", p->seen.size, buf_str(&value));
	buf_release(&value);
	return x;
}

/* --------------------------------------------------------- converting */

static struct cx operand(struct print *p, uint32_t label)
{
	uint64_t at;
	const struct muster_node *n = &p->trace->nodes[label];
	if (map_get(&p->index, label, &at) && p->items.data[at].done)
		return p->items.data[at].x;
	if (n->op == MUSTER_OP_CONST)
		return cx_const(trace_value(p->trace, label), n->width);
	if (n->op == MUSTER_OP_INPUT)
		return byte_text(p, n->a, n->k);
	return left_out(p, label);
}

static struct cx operand_or_k(struct print *p, uint32_t label, uint64_t k, unsigned width)
{
	return label ? operand(p, label) : cx_const(k, width);
}

/* A byte of a table: constant, or what a cell says. */
static void table_byte(struct print *p, uint32_t data, uint64_t i, struct buf *out)
{
	const uint32_t *cells = trace_data_cells(p->trace, data);
	uint32_t cell = cells ? cells[i] : 0, label = MUSTER_CELL_LABEL(cell);
	if (!label) {
		buf_addf(out, "%u", trace_data_bytes(p->trace, data)[i]);
		return;
	}
	unsigned width = p->trace->nodes[label].width, low = MUSTER_CELL_BYTE(cell) * 8;
	struct cx x = operand(p, label);
	if (width % 8) /* the bits above an odd width are zero in memory */
		x = cx_unsigned(&p->arena, x, width);
	x = cx_unsigned(&p->arena, cx_extract(&p->arena, width, low, 8, x), 8);
	buf_adds(out, x.text);
}

static const char *table_name(struct print *p, uint32_t data)
{
	uint64_t number;
	if (!map_get(&p->tables, data, &number)) {
		number = p->tables.size + 1;
		map_set(&p->tables, data, number);
	}
	char name[32];
	snprintf(name, sizeof name, "tbl%" PRIu64, number);
	for (size_t i = 0; i < p->lets.size; i++)
		if (!strcmp(p->lets.data[i].name, name))
			return p->lets.data[i].name;

	uint64_t size = p->trace->nodes[data].k,
		 shown = p->whole_tables || size < TABLE_SHOWN ? size : TABLE_SHOWN;
	struct buf b = {0};
	buf_addf(&b, "const uint8_t %s[%" PRIu64 "] = {", name, size);
	for (uint64_t i = 0; i < shown; i++) {
		buf_adds(&b, i ? ", " : "");
		table_byte(p, data, i, &b);
	}
	buf_adds(&b, shown < size ? ", …};" : "};");
	struct print_let let = {arena_strdup(&p->arena, name), arena_strdup(&p->arena, buf_str(&b)),
				0};
	vec_push(&p->lets, let);
	buf_release(&b);
	return let.name;
}

static struct cx read_text(struct print *p, const struct muster_node *n)
{
	const char *name = table_name(p, n->b);
	struct cx at = cx_unsigned(&p->arena, operand(p, n->a), 64);
	if (n->width == 8)
		return cx_text(&p->arena, 8, CX_PRIMARY, "%s[%s]", name, at.text);
	return word_text(p, n->width / 8, 1, name, at.text);
}

static int is_test(unsigned op)
{
	return op >= MUSTER_OP_EQ && op <= MUSTER_OP_SLE;
}

/* x + c1 OP c2 says the same as x OP c2 - c1 where the sum does not wrap: positions in a buffer are
 * compared as addresses. Gives x and c2 - c1; n has a label on its left and a constant on its
 * right. */
static int without_offset(struct print *p, const struct muster_node *n, uint32_t label,
			  unsigned width, struct cx *x, uint64_t *rest)
{
	const struct muster_node *sum = &p->trace->nodes[label];
	uint64_t offset = 0;
	for (; sum->op == MUSTER_OP_ADD && !(sum->a && sum->b); sum = &p->trace->nodes[label]) {
		offset += sum->k;
		label = sum->a ? sum->a : sum->b;
	}
	if (width != 64 || offset < 4096 || offset >> 62)
		return 0;
	*x = operand(p, label);
	*rest = n->k - offset;
	if (n->op == MUSTER_OP_EQ || n->op == MUSTER_OP_NE)
		return 1;
	return (n->op == MUSTER_OP_ULT || n->op == MUSTER_OP_ULE) && n->k >= offset &&
	       x->neg == 0 && x->pos <= INT64_MAX;
}

/* sext(x) == c says the same as x == c where c is in x's range; so it needs no cast. */
static struct cx compare(struct print *p, const struct muster_node *n, int negate)
{
	const struct trace *t = p->trace;
	unsigned width = trace_operand_width(t, n);
	uint32_t a = n->a, b = n->b;
	if ((n->op == MUSTER_OP_EQ || n->op == MUSTER_OP_NE) && a && !b &&
	    t->nodes[a].op == MUSTER_OP_SEXT) {
		unsigned from = t->nodes[t->nodes[a].a].width;
		s128 c = op_signed(n->k, width);
		if (op_signed(op_mask((u128)c, from), from) == c)
			return cx_compare(&p->arena, n->op, negate, from, operand(p, t->nodes[a].a),
					  cx_const((u128)c, from));
	}
	struct cx x;
	uint64_t rest;
	if (!(a && b) && without_offset(p, n, a ? a : b, width, &x, &rest))
		return a ? cx_compare(&p->arena, n->op, negate, width, x, cx_const(rest, width))
			 : cx_compare(&p->arena, n->op, negate, width, cx_const(rest, width), x);
	return cx_compare(&p->arena, n->op, negate, width, operand_or_k(p, a, n->k, width),
			  operand_or_k(p, b, n->k, width));
}

static struct cx bytes_text(struct print *p, const struct muster_node *n)
{
	struct cx x = operand(p, n->a);
	for (unsigned i = 1; i < n->width / 8u; i++)
		x = cx_concat(&p->arena, 8, i * 8, operand(p, n->a + i), x);
	return x;
}

static struct cx special(struct print *p, const struct muster_node *n)
{
	struct arena *a = &p->arena;
	const struct muster_node *nodes = p->trace->nodes;
	switch (n->op) {
	case MUSTER_OP_EXTRACT:
		return cx_extract(a, nodes[n->a].width, trace_extract_low(n), n->width,
				  operand(p, n->a));
	case MUSTER_OP_ZEXT:
		return cx_unsigned(a, operand(p, n->a), nodes[n->a].width);
	case MUSTER_OP_SEXT:
		return cx_sign(a, operand(p, n->a), nodes[n->a].width);
	case MUSTER_OP_CONCAT:
		return cx_concat(a, nodes[n->a].width, nodes[n->b].width, operand(p, n->a),
				 operand(p, n->b));
	case MUSTER_OP_BYTES:
		return bytes_text(p, n);
	case MUSTER_OP_ITE:
		return cx_ite(a, n->width, operand(p, n->a), operand(p, n->b), operand(p, n->c));
	case MUSTER_OP_READ:
		return read_text(p, n);
	case MUSTER_OP_LEAF:
		return n->a ? operand(p, n->a) : cx_unsigned(a, cx_const(muster_value(n), n->width), n->width);
	default:
		return cx_unary(a, n->op, n->width, operand(p, n->a));
	}
}

static struct cx convert(struct print *p, uint32_t label)
{
	const struct trace *t = p->trace;
	const struct muster_node *n = &t->nodes[label], *inner = &t->nodes[n->a];
	struct run r;
	if (gather(t, label, &r))
		return run_text(p, &r);
	if (n->op == MUSTER_OP_LENGTH)
		return length_text(p, n->a);
	if (n->op == MUSTER_OP_CONST)
		return cx_unsigned(&p->arena, cx_const(trace_value(t, label), n->width), n->width);
	if (is_test(n->op))
		return compare(p, n, 0);
	if (n->op == MUSTER_OP_XOR && n->width == 1 && n->a && !n->b && n->k && is_test(inner->op))
		return compare(p, inner, 1);
	if (op_table[n->op].shape == OP_SAME || op_table[n->op].shape == OP_TEST) {
		unsigned width = trace_operand_width(t, n);
		return cx_binary(&p->arena, n->op, width, operand_or_k(p, n->a, n->k, width),
				 operand_or_k(p, n->b, n->k, width));
	}
	return special(p, n);
}

static void convert_all(struct print *p, uint32_t root)
{
	unsigned names = 0;
	vec_clear(&p->lets);
	for (size_t i = 0; i < p->items.size; i++) {
		struct print_item *item = &p->items.data[i];
		if (p->trace->nodes[item->label].op == MUSTER_OP_CONST && item->label != root)
			continue; /* written where it is used */
		struct cx x = convert(p, item->label);
		if (item->label != root &&
		    (x.size > BIND_ALWAYS ||
		     (x.size > BIND_SHARED && item->uses > 1 && x.prec < CX_PRIMARY))) {
			char name[16];
			struct print_let let = {0};
			snprintf(name, sizeof name, "t%u", ++names);
			x = cx_bind(&p->arena, x, p->trace->nodes[item->label].width, name,
				    &let.definition);
			let.name = arena_strdup(&p->arena, name);
			vec_push(&p->lets, let);
		}
		item->x = x;
		item->done = 1;
	}
}

/* Does the text mention the name, as a whole word? */
static int mentions(const char *text, const char *name)
{
	size_t n = strlen(name);
	for (const char *s = text; (s = strstr(s, name)); s += n) {
		char before = s > text ? s[-1] : ' ', after = s[n];
		int word_before = before == '_' || (before >= '0' && before <= '9') ||
				  (before >= 'a' && before <= 'z');
		int word_after = after == '_' || (after >= '0' && after <= '9') ||
				 (after >= 'a' && after <= 'z');
		if (!word_before && !word_after)
			return 1;
	}
	return 0;
}

/* Bindings that simplification made needless are not shown. */
static void emit_lets(struct print *p, const char *text, struct buf *lets)
{
	for (size_t i = p->lets.size; i-- > 0;) {
		struct print_let *let = &p->lets.data[i];
		let->used = mentions(text, let->name);
		for (size_t j = i + 1; j < p->lets.size && !let->used; j++)
			let->used = p->lets.data[j].used &&
				    mentions(strchr(p->lets.data[j].definition, '='), let->name);
	}
	for (size_t i = 0; i < p->lets.size; i++)
		if (p->lets.data[i].used)
			buf_addf(lets, "%s\n", p->lets.data[i].definition);
}

static int finish(struct print *p, struct cx x, struct buf *text, struct buf *lets)
{
	size_t from = lets->size;
	buf_adds(text, x.text);
	emit_lets(p, x.text, lets);
	int whole = !strstr(x.text, "…(") && !strstr(buf_str(lets) + from, "…");
	arena_release(&p->arena);
	return whole;
}

int print_expr(struct print *p, uint32_t label, struct buf *text, struct buf *lets)
{
	unsigned width = p->trace->nodes[label].width;
	collect(p, label);
	convert_all(p, label);
	return finish(p, cx_unsigned(&p->arena, operand(p, label), width), text, lets);
}

int print_equal(struct print *p, uint32_t label, struct buf *text, struct buf *lets)
{
	unsigned width = p->trace->nodes[label].width;
	struct cx value = cx_const(trace_value(p->trace, label), width);
	collect(p, label);
	convert_all(p, label);
	return finish(p, cx_compare(&p->arena, MUSTER_OP_EQ, 0, width, operand(p, label), value),
		      text, lets);
}

void print_value(const struct trace *t, uint32_t label, struct buf *text)
{
	struct arena a = {0};
	struct run r;
	unsigned width = t->nodes[label].width;
	u128 value = trace_value(t, label);
	if (width == 8 && gather(t, label, &r))
		cx_char(text, (unsigned)value);
	else
		buf_adds(text, cx_unsigned(&a, cx_const(value, width), width).text);
	arena_release(&a);
}
