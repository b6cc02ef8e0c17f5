/* bug.c: bugs in the words that all commands share.
 *
 * The store keeps kind, place and the one-line summary of a bug; everything here is derived from them.
 */
#include "report/bug.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "check/describe.h"
#include "ir/checker.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TEXT_WIDTH 64 /* characters of an input that is text */
#define HEX_WIDTH 24  /* bytes of another one */

const char *bug_description(const char *kind, const char *summary)
{
	size_t n = strlen(kind);
	return n && !strncmp(summary, kind, n) && !strncmp(summary + n, ": ", 2) ? summary + n + 2 : summary;
}

/* ------------------------------------------------------------------ checker */

const char *bug_checker(const char *kind, const char *summary)
{
	for (unsigned i = 1; i < MUSTER_CHECK_COUNT; i++)
		if (!strcmp(checker_get(i)->name, kind))
			return kind;
	enum muster_checker c = checker_of_finding(kind, bug_description(kind, summary));
	return c ? checker_get(c)->name : NULL;
}

/* -------------------------------------------------------------------- input */

static int is_text(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((p[i] < ' ' && p[i] != '\n' && p[i] != '\t' && p[i] != '\r') || p[i] >= 127)
			return 0;
	return 1;
}

void bug_input(const void *data, size_t size, struct buf *out)
{
	const unsigned char *p = data;
	int text = is_text(p, size < TEXT_WIDTH ? size : TEXT_WIDTH);
	size_t shown = text ? TEXT_WIDTH : HEX_WIDTH, n = size < shown ? size : shown;
	if (text) {
		buf_addc(out, '"');
		for (size_t i = 0; i < n; i++) {
			static const char plain[] = "\n\t\r\"\\", letter[] = "ntr\"\\";
			const char *at = memchr(plain, p[i], sizeof plain - 1);
			if (at)
				buf_addc(out, '\\');
			buf_addc(out, at ? letter[at - plain] : (char)p[i]);
		}
		buf_addc(out, '"');
	} else {
		for (size_t i = 0; i < n; i++)
			buf_addf(out, "%02x ", p[i]);
		buf_addc(out, '|');
		for (size_t i = 0; i < n; i++)
			buf_addc(out, p[i] >= ' ' && p[i] < 127 ? (char)p[i] : '.');
		buf_addc(out, '|');
	}
	if (n < size)
		buf_adds(out, " ...");
}

void bug_source(const char *file, uint32_t line, const char *program, const char *before, struct buf *out)
{
	struct stat source, built;
	if (!*file || !line || stat(file, &source))
		return;
	if (program && !stat(program, &built) && source.st_mtim.tv_sec > built.st_mtim.tv_sec)
		return; /* the line may be another one by now */
	describe_source(file, line, 1, before, out);
}

/* ------------------------------------------------------------------- walking */

struct walk {
	struct map places; /* of confirmed bugs, with the checker */
	struct map owed;   /* buckets of contracts */
	struct bug_counts *n;
	int confirmed, r;
	int (*f)(void *ctx, const struct result_bug *b);
	void *ctx;
};

static uint64_t place(const struct result_bug *b)
{
	const char *checker = bug_checker(b->kind, b->summary), *file = file_base(b->file);
	return hash64(checker ? checker : "", checker ? strlen(checker) : 0, hash64(file, strlen(file), b->line));
}

static int note(void *ctx, const struct result_bug *b)
{
	struct walk *w = ctx;
	if (map_get(&w->owed, b->bucket, NULL))
		w->n->owed++;
	else if (b->confirmed)
		map_set(&w->places, place(b), 1);
	return 0;
}

static int visit(void *ctx, const struct result_bug *b)
{
	struct walk *w = ctx;
	if (!!b->confirmed != w->confirmed || map_get(&w->owed, b->bucket, NULL) || (!b->confirmed && b->line && map_get(&w->places, place(b), NULL)))
		return 0;
	*(b->confirmed ? &w->n->confirmed : &w->n->suspected) += 1;
	w->r = w->f ? w->f(w->ctx, b) : 0;
	return w->r;
}

static int read_owed(struct walk *w, struct store *s, uint64_t campaign)
{
	struct buf lines = {0};
	int r = store_value_get(s, campaign, BUG_OWED, &lines);
	char *at = buf_str(&lines), *end;
	for (; r > 0 && *at; at = end + (*end == '\n')) {
		uint64_t bucket = strtoull(at, &end, 16);
		if (end == at)
			break;
		map_set(&w->owed, bucket, 1);
	}
	buf_release(&lines);
	return r < 0 ? -1 : 0;
}

int bug_each(struct store *s, uint64_t campaign, struct bug_counts *n, int (*f)(void *ctx, const struct result_bug *b), void *ctx)
{
	struct walk w = {.n = n, .confirmed = 1, .f = f, .ctx = ctx};
	*n = (struct bug_counts){0};
	int r = read_owed(&w, s, campaign) || store_bug_each(s, campaign, note, &w) || store_bug_each(s, campaign, visit, &w);
	w.confirmed = 0;
	if (!r && !w.r)
		r = store_bug_each(s, campaign, visit, &w);
	map_release(&w.places);
	map_release(&w.owed);
	return r ? -1 : 0;
}
