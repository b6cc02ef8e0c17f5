/* code_names.c: which value a variable of the source has at a point.
 *
 * Bindings say "from here on variable x has value v". At the entry of a block, after its phis, a variable has the value that all its predecessors
 * agree on at their ends; or a phi of the block that a binding there gives it, if on each edge the phi takes just what the variable
 * has at the end of that predecessor. (A binding at the top of a block may also be the program's own assignment, which has not happened at the entry.)
 * Where they do not agree it has none: mem2reg makes no phi for a variable that is not read any more, and the old value would be
 * a lie. So it is a forward analysis over a flat lattice, in reverse postorder until nothing changes; a value can only fall from "not seen
 * yet" to one value to none, so it ends.
 *
 * Only variables with bindings take part, and a table of blocks times variables is kept: some megabytes for the largest functions.
 */
#include "ir/code.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define UNSEEN (CODE_NONE - 1)
#define TABLE_MAX ((size_t)1 << 26) /* entries; beyond that names are known in their own blocks only */

struct code_names {
	const struct code_function *f;
	uint32_t *column;	/* variable -> column of the table, or CODE_NONE */
	uint32_t columns;
	uint32_t *at;		/* block * columns: at its entry, after the phis; NULL: too large */
	uint32_t *first;	/* block -> first binding */
	uint8_t *fresh;		/* block: nothing came in yet */
	uint32_t *place;	/* edge -> which predecessor of its target it is */
};

static uint32_t phi_end(const struct code_function *f, uint32_t block)
{
	uint32_t v = f->blocks[block].first;

	while (f->values[v].op == CODE_PHI)
		v++;
	return v;
}

/* Applies the bindings of a block from *at on that stand before the instruction. */
static void apply(const struct code_names *n, uint32_t *row, uint32_t *at, uint32_t end)
{
	const struct code_function *f = n->f;

	for (; *at < f->binding_count && f->bindings[*at].before <= end; ++*at)
		row[n->column[f->bindings[*at].variable]] = f->bindings[*at].value;
}

/* The state at the end of a block, from that at its entry. */
static void leave(const struct code_names *n, uint32_t block, uint32_t *row)
{
	uint32_t at = n->first[block];

	memcpy(row, n->at + (size_t)block * n->columns, n->columns * sizeof *row);
	apply(n, row, &at, code_last(n->f, block));
}

/* What comes in over an edge: the state at its source's end, with the phis of the target. A variable that has no value yet on the way
 * (the phi takes an undefined one) may have any. */
static void cross(const struct code_names *n, uint32_t edge, uint32_t *row)
{
	const struct code_function *f = n->f;
	uint32_t to = f->edges[edge].to, end = phi_end(f, to);

	for (uint32_t i = n->first[to]; i < f->binding_count && f->bindings[i].before <= end; i++) {
		uint32_t phi = f->bindings[i].value, operand;
		uint32_t *now = &row[n->column[f->bindings[i].variable]];

		if (phi < f->blocks[to].first || phi >= end)
			continue;
		operand = code_operand(f, phi, n->place[edge]);
		if (*now == operand || f->values[operand].kind == CODE_UNDEF)
			*now = phi;
	}
}

/* Meets the state that comes in over an edge into that of a block. 1 if it changed. */
static int meet(const struct code_names *n, uint32_t to, const uint32_t *row)
{
	uint32_t *entry = n->at + (size_t)to * n->columns;
	int changed = 0;

	for (uint32_t k = 0; k < n->columns; k++) {
		if (row[k] == UNSEEN || entry[k] == row[k] || entry[k] == CODE_NONE)
			continue;
		entry[k] = entry[k] == UNSEEN ? row[k] : CODE_NONE;
		changed = 1;
	}
	return changed;
}

static void solve(struct code_names *n)
{
	const struct code_function *f = n->f;
	uint32_t *row = mem_alloc((n->columns + 1) * sizeof *row), *in = mem_alloc((n->columns + 1) * sizeof *in);
	uint8_t *dirty = mem_zalloc(f->block_count + 1);

	for (size_t i = 0; i < (size_t)f->block_count * n->columns; i++)
		n->at[i] = UNSEEN;
	for (uint32_t k = 0; k < n->columns; k++)
		n->at[k] = CODE_NONE; /* before its first binding a variable has no value */
	dirty[0] = 1;
	for (int again = 1; again;) {
		again = 0;
		for (uint32_t k = 0; k < f->order_count; k++) {
			uint32_t b = f->order[k];

			if (!dirty[b])
				continue;
			dirty[b] = 0;
			leave(n, b, row);
			for (uint32_t e = f->blocks[b].first_edge; e < f->blocks[b].first_edge + f->blocks[b].edges; e++) {
				memcpy(in, row, n->columns * sizeof *in);
				cross(n, e, in);
				if (meet(n, f->edges[e].to, in) || n->fresh[f->edges[e].to]) {
					n->fresh[f->edges[e].to] = 0;
					again = dirty[f->edges[e].to] = 1;
				}
			}
		}
	}
	free(row);
	free(in);
	free(dirty);
}

struct code_names *code_names_new(const struct code_function *f)
{
	struct code_names *n = mem_zalloc(sizeof *n);
	uint32_t at = 0;

	n->f = f;
	n->column = mem_alloc((f->variable_count + 1) * sizeof *n->column);
	memset(n->column, 0xff, (f->variable_count + 1) * sizeof *n->column);
	for (uint32_t i = 0; i < f->binding_count; i++)
		if (n->column[f->bindings[i].variable] == CODE_NONE)
			n->column[f->bindings[i].variable] = n->columns++;
	n->first = mem_alloc((f->block_count + 1) * sizeof *n->first);
	for (uint32_t b = 0; b < f->block_count; b++) { /* blocks and bindings are both in the order of values */
		while (at < f->binding_count && f->bindings[at].before < f->blocks[b].first)
			at++;
		n->first[b] = at;
	}
	n->place = mem_alloc((f->edge_count + 1) * sizeof *n->place);
	for (uint32_t b = 0; b < f->block_count; b++)
		for (uint32_t k = 0; k < f->blocks[b].preds; k++)
			n->place[f->preds[f->blocks[b].first_pred + k]] = k;
	n->fresh = mem_alloc(f->block_count + 1);
	memset(n->fresh, 1, f->block_count + 1);
	if ((size_t)f->block_count * n->columns <= TABLE_MAX) {
		n->at = mem_alloc(((size_t)f->block_count * n->columns + 1) * sizeof *n->at);
		solve(n);
	}
	return n;
}

void code_names_free(struct code_names *n)
{
	if (!n)
		return;
	free(n->column);
	free(n->at);
	free(n->first);
	free(n->fresh);
	free(n->place);
	free(n);
}

uint32_t code_names_value(const struct code_names *n, uint32_t block, uint32_t variable)
{
	uint32_t k = n->column[variable], value;

	if (k == CODE_NONE || !n->at)
		return CODE_NONE;
	value = n->at[(size_t)block * n->columns + k];
	return value == UNSEEN ? CODE_NONE : value;
}

uint32_t code_names_before(const struct code_names *n, uint32_t instruction, uint32_t variable)
{
	const struct code_function *f = n->f;
	uint32_t block = f->values[instruction].block, value = code_names_value(n, block, variable);

	for (uint32_t i = n->first[block]; i < f->binding_count && f->bindings[i].before <= instruction; i++)
		if (f->bindings[i].variable == variable)
			value = f->bindings[i].value;
	return value;
}

uint32_t code_outermost(const struct code *c, uint32_t scope)
{
	while (scope != CODE_NONE && c->scopes[scope].parent != CODE_NONE)
		scope = c->scopes[scope].parent;
	return scope;
}

/* Is `outer` the scope, or around it? How many steps up: *steps. */
static int is_around(const struct code *c, uint32_t outer, uint32_t scope, uint32_t *steps)
{
	for (*steps = 0; scope != CODE_NONE; scope = c->scopes[scope].parent, ++*steps)
		if (scope == outer)
			return 1;
	return 0;
}

int code_hides(const struct code_function *f, const char *name, size_t length, uint32_t scope)
{
	uint32_t steps;

	for (uint32_t v = 0; v < f->variable_count; v++)
		if (strlen(f->variables[v].name) == length && !memcmp(f->variables[v].name, name, length) &&
		    is_around(f->code, f->variables[v].scope, scope, &steps))
			return 1;
	return 0;
}

int code_visible(const struct code_function *f, uint32_t variable, uint32_t scope, uint32_t line)
{
	const struct code_variable *v = &f->variables[variable];
	uint32_t own, other;

	if (!is_around(f->code, v->scope, scope, &own) || (line && v->line > line))
		return 0;
	for (uint32_t k = 0; k < f->variable_count; k++) {
		const struct code_variable *w = &f->variables[k];

		if (k == variable || strcmp(w->name, v->name) || !is_around(f->code, w->scope, scope, &other))
			continue;
		if (other <= own) /* wherever it stands: lines need not grow (#line, #include) */
			return 0;
	}
	return 1;
}
