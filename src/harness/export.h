/* export.h: what the parts of the cmocka export share: export.c (the file), export_build.c (an
 * input as statements), export_assert.c (an observation as assertions). */
#ifndef MUSTER_HARNESS_EXPORT_H
#define MUSTER_HARNESS_EXPORT_H

#include "base/map.h"
#include "harness/value.h"

struct export
{
	const struct harness *h;
	struct buf *out;
	int raw;		    /* bytes instead of members */
	struct strmap taken;	    /* names of the unit */
	VEC(uint32_t) result_types; /* of all stubs: the columns of the table of results */
	/* The test that is being written. */
	const struct harness_case *c;
	struct walk w;
	struct strmap locals;
	char **names;	   /* of w.objects */
	char **parameters; /* variables */
	char *result;	   /* variable */
};

/* A type as a declaration has it, without const of its own; element: that of what it points to or
 * consists of. 0: it has no name. */
int export_type(const struct export *e, uint32_t front, struct buf *out);
/* A name like this one that nothing else has; allocated. */
char *export_name(struct export *e, const char *wish);
/* Words inside a comment. */
void export_comment(struct buf *out, const char *text);
/* Whether its tests run in a process of their own: static variables of functions cannot be set
 * back. */
int export_alone(const struct export *e, const struct harness_case *c);
/* The column of a result type. */
uint32_t export_column(const struct export *e, uint32_t type);

void export_build(struct export *e);
void export_assert(struct export *e);

#endif
