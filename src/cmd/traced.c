/* traced.c: runs an input traced and reads which checks it breaks.
 *
 * The trace is that of the input that is told, as small as it was made, so the condition is true of it. The place of a finding comes from
 * the sanitizer's stack, that of a check from the site table: where they are the same line of the same file, they are taken
 * for the same thing.
 */
#include "cmd/traced.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONDITION_WIDTH 60 /* characters of a condition that is told */

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
static uint32_t column_of(struct finding *x)
{
	char *place = mem_printf("%s:%u:", file_base(x->file), x->line);
	const char *text = buf_str(&x->report), *p = text;
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
	if (!d->set || !x->line)
		return 0;
	int r = run(d, data, size, &t);
	if (r)
		return r < 0 ? -1 : 0;
	broken_find(&t, d->sites, d->set, &list);
	const struct broken_check *b = broken_at(&list, x->kind, x->file, x->line, column_of(x));
	if (b && broken_condition(&t, b, data, size, d->names, CONDITION_WIDTH, &text))
		buf_addf(&x->summary, " when %s", buf_str(&text));
	buf_release(&text);
	vec_release(&list);
	trace_release(&t);
	return 0;
}

static int is_conversion(const struct finding *x)
{
	return x->failed && !strncmp(x->kind, "implicit-", 9);
}

/* Does the run have a conversion that counts at the finding's place? Where columns do not agree, any of the line will do. */
static int counts(const broken_list *list, struct finding *x)
{
	uint32_t column = column_of(x);
	int there = 0, any = 0, found = 0;
	for (size_t i = 0; i < list->size; i++) {
		const struct broken_check *b = &list->data[i];
		if (b->site.line != x->line || strcmp(file_base(b->site.file), file_base(x->file)) ||
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
		    site_find(d->sites, checks[i].unit, checks[i].index, &site) && site.line == x->line &&
		    !strcmp(file_base(site.file), file_base(x->file)))
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
	memset(x, 0, sizeof *x);
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
	snprintf(x->function, sizeof x->function, "%s", site->function);
	if (snprintf(x->file, sizeof x->file, "%s", file) >= (int)sizeof x->file)
		snprintf(x->file, sizeof x->file, "%s", file_base(file));
	x->line = site->line;
	free(file);
}

void traced_finding(const struct traced *d, const struct traced_check *c, int confirmed, const char *reason, const char *condition,
		    struct finding *x)
{
	const struct checker *row = checker_get(c->checker);
	struct site site = {0};
	finding_release(x);
	x->failed = confirmed;
	snprintf(x->kind, sizeof x->kind, "%s", row->name);
	if (site_find(d->sites, c->unit, c->index, &site))
		set_place(x, &site);
	buf_addf(&x->summary, "%s: %s", row->name, row->text);
	if (x->function[0])
		buf_addf(&x->summary, " in %s", x->function);
	if (x->file[0])
		buf_addf(&x->summary, " at %s:%u", file_base(x->file), x->line);
	if (x->line && site.column) /* as UndefinedBehaviorSanitizer would begin it */
		buf_addf(&x->report, "%s:%u:%u: %s: %s\n", x->file, x->line, site.column, row->name, row->text);
	if (*reason)
		buf_addf(&x->summary, " (%s)", reason);
	if (*condition)
		buf_addf(&x->summary, " when %s", condition);
	x->bucket = hash64(x->kind, strlen(x->kind), 0x636865636b + (uint64_t)confirmed);
	x->bucket = hash64(x->function, strlen(x->function), x->bucket);
	x->bucket = hash64(file_base(x->file), strlen(file_base(x->file)), hash_mix(x->bucket + x->line));
}
