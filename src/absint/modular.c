/* modular.c: induction variables in arithmetic modulo 2^bits.
 *
 * Sums, products with constants, complements and truncations are exact modulo 2^width, so a value
 * is congruent to a linear form over *leaves* (values that no such operator makes), whatever wraps.
 * A mask of low bits, a remainder by 2^k and an extension from k bits keep the value modulo 2^k only:
 * where the width itself gives nothing, the moduli of such operators on the way are tried.
 * A header's phi that gets one constant more on every back edge is congruent to its first value
 * plus that constant times the loop's counter, at every point that the header dominates: phi and
 * counter change together. No state is needed for this, and no assumption.
 *
 * Forms are over values (their ids) and counters. A leaf that is narrower than the modulus was
 * extended: it stands for its value in the one reading of that extension.
 */
#include "absint/modular.h"
#include "absint/inside.h"

#include "base/error.h"

#define COUNTER 0x80000000u
#define UNSIGNED 0x40000000u
#define SIGNED 0x20000000u
#define VALUE 0x1fffffffu
#define BITS_MOST 64
#define FUEL 200
#define TERMS_MOST 6
#define SEEN_MOST 64

struct walk {
	struct absint *a;
	unsigned bits;
	int fuel;
};

static int modular(struct walk *w, uint32_t value, struct linear *out);

/* Coefficients and constant nearest to zero. */
static void reduce(const struct walk *w, struct linear *l)
{
	wide size = (wide)1 << w->bits;
	struct linear r = {0};
	for (size_t i = 0; i < l->terms.size; i++) {
		wide c = l->terms.data[i].coef & (size - 1);
		linear_add_dim(&r, l->terms.data[i].dim, c >= size / 2 ? c - size : c);
	}
	r.constant = l->constant & (size - 1);
	if (r.constant >= size / 2)
		r.constant -= size;
	r.overflow |= l->overflow;
	linear_release(l);
	*l = r;
}

static int leaf(uint32_t value, uint32_t flag, struct linear *out)
{
	*out = linear_dim(value | flag);
	return 1;
}

static int is_header(const struct code_function *f, uint32_t block)
{
	return f->blocks[block].loop != CODE_NONE &&
	       f->loops[f->blocks[block].loop].header == block;
}

/* All given operands have the same form: that is the value's. */
static int common(struct walk *w, uint32_t value, uint32_t first, struct linear *out)
{
	const struct code_function *f = w->a->f;
	if (!modular(w, code_operand(f, value, first), out))
		return 0;
	for (uint32_t k = first + 1; k < f->values[value].operands; k++) {
		struct linear other;
		int same = modular(w, code_operand(f, value, k), &other);
		if (same) {
			same = linear_equal(out, &other);
			linear_release(&other);
		}
		if (!same) {
			linear_release(out);
			return 0;
		}
	}
	return 1;
}

static int sum(struct walk *w, uint32_t value, int sign, struct linear *out)
{
	struct linear right;
	if (!modular(w, code_operand(w->a->f, value, 0), out))
		return 0;
	if (!modular(w, code_operand(w->a->f, value, 1), &right)) {
		linear_release(out);
		return 0;
	}
	linear_add(out, &right, sign);
	linear_release(&right);
	return 1;
}

static int times(struct walk *w, uint32_t value, struct linear *out)
{
	const struct code_function *f = w->a->f;
	uint32_t x = code_operand(f, value, 0), y = code_operand(f, value, 1);
	const struct code_value *v = &f->values[value];
	if (f->values[x].kind == CODE_CONSTANT && v->op == CODE_MUL) {
		uint32_t t = x;
		x = y;
		y = t;
	}
	if (f->values[y].kind != CODE_CONSTANT || !modular(w, x, out))
		return 0;
	wide by = (wide)code_signed(&f->values[y]);
	if (v->op == CODE_SHL)
		by = by >= 0 && by < v->width && by < 54 ? (wide)1 << by : 0;
	if (!by || by > 1 << 20 || by < -(1 << 20)) {
		linear_release(out);
		return 0;
	}
	linear_scale(out, by);
	return 1;
}

/* The low bits of a constant operand, as many as count; 0: it is none. */
static int low_bits(const struct walk *w, uint32_t value, uint64_t *low)
{
	const struct code_value *v = &w->a->f->values[value];
	if (v->kind != CODE_CONSTANT)
		return 0;
	*low = (uint64_t)code_unsigned(v) & ~0ull >> (64 - w->bits);
	return 1;
}

static int complement(struct walk *w, uint32_t value, struct linear *out)
{
	struct linear minus = linear_constant(-1);
	if (!modular(w, value, out))
		return 0;
	linear_scale(out, -1);
	linear_add(out, &minus, 1);
	return 1;
}

/* x op constant, where the low bits of the constant are all the same; remainders by what the modulus divides. */
static int by_mask(struct walk *w, uint32_t value, struct linear *out)
{
	const struct code_function *f = w->a->f;
	uint32_t x = code_operand(f, value, 0), y = code_operand(f, value, 1);
	uint64_t low, all = ~0ull >> (64 - w->bits);
	enum code_op op = f->values[value].op;
	if (!low_bits(w, y, &low)) {
		if (op == CODE_UREM || op == CODE_SREM || !low_bits(w, x, &low))
			return 0;
		x = y;
	}
	if (op == CODE_AND && low == 0) {
		*out = linear_constant(0);
		return 1;
	}
	if (op == CODE_XOR && low == all)
		return complement(w, x, out);
	return (op == CODE_AND ? low == all : low == 0) && modular(w, x, out);
}

/* 0: the operator is none that is exact; the value is a leaf. */
static int by_operator(struct walk *w, uint32_t value, struct linear *out)
{
	const struct code_function *f = w->a->f;
	const struct code_value *v = &f->values[value];
	uint32_t x = v->operands ? code_operand(f, value, 0) : NONE;
	switch (v->op) {
	case CODE_ADD:
		return sum(w, value, 1, out);
	case CODE_SUB:
		return sum(w, value, -1, out);
	case CODE_MUL:
	case CODE_SHL:
		return times(w, value, out);
	case CODE_AND:
	case CODE_OR:
	case CODE_XOR:
	case CODE_UREM:
	case CODE_SREM:
		return by_mask(w, value, out);
	case CODE_TRUNC:
	case CODE_COPY:
		return modular(w, x, out);
	case CODE_ZEXT:
	case CODE_SEXT:
		if (!tracked(&f->values[x]) || f->values[x].kind == CODE_CONSTANT)
			return 0;
		if (f->values[x].width >= w->bits)
			return modular(w, x, out);
		return leaf(x, v->op == CODE_ZEXT ? UNSIGNED : SIGNED, out);
	case CODE_PHI:
		return !is_header(f, v->block) && common(w, value, 0, out);
	case CODE_SELECT:
		return common(w, value, 1, out);
	default:
		return 0;
	}
}

/* The value, of at least w->bits bits; 0: it has no fixed value (undefined), or the walk is too
 * long. */
static int modular(struct walk *w, uint32_t value, struct linear *out)
{
	const struct code_value *v = &w->a->f->values[value];
	*out = (struct linear){0};
	if (--w->fuel <= 0 || !tracked(v) || v->width < w->bits)
		return 0;
	if (v->kind == CODE_CONSTANT) {
		*out = linear_constant((wide)code_signed(v));
		reduce(w, out);
		return 1;
	}
	if (v->kind == CODE_INSTRUCTION && by_operator(w, value, out)) {
		reduce(w, out);
		return !out->overflow;
	}
	*out = (struct linear){0};
	if (w->fuel <= 0 || (v->kind != CODE_INSTRUCTION && v->kind != CODE_PARAMETER))
		return 0;
	return leaf(value, 0, out);
}

/* Of a phi of a header: *first + *step * counter. */
static int induction(struct walk *w, uint32_t phi, struct linear *first, wide *step)
{
	const struct code_function *f = w->a->f;
	const struct code_value *v = &f->values[phi];
	uint32_t l = f->blocks[v->block].loop;
	int entries = 0, latches = 0, ok = 1;
	*first = (struct linear){0};
	for (uint32_t k = 0; k < v->operands && ok; k++) {
		const struct code_edge *e = code_pred(f, v->block, k);
		struct linear form;
		if (!modular(w, code_operand(f, phi, k), &form)) {
			ok = 0;
			break;
		}
		if (!code_in_loop(f, l, e->from)) {
			ok = !entries++ || linear_equal(first, &form);
			linear_release(first);
			*first = form;
			continue;
		}
		ok = form.terms.size == 1 && form.terms.data[0].dim == phi &&
		     form.terms.data[0].coef == 1 && (!latches++ || *step == form.constant) &&
		     code_dominates(f, v->block, e->from);
		*step = form.constant;
		linear_release(&form);
	}
	if (ok && entries && latches)
		return 1;
	linear_release(first);
	return 0;
}

/* Puts induction in the place of every header's phi for which it is known at the block. */
static int by_counters(struct walk *w, uint32_t block, struct linear *e)
{
	const struct code_function *f = w->a->f;
	int found = 0;
	for (size_t i = 0; i < e->terms.size && w->fuel > 0;) {
		uint32_t dim = e->terms.data[i].dim;
		struct linear first;
		wide step;
		const struct code_value *v = &f->values[dim & VALUE];
		if (dim > VALUE || v->kind != CODE_INSTRUCTION || v->op != CODE_PHI ||
		    !is_header(f, v->block) || f->loops[f->blocks[v->block].loop].irreducible ||
		    !code_dominates(f, v->block, block) || !induction(w, dim, &first, &step)) {
			i++;
			continue;
		}
		linear_add_dim(&first, COUNTER | f->blocks[v->block].loop, step);
		linear_substitute(e, dim, &first);
		reduce(w, e);
		linear_release(&first);
		found = 1;
		i = 0;
	}
	return found && w->fuel > 0 && !e->overflow;
}

/* Is the wanted value congruent to the leaf plus a constant? */
static int names_leaf(const struct walk *w, const struct absint_symbol *y, uint32_t dim, wide *more)
{
	struct walk own = {w->a, w->bits, FUEL};
	struct linear e;
	*more = 0;
	if (y->kind != ABSINT_VALUE)
		return 0;
	if (dim > VALUE) /* narrower than the modulus: the value itself, in the reading of its
			    extension */
		return y->id == (dim & VALUE) && y->is_signed == !!(dim & SIGNED);
	if (!modular(&own, y->id, &e))
		return 0;
	int same = e.terms.size == 1 && e.terms.data[0].dim == dim && e.terms.data[0].coef == 1;
	*more = e.constant;
	linear_release(&e);
	return same;
}

/* Puts a wanted symbol in the place of a leaf or counter; 0: there is none. */
static int add_named(const struct walk *w, const struct absint_symbol *wanted, size_t n, size_t not,
		     struct linear_term t, struct linear *out)
{
	for (size_t k = 0; k < n; k++) {
		wide more = 0;
		if (k == not )
			continue;
		if (t.dim & COUNTER
			? wanted[k].kind == ABSINT_COUNTER && wanted[k].id == (t.dim & ~COUNTER)
			: names_leaf(w, &wanted[k], t.dim, &more)) {
			struct linear constant = linear_constant(more);
			linear_add_dim(out, (uint32_t)k, -(wide)t.coef);
			linear_add(out, &constant, t.coef);
			return 1;
		}
	}
	return 0;
}

/* Operators whose value depends on their operands in a way that by_operator() looks at. */
static int passes(enum code_op op)
{
	switch (op) {
	case CODE_ADD:
	case CODE_SUB:
	case CODE_MUL:
	case CODE_SHL:
	case CODE_AND:
	case CODE_OR:
	case CODE_XOR:
	case CODE_UREM:
	case CODE_SREM:
	case CODE_TRUNC:
	case CODE_COPY:
	case CODE_ZEXT:
	case CODE_SEXT:
	case CODE_PHI:
	case CODE_SELECT:
		return 1;
	default:
		return 0;
	}
}

static int zeros(uint64_t x)
{
	return x ? __builtin_ctzll(x) : 64;
}

/* Bit k - 1 for each modulus 2^k that an operator on the way to the value keeps. */
static uint64_t moduli(const struct code_function *f, uint32_t value)
{
	VEC(uint32_t) seen = {0};
	uint64_t found = 0;
	vec_push(&seen, value);
	for (size_t i = 0; i < seen.size && seen.size < SEEN_MOST; i++) {
		const struct code_value *v = &f->values[seen.data[i]];
		int keeps = 0;
		for (uint32_t k = 0; k < v->operands && v->kind == CODE_INSTRUCTION; k++) {
			uint32_t x = code_operand(f, seen.data[i], k);
			const struct code_value *o = &f->values[x];
			size_t n = 0;
			if (o->kind == CODE_CONSTANT && v->op == CODE_AND)
				keeps = zeros(~o->bits[0]);
			else if (o->kind == CODE_CONSTANT && k == 1 && (v->op == CODE_UREM || v->op == CODE_SREM))
				keeps = zeros(o->bits[0]);
			else if (v->op == CODE_ZEXT || v->op == CODE_SEXT)
				keeps = (int)o->width;
			while (n < seen.size && seen.data[n] != x)
				n++;
			if (n == seen.size && tracked(o) && passes(v->op))
				vec_push(&seen, x);
		}
		if (keeps > 1 && keeps < 64)
			found |= 1ull << (keeps - 1);
	}
	vec_release(&seen);
	return found;
}

static int fact_modulo(struct absint *a, uint32_t block, const struct absint_symbol *wanted,
		       size_t n, size_t i, unsigned bits, struct linear *out)
{
	struct walk w = {a, bits, FUEL};
	struct linear e;
	if (!modular(&w, wanted[i].id, &e))
		return 0;
	int ok = by_counters(&w, block, &e) && e.terms.size <= TERMS_MOST;
	*out = linear_constant(-e.constant);
	out->kind = LINEAR_MODULO;
	out->bits = w.bits;
	linear_add_dim(out, (uint32_t)i, 1);
	for (size_t k = 0; k < e.terms.size && ok; k++)
		ok = add_named(&w, wanted, n, i, e.terms.data[k], out);
	linear_release(&e);
	if (ok && !out->overflow)
		return 1;
	linear_release(out);
	return 0;
}

int modular_fact(struct absint *a, uint32_t block, const struct absint_symbol *wanted, size_t n,
		 size_t i, struct linear *out)
{
	unsigned width = wanted[i].width;
	if (wanted[i].kind != ABSINT_VALUE || width < 2 || width > BITS_MOST)
		return 0;
	if (fact_modulo(a, block, wanted, n, i, width, out))
		return 1;
	uint64_t also = moduli(a->f, wanted[i].id) & ((1ull << (width - 1)) - 1);
	while (also) {
		unsigned bits = 64 - (unsigned)__builtin_clzll(also);
		also &= ~(1ull << (bits - 1));
		if (fact_modulo(a, block, wanted, n, i, bits, out))
			return 1;
	}
	return 0;
}
