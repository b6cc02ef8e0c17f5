/* summarise.c: must summaries of the functions that `muster test` searched (--summaries).
 *
 * Every test is run once more in the trace variant, with the memory of the call told before and after it. What the run says and what the san variant found about the same input
 * must agree on whether the function returned; else there is no summary. Tests of functions that call others run once more in the calls variant, for summaries of the callees as they are called. Summaries of a
 * function are simplified, joined, and replace those that the store had of it.
 */
#include "base/deadline.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "build/join.h"
#include "campaign/summaries.h"
#include "unit/reuse.h"
#include "unit/sample.h"
#include "unit/sample_segments.h"
#include "unit/summarise_inside.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Where a harness's limit means that something is read or written that has no place. */
#define HIDDEN_LIMITS                                                                                                                   \
	(1u << HARNESS_STUBS | 1u << HARNESS_MEMORY | 1u << HARNESS_WEAK | 1u << HARNESS_WORLD | 1u << HARNESS_MACHINE | 1u << HARNESS_UNION | 1u << HARNESS_OPAQUE | \
	 1u << HARNESS_LARGER | 1u << HARNESS_STATICS | 1u << HARNESS_LARGE_GLOBALS | 1u << HARNESS_UNNAMED | 1u << HARNESS_FOREIGN_GLOBALS |  \
	 1u << HARNESS_VOLATILE | 1u << HARNESS_JUMPS | 1u << HARNESS_ADDRESSES | 1u << HARNESS_VARIADIC)

#define QUERY_SECONDS 0.5 /* with --time: of a question whose answer only makes a summary shorter */
#define GATHER_SHARE 0.5   /* of the time that is left: runs of callers, for their callees */

/* ------------------------------------------------------------- one run */

static const expr_t *terms_of(struct making *m, const struct trace *t, uint32_t data, size_t size)
{
	const uint8_t *bytes = trace_data_bytes(t, data);
	const uint32_t *cells = trace_data_cells(t, data);
	expr_t *terms = arena_alloc(&m->arena, (size + 1) * sizeof *terms);

	for (size_t i = 0; i < size; i++) {
		uint32_t label = cells ? MUSTER_CELL_LABEL(cells[i]) : 0;
		terms[i] = label ? expr_extract(m->l->pool, import_label(&m->import, label), MUSTER_CELL_BYTE(cells[i]) * 8, 8)
				 : expr_const(m->l->pool, 8, bytes[i]);
	}
	return terms;
}

/* Conditions and memory of the run; what is lost in it stands in why. */
static void read_run(struct making *m, const struct trace *t)
{
	vec_clear(&m->conditions);
	vec_clear(&m->memory);
	m->path.exact = 1;
	m->path.checks = m->s->o->checks;
	covering_read(m, t);
	path_read(&m->path, t, &m->sites, NULL, 0);
	covering_bind(m);
	for (size_t i = 0; i < m->path.steps.size; i++) {
		const struct path_step *s = &m->path.steps.data[i];
		vec_push(&m->conditions, (struct driven_condition){path_constraint(s, &m->import, &m->sites), s->kind == MUSTER_EV_BOUND});
	}
	for (uint64_t i = 0; i < t->event_count; i++) {
		const struct muster_event *e = &t->events[i];
		if (e->kind != MUSTER_EV_MEMORY)
			continue;
		size_t size = t->nodes[e->label].k;
		vec_push(&m->memory, (struct driven_memory){.what = e->arg, .after = e->unit, .number = e->index, .bytes = trace_data_bytes(t, e->label),
							    .cells = trace_data_cells(t, e->label), .terms = terms_of(m, t, e->label, size), .size = size});
	}
}

static void note(struct making *m, const char *words)
{
	buf_addf(&m->why, "%s%s", m->why.size ? "; " : "", words);
}

/* Whether memory can be had is an input that has no place. */
static int allocates(const struct making *m)
{
	static const char *const names[] = {"malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "posix_memalign", "strdup", "strndup", "asprintf", "vasprintf", "getline"};
	const struct front *front = m->s->driven.front;
	struct front_reach reach = {0};
	int found = 0;

	front_reach(front, (uint32_t)(m->f->front - front->functions.data), &reach);
	for (size_t i = 0; i < reach.functions.size; i++) {
		const struct front_function *g = &front->functions.data[reach.functions.data[i]];
		for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
			found |= !g->defined && !strcmp(g->name, names[k]);
			for (size_t b = 0; b < g->builtins.size; b++)
				found |= !strncmp(g->builtins.data[b], "__builtin_", 10) && !strcmp(g->builtins.data[b] + 10, names[k]);
		}
	}
	vec_release(&reach.functions);
	vec_release(&reach.globals);
	return found;
}

static void find_missing(struct making *m)
{
	const struct path *p = &m->path;

	buf_clear(&m->why);
	if (allocates(m))
		note(m, "allocations are taken to succeed");
	for (unsigned i = 0; i < HARNESS_LIMIT_COUNT; i++)
		if (m->f->harness->limits & HIDDEN_LIMITS & 1u << i)
			note(m, harness_limit_words((enum harness_limit)i));
	if (m->s->driven.harness->options.globals_initial)
		note(m, "globals have the values that the program starts with");
	if (p->stale || p->unseen)
		note(m, "data came without labels");
	if (p->orders)
		note(m, "an address is used as a number");
	if (p->threads)
		note(m, "threads and processes are not followed");
}

static int has_returned(const struct making *m)
{
	for (size_t i = 0; i < m->memory.size; i++)
		if (m->memory.data[i].after && m->memory.data[i].what == MUSTER_MEMORY_ADDRESS)
			return 1;
	return 0;
}

static void add_reached(struct making *m, struct summary *s)
{
	struct front_reach reach = {0};
	const struct front *front = m->s->driven.front;

	vec_push(&s->functions, s->function);
	front_reach(front, (uint32_t)(m->f->front - front->functions.data), &reach);
	for (size_t i = 0; i < reach.functions.size; i++) {
		const struct front_function *g = &front->functions.data[reach.functions.data[i]];
		if (g != m->f->front && g->defined)
			vec_push(&s->functions, arena_strdup(&m->l->arena, g->name));
	}
	vec_release(&reach.functions);
	vec_release(&reach.globals);
}

/* The first check that the run broke: what comes after it is not the program's any more, so P ends there. 0: it broke none. */
static int cut_at_failure(struct making *m, const struct trace *t, struct driven_run *r)
{
	for (size_t i = 0; i < m->path.steps.size; i++) {
		const struct path_step *s = &m->path.steps.data[i];
		const struct muster_event *e = &t->events[s->event];
		struct site site;

		if (!path_broke(s) || s->free)
			continue;
		r->failure = checker_get(s->checker)->name;
		if (site_find(&m->target->sites, e->unit, e->index, &site))
			r->end_line = site.line;
		m->conditions.size = i + 1;
		return 1;
	}
	return 0;
}

/* Do the san variant and the trace agree on how the test ended? 0: nothing can be said. */
static int how_it_ended(struct making *m, const struct trace *t, const struct test_case *c, struct driven_run *r)
{
	r->end_line = m->f->front->end_line;
	if (c->hidden)
		return 0;
	if (cut_at_failure(m, t, r))
		return c->failed;
	r->returned = has_returned(m);
	r->failure = "crash";
	if (!r->returned)
		r->end_line = 0;
	return r->returned ? c->passed : c->failed;
}

/* What setjmp writes says where the run stood, which is no place, and where longjmp goes is not modelled. */
static int may_jump(const struct making *m)
{
	const struct front *front = m->s->driven.front;
	struct front_reach reach = {0};
	int found = 0;

	front_reach(front, (uint32_t)(m->f->front - front->functions.data), &reach);
	for (size_t i = 0; i < reach.functions.size; i++) {
		const struct front_function *g = &front->functions.data[reach.functions.data[i]];
		found |= !g->defined && (strstr(g->name, "setjmp") || strstr(g->name, "longjmp"));
	}
	vec_release(&reach.functions);
	vec_release(&reach.globals);
	return found;
}

static void make_of(struct making *m, const struct trace *t, const struct test_case *c)
{
	const char *reason = NULL;
	struct driven_run r = {.h = m->s->driven.harness, .number = m->f->harness->number, .name = m->f->name, .data = c->data, .size = c->size, .line = m->f->front->line};

	import_init(&m->import, t, m->l->pool, c->size);
	read_run(m, t);
	if (!m->path.cut && !m->path.assumed && !m->inexact && how_it_ended(m, t, c, &r)) {
		find_missing(m);
		r.conditions = m->conditions.data, r.condition_count = m->conditions.size;
		r.memory = m->memory.data, r.memory_count = m->memory.size;
		r.why = m->why.size ? buf_str(&m->why) : NULL;
		if (summary_driven(m->l, &r, &reason)) {
			struct summary *s = &vec_last(&m->l->all);
			s->test = c->id;
			s->input = hash128(c->data, c->size);
			add_reached(m, s);
			if (m->quiet && s->addresses && !s->why)
				s->why = CALLED_ADDRESS; /* nothing is simplified for these */
		} else if (!m->quiet) {
			log_warn("%s: no summary of test %llu: %s", m->f->name, (unsigned long long)c->id, reason);
		}
	}
	import_release(&m->import);
	arena_release(&m->arena);
}

int making_run(struct making *m, const struct test_case *c)
{
	struct launch_input in = target_input(m->s->driven.argv, c->data, c->size, NULL);
	struct run_result r;
	struct trace t;

	if (c->flags & (TEST_ASSUMED | TEST_HANG | TEST_WAITS) || may_jump(m))
		return 0;
	if (launcher_run(m->launcher, &in, &r))
		return -1;
	int killed = r.end != RUN_EXIT && (r.end != RUN_SIGNAL || r.signal == SIGKILL);
	if (r.end == RUN_FAILED || r.end == RUN_CUT || r.counts.state == MUSTER_STATE_FAILED || killed || trace_open(&t, &m->target->shm, 0)) {
		if (!m->quiet)
			log_warn("%s: test %llu could not be traced: there is no summary of it", m->f->name, (unsigned long long)c->id);
		return 0;
	}
	make_of(m, &t, c);
	trace_release(&t);
	return 0;
}

/* ---------------------------------------------------------------- store */

/* Segments, and which follows which in which test: pairs of the graph, and the paths that it is made of, by the function's name: a line with the keys, then one for each call: TEST and numbers of keys, - for a
 * part of the path without a summary. */
static int put_segments(struct test_session *s, struct hash128 unit, uint64_t symbol, struct gather_function *f)
{
	struct buf lines = BUF_EMPTY, name = BUF_EMPTY;
	char hex[HASH_HEX_SIZE];
	int e = 0;

	for (size_t i = 0; i < f->segments.all.size && !e; i++) {
		const char *end = f->segments.all.data[i].end_function;
		uint64_t where = symbol;
		e = (end && store_symbol(s->records.store, unit, end, &where)) || summaries_put(s->records.store, symbol, where, &f->segments, &f->segments.all.data[i]) ? -1 : 0;
		buf_addf(&lines, "%s%s", i ? " " : "", hash_hex(f->segments.all.data[i].key, hex));
	}
	for (size_t i = 0; i < f->steps.size && !e; i++) {
		const struct gather_step *x = &f->steps.data[i], *last = i ? x - 1 : NULL;
		int goes_on = last && last->test == x->test && last->call == x->call;
		if (!goes_on)
			buf_addf(&lines, "\n%llu", (unsigned long long)x->test);
		if (x->summary == GATHER_NONE)
			buf_adds(&lines, " -");
		else
			buf_addf(&lines, " %u", x->summary);
		if (goes_on && x->summary != GATHER_NONE && last->summary != GATHER_NONE)
			e = store_edge_add(s->records.store, f->segments.all.data[last->summary].key, f->segments.all.data[x->summary].key);
	}
	buf_addf(&name, "graph %s", f->f.name);
	if (!e && f->steps.size)
		e = store_value_set(s->records.store, s->records.campaign, buf_str(&name), lines.data, lines.size);
	buf_release(&lines);
	buf_release(&name);
	return e;
}

static int keep(struct making *m, struct hash128 unit, const char *function)
{
	struct test_session *s = m->s;
	uint64_t symbol;
	int e = store_begin(s->records.store);

	if (e)
		return -1;
	e = store_symbol(s->records.store, unit, function, &symbol) || store_summary_clear(s->records.store, symbol);
	for (size_t i = 0; i < m->l->all.size && !e; i++)
		e = summaries_put(s->records.store, symbol, symbol, m->l, &m->l->all.data[i]);
	for (size_t i = 0; i < m->calls.functions.size && !e; i++)
		if (!strcmp(m->calls.functions.data[i].f.name, function))
			e = put_segments(s, unit, symbol, &m->calls.functions.data[i]);
	if (e) {
		store_rollback(s->records.store);
		return -1;
	}
	return store_commit(s->records.store);
}

/* What the functions of the session are called in the store. */
static int find_unit(struct making *m, struct hash128 *unit)
{
	struct test_session *s = m->s;
	struct whole *w = m->whole = join_load(s->driven.program);
	char hex[HASH_HEX_SIZE];

	if (!w)
		return -1;
	for (size_t i = 0; i < s->functions.size; i++) {
		uint32_t symbol = whole_find_any(w, s->functions.data[i].name);
		if (symbol != CODE_NONE && w->symbols.data[symbol].unit != CODE_NONE)
			*unit = w->units.data[w->symbols.data[symbol].unit].digest;
	}
	struct hash128 tool;
	if (reuse_tool(&tool))
		return -1;
	hash_hex(tool, hex);
	if (store_value_set(s->records.store, s->records.campaign, REUSE_MAKER, hex, strlen(hex)))
		return -1;
	hash_hex(*unit, hex);
	return store_value_set(s->records.store, s->records.campaign, "unit", hex, strlen(hex));
}

/* -------------------------------------------------------------- functions */

static int input_of(void *ctx, uint64_t test, struct buf *out)
{
	const struct test_function *f = ctx;

	for (size_t i = 0; i < f->tests.size; i++)
		if (f->tests.data[i].id == test) {
			buf_add(out, f->tests.data[i].data, f->tests.data[i].size);
			return 1;
		}
	return 0;
}

static int sample(struct making *m)
{
	struct test_session *s = m->s;
	struct sampling g = {.h = s->driven.harness, .batch = s->check.batch, .number = m->f->harness->number, .name = m->f->name, .l = m->l, .solver = m->solver,
			     .states = s->o->sample, .seed = s->o->seed, .input = input_of, .ctx = m->f};
	int e = s->check.batch ? sampling_run(&g) : 0;

	s->samples.states += g.ran;
	s->samples.none += g.without;
	s->samples.violated += g.violated;
	return e;
}

/* ---------------------------------------------------------------- callees */

/* Where the function is cut into segments: 1; 0: it is not. */
static int find_cuts(struct making *m, struct called_function *out)
{
	struct segment_cuts *cuts = m->s->o->segments ? segment_find_cuts(m->whole, out) : NULL;

	if (cuts)
		vec_push(&m->cuts, cuts);
	return cuts != NULL;
}

/* Functions of the unit that others call, and with segments those that have loops, or call others. */
static int is_called(void *ctx, const struct site_function *site, struct called_function *out)
{
	struct making *m = ctx;
	const struct front *front = m->s->driven.front;
	int number = front_function(front, site->name);

	if (number < 0 || !front->functions.data[number].defined)
		return 0;
	const struct front_function *f = &front->functions.data[number];
	int called = f->address_taken;
	for (size_t i = 0; i < front->functions.size && !called; i++)
		for (size_t k = 0; k < front->functions.data[i].calls.size && !called; k++)
			called = front->functions.data[i].calls.data[k] == (uint32_t)number;
	*out = (struct called_function){.name = f->name, .front = front, .f = f, .line = f->line, .end_line = f->end_line};
	int cut = find_cuts(m, out);
	return called ? 1 : cut || (m->s->o->segments && f->calls.size) ? 2 : 0;
}

/* How a run of the calls variant ended, by its own trace and by the san variant. */
static int judge_call(void *ctx, const struct trace *t, struct called_run *r)
{
	struct making *m = ctx;
	const struct test_case *c = m->now;
	int returned = 0;

	m->path.exact = 1;
	m->path.checks = m->s->o->checks;
	path_read(&m->path, t, &m->call_sites, NULL, 0);
	if (c->hidden || m->path.cut || m->path.assumed)
		return 0;
	for (size_t i = 0; i < m->path.steps.size; i++) {
		const struct path_step *s = &m->path.steps.data[i];
		struct site site;

		if (!path_broke(s) || s->free)
			continue;
		r->broken = s->event;
		r->failure = checker_get(s->checker)->name;
		if (site_find(&m->calls.target.sites, t->events[s->event].unit, t->events[s->event].index, &site))
			r->failure_line = site.line;
		return c->failed;
	}
	for (uint64_t i = 0; i < t->event_count; i++)
		returned |= t->events[i].kind == MUSTER_EV_MEMORY && t->events[i].unit && t->events[i].arg == MUSTER_MEMORY_ADDRESS;
	if (returned)
		return c->passed;
	r->broken = t->event_count;
	r->failure = "crash";
	return c->failed;
}

/* Tests of functions that call others. */
static int gather_called(struct making *m)
{
	struct test_session *s = m->s;
	struct target_options o = TARGET_DEFAULTS;
	int e;

	o.time = s->o->run_time * 8;
	o.shm.events = 1 << 20;
	o.shm.nodes = 1 << 22;
	o.shm.table_limit = 4096;
	o.shm.flags = MUSTER_FLAG_MEMORY;
	m->calls.segments = s->o->segments;
	if (gather_open(&m->calls, s->driven.program, s->driven.argv, &o))
		return -1;
	m->calls.target.options.directory = s->driven.scratch;
	m->calls.wanted = is_called;
	m->calls.judge = judge_call;
	m->calls.ctx = m;
	sites_init(&m->call_sites, &m->calls.target.sites);
	double left = deadline_left(), until = isinf(left) ? 0 : deadline_clock() + GATHER_SHARE * left;
	e = gather_name(&m->calls);
	for (size_t i = 0; i < s->functions.size && !e && m->calls.functions.size; i++) {
		const struct test_function *f = &s->functions.data[i];
		if (f->harness->number == UINT32_MAX || !(f->front->calls.size || f->front->calls_pointer || s->o->segments))
			continue;
		for (size_t k = 0; k < f->tests.size && !e && !test_late(s) && (!until || deadline_clock() < until); k++) {
			m->now = &f->tests.data[k];
			if (!(m->now->flags & (TEST_ASSUMED | TEST_HANG | TEST_WAITS)))
				e = gather_name(&m->calls) || gather_run(&m->calls, m->now->data, m->now->size, m->now->id) ? -1 : 0;
		}
	}
	return e;
}

/* To the list of the function that is made: what its callers' runs gave. */
static void add_called(struct making *m)
{
	for (size_t i = 0; i < m->calls.functions.size; i++) {
		const struct gather_function *f = &m->calls.functions.data[i];
		for (size_t k = 0; k < f->list.all.size && f->f.f == m->f->front; k++)
			summary_copy(m->l, &f->list, &f->list.all.data[k]);
	}
}

/* Of the time that is left, what one of `left` functions may have: no more than twice its part, so that one that takes long leaves something for the others. 0: there is no limit. */
static double share(size_t left)
{
	double seconds = deadline_left();

	return isinf(seconds) ? 0 : deadline_clock() + 2 * seconds / (double)(left + 2);
}

static void shorten(struct making *m)
{
	for (size_t i = 0; i < m->l->all.size; i++)
		summary_simplify(m->l, &m->l->all.data[i], m->solver);
	summaries_join(m->l, m->solver, NULL);
}

static void join_segments(struct making *m, struct gather_function *f)
{
	uint32_t *moved = mem_alloc((f->segments.all.size + 1) * sizeof *moved);

	for (size_t k = 0; k < f->segments.all.size; k++)
		summary_simplify(&f->segments, &f->segments.all.data[k], m->solver);
	summaries_join(&f->segments, m->solver, moved);
	for (size_t k = 0; k < f->steps.size; k++)
		if (f->steps.data[k].summary != GATHER_NONE)
			f->steps.data[k].summary = moved[f->steps.data[k].summary];
	free(moved);
}

/* Of the test of a segment, whichever function it is one of. */
static int input_of_segment(void *ctx, const struct summary *x, struct buf *out)
{
	const struct test_session *s = ctx;

	for (size_t i = 0; i < s->functions.size; i++)
		for (size_t k = 0; k < s->functions.data[i].tests.size; k++) {
			const struct test_case *c = &s->functions.data[i].tests.data[k];
			struct hash128 h = c->id == x->test ? hash128(c->data, c->size) : (struct hash128){0};
			if (c->id == x->test && h.a == x->input.a && h.b == x->input.b) {
				buf_add(out, c->data, c->size);
				return 1;
			}
		}
	return 0;
}

static int sample_segments(struct making *m, struct gather_function *f)
{
	struct test_session *s = m->s;
	struct segment_sampling g = {.c = &m->calls, .f = f, .l = &f->segments, .solver = m->solver, .sites = &m->call_sites, .checks = s->o->checks, .states = s->o->sample, .seed = s->o->seed,
				     .input = input_of_segment, .ctx = s};
	int e = segment_sampling_run(&g);

	s->samples.states += g.ran;
	s->samples.none += g.without;
	s->samples.violated += g.violated;
	return e;
}

/* Of all functions, when all runs are over. */
static int shorten_segments(struct making *m)
{
	int e = 0;

	for (size_t i = 0; i < m->calls.functions.size && !e; i++) {
		struct gather_function *f = &m->calls.functions.data[i];
		f->segments.until = share(m->calls.functions.size - i + m->s->functions.size);
		join_segments(m, f);
		e = m->s->o->sample ? sample_segments(m, f) : 0;
	}
	return e;
}

static int of_function(struct making *m, struct hash128 unit, size_t left)
{
	struct summaries l;
	int e = 0;
	double until = share(left);

	summaries_init(&l);
	l.until = until;
	m->l = &l;
	size_t done = 0, judged = 0;
	for (; done < m->f->tests.size && !e && !test_late(m->s) && (!done || !until || deadline_clock() < until); done++) {
		const struct test_case *c = &m->f->tests.data[done];
		judged += c->passed || c->failed || c->hidden || c->flags & (TEST_ASSUMED | TEST_HANG | TEST_WAITS);
		e = making_run(m, c);
	}
	if (!e)
		e = covering_run(m);
	m->cut += judged < m->f->tests.size && m->s->o->seconds > 0;
	add_called(m);
	shorten(m);
	m->f->summaries = l.all.size;
	for (size_t i = 0; i < l.all.size; i++)
		m->f->partial_summaries += l.all.data[i].why != NULL;
	if (!e)
		e = keep(m, unit, m->f->name);
	if (!e && m->s->o->sample)
		e = sample(m);
	summaries_release(&l);
	return e;
}

static void release_making(struct making *m)
{
	sites_release(&m->call_sites);
	covering_close(m);
	sites_release(&m->sites);
	path_release(&m->path);
	vec_release(&m->conditions);
	vec_release(&m->memory);
	buf_release(&m->why);
	for (size_t i = 0; i < m->cuts.size; i++) {
		segment_cuts_release(m->cuts.data[i]);
		free(m->cuts.data[i]);
	}
	vec_release(&m->cuts);
	whole_free(m->whole);
}

int test_summarise(struct test_session *s, struct test_function *f, const struct test_case *tests, size_t count, struct summaries *l)
{
	struct making m = {.s = s, .f = f, .l = l, .quiet = 1};
	int e = test_open_tracer(s);

	if (e)
		return -1;
	sites_init(&m.sites, &s->check.trace.sites);
	m.target = &s->check.trace, m.launcher = s->check.tracer;
	for (size_t i = 0; i < count && !e && !test_late(s); i++)
		e = making_run(&m, &tests[i]);
	release_making(&m);
	return e;
}

static int is_searched(const struct test_session *s, const struct front_function *f)
{
	for (size_t i = 0; i < s->functions.size; i++)
		if (s->functions.data[i].front == f && s->functions.data[i].harness->number != UINT32_MAX && s->functions.data[i].tests.size)
			return 1;
	return 0;
}

int test_summaries(struct test_session *s)
{
	struct making m = {.s = s};
	struct solve_options so = {.conflicts = 2000, .no_cache = 1, .seconds = s->o->seconds > 0 ? QUERY_SECONDS : 0};
	struct hash128 unit = {0};
	int e = 0;

	if (!s->o->summaries || !s->records.store)
		return 0;
	if (test_open_tracer(s) || find_unit(&m, &unit)) {
		release_making(&m);
		return -1;
	}
	m.solver = solver_new(&so);
	sites_init(&m.sites, &s->check.trace.sites);
	m.target = &s->check.trace, m.launcher = s->check.tracer;
	e = gather_called(&m);
	if (!e)
		e = shorten_segments(&m);
	for (size_t i = 0; i < s->functions.size && !e; i++) {
		m.f = &s->functions.data[i];
		if (m.f->harness->number != UINT32_MAX && m.f->tests.size && !m.f->helper)
			e = of_function(&m, unit, s->functions.size - i);
	}
	for (size_t i = 0; i < m.calls.functions.size && !e; i++)
		if (!is_searched(s, m.calls.functions.data[i].f.f)) {
			m.l = &m.calls.functions.data[i].list;
			m.l->until = share(m.calls.functions.size - i);
			shorten(&m);
			e = keep(&m, unit, m.calls.functions.data[i].f.name);
		}
	gather_release(&m.calls);
	release_making(&m);
	solver_free(m.solver);
	if (!e && m.cut)
		log_warn("%zu of %zu functions have not all their summaries: the time was over before each of their tests was checked and traced again (--time)", m.cut, s->functions.size);
	if (!e && s->o->sample)
		log_info("%llu states of summaries were run, %llu summaries could not be sampled", (unsigned long long)s->samples.states, (unsigned long long)s->samples.none);
	if (!e && s->samples.violated)
		return error_set("%llu of %llu states of summaries did not end as their postcondition says: a defect of muster's", (unsigned long long)s->samples.violated,
				 (unsigned long long)s->samples.states);
	return e;
}
