/* plan.h: what the parts of a plan share: plan.c (functions, layout), types.c (types), world.c
 * (libc), requires.c. */
#ifndef MUSTER_HARNESS_PLAN_H
#define MUSTER_HARNESS_PLAN_H

#include "base/map.h"
#include "harness/harness.h"

struct planner {
	struct harness *h;
	const struct front *f;
	const struct harness_options *o;
	struct map types; /* from a front type and its place to a drive type */
	struct map keys;  /* from pointee, limit, fixed and string flag to the pointer type that
			     stands for them */
	struct map
	    targets; /* from a function type (by its hash) to the drive type of pointers to it */
	struct map hashes; /* of front types, without const (types.c) */
	struct map memory; /* from a function type (by its hash) to how it manages memory */
	struct strmap stub_names;
	int has_larger; /* some function of the unit takes a structure for a larger one that begins with it */
	int plain;     /* the function that is planned takes no structure for a larger one: what types say is what is there */
	uint32_t byte; /* the type of what void * points to; UINT32_MAX: not made yet */
};

/* Where a type stands, as far as that decides what becomes of it. */
struct plan_place {
	uint32_t fixed; /* of an array parameter: its elements */
	int interior;	/* a pointer there may point into its object */
	int counted;	/* characters of which a parameter says how many there are: no string */
	uint32_t as;	/* 1 + the pointer type that this unit takes it for; 0: its own */
};

/* The drive type of a front type. */
uint32_t plan_type(struct planner *p, uint32_t front, struct plan_place where);
/* The drive type of a parameter; others: all parameters, among which pointers may have partners. */
uint32_t plan_parameter(struct planner *p, const struct front_function *fn, uint32_t index);
/* Do these pointers have the same type of objects, in one pool or in two? */
int plan_same_elements(struct planner *p, uint32_t pointer, uint32_t other);
/* Number in h->stubs of this entry (made if it is new). */
uint32_t plan_stub(struct planner *p, uint32_t entry);
/* Can its type be written at the end of the unit? */
int plan_nameable(const struct front *f, uint32_t type);
int plan_is_va_list(const struct front *f, uint32_t type);

/* A function type's hash: equal for types that C calls compatible. */
uint64_t plan_function_hash(const struct front *f, uint32_t type);

/* memory.c: what names of members, parameters and typedefs say of pointers to functions; how a stub
 * manages memory, 0: not. */
void plan_memory_hints(struct planner *p);
int plan_memory(struct planner *p, uint32_t entry);

/* world.c: does what this function of libc returns and writes depend on its arguments (and on
 * memory) alone? */
int plan_is_pure(const char *name);
/* Does a defect inside of it (the end of an object, say) stay unseen in the san variant? */
int plan_is_unseen(const char *name);

/* Of functions of the harness: no check of theirs may stand beside those of the unit. */
#define HARNESS_QUIET "__attribute__((no_sanitize(\"undefined\", \"unsigned-integer-overflow\", \"implicit-conversion\", \"nullability\", \"address\"), noinline))"
/* source.c: a type as a declaration of a variable has it; arrays of parameters are pointers. */
void harness_type_name(const struct front *f, uint32_t type, int parameter, struct buf *out);
/* statement.c: the functions that state accepted contracts; the statement of a stub, which another unit's function with a contract has here. */
void harness_statements(const struct harness *h, struct buf *out);
void harness_stub_statement(const struct harness *h, uint32_t function, struct buf *out);

/* requires.c: the preconditions of a function, as C expressions. */
typedef void (*plan_requires_each)(void *ctx, const char *text);
void plan_requires(const struct harness *h, const struct front_function *fn,
		   plan_requires_each each, void *ctx);
/* Does the function have all names of the expression, and is one of them its own? */
int plan_speaks_of(const struct front *f, const struct front_function *fn, const char *text);
/* Does a precondition speak of before(p)? */
int plan_requires_before(const char *text);
/* Its accepted contract, NULL: it has none; "true" says that it requires nothing. */
const char *plan_accepted(const struct harness *h, const struct front_function *fn);
/* Each --requires must speak of some function: -1 with words. */
int plan_requires_check(const struct front *f, const char *const *requires);
/* The expression with len(p) written out. unknown: the C name of a variable that is set where a length is not known; NULL: such ones are 0. */
void plan_requires_expand(const char *text, const char *unknown, struct buf *out);

#endif
