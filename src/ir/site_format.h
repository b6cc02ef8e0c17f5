/* site_format.h: the bytes of a site table, shared by its writer and its reader.
 * docs/site-table.md explains them; bump SITE_VERSION when they change. All numbers
 * are little endian, and the arrays follow the header in the order of the counts. */
#ifndef MUSTER_IR_SITE_FORMAT_H
#define MUSTER_IR_SITE_FORMAT_H

#include <stdint.h>

#define SITE_MAGIC "MUSTERST"
#define SITE_VERSION 3u
#define SITE_NO_CASES UINT32_MAX

/* Flags of a decision: a check for undefined behaviour that the compiler made, which of its
 * outcomes reports, and from bit 8 on whose it is (enum muster_checker). */
#define SITE_CHECK 1u
#define SITE_FAILS_0 2u
#define SITE_FAILS_1 4u
#define SITE_CHECKER_SHIFT 8

struct site_header {
	char magic[8];
	uint32_t version;
	uint32_t unit;
	uint64_t length; /* of the frame with this header, a multiple of 8 */
	uint64_t hash;	 /* hash64 of what follows the header, seed: unit */
	uint32_t instructions;
	uint32_t cases;	    /* u64 each */
	uint32_t sites;	    /* struct site_record */
	uint32_t functions; /* struct site_function_record */
	uint32_t decisions; /* struct site_decision_record */
	uint32_t files;	    /* struct site_file_record; number 0 is the unknown file */
	uint32_t strings;   /* bytes of NUL-terminated strings; offset 0 is "" */
	uint32_t source;    /* string: the unit's source file */
};

struct site_record {
	uint32_t index;
	uint32_t line_kind; /* line << 8 | kind; lines stop at 2^24-1 */
	uint16_t column;    /* stops at 65535 */
	uint16_t file;
	uint32_t what; /* string */
};

struct site_function_record {
	uint32_t name; /* string */
	uint32_t file;
	uint32_t line;
	uint32_t flags; /* 1: internal */
	uint32_t first, count;
	uint32_t first_decision, decisions;
};

struct site_decision_record {
	uint32_t index;
	uint32_t outcomes;
	uint32_t first_outcome;
	uint32_t first_case; /* in the list of cases, or SITE_NO_CASES */
	uint32_t flags;	     /* SITE_CHECK, SITE_FAILS_*, checker << SITE_CHECKER_SHIFT */
};

struct site_file_record {
	uint32_t name, directory; /* strings */
};

#endif
