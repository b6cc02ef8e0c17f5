/* keep.h: what a comparison came to, into the store, for `muster report`. */
#ifndef MUSTER_CMD_KEEP_H
#define MUSTER_CMD_KEEP_H

#include "campaign/versions.h"
#include "result/compared.h"

/* The last one of its command from now on. store: NULL: that of the project, made if it is not there. A store that cannot be written is a warning: what was found is printed anyhow. */
void keep_compared(const char *store, struct compared *c);
/* The text of a file in both versions, if it can be read in both. file: as the old version names it. */
void keep_source(struct compared *c, const struct version *old, const struct version *new, const char *file);

#endif
