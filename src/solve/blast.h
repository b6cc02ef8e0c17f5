/* blast.h: terms as gates, kept between queries; the inside of backend_blast.
 *
 * A term that has no circuit (an uninterpreted function, or one that is too large) becomes free
 * bits and is said to be loose: it can take values that the term cannot, so only "unsatisfiable"
 * may be concluded. */
#ifndef MUSTER_SOLVE_BLAST_H
#define MUSTER_SOLVE_BLAST_H

#include "base/map.h"
#include "solve/gate.h"
#include "solve/backend.h"

struct blast_table { /* a DATA term */
	uint64_t count;
	uint8_t *value; /* the bytes, or NULL: some are no constants */
	uint32_t bits;	/* then: where their literals begin in bits, 8 for each */
	int loose;
};

struct blaster {
	struct exprs *pool;
	struct gates gates;
	struct map words; /* term to 2 * place in bits + loose */
	VEC(lit_t) bits;
	VEC(expr_t) stack;
	struct map tables; /* DATA term to place in table_list */
	VEC(struct blast_table) table_list;
	struct map quotients[2]; /* by sign: operands of a division to place of quotient and
				    remainder in bits */
};

void blaster_init(struct blaster *b, struct exprs *p);
void blaster_release(struct blaster *b);

/* The literals of e (as many as its width), made if need be; valid until the next call. NULL if the
 * deadline (of deadline_processor; 0: none) passed: a later call goes on where this one stopped. *loose
 * is set if e depends on a loose term. */
const lit_t *blaster_word(struct blaster *b, expr_t e, double deadline, int *loose);
/* The same for a term that has been asked for; NULL if it was not. */
const lit_t *blaster_known(const struct blaster *b, expr_t e, int *loose);

/* blast_table.c: width/8 bytes at `at` (64 literals) plus `offset`, modulo 2^64, out of the table.
 * Returns 0 if that is too large. */
int blast_select(struct blaster *b, const struct blast_table *t, const lit_t *at, uint64_t offset,
		 unsigned width, lit_t *out);

#endif
