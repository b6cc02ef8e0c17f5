/* mentions.c: is every caller of a static function known?
 *
 * By counting: each time the unit's text has the name, it must be a declaration of the function or a direct call of it, and nothing else: no initialiser, no address, no alias, no text for an
 * assembler, no attribute of another declaration, no variable or member that happens to have the name. The calls are those that the walk has seen. What the linker or a section may call (constructors, used ...) is
 * said by attributes of the function itself.
 */
#include "front/reader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Does a line "# 12 "FILE"" begin there, which says where the next one comes from? */
static int is_marker(const char *s)
{
	return s[0] == '#' && s[1] == ' ' && isdigit((unsigned char)s[2]);
}

/* Counts all names of the text that are functions of the unit. */
static void count_names(const struct reader *r, uint32_t *counts)
{
	const char *s = r->text.data, *end = s + r->text.size;
	uint64_t number;
	int line_start = 1;

	while (s < end) {
		size_t n = 0;

		if (line_start && end - s > 2 && is_marker(s)) {
			const char *next = memchr(s, '\n', (size_t)(end - s));
			s = next ? next + 1 : end;
			continue;
		}
		line_start = *s == '\n';
		while (s + n < end && is_word(s[n]))
			n++;
		if (n && !isdigit((unsigned char)*s)) {
			char *name = mem_strndup(s, n);
			if (strmap_get(&r->f->function_numbers, name, &number))
				counts[number]++;
			free(name);
		}
		s += n ? n : 1;
	}
}

int reader_says_called(const char *attributes)
{
	static const char *const words[] = {"constructor", "destructor", "used", "retain", "section", "interrupt", "ifunc", "init_array", "preserve", "export"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(attributes, words[i]))
			return 1;
	return 0;
}

void reader_mentions(struct reader *r)
{
	uint32_t *counts = calloc(r->f->functions.size + 1, sizeof *counts);

	if (!counts)
		return; /* nothing is known then */
	count_names(r, counts);
	for (size_t i = 0; i < r->f->functions.size; i++) {
		struct front_function *x = &r->f->functions.data[i];

		x->callers_known = x->defined && x->is_static && !x->address_taken && !x->is_weak && !x->symbol && !x->has_hidden_callers && r->text.size && counts[i] == x->declared + x->called;
	}
	free(counts);
}
