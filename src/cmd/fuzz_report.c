/* fuzz_report.c: the result of a search: a few lines for a person, or one JSON object. */
#include "base/budget.h"
#include "base/error.h"
#include "base/json.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/shell.h"
#include "build/copies.h"
#include "campaign/choice.h"
#include "check/suppress.h"
#include "report/bug.h"
#include "report/figures.h"
#include "report/result_json.h"
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

/* ------------------------------------------------------------------ the model */

struct filler {
	const struct fuzz_options *o;
	struct result *r;
	const char *dir, *command;
};

static int add_bug(void *ctx, const struct result_bug *b)
{
	struct filler *f = ctx;
	struct arena *a = &f->r->strings;
	struct result_bug own = *b;
	char *file = file_join(f->dir, b->input_file), *replay = replay_command(f->o, b->kind, file, f->command);
	own.kind = arena_strdup(a, b->kind);
	own.function = arena_strdup(a, b->function);
	own.file = arena_strdup(a, b->file);
	own.summary = arena_strdup(a, b->summary);
	own.data = arena_copy(a, b->data, b->size);
	own.input_file = *b->input_file ? arena_strdup(a, file) : NULL;
	own.replay = arena_strdup(a, replay);
	own.report = NULL; /* it has addresses, which differ between runs that are the same otherwise */
	vec_push(&f->r->bugs, own);
	free(replay);
	free(file);
	return 0;
}

static int add_test(void *ctx, const struct store_test *t)
{
	struct filler *f = ctx;
	vec_push(&f->r->tests, (struct result_test){.id = t->id, .parent = t->parent, .origin = search_origin_key(t->origin), .size = t->size,
						    .new_branches = t->new_outcomes, .diverged = !!(t->flags & TEST_DIVERGED)});
	return 0;
}

static void add_figures(const struct fuzz_options *o, const struct campaign_sums *s, struct result *r)
{
	const struct search_stats *search = &s->search;
	const struct solve_stats *solve = &s->solve;
	figures_add(r, search, solve);
	for (int i = 0; i < DIVERGED_COUNT; i++)
		result_count(r, search->diverged[i], "divergence_causes.%s", search_divergence_key(i));
	for (int i = 0; i < SOLVE_RUNG_COUNT; i++) {
		result_count(r, solve->answered[i], "rungs.%s.answered", solve_rung_key(i));
		result_real(r, solve->seconds[i], "rungs.%s.seconds", solve_rung_key(i));
	}
	result_count(r, solve->rechecked, "rechecked");
	result_count(r, solve->recheck_unknown, "recheck_unknown");
	result_count(r, solve->contradictions, "contradictions");
	result_count(r, solve->bad_models, "bad_models");
	result_count(r, budget_total() * o->workers, "memory.budget");
	result_count(r, search->memory_peak, "memory.peak");
	result_count(r, solve->z3_peak, "memory.z3_peak");
	result_count(r, solve->z3_started, "memory.z3_started");
	result_count(r, solve->z3_replaced, "memory.z3_replaced");
	result_count(r, solve->z3_killed, "memory.z3_killed");
	result_real(r, search->symbolic_seconds, "symbolic_seconds");
	if (!o->search.repeatable) { /* a matter of clocks, and of what is in the cache */
		result_real(r, search->traced_seconds, "traced_seconds");
		result_word(r, copies_name(s->copies), "copies");
	}
	result_real(r, search->child_seconds, "child_seconds");
	result_real(r, search->mutate_seconds, "mutate_seconds");
	result_count(r, search->symbolic_outcomes, "symbolic_outcomes");
	result_count(r, search->mutate_outcomes, "mutate_outcomes");
	figures_add_checks(r, search, solve, o->search.checks, o->search.combine);
}

/* Tests only for JSON: there may be many. */
static void fill(const struct fuzz_options *o, struct store *store, uint64_t campaign, struct campaign_sums *s, const char *command, struct result *r)
{
	char *dir = folder(o);
	struct filler f = {o, r, dir, command};
	*r = (struct result){.test_fields = RESULT_TEST(ID) | RESULT_TEST(PARENT) | RESULT_TEST(ORIGIN) | RESULT_TEST(SIZE) | RESULT_TEST(NEW_BRANCHES) |
					    RESULT_TEST(DIVERGED)};
	if (o->json)
		store_test_each(store, campaign, 0, 0, add_test, &f);
	bug_each(store, campaign, &s->bugs, add_bug, &f);
	add_figures(o, s, r);
	free(dir);
}

/* -------------------------------------------------------------------- text */

static void print_bug(const struct result_bug *b, const char *program)
{
	struct buf source = {0}, input = {0};
	printf("%s %s", b->confirmed ? "bug      " : "suspected", b->summary);
	if (b->count > 1)
		printf(" (%" PRIu64 " inputs)", b->count);
	bug_source(b->file, b->line, program, "         ", &source);
	bug_input(b->data, b->size, &input);
	printf("\n%s          %s, %zu bytes: %s\n          %s\n", buf_str(&source), b->input_file ? b->input_file : "no file", b->size, buf_str(&input), b->replay);
	buf_release(&source);
	buf_release(&input);
}

/* A bug of the version before, unless an input shows it in this one, too. */
struct fates {
	const struct result *r;
	struct json *j; /* NULL: text */
};

static const struct result_bug *find_bug(const struct result *r, uint64_t bucket)
{
	for (size_t i = 0; i < r->bugs.size; i++)
		if (r->bugs.data[i].bucket == bucket)
			return &r->bugs.data[i];
	return NULL;
}

static int put_fate(void *ctx, uint64_t bucket, enum older_fate fate, const char *words)
{
	struct fates *f = ctx;
	const struct result_bug *now = find_bug(f->r, bucket);
	if (now && now->confirmed)
		fate = OLDER_STILL;
	if (!f->j) {
		printf("old bug   %s: %s\n", older_fate_words(fate), words);
		return 0;
	}
	json_object_open(f->j);
	json_key(f->j, "summary"), json_str(f->j, words);
	json_key(f->j, "verdict"), json_str(f->j, older_fate_words(fate));
	json_object_close(f->j);
	return 0;
}

struct old_bug {
	uint64_t bucket;
	int found;
};

static int look_old(void *ctx, uint64_t bucket, enum older_fate fate, const char *words)
{
	struct old_bug *x = ctx;
	(void)words;
	x->found |= bucket == x->bucket && fate != OLDER_STILL;
	return 0;
}

/* It stands among the old bugs already. */
static int is_old(const struct fuzz *f, struct store *store, uint64_t bucket)
{
	struct old_bug x = {.bucket = bucket};
	if (f->shared->older.taken)
		older_fates_each(store, f->shared->campaign, look_old, &x);
	return x.found;
}

static void print_older(const struct fuzz *f, struct store *store, const struct result *r)
{
	const struct older *o = &f->shared->older;
	struct fates fates = {r, NULL};
	if (o->taken) {
		printf("reused    %" PRIu64 " tests of another build, run again in %.1f s; the searches that found them took %.1f s\n", o->tests, o->spent, o->seconds);
		if (o->functions)
			printf("          %" PRIu32 " of %" PRIu32 " functions changed or are new; %" PRIu64 " of the tests come to them and are explored first\n", o->changed, o->functions, o->reaching);
		older_fates_each(store, f->shared->campaign, put_fate, &fates);
	}
}

static void print_older_json(const struct fuzz *f, struct store *store, const struct result *r, struct json *j)
{
	const struct older *o = &f->shared->older;
	struct fates fates = {r, j};
	if (!o->taken)
		return;
	json_key(j, "reused"), json_object_open(j);
	json_key(j, "version"), json_u64(j, o->version);
	json_key(j, "tests"), json_u64(j, o->tests);
	json_key(j, "reaching"), json_u64(j, o->reaching);
	json_key(j, "functions"), json_u64(j, o->functions);
	json_key(j, "changed"), json_u64(j, o->changed);
	if (!f->o->search.repeatable) {
		json_key(j, "seconds"), json_double(j, o->spent);
		json_key(j, "seconds_before"), json_double(j, o->seconds);
	}
	json_key(j, "bugs"), json_array_open(j);
	older_fates_each(store, f->shared->campaign, put_fate, &fates);
	json_array_close(j);
	json_object_close(j);
}

/* What --strategy auto did, and why. */
static void choice_text(const struct search_options *o, const struct search_stats *s, struct buf *out)
{
	if (o->ic_large)
		buf_addf(out, "generational search: the program is large for IC-Cut");
	else if (!s->ic_learned)
		buf_addf(out, "generational search: nothing was learned of the program's calls in this run");
	else if (!s->ic_callees)
		buf_addf(out, "generational search: no function that is called decides anything in %" PRIu64 " tests", s->ic_learned);
	else
		buf_addf(out, "%" PRIu64 " functions that are called decide something in %" PRIu64
			 " tests: IC-Cut beside generational search, by what they find (IC-Cut %" PRIu64 " outcomes)", s->ic_callees, s->ic_learned, s->ic_found);
}

static void put_choice_json(void *ctx, const struct function_choice *c)
{
	struct json *j = ctx;
	json_object_open(j);
	json_key(j, "function"), json_str(j, c->function);
	json_key(j, "taken"), json_str(j, c->taken);
	json_key(j, "why"), json_str(j, c->why);
	json_key(j, "found"), json_u64(j, c->found);
	if (c->seconds > 0)
		json_key(j, "seconds"), json_double(j, c->seconds);
	json_object_close(j);
}

static void print_choice_json(const struct fuzz *f, struct store *store, const struct search_stats *s, struct json *j)
{
	struct buf text = {0};
	choice_text(&f->o->search, s, &text);
	json_key(j, "strategy"), json_str(j, "auto");
	json_key(j, "strategy_why"), json_str(j, buf_str(&text));
	json_key(j, "strategy_functions"), json_array_open(j);
	choice_each(store, f->shared->campaign, put_choice_json, j);
	json_array_close(j);
	buf_release(&text);
}

static void put_choice(void *ctx, const struct function_choice *c)
{
	(void)ctx;
	printf("          %-28s %-12s %5" PRIu64 " outcomes %8.2f s  %s\n", c->function, c->taken, c->found, c->seconds, c->why);
}

static void print_choice(const struct fuzz *f, struct store *store, const struct search_stats *s)
{
	struct buf text = {0};
	choice_text(&f->o->search, s, &text);
	printf("strategy  %s\n", buf_str(&text));
	if (f->o->stats)
		choice_each(store, f->shared->campaign, put_choice, NULL);
	buf_release(&text);
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
	printf("paths     nothing is left to negate, but something was lost on a path: there may be more (docs/fuzzing.md)\n");
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

static void print_text(const struct fuzz *f, struct store *store, const struct campaign_sums *s, const struct result *r, const char *status)
{
	const struct fuzz_options *o = f->o;
	char *dir = folder(o);
	uint64_t files = 0;
	outdir_files(dir, count_file, &files);
	printf("%-9s %.1f s, %" PRIu64 " runs, %" PRIu64 " tests, %" PRIu64 " of them in %s/queue\n", status, s->seconds,
	       s->search.runs, store_test_count(store, f->shared->campaign), files, dir);
	printf("branches  %" PRIu64 " of %" PRIu64 " outcomes\n", s->covered, s->total);
	if (!strcmp(status, "complete") && s->exhaustive)
		printf("paths     every negation was answered and run, nothing is known to be lost (inputs up to %" PRIu64
		       " bytes; time, random numbers and environment as they were)\n"
		       "          each was run with three contents of memory that was never written, and did the same: a test, no proof\n",
		       o->search.max_input);
	else if (!strcmp(status, "complete") && s->filled.done)
		printf("paths     every negation was answered and run, but %" PRIu64 " of %" PRIu64
		       " tests did something else with other contents of memory that was never written, or other places of heap blocks: there may be more\n",
		       s->filled.differ, s->filled.tests);
	else if (!strcmp(status, "complete") && s->filled.asked)
		printf("paths     every negation was answered and run, but there was no time to try other contents of memory that was never written\n");
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
		printf("scribbled %" PRIu64 " runs wrote over the memory in which the runtime records what they did: a wild write; look for it with "
		       "-fsanitize=address\n",
		       s->search.scribbled);
	if (o->search.ic_shares || o->search.ic_large)
		print_choice(f, store, &s->search);
	if (o->stats && s->solve.queries)
		print_rungs(&s->solve);
	if (o->stats)
		checks_stats_print(r);
	print_older(f, store, r);
	for (size_t i = 0; i < r->bugs.size; i++)
		if (!is_old(f, store, r->bugs.data[i].bucket) || r->bugs.data[i].confirmed)
			print_bug(&r->bugs.data[i], f->program);
	if (!s->bugs.confirmed && !s->bugs.suspected)
		printf("bugs      none found\n");
	if (suppress_count())
		printf("hidden    %" PRIu64 " finding%s suppressed, by --check -NAME or a file of suppressions\n", suppress_count(), suppress_count() == 1 ? " is" : "s are");
	if (s->search.traces && !s->solve.queries && !s->search.concretisations && strcmp(status, "interrupted"))
		print_unread(dir, f->command);
	free(dir);
}

/* -------------------------------------------------------------------- JSON */

static void print_json(const struct fuzz *f, struct store *store, const struct campaign_sums *s, const struct result *r, const char *status)
{
	const struct fuzz_options *o = f->o;
	struct buf out = {0};
	struct json writer, *j = &writer;
	json_begin(j, &out);
	j->indent = 1;
	json_object_open(j);
	json_key(j, "command"), json_str(j, "fuzz");
	json_key(j, "status"), json_str(j, status);
	confine_json(j);
	json_key(j, "exhaustive"), json_bool(j, s->exhaustive);
	if (o->search.ic_shares || o->search.ic_large)
		print_choice_json(f, store, &s->search, j);
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
	print_older_json(f, store, r, j);
	result_json(j, r, RESULT_TESTS | RESULT_BUGS | RESULT_STATS);
	json_object_close(j);
	fwrite(out.data, 1, out.size, stdout);
	putchar('\n');
	buf_release(&out);
}

int fuzz_report(const struct fuzz *f, struct store *store, const char *status)
{
	const struct fuzz_options *o = f->o;
	struct campaign_sums s;
	struct result r;
	campaign_add_up(f, &s);
	fill(o, store, f->shared->campaign, &s, f->command, &r);
	if (o->json)
		print_json(f, store, &s, &r, status);
	else
		print_text(f, store, &s, &r, status);
	result_release(&r);
	return s.bugs.confirmed ? EXIT_FOUND : EXIT_OK;
}
