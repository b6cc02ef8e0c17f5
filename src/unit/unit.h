/* unit.h: what the files of `muster test` share.
 *
 * A session is one file (or one function of a program): the harness is built and its variants are
 * made once. Workers, one process each, take functions from a counter that they share and search
 * them; what they found comes back through a pipe, a message for each function. The parent runs the
 * tests in the san variant, many functions at a time, looks at what failed, writes the store and
 * prints. A worker that dies loses the function it was at, and nothing else.
 */
#ifndef MUSTER_UNIT_UNIT_H
#define MUSTER_UNIT_UNIT_H

#include "base/option.h"
#include "base/vec.h"
#include "check/batch.h"
#include "check/confirm.h"
#include "campaign/traced.h"
#include "harness/harness.h"
#include "run/target.h"
#include "search/search.h"
#include "store/store.h"

#define TEST_WORKERS 64
#define TEST_COMPLETE 65536 /* functions of a file whose callers may be searched with summaries by themselves | more than files have */
#define SEARCH_SHARE 0.9 /* of --time: the rest is for the checks of what was found last */
#define CONTRACT_SHARE 0.25 /* of --time: for the causes of what failed, so that no bug is reported which callers owe, and for the calls that keep what is owed */
#define GIVEN_SHARE 0.4	    /* of that: for these calls (given.c), however many causes one function has */
#define SUMMARY_SHARE (1.0 / 3) /* of --time, with --summaries: they are made when all else is over */

struct test_options {
	const char *entry;   /* the only function that is driven, as the program's start; NULL */
	const char *globals; /* "symbolic" or "initial" */
	struct option_list requires;
	uint64_t elements, characters, objects; /* 0: the harness's own */
	double seconds;				/* of everything, of several files: of this one; 0: no limit */
	double later;				/* seconds that are kept for the files after it */
	double function_time;			/* seconds of one function */
	uint64_t runs;				/* inputs of one function */
	double
	    path_time; /* seconds for further paths of a function whose branches are all covered */
	uint64_t path_runs;
	double run_time;  /* seconds of one call */
	double main_time; /* seconds of the search for inputs of the whole program; 0: none */
	uint64_t workers; /* 0: as many as there are processors */
	uint64_t memory;  /* bytes of muster's own processes; 0: not given */
	uint64_t seed;	  /* 0: not given */
	const char *out, *store;
	checker_set checks;
	int combine; /* enum search_combine */
	enum search_kind kind;
	int json, stats, quiet, verbose;
	int no_invariants;
	int no_grow; /* objects keep to elements and characters */
	int small;   /* they have few (DRIVE_SMALL), whatever elements and characters say */
	int fresh;   /* nothing that earlier runs found out is reused */
	int repeatable;		   /* no clock decides anything */
	int runs_given, function_time_given; /* by the user: they hold however much of --time is left */
	int unstored;		   /* nothing is kept, and nothing of earlier runs is taken */
	const char *contracts;	   /* file of accepted contracts; NULL: the one beside the source; "none" */
	int report_all;		   /* every finding is reported as a bug, whoever's fault it is */
	int summaries;		   /* make them of every function */
	int segments;		   /* and of their segments */
	uint64_t sample;	   /* states of each summary that are run */
	const char *const *cflags; /* NULL at the end */
	const volatile int *stop;  /* a signal came */
};

unsigned test_workers(const struct test_options *o);

enum test_verdict {
#define X(name, word) TEST_##name,
	RESULT_VERDICTS(X)
#undef X
	    TEST_VERDICT_COUNT
};
const char *test_verdict_word(enum test_verdict v);

/* An input that was executed. */
struct test_case {
	uint64_t id;	 /* in its function, from 1; then in the store */
	uint64_t parent; /* likewise; 0: the first */
	const uint8_t *data;
	size_t size;
	uint32_t origin, flags, new_outcomes;
	uint64_t path, run;
	double found;
	int passed;   /* in the san variant */
	int failed;   /* there: something was found */
	int survived; /* and the run went on to its end */
	int hidden;   /* something that was found is suppressed */
	uint32_t bug; /* number + 1 of what it showed; 0: none */
};

/* An input whose traced run broke a check. */
struct test_violation {
	struct traced_check check;
	uint64_t test; /* id in its function; 0: it was not kept as one */
	int sent;      /* the input was solved for it */
	const uint8_t *data;
	size_t size;
};

/* A test that showed a bug. */
struct test_shown {
	uint32_t test; /* number in the function's tests */
	uint32_t bug;  /* serial of the bug */
	uint32_t order; /* among the findings of its run: 0 is the first */
};

/* Whose fault a bug is, by the calls of one function. */
struct test_owing {
	uint32_t bug; /* serial */
	int owed;     /* each call of the function that showed it breaks what its callers owe */
	int keeps;    /* the input that is reported breaks none of that; of bugs that are reported of this function */
};

struct test_cover {
	uint32_t unit, outcome;
	uint8_t mask;
	uint32_t test; /* id in its function */
};

/* What the learning phase of a search saw (choosing.c). */
struct test_learned {
	uint32_t decisions; /* of a path */
	uint32_t inside;    /* of these, inside of callees that were searched to their end */
	uint32_t callee;    /* that has most of them, in the session */
};

/* What a worker says about a function. */
struct test_searched {
	uint32_t function;	     /* in the session */
	uint32_t ran;		     /* it was entered */
	uint32_t ended;		     /* nothing was left to negate */
	uint32_t exhausted;	     /* and nothing was lost */
	uint32_t composed;	     /* functions whose summaries stood for calls of it, if that is what was exhausted */
	uint32_t kind;		     /* enum search_kind: how this was searched */
	uint32_t aside;		     /* the learning phase ended it: summaries promise more */
	struct test_learned learned; /* of that phase */
	uint32_t stopped;	     /* by the whole session's limit or a signal */
	uint32_t more;		     /* more time could find more */
	uint32_t part;		     /* there is more to come: what was found since the last message */
	uint32_t growth;	     /* how often objects grew after that (drive.h); what stands above is of the time before */
	uint64_t inputs, covered_at; /* runs; the one that covered something new last */
	uint64_t frontier;	     /* tests that were not explored */
	double seconds;
	double covered_seconds, covered_running; /* until then; of these, the cov variant's own */
	struct search_losses losses;
};

/* What earlier runs give a function (reuse.c). */
enum test_reuse_how {
	TEST_REUSE_NONE,
	TEST_REUSE_TESTS, /* it changed: it begins with the tests it had */
	TEST_REUSE_ALL,	  /* all that it rests on is the same: its tests are run again, and it is not searched */
};
struct test_reused {
	enum test_reuse_how how;
	int keyed;		    /* the hashes are there */
	struct hash128 key, inputs; /* of all that the search depends on; of what its inputs mean */
	uint64_t campaign;	    /* whose tests these are */
	VEC(struct test_case) seeds; /* of TESTS; those of ALL are the function's own from the start */
	/* Of ALL: */
	struct test_searched result; /* how the search had ended */
	enum test_verdict verdict;
	struct carry *carry; /* what the checks had found out (carry.h); NULL: it is not known */
};

/* A confirmed bug of the last version, and what its input does now. */
enum test_old_bug_now { TEST_OLD_BUG_UNKNOWN, TEST_OLD_BUG_FIXED, TEST_OLD_BUG_THERE };
struct test_old_bug {
	const char *kind, *function;
	uint32_t line;
	const void *data;
	size_t size;
	uint32_t entry; /* the function that is called, in the session; UINT32_MAX: it is gone, or takes other inputs */
	enum test_old_bug_now now;
};

struct test_function {
	const char *name;
	const struct front_function *front;
	const struct harness_function *harness;
	/* Where its branches are counted. */
	uint32_t unit, first_outcome, outcomes;
	uint64_t covered; /* of them, by any test of the session */
	int helper; /* called by one that was named, and searched for its summaries alone: nothing of it is reported or stored */
	/* The search. */
	int searched, lost; /* lost: its worker died */
	int partial;	    /* a part of what a search found has come */
	struct test_searched result;
	VEC(struct test_case) tests;
	VEC(struct test_cover) covers;
	VEC(struct test_violation) violations;
	struct arena arena; /* bytes of its tests */
	/* What came with earlier messages, and was checked and stored. */
	size_t done_tests, done_covers, done_violations;
	/* The checks. */
	int checked;
	unsigned old_hangs; /* tests that hang and were inputs of old bugs */
	uint64_t unchecked; /* tests of which the san variant could say nothing */
	uint32_t bugs, suspected;
	const char *accepted; /* its contract, by a person; NULL: none (accepted.c) */
	int clean;	     /* nothing keeps it from being verified but limits of the harness that leave `verified given` (HARNESS_LIMITS_GIVEN) */
	int given;	     /* verified for all calls that keep its contract (given.c) */
	int given_tried;     /* these were searched, with the contract as it is */
	int small, small_tried; /* the same of those calls whose objects are small (DRIVE_SMALL) */
	int explained;	     /* its calls that failed have causes, or have none (contracts.c) */
	VEC(struct test_owing) owing; /* by bug, then */
	uint32_t owed;	     /* findings that its callers' contract excludes: no bugs */
	int contexts;	     /* verified given its callers: it is static, and each that may lead to it is verified (callers.c) */
	uint32_t uncalled;   /* findings that no caller was seen to lead to */
	VEC(struct test_shown) shown;
	uint32_t suppressed; /* findings of its tests that are left out */
	int beyond;	     /* the san variant went on where the search's runs end: after a write out of bounds that hit nothing */
	int traced;	     /* what was found rests on traced runs of the search: it cannot be seen again without them */
	struct map buckets; /* of the batch: to the bug's number */
	uint64_t summaries, partial_summaries;
	struct test_reused reuse;
	/* What comes of it. */
	enum test_verdict verdict;
	struct buf why; /* it is no better */
};

/* A bug of the session: as the model has it (finding.bug: name, input_file, level, hint and count as well), and what the session needs to find
 * it again. result.c fills in the rest when it is reported. */
struct test_bug {
	struct finding finding;
	struct buf data;   /* its input, as small as it could be made */
	uint32_t function; /* driven, in the session */
	uint32_t serial; /* from 0, in the order in which they were found */
	VEC(uint32_t) blamed; /* functions that show it by a call which breaks nothing that callers owe. Confirmed ones that are judged: one of them is `function`, unless it is owed */
	uint64_t bucket; /* of kind and frames alone: finding.bug has one that no other bug of the session has */
	uint64_t key;	 /* by which it is known in other versions (carry.c) */
	int owed;	 /* each call that shows it breaks what callers owe (contracts.c): it is reported as a contract */
	int regressed;	 /* the call that is reported passes in the base (regressed.c) */
	int uncalled;	 /* of static functions whose callers are known, none of which was seen to lead to it (callers.c): owed, and reported apart */
	uint32_t first;	 /* function whose test showed it first */
	uint64_t test;	 /* that test's number there, from 1 */
	uint32_t program; /* number + 1 of the whole program's bug in the same place (whole.bugs); 0: none */
	VEC(uint32_t) also; /* functions that lead there as well */
	struct result_bug seen; /* kind and place as the batch reported them: by which later ones are recognised. Strings are the finding's */
};

/* What a function requires of its callers: one cause of its findings. */
struct test_contract {
	uint32_t function;
	const char *requires; /* C, as --requires takes it */
	uint64_t places;      /* in the code, that fail where it does not hold */
	const uint8_t *data;  /* an input that breaks it */
	size_t size;
	const char *before;   /* the last version's contract, which that input keeps: it grew stronger (growth.c); NULL: that is not known */
	int necessary;
};

/* What became of the question whether the whole program fails too. */
enum test_program_state {
	TEST_PROGRAM_NONE, /* not asked: there is no program, no bug, or it is not wanted */
	TEST_PROGRAM_SEARCHED,
	TEST_PROGRAM_LATE,     /* no time was left */
	TEST_PROGRAM_UNLINKED, /* the file alone is none */
	TEST_PROGRAM_BROKEN,   /* it cannot be run, or its variants cannot be made */
};

/* Memory that the workers share with the parent. */
struct test_shared {
	volatile uint32_t next; /* turn to be taken */
	volatile int stop;
	double started;
	volatile uint8_t complete[TEST_COMPLETE]; /* by function: it was searched to its end and nothing was lost */
	struct test_running { /* by worker */
		volatile uint32_t function;
		volatile int busy;
	} workers[TEST_WORKERS];
};

/* The file as a program that calls any of its functions. */
struct test_driven {
	struct front *front;
	struct harness *harness;
	char *program; /* the harness */
	char *argv[2];
	char *scratch; /* where functions run */
	char *shared_tests; /* of kinds that compose: a directory in which workers leave the tests of functions; else NULL */
	struct target cov;
};

/* What is searched in this round, by whom. */
struct test_round {
	VEC(uint32_t) turns; /* functions, in the order in which they are taken */
	enum search_kind kind; /* AUTO: by all decisions, and whoever would do better with summaries is put aside */
	int again;	     /* it is not the first: functions begin with the tests they have */
	int rest;	     /* the round in which the functions that did not come to an end share the rest of --time */
	struct test_shared *shared;
};

/* How tests are checked. */
struct test_checking {
	struct batch *batch;
	struct confirm *confirm;
	struct target trace; /* for conditions and the checkers' own tests; made when it is needed */
	struct launcher *tracer;
	struct map hidden; /* places of findings that are suppressed */
};

/* Where what is found is kept. */
struct test_records {
	char *dir; /* of what is written */
	struct store *store;
	uint64_t campaign, version; /* version: 0 where its records cannot be read */
};

/* What it took. */
struct test_costs {
	double started, built, searched, seconds; /* clocks and the whole */
	struct search_stats search;
	struct solve_stats solve;
	uint64_t checks; /* runs of the san variant */
	uint64_t late;	 /* tests, and failures, that were not looked at since the time was over */
	uint64_t unexplained; /* bugs for whose causes no time was left */
	double batch_seconds, shrink_seconds, confirm_seconds;
};

/* Summaries that were tried on random states. */
struct test_samples {
	uint64_t states;   /* that were run */
	uint64_t none;	   /* summaries without one */
	uint64_t violated; /* states that did not end as Q says */
};

/* The program that functions are a part of. */
struct test_whole {
	char *program; /* if it was searched */
	VEC(struct result_bug) bugs; /* confirmed failures, with its own inputs */
	enum test_program_state state;
	double seconds; /* it was searched */
};

/* What earlier runs gave. */
struct test_reuse {
	uint64_t functions, tests; /* not searched; run again */
	double saved;		   /* seconds that their searches had taken */
	VEC(struct test_old_bug) bugs;
	struct map small; /* by hash: inputs of these, and of bugs of functions that are not searched, which mean what they meant, as small as they could be made; numbers of their kinds + 1, where nothing changed */
	VEC(const char *) kinds;
	struct buf source; /* the file, once it is needed */
	/* Summaries of the version before (recompute.c): those that still hold, proved; others for which a state of their precondition was run here, or none was found; those for which there was no time. */
	uint64_t held, again, unreached, unseen;
};

/* Of a session for a version of a file beside another one: zero for any other. */
struct test_standing {
	const char *name;	   /* what people are shown as the file */
	const char *for_file;	   /* absolute: the file that this is a version of, by which the store knows it */
	const char *const *cflags; /* it is compiled with these, not with the options' own */
	int optional;		   /* functions that are named and not there are left out */
	uint64_t bugs_of;	   /* the campaign whose bugs are run; 0: that of the newest other version */
};

struct test_session {
	const struct test_options *o;
	const char *file;     /* as the user named it */
	const char *function; /* after the colon, or NULL; several are separated by commas */
	uint32_t number, of;  /* it is that file of so many; number 0: the only one */
	struct test_standing standing;
	struct test_driven driven;
	VEC(struct test_function) functions;
	VEC(struct test_bug) bugs;
	VEC(struct test_contract) contracts; /* by function */
	VEC(const char *) accepted; /* "FUNCTION: CONTRACT", NULL at the end; empty: none */
	struct map covered; /* unit << 32 | outcome to classes */
	struct test_round round;
	struct test_checking check;
	struct test_records records;
	struct test_costs costs;
	struct test_samples samples;
	struct test_whole whole;
	struct arena arena; /* strings of results */
	struct test_reuse reuse;
};

double test_clock(void);
/* --time is over, and so is what is granted beyond it for checking what was found: whatever was not looked at stays so. */
int test_late(const struct test_session *s);
double test_search_seconds(const struct test_options *o); /* of --time, for the search */

struct test_shared *test_shared_new(void); /* NULL with words; it stays until the process ends */
/* session.c: 0, or -1 with words. An error of the user's (does not compile, no such function)
 * is *code = EXIT_USAGE. */
int test_session_run(struct test_session *s, int *code);
/* The same without store, main and summaries (o->unstored). 0, -1. */
int test_session_again(struct test_session *s);
void test_session_release(struct test_session *s);
/* Ends what only a session that goes on needs: processes and their memory. */
void test_session_rest(struct test_session *s);

/* What people are shown as the file; the absolute path by which the store knows it, allocated; what it is compiled with. */
const char *test_shown_name(const struct test_session *s);
char *test_identity(const struct test_session *s);
const char *const *test_cflags(const struct test_session *s);

/* Makes a variant in a process of its own. */
pid_t test_make_in_child(const char *program, enum variant_kind kind);

/* program.c: inputs of the whole program for the bugs of its functions, and bugs that show on
 * the way. 0, -1. */
int test_program(struct test_session *s);
int test_has_program(const struct test_session *s);
int test_program_only(const struct test_session *s, size_t number); /* no function's search found this one of whole.bugs */
void test_program_scope(const struct test_session *s, struct buf *out); /* why a bug is still at function level */

/* worker.c: a worker's life; messages go to fd. Does not return. */
void test_worker(struct test_session *s, unsigned number, int fd) __attribute__((noreturn));

/* wire.c: messages. */
enum test_message { TEST_MESSAGE_FUNCTION = 1, TEST_MESSAGE_STATS };
int test_send(int fd, enum test_message kind, const struct buf *body);
/* The function's tests, covers and violations from those on. */
struct test_sent {
	size_t tests, covers, violations;
};
void test_pack(struct buf *out, const struct test_searched *r, const struct test_function *f, const struct test_sent *from);
/* Appended to the function it is about; -1: it is no such message. */
int test_unpack(struct test_session *s, const char *data, size_t size);
void test_pack_stats(struct buf *out, const struct search_stats *a, const struct solve_stats *b);
int test_unpack_stats(struct test_session *s, const char *data, size_t size);

/* check.c: runs the tests of functions that were searched in the san variant, and looks at
 * what fails. 0, -1. */
int test_check(struct test_session *s, const uint32_t *functions, size_t count);
/* The same for the inputs of old bugs of functions that are not searched, before anything else of them. 0, -1. */
int test_check_old(struct test_session *s);
void test_bug_release(struct test_bug *b);
int test_is_program_level(const struct test_bug *b);
/* The bug is one of this function, too, and this test shows it. t may be NULL. */
void test_count_bug(struct test_session *s, uint32_t function, struct test_case *t, struct test_bug *b, uint32_t order); /* order: of the finding in the test's run */
/* A finding of a function, shown by this input, which is taken over: a bug, or one more input of a known one. t may be NULL. */
void test_found(struct test_session *s, uint32_t function, struct test_case *t, struct buf *data, struct finding *x);
/* broken.c: checks that the traced runs of a function broke, and no sanitizer saw: confirmed by their own tests, or suspected. 0, -1. */
int test_violations(struct test_session *s, uint32_t function);
/* Makes a test of another function that shows the bug the one that is reported, if it is confirmed. 0, -1. */
int test_blame(struct test_session *s, struct test_bug *b, uint32_t function, size_t test);
/* callers.c: findings of static functions in the contexts that their callers give them. Verdicts are there. 0, -1. */
int test_callers(struct test_session *s);
/* The san variant, s->check.batch and confirm. 0, -1. */
int test_open_checks(struct test_session *s);
/* The launcher of the trace variant, s->check.tracer. 0, -1. */
int test_open_tracer(struct test_session *s);
/* contracts.c: which findings are the fault of callers, and what these owe. 0, -1. */
int test_has_contracts(const struct test_options *o); /* are causes looked for? */
int test_contracts(struct test_session *s);
/* regressed.c: which findings some call shows that passes in the base, another session that is over, and which contracts grew stronger since then. Such findings are no contracts. 0, -1. */
int test_regressed(struct test_session *s, struct test_session *base);
/* growth.c: which contracts grew stronger since the last version; what the next one asks for. 0, -1. */
int test_growth(struct test_session *s);
int test_growth_note(struct test_session *s);
void test_drop_repeated(struct test_session *s); /* repeated.c: bugs that are others once more are no longer reported */
int test_is_blamed(const struct test_bug *b, uint32_t function);
/* accepted.c: contracts that a person accepted, for the harness. 0, -1 with words. */
int test_accepted_open(struct test_session *s);
const char *test_accepted_text(const struct test_session *s, const char *function); /* NULL: none */
int test_is_given(const struct test_function *f); /* an accepted contract is assumed for it */
void test_contract_add(struct test_session *s, const struct test_contract *c); /* after others of its function */
void test_owing_none(struct test_function *f, uint32_t serial); /* a call of it that keeps the contract shows the bug: it is no one else's fault */
/* given.c: searches functions with contracts for calls that keep them. 0, -1. */
int test_given(struct test_session *s);
void test_contract_text(const struct test_session *s, uint32_t function, struct buf *out); /* all that it requires, joined */
void test_within_text(const struct test_function *f, struct buf *out); /* what else is asked of calls for which it is verified given its contract; nothing: as of those of verified functions */
/* summarise.c: with --summaries, from all tests of all functions. 0, -1. */
int test_summaries(struct test_session *s);
/* Of these tests of a function; in the list, as they are: neither simplified nor joined. 0, -1. */
struct summaries;
int test_summarise(struct test_session *s, struct test_function *f, const struct test_case *tests, size_t count, struct summaries *l);
/* Takes conversions out of a finding whose result does not count (traced_filter). 0, -1. */
int test_filter(struct test_session *s, uint32_t function, const void *data, size_t size, struct finding *x);
/* The condition of a bug, in terms of the function's parameters. 0, -1. */
int test_condition(struct test_session *s, uint32_t function, const struct buf *data, struct finding *x);
/* The path of another input that shows it, NULL if that is not known. 0, -1. */
int test_path(struct test_session *s, uint32_t function, const struct buf *data, struct finding *x);
/* shrink.c: smaller inputs that fail in the same places, all together. quick: two rounds only.
 * 0, -1. */
#define TEST_SAN_SLOWER 10 /* a call in the san variant may take that many times the limit */
struct test_shrink_job {
	uint32_t number; /* of the function in the harness */
	uint64_t bucket; /* of the batch */
	struct buf data; /* the input, which is replaced */
	/* private */
	int better;
	unsigned hangs; /* of the changes that were tried */
	size_t first;
};
int test_shrink(struct test_session *s, struct test_shrink_job *jobs, size_t count, int quick);

/* verdict.c */
uint64_t test_count(const struct test_function
			*f); /* tests, without inputs for which a precondition does not hold */
void test_find_outcomes(struct test_session *s); /* of each function */
/* What was checked for a verdict of verified, in words; nothing for others. */
void test_conditions(const struct test_session *s, const struct test_function *f, struct buf *out);
void test_find_covered(struct test_session *s); /* of each function, which outcomes its calls have taken so far */
int test_is_whole(const struct test_function *f); /* nothing keeps it from being verified but its findings, and limits that leave `verified given` */
void test_judge(struct test_session *s);	 /* when everything was checked */
void test_scope(const struct test_session *s,
		struct buf *out); /* one line: what verdicts speak of */

/* store.c: opens store and directory; writes a function's tests and bugs in one transaction.
 * 0, -1. */
int test_store_open(struct test_session *s);
int test_store_function(struct test_session *s, struct test_function *f);
int test_store_bugs(struct test_session *s);
int test_store_result(struct test_session *s, const char *status); /* verdicts of functions, and that there was this run */
uint64_t test_stored_id(const struct test_session *s, const struct test_bug *b); /* of the test that showed it first */

/* test_report.c, test_json.c */
void test_print(struct test_session *const *sessions, size_t count, double seconds);
void test_print_json(struct test_session *const *sessions, size_t count, const char *status,
		     double seconds);

/* result.c: what the sessions found. Some of its strings are the sessions'. tests: their inputs as well, of which there may be many. */
void test_result(struct test_session *const *sessions, size_t count, int tests, struct result *r);
struct result_function test_result_function(struct test_session *s, struct test_function *f, struct result *r);

#endif
