/* word.c: what a function gets, as words with names in C.
 *
 * Terms have bytes: of a variable (NAME[3]), or of the flat memory at a pointer plus a constant. Consecutive bytes that a term joins are one word; its name comes from the types
 * of debug info, or is an access by its offset, which is C as well.
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

/* ------------------------------------------------------------ names */

/* The part of a type at the offset: .member and [index] are appended. CODE_NONE: none of this size. */
static uint32_t find_part(const struct code *c, uint32_t type, uint64_t offset, uint64_t bytes, struct buf *out)
{
	for (unsigned depth = 0; depth < 16 && type != CODE_NONE; depth++) {
		const struct code_type *t = &c->types[type];
		uint32_t next = CODE_NONE;
		if (t->kind == CODE_TYPE_INT || t->kind == CODE_TYPE_POINTER)
			return !offset && t->bytes == bytes ? type : CODE_NONE;
		if (t->kind == CODE_TYPE_ARRAY && t->base != CODE_NONE && c->types[t->base].bytes) {
			buf_addf(out, "[%llu]", (unsigned long long)(offset / c->types[t->base].bytes));
			offset %= c->types[t->base].bytes;
			next = t->base;
		}
		for (uint32_t i = 0; i < t->members && t->kind == CODE_TYPE_STRUCT; i++) {
			const struct code_member *m = &c->members[t->first_member + i];
			if (m->bits || m->type == CODE_NONE || !*m->name || offset < m->offset || offset >= m->offset + c->types[m->type].bytes)
				continue;
			buf_addf(out, ".%s", m->name);
			offset -= m->offset;
			next = m->type;
			break;
		}
		type = next;
	}
	return CODE_NONE;
}

static uint32_t behind_pointer(const struct code *c, const struct diff_word *p, uint64_t offset, uint64_t bytes, struct buf *out)
{
	struct buf part = BUF_EMPTY;
	uint32_t base = p->type != CODE_NONE && c->types[p->type].kind == CODE_TYPE_POINTER ? c->types[p->type].base : CODE_NONE;
	uint64_t size = base != CODE_NONE ? c->types[base].bytes : 0, index = size ? offset / size : 0;
	uint32_t type = size && (int64_t)offset >= 0 ? find_part(c, base, offset % size, bytes, &part) : CODE_NONE;
	if (type == CODE_NONE)
		buf_addf(out, "*(uint%u_t *)((char *)%s + %lld)", (unsigned)bytes * 8, p->name, (long long)offset);
	else if (index || (part.size && part.data[0] == '['))
		buf_addf(out, "%s[%llu]%s", p->name, (unsigned long long)index, buf_str(&part));
	else if (part.size)
		buf_addf(out, "%s->%s", p->name, buf_str(&part) + 1);
	else
		buf_addf(out, "*%s", p->name);
	buf_release(&part);
	return type;
}

static uint32_t in_global(const struct code *c, uint32_t global, uint64_t offset, uint64_t bytes, struct buf *out)
{
	struct buf part = BUF_EMPTY;
	uint32_t type = find_part(c, c->globals[global].type, offset, bytes, &part);
	if (type == CODE_NONE)
		buf_addf(out, "*(uint%u_t *)((char *)&%s + %llu)", (unsigned)bytes * 8, c->globals[global].name, (unsigned long long)offset);
	else
		buf_addf(out, "%s%s", c->globals[global].name, buf_str(&part));
	buf_release(&part);
	return type;
}

unsigned diff_word_scalar(const struct code *c, uint32_t global, uint64_t offset)
{
	struct buf part = BUF_EMPTY;
	unsigned bytes = WORD;
	while (bytes > 1 && (offset % bytes || find_part(c, c->globals[global].type, offset, bytes, &part) == CODE_NONE))
		bytes /= 2;
	buf_release(&part);
	return bytes;
}

static void add_word(struct diff_pair *x, expr_t term, const struct byte *at, uint64_t bytes)
{
	const struct code *c = x->side[NEW].f->code;
	struct buf name = BUF_EMPTY;
	if (diff_word_find(x, term) || x->inputs.size >= INPUTS)
		return;
	struct diff_word in = {.term = term};
	if (at->global != CODE_NONE)
		in.type = in_global(c, at->global, at->offset, bytes, &name);
	else
		in.type = behind_pointer(c, diff_word_find(x, at->base), at->offset, bytes, &name);
	in.is_unsigned = in.type == CODE_NONE || c->types[in.type].kind != CODE_TYPE_INT || c->types[in.type].is_unsigned;
	in.is_pointer = in.type != CODE_NONE && c->types[in.type].kind == CODE_TYPE_POINTER;
	in.name = buf_take(&name);
	vec_push(&x->inputs, in);
}

/* ------------------------------------------------------------ words of a term */

/* A word whose bytes follow each other. */
static int is_word(const struct diff_pair *x, expr_t e, struct byte *first, uint64_t *bytes)
{
	struct byte list[WORD], b;
	unsigned count = 0;
	expr_t rest = e;
	while (count < WORD) { /* from the highest */
		struct expr_node n = *expr_get(x->p, rest);
		if (!byte_of(x, n.op == MUSTER_OP_CONCAT ? n.a : rest, &b))
			return 0;
		list[count++] = b;
		if (n.op != MUSTER_OP_CONCAT)
			break;
		rest = n.b;
	}
	*first = list[count - 1];
	*bytes = count;
	for (unsigned i = 0; i < count; i++)
		if (list[i].base != first->base || list[i].global != first->global || list[i].offset != first->offset + (count - 1 - i))
			return 0;
	return expr_width(x->p, e) == 8 * count && (count & (count - 1)) == 0;
}

static void collect(struct diff_pair *x, expr_t e, struct map *seen)
{
	struct expr_node n = *expr_get(x->p, e);
	expr_t operand[3];
	struct byte first;
	uint64_t bytes;
	if (!map_set(seen, e, 1))
		return;
	if (n.op == EXPR_OP_SELECT) /* the pointer has a name before what it leads to */
		collect(x, n.b, seen);
	if (n.op == MUSTER_OP_CONCAT || n.op == EXPR_OP_SELECT || n.op == EXPR_OP_NAMED) {
		if (n.op == MUSTER_OP_CONCAT)
			for (expr_t rest = e; expr_get(x->p, rest)->op == MUSTER_OP_CONCAT; rest = expr_get(x->p, rest)->b)
				if (expr_get(x->p, expr_get(x->p, rest)->a)->op == EXPR_OP_SELECT)
					collect(x, expr_get(x->p, expr_get(x->p, rest)->a)->b, seen);
		if (is_word(x, e, &first, &bytes)) {
			add_word(x, e, &first, bytes);
			return;
		}
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
