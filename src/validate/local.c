/* local.c: Phases 2 and 3 of segments: what is there where the evaluation begins and ends.
 *
 * The evaluation begins right behind the phis of the header lp, under P alone: no execution comes there from the function's entry, so nothing that holds on such executions is assumed. Values that are live there are what the
 * variables of P say, or anything. Variables that live in memory are objects of their own, with any contents; one whose address is used for more than accesses might be what a pointer of P leads to, and then nothing is proved.
 * The next loop that is reached ends the evaluation (also lp itself: at least one edge is taken); only lq, or the end of the function, is right.
 *
 * Q is about what variables hold at lq. One that Q does not name holds what it held at lp, and so does each value that no variable holds. What has no counterpart, or no term, is no proof.
 */
#include "validate/inside.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ the ends */

uint32_t local_first(const struct code_function *f, const struct segment_cut *c)
{
	uint32_t v = f->blocks[c->block].first;
	while (f->values[v].op == CODE_PHI)
		v++;
	return v;
}

int local_is_cut(const struct local *x, uint32_t block)
{
	for (size_t i = 0; i < x->cuts->list.size; i++)
		if (x->cuts->list.data[i].block == block)
			return 1;
	return 0;
}

/* Is its address used for accesses alone? */
static int stays(const struct code_function *f, uint32_t address)
{
	const struct code_value *v = &f->values[address];
	for (uint32_t i = 0; i < v->uses; i++) {
		uint32_t user = f->uses[v->first_use + i];
		const struct code_value *u = &f->values[user];
		int ok = u->op == CODE_LOAD || u->op == CODE_NOP || (u->op == CODE_STORE && code_operand(f, user, 0) != address) || u->op == CODE_FILL || u->op == CODE_MOVE ||
			 ((u->op == CODE_GEP || u->op == CODE_COPY) && stays(f, user));
		if (!ok)
			return 0;
	}
	return 1;
}

void local_open(struct local *x, struct vc *vc)
{
	uint32_t count = x->f->first_instruction + x->f->instructions;
	x->start = mem_zalloc((x->f->value_count + 1) * sizeof *x->start);
	x->objects = mem_alloc((count + 1) * sizeof *x->objects);
	for (uint32_t i = 0; i < count; i++)
		x->objects[i] = VC_NO_OBJECT;
	for (uint32_t i = 0; x->from && i < x->from->count; i++) {
		const struct segment_value *v = &x->cuts->values.data[x->from->first + i];
		struct buf name = BUF_EMPTY;
		if (!v->home)
			continue;
		buf_addf(&name, "local%u", v->value);
		x->objects[v->value] = vc_object(vc, buf_str(&name), x->f->values[v->value].bytes);
		x->start[v->value] = vc_address(vc, x->objects[v->value]);
		x->known |= !stays(x->f, v->value);
		buf_release(&name);
	}
}

void local_close(struct local *x)
{
	free(x->start);
	free(x->values);
	free(x->objects);
}

/* ------------------------------------------------------------ places */

uint32_t local_variable(const struct code_function *f, const char *path, const char *end)
{
	const char *plus = memchr(path, '+', (size_t)(end - path)), *number;
	end = plus ? plus : end;
	number = memchr(path, '#', (size_t)(end - path));
	size_t size = (size_t)((number ? number : end) - path);
	unsigned nth = number ? (unsigned)strtoul(number + 1, NULL, 10) : 1;
	for (uint32_t i = 0; i < f->variable_count; i++)
		if (strlen(f->variables[i].name) == size && !memcmp(f->variables[i].name, path, size) && !--nth)
			return i;
	return CODE_NONE;
}

/* What the variable holds at a cut: a value of the function; CODE_NONE. */
static uint32_t held_by(const struct local *x, const struct segment_cut *c, uint32_t variable)
{
	for (uint32_t i = 0; c && i < c->held; i++)
		if (x->cuts->held.data[c->first_held + i].variable == variable)
			return x->cuts->held.data[c->first_held + i].value;
	return CODE_NONE;
}

static int is_of_cut(const struct local *x, const struct segment_cut *c, uint32_t value)
{
	for (uint32_t i = 0; c && i < c->count; i++)
		if (x->cuts->values.data[c->first + i].value == value)
			return 1;
	return 0;
}

/* "valueN": the number that the value had in the old function. */
static uint32_t nameless(const struct local *x, const struct place *pl)
{
	if (strncmp(pl->text, "value", 5))
		return CODE_NONE;
	uint32_t old = (uint32_t)strtoul(pl->text + 5, NULL, 10);
	if (old >= x->old->first_instruction + x->old->instructions)
		return CODE_NONE;
	return x->f == x->old ? old : match_value(x->m, x->symbol, old);
}

static uint32_t home_object(const struct local *x, struct vc *vc, uint32_t variable, int after)
{
	uint32_t home = x->f->variables[variable].home;
	expr_t offset;
	if (x->from || !after || !x->values)
		return x->objects[home];
	expr_t address = x->values[home]; /* it was made on the way */
	uint32_t object = address == EXPR_NONE || address == VC_LOST ? VC_NO_OBJECT : vc_object_at(vc, address, &offset);
	return object;
}

uint32_t local_home(const struct local *x, struct vc *vc, const struct place *pl)
{
	uint32_t k = local_variable(x->f, pl->path + 2, pl->path + pl->path_size);
	return k == CODE_NONE || x->f->variables[k].home == CODE_NONE ? VC_NO_OBJECT : home_object(x, vc, k, 0);
}

const char *local_locate(const struct local *x, struct vc *vc, const struct place *pl, struct bind_where *w)
{
	const struct segment_cut *c = pl->after ? x->to : x->from;
	uint32_t k = *pl->path == 'l' ? local_variable(x->f, pl->path + 1, pl->path + pl->path_size) : CODE_NONE, value;
	if (*pl->path == 'l' && k == CODE_NONE)
		return "a local variable of the summary is not there";
	if (k != CODE_NONE && x->f->variables[k].home != CODE_NONE) {
		*w = (struct bind_where){.root = BIND_MEMORY, .number = home_object(x, vc, k, pl->after)};
		return w->number == VC_NO_OBJECT ? "a local variable of the summary is not there" : NULL;
	}
	value = k != CODE_NONE ? held_by(x, c, k) : nameless(x, pl);
	if (value == CODE_NONE || (x->f->values[value].kind <= CODE_INSTRUCTION && !is_of_cut(x, c, value)))
		return "a local variable of the summary is not there";
	*w = (struct bind_where){.root = BIND_VALUE, .number = value};
	return NULL;
}

static unsigned width_of(const struct code_value *v)
{
	return v->is_pointer ? 64 : v->width <= 128 ? v->width : 0;
}

/* What a value is at lp, or at lq; EXPR_NONE: it has no term. */
static expr_t term_of(const struct local *x, struct exprs *p, const expr_t *values, uint32_t value)
{
	const struct code_value *v = &x->f->values[value];
	if (v->kind == CODE_NULL)
		return expr_const(p, 64, 0);
	if (v->kind == CODE_CONSTANT)
		return width_of(v) && width_of(v) <= 64 ? expr_const(p, v->width, v->bits[0]) : EXPR_NONE;
	return v->kind > CODE_INSTRUCTION || !values || values[value] == VC_LOST ? EXPR_NONE : values[value];
}

const char *local_bind(struct local *x, struct bind *b, expr_t variable, const struct bind_where *w)
{
	uint64_t known;
	expr_t term = map_get(&b->terms, variable, &known) ? (expr_t)known : variable, is = term_of(x, b->p, x->start, w->number);
	if (width_of(&x->f->values[w->number]) != expr_width(b->p, variable))
		return "a local variable of the summary has another size";
	if (is == EXPR_NONE) {
		x->start[w->number] = term;
		return NULL;
	}
	if (term != variable) /* a pointer that P fixes, twice: are they the same? */
		vec_push(&b->pre, expr_eq(b->p, term, is));
	else
		map_set(&b->terms, variable, is); /* two variables hold one value here, or a constant */
	return NULL;
}

void local_fill(struct local *x, struct bind *b)
{
	for (uint32_t i = 0; x->from && i < x->from->count; i++) {
		const struct segment_value *v = &x->cuts->values.data[x->from->first + i];
		unsigned width = width_of(&x->f->values[v->value]);
		if (!v->home && x->start[v->value] == EXPR_NONE)
			x->start[v->value] = width ? vc_fresh(b->vc, width, "local") : VC_LOST;
	}
	for (uint32_t i = 0; !x->from && i < x->f->parameters; i++)
		x->start[i] = b->args[i] != EXPR_NONE ? b->args[i] : VC_LOST;
}

/* ------------------------------------------------------------ the evaluation */

void local_run(struct local *x, struct bind *b, int to_end, struct vc_outcome *out)
{
	struct vc_region region = {.from = x->from ? local_first(x->f, x->from) : CODE_NONE, .to = x->to && !to_end ? local_first(x->f, x->to) : CODE_NONE, .pre = expr_true(b->p)};
	x->values = mem_alloc((x->f->value_count + 1) * sizeof *x->values);
	memcpy(x->values, x->start, (x->f->value_count + 1) * sizeof *x->values);
	vc_run_region(b->vc, x->f, &region, x->values, out);
}

/* ------------------------------------------------------------ Q */

expr_t local_after(const struct local *x, struct bind *b, const struct bind_where *w, unsigned width)
{
	expr_t e = term_of(x, b->p, x->values, w->number);
	return e != EXPR_NONE && expr_width(b->p, e) == width ? e : EXPR_NONE;
}

/* Does Q name the variable, or the value, where the segment ends? */
static int is_named(const struct local *x, const struct bind *b, uint32_t variable, uint32_t value)
{
	for (size_t i = 0; i < b->variables.size; i++) {
		struct place pl;
		if (!place_of(b->p, b->variables.data[i], &pl) || !pl.after || memchr(pl.path, '*', pl.path_size))
			continue;
		if (*pl.path == 'l' && variable != CODE_NONE && local_variable(x->f, pl.path + 1, pl.path + pl.path_size) == variable)
			return 1;
		if (*pl.path == 's' && variable == CODE_NONE && nameless(x, &pl) == value)
			return 1;
	}
	return 0;
}

/* What the variable, or the value that none holds, was where the segment began. */
static expr_t before(const struct local *x, const struct bind *b, uint32_t variable, uint32_t value)
{
	if (variable != CODE_NONE && !x->from)
		return x->f->variables[variable].parameter != CODE_NONE ? term_of(x, b->p, x->start, x->f->variables[variable].parameter) : EXPR_NONE;
	value = variable != CODE_NONE ? held_by(x, x->from, variable) : value;
	return value == CODE_NONE ? EXPR_NONE : term_of(x, b->p, x->start, value);
}

static int add_same(const struct local *x, struct bind *b, uint32_t variable, uint32_t value, expr_t *all)
{
	if (is_named(x, b, variable, value))
		return 1;
	expr_t now = term_of(x, b->p, x->values, value), was = before(x, b, variable, value);
	if (now == EXPR_NONE || was == EXPR_NONE || expr_width(b->p, now) != expr_width(b->p, was)) {
		b->why = "it may change something that the postcondition does not name";
		return 0;
	}
	*all = expr_and(b->p, *all, expr_eq(b->p, now, was));
	return 1;
}

expr_t local_frame(const struct local *x, struct bind *b)
{
	expr_t all = expr_true(b->p);
	for (uint32_t i = 0; x->to && i < x->to->held; i++) {
		const struct segment_held *h = &x->cuts->held.data[x->to->first_held + i];
		if (!add_same(x, b, h->variable, h->value, &all))
			return EXPR_NONE;
	}
	for (uint32_t i = 0; x->to && i < x->to->count; i++) {
		const struct segment_value *v = &x->cuts->values.data[x->to->first + i];
		if (v->variable == CODE_NONE && !v->home && !add_same(x, b, CODE_NONE, v->value, &all))
			return EXPR_NONE;
	}
	return all;
}

int local_is_over(const struct local *x, uint32_t object)
{
	uint32_t count = x->f->first_instruction + x->f->instructions;
	for (uint32_t i = 0; !x->to && i < count; i++)
		if (x->objects[i] == object)
			return 1;
	return 0;
}
