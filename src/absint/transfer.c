/* transfer.c: what instructions and edges do to a state.
 *
 * Every definition of a value with a symbol sets that symbol, or forgets what it was: in a loop a
 * stale value must not survive. A value without a symbol becomes exact or not. Memory cells change
 * with every instruction that may write them (modref.c of ir). Loop counters change on edges
 * together with the phis, all at once.
 */
#include "absint/callee.h"
#include "absint/inside.h"

#include "base/error.h"

static void store(struct absint *a, struct state *s, uint32_t value, uint32_t cell)
{
	const struct code_value *v = &a->f->values[value];
	struct linear e;
	uint32_t symbol = a->cell_symbol[cell];
	int exact = v->op == CODE_STORE && v->cell == cell && !(v->flags & CODE_VOLATILE);
	uint32_t stored = exact ? code_operand(a->f, value, 0) : NONE;
	if (exact && a->f->values[stored].width == a->symbols.data[symbol].means.width &&
	    form(a, s, stored, a->symbols.data[symbol].means.is_signed, &e)) {
		state_assign(a, s, symbol, &e);
		linear_release(&e);
	} else {
		state_forget(a, s, symbol);
	}
}

static void load(struct absint *a, struct state *s, uint32_t value)
{
	const struct code_value *v = &a->f->values[value];
	uint32_t cell = v->cell, symbol = a->value_symbol[value];
	if (cell != CODE_NONE && a->cell_symbol[cell] != NONE && !(v->flags & CODE_VOLATILE) &&
	    a->symbols.data[a->cell_symbol[cell]].means.width == v->width) {
		struct linear e = linear_dim(a->cell_symbol[cell]);
		int same =
		    a->symbols.data[a->cell_symbol[cell]].means.is_signed == a->is_signed[value];
		if (same || form_fits(a, s, &e, v->width, a->is_signed[value]))
			state_assign(a, s, symbol, &e);
		else
			state_forget(a, s, symbol);
		linear_release(&e);
		return;
	}
	state_forget(a, s, symbol);
}

static void define_linear(struct absint *a, struct state *s, uint32_t value)
{
	struct linear e;
	uint32_t symbol = a->value_symbol[value];
	int have = form_operator(a, s, value, &e);
	const struct code_value *v = &a->f->values[value];
	int exact =
	    form_always(a, value) || (have && form_fits(a, s, &e, v->width, a->is_signed[value]));
	if (a->optimistic && !exact && have) {
		struct absint_symbol type = reading(a, value);
		wrap_note(a, s, &type, &e);
		wrap_assume(a, s, &type, &e);
		exact = 1;
	}
	if (symbol == NONE) {
		state_set_exact(a, s, value, exact);
		if (!exact && a->recording)
			a->lost[value] = 1;
	} else if (have && exact) {
		state_assign(a, s, symbol, &e);
	} else if (have && v->width <= WRAP_MOST) {
		state_assign_wrapped(a, s, symbol, &e);
	} else {
		state_forget(a, s, symbol);
	}
	if (have)
		linear_release(&e);
}

void transfer_instruction(struct absint *a, struct state *s, uint32_t value)
{
	const struct code_value *v = &a->f->values[value];
	const struct written *w = &a->writes[value - a->f->first_instruction];
	if (v->op == CODE_CALL && callee_known(a, value)) {
		callee_define(a, s, value);
		return;
	}
	for (size_t i = 0; i < w->cells.size; i++)
		store(a, s, value, w->cells.data[i]);
	if (!tracked(v) || v->op == CODE_PHI)
		return;
	if (form_linear(a, value))
		define_linear(a, s, value);
	else if (a->value_symbol[value] == NONE)
		return;
	else if (v->op == CODE_LOAD)
		load(a, s, value);
	else
		nonlinear_define(a, s, value);
}

void transfer_block(struct absint *a, struct state *s, uint32_t block)
{
	const struct code_block *b = &a->f->blocks[block];
	for (uint32_t v = b->first; v < b->first + b->count && !domain_failed(); v++)
		transfer_instruction(a, s, v);
}

struct moves {
	VEC(uint32_t) symbols;
	linear_list e;
	VEC(uint8_t) known;
};

static void move(struct moves *m, uint32_t symbol, const struct linear *e)
{
	vec_push(&m->symbols, symbol);
	vec_push(&m->known, e != NULL);
	vec_push(&m->e, e ? *e : (struct linear){0});
}

static void move_phis(struct absint *a, const struct state *s, uint32_t edge, struct moves *m)
{
	const struct code_function *f = a->f;
	const struct code_block *b = &f->blocks[f->edges[edge].to];
	uint32_t k = 0;
	while (f->preds[b->first_pred + k] != edge)
		k++;
	for (uint32_t v = b->first; v < b->first + b->count; v++) {
		struct linear e;
		if (f->values[v].op != CODE_PHI)
			break;
		if (a->value_symbol[v] == NONE)
			continue;
		if (form(a, s, code_operand(f, v, k), a->is_signed[v], &e))
			move(m, a->value_symbol[v], &e);
		else
			move(m, a->value_symbol[v], NULL);
	}
}

static void move_total(struct absint *a, uint32_t loop, const struct code_edge *e, struct moves *m)
{
	const struct code_function *f = a->f;
	uint32_t outermost = loop;
	while (f->loops[outermost].parent != CODE_NONE)
		outermost = f->loops[outermost].parent;
	if (!code_in_loop(f, outermost, e->to))
		return;
	struct linear value;
	if (!code_in_loop(f, outermost, e->from)) {
		value = linear_constant(0);
	} else if (f->loops[loop].header == e->to && code_in_loop(f, loop, e->from)) {
		value = linear_dim(a->total[loop]);
		value.constant = 1;
	} else {
		return;
	}
	move(m, a->total[loop], &value);
}

/* Loops that the edge enters start at 0; the loop whose header it goes back to counts one more, and
 * what its inner loops counted is over. */
static void move_counters(struct absint *a, uint32_t edge, struct moves *m)
{
	const struct code_function *f = a->f;
	const struct code_edge *e = &f->edges[edge];
	for (uint32_t l = f->blocks[e->to].loop; l != CODE_NONE; l = f->loops[l].parent) {
		struct linear value;
		if (!code_in_loop(f, l, e->from)) {
			value = linear_constant(0);
		} else if (f->loops[l].header == e->to) {
			value = linear_dim(a->counter[l]);
			value.constant = 1;
		} else {
			continue;
		}
		if (a->counter[l] == NONE)
			linear_release(&value);
		else
			move(m, a->counter[l], &value);
	}
	for (uint32_t l = 0; l < f->loop_count; l++) {
		if (a->total[l] != NONE)
			move_total(a, l, e, m);
		uint32_t p = f->loops[l].parent;
		while (p != CODE_NONE && f->loops[p].header != e->to)
			p = f->loops[p].parent;
		if (p != CODE_NONE && a->counter[l] != NONE && code_in_loop(f, p, e->from) &&
		    !code_in_loop(f, l, e->to))
			move(m, a->counter[l], NULL);
	}
}

void transfer_enter(struct absint *a, struct state *s, uint32_t edge)
{
	struct moves m = {0};
	move_phis(a, s, edge, &m);
	move_counters(a, edge, &m);
	state_assign_all(a, s, m.symbols.data, m.e.data, m.known.data, m.symbols.size);
	vec_release(&m.symbols);
	linear_list_release(&m.e);
	vec_release(&m.known);
	for (size_t i = 0; i < a->stale[edge].symbols.size; i++)
		state_forget(a, s, a->stale[edge].symbols.data[i]);
}
