/* claim.h: what a bug claims, as an assertion in its source: for kinds that gcc's sanitizers do not know.
 *
 *	struct claim c = {.kind = "unsigned-integer-overflow", .file = "x.c", .line = 14, .column = 9};
 *	if (claim_source(&c, text, size, argv, argc, &out)) ...   // error_text(): why it cannot be stated there
 *
 * The text is a preprocessed unit, and goes out so, with lines as they were: the operation at the place is written anew as a
 * statement expression that evaluates every operand once, asserts (as <assert.h> does it) and goes on as before. So
 * gcc compiles it without anything of muster's, and a run that breaks the claim aborts with words that begin with the kind.
 */
#ifndef MUSTER_CLAIM_CLAIM_H
#define MUSTER_CLAIM_CLAIM_H

#include "base/buf.h"

#include <stdint.h>

struct claim {
	const char *kind;	/* of the report */
	const char *file;	/* of the place; directories need not agree */
	uint32_t line, column;	/* in the preprocessed text: columns are bytes of its lines */
	const char *message;	/* the report's sentence: a conversion is known by its types; may be NULL */
};

/* The kinds that an assertion is wanted for: neither AddressSanitizer nor UndefinedBehaviorSanitizer of gcc has them. */
int claim_is_wanted(const char *kind);
/* The place and sentence of a report, "x.c:14:9: runtime error: ...": 1; 0: it names none for the line. file may have other directories. */
int claim_read(struct claim *c, const char *kind, const char *file, uint32_t line, const char *report, struct buf *message);
/* 0 and the text; -1 with words: there is no operation at the place that the kind could be about. */
int claim_source(const struct claim *c, const char *text, size_t size, const char *const *argv, int argc, struct buf *out);
/* Preprocessed text for other compilers: glibc's headers, read by clang, name types that gcc has built in. Lines stay what they are. */
void claim_portable(const char *text, size_t size, struct buf *out);
/* Whether what a run wrote on standard error is the claim's assertion; or, of a refinement with the bug's summary for a message, that one. */
int claim_failed(const struct claim *c, const char *err);

#endif
