/* weight.h: how much code a unit has, without loading it.
 *
 * Loading a module takes a tenth of the time that compiling it does; a choice that is made before, and again at each start of a program
 * whose variants are in the cache, has to be cheaper.
 */
#ifndef MUSTER_IR_WEIGHT_H
#define MUSTER_IR_WEIGHT_H

#include <stddef.h>
#include <stdint.h>

struct weight {
	uint64_t functions; /* with a body */
	uint64_t words;     /* 32-bit words of all bodies as bitcode has them */
	uint64_t largest;   /* of one */
};

/* 0, or -1 where the bytes are not bitcode as clang 19 writes it: then nothing is known. */
int weight_of_bitcode(const void *bitcode, size_t size, struct weight *out);

#endif
