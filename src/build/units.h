/* units.h: the objects of a variant, one a unit, made in parallel and cached. */
#ifndef MUSTER_UNITS_H
#define MUSTER_UNITS_H

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "build/copies.h"
#include "build/image.h"
#include "build/variant.h"

struct unit_object {
	struct hash128 hash; /* of the bitcode */
	uint32_t id;	     /* distinct within the program */
	const struct record *record;
	char *name;   /* of the source */
	char *object; /* path of the variant's object, once made */
};

struct units {
	enum variant_kind kind;
	checker_set checks;  /* see units_checks */
	enum copies copies;  /* the caller's to set, before units_make */
	const struct copies_list *fast; /* likewise: of the states COPIES_SOME and COPIES_PART, borrowed */
	const struct copies_list *before; /* likewise: of COPIES_PART; those whose objects may be in the cache */
	struct hash128 base; /* of what all objects depend on */
	double began;	     /* units_make, by deadline_clock */
	VEC(struct unit_object) list;
};

/* All units of the program, each once, with ids. -1 with words if a record is damaged. */
int units_collect(struct units *u, const struct program *p, enum variant_kind kind);
/* Whose checks the units of a variant are made with: variant_checks_now(), but none in the cov variant of a program that nobody
 * drives, where no check ends a run. */
checker_set units_checks(const struct program *p, enum variant_kind kind);
/* Makes the objects that are not in the cache. */
int units_make(struct units *u);
const struct unit_object *units_find(const struct units *u, struct hash128 hash);
void units_release(struct units *u);

/* An id that no unit has: from the hash of its bitcode, and again with salt while it is taken. */
uint32_t units_id(struct map *taken, struct hash128 h);

/* What all objects of a variant depend on: muster itself, whose checks they have, which names its runtime wraps, how large units are split. */
struct hash128 units_base(enum variant_kind kind, checker_set checks);
/* Identifies this build of muster: part of every name in the cache. */
struct hash128 units_tool(void);

#endif
