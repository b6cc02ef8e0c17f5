/* region.c: a part of a function: from one instruction to another.
 *
 * The evaluation begins in the middle: the passes around the first instruction, of its loops and of the function, begin at the node that it is in, and dominators are those
 * of the paths from there. Of each loop around it the rest of one iteration comes first, then whole ones as always; so what holds at the header in a run
 * from the function's entry is not assumed. Values from before are what the caller says.
 *
 * A path that comes to the last instruction ends there as REACHED: the first visit counts. Values and memory at these visits are choices by their guards, which
 * exclude each other. A value that one of them does not have, has none.
 */
#include "vc/inside.h"

#include <stdlib.h>
#include <string.h>

/* Values from before that were not asked for are asked for now: in a later visit they may be others. */
static void complete(struct vc *v, struct vc_frame *fr, uint32_t block)
{
	const struct code_function *f = fr->f;
	for (uint32_t i = 0; i < f->first_instruction + f->instructions && v->o.value; i++)
		if (fr->values[i] == EXPR_NONE && vc_width(&f->values[i]) && (i < f->first_instruction || code_dominates(f, f->values[i].block, block)))
			vc_value(v, fr, i);
}

void vc_reach(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at)
{
	struct vc_reached *r = fr->reached;
	uint32_t count = fr->f->first_instruction + fr->f->instructions;
	expr_t guard = vc_guard(v, s);
	complete(v, fr, fr->f->values[at].block);
	for (uint32_t i = 0; i < count; i++) {
		expr_t now = fr->values[i], *old = &r->values[i];
		if (!r->some || now == *old)
			*old = now;
		else if (now == EXPR_NONE || *old == EXPR_NONE || now == VC_LOST || *old == VC_LOST)
			*old = VC_LOST;
		else
			*old = vc_choice(v, fr, s, i, guard, now, *old);
	}
	r->memory = r->some ? vc_memory_ite(v, guard, s->memory, r->memory) : s->memory;
	r->guard = r->some ? vc_or(v->p, r->guard, guard) : guard;
	r->some = 1;
	vc_stop_here(v, s, VC_REACHED, fr->f, at, NULL);
}

int vc_run_region(struct vc *v, const struct code_function *f, const struct vc_region *region, expr_t *values, struct vc_outcome *out)
{
	uint32_t count = f->first_instruction + f->instructions;
	struct vc_reached r = {.guard = expr_false(v->p), .values = mem_zalloc((count + 1) * sizeof *r.values)};
	int result = vc_run_frame(v, f, CODE_NONE, region, values, &r, out);
	if (!result && region->to != CODE_NONE) {
		*out = (struct vc_outcome){.returns = r.guard, .memory = r.some ? r.memory : out->memory};
		memcpy(values, r.values, count * sizeof *values);
	}
	free(r.values);
	return result;
}
