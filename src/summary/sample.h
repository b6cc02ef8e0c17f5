/* sample.h: summaries tried: random states that satisfy P, and whether what a run left satisfies Q.
 *
 * States are inputs of the driver with the pointers of the witnessing test. Every place that P leaves free is varied, and so is what pointers that P does not name lead to.
 */
#ifndef MUSTER_SUMMARY_SAMPLE_H
#define MUSTER_SUMMARY_SAMPLE_H

#include "harness/harness.h"
#include "summary/summary.h"

struct solver;

struct sampler {
	struct summaries *l;
	const struct harness *h;
	uint32_t number; /* of the function in the table */
	struct solver *solver;
	uint64_t random; /* state of the generator */
};

/* Fills in an input that satisfies P; witness: the input of the summary's test. 1; 0: none was found. */
int sample_state(struct sampler *s, const struct summary *x, const void *witness, size_t size, struct buf *input);
/* The same with these values (variable to its low 64 bits) of places that are no pointers, and where there is none with these bytes; others at random. */
struct map;
struct sample_memory { /* of a global ("gNAME") or of what a place points to ("0*", "gNAME+8*") */
	const char *base;
	const uint8_t *bytes;
	size_t size;
};
int sample_state_of(struct sampler *s, const struct summary *x, const void *witness, size_t size, struct map *values, const struct sample_memory *memory, size_t count, struct buf *input);
/* Does the input's state satisfy P, and has the driver all places that Q names? */
int sample_satisfies(struct sampler *s, const struct summary *x, const void *input, size_t size);
/* Does the condition hold in the input's state? other: the value of a place that the driver does not make, 0: it is not known. 1; 0: it does not, or that is not known. */
int sample_says(struct sampler *s, const struct summary *x, expr_t condition, const void *input, size_t size, int (*other)(void *ctx, const struct place *pl, unsigned width, u128 *value), void *ctx);
/* Does what the call of this input left (an observation of muster/drive.h) satisfy Q, and is all else as it was? 1; 0 with words. */
int sample_holds(struct sampler *s, const struct summary *x, const void *input, size_t size, const void *seen, size_t seen_size, struct buf *words);
/* A value, most often where programs differ. */
u128 sample_random(struct sampler *s, unsigned width);
/* A model of P's conditions on numbers (variable to value), some of them at random; 0: the solver has none. */
int sample_values(struct sampler *s, const struct summary *x, struct map *values);
/* Is Q a failure? */
int sample_fails(const struct exprs *p, const struct summary *x);

#endif
