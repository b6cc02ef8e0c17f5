/* probe.c: reports of probes; results that were not returned; pairs of pointers.
 *
 * **Results.** C lets a function end at its closing brace and forbids its caller to use the result then. Each function that can
 * do so leaves its address when it does, and nothing when it returned; whoever uses a result compares. Between the callee's end and the
 * caller's look nothing else runs, so the address that stands there is the callee's own. qsort and its kin use the results of the functions that they are
 * given: inside of them, a function that nothing in the program says to have called was called by libc.
 *
 * **Pairs.** AddressSanitizer keeps poisoned bytes between any two objects of the program. So two pointers, each to a byte that may be accessed or to the
 * one after it, belong to different objects if there is poison between them. A pointer that left its object, or
 * whose object is gone, says nothing and is passed over. Where the driver of `muster test` made one of the objects, its caller chose the
 * pair, and no code could look whether it may be ordered: that is no finding, and the trace keeps the function from being verified. A null
 * pointer beside another one is a finding always.
 */
#include "probe_inside.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void __sanitizer_report_error_summary(const char *line) __attribute__((weak));
void __sanitizer_print_stack_trace(void) __attribute__((weak));
void *__asan_region_is_poisoned(void *p, size_t n) __attribute__((weak));
const void *__sanitizer_get_allocated_begin(const void *p) __attribute__((weak));
int muster_drive_made(const void *p) __attribute__((weak));

/* ---------------------------------------------------------------- reports */

/* The sanitizers' printer writes a line as it is, to wherever reports go. */
static void say(const char *line)
{
	if (__sanitizer_report_error_summary)
		__sanitizer_report_error_summary(line);
	else
		dprintf(2, "%s\n", line);
}

/* who: "muster" before a report that ends the run (check/report_read.c). */
static void write_report(const char *who, const char *kind, const char *text)
{
	char line[320];

	snprintf(line, sizeof line, "%s: runtime error: %s", who, text);
	say(line);
	if (__sanitizer_print_stack_trace)
		__sanitizer_print_stack_trace();
	snprintf(line, sizeof line, "SUMMARY: UndefinedBehaviorSanitizer: %s", kind);
	say(line);
}

#define TEXT 256

static void fill_in(char *text, const char *words, va_list ap)
{
	vsnprintf(text, TEXT, words, ap);
	for (char *p = text; *p; p++) /* a report is read line by line */
		if ((unsigned char)*p < ' ')
			*p = '?';
}

void probe_report(const char *kind, const char *words, ...)
{
	char text[TEXT];
	va_list ap;

	va_start(ap, words);
	fill_in(text, words, ap);
	va_end(ap);
	write_report("muster", kind, text);
	signal(SIGABRT, SIG_DFL); /* the sanitizer has nothing to add */
	abort();
}

#define PLACES 256

void probe_note(const void *place, const char *kind, const char *words, ...)
{
	static struct {
		const void *place;
		const char *kind;
	} said[PLACES];
	static unsigned count;
	char text[TEXT];
	va_list ap;

	for (unsigned i = 0; i < count; i++)
		if (said[i].place == place && !strcmp(said[i].kind, kind))
			return;
	if (count == PLACES) /* enough is known of this run */
		return;
	said[count].place = place;
	said[count++].kind = kind;
	va_start(ap, words);
	fill_in(text, words, ap);
	va_end(ap);
	write_report("probe", kind, text);
}

int probe_poisoned(const void *p, unsigned long n)
{
	return __asan_region_is_poisoned && __asan_region_is_poisoned((void *)p, n) != NULL;
}

/* ---------------------------------------------------------------- results */

static __thread const void *not_returned, *called;
static __thread int in_library;

void muster_probe_caller(const void *function)
{
	called = function;
}

void muster_probe_library(int more)
{
	in_library += more;
}

const void *muster_probe_begin(const void *function)
{
	const void *by_program = called == function || !in_library ? function : NULL;

	called = NULL;
	return by_program;
}

void muster_probe_end(const void *function, int returned, const void *by_program, const char *name)
{
	not_returned = returned ? NULL : function;
	if (!returned && !by_program)
		probe_report("missing-return", "libc uses the result of %s, which ended without a return statement", name);
}

void muster_probe_used(const void *function, const char *name)
{
	if (function && not_returned == function)
		probe_report("missing-return", "the result of %s is used, which ended without a return statement", name);
}

void muster_probe_noreturn(const char *name)
{
	probe_report("unreachable-call", "%s returns, which is declared not to", name);
}

/* ------------------------------------------------------------------ pairs */

#define NEAR 4096 /* bytes whose poison is looked at one after the other, before anybody is asked */

/* It points to a byte of an object, or right after its last. */
static int is_place(const void *p)
{
	return !probe_poisoned(p, 1) || !probe_poisoned((const char *)p - 1, 1);
}

static const void *block_of(const void *p)
{
	const void *begin = __sanitizer_get_allocated_begin ? __sanitizer_get_allocated_begin(p) : NULL;

	return begin || !__sanitizer_get_allocated_begin ? begin : __sanitizer_get_allocated_begin((const char *)p - 1);
}

static int apart(const void *a, const void *b)
{
	const char *low = a < b ? a : b, *high = a < b ? b : a;
	uint64_t distance = (uint64_t)(high - low);

	if (distance > NEAR && block_of(low) && block_of(low) == block_of(high))
		return 0;
	return probe_poisoned(low, distance) && is_place(low) && is_place(high);
}

static int made_by_driver(const void *p)
{
	return muster_drive_made && muster_drive_made(p);
}

void muster_probe_pair(const void *a, const void *b, int flags)
{
	int minus = flags & PROBE_DIFFERENCE;

	if (a == b)
		return;
	if (!a || !b)
		probe_note(__builtin_return_address(0), "pointer-pair", "%s",
			   minus ? "difference of a null pointer and a pointer to an object" : "order of a null pointer and a pointer to an object");
	else if (flags & PROBE_DISTINCT || (apart(a, b) && !made_by_driver(a) && !made_by_driver(b)))
		probe_note(__builtin_return_address(0), "pointer-pair", "%s",
			   minus ? "difference of pointers to different objects" : "order of pointers to different objects");
}

/* ------------------------------------------------------------------ targets */

void muster_probe_target(const void *function)
{
	if (!function)
		probe_report("null-pointer-use", "call of a function through a null pointer");
}

/* others: the functions of the unit that a pointer of this type may not call, and NULL. */
void muster_probe_type(const void *function, const void *const *others, const char *type)
{
	for (; *others; others++)
		if (*others == function) {
			probe_report("function-type-mismatch", "call of a function of another type through a pointer of type '%s'", type);
			return;
		}
}
