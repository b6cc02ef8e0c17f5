/* code_unit.h: C text as our own view of a unit, and ways to find things in it. */
#ifndef TESTS_CODE_UNIT_H
#define TESTS_CODE_UNIT_H

#include "bitcode.h"
#include "ir/code.h"

#define CHECKS "-fsanitize=undefined,unsigned-integer-overflow,implicit-conversion -fsanitize-trap=all"

static inline struct code *load_with(const char *text, const char *extra)
{
	struct buf b = {0};
	struct code *c;

	compile_with(text, extra, &b);
	c = code_load(b.data, b.size, 7);
	if (!c)
		fail_msg("%s", error_text());
	buf_release(&b);
	return c;
}

static inline struct code *load(const char *text)
{
	return load_with(text, NULL);
}

static inline const struct code_function *function(const struct code *c, const char *name)
{
	const struct code_function *f = code_find(c, name);

	if (!f)
		fail_msg("no function %s", name);
	return f;
}

/* The n-th instruction with this operator. */
static inline uint32_t nth(const struct code_function *f, enum code_op op, unsigned n)
{
	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++)
		if (f->values[v].op == op && !n--)
			return v;
	fail_msg("%s: no such %s", f->name, code_op_text(op));
	return 0;
}

#endif
