/* html_source.c: a source file as rows of a table: the line's number, the outcomes of its decisions, its text. */
#include "report/html.h"

#include "base/file.h"
#include "report/bug.h"
#include "report/html_parts.h"
#include "report/xml.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LINES_WHOLE 20000 /* lines of a file that is shown whole; of a larger one, functions that a test entered | browsers stay fast */

/* ------------------------------------------------------------ highlighting */

static int is_keyword(const char *s, size_t n)
{
	static const char words[] = " auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof "
				    "static struct switch typedef union unsigned void volatile while _Bool _Static_assert ";
	char word[24];

	if (n > sizeof word - 3)
		return 0;
	word[0] = ' ';
	memcpy(word + 1, s, n);
	word[n + 1] = ' ', word[n + 2] = 0;
	return strstr(words, word) != NULL;
}

static void text(struct buf *out, const char *class, const char *s, size_t n)
{
	char *copy = mem_strndup(s, n);

	if (class)
		buf_addf(out, "<span class=\"%s\">", class);
	xml_text(out, copy);
	if (class)
		buf_adds(out, "</span>");
	free(copy);
}

static size_t string_length(const char *s, const char *end)
{
	const char *p = s + 1;

	while (p < end && *p != *s)
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	return (size_t)(p < end ? p + 1 - s : end - s);
}

/* One token; returns its length. */
static size_t token(struct buf *out, const char *s, const char *end, enum html_state *state)
{
	const char *close;
	size_t n = 1;

	if (*state == HTML_COMMENT || (end - s > 1 && s[0] == '/' && s[1] == '*')) {
		const char *from = *state == HTML_COMMENT ? s : s + 2;
		close = memmem(from, (size_t)(end - from), "*/", 2);
		*state = close ? HTML_CODE : HTML_COMMENT;
		n = close ? (size_t)(close + 2 - s) : (size_t)(end - s);
		text(out, "c", s, n);
	} else if (end - s > 1 && s[0] == '/' && s[1] == '/') {
		n = (size_t)(end - s);
		text(out, "c", s, n);
	} else if (*s == '"' || *s == '\'') {
		n = string_length(s, end);
		text(out, "s", s, n);
	} else if (isalpha((unsigned char)*s) || *s == '_') {
		while (s + n < end && (isalnum((unsigned char)s[n]) || s[n] == '_'))
			n++;
		text(out, is_keyword(s, n) ? "k" : NULL, s, n);
	} else {
		while (s + n < end && !isalpha((unsigned char)s[n]) && !strchr("_\"'/", s[n]))
			n++;
		text(out, NULL, s, n);
	}
	return n;
}

void html_highlight(struct buf *out, const char *s, const char *end, enum html_state *state)
{
	const char *p = s;

	while (p < end && isspace((unsigned char)*p))
		p++;
	if (*state == HTML_CODE && p < end && *p == '#') {
		text(out, "p", s, (size_t)(end - s));
		return;
	}
	while (s < end)
		s += token(out, s, end, state);
}

/* ------------------------------------------------------------ decisions */

/* A link to the first test that took it, where the page of tests has it. */
static void outcome(const struct formats_input *in, struct buf *out, const char *name, int taken, int reached, uint64_t test)
{
	if (taken && in->annotations && map_get(&in->annotations->by_id, test, NULL))
		buf_addf(out, "<a class=\"hit\" href=\"tests.html#T%" PRIu64 "\" title=\"%s: first taken by test %" PRIu64 "\">%.1s\xe2\x9c\x93</a>", test, name, test, name);
	else
		buf_addf(out, "<span class=\"%s\" title=\"%s: %s\">%.1s%s</span>", taken ? "hit" : reached ? "miss" : "never", name, taken ? "taken" : reached ? "not taken" : "never reached", name,
			 taken ? "\xe2\x9c\x93" : "\xe2\x9c\x97");
}

/* "3/5", with a link to the first test that took one of them. */
static void some(const struct formats_input *in, struct buf *out, const char *what, const uint64_t *tests, uint32_t count, uint64_t hit, uint64_t all)
{
	uint64_t first = 0;

	for (uint32_t i = 0; i < count; i++)
		if (tests[i] && (!first || tests[i] < first))
			first = tests[i];
	int linked = first && in->annotations && map_get(&in->annotations->by_id, first, NULL);
	const char *class = hit == all ? "hit" : hit ? "miss" : "never";
	if (linked)
		buf_addf(out, "<a class=\"%s\" href=\"tests.html#T%" PRIu64 "\" title=\"%s that were taken, first by test %" PRIu64 "\">", class, first, what, first);
	else
		buf_addf(out, "<span class=\"%s\" title=\"%s that were taken\">", class, what);
	buf_addf(out, "%" PRIu64 "/%" PRIu64 "%s", hit, all, linked ? "</a>" : "</span>");
}

#define MARKS 4 /* decisions of a line whose outcomes are shown one by one (macros may have dozens) | they fit before the text */

/* The decisions of a line, from number *at on; the class of the row. */
static const char *decisions(const struct formats_input *in, const struct covered_file *f, size_t *at, uint32_t line, struct buf *out)
{
	const struct covered *c = in->covered;
	uint64_t all = 0, hit = 0;
	size_t last = *at;

	while (last < f->decisions.size && f->decisions.data[last].line == line)
		last++;
	size_t first = *at;
	int many = last - first > MARKS;

	for (; *at < last; ++*at) {
		const struct covered_decision *d = &f->decisions.data[*at];
		const unsigned char *taken = c->taken.data + d->first;
		const uint64_t *tests = c->tests.data + d->first;
		uint32_t n = covered_count(c, d);
		all += d->outcomes;
		hit += n;
		if (many)
			continue;
		if (all > d->outcomes)
			buf_addc(out, ' ');
		if (d->outcomes == 2) {
			outcome(in, out, "true", taken[1], n > 0, tests[1]);
			outcome(in, out, "false", taken[0], n > 0, tests[0]);
		} else {
			some(in, out, "cases of this switch", tests, d->outcomes, n, d->outcomes);
		}
	}
	if (many)
		some(in, out, "outcomes of this line's decisions", c->tests.data + f->decisions.data[first].first, f->decisions.data[first].outcomes, hit, all);
	return !all || !hit ? "" : hit == all ? "full" : "part";
}

/* ------------------------------------------------------------ rows */

static void notes(const struct formats_input *in, const char *path, uint32_t line, struct buf *out)
{
	for (size_t i = 0; i < in->result->bugs.size; i++) {
		const struct result_bug *b = &in->result->bugs.data[i];
		if (b->line != line || strcmp(b->file, path))
			continue;
		buf_addf(out, "<tr class=\"note\"><td colspan=\"3\"><a class=\"bad\" href=\"bug-%zu.html\">%s", i + 1, b->confirmed ? "" : "suspected: ");
		xml_text(out, b->kind);
		buf_adds(out, "</a> ");
		xml_text(out, bug_description(b->kind, b->summary));
		buf_adds(out, "</td></tr>\n");
	}
}

/* ------------------------------------------------------------ what is known of a line */

static void code(struct buf *out, const char *before, const char *text, const char *after)
{
	buf_addf(out, "%s<code>", before);
	xml_text(out, text);
	buf_addf(out, "</code>%s", after);
}

static void summaries(const struct formats_input *in, const struct annotation *a, size_t count, struct buf *out)
{
	buf_addf(out, "<details><summary>%zu must summar%s</summary><ul>", count, count == 1 ? "y" : "ies");
	for (size_t i = 0; i < count; i++) {
		code(out, "<li>pre ", a[i].text, "<br>post ");
		code(out, "", a[i].post, "");
		if (a[i].where)
			buf_adds(out, "<br><span class=\"warn\">partial: "), xml_text(out, a[i].where), buf_adds(out, "</span>");
		if (a[i].test)
			buf_adds(out, "<br>witness: "), html_test(in, a[i].test, out);
		buf_adds(out, "</li>");
	}
	buf_adds(out, "</ul></details>");
}

/* Several decisions of a line have the same outcomes: what is said twice is said once. */
static void branches(const struct annotation *a, size_t count, struct buf *out)
{
	buf_adds(out, "<details><summary>what holds after its branches</summary><ul>");
	for (size_t i = 0; i < count; i++) {
		if (i && !strcmp(a[i].where, a[i - 1].where) && !strcmp(a[i].text, a[i - 1].text))
			continue;
		buf_adds(out, "<li>");
		xml_text(out, a[i].where);
		code(out, ": ", a[i].text, "</li>");
	}
	buf_adds(out, "</ul></details>");
}

/* One row above the line, with all that is known of it. *at: the first annotation that may be of it. */
static void known(const struct formats_input *in, const char *path, uint32_t line, size_t *at, struct buf *out)
{
	const struct annotations *a = in->annotations;

	while (a && *at < a->places.size && strcmp(a->places.data[*at].file, path) == 0 && a->places.data[*at].line < line)
		++*at;
	size_t end = *at;
	while (a && end < a->places.size && !strcmp(a->places.data[end].file, path) && a->places.data[end].line == line)
		end++;
	if (end == *at)
		return;
	buf_adds(out, "<tr class=\"note\"><td colspan=\"3\">");
	for (size_t n; *at < end; *at += n) {
		const struct annotation *x = &a->places.data[*at];
		int branch = x->kind == ANNOTATION_INVARIANT && x->where;
		for (n = 1; *at + n < end && x[n].kind == x->kind && (x->kind == ANNOTATION_SUMMARY || branch);)
			n++;
		if (x->kind == ANNOTATION_REQUIRES)
			code(out, "<p>requires ", x->text, " of its callers</p>");
		else if (x->kind == ANNOTATION_SUMMARY)
			summaries(in, x, n, out);
		else if (branch)
			branches(x, n, out);
		else
			code(out, "<p>always at this loop: ", x->text, "</p>");
	}
	buf_adds(out, "</td></tr>\n");
}

/* Of a large file: does the line stand in a function that a test entered? *at: of the function before it. */
static int is_shown(const struct covered_file *f, size_t *at, uint32_t line)
{
	while (*at + 1 < f->functions.size && f->functions.data[*at + 1].line <= line)
		++*at;
	return f->functions.size && f->functions.data[*at].line <= line && f->functions.data[*at].entered;
}

void html_source(const struct formats_input *in, size_t file, struct buf *out)
{
	const struct covered_file *f = &in->covered->files.data[file];
	struct buf source = {0}, marks = {0};
	enum html_state state = HTML_CODE;
	size_t decision = 0, function = 0, lines = 0, annotation = 0;
	struct stat st;

	if (!file_is_regular(f->path) || file_read(f->path, &source)) {
		buf_adds(out, "<p class=\"warn\">The file is not there any more.</p>\n");
		return;
	}
	if (in->time && !stat(f->path, &st) && st.st_mtim.tv_sec > in->time)
		buf_adds(out, "<p class=\"warn\">The file was changed after the search: lines may not be where they were.</p>\n");
	for (size_t i = 0; i < source.size; i++)
		lines += source.data[i] == '\n';
	if (lines > LINES_WHOLE)
		buf_adds(out, "<p class=\"dim\">A large file: only functions that a test entered are shown.</p>\n");
	buf_adds(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"source\"><table class=\"src\"><tbody>\n");
	const char *s = source.data, *end = s + source.size;

	while (in->annotations && annotation < in->annotations->places.size && strcmp(in->annotations->places.data[annotation].file, f->path) < 0)
		annotation++;
	for (uint32_t line = 1; s < end; line++) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		const char *class = decisions(in, f, &decision, line, &marks);

		stop = stop ? stop : end;
		if (lines <= LINES_WHOLE || is_shown(f, &function, line)) {
			known(in, f->path, line, &annotation, out);
			buf_addf(out, "<tr id=\"L%" PRIu32 "\"%s%s%s><td class=\"no\">%" PRIu32 "</td><td>%s</td><td>", line, *class ? " class=\"" : "", class, *class ? "\"" : "", line, buf_str(&marks));
			html_highlight(out, s, stop, &state);
			buf_adds(out, "</td></tr>\n");
			notes(in, f->path, line, out);
		}
		buf_clear(&marks);
		s = stop + 1;
	}
	buf_adds(out, "</tbody></table></div>\n");
	buf_release(&source);
	buf_release(&marks);
}
