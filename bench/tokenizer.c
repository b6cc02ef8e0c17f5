/* A byte tokenizer: words, numbers, strings with escapes, operators, comments. */
#include "kernel.h"

enum token { END, WORD, NUMBER, STRING, COMMENT, OPERATOR };

static int is_word(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static const unsigned char *token(const unsigned char *p, const unsigned char *end, enum token *kind)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\t'))
		p++;
	if (p == end) {
		*kind = END;
	} else if (is_word(*p)) {
		*kind = WORD;
		while (p < end && (is_word(*p) || (*p >= '0' && *p <= '9')))
			p++;
	} else if (*p >= '0' && *p <= '9') {
		*kind = NUMBER;
		while (p < end && *p >= '0' && *p <= '9')
			p++;
	} else if (*p == '"') {
		*kind = STRING;
		for (p++; p < end && *p != '"'; p++)
			if (*p == '\\' && p + 1 < end)
				p++;
		if (p < end)
			p++;
	} else if (*p == '#') {
		*kind = COMMENT;
		while (p < end && *p != '\n')
			p++;
	} else {
		*kind = OPERATOR;
		p++;
		if (p < end && *p == '=')
			p++;
	}
	return p;
}

static uint32_t kernel(const unsigned char *p, size_t n)
{
	const unsigned char *end = p + n;
	uint32_t counts[6] = {0};
	enum token kind;
	do {
		p = token(p, end, &kind);
		counts[kind]++;
	} while (kind != END);
	return counts[WORD] * 31 + counts[NUMBER] * 7 + counts[STRING] * 5 + counts[COMMENT] * 3 + counts[OPERATOR];
}
