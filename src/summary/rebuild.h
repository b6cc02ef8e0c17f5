/* rebuild.h: terms with sub-terms replaced, not only variables. */
#ifndef MUSTER_SUMMARY_REBUILD_H
#define MUSTER_SUMMARY_REBUILD_H

#include "expr/expr.h"

/* e where map(ctx, term), asked from the outside in, gave another term of the same width; EXPR_NONE: look inside. Tables and functions are not looked into. Sub-terms that are shared are
 * gone through once for each path to them: for terms that a person is to read. depth: what lies deeper stays as it is. */
expr_t summary_rebuild(struct exprs *p, expr_t e, expr_t (*map)(void *ctx, expr_t term), void *ctx, unsigned depth);

/* The same from the inside out, however deep: map is asked of each term with its parts replaced. memo: of one map. */
struct map;
expr_t summary_rebuild_all(struct exprs *p, expr_t e, expr_t (*map)(void *ctx, expr_t term), void *ctx, struct map *memo);

#endif
