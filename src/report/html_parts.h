/* html_parts.h: what the files that write pages of the HTML report share. */
#ifndef MUSTER_REPORT_HTML_PARTS_H
#define MUSTER_REPORT_HTML_PARTS_H

#include "report/formats.h"

/* The pages of one report. */
struct pages {
	const struct formats_input *in;
	const char *directory;
	struct strmap files; /* path to number of its page, from 0 */
	struct map before;   /* buckets of the version before */
};

/* html.c: a place, with a link where the file has a page; without a file: nothing. */
void html_place(const struct pages *p, const char *file, uint32_t line, struct buf *out);
/* A heading and a text as it is. */
void html_pre(struct buf *out, const char *heading, const char *text);
/* The number of a test, with a link where it is on the page of tests. */
void html_test(const struct formats_input *in, uint64_t id, struct buf *out);

/* html_bug.c: the page of a bug; html_tests.c: that of tests. -1 with words. */
int html_bug(const struct pages *p, size_t bug);
int html_tests(const struct pages *p);

/* html_page.c: the frame of a page. The nonce is the page's own; home: it is the overview itself, others have links to the pages that there is one of. The end writes the page to directory/name
 * and empties the buffer: -1 with words. */
void html_begin(const struct pages *p, struct buf *out, const char *title, int home, char nonce[33]);
int html_end(const char *directory, struct buf *out, const char *nonce, const char *name);

/* html_source.c: a line of C, highlighted. state: what it begins in, and what the next one does. */
enum html_state { HTML_CODE, HTML_COMMENT };
void html_highlight(struct buf *out, const char *s, const char *end, enum html_state *state);

/* html_treemap.c: functions as rectangles, as large as they have branch outcomes. */
struct treemap_item {
	const char *name, *verdict; /* verdict: chooses the fill */
	const char *words;	    /* that are said of it */
	uint64_t size; /* above 0 */
	uint64_t covered, total, bugs;
	uint32_t line;
	uint64_t page; /* number of the page of its file; 0: none */
};
/* key: what the fills mean, as items of a list. */
void html_treemap(const struct treemap_item *items, size_t count, const char *key, struct buf *out);
#define HTML_KEY(fill, words) "<li><span style=\"" fill "\"></span>" words "</li>"
#define HTML_STRIPES "background:repeating-linear-gradient(45deg,var(--line) 0 2px,var(--soft) 2px 6px)"

/* html_entered.c: of a whole program, which has no verdicts of functions: which functions were entered, and their outcomes. */
void html_entered(const struct pages *p, struct buf *out);

/* Where to type what rows of a table are to have. */
#define HTML_FILTER(table) "<p><input type=\"search\" hidden data-filter=\"" table "\" aria-label=\"show " table " whose row has\" placeholder=\"filter " table "\"></p>\n"

/* html_history.c: coverage and bugs over time, runs, queries by rung, what was reused. */
void html_history(const struct formats_input *in, struct buf *out);

/* html_compared.c: the page of a comparison, COMMAND.html. -1 with words. */
int html_compared(const struct pages *p, const struct compared *c);

#endif
