/* place.c: what people call the memory of a witness: bytes at the pointer that leads there.
 *
 * Runs have one stretch of memory (caller.h) in which pointers of the input stand, each at the start of an object of its own: a byte belongs to the nearest pointer below it. Bytes that the input does not say are 0 there.
 */
#include "diff/inside.h"

#include "diff/caller.h"

#include <stdio.h>
#include <string.h>

#define OBJECT 4096 /* bytes after a pointer that are called by its name: objects of an input stand so far apart */
#define SHOWN 16    /* bytes of an object that are printed */

static int is_memory(uint64_t at)
{
	return at >= CALLER_ARENA && at < CALLER_ARENA + CALLER_ARENA_BYTES;
}

int diff_place_byte(const struct diff_pair *x, const struct solve_model *m, uint64_t at, uint8_t *value)
{
	*value = 0;
	for (size_t i = 0; i < m->bytes.size; i++)
		if (m->bytes.data[i].offset == at && !strcmp(expr_name(x->p, m->bytes.data[i].array), VC_FLAT)) {
			*value = m->bytes.data[i].value;
			return 1;
		}
	return 0;
}

static const struct diff_word *pointer_to(const struct diff_pair *x, const struct solve_model *m, uint64_t at, uint64_t *out)
{
	const struct diff_word *best = NULL;
	uint64_t start = 0;
	for (size_t i = 0; i < x->inputs.size; i++) {
		const struct diff_word *in = &x->inputs.data[i];
		uint64_t v = in->is_pointer ? (uint64_t)solve_model_eval(x->p, m, in->term) : 0;
		if (is_memory(v) && v <= at && at - v < OBJECT && (!best || v > start)) {
			best = in;
			start = v;
		}
	}
	*out = start;
	return best;
}

void diff_place_name(const struct diff_pair *x, const struct solve_model *m, uint64_t at, struct buf *out)
{
	uint64_t start;
	const struct diff_word *best = pointer_to(x, m, at, &start);
	if (best)
		buf_addf(out, "byte %llu at %s", (unsigned long long)(at - start), best->name);
	else
		buf_addf(out, "memory at 0x%llx", (unsigned long long)at);
}

/* ------------------------------------------------------------ padding */

static unsigned field_bits(const struct code_member *m, uint64_t at)
{
	unsigned bits = 0;
	for (uint64_t k = 0; k < 8; k++)
		bits |= (unsigned)(at * 8 + k - (m->offset * 8 + m->bit) < m->bits) << k;
	return bits;
}

/* Of byte `at` of an object of the type, the bits that belong to a member. An array at the end may go on behind it. */
static unsigned used_bits(const struct code *c, uint32_t type, uint64_t at)
{
	const struct code_type *t = type == CODE_NONE ? NULL : &c->types[type];
	unsigned bits = 0;
	if (t && t->kind == CODE_TYPE_ARRAY && t->base != CODE_NONE && c->types[t->base].bytes)
		return used_bits(c, t->base, at % c->types[t->base].bytes);
	if (!t || (t->kind != CODE_TYPE_STRUCT && t->kind != CODE_TYPE_UNION) || !t->members)
		return 0xff;
	for (uint32_t i = 0; i < t->members; i++) {
		const struct code_member *m = &c->members[t->first_member + i];
		const struct code_type *of = m->type == CODE_NONE ? NULL : &c->types[m->type];
		if (m->bits)
			bits |= field_bits(m, at);
		else if (!of || !of->bytes || (i + 1 == t->members && of->kind == CODE_TYPE_ARRAY && at >= m->offset))
			return 0xff;
		else if (at - m->offset < of->bytes)
			bits |= used_bits(c, m->type, at - m->offset);
	}
	return bits;
}

uint8_t diff_place_used(const struct diff_pair *x, const struct solve_model *m, uint64_t at)
{
	const struct code *c = x->side[NEW].f->code;
	uint64_t start;
	const struct diff_word *in = pointer_to(x, m, at, &start);
	uint32_t type = in && in->type != CODE_NONE && c->types[in->type].kind == CODE_TYPE_POINTER ? c->types[in->type].base : CODE_NONE;
	return type == CODE_NONE || !c->types[type].bytes ? 0xff : (uint8_t)used_bits(c, type, (at - start) % c->types[type].bytes);
}

uint8_t diff_place_global_used(const struct code *c, uint32_t global, uint64_t at)
{
	return (uint8_t)used_bits(c, c->globals[global].type, at);
}

void diff_place_bytes(const struct diff_pair *x, const struct solve_model *m, uint64_t at, struct buf *out)
{
	uint8_t value;
	unsigned n = 0;
	for (; is_memory(at + n) && diff_place_byte(x, m, at + n, &value); n++) {
		if (n == SHOWN) {
			buf_adds(out, " ...");
			break;
		}
		buf_addf(out, "%s%02x", n ? " " : " {", value);
	}
	if (n)
		buf_addc(out, '}');
}
