/* array.c: arrays of bytes: variables, writes, fills, choices, reads.
 *
 * Two kinds. One of constant size is a DATA, a table of byte terms: a write, a fill or a choice makes another table whose bytes are
 * choices, a read is a READ. So these are gone when the term is built, and every solver takes what is left. One without a size has a
 * byte for each of the 2^64 offsets and is a term of its own, of width 0: an ARRAY (a variable), or a WRITE of one byte, a FILL of
 * a range, or an ITE of others. A byte of it is a SELECT.
 *
 * A read goes down through what is known not to matter (other constant offsets, or the same offset plus other constants) and stops at a
 * WRITE or ITE that may matter: that is left to a solver with arrays. A FILL has no counterpart there, so a read goes through all of an
 * array that has one below (k of an array's node says so): it becomes choices. Shared parts are gone through once for a read, so that a
 * chain of n choices costs n.
 *
 * Invariant: an array below a SELECT has no FILL. A SELECT's array is no WRITE whose offset is known to be the SELECT's or not to be.
 */
#include "expr/pool.h"

#include "base/error.h"

#define HAS_FILL 1u /* k of an array's node */

int expr_is_array(const struct exprs *p, expr_t e)
{
	unsigned op = node(p, e)->op;
	return op == MUSTER_OP_DATA || (!node(p, e)->width && op != EXPR_OP_LIST);
}

static expr_t byte_at(struct exprs *p, expr_t at, uint64_t i)
{
	return i ? expr_binary(p, MUSTER_OP_ADD, at, expr_const(p, 64, i)) : at;
}

/* x without a constant that is added to it. */
static expr_t without_constant(const struct exprs *p, expr_t x, uint64_t *constant)
{
	const struct expr_node *n = node(p, x);
	u128 v;
	*constant = 0;
	if (n->op != MUSTER_OP_ADD || !expr_is_const(p, n->b, &v))
		return x;
	*constant = (uint64_t)v;
	return n->a;
}

enum same { DIFFERENT, SAME, UNDECIDED };

static enum same compare_offsets(const struct exprs *p, expr_t x, expr_t y)
{
	uint64_t i, j;
	if (x == y)
		return SAME;
	if (is_op(p, x, MUSTER_OP_CONST) && is_op(p, y, MUSTER_OP_CONST))
		return DIFFERENT;
	return without_constant(p, x, &i) == without_constant(p, y, &j) && i != j ? DIFFERENT : UNDECIDED;
}

static void check(struct exprs *p, expr_t array, expr_t at, const char *what)
{
	if (!expr_is_array(p, array) || expr_width(p, at) != 64)
		BUG("%s of a term of %u bits at an offset of %u bits", what, expr_width(p, array), expr_width(p, at));
}

/* ------------------------------------------------------------ of constant size */

static expr_t *table_copy(const struct exprs *p, expr_t data, uint64_t *count)
{
	*count = expr_data_count(p, data);
	expr_t *bytes = mem_realloc(NULL, *count + 1, sizeof *bytes);
	for (uint64_t i = 0; i < *count; i++)
		bytes[i] = expr_data_byte(p, data, i);
	return bytes;
}

static expr_t table_done(struct exprs *p, expr_t *bytes, uint64_t count)
{
	expr_t r = expr_data(p, bytes, count);
	free(bytes);
	return r;
}

static expr_t table_write(struct exprs *p, expr_t data, expr_t at, expr_t value)
{
	uint64_t count, size = expr_width(p, value) / 8;
	expr_t *bytes = table_copy(p, data, &count);
	u128 constant = 0;
	int fixed = expr_is_const(p, at, &constant);
	for (uint64_t k = 0; k < size; k++) {
		expr_t byte = expr_extract(p, value, (unsigned)k * 8, 8);
		uint64_t where = (uint64_t)constant + k;
		if (fixed && where < count)
			bytes[where] = byte;
		for (uint64_t i = 0; !fixed && i < count; i++)
			bytes[i] = expr_ite(p, expr_eq(p, at, expr_const(p, 64, i - k)), byte, bytes[i]);
	}
	return table_done(p, bytes, count);
}

/* Is byte i in the range? The difference wraps, as offsets do. */
static expr_t in_range(struct exprs *p, expr_t i, expr_t from, expr_t length)
{
	return expr_binary(p, MUSTER_OP_ULT, expr_binary(p, MUSTER_OP_SUB, i, from), length);
}

static expr_t table_fill(struct exprs *p, expr_t data, expr_t from, expr_t length, expr_t byte)
{
	uint64_t count;
	expr_t *bytes = table_copy(p, data, &count);
	for (uint64_t i = 0; i < count; i++)
		bytes[i] = expr_ite(p, in_range(p, expr_const(p, 64, i), from, length), byte, bytes[i]);
	return table_done(p, bytes, count);
}

static expr_t table_ite(struct exprs *p, expr_t c, expr_t a, expr_t b)
{
	uint64_t count, other;
	expr_t *bytes = table_copy(p, a, &count), *others = table_copy(p, b, &other);
	if (count != other)
		BUG("a choice of arrays of %llu and %llu bytes", (unsigned long long)count, (unsigned long long)other);
	for (uint64_t i = 0; i < count; i++)
		bytes[i] = expr_ite(p, c, bytes[i], others[i]);
	free(others);
	return table_done(p, bytes, count);
}

/* ------------------------------------------------------------ without a size */

static int is_table(const struct exprs *p, expr_t array)
{
	return is_op(p, array, MUSTER_OP_DATA);
}

static uint64_t fills(const struct exprs *p, expr_t array)
{
	const struct expr_node *n = node(p, array);
	return n->op == EXPR_OP_ARRAY ? 0 : n->k & HAS_FILL;
}

static expr_t make_array(struct exprs *p, unsigned op, expr_t a, expr_t b, expr_t c, uint64_t flags)
{
	return expr_make(p, (struct expr_node){.op = (uint8_t)op, .a = a, .b = b, .c = c, .k = flags});
}

struct select {
	struct exprs *p;
	expr_t at;
	struct map done; /* array to its byte */
};

static expr_t select_byte(struct select *s, expr_t array);

/* What a choice gives: both sides, where they have to be looked into. */
static expr_t select_choice(struct select *s, expr_t array)
{
	uint64_t known;
	if (map_get(&s->done, array, &known))
		return (expr_t)known;
	struct expr_node n = *node(s->p, array);
	expr_t x = select_byte(s, n.b), y = select_byte(s, n.c), r = expr_ite(s->p, n.a, x, y);
	map_set(&s->done, array, r);
	return r;
}

struct pending { /* if the condition holds, it is the byte; else what comes below */
	expr_t condition, byte;
};

/* Down a chain of writes and fills without recursion: they may be many. */
static expr_t select_byte(struct select *s, expr_t array)
{
	struct exprs *p = s->p;
	VEC(struct pending) above = {0};
	expr_t r = EXPR_NONE;
	while (!r) {
		struct expr_node n = *node(p, array);
		struct pending here = {EXPR_NONE, n.c};
		int through = p->expand || (n.op != EXPR_OP_ARRAY && n.k & HAS_FILL);
		if (n.op == EXPR_OP_WRITE) {
			enum same same = compare_offsets(p, s->at, n.b);
			if (same == UNDECIDED && !through)
				break;
			here.condition = same == SAME ? expr_true(p) : same == DIFFERENT ? expr_false(p) : expr_eq(p, s->at, n.b);
		} else if (n.op == EXPR_OP_FILL) {
			struct expr_node list = *node(p, n.c);
			here = (struct pending){in_range(p, s->at, n.b, list.a), list.b};
		} else if (n.op == MUSTER_OP_ITE && through) {
			r = select_choice(s, array);
			break;
		} else {
			break;
		}
		if (here.condition == expr_true(p))
			r = here.byte;
		else if (here.condition != expr_false(p))
			vec_push(&above, here);
		array = n.a;
	}
	if (!r)
		r = expr_make3(p, EXPR_OP_SELECT, 8, array, s->at, 0);
	while (above.size) {
		struct pending x = vec_pop(&above);
		r = expr_ite(p, x.condition, x.byte, r);
	}
	vec_release(&above);
	return r;
}

/* ------------------------------------------------------------ constructors */

expr_t expr_array(struct exprs *p, const char *name)
{
	return expr_make(p, (struct expr_node){.op = EXPR_OP_ARRAY, .k = expr_name_number(p, name)});
}

expr_t expr_array_select(struct exprs *p, expr_t array, expr_t at)
{
	struct select s = {.p = p, .at = at};
	check(p, array, at, "a byte");
	if (is_table(p, array))
		return expr_read(p, array, at, 8);
	expr_t r = select_byte(&s, array);
	map_release(&s.done);
	return r;
}

expr_t expr_array_read(struct exprs *p, expr_t array, expr_t at, unsigned width)
{
	check(p, array, at, "a read");
	if (!width || width % 8 || width > 128)
		BUG("a read of %u bits", width);
	if (is_table(p, array))
		return expr_read(p, array, at, width);
	expr_t r = expr_array_select(p, array, at);
	for (unsigned i = 1; i < width / 8; i++)
		r = expr_concat(p, expr_array_select(p, array, byte_at(p, at, i)), r);
	return r;
}

expr_t expr_array_write(struct exprs *p, expr_t array, expr_t at, expr_t value)
{
	unsigned width = expr_width(p, value);
	check(p, array, at, "a write");
	if (!width || width % 8)
		BUG("a write of %u bits", width);
	if (is_table(p, array))
		return table_write(p, array, at, value);
	for (unsigned i = 0; i < width / 8; i++) {
		expr_t where = byte_at(p, at, i), byte = expr_extract(p, value, 8 * i, 8);
		struct expr_node n = *node(p, array);
		if (n.op == EXPR_OP_WRITE && n.b == where)
			array = n.a;
		if (is_op(p, byte, EXPR_OP_SELECT) && node(p, byte)->a == array && node(p, byte)->b == where)
			continue; /* what is there already */
		array = make_array(p, EXPR_OP_WRITE, array, where, byte, fills(p, array));
	}
	return array;
}

expr_t expr_array_fill(struct exprs *p, expr_t array, expr_t from, expr_t length, expr_t byte)
{
	u128 none;
	check(p, array, from, "a fill");
	if (expr_width(p, length) != 64 || expr_width(p, byte) != 8)
		BUG("a fill with %u bits over a length of %u bits", expr_width(p, byte), expr_width(p, length));
	if (expr_is_const(p, length, &none) && !none)
		return array;
	if (is_table(p, array))
		return table_fill(p, array, from, length, byte);
	return make_array(p, EXPR_OP_FILL, array, from, expr_make3(p, EXPR_OP_LIST, 0, length, byte, 0), HAS_FILL);
}

expr_t expr_array_ite(struct exprs *p, expr_t c, expr_t a, expr_t b)
{
	if (!expr_is_array(p, a) || !expr_is_array(p, b) || is_table(p, a) != is_table(p, b) || expr_width(p, c) != 1)
		BUG("a choice of arrays of two kinds");
	if (c == expr_true(p) || a == b)
		return a;
	if (c == expr_false(p))
		return b;
	if (is_table(p, a))
		return table_ite(p, c, a, b);
	return make_array(p, MUSTER_OP_ITE, c, a, b, fills(p, a) | fills(p, b));
}

/* ------------------------------------------------------------ uninterpreted functions */

/* Operands beyond the third are a list: its three are two of them and the rest. */
expr_t expr_apply(struct exprs *p, const char *function, unsigned width, const expr_t *args, unsigned count)
{
	expr_t last = EXPR_NONE;
	if (width < 1 || width > 128)
		BUG("%s has %u bits", function, width);
	for (unsigned i = 0; i < count; i++)
		if (!expr_width(p, args[i]) || is_table(p, args[i]))
			BUG("%s of an array", function);
	if (count > 3) {
		unsigned rest = count - 2; /* two stand in the node itself */
		unsigned at = count - (rest % 2 ? 1 : 2);
		last = expr_make3(p, EXPR_OP_LIST, 0, args[at], at + 1 < count ? args[at + 1] : 0, 0);
		while (at > 2) {
			at -= 2;
			last = expr_make3(p, EXPR_OP_LIST, 0, args[at], args[at + 1], last);
		}
	} else if (count == 3) {
		last = args[2];
	}
	return expr_make(p, (struct expr_node){.op = EXPR_OP_APPLY,
					       .width = (uint8_t)width,
					       .a = count > 0 ? args[0] : 0,
					       .b = count > 1 ? args[1] : 0,
					       .c = last,
					       .k = expr_name_number(p, function)});
}

unsigned expr_arguments(const struct exprs *p, expr_t e, expr_t *out, unsigned room)
{
	unsigned count = 0;
	while (e) {
		const struct expr_node *n = node(p, e);
		expr_t operand[3] = {n->a, n->b, n->c};
		e = EXPR_NONE;
		for (unsigned i = 0; i < 3 && operand[i]; i++) {
			if (is_op(p, operand[i], EXPR_OP_LIST)) {
				e = operand[i];
				break;
			}
			if (count < room)
				out[count] = operand[i];
			count++;
		}
	}
	return count;
}

/* ------------------------------------------------------------ walking */

static expr_t same_variable(void *ctx, expr_t variable)
{
	(void)ctx;
	(void)variable;
	return EXPR_NONE;
}

expr_t expr_expand_arrays(struct exprs *p, expr_t e)
{
	p->expand = 1;
	e = expr_substitute(p, e, same_variable, NULL);
	p->expand = 0;
	return e;
}
