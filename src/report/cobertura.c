/* cobertura.c: branch coverage as Cobertura's XML (coverage-04.dtd), which CI servers show beside the source. A class is a file. As in lcov.c, lines are those with decisions and hits are 0 or 1. */
#include "report/formats.h"

#include "report/xml.h"

#include <inttypes.h>

struct rates {
	uint64_t lines, lines_hit, branches, branches_hit;
};

static double rate(uint64_t hit, uint64_t all)
{
	return all ? (double)hit / (double)all : 1;
}

static void rate_attributes(struct buf *out, const struct rates *r)
{
	buf_addf(out, " line-rate=\"%.4f\" branch-rate=\"%.4f\"", rate(r->lines_hit, r->lines), rate(r->branches_hit, r->branches));
}

static void file_lines(const struct covered *c, const struct covered_file *f, struct rates *r, struct buf *out)
{
	for (size_t i = 0; i < f->decisions.size;) {
		uint32_t line = f->decisions.data[i].line;
		uint64_t hit = 0, all = 0;
		for (; i < f->decisions.size && f->decisions.data[i].line == line; i++) {
			hit += covered_count(c, &f->decisions.data[i]);
			all += f->decisions.data[i].outcomes;
		}
		buf_addf(out, "            <line number=\"%" PRIu32 "\" hits=\"%d\" branch=\"true\" condition-coverage=\"%.0f%% (%" PRIu64 "/%" PRIu64 ")\"/>\n", line, hit > 0,
			 100.0 * rate(hit, all), hit, all);
		r->lines++;
		r->lines_hit += hit > 0;
		r->branches += all;
		r->branches_hit += hit;
	}
}

static void class(const struct formats_input *in, const struct covered_file *f, struct rates *sum, struct buf *out)
{
	struct rates r = {0};
	struct buf lines = {0};
	const char *path = formats_path(in, f->path);

	file_lines(in->covered, f, &r, &lines);
	buf_adds(out, "        <class");
	xml_attribute(out, "name", path);
	xml_attribute(out, "filename", path);
	rate_attributes(out, &r);
	buf_adds(out, " complexity=\"0\">\n          <methods/>\n          <lines>\n");
	buf_add(out, lines.data, lines.size);
	buf_adds(out, "          </lines>\n        </class>\n");
	sum->lines += r.lines, sum->lines_hit += r.lines_hit;
	sum->branches += r.branches, sum->branches_hit += r.branches_hit;
	buf_release(&lines);
}

void formats_cobertura(const struct formats_input *in, struct buf *out)
{
	struct rates all = {0};
	struct buf classes = {0};

	for (size_t i = 0; i < in->covered->files.size; i++)
		class(in, &in->covered->files.data[i], &all, &classes);
	buf_adds(out, XML_DECLARATION "<!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n<coverage");
	rate_attributes(out, &all);
	buf_addf(out, " lines-covered=\"%" PRIu64 "\" lines-valid=\"%" PRIu64 "\" branches-covered=\"%" PRIu64 "\" branches-valid=\"%" PRIu64 "\" complexity=\"0\"", all.lines_hit, all.lines,
		 all.branches_hit, all.branches);
	xml_attribute(out, "version", in->version);
	buf_addf(out, " timestamp=\"%" PRId64 "\">\n  <sources>\n    <source>", in->time);
	xml_text(out, in->base);
	buf_adds(out, "</source>\n  </sources>\n  <packages>\n    <package");
	xml_attribute(out, "name", in->name);
	rate_attributes(out, &all);
	buf_adds(out, " complexity=\"0\">\n      <classes>\n");
	buf_add(out, classes.data, classes.size);
	buf_adds(out, "      </classes>\n    </package>\n  </packages>\n</coverage>\n");
	buf_release(&classes);
}
