/* keep.h: what a comparison came to, into the store, for `muster report`. */
#ifndef MUSTER_CMD_KEEP_H
#define MUSTER_CMD_KEEP_H

#include "campaign/versions.h"
#include "result/compared.h"

/* A value of the store as a whole. store: NULL: that of the project, made if it is not there. A store that cannot be written is a warning: what was found is printed anyhow. */
void keep_value(const char *store, const char *name, const struct buf *bytes);
/* The points of `muster invariants` of a file, by its absolute path: a line with the hash of the text that they are of, then "LINE\tOUTCOME\tTEXT" each (no outcome: the head of a loop). */
#define KEEP_INVARIANTS "invariants "
/* The last one of its command from now on. */
void keep_compared(const char *store, struct compared *c);
/* The text of a file in both versions, if it can be read in both. file: as the old version names it. */
void keep_source(struct compared *c, const struct version *old, const struct version *new, const char *file);

#endif
