/* word.c: what a function gets, as words with names in C.
 *
 * Terms have bytes: of a variable (NAME[3]), or of the flat memory at a pointer plus a constant. Bits that follow each other there are a run: all that an EXTRACT or CONCAT of bytes takes. The number in which
 * they lie, or the bit-field, as the types of debug info say, is the word; the run is a part of it (`p->flags & 4`, part.c). A run that no number or pointer contains is a word by itself if it is of whole
 * bytes; its name is an access by its offset, which is C as well.
 *
 * Invariant: the term of a word is what the constructors make of its bytes, so a term that reads all of it is that very term.
 */
#include "diff/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUTS 64 /* words of one pair that get names */
#define WORD 8	  /* bytes */

struct byte { /* of a variable, or of what a pointer leads to */
	expr_t base;	 /* pointer, or the global's address */
	uint32_t global; /* in the new version's code; CODE_NONE: of what a pointer leads to */
	uint64_t offset;
};

expr_t diff_word_base(struct exprs *p, expr_t address, uint64_t *offset)
{
	const struct expr_node *n = expr_get(p, address);
	u128 value;
	*offset = 0;
	if (n->op == MUSTER_OP_ADD && expr_is_const(p, n->b, &value)) {
		*offset = (uint64_t)value;
		return n->a;
	}
	return address;
}

/* A variable of the old version's that the new one does not use there: what it is in the new version's code. */
static uint32_t unused_global(const struct diff_pair *x, uint32_t object)
{
	const struct code *c = x->side[NEW].f->code;
	if (vc_object_global(x->side[OLD].vc, object) == CODE_NONE)
		return CODE_NONE;
	for (uint32_t i = 0; i < c->global_count; i++)
		if (!strcmp(c->globals[i].name, vc_object_name(x->side[OLD].vc, object)))
			return i;
	return CODE_NONE;
}

uint32_t diff_word_global(const struct diff_pair *x, expr_t base)
{
	for (int k = NEW; k >= OLD; k--) {
		const struct vc *v = x->side[k].vc;
		for (uint32_t i = 0; i < vc_objects(v); i++)
			if (vc_address(v, i) == base)
				return k == NEW ? vc_object_global(v, i) : unused_global(x, i);
	}
	return CODE_NONE;
}

static uint32_t global_named(const struct diff_pair *x, const char *name, size_t length)
{
	for (int k = NEW; k >= OLD; k--) {
		const struct vc *v = x->side[k].vc;
		for (uint32_t i = 0; i < vc_objects(v); i++)
			if (!strncmp(vc_object_name(v, i), name, length) && !vc_object_name(v, i)[length])
				return k == NEW ? vc_object_global(v, i) : unused_global(x, i);
	}
	return CODE_NONE;
}

static int byte_of(const struct diff_pair *x, expr_t e, struct byte *out)
{
	struct expr_node n = *expr_get(x->p, e);
	if (n.op == EXPR_OP_NAMED && n.width == 8) {
		const char *name = expr_name(x->p, e), *bracket = strrchr(name, '[');
		if (!bracket || (out->global = global_named(x, name, (size_t)(bracket - name))) == CODE_NONE)
			return 0;
		out->base = EXPR_NONE;
		out->offset = strtoull(bracket + 1, NULL, 10);
		return 1;
	}
	if (n.op != EXPR_OP_SELECT || expr_get(x->p, n.a)->op != EXPR_OP_ARRAY)
		return 0;
	if (strcmp(expr_name(x->p, n.a), VC_FLAT)) { /* a large variable */
		u128 at;
		out->base = EXPR_NONE;
		out->global = global_named(x, expr_name(x->p, n.a), strlen(expr_name(x->p, n.a)));
		if (out->global == CODE_NONE || !expr_is_const(x->p, n.b, &at))
			return 0;
		out->offset = (uint64_t)at;
		return 1;
	}
	out->base = diff_word_base(x->p, n.b, &out->offset);
	out->global = diff_word_global(x, out->base);
	return out->global != CODE_NONE || diff_word_find(x, out->base);
}

int diff_word_byte_text(const struct diff_pair *x, expr_t variable, struct buf *out)
{
	struct byte b;
	if (expr_get(x->p, variable)->op != EXPR_OP_NAMED || !byte_of(x, variable, &b))
		return 0;
	buf_addf(out, "((unsigned char *)&%s)[%llu]", x->side[NEW].f->code->globals[b.global].name, (unsigned long long)b.offset);
	return 1;
}

const struct diff_word *diff_word_find(const struct diff_pair *x, expr_t term)
{
	for (size_t i = 0; i < x->inputs.size; i++)
		if (x->inputs.data[i].term == term)
			return &x->inputs.data[i];
	return NULL;
}

/* ------------------------------------------------------------ runs of bits */

struct run {
	struct byte at;  /* the byte in which it begins */
	unsigned bit;	 /* its first one there */
	unsigned count;	 /* bits */
	expr_t sample;	 /* one of its bytes */
};

static struct run later(struct run r, unsigned bits)
{
	r.at.offset += (r.bit + bits) / 8;
	r.bit = (r.bit + bits) % 8;
	return r;
}

static int run_of(const struct diff_pair *x, expr_t e, unsigned depth, struct run *out)
{
	struct expr_node n = *expr_get(x->p, e);
	struct run high;
	if (!depth || n.width > 8 * WORD)
		return 0;
	if (n.op == MUSTER_OP_EXTRACT) {
		if (!run_of(x, n.a, depth - 1, out))
			return 0;
		*out = later(*out, (unsigned)n.k);
		out->count = n.width;
		return 1;
	}
	if (n.op == MUSTER_OP_CONCAT) {
		if (!run_of(x, n.b, depth - 1, out) || !run_of(x, n.a, depth - 1, &high))
			return 0;
		struct run next = later(*out, out->count);
		out->count += high.count;
		return high.at.base == next.at.base && high.at.global == next.at.global && high.at.offset == next.at.offset && high.bit == next.bit;
	}
	*out = (struct run){.count = 8, .sample = e};
	return byte_of(x, e, &out->at);
}

/* The byte at another offset of the same memory. */
static expr_t byte_at(struct exprs *p, const struct run *r, uint64_t offset)
{
	struct expr_node n = *expr_get(p, r->sample);
	if (n.op == EXPR_OP_NAMED) {
		const char *name = expr_name(p, r->sample), *bracket = strrchr(name, '[');
		struct buf text = BUF_EMPTY;
		buf_addf(&text, "%.*s[%llu]", (int)(bracket - name), name, (unsigned long long)offset);
		expr_t e = expr_named(p, 8, buf_str(&text));
		buf_release(&text);
		return e;
	}
	expr_t at = expr_const(p, 64, offset);
	if (r->at.base != EXPR_NONE)
		at = offset ? expr_binary(p, MUSTER_OP_ADD, r->at.base, at) : r->at.base;
	return expr_array_select(p, n.a, at);
}

/* So many bits from a bit of the byte at the offset on. */
static expr_t bits_at(struct exprs *p, const struct run *r, uint64_t offset, unsigned bit, unsigned count)
{
	expr_t e = byte_at(p, r, offset);
	for (unsigned k = 8; k < bit + count; k += 8)
		e = expr_concat(p, byte_at(p, r, offset + k / 8), e);
	return expr_extract(p, e, bit, count);
}

/* ------------------------------------------------------------ names */

struct place { /* a number, pointer or bit-field */
	uint32_t type;
	uint64_t first; /* bit, from the beginning of what was looked at */
	unsigned bits;
	uint8_t is_field;
};

/* What of a type has these bits, all of them: .member and [index] are appended. 0: nothing has. */
static int find_place(const struct code *c, uint32_t type, uint64_t first, unsigned count, struct place *out, struct buf *name)
{
	uint64_t start = 0; /* of the type */
	for (unsigned depth = 0; depth < 16 && type != CODE_NONE; depth++) {
		const struct code_type *t = &c->types[type];
		uint32_t next = CODE_NONE;
		if (t->kind == CODE_TYPE_INT || t->kind == CODE_TYPE_POINTER) {
			*out = (struct place){.type = type, .first = start, .bits = t->is_bool ? 1 : (unsigned)t->bytes * 8}; /* a bool is its lowest bit: C has no other of it */
			return t->bytes <= WORD && first + count <= start + out->bits;
		}
		if (t->kind == CODE_TYPE_ARRAY && t->base != CODE_NONE && c->types[t->base].bytes) {
			uint64_t bits = c->types[t->base].bytes * 8, index = (first - start) / bits;
			buf_addf(name, "[%llu]", (unsigned long long)index);
			start += index * bits;
			next = t->base;
		}
		for (uint32_t i = 0; i < t->members && t->kind == CODE_TYPE_STRUCT; i++) {
			const struct code_member *m = &c->members[t->first_member + i];
			if (m->type == CODE_NONE || !*m->name)
				continue;
			uint64_t from = start + m->offset * 8 + m->bit, bits = m->bits ? m->bits : c->types[m->type].bytes * 8;
			if (first < from || first >= from + bits)
				continue;
			buf_addf(name, ".%s", m->name);
			*out = (struct place){.type = m->type, .first = from, .bits = (unsigned)bits, .is_field = 1};
			if (m->bits)
				return c->types[m->type].kind == CODE_TYPE_INT && first + count <= from + bits;
			start = from;
			next = m->type;
			break;
		}
		type = next;
	}
	return 0;
}

/* The same of what a pointer of this type leads to, an array perhaps; the name is the whole one. */
static int find_behind(const struct code *c, const struct diff_word *p, uint64_t first, unsigned count, struct place *out, struct buf *name)
{
	struct buf part = BUF_EMPTY;
	uint32_t base = p->type != CODE_NONE && c->types[p->type].kind == CODE_TYPE_POINTER ? c->types[p->type].base : CODE_NONE;
	uint64_t size = base != CODE_NONE ? c->types[base].bytes * 8 : 0, index = size ? first / size : 0;
	int found = size && (int64_t)first >= 0 && find_place(c, base, first % size, count, out, &part);
	if (found) {
		out->first += index * size;
		if (index || (part.size && part.data[0] == '['))
			buf_addf(name, "%s[%llu]%s", p->name, (unsigned long long)index, buf_str(&part));
		else if (part.size)
			buf_addf(name, "%s->%s", p->name, buf_str(&part) + 1);
		else
			buf_addf(name, "*%s", p->name);
	}
	buf_release(&part);
	return found;
}

static int find_in_global(const struct code *c, uint32_t global, uint64_t first, unsigned count, struct place *out, struct buf *name)
{
	buf_adds(name, c->globals[global].name);
	return find_place(c, c->globals[global].type, first, count, out, name);
}

unsigned diff_word_scalar(const struct code *c, uint32_t global, uint64_t offset)
{
	struct buf part = BUF_EMPTY;
	struct place at;
	int found = find_place(c, c->globals[global].type, offset * 8, 8, &at, &part);
	buf_release(&part);
	return found && !at.is_field && at.first == offset * 8 && at.bits > 8 ? at.bits / 8 : 1;
}

static void add_word(struct diff_pair *x, struct diff_word in)
{
	if (x->inputs.size >= INPUTS)
		free(in.name);
	else
		vec_push(&x->inputs, in);
}

/* The word in which the run lies. 0: no number or pointer has it, or it is a part of a pointer. */
static int add_whole(struct diff_pair *x, expr_t e, const struct run *r)
{
	const struct code *c = x->side[NEW].f->code;
	struct buf name = BUF_EMPTY;
	struct place at = {.type = CODE_NONE};
	uint64_t first = r->at.offset * 8 + r->bit;
	int found = r->at.global != CODE_NONE ? find_in_global(c, r->at.global, first, r->count, &at, &name) : find_behind(c, diff_word_find(x, r->at.base), first, r->count, &at, &name);
	if (!found || (c->types[at.type].kind == CODE_TYPE_POINTER && at.bits != r->count)) {
		buf_release(&name);
		return 0;
	}
	expr_t term = bits_at(x->p, r, at.first / 8, (unsigned)(at.first % 8), at.bits);
	if (expr_extract(x->p, term, (unsigned)(first - at.first), r->count) != e || diff_word_find(x, term)) {
		found = diff_word_find(x, term) != NULL;
		buf_release(&name);
		return found;
	}
	int is_pointer = c->types[at.type].kind == CODE_TYPE_POINTER;
	add_word(x, (struct diff_word){.term = term, .name = buf_take(&name), .type = at.type, .is_pointer = (uint8_t)is_pointer, .is_field = at.is_field || c->types[at.type].is_bool,
				       .is_unsigned = is_pointer || c->types[at.type].is_unsigned, .is_bool = c->types[at.type].is_bool});
	return 1;
}

/* One whose bytes no type names. */
static void add_bytes(struct diff_pair *x, expr_t term, const struct run *r)
{
	struct buf name = BUF_EMPTY;
	if (diff_word_find(x, term))
		return;
	if (r->at.global != CODE_NONE)
		buf_addf(&name, "*(uint%u_t *)((char *)&%s + %llu)", r->count, x->side[NEW].f->code->globals[r->at.global].name, (unsigned long long)r->at.offset);
	else
		buf_addf(&name, "*(uint%u_t *)((char *)%s + %lld)", r->count, diff_word_find(x, r->at.base)->name, (long long)r->at.offset);
	add_word(x, (struct diff_word){.term = term, .name = buf_take(&name), .type = CODE_NONE, .is_unsigned = 1});
}

size_t diff_word_behind(struct diff_pair *x, size_t pointer, uint64_t offset, unsigned bytes)
{
	struct exprs *p = x->p;
	expr_t base = x->inputs.data[pointer].term, at = offset ? expr_binary(p, MUSTER_OP_ADD, base, expr_const(p, 64, offset)) : base;
	expr_t term = expr_array_read(p, expr_array(p, VC_FLAT), at, 8 * bytes);
	size_t before = x->inputs.size;
	struct run r = {.at = {.base = base, .global = CODE_NONE, .offset = offset}, .count = 8 * bytes, .sample = expr_array_read(p, expr_array(p, VC_FLAT), at, 8)};
	add_whole(x, term, &r);
	return x->inputs.size > before ? before : SIZE_MAX;
}

/* ------------------------------------------------------------ words of a term */

/* The run is a word, or a part of one. */
static int add_run(struct diff_pair *x, expr_t e)
{
	struct run r;
	if (!run_of(x, e, 2 * WORD + 2, &r))
		return 0;
	if (add_whole(x, e, &r))
		return 1;
	if (r.bit || r.count % 8 || (r.count & (r.count - 1)))
		return 0;
	add_bytes(x, e, &r);
	return 1;
}

static void collect(struct diff_pair *x, expr_t e, struct map *seen);
/* Of the bytes that are joined. */
static void collect_addresses(struct diff_pair *x, expr_t e, struct map *seen)
{
	struct expr_node n = *expr_get(x->p, e);
	while (n.op == MUSTER_OP_CONCAT || n.op == MUSTER_OP_EXTRACT) {
		expr_t part = n.a;
		while (expr_get(x->p, part)->op == MUSTER_OP_EXTRACT)
			part = expr_get(x->p, part)->a;
		if (expr_get(x->p, part)->op == EXPR_OP_SELECT)
			collect(x, expr_get(x->p, part)->b, seen);
		n = *expr_get(x->p, n.op == MUSTER_OP_CONCAT ? n.b : n.a);
	}
	if (n.op == EXPR_OP_SELECT)
		collect(x, n.b, seen);
}

static void collect(struct diff_pair *x, expr_t e, struct map *seen)
{
	struct expr_node n = *expr_get(x->p, e);
	expr_t operand[3];
	if (!map_set(seen, e, 1))
		return;
	if (n.op == EXPR_OP_SELECT) /* the pointer has a name before what it leads to */
		collect(x, n.b, seen);
	if (n.op == MUSTER_OP_CONCAT || n.op == MUSTER_OP_EXTRACT || n.op == EXPR_OP_SELECT || n.op == EXPR_OP_NAMED) {
		collect_addresses(x, e, seen);
		if (add_run(x, e))
			return;
	}
	if (n.op == MUSTER_OP_DATA)
		for (uint64_t i = 0; i < expr_data_count(x->p, e); i++)
			collect(x, expr_data_byte(x->p, e, i), seen);
	unsigned count = expr_operands(x->p, e, operand);
	for (unsigned i = 0; i < count; i++)
		collect(x, operand[i], seen);
}

void diff_word_collect(struct diff_pair *x, expr_t e)
{
	struct map seen = {0};
	if (expr_get(x->p, e)->height < DEEP)
		collect(x, e, &seen);
	map_release(&seen);
}
