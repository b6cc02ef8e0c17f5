/* scan_names.c: the scanf functions by all their names, on the engine of scan.c.
 *
 * The __isoc99_ names are what C99 programs call: there %a is a floating number.
 */
#include "scan.h"

#include <sys/single_threaded.h>

static int scan_string(const char *s, const char *format, va_list args, int gnu)
{
	struct scan_input in = {.text = s};
	return rt_scan_run(&in, format, args, gnu);
}

static int scan_stream(FILE *fp, const char *format, va_list args, int gnu)
{
	struct scan_input in = {.stream = fp};
	int threads = !__libc_single_threaded;
	if (threads)
		flockfile(fp);
	int n = rt_scan_run(&in, format, args, gnu);
	if (threads)
		funlockfile(fp);
	return n;
}

int BODY(vsscanf)(const char *s, const char *format, va_list args)
{
	return scan_string(s, format, args, 1);
}

int BODY(__isoc99_vsscanf)(const char *s, const char *format, va_list args)
{
	return scan_string(s, format, args, 0);
}

int BODY(vfscanf)(FILE *fp, const char *format, va_list args)
{
	return scan_stream(fp, format, args, 1);
}

int BODY(__isoc99_vfscanf)(FILE *fp, const char *format, va_list args)
{
	return scan_stream(fp, format, args, 0);
}

int BODY(vscanf)(const char *format, va_list args)
{
	return scan_stream(stdin, format, args, 1);
}

int BODY(__isoc99_vscanf)(const char *format, va_list args)
{
	return scan_stream(stdin, format, args, 0);
}

/* X(name, its parameters, the v-function's arguments) for both families */
#define VARIADIC(X)                                                            \
	X(sscanf, (const char *s, const char *format, ...), (s, format, args)) \
	X(fscanf, (FILE * fp, const char *format, ...), (fp, format, args))    \
	X(scanf, (const char *format, ...), (format, args))

#define X(name, parameters, arguments)                    \
	int BODY(name) parameters                         \
	{                                                 \
		va_list args;                             \
		va_start(args, format);                   \
		int n = BODY(v##name) arguments;          \
		va_end(args);                             \
		return n;                                 \
	}                                                 \
	int BODY(__isoc99_##name) parameters              \
	{                                                 \
		va_list args;                             \
		va_start(args, format);                   \
		int n = BODY(__isoc99_v##name) arguments; \
		va_end(args);                             \
		return n;                                 \
	}
VARIADIC(X)
#undef X
