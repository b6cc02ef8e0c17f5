/* formats.h: what the store has of a campaign, in the formats that other tools read. Nothing is computed here that a command did not find. */
#ifndef MUSTER_REPORT_FORMATS_H
#define MUSTER_REPORT_FORMATS_H

#include "base/buf.h"
#include "base/map.h"
#include "report/annotations.h"
#include "report/covered.h"
#include "report/history.h"
#include "result/compared.h"
#include "result/result.h"

struct formats_input {
	const struct result *result;	/* bugs, with their replay commands; functions, where the search was one of functions */
	const struct result *before;	/* bugs of the last version that was searched for the same output; NULL: there is none */
	const struct covered *covered;	/* NULL: it is not known, and no format that needs it is asked for */
	const char *version;		/* of muster */
	const char *name;		/* of the program or file */
	const char *base;		/* absolute: files below it are named from there */
	int64_t time;			/* the last search ended, in seconds since 1970; 0: not known */
	double seconds;			/* it took */
	/* For pages alone; NULL: there is none. */
	const struct history *history;
	const struct annotations *annotations;
	const struct compared *diff, *validate; /* the last ones */
	const struct result *unclear;	/* bugs of the result of which it is not known whether `before` has them; NULL: there is none */
};

void formats_sarif(const struct formats_input *in, struct buf *out);	 /* SARIF 2.1.0 */
void formats_junit(const struct formats_input *in, struct buf *out);	 /* the XML that CI servers read as test results */
void formats_lcov(const struct formats_input *in, struct buf *out);	 /* of geninfo(1) */
void formats_cobertura(const struct formats_input *in, struct buf *out); /* coverage-04.dtd */
void formats_markdown(const struct formats_input *in, struct buf *out);	 /* for a comment on a pull request */

/* The words of RESULT_VERDICTS, the strongest first, and NULL; how many functions have one. */
extern const char *const formats_verdicts[];
size_t formats_verdict_count(const struct result *r, const char *verdict);
/* The buckets of a result's bugs. */
void formats_buckets(const struct result *r, struct map *out);
/* The path as it is named from the base, if it is below. */
const char *formats_path(const struct formats_input *in, const char *path);
/* "2026-11-18T03:04:05Z", or without the Z. */
void formats_time(struct buf *out, int64_t time, const char *zone);

#endif
