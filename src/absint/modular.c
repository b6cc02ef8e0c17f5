/* modular.c: induction variables in arithmetic modulo 2^width.
 *
 * Sums, products with constants, complements and truncations are exact modulo 2^width, so a value
 * is congruent to a linear form over *leaves* (values that no such operator makes), whatever wraps.
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
#define BITS_MOST 60
#define FUEL 200
#define TERMS_MOST 6

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

/* 0: the operator is none that is exact; the value is a leaf. */
static int by_operator(struct walk *w, uint32_t value, struct linear *out)
{
	const struct code_function *f = w->a->f;
	const struct code_value *v = &f->values[value];
	uint32_t x = v->operands ? code_operand(f, value, 0) : NONE;
	struct linear minus = linear_constant(-1);
	switch (v->op) {
	case CODE_ADD:
		return sum(w, value, 1, out);
	case CODE_SUB:
		return sum(w, value, -1, out);
	case CODE_MUL:
	case CODE_SHL:
		return times(w, value, out);
	case CODE_XOR:
		if (code_operand_value(f, value, 1)->kind != CODE_CONSTANT ||
		    code_signed(code_operand_value(f, value, 1)) != -1 || !modular(w, x, out))
			return 0;
		linear_scale(out, -1);
		linear_add(out, &minus, 1);
		return 1;
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

int modular_fact(struct absint *a, uint32_t block, const struct absint_symbol *wanted, size_t n,
		 size_t i, struct linear *out)
{
	struct walk w = {a, wanted[i].width, FUEL};
	struct linear e;
	int ok;
	if (wanted[i].kind != ABSINT_VALUE || w.bits < 2 || w.bits > BITS_MOST ||
	    !modular(&w, wanted[i].id, &e))
		return 0;
	ok = by_counters(&w, block, &e) && e.terms.size <= TERMS_MOST;
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
