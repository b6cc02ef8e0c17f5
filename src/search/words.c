/* words.c: words for the mutation stage that come from the program.
 *
 * From traces: constants that values of at least two bytes were compared with, in both byte
 * orders, since the program may have swapped them before. From the program's file: short strings
 * without blanks in its read-only data, which is where keywords stand.
 */
#include "base/elf.h"
#include "base/file.h"
#include "search/havoc.h"
#include "search/inside.h"
#include "search/mutation.h"

#include <string.h>

#define LONGEST 16 /* bytes of a word for the dictionary | keywords and magic numbers are shorter */
#define READ_LIMIT ((size_t)256 << 20)

static void constant(struct search *s, u128 value, unsigned width)
{
	uint8_t little[16], big[16];
	unsigned size = width / 8;
	if (size < 2 || size > 16 || value == 0)
		return;
	while (size > 2 && value >> (8 * (size - 1)) == 0)
		size--; /* a short constant that was compared in a wide type */
	for (unsigned i = 0; i < size; i++) {
		little[i] = (uint8_t)(value >> (8 * i));
		big[size - 1 - i] = little[i];
	}
	mutation_word(s->next.mutation, little, size);
	mutation_word(s->next.mutation, big, size);
}

void search_compared(struct search *s, const struct exprs *p, expr_t goal)
{
	const struct expr_node *n = expr_get(p, goal);
	u128 value;
	if (!s->next.mutation)
		return;
	if (n->op == MUSTER_OP_XOR && n->width == 1)
		n = expr_get(p, n->a);
	if (n->op == MUSTER_OP_EQ && expr_is_const(p, n->b, &value))
		constant(s, value, expr_width(p, n->a));
}

struct words {
	struct search *s;	     /* whose words they become, or */
	struct strmap *into;	     /* where they are noted */
	const struct strmap *except; /* not these, if not NULL */
};

static void word(struct words *w, const char *text, size_t size)
{
	char copy[LONGEST + 1];
	memcpy(copy, text, size);
	copy[size] = 0;
	uint64_t left_out = 0;
	if (w->into)
		strmap_set(w->into, copy, 1);
	else if (!w->except || !strmap_get(w->except, copy, &left_out) || !left_out)
		mutation_word(w->s->next.mutation, text, size);
}

/* Strings of a read-only section: runs of characters between bytes that are none. */
static int section(void *ctx, const char *name, const void *contents, size_t size)
{
	struct words *w = ctx;
	const char *p = contents;
	size_t start = 0;
	if (strncmp(name, ".rodata", 7))
		return 0;
	for (size_t i = 0; i <= size; i++) {
		if (i < size && p[i] > ' ' && p[i] < 0x7f)
			continue;
		/* A blank in it, or no end: a sentence, or no string. */
		if (i < size && !p[i] && i - start >= 2 && i - start <= LONGEST && (!start || !p[start - 1]))
			word(w, p + start, i - start);
		start = i + 1;
	}
	return 0;
}

void search_words_note(const void *elf, size_t size, struct strmap *out)
{
	struct words w = {.into = out};
	elf_sections(elf, size, section, &w);
}

void search_words_of(struct search *s, const char *program, const struct strmap *except)
{
	struct words w = {.s = s, .except = except};
	struct buf file = {0};
	if (!s->next.mutation)
		return;
	if (!file_read_limited(program, READ_LIMIT, &file))
		elf_sections(file.data, file.size, section, &w); /* a file without sections has no words */
	buf_release(&file);
}
