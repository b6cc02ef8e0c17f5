/* pin.c: uses of pointers that the driver made (drive_trace.c), in the traced runtime.
 *
 * Such a pointer is a chain of choices. Comparing it is a decision like any other. When it is first
 * used as an address it is pinned: decisions say whether it is null and whether it is one of the
 * objects that pointers on this path were pinned to before; if it is none of them the object is
 * fresh, and since fresh objects are interchangeable the event GIVEN says which. From there on the
 * pointer is the object's address, a constant, and p->x or p[i] is an offset in that object:
 * nothing has to be concretised. What takes an address for a number (the order of two objects, a hash) can
 * distinguish fresh objects: an event says so, and the search has lost something.
 *
 * An address is split into the pointer it comes from and the offset, through additions and
 * subtractions; the result is kept by label. Where the object's size depends on the input, a bound
 * says that the access lies inside; it is written once for each larger end, and the first element
 * is always there. An access that breaks its bound ends the run here by SIGSEGV, like one that
 * leaves an object of constant size: what memory would give there is not the program's.
 *
 * Invariant: whatever this file lets pass as a constant is determined by the events written before.
 */
#include "activation.h"
#include "pin.h"

#include "hooks.h"
#include "node.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROOTS 4096
#define SLOTS (2 * ROOTS)
#define SPLITS 256
#define DEPTH 24     /* of nested sums; longer chains are split as they are used */
#define CHAIN 4096   /* constants added one after the other */
#define LOOK_BACK 64 /* events that are searched for a test against null */

static struct drive_objects *objects;
/* Few pages are touched in a run with few pointers: roots stand side by side, and labels are hashed
 * to where they are. */
static struct pin_root roots[ROOTS];
static uint32_t root_count;
static uint16_t slots[SLOTS]; /* number + 1 */

/* address = root's pointer + offset (label, or 0) + constant */
static struct split {
	label address;
	uint32_t root; /* 0: none; else number + 1 */
	label offset;
	uint64_t constant;
} splits[SPLITS];

enum rt_use rt_pin_use;

void pin_begin(struct drive_objects *o)
{
	objects = o;
}

static uint16_t *slot_of(label l)
{
	uint32_t i = l;

	while (slots[i % SLOTS] && roots[slots[i % SLOTS] - 1].pointer != l)
		i++;
	return &slots[i % SLOTS];
}

struct pin_root *pin_new(label pointer)
{
	uint16_t *slot = slot_of(pointer);

	if (*slot || root_count >= ROOTS)
		return NULL;
	roots[root_count++].pointer = pointer;
	*slot = (uint16_t)root_count;
	return &roots[root_count - 1];
}

/* ------------------------------------------------------------ where from */

static struct split split(label a, unsigned depth);

/* Sum or difference of two labels: one of them may come from a pointer. */
static struct split split_sum(const struct muster_node *n, label a, unsigned depth)
{
	struct split x = split(n->a, depth - 1), y = {0};
	int minus = n->op == MUSTER_OP_SUB;

	if (!x.root || !minus)
		y = split(n->b, depth - 1);
	if (!x.root == !y.root || (minus && !x.root))
		return (struct split){.address = a};
	if (!x.root) {
		x = y;
		y.address = n->a;
	} else {
		y.address = n->b;
	}
	if (!x.offset && !minus)
		x.offset = y.address;
	else
		x.offset = rt_binary(minus ? MUSTER_OP_SUB : MUSTER_OP_ADD, 64, x.offset, y.address,
				     rt_value(x.offset), rt_value(y.address));
	x.address = a;
	return x;
}

static struct split split(label a, unsigned depth)
{
	struct split *kept = &splits[a % SPLITS], s = {.address = a};
	label at = a;
	uint64_t constant = 0;

	if (!a || kept->address == a)
		return a ? *kept : s;
	for (unsigned i = 0; i < CHAIN; i++) {
		const struct muster_node *n = rt_node(at);

		if (n->width != 64 ||
		    (n->op != MUSTER_OP_ADD && n->op != MUSTER_OP_SUB && n->op != MUSTER_OP_ITE))
			break;
		if (splits[at % SPLITS].address == at) {
			s = splits[at % SPLITS];
			break;
		}
		if (n->op == MUSTER_OP_ITE) {
			s.root = *slot_of(at);
			break;
		}
		if (n->a && n->b) {
			if (depth)
				s = split_sum(n, at, depth);
			break;
		}
		if (!n->a && n->op == MUSTER_OP_SUB)
			break;
		constant += n->op == MUSTER_OP_ADD ? n->k : -n->k;
		at = n->a ? n->a : n->b;
	}
	s.address = a;
	s.constant += s.root ? constant : 0;
	*kept = s;
	return s;
}

/* ------------------------------------------------------------------- pins */

/* Does this decision say whether the pointer is null? A check may be for several things at once.
 */
static int tells(const struct muster_event *e, label is, label is_not)
{
	const struct muster_node *n = rt_node(e->label);

	if ((e->kind != MUSTER_EV_BRANCH && e->kind != MUSTER_EV_GIVEN) || !e->label)
		return 0;
	return e->label == is || e->label == is_not ||
	       (e->arg && n->op == MUSTER_OP_AND && n->width == 1 &&
		(n->a == is_not || n->b == is_not));
}

/* Whether the pointer is null is known, or a decision here. */
static void decide_null(const struct pin_root *r, uint64_t value, uint64_t site)
{
	struct rt_state *s = RT_STATE;
	label is = rt_binary(MUSTER_OP_EQ, 64, r->pointer, 0, value, 0);
	label is_not = rt_binary(MUSTER_OP_NE, 64, r->pointer, 0, value, 0);
	uint64_t n = s->header->event_count, low = n > LOOK_BACK ? n - LOOK_BACK : 0;

	while (n-- > low)
		if (tells(&s->events[n], is, is_not))
			return;
	rt_event_at(MUSTER_EV_BRANCH, value != 0, site, is_not);
}

static label chosen(const struct pin_root *r, uint32_t number)
{
	return rt_binary(MUSTER_OP_EQ, 8, r->choice, 0, rt_value(r->choice), number + r->global);
}

/* One decision for each function before the one that it is: these are not interchangeable. */
static void pin_function(struct pin_root *r, uint32_t number, uint64_t site)
{
	for (uint32_t k = 1; k <= r->count && k <= number; k++)
		rt_event_at(MUSTER_EV_BRANCH, k == number, site, chosen(r, k));
}

static void pin_object(struct pin_root *r, uint32_t number, uint64_t site)
{
	for (uint32_t k = 1; k <= r->count; k++)
		if (r->objects[k - 1].pinned) {
			rt_event_at(MUSTER_EV_BRANCH, k == number, site, chosen(r, k));
			if (k == number)
				break;
		}
	r->object = &r->objects[number - 1];
	if (!r->object->pinned)
		rt_given_at(chosen(r, number), site);
	r->object->pinned = 1;
	pin_measure(r->object);
}

static void pin(struct pin_root *r, uint64_t site)
{
	uint64_t value = rt_value(r->pointer), choice = rt_value(r->choice);

	if (r->pinned)
		return;
	decide_null(r, value, site);
	r->pinned = 1;
	if (!value)
		return;
	if (r->global && r->first) {
		rt_event_at(MUSTER_EV_BRANCH, choice == 0, site,
			    rt_binary(MUSTER_OP_EQ, 8, r->choice, 0, choice, 0));
		if (choice == 0)
			return;
	}
	if (r->objects)
		pin_object(r, (uint32_t)choice - r->global, site);
	else
		pin_function(r, (uint32_t)choice - r->global, site);
}

/* A pointer into its object is used: from here on it is where it is in this run. The search asks for all other places, one after the
 * other; if the place stayed open, each access through it would be a read of a whole table, and each loop over a buffer many such. Until
 * then comparing it decides as ever. */
static void fix_place(struct pin_root *r, uint64_t site)
{
	rt_concrete_at(r->skip, MUSTER_REASON_ADDRESS, site);
	r->skipped = rt_value(r->skip);
	r->skip = 0;
}

/* ----------------------------------------------------------------- bounds */

static _Noreturn void crash(void)
{
	struct {
		void *handler;
		unsigned long flags;
		void *restorer;
		uint64_t mask;
	} plain = {0};
	uint64_t mask = 1ull << (SIGSEGV - 1);

	syscall(SYS_rt_sigaction, SIGSEGV, &plain, NULL, sizeof mask);
	syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &mask, NULL, sizeof mask);
	for (;;)
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGSEGV);
}

static void bound_constant(struct drive_object *o, uint64_t offset, uint64_t n, uint64_t site)
{
	uint64_t end = offset + n, need = o->element ? (end + o->element - 1) / o->element : 0;

	if (o->last && (int64_t)offset >= 0 && end > o->checked &&
	    end <= (uint64_t)o->limit * o->element) {
		rt_check_at(MUSTER_CHECK_ARRAY_OVER,
			    rt_binary(MUSTER_OP_ULE, 8, 0, o->last, need - 1, o->elements - 1), site);
		o->checked = need * o->element;
	}
	if ((int64_t)offset < 0 || end > o->size)
		crash();
}

int rt_is_multiple(label l, uint64_t low, unsigned depth)
{
	const struct muster_node *n = rt_node(l);

	if (!low)
		return 1;
	switch (n->op) {
	case MUSTER_OP_CONST:
		return !(muster_value(n) & low);
	case MUSTER_OP_MUL:
		return (!n->a || !n->b) && !(n->k & low);
	case MUSTER_OP_SHL:
		return !n->b && n->k < 64 && !((1ull << n->k) & low);
	case MUSTER_OP_ADD:
		if (n->a && n->b)
			return depth && rt_is_multiple(n->a, low, depth - 1) &&
			       rt_is_multiple(n->b, low, depth - 1);
		return depth && !(n->k & low) && rt_is_multiple(n->a ? n->a : n->b, low, depth - 1);
	case MUSTER_OP_ITE:
		return depth && rt_is_multiple(n->b, low, depth - 1) &&
		       rt_is_multiple(n->c, low, depth - 1);
	default:
		return 0;
	}
}

/* Is the offset that of an element, and the access no larger? Then it fits if its start does. */
static int whole_element(const struct drive_object *o, label offset, uint64_t n)
{
	uint64_t low = o->element - 1;

	return n <= o->element && !(o->element & low) && rt_is_multiple(offset, low, 4);
}

static void bound_symbolic(struct drive_object *o, label offset, uint64_t value, uint64_t n,
			   uint64_t site)
{
	struct rt_object whole = {(uint64_t)o->base, o->size, 0};

	if (o->bytes) {
		rt_check_under(offset, &whole, rt_pin_use, site);
		rt_check_over(offset, n, n <= 1 || whole_element(o, offset, n), o->bytes, o->size, rt_pin_use, site);
	} else if (o->size >= n) { /* else no offset is right */
		rt_check_offset(offset, &whole, n, rt_pin_use, site);
	}
	if (value >= o->size || n > o->size - value)
		crash();
}

/* The object whose room, with what lies around it, has the address. */
static struct drive_object *object_near(uint64_t addr)
{
	uint32_t low = 0, high = objects->count;

	if (addr - objects->low >= objects->high - objects->low)
		return NULL;
	while (low < high) { /* the first whose room ends after it */
		uint32_t mid = low + (high - low) / 2;
		if ((uint64_t)objects->all[mid].end + 2048 <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < objects->count && objects->all[low].made ? &objects->all[low] : NULL;
}

int rt_pin_object(uint64_t addr, struct rt_object *o)
{
	const struct drive_object *d = objects ? object_near(addr) : NULL;

	if (!d || addr - (uint64_t)d->base >= d->size)
		return 0;
	*o = (struct rt_object){(uint64_t)d->base, d->size, 0};
	return 1;
}

/* Bytes from addr to the end of its object, and their label; 0: it is in none. */
static int room_at(uint64_t addr, uint64_t *room, label *of)
{
	struct drive_object *d = object_near(addr);
	struct rt_object o;

	*of = 0;
	if (d && addr - (uint64_t)d->base <= d->size) {
		uint64_t before = addr - (uint64_t)d->base;
		pin_measure(d);
		*room = d->size - before;
		*of = rt_binary(MUSTER_OP_SUB, 64, d->bytes, 0, d->size, before);
		return 1;
	}
	if (!rt_object_find((const void *)addr, &o))
		return 0;
	*room = o.base + o.size - addr;
	return 1;
}

void rt_span_at(label address, label size, const void *p, uint64_t n, uint64_t site)
{
	label of;
	uint64_t room;

	address = ACTIVATION_ADDRESS(address, p);
	if (!RT_ON())
		return;
	if (!RT_STATE->driven) {
		if (size)
			rt_check_span(address, size, (uint64_t)p, n, site);
		else if (RT_UNLIKELY(RT_STATE->sized))
			rt_touched((uint64_t)p, n, RT_MOVES, site);
		return;
	}
	if (!size)
		return;
	rt_access_at(address, p, 0, MUSTER_REASON_ADDRESS, site); /* the room follows from where it is */
	if (!p || !room_at((uint64_t)p, &room, &of))
		return;
	rt_check_once(MUSTER_CHECK_RANGE, rt_binary(MUSTER_OP_ULE, 64, size, of, n, room), site);
	if (n > room)
		crash();
}

void rt_span(label address, label size, const void *p, size_t n)
{
	rt_span_at(address, size, p, n, __muster_tls.site);
}

void rt_there(label address, label size, const void *p, size_t n)
{
	rt_span(address, size, p, n);
	if (!size && RT_ON() && RT_STATE->driven)
		rt_access(address, p, n, MUSTER_REASON_ADDRESS);
}

int rt_pin_string(uint64_t addr)
{
	const struct drive_object *d = object_near(addr);

	return d && d->string && addr - (uint64_t)d->base < d->size && pin_has_end(d);
}

static enum rt_place in_object(struct drive_object *d, label offset, uint64_t constant, uint64_t n,
			       uint64_t site, struct rt_object *o, label *moving)
{
	if (offset && rt_node(offset)->flags & MUSTER_NODE_CONCRETISED) {
		constant += rt_value(offset);
		offset = 0;
	}
	if (!offset) {
		if (n)
			bound_constant(d, constant, n, site);
		return RT_FIXED;
	}
	*moving = rt_binary(MUSTER_OP_ADD, 64, offset, 0, rt_value(offset), constant);
	if (n)
		bound_symbolic(d, *moving, rt_value(offset) + constant, n, site);
	*o = (struct rt_object){(uint64_t)d->base, d->size, 0};
	return RT_MOVING;
}

/* An object of the program's own: the one that the constant part of the address points into, which
 * may be left by now; but for a constant that is one past the end of the object which has the
 * address. */
static int own_object(uint64_t addr, uint64_t from, struct rt_object *o)
{
	struct rt_object named;

	if (!rt_object_find((const void *)addr, o))
		return from && rt_object_find((const void *)from, o);
	if (from && from != o->base + o->size && rt_object_find((const void *)from, &named))
		*o = named;
	return 1;
}

static enum rt_place in_own_object(label address, uint64_t addr, uint64_t n, uint64_t site,
				   struct rt_object *o, label *offset)
{
	const struct muster_node *node = rt_node(address);
	int sum = node->op == MUSTER_OP_ADD && !node->b;

	if (!own_object(addr, sum ? node->k : 0, o))
		return RT_ELSEWHERE;
	if (sum)
		*offset =
		    rt_binary(MUSTER_OP_ADD, 64, node->a, 0, rt_value(node->a), node->k - o->base);
	else
		*offset = rt_binary(MUSTER_OP_SUB, 64, address, 0, addr, o->base);
	if (!*offset)
		return RT_ELSEWHERE;
	if (n && o->size >= n) {
		if (rt_is_named(address, site))
			rt_check_offset(*offset, o, n, rt_pin_use, site);
		else
			rt_check_once(MUSTER_CHECK_NONE,
				      rt_binary(MUSTER_OP_ULE, 64, *offset, 0, addr - o->base, o->size - n), site);
	}
	if (n && (n > o->size || addr - o->base > o->size - n))
		crash();
	return rt_node(*offset)->flags & MUSTER_NODE_CONCRETISED ? RT_FIXED : RT_MOVING;
}

/* An address that is the place of a known object plus something. */
static enum rt_place near_object(label address, uint64_t addr, uint64_t n, uint64_t site,
				 struct rt_object *o, label *offset)
{
	const struct muster_node *node = rt_node(address);
	int sum = node->op == MUSTER_OP_ADD && !node->b;
	struct drive_object *d = object_near(sum ? node->k : addr);

	if (!d)
		return in_own_object(address, addr, n, site, o, offset);
	if (sum)
		return in_object(d, node->a, node->k - (uint64_t)d->base, n, site, o, offset);
	return in_object(d, address, -(uint64_t)d->base, n, site, o, offset);
}

enum rt_place rt_pin(label address, uint64_t addr, uint64_t n, uint64_t site, struct rt_object *o,
		     label *offset)
{
	struct split s = split(address, DEPTH);
	struct pin_root *r;

	if (!s.root)
		return rt_node(address)->width == 64
			   ? near_object(address, addr, n, site, o, offset)
			   : RT_ELSEWHERE;
	r = &roots[s.root - 1];
	pin(r, site);
	if (r->object) {
		if (n && r->skip)
			fix_place(r, site);
		s.constant += r->skipped;
		label skip = r->skip;
		if (skip && s.offset)
			skip = rt_binary(MUSTER_OP_ADD, 64, skip, s.offset, rt_value(skip),
					 rt_value(s.offset));
		return in_object(r->object, skip ? skip : s.offset, s.constant, n, site, o, offset);
	}
	/* Null, a function, or what stood in a global before. */
	if (!s.offset)
		return RT_FIXED;
	if (!rt_object_find((const void *)rt_value(r->pointer), o))
		return RT_ELSEWHERE;
	*offset = rt_binary(MUSTER_OP_ADD, 64, s.offset, 0, rt_value(s.offset),
			    s.constant + rt_value(r->pointer) - o->base);
	return RT_MOVING;
}

/* ---------------------------------------------------------------- settling */

static int is_pointer(label a)
{
	return a && split(a, DEPTH).root;
}

static label settled(label a)
{
	struct split s = split(a, DEPTH);
	const struct pin_root *r = s.root ? &roots[s.root - 1] : NULL;

	if (!r || !r->pinned)
		return a;
	label offset = r->object && r->skip ? r->skip : 0;
	uint64_t base = rt_value(r->pointer) - rt_value(offset);
	if (offset && s.offset)
		offset = rt_binary(MUSTER_OP_ADD, 64, offset, s.offset, rt_value(offset),
				   rt_value(s.offset));
	else if (!offset)
		offset = s.offset;
	return rt_binary(MUSTER_OP_ADD, 64, offset, 0, rt_value(offset), base + s.constant);
}

/* Objects are interchangeable only as long as nothing looks at where they are. */

#define FIRST_PAGE 4096u /* no object is there, nor in the last page: the error codes of some */

/* The pointer that a number is made of, or part of one; NULL: none, or to functions, which are not interchangeable. */
static const struct pin_root *number_of(label a)
{
	const struct muster_node *n = rt_node(a);
	uint32_t root;

	if (!a)
		return NULL;
	root = split(n->op == MUSTER_OP_EXTRACT ? n->a : a, DEPTH).root;
	return root && roots[root - 1].objects ? &roots[root - 1] : NULL;
}

/* Is the operation's result the same for all objects that this pointer could have? */
static int same_for_all(unsigned op, label a, const struct pin_root *x, const struct pin_root *y, label other,
			uint64_t value)
{
	int whole = rt_node(a)->op != MUSTER_OP_EXTRACT;

	if (y) /* differences and the order of places in one object */
		return whole && (x == y || (x->object && x->object == y->object));
	if (other)
		return 0;
	return (op == MUSTER_OP_AND && value < x->align) ||
	       (whole && op > MUSTER_OP_NE && op <= MUSTER_OP_SLE &&
		(value < FIRST_PAGE || value >= -(uint64_t)FIRST_PAGE));
}

static void tell_order(label l, uint64_t site)
{
	static label noted[64];

	if (noted[l % 64] == l)
		return;
	noted[l % 64] = l;
	rt_event_at(MUSTER_EV_CONCRETE, MUSTER_REASON_ORDER, site, l);
}

static void note_order(unsigned op, label a, label b, uint64_t va, uint64_t vb, uint64_t site)
{
	const struct pin_root *x = number_of(a), *y = number_of(b);
	int equality = (op == MUSTER_OP_EQ || op == MUSTER_OP_NE) &&
		       (!a || rt_node(a)->op != MUSTER_OP_EXTRACT) && (!b || rt_node(b)->op != MUSTER_OP_EXTRACT);
	label l = x ? a : b;

	if ((!x && !y) || equality)
		return;
	if (x ? same_for_all(op, a, x, y, b, vb) : same_for_all(op, b, y, NULL, a, va))
		return;
	tell_order(l, site);
}

/* A null pointer is in no object: beside it only another one is right. What else a pointer of the driver's is
 * paired with was chosen by the caller, unless it is the same object. */
int rt_pin_pair(label a, label b, uint64_t va, uint64_t vb, uint64_t site)
{
	const struct pin_root *x = number_of(a), *y = number_of(b), *r = x ? x : y;

	if (!r)
		return 0;
	if (x && y) {
		if (x != y && !(x->object && x->object == y->object))
			tell_order(a, site);
	} else if (!(x ? b : a) && !(x ? vb : va)) {
		rt_check_once(MUSTER_CHECK_PAIR, rt_binary(MUSTER_OP_EQ, 64, r->pointer, 0, rt_value(r->pointer), 0), site);
	} else {
		tell_order(x ? a : b, site);
	}
	return 1;
}

void rt_settle(unsigned op, label *a, label *b, uint64_t va, uint64_t vb, uint64_t site)
{
	/* Address arithmetic keeps its pointer: the bounds of its object are looked at when it is
	 * used. */
	if (op == MUSTER_OP_ADD || (op == MUSTER_OP_SUB && !(is_pointer(*a) && is_pointer(*b))))
		return;
	note_order(op, *a, *b, va, vb, site);
	if (*a)
		*a = settled(*a);
	if (*b)
		*b = settled(*b);
}

uint64_t pin_rest(label pointer, uint64_t p, uint64_t element, label *count, uint64_t site)
{
	struct drive_object *d = NULL;
	struct rt_object o;
	label offset = 0;

	if (pointer && rt_pin(pointer, p, 0, site, &o, &offset) == RT_MOVING)
		rt_concrete_at(offset, MUSTER_REASON_SIZE, site);
	d = object_near(p);
	if (!d || p - (uint64_t)d->base >= d->size)
		return 0;
	uint64_t before = p - (uint64_t)d->base, rest = d->size - before;
	pin_measure(d);
	if (d->last && element == d->element && before % element == 0) {
		*count = rt_binary(MUSTER_OP_ADD, 64, rt_zext(d->last, 64), 0, d->elements - 1,
				   1 - before / element);
	} else if (d->bytes) {
		*count = rt_binary(MUSTER_OP_SUB, 64, d->bytes, 0, d->size, before);
		if (element > 1)
			*count = rt_binary(MUSTER_OP_UDIV, 64, *count, 0, rest, element);
	}
	if (before && *count) /* a shorter object would not have it */
		bound_constant(d, before, 1, site);
	return rest / element;
}

void rt_fix_size(const void *p)
{
	struct drive_object *d = RT_STATE->driven && RT_ON() ? object_near((uint64_t)p) : NULL;

	if (d && (uint64_t)p - (uint64_t)d->base <= d->size)
		rt_concrete(d->last, MUSTER_REASON_SIZE);
}
