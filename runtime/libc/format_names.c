/* format_names.c: the functions that format into memory, and their fortified
 * names, all on the engine of format.c.
 *
 * The fortified ones get the size of the destination and end the process, as
 * libc does, when the text would not fit.
 */
#include "format.h"

#include <stdlib.h>

int BODY(vsnprintf)(char *to, size_t size, const char *format, va_list args)
{
	struct format_sink sink = {.data = to, .room = size};
	return rt_format_run(&sink, format, args);
}

int BODY(vsprintf)(char *to, const char *format, va_list args)
{
	return BODY(vsnprintf)(to, SIZE_MAX, format, args);
}

int BODY(vasprintf)(char **to, const char *format, va_list args)
{
	struct format_sink sink = {.grow = 1};
	int n = rt_format_run(&sink, format, args);
	if (n < 0) {
		free(sink.data);
		return n;
	}
	char *fitting = realloc(sink.data, (size_t)n + 1);
	*to = fitting ? fitting : sink.data;
	return n;
}

int BODY(__vsnprintf_chk)(char *to, size_t size, int flag, size_t room, const char *format,
			  va_list args)
{
	(void)flag;
	if (room < size)
		__chk_fail();
	return BODY(vsnprintf)(to, size, format, args);
}

int BODY(__vsprintf_chk)(char *to, int flag, size_t room, const char *format, va_list args)
{
	(void)flag;
	if (room == 0)
		__chk_fail();
	int n = BODY(vsnprintf)(to, room, format, args);
	if (n >= 0 && (size_t)n >= room)
		__chk_fail();
	return n;
}

int BODY(__vasprintf_chk)(char **to, int flag, const char *format, va_list args)
{
	(void)flag;
	return BODY(vasprintf)(to, format, args);
}

/* X(name, its parameters before the dots, the v-function, its arguments) */
#define VARIADIC(X)                                                                                \
	X(snprintf, (char *to, size_t size, const char *format, ...), vsnprintf,                   \
	  (to, size, format, args))                                                                \
	X(sprintf, (char *to, const char *format, ...), vsprintf, (to, format, args))              \
	X(asprintf, (char **to, const char *format, ...), vasprintf, (to, format, args))           \
	X(__asprintf, (char **to, const char *format, ...), vasprintf, (to, format, args))         \
	X(__snprintf_chk, (char *to, size_t size, int flag, size_t room, const char *format, ...), \
	  __vsnprintf_chk, (to, size, flag, room, format, args))                                   \
	X(__sprintf_chk, (char *to, int flag, size_t room, const char *format, ...),               \
	  __vsprintf_chk, (to, flag, room, format, args))                                          \
	X(__asprintf_chk, (char **to, int flag, const char *format, ...), __vasprintf_chk,         \
	  (to, flag, format, args))

#define X(name, parameters, function, arguments)  \
	int BODY(name) parameters                 \
	{                                         \
		va_list args;                     \
		va_start(args, format);           \
		int n = BODY(function) arguments; \
		va_end(args);                     \
		return n;                         \
	}
VARIADIC(X)
#undef X
