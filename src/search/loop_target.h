/* loop_target.h: outcomes of decisions that a search could ask for beside its paths' own constraints (loop_target.c). */
#ifndef MUSTER_SEARCH_LOOP_TARGET_H
#define MUSTER_SEARCH_LOOP_TARGET_H

#include "ir/code.h"
#include "search/inside.h"

/* The site of the decision that ends the block, if coverage counts its outcomes; else SITES_NOWHERE. */
uint32_t loop_target_site(struct search *s, const struct code_function *f, uint32_t block);
int loop_target_has(const struct search *s, uint32_t site, uint32_t outcome);
/* Does no test cover it, and one another outcome of the decision? */
int loop_target_is_next(const struct search *s, uint32_t site, uint32_t outcome);
/* Can the path's own constraints ask for it, and were they not asked often enough yet? on_path: sites of the path's decisions (loop_target_path). */
int loop_target_is_ordinary(const struct search *s, uint32_t site, uint32_t outcome, const struct map *on_path);
void loop_target_path(const struct search *s, struct map *on_path);

#endif
