/* terms.h: what the conditions of a path speak of: which variables, numbers and places of the entry state. */
#ifndef MUSTER_CONTRACT_TERMS_H
#define MUSTER_CONTRACT_TERMS_H

#include "contract/entry.h"

/* Do two terms have a variable in common? */
int terms_meet(struct exprs *p, expr_t a, expr_t b);
/* Do the terms have a variable in common that `without` does not have? */
int terms_meet_own(struct exprs *p, expr_t a, expr_t without, expr_t b);
/* Does the condition ask whether a variable of `bytes`, alone, is 0? */
int terms_ask_zero(struct exprs *p, expr_t bytes, expr_t condition);
/* Is there a product of something of the one and something of the other in the condition? */
int terms_multiply(struct exprs *p, expr_t a, expr_t b, expr_t condition);
/* Constants of a term, sign-extended, at most `room` of them; how many. */
size_t terms_constants(const struct exprs *p, expr_t e, uint64_t *out, size_t room);
/* Sets looked[i] for each place of the entry state that the conditions speak of: they have a variable in common with what the place has of its own, beside the pointers that lead to it. */
void terms_looked(const struct entry *e, const expr_t *conditions, size_t count, uint8_t *looked);

#endif
