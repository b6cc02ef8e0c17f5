/* token.c: a loop with token_name and token_skip passes over all of a text, and sees no name inside of strings, characters and numbers. */
#include "base/token.h"

#include <ctype.h>

size_t token_name(const char *s)
{
	size_t n = 0;

	while (isalpha((unsigned char)s[n]) || s[n] == '_' || (n && isdigit((unsigned char)s[n])))
		n++;
	return n;
}

const char *token_skip(const char *s)
{
	if (*s == '"' || *s == '\'') {
		char quote = *s++;

		while (*s && *s != quote)
			s += *s == '\\' && s[1] ? 2 : 1;
		return *s ? s + 1 : s;
	}
	if (isdigit((unsigned char)*s)) {
		while (isalnum((unsigned char)*s) || *s == '.' || *s == '_')
			s++;
		return s;
	}
	return s + 1;
}
