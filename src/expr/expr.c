/* expr.c: the pool: nodes, their hash table, leaves, tables, names, digests.
 *
 * Hash-consing costs what its cache misses cost. A node is therefore looked for
 * first in a few slots near the sum of its operands' ids: terms that are made one after
 * another have neighbouring operands, or one neighbouring and one fixed, so their slots share cache
 * lines. Where these are taken by others the search goes on at places that all fields decide, so that
 * no pattern of sums can make it slow. Nothing is ever deleted, hence a free slot on the way ends a
 * search.
 *
 * Invariant: no two nodes of a pool are equal in all fields, and operands are older than their
 * node.
 */
#include "expr/pool.h"

#include "base/error.h"

#include <string.h>

#define FIRST_SLOTS 1024u
#define NEAR 8u

struct exprs *exprs_new(void)
{
	struct exprs *p = mem_zalloc(sizeof *p);
	p->mask = FIRST_SLOTS - 1;
	p->slots = mem_zalloc(FIRST_SLOTS * sizeof *p->slots);
	p->cap = FIRST_SLOTS / 2;
	p->nodes = mem_alloc(p->cap * sizeof *p->nodes);
	p->nodes[0] = (struct expr_node){0};
	p->count = 1;
	expr_const(p, 1, 0); /* 1 */
	expr_const(p, 1, 1); /* 2 */
	return p;
}

void exprs_free(struct exprs *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->tables.size; i++) {
		free(p->tables.data[i].value);
		free(p->tables.data[i].term);
	}
	expr_sets_free(p);
	vec_release(&p->tables);
	vec_release(&p->slices);
	vec_release(&p->name_list);
	map_release(&p->table_index);
	map_release(&p->slice_index);
	strmap_release(&p->names);
	arena_release(&p->arena);
	free(p->nodes);
	free(p->slots);
	free(p->digests);
	free(p->mark);
	free(p->place);
	free(p);
}

uint32_t exprs_count(const struct exprs *p)
{
	return p->count;
}

uint64_t exprs_bytes(const struct exprs *p)
{
	uint64_t set = 16; /* of a term's variables, in vars.c */

	return (uint64_t)p->cap * (sizeof *p->nodes + set) + ((uint64_t)p->mask + 1) * sizeof *p->slots +
	       p->digest_cap * sizeof *p->digests + p->mark_cap * (sizeof *p->mark + sizeof *p->place);
}

const struct expr_node *expr_get(const struct exprs *p, expr_t e)
{
	return &p->nodes[e];
}

/* ---------------------------------------------------------- hash-consing */

static uint64_t mix_node(const struct expr_node *n)
{
	uint64_t x = (uint64_t)n->op << 56 ^ (uint64_t)n->width << 48 ^ n->a ^ (uint64_t)n->b << 20;
	x *= 0x9e3779b97f4a7c15ull;
	x ^= x >> 29 ^ n->k ^ n->high * 0xc2b2ae3d27d4eb4full ^ (uint64_t)n->c << 32;
	x *= 0xbf58476d1ce4e5b9ull;
	return x ^ x >> 32;
}

static uint32_t near_slot(const struct expr_node *n, uint64_t h)
{
	uint32_t sum = n->op == MUSTER_OP_INPUT ? (uint32_t)n->k : n->a + n->b + n->c;
	return sum * 2 + (uint32_t)(h >> 40 & 3);
}

static int same_node(const struct expr_node *x, const struct expr_node *y)
{
	return x->op == y->op && x->width == y->width && x->a == y->a && x->b == y->b &&
	       x->c == y->c && x->k == y->k && x->high == y->high;
}

/* The slot that holds the node, or the free one where it goes. */
static struct expr_slot *find_slot(const struct exprs *p, const struct expr_node *n, uint64_t h)
{
	uint32_t at = near_slot(n, h), short_hash = (uint32_t)h;
	for (unsigned i = 0; i < NEAR; i++) {
		struct expr_slot *s = &p->slots[(at + i) & p->mask];
		if (!s->id || (s->hash == short_hash && same_node(&p->nodes[s->id], n)))
			return s;
	}
	at = (uint32_t)(h >> 20);
	/* In steps of its own, or the crowd near busy operands would have to be passed one by one. */
	for (uint32_t step = (uint32_t)(h >> 42) | 1;; at += step) {
		struct expr_slot *s = &p->slots[at & p->mask];
		if (!s->id || (s->hash == short_hash && same_node(&p->nodes[s->id], n)))
			return s;
	}
}

static void grow(struct exprs *p)
{
	if (p->cap > UINT32_MAX / 4)
		BUG("a pool of %u terms is full", p->count);
	p->cap *= 2;
	p->nodes = mem_realloc(p->nodes, p->cap, sizeof *p->nodes);
	free(p->slots);
	p->mask = p->mask * 2 + 1;
	p->slots = mem_zalloc(((size_t)p->mask + 1) * sizeof *p->slots);
	for (uint32_t id = 1; id < p->count; id++) {
		uint64_t h = mix_node(&p->nodes[id]);
		*find_slot(p, &p->nodes[id], h) = (struct expr_slot){id, (uint32_t)h};
	}
}

static unsigned height_of(const struct exprs *p, expr_t e)
{
	return e ? p->nodes[e].height : 0;
}

expr_t expr_make(struct exprs *p, struct expr_node n)
{
	uint64_t h = mix_node(&n);
	struct expr_slot *s = find_slot(p, &n, h);
	if (s->id)
		return s->id;
	if (p->count == p->cap) {
		grow(p);
		s = find_slot(p, &n, h);
	}
#ifdef EXPR_SHAKE /* for tests under AddressSanitizer: no caller may keep a pointer to a node over a constructor */
	struct expr_node *moved = mem_alloc(p->cap * sizeof *p->nodes);
	memcpy(moved, p->nodes, p->count * sizeof *moved);
	free(p->nodes);
	p->nodes = moved;
#endif
	unsigned height = 0;
	if (n.op != MUSTER_OP_INPUT && n.op != MUSTER_OP_LENGTH && (n.a || n.b)) {
		unsigned a = height_of(p, n.a), b = height_of(p, n.b), c = height_of(p, n.c);
		height = a > b ? a : b;
		height = (c > height ? c : height) + 1;
	} else if (n.op == MUSTER_OP_DATA) {
		const struct expr_table *t = &p->tables.data[n.k];
		for (uint64_t i = 0; t->term && i < t->count; i++)
			if (height_of(p, t->term[i]) >= height)
				height = height_of(p, t->term[i]) + 1;
	}
	n.height = (uint16_t)(height > UINT16_MAX ? UINT16_MAX : height);
	*s = (struct expr_slot){p->count, (uint32_t)h};
	p->nodes[p->count] = n;
	return p->count++;
}

/* ---------------------------------------------------------------- leaves */

expr_t expr_const(struct exprs *p, unsigned width, u128 value)
{
	if (width < 1 || width > 128)
		BUG("a constant of %u bits", width);
	value = op_mask(value, width);
	return expr_make(p, (struct expr_node){.op = MUSTER_OP_CONST,
					       .width = (uint8_t)width,
					       .k = (uint64_t)value,
					       .high = (uint64_t)(value >> 64)});
}

expr_t expr_true(struct exprs *p)
{
	(void)p;
	return 2;
}

expr_t expr_false(struct exprs *p)
{
	(void)p;
	return 1;
}

int expr_is_const(const struct exprs *p, expr_t e, u128 *value)
{
	const struct expr_node *n = node(p, e);
	if (n->op != MUSTER_OP_CONST)
		return 0;
	if (value)
		*value = node_value(n);
	return 1;
}

expr_t expr_input(struct exprs *p, uint32_t source, uint64_t offset)
{
	return expr_make(
	    p, (struct expr_node){.op = MUSTER_OP_INPUT, .width = 8, .a = source, .k = offset});
}

expr_t expr_length(struct exprs *p, uint32_t source)
{
	return expr_make(p, (struct expr_node){.op = MUSTER_OP_LENGTH, .width = 64, .a = source});
}

uint64_t expr_name_number(struct exprs *p, const char *name)
{
	uint64_t number;
	if (!strmap_get(&p->names, name, &number)) {
		number = p->name_list.size;
		strmap_set(&p->names, name, number);
		vec_push(&p->name_list, arena_strdup(&p->arena, name));
	}
	return number;
}

expr_t expr_named(struct exprs *p, unsigned width, const char *name)
{
	if (width < 1 || width > 128)
		BUG("%s has %u bits", name, width);
	return expr_make(p, (struct expr_node){.op = EXPR_OP_NAMED,
					       .width = (uint8_t)width,
					       .k = expr_name_number(p, name)});
}

const char *expr_name(const struct exprs *p, expr_t e)
{
	const struct expr_node *n = node(p, e);
	return n->op == EXPR_OP_NAMED || n->op == EXPR_OP_APPLY || n->op == EXPR_OP_ARRAY ? p->name_list.data[n->k] : NULL;
}

/* ---------------------------------------------------------------- tables */

static int same_table(const struct expr_table *x, const struct expr_table *y)
{
	if (x->count != y->count || !x->term != !y->term)
		return 0;
	return x->term ? !memcmp(x->term, y->term, x->count * sizeof *x->term)
		       : !memcmp(x->value, y->value, x->count);
}

/* The DATA term of this table; takes a copy. */
static expr_t add_table(struct exprs *p, const struct expr_table *t)
{
	uint64_t number, key = t->term ? hash64(t->term, t->count * sizeof *t->term, 1)
				       : hash64(t->value, t->count, 0);
	while (map_get(&p->table_index, key, &number) && !same_table(&p->tables.data[number], t))
		key++;
	if (!map_get(&p->table_index, key, &number)) {
		struct expr_table copy = {.count = t->count, .value = mem_alloc(t->count + 1)};
		memcpy(copy.value, t->value, t->count);
		if (t->term) {
			copy.term = mem_realloc(NULL, t->count, sizeof *t->term);
			memcpy(copy.term, t->term, t->count * sizeof *t->term);
		}
		number = p->tables.size;
		vec_push(&p->tables, copy);
		map_set(&p->table_index, key, number);
	}
	return expr_make(p, (struct expr_node){.op = MUSTER_OP_DATA, .width = 8, .k = number});
}

expr_t expr_data_const(struct exprs *p, const uint8_t *bytes, uint64_t count)
{
	static const uint8_t none;
	for (uint64_t i = 0; i < count; i++) /* expr_data_byte cannot make them */
		if (!p->byte_const[bytes[i]])
			p->byte_const[bytes[i]] = expr_const(p, 8, bytes[i]);
	return add_table(
	    p, &(struct expr_table){.count = count, .value = (uint8_t *)(count ? bytes : &none)});
}

expr_t expr_data(struct exprs *p, const expr_t *bytes, uint64_t count)
{
	uint8_t *value = mem_zalloc(count + 1);
	int constant = 1;
	expr_t e;
	for (uint64_t i = 0; i < count; i++) {
		u128 v = 0;
		if (expr_width(p, bytes[i]) != 8)
			BUG("a table of terms that are not bytes");
		constant &= expr_is_const(p, bytes[i], &v);
		value[i] = (uint8_t)v;
	}
	if (constant)
		e = expr_data_const(p, value, count);
	else
		e = add_table(p, &(struct expr_table){count, value, (expr_t *)bytes});
	free(value);
	return e;
}

uint64_t expr_data_count(const struct exprs *p, expr_t data)
{
	return expr_table_of(p, data)->count;
}

expr_t expr_data_byte(const struct exprs *p, expr_t data, uint64_t i)
{
	const struct expr_table *t = expr_table_of(p, data);
	return t->term ? t->term[i] : p->byte_const[t->value[i]];
}

/* --------------------------------------------------------------- digests */

int expr_commutes(unsigned op)
{
	switch (op) {
	case MUSTER_OP_ADD:
	case MUSTER_OP_MUL:
	case MUSTER_OP_AND:
	case MUSTER_OP_OR:
	case MUSTER_OP_XOR:
	case MUSTER_OP_EQ:
	case MUSTER_OP_SADDO:
	case MUSTER_OP_UADDO:
	case MUSTER_OP_SMULO:
	case MUSTER_OP_UMULO:
		return 1;
	default:
		return 0;
	}
}

static struct hash128 data_digest(const struct exprs *p, const struct expr_table *t)
{
	if (!t->term)
		return hash128(t->value, t->count);
	struct buf b = {0};
	for (uint64_t i = 0; i < t->count; i++)
		buf_add(&b, &p->digests[t->term[i]], sizeof *p->digests);
	struct hash128 h = hash128(b.data, b.size);
	buf_release(&b);
	return hash128_join(h, (struct hash128){t->count, 1});
}

/* The order of operands that commute depends on the pool, so the digest must not see it. */
static struct hash128 node_digest(const struct exprs *p, const struct expr_node *n)
{
	struct {
		uint64_t head, k, high;
		struct hash128 part[3];
	} in = {.head = (uint64_t)expr_code(n->op) << 8 | n->width, .k = n->k, .high = n->high};
	if (n->op == MUSTER_OP_INPUT || n->op == MUSTER_OP_LENGTH) {
		in.high = n->a;
		return hash128(&in, sizeof in);
	}
	if (n->op == EXPR_OP_NAMED || n->op == EXPR_OP_APPLY || n->op == EXPR_OP_ARRAY) {
		struct hash128 name = hash128_str(p->name_list.data[n->k]);
		in.k = name.a;
		in.high = name.b;
	} else if (n->op == MUSTER_OP_DATA) {
		in.k = 0;
		in.part[0] = data_digest(p, &p->tables.data[n->k]);
	}
	if (n->a)
		in.part[0] = p->digests[n->a];
	if (n->b)
		in.part[1] = p->digests[n->b];
	if (n->c)
		in.part[2] = p->digests[n->c];
	if (expr_commutes(n->op) && (in.part[0].a > in.part[1].a ||
				(in.part[0].a == in.part[1].a && in.part[0].b > in.part[1].b))) {
		struct hash128 swap = in.part[0];
		in.part[0] = in.part[1];
		in.part[1] = swap;
	}
	return hash128(&in, sizeof in);
}

struct hash128 expr_digest(const struct exprs *pool, expr_t e)
{
	struct exprs *p = (struct exprs *)pool; /* a cache; the terms stay as they are */
	if (e >= p->digest_cap) {
		p->digest_cap = p->cap;
		p->digests = mem_realloc(p->digests, p->digest_cap, sizeof *p->digests);
	}
	if (!p->digest_done) {
		p->digests[0] = (struct hash128){0, 0};
		p->digest_done = 1;
	}
	for (; p->digest_done <= e; p->digest_done++)
		p->digests[p->digest_done] = node_digest(p, &p->nodes[p->digest_done]);
	return p->digests[e];
}
