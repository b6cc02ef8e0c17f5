/* check.c: every test in the san variant, and from what fails there to bugs that are reported.
 *
 * Tests of many functions go in one batch. A test may show several findings, since its run goes on after most of them; each is
 * looked at by itself, and is known by kind and place: the first of its kind is made small, confirmed in a fresh process (confirm.h) and reported; others only count. A place
 * that was reached from another function before is the same bug, and the function is named as a
 * further way to it; if that function is the program's own start, its input is the one that is
 * reported, since it is not known that a caller would not allow it.
 */
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "unit/carry.h"
#include "unit/reuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define TIMED_PART 64 /* tests of one batch, where --time limits them */
#define HANGS 1	      /* tests of a function that hang and are looked at */
#define FAILURES 200  /* failures of a function in new places that are looked at */

void test_bug_release(struct test_bug *b)
{
	finding_release(&b->finding);
	buf_release(&b->data);
	vec_release(&b->also);
	vec_release(&b->blamed);
}

/* ------------------------------------------------------------------- scope */

int test_is_program_level(const struct test_bug *b)
{
	return !strcmp(b->finding.bug.level, RESULT_PROGRAM);
}

/* Is this input one that the program itself could start with? Its main without parameters, all
 * globals as they were. */
static int is_program_level(const struct test_session *s, const struct test_function *f,
			    const struct buf *data)
{
	const struct drive_function *call = &s->driven.harness->calls.data[f->harness->number];
	if (s->o->entry)
		return 1;
	if (strcmp(f->name, "main") || call->parameters || f->harness->stub_count)
		return 0;
	for (uint32_t i = 0; i < call->globals; i++) {
		const struct drive_root *root =
		    &s->driven.harness->roots.data[call->first_root + call->parameters + i];
		uint32_t size = s->driven.harness->types.data[root->type].size;
		for (uint32_t k = root->at; k < root->at + size && k < data->size; k++)
			if (data->data[k])
				return 0;
	}
	return 1;
}

static void add_hint(const struct test_session *s, const struct test_function *f,
		     struct test_bug *b)
{
	if (!strstr(b->finding.bug.kind, "overflow") && strcmp(b->finding.bug.kind, "SEGV") &&
	    !strstr(b->finding.bug.kind, "bounds") && !strstr(b->finding.bug.kind, "object-size"))
		return;
	struct buf words = {0};
	front_pairs(s->driven.front, f->harness->front, &words);
	if (words.size)
		b->finding.bug.hint = finding_text(&b->finding, "--requires \"%s: %s\"", f->name, buf_str(&words));
	buf_release(&words);
}

/* -------------------------------------------------------------------- bugs */

static int same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* The bug at this place, or NULL. Without a place (a hang, a used-up stack) it is one of the
 * function it was found in. */
static struct test_bug *find_place(struct test_session *s, uint32_t function,
				   const struct result_bug *item)
{
	for (size_t i = 0; i < s->bugs.size; i++) {
		struct test_bug *b = &s->bugs.data[i];
		if (strcmp(b->seen.kind, item->kind) || b->seen.line != item->line ||
		    !same_text(b->seen.function, item->function) ||
		    !same_text(b->seen.file, item->file))
			continue;
		if (item->function || b->function == function)
			return b;
	}
	return NULL;
}

#define FUNCTION_PART 150 /* of an id, which is a file's name; the rest and a temporary file's name fit into 255 bytes */

/* The name of its file. */
static const char *make_name(const struct test_session *s, const struct test_function *f, struct finding *x)
{
	struct buf b = {0};
	buf_addf(&b, "%.*s-%s", FUNCTION_PART, f->name, x->bug.kind[0] ? x->bug.kind : "crash");
	if (x->bug.line)
		buf_addf(&b, "-%u", x->bug.line);
	for (size_t i = 0; i < b.size; i++)
		if (b.data[i] == ' ' || b.data[i] == '/')
			b.data[i] = '-';
	size_t plain = b.size;
	for (unsigned n = 2, again = 1; again; n++) {
		again = 0;
		for (size_t i = 0; i < s->bugs.size && !again; i++)
			again = !strcmp(s->bugs.data[i].finding.bug.name, buf_str(&b));
		if (again) {
			b.size = plain;
			buf_addf(&b, "-%u", n);
		}
	}
	return finding_keep(x, &b);
}

/* What the search's run showed and the san variant did not. */
static void suspect(struct finding *x, const struct test_case *t)
{
	x->bug.kind = t->flags & TEST_HANG ? "timeout" : "crash";
	x->bug.bucket = hash64(t->data, t->size, 0x5u);
	x->bug.summary = t->flags & TEST_HANG ? "a call took longer than its limit; in the san variant it did not"
					      : "a call was ended by a signal; in the san variant it was not";
}

/* One run of the bug's input. Of what is found there, the one that the batch saw: 1, or 0 if it is not among it. Where the batch does not say what
 * it was (a hang), all of it. */
static int confirm_once(struct test_session *s, struct test_bug *b, uint64_t place)
{
	double start = test_clock();
	s->costs.checks++;
	confirm_settled(s->check.confirm, test_reuse_kind(s, b->function, b->data.data, b->data.size));
	int r = confirm_run(s->check.confirm, b->data.data, b->data.size, &b->finding);
	s->costs.confirm_seconds += test_clock() - start;
	if (!r && b->finding.cut)
		return 0;
	if (r || test_filter(s, b->function, b->data.data, b->data.size, &b->finding))
		return -1;
	if (!b->finding.bug.confirmed && test_late(s)) { /* a traced run may have been missing */
		b->finding.cut = 1;
		return 0;
	}
	if (finding_hides(&b->finding, place) || (!b->finding.bug.confirmed && b->finding.suppressed)) {
		finding_release(&b->finding);
		b->finding.suppressed = 1;
		return 1;
	}
	const struct finding *f = &b->finding, *which = place && f->bug.confirmed && f->bug.place != place ? NULL : f;
	for (size_t i = 0; i < f->more_count && !which; i++)
		which = f->more[i].bug.place == place ? &f->more[i] : NULL;
	int shown = which && which->bug.confirmed;
	if (place || which != f)
		finding_choose(&b->finding, which ? which : f);
	return shown;
}

/* place: as the batch has it; 0: none. */
static int confirm(struct test_session *s, const struct test_case *t, struct test_bug *b, uint64_t place)
{
	int shown = confirm_once(s, b, place);
	if (shown || b->finding.cut || (b->data.size == t->size && !memcmp(b->data.data, t->data, t->size)))
		return shown < 0 ? -1 : 0;
	finding_release(&b->finding); /* the small one does not: then as it was found */
	buf_clear(&b->data);
	buf_add(&b->data, t->data, t->size);
	return confirm_once(s, b, place) < 0 ? -1 : 0;
}

/* Two findings at one place. Where the stack was used up is chance: there the functions that recur
 * say what is one bug, and the bucket is made of them. */
static int same_place(const struct finding *a, const struct finding *b)
{
	if (!strcmp(a->bug.kind, "stack-overflow") && a->bug.function[0] && b->bug.function[0])
		return a->bug.bucket == b->bug.bucket;
	return a->bug.line == b->bug.line && !strcmp(a->bug.file, b->bug.file) &&
	       !strcmp(a->bug.function, b->bug.function);
}

/* Confirmed bugs at one place are one, also where the batch kept them apart. */
static struct test_bug *find_finding(struct test_session *s, uint32_t function,
				     const struct finding *x)
{
	for (size_t i = 0; i < s->bugs.size; i++) {
		struct test_bug *b = &s->bugs.data[i];
		if (x->bug.confirmed == b->finding.bug.confirmed && !strcmp(x->bug.kind, b->finding.bug.kind) &&
		    same_place(x, &b->finding) && (x->bug.function[0] || b->function == function))
			return b;
	}
	return NULL;
}

/* The store has one bug for each bucket: what is reported as a bug of its own gets one that no other has. */
static void own_bucket(const struct test_session *s, const struct test_function *f,
		       struct finding *x)
{
	if (!x->bug.function[0]) /* a hang, say: one for each function */
		x->bug.bucket = hash64(f->name, strlen(f->name), x->bug.bucket);
	for (size_t i = 0; i < s->bugs.size; i++) {
		if (s->bugs.data[i].finding.bug.bucket != x->bug.bucket)
			continue;
		x->bug.bucket = hash64(f->name, strlen(f->name), x->bug.bucket + x->bug.line);
		i = (size_t)-1; /* once more, with all of them */
	}
}

void test_count_bug(struct test_session *s, uint32_t function, struct test_case *t, struct test_bug *b, uint32_t order)
{
	struct test_function *f = &s->functions.data[function];
	uint32_t number = (uint32_t)(b - s->bugs.data);
	if (t) {
		t->bug = number + 1;
		vec_push(&f->shown, (struct test_shown){(uint32_t)(t - f->tests.data), b->serial, order});
	}
	b->finding.bug.count++;
	for (size_t i = 0; i < b->also.size; i++)
		if (b->also.data[i] == function)
			return;
	if (b->function == function && b->finding.bug.count > 1)
		return;
	if (b->function != function)
		vec_push(&b->also, function);
	if (b->finding.bug.confirmed)
		f->bugs++;
	else
		f->suspected++;
}

/* The same place from the program's own start: that input is the one to tell. */
static void raise_level(struct test_session *s, uint32_t function, const struct test_case *t,
			struct test_bug *b)
{
	struct test_function *f = &s->functions.data[function];
	struct test_bug own = {.function = function, .finding = FINDING_NONE};
	if (test_is_program_level(b) || strcmp(f->name, "main") || !b->finding.bug.confirmed)
		return;
	buf_add(&own.data, t->data, t->size);
	if (!is_program_level(s, f, &own.data) || confirm(s, t, &own, b->finding.bug.place)) {
		test_bug_release(&own);
		return;
	}
	if (own.finding.bug.confirmed) {
		struct buf data = b->data;
		b->data = own.data;
		own.data = data;
		b->finding.bug.level = RESULT_PROGRAM;
		vec_push(&b->also, b->function);
		b->function = function;
	}
	test_bug_release(&own);
}

int test_blame(struct test_session *s, struct test_bug *b, uint32_t function, size_t test)
{
	struct test_function *f = &s->functions.data[function];
	struct test_case *t = &f->tests.data[test];
	struct test_bug own = {.function = function, .finding = FINDING_NONE};
	buf_add(&own.data, t->data, t->size);
	harness_canonical(s->driven.harness, f->harness->number, &own.data);
	if (confirm(s, t, &own, b->finding.bug.place)) {
		test_bug_release(&own);
		return -1;
	}
	if (own.finding.bug.confirmed && !strcmp(own.finding.bug.kind, b->finding.bug.kind) && same_place(&own.finding, &b->finding)) {
		struct buf data = b->data;
		b->data = own.data;
		own.data = data;
		b->finding.bug.summary = finding_text(&b->finding, "%s", own.finding.bug.summary);
		b->finding.bug.report = finding_text(&b->finding, "%s", own.finding.bug.report);
		size_t i = 0;
		while (i < b->also.size && b->also.data[i] != function)
			i++;
		if (i < b->also.size)
			b->also.data[i] = b->function;
		else if (function != b->function)
			vec_push(&b->also, b->function);
		b->function = function;
		b->finding.bug.name = ""; /* it may have the same again */
		b->finding.bug.name = make_name(s, f, &b->finding);
		if (test_path(s, function, &b->data, &b->finding)) {
			test_bug_release(&own);
			return -1;
		}
	}
	test_bug_release(&own);
	return 0;
}

/* A test: of a function, its number there. */
struct pick {
	uint32_t function;
	size_t test;
	uint32_t order; /* of the finding in its run */
};

/* A new failure, and the tests that showed it too. */
struct fresh {
	uint32_t function;
	size_t test;
	uint32_t order; /* of the finding in its run */
	struct result_bug item;
	int ran, timed; /* of the batch */
	struct test_shrink_job job;
	VEC(struct pick) others;
};
typedef VEC(struct fresh) fresh_list;

static struct test_case *case_of(struct test_session *s, uint32_t function, size_t test)
{
	return &s->functions.data[function].tests.data[test];
}

/* The new failure that this one is another instance of, or NULL. */
static struct fresh *find_fresh(fresh_list *list, uint32_t function, const struct result_bug *item)
{
	for (size_t i = 0; i < list->size; i++) {
		const struct result_bug *x = &list->data[i].item;
		if (list->data[i].function == function && item->bucket && x->bucket == item->bucket)
			return &list->data[i];
		if (item->function && x->function && x->line == item->line &&
		    !strcmp(x->kind, item->kind) && !strcmp(x->function, item->function) &&
		    same_text(x->file, item->file))
			return &list->data[i];
	}
	return NULL;
}

/* Another instance of something that is known: 1. */
static int is_known(struct test_session *s, fresh_list *list, uint32_t function, size_t test,
		    const struct result_bug *item, uint32_t order)
{
	struct test_function *f = &s->functions.data[function];
	struct test_case *t = case_of(s, function, test);
	uint64_t known;
	if (item->place && map_get(&s->check.hidden, item->place, NULL)) {
		f->suppressed++;
		t->hidden = 1;
		return 1;
	}
	if (item->bucket && map_get(&f->buckets, item->bucket, &known)) {
		test_count_bug(s, function, t, &s->bugs.data[known], order);
		return 1;
	}
	struct test_bug *b = item->kind[0] ? find_place(s, function, item) : NULL;
	if (b) {
		test_count_bug(s, function, t, b, order);
		raise_level(s, function, t, b);
		if (item->bucket)
			map_set(&f->buckets, item->bucket, (uint64_t)(b - s->bugs.data));
		return 1;
	}
	struct fresh *same = find_fresh(list, function, item);
	if (same)
		vec_push(&same->others, (struct pick){function, test, order});
	return same != NULL;
}

static void add_fresh(struct test_session *s, fresh_list *list, uint32_t function, size_t test,
		      const struct batch_item *from, const struct result_bug *item, uint32_t order)
{
	const struct test_case *t = case_of(s, function, test);
	struct fresh x = {.function = function, .test = test, .order = order, .item = *item, .ran = from->ran, .timed = from->timed};
	x.job = (struct test_shrink_job){.number = s->functions.data[function].harness->number,
					 .bucket = item->bucket};
	buf_add(&x.job.data, t->data, t->size);
	vec_push(list, x);
}

/* Is there something to be made small, and a place by which it is known? */
static int may_shrink(struct test_session *s, const struct fresh *x)
{
	return x->item.bucket && !x->timed && !test_reuse_is_small(s, case_of(s, x->function, x->test));
}

static int shrink(struct test_session *s, fresh_list *list)
{
	struct test_shrink_job *jobs = mem_zalloc((list->size + 1) * sizeof *jobs);
	size_t n = 0;
	int quick = deadline_over();
	for (size_t i = 0; i < list->size; i++)
		if (may_shrink(s, &list->data[i]))
			jobs[n++] = list->data[i].job;
	double start = test_clock();
	int r = test_shrink(s, jobs, n, quick);
	s->costs.shrink_seconds += test_clock() - start;
	n = 0;
	for (size_t i = 0; i < list->size; i++)
		if (may_shrink(s, &list->data[i]))
			list->data[i].job = jobs[n++];
	free(jobs);
	return r;
}

static void add_bug(struct test_session *s, const struct fresh *x, struct test_bug *b)
{
	struct test_function *f = &s->functions.data[x->function];
	const struct result_bug *item = &x->item;
	b->finding.bug.name = make_name(s, f, &b->finding);
	b->seen.kind = finding_text(&b->finding, "%s", item->kind);
	b->seen.function = item->function ? finding_text(&b->finding, "%s", item->function) : NULL;
	b->seen.file = item->file ? finding_text(&b->finding, "%s", item->file) : NULL;
	b->seen.line = item->line;
	b->finding.bug.level = is_program_level(s, f, &b->data) ? RESULT_PROGRAM : RESULT_FUNCTION;
	add_hint(s, f, b);
	b->seen.bucket = item->bucket;
	b->bucket = b->finding.bug.bucket;
	carry_key(s, b);
	own_bucket(s, f, &b->finding);
	b->serial = (uint32_t)s->bugs.size;
	vec_push(&s->bugs, *b);
	if (s->o->verbose && !s->o->quiet)
		log_warn("%s: %s", f->name, vec_last(&s->bugs).finding.bug.summary);
}

void test_found(struct test_session *s, uint32_t function, struct test_case *t, struct buf *data, struct finding *x)
{
	struct test_bug b = {.function = function, .finding = FINDING_NONE, .first = function, .test = t ? (uint64_t)(t - s->functions.data[function].tests.data) + 1 : 0};
	struct fresh from = {.function = function, .item = x->bug};
	struct test_bug *known = find_finding(s, function, x);
	if (!known) {
		b.finding = *x;
		b.data = *data;
		*x = FINDING_NONE;
		buf_init(data);
		add_bug(s, &from, &b);
		known = &vec_last(&s->bugs);
	}
	test_count_bug(s, function, t, known, 0);
}

#define CONVERSIONS 50 /* tests that begin with the same conversion and are looked at */

/* A test that shows a conversion, which may not count. */
static int resolve_conversion(struct test_session *s, uint32_t function, struct test_case *t, uint64_t place, struct buf *small)
{
	struct test_bug b = {.function = function, .finding = FINDING_NONE};
	if (small)
		b.data = *small, buf_init(small);
	else
		buf_add(&b.data, t->data, t->size);
	int r = confirm(s, t, &b, place);
	if (!r && b.finding.cut) {
		s->functions.data[function].unchecked++;
		s->costs.late++;
		test_bug_release(&b);
		return 0;
	}
	if (!r && b.finding.suppressed)
		s->functions.data[function].suppressed++, t->hidden = 1;
	else if (!r && !b.finding.bug.confirmed) /* it does what C says */
		t->failed = 0, t->passed = 1;
	if (!r && b.finding.bug.confirmed && !find_finding(s, function, &b.finding))
		r = test_condition(s, function, &b.data, &b.finding);
	if (!r && b.finding.bug.confirmed)
		test_found(s, function, t, &b.data, &b.finding);
	test_bug_release(&b);
	return r;
}

/* Whether a conversion counts, and what comes after it, is a matter of each test. */
static int resolve_conversions(struct test_session *s, struct fresh *x)
{
	int r = resolve_conversion(s, x->function, case_of(s, x->function, x->test), x->item.place, &x->job.data);
	for (size_t i = 0; !r && i < x->others.size; i++) {
		const struct pick *p = &x->others.data[i];
		if (i < CONVERSIONS && !test_late(s))
			r = resolve_conversion(s, p->function, case_of(s, p->function, p->test), x->item.place, NULL);
		else
			s->functions.data[p->function].unchecked++;
	}
	return r;
}

/* It is not looked at any more: neither a bug nor none. */
static void leave(struct test_session *s, const struct fresh *x)
{
	s->functions.data[x->function].unchecked++;
	for (size_t i = 0; i < x->others.size; i++)
		s->functions.data[x->others.data[i].function].unchecked++;
	s->costs.late += 1 + x->others.size;
}

/* The user does not want to hear of it: no bug, but nothing is verified by its test. */
static void hide(struct test_session *s, const struct fresh *x)
{
	if (x->item.place)
		map_set(&s->check.hidden, x->item.place, 1);
	s->functions.data[x->function].suppressed++;
	case_of(s, x->function, x->test)->hidden = 1;
	for (size_t i = 0; i < x->others.size; i++) {
		s->functions.data[x->others.data[i].function].suppressed++;
		case_of(s, x->others.data[i].function, x->others.data[i].test)->hidden = 1;
	}
}

/* What the same run showed besides, and survived. */
static int resolve_more(struct test_session *s, struct fresh *x, const struct buf *input, struct finding *more, size_t count)
{
	int r = 0;
	for (size_t i = 0; i < count; i++) {
		struct buf data = BUF_EMPTY;
		buf_add(&data, input->data, input->size);
		if (!r && more[i].bug.confirmed && !find_finding(s, x->function, &more[i]))
			r = test_condition(s, x->function, &data, &more[i]);
		if (!r && more[i].bug.confirmed)
			test_found(s, x->function, case_of(s, x->function, x->test), &data, &more[i]);
		finding_release(&more[i]);
		buf_release(&data);
	}
	free(more);
	return r;
}

/* Confirms a failure: a new bug, one that is known after all, or none. */
static int resolve_one(struct test_session *s, struct fresh *x, struct finding **more, size_t *more_count, struct buf *input)
{
	struct test_function *f = &s->functions.data[x->function];
	struct test_case *t = case_of(s, x->function, x->test);
	struct test_bug b = {.function = x->function,
			     .finding = FINDING_NONE,
			     .first = x->function,
			     .test = (uint64_t)x->test + 1,
			     .data = x->job.data};
	if (!strncmp(x->item.kind, "implicit-", 9))
		return resolve_conversions(s, x);
	buf_init(&x->job.data);
	if (confirm(s, t, &b, x->item.place)) {
		test_bug_release(&b);
		return -1;
	}
	if (b.finding.cut) {
		test_bug_release(&b);
		leave(s, x);
		return 0;
	}
	if (!b.finding.bug.confirmed && b.finding.suppressed) {
		hide(s, x);
		test_bug_release(&b);
		return 0;
	}
	*more = b.finding.more, *more_count = b.finding.more_count;
	b.finding.more = NULL, b.finding.more_count = 0;
	if (*more_count)
		buf_add(input, b.data.data, b.data.size);
	if (finding_is_limit(&b.finding)) { /* neither a bug nor a whole run */
		test_bug_release(&b);
		t->failed = 0;
		f->unchecked += 1 + x->others.size;
		return 0;
	}
	if (!b.finding.bug.confirmed && !x->ran && !(t->flags & (TEST_CRASH | TEST_HANG))) {
		test_bug_release(
		    &b); /* nothing is wrong with it, but for what it did to the batch */
		t->failed = 0;
		f->unchecked++;
		return 0;
	}
	if (!b.finding.bug.confirmed && !b.finding.bug.kind[0])
		suspect(&b.finding, t);
	if (!b.finding.bug.confirmed) /* apart from one that is confirmed in the same place */
		b.finding.bug.bucket = hash_mix(b.finding.bug.bucket);
	struct test_bug *known = find_finding(s, x->function, &b.finding);
	if (known) {
		test_bug_release(&b);
	} else {
		if (b.finding.bug.confirmed && test_condition(s, x->function, &b.data, &b.finding)) {
			test_bug_release(&b);
			return -1;
		}
		add_bug(s, x, &b);
		known = &vec_last(&s->bugs);
	}
	test_count_bug(s, x->function, t, known, x->order);
	raise_level(s, x->function, t, known);
	if (x->item.bucket)
		map_set(&f->buckets, x->item.bucket, (uint64_t)(known - s->bugs.data));
	for (size_t i = 0; i < x->others.size; i++) {
		struct pick *p = &x->others.data[i];
		test_count_bug(s, p->function, case_of(s, p->function, p->test), known, p->order);
		raise_level(s, p->function, case_of(s, p->function, p->test), known);
	}
	return 0;
}

static int resolve(struct test_session *s, struct fresh *x)
{
	struct finding *more = NULL;
	size_t count = 0;
	struct buf input = BUF_EMPTY;
	int r = resolve_one(s, x, &more, &count, &input), other = resolve_more(s, x, &input, more, count);
	buf_release(&input);
	return r ? r : other;
}

/* What an earlier run reported by one of these tests is reported by it again. */
static void prefer_reported(struct test_session *s, struct fresh *x)
{
	for (size_t i = 0; i < x->others.size && !carry_reported(s, x->function, case_of(s, x->function, x->test), x->item.bucket); i++) {
		struct pick *p = &x->others.data[i];
		const struct test_case *t = case_of(s, p->function, p->test);
		if (!carry_reported(s, p->function, t, x->item.bucket))
			continue;
		struct pick old = {x->function, x->test, x->order};
		x->function = p->function, x->test = p->test, x->order = p->order;
		*p = old;
		x->job.number = s->functions.data[x->function].harness->number;
		buf_clear(&x->job.data);
		buf_add(&x->job.data, t->data, t->size);
	}
}

static int resolve_all(struct test_session *s, fresh_list *list)
{
	for (size_t i = 0; i < list->size; i++)
		prefer_reported(s, &list->data[i]);
	int r = test_late(s) ? 0 : shrink(s, list);
	for (size_t i = 0; i < list->size; i++) {
		if (!r && test_late(s))
			leave(s, &list->data[i]);
		else if (!r)
			r = resolve(s, &list->data[i]);
		buf_release(&list->data[i].job.data);
		vec_release(&list->data[i].others);
	}
	vec_release(list);
	return r;
}

/* ----------------------------------------------------------------- batches */

int test_open_checks(struct test_session *s)
{
	if (s->check.batch)
		return 0;
	if (batch_open(&s->check.batch, s->driven.program, VARIANT_SAN, s->o->run_time * TEST_SAN_SLOWER, s->driven.scratch))
		return -1;
	struct launch_options o = s->driven.cov.options;
	o.shm = NULL;
	o.server = 0;
	launch_limit(&o, s->o->run_time);
	if (confirm_open(&s->check.confirm, s->driven.program, &o))
		return -1;
	confirm_share(s->check.confirm, batch_symboliser(s->check.batch));
	return 0;
}

/* What became of one test. One that failed in the search's own run is looked at whatever the batch
 * says. */
static void settle(struct test_session *s, fresh_list *list, const struct pick *p,
		   const struct batch_item *item, uint64_t *failures)
{
	struct test_function *f = &s->functions.data[p->function];
	struct test_case *t = &f->tests.data[p->test];
	const struct result_bug alone = {.kind = ""}; /* only a run of its own says */
	if (!item->ran && item->cut) {
		f->unchecked++;
		s->costs.late++;
		return;
	}
	if (item->waits)
		f->unchecked++;
	if (item->waits && !item->failed)
		return;
	if (item->ran && !item->failed && !(t->flags & (TEST_CRASH | TEST_HANG))) {
		t->passed = 1;
		return;
	}
	t->failed = 1;
	t->survived = item->ran && WIFEXITED(item->status);
	f->beyond |= t->survived && t->flags & TEST_CRASH;
	if (f->helper) { /* enough to know that it is not verified */
		f->suspected++;
		return;
	}
	for (size_t i = 0; i < (item->bug_count ? item->bug_count : 1); i++) {
		const struct result_bug *x = item->bug_count ? &item->bugs[i] : &alone;
		if (is_known(s, list, p->function, p->test, x, (uint32_t)i))
			continue;
		if (++*failures > FAILURES)
			f->unchecked++;
		else
			add_fresh(s, list, p->function, p->test, item, x, (uint32_t)i);
	}
}

/* When the time is over, or the user interrupts: only tests that promise something. */
static int may_skip(const struct test_session *s, const struct test_case *t)
{
	int over = s->round.shared->stop || deadline_over();
	return over && !(t->flags & (TEST_CRASH | TEST_BROKEN | TEST_COVERS));
}

/* In parts, as long as there is time: *count becomes what was run. */
static int run_batch(struct test_session *s, struct batch_item *items, size_t *count)
{
	double start = test_clock();
	size_t done = 0, part = s->o->seconds > 0 ? TIMED_PART : *count;
	int r = 0;
	while (done < *count && !r && !test_late(s)) {
		size_t n = *count - done < part ? *count - done : part;
		r = batch_run(s->check.batch, items + done, n);
		done += n;
	}
	s->costs.batch_seconds += test_clock() - start;
	s->costs.checks += done;
	*count = done;
	return r;
}

/* There was no time to make the san variant. */
static void check_nothing(struct test_session *s, const uint32_t *functions, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct test_function *f = &s->functions.data[functions[i]];
		f->unchecked += f->tests.size - f->done_tests;
		s->costs.late += f->tests.size - f->done_tests;
	}
}

struct picks {
	VEC(struct pick) quick, slow; /* slow: would hold the others up */
};

/* Which tests of a function are run: those of old bugs, which are small; those that failed in the search, while there is time; the others. */
enum turn { TURN_OLD, TURN_FAILED, TURN_REST, TURNS };

static enum turn turn_of(const struct test_session *s, const struct test_case *t)
{
	return test_reuse_is_small(s, t) ? TURN_OLD : t->flags & (TEST_CRASH | TEST_BROKEN | TEST_HANG) ? TURN_FAILED : TURN_REST;
}

static void pick_tests(struct test_session *s, uint32_t function, enum turn turn, struct picks *p)
{
	struct test_function *f = &s->functions.data[function];
	unsigned hangs = turn == TURN_OLD ? 0 : f->old_hangs;
	for (size_t k = f->done_tests; k < f->tests.size; k++) {
		struct test_case *t = &f->tests.data[k];
		if (t->flags & TEST_ASSUMED || t->passed || t->failed || turn_of(s, t) != turn)
			continue;
		if (t->flags & TEST_LONG && turn == TURN_REST) { /* a loop that was asked to run long: many times longer there */
			f->unchecked++;
		} else if (t->flags & TEST_HANG) {
			if (++hangs > HANGS)
				f->unchecked++;
			else
				vec_push(&p->slow, (struct pick){function, k, 0});
		} else if (may_skip(s, t) && !f->result.exhausted) {
			f->unchecked++;
		} else {
			vec_push(&p->quick, (struct pick){function, k, 0});
		}
	}
	if (turn == TURN_OLD && hangs > f->old_hangs)
		f->old_hangs = hangs;
}

/* Runs what was picked, and looks at what fails. 0, -1. */
static int run_picks(struct test_session *s, struct picks *p)
{
	VEC(struct batch_item) items = {0};
	fresh_list list = {0};
	uint64_t failures = 0;
	for (size_t i = 0; i < p->quick.size; i++) {
		const struct test_case *t = case_of(s, p->quick.data[i].function, p->quick.data[i].test);
		vec_push(&items, (struct batch_item){.data = t->data, .size = t->size});
	}
	int r = run_batch(s, items.data, &items.size);
	for (size_t i = items.size; i < p->quick.size && !r; i++) {
		s->functions.data[p->quick.data[i].function].unchecked++;
		s->costs.late++;
	}
	for (size_t i = 0; i < items.size && !r; i++) {
		if (i && p->quick.data[i - 1].function != p->quick.data[i].function)
			failures = 0;
		settle(s, &list, &p->quick.data[i], &items.data[i], &failures);
	}
	for (size_t i = 0; i < p->slow.size && !r; i++) {
		struct batch_item none = {0};
		failures = 0;
		settle(s, &list, &p->slow.data[i], &none, &failures);
	}
	if (!r)
		r = resolve_all(s, &list);
	vec_release(&p->quick);
	vec_release(&p->slow);
	batch_items_release(items.data, items.size);
	vec_release(&items);
	return r;
}

int test_check_old(struct test_session *s)
{
	struct picks p = {0};
	if (!s->reuse.small.size || test_late(s))
		return 0;
	if (test_open_checks(s))
		return test_late(s) ? 0 : -1;
	for (uint32_t i = 0; i < s->functions.size; i++)
		if (s->functions.data[i].reuse.how == TEST_REUSE_ALL && !s->functions.data[i].done_tests)
			pick_tests(s, i, TURN_OLD, &p);
	return run_picks(s, &p) ? -1 : 0;
}

int test_check(struct test_session *s, const uint32_t *functions, size_t count)
{
	struct picks p = {0};
	int r = test_late(s) && !s->check.batch ? -1 : test_open_checks(s);
	if (r && test_late(s)) {
		check_nothing(s, functions, count);
		return 0;
	}
	for (size_t i = 0; i < count && !r; i++)
		carry_outcomes(s, functions[i]);
	for (int turn = 0; turn < TURNS && !r; turn++)
		for (size_t i = 0; i < count; i++)
			pick_tests(s, functions[i], (enum turn)turn, &p);
	if (!r)
		r = run_picks(s, &p);
	for (size_t i = 0; i < count && !r; i++) {
		s->functions.data[functions[i]].checked = 1;
		r = test_violations(s, functions[i]);
	}
	return r ? -1 : 0;
}
