/* tables.h: the site tables of a program from its records alone, for who has no variant of it at hand.
 *
 *	struct tables t = {0};
 *	for each record, in the order of the link: if (tables_add(&t, &record)) ...   -1 with words
 *	if (tables_end(&t)) ...
 *	t.sites
 *	tables_release(&t);
 */
#ifndef MUSTER_BUILD_TABLES_H
#define MUSTER_BUILD_TABLES_H

#include "base/map.h"
#include "build/record.h"
#include "ir/site.h"

struct tables {
	struct site_tables sites; /* after tables_end */
	struct buf section;
	struct map taken, seen;
};

/* A unit gets the id that it has in variants; a record of something else is left out. */
int tables_add(struct tables *t, const struct record *r);
int tables_end(struct tables *t);
void tables_release(struct tables *t);

#endif
