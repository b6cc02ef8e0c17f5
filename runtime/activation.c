/* activation.c: leaves, bindings and writes of activations (summary mode).
 *
 * While an activation of a function that the engine named is open, cells of memory hold the labels that *it* sees. What it reads first and has not written
 * itself becomes a LEAF, bound to the label that its caller sees there; the caller's cell is kept in a log and comes back when the activation ends.
 * What it wrote is told when it ends, and its label, put together from the caller's (rebind.c), stays. So the caller goes on with the cells
 * that it would have had.
 *
 * The log has a grain for eight bytes: which of them were read first, which were written, and the caller's cells. Grains of one address are a
 * chain, innermost first; those of one activation are a list. An activation that calls another one reads what that reads and writes what that writes: a first
 * read makes leaves from the outermost activation that has not seen the byte to the innermost, each bound to the one before; a write is handed to
 * the caller's log when the callee ends.
 *
 * Memory that is an activation's own has no leaves: its frame and all below it, and what was allocated since it began. Constant objects
 * have none either where the code names them: their contents are part of the program. Where a pointer among the leaves leads to one, it is an input. Writes to an allocated block are told, those to a frame are not.
 *
 * Invariant: a cell that an open activation has neither read first nor written holds what its caller sees.
 */
#include "activation.h"
#include "node.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#ifdef RT_ACTIVATIONS

#define GRAINS (1u << 20)
#define SLOTS (1u << 21)
#define OPEN (1u << 12)	  /* activations at once */
#define BORN (1u << 16)	  /* blocks allocated since the outermost began */
#define BULK (1u << 20)	  /* bytes of one copy or fill that are logged */
#define LOOK_AHEAD 64	  /* bytes behind a pointer parameter that are bound at the beginning */
#define NEAR 65536	  /* bytes from a pointer to the end of constant data that it may lead to */
#define OUTWARD 8	  /* activations to which the expression of an address is handed */

struct grain {
	uint64_t at;	   /* multiple of 8 */
	uint32_t open;	   /* place of its activation in the stack, from 1 */
	uint32_t outer;	   /* of the same address, of an activation around this one; 0: none */
	uint32_t next;	   /* of the same activation */
	label place;	   /* of the address of the last write, which had the value `wrote` */
	uint64_t wrote;
	uint8_t read, written, starts; /* a bit for each byte; starts: a write began there */
	uint8_t ahead;		       /* bytes that a parameter points to: they may be outputs, though this path does not write them */
	uint32_t saved[8]; /* cells of the caller */
};

struct activation {
	uint32_t number;
	uint32_t grains; /* the newest */
	uint32_t born;	 /* blocks allocated before it began, of those in the list */
	uint32_t marks;
	uint64_t frame;
	label first; /* nodes from here on are made since it began */
};

uint32_t rt_now;
static struct activation open_ones[OPEN + 1];
static uint32_t numbers; /* that were given */
static struct grain grains[GRAINS];
static uint32_t grain_count = 1, grain_free;
static struct {
	uint64_t at;
	uint32_t top;
} slots[SLOTS];
static uint32_t slots_used;
static struct {
	uint64_t base;
	uint32_t open;
} born[BORN];
static uint32_t born_count;
static uint32_t born_slots[2 * BORN]; /* by address: 1 + the newest in the list that begins there, or that begins elsewhere and went the same way */
static uint64_t moving, moving_end, moving_size; /* a block that realloc gave back: its cells are still there, its contents are not */
static uint32_t busy; /* in here: what is read and written now is the runtime's own */

static inline uint32_t *cells(uint64_t addr)
{
	return (uint32_t *)MUSTER_SHADOW(addr);
}

static int covered(uint64_t addr, uint64_t size)
{
	uint64_t end = addr + size;
	if (end < addr)
		return 0;
	return end <= 0x10000000000ull || (addr >= 0x7e0000000000ull && end <= 0x800000000000ull) ||
	       (addr >= 0x550000000000ull && end <= 0x570000000000ull);
}

static void mark_page(uint64_t addr)
{
	RT_STATE->any_label = 1;
	*(uint8_t *)(MUSTER_DIRTY_BASE + (addr >> 12)) = 1;
}

/* Of the `count` innermost; 0: of all. */
static void mark_some(enum muster_mark what, uint32_t count)
{
	uint32_t from = count && count < rt_now ? rt_now - count + 1 : 1;
	int fresh = 0;

	if (!rt_now || !RT_ON())
		return;
	for (uint32_t i = from; i <= rt_now; i++) {
		fresh |= !(open_ones[i].marks & 1u << what);
		open_ones[i].marks |= 1u << what;
	}
	if (fresh)
		rt_event_whole(MUSTER_EV_MARK, what, count < 0xffff ? count : 0, __muster_tls.site, 0);
}

void activation_mark(enum muster_mark what)
{
	mark_some(what, 0);
}

/* ------------------------------------------------------------------- log */

static uint64_t place_of(uint64_t at)
{
	uint64_t i = (at >> 3) + (at >> 24) * 0x9e3779b1u; /* neighbours lie together: a page of slots serves a page of memory */

	while (slots[i % SLOTS].at && slots[i % SLOTS].at != at)
		i++;
	return i % SLOTS;
}

static uint32_t *slot_of(uint64_t at)
{
	uint64_t i = place_of(at);

	if (!slots[i].at) {
		slots[i].at = at;
		slots_used++;
	}
	return &slots[i].top;
}

/* Nothing is open any more: no slot is in use. */
static void forget_slots(void)
{
	if (slots_used > SLOTS / 4)
		memset(slots, 0, sizeof slots), slots_used = 0;
}

static struct grain *find(uint64_t at, uint32_t open)
{
	for (uint32_t g = slots[place_of(at)].top; g && grains[g].open >= open; g = grains[g].outer)
		if (grains[g].open == open)
			return &grains[g];
	return NULL;
}

static struct grain *make(uint64_t at, uint32_t open)
{
	struct grain *g = find(at, open);
	uint32_t made = grain_free ? grain_free : grain_count;

	if (g)
		return g;
	if (made >= GRAINS || slots_used > SLOTS - SLOTS / 8) {
		activation_mark(MUSTER_MARK_ROOM);
		return NULL;
	}
	if (grain_free)
		grain_free = grains[made].next;
	else
		grain_count++;
	uint32_t *link = slot_of(at);
	while (*link && grains[*link].open > open)
		link = &grains[*link].outer;
	grains[made] = (struct grain){.at = at, .open = open, .outer = *link, .next = open_ones[open].grains};
	*link = made;
	open_ones[open].grains = made;
	return &grains[made];
}

/* -------------------------------------------------------------- what is whose */

static int on_own_stack(uint64_t addr, uint32_t open)
{
	return addr < open_ones[open].frame && addr >= (uint64_t)__builtin_frame_address(0);
}

/* The innermost activation since whose beginning the object was allocated; 0: it was there before. */
static uint32_t *born_slot(uint64_t base)
{
	uint64_t i = (base >> 4) * 0x9e3779b97f4a7c15ull >> 47;

	while (born_slots[i % (2 * BORN)] && born[born_slots[i % (2 * BORN)] - 1].base != base)
		i++;
	return &born_slots[i % (2 * BORN)];
}

/* Nothing is open any more: every slot in use lies in a row that begins where one of these does. */
static void forget_born(void)
{
	while (born_count > 0)
		for (uint64_t i = (born[--born_count].base >> 4) * 0x9e3779b97f4a7c15ull >> 47; born_slots[i % (2 * BORN)]; i++)
			born_slots[i % (2 * BORN)] = 0;
}

static uint32_t born_in(uint64_t base)
{
	uint32_t at = *born_slot(base);

	return at ? born[at - 1].open : 0;
}

static void tell_name(uint64_t base)
{
	const struct rt_global *g = rt_global_at(base);
	uint32_t was = busy;

	if (!g || !*g->name)
		return;
	busy = 1;
	label name = rt_snapshot(&(struct rt_object){(uint64_t)g->name, strlen(g->name), 1});
	busy = was;
	if (name)
		rt_event_whole(MUSTER_EV_NAME, g->unit & 1, 0, g->unit & ~1ull, name);
}

/* An object is told before the first that lies in it. what: bit 0: constant, bit 1: it was allocated just now. */
static void tell(uint64_t base, uint64_t size, unsigned what)
{
	static struct {
		uint64_t base, size;
	} told[1024];
	unsigned slot = (unsigned)(base >> 4) % 1024;

	if (!(what & 2) && told[slot].base == base && told[slot].size == size)
		return;
	told[slot].base = base;
	told[slot].size = size;
	rt_event_whole(MUSTER_EV_OBJECT, what, 0, base, rt_const(64, size, 0));
	if (!(what & 2))
		tell_name(base);
}

void activation_born(uint64_t base, uint64_t size)
{
	moving = moving_end = 0;
	if (!busy && RT_ON())
		tell(base, size, 2);
	if (busy || !RT_ON())
		return;
	if (born_count == BORN) {
		activation_mark(MUSTER_MARK_ROOM);
		return;
	}
	uint32_t *slot = born_slot(base);
	born[born_count].base = base;
	born[born_count++].open = rt_now;
	*slot = born_count;
}

void activation_died(uint64_t base, uint64_t size)
{
	if (busy || !RT_ON() || !size)
		return;
	uint32_t in = born_in(base);
	if (in)
		born[*born_slot(base) - 1].open = 0; /* whoever is given it next is told anew */
	if (in < rt_now)
		mark_some(MUSTER_MARK_FREED, rt_now - in);
	/* Nobody can see any more what was written there. */
	for (uint64_t at = base & ~7ull; at < base + size && size <= BULK; at += 8)
		for (uint32_t i = 1; i <= rt_now; i++) {
			struct grain *g = find(at, i);
			if (g)
				g->read = g->written = 0;
		}
}

static void tell_object(uint64_t addr)
{
	struct rt_object o;

	if (covered(addr, 1) && rt_object_find((const void *)addr, &o))
		tell(o.base, o.size, o.constant ? 1 : 0);
}

/* ------------------------------------------------------------------ reads */

static label new_leaf(uint32_t open, unsigned width, label bound, label place, unsigned memory, uint64_t value, uint64_t k, uint64_t site)
{
	if (bound && (rt_node(bound)->width != width || rt_value(bound) != rt_mask(value, width)))
		bound = 0;
	label l = rt_append(RT_STATE->header->node_count, rt_head(MUSTER_OP_LEAF, width, bound), rt_tail(place, open_ones[open].number),
			    rt_mask(value, width), k);
	if (!l)
		return 0;
	rt_node(l)->aux = (uint8_t)memory;
	if (memory)
		tell_object(k);
	if (width == 64 && value > 4095)
		tell_object(value);
	rt_event_whole(MUSTER_EV_BIND, 0, 0, site, l);
	return l;
}

static int unseen(uint64_t addr, uint32_t open)
{
	const struct grain *g = find(addr & ~7ull, open);

	return !g || !((g->read | g->written) >> (addr & 7) & 1);
}

static int any_unseen(uint64_t addr, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (unseen(addr + i, rt_now))
			return 1;
	return 0;
}

/* The n bytes, none of them seen, become a leaf. */
static void expose(uint64_t addr, unsigned n, uint32_t open, label place, uint64_t site)
{
	uint64_t value = 0;
	label bound = rt_any((const void *)addr, n) ? rt_load_cells(addr, n, site) : 0;

	memcpy(&value, (const void *)addr, n);
	for (unsigned i = 0; i < n; i++)
		if (!make((addr + i) & ~7ull, open))
			return;
	label l = new_leaf(open, n * 8, bound, place, 1, value, addr, site);
	if (!l)
		return;
	for (unsigned i = 0; i < n; i++) {
		struct grain *g = find((addr + i) & ~7ull, open);
		g->saved[(addr + i) & 7] = cells(addr)[i];
		g->read |= (uint8_t)(1u << ((addr + i) & 7));
	}
	mark_page(addr);
	mark_page(addr + n - 1);
	for (unsigned i = 0; i < n; i++)
		cells(addr)[i] = MUSTER_CELL(l, i);
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

static int is_outer(uint32_t number)
{
	for (uint32_t i = rt_now; i > 0; i--)
		if (open_ones[i].number <= number)
			return open_ones[i].number == number;
	return 0;
}

void activation_moves(const void *p, uint64_t n)
{
	struct rt_object o;

	moving_size = p && rt_object_find(p, &o) ? o.base + o.size - (uint64_t)p : n;
	activation_read(p, moving_size < n ? moving_size : n, 0, __muster_tls.site);
	moving = (uint64_t)p;
	moving_end = moving + n;
}

/* At most eight bytes. From the outermost activation that has not seen them all. */
static void read_some(uint64_t addr, unsigned n, uint32_t own, label address, uint64_t site)
{
	uint32_t from = rt_now;
	int any;

	if (!any_unseen(addr, n))
		return;
	for (; from > own + 1; from--) {
		any = on_own_stack(addr, from - 1) ? 0 : 1;
		for (unsigned i = 0; i < n && any == 1; i++)
			any += unseen(addr + i, from - 1);
		if (any < 2)
			break;
	}
	label places[OUTWARD] = {address};
	for (uint32_t k = 1; k < OUTWARD && k <= rt_now - from; k++) {
		uint32_t kept = rt_now;
		label inner = places[k - 1];
		rt_now = kept - k + 1; /* as its callee sees it */
		places[k] = rt_rebind(inner, open_ones[rt_now].number, open_ones[rt_now].first, is_outer);
		rt_now = kept;
	}
	for (uint32_t open = from; open <= rt_now && RT_ON(); open++)
		expose_unseen(addr, n, open, rt_now - open < OUTWARD ? places[rt_now - open] : 0, site);
}

static int all_new(uint64_t addr, uint64_t n)
{
	label first = open_ones[rt_now].first;

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

/* Constant data that is an input through one pointer is read by its own name: the two cannot be told apart. */
static void look_at_constant(uint64_t addr, uint64_t n, label address)
{
	struct rt_object o;

	if (rt_object_find((const void *)addr, &o) && is_program(&o, addr, n, address))
		for (uint64_t at = addr & ~7ull; at < addr + n; at += 8)
			if (slots[place_of(at)].top) {
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

	if (busy || !n || !RT_ON() || !covered(addr, n) || on_own_stack(addr, rt_now))
		return;
	if (RT_UNLIKELY(constants_exposed))
		look_at_constant(addr, n, address);
	if (n <= 16 && all_new(addr, n))
		return;
	if ((n <= 8 && !any_unseen(addr, (unsigned)n)) || (addr >= moving && addr < moving_end))
		return;
	busy = 1;
	if (n > BULK) {
		activation_mark(MUSTER_MARK_ROOM);
	} else {
		int found = rt_object_find(p, &o);
		if (found && born_count)
			own = born_in(o.base);
		if (found && is_program(&o, addr, n, address))
			own = rt_now;
		else if (found && o.constant)
			constants_exposed = 1;
		if (address && muster_value(rt_node(address)) != addr)
			address = 0;
		for (uint64_t i = 0, m; i < n && own < rt_now && RT_ON(); i += m) {
			m = n <= 8 ? n : 8 - ((addr + i) & 7);
			if (m > n - i)
				m = n - i;
			label place = address && i ? rt_binary(MUSTER_OP_ADD, 64, address, 0, addr, i) : address;
			read_some(addr + i, (unsigned)m, own, place, site);
		}
	}
	busy = 0;
}

/* ----------------------------------------------------------------- writes */

void activation_wrote(const void *p, uint64_t n)
{
	uint64_t addr = (uint64_t)p;
	label place = __muster_tls.place;

	__muster_tls.place = 0;
	if (moving && n > moving_size)
		n = moving_size; /* what lies behind was nobody's */
	if (busy || !n || !RT_ON() || !covered(addr, n) || on_own_stack(addr, rt_now))
		return;
	if (n > BULK) {
		activation_mark(MUSTER_MARK_ROOM);
		return;
	}
	if (place && muster_value(rt_node(place)) != addr)
		place = 0;
	busy = 1;
	tell_object(addr);
	struct grain *g = NULL;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = (addr + i) & ~7ull;
		unsigned byte = (addr + i) & 7;
		if (!g || g->at != at) {
			if (!(g = make(at, rt_now)))
				break;
			if (place || g->wrote != addr) { /* a store passes here twice */
				g->place = place;
				g->wrote = addr;
			}
			g->starts |= (uint8_t)(1u << byte);
		}
		if (!((g->read | g->written) >> byte & 1))
			g->saved[byte] = cells(addr)[i];
		if (i)
			g->starts &= (uint8_t) ~(1u << byte);
		g->written |= (uint8_t)(1u << byte);
	}
	if (g && (addr + n) & 7 && g->at == ((addr + n) & ~7ull))
		g->starts |= (uint8_t)(1u << ((addr + n) & 7));
	busy = 0;
}

/* Can the grain's memory still be read? It may have been unmapped. */
static int is_there(uint64_t at)
{
	static uint64_t page = 1;
	unsigned char in;
	int kept = errno;

	if (at >= (uint64_t)__builtin_frame_address(0) && at < 0x800000000000ull)
		return 1;
	if (page != (at & ~4095ull)) {
		page = mincore((void *)(at & ~4095ull), 4096, &in) ? 1 : at & ~4095ull;
		errno = kept;
	}
	int there = page == (at & ~4095ull);
	page = there ? page : 1;
	return there;
}

/* Bytes from i on that were written together and belong to one value. */
static unsigned together(const struct grain *g, unsigned i)
{
	const uint32_t *c = cells(g->at);
	unsigned n = 1;

	while (i + n < 8 && g->written >> (i + n) & 1 && !(g->starts >> (i + n) & 1) &&
	       (c[i] ? c[i + n] == c[i + n - 1] + (1u << MUSTER_LABEL_BITS) && MUSTER_CELL_BYTE(c[i + n]) : !c[i + n]))
		n++;
	return n;
}

static void tell_writes(const struct grain *g)
{
	for (unsigned i = 0, n; i < 8; i += n) {
		uint64_t v = 0, at = g->at + i;
		n = 1;
		if (!(g->written >> i & 1))
			continue;
		n = together(g, i);
		memcpy(&v, (const void *)at, n);
		label l = rt_any((const void *)at, n) ? rt_load_cells(at, n, __muster_tls.site) : 0;
		if (!l)
			l = rt_const(n * 8, v, 0);
		rt_event_whole(MUSTER_EV_WRITE, n, 0, at, l);
		if (g->place)
			rt_event_whole(MUSTER_EV_PLACE, 0, 0, 0, rt_binary(MUSTER_OP_ADD, 64, g->place, 0, g->wrote, at - g->wrote));
	}
}

/* What was read and not written is to hold what it held. */
static void look_for_changes(const struct grain *g)
{
	for (unsigned i = 0; i < 8; i++) {
		uint32_t cell = cells(g->at)[i];
		if (!((g->read & ~g->written) >> i & 1) || !cell)
			continue;
		if ((uint8_t)(rt_wide_value(MUSTER_CELL_LABEL(cell)) >> (8 * MUSTER_CELL_BYTE(cell))) != ((const uint8_t *)g->at)[i])
			mark_some(MUSTER_MARK_UNRECORDED, 0);
	}
}

void activation_writes(void)
{
	if (!rt_now || !RT_ON())
		return;
	busy = 1;
	for (uint32_t i = open_ones[rt_now].grains; i && RT_ON(); i = grains[i].next) {
		struct grain *g = &grains[i];
		if (!(g->read | g->written))
			continue;
		if (!is_there(g->at)) {
			mark_some(MUSTER_MARK_FREED, 0);
			g->read = g->written = 0;
			continue;
		}
		look_for_changes(g);
		tell_writes(g);
	}
	busy = 0;
}

label activation_outside(label a)
{
	return rt_now && a ? rt_rebind(a, open_ones[rt_now].number, open_ones[rt_now].first, is_outer) : a;
}

/* Cells as the caller sees them. */
static void hand_over(const struct grain *g)
{
	uint32_t *c = cells(g->at);
	label last = 0, last_is = 0;
	for (unsigned i = 0; i < 8; i++) {
		if (g->written >> i & 1) {
			label l = MUSTER_CELL_LABEL(c[i]);
			if (!l)
				continue;
			if (l != last) {
				last = l;
				last_is = activation_outside(l);
			}
			c[i] = last_is ? MUSTER_CELL(last_is, MUSTER_CELL_BYTE(c[i])) : 0;
		} else if (g->read >> i & 1) {
			c[i] = g->saved[i];
		}
	}
}

static int composes(void)
{
	return RT_ON() && RT_STATE->header->flags & MUSTER_FLAG_COMPOSE;
}

/* A pointer to an object stays what it is: its caller will use it as an address. */
static int is_pointer(unsigned width, uint64_t value)
{
	struct rt_object o;

	return width == 64 && value > 4095 && covered(value, 1) && (rt_object_find((const void *)value, &o) || rt_object_find((const void *)(value - 1), &o));
}

static int outputs_asked(void)
{
	return RT_ON() && RT_STATE->header->flags & MUSTER_FLAG_OUTPUTS;
}

/* An output as its caller sees it: a leaf that is bound to what it would be without. */
static label new_output(unsigned width, label bound, unsigned kind, uint64_t value, uint64_t k)
{
	if (composes() && is_pointer(width, value))
		return 0;
	if (bound && (rt_node(bound)->width != width || rt_value(bound) != rt_mask(value, width)))
		bound = 0;
	label l = rt_append(RT_STATE->header->node_count, rt_head(MUSTER_OP_LEAF, width, bound), rt_tail(0, open_ones[rt_now].number),
			    rt_mask(value, width), k);
	if (l)
		rt_node(l)->aux = (uint8_t)kind;
	if (l && composes())
		rt_event_whole(MUSTER_EV_OUTPUT, 0, 0, __muster_tls.site, l);
	return l;
}

label activation_output(label bound, unsigned width, uint64_t value, unsigned part)
{
	label l = outputs_asked() && width && width <= 64 ? new_output(width, bound, 3, value, part) : 0;

	return l ? l : bound;
}

/* Values that were written become outputs; the cells are the caller's already. */
static void make_outputs(const struct grain *g)
{
	for (unsigned i = 0, n; i < 8 && RT_ON(); i += n) {
		uint64_t v = 0, at = g->at + i;
		n = 1;
		if (!(g->written >> i & 1))
			continue;
		n = together(g, i);
		memcpy(&v, (const void *)at, n);
		label l = new_output(n * 8, rt_any((const void *)at, n) ? rt_load_cells(at, n, __muster_tls.site) : 0, 2, v, at);
		if (!l)
			continue;
		mark_page(at);
		for (unsigned j = 0; j < n; j++)
			cells(at)[j] = MUSTER_CELL(l, j);
	}
}

/* The same of what was not written, but could have been: n bytes from i on. */
static void kept_output(const struct grain *g, unsigned i, unsigned n)
{
	uint64_t value = 0, at = g->at + i;

	memcpy(&value, (const void *)at, n);
	label l = rt_any((const void *)at, n) ? rt_load_cells(at, n, __muster_tls.site) : 0;
	label out = new_output(n * 8, l, 2, value, at);
	if (!out)
		return;
	mark_page(at);
	for (unsigned k = 0; k < n; k++)
		cells(at)[k] = MUSTER_CELL(out, k);
}

static void kept_outputs(const struct grain *g)
{
	uint8_t kept = (uint8_t)(g->ahead & g->read & ~g->written);
	uint64_t whole;

	memcpy(&whole, (const void *)g->at, 8);
	if (!kept || is_pointer(64, whole))
		return;
	for (unsigned half = 0; half < 8; half += 4) {
		if ((kept >> half & 15) == 15)
			kept_output(g, half, 4);
		for (unsigned i = half; i < half + 4 && (kept >> half & 15) != 15; i++)
			if (kept >> i & 1)
				kept_output(g, i, 1);
	}
}

/* What was written was written by the caller as well. */
static void tell_caller(const struct grain *g)
{
	uint32_t caller = rt_now - 1;

	if (!g->written || !caller || on_own_stack(g->at, caller))
		return;
	struct grain *h = make(g->at, caller);
	if (!h)
		return;
	for (unsigned i = 0; i < 8; i++)
		if (g->written >> i & 1) {
			if (!((h->read | h->written) >> i & 1))
				h->saved[i] = g->saved[i];
			h->written |= (uint8_t)(1u << i);
		}
	h->starts = (uint8_t)((h->starts & ~g->written) | (g->starts & g->written) | (g->starts & h->written));
	h->place = activation_outside(g->place);
	h->wrote = g->wrote;
}

void activation_end(void)
{
	struct activation *a = &open_ones[rt_now];

	busy = 1;
	for (uint32_t i = a->grains, next; i; i = next) {
		struct grain *g = &grains[i];
		next = g->next;
		if (g->read | g->written)
			hand_over(g);
		if (g->written && outputs_asked() && (!composes() || is_there(g->at)))
			make_outputs(g);
		if (g->ahead && composes() && is_there(g->at))
			kept_outputs(g);
		tell_caller(g);
		uint32_t *link = slot_of(g->at);
		while (*link && *link != i)
			link = &grains[*link].outer;
		*link = g->outer;
		g->next = grain_free;
		grain_free = i;
	}
	for (uint32_t i = a->born; i < born_count; i++)
		if (born[i].open >= rt_now)
			born[i].open = rt_now - 1;
	if (--rt_now == 0) {
		constants_exposed = 0;
		forget_born();
		forget_slots();
	}
	busy = 0;
}

/* ------------------------------------------------------------------ begin */

static int is_named(uint64_t site)
{
	const struct muster_header *h = RT_STATE->header;
	const struct muster_function *list = (const struct muster_function *)((const char *)h + h->function_offset);
	uint64_t low = 0, high = h->function_count;

	if (!(h->flags & MUSTER_FLAG_SUMMARIES))
		return 0;
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;
		if (site < list[mid].first)
			high = mid;
		else if (site >= list[mid].end)
			low = mid + 1;
		else
			return 1;
	}
	return 0;
}

/* What a parameter points to is bound though this activation may not read it: on another path it would. */
static void look_ahead(uint64_t value, label leaf, uint64_t site)
{
	struct rt_object o;

	if (value <= 4095 || !covered(value, 1) || !rt_object_find((const void *)value, &o) || o.constant)
		return;
	uint64_t n = o.base + o.size - value;
	n = n < LOOK_AHEAD ? n : LOOK_AHEAD;
	activation_read((const void *)value, n, leaf, site);
	for (uint64_t at = value; at < value + n; at++) {
		struct grain *g = find(at & ~7ull, rt_now);
		if (g && g->read >> (at & 7) & 1)
			g->ahead |= (uint8_t)(1u << (at & 7));
	}
}

uint32_t activation_begin(const struct rt_function *f, uint64_t frame, const uint64_t *values, label *labels)
{
	unsigned part = 0;
	int missing = (f->flags & RT_FUNCTION_MORE) != 0;

	if (!RT_ON() || !is_named(f->site))
		return 0;
	if (rt_now == OPEN) {
		activation_mark(MUSTER_MARK_ROOM);
		return 0;
	}
	open_ones[++rt_now] = (struct activation){
	    .number = ++numbers, .frame = frame, .born = born_count, .first = (label)RT_STATE->header->node_count};
	rt_event_whole(MUSTER_EV_ACTIVATION, 0, 0, numbers, 0);
	for (uint32_t i = 0; i < f->arguments && RT_ON(); i++) {
		unsigned width = f->leaves[2 * i], parameter = f->leaves[2 * i + 1];
		part = i && f->leaves[2 * i - 1] == parameter ? part + 1 : 0;
		if (!width || width > 64) {
			missing = 1;
			continue;
		}
		labels[i] = new_leaf(rt_now, width, labels[i], 0, 0, values[i], parameter | (uint64_t)part << 32, f->site);
	}
	if (missing)
		mark_some(MUSTER_MARK_PARAMETER, 1);
	for (uint32_t i = 0; i < f->arguments && composes(); i++)
		if (f->leaves[2 * i] == 64)
			look_ahead(values[i], labels[i], f->site);
	return rt_now;
}

/* -------------------------------------------------------------- addresses */

struct sum {
	label rest;
	uint64_t constant;
	int found;
};

static int points(uint64_t value, uint64_t p)
{
	struct rt_object o;
	uint64_t apart = value > p ? value - p : p - value;

	if (value < 65536 || !covered(value, 1))
		return 0;
	return rt_object_find((const void *)value, &o) || rt_object_find((const void *)(value - 1), &o) || apart < 4096;
}

static void add(struct sum *s, label l, uint64_t p, unsigned depth)
{
	struct muster_node *n = rt_node(l);

	if (n->op == MUSTER_OP_LEAF && n->width == 64 && points(n->value64, p)) {
		s->found = 1;
		n->flags |= MUSTER_NODE_FOLLOWED;
		if (n->a && depth)
			add(s, n->a, p, depth - 1);
		else
			s->constant += n->value64;
		return;
	}
	if (n->width == 64 && n->op == MUSTER_OP_ADD && depth) {
		if (n->a)
			add(s, n->a, p, depth - 1);
		if (n->b)
			add(s, n->b, p, depth - 1);
		s->constant += n->a && n->b ? 0 : n->k;
	} else if (n->width == 64 && n->op == MUSTER_OP_SUB && depth && n->a && !n->b) {
		add(s, n->a, p, depth - 1);
		s->constant -= n->k;
	} else {
		s->rest = rt_binary(MUSTER_OP_ADD, 64, s->rest, l, rt_value(s->rest), n->value64);
	}
}

label activation_address(label address, uint64_t p)
{
	struct sum s = {0};

	if (!address || !RT_ON() || rt_node(address)->width != 64)
		return address;
	add(&s, address, p, 64);
	if (!s.found)
		return address;
	return s.rest ? rt_binary(MUSTER_OP_ADD, 64, s.rest, 0, rt_value(s.rest), s.constant) : 0;
}

/* -------------------------------------------------------------- functions */

/* Wrappers that tell all they read and write, or whose results and effects depend on nothing else. */
#define SEEN(X)                                                                                                            \
	X(__wrap_memcpy) X(__wrap_memmove) X(__wrap_mempcpy) X(__wrap___mempcpy) X(__wrap_bcopy) X(__wrap_memset) X(__wrap_bzero)  \
	X(__wrap_explicit_bzero) X(__wrap___memcpy_chk) X(__wrap___memmove_chk) X(__wrap___mempcpy_chk) X(__wrap___memset_chk)      \
	X(__wrap___explicit_bzero_chk) X(__wrap_malloc) X(__wrap_calloc) X(__wrap_realloc) X(__wrap_reallocarray) X(__wrap_free)    \
	X(__wrap_aligned_alloc) X(__wrap_memalign) X(__wrap_valloc) X(__wrap_posix_memalign) X(__wrap_klee_assume)                 \
	X(__wrap_muster_assume) X(__wrap___VERIFIER_assume) X(__wrap_muster_assert_holds) X(__wrap_muster_refine_holds)            \
	X(__wrap___VERIFIER_assert) X(__wrap_exit) X(__wrap__exit) X(rt_string_fits)

#define X(name) extern char name[] __attribute__((weak));
SEEN(X)
#undef X

void activation_entered(const void *wrapper)
{
	static const char *const seen[] = {
#define X(name) name,
	    SEEN(X)
#undef X
	};
	for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
		if (seen[i] && wrapper == (const void *)seen[i])
			return;
	mark_some(MUSTER_MARK_LIBC, 0);
}

/* Functions without a body that read and write nothing of the program's, if nobody looks at what they return. A result with a star is always the same. */
void activation_extern(const struct rt_extern *what)
{
	static const char *const quiet[] = {
	    "printf", "fprintf", "dprintf", "vprintf", "vfprintf", "vdprintf", "__printf_chk", "__fprintf_chk", "__vprintf_chk", "__vfprintf_chk", "__dprintf_chk",
	    "puts", "fputs", "fputs_unlocked", "putchar", "putc", "fputc", "_IO_putc", "putchar_unlocked", "putc_unlocked", "fputc_unlocked", "fwrite",
	    "fwrite_unlocked", "perror", "fflush", "exit", "_exit", "abort", "__assert_fail", "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk",
	    "__stack_chk_fail", "*__errno_location", "*__ctype_b_loc", "*__ctype_tolower_loc", "*__ctype_toupper_loc"};
	for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++) {
		int same = quiet[i][0] == '*';
		if (!strcmp(quiet[i] + same, what->name) && (same || !(what->used & 1)))
			return;
	}
	mark_some(MUSTER_MARK_EXTERN, 0);
}

#endif
