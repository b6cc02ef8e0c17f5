/* cov.h: coverage counters in the shared mapping (docs/coverage.md).
 *
 * The cov variant has no nodes; its counters stand where the node table would.
 * From node 1 up to node_count there is a block for each registered unit: this
 * header, then `count` counters of one byte, padded with zeros to a multiple of
 * MUSTER_COV_GRAIN. A unit that is linked into several objects has several blocks.
 */
#ifndef MUSTER_COV_H
#define MUSTER_COV_H

#include <stdint.h>

/* The loop of a harness: many inputs in one process (runtime/loop.c). The engine asks for it with
 * MUSTER_FLAG_LOOP; this structure then stands where the event table would. ask and done are
 * futexes. A process that enters the loop sets done to MUSTER_LOOP_READY. The engine puts a list of inputs with their
 * bytes at data_offset, then another number into ask. The runtime puts the number into taken and calls the harness on one input after the
 * other, until one took an outcome as often as none before (the classes in seen) or has the signature `want`, or all are done, or stop is set; then the number goes into
 * done, and the counters are those of input `at`. When the process is gone, the keeper puts MUSTER_LOOP_ENDED there. */
struct muster_loop {
	uint32_t ask;
	uint32_t count;	    /* inputs of the list */
	uint32_t every;	    /* stop after the first, whatever it took */
	uint32_t stop;	    /* after the input that is being run */
	uint64_t capacity;  /* bytes at data_offset */
	uint64_t seen_offset; /* in the mapping: classes seen of the counter at node_offset + n stand at seen_offset + n */
	uint64_t want;	    /* a signature: stop at the first input with it, whatever is new; 0: not by that */
	uint32_t pad[6];    /* a cache line for each side */
	uint32_t done;
	uint32_t resident_kib; /* the process at its largest, looked at now and then */
	uint32_t taken;	       /* the ask whose inputs were begun */
	uint32_t at;	       /* the last of them that was begun */
	uint32_t news;	       /* and it is worth a look */
	uint64_t used_ns;      /* processor time of the process so far */
};

struct muster_loop_input {
	uint64_t at, size;  /* its bytes, from data_offset on */
	uint64_t signature; /* the runtime's: of the classes of all counters, never 0 */
};

#define MUSTER_LOOP_READY 1u
#define MUSTER_LOOP_FIRST 2u /* asks go from here to below MUSTER_LOOP_ENDED */
#define MUSTER_LOOP_ENDED 0xffffffffu

#define MUSTER_COV_MAGIC 0x31766f63u /* the bytes "cov1" */
#define MUSTER_COV_GRAIN 32u	     /* size of a node */

struct muster_cov_block {
	uint32_t magic;
	uint32_t unit;
	uint32_t count; /* outcomes of the unit's decisions, in the site table's order */
	uint32_t pad[5];
};

/* A count is in one of eight classes, each a bit: 1, 2, 3, 4-7, 8-15, 16-31, 32-127, 128 and more. Thresholds rise, and so do their bits: the last
 * one that holds gives the class. Sixteen counters at a time, by comparing and selecting: a table would take the place of the target's
 * data in the cache. */
#define MUSTER_COV_CLASSES(X) X(2, 2) X(3, 4) X(4, 8) X(8, 16) X(16, 32) X(32, 64) X(128, 128)

#define MUSTER_COV_GROUP 16u /* bytes of a vector register */
typedef uint8_t muster_cov_group __attribute__((vector_size(16)));

static inline muster_cov_group muster_cov_classes(muster_cov_group n)
{
	const muster_cov_group zero = {0};
	muster_cov_group class = (muster_cov_group)(n != zero) & (zero + 1);

#define X(from, bit)                                                                      \
	{                                                                                 \
		muster_cov_group above = (muster_cov_group)(n >= zero + from);            \
		class = (class & ~above) | (above & (zero + (uint8_t)bit));               \
	}
	MUSTER_COV_CLASSES(X)
#undef X
	return class;
}

#endif
