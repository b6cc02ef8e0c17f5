/* html_history.c: the part of the overview about how the search went: curves, runs, queries by the rung that answered, what was taken over from the last version. */
#include "report/html_parts.h"

#include "report/xml.h"
#include "solve/solve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_SHOWN 30 /* runs in the table, the newest | a page stays short */

static void curves(const struct formats_input *in, struct buf *out)
{
	const struct history *h = in->history;
	struct history_series one = {in->name, h};

	if (h->points.size < 2)
		return;
	buf_adds(out, "<h2>Coverage and bugs over time</h2>\n");
	history_svg(&one, 1, 0, out);
	if (vec_last(&h->points).bugs)
		history_svg(&one, 1, 1, out);
}

static void runs(const struct history *h, struct buf *out)
{
	size_t first = h->runs.size > RUNS_SHOWN ? h->runs.size - RUNS_SHOWN : 0;

	if (!h->runs.size)
		return;
	buf_adds(out, "<h2>Runs</h2>\n<p class=\"dim\">Those with the same output directory. A version is a build of the program, by its number in the store.</p>\n<div class=\"wide\"><table class=\"sort\"><thead><tr><th scope=\"col\">ended (UTC)</th><th scope=\"col\">command</th><th scope=\"col\" class=\"n\">version</th>"
		      "<th scope=\"col\" class=\"n\">seconds</th><th scope=\"col\" class=\"n\">outcomes</th><th scope=\"col\" class=\"n\">tests</th><th scope=\"col\" class=\"n\">bugs</th></tr></thead><tbody>\n");
	for (size_t i = first; i < h->runs.size; i++) {
		const struct history_run *r = &h->runs.data[i];
		buf_adds(out, "<tr><td>");
		formats_time(out, r->time, "");
		buf_adds(out, "</td><td>");
		xml_text(out, r->command);
		buf_adds(out, ", ");
		xml_text(out, !strcmp(r->status, "budget") ? "its time was over" : r->status);
		buf_addf(out, "</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%.1f</td><td class=\"n\">%" PRIu64 "/%" PRIu64 "</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64 "</td></tr>\n", r->version,
			 r->seconds, r->covered, r->total, r->tests, r->bugs);
	}
	buf_adds(out, "</tbody></table></div>\n");
}

static const char *rung_words(const char *key)
{
	for (unsigned i = 0; i < SOLVE_RUNG_COUNT; i++)
		if (!strcmp(solve_rung_key(i), key))
			return solve_rung_words(i);
	return "";
}

/* Lines "KEY ANSWERED SECONDS". */
static void rungs(const char *lines, struct buf *out)
{
	char key[40];
	unsigned long long n;
	double seconds;
	int used;

	if (!*lines)
		return;
	buf_adds(out, "<h2>Queries by the rung of the solver that answered</h2>\n<p class=\"dim\">A query asks for an input that takes another path. It goes from rung to rung, cheap before expensive, until one has the answer.</p>\n<div class=\"wide\"><table class=\"sort\"><thead><tr><th scope=\"col\">rung</th><th scope=\"col\" class=\"n\">queries</th>"
		      "<th scope=\"col\" class=\"n\">seconds</th><th scope=\"col\">what it does</th></tr></thead><tbody>\n");
	for (; sscanf(lines, "%39s %llu %lf\n%n", key, &n, &seconds, &used) == 3; lines += used) {
		buf_adds(out, "<tr><td>");
		xml_text(out, key);
		buf_addf(out, "</td><td class=\"n\">%llu</td><td class=\"n\">%.2f</td><td>%s</td></tr>\n", n, seconds, rung_words(key));
	}
	buf_adds(out, "</tbody></table></div>\n");
}

void html_history(const struct formats_input *in, struct buf *out)
{
	const struct history *h = in->history;

	if (!h)
		return;
	curves(in, out);
	if (h->reuse_known && !h->reused_functions && !h->reused_tests)
		buf_adds(out, "<p>Nothing was taken over from an earlier version.</p>\n");
	else if (h->reuse_known)
		buf_addf(out, "<p>Taken over from earlier versions: %" PRIu64 " function%s, %" PRIu64 " test%s.</p>\n", h->reused_functions, h->reused_functions == 1 ? "" : "s", h->reused_tests,
			 h->reused_tests == 1 ? "" : "s");
	runs(h, out);
	rungs(h->rungs, out);
}
