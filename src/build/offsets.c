/* offsets.c: the hand-written offsetof, in preprocessed C.
 *
 * (size_t)&((struct s *)0)->m is an address that is not accessed, and every compiler takes it for what offsetof says; but the check for null
 * pointers reports it. For the san variant it is written as __builtin_offsetof. Only where a cast stands right before it, so that its type
 * does not matter, with a type of names alone and a designator that offsetof takes; anything else stays as it is. Whoever compiles
 * the result tries the text as it was if that fails, so a wrong guess costs a compilation and no more.
 */
#include "build/offsets.h"

#include <ctype.h>
#include <string.h>

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *blanks(const char *p)
{
	return p + strspn(p, " \t\n");
}

/* After 0, NULL as it is defined, or either in parentheses; NULL: it is none of these. */
static const char *null_constant(const char *p, int depth)
{
	p = blanks(p);
	if (*p == '0')
		return is_word(p[1]) || p[1] == '.' ? NULL : p + 1;
	if (*p != '(' || !depth)
		return NULL;
	const char *cast = blanks(p + 1);
	if (!strncmp(cast, "void", 4) && *blanks(cast + 4) == '*' && *blanks(blanks(cast + 4) + 1) == ')')
		return null_constant(blanks(blanks(cast + 4) + 1) + 1, depth - 1);
	p = null_constant(p + 1, depth - 1);
	p = p ? blanks(p) : NULL;
	return p && *p == ')' ? p + 1 : NULL;
}

/* After "name", "name.name" and "name[expression]". NULL: offsetof does not take it. */
static const char *designator(const char *p)
{
	const char *end = p;
	while (is_word(*end))
		end++;
	if (end == p)
		return NULL;
	for (;;) {
		const char *next = blanks(end);
		size_t depth = 0, n = 0;
		if (*next == '.') {
			for (end = blanks(next + 1); is_word(*end); end++)
				continue;
		} else if (*next == '[') {
			do {
				depth += next[n] == '[';
				depth -= next[n] == ']';
			} while (next[n] && (n++, depth));
			end = next + n;
		} else {
			return *next == '(' || (next[0] == '-' && next[1] == '>') ? NULL : end;
		}
	}
}

struct match {
	const char *type, *type_end, *member, *end;
};

/* From the '&'. */
static int match(const char *p, struct match *m)
{
	p = blanks(p + 1);
	if (*p != '(' || *blanks(p + 1) != '(')
		return 0;
	m->type = p = blanks(blanks(p + 1) + 1);
	while (is_word(*p) || strchr(" \t\n", *p ? *p : 'x'))
		p++;
	m->type_end = p;
	if (*p != '*' || p == m->type || *blanks(p + 1) != ')')
		return 0;
	p = null_constant(blanks(p + 1) + 1, 3);
	p = p ? blanks(p) : NULL;
	if (!p || *p != ')')
		return 0;
	p = blanks(p + 1);
	if (strncmp(p, "->", 2))
		return 0;
	m->member = blanks(p + 2);
	m->end = designator(m->member);
	return m->end != NULL;
}

/* Is the type of what follows of no matter, since a cast stands before it? end: after it. */
static int is_cast(const struct buf *out, const char *end)
{
	size_t n = out->size;
	while (n && strchr(" \t\n", out->data[n - 1]))
		n--;
	if (n && out->data[n - 1] == '(' && *blanks(end) == ')')
		for (n--; n && strchr(" \t\n", out->data[n - 1]);)
			n--;
	return n && out->data[n - 1] == ')';
}

static void add_lines(struct buf *out, const char *from, const char *to)
{
	for (; from < to; from++)
		if (*from == '\n')
			buf_addc(out, '\n');
}

static void add(struct buf *out, const char *from, const char *to)
{
	for (; from < to; from++)
		buf_addc(out, *from == '\n' ? ' ' : *from);
}

/* After a string, a character or a line marker. */
static const char *literal(const char *p, int line_start)
{
	const char *end = p + 1;
	if (line_start && *p == '#')
		return p + strcspn(p, "\n");
	if (*p != '"' && *p != '\'')
		return p;
	while (*end && *end != *p && *end != '\n')
		end += end[0] == '\\' && end[1] ? 2 : 1;
	return *end == *p ? end + 1 : end;
}

unsigned offsets_rewrite(const struct buf *text, struct buf *out)
{
	unsigned count = 0;
	struct buf copy = {0};
	buf_add(&copy, text->data, text->size);
	for (const char *p = buf_str(&copy), *start = p; *p;) {
		const char *end = literal(p, p == start || p[-1] == '\n');
		struct match m;
		if (end != p) {
			buf_add(out, p, (size_t)(end - p));
			p = end;
		} else if (*p == '&' && p[1] != '&' && (p == start || p[-1] != '&') && match(p, &m) && is_cast(out, m.end)) {
			buf_adds(out, "((void *)(unsigned long)__builtin_offsetof(");
			add(out, m.type, m.type_end);
			buf_adds(out, ", ");
			add(out, m.member, m.end);
			buf_adds(out, "))");
			add_lines(out, p, m.end);
			p = m.end;
			count++;
		} else {
			buf_addc(out, *p++);
		}
	}
	buf_release(&copy);
	return count;
}
