/* html_tests.c: the page of tests: those that were the first to take a branch outcome, or that show a bug. The pages of sources and bugs lead here. */
#include "report/html_parts.h"

#include "report/bug.h"
#include "report/xml.h"

#include <inttypes.h>

void html_test(const struct formats_input *in, uint64_t id, struct buf *out)
{
	int there = in->annotations && map_get(&in->annotations->by_id, id, NULL);

	if (there)
		buf_addf(out, "<a href=\"tests.html#T%" PRIu64 "\">", id);
	buf_addf(out, "test %" PRIu64 "%s", id, there ? "</a>" : "");
}

static void row(const struct annotation_test *t, struct buf *out)
{
	struct buf text = {0};

	buf_addf(out, "<tr id=\"T%" PRIu64 "\"><td class=\"n\">%" PRIu64 "</td><td class=\"w\"><code>", t->id, t->id);
	if (!t->call)
		bug_input(t->data, t->size, &text);
	xml_text(out, t->call ? t->call : buf_str(&text));
	buf_addf(out, "</code></td><td class=\"n\">%zu</td><td>%s</td><td class=\"n\">%.2f</td><td class=\"n\">%" PRIu32 "</td></tr>\n", t->size, t->origin, t->found, t->outcomes);
	buf_release(&text);
}

int html_tests(const struct pages *p)
{
	const struct annotations *a = p->in->annotations;
	struct buf out = {0};
	char nonce[33];

	html_begin(&out, "Tests", 0, nonce);
	buf_addf(&out,
		 "<p class=\"dim\">%zu of %" PRIu64 " tests: those that were the first to take a branch outcome, or show a bug. <em>seed</em>: given, or the first call of a function; <em>solve</em>: solved for; <em>havoc</em>: changed at "
		 "random; <em>sync</em>: from another search. <code>muster show tests</code> lists all, <code>muster export</code> writes them.</p>\n"
		 "<p><input type=\"search\" hidden data-filter=\"tests\" aria-label=\"show tests whose row has\" placeholder=\"filter\"></p>\n"
		 "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"tests\"><table class=\"sort\" id=\"tests\"><thead><tr><th scope=\"col\" class=\"n\">test</th><th scope=\"col\">input</th><th scope=\"col\" class=\"n\">bytes</th>"
		 "<th scope=\"col\">origin</th><th scope=\"col\" class=\"n\">after s</th><th scope=\"col\" class=\"n\">outcomes first</th></tr></thead><tbody>\n",
		 a->tests.size, a->all_tests);
	for (size_t i = 0; i < a->tests.size; i++)
		row(&a->tests.data[i], &out);
	buf_adds(&out, "</tbody></table></div>\n");
	return html_end(p->directory, &out, nonce, "tests.html");
}
