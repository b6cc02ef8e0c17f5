/* drive.h: how the bytes of an input become a call of one function.
 *
 * `muster test` appends to a unit a table of types and functions, and for each function a thunk that takes its
 * arguments from memory. The driver (runtime/drive.c, which has the main of such a program) builds parameters, what they
 * point to and globals from the input, and calls the thunk. The tool reads the same table to print an input as C.
 *
 * The layout of an input is static for a function: every byte has one meaning whatever the others say, so that
 * changing one never moves another. Bytes that the input lacks are 0. All offsets are from the input's start:
 *
 *	prefix    DRIVE_PREFIX bytes: the function's id (little endian, drive_id of its name), at DRIVE_GROWTH how often objects have
 *	          grown, then zeros; never symbolic
 *	roots     the image of each parameter and each global, at root.at
 *	results   DRIVE_RESULTS slots of DRIVE_RESULT bytes: what functions without a body return, in the order of the calls
 *	blocks    of each pool, for each object k = 1 .. objects: at pool.at[k - 1] a header of DRIVE_HEADER bytes (byte 0: how
 *	          many elements), then the image of pool.limit elements
 *
 * An image has the size of the type and its bytes as they stand in memory, but for:
 *
 *	bool      byte & 1
 *	pointer   byte 0 is the choice: 0 null, 1 .. objects that object of the pointee's pool, else null. Two pointers with
 *	          one choice are aliases. Byte 1, with DRIVE_INTERIOR: elements from the object's start, if it has as many
 *	          (a string's 0 is one of them), so up to one past its end, else 0. Bytes 2 to 7 mean nothing
 *	function  pointer to function: 0 null, 1 .. count the functions of table->targets[first + choice - 1], else null
 *	union     with a pointer inside: a byte after everything else of its object or root would be needed to say which member is
 *	          there; instead the first member counts, and drive_table says so by DRIVE_UNION_FIRST. Without pointers: bytes
 *	globals   what stood there before, xor the image; pointers: choice 0 is what stood there, 1 null, 1 + k object k; a
 *	          function pointer likewise
 *
 * So the input of zeros is: numbers 0, pointers null, globals as initialised.
 *
 * Elements of an object: (header byte 0 & (limit - 1)) + 1, limit being a power of two; of a string: header byte 0 &
 * (limit - 1) characters and, after them, a 0 that is no input. A pool with fixed > 0 always has that many elements.
 *
 * Objects that grow: where the prefix says so, limit is drive_limit(), and the blocks of pools whose limit is greater for that stand
 * after everything else (drive_block). So what has not grown is where it always is, and smaller inputs pay nothing. Small objects are
 * the calls of a search that is to come to its end: fewer of the same header's bits count.
 *
 * This header is read by the runtime: it includes only <stdint.h>.
 */
#ifndef MUSTER_DRIVE_H
#define MUSTER_DRIVE_H

#include <stdint.h>

#define DRIVE_VERSION 2
#define DRIVE_PREFIX 8
#define DRIVE_HEADER 8
#define DRIVE_RESULT 16
#define DRIVE_RESULTS 32
#define DRIVE_OBJECTS 8 /* the most that a pool may have */
#define DRIVE_GROWTH 4	/* byte of the prefix: 0 to DRIVE_GROWTHS, or DRIVE_SMALL */
#define DRIVE_GROWTHS 2
#define DRIVE_SMALL 3	/* objects have DRIVE_SMALL_ELEMENTS at most, strings DRIVE_SMALL_CHARACTERS with their 0; everything stands where it does without growth */
#define DRIVE_SMALL_ELEMENTS 2
#define DRIVE_SMALL_CHARACTERS 4
#define DRIVE_MOST 256	 /* elements of an object that has grown, at most: the header has a byte for them */
#define DRIVE_BYTES_MOST 4096 /* its bytes */

enum drive_kind {
	DRIVE_BYTES,	/* integers, enums, floats, bit-fields, padding: size bytes */
	DRIVE_BOOL,
	DRIVE_POINTER,	/* a: type of an element of the pointee (index in types) */
	DRIVE_FUNCTION, /* a: first of its targets, count: how many */
	DRIVE_STRUCT,	/* a: first of its members, count: how many. What no member has is DRIVE_BYTES */
	DRIVE_ARRAY,	/* a: type of an element, count */
	DRIVE_OPAQUE,	/* a pointer that can only be null (incomplete pointee without a size, too deep) */
};

enum drive_flag {
	DRIVE_STRING = 1,      /* of a pointer: to characters that end in 0 */
	DRIVE_INTERIOR = 2,    /* of a pointer: may point into its object */
	DRIVE_UNION_FIRST = 4, /* of a struct: stands for a union, whose other members are never there */
	DRIVE_GLOBAL = 8,      /* of a root */
};
/* From this bit on, of a pointer: the binary logarithm of its pointee's alignment. Objects are aligned for everything; those of callers for their type only. */
#define DRIVE_ALIGN_SHIFT 8

struct drive_type {
	uint32_t kind, flags, size, count, a;
	uint32_t limit; /* of a pointer: elements its objects have at most: a power of two; 1: exactly one */
	uint32_t fixed; /* of a pointer: exactly that many (int a[4]); 0: see limit */
};

struct drive_member {
	uint32_t offset, type;
};

/* A parameter or a global. */
struct drive_root {
	uint32_t type, flags, at;
	void *address; /* of a global */
};

/* Objects of one kind in one function: pointers with the same pointee, limit, fixed and string flag share them. */
struct drive_pool {
	uint32_t pointer; /* a pointer type that stands for all of them */
	uint32_t objects;
	uint32_t at[DRIVE_OBJECTS];
};

struct drive_function {
	const char *name;
	uint32_t id; /* by which inputs name it: drive_id(name), made unique in the table by adding 1 */
	void (*call)(void **arguments, void *result); /* the thunk: arguments[i] is the address of the i-th parameter */
	uint32_t first_root, parameters, globals;     /* parameters first, then globals */
	uint32_t first_pool, pools;
	uint32_t results; /* offset of the result slots */
	uint32_t size;	  /* of a whole input */
	uint32_t result_type, result_size; /* size 0: void */
};

struct drive_table {
	uint32_t version;
	uint32_t types_count, functions_count;
	const struct drive_type *types;
	const struct drive_member *members;
	const struct drive_root *roots;
	const struct drive_pool *pools;
	const struct drive_function *functions;
	void *const *targets;		 /* of function pointers */
	const uint32_t *type_pool_keys; /* for each type that is a pointer: a pointer type that stands for it in pools; else itself */
};

/* Each unit's table is in this section, as an address; the driver walks them. */
#define DRIVE_SECTION "muster_drive"

/* What stubs for functions without a body call: fills *value (of that type) from the next result slot. */
void muster_drive_result(void *value, const struct drive_table *table, uint32_t type);
/* Elements from p to the end of the object that p points into, for preconditions; 0: not an object of the driver's. */
unsigned long muster_drive_length(const void *p, unsigned long element);
/* Does p point into an object of the driver's, or right after it? */
int muster_drive_made(const void *p);

/* ------------------------------------------------------------- the program
 * The input comes as standard input, as the file of argument 1, or in memory (a MEMORY source); its prefix says which
 * function is called. The program exits with 0 when that returned, and with 2 and words if there is no such function.
 *
 * With the argument "--batch SECONDS" (builds without a traced runtime) it reads from standard input frames
 *	uint32_t size, the input
 * and runs each in a child of its own; to standard output it writes for each a struct drive_outcome, followed by `size` bytes of
 * observation and `report` bytes that the sanitizers of the build reported. A child that uses a processor, or waits, for longer than SECONDS is killed (timed). What the function prints goes nowhere.
 *
 * An observation is what the function left behind: result bytes first (result_size), then for each root of a global its
 * bytes, then for each object that exists, in the order of pools and numbers, a struct drive_seen and its bytes (of a string
 * with its 0; none if it was freed). A pointer in it is written as a parameter's would be in an input, in globals too: null is
 * all 0; object k or target k: k in byte 0, elements from its start in byte 1, byte 7 = 1; anything else: byte 7 = 2. */
struct drive_seen {
	uint32_t pool, number; /* from the function's first pool; from 1 */
	uint32_t elements;     /* with a string's 0 */
	uint32_t freed;	       /* 1: no bytes follow */
};
enum drive_timed {
	DRIVE_IN_TIME,
	DRIVE_HANGS, /* it used all its time on a processor */
	DRIVE_WAITS, /* it did not, and was ended by the clock: no defect */
};
struct drive_outcome {
	int32_t status; /* as wait() gives it */
	uint32_t timed; /* enum drive_timed */
	uint32_t size; /* of the observation; 0 unless the function returned */
	uint32_t report; /* of the reports */
};

/* What the prefix's byte says: 0 to DRIVE_GROWTHS, DRIVE_SMALL. */
static inline uint32_t drive_growth(uint8_t byte)
{
	return byte <= DRIVE_SMALL ? byte : DRIVE_GROWTHS;
}

/* Elements that objects of a pointer type have at most when they have grown so often: four times as many each time. */
static inline uint32_t drive_limit(const struct drive_type *types, uint32_t pointer, uint32_t growth)
{
	const struct drive_type *t = &types[pointer];
	uint64_t limit = t->limit, size = types[t->a].size, small = t->flags & DRIVE_STRING ? DRIVE_SMALL_CHARACTERS : DRIVE_SMALL_ELEMENTS;

	if (growth == DRIVE_SMALL)
		return (uint32_t)(!t->fixed && limit > small ? small : limit);
	for (uint32_t i = 0; i < 2 * growth && !t->fixed && limit > 1; i++)
		if (2 * limit <= DRIVE_MOST && 2 * limit * size <= DRIVE_BYTES_MOST)
			limit *= 2;
	return (uint32_t)limit;
}

/* Where the block of object `number` (from 1) of a function's pool stands; with number 0 and pool == f->pools: the size of a whole input. */
static inline uint32_t drive_block(const struct drive_function *f, const struct drive_type *types, const struct drive_pool *pools,
				   uint32_t pool, uint32_t number, uint32_t growth)
{
	uint32_t at = f->size;

	if (growth == DRIVE_SMALL)
		growth = 0;
	if (number && (!growth || drive_limit(types, pools[pool].pointer, growth) == types[pools[pool].pointer].limit))
		return pools[pool].at[number - 1];
	for (uint32_t i = 0; i < f->pools && growth; i++) {
		uint32_t limit = drive_limit(types, pools[i].pointer, growth);
		uint32_t block = (DRIVE_HEADER + limit * types[types[pools[i].pointer].a].size + 7) & ~7u;

		if (number && i == pool)
			return at + (number - 1) * block;
		if (limit > types[pools[i].pointer].limit)
			at += pools[i].objects * block;
	}
	return at;
}

static inline uint32_t drive_id(const char *name)
{
	uint32_t h = 2166136261u; /* FNV-1a */
	while (*name)
		h = (h ^ (uint8_t)*name++) * 16777619u;
	return h;
}

#endif
