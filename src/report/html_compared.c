/* html_compared.c: the page of the last diff or validate: counts by verdict, what each function or summary came to, and of diff the sources side by side.
 *
 * Lines are matched by a longest common subsequence between the first and the last line that differ; where that would take too long, all of these lines are shown as replaced. Conditions and
 * witnesses stand above the line of their function. */
#include "report/html_parts.h"

#include "base/mem.h"
#include "report/xml.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT 3		 /* lines shown around a change | as diff -u */
#define CELLS_MOST (4u << 20)	 /* of the table of the subsequence | 16 MB, some milliseconds */
#define TEXT_SHOWN 2000		 /* bytes of a condition | a screen: of a long path it may have a megabyte */
#define VALID_SHOWN 200		 /* items that are fine and are listed one by one | a page stays fast */

/* ------------------------------------------------------------ items */

static int is_fine(const struct compared_item *i)
{
	return !strcmp(i->verdict, "equal") || !strcmp(i->verdict, "valid");
}

static const char *class_of(const char *verdict)
{
	static const char *const classes[][2] = {{"equal", "good"}, {"valid", "good"}, {"changed", "bad"}, {"invalid", "bad"}, {"violated", "bad"}, {"may-change", "warn"}, {"unknown", "warn"}};

	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (!strcmp(classes[i][0], verdict))
			return classes[i][1];
	return "";
}

static void part_text(const struct compared_part *q, struct buf *out)
{
	size_t length = strlen(q->text), n = length < TEXT_SHOWN ? length : TEXT_SHOWN;

	while (n < length && n && ((unsigned char)q->text[n] & 0xc0) == 0x80) /* not inside a letter */
		n--;
	char *some = mem_strndup(q->text, n);


	xml_text(out, !strcmp(some, "1") ? "all inputs" : some);
	if (length > TEXT_SHOWN)
		buf_addf(out, " ... (%zu more characters: --json has them)", length - strlen(some));
	free(some);
}

static void parts(const struct compared_item *i, struct buf *out)
{
	buf_adds(out, "<dl>");
	int shown = !strcmp(i->verdict, "invalid"); /* by a run: why the proof failed says no more */

	for (size_t k = 0; k < i->parts.size; k++) {
		if (shown && !strcmp(i->parts.data[k].label, "why"))
			continue;
		buf_adds(out, "<dt>");
		xml_text(out, i->parts.data[k].label);
		buf_adds(out, "</dt><dd>");
		part_text(&i->parts.data[k], out);
		buf_adds(out, "</dd>");
	}
	buf_adds(out, "</dl>\n");
}

static void item(const struct compared_item *i, size_t number, struct buf *out)
{
	buf_addf(out, "<section id=\"i%zu\"><h3><code>", number);
	xml_text(out, i->name);
	buf_addf(out, "</code> <span class=\"%s\">", class_of(i->verdict));
	xml_text(out, i->verdict);
	buf_adds(out, "</span>");
	if (*i->now) {
		buf_adds(out, ", now <code>");
		xml_text(out, i->now);
		buf_adds(out, "</code>");
	}
	if (*i->file) {
		buf_adds(out, " <span class=\"dim\">");
		xml_text(out, i->file);
		buf_addf(out, ":%" PRIu32 "</span>", i->line);
	}
	if (i->phase)
		buf_addf(out, " <span class=\"dim\">by phase %" PRIu32 "</span>", i->phase);
	buf_adds(out, "</h3>\n");
	parts(i, out);
	buf_adds(out, "</section>\n");
}

static void with_verdict(const struct compared *c, const char *verdict, struct buf *out)
{
	for (size_t i = 0; i < c->items.size; i++)
		if (!strcmp(c->items.data[i].verdict, verdict))
			item(&c->items.data[i], i, out);
}

static void fine(const struct compared *c, struct buf *out)
{
	size_t all = 0, shown = 0;

	for (size_t i = 0; i < c->items.size; i++)
		all += (size_t)is_fine(&c->items.data[i]);
	if (!all)
		return;
	buf_addf(out, "<details><summary>%zu %s</summary>\n", all, !strcmp(c->command, "diff") ? (all == 1 ? "function is equal: proved for all inputs" : "functions are equal: proved for all inputs") : all == 1 ? "summary is valid: proved" : "summaries are valid: proved");
	for (size_t i = 0; i < c->items.size && shown < VALID_SHOWN; i++)
		if (is_fine(&c->items.data[i])) {
			item(&c->items.data[i], i, out);
			shown++;
		}
	if (shown < all)
		buf_addf(out, "<p class=\"dim\">and %zu more: <code>muster %s --json</code> lists all</p>\n", all - shown, c->command);
	buf_adds(out, "</details>\n");
}

/* ------------------------------------------------------------ counts */

static void counts(const struct compared *c, const char *const *verdicts, struct buf *out)
{
	buf_adds(out, "<div class=\"tiles\">");
	for (; *verdicts; verdicts++) {
		size_t n = 0;
		for (size_t i = 0; i < c->items.size; i++)
			n += !strcmp(c->items.data[i].verdict, *verdicts);
		if (n)
			buf_addf(out, "<div><b class=\"%s\">%zu</b>%s</div>", class_of(*verdicts), n, *verdicts);
	}
	buf_adds(out, "</div>\n<p class=\"dim\">");
	formats_time(out, c->time, " UTC");
	buf_addf(out, ", %.1f s, %s. ", c->seconds, !strcmp(c->status, "complete") ? "complete" : !strcmp(c->status, "budget") ? "the time was over: not all was looked at" : "interrupted: not all was looked at");
}

static void phases(const struct compared *c, struct buf *out)
{
	static const char *const words[] = {"no phase proved them: they are invalid or unknown, below", "nothing that is called was modified", "nothing modified is reached, or what is does the same", "proved on the new version"};

	buf_adds(out, "<h2>Phases</h2>\n<div class=\"wide\"><table><thead><tr><th scope=\"col\">phase</th><th scope=\"col\" class=\"n\">summaries</th><th scope=\"col\">what it shows</th></tr></thead><tbody>\n");
	for (uint32_t p = 1; p <= 4; p++) {
		size_t n = 0;
		for (size_t i = 0; i < c->items.size; i++)
			n += c->items.data[i].phase == p % 4 && (p < 4 || !is_fine(&c->items.data[i]));
		if (p == 4 && !n)
			continue;
		buf_addf(out, "<tr><td>%s</td><td class=\"n\">%zu</td><td>%s</td></tr>\n", p == 1 ? "1" : p == 2 ? "2" : p == 3 ? "3" : "none", n, words[p % 4]);
	}
	buf_adds(out, "</tbody></table></div>\n");
}

/* ------------------------------------------------------------ side by side */

struct line {
	const char *text, *end;
	const char *html;
};
struct side {
	VEC(struct line) lines;
	struct arena strings;
};

/* All lines, highlighted in their order: comments reach over lines. */
static void split(struct side *s, const char *text)
{
	enum html_state state = HTML_CODE;

	while (*text) {
		const char *end = text + strcspn(text, "\n");
		struct buf html = {0};
		html_highlight(&html, text, end, &state);
		vec_push(&s->lines, (struct line){text, end, arena_strdup(&s->strings, buf_str(&html))});
		buf_release(&html);
		text = *end ? end + 1 : end;
	}
}

static int same(const struct line *a, const struct line *b)
{
	size_t n = (size_t)(a->end - a->text);

	return n == (size_t)(b->end - b->text) && !memcmp(a->text, b->text, n);
}

/* partner[i]: 1 + the line of b that line i of a is; 0: none. */
static void match(const struct side *a, const struct side *b, uint32_t *partner)
{
	size_t n = a->lines.size, m = b->lines.size, head = 0, tail = 0;

	while (head < n && head < m && same(&a->lines.data[head], &b->lines.data[head]))
		partner[head] = (uint32_t)head + 1, head++;
	while (tail < n - head && tail < m - head && same(&a->lines.data[n - 1 - tail], &b->lines.data[m - 1 - tail]))
		partner[n - 1 - tail] = (uint32_t)(m - tail), tail++;
	n -= head + tail, m -= head + tail;
	if (!n || !m || n + 1 > CELLS_MOST / (m + 1))
		return;
	uint32_t *length = mem_alloc((n + 1) * (m + 1) * sizeof *length); /* of the subsequence of what follows */
	memset(length, 0, (n + 1) * (m + 1) * sizeof *length);
#define AT(i, k) length[(i) * (m + 1) + (k)]
	for (size_t i = n; i-- > 0;)
		for (size_t k = m; k-- > 0;)
			AT(i, k) = same(&a->lines.data[head + i], &b->lines.data[head + k]) ? AT(i + 1, k + 1) + 1 : AT(i + 1, k) > AT(i, k + 1) ? AT(i + 1, k) : AT(i, k + 1);
	for (size_t i = 0, k = 0; i < n && k < m;) {
		if (same(&a->lines.data[head + i], &b->lines.data[head + k])) {
			partner[head + i] = (uint32_t)(head + k) + 1;
			i++, k++;
		} else if (AT(i + 1, k) >= AT(i, k + 1)) {
			i++;
		} else {
			k++;
		}
	}
#undef AT
	free(length);
}

/* A row of the table: a line of each, SIZE_MAX: none. */
struct pairing {
	size_t old, new;
	int differ;
};

static void cell(const struct side *s, size_t line, const char *class, struct buf *out)
{
	if (line == SIZE_MAX)
		buf_adds(out, "<td></td><td></td>");
	else
		buf_addf(out, "<td class=\"no\">%zu</td><td class=\"%s\">%s</td>", line + 1, class, s->lines.data[line].html);
}

/* Conditions, and of the differences the first: the list above has all. */
static void note_parts(const struct compared_item *t, struct buf *out)
{
	size_t differences = 0;

	for (size_t k = 0; k < t->parts.size; k++) {
		const struct compared_part *q = &t->parts.data[k];
		differences += !strcmp(q->label, "difference");
		if (!strcmp(q->label, "replay") || !strcmp(q->label, "complete") || (differences > 1 && (!strcmp(q->label, "difference") || !strcmp(q->label, "run on both"))))
			continue;
		buf_adds(out, "<br>");
		xml_text(out, q->label);
		buf_adds(out, ": <code>");
		part_text(q, out);
		buf_adds(out, "</code>");
	}
	if (differences > 1)
		buf_addf(out, "<br><span class=\"dim\">%zu more differences stand above</span>", differences - 1);
}

/* What is said of functions that begin at the line of the old version (an added one: of the new). */
static void notes(const struct compared *c, const char *path, struct pairing p, struct buf *out)
{
	for (size_t i = 0; i < c->items.size; i++) {
		const struct compared_item *t = &c->items.data[i];
		size_t at = !strcmp(t->verdict, "added") ? p.new : p.old;
		if (is_fine(t) || !t->line || at == SIZE_MAX || at + 1 != t->line || strcmp(t->file, path))
			continue;
		buf_addf(out, "<tr class=\"note\"><td colspan=\"4\"><a href=\"#i%zu\"><code>", i);
		xml_text(out, t->name);
		buf_addf(out, "</code></a> <span class=\"%s\">%s</span>", class_of(t->verdict), t->verdict);
		note_parts(t, out);
		buf_adds(out, "</td></tr>\n");
	}
}

/* Does a function that is not equal begin in the row? */
static int has_note(const struct compared *c, const char *path, struct pairing p)
{
	struct buf b = {0};
	notes(c, path, p, &b);
	int there = b.size > 0;
	buf_release(&b);
	return there;
}

static void rows(const struct compared *c, const struct compared_source *s, const struct side *a, const struct side *b, const struct pairing *p, size_t count, struct buf *out)
{
	unsigned char *shown = mem_alloc(count + 1);
	int gap = 0;

	memset(shown, 0, count + 1);
	for (size_t i = 0; i < count; i++) {
		if (!p[i].differ && !has_note(c, s->path, p[i]))
			continue;
		for (size_t k = i < CONTEXT ? 0 : i - CONTEXT; k < count && k <= i + CONTEXT; k++)
			shown[k] = 1;
	}
	for (size_t i = 0; i < count; i++) {
		if (!shown[i]) {
			gap = 1;
			continue;
		}
		if (gap)
			buf_adds(out, "<tr class=\"gap\"><td colspan=\"4\">\xe2\x80\xa6 the same in both \xe2\x80\xa6</td></tr>\n");
		gap = 0;
		notes(c, s->path, p[i], out);
		buf_adds(out, "<tr>");
		cell(a, p[i].old, p[i].differ ? "gone" : "", out);
		cell(b, p[i].new, p[i].differ ? "come" : "", out);
		buf_adds(out, "</tr>\n");
	}
	free(shown);
}

static void side_by_side(const struct compared *c, const struct compared_source *s, struct buf *out)
{
	struct side a = {0}, b = {0};
	VEC(struct pairing) pairs = {0};

	split(&a, s->old);
	split(&b, s->new);
	uint32_t *partner = mem_alloc((a.lines.size + 1) * sizeof *partner);
	memset(partner, 0, (a.lines.size + 1) * sizeof *partner);
	match(&a, &b, partner);
	for (size_t i = 0, k = 0; i < a.lines.size || k < b.lines.size;) { /* what is gone stands beside what came in its place */
		int gone = i < a.lines.size && !partner[i];
		size_t next = i;
		while (next < a.lines.size && !partner[next])
			next++;
		int come = k < b.lines.size && (next == a.lines.size || k + 1 < partner[next]);
		if (gone || come)
			vec_push(&pairs, (struct pairing){gone ? i++ : SIZE_MAX, come ? k++ : SIZE_MAX, 1});
		else
			vec_push(&pairs, (struct pairing){i++, k++, 0});
	}
	buf_adds(out, "<h3><code>");
	xml_text(out, s->path);
	buf_adds(out, "</code></h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"old version at the left, new version at the right\"><table class=\"two\"><thead><tr><th></th><th scope=\"col\">old</th><th></th>"
		      "<th scope=\"col\">new</th></tr></thead><tbody>\n");
	rows(c, s, &a, &b, pairs.data, pairs.size, out);
	buf_adds(out, "</tbody></table></div>\n");
	free(partner);
	vec_release(&pairs);
	vec_release(&a.lines);
	vec_release(&b.lines);
	arena_release(&a.strings);
	arena_release(&b.strings);
}

/* ------------------------------------------------------------ the page */

static void body(const struct compared *c, struct buf *out)
{
	static const char *const of_diff[] = {"changed", "may-change", "removed", "added", "equal", NULL}, *const of_validate[] = {"violated", "invalid", "unknown", "valid", NULL};
	int is_diff = !strcmp(c->command, "diff");
	const char *const *verdicts = is_diff ? of_diff : of_validate;

	counts(c, verdicts, out);
	buf_adds(out, is_diff ? "<em>changed</em>: a run of both versions shows it; <em>unchanged</em> and <em>equal</em> are proved; <em>may-change</em>: neither is known. Conditions are over the function's "
				"parameters, globals and what pointers lead to.</p>\n"
			      : "A summary says: from every state that satisfies <em>pre</em>, the function ends as <em>post</em> says. <em>valid</em> is proved, <em>invalid</em> is shown by a run of the new version, "
				"<em>unknown</em>: neither. In a condition <code>fails(\"x\")</code> means that the run ends there by this failure, <code>len(p)</code> how many elements are behind <code>p</code>.</p>\n");
	if (!is_diff)
		phases(c, out);
	buf_addf(out, "<h2>%s</h2>\n", is_diff ? "Functions" : "Summaries");
	for (; *verdicts; verdicts++)
		if (strcmp(*verdicts, "equal") && strcmp(*verdicts, "valid"))
			with_verdict(c, *verdicts, out);
	fine(c, out);
	if (c->sources.size)
		buf_adds(out, "<h2>Side by side</h2>\n");
	else if (is_diff)
		buf_adds(out, "<p class=\"dim\">No file differs that has text in both versions (programs and versions of the store have none).</p>\n");
	for (size_t i = 0; i < c->sources.size; i++)
		side_by_side(c, &c->sources.data[i], out);
}

int html_compared(const struct pages *p, const struct compared *c)
{
	struct buf out = {0};
	char nonce[33], name[40];
	char *title = mem_printf("muster %s: %s \xe2\x86\x92 %s", c->command, c->old, c->new);

	snprintf(name, sizeof name, "%s.html", c->command);
	html_begin(p, &out, title, 0, nonce);
	free(title);
	body(c, &out);
	return html_end(p->directory, &out, nonce, name);
}
