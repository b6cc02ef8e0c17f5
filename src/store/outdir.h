/* outdir.h: the output directory of a search, as AFL++ and libFuzzer read it.
 *
 *	DIR/queue/id:000012,src:000003,time:1234,op:solve,+cov    plain inputs
 *	DIR/crashes/id:...,sig:11,...    DIR/hangs/id:...    DIR/suspected/id:...    DIR/README, DIR/campaign, DIR/fuzzer_stats
 *
 * With -S NAME the three folders lie in DIR/NAME and the queues of the other DIR/<name>s are read (an
 * AFL++ campaign's sync directory). The store is the truth: a file that is missing after a kill is written again.
 */
#ifndef MUSTER_STORE_OUTDIR_H
#define MUSTER_STORE_OUTDIR_H

#include "base/buf.h"
#include "base/hash.h"

#include <stdint.h>

struct outdir;
/* Makes the folders. secondary: NAME of -S or NULL. *key is the directory's campaign key, made on first use (from a
 * hash of the program's and directory's names if seed is not 0, so that runs can be repeated, else random). */
int outdir_open(struct outdir **o, const char *dir, const char *secondary, uint64_t seed, struct hash128 *key);
void outdir_close(struct outdir *o);

/* Files of the queue have numbers of their own in the order they are written, from 0 without gaps: AFL++ reads a queue
 * only as far as there is none. DIR/.queue says which test each is. */
struct outdir_entry {
	uint64_t id;	 /* the test's in the store (from 1); of a crash or hang: the number its name gets */
	uint64_t parent; /* test it was made from; src: is the number of its file, if it has one */
	uint64_t milliseconds; /* of search; 0 in repeatable mode */
	const char *op;	       /* "solve", "havoc", "seed", "sync:afl1" ... */
	int cov;	       /* adds coverage */
	int signal;	       /* crashes */
	const void *data;
	size_t size;
};
/* Atomically; the name below the directory in *name (allocated) if not NULL. The same entry twice is written once. */
int outdir_queue(struct outdir *o, const struct outdir_entry *e, char **name);
int outdir_crash(struct outdir *o, const struct outdir_entry *e, char **name);
int outdir_hang(struct outdir *o, const struct outdir_entry *e, char **name);
int outdir_suspected(struct outdir *o, const struct outdir_entry *e, char **name); /* the folder is made on first use */
int outdir_has(struct outdir *o, uint64_t id); /* is queue entry id there as a file? (one readdir, at the first call) */
/* The store does not know the search that the directory has: its numbers of tests mean nothing any more. Files keep their names.
 * Before the first entry is written. 1 if there was a search, 0 if not, -1. */
int outdir_forget(struct outdir *o);
/* The files of DIR's queue, in no certain order, each with its test; DIR need not be open. -1: there is no queue. */
int outdir_files(const char *dir, int (*f)(void *ctx, uint64_t test, const char *name), void *ctx);
/* fuzzer_stats with AFL++'s keys, so that afl-whatsup reads it; replaced atomically. */
struct outdir_stat {
	const char *key;
	const char *value;
};
int outdir_stats(struct outdir *o, const struct outdir_stat *rows, unsigned count);
/* New files in the queues of the others since the last call (-S); f gets bytes and "sync:NAME". f returns 0; else the
 * file counts as not read: below 0 ends with -1, above 0 goes on with the next queue. How far they were read is remembered at
 * the next call and at outdir_close: what f was given must be committed by then. */
int outdir_sync(struct outdir *o, int (*f)(void *ctx, const void *data, size_t size, const char *from), void *ctx);
/* Every plain file below a seed directory (or the file itself), sorted by name; too large ones are skipped with a warning.
 * f returns 0, or nonzero to stop (below 0: -1). name: the path below the directory; it may hold any byte. */
int outdir_seeds(const char *path, size_t limit, int (*f)(void *ctx, const void *data, size_t size, const char *name), void *ctx);

#endif
