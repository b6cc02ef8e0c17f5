/* node.h: making nodes, inline because every symbolic operation passes here.
 *
 * Hash-consing without a table to clear: a slot holds a label and is believed
 * only if the node there, of this run, is the one looked for. A slot left over
 * from an earlier run names a node that does not exist yet (its label is not
 * below node_count) or one that differs; both are misses. The slot's place moves
 * with the newest operand, so consecutive input bytes use consecutive cache lines.
 * The four bits that a label leaves in a slot tell most other nodes apart without
 * a look at them. After four misses the first slot is overwritten:
 * a node may then be made twice, which costs space and nothing else.
 *
 * A signal handler may come in anywhere. The index is reserved before the node
 * is filled in, so the handler's nodes get other indices.
 */
#ifndef MUSTER_RT_NODE_H
#define MUSTER_RT_NODE_H

#include "rt.h"

/* On a page of its own, wiped in forked children: they see active == 0. */
struct rt_state {
	uint64_t any_label; /* MUSTER_ANY_LABEL, which instrumented code reads */
	uint32_t active;
	uint32_t tracing; /* this process was started by muster */
	struct muster_header *header;
	struct muster_node *nodes;
	struct muster_event *events;
	uint32_t *slots;
	uint32_t *blocks;
	uint64_t slot_mask;
	uint64_t node_capacity, event_capacity;
	uint64_t node_ready, event_ready; /* below these the tables' pages are there */
};
#define RT_STATE ((struct rt_state *)MUSTER_STATE_BASE)

extern RT_HIDDEN __thread uint32_t rt_first_thread __attribute__((tls_model("initial-exec")));

#define RT_ON() (RT_STATE->active && rt_first_thread)

typedef unsigned __int128 rt_wide;

RT_HIDDEN void rt_full(unsigned table);
/* Makes room beyond `count`, in steps that grow with the table. 0 if there is none: the trace has ended. */
RT_HIDDEN int rt_more_nodes(uint64_t count);
RT_HIDDEN int rt_more_events(uint64_t count);
RT_HIDDEN label rt_stale(label a, uint64_t site, int in_register);

static inline uint64_t rt_mask(uint64_t v, unsigned width)
{
	return width >= 64 ? v : v & ((1ull << width) - 1);
}

static inline int64_t rt_signed(uint64_t v, unsigned width)
{
	if (width >= 64)
		return (int64_t)v;
	return (int64_t)(v << (64 - width)) >> (64 - width);
}

static inline struct muster_node *rt_node(label a)
{
	return &RT_STATE->nodes[a];
}

/* Where to look first. Constants follow each other (the index of a loop against
 * the input's length), so a small one moves the place by its value; everything
 * else is mixed into three bits. */
static inline uint64_t rt_place(unsigned op, label newest, label older, uint64_t k)
{
	uint64_t mix = ((uint64_t)op * 0x9e3779b1u + older * 0xff51afd7ed558ccdull) >> 13;
	uint64_t by = k < (1u << 24) ? k : (k * 0x9e3779b97f4a7c15ull) >> 61;
	return (uint64_t)newest * MUSTER_SLOTS + by + (mix & 7);
}

static inline __attribute__((always_inline)) label rt_make(unsigned op, unsigned width, label a, label b, label c, uint64_t value, uint64_t k)
{
	struct rt_state *s = RT_STATE;
	struct muster_header *h = s->header;
	uint64_t head = (uint64_t)op | (uint64_t)width << 8 | (uint64_t)a << 32;
	uint64_t tail = (uint64_t)b | (uint64_t)c << 32;
	label newest = a > b ? a : b, older = a > b ? b : a;
	newest = newest > c ? newest : c;
	uint64_t at = rt_place(op, newest, older ^ c, k), count = h->node_count, place = at & s->slot_mask;
	uint32_t tag = (uint32_t)((op * 0x9e3779b1u + (uint32_t)k + b) * 0x85ebca6bu) & ~MUSTER_LABEL_MASK;

	for (unsigned i = 0; i < 4; i++) {
		uint64_t p = (at + i) & s->slot_mask;
		uint32_t slot = s->slots[p];
		label l = slot & MUSTER_LABEL_MASK;
		if (l == 0 || l >= count) {
			place = p;
			break;
		}
		if ((slot ^ tag) & ~MUSTER_LABEL_MASK)
			continue;
		struct muster_node *n = &s->nodes[l];
		uint64_t nhead = (uint64_t)n->op | (uint64_t)n->width << 8 | (uint64_t)n->a << 32;
		uint64_t ntail = (uint64_t)n->b | (uint64_t)n->c << 32;
		if (nhead == head && ntail == tail && n->k == k)
			return l;
	}
	if (RT_UNLIKELY(count >= s->node_ready) && !rt_more_nodes(count))
		return 0;
	h->node_count = count + 1;
	__asm__ volatile("" ::: "memory");
	struct muster_node *n = &s->nodes[count];
	uint64_t *word = (uint64_t *)n; /* op, width, flags, aux, a; then b, c */
	word[0] = head;
	word[1] = tail;
	n->value = value;
	n->k = k;
	s->slots[place] = (label)count | tag;
	return (label)count;
}

/* A constant that came out of a larger value (the upper half of a word of which only the lower is
 * labelled) is not worth a label. */
static inline label rt_unless_constant(label a)
{
	return a && rt_node(a)->op == MUSTER_OP_CONST ? 0 : a;
}

RT_HIDDEN void rt_event_at(unsigned kind, unsigned arg, uint64_t site, label a);
RT_HIDDEN label rt_const(unsigned width, uint64_t low, uint64_t high);
RT_HIDDEN label rt_ite(label cond, label a, label b, unsigned width, uint64_t va, uint64_t vb, int truth);
RT_HIDDEN label rt_unary(unsigned op, unsigned width, label a);
RT_HIDDEN label rt_wide_binary(unsigned op, unsigned width, label a, label b, rt_wide va, rt_wide vb);
RT_HIDDEN label rt_concat(label high, label low);
RT_HIDDEN rt_wide rt_wide_value(label a);
RT_HIDDEN void rt_concrete_at(label a, enum muster_reason why, uint64_t site);
RT_HIDDEN void rt_bound_at(label condition, uint64_t site);
RT_HIDDEN label rt_load_at(const void *p, label address, uint32_t size, uint64_t site); /* through a symbolic address */
RT_HIDDEN label rt_load_cells(uint64_t addr, unsigned size, uint64_t site);
RT_HIDDEN void rt_label_args(int argc, char **argv, char **envp);

#endif
