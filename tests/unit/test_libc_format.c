/* test_libc_format.c: formatting into memory, by generated formats, against libc's. */
#include "libc_native.h"

#include "libc/memory.c"
#include "libc/string.c"
#include "libc/format_spec.c"
#include "libc/format.c"
#include "libc/format_names.c"

#include <math.h>
#include <wchar.h>

int rt_format_double(char *to, size_t size, const char *text, int width, int precision,
		     double value)
{
	return snprintf(to, size, text, width, precision, value);
}

int rt_format_long_double(char *to, size_t size, const char *text, int width, int precision,
			  long double value)
{
	return snprintf(to, size, text, width, precision, value);
}

int rt_format_text(char *to, size_t size, const char *text)
{
	return snprintf(to, size, text, 0);
}

/* Formats twice with the same arguments and compares everything. */
static void both(size_t size, const char *format, ...)
{
	char ours[600], theirs[600], *made = NULL;
	va_list args;
	memset(ours, '#', sizeof ours);
	memset(theirs, '#', sizeof theirs);
	errno = 99; /* %m prints it */
	va_start(args, format);
	int n = muster_vsnprintf(ours, size, format, args), errno_ours = errno;
	va_end(args);
	errno = 99;
	va_start(args, format);
	int m = vsnprintf(theirs, size, format, args);
	va_end(args);
	if (n != m || (n >= 0 && memcmp(ours, theirs, sizeof ours) != 0))
		fail_msg("format \"%s\" size %zu: \"%s\" (%d) against \"%s\" (%d)", format, size,
			 size ? ours : "", n, size ? theirs : "", m);
	if (m < 0) {
		assert_int_equal(errno_ours, errno);
		return;
	}
	if (m > 100000)
		return;
	errno = 99;
	va_start(args, format);
	assert_int_equal(muster_vasprintf(&made, format, args), m);
	va_end(args);
	if (size > (size_t)m)
		assert_string_equal(made, theirs);
	free(made);
}

static long edge_integer(void)
{
	static const long edges[] = {
	    0,	 1,	-1,    7,     8,       9,	10,	  99,	    100,      127, 128, 255,
	    256, 32767, 32768, 65535, INT_MAX, INT_MIN, UINT_MAX, LONG_MAX, LONG_MIN, -10, 4096};
	return chance(2) ? edges[chance(sizeof edges / sizeof *edges)]
			 : (long)(chance(UINT64_MAX) >> chance(64)) * (chance(2) ? 1 : -1);
}

/* Flags, width and precision; says in *stars how many arguments they take. */
static size_t start_spec(char *to, int *stars)
{
	size_t n = 0;
	*stars = 0;
	to[n++] = '%';
	while (chance(3) == 0)
		to[n++] = "-+ #0'"[chance(6)];
	if (chance(3) == 0) {
		n += (size_t)sprintf(to + n, "%d", (int)chance(30));
	} else if (chance(6) == 0) {
		to[n++] = '*';
		*stars |= 1;
	}
	if (chance(3) == 0) {
		to[n++] = '.';
		if (chance(4) == 0) {
			to[n++] = '*';
			*stars |= 2;
		} else if (chance(5)) {
			n += (size_t)sprintf(to + n, "%d", (int)chance(25));
		}
	}
	return n;
}

/* A star's argument is an int; the rest is of a type that follows it. */
#define WITH_STARS(value)                                              \
	do {                                                           \
		int w = (int)chance(40) - 15, p = (int)chance(20) - 4; \
		if (stars == 0)                                        \
			both(size, format, value, 77);                 \
		else if (stars == 1)                                   \
			both(size, format, w, value, 77);              \
		else if (stars == 2)                                   \
			both(size, format, p, value, 77);              \
		else                                                   \
			both(size, format, w, p, value, 77);           \
	} while (0)

static void integers(void **state)
{
	(void)state;
	static const char *const longs[] = {"l", "ll", "j", "z", "t", "q", "L"};
	for (int i = 0; i < 8 * ROUNDS; i++) {
		char format[64] = "<";
		int stars, wide = (int)chance(2);
		size_t n = 1 + start_spec(format + 1, &stars), size = chance(3) ? 600 : chance(20);
		const char *length =
		    wide ? longs[chance(7)] : (const char *[]){"", "h", "hh"}[chance(3)];
		sprintf(format + n, "%s%c>%%d", length, "diuoxX"[chance(6)]);
		long value = edge_integer();
		if (wide)
			WITH_STARS(value);
		else
			WITH_STARS((int)value);
	}
}

static void text(void **state)
{
	(void)state;
	for (int i = 0; i < 4 * ROUNDS; i++) {
		char format[64] = "a";
		int stars;
		size_t n = 1 + start_spec(format + 1, &stars), size = chance(3) ? 600 : chance(20);
		switch (chance(6)) {
		case 0:
			strcpy(format + n, "c|%d");
			WITH_STARS((int)edge_integer());
			break;
		case 1:
			strcpy(format + n, "p|%d");
			WITH_STARS((void *)edge_integer());
			break;
		case 2:
			strcpy(format + n, "s|%d");
			WITH_STARS((char *)NULL);
			break;
		case 3:
			strcpy(format + n, "ls|%d");
			WITH_STARS(chance(3) ? L"wide" : NULL);
			break;
		default:
			strcpy(format + n, "s|%d");
			WITH_STARS(guarded_string(0, 30));
		}
	}
	/* A precision limits what is read. */
	char *raw = guarded(0, 3);
	memcpy(raw, "abc", 3);
	both(600, "%.3s|%.*s", raw, 2, raw);
}

static void floating(void **state)
{
	(void)state;
	static const double values[] = {0,	    -0.0, 1,	    -1.5,      1e300, 1e-300,
					123456.789, 0.1,  INFINITY, -INFINITY, NAN};
	for (int i = 0; i < ROUNDS; i++) {
		char format[64];
		int stars, wide = (int)chance(2);
		size_t n = start_spec(format, &stars), size = chance(3) ? 600 : chance(20);
		sprintf(format + n, "%s%c/%%d", wide ? "L" : "", "aAeEfFgG"[chance(8)]);
		double value = values[chance(sizeof values / sizeof *values)];
		if (wide)
			WITH_STARS((long double)value);
		else
			WITH_STARS(value);
	}
}

static void special(void **state)
{
	(void)state;
	both(600, "");
	both(600, "plain %% text");
	both(3, "plain");
	both(0, "plain");
	both(600, "%m and %20m and %-20m|");
	both(600, "%2$d %1$s", "x", 5);
	both(600, "%3$*1$.*2$d|%1$d|%4$s|%4$s", 8, 3, 42, "again");
	both(600, "%2$lx %1$c %3$f", 'c', 0x123456789abcL, 2.5);
	both(600, "%lc|%C|%S", L'w', L'x', L"yz");
	both(600, "%lc", 0x20ac);
	both(600, "%ls", L"a\x20ac");
	both(600, "100%");
	both(600, "%y %k", 1);
	both(600, "%5");
	both(600, "%99999999999d", 1);
	both(600, "%d %s %c %x %ld %hhd %5.2f %-5d|", 1, "two", '3', 4, 5L, 6, 7.0, 8);
	for (int length = 0; length < 4; length++) {
		const char *formats[] = {"abc%nd", "abc%hnd", "abc%hhnd", "abc%lnd"};
		long ours = -1, theirs = -1;
		char to[16];
		muster_snprintf(to, sizeof to, formats[length], &ours);
		switch (length) {
		case 0:
			theirs = (long)0xffffffff00000003;
			break;
		case 1:
			theirs = (long)0xffffffffffff0003;
			break;
		case 2:
			theirs = (long)0xffffffffffffff03;
			break;
		default:
			theirs = 3;
		}
		assert_true(ours == theirs);
	}
}

static void names(void **state)
{
	(void)state;
	char to[32], *made;
	assert_int_equal(muster_snprintf(to, 3, "%d", 12345), 5);
	assert_string_equal(to, "12");
	assert_int_equal(muster_sprintf(to, "%s-%d", "ab", 7), 4);
	assert_string_equal(to, "ab-7");
	assert_int_equal(muster_asprintf(&made, "%5d", 42), 5);
	assert_string_equal(made, "   42");
	free(made);
	assert_int_equal(muster___snprintf_chk(to, 8, 1, 32, "%x", 255), 2);
	assert_string_equal(to, "ff");
	assert_int_equal(muster___sprintf_chk(to, 1, 32, "%c%c", 'o', 'k'), 2);
	assert_string_equal(to, "ok");
	assert_int_equal(muster___asprintf_chk(&made, 1, "%i", -3), 2);
	assert_string_equal(made, "-3");
	free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(integers), cmocka_unit_test(text),	 cmocka_unit_test(floating),
	    cmocka_unit_test(special),	cmocka_unit_test(names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
