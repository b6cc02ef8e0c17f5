/* report.h: what a sanitizer wrote about a failed run.
 *
 * The san variant is run without symbols in its reports (each frame is a module and
 * an offset), because looking them up costs twenty times the run itself; they are put in
 * here, from a cache. */
#ifndef MUSTER_CHECK_REPORT_H
#define MUSTER_CHECK_REPORT_H

#include "base/buf.h"
#include "base/vec.h"
#include "check/symbolise.h"

#include <stdint.h>

struct report_frame {
	const char *module; /* NULL: none known */
	uint64_t offset;
	size_t begin, end; /* its line in the text, without the newline */
	int first;	   /* begins a stack */
};

struct report {
	char kind[64];	   /* the sanitizer's own key: "heap-buffer-overflow", "SEGV",
			      "null-pointer-use" */
	char message[256]; /* UBSan's sentence, or the text of an assertion; "" */
	char access;	   /* 'R', 'W' or 0 */
	uint64_t access_size;
	int zero_page;			 /* the address was near null */
	int survived;			 /* UndefinedBehaviorSanitizer's: the run may have gone on */
	size_t begin, end;		 /* the report within the text */
	VEC(struct report_frame) frames; /* of all stacks in it */
	size_t count;			 /* those of the first stack: where it failed */
	struct arena arena;
};

/* Finds the first complete report in what a run wrote on standard error: 1; 0 if there
 * is none; -1 with words if the sanitizer itself could not work, which says nothing about the
 * program. text ends in NUL. Words that only look like a report (no stack after them) are not
 * taken for one. */
int report_read(struct report *r, const char *text);
void report_release(struct report *r);

/* A signal that AddressSanitizer caught and said nothing more about (it failed itself while it wrote the stack): its kind, 1; or 0. */
int report_deadly(const char *text, char *kind, size_t size);
/* The condition of a failed assertion (glibc's words), in message: 1, or 0. */
int report_assertion(const char *text, char *message, size_t size);
/* The words of a refinement type (muster.h) that a value did not have, likewise. */
int report_refinement(const char *text, char *message, size_t size);
/* The words of an accepted contract that a call did not keep, likewise. */
int report_contract(const char *text, char *message, size_t size);

/* Asks for and resolves the symbols of all frames. -1 with words: none can be had. */
int report_symbolise(const struct report *r, struct symboliser *s);
/* The report with functions and lines in its frames; long stacks are cut. place (may be NULL): what
 * its last line shall name, with a file. */
void report_render(const struct report *r, const char *text, const struct symboliser *s,
		   const struct symbol *place, struct buf *out);

/* The frames of the failing stack that are the program's own, innermost first, inlined ones
 * apart: those with a source line in one of the modules that own accepts. */
typedef VEC(struct symbol) report_symbols;
void report_own_frames(const struct report *r, const struct symboliser *s,
		       int (*own)(void *ctx, const char *module), void *ctx, report_symbols *out);
/* The hash of a failure: its kind and the first few distinct functions, each with its file's name
 * and the line relative to the function's start. Recursion is collapsed, since a function counts
 * once. Of a stack overflow, whose top is chance, the functions that recur count, in order of name.
 */
uint64_t report_bucket(const char *kind, const struct symbol *frames, size_t count);

#endif
