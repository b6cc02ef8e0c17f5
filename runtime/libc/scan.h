/* scan.h: the scanf engine.
 *
 * Input is a string or a stream. Integers, strings, characters and sets are
 * modelled; the characters of a floating number are collected and libc makes the
 * number of them (on concrete values).
 */
#ifndef MUSTER_SCAN_H
#define MUSTER_SCAN_H

#include "libc.h"

/* Where characters come from: the stream if there is one, else the string. */
struct scan_input {
	FILE *stream;
	const char *text;
	size_t count; /* characters taken and not given back */
	int last;     /* the last one, or EOF: nothing is read after it */
};

/* The next character or EOF. */
int rt_scan_get(struct scan_input *in);
/* Gives the last one back, unless it was EOF. */
void rt_scan_unget(struct scan_input *in);

/* What a scanf function returns. gnu: %as, %aS and %a[ allocate, as they did
 * before C99. */
int rt_scan_run(struct scan_input *in, const char *format, va_list args, int gnu);

/* Text of a number, collected for conversion. */
struct scan_text {
	char small[64];
	char *data;
	size_t size, room;
	int failed;
};
void rt_scan_text_init(struct scan_text *t);
void rt_scan_text_add(struct scan_text *t, int c);
void rt_scan_text_release(struct scan_text *t);

/* Collects a floating number as the first characters allow. Gives 0 if the
 * characters are one, 1 on a mismatch, EOF at the end of input. */
int rt_scan_float_text(struct scan_input *in, int width, struct scan_text *text);

/* libc's conversions of collected text (runtime/foreign.c, not instrumented). Give
 * the number of characters used. size: 4, 8, or 16 for float, double, long double. */
size_t rt_scan_double(const char *text, int size, void *to);

#endif
