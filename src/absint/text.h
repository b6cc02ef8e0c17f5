/* text.h: linear facts as C that is true on the machine, not only on paper.
 *
 * A fact speaks of mathematical integers; C computes in int, unsigned, long. The text is such that C's own
 * evaluation gives the fact's truth for every value of the types: terms stand on the side where their
 * coefficients are positive, and where a sum, a product or the comparison could leave the type that C would take, a
 * constant has a suffix or an operand a cast to a type in which everything fits. */
#ifndef MUSTER_ABSINT_TEXT_H
#define MUSTER_ABSINT_TEXT_H

#include "absint/absint.h"

/* How a dimension is written: an expression that binds as tightly as a cast, and the range of its values. bits 0: the count of a
 * loop, which is a long that is not negative. */
struct text_name {
	const char *text;
	unsigned bits;
	int is_signed;
};

/* names: one for each dimension. */
void text_fact(struct buf *out, const struct linear *fact, const struct text_name *names);
/* A disjunction of conjunctions: "true" if a case says nothing, "false" if there is no case. `more` are facts that
 * hold in each case. Unless all is set, facts too long to read are left out: inequalities with several large coefficients. */
void text_facts(struct buf *out, const struct absint_facts *facts, const linear_list *more, const struct text_name *names, int all);

#endif
