/* solve_terms.h: short names for terms over the bytes of an input, for the tests of the solver. */
#ifndef MUSTER_TESTS_SOLVE_TERMS_H
#define MUSTER_TESTS_SOLVE_TERMS_H

#include "solve/solve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct exprs *pool; /* of the test that runs */

struct input {
	uint8_t bytes[64];
};

static inline u128 input_value(void *ctx, expr_t e)
{
	const struct expr_node *n = expr_get(pool, e);

	return n->op == MUSTER_OP_INPUT && n->k < 64 ? ((struct input *)ctx)->bytes[n->k] : 0;
}

static inline expr_t in(unsigned i)
{
	return expr_input(pool, 0, i);
}

static inline expr_t number(unsigned width, uint64_t v)
{
	return expr_const(pool, width, v);
}

static inline expr_t op(enum muster_op o, expr_t a, expr_t b)
{
	return expr_binary(pool, o, a, b);
}

static inline expr_t u32le(unsigned at)
{
	return expr_concat(pool, expr_concat(pool, in(at + 3), in(at + 2)),
			   expr_concat(pool, in(at + 1), in(at)));
}

/* Asks, checks verdict and rung; the model's bytes are put into *out, if given. */
static inline void ask(struct solve_path *path, expr_t goal, enum verdict want, enum solve_rung rung,
		struct input *out)
{
	struct solve_model m = {0};
	enum verdict v = solve_path_query(path, goal, &m);

	assert_int_equal(v, want);
	if (m.rung != rung)
		print_message("rung %s, not %s\n", solve_rung_key(m.rung), solve_rung_key(rung));
	assert_int_equal(m.rung, rung);
	for (size_t i = 0; out && i < m.values.size; i++)
		out->bytes[m.values.data[i].index] = (uint8_t)m.values.data[i].value;
	solve_model_release(&m);
}

#endif
