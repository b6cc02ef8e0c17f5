/* checker.h: the checkers, one row each: what they look for, and what confirms it.
 *
 * A checker's *event* is a bound in the trace that carries its number (MUSTER_CHECKERS in muster/abi.h), or a check that
 * the compiler made a branch of; its *formula* is that the condition does not hold. Its *run-time test* is what the input that
 * breaks it has to fail: the san variant built with the flags below, or, for what no sanitizer detects, the bound itself in a
 * fresh run of the trace variant. */
#ifndef MUSTER_IR_CHECKER_H
#define MUSTER_IR_CHECKER_H

#include "base/buf.h"

#include <muster/abi.h>

#include <stdint.h>

enum checker_test {
	CHECKER_SAN, /* AddressSanitizer or UndefinedBehaviorSanitizer reports it */
	CHECKER_OWN, /* the bound does not hold in a fresh traced run */
};

struct checker {
	const char *name;
	int on;			 /* by default */
	const char *text;	 /* what it looks for */
	enum checker_test test;
	const char *san;	 /* what -fsanitize= must name beside address,undefined for its test, or NULL */
	const char *const *kinds; /* kinds of reports that confirm it, up to NULL: "heap-buffer-overflow" */
};

typedef uint32_t checker_set; /* bit n: enum muster_checker n */
#define CHECKER_BIT(id) ((checker_set)1 << (id))

const struct checker *checker_get(unsigned id); /* of an id that does not exist: row NONE */
checker_set checker_default(void);
checker_set checker_all(void);
/* A list as users write it: names, `all`, `none`, `default`, with - before a name to leave it out; a list that begins with - or +
 * starts from the default. -1 with words that name the nearest. */
int checker_parse(const char *list, checker_set *out);
/* The checkers that a list leaves out by name, with - before it. */
checker_set checker_left_out(const char *list);
/* The names of a set, with ", " between: "all" and "default" where it is one. */
void checker_names(checker_set set, struct buf *out);
/* What a check of the compiler's with this checker stands for: itself, and the checker of the other direction where one check
 * looks for both (array, int, convert: the compiler's carry the number of "too large"). */
checker_set checker_pair(unsigned id);
/* The checkers that a report of this kind confirms. */
checker_set checker_of_kind(const char *kind);
/* The one that looks for a finding: which of two it is (too large or too small, before or after) is in the words of its description.
 * MUSTER_CHECK_NONE: none does. */
enum muster_checker checker_of_finding(const char *kind, const char *words);

#endif
