/* error.h: how a library function says what went wrong.
 *
 * A function that can fail returns a negative value and leaves words in a
 * thread-local text; the caller adds its own context with error_wrap and passes
 * the failure on. Only cmd/ ends the process, with die().
 */
#ifndef MUSTER_ERROR_H
#define MUSTER_ERROR_H

/* The exit codes of every subcommand. */
enum exit_code {
	EXIT_OK = 0,
	EXIT_FOUND = 1, /* bugs or differences found */
	EXIT_USAGE = 2, /* wrong usage, or an input that cannot be used */
	EXIT_INCONCLUSIVE = 3,
	EXIT_INTERNAL = 4,
};

/* Replaces the words. Returns -1, so that `return error_set(...)` reads well. */
int error_set(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same with ": " and the meaning of errno after it. */
int error_errno(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Puts "fmt: " before the words that stand there. Returns -1. */
int error_wrap(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The words of the last failure; never NULL, valid until the next failure. */
const char *error_text(void);

/* For cmd/ only: "muster: WORDS" to standard error, then exit(code). */
void die(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3), noreturn));

/* What cannot happen, happened: says where and aborts. */
#define BUG(...) error_bug(__FILE__, __LINE__, __VA_ARGS__)
void error_bug(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), noreturn));

#endif
