/* cache.h: what was made once and can be made again: objects of units and linked variants, one cache for the user.
 *
 * An entry is a directory DIR/KIND/NAME, sealed (seal.h), whose name is a hash of everything it is made from. It is made
 * under another name and renamed, so it is there as a whole or not at all. */
#ifndef MUSTER_CACHE_H
#define MUSTER_CACHE_H

#include <stdint.h>

/* The environment that decides; cache.c has the order. */
#define CACHE_VARIABLE "MUSTER_CACHE"
#define CACHE_SIZE_VARIABLE "MUSTER_CACHE_SIZE"

/* Where it is, absolute and made if it can be; the same for the life of the process. NULL with words. */
const char *cache_dir(void);
/* The path of an entry, which need not exist; allocated. NULL with words. */
char *cache_entry(const char *kind, const char *name);

/* 1: the entry is there and whole, and counts as used now. 0: it is not there; a damaged one is removed and said to the
 * user. hold: it is not removed as long as this process, or a child that it forks, lives. */
int cache_use(const char *entry, int hold);

/* Making an entry: the directory to fill (allocated; removed at exit, NULL with words), and then either of these, which free it.
 * cache_commit: 0, also if another process was faster, or -1 with words. */
char *cache_begin(const char *entry);
int cache_commit(char *temp, const char *entry);
void cache_abandon(char *temp); /* error_text() stays */

/* Between these two no unit is removed by others. -1 if that cannot be said, which is no failure. */
int cache_lock(void);
void cache_unlock(int lock);

/* Removes what was left unfinished by processes that are gone and, if the cache is larger than its limit, what was not used
 * for longest. What is in use stays. */
void cache_trim(void);

struct cache_size {
	uint64_t entries, bytes, limit; /* limit 0: none */
};
int cache_measure(struct cache_size *out);
/* Words to put after those of a failed build if there is no room left where the cache is; "" if there is. Allocated. */
char *cache_full_words(void);

#endif
