/* path.c: the prefix of a run as a graph.
 *
 * Each term that a constraint or a goal contains is valued once, in the values the
 * run had: terms that are met for the first time are collected by a walk that stops at those known,
 * sorted (operands are older than their users, so ascending ids are a right order) and computed.
 * Terms below a constraint are also linked: an operand knows who uses it, which is what a trial
 * follows (trial.c), and all variables below them are in one class of the partition. So a walk over
 * a new constraint may stop at linked terms, and the cost of a path is that of its DAG, not that of
 * its constraints written out.
 */
#include "solve/ladder.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

struct solve_path *solve_path_new(struct solver *s, struct exprs *p,
				  u128 (*value)(void *ctx, expr_t variable), void *ctx)
{
	struct solve_path *path = mem_zalloc(sizeof *path);

	path->solver = s;
	path->pool = p;
	path->value = value;
	path->ctx = ctx;
	vec_push(&path->uses, (struct node_use){0}); /* 0 is none */
	vec_push(&path->unary, (struct unary){0});
	return path;
}

void solve_path_free(struct solve_path *path)
{
	if (!path)
		return;
	path_backends_close(path);
	free(path->nodes);
	vec_release(&path->uses);
	vec_release(&path->vars);
	vec_release(&path->unary);
	vec_release(&path->constraints);
	partition_release(&path->slices);
	partition_release(&path->groups);
	map_release(&path->name);
	map_release(&path->facts);
	vec_release(&path->fact);
	map_release(&path->refuted);
	map_release(&path->range_at);
	vec_release(&path->ranges);
	vec_release(&path->heap);
	vec_release(&path->changed);
	vec_release(&path->violated);
	vec_release(&path->live);
	vec_release(&path->within);
	vec_release(&path->stack);
	vec_release(&path->fresh);
	free(path);
}

uint64_t solve_path_bytes(const struct solve_path *path)
{
	return path->node_room * sizeof *path->nodes + path->uses.cap * sizeof *path->uses.data +
	       path->vars.cap * sizeof *path->vars.data +
	       (path->facts.cap + path->refuted.cap + path->name.cap) * (sizeof *path->facts.entries + 1);
}

uint32_t solve_path_mark(const struct solve_path *path)
{
	return (uint32_t)path->constraints.size;
}

void solve_path_within(struct solve_path *path, const uint32_t *marks, size_t count)
{
	path->calls = 1;
	vec_clear(&path->within);
	for (size_t i = 0; i < count; i++)
		vec_push(&path->within, marks[i]);
}

/* ------------------------------------------------------------------- terms */
static int is_variable(const struct expr_node *n)
{
	return n->op == MUSTER_OP_INPUT || n->op == MUSTER_OP_LENGTH || n->op == EXPR_OP_NAMED;
}

void path_operands(const struct solve_path *path, expr_t e, void (*f)(void *ctx, expr_t operand),
		   void *ctx)
{
	const struct expr_node *n = expr_get(path->pool, e);

	if (n->op == MUSTER_OP_CONST || is_variable(n))
		return;
	if (n->op == MUSTER_OP_DATA) {
		uint64_t count = expr_data_count(path->pool, e);
		expr_t last = EXPR_NONE;

		for (uint64_t i = 0; i < count; i++) {
			expr_t byte = expr_data_byte(path->pool, e, i);

			if (byte != last)
				f(ctx, byte);
			last = byte;
		}
		return;
	}
	if (n->a)
		f(ctx, n->a);
	if (n->b && n->b != n->a)
		f(ctx, n->b);
	if (n->c && n->c != n->b && n->c != n->a)
		f(ctx, n->c);
}

int path_bytes_read(const struct solve_path *path, const struct expr_node *n, expr_t *data, expr_t *index, uint64_t *at)
{
	int data_first = expr_get(path->pool, n->a)->op == MUSTER_OP_DATA;
	uint64_t bytes = n->width / 8, count;

	*data = data_first ? n->a : n->b;
	*index = data_first ? n->b : n->a;
	*at = (uint64_t)path_seed(path, *index);
	count = expr_data_count(path->pool, *data);
	return *at < count && bytes <= count - *at;
}

void path_operands_in_run(const struct solve_path *path, expr_t e, void (*f)(void *ctx, expr_t operand), void *ctx)
{
	const struct expr_node *n = expr_get(path->pool, e);
	expr_t data, index;
	uint64_t at, bytes = n->width / 8;

	if (n->op != MUSTER_OP_READ || !path_bytes_read(path, n, &data, &index, &at)) {
		path_operands(path, e, f, ctx);
		return;
	}
	f(ctx, index);
	for (uint64_t k = 0; k < bytes; k++)
		f(ctx, expr_data_byte(path->pool, data, at + k));
}

int expr_is_not(const struct exprs *p, expr_t e, expr_t *inner)
{
	const struct expr_node *n = expr_get(p, e);
	u128 one;

	if (n->op != MUSTER_OP_XOR || n->width != 1)
		return 0;
	if (expr_is_const(p, n->b, &one) && one)
		*inner = n->a;
	else if (expr_is_const(p, n->a, &one) && one)
		*inner = n->b;
	else
		return 0;
	return 1;
}

/* What an operator gives where C leaves it undefined: SMT-LIB's value. */
static u128 total(enum muster_op op, unsigned width, u128 a, u128 b)
{
	int negative = (int)(a >> (width - 1) & 1);

	switch (op) {
	case MUSTER_OP_UDIV:
		return op_mask(~(u128)0, width);
	case MUSTER_OP_SDIV: /* by 0: -1, or 1 for a negative one; the least by -1: itself */
		return b ? a : negative ? 1 : op_mask(~(u128)0, width);
	case MUSTER_OP_UREM:
		return a;
	case MUSTER_OP_SREM:
		return b ? 0 : a;
	case MUSTER_OP_ASHR:
		return negative ? op_mask(~(u128)0, width) : 0;
	default:
		return 0;
	}
}

/* A byte of the table that is not there reads as 0. */
static u128 apply_read(const struct solve_path *path, const struct expr_node *n)
{
	int data_first = expr_get(path->pool, n->a)->op == MUSTER_OP_DATA;
	expr_t data = data_first ? n->a : n->b;
	uint64_t at = (uint64_t)trial_value(path, data_first ? n->b : n->a);
	uint64_t count = expr_data_count(path->pool, data), bytes = n->width / 8;
	u128 r = 0;

	for (uint64_t i = 0; i < bytes; i++) {
		uint64_t k = at + i;

		if (k >= at && k < count)
			r |= trial_value(path, expr_data_byte(path->pool, data, k)) << (8 * i);
	}
	return r;
}

u128 path_apply(const struct solve_path *path, expr_t e)
{
	const struct expr_node *n = expr_get(path->pool, e);
	u128 a, b, c, out;
	unsigned from, low;

	switch (n->op) {
	case MUSTER_OP_CONST:
		return (u128)n->high << 64 | n->k;
	case MUSTER_OP_DATA:
		return 0;
	case MUSTER_OP_READ:
		return apply_read(path, n);
	}
	if (n->op > EXPR_OP_NAMED || !n->width) /* opaque */
		return 0;
	a = n->a ? trial_value(path, n->a) : 0;
	b = n->b ? trial_value(path, n->b) : 0;
	c = n->c ? trial_value(path, n->c) : 0;
	from = n->a ? expr_get(path->pool, n->a)->width : n->width;
	low = n->op == MUSTER_OP_CONCAT ? expr_get(path->pool, n->b)->width : (unsigned)n->k;
	if (n->width <= 64 && from <= 64) {
		uint64_t out64;

		if (op_apply64(n->op, n->width, from, low, (uint64_t)a, (uint64_t)b, (uint64_t)c,
			       &out64) == OP_OK)
			return out64;
	} else if (op_apply(n->op, n->width, from, low, a, b, c, &out) == OP_OK) {
		return out;
	}
	return total(n->op, n->width, a, b);
}

/* --------------------------------------------------------------- valuation */
/* Fresh zeroed memory instead of clearing: of a large pool a short path touches little. */
static void more_nodes(struct solve_path *path)
{
	uint32_t need = exprs_count(path->pool), room = path->node_room;
	struct node *old = path->nodes;

	if (need <= room)
		return;
	room = need > 2 * room ? need + need / 4 + 64 : 2 * room;
	path->nodes = mem_zalloc(room * sizeof *path->nodes);
	if (old)
		memcpy(path->nodes, old, path->node_room * sizeof *path->nodes);
	path->node_room = room;
	free(old);
}

static uint64_t name_key(uint32_t op, uint32_t source, uint64_t index)
{
	uint64_t key[2] = {(uint64_t)op << 32 | source, index};

	return hash64(key, sizeof key, 0);
}

struct solve_value path_identity(const struct solve_path *path, expr_t variable)
{
	const struct expr_node *n = expr_get(path->pool, variable);
	struct solve_value v = {.op = n->op};

	v.source = n->op == EXPR_OP_NAMED ? variable : n->a;
	v.index = n->op == MUSTER_OP_INPUT ? n->k : 0;
	return v;
}

expr_t path_variable(const struct solve_path *path, uint32_t op, uint32_t source, uint64_t index)
{
	uint64_t e;
	struct solve_value v;

	if (!map_get(&path->name, name_key(op, source, index), &e))
		return EXPR_NONE;
	v = path_identity(path, (expr_t)e);
	return v.op == op && v.source == source && v.index == index ? (expr_t)e : EXPR_NONE;
}

static void value_variable(struct solve_path *path, expr_t e)
{
	struct node *n = &path->nodes[e];
	struct variable v = {.term = e, .since = UINT32_MAX};
	struct solve_value id = path_identity(path, e);

	n->seed = op_mask(path->value(path->ctx, e), expr_width(path->pool, e));
	n->home = e;
	n->vars = 1;
	n->variable = (uint32_t)path->vars.size;
	vec_push(&path->vars, v);
	map_set(&path->name, name_key(id.op, id.source, id.index), e);
	partition_variable(&path->slices);
	partition_variable(&path->groups);
}

struct below { /* what operands have in common with their user */
	struct solve_path *path;
	struct node *node;
};

static void note_variable(struct node *n, expr_t v)
{
	if (!v || n->vars == 3 || v == n->home || (n->vars == 2 && v == n->other))
		return;
	if (n->vars == 0)
		n->home = v;
	else if (n->vars == 1)
		n->other = v;
	n->vars++;
}

static void note_operand(void *ctx, expr_t operand)
{
	struct below *b = ctx;
	const struct node *o = &b->path->nodes[operand];

	note_variable(b->node, o->home);
	if (o->vars == 2)
		note_variable(b->node, o->other);
	if (o->vars == 3)
		b->node->vars = 3;
	b->node->flags |= o->flags & NODE_OPAQUE;
}

static void stack_unvalued(void *ctx, expr_t operand)
{
	struct solve_path *path = ctx;

	if (!(path->nodes[operand].flags & NODE_VALUED))
		vec_push(&path->stack, operand);
}

static int ascending(const void *a, const void *b)
{
	expr_t x = *(const expr_t *)a, y = *(const expr_t *)b;

	return x < y ? -1 : x > y;
}

int path_value(struct solve_path *path, expr_t e)
{
	more_nodes(path);
	vec_clear(&path->fresh);
	vec_clear(&path->stack);
	stack_unvalued(path, e);
	while (path->stack.size) {
		expr_t t = vec_pop(&path->stack);

		if (path->nodes[t].flags & NODE_VALUED)
			continue;
		path->nodes[t].flags |= NODE_VALUED;
		vec_push(&path->fresh, t);
		path_operands(path, t, stack_unvalued, path);
	}
	if (path->fresh.size > 1)
		qsort(path->fresh.data, path->fresh.size, sizeof(expr_t), ascending);
	trial_begin(path); /* so that operands have the run's values */
	for (size_t i = 0; i < path->fresh.size; i++) {
		expr_t t = path->fresh.data[i];
		struct below b = {path, &path->nodes[t]};

		if (is_variable(expr_get(path->pool, t))) {
			value_variable(path, t);
			continue;
		}
		path_operands(path, t, note_operand, &b);
		if (expr_get(path->pool, t)->op > EXPR_OP_NAMED)
			b.node->flags |= NODE_OPAQUE;
		b.node->seed = path_apply(path, t);
	}
	return path->nodes[e].flags & NODE_OPAQUE ? -1 : 0;
}

/* -------------------------------------------------------------- constraints */
struct linking {
	struct solve_path *path;
	expr_t user;
};

static void link_operand(void *ctx, expr_t operand)
{
	struct linking *l = ctx;
	struct solve_path *path = l->path;
	struct node *n = &path->nodes[operand];

	if (!n->vars)
		return;
	vec_push(&path->uses, (struct node_use){l->user, n->uses});
	n->uses = (uint32_t)path->uses.size - 1;
	vec_push(&path->stack, operand);
}

/* Links e and what is below it, and joins the classes of its variables. */
static void path_link(struct solve_path *path, expr_t e)
{
	uint32_t home = path->nodes[path->nodes[e].home].variable;

	vec_clear(&path->stack);
	vec_push(&path->stack, e);
	while (path->stack.size) {
		expr_t t = vec_pop(&path->stack);
		struct node *n = &path->nodes[t];
		struct linking l = {path, t};
		uint32_t v = path->nodes[n->home].variable;

		if (n->home == t || n->flags & NODE_LINKED) {
			partition_join(&path->slices, home, v);
			groups_join(path, home, v);
		}
		if (n->flags & NODE_LINKED)
			continue;
		n->flags |= NODE_LINKED;
		path_operands(path, t, link_operand, &l);
	}
}

static void stack_unused(void *ctx, expr_t operand)
{
	struct solve_path *path = ctx;

	if (path->nodes[operand].vars && !(path->nodes[operand].flags & NODE_USED))
		vec_push(&path->stack, operand);
}

/* Variables that this constraint's value in the run came from, and no other's before it. */
static void note_used(struct solve_path *path, expr_t e)
{
	vec_clear(&path->stack);
	stack_unused(path, e);
	while (path->stack.size) {
		expr_t t = vec_pop(&path->stack);
		struct node *n = &path->nodes[t];

		if (n->flags & NODE_USED)
			continue;
		n->flags |= NODE_USED;
		if (n->home == t)
			path->vars.data[n->variable].since = (uint32_t)path->constraints.size;
		else
			path_operands_in_run(path, t, stack_unused, path);
	}
}

static void add_unary(struct solve_path *path, expr_t e)
{
	struct variable *v = &path->vars.data[path->nodes[path->nodes[e].home].variable];

	vec_push(&path->unary, (struct unary){e, v->unary});
	v->unary = (uint32_t)path->unary.size - 1;
}

/* Operands of a conjunction, in either of its forms. */
static int conjuncts(struct exprs *p, expr_t e, expr_t out[2])
{
	const struct expr_node *n = expr_get(p, e);
	expr_t inner;

	if (n->op == MUSTER_OP_AND && n->width == 1) {
		out[0] = n->a;
		out[1] = n->b;
		return 1;
	}
	if (!expr_is_not(p, e, &inner))
		return 0;
	n = expr_get(p, inner);
	if (n->op != MUSTER_OP_OR)
		return 0;
	out[0] = n->a;
	out[1] = n->b;
	out[0] = expr_not(p, out[0]);
	out[1] = expr_not(p, out[1]);
	return 1;
}

static int add_one(struct solve_path *path, expr_t e)
{
	struct node *n;
	uint32_t home;
	struct hash128 digest;

	path_value(path, e);
	n = &path->nodes[e];
	if (!n->vars || n->flags & NODE_CONSTRAINT)
		return 0;
	path_link(path, e);
	if (path->calls)
		note_used(path, e);
	n = &path->nodes[e];
	n->flags |= NODE_CONSTRAINT;
	if (n->vars == 1)
		add_unary(path, e);
	home = path->nodes[n->home].variable;
	digest = expr_digest(path->pool, e);
	vec_push(&path->constraints, e);
	partition_constraint(&path->slices, home, digest);
	partition_constraint(&path->groups, home, digest);
	local_learn(path, e);
	return 1;
}

int solve_path_add(struct solve_path *path, expr_t constraint)
{
	expr_vec todo = {0};
	int fresh = 0;

	if (path_value(path, constraint) < 0)
		return error_set("a path's constraint has an uninterpreted function or an array without a size");
	if (!path_seed(path, constraint))
		return error_set("the run's values do not satisfy the constraint");
	vec_push(&todo, constraint);
	while (todo.size) {
		expr_t e = vec_pop(&todo), part[2];

		if (conjuncts(path->pool, e, part)) {
			vec_push(&todo, part[1]);
			vec_push(&todo, part[0]);
		} else {
			fresh |= add_one(path, e);
		}
	}
	vec_release(&todo);
	return fresh;
}
