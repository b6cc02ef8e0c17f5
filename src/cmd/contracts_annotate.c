/* contracts_annotate.c: a copy of a header with contracts.
 *
 * By its text: a name at the level of declarations, followed by a parenthesis, declares a function. The annotation stands before its first parameter, where clang takes it for that one's, and muster for the
 * function's; other compilers see an empty macro. Comments, strings, directives and bodies are passed over. Declarations that say MUSTER_REQUIRES already stay as they are.
 */
#include "cmd/contracts.h"

#include "base/token.h"

#include <string.h>

static const struct accepted_line *find(const struct accepted *all, const char *name, size_t n)
{
	for (size_t i = 0; i < all->lines.size; i++)
		if (strlen(all->lines.data[i].function) == n && !memcmp(all->lines.data[i].function, name, n) && strcmp(all->lines.data[i].text, ACCEPTED_NOTHING))
			return &all->lines.data[i];
	return NULL;
}

/* After a comment, or a directive at the start of a line with those that continue it; s itself: neither begins there. */
static const char *skip_apart(const char *s, int line_start)
{
	if (s[0] == '/' && s[1] == '*') {
		const char *end = strstr(s + 2, "*/");
		return end ? end + 2 : s + strlen(s);
	}
	if (s[0] == '/' && s[1] == '/')
		return s + strcspn(s, "\n");
	if (*s != '#' || !line_start)
		return s;
	while (*s && *s != '\n')
		s += *s == '\\' && s[1] ? 2 : 1;
	return s;
}

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t\r\n");
}

/* Does it declare parameters that are not annotated? */
static int takes_annotation(const char *open)
{
	const char *s = skip_blanks(open + 1), *end = strchr(s, ')');
	size_t n = token_name(s);
	if (!end || *s == ')' || (n == 4 && !memcmp(s, "void", 4) && skip_blanks(s + 4) == end))
		return 0;
	const char *said = strstr(s, "MUSTER_REQUIRES"), *over = strchr(s, ';');
	return !said || (over && said > over);
}

size_t contracts_annotate(const struct accepted *all, const struct buf *header, struct buf *out)
{
	const char *text = buf_str((struct buf *)header), *s = text, *copied = text;
	size_t count = 0;
	int depth = 0, line_start = 1;
	if (!strstr(text, "muster/muster.h"))
		buf_adds(out, "#include <muster/muster.h> /* MUSTER_REQUIRES */\n");
	while (*s) {
		const char *next = skip_apart(s, line_start);
		size_t n = token_name(s);
		if (next != s) {
			s = next;
			continue;
		}
		const struct accepted_line *l = n && !depth ? find(all, s, n) : NULL;
		if (n == 6 && !memcmp(s, "extern", 6) && *skip_blanks(s + 6) == '"' && strchr(s, '{')) { /* extern "C" {: no level */
			s = strchr(s, '{') + 1;
			continue;
		}
		const char *open = n ? skip_blanks(s + n) : s;
		if (l && *open == '(' && takes_annotation(open)) {
			buf_add(out, copied, (size_t)(open + 1 - copied));
			buf_addf(out, "MUSTER_REQUIRES(\"%s\") ", l->text);
			copied = open + 1;
			count++;
		}
		depth += *s == '{' || *s == '(';
		depth -= (*s == '}' || *s == ')') && depth > 0;
		line_start = *s == '\n' || (line_start && (*s == ' ' || *s == '\t'));
		s = n ? s + n : token_skip(s);
	}
	buf_adds(out, copied);
	return count;
}
