/* fuzz.h: what the files of `muster fuzz` share: how a campaign's result is printed. */
#ifndef MUSTER_CMD_FUZZ_H
#define MUSTER_CMD_FUZZ_H

#include "campaign/campaign.h"

/* fuzz_report.c: for a person or as JSON. Returns the exit code. */
int fuzz_report(const struct fuzz *f, struct store *s, const char *status);

#endif
