/* merge_state.c: values and memory of a function that is followed (loop_merge.h).
 *
 * src/vc evaluates the code twice: once along the run (replaying), once along all paths; here are its callbacks for values. What the code
 * does not say is a leaf: a variable of its own along the run, and along all paths what the labels of the run said about it. What a leaf
 * was in the run is known as soon as labels have said which bytes of the input it is.
 *
 * A pointer is the address of a root plus an offset in bytes. A root is an object of src/vc: one that the code makes, or whatever a pointer that came in from
 * outside points to. Memory is src/vc's, too (vc/words.c): what was stored at known offsets; what else is loaded was there before. Where the run showed that what a root points to are bytes of the input, all of the
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
#define FILL LIMIT(64, 1) /* bytes of a memset that are followed | small arrays; a word for each eight bytes */

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
	uint32_t object;
	expr_t root; /* its address: the same along the run and along all paths */
	expr_t offset;
};

static expr_t pointer(struct vc *v, uint64_t key)
{
	char name[32];
	snprintf(name, sizeof name, "merge.%016llx", (unsigned long long)key);
	return vc_address(v, vc_object_named(v, name));
}

/* 0: it is none that has a root. */
static int find_place(struct vc *v, expr_t e, struct place *out)
{
	out->object = e != EXPR_NONE ? vc_object_at(v, e, &out->offset) : VC_NO_OBJECT;
	if (out->object == VC_NO_OBJECT)
		return 0;
	out->root = vc_address(v, out->object);
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
static expr_t unsaid(struct merge *m, struct vc *vc, const struct code_value *v, uint64_t key)
{
	uint64_t at;
	if (v->is_pointer)
		return pointer(vc, key);
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
	return unsaid(m, at->vc, value_at(at), hash_join(at->context, at->at));
}

/* ---------------------------------------------------------------- memory */

static uint64_t address_key(expr_t root, int64_t offset, unsigned width)
{
	return hash_join(hash_join(root, (uint64_t)offset), width);
}

/* Memory was changed, it is not known how. */
static void clobber(struct merge *m, const struct vc_point *at)
{
	m->epoch++;
	vc_point_forget(at);
}

/* What was there before, along the run. */
static expr_t before_in_run(struct merge *m, const struct vc_point *where, expr_t root, int64_t offset, unsigned width)
{
	uint64_t at, key = address_key(root, offset, width), now = hash_join(key, m->epoch);
	if (!map_get(&m->by_address, now, &at)) {
		at = (uint64_t)add_leaf(m, width, now) + 1;
		struct merge_leaf *l = &m->leaves.data[at - 1];
		l->root = root;
		l->offset = offset;
		map_set(&m->by_address, now, at);
		map_set(&m->learned, key, at);
	}
	if (width == where->width)
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

/* Where in the input does the root begin? 0: it is none, or not a value of whole bytes. */
static int is_input(const struct merge *m, const struct vc_point *where, expr_t root, uint64_t *from)
{
	return value_at(where)->width == 8 * value_at(where)->bytes && map_get(&m->inputs, root, from) && *from;
}

/* What was there before, along all paths. */
static expr_t before_on_paths(struct merge *m, const struct vc_point *where, expr_t root, int64_t offset, unsigned width)
{
	uint64_t at[2] = {0}, key = address_key(root, offset, width), from;
	map_get(&m->by_context, hash_join(where->context, where->at), &at[0]);
	map_get(&m->learned, key, &at[1]);
	for (unsigned i = 0; i < 2; i++) {
		const struct merge_leaf *l = at[i] ? &m->leaves.data[at[i] - 1] : NULL;
		if (l && l->root == root && l->offset == offset && l->bound != EXPR_NONE && expr_width(m->pool, l->bound) == width)
			return l->bound;
	}
	if (offset >= 0 && is_input(m, where, root, &from))
		return input_bytes(m, from - 1 + (uint64_t)offset, width);
	m->unsure++;
	return fresh(m, width, hash_join(key, width));
}

static expr_t before(void *ctx, const struct vc_point *at, uint32_t object, int64_t offset, unsigned width)
{
	struct merge *m = ctx;
	expr_t root = vc_address(at->vc, object);
	if (value_at(at)->is_pointer)
		return width == 64 ? pointer(at->vc, hash_join(address_key(root, offset, width), m->epoch)) : EXPR_NONE;
	return m->replaying ? before_in_run(m, at, root, offset, width) : before_on_paths(m, at, root, offset, width);
}

static expr_t load(struct merge *m, const struct vc_point *where)
{
	const struct code_value *v = value_at(where);
	struct place p;
	int64_t offset;
	uint64_t from;
	expr_t e = EXPR_NONE;
	if ((v->is_pointer || is_bits(v)) && find_place(where->vc, operand(where, 0), &p)) {
		if (located(m, &p, &offset))
			e = vc_point_load(where, p.object, offset);
		else if (!m->replaying && is_bits(v) && is_input(m, where, p.root, &from))
			e = input_at(m, from - 1, p.offset, v->width);
	}
	return e != EXPR_NONE ? e : leaf_here(m, where);
}

/* A choice, or a sum, in the form that pointers and counts have here; EXPR_NONE: a pointer to one of several roots. */
static expr_t settled(struct merge *m, struct vc *v, expr_t e, int is_pointer)
{
	struct place p;
	if (!is_pointer)
		return m->replaying ? e : merge_narrow(m, e);
	if (!find_place(v, e, &p))
		return EXPR_NONE;
	if (expr_get(m->pool, e)->op == MUSTER_OP_ITE && !m->replaying)
		p.offset = merge_narrow(m, p.offset);
	return expr_binary(m->pool, MUSTER_OP_ADD, p.root, p.offset);
}

/* The place that is written; 0: it is not known. */
static int find_target(struct merge *m, const struct vc_point *at, uint32_t operand_number, struct place *p, int64_t *offset)
{
	if (find_place(at->vc, operand(at, operand_number), p) && located(m, p, offset))
		return 1;
	if (m->replaying)
		clobber(m, at);
	return 0;
}

static void store(struct merge *m, const struct vc_point *at)
{
	expr_t e = operand(at, 0);
	struct place p;
	int64_t offset;
	if (!find_target(m, at, 1, &p, &offset))
		return;
	if (e == EXPR_NONE)
		e = unsaid(m, at->vc, code_operand_value(at->f, at->at, 0), hash_join(at->context, at->at));
	vc_point_store(at, p.object, offset, (unsigned)value_at(at)->bytes, e != VC_LOST ? e : EXPR_NONE);
}

static void fill(struct merge *m, const struct vc_point *at)
{
	expr_t byte = operand(at, 1), size = operand(at, 2);
	struct place p;
	int64_t offset;
	u128 b, n;
	if (!find_target(m, at, 0, &p, &offset))
		return;
	if (byte == EXPR_NONE || size == EXPR_NONE || !expr_is_const(m->pool, byte, &b) || !expr_is_const(m->pool, size, &n) || n > FILL) {
		if (m->replaying)
			clobber(m, at);
		return;
	}
	for (unsigned i = 0, bytes; i < (unsigned)n; i += bytes) {
		bytes = (unsigned)n - i < 8 ? 1 : 8;
		vc_point_store(at, p.object, offset + i, bytes, expr_const(m->pool, 8 * bytes, (u128)(b & 0xff) * (0x0101010101010101ull >> (64 - 8 * bytes))));
	}
}

/* ---------------------------------------------------------------- instructions */

/* What an operator says about the offsets of two pointers with one root; EXPR_NONE: they have none. */
static expr_t of_offsets(struct merge *m, const struct vc_point *at, expr_t a, expr_t b)
{
	static const uint8_t as_signed[CODE_OP_COUNT] = {[CODE_ULT] = CODE_SLT, [CODE_ULE] = CODE_SLE, [CODE_UGT] = CODE_SGT, [CODE_UGE] = CODE_SGE};
	struct code_value v = *value_at(at);
	struct place p[2];
	if (!find_place(at->vc, a, &p[0]) || !find_place(at->vc, b, &p[1]) || p[0].root != p[1].root)
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
		return pointer(at->vc, hash_join(hash_join(at->call, 4), at->at));
	case CODE_SELECT: /* along the run it is one of two pointers */
		e = v->is_pointer && m->replaying ? operand(at, 0) : EXPR_NONE;
		return e != EXPR_NONE && merge_known(m, e, &is) ? operand(at, is ? 1 : 2) : EXPR_NONE;
	case CODE_CALL:
	case CODE_ATOMIC:
	case CODE_MOVE:
		if (merge_callee(m, at->f, at->at))
			return EXPR_NONE;
		if (!is_quiet(m, v))
			clobber(m, at);
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
	case CODE_FUNCTION:
		return EXPR_NONE;
	case CODE_UNDEF:
		return is_bits(v) ? expr_const(m->pool, v->width, 0) : VC_LOST;
	case CODE_OPAQUE:
		return VC_LOST;
	default:
		return at->outside ? unsaid(m, at->vc, v, hash_join(hash_join(at->call, 1), at->at)) : instruction(m, at);
	}
}

expr_t merge_settle(struct merge *m, const struct vc_point *at, expr_t e)
{
	const struct code_value *v = value_at(at);
	int returns = v->op == CODE_RETURN;
	if (e != EXPR_NONE)
		e = settled(m, at->vc, e, returns ? code_operand_value(at->f, at->at, 0)->is_pointer : v->is_pointer);
	return e != EXPR_NONE || returns ? e : leaf_here(m, at);
}

struct vc_options merge_options(struct merge *m)
{
	return (struct vc_options){.prefix = "merge", .bare = 1, .steps = MERGE_STEPS, .nodes = MERGE_NODES, .value = value, .before = before, .ctx = m};
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
