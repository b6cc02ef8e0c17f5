/* reader.h: what the parts of the front share while one unit is read. Inside src/front only. */
#ifndef MUSTER_FRONT_READER_H
#define MUSTER_FRONT_READER_H

#include "base/map.h"
#include "front/clang.h"
#include "front/front.h"

struct reader_type {
	CXType type;
	uint32_t number;
};
struct reader_conversion {
	uint64_t from;	   /* a declaration, or an incomplete type */
	uint64_t pointee;  /* what it is taken for, without qualifiers */
	CXType to;	   /* the pointer; for an incomplete type the pointee */
	uint32_t count;
	int several; /* another one of the same `from` is there */
};
/* What is done with an expression: see walk.c. */
enum reader_use { READ, VALUE, HELD, HELD_OBJECT, STORED, CHANGED, CALLED };
struct reader_item {
	CXCursor cursor;
	int use;
	uint64_t holder; /* of HELD and HELD_OBJECT */
};
struct reader_taken {
	uint64_t declaration; /* of a field or parameter */
	uint32_t function;    /* that takes it for something */
};
struct reader_flow {
	uint64_t from, to; /* a field or parameter that is passed on; the parameter that gets it */
	int done;
};
struct reader_held {
	uint64_t what, holder;
};

struct reader {
	const struct clang *c;
	struct front *f;
	CXTranslationUnit unit;
	struct buf text; /* of the file itself; empty if it cannot be read */

	/* types.c */
	struct map type_numbers;	 /* clang's type (with qualifiers) to number */
	struct strmap type_spelled;	 /* canonical type and name to number: sugar that says the same is one type */
	VEC(struct reader_type) pending; /* types that have a number but no contents yet */

	/* convert.c */
	VEC(struct reader_conversion) conversions;
	VEC(struct reader_taken) taken_for;
	VEC(struct reader_flow) flows;
	struct map conversion_pairs; /* (from, to) to number in conversions */
	struct map conversion_best;  /* from to number in conversions */
	struct map larger;	     /* structures that are taken for larger ones */

	/* escape.c */
	VEC(struct reader_held) held;
	struct map leaks;	  /* holders */
	struct map asked, walked; /* parameters that hold something; those whose function was walked */

	/* walk.c */
	VEC(struct reader_item) stack;
	VEC(CXCursor) children;
	VEC(uint32_t) function_seen, taken_seen, global_seen; /* by number: the last owner (plus 1) that noted it */
	VEC(uint32_t) calls, takes, globals;		      /* of the owner, as found */
	VEC(const char *) builtins;			      /* likewise */
	struct map labels;
	struct map refined; /* declaration of a structure to: does it have refined fields? */
};

/* A copy of a vector, in the arena. */
#define READER_KEEP(r, to, from)                                                                   \
	do {                                                                                       \
		(to)->size = (to)->cap = (from)->size;                                             \
		(to)->data = arena_copy(&(r)->f->arena, (from)->data,                              \
					(from)->size * sizeof *(from)->data);                      \
	} while (0)

/* Copies a string of libclang into the arena and disposes of it. */
const char *reader_string(struct reader *r, CXString s);
const char *reader_name(struct reader *r, CXCursor c); /* its spelling; "" if it has none */
/* A declaration with its attributes, without its body. */
const char *reader_pretty(struct reader *r, CXCursor c);
/* A definition with its body: macros are expanded, and every statement has one form. */
const char *reader_body(struct reader *r, CXCursor c);
/* Whether such a text says that another unit's definition may take the place of this one. */
int reader_says_weak(const char *text);
/* The names of #pragma weak in a preprocessed text; libclang keeps them to itself. */
void reader_pragma_weak(const char *text, size_t size, void (*each)(void *ctx, const char *name, size_t size_of_name), void *ctx);
/* File and line as the author knows them: line markers and #line count. file may be NULL. */
uint32_t reader_line(struct reader *r, CXSourceLocation at, const char **file);

/* mentions.c: whether all callers of static functions are known, after all else is. */
void reader_mentions(struct reader *r);
/* Whether attributes say that something else calls it. */
int reader_says_called(const char *attributes);

/* open.c: r->unit of a file. -1 with clang's messages; r->unit may be there all the same, to be disposed of. */
int reader_parse(struct reader *r, CXIndex index, const char *path, const char *const *argv, int argc);

/* types.c: the number of a type; its contents may follow only with reader_types. */
uint32_t reader_type(struct reader *r, CXType t);
void reader_types(struct reader *r); /* fills all types that have a number */
/* type_names.c: names what is reachable by members and variables. */
void reader_type_names(struct reader *r);

/* walk.c: what a function's body, or a global's initialiser, calls and names. */
void reader_walk_function(struct reader *r, uint32_t number, CXCursor definition);
void reader_walk_global(struct reader *r, uint32_t number, CXCursor declaration, CXCursor initial);

/* escape.c: keys of what can be held: a global, what stands without a name in its initialiser. */
uint64_t reader_global_key(uint32_t number);
uint64_t reader_unnamed_key(uint32_t number);
/* The key of a variable or parameter that is a pointer to const and is followed; 0: it is not. */
uint64_t reader_holder(struct reader *r, CXCursor declaration);
void reader_hold(struct reader *r, uint64_t what, uint64_t holder);
/* A variable or parameter is named, and item.use is done with it. */
void reader_meet_holder(struct reader *r, CXCursor declaration, struct reader_item item);
void reader_walks_parameters(struct reader *r, CXCursor definition);
/* What a call does with its argument at index (from 0), a use; *holder if that is HELD. */
int reader_argument(struct reader *r, CXCursor call, size_t index, uint64_t *holder);
/* After all walks: what leaks is written. */
void reader_escapes(struct reader *r);

/* refined.c: what a parameter or variable says that its value satisfies, by annotations of its own, of its type and of its fields; NULL: nothing. */
const char *reader_requires(struct reader *r, CXCursor declaration);
/* Is it a structure with refined fields, or an array of such? */
int reader_is_refined(struct reader *r, CXType t);

/* convert.c: notes what a conversion says of a pointer to void or to an incomplete type. t: its canonical type; operand: its last
 * child. */
/* 1: it is one of a structure for a larger one. */
int reader_convert(struct reader *r, CXType t, CXCursor operand);
/* A field, parameter, variable or function's result is passed to this parameter of a function of the unit, or put into this variable: what that is taken for, it is. */
void reader_pass(struct reader *r, CXCursor operand, CXCursor parameter);
/* Does the unit take this structure for larger ones that begin with it? */
int reader_begins(struct reader *r, CXType type);
/* Are they the same structure, or is the other one the first member of the first member ... of this one? */
int reader_begins_with(struct reader *r, CXType large, CXType small);
void reader_passed(struct reader *r); /* when all bodies were walked */
/* Is a pointer to void, in a field or parameter, converted to t, which says what it points to? Then it is no pointer to just bytes, if it is always the
 * same: reader_behind_voids, after all walks, marks the functions where it is not. */
int reader_takes_for(struct reader *r, CXType t, CXCursor operand, uint32_t function);
void reader_behind_voids(struct reader *r);
/* What a field or parameter is always converted to, FRONT_NONE if nothing or several things; what an incomplete type stands for. */
uint32_t reader_converted(struct reader *r, CXCursor declaration);
/* The one pointer type that calls of the function have their pointer to void converted to; FRONT_NONE. */
uint32_t reader_result_as(struct reader *r, const char *function);
uint32_t reader_stands_for(struct reader *r, CXType incomplete);

/* declare.c: everything but types, once libclang has parsed it. */
void reader_unit(struct reader *r);
/* Numbers; a name that was not there is added. -1: a builtin, which is no function. */
int reader_function(struct reader *r, CXCursor declaration);
uint32_t reader_global(struct reader *r, CXCursor declaration);

/* Kinds of real floating-point types, after `case`. */
#define READER_FLOATS \
	CXType_Float: case CXType_Double: case CXType_LongDouble: case CXType_Float128: case CXType_Half: case CXType_Float16: case CXType_BFloat16: case CXType_Ibm128

#endif
