/* requires.c: preconditions as the user wrote them.
 *
 * They come from MUSTER_REQUIRES on a parameter, from refinements of it and of globals, from the attribute nonnull, and from --requires,
 * where "FUNCTION: EXPRESSION" speaks of one function and "EXPRESSION" of every function that has
 * all names in it: each name is a parameter of the function, a global, an enum constant or what
 * follows a dot or an arrow, and at least one is a parameter. The text is C but for len(p), the
 * number of elements from p on, tree(p, next, child), by these members no structure is met twice from
 * p on, distinct(p, q), one is null or they differ, terminated(p), p is null or one of its bytes is 0, and
 * ordered(p, q), both are null or point into one object, and q not in front of p, before(p), bytes of the object in front of p, and product(a, b), of which no wrapped one is small; it is compiled as such: names of types and casts
 * work, and clang judges the rest.
 *
 * Accepted contracts are assumed like the others, and stated where the function begins (statement.c).
 *
 * NULL is one whether the unit defines it or not.
 *
 * A conjunction is split at its && (outside of parentheses, and if no || or ? stands beside it), so
 * that the thunk that states it has no branch.
 */
#include "harness/plan.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/token.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* "f: x > 0": 1 and the function's name. */
static int has_function(const char *text, const char **name, size_t *length, const char **rest)
{
	const char *s = skip_blanks(text), *after;
	size_t n = token_name(s);

	after = skip_blanks(s + n);
	if (!n || *after != ':')
		return 0;
	*name = s;
	*length = n;
	*rest = skip_blanks(after + 1);
	return 1;
}

static int same(const char *name, size_t n, const char *s)
{
	return strlen(s) == n && !memcmp(name, s, n);
}

static int is_parameter(const struct front_function *fn, const char *name, size_t n)
{
	for (size_t i = 0; i < fn->parameters.size; i++)
		if (same(name, n, fn->parameters.data[i].name))
			return 1;
	return 0;
}

/* Known to the unit, whatever the function: globals, enum constants, names of types, keywords. */
static int is_known(const struct front *f, const char *name, size_t n)
{
	static const char *const words[] = {"sizeof", "int",   "unsigned", "signed", "char",
					    "short",  "long",  "float",	   "double", "const",
					    "struct", "union", "enum",	   "void",   "volatile",
					    "_Bool",  "bool",  "true",	   "false",  "_Alignof", "NULL"};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (same(name, n, words[i]))
			return 1;
	for (size_t i = 0; i < f->globals.size; i++)
		if (same(name, n, f->globals.data[i].name))
			return 1;
	for (size_t i = 0; i < f->types.size; i++) {
		const struct front_type *t = &f->types.data[i];
		const char *last = t->name ? strrchr(t->name, ' ') : NULL;

		if (t->name && (same(name, n, t->name) || (last && same(name, n, last + 1))))
			return 1;
		for (size_t k = 0; k < t->enumerators.size; k++)
			if (same(name, n, t->enumerators.data[k].name))
				return 1;
	}
	return 0;
}

/* The place of the parenthesis that closes the one at s. */
static const char *close_of(const char *s)
{
	int depth = 0;

	for (; *s; s = token_skip(s)) {
		depth += (*s == '(') - (*s == ')');
		if (!depth)
			return s;
	}
	return NULL;
}

/* Where the first of several arguments ends; their close where there is one. */
static const char *first_argument(const char *open, const char *close)
{
	int depth = 0;

	for (const char *s = open; s < close; s = token_skip(s)) {
		depth += (*s == '(' || *s == '[') - (*s == ')' || *s == ']');
		if (depth == 1 && *s == ',')
			return s;
	}
	return close;
}

static int is_call(const char *s, size_t n, const char *name)
{
	return same(s, n, name) && *skip_blanks(s + n) == '(' && close_of(skip_blanks(s + n));
}

/* Does the function have all names of the expression? */
int plan_speaks_of(const struct front *f, const struct front_function *fn, const char *text)
{
	const char *s = text, *before = text, *members = NULL; /* before: the last character that is no blank */
	int mine = 0;

	while (*s) {
		size_t n = token_name(s);
		int member =
		    *before == '.' || (*before == '>' && before > text && before[-1] == '-');

		if (n && !member && *skip_blanks(s + n) != '(') {
			if (is_parameter(fn, s, n))
				mine = 1;
			else if (!is_known(f, s, n))
				return 0;
		}
		if (is_call(s, n, "tree")) /* its members are names of no variable */
			members = first_argument(skip_blanks(s + n), close_of(skip_blanks(s + n)));
		if (n)
			before = s + n - 1;
		else if (!isspace((unsigned char)*s))
			before = s;
		s = n ? s + n : token_skip(s);
		if (members && s >= members) {
			s = strchr(members, ')');
			members = NULL;
		}
	}
	return mine;
}

int plan_requires_check(const struct front *f, const char *const *requires)
{
	for (; requires && *requires; requires ++) {
		const char *name, *text;
		size_t n;
		int found = 0;

		if (has_function(*requires, &name, &n, &text)) {
			char *function = mem_strndup(name, n);
			int number = front_function(f, function);
			struct buf near = BUF_EMPTY;

			found = number >= 0 && f->functions.data[number].defined;
			if (!found)
				front_nearest(f, function, &near);
			if (!found)
				error_set("--requires '%s': there is no function '%s'%s%s",
					  *requires, function, near.size ? "; near: " : "",
					  buf_str(&near));
			buf_release(&near);
			free(function);
		} else {
			for (size_t i = 0; i < f->functions.size && !found; i++)
				found = f->functions.data[i].defined &&
					plan_speaks_of(f, &f->functions.data[i], *requires);
			if (!found)
				error_set(
				    "--requires '%s': no function has parameters of these names",
				    *requires);
		}
		if (!found)
			return -1;
	}
	return 0;
}

/* Calls each for the parts of a conjunction. */
static void split(const char *text, plan_requires_each each, void *ctx)
{
	VEC(const char *) ands = {0};
	int depth = 0, whole = 0;

	for (const char *s = text; *s; s = token_skip(s)) {
		depth +=
		    (*s == '(' || *s == '[' || *s == '{') - (*s == ')' || *s == ']' || *s == '}');
		if (depth)
			continue;
		whole |= *s == '?' || *s == ',' || (s[0] == '|' && s[1] == '|');
		if (s[0] == '&' && s[1] == '&') {
			vec_push(&ands, s);
			s++;
		}
	}
	if (whole)
		vec_clear(&ands);
	for (size_t i = 0; i <= ands.size; i++) {
		const char *from = i ? ands.data[i - 1] + 2 : text;
		size_t n = i < ands.size ? (size_t)(ands.data[i] - from) : strlen(from);
		char *part = mem_strndup(from, n);

		each(ctx, part);
		free(part);
	}
	vec_release(&ands);
}

static int names_parameter(const struct front_function *fn, const char *text)
{
	for (const char *s = text; *s;) {
		size_t n = token_name(s);

		if (n && is_parameter(fn, s, n))
			return 1;
		s = n ? s + n : token_skip(s);
	}
	return 0;
}

/* Refinements of globals that the function may look at. */
static void of_globals(const struct harness *h, const struct front_function *fn, plan_requires_each each, void *ctx)
{
	const struct front *f = h->front;
	struct front_reach reach = {0};
	size_t refined = 0;

	for (size_t i = 0; i < f->globals.size; i++)
		refined += f->globals.data[i].requires != NULL;
	if (!refined)
		return;
	front_reach(f, (uint32_t)(fn - f->functions.data), &reach);
	for (size_t i = 0; i < reach.globals.size; i++) {
		const char *text = f->globals.data[reach.globals.data[i]].requires;

		/* In the thunk the parameter's name would be the parameter. */
		if (text && !names_parameter(fn, text))
			split(text, each, ctx);
	}
	vec_release(&reach.functions);
	vec_release(&reach.globals);
}

void plan_requires(const struct harness *h, const struct front_function *fn,
		   plan_requires_each each, void *ctx)
{
	for (size_t i = 0; i < fn->parameters.size; i++) {
		const struct front_parameter *m = &fn->parameters.data[i];

		if (m->nonnull && *m->name) {
			char *text = mem_printf("%s != 0", m->name);

			each(ctx, text);
			free(text);
		}
		if (m->requires)
			split(m->requires, each, ctx);
	}
	of_globals(h, fn, each, ctx);
	for (const char *const *r = h->options.requires; r && *r; r++) {
		const char *name, *text;
		size_t n;

		if (has_function(*r, &name, &n, &text)) {
			if (same(name, n, fn->name))
				split(text, each, ctx);
		} else if (plan_speaks_of(h->front, fn, *r)) {
			split(*r, each, ctx);
		}
	}
	if (plan_accepted(h, fn) && strcmp(plan_accepted(h, fn), HARNESS_NOTHING))
		split(plan_accepted(h, fn), each, ctx);
}

const char *plan_accepted(const struct harness *h, const struct front_function *fn)
{
	for (const char *const *r = h->options.accepted; r && *r; r++) {
		const char *name, *text;
		size_t n;

		if (has_function(*r, &name, &n, &text) && same(name, n, fn->name))
			return text;
	}
	return NULL;
}

/* tree(p, next, child): a call of what source.c has for it. */
static void expand_tree(const char *open, const char *close, const char *unknown, struct buf *out)
{
	const char *comma = first_argument(open, close);
	char *argument = mem_strndup(open + 1, (size_t)(comma - open - 1)), *members = mem_strndup(comma, (size_t)(close - comma)), *rest = members, *name;
	struct buf inner = BUF_EMPTY, offsets = BUF_EMPTY;
	unsigned count = 0;

	plan_requires_expand(argument, unknown, &inner);
	while ((name = strsep(&rest, ","))) {
		if (!*skip_blanks(name))
			continue;
		buf_addf(&offsets, "%s__builtin_offsetof(__typeof__(*(%s)), %s)", count++ ? ", " : "", buf_str(&inner), name);
	}
	buf_addf(out, "muster_tree((%s), sizeof *(%s), %u, (const unsigned long[]){%s}, %s%s)", buf_str(&inner), buf_str(&inner), count, count ? buf_str(&offsets) : "0", unknown ? "&" : "", unknown ? unknown : "(int *)0");
	buf_release(&inner);
	buf_release(&offsets);
	free(argument);
	free(members);
}

/* distinct(p, q): one is null, or they differ. */
static void expand_distinct(const char *open, const char *close, const char *unknown, struct buf *out)
{
	const char *comma = first_argument(open, close);
	char *a = mem_strndup(open + 1, (size_t)(comma - open - 1)), *b = mem_strndup(comma + (comma < close), (size_t)(close - comma - (comma < close)));
	struct buf p = BUF_EMPTY, q = BUF_EMPTY;

	plan_requires_expand(a, unknown, &p);
	plan_requires_expand(b, unknown, &q);
	buf_addf(out, "((%s) == (void *)0 || (const volatile void *)(%s) != (const volatile void *)(%s))", buf_str(&p), buf_str(&p), buf_str(&q));
	buf_release(&p);
	buf_release(&q);
	free(a);
	free(b);
}

/* terminated(p) and ordered(p, q): calls of what source.c has for them. */
static void expand_call(const char *function, const char *open, const char *close, const char *unknown, struct buf *out)
{
	char *arguments = mem_strndup(open + 1, (size_t)(close - open - 1)), *first = mem_strndup(open + 1, (size_t)(first_argument(open, close) - open - 1));
	struct buf all = BUF_EMPTY, one = BUF_EMPTY;

	plan_requires_expand(arguments, unknown, &all);
	plan_requires_expand(first, unknown, &one);
	buf_addf(out, "%s(%s, sizeof *(%s), %s%s)", function, buf_str(&all), buf_str(&one), unknown ? "&" : "", unknown ? unknown : "(int *)0");
	buf_release(&all);
	buf_release(&one);
	free(arguments);
	free(first);
}

int plan_requires_before(const char *text)
{
	for (const char *s = text; *s;) {
		size_t n = token_name(s);
		if (is_call(s, n, "before"))
			return 1;
		s = n ? s + n : token_skip(s);
	}
	return 0;
}

/* before(p): the driver's pointers point to the start of their objects. What a caller in the unit passes is not known. */
static void expand_before(const char *unknown, struct buf *out)
{
	if (unknown)
		buf_addf(out, "(%s = 1, 0ul)", unknown);
	else
		buf_adds(out, "0ul");
}

void plan_requires_expand(const char *text, const char *unknown, struct buf *out)
{
	for (const char *s = text; *s;) {
		size_t n = token_name(s);
		const char *open = skip_blanks(s + n), *close;

		if (n == 3 && !memcmp(s, "len", 3) && *open == '(' && (close = close_of(open))) {
			struct buf inner = BUF_EMPTY;
			char *argument = mem_strndup(open + 1, (size_t)(close - open - 1));

			plan_requires_expand(argument, unknown, &inner);
			buf_addf(out, unknown ? "__muster_length_at((%s), sizeof *(%s), &%s)" : "__muster_length((%s), sizeof *(%s))", buf_str(&inner),
				 buf_str(&inner), unknown);
			buf_release(&inner);
			free(argument);
			s = close + 1;
		} else if (is_call(s, n, "before")) {
			expand_before(unknown, out);
			s = close_of(open) + 1;
		} else if (is_call(s, n, "every") || is_call(s, n, "apart")) { /* of all structures of a type: C has no name for them, and unit/contracts.c asks it of each call that failed */
			if (unknown)
				buf_addf(out, "(%s = 1, 1)", unknown);
			else
				buf_adds(out, "1");
			s = close_of(open) + 1;
		} else if (is_call(s, n, "tree") || is_call(s, n, "distinct")) {
			close = close_of(open);
			(*s == 't' ? expand_tree : expand_distinct)(open, close, unknown, out);
			s = close + 1;
		} else if (is_call(s, n, "product")) {
			buf_adds(out, "muster_product");
			s += n;
		} else if (is_call(s, n, "terminated") || is_call(s, n, "ordered")) {
			close = close_of(open);
			expand_call(*s == 't' ? "muster_terminated" : "muster_ordered", open, close, unknown, out);
			s = close + 1;
		} else if (n == 4 && !memcmp(s, "NULL", 4)) {
			buf_adds(out, "((void *)0)");
			s += n;
		} else {
			const char *next = n ? s + n : token_skip(s);

			for (; s < next; s++) /* it stays on its line */
				buf_addc(out, *s == '\n' ? ' ' : *s);
		}
	}
}
