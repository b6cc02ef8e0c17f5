/* store.h: what muster remembers: SQLite in WAL mode, one file, one schema version.
 *
 * Everything is keyed by content, so writing the same thing twice is writing it
 * once. A write that returned 0 inside a transaction is acknowledged when
 * store_commit returns 0: after that no kill -9 loses it (power loss may lose the last
 * moments, never the file's integrity). Several processes may have one store open; a busy store is waited for. Every
 * function that returns int gives -1 with words (disk full, read-only, not a store, newer
 * version, damaged) and leaves the file as it was. A store of an older version is brought up when it is opened for writing, in one
 * transaction; opened for reading it stays as it is, and what its version does not know is empty.
 *
 * A campaign is one search: a program with its arguments and an output directory. Opening
 * must not read the tests: a store with a million opens in milliseconds.
 *
 * A handle belongs to one thread and must not be used (nor closed) by a forked child: open a second one there.
 * The callbacks of store_test_each and store_bug_each may use the store as they like; those of the other walks may
 * only read it.
 */
#ifndef MUSTER_STORE_STORE_H
#define MUSTER_STORE_STORE_H

#include "base/buf.h"
#include "base/hash.h"
#include "result/result.h"

#include <stdint.h>

#define STORE_VERSION 2

struct store;
const char *store_library(void); /* "SQLite 3.40.1" */
enum store_mode { STORE_CREATE, STORE_EXISTING, STORE_READ_ONLY };
int store_open(struct store **s, const char *path, enum store_mode mode);
void store_close(struct store *s);
int store_check(struct store *s, struct buf *problems); /* integrity: 0 clean, 1 with the problems, -1 */

/* Nested calls count; only the outermost writes. A failed commit rolls back; it fails if any write inside did,
 * or if an inner store_rollback gave a part up. */
int store_begin(struct store *s);
int store_commit(struct store *s);
void store_rollback(struct store *s);

/* The campaign of this key (made if it is new), its number in *id, 1 in *fresh if it was made now. */
int store_campaign(struct store *s, struct hash128 key, const char *program, const char *command, uint64_t *id, int *fresh);

/* ------------------------------------------------------------------- tests
 * A test is an input that was executed, once for each campaign and content. */
struct store_test {
	uint64_t id;	 /* from 1, ascending in a campaign's order of finding */
	const void *data; /* filled by get and each: valid until the next call */
	size_t size;
	struct hash128 digest; /* of the bytes; filled in by store_test_add */
	uint64_t parent;       /* id, 0: a seed */
	uint32_t origin;       /* enum of the search: seed, solved, mutated, imported */
	uint64_t path;	       /* digest of the path it took, 0: not known */
	uint64_t run;	       /* number of the run that found it (for repeatable output) */
	double found;	       /* seconds of search before it */
	uint32_t new_outcomes; /* branch outcomes that no test before it covered */
	uint32_t flags;	       /* of the search: diverged, optimistic, crash, hang ... */
	uint32_t stage;	       /* of its exploration; the frontier is made of those with stage < done */
	double rank;	       /* greater is sooner */
	uint64_t bound;	       /* where its path may be negated from; what the search needs to go on */
};
/* 1: new, its id in t->id; 0: the content was known, t->id is its; -1. */
int store_test_add(struct store *s, uint64_t campaign, struct store_test *t);
int store_test_get(struct store *s, uint64_t campaign, uint64_t id, struct store_test *t, struct buf *data); /* 1, 0: none, -1 */
int store_test_update(struct store *s, uint64_t campaign, uint64_t id, uint32_t stage, double rank, uint32_t flags);
uint64_t store_test_count(struct store *s, uint64_t campaign);
/* Of every walk (..._each): f returns 0 to go on, above 0 to stop, below 0 (with words) to make the walk fail. A walk ends
 * whatever the file has in it: what no muster wrote makes it fail. */
/* Those with id > after, ascending. with_data: 0 leaves data NULL. */
int store_test_each(struct store *s, uint64_t campaign, uint64_t after, int with_data, int (*f)(void *ctx, const struct store_test *t), void *ctx);
/* The frontier: takes the best test with stage < done that no worker holds (or whose holder's lease ran out), for `seconds`; 1, 0: none.
 * holder names the worker; a holder that takes the next gives the last one back unless it was updated to `done`. */
int store_frontier_take(struct store *s, uint64_t campaign, uint32_t holder, double seconds, uint32_t done, struct store_test *t, struct buf *data);
int store_frontier_release(struct store *s, uint64_t campaign, uint32_t holder); /* what it holds; holder 0: what all hold, for a search that starts alone */
uint64_t store_frontier_count(struct store *s, uint64_t campaign, uint32_t done);

/* ---------------------------------------------------------------- coverage
 * An outcome of a decision: unit and its number in the unit (docs/coverage.md). mask: hit-count classes seen, a bit each. */
int store_cover_add(struct store *s, uint64_t campaign, uint32_t unit, uint32_t outcome, uint8_t mask, uint64_t test);
int store_cover_clear(struct store *s, uint64_t campaign); /* all of it: the program is another one */
int store_cover_each(struct store *s, uint64_t campaign, int (*f)(void *ctx, uint32_t unit, uint32_t outcome, uint8_t mask, uint64_t first_test), void *ctx);

/* -------------------------------------------------------------------- bugs */
int store_bug_add(struct store *s, uint64_t campaign, struct result_bug *b); /* 1 new bucket, 0 known (count raised, once for each b->test), -1 */
int store_bug_update(struct store *s, uint64_t campaign, const struct result_bug *b); /* by bucket: confirmed, and what is not NULL of input, input_file, summary, report, path, call */
int store_bug_each(struct store *s, uint64_t campaign, int (*f)(void *ctx, const struct result_bug *b), void *ctx);

/* What add and update were given as its path or call ("path", "call") and the walk does not read: 1; 0: none; -1. */
int store_bug_detail(struct store *s, uint64_t campaign, const char *what, uint64_t bucket, struct buf *out);

/* ----------------------------------------------------------- query cache
 * Bounded: the oldest answers go. Models above 1 MiB are not kept. */
int store_query_get(struct store *s, struct hash128 key, int *verdict, struct buf *model); /* 1, 0, -1 */
int store_query_put(struct store *s, struct hash128 key, int verdict, const void *model, size_t size);

/* ------------------------------------------------------------- small values
 * Counters and state of a campaign that a resumed search needs: by name. */
int store_value_set(struct store *s, uint64_t campaign, const char *name, const void *data, size_t size);
int store_value_get(struct store *s, uint64_t campaign, const char *name, struct buf *out); /* 1, 0, -1 */
/* Every campaign, the one that was used last at the end: for `muster show`. */
/* It is the newest one from now on. */
int store_campaign_use(struct store *s, uint64_t campaign);
int store_campaign_each(struct store *s, int (*f)(void *ctx, uint64_t id, struct hash128 key, const char *program, const char *command), void *ctx);

/* ---------------------------------------------------------------- versions
 * A version is a program as it was built: its records in their order (docs/record-format.md), each kept once, compressed. */
struct store_record {
	struct hash128 hash; /* of the bytes */
	const void *data;
	size_t size;
};
struct store_version {
	uint64_t id;	    /* in this store */
	struct hash128 key; /* of the records' hashes, in their order */
	const char *program; /* as it was named first */
	int64_t seen;	    /* first, in seconds since 1970 */
	uint64_t records, bytes; /* as they are kept; other versions may share them */
};
int store_version_add(struct store *s, const char *program, const struct store_record *records, size_t count, uint64_t *id); /* 1 new, 0 known, -1 */
int store_version_each(struct store *s, int (*f)(void *ctx, const struct store_version *v), void *ctx);
int store_version_records(struct store *s, uint64_t version, int (*f)(void *ctx, const struct store_record *r), void *ctx);

/* What is known of a version's functions: the last search of each. The result that says so is added first. */
int store_function_put(struct store *s, uint64_t version, const struct result_function *f);
int store_function_each(struct store *s, uint64_t version, int (*f)(void *ctx, const struct result_function *r), void *ctx);

/* The result of one run of a command. */
struct store_result {
	uint64_t machine, number; /* filled in by store_result_add: this store's, and the next */
	uint64_t version, campaign;
	const char *command, *status; /* "fuzz", "complete" */
	int64_t time;		      /* it ended */
	double seconds;
	uint64_t covered, total, tests, bugs, suspected;
	const char *scope; /* what its verdicts speak of: inputs, bounds, checkers; NULL: it has none */
};
int store_result_add(struct store *s, struct store_result *r); /* 0, -1 */
int store_result_each(struct store *s, uint64_t version, int (*f)(void *ctx, const struct store_result *r), void *ctx);

/* --------------------------------------------------------------- summaries
 * A function's must summaries, by content. A location is a symbol and its instruction's ordinal. */
enum store_summary_kind { STORE_SUMMARY_FUNCTION, STORE_SUMMARY_SEGMENT };
struct store_summary {
	struct hash128 key;	 /* of all that follows but the test; filled in by store_summary_add */
	enum store_summary_kind kind;
	uint64_t function, end_function; /* symbols */
	uint32_t start, end;	 /* ordinals */
	const void *pre, *post, *support; /* serial forms; support: functions and locations it rests on */
	size_t pre_size, post_size, support_size;
	const char *partial;	 /* the reason; "": it is not */
	struct hash128 test;	 /* the input that witnesses it: its digest */
};
int store_symbol(struct store *s, struct hash128 unit, const char *name, uint64_t *id); /* made if it is new; 0, -1 */
int store_symbol_each(struct store *s, struct hash128 unit, int (*f)(void *ctx, uint64_t id, const char *name), void *ctx);
int store_summary_add(struct store *s, struct store_summary *m);
int store_summary_clear(struct store *s, uint64_t function); /* those of this function, which others replace */
int store_summary_each(struct store *s, uint64_t function, int (*f)(void *ctx, const struct store_summary *m), void *ctx);
/* The graph of consecutive summaries: of one key to another. */
int store_edge_add(struct store *s, struct hash128 before, struct hash128 after);
int store_edge_each(struct store *s, struct hash128 before, int (*f)(void *ctx, struct hash128 after), void *ctx);

#endif
