/* dictionary.c: reading dictionaries as AFL and libFuzzer have them.
 *
 * A line is empty, a comment (#), or an optional name, an optional @level and '=', then
 * a word in quotes in which \\, \" and \xNN stand for bytes; C's \n, \r, \t and \0 are taken
 * too. Nothing but space or a comment may follow. Words longer than a struct havoc_word are cut to
 * what it holds.
 */
#include "search/havoc.h"

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"

#include <ctype.h>
#include <string.h>

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* What stands after a backslash; the number of characters it takes, 0 if it is none. */
static size_t escape(const char *p, const char *end, char *out)
{
	static const char names[] = "\\\"'nrt0", values[] = "\\\"'\n\r\t";
	const char *at;

	if (p == end)
		return 0;
	if (*p == 'x' && end - p >= 3 && hex(p[1]) >= 0 && hex(p[2]) >= 0) {
		*out = (char)(hex(p[1]) << 4 | hex(p[2]));
		return 3;
	}
	at = memchr(names, *p, sizeof names - 1);
	if (!at)
		return 0;
	*out = values[at - names];
	return 1;
}

static const char *skip_space(const char *p, const char *end)
{
	while (p < end && isspace((unsigned char)*p))
		p++;
	return p;
}

/* The user's words stand before those that were learnt and push the newest of them out. */
static void add_word(struct havoc *h, const void *data, size_t size)
{
	struct havoc_word w = {.size = (uint8_t)size};
	size_t i = 0;

	memcpy(w.data, data, size);
	map_set(&h->hashes, hash64(data, size, 0), 1);
	while (i < h->words.size && memcmp(&h->words.data[i], &w, sizeof w))
		i++;
	if (i < h->user_words || h->user_words == HAVOC_WORDS)
		return;
	if (i == h->words.size && h->words.size < HAVOC_WORDS)
		vec_push(&h->words, w);
	if (i == h->words.size)
		i--;
	memmove(h->words.data + h->user_words + 1, h->words.data + h->user_words,
		(i - h->user_words) * sizeof w);
	h->words.data[h->user_words++] = w;
}

/* NULL, or what is wrong with the line. */
static const char *line(struct havoc *h, const char *p, const char *end)
{
	struct buf word = BUF_EMPTY;
	const char *wrong = NULL;

	p = skip_space(p, end);
	if (p == end || *p == '#')
		return NULL;
	if (*p != '"') {
		const char *quote = memchr(p, '"', (size_t)(end - p));

		if (!quote || !memchr(p, '=', (size_t)(quote - p)))
			return "a word is written NAME=\"VALUE\" or \"VALUE\"";
		p = quote;
	}
	for (p++; p < end && *p != '"' && !wrong;) {
		size_t n = 0;
		char c = *p++;

		if (c == '\\') {
			n = escape(p, end, &c);
			if (!n)
				wrong = "a backslash stands before \\, \", n, r, t, 0 or xNN";
		}
		p += n;
		buf_addc(&word, c);
	}
	if (!wrong && p == end)
		wrong = "the closing quote is missing";
	if (!wrong && (p = skip_space(p + 1, end)) != end && *p != '#')
		wrong = "something follows the word";
	if (!wrong && !word.size)
		wrong = "the word is empty";
	if (!wrong) {
		size_t most = sizeof((struct havoc_word *)0)->data;

		add_word(h, word.data, word.size < most ? word.size : most);
	}
	buf_release(&word);
	return wrong;
}

int havoc_dictionary(struct havoc *h, const char *path)
{
	struct buf text = BUF_EMPTY;
	const char *p, *end, *wrong = NULL;
	unsigned number = 0;

	if (file_read_limited(path, 64u << 20, &text))
		return error_wrap("the dictionary '%s'", path);
	for (p = text.data, end = p + text.size; p < end && !wrong;) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));

		number++;
		eol = eol ? eol : end;
		wrong = line(h, p, eol);
		p = eol + (eol < end);
	}
	buf_release(&text);
	return wrong ? error_set("the dictionary '%s', line %u: %s", path, number, wrong) : 0;
}
