/* test_json.c: the result of `muster test` as one JSON object (docs/unit-tests.md has the keys). */
#include "check/suppress.h"
#include "cmd/confine.h"
#include "unit/unit.h"

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "report/bug.h"
#include "report/checks.h"

#include <stdio.h>
#include <stdlib.h>

static void json_inputs(struct json *j, const struct test_session *s, const struct test_function *f,
			const void *data, size_t size)
{
	struct buf text = {0};
	harness_print_json(s->harness, f->harness->number, data, size, &text);
	json_key(j, "inputs");
	if (text.size)
		json_raw(j, text.data, text.size);
	else
		json_null(j);
	buf_release(&text);
}

static void json_limits(struct json *j, const struct test_function *f)
{
	json_key(j, "limits"), json_array_open(j);
	for (unsigned i = 0; i < HARNESS_LIMIT_COUNT; i++)
		if (f->harness->limits & 1u << i)
			json_str(j, harness_limit_words((enum harness_limit)i));
	json_array_close(j);
}

/* Outcomes that no test took: as "line:column outcome". */
static void json_uncovered(struct json *j, const struct test_session *s, const struct test_function *f)
{
	const struct site_table *t = NULL;
	struct site_decision d;
	struct site site;
	char text[48];
	for (size_t i = 0; i < s->cov.sites.count; i++)
		if (s->cov.sites.tables[i].unit == f->unit)
			t = &s->cov.sites.tables[i];
	json_key(j, "uncovered"), json_array_open(j);
	for (uint32_t i = 0; t && f->covered < f->outcomes && i < t->decisions; i++) {
		if (!site_table_decision(t, i, &d) || d.check || d.first_outcome - f->first_outcome >= f->outcomes)
			continue;
		for (uint32_t o = 0; o < d.outcomes; o++) {
			if (map_get(&s->covered, (uint64_t)f->unit << 32 | (d.first_outcome + o), NULL) ||
			    !site_find(&s->cov.sites, f->unit, d.index, &site))
				continue;
			snprintf(text, sizeof text, "%u:%u %u", site.line, site.column, o);
			json_str(j, text);
		}
	}
	json_array_close(j);
}

static void json_function(struct json *j, const struct test_session *s, struct test_function *f)
{
	uint64_t paths = 0;
	for (size_t i = 0; i < f->tests.size; i++)
		paths += f->tests.data[i].path != 0 && !(f->tests.data[i].flags & TEST_ASSUMED);
	json_object_open(j);
	json_key(j, "name"), json_str(j, f->name);
	json_key(j, "file"), json_str(j, f->front->file);
	json_key(j, "line"), json_u64(j, f->front->line);
	json_key(j, "verdict"), json_str(j, test_verdict_word(f->verdict));
	json_key(j, "why"), json_str(j, f->why.size ? buf_str(&f->why) : NULL);
	json_key(j, "branches"), json_object_open(j);
	json_key(j, "covered"), json_u64(j, f->covered);
	json_key(j, "total"), json_u64(j, f->outcomes);
	json_object_close(j);
	json_uncovered(j, s, f);
	json_key(j, "paths"), json_u64(j, paths);
	json_key(j, "summaries"), json_u64(j, f->summaries);
	json_key(j, "tests"), json_u64(j, test_count(f));
	json_key(j, "bugs"), json_u64(j, f->bugs);
	json_key(j, "suspected"), json_u64(j, f->suspected);
	json_key(j, "runs"), json_u64(j, f->result.inputs);
	json_key(j, "most_elements"), json_u64(j, harness_most_elements(s->harness, f->result.growth));
	json_key(j, "most_characters"), json_u64(j, harness_most_characters(s->harness, f->result.growth) - 1);
	json_key(j, "runs_to_coverage"), json_u64(j, f->result.covered_at);
	json_key(j, "seconds_to_coverage"), json_double(j, f->result.covered_seconds);
	json_key(j, "running_to_coverage"), json_double(j, f->result.covered_running);
	json_key(j, "exhausted"), json_bool(j, (int)(f->result.ended && f->result.exhausted));
	json_key(j, "seconds"), json_double(j, f->result.seconds);
	json_limits(j, f);
	json_key(j, "losses"), json_object_open(j);
	for (int i = 0; i < LOSS_COUNT; i++)
		if (f->result.losses.count[i])
			json_key(j, search_loss_key((enum search_loss)i)),
			    json_u64(j, f->result.losses.count[i]);
	json_object_close(j);
	json_object_close(j);
}

static void json_tests(struct json *j, const struct test_session *s, const struct test_function *f)
{
	for (size_t i = 0; i < f->tests.size; i++) {
		const struct test_case *t = &f->tests.data[i];
		if (t->flags & TEST_ASSUMED)
			continue;
		json_object_open(j);
		json_key(j, "id"), json_id(j, t->id);
		json_key(j, "function"), json_str(j, f->name);
		json_inputs(j, s, f, t->data, t->size);
		json_key(j, "file"), json_null(j);
		json_key(j, "diverged"), json_bool(j, !!(t->flags & TEST_DIVERGED));
		json_key(j, "new_branches"), json_u64(j, t->new_outcomes);
		json_key(j, "covers"), json_bool(j, !!(t->flags & TEST_COVERS));
		json_key(j, "failed"), json_bool(j, t->failed);
		json_object_close(j);
	}
}

static void json_bug(struct json *j, struct test_session *s, const struct test_bug *b)
{
	struct result_bug r = test_result_bug(s, b);
	bug_json(j, &r);
}

static void json_stats(struct json *j, struct test_session *const *sessions, size_t count)
{
	struct search_stats search = {0};
	struct solve_stats solve = {0};
	uint64_t checks = 0, diverged = 0, hits = 0, late = 0;
	double solving = 0, building = 0, batches = 0, shrinking = 0, confirming = 0;
	for (size_t i = 0; i < count; i++) {
		search_stats_add(&search, &sessions[i]->stats);
		solve_stats_add(&solve, &sessions[i]->solve);
		checks += sessions[i]->checks;
		late += sessions[i]->late;
		if (sessions[i]->o->repeatable)
			continue;
		building += sessions[i]->built - sessions[i]->started;
		batches += sessions[i]->batch_seconds;
		shrinking += sessions[i]->shrink_seconds;
		confirming += sessions[i]->confirm_seconds;
	}
	for (int i = 0; i < DIVERGED_COUNT; i++)
		diverged += i == DIVERGED_OPTIMISTIC ? 0 : search.diverged[i];
	for (int i = 0; i < SOLVE_RUNG_COUNT; i++)
		solving += count && sessions[0]->o->repeatable ? 0 : solve.seconds[i];
	for (int i = 0; i < SOLVE_SEARCH; i++)
		hits += solve.answered[i];
	json_key(j, "stats"), json_object_open(j);
#define X(name, key, words) json_key(j, key), json_u64(j, search.name);
	SEARCH_STATS(X)
#undef X
	json_key(j, "suppressed"), json_u64(j, suppress_count());
	json_key(j, "divergences"), json_u64(j, diverged);
	json_key(j, "queries"), json_u64(j, solve.queries);
	json_key(j, "sat"), json_u64(j, solve.sat);
	json_key(j, "unsat"), json_u64(j, solve.unsat);
	json_key(j, "unknown"), json_u64(j, solve.unknown);
	json_key(j, "cache_hits"), json_u64(j, hits);
	json_key(j, "solver_seconds"), json_double(j, solving);
	json_key(j, "build_seconds"), json_double(j, building);
	json_key(j, "san_runs"), json_u64(j, checks);
	json_key(j, "unchecked"), json_u64(j, late);
	json_key(j, "san_seconds"), json_double(j, batches);
	json_key(j, "shrink_seconds"), json_double(j, shrinking);
	json_key(j, "confirm_seconds"), json_double(j, confirming);
	if (count)
		checks_stats_json(j, &search, &solve, sessions[0]->o->checks, sessions[0]->o->combine);
	json_object_close(j);
}

static void json_scope(struct json *j, struct test_session *const *sessions, size_t count)
{
	struct buf scope = {0};
	if (count && sessions[0]->harness)
		test_scope(sessions[0], &scope);
	json_key(j, "scope"), json_str(j, buf_str(&scope));
	if (count)
		json_key(j, "checkers"), check_names_json(j, sessions[0]->o->checks);
	buf_release(&scope);
}

void test_print_json(struct test_session *const *sessions, size_t count, const char *status,
		     double seconds)
{
	struct buf out = {0};
	struct json j;
	json_begin(&j, &out);
	j.indent = 1;
	json_object_open(&j);
	json_key(&j, "command"), json_str(&j, "test");
	json_key(&j, "status"), json_str(&j, status);
	confine_json(&j);
	json_key(&j, "seconds"), json_double(&j, seconds);
	json_scope(&j, sessions, count);
	json_key(&j, "functions"), json_array_open(&j);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < sessions[i]->functions.size; k++)
			json_function(&j, sessions[i], &sessions[i]->functions.data[k]);
	json_array_close(&j);
	json_key(&j, "tests"), json_array_open(&j);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < sessions[i]->functions.size; k++)
			json_tests(&j, sessions[i], &sessions[i]->functions.data[k]);
	json_array_close(&j);
	json_key(&j, "bugs"), json_array_open(&j);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < sessions[i]->bugs.size; k++)
			json_bug(&j, sessions[i], &sessions[i]->bugs.data[k]);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < sessions[i]->program_bugs.size; k++)
			if (test_program_only(sessions[i], k))
				bug_json(&j, &sessions[i]->program_bugs.data[k]);
	json_array_close(&j);
	json_stats(&j, sessions, count);
	json_object_close(&j);
	fwrite(out.data, 1, out.size, stdout);
	putchar('\n');
	buf_release(&out);
}
