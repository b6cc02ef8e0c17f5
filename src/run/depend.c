/* depend.c: the dependence oracle.
 *
 * Positions are counted in decisions: the trace has an event for every decision
 * (label 0 for those that no input touches), and so has the path variant, so the
 * first input's path and the trace's decisions are the same sequence, one to one; that is
 * checked first. A constraint that is no decision (concretisation, bound) has the
 * position of the decision after it.
 *
 * For a changed input let f be the first constraint in the trace that is not true,
 * and d the first decision at which the two paths differ. Then
 *	no f:                      d must not exist;
 *	f is a branch or switch:   d must be exactly there;
 *	f is another constraint:   d may be there or later, or nowhere;
 *	f has no value:            the same.
 * Anything else is an exception: the trace lied. Unless the first input, run again then, takes another path than before: a program may look at
 * the clock (libxml2 seeds its hash tables with it), and the second that it looks at may end between two runs.
 *
 * The user's trace is of another variant, without events for decisions that no input touches. Its events have their places in
 * the path from a comparison of the two traces (compare.h), and it is judged by the same rules.
 */
#include "run/depend.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/mem.h"
#include "run/eval.h"
#include "run/mutate.h"
#include "run/sources.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOWHERE DEPEND_NOWHERE
#define KEPT 20 /* exceptions that are kept with their input */

const char *depend_key(enum depend_verdict v)
{
	static const char *const keys[] = {
#define X(name, key, words) key,
	    DEPEND_VERDICTS(X)
#undef X
	};
	return keys[v];
}

const char *depend_words(enum depend_verdict v)
{
	static const char *const words[] = {
#define X(name, key, words) words,
	    DEPEND_VERDICTS(X)
#undef X
	};
	return words[v];
}

unsigned depend_exceptions(const struct depend_report *r)
{
	return r->count[DEPEND_BEFORE] + r->count[DEPEND_MISSED] + (r->apart != DEPEND_NOWHERE);
}

void depend_report_release(struct depend_report *r)
{
	for (size_t i = 0; i < r->exceptions.size; i++)
		buf_release(&r->exceptions.data[i].input);
	vec_release(&r->exceptions);
}

/* ------------------------------------------------------------ decisions */

struct decision {
	uint32_t unit, index, outcome;
};

struct path {
	VEC(struct decision) at;
	int cut; /* the table was full, or the run was stopped */
	struct run_result end;
};

static int is_decision(unsigned kind)
{
	return kind == MUSTER_EV_BRANCH || kind == MUSTER_EV_SWITCH;
}

/* The outcome of a switch for a value: 0 the default, i case i; NOWHERE if its table is not known.
 */
static uint64_t switch_outcome(const struct depend *d, const struct muster_event *e, u128 value)
{
	const struct site_table *table = site_tables_find(d->sites, e->unit);
	struct site_decision decision;
	int64_t number = table ? site_table_decision_at(table, e->index) : -1;
	if (number < 0 || !site_table_decision(table, (uint32_t)number, &decision))
		return NOWHERE;
	for (uint32_t i = 1; i < decision.outcomes; i++) {
		uint64_t c;
		if (site_table_case(table, (uint32_t)number, i, &c) && c == (uint64_t)value)
			return i;
	}
	return 0;
}

/* The outcome of an event of the path variant, or of a variant with labels. A switch on a concrete
 * value has none there; where it went shows in the next decision. */
static uint32_t outcome_of(const struct depend *d, const struct shm *shm,
			   const struct run_result *r, const struct muster_event *e, int traced)
{
	if (e->kind == MUSTER_EV_BRANCH)
		return e->arg;
	if (!traced)
		return e->label;
	if (!e->label || e->label >= r->counts.nodes)
		return 0;
	return (uint32_t)switch_outcome(d, e, muster_value(&shm_nodes(shm)[e->label]));
}

static int run_path(struct launcher *l, const struct depend *d, int traced,
		    const struct launch_input *in, struct path *p)
{
	const struct shm *shm = traced ? d->traced.shm : d->path.shm;
	vec_clear(&p->at);
	if (launcher_run(l, in, &p->end))
		return -1;
	if (p->end.end == RUN_FAILED)
		return error_set("the path variant did not run: %s", p->end.message);
	const struct muster_event *events = shm_events(shm);
	uint64_t n = p->end.counts.events;
	p->cut = p->end.end != RUN_EXIT && p->end.end != RUN_SIGNAL;
	vec_reserve(&p->at, n);
	for (uint64_t i = 0; i < n; i++) {
		if (events[i].kind == MUSTER_EV_FULL)
			p->cut = 1;
		if (is_decision(events[i].kind))
			p->at.data[p->at.size++] =
			    (struct decision){events[i].unit, events[i].index,
					      outcome_of(d, shm, &p->end, &events[i], traced)};
	}
	return 0;
}

/* The first decision that differs, or NOWHERE. Past the end of a path that was cut nothing is
 * known. */
static uint64_t first_difference(const struct path *x, const struct path *y)
{
	size_t n = x->at.size < y->at.size ? x->at.size : y->at.size;
	for (size_t i = 0; i < n; i++)
		if (x->at.data[i].unit != y->at.data[i].unit ||
		    x->at.data[i].index != y->at.data[i].index ||
		    x->at.data[i].outcome != y->at.data[i].outcome)
			return i;
	if (x->at.size == y->at.size || (x->cut && x->at.size == n) || (y->cut && y->at.size == n))
		return NOWHERE;
	return n;
}

static void describe(const struct depend *d, uint32_t unit, uint32_t index, struct buf *out)
{
	struct site s = {.file = "?", .function = "?"};
	site_find(d->sites, unit, index, &s);
	buf_addf(out, "%s:%" PRIu32 " (%s)", s.file, s.line, s.function);
}

/* The trace's decisions and the path's must be the same, as far as the trace goes. Returns how many
 * decisions that is, or -1. */
static int64_t align(const struct depend *d, const struct trace *t, const struct path *p,
		     struct depend_report *r)
{
	uint64_t n = 0;
	r->constraints = 0;
	for (uint64_t i = 0; i < t->event_count; i++) {
		const struct muster_event *e = &t->events[i];
		r->constraints += e->kind == MUSTER_EV_CONCRETE || e->kind == MUSTER_EV_BOUND ||
				  e->kind == MUSTER_EV_GIVEN ||
				  (is_decision(e->kind) && e->label);
		if (e->kind == MUSTER_EV_FULL)
			break;
		if (!is_decision(e->kind))
			continue;
		const struct decision *q = &p->at.data[n];
		int same = n < p->at.size && q->unit == e->unit && q->index == e->index;
		if (same && e->kind == MUSTER_EV_BRANCH)
			same = q->outcome == e->arg;
		if (same && e->kind == MUSTER_EV_SWITCH && e->label) {
			uint64_t outcome = switch_outcome(d, e, trace_value(t, e->label));
			same = outcome == NOWHERE || outcome == q->outcome;
		}
		if (!same) {
			struct buf theirs = {0}, ours = {0};
			describe(d, e->unit, e->index, &theirs);
			if (n < p->at.size)
				describe(d, q->unit, q->index, &ours);
			else
				buf_adds(&ours, "ended");
			error_set(
			    "decision %" PRIu64
			    ": the trace has %s, outcome %d, the path variant %s, outcome %" PRIu32,
			    n, buf_str(&theirs), e->kind == MUSTER_EV_BRANCH ? e->arg : -1,
			    buf_str(&ours), n < p->at.size ? q->outcome : 0);
			buf_release(&theirs);
			buf_release(&ours);
			return -1;
		}
		n++;
	}
	return (int64_t)n;
}

/* ----------------------------------------------------------- constraints */

struct first_false {
	uint64_t event;	   /* NOWHERE: all are true */
	uint64_t position; /* in decisions */
	int decision;
	int undefined;
};

/* Is the constraint of event i true? 1, 0, or -1 if it has no value. */
static int holds(const struct depend *d, const struct trace *t, const struct eval *e, uint64_t i)
{
	const struct muster_event *v = &t->events[i];
	if (!eval_defined(e, v->label))
		return -1;
	u128 value = eval_value(e, v->label);
	switch (v->kind) {
	case MUSTER_EV_BOUND:
		return value == MUSTER_BOUND_HELD(v->arg);
	case MUSTER_EV_BRANCH:
	case MUSTER_EV_GIVEN:
		return value == v->arg;
	case MUSTER_EV_CONCRETE:
		return value == trace_value(t, v->label);
	default: {
		uint64_t outcome = switch_outcome(d, v, value);
		if (value == trace_value(t, v->label))
			return 1;
		return outcome == NOWHERE
			   ? -1
			   : outcome == switch_outcome(d, v, trace_value(t, v->label));
	}
	}
}

/* places: where the events stand, for a trace that does not have every decision; NULL: they are counted. */
static struct first_false find_false(const struct depend *d, const struct trace *t,
				     const struct eval *e, const struct trace_places *places)
{
	struct first_false f = {.event = NOWHERE};
	for (uint64_t i = 0; i < (places ? places->placed : t->event_count); i++) {
		unsigned kind = t->events[i].kind;
		int decision = is_decision(kind);
		if (kind == MUSTER_EV_FULL)
			break;
		if ((decision && t->events[i].label) || kind == MUSTER_EV_CONCRETE ||
		    kind == MUSTER_EV_BOUND || kind == MUSTER_EV_GIVEN) {
			int h = holds(d, t, e, i);
			if (h != 1) {
				if (places)
					f.position = places->position[i];
				f.event = i;
				f.decision = decision;
				f.undefined = h < 0;
				return f;
			}
		}
		f.position += (uint64_t)decision;
	}
	return f;
}

enum depend_verdict depend_judge(const struct depend_facts *f)
{
	uint64_t differs = f->differs >= f->known ? NOWHERE : f->differs;
	if (differs != NOWHERE && (f->broken == NOWHERE || differs < f->broken))
		return DEPEND_BEFORE;
	if (f->broken == NOWHERE)
		return f->cut ? DEPEND_LIMIT : DEPEND_SAME;
	if (f->undefined)
		return DEPEND_UNDEFINED;
	if (!f->decision)
		return DEPEND_FREED;
	if (differs == f->broken)
		return DEPEND_TURNED;
	return f->cut && f->length <= f->broken ? DEPEND_LIMIT : DEPEND_MISSED;
}

/* -------------------------------------------------------------- the loop */

struct oracle {
	const struct depend *d;
	const struct trace *t;
	struct depend_report *r;
	struct launcher *launcher;
	int traced; /* it runs the traced variant */
	struct path first;
	uint64_t known; /* decisions that the trace covers */
	struct sources original, changed;
	struct eval eval, eval_shown;
	uint64_t state; /* of the random numbers */
	char words[96];
};

static void keep_exception(struct oracle *o, enum depend_verdict verdict, int shown, uint64_t differs,
			   const struct first_false *f, const struct buf *input)
{
	struct depend_report *r = o->r;
	struct depend_exception x = {.verdict = verdict, .mutant = r->mutants, .shown = shown, .event = f->event};
	x.position = differs == NOWHERE ? o->first.at.size : differs;
	uint64_t at = verdict == DEPEND_MISSED ? f->position : x.position;
	if (at < o->first.at.size) {
		x.unit = o->first.at.data[at].unit;
		x.index = o->first.at.data[at].index;
	}
	if (f->event == NOWHERE)
		x.event = shown ? o->d->shown->event_count : o->t->event_count;
	if (input)
		buf_add(&x.input, input->data, input->size);
	snprintf(x.change, sizeof x.change, "%s", o->words);
	vec_push(&r->exceptions, x);
}

/* A source that a changed run can be given: the input, an argument, a variable, objects. */
static int can_change(const struct oracle *o, unsigned i)
{
	const struct muster_source *s = &o->t->sources[i];
	if (s->kind == MUSTER_SOURCE_FILE)
		return i == 0 && o->d->input.present;
	if (s->kind == MUSTER_SOURCE_MEMORY && o->d->objects_too)
		return 0; /* follows the input */
	return o->original.bytes[i].size > 0;
}

static int choose_source(struct oracle *o)
{
	unsigned able[MUSTER_MAX_SOURCES], n = 0;
	for (unsigned i = 0; i < o->t->source_count; i++)
		if (can_change(o, i))
			able[n++] = i;
	return n ? (int)able[o->state / 7 % n] : -1;
}

static void change_source(struct oracle *o, unsigned i)
{
	const struct muster_source *s = &o->t->sources[i];
	const struct buf *from = &o->original.bytes[i];
	int fixed = s->kind == MUSTER_SOURCE_ARG || s->kind == MUSTER_SOURCE_ENV;
	uint64_t used = o->t->header->sources[i].used;
	for (unsigned j = 0; j < o->changed.count; j++) {
		buf_clear(&o->changed.bytes[j]);
		buf_add(&o->changed.bytes[j], o->original.bytes[j].data, o->original.bytes[j].size);
	}
	mutate(&o->changed.bytes[i], (const uint8_t *)from->data, from->size, used, fixed,
	       &o->state, o->words, sizeof o->words);
	for (unsigned j = 0; j < o->changed.count && o->d->objects_too && i == 0; j++)
		if (o->t->sources[j].kind == MUSTER_SOURCE_MEMORY) {
			buf_clear(&o->changed.bytes[j]);
			buf_add(&o->changed.bytes[j], o->changed.bytes[0].data,
				o->changed.bytes[0].size);
		}
	sources_refresh(&o->changed);
}

static const char *setting(struct arena *a, const struct muster_source *s, const char *value)
{
	char *text =
	    mem_printf("%s=%s", strncmp(s->name, "env.", 4) ? s->name : s->name + 4, value);
	const char *kept = arena_strdup(a, text);
	free(text);
	return kept;
}

/* Runs with the changed sources. Arguments and variables belong to the launcher's options, so they
 * need one of their own. */
static int run_changed(struct oracle *o, struct path *p)
{
	struct launch_options options = o->traced ? o->d->traced : o->d->path;
	struct launch_input in = o->d->input;
	VEC(char *) argv = {0};
	VEC(const char *) env = {0};
	struct arena strings = {0};
	int own = 0, failed;

	for (unsigned i = 0; o->d->path.argv[i]; i++)
		vec_push(&argv, (char *)o->d->path.argv[i]);
	vec_push(&argv, NULL);
	for (unsigned i = 0; o->d->path.env && o->d->path.env[i]; i++)
		vec_push(&env, o->d->path.env[i]);
	for (unsigned i = 0; i < o->changed.count; i++) {
		const struct muster_source *s = &o->t->sources[i];
		struct buf *b = &o->changed.bytes[i];
		if (s->kind == MUSTER_SOURCE_FILE && i == 0 && in.present)
			in.data = b->data ? b->data : "", in.size = b->size;
		else if (s->kind == MUSTER_SOURCE_MEMORY)
			in.memory = b->data, in.memory_size = b->size;
		else if (s->kind == MUSTER_SOURCE_ARG && s->dev + 1 < argv.size)
			argv.data[s->dev] = buf_str(b), own = 1;
		else if (s->kind == MUSTER_SOURCE_ENV && (own = 1))
			vec_push(&env, setting(&strings, s, buf_str(b)));
	}
	if (o->d->objects_too)
		in.memory = in.data, in.memory_size = in.size;
	vec_push(&env, NULL);
	options.argv = argv.data;
	options.env = env.data;
	struct launcher *l = own ? launcher_new(&options) : o->launcher;
	failed = !l || run_path(l, o->d, o->traced, &in, p);
	if (own)
		launcher_free(l);
	vec_release(&argv);
	vec_release(&env);
	arena_release(&strings);
	return failed ? -1 : 0;
}

/* What the constraints of one of the two traces say about a changed input that took the path p. */
static enum depend_verdict judge(struct oracle *o, int shown, const struct path *p, uint64_t differs, struct first_false *f)
{
	const struct trace_places *places = shown ? o->d->places : NULL;

	eval_run(shown ? &o->eval_shown : &o->eval, o->changed.inputs);
	*f = find_false(o->d, shown ? o->d->shown : o->t, shown ? &o->eval_shown : &o->eval, places);
	return depend_judge(&(struct depend_facts){
	    .broken = f->event == NOWHERE ? NOWHERE : f->position,
	    .decision = f->decision,
	    .undefined = f->undefined,
	    .differs = differs,
	    .known = shown && !places->whole && places->decisions < o->known ? places->decisions : o->known,
	    .cut = p->cut,
	    .length = p->at.size,
	});
}

static int not_twice(void)
{
	return error_set("the program does not take the same path twice on the same input (time, addresses or the like decide): nothing can be "
			 "compared") +
	       2;
}

/* 0 if the first input still takes the path that it took; 1, with words, if not; -1. */
static int run_again(struct oracle *o)
{
	struct path again = {0};
	int result = run_path(o->launcher, o->d, o->traced, &o->d->input, &again);

	if (result == 0 && first_difference(&o->first, &again) != NOWHERE)
		result = not_twice();
	vec_release(&again.at);
	return result;
}

#define NO_SOURCE 2

/* 0, 1 and -1 as depend_run; NO_SOURCE: there is nothing to change. */
static int one_mutant(struct oracle *o)
{
	struct path p = {0};
	struct first_false f, f_shown;
	int source = choose_source(o), shown = 0;
	if (source < 0)
		return NO_SOURCE;
	change_source(o, (unsigned)source);
	if (run_changed(o, &p)) {
		vec_release(&p.at);
		return -1;
	}
	uint64_t differs = first_difference(&o->first, &p);
	enum depend_verdict verdict = judge(o, 0, &p, differs, &f), other;
	if (verdict < DEPEND_BEFORE && o->d->shown && o->r->apart == NOWHERE &&
	    (other = judge(o, 1, &p, differs, &f_shown)) >= DEPEND_BEFORE)
		verdict = other, f = f_shown, shown = 1;
	int result = verdict >= DEPEND_BEFORE ? run_again(o) : 0;
	if (result) {
		vec_release(&p.at);
		return result;
	}
	o->r->mutants++;
	o->r->count[verdict]++;
	if (verdict >= DEPEND_BEFORE && o->r->exceptions.size < KEPT)
		keep_exception(o, verdict, shown, differs, &f, &o->changed.bytes[source]);
	vec_release(&p.at);
	return 0;
}

/* The path variant takes another path on the same input: something else than the input decides. If
 * the traced variant does the same twice, a second apart, it can stand in: changed inputs are
 * compared with its own path. */
static int stand_in(struct oracle *o)
{
	struct path again = {0};
	char *words = mem_strdup(error_text());
	int result = -1;
	launcher_free(o->launcher);
	o->traced = 1;
	o->launcher = o->d->traced.program ? launcher_new(&o->d->traced) : NULL;
	if (o->launcher && run_path(o->launcher, o->d, 1, &o->d->input, &o->first) == 0) {
		sleep(1); /* the clock may be what decides */
		result = run_path(o->launcher, o->d, 1, &o->d->input, &again);
	}
	if (result == 0 && first_difference(&o->first, &again) != NOWHERE)
		result = not_twice();
	else if (result == 0)
		error_set("%s", words);
	o->r->within_trace = result == 0;
	vec_release(&again.at);
	free(words);
	return result;
}

static int first_run(struct oracle *o)
{
	if (run_path(o->launcher, o->d, 0, &o->d->input, &o->first))
		return -1;
	int64_t known = align(o->d, o->t, &o->first, o->r);
	if (known < 0) {
		int result = stand_in(o);
		if (result)
			return result;
		known = align(o->d, o->t, &o->first, o->r);
	}
	o->r->decisions = o->first.at.size;
	/* A trace that goes on to the run's end also claims that nothing follows. */
	o->known = (uint64_t)known == o->first.at.size && !o->first.cut ? NOWHERE : (uint64_t)known;
	return known < 0 ? -1 : 0;
}

int depend_run(const struct depend *d, const struct trace *t, struct depend_report *r)
{
	struct oracle o = {.d = d, .t = t, .r = r, .state = d->seed * 0x2545f4914f6cdd1dull + 1};
	memset(r, 0, sizeof *r);
	r->apart = NOWHERE;
	if (sources_load(&o.original, t, &d->path, &d->input))
		return -1;
	if (sources_load(&o.changed, t, &d->path, &d->input)) {
		sources_release(&o.original);
		return -1;
	}
	eval_init(&o.eval, t);
	if (d->shown)
		eval_init(&o.eval_shown, d->shown);
	o.launcher = launcher_new(&d->path);
	int result = o.launcher ? first_run(&o) : -1;
	/* Where time or addresses decide, two variants need not agree. */
	if (result == 0 && !r->within_trace && d->shown && d->places->apart)
		r->apart = d->places->placed;
	for (unsigned i = 0; i < d->mutants && result == 0; i++) {
		result = one_mutant(&o);
		if (result == NO_SOURCE) {
			result = 0;
			break;
		}
		if (result == 0 && d->progress)
			d->progress(i + 1);
	}
	launcher_free(o.launcher);
	eval_release(&o.eval);
	if (d->shown)
		eval_release(&o.eval_shown);
	vec_release(&o.first.at);
	sources_release(&o.original);
	sources_release(&o.changed);
	return result;
}
