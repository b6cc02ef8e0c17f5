/* activation_read.c: leaves of activations: what they read first, and what addresses are made from.
 *
 * An activation that calls another one reads what that reads: a first read makes leaves from the outermost activation that has not seen the byte to the
 * innermost, each bound to the one before; but of what one of them has written only those inside of it read something, whatever else lies beside it in one access. Memory that is an activation's own has no leaves: its frame and all below it, and what was allocated since it began. Constant objects
 * have none either where the code names them: their contents are part of the program. Where a pointer among the leaves leads to one, it is an input.
 *
 * Invariant: the cells of a byte that became a leaf are in the log before they change.
 */
#include "activation_inside.h"

#include <string.h>

#ifdef RT_ACTIVATIONS

#define NEAR 65536 /* bytes from a pointer to the end of constant data that it may lead to */
#define OUTWARD 8  /* activations to which the expression of an address is handed */

struct moving activation_moving;

/* ----------------------------------------------------------------- leaves */

label activation_leaf(uint32_t open, unsigned width, label bound, label place, unsigned memory, uint64_t value, uint64_t k, uint64_t site)
{
	if (bound && (rt_node(bound)->width != width || rt_value(bound) != rt_mask(value, width)))
		bound = 0;
	label l = rt_append(RT_STATE->header->node_count, rt_head(MUSTER_OP_LEAF, width, bound), rt_tail(place, activation_open[open].number),
			    rt_mask(value, width), k);
	if (!l)
		return 0;
	activation_open[open].leaves++;
	rt_node(l)->aux = (uint8_t)memory;
	if (width == 64 && value > 4095)
		activation_object(value);
	rt_event_whole(MUSTER_EV_BIND, 0, 0, site, l);
	return l;
}

/* By the activation, and by those inside of it: what one of these has written is not what was there before. */
static int unseen(uint64_t addr, uint32_t open)
{
	for (uint32_t g = activation_slots[place_of(addr & ~7ull)].top; g && activation_grains[g].open >= open; g = activation_grains[g].outer)
		if ((activation_grains[g].read | activation_grains[g].written) >> (addr & 7) & 1)
			return 0;
	return 1;
}

/* Of at most eight bytes, which lie in two grains at most: one look-up each. */
static int any_unseen(uint64_t addr, unsigned n, uint32_t open)
{
	unsigned bits = ((1u << n) - 1) << (addr & 7);
	const struct grain *g = find(addr & ~7ull, open);

	if (bits & 255 & ~(g ? g->read | g->written : 0u))
		return 1;
	if (!(bits >> 8))
		return 0;
	g = find((addr & ~7ull) + 8, open);
	return (bits >> 8 & ~(g ? g->read | g->written : 0u)) != 0;
}

/* The n bytes, at most eight and none of them seen, become a leaf. */
static void expose(uint64_t addr, unsigned n, uint32_t open, label place, uint64_t site)
{
	uint64_t value = 0;
	label bound = rt_any((const void *)addr, n) ? rt_load_cells(addr, n, site) : 0;
	uint32_t *c = cells(addr);

	memcpy(&value, (const void *)addr, n);
	struct grain *g = activation_grain(addr & ~7ull, open), *next = (addr & 7) + n > 8 ? activation_grain((addr & ~7ull) + 8, open) : g;
	if (!g || !next)
		return;
	label l = activation_leaf(open, n * 8, bound, place, 1, value, addr, site);
	if (!l)
		return;
	for (unsigned i = 0, at = addr & 7; i < n; i++, at++) {
		struct grain *in = at < 8 ? g : next;
		in->saved[at & 7] = c[i];
		in->read |= (uint8_t)(1u << (at & 7));
	}
	mark_page(addr);
	mark_page(addr + n - 1);
	for (unsigned i = 0; i < n; i++)
		c[i] = MUSTER_CELL(l, i);
}

static void expose_unseen(uint64_t addr, unsigned n, uint32_t open, label place, uint64_t site)
{
	for (unsigned i = 0, m; i < n; i += m) {
		m = 1;
		if (!unseen(addr + i, open))
			continue;
		while (i + m < n && unseen(addr + i + m, open))
			m++;
		if (place && i)
			place = rt_binary(MUSTER_OP_ADD, 64, place, 0, rt_value(place), i);
		expose(addr + i, m, open, place, site);
	}
}

void activation_moves(const void *p, uint64_t n)
{
	struct rt_object o;

	activation_moving.size = p && rt_object_find(p, &o) ? o.base + o.size - (uint64_t)p : n;
	activation_read(p, activation_moving.size < n ? activation_moving.size : n, 0, __muster_tls.site);
	activation_moving.at = (uint64_t)p;
	activation_moving.end = activation_moving.at + n;
}

int activation_is_outer(uint32_t number)
{
	for (uint32_t i = rt_now; i > 0; i--)
		if (activation_open[i].number <= number)
			return activation_open[i].number == number;
	return 0;
}

/* At most eight bytes, which the innermost has not all seen. From the outermost activation that has not. */
static void read_some(uint64_t addr, unsigned n, uint32_t own, label address, uint64_t site)
{
	uint32_t from = rt_now;

	while (from > own + 1 && !on_own_stack(addr, from - 1) && any_unseen(addr, n, from - 1))
		from--;
	label places[OUTWARD] = {address};
	for (uint32_t k = 1; k < OUTWARD && k <= rt_now - from; k++) {
		uint32_t kept = rt_now;
		label inner = places[k - 1];
		rt_now = kept - k + 1; /* as its callee sees it */
		places[k] = rt_rebind(inner, activation_open[rt_now].number, activation_open[rt_now].first, activation_is_outer);
		rt_now = kept;
	}
	for (uint32_t open = from; open <= rt_now && RT_ON(); open++)
		expose_unseen(addr, n, open, rt_now - open < OUTWARD ? places[rt_now - open] : 0, site);
}

static int all_new(uint64_t addr, uint64_t n)
{
	label first = activation_open[rt_now].first;

	for (uint64_t i = 0; i < n; i++)
		if (MUSTER_CELL_LABEL(cells(addr)[i]) < first)
			return 0;
	return 1;
}

/* Was the address made from a leaf that points into the object? */
static int is_through_leaf(label address, const struct rt_object *o, unsigned depth)
{
	const struct muster_node *n = rt_node(address);

	if (!address || !depth || n->width != 64)
		return 0;
	if (n->op == MUSTER_OP_LEAF)
		return o->base + o->size - n->value64 < NEAR; /* literals may lie in each other */
	return (n->op == MUSTER_OP_ADD && (is_through_leaf(n->a, o, depth - 1) || is_through_leaf(n->b, o, depth - 1))) ||
	       (n->op == MUSTER_OP_SUB && is_through_leaf(n->a, o, depth - 1));
}

static enum { PLAIN, COPY, TABLE } reading; /* COPY, TABLE: after the same bytes, or a part of the object, were read by the address that has the label */
static int constants_exposed; /* constant data has leaves */

void activation_read_end(void)
{
	constants_exposed = 0;
}

/* Constant data is the program's own, unless a pointer that came from outside may lead there: then it is an input. */
static int is_program(const struct rt_object *o, uint64_t addr, uint64_t n, label address)
{
	static struct {
		uint64_t base, addr, n;
	} through; /* what was read so last */

	if (!o->constant)
		return 0;
	if (reading == PLAIN) {
		through.base = is_through_leaf(address, o, 16) ? o->base : 0;
		through.addr = addr;
		through.n = n;
	}
	return through.base != o->base || (reading == COPY && (through.addr != addr || through.n != n));
}

/* Constant data that is an input through one pointer is read by its own name: the two cannot be distinguished. */
static void look_at_constant(uint64_t addr, uint64_t n, label address)
{
	struct rt_object o;

	if (rt_object_find((const void *)addr, &o) && is_program(&o, addr, n, address))
		for (uint64_t at = addr & ~7ull; at < addr + n; at += 8)
			if (activation_slots[place_of(at)].top) {
				activation_mark(MUSTER_MARK_UNRECORDED);
				return;
			}
}

void activation_copied(const void *p, uint64_t n, uint64_t site)
{
	reading = COPY;
	activation_read(p, n, 0, site);
	reading = PLAIN;
}

void activation_table(const void *p, uint64_t n, uint64_t site)
{
	reading = TABLE;
	activation_read(p, n, 0, site);
	reading = PLAIN;
}

void activation_read(const void *p, uint64_t n, label address, uint64_t site)
{
	uint64_t addr = (uint64_t)p;
	struct rt_object o;
	uint32_t own = 0;

	if (activation_busy || !n || !RT_ON() || !covered(addr, n) || on_own_stack(addr, rt_now))
		return;
	if (RT_UNLIKELY(activation_is_large(&activation_open[rt_now]))) {
		activation_settle();
		if (!rt_now || on_own_stack(addr, rt_now))
			return;
	}
	if (RT_UNLIKELY(constants_exposed))
		look_at_constant(addr, n, address);
	if (n <= 16 && all_new(addr, n))
		return;
	if ((n <= 8 && !any_unseen(addr, (unsigned)n, rt_now)) || (addr >= activation_moving.at && addr < activation_moving.end))
		return;
	activation_busy = 1;
	if (n > ACTIVATION_BULK) {
		activation_mark(MUSTER_MARK_ROOM);
	} else {
		int found = rt_object_find(p, &o);
		if (found && activation_born_count)
			own = activation_born_in(o.base);
		if (found && is_program(&o, addr, n, address))
			own = rt_now;
		else if (found && o.constant)
			constants_exposed = 1;
		if (found && own < rt_now)
			activation_put_object(&o);
		if (address && muster_value(rt_node(address)) != addr)
			address = 0;
		for (uint64_t i = 0, m; i < n && own < rt_now && RT_ON(); i += m) {
			m = n <= 8 ? n : 8 - ((addr + i) & 7);
			if (m > n - i)
				m = n - i;
			if (n > 8 && !any_unseen(addr + i, (unsigned)m, rt_now))
				continue;
			label place = address && i ? rt_binary(MUSTER_OP_ADD, 64, address, 0, addr, i) : address;
			read_some(addr + i, (unsigned)m, own, place, site);
		}
	}
	activation_busy = 0;
}

/* -------------------------------------------------------------- addresses */

/* An address as a sum: a label without pointers among the leaves (0: none), and the rest of it. */
struct sum {
	label rest;
	int found; /* a pointer among the leaves is in it */
	uint64_t constant;
};

/* What was found for a node: chains of additions grow by one at each step of a loop, and would be walked from their end at each access. One that has no such pointer may have one near another address. */
struct known_sum {
	label of;
	uint32_t table; /* of nodes: their numbers come again where a process makes several runs */
	uint64_t near;	/* where the access was, by page, and how many leaves had been followed */
	struct sum sum;
};
#define KNOWN_SUMS 512
static struct known_sum known_sums[KNOWN_SUMS];
static uint32_t table = 1;
static uint64_t table_nodes; /* it had */
static uint64_t followed;    /* leaves, so far */

static int points(uint64_t value, uint64_t p)
{
	struct rt_object o;
	uint64_t apart = value > p ? value - p : p - value;

	if (value < 65536 || !covered(value, 1))
		return 0;
	return rt_object_find((const void *)value, &o) || rt_object_find((const void *)(value - 1), &o) || apart < 4096;
}

static struct sum sum_of(label l, uint64_t p, unsigned depth);

static uint64_t near_to(uint64_t p)
{
	return p >> 12 ^ followed << 40;
}

static label rest_of(label a, label b)
{
	return a && b ? rt_binary(MUSTER_OP_ADD, 64, a, b, rt_value(a), rt_value(b)) : a ? a : b;
}

static struct sum walk(label l, uint64_t p, unsigned depth)
{
	struct muster_node *n = rt_node(l);
	struct sum s = {.rest = l};

	if (n->width != 64)
		return s;
	if (n->op == MUSTER_OP_LEAF && (n->flags & MUSTER_NODE_FOLLOWED || points(n->value64, p))) {
		s = n->a && depth ? sum_of(n->a, p, depth - 1) : (struct sum){.constant = n->value64};
		s.found = 1;
		followed += !(n->flags & MUSTER_NODE_FOLLOWED);
		n->flags |= MUSTER_NODE_FOLLOWED;
	} else if (n->op == MUSTER_OP_ADD && depth && (n->a || n->b)) {
		struct sum a = n->a ? sum_of(n->a, p, depth - 1) : (struct sum){.constant = n->k}, b = n->b ? sum_of(n->b, p, depth - 1) : (struct sum){.constant = n->k};
		if (a.found || b.found)
			s = (struct sum){rest_of(a.rest, b.rest), 1, a.constant + b.constant};
	} else if (n->op == MUSTER_OP_SUB && depth && n->a && !n->b) {
		struct sum a = sum_of(n->a, p, depth - 1);
		if (a.found)
			s = (struct sum){a.rest, 1, a.constant - n->k};
	}
	return s;
}

static struct sum sum_of(label l, uint64_t p, unsigned depth)
{
	struct known_sum *k = &known_sums[l % KNOWN_SUMS];
	uint64_t near = near_to(p);

	if (k->of != l || k->table != table || (!k->sum.found && k->near != near)) {
		struct sum s = walk(l, p, depth);
		*k = (struct known_sum){l, table, near_to(p), s};
		return s;
	}
	return k->sum;
}

label activation_address(label address, uint64_t p)
{
	if (!address || !RT_ON() || rt_node(address)->width != 64)
		return address;
	if (RT_STATE->header->node_count < table_nodes)
		table++;
	table_nodes = RT_STATE->header->node_count;
	struct sum s = sum_of(address, p, 64);
	if (!s.found)
		return address;
	return s.rest ? rt_binary(MUSTER_OP_ADD, 64, s.rest, 0, rt_value(s.rest), s.constant) : 0;
}

#endif
