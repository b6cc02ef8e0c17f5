/* callees.h: summaries of a program's functions in the place of their calls (muster fuzz --strategy compositional), in one worker. */
#ifndef MUSTER_CAMPAIGN_CALLEES_H
#define MUSTER_CAMPAIGN_CALLEES_H

struct fuzz;
struct compose;

/* After the targets, before the search. Of other strategies nothing is opened. 0; -1 with words. */
int fuzz_callees_open(struct fuzz *f);
struct compose *fuzz_callees_compose(const struct fuzz *f); /* NULL: none */
void fuzz_callees_empty(struct fuzz *f); /* there is nothing left to explore */
int fuzz_callees_due(const struct fuzz *f); /* is it time for a turn? */
/* Between two steps of the search. 1: tests went back to the frontier; 0; -1 with words. */
int fuzz_callees_turn(struct fuzz *f);
void fuzz_callees_close(struct fuzz *f);

#endif
