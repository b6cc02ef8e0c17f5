/* result.h: what a command found, in the one form that every command fills, every format of src/report reads and the store keeps.
 *
 * Plain data: strings are borrowed from whoever filled them (an arena, a row of the store) and live as long as that says. NULL, or 0, where
 * nothing is known; formats say null then.
 */
#ifndef MUSTER_RESULT_RESULT_H
#define MUSTER_RESULT_RESULT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

/* Levels of bugs. */
#define RESULT_FUNCTION "function" /* a call of the function alone: its callers are not proven to allow it */
#define RESULT_PROGRAM "program"   /* the program's own start */

/* A bug: one for each bucket. */
struct result_bug {
	uint64_t id;	      /* in its campaign, from 1; 0: it is not stored */
	const char *name;     /* what people and scripts call it; NULL: its id */
	uint64_t bucket;      /* hash of kind and stack */
	uint64_t place;	      /* hash of the sanitizer's own kind, function and line: what a batch of runs and a run by itself have in common; 0: no report */
	const char *kind;     /* "heap-buffer-overflow", "abort", "timeout" ... */
	const char *function, *file;
	uint32_t line;
	int confirmed;
	int signal;	      /* that ended the run; 0: not known */
	uint64_t test;	      /* that showed it first */
	uint64_t count;	      /* tests that fell into this bucket */
	const char *summary;  /* one line in plain words */
	const char *report;   /* the sanitizer's text, "" if there is none; NULL: it is left out */
	const void *data;     /* the input, as small as it could be made */
	size_t size;
	const char *inputs;   /* the same as JSON, by name; NULL: the bytes */
	const char *call;     /* the same as a call in C, in one line; NULL: likewise */
	const char *path;     /* the decisions that lead there (search/broken.h, broken_path); NULL: not known */
	const char *input_file; /* in the store: below the output directory */
	const char *replay;   /* the command that shows it again */
	/* Of a function that was driven by itself, or of the program it is in. */
	const char *entry;    /* the function that was called; NULL: this is no such bug, and the rest means nothing */
	const char *const *also; /* others that lead there as well */
	size_t also_count;
	const char *scope;    /* who can call it so, in words */
	const char *level;    /* RESULT_FUNCTION or RESULT_PROGRAM: from where the failing input comes */
	const char *hint;     /* what to do if no caller does */
	const char *cause;    /* a condition on the call that all which show it break, proved for each; NULL: none is known */
	const struct result_bug *program; /* the bug of the whole program in the same place */
	const char *by;	      /* of such a one: how its input gets there, "file" (named by an argument) or "stdin" */
};

/* Verdicts on functions, from weak to strong: X(NAME, word). docs/unit-tests.md has what each promises. */
#define RESULT_VERDICTS(X)        \
	X(UNREACHED, "unreached") \
	X(PARTIAL, "partial")     \
	X(EXPLORED, "explored")   \
	X(GIVEN, "verified given") \
	X(VERIFIED, "verified")

/* What a command knows of a list is a set of fields. X(NAME, key, how it is written, member); a key may be in a group: "GROUP.NAME". Formats read these tables.
 * WORD is a text or null, ID 0 or null; LISTED texts with "; " between become a list, COUNTED "concretised 144, cut 1" an object; RAW is JSON already; OUTCOMES and INPUT are of the record as a whole. */
#define RESULT_FUNCTION_FIELDS(X)                                                                  \
	X(NAME, "name", WORD, name)                                                                \
	X(FILE, "file", WORD, file)                                                                \
	X(LINE, "line", COUNT, line)                                                               \
	X(LOOPS, "loops", COUNT, loops)                                                            \
	X(DOMAIN, "domain", WORD, domain)                                                          \
	X(WEAKENED, "weakened", FLAG, weakened)                                                    \
	X(VERDICT, "verdict", WORD, verdict)                                                       \
	X(WHY, "why", WORD, why)                                                                   \
	X(COVERED, "branches.covered", COUNT, covered)                                             \
	X(TOTAL, "branches.total", COUNT, total)                                                   \
	X(UNCOVERED, "uncovered", OUTCOMES, uncovered)                                             \
	X(PATHS, "paths", COUNT, paths)                                                            \
	X(SUMMARIES, "summaries", COUNT, summaries)                                                \
	X(TESTS, "tests", COUNT, tests)                                                            \
	X(BUGS, "bugs", COUNT, bugs)                                                               \
	X(SUSPECTED, "suspected", COUNT, suspected)                                                \
	X(RUNS, "runs", COUNT, runs)                                                               \
	X(MOST_ELEMENTS, "most_elements", COUNT, most_elements)                                    \
	X(MOST_CHARACTERS, "most_characters", COUNT, most_characters)                              \
	X(RUNS_TO_COVERAGE, "runs_to_coverage", COUNT, runs_to_coverage)                           \
	X(SECONDS_TO_COVERAGE, "seconds_to_coverage", REAL, seconds_to_coverage)                   \
	X(RUNNING_TO_COVERAGE, "running_to_coverage", REAL, running_to_coverage)                   \
	X(EXHAUSTED, "exhausted", FLAG, exhausted)                                                 \
	X(REUSED, "reused", FLAG, reused)                                                          \
	X(STRATEGY, "strategy", WORD, strategy)                                                    \
	X(CHOICE, "strategy_why", WORD, choice)                                                    \
	X(SECONDS, "seconds", REAL, seconds)                                                       \
	X(LIMITS, "limits", LISTED, limits)                                                        \
	X(LOSSES, "losses", COUNTED, losses)                                                       \
	X(LOSSES_WORDS, "losses", WORD, losses)                                                    \
	X(LIMITS_WORDS, "limits", WORD, limits)                                                    \
	X(MACHINE, "machine", ID, machine)                                                         \
	X(RUN, "run", COUNT, run)                                                                  \
	X(GIVEN, "given", WORD, given)                                                             \
	X(WITHIN, "within", WORD, within)
enum result_function_field {
#define X(name, key, how, member) RESULT_FUNCTION_##name,
	RESULT_FUNCTION_FIELDS(X)
#undef X
	    RESULT_FUNCTION_FIELD_COUNT
};
#define RESULT_FIELD(list, name) (1ull << RESULT_##list##_##name)

/* A function that was searched or analysed. */
struct result_function {
	const char *name, *file; /* file: as the unit has it */
	uint32_t line;
	const char *verdict; /* a word of RESULT_VERDICTS */
	const char *why;     /* it is no better; NULL: it is verified */
	const char *given;   /* the contract that its verdict speaks of; NULL: none */
	const char *within;  /* what else is asked of the calls that it speaks of; NULL: nothing */
	uint64_t covered, total; /* branch outcomes */
	uint64_t tests, bugs, suspected;
	const char *losses; /* of the search: "concretised 144, cut 1"; "" for none */
	const char *limits; /* of the harness, in words, "; " between; "" for none */
	uint64_t machine, run; /* the result that says so (store_result): its scope is the verdict's */
	/* Of the search that was made just now: the store does not keep it. */
	const char *const *uncovered; /* branch outcomes that no test took: "line:column outcome" */
	size_t uncovered_count;
	uint64_t paths, summaries, runs;
	uint64_t most_elements, most_characters; /* that an object had */
	uint64_t runs_to_coverage; /* until something new was covered last */
	double seconds_to_coverage, running_to_coverage;
	int exhausted; /* nothing was left to negate, and nothing was lost */
	int reused;    /* it rests on nothing that changed since an earlier run: its tests were run again, and it was not searched */
	const char *strategy; /* how it was searched (search/kind.h) */
	const char *choice;   /* why, where muster chose; NULL: it did not */
	const char *conditions; /* that were checked, of one that is verified; NULL: it is not */
	double seconds;
	/* Of an analysis. */
	uint64_t loops;
	const char *domain; /* the weakest that had to answer */
	int weakened;	    /* since time ran out */
};

/* A test: an input that is kept, or one that was run again. */
#define RESULT_TEST_FIELDS(X)                          \
	X(ID, "id", ID, id)                            \
	X(FUNCTION, "function", WORD, function)        \
	X(INPUTS, "inputs", INPUT, inputs)             \
	X(FILE, "file", WORD, file)                    \
	X(PARENT, "parent", ID, parent)                \
	X(ORIGIN, "origin", WORD, origin)              \
	X(SIZE, "size", COUNT, size)                   \
	X(DIVERGED, "diverged", FLAG, diverged)        \
	X(NEW_BRANCHES, "new_branches", COUNT, new_branches) \
	X(COVERS, "covers", FLAG, covers)              \
	X(FAILED, "failed", FLAG, failed)              \
	X(FOUND, "seconds", REAL, found)               \
	X(EXPLORED, "explored", FLAG, explored)        \
	X(CRASH, "crash", FLAG, crash)                 \
	X(HANG, "hang", FLAG, hang)                    \
	X(VERDICT, "verdict", WORD, verdict)           \
	X(SUMMARY, "summary", WORD, summary)
enum result_test_field {
#define X(name, key, how, member) RESULT_TEST_##name,
	RESULT_TEST_FIELDS(X)
#undef X
	    RESULT_TEST_FIELD_COUNT
};
#define RESULT_TEST(name) (1u << RESULT_TEST_##name)

struct result_test {
	uint64_t id, parent;	/* 0: none */
	const char *function;	/* that it is a call of; NULL: a run of the program */
	const void *data;
	size_t size;
	const char *inputs;	/* the same as JSON, by name; NULL: the bytes */
	const char *file;	/* NULL: none */
	const char *origin;
	uint64_t new_branches;
	double found;		/* seconds since the search began */
	int diverged;		/* it went elsewhere than it was sent */
	int covers;		/* something that no earlier test does */
	int failed;		/* a sanitizer reported something */
	int explored, crash, hang;
	const char *verdict, *summary; /* of a run just now */
};

/* A confirmed bug of the last version, and what its input does in this one. */
#define RESULT_OLD_BUG_FIELDS(X)                \
	X(KIND, "kind", WORD, kind)             \
	X(FUNCTION, "function", WORD, function) \
	X(LINE, "line", COUNT, line)            \
	X(NOW, "now", WORD, now)
struct result_old_bug {
	const char *kind, *function;
	uint32_t line;	 /* in that version */
	const char *now; /* RESULT_FIXED, RESULT_STILL_THERE, RESULT_UNKNOWN */
};
#define RESULT_FIXED "fixed"		 /* the input passes */
#define RESULT_STILL_THERE "still there" /* it fails in the same function with the same kind */
#define RESULT_UNKNOWN "unknown"	 /* it could not be run, or fails otherwise */

/* What a function requires of its callers. */
#define RESULT_CONTRACT_FIELDS(X)               \
	X(FUNCTION, "function", WORD, function) \
	X(REQUIRES, "requires", WORD, requires) \
	X(ACCEPTED, "accepted", FLAG, accepted) \
	X(PLACES, "places", COUNT, places)     \
	X(NECESSARY, "necessary", FLAG, necessary) \
	X(BEFORE, "before", WORD, before) \
	X(INPUTS, "inputs", RAW, inputs)
struct result_contract {
	const char *function, *requires;
	int accepted;	    /* by a person */
	const char *before; /* the contract of the last version, which the call below keeps: it grew stronger; NULL: not known to */
	int necessary;	    /* every call that breaks it fails: proved */
	uint64_t places;    /* in the code, that fail where it does not hold */
	const char *inputs; /* a call that breaks it and fails, as JSON by name */
	const char *call;   /* the same as C */
};

/* A finding of a static function to which none of its callers was seen to lead. */
#define RESULT_UNCALLED_FIELDS(X)               \
	X(FUNCTION, "function", WORD, function) \
	X(KIND, "kind", WORD, kind)             \
	X(FILE, "file", WORD, file)             \
	X(LINE, "line", COUNT, line)            \
	X(SUMMARY, "summary", WORD, summary)    \
	X(CAUSE, "cause", WORD, cause)          \
	X(INPUTS, "inputs", RAW, inputs)
struct result_uncalled {
	const char *function; /* that was called */
	const char *kind, *file;
	uint32_t line;
	const char *summary, *cause; /* cause: NULL for none */
	const char *inputs, *call;   /* of it, as JSON and as C */
};

/* A place that must keep a refinement. */
#define RESULT_OBLIGATION_FIELDS(X)             \
	X(FILE, "file", WORD, file)             \
	X(FUNCTION, "function", WORD, function) \
	X(SUBJECT, "subject", WORD, subject)    \
	X(TEXT, "text", WORD, text)             \
	X(PLACE, "place", WORD, place)          \
	X(OUTCOME, "outcome", WORD, outcome)    \
	X(REASON, "reason", WORD, reason)       \
	X(LINE, "line", COUNT, line)
struct result_obligation {
	const char *file, *function;
	uint64_t line;
	const char *subject, *text, *place; /* what, which refinement, by what */
	const char *outcome, *reason;	    /* "" for none */
};

/* A point of a function, and what always holds there. */
#define RESULT_POINT_FIELDS(X)                  \
	X(FILE, "file", WORD, file)             \
	X(FUNCTION, "function", WORD, function) \
	X(LINE, "line", COUNT, line)            \
	X(COLUMN, "column", COUNT, column)      \
	X(KIND, "kind", WORD, kind)             \
	X(WHERE, "where", WORD, where)          \
	X(OUTCOME, "outcome", WORD, outcome)    \
	X(LOOP, "loop", NUMBER, loop)           \
	X(DOMAIN, "domain", WORD, domain)       \
	X(INVARIANT, "invariant", WORD, invariant)
struct result_point {
	const char *file, *function;
	uint64_t line, column;
	const char *kind, *where; /* "loop" or "branch"; "head", "exit" ... */
	const char *outcome;	  /* of a branch, or NULL */
	uint64_t loop;		  /* line of the loop; 0: none */
	const char *domain, *invariant;
	size_t in; /* of the functions */
};

/* Something that is not as one would expect. */
#define RESULT_NOTE_FIELDS(X)           \
	X(KIND, "note", WORD, kind)     \
	X(NAME, "name", WORD, name)     \
	X(WORDS, "words", WORD, words)
struct result_note {
	const char *kind;
	const char *name; /* of what; NULL: the words say it */
	const char *words;
};

/* A statistic. key: in a group "GROUP.NAME" or "GROUP.GROUP.NAME". */
struct result_figure {
	const char *key;
	const char *word; /* it is no number: a text, */
	int is_word;	  /* or, without one, nothing */
	int is_real;
	uint64_t count;
	double real; /* NaN: it was not measured */
};

/* What a checker did. */
struct result_checker {
	const char *name;
	uint64_t injected, solved, violated, failed;
};

/* All that a command found. The lists belong to it, and strings that were made for it are in its arena. */
struct result {
	VEC(struct result_function) functions;
	VEC(struct result_test) tests;
	uint64_t function_fields, test_fields; /* RESULT_FIELD bits: what is known of them */
	VEC(struct result_bug) bugs;
	VEC(struct result_old_bug) old_bugs;
	VEC(struct result_contract) contracts;
	VEC(struct result_uncalled) uncalled;
	VEC(struct result_obligation) obligations;
	VEC(struct result_point) points;
	VEC(struct result_note) notes;
	VEC(struct result_figure) figures;
	VEC(struct result_checker) checkers; /* of the figures */
	const char *combine;		     /* how checks were combined; NULL: there are no figures */
	struct arena strings;
};
void result_release(struct result *r);
/* The text in the result's arena; the buffer is empty then, and may be used again. */
const char *result_keep(struct result *r, struct buf *text);
/* One more statistic. key: a format. */
void result_count(struct result *r, uint64_t value, const char *key, ...) __attribute__((format(printf, 3, 4)));
void result_word(struct result *r, const char *word, const char *key); /* both are kept as they are; NULL: there is none */
void result_real(struct result *r, double value, const char *key, ...) __attribute__((format(printf, 3, 4)));
/* The statistic; one of 0 if there is none of this key. */
const struct result_figure *result_figure(const struct result *r, const char *key);

#endif
