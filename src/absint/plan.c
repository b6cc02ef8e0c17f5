/* plan.c: what the analysis will look at: blocks, the reading of each value, symbols, what edges
 * make stale.
 *
 * Nothing here has to be right for the results to be true: a value without a symbol, or read the
 * less useful way, costs precision only. The exceptions are what is stale on an edge and what an
 * instruction may write, which come from dominance and from mod/ref.
 */
#include "absint/callee.h"
#include "absint/inside.h"
#include "absint/pack.h"

#include "base/error.h"

#include <string.h>

/* ------------------------------------------------------------------- region */
static void mark_from(struct absint *a, uint32_t block)
{
	VEC(uint32_t) todo = {0};
	if (!a->region[block])
		vec_push(&todo, block);
	a->region[block] = 1;
	while (todo.size) {
		const struct code_block *b = &a->f->blocks[vec_pop(&todo)];
		for (uint32_t i = 0; i < b->edges; i++) {
			uint32_t to = a->f->edges[b->first_edge + i].to;
			if (!a->region[to]) {
				a->region[to] = 1;
				vec_push(&todo, to);
			}
		}
	}
	vec_release(&todo);
}

static void find_region(struct absint *a)
{
	a->region = mem_zalloc(a->f->block_count + 1);
	if (a->loop == NONE) {
		mark_from(a, 0);
		return;
	}
	const struct code_loop *l = &a->f->loops[a->loop];
	for (uint32_t i = 0; i < l->entries; i++)
		mark_from(a, a->f->edges[a->f->loop_edges[l->first_entry + i]].to);
}

/* ----------------------------------------------------------------- readings */
struct votes {
	uint32_t *parent;
	int *balance; /* signed above 0 */
};

static uint32_t root(struct votes *g, uint32_t v)
{
	while (g->parent[v] != v)
		v = g->parent[v] = g->parent[g->parent[v]];
	return v;
}

static int variable(const struct absint *a, uint32_t v)
{
	const struct code_value *x = &a->f->values[v];
	return tracked(x) && (x->kind == CODE_PARAMETER || x->kind == CODE_INSTRUCTION);
}

static void together(struct absint *a, struct votes *g, uint32_t x, uint32_t y)
{
	if (!variable(a, x) || !variable(a, y) || a->f->values[x].width != a->f->values[y].width)
		return;
	x = root(g, x);
	y = root(g, y);
	if (x == y)
		return;
	g->parent[x] = y;
	g->balance[y] += g->balance[x];
}

static void vote(struct absint *a, struct votes *g, uint32_t v, int weight)
{
	if (variable(a, v))
		g->balance[root(g, v)] += weight;
}

/* What an instruction says about the reading of its operands, and of its value. */
static void vote_instruction(struct absint *a, struct votes *g, uint32_t v)
{
	const struct code_value *x = &a->f->values[v];
	int weight = 0;
	switch (x->op) {
	case CODE_SLT:
	case CODE_SLE:
	case CODE_SGT:
	case CODE_SGE:
		weight = 4;
		break;
	case CODE_ULT:
	case CODE_ULE:
	case CODE_UGT:
	case CODE_UGE:
		weight = -4;
		break;
	case CODE_SEXT:
		weight = 3;
		break;
	case CODE_ZEXT:
		weight = -3;
		break;
	case CODE_SDIV:
	case CODE_SREM:
	case CODE_ASHR:
	case CODE_SMIN:
	case CODE_SMAX:
	case CODE_SADD_OVER:
	case CODE_SSUB_OVER:
	case CODE_SMUL_OVER:
	case CODE_GEP:
		weight = 2;
		break;
	case CODE_UDIV:
	case CODE_UREM:
	case CODE_LSHR:
	case CODE_UMIN:
	case CODE_UMAX:
	case CODE_UADD_OVER:
	case CODE_USUB_OVER:
	case CODE_UMUL_OVER:
		weight = -2;
		break;
	}
	for (uint32_t k = 0; k < x->operands && weight; k++)
		vote(a, g, code_operand(a->f, v, k), weight);
	if (x->op == CODE_LOAD && x->cell != CODE_NONE)
		vote(a, g, v, a->f->cells[x->cell].is_unsigned ? -1 : 1);
	uint32_t k = x->op == CODE_SELECT ? 1 : 0;
	switch (x->op) {
	case CODE_ADD:
	case CODE_SUB:
	case CODE_MUL:
	case CODE_PHI:
	case CODE_COPY:
	case CODE_SELECT:
	case CODE_SDIV:
	case CODE_UDIV:
	case CODE_SREM:
	case CODE_UREM:
	case CODE_SMIN:
	case CODE_SMAX:
	case CODE_UMIN:
	case CODE_UMAX:
		for (; k < x->operands; k++)
			together(a, g, v, code_operand(a->f, v, k));
		break;
	case CODE_SHL:
	case CODE_LSHR:
	case CODE_ASHR:
		together(a, g, v, code_operand(a->f, v, 0));
		break;
	case CODE_EQ:
	case CODE_NE:
	case CODE_SLT:
	case CODE_SLE:
	case CODE_SGT:
	case CODE_SGE:
	case CODE_ULT:
	case CODE_ULE:
	case CODE_UGT:
	case CODE_UGE:
		together(a, g, code_operand(a->f, v, 0), code_operand(a->f, v, 1));
		break;
	}
}

static void choose_readings(struct absint *a)
{
	const struct code_function *f = a->f;
	struct votes g = {mem_alloc((f->value_count + 1) * sizeof *g.parent),
			  mem_zalloc((f->value_count + 1) * sizeof *g.balance)};
	a->is_signed = mem_zalloc(f->value_count + 1);
	for (uint32_t v = 0; v < f->value_count; v++)
		g.parent[v] = v;
	for (uint32_t v = 0; v < f->first_instruction + f->instructions; v++)
		if (f->values[v].kind == CODE_INSTRUCTION)
			vote_instruction(a, &g, v);
		else if (f->values[v].flags & CODE_UNSIGNED)
			vote(a, &g, v, -1);
	for (uint32_t i = 0; i < f->binding_count; i++) {
		const struct code_binding *b = &f->bindings[i];
		uint32_t type = f->variables[b->variable].type;
		if (b->value != CODE_NONE && type != CODE_NONE)
			vote(a, &g, b->value, a->code->types[type].is_unsigned ? -1 : 1);
	}
	for (uint32_t v = 0; v < f->value_count; v++)
		a->is_signed[v] = g.balance[root(&g, v)] >= 0;
	free(g.parent);
	free(g.balance);
}

/* ------------------------------------------------------------------ symbols */
static uint32_t add_symbol(struct absint *a, enum absint_kind kind, uint32_t id, unsigned width,
			   int is_signed, int input)
{
	struct symbol y = {.means = {kind, id, width, is_signed}, .input = (uint8_t)input};
	vec_push(&a->symbols, y);
	vec_push(&a->list, y.means);
	if (input) {
		vec_push(&a->inputs, y.means);
		vec_push(&a->input_symbols, (uint32_t)(a->symbols.size - 1));
	}
	return (uint32_t)(a->symbols.size - 1);
}

static void add_value(struct absint *a, uint32_t v, int input)
{
	if (a->value_symbol[v] == NONE)
		a->value_symbol[v] =
		    add_symbol(a, ABSINT_VALUE, v, a->f->values[v].width, a->is_signed[v], input);
}

static int inside(const struct absint *a, uint32_t v)
{
	return a->f->values[v].kind == CODE_INSTRUCTION && a->region[a->f->values[v].block];
}

/* Values from outside: parameters, and what was made before the loop. */
static void add_inputs(struct absint *a)
{
	const struct code_function *f = a->f;
	for (uint32_t v = 0; v < f->first_instruction + f->instructions; v++) {
		if (!variable(a, v) || inside(a, v))
			continue;
		int used = a->loop == NONE && f->values[v].kind == CODE_PARAMETER;
		for (uint32_t i = 0; i < f->values[v].uses && !used; i++)
			used = inside(a, f->uses[f->values[v].first_use + i]);
		if (used)
			add_value(a, v, 1);
	}
}

#define CELLS_MOST 6

static void add_cell(struct absint *a, uint32_t c)
{
	const struct code_cell *cell = &a->f->cells[c];
	int is_signed = !cell->is_unsigned;
	if (a->cell_symbol[c] != NONE || cell->width < 2 || cell->width > 64 ||
	    a->cells.size >= CELLS_MOST)
		return;
	vec_push(&a->cells, c);
	a->cell_symbol[c] = add_symbol(a, ABSINT_CELL, c, cell->width, is_signed, 0);
	a->old_symbol[c] = add_symbol(a, ABSINT_OLD_CELL, c, cell->width, is_signed, 1);
}

/* What loops read and write comes first; then what calls do, as far as that is known. */
static void add_cells(struct absint *a)
{
	const struct code_function *f = a->f;
	uint32_t end = f->first_instruction + f->instructions, cells[CELLS_MOST];
	for (int all = 0; all <= (a->options.all_cells != 0); all++)
		for (uint32_t v = f->first_instruction; v < end; v++) {
			uint32_t c = f->values[v].cell;
			if ((f->values[v].op == CODE_LOAD || f->values[v].op == CODE_STORE) &&
			    c != CODE_NONE && inside(a, v) &&
			    (all || f->blocks[f->values[v].block].loop != CODE_NONE))
				add_cell(a, c);
		}
	for (uint32_t v = f->first_instruction; v < end; v++) {
		size_t n = inside(a, v) ? callee_cells(a, v, cells, CELLS_MOST) : 0;
		for (size_t i = 0; i < n; i++)
			add_cell(a, cells[i]);
	}
}

/* Does anything use the value that the analysis follows? */
static int matters(const struct absint *a, uint32_t v)
{
	const struct code_value *x = &a->f->values[v];
	for (uint32_t i = 0; i < x->uses; i++) {
		uint32_t u = a->f->uses[x->first_use + i];
		switch (a->f->values[u].op) {
		case CODE_STORE:
			if (a->f->values[u].cell != CODE_NONE &&
			    a->cell_symbol[a->f->values[u].cell] != NONE)
				return 1;
			break;
		case CODE_CALL:
		case CODE_GEP:
		case CODE_LOAD:
		case CODE_FILL:
		case CODE_MOVE:
		case CODE_INTTOPTR:
		case CODE_PAIR:
		case CODE_ANY:
		case CODE_ATOMIC:
			break;
		default:
			return 1;
		}
	}
	return 0;
}

static void add_values(struct absint *a)
{
	const struct code_function *f = a->f;
	for (uint32_t l = 0; l < f->loop_count; l++) {
		if (!a->region[f->loops[l].header])
			continue;
		a->counter[l] = add_symbol(a, ABSINT_COUNTER, l, 0, 1, 0);
		if (f->loops[l].parent != CODE_NONE)
			a->total[l] = add_symbol(a, ABSINT_TOTAL, l, 0, 1, 0);
	}
	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++) {
		if (!variable(a, v) || !inside(a, v))
			continue;
		if (f->values[v].op == CODE_PHI)
			add_value(a, v, 0);
		else if ((!form_linear(a, v) || (a->lost[v] && f->values[v].width <= WRAP_MOST)) &&
			 matters(a, v))
			add_value(a, v, 0);
	}
}

/* -------------------------------------------------------------- edges, effects */
static int there_at_end(const struct absint *a, uint32_t v, uint32_t block)
{
	return a->f->values[v].kind != CODE_INSTRUCTION ||
	       code_dominates(a->f, a->f->values[v].block, block);
}

static void find_stale(struct absint *a)
{
	const struct code_function *f = a->f;
	a->stale = mem_zalloc((f->edge_count + 1) * sizeof *a->stale);
	for (size_t i = 0; i < a->symbols.size; i++) {
		const struct symbol *y = &a->symbols.data[i];
		uint32_t v = y->means.id;
		if (y->means.kind != ABSINT_VALUE || y->input)
			continue;
		for (uint32_t e = 0; e < f->edge_count; e++) {
			uint32_t from = f->edges[e].from, to = f->edges[e].to;
			if (!a->region[from] || !there_at_end(a, v, from))
				continue;
			int kept = there_at_end(a, v, to) &&
				   (f->values[v].block != to || f->values[v].op == CODE_PHI);
			if (!kept)
				vec_push(&a->stale[e].symbols, (uint32_t)i);
		}
	}
}

static void find_writes(struct absint *a)
{
	const struct code_function *f = a->f;
	a->writes = mem_zalloc((f->instructions + 1) * sizeof *a->writes);
	for (uint32_t i = 0; i < f->instructions; i++) {
		uint32_t v = f->first_instruction + i;
		for (size_t k = 0; k < a->cells.size; k++)
			if (code_may_write(f, v, a->cells.data[k]))
				vec_push(&a->writes[i].cells, a->cells.data[k]);
	}
}

static void find_partitions(struct absint *a)
{
	a->partition = mem_zalloc(a->f->block_count + 1);
	for (uint32_t b = 0; b < a->f->block_count; b++) {
		uint32_t loop = a->f->blocks[b].loop;
		int negated;
		if (!a->region[b] || (loop != CODE_NONE && a->f->loops[loop].header == b))
			continue;
		a->partition[b] = condition_phi(a, b, &negated) != NONE;
	}
}

static uint32_t *none(uint32_t n)
{
	uint32_t *r = mem_alloc((n + 1) * sizeof *r);
	memset(r, 0xff, (n + 1) * sizeof *r);
	return r;
}

void plan_make(struct absint *a)
{
	if (!a->lost)
		a->lost = mem_zalloc(a->f->value_count + 1);
	a->value_symbol = none(a->f->value_count);
	a->counter = none(a->f->loop_count);
	a->total = none(a->f->loop_count);
	a->cell_symbol = none(a->f->cell_count);
	a->old_symbol = none(a->f->cell_count);
	find_region(a);
	choose_readings(a);
	add_inputs(a);
	add_cells(a);
	add_values(a);
	find_stale(a);
	find_writes(a);
	find_partitions(a);
	pack_make(a);
}

void plan_release(struct absint *a)
{
	pack_release(a);
	for (size_t i = 0; i < a->symbols.size; i++)
		vec_release(&a->symbols.data[i].places);
	for (uint32_t e = 0; a->stale && e < a->f->edge_count; e++)
		vec_release(&a->stale[e].symbols);
	for (uint32_t i = 0; a->writes && i < a->f->instructions; i++)
		vec_release(&a->writes[i].cells);
	free(a->stale);
	free(a->writes);
	free(a->partition);
	free(a->region);
	free(a->is_signed);
	free(a->value_symbol);
	free(a->counter);
	free(a->total);
	free(a->cell_symbol);
	free(a->old_symbol);
	vec_release(&a->symbols);
	vec_release(&a->list);
	vec_release(&a->inputs);
	vec_release(&a->input_symbols);
	vec_release(&a->cells);
	a->stale = NULL;
	a->writes = NULL;
}
