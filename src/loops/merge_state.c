/* merge_state.c: values and memory of a function that is followed (loop_merge.h).
 *
 * src/vc evaluates the code twice: once along the run (replaying), once along all paths; here are its callbacks for values. What the code
 * does not say is a leaf: a variable of its own along the run, and along all paths what the labels of the run said about it. What a leaf
 * was in the run is known as soon as labels have said which bytes of the input it is.
 *
 * A pointer is the address of a root, a variable, plus an offset in bytes. A root is an object, or a pointer that came in from
 * outside. Memory is a list of places that were written at known offsets; what else is loaded was
 * there before. Where the run showed that what a root points to are bytes of the input, all of the
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
#define FILL LIMIT(64, 1) /* bytes of a memset that are followed | small arrays; cells of four sizes for each byte */
#define NESTING LIMIT(16, 2) /* sums and choices above each other in a pointer | few: settled pointers have one of each */

uint64_t merge_decision(const struct vc_point *at)
{
	return hash_join(at->context, at->at);
}

static const struct code_value *value_at(const struct vc_point *at)
{
	return &at->f->values[at->at];
}

static expr_t operand(const struct vc_point *at, uint32_t k)
{
	return vc_point_value(at, code_operand(at->f, at->at, k));
}

/* ---------------------------------------------------------------- terms */

static expr_t fresh(struct merge *m, unsigned width, uint64_t key)
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

static u128 value_in_run(void *ctx, expr_t variable)
{
	struct merge *m = ctx;
	expr_t bound = bound_of(m, variable);
	return bound != EXPR_NONE ? expr_eval(m->pool, bound, m->s.value, m->s.ctx) : m->s.value(m->s.ctx, variable);
}

int merge_known(struct merge *m, expr_t e, u128 *value)
{
	uint32_t n;
	if (expr_is_const(m->pool, e, value))
		return 1;
	const expr_t *vars = expr_vars(m->pool, e, &n);
	for (uint32_t i = 0; i < n; i++)
		if (expr_get(m->pool, vars[i])->op == EXPR_OP_NAMED && bound_of(m, vars[i]) == EXPR_NONE)
			return 0;
	*value = expr_eval(m->pool, e, value_in_run, m);
	return 1;
}

static int is_bits(const struct code_value *v)
{
	return v->width >= 1 && v->width <= 128 && !v->is_pointer;
}

/* ---------------------------------------------------------------- pointers */

/* Bytes that a root points to. */
struct place {
	uint64_t root;
	expr_t base, offset;
};

static expr_t pointer(struct merge *m, uint64_t root, int64_t offset)
{
	expr_t base = fresh(m, 64, hash_join(root, 5));
	map_set(&m->roots, base, root);
	return expr_binary(m->pool, MUSTER_OP_ADD, base, expr_const(m->pool, 64, (u128)(uint64_t)offset));
}

/* 0: it is none that has a root. */
static int find_place(struct merge *m, expr_t e, struct place *out, unsigned depth)
{
	const struct expr_node n = *expr_get(m->pool, e);
	struct place other;
	if (map_get(&m->roots, e, &out->root)) {
		out->base = e;
		out->offset = expr_const(m->pool, 64, 0);
		return 1;
	}
	if (!depth)
		return 0;
	if (n.op == MUSTER_OP_ITE) {
		if (!find_place(m, n.b, out, depth - 1) || !find_place(m, n.c, &other, depth - 1) || out->root != other.root)
			return 0;
		out->offset = expr_ite(m->pool, n.a, out->offset, other.offset);
		return 1;
	}
	if (n.op != MUSTER_OP_ADD && n.op != MUSTER_OP_SUB)
		return 0;
	expr_t rest = n.b;
	if (!find_place(m, n.a, out, depth - 1)) {
		rest = n.a;
		if (n.op == MUSTER_OP_SUB || !find_place(m, n.b, out, depth - 1))
			return 0;
	}
	out->offset = expr_binary(m->pool, n.op, out->offset, rest);
	return 1;
}

/* Is the offset a number, in the run at least, and which? */
static int located(struct merge *m, const struct place *p, int64_t *offset)
{
	u128 value;
	if (!(m->replaying ? merge_known(m, p->offset, &value) : expr_is_const(m->pool, p->offset, &value)))
		return 0;
	*offset = (int64_t)(uint64_t)value;
	return 1;
}

/* ---------------------------------------------------------------- what comes in */

void merge_enter(struct merge *m, expr_t *values)
{
	const struct trace *t = m->s.import->trace;
	for (uint32_t i = 0; i < m->s.count; i++) {
		uint32_t label = m->s.entries[i].label, id = m->s.values[i];
		const struct code_value *v = &m->s.f->values[id];
		if (t->nodes[label].width != v->width || !is_bits(v))
			continue;
		values[id] = import_label(m->s.import, label);
		if (m->s.foreign(m->s.ctx, values[id]))
			values[id] = expr_const(m->pool, v->width, trace_value(t, label));
	}
}

/* ---------------------------------------------------------------- leaves */

static uint32_t add_leaf(struct merge *m, unsigned width, uint64_t key)
{
	struct merge_leaf l = {.name = fresh(m, width, hash_join(key, m->leaves.size))};
	vec_push(&m->leaves, l);
	map_set(&m->by_name, l.name, m->leaves.size);
	return (uint32_t)(m->leaves.size - 1);
}

/* What the code does not say, by its key: a pointer has a root of its own, an integer is along the run a leaf, then what the labels said
 * about it. */
static expr_t unsaid(struct merge *m, const struct code_value *v, uint64_t key)
{
	uint64_t at;
	if (v->is_pointer)
		return pointer(m, key, 0);
	if (!is_bits(v))
		return VC_LOST;
	if (m->replaying) {
		uint32_t leaf = add_leaf(m, v->width, key);
		map_set(&m->by_context, key, leaf + 1);
		return m->leaves.data[leaf].name;
	}
	if (map_get(&m->by_context, key, &at) && m->leaves.data[at - 1].bound != EXPR_NONE)
		return m->leaves.data[at - 1].bound;
	return fresh(m, v->width, key);
}

static expr_t leaf_here(struct merge *m, const struct vc_point *at)
{
	return unsaid(m, value_at(at), hash_join(at->context, at->at));
}

/* ---------------------------------------------------------------- memory */

static uint64_t address_key(uint64_t root, int64_t offset, uint32_t bytes)
{
	return hash_join(hash_join(root, (uint64_t)offset), bytes);
}

void merge_clobber(struct merge *m)
{
	m->epoch++;
	vec_clear(&m->cells);
	map_clear(&m->cell_at);
}

static void put_cell(struct merge *m, struct merge_cell cell)
{
	uint64_t key = address_key(cell.root, cell.offset, cell.bytes), at;
	if (map_get(&m->cell_at, key, &at)) {
		m->cells.data[at - 1] = cell;
		return;
	}
	vec_push(&m->cells, cell);
	map_set(&m->cell_at, key, m->cells.size);
}

/* What was there before, along the run. */
static expr_t load_in_run(struct merge *m, const struct vc_point *where, const struct place *p)
{
	const struct code_value *v = value_at(where);
	uint64_t at;
	int64_t offset;
	if (!located(m, p, &offset))
		return leaf_here(m, where);
	uint64_t key = address_key(p->root, offset, (uint32_t)v->bytes), now = hash_join(key, m->epoch);
	if (!map_get(&m->by_address, now, &at)) {
		at = (uint64_t)add_leaf(m, v->width, now) + 1;
		struct merge_leaf *l = &m->leaves.data[at - 1];
		l->root = p->root;
		l->offset = offset;
		l->bytes = (uint32_t)v->bytes;
		map_set(&m->by_address, now, at);
		map_set(&m->learned, key, at);
	}
	map_set(&m->by_context, hash_join(where->context, where->at), at);
	return m->leaves.data[at - 1].name;
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

/* What was there before, along all paths. */
static expr_t load_before(struct merge *m, const struct vc_point *where, const struct place *p)
{
	const struct code_value *v = value_at(where);
	uint64_t at, from;
	int64_t offset;
	int input = v->width == 8 * v->bytes && map_get(&m->inputs, p->root, &from) && from;
	if (!located(m, p, &offset))
		return input ? input_at(m, from - 1, p->offset, v->width) : leaf_here(m, where);
	uint64_t key = address_key(p->root, offset, (uint32_t)v->bytes);
	if (map_get(&m->by_context, hash_join(where->context, where->at), &at) && m->leaves.data[at - 1].root == p->root &&
	    m->leaves.data[at - 1].offset == offset && m->leaves.data[at - 1].bound != EXPR_NONE)
		return m->leaves.data[at - 1].bound;
	if (map_get(&m->learned, key, &at) && m->leaves.data[at - 1].bound != EXPR_NONE &&
	    expr_width(m->pool, m->leaves.data[at - 1].bound) == v->width)
		return m->leaves.data[at - 1].bound;
	if (input && offset >= 0)
		return input_bytes(m, from - 1 + (uint64_t)offset, v->width);
	m->unsure++;
	return fresh(m, v->width, hash_join(key, v->width));
}

static expr_t load(struct merge *m, const struct vc_point *where)
{
	const struct code_value *v = value_at(where);
	expr_t address = operand(where, 0);
	struct place p;
	int64_t offset;
	uint64_t at;
	if (address == EXPR_NONE || !find_place(m, address, &p, NESTING))
		return leaf_here(m, where);
	if (located(m, &p, &offset)) {
		uint64_t key = address_key(p.root, offset, (uint32_t)v->bytes);
		if (map_get(&m->cell_at, key, &at)) {
			const struct merge_cell *c = &m->cells.data[at - 1];
			if (c->value != EXPR_NONE && c->is_pointer == v->is_pointer &&
			    (c->is_pointer || expr_width(m->pool, c->value) == v->width))
				return c->value;
		}
		if (v->is_pointer)
			return pointer(m, hash_join(key, m->epoch), 0);
	}
	if (!is_bits(v))
		return leaf_here(m, where);
	return m->replaying ? load_in_run(m, where, &p) : load_before(m, where, &p);
}

/* A choice, or a sum, in the form that pointers and counts have here; EXPR_NONE: a pointer to one of several roots. */
static expr_t settled(struct merge *m, expr_t e, int is_pointer)
{
	struct place p;
	if (!is_pointer)
		return m->replaying ? e : merge_narrow(m, e);
	if (!find_place(m, e, &p, NESTING))
		return EXPR_NONE;
	if (expr_get(m->pool, e)->op == MUSTER_OP_ITE && !m->replaying)
		p.offset = merge_narrow(m, p.offset);
	return expr_binary(m->pool, MUSTER_OP_ADD, p.base, p.offset);
}

static expr_t stored(struct merge *m, expr_t guard, const struct merge_cell *c)
{
	uint64_t key = address_key(c->root, c->offset, c->bytes), at;
	expr_t old = EXPR_NONE;
	if (guard == expr_true(m->pool))
		return c->value;
	if (map_get(&m->cell_at, key, &at))
		old = m->cells.data[at - 1].value;
	else if (c->is_pointer && c->value != EXPR_NONE)
		old = pointer(m, hash_join(key, m->epoch), 0);
	else if (c->value != EXPR_NONE && map_get(&m->learned, key, &at) && m->leaves.data[at - 1].bound != EXPR_NONE)
		old = m->leaves.data[at - 1].bound;
	else if (c->value != EXPR_NONE)
		old = fresh(m, expr_width(m->pool, c->value), hash_join(key, expr_width(m->pool, c->value)));
	if (c->value == EXPR_NONE || old == EXPR_NONE)
		return c->value == EXPR_NONE ? old : c->value;
	if (expr_width(m->pool, old) != expr_width(m->pool, c->value))
		return EXPR_NONE;
	return settled(m, expr_ite(m->pool, guard, c->value, old), c->is_pointer);
}

static void store(struct merge *m, const struct vc_point *at)
{
	expr_t address = operand(at, 1);
	struct merge_cell c = {.bytes = (uint32_t)value_at(at)->bytes, .is_pointer = code_operand_value(at->f, at->at, 0)->is_pointer, .value = operand(at, 0)};
	struct place p;
	if (address == EXPR_NONE || !find_place(m, address, &p, NESTING) || !located(m, &p, &c.offset)) {
		if (m->replaying)
			merge_clobber(m);
		return;
	}
	c.root = p.root;
	c.value = stored(m, vc_point_guard(at), &c);
	put_cell(m, c);
}

static void fill(struct merge *m, const struct vc_point *at)
{
	expr_t to = operand(at, 0), byte = operand(at, 1), size = operand(at, 2);
	struct place p;
	int64_t offset;
	u128 b, n;
	if (to == EXPR_NONE || !find_place(m, to, &p, NESTING) || !located(m, &p, &offset) || byte == EXPR_NONE || size == EXPR_NONE ||
	    !expr_is_const(m->pool, byte, &b) || !expr_is_const(m->pool, size, &n) || n > FILL) {
		if (m->replaying)
			merge_clobber(m);
		return;
	}
	for (uint32_t bytes = 1; bytes <= 8; bytes *= 2)
		for (uint32_t i = 0; i + bytes <= (uint32_t)n; i += bytes)
			put_cell(m, (struct merge_cell){.root = p.root, .offset = offset + i, .bytes = bytes,
							.value = expr_const(m->pool, 8 * bytes, (u128)(b & 0xff) * (0x0101010101010101ull >> (64 - 8 * bytes)))});
}

/* ---------------------------------------------------------------- instructions */

/* What an operator says about the offsets of two pointers with one root; EXPR_NONE: they have none. */
static expr_t of_offsets(struct merge *m, const struct vc_point *at, expr_t a, expr_t b)
{
	static const uint8_t as_signed[CODE_OP_COUNT] = {[CODE_ULT] = CODE_SLT, [CODE_ULE] = CODE_SLE, [CODE_UGT] = CODE_SGT, [CODE_UGE] = CODE_SGE};
	struct code_value v = *value_at(at);
	struct place p[2];
	if (a == EXPR_NONE || b == EXPR_NONE || !find_place(m, a, &p[0], NESTING) || !find_place(m, b, &p[1], NESTING) || p[0].root != p[1].root)
		return EXPR_NONE;
	v.op = as_signed[v.op] ? as_signed[v.op] : v.op;
	return vc_combine(m->pool, &v, (expr_t[]){p[0].offset, p[1].offset});
}

/* The distance of two pointers; EXPR_NONE: it is none. */
static expr_t distance(struct merge *m, const struct vc_point *at)
{
	expr_t e[2];
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t from = code_operand(at->f, at->at, k);
		const struct code_value *v = &at->f->values[from];
		if (v->kind != CODE_INSTRUCTION || v->op != CODE_PTRTOINT || v->width != 64)
			return EXPR_NONE;
		e[k] = vc_point_value(at, code_operand(at->f, from, 0));
	}
	return of_offsets(m, at, e[0], e[1]);
}

/* A phi of the block where everything begins: nothing says by which edge it is entered. */
static expr_t first_phi(struct merge *m, const struct vc_point *at)
{
	const struct code_block *b = &at->f->blocks[value_at(at)->block];
	expr_t is = EXPR_NONE;
	for (uint32_t k = 0; k < b->preds; k++) {
		if (at->f->edges[at->f->preds[b->first_pred + k]].flags & CODE_EDGE_BACK)
			continue;
		expr_t now = operand(at, k);
		if (now == EXPR_NONE || (is != EXPR_NONE && is != now))
			return leaf_here(m, at);
		is = now;
	}
	return is != EXPR_NONE ? is : leaf_here(m, at);
}

const struct code_function *merge_callee(const struct merge *m, const struct code_function *f, uint32_t value)
{
	uint32_t target = f->values[value].op == CODE_CALL ? f->values[value].target : CODE_NONE;
	return target != CODE_NONE && m->follow[target] && &m->s.code->functions[target] != m->s.f ? &m->s.code->functions[target] : NULL;
}

static int is_quiet(const struct merge *m, const struct code_value *v)
{
	return v->op != CODE_MOVE && v->target != CODE_NONE && m->s.code->functions[v->target].quiet;
}

static expr_t instruction(struct merge *m, const struct vc_point *at)
{
	const struct code_value *v = value_at(at);
	u128 is;
	expr_t e;
	switch (v->op) {
	case CODE_PHI:
		return first_phi(m, at);
	case CODE_LOAD:
		return load(m, at);
	case CODE_STORE:
		store(m, at);
		return VC_LOST;
	case CODE_FILL:
		fill(m, at);
		return VC_LOST;
	case CODE_ALLOCA:
		return pointer(m, hash_join(hash_join(at->call, 4), at->at), 0);
	case CODE_SELECT: /* along the run it is one of two pointers */
		e = v->is_pointer && m->replaying ? operand(at, 0) : EXPR_NONE;
		return e != EXPR_NONE && merge_known(m, e, &is) ? operand(at, is ? 1 : 2) : EXPR_NONE;
	case CODE_CALL:
	case CODE_ATOMIC:
	case CODE_MOVE:
		if (merge_callee(m, at->f, at->at))
			return EXPR_NONE;
		if (!is_quiet(m, v))
			merge_clobber(m);
		return leaf_here(m, at);
	case CODE_ASSUME:
	case CODE_PAIR:
		return VC_LOST;
	case CODE_PTRTOINT:
	case CODE_INTTOPTR:
		return leaf_here(m, at);
	case CODE_SUB:
		return distance(m, at);
	default:
		break;
	}
	if (v->op < CODE_EQ || v->op > CODE_SGE || !code_operand_value(at->f, at->at, 0)->is_pointer)
		return EXPR_NONE;
	e = of_offsets(m, at, operand(at, 0), operand(at, 1));
	return e != EXPR_NONE ? e : leaf_here(m, at);
}

static expr_t value(void *ctx, struct vc_point *at)
{
	struct merge *m = ctx;
	const struct code_value *v = value_at(at);
	if (at->decides)
		return EXPR_NONE;
	switch (v->kind) {
	case CODE_ADDRESS:
		return pointer(m, hash_join(2, v->index), v->offset);
	case CODE_FUNCTION:
		return pointer(m, hash_join(3, v->index), 0);
	case CODE_UNDEF:
		return is_bits(v) ? expr_const(m->pool, v->width, 0) : VC_LOST;
	case CODE_OPAQUE:
		return VC_LOST;
	default:
		return at->outside ? unsaid(m, v, hash_join(hash_join(at->call, 1), at->at)) : instruction(m, at);
	}
}

expr_t merge_settle(struct merge *m, const struct vc_point *at, expr_t e)
{
	const struct code_value *v = value_at(at);
	int returns = v->op == CODE_RETURN;
	if (e != EXPR_NONE)
		e = settled(m, e, returns ? code_operand_value(at->f, at->at, 0)->is_pointer : v->is_pointer);
	return e != EXPR_NONE || returns ? e : leaf_here(m, at);
}

struct vc_options merge_options(struct merge *m)
{
	return (struct vc_options){.bare = 1, .steps = MERGE_STEPS, .nodes = MERGE_NODES, .value = value, .ctx = m};
}

/* ---------------------------------------------------------------- decisions */

uint32_t merge_passing(const struct code_function *f, uint32_t block)
{
	const struct code_block *b = &f->blocks[block];
	uint32_t other = CODE_NONE, reports = 0;
	if (b->edges == 1 || f->values[code_last(f, block)].op == CODE_INVOKE)
		return 0;
	for (uint32_t k = 0; k < b->edges; k++) {
		if (f->edges[b->first_edge + k].flags & CODE_EDGE_PASS)
			return k;
		if (f->edges[b->first_edge + k].flags & CODE_EDGE_REPORT)
			reports = 1;
		else
			other = k;
	}
	return reports ? other : CODE_NONE;
}

uint32_t merge_outcome(const struct code_function *f, uint32_t block, u128 value)
{
	uint32_t last = code_last(f, block);
	if (f->values[last].op == CODE_BRANCH)
		return (uint32_t)value;
	for (uint32_t i = 1; i < f->values[last].operands; i++)
		if (code_unsigned(code_operand_value(f, last, i)) == value)
			return i;
	return 0;
}
