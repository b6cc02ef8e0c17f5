/* buf.h: a growing array of bytes. All zero is an empty buffer; data belongs to
 * the buffer and moves when it grows. */
#ifndef MUSTER_BUF_H
#define MUSTER_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	char *data;
	size_t size, cap;
};
#define BUF_EMPTY ((struct buf){0})

void buf_init(struct buf *b);
void buf_release(struct buf *b);	       /* frees; the buffer is empty and usable again */
void buf_clear(struct buf *b);		       /* size 0, keeps the memory */
void buf_reserve(struct buf *b, size_t extra); /* room for extra more bytes and a NUL */
void buf_add(struct buf *b, const void *p, size_t n);
void buf_addc(struct buf *b, char c);
void buf_adds(struct buf *b, const char *s);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_addv(struct buf *b, const char *fmt, va_list ap);
void buf_add32(struct buf *b, uint32_t v); /* little endian */
void buf_add64(struct buf *b, uint64_t v);
/* s with every byte that a file name, a terminal or a script could trip over as '_' (letters, digits and . _ + - stay);
 * at most limit bytes. */
void buf_add_tame(struct buf *b, const char *s, size_t limit);
/* The contents with a NUL after them, which does not count in size. */
char *buf_str(struct buf *b);
/* The same, and the caller owns (and frees) it; the buffer is empty afterwards. */
char *buf_take(struct buf *b);

#endif
