/* describe.c: what is said of a pair that is not equal: its sets as conditions, and runs of both versions that show them.
 *
 * A set is claimed by the conditions of its cover (cover.c). For changed and termination each condition has a run of both versions that shows it; one without is not claimed, and the pair is not complete. Where
 * it depends on what functions outside do, only single inputs that were run are claimed.
 */
#include "diff/inside.h"

#include "base/deadline.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

#define REST 1.0     /* seconds for the sets where something stays open */
#define SHARE 0.6    /* of the time that is left, for the set that changed */
#define CUBES 8	     /* of a set */
#define PARTS 4	     /* of one that is not known as a whole: more tell a reader no more */
#define EXAMPLES 2   /* of what changed, where that is not known as a whole: as many as are printed, each with its runs */
#define SHOWN 12     /* words of an input that are printed without -v */
#define MODELS 4     /* that are run where there is no formula of inputs */

void diff_describe_add_case(struct diff_function *f, struct diff_case *c, const char *when)
{
	c->when = when ? strdup(when) : NULL;
	vec_push(&f->cases, *c);
}

void diff_case_release(struct diff_case *c)
{
	for (size_t j = 0; j < c->inputs.size; j++) {
		free(c->inputs.data[j].name);
		free(c->inputs.data[j].value);
	}
	vec_release(&c->inputs);
	free(c->when);
	free(c->what);
	free(c->old);
	free(c->new);
	free(c->run);
	*c = (struct diff_case){0};
}

/* The first ones. */
void diff_describe_drop_cases(struct diff_function *f, size_t count)
{
	for (size_t i = 0; i < count; i++)
		diff_case_release(&f->cases.data[i]);
	for (size_t i = count; i < f->cases.size; i++)
		f->cases.data[i - count] = f->cases.data[i];
	f->cases.size -= count;
}

/* Is the term the same number everywhere in the cube? */
static int is_constant(struct diff_pair *x, const struct diff_cube *c, expr_t e)
{
	VEC(expr_t) all = {0};
	if (e == EXPR_NONE)
		return 1;
	for (size_t i = 0; i < c->literals.size; i++)
		vec_push(&all, c->literals.data[i]);
	vec_push(&all, expr_not(x->p, expr_eq(x->p, e, expr_const(x->p, expr_width(x->p, e), solve_model_eval(x->p, &c->model, e)))));
	int yes = diff_pair_check(x, all.data, (unsigned)all.size, NULL) == VERDICT_UNSAT;
	vec_release(&all);
	return yes;
}

static void say_example(struct diff_pair *x, const struct diff_cube *c, struct diff_case *k)
{
	if (is_constant(x, c, x->side[OLD].out.value) && is_constant(x, c, x->side[NEW].out.value))
		return;
	struct buf text = BUF_EMPTY;
	buf_addf(&text, "e.g. %s", k->what);
	free(k->what);
	k->what = buf_take(&text);
}

struct confirming { /* a cover whose cubes are run */
	struct diff_pair *x;
	expr_t set;
	struct diff_case kind;
};

/* Does a run show what the cube says? */
static int confirm_cube(void *ctx, struct diff_cube *c)
{
	const struct confirming *k = ctx;
	VEC(expr_t) region = {0};
	c->shown = k->kind;
	for (size_t i = 0; i < c->literals.size; i++)
		vec_push(&region, c->literals.data[i]);
	vec_push(&region, k->set);
	int ok = diff_witness_run(k->x, &c->model, region.data, (unsigned)region.size, &c->shown);
	vec_release(&region);
	if (ok && !k->kind.termination && !k->kind.undefined)
		say_example(k->x, c, &c->shown);
	return ok;
}

/* A cover of a set in which each cube has a run. */
static void cover_confirmed(struct diff_pair *x, expr_t set, unsigned most, struct diff_case kind, struct diff_cover *out)
{
	struct confirming k = {x, set, kind};
	diff_cover_make(x, set, EXPR_NONE, most, &(struct diff_confirm){confirm_cube, &k}, out);
}

static void take_cases(struct diff_cover *c, struct diff_function *f)
{
	for (size_t i = 0; i < c->cubes.size; i++) {
		diff_describe_add_case(f, &c->cubes.data[i].shown, c->cubes.data[i].text);
		c->cubes.data[i].shown = (struct diff_case){0};
	}
}

/* Single inputs of the set. Adds to the text those that are numbers. */
static void confirm_models(struct diff_pair *x, struct diff_function *f, expr_t rest, struct diff_case kind, struct buf *changed)
{
	if (rest == expr_false(x->p))
		return;
	for (unsigned i = 0; i < MODELS; i++) {
		struct solve_model m = {0};
		struct diff_case k = kind;
		expr_t point = expr_true(x->p);
		int plain = x->inputs.size > 0 && !kind.undefined;
		enum verdict v = diff_pair_check(x, &rest, 1, &m);
		log_info("diff of %s: an input that %s: %s", f->name, kind.undefined ? "crashes one" : "differs", v == VERDICT_SAT ? "there is one" : v == VERDICT_UNSAT ? "there is none" : "not known");
		if (v != VERDICT_SAT)
			break;
		for (size_t j = 0; j < x->inputs.size; j++) {
			const struct diff_word *in = &x->inputs.data[j];
			plain &= !in->is_pointer && !in->is_outside;
			point = expr_and(x->p, point, expr_eq(x->p, in->term, expr_const(x->p, expr_width(x->p, in->term), solve_model_eval(x->p, &m, in->term))));
		}
		expr_t beside[] = {point, expr_not(x->p, rest)}; /* words that no name was found for may matter, too: then it is that one run alone */
		plain = plain && diff_pair_check(x, beside, 2, NULL) == VERDICT_UNSAT;
		if (diff_witness_run(x, &m, &rest, 1, &k)) {
			struct buf when = BUF_EMPTY;
			for (size_t j = 0; j < k.inputs.size && plain; j++)
				buf_addf(&when, "%s%s == %s", j ? " && " : "", k.inputs.data[j].name, k.inputs.data[j].value);
			if (plain)
				buf_addf(changed, "%s%s", changed->size ? " || " : "", buf_str(&when));
			diff_describe_add_case(f, &k, plain ? buf_str(&when) : NULL);
			buf_release(&when);
			i = plain ? i : MODELS;
		}
		rest = expr_and(x->p, rest, expr_not(x->p, point));
		solve_model_release(&m);
	}
}

static char *text_of(const struct diff_cover *c)
{
	struct buf text = BUF_EMPTY;
	if (!c->cubes.size)
		return NULL;
	diff_cover_text(c, &text);
	return buf_take(&text);
}

/* What the cubes say, or all that the formula does: the first are for people, the second makes it the whole set. Without cubes it is the formula alone. */
static void complete_cover(struct diff_pair *x, expr_t set, struct diff_cover *c, char **text)
{
	struct buf all = BUF_EMPTY;
	if (c->exact || c->refused)
		return;
	if (set == expr_false(x->p) && !c->cubes.size) { /* nothing: it takes no words */
		c->exact = 1;
		return;
	}
	if (c->cubes.size)
		buf_addf(&all, "%s || ", *text);
	if (diff_text_exact(x, set, &all)) {
		free(*text);
		*text = buf_take(&all);
		c->exact = 1;
	}
	buf_release(&all);
}

/* Of what changed, for which no cube was found: with a run of one of its inputs. */
static void complete_changed(struct diff_pair *x, struct diff_function *f, struct diff_cover *c)
{
	struct solve_model m = {0};
	struct diff_case k = {0};
	char *text = NULL;
	if (c->exact || c->refused || c->cubes.size) {
		complete_cover(x, x->diff, c, &f->changed);
		return;
	}
	complete_cover(x, x->diff, c, &text);
	if (text && diff_pair_check(x, &x->diff, 1, &m) == VERDICT_SAT && diff_witness_run(x, &m, &x->diff, 1, &k)) {
		size_t single = 0;
		while (single < f->cases.size && !f->cases.data[single].termination && !f->cases.data[single].undefined)
			single++;
		diff_describe_drop_cases(f, single);
		diff_describe_add_case(f, &k, text);
		struct diff_case first = f->cases.data[f->cases.size - 1];
		for (size_t i = f->cases.size - 1; i; i--) /* it is shown first */
			f->cases.data[i] = f->cases.data[i - 1];
		f->cases.data[0] = first;
		free(f->changed);
		f->changed = text;
	} else {
		c->exact = 0;
		diff_case_release(&k);
		free(text);
	}
	solve_model_release(&m);
}

static char *complement(const char *a, const char *b, const char *c)
{
	const char *list[3] = {a, b, c};
	struct buf text = BUF_EMPTY;
	for (int i = 0; i < 3; i++)
		if (list[i])
			buf_addf(&text, "%s!(%s)", text.size ? " && " : "", list[i]);
	return buf_take(&text);
}

/* Does it depend on a local without a value? */
static int has_unset(struct diff_pair *x, expr_t e)
{
	uint32_t count;
	const expr_t *vars = expr_vars(x->p, e, &count);
	for (uint32_t i = 0; i < count; i++)
		if (expr_get(x->p, vars[i])->op == EXPR_OP_NAMED && !strncmp(expr_name(x->p, vars[i]), VC_UNSET, strlen(VC_UNSET)))
			return 1;
	return 0;
}

/* The conditions for which one version crashes say more than the inputs that were found before. */
static void drop_crashes(struct diff_function *f)
{
	size_t kept = 0;
	for (size_t i = 0; i < f->cases.size; i++)
		if (f->cases.data[i].undefined)
			diff_case_release(&f->cases.data[i]);
		else
			f->cases.data[kept++] = f->cases.data[i];
	f->cases.size = kept;
}

static void say_why(struct diff_pair *x, struct diff_function *f)
{
	struct buf text = BUF_EMPTY;
	if (deadline_over()) /* evaluations were cut off, too */
		buf_adds(&text, "the time was over");
	for (int k = 0; k < 2 && !text.size; k++)
		if (x->side[k].why && diff_pair_check(x, &x->side[k].unknown, 1, NULL) != VERDICT_UNSAT) {
			buf_addf(&text, "%s", x->side[k].why);
			if (x->side[k].why_line)
				buf_addf(&text, " (line %u of the %s version)", x->side[k].why_line, k == OLD ? "old" : "new");
		}
	if (!text.size && diff_pair_is_over(x))
		buf_adds(&text, "the time was over");
	if (!text.size)
		for (int k = 0; k < 2 && !text.size; k++)
			if (x->side[k].bound != expr_false(x->p))
				buf_addf(&text, "more than %u iterations of a loop, or nested calls", x->unroll);
	if (!text.size && x->open != expr_false(x->p) && diff_pair_check(x, &x->open, 1, NULL) != VERDICT_UNSAT)
		buf_addf(&text, x->resized ? "'%s' has another type or storage" : has_unset(x, x->open) ? "a local that may have no value" : "what functions outside do", x->resized);
	if (!text.size && (x->side[OLD].overlaps || x->side[NEW].overlaps))
		buf_adds(&text, "memory that is copied may overlap");
	if (!text.size)
		buf_adds(&text, "no condition was found");
	free(f->why);
	f->why = buf_take(&text);
}

/* A byte without a name that is 0 as memory is anyway. */
static int is_dull(const struct diff_input *i)
{
	return !strncmp(i->name, "*(uint", 6) && !strcmp(i->value, "0");
}

void diff_case_inputs(const struct diff_case *c, int all, struct buf *out)
{
	unsigned shown = 0, left_out = 0;

	for (size_t i = 0; i < c->inputs.size; i++) {
		const struct diff_input *input = &c->inputs.data[i];

		if (!all && (is_dull(input) || shown == SHOWN))
			left_out++;
		else
			buf_addf(out, "%s%s = %s", shown++ ? ", " : "", input->name, input->value);
	}
	buf_addf(out, "%s%s", left_out ? shown ? ", ..." : "..." : "", c->inputs.size ? "" : "no arguments");
}

struct sets { /* as conditions */
	struct diff_cover changed, termination, same, undefined, crash;
	unsigned most, examples; /* parts of each, and of what changed */
};

/* The part of the time that is left: what is over then is given back to the others. */
static void cover_changed(struct diff_pair *x, struct sets *s)
{
	double end = x->end, clock_end = x->clock_end;
	diff_pair_limit_to(x, SHARE);
	cover_confirmed(x, x->diff, s->examples, (struct diff_case){0}, &s->changed);
	x->end = end;
	x->clock_end = clock_end;
}

static void make_covers(struct diff_pair *x, struct sets *s)
{
	cover_changed(x, s);
	if (diff_pair_is_input_only(x, x->termination))
		cover_confirmed(x, x->termination, s->most, (struct diff_case){.termination = 1}, &s->termination);
	diff_cover_make(x, x->same, x->proved_same, s->most, NULL, &s->same);
	diff_cover_make(x, x->undefined, EXPR_NONE, s->most, NULL, &s->undefined);
	if (x->crash != expr_false(x->p) && diff_pair_is_input_only(x, x->crash))
		cover_confirmed(x, x->crash, s->most, (struct diff_case){.undefined = 1}, &s->crash);
}

static void say_sets(struct diff_pair *x, struct diff_function *f, struct sets *s, int known, struct buf *points)
{
	if (!f->changed)
		f->changed = points->size ? buf_take(points) : text_of(&s->changed);
	f->termination = text_of(&s->termination);
	f->unchanged = text_of(&s->same);
	f->undefined = text_of(&s->undefined);
	if (!known || !s->termination.exact)
		return;
	complete_cover(x, x->undefined, &s->undefined, &f->undefined);
	if (s->same.exact && s->undefined.exact && !s->changed.exact && !s->changed.refused && f->changed) {
		free(f->changed);
		f->changed = complement(f->unchanged, f->termination, f->undefined);
		s->changed.exact = 1;
	}
	complete_changed(x, f, &s->changed);
	if (s->changed.exact && s->undefined.exact && !s->same.exact) {
		free(f->unchanged);
		f->unchanged = complement(f->changed, f->termination, f->undefined);
		s->same.exact = 1;
	}
}

void diff_describe_pair(struct diff_pair *x, struct diff_function *f)
{
	struct sets s = {0};
	struct buf points = BUF_EMPTY;
	const struct diff_options *o = x->d->o;
	const char *contract = o->contract ? o->contract(o->contract_ctx, f->file, f->name) : NULL;
	if (contract)
		f->given = diff_given_contract(x, contract);
	expr_t rest = expr_or(x->p, x->unknown, x->open);
	int known = rest == expr_false(x->p) || diff_pair_check(x, &rest, 1, NULL) == VERDICT_UNSAT;
	if (!known) /* it will not be complete: a part is enough */
		diff_pair_limit(x, REST, DIFF_WAITS);
	s.most = known ? CUBES : PARTS;
	s.examples = known ? CUBES : EXAMPLES;
	make_covers(x, &s);
	if (s.changed.cubes.size) { /* they say more than single inputs */
		diff_describe_drop_cases(f, f->cases.size);
		free(f->changed);
		f->changed = NULL;
	}
	take_cases(&s.changed, f);
	if (!f->cases.size)
		confirm_models(x, f, x->diff, (struct diff_case){0}, &points);
	if (!known && !f->cases.size)
		confirm_models(x, f, x->open, (struct diff_case){0}, &points);
	take_cases(&s.termination, f);
	if (s.crash.cubes.size)
		drop_crashes(f);
	take_cases(&s.crash, f);
	say_sets(x, f, &s, known, &points);
	diff_refine_keep(x, &s.same);
	f->complete = known && s.changed.exact && s.termination.exact && s.undefined.exact && s.same.exact;
	f->verdict = f->cases.size ? DIFF_CHANGED : DIFF_MAY;
	if (!f->complete)
		say_why(x, f);
	else if (f->verdict == DIFF_MAY)
		f->why = strdup("one version is undefined where the other is not");
	diff_cover_release(&s.changed);
	diff_cover_release(&s.termination);
	diff_cover_release(&s.same);
	diff_cover_release(&s.undefined);
	diff_cover_release(&s.crash);
	buf_release(&points);
}
