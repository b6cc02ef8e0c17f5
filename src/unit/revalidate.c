/* revalidate.c: summaries of an old version against a new one.
 *
 * Where both versions are source, they are the programs that `muster test` drives: the old one as the store remembers it, the new one built in the same manner. So code, checks and places are those that the summaries were made of.
 * A program that was built by the user has the same code and checks, but nothing that would run one function of it: nothing is invalid there. What
 * no phase proves is run: the witness of the summary, the state that Phase 3 could not exclude, and random states of P. One that does not end as Q says refutes the summary, if it does so twice; a
 * partial summary is about one state, and no run refutes it.
 */
#include "unit/revalidate.h"

#include "base/deadline.h"
#include "base/mem.h"
#include "unit/refute.h"

#include <stdlib.h>
#include <string.h>

struct comparing {
	struct recall *was;
	const struct driven *now;
	const struct revalidate_options *o;
	struct revalidation *out;
	struct validation *v;
	struct refuter *refuter;
};

static int has_stub(const struct harness *h, const char *name)
{
	for (size_t i = 0; i < h->stubs.size; i++)
		if (!(h->stubs.data[i] & HARNESS_STUB_POINTER) && !strcmp(h->front->functions.data[h->stubs.data[i]].name, name))
			return 1;
	return 0;
}

/* A function that the harness of both versions stands in for. */
static int is_stub(void *ctx, const char *name)
{
	const struct comparing *c = ctx;
	return c->was->was.h && c->now->h && has_stub(c->was->was.h, name) && has_stub(c->now->h, name);
}

static int stands_in(void *ctx, const char *name)
{
	const struct comparing *c = ctx;
	return c->now->h && has_stub(c->now->h, name);
}

static char *as_c(struct summaries *l, const expr_t *list, size_t count)
{
	struct buf b = BUF_EMPTY;
	summary_c(l, list, count, &b);
	return buf_take(&b);
}

static void count(struct revalidation *out, const struct revalidate_row *row)
{
	const struct validate_result *r = &row->r;
	out->valid += r->verdict == VALIDATE_VALID;
	out->invalid += r->verdict == VALIDATE_INVALID;
	out->unknown += r->verdict == VALIDATE_UNKNOWN;
	out->partial += r->verdict == VALIDATE_VALID && r->partial;
	out->violated += (uint64_t)row->violated;
	out->ran += (uint64_t)row->ran;
	out->unaudited += r->verdict == VALIDATE_VALID && !row->ran;
	out->phase[r->phase]++;
	out->seconds[r->phase] += r->seconds;
}

/* R was found, and no run of the witness showed that it holds there. */
static void explain(struct revalidate_row *row)
{
	struct buf why = BUF_EMPTY;
	if (row->r.verdict != VALIDATE_UNKNOWN || !row->r.needs)
		return;
	buf_addf(&why, "it would hold where %s, and its test did not show that", row->r.needs);
	free(row->r.why);
	row->r.why = buf_take(&why);
}

static int of_function(void *ctx, const struct recall_function *function, struct summaries *l)
{
	struct comparing *c = ctx;
	const char *name = function->name;
	if (c->o->function && strcmp(c->o->function, name))
		return 0;
	for (size_t i = 0; i < l->all.size; i++) {
		const struct summary *s = &l->all.data[i];
		struct revalidate_row row = {.key = s->key, .kind = s->kind, .from_loop = s->lp.ordinal != SUMMARY_ENTRY, .end_function = s->end_function ? mem_strdup(s->end_function) : NULL, .line = s->line, .end_line = s->end_line, .was_partial = s->why != NULL, .function = mem_strdup(name)};
		if (deadline_over()) {
			c->out->interrupted = 1;
			row.r.why = mem_strdup("the time was over");
		} else {
			validate_summary(c->v, l, s, &row.r);
		}
		row.pre = as_c(l, s->pre.data, s->pre.size);
		row.post = as_c(l, s->post.data, s->post.size);
		vec_push(&c->out->rows, row);
	}
	size_t first = c->out->rows.size - l->all.size;
	if (c->refuter && !deadline_over() && refuter_run(c->refuter, function, l, &c->out->rows.data[first]) && !deadline_over())
		return -1;
	c->out->interrupted |= deadline_over(); /* what was not run stays as the phases left it */
	for (size_t i = first; i < c->out->rows.size; i++) {
		explain(&c->out->rows.data[i]);
		count(c->out, &c->out->rows.data[i]);
	}
	return 0;
}

int revalidate_run(struct recall *was, const struct driven *now, const struct revalidate_options *o, struct revalidation *out)
{
	struct comparing c = {.was = was, .now = now, .o = o, .out = out};
	struct validate_options vo = o->validate;
	memset(out, 0, sizeof *out);
	vo.is_stub = is_stub;
	vo.stands_in = stands_in;
	vo.ctx = &c;
	c.v = validation_new(was->was.whole, now->whole, &vo);
	c.refuter = o->no_runs || !was->was.h || !now->h ? NULL : refuter_new(was, now, validation_match(c.v), o);
	out->not_run = !o->no_runs && !c.refuter;
	int e = recall_each(was, of_function, &c);
	refuter_free(c.refuter);
	validation_free(c.v);
	return e;
}

void revalidate_release(struct revalidation *v)
{
	for (size_t i = 0; i < v->rows.size; i++) {
		struct revalidate_row *r = &v->rows.data[i];
		free((char *)r->function);
		free(r->end_function), free(r->pre), free(r->post), free(r->state), free(r->what);
		validate_result_release(&r->r);
	}
	vec_release(&v->rows);
}
