/* hooks.h: what instrumented code calls. The slow copies of functions call these
 * whether a label is there or not, so each starts with a test; the fast copies
 * hardly ever come here (runtime/inline.c). `opw` packs operator and width:
 * op | width << 8. A site is unit << 32 | ordinal. */
#ifndef MUSTER_RT_HOOKS_H
#define MUSTER_RT_HOOKS_H

#include "rt.h"

#define RT_SPOT_SIZE(spot) ((spot) & 0xff)
#define RT_SPOT_OFFSET(spot) ((int64_t)((int32_t)(spot) >> 8))
#define RT_OPW(op, width) ((uint32_t)(op) | (uint32_t)(width) << 8)

/* A call to a function that may have no instrumented body: reported once, in a
 * constant beside the call. */
struct rt_extern {
	const char *name; /* "" for an indirect call */
	uint64_t site;
	uint32_t count;   /* arguments */
	uint32_t used;    /* is the result used? */
	const char *kinds; /* a letter an argument: i integer, p pointer, f floating point, s structure by value */
};

/* A unit's globals, registered by a constructor. */
struct rt_global {
	const void *base;
	uint64_t size; /* bit 63: constant */
#ifdef RT_ACTIVATIONS
	const char *name; /* its symbol */
	uint64_t unit;	  /* number of its unit in the upper half; bit 0: static */
#endif
};
struct rt_unit {
	struct rt_unit *next;
	const struct rt_global *globals;
	uint64_t count;
};

struct rt_va_save { /* what a variadic function keeps until va_start */
	uint32_t count, size; /* bytes on the stack */
	struct rt_extra extra[64];
};

/* A function of the calls variant. Leaves: of its parameters, then of its result: two bytes each, the width in bits (0: floating
 * point) and the number of the parameter. */
struct rt_function {
	uint64_t site; /* its first instruction */
	uint32_t arguments, results;
	const uint8_t *leaves;
	uint64_t flags;
};
#define RT_FUNCTION_MORE 1u /* it has arguments beside those of the list */
#define RT_FUNCTION_CUTS 2u /* it is cut into segments */

/* The header of a loop, in the segments variant. */
struct rt_cut {
	uint64_t site;
	uint32_t count;
	uint32_t more;	     /* values that are not in the list are used behind it */
	const uint8_t *bits; /* of each value; 0: it is the address of a variable */
};

/* The body of a function that is not made yet, whose first site it is. Ends the process, whatever thread or child it is: the run is none. */
void __muster_missing(uint64_t site) __attribute__((noreturn));
label __muster_binary(uint32_t opw, label a, label b, uint64_t va, uint64_t vb);
/* v: the value of the result, and the width in opw is its width. Left: only that operand can have a label. */
label __muster_computed(uint32_t opw, label a, label b, uint64_t va, uint64_t vb, uint64_t v);
label __muster_computed_left(uint32_t opw, label a, uint64_t va, uint64_t vb, uint64_t v);
label __muster_guarded(uint32_t opw, label a, label b, uint64_t va, uint64_t vb, uint64_t site);
label __muster_wide(uint32_t opw, label a, label b, uint64_t alow, uint64_t ahigh, uint64_t blow, uint64_t bhigh, uint64_t site);
label __muster_extract(label a, uint32_t low, uint32_t width);
label __muster_zext(label a, uint32_t width);
label __muster_sext(label a, uint32_t width);
label __muster_concat(label high, label low, uint32_t high_width, uint32_t low_width, uint64_t vhigh, uint64_t vlow);
label __muster_unary(uint32_t opw, label a);
label __muster_ite(label cond, label a, label b, uint32_t width, uint64_t va, uint64_t vb, uint32_t truth);
void __muster_branch(label a, uint32_t taken, uint64_t site);
/* A comparison and the branch on it. Left, right: only that operand can have a label. */
void __muster_decide(uint32_t opw, label a, label b, uint64_t va, uint64_t vb, uint64_t site);
void __muster_decide_left(uint32_t opw, label a, uint64_t va, uint64_t vb, uint64_t site);
void __muster_decide_right(uint32_t opw, label b, uint64_t va, uint64_t vb, uint64_t site);
void __muster_bound(label a, uint64_t site);
void __muster_branch_all(label a, uint32_t taken, uint64_t site);
void __muster_switch(label a, uint64_t value, uint64_t site);
void __muster_switch_all(label a, uint64_t value, uint64_t site);
/* A function or loop is entered: one of the values that come in, `what` its position and width << 8; any: the labels of all of them in one. */
void __muster_entry(label any, label a, uint64_t value, uint32_t what, uint64_t site);
label __muster_load(const void *p, label address, uint32_t size, uint64_t site);
uint64_t __muster_any(const void *p, uint64_t size);
/* Accesses of small code. base: the label of the pointer that p is so many bytes after as the spot says. */
label __muster_load_spot(const void *p, label base, uint32_t spot, uint64_t site);
void __muster_store_spot(void *p, label base, uint32_t spot, label a, uint64_t site);
void __muster_wipe_spot(void *p, label base, uint32_t spot, uint64_t site); /* a store without a label */
void __muster_store(void *p, uint32_t size, label a, uint64_t site);
void __muster_wipe(void *p, uint64_t n, uint64_t site); /* a store without a label */
void __muster_concrete(label a, uint32_t reason, uint64_t site);
/* A store of v, which has the label a, through an address with a label (driven programs). Before it happens. */
void __muster_store_at(void *p, uint32_t size, label a, label address, uint64_t v, uint64_t site);
/* n bytes at p will be accessed, and n has the label size. */
void __muster_span(label a, label size, const void *p, uint64_t n, uint64_t site);
/* The same where p is the address of a member of a structure, which has `room` bytes from there on. */
void __muster_member(label size, const void *p, uint64_t n, uint64_t room, uint64_t site);
/* Two pointers are subtracted or ordered. */
void __muster_pair(label a, label b, uint64_t va, uint64_t vb, uint64_t site);
/* Two pointers are compared for being the same (driven programs). */
void __muster_same(uint64_t va, uint64_t vb);
/* An access of size bytes at p, whose address has the label a: it is fixed. */
void __muster_access(label a, const void *p, uint64_t size, uint32_t reason, uint64_t site);
void __muster_concrete_memory(const void *p, uint64_t size, uint32_t reason, uint64_t site);
void __muster_copy(void *to, const void *from, uint64_t n, uint64_t site);
void __muster_fill(void *to, label byte, uint64_t n, uint64_t site);
void __muster_clear(const void *p, uint64_t n);
label __muster_result(const void *fn, uint32_t index);
void __muster_local(void *p, uint64_t size); /* a fresh stack object whose address may be anywhere */
void __muster_left(void *p);		     /* it is gone */
void __muster_lost(uint32_t what); /* enum muster_loss */
void __muster_extern(const struct rt_extern *what, const uint64_t *values, const label *labels);
void __muster_leave_dynamic(const void *low, const void *high);
void __muster_object(const void *p, uint64_t size);
void __muster_va_put(uint32_t offset, uint32_t size, label a);
uint32_t __muster_va_struct(uint32_t offset, const void *p, uint64_t size);
void __muster_va_enter(struct rt_va_save *save);
void __muster_va_start(void *list, const struct rt_va_save *save);
uint32_t __muster_byval_put(uint32_t offset, const void *p, uint64_t size, uint64_t site);
void __muster_byval_get(uint32_t offset, const void *p, uint64_t size, uint32_t own);
void __muster_unit(struct rt_unit *u);
/* Calls (calls.c). What enter gives is the call's token, which leave wants back. Values and labels are those of the arguments, or of the result; the labels
 * become those that the function works with, or that its caller gets, where it is an activation with leaves (activation.c). */
uint32_t __muster_enter(const struct rt_function *f, const void *self, const void *frame, uint64_t *values, label *labels);
void __muster_leave(const struct rt_function *f, uint32_t token, const uint64_t *values, label *labels);
void __muster_leave_tail(const struct rt_function *f, uint32_t token);
/* The header is reached: the labels become those of the leaves of the segment that begins. Of a function with cuts, values here and in enter become others if the engine says so (struct muster_set). */
void __muster_cut(const struct rt_function *f, uint32_t token, const struct rt_cut *c, uint64_t *values, label *labels);
void __muster_landed(const struct rt_function *f, uint32_t token); /* a second return of setjmp, or the first */
void __muster_other_stack(void); /* the program is about to change stacks */

#endif
