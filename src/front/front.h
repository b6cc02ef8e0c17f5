/* front.h: a C unit as its author wrote it: functions, types, globals, calls (by libclang).
 *
 *	struct front *f;
 *	if (front_open(&f, "file.c", argv, argc)) ...   // clang's own messages are in error_text()
 *	for (i = 0; i < f->functions.size; i++) ...
 *	front_close(f);
 *
 * Everything is owned by the front and stands in its arena. Nothing after this sees libclang, which is loaded on
 * the first front_open and not linked with.
 *
 * Types are distinguished as they are written: size_t and unsigned long are two, with one `plain`. Whoever asks whether
 * two types are the same compares the plain ones.
 */
#ifndef MUSTER_FRONT_FRONT_H
#define MUSTER_FRONT_FRONT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

/* No type. */
#define FRONT_NONE UINT32_MAX

enum front_kind {
	FRONT_VOID,
	FRONT_BOOL,
	FRONT_CHAR, /* plain char: pointers to it are strings */
	FRONT_INT,  /* every other integer, signed and unsigned char included, and enums */
	FRONT_FLOAT,
	FRONT_POINTER,
	FRONT_FUNCTION, /* the pointee of a function pointer */
	FRONT_STRUCT,
	FRONT_UNION,
	FRONT_ARRAY,
	FRONT_OTHER, /* vectors, complex, va_list ...: bytes */
};

struct front_enumerator {
	const char *name;
	int64_t value;
};

struct front_field {
	const char *name; /* "" for anonymous ones */
	uint32_t type;
	uint64_t bit_offset; /* from the start of the struct */
	uint32_t bits;	     /* of a bit-field; 0: none */
	uint32_t as;	     /* of a pointer to void, to an incomplete struct or to a smaller one: the one pointer type that this
				unit converts it to; FRONT_NONE: none, or several. Pointers to characters do not count */
};

struct front_type {
	enum front_kind kind;
	const char *name; /* how C writes it at the end of the unit, for __typeof__(NAME): "struct s", "size_t",
			     "int (*)(int)", "const char"; __typeof__ of a member or variable that has it, if it has no
			     other name; void * for a pointer to what has none; NULL: it cannot be named there */
	uint32_t plain;	  /* this type without typedefs and without const or volatile of its own (often itself); what
			     it points to or consists of keeps its qualifiers */
	uint64_t size;	  /* 0: incomplete, void or function */
	uint32_t align;
	int is_signed, is_const, is_enum, is_volatile;
	int is_va_list; /* va_list itself or what it is made of; kind FRONT_OTHER */
	uint32_t to;	/* of a pointer: pointee; of an array: element; of a function: its result */
	uint64_t count; /* of an array: elements; 0: not given */
	VEC(struct front_field) fields; /* of structs and unions */
	VEC(struct front_enumerator) enumerators;
	VEC(uint32_t) parameters; /* of a function */
	int variadic, prototyped;
	int begins; /* of a struct: the unit takes it for larger ones that begin with it */
	uint32_t as; /* of an incomplete struct: the complete type that pointers to it are most often converted to or from in
			this unit; FRONT_NONE: none */
};

struct front_parameter {
	const char *name; /* "" if it has none */
	uint32_t type;	  /* as written: an array stays an array here (int a[4]: count 4; int a[]: count 0) */
	const char *requires; /* of MUSTER_REQUIRES and refinements, or NULL */
	int nonnull;	      /* by attribute */
	uint32_t as;	      /* as of a field */
};

struct front_function {
	const char *name;
	const char *file; /* where it is defined, as the user would name it */
	uint32_t line, end_line;
	uint32_t body; /* where it begins in the text that was read: at {; 0: not known */
	uint32_t result; /* type */
	uint32_t result_as; /* of a result that is a pointer to void: as of a field */
	VEC(struct front_parameter) parameters;
	int defined, is_static, variadic, noreturn, is_inline;
	const char *symbol; /* its name for the linker, where an asm label says another; NULL: its own */
	int is_other_name; /* not defined, but another one with its symbol is: the only one that it calls */
	int is_weak;	   /* another unit's definition may take its place; or there may be none at all */
	int in_header;	   /* in a system header or a file NAME.h */
	VEC(uint32_t) calls; /* functions it calls by name (numbers in functions), without repeats */
	VEC(uint32_t) takes; /* functions whose address it takes: qsort calls what it is given */
	VEC(const char *) builtins; /* of the compiler that it uses, by name, without repeats; these have no numbers */
	int calls_pointer;   /* it calls through a pointer */
	VEC(uint32_t) globals; /* it reads, writes or takes the address of, by itself (numbers in globals), no repeats */
	int has_static_locals; /* that are not const */
	int has_asm; /* that does more than to hold back the optimiser or to wait */
	int has_register; /* it uses a global variable that is one of the machine's registers */
	int has_float, has_setjmp;
	int has_unchecked; /* an attribute (no_sanitize) takes out checks of what it does */
	int has_hidden_refined; /* it points to structures with refined fields by pointers that do not say so, to write */
	int has_address_numbers; /* it makes integers of pointers that are not parameters */
	int has_parameter_numbers, has_changed_parameter; /* of pointers that are; it gives a pointer parameter another value */
	int has_assume; /* it has the compiler assume what holds, which is not checked */
	int looks_behind_void; /* it reads or writes what a pointer to void points to, or has a function without a body do it */
	int compares_pointers; /* none of them null by its text */
	int compares_voids;    /* and one of them to void, to bytes, or to an incomplete type */
	int drops_const;       /* it may write through a pointer to constants, or free it: it makes another pointer of one */
	int looks_at_opaque;   /* it has a pointer to an incomplete type, or to libc's FILE, in an expression, or may look at the bytes of structures, in which there may be some */
	int takes_larger;      /* it takes a structure that a pointer points to for a larger one that begins with it */
	uint32_t declared, called; /* at file level; directly by name: how often the text says so */
	int has_hidden_callers; /* by an attribute: constructors, what is found by its section ... */
	int callers_known; /* it is static, and whoever may call it does so by name, somewhere in the unit (mentions.c) */
	int loops; /* for, while, do and backward goto */
	int address_taken;
};

struct front_global {
	const char *name;
	uint32_t type;
	int is_const, is_static, defined, is_thread;
	int is_weak; /* as of a function */
	const char *symbol; /* as of a function */
	const char *requires; /* of refinements, or NULL */
	int written; /* somewhere in the unit, or it may be by somebody who gets its address, or knows it by another name */
	int initialised; /* by a value that the text says */
	uint32_t functions; /* that its initialiser names */
	int has_unnamed; /* its initialiser has an object without a name, (int[]){0}, of which the same is true */
	VEC(uint32_t) globals; /* that its initialiser names */
};

struct front {
	struct arena arena;
	const char *file;
	VEC(struct front_type) types;
	VEC(struct front_function) functions; /* defined ones in order of the source, then those that are only used */
	VEC(struct front_global) globals;     /* likewise */
	struct strmap function_numbers, global_numbers; /* by name */
};

/* Whether libclang can be loaded: 0, or -1 with words. */
int front_ready(void);
/* argv: compiler flags (-I, -D, -std ...). path may be preprocessed source (.i). -1 with clang's messages in error_text(). */
int front_open(struct front **f, const char *path, const char *const *argv, int argc);
void front_close(struct front *f); /* NULL is fine */

/* The number of the function, -1: none. */
int front_function(const struct front *f, const char *name);
/* The defined functions whose names are nearest, best first: as a list in words ("parse_int, parse_hint"). */
void front_nearest(const struct front *f, const char *name, struct buf *words);
/* Defined functions in an order in which callees come before callers, as far as recursion allows. order has room
 * for functions.size numbers. */
void front_bottom_up(const struct front *f, uint32_t *order, uint32_t *count);
/* All that `function` may reach by direct calls and by addresses it takes (and, where it calls through pointers, every function whose address is
 * taken): functions, itself among them, and globals with those that their initialisers name, each as a sorted list
 * without repeats. *out is replaced; all zero at first, and its vectors are the caller's to release. */
struct front_reach {
	VEC(uint32_t) functions, globals;
};
void front_reach(const struct front *f, uint32_t function, struct front_reach *out);
/* Pointer and length parameters that look like a pair by their names (buf, len), as text for --requires:
 * "n <= len(buf)"; several are joined by " && ". Appends nothing if there are none. */
void front_pairs(const struct front *f, uint32_t function, struct buf *words);
/* The number of the parameter that looks like the length of that one; as many as there are parameters: none does. */
size_t front_length_of(const struct front *f, const struct front_function *fn, size_t parameter);

#endif
