/* refine.h: refinement types of a C unit: obligations, what the prover says of each, and the unit with run-time checks.
 *
 *	struct refine r;
 *	if (refine_source(&r, text, size, argv, argc, 0)) ...  // error_text(): clang's words, or what is wrong with a refinement
 *	for (i = 0; i < r.obligations.size; i++) ...
 *	use(r.text.data, r.text.size);                      // the same unit, preprocessed, with the checks
 *	refine_release(&r);
 *
 * The text comes in preprocessed, and goes out so: where nothing is refined it is what came in. Each check is a call of
 *	void muster_refine_holds(int holds, const char *text, const char *file, int line);
 * which the runtime has (and refine_definition defines for others).
 */
#ifndef MUSTER_REFINE_REFINE_H
#define MUSTER_REFINE_REFINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

#include <stdint.h>

/* What became of an obligation: X(NAME, key, words). */
#define REFINE_OUTCOMES(X)                                                              \
	X(PROVED, "proved", "every value that can come there satisfies it; no check")   \
	X(REJECTED, "rejected", "no value that can come there satisfies it")            \
	X(RUNTIME, "run-time", "neither could be shown: a check of every run")

/* What carries an obligation: X(NAME, key). */
#define REFINE_PLACES(X)                \
	X(INITIAL, "initial value")     \
	X(ASSIGN, "assignment")         \
	X(ARGUMENT, "argument")         \
	X(ENTRY, "entry")               \
	X(RETURN, "return")             \
	X(RESULT, "result of a call")   \
	X(CAST, "cast")                 \
	X(OPERAND, "operand")           \
	X(PROMISE, "operator's result") \
	X(ALIAS, "alias")

enum refine_outcome {
#define X(name, key, words) REFINE_##name,
	REFINE_OUTCOMES(X)
#undef X
	    REFINE_OUTCOME_COUNT
};
enum refine_place {
#define X(name, key) REFINE_AT_##name,
	REFINE_PLACES(X)
#undef X
};
const char *refine_outcome_key(enum refine_outcome o);
const char *refine_outcome_words(enum refine_outcome o);
const char *refine_place_key(enum refine_place p);

struct refine_obligation {
	const char *file;
	uint32_t line;
	const char *function; /* it stands in; "" at file level */
	const char *subject;  /* "variable n", "parameter n of f", "field used", "int a / b" */
	const char *text;     /* the refinement, one conjunct of it */
	enum refine_place place;
	enum refine_outcome outcome;
	const char *reason;
};

struct refine {
	struct arena arena;
	VEC(struct refine_obligation) obligations; /* in order of the source */
	VEC(const char *) notes; /* FILE:LINE: what is not followed */
	struct buf text;
	uint32_t refinements; /* conjuncts that were found */
};

enum { REFINE_EVERY = 1 }; /* option: a check for each obligation, whatever was proved; its text says what (tests of the prover) */

/* Whether a preprocessed text may have refinements; cheap. */
int refine_marked(const char *text, size_t size);
int refine_source(struct refine *r, const char *text, size_t size, const char *const *argv, int argc, int options);
void refine_release(struct refine *r);

/* Takes the annotations out of the text that refine_source gave, for compilers that would complain. */
void refine_strip(struct buf *text);

/* What muster_refine_holds does where muster's runtime is not: C text. */
extern const char refine_definition[];

#endif
