/* html_entered.c: the functions of a whole program in the overview. `muster fuzz` gives no verdicts of functions; what its tests took of their branch outcomes is known from the coverage.
 *
 * An outcome belongs to the last function of its file that begins at its line or before it. */
#include "report/html_parts.h"

#include "report/xml.h"

#include <inttypes.h>
#include <string.h>

struct entered {
	const struct covered_function *function;
	size_t file; /* of covered.files */
	uint64_t hit, all, bugs;
};
struct entered_list {
	VEC(struct entered) list;
};

static const char *word(const struct entered *e)
{
	return !e->function->entered ? "not entered" : e->hit < e->all ? "some outcomes" : "all outcomes";
}

/* The classes of a treemap are those of verdicts. */
static const char *class_of(const struct entered *e)
{
	return !e->function->entered ? "unreached" : e->hit < e->all ? "partial" : "verified";
}

static void collect(const struct formats_input *in, struct entered_list *l)
{
	for (size_t i = 0; i < in->covered->files.size; i++) {
		const struct covered_file *f = &in->covered->files.data[i];
		size_t first = l->list.size, at = 0;

		for (size_t k = 0; k < f->functions.size; k++)
			vec_push(&l->list, (struct entered){.function = &f->functions.data[k], .file = i});
		for (size_t k = 0; k < f->decisions.size && f->functions.size; k++) {
			const struct covered_decision *d = &f->decisions.data[k];
			while (at + 1 < f->functions.size && f->functions.data[at + 1].line <= d->line)
				at++;
			l->list.data[first + at].hit += covered_count(in->covered, d);
			l->list.data[first + at].all += d->outcomes;
		}
		for (size_t b = 0; b < in->result->bugs.size; b++)
			for (size_t k = first; k < l->list.size; k++)
				if (!strcmp(in->result->bugs.data[b].file, f->path) && !strcmp(in->result->bugs.data[b].function, l->list.data[k].function->name))
					l->list.data[k].bugs++;
	}
}

static void map(const struct entered_list *l, struct buf *out)
{
	VEC(struct treemap_item) items = {0};

	for (size_t i = 0; i < l->list.size; i++) {
		const struct entered *e = &l->list.data[i];
		vec_push(&items, (struct treemap_item){e->function->name, class_of(e), word(e), e->all + 1, e->hit, e->all, e->bugs, e->function->line, e->file + 1});
	}
	html_treemap(items.data, items.size,
		     HTML_KEY("background:var(--goodbg)", "all outcomes taken") HTML_KEY(HTML_STRIPES, "some") HTML_KEY("background:var(--line)", "not entered by any test")
			 HTML_KEY("border:3px solid var(--bad)", "has bugs"),
		     out);
	vec_release(&items);
}

void html_entered(const struct pages *p, struct buf *out)
{
	struct entered_list l = {0};

	collect(p->in, &l);
	if (!l.list.size)
		return;
	buf_adds(out, "<h2>Functions</h2>\n<p class=\"dim\">Those with branches. Each rectangle is a function, as large as it has branch outcomes. It leads to the source.</p>\n");
	map(&l, out);
	buf_adds(out, HTML_FILTER("functions") "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"functions\"><table class=\"sort\" id=\"functions\"><thead><tr><th scope=\"col\">function</th>"
			"<th scope=\"col\">file</th><th scope=\"col\">taken</th><th scope=\"col\" class=\"n\">outcomes</th><th scope=\"col\" class=\"n\">not taken</th><th scope=\"col\" class=\"n\">bugs</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < l.list.size; i++) {
		const struct entered *e = &l.list.data[i];
		buf_addf(out, "<tr><td><code><a href=\"file-%zu.html#L%" PRIu32 "\">", e->file + 1, e->function->line);
		xml_text(out, e->function->name);
		buf_adds(out, "</a></code></td><td class=\"w\">");
		xml_text(out, formats_path(p->in, p->in->covered->files.data[e->file].path));
		buf_addf(out, "</td><td class=\"%s\">%s</td><td class=\"n\" data-v=\"%.4f\">%" PRIu64 "/%" PRIu64 "</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64 "</td></tr>\n",
			 !strcmp(class_of(e), "verified") ? "good" : "", word(e), e->all ? (double)e->hit / (double)e->all : 1, e->hit, e->all, e->all - e->hit, e->bugs);
	}
	buf_adds(out, "</tbody></table></div>\n");
	vec_release(&l.list);
}
