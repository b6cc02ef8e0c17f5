/* pack.h: formulas of summaries, small: compressed with what others of their function and unit say. Private to src/store. */
#ifndef MUSTER_STORE_PACK_H
#define MUSTER_STORE_PACK_H

#include "base/buf.h"
#include "store/store.h"

/* Bits in the column `kind`. */
#define PACK_KIND 2 /* the row is packed */
#define BASE_KIND 4 /* it is its function's first one, by which the others are packed */

struct packing;
/* The three serial forms of m, a summary of this unit, as one; *base: it is to be a base. 1; 0: they are no smaller so; -1 with words. Inside a transaction: a dictionary may be written. */
int pack_summary(struct store *s, struct hash128 unit, const struct store_summary *m, struct buf *out, int *base);
/* The other way round, from what m->pre has: m's forms point into out. 0; -1 with words. */
int unpack_summary(struct store *s, struct hash128 unit, int base, struct store_summary *m, struct buf *out);
/* Bases may have gone, or a transaction was given up. */
void pack_forget(struct store *s);
void packing_free(struct packing *p); /* NULL is fine */

#endif
