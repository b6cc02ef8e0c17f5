/* summary.h: must summaries <lp, P, lq, Q>: for every state that satisfies P at lp, the execution from there reaches lq with Q.
 *
 * P and Q are lists of conjuncts over places (place.h). What Q does not name is as it was at entry; a place that P does not name may hold anything. A pointer of which P says that it
 * is not null, and whose pointee is named, points to an object of its type with at least one element; more elements are said by `len(p) >= n`.
 *
 * A summary is *partial* where something that was read influences the path or Q and stands in neither, or where a write may be missing from Q. It is then a statement about
 * the state that was seen, and may not stand for a call; `why` says what is missing.
 *
 * All terms of a list are of its pool; strings are of its arena.
 */
#ifndef MUSTER_SUMMARY_SUMMARY_H
#define MUSTER_SUMMARY_SUMMARY_H

#include "base/arena.h"
#include "base/vec.h"
#include "expr/expr.h"
#include "summary/place.h"

enum summary_kind { SUMMARY_FUNCTION, SUMMARY_SEGMENT };

/* An instruction: by what its unit says, its function, and its number in normal order (ir/whole.h). */
struct summary_location {
	struct hash128 unit;
	const char *symbol;
	uint32_t ordinal;
};
#define CALLED_ADDRESS "an address is used as a number" /* why it is partial */
#define SUMMARY_LEAVES_ADDRESS "it leaves an address as a number" /* the same of Q, which does not say it then */
#define SUMMARY_ENTRY 0u	/* ordinal of a function's entry */
#define SUMMARY_EXIT UINT32_MAX /* of its exit, by whichever return */

struct summary {
	const char *function;
	enum summary_kind kind;
	struct summary_location lp, lq;
	const char *end_function; /* lq is one of its: where `function` itself calls it, its entry or its first loop; NULL: lq is of `function`. A segment that is not intraprocedural: Q names variables of end_function at lq (place.h), and says nothing of what it does not name */
	uint32_t line, end_line;
	VEC(expr_t) pre, post;
	const char *why;     /* it is partial; NULL: it is not */
	uint64_t test;	     /* number of the witnessing test in its campaign; 0: none */
	struct hash128 input; /* that test's input */
	VEC(const char *) functions; /* whose code it rests on, itself first */
	uint64_t paths;	     /* that were joined in it */
	int called;	     /* it is from a call in a larger run: the test is not the function's own */
	int addresses;	     /* P has addresses of the run, in conjuncts that the rest of it may imply: it is partial if they stay (summary_simplify) */
	struct hash128 key;  /* in the store */
};

struct summaries {
	double until; /* deadline_clock() at which they stay as they are, simplified and joined or not; 0: when the command's time is over */
	struct exprs *pool;
	struct arena arena;
	VEC(struct summary) all;
};

void summaries_init(struct summaries *l);
void summaries_release(struct summaries *l);
/* No code but the function's own ran on its path. */
static inline int summary_is_intraprocedural(const struct summary *s)
{
	return s->functions.size == 1;
}
/* Copies s, of list `from`, to the end of list `to`. */
void summary_copy(struct summaries *to, const struct summaries *from, const struct summary *s);
void summary_release(struct summary *s); /* its lists; terms and strings are the list's */

/* Has the table (a DATA) addresses of the run among its words? Programs that are position-independent have their image and heap, libraries and stack in parts of the address space in which hardly a number is; one that is none makes a summary partial, no more. */
int summary_is_table(struct exprs *p, expr_t data);
/* Does each of the conjuncts hold in a run, whose values the callback says? Predicates over pointers (apart ...) count as true. */
int summary_all_hold(const struct exprs *p, const expr_t *conjuncts, size_t count, u128 (*value)(void *ctx, expr_t variable), void *ctx);

/* simplify.c: flattens conjunctions, drops what is true or said twice; 0: a conjunct is false, no state satisfies it. */
int summary_normalise(struct summaries *l, struct summary *s);
struct solver;
/* Drops conjuncts of P that the others imply; asks the solver, a question for each. Nothing is dropped without a proof. A summary from a call is finished by it. */
void summary_simplify(struct summaries *l, struct summary *s, struct solver *solver);
/* Has one of the first `count` summaries that are not partial each state of s? 0: not shown. */
int summary_is_covered(struct summaries *l, const struct summary *s, size_t count, struct solver *solver);
/* Joins summaries of one function, kind, end and Q of which one solver answer shows that the join is exact: P1 or P2 is what they have in common. */
void summaries_join(struct summaries *l, struct solver *solver, uint32_t *moved); /* moved: as many numbers as there are now: what each becomes; NULL: nobody asks */

/* text.c: as C; "1" for no conjunct. The text compiles after cx_prologue where `after`, `len`, `apart`, `freed`, `bits`, `fails` are defined. */
void summary_c(struct summaries *l, const expr_t *conjuncts, size_t count, struct buf *out);
/* P and Q as SMT-LIB: (P and not Q) is not meant; both are asserted, as a state and what it leads to. */
void summary_smtlib(struct summaries *l, const struct summary *s, struct buf *out);

#define SUMMARY_CONJUNCTS 65535 /* of P and Q together */
#define SUMMARY_TOO_LONG "it has more conditions than a summary may have"
/* Only such a summary may be written. */
int summary_fits(const struct summary *s);
/* serial.c: P and Q as bytes, and back (the number of conjuncts of P has two bytes). -1 with words for what is damaged. */
void summary_write(const struct exprs *p, const struct summary *s, struct buf *out);
int summary_read(struct summaries *l, const void *data, size_t size, struct summary *s);
void summary_write_support(const struct summary *s, struct buf *out);
int summary_read_support(struct summaries *l, const void *data, size_t size, struct summary *s);

#endif
