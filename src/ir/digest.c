/* digest.c: functions and data by what they say.
 *
 * The digest of a function is a hash over its head and its instructions in normal order (whole.h): shapes, operands, successors. Values of the function go in by their place in
 * that order, symbols by their keys, constants by content, and string literals and the like, whose names are numbers, by content too. So it depends on no name of a value, no
 * debug info, no order of blocks, of declarations or of units; and since everything else is in it, equal digests mean functions that do the same as long as the
 * symbols they name do. A function's own name counts as "itself": one that was only renamed keeps its digest.
 *
 * The digest of data is over its size, alignment, storage and initial value, in the same manner. A unit's is over the digests of all that it defines, sorted.
 */
#include "base/buf.h"
#include "ir/whole_parts.h"

#include <string.h>

static void add_hash(struct buf *b, struct hash128 h)
{
	buf_add64(b, h.a);
	buf_add64(b, h.b);
}

static struct hash128 finish(struct buf *b)
{
	struct hash128 h = hash128(b->data, b->size);

	buf_release(b);
	return h;
}

/* ------------------------------------------------------------------ data */

struct digester {
	struct whole *w;
	struct whole_unit *u;
	uint8_t *done;	/* by symbol of the unit: 1 under way, 2 done */
};

static struct hash128 data_digest(struct digester *d, uint32_t symbol);

/* What the name of a symbol says in a digest. */
static struct hash128 name_digest(struct digester *d, uint32_t symbol)
{
	const struct content_symbol *s = &d->u->content->symbols[symbol];
	struct hash128 tag = {s->binding == CONTENT_LOCAL, s->intrinsic};

	if (s->unnamed)
		return data_digest(d, symbol);
	return hash128_join(tag, hash128_str(d->u->keys[symbol]));
}

static void add_constant(struct digester *d, uint32_t constant, uint32_t self, struct buf *b)
{
	const struct content_constant *c = &d->u->content->constants[constant];

	buf_add64(b, c->hash);
	buf_add32(b, c->refs);
	for (uint32_t k = 0; k < c->refs; k++) {
		uint32_t symbol = d->u->content->refs[c->first + k];

		add_hash(b, symbol == self ? (struct hash128){1, 1} : name_digest(d, symbol));
	}
}

static struct hash128 data_digest(struct digester *d, uint32_t symbol)
{
	const struct content_symbol *s = &d->u->content->symbols[symbol];
	struct buf b = BUF_EMPTY;

	if (d->done[symbol]) /* one that names itself: its place in the chain */
		return d->u->data[symbol];
	d->done[symbol] = 1;
	buf_add64(&b, s->head);
	if (s->initial != CODE_NONE)
		add_constant(d, s->initial, symbol, &b);
	d->u->data[symbol] = finish(&b);
	d->done[symbol] = 2;
	return d->u->data[symbol];
}

/* ------------------------------------------------------------------ the normal order */

/* Its place says nothing: a declaration. */
static int floats(const struct code_function *f, uint32_t value)
{
	return value >= f->first_instruction && value < f->first_instruction + f->instructions && f->values[value].op == CODE_ALLOCA && !f->values[value].operands &&
	       !f->values[value].block;
}

static void place(struct whole_symbol *s, uint32_t value)
{
	uint32_t k = value - s->function->first_instruction;

	if (s->position[k] == CODE_NONE) {
		s->position[k] = s->order_count;
		s->order[s->order_count++] = value;
	}
}

struct incoming {
	uint32_t order, outcome, k;
};

static int by_source(const void *a, const void *b)
{
	const struct incoming *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->outcome < y->outcome ? -1 : x->outcome > y->outcome;
}

/* The predecessors of a block that are reached, in an order that does not depend on how blocks are numbered. The caller frees. */
static struct incoming *sorted_preds(const struct code_function *f, uint32_t block, uint32_t *count)
{
	const struct code_block *b = &f->blocks[block];
	struct incoming *list = mem_alloc((b->preds + 1) * sizeof *list);
	uint32_t n = 0;

	for (uint32_t k = 0; k < b->preds; k++) {
		const struct code_edge *e = code_pred(f, block, k);

		if (f->blocks[e->from].order != CODE_NONE)
			list[n++] = (struct incoming){f->blocks[e->from].order, e->outcome, k};
	}
	qsort(list, n, sizeof *list, by_source);
	*count = n;
	return list;
}

static void place_block(const struct content *t, struct whole_symbol *s, uint32_t block)
{
	const struct code_function *f = s->function;
	const struct code_block *b = &f->blocks[block];
	uint32_t preds;
	struct incoming *list = sorted_preds(f, block, &preds);

	for (uint32_t v = b->first; v < b->first + b->count; v++) {
		const struct content_instruction *i = content_of(t, f, v);
		int phi = f->values[v].op == CODE_PHI;

		if (floats(f, v))
			continue;
		for (uint32_t k = 0; k < (phi ? preds : i->operands); k++) {
			uint32_t operand = content_operand(t, i, phi ? list[k].k : k);

			if (!(operand & CONTENT_KIND) && floats(f, operand))
				place(s, operand);
		}
		place(s, v);
	}
	free(list);
}

static void make_order(struct whole *w, struct whole_symbol *s)
{
	const struct code_function *f = s->function;

	s->order = arena_alloc(&w->inside->arena, (f->instructions + 1) * sizeof *s->order);
	s->position = arena_alloc(&w->inside->arena, (f->instructions + 1) * sizeof *s->position);
	memset(s->position, 0xff, f->instructions * sizeof *s->position);
	for (uint32_t k = 0; k < f->order_count; k++)
		place_block(w->units.data[s->unit].content, s, f->order[k]);
}

/* ------------------------------------------------------------------ functions */

static void add_operand(struct digester *d, const struct whole_symbol *s, uint32_t operand, struct buf *b)
{
	uint32_t number = operand & CONTENT_NUMBER;

	switch (operand & CONTENT_KIND) {
	case CONTENT_SYMBOL:
		buf_addc(b, 'S');
		add_hash(b, number == s->number ? (struct hash128){1, 1} : name_digest(d, number));
		break;
	case CONTENT_CONSTANT:
		buf_addc(b, 'C');
		add_constant(d, number, s->number, b);
		break;
	default:
		buf_addc(b, operand < s->function->parameters ? 'P' : 'V');
		buf_add32(b, operand < s->function->parameters ? operand : s->position[operand - s->function->first_instruction]);
		break;
	}
}

static void add_phi(struct digester *d, const struct whole_symbol *s, const struct content_instruction *i, uint32_t block, struct buf *b)
{
	uint32_t n;
	struct incoming *list = sorted_preds(s->function, block, &n);

	for (uint32_t k = 0; k < n; k++)
		add_operand(d, s, content_operand(d->u->content, i, list[k].k), b);
	free(list);
}

static struct hash128 function_digest(struct digester *d, const struct whole_symbol *s)
{
	const struct code_function *f = s->function;
	struct buf b = BUF_EMPTY;

	buf_add32(&b, CONTENT_VERSION);
	buf_add64(&b, d->u->content->symbols[s->number].head);
	for (uint32_t at = 0; at < s->order_count; at++) {
		uint32_t v = s->order[at], block = f->values[v].block;
		const struct content_instruction *i = content_of(d->u->content, f, v);

		buf_add64(&b, i->shape);
		if (f->values[v].op == CODE_PHI) {
			add_phi(d, s, i, block, &b);
			continue;
		}
		for (uint32_t k = 0; k < i->operands; k++)
			add_operand(d, s, content_operand(d->u->content, i, k), &b);
		if (v != code_last(f, block))
			continue;
		for (uint32_t k = 0; k < f->blocks[block].edges; k++)
			buf_add32(&b, f->blocks[f->edges[f->blocks[block].first_edge + k].to].order);
	}
	return finish(&b);
}

/* ------------------------------------------------------------------ units */

static int by_hash(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct hash128));
}

static struct hash128 unit_digest(struct digester *d)
{
	VEC(struct hash128) list = {0};
	struct buf b = BUF_EMPTY;

	for (uint32_t k = 0; k < d->u->content->symbol_count; k++) {
		const struct content_symbol *c = &d->u->content->symbols[k];
		const struct whole_symbol *s = &d->w->symbols.data[d->u->symbols[k]];
		int here = s->unit != CODE_NONE && &d->w->units.data[s->unit] == d->u && s->number == k;

		if (!here || c->unnamed)
			continue;
		vec_push(&list, hash128_join(hash128_join(name_digest(d, k), (struct hash128){c->binding, c->kind}), s->digest));
	}
	if (list.size)
		qsort(list.data, list.size, sizeof *list.data, by_hash);
	buf_add64(&b, d->u->content->assembly);
	buf_add(&b, list.data, list.size * sizeof *list.data);
	vec_release(&list);
	return finish(&b);
}

/* A digester a unit: what is known of its data is found once. */
void whole_digests(struct whole *w)
{
	struct digester *all = mem_zalloc((w->units.size + 1) * sizeof *all);

	for (size_t i = 0; i < w->units.size; i++) {
		struct whole_unit *u = &w->units.data[i];

		u->data = arena_alloc(&w->inside->arena, (u->content->symbol_count + 1) * sizeof *u->data);
		all[i] = (struct digester){w, u, mem_zalloc(u->content->symbol_count + 1)};
	}
	for (size_t i = 0; i < w->symbols.size; i++) {
		struct whole_symbol *s = &w->symbols.data[i];

		if (s->unit == CODE_NONE)
			continue;
		if (s->function) {
			make_order(w, s);
			s->digest = function_digest(&all[s->unit], s);
		} else if (s->kind != WHOLE_FUNCTION) {
			s->digest = data_digest(&all[s->unit], s->number);
		}
	}
	for (size_t i = 0; i < w->units.size; i++)
		w->units.data[i].digest = unit_digest(&all[i]);
	for (size_t i = 0; i < w->units.size; i++)
		free(all[i].done);
	free(all);
}
