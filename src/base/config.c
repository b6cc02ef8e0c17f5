/* config.c: reads a file of options, line by line; what the names mean is the option tables' matter (option.c). */
#include "base/config.h"

#include "base/error.h"
#include "base/file.h"

#include <string.h>

#define SIZE_MOST (1u << 20) /* bytes of the file | it is written by hand */

/* The text without blanks at its ends. */
static char *trim(char *s)
{
	char *end = s + strlen(s);

	while (end > s && strchr(" \t\r", end[-1]))
		*--end = 0;
	return s + strspn(s, " \t\r");
}

static int read_line(struct config *c, const char *path, uint32_t number, char *text, const char **section)
{
	char *s = trim(text), *end = s + strlen(s), *equals = strchr(s, '=');

	if (!*s || *s == '#' || *s == ';')
		return 0;
	if (*s == '[') {
		if (end[-1] != ']' || end - s < 3)
			return error_set("%s:%u: a section is the name of a command in brackets, as in [test]", path, number);
		end[-1] = 0;
		*section = arena_strdup(&c->strings, trim(s + 1));
		vec_push(&c->lines, (struct config_line){number, *section, NULL, NULL});
		return 0;
	}
	if (!equals || equals == s)
		return error_set("%s:%u: '%s' is neither a section, as [test], nor an option, as time = 60", path, number, s);
	if (!*section)
		return error_set("%s:%u: '%s' stands before the first section: of which command is it? [test] above it says so", path, number, s);
	*equals = 0;
	vec_push(&c->lines, (struct config_line){number, *section, arena_strdup(&c->strings, trim(s)), arena_strdup(&c->strings, trim(equals + 1))});
	return 0;
}

int config_read(struct config *c, const char *path)
{
	struct buf text = BUF_EMPTY;
	const char *section = NULL;
	int e = file_read_limited(path, SIZE_MOST, &text);

	if (!e && memchr(text.data ? text.data : "", 0, text.size))
		e = error_set("%s: it is no text", path);
	char *rest = buf_str(&text), *line;
	for (uint32_t number = 1; !e && (line = strsep(&rest, "\n")); number++)
		e = read_line(c, path, number, line, &section);
	buf_release(&text);
	return e;
}

void config_release(struct config *c)
{
	vec_release(&c->lines);
	arena_release(&c->strings);
}
