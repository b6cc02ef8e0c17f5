/* node.c: the operators: value, simplification, node.
 *
 * Each constructor computes the value its node has in this run, simplifies the
 * few shapes that C's promotions produce over and over (a byte widened, compared
 * and narrowed again), and hash-conses the rest. Simplification never changes
 * the value and never drops a dependence on the input.
 *
 * The hooks are at the end. A label that comes from a register is believed only if the register holds its node's value:
 * after longjmp the two may have parted, and then the label is dropped with an
 * event, like a stale label of memory.
 */
#include "activation.h"
#include "node.h"

/* Where to look first. Constants follow each other (the index of a loop against
 * the input's length), so a small one moves the place by its value; everything
 * else is mixed into three bits. */
static uint64_t place(label newest, uint64_t head, uint64_t tail, uint64_t k)
{
	uint64_t mix = (head ^ tail * 0xff51afd7ed558ccdull) * 0x9e3779b97f4a7c15ull >> 61;
	uint64_t by = k < (1u << 24) ? k : (k * 0x9e3779b97f4a7c15ull) >> 61;
	return (uint64_t)newest * MUSTER_SLOTS + by + mix;
}

label rt_make_far(label newest, uint64_t head, uint64_t tail, uint64_t value, uint64_t k)
{
	struct rt_state *s = RT_STATE;
	uint64_t at = place(newest, head, tail, k), count = s->header->node_count;
	uint32_t *free = &s->slots[at & s->slot_mask];

	for (unsigned i = 0; i < 4; i++) {
		uint32_t *slot = &s->slots[(at + i) & s->slot_mask];
		label l = *slot;
		if (l == 0 || l >= count) {
			free = slot;
			break;
		}
		const struct muster_node *n = &s->nodes[l];
		if (rt_same(n, head, (label)tail, k) &&
		    (n->op != MUSTER_OP_ITE || n->c == tail >> 32))
			return l;
	}
	label made = rt_append(count, head, tail, value, k);
	if (made)
		*free = made;
	return made;
}

static uint64_t compare(unsigned op, unsigned width, uint64_t a, uint64_t b)
{
	int64_t sa = rt_signed(a, width), sb = rt_signed(b, width);
	switch (op) {
	case MUSTER_OP_EQ:
		return a == b;
	case MUSTER_OP_NE:
		return a != b;
	case MUSTER_OP_ULT:
		return a < b;
	case MUSTER_OP_ULE:
		return a <= b;
	case MUSTER_OP_SLT:
		return sa < sb;
	default:
		return sa <= sb;
	}
}

static int signed_fits(__int128 v, unsigned width)
{
	__int128 half = (__int128)1 << (width - 1);
	return v >= -half && v < half;
}

static uint64_t overflow(unsigned op, unsigned width, uint64_t a, uint64_t b)
{
	__int128 sa = rt_signed(a, width), sb = rt_signed(b, width);
	rt_wide ua = a, ub = b, limit = (rt_wide)1 << width;
	switch (op) {
	case MUSTER_OP_SADDO:
		return !signed_fits(sa + sb, width);
	case MUSTER_OP_UADDO:
		return ua + ub >= limit;
	case MUSTER_OP_SSUBO:
		return !signed_fits(sa - sb, width);
	case MUSTER_OP_USUBO:
		return a < b;
	case MUSTER_OP_SMULO:
		return !signed_fits(sa * sb, width);
	default:
		return ua * ub >= limit;
	}
}

/* Value of a binary operator whose operands have the given width. Division by
 * zero and oversized shifts were turned away by the hooks. */
static uint64_t binary_value(unsigned op, unsigned width, uint64_t a, uint64_t b)
{
	switch (op) {
	case MUSTER_OP_ADD:
		return a + b;
	case MUSTER_OP_SUB:
		return a - b;
	case MUSTER_OP_MUL:
		return a * b;
	case MUSTER_OP_UDIV:
		return a / b;
	case MUSTER_OP_SDIV:
		return (uint64_t)(rt_signed(a, width) / rt_signed(b, width));
	case MUSTER_OP_UREM:
		return a % b;
	case MUSTER_OP_SREM:
		return (uint64_t)(rt_signed(a, width) % rt_signed(b, width));
	case MUSTER_OP_AND:
		return a & b;
	case MUSTER_OP_OR:
		return a | b;
	case MUSTER_OP_XOR:
		return a ^ b;
	case MUSTER_OP_SHL:
		return a << b;
	case MUSTER_OP_LSHR:
		return a >> b;
	case MUSTER_OP_ASHR:
		return (uint64_t)(rt_signed(a, width) >> b);
	case MUSTER_OP_EQ:
	case MUSTER_OP_NE:
	case MUSTER_OP_ULT:
	case MUSTER_OP_ULE:
	case MUSTER_OP_SLT:
	case MUSTER_OP_SLE:
		return compare(op, width, a, b);
	default:
		return overflow(op, width, a, b);
	}
}

static inline int has_bool_result(unsigned op)
{
	return op >= MUSTER_OP_EQ && op <= MUSTER_OP_UMULO;
}

static inline label believed(label a, uint64_t value, uint64_t site)
{
	if (RT_UNLIKELY(a && muster_value(rt_node(a)) != value))
		return rt_stale(a, site, 1);
	return ACTIVATION_PRESENT(a);
}

/* A comparison that had the value v; 0 if it has that value whatever the input: x == x, a byte and EOF. */
static inline __attribute__((always_inline)) label comparison(unsigned op, label a, label b, uint64_t va, uint64_t vb, uint64_t v)
{
	if (op == MUSTER_OP_EQ || op == MUSTER_OP_NE) {
		if (a == b)
			return 0;
		struct muster_node *n = rt_node(a);
		if (!b && n->op == MUSTER_OP_ZEXT) {
			unsigned inner = rt_node(n->a)->width;
			if (vb >> inner)
				return 0;
			if (inner == 1 && !vb) /* a test of a widened truth value is the truth value */
				return op == MUSTER_OP_NE ? n->a : rt_make(MUSTER_OP_XOR, 1, n->a, 0, !va, 1);
		}
	}
	return rt_make(op, 1, a, b, v, a ? (b ? 0 : vb) : va);
}

static inline int zero_is_neutral(unsigned op)
{
	return 1ull << op & (1ull << MUSTER_OP_ADD | 1ull << MUSTER_OP_SUB | 1ull << MUSTER_OP_OR | 1ull << MUSTER_OP_XOR |
			     1ull << MUSTER_OP_SHL | 1ull << MUSTER_OP_LSHR | 1ull << MUSTER_OP_ASHR)
	           ? 1
	           : 0;
}

/* With tracing on and a label among the two. */
static inline __attribute__((always_inline)) label binary(unsigned op, unsigned width, label a, label b, uint64_t va, uint64_t vb)
{
	va = rt_mask(va, width);
	vb = rt_mask(vb, width);
	if (op >= MUSTER_OP_EQ && op <= MUSTER_OP_SLE)
		return comparison(op, a, b, va, vb, compare(op, width, va, vb));
	if (b == 0 && vb == 0 && zero_is_neutral(op))
		return a;
	uint64_t v = rt_mask(binary_value(op, width, va, vb), has_bool_result(op) ? 1 : width);
	return rt_make(op, has_bool_result(op) ? 1 : width, a, b, v, a ? (b ? 0 : vb) : va);
}

label rt_binary(enum muster_op op, unsigned width, label a, label b, uint64_t va, uint64_t vb)
{
	if (!(a | b) || RT_UNLIKELY(!RT_ON()))
		return 0;
	return binary(op, width, a, b, va, vb);
}

label rt_const(unsigned width, uint64_t low, uint64_t high)
{
	if (!RT_ON())
		return 0;
	if (width < 128 && width > 64)
		high &= (1ull << (width - 64)) - 1;
	low = rt_mask(low, width);
	if (width <= 64)
		return rt_make_under(0, MUSTER_OP_CONST, width, 0, 0, low, low);
	/* Looking a node up compares operands and k, not the value: the low half stands where operands would. */
	return rt_make_under(0, MUSTER_OP_CONST, width, (label)(low >> 32), (label)low, low, high);
}

rt_wide rt_wide_value(label a)
{
	struct muster_node *n = rt_node(a);
	return n->width > 64 ? (rt_wide)n->k << 64 | n->value64 : muster_value(n);
}

static rt_wide wide_mask(rt_wide v, unsigned width)
{
	return width >= 128 ? v : v & (((rt_wide)1 << width) - 1);
}

static __int128 wide_signed(rt_wide v, unsigned width)
{
	return (__int128)(v << (128 - width)) >> (128 - width);
}

/* A node wider than 64 bits keeps the high part of its value in k: k is then a
 * function of the operands, so hash-consing still finds it. */
static label make_wide(unsigned op, unsigned width, label a, label b, rt_wide v)
{
	v = wide_mask(v, width);
	return rt_make(op, width, a, b, (uint64_t)v, width > 64 ? (uint64_t)(v >> 64) : 0);
}

static int wide_overflow(unsigned op, unsigned width, rt_wide a, rt_wide b)
{
	__int128 sa = wide_signed(a, width), sb = wide_signed(b, width), sr;
	rt_wide ur;
	int lost;
	switch (op) {
	case MUSTER_OP_SADDO:
		lost = __builtin_add_overflow(sa, sb, &sr);
		return lost || wide_signed((rt_wide)sr, width) != sr;
	case MUSTER_OP_SSUBO:
		lost = __builtin_sub_overflow(sa, sb, &sr);
		return lost || wide_signed((rt_wide)sr, width) != sr;
	case MUSTER_OP_SMULO:
		lost = __builtin_mul_overflow(sa, sb, &sr);
		return lost || wide_signed((rt_wide)sr, width) != sr;
	case MUSTER_OP_UADDO:
		lost = __builtin_add_overflow(a, b, &ur);
		return lost || wide_mask(ur, width) != ur;
	case MUSTER_OP_USUBO:
		return a < b;
	default:
		lost = __builtin_mul_overflow(a, b, &ur);
		return lost || wide_mask(ur, width) != ur;
	}
}

static rt_wide wide_value(unsigned op, unsigned width, rt_wide a, rt_wide b)
{
	__int128 sa = wide_signed(a, width), sb = wide_signed(b, width);
	switch (op) {
	case MUSTER_OP_ADD:
		return a + b;
	case MUSTER_OP_SUB:
		return a - b;
	case MUSTER_OP_MUL:
		return a * b;
	case MUSTER_OP_UDIV:
		return a / b;
	case MUSTER_OP_SDIV:
		return (rt_wide)(sa / sb);
	case MUSTER_OP_UREM:
		return a % b;
	case MUSTER_OP_SREM:
		return (rt_wide)(sa % sb);
	case MUSTER_OP_AND:
		return a & b;
	case MUSTER_OP_OR:
		return a | b;
	case MUSTER_OP_XOR:
		return a ^ b;
	case MUSTER_OP_SHL:
		return a << (unsigned)b;
	case MUSTER_OP_LSHR:
		return a >> (unsigned)b;
	case MUSTER_OP_ASHR:
		return (rt_wide)(sa >> (unsigned)b);
	case MUSTER_OP_EQ:
		return a == b;
	case MUSTER_OP_NE:
		return a != b;
	case MUSTER_OP_ULT:
		return a < b;
	case MUSTER_OP_ULE:
		return a <= b;
	case MUSTER_OP_SLT:
		return sa < sb;
	case MUSTER_OP_SLE:
		return sa <= sb;
	default:
		return (rt_wide)wide_overflow(op, width, a, b);
	}
}

label rt_wide_binary(unsigned op, unsigned width, label a, label b, rt_wide va, rt_wide vb)
{
	if (!(a | b) || RT_UNLIKELY(!RT_ON()))
		return 0;
	if (width <= 64)
		return rt_binary(op, width, a, b, (uint64_t)va, (uint64_t)vb);
	va = wide_mask(va, width);
	vb = wide_mask(vb, width);
	if (!a)
		a = rt_const(width, (uint64_t)va, (uint64_t)(va >> 64));
	if (!b)
		b = rt_const(width, (uint64_t)vb, (uint64_t)(vb >> 64));
	if (!a || !b)
		return 0;
	rt_wide v = wide_value(op, width, va, vb);
	return make_wide(op, has_bool_result(op) ? 1 : width, a, b, v);
}

label rt_extract(label a, unsigned low, unsigned width)
{
	if (!a || RT_UNLIKELY(!RT_ON()))
		return 0;
	struct muster_node *n = rt_node(a);
	if (low == 0 && width == n->width)
		return a;
	if (n->op == MUSTER_OP_EXTRACT)
		return rt_extract(n->a, low + (n->width > 64 ? 0 : (unsigned)n->k), width); /* a wide one starts at bit 0 */
	if (n->op == MUSTER_OP_ZEXT || n->op == MUSTER_OP_SEXT) {
		unsigned inner = rt_node(n->a)->width;
		if (low + width <= inner)
			return rt_extract(n->a, low, width);
		if (low == 0 && width > inner)
			return n->op == MUSTER_OP_ZEXT ? rt_zext(n->a, width) : rt_sext(n->a, width);
	}
	if (n->op == MUSTER_OP_BYTES && low % 8 == 0 && width % 8 == 0) {
		label first = n->a + low / 8;
		if (width == 8)
			return first;
		return make_wide(MUSTER_OP_BYTES, width, first, 0, rt_wide_value(a) >> low);
	}
	if (n->op == MUSTER_OP_CONCAT) {
		unsigned split = rt_node(n->b)->width;
		if (low + width <= split)
			return rt_extract(n->b, low, width);
		if (low >= split)
			return rt_extract(n->a, low - split, width);
	}
	rt_wide v = rt_wide_value(a) >> low;
	if (width > 64) { /* the bit number needs k, so a wide part of a wider value is made by shifting */
		label shifted = low ? rt_wide_binary(MUSTER_OP_LSHR, n->width, a, 0, rt_wide_value(a), low) : a;
		return make_wide(MUSTER_OP_EXTRACT, width, shifted, 0, v);
	}
	return rt_make(MUSTER_OP_EXTRACT, width, a, 0, rt_mask((uint64_t)v, width), low);
}

label rt_zext(label a, unsigned width)
{
	if (!a || RT_UNLIKELY(!RT_ON()))
		return 0;
	struct muster_node *n = rt_node(a);
	if (n->width == width)
		return a;
	if (n->op == MUSTER_OP_INPUT && width == 32) {
		label wide = n->c;
		if (!wide)
			wide = rt_widen_input(a);
		if (wide && wide < RT_STATE->header->node_count)
			return wide;
	}
	if (n->op == MUSTER_OP_ZEXT)
		return rt_zext(n->a, width);
	return make_wide(MUSTER_OP_ZEXT, width, a, 0, rt_wide_value(a));
}

label rt_sext(label a, unsigned width)
{
	if (!a || RT_UNLIKELY(!RT_ON()))
		return 0;
	struct muster_node *n = rt_node(a);
	if (n->width == width)
		return a;
	if (n->op == MUSTER_OP_ZEXT)
		return rt_zext(n->a, width);
	if (n->op == MUSTER_OP_SEXT)
		return rt_sext(n->a, width);
	return make_wide(MUSTER_OP_SEXT, width, a, 0, (rt_wide)wide_signed(rt_wide_value(a), n->width));
}

label rt_concat(label high, label low)
{
	if (!high || !low || RT_UNLIKELY(!RT_ON()))
		return 0;
	unsigned split = rt_node(low)->width, width = split + rt_node(high)->width;
	return make_wide(MUSTER_OP_CONCAT, width, high, low, rt_wide_value(high) << split | rt_wide_value(low));
}

label rt_ite(label cond, label a, label b, unsigned width, uint64_t va, uint64_t vb, int truth)
{
	if (!RT_ON() || !(cond | a | b))
		return 0;
	if (!cond)
		return truth ? a : b;
	if (!a)
		a = rt_const(width, va, 0);
	if (!b)
		b = rt_const(width, vb, 0);
	if (!a || !b)
		return 0;
	label newest = a > b ? a : b;
	rt_wide v = rt_wide_value(truth ? a : b);
	return rt_make_far(newest > cond ? newest : cond, rt_head(MUSTER_OP_ITE, width, cond), rt_tail(a, b), (uint64_t)v,
	                   width > 64 ? (uint64_t)(v >> 64) : 0);
}

static rt_wide reverse_bits(rt_wide v, unsigned width)
{
	rt_wide r = 0;
	for (unsigned i = 0; i < width; i++)
		r |= (v >> i & 1) << (width - 1 - i);
	return r;
}

static rt_wide swap_bytes(rt_wide v, unsigned width)
{
	rt_wide r = 0;
	for (unsigned i = 0; i < width; i += 8)
		r |= (v >> i & 0xff) << (width - 8 - i);
	return r;
}

static rt_wide count_zeros(rt_wide v, unsigned width, int from_top)
{
	unsigned n = 0;
	while (n < width && !(v >> (from_top ? width - 1 - n : n) & 1))
		n++;
	return n;
}

static rt_wide count_ones(rt_wide v)
{
	return (rt_wide)(__builtin_popcountll((uint64_t)v) + __builtin_popcountll((uint64_t)(v >> 64)));
}

label rt_unary(unsigned op, unsigned width, label a)
{
	if (!a || !RT_ON())
		return 0;
	rt_wide v = rt_wide_value(a), r;
	switch (op) {
	case MUSTER_OP_BSWAP:
		r = swap_bytes(v, width);
		break;
	case MUSTER_OP_BITREVERSE:
		r = reverse_bits(v, width);
		break;
	case MUSTER_OP_CTPOP:
		r = count_ones(v);
		break;
	case MUSTER_OP_CTLZ:
		r = count_zeros(v, width, 1);
		break;
	default:
		r = count_zeros(v, width, 0);
		break;
	}
	return make_wide(op, width, a, 0, r);
}

uint64_t rt_value(label a)
{
	return a && RT_ON() ? muster_value(rt_node(a)) : 0;
}

unsigned rt_width(label a)
{
	return a && RT_ON() ? rt_node(a)->width : 0;
}

/* ----------------------------------------------------------------- hooks */

label __muster_binary(uint32_t opw, label a, label b, uint64_t va, uint64_t vb)
{
	if (!(a | b) || RT_UNLIKELY(!RT_ON()))
		return 0;
	a = believed(a, va, 0);
	b = believed(b, vb, 0);
	if (RT_UNLIKELY(RT_STATE->driven))
		rt_settle(opw & 0xff, &a, &b, va, vb, __muster_tls.site);
	return a | b ? binary(opw & 0xff, opw >> 8, a, b, va, vb) : 0;
}

static inline __attribute__((always_inline)) label computed(uint32_t opw, label a, label b, uint64_t va, uint64_t vb, uint64_t v)
{
	unsigned op = opw & 0xff, width = opw >> 8;
	if (!(a | b) || RT_UNLIKELY(!RT_ON()))
		return 0;
	a = believed(a, va, 0);
	b = believed(b, vb, 0);
	if (RT_UNLIKELY(RT_STATE->driven))
		rt_settle(op, &a, &b, va, vb, __muster_tls.site);
	if (RT_UNLIKELY(!(a | b)))
		return 0;
	if (op >= MUSTER_OP_EQ && op <= MUSTER_OP_SLE)
		return comparison(op, a, b, va, vb, v);
	if (b == 0 && vb == 0 && zero_is_neutral(op))
		return a;
	return rt_make(op, width, a, b, v, a ? (b ? 0 : vb) : va);
}

label __muster_computed(uint32_t opw, label a, label b, uint64_t va, uint64_t vb, uint64_t v)
{
	return computed(opw, a, b, va, vb, v);
}

label __muster_computed_left(uint32_t opw, label a, uint64_t va, uint64_t vb, uint64_t v)
{
	return computed(opw, a, 0, va, vb, v);
}

/* Division traps and oversized shifts are not defined: where another input could
 * get there, the condition that this one does not is part of the path. */
static int guard_division(unsigned op, unsigned width, label a, label b, rt_wide va, rt_wide vb, uint64_t site)
{
	rt_wide ones = width >= 128 ? ~(rt_wide)0 : ((rt_wide)1 << width) - 1;
	rt_wide lowest = (rt_wide)1 << (width - 1);
	int is_signed = op == MUSTER_OP_SDIV || op == MUSTER_OP_SREM;
	if (b)
		rt_check_at(MUSTER_CHECK_DIVIDE, rt_wide_binary(MUSTER_OP_NE, width, b, 0, vb, 0), site);
	if (is_signed && a && vb == ones)
		rt_check_at(MUSTER_CHECK_DIVIDE, rt_wide_binary(MUSTER_OP_NE, width, a, 0, va, lowest), site);
	if (is_signed && b && va == lowest)
		rt_check_at(MUSTER_CHECK_DIVIDE, rt_wide_binary(MUSTER_OP_NE, width, b, 0, vb, ones), site);
	return vb == 0 || (is_signed && va == lowest && vb == ones) ? -1 : 0; /* it is about to trap */
}

static label guarded(unsigned op, unsigned width, label a, label b, rt_wide va, rt_wide vb, uint64_t site)
{
	if (op >= MUSTER_OP_SHL && op <= MUSTER_OP_ASHR) {
		if (b) /* as the compiler's check has it */
			rt_check_at(MUSTER_CHECK_SHIFT, rt_wide_binary(MUSTER_OP_ULE, width, b, 0, vb, width - 1), site);
		if (vb >= width) {
			rt_concrete_at(a, MUSTER_REASON_SHIFT, site);
			rt_concrete_at(b, MUSTER_REASON_SHIFT, site);
			return 0;
		}
	} else if (op >= MUSTER_OP_UDIV && op <= MUSTER_OP_SREM) {
		if (guard_division(op, width, a, b, va, vb, site) != 0)
			return 0;
	}
	return rt_wide_binary(op, width, a, b, va, vb);
}

label __muster_guarded(uint32_t opw, label a, label b, uint64_t va, uint64_t vb, uint64_t site)
{
	if (!(a | b) || !RT_ON())
		return 0;
	return guarded(opw & 0xff, opw >> 8, believed(a, va, site), believed(b, vb, site), va, vb, site);
}

label __muster_wide(uint32_t opw, label a, label b, uint64_t alow, uint64_t ahigh, uint64_t blow, uint64_t bhigh, uint64_t site)
{
	if (!(a | b) || !RT_ON())
		return 0;
	rt_wide va = (rt_wide)ahigh << 64 | alow, vb = (rt_wide)bhigh << 64 | blow;
	a = believed(a, alow, site);
	b = believed(b, blow, site);
	return guarded(opw & 0xff, opw >> 8, a, b, va, vb, site);
}

label __muster_extract(label a, uint32_t low, uint32_t width)
{
	return rt_unless_constant(rt_extract(a, low, width));
}

label __muster_zext(label a, uint32_t width)
{
	return rt_zext(a, width);
}

label __muster_sext(label a, uint32_t width)
{
	return rt_sext(a, width);
}

label __muster_concat(label high, label low, uint32_t high_width, uint32_t low_width, uint64_t vhigh, uint64_t vlow)
{
	if (!(high | low) || !RT_ON())
		return 0;
	if (!high)
		high = rt_const(high_width, vhigh, 0);
	if (!low)
		low = rt_const(low_width, vlow, 0);
	return rt_concat(high, low);
}

label __muster_unary(uint32_t opw, label a)
{
	return rt_unary(opw & 0xff, opw >> 8, a);
}

label __muster_ite(label cond, label a, label b, uint32_t width, uint64_t va, uint64_t vb, uint32_t truth)
{
	return rt_ite(cond, a, b, width, va, vb, (int)truth);
}

static RT_COLD void branch_slowly(label a, uint32_t taken, uint64_t site)
{
	rt_event_at(MUSTER_EV_BRANCH, taken, site, a);
}

static inline __attribute__((always_inline)) void branch(label a, uint32_t taken, uint64_t site)
{
	struct rt_state *s = RT_STATE;
	uint64_t n = s->header->event_count;
	if (RT_UNLIKELY(n >= s->event_ready)) { /* always so where there is a cap on events */
		branch_slowly(a, taken, site);
		return;
	}
	s->header->event_count = n + 1;
	__asm__ volatile("" ::: "memory");
	s->events[n] = rt_event_of(MUSTER_EV_BRANCH, taken, site, a);
}

void __muster_branch(label a, uint32_t taken, uint64_t site)
{
	if (!a || RT_UNLIKELY(!RT_ON()))
		return;
	if ((a = believed(a, taken, site)))
		branch(a, taken, site);
}

/* A comparison and the branch on it. */
static inline __attribute__((always_inline)) void decide(uint32_t opw, label a, label b, uint64_t va, uint64_t vb, uint64_t site)
{
	if (!(a | b) || RT_UNLIKELY(!RT_ON()))
		return;
	a = believed(a, va, site);
	b = believed(b, vb, site);
	if (RT_UNLIKELY(RT_STATE->driven))
		rt_settle(opw & 0xff, &a, &b, va, vb, site);
	if (RT_UNLIKELY(!(a | b)))
		return;
	uint32_t taken = (uint32_t)compare(opw & 0xff, opw >> 8, va, vb);
	label c = comparison(opw & 0xff, a, b, va, vb, taken);
	if (c)
		branch(c, taken, site);
}

void __muster_decide(uint32_t opw, label a, label b, uint64_t va, uint64_t vb, uint64_t site)
{
	decide(opw, a, b, va, vb, site);
}

void __muster_decide_left(uint32_t opw, label a, uint64_t va, uint64_t vb, uint64_t site)
{
	decide(opw, a, 0, va, vb, site);
}

void __muster_decide_right(uint32_t opw, label b, uint64_t va, uint64_t vb, uint64_t site)
{
	decide(opw, 0, b, va, vb, site);
}

void __muster_branch_all(label a, uint32_t taken, uint64_t site)
{
	if (RT_ON())
		rt_event_at(MUSTER_EV_BRANCH, taken, site, believed(a, taken, site));
}

void __muster_bound(label a, uint64_t site)
{
	rt_bound_at(a, site);
}

void __muster_switch(label a, uint64_t value, uint64_t site)
{
	if (a && RT_ON() && (a = believed(a, value, site)))
		rt_event_at(MUSTER_EV_SWITCH, 0, site, a);
}

void __muster_switch_all(label a, uint64_t value, uint64_t site)
{
	if (RT_ON())
		rt_event_at(MUSTER_EV_SWITCH, 0, site, believed(a, value, site));
}
