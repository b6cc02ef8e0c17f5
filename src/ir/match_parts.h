/* match_parts.h: what the files that make a struct match share. Not for others. */
#ifndef MUSTER_IR_MATCH_PARTS_H
#define MUSTER_IR_MATCH_PARTS_H

#include "base/arena.h"
#include "base/map.h"
#include "ir/match.h"

struct match_inside {
	struct arena arena;
	struct map pointer_types; /* signatures -> 1: the same targets, 2: others */
	uint32_t *self;		  /* each old symbol: the pairs of the old side */
};

/* One function on one side. */
struct match_side {
	const struct whole *w;
	const struct whole_unit *u;
	const struct whole_symbol *s;
	const struct code_function *f;
	const uint32_t *pairs; /* by symbol: the old symbol it is paired with, or CODE_NONE; on the old side itself */
};

/* match_label.c: what an instruction looks like, from narrow to wide. Equal labels: alike as far as that level sees. */
enum match_level {
	LABEL_SHAPE,   /* shape alone */
	LABEL_PLAIN,   /* and constants, symbols */
	LABEL_NEAR,    /* and operands */
	LABEL_MIDDLE,  /* and their operands, three deep */
	LABEL_DEEP,    /* eight deep */
	LABEL_CONTEXT, /* and who uses it, and what comes next */
	LABEL_WIDE,    /* and the operands of these */
	LABEL_COUNT
};
struct match_labels {
	uint64_t *at[LABEL_COUNT]; /* by instruction of the function */
};
/* known: by instruction, a number for phis and allocas that an alignment has paired before, the same on both sides; CODE_NONE: not paired. NULL: none is. */
void match_labels_init(struct match_labels *l, const struct match_side *side, int same_parameters, const uint32_t *known);
void match_labels_release(struct match_labels *l);
/* Labels of one level alone, without operands: what the search for similar bodies needs. The caller frees. */
uint64_t *match_plain(const struct match_side *side, int same_parameters);

/* match_align.c: fills to_new and to_old. */
void match_align(struct match_function *out, const struct match_side *old, const struct match_side *new);

/* match_symbol.c: pairs of symbols. */
void match_sides(const struct match *m, uint32_t symbol, struct match_side *old, struct match_side *new);
void match_names(struct match *m);
int match_by_use(struct match *m);
int match_by_body(struct match *m);
void match_pair(struct match *m, uint32_t old, uint32_t new, enum match_by by);

/* match_modified.c: changed data, modified instructions, classes. */
void match_check(struct match *m);

#endif
