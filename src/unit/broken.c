/* broken.c: checks that traced runs of a function broke, beyond what sanitizers see.
 *
 * Every test runs in the san variant (check.c), so a violation that a sanitizer knows is reported from there. Left are two kinds: of
 * checkers with a run-time test of their own, which a fresh traced run confirms; and of the others where the san variant
 * passed, which are suspected. A trace is run only for these, and once for each bug, to say under which condition it occurs.
 */
#include "base/file.h"
#include "base/hash.h"
#include "unit/unit.h"

#include <string.h>

/* ----------------------------------------------------------------- tracing */

/* The workers made the variant; here it is only opened. */
int test_open_tracer(struct test_session *s)
{
	struct target_options t = TARGET_DEFAULTS;
	if (s->check.tracer)
		return 0;
	t.time = s->o->run_time * 4;
	t.mem_mb = 4096;
	t.shm.events = 1 << 20;
	t.shm.nodes = 1 << 22;
	t.shm.table_limit = 4096;
	if (s->o->summaries || search_kind_composes(s->round.kind))
		t.shm.flags |= MUSTER_FLAG_MEMORY;
	if (target_make(&s->check.trace, s->driven.program, s->driven.argv, search_kind_calls(s->round.kind) ? VARIANT_CALLS : VARIANT_TRACE, &t))
		return -1;
	s->check.trace.options.directory = s->driven.scratch;
	s->check.trace.options.server = 1;
	s->check.tracer = launcher_new(&s->check.trace.options);
	return s->check.tracer ? 0 : -1;
}

/* The names of a function's parameters that are whole numbers. */
struct naming {
	const struct test_session *s;
	const struct drive_function *call;
};

static int parameter_at(void *ctx, uint64_t at, uint64_t *first, unsigned *size, int *is_signed, struct buf *out)
{
	const struct naming *n = ctx;
	const struct harness *h = n->s->driven.harness;
	for (uint32_t i = n->call->first_root; i < n->call->first_root + n->call->parameters; i++) {
		const struct drive_root *root = &h->roots.data[i];
		uint32_t front = h->type_front.data[root->type], bytes = h->types.data[root->type].size;
		if (at < root->at || at >= root->at + bytes || front >= n->s->driven.front->types.size)
			continue;
		const struct front_type *t = &n->s->driven.front->types.data[n->s->driven.front->types.data[front].plain];
		if (t->kind != FRONT_INT || t->size != bytes || !h->root_names.data[i])
			return 0;
		*first = root->at, *size = bytes, *is_signed = t->is_signed;
		buf_adds(out, h->root_names.data[i]);
		return 1;
	}
	return 0;
}

/* 0, -1; 1: there is no time for it, or nothing to look at. */
static int open_traced(struct test_session *s, struct broken_names *names, struct traced *t)
{
	if (!s->o->checks || test_late(s))
		return 1;
	if (test_open_tracer(s))
		return -1;
	*t = (struct traced){s->check.tracer, &s->check.trace.shm, &s->check.trace.sites, s->driven.argv, s->o->checks, names};
	return 0;
}

int test_condition(struct test_session *s, uint32_t function, const struct buf *data, struct finding *x)
{
	struct naming n = {s, &s->driven.harness->calls.data[s->functions.data[function].harness->number]};
	struct broken_names names = {parameter_at, &n};
	struct traced t;
	int r = x->bug.line ? open_traced(s, &names, &t) : 1;
	return r ? (r < 0 ? -1 : 0) : traced_condition(&t, data->data, data->size, x);
}

int test_path(struct test_session *s, uint32_t function, const struct buf *data, struct finding *x)
{
	struct naming n = {s, &s->driven.harness->calls.data[s->functions.data[function].harness->number]};
	struct broken_names names = {parameter_at, &n};
	struct traced t;
	x->bug.path = NULL;
	int r = open_traced(s, &names, &t);
	return r ? (r < 0 ? -1 : 0) : traced_path(&t, data->data, data->size, x);
}

int test_filter(struct test_session *s, uint32_t function, const void *data, size_t size, struct finding *x)
{
	if (!x->bug.confirmed || !s->o->checks)
		return 0;
	int found = !strncmp(x->bug.kind, "implicit-", 9);
	for (size_t i = 0; i < x->more_count; i++)
		found |= !strncmp(x->more[i].bug.kind, "implicit-", 9);
	if (!found)
		return 0;
	if (test_open_tracer(s))
		return -1;
	struct traced t = {s->check.tracer, &s->check.trace.shm, &s->check.trace.sites, s->driven.argv, s->o->checks, NULL};
	struct test_function *f = &s->functions.data[function];
	f->traced = 1;
	VEC(struct traced_check) checks = {0};
	for (size_t i = 0; i < f->violations.size; i++)
		vec_push(&checks, f->violations.data[i].check);
	int r = traced_filter(&t, data, size, checks.data, checks.size, x);
	vec_release(&checks);
	return r;
}

/* -------------------------------------------------------------- violations */

/* Does the session tell of a bug of this checker at this place? */
static int is_told(const struct test_session *s, const struct finding *x, uint32_t checker)
{
	for (size_t i = 0; i < s->bugs.size; i++) {
		const struct finding *y = &s->bugs.data[i].finding;
		if (y->bug.confirmed && y->bug.line == x->bug.line && !strcmp(file_base(y->bug.file), file_base(x->bug.file)) &&
		    checker_of_kind(y->bug.kind) & checker_pair(checker))
			return 1;
	}
	return 0;
}

/* Worth a traced run: its test came to its end in the san variant, or there is nothing that the san variant could have seen. */
static int is_open(const struct test_function *f, const struct test_violation *v)
{
	const struct test_case *t = v->test ? &f->tests.data[v->test - 1] : NULL;
	if (t && (t->hidden || (t->failed && !t->survived)))
		return 0;
	return checker_get(v->check.checker)->test == CHECKER_OWN || (t && (t->passed || t->survived));
}

static int look(struct test_session *s, uint32_t function, const struct test_violation *v)
{
	struct test_function *f = &s->functions.data[function];
	struct naming n = {s, &s->driven.harness->calls.data[f->harness->number]};
	struct broken_names names = {parameter_at, &n};
	struct traced_check check = v->check;
	struct finding x = FINDING_NONE;
	struct buf condition = {0}, data = {0};
	int own = checker_get(check.checker)->test == CHECKER_OWN;
	if (test_open_tracer(s))
		return -1;
	struct traced t = {s->check.tracer, &s->check.trace.shm, &s->check.trace.sites, s->driven.argv, s->o->checks, &names};
	int r = traced_breaks(&t, v->data, v->size, &check, &condition);
	if (r > 0) {
		s->costs.search.checkers[check.checker].failed += (uint64_t)(own && v->sent);
		traced_finding(&t, &check, own, own ? "" : "the run did not fail", buf_str(&condition), &x);
		buf_add(&data, v->data, v->size);
		if (!is_told(s, &x, check.checker) && traced_path(&t, v->data, v->size, &x))
			r = -1;
		else if (!is_told(s, &x, check.checker))
			test_found(s, function, v->test ? &f->tests.data[v->test - 1] : NULL, &data, &x);
	}
	finding_release(&x);
	buf_release(&condition);
	buf_release(&data);
	return r < 0 ? -1 : 0;
}

int test_violations(struct test_session *s, uint32_t function)
{
	struct test_function *f = &s->functions.data[function];
	if (f->helper)
		f->suspected += (uint32_t)(f->violations.size - f->done_violations);
	for (size_t i = f->done_violations; i < f->violations.size && !f->helper; i++) {
		const struct test_violation *v = &f->violations.data[i];
		if (v->test && f->tests.data[v->test - 1].failed)
			s->costs.search.checkers[v->check.checker].failed += (uint64_t)v->sent;
		f->traced |= is_open(f, v);
		if (is_open(f, v) && !test_late(s) && look(s, function, v))
			return -1;
		if (is_open(f, v) && test_late(s)) { /* it is not known whether it stands */
			f->unchecked++;
			s->costs.late++;
		}
	}
	return 0;
}
