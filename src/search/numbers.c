/* numbers.c: numbers in the text of a seed, with as many digits as types have.
 *
 * A function that reads a number digit by digit has a path for each number of digits, and a generation of the search adds one digit.
 * The limits of short, int and int64_t are 5, 10 and 19 digits away from "7", and the paths between differ in nothing else. So the
 * first numbers of a seed are also put there with so many digits, with and without a sign, as tests of their own: what value breaks something
 * on such a path is the solver's to say. They are few, whatever the seed is.
 */
#include "search/numbers.h"

#include "base/hash.h"
#include "search/inside.h"

#include <ctype.h>
#include <string.h>

#define NUMBERS 3	     /* of a seed */
#define SMALL 1024	     /* bytes: of larger seeds none are made */
#define FIRST_INPUTS 100     /* more are not made once that many inputs were run: a corpus has its own numbers */

static const char *const longer[] = {"10000", "1000000000", "1000000000000000001", "-10000", "-1000000000", "-1000000000000000001"};

/* Runs the seed with [from, to) replaced by `text`, and keeps it. 0, -1. */
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
	if (out.size <= s->o.max_input && memory_add(&s->inputs, hash128(out.data, out.size).a)) {
		s->stats.runs++;
		s->inputs_run++;
		e = exec_run(s->t.exec, out.data, out.size, &r) || search_keep(s, &t, &r, 1) < 0;
	}
	buf_release(&out);
	return e ? -1 : 0;
}

int search_offer_numbers(struct search *s, const uint8_t *data, size_t size)
{
	unsigned found = 0;
	if (size > SMALL)
		return 0;
	for (size_t at = 0; at < size && found < NUMBERS; at++) {
		if (!isdigit(data[at]))
			continue;
		size_t from = at, to = at;
		while (to < size && isdigit(data[to]))
			to++;
		if (from && data[from - 1] == '-')
			from--;
		for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
			if (s->inputs_run < FIRST_INPUTS && offer(s, data, size, from, to, longer[i]))
				return -1;
		at = to;
		found++;
	}
	return 0;
}
