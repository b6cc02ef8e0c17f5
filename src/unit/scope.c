/* scope.c: what `verified` depends on, in words.
 *
 * One row for each thing that is taken for granted, and one for each that is not looked at: whoever reads the verdict must be able to tell what
 * it does not promise. Rows with a condition are there where it applies.
 */
#include "unit/unit.h"

static int has_array_parameter(const struct front *f)
{
	for (size_t i = 0; i < f->functions.size; i++)
		for (size_t k = 0; f->functions.data[i].defined && k < f->functions.data[i].parameters.size; k++)
			if (f->types.data[f->functions.data[i].parameters.data[k].type].count)
				return 1;
	return 0;
}

static int always(const struct test_session *s)
{
	(void)s;
	return 1;
}

static int arrays(const struct test_session *s)
{
	return has_array_parameter(s->driven.front);
}

static int any_globals(const struct test_session *s)
{
	return !s->driven.harness->options.globals_initial;
}

static int initial_globals(const struct test_session *s)
{
	return s->driven.harness->options.globals_initial;
}

static int hooks(const struct test_session *s)
{
	return s->driven.harness->has_hooks;
}

static int preconditions(const struct test_session *s)
{
	return s->driven.harness->options.requires && s->driven.harness->options.requires[0];
}

static int conversions(const struct test_session *s)
{
	return (s->o->checks & (CHECKER_BIT(MUSTER_CHECK_CONVERT_LOW) | CHECKER_BIT(MUSTER_CHECK_CONVERT_HIGH))) != 0;
}

static int no_conversions(const struct test_session *s)
{
	return !conversions(s);
}

static int pairs(const struct test_session *s)
{
	return (s->o->checks & CHECKER_BIT(MUSTER_CHECK_PAIR)) != 0;
}

/* X(where it applies, words): what a call is like. */
#define ASSUMED(X)                                                                         \
	X(arrays, "parameters declared as arrays have at least that many elements")        \
	X(any_globals, "globals of any value")                                             \
	X(initial_globals, "globals as initialised")                                       \
	X(hooks, "functions in hooks that manage memory do so as libc's do")              \
	X(preconditions, "preconditions of --requires hold")                               \
	X(always, "what callers pass to be freed came from malloc")                        \
	X(always, "no other thread runs")                                                  \
	X(always, "errno is 0, the locale is C, floating point rounds to nearest")         \
	X(always, "allocation and output by libc succeed")

/* The same: what is not looked at. */
#define UNSEEN(X)                                                                                      \
	X(always, "reads of memory that was never written")                                            \
	X(always, "leaks")                                                                             \
	X(conversions, "implicit conversions whose result is no index, size, address or loop's end")   \
	X(no_conversions, "implicit conversions")                                                      \
	X(pairs, "pairs of pointers into one structure")                                               \
	X(always, "addresses outside of their object, or of one that is gone, without an access")   \
	X(always, "local variables that are gone while their place is in use again, or still is")      \
	X(always, "what va_arg takes against what was passed") \
	X(always, "accesses by another type than the object's")                                        \
	X(always, "calls by a pointer without a prototype, or to another type of function if that comes from another unit") \
	X(always, "what restrict, const and static in an array parameter promise")                                       \
	X(always, "an access at a constant distance that lands in another object")                     \
	X(always, "the first byte of a block of no bytes (malloc(0))")                                 \
	X(always, "side effects in no order")                                             \
	X(always, "what C asks of libc's callers and this libc does not need (toupper of 1000)")

struct row {
	int (*applies)(const struct test_session *s);
	const char *words;
};
static const struct row assumed[] = {
#define X(applies, words) {applies, words},
    ASSUMED(X)};
static const struct row unseen[] = {UNSEEN(X)
#undef X
};

static void add_rows(const struct test_session *s, const struct row *rows, size_t n, const char *between, struct buf *out)
{
	const char *before = "";

	for (size_t i = 0; i < n; i++)
		if (rows[i].applies(s)) {
			buf_addf(out, "%s%s", before, rows[i].words);
			before = between;
		}
}

static void add_checkers(const struct test_session *s, struct buf *out)
{
	const char *between = "";

	for (unsigned i = 1; i < MUSTER_CHECK_COUNT; i++)
		if (s->o->checks & CHECKER_BIT(i)) {
			buf_addf(out, "%s%s", between, checker_get(i)->name);
			between = ", ";
		}
	if (!*between)
		buf_adds(out, "none");
}

/* What was tried beyond the bounds, for which nothing is promised. */
static void scope_grown(const struct test_session *s, struct buf *out)
{
	uint32_t growth = 0, functions = 0;
	for (size_t i = 0; i < s->functions.size; i++) {
		uint32_t g = s->functions.data[i].searched ? s->functions.data[i].result.growth : 0;
		functions += g > 0;
		growth = g > growth ? g : growth;
	}
	if (growth)
		buf_addf(out, "; tried beyond these bounds, for branches that were left in %u function%s: up to %u elements, strings of up to %u characters",
			 functions, functions == 1 ? "" : "s", harness_most_elements(s->driven.harness, growth),
			 harness_most_characters(s->driven.harness, growth) - 1);
}

void test_scope(const struct test_session *s, struct buf *out)
{
	const struct harness_options *o = &s->driven.harness->options;

	buf_addf(out,
		 "any values of parameters; pointers are null or point to the start of one of %u "
		 "objects a type, apart from globals and from other types' objects, of up to %u "
		 "elements, strings of up to %u characters; ",
		 o->objects, o->elements, o->characters ? o->characters - 1 : 0);
	add_rows(s, assumed, sizeof assumed / sizeof *assumed, "; ", out);
	buf_addf(out, "; a call ends within %g s; checkers: ", s->o->run_time);
	add_checkers(s, out);
	buf_adds(out, ", by AddressSanitizer, UndefinedBehaviorSanitizer and muster's own tests; not checked: ");
	add_rows(s, unseen, sizeof unseen / sizeof *unseen, ", ", out);
	scope_grown(s, out);
}
