/* carry.c: outcomes, causes and contracts of functions that rest on nothing that changed.
 *
 * A row of reuse.c says that the code of a function, and all that its runs can meet, is what it was. Then each of its inputs does what it did, and only what people are shown has to be found anew: a bug is
 * confirmed by a run of today, of the one input that is reported, which also says in which line it is now. With the row stand therefore, by the hash of the input, how each test ended in the san variant and which bugs it
 * showed; for each of these bugs, whether callers owe what would have prevented it, and its cause; the contracts; and what came of the search of the calls that keep them (given.c).
 *
 * Bugs of two runs are the same if their kind is, and their line, counted from the beginning of a function whose text is the same. A test is taken over if all bugs that it showed are seen today; any other is
 * run. The causes of a function are taken over if its tests show today the bugs that they had shown, all of them and no others, by the inputs that were reported; else its calls are explained again.
 *
 * The invariant: what is taken over was found out by runs of the same code, with the same limits, by the same build of muster.
 */
#include "unit/carry.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "unit/reuse.h"

#include <stdlib.h>
#include <string.h>

enum { /* no limit: bits */
	STATE_PASSED = 1,
	STATE_FAILED = 2,
	STATE_SURVIVED = 4,
};
enum { /* no limit: bits */
	FLAG_EXPLAINED = 1, /* its calls were */
	FLAG_BEYOND = 2,
	FLAG_GIVEN = 4,	      /* verified for the calls that keep its contract */
	FLAG_GIVEN_TRIED = 8, /* these were searched, and no limit of the whole run ended that */
	FLAG_SMALL = 16,      /* FLAG_GIVEN is of those of them whose objects are small */
	FLAG_SMALL_TRIED = 32,
};

/* As they are written, each with what follows it. */
struct head {
	uint32_t tests, bugs, contracts, flags;
	uint64_t budget;   /* of the search of the calls that keep the contract */
	uint64_t accepted; /* contract of the function, hashed */
};
struct packed_test { /* then numbers of bugs */
	uint64_t input;
	uint32_t state, shown;
};
struct packed_bug { /* then the cause */
	uint64_t key, bucket, input; /* input: 0, it is reported of another function */
	uint32_t owed, keeps;
	uint32_t cause, confirmed; /* cause: its length + 1; 0: none */
};
struct packed_contract { /* then the text, then the input */
	uint64_t places;
	uint32_t necessary, text, size, unused;
};

struct known_test {
	uint32_t state, first, count; /* bugs: in shown */
};
struct known_bug {
	struct packed_bug is;
	const char *cause;
};
struct known_contract {
	struct packed_contract is;
	const char *text, *data;
};

struct carry {
	struct head head;
	struct map numbers; /* of tests, by input */
	VEC(struct known_test) tests;
	VEC(uint32_t) shown;
	VEC(struct known_bug) bugs;
	VEC(struct known_contract) contracts;
	struct arena strings;
};

/* ------------------------------------------------------------------ writing */

static const struct test_bug *bug_with(const struct test_session *s, uint32_t serial)
{
	for (size_t i = 0; i < s->bugs.size; i++)
		if (s->bugs.data[i].serial == serial)
			return &s->bugs.data[i];
	return NULL;
}

/* ------------------------------------------------------------------ bugs */

/* The lines of the file from `first` to `last`, hashed. */
static uint64_t lines_hash(const struct buf *source, uint32_t first, uint32_t last)
{
	const char *p = source->data, *end = source->data + source->size, *begin = NULL;
	for (uint32_t line = 1; p < end && line <= last; line++) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		if (line == first)
			begin = p;
		p = newline ? newline + 1 : end;
	}
	return begin ? hash64(begin, (size_t)(p - begin), 0) : 0;
}

/* By what a bug is known in other versions: its kind, and its place in a function whose text is the same; else kind and frames. */
static uint64_t key_of(struct test_session *s, const struct test_bug *b)
{
	const struct result_bug *x = &b->finding.bug;
	int number = x->confirmed && x->function[0] && strcmp(x->kind, "stack-overflow") ? front_function(s->driven.front, x->function) : -1;
	const struct front_function *f = number < 0 ? NULL : &s->driven.front->functions.data[number];
	if (!f || !f->defined || !f->file || strcmp(file_base(f->file), file_base(s->file)) || strcmp(file_base(x->file), file_base(s->file)) || x->line < f->line || x->line > f->end_line)
		return hash64(x->kind, strlen(x->kind), b->bucket);
	if (!s->reuse.source.size && file_read(s->file, &s->reuse.source))
		return hash64(x->kind, strlen(x->kind), b->bucket);
	uint64_t at[] = {lines_hash(&s->reuse.source, f->line, f->end_line), x->line - f->line};
	return hash64(x->kind, strlen(x->kind), hash64(at, sizeof at, 1));
}

void carry_key(struct test_session *s, struct test_bug *b)
{
	b->key = key_of(s, b);
}

/* Bugs of the function: those that its tests show. */
struct listed {
	VEC(const struct test_bug *) bugs;
	struct map numbers; /* by serial */
};

static void list_bug(struct listed *l, const struct test_bug *b)
{
	if (!b || map_get(&l->numbers, b->serial, NULL))
		return;
	map_set(&l->numbers, b->serial, l->bugs.size);
	vec_push(&l->bugs, b);
}

static void list_bugs(const struct test_session *s, uint32_t function, struct listed *l)
{
	const struct test_function *f = &s->functions.data[function];
	for (size_t i = 0; i < f->shown.size; i++)
		list_bug(l, bug_with(s, f->shown.data[i].bug));
	for (size_t i = 0; i < s->bugs.size; i++) /* given.c has some that no test shows */
		if (s->bugs.data[i].function == function)
			list_bug(l, &s->bugs.data[i]);
}

static int shown_order(const void *x, const void *y)
{
	const struct test_shown *a = x, *b = y;
	return a->test < b->test ? -1 : a->test > b->test;
}

static void write_tests(const struct test_function *f, const struct listed *l, struct buf *out)
{
	size_t count = f->shown.size, at = 0;
	struct test_shown *shown = mem_alloc((count + 1) * sizeof *shown);
	if (count)
		memcpy(shown, f->shown.data, count * sizeof *shown);
	qsort(shown, count, sizeof *shown, shown_order);
	for (size_t i = 0; i < f->tests.size; i++) {
		const struct test_case *t = &f->tests.data[i];
		struct packed_test p = {.input = reuse_input_hash(t->data, t->size),
					.state = (t->passed ? STATE_PASSED : 0) | (t->failed ? STATE_FAILED : 0) | (t->survived ? STATE_SURVIVED : 0)};
		uint64_t number;
		if (t->hidden || t->flags & TEST_ASSUMED)
			p.state = 0; /* it is run again */
		while (at + p.shown < count && shown[at + p.shown].test == i)
			p.shown++;
		buf_add(out, &p, sizeof p);
		for (size_t end = at + p.shown; at < end; at++)
			buf_add32(out, map_get(&l->numbers, shown[at].bug, &number) ? (uint32_t)number : UINT32_MAX);
	}
	free(shown);
}

static const struct test_owing *owing_of(const struct test_function *f, uint32_t serial)
{
	for (size_t i = 0; i < f->owing.size; i++)
		if (f->owing.data[i].bug == serial)
			return &f->owing.data[i];
	return NULL;
}

static void write_bug(const struct test_function *f, uint32_t function, const struct test_bug *b, struct buf *out)
{
	const struct test_owing *o = owing_of(f, b->serial);
	const char *cause = b->function == function ? b->finding.bug.cause : NULL;
	struct packed_bug p = {.key = b->key,
			       .bucket = b->seen.bucket,
			       .confirmed = (uint32_t)b->finding.bug.confirmed,
			       .input = b->function == function ? reuse_input_hash(b->data.data, b->data.size) : 0,
			       .owed = o ? (uint32_t)o->owed : 0,
			       .keeps = o ? (uint32_t)o->keeps : 1,
			       .cause = cause ? (uint32_t)strlen(cause) + 1 : 0};
	buf_add(out, &p, sizeof p);
	if (cause)
		buf_adds(out, cause);
}

static void write_contract(const struct test_contract *c, struct buf *out)
{
	struct packed_contract p = {.places = c->places, .necessary = (uint32_t)c->necessary, .text = (uint32_t)strlen(c->requires), .size = (uint32_t)c->size};
	buf_add(out, &p, sizeof p);
	buf_add(out, c->requires, p.text);
	buf_add(out, c->data, c->size);
}

/* Is one of them a bug of the whole program, of which a function alone says nothing? */
static int is_of_program(const struct test_bug *b)
{
	return test_is_program_level(b) || b->program;
}

static uint64_t accepted_of(const struct test_function *f)
{
	return f->accepted ? hash64(f->accepted, strlen(f->accepted), 1) : 0;
}

void carry_write(const struct test_session *s, uint32_t function, struct buf *out)
{
	const struct test_function *f = &s->functions.data[function];
	struct listed l = {0};
	struct head h = {.tests = (uint32_t)f->tests.size, .budget = reuse_budget(s->o), .accepted = accepted_of(f)};
	list_bugs(s, function, &l);
	int program = !strcmp(f->name, "main");
	for (size_t i = 0; i < l.bugs.size; i++)
		program |= is_of_program(l.bugs.data[i]);
	if (program || f->traced) {
		h.tests = 0;
		buf_add(out, &h, sizeof h);
	} else {
		h.bugs = (uint32_t)l.bugs.size;
		for (size_t i = 0; i < s->contracts.size; i++)
			h.contracts += s->contracts.data[i].function == function;
		h.flags = (f->explained ? FLAG_EXPLAINED : 0) | (f->beyond ? FLAG_BEYOND : 0) | (f->given ? FLAG_GIVEN : 0) | (f->given_tried ? FLAG_GIVEN_TRIED : 0) | (f->small ? FLAG_SMALL : 0) | (f->small_tried ? FLAG_SMALL_TRIED : 0);
		buf_add(out, &h, sizeof h);
		write_tests(f, &l, out);
		for (size_t i = 0; i < l.bugs.size; i++)
			write_bug(f, function, l.bugs.data[i], out);
		for (size_t i = 0; i < s->contracts.size; i++)
			if (s->contracts.data[i].function == function)
				write_contract(&s->contracts.data[i], out);
	}
	vec_release(&l.bugs);
	map_release(&l.numbers);
}

/* ------------------------------------------------------------------ reading */

struct reader {
	const char *at;
	size_t left;
};

/* The next bytes, copied if to is there; NULL: there are not so many. */
static const char *next(struct reader *r, size_t size, void *to)
{
	const char *p = r->at;
	if (size > r->left)
		return NULL;
	if (to)
		memcpy(to, p, size);
	r->at += size;
	r->left -= size;
	return p;
}

static int read_tests(struct carry *c, struct reader *r)
{
	for (uint32_t i = 0; i < c->head.tests; i++) {
		struct packed_test p;
		if (!next(r, sizeof p, &p))
			return -1;
		map_set(&c->numbers, p.input, c->tests.size);
		vec_push(&c->tests, ((struct known_test){p.state, (uint32_t)c->shown.size, p.shown}));
		for (uint32_t k = 0, bug; k < p.shown; k++) {
			if (!next(r, sizeof bug, &bug))
				return -1;
			vec_push(&c->shown, bug < c->head.bugs ? bug : UINT32_MAX);
		}
	}
	return 0;
}

static int read_bugs(struct carry *c, struct reader *r)
{
	for (uint32_t i = 0; i < c->head.bugs; i++) {
		struct known_bug b = {0};
		const char *cause;
		if (!next(r, sizeof b.is, &b.is) || (b.is.cause && !(cause = next(r, b.is.cause - 1, NULL))))
			return -1;
		if (b.is.cause)
			b.cause = arena_strndup(&c->strings, cause, b.is.cause - 1);
		vec_push(&c->bugs, b);
	}
	return 0;
}

static int read_contracts(struct carry *c, struct reader *r)
{
	for (uint32_t i = 0; i < c->head.contracts; i++) {
		struct known_contract k = {0};
		const char *text, *data;
		if (!next(r, sizeof k.is, &k.is) || !(text = next(r, k.is.text, NULL)) || !(data = next(r, k.is.size, NULL)))
			return -1;
		k.text = arena_strndup(&c->strings, text, k.is.text);
		k.data = arena_copy(&c->strings, data, k.is.size);
		vec_push(&c->contracts, k);
	}
	return 0;
}

struct carry *carry_read(const void *data, size_t size)
{
	struct carry *c = mem_zalloc(sizeof *c);
	struct reader r = {data, size};
	if (next(&r, sizeof c->head, &c->head) && !read_tests(c, &r) && !read_bugs(c, &r) && !read_contracts(c, &r) && !r.left)
		return c;
	carry_free(c);
	return NULL;
}

void carry_free(struct carry *c)
{
	if (!c)
		return;
	map_release(&c->numbers);
	vec_release(&c->tests);
	vec_release(&c->shown);
	vec_release(&c->bugs);
	vec_release(&c->contracts);
	arena_release(&c->strings);
	free(c);
}

/* ------------------------------------------------------------------ taking over */

/* What is the bug today? NULL: it was not seen, or two of today's might be it. */
static struct test_bug *bug_now(struct test_session *s, uint32_t function, const struct known_bug *k)
{
	struct test_bug *found = NULL;
	for (size_t i = 0; i < s->bugs.size; i++) {
		struct test_bug *b = &s->bugs.data[i];
		if (b->finding.bug.confirmed != (int)k->is.confirmed || b->key != k->is.key || (!b->finding.bug.function[0] && b->function != function))
			continue;
		if (found)
			return NULL;
		found = b;
	}
	return found;
}

int carry_reported(const struct test_session *s, uint32_t function, const struct test_case *t, uint64_t bucket)
{
	const struct carry *c = s->functions.data[function].reuse.carry;
	uint64_t input = reuse_input_hash(t->data, t->size);
	for (size_t i = 0; c && i < c->bugs.size; i++)
		if (c->bugs.data[i].is.input == input && c->bugs.data[i].is.bucket == bucket)
			return 1;
	return 0;
}

static int is_seen(struct test_session *s, uint32_t function, const struct carry *c, const struct known_test *k)
{
	for (uint32_t i = k->first; i < k->first + k->count; i++)
		if (c->shown.data[i] == UINT32_MAX || !bug_now(s, function, &c->bugs.data[c->shown.data[i]]))
			return 0;
	return 1;
}

void carry_outcomes(struct test_session *s, uint32_t function)
{
	struct test_function *f = &s->functions.data[function];
	const struct carry *c = f->reuse.carry;
	uint64_t number;
	if (!c || f->reuse.how != TEST_REUSE_ALL)
		return;
	for (size_t i = f->done_tests; i < f->tests.size; i++) {
		struct test_case *t = &f->tests.data[i];
		if (t->passed || t->failed || !map_get(&c->numbers, reuse_input_hash(t->data, t->size), &number))
			continue;
		const struct known_test *k = &c->tests.data[number];
		if (!k->state || ((k->state & STATE_FAILED) && !k->count) || !is_seen(s, function, c, k))
			continue;
		t->passed = (k->state & STATE_PASSED) != 0;
		t->failed = (k->state & STATE_FAILED) != 0;
		t->survived = (k->state & STATE_SURVIVED) != 0;
		for (uint32_t n = k->first; n < k->first + k->count; n++)
			test_count_bug(s, function, t, bug_now(s, function, &c->bugs.data[c->shown.data[n]]), 0);
	}
	f->beyond |= (c->head.flags & FLAG_BEYOND) != 0;
}

/* Are the bugs that it shows those that it showed, by the inputs that were reported then? */
static int same_bugs(struct test_session *s, uint32_t function, const struct carry *c)
{
	const struct test_function *f = &s->functions.data[function];
	struct map now = {0};
	int same = 1;
	for (size_t i = 0; i < c->bugs.size && same; i++) {
		const struct test_bug *b = bug_now(s, function, &c->bugs.data[i]);
		same = b && !is_of_program(b) && map_set(&now, b->serial, i);
		if (same && b->function == function)
			same = c->bugs.data[i].is.input == reuse_input_hash(b->data.data, b->data.size);
	}
	for (size_t i = 0; i < f->shown.size && same; i++)
		same = map_get(&now, f->shown.data[i].bug, NULL);
	map_release(&now);
	return same;
}

static void take_given(const struct test_session *s, struct test_function *f)
{
	const struct carry *c = f->reuse.carry;
	int same = c->head.budget == reuse_budget(s->o);
	f->given = (c->head.flags & FLAG_GIVEN) != 0;
	f->small = (c->head.flags & FLAG_SMALL) != 0;
	f->given_tried = (f->given && !f->small) || ((c->head.flags & FLAG_GIVEN_TRIED) && same);
	f->small_tried = f->small || ((c->head.flags & FLAG_SMALL_TRIED) && same);
}

int carry_contracts(struct test_session *s, uint32_t function)
{
	struct test_function *f = &s->functions.data[function];
	const struct carry *c = f->reuse.carry;
	if (!c || f->reuse.how != TEST_REUSE_ALL || !(c->head.flags & FLAG_EXPLAINED) || c->head.accepted != accepted_of(f) || f->suppressed || !same_bugs(s, function, c))
		return 0;
	for (size_t i = 0; i < c->bugs.size; i++) {
		struct test_bug *b = bug_now(s, function, &c->bugs.data[i]);
		vec_push(&f->owing, ((struct test_owing){b->serial, (int)c->bugs.data[i].is.owed, (int)c->bugs.data[i].is.keeps}));
		if (b->function == function && c->bugs.data[i].cause)
			b->finding.bug.cause = finding_text(&b->finding, "%s", c->bugs.data[i].cause);
	}
	for (size_t i = 0; i < c->contracts.size; i++) {
		const struct known_contract *k = &c->contracts.data[i];
		test_contract_add(s, &(struct test_contract){.function = function, .requires = arena_strdup(&s->arena, k->text), .places = k->is.places, .data = arena_copy(&s->arena, k->data, k->is.size),
							     .size = k->is.size, .necessary = (int)k->is.necessary});
	}
	f->explained = 1;
	take_given(s, f);
	return 1;
}

void carry_given(struct test_session *s)
{
	for (uint32_t i = 0; i < s->functions.size; i++) {
		struct test_function *f = &s->functions.data[i];
		const struct carry *c = f->reuse.carry;
		if (c && f->reuse.how == TEST_REUSE_ALL && !c->bugs.size && !f->bugs && !f->owed && !f->suppressed && c->head.accepted == accepted_of(f))
			take_given(s, f);
	}
}
