/* byteset.c: a term over one byte, for all of its 256 values at once.
 *
 * Most branches of a parser look at one byte. Their terms are run over all its values in batches,
 * which gives a set of 256 bits. The constraints over a variable alone are kept as the set of
 * values that they leave; it is brought up to date when it is asked for, each constraint once. Both
 * sets are exact, so an empty intersection is a proof.
 */
#include "solve/ladder.h"
#include "expr/tape.h"

#include <string.h>

static int one_by_one(struct tape *t, uint64_t set[4])
{
	for (unsigned value = 0; value < 256; value++) {
		u128 slot = value, out;

		tape_run(t, &slot, &out);
		set[value / 64] |= (uint64_t)(out & 1) << value % 64;
	}
	return 0;
}

int byte_set(struct solve_path *path, expr_t e, uint64_t set[4])
{
	const struct node *n = &path->nodes[e];
	struct tape t;
	int r = 0;

	if (n->vars != 1 || expr_width(path->pool, n->home) != 8 ||
	    expr_get(path->pool, e)->height > TAPE_HEIGHT)
		return -1;
	memset(set, 0, 4 * sizeof *set);
	tape_init(&t, path->pool, &e, 1);
	for (unsigned base = 0; base < 256; base += TAPE_LANES) {
		uint64_t slots[TAPE_LANES], out[TAPE_LANES];

		for (unsigned i = 0; i < TAPE_LANES; i++)
			slots[i] = base + i;
		if (!tape_run_batch(&t, slots, out)) {
			r = one_by_one(&t, set);
			break;
		}
		for (unsigned i = 0; i < TAPE_LANES; i++)
			set[(base + i) / 64] |= (out[i] & 1) << (base + i) % 64;
	}
	path->steps += 64;
	tape_release(&t);
	return r;
}

const uint64_t *byte_allowed(struct solve_path *path, expr_t variable)
{
	uint32_t at = path->nodes[variable].variable;
	struct variable *v = &path->vars.data[at];

	if (!v->has_allowed)
		memset(v->allowed, 0xff, sizeof v->allowed);
	v->has_allowed = 1;
	for (uint32_t u = v->unary; u != v->seen; u = path->unary.data[u].next) {
		uint64_t set[4];

		if (byte_set(path, path->unary.data[u].constraint, set) < 0)
			continue;
		for (int i = 0; i < 4; i++)
			v->allowed[i] &= set[i];
	}
	v->seen = v->unary;
	return v->allowed;
}
