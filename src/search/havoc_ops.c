/* havoc_ops.c: the single random changes.
 *
 * A change picks a place, near one of the hot offsets half of the time if there are some, and
 * a size, small ones more often. Changes of text know numbers written in digits, and tokens:
 * runs of letters and digits, a quoted string, or one other character.
 *
 * Invariant: the buffer never passes h->limit, and every choice comes from
 * h->state alone, so the same seed makes the same changes.
 */
#include "search/havoc_ops.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const int8_t havoc_edges8[] = {-128, -1, 0, 1, 16, 32, 64, 100, 127};
const int16_t havoc_edges16[] = {-32768, -129, 128, 255, 256, 512, 1000, 1024, 4096, 32767};
const int32_t havoc_edges32[] = {INT32_MIN, -100663046, -32769,	   32768,
				 65535,	    65536,	100663045, INT32_MAX};
const unsigned havoc_edges8_count = sizeof havoc_edges8 / sizeof havoc_edges8[0];
const unsigned havoc_edges16_count = sizeof havoc_edges16 / sizeof havoc_edges16[0];
const unsigned havoc_edges32_count = sizeof havoc_edges32 / sizeof havoc_edges32[0];

static const char characters[] = "{}[]()<>\"'\\/,.;:=+-*&|!?#%@$~^_` \t\n\r0019aefnrtuxAEZ";

uint64_t havoc_load(const uint8_t *p, unsigned width, int big)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < width; i++)
		v |= (uint64_t)p[big ? width - 1 - i : i] << 8 * i;
	return v;
}

void havoc_store(uint8_t *p, unsigned width, int big, uint64_t v)
{
	for (unsigned i = 0; i < width; i++)
		p[big ? width - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

static uint8_t *bytes(struct havoc_task *t)
{
	return (uint8_t *)t->b->data;
}

static uint64_t pick(struct havoc_task *t, uint64_t below)
{
	return havoc_random(t->h, below);
}

/* A place with `room` bytes from it on; the buffer has at least that many. */
static size_t place(struct havoc_task *t, size_t room)
{
	size_t last = t->b->size - room;

	if (t->hot_count && pick(t, 2)) {
		size_t at = t->hot[pick(t, t->hot_count)];

		if (at <= last)
			return at;
	}
	return pick(t, last + 1);
}

/* A length from 1 to most: short ones mostly. */
static size_t length(struct havoc_task *t, size_t most)
{
	static const size_t tops[] = {4, 16, 64, 256, 1500, 32768};
	size_t top = tops[pick(t, 3) ? pick(t, 3) : pick(t, 6)];

	if (top > most)
		top = most;
	return 1 + pick(t, top);
}

size_t havoc_insert(struct havoc *h, struct buf *b, size_t at, const void *from, size_t n)
{
	if (b->size >= h->limit)
		return 0;
	if (n > h->limit - b->size)
		n = h->limit - b->size;
	buf_reserve(b, n);
	memmove(b->data + at + n, b->data + at, b->size - at);
	if (from)
		memcpy(b->data + at, from, n);
	else
		memset(b->data + at, 0, n);
	b->size += n;
	return n;
}

void havoc_delete(struct buf *b, size_t at, size_t n)
{
	memmove(b->data + at, b->data + at + n, b->size - at - n);
	b->size -= n;
}

/* Inserts a copy of the buffer's own bytes. */
static void insert_own(struct havoc_task *t, size_t to, size_t from, size_t n)
{
	uint8_t copy[4096];

	if (n > sizeof copy)
		n = sizeof copy;
	memcpy(copy, bytes(t) + from, n);
	havoc_insert(t->h, t->b, to, copy, n);
}

/* -------------------------------------------------------------- bytes */

static void op_flip_bit(struct havoc_task *t)
{
	if (t->b->size)
		bytes(t)[place(t, 1)] ^= (uint8_t)(1u << pick(t, 8));
}

static void op_set_byte(struct havoc_task *t)
{
	if (t->b->size)
		bytes(t)[place(t, 1)] ^= (uint8_t)(1 + pick(t, 255));
}

static void op_set_character(struct havoc_task *t)
{
	if (t->b->size)
		bytes(t)[place(t, 1)] = (uint8_t)characters[pick(t, sizeof characters - 1)];
}

/* A width that fits, or 0. */
static unsigned width_of(struct havoc_task *t)
{
	unsigned width = 1u << pick(t, 4);

	while (width > t->b->size)
		width /= 2;
	return width;
}

static uint64_t edge(struct havoc_task *t, unsigned width)
{
	unsigned from = width == 1 ? 0 : (unsigned)pick(t, width == 2 ? 2 : 3);

	if (from == 0)
		return (uint64_t)(int64_t)havoc_edges8[pick(t, havoc_edges8_count)];
	if (from == 1)
		return (uint64_t)(int64_t)havoc_edges16[pick(t, havoc_edges16_count)];
	return (uint64_t)(int64_t)havoc_edges32[pick(t, havoc_edges32_count)];
}

static void op_interesting(struct havoc_task *t)
{
	unsigned width = width_of(t);

	if (width)
		havoc_store(bytes(t) + place(t, width), width, (int)pick(t, 2), edge(t, width));
}

static void op_arithmetic(struct havoc_task *t)
{
	unsigned width = width_of(t);
	int big = (int)pick(t, 2);
	uint64_t by = 1 + pick(t, 35);
	uint8_t *p;

	if (!width)
		return;
	p = bytes(t) + place(t, width);
	havoc_store(p, width, big, havoc_load(p, width, big) + (pick(t, 2) ? by : 0 - by));
}

/* ------------------------------------------------------------- blocks */

static void op_delete_block(struct havoc_task *t)
{
	size_t n;

	if (t->b->size < 2)
		return;
	n = length(t, t->b->size - 1);
	havoc_delete(t->b, place(t, n), n);
}

static void op_clone_block(struct havoc_task *t)
{
	size_t n, from;

	if (!t->b->size)
		return;
	n = length(t, t->b->size);
	from = place(t, n);
	insert_own(t, place(t, 0), from, n);
}

static void op_insert_block(struct havoc_task *t)
{
	size_t at = place(t, 0), n = length(t, 64);
	uint8_t value =
	    t->b->size && pick(t, 2) ? bytes(t)[pick(t, t->b->size)] : (uint8_t)pick(t, 256);
	uint8_t copy[64];

	for (size_t i = 0; i < n; i++)
		copy[i] = value;
	havoc_insert(t->h, t->b, at, copy, n);
}

static void op_copy_block(struct havoc_task *t)
{
	size_t n;

	if (t->b->size < 2)
		return;
	n = length(t, t->b->size - 1);
	memmove(bytes(t) + place(t, n), bytes(t) + pick(t, t->b->size - n + 1), n);
}

static void op_fill_block(struct havoc_task *t)
{
	size_t n;

	if (t->b->size < 2)
		return;
	n = length(t, t->b->size - 1);
	memset(bytes(t) + place(t, n),
	       (int)(pick(t, 2) ? bytes(t)[pick(t, t->b->size)] : pick(t, 256)), n);
}

static void op_swap_blocks(struct havoc_task *t)
{
	size_t n, a, b;

	if (t->b->size < 2)
		return;
	n = length(t, t->b->size / 2);
	a = place(t, n);
	b = pick(t, t->b->size - n + 1);
	if (a < b ? b - a < n : a - b < n)
		return;
	for (size_t i = 0; i < n; i++) {
		uint8_t kept = bytes(t)[a + i];

		bytes(t)[a + i] = bytes(t)[b + i];
		bytes(t)[b + i] = kept;
	}
}

static void op_shuffle(struct havoc_task *t)
{
	size_t n, at;

	if (t->b->size < 2)
		return;
	n = length(t, t->b->size < 16 ? t->b->size : 16);
	at = place(t, n);
	for (size_t i = n; i > 1; i--) {
		size_t j = pick(t, i);
		uint8_t kept = bytes(t)[at + i - 1];

		bytes(t)[at + i - 1] = bytes(t)[at + j];
		bytes(t)[at + j] = kept;
	}
}

static void op_truncate(struct havoc_task *t)
{
	if (t->b->size > 1)
		t->b->size = 1 + pick(t, t->b->size - 1);
}

/* A field that may be a length grows, and as many bytes are put after it. */
static void op_grow_field(struct havoc_task *t)
{
	unsigned width = 1u << pick(t, 3);
	int big = (int)pick(t, 2);
	size_t at, n = length(t, 64), behind;
	uint64_t v;

	if (t->b->size < width)
		return;
	at = place(t, width);
	v = havoc_load(bytes(t) + at, width, big);
	behind = t->b->size - at - width;
	havoc_store(bytes(t) + at, width, big, v + n);
	if (v > behind)
		v = behind;
	havoc_insert(t->h, t->b, at + width + v, NULL, n);
}

/* ------------------------------------------------------------- splice */

static void op_splice_over(struct havoc_task *t)
{
	size_t n, most = t->other_size < t->b->size ? t->other_size : t->b->size;

	if (!most)
		return;
	n = length(t, most);
	memcpy(bytes(t) + place(t, n), t->other + pick(t, t->other_size - n + 1), n);
}

static void op_splice_insert(struct havoc_task *t)
{
	size_t n;

	if (!t->other_size)
		return;
	n = length(t, t->other_size);
	havoc_insert(t->h, t->b, place(t, 0), t->other + pick(t, t->other_size - n + 1), n);
}

/* --------------------------------------------------------------- words */

static const struct havoc_word *word_of(struct havoc_task *t)
{
	return t->h->words.size ? &t->h->words.data[pick(t, t->h->words.size)] : NULL;
}

static void op_word_over(struct havoc_task *t)
{
	const struct havoc_word *w = word_of(t);

	if (w && w->size <= t->b->size)
		memcpy(bytes(t) + place(t, w->size), w->data, w->size);
}

static void op_word_insert(struct havoc_task *t)
{
	const struct havoc_word *w = word_of(t);

	if (w)
		havoc_insert(t->h, t->b, place(t, 0), w->data, w->size);
}

/* ---------------------------------------------------------------- text */

int havoc_is_text(const uint8_t *data, size_t size)
{
	size_t step = size / 64 + 1, good = 0, all = 0;

	for (size_t i = 0; i < size; i += step, all++)
		good += (data[i] >= 32 && data[i] < 127) || data[i] == '\n' || data[i] == '\t' ||
			data[i] == '\r';
	return all && good * 100 >= all * 80;
}

/* A run of digits at or after a random place, around to the start. */
static int find_number(struct havoc_task *t, size_t *from, size_t *to)
{
	size_t n = t->b->size, start = n ? place(t, 1) : 0;

	for (size_t i = 0; i < n && i < 256; i++) {
		size_t at = (start + i) % n;

		if (!isdigit(bytes(t)[at]))
			continue;
		*from = *to = at;
		while (*from && isdigit(bytes(t)[*from - 1]) && at - *from < 20)
			--*from;
		while (*to < n && isdigit(bytes(t)[*to]) && *to - *from < 20)
			++*to;
		if (*from && bytes(t)[*from - 1] == '-')
			--*from;
		return 1;
	}
	return 0;
}

static int64_t other_number(struct havoc_task *t, int64_t v)
{
	uint64_t u = (uint64_t)v;

	switch (pick(t, 10)) {
	case 0:
		return (int64_t)(u + 1);
	case 1:
		return (int64_t)(u - 1);
	case 2:
		return (int64_t)(u * 2);
	case 3:
		return v / 2;
	case 4:
		return (int64_t)(0 - u);
	case 5:
		return (int64_t)pick(t, 256);
	case 6:
		return (int64_t)edge(t, 4);
	case 7:
		return (int64_t)((1ull << pick(t, 64)) - pick(t, 2));
	case 8:
		return (int64_t)(u + pick(t, 256) - 128);
	default:
		return (int64_t)(pick(t, 1ull << 63) >> pick(t, 62));
	}
}

static void op_number(struct havoc_task *t)
{
	char text[32];
	size_t from, to, n = 0;
	int64_t v = 0;

	if (!find_number(t, &from, &to))
		return;
	while (n < to - from && n < sizeof text - 1) {
		text[n] = (char)bytes(t)[from + n];
		n++;
	}
	text[n] = 0;
	sscanf(text, "%20ld", &v);
	n = (size_t)snprintf(text, sizeof text, "%ld", (long)other_number(t, v));
	havoc_delete(t->b, from, to - from);
	havoc_insert(t->h, t->b, from, text, n);
}

static int is_name(uint8_t c)
{
	return isalnum(c) || c == '_' || c >= 128;
}

/* The token at a random place. */
static int find_token(struct havoc_task *t, size_t *from, size_t *to)
{
	size_t n = t->b->size, at;
	const uint8_t *p = bytes(t);

	if (!n)
		return 0;
	at = place(t, 1);
	*from = *to = at;
	if (p[at] == '"' || p[at] == '\'') {
		for (*to = at + 1; *to < n && *to - at < 256 && p[*to] != p[at];)
			++*to;
		*to += *to < n;
		return 1;
	}
	while (*from && at - *from < 128 && is_name(p[at]) && is_name(p[*from - 1]))
		--*from;
	while (*to < n && *to - at < 128 && is_name(p[*to]))
		++*to;
	if (*to == *from)
		++*to;
	return 1;
}

/* Several tokens that stand together, up to eight. */
static int find_tokens(struct havoc_task *t, size_t *from, size_t *to)
{
	if (!find_token(t, from, to))
		return 0;
	for (size_t more = pick(t, 2) ? 0 : pick(t, 8); more && *to < t->b->size; more--) {
		do
			++*to;
		while (*to < t->b->size && is_name(bytes(t)[*to]) && is_name(bytes(t)[*to - 1]));
	}
	return 1;
}

static void op_token_copy(struct havoc_task *t)
{
	size_t from, to, at, unused;

	if (!find_tokens(t, &from, &to) || !find_token(t, &unused, &at))
		return;
	insert_own(t, pick(t, 2) ? to : at, from, to - from);
}

static void op_token_over(struct havoc_task *t)
{
	size_t from, to, at, end, n;
	uint8_t copy[512];

	if (!find_tokens(t, &from, &to) || !find_token(t, &at, &end))
		return;
	n = to - from < sizeof copy ? to - from : sizeof copy;
	memcpy(copy, bytes(t) + from, n);
	havoc_delete(t->b, at, end - at);
	havoc_insert(t->h, t->b, at, copy, n);
}

static void op_token_delete(struct havoc_task *t)
{
	size_t from, to;

	if (find_tokens(t, &from, &to) && to - from < t->b->size)
		havoc_delete(t->b, from, to - from);
}

/* A word in the place of a token. */
static void op_token_word(struct havoc_task *t)
{
	const struct havoc_word *w = word_of(t);
	size_t from, to;

	if (!w || !find_token(t, &from, &to))
		return;
	havoc_delete(t->b, from, to - from);
	havoc_insert(t->h, t->b, from, w->data, w->size);
}

/* Behind so many tokens, from a border on. */
static size_t skip_tokens(const uint8_t *p, size_t size, size_t at, size_t tokens)
{
	for (; tokens && at < size; tokens--)
		do
			at++;
		while (at < size && is_name(p[at]) && is_name(p[at - 1]));
	return at;
}

/* One, or some. */
static size_t some_tokens(struct havoc_task *t)
{
	return 1 + (pick(t, 2) ? 0 : pick(t, pick(t, 2) ? 4 : 16));
}

/* Where the token begins that ends at `to`. */
static size_t token_before(const uint8_t *p, size_t to)
{
	size_t from = to ? to - 1 : 0;

	while (from && to - from < 32 && is_name(p[from]) && is_name(p[from - 1]))
		from--;
	return from;
}

/* What follows the same token in the other input, in the place of what follows it here, before it, or in the place of all the rest: what comes after an opening
 * bracket, a keyword, a separator there may come after it here. */
static void op_join(struct havoc_task *t)
{
	size_t from, to, before, n, behind, end;
	const uint8_t *found, *start;

	if (!t->other_size || !find_token(t, &from, &to) || !from)
		return;
	before = token_before(bytes(t), from);
	n = from - before;
	if (n > t->other_size)
		return;
	start = t->other + pick(t, t->other_size);
	found = memmem(start, t->other_size - (size_t)(start - t->other), bytes(t) + before, n);
	if (!found)
		found = memmem(t->other, t->other_size, bytes(t) + before, n);
	if (!found)
		return;
	behind = (size_t)(found - t->other) + n;
	end = skip_tokens(t->other, t->other_size, behind, some_tokens(t));
	switch (pick(t, 4)) {
	case 0: /* all the rest */
		end = t->other_size;
		to = t->b->size;
		break;
	case 1: /* one before the other */
		to = from;
		break;
	default:
		to = skip_tokens(bytes(t), t->b->size, from, some_tokens(t));
	}
	havoc_delete(t->b, from, to - from);
	havoc_insert(t->h, t->b, from, t->other + behind, end - behind);
}

static void op_character_insert(struct havoc_task *t)
{
	size_t at = place(t, 0);

	havoc_insert(t->h, t->b, at, &characters[pick(t, sizeof characters - 1)], 1);
}

/* One character many times, at one place: brackets that nest, paths that go up, long names. */
static void op_nest(struct havoc_task *t)
{
	static const size_t depths[] = {2, 8, 32, 128, 1024};
	uint8_t copy[1024];
	size_t n = 1 + pick(t, depths[pick(t, 4) ? pick(t, 3) : pick(t, 5)]), at = place(t, 0);
	uint8_t c = t->b->size && pick(t, 2) ? bytes(t)[pick(t, t->b->size)]
					     : (uint8_t)characters[pick(t, 8)];

	memset(copy, c, n);
	havoc_insert(t->h, t->b, at, copy, n);
}

void havoc_apply(struct havoc_task *t, enum havoc_op op)
{
	static void (*const ops[])(struct havoc_task *) = {
#define X(name, binary, text) op_##name,
	    HAVOC_OPS(X)
#undef X
	};

	ops[op](t);
}
