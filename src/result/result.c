/* result.c: filling in a result, and asking it. */
#include "result/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void result_release(struct result *r)
{
	vec_release(&r->functions);
	vec_release(&r->tests);
	vec_release(&r->bugs);
	vec_release(&r->old_bugs);
	vec_release(&r->contracts);
	vec_release(&r->uncalled);
	vec_release(&r->obligations);
	vec_release(&r->points);
	vec_release(&r->notes);
	vec_release(&r->figures);
	vec_release(&r->checkers);
	arena_release(&r->strings);
	memset(r, 0, sizeof *r);
}

const char *result_keep(struct result *r, struct buf *text)
{
	const char *kept = arena_strndup(&r->strings, buf_str(text), text->size);
	buf_clear(text);
	return kept;
}

static const char *key_text(struct result *r, const char *format, va_list ap)
{
	struct buf key = {0};
	buf_addv(&key, format, ap);
	const char *kept = result_keep(r, &key);
	buf_release(&key);
	return kept;
}

void result_count(struct result *r, uint64_t value, const char *key, ...)
{
	va_list ap;
	va_start(ap, key);
	vec_push(&r->figures, (struct result_figure){.key = key_text(r, key, ap), .count = value});
	va_end(ap);
}

void result_real(struct result *r, double value, const char *key, ...)
{
	va_list ap;
	va_start(ap, key);
	vec_push(&r->figures, (struct result_figure){.key = key_text(r, key, ap), .is_real = 1, .real = value});
	va_end(ap);
}

void result_word(struct result *r, const char *word, const char *key)
{
	vec_push(&r->figures, (struct result_figure){.key = key, .word = word, .is_word = 1});
}

const struct result_figure *result_figure(const struct result *r, const char *key)
{
	static const struct result_figure none = {.key = ""};
	for (size_t i = 0; i < r->figures.size; i++)
		if (!strcmp(r->figures.data[i].key, key))
			return &r->figures.data[i];
	return &none;
}
