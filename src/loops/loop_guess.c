/* loop_guess.c: relations between a loop's variables, guessed from runs.
 *
 * Rows (loop_run.c) are what the symbols of a loop were at visits of its header: phis, what comes in, the counter, and how often edges
 * inside were taken. Guesses are what all rows have in common, in these families:
 *
 *	ranges		x in a small interval, or x constant modulo 2^k
 *	increments	x - x0 == A * counter + sum of B * taken(edge), A and B from the differences between one row and the next
 *	pairs		p * (x - x0) + q * (y - y0) in a small interval, or constant modulo 2^k, p and q small
 *	triples		the same of three
 *	turns		x - x0 - A * counter, or x - y0, constant in every second round
 *	products	x - x0 == A * counter * z + B * counter, z from outside: what an inner loop of z rounds adds
 *	orders		x <= z or x >= z, z from outside: so an inner loop that is left at x >= z had x == z
 *
 * Sums wrap, so an interval is one modulo 2^width; where a factor could make a sum wrap that does not in the integers, the same
 * relation is guessed in more bits, too. Guesses mean nothing by themselves; loop_prove.c says which are inductive.
 */
#include "loops/loop_guess.h"

#include "base/clock.h"
#include "base/limit.h"
#include "loops/loop_sum.h"

#include <inttypes.h>
#include <string.h>

#define FEWEST 8 /* rows of values below which a relation is chance | fewer rows fit many relations */
#define MOST LIMIT(40, 1) /* guesses for one loop: bounds the proofs | each is a query of a proof round */
#define SINGLE_RANGE LIMIT(64, 1) /* widest interval that one variable is guessed to be in | state numbers and digits are in such intervals */
#define PAIR_RANGE LIMIT(7, 1) /* widest interval for a sum of two | off by a few: a wider one is chance at so few rows */
#define TRIPLE_RANGE 1 /* widest interval for a sum of three | an equation */
#define SPREAD 16 /* spread below which a variable needs no interval with another | twice PAIR_RANGE and more */
#define PAIR_FACTOR LIMIT(8, 1) /* largest factor in a sum of two | sizes of elements: 1, 2, 4, 8 */
#define TRIPLE_FACTOR LIMIT(3, 1) /* largest factor in a sum of three | 7 x 7 x 7 triples: more are chance */
#define PRODUCT_FACTOR LIMIT(64, 1) /* largest factor of a product of the counter and a value | sizes of elements and of small structures */
#define MORE_BITS 64 /* width in which sums of 32-bit numbers with small factors do not wrap | 32 bits and some */

struct finder {
	const struct loop_rows *r;
	loop_guess_list *out;
	uint8_t *linear;     /* by symbol: a sum of the counter and edges taken */
	uint8_t *wide;	     /* by symbol: it has values that are far from each other */
	VEC(uint8_t) starts; /* by row: the first of a run */
};

static uint64_t cut(uint64_t x, unsigned width)
{
	return width >= 64 ? x : x & ((1ull << width) - 1);
}

static int64_t sign(uint64_t x, unsigned width)
{
	return (int64_t)(x << (64 - width)) >> (64 - width);
}

static uint64_t cell(const struct loop_rows *r, const uint64_t *cells, uint32_t symbol, int is_signed)
{
	return is_signed ? (uint64_t)sign(cells[symbol], r->symbols.data[symbol].width) : cells[symbol];
}

static uint64_t sum_of(const struct loop_rows *r, size_t row, const struct loop_guess *g)
{
	const uint64_t *cells = loop_row(r, row);
	uint64_t sum = 0;
	for (unsigned i = 0; i < g->count; i++) {
		uint64_t x = cell(r, cells, g->terms[i].symbol, g->is_signed);
		if (g->terms[i].by != CODE_NONE)
			x *= cell(r, cells, g->terms[i].by, g->is_signed);
		sum += (uint64_t)g->terms[i].coef * x;
	}
	return cut(sum, g->width);
}

static int is_in_phase(const struct loop_rows *r, size_t row, const struct loop_guess *g)
{
	return !g->period || (loop_row(r, row)[r->counter] & 1) == g->phase;
}

int loop_guess_holds(const struct loop_rows *r, size_t row, const struct loop_guess *g)
{
	return !is_in_phase(r, row, g) || cut(sum_of(r, row, g) - g->low, g->width) <= g->range;
}

/* Sets low and range if all rows are within so much of each other. If not: *same low bits that all
 * of them share. */
static int fits(const struct loop_rows *r, struct loop_guess *g, uint64_t most, unsigned *same)
{
	uint64_t first = 0, differ = 0;
	int64_t least = 0, greatest = 0;
	size_t n = 0;
	int within = 1;
	if (same)
		*same = 0;
	for (size_t row = 0; row < r->rows; row++) {
		if (!is_in_phase(r, row, g))
			continue;
		uint64_t sum = sum_of(r, row, g);
		if (!n++)
			first = sum;
		int64_t d = sign(cut(sum - first, g->width), g->width);
		differ |= sum ^ first;
		least = d < least ? d : least;
		greatest = d > greatest ? d : greatest;
		within &= (uint64_t)greatest - (uint64_t)least <= most;
		if (!within && (!same || differ & 1))
			return 0;
	}
	if (n < 4)
		return 0;
	g->low = cut(first + (uint64_t)least, g->width);
	g->range = (uint64_t)(greatest - least);
	if (!within)
		*same = (unsigned)__builtin_ctzll(differ);
	return within;
}

static void product(struct loop_guess *g, uint32_t symbol, uint32_t by, int64_t coef)
{
	if (!coef)
		return;
	for (unsigned i = 0; i < g->count; i++)
		if (g->terms[i].symbol == symbol && g->terms[i].by == by) {
			g->terms[i].coef += coef;
			if (!g->terms[i].coef)
				g->terms[i] = g->terms[--g->count];
			return;
		}
	if (g->count < GUESS_TERMS) {
		g->terms[g->count].symbol = symbol;
		g->terms[g->count].by = by;
		g->terms[g->count++].coef = coef;
	}
}

static void term(struct loop_guess *g, uint32_t symbol, int64_t coef)
{
	product(g, symbol, CODE_NONE, coef);
}

/* coef times how far the symbol went since the loop was entered. */
static void add_distance(const struct finder *f, struct loop_guess *g, uint32_t symbol, int64_t coef)
{
	uint32_t start = f->r->symbols.data[symbol].start;
	term(g, symbol, coef);
	if (start != CODE_NONE)
		term(g, start, -coef);
}

static int is_same(const struct loop_guess *a, const struct loop_guess *b)
{
	if (a->count != b->count || a->width != b->width || a->is_signed != b->is_signed ||
	    a->period != b->period || a->phase != b->phase || a->low != b->low ||
	    a->range != b->range)
		return 0;
	for (unsigned i = 0; i < a->count; i++)
		if (a->terms[i].symbol != b->terms[i].symbol || a->terms[i].by != b->terms[i].by ||
		    a->terms[i].coef != b->terms[i].coef)
			return 0;
	return 1;
}

static void push(struct finder *f, const struct loop_guess *g)
{
	if (f->out->size >= MOST || !g->count ||
	    g->range >= (g->width >= 64 ? UINT64_MAX : (1ull << g->width) - 1))
		return;
	for (size_t i = 0; i < f->out->size; i++)
		if (is_same(&f->out->data[i], g))
			return;
	vec_push(f->out, *g);
	vec_last(f->out).candidate = 1;
	vec_last(f->out).proved = 0;
}

/* low bits that are the same in all rows, as a guess */
static void push_same(struct finder *f, struct loop_guess g, unsigned bits)
{
	g.width = (uint8_t)bits;
	if (fits(f->r, &g, 0, NULL))
		push(f, &g);
}

static unsigned width_of(const struct finder *f, uint32_t symbol)
{
	return f->r->symbols.data[symbol].width;
}

/* The relation in more bits, in either reading. */
static size_t push_wider(struct finder *f, struct loop_guess g)
{
	uint64_t range = g.range;
	size_t before = f->out->size;
	for (unsigned i = 0; i < g.count; i++)
		if (width_of(f, g.terms[i].symbol) > 32 &&
		    f->r->symbols.data[g.terms[i].symbol].kind == LOOP_VALUE)
			return 0;
	g.width = MORE_BITS;
	for (g.is_signed = 0; g.is_signed < 2; g.is_signed++)
		if (fits(f->r, &g, range, NULL))
			push(f, &g);
	return f->out->size - before;
}

/* ---------------------------------------------------------------- one variable */

static void guess_range(struct finder *f, uint32_t x)
{
	struct loop_guess g = {.width = (uint8_t)width_of(f, x)};
	unsigned same;
	term(&g, x, 1);
	f->wide[x] = !fits(f->r, &g, SPREAD, NULL);
	if (f->r->symbols.data[x].kind != LOOP_VALUE)
		return;
	if (fits(f->r, &g, SINGLE_RANGE, &same))
		push(f, &g);
	else if (same)
		push_same(f, g, same);
}

/* How x changes from this row to the next, and which edges were taken. */
static uint64_t step_of(const struct finder *f, size_t row, uint32_t x, unsigned *taken)
{
	const struct loop_rows *r = f->r;
	const uint64_t *a = loop_row(r, row), *b = loop_row(r, row + 1);
	*taken = 0;
	for (size_t i = r->counter + 1; i < r->symbols.size; i++)
		*taken |= (unsigned)(a[i] != b[i]) << (i - r->counter - 1);
	return b[x] - a[x];
}

/* factors[0] is A, factors[1 + k] belongs to the k-th edge: found one at a time, from a row in
 * which all else is known. */
static unsigned solve_steps(const struct finder *f, uint32_t x, uint64_t *factors, unsigned edges)
{
	unsigned known = 0, taken, some = 1;
	factors[0] = 0;
	for (size_t row = 0; row + 1 < f->r->rows; row++)
		if (!f->starts.data[row + 1]) {
			uint64_t step = step_of(f, row, x, &taken);
			if (!taken) {
				factors[0] = step;
				break;
			}
		}
	while (some) {
		some = 0;
		for (size_t row = 0; row + 1 < f->r->rows; row++) {
			uint64_t step = step_of(f, row, x, &taken);
			unsigned open = taken & ~known;
			if (f->starts.data[row + 1] || !open || open & (open - 1))
				continue;
			for (unsigned k = 0; k < edges; k++)
				if (taken & known & 1u << k)
					step -= factors[1 + k];
			factors[1 + __builtin_ctz(open)] = step - factors[0];
			known |= open;
			some = 1;
		}
	}
	return known;
}

static int guess_increment(struct finder *f, uint32_t x, int with_edges)
{
	const struct loop_rows *r = f->r;
	unsigned w = width_of(f, x),
		 edges = with_edges ? (unsigned)(r->symbols.size - r->counter - 1) : 0;
	struct loop_guess g = {.width = (uint8_t)w};
	uint64_t factors[8] = {0};
	unsigned taken;
	add_distance(f, &g, x, 1);
	if (edges) {
		solve_steps(f, x, factors, edges);
	} else {
		size_t row = 0;
		while (row + 2 < r->rows && f->starts.data[row + 1])
			row++;
		factors[0] = step_of(f, row, x, &taken);
	}
	term(&g, (uint32_t)r->counter, -sign(cut(factors[0], w), w));
	for (unsigned k = 0; k < edges; k++)
		term(&g, (uint32_t)r->counter + 1 + k, -sign(cut(factors[1 + k], w), w));
	if (!fits(r, &g, 0, NULL))
		return 0;
	push(f, &g);
	return 1;
}

/* Every second round: by an increment of two rounds, or equal to what came in. */
static void guess_turns(struct finder *f, uint32_t x)
{
	const struct loop_rows *r = f->r;
	unsigned w = width_of(f, x), unused;
	size_t row = 0;
	while (row + 3 < r->rows && (f->starts.data[row + 1] || f->starts.data[row + 2]))
		row++;
	if (row + 3 >= r->rows)
		return;
	uint64_t two = step_of(f, row, x, &unused) + step_of(f, row + 1, x, &unused);
	for (unsigned phase = 0; phase < 2; phase++) {
		struct loop_guess g = {.width = (uint8_t)w, .period = 2, .phase = (uint8_t)phase};
		add_distance(f, &g, x, 1);
		term(&g, (uint32_t)r->counter, -(sign(cut(two, w), w) / 2));
		if (two % 2 == 0 && fits(r, &g, 0, NULL))
			push(f, &g);
		for (uint32_t from = 0; from < r->symbols.size; from++) {
			g.count = 0;
			term(&g, x, 1);
			term(&g, from, -1);
			if (!r->symbols.data[from].varies && width_of(f, from) == w &&
			    fits(r, &g, 0, NULL))
				push(f, &g);
		}
	}
}

/* ---------------------------------------------------------------- several */

static int64_t common(int64_t a, int64_t b)
{
	while (b) {
		int64_t t = a % b;
		a = b;
		b = t;
	}
	return a < 0 ? -a : a;
}

static int guess_pair_with(struct finder *f, uint32_t x, uint32_t y, int64_t p, int64_t q)
{
	unsigned w = width_of(f, x) < width_of(f, y) ? width_of(f, x) : width_of(f, y), same = 0;
	struct loop_guess g = {.width = (uint8_t)w};
	add_distance(f, &g, x, p);
	add_distance(f, &g, y, q);
	if (fits(f->r, &g, PAIR_RANGE, &same)) {
		if (!f->wide[x] || !f->wide[y])
			return 0;
		push(f, &g);
		return 1;
	}
	if (same && same < w && p == 1 && q == -1)
		push_same(f, g, same);
	return 0;
}

static int guess_pair(struct finder *f, uint32_t x, uint32_t y)
{
	int found = 0;
	for (int64_t size = 1; size <= PAIR_FACTOR && found < 2; size++)
		for (int64_t p = 1; p <= size && found < 2; p++)
			for (int64_t q = 1; q <= size && found < 2; q++) {
				if ((p != size && q != size) || common(p, q) != 1)
					continue;
				found += guess_pair_with(f, x, y, p, -q);
				found += guess_pair_with(f, x, y, p, q);
			}
	return found;
}

static void guess_triple(struct finder *f, uint32_t x, uint32_t y, uint32_t z)
{
	unsigned w = width_of(f, x);
	w = width_of(f, y) < w ? width_of(f, y) : w;
	w = width_of(f, z) < w ? width_of(f, z) : w;
	for (int64_t p = 1; p <= 2; p++)
		for (int64_t q = -TRIPLE_FACTOR; q <= TRIPLE_FACTOR; q++)
			for (int64_t s = -TRIPLE_FACTOR; s <= TRIPLE_FACTOR; s++) {
				struct loop_guess g = {.width = (uint8_t)w};
				if (!q || !s || common(common(p, q), s) != 1)
					continue;
				add_distance(f, &g, x, p);
				add_distance(f, &g, y, q);
				add_distance(f, &g, z, s);
				if (!fits(f->r, &g, TRIPLE_RANGE, NULL))
					continue;
				push(f, &g);
				return;
			}
}

/* ---------------------------------------------------------------- products and orders */

/* The n-th row that is followed by another of its run and in which z differs from what it is in row `than` (CODE_NONE: any). */
static size_t row_with(const struct finder *f, uint32_t z, size_t than)
{
	size_t row = 0;
	while (row + 1 < f->r->rows && (f->starts.data[row + 1] || (than != SIZE_MAX && loop_row(f->r, row)[z] == loop_row(f->r, than)[z])))
		row++;
	return row + 1 < f->r->rows ? row : SIZE_MAX;
}

/* The same without a wrap, which is not so for all inputs: a place to look at first, since runs that wrap are long. */
static void push_hint(struct finder *f, struct loop_guess g)
{
	size_t before = f->out->size;
	g.width = MORE_BITS;
	if (fits(f->r, &g, 0, NULL))
		push(f, &g);
	if (f->out->size > before)
		vec_last(f->out).candidate = 0;
}

/* Each round adds A * z + B, by two rounds of runs with another z. */
static int guess_product(struct finder *f, uint32_t x, uint32_t z, int is_signed)
{
	const struct loop_rows *r = f->r;
	struct loop_guess g = {.width = (uint8_t)width_of(f, x), .is_signed = (uint8_t)is_signed};
	size_t first = row_with(f, z, SIZE_MAX), other = first == SIZE_MAX ? first : row_with(f, z, first);
	unsigned unused;
	if (other == SIZE_MAX)
		return 0;
	uint64_t at = cell(r, loop_row(r, first), z, is_signed), then = cell(r, loop_row(r, other), z, is_signed);
	uint64_t step = step_of(f, first, x, &unused);
	int64_t d = sign(cut(step_of(f, other, x, &unused) - step, g.width), g.width), by = sign(cut(then - at, g.width), g.width);
	int64_t a = by ? d / by : 0;
	if (!a || a * by != d || a > PRODUCT_FACTOR || a < -PRODUCT_FACTOR)
		return 0;
	int64_t b = sign(cut(step - (uint64_t)a * at, g.width), g.width);
	add_distance(f, &g, x, 1);
	product(&g, (uint32_t)r->counter, z, -a);
	term(&g, (uint32_t)r->counter, -b);
	if (!fits(r, &g, 0, NULL))
		return 0;
	push(f, &g);
	push_hint(f, g);
	return 1;
}

/* On one side of what came in, at all visits: a difference in more bits that is never negative. */
static void guess_order(struct finder *f, uint32_t x, uint32_t z)
{
	unsigned w = width_of(f, x);
	uint64_t most = cut(UINT64_MAX, w);
	for (int above = 0; above < 2; above++)
		for (unsigned is_signed = 0; is_signed < 2; is_signed++) {
			struct loop_guess g = {.width = (uint8_t)(w + 1), .is_signed = (uint8_t)is_signed, .range = most};
			int holds = 1;
			term(&g, x, above ? 1 : -1);
			term(&g, z, above ? -1 : 1);
			for (size_t row = 0; row < f->r->rows && holds; row++)
				holds = loop_guess_holds(f->r, row, &g);
			if (holds)
				push(f, &g);
		}
}

/* With what comes from outside. */
static void guess_with_outside(struct finder *f, uint32_t x)
{
	const struct loop_rows *r = f->r;
	for (uint32_t z = 0; z < r->symbols.size; z++) {
		const struct loop_symbol *s = &r->symbols.data[z];
		if (s->varies || s->kind != LOOP_VALUE || z == r->symbols.data[x].start)
			continue;
		if (!f->linear[x] && s->width <= width_of(f, x) && !guess_product(f, x, z, 0) && s->width < width_of(f, x))
			guess_product(f, x, z, 1);
		if (f->linear[x] && s->width <= width_of(f, x) && width_of(f, x) < 64)
			guess_order(f, x, z);
	}
}

/* Between symbols that no increments explain, the counter and edges taken: all others are sums of
 * these. */
static void guess_relations(struct finder *f)
{
	const struct loop_rows *r = f->r;
	VEC(uint32_t) base = {0};
	for (uint32_t x = 0; x < r->symbols.size; x++)
		if (r->symbols.data[x].varies &&
		    (r->symbols.data[x].kind != LOOP_VALUE || !f->linear[x]))
			vec_push(&base, x);
	size_t n = base.size;
	uint8_t *paired = mem_zalloc(n * n + 1);
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			paired[i * n + k] =
			    (uint8_t)(guess_pair(f, base.data[i], base.data[k]) != 0);
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			for (size_t m = k + 1; m < n; m++)
				if (f->wide[base.data[i]] && f->wide[base.data[k]] &&
				    f->wide[base.data[m]] && !paired[i * n + k] &&
				    !paired[i * n + m] && !paired[k * n + m])
					guess_triple(f, base.data[i], base.data[k], base.data[m]);
	free(paired);
	vec_release(&base);
}

void loop_guess_from(const struct loop_rows *r, loop_guess_list *out)
{
	struct finder f = {.r = r, .out = out};
	size_t n = r->symbols.size;
	if (r->rows < FEWEST)
		return;
	f.linear = mem_zalloc(n);
	f.wide = mem_zalloc(n);
	vec_reserve(&f.starts, r->rows + 1);
	f.starts.size = r->rows + 1;
	memset(f.starts.data, 0, f.starts.size);
	for (size_t i = 0; i < r->runs.size; i++)
		f.starts.data[r->runs.data[i]] = 1;
	for (uint32_t x = 0; x < n; x++) {
		if (!r->symbols.data[x].varies)
			continue;
		guess_range(&f, x);
		if (x == r->counter || r->symbols.data[x].kind == LOOP_TAKEN)
			continue;
		f.linear[x] = (uint8_t)(guess_increment(&f, x, 0) || guess_increment(&f, x, 1));
		if (!f.linear[x])
			guess_turns(&f, x);
		guess_with_outside(&f, x);
	}
	guess_relations(&f);
	vec_release(&f.starts);
	free(f.linear);
	free(f.wide);
}

size_t loop_guess_widen(const struct loop_rows *r, loop_guess_list *list)
{
	struct finder f = {.r = r, .out = list};
	size_t n = list->size, failed = 0;
	for (size_t i = 0; i < n; i++)
		failed += !list->data[i].proved && list->data[i].count > 1;
	for (size_t i = 0; i < n && failed; i++) {
		struct loop_guess g = list->data[i];
		list->data[i].candidate = !g.proved;
		if (g.count > 1 && g.width < MORE_BITS && g.width >= 8 && !g.period)
			push_wider(&f, g);
	}
	return failed;
}

/* ---------------------------------------------------------------- as terms, as text */

static expr_t resized(struct exprs *p, expr_t e, unsigned width, int is_signed)
{
	unsigned w = expr_width(p, e);
	if (w > width)
		return expr_extract(p, e, 0, width);
	if (w == width)
		return e;
	return is_signed ? expr_sext(p, e, width) : expr_zext(p, e, width);
}

expr_t loop_guess_sum(struct exprs *p, const struct loop_rows *r, const struct loop_guess *g,
		      expr_t (*symbol)(void *ctx, const struct loop_symbol *s), void *ctx)
{
	expr_t sum = expr_const(p, g->width, 0);
	for (unsigned i = 0; i < g->count; i++) {
		expr_t e = resized(p, symbol(ctx, &r->symbols.data[g->terms[i].symbol]), g->width,
				   g->is_signed);
		if (g->terms[i].by != CODE_NONE)
			e = expr_binary(p, MUSTER_OP_MUL, e, resized(p, symbol(ctx, &r->symbols.data[g->terms[i].by]), g->width, g->is_signed));
		expr_t c = expr_const(p, g->width, op_mask((u128)(s128)g->terms[i].coef, g->width));
		sum = expr_binary(p, MUSTER_OP_ADD, sum, expr_binary(p, MUSTER_OP_MUL, e, c));
	}
	return loop_sum(p, sum);
}

/* An order (guess_order), as the comparison that it is: a solver has less to do than with a difference. */
static int is_order(const struct loop_rows *r, const struct loop_guess *g)
{
	unsigned w = g->width - 1u;
	return g->count == 2 && !g->low && g->range == cut(UINT64_MAX, w) && w < 64 && g->terms[0].coef == -g->terms[1].coef && (g->terms[0].coef == 1 || g->terms[0].coef == -1) &&
	       g->terms[0].by == CODE_NONE && g->terms[1].by == CODE_NONE && r->symbols.data[g->terms[0].symbol].width == w && r->symbols.data[g->terms[1].symbol].width <= w;
}

static expr_t order_term(struct exprs *p, const struct loop_rows *r, const struct loop_guess *g, expr_t (*symbol)(void *ctx, const struct loop_symbol *s), void *ctx)
{
	expr_t x = symbol(ctx, &r->symbols.data[g->terms[0].symbol]), z = resized(p, symbol(ctx, &r->symbols.data[g->terms[1].symbol]), g->width - 1u, g->is_signed);
	int below = g->terms[0].coef == -1;
	return expr_binary(p, g->is_signed ? MUSTER_OP_SLE : MUSTER_OP_ULE, below ? x : z, below ? z : x);
}

expr_t loop_guess_term(struct exprs *p, const struct loop_rows *r, const struct loop_guess *g,
		       expr_t (*symbol)(void *ctx, const struct loop_symbol *s), void *ctx)
{
	if (is_order(r, g) && !g->period)
		return order_term(p, r, g, symbol, ctx);
	expr_t low = expr_const(p, g->width, g->low);
	expr_t sum = loop_guess_sum(p, r, g, symbol, ctx);
	expr_t holds = g->range
			   ? expr_binary(p, MUSTER_OP_ULE, expr_binary(p, MUSTER_OP_SUB, sum, low),
					 expr_const(p, g->width, g->range))
			   : expr_eq(p, sum, low);
	if (g->period) {
		expr_t count = symbol(ctx, &r->symbols.data[r->counter]);
		expr_t other = expr_not(
		    p, expr_eq(p, expr_extract(p, count, 0, 1), expr_const(p, 1, g->phase)));
		holds = expr_or(p, other, holds);
	}
	return holds;
}

void loop_guess_print(struct buf *out, const struct loop_rows *r, const struct loop_guess *g)
{
	if (g->period)
		buf_addf(out, "c%u %% 2 == %u: ", r->loop, g->phase);
	for (unsigned i = 0; i < g->count; i++) {
		const struct loop_symbol *s = &r->symbols.data[g->terms[i].symbol];
		int64_t c = g->terms[i].coef;
		buf_addf(out, "%s", c < 0 ? (i ? " - " : "-") : i ? " + " : "");
		if (c != 1 && c != -1)
			buf_addf(out, "%" PRIu64 "*", c < 0 ? -(uint64_t)c : (uint64_t)c);
		buf_addf(out, "%c%u", "vct"[s->kind], s -> id);
		if (g->terms[i].by != CODE_NONE)
			buf_addf(out, "*%c%u", "vct"[r->symbols.data[g->terms[i].by].kind], r->symbols.data[g->terms[i].by].id);
	}
	buf_addf(out, " in [%" PRId64 ", %" PRId64 "] mod 2^%u%s", sign(g->low, g->width),
		 sign(g->low, g->width) + (int64_t)g->range, g->width,
		 g->is_signed ? " signed" : "");
}

/* ---------------------------------------------------------------- all of a nest */

void loop_guesses_make(struct loop_guesses *g, const struct code_function *f, uint32_t loop,
		       const struct loop_guess_options *o)
{
	struct solve_options so = {
	    .conflicts = 1000, .search_steps = 200, .no_z3 = 1, .no_cache = 1, .no_optimistic = 1};
	double until = o->seconds > 0 ? clock_processor() + o->seconds : 0;
	memset(g, 0, sizeof *g);
	loop_runs_make(&g->runs, f, loop, &o->run);
	struct solver *solver = solver_new(&so);
	/* Inner loops come after outer ones: from the last on, each has those inside it done. */
	for (size_t i = 0; i < g->runs.loops.size; i++)
		vec_push(&g->loops, (struct loop_guessed){.rows = &g->runs.loops.data[i]});
	for (size_t i = g->loops.size; i-- > 0;) {
		struct loop_guessed *l = &g->loops.data[i];
		loop_guess_from(l->rows, &l->list);
		loop_prove(f, l, l + 1, g->loops.size - i - 1, solver, until);
		if (loop_guess_widen(l->rows, &l->list))
			loop_prove(f, l, l + 1, g->loops.size - i - 1, solver, until);
	}
	solver_free(solver);
}

void loop_guesses_release(struct loop_guesses *g)
{
	for (size_t i = 0; i < g->loops.size; i++)
		vec_release(&g->loops.data[i].list);
	vec_release(&g->loops);
	loop_runs_release(&g->runs);
}
