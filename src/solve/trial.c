/* trial.c: does the path hold with other values for some variables?
 *
 * Nothing is evaluated that did not change: from the variables that got another
 * value the change is followed upwards through the uses of linked terms, in ascending order of
 * ids (a heap), so that a term is computed once and after its operands; it stops where
 * a term's value is that of the run. A constraint reached this way whose value is
 * now 0 fails the trial; one that is not reached has its value of the run, 1. Then the
 * goal's own terms, which are not linked, are computed in order. The values of
 * the trial are marked by its number (epoch); beginning another one forgets them all.
 */
#include "solve/ladder.h"

#include <string.h>

void trial_begin(struct solve_path *path)
{
	vec_clear(&path->heap);
	vec_clear(&path->changed);
	vec_clear(&path->violated);
	if (++path->epoch)
		return;
	for (uint32_t i = 0; i < path->node_room; i++) /* the number wrapped around */
		path->nodes[i].stamp = path->nodes[i].queued = 0;
	path->epoch = 1;
}

static void heap_push(struct solve_path *path, expr_t e)
{
	size_t i = path->heap.size;

	vec_push(&path->heap, e);
	for (; i && path->heap.data[(i - 1) / 2] > e; i = (i - 1) / 2)
		path->heap.data[i] = path->heap.data[(i - 1) / 2];
	path->heap.data[i] = e;
}

static expr_t heap_pop(struct solve_path *path)
{
	expr_t *h = path->heap.data, top = h[0], last = vec_pop(&path->heap);
	size_t n = path->heap.size, i = 0;

	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && h[child + 1] < h[child])
			child++;
		if (h[child] >= last)
			break;
		h[i] = h[child];
	}
	h[i] = last;
	return top;
}

static void queue_uses(struct solve_path *path, const struct node *n)
{
	for (uint32_t u = n->uses; u; u = path->uses.data[u].next) {
		expr_t user = path->uses.data[u].user;

		if (path->nodes[user].queued != path->epoch) {
			path->nodes[user].queued = path->epoch;
			heap_push(path, user);
		}
	}
}

void trial_follow(struct solve_path *path, expr_t e)
{
	queue_uses(path, &path->nodes[e]);
}

expr_t trial_next(struct solve_path *path)
{
	return path->heap.size ? heap_pop(path) : EXPR_NONE;
}

void trial_set(struct solve_path *path, expr_t variable, u128 value)
{
	struct node *n = &path->nodes[variable];

	value = op_mask(value, expr_width(path->pool, variable));
	if (value == n->seed || n->stamp == path->epoch)
		return;
	n->now = value;
	n->stamp = path->epoch;
	vec_push(&path->changed, variable);
	queue_uses(path, n);
}

/* Values what waits. 0 as soon as a constraint fails, unless all are wanted. */
static int propagate(struct solve_path *path, int all)
{
	while (path->heap.size) {
		expr_t e = heap_pop(path);
		struct node *n = &path->nodes[e];

		path->steps++;
		if (expr_get(path->pool, e)->op == MUSTER_OP_DATA) {
			queue_uses(path, n); /* it has no value of its own */
			continue;
		}
		n->now = path_apply(path, e);
		if (n->now == n->seed)
			continue;
		n->stamp = path->epoch;
		if (n->flags & NODE_CONSTRAINT) {
			if (!all)
				return 0;
			vec_push(&path->violated, e);
		}
		queue_uses(path, n);
	}
	return path->violated.size == 0;
}

int trial_run(struct query *q, int all)
{
	struct solve_path *path = q->path;
	int ok;

	if (!propagate(path, all) && !all)
		return 0;
	ok = path->violated.size == 0;
	for (size_t i = 0; i < q->nodes.size; i++) {
		expr_t e = q->nodes.data[i];
		struct node *n = &path->nodes[e];

		n->now = path_apply(path, e);
		n->stamp = n->now == n->seed ? path->epoch - 1 : path->epoch;
	}
	path->steps += q->nodes.size;
	return ok && trial_value(path, q->goal) == 1;
}

void trial_take(struct query *q)
{
	struct solve_path *path = q->path;

	vec_clear(&q->model->values);
	for (size_t i = 0; i < path->changed.size; i++) {
		struct solve_value v = path_identity(path, path->changed.data[i]);

		v.value = path->nodes[path->changed.data[i]].now;
		vec_push(&q->model->values, v);
	}
}

int trial_assign(struct query *q, const struct assignment *a, size_t count)
{
	trial_begin(q->path);
	for (size_t i = 0; i < count; i++)
		trial_set(q->path, a[i].variable, a[i].value);
	if (!trial_run(q, 0))
		return 0;
	trial_take(q);
	return 1;
}
