/* loop_merge.c: what a function computes by decisions on input bytes, as terms over these bytes.
 *
 *	for (i = 0; i < 32; i++)
 *		if (a[i] == 'x')
 *			count++;
 *	if (count == 7) ...
 *
 * In a traced run the count is a plain number: no negation of one decision leads to 7. But the run
 * shows which bytes the decisions are about. So the run is followed first (merge_replay.c), which
 * tells for each load what it found, and then the same code is executed along all ways at once:
 * loops are unrolled, each block has a condition, and where ways meet, a phi is the value of the one
 * or the other by the conditions of its edges. The count is then a sum of 32 choices, and `count ==
 * 7` a question for the solver.
 *
 * Conditions are relative to the head of the innermost loop that is being unrolled (its blocks are
 * passed in reverse postorder, inner loops as one step), so that they stay small; `alive` is the
 * condition that an iteration begins. Values that are used behind a loop are chosen by the iteration
 * in which it was left. How often a loop is unrolled: until its condition folds to false, else as
 * often as in the run and a number of times more, as long as what is loaded there is known to be the
 * input.
 *
 * Nothing is claimed: what is not known is a variable, memory that changes in unknown ways is taken
 * not to, and the search runs what comes out. With everything known it is exact
 * (tests/unit/test_loop_merge.c compares it with real runs).
 */
#include "loops/merge_inside.h"

#include "base/hash.h"
#include "base/limit.h"

#include <stdlib.h>
#include <string.h>

#define ITERATIONS LIMIT(400, 2) /* iterations of one loop that are merged | terms grow with it */
#define DEPTH LIMIT(4, 1) /* calls above each other that are followed | by hand */
#define INSTRUCTIONS LIMIT(4000, 16) /* instructions of a function that is followed into | by hand */

static void unroll(struct merge *m, struct merge_frame *fr, uint32_t loop, expr_t guard,
		   expr_t outside);

/* ---------------------------------------------------------------- functions that are followed */

static void follow(struct merge *m, const struct code_function *f, unsigned depth)
{
	if (m->follow[f->number] || !f->defined || f->recursive || f->variadic || f->replaceable ||
	    f->instructions > INSTRUCTIONS || depth > DEPTH)
		return;
	for (uint32_t l = 0; l < f->loop_count; l++)
		if (f->loops[l].irreducible)
			return;
	m->follow[f->number] = 1;
	for (uint32_t i = 0; i < f->callee_count; i++)
		follow(m, &m->s.code->functions[f->callees[i]], depth + 1);
}

struct merge *merge_new(const struct merge_start *start)
{
	struct merge *m = mem_zalloc(sizeof *m);
	m->s = *start;
	m->pool = start->import->pool;
	m->follow = mem_zalloc(start->code->function_count);
	follow(m, start->f, 0);
	m->failed = !m->follow[start->f->number];
	return m;
}

void merge_free(struct merge *m)
{
	free(m->follow);
	vec_release(&m->leaves);
	vec_release(&m->cells);
	vec_release(&m->case_list);
	struct map *maps[] = {&m->by_name, &m->by_address, &m->learned, &m->by_context,
			      &m->labels,  &m->forced,	   &m->visits,	&m->inputs,
			      &m->cell_at, &m->goals,	   &m->ranges,	&m->cases};
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		map_release(maps[i]);
	free(m);
}

int merge_follows(const struct merge *m, const struct code_function *f)
{
	return m->follow[f->number];
}

uint64_t merge_behind(const struct merge *m)
{
	return m->at;
}

int merge_cut(const struct merge *m)
{
	return m->cut;
}

/* ---------------------------------------------------------------- one block */

static int is_false(const struct merge *m, expr_t e)
{
	u128 value;
	return e == EXPR_NONE || (expr_is_const(m->pool, e, &value) && !value);
}

static expr_t either_way(struct merge *m, expr_t a, expr_t b)
{
	return a == EXPR_NONE ? b : b == EXPR_NONE ? a : expr_or(m->pool, a, b);
}

/* The edges into the block that are taken: back edges, or all others. */
static expr_t coming(struct merge *m, struct merge_frame *fr, uint32_t block, int back)
{
	const struct code_block *b = &fr->f->blocks[block];
	expr_t any = EXPR_NONE;
	for (uint32_t k = 0; k < b->preds; k++) {
		uint32_t e = fr->f->preds[b->first_pred + k];
		if (!(fr->f->edges[e].flags & CODE_EDGE_BACK) == !back)
			any = either_way(m, any, fr->edges[e]);
	}
	return any;
}

/* Phis by the edges of this kind. first: the block is where everything begins, and nothing says by
 * which edge. */
static void choose_phis(struct merge *m, struct merge_frame *fr, uint32_t block, int back,
			int first)
{
	const struct code_function *f = fr->f;
	const struct code_block *b = &f->blocks[block];
	VEC(struct merged) news = {0};
	for (uint32_t v = b->first; v < b->first + b->count && f->values[v].op == CODE_PHI; v++) {
		struct merged is = {0};
		int some = 0;
		for (uint32_t k = 0; k < b->preds; k++) {
			uint32_t e = f->preds[b->first_pred + k];
			if (!(f->edges[e].flags & CODE_EDGE_BACK) != !back ||
			    (!first && is_false(m, fr->edges[e])))
				continue;
			struct merged now = merge_value(m, fr, code_operand(f, v, k));
			if (!some)
				is = now;
			else if (first)
				is = is.term == now.term && is.root == now.root
					 ? is
					 : (struct merged){0};
			else
				is = is.term == EXPR_NONE || now.term == EXPR_NONE
					 ? (struct merged){0}
					 : merge_either(m, fr->edges[e], now, is);
			some = 1;
		}
		vec_push(&news, is);
	}
	for (size_t i = 0; i < news.size; i++)
		fr->values[b->first + i] = news.data[i].term != EXPR_NONE
					       ? news.data[i]
					       : merge_leaf_here(m, fr, b->first + (uint32_t)i);
	vec_release(&news);
}

static struct merged call(struct merge *m, struct merge_frame *fr, uint32_t value,
			  const struct code_function *callee, expr_t guard)
{
	struct merge_frame *in =
	    merge_frame_new(callee, merge_key(fr->context, value), fr->depth + 1);
	struct merged result = {0};
	m->steps += callee->value_count / 16; /* a frame costs, too */
	for (uint32_t i = 0; i < callee->parameters && i + 1 < fr->f->values[value].operands; i++)
		in->values[i] = merge_value(m, fr, code_operand(fr->f, value, i + 1));
	unroll(m, in, CODE_NONE, expr_true(m->pool), guard);
	for (size_t i = 0; i < in->returns.size; i++) {
		struct merge_return r = in->returns.data[i];
		result = i == 0 ? r.value
			 : result.term == EXPR_NONE || r.value.term == EXPR_NONE
			     ? (struct merged){0}
			     : merge_either(m, r.guard, r.value, result);
	}
	merge_frame_free(in);
	return result;
}

/* What the decision is made on: by the code, or by the label where the code does not say. EXPR_NONE
 * with *forced: what the run did. */
static expr_t decided_by(struct merge *m, struct merge_frame *fr, uint32_t block, uint32_t *forced)
{
	uint32_t last = code_last(fr->f, block);
	uint64_t at;
	*forced = CODE_NONE;
	struct merged c = merge_value(m, fr, code_operand(fr->f, last, 0));
	if (c.term != EXPR_NONE && !merge_unknown(m, c.term))
		return c.term;
	if (map_get(&m->labels, merge_decision(fr, block), &at) &&
	    (c.term == EXPR_NONE || expr_width(m->pool, (expr_t)at) == expr_width(m->pool, c.term)))
		return (expr_t)at;
	if (map_get(&m->forced, merge_decision(fr, block), &at)) {
		*forced = (uint32_t)(at - 1);
		return EXPR_NONE;
	}
	return c.term;
}

static void add_goal(struct merge *m, const struct merge_frame *fr, uint32_t edge, expr_t outside)
{
	uint64_t key = (uint64_t)fr->f->number << 32 | edge, old = EXPR_NONE;
	expr_t goal = expr_and(m->pool, outside, fr->edges[edge]);
	if (is_false(m, goal))
		return;
	map_get(&m->goals, key, &old);
	map_set(&m->goals, key, either_way(m, (expr_t)old, goal));
}

static void decide(struct merge *m, struct merge_frame *fr, uint32_t block, expr_t guard,
		   expr_t outside)
{
	const struct code_function *f = fr->f;
	const struct code_block *b = &f->blocks[block];
	uint32_t last = code_last(f, block), forced;
	expr_t c = decided_by(m, fr, block, &forced), rest = guard;
	m->unsure += c != EXPR_NONE && merge_unknown(m, c);
	for (uint32_t k = b->edges; k-- > 0;) {
		uint32_t e = b->first_edge + k;
		if (forced != CODE_NONE)
			fr->edges[e] = k == forced ? guard : EXPR_NONE;
		else if (c == EXPR_NONE)
			fr->edges[e] = EXPR_NONE;
		else if (f->values[last].op == CODE_BRANCH)
			fr->edges[e] = expr_and(m->pool, guard, k ? c : expr_not(m->pool, c));
		else if (k) {
			expr_t is =
			    expr_eq(m->pool, c,
				    expr_const(m->pool, expr_width(m->pool, c),
					       code_unsigned(code_operand_value(f, last, k))));
			fr->edges[e] = expr_and(m->pool, guard, is);
			rest = expr_and(m->pool, rest, expr_not(m->pool, is));
		} else
			fr->edges[e] = rest;
		if (!is_false(m, fr->edges[e]) && forced == CODE_NONE)
			add_goal(m, fr, e, outside);
	}
}

static void leave(struct merge *m, struct merge_frame *fr, uint32_t block, expr_t guard,
		  expr_t outside)
{
	const struct code_function *f = fr->f;
	const struct code_block *b = &f->blocks[block];
	uint32_t last = code_last(f, block), passing = merge_passing(f, block);
	unsigned op = f->values[last].op;
	if (op == CODE_RETURN) {
		struct merged v = f->values[last].operands
				      ? merge_value(m, fr, code_operand(f, last, 0))
				      : (struct merged){0};
		vec_push(&fr->returns, (struct merge_return){guard, v});
	} else if (passing != CODE_NONE) {
		fr->edges[passing] = guard;
	} else if (b->edges == 1 || op == CODE_INVOKE) {
		fr->edges[b->first_edge] = guard;
	} else if (op == CODE_BRANCH || op == CODE_SWITCH) {
		decide(m, fr, block, guard, outside);
	}
}

/* guard: from the head of the loop on; outside: that it comes there at all. */
static void execute(struct merge *m, struct merge_frame *fr, uint32_t block, expr_t guard,
		    expr_t outside)
{
	const struct code_function *f = fr->f;
	expr_t here = expr_and(m->pool, guard, outside);
	uint32_t last = code_last(f, block);
	for (uint32_t v = f->blocks[block].first; v < last; v++) {
		const struct code_function *callee =
		    f->values[v].op == CODE_CALL ? merge_callee(m, fr, v) : NULL;
		if (f->values[v].op == CODE_PHI)
			continue;
		if (callee)
			fr->values[v] = call(m, fr, v, callee, here);
		else
			merge_instruction(m, fr, v, here);
		if (++m->steps > MERGE_STEPS || exprs_count(m->pool) - m->nodes > MERGE_NODES)
			m->failed = 1;
		if (m->failed)
			return;
	}
	leave(m, fr, block, guard, outside);
}

/* ---------------------------------------------------------------- loops */

/* Blocks of the loop (of the function), inner loops as one. start: the block that has its phis and
 * is entered. */
static void pass(struct merge *m, struct merge_frame *fr, uint32_t loop, uint32_t start,
		 expr_t outside)
{
	const struct code_function *f = fr->f;
	const uint32_t *blocks =
	    loop == CODE_NONE ? f->order : &f->loop_blocks[f->loops[loop].first_block];
	uint32_t count = loop == CODE_NONE ? f->order_count : f->loops[loop].blocks;
	for (uint32_t i = 0; i < count && !m->failed; i++) {
		uint32_t b = blocks[i], inner = f->blocks[b].loop;
		if (b == start && inner == loop) {
			execute(m, fr, b, expr_true(m->pool), outside);
			continue;
		}
		if (inner != loop &&
		    (f->loops[inner].parent != loop || f->loops[inner].header != b))
			continue;
		expr_t guard = b == start ? expr_true(m->pool) : coming(m, fr, b, 0);
		if (is_false(m, guard))
			continue;
		choose_phis(m, fr, b, 0, b == start);
		if (inner != loop)
			unroll(m, fr, inner, guard, outside);
		else
			execute(m, fr, b, guard, outside);
	}
}

/* The values of a loop that are used behind it. */
static void used_behind(const struct code_function *f, uint32_t loop, uint32_t **out, size_t *count)
{
	VEC(uint32_t) list = {0};
	const struct code_loop *l = &f->loops[loop];
	for (uint32_t i = 0; i < l->blocks; i++) {
		const struct code_block *b = &f->blocks[f->loop_blocks[l->first_block + i]];
		for (uint32_t v = b->first; v < b->first + b->count; v++)
			for (uint32_t k = 0; k < f->values[v].uses; k++) {
				uint32_t user = f->uses[f->values[v].first_use + k];
				if (f->values[user].kind == CODE_INSTRUCTION &&
				    !code_in_loop(f, loop, f->values[user].block)) {
					vec_push(&list, v);
					break;
				}
			}
	}
	*out = list.data;
	*count = list.size;
}

struct unrolling {
	struct merge *m;
	struct merge_frame *fr;
	const struct code_loop *l;
	uint32_t *live;
	size_t live_count;
	VEC(expr_t) left;	   /* by iteration: the loop is left, if it began */
	VEC(struct merged) values; /* by iteration: those used behind */
	expr_t *exits;		   /* by exit: left there */
};

/* Has this iteration left the loop, and with what? */
static void note_exits(struct unrolling *u, expr_t alive)
{
	struct merge *m = u->m;
	expr_t any = EXPR_NONE;
	for (uint32_t k = 0; k < u->l->exits; k++) {
		expr_t e = u->fr->edges[u->fr->f->loop_edges[u->l->first_exit + k]];
		if (is_false(m, e))
			continue;
		any = either_way(m, any, e);
		u->exits[k] = either_way(m, u->exits[k], expr_and(m->pool, alive, e));
	}
	if (is_false(m, any))
		return;
	vec_push(&u->left, any);
	for (size_t i = 0; i < u->live_count; i++)
		vec_push(&u->values, u->fr->values[u->live[i]]);
}

static void forget_edges(struct unrolling *u)
{
	const struct code_function *f = u->fr->f;
	for (uint32_t i = 0; i < u->l->blocks; i++) {
		const struct code_block *b = &f->blocks[f->loop_blocks[u->l->first_block + i]];
		for (uint32_t e = b->first_edge; e < b->first_edge + b->edges; e++)
			u->fr->edges[e] = EXPR_NONE;
	}
}

/* Values and edges as they are behind the loop; the first iteration that left it counts. */
static void close_loop(struct unrolling *u, expr_t guard)
{
	struct merge *m = u->m;
	forget_edges(u);
	for (uint32_t k = 0; k < u->l->exits; k++)
		if (u->exits[k] != EXPR_NONE)
			u->fr->edges[u->fr->f->loop_edges[u->l->first_exit + k]] =
			    expr_and(m->pool, guard, u->exits[k]);
	for (size_t i = 0; i < u->live_count && u->left.size; i++) {
		struct merged v = u->values.data[(u->left.size - 1) * u->live_count + i];
		for (size_t k = u->left.size - 1; k-- > 0;)
			v = merge_either(m, u->left.data[k], u->values.data[k * u->live_count + i],
					 v);
		u->fr->values[u->live[i]] = v;
	}
}

static uint64_t iterations_of(const struct merge *m, const struct merge_frame *fr, uint32_t loop)
{
	uint64_t n = 0;
	if (!map_get(&m->visits, merge_key(fr->context, loop), &n))
		map_get(&m->visits, merge_key(fr->f->number, loop), &n);
	return n;
}

/* The loop's phis have the values that it is entered with. */
static void go_around(struct unrolling *u, uint32_t loop, expr_t outside)
{
	struct merge *m = u->m;
	struct merge_frame *fr = u->fr;
	uint64_t context = fr->context, seen = iterations_of(m, fr, loop), most = seen + m->extra;
	expr_t alive = expr_true(m->pool);
	for (uint64_t k = 0; !m->failed; k++) {
		unsigned unsure = m->unsure;
		fr->context = merge_key(merge_key(context, loop), k + 1);
		if (k)
			choose_phis(m, fr, u->l->header, 1, 0);
		forget_edges(u);
		pass(m, fr, loop, u->l->header, expr_and(m->pool, outside, alive));
		if (k >= seen && m->unsure != unsure) {
			m->cut = 1;
			break; /* what it looks at there is not known */
		}
		note_exits(u, alive);
		alive =
		    expr_and(m->pool, alive,
			     either_way(m, expr_false(m->pool), coming(m, fr, u->l->header, 1)));
		if (is_false(m, alive))
			break;
		if (k + 1 >= most || k + 1 >= ITERATIONS) {
			m->cut = 1;
			break;
		}
	}
	fr->context = context;
}

/* guard, outside: see execute(). Without a loop: the whole function. */
static void unroll(struct merge *m, struct merge_frame *fr, uint32_t loop, expr_t guard,
		   expr_t outside)
{
	if (loop == CODE_NONE) {
		pass(m, fr, CODE_NONE, 0, outside);
		return;
	}
	struct unrolling u = {.m = m, .fr = fr, .l = &fr->f->loops[loop]};
	used_behind(fr->f, loop, &u.live, &u.live_count);
	u.exits = mem_zalloc((u.l->exits + 1) * sizeof *u.exits);
	go_around(&u, loop, expr_and(m->pool, guard, outside));
	close_loop(&u, guard);
	free(u.live);
	free(u.exits);
	vec_release(&u.left);
	vec_release(&u.values);
}

int merge_run(struct merge *m, unsigned extra, int cases)
{
	struct merge_frame *fr = merge_frame_new(m->s.f, 0, 0);
	uint32_t start = m->s.loop == CODE_NONE ? 0 : m->s.f->loops[m->s.loop].header;
	m->extra = extra;
	m->by_cases = cases;
	map_clear(&m->ranges);
	map_clear(&m->cases);
	vec_clear(&m->case_list);
	m->cut = m->failed = 0;
	m->nodes = exprs_count(m->pool);
	m->steps = 0;
	map_clear(&m->goals);
	merge_clobber(m);
	merge_frame_enter(m, fr);
	pass(m, fr, CODE_NONE, start, expr_true(m->pool));
	merge_frame_free(fr);
	return m->failed ? -1 : 0;
}

expr_t merge_goal(const struct merge *m, const struct code_function *f, uint32_t edge)
{
	uint64_t goal;
	return map_get(&m->goals, (uint64_t)f->number << 32 | edge, &goal) ? (expr_t)goal
									   : EXPR_NONE;
}
