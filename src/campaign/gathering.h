/* gathering.h: summaries of all functions of a program as its tests call them (summary/gather.h), with names and types of debug info. */
#ifndef MUSTER_CAMPAIGN_GATHERING_H
#define MUSTER_CAMPAIGN_GATHERING_H

#include "ir/whole.h"
#include "search/path.h"
#include "summary/gather.h"

struct fuzz;
struct gathering {
	struct gather calls; /* gather_name, then gather_run for each test */
	struct whole *whole;
	struct sites sites;
	struct path path;
	checker_set checks;
	uint64_t broken; /* runs that broke a check: nothing is made of them */
};
/* The address of *g must not change until gathering_close. -1 with words; gathering_close is called in any case. */
int gathering_open(struct gathering *g, const struct fuzz *f);
void gathering_close(struct gathering *g);

#endif
