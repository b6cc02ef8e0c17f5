/* refine.c: calls of functions that changed, but not for all inputs.
 *
 * Where it is known of a callee for which arguments it is unchanged (the condition that was printed for it), a call of it counts as the same function in both versions, and is not followed. Where the arguments may be others,
 * nothing is known, which is a doubt: an input that comes there is unknown. If the versions are equal but for inputs of doubts, one such input says which calls the difference rests on: these are followed from then on, and
 * the pair is evaluated again. So a callee is explored only where a caller can get to what changed in it, and its loops do not matter elsewhere.
 *
 * Invariant: with its arguments in the condition, both versions of the callee do the same, or both are undefined, whatever memory and functions outside do. A doubt can only make less known.
 */
#include "diff/inside.h"

#include "base/hash.h"
#include "expr/text.h"

#include <string.h>

#define ROUNDS 5 /* of following calls and evaluating again | each costs an evaluation; a function has few calls of changed ones */

/* ------------------------------------------------------------ what is known of a callee */

/* Parameters alone: memory may be another when it is called. */
static int speaks_of_parameters(struct diff_pair *x, const struct diff_cube *c)
{
	for (size_t i = 0; i < c->literals.size; i++) {
		uint32_t count;
		const expr_t *vars = expr_vars(x->p, c->literals.data[i], &count);
		for (uint32_t k = 0; k < count; k++) {
			const struct diff_word *in = diff_word_find(x, vars[k]);
			if (!in || !in->is_parameter)
				return 0;
		}
	}
	return 1;
}

void diff_refine_keep(struct diff_pair *x, const struct diff_cover *same)
{
	struct exprs *p = x->p;
	struct buf *out = &x->d->unchanged[x->symbols[OLD]];
	expr_t any = expr_false(p);
	for (size_t i = 0; i < same->cubes.size; i++) {
		const struct diff_cube *c = &same->cubes.data[i];
		expr_t all = expr_true(p);
		for (size_t k = 0; k < c->literals.size; k++)
			all = expr_and(p, all, c->literals.data[k]);
		if (speaks_of_parameters(x, c))
			any = expr_or(p, any, all);
	}
	buf_clear(out);
	if (any != expr_false(p))
		expr_write(p, &any, 1, out);
}

struct binding { /* a callee's parameters to arguments */
	struct exprs *p;
	const struct code_function *f; /* whose parameters have the names */
	const struct vc_call *c;
	int wrong;
};

static expr_t bind(void *ctx, expr_t variable)
{
	struct binding *b = ctx;
	expr_t found = EXPR_NONE;
	for (uint32_t i = 0; i < b->f->parameters && found == EXPR_NONE; i++) {
		struct buf name = BUF_EMPTY;
		diff_pair_parameter(b->f, i, &name);
		if (!strcmp(buf_str(&name), expr_name(b->p, variable)))
			found = b->c->args[i];
		buf_release(&name);
	}
	if (found == EXPR_NONE || expr_width(b->p, found) != expr_width(b->p, variable)) {
		b->wrong = 1;
		return EXPR_NONE;
	}
	return found;
}

static uint64_t call_of(const struct diff_side *s, const struct vc_call *c)
{
	return hash_join(hash_join((uint64_t)(uintptr_t)c->f, c->at), (uint64_t)s->which);
}

expr_t diff_refine_unchanged(struct diff_side *s, const struct vc_call *c, uint32_t pair)
{
	const struct differ *d = s->pair->d;
	const struct buf *known = pair != CODE_NONE ? &d->unchanged[pair] : NULL;
	expr_t e;
	unsigned count;
	if (!known || !known->size || d->o->no_refine || c->target->variadic || map_get(&s->pair->followed, call_of(s, c), NULL))
		return EXPR_NONE;
	struct binding b = {.p = s->pair->p, .f = d->whole[NEW]->symbols.data[d->m->to_new[pair]].function, .c = c};
	if (!b.f || b.f->parameters != c->arg_count)
		return EXPR_NONE;
	for (uint32_t i = 0; i < c->arg_count; i++)
		if (c->args[i] == EXPR_NONE)
			return EXPR_NONE;
	if (expr_read_serial(b.p, known->data, known->size, &e, 1, &count) || count != 1)
		return EXPR_NONE;
	e = expr_substitute(b.p, e, bind, &b);
	return b.wrong ? EXPR_NONE : e;
}

void diff_refine_doubt(struct diff_side *s, const struct vc_call *c, expr_t unchanged)
{
	struct exprs *p = s->pair->p;
	expr_t where = expr_and(p, c->guard, expr_not(p, unchanged));
	if (where != expr_false(p))
		vec_push(&s->doubts, ((struct diff_doubt){where, call_of(s, c)}));
}

/* ------------------------------------------------------------ on demand */

/* An input with which the versions may differ because of a doubt: the calls that it comes to are followed. 0: there is none. */
static int follow_calls(struct diff_pair *x)
{
	struct exprs *p = x->p;
	struct solve_model m = {0};
	expr_t doubtful = expr_or(p, x->side[OLD].doubtful, x->side[NEW].doubtful);
	int more = 0;
	if (doubtful == expr_false(p) || diff_pair_check(x, &doubtful, 1, &m) != VERDICT_SAT)
		return 0;
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < x->side[k].doubts.size; i++)
			if (solve_model_eval(p, &m, x->side[k].doubts.data[i].where))
				more |= map_set(&x->followed, x->side[k].doubts.data[i].call, 1);
	solve_model_release(&m);
	return more;
}

int diff_refine_equal(struct diff_pair *x, unsigned unroll)
{
	int equal = diff_pair_is_equal(x);
	for (unsigned i = 0; i < ROUNDS && !equal && !diff_pair_is_over(x) && follow_calls(x); i++)
		equal = !diff_pair_evaluate(x, x->abstracts, unroll) && diff_pair_is_equal(x);
	return equal;
}
