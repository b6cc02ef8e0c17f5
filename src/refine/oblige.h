/* oblige.h: what the parts of oblige share. Inside src/refine only. */
#ifndef MUSTER_REFINE_OBLIGE_H
#define MUSTER_REFINE_OBLIGE_H

#include "refine/unit.h"

enum { MOST_ARGUMENTS = 64 };

/* How the text calls an argument: by number in the conjunct. */
typedef void (*namer)(struct unit *u, void *ctx, const struct conjunct *c, size_t i, struct buf *out);

struct site {
	uint32_t n; /* for file and line */
	enum refine_place place;
	namer name; /* NULL: of a global as it is now */
	void *ctx;
	struct buf *checks; /* calls of muster_refine_holds for what is not proved */
	uint32_t line;	    /* another one than the node's; 0: that */
	int no_value;	    /* there is none: if control comes here, it is wrong */
};

/* One conjunct over these values: asks the prover, notes the outcome, adds the check, believes it from then on. */
void oblige(struct unit *u, const struct conjunct *c, const expr_t *given, const struct site *s);
/* Refinements of the type that a place was declared with; text is the place. */
void oblige_type(struct unit *u, uint32_t type, expr_t x, const char *text, struct site *s);
/* An object as a whole, for its fields; object is its text, up to the dot. */
void fields_of(struct unit *u, uint32_t type, const char *object, struct site *s);
/* After something that may have written what has another name too. */
void oblige_others(struct unit *u, uint32_t n, struct buf *checks);
/* Whether the refinement is written before the node. */
int visible(struct unit *u, const struct conjunct *c, uint32_t n);

/* As the variables are. */
void name_now(struct unit *u, void *ctx, const struct conjunct *c, size_t i, struct buf *out);
/* As they are, but for the value itself, whose text is ctx. */
void name_value_text(struct unit *u, void *ctx, const struct conjunct *c, size_t i, struct buf *out);

/* The text in the arena; the buffer is empty afterwards. */
const char *keep(struct unit *u, struct buf *b);
const char *spelled(struct unit *u, const char *inner); /* __typeof__(INNER) */

#endif
