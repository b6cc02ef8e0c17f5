/* words.c: memory of a bare evaluator: words at offsets that are numbers, in objects without bounds.
 *
 * What an object holds is a chain: a word that was written, over what was there before; or a choice between two chains, where paths met. At the
 * end of each chain is what the object held at the start, which options.before says, word by word. A load goes down to the first word that it
 * overlaps; if that is neither the same word nor one around it, its bytes are read one by one. What a choice gave is kept, as options.settle left it: a counter in memory
 * is then a choice between its last term and the next, as one in a register is, and a chain of n choices costs n, however often it is read.
 *
 * Invariant: a chain never changes, like struct vc_memory, and what is below a link has a smaller number.
 */
#include "vc/inside.h"

#include "base/hash.h"

#define DEEPEST LIMIT(2000, 4) /* choices above each other that one load goes down into | recursion depth: 200 bytes of stack each */

struct vc_link {
	uint32_t below; /* 0: the start; a choice: where the condition holds */
	uint32_t other; /* a choice: where it does not; a word: CODE_NONE */
	expr_t value;	/* of the word, or EXPR_NONE: it has no term; a choice: the condition */
	unsigned bytes;
	int64_t offset;
};

static uint32_t add_link(struct vc *v, struct vc_link link)
{
	if (!v->links.size)
		vec_push(&v->links, (struct vc_link){0});
	vec_push(&v->links, link);
	return (uint32_t)(v->links.size - 1);
}

uint32_t vc_words_ite(struct vc *v, expr_t condition, uint32_t a, uint32_t b)
{
	return add_link(v, (struct vc_link){.below = a, .other = b, .value = condition});
}

/* ------------------------------------------------------------ reading */

struct word {
	const struct vc_point *at;
	uint32_t object;
	int64_t offset;
	unsigned width;
	int whole; /* it is what is loaded, and no part of it */
};

static expr_t word_in(const struct word *w, uint32_t link, unsigned depth);

static expr_t choice(const struct word *w, uint32_t link, unsigned depth)
{
	struct vc *v = w->at->vc;
	struct vc_link l = v->links.data[link];
	uint64_t key = hash_join(hash_join(link, (uint64_t)w->offset), w->width), known;
	if (map_get(&v->chosen, key, &known))
		return (expr_t)known;
	if (!depth || vc_limit(v))
		return EXPR_NONE;
	expr_t a = word_in(w, l.below, depth - 1), b = word_in(w, l.other, depth - 1), e = a != EXPR_NONE ? a : b;
	if (a != b && a != EXPR_NONE && b != EXPR_NONE) {
		e = expr_ite(v->p, l.value, a, b);
		e = w->whole ? vc_settled(v, w->at->frame, w->at->state, w->at->at, e) : e;
	}
	map_set(&v->chosen, key, e);
	return e;
}

static expr_t by_bytes(const struct word *w, uint32_t link, unsigned depth)
{
	struct exprs *p = w->at->vc->p;
	expr_t e = EXPR_NONE;
	for (unsigned i = 0; i < w->width / 8; i++) {
		struct word byte = {w->at, w->object, w->offset + i, 8, 0};
		expr_t b = word_in(&byte, link, depth);
		if (b == EXPR_NONE)
			return b;
		e = i ? expr_concat(p, b, e) : b;
	}
	return e;
}

/* What stands in a chain; EXPR_NONE: there is no term for it. */
static expr_t word_in(const struct word *w, uint32_t link, unsigned depth)
{
	struct vc *v = w->at->vc;
	unsigned bytes = (w->width + 7) / 8;
	struct vc_link l;
	for (;; link = l.below) {
		if (!link)
			return v->o.before(v->o.ctx, w->at, w->object, w->offset, w->width);
		l = v->links.data[link];
		if (l.other != CODE_NONE)
			return choice(w, link, depth);
		if (w->offset < l.offset + l.bytes && l.offset < w->offset + bytes)
			break;
	}
	if (l.value == EXPR_NONE || (l.offset == w->offset && expr_width(v->p, l.value) == w->width))
		return l.value;
	if (w->width % 8 || expr_width(v->p, l.value) != 8 * l.bytes)
		return EXPR_NONE;
	if (l.offset <= w->offset && w->offset + bytes <= l.offset + l.bytes)
		return expr_extract(v->p, l.value, 8 * (unsigned)(w->offset - l.offset), w->width);
	return by_bytes(w, link, depth);
}

/* ------------------------------------------------------------ for callbacks */

expr_t vc_point_load(const struct vc_point *at, uint32_t object, int64_t offset)
{
	struct word w = {at, object, offset, at->width, 1};
	return word_in(&w, vc_place_of(at->vc, at->state->memory, object).contents, DEEPEST);
}

void vc_point_store(const struct vc_point *at, uint32_t object, int64_t offset, unsigned bytes, expr_t value)
{
	struct vc_place place = vc_place_of(at->vc, at->state->memory, object);
	place.contents = add_link(at->vc, (struct vc_link){.below = place.contents, .other = CODE_NONE, .value = value, .bytes = bytes, .offset = offset});
	vc_put(at->vc, at->state, object, place);
}

void vc_point_forget(const struct vc_point *at)
{
	at->state->memory = arena_alloc(&at->vc->arena, sizeof(struct vc_memory));
	at->state->shared = 1;
}
