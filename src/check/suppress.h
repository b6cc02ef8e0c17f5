/* suppress.h: findings that the user does not want to hear of, by kind and place.
 *
 * Two sources: checkers that --check leaves out by name, and a file of lines
 *
 *	KIND:PLACE        # comment
 *
 * with patterns of the shell (fnmatch). KIND is a finding's kind or the name of its checker; PLACE its function, its file (or the end of its
 * path), or FILE:LINE. What is set holds for this process and those it forks; they share one count. */
#ifndef MUSTER_CHECK_SUPPRESS_H
#define MUSTER_CHECK_SUPPRESS_H

#include "ir/checker.h"

#include <stdint.h>

#define SUPPRESS_FILE "muster.suppressions" /* read where a command is started, if it is there */

void suppress_checkers(checker_set off);
int suppress_file(const char *path); /* adds its lines; -1 with words that name the line */
void suppress_clear(void);	      /* nothing is suppressed any more */

/* Is it suppressed? words: its description. key: equal for equal findings, of which each counts once. */
int suppress_find(const char *kind, const char *words, const char *function, const char *file, uint32_t line, uint64_t key);
uint64_t suppress_count(void); /* distinct ones so far */

#endif
