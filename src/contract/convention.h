/* convention.h: what C's conventions say that callers do not owe, whatever a proof says. */
#ifndef MUSTER_CONTRACT_CONVENTION_H
#define MUSTER_CONTRACT_CONVENTION_H

#include "contract/candidates.h"

/* The clause would explain this failing call, and the function breaks a convention there: it is a defect of its own. */
int convention_forbids(struct cause_search *f, struct bytes *bytes, const struct clause *c, size_t call);

/* A member that counts is not negative, and no count of anything reaches the end of its type's range: the clause says no more than that. */
int convention_keeps_count(const struct entry *e, const struct clause *c);

/* Does the number beside the pointer count what it points to, by its name? */
int convention_counts(const struct entry_place *number, const struct entry_place *pointer);

/* In cause.c. No call on the failing path keeps the literal, by proof. */
int cause_excludes_literal(struct cause_search *f, struct bytes *bytes, const struct clause_literal *l, size_t call);
/* Some call on the failing path breaks the clause by one, if it compares. */
int cause_is_tight(struct cause_search *f, struct bytes *bytes, const struct clause *c, size_t call);
/* Likewise, of calls that break the literal, too. */
int cause_allows_edge(struct cause_search *f, struct bytes *bytes, const struct clause *c, const struct clause_literal *broken, size_t call);
/* Is there a call on the path for which this holds? */
enum verdict cause_ask(struct cause_search *f, struct bytes *bytes, expr_t goal, size_t call);
/* Did a call that breaks the clause pass, or does a path that passes allow one? */
int cause_is_contrary(struct cause_search *f, struct bytes *bytes, const struct clause *c);
/* The path depends on the number itself, from this condition on. */
int cause_looks_at(struct cause_search *f, const struct entry_place *x, const struct cause_call *call, size_t from);

#endif
