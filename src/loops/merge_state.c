/* merge_state.c: values and memory of a function that is followed (loop_merge.h).
 *
 * The same instructions are executed twice: once along the run (replaying; each value has a term,
 * and what it was in the run where that is known), once along all ways (only terms). An instruction
 * makes a term of its operands' terms. What the code does not say is a leaf: a variable of its own
 * along the run, and along all ways what the labels of the run said about it.
 *
 * A pointer is a root and an offset in bytes. A root is an object, or a pointer that came in from
 * outside. Memory is a list of places that were written at known offsets; what else is loaded was
 * there before. Where the run showed that what is behind a root are bytes of the input, all of the
 * root is taken to be, also what the run did not look at: nothing here has to be right, since hints
 * are run.
 */
#include "loops/merge_inside.h"

#include "base/hash.h"
#include "base/limit.h"
#include "vc/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE LIMIT(256, 16) /* bytes of the input that an unknown offset may mean | a byte as index */
#define CHOICES LIMIT(72, 2) /* offsets that a load may be at, if they are known | as merge_cases */
#define FILL LIMIT(64, 1) /* bytes of a memset that are followed | by hand */
#define NULL_ROOT 1 /* no limit: an id */

uint64_t merge_key(uint64_t a, uint64_t b)
{
	return hash_mix(a * 0x9e3779b97f4a7c15ull + b + 1);
}

uint64_t merge_decision(const struct merge_frame *fr, uint32_t block)
{
	return merge_key(fr->context, code_last(fr->f, block));
}

struct merge_frame *merge_frame_new(const struct code_function *f, uint64_t context, unsigned depth)
{
	struct merge_frame *fr = mem_zalloc(sizeof *fr);
	fr->f = f;
	fr->base = fr->context = context;
	fr->depth = depth;
	fr->values = mem_zalloc((size_t)(f->value_count + 1) * sizeof *fr->values);
	fr->edges = mem_zalloc((size_t)(f->edge_count + 1) * sizeof *fr->edges);
	return fr;
}

void merge_frame_free(struct merge_frame *fr)
{
	free(fr->values);
	free(fr->edges);
	vec_release(&fr->returns);
	free(fr);
}

/* ---------------------------------------------------------------- terms */

static struct merged integer(struct merge *m, expr_t term)
{
	return (struct merged){
	    .term = term,
	    .known = m->replaying && expr_is_const(m->pool, term, NULL) ? term : EXPR_NONE};
}

static struct merged constant(struct merge *m, unsigned width, u128 value)
{
	return integer(m, expr_const(m->pool, width, value));
}

static struct merged pointer(struct merge *m, uint64_t root, int64_t offset)
{
	struct merged p = constant(m, 64, (u128)(uint64_t)offset);
	p.root = root;
	return p;
}

expr_t merge_fresh(struct merge *m, unsigned width, uint64_t key)
{
	char name[32];
	snprintf(name, sizeof name, "merge.%016llx", (unsigned long long)key);
	return expr_named(m->pool, width, name);
}

int merge_unknown(struct merge *m, expr_t e)
{
	uint32_t n;
	const expr_t *vars = expr_vars(m->pool, e, &n);
	for (uint32_t i = 0; i < n; i++)
		if (expr_get(m->pool, vars[i])->op == EXPR_OP_NAMED)
			return 1;
	return 0;
}

static expr_t bound_of(void *ctx, expr_t variable)
{
	struct merge *m = ctx;
	uint64_t at;
	return map_get(&m->by_name, variable, &at) ? m->leaves.data[at - 1].bound : EXPR_NONE;
}

expr_t merge_bind(struct merge *m, expr_t e)
{
	return merge_unknown(m, e) ? expr_substitute(m->pool, e, bound_of, m) : e;
}

struct merged merge_either(struct merge *m, expr_t condition, struct merged a, struct merged b)
{
	u128 c;
	if (expr_is_const(m->pool, condition, &c))
		return c ? a : b;
	if (a.term == EXPR_NONE || b.term == EXPR_NONE)
		return a.term == EXPR_NONE ? b : a;
	if (a.root != b.root || expr_width(m->pool, a.term) != expr_width(m->pool, b.term))
		return (struct merged){0};
	expr_t e = expr_ite(m->pool, condition, a.term, b.term);
	return (struct merged){.term = m->replaying ? e : merge_narrow(m, e), .root = a.root};
}

/* ---------------------------------------------------------------- what comes in */

static int is_bits(const struct code_value *v)
{
	return v->width >= 1 && v->width <= 128 && !v->is_pointer;
}

void merge_frame_enter(struct merge *m, struct merge_frame *fr)
{
	const struct trace *t = m->s.import->trace;
	for (uint32_t i = 0; i < m->s.count; i++) {
		uint32_t label = m->s.entries[i].label, id = m->s.values[i];
		const struct code_value *v = &fr->f->values[id];
		if (t->nodes[label].width != v->width || !is_bits(v))
			continue;
		expr_t e = import_label(m->s.import, label),
		       known = expr_const(m->pool, v->width, trace_value(t, label));
		if (m->s.foreign(m->s.ctx, e))
			e = known;
		fr->values[id] =
		    (struct merged){.term = e, .known = m->replaying ? known : EXPR_NONE};
	}
}

static struct merged unsaid(struct merge *m, unsigned width, uint64_t key);

static struct merged from_outside(struct merge *m, struct merge_frame *fr, uint32_t value)
{
	const struct code_value *v = &fr->f->values[value];
	uint64_t key = merge_key(merge_key(fr->base, 1), value);
	if (v->is_pointer)
		return pointer(m, key, 0);
	return is_bits(v) ? unsaid(m, v->width, key) : (struct merged){0};
}

struct merged merge_value(struct merge *m, struct merge_frame *fr, uint32_t value)
{
	const struct code_value *v = &fr->f->values[value];
	switch (v->kind) {
	case CODE_CONSTANT:
		return is_bits(v) ? constant(m, v->width, code_unsigned(v)) : (struct merged){0};
	case CODE_NULL:
		return pointer(m, NULL_ROOT, 0);
	case CODE_ADDRESS:
		return pointer(m, merge_key(2, v->index), v->offset);
	case CODE_FUNCTION:
		return pointer(m, merge_key(3, v->index), 0);
	case CODE_UNDEF:
		return is_bits(v) ? constant(m, v->width, 0) : (struct merged){0};
	case CODE_OPAQUE:
		return (struct merged){0};
	default:
		break;
	}
	if (fr->values[value].term == EXPR_NONE)
		fr->values[value] = from_outside(m, fr, value);
	return fr->values[value];
}

/* ---------------------------------------------------------------- leaves */

static uint32_t add_leaf(struct merge *m, unsigned width, uint64_t key)
{
	struct merge_leaf l = {.name = merge_fresh(m, width, merge_key(key, m->leaves.size))};
	vec_push(&m->leaves, l);
	map_set(&m->by_name, l.name, m->leaves.size);
	return (uint32_t)(m->leaves.size - 1);
}

/* A leaf's value along the run. */
static struct merged leaf_value(struct merge *m, uint32_t leaf)
{
	const struct merge_leaf *l = &m->leaves.data[leaf];
	struct merged v = {.term = l->name};
	if (l->bound != EXPR_NONE)
		v.known = expr_const(m->pool, expr_width(m->pool, l->bound),
				     expr_eval(m->pool, l->bound, m->s.value, m->s.ctx));
	return v;
}

/* An integer that the code does not say, by its place: along the run a leaf, then what the labels
 * said about it. */
static struct merged unsaid(struct merge *m, unsigned width, uint64_t key)
{
	uint64_t at;
	if (m->replaying) {
		uint32_t leaf = add_leaf(m, width, key);
		map_set(&m->by_context, key, leaf + 1);
		return leaf_value(m, leaf);
	}
	if (map_get(&m->by_context, key, &at) && m->leaves.data[at - 1].bound != EXPR_NONE)
		return (struct merged){.term = m->leaves.data[at - 1].bound};
	return (struct merged){.term = merge_fresh(m, width, key)};
}

struct merged merge_leaf_here(struct merge *m, struct merge_frame *fr, uint32_t value)
{
	const struct code_value *v = &fr->f->values[value];
	uint64_t key = merge_key(fr->context, value);
	if (v->is_pointer)
		return pointer(m, key, 0);
	return is_bits(v) ? unsaid(m, v->width, key) : (struct merged){0};
}

/* ---------------------------------------------------------------- memory */

static uint64_t address_key(uint64_t root, int64_t offset, uint32_t bytes)
{
	return merge_key(merge_key(root, (uint64_t)offset), bytes);
}

/* Is the place known, and where? */
static int located(const struct merge *m, struct merged address, int64_t *offset)
{
	expr_t e = m->replaying && address.known != EXPR_NONE ? address.known : address.term;
	u128 value;
	if (!address.root || address.root == NULL_ROOT || e == EXPR_NONE ||
	    !expr_is_const(m->pool, e, &value))
		return 0;
	*offset = (int64_t)(uint64_t)value;
	return 1;
}

void merge_clobber(struct merge *m)
{
	m->epoch++;
	vec_clear(&m->cells);
	map_clear(&m->cell_at);
}

static void put_cell(struct merge *m, uint64_t root, int64_t offset, uint32_t bytes,
		     struct merged value)
{
	uint64_t key = address_key(root, offset, bytes), at;
	if (map_get(&m->cell_at, key, &at)) {
		m->cells.data[at - 1].value = value;
		return;
	}
	vec_push(&m->cells, (struct merge_cell){
				.root = root, .offset = offset, .bytes = bytes, .value = value});
	map_set(&m->cell_at, key, m->cells.size);
}

/* What was there before, along the run. */
static struct merged load_in_run(struct merge *m, struct merge_frame *fr, uint32_t value,
				 struct merged address)
{
	const struct code_value *v = &fr->f->values[value];
	uint64_t at, here = merge_key(fr->context, value);
	int64_t offset;
	if (!located(m, address, &offset))
		return merge_leaf_here(m, fr, value);
	uint64_t key = address_key(address.root, offset, (uint32_t)v->bytes),
		 now = merge_key(key, m->epoch);
	if (!map_get(&m->by_address, now, &at)) {
		at = (uint64_t)add_leaf(m, v->width, now) + 1;
		struct merge_leaf *l = &m->leaves.data[at - 1];
		l->root = address.root;
		l->offset = offset;
		l->bytes = (uint32_t)v->bytes;
		map_set(&m->by_address, now, at);
		map_set(&m->learned, key, at);
	}
	map_set(&m->by_context, here, at);
	return leaf_value(m, (uint32_t)(at - 1));
}

static expr_t input_bytes(struct merge *m, uint64_t from, unsigned width)
{
	expr_t e = expr_input(m->pool, 0, from);
	for (unsigned i = 1; i < width / 8; i++)
		e = expr_concat(m->pool, expr_input(m->pool, 0, from + i), e);
	return e;
}

/* At an offset that depends on the input. */
static expr_t input_at(struct merge *m, uint64_t from, expr_t offset, unsigned width)
{
	struct merge_case cases[CHOICES];
	size_t n = merge_cases(m, offset, cases, CHOICES);
	if (n && cases[0].value >= 0) {
		expr_t e = input_bytes(m, from + (uint64_t)cases[0].value, width);
		for (size_t i = 1; i < n; i++)
			e = expr_ite(m->pool, cases[i].guard,
				     input_bytes(m, from + (uint64_t)cases[i].value, width), e);
		return e;
	}
	int64_t low = 0, high = TABLE;
	expr_t bytes[TABLE];
	if (!merge_range(m, offset, &low, &high) || low < 0 ||
	    high - low > TABLE - (int64_t)(width / 8)) {
		low = 0;
		high = TABLE - (int64_t)(width / 8);
	}
	uint64_t count = (uint64_t)(high - low) + width / 8;
	for (uint64_t i = 0; i < count; i++)
		bytes[i] = expr_input(m->pool, 0, from + (uint64_t)low + i);
	expr_t data = expr_data(m->pool, bytes, count);
	return expr_read(m->pool, data,
			 expr_binary(m->pool, MUSTER_OP_SUB, offset,
				     expr_const(m->pool, 64, (u128)(uint64_t)low)),
			 width);
}

/* What was there before, along all ways. */
static struct merged load_before(struct merge *m, struct merge_frame *fr, uint32_t value,
				 struct merged address)
{
	const struct code_value *v = &fr->f->values[value];
	uint64_t at, from;
	int64_t offset;
	int whole = v->width == 8 * v->bytes,
	    input = whole && map_get(&m->inputs, address.root, &from) && from;
	if (!located(m, address, &offset)) {
		if (input)
			return (struct merged){.term =
						   input_at(m, from - 1, address.term, v->width)};
		return merge_leaf_here(m, fr, value);
	}
	uint64_t key = address_key(address.root, offset, (uint32_t)v->bytes);
	if (map_get(&m->by_context, merge_key(fr->context, value), &at) &&
	    m->leaves.data[at - 1].root == address.root &&
	    m->leaves.data[at - 1].offset == offset && m->leaves.data[at - 1].bound != EXPR_NONE)
		return (struct merged){.term = m->leaves.data[at - 1].bound};
	if (map_get(&m->learned, key, &at) && m->leaves.data[at - 1].bound != EXPR_NONE &&
	    expr_width(m->pool, m->leaves.data[at - 1].bound) == v->width)
		return (struct merged){.term = m->leaves.data[at - 1].bound};
	if (input && offset >= 0)
		return (struct merged){.term =
					   input_bytes(m, from - 1 + (uint64_t)offset, v->width)};
	m->unsure++;
	return (struct merged){.term = merge_fresh(m, v->width, merge_key(key, v->width))};
}

static struct merged load(struct merge *m, struct merge_frame *fr, uint32_t value,
			  struct merged address)
{
	const struct code_value *v = &fr->f->values[value];
	int64_t offset;
	uint64_t at;
	if (located(m, address, &offset)) {
		uint64_t key = address_key(address.root, offset, (uint32_t)v->bytes);
		if (map_get(&m->cell_at, key, &at)) {
			struct merged found = m->cells.data[at - 1].value;
			if (found.term != EXPR_NONE &&
			    (v->is_pointer
				 ? found.root != 0
				 : !found.root && expr_width(m->pool, found.term) == v->width))
				return found;
		}
		if (v->is_pointer)
			return pointer(m, merge_key(key, m->epoch), 0);
	}
	if (!is_bits(v))
		return merge_leaf_here(m, fr, value);
	return m->replaying ? load_in_run(m, fr, value, address)
			    : load_before(m, fr, value, address);
}

static void store(struct merge *m, struct merge_frame *fr, uint32_t value, expr_t guard)
{
	const struct code_value *v = &fr->f->values[value];
	struct merged what = merge_value(m, fr, code_operand(fr->f, value, 0)),
		      to = merge_value(m, fr, code_operand(fr->f, value, 1));
	uint64_t at;
	int64_t offset;
	u128 always;
	if (!located(m, to, &offset)) {
		if (m->replaying)
			merge_clobber(m);
		return;
	}
	uint32_t bytes = (uint32_t)v->bytes;
	if (!(expr_is_const(m->pool, guard, &always) && always)) {
		uint64_t key = address_key(to.root, offset, bytes);
		struct merged old = {0};
		if (map_get(&m->cell_at, key, &at))
			old = m->cells.data[at - 1].value;
		else if (what.term != EXPR_NONE && !what.root && map_get(&m->learned, key, &at) &&
			 m->leaves.data[at - 1].bound != EXPR_NONE)
			old.term = m->leaves.data[at - 1].bound;
		else if (what.term != EXPR_NONE && !what.root)
			old.term = merge_fresh(m, expr_width(m->pool, what.term),
					       merge_key(key, expr_width(m->pool, what.term)));
		else if (what.root)
			old = pointer(m, merge_key(key, m->epoch), 0);
		what = merge_either(m, guard, what, old);
	}
	put_cell(m, to.root, offset, bytes, what);
}

static void fill(struct merge *m, struct merge_frame *fr, uint32_t value)
{
	struct merged to = merge_value(m, fr, code_operand(fr->f, value, 0)),
		      byte = merge_value(m, fr, code_operand(fr->f, value, 1));
	struct merged size = merge_value(m, fr, code_operand(fr->f, value, 2));
	int64_t offset;
	u128 b, n;
	if (!located(m, to, &offset) || byte.term == EXPR_NONE || size.term == EXPR_NONE ||
	    !expr_is_const(m->pool, byte.term, &b) || !expr_is_const(m->pool, size.term, &n) ||
	    n > FILL) {
		if (m->replaying)
			merge_clobber(m);
		return;
	}
	for (uint32_t bytes = 1; bytes <= 8; bytes *= 2)
		for (uint32_t i = 0; i + bytes <= (uint32_t)n; i += bytes)
			put_cell(m, to.root, offset + i, bytes,
				 constant(m, 8 * bytes,
					  (u128)(b & 0xff) *
					      (0x0101010101010101ull >> (64 - 8 * bytes))));
}

/* ---------------------------------------------------------------- instructions */

struct operands {
	struct merge *m;
	struct merge_frame *fr;
	uint32_t of;
	int known;
};

static expr_t operand_term(void *ctx, uint32_t value)
{
	struct operands *o = ctx;
	if (value == o->of)
		return EXPR_NONE;
	struct merged v = merge_value(o->m, o->fr, value);
	return o->known ? v.known : v.term;
}

static expr_t sum(struct exprs *p, expr_t a, expr_t b)
{
	return a == EXPR_NONE || b == EXPR_NONE ? EXPR_NONE : expr_binary(p, MUSTER_OP_ADD, a, b);
}

static expr_t scaled(struct exprs *p, expr_t e, int64_t scale)
{
	if (e == EXPR_NONE)
		return e;
	e = expr_width(p, e) < 64 ? expr_sext(p, e, 64) : expr_extract(p, e, 0, 64);
	return expr_binary(p, MUSTER_OP_MUL, e, expr_const(p, 64, (u128)(uint64_t)scale));
}

static struct merged element(struct merge *m, struct merge_frame *fr, uint32_t value)
{
	const struct code_value *v = &fr->f->values[value];
	struct merged p = merge_value(m, fr, code_operand(fr->f, value, 0));
	expr_t constant_part = expr_const(m->pool, 64, (u128)(uint64_t)v->offset);
	if (!p.root)
		return merge_leaf_here(m, fr, value);
	p.term = sum(m->pool, p.term, constant_part);
	p.known = sum(m->pool, p.known, constant_part);
	for (uint32_t k = 1; k < v->operands; k++) {
		struct merged i = merge_value(m, fr, code_operand(fr->f, value, k));
		p.term = sum(m->pool, p.term, scaled(m->pool, i.term, code_scale(fr->f, value, k)));
		p.known =
		    sum(m->pool, p.known, scaled(m->pool, i.known, code_scale(fr->f, value, k)));
	}
	return p.term == EXPR_NONE ? merge_leaf_here(m, fr, value) : p;
}

/* Of two pointers: their offsets decide if they have one root. */
static struct merged compare(struct merge *m, struct merge_frame *fr, uint32_t value)
{
	static const struct {
		uint8_t op, swap, not ;
	} table[CODE_OP_COUNT] = {
	    [CODE_EQ] = {MUSTER_OP_EQ, 0, 0},	[CODE_NE] = {MUSTER_OP_EQ, 0, 1},
	    [CODE_ULT] = {MUSTER_OP_SLT, 0, 0}, [CODE_ULE] = {MUSTER_OP_SLE, 0, 0},
	    [CODE_UGT] = {MUSTER_OP_SLT, 1, 0}, [CODE_UGE] = {MUSTER_OP_SLE, 1, 0},
	    [CODE_SLT] = {MUSTER_OP_SLT, 0, 0}, [CODE_SLE] = {MUSTER_OP_SLE, 0, 0},
	    [CODE_SGT] = {MUSTER_OP_SLT, 1, 0}, [CODE_SGE] = {MUSTER_OP_SLE, 1, 0},
	};
	uint8_t op = table[fr->f->values[value].op].op, swap = table[fr->f->values[value].op].swap;
	struct merged a = merge_value(m, fr, code_operand(fr->f, value, swap)),
		      b = merge_value(m, fr, code_operand(fr->f, value, !swap)), r = {0};
	if (!op || !a.root || a.root != b.root)
		return merge_leaf_here(m, fr, value);
	r.term = expr_binary(m->pool, op, a.term, b.term);
	if (a.known != EXPR_NONE && b.known != EXPR_NONE)
		r.known = expr_binary(m->pool, op, a.known, b.known);
	if (table[fr->f->values[value].op].not ) {
		r.term = expr_not(m->pool, r.term);
		r.known = r.known == EXPR_NONE ? r.known : expr_not(m->pool, r.known);
	}
	return r;
}

/* The distance of two pointers. 1: it is one. */
static int distance(struct merge *m, struct merge_frame *fr, uint32_t value, struct merged *out)
{
	const struct code_function *f = fr->f;
	struct merged p[2];
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t from = code_operand(f, value, k);
		if (f->values[from].kind != CODE_INSTRUCTION ||
		    f->values[from].op != CODE_PTRTOINT || f->values[from].width != 64)
			return 0;
		p[k] = merge_value(m, fr, code_operand(f, from, 0));
	}
	if (!p[0].root || p[0].root != p[1].root)
		return 0;
	*out = (struct merged){.term = expr_binary(m->pool, MUSTER_OP_SUB, p[0].term, p[1].term)};
	if (p[0].known != EXPR_NONE && p[1].known != EXPR_NONE)
		out->known = expr_binary(m->pool, MUSTER_OP_SUB, p[0].known, p[1].known);
	return 1;
}

static struct merged computed(struct merge *m, struct merge_frame *fr, uint32_t value)
{
	const struct code_value *v = &fr->f->values[value];
	struct operands o = {.m = m, .fr = fr, .of = value};
	int known = m->replaying;
	for (uint32_t k = 0; k < v->operands; k++) {
		struct merged x = merge_value(m, fr, code_operand(fr->f, value, k));
		if (x.term == EXPR_NONE || x.root)
			return merge_leaf_here(m, fr, value);
		known &= x.known != EXPR_NONE;
	}
	struct merged r = {.term = vc_term(m->pool, fr->f, value, operand_term, &o)};
	o.known = 1;
	if (known)
		r.known = vc_term(m->pool, fr->f, value, operand_term, &o);
	if (r.known != EXPR_NONE && !expr_is_const(m->pool, r.known, NULL))
		r.known = EXPR_NONE; /* what C does not define */
	if (r.term != EXPR_NONE && !m->replaying)
		r.term = merge_narrow(m, r.term);
	return r.term == EXPR_NONE ? merge_leaf_here(m, fr, value) : r;
}

static struct merged selected(struct merge *m, struct merge_frame *fr, uint32_t value)
{
	struct merged c = merge_value(m, fr, code_operand(fr->f, value, 0)),
		      a = merge_value(m, fr, code_operand(fr->f, value, 1)),
		      b = merge_value(m, fr, code_operand(fr->f, value, 2));
	u128 is;
	if (c.term == EXPR_NONE)
		return merge_leaf_here(m, fr, value);
	if (c.known != EXPR_NONE && expr_is_const(m->pool, c.known, &is) && (a.root || b.root))
		return is ? a : b;
	struct merged r = merge_either(m, c.term, a, b);
	if (c.known != EXPR_NONE && expr_is_const(m->pool, c.known, &is))
		r.known = is ? a.known : b.known;
	return r.term == EXPR_NONE ? merge_leaf_here(m, fr, value) : r;
}

const struct code_function *merge_callee(const struct merge *m, const struct merge_frame *fr,
					 uint32_t value)
{
	uint32_t target = fr->f->values[value].target;
	return target != CODE_NONE && m->follow[target] && &m->s.code->functions[target] != m->s.f
		   ? &m->s.code->functions[target]
		   : NULL;
}

static int is_quiet(const struct merge *m, const struct code_value *v)
{
	return v->target != CODE_NONE && m->s.code->functions[v->target].quiet;
}

static struct merged result(struct merge *m, struct merge_frame *fr, uint32_t value, expr_t guard)
{
	const struct code_function *f = fr->f;
	const struct code_value *v = &f->values[value];
	struct merged r;
	switch (v->op) {
	case CODE_LOAD:
		return load(m, fr, value, merge_value(m, fr, code_operand(f, value, 0)));
	case CODE_STORE:
		store(m, fr, value, guard);
		return (struct merged){0};
	case CODE_FILL:
		fill(m, fr, value);
		return (struct merged){0};
	case CODE_GEP:
		return element(m, fr, value);
	case CODE_ALLOCA:
		return pointer(m, merge_key(merge_key(fr->base, 4), value), 0);
	case CODE_SELECT:
		return selected(m, fr, value);
	case CODE_COPY:
		return merge_value(m, fr, code_operand(f, value, 0));
	case CODE_CALL:
	case CODE_INVOKE:
	case CODE_ATOMIC:
	case CODE_MOVE:
		if (!is_quiet(m, v) || v->op == CODE_MOVE)
			merge_clobber(m);
		return merge_leaf_here(m, fr, value);
	case CODE_NOP:
	case CODE_ASSUME:
	case CODE_PAIR:
		return (struct merged){0};
	default:
		break;
	}
	if (v->op == CODE_SUB && distance(m, fr, value, &r))
		return r;
	if (vc_computes(f, value))
		return computed(m, fr, value);
	if (v->width == 1 && v->operands == 2 && code_operand_value(f, value, 0)->is_pointer)
		return compare(m, fr, value);
	return merge_leaf_here(m, fr, value);
}

void merge_instruction(struct merge *m, struct merge_frame *fr, uint32_t value, expr_t guard)
{
	fr->values[value] = result(m, fr, value, guard);
}

/* ---------------------------------------------------------------- decisions */

uint32_t merge_passing(const struct code_function *f, uint32_t block)
{
	const struct code_block *b = &f->blocks[block];
	uint32_t other = CODE_NONE, reports = 0;
	for (uint32_t e = b->first_edge; e < b->first_edge + b->edges; e++) {
		if (f->edges[e].flags & CODE_EDGE_PASS)
			return e;
		if (f->edges[e].flags & CODE_EDGE_REPORT)
			reports = 1;
		else
			other = e;
	}
	return reports ? other : CODE_NONE;
}

uint32_t merge_outcome(const struct merge *m, const struct code_function *f, uint32_t block,
		       expr_t value)
{
	uint32_t last = code_last(f, block);
	u128 is;
	if (!expr_is_const(m->pool, value, &is))
		return CODE_NONE;
	if (f->values[last].op == CODE_BRANCH)
		return (uint32_t)is;
	for (uint32_t i = 1; i < f->values[last].operands; i++)
		if (code_unsigned(code_operand_value(f, last, i)) == is)
			return i;
	return 0;
}
