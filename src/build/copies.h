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

/* "both", "slow" or "only:" with names of functions: the state of all trace variants, whatever they cost. */
#define COPIES_VARIABLE "MUSTER_COPIES"

/* Functions that have fast copies in a variant of the state COPIES_SOME. All zero is an empty list. */
struct copies_list {
	VEC(char *) lines; /* "1a2b3c4d name", by unit, or "* name" in whatever unit; sorted, each once */
};
void copies_list_release(struct copies_list *l);
int copies_list_add(struct copies_list *l, uint32_t unit, const char *name); /* unit 0: in any. 1: it is new */
int copies_list_join(struct copies_list *to, const struct copies_list *from); /* how many are new */
/* A file with a line for each. 0, or -1 with words. */
int copies_list_write(const struct copies_list *l, const char *path);
int copies_list_read(struct copies_list *l, const char *path);
/* The names that concern a unit, added to a set. */
void copies_list_of(const struct copies_list *l, uint32_t unit, struct strmap *out);
struct hash128 copies_list_hash(const struct copies_list *l, uint32_t unit); /* of these; all zero: there is none */

/* The state in which a variant is made. */
struct copies_choice {
	enum copies state;
	int forced;		 /* the environment says so */
	unsigned generation;	 /* of the state SOME, from 1: how often functions were added. 0: the environment names them */
	struct copies_list list; /* likewise */
};
/* COPIES_BOTH for kinds that have no copies. -1 with words: the environment's is no state. */
int copies_choose(const struct program *p, enum variant_kind kind, struct copies_choice *out);
void copies_choice_release(struct copies_choice *c);
const char *copies_name(enum copies c);

#endif
