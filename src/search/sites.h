/* sites.h: decisions as the search sees them.
 *
 * Looks up a decision of the trace once and keeps what the search asks for often: its
 * outcomes, where their counters stand among the cov variant's (libc bodies that
 * only the trace variant has stand nowhere), how often it was negated. */
#ifndef MUSTER_SEARCH_SITES_H
#define MUSTER_SEARCH_SITES_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/site.h"
#include "run/exec.h"

#define SITES_NOWHERE UINT32_MAX

enum sites_kind {
	SITES_COUNTED, /* of the program, with counters */
	SITES_LIBRARY, /* in a body of the trace variant's own */
	SITES_CHECK,   /* for undefined behaviour, made by the compiler */
	SITES_PIN,     /* no decision of the code: which object an address is in */
};

struct sites_decision {
	uint32_t unit, index;
	uint32_t outcomes; /* at least 2; 0: the site table does not know it */
	uint32_t counter;  /* first counter in exec's dense array, or SITES_NOWHERE */
	uint32_t flips;	   /* times it was negated in this search */
	uint32_t kind;	   /* enum sites_kind */
	uint32_t fails;	   /* outcome of a check that reports, or SITE_NO_OUTCOME */
	uint32_t checker;  /* enum muster_checker of a check, as the site table has it */
	uint32_t line;	   /* in the source; 0: not known */
	uint32_t function; /* number of its function, for limits on functions */
	struct map cases;  /* of a switch: value to outcome */
	uint64_t *values;  /* of a switch, by outcome from 1; NULL for others */
};

struct sites {
	const struct site_tables *tables;
	struct map known; /* unit << 32 | index to number */
	VEC(struct sites_decision) decisions;
	struct map functions; /* unit << 32 | first ordinal of the function */
	VEC(double)
	function_cost; /* by number of the function: what negating its branches cost so far */
	VEC(uint32_t) flipped; /* decisions with flips */
};

void sites_init(struct sites *s, const struct site_tables *tables);
void sites_release(struct sites *s);
/* Its number in decisions; made on first use. */
uint32_t sites_find(struct sites *s, uint32_t unit, uint32_t index, const struct exec *exec);
/* One more negation of it; and the end of all counts of negations. */
void sites_flip(struct sites *s, uint32_t decision);
void sites_forget_flips(struct sites *s);
/* The outcome of a switch on this value. */
uint32_t sites_switch(const struct sites_decision *d, uint64_t value);

#endif
