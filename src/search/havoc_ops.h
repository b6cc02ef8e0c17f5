/* havoc_ops.h: one small change of an input, for havoc.c.
 *
 * Each change works on a buffer that stays within the limit; a change that does not
 * fit (nothing to delete, no word in the dictionary) leaves the input as it is.
 */
#ifndef MUSTER_SEARCH_HAVOC_OPS_H
#define MUSTER_SEARCH_HAVOC_OPS_H

#include "search/havoc.h"

/* The changes: X(NAME, weight for binary inputs, weight for text). */
#define HAVOC_OPS(X)              \
	X(flip_bit, 8, 3)         \
	X(set_byte, 6, 3)         \
	X(set_character, 2, 8)    \
	X(interesting, 12, 4)     \
	X(arithmetic, 14, 6)      \
	X(delete_block, 8, 8)     \
	X(clone_block, 6, 6)      \
	X(insert_block, 5, 3)     \
	X(copy_block, 6, 5)       \
	X(fill_block, 3, 1)       \
	X(swap_blocks, 3, 3)      \
	X(shuffle, 1, 1)          \
	X(number, 3, 8)           \
	X(word_over, 5, 6)        \
	X(word_insert, 5, 8)      \
	X(splice_over, 5, 4)      \
	X(splice_insert, 5, 6)    \
	X(truncate, 1, 1)         \
	X(grow_field, 4, 0)       \
	X(token_copy, 2, 8)       \
	X(token_over, 1, 6)       \
	X(token_delete, 1, 5)     \
	X(token_word, 1, 6)       \
	X(join, 1, 8)             \
	X(character_insert, 1, 8) \
	X(nest, 1, 4)

enum havoc_op {
#define X(name, binary, text) HAVOC_##name,
	HAVOC_OPS(X)
#undef X
	    HAVOC_OPS_COUNT
};

struct havoc_task {
	struct havoc *h;
	struct buf *b; /* what is changed */
	const uint8_t *other;
	size_t other_size;
	const uint32_t *hot;
	uint32_t hot_count;
};

void havoc_apply(struct havoc_task *t, enum havoc_op op);
/* The input is mostly printable. */
int havoc_is_text(const uint8_t *data, size_t size);

/* Values at the edges of types and of usual buffers. */
extern const int8_t havoc_edges8[];
extern const int16_t havoc_edges16[];
extern const int32_t havoc_edges32[];
extern const unsigned havoc_edges8_count, havoc_edges16_count, havoc_edges32_count;
/* Writes or adds a value of 1, 2, 4 or 8 bytes; big: big endian. */
uint64_t havoc_load(const uint8_t *p, unsigned width, int big);
void havoc_store(uint8_t *p, unsigned width, int big, uint64_t v);

/* Inserts n bytes (from may be NULL: they are left for the caller, zeroed) at `at`; less or nothing
 * where the limit is near. Gives how many. from must not lie inside b. */
size_t havoc_insert(struct havoc *h, struct buf *b, size_t at, const void *from, size_t n);
void havoc_delete(struct buf *b, size_t at, size_t n);

#endif
