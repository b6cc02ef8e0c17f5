/* cov.h: coverage counters in the shared mapping (docs/coverage.md).
 *
 * The cov variant has no nodes; its counters stand where the node table would.
 * From node 1 up to node_count there is a block for each registered unit: this
 * header, then `count` counters of one byte, padded with anything to a multiple of
 * MUSTER_COV_GRAIN. A unit that is linked into several objects has several blocks.
 */
#ifndef MUSTER_COV_H
#define MUSTER_COV_H

#include <stdint.h>

/* The loop of a harness: many inputs in one process (runtime/loop.c). The engine asks for it with
 * MUSTER_FLAG_LOOP; this structure then stands where the event table would. Both words are
 * futexes. A process that enters the loop sets done to MUSTER_LOOP_READY. For each input the engine
 * puts the bytes at data_offset, then size, then another number into ask; the runtime puts the number
 * into taken, calls the harness and puts it into done. When the process is gone, the keeper puts
 * MUSTER_LOOP_ENDED there. */
struct muster_loop {
	uint32_t ask;
	uint32_t pad[15]; /* a cache line for each side */
	uint32_t done;
	uint32_t resident_kib; /* the process at its largest, looked at now and then */
	uint32_t taken;	       /* the number whose input was begun */
	uint32_t pad2;
	uint64_t size;	       /* of the input */
	uint64_t capacity;     /* bytes at data_offset */
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

#endif
