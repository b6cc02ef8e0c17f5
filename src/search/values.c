/* values.c: every value of what the trace fixed.
 *
 * A concretisation says: from here on this term is what it was in this run. Under that constraint the rest of the path is
 * exact; what is lost are the other values. Where there are few of them (an index that was masked, one of four
 * function pointers) each is asked for and run, until there is none left: then nothing was lost. Where there are
 * many, that is found out once for each instruction, and the search is not exhaustive.
 *
 * A place is a concretisation after one prefix (decisions, and values fixed before). It is done when the solver says that there
 * is no further value, or when it was given up, which is a loss.
 */
#include "base/hash.h"
#include "base/limit.h"
#include "search/inside.h"

#include <math.h>
#include <string.h>

#define FEW_INPUTS LIMIT(2, 1) /* bytes that a term depends on, to have many values | 2 bytes are tried out */
#define MANY LIMIT(256, 2) /* values of such a term | a byte */
#define SOME LIMIT(32, 1) /* values of any other | by hand (tries) */

static uint64_t place_key(const struct path_step *step)
{
	return hash_mix(step->prefix ^ hash_mix(step->reads ^ step->self));
}

int values_wanted(const struct search *s, const struct path_step *step)
{
	return !map_get(&s->known.valued, place_key(step), NULL);
}

static void give_up(struct search *s, const struct path_step *step)
{
	search_lose(s, LOSS_CONCRETISED);
	s->losses.concretised[step->outcome]++;
	map_set(&s->known.valued, place_key(step), 1);
}

struct child_input {
	const struct search *s;
	const struct expansion *x;
};

u128 search_value_in_child(const struct search *s, const struct expansion *x, expr_t variable)
{
	const struct expr_node *n = expr_get(x->pool, variable);
	uint64_t value = 0;
	if (n->op == MUSTER_OP_LENGTH)
		return n->a == 0 ? s->now.input.size : x->trace.sources[n->a].size;
	if (n->op != MUSTER_OP_INPUT || n->a != 0)
		return 0;
	if (n->k < s->now.input.size)
		return (uint8_t)s->now.input.data[n->k];
	map_get(&x->import.beyond, n->k, &value);
	return value;
}

static u128 value_in_child(void *ctx, expr_t variable)
{
	const struct child_input *c = ctx;
	return search_value_in_child(c->s, c->x, variable);
}

static expr_t differs(struct expansion *x, expr_t term, u128 value)
{
	expr_t constant = expr_const(x->pool, expr_width(x->pool, term), value);
	return expr_not(x->pool, expr_eq(x->pool, term, constant));
}

/* The next value: 1, and it was run; 0: there is none, or none that can be had; -1. */
static int next_value(struct search *s, struct expansion *x, const struct path_step *step,
		      expr_t term, expr_t *others)
{
	struct child_input c = {s, x};
	struct solve_model m = {0};
	int r = 0;
	s->stats.flips++;
	enum verdict v = solve_path_query(x->strict, *others, &m);
	if (v == VERDICT_UNSAT) {
		map_set(&s->known.valued, place_key(step), 1);
	} else if (v == VERDICT_UNKNOWN) {
		search_lose(s, LOSS_UNKNOWN);
		give_up(s, step);
	} else if (!search_build_input(s, x, &m)) {
		search_lose(s, LOSS_LARGE);
		give_up(s, step);
	} else {
		u128 value = expr_eval(x->pool, term, value_in_child, &c);
		*others = expr_and(x->pool, *others, differs(x, term, value));
		r = search_run_child(s, x, step, 0, 0) < 0 ? -1 : 1;
	}
	solve_model_release(&m);
	return r;
}

/* Numbers that floating point is compared with more often than with others. */
static const double numbers[] = {0.0,	 -0.0,	 1.0,	 -1.0,	0.5,  -0.5,  2.0,      -2.0,	  10.0,
				 -10.0,	 100.0,	 -100.0, 1e3,	-1e3, 1e6,   -1e6,     1e9,	  -1e9,
				 1e-6,	 -1e-6,	 1e19,	 -1e19, 1e38, -1e38, 1.7e308, -1.7e308, 5e-324,
				 INFINITY, -INFINITY, NAN};

/* The number as the term has it: a float or double by its bits, an integer that is converted by its value. 0: not at
 * this width. */
static int bits_of(double number, unsigned width, int integer, u128 *bits)
{
	float narrow = (float)number;
	uint32_t low;
	uint64_t all;
	if (integer) {
		if (!(number > -9e18 && number < 9e18) || number != (double)(int64_t)number)
			return 0;
		*bits = (u128)(int64_t)number & (((u128)1 << width) - 1);
		return 1;
	}
	memcpy(&low, &narrow, sizeof low);
	memcpy(&all, &number, sizeof all);
	*bits = width == 32 ? low : all;
	return width == 32 || width == 64;
}

/* A term that floating point reads has too many values to ask for all: the usual ones are run. 0, -1. */
static int ask_numbers(struct search *s, struct expansion *x, const struct path_step *step, expr_t term)
{
	unsigned width = expr_width(x->pool, term);
	int r = 0;
	for (unsigned i = 0; i < 2 * sizeof numbers / sizeof *numbers && r >= 0; i++) {
		struct solve_model m = {0};
		u128 bits;
		if (width > 64 || !bits_of(numbers[i / 2], width, i % 2, &bits))
			continue;
		expr_t goal = expr_eq(x->pool, term, expr_const(x->pool, width, bits));
		if (solve_path_query(x->strict, goal, &m) == VERDICT_SAT && search_build_input(s, x, &m))
			r = search_run_child(s, x, step, 0, 0) < 0 ? -1 : 0;
		solve_model_release(&m);
	}
	return r;
}

/* A number that floating point reads from memory is fixed byte by byte: the term of all of them, where `at` is one. */
static int same_number(const struct search *s, size_t at, size_t other)
{
	const struct path_step *a = &s->now.parent.steps.data[at], *b = &s->now.parent.steps.data[other];
	return b->kind == a->kind && b->site == a->site && b->outcome == a->outcome;
}

static expr_t whole_number(const struct search *s, struct expansion *x, size_t at, expr_t term, int *first)
{
	size_t from = at;
	if (expr_width(x->pool, term) != 8)
		return term;
	while (from > 0 && at - from < 7 && same_number(s, at, from - 1))
		from--;
	*first = from == at;
	term = import_label(&x->import, s->now.parent.steps.data[from].label);
	for (size_t i = from + 1; i < from + 8 && i < s->now.parent.steps.size && same_number(s, at, i); i++) {
		expr_t next = import_label(&x->import, s->now.parent.steps.data[i].label);
		term = expr_concat(x->pool, next, term);
	}
	return term;
}

int search_ask_values(struct search *s, struct expansion *x, size_t at)
{
	const struct path_step *step = &s->now.parent.steps.data[at];
	expr_t term = import_label(&x->import, step->label), others;
	uint32_t inputs;
	uint64_t hopeless = 0;
	expr_vars(x->pool, term, &inputs);
	map_get(&s->known.hopeless, step->site, &hopeless);
	if (hopeless) {
		give_up(s, step);
		return 0;
	}
	if (step->outcome == MUSTER_REASON_FLOAT) {
		uint32_t all;
		int first = 1;
		expr_t number = whole_number(s, x, at, term, &first);
		expr_vars(x->pool, number, &all);
		if (all > FEW_INPUTS) {
			give_up(s, step);
			return first ? ask_numbers(s, x, step, number) : 0;
		}
	}
	others = differs(x, term, trace_value(&x->trace, step->label));
	for (unsigned n = 1;; n++) {
		if (n > (inputs <= FEW_INPUTS ? MANY : SOME)) {
			map_set(&s->known.hopeless, step->site, 1);
			give_up(s, step);
			return 0;
		}
		int r = next_value(s, x, step, term, &others);
		if (r <= 0)
			return r;
		/* A pause in the midst would begin anew: only the end of the search is one. */
		if (search_over_limit(s) || (s->h.pause && s->h.pause(s->h.ctx)))
			return 1;
	}
}
