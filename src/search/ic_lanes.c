/* ic_lanes.c: what is in each byte of a value.
 *
 * Operators that move whole bytes are followed; any other makes all bytes unknown. So x + y is known only where at most one of the two has something in each
 * byte, which is how programs put numbers together. The answer is a bijection of input bytes exactly if each byte is zero or a byte of the
 * input that occurs once: x & 1, or f(a, a), is none.
 */
#include "search/ic_lanes.h"

#include "base/limit.h"

#define OPERATORS LIMIT(96, 1) /* that are followed for one value | four times what putting eight bytes together takes; terms share parts, so without it a checksum takes for ever */

struct walk {
	const struct trace *t;
	unsigned left; /* operators to follow */
};

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

static struct ic_lanes walk(struct walk *w, uint32_t label);

static struct ic_lanes operand(struct walk *w, uint32_t label, uint64_t k)
{
	return label ? walk(w, label) : of_value(k);
}

static struct ic_lanes of_bytes(struct walk *w, const struct muster_node *n)
{
	struct ic_lanes l = {{0}};
	for (unsigned i = 0; i < n->width / 8u; i++)
		l.lane[i] = walk(w, n->a + i).lane[0];
	return l;
}

static struct ic_lanes shifted(struct walk *w, const struct muster_node *n)
{
	if (n->b || n->k % 8 || n->k >= n->width)
		return unknown(n->width);
	return moved(walk(w, n->a), n->op == MUSTER_OP_SHL ? (int)(n->k / 8) : -(int)(n->k / 8), n->width);
}

static struct ic_lanes walk(struct walk *w, uint32_t label)
{
	const struct trace *t = w->t;
	const struct muster_node *n = &t->nodes[label];
	struct ic_lanes l = {{0}};
	if (!w->left || n->width > 64 || n->width % 8)
		return unknown(n->width);
	w->left--;
	switch (n->op) {
	case MUSTER_OP_INPUT:
		l.lane[0] = n->a || n->k > UINT32_MAX - IC_LANE_BYTE ? IC_LANE_OTHER : IC_LANE_BYTE + (uint32_t)n->k;
		return l;
	case MUSTER_OP_CONST:
		return of_value(muster_value(n));
	case MUSTER_OP_LEAF:
		return n->a ? walk(w, n->a) : of_value(muster_value(n));
	case MUSTER_OP_ZEXT:
		return t->nodes[n->a].width % 8 ? unknown(n->width) : walk(w, n->a);
	case MUSTER_OP_EXTRACT:
		return n->k % 8 || t->nodes[n->a].width > 64 ? unknown(n->width) : moved(walk(w, n->a), -(int)(n->k / 8), n->width);
	case MUSTER_OP_BYTES:
		return of_bytes(w, n);
	case MUSTER_OP_CONCAT:
		if (t->nodes[n->b].width % 8)
			return unknown(n->width);
		return joined(walk(w, n->b), moved(walk(w, n->a), t->nodes[n->b].width / 8, n->width));
	case MUSTER_OP_SHL:
	case MUSTER_OP_LSHR:
		return n->a ? shifted(w, n) : unknown(n->width);
	case MUSTER_OP_OR:
	case MUSTER_OP_XOR:
	case MUSTER_OP_ADD:
		return joined(operand(w, n->a, n->k), operand(w, n->b, n->k));
	case MUSTER_OP_AND:
		if (n->a && n->b)
			return unknown(n->width);
		return masked(walk(w, n->a ? n->a : n->b), n->k);
	default:
		return unknown(n->width);
	}
}

struct ic_lanes ic_lanes_of(const struct trace *t, uint32_t label)
{
	struct walk w = {t, OPERATORS};
	return walk(&w, label);
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
