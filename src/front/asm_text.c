/* asm_text.c: which inline assembly says nothing about a function's result.
 *
 * libclang has no operands of an asm statement, and its tokens are those of a macro where one wrote it. But clang prints every body in one
 * form, with macros expanded and strings joined:
 *
 *	asm volatile ("template" : "=r" (x) : "0" (y) : "memory");
 *
 * A statement is harmless if its template has only instructions that change nothing, and if every operand that it writes begins as something: as
 * itself ("+r") or as an input ("0"). All others may read a clock, or write what they please.
 */
#include "front/asm_text.h"

#include <ctype.h>
#include <string.h>

/* After the literal or character constant that begins here. */
static const char *skip_quoted(const char *at)
{
	char quote = *at++;

	while (*at && *at != quote)
		at += *at == '\\' && at[1] ? 2 : 1;
	return *at ? at + 1 : at;
}

static int is_idle(const char *word, size_t length)
{
	static const char *const idle[] = {"nop", "pause", "rep", "mfence", "lfence", "sfence"};

	for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
		if (strlen(idle[i]) == length && !memcmp(word, idle[i], length))
			return 1;
	return 0;
}

/* Only instructions that change nothing, if any; at is after the quote. */
static int template_is_idle(const char *at)
{
	while (*at && *at != '"') {
		size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz");

		if (n ? !is_idle(at, n) : *at != ' ' && *at != ';' && *at != '\\')
			return 0;
		if (!n && *at == '\\' && at[1] != 'n' && at[1] != 't')
			return 0;
		at += n ? n : *at == '\\' ? 2 : 1;
	}
	return 1;
}

/* Of the statement whose parenthesis begins here. */
static int matters(const char *at)
{
	int depth = 0, section = 0, made = 0, given = 0;

	for (; *at; at++) {
		if (*at == '"' && depth == 1) {
			if (section == 0 && !template_is_idle(at + 1))
				return 1;
			made += section == 1 && at[1] != '+';
			given += section == 2 && (isdigit((unsigned char)at[1]) || at[1] == '[');
		}
		if (*at == '"' || *at == '\'')
			at = skip_quoted(at) - 1;
		depth += *at == '(';
		depth -= *at == ')';
		section += *at == ':' && depth == 1;
		if (!depth)
			break;
	}
	return made > given;
}

static int is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

int asm_text_matters(const char *body)
{
	for (const char *at = body; *at; at++) {
		if (*at == '"' || *at == '\'') {
			at = skip_quoted(at) - 1;
			continue;
		}
		if (strncmp(at, "asm", 3) || is_name(at[3]) || (at > body && is_name(at[-1])))
			continue;
		at += 3;
		while (*at == ' ' || is_name(*at)) /* volatile, goto */
			at++;
		if (*at != '(' || matters(at))
			return 1;
	}
	return 0;
}

/* The words of the literal that begins here, one a line. */
static void add_words(const char *at, struct buf *out)
{
	for (at++; *at && *at != '"';) {
		size_t n = 0;

		if (*at == '\\' && at[1]) { /* \nname: begins after the n */
			at += 2;
			continue;
		}
		while (is_name(at[n]))
			n++;
		buf_add(out, at, n);
		if (n)
			buf_addc(out, '\n');
		at += n ? n : 1;
	}
}

/* Of the parenthesis that begins here. */
static void add_parenthesis(const char *at, struct buf *out)
{
	int depth = 0;

	for (; *at; at++) {
		if (*at == '"')
			add_words(at, out);
		if (*at == '"' || *at == '\'')
			at = skip_quoted(at) - 1;
		depth += *at == '(';
		depth -= *at == ')';
		if (!depth)
			break;
	}
}

static int is_asm(const char *word, size_t length)
{
	static const char *const words[] = {"asm", "__asm", "__asm__"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == length && !memcmp(word, words[i], length))
			return 1;
	return 0;
}

void asm_text_words(const char *unit, struct buf *out)
{
	buf_addc(out, '\n');
	for (const char *at = unit; *at; at++) {
		size_t n = 0;

		if (*at == '"' || *at == '\'') {
			at = skip_quoted(at) - 1;
			continue;
		}
		while (is_name(at[n]))
			n++;
		if (is_asm(at, n)) {
			const char *open = at + n;

			while (isspace((unsigned char)*open) || is_name(*open)) /* volatile */
				open++;
			if (*open == '(')
				add_parenthesis(open, out);
		}
		at += n ? n - 1 : 0;
	}
}
