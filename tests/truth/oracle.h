/* oracle.h: what the oracle's build of a generated file sees: counters at decisions, lines, and libc functions that check first.
 *
 * What a program dies of ends the call by a jump out of it (truth_fail), so that all inputs run in one process. Reports of the sanitizers from
 * compiled code are made to come here (build-oracle renames them).
 * libc's functions report for themselves, and end the process: those that a generated function may call wrongly are checked here first.
 */
#ifndef TRUTH_ORACLE_H
#define TRUTH_ORACLE_H

#include <stddef.h>

/* Kinds of failure, as far as two tools can be expected to agree. */
#define TRUTH_KINDS(X)                                                                                                                     \
	X(NONE, "none") X(DIVISION, "division") X(OVERFLOW, "overflow") X(BOUNDS, "bounds") X(REFERENCE, "reference") X(SHIFT, "shift")          \
	X(FREED, "freed") X(SCOPE, "scope") X(FREE, "free") X(ABORT, "abort") X(UNREACHABLE, "unreachable")      \
	X(RETURN, "return") X(FORMAT, "format") X(PAIR, "pair")      \
	X(STACK, "stack") X(TIME, "time") X(OTHER, "other")
enum truth_kind {
#define X(name, words) TRUTH_##name,
	TRUTH_KINDS(X)
#undef X
};

struct truth_function {
	const char *name;
	void (*call)(unsigned long code);
	unsigned long space;
};
extern const struct truth_function truth_functions[];
extern const unsigned truth_outcomes;
extern unsigned truth_line;

int truth_decision(unsigned n, unsigned line, int taken);
void truth_at(unsigned line);
long truth_switch(unsigned n, unsigned line, long value, const long *cases, unsigned count);
void truth_fail(enum truth_kind kind) __attribute__((noreturn));
void *truth_object(const void *bytes, size_t size);
void truth_drop(void *object);
void truth_restore(void *global, unsigned char was); /* when the call fails */
void *truth_memcpy(void *to, const void *from, size_t n);
void *truth_memset(void *to, int c, size_t n);
size_t truth_strlen(const char *s);
char *truth_strcpy(char *to, const char *from);
char *truth_strcat(char *to, const char *from);
int truth_sprintf(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
int truth_snprintf(char *to, size_t size, const char *types, const char *format, ...);
void truth_free(void *p);
extern int truth_missing; /* the last function that can do so ended without a result */
long truth_returned(long result);
long truth_used(unsigned line, long result);
void truth_known(const void *object, size_t size);
void truth_pair(unsigned line, const void *a, const void *b);

#define S truth_line = __LINE__;
#define D(n, c) (truth_at(__LINE__), truth_decision(n, __LINE__, (c) ? 1 : 0))
#define W(n, e, ...) truth_switch(n, __LINE__, (e), (const long[]){__VA_ARGS__}, sizeof((const long[]){__VA_ARGS__}) / sizeof(long))

#define R(e) truth_returned(e)
#define E truth_missing = 1;
#define U(e) truth_used(__LINE__, (e))
#define O(a) truth_known(a, sizeof(a));
#define P(a, b, e) (truth_pair(__LINE__, a, b), (e))
/* The types of the arguments behind a format, a letter each. */
#define TRUTH_TYPE(x) _Generic((x), int : 'i', long : 'l', char * : 's', const char * : 's', default : '?')
#define TRUTH_TYPES0(f) ((const char[]){0})
#define TRUTH_TYPES1(f, a) ((const char[]){TRUTH_TYPE(a), 0})
#define TRUTH_TYPES2(f, a, b) ((const char[]){TRUTH_TYPE(a), TRUTH_TYPE(b), 0})
#define TRUTH_PICK(f, a, b, name, ...) name
#define TRUTH_TYPES(...) TRUTH_PICK(__VA_ARGS__, TRUTH_TYPES2, TRUTH_TYPES1, TRUTH_TYPES0, 0)(__VA_ARGS__)

#ifndef TRUTH_OWN
#define memcpy truth_memcpy
#define memset truth_memset
#define strlen truth_strlen
#define strcpy truth_strcpy
#define strcat truth_strcat
#define sprintf truth_sprintf
#define snprintf(to, size, ...) truth_snprintf(to, size, TRUTH_TYPES(__VA_ARGS__), __VA_ARGS__)
#define free truth_free
#define abort() truth_fail(TRUTH_ABORT)
#undef assert
#define assert(e) ((e) ? (void)0 : truth_fail(TRUTH_ABORT))
#endif

#endif
