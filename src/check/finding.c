/* finding.c: findings are moved between a run, the list of what it showed and the bugs that are kept, so each has its strings in an arena of its
 * own: who has the finding has all of it. */
#include "check/finding.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void finding_release(struct finding *f)
{
	for (size_t i = 0; i < f->more_count; i++)
		finding_release(&f->more[i]);
	free(f->more);
	arena_release(&f->strings);
	*f = FINDING_NONE;
}

const char *finding_keep(struct finding *f, struct buf *text)
{
	const char *kept = arena_strndup(&f->strings, buf_str(text), text->size);

	buf_release(text);
	return kept;
}

const char *finding_text(struct finding *f, const char *format, ...)
{
	struct buf text = {0};
	va_list ap;

	va_start(ap, format);
	buf_addv(&text, format, ap);
	va_end(ap);
	return finding_keep(f, &text);
}

const struct finding *finding_with(const struct finding *f, uint64_t bucket)
{
	if (f->bug.confirmed && f->bug.bucket == bucket)
		return f;
	for (size_t i = 0; i < f->more_count; i++)
		if (f->more[i].bug.bucket == bucket)
			return &f->more[i];
	return NULL;
}

int finding_hides(const struct finding *f, uint64_t place)
{
	for (unsigned i = 0; i < f->suppressed && i < FINDING_HIDDEN; i++)
		if (f->hidden[i] == place)
			return 1;
	return 0;
}

int finding_is_limit(const struct finding *f)
{
	static const char *const kinds[] = {FINDING_FILE_LIMIT, FINDING_SPACE_LIMIT, FINDING_WAITING};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!f->bug.confirmed && !strcmp(f->bug.kind, kinds[i]))
			return 1;
	return 0;
}

void finding_choose(struct finding *f, const struct finding *which)
{
	struct finding one = *which;

	one.suppressed = f->suppressed;
	memcpy(one.hidden, f->hidden, sizeof one.hidden);
	if (which == f) {
		one.more = NULL, one.more_count = 0;
		f->strings = (struct arena){0};
	} else {
		f->more[which - f->more] = FINDING_NONE;
	}
	finding_release(f);
	*f = one;
}
