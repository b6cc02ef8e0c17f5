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
 * Memory cells are followed like variables: what a cell holds at a point is what the writes that
 * reach it stored there. They are found by walking back from the point. The walk ends at stores, at
 * the start of the analysis (the cell's first value is a leaf), and at the header of a loop that
 * writes the cell: what the cell holds there is a leaf like a phi of the header. No walk passes a
 * header that way and none goes through an irreducible loop, so between a write that is found and
 * the point no block runs twice, and the values in the form are still those that were stored. A
 * write that is no plain store to the cell ends the walk without a result.
 *
 * Forms are over values (their ids), counters and cells. A leaf that is narrower than the modulus
 * was extended: it stands for its value in the one reading of that extension.
 */
#include "absint/modular.h"
#include "absint/inside.h"

#include "base/error.h"

#define COUNTER 0x80000000u
#define UNSIGNED 0x40000000u
#define SIGNED 0x20000000u
#define OLD 0x10000000u  /* a cell at the start of the analysis */
#define HEAD 0x30000000u /* a cell at the latest visit of a loop's header */
#define KIND 0xf0000000u
#define VALUE 0x0fffffffu
#define CELL_SHIFT 14
#define CELL_LIMIT (1u << CELL_SHIFT)
#define BITS_MOST 64
#define FUEL 200
#define TERMS_MOST 6
#define SEEN_MOST 64
#define BLOCKS_MOST 200

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

/* ------------------------------------------------------------------- memory */
/* What reaches a point: ids of stores, a loop's header, the start. */
#define FROM_START UINT32_MAX
#define FROM_HEADER 0x80000000u

struct reaching {
	VEC(uint32_t) from;   /* each once */
	VEC(uint32_t) blocks; /* whose ends are asked for */
};

static void once(struct reaching *r, uint32_t from)
{
	for (size_t i = 0; i < r->from.size; i++)
		if (r->from.data[i] == from)
			return;
	vec_push(&r->from, from);
}

static void ask_end(const struct absint *a, struct reaching *r, uint32_t block)
{
	if (!a->region[block])
		return; /* what comes by that edge was not in the loop that the analysis is of */
	for (size_t i = 0; i < r->blocks.size; i++)
		if (r->blocks.data[i] == block)
			return;
	vec_push(&r->blocks, block);
}

static int writes(const struct absint *a, uint32_t instruction, uint32_t cell)
{
	const struct written *w = &a->writes[instruction - a->f->first_instruction];
	for (size_t i = 0; i < w->cells.size; i++)
		if (w->cells.data[i] == cell)
			return 1;
	return 0;
}

static int loop_writes(const struct absint *a, uint32_t loop, uint32_t cell)
{
	const struct code_loop *l = &a->f->loops[loop];
	for (uint32_t i = 0; i < l->blocks; i++) {
		const struct code_block *b = &a->f->blocks[a->f->loop_blocks[l->first_block + i]];
		for (uint32_t v = b->first; v < b->first + b->count; v++)
			if (writes(a, v, cell))
				return 1;
	}
	return 0;
}

static int in_irreducible(const struct code_function *f, uint32_t block)
{
	for (uint32_t l = f->blocks[block].loop; l != CODE_NONE; l = f->loops[l].parent)
		if (f->loops[l].irreducible)
			return 1;
	return 0;
}

/* From the entry of the block on backwards. */
static void go_before(const struct absint *a, struct reaching *r, uint32_t block, uint32_t cell)
{
	const struct code_function *f = a->f;
	const struct code_block *b = &f->blocks[block];
	uint32_t loop = is_header(f, block) ? b->loop : NONE;
	if (block == 0 && a->loop == NONE) {
		once(r, FROM_START);
	} else if (loop != NONE && loop_writes(a, loop, cell)) {
		once(r, FROM_HEADER | loop);
	} else {
		for (uint32_t k = 0; k < b->preds; k++) {
			const struct code_edge *e = code_pred(f, block, k);
			if (loop != NONE && code_in_loop(f, loop, e->from))
				continue;
			if (loop != NONE && loop == a->loop)
				once(r, FROM_START);
			else
				ask_end(a, r, e->from);
		}
	}
}

/* Writes of the cell that reach the point before an instruction of the block; 0: not known. */
static int find_reaching(const struct absint *a, uint32_t cell, uint32_t block, uint32_t before,
			 struct reaching *r)
{
	const struct code_function *f = a->f;
	for (size_t i = 0; i < BLOCKS_MOST; i++) {
		const struct code_block *b = &f->blocks[block];
		uint32_t v = before;
		if (in_irreducible(f, block))
			return 0;
		while (v > b->first && !writes(a, v - 1, cell))
			v--;
		if (v > b->first)
			once(r, v - 1);
		else
			go_before(a, r, block, cell);
		if (i == r->blocks.size)
			return r->from.size != 0;
		block = r->blocks.data[i];
		before = f->blocks[block].first + f->blocks[block].count;
	}
	return 0;
}

static int from_form(struct walk *w, uint32_t cell, uint32_t from, struct linear *out)
{
	const struct code_value *v;
	if (from == FROM_START)
		return leaf(cell, OLD, out);
	if (from & FROM_HEADER)
		return leaf(cell << CELL_SHIFT | (from & ~FROM_HEADER), HEAD, out);
	v = &w->a->f->values[from];
	if (v->op != CODE_STORE || v->cell != cell || v->flags & CODE_VOLATILE ||
	    code_operand_value(w->a->f, from, 0)->width != w->a->f->cells[cell].width)
		return 0;
	return modular(w, code_operand(w->a->f, from, 0), out);
}

/* What the cell holds there. */
static int content(struct walk *w, uint32_t cell, uint32_t block, uint32_t before,
		   struct linear *out)
{
	const struct absint *a = w->a;
	struct reaching r = {0};
	int ok = a->cell_symbol[cell] != NONE && a->f->cells[cell].width >= w->bits &&
		 cell < CELL_LIMIT && a->f->loop_count < CELL_LIMIT && --w->fuel > 0 &&
		 find_reaching(a, cell, block, before, &r) && from_form(w, cell, r.from.data[0], out);
	for (size_t i = 1; i < r.from.size && ok; i++) {
		struct linear other = {0};
		ok = from_form(w, cell, r.from.data[i], &other) && linear_equal(out, &other);
		linear_release(&other);
		if (!ok)
			linear_release(out);
	}
	vec_release(&r.from);
	vec_release(&r.blocks);
	return ok;
}

static int content_at_end(struct walk *w, uint32_t cell, uint32_t block, struct linear *out)
{
	const struct code_block *b = &w->a->f->blocks[block];
	return content(w, cell, block, b->first + b->count, out);
}

/* ------------------------------------------------------------------- values */
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
	case CODE_LOAD:
		return v->cell != CODE_NONE && !(v->flags & CODE_VOLATILE) &&
		       v->width == f->cells[v->cell].width && content(w, v->cell, v->block, value, out);
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

/* What a phi of a header, or a cell there, gets on an edge into it. */
static int incoming(struct walk *w, uint32_t dim, uint32_t header, uint32_t k, struct linear *out)
{
	const struct code_function *f = w->a->f;
	const struct code_edge *e = code_pred(f, header, k);
	*out = (struct linear){0};
	if ((dim & KIND) != HEAD)
		return modular(w, code_operand(f, dim, k), out);
	uint32_t cell = (dim & VALUE) >> CELL_SHIFT, loop = f->blocks[header].loop;
	if (!code_in_loop(f, loop, e->from) && loop == w->a->loop)
		return leaf(cell, OLD, out);
	return content_at_end(w, cell, e->from, out);
}

/* Of a phi of a header, or a cell there: *first + *step * counter. */
static int induction(struct walk *w, uint32_t dim, uint32_t header, struct linear *first,
		     wide *step)
{
	const struct code_function *f = w->a->f;
	uint32_t l = f->blocks[header].loop;
	int entries = 0, latches = 0, ok = 1;
	*first = (struct linear){0};
	for (uint32_t k = 0; k < f->blocks[header].preds && ok; k++) {
		const struct code_edge *e = code_pred(f, header, k);
		struct linear form;
		if (!w->a->region[e->from] && !(l == w->a->loop))
			continue; /* not on the way from the start of the analysis */
		if (!incoming(w, dim, header, k, &form)) {
			ok = 0;
			break;
		}
		if (!code_in_loop(f, l, e->from)) {
			ok = !entries++ || linear_equal(first, &form);
			linear_release(first);
			*first = form;
			continue;
		}
		ok = form.terms.size == 1 && form.terms.data[0].dim == dim &&
		     form.terms.data[0].coef == 1 && (!latches++ || *step == form.constant) &&
		     code_dominates(f, header, e->from);
		*step = form.constant;
		linear_release(&form);
	}
	if (ok && entries && latches)
		return 1;
	linear_release(first);
	return 0;
}

/* The header at which the leaf changes with the counter; NONE: it is no such leaf. */
static uint32_t header_of(const struct code_function *f, uint32_t dim)
{
	const struct code_value *v = &f->values[dim & VALUE];
	if ((dim & KIND) == HEAD)
		return f->loops[dim & (CELL_LIMIT - 1)].header;
	if (dim > VALUE || v->kind != CODE_INSTRUCTION || v->op != CODE_PHI ||
	    !is_header(f, v->block))
		return NONE;
	return v->block;
}

/* Puts induction in the place of every phi of a header for which it is known at the block. */
static int by_counters(struct walk *w, uint32_t block, struct linear *e)
{
	const struct code_function *f = w->a->f;
	int found = 0;
	for (size_t i = 0; i < e->terms.size && w->fuel > 0;) {
		uint32_t dim = e->terms.data[i].dim, header = header_of(f, dim);
		struct linear first;
		wide step;
		if (header == NONE || f->loops[f->blocks[header].loop].irreducible ||
		    !code_dominates(f, header, block) || !induction(w, dim, header, &first, &step)) {
			i++;
			continue;
		}
		linear_add_dim(&first, COUNTER | f->blocks[header].loop, step);
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
	if (y->kind == ABSINT_OLD_CELL)
		return dim == (OLD | y->id);
	if (y->kind != ABSINT_VALUE)
		return 0;
	if (dim & UNSIGNED || (dim & KIND) == SIGNED) /* narrower than the modulus: the value itself, in the reading of its
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

/* The wanted symbol at the point. */
static int wanted_form(struct walk *w, struct absint_point p, const struct absint_symbol *y,
		       struct linear *out)
{
	if (y->kind == ABSINT_VALUE)
		return modular(w, y->id, out);
	if (p.successor == ABSINT_ENTRY)
		return content(w, y->id, p.block, w->a->f->blocks[p.block].first, out);
	return content_at_end(w, y->id, p.block, out);
}

static int fact_modulo(struct absint *a, struct absint_point p, const struct absint_symbol *wanted,
		       size_t n, size_t i, unsigned bits, struct linear *out)
{
	struct walk w = {a, bits, FUEL};
	struct linear e = {0};
	if (!wanted_form(&w, p, &wanted[i], &e))
		return 0;
	reduce(&w, &e);
	int ok = by_counters(&w, p.block, &e) && e.terms.size <= TERMS_MOST;
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

int modular_fact(struct absint *a, struct absint_point p, const struct absint_symbol *wanted,
		 size_t n, size_t i, struct linear *out)
{
	unsigned width = wanted[i].width;
	if ((wanted[i].kind != ABSINT_VALUE && wanted[i].kind != ABSINT_CELL) || width < 2 ||
	    width > BITS_MOST)
		return 0;
	if (fact_modulo(a, p, wanted, n, i, width, out))
		return 1;
	uint64_t also = wanted[i].kind == ABSINT_VALUE ? moduli(a->f, wanted[i].id) : 0;
	also &= (1ull << (width - 1)) - 1;
	while (also) {
		unsigned bits = 64 - (unsigned)__builtin_clzll(also);
		also &= ~(1ull << (bits - 1));
		if (fact_modulo(a, p, wanted, n, i, bits, out))
			return 1;
	}
	return 0;
}
