/* bug.h: what is reported of a bug, whoever found it: in words, and as JSON. */
#ifndef MUSTER_REPORT_BUG_H
#define MUSTER_REPORT_BUG_H

#include "base/buf.h"
#include "base/json.h"
#include "store/store.h"

#include <stddef.h>
#include <stdint.h>

/* The summary without the kind in front: "index 300 of buf[256] in parse at parse.c:88 when in[4] > 63". */
const char *bug_description(const char *kind, const char *summary);
/* The checker that looks for this, by its name; NULL: none does. */
const char *bug_checker(const char *kind, const char *summary);
/* Bytes as people read them: "text\n", or 4a 00 ff |J..|, cut where they are many. */
void bug_input(const void *data, size_t size, struct buf *out);
/* Three lines of source with the place marked, if the file is there and no newer than the program (NULL: any). */
void bug_source(const char *file, uint32_t line, const char *program, const char *before, struct buf *out);

/* Value of a campaign: buckets of findings that are contracts and no bugs, a line of sixteen hexadecimal digits each. */
#define BUG_OWED "owed"
/* Values of a campaign: what functions require of their callers, a line "FUNCTION\tCLAUSE" each (the clause may be empty); of functions that were covered, and of the others. */
#define BUG_CONTRACTS "contracts"
#define BUG_CONTRACTS_WEAK "contracts weak"
/* Value of a campaign: tests that covered something first or failed, as calls in C: a line "ID\tCALL" each. */
#define BUG_CALLS "test calls"
/* Suspicions at the place of a bug that is confirmed and of the same checker say nothing more: how many of a campaign's bugs are confirmed, and
 * how many are suspected without these; and f for each, first the confirmed ones. What only calls that break a contract show is counted apart. -1. */
struct bug_counts {
	uint64_t confirmed, suspected, owed;
};
int bug_each(struct store *s, uint64_t campaign, struct bug_counts *n, int (*f)(void *ctx, const struct result_bug *b), void *ctx);

/* bug_json.c: one object; every bug of every command has the same keys, those of a driven function some more (docs/bugs.md). */
void bug_json(struct json *j, const struct result_bug *b);
/* "inputs": {"in": HEX}, as tests and bugs of whole programs have it. */
void bug_json_input(struct json *j, const void *data, size_t size);

#endif
