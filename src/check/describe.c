/* describe.c: sentences of sanitizers, made shorter and more exact.
 *
 * Everything is read from the report's text, whose wording is the sanitizers' own: a sentence that is not as expected is passed
 * over, and the caller says what the kind alone tells. The name of an array is not in the report: it is read
 * from the source line, where an identifier with a bracket after it stands at the column the report names, or is the only one of the line.
 */
#include "check/describe.h"

#include "base/file.h"
#include "check/located.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_LIMIT (16u << 20)
#define LINE_WIDTH 160 /* of an excerpt */

/* ------------------------------------------------------------------ source */

int describe_line(const char *file, uint32_t line, struct buf *out)
{
	struct buf text = {0};
	int found = 0;
	if (!file || !*file || !line || !file_is_regular(file) || file_read_limited(file, SOURCE_LIMIT, &text)) {
		buf_release(&text);
		return 0;
	}
	const char *p = buf_str(&text);
	for (uint32_t n = 1; *p && !found; n++) {
		size_t size = strcspn(p, "\n");
		if (n == line) {
			buf_add(out, p, size);
			found = 1;
		}
		p += size + (p[size] == '\n');
	}
	buf_release(&text);
	return found;
}

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The length of what is subscripted at p: buf, h.buf or h->buf with a bracket after it; or 0. */
static size_t subscripted(const char *p)
{
	size_t n = 0;
	if (isdigit((unsigned char)*p))
		return 0;
	for (;;) {
		size_t word = n;
		while (is_word(p[n]))
			n++;
		if (n == word)
			return 0;
		if (p[n] == '.')
			n++;
		else if (p[n] == '-' && p[n + 1] == '>')
			n += 2;
		else
			break;
	}
	return p[n + strspn(p + n, " \t")] == '[' ? n : 0;
}

/* The array's name: at the column, or the only one of the line. */
static size_t array_name(const char *line, size_t column, const char **name)
{
	size_t only = 0;
	if (column && column <= strlen(line) && (column == 1 || !is_word(line[column - 2])) && subscripted(line + column - 1)) {
		*name = line + column - 1;
		return subscripted(*name);
	}
	for (const char *p = line; *p; p++) {
		size_t n = p == line || (!is_word(p[-1]) && p[-1] != '.' && p[-1] != '>') ? subscripted(p) : 0;
		if (!n)
			continue;
		if (only && (n != only || memcmp(p, *name, n)))
			return 0;
		only = n, *name = p;
	}
	return only;
}

void describe_source(const char *file, uint32_t line, unsigned around, const char *before, struct buf *out)
{
	for (uint32_t n = line > around ? line - around : 1; line && n <= line + around; n++) {
		struct buf text = {0};
		if (!describe_line(file, n, &text)) {
			buf_release(&text);
			if (n < line)
				continue;
			return;
		}
		const char *p = buf_str(&text);
		buf_addf(out, "%s%c%5" PRIu32 " | ", before, n == line ? '>' : ' ', n);
		for (size_t i = 0; p[i] && i < LINE_WIDTH; i++) /* the file's text goes to a terminal */
			buf_addc(out, (unsigned char)p[i] < ' ' && p[i] != '\t' ? '?' : p[i]);
		buf_addc(out, '\n');
		buf_release(&text);
	}
}

/* ---------------------------------------------------------------- sentences */

static void add_bytes(struct buf *out, uint64_t n)
{
	buf_addf(out, "%" PRIu64 " byte%s", n, n == 1 ? "" : "s");
}

static void add_access(const struct describe_from *d, struct buf *out)
{
	buf_adds(out, d->access == 'W' ? "a write of " : "a read of ");
	add_bytes(out, d->access_size);
}

/* Where the stack after a sentence (" freed by thread", "previously allocated by") begins in sources: " (freed at x.c:9)". */
static void add_stack(const char *report, const char *sentence, const char *verb, struct buf *out)
{
	const char *p = strstr(report, sentence);
	for (p = p ? strchr(p, '\n') : NULL; p && p[1] == ' '; p = strchr(p + 1, '\n')) {
		const char *end = p + 1 + strcspn(p + 1, "\n"), *file = memrchr(p + 1, ' ', (size_t)(end - p - 1));
		char place[300];
		if (!file || end - file > (long)sizeof place || file[1] == '(')
			continue;
		snprintf(place, sizeof place, "%.*s", (int)(end - file - 1), file + 1);
		char *column = strrchr(place, ':');
		if (column)
			*column = 0;
		if (!column || !strrchr(place, ':') || strstr(place, "compiler-rt/") || strstr(place, "sanitizer_common"))
			continue;
		if (strncmp(file_base(place), "drive_", 6)) /* muster's own, of a driven function's arguments */
			buf_addf(out, " (%s at %s)", verb, file_base(place));
		return;
	}
}

/* "after", "before" and how far, of something that is `what`. */
static void add_distance(const struct describe_from *d, uint64_t distance, int after, struct buf *out)
{
	add_access(d, out);
	if (after && !distance) {
		buf_adds(out, " right after ");
		return;
	}
	buf_adds(out, ", ");
	add_bytes(out, distance);
	buf_adds(out, after ? " after " : " before ");
}

static int heap_words(const struct describe_from *d, struct buf *out)
{
	struct located l;
	int freed = !strcmp(d->kind, "heap-use-after-free");
	if (!d->access || !d->access_size || !located_read(d->report, &l))
		return 0;
	int inside = l.where == LOCATED_INSIDE;
	if (inside && freed) {
		add_access(d, out);
		buf_adds(out, " in ");
	} else if (inside && l.distance + d->access_size > l.size) {
		add_access(d, out);
		buf_adds(out, " across the end of ");
	} else if (inside) {
		return 0;
	} else if (located_is_far(&l)) {
		add_access(d, out);
		buf_adds(out, " outside of all objects");
		return 1;
	} else {
		add_distance(d, l.distance, l.where == LOCATED_AFTER, out);
	}
	buf_adds(out, "a block of ");
	add_bytes(out, l.size);
	if (freed)
		add_stack(d->report, "freed by thread", "freed", out);
	else
		add_stack(d->report, "allocated by thread", "allocated", out);
	return 1;
}

/* "    [32, 48) 'buf' (line 5) <== Memory access at offset 48 overflows this variable" */
static int stack_words(const struct describe_from *d, struct buf *out)
{
	const char *mark = strstr(d->report, "<== Memory access at offset "), *p = mark;
	uint64_t begin, end, at;
	char name[80];
	if (!p || !d->access || !d->access_size)
		return 0;
	while (p > d->report && p[-1] != '\n')
		p--;
	if (sscanf(p, " [%" SCNu64 ", %" SCNu64 ") '%79[^']'", &begin, &end, name) != 3 ||
	    sscanf(mark, "<== Memory access at offset %" SCNu64, &at) != 1 || end < begin)
		return 0;
	if (at >= end)
		add_distance(d, at - end, 1, out);
	else if (at < begin)
		add_distance(d, begin - at, 0, out);
	else {
		add_access(d, out);
		buf_adds(out, at + d->access_size > end ? " across the end of " : " in ");
	}
	buf_addf(out, "%s (", name);
	add_bytes(out, end - begin);
	buf_addc(out, ')');
	return 1;
}

/* "... is located 4 bytes after global variable 'tab' defined in 'x.c:3' (0x...) of size 40" */
static int global_words(const struct describe_from *d, struct buf *out)
{
	const char *p = strstr(d->report, " global variable '"), *size = p ? strstr(p, " of size ") : NULL;
	uint64_t distance;
	char where[16], name[80];
	if (!size || !d->access || !d->access_size || memchr(p, '\n', (size_t)(size - p)))
		return 0;
	while (p > d->report && strncmp(p, " is located ", 12))
		p--;
	if (sscanf(p, " is located %" SCNu64 " bytes %15s global variable '%79[^']'", &distance, where, name) != 3 ||
	    (strcmp(where, "after") && strcmp(where, "before")))
		return 0;
	add_distance(d, distance, *where == 'a', out);
	buf_addf(out, "%s (", name);
	add_bytes(out, strtoull(size + 9, NULL, 10));
	buf_addc(out, ')');
	return 1;
}

/* "x.c:88:5: runtime error: index 300 out of bounds for type 'unsigned char[256]'" */
static int index_words(const struct describe_from *d, struct buf *out)
{
	static const char error[] = ": runtime error: index ", bounds[] = " out of bounds for type '";
	const char *p = strstr(d->report, error), *name = NULL;
	const char *of = p ? strstr(p, bounds) : NULL, *type = of ? of + sizeof bounds - 1 : NULL;
	size_t size = type ? strcspn(type, "'\n") : 0, dims = 0, column = 0;
	struct buf line = {0};
	if (!type || type[size] != '\'')
		return 0;
	while (dims < size && type[dims] != '[')
		dims++;
	for (const char *q = p; q > d->report && isdigit((unsigned char)q[-1]); q--)
		column = (size_t)strtoul(q - 1, NULL, 10);
	size_t n = describe_line(d->file, d->line, &line) ? array_name(buf_str(&line), column, &name) : 0;
	p += sizeof error - 1;
	buf_addf(out, "index %.*s of ", (int)(of - p), p);
	if (n && dims < size)
		buf_addf(out, "%.*s%.*s", (int)n, name, (int)(size - dims), type + dims);
	else
		buf_addf(out, "an array %.*s", (int)size, type);
	buf_release(&line);
	return 1;
}

/* "implicit conversion from type 'unsigned char' of value 255 (8-bit, unsigned) to type 'signed char' changed the value to -1 (8-bit, signed)" */
static int conversion_words(const struct describe_from *d, struct buf *out)
{
	const char *p = strstr(d->report, "implicit conversion from type '");
	char from[80], value[48], to[80], result[48];
	if (!p || sscanf(p, "implicit conversion from type '%79[^']' of value %47s (%*[^)]) to type '%79[^']' changed the value to %47s", from,
			 value, to, result) != 4)
		return 0;
	buf_addf(out, "%s of type %s becomes %s of type %s", value, from, result, to);
	return 1;
}

static int free_words(const struct describe_from *d, struct buf *out)
{
	const char *p = strstr(d->report, "-byte region");
	while (p && p > d->report && isdigit((unsigned char)p[-1]))
		p--;
	if (!p || !isdigit((unsigned char)*p))
		return 0;
	buf_adds(out, "a block of ");
	add_bytes(out, strtoull(p, NULL, 10));
	buf_adds(out, " is freed again");
	add_stack(d->report, "freed by thread", "first", out);
	return 1;
}

int describe(const struct describe_from *d, struct buf *out)
{
	static const struct {
		const char *kind;
		int (*words)(const struct describe_from *d, struct buf *out);
	} rows[] = {
	    {"heap-buffer-overflow", heap_words},	 {"heap-use-after-free", heap_words},
	    {"stack-buffer-overflow", stack_words},	 {"stack-buffer-underflow", stack_words},
	    {"stack-use-after-scope", stack_words},	 {"global-buffer-overflow", global_words},
	    {"out-of-bounds-index", index_words},	 {"double-free", free_words},
	    {"implicit-", conversion_words},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strncmp(rows[i].kind, d->kind, strlen(rows[i].kind))) {
			size_t before = out->size;
			if (rows[i].words(d, out))
				return 1;
			out->size = before;
			return 0;
		}
	return 0;
}
