/* window.c: the SAT solver on a few variables, everything else as in the run.
 *
 * In a large slice (a checksum over all of the input, compared again and again)
 * the goal can mostly be satisfied by changing a few bytes near it. These stay variables;
 * all others become the constants they were in the run. Only terms in the cone of the
 * free variables are built again, from the values the run gave their other operands, so
 * the cost depends on the cone, not on the slice; they live in a pool of their own that is
 * freed with the query. A model is a model of the slice; that there is none says nothing.
 */
#include "solve/window.h"

#include "base/limit.h"

#include <stdlib.h>

struct window {
	struct query *q;
	struct exprs *to; /* pool of the images */
	struct map image; /* term in the cone: the term it becomes */
	expr_vec cone;	  /* linked terms, ascending after the sort */
	const expr_vec *open;
};

static expr_t image_of(struct window *w, expr_t e)
{
	const struct solve_path *path = w->q->path;
	uint64_t image;

	if (map_get(&w->image, e, &image) && image)
		return (expr_t)image;
	return expr_const(w->to, expr_width(path->pool, e), path_seed(path, e));
}

static expr_t rebuild_data(struct window *w, expr_t data)
{
	struct exprs *p = w->q->path->pool;
	uint64_t count = expr_data_count(p, data);
	expr_vec bytes = {0};
	expr_t e;

	for (uint64_t i = 0; i < count; i++)
		vec_push(&bytes, image_of(w, expr_data_byte(p, data, i)));
	e = expr_data(w->to, bytes.data, count);
	vec_release(&bytes);
	return e;
}

static expr_t rebuild_read(struct window *w, const struct expr_node *n)
{
	struct exprs *p = w->q->path->pool;
	int data_first = expr_get(p, n->a)->op == MUSTER_OP_DATA;
	expr_t data = data_first ? n->a : n->b;
	expr_t at = image_of(w, data_first ? n->b : n->a);
	uint64_t image;

	if (!map_get(&w->image, data, &image) || !image) { /* all its bytes are constant here */
		image = rebuild_data(w, data);
		map_set(&w->image, data, image);
	}
	return expr_read(w->to, (expr_t)image, at, n->width);
}

/* The variable of the same identity. */
static expr_t rebuild_variable(struct window *w, expr_t e)
{
	const struct expr_node *n = expr_get(w->q->path->pool, e);

	if (n->op == MUSTER_OP_INPUT)
		return expr_input(w->to, n->a, n->k);
	if (n->op == MUSTER_OP_LENGTH)
		return expr_length(w->to, n->a);
	return expr_named(w->to, n->width, expr_name(w->q->path->pool, e));
}

/* The term with the images of its operands. */
static expr_t rebuild(struct window *w, expr_t e)
{
	struct exprs *p = w->to;
	struct expr_node n = *expr_get(w->q->path->pool, e);
	expr_t a, b;

	if (n.op == MUSTER_OP_DATA)
		return rebuild_data(w, e);
	if (n.op == MUSTER_OP_READ)
		return rebuild_read(w, &n);
	a = image_of(w, n.a);
	switch (n.op) {
	case MUSTER_OP_EXTRACT:
		return expr_extract(p, a, (unsigned)n.k, n.width);
	case MUSTER_OP_ZEXT:
		return expr_zext(p, a, n.width);
	case MUSTER_OP_SEXT:
		return expr_sext(p, a, n.width);
	case MUSTER_OP_BSWAP:
	case MUSTER_OP_BITREVERSE:
	case MUSTER_OP_CTPOP:
	case MUSTER_OP_CTLZ:
	case MUSTER_OP_CTTZ:
		return expr_unary(p, n.op, a);
	}
	b = image_of(w, n.b);
	if (n.op == MUSTER_OP_CONCAT)
		return expr_concat(p, a, b);
	if (n.op == MUSTER_OP_ITE)
		return expr_ite(p, a, b, image_of(w, n.c));
	return expr_binary(p, n.op, a, b);
}

static void cone_add(struct window *w, expr_t e)
{
	struct solve_path *path = w->q->path;

	for (uint32_t u = path->nodes[e].uses; u; u = path->uses.data[u].next)
		if (map_set(&w->image, path->uses.data[u].user, EXPR_NONE))
			vec_push(&w->cone, path->uses.data[u].user);
}

/* What depends on the free variables, among linked terms. 0 if it is too much. */
static int cone_find(struct window *w, size_t most)
{
	for (size_t i = 0; i < w->open->size; i++) {
		map_set(&w->image, w->open->data[i], rebuild_variable(w, w->open->data[i]));
		cone_add(w, w->open->data[i]);
	}
	for (size_t i = 0; i < w->cone.size; i++) {
		if (w->cone.size > most)
			return 0;
		cone_add(w, w->cone.data[i]);
	}
	sort_unique(&w->cone);
	return 1;
}

static enum verdict window_check(struct window *w, struct backend *b, uint64_t conflicts)
{
	struct query *q = w->q;
	struct solve_path *path = q->path;
	struct backend_limits l = {.conflicts = conflicts, .seconds = query_seconds(q)};
	expr_t e;

	for (size_t i = 0; i < w->cone.size; i++) {
		e = rebuild(w, w->cone.data[i]);
		map_set(&w->image, w->cone.data[i], e);
		if (path->nodes[w->cone.data[i]].flags & NODE_CONSTRAINT)
			b->assert_term(b, e);
	}
	for (size_t i = 0; i < q->nodes.size; i++) {
		e = rebuild(w, q->nodes.data[i]);
		map_set(&w->image, q->nodes.data[i], e);
	}
	e = image_of(w, q->goal);
	if (e == expr_false(w->to))
		return VERDICT_UNSAT; /* of the window */
	return b->check(b, e, &l);
}

/* The backend's values of the open variables are a model only if a trial of the whole path says so. */
static enum verdict window_model(struct window *w, struct backend *b)
{
	struct query *q = w->q;

	trial_begin(q->path);
	for (size_t i = 0; i < w->open->size; i++)
		trial_set(q->path, w->open->data[i], b->value(b, image_of(w, w->open->data[i])));
	if (!trial_run(q, 0)) {
		q->path->solver->stats.bad_models++;
		return VERDICT_UNKNOWN;
	}
	trial_take(q);
	return VERDICT_SAT;
}

static void window_release(struct window *w)
{
	exprs_free(w->to);
	map_release(&w->image);
	vec_release(&w->cone);
}

enum verdict window_solve(struct query *q, const expr_vec *open, size_t most, uint64_t conflicts)
{
	struct window w = {.q = q, .open = open, .to = exprs_new()};
	enum verdict v = VERDICT_UNKNOWN;

	if (cone_find(&w, most)) {
		struct backend *b = backend_blast.open(&backend_blast, w.to);

		if (window_check(&w, b, conflicts) == VERDICT_SAT)
			v = window_model(&w, b);
		b->close(b);
	}
	window_release(&w);
	return v;
}

/* ------------------------------------------------- variables of the own call */

#define WITHIN_VARS LIMIT(128, 1) /* open variables | as the largest window of sat.c */
#define WITHIN_WALK LIMIT(4000, 8) /* terms of a goal that are looked at for its variables | a goal that is deeper is not about a few bytes */
#define WITHIN_TERMS LIMIT(1000, 8) /* terms that are built | as the smallest window of sat.c */
#define WITHIN_CONFLICTS LIMIT(2000, 2) /* of one try | as a window of sat.c */
#define WITHIN_CALLS LIMIT(3, 1) /* calls around a question whose variables are tried | each is a try */

struct walk {
	struct solve_path *path;
	struct map met;
	expr_vec todo;
};

static void walk_add(void *ctx, expr_t e)
{
	struct walk *w = ctx;

	if (w->path->nodes[e].vars && map_set(&w->met, e, 1))
		vec_push(&w->todo, e);
}

/* The variables that the goal's value came from in the run. */
static void goal_vars(struct query *q, expr_vec *out)
{
	struct walk w = {.path = q->path};

	walk_add(&w, q->goal);
	for (size_t i = 0; i < w.todo.size && w.todo.size < WITHIN_WALK; i++) {
		if (q->path->nodes[w.todo.data[i]].home == w.todo.data[i])
			vec_push(out, w.todo.data[i]);
		else
			path_operands_in_run(q->path, w.todo.data[i], walk_add, &w);
	}
	map_release(&w.met);
	vec_release(&w.todo);
}

static int is_open(struct window *w, expr_t e)
{
	uint64_t image;

	return map_get(&w->image, e, &image);
}

/* The term over the open variables. A read at a place that they do not change is one of the bytes there. */
static expr_t become(struct window *w, expr_t e)
{
	const struct solve_path *path = w->q->path;
	const struct expr_node *n = expr_get(path->pool, e);
	expr_t data, index, all = EXPR_NONE;
	uint64_t at;

	if (n->op != MUSTER_OP_READ || !path_bytes_read(path, n, &data, &index, &at) || is_open(w, index))
		return rebuild(w, e);
	for (uint64_t k = 0; k < n->width / 8; k++) {
		expr_t byte = image_of(w, expr_data_byte(path->pool, data, at + k));

		all = all ? expr_concat(w->to, byte, all) : byte;
	}
	return all;
}

/* Builds what depends on the open variables, in ascending order, from them up, and asserts the constraints among it; what becomes a constant is as it was in the run, and what is above it
 * does not change for its sake. 0: it is too much. */
static int build_up(struct window *w, struct backend *b)
{
	struct solve_path *path = w->q->path;
	size_t built = 0;
	expr_t e;
	u128 c;

	trial_begin(path);
	for (size_t i = 0; i < w->open->size; i++) {
		map_set(&w->image, w->open->data[i], rebuild_variable(w, w->open->data[i]));
		trial_follow(path, w->open->data[i]);
	}
	while ((e = trial_next(path)) != EXPR_NONE) {
		int is_table = expr_get(path->pool, e)->op == MUSTER_OP_DATA;
		expr_t image = is_table ? EXPR_NONE : become(w, e); /* tables are built where they are read */

		if (!is_table && expr_is_const(w->to, image, &c))
			continue;
		if (++built > WITHIN_TERMS)
			return 0;
		map_set(&w->image, e, image);
		if (path->nodes[e].flags & NODE_CONSTRAINT)
			b->assert_term(b, image);
		trial_follow(path, e);
	}
	return 1;
}

static enum verdict try_open(struct query *q, const expr_vec *open)
{
	struct window w = {.q = q, .open = open, .to = exprs_new()};
	struct backend *b = backend_blast.open(&backend_blast, w.to);
	struct backend_limits l = {.conflicts = WITHIN_CONFLICTS, .seconds = query_seconds(q)};
	enum verdict v = VERDICT_UNKNOWN;

	if (build_up(&w, b)) {
		for (size_t i = 0; i < q->nodes.size; i++)
			map_set(&w.image, q->nodes.data[i], become(&w, q->nodes.data[i]));
		if (image_of(&w, q->goal) != expr_false(w.to) && b->check(b, image_of(&w, q->goal), &l) == VERDICT_SAT)
			v = window_model(&w, b);
	}
	b->close(b);
	window_release(&w);
	return v;
}

enum verdict window_within(struct query *q)
{
	const struct solve_path *path = q->path;
	expr_vec all = {0}, open = {0};
	enum verdict v = VERDICT_UNKNOWN;
	size_t last = 0;
	unsigned tries = 0;

	goal_vars(q, &all);
	for (size_t i = 0; i < path->within.size && v == VERDICT_UNKNOWN && tries < WITHIN_CALLS; i++) {
		vec_clear(&open);
		for (size_t k = 0; k < all.size; k++)
			if (path->vars.data[path->nodes[all.data[k]].variable].since >= path->within.data[i])
				vec_push(&open, all.data[k]);
		if (open.size <= last)
			continue;
		if (open.size > WITHIN_VARS)
			break;
		last = open.size;
		tries++;
		v = try_open(q, &open);
	}
	vec_release(&all);
	vec_release(&open);
	return v;
}
