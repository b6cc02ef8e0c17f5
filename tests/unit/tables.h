/* tables.h: node and event tables made by hand, for tests of their readers.
 *
 * A struct tables owns a struct shm whose memory is its own, with no file behind
 * it. tables_node appends a node and fills in its value with the operators of expr/op.h;
 * tables_random grows a DAG in which every operator and many widths occur.
 */
#ifndef MUSTER_TEST_TABLES_H
#define MUSTER_TEST_TABLES_H

#include "expr/op.h"
#include "run/shm.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct tables {
	struct shm shm;
	struct muster_node *nodes;
	struct muster_event *events;
	uint8_t input[2][64]; /* of sources "in" and "cfg" */
	uint64_t seed;
};

static inline uint64_t tables_next(struct tables *t)
{
	t->seed ^= t->seed << 13;
	t->seed ^= t->seed >> 7;
	t->seed ^= t->seed << 17;
	return t->seed >> 3;
}

static inline void tables_init(struct tables *t, uint64_t nodes, uint64_t events, uint64_t seed)
{
	memset(t, 0, sizeof *t);
	struct shm *s = &t->shm;
	s->fd = -1;
	s->node_offset = (sizeof(struct muster_header) + 63) & ~(uint64_t)63;
	s->node_capacity = nodes;
	s->event_offset = s->node_offset + nodes * sizeof(struct muster_node);
	s->event_capacity = events;
	s->map_size = s->event_offset + (events + 1) * sizeof(struct muster_event);
	s->base = aligned_alloc(64, (s->map_size + 63) & ~(uint64_t)63);
	memset(s->base, 0, s->node_offset);
	s->header = (struct muster_header *)s->base;
	s->header->magic = MUSTER_ABI_MAGIC;
	s->header->version = MUSTER_ABI_VERSION;
	s->header->node_count = 1;
	s->source_count = 2;
	s->sources[0] =
	    (struct muster_source){.kind = MUSTER_SOURCE_FILE, .size = 64, .name = "in"};
	s->sources[1] =
	    (struct muster_source){.kind = MUSTER_SOURCE_FILE, .size = 40, .name = "cfg"};
	t->nodes = (struct muster_node *)(s->base + s->node_offset);
	t->events = (struct muster_event *)(s->base + s->event_offset);
	memset(t->nodes, 0, sizeof *t->nodes);
	t->seed = seed * 0x9e3779b97f4a7c15ull + 0x1234567;
	for (unsigned i = 0; i < sizeof t->input; i++)
		((uint8_t *)t->input)[i] = (uint8_t)tables_next(t);
}

static inline void tables_release(struct tables *t)
{
	free(t->shm.base);
}

static inline u128 tables_value(const struct tables *t, uint32_t label)
{
	const struct muster_node *n = &t->nodes[label];
	return n->width > 64 ? (u128)n->k << 64 | n->value64 : muster_value(n);
}

static inline uint32_t tables_raw(struct tables *t, struct muster_node n)
{
	uint32_t label = (uint32_t)t->shm.header->node_count++;
	t->nodes[label] = n;
	return label;
}

static inline uint32_t tables_input(struct tables *t, uint32_t source, uint64_t offset)
{
	return tables_raw(t, (struct muster_node){.op = MUSTER_OP_INPUT,
						  .width = 8,
						  .a = source,
						  .k = offset,
						  .value64 = t->input[source][offset]});
}

static inline uint32_t tables_length(struct tables *t, uint32_t source)
{
	return tables_raw(t, (struct muster_node){.op = MUSTER_OP_LENGTH,
						  .width = 64,
						  .a = source,
						  .value64 = t->shm.sources[source].size});
}

static inline uint32_t tables_const(struct tables *t, unsigned width, u128 value)
{
	value = op_mask(value, width);
	return tables_raw(
	    t, (struct muster_node){.op = MUSTER_OP_CONST,
				    .width = (uint8_t)width,
				    .value64 = (uint64_t)value,
				    .k = width > 64 ? (uint64_t)(value >> 64) : (uint64_t)value});
}

/* size bytes; cells NULL or one for each. */
static inline uint32_t tables_data(struct tables *t, const uint8_t *bytes, uint64_t size,
				   const uint32_t *cells)
{
	uint32_t label =
	    tables_raw(t, (struct muster_node){
			      .op = MUSTER_OP_DATA, .width = 8, .k = size, .aux = cells != NULL});
	uint64_t blocks = (size + 31) / 32, more = cells ? (size * 4 + 31) / 32 : 0;
	memset(&t->nodes[label + 1], 0xee, (blocks + more) * 32);
	memcpy(&t->nodes[label + 1], bytes, size);
	if (cells)
		memcpy(&t->nodes[label + 1 + blocks], cells, size * 4);
	t->shm.header->node_count += blocks + more;
	return label;
}

/* Little-endian bytes of a table, as READ sees them. */
static inline u128 tables_read(const struct tables *t, uint32_t data, uint64_t at, unsigned size)
{
	const struct muster_node *n = &t->nodes[data];
	const uint8_t *bytes = (const uint8_t *)&t->nodes[data + 1];
	const uint32_t *cells =
	    n->aux ? (const uint32_t *)&t->nodes[data + 1 + (n->k + 31) / 32] : NULL;
	u128 r = 0;
	for (unsigned i = size; i-- > 0;) {
		uint32_t cell = cells ? cells[at + i] : 0;
		uint8_t byte = bytes[at + i];
		if (cell)
			byte = (uint8_t)(tables_value(t, MUSTER_CELL_LABEL(cell)) >>
					 MUSTER_CELL_BYTE(cell) * 8);
		r = r << 8 | byte;
	}
	return r;
}

/* A node with operands; 0 if its value is undefined here (then nothing is appended). k is the
 * constant operand, or the first bit of an EXTRACT. */
static inline uint32_t tables_node(struct tables *t, enum muster_op op, unsigned width, uint32_t a,
				   uint32_t b, uint32_t c, uint64_t k)
{
	struct muster_node n = {
	    .op = (uint8_t)op, .width = (uint8_t)width, .a = a, .b = b, .c = c, .k = k};
	unsigned from = t->nodes[a ? a : b].width;
	unsigned low = op == MUSTER_OP_EXTRACT	? (unsigned)k
		       : op == MUSTER_OP_CONCAT ? t->nodes[b].width
						: 0;
	u128 v = 0;
	if (op == MUSTER_OP_BYTES) {
		for (unsigned i = width / 8; i-- > 0;)
			v = v << 8 | t->nodes[a + i].low;
	} else if (op == MUSTER_OP_READ) {
		uint64_t at = muster_value(&t->nodes[a]), size = t->nodes[b].k;
		if (at > size || size - at < width / 8)
			return 0;
		v = tables_read(t, b, at, width / 8);
	} else if (op_apply(op, width, from, low, a ? tables_value(t, a) : k,
			    b ? tables_value(t, b) : k, c ? tables_value(t, c) : 0, &v) != OP_OK) {
		return 0;
	}
	n.value64 = (uint64_t)v;
	if (width > 64)
		n.k = (uint64_t)(v >> 64);
	return tables_raw(t, n);
}

/* An earlier node of this width, or 0; payload of DATA is never chosen because `real` lists labels.
 */
struct tables_labels {
	uint32_t all[4096];
	unsigned count;
};

static inline uint32_t tables_pick(struct tables *t, const struct tables_labels *real,
				   unsigned width)
{
	for (int tries = 0; tries < 40; tries++) {
		unsigned back = (unsigned)(tables_next(t) %
					   (tries < 20 && real->count > 12 ? 12 : real->count));
		uint32_t l = real->all[real->count - 1 - back];
		if ((!width || t->nodes[l].width == width) && t->nodes[l].op != MUSTER_OP_DATA)
			return l;
	}
	return 0;
}

static inline uint64_t tables_constant(struct tables *t, unsigned width)
{
	uint64_t r = tables_next(t) << 3 ^ tables_next(t);
	switch (tables_next(t) % 6) {
	case 0:
		r = tables_next(t) % 40;
		break;
	case 1:
		r = (uint64_t) - (int64_t)(tables_next(t) % 40);
		break;
	case 2:
		r = (1ull << (width - 1) % 64) + tables_next(t) % 3 - 1;
		break;
	case 3:
		r = 'a' + tables_next(t) % 26;
		break;
	default:
		break;
	}
	return (uint64_t)op_mask(r, width);
}

static inline uint32_t tables_random_binary(struct tables *t, const struct tables_labels *real,
					    enum muster_op op, uint32_t a)
{
	unsigned width = t->nodes[a].width, result = op_table[op].shape == OP_TEST ? 1 : width;
	uint32_t b = tables_pick(t, real, width);
	uint64_t k = tables_constant(t, width);
	int shift = op == MUSTER_OP_SHL || op == MUSTER_OP_LSHR || op == MUSTER_OP_ASHR;
	if (shift && tables_next(t) % 4)
		b = 0, k = tables_next(t) % width;
	if (width <= 64 && (!b || tables_next(t) % 3 == 0)) {
		if (tables_next(t) % 4 == 0)
			return tables_node(t, op, result, 0, a, 0, k);
		return tables_node(t, op, result, a, 0, 0, k);
	}
	if (!b || (shift && width > 64))
		return 0;
	return tables_node(t, op, result, a, b, 0, 0);
}

static inline uint32_t tables_random_read(struct tables *t, struct tables_labels *real)
{
	uint8_t bytes[40];
	uint32_t cells[40];
	unsigned size = 8 + (unsigned)tables_next(t) % 33;
	for (unsigned i = 0; i < size; i++) {
		uint32_t l = tables_pick(t, real, 0);
		bytes[i] = (uint8_t)tables_next(t);
		cells[i] = tables_next(t) % 4 || !l
			       ? 0
			       : MUSTER_CELL(l, tables_next(t) % ((t->nodes[l].width + 7u) / 8));
		if (cells[i])
			bytes[i] = (uint8_t)(tables_value(t, MUSTER_CELL_LABEL(cells[i])) >>
					     MUSTER_CELL_BYTE(cells[i]) * 8);
	}
	uint32_t index = tables_pick(t, real, 8);
	if (!index)
		return 0;
	index = tables_node(t, MUSTER_OP_ZEXT, 64, index, 0, 0, 0);
	real->all[real->count++] = index;
	index = tables_node(t, MUSTER_OP_AND, 64, index, 0, 0, 3);
	real->all[real->count++] = index;
	uint32_t data = tables_data(t, bytes, size, tables_next(t) % 2 ? cells : NULL);
	real->all[real->count++] = data;
	static const unsigned widths[] = {8, 8, 16, 32};
	return tables_node(t, MUSTER_OP_READ, widths[tables_next(t) % 4], index, data, 0, 0);
}

/* One more node; its label, or 0 where the dice gave nothing that is defined. */
static inline uint32_t tables_random_node(struct tables *t, struct tables_labels *real)
{
	static const uint8_t widths[] = {8, 16, 32, 64, 32, 64, 1, 7, 13, 33, 48, 80, 96, 128, 128};
	enum muster_op op = MUSTER_OP_ADD + tables_next(t) % (MUSTER_OP_COUNT - MUSTER_OP_ADD);
	uint32_t a = tables_pick(t, real, 0), b, c;
	if (!a)
		return 0;
	unsigned width = t->nodes[a].width, to = widths[tables_next(t) % sizeof widths];
	switch (op_table[op].shape) {
	case OP_SAME:
	case OP_TEST:
		return tables_random_binary(t, real, op, a);
	case OP_UNARY:
		if (op == MUSTER_OP_BSWAP && width % 8)
			return 0;
		return tables_node(t, op, width, a, 0, 0, 0);
	case OP_RESIZE:
		if (op == MUSTER_OP_EXTRACT ? to >= width : to <= width)
			return 0;
		return tables_node(
		    t, op, to, a, 0, 0,
		    op == MUSTER_OP_EXTRACT && to <= 64 ? tables_next(t) % (width - to + 1) : 0);
	default:
		break;
	}
	switch (op) {
	case MUSTER_OP_CONCAT:
		b = tables_pick(t, real, 0);
		if (!b || width + t->nodes[b].width > 128)
			return 0;
		return tables_node(t, op, width + t->nodes[b].width, a, b, 0, 0);
	case MUSTER_OP_BYTES: /* the first nodes are the input's bytes */
		b = 1 + (uint32_t)tables_next(t) % 30;
		return tables_node(t, op, 8u << (1 + tables_next(t) % 4), b, 0, 0, 0);
	case MUSTER_OP_ITE:
		b = tables_pick(t, real, width);
		c = tables_pick(t, real, 1);
		if (!b || !c)
			return 0;
		return tables_node(t, op, width, c, a, b, 0);
	case MUSTER_OP_READ:
		return tables_random_read(t, real);
	default:
		return 0;
	}
}

/* A DAG of about `count` nodes (at most 4000). The labels of its nodes go to `real`. */
static inline void tables_random(struct tables *t, unsigned count, struct tables_labels *real)
{
	real->count = 0;
	for (unsigned i = 0; i < 48; i++)
		real->all[real->count++] = tables_input(t, i >= 40, i >= 40 ? i - 40 : i);
	real->all[real->count++] = tables_length(t, 0);
	real->all[real->count++] =
	    tables_const(t, 128, ((u128)tables_next(t) << 64) + tables_next(t));
	while (real->count < count && real->count < 4000) {
		uint32_t l = tables_random_node(t, real);
		if (l)
			real->all[real->count++] = l;
	}
}

#endif
