/* sample_segments.c: N random states of the P of each summary of a segment (`muster test --summaries --segments --sample N`).
 *
 * No input leads to such a state by itself. So the summary's test is run up to the place where the segment begins, in the segments variant; there the runtime gives the places that are numbers other values, in registers
 * and in memory, and lets the run go on until the segment ends (struct muster_set). Pointers, and how large objects are, stay as they are in the test. The state counts if P holds for what the trace of that run says
 * the segment began with; so nothing here has to be right for it to be a state of P. Then it must come to lq with Q, every place that Q does not name must be what it was, or it must fail as Q says.
 *
 * All that the segment read in the test is varied, whether P names it or not. What is not sampled is listed: partial summaries, and those of which no state was found (a place of P that the test's own path does not read).
 */
#include "unit/sample_segments.h"

#include "base/error.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "run/launch.h"
#include "summary/called_state.h"
#include "summary/sample.h"

#include <stdlib.h>
#include <string.h>

#define TRIES 6 /* to find a state */

struct trial {
	struct segment_sampling *g;
	const struct summary *x;
	struct sampler sampler;
	struct path path;
	struct called_state base; /* of the test */
	int found;		  /* it is there */
	struct strmap set;	  /* name to value, of the state at hand */
	int counted;		  /* it was one of P, and could be judged */
};

/* ---------------------------------------------------------------- runs */

/* How the run ended, by its trace: the first check that it broke, or a signal. */
static void judge_run(struct trial *t, struct called_run *r, const struct run_result *ended)
{
	struct path *p = &t->path;

	p->exact = 1;
	p->checks = t->g->checks;
	path_read(p, r->t, t->g->sites, NULL, 0);
	for (size_t i = 0; i < p->steps.size; i++) {
		const struct path_step *s = &p->steps.data[i];
		struct site site;

		if (!path_broke(s) || s->free)
			continue;
		r->broken = s->event;
		r->failure = checker_get(s->checker)->name;
		if (site_find(r->sites, r->t->events[s->event].unit, r->t->events[s->event].index, &site))
			r->failure_line = site.line;
		return;
	}
	if (ended->end == RUN_SIGNAL) {
		r->broken = r->t->event_count;
		r->failure = "crash";
	}
}

static int is_wanted(const struct trial *t, const struct activation *a)
{
	return a->is_segment && gather_function_of(t->g->c, a) == t->g->f;
}

static int read_state(struct trial *t, struct called_run *r, struct activation_terms *terms, uint32_t number, struct called_state *s)
{
	r->pool = activation_terms_make(terms, number, GATHER_TERMS);
	return called_state_read(s, r, &t->g->f->f, number);
}

/* The first segment of the test's run that begins where the summary does, with P. */
static void find_base(void *ctx, struct called_run *r, struct activation_terms *terms, const struct run_result *ended)
{
	struct trial *t = ctx;
	const struct exprs *p = t->g->l->pool;

	judge_run(t, r, ended);
	for (uint32_t i = 0; i < r->a->list.size && !t->found; i++) {
		struct called_state s;
		if (!is_wanted(t, &r->a->list.data[i]) || !read_state(t, r, terms, i, &s))
			continue;
		struct called_view v = {.state = &s};
		if (s.lp == t->x->lp.ordinal && !s.partial && called_state_holds(&v, p, t->x->pre.data, t->x->pre.size) > 0) {
			t->base = s;
			t->found = 1;
		} else {
			called_state_release(&s);
		}
	}
}

/* ---------------------------------------------------------------- states */

/* Values for all places, such that P holds with those: 1. */
static int choose_values(struct trial *t)
{
	struct exprs *p = t->g->l->pool;
	struct called_state nothing = {.objects = {t->base.objects.data, t->base.objects.size, 0}};
	struct called_view v = {.state = &nothing, .set = &t->set, .rest = &t->base};
	struct map model = {0};
	size_t at = 0;
	uint64_t variable, value;

	for (size_t i = 0; i < t->base.places.size; i++) {
		const struct called_state_place *x = &t->base.places.data[i];
		strmap_set(&t->set, x->name, (uint64_t)sample_random(&t->sampler, x->width));
	}
	int holds = called_state_holds(&v, p, t->x->pre.data, t->x->pre.size);
	if (holds > 0 || !sample_values(&t->sampler, t->x, &model)) {
		map_release(&model);
		return holds > 0;
	}
	while (map_next(&model, &at, &variable, &value))
		if (strmap_get(&t->set, expr_name(p, (expr_t)variable), NULL))
			strmap_set(&t->set, expr_name(p, (expr_t)variable), value);
	map_release(&model);
	return called_state_holds(&v, p, t->x->pre.data, t->x->pre.size) > 0;
}

static int set_state(struct trial *t)
{
	VEC(struct muster_set) list = {0};

	for (size_t i = 0; i < t->base.places.size; i++) {
		struct muster_set s = t->base.places.data[i].at;
		strmap_get(&t->set, t->base.places.data[i].name, &s.value);
		vec_push(&list, s);
	}
	int e = shm_set_state(&t->g->c->target.shm, t->base.number, list.data, list.size);
	vec_release(&list);
	return e;
}

/* ---------------------------------------------------------------- judgement */

static void add_state(const struct trial *t, struct buf *out)
{
	for (size_t i = 0; i < t->base.places.size; i++) {
		const struct called_state_place *x = &t->base.places.data[i];
		struct place pl;
		uint64_t value = x->at.value;

		strmap_get(&t->set, x->name, &value);
		if (place_parse(x->name, &pl))
			buf_addf(out, "%s%s = %lld", out->size ? ", " : "", pl.text, (long long)(pl.type == PLACE_SIGNED && x->width < 64 ? (int64_t)(value << (64 - x->width)) >> (64 - x->width) : (int64_t)value));
	}
}

static void violated(struct trial *t, const char *words)
{
	struct summaries *l = t->g->l;
	struct buf pre = BUF_EMPTY, post = BUF_EMPTY, state = BUF_EMPTY;

	summary_c(l, t->x->pre.data, t->x->pre.size, &pre);
	summary_c(l, t->x->post.data, t->x->post.size, &post);
	add_state(t, &state);
	log_warn("a summary of a segment of %s is violated (line %u to %u): %s\n  pre   %s\n  post  %s\n  state %s", t->g->f->f.name, t->x->line, t->x->end_line, words, buf_str(&pre), buf_str(&post), buf_str(&state));
	buf_release(&pre);
	buf_release(&post);
	buf_release(&state);
	t->g->violated++;
}

static int is_named(const struct trial *t, const char *after)
{
	const struct exprs *p = t->g->l->pool;

	for (size_t i = 0; i < t->x->post.size; i++) {
		uint32_t count;
		const expr_t *vars = expr_vars(t->g->l->pool, t->x->post.data[i], &count);
		for (uint32_t k = 0; k < count; k++)
			if (expr_get(p, vars[k])->op == EXPR_OP_NAMED && !strcmp(expr_name(p, vars[k]), after))
				return 1;
	}
	return 0;
}

/* A place that is not what it was, and that Q does not name; NULL. */
static const char *other_change(const struct trial *t, const struct called_view *v)
{
	for (size_t i = 0; i < v->state->left.size; i++) {
		const char *name = v->state->left.data[i];
		struct place pl;
		uint64_t now = 0, before = 0;
		struct buf was = BUF_EMPTY;

		if (is_named(t, name) || !place_parse(name, &pl))
			continue;
		buf_add(&was, name, (size_t)(pl.path - 1 - name));
		buf_adds(&was, pl.path);
		int same = strmap_get(&v->state->values, name, &now) && called_state_before(v, buf_str(&was), &before) && now == before;
		buf_release(&was);
		if (!same)
			return pl.text;
	}
	return NULL;
}

static const char *failure_of(const struct trial *t)
{
	struct place pl;

	for (size_t i = 0; i < t->x->post.size; i++)
		if (place_of(t->g->l->pool, t->x->post.data[i], &pl) && pl.type == PLACE_FAILURE)
			return pl.text;
	return NULL;
}

static void judge(struct trial *t, const struct called_state *s)
{
	const struct exprs *p = t->g->l->pool;
	struct called_view v = {s, &t->set, &t->base};
	const char *failure = failure_of(t), *other;

	if (s->lp != t->x->lp.ordinal || called_state_holds(&v, p, t->x->pre.data, t->x->pre.size) <= 0)
		return;
	t->counted = 1;
	if (failure || s->failure) {
		if (!failure)
			violated(t, "it fails");
		else if (!s->failure || strcmp(failure, s->failure) || s->end_line != t->x->end_line)
			violated(t, "it does not fail there");
		return;
	}
	if (s->lq != t->x->lq.ordinal) {
		violated(t, "it ends elsewhere");
		return;
	}
	int holds = called_state_holds(&v, p, t->x->post.data, t->x->post.size);
	if (!holds)
		violated(t, "the postcondition does not hold");
	else if (!s->partial && (other = other_change(t, &v)))
		violated(t, other);
	else if (holds < 0)
		t->counted = 0;
}

static void look(void *ctx, struct called_run *r, struct activation_terms *terms, const struct run_result *ended)
{
	struct trial *t = ctx;

	judge_run(t, r, ended);
	for (uint32_t i = 0; i < r->a->list.size; i++) {
		struct called_state s;
		if (!is_wanted(t, &r->a->list.data[i]) || r->t->events[r->a->list.data[i].begin].index != t->base.number)
			continue;
		if (read_state(t, r, terms, i, &s)) {
			judge(t, &s);
			called_state_release(&s);
		}
		return;
	}
}

/* ---------------------------------------------------------------- summaries */

static int try_states(struct trial *t, const struct buf *input, uint64_t *counted)
{
	int e = 0;

	for (uint64_t k = 0; k < t->g->states && !e; k++) {
		unsigned tries = 0;
		while (tries < TRIES && !choose_values(t))
			tries++;
		if (tries == TRIES)
			continue;
		t->counted = 0;
		e = set_state(t) || gather_show(t->g->c, input->data, input->size, look, t) ? -1 : 0;
		*counted += (uint64_t)t->counted;
	}
	shm_set_state(&t->g->c->target.shm, 0, NULL, 0);
	return e;
}

/* Would the runs here notice that Q fails? */
static int can_fail(const struct trial *t)
{
	const char *failure = failure_of(t);
	checker_set set = 0;

	return !failure || !strcmp(failure, "crash") || (!checker_parse(failure, &set) && (set & t->g->checks));
}

static int of_summary(struct trial *t)
{
	struct segment_sampling *g = t->g;
	struct buf input = BUF_EMPTY, pre = BUF_EMPTY;
	uint64_t counted = 0;
	int there = t->x->why || !can_fail(t) ? 0 : g->input(g->ctx, t->x, &input), e = there < 0 ? -1 : 0;

	if (there > 0)
		e = gather_show(g->c, input.data, input.size, find_base, t);
	if (!e && t->found)
		e = try_states(t, &input, &counted);
	if (!e && !counted) {
		summary_c(g->l, t->x->pre.data, t->x->pre.size, &pre);
		log_info("%s: a summary of a segment is not sampled (%s): line %u to %u: %s", g->f->f.name, t->x->why ? "it is partial" : "no state was found", t->x->line, t->x->end_line, buf_str(&pre));
		g->without++;
	}
	g->ran += counted;
	called_state_release(&t->base);
	strmap_release(&t->set);
	path_release(&t->path);
	buf_release(&input);
	buf_release(&pre);
	return e;
}

int segment_sampling_run(struct segment_sampling *g)
{
	struct summaries *l = g->l;
	struct muster_function only = {(uint64_t)g->f->unit << 32 | g->f->first, (uint64_t)g->f->unit << 32 | g->f->end};
	uint64_t random = (g->seed + 1) * 0x9e3779b97f4a7c15u;
	int e = l->all.size ? shm_set_functions(&g->c->target.shm, &only, 1) : 0;

	for (size_t i = 0; i < l->all.size && !e; i++) {
		if (l->all.data[i].kind != SUMMARY_SEGMENT || l->all.data[i].end_function) /* those end where no run is stopped */
			continue;
		struct trial t = {.g = g, .x = &l->all.data[i], .sampler = {.l = l, .solver = g->solver, .random = random}};
		e = of_summary(&t);
		random = t.sampler.random;
	}
	return e;
}

/* ---------------------------------------------------------------- the program */

struct segment_cuts *segment_find_cuts(const struct whole *whole, struct called_function *out)
{
	uint32_t number = whole_find_any(whole, out->name);
	const struct whole_symbol *w = number == CODE_NONE ? NULL : &whole->symbols.data[number];

	if (!w || !w->function)
		return NULL;
	out->body = w->function;
	if (!w->function->loop_count)
		return NULL;
	struct segment_cuts *cuts = mem_zalloc(sizeof *cuts);
	segment_cuts_find(cuts, w->function);
	out->code = w->function;
	out->position = w->position;
	out->cuts = cuts;
	return cuts;
}

static int is_cut(void *ctx, const struct site_function *site, struct called_function *out)
{
	struct segment_runs *r = ctx;
	int number = front_function(r->front, site->name);

	if (number < 0 || !r->front->functions.data[number].defined)
		return 0;
	const struct front_function *f = &r->front->functions.data[number];
	*out = (struct called_function){.name = f->name, .front = r->front, .f = f, .line = f->line, .end_line = f->end_line};
	struct segment_cuts *cuts = segment_find_cuts(r->whole, out);
	if (cuts)
		vec_push(&r->cuts, cuts);
	return cuts ? 2 : 0;
}

int segment_runs_open(struct segment_runs *r, char *program, const struct front *front, const struct whole *whole, double seconds)
{
	struct target_options o = TARGET_DEFAULTS;

	*r = (struct segment_runs){.front = front, .whole = whole, .argv = {program, NULL}};
	o.time = seconds * 8;
	o.shm.events = 1 << 20;
	o.shm.nodes = 1 << 22;
	o.shm.table_limit = 4096;
	r->c.segments = 1;
	r->c.wanted = is_cut;
	r->c.ctx = r;
	if (gather_open(&r->c, program, r->argv, &o))
		return -1;
	sites_init(&r->sites, &r->c.target.sites);
	return gather_name(&r->c);
}

struct gather_function *segment_runs_find(struct segment_runs *r, const char *name)
{
	for (size_t i = 0; i < r->c.functions.size; i++)
		if (!strcmp(r->c.functions.data[i].f.name, name))
			return &r->c.functions.data[i];
	return NULL;
}

void segment_runs_close(struct segment_runs *r)
{
	sites_release(&r->sites);
	gather_release(&r->c);
	for (size_t i = 0; i < r->cuts.size; i++) {
		segment_cuts_release(r->cuts.data[i]);
		free(r->cuts.data[i]);
	}
	vec_release(&r->cuts);
}
