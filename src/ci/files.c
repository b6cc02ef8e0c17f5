/* files.c: the base of a change, and the C files that it reaches: those that git says differ, and those that include a header that does.
 *
 * Headers are found by the last part of their names, without a preprocessor: a file too many is compared and found to be equal. */
#include "ci/ci.h"

#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "campaign/revision.h"

#include <stdlib.h>
#include <string.h>

static int first_of(const char *const *words, struct buf *out)
{
	int e = revision_git(words, out);

	if (e > 0)
		error_set("git: %.*s", (int)strcspn(buf_str(out), "\n"), buf_str(out));
	return e ? -1 : 0;
}

/* Where the work tree and the given revision parted: what others did since is not this change's. */
int ci_base(const char *given, char **commit)
{
	const char *dirty[] = {"status", "--porcelain", "--untracked-files=no", NULL};
	struct buf out = {0};
	int e = given ? 0 : first_of(dirty, &out);
	const char *name = given ? given : out.size ? "HEAD" : "HEAD~1";
	char *object = mem_printf("%s^{commit}", name);
	const char *verify[] = {"rev-parse", "--verify", "--quiet", "--end-of-options", object, NULL};

	if (!e && (e = revision_git(verify, &out)) > 0)
		e = error_set(given ? "'%s' is no commit that git knows: fetch it first (in CI: with the whole history, fetch-depth: 0)" : "'%s' is no commit: name the base with --base", name);
	if (!e) {
		char *id = mem_strdup(buf_str(&out));
		const char *parted[] = {"merge-base", id, "HEAD", NULL};
		e = revision_git(parted, &out);
		if (e > 0) /* a shallow clone, or another history: the revision itself */
			e = 0, *commit = mem_strdup(id);
		else if (!e)
			*commit = mem_strdup(buf_str(&out));
		free(id);
	}
	free(object);
	buf_release(&out);
	return e ? -1 : 0;
}

/* ------------------------------------------------------------ headers */

/* Calls f with the name between quotes or angles of each #include. */
static void each_include(const struct buf *text, void (*f)(void *ctx, const char *name, size_t size), void *ctx)
{
	const char *at = text->data, *end = text->data + text->size;

	for (const char *line = at; line < end; line = at) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		at = stop ? stop + 1 : end;
		const char *s = line, *last = stop ? stop : end;
		while (s < last && (*s == ' ' || *s == '\t'))
			s++;
		if (s == last || *s++ != '#')
			continue;
		while (s < last && (*s == ' ' || *s == '\t'))
			s++;
		if (last - s < 7 || memcmp(s, "include", 7))
			continue;
		for (s += 7; s < last && *s != '"' && *s != '<';)
			s++;
		const char *name = s + 1;
		while (name < last && ++s < last && *s != '"' && *s != '>')
			;
		if (s < last)
			f(ctx, name, (size_t)(s - name));
	}
}

struct includes {
	struct strmap *reached; /* last parts of names of headers that changed, or include one that did */
	int found;
};

static void look(void *ctx, const char *name, size_t size)
{
	struct includes *i = ctx;
	char *text = mem_strndup(name, size);
	uint64_t known;

	i->found |= strmap_get(i->reached, file_base(text), &known);
	free(text);
}

static int includes_reached(const char *path, struct strmap *reached)
{
	struct includes i = {.reached = reached};
	struct buf text = {0};

	if (!file_read(path, &text))
		each_include(&text, look, &i);
	buf_release(&text);
	return i.found;
}

/* ------------------------------------------------------------ files */

static int is_header(const char *path)
{
	size_t n = strlen(path);

	return (n > 2 && !strcmp(path + n - 2, ".h")) || (n > 4 && !strcmp(path + n - 4, ".inc")) || (n > 4 && !strcmp(path + n - 4, ".def"));
}

static void add_file(struct ci *c, struct arena *arena, struct strmap *seen, const char *path)
{
	uint64_t known;

	if (strmap_get(seen, path, &known) || !file_exists(path))
		return;
	strmap_set(seen, path, 1);
	vec_push(&c->files, (struct ci_file){.name = arena_strdup(arena, path)});
}

/* Paths from the top of the work tree, each with a zero behind it, as they are from the directory that we are in. */
static int from_here(struct buf *paths)
{
	const char *ask_down[] = {"rev-parse", "--show-prefix", NULL}, *ask_up[] = {"rev-parse", "--show-cdup", NULL};
	struct buf down = {0}, up = {0}, out = {0};
	int e = first_of(ask_down, &down) || first_of(ask_up, &up) ? -1 : 0;

	buf_str(&down), buf_str(&up), buf_str(paths);
	size_t n = strcspn(down.data, "\n"), m = strcspn(up.data, "\n");
	for (size_t at = 0; !e && at < paths->size; at += strlen(paths->data + at) + 1) {
		const char *path = paths->data + at;
		int below = !strncmp(path, down.data, n);
		if (!below)
			buf_add(&out, up.data, m);
		buf_add(&out, path + (below ? n : 0), strlen(path) + 1 - (below ? n : 0));
	}
	buf_release(&down);
	buf_release(&up);
	buf_release(paths);
	*paths = out;
	return e;
}

int ci_reached(const char *base, struct arena *arena, struct ci *c)
{
	/* All of the work tree, wherever in it we are: a header above may be what changed. */
	const char *differ[] = {"diff", "--name-only", "-z", base, "--", NULL};
	const char *all[] = {"ls-files", "-z", "--full-name", "--cached", "--others", "--exclude-standard", "--deduplicate", ":/", NULL};
	struct buf changed = {0}, tracked = {0};
	struct strmap headers = {0}, seen = {0};
	int e = first_of(differ, &changed) || first_of(all, &tracked) || from_here(&changed) || from_here(&tracked) ? -1 : 0, more = 0;

	buf_str(&changed), buf_str(&tracked);
	for (size_t at = 0; !e && at < changed.size; at += strlen(changed.data + at) + 1) {
		const char *path = changed.data + at;
		if (file_is_c(path))
			add_file(c, arena, &seen, path);
		else if (is_header(path))
			strmap_set(&headers, file_base(path), 1), more = 1;
	}
	while (!e && more) { /* headers that include such headers */
		more = 0;
		for (size_t at = 0; at < tracked.size; at += strlen(tracked.data + at) + 1) {
			const char *path = tracked.data + at;
			uint64_t known;
			if (is_header(path) && !strmap_get(&headers, file_base(path), &known) && includes_reached(path, &headers))
				strmap_set(&headers, file_base(path), 1), more = 1;
		}
	}
	for (size_t at = 0; !e && headers.size && at < tracked.size; at += strlen(tracked.data + at) + 1)
		if (file_is_c(tracked.data + at) && includes_reached(tracked.data + at, &headers))
			add_file(c, arena, &seen, tracked.data + at);
	strmap_release(&headers);
	strmap_release(&seen);
	buf_release(&changed);
	buf_release(&tracked);
	return e;
}
