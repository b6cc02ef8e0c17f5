/* model.c: models as values and as bytes.
 *
 * The serial form, for the store: a version byte, the number of values (32 bits), then for each
 * its kind (a byte), source (32), index (64), and the value (two of 64), all little endian.
 * A NAMED variable is known by its term, which means nothing outside of its pool, so a model
 * with one is never stored (cache.c) and reading refuses it.
 */
#include "solve/ladder.h"
#include "base/error.h"

#include <string.h>

#define MODEL_VERSION 1 /* no limit: a version */
#define MODEL_VALUE_SIZE 29 /* no limit: bytes of the format */

void solve_model_release(struct solve_model *m)
{
	vec_release(&m->values);
	vec_release(&m->bytes);
	vec_release(&m->entries);
	vec_release(&m->args);
	m->optimistic = 0;
}

void model_copy(struct solve_model *to, const struct solve_model *from)
{
	vec_clear(&to->values);
	vec_reserve(&to->values, from->values.size);
	if (from->values.size)
		memcpy(to->values.data, from->values.data,
		       from->values.size * sizeof *from->values.data);
	to->values.size = from->values.size;
	to->optimistic = from->optimistic;
	to->rung = from->rung;
}

void solve_model_write(const struct solve_model *m, struct buf *out)
{
	buf_addc(out, MODEL_VERSION);
	buf_add32(out, (uint32_t)m->values.size);
	for (size_t i = 0; i < m->values.size; i++) {
		const struct solve_value *v = &m->values.data[i];

		buf_addc(out, (char)v->op);
		buf_add32(out, v->source);
		buf_add64(out, v->index);
		buf_add64(out, (uint64_t)v->value);
		buf_add64(out, (uint64_t)(v->value >> 64));
	}
}

static uint64_t little(const uint8_t *at, unsigned bytes)
{
	uint64_t r = 0;

	for (unsigned i = bytes; i-- > 0;)
		r = r << 8 | at[i];
	return r;
}

int solve_model_read(struct solve_model *m, const void *data, size_t size)
{
	const uint8_t *at = data;
	uint64_t count;

	vec_clear(&m->values);
	m->optimistic = 0;
	if (size < 5 || at[0] != MODEL_VERSION)
		return error_set("a stored model has another version or is cut off");
	count = little(at + 1, 4);
	if (size != 5 + count * MODEL_VALUE_SIZE)
		return error_set("a stored model has the wrong size");
	at += 5;
	for (uint64_t i = 0; i < count; i++, at += MODEL_VALUE_SIZE) {
		struct solve_value v = {
		    .op = at[0], .source = (uint32_t)little(at + 1, 4), .index = little(at + 5, 8)};

		v.value = (u128)little(at + 21, 8) << 64 | little(at + 13, 8);
		if (v.op != MUSTER_OP_INPUT && v.op != MUSTER_OP_LENGTH) {
			vec_clear(&m->values);
			return error_set("a stored model has a value of unknown kind");
		}
		vec_push(&m->values, v);
	}
	return 0;
}
