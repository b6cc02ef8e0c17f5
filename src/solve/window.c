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

enum verdict window_solve(struct query *q, const expr_vec *open, size_t most, uint64_t conflicts)
{
	struct window w = {.q = q, .open = open, .to = exprs_new()};
	struct solve_path *path = q->path;
	enum verdict v = VERDICT_UNKNOWN;

	if (cone_find(&w, most)) {
		struct backend *b = backend_blast.open(&backend_blast, w.to);

		if (window_check(&w, b, conflicts) == VERDICT_SAT) {
			trial_begin(path);
			for (size_t i = 0; i < open->size; i++)
				trial_set(path, open->data[i],
					  b->value(b, image_of(&w, open->data[i])));
			if (trial_run(q, 0)) {
				trial_take(q);
				v = VERDICT_SAT;
			} else {
				path->solver->stats.bad_models++;
			}
		}
		b->close(b);
	}
	exprs_free(w.to);
	map_release(&w.image);
	vec_release(&w.cone);
	return v;
}
