/* blast.c: terms to gates.
 *
 * A term's literals are made once, after its operands', with an explicit stack: terms may be
 * a hundred thousand deep. Place and looseness of each term's literals stand in a map, so that
 * opening a blaster on a large pool costs nothing.
 *
 * Invariant: for all values of the variables, a word's literals have the value of its term under
 * expr_eval, unless the word is loose; then they have it for some choice of the loose free gates.
 */
#include "solve/blast.h"
#include "base/deadline.h"
#include "solve/cnf.h"
#include "solve/quotient.h"
#include "solve/word.h"
#include "base/error.h"
#include "base/limit.h"

#include <string.h>

#define GATES_MAX LIMIT((1u << 20), 64) /* gates, beyond which new terms are free variables and SAT is unknown | bounds memory */

void blaster_init(struct blaster *b, struct exprs *p)
{
	memset(b, 0, sizeof *b);
	b->pool = p;
	gates_init(&b->gates);
}

void blaster_release(struct blaster *b)
{
	gates_release(&b->gates);
	map_release(&b->words);
	map_release(&b->tables);
	map_release(&b->quotients[0]);
	map_release(&b->quotients[1]);
	vec_release(&b->bits);
	vec_release(&b->stack);
	for (size_t i = 0; i < b->table_list.size; i++)
		free(b->table_list.data[i].value);
	vec_release(&b->table_list);
}

const lit_t *blaster_known(const struct blaster *b, expr_t e, int *loose)
{
	uint64_t place;

	if (!map_get(&b->words, e, &place))
		return NULL;
	*loose |= (int)(place & 1);
	return b->bits.data + (place >> 1);
}

static void blast_keep(struct blaster *b, expr_t e, unsigned width, const lit_t *word, int loose)
{
	map_set(&b->words, e, (uint64_t)b->bits.size << 1 | (loose != 0));
	vec_reserve(&b->bits, b->bits.size + width);
	memcpy(b->bits.data + b->bits.size, word, width * sizeof *word);
	b->bits.size += width;
}

/* A copy, since making gates' words moves the literals. */
static void blast_operand(struct blaster *b, expr_t e, lit_t *out, int *loose)
{
	const lit_t *x = blaster_known(b, e, loose);

	memcpy(out, x, expr_width(b->pool, e) * sizeof *out);
}

/* ------------------------------------------------------------------ tables */
/* All bytes are constants or known words. */
static void blast_data(struct blaster *b, expr_t e)
{
	struct blast_table t = {.count = expr_data_count(b->pool, e)};
	uint64_t i;
	u128 v;

	t.value = mem_alloc(t.count + 1);
	for (i = 0; i < t.count && expr_is_const(b->pool, expr_data_byte(b->pool, e, i), &v); i++)
		t.value[i] = (uint8_t)v;
	if (i < t.count) {
		free(t.value);
		t.value = NULL;
		t.bits = (uint32_t)b->bits.size;
		for (i = 0; i < t.count; i++) {
			expr_t byte = expr_data_byte(b->pool, e, i);
			lit_t x[8];

			if (expr_is_const(b->pool, byte, &v))
				for (unsigned k = 0; k < 8; k++)
					x[k] = (lit_t)(v >> k & 1);
			else
				blast_operand(b, byte, x, &t.loose);
			for (unsigned k = 0; k < 8; k++)
				vec_push(&b->bits, x[k]);
		}
	}
	map_set(&b->tables, e, b->table_list.size);
	vec_push(&b->table_list, t);
}

static int blast_read(struct blaster *b, const struct expr_node *n, lit_t *out, int *loose)
{
	const struct expr_node *at = expr_get(b->pool, n->a);
	lit_t x[WORD_MAX];
	uint64_t place, offset = 0;
	expr_t index = n->a;
	u128 v;

	if (at->op == MUSTER_OP_ADD && expr_is_const(b->pool, at->b, &v)) {
		offset = (uint64_t)v;
		index = at->a;
	}
	blast_operand(b, index, x, loose);
	map_get(&b->tables, n->b, &place);
	*loose |= b->table_list.data[place].loose;
	return blast_select(b, &b->table_list.data[place], x, offset, n->width, out);
}

/* --------------------------------------------------------------- operators */
static void blast_divide(struct blaster *b, const struct expr_node *n, const lit_t *x,
			 const lit_t *y, lit_t *out)
{
	int is_signed = n->op == MUSTER_OP_SDIV || n->op == MUSTER_OP_SREM;
	int want_rest = n->op == MUSTER_OP_UREM || n->op == MUSTER_OP_SREM;
	uint64_t key = (uint64_t)n->a << 32 | n->b, place;
	struct map *known = &b->quotients[is_signed];
	lit_t both[2 * WORD_MAX];

	if (!map_get(known, key, &place)) {
		place = b->bits.size;
		word_divide(&b->gates, is_signed, n->width, x, y, both, both + n->width);
		vec_reserve(&b->bits, place + 2 * n->width);
		memcpy(b->bits.data + place, both, 2 * n->width * sizeof *both);
		b->bits.size += 2 * n->width;
		map_set(known, key, place);
	}
	memcpy(out, b->bits.data + place + (want_rest ? n->width : 0), n->width * sizeof *out);
}

/* Operators with operands; 0 if it has no circuit. */
static int blast_operator(struct blaster *b, const struct expr_node *n, lit_t *out, int *loose)
{
	struct gates *g = &b->gates;
	lit_t x[WORD_MAX], y[WORD_MAX], z[WORD_MAX];
	unsigned from = expr_width(b->pool, n->a), low;

	if (n->op == MUSTER_OP_READ)
		return blast_read(b, n, out, loose);
	blast_operand(b, n->a, x, loose);
	if (n->b)
		blast_operand(b, n->b, y, loose);
	if (n->c)
		blast_operand(b, n->c, z, loose);
	switch (n->op) {
	case MUSTER_OP_UDIV:
	case MUSTER_OP_SDIV:
	case MUSTER_OP_UREM:
	case MUSTER_OP_SREM:
		blast_divide(b, n, x, y, out);
		return 1;
	case MUSTER_OP_EXTRACT:
		memcpy(out, x + n->k, n->width * sizeof *x);
		return 1;
	case MUSTER_OP_ZEXT:
	case MUSTER_OP_SEXT:
		for (unsigned i = 0; i < n->width; i++)
			out[i] = i < from		   ? x[i]
				 : n->op == MUSTER_OP_SEXT ? x[from - 1]
							   : LIT_FALSE;
		return 1;
	case MUSTER_OP_CONCAT:
		low = expr_width(b->pool, n->b);
		memcpy(out, y, low * sizeof *y);
		memcpy(out + low, x, from * sizeof *x);
		return 1;
	case MUSTER_OP_ITE:
		word_ite(g, n->width, x[0], y, z, out);
		return 1;
	}
	if (n->op >= MUSTER_OP_COUNT)
		return 0;
	switch (op_table[n->op].shape) {
	case OP_SAME:
		word_binary(g, n->op, n->width, x, y, out);
		return 1;
	case OP_TEST:
		out[0] = word_test(g, n->op, from, x, y);
		return 1;
	case OP_UNARY:
		word_unary(g, n->op, n->width, x, out);
		return 1;
	}
	BUG("operator %d in a formula", n->op);
}

static void blast_free_bits(struct blaster *b, unsigned width, lit_t *out)
{
	for (unsigned i = 0; i < width; i++)
		out[i] = gate_free(&b->gates);
}

/* The operands of e, or of what stands in for it, are known. */
static void blast_make(struct blaster *b, expr_t e)
{
	expr_t instead = quotient_free(b->pool, e);
	const struct expr_node n = *expr_get(b->pool, e);
	lit_t out[WORD_MAX];
	int loose = 0;
	uint64_t place;

	if (instead && map_get(&b->words, instead, &place)) {
		map_set(&b->words, e, place);
		return;
	}
	switch (n.op) {
	case MUSTER_OP_DATA:
		blast_data(b, e);
		return;
	case MUSTER_OP_INPUT:
	case MUSTER_OP_LENGTH:
	case EXPR_OP_NAMED:
		blast_free_bits(b, n.width, out);
		break;
	case MUSTER_OP_CONST:
		for (unsigned i = 0; i < n.width; i++)
			out[i] = (lit_t)((i < 64 ? n.k >> i : n.high >> (i - 64)) & 1);
		break;
	case EXPR_OP_APPLY:
	case EXPR_OP_SELECT:
		blast_free_bits(b, n.width, out);
		loose = 1;
		break;
	default:
		if (b->gates.v.size > GATES_MAX || !blast_operator(b, &n, out, &loose)) {
			blast_free_bits(b, n.width, out);
			loose = 1;
		}
	}
	blast_keep(b, e, n.width, out, loose);
}

/* -------------------------------------------------------------------- walk */
static int blast_has(const struct blaster *b, expr_t e)
{
	return map_get(&b->words, e, NULL) || map_get(&b->tables, e, NULL);
}

/* Puts those operands on the stack that are not known yet; 0 if all are. */
static int blast_wants(struct blaster *b, expr_t e)
{
	expr_t operand[3], instead = quotient_free(b->pool, e); /* may move the pool's nodes */
	const struct expr_node *n = expr_get(b->pool, e);
	size_t before = b->stack.size;
	unsigned count;

	if (instead) {
		if (!blast_has(b, instead))
			vec_push(&b->stack, instead);
		return b->stack.size > before;
	}
	if (n->op == EXPR_OP_APPLY || n->op == EXPR_OP_SELECT)
		return 0;
	if (n->op == MUSTER_OP_DATA) {
		uint64_t bytes = expr_data_count(b->pool, e);

		for (uint64_t i = 0; i < bytes; i++) {
			expr_t x = expr_data_byte(b->pool, e, i);

			if (!expr_is_const(b->pool, x, NULL) && !blast_has(b, x))
				vec_push(&b->stack, x);
		}
		return b->stack.size > before;
	}
	count = expr_operands(b->pool, e, operand);
	for (unsigned i = 0; i < count; i++)
		if (!blast_has(b, operand[i]))
			vec_push(&b->stack, operand[i]);
	return b->stack.size > before;
}

const lit_t *blaster_word(struct blaster *b, expr_t e, double deadline, int *loose)
{
	unsigned steps = 0;

	vec_clear(&b->stack);
	vec_push(&b->stack, e);
	while (b->stack.size) {
		expr_t x = vec_last(&b->stack);

		if (deadline != 0 && ++steps % 64 == 0 && (deadline_processor() > deadline || deadline_cut()))
			return NULL;
		if (blast_has(b, x)) {
			b->stack.size--;
		} else if (!blast_wants(b, x)) {
			blast_make(b, x);
			b->stack.size--;
		}
	}
	return blaster_known(b, e, loose);
}
