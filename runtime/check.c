/* check.c: bounds that another input of the same path could break (the checkers of abi.h).
 *
 * An address with a label is a place in an object plus something: base + index * size, in any order of sums. The constant among its
 * terms that points into an object is where it comes from, whatever the index makes of it; the access is judged against that
 * object: 0 <= offset and offset + n <= size, each a bound of its own, and each only if the offset could be such a value at all
 * (a byte cannot leave a table of 256). An address without such a constant was itself read or chosen by the input:
 * nothing is known of the objects that others would give; that it is not null is all that is asked for.
 *
 * A bound that does not hold in this run is written like any other; the program goes on.
 */
#include "activation.h"
#include "node.h"

#include <stddef.h>

extern void *__libc_stack_end;

#define DEPTH 6		   /* of nested expressions that are looked into */
#define CHAIN 64	   /* constants added one after the other */
#define FIRST_PLACE 65536u /* no object is below */

static label bounded[256]; /* conditions of bounds that were written, by label */

void rt_check_once(enum muster_checker checker, label condition, uint64_t site)
{
	label *slot = &bounded[condition % (sizeof bounded / sizeof *bounded)];

	if (!condition || *slot == condition)
		return;
	*slot = condition;
	rt_check_at(checker, condition, site);
}

/* ------------------------------------------------------------------ ranges */

struct range {
	__int128 low, high; /* the value is one of these, modulo 2^width */
};

#define TOP ((__int128)1 << 64)

static struct range any_value(unsigned width)
{
	__int128 one = 1;

	if (width >= 64)
		return (struct range){-(one << 63), (one << 63) - 1};
	return (struct range){0, (one << width) - 1};
}

static struct range within(struct range r, __int128 low, __int128 high, struct range otherwise)
{
	return r.low >= low && r.high <= high ? r : otherwise;
}

static struct range range_of(label l, unsigned depth);

static struct range operand(label l, uint64_t k, unsigned width, unsigned depth)
{
	__int128 v = rt_signed(k, width);

	return l ? range_of(l, depth) : (struct range){v, v};
}

static struct range times(struct range r, __int128 k)
{
	return k < 0 ? (struct range){r.high * k, r.low * k} : (struct range){r.low * k, r.high * k}; /* k has at most 32 bits */
}

/* Its operands' values read as unsigned numbers. */
static struct range unsigned_of(label l, unsigned depth)
{
	unsigned width = rt_node(l)->width;
	struct range all = {0, ((__int128)1 << width) - 1};

	return within(range_of(l, depth), 0, all.high, all);
}

static struct range range_by_constant(const struct muster_node *n, unsigned depth)
{
	struct range all = any_value(n->width), r;
	uint64_t k = n->k;
	label of = n->a ? n->a : n->b;

	if (!n->a && n->op != MUSTER_OP_AND && n->op != MUSTER_OP_MUL)
		return all;
	switch (n->op) {
	case MUSTER_OP_AND:
		return k >> 63 ? all : (struct range){0, (__int128)k};
	case MUSTER_OP_UREM:
		return k && !(k >> 63) ? (struct range){0, (__int128)k - 1} : all;
	case MUSTER_OP_LSHR:
		r = unsigned_of(n->a, depth);
		return (struct range){r.low >> k, r.high >> k};
	case MUSTER_OP_UDIV:
		r = unsigned_of(n->a, depth);
		return k ? (struct range){r.low / k, r.high / k} : all;
	case MUSTER_OP_SHL:
		return k < 32 ? times(range_of(n->a, depth), (__int128)1 << k) : all;
	case MUSTER_OP_MUL:
		k = rt_signed(k, n->width);
		return (int32_t)k == (int64_t)k ? times(range_of(of, depth), (int64_t)k) : all;
	default:
		return all;
	}
}

static struct range range_of(label l, unsigned depth)
{
	const struct muster_node *n = rt_node(l);
	struct range all = any_value(n->width), r = all, x, y;

	if (!depth || n->width > 64)
		return all;
	switch (n->op) {
	case MUSTER_OP_CONST:
		r.low = r.high = rt_signed(muster_value(n), n->width);
		break;
	case MUSTER_OP_ZEXT:
		r = unsigned_of(n->a, depth - 1);
		break;
	case MUSTER_OP_SEXT: {
		__int128 half = (__int128)1 << (rt_node(n->a)->width - 1);
		r = within(range_of(n->a, depth - 1), -half, half - 1, (struct range){-half, half - 1});
		break;
	}
	case MUSTER_OP_ADD:
		x = operand(n->a, n->k, n->width, depth - 1), y = operand(n->b, n->k, n->width, depth - 1);
		r = (struct range){x.low + y.low, x.high + y.high};
		break;
	case MUSTER_OP_SUB:
		x = operand(n->a, n->k, n->width, depth - 1), y = operand(n->b, n->k, n->width, depth - 1);
		r = (struct range){x.low - y.high, x.high - y.low};
		break;
	case MUSTER_OP_ITE:
		x = range_of(n->b, depth - 1), y = range_of(n->c, depth - 1);
		r = (struct range){x.low < y.low ? x.low : y.low, x.high > y.high ? x.high : y.high};
		break;
	default:
		if (!n->a != !n->b)
			r = range_by_constant(n, depth - 1);
	}
	return within(r, -TOP, TOP, all);
}

/* Of a value of 64 bits, as a signed number. */
static struct range signed_range(label l)
{
	struct range all = any_value(64);

	return within(range_of(l, DEPTH), all.low, all.high, all);
}

/* ------------------------------------------------------------------ places */

/* address = rest + constant */
struct sum {
	label rest;
	uint64_t constant, from; /* from: what points into the object; 0: nothing does */
	struct rt_object object;
};

static struct sum sum_of(label address, unsigned depth);

static int find_place(struct sum *s, label l, unsigned depth)
{
	struct sum part = sum_of(l, depth);

	s->from = part.from;
	s->object = part.object;
	return part.from != 0;
}

static struct sum sum_of(label address, unsigned depth)
{
	struct sum s = {.rest = address};

	for (unsigned i = 0; i < CHAIN; i++) {
		const struct muster_node *n = rt_node(s.rest);

		if (n->width != 64 || (n->op != MUSTER_OP_ADD && n->op != MUSTER_OP_SUB) || (!n->a && n->op == MUSTER_OP_SUB))
			break;
		if (n->a && n->b) {
			if (!s.from && depth && !find_place(&s, n->a, depth - 1) && n->op == MUSTER_OP_ADD)
				find_place(&s, n->b, depth - 1);
			break;
		}
		if (!s.from && n->op == MUSTER_OP_ADD && n->k >= FIRST_PLACE && rt_object_find((const void *)n->k, &s.object))
			s.from = n->k;
		s.constant += n->op == MUSTER_OP_ADD ? n->k : -n->k;
		s.rest = n->a ? n->a : n->b;
	}
	return s;
}

/* A constant may also be one past the end of the object that has the address. */
static int object_of(uint64_t addr, const struct sum *s, struct rt_object *o)
{
	struct rt_object here;

	if (!s->from)
		return 0;
	*o = s->object;
	if (addr - o->base >= o->size && rt_object_find((const void *)addr, &here) && here.base + here.size == s->from)
		*o = here;
	return 1;
}

static int on_stack(uint64_t base)
{
	return base > (uint64_t)__builtin_frame_address(0) && base < (uint64_t)__libc_stack_end;
}

/* ------------------------------------------------------------------ bounds */

static struct {
	label offset;
	uint64_t size, n;
} judged; /* what was asked for last: an offset in an object of constant size */

int rt_was_judged(label offset, uint64_t size, uint64_t n)
{
	return judged.offset == offset && judged.size == size && judged.n == n;
}

static enum muster_checker checker_for(const struct rt_object *o, enum rt_use use)
{
	if (use == RT_MOVES)
		return MUSTER_CHECK_RANGE;
	return use == RT_WRITES && on_stack(o->base) ? MUSTER_CHECK_STACK : MUSTER_CHECK_ARRAY_OVER;
}

void rt_check_under(label offset, const struct rt_object *o, enum rt_use use, uint64_t site)
{
	enum muster_checker checker = checker_for(o, use);

	if (signed_range(offset).low >= 0)
		return;
	rt_check_once(checker == MUSTER_CHECK_ARRAY_OVER ? MUSTER_CHECK_ARRAY_UNDER : checker,
		      rt_binary(MUSTER_OP_SLE, 64, 0, offset, 0, rt_value(offset)), site);
}

void rt_check_over(label offset, uint64_t n, int whole, label size, uint64_t size_value, enum rt_use use, uint64_t site)
{
	uint64_t value = rt_value(offset);
	int is_signed = signed_range(offset).low < 0;
	label fits;

	if (whole)
		fits = rt_binary(is_signed ? MUSTER_OP_SLT : MUSTER_OP_ULT, 64, offset, size, value, size_value);
	else if (is_signed) /* the sum could wrap */
		fits = rt_binary(MUSTER_OP_SLE, 64, offset, rt_binary(MUSTER_OP_SUB, 64, size, 0, size_value, n), value, size_value - n);
	else
		fits = rt_binary(MUSTER_OP_ULE, 64, rt_binary(MUSTER_OP_ADD, 64, offset, 0, value, n), size, value + n, size_value);
	rt_check_once(use == RT_MOVES ? MUSTER_CHECK_RANGE : MUSTER_CHECK_ARRAY_OVER, fits, site);
}

void rt_check_offset(label offset, const struct rt_object *o, uint64_t n, enum rt_use use, uint64_t site)
{
	uint64_t value = rt_value(offset);
	struct range r = signed_range(offset);

	rt_check_under(offset, o, use, site);
	label bytes = rt_sized_bytes(o->base);
	if (bytes)
		rt_check_over(offset, n, 0, bytes, o->size, use, site);
	else if (n <= o->size && r.high > (__int128)(o->size - n))
		rt_check_once(checker_for(o, use),
			      rt_binary(r.low < 0 ? MUSTER_OP_SLE : MUSTER_OP_ULE, 64, offset, 0, value, o->size - n), site);
	judged.offset = offset;
	judged.size = o->size;
	judged.n = n;
}

static void check_null(const struct sum *s, label address, uint64_t site)
{
	label root = s->constant < FIRST_PLACE || -s->constant < FIRST_PLACE ? s->rest : address;

	rt_check_once(MUSTER_CHECK_NULL, rt_binary(MUSTER_OP_NE, 64, root, 0, rt_value(root), 0), site);
}

int rt_is_named(label address, uint64_t site)
{
	struct sum s = sum_of(address, DEPTH);

	if (!s.from)
		check_null(&s, address, site);
	return s.from != 0;
}

int rt_named_object(label address, struct rt_object *o)
{
	struct sum s = sum_of(address, DEPTH);

	*o = s.object;
	return s.from != 0;
}

static int always_inside(const struct sum *s, const struct rt_object *o, uint64_t n)
{
	struct range r = signed_range(s->rest);
	__int128 from = (int64_t)(s->constant - o->base);

	return n <= o->size && r.low + from >= 0 && r.high + from <= (__int128)(o->size - n) && !rt_sized_bytes(o->base);
}

enum rt_known rt_judge(label address, uint64_t addr, uint64_t n, enum rt_use use, uint64_t site, struct rt_object *o, uint64_t largest,
		       label *offset)
{
	struct sum s = sum_of(address, DEPTH);

	if (!object_of(addr, &s, o)) {
		check_null(&s, address, site);
		return rt_object_find((const void *)addr, o) ? RT_THERE : RT_UNKNOWN;
	}
	if (o->size > largest && always_inside(&s, o, n)) /* without a node for what is not asked */
		return RT_NAMED;
	label at = rt_binary(MUSTER_OP_ADD, 64, s.rest, 0, rt_value(s.rest), s.constant - o->base);
	if (n)
		rt_check_offset(at, o, n, use, site);
	if (o->size <= largest)
		*offset = at;
	return RT_NAMED;
}

/* ------------------------------------------------------- sizes of memory functions */

static label both(label a, label b)
{
	return a && b ? rt_binary(MUSTER_OP_AND, 1, a, b, rt_value(a), rt_value(b)) : a ? a : b;
}

static label spanned; /* the address of the last range whose size and place are both symbolic */

int rt_was_spanned(label address)
{
	return address == spanned;
}

/* n bytes, with the label size, at p: as many as the object has from there on. */
void rt_check_span(label address, label size, uint64_t addr, uint64_t n, uint64_t site)
{
	struct rt_object o;
	struct range r = signed_range(size);
	label offset = 0;
	int moves = address && !(rt_node(address)->flags & MUSTER_NODE_CONCRETISED) && rt_value(address) == addr;

	if (moves ? rt_judge(address, addr, 0, RT_MOVES, site, &o, ~0ull, &offset) != RT_NAMED : !rt_object_find((const void *)addr, &o))
		return;
	label bytes = rt_sized_bytes(o.base);
	if (bytes)
		rt_sized_open((const void *)addr);
	if (offset) {
		spanned = address;
		rt_check_under(offset, &o, RT_MOVES, site);
		label fits = rt_binary(MUSTER_OP_ULE, 64, size, bytes, n, o.size);
		label behind = rt_binary(MUSTER_OP_SUB, 64, bytes, size, o.size, n);
		label inside = rt_binary(MUSTER_OP_ULE, 64, offset, behind, rt_value(offset), o.size - n);
		rt_check_once(MUSTER_CHECK_RANGE, both(fits, inside), site);
	} else if (bytes || r.low < 0 || r.high > (__int128)(o.base + o.size - addr)) {
		label room = rt_binary(MUSTER_OP_SUB, 64, bytes, 0, o.size, addr - o.base);
		if (bytes && addr != o.base) /* it has that many */
			rt_touched(addr, 0, RT_MOVES, site);
		if (room != size)
			rt_check_once(MUSTER_CHECK_RANGE, rt_binary(MUSTER_OP_ULE, 64, size, room, n, o.base + o.size - addr), site);
	}
}

/* They start in a member that has `room` left: no more than these, or more than the whole object has, which is the range's defect. */
void rt_check_member(label size, uint64_t addr, uint64_t n, uint64_t room, uint64_t site)
{
	struct rt_object o;

	if (!rt_active() || rt_node(size)->width != 64 || rt_at_most(size, room) || !rt_object_find((const void *)addr, &o))
		return;
	uint64_t rest = o.base + o.size - addr;
	if (room >= rest)
		return;
	label fits = rt_binary(MUSTER_OP_ULE, 64, size, 0, n, room);
	label beyond = rt_at_most(size, rest) ? 0 : rt_binary(MUSTER_OP_ULT, 64, 0, size, rest, n);
	if (fits && beyond)
		fits = rt_binary(MUSTER_OP_OR, 1, fits, beyond, rt_value(fits), rt_value(beyond));
	rt_check_once(MUSTER_CHECK_SUB_OBJECT, fits, site);
}

/* n bytes (label want) at `at` of a source of that length (a label; 0: not known) are read to p: either no more are asked for, or
 * no more are there, than fit. */
void rt_check_read(const void *p, uint64_t n, label want, label length, uint64_t at)
{
	struct rt_object o;

	if (!rt_active() || RT_STATE->driven || !(want | length) || !rt_object_find(p, &o))
		return;
	uint64_t room = o.base + o.size - (uint64_t)p;
	label bytes = rt_binary(MUSTER_OP_SUB, 64, rt_sized_bytes(o.base), 0, o.size, (uint64_t)p - o.base);
	if ((!want && !bytes && n <= room) || (want && want == bytes))
		return;
	if (bytes && rt_binary(MUSTER_OP_SUB, 64, length, 0, rt_value(length), at) == bytes)
		return; /* as large as what is left: whatever is read fits */
	label asked = rt_binary(MUSTER_OP_ULE, 64, want, bytes, n, room);
	label end = rt_binary(MUSTER_OP_ADD, 64, bytes, 0, room, at);
	label there = length ? rt_binary(MUSTER_OP_ULE, 64, length, end, rt_value(length), room + at) : 0;
	if (asked && there)
		rt_check(MUSTER_CHECK_RANGE, rt_binary(MUSTER_OP_OR, 1, asked, there, rt_value(asked), rt_value(there)));
	else if (asked || n > room)
		rt_check(MUSTER_CHECK_RANGE, asked ? asked : there);
}

int rt_fits(const void *p, size_t n)
{
	struct rt_object o;

	return !rt_active() || RT_STATE->driven || !rt_object_find(p, &o) ||
	       (n <= o.base + o.size - (uint64_t)p && !rt_sized_bytes(o.base));
}

#define STRING_MAX 256 /* characters that are looked at */

/* A string is copied to p: its 0 comes before the object's end. The characters that could be it are known now; afterwards the
 * path says which one is. */
void rt_check_string(const char *to, const char *from)
{
	struct rt_object o, s;
	label ends = 0;

	if (!rt_active() || RT_STATE->driven || !rt_object_find(to, &o) || !rt_object_find(from, &s))
		return; /* where the driver's pointers point is decided when they are used */
	uint64_t room = o.base + o.size - (uint64_t)to, have = s.base + s.size - (uint64_t)from;
	if (room > STRING_MAX || have <= room) /* one that does not end in its own object is another matter */
		return;
	for (uint64_t i = 0; i < room; i++) {
		label l = rt_load(from + i, 1);
		if (!l && !from[i])
			return;
		label is = rt_binary(MUSTER_OP_EQ, 8, l, 0, (uint8_t)from[i], 0);
		ends = !ends ? is : !is ? ends : rt_binary(MUSTER_OP_OR, 1, ends, is, rt_value(ends), rt_value(is));
	}
	rt_check(MUSTER_CHECK_RANGE, ends);
}

/* ------------------------------------------------------------- allocations */

#define LIMIT (2ull << 30)	/* bytes of a block that are beyond all measure: what libFuzzer takes for it */
#define STACK_LIMIT (8ull << 20) /* elements of an array on the stack */

static void check_wrap(const struct muster_node *n, unsigned op, label a, label b, uint64_t k, int is_signed, uint64_t site)
{
	unsigned width = n->width;
	__int128 one = 1, low = is_signed ? -(one << (width - 1)) : 0, high = (one << (is_signed ? width - 1 : width)) - 1;
	struct range x = is_signed ? range_of(a, DEPTH) : unsigned_of(a, DEPTH), y = {(__int128)k, (__int128)k}, r;

	if (b)
		y = is_signed ? range_of(b, DEPTH) : unsigned_of(b, DEPTH);
	else if (is_signed)
		y.low = y.high = rt_signed(k, width);
	if (op == MUSTER_OP_SADDO || op == MUSTER_OP_UADDO)
		r = (struct range){x.low + y.low, x.high + y.high};
	else if (!b && y.low >= 0 && y.low < 1 << 30)
		r = times(x, y.low);
	else
		r = (struct range){low - 1, high};
	if (r.low >= low && r.high <= high)
		return;
	label wraps = rt_binary(op, width, a, b, rt_value(a), b ? rt_value(b) : k);
	rt_check_once(MUSTER_CHECK_ALLOC, rt_binary(MUSTER_OP_XOR, 1, wraps, 0, rt_value(wraps), 1), site);
}

/* Can it be below 0 where nothing wraps? */
static int is_difference(label l)
{
	const struct muster_node *n = rt_node(l);

	return l && (n->op == MUSTER_OP_SEXT || n->op == MUSTER_OP_SUB ||
		     (n->op == MUSTER_OP_ADD && !n->b && rt_signed(n->k, n->width) < 0));
}

/* Sums and products that the size is made of. Numbers that may be negative wrap where a signed one overflows. */
static void check_wraps(label l, int is_signed, unsigned depth, uint64_t site)
{
	const struct muster_node *n = rt_node(l);
	label a = n->a, b = n->b;
	uint64_t k = n->k;

	if (!l || !depth || n->width > 64)
		return;
	if (n->op == MUSTER_OP_ZEXT || n->op == MUSTER_OP_SEXT) {
		check_wraps(a, n->op == MUSTER_OP_SEXT, depth - 1, site);
		return;
	}
	if (n->op == MUSTER_OP_SHL && !b && k < n->width)
		k = 1ull << k;
	else if (n->op != MUSTER_OP_ADD && n->op != MUSTER_OP_MUL)
		return;
	if (!a) {
		a = b;
		b = 0;
	}
	is_signed |= is_difference(a) || is_difference(b);
	check_wraps(a, is_signed, depth - 1, site);
	if (b)
		check_wraps(b, is_signed, depth - 1, site);
	if (n->op == MUSTER_OP_ADD) {
		if (b || rt_signed(k, n->width) >= 0)
			check_wrap(n, is_signed ? MUSTER_OP_SADDO : MUSTER_OP_UADDO, a, b, k, is_signed, site);
	} else {
		check_wrap(n, is_signed ? MUSTER_OP_SMULO : MUSTER_OP_UMULO, a, b, k, is_signed, site);
	}
}

int rt_at_most(label size, uint64_t limit)
{
	struct range r = signed_range(size);

	return r.low >= 0 && r.high <= (__int128)limit;
}

static void check_limit(label size, uint64_t limit, uint64_t site)
{
	if (!rt_at_most(size, limit))
		rt_check_once(MUSTER_CHECK_ALLOC, rt_binary(MUSTER_OP_ULE, 64, size, 0, rt_value(size), limit), site);
}

void rt_check_size(label size)
{
	if (!size || !rt_active())
		return;
	check_wraps(size, 0, DEPTH, __muster_tls.site);
	check_limit(size, LIMIT, __muster_tls.site);
}

void rt_check_stack_size(label count, uint64_t site)
{
	if (!count || !rt_active())
		return;
	check_wraps(count, 0, DEPTH, site);
	if (rt_node(count)->width == 64)
		check_limit(count, STACK_LIMIT, site);
}

void rt_check_free(label address, const void *p)
{
	struct rt_object o;
	label offset = 0;

	address = ACTIVATION_ADDRESS(address, p);
	if (!address || !p || !rt_active() || rt_value(address) != (uint64_t)p)
		return;
	if (RT_STATE->driven ? rt_pin(address, (uint64_t)p, 0, __muster_tls.site, &o, &offset) == RT_MOVING
			     : rt_judge(address, (uint64_t)p, 0, RT_READS, __muster_tls.site, &o, ~0ull, &offset) == RT_NAMED)
		rt_check(MUSTER_CHECK_BAD_FREE, rt_binary(MUSTER_OP_EQ, 64, offset, 0, rt_value(offset), 0));
}
