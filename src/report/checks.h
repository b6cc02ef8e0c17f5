/* checks.h: active checking as users meet it: the table of checkers, the figures. */
#ifndef MUSTER_REPORT_CHECKS_H
#define MUSTER_REPORT_CHECKS_H

#include "base/json.h"
#include "ir/checker.h"
#include "result/result.h"
#include "search/search.h"

/* "strong", "weak", "naive". */
const char *check_combine_word(int combine);

/* "--check LIST " for commands that are printed to be pasted, so that they show a bug of this kind (NULL: any); nothing if the default does. */
void check_option_word(struct buf *out, checker_set set, const char *kind);
/* The names of a set as an array of strings. */
void check_names_json(struct json *j, checker_set set);

/* muster show checkers */
void checks_print(void);
void checks_print_json(void);

/* What the figures of a search say about its checks, for people. */
void checks_stats_print(const struct result *r);

#endif
