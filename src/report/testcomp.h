/* testcomp.h: test suites in the exchange format of Test-Comp (test-format 1.1): metadata.xml and a
 * file for each test. */
#ifndef MUSTER_REPORT_TESTCOMP_H
#define MUSTER_REPORT_TESTCOMP_H

#include "base/buf.h"

#include <time.h>

struct testcomp_metadata {
	const char *specification; /* text of the property */
	const char *file;	   /* program, as it was named */
	const char *hash;	   /* of its contents, SHA-256 in hex */
	const char *entry;	   /* function: "main" */
	int bits;		   /* of the architecture: 64 or 32 */
	time_t created;
};
void testcomp_metadata(struct buf *out, const struct testcomp_metadata *m);

/* A test is the values that were asked for, in order: begin, then each, then end. */
void testcomp_case_begin(struct buf *out, int covers_error);
void testcomp_case_value(struct buf *out, const char *type,
			 const char *value); /* type may be NULL */
void testcomp_case_end(struct buf *out);

#endif
