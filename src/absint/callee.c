/* callee.c: summaries of callees, and their use at calls.
 *
 * A summary speaks of the parameters in the readings that the callee's analysis chose, of the result in either (it is made for both), and of
 * cells of the callee: a global, or what a pointer parameter points to, at a constant offset; each has a dimension for what it
 * held before, and one for what it holds after. Loops of the callee have no counter in the caller; where one is known to be equal to something
 * else, relations modulo 2^width are carried over in terms of that.
 *
 * At a call the argument's expression takes the place of the parameter, the caller's cell at the same place that of the callee's, the
 * call's own symbol that of the result; facts about what the caller has no word for are left out. First come facts about what was before
 * the call; then the result and the cells that the call may write are set, all at once, where an equation says to what; then facts
 * about what is there now. Cells that the call may write and no equation sets are forgotten. An equation modulo 2^width is one over the integers if the
 * right side fits the type. Several cases are joined. A callee that does not return makes what follows unreachable.
 *
 * It is sound for the same reason that the callee's analysis is: it starts from its entry with any parameters and any memory, and takes
 * it that pointers may overlap.
 */
#include "absint/callee.h"
#include "absint/inside.h"

#include "base/map.h"

#include <string.h>

#define INSTRUCTIONS_MOST 600 /* of a callee */
#define CASES_MOST 6
#define SECONDS 0.2

#define CELLS_MOST 4
#define COUNTERS_MOST 3

/* A cell of the callee, by what it is in the caller. */
struct place_of_cell {
	uint32_t parameter; /* or NONE: the global */
	uint32_t global;
	int64_t offset;
	unsigned width;
	int is_signed;
};

struct summary {
	VEC(uint32_t) parameters; /* of dimension i; the result, if there is one, comes after them */
	VEC(uint8_t) is_signed;
	int has_result;
	VEC(struct place_of_cell) cells; /* then each cell before and after the call */
	struct absint_facts facts[2];	 /* result unsigned, signed */
};

static uint32_t result_dim(const struct summary *s)
{
	return s->has_result ? (uint32_t)s->parameters.size : NONE;
}

static uint32_t before_dim(const struct summary *s, size_t cell)
{
	return (uint32_t)(s->parameters.size + (size_t)s->has_result + 2 * cell);
}

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
		vec_release(&s->cells);
		absint_facts_release(&s->facts[0]);
		absint_facts_release(&s->facts[1]);
		free(s);
	}
	vec_release(&c->list);
	map_release(&c->known);
	free(c);
}

/* ----------------------------------------------------------------- making */
static int has_result(const struct code_function *f)
{
	return f->result_width > 1 && f->result_width <= 64;
}

/* Memory that the caller may have a name for, too: not a structure that was passed as a copy. */
static int is_shared(const struct code_function *f, uint32_t cell)
{
	const struct code_cell *c = &f->cells[cell];
	const struct code_value *root = &f->values[c->root];
	return c->width > 1 && c->width <= 64 && ((root->kind == CODE_PARAMETER && !(root->flags & CODE_BYVAL)) || root->kind == CODE_ADDRESS);
}

static int writes_shared(const struct code_function *f)
{
	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++)
		if (f->values[v].op == CODE_STORE && f->values[v].cell != CODE_NONE && is_shared(f, f->values[v].cell))
			return 1;
	return 0;
}

static int has_summary(const struct code_function *f)
{
	return f->defined && !f->replaceable && !f->recursive && !f->variadic && f->instructions <= INSTRUCTIONS_MOST &&
	       (has_result(f) || writes_shared(f));
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

/* Counters that may stand for something else at the end of the block. */
static size_t push_counters(struct absint *a, uint32_t block, struct absint_symbol *out)
{
	size_t n = 0;
	for (uint32_t l = 0; l < a->f->loop_count && n < COUNTERS_MOST; l++)
		if (a->counter[l] != NONE && code_dominates(a->f, a->f->loops[l].header, block))
			out[n++] = absint_counter(a, l);
	return n;
}

/* A question about one return: what is wanted, the result still to be filled in, then counters. */
struct question {
	struct absint *a;
	struct summary *s;
	VEC(struct absint_symbol) wanted;
	int is_signed;
};

static void ask_return(struct question *q, struct absint_point p, uint32_t result)
{
	const struct code_function *f = q->a->f;
	struct absint_symbol counters[COUNTERS_MOST];
	struct absint_facts here;
	size_t n = q->wanted.size, hidden = q->s->cells.size ? push_counters(q->a, p.block, counters) : 0;
	if (q->s->has_result)
		q->wanted.data[result_dim(q->s)] = (struct absint_symbol){ABSINT_VALUE, result, f->result_width, q->is_signed};
	for (size_t i = 0; i < hidden; i++)
		vec_push(&q->wanted, counters[i]);
	absint_at_hiding(q->a, p, q->wanted.data, n, hidden, &here);
	add_case(&q->s->facts[q->is_signed], &here);
	q->wanted.size = n;
}

/* A block that does nothing but return what its only phi, or nothing, says: edges into it are cases of their own. */
static int returns_only(const struct code_function *f, uint32_t block)
{
	const struct code_block *b = &f->blocks[block];
	uint32_t last = code_last(f, block);
	if (b->preds < 2 || b->count > 2 || (b->count == 2 && (f->values[b->first].op != CODE_PHI || code_operand(f, last, 0) != b->first)))
		return 0;
	return b->count == 2 || !f->values[last].operands;
}

static void ask_block(struct question *q, uint32_t block, int by_edges)
{
	const struct code_function *f = q->a->f;
	uint32_t last = code_last(f, block), phi = f->blocks[block].first;
	uint32_t result = f->values[last].operands ? code_operand(f, last, 0) : NONE;
	if (!by_edges || !returns_only(f, block)) {
		ask_return(q, (struct absint_point){block, ABSINT_END}, result);
		return;
	}
	for (uint32_t k = 0; k < f->blocks[block].preds; k++) {
		const struct code_edge *e = code_pred(f, block, k);
		if (f->blocks[e->from].order != CODE_NONE)
			ask_return(q, (struct absint_point){e->from, e->outcome}, result == NONE ? NONE : code_operand(f, phi, k));
	}
}

static void ask_returns(struct absint *a, struct summary *s, const uint32_t *cells, int is_signed)
{
	const struct code_function *f = a->f;
	struct question q = {.a = a, .s = s, .is_signed = is_signed};
	for (size_t i = 0; i < s->parameters.size; i++)
		vec_push(&q.wanted, absint_value(a, s->parameters.data[i]));
	if (s->has_result)
		vec_push(&q.wanted, (struct absint_symbol){0});
	for (size_t i = 0; i < s->cells.size; i++) {
		const struct place_of_cell *c = &s->cells.data[i];
		vec_push(&q.wanted, ((struct absint_symbol){ABSINT_OLD_CELL, cells[i], c->width, c->is_signed}));
		vec_push(&q.wanted, ((struct absint_symbol){ABSINT_CELL, cells[i], c->width, c->is_signed}));
	}
	for (int by_edges = 1; by_edges >= 0; by_edges--) {
		absint_facts_release(&s->facts[is_signed]);
		for (uint32_t b = 0; b < f->block_count; b++)
			if (f->values[code_last(f, b)].op == CODE_RETURN && f->blocks[b].order != CODE_NONE)
				ask_block(&q, b, by_edges);
		if (s->facts[is_signed].cases.size <= CASES_MOST)
			break;
	}
	limit_cases(&s->facts[is_signed]);
	vec_release(&q.wanted);
}

static size_t find_cells(const struct absint *a, struct summary *s, uint32_t *out)
{
	const struct code_function *f = a->f;
	for (size_t i = 0; i < a->cells.size && s->cells.size < CELLS_MOST; i++) {
		const struct code_cell *c = &f->cells[a->cells.data[i]];
		const struct code_value *root = &f->values[c->root];
		if (!is_shared(f, a->cells.data[i]))
			continue;
		struct place_of_cell p = {.parameter = root->kind == CODE_PARAMETER ? c->root : NONE,
					  .global = root->kind == CODE_PARAMETER ? NONE : root->index,
					  .offset = c->offset,
					  .width = c->width,
					  .is_signed = !c->is_unsigned};
		out[s->cells.size] = a->cells.data[i];
		vec_push(&s->cells, p);
	}
	return s->cells.size;
}

static struct summary *make_summary(struct callees *c, const struct code_function *f, const struct absint_options *options)
{
	struct absint_options o = *options;
	struct summary *s = mem_zalloc(sizeof *s);
	uint32_t cells[CELLS_MOST];
	struct absint *a;
	o.callees = c;
	o.seconds = SECONDS;
	o.all_cells = 1;
	a = absint_new(c->code, f, &o);
	for (uint32_t k = 0; k < f->parameters; k++)
		if (tracked(&f->values[k])) {
			vec_push(&s->parameters, k);
			vec_push(&s->is_signed, (uint8_t)absint_value(a, k).is_signed);
		}
	s->has_result = has_result(f);
	find_cells(a, s, cells);
	ask_returns(a, s, cells, 0);
	if (s->has_result)
		ask_returns(a, s, cells, 1);
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
/* The caller's cell that a cell of the callee is, or NONE. */
static uint32_t cell_at_call(const struct code_function *f, uint32_t call, const struct place_of_cell *p)
{
	uint32_t pointer = p->parameter == NONE ? NONE : code_operand(f, call, p->parameter + 1);
	const struct code_root *r = pointer == NONE ? NULL : &f->roots[pointer];
	if (r && (r->root == CODE_NONE || !r->exact))
		return NONE;
	for (uint32_t c = 0; c < f->cell_count; c++) {
		const struct code_cell *cell = &f->cells[c];
		const struct code_value *root = &f->values[cell->root];
		int same = r ? cell->root == r->root && cell->offset == r->offset + p->offset
			     : root->kind == CODE_ADDRESS && root->index == p->global && cell->offset == p->offset;
		if (same && cell->width == p->width)
			return c;
	}
	return NONE;
}

int callee_known(const struct absint *a, uint32_t value)
{
	return fits(a->f, value) && find(a->options.callees, a->f->values[value].target) != NULL;
}

static const struct summary *summary_of(const struct absint *a, uint32_t value)
{
	return callee_known(a, value) ? find(a->options.callees, a->f->values[value].target) : NULL;
}

size_t callee_cells(const struct absint *a, uint32_t value, uint32_t *cells, size_t most)
{
	const struct summary *s = summary_of(a, value);
	size_t n = 0;
	for (size_t i = 0; s && i < s->cells.size && n < most; i++) {
		uint32_t c = cell_at_call(a->f, value, &s->cells.data[i]);
		if (c != NONE)
			cells[n++] = c;
	}
	return n;
}

static void add_shape(struct linear *out, const struct linear *e)
{
	for (size_t k = 0; k < e->terms.size; k++)
		if (!linear_coef(out, e->terms.data[k].dim))
			linear_add_dim(out, e->terms.data[k].dim, 1);
}

int callee_shape(struct absint *a, uint32_t value, struct linear *out)
{
	const struct summary *s = summary_of(a, value);
	*out = (struct linear){0};
	if (!s)
		return 0;
	if (a->value_symbol[value] != NONE)
		linear_add_dim(out, a->value_symbol[value], 1);
	for (size_t i = 0; i < s->cells.size; i++) {
		uint32_t c = cell_at_call(a->f, value, &s->cells.data[i]);
		uint32_t symbol = c == NONE ? NONE : a->cell_symbol[c];
		if (symbol != NONE && !linear_coef(out, symbol))
			linear_add_dim(out, symbol, 1);
	}
	if (!out->terms.size) {
		linear_release(out);
		return 0;
	}
	for (size_t i = 0; i < s->parameters.size; i++) {
		struct linear e;
		if (!form_own(a, NULL, code_operand(a->f, value, s->parameters.data[i] + 1), &e))
			continue;
		add_shape(out, &e);
		linear_release(&e);
	}
	return 1;
}

/* A call while its effect is made. What the caller has for each dimension of the summary: */
struct site {
	struct absint *a;
	uint32_t value;
	const struct summary *y;
	VEC(uint32_t) cells;   /* cells of the summary: symbols of the caller, or NONE */
	VEC(uint8_t) written; /* beside them */
};

static void open_site(struct site *t, struct absint *a, uint32_t value, const struct summary *y)
{
	memset(t, 0, sizeof *t);
	t->a = a;
	t->value = value;
	t->y = y;
	for (size_t i = 0; i < y->cells.size; i++) {
		uint32_t c = cell_at_call(a->f, value, &y->cells.data[i]);
		vec_push(&t->cells, c == NONE ? NONE : a->cell_symbol[c]);
		vec_push(&t->written, (uint8_t)(c == NONE || code_may_write(a->f, value, c)));
	}
}

static void close_site(struct site *t)
{
	vec_release(&t->cells);
	vec_release(&t->written);
}

enum { BEFORE = 1, AFTER = 2 }; /* when a dimension has its value: parameters always */

static int when(const struct site *t, uint32_t dim)
{
	size_t cell;
	if (dim < t->y->parameters.size)
		return BEFORE | AFTER;
	if (dim == result_dim(t->y))
		return AFTER;
	cell = (dim - before_dim(t->y, 0)) / 2;
	if (!t->written.data[cell])
		return BEFORE | AFTER;
	return dim == before_dim(t->y, cell) ? BEFORE : AFTER;
}

/* The expression of a dimension; s NULL: its shape. */
static int dim_form(const struct site *t, const struct state *s, uint32_t dim, struct linear *out)
{
	struct absint *a = t->a;
	*out = (struct linear){0};
	if (dim < t->y->parameters.size)
		return form(a, s, code_operand(a->f, t->value, t->y->parameters.data[dim] + 1), t->y->is_signed.data[dim], out);
	uint32_t symbol;
	if (dim == result_dim(t->y)) {
		symbol = a->value_symbol[t->value];
	} else {
		size_t cell = (dim - before_dim(t->y, 0)) / 2;
		symbol = t->cells.data[cell];
		if (symbol != NONE && s && a->symbols.data[symbol].means.is_signed != t->y->cells.data[cell].is_signed) {
			struct linear e = linear_dim(symbol);
			int same = form_fits(a, s, &e, t->y->cells.data[cell].width, t->y->cells.data[cell].is_signed);
			linear_release(&e);
			if (!same)
				return 0;
		}
	}
	if (symbol == NONE)
		return 0;
	*out = linear_dim(symbol);
	return 1;
}

/* A fact of the summary, all of whose dimensions have their values at that time, but for `except`; 0: it cannot be said here. */
static int at_call(const struct site *t, const struct state *s, const struct linear *fact, int time, uint32_t except, struct linear *out)
{
	int ok = !fact->overflow;
	*out = linear_constant(fact->constant);
	out->kind = fact->kind;
	for (size_t i = 0; i < fact->terms.size && ok; i++) {
		const struct linear_term *term = &fact->terms.data[i];
		struct linear e;
		if (term->dim == except)
			continue;
		ok = (when(t, term->dim) & time) && dim_form(t, s, term->dim, &e);
		if (ok) {
			linear_add(out, &e, term->coef);
			linear_release(&e);
		}
	}
	if (ok && !out->overflow)
		return 1;
	linear_release(out);
	*out = (struct linear){0};
	return 0;
}

/* Is it a fact about parameters alone, and in this function about its inputs? */
static int splits_by(const struct site *t, const struct linear *fact, struct linear *out)
{
	struct absint *a = t->a;
	int ok = fact->kind == LINEAR_GE;
	*out = (struct linear){0};
	for (size_t i = 0; i < fact->terms.size && ok; i++)
		ok = fact->terms.data[i].dim < t->y->parameters.size;
	ok = ok && at_call(t, NULL, fact, BEFORE, NONE, out);
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
		const struct summary *y = summary_of(a, v);
		const struct absint_facts *facts = y ? &y->facts[y->has_result && a->is_signed[v]] : NULL;
		struct linear shape;
		struct site t;
		if (!y || facts->cases.size < 2 || !a->region[f->values[v].block] || !callee_shape(a, v, &shape))
			continue;
		linear_release(&shape);
		open_site(&t, a, v, y);
		for (size_t i = 0; i < facts->cases.size; i++)
			for (size_t k = 0; k < facts->cases.data[i].facts.size && a->splits.size < most; k++) {
				struct linear e;
				if (splits_by(&t, &facts->cases.data[i].facts.data[k], &e))
					vec_push(&a->splits, e);
				else
					linear_release(&e);
			}
		close_site(&t);
	}
}

static void add_facts(const struct site *t, struct state *s, const struct absint_case *c, int time)
{
	for (size_t i = 0; i < c->facts.size; i++) {
		const struct linear *fact = &c->facts.data[i];
		int about = time == BEFORE; /* what is true before and after is said once */
		struct linear e;
		for (size_t k = 0; k < fact->terms.size && !about; k++)
			about = !(when(t, fact->terms.data[k].dim) & BEFORE);
		if (fact->kind == LINEAR_MODULO || !about || !at_call(t, s, fact, time, NONE, &e))
			continue;
		state_add(t->a, s, &e);
		linear_release(&e);
	}
}

/* What an equation says a dimension is set to. */
static int equation(const struct site *t, const struct state *s, const struct absint_case *c, uint32_t dim, enum linear_kind kind, unsigned width,
		    struct linear *out)
{
	for (size_t i = 0; i < c->facts.size; i++) {
		const struct linear *fact = &c->facts.data[i];
		int64_t coef = linear_coef(fact, dim);
		if (fact->kind != kind || (coef != 1 && coef != -1) || (kind == LINEAR_MODULO && fact->bits != width) ||
		    !at_call(t, s, fact, BEFORE, dim, out))
			continue;
		linear_scale(out, -coef);
		if (!out->overflow)
			return 1;
		linear_release(out);
	}
	return 0;
}

/* Everything that the call sets; `whole` is the state before the case was chosen. */
struct outputs {
	VEC(uint32_t) symbols;
	linear_list e;
	VEC(uint8_t) known;
};

/* The value in the words of the caller, if the case says it. */
static int output(const struct site *t, const struct state *whole, struct state *s, const struct absint_case *c, const struct absint_symbol *type,
		  uint32_t dim, struct linear *e)
{
	struct absint *a = t->a;
	if (equation(t, s, c, dim, LINEAR_EQ, 0, e))
		return 1;
	if (!equation(t, s, c, dim, LINEAR_MODULO, type->width, e))
		return 0;
	if (form_fits(a, s, e, type->width, type->is_signed))
		return 1;
	if (a->optimistic) {
		wrap_note(a, whole, type, e);
		wrap_assume(a, s, type, e);
		return 1;
	}
	if (a->recording)
		a->lost[t->value] = 1;
	linear_release(e);
	return 0;
}

static void add_output(struct outputs *o, uint32_t symbol, const struct linear *e)
{
	vec_push(&o->symbols, symbol);
	vec_push(&o->known, e != NULL);
	vec_push(&o->e, e ? *e : (struct linear){0});
}

/* A cell of the caller: one of those of the callee that it is, read in the same way. */
static int cell_output(const struct site *t, const struct state *whole, struct state *s, const struct absint_case *c, uint32_t symbol, struct linear *e)
{
	const struct absint_symbol *type = &t->a->symbols.data[symbol].means;
	for (size_t i = 0; i < t->cells.size; i++)
		if (t->cells.data[i] == symbol && t->y->cells.data[i].is_signed == type->is_signed &&
		    output(t, whole, s, c, type, before_dim(t->y, i) + 1, e))
			return 1;
	return 0;
}

static void set_outputs(const struct site *t, const struct state *whole, struct state *s, const struct absint_case *c)
{
	struct absint *a = t->a;
	const struct written *w = &a->writes[t->value - a->f->first_instruction];
	struct outputs o = {0};
	struct linear e;
	uint32_t result = a->value_symbol[t->value];
	if (result != NONE && t->y->has_result && output(t, whole, s, c, &a->symbols.data[result].means, result_dim(t->y), &e))
		add_output(&o, result, &e);
	else if (result != NONE)
		add_output(&o, result, NULL);
	for (size_t i = 0; i < w->cells.size; i++) {
		uint32_t symbol = a->cell_symbol[w->cells.data[i]];
		add_output(&o, symbol, cell_output(t, whole, s, c, symbol, &e) ? &e : NULL);
	}
	state_assign_all(a, s, o.symbols.data, o.e.data, o.known.data, o.symbols.size);
	vec_release(&o.symbols);
	linear_list_release(&o.e);
	vec_release(&o.known);
}

/* One case; NULL: it is not possible here. */
static struct state *with_case(const struct site *t, const struct state *before, const struct absint_case *c)
{
	struct state *s = state_copy(t->a, before);
	add_facts(t, s, c, BEFORE);
	if (!state_is_empty(t->a, s)) {
		set_outputs(t, before, s, c);
		add_facts(t, s, c, AFTER);
		if (!state_is_empty(t->a, s))
			return s;
	}
	state_free(t->a, s);
	return NULL;
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
	const struct summary *y = summary_of(a, value);
	const struct absint_facts *f = &y->facts[y->has_result && a->is_signed[value]];
	struct state *all = NULL;
	struct site t;
	open_site(&t, a, value, y);
	for (size_t i = 0; i < f->cases.size && !domain_failed(); i++) {
		struct state *one = with_case(&t, s, &f->cases.data[i]);
		state_join(a, &all, one);
		state_free(a, one);
	}
	close_site(&t);
	if (!all) {
		add_none(a, s);
		return;
	}
	struct state old = *s;
	*s = *all;
	*all = old;
	state_free(a, all);
}
