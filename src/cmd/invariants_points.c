/* invariants_points.c: which points of a function get an invariant, and the invariants.
 *
 * Heads of loops; edges by which a loop is left; the outcomes of branches and switches that lie in a loop or that execution can come to
 * after one. An edge that leaves a loop is an exit and nothing else, of the outermost loop that it leaves. Decisions
 * that the compiler made for its checks are no points, nor are edges that go nowhere else than their siblings do.
 */
#include "base/clock.h"
#include "cmd/invariants.h"

#include "absint/describe.h"
#include "ir/code.h"

#include <stdlib.h>

const char *invariant_place_key(enum invariant_place p)
{
	static const char *const keys[] = {
#define X(name, key) key,
	    INVARIANT_PLACES(X)
#undef X
	};
	return keys[p];
}

struct work {
	struct invariants *all;
	const struct code_function *f;
	struct describe *describe;
	uint8_t *after; /* by block: execution may come here after a loop, or in one */
};

/* The outermost loop that an edge leaves, or CODE_NONE. */
static uint32_t loop_left(const struct code_function *f, const struct code_edge *e)
{
	uint32_t left = CODE_NONE;

	for (uint32_t l = f->blocks[e->from].loop; l != CODE_NONE && !code_in_loop(f, l, e->to); l = f->loops[l].parent)
		left = l;
	return left;
}

/* Where the condition stands: branches of && and || have the place of the whole. */
static void place_of(const struct code_function *f, uint32_t block, uint32_t *line, uint32_t *column)
{
	uint32_t last = code_last(f, block);
	const struct code_value *v = &f->values[last], *condition = code_operand_value(f, last, 0);

	if (condition->kind == CODE_INSTRUCTION && condition->line && condition->op != CODE_PHI)
		v = condition;
	*line = v->line;
	*column = v->column;
}

/* Whether C says that the value is unsigned: where it comes from, or a variable that it is in. Not known: it is not. */
static int is_unsigned(const struct code_function *f, uint32_t value)
{
	const struct code_value *v = &f->values[value];

	if (v->flags & CODE_UNSIGNED)
		return 1;
	if (v->kind == CODE_INSTRUCTION && v->op == CODE_LOAD && v->cell != CODE_NONE)
		return f->cells[v->cell].is_unsigned;
	if (v->kind == CODE_INSTRUCTION && (v->op == CODE_UREM || v->op == CODE_UDIV || v->op == CODE_LSHR))
		return 1;
	for (uint32_t i = 0; i < f->binding_count; i++) {
		const struct code_binding *b = &f->bindings[i];
		uint32_t type = b->value == value ? f->variables[b->variable].type : CODE_NONE;

		if (type != CODE_NONE && f->code->types[type].bytes * 8 >= v->width)
			return f->code->types[type].is_unsigned;
	}
	return 0;
}

static int is_instruction(const struct code_function *f, uint32_t v, enum code_op op)
{
	return f->values[v].kind == CODE_INSTRUCTION && f->values[v].op == op;
}

/* A switch on more than 64 bits is one on the number of its case (ir/wide_switch.c), a sum of comparisons: the one for the case; CODE_NONE: it is none. */
static uint32_t wide_comparison(const struct code_function *f, uint32_t sum, uint32_t number)
{
	for (; is_instruction(f, sum, CODE_ADD); sum = code_operand(f, sum, 0)) {
		uint32_t term = code_operand(f, sum, 1), bit = is_instruction(f, term, CODE_MUL) ? code_operand(f, term, 0) : CODE_NONE;
		uint32_t is = bit != CODE_NONE && is_instruction(f, bit, CODE_ZEXT) ? code_operand(f, bit, 0) : CODE_NONE;

		if (is == CODE_NONE || !is_instruction(f, is, CODE_EQ) || code_operand_value(f, is, 0)->width <= 64)
			break;
		if (code_unsigned(code_operand_value(f, term, 1)) == number)
			return is;
	}
	return CODE_NONE;
}

static char *outcome_words(const struct code_function *f, uint32_t block, uint32_t outcome)
{
	uint32_t last = code_last(f, block);

	if (f->values[last].op == CODE_BRANCH)
		return mem_strdup(outcome ? "true" : "false");
	if (!outcome)
		return mem_strdup("default");
	uint32_t wide = wide_comparison(f, code_operand(f, last, 0), outcome);
	const struct code_value *c = wide != CODE_NONE ? code_operand_value(f, wide, 1) : code_operand_value(f, last, outcome);
	int negative = code_signed(c) < 0 && !is_unsigned(f, code_operand(f, wide != CODE_NONE ? wide : last, 0));
	unsigned __int128 n = negative ? -(unsigned __int128)code_signed(c) : code_unsigned(c);
	char digits[40], *s = digits + sizeof digits - 1; /* printf has nothing for 128 bits */

	for (*s = 0; n || !*s; n /= 10)
		*--s = (char)('0' + (int)(n % 10));
	return mem_printf("case %s%s", negative ? "-" : "", s);
}

static void add_point(struct work *w, struct invariant point, struct absint_point at)
{
	struct buf text = BUF_EMPTY;

	describe_point(w->describe, at, point.line, &text);
	point.function = (uint32_t)w->all->functions.size;
	point.rank = (uint32_t)w->all->points.size;
	point.text = buf_take(&text);
	vec_push(&w->all->points, point);
}

static void add_head(struct work *w, uint32_t loop)
{
	const struct code_loop *l = &w->f->loops[loop];

	add_point(w, (struct invariant){.place = INVARIANT_HEAD, .line = l->line, .column = l->column, .loop = l->line, .loop_end = l->end_line},
		  (struct absint_point){l->header, ABSINT_ENTRY});
}

static int same_target(const struct code_function *f, uint32_t block)
{
	const struct code_block *b = &f->blocks[block];

	for (uint32_t k = 1; k < b->edges; k++)
		if (f->edges[b->first_edge + k].to != f->edges[b->first_edge].to)
			return 0;
	return 1;
}

/* The compiler's own: a compare-and-exchange that failed stores what it found. */
static int is_of_exchange(const struct code_function *f, uint32_t block)
{
	uint32_t condition = code_operand(f, code_last(f, block), 0);
	const struct code_value *c = &f->values[condition];
	const struct code_value *made = c->kind == CODE_INSTRUCTION && c->operands ? code_operand_value(f, condition, 0) : NULL;

	return made && made->kind == CODE_INSTRUCTION && made->op == CODE_ATOMIC && made->block == block;
}

static void add_edges(struct work *w, uint32_t block)
{
	const struct code_function *f = w->f;
	const struct code_block *b = &f->blocks[block];
	uint32_t op = f->values[code_last(f, block)].op;

	if ((op != CODE_BRANCH && op != CODE_SWITCH) || b->check || !w->after[block] || same_target(f, block) || is_of_exchange(f, block))
		return;
	for (uint32_t k = 0; k < b->edges; k++) {
		const struct code_edge *e = &f->edges[b->first_edge + k];
		uint32_t left = loop_left(f, e), loop = left != CODE_NONE ? left : b->loop;
		struct invariant point = {.place = left != CODE_NONE ? INVARIANT_EXIT : loop != CODE_NONE ? INVARIANT_INSIDE : INVARIANT_AFTER};

		place_of(f, block, &point.line, &point.column);
		if ((e->flags & CODE_EDGE_REPORT) || !point.line)
			continue;
		if (loop != CODE_NONE) {
			point.loop = f->loops[loop].line;
			point.loop_end = f->loops[loop].end_line;
		}
		point.outcome = outcome_words(f, block, k);
		add_point(w, point, (struct absint_point){block, k});
	}
}

/* Blocks in loops and all that can be reached from them. */
static void mark_after(struct work *w)
{
	const struct code_function *f = w->f;

	for (int again = 1; again;) { /* blocks of a cycle are all in a loop: once is enough but for the order */
		again = 0;
		for (uint32_t k = 0; k < f->order_count; k++) {
			uint32_t b = f->order[k];

			if (f->blocks[b].loop != CODE_NONE)
				w->after[b] = 1;
			for (uint32_t e = 0; w->after[b] && e < f->blocks[b].edges; e++) {
				uint8_t *to = &w->after[f->edges[f->blocks[b].first_edge + e].to];

				again |= !*to;
				*to = 1;
			}
		}
	}
}

static int by_line(const void *a, const void *b)
{
	const struct invariant *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if ((x->place == INVARIANT_HEAD) != (y->place == INVARIANT_HEAD))
		return x->place == INVARIANT_HEAD ? -1 : 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

void invariants_add(struct invariants *all, const struct code *c, const struct code_function *f, const struct absint_options *o, int everything)
{
	struct work w = {.all = all, .f = f};
	double start = clock_seconds();
	size_t first = all->points.size;

	if (!f->defined || !f->loop_count)
		return;
	struct absint *a = absint_new(c, f, o);

	w.describe = describe_new(a, f, everything);
	w.after = mem_zalloc(f->block_count + 1);
	mark_after(&w);
	for (uint32_t l = 0; l < f->loop_count; l++)
		if (f->loops[l].line)
			add_head(&w, l);
	for (uint32_t k = 0; k < f->order_count; k++)
		add_edges(&w, f->order[k]);
	if (all->points.size > first)
		qsort(all->points.data + first, all->points.size - first, sizeof *all->points.data, by_line);
	vec_push(&all->functions, (struct invariant_function){.name = f->name, .line = f->line, .loops = f->loop_count, .domain = absint_domain(a),
							      .weakened = absint_weakened(a), .seconds = clock_seconds() - start});
	describe_free(w.describe);
	absint_free(a);
	free(w.after);
}

void invariants_release(struct invariants *all)
{
	for (size_t i = 0; i < all->points.size; i++) {
		free(all->points.data[i].outcome);
		free(all->points.data[i].text);
	}
	vec_release(&all->points);
	vec_release(&all->functions);
}
