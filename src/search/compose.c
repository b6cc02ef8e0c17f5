/* compose.c: summaries of functions, taken apart for standing in the place of calls.
 *
 * A summary's P is a conjunction over places of the entry state, and its Q gives places of the end as terms over them. What a call has at these places the trace says
 * (compose_run.c). Places are of two kinds. Pointers, and the sizes of what they point to, are taken as they are in the call: with them put in, P is a condition over
 * numbers, the *config*. Calls with the same pointers share it, and whether its forms together cover every state is asked once for all of them.
 *
 * What cannot be taken apart (a bit-field, a function as a value, a Q that gives no term) is left out. That makes the disjunction smaller, never wrong: for the states that
 * are missing compose_whole has no proof, and the call's own decisions, or a search for states outside of the disjunction, take its place.
 */
#include "search/compose_inside.h"

#include "base/limit.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define FORMS LIMIT(64, 2) /* summaries of a function that stand for a call | terms grow with it */
#define SIZE LIMIT(4000, 8) /* nodes of a formula of which it is asked whether it is true everywhere | a query of some milliseconds */

struct compose *compose_new(struct solver *s)
{
	struct compose *c = mem_zalloc(sizeof *c);
	c->solver = s;
	return c;
}

static void callee_release(struct compose_callee *f)
{
	for (size_t i = 0; i < f->forms.size; i++) {
		vec_release(&f->forms.data[i].pre);
		vec_release(&f->forms.data[i].apart);
		vec_release(&f->forms.data[i].outputs);
		for (size_t k = 0; k < f->forms.data[i].inner.size; k++)
			vec_release(&f->forms.data[i].inner.data[k].passed);
		vec_release(&f->forms.data[i].inner);
	}
	for (size_t i = 0; i < f->configs.size; i++) {
		tape_release(&f->configs.data[i].tape);
		free(f->configs.data[i].pre);
	}
	vec_release(&f->forms);
	vec_release(&f->places);
	vec_release(&f->configs);
	map_release(&f->by_pointers);
	map_release(&f->by_content);
	if (f->own) {
		summaries_release(f->l);
		free(f->l);
	}
}

void compose_clear(struct compose *c)
{
	for (size_t i = 0; i < c->callees.size; i++)
		callee_release(&c->callees.data[i]);
	vec_clear(&c->callees);
	vec_clear(&c->functions);
	c->own = 0;
}

void compose_free(struct compose *c)
{
	if (!c)
		return;
	compose_clear(c);
	vec_release(&c->callees);
	vec_release(&c->functions);
	strmap_release(&c->globals);
	free(c);
}

void compose_global(struct compose *c, const char *name, uint64_t address)
{
	strmap_set(&c->globals, name, address);
}

const struct muster_function *compose_functions(const struct compose *c, size_t *count)
{
	*count = c->functions.size;
	return c->functions.data;
}

/* ---------------------------------------------------------------- places */

static int read_number(const char **at, const char *end, uint64_t *out)
{
	const char *from = *at;
	for (*out = 0; *at < end && **at >= '0' && **at <= '9'; ++*at)
		*out = *out * 10 + (uint64_t)(**at - '0');
	return *at > from;
}

/* [+OFFSET], then *OFFSET for each pointer. 1; 0: there is something else. */
static int parse_rest(const char *at, const char *end, struct compose_place *out)
{
	if (at < end && *at == '+' && (at++, !read_number(&at, end, &out->offset)))
		return 0;
	for (; at < end && *at == '*' && out->depth < COMPOSE_DEPTH; out->depth++)
		if (at++, !read_number(&at, end, &out->offsets[out->depth]))
			return 0;
	return at == end;
}

static int parse_place(const struct compose *c, const struct exprs *p, expr_t variable, struct compose_place *out, int *result, int *after)
{
	struct place pl;
	const char *at, *end;

	*out = (struct compose_place){.variable = variable, .width = expr_width(p, variable)};
	if (!place_of(p, variable, &pl) || pl.type == PLACE_FAILURE || pl.type == PLACE_FLOAT)
		return 0;
	out->type = pl.type;
	*after = pl.after;
	at = pl.path, end = pl.path + pl.path_size;
	*result = at < end && *at == 'r';
	if (*result)
		return parse_rest(at + 1, end, out);
	if (at < end && *at == 'g') {
		const char *name = ++at;
		while (at < end && *at != '+' && *at != '*' && *at != '.')
			at++;
		char *symbol = mem_strndup(name, (size_t)(at - name));
		out->global = strmap_get(&c->globals, symbol, &out->root);
		free(symbol);
		return out->global && parse_rest(at, end, out);
	}
	return read_number(&at, end, &out->root) && parse_rest(at, end, out);
}

static int same_place(const struct compose_place *a, const struct compose_place *b)
{
	if (a->global != b->global || a->root != b->root || a->offset != b->offset || a->depth != b->depth)
		return 0;
	return !memcmp(a->offsets, b->offsets, a->depth * sizeof *a->offsets);
}

/* Adds the places of a term to those of the callee. 0: one is not understood. */
static int note_places(struct compose *c, struct compose_callee *f, expr_t e)
{
	uint32_t count;
	const expr_t *vars = expr_vars(f->l->pool, e, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct compose_place p;
		struct place pl;
		int result, after;
		size_t k = 0;
		while (k < f->places.size && f->places.data[k].variable != vars[i])
			k++;
		if (k < f->places.size)
			continue;
		if (!parse_place(c, f->l->pool, vars[i], &p, &result, &after) || result || after)
			return 0;
		if (p.type == PLACE_POINTER && place_of(f->l->pool, vars[i], &pl))
			p.element = pl.size;
		vec_push(&f->places, p);
	}
	return 1;
}

/* The sizes of elements, which the pointers' names have. */
static void note_elements(struct compose_callee *f)
{
	for (size_t i = 0; i < f->places.size; i++)
		for (size_t k = 0; k < f->places.size && f->places.data[i].type == PLACE_LENGTH; k++)
			if (f->places.data[k].type == PLACE_POINTER && same_place(&f->places.data[i], &f->places.data[k]))
				f->places.data[i].element = f->places.data[k].element;
}

/* ---------------------------------------------------------------- forms */

static int has_application(struct exprs *p, expr_t e)
{
	expr_t operands[3];
	if (expr_get(p, e)->op == EXPR_OP_APPLY)
		return 1;
	unsigned n = expr_operands(p, e, operands);
	for (unsigned i = 0; i < n; i++)
		if (expr_get(p, e)->op != MUSTER_OP_READ && has_application(p, operands[i]))
			return 1;
	return 0;
}

static int is_failure(const struct exprs *p, expr_t e)
{
	struct place pl;
	return place_of(p, e, &pl) && pl.type == PLACE_FAILURE;
}

/* The one variable of the end state in a conjunct of Q; EXPR_NONE: none, or several. */
static expr_t after_variable(struct exprs *p, expr_t e)
{
	uint32_t count;
	const expr_t *vars = expr_vars(p, e, &count);
	expr_t found = EXPR_NONE;
	struct place pl;

	for (uint32_t i = 0; i < count; i++)
		if (place_of(p, vars[i], &pl) && pl.after) {
			if (found != EXPR_NONE)
				return EXPR_NONE;
			found = vars[i];
		}
	return found;
}

struct one {
	expr_t variable, value;
};

static expr_t put_one(void *ctx, expr_t variable)
{
	const struct one *o = ctx;
	return variable == o->variable ? o->value : EXPR_NONE;
}

static expr_t with(struct exprs *p, expr_t e, expr_t variable, uint64_t value)
{
	struct one o = {variable, expr_const(p, expr_width(p, variable), value)};
	return expr_substitute(p, e, put_one, &o);
}

/* after == term, as the term; EXPR_NONE: it does not have this form. */
static expr_t solved(struct exprs *p, expr_t e, expr_t after)
{
	const struct expr_node n = *expr_get(p, e);

	if (n.op == MUSTER_OP_EQ && n.a == after && after_variable(p, n.b) == EXPR_NONE)
		return n.b;
	if (n.op == MUSTER_OP_EQ && n.b == after && after_variable(p, n.a) == EXPR_NONE)
		return n.a;
	if (expr_width(p, after) != 1)
		return EXPR_NONE;
	expr_t is = with(p, e, after, 1), is_not = with(p, e, after, 0);
	return is_not == expr_not(p, is) ? is : EXPR_NONE;
}

static int take_post(struct compose *c, struct compose_callee *f, struct compose_form *x, expr_t e)
{
	struct compose_output o = {0};
	int after = 0;

	if (is_failure(f->l->pool, e)) {
		x->fails = 1;
		return 1;
	}
	expr_t v = has_application(f->l->pool, e) ? EXPR_NONE : after_variable(f->l->pool, e);
	if (v == EXPR_NONE || !parse_place(c, f->l->pool, v, &o.place, &o.result, &after) || (o.result && o.place.depth))
		return 0;
	o.term = solved(f->l->pool, e, v);
	if (o.term == EXPR_NONE || !note_places(c, f, o.term))
		return 0;
	if (o.place.type == PLACE_POINTER && !expr_is_const(f->l->pool, o.term, NULL))
		o.term = EXPR_NONE;
	vec_push(&x->outputs, o);
	return 1;
}

static int take_apart(struct compose *c, struct compose_callee *f, const struct summary *s, struct compose_form *x)
{
	int ok = !s->why && s->kind == SUMMARY_FUNCTION;

	for (size_t i = 0; i < s->pre.size && ok; i++) {
		expr_t e = s->pre.data[i];
		int apart = expr_get(f->l->pool, e)->op == EXPR_OP_APPLY && !strcmp(expr_name(f->l->pool, e), PLACE_APART);
		ok = (apart || !has_application(f->l->pool, e)) && note_places(c, f, e);
		if (apart)
			vec_push(&x->apart, e);
		else
			vec_push(&x->pre, e);
	}
	for (size_t i = 0; i < s->post.size && ok; i++)
		ok = take_post(c, f, x, s->post.data[i]);
	if (!ok) {
		vec_release(&x->pre);
		vec_release(&x->apart);
		vec_release(&x->outputs);
	}
	return ok;
}

static void insert_function(struct compose *c, const struct compose_callee *f)
{
	size_t at = c->callees.size;
	vec_push(&c->callees, *f);
	vec_push(&c->functions, f->at);
	for (; at && c->callees.data[at - 1].at.first > f->at.first; at--) {
		c->callees.data[at] = c->callees.data[at - 1];
		c->functions.data[at] = c->functions.data[at - 1];
	}
	c->callees.data[at] = *f;
	c->functions.data[at] = f->at;
}

void compose_add_recursive(struct compose *c, uint64_t first, uint64_t end)
{
	struct compose_callee f = {.at = {first, end}, .l = mem_zalloc(sizeof *f.l), .own = 1};

	summaries_init(f.l);
	insert_function(c, &f);
	c->own = 1;
}

int compose_add(struct compose *c, uint64_t first, uint64_t end, struct summaries *l)
{
	struct compose_callee f = {.at = {first, end}, .l = l};
	size_t returning = 0;

	for (size_t i = 0; i < l->all.size; i++) {
		struct compose_form x = {0};
		if (f.forms.size >= FORMS || !take_apart(c, &f, &l->all.data[i], &x)) {
			f.dropped++;
			continue;
		}
		returning += !x.fails;
		vec_push(&f.forms, x);
	}
	if (!returning) {
		callee_release(&f);
		return 0;
	}
	note_elements(&f);
	insert_function(c, &f);
	return 1;
}

/* ---------------------------------------------------------------- whole */

static size_t size_of(struct exprs *p, expr_t e)
{
	uint32_t count;
	expr_vars(p, e, &count);
	return (size_t)count * expr_get(p, e)->height;
}

int compose_whole(struct compose *c, struct compose_callee *f, struct compose_config *g)
{
	struct exprs *p = f->l->pool;
	expr_t none = expr_true(p);

	if (g->whole >= 0)
		return g->whole;
	g->whole = 0;
	for (size_t i = 0; i < f->forms.size; i++)
		if (g->pre[i] != EXPR_NONE)
			none = expr_and(p, none, expr_not(p, g->pre[i]));
	if (none == expr_false(p))
		g->whole = 1;
	else if (size_of(p, none) <= SIZE) {
		struct solve_model m = {0};
		g->whole = solve_formula(c->solver, p, &none, 1, &m) == VERDICT_UNSAT;
		solve_model_release(&m);
	}
	return g->whole;
}
