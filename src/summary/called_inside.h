/* called_inside.h: between called.c, which makes the summary of an activation, and called_segment.c, which names what a segment begins and ends with. */
#ifndef MUSTER_SUMMARY_CALLED_INSIDE_H
#define MUSTER_SUMMARY_CALLED_INSIDE_H

#include "summary/called.h"

#include "base/map.h"
#include "summary/typed.h"

#define CALLED_NO_REGION UINT32_MAX

struct called_region {
	const char *path, *text; /* of the value, or of the pointer to the object */
	uint32_t type;		 /* of the value, or of an element of the object; FRONT_NONE */
	uint64_t element;	 /* bytes of an element; 0: a value */
	expr_t address;		 /* term: the pointer, or &variable */
	uint64_t base;		 /* what that was in the run */
	uint64_t room;		 /* bytes from there to the end of the object */
	int64_t low, high;	 /* bytes that were accessed */
};

/* A place that is a number, and where it was. */
struct called_spot {
	expr_t variable;
	uint64_t address; /* 0: value or parameter `number` */
	uint32_t number, bytes;
};

struct called_maker {
	struct summaries *l;
	struct exprs *p; /* of the run: terms are copied to the list's at the end */
	const struct called_run *r;
	const struct called_function *f;
	const struct activation *a;
	struct typed types;
	uint32_t number;
	struct arena arena;
	VEC(struct called_region) regions;
	struct map of_object; /* object to region + 1 */
	struct map leaves;    /* leaf variable to its term */
	struct map followed;  /* pointer to the alignment of what it points to */
	struct map values;    /* place's variable to what it was */
	struct map nameless;  /* leaf variable of memory without a name, to why that matters if it is used */
	struct map before;    /* of a segment: variable of the source, + 1, to what it holds at the beginning */
	VEC(struct called_spot) spots;
	VEC(expr_t) pre, post;
	int bounds;	      /* conditions on sizes are among them */
	const struct called_across *across; /* it ends in another function; NULL */
	int globals;	      /* a variable was accessed */
	int fails;
	int input;	      /* a term had bytes of the program's input, which were replaced by what they were */
	int addresses;	      /* a conjunct of P has an address of this run */
	uint64_t stop;	      /* event at which it ends, before the activation does: what comes behind is not its; UINT64_MAX */
	struct buf why;
};

/* called.c */
void called_open(struct called_maker *m, struct summaries *l, const struct called_run *r, const struct called_function *f, uint32_t number);
int called_fill(struct called_maker *m, const char **reason); /* P, Q and the values of the run: 1; 0: nothing can be made of it */
int called_finish(struct called_maker *m, struct summary *s, const char **reason); /* these, of the list: 1; 0: no state satisfies P */
void called_close(struct called_maker *m);
/* A place that is no pointer: where it is. */
void called_note_spot(struct called_maker *m, expr_t variable, enum place_type type, uint64_t address, uint32_t number, uint64_t bytes);
void called_missing(struct called_maker *m, const char *words); /* it is partial */
void called_note_value(struct called_maker *m, expr_t v, uint64_t bits, unsigned shift);
/* A pointer that was followed: what it points to gets its name, or P says where that is. target: type of that (typed.h). */
void called_follow(struct called_maker *m, const struct activation_input *in, expr_t pointer, uint32_t target);
/* after == term, unless it is what was there before (EXPR_NONE: nothing was). */
void called_leave(struct called_maker *m, const struct typed_scalar *s, expr_t after, expr_t before, expr_t term, uint64_t value);
/* A value of the activation over places. */
expr_t called_term(struct called_maker *m, expr_t e);

/* called_layout.c: is the condition of the step no part of P? */
int called_is_layout(struct called_maker *m, const struct activation_step *s, expr_t e);
/* Is an address of the run in it, or a table of such? */
int called_has_address(struct called_maker *m, expr_t e);

/* called_across.c: what variables of the other function hold where it ends. */
void called_leave_across(struct called_maker *m);

/* called_segment.c */
/* How a variable is called in paths (without the letter), and how a value of it is written. */
void called_variable_path(const struct code_function *f, uint32_t variable, struct buf *out);
struct typed_scalar called_scalar(const struct called_maker *m, const struct code_function *f, uint32_t variable, int pointer, unsigned bits);
/* A value of the cut that the segment begins at. */
void called_take_value(struct called_maker *m, const struct activation_input *in);
void called_take_held(struct called_maker *m); /* what variables hold at the beginning beside these: constants, and parameters of the function if it begins with it */
/* The region of a local variable that lives in memory there; CALLED_NO_REGION. */
uint32_t called_home(struct called_maker *m, uint64_t address);
int called_is_home(const struct called_maker *m, uint64_t address);
/* What variables hold at the cut that the segment ends at. */
void called_leave_values(struct called_maker *m);
/* Where it begins and ends. */
void called_locate(const struct called_maker *m, struct summary *s);

#endif
