/* search.h: generational search over a whole program.
 *
 * A search owns a solver, a view of the coverage and the policies; it borrows two
 * launchers of the trace variant (one holds the path that is being negated, the other
 * runs its children) and the fast runner of the cov variant. Tests, coverage, bugs and the
 * frontier live with the caller, behind hooks: the search does not know the store.
 *
 * Work is done in slices (search_step): one test of the frontier is traced and part
 * of its path negated, or a number of mutants is run; which of the two is decided by what
 * each earned lately for its cost.
 */
#ifndef MUSTER_SEARCH_SEARCH_H
#define MUSTER_SEARCH_SEARCH_H

#include "base/map.h"
#include "run/exec.h"
#include "search/cover.h"
#include "search/kind.h"
#include "search/path.h"
#include "solve/solve.h"

/* Where a test came from: X(NAME, key). */
#define SEARCH_ORIGINS(X)   \
	X(SEED, "seed")     \
	X(SOLVED, "solve")  \
	X(MUTATED, "havoc") \
	X(IMPORTED, "sync")
enum search_origin {
#define X(name, key) ORIGIN_##name,
	SEARCH_ORIGINS(X)
#undef X
};
const char *search_origin_key(unsigned origin);

/* Exploration of a test, in stages; the frontier is made of tests that are not done. */
enum search_stage {
	STAGE_UNCOVERED, /* decisions with an outcome that no test has */
	STAGE_CONTEXT,	 /* outcomes that are new at this place of a path (how often, after what) */
	STAGE_ALL,	 /* every decision that the test's parent did not negate */
	STAGE_DONE,
};

/* Flags of a test. */
enum {
	TEST_DIVERGED = 1,   /* went elsewhere than it was sent */
	TEST_OPTIMISTIC = 2, /* was sent without the whole prefix */
	TEST_COVERS = 4,     /* new outcomes or classes when it was found: it stands in queue/ */
	TEST_CRASH = 8,
	TEST_HANG = 16,
	TEST_WAITS = 128, /* its run used no processor time and was ended by the clock: no defect, but no whole path either */
	TEST_NEAR = 64, /* covers nothing, but passes a decision with an outcome that no test covers */
	TEST_DISTANCE =
	    0xff00,	    /* generations since a test that covers something, in bits 8 to 15 */
	TEST_BROKEN = 1 << 16,	/* sent to break a bound: a sanitizer should see it */
	TEST_ASSUMED = 1 << 17, /* an assumption did not hold: no test of the program's, but a step to one */
	TEST_LONG = 1 << 18,	/* ran as long as it was asked to, through a loop: not traced, not mutated */
	TEST_VALUES = 1 << 19,	/* in its last stage, everything else was negated: other values of what the trace fixed are left */
	TEST_HINT = 1 << 20,	/* an answer for an outcome after a loop (loops.c) */
	TEST_PROGRESS = 32, /* new inside a library function's body: no branch of the program, but
			       on the way to one */
};

struct search_test {
	uint64_t id;
	const uint8_t *data;
	size_t size;
	uint64_t parent;
	uint32_t origin, flags, stage;
	uint64_t bound; /* decisions with smaller ordinals are its parent's to negate */
	uint64_t path;	/* digest of its decisions, 0: not traced yet */
	uint64_t place; /* where a run that failed was last seen, 0: not known */
	struct cover_news news;
	double rank;
};

struct search_cover {
	uint32_t unit, outcome;
	uint8_t mask; /* classes now seen */
};

/* Which check an input was to break. */
struct search_violation {
	uint32_t checker;     /* enum muster_checker */
	uint32_t unit, index; /* the instruction */
	int broken;	      /* the traced run shows it broken there */
	int sent;	      /* the input was solved for it; else another one's run showed it */
};

struct search_hooks {
	void *ctx;
	/* Keeps a test that is new in content, with what it covers: acknowledged when it returns. 1
	 * new (t->id is set), 0 known, -1. */
	int (*add)(void *ctx, struct search_test *t, const struct search_cover *cover,
		   size_t count);
	/* The best test of the frontier; its bytes go to data. 1, 0: none, -1. */
	int (*take)(void *ctx, struct search_test *t, struct buf *data);
	/* How far its exploration came. */
	int (*update)(void *ctx, const struct search_test *t);
	/* A test whose run crashed or hung as was not seen before. -1 stops the search.
	 */
	int (*failed)(void *ctx, const struct search_test *t, const struct exec_result *r);
	/* Called a few times a second; nonzero ends the slice at once. */
	int (*pause)(void *ctx);
	/* An input that was solved to break a check, and was run; t->id is 0 if it was not kept. It may have failed as well. -1 stops the
	 * search. NULL: it is not wanted. */
	int (*violated)(void *ctx, const struct search_test *t, const struct search_violation *v);
	/* The path of a test that is explored. NULL: it is not wanted. */
	void (*path)(void *ctx, const struct path *p, const struct sites *sites);
};

/* X(NAME, word) */
#define SEARCH_COMBINES(X)  \
	X(STRONG, "strong") \
	X(WEAK, "weak")     \
	X(NAIVE, "naive")
enum search_combine {
#define X(name, word) COMBINE_##name,
	SEARCH_COMBINES(X)
#undef X
	    COMBINE_COUNT
};

struct search_options {
	enum search_kind kind;
	uint64_t seed;
	int repeatable; /* counts work in runs and queries and looks at no clock */
	int no_mutate;
	int one_generation; /* paths of inputs from outside are negated, their children's are not */
	uint64_t max_input;    /* bytes; 0: 1 MiB */
	uint64_t flip_limit;   /* times a decision's site may be negated in all; 0: no limit */
	int subsume, skip;     /* constraint subsumption; and never negating what subsumed others */
	double function_limit; /* seconds (or thousands of conflicts) for negating the branches of
				  one function; 0: none */
	uint64_t path_limit;   /* steps of a path that are looked at; 0: 200000 */
	uint64_t pending_limit; /* tests without coverage of their own that the frontier may hold;
				   0: 5000 */
	uint64_t *pending; /* how many it holds, known to all workers; NULL: this search alone */
	const char *dictionary; /* file of the user's, or NULL */
	/* One function at a time, by its paths: no mutation; bounds are negated with the whole solver and what breaks
	 * them is a test like any other; short traces are kept between the stages of a test. */
	int unit;
	uint64_t run_limit;	/* inputs from one search_restart to the next; 0: none */
	double time_limit;	/* seconds likewise; 0: none */
	int cover_per_function; /* search_restart forgets what was covered */
	/* Of a byte of this test: a bit for each value below 32 that answers had better not give it; they are tried without these first. May
	 * be NULL; ctx is that of the hooks. */
	uint32_t (*taken)(void *ctx, const uint8_t *data, size_t size, uint64_t at);
	/* Active checks: what is looked for (a set of enum muster_checker, bit n for n), and how the checks between two other
	 * constraints are asked for. */
	uint32_t checks;
	int combine; /* enum search_combine */
	int no_invariants;  /* loops are not looked at */
	double ic_seconds; /* KIND_IC_CUT: for one function */
	int ic_hold;	   /* the same: inputs that are constrained before the call are held, instead of keeping the function from being summarised */
	int ic_summarise;  /* the same: functions whose time is over are summarised */
	int ic_shares;	   /* the same: generational search has a share of the time, and all that IC-Cut leaves out (auto) */
	int ic_elsewhere;  /* and another worker does IC-Cut */
	int ic_large;	   /* auto, and the program is too large for that: generational search alone */
	double run_seconds; /* limit of a run in the cov variant, where some may take longer (loops.c); 0: all keep to what they have */
	struct solve_options solve;
};

/* Why a child did not go where it was sent: X(NAME, key, words). */
#define SEARCH_DIVERGENCES(X)                                                                 \
	X(OPTIMISTIC, "optimistic", "the answer left constraints out, as it was marked")      \
	X(UNDEFINED, "undefined", "the input makes an operation on the path undefined")       \
	X(CRASH, "crash", "the run ended by a signal before")                                 \
	X(LIMIT, "limit", "the run was stopped at a limit, or a table was full")              \
	X(UNSTABLE, "unstable", "the program does not do the same twice with one input")      \
	X(MEMORY, "memory", "the rest of a path was not negated: its terms had used up their part of the memory budget (--memory)") \
	X(STALE, "stale", "memory changed without the trace seeing it (kernel, library, thread)") \
	X(UNKNOWN, "unknown", "no cause was found")
enum search_divergence {
#define X(name, key, words) DIVERGED_##name,
	SEARCH_DIVERGENCES(X)
#undef X
	    DIVERGED_COUNT
};
const char *search_divergence_key(enum search_divergence d);
const char *search_divergence_words(enum search_divergence d);

/* Figures of a search: X(name, key, words). All are sums, so those of workers add up. */
#define SEARCH_STATS(X)                                                       \
	X(runs, "runs", "executions of the program, all variants")            \
	X(mutant_runs, "mutant_runs", "executions of mutated inputs")         \
	X(traces, "traces", "executions of the trace variant")                \
	X(expanded, "expanded", "paths that were negated")                    \
	X(flips, "flips", "branches negated")                                 \
	X(predictions, "predictions", "solved inputs that were run")          \
	X(reached, "reached", "solved inputs that went where they were sent") \
	X(guesses, "guesses", "of the solved inputs that were run, those that left constraints out") \
	X(guesses_reached, "guesses_reached", "of these, those that went where they were sent") \
	X(cycles, "cycles", "times that every input of the queue was mutated") \
	X(subsumed, "subsumed", "constraints dropped by subsumption")         \
	X(skipped, "skipped", "decisions not negated, by an option")          \
	X(dropped, "dropped", "tests dropped from a full frontier")           \
	X(concretisations, "concretisations", "of traced paths")              \
	X(cut_paths, "cut_paths", "paths whose end was not seen")             \
	X(forgotten, "forgotten", "times that caches were emptied to keep the memory budget") \
	X(rerun, "rerun", "tests with a new outcome, which were run again")    \
	X(unstable, "unstable", "of these, tests that took other branches then") \
	X(waiting, "waiting", "runs that used no processor time and were ended by the clock") \
	X(stopped, "stopped", "runs that stopped themselves (SIGSTOP and its kind) and were ended") \
	X(scribbled, "scribbled", "runs that wrote over what the runtime writes for muster") \
	X(loop_analyses, "loop_analyses", "functions and loops whose invariants were computed") \
	X(loop_weak, "loop_weak", "of these, with a weaker domain or not at all") \
	X(loop_asked, "loop_asked", "outcomes after loops that were asked for by invariants") \
	X(loop_runs, "loop_runs", "inputs that were run for them")            \
	X(loop_hits, "loop_hits", "of these, inputs that had the outcome")    \
	X(ic_exhausted, "ic_exhausted", "IC-Cut: functions explored to the end and summarised") \
	X(ic_summarised, "ic_summarised", "IC-Cut: functions summarised, though something was left out") \
	X(ic_outputs, "ic_outputs", "IC-Cut: functions not summarised, with several outputs") \
	X(ic_constrained, "ic_constrained", "IC-Cut: functions not summarised, with constrained inputs") \
	X(ic_out_of_time, "ic_out_of_time", "IC-Cut: functions not summarised, whose time was over") \
	X(ic_plain, "ic_plain", "IC-Cut: functions in which nothing depends on the input") \
	X(ic_reused, "ic_reused", "IC-Cut: calls that a summary stood for")   \
	X(ic_learned, "ic_learned", "IC-Cut: tests of its learning phase")    \
	X(ic_callees, "ic_callees", "IC-Cut: functions that are called and decide something on the paths of these tests") \
	X(ic_found, "ic_found", "IC-Cut: branch outcomes that it found")      \
	X(ic_restarts, "ic_restarts", "IC-Cut: explorations that began again, since a callee had several outputs")
struct search_stats {
#define X(name, key, words) uint64_t name;
	SEARCH_STATS(X)
#undef X
	uint64_t diverged[DIVERGED_COUNT];
	double symbolic_seconds, mutate_seconds;
	double traced_seconds; /* processor time of runs of the trace variant */
	double child_seconds; /* of the symbolic ones, those that went into runs of solved inputs */
	uint64_t memory_peak; /* bytes that the process had in memory, at most */
	uint64_t symbolic_outcomes, mutate_outcomes; /* outcomes that each of the two found */
	/* Active checks, by checker: goals that came up; of these, those that the path refuted as it stood (the local cache), those that were
	 * asked for, and those with an answer; inputs whose run broke the check as predicted; inputs that were confirmed (the caller's to count). */
	struct search_checker_stats {
		uint64_t injected, local, asked, solved, violated, failed;
	} checkers[MUSTER_CHECK_COUNT];
	uint64_t bundles, bundle_goals, bundle_calls; /* groups of checks, the goals in them, queries made for them */
	uint64_t check_tests, branch_tests;	      /* distinct inputs solved for checks, and for anything else */
	/* Summed over these queries: constraints on the path, and those left by slicing; and how many a cache answered. */
	uint64_t check_path_constraints, check_slice_constraints, check_cached;
};
void search_stats_add(struct search_stats *to, const struct search_stats *from);

/* What keeps a search from having seen everything: X(NAME, key, words). */
#define SEARCH_LOSSES(X)                                                                             \
	X(CONCRETISED, "concretised", "values that the trace could not follow were fixed")           \
	X(UNKNOWN, "unknown", "the solver had no answer within its limits")                          \
	X(CUT, "cut", "the end of a path was not recorded: a table was full, or it has too many steps") \
	X(MEMORY, "memory", "the rest of a path was not negated: its terms had used up their part of the memory budget (--memory)") \
	X(STALE, "stale", "memory changed without the trace seeing it")                                  \
	X(ORDER, "order", "addresses of objects count as numbers, and only some of them were tried")   \
	X(THREADS, "threads", "threads, children and other programs are not followed")               \
	X(UNSEEN, "unseen", "data of the input may have come back unseen, or an answer was the allocator's (raw system calls, shared mappings and the like: muster trace says which)") \
	X(DROPPED, "dropped", "the frontier was full, and paths were dropped")                       \
	X(DIVERGED, "diverged", "a run went elsewhere than it was sent")                             \
	X(UNSTABLE, "unstable", "the program does not do the same twice with one input")             \
	X(KILLED, "killed", "a run was stopped at its limit of time or memory, or while it waited")   \
	X(BOUND, "bound", "an input leaves an object, and its run did not fail")                     \
	X(UNCHECKED, "unchecked", "checks were not asked about: many inputs broke them, or they had had their time") \
	X(CASES, "cases", "the cases of a switch are not known")                                     \
	X(FOREIGN, "foreign", "a path depends on other files or arguments than the input")           \
	X(LARGE, "large", "an answer asks for a longer input than allowed")                          \
	X(UNTRACED, "untraced", "a run left no trace that can be used")                              \
	X(DISAGREES, "disagrees", "a trace contradicts its run")                                     \
	X(COMPOSED, "composed", "summaries stand for calls, and it is not shown that they say everything")  \
	X(SKIPPED, "skipped", "an option left decisions out")                                        \
	X(ENDED, "ended", "the limit of runs or of time came first")                                 \
	X(ELSEWHERE, "elsewhere", "something was lost by another worker, or before the search was resumed")
enum search_loss {
#define X(name, key, words) LOSS_##name,
	SEARCH_LOSSES(X)
#undef X
	    LOSS_COUNT
};
const char *search_loss_key(enum search_loss l);
const char *search_loss_words(enum search_loss l);
struct search_losses {
	uint64_t count[LOSS_COUNT];
	uint64_t concretised[MUSTER_REASON_COUNT]; /* CONCRETISED, by reason (trace_reason_text) */
	uint64_t sized;				   /* no loss by itself: paths on which the size of a heap block depends on the input */
};

/* What runs the program. Everything is borrowed. */
struct search_target {
	struct exec *exec;
	struct launcher *parent, *child; /* of the trace variant, or of the calls variant (search_kind_calls) */
	const struct shm *parent_shm;
	struct shm *child_shm; /* IC-Cut sets its flags and functions for a run */
	const struct site_tables *sites; /* of the trace variant */
	const char *program; /* with the records of the variants, for invariants; NULL: none */
	struct compose *compose; /* summaries that stand for calls (kinds that compose); NULL: none */
	int to_objects;			 /* marked objects take the test's bytes as well */
};

struct search;
struct search *search_new(const struct search_options *o, const struct search_target *t,
			  const struct search_hooks *h);
void search_free(struct search *s);

/* From here on another function of the same program is searched: everything that is known of tests and paths is forgotten,
 * figures, losses and limits begin anew. What was learned about the program stays, and so do the solver's caches. The
 * caller's frontier must be empty, or forgotten as well. The cost follows what was done since the last time. */
void search_restart(struct search *s);
/* Inputs of another layout come next: what was asked of the program is asked again; figures, losses and limits go on. No test of the
 * caller's frontier is to be taken any more. */
void search_widen(struct search *s);
/* What was lost so far does not count: every test is offered again. */
void search_found_anew(struct search *s);
void search_limits(struct search *s, uint64_t runs, double seconds); /* from the next search_step on */
/* Inputs run since the last restart, whatever the number of variants they were run in. */
uint64_t search_inputs(const struct search *s);

/* Short strings in the program's file become words of the mutation stage, but for those that have 1 in the map: a program does not look for
 * words of muster's runtime. search_words_note sets 1 for the strings of another file. */
void search_words_of(struct search *s, const char *program, const struct strmap *except);
void search_words_note(const void *elf, size_t size, struct strmap *out);
/* Coverage that the store knows, before the first step: by unit and outcome. */
void search_cover_known(struct search *s, uint32_t unit, uint32_t outcome, uint8_t mask);
/* Runs an input from outside and keeps it if it covers something, or anyway with `keep`. 1 kept, 0
 * not, -1 with words. */
int search_offer(struct search *s, const void *data, size_t size, enum search_origin origin,
		 int keep);
/* A test that another worker found: runs it for its coverage, keeps nothing. */
int search_learn(struct search *s, const struct search_test *t);
/* A test that the store has already: it takes part in mutation; its coverage is known. */
void search_known_test(struct search *s, const struct search_test *t);

/* One slice. 1: there is more to do; 0: the frontier is empty and mutation is off or the paths were
 * exhausted; -1 with words. */
int search_step(struct search *s);
/* Every path was run and no precision was lost: there is nothing that a further input could show. Means something after
 * search_step returned 0. */
int search_exhausted(const struct search *s);
/* Why not. */
const struct search_losses *search_losses(const struct search *s);
/* Something was lost elsewhere: by another worker, or before the search was resumed. */
void search_lost(struct search *s);
/* IC-Cut beside generational search (auto): has it explored all that it would, or was it not begun? */
int search_cut_is_over(const struct search *s);
/* What became of each function in whose calls something is decided: taken and why are a word and a sentence (ic_cut.h). */
struct search_cut_function {
	const char *name, *taken, *why;
	double seconds; /* of a processor, for its exploration */
	uint64_t found; /* outcomes that it covered first */
};
void search_cut_each(const struct search *s, void (*each)(void *ctx, const struct search_cut_function *f), void *ctx);
/* It is given up, and the launchers are of the trace variant from here on: generational search goes on. */
void search_without_calls(struct search *s);

int search_mutates(const struct search *s); /* what the last step did: 1 mutated inputs, 0 negated branches */
const struct search_stats *search_stats(const struct search *s);
const struct solve_stats *search_solve_stats(const struct search *s);
const struct cover *search_cover(const struct search *s);

#endif
