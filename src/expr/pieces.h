/* pieces.h: a concatenation as a list of its parts; for the files of this folder. */
#ifndef MUSTER_EXPR_PIECES_H
#define MUSTER_EXPR_PIECES_H

#include "expr/expr.h"

struct piece {
	expr_t e; /* EXPR_NONE: zeros */
	unsigned width;
};

struct pieces {
	unsigned count;
	struct piece at[128]; /* the highest first */
};

void expr_pieces(const struct exprs *p, expr_t e, struct pieces *out);
expr_t expr_pieces_join(struct exprs *p, const struct pieces *in);

#endif
