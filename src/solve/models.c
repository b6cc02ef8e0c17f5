/* models.c: the rung of models seen before.
 *
 * The last models found, in a ring, each tried with the values it has for variables of
 * the slice; everything else stays as in the run, whose own input is tried first. A
 * trial stops at the first constraint that fails, and the rung at a number of steps.
 */
#include "base/limit.h"
#include "solve/ladder.h"

#define MODEL_STEPS LIMIT(800, 2) /* terms valued before the rung gives up | small: it comes before every SAT call */
#define MODEL_VALUES LIMIT(64, 1) /* values of a model that is kept; larger ones cost more than they bring | time: all of them are tried */

void models_put(struct solver *s, const struct solve_model *m)
{
	if (m->values.size == 0 || m->values.size > MODEL_VALUES)
		return;
	model_copy(&s->ring[s->ring_next], m);
	s->ring_next = (s->ring_next + 1) % MODEL_RING;
}

static int touches(const struct query *q, uint32_t variable)
{
	uint32_t root = partition_find(&q->path->slices, variable);

	for (size_t i = 0; i < q->roots.size; i++)
		if (q->roots.data[i] == root)
			return 1;
	return 0;
}

/* 1 if the model holds here. */
static int try_model(struct query *q, const struct solve_model *m)
{
	struct solve_path *path = q->path;

	trial_begin(path);
	for (size_t i = 0; i < m->values.size; i++) {
		const struct solve_value *v = &m->values.data[i];
		expr_t e;

		if (v->op == EXPR_OP_NAMED) /* known in its own pool only */
			continue;
		e = path_variable(path, v->op, v->source, v->index);
		if (e && touches(q, path->nodes[e].variable))
			trial_set(path, e, v->value);
	}
	if (!path->changed.size || !trial_run(q, 0))
		return 0;
	trial_take(q);
	return 1;
}

enum verdict rung_model(struct query *q)
{
	struct solver *s = q->path->solver;
	uint64_t stop = q->path->steps + MODEL_STEPS;

	if (path_seed(q->path, q->goal) == 1) {
		trial_begin(q->path);
		trial_take(q);
		return VERDICT_SAT;
	}
	for (unsigned i = 0; i < MODEL_RING && q->path->steps < stop; i++) {
		const struct solve_model *m =
		    &s->ring[(s->ring_next + MODEL_RING - 1 - i) % MODEL_RING];

		if (m->values.size && try_model(q, m))
			return VERDICT_SAT;
	}
	return VERDICT_UNKNOWN;
}
