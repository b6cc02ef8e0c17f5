/* describe.h: what a sanitizer's report says, in plain words. */
#ifndef MUSTER_CHECK_DESCRIBE_H
#define MUSTER_CHECK_DESCRIBE_H

#include "base/buf.h"

#include <stdint.h>

struct describe_from {
	const char *kind;   /* "heap-buffer-overflow" */
	const char *report; /* with symbols */
	const char *file;   /* of the place; it is read for the name of an array, if it is there */
	uint32_t line;
	char access; /* 'R', 'W' or 0 */
	uint64_t access_size;
};

/* "index 300 of buf[256]", "a read of 4 bytes, 3 bytes after buf (16 bytes)", "a write of 1 byte in a block of 16 bytes (freed at
 * list.c:9)": 1; or 0 and nothing if the report does not say it. */
int describe(const struct describe_from *d, struct buf *out);

/* The line (from 1) of a file, without its newline, in *out: 1; 0 if there is none. */
int describe_line(const char *file, uint32_t line, struct buf *out);

/* A few lines around the place, the line marked; nothing if the file is not there. before: in front of each line. */
void describe_source(const char *file, uint32_t line, unsigned around, const char *before, struct buf *out);

#endif
