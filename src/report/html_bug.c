/* html_bug.c: the page of a bug: what and where, since when, the input as values and as bytes, the path there step by step with its conditions, the report, and the command that runs it again.
 *
 * The path is that of a traced run of this input (search/broken.h, broken_path), kept when the bug was confirmed. The text of its lines is read from the sources, where they are still there and no newer than the search. */
#include "report/html_parts.h"

#include "base/file.h"
#include "base/mem.h"
#include "report/bug.h"
#include "report/xml.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BYTES_SHOWN 1024 /* of an input, eight in a line, which fits a telephone | a screen or two; the file has all */
#define STEP_FIELDS 7

/* ------------------------------------------------------------ lines of sources */

struct source {
	const char *path;
	struct buf text;
	VEC(size_t) lines; /* where they begin */
};
struct sources {
	VEC(struct source) list;
	int64_t time; /* newer ones are not shown; 0: any is */
};

static struct source *open_source(struct sources *s, const char *path)
{
	struct stat st;

	for (size_t i = 0; i < s->list.size; i++)
		if (!strcmp(s->list.data[i].path, path))
			return &s->list.data[i];
	struct source x = {.path = path};
	if (file_is_regular(path) && !stat(path, &st) && (!s->time || st.st_mtim.tv_sec <= s->time) && file_read(path, &x.text))
		buf_clear(&x.text);
	for (size_t at = 0; at < x.text.size;) {
		const char *end = memchr(x.text.data + at, '\n', x.text.size - at);
		vec_push(&x.lines, at);
		at = end ? (size_t)(end + 1 - x.text.data) : x.text.size;
	}
	vec_push(&s->list, x);
	return &vec_last(&s->list);
}

/* A line of a source, highlighted; nothing where it is not known. */
static void source_line(struct sources *s, const char *path, uint32_t line, struct buf *out)
{
	struct source *x = open_source(s, path);
	enum html_state state = HTML_CODE;

	if (!line || line > x->lines.size)
		return;
	const char *at = x->text.data + x->lines.data[line - 1], *end = x->text.data + (line < x->lines.size ? x->lines.data[line] : x->text.size);
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	while (end > at && (end[-1] == '\n' || end[-1] == '\r'))
		end--;
	html_highlight(out, at, end, &state);
}

static void sources_release(struct sources *s)
{
	for (size_t i = 0; i < s->list.size; i++) {
		buf_release(&s->list.data[i].text);
		vec_release(&s->list.data[i].lines);
	}
	vec_release(&s->list);
}

/* ------------------------------------------------------------ path */

static int split(char *line, char *fields[STEP_FIELDS])
{
	for (int i = 0; i < STEP_FIELDS; i++) {
		fields[i] = strsep(&line, "\t");
		if (!fields[i])
			return 0;
	}
	return 1;
}

static void step(const struct pages *p, struct sources *s, char *line, size_t number, struct buf *out)
{
	char *f[STEP_FIELDS]; /* line, column, times, outcome, function, file, condition */

	if (!split(line, f))
		return;
	uint32_t at = (uint32_t)strtoul(f[0], NULL, 10);
	int breaks = !strcmp(f[3], "breaks");
	buf_addf(out, "<tr><td class=\"n\">%zu</td><td>", number);
	html_place(p, f[5], at, out);
	buf_adds(out, "<br><code>");
	xml_text(out, f[4]);
	buf_adds(out, "</code></td><td><code>");
	source_line(s, f[5], at, out);
	buf_addf(out, "</code></td><td class=\"%s\">%s", breaks ? "bad" : "", breaks ? "it breaks here" : "");
	if (!breaks)
		xml_text(out, f[3]);
	if (strcmp(f[2], "1"))
		buf_adds(out, ", "), xml_text(out, f[2]), buf_adds(out, " times in a row");
	buf_adds(out, "</td><td>");
	if (*f[6])
		buf_adds(out, "<code>"), xml_text(out, f[6]), buf_adds(out, "</code>");
	else
		buf_adds(out, "<span class=\"dim\">too long to show</span>");
	buf_adds(out, "</td></tr>\n");
}

static void path(const struct pages *p, const struct result_bug *b, struct buf *out)
{
	struct sources s = {.time = p->in->time};
	char *copy = mem_strdup(b->path ? b->path : ""), *rest = copy, *line = strsep(&rest, "\n");
	size_t all = strtoul(line, NULL, 10), number = 1, shown = 0;

	for (const char *c = rest; c && *c; c++)
		shown += *c == '\n' && c > rest && c[-1] != '\n';
	buf_addf(out, "<h2>The path there</h2>\n");
	if (!all) {
		buf_adds(out, b->path ? "<p>No decision on the way depends on the input.</p>\n" : "<p class=\"dim\">The store has none: the bug is not confirmed, its run could not be traced, or an older muster found it. <code>muster trace</code> prints one.</p>\n");
		free(copy);
		return;
	}
	buf_addf(out, "<p class=\"dim\">The decisions of this run that depend on its input, outside libc, in order. A condition is what the input satisfies where it went this way%s.</p>\n"
		      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"the path to the bug\"><table class=\"steps\"><thead><tr><th scope=\"col\" class=\"n\">step</th><th scope=\"col\">place</th><th scope=\"col\">source</th>"
		      "<th scope=\"col\">outcome</th><th scope=\"col\">condition</th></tr></thead><tbody>\n",
		 b->call ? ", over the parameters" : ": <code>in[4]</code> is a byte of it");
	while ((line = strsep(&rest, "\n")) && rest) {
		if (*line) {
			step(p, &s, line, number++, out);
		} else if (all > shown) {
			buf_addf(out, "<tr class=\"gap\"><td colspan=\"5\">\xe2\x80\xa6 %zu steps that are not kept \xe2\x80\xa6</td></tr>\n", all - shown);
			number += all - shown;
		}
	}
	buf_adds(out, "</tbody></table></div>\n");
	sources_release(&s);
	free(copy);
}

/* ------------------------------------------------------------ input */

static void bytes(const struct result_bug *b, struct buf *out)
{
	const unsigned char *data = b->data;
	size_t n = b->size < BYTES_SHOWN ? b->size : BYTES_SHOWN;
	struct buf text = {0};

	for (size_t at = 0; at < n; at += 8) {
		buf_addf(&text, "%04zx ", at);
		for (size_t i = at; i < at + 8; i++)
			if (i < n)
				buf_addf(&text, " %02x", data[i]);
			else
				buf_adds(&text, "   ");
		buf_adds(&text, "  ");
		for (size_t i = at; i < at + 8 && i < n; i++)
			buf_addc(&text, data[i] >= ' ' && data[i] < 127 ? (char)data[i] : '.');
		buf_addc(&text, '\n');
	}
	buf_addf(&text, "%zu byte%s%s", b->size, b->size == 1 ? "" : "s", n < b->size ? ": the file that is run again has all" : "");
	html_pre(out, b->call ? "The same as bytes" : "Input", buf_str(&text));
	if (b->call)
		buf_adds(out, "<p class=\"dim\">What muster's driver makes the values above from (<code>docs/driving.md</code>): what it does not have is 0. It is the file that is run again.</p>\n");
	buf_release(&text);
}

static void since(const struct pages *p, const struct result_bug *b, struct buf *out)
{
	const struct annotation_since *x = p->in->annotations ? annotations_since(p->in->annotations, b->bucket) : NULL;

	if (!x)
		return;
	buf_adds(out, "<p>");
	if (x->time) {
		buf_adds(out, "First seen in the run that ended ");
		formats_time(out, x->time, " UTC");
		buf_addf(out, ", version %" PRIu64 " of the store. ", x->version);
	}
	if (x->test) {
		buf_adds(out, "In this search it was shown first by ");
		html_test(p->in, x->test, out);
		if (x->found >= 0)
			buf_addf(out, ", after %.1f s", x->found);
		buf_addc(out, '.');
	}
	buf_adds(out, "</p>\n");
}

/* Frames of the driver, which stand below the function, are left out. */
static void report(const struct result_bug *b, struct buf *out)
{
	struct buf text = {0};
	int left = 0;

	for (const char *s = b->report ? b->report : "", *end; *s; s = *end ? end + 1 : end) {
		end = s + strcspn(s, "\n");
		const char *frame = s + strspn(s, " ");
		int of_driver = *frame == '#' && (memmem(s, (size_t)(end - s), " in muster_thunk_", 17) || memmem(s, (size_t)(end - s), " in __muster_", 13));
		left = *frame == '#' && (left || of_driver);
		if (!left)
			buf_add(&text, s, (size_t)(end - s)), buf_addc(&text, '\n');
	}
	if (text.size)
		html_pre(out, "Report of the sanitizer", buf_str(&text));
	buf_release(&text);
}

int html_bug(const struct pages *p, size_t i)
{
	const struct result_bug *b = &p->in->result->bugs.data[i];
	struct buf out = {0};
	char nonce[33], name[40];

	snprintf(name, sizeof name, "bug-%zu.html", i + 1);
	html_begin(p, &out, b->summary, 0, nonce);
	buf_addf(&out, "<p><span class=\"%s\">%s</span>%s", b->confirmed ? "bad" : "warn", b->confirmed ? "confirmed: its input was run again in a fresh process and failed" : "suspected: no run has failed",
		 !p->in->before ? "" : map_get(&p->before, b->bucket, NULL) ? "; in the version before as well" : "; new in this version");
	if (*b->function)
		buf_adds(&out, ", in <code>"), xml_text(&out, b->function), buf_adds(&out, "</code>");
	if (*b->file)
		buf_adds(&out, " at "), html_place(p, b->file, b->line, &out);
	buf_addf(&out, ", shown by %" PRIu64 " test%s.</p>\n", b->count, b->count == 1 ? "" : "s");
	since(p, b, &out);
	if (b->replay)
		html_pre(&out, "Run it again", b->replay);
	if (b->call)
		html_pre(&out, "Input", b->call);
	bytes(b, &out);
	path(p, b, &out);
	report(b, &out);
	return html_end(p->directory, &out, nonce, name);
}
