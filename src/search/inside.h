/* inside.h: what the files of the search share. */
#ifndef MUSTER_SEARCH_INSIDE_H
#define MUSTER_SEARCH_INSIDE_H

#include "base/clock.h"
#include "base/limit.h"
#include "base/map.h"
#include "search/compose.h"
#include "search/frames.h"
#include "search/search.h"

/* memory.c: a set of 64-bit keys with a limit: the oldest are forgotten, which costs repeated work and nothing else. */
struct memory {
	struct map young, old;
	size_t limit; /* of young */
};
void memory_limit(struct memory *m, uint64_t bytes);
int memory_add(struct memory *m, uint64_t key); /* 1 if it is new, or was forgotten */
int memory_has(const struct memory *m, uint64_t key);
void memory_release(struct memory *m);
/* Those of a search: X(field of struct search_known). */
#define SEARCH_MEMORIES(X) X(inputs) X(flipped) X(contexts) X(progress) X(failures) X(paths)
#define SEARCH_SETS 6 /* sets whose memory is counted | as many as struct search_known has */
void search_memory_init(struct search *s);
void search_memory_release(struct search *s);
/* So many bytes were freed at once: many of them go back to the system. */
void search_memory_freed(uint64_t bytes);
/* Is the process near its budget? Then all that can be found again is forgotten. */
void search_memory_look(struct search *s);

/* Short traces of tests that will be negated further: one run less for each stage. A cache: what does not fit is run
 * again. */
struct traces {
	struct map by_test; /* id to place in kept */
	VEC(struct kept_trace {
		struct trace trace;
		int whole;   /* the run ended by itself or by a signal */
		int counted; /* what its path lost is in the losses */
	}) kept;
	VEC(uint32_t) free; /* places of kept */
	size_t bytes;
};
void traces_keep(struct traces *c, uint64_t test, const struct trace *t, int whole, int counted);
struct kept_trace *traces_find(struct traces *c, uint64_t test);
void traces_drop(struct traces *c, uint64_t test);
void traces_release(struct traces *c);

#define SEARCH_CLOSED 1 /* no limit: a bit */
#define SEARCH_APART 2 /* no limit: a bit */

/* The run of a path that is being negated. */
struct expansion {
	struct search_test *test;
	const uint8_t *data;
	size_t size;
	uint8_t filler; /* of bytes after the end that nothing constrains: what a text is made of, else 0 */
	struct trace trace;
	struct exprs *pool;
	struct import import;
	struct solve_path *strict;  /* all constraints of the path */
	struct solve_path *relaxed; /* without concretisations; made where the first says no */
	size_t relaxed_at;	    /* steps that were offered to it */
	struct checking *checking;  /* the bundle that is being made (checks.c) */
	uint32_t *matters;	    /* matter_of, made when it is first needed */
	uint32_t *marks;	    /* of each step that was come to: solve_path_mark of the strict path; NULL: calls are not known */
	uint32_t *relaxed_marks;    /* the same of the other */
	const uint8_t *apart;	    /* of each step: SEARCH_APART if it is inside a call that a summary stands for, SEARCH_CLOSED if it is not negated; NULL: none is */
	int reused;		    /* there is such a step */
};

/* What is known of inputs, paths and outcomes. A memory forgets, which costs repeated work and nothing else. */
struct search_known {
	struct memory inputs;	/* contents that were run as children */
	struct memory flipped;	/* prefix, site and outcome of every negation */
	struct memory contexts; /* outcomes with the place on a path where they were taken */
	struct memory progress; /* outcomes inside bodies of library functions, with their place */
	struct memory failures; /* signatures of runs that failed */
	struct memory paths;	/* digests of paths that were run */
	struct map asked;	/* times an outcome that is not covered was asked for, by site and outcome */
	struct map guesses;	/* optimistic answers asked for, by site and outcome */
	struct map valued;	/* places of concretisations that are done with (values.c) */
	struct map hopeless;	/* sites whose values are too many */
	struct map operands;	/* times that words were tried for a comparison (operands.c) */
};

/* What was asked of checks, by site and checker. */
struct search_checks {
	struct map broken;  /* answers that break a check */
	struct map checked; /* times that a check was asked about in first stages */
	struct map told;    /* inputs that break a check and were reported */
	struct map guessed; /* guesses for a check */
	struct map closer;  /* inputs that break a check less far were asked for */
	double cost;	    /* of all checks */
};

#define SEARCH_SUSPENDED LIMIT(4, 1) /* tests whose negation was interrupted that keep their place; each has its terms | IC-Cut, negating what is urgent and the rest each have one, and two paths of one rank take turns */

/* What each strategy found and cost (strategy.c): lately, and in all. */
#define SEARCH_STRATEGIES 5 /* no limit: the rows of strategy.c */
struct search_shares {
	double earned[SEARCH_STRATEGIES], spent[SEARCH_STRATEGIES], long_earned[SEARCH_STRATEGIES], long_spent[SEARCH_STRATEGIES], total[SEARCH_STRATEGIES];
};

/* What to try next, besides the caller's frontier. */
struct search_next {
	const struct strategy *strategy; /* of the slice that is done now, or was last; NULL: none yet */
	struct search_shares shares;
	uint64_t *pending, own_pending; /* tests without coverage in the frontier; other workers count there, too */
	int urgent;			/* the frontier may hold a test of rank SEARCH_URGENT */
	struct traces traces;		/* of tests in the frontier (unit) */
	VEC(struct buf) numbers;	/* tests whose numbers are to have more digits; */
	size_t numbers_at;		/* those before it were done */
	int numbers_busy;
	struct mutation *mutation; /* NULL: off */
	struct loops *loops;	   /* loops.c; NULL: off */
	struct ic *ic;		   /* ic_cut.c; NULL: another kind of search */
};

/* What was used, and when a slice ends. */
struct search_budget {
	uint64_t inputs_run; /* since the last restart */
	double restarted;    /* clock_seconds then */
	double restart_used; /* search_used then */
	double aside;	     /* cost of what has a share of its own (loops.c) or none (making functions that a run lacked) and so counts for no strategy */
	double waited;	      /* seconds that traced runs took without using the processor */
	double symbolic_cost; /* of all negating, up to this slice */
	double slice_began, next_pause;
	double next_look; /* clock_seconds when memory is looked at again */
	int paused;
};

/* The runs that are looked at now. */
struct search_now {
	struct path parent, child;
	struct compose_run parent_calls, child_calls; /* those that summaries stand for */
	struct frames frames; /* of the parent; of kinds that need calls */
	struct search_suspended *suspended[SEARCH_SUSPENDED]; /* tests whose negation a slice ended in (suspended.h) */
	struct buf input; /* of the child */
	struct buf first; /* counters of the run that looked new (again.c) */
	VEC(struct search_cover) changed;
};

struct search {
	struct search_options o;
	struct search_target t;
	struct search_hooks h;
	struct solver *solver;
	struct sites sites;
	struct cover cover;
	struct search_stats stats;
	struct search_losses losses;
	struct search_known known;
	struct search_checks checks;
	struct search_next next;
	struct search_budget budget;
	struct search_now now;
};

static inline void search_lose(struct search *s, enum search_loss l)
{
	s->losses.count[l]++;
}

/* composed.c: reads the path of a run, without what summaries stand for; calls: s->now.parent_calls or child_calls. */
void search_read_path(struct search *s, struct path *p, struct compose_run *calls, const struct trace *t);
/* Are there calls on the parent's path that summaries stand for? */
int composed_any(const struct search *s);
/* Before step `at` joins the path: what the calls before it need joins it, and what their summaries leave open is asked for. at == steps: the rest of them. *next: call that was not looked at
 * yet. 0; 1: the slice ended; CHECKS_DISAGREE; -1. */
int composed_step(struct search *s, struct expansion *x, size_t at, size_t *next);

/* expand.c: traces the test and negates what its stage asks for. 0; 1: the slice ended before the
 * stage did; -1. */
int search_expand(struct search *s, struct search_test *t, const struct buf *data);
/* What search_expand keeps of tests whose negation was interrupted is released. */
void search_drop_suspended(struct search *s);

/* child.c: builds the input that a model asks for and runs it; `step` of the parent was to take
 * `outcome`. */
int search_child(struct search *s, struct expansion *x, const struct path_step *step,
		 uint32_t outcome, const struct solve_model *m);
/* Its parts: from a model to s->now.input (0: larger than inputs may be); and its run. 1: it diverged,
 * 0, -1. */
int search_build_input(struct search *s, const struct expansion *x, const struct solve_model *m);
int search_run_child(struct search *s, struct expansion *x, const struct path_step *step,
		     uint32_t outcome, int optimistic);
/* child.c: s->now.input is to break a check: runs it as a test like any other. goal: its number; runs that fail in one place by
 * different goals are different. 1: it diverged, 0, -1. */
int search_run_breaking(struct search *s, struct expansion *x, const struct path_step *step, uint32_t checker, uint32_t goal,
			int optimistic);
/* A bound whose excess is no defect (a function alone). 0, -1. */
int search_run_broken(struct search *s, struct expansion *x, const struct path_step *step);

/* steer.c: s->now.input was sent without the whole prefix and diverged: leads it back, one decision
 * after the other. checker: that it is to break a check of, or 0. 0, -1. */
int search_steer(struct search *s, struct expansion *x, const struct path_step *target,
		 uint32_t outcome, uint32_t checker);
/* expand.c: the goal with values that were asked to be left out left out, or the goal itself. */
expr_t search_preferred(const struct search *s, struct expansion *x, expr_t goal);
/* Does it depend on what no test decides? */
int search_foreign(const struct expansion *x, expr_t e);
/* The path up to this step without concretisations and bounds. */
struct solve_path *search_relaxed(struct search *s, struct expansion *x, size_t at);

/* checks.c: checks of a path, in bundles. Steps come in order; 0; 1: the search is to end; CHECKS_DISAGREE: trace and run do; -1. */
#define CHECKS_DISAGREE 2 /* no limit: a return value */
void checks_open(struct search *s, struct expansion *x);
int checks_add(struct search *s, struct expansion *x, size_t at, int wanted); /* one that the run passed */
int checks_ask(struct search *s, struct expansion *x);			      /* the bundle is complete */
void checks_close(struct expansion *x);
/* One that the run broke: is an input that breaks it not far from its object to be asked for, at a step like this? And the question. 0, -1. */
int checks_want_closer(const struct search *s, const struct path_step *step);
int checks_ask_closer(struct search *s, struct expansion *x, size_t at);
/* The defects that the compiler put into one check, or what is asked for by itself. At most CHECK_PARTS. */
#define CHECK_PARTS 8 /* defects in one check of the compiler's | as many as there are kinds */
unsigned checks_parts(struct exprs *p, expr_t goal, expr_t *parts);
/* Reports what this run broke. At most a few times for each check. 0, -1. */
int checks_tell(struct search *s, const struct search_test *t, const struct path_step *step, uint32_t checker, int broken, int sent);
int checks_tell_all(struct search *s, const struct search_test *t, const struct path *p, const struct path_step *except);

/* matter.c: the last step of a path at which each node counts as an index, a size or the bound of a loop, by label; 0: none. The
 * caller frees it. */
uint32_t *matter_of(const struct path *p, const struct trace *t, const struct sites *sites);
/* Does the value that this check of a conversion is about count later? */
int matter_later(const uint32_t *last, const struct trace *t, uint32_t label, size_t step);

/* expand.c: a variable's value for the run of the expansion that ctx is. */
u128 search_value_in_run(void *ctx, expr_t variable);
/* The empty path of a run: only the limit of the length. */
struct solve_path *search_open_path(struct search *s, struct expansion *x);
/* x->pool and x->import: terms of the run, with summaries in the place of calls. */
void search_open_import(struct search *s, struct expansion *x);

/* again.c: a run that looks new is repeated. 1: *again is what counts; 0: r is; -1. */
int search_again(struct search *s, const struct search_test *t, const struct exec_result *r,
		 struct exec_result *again);

/* keep.c: looks at the coverage of a run and keeps the input, if it is worth it or `keep` is set. 1
 * kept, 0, -1. */
int search_keep(struct search *s, struct search_test *t, const struct exec_result *r, int keep);
#define SEARCH_URGENT 2.5e5 /* rank from which a test does not wait for its share of the time | scale of the ranks */
double search_rank(const struct search *s, const struct search_test *t);

/* policy.c: which decisions of a path are negated at a stage. */
struct wanted {
	uint32_t step, outcome;
};
typedef VEC(struct wanted) wanted_list;
void search_plan(struct search *s, struct expansion *x, wanted_list *out);
int search_checks_allowed(const struct search *s);
int search_still_wanted(struct search *s, const struct search_test *t, const struct path_step *step,
			uint32_t outcome);
/* Notes where on its path each outcome was taken. Returns how many places inside library bodies are
 * new. */
unsigned search_note(struct search *s, const struct path *p);
/* Does the path pass a decision, not its parent's to negate, with an outcome that no test covers and
 * that was not asked for too often already? */
int search_near(const struct search *s, const struct path *p, uint64_t bound);

/* subsume.c: takes out of the list what stronger constraints of the same instruction imply and,
 * with `skip`, these as well. */
void search_subsume(struct search *s, struct expansion *x, wanted_list *wanted);

/* words.c: a goal's constant is worth trying elsewhere, too. */
void search_compared(struct search *s, const struct exprs *p, expr_t goal);

/* Runs the trace variant. 0 with *t open, 1: there is no trace to use, -1 with words. */
int search_trace(struct search *s, struct launcher *l, const struct shm *shm, const void *data,
		 size_t size, struct run_result *r, struct trace *t);
/* values.c: all values of a term that the trace fixed (unit). 0; 1: the search is to end; -1. */
int search_ask_values(struct search *s, struct expansion *x, size_t at);
int values_wanted(const struct search *s, const struct path_step *step);

/* A variable's value for s->now.input. */
u128 search_value_in_child(const struct search *s, const struct expansion *x, expr_t variable);

int search_over_limit(const struct search *s);
/* Asks the caller now and then whether to stop. */
int search_paused(struct search *s);
/* For those who have a share of a search: what they used is a difference of the first, what it had so far is the second. In seconds or,
 * in repeatable mode, in work. */
double search_processor_time(const struct search *s);
double search_since(const struct search *s);
/* Processor time of the search and of what it ran (by the clock where a run waits, and Z3), or work; for differences. */
double search_used(const struct search *s);
/* The cost of something, in such seconds or, in repeatable mode, in work: runs, traces and queries. */
double search_cost(const struct search *s);

#endif
