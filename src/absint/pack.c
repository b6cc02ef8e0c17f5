/* pack.c: which symbols are looked at together.
 *
 * The relations that matter are made by loops: what a header's phi is at first and how it changes,
 * the counters of the loops around it, and what conditions compare it with. A *group* is such a set
 * of symbols, found through the shapes of phis, stores and comparisons. If all symbols fit into one
 * pack there is one. Else groups of one nest of loops are put together while they fit; then
 * comparisons of symbols that no pack has together get a pack of their own.
 *
 * Thresholds of widening are the facts that comparisons state, their opposites and their
 * neighbours, and how a phi compares with its first value. A case split pays where a loop's
 * condition, put in terms of the inputs by the first values of its phis, is not a constant: the
 * loop is entered, or not.
 */
#include "absint/pack.h"
#include "absint/callee.h"
#include "absint/inside.h"

#include "base/error.h"

#include <string.h>

#define PACKS_MOST 48
#define THRESHOLDS_MOST 48
#define SPLITS_MOST 2
#define SPLITS_ALL 3

typedef VEC(uint32_t) set;

static int has(const set *s, uint32_t v)
{
	for (size_t i = 0; i < s->size; i++)
		if (s->data[i] == v)
			return 1;
	return 0;
}

static void include(set *s, uint32_t v)
{
	if (v != NONE && !has(s, v))
		vec_push(s, v);
}

static void include_shape(struct absint *a, set *s, uint32_t value)
{
	struct linear e;
	if (!form_own(a, NULL, value, &e))
		return;
	for (size_t i = 0; i < e.terms.size; i++)
		include(s, e.terms.data[i].dim);
	linear_release(&e);
}

static void add_pack(struct absint *a, const set *s)
{
	struct pack p = {0};
	if (!s->size || a->packs.size >= PACKS_MOST)
		return;
	for (size_t i = 0; i < s->size; i++) {
		vec_push(&p.symbols, s->data[i]);
		vec_push(&a->symbols.data[s->data[i]].places,
			 (struct place){(uint32_t)a->packs.size, (uint32_t)i});
	}
	vec_push(&a->packs, p);
}

static void extend_pack(struct absint *a, uint32_t pack, uint32_t symbol)
{
	struct pack *p = &a->packs.data[pack];
	vec_push(&a->symbols.data[symbol].places, (struct place){pack, (uint32_t)p->symbols.size});
	vec_push(&p->symbols, symbol);
}

/* ------------------------------------------------------------------- groups */
/* What a call that may change the symbol relates it with. */
static void include_call(struct absint *a, set *s, uint32_t call, uint32_t symbol)
{
	struct linear e;
	if (!callee_known(a, call) || !callee_shape(a, call, &e))
		return;
	for (size_t i = 0; i < e.terms.size && linear_coef(&e, symbol); i++)
		include(s, e.terms.data[i].dim);
	linear_release(&e);
}

/* Symbols that a symbol's value is made of, one step back: operands of a phi, a selection, a
 * division; stores to a cell. */
static void include_sources(struct absint *a, set *s, uint32_t symbol)
{
	const struct absint_symbol *y = &a->symbols.data[symbol].means;
	const struct code_function *f = a->f;
	if (y->kind == ABSINT_VALUE && f->values[y->id].kind == CODE_INSTRUCTION &&
	    !a->symbols.data[symbol].input) {
		const struct code_value *v = &f->values[y->id];
		if (v->op == CODE_LOAD && v->cell != CODE_NONE)
			include(s, a->cell_symbol[v->cell]);
		else if ((v->op != CODE_CALL || callee_known(a, y->id)) && v->op != CODE_LOAD)
			for (uint32_t k = 0; k < v->operands; k++)
				include_shape(a, s, code_operand(f, y->id, k));
	} else if (y->kind == ABSINT_CELL) {
		include(s, a->old_symbol[y->id]);
		for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions;
		     v++)
			if (f->values[v].op == CODE_STORE && f->values[v].cell == y->id)
				include_shape(a, s, code_operand(f, v, 0));
			else if (f->values[v].op == CODE_LOAD && f->values[v].cell == y->id)
				include(s, a->value_symbol[v]);
			else if (f->values[v].op == CODE_CALL)
				include_call(a, s, v, symbol);
	}
}

static int made_in(const struct absint *a, uint32_t symbol, uint32_t loop)
{
	const struct absint_symbol *y = &a->symbols.data[symbol].means;
	return (y->kind == ABSINT_VALUE && !a->symbols.data[symbol].input &&
		a->f->values[y->id].kind == CODE_INSTRUCTION &&
		code_in_loop(a->f, loop, a->f->values[y->id].block)) ||
	       y->kind == ABSINT_CELL;
}

/* Everything inside the loop that the symbol is made of, and what that starts from. */
static void close_group(struct absint *a, set *s, uint32_t loop, size_t most)
{
	for (size_t i = 0; i < s->size && s->size < most; i++)
		if (made_in(a, s->data[i], loop))
			include_sources(a, s, s->data[i]);
}

/* Symbols that an instruction brings together: those of a comparison, or of a call with a summary. */
static int relates(struct absint *a, uint32_t v, struct linear *e)
{
	return a->f->values[v].width == 1 ? condition_shape(a, v, e) : callee_shape(a, v, e);
}

/* Comparisons and calls anywhere that name one of the group's symbols bring in the others. */
static void include_compared(struct absint *a, set *s, size_t most)
{
	const struct code_function *f = a->f;
	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++) {
		struct linear e;
		if (!relates(a, v, &e))
			continue;
		size_t in = 0;
		for (size_t i = 0; i < e.terms.size; i++)
			in += (size_t)has(s, e.terms.data[i].dim);
		if (in && s->size + e.terms.size - in <= most)
			for (size_t i = 0; i < e.terms.size; i++)
				include(s, e.terms.data[i].dim);
		linear_release(&e);
	}
}

static size_t together(const set *s, const set *more)
{
	size_t n = s->size;
	for (size_t i = 0; i < more->size; i++)
		n += (size_t)!has(s, more->data[i]);
	return n;
}

/* What one header phi (or cell) of a loop needs: counters from the loop outwards come first. */
static void group(struct absint *a, set *g, uint32_t loop, uint32_t symbol, size_t most)
{
	include(g, symbol);
	for (uint32_t l = loop; l != CODE_NONE; l = a->f->loops[l].parent)
		if (a->f->loops[loop].depth - a->f->loops[l].depth < 2)
			include(g, a->counter[l]);
	include(g, a->total[loop]);
	close_group(a, g, loop, most);
	if (g->size > most)
		g->size = most;
}

static void pack_loop(struct absint *a, uint32_t loop, set *open, size_t most)
{
	const struct code_function *f = a->f;
	const struct code_block *b = &f->blocks[f->loops[loop].header];
	set roots = {0};
	for (uint32_t v = b->first; v < b->first + b->count && f->values[v].op == CODE_PHI; v++)
		include(&roots, a->value_symbol[v]);
	for (size_t i = 0; i < a->cells.size; i++)
		include(&roots, a->cell_symbol[a->cells.data[i]]);
	for (size_t i = 0; i < roots.size; i++) {
		set g = {0};
		if (has(open, roots.data[i])) {
			vec_release(&g);
			continue;
		}
		group(a, &g, loop, roots.data[i], most);
		if (together(open, &g) > most) {
			include_compared(a, open, most);
			add_pack(a, open);
			vec_clear(open);
		}
		for (size_t k = 0; k < g.size; k++)
			include(open, g.data[k]);
		vec_release(&g);
	}
	vec_release(&roots);
}

static int in_one_pack(const struct absint *a, const struct linear *e, uint32_t *some)
{
	*some = NONE;
	for (size_t p = 0; p < a->packs.size; p++) {
		struct linear mapped;
		int whole = state_map(a, (uint32_t)p, e, &mapped, NULL);
		if (mapped.terms.size && *some == NONE)
			*some = (uint32_t)p;
		linear_release(&mapped);
		if (whole)
			return 1;
	}
	return 0;
}

/* Comparisons whose symbols are not together yet. */
static void pack_comparisons(struct absint *a, size_t most)
{
	const struct code_function *f = a->f;
	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++) {
		struct linear e;
		uint32_t p;
		if (!a->region[f->values[v].block] || !relates(a, v, &e))
			continue;
		if (!in_one_pack(a, &e, &p)) {
			set s = {0};
			for (size_t i = 0; i < e.terms.size; i++)
				include(&s, e.terms.data[i].dim);
			for (size_t i = 0; p != NONE && i < a->packs.data[p].symbols.size; i++)
				if (has(&s, a->packs.data[p].symbols.data[i])) {
					/* Only what is missing there counts. */
					for (size_t k = 0; k < s.size; k++)
						if (s.data[k] == a->packs.data[p].symbols.data[i])
							s.data[k--] = vec_pop(&s);
				}
			if (p != NONE && a->packs.data[p].symbols.size + s.size <= most) {
				for (size_t i = 0; i < s.size; i++)
					extend_pack(a, p, s.data[i]);
			} else {
				vec_clear(&s);
				for (size_t i = 0; i < e.terms.size; i++)
					include(&s, e.terms.data[i].dim);
				add_pack(a, &s);
			}
			vec_release(&s);
		}
		linear_release(&e);
	}
}

static void make_packs(struct absint *a, size_t most)
{
	set open = {0};
	if (a->symbols.size <= most + most / 2) {
		for (uint32_t i = 0; i < a->symbols.size; i++)
			include(&open, i);
		add_pack(a, &open);
		vec_release(&open);
		return;
	}
	for (uint32_t l = 0; l < a->f->loop_count; l++) {
		if (a->counter[l] == NONE)
			continue;
		if (a->f->loops[l].parent == CODE_NONE) {
			include_compared(a, &open, most);
			add_pack(a, &open);
			vec_clear(&open);
		}
		include(&open, a->counter[l]);
		include(&open, a->total[l]);
		pack_loop(a, l, &open, most);
	}
	include_compared(a, &open, most);
	add_pack(a, &open);
	vec_release(&open);
	pack_comparisons(a, most);
}

/* --------------------------------------------------------------- thresholds */
static void threshold(struct absint *a, uint32_t pack, const struct linear *e, wide factor,
		      wide more)
{
	struct pack *p = &a->packs.data[pack];
	struct linear mapped, add = linear_constant(more);
	if (!state_map(a, pack, e, &mapped, NULL) || p->thresholds.size >= THRESHOLDS_MOST) {
		linear_release(&mapped);
		return;
	}
	linear_scale(&mapped, factor);
	linear_add(&mapped, &add, 1);
	mapped.kind = LINEAR_GE;
	linear_normalise(&mapped);
	int known = mapped.overflow || !mapped.terms.size;
	for (size_t i = 0; i < p->thresholds.size && !known; i++)
		known = linear_equal(&p->thresholds.data[i], &mapped);
	if (known)
		linear_release(&mapped);
	else
		vec_push(&p->thresholds, mapped);
}

static void thresholds_of(struct absint *a, const struct linear *e)
{
	for (uint32_t p = 0; p < a->packs.size; p++) {
		threshold(a, p, e, 1, 0);
		threshold(a, p, e, 1, 1);
		threshold(a, p, e, -1, 0);
		threshold(a, p, e, -1, -1);
	}
}

static void make_thresholds(struct absint *a)
{
	const struct code_function *f = a->f;
	struct linear e, first;
	for (uint32_t l = 0; l < f->loop_count; l++) {
		const struct code_block *b = &f->blocks[f->loops[l].header];
		for (uint32_t v = b->first; v < b->first + b->count && f->values[v].op == CODE_PHI;
		     v++)
			for (uint32_t k = 0; k < b->preds && a->value_symbol[v] != NONE; k++) {
				uint32_t edge = f->preds[b->first_pred + k];
				if (code_in_loop(f, l, f->edges[edge].from) ||
				    !form(a, NULL, code_operand(f, v, k), a->is_signed[v], &first))
					continue;
				e = linear_dim(a->value_symbol[v]);
				linear_add(&e, &first, -1);
				thresholds_of(a, &e);
				linear_release(&e);
				linear_release(&first);
			}
	}
	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++)
		if (f->values[v].width == 1 && a->region[f->values[v].block] &&
		    condition_shape(a, v, &e)) {
			thresholds_of(a, &e);
			linear_release(&e);
		}
}

/* ------------------------------------------------------------------- splits */
/* Values that have symbols because they may wrap are looked through. */
static void look_through(struct absint *a, struct linear *e)
{
	for (size_t i = 0; i < e->terms.size;) {
		uint32_t symbol = e->terms.data[i].dim;
		const struct symbol *y = &a->symbols.data[symbol];
		struct linear by;
		if (y->means.kind == ABSINT_VALUE && !y->input && form_linear(a, y->means.id) &&
		    form_operator(a, NULL, y->means.id, &by)) {
			linear_substitute(e, symbol, &by);
			linear_release(&by);
			i = 0;
		} else {
			i++;
		}
	}
}

/* Puts the first values of the loop's phis in their places. 0: the result is not over inputs alone.
 */
static int at_first(struct absint *a, uint32_t loop, struct linear *e)
{
	const struct code_function *f = a->f;
	const struct code_block *b = &f->blocks[f->loops[loop].header];
	uint32_t entry = NONE;
	look_through(a, e);
	for (uint32_t k = 0; k < b->preds; k++)
		if (!code_in_loop(f, loop, f->edges[f->preds[b->first_pred + k]].from)) {
			if (entry != NONE)
				return 0;
			entry = k;
		}
	for (uint32_t v = b->first; v < b->first + b->count && f->values[v].op == CODE_PHI; v++) {
		struct linear first;
		if (a->value_symbol[v] == NONE || !linear_coef(e, a->value_symbol[v]))
			continue;
		if (entry == NONE ||
		    !form(a, NULL, code_operand(f, v, entry), a->is_signed[v], &first))
			return 0;
		linear_substitute(e, a->value_symbol[v], &first);
		linear_release(&first);
	}
	for (size_t i = 0; i < e->terms.size; i++) {
		const struct symbol *y = &a->symbols.data[e->terms.data[i].dim];
		if (y->means.kind == ABSINT_CELL && a->old_symbol[y->means.id] != NONE)
			continue;
		if (!y->input)
			return 0;
	}
	return e->terms.size && !e->overflow;
}

static void add_split(struct absint *a, uint32_t loop, uint32_t condition)
{
	struct linear e;
	if (a->splits.size >= SPLITS_MOST || !condition_shape(a, condition, &e))
		return;
	look_through(a, &e);
	int uses_loop = 0;
	for (size_t i = 0; i < e.terms.size; i++)
		uses_loop |= made_in(a, e.terms.data[i].dim, loop);
	int ok = uses_loop && at_first(a, loop, &e);
	e.kind = LINEAR_GE;
	for (size_t i = 0; i < a->cells.size && ok; i++) {
		struct linear old = linear_dim(a->old_symbol[a->cells.data[i]]);
		linear_substitute(&e, a->cell_symbol[a->cells.data[i]], &old);
		linear_release(&old);
	}
	linear_normalise(&e);
	for (size_t i = 0; i < a->splits.size && ok; i++)
		ok = !linear_equal(&a->splits.data[i], &e);
	if (ok)
		vec_push(&a->splits, e);
	else
		linear_release(&e);
}

/* Conditions of branches in the loop itself, those in the header first. */
static void make_splits(struct absint *a)
{
	const struct code_function *f = a->f;
	if (a->options.no_split || a->packs.size > 4)
		return;
	for (uint32_t l = 0; l < f->loop_count; l++) {
		if (a->counter[l] == NONE)
			continue;
		for (uint32_t i = 0; i < f->loops[l].blocks; i++) {
			uint32_t b = f->loop_blocks[f->loops[l].first_block + i];
			uint32_t last = code_last(f, b);
			int exits = b == f->loops[l].header;
			for (uint32_t k = 0; k < f->blocks[b].edges; k++)
				exits |=
				    !code_in_loop(f, l, f->edges[f->blocks[b].first_edge + k].to);
			if (f->values[last].op != CODE_BRANCH || f->blocks[b].check || !exits)
				continue;
			int negated;
			uint32_t phi = condition_phi(a, b, &negated);
			if (phi == NONE)
				add_split(a, l, code_operand(f, last, 0));
			for (uint32_t k = 0; phi != NONE && k < f->values[phi].operands; k++)
				add_split(a, l, code_operand(f, phi, k));
		}
	}
	callee_splits(a, SPLITS_MOST);
}

static void set_ranges(struct absint *a)
{
	for (size_t p = 0; p < a->packs.size; p++) {
		struct pack *pack = &a->packs.data[p];
		pack->ranges = mem_zalloc((pack->symbols.size + 1) * sizeof *pack->ranges);
		for (size_t i = 0; i < pack->symbols.size; i++) {
			const struct absint_symbol *y =
			    &a->symbols.data[pack->symbols.data[i]].means;
			if (y->width)
				pack->ranges[i] =
				    (struct domain_bounds){1, 1, symbol_min(y), symbol_max(y)};
		}
	}
}

/* Inputs for which something wraps, as an earlier round found. */
static void split_wraps(struct absint *a)
{
	for (size_t i = 0; i < a->wraps.size && a->splits.size < SPLITS_ALL; i++) {
		struct linear l = linear_copy(&a->wraps.data[i]);
		if (a->packs.size == 1)
			vec_push(&a->splits, l);
		else
			linear_release(&l);
	}
}

void pack_make(struct absint *a)
{
	make_packs(a, a->options.pack ? a->options.pack : 10);
	set_ranges(a);
	make_thresholds(a);
	make_splits(a);
	if (!a->options.no_split)
		split_wraps(a);
}

void pack_release(struct absint *a)
{
	for (size_t p = 0; p < a->packs.size; p++) {
		vec_release(&a->packs.data[p].symbols);
		free(a->packs.data[p].ranges);
		linear_list_release(&a->packs.data[p].thresholds);
	}
	vec_release(&a->packs);
	linear_list_release(&a->splits);
}
