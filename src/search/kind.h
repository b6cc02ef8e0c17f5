/* kind.h: how a function or a program is searched: the names of --strategy.
 *
 * The auto of muster fuzz is KIND_IC_CUT with ic_shares (ic_auto_apply). A kind says which paths the search reads and what it negates of them; within it, struct strategy (strategy.h) says what the time is spent on. A new kind is a row here, and what
 * search_plan and search_expand do for it.
 */
#ifndef MUSTER_SEARCH_KIND_H
#define MUSTER_SEARCH_KIND_H

/* X(NAME, word, calls, composes, words). calls: its paths have frames (frames.h), so programs run in the calls variant. composes: summaries stand for calls (compose.h). */
#define SEARCH_KINDS(X)                                                                                          \
	X(AUTO, "auto", 0, 0, "the default. A function (muster test): as generational, or as compositional where its paths lie in callees that are known in full; a program (muster fuzz): generational beside IC-Cut, by what they find") \
	X(GENERATIONAL, "generational", 0, 0, "each decision of a path in turn, those of callees like the others") \
	X(COMPOSITIONAL, "compositional", 1, 1, "decisions of the function itself; calls are what the summaries of their functions say") \
	X(IC_CUT, "ic-cut", 1, 0, "function by function, callees first, with summaries at simple interfaces")

enum search_kind {
#define X(name, word, calls, composes, words) KIND_##name,
	SEARCH_KINDS(X)
#undef X
	    KIND_COUNT
};

const char *search_kind_word(enum search_kind k);
/* Does it need the calls variant, with MUSTER_FLAG_CALLS? */
int search_kind_calls(enum search_kind k);
/* Does it need MUSTER_FLAG_SUMMARIES, _OUTPUTS and _COMPOSE, too? */
int search_kind_composes(enum search_kind k);
/* 0; -1 with words that list the names. */
int search_kind_parse(const char *word, enum search_kind *out);

#endif
