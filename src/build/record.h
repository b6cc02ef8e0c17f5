/* record.h: what muster cc leaves in objects and linked files.
 *
 * The section RECORD_SECTION holds frames one after the other; linkers concatenate
 * the sections of their inputs, so a linked file has a frame for each unit that
 * went into it. A frame is checked by a hash; docs/record-format.md has the bytes.
 */
#ifndef MUSTER_RECORD_H
#define MUSTER_RECORD_H

#include "base/buf.h"
#include "base/hash.h"
#include "base/vec.h"

#include <stdint.h>

#define RECORD_SECTION ".muster"
#define RECORD_VERSION 1u

enum record_kind {
	RECORD_UNIT = 1,   /* a translation unit: name, dir, args, bitcode, source */
	RECORD_FAILED = 2, /* a unit that could not be recorded: name, why */
	RECORD_LINK = 3,   /* a link closure: see closure.h */
};

enum record_tag {
	TAG_NAME = 1,	 /* of the source as the command line had it, or the output of a link */
	TAG_DIR = 2,	 /* where the compiler ran */
	TAG_ARG = 3,	 /* one for each argument that shapes the unit */
	TAG_BITCODE = 4, /* zstd */
	TAG_SOURCE = 5,	 /* zstd: preprocessed */
	TAG_HASH = 6,	 /* 16 bytes: of the bitcode */
	TAG_WHY = 7,
	/* from here on: of link closures, in closure.c */
	TAG_ITEM = 16,
	TAG_BLOB = 17,
	TAG_FLAGS = 18,
	TAG_TEXT = 19,
	TAG_UNIT = 20,
	TAG_MEMBER = 21,
	TAG_LINK = 22,
	TAG_DATA = 23,
	TAG_KIND = 24,
	TAG_PREFIX = 25,
};

/* One frame, as it stands in a file. Points into the file's bytes. */
struct record {
	enum record_kind kind;
	struct hash128 id; /* hash of the payload */
	const char *payload;
	size_t size;
};
struct record_list {
	VEC(struct record) frames;
	size_t damaged;	 /* frames that are cut off or whose hash is wrong */
	char words[256]; /* about the first of them */
};

/* Writing: fields go into a payload, the payload into a frame at the end of out. */
void record_field(struct buf *payload, enum record_tag tag, const void *data, size_t size);
void record_string(struct buf *payload, enum record_tag tag, const char *s);
void record_u64(struct buf *payload, enum record_tag tag, uint64_t v);
void record_hash(struct buf *payload, enum record_tag tag, struct hash128 h);
int record_packed(struct buf *payload, enum record_tag tag, const void *data, size_t size);
struct hash128 record_frame(struct buf *out, enum record_kind kind, const struct buf *payload);

/* Reading a payload field by field: at starts at 0; 0 at the end, -1 with words if
 * the payload is damaged, 1 for a field. */
struct record_value {
	enum record_tag tag;
	const char *data;
	size_t size;
};
int record_next(const void *payload, size_t size, size_t *at, struct record_value *v);
/* The first field with this tag: 1, or 0 if there is none. */
int record_find(const void *payload, size_t size, enum record_tag tag, struct record_value *v);
char *record_text(const struct record_value *v); /* a string, allocated */
uint64_t record_number(const struct record_value *v);
struct hash128 record_id(const struct record_value *v);
int record_unpack(const struct record_value *v, struct buf *out); /* appends; -1 with words */

/* All frames of an ELF file, in order. -1 with words if it is no ELF file that can
 * be read. Damaged frames are counted, not returned. */
int record_read(const void *file, size_t size, struct record_list *out);
void record_list_release(struct record_list *l);

/* Adds a section with these frames to the ELF file at path, in place. */
int record_append(const char *path, const struct buf *frames);

#endif
