/* html.c: the pages of the HTML report: the overview, and those of source files; the others have files of their own. */
#include "report/html.h"

#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "report/bug.h"
#include "report/html_parts.h"
#include "report/xml.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void html_place(const struct pages *p, const char *file, uint32_t line, struct buf *out)
{
	uint64_t number;
	int linked = strmap_get(&p->files, file, &number);

	if (!*file)
		return;
	if (linked)
		buf_addf(out, "<a href=\"file-%" PRIu64 ".html#L%" PRIu32 "\">", number + 1, line);
	xml_text(out, formats_path(p->in, file));
	buf_addf(out, ":%" PRIu32 "%s", line, linked ? "</a>" : "");
}

static void bar(struct buf *out, uint64_t part, uint64_t all)
{
	buf_addf(out, "<td class=\"n\" data-v=\"%.4f\">%" PRIu64 "/%" PRIu64 "</td>", all ? (double)part / (double)all : 1, part, all);
}

/* ------------------------------------------------------------ overview */

static void tile(struct buf *out, const char *class, uint64_t n, const char *words)
{
	buf_addf(out, "<div><b class=\"%s\">%" PRIu64 "</b>%s</div>", class, n, words);
}

static void totals(const struct covered *c, uint64_t *hit, uint64_t *all)
{
	*hit = 0;
	*all = c->taken.size;
	for (size_t i = 0; i < c->taken.size; i++)
		*hit += c->taken.data[i];
}

static void tiles(struct pages *p, struct buf *out)
{
	if (!p->in->time && !p->in->result->bugs.size && !p->in->covered->files.size) {
		buf_adds(out, "<p>The store has no search yet: <code>muster test FILE.c</code> makes one.</p>\n");
		return;
	}
	const struct result *r = p->in->result;
	uint64_t confirmed = 0, hit, all;

	for (size_t i = 0; i < r->bugs.size; i++)
		confirmed += (uint64_t)!!r->bugs.data[i].confirmed;
	totals(p->in->covered, &hit, &all);
	buf_adds(out, "<div class=\"tiles\">");
	tile(out, confirmed ? "bad" : "good", confirmed, confirmed == 1 ? "bug" : "bugs");
	if (confirmed < r->bugs.size)
		tile(out, "warn", r->bugs.size - confirmed, "suspected");
	for (const char *const *v = formats_verdicts; *v; v++) {
		uint64_t n = formats_verdict_count(r, *v);
		if (n)
			tile(out, strncmp(*v, "verified", 8) ? "" : "good", n, *v);
	}
	buf_addf(out, "<div><b>%" PRIu64 "/%" PRIu64 "</b>branch outcomes</div></div>\n", hit, all);
	buf_adds(out, "<p class=\"dim\">");
	if (p->in->time) {
		buf_adds(out, "Search of ");
		formats_time(out, p->in->time, " UTC");
		buf_addf(out, ", %.1f s. ", p->in->seconds);
	}
	buf_adds(out, "Made by muster ");
	xml_text(out, p->in->version);
	buf_adds(out, !r->functions.size ? ".</p>\n" : ". <em>verified</em>: every path was run and passed the sanitizers, within the bounds that muster test prints; <em>verified given</em>: the same of calls that keep the function's contract; <em>explored</em>: every branch outcome was taken by a test; "
		      "<em>partial</em>: some were not.</p>\n");
}

static void bugs(struct pages *p, struct buf *out)
{
	const struct result *r = p->in->result;

	if (!r->bugs.size) {
		buf_adds(out, "<h2>Bugs</h2>\n<p>None was found.</p>\n");
		return;
	}
	buf_adds(out, "<h2>Bugs</h2>\n<div class=\"wide\"><table class=\"sort\"><thead><tr><th scope=\"col\">kind</th><th scope=\"col\">function</th><th scope=\"col\">place</th><th scope=\"col\">what</th>"
		      "<th scope=\"col\">state</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < r->bugs.size; i++) {
		const struct result_bug *b = &r->bugs.data[i];
		buf_addf(out, "<tr><td><a href=\"bug-%zu.html\">", i + 1);
		xml_text(out, b->kind);
		buf_adds(out, "</a></td><td><code>");
		xml_text(out, b->function);
		buf_adds(out, "</code></td><td>");
		html_place(p, b->file, b->line, out);
		buf_adds(out, "</td><td class=\"w\">");
		xml_text(out, bug_description(b->kind, b->summary));
		buf_addf(out, "</td><td>%s%s</td></tr>\n", b->confirmed ? "confirmed" : "suspected", !p->in->before ? "" : map_get(&p->before, b->bucket, NULL) ? "" : ", new");
	}
	buf_adds(out, "</tbody></table></div>\n");
}

/* Where a function stands: its file as the store has it need not be a path of covered's. */
static const char *function_file(const struct pages *p, const struct result_function *f)
{
	for (size_t i = 0; i < p->in->covered->files.size; i++)
		if (!strcmp(file_base(p->in->covered->files.data[i].path), file_base(f->file)))
			return p->in->covered->files.data[i].path;
	return f->file;
}

static void function_map(struct pages *p, struct buf *out)
{
	const struct result *r = p->in->result;
	VEC(struct treemap_item) items = {0};

	for (size_t i = 0; i < r->functions.size; i++) {
		const struct result_function *f = &r->functions.data[i];
		uint64_t number;
		struct treemap_item t = {f->name, f->verdict, f->verdict, f->total + 1, f->covered, f->total, f->bugs, f->line, 0};
		if (strmap_get(&p->files, function_file(p, f), &number))
			t.page = number + 1;
		vec_push(&items, t);
	}
	html_treemap(items.data, items.size,
		     HTML_KEY("background:var(--goodbg)", "verified") HTML_KEY("background:var(--soft)", "explored") HTML_KEY(HTML_STRIPES, "partial") HTML_KEY("background:var(--line)", "unreached")
			 HTML_KEY("border:3px solid var(--bad)", "has bugs"),
		     out);
	vec_release(&items);
}

static void functions(struct pages *p, struct buf *out)
{
	const struct result *r = p->in->result;

	if (!r->functions.size) {
		html_entered(p, out);
		return;
	}
	buf_adds(out, "<h2>Functions</h2>\n<p class=\"dim\">Each rectangle is a function, as large as it has branch outcomes. It leads to the source.</p>\n");
	function_map(p, out);
	buf_adds(out, HTML_FILTER("functions")
		      "<div class=\"wide\"><table class=\"sort\" id=\"functions\"><thead><tr><th scope=\"col\">function</th><th scope=\"col\">verdict</th><th scope=\"col\" class=\"n\">outcomes</th>"
		      "<th scope=\"col\" class=\"n\">tests</th><th scope=\"col\" class=\"n\">bugs</th><th scope=\"col\">why it is no better</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < r->functions.size; i++) {
		const struct result_function *f = &r->functions.data[i];
		uint64_t number;
		int linked = strmap_get(&p->files, function_file(p, f), &number);
		buf_adds(out, "<tr><td><code>");
		if (linked)
			buf_addf(out, "<a href=\"file-%" PRIu64 ".html#L%" PRIu32 "\">", number + 1, f->line);
		xml_text(out, f->name);
		buf_addf(out, "%s</code></td><td class=\"%s\">%s</td>", linked ? "</a>" : "", !strncmp(f->verdict, "verified", 8) ? "good" : "", f->verdict);
		bar(out, f->covered, f->total);
		buf_addf(out, "<td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64 "</td><td>", f->tests, f->bugs);
		xml_text(out, f->why ? f->why : "");
		buf_adds(out, "</td></tr>\n");
	}
	buf_adds(out, "</tbody></table></div>\n");
}

static void file_totals(const struct covered *c, const struct covered_file *f, uint64_t *hit, uint64_t *all)
{
	*hit = *all = 0;
	for (size_t i = 0; i < f->decisions.size; i++) {
		*hit += covered_count(c, &f->decisions.data[i]);
		*all += f->decisions.data[i].outcomes;
	}
}

static void files(struct pages *p, struct buf *out)
{
	const struct covered *c = p->in->covered;

	buf_adds(out, "<h2>Files</h2>\n<p class=\"dim\">A decision of a header counts once here, in runs once for each unit that has it.</p>\n<div class=\"wide\"><table class=\"sort\"><thead><tr><th scope=\"col\">file</th><th scope=\"col\" class=\"n\">outcomes</th><th scope=\"col\" class=\"n\">functions entered</th></tr></thead>"
		      "<tbody>\n");
	for (size_t i = 0; i < c->files.size; i++) {
		const struct covered_file *f = &c->files.data[i];
		uint64_t hit, all, entered = 0;
		file_totals(c, f, &hit, &all);
		for (size_t k = 0; k < f->functions.size; k++)
			entered += (uint64_t)!!f->functions.data[k].entered;
		buf_addf(out, "<tr><td><a href=\"file-%zu.html\">", i + 1);
		xml_text(out, formats_path(p->in, f->path));
		buf_adds(out, "</a></td>");
		bar(out, hit, all);
		bar(out, entered, f->functions.size);
		buf_adds(out, "</tr>\n");
	}
	buf_adds(out, "</tbody></table></div>\n");
}

/* To the pages of comparisons. */
static void links(struct pages *p, struct buf *out)
{
	const struct compared *const all[] = {p->in->diff, p->in->validate};

	for (size_t i = 0; i < 2; i++) {
		if (!all[i])
			continue;
		buf_addf(out, "<p><a href=\"%s.html\">Last %s</a>: ", all[i]->command, all[i]->command);
		xml_text(out, all[i]->old);
		buf_adds(out, " \xe2\x86\x92 ");
		xml_text(out, all[i]->new);
		buf_adds(out, "</p>\n");
	}
	if (p->in->annotations)
		buf_addf(out, "<p><a href=\"tests.html\">Tests</a>: %" PRIu64 " were kept, %zu of them were the first to take a branch outcome or show a bug</p>\n", p->in->annotations->all_tests,
			 p->in->annotations->tests.size);
}

static int overview(struct pages *p)
{
	struct buf out = {0};
	char nonce[33];
	char *title = mem_printf("muster: %s", p->in->name);

	html_begin(p, &out, title, 1, nonce);
	free(title);
	tiles(p, &out);
	links(p, &out);
	bugs(p, &out);
	functions(p, &out);
	html_history(p->in, &out);
	files(p, &out);
	return html_end(p->directory, &out, nonce, "index.html");
}

/* ------------------------------------------------------------ the others */

static int has_kind(const struct annotations *a, const char *path, enum annotation_kind kind)
{
	for (size_t i = 0; a && i < a->places.size; i++)
		if (a->places.data[i].kind == kind && !strcmp(a->places.data[i].file, path))
			return 1;
	return 0;
}

/* What the marks mean; of what stands above lines, what this page has. */
static void legend(const struct pages *p, size_t file, struct buf *out)
{
	const struct annotations *a = p->in->annotations;
	const char *path = p->in->covered->files.data[file].path;
	int summaries = has_kind(a, path, ANNOTATION_SUMMARY), invariants = has_kind(a, path, ANNOTATION_INVARIANT), requires = has_kind(a, path, ANNOTATION_REQUIRES);

	buf_adds(out, "<p class=\"dim\">Beside a line with decisions: <span class=\"hit\">t\xe2\x9c\x93</span> a test took that direction (true, false), <span class=\"miss\">f\xe2\x9c\x97</span> none did, "
		      "<span class=\"never\">t\xe2\x9c\x97</span> none got here; of a switch, how many of its cases tests took. A \xe2\x9c\x93 leads to the first test that did.");
	if (requires)
		buf_adds(out, " <em>requires</em>: a call that breaks this was seen to fail; <code>len(p)</code> is how many elements are behind <code>p</code>.");
	if (summaries)
		buf_adds(out, " A <em>must summary</em> of a function says: from every state that satisfies <em>pre</em> it ends as <em>post</em> says; <code>after(x)</code> is <code>x</code> at the end.");
	if (invariants)
		buf_adds(out, " <em>always at this loop</em> holds each time the loop is at its head; <code>iterations(25)</code> is how often the loop of line 25 came back to it.");
	if (!summaries || !invariants)
		buf_addf(out, " The store has no %s%s%s of it.", summaries ? "" : "summaries (<code>muster test --summaries</code>)", summaries || invariants ? "" : " and no ", invariants ? "" : "invariants (<code>muster invariants</code>)");
	buf_adds(out, "</p>\n");
}

static int file_page(struct pages *p, size_t i)
{
	struct buf out = {0};
	char nonce[33], name[40];

	snprintf(name, sizeof name, "file-%zu.html", i + 1);
	html_begin(p, &out, formats_path(p->in, p->in->covered->files.data[i].path), 0, nonce);
	legend(p, i, &out);
	for (size_t k = 0; p->in->annotations && k < p->in->annotations->stale.size; k++)
		if (!strcmp(p->in->annotations->stale.data[k], p->in->covered->files.data[i].path))
			buf_adds(&out, "<p class=\"warn\">The invariants that the store has are of another text of this file: run <code>muster invariants</code> again.</p>\n");
	html_source(p->in, i, &out);
	return html_end(p->directory, &out, nonce, name);
}

void html_pre(struct buf *out, const char *heading, const char *text)
{
	buf_addf(out, "<h2>%s</h2>\n<pre tabindex=\"0\">", heading);
	xml_text(out, text);
	buf_adds(out, "</pre>\n");
}

int html_write(const struct formats_input *in, const char *directory)
{
	struct pages p = {.in = in, .directory = directory};
	int e = file_mkdirs(directory);

	for (size_t i = 0; i < in->covered->files.size; i++)
		strmap_set(&p.files, in->covered->files.data[i].path, i);
	if (in->before)
		formats_buckets(in->before, &p.before);
	if (!e)
		e = overview(&p);
	for (size_t i = 0; !e && i < in->covered->files.size; i++)
		e = file_page(&p, i);
	for (size_t i = 0; !e && i < in->result->bugs.size; i++)
		e = html_bug(&p, i);
	if (!e && in->annotations)
		e = html_tests(&p);
	if (!e && in->diff)
		e = html_compared(&p, in->diff);
	if (!e && in->validate)
		e = html_compared(&p, in->validate);
	strmap_release(&p.files);
	map_release(&p.before);
	return e;
}
