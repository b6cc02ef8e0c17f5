/* sample.c: `muster test --summaries --sample N`: N random states of each summary's P are run in the san variant, and must end as Q says.
 *
 * A summary that is violated is a defect of muster's: it is told with the state, and the command fails. Partial ones make no claim about other states; they and those for which no state was
 * found are counted as not sampled.
 */
#include "unit/unit.h"

#include "base/error.h"
#include "base/log.h"
#include "summary/sample.h"

#include <stdio.h>
#include <string.h>

struct sampling {
	struct test_session *s;
	struct test_function *f;
	struct sampler sampler;
	VEC(struct batch_item) items;
	VEC(uint32_t) of; /* summary of each item */
	VEC(struct buf) inputs;
};

static const struct test_case *witness(const struct test_function *f, const struct summary *x)
{
	for (size_t i = 0; i < f->tests.size; i++)
		if (f->tests.data[i].id == x->test)
			return &f->tests.data[i];
	return NULL;
}

static void violated(struct sampling *g, const struct summary *x, const struct buf *input, const char *words)
{
	struct buf pre = BUF_EMPTY, post = BUF_EMPTY, state = BUF_EMPTY;

	summary_c(g->sampler.l, x->pre.data, x->pre.size, &pre);
	summary_c(g->sampler.l, x->post.data, x->post.size, &post);
	harness_print_inline(g->s->harness, g->f->harness->number, input->data, input->size, &state);
	log_warn("a summary of %s is violated: %s\n  pre   %s\n  post  %s\n  state %s", g->f->name, words, buf_str(&pre), buf_str(&post), buf_str(&state));
	buf_release(&pre);
	buf_release(&post);
	buf_release(&state);
	g->s->violated++;
}

static int fails_there(const struct batch_item *item, const struct summary *x)
{
	int other = 0;

	for (size_t i = 0; i < item->bug_count && x->end_line; i++) {
		if (item->bugs[i].line == x->end_line)
			return 1;
		other |= item->bugs[i].line != 0;
	}
	return item->failed && !other; /* a signal has no line */
}

static void judge(struct sampling *g, size_t i)
{
	const struct batch_item *item = &g->items.data[i];
	const struct summary *x = &g->sampler.l->all.data[g->of.data[i]];
	const struct buf *input = &g->inputs.data[i];
	struct buf words = BUF_EMPTY;

	if (!item->ran || item->timed || item->waits)
		return;
	g->s->sampled++;
	if (sample_fails(g->sampler.l->pool, x)) {
		if (!fails_there(item, x))
			violated(g, x, input, "it does not fail there");
	} else if (item->failed || !item->observation.size) {
		if (item->failed || g->s->harness->calls.data[g->f->harness->number].result_size)
			violated(g, x, input, item->failed ? "it fails" : "it does not return");
	} else if (!sample_holds(&g->sampler, x, input->data, input->size, item->observation.data, item->observation.size, &words)) {
		violated(g, x, input, buf_str(&words));
	}
	buf_release(&words);
}

static void make_states(struct sampling *g)
{
	struct summaries *l = g->sampler.l;

	for (size_t i = 0; i < l->all.size; i++) {
		const struct summary *x = &l->all.data[i];
		const struct test_case *t = witness(g->f, x);
		uint64_t made = 0;

		for (uint64_t k = 0; k < g->s->o->sample && t && !x->why; k++) {
			struct buf input = BUF_EMPTY;
			if (!sample_state(&g->sampler, x, t->data, t->size, &input)) {
				buf_release(&input);
				continue;
			}
			made++;
			vec_push(&g->inputs, input);
			vec_push(&g->of, (uint32_t)i);
		}
		if (!made && g->s->o->sample) {
			struct buf pre = BUF_EMPTY;
			summary_c(l, x->pre.data, x->pre.size, &pre);
			log_info("%s: a summary is not sampled (%s): %s", g->f->name, x->why ? "it is partial" : "no state was found", buf_str(&pre));
			buf_release(&pre);
			g->s->unsampled++;
		}
	}
	for (size_t i = 0; i < g->inputs.size; i++)
		vec_push(&g->items, (struct batch_item){.data = g->inputs.data[i].data, .size = g->inputs.data[i].size, .keep = 1});
}

int test_sample(struct test_session *s, struct test_function *f, struct summaries *l, struct solver *solver)
{
	struct sampling g = {.s = s, .f = f};
	int e = 0;

	g.sampler = (struct sampler){.l = l, .h = s->harness, .number = f->harness->number, .solver = solver, .random = (s->o->seed + 1) * 0x9e3779b97f4a7c15u};
	if (!s->batch)
		return 0;
	make_states(&g);
	if (g.items.size)
		e = batch_run(s->batch, g.items.data, g.items.size);
	for (size_t i = 0; i < g.items.size && !e; i++)
		judge(&g, i);
	batch_items_release(g.items.data, g.items.size);
	for (size_t i = 0; i < g.inputs.size; i++)
		buf_release(&g.inputs.data[i]);
	vec_release(&g.inputs);
	vec_release(&g.items);
	vec_release(&g.of);
	return e;
}
