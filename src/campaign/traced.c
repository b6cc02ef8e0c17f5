/* traced.c: runs an input traced and reads which checks it breaks.
 *
 * The trace is that of the input that is reported, as small as it was made, so the condition is true of it. The place of a finding comes from
 * the sanitizer's stack, that of a check from the site table: where they are the same line of the same file, they are taken
 * for the same thing.
 */
#include "campaign/traced.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONDITION_WIDTH 60 /* characters of a condition that is reported */

/* 0 with *t open; 1: there is no trace; -1. */
static int run(const struct traced *d, const void *data, size_t size, struct trace *t)
{
	struct launch_input in = target_input(d->argv, data, size, NULL);
	struct run_result r;
	if (launcher_run(d->launcher, &in, &r))
		return -1;
	if (r.end == RUN_FAILED || r.end == RUN_CUT || r.counts.state == MUSTER_STATE_FAILED)
		return 1;
	int killed = r.end != RUN_EXIT && (r.end != RUN_SIGNAL || r.signal == SIGKILL);
	return trace_open(t, d->shm, killed) ? 1 : 0;
}

/* The column of a place in a report, "x.c:14:9"; 0: it does not say. */
static uint32_t column_of(const struct finding *x)
{
	char *place = mem_printf("%s:%u:", file_base(x->bug.file), x->bug.line);
	const char *text = x->bug.report, *p = text;
	unsigned long column = 0;
	for (; !column && (p = strstr(p, place)); p++)
		if (p == text || strchr("/ \n(", p[-1]))
			column = strtoul(p + strlen(place), NULL, 10);
	free(place);
	return (uint32_t)column;
}

int traced_condition(const struct traced *d, const void *data, size_t size, struct finding *x)
{
	struct trace t;
	broken_list list = {0};
	struct buf text = {0};
	if (!d->set || !x->bug.line)
		return 0;
	int r = run(d, data, size, &t);
	if (r)
		return r < 0 ? -1 : 0;
	broken_find(&t, d->sites, d->set, &list);
	const struct broken_check *b = broken_at(&list, x->bug.kind, x->bug.file, x->bug.line, column_of(x));
	if (b && broken_condition(&t, b, data, size, d->names, CONDITION_WIDTH, &text))
		x->bug.summary = finding_text(x, "%s when %s", x->bug.summary, buf_str(&text));
	buf_clear(&text);
	broken_path(&t, d->sites, data, size, d->names, &text);
	x->bug.path = finding_keep(x, &text);
	vec_release(&list);
	trace_release(&t);
	return 0;
}

int traced_path(const struct traced *d, const void *data, size_t size, struct finding *x)
{
	struct trace t;
	struct buf text = {0};
	int r = run(d, data, size, &t);
	if (r)
		return r < 0 ? -1 : 0;
	broken_path(&t, d->sites, data, size, d->names, &text);
	x->bug.path = finding_keep(x, &text);
	trace_release(&t);
	return 0;
}

static int is_conversion(const struct finding *x)
{
	return x->bug.confirmed && !strncmp(x->bug.kind, "implicit-", 9);
}

/* Does the run have a conversion that counts at the finding's place? Where columns do not agree, any of the line will do. */
static int counts(const broken_list *list, const struct finding *x)
{
	uint32_t column = column_of(x);
	int there = 0, any = 0, found = 0;
	for (size_t i = 0; i < list->size; i++) {
		const struct broken_check *b = &list->data[i];
		if (b->site.line != x->bug.line || strcmp(file_base(b->site.file), file_base(x->bug.file)) ||
		    !(checker_pair(b->checker) & CHECKER_BIT(MUSTER_CHECK_CONVERT_HIGH)))
			continue;
		there |= b->site.column == column;
		found |= b->site.column == column && b->matters;
		any |= b->matters;
	}
	return there ? found : any;
}

/* Was it predicted there? Then its result counts on the path that it was predicted for. */
static int was_predicted(const struct traced *d, const struct traced_check *checks, size_t count, const struct finding *x)
{
	for (size_t i = 0; i < count; i++) {
		struct site site;
		if (checker_pair(checks[i].checker) & CHECKER_BIT(MUSTER_CHECK_CONVERT_HIGH) &&
		    site_find(d->sites, checks[i].unit, checks[i].index, &site) && site.line == x->bug.line &&
		    !strcmp(file_base(site.file), file_base(x->bug.file)))
			return 1;
	}
	return 0;
}

int traced_filter(const struct traced *d, const void *data, size_t size, const struct traced_check *checks, size_t count, struct finding *x)
{
	struct trace t;
	broken_list list = {0};
	VEC(struct finding) kept = {0};
	int found = is_conversion(x) && !was_predicted(d, checks, count, x);
	for (size_t i = 0; i < x->more_count; i++)
		found |= is_conversion(&x->more[i]) && !was_predicted(d, checks, count, &x->more[i]);
	if (!found)
		return 0;
	int r = run(d, data, size, &t);
	if (r < 0)
		return -1;
	if (!r) {
		broken_find(&t, d->sites, d->set, &list);
		trace_release(&t);
	}
	struct finding *more = x->more;
	size_t others = x->more_count;
	x->more = NULL, x->more_count = 0;
	for (size_t i = 0; i <= others; i++) {
		struct finding *y = i ? &more[i - 1] : x;
		if (!is_conversion(y) || was_predicted(d, checks, count, y) || counts(&list, y))
			vec_push(&kept, *y);
		else
			finding_release(y);
	}
	*x = FINDING_NONE;
	if (kept.size) {
		*x = kept.data[0];
		x->more_count = kept.size - 1;
		x->more = x->more_count ? mem_alloc(x->more_count * sizeof *x) : NULL;
		if (x->more_count)
			memcpy(x->more, kept.data + 1, x->more_count * sizeof *x);
	}
	free(more);
	vec_release(&kept);
	vec_release(&list);
	return 0;
}

int traced_breaks(const struct traced *d, const void *data, size_t size, struct traced_check *c, struct buf *condition)
{
	struct trace t;
	broken_list list = {0};
	int r = run(d, data, size, &t), found = 0;
	if (r)
		return r < 0 ? -1 : 0;
	broken_find(&t, d->sites, d->set, &list);
	for (size_t i = 0; i < list.size && !found; i++) {
		const struct broken_check *b = &list.data[i];
		if (!c->checker)
			*c = (struct traced_check){b->checker, b->site.unit, b->site.index};
		found = b->site.unit == c->unit && b->site.index == c->index && checker_pair(b->checker) & CHECKER_BIT(c->checker);
		if (found && condition)
			broken_condition(&t, b, data, size, d->names, CONDITION_WIDTH, condition);
	}
	vec_release(&list);
	trace_release(&t);
	return found;
}

static void set_place(struct finding *x, const struct site *site)
{
	char *file = *site->file == '/' || !*site->directory ? mem_strdup(site->file) : file_join(site->directory, site->file);
	x->bug.function = finding_text(x, "%s", site->function);
	x->bug.file = finding_text(x, "%s", file);
	x->bug.line = site->line;
	free(file);
}

void traced_finding(const struct traced *d, const struct traced_check *c, int confirmed, const char *reason, const char *condition,
		    struct finding *x)
{
	const struct checker *row = checker_get(c->checker);
	struct site site = {0};
	struct buf words = {0};
	struct result_bug *b = &x->bug;
	finding_release(x);
	b->confirmed = confirmed;
	b->kind = row->name;
	if (site_find(d->sites, c->unit, c->index, &site))
		set_place(x, &site);
	buf_addf(&words, "%s: %s", row->name, row->text);
	if (b->function[0])
		buf_addf(&words, " in %s", b->function);
	if (b->file[0])
		buf_addf(&words, " at %s:%u", file_base(b->file), b->line);
	if (*reason)
		buf_addf(&words, " (%s)", reason);
	if (*condition)
		buf_addf(&words, " when %s", condition);
	b->summary = finding_keep(x, &words);
	if (b->line && site.column) /* as UndefinedBehaviorSanitizer would begin it */
		b->report = finding_text(x, "%s:%u:%u: %s: %s\n", b->file, b->line, site.column, row->name, row->text);
	b->bucket = hash64(b->kind, strlen(b->kind), 0x636865636b + (uint64_t)confirmed);
	b->bucket = hash64(b->function, strlen(b->function), b->bucket);
	b->bucket = hash64(file_base(b->file), strlen(file_base(b->file)), hash_mix(b->bucket + b->line));
}
