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

void diff_place_name(const struct diff_pair *x, const struct solve_model *m, uint64_t at, struct buf *out)
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
	if (best)
		buf_addf(out, "byte %llu at %s", (unsigned long long)(at - start), best->name);
	else
		buf_addf(out, "memory at 0x%llx", (unsigned long long)at);
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
