/* ic_config.c: the configurations of IC-Cut, as options of a search. The table is in ic_cut.h. */
#include "search/ic_cut.h"

#include "base/error.h"
#include "base/limit.h"

#define FUNCTION_SECONDS 10 /* for one function | by hand (share) */
#define AUTO_SECONDS 2 /* the same beside generational search | as in the tables of docs/ic-cut.md: with 10 s the first round of giflib is not over after 20 s, and both wait (share) */
#define LARGE LIMIT(512 << 10, 512 << 10) /* bytes of records up to which auto takes IC-Cut | 207 to 328 KB: even or better; 860 KB: 5 % fewer outcomes, 1.7 MB: 10 % (place) */
#define FLIPS LIMIT(20, 1) /* times a site may be negated where a flip count limit is on | by hand (tries) */

int ic_config_apply(const char *name, double seconds, struct search_options *o)
{
	static const struct {
		char letter;
		int cut, summarise, subsume, skip, flips, hold;
	} table[] = {
#define X(letter, cut, summarise, subsume, skip, flips, hold) {#letter[0], cut, summarise, subsume, skip, flips, hold},
	    IC_CONFIGS(X)
#undef X
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (name[0] == table[i].letter && !name[1]) {
			o->kind = table[i].cut ? KIND_IC_CUT : KIND_GENERATIONAL;
			o->ic_summarise = table[i].summarise;
			o->ic_seconds = seconds > 0 ? seconds : FUNCTION_SECONDS;
			o->subsume = table[i].subsume;
			o->skip = table[i].skip;
			o->ic_hold = table[i].hold;
			if (table[i].flips && !o->flip_limit)
				o->flip_limit = FLIPS;
			return 0;
		}
	return error_set("no configuration of IC-Cut is called '%s': A, B, C, D, E, F, G", name);
}

void ic_auto_apply(double seconds, struct search_options *o)
{
	if (o->one_generation) { /* it explores what it finds */
		o->kind = KIND_GENERATIONAL;
		return;
	}
	o->kind = KIND_IC_CUT;
	o->ic_summarise = o->ic_shares = 1;
	o->ic_seconds = seconds > 0 ? seconds : AUTO_SECONDS;
}

void ic_auto_fit(uint64_t bytes, struct search_options *o)
{
	if (!o->ic_shares || bytes <= LARGE)
		return;
	o->kind = KIND_GENERATIONAL;
	o->ic_summarise = o->ic_shares = 0;
	o->ic_seconds = 0;
	o->ic_large = 1;
}
