/* weight.c: sizes of function bodies, read off the bitstream.
 *
 * Bitcode is a stream of nested blocks ("LLVM Bitcode File Format" in LLVM's documentation). Each block begins with its length, so a body is
 * stepped over without being decoded. Records, which stand between bodies in the module's own block, have no length: they are decoded by the
 * abbreviations that the block defines, and dropped. Everything is checked against the end of the stream, since a unit's record may be damaged.
 */
#include "ir/weight.h"

#include "base/vec.h"

#define MAGIC 0xdec04342u
#define TOP_WIDTH 2 /* of ids of abbreviations outside of all blocks */
#define WIDTH_MAX 32
#define BLOCK_MODULE 8
#define BLOCK_FUNCTION 12

enum { END_BLOCK, ENTER_BLOCK, DEFINE_ABBREVIATION, UNABBREVIATED, FIRST_ABBREVIATION };
enum { FIXED = 1, VARIABLE, ARRAY, CHAR6, BLOB, LITERAL };

struct stream {
	const unsigned char *data;
	uint64_t end, at; /* in bits */
	int bad;
};

struct operand {
	unsigned encoding, width;
};

typedef VEC(struct operand) abbreviation;

static uint64_t take(struct stream *s, unsigned bits)
{
	uint64_t v = 0;

	if (s->bad || bits > s->end - s->at) {
		s->bad = 1;
		return 0;
	}
	for (unsigned i = 0; i < bits;) {
		unsigned from = s->at & 7, n = 8 - from < bits - i ? 8 - from : bits - i;

		v |= (uint64_t)(s->data[s->at >> 3] >> from & ((1u << n) - 1)) << i;
		s->at += n;
		i += n;
	}
	return v;
}

/* Chunks of `bits` bits, the highest of which says that more follow. */
static uint64_t take_variable(struct stream *s, unsigned bits)
{
	uint64_t v = 0, chunk;
	unsigned shift = 0;

	do {
		chunk = take(s, bits);
		if (shift > 63)
			s->bad = 1;
		else
			v |= (chunk & ((1ull << (bits - 1)) - 1)) << shift;
		shift += bits - 1;
	} while (!s->bad && chunk >> (bits - 1));
	return v;
}

static void skip(struct stream *s, uint64_t bits)
{
	if (s->bad || bits > s->end - s->at)
		s->bad = 1;
	else
		s->at += bits;
}

static void align(struct stream *s)
{
	skip(s, -s->at & 31);
}

static void define(struct stream *s, abbreviation *a)
{
	uint64_t n = take_variable(s, 5);

	for (uint64_t i = 0; i < n && !s->bad; i++) {
		struct operand o = {LITERAL, 0};

		if (take(s, 1)) {
			take_variable(s, 8);
		} else {
			o.encoding = (unsigned)take(s, 3);
			if (o.encoding == FIXED || o.encoding == VARIABLE)
				o.width = (unsigned)take_variable(s, 5);
			/* A chunk without room for a bit of the value would never end. */
			if (o.encoding < FIXED || o.encoding > BLOB || o.width > WIDTH_MAX || (o.encoding == VARIABLE && o.width < 2))
				s->bad = 1;
		}
		vec_push(a, o);
	}
}

static void drop_scalar(struct stream *s, const struct operand *o)
{
	switch (o->encoding) {
	case LITERAL:
		break;
	case FIXED:
		take(s, o->width);
		break;
	case VARIABLE:
		take_variable(s, o->width);
		break;
	case CHAR6:
		take(s, 6);
		break;
	default:
		s->bad = 1;
	}
}

static void drop_record(struct stream *s, const abbreviation *a)
{
	for (size_t i = 0; i < a->size && !s->bad; i++) {
		if (a->data[i].encoding == BLOB) {
			uint64_t n = take_variable(s, 6);

			align(s);
			skip(s, n > s->end ? UINT64_MAX : n * 8);
			align(s);
		} else if (a->data[i].encoding == ARRAY) {
			uint64_t n = take_variable(s, 6);

			/* Elements take bits, or a wrong count would be a loop without an end. */
			if (++i >= a->size || a->data[i].encoding == LITERAL || (a->data[i].encoding == FIXED && !a->data[i].width))
				s->bad = 1;
			for (; n && !s->bad; n--)
				drop_scalar(s, &a->data[i]);
		} else {
			drop_scalar(s, &a->data[i]);
		}
	}
}

static void drop_unabbreviated(struct stream *s)
{
	take_variable(s, 6);
	for (uint64_t n = take_variable(s, 6); n && !s->bad; n--)
		take_variable(s, 6);
}

/* The head of a block: which, how wide its ids are, how many words it has. */
struct head {
	uint64_t block, words;
	unsigned width;
};

static struct head enter(struct stream *s)
{
	struct head h;

	h.block = take_variable(s, 8);
	h.width = (unsigned)take_variable(s, 4);
	align(s);
	h.words = take(s, 32);
	if (h.width < TOP_WIDTH || h.width > WIDTH_MAX)
		s->bad = 1;
	return h;
}

static void count_body(struct weight *w, uint64_t words)
{
	w->functions++;
	w->words += words;
	if (words > w->largest)
		w->largest = words;
}

static void walk_module(struct stream *s, unsigned width, struct weight *w)
{
	VEC(abbreviation) known = {0};

	while (!s->bad) {
		uint64_t id = take(s, width);

		if (id == END_BLOCK)
			break;
		if (id == ENTER_BLOCK) {
			struct head h = enter(s);

			if (h.block == BLOCK_FUNCTION)
				count_body(w, h.words);
			skip(s, h.words * 32);
		} else if (id == DEFINE_ABBREVIATION) {
			vec_push(&known, (abbreviation){0});
			define(s, &vec_last(&known));
		} else if (id == UNABBREVIATED) {
			drop_unabbreviated(s);
		} else if (id - FIRST_ABBREVIATION < known.size) {
			drop_record(s, &known.data[id - FIRST_ABBREVIATION]);
		} else {
			s->bad = 1;
		}
	}
	for (size_t i = 0; i < known.size; i++)
		vec_release(&known.data[i]);
	vec_release(&known);
}

int weight_of_bitcode(const void *bitcode, size_t size, struct weight *out)
{
	struct stream s = {.data = bitcode, .end = (uint64_t)size * 8};
	int found = 0;

	*out = (struct weight){0};
	if (take(&s, 32) != MAGIC)
		return -1;
	while (!s.bad && !found && s.end - s.at >= 32) {
		struct head h;

		if (take(&s, TOP_WIDTH) != ENTER_BLOCK)
			return -1;
		h = enter(&s);
		if (h.block == BLOCK_MODULE) {
			walk_module(&s, h.width, out);
			found = 1;
		} else {
			skip(&s, h.words * 32);
		}
	}
	return s.bad || !found ? -1 : 0;
}
