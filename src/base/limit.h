/* limit.h: numbers that bound work: more of them costs time or memory, fewer cost answers, and no answer may become wrong.
 *
 *	#define BUNDLE_GOALS LIMIT(32, 1) // what it bounds | how it was chosen        (in a comment of the usual form)
 *
 * The second value is for the build that shrinks them all (`make check-shrunk`): everything that only happens at a limit happens there all
 * the time, and the suites with an oracle must find verdicts weaker, never wrong. Numbers that are no bounds (shares of time, scales) are written without
 * LIMIT, with the same comment. `scripts/limits` prints the table of docs/limits.md and refuses a number of vc, search or solve that has no such comment. */
#ifndef MUSTER_BASE_LIMIT_H
#define MUSTER_BASE_LIMIT_H

#ifdef MUSTER_SHRUNK
#define LIMIT(value, shrunk) (shrunk)
#else
#define LIMIT(value, shrunk) (value)
#endif

#endif
