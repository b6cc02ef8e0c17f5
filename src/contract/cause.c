/* cause.c: causes of failing calls: candidates by values, kept by proof (cause.h). */
#include "contract/candidates.h"
#include "contract/convention.h"
#include "contract/every.h"
#include "contract/terms.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define TRIED 60      /* candidates, best by values, that are asked about for each cause */
#define PASSING 48    /* passing paths that are asked for calls that break a candidate */
#define UNCHECKED 3	 /* conditions at the end of a path that no check of the trace's ended, of which a cause must be a part */
#define JOINT 4	      /* clauses that are found for one path which needs several */
#define INPUT_MOST 65536 /* bytes that a model may add to an input */

/* ------------------------------------------------------------------- calls */

static uint32_t growth_of(const void *data, size_t size)
{
	return size > DRIVE_GROWTH ? drive_growth(((const uint8_t *)data)[DRIVE_GROWTH]) : 0;
}

const struct entry *causes_entry(struct causes *c, uint32_t growth)
{
	if (!c->opened[growth])
		entry_open(&c->entries[growth], c->pool, c->h, c->number, growth);
	c->opened[growth] = 1;
	return &c->entries[growth];
}

const struct entry *cause_entry_of(struct causes *c, const struct cause_call *x)
{
	return causes_entry(c, growth_of(x->data, x->size));
}

u128 cause_byte_value(void *ctx, expr_t v)
{
	const struct bytes *b = ctx;
	const struct expr_node *n = expr_get(b->pool, v);
	return n->op == MUSTER_OP_INPUT && n->k < b->size ? b->data[n->k] : 0;
}

static uint8_t byte_at(void *ctx, size_t at)
{
	const struct bytes *b = ctx;
	return at < b->size ? b->data[at] : 0;
}

static int shape_value(const struct causes *c, const struct shape *s, struct bytes *b)
{
	return shape_holds(s, (uint8_t)expr_eval(c->pool, s->choice, cause_byte_value, b), byte_at, b);
}

static void take_values(struct causes *c, const void *data, size_t size, struct clause_value *out)
{
	const struct entry *e = causes_entry(c, growth_of(data, size));
	struct bytes b = {c->pool, data, size};
	for (size_t i = 0; i < e->places.size; i++) {
		const struct entry_place *x = &e->places.data[i];
		out[i] = (struct clause_value){.there = (int)expr_eval(c->pool, x->there, cause_byte_value, &b)};
		if (!out[i].there)
			continue;
		if (x->value)
			out[i].value = (uint64_t)expr_eval(c->pool, x->value, cause_byte_value, &b);
		if (x->set)
			out[i].set = (int)expr_eval(c->pool, x->set, cause_byte_value, &b);
		if (x->length)
			out[i].length = (uint64_t)expr_eval(c->pool, x->length, cause_byte_value, &b);
		if (x->object)
			out[i].object = (uint8_t)expr_eval(c->pool, x->object, cause_byte_value, &b);
		if (x->ended)
			out[i].ended = (int)expr_eval(c->pool, x->ended, cause_byte_value, &b);
		if (x->kind == ENTRY_SHAPE)
			out[i].value = (uint64_t)shape_value(c, &e->shapes.data[x->shape], &b);
		if (x->kind == ENTRY_EVERY)
			out[i].value = !c->every || (uint64_t)expr_eval(c->pool, every_term(e, x), cause_byte_value, &b);
	}
}

void causes_init(struct causes *c, const struct harness *h, uint32_t number, struct solver *solver)
{
	memset(c, 0, sizeof *c);
	c->h = h;
	c->number = number;
	c->solver = solver;
	c->pool = exprs_new();
}

void causes_release(struct causes *c)
{
	for (size_t i = 0; i < c->calls.size; i++) {
		vec_release(&c->calls.data[i].conditions);
		vec_release(&c->calls.data[i].decided);
		vec_release(&c->calls.data[i].decided_in);
	}
	for (uint32_t i = 0; i < ENTRY_GROWTHS; i++)
		if (c->opened[i])
			entry_release(&c->entries[i]);
	vec_release(&c->calls);
	vec_release(&c->all);
	vec_release(&c->offered);
	arena_release(&c->arena);
	exprs_free(c->pool);
}

struct cause_call *causes_add(struct causes *c, const void *data, size_t size, int failed)
{
	vec_push(&c->calls, (struct cause_call){.data = data, .size = size, .failed = failed, .failed_in = ENTRY_NONE, .cause = ENTRY_NONE});
	return &vec_last(&c->calls);
}

/* ------------------------------------------------------------------- proof */

static int is_over(const struct causes *c)
{
	return (c->stop && *c->stop) || (c->late && c->late(c->ctx));
}

/* The path of a call; NULL: there is none. */
static struct solve_path *path_of(struct cause_search *f, size_t i, struct bytes *bytes)
{
	struct cause_call *x = &f->c->calls.data[i];
	if (f->paths[i] || !x->traced)
		return f->paths[i];
	*bytes = (struct bytes){f->c->pool, x->data, x->size};
	f->paths[i] = solve_path_new(f->c->solver, f->c->pool, cause_byte_value, bytes);
	for (size_t k = 0; k < x->conditions.size && x->traced; k++)
		x->traced = solve_path_add(f->paths[i], x->conditions.data[k]) >= 0;
	if (x->traced)
		return f->paths[i];
	solve_path_free(f->paths[i]);
	return f->paths[i] = NULL;
}

enum verdict cause_ask(struct cause_search *f, struct bytes *bytes, expr_t goal, size_t call)
{
	struct solve_path *path = path_of(f, call, &bytes[call]);
	struct solve_model m = {0};
	if (!path || is_over(f->c))
		return VERDICT_UNKNOWN;
	f->c->queries++;
	enum verdict v = solve_path_query(path, goal, &m);
	solve_model_release(&m);
	return v;
}

/* Is there a call on this path that keeps the clause, or that breaks it? */
static enum verdict ask(struct cause_search *f, size_t i, struct bytes *bytes, const struct clause *c, int breaks)
{
	expr_t t = clause_term(cause_entry_of(f->c, &f->c->calls.data[i]), c);
	return cause_ask(f, bytes, breaks ? expr_not(f->c->pool, t) : t, i);
}

static struct proved *proved_of(struct cause_search *f, const struct clause_literal *l)
{
	for (size_t i = 0; i < f->proved.size; i++) {
		const struct clause_literal *k = &f->proved.data[i].l;
		if (k->op == l->op && k->a == l->a && k->b == l->b && k->k == l->k)
			return &f->proved.data[i];
	}
	vec_push(&f->proved, (struct proved){*l, mem_zalloc(f->calls + 1)});
	return &vec_last(&f->proved);
}

int cause_excludes_literal(struct cause_search *f, struct bytes *bytes, const struct clause_literal *l, size_t call)
{
	uint8_t *known = &proved_of(f, l)->calls[call];
	if (*known == NOT_ASKED)
		*known = ask(f, call, bytes, &(struct clause){.part = {*l}, .count = 1}, 0) == VERDICT_UNSAT ? EXCLUDED : ALLOWED;
	return *known == EXCLUDED;
}

static int meets(struct cause_search *f, expr_t e, const struct cause_call *x, size_t from)
{
	for (size_t i = from; i < x->conditions.size; i++)
		if (terms_meet(f->c->pool, e, x->conditions.data[i]))
			return 1;
	return 0;
}

/* The same of the number itself, not of the pointers and the index that lead to it. */
int cause_looks_at(struct cause_search *f, const struct entry_place *x, const struct cause_call *call, size_t from)
{
	for (size_t i = from; i < call->conditions.size; i++)
		if (terms_meet_own(f->c->pool, x->value, x->there, call->conditions.data[i]))
			return 1;
	return 0;
}

/* Does the condition speak of numbers of the entry state alone? */
static int is_of_numbers(struct cause_search *f, const struct entry *e, expr_t condition)
{
	uint32_t n;
	const expr_t *v = expr_vars(f->c->pool, condition, &n);
	for (uint32_t i = 0; i < n; i++) {
		int found = 0;
		for (size_t k = 0; k < e->places.size && !found; k++)
			found = e->places.data[k].kind == ENTRY_NUMBER && terms_meet(f->c->pool, e->places.data[k].value, v[i]);
		if (!found)
			return 0;
	}
	return 1;
}

static int is_offered(const struct causes *c, const struct clause_literal *l)
{
	for (size_t i = 0; i < c->offered.size; i++) {
		const struct clause_literal *k = &c->offered.data[i].part[0];
		if (k->op == l->op && k->a == l->a && k->b == l->b && k->k == l->k)
			return 1;
	}
	return 0;
}

/* Other calls are explained by it: the product is a number of elements. */
static int is_taken(const struct causes *c, const struct clause_literal *l)
{
	for (size_t i = 0; i < c->all.size && l->op == CLAUSE_AREA; i++) {
		const struct clause *x = &c->all.data[i].clause;
		const struct clause_literal *k = &x->part[0];
		if (x->count == 1 && k->op == l->op && k->a == l->a && k->b == l->b && k->k == l->k)
			return 1;
	}
	return 0;
}

/* The pointer is null in the call, and a branch of the program found that. */
static int is_null(struct cause_search *f, uint32_t place, size_t call)
{
	const struct cause_call *x = &f->c->calls.data[call];
	const struct clause_value *v = &f->values[call * f->places + place];
	const struct entry_place *p = &cause_entry_of(f->c, x)->places.data[place];
	for (size_t i = 0; i < x->decided.size && v->there && !v->set; i++)
		if (terms_meet_own(f->c->pool, p->set, p->there, x->decided.data[i]))
			return 1;
	return 0;
}

/* Did the call break a check of how large objects are, of these alone? */
static int is_about_sizes(struct cause_search *f, expr_t sizes, const struct cause_call *x)
{
	uint32_t n = 0;
	const expr_t *v = x->broke && x->conditions.size ? expr_vars(f->c->pool, vec_last(&x->conditions), &n) : NULL;
	int all = n > 0;
	for (uint32_t i = 0; i < n && all; i++)
		all = terms_meet(f->c->pool, sizes, v[i]);
	return all;
}

/* Is what the clause speaks of a part of what failed? */
static int bears(struct cause_search *f, const struct clause *c, size_t call)
{
	const struct clause_literal *l = &c->part[0];
	const struct cause_call *x = &f->c->calls.data[call];
	const struct entry *e = cause_entry_of(f->c, x);
	const struct entry_place *a = &e->places.data[l->a], *b = &e->places.data[l->b];
	expr_t about = l->op == CLAUSE_ENDED ? a->ended : l->op == CLAUSE_SET || l->op == CLAUSE_CLEAR || l->op == CLAUSE_BEFORE ? a->set : l->op == CLAUSE_LONG ? a->length : l->op == CLAUSE_WITHIN || l->op == CLAUSE_BELOW ? b->length : a->value;
	size_t last = x->broke ? 1 : UNCHECKED, from = x->conditions.size > last ? x->conditions.size - last : 0;
	if (l->op == CLAUSE_TREE || l->op == CLAUSE_DISTINCT) { /* that two are one was decided before something failed by it */
		expr_t t = clause_term(e, &(struct clause){.part = {*l}, .count = 1});
		return x->by != CAUSE_BY_OTHERS && meets(f, t, x, 0);
	}
	if (l->op == CLAUSE_APART)
		return x->by != CAUSE_BY_OTHERS && meets(f, every_about(e, a), x, 0);
	if (x->by == CAUSE_BY_SHAPE || (l->op == CLAUSE_BEFORE && !x->before))
		return 0;
	if ((l->op == CLAUSE_SET || l->op == CLAUSE_CLEAR) && x->arithmetic && !x->null) /* arithmetic does not fail since a pointer is null: another clause may say why */
		return 0;
	if (l->op == CLAUSE_EVERY && every_is_begins(e, a))
		return is_about_sizes(f, every_about(e, a), x);
	if (l->op == CLAUSE_EVERY) { /* which pointer is used, or where it leads, may be settled before the check */
		from = x->null && x->conditions.size > UNCHECKED ? x->conditions.size - UNCHECKED : x->null || x->pair ? 0 : from;
		return meets(f, every_about(e, a), x, from);
	}
	if (l->op == CLAUSE_CLEAR) /* what is done with a pointer fails for every one that is set: only what was asserted last may ask for that */
		return x->assertion && x->conditions.size && terms_meet(f->c->pool, about, vec_last(&x->conditions));
	if (l->op == CLAUSE_ORDERED && x->pair) /* which objects they point to may be settled long before: where a contract is checked first */
		from = 0;
	if (l->op == CLAUSE_ORDERED)
		return meets(f, a->length, x, from) || meets(f, b->length, x, from) || meets(f, a->set, x, from) || meets(f, b->set, x, from);
	if ((is_offered(f->c, l) || is_taken(f->c, l)) && cause_looks_at(f, a, x, from)) /* that the number belongs to the pointer is known from another function, or from other calls of this one */
		return 1;
	if (l->op == CLAUSE_WITHIN && is_null(f, l->b, call) && convention_counts(a, b)) /* where there are none, a count of some is all that goes wrong */
		return cause_looks_at(f, a, x, from);
	/* Once a pointer was used it is a constant: the check of null + i speaks of i alone, and that it is null was decided right before. */
	if (l->op == CLAUSE_SET && x->broke && x->null && is_of_numbers(f, e, vec_last(&x->conditions)))
		from = x->conditions.size > UNCHECKED ? x->conditions.size - UNCHECKED : 0;
	if (clause_has_third(l->op))
		about = b->length;
	if (clause_has_third(l->op) && !cause_looks_at(f, &e->places.data[l->k], x, 0))
		return 0;
	if (about == b->length && l->op != CLAUSE_LONG && !cause_looks_at(f, a, x, 0))
		return 0; /* nobody looked at the number */
	int compares = l->op == CLAUSE_LE || l->op == CLAUSE_LT || l->op == CLAUSE_NE || l->op == CLAUSE_FITS, alone = x->arithmetic && x->broke; /* a division by one number says nothing of another */
	if (compares && (!cause_looks_at(f, a, x, alone ? from : 0) || !cause_looks_at(f, b, x, alone ? from : 0)))
		return 0;
	return meets(f, about, x, from);
}

/* Is what the clause compares related on the failing path: does it fail right outside the clause? A number that is no index and no size of the pointer fits failing calls as well, since objects are small: `uc <= len(dst)` where
 * dst[1] is written for uc >= 0x80. There no call fails with uc == len(dst) + 1. Clauses that compare nothing are. */
int cause_is_tight(struct cause_search *f, struct bytes *bytes, const struct clause *c, size_t call)
{
	struct cause_call *x = &f->c->calls.data[call];
	expr_t edge = is_offered(f->c, &c->part[0]) || is_taken(f->c, &c->part[0]) ? EXPR_NONE : clause_edge(cause_entry_of(f->c, x), c);
	if (!edge || (x->address && c->part[0].op == CLAUSE_WITHIN)) /* p + n is an address in p's object, or nothing is: where it wraps says nothing of n */
		return 1;
	return cause_ask(f, bytes, edge, call) == VERDICT_SAT;
}

int cause_allows_edge(struct cause_search *f, struct bytes *bytes, const struct clause *c, const struct clause_literal *broken, size_t call)
{
	const struct entry *e = cause_entry_of(f->c, &f->c->calls.data[call]);
	expr_t edge = clause_edge(e, c);
	return edge && cause_ask(f, bytes, expr_and(f->c->pool, edge, expr_not(f->c->pool, clause_term(e, &(struct clause){.part = {*broken}, .count = 1}))), call) == VERDICT_SAT;
}

static int excludes_alone(struct cause_search *f, struct bytes *bytes, const struct clause *c, size_t call)
{
	int all = 1;
	for (unsigned i = 0; i < c->count && all; i++)
		all = cause_excludes_literal(f, bytes, &c->part[i], call);
	return all;
}

/* No call on this failing path keeps the clause: none keeps any literal of it. */
static int excludes(struct cause_search *f, struct bytes *bytes, const struct clause *c, size_t call)
{
	if (!bears(f, c, call))
		return 0;
	return excludes_alone(f, bytes, c, call) && !convention_forbids(f, bytes, c, call);
}

struct tried {
	struct candidate x;
	uint8_t *explains; /* of each call */
};

/* For one of the calls that it explains. */
static int is_tight_somewhere(struct cause_search *f, struct bytes *bytes, const struct tried *t)
{
	for (size_t i = 0; i < f->calls; i++)
		if (t->explains[i] && cause_is_tight(f, bytes, &t->x.clause, i))
			return 1;
	return 0;
}

/* Counts by proof what it explains, and what speaks against it. */
static void prove(struct cause_search *f, struct bytes *bytes, struct tried *t)
{
	uint64_t asked = 0;
	t->x.breaks = 0;
	for (size_t i = 0; i < f->calls; i++) {
		t->explains[i] = f->left[i] && !candidate_holds(f, &t->x.clause, i) && excludes(f, bytes, &t->x.clause, i);
		t->x.breaks += t->explains[i];
	}
	for (size_t i = 0; i < f->calls && !t->x.contrary && t->x.breaks && asked < PASSING; i++)
		if (!f->c->calls.data[i].failed && f->c->calls.data[i].traced && (t->x.clause.part[0].op != CLAUSE_BEFORE || candidate_looks(f, t->x.clause.part[0].a, i))) {
			asked++;
			t->x.contrary += ask(f, i, bytes, &t->x.clause, 1) == VERDICT_SAT;
		}
	t->x.score = candidate_score(f, &t->x);
}

/* Does it explain every call that `best` explains, alone or (other) together with another? */
static int explains_as_much(const struct cause_search *f, const struct tried *best, const struct tried *x, const struct tried *other)
{
	for (size_t i = 0; i < f->calls; i++)
		if (best->explains[i] && !x->explains[i] && !(other && other->explains[i]))
			return 0;
	return 1;
}

/* `n < len(p)` may be said too soon: of calls with n == len(p) that fail there may be none but with a null p, for which memcpy(b, p, 0) fails. Then p != NULL is a cause of its own, and n <= len(p) is what is left. */
static void weaken(struct cause_search *f, struct bytes *bytes, struct tried *best)
{
	const struct clause_literal *l = &best->x.clause.part[0];
	struct tried within = {.explains = mem_zalloc(f->calls + 1)}, set = {.explains = mem_zalloc(f->calls + 1)};
	struct tried before = *best;
	if (l->op == CLAUSE_BELOW) {
		struct clause c = best->x.clause;
		c.part[0].op = CLAUSE_WITHIN;
		within.x = candidate_judge(f, &c);
		prove(f, bytes, &within);
		set.x = candidate_judge(f, &(struct clause){.part = {{CLAUSE_SET, l->b, l->b, 0}}, .count = 1});
		prove(f, bytes, &set);
		if (within.x.breaks && explains_as_much(f, &before, &within, NULL) && is_tight_somewhere(f, bytes, &within)) {
			*best = within;
			within = before;
		} else if (c.count == 1 && set.x.breaks && explains_as_much(f, &before, &set, &within)) {
			*best = set;
			set = before;
		}
	}
	free(within.explains);
	free(set.explains);
}

static void take(struct cause_search *f, const struct tried *t)
{
	struct cause x = {.clause = t->x.clause, .calls = t->x.breaks, .contrary = t->x.contrary};
	for (size_t i = 0; i < f->calls; i++) {
		if (!t->explains[i])
			continue;
		f->left[i] = 0;
		f->c->calls.data[i].cause = (uint32_t)f->c->all.size;
	}
	vec_push(&f->c->all, x);
}

/* One more cause: 1; 0: there is none. */
static int find_one(struct cause_search *f, struct bytes *bytes)
{
	struct tried best = {0}, now = {.explains = mem_zalloc(f->calls + 1)};
	best.explains = mem_zalloc(f->calls + 1);
	int found = 0;
	f->left_count = f->passing = 0;
	for (size_t i = 0; i < f->calls; i++) {
		f->left_count += f->left[i];
		f->passing += !f->c->calls.data[i].failed;
	}
	candidates_list(f);
	for (unsigned n = 0; n < TRIED && f->candidates.size && !is_over(f->c); n++) {
		size_t first = 0;
		for (size_t i = 1; i < f->candidates.size; i++)
			if (candidate_better(&f->candidates.data[i], &f->candidates.data[first]))
				first = i;
		now.x = f->candidates.data[first];
		f->candidates.data[first] = vec_last(&f->candidates);
		f->candidates.size--;
		/* It cannot become better than it is by values. */
		if (found && !candidate_better(&now.x, &best.x))
			break;
		prove(f, bytes, &now);
		if (now.x.breaks && (!now.x.contrary || !candidate_suits_all(&now.x.clause)) && (!found || candidate_better(&now.x, &best.x)) && is_tight_somewhere(f, bytes, &now)) {
			struct tried other = best;
			best = now;
			now = other;
			found = 1;
		}
	}
	if (found)
		weaken(f, bytes, &best);
	if (found)
		take(f, &best);
	free(best.explains);
	free(now.explains);
	return found;
}

/* ------------------------------------------------- several clauses together */

/* What was found so far and may explain the call. */
static expr_t chosen_term(struct cause_search *f, struct bytes *bytes, const struct entry *e, size_t call)
{
	expr_t t = expr_true(f->c->pool);
	for (size_t i = 0; i < f->c->all.size; i++)
		if (!convention_forbids(f, bytes, &f->c->all.data[i].clause, call))
			t = expr_and(f->c->pool, t, clause_term(e, &f->c->all.data[i].clause));
	return t;
}

/* The call's input with the values of a model. */
static void apply_model(const struct cause_call *x, const struct solve_model *m, struct buf *out)
{
	buf_clear(out);
	buf_add(out, x->data, x->size);
	for (size_t i = 0; i < m->values.size; i++) {
		const struct solve_value *v = &m->values.data[i];
		if (v->op != MUSTER_OP_INPUT || v->index > x->size + INPUT_MOST)
			continue;
		while (out->size <= v->index)
			buf_addc(out, 0);
		out->data[v->index] = (char)v->value;
	}
}

/* The best candidate that these values break and that bears on the call; NULL: there is none. */
static const struct candidate *broken_by(struct cause_search *f, struct bytes *bytes, const struct clause_value *values, size_t call)
{
	const struct candidate *best = NULL;
	for (size_t i = 0; i < f->candidates.size; i++) {
		const struct candidate *x = &f->candidates.data[i];
		if (!candidate_suits_all(&x->clause) && (!best || candidate_better(x, best)) && !clause_holds(causes_entry(f->c, 0), &x->clause, values) && bears(f, &x->clause, call) && !convention_forbids(f, bytes, &x->clause, call) &&
		    cause_is_tight(f, bytes, &x->clause, call))
			best = x;
	}
	return best;
}

int cause_is_contrary(struct cause_search *f, struct bytes *bytes, const struct clause *c)
{
	uint64_t asked = 0;
	for (size_t i = 0; i < f->calls && asked < PASSING; i++) {
		const struct cause_call *x = &f->c->calls.data[i];
		if (x->failed)
			continue;
		if (!candidate_holds(f, c, i) || (x->traced && asked++ < PASSING && ask(f, i, bytes, c, 1) == VERDICT_SAT))
			return 1;
	}
	return 0;
}

/* A path may fail for two reasons at once, so that no clause alone excludes it: then a clause is taken, a call of the path that keeps it is asked for, and what that call breaks is taken besides, until no
 * call is left. 1: the clauses are among the causes, and together they exclude the path; 0: nothing has changed. */
static int explain_jointly(struct cause_search *f, struct bytes *bytes, size_t call)
{
	struct cause_call *x = &f->c->calls.data[call];
	const struct entry *e = cause_entry_of(f->c, x);
	struct solve_path *path = path_of(f, call, &bytes[call]);
	struct clause_value *values = mem_zalloc((f->places + 1) * sizeof *values);
	size_t before = f->c->all.size;
	struct buf input = BUF_EMPTY;
	enum verdict v = VERDICT_UNKNOWN;
	buf_add(&input, x->data, x->size);
	for (unsigned n = 0; n <= JOINT && path && !is_over(f->c); n++) {
		struct solve_model m = {0};
		f->c->queries++;
		v = solve_path_query(path, chosen_term(f, bytes, e, call), &m);
		if (v == VERDICT_SAT)
			apply_model(x, &m, &input);
		solve_model_release(&m);
		if (v != VERDICT_SAT || n == JOINT)
			break;
		take_values(f->c, input.data, input.size, values);
		const struct candidate *y = broken_by(f, bytes, values, call);
		if (!y)
			break;
		vec_push(&f->c->all, (struct cause){.clause = y->clause, .contrary = y->contrary});
	}
	for (size_t i = before; i < f->c->all.size && f->scalars && v == VERDICT_UNSAT; i++)
		if (cause_is_contrary(f, bytes, &f->c->all.data[i].clause))
			v = VERDICT_UNKNOWN;
	if (v != VERDICT_UNSAT)
		f->c->all.size = before;
	free(values);
	buf_release(&input);
	return v == VERDICT_UNSAT;
}

/* Of clauses that exclude the call's path together, one that the call breaks: if there is one, it excludes the path alone. */
static uint32_t broken_cause(struct cause_search *f, struct bytes *bytes, size_t call)
{
	uint32_t first = ENTRY_NONE;
	for (uint32_t i = 0; i < f->c->all.size; i++) {
		const struct clause *c = &f->c->all.data[i].clause;
		if (candidate_holds(f, c, call) || convention_forbids(f, bytes, c, call))
			continue;
		if (excludes_alone(f, bytes, c, call))
			return i;
		first = first == ENTRY_NONE ? i : first;
	}
	return first;
}

/* Of those that are left: by clauses together. */
static void explain_rest(struct cause_search *f, struct bytes *bytes)
{
	f->unbroken = f->scalars;
	candidates_list(f);
	f->unbroken = 0;
	for (size_t i = 0; i < f->calls && !is_over(f->c); i++) {
		if (!f->left[i] || !explain_jointly(f, bytes, i))
			continue;
		uint32_t cause = broken_cause(f, bytes, i);
		if (cause == ENTRY_NONE) /* it keeps them all: then its values and its path contradict each other */
			continue;
		f->joint = 1;
		f->left[i] = 0;
		f->c->calls.data[i].cause = cause;
		f->c->all.data[cause].calls++;
	}
}

/* Another cause that explains the call, not one of scalars alone for one that is not: what speaks of pointers and lengths comes first; ENTRY_NONE. */
static uint32_t other_cause(struct cause_search *f, struct bytes *bytes, size_t call, uint32_t cause)
{
	for (uint32_t i = 0; i < f->c->all.size; i++)
		if (i != cause && cause_is_scalar(f->c, &f->c->all.data[i]) <= cause_is_scalar(f->c, &f->c->all.data[cause]) && !candidate_holds(f, &f->c->all.data[i].clause, call) && excludes(f, bytes, &f->c->all.data[i].clause, call))
			return i;
	return ENTRY_NONE;
}

/* A cause whose calls are all explained by causes that were found later says nothing. Not where clauses explain a call together: then each is needed. */
static void drop_idle(struct cause_search *f, struct bytes *bytes)
{
	for (uint32_t i = 0; i < f->c->all.size && !f->joint; i++) {
		int idle = 1;
		for (size_t k = 0; k < f->calls && idle; k++)
			idle = f->c->calls.data[k].cause != i || other_cause(f, bytes, k, i) != ENTRY_NONE;
		if (!idle)
			continue;
		for (size_t k = 0; k < f->calls; k++) {
			struct cause_call *x = &f->c->calls.data[k];
			if (x->cause == i) {
				x->cause = other_cause(f, bytes, k, i);
				f->c->all.data[x->cause].calls++;
			}
			x->cause -= x->cause != ENTRY_NONE && x->cause > i;
		}
		memmove(&f->c->all.data[i], &f->c->all.data[i + 1], (f->c->all.size - i - 1) * sizeof *f->c->all.data);
		f->c->all.size--;
		i--;
	}
}

/* What a global has from the start is the loader's to say: nothing is called necessary by it. Nor by what lies at an index: where that is too large the clause holds, and the call may fail. */
static int is_unsure(const struct entry_place *x)
{
	return x->is_global || x->index != ENTRY_NONE; /* those of ENTRY_EVERY count as global */
}

static int speaks_of_globals(const struct causes *c, const struct clause *x)
{
	const struct entry_place *all = c->entries[0].places.data;
	for (unsigned i = 0; i < x->count; i++)
		if (is_unsure(&all[x->part[i].a]) || is_unsure(&all[x->part[i].b]) || (clause_has_third(x->part[i].op) && is_unsure(&all[x->part[i].k])))
			return 1;
	return 0;
}

/* Every path is known, and no passing one allows a call that breaks it. */
static int is_necessary(struct cause_search *f, struct bytes *bytes, const struct cause *x)
{
	if (!f->c->exhausted || x->contrary || speaks_of_globals(f->c, &x->clause))
		return 0;
	for (size_t i = 0; i < f->calls; i++)
		if (!f->c->calls.data[i].failed && ask(f, i, bytes, &x->clause, 1) != VERDICT_UNSAT)
			return 0;
	return 1;
}

/* -------------------------------------------------------------------- texts */

/* Pointers that are said not to be null come first, the outermost before the others. */
static unsigned rank(const struct causes *c, const struct cause *x)
{
	const struct entry *e = &c->entries[0];
	const struct clause_literal *l = &x->clause.part[0];
	unsigned depth = e->places.data[l->a].depth;
	return x->clause.count == 1 && l->op == CLAUSE_SET ? depth : 100 + depth;
}

static void put_in_order(struct causes *c)
{
	for (size_t i = 0; i < c->all.size; i++)
		for (size_t k = i; k > 0 && rank(c, &c->all.data[k]) < rank(c, &c->all.data[k - 1]); k--) {
			struct cause x = c->all.data[k];
			c->all.data[k] = c->all.data[k - 1];
			c->all.data[k - 1] = x;
			for (size_t n = 0; n < c->calls.size; n++)
				if (c->calls.data[n].cause == k || c->calls.data[n].cause == k - 1)
					c->calls.data[n].cause = c->calls.data[n].cause == k ? (uint32_t)(k - 1) : (uint32_t)k;
		}
}

void causes_write(struct causes *c, const uint8_t *used)
{
	uint8_t *known = mem_zalloc(c->entries[0].places.size + 1);
	for (size_t i = 0; i < c->all.size; i++) {
		struct cause *x = &c->all.data[i];
		struct buf text = BUF_EMPTY;
		clause_text(&c->entries[0], &x->clause, known, &text);
		x->text = arena_strdup(&c->arena, buf_str(&text));
		buf_release(&text);
		if ((!used || used[i]) && x->clause.count == 1 && x->clause.part[0].op == CLAUSE_SET)
			known[x->clause.part[0].a] = 1;
	}
	free(known);
}

int cause_is_pointer(const struct causes *c, const struct cause *x)
{
	return clause_class(&c->entries[0], &x->clause) == CLAUSE_POINTER;
}

int cause_is_shape(const struct causes *c, const struct cause *x)
{
	return clause_class(&c->entries[0], &x->clause) == CLAUSE_SHAPE;
}

int cause_is_scalar(const struct causes *c, const struct cause *x)
{
	return clause_class(&c->entries[0], &x->clause) == CLAUSE_SCALAR;
}

int causes_keeps(struct causes *c, const void *data, size_t size, int scalars)
{
	const struct entry *e = causes_entry(c, 0);
	struct clause_value *v = mem_zalloc((e->places.size + 1) * sizeof *v);
	int keeps = 1;
	take_values(c, data, size, v);
	for (size_t i = 0; i < c->all.size; i++)
		if (scalars || !cause_is_scalar(c, &c->all.data[i]))
			keeps &= clause_holds(e, &c->all.data[i].clause, v);
	free(v);
	return keeps;
}

int causes_keeps_text(struct causes *c, const void *data, size_t size, const char *text)
{
	const struct entry *e = causes_entry(c, 0);
	struct clause_value *v = mem_zalloc((e->places.size + 1) * sizeof *v);
	c->every |= strstr(text, "every(") || strstr(text, "apart(");
	take_values(c, data, size, v);
	int keeps = contract_holds(e, v, text);
	free(v);
	return keeps;
}

int causes_meets_text(struct causes *c, const void *data, size_t size, const char *text)
{
	const struct entry *e = causes_entry(c, 0);
	struct clause_value *v = mem_zalloc((e->places.size + 1) * sizeof *v);
	take_values(c, data, size, v);
	int meets = contract_meets(e, v, text);
	free(v);
	return meets;
}

unsigned causes_broken(struct causes *c, const void *data, size_t size, uint32_t which, int *breaks)
{
	const struct entry *e = causes_entry(c, 0);
	struct clause_value *v = mem_zalloc((e->places.size + 1) * sizeof *v);
	unsigned broken = 0;
	take_values(c, data, size, v);
	for (size_t i = 0; i < c->all.size; i++) {
		int b = !clause_holds(e, &c->all.data[i].clause, v);
		broken += (unsigned)b;
		if (i == which)
			*breaks = b;
	}
	free(v);
	return broken;
}

unsigned causes_broken_of(struct causes *c, const void *data, size_t size, const uint8_t *which)
{
	const struct entry *e = causes_entry(c, 0);
	struct clause_value *v = mem_zalloc((e->places.size + 1) * sizeof *v);
	unsigned broken = 0;
	take_values(c, data, size, v);
	for (size_t i = 0; i < c->all.size; i++)
		broken += which[i] && !clause_holds(e, &c->all.data[i].clause, v);
	free(v);
	return broken;
}

/* ------------------------------------------------------- of other functions */

/* The place of that text and kind; ENTRY_NONE. */
static uint32_t same_place(const struct entry *e, const struct entry_place *x)
{
	for (uint32_t i = 0; i < e->places.size; i++) {
		const struct entry_place *y = &e->places.data[i];
		if (y->kind == x->kind && y->bits == x->bits && y->is_signed == x->is_signed && y->inside == x->inside && !y->length == !x->length && !strcmp(y->text, x->text))
			return i;
	}
	return ENTRY_NONE;
}

int causes_offer(struct causes *c, struct causes *other, const struct cause *x)
{
	const struct entry *e = causes_entry(c, 0), *from = causes_entry(other, 0);
	struct clause_literal l = x->clause.part[0];
	if ((l.op != CLAUSE_WITHIN && l.op != CLAUSE_LE && l.op != CLAUSE_AREA) || clause_class(from, &x->clause) != CLAUSE_LENGTH)
		return 0;
	l.a = same_place(e, &from->places.data[l.a]);
	l.b = same_place(e, &from->places.data[l.b]);
	if (clause_has_third(l.op)) {
		uint32_t third = same_place(e, &from->places.data[l.k]);
		l.a = third == ENTRY_NONE ? ENTRY_NONE : l.a;
		l.k = third;
	}
	if (l.a == ENTRY_NONE || l.b == ENTRY_NONE || is_offered(c, &l) || clause_class(e, &(struct clause){.part = {l}, .count = 1}) != CLAUSE_LENGTH)
		return 0;
	vec_push(&c->offered, ((struct clause){.part = {l}, .count = 1}));
	return 1;
}

void causes_again(struct causes *c)
{
	struct causes before = *c;
	uint32_t *cause = mem_zalloc((c->calls.size + 1) * sizeof *cause);
	for (size_t i = 0; i < c->calls.size; i++) {
		cause[i] = c->calls.data[i].cause;
		c->calls.data[i].cause = ENTRY_NONE;
	}
	vec_clear(&c->all);
	c->all.data = NULL;
	c->all.cap = 0;
	causes_find(c);
	int over = is_over(c); /* then what was known before is more */
	for (size_t i = 0; i < c->calls.size && over; i++)
		c->calls.data[i].cause = cause[i];
	free(over ? c->all.data : before.all.data);
	if (over)
		memcpy(&c->all, &before.all, sizeof c->all);
	free(cause);
}

/* -------------------------------------------------------------------- whole */

/* From here on clauses may speak of all structures of a type. */
static void take_every(struct cause_search *f)
{
	struct causes *c = f->c;
	f->every = c->every = 1;
	for (size_t i = 0; i < f->calls; i++)
		take_values(c, c->calls.data[i].data, c->calls.data[i].size, f->values + i * f->places);
}

int causes_cover(struct causes *c, const uint8_t *used)
{
	struct cause_search f = {.c = c, .calls = c->calls.size};
	struct bytes *bytes = mem_zalloc((f.calls + 1) * sizeof *bytes);
	int all = 1, kept = 0;
	f.paths = mem_zalloc((f.calls + 1) * sizeof *f.paths);
	for (size_t i = 0; i < f.calls && all; i++) {
		const struct cause_call *x = &c->calls.data[i];
		const struct entry *e = cause_entry_of(c, x);
		expr_t t = expr_true(c->pool);
		for (size_t k = 0; k < c->all.size && x->failed; k++)
			if (used[k])
				t = expr_and(c->pool, t, clause_term(e, &c->all.data[k].clause));
		all = !x->failed || cause_ask(&f, bytes, t, i) == VERDICT_UNSAT;
		kept |= !x->failed && !causes_broken_of(c, x->data, x->size, used);
	}
	for (size_t i = 0; i < f.calls; i++)
		if (f.paths[i])
			solve_path_free(f.paths[i]);
	free(f.paths);
	free(bytes);
	return all && kept;
}

void causes_find(struct causes *c)
{
	const struct entry *e = causes_entry(c, 0);
	struct cause_search f = {.c = c, .places = e->places.size, .calls = c->calls.size};
	struct bytes *bytes = mem_zalloc((f.calls + 1) * sizeof *bytes);
	size_t left = 0;
	f.values = mem_zalloc((f.calls * f.places + 1) * sizeof *f.values);
	f.paths = mem_zalloc((f.calls + 1) * sizeof *f.paths);
	f.left = mem_zalloc(f.calls + 1);
	f.looked = mem_zalloc(f.places + 1);
	f.whole = mem_zalloc(f.calls * f.places + 1);
	for (size_t i = 0; i < f.calls; i++) {
		take_values(c, c->calls.data[i].data, c->calls.data[i].size, f.values + i * f.places);
		f.left[i] = (uint8_t)c->calls.data[i].failed;
		left += f.left[i];
	}
	if (left && f.places)
		candidates_looked(&f);
	while (left && f.places) {
		int found = find_one(&f, bytes), all = f.scalars;
		if (!found)
			explain_rest(&f, bytes); /* a range has two ends: `bits >= 0` and `bits <= 31` */
		if (!found && all)
			break;
		f.scalars |= !found && f.every;
		if (!found && !f.every)
			take_every(&f);
		left = 0;
		for (size_t i = 0; i < f.calls; i++)
			left += f.left[i];
	}
	drop_idle(&f, bytes);
	for (size_t i = 0; i < c->all.size; i++)
		c->all.data[i].necessary = is_necessary(&f, bytes, &c->all.data[i]);
	put_in_order(c);
	causes_write(c, NULL);
	for (size_t i = 0; i < f.calls; i++)
		if (f.paths[i])
			solve_path_free(f.paths[i]);
	free(f.values);
	free(f.paths);
	free(f.left);
	free(f.looked);
	free(f.whole);
	free(bytes);
	vec_release(&f.literals);
	vec_release(&f.guards);
	vec_release(&f.candidates);
	for (size_t i = 0; i < f.proved.size; i++)
		free(f.proved.data[i].calls);
	vec_release(&f.proved);
}
