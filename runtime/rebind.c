/* rebind.c: what a value of an activation is for its caller.
 *
 * A value that an activation computed is an expression over its leaves. Outside, each leaf is what it is bound to. The expression is made again with
 * that put in, so that code after the call has the labels that it would have had without leaves: none, where everything is concrete.
 *
 * A leaf means the same as its binding to everybody who does not ask for activations, so a part may be left as it is without being wrong: parts of more than
 * STEPS nodes are, and reads of tables with labels.
 *
 * Nodes older than the activation have none of its leaves, and stay.
 *
 * The walk has a stack of its own. Invariant: a label whose mark is this walk's has its answer in `known`; 0 there is a constant, whose value is the node's.
 */
#include "activation.h"
#include "node.h"

#include <string.h>
#include <sys/mman.h>

#ifdef RT_ACTIVATIONS

#define STEPS 4096 /* nodes that are made again for one value */
#define DEEP 4096

struct answer {
	uint32_t walk; /* it belongs to */
	label is;
};

static struct answer *known; /* for each node from `oldest` on; older ones have no leaf of it. Pages come when they are touched */
static label oldest;
static uint32_t walk;
static uint32_t last_number;
static uint64_t last_nodes;
static label stack[DEEP];
static unsigned depth;

static int is_known(label a)
{
	return a < oldest || known[a - oldest].walk == walk;
}

static label is(label a)
{
	if (a < oldest)
		return a && rt_node(a)->op != MUSTER_OP_CONST ? a : 0;
	return known[a - oldest].is;
}

static int need(label a)
{
	if (is_known(a))
		return 0;
	if (depth < DEEP)
		stack[depth++] = a;
	else
		known[a - oldest] = (struct answer){walk, a}; /* too deep: as it is */
	return 1;
}

static void say(label a, label answer)
{
	known[a - oldest] = (struct answer){walk, answer && rt_node(answer)->op == MUSTER_OP_CONST ? 0 : answer};
}

/* An operand again: constants are nodes where others are. */
static label whole(label old)
{
	if (is(old))
		return is(old);
	rt_wide v = rt_wide_value(old);
	return rt_const(rt_node(old)->width, (uint64_t)v, (uint64_t)(v >> 64));
}

static void bytes_again(label a)
{
	unsigned n = rt_node(a)->width / 8u;
	label first = rt_node(a)->a, made = whole(first);
	int same = 1, any = 0;

	for (unsigned i = 0; i < n; i++) {
		same &= is(first + i) == first + i;
		any |= is(first + i) != 0;
	}
	for (unsigned i = 1; i < n && !same && any; i++)
		made = rt_concat(whole(first + i), made);
	say(a, same ? a : any ? made : 0);
}

static void read_again(label a)
{
	const struct muster_node n = *rt_node(a);

	if (is(n.a) == n.a || rt_node(n.b)->aux)
		say(a, a);
	else if (!is(n.a))
		say(a, 0);
	else
		say(a, rt_make(MUSTER_OP_READ, n.width, is(n.a), n.b, n.value64 & (n.width <= 32 ? 0xffffffffull : ~0ull), n.k));
}

static label special_again(const struct muster_node *n)
{
	switch (n->op) {
	case MUSTER_OP_EXTRACT:
		return rt_extract(is(n->a), n->width > 64 ? 0 : (unsigned)n->k, n->width);
	case MUSTER_OP_ZEXT:
		return rt_zext(is(n->a), n->width);
	case MUSTER_OP_SEXT:
		return rt_sext(is(n->a), n->width);
	case MUSTER_OP_CONCAT:
		return rt_concat(whole(n->a), whole(n->b));
	default:
		return rt_unary(n->op, n->width, is(n->a));
	}
}

static void again(label a)
{
	const struct muster_node n = *rt_node(a);
	rt_wide va = n.a ? rt_wide_value(n.a) : n.k, vb = n.b ? rt_wide_value(n.b) : n.k;

	if (n.op == MUSTER_OP_ITE) {
		int truth = (int)rt_value(n.a);
		if (is(n.a) == n.a && is(n.b) == n.b && is(n.c) == n.c)
			say(a, a);
		else if (!is(n.a))
			say(a, is(truth ? n.b : n.c));
		else
			say(a, rt_ite(is(n.a), whole(n.b), whole(n.c), n.width, 0, 0, truth));
		return;
	}
	int two = n.op <= MUSTER_OP_UMULO || n.op == MUSTER_OP_CONCAT;
	if (is(n.a) == n.a && (!two || is(n.b) == n.b))
		say(a, a);
	else if (!is(n.a) && (!two || !is(n.b)))
		say(a, 0);
	else if (n.op <= MUSTER_OP_UMULO)
		say(a, rt_wide_binary(n.op, rt_node(n.a ? n.a : n.b)->width, is(n.a), is(n.b), va, vb));
	else
		say(a, special_again(&n));
}

/* One step: 1 if operands have to come first. */
static int step(label a, uint32_t number, int (*outer)(uint32_t))
{
	const struct muster_node n = *rt_node(a);
	int wait = 0;

	switch (n.op) {
	case MUSTER_OP_INPUT:
	case MUSTER_OP_LENGTH:
		say(a, a);
		return 0;
	case MUSTER_OP_CONST:
		say(a, 0);
		return 0;
	case MUSTER_OP_LEAF:
		if (n.aux > 1) { /* an output: a variable of its own to everybody */
			say(a, a);
			return 0;
		}
		if (n.c != number && outer(n.c)) {
			say(a, a);
			return 0;
		}
		if (n.c == number) { /* what is bound is the caller's already */
			say(a, n.a);
			return 0;
		}
		if (need(n.a))
			return 1;
		say(a, is(n.a));
		return 0;
	case MUSTER_OP_BYTES:
		for (unsigned i = 0; i < n.width / 8u; i++)
			wait |= need(n.a + i);
		if (!wait)
			bytes_again(a);
		return wait;
	case MUSTER_OP_READ:
		if (need(n.a))
			return 1;
		read_again(a);
		return 0;
	default:
		wait = need(n.a);
		if (n.op <= MUSTER_OP_UMULO || n.op == MUSTER_OP_CONCAT || n.op == MUSTER_OP_ITE)
			wait |= need(n.b);
		if (n.op == MUSTER_OP_ITE)
			wait |= need(n.c);
		if (!wait)
			again(a);
		return wait;
	}
}

static int ready(uint32_t number, label first)
{
	if (!known) {
		known = mmap(NULL, RT_STATE->node_capacity * sizeof *known, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (known == MAP_FAILED)
			known = NULL;
	}
	if (number != last_number || RT_STATE->header->node_count < last_nodes) {
		last_number = number;
		oldest = first;
		walk++;
	}
	last_nodes = RT_STATE->header->node_count;
	return known != NULL;
}

label rt_rebind(label a, uint32_t number, label first, int (*outer)(uint32_t number))
{
	unsigned steps = 0;

	if (!a || !RT_ON() || !ready(number, first))
		return a;
	if (a < first)
		return is(a);
	depth = 0;
	need(a);
	while (depth && steps++ < STEPS)
		if (is_known(stack[depth - 1]) || !step(stack[depth - 1], number, outer))
			depth--;
	if (depth || !RT_ON())
		return a;
	return is(a);
}

#endif
