/* oracle.c: calls generated functions on all of their inputs, or on some.
 *
 *	oracle          a line for each function: NAME INPUTS FAILING PATHS, then KIND:LINE:CODE for each kind and line that fails, with
 *	                the first such input, then + and the outcomes taken by any input, then = and those taken before anything failed
 *	oracle -r       reads lines NAME CODE; for each prints N, then KIND:LINE of N failures, and the outcomes that this input takes
 *
 * One process does it all: what a program dies of jumps back here (oracle.h); after the rest the call goes on, as muster's runs do. A path is the sequence of outcomes; paths are counted by hash.
 */
#define TRUTH_OWN
#include "oracle.h"

#include <sanitizer/allocator_interface.h>
#include <sanitizer/asan_interface.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS 8000 /* more decisions than any call that ends makes */
#define DEPTH (200 << 10) /* more stack than any recursion that ends uses, in bytes */
#define APART (512 << 10) /* bytes: farther than an index of 16 bits writes, in ints */
#define SITES 64

static const char *const words[] = {
#define X(name, text) text,
    TRUTH_KINDS(X)
#undef X
};

static sigjmp_buf back;
struct site {
	enum truth_kind kind;
	unsigned line;
	unsigned long code;
};
static struct site failed[SITES]; /* of the run, in its order */
static unsigned failed_count;
unsigned truth_line;
static unsigned steps;
static uint64_t path;
static char *stack_base;
static unsigned char *taken; /* by outcome */
enum { TAKEN = 1, TAKEN_CLEAN = 2 /* before anything failed in the run */ };
static void *global;
static unsigned char global_was;

const char *__asan_default_options(void)
{
	return "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0:allocator_may_return_null=1:quarantine_size_mb=16:"
	       "detect_stack_use_after_return=0";
}

/* What the run goes on after is noted; each kind once for each line. */
static void note(enum truth_kind kind)
{
	unsigned i;
	for (i = 0; i < failed_count && (failed[i].kind != kind || failed[i].line != truth_line); i++)
		;
	if (i == failed_count && i < SITES)
		failed[failed_count++] = (struct site){kind, truth_line, 0};
}

static int noted(enum truth_kind kind)
{
	for (unsigned i = 0; i < failed_count; i++)
		if (failed[i].kind == kind && failed[i].line == truth_line)
			return 1;
	return 0;
}

void truth_fail(enum truth_kind kind)
{
	note(kind);
	siglongjmp(back, 1);
}

void truth_at(unsigned line)
{
	truth_line = line;
}

static void step(unsigned outcome, unsigned line)
{
	char here;
	truth_line = line;
	taken[outcome] |= failed_count ? TAKEN : TAKEN | TAKEN_CLEAN;
	path = (path ^ outcome) * 0x9e3779b97f4a7c15u;
	path ^= path >> 29;
	if (++steps > STEPS)
		truth_fail(TRUTH_TIME);
	if (stack_base - &here > DEPTH)
		truth_fail(TRUTH_STACK);
}

int truth_decision(unsigned n, unsigned line, int yes)
{
	step(n + !yes, line);
	return yes;
}

long truth_switch(unsigned n, unsigned line, long value, const long *cases, unsigned count)
{
	unsigned i;
	for (i = 0; i < count && cases[i] != value; i++)
		;
	step(n + (i < count ? i + 1 : 0), line);
	return value;
}

void *truth_object(const void *bytes, size_t size)
{
	return memcpy(malloc(size), bytes, size);
}

void truth_drop(void *object)
{
	free(object);
}

void truth_restore(void *address, unsigned char was)
{
	global = address;
	global_was = was;
}

/* ------------------------------------------------------------------------------------------------- memory */
static int shadow(const void *p)
{
	return *(const unsigned char *)(((uintptr_t)p >> 3) + 0x7fff8000);
}

static void bad_access(const char *p, size_t size)
{
	size_t i;
	if ((uintptr_t)p + 4096 < 8192)
		truth_fail(TRUTH_REFERENCE);
	if (noted(TRUTH_BOUNDS)) /* what the index that was noted leads to */
		truth_fail(TRUTH_BOUNDS);
	for (i = 0; i < size && !__asan_address_is_poisoned(p + i); i++)
		;
	i = i < size ? i : 0;
	switch (shadow(p + i)) {
	case 0xfd:
		truth_fail(TRUTH_FREED);
	case 0xf8:
	case 0xf5:
		truth_fail(TRUTH_SCOPE);
	default:
		truth_fail(TRUTH_BOUNDS);
	}
}

static void access_range(const void *p, size_t n)
{
	if (!p)
		truth_fail(TRUTH_REFERENCE);
	if (n && __asan_region_is_poisoned((void *)(uintptr_t)p, n))
		bad_access(p, n);
}

void *truth_memcpy(void *to, const void *from, size_t n)
{
	access_range(from, n);
	access_range(to, n);
	return memcpy(to, from, n);
}

void *truth_memset(void *to, int c, size_t n)
{
	access_range(to, n);
	return memset(to, c, n);
}

size_t truth_strlen(const char *s)
{
	size_t n = 0;
	do
		access_range(s + n, 1);
	while (s[n++]);
	return n - 1;
}

char *truth_strcpy(char *to, const char *from)
{
	size_t n = truth_strlen(from) + 1;
	access_range(to, n);
	return memcpy(to, from, n);
}

char *truth_strcat(char *to, const char *from)
{
	truth_strcpy(to + truth_strlen(to), from);
	return to;
}

int truth_sprintf(char *to, const char *format, ...)
{
	char text[64];
	va_list ap;
	int n;
	va_start(ap, format);
	n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	access_range(to, (size_t)n + 1);
	memcpy(to, text, (size_t)n + 1);
	return n;
}

/* Results, formats and pairs: what C says of them, from what the text says of itself. */
int truth_missing;

long truth_returned(long result)
{
	truth_missing = 0;
	return result;
}

long truth_used(unsigned line, long result)
{
	truth_line = line;
	if (truth_missing)
		truth_fail(TRUTH_RETURN);
	return result;
}

/* The next argument's type, which must be this one. */
static void wants(const char **types, char type)
{
	if (**types != type)
		truth_fail(TRUTH_FORMAT);
	++*types;
}

/* Conversions are [width or *] [.digit or .*] and d, x, ld, lx or s. */
int truth_snprintf(char *to, size_t size, const char *types, const char *format, ...)
{
	va_list ap, all;
	va_start(ap, format);
	va_copy(all, ap);
	for (const char *p = format; (p = strchr(p, '%')); p++) {
		long most = -1;
		while (*++p >= '0' && *p <= '9')
			;
		if (*p == '*') {
			wants(&types, 'i');
			(void)va_arg(ap, int);
			p++;
		}
		if (*p == '.' && *++p == '*') {
			wants(&types, 'i');
			most = va_arg(ap, int);
			p++;
		} else if (p[-1] == '.') {
			most = *p++ - '0';
		}
		if (*p == 's') {
			wants(&types, 's');
			const char *s = va_arg(ap, const char *);
			if (!s)
				truth_fail(TRUTH_FORMAT);
			for (long i = 0; most < 0 || i < most; i++) {
				access_range(s + i, 1);
				if (!s[i])
					break;
			}
		} else if (*p == 'l') {
			wants(&types, 'l');
			(void)va_arg(ap, long);
			p++;
		} else {
			wants(&types, 'i');
			(void)va_arg(ap, int);
		}
	}
	va_end(ap);
	access_range(to, size);
	int n = vsnprintf(to, size, format, all);
	va_end(all);
	return n;
}

static struct {
	const char *at;
	size_t size;
} known[16];
static unsigned known_count;

void truth_known(const void *object, size_t size)
{
	if (known_count < sizeof(known) / sizeof(*known)) {
		known[known_count].at = object;
		known[known_count++].size = size;
	}
}

static const char *object_of(const char *p)
{
	for (unsigned i = 0; i < known_count; i++)
		if (p >= known[i].at && p <= known[i].at + known[i].size)
			return known[i].at;
	return NULL;
}

void truth_pair(unsigned line, const void *a, const void *b)
{
	truth_line = line;
	if (object_of(a) != object_of(b))
		note(TRUTH_PAIR);
}

void truth_free(void *p)
{
	if (p && !__sanitizer_get_ownership(p))
		truth_fail(TRUTH_FREE);
	free(p);
}

/* Where the renamed reports of compiled code come: of AddressSanitizer, and of UndefinedBehaviorSanitizer. */
#define REPORT(n)                                                                                                                          \
	void truth_report_load##n(const char *p) { bad_access(p, n); }                                                                     \
	void truth_report_store##n(const char *p) { bad_access(p, n); }
REPORT(1)
REPORT(2)
REPORT(4)
REPORT(8)
REPORT(16)
void truth_report_load_n(const char *p, size_t n) { bad_access(p, n); }
void truth_report_store_n(const char *p, size_t n) { bad_access(p, n); }

#define UNDEFINED(name, kind)                                                                                                              \
	void truth_ubsan_##name(void) { note(TRUTH_##kind); }
UNDEFINED(add_overflow, OVERFLOW)
UNDEFINED(sub_overflow, OVERFLOW)
UNDEFINED(mul_overflow, OVERFLOW)
UNDEFINED(negate_overflow, OVERFLOW)
UNDEFINED(shift_out_of_bounds, SHIFT)
UNDEFINED(out_of_bounds, BOUNDS)
UNDEFINED(pointer_overflow, BOUNDS)
UNDEFINED(nonnull_arg, REFERENCE)
UNDEFINED(type_mismatch_v1, REFERENCE) /* null, alignment, size of the object */
UNDEFINED(load_invalid_value, OTHER)

void truth_ubsan_builtin_unreachable(void) { truth_fail(TRUTH_UNREACHABLE); }

/* Of ints, whose values are passed as they are. */
void truth_ubsan_divrem_overflow(const void *data, uintptr_t left, uintptr_t right)
{
	(void)data, (void)left;
	truth_fail((uint32_t)right ? TRUTH_OVERFLOW : TRUTH_DIVISION);
}

void truth_ubsan_divrem_overflow_abort(const void *data, uintptr_t left, uintptr_t right)
{
	truth_ubsan_divrem_overflow(data, left, right);
}

/* ------------------------------------------------------------------------------------------------ signals */
static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	switch (number) {
	case SIGILL:
		truth_fail(TRUTH_UNREACHABLE);
	case SIGSEGV:
	case SIGBUS:
		truth_fail((uintptr_t)info->si_addr < 4096 && !noted(TRUTH_BOUNDS) ? TRUTH_REFERENCE : TRUTH_BOUNDS);
	case SIGFPE:
		truth_fail(TRUTH_DIVISION);
	}
	truth_fail(TRUTH_OTHER);
}

static void catch_signals(void)
{
	static const int numbers[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE};
	struct sigaction a = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_NODEFER};
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &a, NULL);
}

/* -------------------------------------------------------------------------------------------------- calls */
/* Writes out of bounds are carried out: they hit what lies between the call and the oracle's own variables. */
__attribute__((noinline, no_sanitize("address"))) static void call_apart(const struct truth_function *f, unsigned long code)
{
	volatile char *apart = __builtin_alloca(APART);
	apart[0] = 0;
	stack_base = (char *)apart;
	f->call(code);
	apart[0] = 1; /* it lives until here */
}

static void run(const struct truth_function *f, unsigned long code)
{
	steps = 0;
	path = 0;
	failed_count = 0;
	truth_missing = 0;
	known_count = 0;
	global = NULL;
	if (!sigsetjmp(back, 0))
		call_apart(f, code);
	else if (global)
		*(unsigned char *)global = global_was;
}

/* A set of hashes: open addressing, at most half full. */
static uint64_t *seen;
static size_t seen_size, seen_count;

static void see(uint64_t h)
{
	size_t i;
	h += !h;
	for (i = h & (seen_size - 1); seen[i] && seen[i] != h; i = (i + 1) & (seen_size - 1))
		;
	seen_count += !seen[i];
	seen[i] = h;
}

static void run_all(const struct truth_function *f)
{
	struct site sites[SITES];
	unsigned count = 0, i;
	unsigned long code, failing = 0;
	memset(taken, 0, truth_outcomes);
	for (seen_size = 16; seen_size < 2 * f->space; seen_size *= 2)
		;
	seen = calloc(seen_size, sizeof(*seen));
	seen_count = 0;
	for (code = 0; code < f->space; code++) {
		run(f, code);
		failing += failed_count > 0;
		for (unsigned k = 0; k < failed_count; k++) {
			path = (path ^ (failed[k].kind * 1000003u + failed[k].line)) * 0x9e3779b97f4a7c15u;
			for (i = 0; i < count && (sites[i].kind != failed[k].kind || sites[i].line != failed[k].line); i++)
				;
			if (i == count && count < SITES)
				sites[count++] = (struct site){failed[k].kind, failed[k].line, code};
		}
		see(path);
	}
	printf("%s %lu %lu %zu", f->name, f->space, failing, seen_count);
	for (i = 0; i < count; i++)
		printf(" %s:%u:%lu", words[sites[i].kind], sites[i].line, sites[i].code);
	printf(" +");
	for (i = 0; i < truth_outcomes; i++)
		if (taken[i])
			printf(" %u", i);
	printf(" =");
	for (i = 0; i < truth_outcomes; i++)
		if (taken[i] & TAKEN_CLEAN)
			printf(" %u", i);
	printf("\n");
	free(seen);
}

/* In a process of its own: a write out of bounds may hit what the function needs to return, and end it. Then nothing is printed for it. */
static void run_apart(const struct truth_function *f)
{
	fflush(stdout);
	pid_t child = fork();

	if (child < 0)
		exit(2);
	if (!child) {
		run_all(f);
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static int run_some(void)
{
	char name[64];
	unsigned long code;
	unsigned i;
	while (scanf("%63s %lu", name, &code) == 2) {
		const struct truth_function *f = truth_functions;
		while (f->name && strcmp(f->name, name))
			f++;
		if (!f->name || code >= f->space) {
			fprintf(stderr, "oracle: no such input: %s %lu\n", name, code);
			return 2;
		}
		memset(taken, 0, truth_outcomes);
		run(f, code);
		printf("%u", failed_count);
		for (i = 0; i < failed_count; i++)
			printf(" %s:%u", words[failed[i].kind], failed[i].line);
		for (i = 0; i < truth_outcomes; i++)
			if (taken[i])
				printf(" %u", i);
		printf("\n");
	}
	return 0;
}

int main(int argc, char **argv)
{
	taken = calloc(truth_outcomes + 1, 1);
	catch_signals();
	if (argc > 1 && !strcmp(argv[1], "-r"))
		return run_some();
	for (const struct truth_function *f = truth_functions; f->name; f++)
		run_apart(f);
	return 0;
}
