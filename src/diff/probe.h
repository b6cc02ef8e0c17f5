/* probe.h: between probe.c (the search), probe_code.c (what the code looks at) and probe_input.c (inputs, and how they change). */
#ifndef MUSTER_DIFF_PROBE_H
#define MUSTER_DIFF_PROBE_H

#include "diff/inside.h"

#include "diff/caller.h"

struct probe_out { /* what a function outside writes: the local whose address is an argument */
	const char *name;
	unsigned argument;
	uint64_t bytes;
};
struct probe_text {
	const uint8_t *data;
	size_t size;
};

struct probe_code { /* of what a pair's functions reach, in both versions; types are the new version's */
	const struct code_function *f; /* the new one */
	const struct code *code;
	VEC(uint64_t) numbers;	   /* that values are compared with, and near them */
	VEC(struct probe_text) texts;
	VEC(uint32_t) globals;	   /* that both versions have, and that some instruction names */
	VEC(struct probe_out) outs;
	struct map offsets;	   /* of members */
	struct map parameters;	   /* to the type that the function takes it for */
	struct strmap results;	   /* names of functions to the type of their results */
	struct map seen;
};
void probe_code_init(struct probe_code *c, const struct diff_pair *x);
void probe_code_release(struct probe_code *c);

struct probe_object { /* of the runs' memory */
	uint64_t at;
	uint32_t type; /* of its elements; CODE_NONE: bytes */
	uint32_t size;
	uint8_t *bytes;
};
struct probe_set { /* a scalar of a variable */
	uint32_t global, type;
	uint64_t offset, value;
	unsigned bytes;
};
struct probe_row { /* what the n-th call outside returns, and writes: 0 if nothing is said */
	uint64_t value, written;
	int is_set;
	const char *name;	     /* of the function that is called there; NULL: nothing is known */
	const struct probe_out *out; /* NULL: it writes nothing */
};
struct probe_input {
	uint64_t args[CALLER_ARGUMENTS];
	VEC(struct probe_object) objects;
	VEC(struct probe_set) sets;
	struct probe_row rows[CALLER_CALLS];
};
void probe_input_make(const struct probe_code *c, uint64_t *random, struct probe_input *out);
void probe_input_copy(const struct probe_input *in, struct probe_input *out);
void probe_input_release(struct probe_input *in);
/* Changes some of it. */
void probe_input_mutate(const struct probe_code *c, uint64_t *random, struct probe_input *in);
/* As input.c has it. */
void probe_input_write(const struct probe_code *c, const char *function, const struct probe_input *in, struct buf *out);

/* A scalar of an input, for changing it. */
enum probe_kind { PROBE_NUMBER, PROBE_POINTER, PROBE_BYTE };
struct probe_slot {
	uint8_t *at;
	uint32_t type; /* of a pointer: it; CODE_NONE: not known */
	unsigned bytes;
	enum probe_kind kind;
	uint8_t is_hot, is_bool;
};
typedef VEC(struct probe_slot) probe_slots;
/* All that can be reached from the arguments; they point into the input. */
void probe_input_slots(const struct probe_code *c, struct probe_input *in, probe_slots *out);

#endif
