/* lcov.c: branch coverage in the tracefile format of geninfo(1). Counts are 1 or 0: the store knows which outcomes tests took, not how often. A line
 * is listed if a decision stands in it. */
#include "report/formats.h"

#include <inttypes.h>
#include <string.h>

/* A line ends at a line feed, and nothing is escaped. */
static void name(struct buf *out, const char *s)
{
	for (; *s; s++)
		buf_addc(out, *s == '\n' || *s == '\r' ? '?' : *s);
}

static void functions(const struct covered_file *f, struct buf *out)
{
	size_t entered = 0;

	for (size_t i = 0; i < f->functions.size; i++) {
		buf_addf(out, "FN:%" PRIu32 ",", f->functions.data[i].line), name(out, f->functions.data[i].name), buf_addc(out, '\n');
		entered += (size_t)f->functions.data[i].entered;
	}
	for (size_t i = 0; i < f->functions.size; i++)
		buf_addf(out, "FNDA:%d,", f->functions.data[i].entered), name(out, f->functions.data[i].name), buf_addc(out, '\n');
	buf_addf(out, "FNF:%zu\nFNH:%zu\n", f->functions.size, entered);
}

static void branches(const struct covered *c, const struct covered_file *f, struct buf *out)
{
	size_t all = 0, taken = 0;

	for (size_t i = 0; i < f->decisions.size; i++) {
		const struct covered_decision *d = &f->decisions.data[i];
		uint32_t n = covered_count(c, d);
		for (uint32_t k = 0; k < d->outcomes; k++) /* block: the decision's number, since two may stand in one line */
			buf_addf(out, n ? "BRDA:%" PRIu32 ",%zu,%" PRIu32 ",%d\n" : "BRDA:%" PRIu32 ",%zu,%" PRIu32 ",-\n", d->line, i, k, c->taken.data[d->first + k]);
		all += d->outcomes;
		taken += n;
	}
	buf_addf(out, "BRF:%zu\nBRH:%zu\n", all, taken);
}

static void lines(const struct covered *c, const struct covered_file *f, struct buf *out)
{
	size_t all = 0, hit = 0;

	for (size_t i = 0; i < f->decisions.size;) {
		uint32_t line = f->decisions.data[i].line, n = 0;
		for (; i < f->decisions.size && f->decisions.data[i].line == line; i++)
			n += covered_count(c, &f->decisions.data[i]);
		buf_addf(out, "DA:%" PRIu32 ",%d\n", line, n > 0);
		all++;
		hit += n > 0;
	}
	buf_addf(out, "LF:%zu\nLH:%zu\n", all, hit);
}

void formats_lcov(const struct formats_input *in, struct buf *out)
{
	for (size_t i = 0; i < in->covered->files.size; i++) {
		const struct covered_file *f = &in->covered->files.data[i];
		buf_adds(out, "TN:muster\nSF:");
		name(out, f->path);
		buf_addc(out, '\n');
		functions(f, out);
		branches(in->covered, f, out);
		lines(in->covered, f, out);
		buf_adds(out, "end_of_record\n");
	}
}
