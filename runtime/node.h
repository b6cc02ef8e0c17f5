/* node.h: making nodes, inline because every symbolic operation passes here.
 *
 * Hash-consing without a table to clear: the nodes whose newest operand is x hang on x in a list, newest
 * first, and the beginning of x's list is cleared when x is made. Consecutive operations on one
 * input byte therefore look at memory that the byte's own operations have just used.
 *
 * A list has at most RT_CHAIN nodes. Those beyond (the length of the input against each index of a loop) are
 * found in a hash table: a slot holds a label and is believed
 * only if the node there, of this run, is the one looked for. A slot left over
 * from an earlier run names a node that does not exist yet (its label is not
 * below node_count) or one that differs; both are misses. After four misses the first slot is overwritten:
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
	uint32_t *lists;
	uint32_t *slots;
	uint32_t *blocks;
	uint64_t slot_mask;
	uint64_t node_capacity, event_capacity;
	uint64_t node_ready, event_ready; /* below these the tables' pages are there */
	uint32_t small_pages;	/* huge ones cannot be had, or cost too much here */
	uint32_t driven;	/* the driver built the program's input: see pin.c */
	uint32_t driven_source; /* that it has its bytes from */
	uint64_t driven_size;	/* bytes that can have a meaning */
	uint32_t sized;		/* a heap block of symbolic size was made: see sized.c */
};
#define RT_STATE ((struct rt_state *)MUSTER_STATE_BASE)

extern RT_HIDDEN __thread uint32_t rt_first_thread __attribute__((tls_model("initial-exec")));

#define RT_ON() (RT_STATE->active && rt_first_thread)

typedef unsigned __int128 rt_wide;

/* What hooks hardly ever call: it leaves their registers alone, so that they need not save any. */
#define RT_COLD __attribute__((cold, noinline, preserve_most))

RT_HIDDEN void rt_full(unsigned table);
/* Makes room beyond `count`, in steps that grow with the table. 0 if there is none: the trace has ended. */
RT_HIDDEN RT_COLD int rt_more_nodes(uint64_t count);
RT_HIDDEN int rt_more_events(uint64_t count);
RT_HIDDEN RT_COLD label rt_stale(label a, uint64_t site, int in_register);

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

#define RT_CHAIN 16

/* The first half of a node as two words: op, width, no flags, a; then b, c. */
typedef uint64_t __attribute__((may_alias)) rt_word;

static inline uint64_t rt_head(unsigned op, unsigned width, label a)
{
	return (uint64_t)op | (uint64_t)width << 8 | (uint64_t)a << 32;
}

static inline uint64_t rt_tail(label b, label c)
{
	return (uint64_t)b | (uint64_t)c << 32;
}

static inline int rt_same(const struct muster_node *n, uint64_t head, label b, uint64_t k)
{
	const uint64_t flags = 0xffff0000u; /* and aux: no part of what a node is */
	return n->k == k && (*(const rt_word *)n & ~flags) == head && n->b == b;
}

/* Makes a node; the word after b is a third operand or the next in the list. */
static inline __attribute__((always_inline)) label rt_append(uint64_t count, uint64_t head, uint64_t tail, uint64_t value, uint64_t k)
{
	struct rt_state *s = RT_STATE;
	if (RT_UNLIKELY(count >= s->node_ready) && !rt_more_nodes(count))
		return 0;
	s->header->node_count = count + 1;
	__asm__ volatile("" ::: "memory");
	struct muster_node *n = &s->nodes[count];
	rt_word *word = (rt_word *)n;
	word[0] = head;
	word[1] = tail;
	n->value64 = value; /* with an empty list */
	n->k = k;
	if ((uint8_t)(head >> 8) > 32)
		s->lists[count] = 0;
	return (label)count;
}

/* A node that has a third operand, or that its newest operand's list has no room for. */
RT_HIDDEN RT_COLD label rt_make_far(label newest, uint64_t head, uint64_t tail, uint64_t value, uint64_t k);

/* The node with these parts, made if there is none. newest: the larger label of a and b; 0 for what has no operands. */
static inline __attribute__((always_inline)) label rt_make_under(label newest, unsigned op, unsigned width, label a, label b,
								  uint64_t value, uint64_t k)
{
	struct rt_state *s = RT_STATE;
	uint64_t head = rt_head(op, width, a), count = s->header->node_count;
	label *from = s->nodes[newest].width <= 32 ? &s->nodes[newest].list : &s->lists[newest], l = *from;

	for (unsigned left = RT_CHAIN; l && l < count; left--) { /* not below count: the target wrote here */
		const struct muster_node *n = &s->nodes[l];
		if (rt_same(n, head, b, k))
			return l;
		if (RT_UNLIKELY(left == 1))
			return rt_make_far(newest, head, b, value, k);
		l = n->c;
	}
	label made = rt_append(count, head, rt_tail(b, *from), value, k);
	if (made)
		*from = made;
	return made;
}

static inline __attribute__((always_inline)) label rt_make(unsigned op, unsigned width, label a, label b, uint64_t value, uint64_t k)
{
	return rt_make_under(a > b ? a : b, op, width, a, b, value, k);
}

static inline struct muster_event rt_event_of(unsigned kind, unsigned arg, uint64_t site, label a)
{
	return (struct muster_event){.label = a, .kind = kind, .unit = (uint32_t)(site >> 32), .index = (uint32_t)site, .arg = arg};
}

/* A constant that came out of a larger value (the upper half of a word of which only the lower is
 * labelled) is not worth a label. */
static inline label rt_unless_constant(label a)
{
	return a && rt_node(a)->op == MUSTER_OP_CONST ? 0 : a;
}

/* The same whatever the cap on a site's events: what a stack is made of cannot be thinned. */
RT_HIDDEN void rt_event_whole(unsigned kind, unsigned arg, unsigned more, uint64_t site, label a);
RT_HIDDEN void rt_event_at(unsigned kind, unsigned arg, uint64_t site, label a);
/* The nodes that widen the bytes of input to 32 bits, as C's promotions do, are made for a block at once and lie side by side:
 * the label of its own is in the field c of an INPUT node. 0: none could be made. */
RT_HIDDEN RT_COLD label rt_widen_input(label a);
RT_HIDDEN label rt_const(unsigned width, uint64_t low, uint64_t high);
RT_HIDDEN label rt_ite(label cond, label a, label b, unsigned width, uint64_t va, uint64_t vb, int truth);
RT_HIDDEN label rt_unary(unsigned op, unsigned width, label a);
RT_HIDDEN label rt_wide_binary(unsigned op, unsigned width, label a, label b, rt_wide va, rt_wide vb);
RT_HIDDEN label rt_concat(label high, label low);
RT_HIDDEN rt_wide rt_wide_value(label a);
RT_HIDDEN void rt_concrete_at(label a, enum muster_reason why, uint64_t site);
RT_HIDDEN void rt_bound_at(label condition, uint64_t site);
RT_HIDDEN void rt_check_at(enum muster_checker checker, label condition, uint64_t site);
RT_HIDDEN label rt_load_at(const void *p, label address, uint32_t size, uint64_t site); /* through a symbolic address */
RT_HIDDEN label rt_snapshot(const struct rt_object *o); /* its bytes and labels as they are now, as a DATA; 0: the table is full */
RT_HIDDEN label rt_load_cells(uint64_t addr, unsigned size, uint64_t site);
RT_HIDDEN void rt_given_at(label condition, uint64_t site);
RT_HIDDEN void rt_access_at(label a, const void *p, size_t n, enum muster_reason why, uint64_t site);
/* check.c. What an access is: it decides which checker a bound belongs to. */
enum rt_use {
	RT_READS,
	RT_WRITES,
	RT_MOVES, /* a function that reads or writes n bytes */
};
enum rt_known {
	RT_UNKNOWN,
	RT_THERE, /* *o is where the address points now; for another input it may be another one */
	RT_NAMED, /* it is an offset in *o, and bounds say that it stays there */
};
/* An access of n bytes (0: only where it is) at addr through a symbolic address, in programs that are not driven. The offset is
 * made only in objects up to `largest` bytes. */
RT_HIDDEN enum rt_known rt_judge(label address, uint64_t addr, uint64_t n, enum rt_use use, uint64_t site, struct rt_object *o,
				 uint64_t largest, label *offset);
RT_HIDDEN void rt_check_offset(label offset, const struct rt_object *o, uint64_t n, enum rt_use use, uint64_t site);
/* Its parts: that it is not below 0; that n bytes there (whole: those of an element) fit an object of symbolic size. */
RT_HIDDEN void rt_check_under(label offset, const struct rt_object *o, enum rt_use use, uint64_t site);
RT_HIDDEN void rt_check_over(label offset, uint64_t n, int whole, label size, uint64_t size_value, enum rt_use use, uint64_t site);
RT_HIDDEN void rt_check_span(label address, label size, uint64_t addr, uint64_t n, uint64_t site);
RT_HIDDEN void rt_check_member(label size, uint64_t addr, uint64_t n, uint64_t room, uint64_t site);
RT_HIDDEN int rt_was_spanned(label address); /* by a rt_check_span just before: nothing is left to be said */
RT_HIDDEN void rt_check_stack_size(label count, uint64_t site);
/* sized.c, where RT_STATE->sized says so. */
RT_HIDDEN void rt_sized_remove(uint64_t base);
RT_HIDDEN label rt_sized_bytes(uint64_t base); /* of the object that begins there; 0: its size is the same for all */
RT_HIDDEN void rt_guards_away(uint64_t addr, uint64_t n);
RT_HIDDEN void rt_touched(uint64_t addr, uint64_t n, enum rt_use use, uint64_t site); /* n bytes are accessed */
RT_HIDDEN void rt_sized_open(const void *p);               /* the next to be written are a symbolic number of bytes there */
RT_HIDDEN void rt_sized_written(uint64_t addr, uint64_t n, uint64_t site); /* by a memory function */
RT_HIDDEN int rt_is_named(label address, uint64_t site); /* an offset in one object? Else a bound says that it is not null */
RT_HIDDEN int rt_named_object(label address, struct rt_object *o); /* the same without a bound, and which */
RT_HIDDEN int rt_was_judged(label offset, uint64_t size, uint64_t n); /* by the last rt_check_offset */
/* pin.c, where RT_STATE->driven says so. An access of n bytes (0: no bounds are looked at) at addr through a symbolic address. */
enum rt_place {
	RT_ELSEWHERE, /* no pointer of the driver's */
	RT_FIXED,     /* the path says now where it is */
	RT_MOVING,    /* at a symbolic offset in *o */
};
extern RT_HIDDEN enum rt_use rt_pin_use; /* of the access that rt_pin is asked about; RT_READS unless said otherwise */
RT_HIDDEN enum rt_place rt_pin(label address, uint64_t addr, uint64_t n, uint64_t site, struct rt_object *o, label *offset);
/* Operands that the path has fixed become constants; va, vb: their values. */
RT_HIDDEN void rt_settle(unsigned op, label *a, label *b, uint64_t va, uint64_t vb, uint64_t site);
/* A difference or the order of two pointers, one of them the driver's: 1; 0: neither is. */
RT_HIDDEN int rt_pin_pair(label a, label b, uint64_t va, uint64_t vb, uint64_t site);
RT_HIDDEN void rt_span_at(label address, label size, const void *p, uint64_t n, uint64_t site); /* as rt_span */
RT_HIDDEN void rt_check_once(enum muster_checker checker, label condition, uint64_t site); /* unless it was among the last */
/* Is it a multiple of a power of two (low: the bits below it) whatever the input? */
RT_HIDDEN int rt_is_multiple(label l, uint64_t low, unsigned depth);
RT_HIDDEN int rt_pin_object(uint64_t addr, struct rt_object *o); /* 0: none of the driver's */
RT_HIDDEN int rt_pin_string(uint64_t addr); /* does it point into a string of the driver's that has its 0? */
RT_HIDDEN void rt_label_args(int argc, char **argv, char **envp);

#endif
