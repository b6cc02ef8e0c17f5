/* html_treemap.c: a squarified treemap (Bruls, Huizing, van Wijk): rectangles in rows, largest first; a row takes one more as long as that makes its worst rectangle more like a square.
 *
 * The area of a function is its branch outcomes and one; its fill is the verdict, a red frame says that it has bugs. Each is a link with a name that is read out: the table below has the same. */
#include "report/html_parts.h"

#include "base/mem.h"
#include "report/xml.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TREE_WIDTH 1200.0  /* units of the drawing, which is as wide as the page | text of 11 units can be read */
#define TREE_HEIGHT 420.0  /* units: it fits a screen with the tiles above */
#define TREE_MOST 600	   /* functions that are drawn one by one, the largest; the others are one rectangle | smaller ones cannot be seen */
#define LETTER 6.8	   /* units that a letter takes */

struct frame {
	double x, y, width, height;
};

static int larger(const void *a, const void *b)
{
	const struct treemap_item *x = a, *y = b;

	return x->size != y->size ? (x->size < y->size ? 1 : -1) : strcmp(x->name, y->name);
}

/* How far the worst rectangle of a row is from a square. sum: of the row's areas; side: that the row lies along. */
static double worst(double least, double most, double sum, double side)
{
	double a = side * side * most / (sum * sum), b = sum * sum / (side * side * least);

	return a > b ? a : b;
}

static void rectangle(const struct treemap_item *t, struct frame f, struct buf *out)
{
	size_t letters = f.height >= 14 && f.width > 3 * LETTER ? (size_t)((f.width - 6) / LETTER) : 0, length = strlen(t->name);
	char *label = mem_strndup(t->name, letters < length ? letters : length);
	char class[32];

	snprintf(class, sizeof class, "%s", t->verdict);
	class[strcspn(class, " ")] = 0; /* "verified given" looks like "verified" */
	buf_addf(out, "<a class=\"%s%s\"", class, t->bugs ? " bugs" : "");
	if (t->page)
		buf_addf(out, " href=\"file-%" PRIu64 ".html#L%" PRIu32 "\"", t->page, t->line);
	buf_adds(out, " aria-label=\"");
	xml_text(out, t->name);
	buf_addf(out, ": %s, %" PRIu64 " of %" PRIu64 " outcomes, %" PRIu64 " bugs\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>", t->words, t->covered, t->total, t->bugs, f.x, f.y,
		 f.width, f.height);
	xml_text(out, t->name);
	buf_addf(out, ": %s, %" PRIu64 "/%" PRIu64 " outcomes, %" PRIu64 " bugs</title></rect>", t->words, t->covered, t->total, t->bugs);
	if (*label) {
		buf_addf(out, "<text x=\"%.1f\" y=\"%.1f\">", f.x + 4, f.y + 13);
		xml_text(out, label);
		buf_adds(out, "</text>");
	}
	buf_adds(out, "</a>\n");
	free(label);
}

/* A row of items along the shorter side of what is left; that becomes smaller. scale: area of an outcome. */
static void row(const struct treemap_item *items, size_t count, double sum, double scale, struct frame *left, struct buf *out)
{
	int upright = left->width >= left->height;
	double side = upright ? left->height : left->width, depth = sum * scale / side, at = 0;

	for (size_t i = 0; i < count; i++) {
		double length = (double)items[i].size * scale / depth;
		rectangle(&items[i], upright ? (struct frame){left->x, left->y + at, depth, length} : (struct frame){left->x + at, left->y, length, depth}, out);
		at += length;
	}
	if (upright)
		left->x += depth, left->width -= depth;
	else
		left->y += depth, left->height -= depth;
}

static void layout(const struct treemap_item *items, size_t count, struct buf *out)
{
	struct frame left = {0, 0, TREE_WIDTH, TREE_HEIGHT};
	double all = 0;

	for (size_t i = 0; i < count; i++)
		all += (double)items[i].size;
	double scale = TREE_WIDTH * TREE_HEIGHT / all;
	for (size_t first = 0; first < count;) {
		double side = left.width < left.height ? left.width : left.height, most = (double)items[first].size * scale, sum = most, bad = worst(most, most, sum, side);
		size_t end = first + 1;

		for (; end < count; end++) {
			double next = (double)items[end].size * scale, then = worst(next, most, sum + next, side);
			if (then > bad)
				break;
			bad = then;
			sum += next;
		}
		row(items + first, end - first, sum / scale, scale, &left, out);
		first = end;
	}
}

void html_treemap(const struct treemap_item *items, size_t count, const char *key, struct buf *out)
{
	struct treemap_item *sorted = mem_alloc((count + 1) * sizeof *sorted);
	size_t drawn = count;
	char others[64];

	if (count)
		memcpy(sorted, items, count * sizeof *sorted);
	qsort(sorted, count, sizeof *sorted, larger);
	if (count > TREE_MOST) {
		struct treemap_item rest = {.name = others, .verdict = "others", .words = "not drawn one by one"};
		for (size_t i = TREE_MOST; i < count; i++) {
			rest.size += sorted[i].size, rest.covered += sorted[i].covered, rest.total += sorted[i].total, rest.bugs += sorted[i].bugs;
		}
		snprintf(others, sizeof others, "%zu smaller functions", count - TREE_MOST);
		sorted[TREE_MOST] = rest;
		drawn = TREE_MOST + 1;
	}
	buf_addf(out, "<svg class=\"tree\" viewBox=\"0 0 %.0f %.0f\" role=\"group\" aria-label=\"functions by verdict; larger ones have more branch outcomes; the table below has the same\">"
		      "<defs><pattern id=\"stripe\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" style=\"fill:var(--soft);stroke:none\"/>"
		      "<rect width=\"2\" height=\"6\" style=\"fill:var(--line);stroke:none\"/></pattern></defs>\n",
		 TREE_WIDTH, TREE_HEIGHT);
	layout(sorted, drawn, out);
	buf_addf(out, "</svg>\n<ul class=\"key\">%s</ul>\n", key);
	free(sorted);
}
