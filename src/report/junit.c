/* junit.c: functions as test cases, their confirmed bugs as failures. Of a whole program, each bug is a case, and without any the search is one that passed. A suspicion
 * fails nothing. */
#include "report/formats.h"

#include "base/map.h"
#include "report/bug.h"
#include "report/xml.h"

#include <inttypes.h>
#include <string.h>

static void failure(struct buf *out, const struct result_bug *b)
{
	buf_adds(out, "      <failure");
	xml_attribute(out, "message", bug_description(b->kind, b->summary));
	xml_attribute(out, "type", b->kind);
	buf_addc(out, '>');
	if (b->replay) {
		xml_text(out, b->replay);
		buf_addc(out, '\n');
	}
	xml_text(out, b->report ? b->report : "");
	buf_adds(out, "</failure>\n");
}

static void testcase(struct buf *out, const char *name, const char *classname)
{
	buf_adds(out, "    <testcase");
	xml_attribute(out, "name", name);
	xml_attribute(out, "classname", classname);
}

/* fails: a bug is in it. */
static void function(const struct formats_input *in, const struct result_function *f, int fails, struct buf *out)
{
	testcase(out, f->name, f->file);
	buf_addf(out, " time=\"%.3f\">\n", f->seconds);
	if (!f->tests)
		buf_adds(out, "      <skipped"), xml_attribute(out, "message", f->why ? f->why : "no test was run"), buf_adds(out, "/>\n");
	for (size_t i = 0; fails && i < in->result->bugs.size; i++) {
		const struct result_bug *b = &in->result->bugs.data[i];
		if (b->confirmed && !strcmp(b->function, f->name))
			failure(out, b);
	}
	buf_adds(out, "      <system-out>");
	xml_text(out, f->verdict);
	if (f->why && *f->why)
		buf_adds(out, ": "), xml_text(out, f->why);
	buf_addf(out, "; branches %" PRIu64 "/%" PRIu64 "</system-out>\n    </testcase>\n", f->covered, f->total);
}

static void suite_begin(const struct formats_input *in, size_t cases, size_t failed, size_t skipped, struct buf *out)
{
	buf_addf(out, "<testsuites tests=\"%zu\" failures=\"%zu\" errors=\"0\" time=\"%.3f\">\n  <testsuite", cases, failed, in->seconds);
	xml_attribute(out, "name", in->name);
	buf_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.3f\"", cases, failed, skipped, in->seconds);
	if (in->time) {
		buf_adds(out, " timestamp=\"");
		formats_time(out, in->time, "");
		buf_addc(out, '"');
	}
	buf_adds(out, ">\n");
}

void formats_junit(const struct formats_input *in, struct buf *out)
{
	const struct result *r = in->result;
	struct strmap failing = {0}, listed = {0}; /* names of functions */
	struct buf cases = {0};
	size_t count = r->functions.size, failed = 0, skipped = 0;

	for (size_t i = 0; i < r->bugs.size; i++)
		if (r->bugs.data[i].confirmed)
			strmap_set(&failing, r->bugs.data[i].function, 1);
	for (size_t i = 0; i < r->functions.size; i++) {
		const struct result_function *f = &r->functions.data[i];
		int fails = strmap_get(&failing, f->name, NULL);
		strmap_set(&listed, f->name, 1);
		failed += (size_t)fails;
		skipped += !f->tests;
		function(in, f, fails, &cases);
	}
	for (size_t i = 0; i < r->bugs.size; i++) {
		const struct result_bug *b = &r->bugs.data[i];
		if (!b->confirmed || strmap_get(&listed, b->function, NULL))
			continue;
		testcase(&cases, bug_description(b->kind, b->summary), in->name);
		buf_adds(&cases, ">\n");
		failure(&cases, b);
		buf_adds(&cases, "    </testcase>\n");
		count++, failed++;
	}
	if (!count) {
		testcase(&cases, "search", in->name);
		buf_addf(&cases, " time=\"%.3f\"/>\n", in->seconds);
		count++;
	}
	buf_adds(out, XML_DECLARATION);
	suite_begin(in, count, failed, skipped, out);
	buf_add(out, cases.data, cases.size);
	buf_adds(out, "  </testsuite>\n</testsuites>\n");
	buf_release(&cases);
	strmap_release(&failing);
	strmap_release(&listed);
}
