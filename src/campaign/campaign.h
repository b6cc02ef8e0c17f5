/* campaign.h: the search of a whole program, as `muster fuzz` does it.
 *
 * A campaign is a supervisor and one or more workers. A worker has everything a
 * search needs (two tracers, the fast runner, a store connection of its own) and
 * publishes its figures in memory that it shares with the supervisor, which shows
 * them and watches the clock. Even one worker is a process of its own. campaign_open, campaign_run and campaign_close are the whole of
 * it; what stands above them is shared by the files of this folder.
 */
#ifndef MUSTER_CAMPAIGN_CAMPAIGN_H
#define MUSTER_CAMPAIGN_CAMPAIGN_H

#include "campaign/older.h"
#include "campaign/traced.h"
#include "check/confirm.h"
#include "report/bug.h"
#include "run/target.h"
#include "search/search.h"
#include "store/outdir.h"
#include "store/store.h"

#define FUZZ_WORKERS 256
#define FUZZ_RECENT 8 /* tests that were explored last, for copies.c */
#define PUBLISH_SECONDS 0.1 /* between figures */

struct fuzz_options {
	const char *seeds, *out, *secondary, *dictionary, *store, *dump_queries;
	double seconds; /* of search; 0: until it ends or is stopped */
	uint64_t runs;	/* 0: no limit */
	uint64_t workers;
	uint64_t memory; /* bytes; 0: not given */
	uint64_t seed;	 /* 0: not given */
	double run_time; /* wall-clock seconds of one run */
	int json, stats, no_mutate, no_shrink, quiet, until_bug;
	int fresh;     /* nothing is taken over from a search of another version in another directory */
	int summaries; /* make them of the functions that its tests call */
	struct search_options search;
	struct target_options target;
};
#define FUZZ_DEFAULTS                                                                       \
	{                                                                                   \
		.out = "muster-out", .workers = 1, .run_time = 1, .target = TARGET_DEFAULTS \
	}

/* What a worker does: X(NAME, words for the screen, a word where workers are counted). */
#define FUZZ_STAGES(X)                                          \
	X(SEEDS, "running the seeds", "seeds")                  \
	X(NEGATE, "solving for new branches", "solving")        \
	X(MUTATE, "mutating the corpus", "mutating")            \
	X(LOOK, "checking with sanitizers", "checking")         \
	X(SHRINK, "shrinking a bug's input", "shrinking")       \
	X(MAKE, "making functions that are entered for the first time", "making") \
	X(WAIT, "waiting for the others", "waiting")
enum fuzz_stage {
#define X(name, words, word) FUZZ_STAGE_##name,
	FUZZ_STAGES(X)
#undef X
	    FUZZ_STAGE_COUNT
};

/* Published by a worker, read by the supervisor while it is written: figures for people. */
struct fuzz_figures {
	struct search_stats search;
	struct solve_stats solve;
	uint64_t covered, total; /* branch outcomes */
	uint64_t tests, bugs, hangs, suspected; /* found since the start */
	struct fuzz_before {
		uint64_t tests, bugs, hangs, suspected;
	} before; /* what the store had when it went on; the first worker's */
	uint64_t files; /* in queue/; the first worker looks every few seconds */
	int64_t last_crash, last_hang; /* seconds since 1970; 0: none yet */
	uint64_t find_cycle;	       /* cycles of the queue at the last new outcome */
	enum fuzz_stage stage;
	uint64_t frontier; /* tests to explore; the first worker looks every few seconds */
	double last_new; /* clock of the last new outcome */
	int opened;	 /* there is a search */
	int ended;	 /* it came to an end by itself */
	int exhausted;
	struct search_losses losses; /* why not; known when it ended */
	char error[400];
};

/* What the tests do with other contents of memory that was never written. */
struct fuzz_filled {
	int asked, done;	/* done: all tests were run */
	uint64_t tests, differ; /* how many did something else */
};

struct fuzz_shared {
	struct fuzz_filled filled;
	struct older older; /* what was taken over from another version */
	double started;	   /* clock: when the command began */
	uint64_t campaign; /* 0: there is none yet */
	uint64_t version;  /* of the program, in the store; likewise */
	volatile int stop; /* all workers are to end */
	uint64_t pending;  /* tests without coverage that the frontier holds, of all workers */
	volatile int lost; /* some worker's search is not exhaustive */
	volatile int san_made, no_san; /* the san variant was made beside the search; or could not be */
	volatile unsigned copies_made; /* times that a trace variant with more fast copies was made beside the search */
	enum copies copies;	       /* which the trace variant has that is run */
	volatile int making;	       /* the worker that makes functions which are missing; 0: none does */
	volatile unsigned parts_made;  /* times that one did, or took what another made */
	struct fuzz_figures workers[FUZZ_WORKERS];
};

/* An input that waits for its run in the san variant. It is no bug yet: what the run shows may be one (result_bug). */
struct waiting_input {
	enum {
		PENDING_FAILED,	  /* its run did */
		PENDING_VIOLATED, /* it was solved to break a check */
		PENDING_KEPT,	  /* nothing is expected of it */
	} why;
	uint64_t test, parent;
	struct buf data;
	int signal, hang;
	int urgent;		   /* it does not wait for its share of the time */
	struct traced_check check; /* which, and where; 0: not known */
	int sent;		   /* the input was solved for it */
};

/* A bug whose input is to be shrunk. */
struct fuzz_shrink {
	struct waiting_input p; /* as it was found */
	uint64_t id, bucket;
	int own;	    /* a checker's own test shows it; else the san variant does */
	struct map answers; /* does an input show it? By hash */
};

/* How a worker runs the program. */
struct fuzz_runners {
	struct target cov, trace, trace_child;
	struct exec *exec;		  /* of cov */
	struct launcher *parent, *child; /* of the trace variant */
	struct fuzz_part {
		struct fuzz *f;
		struct target *target;
	} parts[2]; /* of trace and trace_child, for fuzz_missing */
	struct confirm *confirm;	  /* of the san variant */
};

/* Where what is found is kept. */
struct fuzz_records {
	struct store *store;
	struct hash128 key; /* of the campaign */
	uint64_t campaign;
	int fresh; /* it was made now */
	struct outdir *outdir;
	uint64_t imported; /* tests of the store with smaller ids were seen */
	struct map own;	   /* ids of tests that this worker added */
	int noted_cut;	   /* the store knows that IC-Cut came to its end */
	int noted_lost;	   /* the store knows that the search is not exhaustive, */
	int noted_sized;   /* and that sizes of heap blocks depend on the input */
};

/* Inputs on their way through the san variant, and the bugs that come of it. */
struct fuzz_bugs {
	VEC(struct waiting_input) pending;
	VEC(struct fuzz_shrink) shrinks;
	VEC(uint64_t) kept;   /* tests to be run in the san variant ... */
	size_t kept_at;	      /* ... those before it were */
	uint64_t looked;      /* how many were */
	uint64_t failures;    /* that were looked at without waiting */
	pid_t san_maker;      /* makes the san variant; 0: no process does */
	struct map looks;     /* at what checks predict, by checker and instruction */
	struct map confirmed; /* buckets that the store has as confirmed */
	uint64_t failed[MUSTER_CHECK_COUNT]; /* predictions of each checker that were confirmed */
	double confirm_seconds; /* for failures and violations */
	double kept_seconds;	/* for tests that are kept */
	double shrink_seconds;
};

/* Fast copies of functions (copies.c). */
struct fuzz_copies {
	pid_t maker;	/* makes a trace variant with more fast copies; 0: no process does */
	double next;	/* seconds of traced runs before the next look at what is hot */
	unsigned looks; /* so far */
	unsigned seen;	/* of shared->copies_made */
	int without_calls; /* the trace variant is run in the place of the calls variant */
	struct buf recent[FUZZ_RECENT];
	unsigned noted;
};

/* One worker. */
struct fuzz {
	const struct fuzz_options *o;
	char *const *argv;
	char *program;
	char *command; /* as one line, for people and the store */
	unsigned number;
	struct fuzz_shared *shared;
	struct fuzz_figures *figures;
	struct fuzz_runners run;
	struct search *search;
	struct fuzz_records records;
	struct fuzz_bugs bugs;
	struct fuzz_copies copies;
	struct fuzz_callees *callees; /* of compositional search; else NULL */
	struct fuzz_due {
		double publish, sync, stats; /* clocks */
		uint64_t covered;	     /* at the last figures */
	} next;
	int stopped;
};

double fuzz_clock(void);
/* Not only is the search to end, but everything that can be done later. */
int fuzz_leaving(const struct fuzz *f);

/* worker.c: 0, or -1 with words. */
int fuzz_open_targets(struct fuzz *f); /* makes cov and trace: in one process, for all */
void fuzz_release_targets(struct fuzz *f);
int fuzz_open(struct fuzz *f);		/* the rest */
int fuzz_open_store(struct fuzz *f); /* a part of it */
int fuzz_try_files(struct fuzz *f);	/* can they be opened? */
char *fuzz_store_path(const struct fuzz_options *o); /* allocated */
int fuzz_count_pending(struct fuzz *f); /* from the store, before the workers begin */
int fuzz_seed(struct fuzz *f);
int fuzz_loop(struct fuzz *f);
void fuzz_close(struct fuzz *f);
void fuzz_publish(struct fuzz *f);
void fuzz_stage(struct fuzz *f, enum fuzz_stage stage); /* published at once if it changed */

/* hooks.c */
struct search_hooks fuzz_hooks(struct fuzz *f);
/* Tests that other workers, or AFL++, found since the last call. */
int fuzz_import(struct fuzz *f);
int fuzz_stopping(const struct fuzz *f); /* a limit is reached, or the user wishes it */
/* Queue files that a kill kept from being written. */
int fuzz_restore_files(struct fuzz *f);
/* Tells the store and the other workers that this search is not exhaustive, or learns it from them. 0, -1. */
int fuzz_note_lost(struct fuzz *f);

/* bugs.c: inputs to be looked at: one that crashed or hung, one that was solved to break a check, a test that is kept. */
int fuzz_failed(struct fuzz *f, const struct search_test *t, const struct exec_result *r);
int fuzz_violated(struct fuzz *f, const struct search_test *t, const struct search_violation *v);
int fuzz_kept(struct fuzz *f, uint64_t test);
/* Looks at some of them. all: the search is over. */
int fuzz_failures_flush(struct fuzz *f, int all);
/* After a kill: failures that were not looked at, bugs without a file. */
int fuzz_failures_resume(struct fuzz *f);
/* Of another version: those of a campaign are run again. In its own, bugs that do not fail any more are suspected only; in another
 * one, those that fail are looked at. */
int fuzz_bugs_again(struct fuzz *f, uint64_t campaign);
void fuzz_bugs_release(struct fuzz *f);
void fuzz_san_begin(struct fuzz *f); /* makes the san variant beside the search */
void fuzz_site_done(struct fuzz *f, const struct waiting_input *p); /* its check was confirmed there */

/* copies.c: fast copies of functions of a large program. A turn between two steps of the search: 0, -1. */
int fuzz_copies_turn(struct fuzz *f);
void fuzz_copies_note(struct fuzz *f, const void *data, size_t size); /* a test that is explored now */
void fuzz_copies_release(struct fuzz *f);

/* entered.c: of a large program only functions that runs enter are made. */
int fuzz_may_part(const struct fuzz *f); /* not in every search */
/* Does a run with these counters of the unit make a decision in the function? */
int fuzz_entered(const struct site_table *t, const struct site_function *f, const uint8_t *counters, uint32_t count);
int fuzz_make_entered(struct fuzz *f);	 /* before the workers begin: 0, -1 */
int fuzz_missing(void *part, struct launcher *l, uint64_t site); /* launch_missing of a worker's launchers */

/* look.c: runs one in the san variant, and keeps what comes of it. It may fill in the check. 0; 1: there was no time, nothing is known; -1. */
int fuzz_look(struct fuzz *f, struct waiting_input *p);
int fuzz_write_failure(struct fuzz *f, const struct waiting_input *p, const struct result_bug *b, char **name);
int fuzz_fails_still(struct fuzz *f, const struct result_bug *b, struct finding *x);
/* Does this input show the bug, too? 1, 0, -1. */
int fuzz_shows_bug(struct fuzz *f, struct waiting_input *p, uint64_t bucket, int own, const void *data, size_t size);
/* A smaller input for a bug that is known: described again, and written over the old one. 0, -1. */
int fuzz_bug_smaller(struct fuzz *f, struct waiting_input *p, uint64_t id, uint64_t bucket, int own, const struct buf *data);

/* shrink.c: a bug's input is made smaller later (what a repeatable search finds: at once); a piece of that; the rest of it, until then. 0, -1. */
void fuzz_shrink_later(struct fuzz *f, const struct waiting_input *p, const struct result_bug *b, int own);
int fuzz_shrink_some(struct fuzz *f);
int fuzz_shrink_rest(struct fuzz *f, double until);
void fuzz_shrink_release(struct fuzz *f);

/* rebuilt.c: tests and bugs that an older build of the program left are run again. 0, -1. */
int fuzz_rebuilt(struct fuzz *f);
int fuzz_explore_again(struct fuzz *f); /* every test that is explored goes back to the frontier */
int fuzz_carry(struct fuzz *f); /* a new campaign: those of the newest one with the same command and another build. Likewise */
int fuzz_other_checks(struct fuzz *f); /* tests that were explored with fewer checkers are explored again */

/* stats.c: DIR/fuzzer_stats, as AFL++ writes it. 0, -1. */
int fuzz_write_stats(struct fuzz *f);

/* fill.c: does what a search that lost nothing still hangs on: see there. */
void fuzz_fill(const struct fuzz *f, struct store *store, struct fuzz_filled *result);

/* What all workers did, together. */
struct campaign_sums {
	struct search_stats search;
	struct solve_stats solve;
	uint64_t covered, total;
	double seconds;
	struct bug_counts bugs;
	int exhaustive; /* the frontier is empty, nothing was lost on a path, and memory that was never written decides nothing that was seen */
	struct fuzz_filled filled;
	enum copies copies; /* that the trace variant had in the end */
	uint64_t losses[LOSS_COUNT];
};
/* sums.c: those of a repeatable search without what a clock or the kernel measured. */
void campaign_add_up(const struct fuzz *f, struct campaign_sums *s);
/* A row in the store that there was this search of this version. No process may have the store open for reading alone: the log goes
 * with the last that closes it, and that one must be able to. The store may have become full, which the search itself has reported. */
void campaign_store_result(const struct fuzz *f);

/* supervise.c: a whole campaign. Checkers (build/variant.h), suppressions, the sandbox, the memory budget and the deadline are the
 * process's, and chosen before; *stop of f->shared ends it. 0, or -1 with words. */
void campaign_complete(struct fuzz_options *o); /* what follows from the others, or has a default */
/* Bytes of the records in the program, once it is open. */
uint64_t campaign_records(const struct fuzz *f);
int campaign_open(struct fuzz *f, const struct fuzz_options *o, char *const *argv); /* both are borrowed */
void campaign_close(struct fuzz *f);
/* Who watches. show: a few times a second; end: the last worker is gone, or there was none. words: show draws on standard error, so
 * what workers print there is passed on between two drawings. */
struct campaign_screen {
	void *ctx;
	void (*show)(void *ctx, const struct fuzz_shared *shared, unsigned workers);
	void (*end)(void *ctx);
	int words;
};
/* Until it ends. Without a worker that opened its search (f->shared->workers[0].opened) nothing was done. screen may be NULL. */
int campaign_run(struct fuzz *f, const struct campaign_screen *screen);
const char *campaign_status(const struct fuzz *f); /* "complete", "budget", "interrupted" */

/* The same in a process of its own, with a deadline and a memory budget of its own (o->seconds, o->memory), which is forked: the other
 * choices are the caller's. What it finds is in its store and output directory at every moment, so it may be killed; SIGINT and SIGTERM end
 * it in good order. Its exit code: EXIT_OK; EXIT_USAGE: it could not begin; EXIT_INCONCLUSIVE: nor was there time to; EXIT_INTERNAL. */
struct campaign_alone {
	const struct fuzz_options *o;
	char *const *argv;
	const char *directory; /* where it runs; NULL: here */
	const char *log;       /* file for its warnings; NULL: they are not read */
	int orphan;	       /* the signal that it gets when the caller dies */
};
pid_t campaign_start(const struct campaign_alone *a); /* -1 with words */

#endif
