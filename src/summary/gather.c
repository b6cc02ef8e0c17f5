/* gather.c: one run after the other in the calls variant; each activation of a function that is wanted gives a summary, each summary is kept once.
 *
 * A function that is called often says the same often: what is known is dropped before it is simplified. A function has at most MOST summaries, and a run gives at most MOST_CALLS; nothing is lost by this
 * but summaries, for each stands for itself.
 */
#include "summary/gather.h"

#include "base/deadline.h"
#include "base/hash.h"
#include "base/log.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define MOST 128       /* summaries of one function */
#define MOST_SEGMENTS 256 /* of segments of one function */
#define MOST_ACROSS 64 /* of those: that end in another function */
#define MOST_STEPS 8192 /* of the graph of one function */
#define MOST_CALLS 4096 /* activations of one run that are looked at */

int gather_open(struct gather *c, const char *program, char *const *argv, const struct target_options *options)
{
	struct target_options o = *options;

	o.shm.flags |= MUSTER_FLAG_CALLS | MUSTER_FLAG_SUMMARIES | MUSTER_FLAG_FEW | (c->segments ? MUSTER_FLAG_SEGMENTS : 0);
	c->argv = argv;
	if (target_make(&c->target, program, argv, c->segments ? VARIANT_SEGMENTS : VARIANT_CALLS, &o))
		return -1;
	c->target.options.server = 1;
	return 0;
}

static int by_site(const void *x, const void *y)
{
	const struct gather_function *a = x, *b = y;

	return a->unit != b->unit ? (a->unit < b->unit ? -1 : 1) : a->first < b->first ? -1 : a->first > b->first;
}

static int find_functions(struct gather *c)
{
	for (size_t i = 0; i < c->target.sites.count; i++)
		for (uint32_t k = 0; k < c->target.sites.tables[i].functions; k++) {
			struct gather_function f = {0};
			struct site_function site;

			int wanted = site_table_function(&c->target.sites.tables[i], k, &site) ? c->wanted(c->ctx, &site, &f.f) : 0;
			if (!wanted)
				continue;
			f.only_segments = wanted == 2;
			f.unit = site.unit, f.first = site.first, f.end = site.first + site.count;
			summaries_init(&f.list);
			summaries_init(&f.segments);
			vec_push(&c->functions, f);
		}
	if (c->functions.size > 1)
		qsort(c->functions.data, c->functions.size, sizeof *c->functions.data, by_site);
	return 0;
}

int gather_name(struct gather *c)
{
	VEC(struct muster_function) list = {0};

	if (!c->functions.size)
		find_functions(c);
	for (size_t i = 0; i < c->functions.size && list.size < SHM_FUNCTIONS; i++) {
		const struct gather_function *f = &c->functions.data[i];
		if (!f->full || (c->segments && f->segments.all.size < MOST_SEGMENTS))
			vec_push(&list, ((struct muster_function){(uint64_t)f->unit << 32 | f->first, (uint64_t)f->unit << 32 | f->end}));
	}
	int e = shm_set_functions(&c->target.shm, list.data, list.size);
	vec_release(&list);
	return e;
}

static struct gather_function *function_at(struct gather *c, uint32_t unit, uint32_t index)
{
	size_t low = 0, high = c->functions.size;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		struct gather_function *f = &c->functions.data[mid];
		if (unit < f->unit || (unit == f->unit && index < f->first))
			high = mid;
		else if (unit > f->unit || index >= f->end)
			low = mid + 1;
		else
			return f;
	}
	return NULL;
}

/* Of what it says, whatever the order of the conjuncts. */
static uint64_t digest(const struct summaries *l, const struct summary *s)
{
	uint64_t d = (s->end_function ? hash128_str(s->end_function).a : 0) + s->end_line + ((uint64_t)s->lp.ordinal << 40) + ((uint64_t)s->lq.ordinal << 16);

	for (size_t i = 0; i < s->pre.size; i++)
		d += expr_digest(l->pool, s->pre.data[i]).a * 3;
	for (size_t i = 0; i < s->post.size; i++)
		d += expr_digest(l->pool, s->post.data[i]).a * 5;
	return d ^ (s->why ? hash128_str(s->why).a : 0);
}

/* Is the call one that the activation's own code makes, without another function between, and the first of that function? */
static int is_first_call(const struct called_run *r, uint32_t number, uint32_t call)
{
	const struct activation *a = &r->a->list.data[number], *c = &r->a->list.data[call];

	if (c->is_segment || c->caller != number || r->calls->list.data[c->call].parent != a->call)
		return 0;
	for (size_t i = a->call + 1; i < c->call; i++) {
		const struct call *x = &r->calls->list.data[i];
		if (x->parent == a->call && x->begin > a->begin && x->unit == c->unit && x->index == c->index)
			return 0;
	}
	return 1;
}

/* From where the activation begins to the functions that it calls. Its terms were made last. */
static void take_across(struct gather *c, struct gather_function *f, struct called_run *r, struct activation_terms *terms, uint32_t number, uint64_t test)
{
	const struct activation *a = &r->a->list.data[number];
	struct summaries *l = &f->segments;
	const char *reason = NULL;

	for (uint32_t i = number + 1; i < r->a->list.size && r->a->list.data[i].begin < a->end && f->across < MOST_ACROSS && !deadline_cut(); i++) {
		struct gather_function *g = is_first_call(r, number, i) ? function_at(c, r->a->list.data[i].unit, r->a->list.data[i].index) : NULL;
		for (int loop = 0; loop < 2 && g && g != f && g->f.body && f->f.body && g->unit == f->unit; loop++) {
			if ((loop && !g->f.cuts) || l->all.size >= MOST_SEGMENTS || !summary_across(l, r, terms, &f->f, number, &g->f, i, loop, &reason))
				continue;
			struct summary *s = &vec_last(&l->all);
			s->test = test;
			s->input = hash128(r->data, r->size);
			s->called = 1;
			if (map_set(&f->segment_numbers, digest(l, s), l->all.size)) {
				f->across++;
			} else {
				summary_release(s);
				l->all.size--;
			}
		}
	}
}

/* The number of the summary of a segment; GATHER_NONE: there is none. */
static uint32_t make_segment(struct gather_function *f, struct called_run *r, uint32_t number, uint64_t test)
{
	struct summaries *l = &f->segments;
	const char *reason = NULL;
	uint64_t known = 0;

	if (!f->f.cuts || l->all.size >= MOST_SEGMENTS)
		return GATHER_NONE;
	if (!summary_called(l, r, &f->f, number, &reason))
		return GATHER_NONE;
	struct summary *s = &vec_last(&l->all);
	s->test = test;
	s->input = hash128(r->data, r->size);
	s->called = 1;
	uint64_t d = digest(l, s);
	if (map_get(&f->segment_numbers, d, &known)) {
		summary_release(s);
		l->all.size--;
		return (uint32_t)known - 1;
	}
	map_set(&f->segment_numbers, d, l->all.size);
	return (uint32_t)l->all.size - 1;
}

/* All segments of an activation, one after the other; one that is not cut is a single part (made: its terms are there). */
static void take_segments(struct gather *c, struct called_run *r, struct activation_terms *terms, uint32_t number, uint64_t test, uint32_t call, int made)
{
	const struct activation *a = &r->a->list.data[number];
	struct gather_function *f = function_at(c, a->unit, a->index);

	if (f && !f->f.cuts && f->across < MOST_ACROSS) {
		r->pool = made ? r->pool : activation_terms_make(terms, number, GATHER_TERMS);
		take_across(c, f, r, terms, number, test);
	}
	for (uint32_t i = number + 1; f && f->f.cuts && i < r->a->list.size && f->steps.size < MOST_STEPS && !deadline_cut(); i++) {
		const struct activation *x = &r->a->list.data[i];
		if (x->begin > a->end)
			break;
		if (!x->is_segment || x->caller != number)
			continue;
		r->pool = activation_terms_make(terms, i, GATHER_TERMS);
		vec_push(&f->steps, ((struct gather_step){test, call, make_segment(f, r, i, test)}));
		take_across(c, f, r, terms, i, test);
	}
}

/* The summary of the whole call. 1: its terms were made. */
static int take(struct gather *c, struct called_run *r, struct activation_terms *terms, uint32_t number, uint64_t test)
{
	const struct activation *a = &r->a->list.data[number];
	struct gather_function *f = function_at(c, a->unit, a->index);
	const char *reason = NULL;

	if (!f || f->full || f->only_segments)
		return 0;
	f->calls++;
	r->pool = activation_terms_make(terms, number, GATHER_TERMS);
	if (!summary_called(&f->list, r, &f->f, number, &reason)) {
		f->without++;
		f->reason = reason;
		return 1;
	}
	struct summary *s = &vec_last(&f->list.all);
	s->test = test;
	s->input = hash128(r->data, r->size);
	s->called = 1;
	if (!map_set(&f->seen, digest(&f->list, s), 1)) {
		summary_release(s);
		f->list.all.size--;
	}
	f->full = f->list.all.size >= MOST;
	return 1;
}

static void read_run(struct gather *c, const struct trace *t, const void *data, size_t size, uint64_t test)
{
	struct calls calls;
	struct activations a;

	if (!calls_read(&calls, t)) {
		if (!activations_scan(&a, t, &calls, MUSTER_FEW_PARTS)) {
			struct called_run r = {.t = t, .calls = &calls, .a = &a, .sites = &c->target.sites, .data = data, .size = size, .broken = UINT64_MAX};
			struct activation_terms *terms = activation_terms_new(&a, t, &calls, size);
			struct map often = {0};
			uint64_t n = 0, looked = 0;
			int known = !c->judge || c->judge(c->ctx, t, &r);
			for (uint32_t i = 0; i < a.list.size && known && looked < MOST_CALLS && !deadline_cut(); i++) {
				if (a.list.data[i].is_segment)
					continue;
				map_get(&often, (uint64_t)a.list.data[i].unit << 32 | a.list.data[i].index, (n = 0, &n));
				if (n >= MUSTER_FEW)
					continue;
				map_set(&often, (uint64_t)a.list.data[i].unit << 32 | a.list.data[i].index, n + 1);
				looked++;
				int made = take(c, &r, terms, i, test);
				if (c->segments)
					take_segments(c, &r, terms, i, test, (uint32_t)n, made);
				activation_clear(&a.list.data[i]);
			}
			activation_terms_free(terms);
			map_release(&often);
			activations_release(&a);
		}
		calls_release(&calls);
	}
}

/* 1: there is a trace; 0: there is none; -1: the program cannot be run. */
static int run_traced(struct gather *c, const void *data, size_t size, struct run_result *r, struct trace *t)
{
	struct launch_input in = target_input(c->argv, data, size, NULL);

	if (!c->launcher && !(c->launcher = launcher_new(&c->target.options)))
		return -1;
	if (launcher_run(c->launcher, &in, r))
		return -1;
	c->runs++;
	int killed = r->end != RUN_EXIT && (r->end != RUN_SIGNAL || r->signal == SIGKILL);
	if (r->end == RUN_FAILED || r->end == RUN_CUT || r->counts.state == MUSTER_STATE_FAILED || killed || trace_open(t, &c->target.shm, 0)) {
		c->lost++;
		return 0;
	}
	return 1;
}

int gather_run(struct gather *c, const void *data, size_t size, uint64_t test)
{
	struct run_result r;
	struct trace t;
	int there = run_traced(c, data, size, &r, &t);

	if (there <= 0)
		return there;
	read_run(c, &t, data, size, test);
	trace_release(&t);
	return 0;
}

struct gather_function *gather_function_of(struct gather *c, const struct activation *a)
{
	return function_at(c, a->unit, a->index);
}

int gather_show(struct gather *c, const void *data, size_t size, gather_look *look, void *ctx)
{
	struct run_result ended;
	struct trace t;
	struct calls calls;
	struct activations a;
	int there = run_traced(c, data, size, &ended, &t);

	if (there <= 0)
		return there;
	if (!calls_read(&calls, &t)) {
		if (!activations_scan(&a, &t, &calls, MUSTER_FEW_PARTS)) {
			struct called_run r = {.t = &t, .calls = &calls, .a = &a, .sites = &c->target.sites, .data = data, .size = size, .broken = UINT64_MAX};
			struct activation_terms *terms = activation_terms_new(&a, &t, &calls, size);
			look(ctx, &r, terms, &ended);
			activation_terms_free(terms);
			activations_release(&a);
		}
		calls_release(&calls);
	}
	trace_release(&t);
	return 0;
}

void gather_release(struct gather *c)
{
	for (size_t i = 0; i < c->functions.size; i++) {
		summaries_release(&c->functions.data[i].list);
		map_release(&c->functions.data[i].seen);
		summaries_release(&c->functions.data[i].segments);
		map_release(&c->functions.data[i].segment_numbers);
		vec_release(&c->functions.data[i].steps);
	}
	vec_release(&c->functions);
	launcher_free(c->launcher);
	target_release(&c->target);
}
