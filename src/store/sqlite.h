/* sqlite.h: what the files of the store share: the handle, kept statements, words for failures.
 * Private to src/store. */
#ifndef MUSTER_STORE_SQLITE_H
#define MUSTER_STORE_SQLITE_H

#include "store/sql.h"
#include "store/store.h"

#include <sqlite3.h>

struct store {
	sqlite3 *db;
	char *path;
	int emptied; /* the file was there when it was opened, with 0 bytes */
	int depth; /* of store_begin */
	int version; /* of the file's schema: below STORE_VERSION only where it is read only */
	char
	    *failed; /* words of the first failure inside the transaction: it cannot be committed */
	sqlite3_stmt *kept[SQL_COUNT];
	struct packing *packing; /* pack.h; NULL at first */
};

/* Binds the arguments from ?1 on; a letter of fmt each:
 *	i SQL_INT(x)   d double   s const char *   b, B const void *, size_t   h struct hash128
 * A NULL pointer becomes NULL for s and B, an empty blob for b. What s and b point to must live
 *until the statement has been stepped. NULL with words on failure. */
#define SQL_INT(x) ((int64_t)(x))
sqlite3_stmt *sql_query(struct store *s, enum sql id, const char *fmt, ...);
/* The same on a statement of its own, which sql_finish ends: for walks whose callback uses the
 * store. */
sqlite3_stmt *sql_walk(struct store *s, enum sql id, const char *fmt, ...);
int sql_finish(sqlite3_stmt *st);
/* 1: a row whose columns have their declared types, 0: no more, -1 with words. Only after a row must sql_end be called. */
int sql_step(struct store *s, sqlite3_stmt *st);
void sql_end(sqlite3_stmt *st);
/* Binds, steps to the end, no rows wanted. 0, or -1 with words. */
int sql_run(struct store *s, enum sql id, const char *fmt, ...);
/* The only number of a single row; 1, 0: no row or NULL, -1. */
int sql_number(struct store *s, int64_t *out, enum sql id, const char *fmt, ...);
/* Words for the last failure of the connection; ends what a transaction can promise. Returns -1. */
int sql_fail(struct store *s, int rc);

/* Words for something read that no muster wrote. Returns -1. */
int sql_damaged(struct store *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A number that takes 32 bits. 0, or -1 with words. */
int sql_u32(struct store *s, sqlite3_stmt *st, int column, uint32_t *out);
int sql_hash(struct store *s, sqlite3_stmt *st, int column, struct hash128 *out); /* 0, or -1 with words */
const char *sql_text(sqlite3_stmt *st, int column); /* never NULL */

/* 0 if every test of the campaign is counted in its stage (tally), else -1 with words. */
int tests_are_counted(struct store *s, uint64_t campaign);

/* Is the open file ours, of a version we know? Makes the tables of an empty one if mode is
 * STORE_CREATE. */
int schema_open(struct store *s, enum store_mode mode);

#endif
