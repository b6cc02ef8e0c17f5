/* ic_lanes.c: what is in each byte of a value.
 *
 * Operators that move whole bytes are followed; any other makes all bytes unknown. So x + y is known only where at most one of the two has something in each
 * byte, which is how programs put numbers together. The answer is a bijection of input bytes exactly if each byte is zero or a byte of the
 * input that occurs once: x & 1, or f(a, a), is none.
 */
#include "search/ic_lanes.h"

#include "base/limit.h"

#define DEPTH LIMIT(48, 1) /* operators that are followed | twice what putting eight bytes together takes */

static struct ic_lanes unknown(unsigned width)
{
	struct ic_lanes l = {{0}};
	for (unsigned i = 0; i * 8 < width && i < IC_LANES; i++)
		l.lane[i] = IC_LANE_OTHER;
	return l;
}

static struct ic_lanes of_value(uint64_t value)
{
	struct ic_lanes l = {{0}};
	for (unsigned i = 0; i < IC_LANES; i++)
		l.lane[i] = value >> 8 * i & 0xff ? IC_LANE_OTHER : IC_LANE_ZERO;
	return l;
}

/* By whole bytes, towards the high end; negative: towards the low one. */
static struct ic_lanes moved(struct ic_lanes from, int by, unsigned width)
{
	struct ic_lanes l = {{0}};
	for (int i = 0; i < (int)(width / 8) && i < IC_LANES; i++)
		if (i - by >= 0 && i - by < IC_LANES)
			l.lane[i] = from.lane[i - by];
	return l;
}

static struct ic_lanes joined(struct ic_lanes a, struct ic_lanes b)
{
	for (unsigned i = 0; i < IC_LANES; i++)
		a.lane[i] = !a.lane[i] ? b.lane[i] : !b.lane[i] ? a.lane[i] : IC_LANE_OTHER;
	return a;
}

static struct ic_lanes masked(struct ic_lanes a, uint64_t mask)
{
	for (unsigned i = 0; i < IC_LANES; i++) {
		uint8_t m = (uint8_t)(mask >> 8 * i);
		a.lane[i] = !m ? IC_LANE_ZERO : m == 0xff || !a.lane[i] ? a.lane[i] : IC_LANE_OTHER;
	}
	return a;
}

static struct ic_lanes walk(const struct trace *t, uint32_t label, unsigned depth);

static struct ic_lanes operand(const struct trace *t, uint32_t label, uint64_t k, unsigned depth)
{
	return label ? walk(t, label, depth) : of_value(k);
}

static struct ic_lanes of_bytes(const struct trace *t, const struct muster_node *n, unsigned depth)
{
	struct ic_lanes l = {{0}};
	for (unsigned i = 0; i < n->width / 8u; i++)
		l.lane[i] = walk(t, n->a + i, depth).lane[0];
	return l;
}

static struct ic_lanes shifted(const struct trace *t, const struct muster_node *n, unsigned depth)
{
	if (n->b || n->k % 8 || n->k >= n->width)
		return unknown(n->width);
	return moved(walk(t, n->a, depth), n->op == MUSTER_OP_SHL ? (int)(n->k / 8) : -(int)(n->k / 8), n->width);
}

static struct ic_lanes walk(const struct trace *t, uint32_t label, unsigned depth)
{
	const struct muster_node *n = &t->nodes[label];
	struct ic_lanes l = {{0}};
	if (!depth-- || n->width > 64 || n->width % 8)
		return unknown(n->width);
	switch (n->op) {
	case MUSTER_OP_INPUT:
		l.lane[0] = n->a || n->k > UINT32_MAX - IC_LANE_BYTE ? IC_LANE_OTHER : IC_LANE_BYTE + (uint32_t)n->k;
		return l;
	case MUSTER_OP_CONST:
		return of_value(muster_value(n));
	case MUSTER_OP_LEAF:
		return n->a ? walk(t, n->a, depth) : of_value(muster_value(n));
	case MUSTER_OP_ZEXT:
		return t->nodes[n->a].width % 8 ? unknown(n->width) : walk(t, n->a, depth);
	case MUSTER_OP_EXTRACT:
		return n->k % 8 || t->nodes[n->a].width > 64 ? unknown(n->width) : moved(walk(t, n->a, depth), -(int)(n->k / 8), n->width);
	case MUSTER_OP_BYTES:
		return of_bytes(t, n, depth);
	case MUSTER_OP_CONCAT:
		if (t->nodes[n->b].width % 8)
			return unknown(n->width);
		return joined(walk(t, n->b, depth), moved(walk(t, n->a, depth), t->nodes[n->b].width / 8, n->width));
	case MUSTER_OP_SHL:
	case MUSTER_OP_LSHR:
		return n->a ? shifted(t, n, depth) : unknown(n->width);
	case MUSTER_OP_OR:
	case MUSTER_OP_XOR:
	case MUSTER_OP_ADD:
		return joined(operand(t, n->a, n->k, depth), operand(t, n->b, n->k, depth));
	case MUSTER_OP_AND:
		if (n->a && n->b)
			return unknown(n->width);
		return masked(walk(t, n->a ? n->a : n->b, depth), n->k);
	default:
		return unknown(n->width);
	}
}

struct ic_lanes ic_lanes_of(const struct trace *t, uint32_t label)
{
	return walk(t, label, DEPTH);
}

uint8_t ic_lanes_bytes(const struct ic_lanes *l)
{
	uint8_t bytes = 0;
	for (unsigned i = 0; i < IC_LANES; i++) {
		if (l->lane[i] == IC_LANE_OTHER)
			return 0;
		for (unsigned j = 0; j < i; j++)
			if (l->lane[i] >= IC_LANE_BYTE && l->lane[j] == l->lane[i])
				return 0;
		bytes |= (uint8_t)((l->lane[i] >= IC_LANE_BYTE) << i);
	}
	return bytes;
}
