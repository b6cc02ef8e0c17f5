/* absint.c: analyses, and what they are about.
 *
 * If values were found not to be exact, the analysis is made once more with symbols for them, which follow wrapping.
 */
#include "absint/absint.h"
#include "absint/callee.h"
#include "absint/inside.h"

#include "base/error.h"

#include <string.h>

#define SYMBOLS_TWICE 48

static void analyse(struct absint *a)
{
	plan_make(a);
	iterate(a);
	size_t before = a->symbols.size;
	if (a->weakened || before > SYMBOLS_TWICE)
		return;
	size_t lost = 0;
	for (uint32_t v = 0; v < a->f->value_count; v++)
		lost += a->lost[v];
	if (!lost)
		return;
	if (!a->options.no_split && a->packs.size == 1) {
		a->optimistic = 1;
		iterate(a);
		a->optimistic = 0;
		a->weakened = 0;
	}
	iterate_release(a);
	plan_release(a);
	plan_make(a);
	iterate(a);
}

static struct absint *make(const struct code *code, const struct code_function *f, uint32_t loop,
			   const struct absint_options *o)
{
	struct absint *a = mem_zalloc(sizeof *a);
	a->code = code;
	a->f = f;
	a->loop = loop;
	if (o)
		a->options = *o;
	a->kind = a->options.domain;
	callee_prepare(a);
	analyse(a);
	domain_budget(0);
	return a;
}

struct absint *absint_new(const struct code *code, const struct code_function *function,
			  const struct absint_options *o)
{
	return make(code, function, NONE, o);
}

struct absint *absint_loop(const struct code *code, const struct code_function *function,
			   uint32_t loop, const struct absint_options *o)
{
	while (function->loops[loop].parent != CODE_NONE)
		loop = function->loops[loop].parent;
	return make(code, function, loop, o);
}

void absint_free(struct absint *a)
{
	if (!a)
		return;
	iterate_release(a);
	plan_release(a);
	free(a->lost);
	linear_list_release(&a->wraps);
	free(a);
}

enum domain_kind absint_domain(const struct absint *a)
{
	return a->kind;
}

int absint_weakened(const struct absint *a)
{
	return a->weakened;
}

size_t absint_symbols(const struct absint *a, const struct absint_symbol **symbols)
{
	*symbols = a->list.data;
	return a->list.size;
}

struct absint_symbol absint_value(const struct absint *a, uint32_t value)
{
	return reading(a, value);
}

struct absint_symbol absint_counter(const struct absint *a, uint32_t loop)
{
	(void)a;
	return (struct absint_symbol){ABSINT_COUNTER, loop, 0, 1};
}

struct absint_symbol absint_total(const struct absint *a, uint32_t loop)
{
	(void)a;
	return (struct absint_symbol){ABSINT_TOTAL, loop, 0, 1};
}

size_t absint_inputs(const struct absint *a, const struct absint_symbol **symbols)
{
	*symbols = a->inputs.data;
	return a->inputs.size;
}

size_t absint_cells(const struct absint *a, const uint32_t **cells)
{
	*cells = a->cells.data;
	return a->cells.size;
}
