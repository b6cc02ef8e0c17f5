/* ic_cut.h: IC-Cut, a compositional search strategy (docs/ic-cut.md).
 *
 * Functions are explored one at a time, callees first: of the paths of tests that call the function, decisions inside its first call are negated, all others are not.
 * A function whose interface is simple gets a summary, the context it was explored in; where a caller calls it in a context that the summary covers, what is
 * inside that call is not negated again. */
#ifndef MUSTER_SEARCH_IC_CUT_H
#define MUSTER_SEARCH_IC_CUT_H

#include "search/strategy.h"

/* The configurations of Table 1, and one more: X(LETTER, IC-Cut, summarise at the limit, subsumption, skipping, flip count limit, tied inputs are held). */
#define IC_CONFIGS(X)          \
	X(A, 1, 0, 1, 1, 0, 0) \
	X(B, 1, 0, 1, 1, 1, 0) \
	X(C, 1, 1, 1, 1, 0, 0) \
	X(D, 1, 0, 1, 0, 0, 0) \
	X(E, 1, 1, 1, 0, 0, 0) \
	X(F, 0, 0, 1, 0, 1, 0) \
	X(G, 1, 1, 0, 0, 0, 1)

/* Sets what the configuration has; seconds: for each function, 0: the default. -1 with words. */
int ic_config_apply(const char *name, double seconds, struct search_options *o);

/* auto: configuration E beside generational search; options of the user's are left as they are. */
void ic_auto_apply(double seconds, struct search_options *o);
/* The same once the program is known: of one whose records have so many bytes nothing is left of it if they are too many. */
void ic_auto_fit(uint64_t bytes, struct search_options *o);

/* How a function was done with: X(NAME, key, taken, words); the first four are the groups of Fig. 4. taken: by whom its decisions are asked for, where generational search is beside. */
#define IC_OUTCOMES(X)                                                                                              \
	X(EXHAUSTED, "exhausted", "ic-cut", "explored to the end and summarised")                                   \
	X(SUMMARISED, "summarised", "ic-cut", "summarised, though something was subsumed, skipped, lost or out of time") \
	X(OUTPUTS, "outputs", "inlined", "not summarised: several outputs are tested")                              \
	X(CONSTRAINED, "constrained", "inlined", "not summarised: symbolic inputs are constrained")                 \
	X(OUT_OF_TIME, "out of time", "inlined", "not summarised: the time of a function was over")                 \
	X(PLAIN, "plain", "none", "nothing in it depends on the input")                                             \
	X(OPEN, "open", "generational", "not explored by itself")
enum ic_outcome {
#define X(name, key, taken, words) IC_OUTCOME_##name,
	IC_OUTCOMES(X)
#undef X
	    IC_OUTCOME_COUNT
};

struct ic *ic_new(int over);
void ic_free(struct ic *ic);
/* A test was kept; a run of the calls variant was read (its path is s->now.child), which the next test that is kept may have come from. */
void ic_kept(struct search *s, const struct search_test *t);
void ic_saw(struct search *s, const struct trace *t);

/* Does IC-Cut have the slice? */
int ic_is_on(const struct search *s);
/* Of the test in a function's queue that is explored now; 0: another strategy has the slice. */
uint64_t ic_entry_number(const struct search *s);
/* Is what the program is called from explored now? */
int ic_at_root(const struct search *s);
/* Is what is left out of the path that is explored now left to others (auto), and so no loss? */
int ic_shares(const struct search *s);

/* The whole of the search; and beside generational search, which has the rest (auto). */
extern const struct strategy strategy_ic, strategy_ic_part;

#endif
