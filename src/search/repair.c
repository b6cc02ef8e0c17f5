/* repair.c: leads a candidate back to what an accepted input does, by its own trace.
 *
 * The accepted input takes a set of outcomes. An outcome of the candidate's that is not among them is where it was turned away: a length that is
 * too large, a sum that is wrong. The first of these is negated: the solver gets the decisions before it as they were, the number of bytes as it is, and the
 * wanted outcome, and the fields that it changes make the next candidate, whose trace says how far that one comes. Where the answer is no,
 * what the trace fixed before is left out (memcpy with a length pins it), then decisions before are negated
 * instead: the end of a loop over a count comes earlier. When nothing is foreign any more, outcomes that
 * the accepted input takes and the candidate does not are asked for in the same way, from the end of the path.
 *
 * Decisions are compared by place and outcome, not one by one: a loop over fewer bytes is a shorter path, and that is the purpose.
 *
 * Invariant: nothing is claimed. An answer that left something out, or a trace that is wrong, costs a run of the caller's.
 */
#include "search/repair.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/map.h"
#include "base/mem.h"
#include "search/fields.h"
#include "search/path.h"
#include "solve/solve.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS LIMIT(12, 1) /* proposals for one candidate, each from the trace of the one before | a length, a sum and what they enclose, some levels deep */
#define TURNS LIMIT(8, 1) /* decisions of one trace that are asked about | tries */
#define STEPS LIMIT(20000, 40) /* steps of a path that is looked at | tens of milliseconds */
#define WORK LIMIT(20000000ull, 2000ull) /* steps that join a prefix, over all repairs of one input | about ten seconds */
#define USELESS LIMIT(8, 1) /* traces that say nothing: too long, or ended at a limit, and then nothing more is repaired | each may take as long as a run may */
#define CONFLICTS 2000 /* of the SAT solver for a question | fields are found by copying; sums over some bytes need few */
#define QUERY_WORK LIMIT(10000000ull, 1000ull) /* and its conflicts times variables | about half a second */

struct repair {
	const struct target *target;
	struct launcher *launcher;
	struct solver *solver;
	struct sites sites;
	struct map wanted; /* outcomes of the accepted input, by decision */
	struct path path;  /* of the candidate */
	struct map taken;  /* its outcomes */
	fields_list fields; /* of the accepted input */
	uint64_t traces, limit, work;
};

/* The candidate's run, and where to turn it. */
struct run {
	struct trace trace;
	const struct buf *data;
	struct exprs *pool;
	struct import import;
	size_t end; /* steps up to the first foreign outcome, which is the last of them; all, if there is none */
	int foreign;
	VEC(struct turn { size_t step; uint32_t outcome; }) turns;
};

struct repair *repair_new(const struct target *trace)
{
	struct solve_options o = {.conflicts = CONFLICTS, .work = QUERY_WORK, .no_z3 = 1, .no_optimistic = 1};
	struct repair *r = mem_zalloc(sizeof *r);
	r->target = trace;
	r->limit = UINT64_MAX;
	r->launcher = launcher_new(&trace->options);
	if (!r->launcher) {
		free(r);
		return NULL;
	}
	r->solver = solver_new(&o);
	sites_init(&r->sites, &trace->sites);
	return r;
}

void repair_free(struct repair *r)
{
	if (!r)
		return;
	launcher_free(r->launcher);
	solver_free(r->solver);
	sites_release(&r->sites);
	map_release(&r->wanted);
	map_release(&r->taken);
	path_release(&r->path);
	vec_release(&r->fields);
	free(r);
}

uint64_t repair_traces(const struct repair *r)
{
	return r->traces;
}

void repair_limit(struct repair *r, uint64_t traces)
{
	r->limit = traces;
}

static int may_go_on(const struct repair *r)
{
	return r->work < WORK && r->traces < r->limit;
}

/* ------------------------------------------------------------------ traces */

static uint64_t key(uint32_t site, uint32_t outcome)
{
	return (uint64_t)site << 32 | outcome;
}

static void note_taken(const struct path *p, struct map *to)
{
	map_release(to);
	for (size_t i = 0; i < p->steps.size; i++)
		if (path_decides(&p->steps.data[i]))
			map_set(to, key(p->steps.data[i].site, p->steps.data[i].outcome), 1);
}

static int useless(struct repair *r)
{
	r->work += WORK / USELESS;
	return 0;
}

/* 1 with *t open and the path read; 0: there is none that helps; -1. */
static int trace_of(struct repair *r, const void *data, size_t size, struct trace *t)
{
	struct launch_input in = target_input(r->target->options.argv, data, size, NULL);
	struct run_result run;
	r->traces++;
	if (launcher_run(r->launcher, &in, &run) || target_started(&run))
		return -1;
	if (run.end == RUN_CUT || trace_open(t, &r->target->shm, run.end != RUN_EXIT && (run.end != RUN_SIGNAL || run.signal == SIGKILL)))
		return useless(r);
	path_read(&r->path, t, &r->sites, NULL, STEPS);
	r->work += r->path.steps.size;
	if (!r->path.cut)
		return 1;
	trace_release(t);
	return useless(r);
}

static void learn_fields(struct repair *r, const struct trace *t, size_t size)
{
	struct exprs *pool = exprs_new();
	struct import im;
	import_init(&im, t, pool, size);
	fields_read(&r->fields, &r->path, &im);
	import_release(&im);
	exprs_free(pool);
}

int repair_learn(struct repair *r, const void *data, size_t size)
{
	struct trace t;
	map_release(&r->wanted);
	vec_clear(&r->fields);
	int got = may_go_on(r) ? trace_of(r, data, size, &t) : 0;
	if (got <= 0)
		return got;
	note_taken(&r->path, &r->wanted);
	learn_fields(r, &t, size);
	trace_release(&t);
	return r->path.decisions != 0;
}

unsigned repair_lengths(const struct repair *r, const struct buf *data, size_t from, size_t to, struct buf *next)
{
	return fields_lower(&r->fields, data, from, to, next);
}

/* ------------------------------------------------------------------- turns */

static int is_wanted(const struct repair *r, uint32_t site, uint32_t outcome)
{
	return map_get(&r->wanted, key(site, outcome), NULL);
}

/* Turns at a step: other outcomes of it that the accepted input takes; missing: only those that the candidate takes nowhere. */
static void add_turns(const struct repair *r, struct run *c, size_t step, int missing)
{
	const struct path_step *s = &r->path.steps.data[step];
	uint32_t outcomes = r->sites.decisions.data[s->site].outcomes;
	if (!path_decides(s))
		return;
	for (uint32_t i = 0; i < outcomes && c->turns.size < TURNS; i++)
		if (i != s->outcome && is_wanted(r, s->site, i) && !(missing && map_get(&r->taken, key(s->site, i), NULL)))
			vec_push(&c->turns, (struct turn){step, i});
}

static void find_turns(struct repair *r, struct run *c)
{
	const struct path *p = &r->path;
	note_taken(p, &r->taken);
	c->end = p->steps.size;
	c->foreign = 0;
	vec_clear(&c->turns);
	for (size_t i = 0; i < p->steps.size && !c->foreign; i++)
		if (path_decides(&p->steps.data[i]) && !is_wanted(r, p->steps.data[i].site, p->steps.data[i].outcome)) {
			c->foreign = 1;
			c->end = i + 1;
		}
	if (c->foreign)
		add_turns(r, c, c->end - 1, 0);
	for (size_t i = c->end; i-- > 0 && c->turns.size < TURNS;)
		add_turns(r, c, i, !c->foreign);
}

/* --------------------------------------------------------------- questions */

static u128 value_in_run(void *ctx, expr_t variable)
{
	const struct run *c = ctx;
	const struct expr_node *n = expr_get(c->pool, variable);
	uint64_t value = 0;
	if (n->op == MUSTER_OP_LENGTH)
		return n->a == 0 ? c->data->size : c->trace.sources[n->a].size;
	if (n->op != MUSTER_OP_INPUT || n->a != 0)
		return 0;
	if (n->k < c->data->size)
		return (uint8_t)c->data->data[n->k];
	map_get(&c->import.beyond, n->k, &value);
	return value;
}

/* The path up to a turn, of inputs of this length. relaxed: its decisions alone. Constraints that the values here do not satisfy (other files) are left out. */
static struct solve_path *prefix(struct repair *r, struct run *c, size_t step, int relaxed)
{
	struct solve_path *p = solve_path_new(r->solver, c->pool, value_in_run, c);
	solve_path_add(p, expr_eq(c->pool, expr_length(c->pool, 0), expr_const(c->pool, 64, c->data->size)));
	for (size_t i = 0; i < step; i++)
		if (!relaxed || path_decides(&r->path.steps.data[i]))
			solve_path_add(p, path_constraint(&r->path.steps.data[i], &c->import, &r->sites));
	r->work += step;
	return p;
}

static int build(const struct run *c, const struct solve_model *m, struct buf *out)
{
	int changed = 0;
	buf_clear(out);
	buf_add(out, c->data->data, c->data->size);
	for (size_t i = 0; i < m->values.size; i++) {
		const struct solve_value *v = &m->values.data[i];
		if (v->op != MUSTER_OP_INPUT || v->source != 0 || v->index >= out->size)
			continue;
		changed |= out->data[v->index] != (char)v->value;
		out->data[v->index] = (char)v->value;
	}
	return changed;
}

/* Is there an input that turns here? 1 with *out. */
static int solve_turn(struct repair *r, struct run *c, const struct turn *turn, int relaxed, struct buf *out)
{
	struct solve_model m = {0};
	struct solve_path *p = prefix(r, c, turn->step, relaxed);
	expr_t goal = path_goal(&r->path.steps.data[turn->step], turn->outcome, &c->import, &r->sites);
	int solved = solve_path_query(p, goal, &m) == VERDICT_SAT && build(c, &m, out);
	solve_model_release(&m);
	solve_path_free(p);
	return solved;
}

/* The next candidate, which is not among those seen. 1 with *out. */
static int solve_turns(struct repair *r, struct run *c, struct map *seen, struct buf *out)
{
	int found = 0;
	c->pool = exprs_new();
	import_init(&c->import, &c->trace, c->pool, c->data->size);
	for (size_t i = 0; i < c->turns.size && !found && r->work < WORK; i++)
		for (int relaxed = 0; relaxed < 2 && !found; relaxed++)
			if (solve_turn(r, c, &c->turns.data[i], relaxed, out)) {
				uint64_t h = hash64(out->data, out->size, out->size);
				found = !map_get(seen, h, NULL);
				map_set(seen, h, 1);
			}
	import_release(&c->import);
	exprs_free(c->pool);
	return found;
}

/* One round: *next is traced, tried if it is worth it, and replaced by what the solver makes of it. 1: there is another one; 0: no; 2: try took it; -1. */
static int round_of(struct repair *r, int first, struct buf *next, struct map *seen, int (*try)(void *ctx), void *ctx)
{
	struct buf out = {0};
	struct run c = {.data = next};
	int got = trace_of(r, next->data, next->size, &c.trace), more = 0;
	if (got > 0) {
		find_turns(r, &c);
		more = solve_turns(r, &c, seen, &out);
		trace_release(&c.trace);
	}
	if (got >= 0 && !first && (!c.foreign || !more)) {
		got = try(ctx);
		more = got > 0 ? 2 : more;
	}
	if (more == 1) {
		buf_clear(next);
		buf_add(next, out.data, out.size);
	}
	vec_release(&c.turns);
	buf_release(&out);
	return got < 0 ? -1 : more;
}

int repair_input(struct repair *r, struct buf *next, int (*try)(void *ctx), void *ctx)
{
	struct map seen = {0};
	int more = 1;
	map_set(&seen, hash64(next->data, next->size, next->size), 1);
	for (int i = 0; i < ROUNDS && more == 1 && may_go_on(r); i++)
		more = round_of(r, i == 0, next, &seen, try, ctx);
	if (more == 1) { /* the last one was not traced */
		int got = try(ctx);
		more = got > 0 ? 2 : got;
	}
	map_release(&seen);
	return more < 0 ? -1 : more == 2;
}
