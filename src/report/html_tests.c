/* html_tests.c: the page of tests: those that were the first to take a branch outcome, or that show a bug. The pages of sources and bugs lead here. */
#include "report/html_parts.h"

#include "base/file.h"
#include "report/bug.h"
#include "report/xml.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_SHOWN 3 /* of a test's new outcomes, as links | a row stays short */

void html_test(const struct formats_input *in, uint64_t id, struct buf *out)
{
	int there = in->annotations && map_get(&in->annotations->by_id, id, NULL);

	if (there)
		buf_addf(out, "<a href=\"tests.html#T%" PRIu64 "\">", id);
	buf_addf(out, "test %" PRIu64 "%s", id, there ? "</a>" : "");
}

/* A place whose outcome a test took first. */
struct first {
	uint64_t test;
	size_t file; /* of covered.files */
	uint32_t line;
};
struct firsts {
	VEC(struct first) list; /* by test, file, line; each once */
};

static int by_test(const void *a, const void *b)
{
	const struct first *x = a, *y = b;

	if (x->test != y->test)
		return x->test < y->test ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static void collect(const struct covered *c, struct firsts *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->files.size; i++)
		for (size_t k = 0; k < c->files.data[i].decisions.size; k++) {
			const struct covered_decision *d = &c->files.data[i].decisions.data[k];
			for (uint32_t o = 0; o < d->outcomes; o++)
				if (c->tests.data[d->first + o])
					vec_push(&l->list, (struct first){c->tests.data[d->first + o], i, d->line});
		}
	if (l->list.size)
		qsort(l->list.data, l->list.size, sizeof *l->list.data, by_test);
	for (size_t i = 0; i < l->list.size; i++)
		if (!kept || by_test(&l->list.data[kept - 1], &l->list.data[i]))
			l->list.data[kept++] = l->list.data[i];
	l->list.size = kept;
}

/* Those of the test, from *at on, which is behind them then. */
static void places(const struct pages *p, const struct firsts *l, size_t *at, uint64_t test, struct buf *out)
{
	size_t shown = 0;

	while (*at < l->list.size && l->list.data[*at].test < test)
		++*at;
	for (; *at < l->list.size && l->list.data[*at].test == test; ++*at, shown++)
		if (shown < PLACES_SHOWN) {
			buf_adds(out, shown ? ", " : "");
			buf_addf(out, "<a href=\"file-%zu.html#L%" PRIu32 "\">", l->list.data[*at].file + 1, l->list.data[*at].line);
			xml_text(out, file_base(p->in->covered->files.data[l->list.data[*at].file].path));
			buf_addf(out, ":%" PRIu32 "</a>", l->list.data[*at].line);
		}
	if (shown > PLACES_SHOWN)
		buf_addf(out, " and %zu more", shown - PLACES_SHOWN);
}

static void row(const struct pages *p, const struct annotation_test *t, const struct firsts *l, size_t *at, struct buf *out)
{
	struct buf text = {0};

	buf_addf(out, "<tr id=\"T%" PRIu64 "\"><td class=\"n\">%" PRIu64 "</td><td class=\"w\"><code>", t->id, t->id);
	if (!t->call)
		bug_input(t->data, t->size, &text);
	xml_text(out, t->call ? t->call : buf_str(&text));
	buf_addf(out, "</code></td><td class=\"n\">%zu</td><td>%s</td><td class=\"n\">%.2f</td><td class=\"n\">%" PRIu32 "</td><td class=\"w\">", t->size, t->origin, t->found, t->outcomes);
	places(p, l, at, t->id, out);
	buf_adds(out, "</td></tr>\n");
	buf_release(&text);
}

static int has_stub(const struct annotations *a)
{
	for (size_t i = 0; i < a->tests.size; i++)
		if (a->tests.data[i].call && strstr(a->tests.data[i].call, "muster_stub_"))
			return 1;
	return 0;
}

int html_tests(const struct pages *p)
{
	const struct annotations *a = p->in->annotations;
	struct firsts l = {0};
	struct buf out = {0};
	char nonce[33];
	size_t at = 0;
	int unit = p->in->result->functions.size > 0;

	html_begin(p, &out, "Tests", 0, nonce);
	buf_addf(&out,
		 "<p class=\"dim\">%zu of %" PRIu64 " tests: those that were the first to take a branch outcome, or show a bug. <em>seed</em>: given, or the first call of a function; <em>solve</em>: solved for; <em>havoc</em>: changed at "
		 "random; <em>sync</em>: from another search. <em>Found after</em>: seconds of the search%s. <em>New outcomes</em>: how many it took that no test before it did%s. %s<code>muster show tests</code> lists all tests, <code>muster "
		 "export</code> writes them.</p>\n" HTML_FILTER("tests")
		 "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"tests\"><table class=\"sort\" id=\"tests\"><thead><tr><th scope=\"col\" class=\"n\">test</th><th scope=\"col\">input</th><th scope=\"col\" class=\"n\">bytes</th>"
		 "<th scope=\"col\">origin</th><th scope=\"col\" class=\"n\">found after</th><th scope=\"col\" class=\"n\">new outcomes</th><th scope=\"col\">where</th></tr></thead><tbody>\n",
		 a->tests.size, a->all_tests, unit ? " of its function" : "", unit ? " in the search of its function; <em>where</em>: those that no test at all had taken" : ", and where",
		 has_stub(a) ? "<code>muster_stub_1()</code> is a function that muster made for a pointer to one: what it returns is part of the input. " : "");
	collect(p->in->covered, &l);
	for (size_t i = 0; i < a->tests.size; i++)
		row(p, &a->tests.data[i], &l, &at, &out);
	buf_adds(&out, "</tbody></table></div>\n");
	vec_release(&l.list);
	return html_end(p->directory, &out, nonce, "tests.html");
}
