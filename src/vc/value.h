/* value.h: values of a function as exact bit-vector terms (value.c). */
#ifndef MUSTER_VC_VALUE_H
#define MUSTER_VC_VALUE_H

#include "expr/expr.h"
#include "ir/code.h"

/* The term of a value of 1 to 128 bits. leaf(ctx, value) is asked first for every value that it is computed from (itself among them, constants
 * not), at most once for each: its term, of the value's width, or EXPR_NONE: compute it from its operands. Where a value cannot be
 * computed and leaf does not know it either, the whole is EXPR_NONE. What C leaves undefined has the meaning of expr.h: a division by zero,
 * which ends a run, and a shift by the width or more, for which a machine has another meaning. */
expr_t vc_term(struct exprs *p, const struct code_function *f, uint32_t value, expr_t (*leaf)(void *ctx, uint32_t value), void *ctx);

/* Can the value be computed from its operands? Not phis, loads, results of calls, and what has to do with pointers. */
int vc_computes(const struct code_function *f, uint32_t value);

/* What a value that can be computed is, with these values of its operands. 0: C does not say (division by zero, shift by the width or more). */
int vc_apply(const struct code_function *f, uint32_t value, const u128 *operands, u128 *out);

/* The term of an instruction that can be computed, from those of its operands. EXPR_NONE: a copy of another width. */
expr_t vc_combine(struct exprs *p, const struct code_value *v, const expr_t *operands);

/* The instructions of at most 64 bits that a value is computed from and that are not computed themselves: phis, loads, results. Returns how many, at
 * most `most`; each once. */
size_t vc_leaves(const struct code_function *f, uint32_t value, uint32_t *out, size_t most);

#endif
