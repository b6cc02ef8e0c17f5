/* drive_inside.h: what the parts of the driver share, and what it asks of the traced runtime.
 *
 * The driver (drive*.c but drive_trace.c and drive_pin.c) stands in an archive of its own: only
 * programs with a drive table get it, and it is an object like any of theirs: not instrumented, the
 * same in all variants. Where the traced runtime is there, it finds the hooks below; elsewhere
 * these weak names are null. muster/drive.h has the format of an input.
 */
#ifndef MUSTER_RT_DRIVE_INSIDE_H
#define MUSTER_RT_DRIVE_INSIDE_H

#include "muster/drive.h"

#include <stddef.h>
#include <stdint.h>

#define DRIVE_HOOKS                                                                          \
	1 /* bump it when a struct or a hook here changes: the two sides may be of different \
	     builds */

/* One object of a pool, whether the input asks for it or not: where it is does not depend on the
 * others. */
struct drive_object {
	char *base;
	char *end;     /* of its room; what follows is not accessible */
	uint64_t size; /* bytes, for this input; 16 more than it at most are accessible after it */
	uint32_t pool; /* from the function's first */
	uint32_t number;   /* 1 .. objects */
	uint32_t type;	   /* of an element */
	uint32_t element;  /* its size */
	uint32_t elements; /* with a string's 0 */
	uint32_t limit;	   /* most elements; (header & (limit - 1)) + 1 of them are there. 1: always
			      `elements` */
	uint32_t at;	   /* of the header in the input */
	uint8_t string, made, freed;
	/* The traced runtime's own. */
	uint8_t pinned;	  /* a pointer on this path was found to point to it */
	uint32_t last;	  /* label: elements - 1, 8 bits wide; 0: it is constant */
	uint32_t bytes;	  /* label: size, 64 bits wide */
	uint64_t checked; /* bytes from its start that the path says are there */
};

#define DRIVE_ALIGN 16ull /* of every object, as malloc; that callers' have less is the traced runtime's to notice */

/* Objects of one pool stand side by side, pools in their order: addresses ascend. */
struct drive_objects {
	struct drive_object *all;
	uint32_t count;
	uint64_t low,
	    high; /* the region that has them and the parameters; 0: they are from malloc */
};

/* How a pointer came to be, for its label. */
struct drive_choice {
	uint64_t at; /* of its image */
	const struct drive_type *type;
	struct drive_object *objects; /* of its pool; NULL: it has none */
	uint32_t count;
	void *const *targets; /* of a pointer to functions, else NULL */
	int global;	      /* choice 0 is `first`, 1 null */
	uint64_t first;
};

#define DRIVE_WEAK __attribute__((weak, visibility("hidden")))

/* Takes the input from the trace's mapping. 0: this run is not traced. */
int __muster_drive_input(uint32_t version, const uint8_t **data, uint64_t *size) DRIVE_WEAK;
void __muster_drive_begin(struct drive_objects *o, uint64_t size) DRIVE_WEAK; /* of a whole input */
/* Labels for what was written there: bytes of the input (exclusive or with what was there first, if
 * not NULL). mask 1: bool */
void __muster_drive_bytes(void *p, uint64_t at, uint64_t n, const void *first,
			  unsigned mask) DRIVE_WEAK;
void __muster_drive_string(struct drive_object *o) DRIVE_WEAK;
void __muster_drive_pointer(void *p, const struct drive_choice *c) DRIVE_WEAK;
/* What is there before or after the call, for whoever asked for it: enum muster_memory, and its number. */
void __muster_drive_memory_at(unsigned after, unsigned what, uint32_t number, const void *p, uint64_t n) DRIVE_WEAK;
unsigned long __muster_drive_length(const void *self, const void *p,
				    unsigned long element) DRIVE_WEAK;

void __muster_drive_starved(void) DRIVE_WEAK; /* a function without a body gets 0, since the input has no more results */

/* What the runtimes ask of the driver, likewise weak: before forks are served; and whether p was an
 * object of the driver's, which is then freed (n: its size). */
void __muster_drive_prepare(void) DRIVE_WEAK;
int __muster_drive_free(void *p) DRIVE_WEAK;
uint64_t __muster_drive_size(const void *p)
    DRIVE_WEAK; /* of the object that begins there; 0: none of ours */

/* ------------------------------------------------------------ the driver's own */
#define DRIVE_OWN __attribute__((visibility("hidden")))

/* The call that is being made. */
struct drive_run {
	const struct drive_table *table;
	const struct drive_function *function;
	const uint8_t *input;
	uint64_t size;
	uint32_t growth; /* of objects, as the prefix says */
	int traced;
	uint32_t results; /* slots that were used */
	void *returned;	  /* the result */
	struct drive_objects objects;
};
extern DRIVE_OWN struct drive_run __muster_drive_run;

DRIVE_OWN void *__muster_drive_memory(uint64_t n); /* zeros, 16-aligned; never given back */
DRIVE_OWN _Noreturn void __muster_drive_die(const char *what, const char *name);
/* drive.c: finds the function that the input names; 0: there is none. */
DRIVE_OWN int __muster_drive_find(const uint8_t *input, uint64_t size);
/* drive_build.c: memory for objects and parameters, if they are not from malloc. */
DRIVE_OWN void __muster_drive_reserve(void);
DRIVE_OWN void __muster_drive_call(void);
DRIVE_OWN void __muster_drive_output(void); /* before the call */
/* The objects that pointers of this type choose from. */
DRIVE_OWN struct drive_object *__muster_drive_pool(uint32_t type, uint32_t *count);
/* drive_batch.c */
DRIVE_OWN int __muster_drive_batch(const char *seconds);
DRIVE_OWN uint64_t __muster_drive_observe(
    uint8_t *to, uint64_t room); /* bytes; beyond room: nothing was written there */

/* Copies without libc's memcpy, which sanitizers watch. */
static inline void drive_copy(void *to, const void *from, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
}

#endif
