/* error.c: the text of the last failure.
 *
 * One buffer of fixed size for each thread: setting an error never allocates and
 * so never fails. error_wrap formats the new front part first, because its
 * arguments may point into the old text.
 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE 4096

static __thread char text[TEXT_SIZE];

static void set_front(const char *fmt, va_list ap, const char *rest)
{
	char front[TEXT_SIZE];
	int n = vsnprintf(front, sizeof front, fmt, ap);

	if (n < 0)
		n = 0;
	if (n >= (int)sizeof front)
		n = sizeof front - 1;
	if (rest)
		snprintf(front + n, sizeof front - n, ": %s", rest);
	memcpy(text, front, sizeof text);
}

int error_set(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_front(fmt, ap, NULL);
	va_end(ap);
	return -1;
}

int error_errno(const char *fmt, ...)
{
	int e = errno;
	va_list ap;

	va_start(ap, fmt);
	set_front(fmt, ap, strerror(e));
	va_end(ap);
	errno = e;
	return -1;
}

int error_wrap(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_front(fmt, ap, text);
	va_end(ap);
	return -1;
}

const char *error_text(void)
{
	return text[0] ? text : "unknown error";
}

void die(int code, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("muster: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(code);
}

void error_bug(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "muster: BUG at %s:%d: ", file, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}
