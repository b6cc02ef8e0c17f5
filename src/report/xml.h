/* xml.h: text from outside in XML 1.0. */
#ifndef MUSTER_REPORT_XML_H
#define MUSTER_REPORT_XML_H

#include "base/buf.h"

#define XML_DECLARATION "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

/* Escaped, for an element or a quoted attribute. What XML cannot hold (most control characters, bytes that are not UTF-8) becomes '?'. */
void xml_text(struct buf *out, const char *s);
/* NAME="VALUE", with a space before it. */
void xml_attribute(struct buf *out, const char *name, const char *value);

#endif
