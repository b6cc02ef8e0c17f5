/* closure.h: all that a link needs to be done again.
 *
 * A closure is the command line of a link as a list of items in order. Inputs made
 * from recorded units are named by their units' hashes, so that a variant puts its
 * own objects there; inputs without a record, and scripts, travel as copies
 * (blobs). Libraries of the system are left as they were named.
 */
#ifndef MUSTER_CLOSURE_H
#define MUSTER_CLOSURE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/vec.h"
#include "build/args.h"
#include "build/capture.h"
#include "build/record.h"

enum item_kind {
	ITEM_WORD = 1,	  /* for the driver: text, and value as a word of its own */
	ITEM_LINKER = 2,  /* for the linker: likewise */
	ITEM_UNIT = 3,	  /* a source that was compiled by the linking command: units[0] */
	ITEM_OBJECT = 4,  /* an object file: units; or a blob; or, made by a recorded ld -r, link */
	ITEM_ARCHIVE = 5, /* members, in order */
	ITEM_SHARED = 6,  /* a shared library at text */
	ITEM_FILE = 7, /* a script: value is the linker option it belongs to, "" for an operand */
};

struct hash_vec {
	struct hash128 *data;
	size_t size, cap;
};

struct closure_member {
	const char *name;
	struct hash_vec units;
	struct hash128 blob; /* zero: none */
	int damaged;	     /* has a record that cannot be read */
};

struct closure_item {
	enum item_kind kind;
	const char *text;  /* word, or absolute path of the file */
	const char *value; /* may be NULL */
	struct hash_vec units;
	struct hash128 link; /* id of the LINK record the object has; zero: none */
	struct hash128 blob;
	const char *why; /* the file has no record because ... (NULL: nothing to say) */
	VEC(struct closure_member) members;
};

struct closure_blob {
	struct hash128 id;
	const void *data; /* as compressed in the record, when read */
	size_t size;
};

enum closure_flag { CLOSURE_SHARED = 1, CLOSURE_RELOCATABLE = 2, CLOSURE_LTO = 4 };

struct closure {
	struct arena arena;
	const char *output, *dir; /* absolute */
	uint64_t flags;
	VEC(struct closure_item) items;
	VEC(struct closure_blob) blobs;
};

#define HASH_NONE ((struct hash128){0, 0})
int hash_is_none(struct hash128 h);
int hash_equal(struct hash128 a, struct hash128 b);

/* From a command line that has just linked successfully. captures has one entry for
 * each C source in it, in order; foreign[i] is the object made of the i-th other
 * source. -1 with words. */
int closure_collect(struct closure *c, const struct args *a, const struct capture *captures,
		    char *const *foreign);
void closure_write(const struct closure *c, struct buf *frames);
/* Points into the record's payload. */
int closure_read(struct closure *c, const struct record *r);
void closure_release(struct closure *c);
/* The contents of a blob; -1 with words. */
int closure_blob(const struct closure *c, struct hash128 id, struct buf *out);

#endif
