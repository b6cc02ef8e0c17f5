/* html.h: what the store has of a campaign, as pages that open from a file: index.html, a page for each source file with decisions, one for each bug.
 *
 * Nothing is loaded from elsewhere. Text from outside is escaped, and a content security policy with a nonce of its own for each page lets no other script run. */
#ifndef MUSTER_REPORT_HTML_H
#define MUSTER_REPORT_HTML_H

#include "report/formats.h"

/* in->covered is known. The directory is made if it is missing. -1 with words. */
int html_write(const struct formats_input *in, const char *directory);

/* html_source.c: the rows of a source file, highlighted, with decisions and bugs. page: number of the file in in->covered; bugs with their pages. */
void html_source(const struct formats_input *in, size_t file, struct buf *out);

#endif
