/* shm.h: the shared mapping that a traced run writes its tables into.
 *
 * One struct shm serves many runs: shm_reset prepares the header for the next
 * one and leaves the tables as they are (the runtime believes no slot that does
 * not name a node of its own run). The file under it is a sparse memfd, sealed
 * against shrinking: only pages that a run touches exist.
 *
 * The target can write anything anywhere in the mapping. What the engine relies
 * on (offsets, capacities, sources) is kept on the engine's side, in struct shm;
 * the header's own copies are for the runtime and are never read back.
 *
 * Functions that return int give 0 (or an index), or -1 with error_text() set.
 */
#ifndef MUSTER_SHM_H
#define MUSTER_SHM_H

#include "muster/abi.h"

#include <stddef.h>
#include <stdint.h>

#define SHM_DEFAULT_NODES (1ull << 26)
#define SHM_DEFAULT_EVENTS (1ull << 26)
#define SHM_DEFAULT_INPUT (64ull << 20)
#define SHM_DEFAULT_TABLE_LIMIT 256u

struct shm_options {
	uint64_t nodes;	 /* capacity in nodes, at most 1 << MUSTER_LABEL_BITS; 0: the default */
	uint64_t events; /* capacity in events; 0: the default */
	uint64_t input_limit; /* bytes of symbolic input in all; 0: the default */
	uint32_t table_limit; /* largest object read at a symbolic index; 0: the default */
	uint32_t site_cap;    /* events a site may have; 0: no cap */
	uint32_t flags;	      /* enum muster_flag, without FORKSERVER */
	int bare; /* for variants without labels: no slots, no blocks, nothing there to clear */
};

struct shm {
	int fd;
	unsigned char *base; /* the mapping; the header stands at its start */
	struct muster_header *header;
	struct shm_options options;

	/* Trusted copies: read these, never the header's. */
	uint64_t map_size;
	uint64_t node_offset, node_capacity;
	uint64_t event_offset, event_capacity;
	uint64_t list_offset;
	uint64_t slot_offset, slot_count;
	uint64_t block_offset, block_count;
	uint64_t data_offset, data_capacity;
	uint64_t function_offset, set_offset;
	uint64_t seen_offset; /* bare: as large as the nodes, which are counters; what was seen of each (muster/cov.h) */
	struct muster_function *functions; /* whose activations get leaves, ascending */
	size_t function_count;
	uint32_t set_count, set_activation; /* a state for a segment: the list is in the mapping */
	uint32_t source_count;
	struct muster_source sources[MUSTER_MAX_SOURCES];
	uint64_t data_used;   /* bytes of MEMORY sources */
	uint32_t blocks_used; /* entries of the block table that are given out */

	/* High-water marks of the last run, for the populate hint. */
	uint64_t node_mark, event_mark;
};

/* Counts that the runtime left in the header, clamped to what can be true. */
struct shm_counts {
	uint32_t state;		/* enum muster_state; anything else counts as scribbled */
	uint64_t nodes, events; /* at most the capacities; nodes >= 1 */
	uint64_t stale, dropped;
	uint32_t threads, forks;
	uint32_t objects, caps; /* at most MUSTER_MAX_OBJECTS, MUSTER_MAX_CAPS */
	uint64_t object_used;
	uint64_t missing; /* the run entered a function that is not made, and is none: its first site; else 0 */
	int scribbled;	   /* a field had a value that the runtime never writes */
	char message[256]; /* always ends in NUL */
};

/* Makes and maps the memfd. options may be NULL. Fails with words if the address
 * space is limited (ulimit -v). */
int shm_init(struct shm *s, const struct shm_options *options);
void shm_release(struct shm *s);

/* Before each run: rewrites the header from the trusted copies, forgets the
 * sources, clears counts and the used part of the block table. The populate hint
 * comes from the run before. */
void shm_reset(struct shm *s, uint32_t extra_flags);

/* From the next run on, activations of these functions have leaves, bindings and writes, if the
 * flags have MUSTER_FLAG_SUMMARIES and MUSTER_FLAG_CALLS. -1 if they are more than SHM_FUNCTIONS. */
int shm_set_functions(struct shm *s, const struct muster_function *list, size_t count);
#define SHM_FUNCTIONS (1u << 16)
/* In the next runs the segment that is this activation begins with these values, and the run ends where it does. 0: no more of that. -1 if they are more than MUSTER_SETS. */
int shm_set_state(struct shm *s, uint32_t activation, const struct muster_set *list, size_t count);

/* Adds a source for the next run and gives its index. name is what conditions
 * print ("in"); cut to fit. */
int shm_add_file(struct shm *s, const char *name, const char *path);
int shm_add_fd(struct shm *s, const char *name,
	       int fd); /* a file that is open, such as standard input */
int shm_add_memory(struct shm *s, const char *name, const void *data, size_t size);
int shm_add_arg(struct shm *s, unsigned index, const char *value);
int shm_add_env(struct shm *s, const char *variable, const char *value);
/* Objects marked in the program take their bytes from this source from now on. */
void shm_set_object_source(struct shm *s, int source);

/* After a run, when no process of it is left: what was written. Also moves the
 * high-water marks. */
void shm_counts(struct shm *s, struct shm_counts *out);
/* source's `used` and `length_label` as the runtime left them, the rest trusted. */
void shm_source(const struct shm *s, unsigned index, struct muster_source *out);

static inline const struct muster_node *shm_nodes(const struct shm *s)
{
	return (const struct muster_node *)(s->base + s->node_offset);
}

static inline const struct muster_event *shm_events(const struct shm *s)
{
	return (const struct muster_event *)(s->base + s->event_offset);
}

#endif
