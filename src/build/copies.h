/* copies.h: which copies of functions a trace variant has.
 *
 * A function traced in full is its slow copy; a fast copy beside it runs code without labels at almost native speed
 * (instrument/trace_fast.c), and takes ten times as long to compile. All states of a variant write the same events at the same sites.
 */
#ifndef MUSTER_COPIES_H
#define MUSTER_COPIES_H

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "build/image.h"
#include "build/variant.h"
#include "ir/site.h"

/* "both", "slow" or "only:" with names of functions: the state of all trace variants, whatever they cost. */
#define COPIES_VARIABLE "MUSTER_COPIES"

/* A number of instructions: a search has only some functions made (COPIES_PART) where it leaves out so many. Below COPIES_PART_TEST, for tests: small programs and units are in part, too,
 * and so much is made at least when one is missing. */
#define COPIES_PART_VARIABLE "MUSTER_PART_LEAST"
#define COPIES_PART_TEST 1000
int copies_part_tested(void);
uint64_t copies_part_least(void); /* UINT64_MAX: it says nothing, or 0 */

/* Functions that have fast copies in a variant of the state COPIES_SOME, or are made in one of the state COPIES_PART. All zero is an empty list. */
struct copies_list {
	VEC(char *) lines; /* "1a2b3c4d name", by unit, or "* name" in whatever unit; sorted, each once */
};
void copies_list_release(struct copies_list *l);
int copies_list_add(struct copies_list *l, uint32_t unit, const char *name); /* unit 0: in any. 1: it is new */
int copies_list_join(struct copies_list *to, const struct copies_list *from); /* how many are new */
int copies_list_has(const struct copies_list *l, const struct copies_list *all); /* is each of `all` in it? */
/* A file with a line for each. 0, or -1 with words. */
int copies_list_write(const struct copies_list *l, const char *path);
int copies_list_read(struct copies_list *l, const char *path);
/* The names that concern a unit, added to a set. */
void copies_list_of(const struct copies_list *l, uint32_t unit, struct strmap *out);
struct hash128 copies_list_hash(const struct copies_list *l, uint32_t unit); /* of these; all zero: there is none */

/* copies_grow.c: for the state COPIES_PART. To functions that decisions were seen in, those that have none and are called by them, or are small: instructions of all others. */
uint64_t copies_complete(struct copies_list *made, const struct site_tables *t);
/* The function that begins at the site (unit << 32 | ordinal) is missing: that one, and at least a quarter of what is made. 1: it is made, or there is none. */
int copies_grow(struct copies_list *made, const struct site_tables *t, uint64_t site);

/* The state in which a variant is made. */
struct copies_choice {
	enum copies state;
	int forced;		 /* the environment says so */
	unsigned generation;	 /* of the states SOME and PART, from 1: how often functions were added. 0: the environment names them */
	struct copies_list list; /* likewise */
	struct copies_list before; /* of PART: those that the last generation has */
};
/* COPIES_BOTH for kinds that have no copies. -1 with words: the environment's is no state. */
int copies_choose(const struct program *p, enum variant_kind kind, struct copies_choice *out);
void copies_choice_release(struct copies_choice *c);
const char *copies_name(enum copies c);

#endif
