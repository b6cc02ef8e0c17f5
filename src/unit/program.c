/* program.c: from bugs of functions to inputs of the whole program.
 *
 * What fails when a function is called with values of our own may be something that no caller allows. Where the
 * unit has a main (or a program was named), that program is searched for a moment by a campaign, a process of its
 * own with a store of its own in DIR/program: on standard input and, if main takes arguments, with a file as its
 * argument too. A source file is compiled with checks for undefined behaviour as branches, as the harness is, so that the
 * search looks for inputs that break them; and inputs that cover something new are run in the san variant, since much of what it
 * reports does not end an ordinary run. The program runs in a scratch directory, as functions do. A confirmed failure there of the same class in the same
 * function and line as a function's bug shows that the bug is one of the program; others are bugs as well.
 *
 * The store is read when the search is over or its time is: what it has is complete at every moment.
 */
#include "base/budget.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/shell.h"
#include "build/cc.h"
#include "campaign/campaign.h"
#include "unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUN_SECONDS 0.5	      /* of one run of the program */
#define RUNS_A_SECOND 1000    /* where no clock may decide */
#define PATIENCE 1.0	      /* seconds more than the search, to confirm what it found */
#define LEAST 0.2	      /* seconds that are worth a search */
#define CHANNELS 2		      /* by which input reaches it: standard input, a file */

/* ------------------------------------------------------------- the program */

/* The number of the unit's main, or -1. */
static int own_main(const struct test_session *s)
{
	int number = front_function(s->driven.front, "main");
	return number >= 0 && s->driven.front->functions.data[number].defined ? number : -1;
}

int test_has_program(const struct test_session *s)
{
	return !file_is_c(s->file) || own_main(s) >= 0;
}

static int takes_arguments(const struct test_session *s)
{
	int number = own_main(s);
	return number < 0 || s->driven.front->functions.data[number].parameters.size;
}

/* Compiles the file as it is, with the user's flags: 0, or -1 if it is no whole program. */
static int compile(struct test_session *s, const char *dir)
{
	char *base = mem_strdup(file_base(s->file));
	VEC(char *) argv = {0};
	struct proc_result r = {0};
	struct proc_opts opts = {.null_input = 1, .capture_out = 1, .merge_err = 1, .call = cc_call};
	base[strlen(base) - 2] = 0;
	s->whole.program = file_join(dir, base);
	vec_push(&argv, (char *)"cc");
	vec_push(&argv, (char *)"-g");
	for (const char *const *p = s->o->cflags; p && *p; p++)
		vec_push(&argv, (char *)*p);
	vec_push(&argv, (char *)s->file);
	vec_push(&argv, (char *)"-o");
	vec_push(&argv, s->whole.program);
	vec_push(&argv, NULL);
	int e = proc_run(argv.data, &opts, &r);
	if (!e && (r.status || !file_exists(s->whole.program)))
		e = -1;
	proc_release(&r);
	vec_release(&argv);
	free(base);
	return e;
}

/* All variants before the clock starts, at once. */
static int make_variants(const struct test_session *s)
{
	static const enum variant_kind kinds[] = {VARIANT_TRACE, VARIANT_SAN, VARIANT_COV};
	pid_t pids[3];
	int failed = 0;
	for (unsigned i = 0; i < 3; i++)
		pids[i] = test_make_in_child(s->whole.program, kinds[i]);
	for (unsigned i = 0; i < 3; i++) {
		int status = 1;
		if (pids[i] > 0 && deadline_wait(pids[i], &status))
			status = 1;
		failed |= status != 0;
	}
	return failed ? -1 : 0;
}

/* --------------------------------------------------------------- the search */

struct channel {
	int file; /* an argument names the input's file */
	char *store;
	pid_t pid;
};

static void start(struct test_session *s, const char *dir, struct channel *w, double seconds, unsigned workers)
{
	struct fuzz_options o = FUZZ_DEFAULTS;
	char *absolute = file_absolute(dir), *whole = file_absolute(s->whole.program);
	char *out = file_join(absolute, w->file ? "file" : "input"), *log = mem_printf("%s.log", out);
	char *argv[] = {whole, w->file ? "@@" : NULL, NULL};
	struct campaign_alone a = {.o = &o, .argv = argv, .directory = s->driven.scratch, .log = log, .orphan = SIGKILL};
	w->store = mem_printf("%s.db", out);
	o.out = out;
	o.store = w->store;
	o.seed = s->o->seed ? s->o->seed : 1;
	o.workers = workers;
	o.memory = budget_total() * workers; /* our workers are done */
	o.run_time = RUN_SECONDS;
	o.no_shrink = o.quiet = 1;
	if (s->o->repeatable)
		o.runs = (uint64_t)(seconds * RUNS_A_SECOND + 1);
	else
		o.seconds = seconds;
	o.search.checks = s->o->checks;
	o.search.combine = s->o->combine;
	campaign_complete(&o);
	w->pid = campaign_start(&a);
	free(absolute);
	free(whole);
	free(out);
	free(log);
}

/* Until they are gone, or `until` is over: then by force. 0: none of them ran. */
static int wait_for_all(const struct test_session *s, struct channel *channels, int count, double until)
{
	int ran = 0;
	for (int i = 0; i < count; i++) {
		int status = 0, over = 0;
		pid_t gone = channels[i].pid > 0 ? 0 : -1;
		while (!gone) {
			struct timespec pause = {0, 10000000};
			gone = waitpid(channels[i].pid, &status, over ? 0 : WNOHANG);
			if (gone)
				break;
			over = s->round.shared->stop || deadline_cut() || (until > 0 && test_clock() > until);
			if (over)
				kill(channels[i].pid, SIGKILL);
			else
				nanosleep(&pause, NULL);
		}
		ran |= gone > 0 && (over || (WIFEXITED(status) && WEXITSTATUS(status) <= 1));
	}
	return ran;
}

/* ---------------------------------------------------------------- its bugs */

/* What is one failure in one place, though the object is another kind of object: the driver's are on the heap. */
static const char *kind_class(const char *kind)
{
	static const char *const ends[] = {"buffer-overflow", "buffer-underflow", "SEGV", "unknown-crash"};
	size_t n = strlen(kind);
	for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
		if (n >= strlen(ends[i]) && !strcmp(kind + n - strlen(ends[i]), ends[i]))
			return "outside";
	return kind;
}

static int same_place(const struct result_bug *b, const char *kind, const char *function, const char *file,
		      uint32_t line)
{
	return b->line == line && !strcmp(b->function, function) &&
	       !strcmp(file_base(b->file), file_base(file)) && !strcmp(kind_class(b->kind), kind_class(kind));
}

struct reader {
	struct test_session *s;
	int file;
	double until; /* a clock; 0: no limit */
	struct confirm *confirm;
};

static int is_told(const struct test_session *s, const struct result_bug *b)
{
	for (size_t i = 0; i < s->whole.bugs.size; i++) {
		const struct result_bug *p = &s->whole.bugs.data[i];
		if (same_place(b, p->kind, p->function, p->file, p->line))
			return 1;
	}
	return 0;
}

/* A program may run for long by intent, and has no place where it does: hangs are left out. */
static int take_bug(void *ctx, const struct result_bug *b)
{
	struct reader *r = ctx;
	struct test_session *s = r->s;
	if (!b->confirmed || !strcmp(b->kind, "timeout") || is_told(s, b))
		return 0;
	struct result_bug p = {.kind = arena_strdup(&s->arena, b->kind),
			       .function = arena_strdup(&s->arena, b->function),
			       .file = arena_strdup(&s->arena, b->file),
			       .line = b->line,
			       .confirmed = 1,
			       .count = 1,
			       .summary = arena_strdup(&s->arena, b->summary),
			       .data = arena_copy(&s->arena, b->data, b->size),
			       .size = b->size,
			       .entry = "main",
			       .scope = "program level: found in the whole program only",
			       .level = RESULT_PROGRAM,
			       .by = r->file ? "file" : "stdin"};
	for (size_t i = 0; i < s->bugs.size; i++) {
		struct test_bug *own = &s->bugs.data[i];
		const struct result_bug *x = &own->finding.bug;
		if (own->program || !x->confirmed || !x->function[0] ||
		    !same_place(b, x->kind, x->function, x->file, x->line))
			continue;
		own->program = (uint32_t)s->whole.bugs.size + 1;
		own->finding.bug.level = RESULT_PROGRAM;
	}
	vec_push(&s->whole.bugs, p);
	return 0;
}

static int take_campaign(void *ctx, uint64_t id, struct hash128 key, const char *program, const char *command)
{
	(void)key, (void)program, (void)command;
	*(uint64_t *)ctx = id;
	return 0;
}

/* A test that covered something new and ended well: does the san variant say so too? */
static int check_test(void *ctx, const struct store_test *t)
{
	struct reader *r = ctx;
	struct finding x = FINDING_NONE;
	if (!(t->flags & TEST_COVERS) || t->flags & (TEST_CRASH | TEST_HANG))
		return 0;
	if (r->s->round.shared->stop || deadline_cut() || (r->until > 0 && test_clock() > r->until))
		return 1;
	r->s->costs.checks++;
	int e = confirm_run(r->confirm, t->data, t->size, &x);
	if (!e && x.bug.confirmed) {
		struct result_bug b = x.bug;
		b.data = t->data;
		b.size = t->size;
		take_bug(r, &b);
	}
	finding_release(&x);
	return e;
}

static int check_tests(struct reader *r, struct store *store, uint64_t campaign)
{
	struct target_options o = TARGET_DEFAULTS;
	struct target t;
	char *argv[] = {r->s->whole.program, r->file ? (char *)"@@" : NULL, NULL};
	o.time = RUN_SECONDS;
	if (target_make(&t, r->s->whole.program, argv, VARIANT_SAN, &o))
		return -1;
	t.options.directory = r->s->driven.scratch;
	int e = confirm_open(&r->confirm, r->s->whole.program, &t.options);
	if (!e)
		e = store_test_each(store, campaign, 0, 1, check_test, r);
	confirm_close(r->confirm);
	target_release(&t);
	return e < 0 ? -1 : 0;
}

static int read_bugs(struct test_session *s, const struct channel *w, double until)
{
	struct store *store;
	struct reader r = {.s = s, .file = w->file, .until = until};
	uint64_t campaign = 0;
	if (!file_exists(w->store))
		return 0;
	if (store_open(&store, w->store, STORE_EXISTING))
		return -1;
	int e = store_campaign_each(store, take_campaign, &campaign);
	if (e >= 0 && campaign)
		e = store_bug_each(store, campaign, take_bug, &r) < 0 || check_tests(&r, store, campaign) ? -1 : 0;
	store_close(store);
	return e < 0 ? -1 : 0;
}

int test_program_only(const struct test_session *s, size_t number)
{
	for (size_t i = 0; i < s->bugs.size; i++)
		if (s->bugs.data[i].program == number + 1)
			return 0;
	return 1;
}

/* Bugs that no function's search found count for the function where they happen, if it was driven. */
static void count_bugs(struct test_session *s)
{
	for (size_t i = 0; i < s->whole.bugs.size; i++)
		for (size_t k = test_program_only(s, i) ? 0 : s->functions.size; k < s->functions.size; k++)
			if (!strcmp(s->functions.data[k].name, s->whole.bugs.data[i].function))
				s->functions.data[k].bugs++;
}

/* The command that runs the whole program on it. */
static void add_replay(struct test_session *s, struct result_bug *b, struct buf *out)
{
	buf_adds(out, "muster replay ");
	shell_paste_path(out, b->input_file);
	buf_adds(out, " -- ");
	shell_paste(out, s->whole.program);
	if (!strcmp(b->by, "file"))
		buf_adds(out, " @@");
	b->replay = arena_strdup(&s->arena, buf_str(out));
}

static int write_inputs(struct test_session *s)
{
	struct buf text = {0};
	int e = 0;
	for (size_t i = 0; i < s->whole.bugs.size && !e; i++) {
		struct result_bug *p = &s->whole.bugs.data[i];
		char *below = mem_printf("bugs/program-%zu-%s-%u", i + 1, p->kind, p->line), *file;
		for (char *c = below + strlen("bugs/"); *c; c++)
			if (*c == ' ' || *c == '/')
				*c = '-';
		file = file_join(s->records.dir, below);
		p->input_file = arena_strdup(&s->arena, file);
		p->name = file_base(p->input_file);
		buf_clear(&text);
		add_replay(s, p, &text);
		e = file_write_atomic(file, p->size ? p->data : "", p->size);
		free(below);
		free(file);
	}
	buf_release(&text);
	return e;
}

/* ------------------------------------------------------------------- whole */

/* What is left of --time when so much of it is used for other things. */
static double seconds_left(const struct test_session *s, double reserve)
{
	double seconds = s->o->main_time;
	if (s->o->seconds > 0) {
		double left = s->o->seconds - (test_clock() - s->round.shared->started) - reserve;
		seconds = left < seconds ? left : seconds;
	}
	return seconds;
}

static int search(struct test_session *s, const char *dir, double seconds)
{
	struct channel channels[CHANNELS] = {{.file = 0}, {.file = 1}};
	int count = takes_arguments(s) ? 2 : 1, e = 0, ran = 0;
	unsigned workers = test_workers(s->o);
	int together = workers >= (unsigned)count ? count : 1;
	double each = seconds * together / count;
	for (int i = 0; i < count; i += together) {
		for (int k = i; k < i + together; k++)
			start(s, dir, &channels[k], each, workers / (unsigned)together);
		double until = s->o->repeatable ? 0 : test_clock() + each + PATIENCE;
		ran |= wait_for_all(s, channels + i, together, until);
	}
	double now = test_clock();
	for (int i = 0; i < count; i++) { /* each has its share of the patience */
		if (!e && ran)
			e = read_bugs(s, &channels[i], s->o->repeatable ? 0 : now + PATIENCE * (i + 1) / count);
		free(channels[i].store);
	}
	s->whole.state = ran ? TEST_PROGRAM_SEARCHED : TEST_PROGRAM_BROKEN;
	s->whole.seconds = seconds;
	return e;
}

static int has_question(const struct test_session *s)
{
	for (size_t i = 0; i < s->bugs.size; i++)
		if (s->bugs.data[i].finding.bug.confirmed && !test_is_program_level(&s->bugs.data[i]))
			return 1;
	return 0;
}

int test_program(struct test_session *s)
{
	if (s->o->entry || s->o->main_time <= 0 || !test_has_program(s) || !has_question(s) || s->round.shared->stop)
		return 0;
	s->whole.state = TEST_PROGRAM_LATE;
	if (seconds_left(s, s->costs.built - s->costs.started) < LEAST) /* it is compiled like the harness */
		return 0;
	char *dir = file_join(s->records.dir, "program"), *below = file_join(dir, "search");
	if (!s->o->quiet)
		log_progress("%s: looking for inputs of the whole program", s->file);
	int e = file_remove_tree(dir) || file_mkdirs(below) ? -1 : 0;
	if (!e) {
		if (file_is_c(s->file) ? compile(s, dir) : !(s->whole.program = mem_strdup(s->file)))
			s->whole.state = TEST_PROGRAM_UNLINKED;
		else if (make_variants(s))
			s->whole.state = TEST_PROGRAM_BROKEN;
		else if (seconds_left(s, 0) >= LEAST)
			e = search(s, below, seconds_left(s, 0));
		if (deadline_cut() && s->whole.state != TEST_PROGRAM_SEARCHED)
			s->whole.state = TEST_PROGRAM_LATE;
	}
	if (!e)
		e = write_inputs(s);
	count_bugs(s);
	log_progress(NULL);
	free(below);
	free(dir);
	return e;
}

/* ------------------------------------------------------------------- words */

void test_program_scope(const struct test_session *s, struct buf *out)
{
	switch (s->whole.state) {
	case TEST_PROGRAM_NONE:
		break;
	case TEST_PROGRAM_SEARCHED:
		buf_addf(out, " (no whole-program input was found in %.2g s)", s->whole.seconds);
		break;
	case TEST_PROGRAM_LATE:
		buf_adds(out, " (the time was over before a whole-program input was looked for)");
		break;
	case TEST_PROGRAM_UNLINKED:
		buf_adds(out, " (the file alone is no whole program: it does not link)");
		break;
	case TEST_PROGRAM_BROKEN:
		buf_adds(out, " (the whole program could not be searched)");
		break;
	}
}
