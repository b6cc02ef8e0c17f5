/* outdir_parts.h: what outdir.c, sync.c and seeds.c share. Private to src/store. */
#ifndef MUSTER_STORE_OUTDIR_PARTS_H
#define MUSTER_STORE_OUTDIR_PARTS_H

#include "base/map.h"
#include "base/vec.h"
#include "store/outdir.h"

#include <time.h>

struct outdir_peer { /* another fuzzer of the sync directory */
	char *name;
	uint64_t next, saved;  /* its files below this number were read; what .synced says */
	struct timespec mtime; /* of its queue when it was listed */
	int settled;	       /* a queue with this mtime has nothing new */
};

struct outdir {
	int fd;		    /* of the own folder: DIR, or DIR/NAME */
	char *path;	    /* its name */
	char *sync;	    /* DIR with -S, else NULL */
	char *name;	    /* NAME */
	int listed;	    /* have the queue's ids been read? */
	struct map files;   /* numbers of the files in the queue */
	int index;	    /* descriptor of .queue, or -1 */
	struct map numbers; /* test to number, as far as .queue was read */
	uint64_t numbered;  /* its lines so far */
	VEC(struct outdir_peer) peers;
};

/* Replaces or makes FOLDER/name: written under another name first, in the own folder, so that no
 * reader of a queue sees a part. */
int outdir_put(struct outdir *o, const char *name, const void *data, size_t size);
/* The number in "id:000012..."; 0 if the name has none. */
int outdir_number(const char *name, uint64_t *id);
/* The number of the test's file in the queue (number.c): found, or given if it has none. */
int number_find(struct outdir *o, uint64_t test, uint64_t *n); /* 1, 0: none */
int number_assign(struct outdir *o, uint64_t test, uint64_t *n);
void sync_save(struct outdir *o); /* remembers how far the others' queues were read */

/* Reads a plain file (links are followed) of at most limit bytes; never waits at a pipe or device.
 */
enum outdir_read { READ_OK, READ_NOT_PLAIN, READ_LARGE, READ_FAILED };
enum outdir_read outdir_read(int dir, const char *name, size_t limit, struct buf *out,
			     struct timespec *mtime);

#endif
