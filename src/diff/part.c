/* part.c: terms that are some bits of a word.
 *
 * The constructors bring a mask and a shift by constants into one form, bits of the bytes that the word is made of: p->flags & 4 is one bit of a byte. A person reads the word and the mask. Where the term begins
 * in the word is found by its lowest bit; that it is those bits of the word is then a comparison of ids.
 */
#include "diff/inside.h"

/* The variable in which a bit of the term lies, and which of its bits it is. */
static expr_t leaf_of(const struct exprs *p, expr_t e, unsigned *bit)
{
	for (;;) {
		const struct expr_node *n = expr_get(p, e);
		if (n->op == MUSTER_OP_EXTRACT) {
			*bit += (unsigned)n->k;
			e = n->a;
		} else if (n->op == MUSTER_OP_CONCAT) {
			unsigned low = expr_width(p, n->b);
			e = *bit < low ? n->b : n->a;
			*bit -= *bit < low ? 0 : low;
		} else {
			return e;
		}
	}
}

static int is_part_of(struct exprs *p, expr_t e, const struct diff_word *in, unsigned *low)
{
	unsigned width = expr_width(p, e), all = expr_width(p, in->term), bit = 0;
	expr_t leaf = leaf_of(p, e, &bit);
	for (*low = 0; *low + width <= all; ++*low) {
		unsigned at = *low;
		if (leaf_of(p, in->term, &at) == leaf && at == bit)
			return expr_extract(p, in->term, *low, width) == e;
	}
	return 0;
}

int diff_part_find(const struct diff_pair *x, expr_t e, struct diff_part *out)
{
	const struct expr_node *n = expr_get(x->p, e);
	if (n->op != MUSTER_OP_EXTRACT && n->op != MUSTER_OP_CONCAT && n->op != EXPR_OP_SELECT && n->op != EXPR_OP_NAMED)
		return 0;
	out->width = n->width;
	for (size_t i = 0; i < x->inputs.size; i++) {
		out->in = &x->inputs.data[i];
		if (!out->in->is_pointer && expr_width(x->p, out->in->term) <= 64 && is_part_of(x->p, e, out->in, &out->low))
			return 1;
	}
	return 0;
}
