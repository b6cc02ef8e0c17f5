/* affine.c: Gauss over literals.
 *
 * Each literal is an equation: the XOR of some columns is a constant. Columns are the gates at
 * which a cone of XOR gates ends: free gates and all other kinds, the latter taken as if they were
 * free. A contradiction between equations is therefore one between the literals. A solution is only
 * a proposal: free gates take its values, 64 random choices of the unknowns that the equations
 * leave open at a time, and the whole graph is computed to see whether all literals hold. Pivots
 * are sought among free gates that no other kind of gate depends on, so that whatever these gates
 * need is not disturbed.
 *
 * Invariant of the rows: a row is 0 at the pivots of the rows before it; so values are filled in
 * from the last row to the first.
 */
#include "solve/affine.h"
#include "base/hash.h"
#include "base/limit.h"

#include <string.h>

#define WORK_MAX ((uint64_t)1 << 29) /* words that elimination may touch */
#define ROUNDS LIMIT(16, 1) /* rounds of 64 proposals before the next rung is asked | 1,024 proposals, 64 at a time on the tape */

struct affine {
	const struct gates *g;
	uint32_t *column;    /* by gate: its column plus 1, 0: none */
	uint8_t *mark;	     /* by gate: MARK_* */
	VEC(lit_t) parts;    /* the literals; a conjunction is its parts */
	VEC(uint32_t) gate;  /* by column */
	VEC(uint32_t) cone;  /* gates of the equation in hand */
	VEC(uint32_t) terms; /* columns of all equations, one after the other */
	VEC(uint32_t) end;   /* where each equation's columns end in terms */
	VEC(uint8_t) right;  /* its right side */
	uint64_t *rows;	     /* bit sets of columns; the right side is the last bit */
	size_t words, count;
	VEC(uint32_t) pivot; /* column of each row */
};
enum {
	MARK_CONE = 1,	/* in the cone of the equation in hand */
	MARK_ODD = 2,	/* occurs in it an odd number of times */
	MARK_BOUND = 4, /* below a gate that is no XOR */
	MARK_USED = 8,	/* in the cone of some literal */
	MARK_OPEN = 16, /* a conjunction that was taken apart */
};

static int is_xor(const struct gate *x)
{
	return x->op == GATE_XOR || x->op == GATE_XOR3;
}

static int newer_first(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

static void cone_push(struct affine *a, lit_t x)
{
	uint8_t *mark = &a->mark[lit_gate(x)];

	if (!(*mark & MARK_CONE)) {
		*mark |= MARK_CONE;
		vec_push(&a->cone, lit_gate(x));
	}
}

/* The equation of a literal: counts travel from the gate to its operands, newest gates first. */
static void affine_equation(struct affine *a, lit_t x)
{
	vec_clear(&a->cone);
	cone_push(a, x);
	for (size_t i = 0; i < a->cone.size; i++) {
		const struct gate *y = &a->g->v.data[a->cone.data[i]];

		if (!is_xor(y))
			continue;
		cone_push(a, y->a);
		cone_push(a, y->b);
		if (y->op == GATE_XOR3)
			cone_push(a, y->c);
	}
	qsort(a->cone.data, a->cone.size, sizeof *a->cone.data, newer_first);
	a->mark[lit_gate(x)] |= MARK_ODD;
	for (size_t i = 0; i < a->cone.size; i++) {
		uint32_t id = a->cone.data[i];
		const struct gate *y = &a->g->v.data[id];
		uint8_t odd = a->mark[id] & MARK_ODD;

		a->mark[id] &= (uint8_t) ~(MARK_CONE | MARK_ODD);
		if (!odd)
			continue;
		if (is_xor(y)) { /* its operands have no sign */
			a->mark[lit_gate(y->a)] ^= MARK_ODD;
			a->mark[lit_gate(y->b)] ^= MARK_ODD;
			if (y->op == GATE_XOR3)
				a->mark[lit_gate(y->c)] ^= MARK_ODD;
			continue;
		}
		if (!a->column[id]) {
			vec_push(&a->gate, id);
			a->column[id] = (uint32_t)a->gate.size;
		}
		vec_push(&a->terms, a->column[id] - 1);
	}
	vec_push(&a->end, (uint32_t)a->terms.size);
	vec_push(&a->right, (uint8_t)!lit_sign(x));
}

/* Marks cones of the literals, and what lies below gates that are no XORs. 0: a definition is among
 * them. */
static int affine_mark(struct affine *a, const lit_t *parts, size_t count)
{
	uint32_t newest = 0;
	int plain = 1;

	for (size_t i = 0; i < count; i++) {
		a->mark[lit_gate(parts[i])] |= MARK_USED;
		newest = lit_gate(parts[i]) > newest ? lit_gate(parts[i]) : newest;
	}
	for (uint32_t id = newest; id > 0; id--) {
		const struct gate *y = &a->g->v.data[id];
		uint8_t down = a->mark[id] & (MARK_USED | MARK_BOUND);

		if (!(down & MARK_USED) || y->op < GATE_AND) {
			plain &= !(down & MARK_USED) || !y->a;
			continue;
		}
		if (!is_xor(y))
			down |= MARK_BOUND;
		a->mark[lit_gate(y->a)] |= down;
		a->mark[lit_gate(y->b)] |= down;
		if (y->op >= GATE_XOR3)
			a->mark[lit_gate(y->c)] |= down;
	}
	return plain;
}

/* ------------------------------------------------------------- elimination */
/* The best column of the row for a pivot; -1 if there is none. */
static int64_t row_pivot(const struct affine *a, const uint64_t *row)
{
	int64_t best = -1;

	for (size_t k = 0; k < a->gate.size; k++) {
		uint32_t id = a->gate.data[k];

		if (!row[k / 64]) {
			k |= 63;
			continue;
		}
		if (!(row[k / 64] >> k % 64 & 1))
			continue;
		if (a->g->v.data[id].op == GATE_FREE && !(a->mark[id] & MARK_BOUND))
			return (int64_t)k;
		if (best < 0 || a->g->v.data[id].op == GATE_FREE)
			best = (int64_t)k;
	}
	return best;
}

/* 0: the equations contradict each other. */
static int affine_eliminate(struct affine *a)
{
	size_t right = a->gate.size, from = 0;

	for (size_t i = 0; i < a->end.size; i++) {
		uint64_t *row = a->rows + a->count * a->words;
		int64_t pivot;

		memset(row, 0, a->words * sizeof *row);
		for (; from < a->end.data[i]; from++)
			row[a->terms.data[from] / 64] ^= (uint64_t)1 << a->terms.data[from] % 64;
		row[right / 64] |= (uint64_t)a->right.data[i] << right % 64;
		for (size_t k = 0; k < a->count; k++) {
			uint32_t p = a->pivot.data[k];
			const uint64_t *other = a->rows + k * a->words;

			if (row[p / 64] >> p % 64 & 1)
				for (size_t w = 0; w < a->words; w++)
					row[w] ^= other[w];
		}
		pivot = row_pivot(a, row);
		if (pivot >= 0) {
			vec_push(&a->pivot, (uint32_t)pivot);
			a->count++;
		} else if (row[right / 64] >> right % 64 & 1) {
			return 0;
		}
	}
	return 1;
}

/* --------------------------------------------------------------- proposals */
/* 64 values of each column, with the equations satisfied. In the first round one of them has zeros
 * where it can. */
static void affine_propose(const struct affine *a, unsigned round, uint64_t *value)
{
	size_t right = a->gate.size;

	for (size_t k = 0; k < right; k++)
		value[k] = hash_mix((uint64_t)round << 32 | k) & ~(uint64_t)(round == 0);
	for (size_t i = a->count; i-- > 0;) {
		const uint64_t *row = a->rows + i * a->words;
		uint32_t p = a->pivot.data[i];
		uint64_t v = row[right / 64] >> right % 64 & 1 ? ~(uint64_t)0 : 0;

		value[p] = 0;
		for (size_t w = 0; w < a->words; w++)
			for (uint64_t rest = row[w]; rest; rest &= rest - 1) {
				size_t k = w * 64 + (size_t)__builtin_ctzll(rest);

				v ^= k < right ? value[k] : 0;
			}
		value[p] = v;
	}
}

static uint64_t operand(const uint64_t *out, lit_t x)
{
	return out[lit_gate(x)] ^ -(uint64_t)lit_sign(x);
}

/* Values of all marked gates; free ones that are in no equation are arbitrary. */
static void affine_compute(const struct affine *a, uint32_t newest, unsigned round,
			   const uint64_t *value, uint64_t *out)
{
	out[0] = 0;
	for (uint32_t id = 1; id <= newest; id++) {
		const struct gate *y = &a->g->v.data[id];
		uint64_t p, q, r;

		if (!(a->mark[id] & MARK_USED))
			continue;
		if (y->op == GATE_FREE) {
			out[id] = a->column[id] ? value[a->column[id] - 1]
						: hash_mix((uint64_t)id << 32 | round) &
						      ~(uint64_t)(round == 0);
			continue;
		}
		p = operand(out, y->a);
		q = operand(out, y->b);
		r = operand(out, y->c);
		out[id] = y->op == GATE_AND    ? p & q
			  : y->op == GATE_XOR  ? p ^ q
			  : y->op == GATE_XOR3 ? p ^ q ^ r
			  : y->op == GATE_MAJ  ? (p & q) | (p & r) | (q & r)
					       : (p & q) | (~p & r);
	}
}

static enum verdict affine_try(const struct affine *a, const lit_t *parts, size_t count,
			       uint8_t *model)
{
	uint64_t *value = mem_realloc(NULL, a->gate.size + 1, sizeof *value);
	uint64_t *out = mem_realloc(NULL, a->g->v.size, sizeof *out);
	enum verdict verdict = VERDICT_UNKNOWN;
	uint32_t newest = 0;

	for (size_t i = 0; i < count; i++)
		newest = lit_gate(parts[i]) > newest ? lit_gate(parts[i]) : newest;
	for (unsigned round = 0; round < ROUNDS && verdict == VERDICT_UNKNOWN; round++) {
		uint64_t good = ~(uint64_t)0;

		affine_propose(a, round, value);
		affine_compute(a, newest, round, value, out);
		for (size_t i = 0; i < count && good; i++)
			good &= operand(out, parts[i]);
		if (!good)
			continue;
		memset(model, 0, a->g->v.size);
		for (uint32_t id = 1; id <= newest; id++)
			if (a->mark[id] & MARK_USED)
				model[id] = out[id] >> __builtin_ctzll(good) & 1;
		verdict = VERDICT_SAT;
	}
	free(value);
	free(out);
	return verdict;
}

/* Takes conjunctions apart. Returns the number of equations with more than one column. */
static size_t affine_parts(struct affine *a, const lit_t *roots, size_t count)
{
	size_t xors = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = a->parts.size;

		vec_push(&a->parts, roots[i]);
		while (at < a->parts.size) {
			lit_t x = a->parts.data[at];
			const struct gate *y = &a->g->v.data[lit_gate(x)];

			if (y->op != GATE_AND || lit_sign(x)) {
				xors += (size_t)is_xor(y);
				at++;
				continue;
			}
			a->parts.data[at] = vec_last(&a->parts);
			a->parts.size--;
			if (!(a->mark[lit_gate(x)] & MARK_OPEN)) {
				a->mark[lit_gate(x)] |= MARK_OPEN;
				vec_push(&a->parts, y->a);
				vec_push(&a->parts, y->b);
			}
		}
	}
	return xors;
}

static enum verdict affine_solve(struct affine *a, uint8_t *model)
{
	int plain = affine_mark(a, a->parts.data, a->parts.size);

	for (size_t i = 0; i < a->parts.size; i++) {
		if (a->parts.data[i] == LIT_FALSE)
			return VERDICT_UNSAT;
		if (a->terms.size > WORK_MAX / 16)
			return VERDICT_UNKNOWN;
		if (a->parts.data[i] != LIT_TRUE)
			affine_equation(a, a->parts.data[i]);
	}
	a->words = a->gate.size / 64 + 1;
	if ((uint64_t)a->end.size * a->end.size / 2 * a->words > WORK_MAX)
		return VERDICT_UNKNOWN;
	a->rows = mem_realloc(NULL, (a->end.size + 1) * a->words, sizeof *a->rows);
	if (!affine_eliminate(a))
		return VERDICT_UNSAT;
	return plain ? affine_try(a, a->parts.data, a->parts.size, model) : VERDICT_UNKNOWN;
}

enum verdict affine_check(const struct gates *g, const lit_t *roots, size_t count, uint8_t *model)
{
	struct affine a = {.g = g};
	enum verdict verdict = VERDICT_UNKNOWN;

	a.column = mem_zalloc(g->v.size * sizeof *a.column);
	a.mark = mem_zalloc(g->v.size);
	if (affine_parts(&a, roots, count))
		verdict = affine_solve(&a, model);
	free(a.rows);
	free(a.column);
	free(a.mark);
	vec_release(&a.parts);
	vec_release(&a.gate);
	vec_release(&a.cone);
	vec_release(&a.terms);
	vec_release(&a.end);
	vec_release(&a.right);
	vec_release(&a.pivot);
	return verdict;
}
