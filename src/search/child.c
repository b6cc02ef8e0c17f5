/* child.c: from a model to an input, its run, and whether it went where it was sent.
 *
 * The input is the parent's with the model's values put in. It runs twice: in the cov
 * variant for what it covers, in the trace variant for its path, whose decisions must
 * be the parent's up to the one that was negated. If they are not, that is a
 * divergence: counted with its cause, and the input is worth what it covers, no more.
 */
#include "base/hash.h"
#include "run/eval.h"
#include "search/ic_cut.h"
#include "search/inside.h"
#include "search/operands.h"

#include <signal.h>
#include <string.h>

/* The parent's bytes with the model's values; 0 if the model asks for more than inputs may have. */
int search_build_input(struct search *s, const struct expansion *x, const struct solve_model *m)
{
	uint64_t size = x->size;
	for (size_t i = 0; i < m->values.size; i++) {
		const struct solve_value *v = &m->values.data[i];
		if (v->op == MUSTER_OP_LENGTH && v->source == 0)
			size = v->value > s->o.max_input ? UINT64_MAX : (uint64_t)v->value;
	}
	for (size_t i = 0; i < m->values.size && size <= s->o.max_input; i++) {
		const struct solve_value *v = &m->values.data[i];
		/* Bytes of marked objects that the input did not reach yet. */
		if (v->op == MUSTER_OP_INPUT && v->source == 0 && v->index >= size &&
		    v->index >= x->size && map_get(&x->import.beyond, v->index, NULL))
			size = v->index + 1;
	}
	if (size > s->o.max_input)
		return 0;
	buf_clear(&s->now.input);
	buf_reserve(&s->now.input, size + 1);
	uint64_t old = size < x->size ? size : x->size;
	memcpy(s->now.input.data, x->data, old);
	for (uint64_t i = old; i < size; i++) {
		uint64_t value = x->filler;
		map_get(&x->import.beyond, i, &value);
		s->now.input.data[i] = (char)value;
	}
	for (size_t i = 0; i < m->values.size; i++) {
		const struct solve_value *v = &m->values.data[i];
		if (v->op == MUSTER_OP_INPUT && v->source == 0 && v->index < size)
			s->now.input.data[v->index] = (char)v->value;
	}
	s->now.input.size = size;
	return 1;
}

/* Is an operation that the prefix depends on without a value for the child's input? */
static int undefined_before(struct search *s, struct expansion *x, const struct path_step *step)
{
	struct eval e;
	struct eval_input inputs[MUSTER_MAX_SOURCES];
	int found = 0;
	for (unsigned i = 0; i < x->trace.source_count; i++)
		inputs[i] = (struct eval_input){(const uint8_t *)s->now.input.data, s->now.input.size};
	eval_init(&e, &x->trace);
	eval_run(&e, inputs);
	for (const struct path_step *p = s->now.parent.steps.data; p <= step && !found; p++)
		found = !eval_defined(&e, p->label);
	eval_release(&e);
	return found;
}

static uint64_t digest_again(struct search *s, const void *data, size_t size)
{
	struct run_result r;
	struct trace t;
	if (search_trace(s, s->t.child, s->t.child_shm, data, size, &r, &t))
		return 0;
	search_read_path(s, &s->now.child, &s->now.child_calls, &t);
	trace_release(&t);
	return s->now.child.digest;
}

static enum search_divergence cause(struct search *s, struct expansion *x,
				    const struct path_step *step, enum path_match match,
				    const struct run_result *r, int optimistic)
{
	uint64_t first = s->now.child.digest;
	if (optimistic)
		return DIVERGED_OPTIMISTIC;
	if (r->end == RUN_SIGNAL && match == PATH_SHORT)
		return DIVERGED_CRASH;
	if ((r->end != RUN_EXIT && r->end != RUN_SIGNAL) || s->now.child.cut)
		return DIVERGED_LIMIT;
	if (undefined_before(s, x, step))
		return DIVERGED_UNDEFINED;
	if (s->now.parent.stale || s->now.child.stale || s->now.parent.threads || s->now.child.threads)
		return DIVERGED_STALE;
	if (digest_again(s, s->now.input.data, s->now.input.size) != first ||
	    digest_again(s, x->data, x->size) != s->now.parent.digest)
		return DIVERGED_UNSTABLE;
	return DIVERGED_UNKNOWN;
}

/* A child that was sent somewhere. */
struct sent {
	const struct path_step *step;
	uint32_t outcome;
	int optimistic;
	uint32_t checker; /* that it is to break a check of; else 0 */
	uint32_t goal;	  /* which of the conditions that break it */
	int broken;	  /* its trace shows that check broken */
	struct search_test t;
	struct trace trace; /* open if it went there: not before the next run of the child's launcher */
	int open, whole;
};

/* What a run that failed is known by besides its counters, which checks do not have: the last that
 * was seen of it. */
static uint64_t last_place(const struct search *s)
{
	const struct path *p = &s->now.child;
	if (!p->steps.size)
		return 0;
	const struct path_step *last = &p->steps.data[p->steps.size - 1];
	const struct sites_decision *d = &s->sites.decisions.data[last->site];
	if (last->kind == MUSTER_EV_CONCRETE || !s->o.unit)
		return 0;
	return hash_mix(((uint64_t)d->unit << 32 | d->index) + last->outcome) | 1;
}

/* What became of the bound that the child was sent to break. */
enum bound_fate {
	BOUND_LEFT,  /* broken, or nothing more was seen of it */
	BOUND_MOVED, /* it holds, for an object of another size */
	BOUND_KEPT,  /* it holds as it did: the child went elsewhere */
};

static enum bound_fate bound_fate(const struct search *s, const struct path_step *step)
{
	const struct path *p = &s->now.child;
	for (size_t i = p->steps.size; i-- > 0 && p->steps.data[i].ordinal >= step->ordinal;) {
		const struct path_step *c = &p->steps.data[i];
		if (c->ordinal > step->ordinal || c->kind != step->kind || c->nth != step->nth)
			continue;
		if (c->self == step->self)
			return BOUND_KEPT;
		return c->site == step->site && c->outcome == step->outcome ? BOUND_MOVED : BOUND_LEFT;
	}
	return BOUND_LEFT;
}

/* Does the child break the check that it was sent to break, where it was sent? */
static int broke_there(const struct search *s, const struct path_step *step, enum path_match match, uint32_t at)
{
	const struct path *p = &s->now.child;
	if (match != PATH_REACHED || path_decides(step))
		return match == PATH_REACHED;
	for (size_t i = (size_t)at + 1; i-- > 0 && i < p->steps.size && p->steps.data[i].ordinal == step->ordinal;)
		if (p->steps.data[i].site == step->site && p->steps.data[i].checker == step->checker && path_broke(&p->steps.data[i]))
			return 1;
	return 0;
}

static void read_child(struct search *s, struct sent *c, const struct run_result *r)
{
	search_read_path(s, &s->now.child, &s->now.child_calls, &c->trace);
	if (s->next.ic)
		ic_saw(s, &c->trace);
	c->t.path = path_key(&s->now.child);
	c->whole = r->end == RUN_EXIT || r->end == RUN_SIGNAL;
	if (r->end == RUN_SIGNAL)
		c->t.place = last_place(s) + c->goal;
	if (s->now.child.assumed)
		c->t.flags |= TEST_ASSUMED;
}

/* Is it undefined what the program does when the bound of this instruction is broken? */
static int is_access(const struct search *s, const struct path_step *step)
{
	const struct sites_decision *d = &s->sites.decisions.data[step->site];
	struct site site;
	if (!site_find(s->sites.tables, d->unit, d->index, &site))
		return 1;
	return site.kind != SITE_CALL && site.kind != SITE_ALLOCA;
}

/* Runs the child traced and compares; fills in what is known of its path. */
static int follow(struct search *s, struct expansion *x, struct sent *c)
{
	struct run_result r;
	struct search_test *t = &c->t;
	const struct path_step *step = c->step;
	int failed = search_trace(s, s->t.child, s->t.child_shm, s->now.input.data, s->now.input.size, &r,
				  &c->trace);
	if (failed) { /* without a path nothing of it can be negated */
		search_lose(s, LOSS_UNTRACED);
		return failed < 0 ? -1 : 0;
	}
	read_child(s, c, &r);
	s->stats.predictions++;
	s->stats.guesses += c->optimistic != 0;
	if (!s->o.unit)
		operands_offer(s, x->test->id, &c->trace, &s->now.child, (const uint8_t *)s->now.input.data, s->now.input.size);
	uint32_t at;
	enum path_match match = path_compare(step, c->outcome, &s->now.child, &at);
	if (c->checker)
		c->broken = broke_there(s, step, match, at);
	if (match == PATH_REACHED && t->flags & TEST_BROKEN && r.end != RUN_SIGNAL && step->kind == MUSTER_EV_BOUND) {
		enum bound_fate fate = bound_fate(s, step);
		if (fate == BOUND_KEPT)
			match = PATH_OTHER;
		if (fate == BOUND_MOVED || !is_access(s, step))
			t->flags &= ~(uint32_t)TEST_BROKEN;
	}
	if (match == PATH_REACHED) {
		c->open = 1;
		s->stats.reached++;
		s->stats.guesses_reached += c->optimistic != 0;
		t->bound = c->optimistic ? 0 : step->ordinal + path_decides(step);
		if (search_note(s, &s->now.child))
			t->flags |= TEST_PROGRESS;
		if (search_near(s, &s->now.child, t->bound))
			t->flags |= TEST_NEAR;
		return 0;
	}
	trace_release(&c->trace);
	search_note(s, &s->now.child);
	t->flags |= TEST_DIVERGED;
	if (checks_tell_all(s, t, &s->now.child, c->checker ? step : NULL))
		return -1;
	if (!c->optimistic)
		search_lose(s, LOSS_DIVERGED);
	s->stats.diverged[cause(s, x, step, match, &r, c->optimistic)]++;
	return 0;
}

/* How far a child is from a test that covers something, if it covers nothing itself. */
static uint32_t next_distance(const struct search_test *parent)
{
	uint32_t d = (parent->flags & TEST_DISTANCE) >> 8;
	if (parent->flags & TEST_COVERS)
		d = 0;
	return (d < 255 ? d + 1 : d) << 8;
}

/* The child's input was run before, for another negation: that it came here as well is still to be seen. */
static int look_again(struct search *s, struct expansion *x, struct sent *c)
{
	if (!s->o.unit || c->optimistic)
		return 0;
	if (follow(s, x, c))
		return -1;
	if (c->open)
		trace_release(&c->trace);
	return 0;
}

/* Reports the checks that the child broke, first of the one it was sent to break. 0, -1. */
static int tell(struct search *s, const struct sent *c)
{
	if (c->checker) {
		s->stats.checkers[c->checker].violated += (uint64_t)c->broken;
		if (checks_tell(s, &c->t, c->step, c->checker, c->broken, 1))
			return -1;
	}
	return c->open && checks_tell_all(s, &c->t, &s->now.child, c->checker ? c->step : NULL) ? -1 : 0;
}

/* The traced run had the outcome it was sent for: did the other one count it as well? If not, it hangs on something that differs
 * between the two, an address most likely, and neither stands for the program. */
static int is_counted(const struct search *s, const struct sent *c, const struct exec_result *r)
{
	uint32_t counter = path_decides(c->step) ? s->sites.decisions.data[c->step->site].counter : SITES_NOWHERE;
	return counter == SITES_NOWHERE || counter + c->outcome >= r->count || r->counters[counter + c->outcome];
}

/* Runs s->now.input in both variants. 1: it diverged, 0, -1. */
static int run_both(struct search *s, struct expansion *x, struct sent *c)
{
	struct search_test *t = &c->t;
	struct exec_result r;
	struct hash128 h = hash128(s->now.input.data, s->now.input.size);
	int keep = 0;
	t->parent = x->test->id;
	t->origin = ORIGIN_SOLVED;
	t->flags |= (c->optimistic ? TEST_OPTIMISTIC : 0) | next_distance(x->test);
	if (!memory_add(&s->known.inputs, h.a))
		return look_again(s, x, c);
	s->stats.runs++;
	s->budget.inputs_run++;
	s->stats.check_tests += c->checker != 0;
	s->stats.branch_tests += c->checker == 0;
	t->data = (const uint8_t *)s->now.input.data;
	t->size = s->now.input.size;
	if (exec_run(s->t.exec, s->now.input.data, s->now.input.size, &r))
		return -1;
	if (run_was_stopped(r.end)) /* its trace would take longer still */
		search_lose(s, LOSS_KILLED);
	else if (follow(s, x, c))
		return -1;
	if (c->open && !c->optimistic && !is_counted(s, c, &r))
		search_lose(s, LOSS_DIVERGED);
	/* Nothing on its path is for the first stage. */
	if (!(t->flags & (TEST_PROGRESS | TEST_NEAR | TEST_DIVERGED | TEST_ASSUMED)) && t->path)
		t->stage = STAGE_CONTEXT;
	if (t->flags & TEST_BROKEN) {
		keep = 1;
		if (r.end != RUN_SIGNAL)
			search_lose(s, LOSS_BOUND);
	}
	uint64_t before = s->cover.covered;
	int kept = search_keep(s, t, &r, keep);
	if (kept >= 0 && tell(s, c))
		kept = -1;
	if (c->open) {
		if ((s->o.unit || s->next.ic) && kept > 0)
			traces_keep(&s->next.traces, t->id, &c->trace, c->whole, 0);
		trace_release(&c->trace);
	}
	if (kept < 0)
		return -1;
	s->stats.symbolic_outcomes += s->cover.covered - before;
	return t->flags & TEST_DIVERGED ? 1 : 0;
}

static int run_sent(struct search *s, struct expansion *x, struct sent *c)
{
	double before = clock_seconds();
	int r = run_both(s, x, c);
	s->stats.child_seconds += clock_seconds() - before;
	return r;
}

int search_run_child(struct search *s, struct expansion *x, const struct path_step *step,
		     uint32_t outcome, int optimistic)
{
	struct sent c = {.step = step, .outcome = outcome, .optimistic = optimistic};
	return run_sent(s, x, &c);
}

int search_run_broken(struct search *s, struct expansion *x, const struct path_step *step)
{
	struct sent c = {.step = step, .outcome = !step->outcome, .t.flags = TEST_BROKEN};
	return run_sent(s, x, &c) < 0 ? -1 : 0;
}

int search_run_breaking(struct search *s, struct expansion *x, const struct path_step *step, uint32_t checker, uint32_t goal,
			int optimistic)
{
	struct sent c = {.step = step, .outcome = step->fails, .optimistic = optimistic, .checker = checker, .goal = goal};
	if (s->o.unit && !path_decides(step))
		c.t.flags = TEST_BROKEN;
	return run_sent(s, x, &c);
}

int search_child(struct search *s, struct expansion *x, const struct path_step *step,
		 uint32_t outcome, const struct solve_model *m)
{
	if (!search_build_input(s, x, m)) {
		search_lose(s, LOSS_LARGE);
		return 0;
	}
	int r = search_run_child(s, x, step, outcome, m->optimistic);
	if (r > 0 && m->optimistic)
		return search_steer(s, x, step, outcome, 0);
	return r < 0 ? -1 : 0;
}
