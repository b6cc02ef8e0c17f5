/* format.h: conversion specifications of printf, and the engine that runs them.
 *
 * The engine writes into a sink. It models integers, characters, strings and
 * pointers; floating conversions and conversions that it does not know are left
 * to libc, one at a time, on concrete values (format_foreign).
 */
#ifndef MUSTER_FORMAT_H
#define MUSTER_FORMAT_H

#include "libc.h"

enum format_type {
	FORMAT_NOTHING, /* takes no argument: %% and %m */
	FORMAT_INT,
	FORMAT_LONG, /* every 64-bit integer */
	FORMAT_POINTER,
	FORMAT_DOUBLE,
	FORMAT_LONG_DOUBLE,
};

enum format_length {
	LENGTH_NONE,
	LENGTH_CHAR,
	LENGTH_SHORT,
	LENGTH_LONG, /* l ll q j z t L on integers */
	LENGTH_LONG_DOUBLE,
};

struct format_spec {
	unsigned left : 1, plus : 1, space : 1, alternate : 1, zero : 1;
	unsigned star_width : 1, star_precision : 1;
	enum format_length length;
	enum format_type type;
	char conversion;
	int width;					  /* 0: none */
	int precision;					  /* -1: none */
	int width_position, precision_position, position; /* of n$ arguments; 0: in order */
	const char *begin, *end;			  /* the text, from the % on */
};

/* Reads the specification at s[0] == '%'. Returns 0, or the errno value that the
 * printf functions fail with: EINVAL if it is not complete, EOVERFLOW if a number
 * in it is too large. */
int rt_format_parse(const char *s, struct format_spec *spec);

struct format_sink {
	char *data;
	size_t room;  /* bytes at data, for a NUL too */
	size_t count; /* bytes made so far, whether there was room or not */
	int grow;     /* data comes from malloc and is enlarged at need */
	int failed;   /* an enlargement failed */
};

/* Formats and puts the NUL. Gives the count, or -1 with errno. */
int rt_format_run(struct format_sink *sink, const char *format, va_list args);

/* Conversions that libc does (runtime/foreign.c, not instrumented): text is one
 * specification whose width and precision are both `*`. Give what snprintf gives. */
int rt_format_double(char *to, size_t size, const char *text, int width, int precision,
		     double value);
int rt_format_long_double(char *to, size_t size, const char *text, int width, int precision,
			  long double value);
int rt_format_text(char *to, size_t size, const char *text);

#endif
