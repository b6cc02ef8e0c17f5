/* match_aligner.h: the alignment of two versions of a function while it is made. For match_align.c and match_flow.c alone. */
#ifndef MUSTER_IR_MATCH_ALIGNER_H
#define MUSTER_IR_MATCH_ALIGNER_H

#include "ir/match_parts.h"

typedef VEC(uint32_t) place_vec;

struct aligner {
	const struct match_side *side[2];
	struct match_labels labels[2];
	struct match_function *out;
	VEC(uint32_t) list[2]; /* instructions by index in the function, in order */
	uint32_t *place[2];    /* by instruction: in list, or CODE_NONE */
	VEC(uint32_t) fresh;   /* old instructions that were paired and whose operands were not looked at yet */
};

static inline const struct code_function *aligner_function(const struct aligner *al, int side)
{
	return al->side[side]->f;
}

static inline const struct code_value *aligner_value(const struct aligner *al, int side, uint32_t instruction)
{
	return &aligner_function(al, side)->values[aligner_function(al, side)->first_instruction + instruction];
}

static inline uint64_t aligner_label(const struct aligner *al, int side, enum match_level level, uint32_t instruction)
{
	return al->labels[side].at[level][instruction];
}

static inline int aligner_is_paired(const struct aligner *al, int side, uint32_t instruction)
{
	const uint32_t *to = side ? al->out->to_old : al->out->to_new;

	return to[aligner_function(al, side)->first_instruction + instruction] != CODE_NONE;
}

static inline void aligner_pair(struct aligner *al, uint32_t old, uint32_t new)
{
	uint32_t a = aligner_function(al, 0)->first_instruction + old, b = aligner_function(al, 1)->first_instruction + new;

	al->out->to_new[a] = b;
	al->out->to_old[b] = a;
	vec_push(&al->fresh, old);
}

static inline const struct content_instruction *aligner_content(const struct aligner *al, int side, uint32_t instruction)
{
	const struct match_side *d = al->side[side];

	return &d->u->content->instructions[d->f->first_ordinal + instruction];
}

/* match_flow.c */
/* It says nothing but where it stands: a jump, or what reports a failed check. */
int aligner_set_apart(const struct code_function *f, uint32_t v);
/* Pairs jumps and reports by what leads to them. */
void aligner_flow(struct aligner *al);
/* Pairs phis, allocas and, if the type changed, parameters by the pairs that use them. */
void aligner_votes(struct aligner *al);

#endif
