/* ctype.c: character classes and case of the C locale.
 *
 * Written without branches: the result is an expression of the character, so the
 * one decision is the caller's. A class test gives the bit that glibc's table has
 * for it. The tables behind glibc's macros (__ctype_b_loc and its like) are read
 * by the caller as any table is.
 */
#include "libc.h"

#include <ctype.h>

#undef isalnum
#undef isalpha
#undef isblank
#undef iscntrl
#undef isdigit
#undef isgraph
#undef islower
#undef isprint
#undef ispunct
#undef isspace
#undef isupper
#undef isxdigit
#undef isascii
#undef toascii
#undef tolower
#undef toupper
#undef _tolower
#undef _toupper

static int is_letter(int c)
{
	return body_lower(c | 0x20);
}

static int is_graph(int c)
{
	return body_between(c, '!', '~');
}

/* X(name, bit of its class, condition on c) */
#define CLASSES(X)                                                               \
	X(isalnum, _ISalnum, is_letter(c) | body_digit(c))                       \
	X(isalpha, _ISalpha, is_letter(c))                                       \
	X(isblank, _ISblank, (c == ' ') | (c == '\t'))                           \
	X(iscntrl, _IScntrl, body_between(c, 0, 31) | (c == 127))                \
	X(isdigit, _ISdigit, body_digit(c))                                      \
	X(isgraph, _ISgraph, is_graph(c))                                        \
	X(islower, _ISlower, body_lower(c))                                      \
	X(isprint, _ISprint, body_between(c, ' ', '~'))                          \
	X(ispunct, _ISpunct, is_graph(c) & ((is_letter(c) | body_digit(c)) ^ 1)) \
	X(isspace, _ISspace, body_space(c))                                      \
	X(isupper, _ISupper, body_upper(c))                                      \
	X(isxdigit, _ISxdigit, body_digit(c) | body_between(c | 0x20, 'a', 'f'))

#define X(name, bit, condition)                           \
	int BODY(name)(int c)                             \
	{                                                 \
		return (condition) << __builtin_ctz(bit); \
	}
CLASSES(X)
#undef X

int BODY(isascii)(int c)
{
	return (c & ~0x7f) == 0;
}

int BODY(toascii)(int c)
{
	return c & 0x7f;
}

/* The tables have an entry for each plain char that is negative, but for EOF. */
static int as_byte(int c)
{
	return c + (body_between(c, -128, -2) << 8);
}

int BODY(tolower)(int c)
{
	return as_byte(body_tolower(c));
}

int BODY(toupper)(int c)
{
	return as_byte(body_toupper(c));
}
