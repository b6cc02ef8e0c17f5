/* choice.h: what --strategy auto made of each function of a program, in the store. */
#ifndef MUSTER_CAMPAIGN_CHOICE_H
#define MUSTER_CAMPAIGN_CHOICE_H

#include "store/store.h"

struct fuzz;

struct function_choice {
	const char *function, *taken, *why; /* by whom its decisions are asked for: ic-cut, inlined, generational, both */
	double seconds;			    /* that IC-Cut explored it; 0 where a search can be repeated */
	uint64_t found;			    /* outcomes that IC-Cut covered first meanwhile */
};

/* Before IC-Cut is given up, and when the search is over. Only of a search by auto, and its first worker. 0, -1. */
int choice_note(struct fuzz *f);
/* Those of the campaign, most outcomes first. 0, -1. */
int choice_each(struct store *s, uint64_t campaign, void (*each)(void *ctx, const struct function_choice *c), void *ctx);

#endif
