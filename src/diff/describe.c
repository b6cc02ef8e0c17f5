/* describe.c: what is said of a pair that is not equal: its sets as conditions, and runs of both versions that show them.
 *
 * A set is claimed by the conditions of its cover (cover.c). For changed and termination each condition has a run of both versions that shows it; one without is not claimed, and the pair is not complete. Where
 * it depends on what functions outside do, only single inputs that were run are claimed.
 */
#include "diff/inside.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

#define REST 1.0     /* seconds for the sets where something stays open */
#define CUBES 8	     /* of a set */
#define PARTS 4	     /* of one that is not known as a whole: more tell a reader no more */
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

/* Drops cubes that no run shows. */
static void confirm_cubes(struct diff_pair *x, struct diff_cover *c, expr_t set, struct diff_case kind, struct diff_function *f)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->cubes.size; i++) {
		struct diff_cube *cube = &c->cubes.data[i];
		struct diff_case k = kind;
		VEC(expr_t) region = {0};
		for (size_t j = 0; j < cube->literals.size; j++)
			vec_push(&region, cube->literals.data[j]);
		vec_push(&region, set);
		int ok = diff_witness_run(x, &cube->model, region.data, (unsigned)region.size, &k);
		vec_release(&region);
		if (ok) {
			if (!kind.termination && !kind.undefined)
				say_example(x, cube, &k);
			diff_describe_add_case(f, &k, cube->text);
			struct diff_cube swap = c->cubes.data[kept];
			c->cubes.data[kept++] = *cube;
			c->cubes.data[i] = swap;
		}
	}
	for (size_t i = kept; i < c->cubes.size; i++) {
		struct diff_cube *cube = &c->cubes.data[i];
		vec_release(&cube->literals);
		free(cube->text);
		solve_model_release(&cube->model);
	}
	if (kept < c->cubes.size)
		c->exact = 0;
	c->cubes.size = kept;
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

static char *complement(const char *a, const char *b, const char *c)
{
	const char *list[3] = {a, b, c};
	struct buf text = BUF_EMPTY;
	for (int i = 0; i < 3; i++)
		if (list[i])
			buf_addf(&text, "%s!(%s)", text.size ? " && " : "", list[i]);
	return buf_take(&text);
}

static void say_why(struct diff_pair *x, struct diff_function *f)
{
	struct buf text = BUF_EMPTY;
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
		buf_adds(&text, "what functions outside do");
	if (!text.size)
		buf_adds(&text, "no condition was found");
	free(f->why);
	f->why = buf_take(&text);
}

/* The sets of a pair that is not equal. */
void diff_describe_pair(struct diff_pair *x, struct diff_function *f)
{
	struct diff_cover changed = {0}, termination = {0}, same, undefined, crash = {0};
	struct buf points = BUF_EMPTY;
	expr_t rest = expr_or(x->p, x->unknown, x->open);
	int known = rest == expr_false(x->p) || diff_pair_check(x, &rest, 1, NULL) == VERDICT_UNSAT;
	if (!known) /* it will not be complete: a part is enough */
		diff_pair_limit(x, REST, DIFF_WAITS);
	unsigned most = known ? CUBES : PARTS;
	size_t found = f->cases.size;
	diff_cover_make(x, x->diff, most, &changed);
	if (diff_pair_is_input_only(x, x->termination))
		diff_cover_make(x, x->termination, most, &termination);
	diff_cover_make(x, x->same, most, &same);
	diff_cover_make(x, x->undefined, most, &undefined);
	confirm_cubes(x, &changed, x->diff, (struct diff_case){0}, f);
	if (changed.cubes.size) { /* they say more than single inputs */
		diff_describe_drop_cases(f, found);
		free(f->changed);
		f->changed = NULL;
	}
	if (!f->cases.size)
		confirm_models(x, f, x->diff, (struct diff_case){0}, &points);
	if (!known && !f->cases.size)
		confirm_models(x, f, x->open, (struct diff_case){0}, &points);
	confirm_cubes(x, &termination, x->termination, (struct diff_case){.termination = 1}, f);
	if (x->crash != expr_false(x->p) && diff_pair_is_input_only(x, x->crash)) {
		diff_cover_make(x, x->crash, most, &crash);
		confirm_cubes(x, &crash, x->crash, (struct diff_case){.undefined = 1}, f);
	}
	if (!f->changed)
		f->changed = points.size ? buf_take(&points) : text_of(&changed);
	f->termination = text_of(&termination);
	f->unchanged = text_of(&same);
	f->undefined = text_of(&undefined);
	if (known && changed.exact && termination.exact && undefined.exact && !same.exact) {
		free(f->unchanged);
		f->unchanged = complement(f->changed, f->termination, f->undefined);
		same.exact = 1;
	} else if (known && f->changed && !changed.exact && termination.exact && undefined.exact && same.exact) {
		free(f->changed);
		f->changed = complement(f->unchanged, f->termination, f->undefined);
		changed.exact = 1;
	}
	f->complete = known && changed.exact && termination.exact && undefined.exact && same.exact;
	f->verdict = f->cases.size ? DIFF_CHANGED : DIFF_MAY;
	if (!f->complete)
		say_why(x, f);
	else if (f->verdict == DIFF_MAY)
		f->why = strdup("one version is undefined where the other is not");
	diff_cover_release(&changed);
	diff_cover_release(&termination);
	diff_cover_release(&same);
	diff_cover_release(&undefined);
	diff_cover_release(&crash);
	buf_release(&points);
}
