/* ci.c: a change, file by file (ci.h). */
#include "ci/ci.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/stop.h"
#include "build/home.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COMPARING 0.4 /* of the time, at most: the rest is for tests */
#define TESTING 0.7   /* of what is left then goes to searches; the rest to builds and checks */
#define JUDGING 0.12  /* of what is left for tests: to run what fails on the base */
#define EACH 4	      /* seconds of processor time to compare a function, if nobody says: what is not proved then is tested */

struct work {
	struct ci *c;
	const struct ci_options *o;
	struct test_options test, base_test; /* of sessions for the work tree, for the base */
	struct test_shared *shared;
	double left;		       /* seconds for comparing, INFINITY: no limit */
	double later;		       /* seconds that are kept for what comes after the searches */
	struct revision rev;	       /* the base's files */
	const char *const *cflags;     /* for them */
};

static const char *const state_words[] = {
#define X(name, word) [CI_##name] = word,
    CI_STATES(X)
#undef X
};

const char *ci_state_word(enum ci_state s)
{
	return state_words[s];
}

static void say(struct ci_file *f, const char *words)
{
	char *all = f->words ? mem_printf("%s; %s", f->words, words) : mem_strdup(words);

	free(f->words);
	f->words = all;
}

/* ------------------------------------------------------------ behaviour */

static int load_base(struct work *w, struct ci_file *f)
{
	char *path = revision_same_file(&w->rev, f->name);

	if (!path) {
		f->added = 1;
		return 0;
	}
	if (!w->cflags)
		w->cflags = revision_arguments(&w->rev, w->o->test.cflags, &w->c->arena);
	struct versions_options o = {.cflags = w->o->test.cflags, .merged = 1};
	f->old = (struct version){.path = path, .revision = w->rev};
	int e = version_load(&f->old, &o);
	f->old.revision = (struct revision){0}; /* ours */
	if (e && deadline_over()) {
		f->open = 1;
	} else if (e) {
		char *words = mem_printf("the base version does not compile (%.*s): nothing is compared with it", (int)strcspn(error_text(), "\n"), error_text());
		say(f, words);
		free(words);
		f->open = 1;
	}
	return 0;
}

static int is_to_test(const struct diff_function *x, int old)
{
	return (old ? x->name : x->now) && (x->modified || x->verdict != DIFF_EQUAL);
}

static struct diff_options how_to_compare(const struct work *w)
{
	return (struct diff_options){.seconds = w->o->diff_seconds > 0 ? w->o->diff_seconds : EACH, .total = isinf(w->left) ? 0 : fmax(w->left, 0.01)};
}

static void count(struct ci *c, const struct ci_file *f)
{
	if (!f->program)
		c->data += f->diff->data.size;
	for (size_t i = 0; i < f->diff->functions.size; i++) {
		const struct diff_function *x = &f->diff->functions.data[i];
		if (!ci_says(c, f, x))
			continue;
		c->equal += x->verdict == DIFF_EQUAL;
		c->changed += x->verdict == DIFF_CHANGED;
		c->may += x->verdict == DIFF_MAY;
		c->added += x->verdict == DIFF_ADDED;
		c->removed += x->verdict == DIFF_REMOVED;
		c->to_test += f->program ? 0 : (uint64_t)(is_to_test(x, 0) + is_to_test(x, 1));
	}
}

static int compare(struct work *w, struct ci_file *f)
{
	struct versions_options o = {.cflags = w->o->test.cflags, .merged = 1};

	log_progress("%s: comparing", f->name);
	if (load_base(w, f))
		return -1;
	if (version_open(&f->new, f->name, NULL, &o) || version_load(&f->new, &o)) {
		f->broken = !deadline_over(); /* else the compiler was ended */
		if (f->broken)
			say(f, error_text());
		return 0;
	}
	if (!f->old.whole)
		return 0;
	double began = deadline_clock();
	struct diff_options d = how_to_compare(w);
	d.bitcode[0] = (struct diff_bitcode){f->old.bitcode.data, f->old.bitcode.size};
	d.bitcode[1] = (struct diff_bitcode){f->new.bitcode.data, f->new.bitcode.size};
	f->diff = diff_run(f->old.whole, f->new.whole, &d);
	w->left -= deadline_clock() - began;
	log_progress(NULL);
	if (!f->diff) {
		say(f, error_text());
		f->open = 1;
		return 0;
	}
	count(w->c, f);
	return 0;
}

/* The whole program, if there is a build, after the files. */
static void compare_program(struct work *w)
{
	struct diff_options d = how_to_compare(w);

	if (!w->o->build)
		return;
	ci_program(w->c, w->o, &d);
	if (vec_last(&w->c->files).diff)
		count(w->c, &vec_last(&w->c->files));
}
/* ------------------------------------------------------------ bugs */

/* Functions that are to be tested, as a session takes them; NULL: none is. old: by their names in the base. */
static const char *to_test(struct work *w, const struct ci_file *f, int old)
{
	struct buf names = {0};

	for (size_t i = 0; i < f->diff->functions.size; i++) {
		const struct diff_function *x = &f->diff->functions.data[i];
		if (is_to_test(x, old))
			buf_addf(&names, "%s%s", names.size ? "," : "", old ? x->name : x->now);
	}
	const char *list = names.size ? arena_strdup(&w->c->arena, buf_str(&names)) : NULL;
	buf_release(&names);
	return list;
}

/* Of many functions each gets less, in both versions the same: what is searched last must not lack what the first had. */
static void share_time(struct work *w)
{
	double left = deadline_left() * TESTING * test_workers(&w->test), each = w->c->to_test ? left / (double)w->c->to_test : INFINITY;

	if (!isinf(left))
		w->later = deadline_left() * JUDGING;
	w->test.function_time = w->base_test.function_time = fmin(w->o->test.function_time, fmax(each, 0.01));
}

/* NULL: nothing could be tested; the file has words about it. */
static struct test_session *test(struct work *w, struct ci_file *f, const char *functions, int old, uint64_t bugs_of)
{
	struct test_session *s = mem_zalloc(sizeof *s);
	int code;

	s->o = old ? &w->base_test : &w->test;
	s->file = old ? f->old.path : f->name;
	s->function = functions;
	s->round.shared = w->shared;
	s->standing.optional = functions != NULL;
	s->standing.bugs_of = bugs_of;
	if (old) {
		char *real = file_absolute(f->name);
		s->standing.for_file = arena_strdup(&w->c->arena, real);
		free(real);
		real = mem_printf("%s (base)", f->name);
		s->standing.name = arena_strdup(&w->c->arena, real);
		s->standing.cflags = w->cflags;
		free(real);
	}
	w->shared->next = 0;
	memset(w->shared->workers, 0, sizeof w->shared->workers);
	if (test_session_run(s, &code)) {
		if (!deadline_over())
			say(f, error_text());
		w->c->cut |= deadline_over();
		f->open = 1;
		test_session_release(s);
		free(s);
		return NULL;
	}
	w->c->cut |= s->costs.late > 0 || deadline_over();
	const char *status = w->shared->stop ? "interrupted" : deadline_over() ? "budget" : "complete";
	if (test_store_result(s, status))
		log_warn("the verdicts are not stored: %s", error_text());
	return s;
}

static void drop(struct test_session **s)
{
	if (*s)
		test_session_release(*s);
	free(*s);
	*s = NULL;
}

/* As files of the work tree are named: from the directory that we are in, if they are below. */
static const char *shown_file(struct work *w, const char *path)
{
	char *tree = mem_printf("%s/%s", w->rev.tree ? w->rev.tree : "", w->rev.prefix), *here = realpath(".", NULL);
	size_t n = strlen(tree), m = here ? strlen(here) : 0;

	if (path && w->rev.tree && !strncmp(path, tree, n))
		path = arena_strdup(&w->c->arena, path + n);
	else if (path && m && !strncmp(path, here, m) && path[m] == '/')
		path = arena_strdup(&w->c->arena, path + m + 1);
	free(tree);
	free(here);
	return path;
}

static void add_bug(struct work *w, enum ci_state state, const char *why, const struct result_bug *found)
{
	struct result_bug *b = arena_copy(&w->c->arena, found, sizeof *found);

	b->file = shown_file(w, b->file);
	vec_push(&w->c->bugs, (struct ci_bug){state, why, b});
	if (state != CI_FIXED)
		vec_push(&w->c->now.bugs, *b);
	if (state == CI_UNCLEAR)
		vec_push(&w->c->unclear.bugs, *b);
	if (state == CI_EXISTING || state == CI_FIXED)
		vec_push(&w->c->before.bugs, *b);
}

static int has_bucket(const struct result *r, uint64_t bucket)
{
	for (size_t i = 0; i < r->bugs.size; i++)
		if (r->bugs.data[i].confirmed && r->bugs.data[i].bucket == bucket)
			return 1;
	return 0;
}

/* What the session's runs say of another version's bug. */
static const struct test_old_bug *judged(const struct test_session *s, const struct result_bug *b)
{
	for (size_t i = 0; s && i < s->reuse.bugs.size; i++) {
		const struct test_old_bug *x = &s->reuse.bugs.data[i];
		if (x->size == b->size && !memcmp(x->data, b->data, b->size) && !strcmp(x->kind, b->kind ? b->kind : ""))
			return x;
	}
	return NULL;
}

/* Does it fail for a call that passes in the base? */
static int has_regressed(const struct ci_file *f, uint64_t bucket)
{
	for (size_t i = 0; f->now && i < f->now->bugs.size; i++)
		if (f->now->bugs.data[i].regressed && f->now->bugs.data[i].finding.bug.bucket == bucket)
			return 1;
	return 0;
}

static int has_unmatched(const struct ci_file *f)
{
	for (size_t i = 0; i < f->after.bugs.size; i++)
		if (f->after.bugs.data[i].confirmed && !has_regressed(f, f->after.bugs.data[i].bucket) && !has_bucket(&f->before, f->after.bugs.data[i].bucket))
			return 1;
	return 0;
}

static int has_function(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->functions.size; i++)
		if (!strcmp(r->functions.data[i].name, name))
			return 1;
	return 0;
}

/* Is what was driven in the base, too? Bugs of whole programs are. */
static int is_in_base(const struct ci_file *f, const char *entry)
{
	for (size_t i = 0; entry && f->diff && i < f->diff->functions.size; i++)
		if (f->diff->functions.data[i].now && !strcmp(f->diff->functions.data[i].now, entry))
			return f->diff->functions.data[i].name != NULL;
	return !f->added;
}

/* again: a session of the base that ran the bugs of the new version. */
static void sort_bugs(struct work *w, struct ci_file *f, const struct test_session *again)
{
	for (size_t i = 0; i < f->after.bugs.size; i++) {
		const struct result_bug *b = &f->after.bugs.data[i];
		const struct test_old_bug *was = judged(again, b);
		const char *why = NULL;
		if (!b->confirmed)
			continue;
		if (has_regressed(f, b->bucket)) {
			add_bug(w, CI_NEW, has_bucket(&f->before, b->bucket) ? "the base passes for this call, and fails alike for others" : NULL, b);
			continue;
		}
		int there = has_bucket(&f->before, b->bucket) || (was && was->now == TEST_OLD_BUG_THERE);
		if (!there && is_in_base(f, b->entry) && (!was || was->now == TEST_OLD_BUG_UNKNOWN))
			why = "its input was not run on the base, or ended otherwise there: it may be older";
		add_bug(w, there ? CI_EXISTING : why ? CI_UNCLEAR : CI_NEW, why, b);
	}
	for (size_t i = 0; i < f->before.bugs.size; i++) {
		const struct result_bug *b = &f->before.bugs.data[i];
		const struct test_old_bug *is = judged(f->now, b);
		if (b->confirmed && is && is->now == TEST_OLD_BUG_FIXED && !has_bucket(&f->after, b->bucket))
			add_bug(w, CI_FIXED, NULL, b);
	}
}

static int requires_same(const struct result *r, const struct result_contract *x)
{
	for (size_t i = 0; i < r->contracts.size; i++)
		if (!strcmp(r->contracts.data[i].function, x->function) && !strcmp(r->contracts.data[i].requires, x->requires))
			return 1;
	return 0;
}

static int requires_any(const struct result *r, const char *function)
{
	for (size_t i = 0; i < r->contracts.size; i++)
		if (!strcmp(r->contracts.data[i].function, function))
			return 1;
	return 0;
}

/* Of functions that both versions have, if there was time for all of it: else what one version was not seen to require says nothing. A clause has grown stronger if a call shows it (unit/growth.c); other words alone show nothing, nor that a clause is gone while there are others. */
static void compare_contracts(struct work *w, const struct ci_file *f)
{
	for (size_t i = 0; i < f->after.contracts.size; i++) {
		const struct result_contract *x = &f->after.contracts.data[i];
		if (!x->accepted && has_function(&f->before, x->function) && !requires_same(&f->before, x) && (x->before || !w->c->cut))
			vec_push(&w->c->contracts,
				 (struct ci_contract){x->function, x->requires, x->before ? CI_CONTRACT_STRONGER : CI_CONTRACT_OTHER, x->before ? x->call : NULL});
	}
	for (size_t i = 0; i < f->before.contracts.size && !w->c->cut; i++) {
		const struct result_contract *x = &f->before.contracts.data[i];
		if (has_function(&f->after, x->function) && !requires_any(&f->after, x->function))
			vec_push(&w->c->contracts, (struct ci_contract){x->function, x->requires, CI_CONTRACT_GONE, NULL});
	}
}

static int explore(struct work *w, struct ci_file *f)
{
	const char *now = f->diff && !f->program ? to_test(w, f, 0) : NULL, *before = f->diff && !f->program ? to_test(w, f, 1) : NULL;
	struct test_session *again = NULL;

	if (f->program || f->broken || (f->diff && !now)) /* all of it is as it was, or is gone */
		return 0;
	/* The base takes no more of what is left than the work tree. */
	w->base_test.later = isinf(deadline_left()) ? 0 : w->later + fmax(deadline_left() - w->later, 0) / 2;
	w->test.later = w->later;
	if (before && !deadline_over())
		f->base = test(w, f, before, 1, 0);
	if (f->base)
		test_result(&f->base, 1, 0, &f->before);
	deadline_reserve(w->later);
	if (!deadline_over())
		f->now = test(w, f, now, 0, f->base ? f->base->records.campaign : 0);
	deadline_reserve(0);
	int ran_both = f->now && f->base && !deadline_over() && !test_regressed(f->now, f->base);
	if (ran_both && test_store_bugs(f->now))
		log_warn("%s", error_text());
	for (size_t i = 0; f->now && !ran_both && i < f->now->contracts.size; i++) /* no call was seen to pass in the base */
		f->now->contracts.data[i].before = NULL;
	if (f->now) {
		test_result(&f->now, 1, 0, &f->after);
		f->tested = f->after.functions.size;
		w->c->held += f->now->reuse.held, w->c->again += f->now->reuse.again;
		w->c->unreached += f->now->reuse.unreached, w->c->unseen += f->now->reuse.unseen;
		for (size_t i = 0; i < f->after.functions.size; i++)
			vec_push(&w->c->now.functions, f->after.functions.data[i]);
	}
	w->base_test.later = 0;
	if (f->now && f->base && has_unmatched(f) && !deadline_over())
		again = test(w, f, before, 1, f->now->records.campaign);
	if (again && store_campaign_use(f->now->records.store, f->now->records.campaign)) /* what muster show and muster report are about */
		log_warn("%s", error_text());
	w->c->cut |= deadline_over();
	sort_bugs(w, f, again);
	compare_contracts(w, f);
	drop(&again);
	return 0;
}

/* ------------------------------------------------------------ all of it */

int ci_run(struct ci *c, const struct ci_options *o)
{
	struct work w = {.c = c, .o = o, .test = o->test, .base_test = o->test};
	char *out = file_join(home_project(), "ci-base"); /* inputs of the base's bugs are not the work tree's */

	*c = (struct ci){.now.function_fields = 0};
	w.base_test.main_time = 0;
	w.base_test.out = out;
	int e = ci_base(o->base, &c->base) || revision_open(&w.rev, c->base) || !(w.shared = test_shared_new()) ? -1 : 0;
	for (size_t i = 0; i < o->file_count && !e; i++)
		vec_push(&c->files, (struct ci_file){.name = arena_strdup(&c->arena, o->files[i])});
	if (!e && !o->file_count)
		e = ci_reached(c->base, &c->arena, c);
	if (!e)
		stop_catch(&w.shared->stop);
	w.base_test.stop = e ? NULL : &w.shared->stop;
	w.test.stop = w.base_test.stop;
	w.left = COMPARING * deadline_left();
	for (size_t i = 0; i < c->files.size && !e; i++)
		if (!deadline_over())
			e = compare(&w, &c->files.data[i]);
	if (!e)
		compare_program(&w);
	if (!e)
		share_time(&w);
	for (size_t i = 0; i < c->files.size && !e; i++)
		e = explore(&w, &c->files.data[i]);
	for (size_t i = 0; i < c->files.size; i++) {
		struct ci_file *f = &c->files.data[i];
		f->open |= !f->broken && !f->diff && !f->now;
		c->open |= f->open;
	}
	c->cut |= deadline_over();
	if (!e)
		file_remove_tree(out);
	revision_release(&w.rev);
	free(out);
	return e;
}

void ci_release(struct ci *c)
{
	for (size_t i = 0; i < c->files.size; i++) {
		struct ci_file *f = &c->files.data[i];
		diff_free(f->diff);
		version_release(&f->old);
		version_release(&f->new);
		drop(&f->base);
		drop(&f->now);
		result_release(&f->before);
		result_release(&f->after);
		free(f->words);
	}
	vec_release(&c->files);
	vec_release(&c->bugs);
	vec_release(&c->contracts);
	result_release(&c->now);
	result_release(&c->before);
	result_release(&c->unclear);
	arena_release(&c->arena);
	free(c->base);
}
