/* steer.c: makes an optimistic answer come true, decision by decision.
 *
 * An answer that left constraints out (concretisations, bounds of an object whose size follows
 * the input's length) usually takes another path before it comes to the branch it was made for.
 * Its own trace shows where; there, the decision the parent took is solved for on the
 * child's path, and the result is run again. Each round moves the point of divergence further
 * along the parent's path, or steering ends. The length stays what the answer made it:
 * otherwise the easiest solution would be the parent's own.
 *
 * What is sent so is marked optimistic; only its run says where it went.
 */
#include "base/deadline.h"
#include "base/hash.h"
#include "base/limit.h"
#include "search/inside.h"

#define ROUNDS LIMIT(24, 1) /* proposals for one comparison: each is a run | each is a run */
#define LAST LIMIT(6, 1) /* of them, whatever a slice has left: nobody steers the same answer again | an input of another length needs one for each field that goes with it */

/* The child's first decision that is not what it should be. */
struct turn {
	size_t step; /* in the child's steps */
	uint32_t ordinal;
	uint32_t outcome; /* that was wanted there */
};

static size_t next_decision(const struct path *p, size_t i)
{
	while (i < p->steps.size && p->steps.data[i].kind != MUSTER_EV_BRANCH &&
	       p->steps.data[i].kind != MUSTER_EV_SWITCH)
		i++;
	return i;
}

/* 1: it turned off at *turn; 0: it reached the target; -1: it is somewhere else altogether. */
static int find_turn(const struct search *s, const struct path_step *target, uint32_t outcome,
		     struct turn *turn)
{
	size_t i = 0, k = 0;
	for (;;) {
		i = next_decision(&s->now.parent, i);
		k = next_decision(&s->now.child, k);
		if (i >= s->now.parent.steps.size || k >= s->now.child.steps.size)
			return -1;
		const struct path_step *p = &s->now.parent.steps.data[i], *c = &s->now.child.steps.data[k];
		if (p->ordinal >= target->ordinal && !path_decides(target))
			return 0; /* a check: it need only come there */
		uint32_t wanted = p == target ? outcome : p->outcome;
		if (p->site != c->site)
			return -1;
		if (c->outcome != wanted) {
			*turn = (struct turn){k, c->ordinal, wanted};
			return 1;
		}
		if (p == target)
			return 0;
		i++, k++;
	}
}

/* On the open trace of the child: an input that takes the wanted outcome at the turn. 1 and
 * s->now.input. */
static int solve_turn(struct search *s, struct expansion *y, const struct turn *turn)
{
	struct solve_model m = {0};
	int solved = 0;
	y->pool = exprs_new();
	import_init(&y->import, &y->trace, y->pool, y->size);
	y->strict = search_open_path(s, y);
	expr_t length = expr_length(y->pool, 0);
	solve_path_add(y->strict, expr_eq(y->pool, length, expr_const(y->pool, 64, y->size)));
	for (size_t i = 0; i < turn->step; i++)
		if (solve_path_add(y->strict, path_constraint(&s->now.child.steps.data[i], &y->import,
							      &s->sites)) < 0)
			break;
	expr_t goal =
	    path_goal(&s->now.child.steps.data[turn->step], turn->outcome, &y->import, &s->sites);
	if (solve_path_query(y->strict, goal, &m) == VERDICT_SAT)
		solved = search_build_input(s, y, &m);
	solve_model_release(&m);
	solve_path_free(y->strict);
	import_release(&y->import);
	exprs_free(y->pool);
	return solved;
}

/* Runs s->now.input and, if it is known how, makes the next one of it. 1: there is a next one; 0:
 * no; -1. */
static int round_of(struct search *s, const struct path_step *target, uint32_t outcome,
		    int64_t *last)
{
	struct buf data = {0};
	struct run_result r;
	struct turn turn;
	int more = 0;
	buf_add(&data, s->now.input.data, s->now.input.size);
	struct expansion y = {.data = (const uint8_t *)data.data, .size = data.size};
	int failed =
	    search_trace(s, s->t.child, s->t.child_shm, data.data, data.size, &r, &y.trace);
	if (!failed) {
		search_read_path(s, &s->now.child, &s->now.child_calls, &y.trace);
		if (find_turn(s, target, outcome, &turn) == 1 && (int64_t)turn.ordinal > *last) {
			*last = turn.ordinal;
			more = solve_turn(s, &y, &turn);
		}
		trace_release(&y.trace);
	}
	buf_release(&data);
	return failed < 0 ? -1 : more;
}

int search_steer(struct search *s, struct expansion *x, const struct path_step *target,
		 uint32_t outcome, uint32_t checker)
{
	int64_t last = -1;
	for (int i = 0; i < ROUNDS; i++) {
		int r = round_of(s, target, outcome, &last);
		if (r <= 0)
			return r;
		uint64_t reached = s->stats.reached;
		int ran = checker ? search_run_breaking(s, x, target, checker, 0, 1)
				  : search_run_child(s, x, target, outcome, 1);
		if (ran < 0)
			return -1;
		if (s->stats.reached > reached || search_over_limit(s) || deadline_cut() ||
		    (i + 1 >= LAST && search_paused(s)))
			return 0;
	}
	return 0;
}
