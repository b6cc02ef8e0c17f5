/* facts.c: what is known at a place of the walk, and the prover.
 *
 * A fact is a condition over terms, and terms never change: a variable that is written gets another term. So a fact stays
 * true from there on, and only where paths meet (after a branch, at the head of a loop, at a case) does the list go
 * back to what all of them share. A value that is not known is a fresh variable: every answer then holds for all its
 * values. Both answers are unsatisfiability: facts and not goal (proved), facts and goal (rejected); a solver
 * that gives up leaves the obligation to the run. Leaving facts out is always right, so only those that share variables with
 * the goal are asked about.
 */
#include "refine/unit.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FACTS = 400, MOST_UNANSWERED = 20, MOST_WEIGHT = 16000 };

unsigned type_width(struct unit *u, uint32_t type)
{
	const struct tree_type *t = &u->t->types.data[type];

	return t->kind == TREE_TYPE_BOOL || t->kind == TREE_TYPE_INT || t->kind == TREE_TYPE_POINTER ? t->bits : 0;
}

expr_t fresh(struct unit *u, uint32_t type)
{
	unsigned width = type_width(u, type);
	char name[24];

	if (!width)
		return EXPR_NONE;
	snprintf(name, sizeof name, "v%u", u->fresh++);
	if (u->t->types.data[type].kind == TREE_TYPE_BOOL)
		return expr_zext(u->pool, expr_named(u->pool, 1, name), width);
	return expr_named(u->pool, width, name);
}

void fact(struct unit *u, expr_t condition)
{
	if (condition != EXPR_NONE && condition != expr_true(u->pool))
		vec_push(&u->facts, condition);
}

/* --------------------------------------------------------------- the prover */
/* Facts that share variables with the goal, by way of other facts too, newest first; then the goal. */
struct question {
	VEC(expr_t) list;
	struct map seen; /* variables */
};

static int touches(struct unit *u, struct question *q, expr_t e)
{
	uint32_t count;
	const expr_t *vars = expr_vars(u->pool, e, &count);

	if (!count)
		return 1;
	for (uint32_t i = 0; i < count; i++)
		if (map_get(&q->seen, vars[i], NULL))
			return 1;
	return 0;
}

static void mark(struct unit *u, struct question *q, expr_t e)
{
	uint32_t count;
	const expr_t *vars = expr_vars(u->pool, e, &count);

	for (uint32_t i = 0; i < count; i++)
		map_set(&q->seen, vars[i], 1);
}

/* How many gates, nearly, the products and divisions below a term have that are not counted yet. */
static unsigned long weight(struct unit *u, expr_t e, struct map *done)
{
	expr_t below[3];
	unsigned n = expr_operands(u->pool, e, below), width = expr_width(u->pool, e);
	unsigned long sum = 0;
	int op = expr_get(u->pool, e)->op;

	if (!map_set(done, e, 1))
		return 0;
	if (op == MUSTER_OP_MUL && !expr_is_const(u->pool, below[1], NULL))
		sum = (unsigned long)width * width;
	else if (op == MUSTER_OP_UDIV || op == MUSTER_OP_SDIV || op == MUSTER_OP_UREM || op == MUSTER_OP_SREM)
		sum = 2ul * width * width;
	for (unsigned i = 0; i < n; i++)
		sum += weight(u, below[i], done);
	return sum;
}

/* A fact that alone is hard would make every question hard. */
static int is_light(struct unit *u, expr_t e)
{
	struct map done = {0};
	unsigned long sum = weight(u, e, &done);

	map_release(&done);
	return sum <= MOST_WEIGHT / 2;
}

static void choose(struct unit *u, struct question *q, expr_t goal)
{
	VEC(uint8_t) taken = {0};
	int more = 1;

	for (size_t i = 0; i < u->facts.size; i++)
		vec_push(&taken, 0);
	mark(u, q, goal);
	while (more) {
		more = 0;
		for (size_t i = u->facts.size; i-- && q->list.size < MOST_FACTS;)
			if (!taken.data[i] && touches(u, q, u->facts.data[i]) && is_light(u, u->facts.data[i])) {
				taken.data[i] = 1;
				more = 1;
				mark(u, q, u->facts.data[i]);
				vec_push(&q->list, u->facts.data[i]);
			}
	}
	vec_release(&taken);
}

static int is_heavy(struct unit *u, const struct question *q)
{
	struct map done = {0};
	unsigned long sum = 0;

	for (size_t i = 0; i < q->list.size && sum <= MOST_WEIGHT; i++)
		sum += weight(u, q->list.data[i], &done);
	map_release(&done);
	return sum > MOST_WEIGHT;
}

static int impossible(struct unit *u, struct question *q, expr_t goal)
{
	struct solve_model m = {0};
	enum verdict v;

	if (goal == expr_false(u->pool))
		return 1;

	vec_push(&q->list, goal);
	if (is_heavy(u, q)) {
		q->list.size--;
		return 0;
	}
	v = solve_formula(u->unanswered < MOST_UNANSWERED ? u->solver : u->quick, u->pool, q->list.data, (unsigned)q->list.size, &m);
	solve_model_release(&m);
	q->list.size--;
	u->unanswered += v == VERDICT_UNKNOWN;
	return v == VERDICT_UNSAT;
}

enum refine_outcome prove(struct unit *u, expr_t goal)
{
	struct question q = {0};
	enum refine_outcome outcome = REFINE_RUNTIME;

	if (goal == EXPR_NONE)
		return outcome;
	if (goal == expr_true(u->pool))
		return REFINE_PROVED;
	choose(u, &q, goal);
	if (impossible(u, &q, expr_not(u->pool, goal)))
		outcome = REFINE_PROVED;
	else if (impossible(u, &q, goal))
		outcome = REFINE_REJECTED;
	vec_release(&q.list);
	map_release(&q.seen);
	return outcome;
}

/* -------------------------------------------------------------------- state */
void state_save(struct unit *u, struct state *s)
{
	s->facts = u->facts.size;
	vec_clear(&s->list);
	for (size_t i = 0; i < u->facts.size; i++)
		vec_push(&s->list, u->facts.data[i]);
	vec_clear(&s->terms);
	for (size_t i = 0; i < u->locals.size; i++)
		vec_push(&s->terms, u->variables.data[u->locals.data[i]].term);
}

void state_restore(struct unit *u, const struct state *s)
{
	vec_clear(&u->facts);
	for (size_t i = 0; i < s->list.size; i++)
		vec_push(&u->facts, s->list.data[i]);
	for (size_t i = 0; i < s->terms.size; i++)
		u->variables.data[u->locals.data[i]].term = s->terms.data[i];
}

void state_release(struct state *s)
{
	vec_release(&s->terms);
	vec_release(&s->list);
}

void state_merge(struct unit *u, struct state *s, expr_t condition, size_t facts)
{
	u->facts.size = facts;
	for (size_t i = 0; i < s->terms.size; i++) {
		struct variable *v = &u->variables.data[u->locals.data[i]];
		expr_t a = s->terms.data[i], b = v->term;

		if (a == b)
			continue;
		if (condition && a && b && expr_width(u->pool, a) == expr_width(u->pool, b))
			v->term = expr_ite(u->pool, condition, a, b);
		else
			v->term = fresh(u, node(u, u->locals.data[i])->type);
	}
	for (size_t i = 0; i < s->terms.size; i++)
		if (s->terms.data[i] != u->variables.data[u->locals.data[i]].term)
			invariants(u, u->locals.data[i]);
}

/* ------------------------------------------------------------------- havoc */
static void forget(struct unit *u, uint32_t d, struct map *done)
{
	struct variable *v = &u->variables.data[d];

	if (!v->tracked || !map_set(done, d, 1))
		return;
	v->term = fresh(u, node(u, d)->type);
}

static void forget_below(struct unit *u, uint32_t n, struct map *done)
{
	const struct tree_node *x = node(u, n);
	uint32_t target = 0;

	if (x->kind == TREE_ASSIGN || (x->kind == TREE_UNARY && x->op >= TREE_OP_POSTINC && x->op <= TREE_OP_PREDEC))
		target = tree_bare(u->t, x->first);
	if (target && node(u, target)->kind == TREE_NAME)
		forget(u, referred(u, target), done);
	if (x->kind == TREE_VARIABLE)
		forget(u, x->canon, done);
	for (uint32_t c = x->first; c; c = node(u, c)->next)
		forget_below(u, c, done);
}

void havoc(struct unit *u, uint32_t below)
{
	struct map done = {0};

	if (!below)
		return;
	forget_below(u, below, &done);
	for (size_t i = 0; i < u->locals.size; i++) /* in a certain order: the same run twice is the same */
		if (map_get(&done, u->locals.data[i], NULL))
			invariants(u, u->locals.data[i]);
	map_release(&done);
}

/* Whether a conjunct names the variable. */
static int names(const struct conjunct *c, uint32_t d)
{
	for (size_t i = 0; i < c->arguments.size; i++)
		if (c->arguments.data[i].decl == d)
			return 1;
	return 0;
}

int arguments_now(struct unit *u, const struct conjunct *c, expr_t *given)
{
	for (size_t i = 0; i < c->arguments.size; i++) {
		const struct argument *a = &c->arguments.data[i];
		uint32_t d = a->decl;

		if (!d && c->owner == OWNER_PARAMETER)
			d = function_parameter(u, u->function, a->index);
		else if (!d)
			d = c->decl;
		if (!d)
			return -1;
		given[i] = u->variables.data[d].tracked ? u->variables.data[d].term : fresh(u, node(u, d)->type);
	}
	return 0;
}

void invariants(struct unit *u, uint32_t decl)
{
	expr_t given[64];

	if (u->predicate_depth || !u->function || decl == u->declaring)
		return;
	for (size_t i = 0; i < u->conjuncts.size && !u->variables.data[decl].untrusted && u->variables.data[decl].tracked;) {
		const struct conjunct *c = conjunct_of_type(u, node(u, decl)->type, &i);

		if (c && c->arguments.size == 1)
			fact(u, holds(u, c, &u->variables.data[decl].term));
	}
	for (size_t i = 0; i < u->conjuncts.size; i++) {
		const struct conjunct *c = &u->conjuncts.data[i];
		uint32_t owner = c->decl;
		int in_sight_now = 0;

		if (c->arguments.size > 64)
			continue;
		if (c->owner == OWNER_PARAMETER) {
			if (c->decl != node(u, u->function)->canon)
				continue;
			owner = function_parameter(u, u->function, c->index);
			for (size_t k = 0; k < c->arguments.size; k++)
				in_sight_now |= function_parameter(u, u->function, c->arguments.data[k].index) == decl;
		} else if (c->owner != OWNER_VARIABLE) {
			continue;
		}
		if (owner != decl && !in_sight_now && !names(c, decl))
			continue;
		if (!owner || owner == u->declaring || u->variables.data[owner].untrusted)
			continue;
		for (size_t k = 0; k < u->scope.size; k++)
			in_sight_now |= u->scope.data[k] == owner;
		in_sight_now |= node(u, owner)->is_global;
		if (!in_sight_now || arguments_now(u, c, given))
			continue;
		fact(u, holds(u, c, given));
	}
}
