/* sanitized.c: what a source has for builds with AddressSanitizer, which muster's are.
 *
 * `#if __has_feature(address_sanitizer)` takes out reads beyond an object that are meant (lookup3.h), which would be reported. So the unit is preprocessed as for such a build. What users run is
 * the other one, and nobody looked at the code that it has instead: no function that reaches a difference is verified.
 *
 * The difference is one stretch of the text, from the first byte that differs to the last. Where it is not inside of one function, it is everybody's: a type may be another one.
 */
#include "harness/sanitized.h"

#include "base/map.h"

#include <string.h>

int sanitized_suits(const struct buf *text)
{
	static const char *const words[] = {"__asan_", "__sanitizer_", "__lsan_", "no_sanitize"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (text->size && memmem(text->data, text->size, words[i], strlen(words[i])))
			return 0;
	return 1;
}

struct sanitized_stretch sanitized_compare(const struct buf *text, const struct buf *other)
{
	size_t less = text->size < other->size ? text->size : other->size, same = 0, behind = 0;
	while (same < less && text->data[same] == other->data[same])
		same++;
	if (same == text->size && same == other->size)
		return (struct sanitized_stretch){.from = 0};
	while (behind < less - same && text->data[text->size - 1 - behind] == other->data[other->size - 1 - behind])
		behind++;
	return (struct sanitized_stretch){1, same, text->size - behind};
}

/* Behind the } of a body that begins at {; the text has no comments. */
static size_t end_of_body(const struct buf *text, size_t at)
{
	for (size_t depth = 0; at < text->size; at++) {
		char c = text->data[at];
		if (c == '"' || c == '\'') {
			for (at++; at < text->size && text->data[at] != c && text->data[at] != '\n'; at++)
				at += text->data[at] == '\\';
		} else if (c == '{') {
			depth++;
		} else if (c == '}' && !--depth) {
			return at + 1;
		}
	}
	return text->size;
}

/* The function in which all of it lies; UINT32_MAX: none. */
static uint32_t function_of(const struct front *f, const struct buf *text, const struct sanitized_stretch *s)
{
	for (uint32_t i = 0; i < f->functions.size; i++) {
		const struct front_function *fn = &f->functions.data[i];
		if (fn->defined && fn->body && fn->body < s->from && s->to < end_of_body(text, fn->body))
			return i;
	}
	return UINT32_MAX;
}

static int reaches(const struct front *f, uint32_t function, uint32_t target)
{
	struct front_reach r = {0};
	int found = 0;
	front_reach(f, function, &r);
	for (size_t i = 0; i < r.functions.size && !found; i++)
		found = r.functions.data[i] == target;
	vec_release(&r.functions);
	vec_release(&r.globals);
	return found;
}

void sanitized_limit(struct harness *h, const struct front *f, const struct buf *text, const struct sanitized_stretch *s)
{
	uint32_t in = s->differs ? function_of(f, text, s) : UINT32_MAX;
	for (size_t i = 0; i < h->functions.size && s->differs; i++)
		if (in == UINT32_MAX || reaches(f, h->functions.data[i].front, in))
			h->functions.data[i].limits |= 1u << HARNESS_SANITIZED;
}
