/* tape.h: terms as a flat program, for evaluating them very often.
 *
 * A tape computes some roots from an array of variable slots. Slot i stands for
 * variable vars[i]; the caller fills the slots, runs, reads the roots' values. Only
 * terms of up to 64 bits run fast; a tape with wider ones works as well, slower. */
#ifndef MUSTER_EXPR_TAPE_H
#define MUSTER_EXPR_TAPE_H

#include "expr/expr.h"

#define TAPE_LANES 16

struct tape {
	const struct exprs *pool; /* must outlive the tape */
	expr_t *vars;		  /* by slot, ascending */
	uint32_t var_count;
	uint32_t root_count;
	struct tape_code *code; /* private */
	uint32_t code_size, regs;
	uint32_t *root_regs;
	uint64_t *low, *high; /* registers; high is NULL if no term is wide */
	uint64_t *lanes;      /* registers of a batch, made on first use */
	uint32_t *table_regs; /* registers of the bytes of tables that are not constant */
};

/* The tape of these roots, which have no array without a size and no function of more than three operands. */
void tape_init(struct tape *t, const struct exprs *p, const expr_t *roots, uint32_t count);
void tape_release(struct tape *t);
int tape_slot(const struct tape *t, expr_t variable); /* -1: not in it */

/* One evaluation: slots[i] is the value of vars[i]; the root's values go to out[0..root_count). */
void tape_run(struct tape *t, const u128 *slots, u128 *out);
/* TAPE_LANES evaluations at once of terms of up to 64 bits: slots[i * TAPE_LANES + lane], and root i's values
 * in out[i * TAPE_LANES + lane]. Returns 0 and does nothing if a term is wider. */
int tape_run_batch(struct tape *t, const uint64_t *slots, uint64_t *out);

#endif
