/* fields.c: which bytes of an input are lengths, by what a run did with them.
 *
 * A field is a number made of the input's bytes alone (one byte, or several in any order) that stands, perhaps with something added or as a multiple, in a
 * comparison with the input's length or another value, in a size or index that the trace fixed, or in comparisons with constants that rise by one,
 * as a loop's counter does. A field covers the bytes behind it, as many as it says. This is a guess, for removals that a run has to confirm: what is
 * no length at all costs runs, no more.
 */
#include "search/fields.h"

#include "base/limit.h"

#include <string.h>

#define FIELDS LIMIT(256, 2) /* fields of an input | a file of some hundred pieces */
#define DEPTH LIMIT(8, 1) /* operators above a field | sums and products of sizes */

/* A number of the input's bytes: CONCATs, with zeros above. 1 and *f. */
static int read_field(const struct exprs *p, expr_t e, struct field *f)
{
	expr_t parts[FIELD_BYTES];
	uint32_t count = 0;
	memset(f, 0, sizeof *f);
	for (const struct expr_node *n = expr_get(p, e);; n = expr_get(p, e)) {
		if (n->op == MUSTER_OP_ZEXT) {
			e = n->a;
			continue;
		}
		expr_t part = n->op == MUSTER_OP_CONCAT ? n->a : e;
		if (count == FIELD_BYTES || expr_get(p, part)->op != MUSTER_OP_INPUT || expr_get(p, part)->a != 0)
			return 0;
		parts[count++] = part;
		if (n->op != MUSTER_OP_CONCAT)
			break;
		e = n->b;
	}
	for (uint32_t i = 0; i < count; i++)
		f->at[i] = expr_get(p, parts[count - 1 - i])->k;
	f->bytes = count;
	return 1;
}

static struct field *note(fields_list *out, const struct field *f)
{
	for (size_t i = 0; i < out->size; i++)
		if (out->data[i].bytes == f->bytes && out->data[i].scale == f->scale && !memcmp(out->data[i].at, f->at, f->bytes * sizeof *f->at))
			return &out->data[i];
	if (out->size == FIELDS)
		return NULL;
	vec_push(out, *f);
	return &out->data[out->size - 1];
}

/* Fields in a sum or product. constant: what it is compared with, or NULL for anything else. */
static void walk(fields_list *out, const struct exprs *p, expr_t e, uint64_t scale, const uint64_t *constant, unsigned depth)
{
	struct field f;
	u128 factor;
	if (read_field(p, e, &f)) {
		f.scale = scale;
		struct field *known = note(out, &f);
		if (!known)
			return;
		if (!constant) {
			known->counts = 1;
		} else {
			known->counts |= known->constants && *constant == known->constant + 1;
			known->constants = 1;
			known->constant = *constant;
		}
		return;
	}
	const struct expr_node *n = expr_get(p, e);
	if (!depth)
		return;
	switch (n->op) {
	case MUSTER_OP_MUL:
		if (expr_is_const(p, n->b, &factor) && factor > 1 && factor < 4096)
			walk(out, p, n->a, scale * (uint64_t)factor, NULL, depth - 1);
		return;
	case MUSTER_OP_CONCAT: /* a shift */
		if (expr_is_const(p, n->b, &factor) && !factor && expr_width(p, n->b) <= 12)
			walk(out, p, n->a, scale << expr_width(p, n->b), NULL, depth - 1);
		return;
	case MUSTER_OP_ADD:
	case MUSTER_OP_SUB:
		if (expr_is_const(p, n->b, NULL)) {
			walk(out, p, n->a, scale, constant, depth - 1);
			return;
		}
		walk(out, p, n->a, scale, NULL, depth - 1);
		walk(out, p, n->b, scale, NULL, depth - 1);
		return;
	case MUSTER_OP_ZEXT:
	case MUSTER_OP_SEXT:
	case MUSTER_OP_EXTRACT:
		walk(out, p, n->a, scale, constant, depth - 1);
		return;
	default:
		return;
	}
}

static void walk_condition(fields_list *out, const struct exprs *p, expr_t e, unsigned depth)
{
	const struct expr_node *n = expr_get(p, e);
	u128 value;
	uint64_t low;
	switch (n->op) {
	case MUSTER_OP_EQ:
	case MUSTER_OP_ULT:
	case MUSTER_OP_ULE:
	case MUSTER_OP_SLT:
	case MUSTER_OP_SLE:
		for (int side = 0; side < 2; side++) {
			expr_t a = side ? n->b : n->a, b = side ? n->a : n->b;
			int constant = expr_is_const(p, b, &value);
			low = constant ? (uint64_t)value : 0;
			walk(out, p, a, 1, constant ? &low : NULL, DEPTH);
			n = expr_get(p, e);
		}
		return;
	case MUSTER_OP_XOR:
	case MUSTER_OP_AND:
	case MUSTER_OP_OR:
		if (n->width == 1 && depth) {
			walk_condition(out, p, n->a, depth - 1);
			walk_condition(out, p, expr_get(p, e)->b, depth - 1);
		}
		return;
	default:
		return;
	}
}

void fields_read(fields_list *out, const struct path *p, struct import *im)
{
	vec_clear(out);
	for (size_t i = 0; i < p->steps.size; i++) {
		const struct path_step *s = &p->steps.data[i];
		expr_t e = import_label(im, s->label);
		if (s->kind == MUSTER_EV_CONCRETE)
			walk(out, im->pool, e, 1, NULL, DEPTH);
		else if (expr_width(im->pool, e) == 1)
			walk_condition(out, im->pool, e, DEPTH);
	}
}

static uint64_t value_of(const struct field *f, const struct buf *data)
{
	uint64_t v = 0;
	for (uint32_t i = 0; i < f->bytes; i++)
		v |= (uint64_t)(uint8_t)data->data[f->at[i]] << 8 * i;
	return v;
}

/* Its last byte, and the one after what it covers. 0: it does not cover what was removed. */
static int covers(const struct field *f, const struct buf *data, size_t from, size_t to)
{
	uint64_t last = 0;
	for (uint32_t i = 0; i < f->bytes; i++)
		last = f->at[i] > last ? f->at[i] : last;
	if (last >= from || last >= data->size || !f->counts)
		return 0;
	uint64_t v = value_of(f, data), room = data->size - last - 1;
	int whole = v <= data->size && v * f->scale >= to - from && (to - from) % f->scale == 0;
	return whole && (v * f->scale >= room || last + 1 + v * f->scale >= to);
}

unsigned fields_lower(const fields_list *list, const struct buf *data, size_t from, size_t to, struct buf *next)
{
	unsigned lowered = 0;
	for (size_t i = 0; i < list->size; i++) {
		const struct field *f = &list->data[i];
		if (!covers(f, data, from, to))
			continue;
		uint64_t v = value_of(f, data) - (to - from) / f->scale;
		for (uint32_t k = 0; k < f->bytes; k++)
			next->data[f->at[k]] = (char)(v >> 8 * k);
		lowered++;
	}
	return lowered;
}
