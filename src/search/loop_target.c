/* loop_target.c: which outcomes are worth a question of their own: those that no test covers, beside one that a test covers, and that negating the
 * path's decisions could not bring or did not. */
#include "search/loop_target.h"

#include "base/limit.h"

#define ORDINARY LIMIT(3, 1) /* turns that an outcome has by negation before loops are asked | by hand (tries) */

uint32_t loop_target_site(struct search *s, const struct code_function *f, uint32_t block)
{
	const struct code_block *b = &f->blocks[block];
	if (b->edges < 2 || b->check || !(b->flags & CODE_BLOCK_REACHED))
		return SITES_NOWHERE;
	uint32_t site = sites_find(&s->sites, f->code->unit, f->values[code_last(f, block)].index, s->t.exec);
	const struct sites_decision *d = &s->sites.decisions.data[site];
	return d->kind != SITES_COUNTED || d->counter == SITES_NOWHERE || d->outcomes != b->edges ? SITES_NOWHERE : site;
}

int loop_target_has(const struct search *s, uint32_t site, uint32_t outcome)
{
	return cover_has(&s->cover, s->sites.decisions.data[site].counter + outcome);
}

int loop_target_is_next(const struct search *s, uint32_t site, uint32_t outcome)
{
	if (loop_target_has(s, site, outcome))
		return 0;
	for (uint32_t k = 0; k < s->sites.decisions.data[site].outcomes; k++)
		if (loop_target_has(s, site, k))
			return 1;
	return 0;
}

int loop_target_is_ordinary(const struct search *s, uint32_t site, uint32_t outcome, const struct map *on_path)
{
	uint64_t asked = 0;
	if (!map_get(on_path, site, NULL))
		return 0;
	map_get(&s->known.asked, (uint64_t)site << 32 | outcome, &asked);
	return asked < ORDINARY;
}

void loop_target_path(const struct search *s, struct map *on_path)
{
	for (size_t k = 0; k < s->now.parent.steps.size; k++)
		if (path_decides(&s->now.parent.steps.data[k]))
			map_set(on_path, s->now.parent.steps.data[k].site, 1);
}
