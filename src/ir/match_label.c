/* match_label.c: what instructions look like, at seven widths.
 *
 * A label is a number; equal labels look alike. The narrowest is the shape; wider ones add what the operands are, eight deep at most, then who uses the result and what comes next. The wide ones tell
 * instructions apart that occur often; the narrow ones recognise an instruction whose surroundings changed. Phis and variables' allocas count by their shape alone wherever they are operands:
 * an edit elsewhere makes other phis; only the widest labels tell variables apart, by who uses them. What the compiler made for a check looks the same for each check of a pointer: its widest label is that of what it guards. Symbols count by their pair, so that one that was renamed looks as it did; those without a pair by what sort of thing they are.
 */
#include "ir/match_parts.h"

#include <string.h>

#define USERS_MAX 16 /* of a value that are looked at: a value with more is told apart by these */
#define DEPTH_MIDDLE 3
#define DEPTH 8
#define GUARD_STEPS 64 /* instructions of checks, one after another */

static uint64_t symbol_label(const struct match_side *d, uint32_t symbol)
{
	const struct content_symbol *c = &d->u->content->symbols[symbol];
	uint32_t in_program = d->u->symbols[symbol];

	if (c->unnamed)
		return d->u->data[symbol].a;
	if (d->pairs[in_program] != CODE_NONE)
		return content_fold(21, d->pairs[in_program]);
	return content_fold(22, c->kind == CONTENT_FUNCTION ? c->signature : c->head);
}

static uint64_t constant_label(const struct match_side *d, uint32_t constant)
{
	const struct content_constant *c = &d->u->content->constants[constant];
	uint64_t h = c->hash;

	for (uint32_t k = 0; k < c->refs; k++)
		h = content_fold(h, symbol_label(d, d->u->content->refs[c->first + k]));
	return h;
}

static int is_cut(const struct code_function *f, uint32_t value)
{
	return f->values[value].op == CODE_PHI || f->values[value].op == CODE_ALLOCA;
}

/* cut: labels that phis and allocas have as operands. */
static uint64_t operand_label(const struct match_side *d, uint32_t operand, const uint64_t *below, const uint64_t *cut, int same_parameters)
{
	uint32_t number = operand & CONTENT_NUMBER, first = d->f->first_instruction;

	if ((operand & CONTENT_KIND) == CONTENT_SYMBOL)
		return symbol_label(d, number);
	if ((operand & CONTENT_KIND) == CONTENT_CONSTANT)
		return constant_label(d, number);
	if (operand < d->f->parameters)
		return content_fold(23, same_parameters ? operand : d->f->values[operand].width);
	if (is_cut(d->f, operand))
		return content_fold(24, cut[operand - first]);
	return below ? below[operand - first] : 25;
}

/* below: labels of operands, NULL: instructions among them are all alike. */
static uint64_t *widen(const struct match_side *d, const uint64_t *below, const uint64_t *cut, int same_parameters)
{
	uint64_t *out = mem_alloc((d->f->instructions + 1) * sizeof *out);

	for (uint32_t k = 0; k < d->f->instructions; k++) {
		const struct content_instruction *i = &d->u->content->instructions[d->f->first_ordinal + k];
		uint64_t h = i->shape;

		for (uint32_t n = 0; d->f->values[d->f->first_instruction + k].op != CODE_PHI && n < i->operands; n++)
			h = content_fold(h, operand_label(d, content_operand(d->u->content, i, n), below, cut, same_parameters));
		out[k] = h;
	}
	return out;
}

/* The first instruction of a block that is no phi: the last is none. */
static uint32_t block_start(const struct code_function *f, uint32_t block)
{
	uint32_t v = f->blocks[block].first;

	while (f->values[v].op == CODE_PHI)
		v++;
	return v;
}

/* users: labels that users of the value are looked at with; beside: those before and after it. */
static uint64_t context_label(const struct code_function *f, uint32_t value, const uint64_t *deep, const uint64_t *users_by, const uint64_t *beside)
{
	const struct code_value *v = &f->values[value];
	const struct code_block *b = &f->blocks[v->block];
	uint32_t first = f->first_instruction;
	uint64_t h = deep[value - first], users = 0;

	for (uint32_t k = 0; k < v->uses && k < USERS_MAX; k++) {
		uint32_t user = f->uses[v->first_use + k];

		users += hash_mix(users_by[user - first]);
	}
	h = content_fold(h, users);
	if (value != code_last(f, v->block))
		return content_fold(h, beside[value + 1 - first]);
	if (value > b->first)
		h = content_fold(h, beside[value - 1 - first]);
	for (uint32_t k = 0; k < b->edges; k++)
		h = content_fold(h, beside[block_start(f, f->edges[b->first_edge + k].to) - first]);
	return h;
}

/* The first instruction after those of checks: what they guard. CODE_NONE: not within GUARD_STEPS. */
static uint32_t guarded_by(const struct code_function *f, uint32_t v)
{
	for (int step = 0; step < GUARD_STEPS; step++) {
		const struct code_block *b = &f->blocks[f->values[v].block];

		if (!(f->values[v].flags & CODE_MARKED) && f->values[v].op != CODE_JUMP)
			return v;
		if (v != b->first + b->count - 1) {
			v++;
			continue;
		}
		for (uint32_t k = 0; k < b->edges; k++)
			if (b->edges == 1 || f->edges[b->first_edge + k].flags & CODE_EDGE_PASS) {
				v = block_start(f, f->edges[b->first_edge + k].to);
				break;
			}
		if (v == b->first + b->count - 1)
			return CODE_NONE;
	}
	return CODE_NONE;
}

static uint64_t *shapes_of(const struct match_side *d)
{
	uint64_t *out = mem_alloc((d->f->instructions + 1) * sizeof *out);

	for (uint32_t k = 0; k < d->f->instructions; k++)
		out[k] = d->u->content->instructions[d->f->first_ordinal + k].shape;
	return out;
}

/* What phis and allocas are as operands: the pair that they are known to be, or their shape. */
static uint64_t *cuts_of(const struct code_function *f, const uint64_t *shapes, const uint32_t *known)
{
	uint64_t *out = mem_alloc((f->instructions + 1) * sizeof *out);

	for (uint32_t k = 0; k < f->instructions; k++)
		out[k] = known && known[k] != CODE_NONE ? content_fold(26, known[k]) : shapes[k];
	return out;
}

/* The same, and for those that are no pair the shapes of their users: which variable it is. */
static uint64_t *variables_of(const struct code_function *f, const uint64_t *shapes, const uint32_t *known)
{
	uint64_t *out = mem_alloc((f->instructions + 1) * sizeof *out);

	for (uint32_t k = 0; k < f->instructions; k++) {
		const struct code_value *v = &f->values[f->first_instruction + k];
		uint64_t users = 0;

		for (uint32_t n = 0; is_cut(f, f->first_instruction + k) && n < v->uses && n < USERS_MAX; n++)
			users += hash_mix(shapes[f->uses[v->first_use + n] - f->first_instruction]);
		out[k] = known && known[k] != CODE_NONE ? content_fold(26, known[k]) : content_fold(shapes[k], users);
	}
	return out;
}

/* Labels with operands, from those without, `depth` deep. The caller frees. */
static uint64_t *deepen(const struct match_side *d, const uint64_t *from, const uint64_t *cut, int depth, int same_parameters)
{
	uint64_t *out = widen(d, from, cut, same_parameters);

	while (--depth > 0) {
		uint64_t *next = widen(d, out, cut, same_parameters);

		free(out);
		out = next;
	}
	return out;
}

static void add_wide(struct match_labels *l, const struct match_side *d, int same_parameters, const uint32_t *known)
{
	const struct code_function *f = d->f;
	uint64_t *variables = variables_of(f, l->at[LABEL_SHAPE], known), *plain = widen(d, NULL, variables, same_parameters);
	uint64_t *deep = deepen(d, plain, variables, DEPTH, same_parameters), *out = mem_alloc((f->instructions + 1) * sizeof *out);

	for (uint32_t k = 0; k < f->instructions; k++)
		out[k] = context_label(f, f->first_instruction + k, deep, deep, deep);
	for (uint32_t k = 0; k < f->instructions; k++) {
		uint32_t guarded = f->values[f->first_instruction + k].flags & CODE_MARKED ? guarded_by(f, f->first_instruction + k) : CODE_NONE;

		if (guarded != CODE_NONE)
			out[k] = content_fold(deep[k], out[guarded - f->first_instruction]);
	}
	l->at[LABEL_WIDE] = out;
	free(variables);
	free(plain);
	free(deep);
}

void match_labels_init(struct match_labels *l, const struct match_side *d, int same_parameters, const uint32_t *known)
{
	uint64_t *cuts;

	l->at[LABEL_SHAPE] = shapes_of(d);
	cuts = cuts_of(d->f, l->at[LABEL_SHAPE], known);
	l->at[LABEL_PLAIN] = widen(d, NULL, cuts, same_parameters);
	l->at[LABEL_NEAR] = deepen(d, l->at[LABEL_PLAIN], cuts, 1, same_parameters);
	l->at[LABEL_MIDDLE] = deepen(d, l->at[LABEL_NEAR], cuts, DEPTH_MIDDLE - 1, same_parameters);
	l->at[LABEL_DEEP] = deepen(d, l->at[LABEL_MIDDLE], cuts, DEPTH - DEPTH_MIDDLE, same_parameters);
	free(cuts);
	l->at[LABEL_CONTEXT] = mem_alloc((d->f->instructions + 1) * sizeof(uint64_t));
	for (uint32_t k = 0; k < d->f->instructions; k++)
		l->at[LABEL_CONTEXT][k] = context_label(d->f, d->f->first_instruction + k, l->at[LABEL_DEEP], l->at[LABEL_NEAR], l->at[LABEL_PLAIN]);
	add_wide(l, d, same_parameters, known);
}

uint64_t *match_plain(const struct match_side *d, int same_parameters)
{
	uint64_t *shapes = shapes_of(d), *plain = widen(d, NULL, shapes, same_parameters);

	free(shapes);
	return plain;
}

void match_labels_release(struct match_labels *l)
{
	for (int k = 0; k < LABEL_COUNT; k++)
		free(l->at[k]);
}
