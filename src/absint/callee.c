/* callee.c: summaries of callees, and their use at calls.
 *
 * A summary speaks of the parameters in the readings that the callee's analysis chose, and of the result in either: it is made for both.
 * At a call the argument's expression takes the place of the parameter (a fact about a parameter whose argument has none is left out), the
 * call's own symbol that of the result. Several cases are joined. A callee that does not return makes what follows unreachable.
 *
 * It is sound for the same reason that the callee's analysis is: it starts from its entry with any parameters and any memory.
 */
#include "absint/callee.h"
#include "absint/inside.h"

#include "base/map.h"

#include <string.h>

#define INSTRUCTIONS_MOST 600 /* of a callee */
#define CASES_MOST 6
#define SECONDS 0.2

struct summary {
	VEC(uint32_t) parameters; /* of dimension i; the result is behind them */
	VEC(uint8_t) is_signed;
	struct absint_facts facts[2]; /* result unsigned, signed */
};

struct callees {
	const struct code *code;
	struct map known; /* function number -> index in list + 1; 0: none */
	VEC(struct summary *) list;
};

struct callees *callees_new(const struct code *code)
{
	struct callees *c = mem_zalloc(sizeof *c);
	c->code = code;
	return c;
}

void callees_free(struct callees *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->list.size; i++) {
		struct summary *s = c->list.data[i];
		vec_release(&s->parameters);
		vec_release(&s->is_signed);
		absint_facts_release(&s->facts[0]);
		absint_facts_release(&s->facts[1]);
		free(s);
	}
	vec_release(&c->list);
	map_release(&c->known);
	free(c);
}

/* ----------------------------------------------------------------- making */
static int has_summary(const struct code_function *f)
{
	return f->defined && !f->replaceable && !f->recursive && !f->variadic && f->result_width > 1 && f->result_width <= 64 &&
	       f->instructions <= INSTRUCTIONS_MOST;
}

static void add_case(struct absint_facts *to, struct absint_facts *from)
{
	for (size_t i = 0; i < from->cases.size; i++)
		vec_push(&to->cases, from->cases.data[i]);
	vec_release(&from->cases);
}

/* More than a few cases are not worth their joins: nothing is known. */
static void limit_cases(struct absint_facts *f)
{
	struct absint_case any = {0};
	if (f->cases.size <= CASES_MOST)
		return;
	absint_facts_release(f);
	vec_push(&f->cases, any);
}

static void ask_returns(struct absint *a, struct summary *s, int is_signed)
{
	const struct code_function *f = a->f;
	VEC(struct absint_symbol) wanted = {0};
	for (size_t i = 0; i < s->parameters.size; i++)
		vec_push(&wanted, absint_value(a, s->parameters.data[i]));
	vec_push(&wanted, (struct absint_symbol){0});
	for (uint32_t b = 0; b < f->block_count; b++) {
		uint32_t last = code_last(f, b);
		struct absint_facts here;
		if (f->values[last].op != CODE_RETURN || f->blocks[b].order == CODE_NONE)
			continue;
		vec_last(&wanted) = (struct absint_symbol){ABSINT_VALUE, code_operand(f, last, 0), f->result_width, is_signed};
		absint_at(a, (struct absint_point){b, ABSINT_END}, wanted.data, wanted.size, &here);
		add_case(&s->facts[is_signed], &here);
	}
	limit_cases(&s->facts[is_signed]);
	vec_release(&wanted);
}

static struct summary *make_summary(struct callees *c, const struct code_function *f, const struct absint_options *options)
{
	struct absint_options o = *options;
	struct summary *s = mem_zalloc(sizeof *s);
	struct absint *a;
	o.callees = c;
	o.seconds = SECONDS;
	a = absint_new(c->code, f, &o);
	for (uint32_t k = 0; k < f->parameters; k++)
		if (tracked(&f->values[k])) {
			vec_push(&s->parameters, k);
			vec_push(&s->is_signed, (uint8_t)absint_value(a, k).is_signed);
		}
	ask_returns(a, s, 0);
	ask_returns(a, s, 1);
	absint_free(a);
	return s;
}

static const struct summary *find(const struct callees *c, uint32_t function)
{
	uint64_t at;
	return c && map_get(&c->known, function, &at) && at ? c->list.data[at - 1] : NULL;
}

/* The arguments are what the callee takes them for, and the result is used as a number. */
static int fits(const struct code_function *f, uint32_t value)
{
	const struct code_value *v = &f->values[value];
	const struct code_function *callee;
	if (v->kind != CODE_INSTRUCTION || v->op != CODE_CALL || v->target == CODE_NONE)
		return 0;
	callee = &f->code->functions[v->target];
	if (!has_summary(callee) || v->width != callee->result_width || v->operands - 1 != callee->parameters)
		return 0;
	for (uint32_t k = 0; k < callee->parameters; k++)
		if (code_operand_value(f, value, k + 1)->width != callee->values[k].width)
			return 0;
	return 1;
}

void callee_prepare(struct absint *a)
{
	const struct code_function *f = a->f;
	if (!a->options.callees)
		return;
	for (uint32_t i = 0; i < f->callee_count; i++) {
		const struct code_function *callee = &a->code->functions[f->callees[i]];
		struct summary *s;
		if (!has_summary(callee) || callee->component == f->component || map_get(&a->options.callees->known, callee->number, NULL))
			continue;
		map_set(&a->options.callees->known, callee->number, 0);
		s = make_summary(a->options.callees, callee, &a->options);
		vec_push(&a->options.callees->list, s);
		map_set(&a->options.callees->known, callee->number, a->options.callees->list.size);
	}
}

/* ------------------------------------------------------------------ using */
int callee_known(const struct absint *a, uint32_t value)
{
	return fits(a->f, value) && find(a->options.callees, a->f->values[value].target) != NULL;
}

int callee_shape(struct absint *a, uint32_t value, struct linear *out)
{
	const struct summary *s;
	if (!callee_known(a, value) || a->value_symbol[value] == NONE)
		return 0;
	s = find(a->options.callees, a->f->values[value].target);
	*out = linear_dim(a->value_symbol[value]);
	for (size_t i = 0; i < s->parameters.size; i++) {
		struct linear e;
		if (!form_own(a, NULL, code_operand(a->f, value, s->parameters.data[i] + 1), &e))
			continue;
		for (size_t k = 0; k < e.terms.size; k++)
			if (!linear_coef(out, e.terms.data[k].dim))
				linear_add_dim(out, e.terms.data[k].dim, 1);
		linear_release(&e);
	}
	return 1;
}

/* A fact of the summary at this call; 0: it cannot be said here. */
static int at_call(struct absint *a, const struct state *s, uint32_t value, const struct summary *y, const struct linear *fact, struct linear *out)
{
	*out = linear_constant(fact->constant);
	out->kind = fact->kind;
	if (fact->kind == LINEAR_MODULO)
		return 0;
	for (size_t i = 0; i < fact->terms.size; i++) {
		const struct linear_term *t = &fact->terms.data[i];
		struct linear e;
		if (t->dim == y->parameters.size) {
			linear_add_dim(out, a->value_symbol[value], t->coef);
			continue;
		}
		if (!form(a, s, code_operand(a->f, value, y->parameters.data[t->dim] + 1), y->is_signed.data[t->dim], &e))
			return 0;
		linear_add(out, &e, t->coef);
		linear_release(&e);
	}
	return !out->overflow;
}

/* Is it a fact about parameters alone, and in this function about its inputs? */
static int splits_by(struct absint *a, uint32_t value, const struct summary *y, const struct linear *fact, struct linear *out)
{
	int ok = fact->kind == LINEAR_GE && !linear_coef(fact, (uint32_t)y->parameters.size) && at_call(a, NULL, value, y, fact, out);
	if (fact->kind != LINEAR_GE || linear_coef(fact, (uint32_t)y->parameters.size))
		*out = (struct linear){0};
	for (size_t i = 0; i < out->terms.size && ok; i++)
		ok = a->symbols.data[out->terms.data[i].dim].input;
	linear_normalise(out);
	for (size_t i = 0; i < a->splits.size && ok; i++) {
		struct linear other = linear_copy(&a->splits.data[i]), one = linear_constant(-1);
		linear_scale(&other, -1);
		linear_add(&other, &one, 1);
		ok = !linear_equal(&a->splits.data[i], out) && !linear_equal(&other, out);
		linear_release(&other);
	}
	return ok && out->terms.size && !out->overflow;
}

void callee_splits(struct absint *a, size_t most)
{
	const struct code_function *f = a->f;
	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++) {
		const struct summary *y = callee_known(a, v) && a->value_symbol[v] != NONE ? find(a->options.callees, f->values[v].target) : NULL;
		const struct absint_facts *facts = y ? &y->facts[a->is_signed[v] != 0] : NULL;
		if (!y || facts->cases.size < 2 || !a->region[f->values[v].block])
			continue;
		for (size_t i = 0; i < facts->cases.size; i++)
			for (size_t k = 0; k < facts->cases.data[i].facts.size && a->splits.size < most; k++) {
				struct linear e;
				if (splits_by(a, v, y, &facts->cases.data[i].facts.data[k], &e))
					vec_push(&a->splits, e);
				else
					linear_release(&e);
			}
	}
}

static void add_facts(struct absint *a, struct state *s, uint32_t value, const struct summary *y, const struct absint_case *c)
{
	for (size_t i = 0; i < c->facts.size; i++) {
		struct linear fact;
		if (at_call(a, s, value, y, &c->facts.data[i], &fact))
			state_add(a, s, &fact);
		linear_release(&fact);
	}
}

static void add_none(struct absint *a, struct state *s)
{
	struct linear never = linear_constant(-1);
	never.kind = LINEAR_GE;
	state_add(a, s, &never);
	linear_release(&never);
}

void callee_define(struct absint *a, struct state *s, uint32_t value)
{
	uint32_t symbol = a->value_symbol[value];
	const struct summary *y = callee_known(a, value) ? find(a->options.callees, a->f->values[value].target) : NULL;
	const struct absint_facts *f;
	struct state *all = NULL;
	state_forget(a, s, symbol);
	if (!y)
		return;
	f = &y->facts[a->is_signed[value] != 0];
	if (!f->cases.size) {
		add_none(a, s);
		return;
	}
	if (f->cases.size == 1) {
		add_facts(a, s, value, y, &f->cases.data[0]);
		return;
	}
	for (size_t i = 0; i < f->cases.size && !domain_failed(); i++) {
		struct state *one = state_copy(a, s);
		add_facts(a, one, value, y, &f->cases.data[i]);
		if (!state_is_empty(a, one))
			state_join(a, &all, one);
		state_free(a, one);
	}
	if (all)
		state_meet(a, s, all);
	else
		add_none(a, s);
	state_free(a, all);
}
