/* fuzz_report.c: the result of a search: a few lines for a person, or one JSON object. */
#include "base/budget.h"
#include "base/error.h"
#include "base/json.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/shell.h"
#include "check/suppress.h"
#include "report/bug.h"
#include "report/checks.h"
#include "cmd/confine.h"
#include "cmd/fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the folders are: with -S not in the directory that -o names. */
static char *folder(const struct fuzz_options *o)
{
	return o->secondary ? file_join(o->out, o->secondary) : mem_strdup(o->out);
}

static char *replay_command(const struct fuzz_options *o, const char *kind, const char *file, const char *command)
{
	struct buf b = {0};
	buf_adds(&b, "muster replay ");
	check_option_word(&b, o->search.checks, kind);
	shell_paste_path(&b, file);
	buf_adds(&b, " -- ");
	shell_paste_line(&b, command);
	return buf_take(&b);
}

/* -------------------------------------------------------------------- text */

struct text {
	const struct fuzz_options *o;
	const char *dir, *command, *program;
};

static int print_bug(void *ctx, const struct result_bug *b)
{
	struct text *t = ctx;
	struct buf source = {0}, input = {0};
	printf("%s %s", b->confirmed ? "bug      " : "suspected", b->summary);
	if (b->count > 1)
		printf(" (%" PRIu64 " inputs)", b->count);
	char *file = file_join(t->dir, b->input_file), *replay = replay_command(t->o, b->kind, file, t->command);
	bug_source(b->file, b->line, t->program, "         ", &source);
	bug_input(b->data, b->size, &input);
	printf("\n%s          %s, %zu bytes: %s\n          %s\n", buf_str(&source), file, b->size, buf_str(&input), replay);
	buf_release(&source);
	buf_release(&input);
	free(replay);
	free(file);
	return 0;
}

static void print_rungs(const struct solve_stats *s)
{
	const char *sep = "";
	printf("queries   %" PRIu64 " (%" PRIu64 " sat, %" PRIu64 " unsat, %" PRIu64 " unknown): ",
	       s->queries, s->sat, s->unsat, s->unknown);
	for (int i = 0; i < SOLVE_RUNG_COUNT; i++)
		if (s->answered[i]) {
			printf("%s%s %.0f %%", sep, solve_rung_key(i),
			       100.0 * (double)s->answered[i] / (double)s->queries);
			sep = ", ";
		}
	printf("\n");
}

/* Solved inputs that were run: those of which the constraints of the path imply where they go, and apart from them the
 * guesses, which left some of these constraints out and often miss. */
static void print_predictions(const struct search_stats *s)
{
	const char *between = "; others went elsewhere: ";
	printf("predicted %" PRIu64 " of %" PRIu64 " solved inputs took the branch they were solved for", s->reached - s->guesses_reached,
	       s->predictions - s->guesses);
	for (int i = 0; i < DIVERGED_COUNT; i++) {
		if (!s->diverged[i] || i == DIVERGED_OPTIMISTIC)
			continue;
		printf("%s%s %" PRIu64, between, search_divergence_key(i), s->diverged[i]);
		between = ", ";
	}
	printf("\n");
	if (s->guesses)
		printf("guessed   %" PRIu64 " of %" PRIu64 " further tries did: they leave constraints out\n",
		       s->guesses_reached, s->guesses);
}

/* Nothing is left to negate, but not everything was seen: why. */
static void print_losses(const struct campaign_sums *s)
{
	printf("paths     nothing is left to negate, but something was lost on the way: there may be more (docs/fuzzing.md)\n");
	for (unsigned l = 0; l < LOSS_COUNT; l++)
		if (s->losses[l])
			printf("          %s\n", search_loss_words(l));
}

static int count_file(void *ctx, uint64_t test, const char *name)
{
	(void)test, (void)name;
	++*(uint64_t *)ctx;
	return 0;
}

static void print_unread(const char *dir, const char *command)
{
	struct buf file = {0};
	shell_word(&file, dir);
	printf("note      no branch depended on the input: does the program read it? It comes on standard input; @@ in the arguments\n"
	       "          stands for its file. What the program says to one:\n"
	       "          muster replay --variant plain --show %s/queue/id:000000* -- %s\n",
	       buf_str(&file), command);
	buf_release(&file);
}

static void print_text(const struct fuzz_options *o, struct store *store, uint64_t campaign, struct campaign_sums *s,
		       const char *status, const char *command, const char *program)
{
	char *dir = folder(o);
	struct text t = {o, dir, command, program};
	uint64_t files = 0;
	outdir_files(dir, count_file, &files);
	printf("%-9s %.1f s, %" PRIu64 " runs, %" PRIu64 " tests, %" PRIu64 " of them in %s/queue\n", status, s->seconds,
	       s->search.runs, store_test_count(store, campaign), files, dir);
	printf("branches  %" PRIu64 " of %" PRIu64 " outcomes\n", s->covered, s->total);
	if (!strcmp(status, "complete") && s->exhaustive)
		printf("paths     every negation was answered and run, nothing is known to be lost (inputs up to %" PRIu64
		       " bytes; time, random numbers and environment as they were)\n"
		       "          each was run with three contents of memory that nobody had written, and did the same: a test, no proof\n",
		       o->search.max_input);
	else if (!strcmp(status, "complete") && s->filled.done)
		printf("paths     every negation was answered and run, but %" PRIu64 " of %" PRIu64
		       " tests did something else with other contents of memory that nobody had written: there may be more\n",
		       s->filled.differ, s->filled.tests);
	else if (!strcmp(status, "complete") && s->filled.asked)
		printf("paths     every negation was answered and run, but there was no time to try other contents of memory that nobody wrote\n");
	else if (!strcmp(status, "complete"))
		print_losses(s);
	if (s->search.predictions)
		print_predictions(&s->search);
	if (s->search.unstable)
		printf("unstable  %" PRIu64 " of %" PRIu64 " tests took other branches when they were run again: not all that was "
		       "found will be seen twice\n",
		       s->search.unstable, s->search.rerun);
	if (s->search.waiting)
		printf("waiting   %" PRIu64 " runs used no processor time for %g s and were ended by the clock: no bug, and no whole path\n",
		       s->search.waiting, o->run_time);
	if (s->search.stopped)
		printf("stopped   %" PRIu64 " runs stopped themselves (SIGSTOP or its kind) and were ended: no bug, and no whole path\n",
		       s->search.stopped);
	if (s->search.scribbled)
		printf("scribbled %" PRIu64 " runs wrote over the memory in which the runtime tells what they did: a wild write; look for it with "
		       "-fsanitize=address\n",
		       s->search.scribbled);
	if (o->stats && s->solve.queries)
		print_rungs(&s->solve);
	if (o->stats)
		checks_stats_print(&s->search, &s->solve, o->search.checks, o->search.combine);
	bug_each(store, campaign, &s->bugs, print_bug, &t);
	if (!s->bugs.confirmed && !s->bugs.suspected)
		printf("bugs      none found\n");
	if (suppress_count())
		printf("hidden    %" PRIu64 " finding%s suppressed, by --check -NAME or a file of suppressions\n", suppress_count(), suppress_count() == 1 ? " is" : "s are");
	if (s->search.traces && !s->solve.queries && !s->search.concretisations && strcmp(status, "interrupted"))
		print_unread(dir, command);
	free(dir);
}

/* -------------------------------------------------------------------- JSON */

struct writer {
	const struct fuzz_options *o;
	struct json j;
	const char *dir, *command;
};

static int json_bug(void *ctx, const struct result_bug *b)
{
	struct writer *w = ctx;
	struct result_bug shown = *b;
	char *file = file_join(w->dir, b->input_file), *replay = replay_command(w->o, b->kind, file, w->command);

	shown.input_file = *b->input_file ? file : NULL;
	shown.replay = replay;
	shown.report = NULL; /* it has addresses, which differ between runs that are the same otherwise */
	bug_json(&w->j, &shown);
	free(replay);
	free(file);
	return 0;
}

static int json_test(void *ctx, const struct store_test *t)
{
	struct json *j = &((struct writer *)ctx)->j;
	json_object_open(j);
	json_key(j, "id"), json_id(j, t->id);
	json_key(j, "parent"), json_id(j, t->parent);
	json_key(j, "origin"), json_str(j, search_origin_key(t->origin));
	json_key(j, "size"), json_u64(j, t->size);
	json_key(j, "new_branches"), json_u64(j, t->new_outcomes);
	json_key(j, "diverged"), json_bool(j, !!(t->flags & TEST_DIVERGED));
	json_object_close(j);
	return 0;
}

static void json_stats(struct json *j, const struct fuzz_options *o, const struct campaign_sums *s)
{
	json_key(j, "stats"), json_object_open(j);
#define X(name, key, words) json_key(j, key), json_u64(j, s->search.name);
	SEARCH_STATS(X)
#undef X
	uint64_t diverged = 0, hits = 0;
	for (int i = 0; i < DIVERGED_COUNT; i++)
		diverged += i == DIVERGED_OPTIMISTIC ? 0 : s->search.diverged[i];
	for (int i = 0; i < SOLVE_SEARCH; i++)
		hits += s->solve.answered[i];
	json_key(j, "suppressed"), json_u64(j, suppress_count());
	json_key(j, "divergences"), json_u64(j, diverged);
	json_key(j, "divergence_causes"), json_object_open(j);
	for (int i = 0; i < DIVERGED_COUNT; i++)
		json_key(j, search_divergence_key(i)), json_u64(j, s->search.diverged[i]);
	json_object_close(j);
	json_key(j, "queries"), json_u64(j, s->solve.queries);
	json_key(j, "sat"), json_u64(j, s->solve.sat);
	json_key(j, "unsat"), json_u64(j, s->solve.unsat);
	json_key(j, "unknown"), json_u64(j, s->solve.unknown);
	json_key(j, "cache_hits"), json_u64(j, hits);
	double solving = 0;
	json_key(j, "rungs"), json_object_open(j);
	for (int i = 0; i < SOLVE_RUNG_COUNT; i++) {
		json_key(j, solve_rung_key(i)), json_object_open(j);
		json_key(j, "answered"), json_u64(j, s->solve.answered[i]);
		json_key(j, "seconds"), json_double(j, s->solve.seconds[i]);
		json_object_close(j);
		solving += s->solve.seconds[i];
	}
	json_object_close(j);
	json_key(j, "solver_seconds"), json_double(j, solving);
	json_key(j, "rechecked"), json_u64(j, s->solve.rechecked);
	json_key(j, "recheck_unknown"), json_u64(j, s->solve.recheck_unknown);
	json_key(j, "contradictions"), json_u64(j, s->solve.contradictions);
	json_key(j, "bad_models"), json_u64(j, s->solve.bad_models);
	json_key(j, "memory"), json_object_open(j);
	json_key(j, "budget"), json_u64(j, budget_total() * o->workers);
	json_key(j, "peak"), json_u64(j, s->search.memory_peak);
	json_key(j, "z3_peak"), json_u64(j, s->solve.z3_peak);
	json_key(j, "z3_started"), json_u64(j, s->solve.z3_started);
	json_key(j, "z3_replaced"), json_u64(j, s->solve.z3_replaced);
	json_key(j, "z3_killed"), json_u64(j, s->solve.z3_killed);
	json_object_close(j);
	json_key(j, "symbolic_seconds"), json_double(j, s->search.symbolic_seconds);
	json_key(j, "child_seconds"), json_double(j, s->search.child_seconds);
	json_key(j, "mutate_seconds"), json_double(j, s->search.mutate_seconds);
	json_key(j, "symbolic_outcomes"), json_u64(j, s->search.symbolic_outcomes);
	json_key(j, "mutate_outcomes"), json_u64(j, s->search.mutate_outcomes);
	checks_stats_json(j, &s->search, &s->solve, o->search.checks, o->search.combine);
	json_object_close(j);
}

static void print_json(const struct fuzz_options *o, struct store *store, uint64_t campaign,
		       struct campaign_sums *s, const char *status, const char *command)
{
	struct buf out = {0};
	char *dir = folder(o);
	struct writer w = {.o = o, .dir = dir, .command = command};
	struct json *j = &w.j;
	json_begin(j, &out);
	j->indent = 1;
	json_object_open(j);
	json_key(j, "command"), json_str(j, "fuzz");
	json_key(j, "status"), json_str(j, status);
	confine_json(j);
	json_key(j, "exhaustive"), json_bool(j, s->exhaustive);
	json_key(j, "losses"), json_object_open(j);
	for (unsigned l = 0; l < LOSS_COUNT; l++)
		if (s->losses[l])
			json_key(j, search_loss_key(l)), json_u64(j, s->losses[l]);
	json_object_close(j);
	if (s->filled.asked) {
		json_key(j, "filled"), json_object_open(j);
		json_key(j, "complete"), json_bool(j, s->filled.done);
		json_key(j, "tests"), json_u64(j, s->filled.tests);
		json_key(j, "differ"), json_u64(j, s->filled.differ);
		json_object_close(j);
	}
	json_key(j, "checkers"), check_names_json(j, o->search.checks);
	json_key(j, "seconds"), json_double(j, s->seconds);
	json_key(j, "branches"), json_object_open(j);
	json_key(j, "covered"), json_u64(j, s->covered);
	json_key(j, "total"), json_u64(j, s->total);
	json_object_close(j);
	json_key(j, "tests"), json_array_open(j);
	store_test_each(store, campaign, 0, 0, json_test, &w);
	json_array_close(j);
	json_key(j, "bugs"), json_array_open(j);
	bug_each(store, campaign, &s->bugs, json_bug, &w);
	json_array_close(j);
	json_stats(j, o, s);
	json_object_close(j);
	fwrite(out.data, 1, out.size, stdout);
	putchar('\n');
	buf_release(&out);
	free(dir);
}

int fuzz_report(const struct fuzz *f, struct store *store, const char *status)
{
	const struct fuzz_options *o = f->o;
	struct campaign_sums s;
	campaign_add_up(f, &s);
	if (o->json)
		print_json(o, store, f->shared->campaign, &s, status, f->command);
	else
		print_text(o, store, f->shared->campaign, &s, status, f->command, f->program);
	return s.bugs.confirmed ? EXIT_FOUND : EXIT_OK;
}
