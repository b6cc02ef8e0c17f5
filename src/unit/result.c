/* result.c: what the sessions of `muster test` found, as the model of results has it: the only thing that formats and the store read. */
#include "unit/unit.h"

#include "base/shell.h"
#include "report/checks.h"
#include "report/figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- bugs */

static void add_replay(const struct test_session *s, const struct test_bug *b, struct buf *out)
{
	buf_adds(out, "muster replay ");
	check_option_word(out, s->o->checks, b->finding.bug.kind);
	shell_paste_path(out, b->finding.bug.input_file);
	/* Where all is in its usual place, the store knows the program: its name is a hash. */
	if (s->o->out || s->o->store || getenv("MUSTER_DIR")) {
		buf_adds(out, " -- ");
		shell_paste(out, s->driven.program);
	}
}

static void add_scope(const struct test_session *s, const struct test_bug *b, struct buf *out)
{
	const struct test_function *f = &s->functions.data[b->function];
	if (f->accepted) {
		buf_addf(out, "the call keeps the accepted contract of %s (%s)", f->name, f->accepted);
		if (b->finding.bug.cause)
			buf_addf(out, ", which now requires %s", b->finding.bug.cause);
	} else if (s->o->entry) {
		buf_adds(out, "program level: the entry that was named");
	} else if (b->program) {
		buf_adds(out, "program level: an input of the whole program leads there");
	} else if (test_is_program_level(b)) {
		buf_adds(out, "program level: main itself leads there");
	} else {
		buf_adds(out, "function level: the caller is not proven to allow this");
		test_program_scope(s, out);
	}
}

static const char *const *also_names(struct test_session *s, const struct test_bug *b, struct result *r)
{
	const char **names = arena_alloc(&r->strings, b->also.size * sizeof *names + 1);
	for (size_t i = 0; i < b->also.size; i++)
		names[i] = s->functions.data[b->also.data[i]].name;
	return names;
}

static void add_bug(struct test_session *s, const struct test_bug *b, struct result *r)
{
	const struct test_function *f = &s->functions.data[b->function];
	struct result_bug x = b->finding.bug;
	struct buf text = {0};
	x.function = x.function[0] ? x.function : f->name;
	x.file = x.file[0] ? x.file : f->front->file;
	x.signal = 0;
	x.test = test_stored_id(s, b);
	x.report = NULL; /* it has addresses, which differ between runs that are the same otherwise */
	x.data = b->data.data;
	x.size = b->data.size;
	x.entry = f->name;
	x.also = also_names(s, b, r);
	x.also_count = b->also.size;
	x.program = b->program ? &s->whole.bugs.data[b->program - 1] : NULL;
	harness_print_json(s->driven.harness, f->harness->number, b->data.data, b->data.size, &text);
	x.inputs = text.size ? result_keep(r, &text) : "null";
	harness_print_inline(s->driven.harness, f->harness->number, b->data.data, b->data.size, &text);
	x.call = result_keep(r, &text);
	add_replay(s, b, &text);
	x.replay = result_keep(r, &text);
	add_scope(s, b, &text);
	x.scope = result_keep(r, &text);
	buf_release(&text);
	vec_push(&r->bugs, x);
}

static void add_contract(struct test_session *s, const struct test_contract *c, struct result *r)
{
	const struct test_function *f = &s->functions.data[c->function];
	struct result_contract x = {.function = f->name, .requires = c->requires, .places = c->places, .necessary = c->necessary, .before = c->before};
	struct buf text = {0};
	harness_print_json(s->driven.harness, f->harness->number, c->data, c->size, &text);
	x.inputs = text.size ? result_keep(r, &text) : "null";
	harness_print_inline(s->driven.harness, f->harness->number, c->data, c->size, &text);
	x.call = result_keep(r, &text);
	buf_release(&text);
	vec_push(&r->contracts, x);
}

static void add_uncalled(struct test_session *s, const struct test_bug *b, struct result *r)
{
	const struct test_function *f = &s->functions.data[b->function];
	const struct result_bug *x = &b->finding.bug;
	struct result_uncalled u = {.function = f->name, .kind = x->kind, .file = x->file[0] ? x->file : f->front->file, .line = x->line, .summary = x->summary, .cause = x->cause};
	struct buf text = {0};
	harness_print_json(s->driven.harness, f->harness->number, b->data.data, b->data.size, &text);
	u.inputs = text.size ? result_keep(r, &text) : "null";
	harness_print_inline(s->driven.harness, f->harness->number, b->data.data, b->data.size, &text);
	u.call = result_keep(r, &text);
	buf_release(&text);
	vec_push(&r->uncalled, u);
}

/* Accepted: nothing of it was broken. */
static void add_accepted(const struct test_function *f, struct result *r)
{
	if (test_is_given(f))
		vec_push(&r->contracts, (struct result_contract){.function = f->name, .requires = f->accepted, .accepted = 1, .inputs = "null", .call = ""});
}

/* ---------------------------------------------------------------- functions */

/* Outcomes that no test took: as "line:column outcome". */
static void add_uncovered(const struct test_session *s, const struct test_function *f, struct result_function *to, struct result *r)
{
	const struct site_table *t = NULL;
	struct site_decision d;
	struct site site;
	VEC(const char *) list = {0};
	struct buf text = {0};
	for (size_t i = 0; i < s->driven.cov.sites.count; i++)
		if (s->driven.cov.sites.tables[i].unit == f->unit)
			t = &s->driven.cov.sites.tables[i];
	for (uint32_t i = 0; t && f->covered < f->outcomes && i < t->decisions; i++) {
		if (!site_table_decision(t, i, &d) || d.check || d.first_outcome - f->first_outcome >= f->outcomes)
			continue;
		for (uint32_t o = 0; o < d.outcomes; o++) {
			if (map_get(&s->covered, (uint64_t)f->unit << 32 | (d.first_outcome + o), NULL) ||
			    !site_find(&s->driven.cov.sites, f->unit, d.index, &site))
				continue;
			buf_addf(&text, "%u:%u %u", site.line, site.column, o);
			vec_push(&list, result_keep(r, &text));
		}
	}
	to->uncovered = list.size ? arena_copy(&r->strings, list.data, list.size * sizeof *list.data) : NULL;
	to->uncovered_count = list.size;
	vec_release(&list);
	buf_release(&text);
}

/* What --strategy auto chose, and from what. 1; 0: nothing was to be chosen. */
static int add_choice(const struct test_session *s, const struct test_function *f, struct buf *out)
{
	const struct test_learned *l = &f->result.learned;
	if (s->o->kind != KIND_AUTO || !l->inside)
		return 0;
	buf_addf(out, "%u of %u decisions of a path are inside of callees that were searched to their end, most of them in %s", l->inside, l->decisions, s->functions.data[l->callee].name);
	if (f->result.kind != KIND_COMPOSITIONAL)
		buf_adds(out, "; with summaries in their place the search came to no end");
	return 1;
}

struct result_function test_result_function(struct test_session *s, struct test_function *f, struct result *r)
{
	struct buf text = {0};
	struct result_function to = {
	    .name = f->name,
	    .file = f->front->file,
	    .line = f->front->line,
	    .verdict = test_verdict_word(f->verdict),
	    .why = f->why.size ? buf_str(&f->why) : NULL,
	    .covered = f->covered,
	    .total = f->outcomes,
	    .tests = test_count(f),
	    .summaries = f->summaries,
	    .bugs = f->bugs,
	    .suspected = f->suspected,
	    .runs = f->result.inputs,
	    .most_elements = harness_most_elements(s->driven.harness, f->result.growth),
	    .most_characters = harness_most_characters(s->driven.harness, f->result.growth) - 1,
	    .runs_to_coverage = f->result.covered_at,
	    .seconds_to_coverage = f->result.covered_seconds,
	    .running_to_coverage = f->result.covered_running,
	    .exhausted = f->result.ended && f->result.exhausted && !f->beyond,
	    .reused = f->reuse.how == TEST_REUSE_ALL,
	    .strategy = f->searched ? search_kind_word((enum search_kind)f->result.kind) : NULL,
	    .seconds = f->result.seconds,
	};
	if (f->verdict == TEST_GIVEN && f->contexts) {
		to.given = "its callers";
	} else if (f->verdict == TEST_GIVEN) {
		test_contract_text(s, (uint32_t)(f - s->functions.data), &text);
		if (!text.size)
			buf_adds(&text, "true");
		to.given = result_keep(r, &text);
		test_within_text(f, &text);
		to.within = text.size ? result_keep(r, &text) : NULL;
	}
	for (size_t i = 0; i < f->tests.size; i++)
		to.paths += f->tests.data[i].path != 0 && !(f->tests.data[i].flags & TEST_ASSUMED);
	for (int i = 0; i < LOSS_COUNT; i++)
		if (f->result.losses.count[i])
			buf_addf(&text, "%s%s %llu", text.size ? ", " : "", search_loss_key((enum search_loss)i),
				 (unsigned long long)f->result.losses.count[i]);
	to.losses = result_keep(r, &text);
	for (unsigned i = 0; i < HARNESS_LIMIT_COUNT; i++)
		if (f->harness->limits & 1u << i)
			buf_addf(&text, "%s%s", text.size ? "; " : "", harness_limit_words((enum harness_limit)i));
	to.limits = result_keep(r, &text);
	test_conditions(s, f, &text);
	if (text.size)
		to.conditions = result_keep(r, &text);
	if (add_choice(s, f, &text))
		to.choice = result_keep(r, &text);
	buf_release(&text);
	add_uncovered(s, f, &to, r);
	return to;
}

/* -------------------------------------------------------------------- tests */

static void add_tests(const struct test_session *s, const struct test_function *f, struct result *r)
{
	struct buf text = {0};
	for (size_t i = 0; i < f->tests.size; i++) {
		const struct test_case *t = &f->tests.data[i];
		if (t->flags & TEST_ASSUMED)
			continue;
		harness_print_json(s->driven.harness, f->harness->number, t->data, t->size, &text);
		vec_push(&r->tests, (struct result_test){
					.id = t->id,
					.function = f->name,
					.data = t->data,
					.size = t->size,
					.inputs = text.size ? result_keep(r, &text) : "null",
					.new_branches = t->new_outcomes,
					.diverged = !!(t->flags & TEST_DIVERGED),
					.covers = !!(t->flags & TEST_COVERS),
					.failed = t->failed,
				    });
	}
	buf_release(&text);
}

/* --------------------------------------------------------------- statistics */

static void add_figures(struct test_session *const *sessions, size_t count, struct result *r)
{
	struct search_stats search = {0};
	struct solve_stats solve = {0};
	uint64_t checks = 0, late = 0, unexplained = 0;
	double building = 0, batches = 0, shrinking = 0, confirming = 0;
	int repeatable = count && sessions[0]->o->repeatable;
	for (size_t i = 0; i < count; i++) {
		search_stats_add(&search, &sessions[i]->costs.search);
		solve_stats_add(&solve, &sessions[i]->costs.solve);
		checks += sessions[i]->costs.checks;
		late += sessions[i]->costs.late;
		unexplained += sessions[i]->costs.unexplained;
		building += sessions[i]->costs.built - sessions[i]->costs.started;
		batches += sessions[i]->costs.batch_seconds;
		shrinking += sessions[i]->costs.shrink_seconds;
		confirming += sessions[i]->costs.confirm_seconds;
	}
	for (int i = 0; i < SOLVE_RUNG_COUNT; i++)
		solve.seconds[i] = repeatable ? 0 : solve.seconds[i];
	figures_add(r, &search, &solve);
	result_real(r, repeatable ? 0 : building, "build_seconds");
	result_count(r, checks, "san_runs");
	result_count(r, late, "unchecked");
	result_count(r, unexplained, "unexplained");
	result_real(r, repeatable ? 0 : batches, "san_seconds");
	result_real(r, repeatable ? 0 : shrinking, "shrink_seconds");
	result_real(r, repeatable ? 0 : confirming, "confirm_seconds");
	if (count)
		figures_add_checks(r, &search, &solve, sessions[0]->o->checks, sessions[0]->o->combine);
}

/* -------------------------------------------------------------------- reuse */

static void add_reuse(struct test_session *const *sessions, size_t count, struct result *r)
{
	static const char *const now[] = {RESULT_UNKNOWN, RESULT_FIXED, RESULT_STILL_THERE};
	uint64_t functions = 0, tests = 0;
	uint64_t held = 0, again = 0, unreached = 0, unseen = 0;
	double saved = 0;
	for (size_t i = 0; i < count; i++) {
		const struct test_session *s = sessions[i];
		held += s->reuse.held;
		again += s->reuse.again;
		unreached += s->reuse.unreached;
		unseen += s->reuse.unseen;
		functions += s->reuse.functions;
		tests += s->reuse.tests;
		saved += s->reuse.saved;
		for (size_t k = 0; k < s->reuse.bugs.size; k++) {
			const struct test_old_bug *b = &s->reuse.bugs.data[k];
			vec_push(&r->old_bugs, (struct result_old_bug){b->kind, b->function, b->line, now[b->now]});
		}
	}
	result_count(r, functions, "reused.functions");
	result_count(r, tests, "reused.tests");
	result_real(r, saved, "reused.seconds");
	if (held || again || unreached || unseen) {
		result_count(r, held, "summaries_before.hold");
		result_count(r, again, "summaries_before.recomputed");
		result_count(r, unreached, "summaries_before.unreached");
		result_count(r, unseen, "summaries_before.not_looked_at");
	}
}

/* -------------------------------------------------------------------- whole */

void test_result(struct test_session *const *sessions, size_t count, int tests, struct result *r)
{
	*r = (struct result){.test_fields = RESULT_TEST(ID) | RESULT_TEST(FUNCTION) | RESULT_TEST(INPUTS) | RESULT_TEST(FILE) | RESULT_TEST(DIVERGED) |
					    RESULT_TEST(NEW_BRANCHES) | RESULT_TEST(COVERS) | RESULT_TEST(FAILED),
			     .function_fields = ~(RESULT_FIELD(FUNCTION, LOOPS) | RESULT_FIELD(FUNCTION, DOMAIN) | RESULT_FIELD(FUNCTION, WEAKENED) | RESULT_FIELD(FUNCTION, LIMITS_WORDS) |
						  RESULT_FIELD(FUNCTION, LOSSES_WORDS) | RESULT_FIELD(FUNCTION, MACHINE) | RESULT_FIELD(FUNCTION, RUN))};
	for (size_t i = 0; i < count; i++) {
		struct test_session *s = sessions[i];
		for (size_t k = 0; k < s->functions.size; k++)
			if (!s->functions.data[k].helper)
				vec_push(&r->functions, test_result_function(s, &s->functions.data[k], r));
		for (size_t k = 0; k < s->functions.size && tests; k++)
			if (!s->functions.data[k].helper)
				add_tests(s, &s->functions.data[k], r);
		for (size_t k = 0; k < s->bugs.size; k++)
			if (!s->bugs.data[k].owed)
				add_bug(s, &s->bugs.data[k], r);
			else if (s->bugs.data[k].uncalled)
				add_uncalled(s, &s->bugs.data[k], r);
		for (size_t k = 0; k < s->functions.size; k++)
			if (!s->functions.data[k].helper)
				add_accepted(&s->functions.data[k], r);
		for (size_t k = 0; k < s->contracts.size; k++)
			add_contract(s, &s->contracts.data[k], r);
	}
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < sessions[i]->whole.bugs.size; k++)
			if (test_program_only(sessions[i], k))
				vec_push(&r->bugs, sessions[i]->whole.bugs.data[k]);
	add_figures(sessions, count, r);
	add_reuse(sessions, count, r);
}
