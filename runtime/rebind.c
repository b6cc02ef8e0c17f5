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
 * Values of a few nodes, nearly all of them, are made again by recursion. For others the walk has a stack of its own. Invariant: a label whose mark is this walk's has its answer in `known`; 0 there is a constant, whose value is the node's.
 * Answers stay for the next values of the same activation, which are often sums with one more operand.
 */
#include "activation.h"
#include "node.h"

#include <sys/mman.h>

#ifdef RT_ACTIVATIONS

#define STEPS 4096 /* nodes that are made again for one value */
#define FEW 24 /* nodes of a value that is made again at once */
#define DEEP 4096

struct answer {
	uint32_t walk; /* it belongs to */
	label is;
};

static struct answer *known; /* for each node from `oldest` on; older ones have no leaf of it. Pages come when they are touched */
static label oldest;
static uint32_t walk;
static uint32_t last_number;
static int (*is_outer)(uint32_t number);
static uint64_t last_nodes;
static label stack[DEEP];
static unsigned depth;

static void put(label a, label answer)
{
	known[a - oldest] = (struct answer){walk, answer};
}

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
		put(a, a); /* too deep: as it is */
	return 1;
}

static void say(label a, label answer)
{
	put(a, answer && rt_node(answer)->op == MUSTER_OP_CONST ? 0 : answer);
}

/* An operand again: constants are nodes where others are. */
static label whole(label old, label now)
{
	if (now)
		return now;
	rt_wide v = rt_wide_value(old);
	return rt_const(rt_node(old)->width, (uint64_t)v, (uint64_t)(v >> 64));
}

static void bytes_again(label a)
{
	unsigned n = rt_node(a)->width / 8u;
	label first = rt_node(a)->a, made = whole(first, is(first));
	int same = 1, any = 0;

	for (unsigned i = 0; i < n; i++) {
		same &= is(first + i) == first + i;
		any |= is(first + i) != 0;
	}
	for (unsigned i = 1; i < n && !same && any; i++)
		made = rt_concat(whole(first + i, is(first + i)), made);
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

static int has_two(unsigned op)
{
	return op <= MUSTER_OP_UMULO || op == MUSTER_OP_CONCAT;
}

/* What the node is whose operands are these: of all but leaves, reads, bytes and choices. */
static label again(label a, label ia, label ib)
{
	const struct muster_node n = *rt_node(a);
	int two = has_two(n.op);

	if (ia == n.a && (!two || ib == n.b))
		return a;
	if (!ia && (!two || !ib))
		return 0;
	if (n.op == MUSTER_OP_CONCAT)
		return rt_concat(whole(n.a, ia), whole(n.b, ib));
	if (two)
		return rt_wide_binary(n.op, rt_node(n.a ? n.a : n.b)->width, ia, ib, n.a ? rt_wide_value(n.a) : n.k, n.b ? rt_wide_value(n.b) : n.k);
	switch (n.op) {
	case MUSTER_OP_EXTRACT:
		return rt_extract(ia, n.width > 64 ? 0 : (unsigned)n.k, n.width);
	case MUSTER_OP_ZEXT:
		return rt_zext(ia, n.width);
	case MUSTER_OP_SEXT:
		return rt_sext(ia, n.width);
	default:
		return rt_unary(n.op, n.width, ia);
	}
}

static void choose_again(label a)
{
	const struct muster_node n = *rt_node(a);
	int truth = (int)rt_value(n.a);

	if (is(n.a) == n.a && is(n.b) == n.b && is(n.c) == n.c)
		say(a, a);
	else if (!is(n.a))
		say(a, is(truth ? n.b : n.c));
	else
		say(a, rt_ite(is(n.a), whole(n.b, is(n.b)), whole(n.c, is(n.c)), n.width, 0, 0, truth));
}

/* What a leaf is to those outside: 1: *out says it; 0: what *out, its binding, is. */
static int leaf_again(label a, label *out)
{
	const struct muster_node *n = rt_node(a);

	*out = a;
	if (n->aux > 1) /* an output: a variable of its own to everybody */
		return 1;
	if (n->c != last_number && is_outer(n->c))
		return 1;
	*out = n->a;
	return n->c == last_number; /* what is bound is the caller's already */
}

/* One step: 1 if operands have to come first. */
static int step(label a)
{
	const struct muster_node n = *rt_node(a);
	label bound;
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
		if (leaf_again(a, &bound)) {
			say(a, bound);
			return 0;
		}
		if (need(bound))
			return 1;
		say(a, is(bound));
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
	case MUSTER_OP_ITE:
		wait = need(n.a) | need(n.b) | need(n.c);
		if (!wait)
			choose_again(a);
		return wait;
	default:
		wait = need(n.a);
		if (has_two(n.op))
			wait |= need(n.b);
		if (!wait)
			say(a, again(a, is(n.a), has_two(n.op) ? is(n.b) : 0));
		return wait;
	}
}

/* Without the stack and without answers. *left: nodes that it may have; 0: there are more, or others. */
static label few_again(label a, unsigned *left)
{
	const struct muster_node *n = rt_node(a);
	label x, y;

	if (a < oldest)
		return a && n->op != MUSTER_OP_CONST ? a : 0;
	if (!*left || !--*left)
		return a;
	switch (n->op) {
	case MUSTER_OP_INPUT:
	case MUSTER_OP_LENGTH:
		return a;
	case MUSTER_OP_CONST:
		return 0;
	case MUSTER_OP_LEAF:
		if (!leaf_again(a, &x))
			x = few_again(x, left);
		break;
	case MUSTER_OP_BYTES:
	case MUSTER_OP_READ:
	case MUSTER_OP_ITE:
		*left = 0;
		return a;
	default:
		x = few_again(n->a, left);
		y = has_two(n->op) ? few_again(n->b, left) : 0;
		x = *left ? again(a, x, y) : a;
	}
	return x && rt_node(x)->op == MUSTER_OP_CONST ? 0 : x;
}

static void begin(uint32_t number, label first)
{
	if (number != last_number || RT_STATE->header->node_count < last_nodes) {
		last_number = number;
		oldest = first;
		walk++;
	}
	last_nodes = RT_STATE->header->node_count;
}

static int make_room(void)
{
	if (!known)
		known = mmap(NULL, RT_STATE->node_capacity * sizeof *known, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (known == MAP_FAILED)
		known = NULL;
	return known != NULL;
}

static label much_again(label a)
{
	unsigned steps = 0;

	if (!make_room())
		return a;
	depth = 0;
	need(a);
	while (depth && steps++ < STEPS)
		if (is_known(stack[depth - 1]) || !step(stack[depth - 1]))
			depth--;
	return depth ? a : is(a);
}

label rt_rebind(label a, uint32_t number, label first, int (*outer)(uint32_t number))
{
	unsigned left = FEW;

	if (!a || !RT_ON())
		return a;
	is_outer = outer;
	begin(number, first);
	label made = few_again(a, &left);
	if (!left)
		made = much_again(a);
	return RT_ON() ? made : a;
}

#endif
