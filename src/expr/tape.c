/* tape.c: terms as a program for a register machine.
 *
 * Each term has a register: first the variables, then the constants (filled in
 * once), then the results in the order of the walk. A ZEXT is its operand's register, since values
 * are kept masked. The operators are one table, from which both machines come:
 * the scalar one jumps from instruction to instruction, the batch one does each for TAPE_LANES
 * lanes at a time, which the compiler turns into vector code.
 *
 * Terms above 64 bits are done by TAPE_WIDE in 128 bits; what is narrow stays fast. Registers
 * of narrow terms have zeros in their high half, so wide operators can read them.
 *
 * Invariant: values are those of expr_eval, for all values of the variables.
 */
#include "expr/tape.h"

#include "expr/pool.h"

#include "base/error.h"

#include <string.h>

/* X(name, value): from operands a, b, c, with k (a mask or what the operator needs), w (width), f
 * (64 - width of the operands) and s (shift). */
#define TAPE_OPS(X)                                                          \
	X(ADD, (a + b) & k)                                                  \
	X(SUB, (a - b) & k)                                                  \
	X(MUL, (a * b) & k)                                                  \
	X(AND, a &b)                                                         \
	X(OR, a | b)                                                         \
	X(XOR, a ^ b)                                                        \
	X(EQ, a == b)                                                        \
	X(ULT, a < b)                                                        \
	X(ULE, a <= b)                                                       \
	X(SLT, (int64_t)(a << f) < (int64_t)(b << f))                        \
	X(SLE, (int64_t)(a << f) <= (int64_t)(b << f))                       \
	X(UADDO, (a + b < a) | (a + b > k))                                  \
	X(EXTRACT, (a >> s) & k)                                             \
	X(SEXT, (uint64_t)((int64_t)(a << f) >> f) & k)                      \
	X(CONCAT, a << s | b)                                                \
	X(ITE, a ? b : c)                                                    \
	X(SHL, b < w ? (a << (b & 63)) & k : 0)                              \
	X(LSHR, b < w ? a >> (b & 63) : 0)                                   \
	X(ASHR, (uint64_t)((int64_t)(a << f) >> f >> (b < 63 ? b : 63)) & k) \
	X(UDIV, b ? a / b : k)                                               \
	X(UREM, b ? a % b : a)                                               \
	X(BSWAP, __builtin_bswap64(a) >> f)                                  \
	X(CTPOP, (uint64_t)__builtin_popcountll(a))                          \
	X(CTLZ, a ? (uint64_t)__builtin_clzll(a) - f : w)                    \
	X(CTTZ, a ? (uint64_t)__builtin_ctzll(a) : w)

enum tape_op {
#define X(name, value) TAPE_##name,
	TAPE_OPS(X)
#undef X
	    TAPE_OTHER, /* any narrow operator, by expr_total */
	TAPE_TABLE,	/* a read of a constant table */
	TAPE_READ,	/* a read of a table of terms */
	TAPE_WIDE,	/* any operator in 128 bits */
	TAPE_END,
};

struct tape_code {
	uint8_t op;	/* enum tape_op */
	uint8_t source; /* the term's operator */
	uint8_t width, from, s;
	uint32_t dst, a, b, c;
	uint64_t k; /* mask, number of the table, or term of an APPLY */
};

/* ----------------------------------------------------------- translation */

struct maker {
	struct tape *t;
	const struct exprs *p;
	uint32_t *reg; /* by place in the walk */
	VEC(struct tape_code) code;
	VEC(uint32_t) table_regs;
};

static uint32_t reg_of(const struct maker *m, expr_t e)
{
	return e ? m->reg[m->p->place[e]] : 0;
}

static int narrow_op(unsigned op)
{
	switch (op) {
#define X(name, value)         \
	case MUSTER_OP_##name: \
		return TAPE_##name;
		TAPE_OPS(X)
#undef X
	default:
		return TAPE_OTHER;
	}
}

static int is_wide(const struct exprs *p, const struct expr_node *n)
{
	int wide = n->width > 64;
	expr_t operands[3] = {n->a, n->b, n->c};
	for (unsigned i = 0; i < 3; i++)
		wide |= operands[i] && node(p, operands[i])->width > 64;
	return wide;
}

/* Where the registers of a table's bytes are listed. */
static uint32_t list_table(struct maker *m, expr_t data)
{
	const struct expr_table *t = expr_table_of(m->p, data);
	uint32_t at = (uint32_t)m->table_regs.size;
	for (uint64_t i = 0; i < t->count; i++)
		vec_push(&m->table_regs, reg_of(m, t->term[i]));
	return at;
}

static void translate(struct maker *m, expr_t e, uint32_t dst)
{
	const struct exprs *p = m->p;
	const struct expr_node *n = node(p, e);
	struct tape_code c = {.source = n->op,
			      .width = n->width,
			      .from = n->a ? node(p, n->a)->width : n->width,
			      .dst = dst,
			      .a = reg_of(m, n->a),
			      .b = reg_of(m, n->b),
			      .c = reg_of(m, n->c),
			      .k = (uint64_t)ones(n->width)};
	c.op = (uint8_t)narrow_op(n->op);
	if (n->op == MUSTER_OP_EXTRACT)
		c.s = (uint8_t)n->k;
	else if (n->op == MUSTER_OP_CONCAT)
		c.s = node(p, n->b)->width;
	else if (n->op == MUSTER_OP_UADDO)
		c.k = (uint64_t)ones(c.from);
	else if (n->op == EXPR_OP_APPLY)
		c.k = e;
	if (is_wide(p, n))
		c.op = TAPE_WIDE;
	if (n->op == MUSTER_OP_READ) {
		const struct expr_table *t = expr_table_of(p, n->b);
		c.k = node(p, n->b)->k;
		c.op = n->width > 64 ? TAPE_WIDE : t->term ? TAPE_READ : TAPE_TABLE;
		c.b = t->term ? list_table(m, n->b) : 0;
	}
	vec_push(&m->code, c);
}

static int is_slot(const struct expr_node *n)
{
	return n->op == MUSTER_OP_INPUT || n->op == MUSTER_OP_LENGTH || n->op == EXPR_OP_NAMED;
}

static int ascending(const void *x, const void *y)
{
	expr_t a = *(const expr_t *)x, b = *(const expr_t *)y;
	return a < b ? -1 : a > b;
}

/* Slots of the variables, then registers of all other terms. Returns whether any term is wide. */
static int number_terms(struct maker *m, const struct expr_order *order)
{
	struct tape *t = m->t;
	int wide = 0;
	for (size_t i = 0; i < order->size; i++)
		if (!node(m->p, order->data[i])->width)
			BUG("a tape of terms with arrays or functions of many operands");
	t->vars = mem_realloc(NULL, order->size + 1, sizeof *t->vars);
	for (size_t i = 0; i < order->size; i++)
		if (is_slot(node(m->p, order->data[i])))
			t->vars[t->var_count++] = order->data[i];
	qsort(t->vars, t->var_count, sizeof *t->vars, ascending);
	t->regs = t->var_count;
	for (size_t i = 0; i < order->size; i++) {
		const struct expr_node *n = node(m->p, order->data[i]);
		wide |= n->width > 64;
		if (is_slot(n))
			m->reg[i] = (uint32_t)tape_slot(t, order->data[i]);
		else if (n->op == MUSTER_OP_ZEXT)
			m->reg[i] = reg_of(m, n->a);
		else
			m->reg[i] = t->regs++;
	}
	return wide;
}

void tape_init(struct tape *t, const struct exprs *p, const expr_t *roots, uint32_t count)
{
	struct expr_order order = {0};
	memset(t, 0, sizeof *t);
	t->pool = p;
	t->root_count = count;
	expr_walk(p, roots, count, &order);
	struct maker m = {.t = t, .p = p};
	m.reg = mem_realloc(NULL, order.size + 1, sizeof *m.reg);
	int wide = number_terms(&m, &order);
	t->low = mem_zalloc(((size_t)t->regs + 1) * sizeof *t->low);
	if (wide)
		t->high = mem_zalloc(((size_t)t->regs + 1) * sizeof *t->high);
	for (size_t i = 0; i < order.size; i++) {
		const struct expr_node *n = node(p, order.data[i]);
		if (n->op == MUSTER_OP_CONST) {
			t->low[m.reg[i]] = n->k;
			if (wide)
				t->high[m.reg[i]] = n->high;
		} else if (!is_slot(n) && n->op != MUSTER_OP_ZEXT && n->op != MUSTER_OP_DATA) {
			translate(&m, order.data[i], m.reg[i]);
		}
	}
	vec_push(&m.code, (struct tape_code){.op = TAPE_END});
	t->root_regs = mem_realloc(NULL, count + 1, sizeof *t->root_regs);
	for (uint32_t i = 0; i < count; i++)
		t->root_regs[i] = reg_of(&m, roots[i]);
	t->code = m.code.data;
	t->code_size = (uint32_t)m.code.size;
	t->table_regs = m.table_regs.data;
	free(m.reg);
	vec_release(&order);
}

void tape_release(struct tape *t)
{
	free(t->vars);
	free(t->code);
	free(t->root_regs);
	free(t->table_regs);
	free(t->low);
	free(t->high);
	free(t->lanes);
	memset(t, 0, sizeof *t);
}

int tape_slot(const struct tape *t, expr_t variable)
{
	uint32_t low = 0, high = t->var_count;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (t->vars[mid] < variable)
			low = mid + 1;
		else
			high = mid;
	}
	return low < t->var_count && t->vars[low] == variable ? (int)low : -1;
}

/* ------------------------------------------------------- slow operators */

static u128 other_value(const struct tape *t, const struct tape_code *i, u128 a, u128 b, u128 c)
{
	if (i->source == EXPR_OP_APPLY)
		return expr_apply_value(t->pool, (expr_t)i->k, a, b, c);
	return expr_total((enum muster_op)i->source, i->width, i->from, i->s, a, b, c);
}

static uint64_t table_value(const struct tape *t, const struct tape_code *i, uint64_t at)
{
	const struct expr_table *table = &t->pool->tables.data[i->k];
	unsigned bytes = i->width / 8;
	uint64_t r = 0;
	if (bytes > table->count || at > table->count - bytes)
		return 0;
	memcpy(&r, table->value + at, bytes); /* little endian, as the machine */
	return r;
}

/* stride and lane: how the registers of the bytes lie. */
static u128 read_value(const struct tape *t, const struct tape_code *i, u128 at,
		       const uint64_t *regs, size_t stride, size_t lane)
{
	const struct expr_table *table = &t->pool->tables.data[i->k];
	unsigned bytes = i->width / 8;
	u128 r = 0;
	if (bytes > table->count || at > table->count - bytes)
		return 0;
	for (unsigned n = bytes; n-- > 0;) {
		uint64_t byte = (uint64_t)at + n;
		r = r << 8 | (table->term ? regs[t->table_regs[i->b + byte] * stride + lane]
					  : table->value[byte]);
	}
	return r;
}

static void wide_step(struct tape *t, const struct tape_code *i)
{
#define WIDE(x) ((u128)t->high[x] << 64 | t->low[x])
	u128 r = i->source == MUSTER_OP_READ
		     ? read_value(t, i, t->low[i->a], t->low, 1, 0)
		     : other_value(t, i, WIDE(i->a), WIDE(i->b), WIDE(i->c));
#undef WIDE
	t->low[i->dst] = (uint64_t)r;
	t->high[i->dst] = (uint64_t)(r >> 64);
}

/* ------------------------------------------------------------ the machines */

static void run_scalar(struct tape *t)
{
	static const void *const labels[] = {
#define X(name, value) &&do_##name,
	    TAPE_OPS(X)
#undef X
		&& do_other,
	    &&do_table, &&do_read, &&do_wide, &&do_end};
	uint64_t *r = t->low;
	const struct tape_code *i = t->code;
	goto *labels[i->op];
#define NEXT goto *labels[(++i)->op]
#define X(name, value)                                                         \
	do_##name:                                                             \
	{                                                                      \
		uint64_t a = r[i->a], b = r[i->b], c = r[i->c], k = i->k;      \
		unsigned w = i->width, f = 64u - i->from, s = i->s;            \
		(void)a, (void)b, (void)c, (void)k, (void)w, (void)f, (void)s; \
		r[i->dst] = (value);                                           \
		NEXT;                                                          \
	}
	TAPE_OPS(X)
#undef X
do_other:
	r[i->dst] = (uint64_t)other_value(t, i, r[i->a], r[i->b], r[i->c]);
	NEXT;
do_table:
	r[i->dst] = table_value(t, i, r[i->a]);
	NEXT;
do_read:
	r[i->dst] = (uint64_t)read_value(t, i, r[i->a], r, 1, 0);
	NEXT;
do_wide:
	wide_step(t, i);
	NEXT;
do_end:
	return;
#undef NEXT
}

void tape_run(struct tape *t, const u128 *slots, u128 *out)
{
	for (uint32_t i = 0; i < t->var_count; i++) {
		unsigned width = node(t->pool, t->vars[i])->width;
		u128 v = op_mask(slots[i], width);
		t->low[i] = (uint64_t)v;
		if (t->high)
			t->high[i] = (uint64_t)(v >> 64);
	}
	run_scalar(t);
	for (uint32_t i = 0; i < t->root_count; i++) {
		uint32_t r = t->root_regs[i];
		out[i] = (u128)(t->high ? t->high[r] : 0) << 64 | t->low[r];
	}
}

static void batch_slow(struct tape *t, const struct tape_code *i)
{
	uint64_t *r = t->lanes, *d = &r[(size_t)i->dst * TAPE_LANES];
	const uint64_t *x = &r[(size_t)i->a * TAPE_LANES];
	for (unsigned l = 0; l < TAPE_LANES; l++) {
		if (i->op == TAPE_TABLE)
			d[l] = table_value(t, i, x[l]);
		else if (i->op == TAPE_READ)
			d[l] = (uint64_t)read_value(t, i, x[l], r, TAPE_LANES, l);
		else
			d[l] = (uint64_t)other_value(t, i, x[l], r[(size_t)i->b * TAPE_LANES + l],
						     r[(size_t)i->c * TAPE_LANES + l]);
	}
}

static void run_batch(struct tape *t)
{
	uint64_t *r = t->lanes;
	for (const struct tape_code *i = t->code;; i++) {
		uint64_t *restrict d = &r[(size_t)i->dst * TAPE_LANES];
		const uint64_t *x = &r[(size_t)i->a * TAPE_LANES],
			       *y = &r[(size_t)i->b * TAPE_LANES],
			       *z = &r[(size_t)i->c * TAPE_LANES];
		uint64_t k = i->k;
		unsigned w = i->width, f = 64u - i->from, s = i->s;
		switch (i->op) {
#define X(name, value)                                         \
	case TAPE_##name:                                      \
		for (unsigned l = 0; l < TAPE_LANES; l++) {    \
			uint64_t a = x[l], b = y[l], c = z[l]; \
			(void)a, (void)b, (void)c;             \
			d[l] = (value);                        \
		}                                              \
		break;
			TAPE_OPS(X)
#undef X
		case TAPE_END:
			return;
		default:
			batch_slow(t, i);
		}
	}
}

static void make_lanes(struct tape *t)
{
	t->lanes = mem_realloc(NULL, (size_t)t->regs + 1, TAPE_LANES * sizeof *t->lanes);
	for (size_t i = 0; i <= t->regs; i++) /* constants; the rest is written before it is read */
		for (unsigned l = 0; l < TAPE_LANES; l++)
			t->lanes[i * TAPE_LANES + l] = t->low[i];
}

int tape_run_batch(struct tape *t, const uint64_t *slots, uint64_t *out)
{
	if (t->high)
		return 0;
	if (!t->lanes)
		make_lanes(t);
	for (uint32_t i = 0; i < t->var_count; i++) {
		uint64_t mask = (uint64_t)ones(node(t->pool, t->vars[i])->width);
		for (unsigned l = 0; l < TAPE_LANES; l++)
			t->lanes[(size_t)i * TAPE_LANES + l] =
			    slots[(size_t)i * TAPE_LANES + l] & mask;
	}
	run_batch(t);
	for (uint32_t i = 0; i < t->root_count; i++)
		memcpy(out + (size_t)i * TAPE_LANES,
		       t->lanes + (size_t)t->root_regs[i] * TAPE_LANES, TAPE_LANES * sizeof *out);
	return 1;
}
