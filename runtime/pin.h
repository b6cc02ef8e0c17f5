/* pin.h: pointers that the driver made, in the traced runtime. See pin.c. */
#ifndef MUSTER_RT_PIN_H
#define MUSTER_RT_PIN_H

#include "drive_inside.h"
#include "rt.h"

/* A pointer whose value an input byte chooses. */
struct pin_root {
	label pointer;		      /* 64 bits: a chain of ITE over the choice */
	label choice;		      /* 8 bits */
	struct drive_object *objects; /* of its pool; NULL: a pointer to functions */
	uint32_t count;		      /* of objects or functions */
	uint8_t global;		      /* choice 0 is `first`, 1 null */
	uint8_t pinned;
	uint32_t align; /* of what it points to, as every caller has it */
	uint64_t first;
	struct drive_object
	    *object; /* once it is pinned: NULL if it is null, a function, or `first` */
	label skip;  /* of one that may point inside: bytes from the object's start; 0: none */
	uint64_t skipped; /* bytes likewise, once it was used */
};

RT_HIDDEN void pin_begin(struct drive_objects *o);
RT_HIDDEN struct pin_root *
pin_new(label pointer); /* to be filled in; NULL: no room, and its uses are concretisations */
/* Labels of an object's size, made when they are first needed. */
RT_HIDDEN void pin_measure(struct drive_object *o);
/* Of a string: is its 0 the one that was put there? Else it may be another value for another input. */
RT_HIDDEN int pin_has_end(const struct drive_object *o);
/* How many elements of that size are there from p to the end of its object; *count has the label.
 * 0: p is not in one. */
RT_HIDDEN uint64_t pin_rest(label pointer, uint64_t p, uint64_t element, label *count,
			    uint64_t site);

#endif
