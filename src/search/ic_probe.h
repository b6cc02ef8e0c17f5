/* ic_probe.h: interfaces of the calls of a run: what each reads and tests, and what of its outputs is tested later.
 *
 *	struct ic_probe p = {0};
 *	if (ic_probe_read(&p, &trace, &calls, unit_call, decide, ctx)) ... error_text()
 *	p.list.data[i]        a call of a named function
 *	p.fresh.data[k]       decision k of the run: are its condition's variables outputs of reused calls alone?
 *	ic_probe_release(&p);
 *
 * The trace is of summary mode with MUSTER_FLAG_OUTPUTS; the engine named the function that is explored and those that have a summary.
 */
#ifndef MUSTER_SEARCH_IC_PROBE_H
#define MUSTER_SEARCH_IC_PROBE_H

#include "run/calls.h"
#include "search/ic_context.h"

typedef VEC(uint64_t) ic_keys;

struct ic_call {
	uint32_t call; /* in the list of calls */
	uint32_t number; /* of its activation, from 1 */
	ic_inputs inputs; /* those that are tested; of the unit's call they are free or tied, of others symbolic ones are tied */
	ic_keys outputs;  /* values that it wrote or returned and that are tested after it returned: results are 1 and up, memory its address */
	ic_keys values;	  /* what each of these was */
	int marked;	 /* not all that it read or wrote is known */
	int lost;	 /* its end, or what is inside it, is not known */
	int reused;	 /* as decide() said */
	int decided;
};

struct ic_decision {
	uint32_t unit, index;
	int fresh; /* over outputs of reused calls alone */
	int tied;  /* over a tied input of the unit, among others */
	int held;  /* over a held input of a reused call, among others */
};

struct ic_probe {
	VEC(struct ic_call) list; /* in the order they began */
	VEC(struct ic_decision) decisions; /* branches and switches that depend on the input, in order */
};

/* May a summary stand for this call? Then it sets `held` of its inputs. Asked once for each call but the unit's, inner ones first, when its inputs are known. */
typedef int (*ic_decide)(void *ctx, struct ic_call *call);

int ic_probe_read(struct ic_probe *p, const struct trace *t, const struct calls *c, uint32_t unit_call, ic_decide decide, void *ctx);
void ic_probe_release(struct ic_probe *p);
/* That of a call, or NULL. */
struct ic_call *ic_probe_call(struct ic_probe *p, uint32_t call);

#endif
