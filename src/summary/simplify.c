/* simplify.c: summaries as short as they can be said, and joined where that is exact.
 *
 * Three steps, each an equivalence: a conjunction becomes its conjuncts, each once; a conjunct that the others imply is dropped; two summaries with the same Q become one if P1 or P2
 * is the same set of states as what both have in common. The last two rest on an UNSAT of the solver; an unknown leaves things as they are.
 * When the command's time is over, what is left stays as long as it is.
 * Predicates over objects (apart) are not shown to the solver: premises that are left out can only make it say less.
 */
#include "summary/summary.h"

#include "base/deadline.h"
#include "base/map.h"
#include "solve/solve.h"
#include "summary/rebuild.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CONJUNCTS 48 /* of a P that is looked at: each is a question to the solver */
#define MOST_ALTERNATIVES 4 /* of a conjunct that a person is to read */
#define MOST_JOINED 256	  /* summaries of a function that are compared in pairs */

/* ------------------------------------------------------------ normal form */

typedef VEC(expr_t) terms;

static int push_once(terms *out, expr_t e)
{
	for (size_t i = 0; i < out->size; i++)
		if (out->data[i] == e)
			return 0;
	vec_push(out, e);
	return 1;
}

/* 0: it is false. */
static int flatten(struct exprs *p, expr_t e, terms *out)
{
	const struct expr_node n = *expr_get(p, e);
	u128 value;

	if (expr_is_const(p, e, &value))
		return value != 0;
	if (n.op == MUSTER_OP_AND && n.width == 1)
		return flatten(p, n.a, out) && flatten(p, n.b, out);
	if (n.op == MUSTER_OP_XOR && n.width == 1 && expr_is_const(p, n.b, NULL) && expr_get(p, n.a)->op == MUSTER_OP_OR) {
		const struct expr_node o = *expr_get(p, n.a);
		return flatten(p, expr_not(p, o.a), out) && flatten(p, expr_not(p, o.b), out);
	}
	push_once(out, e);
	return 1;
}

static int normalise(struct exprs *p, expr_t **data, size_t *size)
{
	terms out = {0};
	int ok = 1;

	for (size_t i = 0; i < *size && ok; i++)
		ok = flatten(p, (*data)[i], &out);
	for (size_t i = 0; i < out.size && ok; i++) { /* a and not a */
		expr_t opposite = expr_not(p, out.data[i]);
		for (size_t k = 0; k < i; k++)
			ok &= out.data[k] != opposite;
	}
	free(*data);
	*data = out.data;
	*size = out.size;
	return ok;
}

int summary_normalise(struct summaries *l, struct summary *s)
{
	int ok = normalise(l->pool, &s->pre.data, &s->pre.size);

	s->pre.cap = s->pre.size;
	ok &= normalise(l->pool, &s->post.data, &s->post.size);
	s->post.cap = s->post.size;
	return ok;
}

/* --------------------------------------------------------------- implied */

static int has_predicate(struct exprs *p, expr_t e)
{
	const struct expr_node *n = expr_get(p, e);

	if (n->op == MUSTER_OP_XOR && n->width == 1)
		n = expr_get(p, n->a);
	return n->op == EXPR_OP_APPLY;
}

/* A read that lies outside of its table is 0 in terms, and nothing in C: it may be anything, so that no proof rests on it. */
static expr_t read_inside(void *ctx, expr_t e)
{
	struct exprs *p = ctx;
	const struct expr_node n = *expr_get(p, e);
	char name[32];

	if (n.op != MUSTER_OP_READ)
		return EXPR_NONE;
	uint64_t count = expr_data_count(p, n.b), bytes = n.width / 8;
	unsigned width = expr_width(p, n.a);
	if (count < bytes || (width < 64 && (count - bytes) >> width))
		return EXPR_NONE;
	snprintf(name, sizeof name, "outside%u", e);
	return expr_ite(p, expr_binary(p, MUSTER_OP_ULE, n.a, expr_const(p, width, count - bytes)), e, expr_named(p, n.width, name));
}

/* Do the premises, without the one at `but`, and the assumption contradict each other? */
static int refuted(struct exprs *p, struct solver *solver, const expr_t *premises, size_t count, size_t but, expr_t assumption)
{
	terms all = {0};
	struct solve_model m = {0};
	struct map memo = {0};

	for (size_t i = 0; i < count; i++)
		if (i != but && !has_predicate(p, premises[i]))
			vec_push(&all, summary_rebuild_all(p, premises[i], read_inside, p, &memo));
	vec_push(&all, summary_rebuild_all(p, assumption, read_inside, p, &memo));
	map_release(&memo);
	enum verdict v = solve_formula(solver, p, all.data, (unsigned)all.size, &m);
	solve_model_release(&m);
	vec_release(&all);
	return v == VERDICT_UNSAT;
}

static void drop(expr_t *data, size_t *size, size_t at)
{
	memmove(data + at, data + at + 1, (*size - at - 1) * sizeof *data);
	(*size)--;
}

/* A number that may be an address of a traced run. */
static int has_address(struct exprs *p, expr_t e, struct map *seen)
{
	expr_t operands[3];
	u128 v;

	if (!map_set(seen, e, 1))
		return 0;
	if (expr_is_const(p, e, &v))
		return expr_width(p, e) == 64 && v >= 65536 && v < (u128)1 << 48;
	if (expr_get(p, e)->op == MUSTER_OP_DATA)
		return summary_is_table(p, e);
	for (unsigned i = 0, n = expr_operands(p, e, operands); i < n; i++)
		if (has_address(p, operands[i], seen))
			return 1;
	return 0;
}

/* Of a summary with addresses of its run: those that are not implied by the rest make it partial. */
static void settle_addresses(struct summaries *l, struct summary *s)
{
	struct map seen = {0};
	int found = 0;

	for (size_t i = 0; i < s->pre.size && !found; i++)
		found = has_address(l->pool, s->pre.data[i], &seen);
	map_release(&seen);
	s->addresses = 0;
	if (found && (!s->why || !strstr(s->why, CALLED_ADDRESS))) {
		struct buf why = BUF_EMPTY;
		buf_addf(&why, "%s%s" CALLED_ADDRESS, s->why ? s->why : "", s->why ? "; " : "");
		s->why = arena_strdup(&l->arena, buf_str(&why));
		buf_release(&why);
	}
}

static int is_late(const struct summaries *l)
{
	return deadline_cut() || (l->until > 0 && deadline_clock() >= l->until);
}

void summary_simplify(struct summaries *l, struct summary *s, struct solver *solver)
{
	struct exprs *p = l->pool;

	for (size_t i = s->pre.size <= MOST_CONJUNCTS ? s->pre.size : 0; i-- > 0 && !is_late(l);) /* the last ones first: what a path tests early reads better */
		if (!has_predicate(p, s->pre.data[i]) && refuted(p, solver, s->pre.data, s->pre.size, i, expr_not(p, s->pre.data[i])))
			drop(s->pre.data, &s->pre.size, i);
	if (s->addresses)
		settle_addresses(l, s);
}

/* ---------------------------------------------------------------- covered */

/* P of an other one as a condition on states of s; false: it may have none of them. Predicates are what they are: s has the same, or nothing is known. */
static expr_t among(struct exprs *p, const struct summary *s, const struct summary *other)
{
	expr_t e = expr_true(p);

	for (size_t i = 0; i < other->pre.size; i++) {
		size_t k = 0;
		while (k < s->pre.size && s->pre.data[k] != other->pre.data[i])
			k++;
		if (k < s->pre.size)
			continue;
		if (has_predicate(p, other->pre.data[i]))
			return expr_false(p);
		e = expr_and(p, e, other->pre.data[i]);
	}
	return e;
}

int summary_is_covered(struct summaries *l, const struct summary *s, size_t count, struct solver *solver)
{
	struct exprs *p = l->pool;
	expr_t none = expr_true(p);

	for (size_t i = 0; i < count; i++)
		if (!l->all.data[i].why && l->all.data[i].kind == s->kind)
			none = expr_and(p, none, expr_not(p, among(p, s, &l->all.data[i])));
	return none == expr_false(p) || (!is_late(l) && refuted(p, solver, s->pre.data, s->pre.size, SIZE_MAX, none));
}

/* ------------------------------------------------------------------ joins */

static int same_set(const expr_t *a, size_t n, const expr_t *b, size_t m)
{
	if (n != m)
		return 0;
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		while (k < m && b[k] != a[i])
			k++;
		if (k == m)
			return 0;
	}
	return 1;
}

static int same_words(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static int is_comparable(const struct summary *a, const struct summary *b)
{
	return a->kind == b->kind && !strcmp(a->function, b->function) && a->lp.ordinal == b->lp.ordinal && a->lq.ordinal == b->lq.ordinal &&
	       !strcmp(a->lq.symbol, b->lq.symbol) && a->end_line == b->end_line && same_words(a->why, b->why) && same_words(a->end_function, b->end_function) &&
	       same_set(a->post.data, a->post.size, b->post.data, b->post.size);
}

/* What is in the first and not in the second, as one term. */
static expr_t rest(struct exprs *p, const expr_t *a, size_t n, const expr_t *b, size_t m, int *predicate)
{
	expr_t e = expr_true(p);

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		while (k < m && b[k] != a[i])
			k++;
		if (k == m) {
			*predicate |= has_predicate(p, a[i]);
			e = expr_and(p, e, a[i]);
		}
	}
	return e;
}

static void add_functions(struct summary *to, const struct summary *from)
{
	for (size_t i = 0; i < from->functions.size; i++) {
		size_t k = 0;
		while (k < to->functions.size && strcmp(to->functions.data[k], from->functions.data[i]))
			k++;
		if (k == to->functions.size)
			vec_push(&to->functions, from->functions.data[i]);
	}
}

/* How many alternatives the term has on its outside. */
static unsigned alternatives(const struct exprs *p, expr_t e)
{
	const struct expr_node n = *expr_get(p, e);

	return n.op == MUSTER_OP_OR && n.width == 1 ? alternatives(p, n.a) + alternatives(p, n.b) : 1;
}

/* P1 or P2 = K and (R1 or R2), K being common: K alone if K implies R1 or R2; where each has one conjunct of its own, that with the alternative. */
static int join(struct summaries *l, struct summary *a, const struct summary *b, struct solver *solver)
{
	struct exprs *p = l->pool;
	terms common = {0};
	int predicate = 0;
	expr_t ra = rest(p, a->pre.data, a->pre.size, b->pre.data, b->pre.size, &predicate);
	expr_t rb = rest(p, b->pre.data, b->pre.size, a->pre.data, a->pre.size, &predicate);

	for (size_t i = 0; i < a->pre.size; i++)
		for (size_t k = 0; k < b->pre.size; k++)
			if (a->pre.data[i] == b->pre.data[k])
				vec_push(&common, a->pre.data[i]);
	u128 value;
	int one_implies = expr_is_const(p, ra, &value) || expr_is_const(p, rb, &value); /* one of the two is the weaker one */
	int exact = one_implies || (!predicate && refuted(p, solver, common.data, common.size, SIZE_MAX, expr_and(p, expr_not(p, ra), expr_not(p, rb))));
	expr_t either = EXPR_NONE;
	if (!exact && !predicate && common.size + 1 == a->pre.size && common.size + 1 == b->pre.size && alternatives(p, ra) + alternatives(p, rb) <= MOST_ALTERNATIVES) {
		either = expr_or(p, ra, rb);
		exact = 1;
	}
	if (!exact) {
		vec_release(&common);
		return 0;
	}
	vec_clear(&a->pre);
	for (size_t i = 0; i < common.size; i++)
		vec_push(&a->pre, common.data[i]);
	if (either != EXPR_NONE)
		vec_push(&a->pre, either);
	vec_release(&common);
	a->paths += b->paths;
	if (a->called && !b->called) { /* the witness that can be driven */
		a->called = 0;
		a->test = b->test;
		a->input = b->input;
	}
	add_functions(a, b);
	return 1;
}

/* Number k became part of number i. */
static void move(uint32_t *moved, size_t count, size_t i, size_t k)
{
	for (size_t x = 0; x < count && moved; x++)
		moved[x] = moved[x] == k ? (uint32_t)i : moved[x] - (moved[x] > k);
}

/* Summaries as they are now, by numbers that none had before, and which pairs of them cannot be joined. */
struct joining {
	VEC(uint32_t) states;
	uint32_t last;
	struct map apart;
};

static int try_join(struct summaries *l, struct solver *solver, struct joining *j, size_t i, size_t k)
{
	uint64_t pair = (uint64_t)j->states.data[i] << 32 | j->states.data[k], known;

	if (map_get(&j->apart, pair, &known))
		return 0;
	if (is_comparable(&l->all.data[i], &l->all.data[k]) && join(l, &l->all.data[i], &l->all.data[k], solver))
		return 1;
	map_set(&j->apart, pair, 1);
	return 0;
}

static int join_once(struct summaries *l, struct solver *solver, struct joining *j, uint32_t *moved, size_t count)
{
	for (size_t i = 0; i < l->all.size; i++)
		for (size_t k = i + 1; k < l->all.size && !is_late(l); k++) {
			if (!try_join(l, solver, j, i, k))
				continue;
			summary_release(&l->all.data[k]);
			memmove(&l->all.data[k], &l->all.data[k + 1], (l->all.size - k - 1) * sizeof l->all.data[0]);
			memmove(&j->states.data[k], &j->states.data[k + 1], (j->states.size - k - 1) * sizeof j->states.data[0]);
			l->all.size--;
			j->states.size--;
			j->states.data[i] = ++j->last;
			move(moved, count, i, k);
			return 1;
		}
	return 0;
}

void summaries_join(struct summaries *l, struct solver *solver, uint32_t *moved)
{
	size_t count = l->all.size;
	struct joining j = {0};

	for (uint32_t i = 0; i < count && moved; i++)
		moved[i] = i;
	for (size_t i = 0; i < count; i++)
		vec_push(&j.states, ++j.last);
	while (l->all.size <= MOST_JOINED && join_once(l, solver, &j, moved, count))
		;
	vec_release(&j.states);
	map_release(&j.apart);
}
