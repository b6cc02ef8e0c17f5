/* pack.h: packs of related symbols, thresholds for widening, and inputs worth a case split. */
#ifndef MUSTER_ABSINT_PACK_H
#define MUSTER_ABSINT_PACK_H

struct absint;
/* Fills a->packs, places of symbols, a->splits; the symbols are there. */
void pack_make(struct absint *a);
void pack_release(struct absint *a);

#endif
