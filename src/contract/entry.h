/* entry.h: the entry state of a driven function as terms over the bytes of an input (muster/drive.h), whatever the input is.
 *
 * summary/places.h names the places of one input, whose pointers go where they go. Here nothing is fixed: what lies behind a pointer is a choice between the objects that it may point to, so
 * that one term is the place in every call that the driver can make. A condition on places is then a formula over the same bytes as the path of a run, and "this path, and the condition" is one
 * question to the solver.
 *
 * Places are parameters and globals that are numbers or pointers, and what lies behind pointers: two of them deep at most, the first element and, of structures, the one that an integer parameter names; no elements of arrays, no bit-fields, no floating point. A
 * pointer of a global that has an initialiser is one only if all of it are functions: else nobody knows whether it is null from the start.
 */
#ifndef MUSTER_CONTRACT_ENTRY_H
#define MUSTER_CONTRACT_ENTRY_H

#include "base/arena.h"
#include "base/vec.h"
#include "contract/shape.h"
#include "expr/expr.h"
#include "harness/harness.h"

#define ENTRY_NONE UINT32_MAX

enum entry_kind { ENTRY_NUMBER, ENTRY_POINTER, ENTRY_FUNCTION /* a pointer to functions */, ENTRY_SHAPE /* no place: whether what lies behind one is a tree (shape.h) */, ENTRY_EVERY /* no place: what holds of all structures of a type (every.h) */ };

struct entry_place {
	const char *text; /* as C writes it */
	enum entry_kind kind;
	uint32_t parent;  /* the pointer that it lies behind; ENTRY_NONE: it is a parameter, or a part of one */
	uint32_t index;	  /* the number by which the element is chosen that it is in: parent[index].member; ENTRY_NONE: the first */
	uint32_t depth;	  /* pointers in front of it */
	int in_struct;	  /* it is a member */
	uint32_t inside;  /* the type, of the front, of the parameter, global or object that it is a part of */
	const char *type; /* of a number that callers cannot name, since it lies behind a pointer that the unit casts: the structure's name, without "struct "; of a static variable: its name after an @; else NULL */
	uint64_t offset;  /* and where it is in it */
	uint64_t first;	  /* of a global: its first value, zero above its size */
	int is_global;	  /* it is a global, or lies behind one */
	int is_signed, is_bool;
	int counts;	  /* of a number: it may be one of elements or bytes, an index or an offset, which no enumeration is and no character behind a pointer */
	unsigned bits;	  /* of a number */
	expr_t others;	  /* of a place at an index: a term whose variables are the bytes of the elements after the first; EXPR_NONE */
	expr_t there;	  /* one bit: no pointer in front of it is null, and there is such an element */
	expr_t value;	  /* of a number: 64 bits, extended as its type says. Without meaning where it is not there; so are those below */
	expr_t set;	  /* of a pointer: one bit, it is not null */
	expr_t length;	  /* of a pointer: 64 bits, what len() says; EXPR_NONE: it cannot be asked */
	expr_t object;	  /* of a pointer to objects: 8 bits, the number of its object where it is set; EXPR_NONE */
	uint32_t pool;	  /* of such a pointer: its object is the same as another's only if they have one pool */
	uint32_t unit;	  /* of such a pointer: by how much its lengths differ: 1, and of a pointer to void the bytes of what the unit takes it for */
	uint64_t most;	  /* of such a pointer: no length is larger, since the driver's objects are not */
	const expr_t *characters; /* of a pointer to strings or bytes: by the number of its object, a term whose variables are these; else NULL */
	int interior;	  /* and it may point into it, where others of the pool point as well: two of them may be ordered */
	expr_t ended;	  /* of a pointer to bytes that need not be a string: one bit, one of them is 0; EXPR_NONE */
	uint32_t shape;	  /* of a shape, or of an ENTRY_EVERY: its number */
};

struct every;

struct entry {
	struct exprs *pool;
	struct arena arena;
	VEC(struct entry_place) places; /* in an order that depends on the function alone; a parent comes before what lies behind it */
	VEC(struct shape) shapes;
	VEC(struct every) everys;
};

#define ENTRY_GROWTHS (DRIVE_SMALL + 1) /* what an input may say of how large objects are */

/* Of function `number` of the harness, for inputs whose objects have grown so often, or are small (DRIVE_SMALL). */
void entry_open(struct entry *e, struct exprs *pool, const struct harness *h, uint32_t number, uint32_t growth);
void entry_release(struct entry *e);

#endif
