/* sanitized.h: what a source has for builds with AddressSanitizer (sanitized.c). */
#ifndef MUSTER_HARNESS_SANITIZED_H
#define MUSTER_HARNESS_SANITIZED_H

#include "base/buf.h"
#include "harness/harness.h"

struct sanitized_stretch { /* of the text as for such a build */
	int differs;
	size_t from, to; /* where it is not what other builds have */
};

/* May the text for such a build be taken? Not where it calls the sanitizer's runtime, or takes out checks: most variants have no such runtime, and the checks are wanted. */
int sanitized_suits(const struct buf *text);
struct sanitized_stretch sanitized_compare(const struct buf *text, const struct buf *other);
/* Notes it as a limit of the functions that reach it. */
void sanitized_limit(struct harness *h, const struct front *f, const struct buf *text, const struct sanitized_stretch *s);

#endif
