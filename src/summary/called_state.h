/* called_state.h: the states that an activation of a traced run began and ended with, by the names of places, for comparing it with a summary. */
#ifndef MUSTER_SUMMARY_CALLED_STATE_H
#define MUSTER_SUMMARY_CALLED_STATE_H

#include "base/map.h"
#include "summary/called.h"

/* A place that is a number, and where it is at the beginning. */
struct called_state_place {
	const char *name; /* of its variable */
	unsigned width;
	struct muster_set at; /* value: what it was */
};

struct called_state {
	uint32_t number; /* of the activation in its run: muster_header.set_activation */
	uint32_t lp, lq; /* ordinals, as in struct summary */
	uint32_t end_line;
	const char *failure; /* NULL: it came to lq */
	int partial;	     /* something of it is not known */
	struct strmap values; /* name of a variable to its value, at the beginning and at the end */
	VEC(struct called_state_place) places;
	VEC(const char *) left;	 /* names of places that are not what they were: what Q would say */
	VEC(uint64_t) objects; /* where pointers lead that give an object its name: each to one that is apart from the others, and no variable */
	struct arena arena;
};

/* 1; 0: nothing can be said of the activation. */
int called_state_read(struct called_state *s, const struct called_run *r, const struct called_function *f, uint32_t number);
void called_state_release(struct called_state *s);

/* States that stand in for values that a state does not have, before those of `rest`. */
struct called_view {
	const struct called_state *state;
	const struct strmap *set; /* or NULL */
	const struct called_state *rest; /* or NULL */
};
/* Does the conjunct hold? after(x) of a place that nothing is said about is x. 1; 0: it does not; -1: a place in it is not known. */
int called_state_says(const struct called_view *v, const struct exprs *p, expr_t conjunct);
/* All of them: 1, 0, -1. */
int called_state_holds(const struct called_view *v, const struct exprs *p, const expr_t *list, size_t count);
/* The value of a name at the beginning; 0: it is not known. */
int called_state_before(const struct called_view *v, const char *name, uint64_t *value);

#endif
