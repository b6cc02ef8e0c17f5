/* report_read.c: reads reports of AddressSanitizer and UndefinedBehaviorSanitizer.
 *
 * A report begins with "==PID==ERROR: AddressSanitizer: ..." or "FILE:LINE:COLUMN:
 * runtime error: ..."; the first run of frame lines after it is the failing stack; it ends with
 *the SUMMARY line, which names the kind. Frames look like
 *
 *	    #1 0x5608c8cb5748  (/path/of/module+0x10c748) (BuildId: ...)
 *
 * What a program prints itself may look like anything, so a beginning without
 * frames is passed over.
 */
#include "check/report.h"

#include "base/error.h"
#include "base/file.h"
#include "muster/abi.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_FRAMES 24

void report_release(struct report *r)
{
	vec_release(&r->frames);
	arena_release(&r->arena);
	memset(r, 0, sizeof *r);
}

static size_t line_end(const char *text, size_t at)
{
	return at + strcspn(text + at, "\n");
}

static size_t next_line(const char *text, size_t at)
{
	at = line_end(text, at);
	return at + (text[at] == '\n');
}

/* Text within one line. */
static const char *in_line(const char *text, size_t at, const char *words)
{
	return memmem(text + at, line_end(text, at) - at, words, strlen(words));
}

/* -------------------------------------------------------------- frames */

/* The module and offset of "(/path+0x123) (BuildId: ...)". */
static void read_module(struct report *r, struct report_frame *f, const char *p, const char *end)
{
	const char *build = NULL, *plus = NULL;

	if (p >= end || *p != '(')
		return;
	p++;
	for (const char *q = p; q < end; q++)
		if (!strncmp(q, ") (BuildId: ", 12))
			build = q;
	if (build)
		end = build;
	for (const char *q = p; q + 3 < end; q++)
		if (!strncmp(q, "+0x", 3))
			plus = q;
	if (!plus)
		return;
	f->module = arena_strndup(&r->arena, p, (size_t)(plus - p));
	f->offset = strtoull(plus + 3, NULL, 16);
}

/* The number of the frame in the line at `at`, or -1 if it is none. */
static long read_frame(struct report *r, const char *text, size_t at, struct report_frame *f)
{
	const char *p = text + at, *end = text + line_end(text, at);
	char *after;
	long number;

	*f = (struct report_frame){.begin = at, .end = (size_t)(end - text)};
	p += strspn(p, " ");
	if (p == text + at || *p != '#' || !isdigit((unsigned char)p[1]))
		return -1;
	number = strtol(p + 1, &after, 10);
	if (strncmp(after, " 0x", 3))
		return -1;
	p = after + 3;
	p += strspn(p, "0123456789abcdef");
	p += strspn(p, " ");
	read_module(r, f, p, end);
	f->first = number == 0;
	return number;
}

/* ------------------------------------------------------------ beginning */

static int is_error_line(const char *text, size_t at)
{
	const char *p = text + at;
	size_t n;

	if (strncmp(p, "==", 2))
		return 0;
	n = strspn(p + 2, "0123456789");
	return n && !strncmp(p + 2 + n, "==ERROR: AddressSanitizer: ", 27);
}

static int begins(const char *text, size_t at)
{
	return is_error_line(text, at) || in_line(text, at, ": runtime error: ");
}

static void copy_word(char *out, size_t size, const char *p)
{
	snprintf(out, size, "%.*s", (int)strcspn(p, " \n"), p);
}

static void read_access(struct report *r, const char *text, size_t at)
{
	const char *p = text + at;

	if (!strncmp(p, "READ of size ", 13))
		r->access = 'R';
	else if (!strncmp(p, "WRITE of size ", 14))
		r->access = 'W';
	else if (in_line(text, at, "caused by a READ memory access"))
		r->access = 'R';
	else if (in_line(text, at, "caused by a WRITE memory access"))
		r->access = 'W';
	if (isupper((unsigned char)*p) && r->access && (p = in_line(text, at, " of size ")))
		r->access_size = strtoull(p + 9, NULL, 10);
	if (in_line(text, at, "address points to the zero page"))
		r->zero_page = 1;
}

static void read_begin(struct report *r, const char *text, size_t at)
{
	const char *p = in_line(text, at, ": runtime error: ");

	if (p) {
		p += 17;
		r->survived = strncmp(text + at, "muster: ", 8) != 0; /* probes that end the run say so */
		snprintf(r->message, sizeof r->message, "%.*s", (int)strcspn(p, "\n"), p);
		snprintf(r->kind, sizeof r->kind, "undefined-behavior");
	} else {
		copy_word(r->kind, sizeof r->kind, strstr(text + at, "Sanitizer: ") + 11);
	}
}

/* Of a line after the beginning: 1 if the report ends with it. */
static int read_line(struct report *r, const char *text, size_t at)
{
	static const char summary[] = "SUMMARY: ";
	struct report_frame f;
	long number = read_frame(r, text, at, &f);
	const char *p;

	if (number >= 0) {
		if (r->frames.size == r->count && (r->frames.size == 0 || number > 0))
			r->count++;
		vec_push(&r->frames, f);
		return 0;
	}
	read_access(r, text, at);
	if (strncmp(text + at, summary, sizeof summary - 1) ||
	    !(p = in_line(text, at, "Sanitizer: ")))
		return 0;
	copy_word(r->kind, sizeof r->kind, p + 11);
	return 1;
}

/* A sanitizer that cannot set itself up ends every run alike. */
static int broken(const char *text)
{
	static const char *const words[] = {
	    "Shadow memory range interleaves with an existing memory mapping",
	    "ReserveShadowMemoryRange failed",
	    "ASan runtime does not come first in initial library list",
	    "Your application is linked against incompatible ASan runtimes",
	    "Perhaps you're using ulimit -v",
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(text, words[i]))
			return error_set(
			    "AddressSanitizer cannot work here (\"%s\"): is there a limit of "
			    "address space (ulimit -v)?",
			    words[i]);
	return 0;
}

int report_read(struct report *r, const char *text)
{
	memset(r, 0, sizeof *r);
	if (broken(text))
		return -1;
	for (size_t at = 0; text[at]; at = next_line(text, at)) {
		size_t line;

		if (!begins(text, at))
			continue;
		read_begin(r, text, at);
		r->begin = at;
		for (line = next_line(text, at); text[line]; line = next_line(text, line)) {
			if (!r->count &&
			    begins(text, line)) /* the one before was the program's own text */
				break;
			if (read_line(r, text, line)) {
				line = next_line(text, line);
				break;
			}
		}
		r->end = line;
		if (r->count)
			return 1;
		report_release(r);
	}
	return 0;
}

int report_deadly(const char *text, char *kind, size_t size)
{
	static const char mark[] = "ERROR: AddressSanitizer: ";
	const char *p = strstr(text, "AddressSanitizer:DEADLYSIGNAL");

	p = p ? strstr(p, mark) : NULL;
	if (!p)
		return 0;
	p += sizeof mark - 1;
	snprintf(kind, size, "%.*s", (int)strcspn(p, " :\n"), p);
	return kind[0] != 0;
}

/* The text after words of muster's own runtime, "muster: WORDS: TEXT at FILE:LINE" or "FILE:LINE: WORDS: TEXT". */
static int own_words(const char *text, const char *words, char *message, size_t size)
{
	const char *p = strstr(text, words), *end, *at;

	if (!p)
		return 0;
	int ours = p - text >= 6 && !strncmp(p - 6, "muster", 6);
	p += strlen(words);
	end = p + strcspn(p, "\n");
	for (at = end; ours && at > p && strncmp(at, " at ", 4); at--)
		continue;
	snprintf(message, size, "%.*s", (int)((ours && at > p ? at : end) - p), p);
	return 1;
}

int report_assertion(const char *text, char *message, size_t size)
{
	static const char begin[] = "Assertion `";
	const char *p = strstr(text, begin), *end = p ? strstr(p, "' failed.") : NULL;

	if (!end || memchr(p, '\n', (size_t)(end - p)))
		return own_words(text, ": assertion violated: ", message, size);
	p += sizeof begin - 1;
	snprintf(message, size, "%.*s", (int)(end - p), p);
	return 1;
}

int report_refinement(const char *text, char *message, size_t size)
{
	return own_words(text, ": refinement violated: ", message, size);
}

int report_contract(const char *text, char *message, size_t size)
{
	return own_words(text, ": contract broken: ", message, size);
}

/* -------------------------------------------------------------- symbols */

int report_symbolise(const struct report *r, struct symboliser *s)
{
	for (size_t i = 0; i < r->frames.size; i++)
		if (r->frames.data[i].module)
			symboliser_want(s, r->frames.data[i].module, r->frames.data[i].offset);
	return symboliser_resolve(s);
}

static const struct symbol_place *place_of(const struct report_frame *f, const struct symboliser *s)
{
	return f->module ? symboliser_get(s, f->module, f->offset) : NULL;
}

/* One frame's line, or several where code was inlined. Gives the number of the next. */
static unsigned render_frame(const struct report_frame *f, const char *text,
			     const struct symboliser *s, unsigned number, struct buf *out)
{
	const struct symbol_place *p = place_of(f, s);
	int any = 0;

	for (uint32_t i = 0; p && i < p->count; i++) {
		const struct symbol *y = &p->symbols[i];

		if (!y->function)
			continue;
		buf_addf(out, "    #%u in %s", number++, y->function);
		if (y->file)
			buf_addf(out, " %s:%" PRIu32 ":%" PRIu32, y->file, y->line, y->column);
		else
			buf_addf(out, " (%s+0x%" PRIx64 ")", file_base(f->module), f->offset);
		buf_addc(out, '\n');
		any = 1;
	}
	if (!any) {
		const char *line = text + f->begin;
		size_t skip = strcspn(line, "#");

		skip += 1 + strspn(line + skip + 1, "0123456789");
		buf_addf(out, "    #%u%.*s\n", number++, (int)(f->end - f->begin - skip),
			 line + skip);
	}
	return number;
}

static int is_main(const struct report_frame *f, const struct symboliser *s)
{
	const struct symbol_place *p = place_of(f, s);

	for (uint32_t i = 0; p && i < p->count; i++)
		if (p->symbols[i].function && p->symbols[i].file && !strcmp(p->symbols[i].function, "main"))
			return 1;
	return 0;
}

/* After main stands how libc starts a program. Whether it is in a stack at all depends on how that libc was built; it never says anything. */
static int is_behind_main(const struct report *r, const struct symboliser *s, size_t frame)
{
	int behind = 0;

	for (size_t i = frame; i > 0 && !r->frames.data[i].first && !behind; i--)
		behind = is_main(&r->frames.data[i - 1], s);
	for (size_t i = frame; behind && i < r->frames.size && (i == frame || !r->frames.data[i].first); i++)
		behind = !is_main(&r->frames.data[i], s); /* it may call itself */
	return behind;
}

/* The rest of a report; its last line names the place. */
static void render_end(const struct report *r, const char *text, size_t at,
		       const struct symbol *place, struct buf *out)
{
	static const char summary[] = "SUMMARY: ", by[] = "Sanitizer: ";

	for (; at < r->end; at = next_line(text, at)) {
		const char *kind = in_line(text, at, by);

		if (!place || !kind || strncmp(text + at, summary, sizeof summary - 1)) {
			buf_add(out, text + at, next_line(text, at) - at);
			continue;
		}
		kind += sizeof by - 1;
		kind += strcspn(kind, " \n");
		buf_add(out, text + at, (size_t)(kind - (text + at)));
		buf_addf(out, " %s:%" PRIu32 " in %s\n", place->file, place->line, place->function);
	}
}

void report_render(const struct report *r, const char *text, const struct symboliser *s,
		   const struct symbol *place, struct buf *out)
{
	size_t at = r->begin;
	unsigned number = 0, left = 0;

	for (size_t i = 0; i < r->frames.size; i++) {
		const struct report_frame *f = &r->frames.data[i];

		if (f->begin != at || f->first) { /* other lines stand between */
			buf_add(out, text + at, f->begin - at);
			number = 0;
		}
		if (is_behind_main(r, s, i))
			; /* left out */
		else if (number < SHOWN_FRAMES)
			number = render_frame(f, text, s, number, out);
		else
			left++;
		at = next_line(text, f->begin);
		if (left && (i + 1 == r->frames.size || r->frames.data[i + 1].begin != at)) {
			buf_addf(out, "    ... and %u more\n", left);
			left = 0;
		}
	}
	render_end(r, text, at, place, out);
}

/* Functions of muster's runtime that end a program for its author: the place is where they are called. Those that a program
 * may define itself are known by their file too. */
static int is_messenger(const struct symbol *y)
{
	static const char *const begins[] = {"must_hold", "muster_refine_holds", "muster_assert_holds", "muster_contract_holds", "muster_holds_", "muster_now_", MUSTER_REQUIRES_FUNCTION};
	static const char *const replaceable[] = {
	    "is_reached", "__VERIFIER_assert",
#define X(name) #name,
	    MUSTER_ERROR_FUNCTIONS(X)
#undef X
	};

	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (!strncmp(y->function, begins[i], strlen(begins[i])))
			return 1;
	for (size_t i = 0; i < sizeof replaceable / sizeof *replaceable; i++)
		if (!strcmp(y->function, replaceable[i]))
			return y->file && !strcmp(file_base(y->file), "native.c");
	return 0;
}

/* It states the contract of the function that calls it, and is called where that one begins: the place is that one's caller. */
static int is_statement(const struct symbol *y)
{
	return y->function && !strncmp(y->function, MUSTER_REQUIRES_FUNCTION, sizeof MUSTER_REQUIRES_FUNCTION - 1);
}

/* Static functions of the sanitizers have no lines, but a file's name from the symbol table: they are not the program's. */
static int is_own_source(const struct symbol *y)
{
	return y->function && !is_messenger(y) && y->file && (y->line || y->start_line) &&
	       !strstr(y->file, "compiler-rt/lib/");
}

void report_own_frames(const struct report *r, const struct symboliser *s,
		       int (*own)(void *ctx, const char *module), void *ctx, report_symbols *out)
{
	struct symbol stated = {0}; /* the function whose contract was stated */
	int skip = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct report_frame *f = &r->frames.data[i];
		const struct symbol_place *p = place_of(f, s);

		if (!p || !own(ctx, f->module))
			continue;
		for (uint32_t k = 0; k < p->count; k++) {
			const struct symbol *y = &p->symbols[k];

			skip |= is_statement(y);
			if (is_own_source(y) && skip && !out->size)
				stated = *y, skip = 0;
			else if (is_own_source(y))
				vec_push(out, *y);
		}
	}
	if (!out->size && stated.function)
		vec_push(out, stated);
}
