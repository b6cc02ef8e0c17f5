/* expose.h: a unit's functions and variables behind two tables, whatever their linkage: for a program that calls one of them on an input of its choice (src/diff/caller_main.c).
 *
 *	struct expose_request r = {.function = "f"};                       NULL: all functions that can be called
 *	expose_unit(bitcode, size, &r, &object, &names);
 *
 * The object defines
 *
 *	const struct expose_call muster_calls[]     in the order of the module; the last has no name
 *	const struct expose_data muster_data[]
 *
 *	unsigned char muster_cover[]                 by block: how often it was entered (expose_watch.h)
 *	const unsigned muster_blocks                 how many there are
 *
 * and nothing else: all other definitions are internal, and go if nothing exposed reaches them. Functions that neither the unit nor the C library has, and the allocator, are stubs that call muster_stub with their arguments and return what
 * it returns; such variables are 0. Undefined behaviour is settled as in every variant (settle.h): integers wrap, unless the request says otherwise. Nothing is optimised.
 */
#ifndef MUSTER_INSTRUMENT_EXPOSE_H
#define MUSTER_INSTRUMENT_EXPOSE_H

#include <stddef.h>

struct buf;

struct expose_call {
	const char *name;
	unsigned long long (*call)(const unsigned long long *arguments); /* the result, if any, with zeros above its width */
};
struct expose_data {
	const char *name;
	unsigned char *at;
	unsigned long long size;
};
/* Defined by the program. count: of the arguments, with EXPOSE_ENDS if the function does not return, or EXPOSE_QUIET, and what it promises to return. rooms: by argument, bytes of the caller's local that it is the address of, else 0; or NULL. */
#define EXPOSE_ENDS (1ull << 63)
#define EXPOSE_QUIET (1ull << 62) /* its source promises that it only computes (pure, const): who calls it how often is no behaviour */
#define EXPOSE_FRESH (1ull << 61) /* what it returns is null, or memory that nothing else leads to */
#define EXPOSE_SET (1ull << 60)   /* it never returns null */
#define EXPOSE_COUNT (EXPOSE_SET - 1)
unsigned long long muster_stub(const char *name, unsigned long long count, const unsigned long long *arguments, const unsigned long long *rooms);
/* And this where a local begins to live, the next one where it ends, on the bytes around it, and the last one in place of the trap instruction. */
void muster_fill(void *at, unsigned long long bytes);
void muster_guard(const void *at, unsigned long long bytes);
/* Before a copy of so many bytes: the run says nothing if they overlap. */
void muster_apart(const void *to, const void *from, unsigned long long bytes);
/* Before a call with a `restrict` pointer and another one: likewise if they may lead to the same memory. */
void muster_restricted(const void *pointer, const void *other);
/* And before one with a pointer that is declared never to be null. */
void muster_set(const void *pointer);
void muster_trap(void);
void muster_undefined(void);
/* Before a shift: is it further than it can be? Processors then do what the code does not say. */
void muster_shift(unsigned long long too_far);
/* Is there a function of this name in the C library? One that is a stub all the same, for memory? */
int expose_library_has(const char *name);
int expose_is_allocator(const char *name);

#define EXPOSE_COVER "muster_cover"
#define EXPOSE_BLOCKS "muster_blocks"

struct expose_request {
	const char *function;
	int overflow; /* what the compiler's checks call undefined (unit_checker_is_undefined) ends the run by muster_undefined */
};

/* On success the ELF object (position independent) replaces the contents of *object. names: of the rows in their order, each with F (a function), D or B (a block: FUNCTION:LINE,LINE,) in front and a 0 after. -1 with words. */
int expose_unit(const void *bitcode, size_t size, const struct expose_request *request, struct buf *object, struct buf *names);

#endif
