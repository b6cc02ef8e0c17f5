/* pair.c: differences and the order of two pointers, where another input could give pointers to different objects.
 *
 * A pointer that is a known place plus something stays in its object, whatever the something is. One that was itself read or
 * chosen by the input (an entry of a table) may be another one for another input: a bound says that it lies in the
 * object of its partner, or right after it. Where that is not known either, or two such pointers meet, the search has lost something,
 * and an event says so. Pointers of the driver's are pin.c's.
 *
 * **Equal.** In a driven program the san variant must go the same path, or this one was not looked at. It does not where a pointer to a block that was given back equals one to the
 * block that stands there now (`q == p` after a realloc): AddressSanitizer's allocator does not give a place again. Which of two equal pointers is the old one cannot be seen, so the
 * places are remembered.
 *
 * What does not depend on the input makes no event: the san variant looks at it (probe.c). But in a driven program, which may be verified, the search
 * has lost something where both pointers are to objects that are not known.
 */
#include "activation.h"
#include "node.h"

struct side {
	label moving; /* 0: the same object for every input of this path */
	uint64_t value;
	int known; /* object is that of a side that does not move */
	struct rt_object object;
};

/* A pointer to the byte after an object may be one to another's first: the partner says which is meant. */
static int object_at(uint64_t addr, uint64_t partner, struct rt_object *o)
{
	struct rt_object before;
	int here = rt_object_find((const void *)addr, o), behind = rt_object_find((const void *)(addr - 1), &before);

	if (behind && (!here || partner - before.base <= before.size))
		*o = before;
	return here || behind;
}

static struct side side_of(label l, uint64_t value, uint64_t partner)
{
	struct side s = {.value = value};

	if (l && rt_value(l) == value && !(rt_node(l)->flags & MUSTER_NODE_CONCRETISED)) {
		s.known = rt_named_object(l, &s.object);
		s.moving = s.known ? 0 : l;
	} else if (value) {
		s.known = object_at(value, partner, &s.object);
	}
	return s;
}

static void ask(const struct side *m, const struct side *other, uint64_t site)
{
	if (other->moving || (!other->known && other->value)) {
		rt_event_at(MUSTER_EV_CONCRETE, MUSTER_REASON_ORDER, site, m->moving);
	} else if (!other->value) {
		rt_check_once(MUSTER_CHECK_PAIR, rt_binary(MUSTER_OP_EQ, 64, m->moving, 0, m->value, 0), site);
	} else {
		label offset = rt_binary(MUSTER_OP_SUB, 64, m->moving, 0, m->value, other->object.base);
		rt_check_once(MUSTER_CHECK_PAIR,
			      rt_binary(MUSTER_OP_ULE, 64, offset, 0, m->value - other->object.base, other->object.size), site);
	}
}

/* Two pointers of which the object is not known (libc's, a thread's): neither the probe nor anybody else can say whether it is one. */
static void tell_unknown(uint64_t va, uint64_t vb, uint64_t site)
{
	static int told;
	struct rt_object o;

	if (told || va == vb || !va || !vb || object_at(va, vb, &o) || object_at(vb, va, &o))
		return;
	told = 1;
	rt_event_at(MUSTER_EV_CONCRETE, MUSTER_REASON_ORDER, site, rt_const(64, va, 0));
}

/* ------------------------------------------------------------------- equal */

#define PLACES 256

static struct {
	uint64_t base, size;
} given_back[PLACES];
static unsigned place_count; /* more than PLACES: anywhere */

void rt_given_back(const void *p, uint64_t size)
{
	if (!p || !RT_STATE->driven || !RT_ON() || place_count > PLACES)
		return;
	if (place_count < PLACES) {
		given_back[place_count].base = (uint64_t)p;
		given_back[place_count].size = size;
	}
	place_count++;
}

void __muster_same(uint64_t va, uint64_t vb)
{
	struct rt_object o;
	int again = place_count > PLACES;

	if (va != vb || !va || !place_count || !RT_ON() || !RT_STATE->driven)
		return;
	for (unsigned i = 0; i < place_count && !again; i++)
		again = va - given_back[i].base <= given_back[i].size;
	if (again && object_at(va, vb, &o))
		rt_lost(MUSTER_LOST_PLACE);
}

/* ------------------------------------------------------------------- order */

void __muster_pair(label a, label b, uint64_t va, uint64_t vb, uint64_t site)
{
	if (!RT_ON() || (a && a == b))
		return;
	a = ACTIVATION_ADDRESS(a, va);
	b = ACTIVATION_ADDRESS(b, vb);
	if (!(a | b)) {
		if (RT_STATE->driven)
			tell_unknown(va, vb, site);
		return;
	}
	if (RT_STATE->driven && rt_pin_pair(a, b, va, vb, site))
		return;
	struct side x = side_of(a, va, vb), y = side_of(b, vb, va);
	if (x.moving)
		ask(&x, &y, site);
	else if (y.moving)
		ask(&y, &x, site);
}
