/* suppress.c: which findings are suppressed, and how many were.
 *
 * The count is of distinct findings, in memory that all workers share: a word of a table for each, set once. A table that is full counts no
 * further, which understates it: it never hides that something was suppressed.
 */
#include "check/suppress.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define COUNTED 4096	     /* distinct findings */
#define FILE_LIMIT (1u << 20) /* of a file of suppressions */

struct line {
	char *kind, *place;
};

static struct {
	checker_set off;
	VEC(struct line) lines;
	uint64_t *seen; /* COUNTED keys, 0: free */
} state;

static int share(void)
{
	if (state.seen)
		return 0;
	void *p = mmap(NULL, COUNTED * sizeof *state.seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return error_errno("cannot map memory");
	state.seen = p;
	return 0;
}

void suppress_checkers(checker_set off)
{
	state.off = off;
	if (off)
		share();
}

void suppress_clear(void)
{
	for (size_t i = 0; i < state.lines.size; i++) {
		free(state.lines.data[i].kind);
		free(state.lines.data[i].place);
	}
	vec_release(&state.lines);
	state.off = 0;
	if (state.seen)
		memset(state.seen, 0, COUNTED * sizeof *state.seen);
}

/* ------------------------------------------------------------------- files */

static char *without_blanks(char *p)
{
	p += strspn(p, " \t\r");
	size_t n = strlen(p);
	while (n && strchr(" \t\r", p[n - 1]))
		p[--n] = 0;
	return p;
}

static int add_line(char *text, const char *path, unsigned number)
{
	text[strcspn(text, "#")] = 0;
	char *kind = without_blanks(text), *colon = strchr(kind, ':');
	if (!*kind)
		return 0;
	if (!colon || colon == kind || !without_blanks(colon + 1)[0])
		return error_set("%s:%u: a suppression is KIND:PLACE, for example null-pointer-use:list.c:44 or shift:*", path, number);
	*colon = 0;
	struct line l = {mem_strdup(without_blanks(kind)), mem_strdup(without_blanks(colon + 1))};
	vec_push(&state.lines, l);
	return 0;
}

int suppress_file(const char *path)
{
	struct buf text = {0};
	unsigned number = 0;
	int e = file_read_limited(path, FILE_LIMIT, &text) || share();
	for (char *p = e ? NULL : buf_str(&text), *next; p && !e; p = next) {
		next = strchr(p, '\n');
		if (next)
			*next++ = 0;
		e = add_line(p, path, ++number);
	}
	buf_release(&text);
	return e ? -1 : 0;
}

/* ----------------------------------------------------------------- finding */

/* The whole path, or the end of it. */
static int is_file(const char *pattern, const char *file)
{
	for (const char *p = file; *p; p = strchr(p, '/') ? strchr(p, '/') + 1 : p + strlen(p))
		if (!fnmatch(pattern, p, 0))
			return 1;
	return 0;
}

static int is_place(const char *pattern, const char *function, const char *file, uint32_t line)
{
	char *at = mem_printf("%s:%u", file, line);
	int found = !strcmp(pattern, "*") || (*function && !fnmatch(pattern, function, 0)) || is_file(pattern, file) || (*file && is_file(pattern, at));
	free(at);
	return found;
}

static int matches(const char *kind, const char *checker, const char *function, const char *file, uint32_t line)
{
	for (size_t i = 0; i < state.lines.size; i++) {
		const struct line *l = &state.lines.data[i];
		if ((!fnmatch(l->kind, kind, 0) || (checker && !fnmatch(l->kind, checker, 0))) && is_place(l->place, function, file, line))
			return 1;
	}
	return 0;
}

static void count(uint64_t key)
{
	key += !key;
	for (size_t i = 0; i < COUNTED; i++) {
		uint64_t free_word = 0, *word = &state.seen[(key + i) % COUNTED];
		if (__atomic_load_n(word, __ATOMIC_RELAXED) == key || __atomic_compare_exchange_n(word, &free_word, key, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
		    free_word == key)
			return;
	}
}

int suppress_find(const char *kind, const char *words, const char *function, const char *file, uint32_t line, uint64_t key)
{
	if (!state.seen)
		return 0;
	enum muster_checker c = checker_of_finding(kind, words);
	int found = (c && state.off & CHECKER_BIT(c)) || matches(kind, c ? checker_get(c)->name : NULL, function, file, line);
	if (found)
		count(key);
	return found;
}

uint64_t suppress_count(void)
{
	uint64_t n = 0;
	for (size_t i = 0; state.seen && i < COUNTED; i++)
		n += state.seen[i] != 0;
	return n;
}
