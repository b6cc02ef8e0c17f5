/* libc.h: what the libc bodies share.
 *
 * A body is a plain C version of a libc function that goes through the same
 * instrumentation as the target, so that what it decides about the input are
 * ordinary branches: strcmp becomes one branch for each byte it compares. Bodies
 * are portable loops: no word tricks, nothing that the instrumentation would have
 * to guess. Their results, errno and end pointers are glibc's in the C locale
 * (tests/unit/test_libc_*.c compare them on generated arguments).
 *
 * BODY(name) is what the linker's --wrap=name calls; REAL(name) is libc's own.
 * The tests build the bodies natively as muster_name, with REAL(name) plain name.
 *
 * Concrete data should cost what it costs natively. The skip functions are not
 * instrumented (runtime/skip.c): they run ahead over the bytes that carry no label
 * and do not end the loop, with libc's own vector code, and the body begins where
 * they stop. They return 0 where a bound or the byte searched for has a label, as
 * then each step is a decision.
 */
#ifndef MUSTER_LIBC_H
#define MUSTER_LIBC_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef MUSTER_NATIVE_BODIES
#define BODY(name) muster_##name
#define REAL(name) name
#else
#define BODY(name) __wrap_##name
#define REAL(name) __real_##name
#endif

/* Leading bytes of s that are concrete and neither NUL nor c, at most max. */
size_t rt_skip_string(const char *s, int c, size_t max);
/* Leading bytes of p that are concrete and not c, at most max. */
size_t rt_skip_bytes(const void *p, int c, size_t max);
/* Leading positions where a and b are concrete and equal, at most max. */
size_t rt_skip_equal(const void *a, const void *b, size_t max);
/* The same, ending before a NUL. */
size_t rt_skip_equal_string(const char *a, const char *b, size_t max);

/* Moves labels with the bytes (runtime/wrap_mem.c). */
void *BODY(memcpy)(void *to, const void *from, size_t n);
void *BODY(memmove)(void *to, const void *from, size_t n);
void *BODY(memset)(void *p, int c, size_t n);
void *BODY(mempcpy)(void *to, const void *from, size_t n);

/* Bodies that other bodies use. */
size_t BODY(strlen)(const char *s);
size_t BODY(strnlen)(const char *s, size_t n);
char *BODY(strchrnul)(const char *s, int c);
char *BODY(strchr)(const char *s, int c);
void *BODY(memchr)(const void *p, int c, size_t n);
int BODY(memcmp)(const void *a, const void *b, size_t n);
char *BODY(stpcpy)(char *to, const char *from);
char *BODY(strcpy)(char *to, const char *from);
char *BODY(strncpy)(char *to, const char *from, size_t n);
char *BODY(stpncpy)(char *to, const char *from, size_t n);
char *BODY(strcat)(char *to, const char *from);
char *BODY(strncat)(char *to, const char *from, size_t n);
size_t BODY(strspn)(const char *s, const char *accept);
size_t BODY(strcspn)(const char *s, const char *reject);
char *BODY(strpbrk)(const char *s, const char *accept);
long BODY(strtol)(const char *s, char **end, int base);
unsigned long BODY(strtoul)(const char *s, char **end, int base);
int BODY(__uflow)(FILE *fp);
int BODY(__underflow)(FILE *fp);
int BODY(fgetc)(FILE *fp);
int BODY(ungetc)(int c, FILE *fp);

/* Fills the stream's buffer once more and gives the number of bytes that are in
 * it then; the result has a label where the end of an input was reached
 * (runtime/stdio.c). */
size_t rt_stream_fill(FILE *fp);
/* libc's own ungetc, for what does not fit back into the buffer. */
int rt_stream_pushback(int c, FILE *fp);

#ifdef MUSTER_NATIVE_BODIES
#define rt_string_fits(to, from) ((void)0)
#else
/* Before a string's end is looked for: that it fits behind `to` (runtime/wrap_mem.c). */
void rt_string_fits(const char *to, const char *from);
#endif

/* Ends the process as libc does for a buffer overflow found at run time. */
_Noreturn void __chk_fail(void);

/* The C locale's classes, without branches: the caller's test is the decision. */
static inline int body_between(int c, int low, int high)
{
	return (unsigned)c - (unsigned)low <= (unsigned)(high - low);
}

static inline int body_digit(int c)
{
	return body_between(c, '0', '9');
}

static inline int body_lower(int c)
{
	return body_between(c, 'a', 'z');
}

static inline int body_upper(int c)
{
	return body_between(c, 'A', 'Z');
}

static inline int body_space(int c)
{
	return (c == ' ') | body_between(c, '\t', '\r');
}

static inline int body_tolower(int c)
{
	return c + (body_upper(c) << 5);
}

static inline int body_toupper(int c)
{
	return c - (body_lower(c) << 5);
}

/* The digit's value, or 36 and more if c is none in any base. */
static inline unsigned body_digit_value(int c)
{
	unsigned decimal = (unsigned)c - '0', letter = ((unsigned)c | 0x20) - 'a';
	unsigned is_decimal = decimal < 10, is_letter = letter < 26;

	/* Without a branch: whether a digit is a letter is no decision, its value is an expression. */
	return (-is_decimal & decimal) | (-is_letter & (letter + 10)) | (-(1 ^ is_decimal ^ is_letter) & 99);
}

#endif
