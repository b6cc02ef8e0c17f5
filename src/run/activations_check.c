/* activations_check.c: an oracle for summary mode.
 *
 * Two claims are looked at. A term over the leaves of an activation is what the run computed: with the leaves' values in, it has the value that the trace
 * recorded. And the leaves hide nothing: with the bindings in, the conditions of the path are those of an ordinary trace. The second is
 * looked at by evaluating: a changed input breaks the same constraint first in both. Constraints that depend on no input (a test of a concrete value inside an
 * activation) hold for all of them, so they cannot make a difference.
 */
#include "run/activations_check.h"

#include "base/mem.h"
#include "run/mutate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ values */

struct values {
	const struct trace *t;
	struct exprs *pool;
	const struct eval_input *inputs;
};

/* Leaves are named by their label (activations.c). */
static u128 value_of(void *ctx, expr_t variable)
{
	const struct values *v = ctx;
	const struct expr_node *n = expr_get(v->pool, variable);
	uint32_t label;

	if (n->op == MUSTER_OP_INPUT)
		return n->a < v->t->source_count && n->k < v->inputs[n->a].size ? v->inputs[n->a].bytes[n->k] : 0;
	if (n->op == MUSTER_OP_LENGTH)
		return n->a < v->t->source_count ? v->inputs[n->a].size : 0;
	return sscanf(expr_name(v->pool, variable), "leaf%" SCNu32, &label) == 1 && trace_is_node(v->t, label) ? trace_value(v->t, label) : 0;
}

static void look_at(struct values *v, expr_t term, u128 want, size_t activation, const char *what, struct activations_check *out)
{
	if (!term)
		return;
	u128 is = expr_eval(v->pool, term, value_of, v);
	out->terms++;
	if (is == want)
		return;
	if (!out->wrong++ && !out->different)
		snprintf(out->first, sizeof out->first, "activation %zu: %s had 0x%" PRIx64 " and is 0x%" PRIx64, activation, what, (uint64_t)want,
			 (uint64_t)is);
}

void activations_values(const struct activations *a, const struct trace *t, struct exprs *pool, const struct eval_input *inputs,
			struct activations_check *out)
{
	struct values v = {t, pool, inputs};

	for (size_t i = 0; i < a->list.size; i++) {
		const struct activation *x = &a->list.data[i];
		for (size_t k = 0; k < x->inputs.size; k++) {
			look_at(&v, x->inputs.data[k].bound, x->inputs.data[k].value, i, "what an input is bound to", out);
			look_at(&v, x->inputs.data[k].place, x->inputs.data[k].address, i, "the address of an input", out);
		}
		for (size_t k = 0; k < x->steps.size; k++)
			look_at(&v, x->steps.data[k].holds, 1, i, "a condition", out);
		for (size_t k = 0; k < x->writes.size; k++) {
			const struct activation_write *w = &x->writes.data[k];
			look_at(&v, w->value, (u128)w->value_high << 64 | w->value_low, i, "a value written", out);
			look_at(&v, w->place, w->address, i, "the address of a write", out);
		}
	}
}

/* -------------------------------------------------------------------- path */

static int is_constraint(const struct muster_event *e)
{
	if (!e->label)
		return 0;
	return e->kind == MUSTER_EV_BRANCH || e->kind == MUSTER_EV_SWITCH || e->kind == MUSTER_EV_BOUND || e->kind == MUSTER_EV_GIVEN ||
	       (e->kind == MUSTER_EV_CONCRETE && e->arg != MUSTER_REASON_ORDER);
}

/* The first constraint that does not hold as it did; event_count: none. */
static uint64_t first_broken(const struct trace *t, const struct eval *e)
{
	for (uint64_t i = 0; i < t->event_count; i++) {
		const struct muster_event *x = &t->events[i];
		if (is_constraint(x) && (!eval_defined(e, x->label) || eval_value(e, x->label) != trace_value(t, x->label)))
			return i;
	}
	return t->event_count;
}

static uint64_t site_of(const struct trace *t, uint64_t event)
{
	return event < t->event_count ? (uint64_t)t->events[event].unit << 32 | t->events[event].index : UINT64_MAX;
}

void activations_compare(const struct trace *ordinary, const struct trace *summary, const struct eval_input *inputs, unsigned count, uint64_t seed,
			 struct activations_check *out)
{
	struct eval x, y;
	unsigned sources = summary->source_count;
	struct eval_input *in = mem_alloc((sources + 1) * sizeof *in);
	struct buf bytes = {0};
	char words[96];

	if (!sources || !inputs[0].size || sources != ordinary->source_count) {
		free(in);
		return;
	}
	memcpy(in, inputs, sources * sizeof *in);
	eval_init(&x, ordinary);
	eval_init(&y, summary);
	for (unsigned i = 0; i < count; i++) {
		mutate(&bytes, inputs[0].bytes, inputs[0].size, inputs[0].size, 0, &seed, words, sizeof words);
		in[0] = (struct eval_input){(const uint8_t *)buf_str(&bytes), bytes.size};
		eval_run(&x, in);
		eval_run(&y, in);
		uint64_t a = first_broken(ordinary, &x), b = first_broken(summary, &y);
		out->changed++;
		if (site_of(ordinary, a) == site_of(summary, b))
			continue;
		if (!out->different++ && !out->wrong)
			snprintf(out->first, sizeof out->first, "changed input %u (%s): the first broken constraint is event %" PRIu64 " of the ordinary trace and %" PRIu64
				 " of this one", i, words, a, b);
	}
	eval_release(&x);
	eval_release(&y);
	buf_release(&bytes);
	free(in);
}
