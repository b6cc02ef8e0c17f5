/* broken.h: the checks that a traced run broke, and what the input has to be like for that.
 *
 * A check is a bound that names its checker, or a branch that the compiler made of a check. */
#ifndef MUSTER_SEARCH_BROKEN_H
#define MUSTER_SEARCH_BROKEN_H

#include "base/vec.h"
#include "ir/checker.h"
#include "ir/site.h"
#include "run/trace.h"

struct broken_check {
	uint32_t checker; /* enum muster_checker; of two for both directions the one for "too large" */
	uint32_t label;	  /* its condition, of width 1 ... */
	int violated;	  /* ... and the value that breaks it */
	int matters;	  /* of a conversion: its result counts later in the run (matter.c); of others 1 */
	struct site site; /* its names belong to the site tables */
};
typedef VEC(struct broken_check) broken_list;

/* Those of the set (either direction counts), in the order of the run. */
void broken_find(const struct trace *t, const struct site_tables *sites, checker_set set, broken_list *out);
/* The last of them that a report of this kind at this place can be about (file: compared without its directory), or NULL. Of several in
 * the line it is the one at the column; if none is there (macros move columns, 0: it is not known), only one that is alone can be meant. */
const struct broken_check *broken_at(const broken_list *list, const char *kind, const char *file, uint32_t line, uint32_t column);

/* How a byte of the input is called in the text; see broken_condition. */
struct broken_names {
	/* The number (of 1, 2, 4 or 8 bytes, little endian) that byte `at` of the input belongs to: its first byte in *first, its size in *size, its
	 * name, which is of C's type for its size, signed or not. 0: it has none. */
	int (*name)(void *ctx, uint64_t at, uint64_t *first, unsigned *size, int *is_signed, struct buf *out);
	void *ctx;
};
/* What holds of the input (of which `data` was run) where the check is broken, as C over its bytes (in[4] > 63, len(in)), or over the names: 1; 0 and nothing if it
 * takes more than `room` characters, or with names needs a byte that has none, or if it always holds. Of several conditions that break it, the one that
 * this input takes. names may be NULL. */
int broken_condition(const struct trace *t, const struct broken_check *b, const void *data, uint64_t size, const struct broken_names *names,
		     size_t room, struct buf *out);

/* How the run went: the decisions that depend on its input, outside libc, and the checks that it broke, in order. A line with their number, then one for each of the first and the last (an empty
 * line stands for those between): "LINE\tCOLUMN\tTIMES\tOUTCOME\tFUNCTION\tFILE\tCONDITION\n". TIMES: that it was decided so in a row; the condition is that of the last time, as above, or empty.
 * OUTCOME: true, false, "= 5" of a switch, or breaks. */
void broken_path(const struct trace *t, const struct site_tables *sites, const void *data, uint64_t size, const struct broken_names *names, struct buf *out);

#endif
