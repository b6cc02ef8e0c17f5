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

#define MUSTER_COV_MAGIC 0x31766f63u /* the bytes "cov1" */
#define MUSTER_COV_GRAIN 32u	     /* size of a node */

struct muster_cov_block {
	uint32_t magic;
	uint32_t unit;
	uint32_t count; /* outcomes of the unit's decisions, in the site table's order */
	uint32_t pad[5];
};

#endif
