/* bundle.h: checks between two constraints of a path, asked for together.
 *
 * A *step* is a check that the run passed: its safe form joins the path when the bundle was asked for. Its *goals* are the conditions that break it,
 * each with a checker. No constraint of the path stands between the steps, so the same inputs come to all of them, and one
 * question can be asked for all: is there an input that breaks any?
 *
 * Three strategies. Naive: a query for each goal. Weak: one query for the disjunction; what its answer does not break stays
 * unasked. Strong (CombineActiveCheckers): the disjunction; the goals that the answer reaches are taken out, and the rest is asked
 * for again until there is no answer: with n goals of which t can be reached, at most min(t + 1, n) queries. If there is no
 * verdict on a disjunction, its goals are asked for one by one.
 *
 * A program may end at the first check it breaks, so an answer counts for the first step that it breaks, and a goal for what
 * inputs that pass the steps before it can do: otherwise one defect would hide the next. All three strategies agree on that, and
 * so find the same. Where the program goes on by its rules after a check, its safe form is `true`: nothing is hidden there.
 */
#ifndef MUSTER_SEARCH_BUNDLE_H
#define MUSTER_SEARCH_BUNDLE_H

#include "search/search.h"

enum goal_state {
	GOAL_OPEN,    /* not answered */
	GOAL_FOUND,   /* an input reaches it */
	GOAL_REFUTED, /* none does */
	GOAL_UNKNOWN, /* the solver has no answer */
	GOAL_LARGE,   /* an answer that cannot be an input */
	GOAL_LEFT,    /* not asked for by itself (weak), or there was no more time */
};

struct bundle_goal {
	expr_t goal;
	uint32_t checker;
	uint32_t step; /* index into steps */
	enum goal_state state;
};

struct bundle_step {
	uint32_t at; /* the caller's number of it */
	expr_t safe;
	uint32_t first, count; /* its goals */
	int whole;	       /* the goals are all conditions that break it */
};

struct bundle {
	struct solve_path *path;
	struct exprs *pool;
	enum search_combine how;
	void *ctx;
	/* Makes an input of a model. 0: it cannot be one. */
	int (*take)(void *ctx, const struct solve_model *m);
	/* A variable's value for that input. */
	u128 (*value)(void *ctx, expr_t variable);
	/* The input reaches this goal first, and perhaps others, which are GOAL_FOUND as well. With m->optimistic it is a guess for a
	 * goal that stays GOAL_UNKNOWN. 0; else bundle_ask returns it at once. */
	int (*found)(void *ctx, struct bundle *b, uint32_t goal, const struct solve_model *m);
	/* May be NULL; nonzero: there is no more time, and what is open is left. */
	int (*stop)(void *ctx);
	VEC(struct bundle_step) steps;
	VEC(struct bundle_goal) goals;
	uint64_t calls; /* queries, ever */
};

/* The next step, then its goals. A step without goals only has its safe form. */
void bundle_step(struct bundle *b, uint32_t at, expr_t safe, int whole);
void bundle_goal(struct bundle *b, expr_t goal, uint32_t checker);
/* Asks for all goals, then adds the safe forms to the path. 0; what found returned; or BUNDLE_DISAGREES: the run's values do not satisfy a
 * safe form. */
#define BUNDLE_DISAGREES 2 /* no limit: a return value */
int bundle_ask(struct bundle *b);
/* The goal for inputs that pass the steps before it. */
expr_t bundle_reach(struct bundle *b, uint32_t goal, expr_t as);
void bundle_clear(struct bundle *b);
void bundle_release(struct bundle *b);

#endif
