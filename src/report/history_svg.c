/* history_svg.c: curves of searches as SVG: steps, since what is covered stays as it is until a test covers more. Curves differ in colour and in dashes; the drawing has a title and a description in words. */
#include "report/history.h"

#include "report/xml.h"

#include <inttypes.h>
#include <math.h>

#define CHART_WIDTH 720.0 /* units of the drawing | text of 12 units can be read at the width of a page's column */
#define CHART_HEIGHT 300.0 /* units */
#define LEFT 60.0	   /* for the numbers at the axis */
#define BOTTOM 44.0
#define TOP 14.0
#define KINDS 6

static const char *const dashes[KINDS] = {"none", "8 4", "2 3", "10 3 2 3", "4 4", "14 4"};

/* 1, 2 or 5 times a power of ten: about five of them make the whole. */
static double tick(double whole)
{
	double power = pow(10, floor(log10(whole / 5))), n = whole / 5 / power;

	return power * (n <= 1 ? 1 : n <= 2 ? 2 : n <= 5 ? 5 : 10);
}

static uint64_t value(const struct history_point *p, int bugs)
{
	return bugs ? p->bugs : p->outcomes;
}

static void axes(double most_x, double most_y, const char *x_name, const char *y_name, struct buf *out)
{
	double width = CHART_WIDTH - LEFT - 10, height = CHART_HEIGHT - TOP - BOTTOM, step = tick(most_x);

	for (double x = 0; x <= most_x * 1.0001; x += step)
		buf_addf(out, "<text class=\"t\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>", LEFT + width * x / most_x, CHART_HEIGHT - BOTTOM + 16, x);
	step = tick(most_y) < 1 ? 1 : tick(most_y);
	for (double y = 0; y <= most_y * 1.0001; y += step)
		buf_addf(out, "<path class=\"g\" d=\"M%.1f %.1fH%.1f\"/><text class=\"t\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>", LEFT, TOP + height * (1 - y / most_y), LEFT + width, LEFT - 6,
			 TOP + height * (1 - y / most_y) + 4, y);
	buf_addf(out, "<text class=\"t\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text><text class=\"t\" transform=\"translate(13 %.1f) rotate(-90)\" text-anchor=\"middle\">%s</text>\n", LEFT + width / 2,
		 CHART_HEIGHT - 6, x_name, TOP + height / 2, y_name);
}

static void curve(const struct history_series *s, size_t number, int bugs, double most_x, double most_y, struct buf *out)
{
	double width = CHART_WIDTH - LEFT - 10, height = CHART_HEIGHT - TOP - BOTTOM;
	uint64_t last = 0;

	buf_addf(out, "<path class=\"c%zu\" stroke-dasharray=\"%s\" d=\"M%.1f %.1f", number % KINDS, dashes[number % KINDS], LEFT, TOP + height);
	for (size_t i = 0; i < s->history->points.size; i++) {
		const struct history_point *p = &s->history->points.data[i];
		if (i && value(p, bugs) == last && i + 1 < s->history->points.size)
			continue;
		last = value(p, bugs);
		buf_addf(out, "H%.1fV%.1f", LEFT + width * p->at / most_x, TOP + height * (1 - (double)last / most_y));
	}
	buf_adds(out, "\"><title>");
	xml_text(out, s->name);
	buf_addf(out, ": %" PRIu64 "</title></path>\n", last);
}

static void legend(const struct history_series *series, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++) {
		double y = CHART_HEIGHT + 16 + 18 * (double)i;
		buf_addf(out, "<path class=\"c%zu\" stroke-dasharray=\"%s\" d=\"M%.1f %.1fh36\"/><text class=\"t\" x=\"%.1f\" y=\"%.1f\">", i % KINDS, dashes[i % KINDS], LEFT, y - 4, LEFT + 44, y);
		xml_text(out, series[i].name);
		buf_adds(out, "</text>\n");
	}
}

void history_svg(const struct history_series *series, size_t count, int bugs, struct buf *out)
{
	const char *what = bugs ? "bugs" : "branch outcomes", *along = count && series[0].history->by_tests ? "tests" : "seconds of the search";
	double most_x = 1e-3, most_y = 1;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < series[i].history->points.size; k++) {
			const struct history_point *p = &series[i].history->points.data[k];
			most_x = p->at > most_x ? p->at : most_x;
			most_y = (double)value(p, bugs) > most_y ? (double)value(p, bugs) : most_y;
		}
	buf_addf(out, "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" role=\"img\"><title>%s by %s</title><desc>", CHART_WIDTH,
		 CHART_HEIGHT + (count > 1 ? 10 + 18 * (double)count : 0), what, along);
	for (size_t i = 0; i < count; i++) {
		const struct history *h = series[i].history;
		xml_text(out, series[i].name);
		buf_addf(out, ": %" PRIu64 " %s at the end. ", h->points.size ? value(&vec_last(&h->points), bugs) : 0, what);
	}
	buf_adds(out, "</desc><style>.chart path{fill:none;stroke-width:2;stroke:#0550ae}.chart .g{stroke:#8884;stroke-width:1}.chart .t{font:12px system-ui,sans-serif;fill:#59636e}.chart .c1{stroke:#b42318}"
		      ".chart .c2{stroke:#1a7f37}.chart .c3{stroke:#8a5a00}.chart .c4{stroke:#7d3fb2}.chart .c5{stroke:#00707a}"
		      "@media(prefers-color-scheme:dark){.chart path{stroke:#79b8ff}.chart .t{fill:#9198a1}.chart .g{stroke:#8886}.chart .c1{stroke:#ff8a80}.chart .c2{stroke:#57ab5a}.chart .c3{stroke:#d9a440}"
		      ".chart .c4{stroke:#c99bf5}.chart .c5{stroke:#4fc3d0}}</style>\n");
	axes(most_x, most_y, along, what, out);
	for (size_t i = 0; i < count; i++)
		curve(&series[i], i, bugs, most_x, most_y, out);
	if (count > 1)
		legend(series, count, out);
	buf_adds(out, "</svg>\n");
}
