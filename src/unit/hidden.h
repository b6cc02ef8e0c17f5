/* hidden.h: ranges of members and globals that callers cannot name: invariants of the library's own. */
#ifndef MUSTER_UNIT_HIDDEN_H
#define MUSTER_UNIT_HIDDEN_H

#include "contract/clause.h"
#include "ir/written.h"

struct hidden {
	const char *program; /* the harness, whose records have the unit */
	int opened;	     /* 1: yes; -1: it cannot be read */
	VEC(struct written) units;
};

void hidden_release(struct hidden *h);
/* Does the clause speak of hidden numbers alone (contract/entry.h), and does the unit put nothing there that is known to break it? */
int hidden_keeps(struct hidden *h, const struct entry *e, const struct clause *c);

#endif
