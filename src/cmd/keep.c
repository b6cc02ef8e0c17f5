/* keep.c: what a comparison came to, into the store. Sources are kept with it: files and revisions may be others when the report is made. */
#include "cmd/keep.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "build/home.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SOURCE_LARGEST (1u << 20) /* bytes of a source that is kept with a comparison | the store stays small */
#define SOURCES_MOST 64		  /* files of a comparison whose sources are kept | a change has few; the store stays small */

/* The project's directory; one that is made here is none of git's concern, since a comparison is not to show in a work tree. */
static int make_home(void)
{
	int there = file_exists(home_project());
	int e = file_mkdirs(home_project());
	if (!e && !there) {
		char *ignore = file_join(home_project(), ".gitignore");
		e = file_write_atomic(ignore, "*\n", 2);
		free(ignore);
	}
	return e;
}

void keep_value(const char *store, const char *name, const struct buf *bytes)
{
	char *path = store ? mem_strdup(store) : file_join(home_project(), "store.db");
	struct store *s;
	int e = (!store && make_home()) || store_open(&s, path, STORE_CREATE);

	if (!e) {
		e = store_begin(s) || store_value_set(s, 0, name, bytes->data, bytes->size);
		if (e)
			store_rollback(s);
		else
			e = store_commit(s);
		store_close(s);
	}
	if (e)
		log_warn("the result is not kept for 'muster report': %s", error_text());
	free(path);
}

void keep_compared(const char *store, struct compared *c)
{
	struct buf bytes = {0};

	c->time = time(NULL);
	compared_write(c, &bytes);
	keep_value(store, !strcmp(c->command, "diff") ? COMPARED_DIFF : COMPARED_VALIDATE, &bytes);
	buf_release(&bytes);
}

static int is_file(const struct version *v)
{
	return v->path && file_is_c(v->path);
}

/* The file as a version has it; allocated, NULL if it cannot be known. */
static char *source_path(const struct version *v, const char *file)
{
	if (is_file(v))
		return mem_strdup(v->path);
	if (v->stored)
		return NULL;
	return *file != '/' && v->revision.tree ? file_join(v->revision.tree, file) : NULL;
}

static char *read_source(const struct version *v, const char *file)
{
	char *path = source_path(v, file);
	struct buf text = {0};
	int e = !path || !file_is_regular(path) || file_read_limited(path, SOURCE_LARGEST, &text) || memchr(text.data ? text.data : "", 0, text.size);

	free(path);
	if (!e)
		return buf_take(&text);
	buf_release(&text);
	return NULL;
}

void keep_source(struct compared *c, const struct version *old, const struct version *new, const char *file)
{
	for (size_t i = 0; i < c->sources.size; i++)
		if (!strcmp(c->sources.data[i].path, file))
			return;
	if (c->sources.size >= SOURCES_MOST)
		return;
	for (int i = 0; i < 2; i++) { /* a version that is one file has no text of its headers */
		const struct version *v = i ? new : old;
		if (is_file(v) && strcmp(file_base(file), file_base(old->path ? old->path : "")) && strcmp(file_base(file), file_base(v->path)))
			return;
	}
	char *a = read_source(old, file), *b = read_source(new, file);
	if (a && b)
		vec_push(&c->sources, (struct compared_source){compared_text(c, file), compared_text(c, a), compared_text(c, b)});
	free(a);
	free(b);
}
