/* thought.h: a share of a search for questions that may come to nothing. It has some time to begin with, then a part of the search's time that
 * falls with what was used and rises with what was found. Seconds of this thread on the processor or, in repeatable mode, work. */
#ifndef MUSTER_SEARCH_THOUGHT_H
#define MUSTER_SEARCH_THOUGHT_H

#include <stdint.h>

struct search;

struct thought {
	double used;
	double began;	  /* while it thinks; else 0 */
	double restarted; /* the search that this is of */
	uint64_t hits;	  /* counted by the owner */
};

/* What it still has, of this start and this share. */
double thought_left(struct thought *t, const struct search *s, double start, double share);
void thought_begin(struct thought *t, const struct search *s);
void thought_end(struct thought *t, const struct search *s);
/* What takes time without runs and queries: counted in repeatable mode, where nothing else shows it. */
void thought_work(struct thought *t, const struct search *s, double work);

#endif
