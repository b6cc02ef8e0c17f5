/* loop_known.c: what an outcome in or after a loop needs, from the analysis and from the code.
 *
 * The analysis relates inputs and counters by linear facts. What it cannot say (products, masks, values that wrap) the code says exactly: each
 * decision that dominates the outcome was made, with the values that are still there. For if the edge from d to s dominates the
 * outcome's block, the last visit of d before it took that edge: could d be left otherwise and the outcome reached, then also the first time, without s.
 * So these decisions join the query as they are, in bit-vectors, and the values that they are computed from are symbols of the facts.
 *
 * A loop that was left ran one more iteration before, unless it had none: then its condition held. `while (i * k < n) i++` ends with i * k >= n
 * and (i - 1) * k < n: the second is what says how many iterations it takes.
 */
#include "loops/loop_known.h"

#include "base/limit.h"
#include "vc/value.h"

#include <string.h>

#define LEAVES LIMIT(12, 1) /* values besides inputs that a reach condition names | bounds the query */
#define DECISIONS LIMIT(8, 1) /* decisions before a loop that are taken along, nearest first | the nearest ones matter most; bounds the query */

/* ---------------------------------------------------------------- decisions */

static int decides(const struct code_function *f, uint32_t block)
{
	const struct code_value *v = &f->values[code_last(f, block)];
	return (v->op == CODE_BRANCH || v->op == CODE_SWITCH) && v->operands && !f->blocks[block].check;
}

/* The outcome of the block's decision that leads to `to` and nowhere else; -1: none, or nothing else leads there either. */
static int64_t only_edge(const struct code_function *f, uint32_t block, uint32_t to)
{
	const struct code_block *b = &f->blocks[to];
	if (b->preds != 1)
		return -1;
	const struct code_edge *e = &f->edges[f->preds[b->first_pred]];
	return e->from == block ? (int64_t)e->outcome : -1;
}

/* Decisions that dominate the block, from the nearest one on; within a loop only if it is given, else after the entry of `from`. */
static void find_decided(struct loop_facts *k, const struct code_function *f, uint32_t from, uint32_t loop, uint32_t block)
{
	for (uint32_t b = block, d; (d = f->blocks[b].dominator) != CODE_NONE && k->decided.size < DECISIONS; b = d) {
		if (loop != CODE_NONE ? !code_in_loop(f, loop, d) : from != CODE_NONE && !code_dominates(f, f->loops[from].header, d))
			break;
		int64_t outcome = decides(f, d) ? only_edge(f, d, b) : -1;
		if (outcome >= 0)
			vec_push(&k->decided, ((struct loop_decision){d, (uint32_t)outcome}));
	}
}

/* ---------------------------------------------------------------- facts */

static int has_value(const struct absint_reach *r, uint32_t value)
{
	for (size_t i = 0; i < r->symbols.size; i++)
		if (r->symbols.data[i].kind == ABSINT_VALUE && r->symbols.data[i].id == value)
			return 1;
	return 0;
}

static void add_leaves(struct loop_facts *k, struct absint *a, const struct code_function *f, uint32_t block)
{
	size_t had = k->reach.symbols.size;
	for (size_t d = 0; d < k->decided.size; d++) {
		uint32_t leaves[LEAVES], last = code_last(f, k->decided.data[d].block);
		size_t n = vc_leaves(f, code_operand(f, last, 0), leaves, LEAVES);
		for (size_t i = 0; i < n && k->reach.symbols.size - had < LEAVES; i++)
			if (!has_value(&k->reach, leaves[i]) && (f->values[leaves[i]].block == block || code_available(f, leaves[i], block)))
				vec_push(&k->reach.symbols, absint_value(a, leaves[i]));
	}
}

/* The cases that the analysis has for the symbols. `bounds`: of the counters, or NULL. */
static void add_cases(struct loop_facts *k, struct absint *a, struct absint_point at, const struct absint_reach *bounds)
{
	struct absint_facts facts;
	absint_at(a, at, k->reach.symbols.data, k->reach.symbols.size, &facts);
	for (size_t i = 0; i < facts.cases.size; i++) {
		struct absint_reach_case c = {.facts = facts.cases.data[i].facts};
		for (size_t n = 0; bounds && n < bounds->cases.data[0].counters.size; n++) {
			struct domain_bounds b = bounds->cases.data[0].counters.data[n];
			for (size_t q = 1; q < bounds->cases.size; q++) {
				const struct domain_bounds *o = &bounds->cases.data[q].counters.data[n];
				b.has_min &= o->has_min;
				b.min = o->min < b.min ? o->min : b.min;
			}
			vec_push(&c.counters, b);
		}
		vec_push(&k->reach.cases, c);
	}
	vec_release(&facts.cases);
}

static int equations(const linear_list *facts)
{
	int n = 0;
	for (size_t i = 0; i < facts->size; i++)
		n += facts->data[i].kind == LINEAR_EQ;
	return n;
}

/* Cases with many equations say most: those first. */
static void order_cases(struct absint_reach *r)
{
	for (size_t i = 1; i < r->cases.size; i++)
		for (size_t k = i; k > 0 && equations(&r->cases.data[k].facts) > equations(&r->cases.data[k - 1].facts); k--) {
			struct absint_reach_case c = r->cases.data[k];
			r->cases.data[k] = r->cases.data[k - 1];
			r->cases.data[k - 1] = c;
		}
}

static void push_inputs(struct loop_facts *k, const struct absint *a)
{
	const struct absint_symbol *inputs;
	size_t n = absint_inputs(a, &inputs);
	for (size_t i = 0; i < n; i++)
		vec_push(&k->reach.symbols, inputs[i]);
}

/* ---------------------------------------------------------------- the iteration before */

/* The loop that the outcome leaves and that does not contain the block; CODE_NONE. */
static uint32_t left_by(const struct code_function *f, struct loop_decision d, uint32_t block)
{
	uint32_t loop = f->blocks[d.block].loop, to = f->edges[f->blocks[d.block].first_edge + d.outcome].to;
	if (loop == CODE_NONE || code_in_loop(f, loop, to) || code_in_loop(f, loop, block) || f->loops[loop].latches != 1 || f->loops[loop].irreducible)
		return CODE_NONE;
	return loop;
}

static void add_before(struct loop_known *k, struct absint *a, const struct code_function *f, uint32_t loop)
{
	struct loop_before b = {.loop = loop};
	const struct code_edge *back = &f->edges[f->loop_edges[f->loops[loop].first_latch]];
	if (decides(f, back->from))
		vec_push(&b.facts.decided, ((struct loop_decision){back->from, back->outcome}));
	find_decided(&b.facts, f, CODE_NONE, loop, back->from);
	push_inputs(&b.facts, a);
	add_leaves(&b.facts, a, f, back->from);
	vec_push(&b.facts.reach.symbols, absint_counter(a, loop));
	add_cases(&b.facts, a, (struct absint_point){back->from, ABSINT_END}, NULL);
	vec_push(&k->before, b);
}

/* ---------------------------------------------------------------- both */

void loop_known_find(struct loop_known *k, struct absint *a, const struct code_function *f, uint32_t from, struct loop_decision outcome)
{
	struct absint_reach bounds;
	struct absint_point at = {outcome.block, outcome.outcome};
	memset(k, 0, sizeof *k);
	absint_reach(a, at, NULL, 0, &bounds);
	if (bounds.cases.size) {
		if (decides(f, outcome.block))
			vec_push(&k->here.decided, outcome);
		find_decided(&k->here, f, from, CODE_NONE, outcome.block);
		push_inputs(&k->here, a);
		size_t inputs = k->here.reach.symbols.size;
		add_leaves(&k->here, a, f, outcome.block);
		for (size_t i = inputs; i < bounds.symbols.size; i++)
			vec_push(&k->here.reach.symbols, bounds.symbols.data[i]);
		add_cases(&k->here, a, at, &bounds);
		order_cases(&k->here.reach);
		for (size_t i = 0; i < k->here.decided.size; i++) {
			uint32_t loop = left_by(f, k->here.decided.data[i], outcome.block);
			if (loop != CODE_NONE)
				add_before(k, a, f, loop);
		}
	}
	absint_reach_release(&bounds);
}

static void release_facts(struct loop_facts *k)
{
	absint_reach_release(&k->reach);
	vec_release(&k->decided);
}

void loop_known_release(struct loop_known *k)
{
	release_facts(&k->here);
	for (size_t i = 0; i < k->before.size; i++)
		release_facts(&k->before.data[i].facts);
	vec_release(&k->before);
}
