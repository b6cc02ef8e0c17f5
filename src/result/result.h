/* result.h: what a command found, in the one form that every command fills, every format of src/report reads and the store keeps.
 *
 * Plain data: strings are borrowed from whoever filled them (an arena, a row of the store) and live as long as that says. NULL, or 0, where
 * nothing is known; formats say null then.
 */
#ifndef MUSTER_RESULT_RESULT_H
#define MUSTER_RESULT_RESULT_H

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
	const char *input_file; /* in the store: below the output directory */
	const char *replay;   /* the command that shows it again */
	/* Of a function that was driven by itself, or of the program it is in. */
	const char *entry;    /* the function that was called; NULL: this is no such bug, and the rest means nothing */
	const char *const *also; /* others that lead there as well */
	size_t also_count;
	const char *scope;    /* who can call it so, in words */
	const char *level;    /* RESULT_FUNCTION or RESULT_PROGRAM: from where the failing input comes */
	const char *hint;     /* what to do if no caller does */
	const struct result_bug *program; /* the bug of the whole program in the same place */
	const char *by;	      /* of such a one: how its input gets there, "file" (named by an argument) or "stdin" */
};

/* A function that was searched. */
struct result_function {
	const char *name, *file; /* file: as the unit has it */
	uint32_t line;
	const char *verdict; /* a word of docs/unit-tests.md */
	const char *why;     /* it is no better; NULL: it is verified */
	uint64_t covered, total; /* branch outcomes */
	uint64_t tests, bugs;
	const char *losses; /* of the search: "concretised 144, cut 1"; "" for none */
	const char *limits; /* of the harness, in words, "; " between; "" for none */
	uint64_t machine, run; /* the result that says so (store_result): its scope is the verdict's */
};

#endif
