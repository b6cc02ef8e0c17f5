/* contracts.h: what the files of `muster contracts` share. */
#ifndef MUSTER_CMD_CONTRACTS_H
#define MUSTER_CMD_CONTRACTS_H

#include "base/buf.h"
#include "contract/accepted.h"

/* contracts_annotate.c: a copy of a header in which each declaration of a function that has a contract says so by MUSTER_REQUIRES. The number of declarations. */
size_t contracts_annotate(const struct accepted *all, const struct buf *header, struct buf *out);

#endif
