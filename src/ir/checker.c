/* checker.c: the rows of the checker table, and lists of checkers as users write them.
 *
 * Numbers, names and words come from MUSTER_CHECKERS, which the runtime shares; what only the tool needs (which report confirms a
 * violation, which flags make the sanitizers look for it) stands here. Kinds are the sanitizers' own keys. */
#include "ir/checker.h"

#include "base/error.h"
#include "base/option.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KINDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define MEMORY                                                                                                            \
	"heap-buffer-overflow", "stack-buffer-overflow", "stack-buffer-underflow", "global-buffer-overflow",              \
	    "dynamic-stack-buffer-overflow", "container-overflow", "unknown-crash", "SEGV", "BUS", "out-of-bounds-index", \
	    "insufficient-object-size", "pointer-overflow", "stack-overflow", "wild-addr", "wild-access"
#define NULL_OFFSET "null-pointer-use-with-offset", "nullptr-with-offset", "nullptr-with-nonzero-offset", "nullptr-after-nonzero-offset"
#define FREED "heap-use-after-free", "stack-use-after-return", "stack-use-after-scope", "use-after-poison"

static const struct {
	enum checker_test test;
	const char *san;
	const char *const *kinds;
} rows[MUSTER_CHECK_COUNT] = {
    [MUSTER_CHECK_NONE] = {CHECKER_OWN, NULL, NULL},
    [MUSTER_CHECK_DIVIDE] = {CHECKER_SAN, NULL, KINDS("integer-divide-by-zero", "signed-integer-overflow", "FPE", "float-divide-by-zero")},
    [MUSTER_CHECK_NULL] = {CHECKER_SAN, NULL, KINDS("null-pointer-use", "SEGV", NULL_OFFSET)},
    [MUSTER_CHECK_NONNULL] = {CHECKER_SAN, NULL, KINDS("invalid-null-argument", "invalid-null-return", "null-pointer-use", "SEGV")},
    [MUSTER_CHECK_ARRAY_UNDER] = {CHECKER_SAN, NULL, KINDS(MEMORY, FREED)},
    [MUSTER_CHECK_ARRAY_OVER] = {CHECKER_SAN, NULL, KINDS(MEMORY, FREED)},
    [MUSTER_CHECK_SUB_OBJECT] = {CHECKER_OWN, NULL, KINDS("out-of-bounds-index", MEMORY)},
    [MUSTER_CHECK_RANGE] = {CHECKER_SAN, NULL, KINDS("negative-size-param", "memcpy-param-overlap", "calloc-overflow", MEMORY, FREED)},
    [MUSTER_CHECK_INT_UNDER] = {CHECKER_SAN, NULL, KINDS("signed-integer-overflow")},
    [MUSTER_CHECK_INT_OVER] = {CHECKER_SAN, NULL, KINDS("signed-integer-overflow")},
    [MUSTER_CHECK_UINT_UNDER] = {CHECKER_SAN, "unsigned-integer-overflow", KINDS("unsigned-integer-overflow")},
    [MUSTER_CHECK_UINT_OVER] = {CHECKER_SAN, "unsigned-integer-overflow", KINDS("unsigned-integer-overflow")},
    [MUSTER_CHECK_CONVERT_LOW] = {CHECKER_SAN, "implicit-conversion", KINDS("implicit-unsigned-integer-truncation", "implicit-signed-integer-truncation", "implicit-integer-sign-change", "implicit-signed-integer-truncation-or-sign-change")},
    [MUSTER_CHECK_CONVERT_HIGH] = {CHECKER_SAN, "implicit-conversion", KINDS("implicit-unsigned-integer-truncation", "implicit-signed-integer-truncation", "implicit-integer-sign-change", "implicit-signed-integer-truncation-or-sign-change")},
    [MUSTER_CHECK_STACK] = {CHECKER_SAN, NULL, KINDS(MEMORY, FREED)},
    [MUSTER_CHECK_ALLOC] = {CHECKER_OWN, NULL, KINDS("allocation-size-too-big", "calloc-overflow", "reallocarray-overflow", "pvalloc-overflow", "out-of-memory", "non-positive-vla-bound-value", "dynamic-stack-buffer-overflow", "stack-overflow")},
    [MUSTER_CHECK_SHIFT] = {CHECKER_SAN, NULL, KINDS("invalid-shift-exponent", "invalid-shift-base")},
    [MUSTER_CHECK_USE_FREED] = {CHECKER_SAN, NULL, KINDS(FREED)},
    [MUSTER_CHECK_BAD_FREE] = {CHECKER_SAN, NULL, KINDS("double-free", "attempting", "bad-free", "alloc-dealloc-mismatch", "attempting-free-on-address", "bad-malloc_usable_size")},
    [MUSTER_CHECK_ASSERT] = {CHECKER_SAN, NULL, KINDS("unreachable-call", "ABRT", "abort", "assert")},
    [MUSTER_CHECK_REFINE] = {CHECKER_SAN, NULL, KINDS("refinement", "contract")},
    [MUSTER_CHECK_OTHER] = {CHECKER_SAN, NULL, KINDS("misaligned-pointer-use", "invalid-bool-load", "invalid-enum-load", "float-cast-overflow", "invalid-builtin-use", "pointer-overflow", NULL_OFFSET)},
    [MUSTER_CHECK_RETURN] = {CHECKER_SAN, NULL, KINDS("missing-return")},
    [MUSTER_CHECK_FORMAT] = {CHECKER_SAN, NULL, KINDS("format-argument", "format-conversion", "format-overlap", "va-list")},
    [MUSTER_CHECK_PAIR] = {CHECKER_SAN, NULL, KINDS("pointer-pair")},
};

const struct checker *checker_get(unsigned id)
{
	static struct checker table[MUSTER_CHECK_COUNT] = {
#define X(id, key, by_default, words) [MUSTER_CHECK_##id] = {.name = key, .on = by_default, .text = words},
	    MUSTER_CHECKERS(X)
#undef X
	};
	if (id >= MUSTER_CHECK_COUNT)
		id = MUSTER_CHECK_NONE;
	struct checker *c = &table[id];
	c->test = rows[id].test, c->san = rows[id].san, c->kinds = rows[id].kinds;
	return c;
}

checker_set checker_default(void)
{
	checker_set set = 0;
	for (unsigned i = 1; i < MUSTER_CHECK_COUNT; i++)
		if (checker_get(i)->on)
			set |= CHECKER_BIT(i);
	return set;
}

checker_set checker_all(void)
{
	return (CHECKER_BIT(MUSTER_CHECK_COUNT) - 1) & ~CHECKER_BIT(MUSTER_CHECK_NONE);
}

/* One word of a list: 1, or 0 if there is no such checker. */
static int set_of(const char *word, size_t size, checker_set *out)
{
	static const struct {
		const char *name;
		checker_set (*set)(void);
	} sets[] = {{"all", checker_all}, {"default", checker_default}};
	*out = 0;
	if (size == 4 && !memcmp(word, "none", 4))
		return 1;
	for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++)
		if (strlen(sets[i].name) == size && !memcmp(word, sets[i].name, size))
			return *out = sets[i].set(), 1;
	for (unsigned i = 1; i < MUSTER_CHECK_COUNT; i++)
		if (strlen(checker_get(i)->name) == size && !memcmp(word, checker_get(i)->name, size))
			return *out = CHECKER_BIT(i), 1;
	return 0;
}

int checker_parse(const char *list, checker_set *out)
{
	checker_set set = *list == '-' || *list == '+' ? checker_default() : 0, one;
	while (*list) {
		int leave = *list == '-';
		list += leave || *list == '+';
		size_t size = strcspn(list, ", ");
		if (size && !set_of(list, size, &one)) {
			char word[64];
			snprintf(word, sizeof word, "%.*s", (int)size, list);
			struct option_near n = OPTION_NEAR(word);
			for (unsigned i = 1; i < MUSTER_CHECK_COUNT; i++)
				option_near(&n, checker_get(i)->name);
			return error_set("there is no checker '%s'%s%s%s; 'muster show checkers' lists them", word,
					 n.name ? ": did you mean '" : "", n.name ? n.name : "", n.name ? "'?" : "");
		}
		if (size)
			set = leave ? set & ~one : set | one;
		list += size;
		list += strspn(list, ", ");
	}
	*out = set;
	return 0;
}

checker_set checker_left_out(const char *list)
{
	checker_set out = 0, one;
	for (list += strspn(list, ", "); *list; list += strcspn(list, ", "), list += strspn(list, ", "))
		if (*list == '-' && set_of(list + 1, strcspn(list + 1, ", "), &one))
			out |= one;
	return out;
}

void checker_names(checker_set set, struct buf *out)
{
	const char *between = "";
	if (set == checker_default() || set == checker_all() || !set) {
		buf_adds(out, !set ? "none" : set == checker_all() ? "all" : "default");
		return;
	}
	for (unsigned i = 1; i < MUSTER_CHECK_COUNT; i++)
		if (set & CHECKER_BIT(i)) {
			buf_addf(out, "%s%s", between, checker_get(i)->name);
			between = ", ";
		}
}

checker_set checker_pair(unsigned id)
{
	static const unsigned pairs[][2] = {{MUSTER_CHECK_ARRAY_UNDER, MUSTER_CHECK_ARRAY_OVER},
					    {MUSTER_CHECK_INT_UNDER, MUSTER_CHECK_INT_OVER},
					    {MUSTER_CHECK_CONVERT_LOW, MUSTER_CHECK_CONVERT_HIGH}};
	for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (id == pairs[i][0] || id == pairs[i][1])
			return CHECKER_BIT(pairs[i][0]) | CHECKER_BIT(pairs[i][1]);
	return CHECKER_BIT(id);
}

checker_set checker_of_kind(const char *kind)
{
	checker_set set = 0;
	for (unsigned i = 1; i < MUSTER_CHECK_COUNT; i++)
		for (const char *const *k = checker_get(i)->kinds; k && *k; k++)
			if (!strcmp(*k, kind))
				set |= CHECKER_BIT(i);
	return set;
}

/* "A + B cannot be represented": below the smallest number? */
static int goes_below(const char *words)
{
	char *end;
	while (*words && *words != '-' && !isdigit((unsigned char)*words))
		words++;
	int negative = *words == '-';
	strtoll(words, &end, 10);
	end += strspn(end, " ");
	if (*end == '*') {
		end += 1 + strspn(end + 1, " ");
		return negative != (*end == '-');
	}
	return negative && (*end == '+' || *end == '-');
}

enum muster_checker checker_of_finding(const char *kind, const char *words)
{
	checker_set set = checker_of_kind(kind);
	if (!strcmp(kind, "signed-integer-overflow") && (strstr(words, "division of ") || strstr(words, " / -1")))
		return MUSTER_CHECK_DIVIDE;
	if (!strcmp(kind, "signed-integer-overflow"))
		return goes_below(words) ? MUSTER_CHECK_INT_UNDER : MUSTER_CHECK_INT_OVER;
	if (!strcmp(kind, "unsigned-integer-overflow"))
		return strstr(words, " - ") || strstr(words, "negation") ? MUSTER_CHECK_UINT_UNDER : MUSTER_CHECK_UINT_OVER;
	if (!strncmp(kind, "implicit-", 9))
		return *words == '-' || strstr(words, "value -") ? MUSTER_CHECK_CONVERT_LOW : MUSTER_CHECK_CONVERT_HIGH;
	if (!strcmp(kind, "SEGV"))
		return strstr(words, "null pointer") ? MUSTER_CHECK_NULL : MUSTER_CHECK_ARRAY_OVER;
	if (!strcmp(kind, "assert") || !strcmp(kind, "abort"))
		return MUSTER_CHECK_ASSERT;
	if (set & CHECKER_BIT(MUSTER_CHECK_USE_FREED))
		return MUSTER_CHECK_USE_FREED;
	if (set & CHECKER_BIT(MUSTER_CHECK_ARRAY_OVER))
		return strstr(words, " before ") || !strncmp(words, "index -", 7) ? MUSTER_CHECK_ARRAY_UNDER : MUSTER_CHECK_ARRAY_OVER;
	for (unsigned i = 1; i < MUSTER_CHECK_COUNT; i++)
		if (set & CHECKER_BIT(i))
			return (enum muster_checker)i;
	return MUSTER_CHECK_NONE;
}
