/* domain.h: sets of integer points, kept from above: polyhedra, octagons and boxes behind one
 * interface.
 *
 * An element over n dimensions stands for at least the integer points that the operations say; it
 * may stand for more, never for fewer. Operations work in place on their first operand. Elements of
 * one operation are of the same kind and number of dimensions. PPL does the work; no other part
 * sees it.
 *
 * Every operation may run out of the budget set by domain_budget: then domain_failed() is 1 until
 * domain_budget is called again, every operation after that does nothing, and all elements that
 * took part are only fit for domain_free. The owner starts again with a weaker kind. (Boxes have no
 * expensive operation and never fail.) PPL is not thread-safe: one thread of a process may use
 * this.
 */
#ifndef MUSTER_ABSINT_DOMAIN_H
#define MUSTER_ABSINT_DOMAIN_H

#include "absint/linear.h"

#include <stddef.h>
#include <stdint.h>

enum domain_kind { DOMAIN_POLYHEDRA, DOMAIN_OCTAGONS, DOMAIN_BOXES };
const char *domain_library(void);			 /* "PPL 1.2" */
const char *domain_name(enum domain_kind k);		 /* "polyhedra", ... */
int domain_parse(const char *name, enum domain_kind *k); /* -1 with words */

/* A limit for what follows, in units of about a millisecond of work, the same on each machine; 0:
 * none. */
void domain_budget(unsigned long units);
int domain_failed(void);

struct domain;
struct domain *domain_new(enum domain_kind k, unsigned dims); /* everything */
struct domain *domain_new_empty(enum domain_kind k, unsigned dims);
struct domain *domain_copy(const struct domain *d);
void domain_free(struct domain *d); /* NULL: nothing */
enum domain_kind domain_kind(const struct domain *d);
unsigned domain_dims(const struct domain *d);
/* The same points, as far as the kind can say it. */
struct domain *domain_convert(const struct domain *d, enum domain_kind k);

int domain_is_empty(const struct domain *d); /* 1: no rational point */
int domain_includes(const struct domain *d, const struct domain *smaller); /* 1: certainly */
void domain_join(struct domain *d, const struct domain *other);
void domain_meet(struct domain *d, const struct domain *other);
/* d becomes an upper bound of old and itself such that chains end; of the n facts `upto` those
 * which hold in both are kept. d must include old already (join first). */
void domain_widen(struct domain *d, const struct domain *old, const struct linear *upto, size_t n);
void domain_add(struct domain *d, const struct linear *fact); /* LINEAR_MODULO is ignored */
/* dim := expression (which may name dim). */
void domain_assign(struct domain *d, uint32_t dim, const struct linear *expression);
void domain_forget(struct domain *d, uint32_t dim);
/* Brings a dimension into the range of a machine type: every point stands for all points that equal
 * it modulo 2^width and lie in the range. */
void domain_wrap(struct domain *d, uint32_t dim, unsigned width, int is_signed);
/* Adds dimensions at the end, of which nothing is known; removes the last ones (projection). */
void domain_extend(struct domain *d, unsigned count);
void domain_shrink(struct domain *d, unsigned dims);
/* Keeps the n dimensions keep[0..n) in this order as 0..n-1; keep has no dimension twice. */
void domain_project(struct domain *d, const uint32_t *keep, unsigned n);

struct domain_bounds {
	int has_min, has_max; /* 0: none, or one that does not fit */
	wide min, max;	      /* over the integers: rounded inwards */
};
/* Of an expression; of an empty element: 0 and min > max, both there. */
struct domain_bounds domain_bounds(const struct domain *d, const struct linear *expression);
/* Restricts a dimension to a range. */
void domain_limit(struct domain *d, uint32_t dim, const struct domain_bounds *range);
/* Bounds again, for the part of the element in which each dimension lies in a range of its own
 * (has_min, has_max 0: no limit), without building that part: ranges of many dimensions make
 * polyhedra expensive. Ranges may be NULL. */
struct domain_bounds domain_bounds_within(const struct domain *d, const struct linear *expression,
					  const struct domain_bounds *ranges);
/* 1: every point satisfies the fact. */
int domain_implies(const struct domain *d, const struct linear *fact);
/* The facts that make the element, without redundant ones, normalised; appended to out. An empty
 * element gives one fact 0 >= 1. */
void domain_facts(const struct domain *d, linear_list *out);
/* For tests: may the point be in it? */
int domain_contains(const struct domain *d, const wide *point);

#endif
