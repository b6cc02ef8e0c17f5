/* words.c: a condition as its author wrote it, taken apart by tokens: names, conjuncts, a form without branches. */
#include "refine/unit.h"

#include "base/token.h"

#include <ctype.h>
#include <string.h>

void words_names(const char *text, void (*each)(void *ctx, const char *name, size_t size), void *ctx)
{
	char before = 0; /* the last character that is no blank; '>' of an arrow is '.' */

	for (const char *s = text; *s;) {
		size_t n = token_name(s);

		if (n && before != '.')
			each(ctx, s, n);
		if (n)
			before = 'a';
		else if (*s == '-' && s[1] == '>')
			before = '.', s++;
		else if (!isspace((unsigned char)*s))
			before = *s;
		s = n ? s + n : token_skip(s);
	}
}

void words_star(const char *text, const char *const *names, size_t count, struct buf *out)
{
	char before = 0;

	for (const char *s = text, *next; *s; s = next) {
		size_t n = token_name(s), i = 0;

		next = n ? s + n : token_skip(s);
		while (i < count && !(n && strlen(names[i]) == n && !memcmp(names[i], s, n)))
			i++;
		if (n && before != '.' && i < count) {
			buf_addf(out, "(*%s)", names[i]);
		} else {
			buf_add(out, s, (size_t)(next - s));
		}
		if (*s == '>' && before == '-')
			before = '.';
		else if (!isspace((unsigned char)*s))
			before = *s;
	}
}

static int opens(char c)
{
	return c == '(' || c == '[' || c == '{';
}

static int closes(char c)
{
	return c == ')' || c == ']' || c == '}';
}

/* Where the two-character operator stands first outside of parentheses, from s up to end; NULL: nowhere. */
static const char *find(const char *s, const char *end, const char *op)
{
	int depth = 0;

	while (s < end) {
		size_t n = token_name(s);

		if (!depth && !n && s + 1 < end && s[0] == op[0] && s[1] == op[1])
			return s;
		depth += opens(*s);
		depth -= closes(*s);
		s = n ? s + n : token_skip(s);
	}
	return NULL;
}

/* Whether one of these characters stands outside of parentheses. */
static int has(const char *s, const char *end, const char *set)
{
	int depth = 0;

	while (s < end) {
		size_t n = token_name(s);

		if (!depth && !n && strchr(set, *s))
			return 1;
		depth += opens(*s);
		depth -= closes(*s);
		s = n ? s + n : token_skip(s);
	}
	return 0;
}

static void trim(const char **s, const char **end)
{
	while (*s < *end && isspace((unsigned char)**s))
		++*s;
	while (*end > *s && isspace((unsigned char)(*end)[-1]))
		--*end;
}

void words_split(const char *text, void (*each)(void *ctx, const char *part, size_t size), void *ctx)
{
	const char *s = text, *end = text + strlen(text), *at, *stop;
	int whole = find(s, end, "||") || has(s, end, "?,");

	for (; s < end; s = at ? at + 2 : end) {
		at = whole ? NULL : find(s, end, "&&");
		stop = at ? at : end;
		const char *from = s;

		trim(&from, &stop);
		each(ctx, from, (size_t)(stop - from));
	}
}

/* Whether evaluating all of it does nothing and cannot fail: comparisons of names and numbers. */
static int is_harmless(const char *s)
{
	char before = '(';

	while (*s) {
		size_t n = token_name(s);
		char c = *s;

		if (n && !strncmp(s, "sizeof", n))
			return 0;
		if (!n && strchr("*/%[?+", c) && c)
			return 0;
		if (!n && ((c == '-' && !(isdigit((unsigned char)s[1]) && strchr("(<>=!&|", before))) ||
			   (c == '<' && s[1] == '<') || (c == '(' && before == 'a')))
			return 0;
		if (!isspace((unsigned char)c))
			before = n || isalnum((unsigned char)c) ? 'a' : c;
		s = n ? s + n : token_skip(s);
	}
	return 1;
}

static void straight(const char *s, const char *end, struct buf *out)
{
	static const char *const ops[] = {"||", "&&"};

	trim(&s, &end);
	for (int i = 0; i < 2; i++) {
		const char *at = find(s, end, ops[i]);

		if (!at)
			continue;
		buf_adds(out, "(");
		straight(s, at, out);
		buf_addf(out, " %c ", ops[i][0]);
		straight(at + 2, end, out);
		buf_adds(out, ")");
		return;
	}
	if (s < end && *s == '(' && end[-1] == ')' && !find(s + 1, end - 1, ")") && !has(s + 1, end - 1, ")")) {
		straight(s + 1, end - 1, out);
		return;
	}
	buf_adds(out, "!!(");
	buf_add(out, s, (size_t)(end - s));
	buf_adds(out, ")");
}

void words_straight(const char *text, struct buf *out)
{
	if (is_harmless(text))
		straight(text, text + strlen(text), out);
	else
		buf_addf(out, "!!(%s)", text);
}

void words_quote(const char *text, struct buf *out)
{
	buf_addc(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			buf_addc(out, '\\');
		buf_addc(out, *text == '\n' ? ' ' : *text);
	}
	buf_addc(out, '"');
}
