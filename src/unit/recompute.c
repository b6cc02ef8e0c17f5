/* recompute.c: summaries of the version before that are not proved to hold are made anew (seed 000, section 7).
 *
 * With --summaries, when the store has summaries of an earlier version of the file: each is validated against this version (src/validate). One that is not proved gets a test: a state of its precondition, with which the search of its function begins; what the new code does from there is
 * summarised with all other tests when the search is over. The summary of a whole function begins at the entry, so its precondition is a condition on the input. One of a segment begins at a loop: the segments that led there in the tests of the old version (the graph G, docs/summaries.md), each
 * of them proved to hold here, give the condition on the entry (summary/prefix.h); paths are tried in the order of their length, so that what lies close to the entry comes first. If no state is found, over the prefixes that are known, the summary is
 * *unreached*: nothing is said about it.
 *
 * A state here is a guess that a run checks: tests, paths and summaries come of runs alone.
 */
#include "unit/reuse.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/log.h"
#include "base/mem.h"
#include "build/join.h"
#include "harness/layout.h"
#include "summary/prefix.h"
#include "summary/sample.h"
#include "unit/recall.h"
#include "validate/validate.h"

#include <stdlib.h>
#include <string.h>

#define EACH 0.2    /* seconds of processor time for one summary */
#define SHARE 0.1   /* of --time, for all of this; without it: */
#define SECONDS 5.0 /* of processor time */
#define PREFIXES 8  /* paths to the beginning of a segment that are tried */

struct recomputing {
	struct test_session *s;
	struct recall was;
	struct whole *now;
	struct validation *v;
	struct solver *solver;
	double until; /* deadline_processor */
	/* Of the function: */
	struct test_function *f;
	const struct recall_function *function;
	struct summaries *l;
	struct sampler sampler;
	uint8_t *holds; /* by summary: it is proved */
	struct buf graph;
};

/* ------------------------------------------------------------ tests */

static void add_seed(struct recomputing *c, const struct buf *input)
{
	struct test_function *f = c->f;
	uint64_t hash = reuse_input_hash(input->data, input->size);
	for (size_t i = 0; i < f->reuse.seeds.size; i++)
		if (reuse_input_hash(f->reuse.seeds.data[i].data, f->reuse.seeds.data[i].size) == hash)
			return;
	struct test_case t = {.id = f->reuse.seeds.size + 1, .data = arena_copy(&f->arena, input->data, input->size), .size = input->size};
	vec_push(&f->reuse.seeds, t);
}

/* The input of an old test as one of the new driver's, if it is a call of this function. */
static int carry_test(struct recomputing *c, uint64_t test, struct buf *out)
{
	const struct harness *h = c->was.was.h;
	const struct harness_function *old = harness_find(h, c->function->name);
	struct buf witness = BUF_EMPTY;
	int ok = old && old->number != UINT32_MAX && recall_input(&c->was, c->function, test, &witness) > 0 && witness.size >= sizeof h->calls.data->id &&
		 !memcmp(witness.data, &h->calls.data[old->number].id, sizeof h->calls.data->id) &&
		 layout_carry(h, old->number, witness.data, witness.size, c->sampler.h, c->sampler.number, out);
	buf_release(&witness);
	return ok;
}

/* A state of x's precondition with the pointers of the old test, or, if that was a call of another function, of one that was a call of this. */
static int add_state(struct recomputing *c, const struct summary *x, uint64_t test)
{
	struct buf carried = BUF_EMPTY, input = BUF_EMPTY;
	int found = carry_test(c, test, &carried);
	for (size_t i = 0; i < c->l->all.size && !found; i++)
		if (!c->l->all.data[i].called && c->l->all.data[i].kind == SUMMARY_FUNCTION)
			found = carry_test(c, c->l->all.data[i].test, &carried);
	if (found && sample_satisfies(&c->sampler, x, carried.data, carried.size))
		add_seed(c, &carried);
	else if (found && sample_state(&c->sampler, x, carried.data, carried.size, &input))
		add_seed(c, &input);
	else
		found = 0;
	buf_release(&carried);
	buf_release(&input);
	return found;
}

/* ------------------------------------------------------------ the graph */

/* The summary of this key; UINT32_MAX. */
static uint32_t by_key(const struct summaries *l, const char *hex)
{
	char own[HASH_HEX_SIZE];
	for (uint32_t i = 0; i < l->all.size; i++)
		if (!strncmp(hash_hex(l->all.data[i].key, own), hex, HASH_HEX_SIZE - 1))
			return i;
	return UINT32_MAX;
}

/* What a path of the graph passes before it comes to summary `to`, by numbers of the list, into out: 1; 0: it does not come there over segments that hold. line: after its test. */
typedef VEC(uint32_t) numbers;
static int prefix_of(const struct recomputing *c, const char *line, const numbers *keys, uint32_t to, numbers *out)
{
	vec_clear(out);
	while (*line == ' ') {
		char *rest;
		unsigned long n = strtoul(line + 1, &rest, 10);
		if (rest == line + 1 || n >= keys->size || keys->data[n] == UINT32_MAX)
			return 0;
		if (keys->data[n] == to)
			return 1;
		if (!c->holds[keys->data[n]])
			return 0;
		vec_push(out, keys->data[n]);
		line = rest;
	}
	return 0;
}

static int reach_segment(struct recomputing *c, uint32_t i, size_t longest, const struct code_function *code)
{
	const char *graph = buf_str(&c->graph), *line = strchr(graph, '\n');
	numbers keys = {0}, before = {0};
	unsigned tried = 0;
	int found = 0;
	for (const char *at = graph; line && at < line; at += HASH_HEX_SIZE)
		vec_push(&keys, by_key(c->l, at));
	for (size_t length = 0; length <= longest && !found && tried < PREFIXES; length++)
		for (const char *at = line; at && !found && tried < PREFIXES; at = strchr(at + 1, '\n')) {
			char *rest;
			uint64_t test = strtoull(at + 1, &rest, 10);
			struct summary x = {.function = c->l->all.data[i].function};
			if (!prefix_of(c, rest, &keys, i, &before) || before.size != length)
				continue;
			tried++;
			found = summary_prefix(c->l, code, before.data, before.size, &c->l->all.data[i], &x) && add_state(c, &x, test);
			summary_release(&x);
		}
	vec_release(&keys);
	vec_release(&before);
	return found;
}

/* ------------------------------------------------------------ a function */

static int is_over(const struct recomputing *c)
{
	return deadline_processor() > c->until || deadline_over();
}

static void validate_all(struct recomputing *c)
{
	for (uint32_t i = 0; i < c->l->all.size; i++) {
		struct validate_result r = {0};
		if (is_over(c)) {
			c->s->reuse.unseen++;
			c->holds[i] = 2;
			continue;
		}
		validate_summary(c->v, c->l, &c->l->all.data[i], &r);
		c->holds[i] = r.verdict == VALIDATE_VALID;
		c->s->reuse.held += c->holds[i];
		validate_result_release(&r);
	}
}

static void say_unreached(const struct recomputing *c, const struct summary *x)
{
	struct buf pre = BUF_EMPTY;
	summary_c(c->l, x->pre.data, x->pre.size, &pre);
	log_info("%s, %s from line %u: unreached: %s", c->function->name, x->kind == SUMMARY_SEGMENT ? "segment" : x->called ? "as it is called" : "whole", x->line, buf_str(&pre));
	buf_release(&pre);
}

#define LONGEST 64 /* segments of a call, at most: summary/gather.c */

static void make_anew(struct recomputing *c)
{
	const struct match *m = validation_match(c->v);
	uint32_t old = whole_find_any(m->old, c->function->name);
	const struct code_function *code = old == CODE_NONE ? NULL : m->old->symbols.data[old].function;
	for (int segments = 0; segments < 2; segments++) /* what begins at the entry first */
		for (uint32_t i = 0; i < c->l->all.size; i++) {
			const struct summary *x = &c->l->all.data[i];
			if (c->holds[i] || x->end_function || (x->kind == SUMMARY_SEGMENT) != segments)
				continue;
			int late = is_over(c);
			int found = !late && (segments ? code && reach_segment(c, i, LONGEST, code) : add_state(c, x, x->test));
			if (!found && !late)
				say_unreached(c, x);
			c->s->reuse.again += (uint64_t)found;
			c->s->reuse.unreached += !found && !late;
			c->s->reuse.unseen += (uint64_t)late;
		}
}

static int of_function(void *ctx, const struct recall_function *function, struct summaries *l)
{
	struct recomputing *c = ctx;
	const struct match *m = validation_match(c->v);
	uint32_t old = whole_find_any(m->old, function->name), new = old == CODE_NONE ? CODE_NONE : m->to_new[old];
	struct buf name = BUF_EMPTY;
	c->f = NULL;
	for (size_t i = 0; i < c->s->functions.size && new != CODE_NONE; i++)
		if (!strcmp(c->s->functions.data[i].name, m->new->symbols.data[new].name))
			c->f = &c->s->functions.data[i];
	if (!c->f || c->f->harness->number == UINT32_MAX || c->f->reuse.how == TEST_REUSE_ALL)
		return 0;
	c->function = function;
	c->l = l;
	c->sampler = (struct sampler){.l = l, .h = c->s->driven.harness, .number = c->f->harness->number, .solver = c->solver, .random = 0x9e3779b97f4a7c15u};
	c->holds = mem_zalloc(l->all.size + 1);
	buf_clear(&c->graph);
	buf_addf(&name, "graph %s", function->name);
	int e = store_value_get(c->was.store, function->campaign, buf_str(&name), &c->graph) < 0 ? -1 : 0;
	if (!e) {
		validate_all(c);
		make_anew(c);
	}
	free(c->holds);
	buf_release(&name);
	return e;
}

int test_recompute(struct test_session *s)
{
	struct recomputing c = {.s = s};
	struct versions_options o = {.store = s->o->store};
	struct solve_options so = {.conflicts = 2000, .no_cache = 1};
	struct validate_options vo = {.seconds = EACH};
	if (!s->o->summaries || !s->records.store || s->o->fresh || s->o->repeatable)
		return 0;
	char *file = test_identity(s);
	int there = file ? recall_earlier(&c.was, s->records.store, &o, file, s->records.campaign) : 0, e = 0;
	if (there < 0) /* nothing is lost: all is searched */
		log_info("summaries of the version before are not looked at: %s", error_text());
	c.until = deadline_processor() + (s->o->seconds > 0 ? SHARE * s->o->seconds : SECONDS);
	if (there > 0 && c.was.was.h && (c.now = join_load(s->driven.program))) {
		c.v = validation_new(c.was.was.whole, c.now, &vo);
		c.solver = solver_new(&so);
		e = recall_each(&c.was, of_function, &c);
		solver_free(c.solver);
		validation_free(c.v);
	}
	whole_free(c.now);
	buf_release(&c.graph);
	recall_release(&c.was);
	free(file);
	return e;
}
