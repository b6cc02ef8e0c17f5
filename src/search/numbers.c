/* numbers.c: numbers in the text of inputs, with as many digits as types have.
 *
 * A function that reads a number digit by digit has a path for each number of digits, and a generation of the search adds one digit.
 * The limits of short, int, int64_t and uint64_t are 5, 10, 19 and 20 digits away from "7", and the paths between differ in nothing else. So the
 * first numbers of a seed are also put there with so many digits, with and without a sign, as tests of their own: what value breaks something
 * on such a path is the solver's to say. One digit more than a type has is a path of its own, too: strtol(3) gives the limit itself.
 *
 * What the input says before the number may decide what is done with it ("add 7", "scale 7"), and how it is said no seed may know. So
 * the first tests that the search keeps because they cover something new get the same, once nothing urgent is left.
 * They are few, whatever the seeds are.
 */
#include "search/numbers.h"

#include "base/hash.h"
#include "base/limit.h"
#include "search/inside.h"

#include <ctype.h>
#include <string.h>

#define NUMBERS LIMIT(3, 1) /* written numbers of an input that are replaced | by hand (tries) */
#define SMALL LIMIT(1024, 8) /* bytes of an input whose numbers are replaced | larger inputs are no text of a few numbers */
#define FIRST_INPUTS LIMIT(100, 2) /* inputs of a corpus, after which seeds' numbers are left alone | a corpus has its own numbers */
#define TESTS LIMIT(12, 1) /* tests that are not seeds | by hand (tries) */

static const char *const longer[] = {"10000",  "1000000000",  "1000000000000000001",  "10000000000000000001",
				     "-10000", "-1000000000", "-1000000000000000001", "-10000000000000000001"};

/* Runs the input with [from, to) replaced by `text`, and keeps it. 0, -1. */
static int offer(struct search *s, const uint8_t *data, size_t size, size_t from, size_t to, const char *text)
{
	struct buf out = {0};
	struct exec_result r;
	buf_add(&out, data, from);
	buf_adds(&out, text);
	buf_add(&out, data + to, size - to);
	/* What is new of it is inside of a library function. */
	struct search_test t = {.data = (const uint8_t *)out.data, .size = out.size, .origin = ORIGIN_MUTATED, .flags = TEST_PROGRESS};
	int e = 0;
	if (out.size <= s->o.max_input && memory_add(&s->known.inputs, hash128(out.data, out.size).a)) {
		s->stats.runs++;
		s->budget.inputs_run++;
		e = exec_run(s->t.exec, out.data, out.size, &r) || search_keep(s, &t, &r, 1) < 0;
	}
	buf_release(&out);
	return e ? -1 : 0;
}

/* The next number at or after `at`, with its sign: 1, or 0. */
static int next_number(const uint8_t *data, size_t size, size_t at, size_t *from, size_t *to)
{
	while (at < size && !isdigit(data[at]))
		at++;
	if (at == size)
		return 0;
	*from = at && data[at - 1] == '-' ? at - 1 : at;
	while (at < size && isdigit(data[at]))
		at++;
	*to = at;
	return 1;
}

static int offer_all(struct search *s, const uint8_t *data, size_t size, uint64_t most)
{
	size_t from, to = 0;
	int r = 0;
	s->next.numbers_busy = 1;
	for (unsigned found = 0; !r && found < NUMBERS && next_number(data, size, to, &from, &to); found++)
		for (size_t i = 0; i < sizeof longer / sizeof *longer && !r && s->budget.inputs_run < most && !search_over_limit(s); i++)
			r = offer(s, data, size, from, to, longer[i]);
	s->next.numbers_busy = 0;
	return r;
}

int search_offer_numbers(struct search *s, const uint8_t *data, size_t size)
{
	return size > SMALL ? 0 : offer_all(s, data, size, FIRST_INPUTS);
}

void numbers_note(struct search *s, const struct search_test *t)
{
	size_t from, to;
	if (s->o.no_mutate || s->o.unit || s->next.numbers_busy || s->next.numbers.size >= TESTS || !t->news.outcomes || t->origin == ORIGIN_SEED ||
	    t->flags & (TEST_CRASH | TEST_HANG) || t->size > SMALL || !next_number(t->data, t->size, 0, &from, &to))
		return;
	struct buf copy = {0};
	buf_add(&copy, t->data, t->size);
	vec_push(&s->next.numbers, copy);
}

int numbers_offer_next(struct search *s)
{
	if (s->next.numbers_at == s->next.numbers.size)
		return 0;
	struct buf *data = &s->next.numbers.data[s->next.numbers_at++];
	int r = offer_all(s, (const uint8_t *)data->data, data->size, UINT64_MAX);
	buf_release(data);
	return r;
}

void numbers_release(struct search *s)
{
	for (size_t i = s->next.numbers_at; i < s->next.numbers.size; i++)
		buf_release(&s->next.numbers.data[i]);
	vec_release(&s->next.numbers);
	s->next.numbers_at = 0;
}
