/* blast_table.c: reads from tables.
 *
 * The offset's literals are constants or literals of n different gates, often few: the index byte
 * of a table of words has eight, whatever was done to it (scaled, sign-extended, moved). For each
 * of their 2^n values the offset, and so the entry, is known. A bit of the entry
 * that is an affine function of these gates (all bits of a CRC table are) becomes an XOR of them;
 * the others become a tree of multiplexers.
 *
 * Where n is too large, only the low bits that the table's size needs are looked at, and the others
 * must be 0.
 */
#include "solve/blast.h"
#include "solve/word.h"

#include <string.h>

#define SELECT_MAX ((size_t)1 << 22) /* literals in a tree's leaves */

/* The offset as a function of n gates: base, XOR mask[k] for each gate k that is 1. */
struct index {
	unsigned n;
	uint64_t base;
	uint64_t mask[64];
	lit_t gate[64];
};

static void index_init(struct index *x, unsigned bits, const lit_t *at)
{
	memset(x, 0, sizeof *x);
	for (unsigned i = 0; i < bits; i++) {
		unsigned k;

		x->base |= (uint64_t)lit_sign(at[i]) << i;
		if (lit_is_const(at[i]))
			continue;
		for (k = 0; k < x->n && x->gate[k] != (at[i] & ~1u); k++)
			;
		if (k == x->n)
			x->gate[x->n++] = at[i] & ~1u;
		x->mask[k] |= (uint64_t)1 << i;
	}
}

/* offsets[v] for each value v of the index's gates. */
static uint64_t *index_offsets(const struct index *x, uint64_t add)
{
	size_t count = (size_t)1 << x->n;
	uint64_t *r = mem_realloc(NULL, count, sizeof *r);

	r[0] = x->base;
	for (size_t v = 1; v < count; v++)
		r[v] = r[v & (v - 1)] ^ x->mask[__builtin_ctzll(v)];
	for (size_t v = 0; v < count; v++)
		r[v] += add;
	return r;
}

static int table_holds(const struct blast_table *t, uint64_t offset, unsigned bytes)
{
	return bytes <= t->count && offset <= t->count - bytes;
}

/* The bits of the 2^n constants in entry that are affine in the number of the entry; for these,
 * *first is the value at 0 and slope[k] how bit k of the number changes it. */
static u128 table_affine(unsigned n, const u128 *entry, u128 *slope)
{
	size_t count = (size_t)1 << n;
	u128 *line = mem_realloc(NULL, count, sizeof *line), wrong = 0;

	line[0] = entry[0];
	for (unsigned k = 0; k < n; k++)
		slope[k] = entry[(size_t)1 << k] ^ entry[0];
	for (size_t v = 1; v < count; v++) {
		line[v] = line[v & (v - 1)] ^ slope[__builtin_ctzll(v)];
		wrong |= line[v] ^ entry[v];
	}
	free(line);
	return ~wrong;
}

static void select_constant(struct blaster *b, const struct blast_table *t, const struct index *x,
			    const uint64_t *offset, unsigned width, lit_t *out)
{
	struct gates *g = &b->gates;
	size_t count = (size_t)1 << x->n;
	u128 *entry = mem_realloc(NULL, count, sizeof *entry), slope[64], affine;
	lit_t *leaf = mem_realloc(NULL, count, sizeof *leaf);

	for (size_t v = 0; v < count; v++) {
		entry[v] = 0;
		if (table_holds(t, offset[v], width / 8))
			memcpy(&entry[v], t->value + offset[v], width / 8);
	}
	affine = table_affine(x->n, entry, slope);
	for (unsigned i = 0; i < width; i++) {
		if (affine >> i & 1) {
			out[i] = (lit_t)(entry[0] >> i & 1);
			for (unsigned k = 0; k < x->n; k++)
				if (slope[k] >> i & 1)
					out[i] = gate_xor(g, out[i], x->gate[k]);
			continue;
		}
		for (size_t v = 0; v < count; v++)
			leaf[v] = (lit_t)(entry[v] >> i & 1);
		word_select(g, x->n, x->gate, 1, leaf, &out[i]);
	}
	free(entry);
	free(leaf);
}

static void select_symbolic(struct blaster *b, const struct blast_table *t, const struct index *x,
			    const uint64_t *offset, unsigned width, lit_t *out)
{
	size_t count = (size_t)1 << x->n;
	lit_t *leaf = mem_realloc(NULL, count * width, sizeof *leaf);

	for (size_t v = 0; v < count; v++) {
		if (table_holds(t, offset[v], width / 8))
			memcpy(leaf + v * width, b->bits.data + t->bits + offset[v] * 8,
			       width * sizeof *leaf);
		else
			memset(leaf + v * width, 0, width * sizeof *leaf); /* LIT_FALSE */
	}
	word_select(&b->gates, x->n, x->gate, width, leaf, out);
	free(leaf);
}

static int index_fits(const struct index *x, unsigned width)
{
	return x->n < 22 && ((size_t)1 << x->n) * width <= SELECT_MAX;
}

int blast_select(struct blaster *b, const struct blast_table *t, const lit_t *at, uint64_t offset,
		 unsigned width, lit_t *out)
{
	lit_t sum[64], add[64], high = LIT_FALSE;
	struct index x;
	uint64_t *offsets;

	index_init(&x, 64, at);
	if (!index_fits(&x, width) || ((size_t)1 << x.n) / 4 > t->count + 64) {
		unsigned low = 0;

		for (unsigned i = 0; i < 64; i++)
			add[i] = (lit_t)(offset >> i & 1);
		word_add(&b->gates, 64, at, add, LIT_FALSE, sum);
		while (low < 64 && t->count >> low)
			low++;
		high = word_or_all(&b->gates, 64 - low, sum + low);
		index_init(&x, low, sum);
		offset = 0;
		if (!index_fits(&x, width))
			return 0;
	}
	offsets = index_offsets(&x, offset);
	if (t->value)
		select_constant(b, t, &x, offsets, width, out);
	else
		select_symbolic(b, t, &x, offsets, width, out);
	free(offsets);
	for (unsigned i = 0; i < width; i++)
		out[i] = gate_and(&b->gates, out[i], lit_not(high));
	return 1;
}
