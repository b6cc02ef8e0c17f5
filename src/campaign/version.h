/* version.h: the version of a program that a command works on, in the store. */
#ifndef MUSTER_CAMPAIGN_VERSION_H
#define MUSTER_CAMPAIGN_VERSION_H

#include "store/store.h"

/* Its records, of the program and its libraries, under the key of what they are; 0, -1 with words. */
int version_note(struct store *s, const char *program, uint64_t *id);

#endif
