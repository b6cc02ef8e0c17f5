/* markdown.c: a page for a comment on a pull request. Text from outside stands in code spans, where nothing is markup. */
#include "report/formats.h"

#include "report/bug.h"

#include <inttypes.h>
#include <string.h>

/* Within a table, too. */
static void code(struct buf *out, const char *s)
{
	buf_addc(out, '`');
	for (; *s; s++)
		if (*s == '|')
			buf_adds(out, "\\|");
		else
			buf_addc(out, *s == '`' ? '\'' : (unsigned char)*s < ' ' ? ' ' : *s);
	buf_addc(out, '`');
}

static void heading(const struct formats_input *in, struct buf *out)
{
	const struct result *r = in->result;
	size_t confirmed = 0;

	for (size_t i = 0; i < r->bugs.size; i++)
		confirmed += (size_t)!!r->bugs.data[i].confirmed;
	buf_adds(out, "**muster** ");
	code(out, in->name);
	buf_addf(out, ": %zu bug%s", confirmed, confirmed == 1 ? "" : "s");
	if (confirmed < r->bugs.size)
		buf_addf(out, ", %zu suspected", r->bugs.size - confirmed);
	if (in->before) {
		struct map now = {0}, before = {0};
		size_t added = 0, gone = 0;
		formats_buckets(r, &now);
		formats_buckets(in->before, &before);
		for (size_t i = 0; i < r->bugs.size; i++)
			added += !map_get(&before, r->bugs.data[i].bucket, NULL);
		for (size_t i = 0; i < in->before->bugs.size; i++)
			gone += !map_get(&now, in->before->bugs.data[i].bucket, NULL);
		buf_addf(out, " (%zu new, %zu of the last version not found again)", added, gone);
		map_release(&now);
		map_release(&before);
	}
	for (const char *const *v = formats_verdicts; *v; v++) {
		size_t n = formats_verdict_count(r, *v);
		if (n)
			buf_addf(out, ", %zu %s", n, *v);
	}
	buf_addc(out, '\n');
}

static void bugs(const struct formats_input *in, struct buf *out)
{
	for (size_t i = 0; i < in->result->bugs.size; i++) {
		const struct result_bug *b = &in->result->bugs.data[i];
		buf_addf(out, "%s* %s", i ? "" : "\n", b->confirmed ? "" : "suspected: ");
		code(out, b->summary);
		if (b->replay)
			buf_adds(out, "  \n  "), code(out, b->replay);
		buf_addc(out, '\n');
	}
}

void formats_markdown(const struct formats_input *in, struct buf *out)
{
	const struct result *r = in->result;

	heading(in, out);
	bugs(in, out);
	if (r->functions.size)
		buf_adds(out, "\n| function | verdict | branches | bugs |\n| --- | --- | --- | --- |\n");
	for (size_t i = 0; i < r->functions.size; i++) {
		const struct result_function *f = &r->functions.data[i];
		buf_adds(out, "| ");
		code(out, f->name);
		buf_addf(out, " | %s | %" PRIu64 "/%" PRIu64 " | %" PRIu64 " |\n", f->verdict, f->covered, f->total, f->bugs);
	}
}
