/* sat.c: the complete rungs: bit-blasting with a solver for each group of variables, Z3, and the
 * goal alone.
 *
 * A group of variables owns, from the first query that comes this far, a backend in
 * which its constraints are asserted for good as the path grows (the run satisfies
 * them), so each is blasted once; the goal is only assumed. A goal over several groups joins them:
 * what is asserted more than needed is satisfied by the run's values of variables that the slice
 * does not have, so neither answer changes. The model is read for the variables of the slice only.
 * Few backends are alive at a time; the one asked least recently is closed and begins again when it
 * is needed.
 */
#include "solve/window.h"

#include "base/budget.h"
#include "base/limit.h"

#define LIVE_MOST LIMIT(24, 1) /* SAT solvers kept for further queries of their path: their memory | bounds memory */
#define Z3_MOST LIMIT(20000, 2) /* terms of a query for Z3 | beyond it only time is lost */
#define CONFLICTS LIMIT(20000, 2) /* conflicts of one query: bounds the time of the bit-blaster | the option's default */
#define SHRINK_STEPS LIMIT(3000, 2) /* terms valued to make a model smaller | half of SEARCH_STEPS */

static void backend_drop(struct part *g)
{
	if (g->backend)
		g->backend->close(g->backend);
	g->backend = NULL;
	g->pending = g->first;
	g->asserted = 0;
}

void path_backends_close(struct solve_path *path)
{
	for (size_t i = 0; i < path->live.size; i++)
		backend_drop(&path->groups.parts.data[path->live.data[i]]);
	vec_clear(&path->live);
}

/* The loser of a join has no further use for its backend. */
void groups_join(struct solve_path *path, uint32_t a, uint32_t b)
{
	uint32_t x = partition_find(&path->groups, a), y = partition_find(&path->groups, b);

	if (x != y) {
		uint32_t winner = partition_join(&path->groups, x, y);

		backend_drop(&path->groups.parts.data[winner == x ? y : x]);
	}
}

/* Room for one more: forgets joined groups; where they are too many or too large, closes the one that was asked least recently and gives 1. */
static int backends_trim(struct solve_path *path)
{
	struct part *parts = path->groups.parts.data;
	uint64_t bytes = 0;
	size_t kept = 0, oldest = 0;

	for (size_t i = 0; i < path->live.size; i++) {
		uint32_t v = path->live.data[i];

		if (!parts[v].backend)
			continue;
		path->live.data[kept] = v;
		if (parts[v].used < parts[path->live.data[oldest]].used)
			oldest = kept;
		bytes += parts[v].backend->bytes(parts[v].backend);
		kept++;
	}
	path->live.size = kept;
	if (!kept || (kept < LIVE_MOST && bytes <= budget_share(BUDGET_SAT)))
		return 0;
	backend_drop(&parts[path->live.data[oldest]]);
	path->live.data[oldest] = vec_pop(&path->live);
	return 1;
}

/* The backend of the goal's group with all constraints asserted. */
static struct backend *group_backend(struct query *q)
{
	struct solve_path *path = q->path;
	uint32_t root = q->roots.data[0];
	struct part *g;

	for (size_t i = 1; i < q->roots.size; i++)
		groups_join(path, root, q->roots.data[i]);
	root = partition_find(&path->groups, root);
	g = &path->groups.parts.data[root];
	if (!g->backend) {
		while (backends_trim(path))
			;
		backend_drop(g);
		g->backend = backend_blast.open(&backend_blast, path->pool);
		vec_push(&path->live, root);
	}
	for (; g->pending; g->pending = path->groups.next_constraint.data[g->pending - 1]) {
		g->backend->assert_term(g->backend, path->constraints.data[g->pending - 1]);
		g->asserted++;
	}
	g->used = ++path->clock;
	return g->backend;
}

static struct backend_limits limits_of(const struct query *q)
{
	const struct solve_options *o = &q->path->solver->o;

	return (struct backend_limits){.conflicts = o->conflicts ? o->conflicts : CONFLICTS,
				       .work = o->work,
				       .rlimit = o->seconds > 0 ? 0
						 : o->z3_rlimit ? o->z3_rlimit
								: SOLVE_RLIMIT,
				       .seconds = query_seconds(q),
				       .stop = o->stop};
}

/* The backend's values of the slice's variables, as a trial. */
static void trial_read(struct query *q, struct backend *b)
{
	struct solve_path *path = q->path;
	struct partition *s = &path->slices;

	trial_begin(path);
	for (size_t i = 0; i < q->roots.size; i++) {
		uint32_t v = s->parts.data[q->roots.data[i]].first_var;

		for (; v; v = s->next_var.data[v - 1]) {
			expr_t e = path->vars.data[v - 1].term;

			trial_set(path, e, b->value(b, e));
		}
	}
}

/* Variables that need not change keep the run's value: a solver's model changes many for
 * no reason. Halves, quarters and so on of the changes are taken back where the trial still holds.
 */
static void shrink(struct query *q)
{
	struct solve_path *path = q->path;
	uint64_t stop = path->steps + SHRINK_STEPS;
	assignment_vec now = {0}, less = {0};

	for (size_t i = 0; i < path->changed.size; i++) {
		expr_t e = path->changed.data[i];

		vec_push(&now, (struct assignment){e, path->nodes[e].now});
	}
	for (size_t chunk = now.size / 2; chunk && path->steps < stop; chunk /= 2) {
		for (size_t from = 0; from < now.size && path->steps < stop;) {
			vec_clear(&less);
			for (size_t i = 0; i < now.size; i++)
				if (i < from || i >= from + chunk)
					vec_push(&less, now.data[i]);
			if (trial_assign(q, less.data, less.size)) {
				assignment_vec t = now;

				now = less;
				less = t;
			} else {
				from += chunk;
			}
			path->steps += 16; /* of the copying */
		}
	}
	vec_release(&now);
	vec_release(&less);
}

/* A backend's SAT is one only if its model holds. */
static enum verdict checked(struct query *q, struct backend *b, enum verdict v)
{
	if (v != VERDICT_SAT)
		return v;
	trial_read(q, b);
	if (!trial_run(q, 0)) {
		q->path->solver->stats.bad_models++;
		return VERDICT_UNKNOWN;
	}
	trial_take(q);
	if (!q->path->no_seed)
		shrink(q);
	return VERDICT_SAT;
}

/* Large slices: first with few of the goal's variables. */
static enum verdict windows(struct query *q)
{
	static const struct {
		size_t slice; /* with more variables than this */
		unsigned vars, conflicts;
		size_t cone;
	} sizes[] = {{16, 8, 1000, 1000}, {64, 32, 2000, 4000}, {1024, 128, 2000, 16000}};
	enum verdict v = VERDICT_UNKNOWN;
	expr_vec open = {0};
	size_t vars = 0;

	for (size_t i = 0; i < q->roots.size; i++)
		vars += q->path->slices.parts.data[q->roots.data[i]].vars;
	for (unsigned i = 0; i < 3 && v == VERDICT_UNKNOWN && vars > sizes[i].slice; i++) {
		vec_clear(&open);
		query_vars(q, sizes[i].vars, &open);
		v = window_solve(q, &open, sizes[i].cone, sizes[i].conflicts);
		if (open.size < sizes[i].vars)
			break; /* the goal has no more */
	}
	vec_release(&open);
	return v;
}

enum verdict rung_sat(struct query *q)
{
	struct backend_limits l = limits_of(q);
	struct backend *b;

	if ((q->path->within.size ? window_within(q) : windows(q)) == VERDICT_SAT)
		return VERDICT_SAT;
	b = group_backend(q);
	enum verdict v = b->check(b, q->goal, &l);
	q->path->refuter = v == VERDICT_UNSAT ? b : NULL;
	return checked(q, b, v);
}

struct weighing {
	struct solve_path *path;
	struct map met;
	expr_vec stack;
	uint64_t weight;
};

static void weigh_operand(void *ctx, expr_t e)
{
	struct weighing *w = ctx;

	if (w->path->nodes[e].vars && map_set(&w->met, e, 1))
		vec_push(&w->stack, e);
}

/* Are these terms, with a table counted once for each read of it, more than Z3 takes up in reasonable time? It looks at no
 * clock while it reads them. */
static int too_heavy(struct query *q, const expr_vec *terms)
{
	struct weighing w = {.path = q->path};

	for (size_t i = 0; i < terms->size; i++)
		weigh_operand(&w, terms->data[i]);
	weigh_operand(&w, q->goal);
	while (w.stack.size && w.weight <= Z3_MOST) {
		expr_t e = vec_pop(&w.stack);
		const struct expr_node *n = expr_get(q->path->pool, e);

		w.weight++;
		if (n->op == MUSTER_OP_READ)
			w.weight += expr_data_count(q->path->pool, n->b);
		path_operands(q->path, e, weigh_operand, &w);
	}
	map_release(&w.met);
	vec_release(&w.stack);
	return w.weight > Z3_MOST;
}

static void note_usage(struct solve_stats *s)
{
	struct z3_usage u = z3_usage();

	s->z3_started = u.started;
	s->z3_replaced = u.replaced;
	s->z3_killed = u.killed;
	s->z3_peak = u.peak;
}

enum verdict rung_z3(struct query *q)
{
	struct backend_limits l = limits_of(q);
	struct backend *b;
	expr_vec slice = {0};
	enum verdict v;

	if (q->path->solver->o.no_z3)
		return VERDICT_UNKNOWN;
	query_slice(q, &slice);
	if (too_heavy(q, &slice)) {
		vec_release(&slice);
		return VERDICT_UNKNOWN;
	}
	b = backend_z3.open(&backend_z3, q->path->pool);
	for (size_t i = 0; i < slice.size; i++)
		b->assert_term(b, slice.data[i]);
	v = checked(q, b, b->check(b, q->goal, &l));
	b->close(b);
	vec_release(&slice);
	note_usage(&q->path->solver->stats);
	return v;
}

/* The goal with the constraints over single variables of the slice, as far as they are few. */
enum verdict rung_optimistic(struct query *q)
{
	struct solve_path *path = q->path;
	struct backend_limits l = limits_of(q);
	struct backend *b = backend_blast.open(&backend_blast, path->pool);
	enum verdict v;
	expr_t variable = path->nodes[q->goal].home;

	l.conflicts = l.conflicts / 4 + 1;
	if (path->nodes[q->goal].vars == 1)
		for (uint32_t u = path->vars.data[path->nodes[variable].variable].unary; u;
		     u = path->unary.data[u].next)
			b->assert_term(b, path->unary.data[u].constraint);
	v = b->check(b, q->goal, &l);
	if (v == VERDICT_SAT) {
		uint32_t count;
		const expr_t *vars = expr_vars(path->pool, q->goal, &count);
		int holds;

		trial_begin(path);
		for (uint32_t i = 0; i < count; i++)
			trial_set(path, vars[i], b->value(b, vars[i]));
		holds = trial_run(q, 1);
		if (trial_value(path, q->goal) == 1) {
			trial_take(q);
			q->model->optimistic = !holds;
		} else {
			path->solver->stats.bad_models++;
		}
		v = holds ? VERDICT_SAT : VERDICT_UNKNOWN;
	}
	b->close(b);
	return v;
}
