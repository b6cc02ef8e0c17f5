/* loop_run.c: a loop and those inside it, run by an interpreter to see what their variables do.
 *
 * One frame, integers only. What comes in is chosen anew for each run: what a real run had, values
 * that let a loop run long, short or not at all, values near the ends of their range (so that sums
 * wrap), constants of the loop and their neighbours, anything. What the loop reads from memory or
 * gets from calls is anything as well, half of the time a constant of the loop, since decisions
 * compare with these. So a row may be one that no real run has; a relation that all rows have is
 * only a guess in any case. The same seed gives the same rows.
 *
 * A check of the compiler's passes whatever its condition is, as in a program without the
 * sanitizer. A run ends where it leaves the loop, where C has no answer (division by zero), and
 * after a number of instructions.
 */
#include "loops/loop_run.h"

#include "base/hash.h"
#include "base/limit.h"
#include "vc/value.h"

#include <stdlib.h>
#include <string.h>

#define RUNS LIMIT(24, 2) /* simulated runs of a loop | time; three times the rows that a relation needs */
#define VISITS LIMIT(300, 10) /* visits of the head that are recorded | memory: rows of 13 values */
#define STEPS LIMIT(12000, 100) /* blocks of one simulated run | time: VISITS iterations of 40 blocks */
#define MOST_PHIS LIMIT(8, 1) /* variables of the head that are recorded | as guesses.c's */
#define MOST_LIVE LIMIT(5, 1) /* values from before the loop that are recorded | with MOST_PHIS 13 columns: triples of them are guessed */
#define MOST_TAKEN LIMIT(3, 1) /* decisions inside the loop that are recorded | eight combinations of outcomes */
#define DEEP LIMIT(64, 4) /* operators above each other in one value | recursion depth */

struct machine {
	const struct code_function *f;
	uint32_t root;
	const struct loop_run_options *o;
	u128 *values;
	uint32_t *known;    /* by value: the run that it is of */
	uint64_t *counters; /* by loop */
	uint8_t *entered;   /* by loop: its header was not visited since */
	uint64_t *taken;    /* by edge */
	uint32_t *rows;	    /* by loop: place in runs->loops, + 1 */
	VEC(uint64_t) constants;
	uint32_t run; /* from 1 on */
	uint64_t random;
};

/* ---------------------------------------------------------------- symbols */

static int is_integer(const struct code_value *v)
{
	return v->width >= 1 && v->width <= 64 && !v->is_pointer;
}

static uint32_t find_symbol(const struct loop_rows *r, enum loop_symbol_kind kind, uint32_t id)
{
	for (size_t i = 0; i < r->symbols.size; i++)
		if (r->symbols.data[i].kind == kind && r->symbols.data[i].id == id)
			return (uint32_t)i;
	return CODE_NONE;
}

static uint32_t add_value(struct loop_rows *r, const struct code_function *f, uint32_t value,
			  int varies)
{
	uint32_t at = find_symbol(r, LOOP_VALUE, value);
	if (at != CODE_NONE)
		return at;
	vec_push(&r->symbols, (struct loop_symbol){.kind = LOOP_VALUE,
						   .width = (uint8_t)f->values[value].width,
						   .varies = (uint8_t)varies,
						   .id = value,
						   .start = CODE_NONE});
	return (uint32_t)r->symbols.size - 1;
}

/* What all entries into the header bring for a phi, or CODE_NONE. */
static uint32_t start_of(const struct code_function *f, uint32_t loop, uint32_t phi)
{
	uint32_t header = f->loops[loop].header, found = CODE_NONE;
	for (uint32_t k = 0; k < f->blocks[header].preds; k++) {
		const struct code_edge *e = code_pred(f, header, k);
		if (code_in_loop(f, loop, e->from) ||
		    !(f->blocks[e->from].flags & CODE_BLOCK_REACHED))
			continue;
		if (found != CODE_NONE && found != code_operand(f, phi, k))
			return CODE_NONE;
		found = code_operand(f, phi, k);
	}
	return found;
}

static void add_taken(struct loop_rows *r, const struct code_function *f)
{
	const struct code_loop *l = &f->loops[r->loop];
	for (uint32_t i = 0, n = 0; i < l->blocks && n < MOST_TAKEN; i++) {
		uint32_t block = f->loop_blocks[l->first_block + i];
		const struct code_block *b = &f->blocks[block];
		int stays = b->loop == r->loop && b->edges == 2 && !b->check;
		for (uint32_t k = 0; stays && k < 2; k++)
			stays = code_in_loop(f, r->loop, f->edges[b->first_edge + k].to);
		if (!stays)
			continue;
		n++;
		vec_push(&r->symbols, (struct loop_symbol){.kind = LOOP_TAKEN,
							   .width = 64,
							   .varies = 1,
							   .id = b->first_edge + 1,
							   .start = CODE_NONE});
	}
}

static void find_symbols(struct loop_rows *r, const struct code_function *f)
{
	const struct code_loop *l = &f->loops[r->loop];
	const struct code_block *header = &f->blocks[l->header];
	uint32_t count, *live, phis = 0;
	for (uint32_t v = header->first;
	     v < header->first + header->count && f->values[v].op == CODE_PHI && phis < MOST_PHIS;
	     v++)
		if (is_integer(&f->values[v])) {
			add_value(r, f, v, 1);
			phis++;
		}
	for (uint32_t i = 0; i < phis; i++) {
		uint32_t from = start_of(f, r->loop, r->symbols.data[i].id);
		if (from == CODE_NONE || !is_integer(&f->values[from]) ||
		    f->values[from].kind == CODE_CONSTANT || f->values[from].kind == CODE_UNDEF ||
		    !code_available(f, from, l->header))
			continue;
		from = add_value(r, f, from, 0);
		r->symbols.data[i].start = from;
	}
	live = code_live_in(f, r->loop, &count);
	for (uint32_t i = 0; i < count && r->symbols.size < phis + MOST_LIVE; i++)
		if (is_integer(&f->values[live[i]]) && code_available(f, live[i], l->header))
			add_value(r, f, live[i], 0);
	free(live);
	r->counter = r->symbols.size;
	vec_push(
	    &r->symbols,
	    (struct loop_symbol){
		.kind = LOOP_COUNTER, .width = 64, .varies = 1, .id = r->loop, .start = CODE_NONE});
	add_taken(r, f);
}

/* ---------------------------------------------------------------- values */

static uint64_t draw(struct machine *m)
{
	return hash_mix(m->random += 0x9e3779b97f4a7c15ull);
}

static u128 anything(struct machine *m, unsigned width)
{
	uint64_t r = draw(m), pick = draw(m) % 8;
	if (width == 1)
		return r & 1;
	if (pick < 4 && m->constants.size)
		return op_mask((u128)(s128)(int64_t)(m->constants.data[r % m->constants.size] +
						     (pick == 3 ? (r >> 40) % 3 - 1 : 0)),
			       width);
	if (pick < 6)
		return op_mask(r % 5, width);
	return op_mask((u128)draw(m) << 64 | r, width);
}

/* What comes in, for one run: as its number says, or each value by a pattern of its own. */
static u128 incoming(struct machine *m, uint32_t value)
{
	unsigned width = m->f->values[value].width ? m->f->values[value].width : 64;
	uint64_t r = draw(m), given;
	if (m->run == 1 && m->o->value && m->o->value(m->o->ctx, value, &given))
		return op_mask(given, width);
	switch (m->run % 8 == 7 ? draw(m) % 7 : m->run % 8) {
	case 0:
		return op_mask(400 + r % 200, width);
	case 1:
		return op_mask(20 + r % 80, width);
	case 2:
		return op_mask(r % 5, width);
	case 3:
		return op_mask(((u128)1 << (width - (r >> 60 & 1))) - 1 - r % 200,
			       width); /* below the top of either reading */
	case 4:
		return op_mask(((u128)1 << (width - 1)) + r % 100, width);
	case 5:
		return op_mask(r % 64, width);
	default:
		return anything(m, width);
	}
}

static u128 value_of(struct machine *m, uint32_t value, unsigned depth);

/* 0: C has no answer. */
static int compute(struct machine *m, uint32_t value, unsigned depth, u128 *out)
{
	const struct code_value *v = &m->f->values[value];
	u128 e[3] = {0};
	for (uint32_t i = 0; i < v->operands && i < 3; i++)
		e[i] = value_of(m, code_operand(m->f, value, i), depth - 1);
	return vc_apply(m->f, value, e, out);
}

/* Values of the loop are known when they are needed. What is from outside is computed if it can be,
 * else chosen. */
static u128 value_of(struct machine *m, uint32_t value, unsigned depth)
{
	const struct code_value *v = &m->f->values[value];
	if (v->kind == CODE_CONSTANT)
		return code_unsigned(v);
	if (m->known[value] != m->run) {
		m->known[value] = m->run;
		m->values[value] = 0;
		if (!depth || !vc_computes(m->f, value) ||
		    !compute(m, value, depth, &m->values[value]))
			m->values[value] = incoming(m, value);
	}
	return m->values[value];
}

static void set_value(struct machine *m, uint32_t value, u128 x)
{
	m->values[value] = x;
	m->known[value] = m->run;
}

/* ---------------------------------------------------------------- running */

static void record(struct machine *m, struct loop_runs *runs, uint32_t loop)
{
	struct loop_rows *r = &runs->loops.data[m->rows[loop] - 1];
	size_t most = m->o->visits ? m->o->visits : VISITS;
	if (r->rows >= most * m->run)
		return;
	if (m->entered[loop])
		vec_push(&r->runs, r->rows);
	m->entered[loop] = 0;
	for (size_t i = 0; i < r->symbols.size; i++) {
		const struct loop_symbol *s = &r->symbols.data[i];
		vec_push(&r->cells, s->kind == LOOP_VALUE     ? (uint64_t)value_of(m, s->id, DEEP)
				    : s->kind == LOOP_COUNTER ? m->counters[s->id]
							      : m->taken[s->id]);
	}
	r->rows++;
}

static void enter_loop(struct machine *m, const struct loop_rows *r)
{
	m->counters[r->loop] = 0;
	m->entered[r->loop] = 1;
	for (size_t i = r->counter + 1; i < r->symbols.size; i++)
		m->taken[r->symbols.data[i].id] = 0;
}

/* Along an edge: counters, then the phis, all at once. */
static void follow(struct machine *m, struct loop_runs *runs, uint32_t edge)
{
	const struct code_function *f = m->f;
	const struct code_edge *e = &f->edges[edge];
	const struct code_block *b = &f->blocks[e->to];
	uint32_t k = 0, n = 0;
	u128 fresh[64];
	m->taken[edge]++;
	for (uint32_t l = b->loop; l != CODE_NONE && m->rows[l]; l = f->loops[l].parent) {
		if (!code_in_loop(f, l, e->from))
			enter_loop(m, &runs->loops.data[m->rows[l] - 1]);
		else if (f->loops[l].header == e->to)
			m->counters[l]++;
	}
	while (k < b->preds && f->preds[b->first_pred + k] != edge)
		k++;
	for (; n < b->count && n < 64 && f->values[b->first + n].op == CODE_PHI; n++)
		fresh[n] = value_of(m, code_operand(f, b->first + n, k), DEEP);
	while (n--)
		set_value(m, b->first + n, fresh[n]);
	if (b->loop != CODE_NONE && f->loops[b->loop].header == e->to)
		record(m, runs, b->loop);
}

/* Which edge does the block leave by? CODE_NONE: by none. */
static uint32_t decide(struct machine *m, uint32_t block)
{
	const struct code_function *f = m->f;
	const struct code_block *b = &f->blocks[block];
	uint32_t last = code_last(f, block);
	u128 c;
	for (uint32_t k = 0; k < b->edges; k++)
		if (f->edges[b->first_edge + k].flags & CODE_EDGE_PASS)
			return b->first_edge + k;
	if (!b->edges)
		return CODE_NONE;
	switch (f->values[last].op) {
	case CODE_BRANCH:
		return b->first_edge + (uint32_t)(value_of(m, code_operand(f, last, 0), DEEP) != 0);
	case CODE_SWITCH:
		c = value_of(m, code_operand(f, last, 0), DEEP);
		for (uint32_t i = 1; i < b->edges; i++)
			if (value_of(m, code_operand(f, last, i), DEEP) == c)
				return b->first_edge + i;
		return b->first_edge;
	case CODE_JUMP:
		return b->first_edge;
	default:
		return b->first_edge + (uint32_t)(draw(m) % b->edges);
	}
}

/* 0: the run ends here. */
static int execute(struct machine *m, uint32_t block)
{
	const struct code_function *f = m->f;
	const struct code_block *b = &f->blocks[block];
	for (uint32_t v = b->first; v + 1 < b->first + b->count; v++) {
		u128 x = 0;
		if (f->values[v].op == CODE_PHI)
			continue;
		if (!vc_computes(f, v))
			x = anything(m, f->values[v].width ? f->values[v].width : 64);
		else if (!compute(m, v, DEEP, &x))
			return 0;
		set_value(m, v, x);
	}
	return 1;
}

static void run(struct machine *m, struct loop_runs *runs)
{
	const struct code_function *f = m->f;
	const struct code_loop *l = &f->loops[m->root];
	uint32_t edge = f->loop_edges[l->first_entry + draw(m) % l->entries];
	unsigned steps = m->o->steps ? m->o->steps : STEPS;
	while (edge != CODE_NONE && code_in_loop(f, m->root, f->edges[edge].to)) {
		uint32_t block = f->edges[edge].to;
		follow(m, runs, edge);
		if (f->blocks[block].count >= steps || !execute(m, block))
			break;
		steps -= f->blocks[block].count;
		edge = decide(m, block);
	}
}

/* Constants that the loop compares with, adds, divides by. */
static void find_constants(struct machine *m)
{
	const struct code_function *f = m->f;
	const struct code_loop *l = &f->loops[m->root];
	for (uint32_t i = 0; i < l->blocks; i++) {
		const struct code_block *b = &f->blocks[f->loop_blocks[l->first_block + i]];
		for (uint32_t v = b->first; v < b->first + b->count && m->constants.size < 256; v++)
			for (uint32_t k = 0; k < f->values[v].operands; k++) {
				const struct code_value *o = code_operand_value(f, v, k);
				if (o->kind == CODE_CONSTANT && is_integer(o))
					vec_push(&m->constants, (uint64_t)code_signed(o));
			}
	}
}

void loop_runs_make(struct loop_runs *r, const struct code_function *f, uint32_t loop,
		    const struct loop_run_options *o)
{
	struct machine m = {.f = f, .root = loop, .o = o, .random = o->seed};
	unsigned runs = o->runs ? o->runs : RUNS;
	memset(r, 0, sizeof *r);
	r->f = f;
	if (!f->loops[loop].entries)
		return;
	m.values = mem_zalloc(f->value_count * sizeof *m.values);
	m.known = mem_zalloc(f->value_count * sizeof *m.known);
	m.counters = mem_zalloc(f->loop_count * sizeof *m.counters);
	m.entered = mem_zalloc(f->loop_count);
	m.taken = mem_zalloc(f->edge_count * sizeof *m.taken);
	m.rows = mem_zalloc(f->loop_count * sizeof *m.rows);
	for (uint32_t l = 0; l < f->loop_count; l++)
		if (l == loop || code_in_loop(f, loop, f->loops[l].header)) {
			struct loop_rows rows = {.loop = l};
			find_symbols(&rows, f);
			vec_push(&r->loops, rows);
			m.rows[l] = (uint32_t)r->loops.size;
		}
	find_constants(&m);
	for (m.run = 1; m.run <= runs; m.run++)
		run(&m, r);
	vec_release(&m.constants);
	free(m.values);
	free(m.known);
	free(m.counters);
	free(m.entered);
	free(m.taken);
	free(m.rows);
}

void loop_runs_release(struct loop_runs *r)
{
	for (size_t i = 0; i < r->loops.size; i++) {
		vec_release(&r->loops.data[i].symbols);
		vec_release(&r->loops.data[i].cells);
		vec_release(&r->loops.data[i].runs);
	}
	vec_release(&r->loops);
}
