/* sample.c: N random states of each summary's P are run in the san variant, and must end as Q says (`muster test --summaries --sample N`, `muster validate --sample`).
 *
 * A summary that is violated is a defect of muster's: it is reported with the state, and the command fails. Partial ones make no claim about other states; they and those for which no state was
 * found are listed as not sampled.
 */
#include "unit/sample.h"

#include "base/error.h"
#include "base/log.h"
#include "base/vec.h"
#include "summary/sample.h"

#define WITNESSES 32 /* that are tried for a summary without one of its own */

struct trial {
	struct sampling *g;
	struct sampler sampler;
	VEC(struct batch_item) items;
	VEC(uint32_t) of; /* summary of each item */
	VEC(struct buf) inputs;
};

static void violated(struct trial *t, const struct summary *x, const struct buf *input, const char *words)
{
	struct sampling *g = t->g;
	struct buf pre = BUF_EMPTY, post = BUF_EMPTY, state = BUF_EMPTY;

	summary_c(g->l, x->pre.data, x->pre.size, &pre);
	summary_c(g->l, x->post.data, x->post.size, &post);
	harness_print_inline(g->h, g->number, input->data, input->size, &state);
	log_warn("a summary of %s is violated: %s\n  pre   %s\n  post  %s\n  state %s", g->name, words, buf_str(&pre), buf_str(&post), buf_str(&state));
	buf_release(&pre);
	buf_release(&post);
	buf_release(&state);
	g->violated++;
}

/* Is one of the findings in the summary's line? A signal has none. */
static int fails_there(const struct batch_item *item, const struct summary *x)
{
	int other = 0;

	for (size_t i = 0; i < item->bug_count && x->end_line; i++) {
		if (item->bugs[i].line == x->end_line)
			return 1;
		other |= item->bugs[i].line != 0;
	}
	return item->failed && !other;
}

static void judge(struct trial *t, size_t i)
{
	const struct batch_item *item = &t->items.data[i];
	const struct summary *x = &t->g->l->all.data[t->of.data[i]];
	const struct buf *input = &t->inputs.data[i];
	struct buf words = BUF_EMPTY;

	if (!item->ran || item->timed || item->waits)
		return;
	t->g->ran++;
	if (sample_fails(t->g->l->pool, x)) {
		if (!fails_there(item, x))
			violated(t, x, input, "it does not fail there");
	} else if (item->failed) {
		violated(t, x, input, "it fails");
	} else if (!item->observation.size) { /* a function that leaves nothing has none to show */
		if (t->g->h->calls.data[t->g->number].result_size)
			violated(t, x, input, "it does not return");
	} else if (!sample_holds(&t->sampler, x, input->data, input->size, item->observation.data, item->observation.size, &words)) {
		violated(t, x, input, buf_str(&words));
	}
	buf_release(&words);
}

static void tell_unsampled(struct sampling *g, const struct summary *x)
{
	struct buf pre = BUF_EMPTY;

	summary_c(g->l, x->pre.data, x->pre.size, &pre);
	log_info("%s: a summary is not sampled (%s): %s", g->name, x->why ? "it is partial" : "no state was found", buf_str(&pre));
	buf_release(&pre);
	g->without++;
}

/* States of summary i whose pointers are those of the witness. 0 if none was found. */
static int add_states(struct trial *t, size_t i, const struct buf *witness)
{
	const struct summary *x = &t->g->l->all.data[i];
	size_t before = t->inputs.size;

	for (uint64_t k = 0; k < t->g->states; k++) {
		struct buf input = BUF_EMPTY;
		if (sample_state(&t->sampler, x, witness->data, witness->size, &input)) {
			vec_push(&t->inputs, input);
			vec_push(&t->of, (uint32_t)i);
		} else {
			buf_release(&input);
			if (x->called && !k)
				return 0; /* other pointers: the next witness */
		}
	}
	return t->inputs.size > before;
}

/* The input of a summary's test; of one that is from a call, those of the function's other summaries in turn: some may have such pointers. 0: there is none; -1. */
static int find_states(struct trial *t, size_t i, struct buf *witness)
{
	struct sampling *g = t->g;
	const struct summary *x = &g->l->all.data[i];
	int there = 0, found = 0;

	if (x->why)
		return 0;
	for (size_t k = x->called ? 0 : i, tried = 0; k < g->l->all.size && !found && there >= 0 && tried < WITNESSES; k++) {
		if (x->called && g->l->all.data[k].called)
			continue;
		buf_clear(witness);
		there = g->input(g->ctx, g->l->all.data[k].test, witness);
		found = there > 0 && add_states(t, i, witness);
		tried++;
		if (!x->called)
			break;
	}
	return there < 0 ? -1 : found;
}

static int make_states(struct trial *t)
{
	struct sampling *g = t->g;
	struct buf witness = BUF_EMPTY;
	int there = 0;

	for (size_t i = 0; i < g->l->all.size && there >= 0; i++)
		if (g->l->all.data[i].kind != SUMMARY_SEGMENT && !(there = find_states(t, i, &witness))) /* those: sample_segments.c */
			tell_unsampled(g, &g->l->all.data[i]);
	buf_release(&witness);
	for (size_t i = 0; i < t->inputs.size; i++)
		vec_push(&t->items, (struct batch_item){.data = t->inputs.data[i].data, .size = t->inputs.data[i].size, .keep = 1});
	return there < 0 ? -1 : 0;
}

int sampling_run(struct sampling *g)
{
	struct trial t = {.g = g, .sampler = {.l = g->l, .h = g->h, .number = g->number, .solver = g->solver, .random = (g->seed + 1) * 0x9e3779b97f4a7c15u}};
	int e = make_states(&t);

	if (!e && t.items.size)
		e = batch_run(g->batch, t.items.data, t.items.size);
	for (size_t i = 0; i < t.items.size && !e; i++)
		judge(&t, i);
	batch_items_release(t.items.data, t.items.size);
	for (size_t i = 0; i < t.inputs.size; i++)
		buf_release(&t.inputs.data[i]);
	vec_release(&t.inputs);
	vec_release(&t.items);
	vec_release(&t.of);
	return e;
}
