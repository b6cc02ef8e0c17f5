/* testcomp.c: writes the two kinds of file that a suite of Test-Comp consists of. */
#include "report/testcomp.h"

#include "report/xml.h"

#include <stdio.h>

static const char declaration[] = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n";

static void element(struct buf *out, const char *name, const char *value)
{
	buf_addf(out, "  <%s>", name);
	xml_text(out, value);
	buf_addf(out, "</%s>\n", name);
}

void testcomp_metadata(struct buf *out, const struct testcomp_metadata *m)
{
	char when[40], bits[16];
	struct tm tm;
	gmtime_r(&m->created, &tm);
	strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm);
	snprintf(bits, sizeof bits, "%dbit", m->bits);
	buf_adds(out, declaration);
	buf_adds(out,
		 "<!DOCTYPE test-metadata PUBLIC \"+//IDN sosy-lab.org//DTD test-format "
		 "test-metadata 1.1//EN\" "
		 "\"https://sosy-lab.org/test-format/test-metadata-1.1.dtd\">\n<test-metadata>\n");
	element(out, "sourcecodelang", "C");
	element(out, "producer", "muster");
	element(out, "specification", m->specification);
	element(out, "programfile", m->file);
	element(out, "programhash", m->hash);
	element(out, "entryfunction", m->entry);
	element(out, "architecture", bits);
	element(out, "creationtime", when);
	buf_adds(out, "</test-metadata>\n");
}

void testcomp_case_begin(struct buf *out, int covers_error)
{
	buf_adds(out, declaration);
	buf_adds(
	    out,
	    "<!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" "
	    "\"https://sosy-lab.org/test-format/testcase-1.1.dtd\">\n");
	buf_adds(out, covers_error ? "<testcase coversError=\"true\">\n" : "<testcase>\n");
}

void testcomp_case_value(struct buf *out, const char *type, const char *value)
{
	buf_adds(out, "  <input");
	if (type) {
		buf_adds(out, " type=\"");
		xml_text(out, type);
		buf_addc(out, '"');
	}
	buf_addc(out, '>');
	xml_text(out, value);
	buf_adds(out, "</input>\n");
}

void testcomp_case_end(struct buf *out)
{
	buf_adds(out, "</testcase>\n");
}
