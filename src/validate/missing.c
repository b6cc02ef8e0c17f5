/* missing.c: what a partial summary leaves unsaid: R, a condition on places that P does not name, with which Phase 3 proves it (seed 000, Definition 3).
 *
 * Let H(x, y) say that the evaluation of a state ends as Q says; y are the places that R may be about, x everything else: the places of P, addresses, undefined values. R(y) is wanted such that P(x) and R(y) imply H(x, y) for all x and y. By counterexample-guided instantiation:
 *
 *	R := true
 *	until no state satisfies P, R and not H:    one that does has x = X there;  R := R and H(X, y)
 *
 * Every R that is right implies each H(X, y), since X satisfies P: so R is the weakest one if the loop ends, and if H(X, y) is false for some X, there is none. The rounds are bounded.
 *
 * R's places are what functions without a body return (stubs.c), and scalars that the code reads: in globals, statics, and objects that pointers of P lead to; no parameters, and nothing that Q names: of these the summary has said what it has to say. None of their bytes is one of P's: an object of P's lies apart from the others and from the globals, or
 * else R is about globals of which nobody has the address; where a byte belongs to a place of P, bit-fields included, nothing that has it is R's. Of pointers R says that they are null or that they are not: an address is no number that a person could give.
 */
#include "validate/inside.h"

#include <stdio.h>
#include <string.h>

#define ROUNDS 12   /* of the loop: each is a question to the solver and a conjunct of R */
#define PLACES 64   /* that R may be about */
#define SAID 600    /* terms of R: what is longer nobody reads */
#define PLAIN 20000 /* terms, shared ones as often as they stand there, of what is made plain: each is visited */

/* ------------------------------------------------------------ places */

static int is_free(const struct missing *m, expr_t v)
{
	for (size_t i = 0; i < m->places.size; i++)
		if (m->places.data[i] == v)
			return 1;
	for (size_t i = 0; i < m->results.size; i++)
		if (m->results.data[i] == v)
			return 1;
	return 0;
}

void missing_release(struct missing *m)
{
	vec_release(&m->places);
	vec_release(&m->results);
}

void missing_result(struct missing *m, expr_t variable)
{
	if (!is_free(m, variable))
		vec_push(&m->results, variable);
}

static void add_place(struct missing *m, enum place_type type, unsigned width, uint64_t size, const char *path, const char *text)
{
	expr_t v = place_variable(m->b->p, width, type, size, 0, path, text);
	if (!is_free(m, v) && m->places.size < PLACES)
		vec_push(&m->places, v);
}

static void add_typed(struct missing *m, const struct code_type *t, const char *path, const char *text)
{
	const struct code *c = m->b->f->code;
	if (t->kind == CODE_TYPE_POINTER)
		add_place(m, PLACE_POINTER, 64, t->base == CODE_NONE ? 0 : c->types[t->base].bytes, path, text);
	else if (t->kind == CODE_TYPE_INT && t->bytes && t->bytes <= 8)
		add_place(m, t->is_unsigned || t->is_bool ? PLACE_UNSIGNED : PLACE_SIGNED, (unsigned)t->bytes * 8, 0, path, text);
}

/* `p`, `p->f`, `p[3].f`, `*p` for what a pointer leads to; names is what bind_scalar gives. */
static void pointee_text(const char *pointer, const char *names, struct buf *out)
{
	const char *open = strchr("*&(", *pointer) ? "(" : "", *close = *open ? ")" : "";
	if (strncmp(names, "[0]", 3))
		buf_addf(out, "%s%s%s%s", open, pointer, close, names);
	else if (names[3] == '.')
		buf_addf(out, "%s%s%s->%s", open, pointer, close, names + 4);
	else if (names[3])
		buf_addf(out, "(*%s)%s", pointer, names + 3);
	else
		buf_addf(out, "*%s", pointer);
}

static void add_global(struct missing *m, uint32_t g, uint64_t offset)
{
	const struct code *c = m->b->f->code;
	const char *said = c->global_variables[g].name;
	struct buf path = BUF_EMPTY, text = BUF_EMPTY;
	buf_addf(&path, "g%s", c->globals[g].name);
	if (offset)
		buf_addf(&path, "+%llu", (unsigned long long)offset);
	buf_adds(&text, said ? said : c->globals[g].name);
	const struct code_type *t = bind_scalar(c, c->globals[g].type, offset, 0, &text);
	if (t && !c->globals[g].constant && !c->globals[g].thread_local && bind_is_unnamed(m->b, vc_global(m->b->vc, g), offset, t->bytes))
		add_typed(m, t, buf_str(&path), buf_str(&text));
	buf_release(&path);
	buf_release(&text);
}

static void add_pointee(struct missing *m, const struct bind_pointer *x, uint64_t offset)
{
	struct buf path = BUF_EMPTY, names = BUF_EMPTY, text = BUF_EMPTY;
	const struct code_type *t = bind_scalar(m->b->f->code, bind_type(m->b->f, &x->place), offset, 1, &names);
	buf_add(&path, x->place.path, x->place.path_size);
	buf_addf(&path, "*%llu", (unsigned long long)offset);
	pointee_text(x->place.text, buf_str(&names), &text);
	if (t && offset + t->bytes <= vc_object_bytes(m->b->vc, x->object) && bind_is_unnamed(m->b, x->object, offset, t->bytes))
		add_typed(m, t, buf_str(&path), buf_str(&text));
	buf_release(&path);
	buf_release(&names);
	buf_release(&text);
}

void missing_load(struct missing *m, uint32_t object, uint64_t offset)
{
	const struct bind *b = m->b;
	uint32_t g = vc_object_global(b->vc, object);
	if (g != CODE_NONE && bind_is_apart(b, g))
		add_global(m, g, offset);
	if (g != CODE_NONE || (b->objects && !b->apart))
		return;
	for (size_t i = 0; i < b->pointers.size; i++)
		if (b->pointers.data[i].is == BIND_OWN && b->pointers.data[i].object == object) {
			add_pointee(m, &b->pointers.data[i], offset);
			return;
		}
}

/* ------------------------------------------------------------ R */

struct instance {
	struct missing *m;
	const struct solve_model *model;
};

static expr_t value_in(void *ctx, expr_t v)
{
	const struct instance *i = ctx;
	struct exprs *p = i->m->b->p;
	if (is_free(i->m, v) || !expr_width(p, v))
		return EXPR_NONE;
	return expr_const(p, expr_width(p, v), solve_model_eval(p, i->model, v));
}

/* H with the counterexample's x in it: over R's places alone. EXPR_NONE: it is not. */
static expr_t instantiate(struct missing *m, expr_t holds, const struct solve_model *model)
{
	struct instance i = {m, model};
	expr_t e = expr_substitute(m->b->p, holds, value_in, &i);
	uint32_t count;
	const expr_t *vars = expr_vars(m->b->p, e, &count);
	for (uint32_t k = 0; k < count; k++)
		if (!is_free(m, vars[k]))
			return EXPR_NONE;
	return e;
}

/* How many terms there are below it, as it would be printed; counting ends beyond most. */
static unsigned length(const struct exprs *p, expr_t e, unsigned most, unsigned before)
{
	expr_t parts[3];
	unsigned count = expr_operands(p, e, parts), n = before + 1;
	for (unsigned k = 0; k < count && n <= most; k++)
		n = length(p, parts[k], most, n);
	return n;
}

#define CHOICES 24 /* one inside the other, in a term that is made plain */

/* The same without choices between constants: `(c ? 3 : d ? 4 : 5) == 4` is what a function that returns these leaves of its paths. */
static expr_t make_plain(struct exprs *p, expr_t e, unsigned depth)
{
	struct expr_node n = *expr_get(p, e), m;
	if (n.width != 1 || !depth)
		return e;
	if (n.op == MUSTER_OP_AND || n.op == MUSTER_OP_OR) {
		expr_t a = make_plain(p, n.a, depth - 1), b = make_plain(p, n.b, depth - 1);
		return n.op == MUSTER_OP_AND ? expr_and(p, a, b) : expr_or(p, a, b);
	}
	if (n.op == MUSTER_OP_XOR && n.b == expr_true(p))
		return expr_not(p, make_plain(p, n.a, depth - 1));
	if (n.op != MUSTER_OP_EQ || !expr_is_const(p, n.b, NULL))
		return e;
	m = *expr_get(p, n.a);
	if (m.op != MUSTER_OP_ITE)
		return e;
	expr_t c = make_plain(p, m.a, depth - 1), yes = make_plain(p, expr_eq(p, m.b, n.b), depth - 1), no = make_plain(p, expr_eq(p, m.c, n.b), depth - 1);
	if (expr_is_const(p, yes, NULL))
		return yes == expr_true(p) ? expr_or(p, c, no) : expr_and(p, expr_not(p, c), no);
	if (expr_is_const(p, no, NULL))
		return no == expr_true(p) ? expr_or(p, expr_not(p, c), yes) : expr_and(p, c, yes);
	return expr_and(p, expr_or(p, expr_not(p, c), yes), expr_or(p, c, no));
}

/* Pointers are compared with null alone. */
static int has_address(struct exprs *p, expr_t e)
{
	struct expr_node n = *expr_get(p, e);
	expr_t parts[3];
	u128 value;
	struct place pl;
	if (n.op == MUSTER_OP_DATA) /* bytes of whatever */
		return 1;
	if (n.op == MUSTER_OP_EQ && expr_is_const(p, n.b, &value) && !value)
		return !place_of(p, n.a, &pl) && has_address(p, n.a);
	if (place_of(p, e, &pl))
		return pl.type == PLACE_POINTER;
	unsigned count = expr_operands(p, e, parts);
	for (unsigned k = 0; k < count; k++)
		if (has_address(p, parts[k]))
			return 1;
	return 0;
}

static int is_readable(struct missing *m, expr_t r)
{
	return length(m->b->p, r, SAID, 0) <= SAID && !has_address(m->b->p, r);
}

int missing_find(struct missing *m, struct solve_context *context, expr_t holds, int (*over)(void *ctx), void *ctx, expr_t *r, const char **why)
{
	struct exprs *p = m->b->p;
	enum verdict v = VERDICT_UNKNOWN;
	*r = expr_true(p);
	*why = "what it leaves unsaid was not found";
	for (unsigned round = 0; round < ROUNDS && !over(ctx); round++) {
		struct solve_model model = {0};
		expr_t against[2] = {*r, expr_not(p, holds)};
		v = solve_context_check(context, against, 2, &model);
		expr_t e = v == VERDICT_SAT ? instantiate(m, holds, &model) : EXPR_NONE;
		solve_model_release(&model);
		if (v != VERDICT_SAT || e == EXPR_NONE)
			break;
		*r = expr_and(p, *r, length(p, e, PLAIN, 0) <= PLAIN ? make_plain(p, e, CHOICES) : e);
		if (*r == expr_false(p)) {
			*why = "nothing that it could leave unsaid makes it hold";
			return 0;
		}
		if (!is_readable(m, *r))
			return 0;
	}
	if (v != VERDICT_UNSAT || *r == expr_true(p))
		return 0;
	struct solve_model model = {0};
	v = over(ctx) ? VERDICT_UNKNOWN : solve_context_check(context, r, 1, &model); /* a condition that no state satisfies proves nothing */
	solve_model_release(&model);
	return v == VERDICT_SAT;
}
