/* harness.h: from a unit to a program that calls any of its functions on an input (muster/drive.h).
 *
 * The table that the target has and the one that the tool prints inputs with are made from one plan, once.
 */
#ifndef MUSTER_HARNESS_HARNESS_H
#define MUSTER_HARNESS_HARNESS_H

#include "base/buf.h"
#include "base/hash.h"
#include "front/front.h"
#include "muster/drive.h"

struct harness_options {
	uint32_t elements;  /* of an object that a pointer points to, at most; rounded up to a power of two (8) */
	uint32_t characters; /* of a string, at most (16) */
	uint32_t objects;   /* of one type, at most DRIVE_OBJECTS (3) */
	int globals_initial; /* globals keep their values: none is a root */
	uint64_t global_limit; /* bytes; larger globals keep their values (256) */
	const char *const *requires; /* "FUNCTION: EXPRESSION" or "EXPRESSION", which holds for every function that has its names; NULL at the end */
	const char *const *accepted; /* likewise, "FUNCTION: EXPRESSION" alone: contracts, of functions of which the unit need not have each. They are assumed
				      * where the driver calls the function, and stated where it begins, so that its callers are checked */
};

/* What a function's verdict cannot speak of, as words: X(NAME, given, words).
 * given: it says of the state in which the function is called, or of functions that manage memory, what holds of every call that was made. Then `verified given` may be said of such calls, with these words; `verified` may not. */
#define HARNESS_LIMITS(X)                                                                        \
	X(STUBS, 0, "calls functions without a body")                                               \
	X(MEMORY, 1, "functions without a body that manage memory, by their names and types, do so as libc's do") \
	X(WEAK, 0, "a function or variable that it uses is weak: another definition may replace it")   \
	X(WORLD, 0, "calls functions whose results depend on more than their arguments")            \
	X(MACHINE, 0, "has inline assembly, or built-in functions that may read the machine")       \
	X(UNSEEN, 0, "calls functions of libc that AddressSanitizer does not look into")            \
	X(UNCHECKED, 0, "an attribute (no_sanitize) takes out checks of it, or of a function that it calls") \
	X(UNION, 1, "a union with pointers has them wherever some member has one")                              \
	X(OPAQUE, 0, "a pointer to an incomplete type is always null")                              \
	X(LARGER, 1, "a pointer to a struct points to the larger one that the unit casts it to")     \
	X(ARRAYS, 1, "an array parameter, or characters with a length, are never the same object as what other pointers to the type point to") \
	X(VOIDS, 1, "a pointer to void is never the same object as what pointers to other types point to") \
	X(STATICS, 1, "static variables inside functions keep their first values")                  \
	X(LARGE_GLOBALS, 1, "large, incomplete or thread-local global variables keep their first values")           \
	X(UNNAMED, 1, "objects without a name in initialisers keep their first values")             \
	X(FOREIGN_GLOBALS, 0, "variables of libraries and constants of other units have one value")  \
	X(VOLATILE, 1, "volatile variables change only where the function writes them")             \
	X(REFINED, 0, "writes to structures with refined fields through other pointers are not checked")  \
	X(ASSUMED, 0, "what it has the compiler assume is not checked")                         \
	X(JUMPS, 0, "calls setjmp: whether a variable that changed since is read after a longjmp is not checked")     \
	X(ADDRESSES, 0, "makes numbers of addresses that may be others in another run")               \
	X(VARIADIC, 0, "takes variable arguments, and gets none")                                   \
	X(POINTER_CALLS, 0, "calls through pointers that it is given reach only functions of the unit and stubs") \
	X(BEFORE, 0, "a precondition asks for bytes in front of a pointer: in calls the pointer is null, since none points behind the start of its object") \
	X(SANITIZED, 0, "builds without AddressSanitizer have other code in it, or in a function that it calls")
enum harness_limit {
#define X(name, given, words) HARNESS_##name,
	HARNESS_LIMITS(X)
#undef X
	    HARNESS_LIMIT_COUNT
};
/* Those that leave `verified given` to be said. */
#define HARNESS_LIMITS_GIVEN (0u HARNESS_LIMITS(HARNESS_LIMIT_BIT))
#define HARNESS_LIMIT_BIT(name, given, words) | (uint32_t)(given) << HARNESS_##name
const char *harness_limit_words(enum harness_limit l);

struct harness_function {
	uint32_t front;	 /* number in front->functions */
	uint32_t number; /* in the table; UINT32_MAX: it cannot be called (why) */
	const char *why; /* e.g. "its parameter 'x' has a type without a name"; NULL */
	uint32_t limits; /* bits of enum harness_limit */
	int takes_larger; /* it, or what it calls, takes some structure for a larger one */
	const char *weak; /* of HARNESS_WEAK: the first such name */
	const uint32_t *stubs; /* numbers in harness.stubs that it may call, itself or through others; NULL: none */
	uint32_t stub_count;
};

#define HARNESS_STUB_POINTER 0x80000000u
/* Bytes that a variable of another unit has whose type this one does not know. */
#define HARNESS_INCOMPLETE 256u

struct harness {
	struct arena arena;
	const struct front *front;
	struct harness_options options;
	VEC(struct harness_function) functions; /* defined functions of the unit, as in front */
	/* The plan, as the target has it; addresses and thunks are NULL here. */
	VEC(struct drive_type) types;
	VEC(uint32_t) type_front; /* of each: the front's type */
	VEC(struct drive_member) members;
	VEC(struct drive_root) roots;
	VEC(const char *) root_names;
	VEC(uint32_t) root_front; /* global's number in front->globals, or parameter's index */
	VEC(struct drive_pool) pools;
	VEC(struct drive_function) calls; /* the table's functions, by number */
	VEC(const char *) targets;	  /* C expressions */
	VEC(uint32_t) pool_keys;
	/* Without a body, and defined by the harness: numbers in front->functions or, with HARNESS_STUB_POINTER, of a FRONT_FUNCTION
	 * type: what pointers to functions of that type may point to besides functions of the unit. */
	VEC(uint32_t) stubs;
	VEC(uint32_t) stub_types; /* of each: the type of its result in types; UINT32_MAX: void */
	VEC(uint8_t) stub_memory; /* of each: not 0 if it manages memory (memory.c); then its type is that of a byte that is 1 if it fails, or
				   * UINT32_MAX: it cannot */
	int has_hooks; /* some function reaches a static variable whose functions manage memory (plan.c) */
	VEC(uint32_t) extern_globals; /* front->globals that no unit defines and the harness does */
	VEC(const uint8_t *) root_initial; /* of each root that is a global: its bytes as the program starts, NULL: not known. Empty: none is */
	struct drive_table table; /* the vectors above */
};

/* plan.c: types, roots, pools and layout for every defined function. stubs: names of functions that no unit defines. */
int harness_plan(struct harness **h, const struct front *f, const struct harness_options *o, const char *const *stubs);
void harness_free(struct harness *h);
/* statement.c: the unit's text with calls that state accepted contracts, appended. */
void harness_unit_text(const struct harness *h, const struct buf *text, struct buf *out);
/* An accepted contract of this text requires nothing. */
#define HARNESS_NOTHING "true"

/* source.c: the C text to be appended to the unit. */
void harness_source(const struct harness *h, struct buf *out);
const struct harness_function *harness_find(const struct harness *h, const char *name);

/* memory.c: if this stub manages memory, its body as a statement of C and 1: "return malloc((unsigned long)a0);". function stands
 * before the names of libc, argument before the numbers of its parameters. Else 0. */
int harness_stub_memory(const struct harness *h, uint32_t stub, const char *function, const char *argument, struct buf *out);

/* build.c: compiles FILE with the appended text and links it with the driver, once for each content (cached under .muster/test/).
 * *program: path of the program with records, which `muster variant` and the rest take as any other; allocated. Functions
 * that no unit defines are found by linking, and get stubs; the plan is made again with them.
 * A main of the unit is there under another name. -1 with words (clang's messages if it does not compile). */
int harness_build(const char *file, const char *const *cflags, const struct harness_options *o, struct front **front,
		  struct harness **h, char **program);
/* The same for one unit of a program built with muster cc: function FUNCTION of PROGRAM; the other units are as they were. */
int harness_build_from(const char *program, const char *function, const struct harness_options *o, struct front **front,
		       struct harness **h, char **out);

/* build.c: has the C library (or its libm) a symbol of this name? 1 also if nobody can say. */
int harness_library_has(const char *name);

/* value.c: an input as C. What each function prints is complete: pasted into a C file after the unit, it compiles. */
/* One line for people: x = 26, s = "ab", p = {.next = NULL, .n = 3}, q = p */
void harness_print_inline(const struct harness *h, uint32_t number, const void *data, size_t size, struct buf *out);
/* A JSON object keyed by parameter name; globals that differ from their initial value by theirs. */
void harness_print_json(const struct harness *h, uint32_t number, const void *data, size_t size, struct buf *out);
/* Statements that build the arguments and a call, with an observation as assertions: see export.c. */

/* canonical.c: bytes that mean nothing become 0, choices and headers the smallest that mean the same, objects of a pool are numbered
 * in the order in which they are reached; trailing zeros are cut. Two inputs that call the function alike have one form. */
void harness_canonical(const struct harness *h, uint32_t number, struct buf *data);
/* grow.c: does the input have an object that is as large as it may be, and could be larger? */
int harness_full(const struct harness *h, uint32_t number, const void *data, size_t size);
/* The same call as an input whose objects may be larger, appended to out. 1; 0: none of its objects can grow any more. stretch: objects of numbers and
 * characters that were as large as they could be are so again, their last element repeated. */
int harness_grow(const struct harness *h, uint32_t number, const void *data, size_t size, int stretch, struct buf *out);
/* The most elements of objects, and characters of strings with their 0, after so many growths; of types as small as a character. */
uint32_t harness_most_elements(const struct harness *h, uint32_t growth);
uint32_t harness_most_characters(const struct harness *h, uint32_t growth);

/* taken.c: of the pointer whose choice is the byte `at`: a bit for each choice that means an object which the input has already. 0: none, or
 * the byte is no choice. */
uint32_t harness_taken(const struct harness *h, uint32_t number, const void *data, size_t size, size_t at);

/* digest.c: of all that decides what an input of the function means. Two versions of a function with one digest take each other's inputs. */
struct hash128 harness_digest(const struct harness *h, const struct harness_function *f);
/* Data of the harness that changes with whatever the unit has, named by stubs and thunks alone. */
#define HARNESS_TABLE "muster_drive_table"

/* initial.c: fills in root_initial from the program's file. Names of globals are looked for, so a program without symbols has none; nor has one whose constructors may have written them. */
int harness_initial(struct harness *h, const char *program);
/* Bytes of one variable of the program as it starts, by the name of its symbol; without addresses, which the loader fills in. 1; 0: not known. */
int harness_first_bytes(const char *program, const char *name, uint64_t offset, uint8_t *out, size_t bytes);

/* export.c: a cmocka file: one test for each input, in the order given. observation may be NULL: then the function ended the
 * process, and that is asserted. */
struct harness_case {
	uint32_t number;
	const char *name;
	const void *input, *observation;
	size_t input_size, observation_size;
	const void *again; /* a second observation of the same size, or NULL; what differs in it is not asserted */
	int unsteady;	   /* nothing is asserted but that it returns */
	const char *bug;   /* what goes wrong, in words: compiled with -DMUSTER_BUGS, instead of the others. NULL: nothing */
	int exit_code;	   /* without an observation: with which the process ends; 0: the function may as well return */
};
/* unit_file: as the test file includes it. about: lines of comment at its top (how to compile it). raw: values as bytes: no
 * names of types and members, for units whose macros collide with it. */
void harness_cmocka(const struct harness *h, const char *unit_file, const char *about, int raw,
		    const struct harness_case *cases, size_t count, struct buf *out);

#endif
