/* merges.c: outcomes that need many decisions of a loop at once, asked for by terms of all its
 * paths.
 *
 * For each function with a loop (or calling one) that a traced run has decisions of, and that has
 * an outcome that no test covers beside one that a test covers: the run is followed from the function's
 * beginning, or, where that does not work, from one of its loops, and all paths through the code are
 * merged (loop_merge.h). The condition of the outcome joins the path up to there as a query; an
 * answer is run in the cov variant. An outcome is asked for again when another run has more
 * decisions of the function to learn from, and a bounded number of times.
 *
 * Nothing here claims anything: a hint that is wrong costs a run.
 */
#include "search/merges.h"

#include "base/limit.h"
#include "ir/entry.h"
#include "loops/loop_merge.h"
#include "search/loop_target.h"
#include "search/loops.h"
#include "search/hint_budget.h"

#include <stdlib.h>
#include <string.h>

#define ASKING_WORK 5e-4 /* what looking at a run counts for in repeatable mode | by hand (weight) */
#define START 0.15 /* seconds for merging that a search begins with | by hand (share) */
#define SHARE 0.05 /* part of its time that merging gets | by hand (share) */
#define TRIES LIMIT(4, 1) /* answers that were run for an outcome | an outcome that four answers missed is missed again */
#define MISSES LIMIT(12, 1) /* queries about merged paths without an answer, then the outcome is not asked for again | three for each of TRIES */
#define QUERY_WORK LIMIT(10000000ull, 1000ull) /* a quarter of the conflicts times variables of a query about an outcome, in the first run that asks; four times as many in each further one | about half a second */
#define HARD LIMIT(2, 1) /* runs that ask without Z3, which no work bounds | what it answers at all of merged loops it answers late */
#define AGAIN LIMIT(3, 1) /* queries about an outcome whatever decisions the run has | other outcomes have their turn */
#define FAILURES LIMIT(60, 1) /* runs that could not be followed through a function | by hand (tries) */
#define FRAMES LIMIT(2, 1) /* activations of a function in one run | later activations show the same code */
#define CALLS LIMIT(4, 1) /* depth to which decisions of callees count as the function's | as loop_merge.c's DEPTH */
/* Forms of the question: one after the other, as long as something is open. */
static const struct {
	unsigned extra;
	int cases;
} attempts[] = {{40, 0}, {40, 1}, {200, 0}};

struct target {
	uint32_t block, outcome;
	uint32_t site; /* in s->sites */
	uint8_t tries, misses;
	uint64_t most;	     /* decisions of the runs that were asked about */
	uint64_t test, turn; /* the last of them, and when */
	unsigned turns;	     /* how many */
};

struct function {
	const struct code_function *f;
	int listed, failures;
	VEC(struct target) targets;
	/* In the run: */
	uint64_t first, count; /* decisions; first is UINT64_MAX: none */
	uint32_t mark;	       /* of sum_up */
};

struct unit {
	const struct code *code;
	struct entries entries;
	struct function *functions; /* by number */
	int touched;
	uint32_t mark;
};

struct merges {
	struct codes *codes;
	struct map by_unit; /* to place in units, + 1 */
	VEC(struct unit *) units;
	uint64_t turn;	    /* calls of merges_ask */
	struct hint_budget budget;
	struct map by_site; /* unit << 32 | ordinal to function's number + 1; 0: no decision */
};

struct merges *merges_new(struct codes *codes)
{
	struct merges *m = mem_zalloc(sizeof *m);
	m->codes = codes;
	return m;
}

void merges_free(struct merges *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->units.size; i++) {
		struct unit *u = m->units.data[i];
		for (uint32_t k = 0; u->code && k < u->code->function_count; k++)
			vec_release(&u->functions[k].targets);
		free(u->functions);
		entries_release(&u->entries);
		free(u);
	}
	vec_release(&m->units);
	map_release(&m->by_unit);
	map_release(&m->by_site);
	free(m);
}

void merges_restart(struct merges *m)
{
	for (size_t i = 0; m && i < m->units.size; i++)
		for (uint32_t k = 0;
		     m->units.data[i]->code && k < m->units.data[i]->code->function_count; k++) {
			struct function *fn = &m->units.data[i]->functions[k];
			fn->failures = 0;
			for (size_t n = 0; n < fn->targets.size; n++)
				fn->targets.data[n].tries = fn->targets.data[n].misses = 0, fn->targets.data[n].turns = 0,
				fn->targets.data[n].most = 0;
		}
}

/* ---------------------------------------------------------------- the run */

static struct unit *unit_of(struct merges *m, uint32_t id)
{
	uint64_t at = 0;
	if (map_get(&m->by_unit, id, &at))
		return m->units.data[at - 1];
	struct unit *u = mem_zalloc(sizeof *u);
	u->code = codes_find(m->codes, id);
	if (u->code) {
		entries_find(&u->entries, u->code);
		u->functions = mem_zalloc((u->code->function_count + 1) * sizeof *u->functions);
		for (uint32_t i = 0; i < u->code->function_count; i++)
			u->functions[i].f = &u->code->functions[i];
	}
	vec_push(&m->units, u);
	map_set(&m->by_unit, id, m->units.size);
	return u;
}

/* The function that has the decision, in *u; NULL: none. */
static struct function *function_at(struct merges *m, const struct muster_event *e, struct unit **u)
{
	uint64_t key = (uint64_t)e->unit << 32 | e->index, at = 0;
	uint32_t value;
	*u = unit_of(m, e->unit);
	if (!(*u)->code)
		return NULL;
	if (!map_get(&m->by_site, key, &at)) {
		const struct code_function *f = code_find_ordinal((*u)->code, e->index, &value);
		at = f && value == code_last(f, f->values[value].block) ? f->number + 1 : 0;
		map_set(&m->by_site, key, at);
	}
	return at ? &(*u)->functions[at - 1] : NULL;
}

static void read_run(struct merges *m, const struct trace *t)
{
	for (size_t i = 0; i < m->units.size; i++) {
		struct unit *u = m->units.data[i];
		for (uint32_t k = 0; u->touched && k < u->code->function_count; k++)
			u->functions[k].first = UINT64_MAX, u->functions[k].count = 0;
		u->touched = 0;
	}
	for (uint64_t i = 0; i < t->event_count; i++) {
		const struct muster_event *e = &t->events[i];
		struct unit *u;
		if ((e->kind != MUSTER_EV_BRANCH && e->kind != MUSTER_EV_SWITCH) || !e->label)
			continue;
		struct function *fn = function_at(m, e, &u);
		if (!fn)
			continue;
		if (!u->touched) {
			for (uint32_t k = 0; k < u->code->function_count; k++)
				u->functions[k].first = UINT64_MAX, u->functions[k].count = 0;
			u->touched = 1;
		}
		if (fn->first == UINT64_MAX)
			fn->first = i;
		fn->count++;
	}
}

/* Decisions of the function and of those that it calls. */
static void sum_up(struct unit *u, const struct code_function *f, unsigned depth, uint64_t *first,
		   uint64_t *count)
{
	struct function *fn = &u->functions[f->number];
	if (fn->mark == u->mark)
		return;
	fn->mark = u->mark;
	if (fn->first < *first)
		*first = fn->first;
	*count += fn->count;
	for (uint32_t i = 0; depth && i < f->callee_count; i++)
		sum_up(u, &u->code->functions[f->callees[i]], depth - 1, first, count);
}

/* ---------------------------------------------------------------- targets */

static void list_targets(struct search *s, struct function *fn)
{
	const struct code_function *f = fn->f;
	fn->listed = 1;
	for (uint32_t b = 0; b < f->block_count; b++) {
		uint32_t site = loop_target_site(s, f, b);
		for (uint32_t k = 0; site != SITES_NOWHERE && k < f->blocks[b].edges; k++)
			vec_push(&fn->targets, (struct target){.block = b, .outcome = k, .site = site});
	}
}

/* ---------------------------------------------------------------- asking */

struct asking {
	struct merges *m;
	struct search *s;
	struct expansion *x;
	struct map on_path; /* sites of decisions; made when it is first asked for */
	struct solve_path *path;
	size_t steps;	     /* of the path, in it */
	unsigned unanswered; /* questions that the solver gave up */
};

static int is_ordinary(struct asking *a, const struct target *t)
{
	if (!a->on_path.size)
		loop_target_path(a->s, &a->on_path);
	return loop_target_is_ordinary(a->s, t->site, t->outcome, &a->on_path);
}

/* A run is asked about once, in all attempts: the path's own constraints wait for it. */
static int is_open(struct asking *a, const struct target *t, uint64_t count)
{
	return t->tries < TRIES && t->misses < MISSES &&
	       (count > t->most || t->turn == a->m->turn ||
		(t->tries + t->misses < AGAIN && t->test != a->x->test->id)) &&
	       loop_target_is_next(a->s, t->site, t->outcome) && !is_ordinary(a, t);
}

static int out_of_time(const struct asking *a)
{
	return hint_budget_left(&a->m->budget, a->s, START, SHARE) <= 0;
}

/* The path up to the event is the prefix. -1: trace and run disagree. */
static int open_path(struct asking *a, uint64_t event)
{
	const struct path *p = &a->s->now.parent;
	if (a->path && a->steps && p->steps.data[a->steps - 1].event >= event) {
		solve_path_free(a->path);
		a->path = NULL;
	}
	if (!a->path) {
		a->path = search_open_path(a->s, a->x);
		a->steps = 0;
	}
	for (; a->steps < p->steps.size && p->steps.data[a->steps].event < event; a->steps++)
		if (solve_path_add(a->path, path_constraint(&p->steps.data[a->steps], &a->x->import,
							    &a->s->sites)) < 0)
			return -1;
	return 0;
}

/* A hint that is hard is given up early, and gets more the next time that a run asks for it: the terms of a merged loop may be a formula on which the SAT solver spends a
 * minute, and Z3, too. */
static enum verdict query(struct asking *a, const struct target *t, expr_t goal, struct solve_model *model)
{
	struct solve_effort effort = {.work = QUERY_WORK << (t->turns < 6 ? 2 * t->turns : 12), .no_z3 = t->turns <= HARD};
	solver_effort(a->s->solver, &effort);
	enum verdict v = solve_path_query(a->path, goal, model);
	solver_effort(a->s->solver, NULL);
	return v;
}

/* 1: the outcome is covered, 0: no, -1, 2: the slice ended. */
static int ask(struct asking *a, struct target *t, expr_t goal, uint64_t count)
{
	struct solve_model model = {0};
	t->turns += t->turn != a->m->turn;
	t->turn = a->m->turn;
	enum verdict v = query(a, t, goal, &model);
	int r = 0, found = v == VERDICT_SAT && search_build_input(a->s, a->x, &model);
	a->unanswered += v == VERDICT_UNKNOWN;
	solve_model_release(&model);
	a->s->stats.loop_asked++;
	t->most = count > t->most ? count : t->most;
	t->test = a->x->test->id;
	t->tries += (uint8_t)found;
	t->misses += (uint8_t)!found;
	if (found && loops_run(a->s, a->x, 0) < 0)
		return -1;
	if (found && loop_target_has(a->s, t->site, t->outcome)) {
		a->s->stats.loop_hits++;
		a->m->budget.hits++;
		r = 1;
	}
	return search_paused(a->s) ? 2 : r;
}

/* Every outcome that is open, with the terms of all paths. 0: some are open yet; 1: none; -1; 2. */
static int ask_all(struct asking *a, struct function *fn, const struct merge *m, uint64_t count)
{
	int left = 0;
	for (size_t i = 0; i < fn->targets.size; i++) {
		struct target *t = &fn->targets.data[i];
		if (!is_open(a, t, count))
			continue;
		expr_t goal = merge_goal(m, fn->f, fn->f->blocks[t->block].first_edge + t->outcome);
		int r = goal == EXPR_NONE || out_of_time(a) ? 0 : ask(a, t, goal, count);
		if (r < 0 || r == 2)
			return r;
		left |= !r;
	}
	return !left;
}

/* From this start. 1: it was followed (and everything asked for), 0: it cannot be; -1, 2. *next:
 * event after it. */
static int ask_from(struct asking *a, struct function *fn, const struct merge_start *start,
		    uint64_t count, uint64_t *next)
{
	struct merge *m = merge_new(start);
	int r = 0;
	int followed = 0;
	*next = start->event + 1;
	if (merge_replay(m) > 0) {
		*next = merge_behind(m) > *next ? merge_behind(m) : *next;
		for (size_t i = 0; i < sizeof attempts / sizeof *attempts && r == 0 && !out_of_time(a);
		     i++) {
			if (attempts[i].cases ? !a->unanswered : i > 0 && !merge_cut(m))
				continue;
			if (merge_run(m, attempts[i].extra, attempts[i].cases))
				break;
			if (!followed && open_path(a, start->event))
				break;
			followed = 1;
			a->unanswered = 0;
			r = ask_all(a, fn, m, count);
		}
	}
	merge_free(m);
	return r ? r : followed;
}

/* What the run reported of an entry at or before the event: the last one that is after `from`. */
static void find_entry(const struct asking *a, const struct unit *u, struct merge_start *start,
		       uint32_t ordinal, uint64_t from)
{
	const struct path *p = &a->s->now.parent;
	const struct muster_event *events = a->x->trace.events;
	for (size_t i = 0; i < p->entries.size && p->entries.data[i].event <= start->event; i++) {
		uint64_t at = p->entries.data[i].event;
		if (at < from || events[at].unit != u->code->unit || events[at].index != ordinal)
			continue;
		for (size_t k = 0; k < u->entries.list.size; k++) {
			const struct entry *e = &u->entries.list.data[k];
			uint32_t n = 0;
			if (e->ordinal != ordinal ||
			    (e->loop == CODE_NONE) != (start->loop == CODE_NONE))
				continue;
			while (at + n < a->x->trace.event_count && n < e->count &&
			       events[at + n].kind == MUSTER_EV_ENTRY &&
			       events[at + n].index == ordinal && events[at + n].arg == n)
				n++;
			if (n != e->count)
				continue;
			start->values = &u->entries.values.data[e->first];
			start->entries = &events[at];
			start->count = n;
			start->event = at;
			return;
		}
	}
}

static int is_foreign(void *ctx, expr_t e)
{
	return search_foreign(ctx, e);
}

static struct merge_start start_of(const struct asking *a, const struct unit *u,
				   const struct function *fn, uint32_t loop, uint64_t event,
				   uint64_t from)
{
	struct merge_start s = {.code = u->code,
				.f = fn->f,
				.loop = loop,
				.import = &a->x->import,
				.value = search_value_in_run,
				.foreign = is_foreign,
				.ctx = a->x,
				.event = event};
	find_entry(a, u, &s,
		   loop == CODE_NONE
		       ? fn->f->first_ordinal
		       : fn->f->values[fn->f->blocks[fn->f->loops[loop].header].first].index,
		   from);
	return s;
}

/* The first decision inside the loop from there on; UINT64_MAX: there is none. */
static uint64_t first_inside(const struct asking *a, const struct unit *u,
			     const struct function *fn, uint32_t loop, uint64_t from)
{
	const struct trace *t = &a->x->trace;
	const struct code_function *f = fn->f;
	for (uint64_t i = from; i < t->event_count; i++) {
		const struct muster_event *e = &t->events[i];
		if ((e->kind == MUSTER_EV_BRANCH || e->kind == MUSTER_EV_SWITCH) &&
		    e->unit == u->code->unit && e->index >= f->first_ordinal &&
		    e->index < f->first_ordinal + f->instructions &&
		    code_in_loop(
			f, loop,
			f->values[f->first_instruction + e->index - f->first_ordinal].block))
			return i;
	}
	return UINT64_MAX;
}

/* 0, 1: the slice ended, -1. */
static int ask_function(struct asking *a, struct unit *u, struct function *fn, uint64_t first,
			uint64_t count)
{
	uint64_t from = 0, next = 0;
	int r = 0;
	for (unsigned n = 0; n < FRAMES && r == 0 && first != UINT64_MAX && !out_of_time(a); n++) {
		struct merge_start start = start_of(a, u, fn, CODE_NONE, first, from);
		r = ask_from(a, fn, &start, count, &next);
		for (uint32_t l = 0; l < fn->f->loop_count && r == 0 && !out_of_time(a); l++) {
			uint64_t inside = fn->f->loops[l].parent == CODE_NONE
					      ? first_inside(a, u, fn, l, first)
					      : UINT64_MAX,
				 behind;
			if (inside == UINT64_MAX)
				continue;
			start = start_of(a, u, fn, l, inside, from);
			r = ask_from(a, fn, &start, count, &behind);
			next = behind > next ? behind : next;
		}
		fn->failures += r == 0;
		from = next;
		for (first = next; first < a->x->trace.event_count; first++) {
			struct unit *other;
			const struct muster_event *e = &a->x->trace.events[first];
			if ((e->kind == MUSTER_EV_BRANCH || e->kind == MUSTER_EV_SWITCH) &&
			    e->label && function_at(a->m, e, &other) == fn)
				break;
		}
		if (first >= a->x->trace.event_count)
			break;
	}
	return r < 0 ? -1 : r == 2;
}

static int ask_unit(struct asking *a, struct unit *u)
{
	struct expansion *x = a->x;
	int r = 0;
	for (uint32_t i = 0; i < u->code->function_count && r == 0 && !out_of_time(a); i++) {
		struct function *fn = &u->functions[i];
		uint64_t first = UINT64_MAX, count = 0;
		int open = 0;
		if (!fn->f->defined || !u->entries.looping.data[i] || fn->failures >= FAILURES)
			continue;
		u->mark++;
		sum_up(u, fn->f, CALLS, &first, &count);
		if (first == UINT64_MAX)
			continue;
		if (!fn->listed)
			list_targets(a->s, fn);
		for (size_t k = 0; k < fn->targets.size && !open; k++)
			open = is_open(a, &fn->targets.data[k], count);
		if (open && !x->pool)
			search_open_import(a->s, x);
		if (open)
			r = ask_function(a, u, fn, first, count);
	}
	return r;
}

int merges_ask(struct merges *m, struct search *s, struct expansion *x)
{
	struct asking a = {.m = m, .s = s, .x = x};
	m->turn++;
	int r = 0;
	if (out_of_time(&a))
		return 0;
	hint_budget_begin(&m->budget, s);
	read_run(m, &x->trace);
	for (size_t i = 0; i < m->units.size && r == 0; i++)
		if (m->units.data[i]->touched)
			r = ask_unit(&a, m->units.data[i]);
	if (a.path)
		solve_path_free(a.path);
	if (x->pool) {
		import_release(&x->import);
		exprs_free(x->pool);
		x->pool = NULL;
	}
	map_release(&a.on_path);
	hint_budget_end(&m->budget, s);
	hint_budget_work(&m->budget, s, ASKING_WORK);
	return r;
}
